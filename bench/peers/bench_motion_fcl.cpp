/* dent's motion query against FCL's continuous collision, on the cases of bench_motion.
 *
 *     bench_motion_fcl [queries [rounds [triangles]]]     default 60 queries of each kind, 2 rounds, 100 10000 100000
 *
 * Everybody answers the same queries in turns, one thread, CPU time; the time of a query is the least of its
 * rounds, a row the mean over queries (a third of them for 10,000 triangles, a twelfth for 100,000). The peers:
 *   ca-rss, ca-obbrss  FCL's conservative advancement with the two hierarchies it knows for meshes, swept spheres and
 *                      oriented boxes with these. Its tolerance for the time, 1e-5, cannot be changed by callers
 *   distance           a plain conservative advancement over FCL's distance query, as one would write it: a step is the
 *                      distance over the greatest speed of any point; contact below dent's tolerance
 *   naive              FCL's discrete test at 1,000 times (its CCDC_NAIVE)
 * The motion is that of dent's constant velocity (InterpMotion, the origin of the body as the point that goes
 * straight). Rows say whether both bodies move, or one alone while the other stands in the middle of its way.
 *
 * Where there is a contact, or answers differ, FCL's own discrete test is asked at many times along the motion:
 *   missed  the peer says free, and at some time they cross
 *   late    the peer's time is later than one at which they cross already
 *   early   the peer says contact more than 0.001 before dent's bounds for the first time, or where there is none
 *   dent    dent says free, or a first time later than one at which they cross: must be 0
 * The ratio is that of the fastest peer which neither missed nor was late on any query of the row, 0 when there is
 * none.
 */
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/math/bv/OBBRSS.h>
#include <fcl/math/bv/RSS.h>
#include <fcl/math/motion/interp_motion.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/continuous_collision.h>
#include <fcl/narrowphase/distance.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <vector>

#include <dent/motion.h>

#include "motion_cases.h"

namespace
{

enum { DENT, RSS, OBBRSS, DISTANCE, NAIVE, SIDES };

const char *const side_names[SIDES] = {"dent", "ca_rss", "ca_obbrss", "distance", "naive"};
const double time_slack = 1e-3;
const double length_tolerance = 2e-6; /* about dent's, 1e-6 of the sum of the radii */
const int naive_samples = 1000;

double processor_us()
{
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e6 * double(now.tv_sec) + 1e-3 * double(now.tv_nsec);
}

[[noreturn]] void fail(const char *what)
{
    fprintf(stderr, "bench_motion_fcl: %s\n", what);
    exit(2);
}

struct Answer {
    bool contact;
    double time; /* dent: t_lo */
};

fcl::Transform3d transform_of(const motion_case_pose &pose)
{
    fcl::Transform3d transform = fcl::Transform3d::Identity();
    const double *q = pose.rotation;
    transform.linear() = fcl::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
    transform.translation() = fcl::Vector3d(pose.translation[0], pose.translation[1], pose.translation[2]);
    return transform;
}

fcl::InterpMotion<double> motion_of(const motion_case_pose ends[2])
{
    fcl::Transform3d start = transform_of(ends[0]), end = transform_of(ends[1]);
    return fcl::InterpMotion<double>(start.linear(), start.translation(), end.linear(), end.translation(),
                                     fcl::Vector3d::Zero());
}

template <typename Volume> std::shared_ptr<fcl::BVHModel<Volume>> model_of(const motion_case_mesh &mesh)
{
    auto model = std::make_shared<fcl::BVHModel<Volume>>();
    std::vector<fcl::Vector3d> vertices(mesh.vertex_count);
    std::vector<fcl::Triangle> triangles(mesh.triangle_count);
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
        vertices[v] = fcl::Vector3d(mesh.vertices[v][0], mesh.vertices[v][1], mesh.vertices[v][2]);
    }
    for (uint32_t t = 0; t < mesh.triangle_count; t++) {
        triangles[t] = fcl::Triangle(mesh.triangles[t][0], mesh.triangles[t][1], mesh.triangles[t][2]);
    }
    model->beginModel(int(mesh.triangle_count), int(mesh.vertex_count));
    model->addSubModel(vertices, triangles);
    model->endModel();
    return model;
}

double radius_of(const motion_case_mesh &mesh)
{
    double farthest = 0;
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
        const double *p = mesh.vertices[v];
        farthest = std::max(farthest, p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    }
    return std::sqrt(farthest);
}

/* One size of bodies for everybody. */
class Stage
{
  public:
    explicit Stage(uint32_t triangles)
    {
        dent_context_def def = dent_context_def_default();
        def.thread_count = 1;
        context = dent_context_create(&def, nullptr);
        world = context ? dent_world_create(context) : nullptr;
        for (int body = 0; body < 2; body++) {
            if (!world || !motion_case_make_mesh(body, triangles, &meshes[body])) {
                fail("out of memory");
            }
            add_body(body);
            radius[body] = radius_of(meshes[body]);
            rss[body] = model_of<fcl::RSSd>(meshes[body]);
            obbrss[body] = model_of<fcl::OBBRSSd>(meshes[body]);
        }
    }

    ~Stage()
    {
        dent_world_destroy(world);
        dent_context_destroy(context);
        for (int body = 0; body < 2; body++) {
            motion_case_free_mesh(&meshes[body]);
        }
    }

    uint32_t triangle_count() const
    {
        return meshes[0].triangle_count;
    }

    Answer ask(int side, const motion_case_pose poses[2][2])
    {
        switch (side) {
        case DENT:
            return ask_dent(poses);
        case DISTANCE:
            return advance(poses);
        default:
            return ask_fcl(side, poses);
        }
    }

    /* FCL's discrete test. */
    bool crosses(const motion_case_pose poses[2][2], double t)
    {
        fcl::InterpMotion<double> motions[2] = {motion_of(poses[0]), motion_of(poses[1])};
        fcl::Transform3d places[2];
        for (int body = 0; body < 2; body++) {
            motions[body].integrate(t);
            motions[body].getCurrentTransform(places[body]);
        }
        fcl::CollisionRequestd request;
        fcl::CollisionResultd result;
        return fcl::collide(obbrss[0].get(), places[0], obbrss[1].get(), places[1], request, result) > 0;
    }

  private:
    dent_context *context;
    dent_world *world;
    motion_case_mesh meshes[2];
    dent_body_id ids[2];
    double radius[2];
    std::shared_ptr<fcl::BVHModel<fcl::RSSd>> rss[2];
    std::shared_ptr<fcl::BVHModel<fcl::OBBRSSd>> obbrss[2];

    void add_body(int body)
    {
        dent_body_def def = dent_surface_def_default();
        def.vertex_count = meshes[body].vertex_count;
        def.element_count = meshes[body].triangle_count;
        def.element_corners = meshes[body].triangles[0];
        def.positions_t0 = dent_positions_double(meshes[body].vertices[0]);
        if (dent_world_add_body(world, &def, &ids[body]) != DENT_OK) {
            fail(dent_world_message(world));
        }
    }

    Answer ask_dent(const motion_case_pose poses[2][2])
    {
        dent_motion_frame frames[2];
        dent_motion_body bodies[2];
        for (int body = 0; body < 2; body++) {
            dent_pose ends[2];
            for (int end = 0; end < 2; end++) {
                memcpy(ends[end].rotation, poses[body][end].rotation, sizeof ends[end].rotation);
                memcpy(ends[end].translation, poses[body][end].translation, sizeof ends[end].translation);
            }
            frames[body].parent = DENT_FRAME_WORLD;
            if (dent_motion_between(context, &ends[0], &ends[1], DENT_MOTION_CONSTANT_VELOCITY, nullptr, 0,
                                    &frames[body].motion) != DENT_OK) {
                fail("a motion was rejected");
            }
            bodies[body].body = ids[body];
            bodies[body].frame = uint32_t(body);
        }
        dent_motion_impact_def def = dent_motion_impact_def_default();
        def.frames = frames;
        def.frame_count = 2;
        def.bodies = bodies;
        def.body_count = 2;
        dent_motion_impact_result result;
        if (dent_world_motion_impact(world, &def, &result) != DENT_OK) {
            fail(dent_world_message(world));
        }
        return Answer{result.verdict != DENT_MOTION_FREE, result.t_lo};
    }

    Answer ask_fcl(int side, const motion_case_pose poses[2][2])
    {
        fcl::InterpMotion<double> motions[2] = {motion_of(poses[0]), motion_of(poses[1])};
        fcl::ContinuousCollisionRequestd request;
        request.ccd_solver_type = side == NAIVE ? fcl::CCDC_NAIVE : fcl::CCDC_CONSERVATIVE_ADVANCEMENT;
        request.ccd_motion_type = fcl::CCDM_LINEAR;
        request.num_max_iterations = naive_samples;
        request.toc_err = 1.0 / naive_samples;
        fcl::ContinuousCollisionResultd result;
        const fcl::CollisionGeometryd *a =
            side == RSS ? (const fcl::CollisionGeometryd *)rss[0].get() : obbrss[0].get();
        const fcl::CollisionGeometryd *b =
            side == RSS ? (const fcl::CollisionGeometryd *)rss[1].get() : obbrss[1].get();
        fcl::continuousCollide(a, &motions[0], b, &motions[1], request, result);
        return Answer{result.is_collide, result.is_collide ? result.time_of_contact : 1};
    }

    /* No point of a body moves faster than its centre does and its turning at the greatest radius. */
    double fastest(int body, const fcl::InterpMotion<double> &motion) const
    {
        return motion.getLinearVelocity().norm() + std::fabs(motion.getAngularVelocity()) * radius[body];
    }

    Answer advance(const motion_case_pose poses[2][2])
    {
        fcl::InterpMotion<double> motions[2] = {motion_of(poses[0]), motion_of(poses[1])};
        double speed = fastest(0, motions[0]) + fastest(1, motions[1]);
        for (double t = 0; t <= 1;) {
            fcl::Transform3d places[2];
            for (int body = 0; body < 2; body++) {
                motions[body].integrate(t);
                motions[body].getCurrentTransform(places[body]);
            }
            fcl::DistanceRequestd request;
            fcl::DistanceResultd result;
            double distance = fcl::distance(rss[0].get(), places[0], rss[1].get(), places[1], request, result);
            if (distance < length_tolerance) {
                return Answer{true, t};
            }
            t += distance / speed;
        }
        return Answer{false, 1};
    }
};

struct Row {
    double us[SIDES];
    uint32_t contacts, missed[SIDES], late[SIDES], early[SIDES], wrong;
};

/* The first of many times at which they cross by FCL's own discrete test; 2 when there is none. Many near `expected`.
 */
double first_crossing(Stage &stage, const motion_case_pose poses[2][2], double expected)
{
    std::vector<double> times;
    for (int i = 0; i <= 400; i++) {
        times.push_back(i / 400.0);
    }
    for (int i = 0; i <= 200; i++) {
        times.push_back(std::min(1.0, expected + 2e-7 * i * i * i / 200.0));
    }
    std::sort(times.begin(), times.end());
    for (double t : times) {
        if (stage.crosses(poses, t)) {
            return t;
        }
    }
    return 2;
}

void judge(Stage &stage, const motion_case_pose poses[2][2], const Answer answers[SIDES], Row &row)
{
    row.contacts += answers[DENT].contact;
    bool agree = !answers[DENT].contact;
    for (int side = RSS; side < SIDES; side++) {
        agree = agree && answers[side].contact == answers[DENT].contact &&
                std::fabs(answers[side].time - answers[DENT].time) <= time_slack;
    }
    if (agree) {
        return;
    }
    double crossing = first_crossing(stage, poses, answers[DENT].contact ? answers[DENT].time : 0.5);
    bool crosses = crossing <= 1;
    row.wrong += crosses && (!answers[DENT].contact || answers[DENT].time > crossing);
    for (int side = RSS; side < SIDES; side++) {
        row.missed[side] += crosses && !answers[side].contact;
        row.late[side] += crosses && answers[side].contact && answers[side].time > crossing;
        row.early[side] +=
            answers[side].contact && (!answers[DENT].contact || answers[side].time < answers[DENT].time - time_slack);
    }
}

/* The second body stands still in the middle of its way, as it is turned at the start. */
void stop_second(motion_case_pose poses[2][2])
{
    for (int k = 0; k < 3; k++) {
        poses[1][0].translation[k] = (poses[1][0].translation[k] + poses[1][1].translation[k]) / 2;
    }
    poses[1][1] = poses[1][0];
}

Row run_kind(Stage &stage, int kind, bool both_move, uint32_t queries, uint32_t rounds)
{
    Row row = {};
    motion_case_pose first[2][2];
    motion_case_poses(kind, 0, first);
    stage.ask(DENT, first); /* hierarchies are built before, as FCL's are */
    std::vector<double> least(size_t(queries) * SIDES, 1e300);
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t number = 0; number < queries; number++) {
            motion_case_pose poses[2][2];
            Answer answers[SIDES];
            motion_case_poses(kind, number, poses);
            if (!both_move) {
                stop_second(poses);
            }
            for (uint32_t turn = 0; turn < SIDES; turn++) { /* everybody comes first in turn */
                uint32_t side = (turn + round + number) % SIDES;
                double began = processor_us();
                answers[side] = stage.ask(int(side), poses);
                double took = processor_us() - began;
                least[SIDES * number + side] = std::min(least[SIDES * number + side], took);
            }
            if (round == 0) {
                judge(stage, poses, answers, row);
            }
        }
    }
    for (uint32_t i = 0; i < queries * SIDES; i++) {
        row.us[i % SIDES] += least[i] / queries;
    }
    return row;
}

} // namespace

static void print_row(const Stage &stage, int kind, bool both, uint32_t queries, const Row &row)
{
    double best = 0;
    for (int side = RSS; side < SIDES; side++) {
        bool correct = row.missed[side] + row.late[side] == 0;
        best = correct && (best == 0 || row.us[side] < best) ? row.us[side] : best;
    }
    printf("%u,%s,%s,%u,%u", stage.triangle_count(), motion_case_name(kind), both ? "both" : "one", queries,
           row.contacts);
    for (int side = 0; side < SIDES; side++) {
        printf(",%.2f", row.us[side]);
    }
    printf(",%.2f", best / row.us[DENT]);
    for (int side = RSS; side < SIDES; side++) {
        printf(",%u,%u,%u", row.missed[side], row.late[side], row.early[side]);
    }
    printf(",%u\n", row.wrong);
    fflush(stdout);
}

int main(int count, char **words)
{
    uint32_t queries = count > 1 ? uint32_t(strtoul(words[1], nullptr, 10)) : 60;
    uint32_t rounds = count > 2 ? uint32_t(strtoul(words[2], nullptr, 10)) : 2;
    std::vector<uint32_t> sizes = {100, 10000, 100000};
    if (count > 3) {
        sizes = {uint32_t(strtoul(words[3], nullptr, 10))};
    }
    if (queries == 0 || rounds == 0 || sizes[0] == 0) {
        fail("usage: bench_motion_fcl [queries [rounds [triangles]]]");
    }
    printf("triangles,case,moving,queries,contacts");
    for (int side = 0; side < SIDES; side++) {
        printf(",%s_us", side_names[side]);
    }
    printf(",ratio");
    for (int side = RSS; side < SIDES; side++) {
        printf(",%s_missed,%s_late,%s_early", side_names[side], side_names[side], side_names[side]);
    }
    printf(",dent_wrong\n");
    for (uint32_t size : sizes) {
        Stage stage(size);
        uint32_t number = std::max(1u, queries / (size >= 100000 ? 12 : size >= 10000 ? 3 : 1));
        for (int i = 0; i < 2 * MOTION_CASE_KINDS; i++) {
            bool both = i % 2 == 0;
            print_row(stage, i / 2, both, number, run_kind(stage, i / 2, both, number, rounds));
        }
    }
    return 0;
}
