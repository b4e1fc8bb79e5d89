/* Paths of the kit's UR5e among 20 boxes: random pairs of starts and goals that are free.
 *
 *     bench_plan_robot [pairs] [budget] [samples] [first] [upright|zero]      default 1000 2000 1000 0 upright;
 *                                                                           DENT_DATA names the data kit
 *
 * Starts and goals are drawn within half a turn of every joint about the upright arm until nothing touches. About zero,
 * where the arm lies flat, many pairs have no path at all: the upper arm would have to go through the base, and limits
 * forbid to go round. Prints the share of pairs with a
 * path after that many certified edge tests, the median time, and the median time of one edge test. Every edge of every
 * path is checked again by that many exact checks: the bodies at rounded positions, all pairs that are tested. With
 * `first` that many pairs are skipped, so that parts add up to the whole. One thread.
 */
#include "../tests/support/robot_field.h"
#include "sort_times.h"

#include <dent/plan.h>

enum { BOXES = 20 };

struct checker {
    struct robot_field *field;
    dent_world *world;
    dent_body_id ids[FIELD_LINKS_MAX];
    double *placed[FIELD_LINKS_MAX];
};

static uint32_t list_bodies(const struct robot_field *field, dent_plan_body *bodies)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < field->robot->link_count; i++) {
        const dent_robot_link *link = &field->robot->links[i];
        if (link->triangle_count > 0) {
            dent_plan_body *body = &bodies[count++];
            body->link = i;
            body->shape = dent_surface_def_default();
            body->shape.name = link->name;
            body->shape.vertex_count = link->vertex_count;
            body->shape.element_count = link->triangle_count;
            body->shape.element_corners = link->triangles;
            body->shape.positions_t0 = dent_positions_double(link->positions);
        }
    }
    for (uint32_t i = 0; i < field->box_count; i++) {
        dent_plan_body *body = &bodies[count++];
        body->link = DENT_PLAN_OBSTACLE;
        body->shape = dent_surface_def_default();
        body->shape.name = "box";
        body->shape.vertex_count = 8;
        body->shape.element_count = 12;
        body->shape.element_corners = field_box_triangles[0];
        body->shape.positions_t0 = dent_positions_double(field->boxes[i][0]);
    }
    return count;
}

static bool is_excluded(const struct checker *checker, const dent_plan_body *bodies, uint32_t a, uint32_t b)
{
    uint32_t link_a = bodies[a].link, link_b = bodies[b].link;
    bool obstacle_a = link_a == DENT_PLAN_OBSTACLE, obstacle_b = link_b == DENT_PLAN_OBSTACLE;
    return obstacle_a || obstacle_b ? obstacle_a && obstacle_b
                                    : dent_linkage_neighbours(checker->field->robot->linkage, link_a, link_b);
}

/* A group for each link, one for all boxes. */
static uint32_t group_of(const dent_plan_body *bodies, uint32_t i)
{
    return 1u << (bodies[i].link == DENT_PLAN_OBSTACLE ? 31 : bodies[i].link);
}

/* A world with the links at positions that are overwritten. Pairs that the planner does not test are not checked. */
static bool checker_open(struct checker *checker, struct robot_field *field, const dent_plan_body *bodies,
                         uint32_t count)
{
    memset(checker, 0, sizeof *checker);
    checker->field = field;
    checker->world = dent_world_create(field->context);
    bool good = checker->world != NULL;
    for (uint32_t i = 0; i < count && good; i++) {
        dent_body_def shape = bodies[i].shape;
        dent_body_id id;
        if (bodies[i].link != DENT_PLAN_OBSTACLE) {
            checker->placed[bodies[i].link] = malloc(3 * sizeof(double) * shape.vertex_count);
            shape.positions_t0 = dent_positions_double(checker->placed[bodies[i].link]);
        }
        shape.collision_group = group_of(bodies, i);
        shape.collision_mask = ~0u;
        for (uint32_t k = 0; k < count; k++) {
            shape.collision_mask &= is_excluded(checker, bodies, i, k) ? ~group_of(bodies, k) : ~0u;
        }
        good = dent_world_add_body(checker->world, &shape, &id) == DENT_OK;
    }
    return good;
}

static void checker_close(struct checker *checker)
{
    dent_world_destroy(checker->world);
    for (int i = 0; i < FIELD_LINKS_MAX; i++) {
        free(checker->placed[i]);
    }
}

/* Does something overlap at these joint values? */
static bool overlaps(struct checker *checker, const double *values)
{
    dent_pose poses[FIELD_LINKS_MAX];
    dent_linkage_poses(checker->field->robot->linkage, NULL, values, poses);
    for (uint32_t l = 0; l < checker->field->robot->link_count; l++) {
        const dent_robot_link *link = &checker->field->robot->links[l];
        double m[16];
        dent_pose_to_matrix(&poses[l], m);
        for (uint32_t v = 0; v < link->vertex_count; v++) {
            const double *p = link->positions + 3 * (size_t)v;
            for (int k = 0; k < 3; k++) {
                checker->placed[l][3 * v + (uint32_t)k] =
                    m[4 * k] * p[0] + m[4 * k + 1] * p[1] + m[4 * k + 2] * p[2] + m[4 * k + 3];
            }
        }
    }
    dent_check_def def = dent_check_def_default();
    dent_check_result result;
    def.ignore_touching = true;
    return dent_world_check(checker->world, &def, &result) != DENT_OK || result.outcome != DENT_OUTCOME_COMPLETE ||
           result.pair_count > 0;
}

static uint64_t count_collisions(struct checker *checker, dent_planner *planner, const dent_plan_result *path,
                                 uint32_t values, uint32_t samples)
{
    uint64_t collisions = 0;
    for (uint32_t e = 0; e + 1 < path->waypoint_count; e++) {
        const double *from = path->waypoints + (size_t)e * values, *to = from + values;
        for (uint32_t s = 0; s <= samples && samples > 0; s++) {
            double at[DENT_PLAN_VALUES_MAX];
            dent_planner_edge_at(planner, from, to, (double)s / samples, at);
            collisions += overlaps(checker, at);
        }
    }
    return collisions;
}

/* Upright: shoulder lift and first wrist at minus a quarter of a turn. */
static void draw_values(const struct robot_field *field, dent_random *random, bool upright, double *values)
{
    robot_field_values(field, random, values);
    for (int i = 1; i < 4 && upright; i += 2) {
        values[i] -= 1.5707963267948966;
    }
}

int main(int count, char **words)
{
    const char *kit = getenv("DENT_DATA");
    uint32_t pairs = count > 1 ? (uint32_t)strtoul(words[1], NULL, 10) : 1000;
    uint64_t budget = count > 2 ? strtoull(words[2], NULL, 10) : 2000;
    uint32_t samples = count > 3 ? (uint32_t)strtoul(words[3], NULL, 10) : 1000;
    bool upright = count <= 5 || strcmp(words[5], "zero") != 0;
    uint32_t skipped = count > 4 ? (uint32_t)strtoul(words[4], NULL, 10) : 0;
    dent_context_def context_def = dent_context_def_default();
    context_def.thread_count = 1;
    dent_context *context = dent_context_create(&context_def, NULL);
    struct robot_field *field = malloc(sizeof *field);
    double *times = malloc((pairs + 1) * sizeof *times), *edge_times = malloc((pairs + 1) * sizeof *edge_times);
    if (!kit || !context || !field || !times || !edge_times || pairs == 0 ||
        !robot_field_open(field, context, kit, BOXES)) {
        fprintf(stderr, "usage: bench_plan_robot [pairs] [budget] [samples] [first] [upright|zero]; DENT_DATA names "
                        "the data kit\n");
        return 2;
    }
    dent_plan_body bodies[FIELD_LINKS_MAX + FIELD_BOXES_MAX];
    uint32_t body_count = list_bodies(field, bodies), values = dent_linkage_value_count(field->robot->linkage);
    dent_planner_def def = dent_planner_def_default();
    def.linkage = field->robot->linkage;
    def.bodies = bodies;
    def.body_count = body_count;
    dent_planner *planner = NULL;
    struct checker checker;
    if (dent_planner_create(context, &def, &planner) != DENT_OK || !checker_open(&checker, field, bodies, body_count)) {
        fprintf(stderr, "bench_plan_robot: no planner\n");
        return 2;
    }
    dent_random random = dent_random_seeded(11);
    uint32_t found = 0, edges = 0, direct = 0, to_skip = skipped;
    uint64_t collisions = 0, tests = 0;
    for (uint32_t p = 0; p < pairs;) {
        uint64_t seed = p + skipped - to_skip + 1, own = to_skip > 0 ? 2 : budget; /* two tests: are the ends free? */
        double from[FIELD_VALUES_MAX], to[FIELD_VALUES_MAX];
        dent_plan_result result;
        draw_values(field, &random, upright, from);
        draw_values(field, &random, upright, to);
        if (dent_planner_begin(planner, from, to, seed) != DENT_OK ||
            dent_planner_run(planner, own, NULL, &result) != DENT_OK) {
            fprintf(stderr, "bench_plan_robot: a question failed\n");
            return 2;
        }
        if (result.verdict == DENT_PLAN_START_CONTACT || result.verdict == DENT_PLAN_GOAL_CONTACT) {
            continue;
        }
        if (to_skip > 0) {
            to_skip--;
            continue;
        }
        if (result.verdict == DENT_PLAN_FOUND) {
            times[found++] = 1e-6 * (double)result.ns_to_first;
            edges += result.waypoint_count - 1;
            direct += result.edges_to_first <= 4;
            collisions += count_collisions(&checker, planner, &result, values, samples);
        }
        edge_times[p++] = 1e-3 * (double)result.ns / (double)result.edges;
        tests += result.edges;
    }
    sort_times(times, found);
    sort_times(edge_times, pairs);
    printf("pairs,found,straight,edges,checks_per_edge,collisions,median_ms_to_first,p90_ms_to_first,median_us_per_"
           "edge_test,edge_tests\n");
    printf("%u,%u,%u,%u,%u,%llu,%.1f,%.1f,%.0f,%llu\n", pairs, found, direct, edges, samples,
           (unsigned long long)collisions, times[found / 2], times[found * 9 / 10], edge_times[pairs / 2],
           (unsigned long long)tests);
    checker_close(&checker);
    dent_planner_destroy(planner);
    robot_field_close(field);
    dent_context_destroy(context);
    free(field);
    free(times);
    free(edge_times);
    return collisions > 0;
}
