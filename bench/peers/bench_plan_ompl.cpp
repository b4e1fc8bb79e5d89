/* dent's planner against OMPL's RRT-Connect and PRM on the passages of bench_plan_passages.
 *
 *     bench_plan_ompl [seeds] [seconds] [clearances or planners...]     default 10 60, clearances 2 4 8 16 target gaps
 *                                                                       of 2 mm, all planners
 *
 * OMPL checks states: the bar against the two boxes by FCL's box primitives, its fastest way, at the default resolution
 * of 1 % of the space's extent and, as a second setting, at 0.1 %. Its paths are those of the planner, not simplified.
 * The in-between motion of both is the same (the centre goes straight, the rotation is the shortest). Every edge of a path is then
 * certified by dent; a path with an edge in contact is invalid. One thread, a process for each run, because OMPL's
 * generator takes one seed. A run that finds nothing in time counts with the limit.
 */
#include <fcl/narrowphase/collision.h>
#include <ompl/base/spaces/SE3StateSpace.h>
#include <ompl/geometric/PathGeometric.h>
#include <ompl/geometric/SimpleSetup.h>
#include <ompl/geometric/planners/prm/PRM.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "../../tests/support/plan_field.h"

namespace
{
namespace ob = ompl::base;
namespace og = ompl::geometric;

const double target_gap = 0.002;
const double from[7] = {-0.5, 0.1, 0, 1, 0, 0, 0}, to[7] = {0.5, -0.1, 0.2, 1, 0, 0, 0};

struct answer {
    int found, invalid; /* invalid: an edge is in contact */
    double seconds;
};

/* The planner of dent, for its own runs and as the judge. */
struct judge {
    dent_context *context = nullptr;
    plan_field field;
    dent_planner *planner = nullptr;

    explicit judge(double clearance)
    {
        dent_context_def def = dent_context_def_default();
        def.thread_count = 1;
        context = dent_context_create(&def, nullptr);
        plan_field_open(&field, context);
        plan_field_add_wall(&field, clearance);
        dent_planner_def planner_def = plan_field_def(&field);
        planner_def.target_gap = target_gap;
        planner_def.no_shortening = true;
        if (dent_planner_create(context, &planner_def, &planner) != DENT_OK) {
            std::exit(2);
        }
    }
    bool in_contact(const std::vector<double> &path)
    {
        for (size_t i = 0; i + 14 <= path.size(); i += 7) {
            dent_plan_edge_result edge;
            if (dent_planner_test_edge(planner, &path[i], &path[i + 7], &edge) != DENT_OK) {
                std::exit(2);
            }
            if (edge.verdict != DENT_MOTION_FREE) {
                return true;
            }
        }
        return false;
    }
};

answer run_dent(double clearance, unsigned seed, double limit)
{
    judge own(clearance);
    dent_plan_result result = {};
    dent_planner_begin(own.planner, from, to, seed);
    do {
        dent_planner_run(own.planner, 64, nullptr, &result);
    } while (result.verdict != DENT_PLAN_FOUND && double(result.ns) < 1e9 * limit);
    bool found = result.verdict == DENT_PLAN_FOUND;
    std::vector<double> path(result.waypoints, result.waypoints + 7 * size_t(result.waypoint_count));
    return {found, found && own.in_contact(path), found ? 1e-9 * double(result.ns_to_first) : limit};
}

struct checker {
    fcl::CollisionObjectd bar, left, right;
    static fcl::CollisionObjectd box(const double *lo, const double *hi)
    {
        auto shape = std::make_shared<fcl::Boxd>(hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]);
        fcl::Transform3d pose = fcl::Transform3d::Identity();
        pose.translation() << (lo[0] + hi[0]) / 2, (lo[1] + hi[1]) / 2, (lo[2] + hi[2]) / 2;
        return fcl::CollisionObjectd(shape, pose);
    }
    explicit checker(const plan_field &field)
        : bar(box(field.corners[0][0], field.corners[0][7])), left(box(field.corners[1][0], field.corners[1][7])),
          right(box(field.corners[2][0], field.corners[2][7]))
    {
    }
    bool valid(const ob::State *state)
    {
        const auto *pose = state->as<ob::SE3StateSpace::StateType>();
        const auto &q = pose->rotation();
        bar.setTranslation(fcl::Vector3d(pose->getX(), pose->getY(), pose->getZ()));
        bar.setQuatRotation(fcl::Quaterniond(q.w, q.x, q.y, q.z));
        bar.computeAABB();
        fcl::CollisionRequestd request;
        for (fcl::CollisionObjectd *other : {&left, &right}) {
            fcl::CollisionResultd result;
            if (fcl::collide(&bar, other, request, result) > 0) {
                return false;
            }
        }
        return true;
    }
};

void set_state(ob::ScopedState<ob::SE3StateSpace> &state, const double *values)
{
    state->setXYZ(values[0], values[1], values[2]);
    state->rotation().w = values[3];
    state->rotation().x = values[4];
    state->rotation().y = values[5];
    state->rotation().z = values[6];
}

answer run_ompl(double clearance, unsigned seed, double limit, bool roadmap, double resolution)
{
    ompl::msg::setLogLevel(ompl::msg::LOG_ERROR);
    ompl::RNG::setSeed(seed);
    judge own(clearance);
    checker check(own.field);
    auto space = std::make_shared<ob::SE3StateSpace>();
    dent_planner_def def = plan_field_def(&own.field);
    ob::RealVectorBounds bounds(3);
    for (unsigned k = 0; k < 3; k++) {
        bounds.setLow(k, def.lower[k]);
        bounds.setHigh(k, def.upper[k]);
    }
    space->setBounds(bounds);
    og::SimpleSetup setup(space);
    setup.setStateValidityChecker([&](const ob::State *state) { return check.valid(state); });
    setup.getSpaceInformation()->setStateValidityCheckingResolution(resolution);
    ob::ScopedState<ob::SE3StateSpace> start(space), goal(space);
    set_state(start, from);
    set_state(goal, to);
    setup.setStartAndGoalStates(start, goal);
    setup.setPlanner(roadmap ? ob::PlannerPtr(new og::PRM(setup.getSpaceInformation()))
                             : ob::PlannerPtr(new og::RRTConnect(setup.getSpaceInformation())));
    setup.setup();
    auto began = std::chrono::steady_clock::now();
    ob::PlannerStatus status = setup.solve(limit);
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    if (status != ob::PlannerStatus::EXACT_SOLUTION) {
        return {0, 0, limit};
    }
    std::vector<double> path;
    for (const ob::State *state : setup.getSolutionPath().getStates()) {
        const auto *pose = state->as<ob::SE3StateSpace::StateType>();
        const auto &q = pose->rotation();
        for (double value : {pose->getX(), pose->getY(), pose->getZ(), q.w, q.x, q.y, q.z}) {
            path.push_back(value);
        }
    }
    return {1, own.in_contact(path), seconds};
}

const char *const names[] = {"dent", "rrt-connect", "rrt-connect-0.1%", "prm", "prm-0.1%"};

answer run(int side, double clearance, unsigned seed, double limit)
{
    return side == 0 ? run_dent(clearance, seed, limit)
                     : run_ompl(clearance, seed, limit, side >= 3, side % 2 ? 0.01 : 0.001);
}

/* In a process of its own. */
answer run_apart(int side, double clearance, unsigned seed, double limit)
{
    int ends[2];
    answer result = {0, 0, limit};
    if (pipe(ends) != 0) {
        std::exit(2);
    }
    pid_t child = fork();
    if (child == 0) {
        result = run(side, clearance, seed, limit);
        _exit(write(ends[1], &result, sizeof result) == sizeof result ? 0 : 2);
    }
    close(ends[1]);
    bool good = read(ends[0], &result, sizeof result) == sizeof result;
    close(ends[0]);
    waitpid(child, nullptr, 0);
    if (!good) {
        std::fprintf(stderr, "bench_plan_ompl: a run of %s failed\n", names[side]);
        std::exit(2);
    }
    return result;
}

} // namespace

int main(int count, char **words)
{
    unsigned seeds = count > 1 ? unsigned(std::strtoul(words[1], nullptr, 10)) : 10;
    double limit = count > 2 ? std::strtod(words[2], nullptr) : 60;
    std::vector<double> clearances;
    std::vector<int> sides;
    bool good = seeds > 0;
    for (int i = 3; i < count; i++) {
        const char *const *name = std::find(std::begin(names), std::end(names), std::string(words[i]));
        if (name != std::end(names)) {
            sides.push_back(int(name - names));
        } else {
            clearances.push_back(std::strtod(words[i], nullptr));
            good = good && clearances.back() > 0;
        }
    }
    if (!good) {
        std::fprintf(stderr, "usage: bench_plan_ompl [seeds] [seconds] [clearances or planners...]\n");
        return 2;
    }
    if (clearances.empty()) {
        clearances = {2, 4, 8, 16};
    }
    if (sides.empty()) {
        sides = {0, 1, 2, 3, 4};
    }
    std::printf("clearance,planner,seeds,found,in_contact,median_s,mean_s\n");
    for (double clearance : clearances) {
        for (int side : sides) {
            std::vector<double> seconds;
            unsigned found = 0, invalid = 0;
            double sum = 0;
            for (unsigned seed = 1; seed <= seeds; seed++) {
                answer one = run_apart(side, clearance * target_gap, seed, limit);
                found += unsigned(one.found);
                invalid += unsigned(one.invalid);
                seconds.push_back(one.seconds);
                sum += one.seconds;
            }
            std::sort(seconds.begin(), seconds.end());
            std::printf("%g,%s,%u,%u,%u,%.3f,%.3f\n", clearance, names[side], seeds, found, invalid, seconds[seeds / 2],
                        sum / seeds);
            std::fflush(stdout);
        }
    }
    return 0;
}
