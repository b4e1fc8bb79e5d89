/* Worlds of the workers, and edge tests on them. See plan_edges.h. */
#include "plan/plan_edges.h"

#include <math.h>
#include <string.h>

static dent_status out_of_memory(const struct plan_tester *tester)
{
    return dent_fail(tester->context, DENT_ERROR_OUT_OF_MEMORY, "out of memory for a planner");
}

/* ---- pairs that are not tested ----------------------------------------------------------------------------------- */

/* A free joint leaves its link where it likes: what it joins may collide. */
static bool has_free_joint(const struct plan_space *space, uint32_t link_a, uint32_t link_b)
{
    uint32_t ends[2] = {link_a, link_b};
    for (int i = 0; i < 2; i++) {
        uint32_t j = space->joint_of_link[ends[i]];
        const dent_joint_def *joint = j != DENT_JOINT_NONE ? dent_linkage_joint(space->linkage, j) : NULL;
        if (joint && joint->kind == DENT_JOINT_FREE && joint->parent == ends[1 - i]) {
            return true;
        }
    }
    return false;
}

static bool is_allowed(const struct plan_tester *tester, const dent_planner_def *def, uint32_t a, uint32_t b)
{
    uint32_t link_a = tester->bodies[a].link, link_b = tester->bodies[b].link;
    if (link_a != DENT_PLAN_OBSTACLE && link_b != DENT_PLAN_OBSTACLE &&
        dent_linkage_neighbours(tester->space->linkage, link_a, link_b) &&
        !has_free_joint(tester->space, link_a, link_b)) {
        return true;
    }
    for (uint32_t i = 0; i < def->allowed_count; i++) {
        const dent_plan_pair *pair = &def->allowed[i];
        if ((pair->body_a == a && pair->body_b == b) || (pair->body_a == b && pair->body_b == a)) {
            return true;
        }
    }
    return link_a == DENT_PLAN_OBSTACLE && link_b == DENT_PLAN_OBSTACLE;
}

static dent_status list_pairs(struct plan_tester *tester, const dent_planner_def *def)
{
    uint32_t count = 0;
    for (int round = 0; round < 2; round++) {
        count = 0;
        for (uint32_t a = 0; a < tester->body_count; a++) {
            for (uint32_t b = a + 1; b < tester->body_count; b++) {
                bool obstacles =
                    tester->bodies[a].link == DENT_PLAN_OBSTACLE && tester->bodies[b].link == DENT_PLAN_OBSTACLE;
                if (!obstacles && is_allowed(tester, def, a, b)) {
                    if (round) {
                        tester->pairs[count] = (dent_plan_pair){a, b};
                    }
                    count++;
                }
            }
        }
        if (!round) {
            tester->pairs = dent_allocate(tester->context, count, sizeof *tester->pairs);
            tester->excluded_count = tester->pairs ? count : 0;
            if (!tester->pairs) {
                return out_of_memory(tester);
            }
        }
    }
    return DENT_OK;
}

/* ---- workers ----------------------------------------------------------------------------------------------------- */

static void *allocate(void *user, size_t size, size_t alignment)
{
    (void)alignment; /* at most 64, as dent_allocate aligns */
    return dent_allocate(user, 1, size);
}

static void release(void *user, void *block, size_t size)
{
    dent_release(user, block, 1, size);
}

/* Its loops run in place: the planner's workers are busy with other edges. */
static dent_status make_context(struct plan_tester *tester, struct plan_worker *worker_state)
{
    dent_context_def def = dent_context_def_default();
    def.allocator = (dent_allocator){allocate, release, tester->context};
    def.thread_count = 1;
    def.isa = dent_context_isa(tester->context);
    worker_state->context = dent_context_create(&def, NULL);
    return worker_state->context ? DENT_OK : out_of_memory(tester);
}

static dent_status add_bodies(struct plan_tester *tester, struct plan_worker *worker_state)
{
    for (uint32_t i = 0; i < tester->body_count; i++) {
        dent_motion_body *body = &worker_state->bodies[i];
        uint32_t link = tester->bodies[i].link;
        dent_status status = dent_world_add_body(worker_state->world, &tester->bodies[i].shape, &body->body);
        if (status != DENT_OK) {
            return dent_fail(tester->context, status, "%s", dent_world_message(worker_state->world));
        }
        body->frame =
            link == DENT_PLAN_OBSTACLE ? DENT_FRAME_WORLD : dent_linkage_frame_of(tester->space->linkage, link);
    }
    for (uint32_t i = 0; i < tester->excluded_count; i++) {
        worker_state->excluded[i] = (dent_excluded_pair){worker_state->bodies[tester->pairs[i].body_a].body,
                                                         worker_state->bodies[tester->pairs[i].body_b].body};
    }
    return DENT_OK;
}

static dent_status make_worker(struct plan_tester *tester, struct plan_worker *worker_state)
{
    uint32_t links = tester->space->link_count;
    dent_status status = make_context(tester, worker_state);
    if (status != DENT_OK) {
        return status;
    }
    worker_state->world = dent_world_create(worker_state->context);
    worker_state->bodies = dent_allocate(tester->context, tester->body_count, sizeof *worker_state->bodies);
    worker_state->excluded = dent_allocate(tester->context, tester->excluded_count, sizeof *worker_state->excluded);
    worker_state->frames = dent_allocate(tester->context, links, sizeof *worker_state->frames);
    worker_state->poses = dent_allocate(tester->context, links, sizeof *worker_state->poses);
    if (!worker_state->world || !worker_state->bodies || !worker_state->excluded || !worker_state->frames ||
        !worker_state->poses) {
        return out_of_memory(tester);
    }
    return add_bodies(tester, worker_state);
}

dent_status plan_tester_create(struct plan_tester *tester, const dent_planner_def *def)
{
    dent_status status = list_pairs(tester, def);
    if (status != DENT_OK) {
        return status;
    }
    uint32_t count = dent_context_worker_count(tester->context);
    count = count < PLAN_BATCH ? count : PLAN_BATCH;
    tester->workers = dent_allocate(tester->context, count, sizeof *tester->workers);
    if (!tester->workers) {
        return out_of_memory(tester);
    }
    memset(tester->workers, 0, count * sizeof *tester->workers);
    tester->worker_count = count;
    for (uint32_t i = 0; i < count && status == DENT_OK; i++) {
        status = make_worker(tester, &tester->workers[i]);
    }
    return status;
}

void plan_tester_destroy(struct plan_tester *tester)
{
    dent_context *context = tester->context;
    uint32_t links = tester->space->link_count;
    for (uint32_t i = 0; i < tester->worker_count; i++) {
        struct plan_worker *worker_state = &tester->workers[i];
        dent_world_destroy(worker_state->world);
        dent_context_destroy(worker_state->context);
        dent_release(context, worker_state->bodies, tester->body_count, sizeof *worker_state->bodies);
        dent_release(context, worker_state->excluded, tester->excluded_count, sizeof *worker_state->excluded);
        dent_release(context, worker_state->frames, links, sizeof *worker_state->frames);
        dent_release(context, worker_state->poses, links, sizeof *worker_state->poses);
    }
    dent_world_destroy(tester->check_world);
    dent_release(context, tester->placed, tester->placed_count, 3 * sizeof *tester->placed);
    dent_release(context, tester->workers, tester->worker_count, sizeof *tester->workers);
    dent_release(context, tester->pairs, tester->excluded_count, sizeof *tester->pairs);
}

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

static void to_local(const dent_pose *pose, const double world[3], double local[3], bool is_direction)
{
    double m[16];
    dent_pose inverse = dent_pose_inverse(pose);
    dent_pose_to_matrix(&inverse, m);
    for (int k = 0; k < 3; k++) {
        local[k] = ((m[4 * k] * world[0] + m[4 * k + 1] * world[1]) + m[4 * k + 2] * world[2]) +
                   (is_direction ? 0 : m[4 * k + 3]);
    }
}

static void to_world(const dent_pose *pose, const double local[3], double world[3], bool is_direction)
{
    double m[16];
    dent_pose_to_matrix(pose, m);
    for (int k = 0; k < 3; k++) {
        world[k] = ((m[4 * k] * local[0] + m[4 * k + 1] * local[1]) + m[4 * k + 2] * local[2]) +
                   (is_direction ? 0 : m[4 * k + 3]);
    }
}

void plan_contact_place(const struct plan_space *space, const struct plan_contact *contact, double point_a[3],
                        double point_b[3], double normal[3])
{
    dent_pose identity = dent_pose_identity();
    const dent_pose *a = contact->link_a == DENT_PLAN_OBSTACLE ? &identity : &space->poses[contact->link_a];
    const dent_pose *b = contact->link_b == DENT_PLAN_OBSTACLE ? &identity : &space->poses[contact->link_b];
    to_world(a, contact->point_a, point_a, false);
    to_world(b, contact->point_b, point_b, false);
    to_world(b, contact->normal, normal, true);
}

/* How different two contacts are: the distance of their points, and of their normals, in units of a size. */
static double difference(const dent_motion_contact *a, const dent_motion_contact *b, double size)
{
    double points = 0, normals = 0;
    for (int k = 0; k < 3; k++) {
        points += (a->point_a[k] - b->point_a[k]) * (a->point_a[k] - b->point_a[k]);
        normals += (a->normal[k] - b->normal[k]) * (a->normal[k] - b->normal[k]);
    }
    return sqrt(points) / size + sqrt(normals);
}

/* Of many contacts those that differ most: the first is the nearest, each next the one least like those before. */
static void choose_contacts(const dent_motion_impact_result *result, struct plan_edge *edge, uint32_t *chosen)
{
    double size = 0;
    uint64_t nearest = 0;
    for (uint64_t i = 1; i < result->contact_count; i++) {
        const dent_motion_contact *contact = &result->contacts[i];
        nearest = contact->separation < result->contacts[nearest].separation ? i : nearest;
        for (int k = 0; k < 3; k++) {
            size = fmax(size, fabs(contact->point_a[k] - result->contacts[0].point_a[k]));
        }
    }
    size = size > 0 ? size : 1;
    chosen[0] = (uint32_t)nearest;
    edge->contact_count = 1;
    while (edge->contact_count < PLAN_CONTACTS) {
        double best = 1e-3;
        uint64_t found = UINT64_MAX;
        for (uint64_t i = 0; i < result->contact_count; i++) {
            double least = INFINITY;
            for (uint32_t c = 0; c < edge->contact_count; c++) {
                least = fmin(least, difference(&result->contacts[i], &result->contacts[chosen[c]], size));
            }
            if (least > best) {
                best = least;
                found = i;
            }
        }
        if (found == UINT64_MAX) {
            return;
        }
        chosen[edge->contact_count++] = (uint32_t)found;
    }
}

static void keep_contacts(const struct plan_tester *tester, struct plan_worker *worker_state,
                          const dent_motion_impact_result *result, struct plan_edge *edge)
{
    uint32_t chosen[PLAN_CONTACTS];
    if (result->contact_count == 0 || result->contact_count > UINT32_MAX) {
        return;
    }
    choose_contacts(result, edge, chosen);
    dent_pose identity = dent_pose_identity();
    for (uint32_t i = 0; i < edge->contact_count; i++) {
        const dent_motion_contact *contact = &result->contacts[chosen[i]];
        struct plan_contact *kept = &edge->contacts[i];
        kept->link_a = tester->bodies[contact->body_a].link;
        kept->link_b = tester->bodies[contact->body_b].link;
        dent_pose pose_a = identity, pose_b = identity;
        if (kept->link_a != DENT_PLAN_OBSTACLE) {
            pose_a =
                dent_motion_frame_at(worker_state->frames, worker_state->bodies[contact->body_a].frame, result->t_lo);
        }
        if (kept->link_b != DENT_PLAN_OBSTACLE) {
            pose_b =
                dent_motion_frame_at(worker_state->frames, worker_state->bodies[contact->body_b].frame, result->t_lo);
        }
        to_local(&pose_a, contact->point_a, kept->point_a, false);
        to_local(&pose_b, contact->point_b, kept->point_b, false);
        to_local(&pose_b, contact->normal, kept->normal, true);
    }
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */

static dent_status test_edge(const struct plan_tester *tester, struct plan_worker *worker_state, struct plan_edge *edge)
{
    const struct plan_space *space = tester->space;
    dent_motion base = dent_motion_stationary(&space->base);
    dent_status status = dent_linkage_motion(space->linkage, &base, edge->from, edge->to, 0, worker_state->frames);
    if (status != DENT_OK) {
        return status; /* the linkage's context, which is the caller's, has the message */
    }
    dent_motion_impact_def def = dent_motion_impact_def_default();
    dent_motion_impact_result result;
    def.frames = worker_state->frames;
    def.frame_count = space->link_count;
    def.bodies = worker_state->bodies;
    def.body_count = tester->body_count;
    def.excluded = worker_state->excluded;
    def.excluded_count = tester->excluded_count;
    def.tolerance = edge->tolerance;
    def.work_limit = tester->work_limit;
    def.no_contacts = !edge->wants_contacts;
    status = dent_world_motion_impact(worker_state->world, &def, &result);
    if (status != DENT_OK) {
        return dent_fail(tester->context, status, "%s", dent_world_message(worker_state->world));
    }
    edge->verdict = result.verdict;
    edge->t = result.t_lo;
    edge->body_a = result.body_a;
    edge->body_b = result.body_b;
    edge->contact_count = 0;
    if (edge->wants_contacts) {
        keep_contacts(tester, worker_state, &result, edge);
    }
    return DENT_OK;
}

struct edge_batch {
    struct plan_tester *tester;
    struct plan_edge *edges;
    uint32_t count, stride;
};

/* A block takes every stride-th edge, so that a worker above PLAN_BATCH never needs a world. */
static void test_block(void *data, uint32_t block, uint32_t worker)
{
    const struct edge_batch *batch = data;
    (void)worker;
    for (uint32_t i = block; i < batch->count; i += batch->stride) {
        batch->edges[i].status = test_edge(batch->tester, &batch->tester->workers[block], &batch->edges[i]);
    }
}

dent_status plan_test_edges(struct plan_tester *tester, struct plan_edge *edges, uint32_t count)
{
    uint32_t stride = count < tester->worker_count ? count : tester->worker_count;
    struct edge_batch batch = {tester, edges, count, stride};
    dent_status status = dent_parallel_for(tester->context, stride, test_block, &batch);
    for (uint32_t i = 0; i < count && status == DENT_OK; i++) {
        status = edges[i].status;
    }
    return status;
}

/* ---- overlap ----------------------------------------------------------------------------------------------------- */

static bool is_excluded(const struct plan_tester *tester, uint32_t a, uint32_t b)
{
    if (tester->bodies[a].link == DENT_PLAN_OBSTACLE && tester->bodies[b].link == DENT_PLAN_OBSTACLE) {
        return true;
    }
    for (uint32_t i = 0; i < tester->excluded_count; i++) {
        if (tester->pairs[i].body_a == a && tester->pairs[i].body_b == b) { /* both ascending */
            return true;
        }
    }
    return false;
}

static void place_positions(const dent_plan_body *body, const dent_pose *pose, double *placed)
{
    const dent_positions *positions = &body->shape.positions_t0;
    bool doubles = positions->scalar == DENT_SCALAR_DOUBLE;
    size_t stride = positions->stride ? positions->stride : 3 * (doubles ? sizeof(double) : sizeof(float));
    for (size_t v = 0; v < body->shape.vertex_count; v++) {
        const void *vertex = (const char *)positions->data + v * stride;
        double point[3];
        for (int k = 0; k < 3; k++) {
            point[k] = doubles ? ((const double *)vertex)[k] : (double)((const float *)vertex)[k];
        }
        to_world(pose, point, placed + 3 * v, false);
    }
}

static size_t moving_vertices(const struct plan_tester *tester)
{
    size_t count = 0;
    for (uint32_t i = 0; i < tester->body_count; i++) {
        count += tester->bodies[i].link == DENT_PLAN_OBSTACLE ? 0 : tester->bodies[i].shape.vertex_count;
    }
    return count;
}

/* Pairs that are not tested need not be found: neighbours overlap where they are joined, obstacles where they like. A
 * group for each moving body and one for all obstacles, unless there are more than 31, or the caller filters. */
static bool can_filter(const struct plan_tester *tester)
{
    uint32_t moving = 0;
    bool plain = true;
    for (uint32_t i = 0; i < tester->body_count; i++) {
        const dent_body_def *shape = &tester->bodies[i].shape;
        moving += tester->bodies[i].link != DENT_PLAN_OBSTACLE;
        plain = plain && shape->collision_group == 1 && shape->collision_mask == UINT32_MAX;
    }
    return plain && moving <= 31;
}

static void filter_pairs(const struct plan_tester *tester, uint32_t body, dent_body_def *shape)
{
    uint32_t next = 0;
    shape->collision_group = UINT32_C(1) << 31;
    for (uint32_t i = 0; i < tester->body_count; i++) {
        bool moves = tester->bodies[i].link != DENT_PLAN_OBSTACLE;
        uint32_t group = UINT32_C(1) << (moves ? next : 31);
        shape->collision_group = i == body ? group : shape->collision_group;
        if (moves && i != body && is_excluded(tester, i < body ? i : body, i < body ? body : i)) {
            shape->collision_mask &= ~group;
        }
        next += moves;
    }
    if (tester->bodies[body].link == DENT_PLAN_OBSTACLE) {
        shape->collision_mask &= ~(UINT32_C(1) << 31);
    }
}

/* The world of the check: made when first needed, with the moving bodies at positions that are overwritten. */
static dent_status make_check_world(struct plan_tester *tester)
{
    dent_world *world = dent_world_create(tester->context);
    size_t count = moving_vertices(tester);
    double *placed = dent_allocate(tester->context, count, 3 * sizeof *placed), *next = placed;
    dent_status status = world && placed ? DENT_OK : out_of_memory(tester);
    bool filters = can_filter(tester);
    for (uint32_t i = 0; i < tester->body_count && status == DENT_OK; i++) {
        dent_body_def shape = tester->bodies[i].shape;
        dent_body_id id;
        if (filters) {
            filter_pairs(tester, i, &shape);
        }
        if (tester->bodies[i].link != DENT_PLAN_OBSTACLE) {
            shape.positions_t0 = dent_positions_double(next);
            next += 3 * (size_t)shape.vertex_count;
        }
        status = dent_world_add_body(world, &shape, &id);
        if (status != DENT_OK) {
            status = dent_fail(tester->context, status, "%s", dent_world_message(world));
        }
    }
    if (status != DENT_OK) {
        dent_world_destroy(world);
        dent_release(tester->context, placed, count, 3 * sizeof *placed);
        return status;
    }
    tester->check_world = world;
    tester->placed = placed;
    tester->placed_count = count;
    return DENT_OK;
}

static void place_all(struct plan_tester *tester)
{
    double *next = tester->placed;
    for (uint32_t i = 0; i < tester->body_count; i++) {
        const dent_plan_body *body = &tester->bodies[i];
        if (body->link != DENT_PLAN_OBSTACLE) {
            place_positions(body, &tester->space->poses[body->link], next);
            next += 3 * (size_t)body->shape.vertex_count;
        }
    }
}

dent_status plan_find_overlap(struct plan_tester *tester, const double *values, uint32_t *body_a, uint32_t *body_b)
{
    dent_check_def def = dent_check_def_default();
    dent_check_result result;
    *body_a = *body_b = UINT32_MAX;
    dent_status status = tester->check_world ? DENT_OK : make_check_world(tester);
    status = status == DENT_OK ? plan_space_place(tester->space, values) : status;
    if (status != DENT_OK) {
        return status;
    }
    place_all(tester);
    def.ignore_touching = true;
    status = dent_world_check(tester->check_world, &def, &result);
    if (status != DENT_OK) {
        return dent_fail(tester->context, status, "%s", dent_world_message(tester->check_world));
    }
    for (uint64_t i = 0; i < result.pair_count; i++) {
        const dent_body_contact *pair = &result.pairs[i];
        if (pair->state == DENT_BODY_PAIR_PENETRATING && !is_excluded(tester, pair->body_a, pair->body_b)) {
            *body_a = pair->body_a;
            *body_b = pair->body_b;
            break;
        }
    }
    return DENT_OK;
}
