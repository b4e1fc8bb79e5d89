/* Rays: the first surface face that a segment meets (dent/lookup.h).
 *
 * A ray is a vertex that moves from its start to its end past faces at rest. So the exact impact test decides what is
 * met and when, and nothing here has a tolerance. The rest only keeps its work small: the ray, cut to the box of the
 * world, goes down the trees, nearest entry first, as far as entries come no later than the first hit. In a leaf the
 * filter of lookup_kernels.h leaves the faces that its line may meet.
 *
 * Cutting. In rounded coordinates kept as doubles, o = map(start), q = map(end) with errors below 2^-52 (|o| + |q|). The
 * part of the segment within [-1.001, 1.001]^3, widened by 2^-40 (|o| + |q|), is kept; no true part in the world is lost.
 * Its ends have errors below 2^-49 (|o| + |q|). `slack` covers them and the float roundings (lookup_kernels.h). Rays so
 * long that 2^-49 (|o| + |q|) exceeds 2^-26 are not filtered by faces, and their times not used.
 */
#include "query/lookup/lookup_search.h"

#include <math.h>

#include "geometry/impact/impact_test.h"
#include "geometry/metric/edge_face_point.h"
#include "geometry/metric/float_boxes.h"

enum { AHEAD = 4 };

struct ray_search {
    struct lookup_search search;
    dent_ray_hit *found;
};

/* One ray on its way. */
struct ray_walk {
    const struct ray_search *rays;
    struct lookup_worker *worker;
    struct impact_vertex moving; /* the ray, for the exact test */
    struct lookup_ray ray;
    double cut_from, cut_length; /* the part that lies in the box of the world, in parameters of the ray */
    bool misses_world;
    struct impact_result best;
    uint32_t body_index, face;
    float limit; /* entries after it are of no interest, in parameters of the cut ray */
};

dent_ray_def dent_ray_def_default(void)
{
    dent_ray_def def = {0};
    def.struct_size = sizeof def;
    def.mask = UINT32_MAX;
    return def;
}

/* ---- the exact test ---------------------------------------------------------------------------------------------- */

static void set_limit(struct ray_walk *walk)
{
    if (walk->ray.filter && walk->face != DENT_LOOKUP_NONE) {
        double at = (walk->best.toi - walk->cut_from) / walk->cut_length + 0x1p-20;
        walk->limit = at < 1 ? float_above(at, at) : walk->limit;
    }
}

static void test_face(struct ray_walk *walk, uint32_t body_index, uint32_t face)
{
    const double *corners[3];
    struct impact_vertex vertices[3];
    struct impact_result result;
    lookup_corners(&walk->rays->search, body_index, face, corners);
    for (int k = 0; k < 3; k++) {
        memcpy(vertices[k].start, corners[k], sizeof vertices[k].start);
        memcpy(vertices[k].end, corners[k], sizeof vertices[k].end);
    }
    const struct impact_vertex *const four[4] = {&walk->moving, &vertices[0], &vertices[1], &vertices[2]};
    walk->worker->candidates++;
    impact_test(IMPACT_VERTEX_FACE, four, walk->best.toi, &result);
    walk->worker->out_of_memory |= result.answer == IMPACT_ERROR; /* the numbers are finite */
    if (result.answer != IMPACT_HIT) {
        return;
    }
    bool better = walk->face == DENT_LOOKUP_NONE || result.toi < walk->best.toi;
    if (!better && result.toi == walk->best.toi) {
        better = body_index < walk->body_index || (body_index == walk->body_index && face < walk->face);
    }
    if (better) {
        walk->best = result;
        walk->body_index = body_index;
        walk->face = face;
        set_limit(walk);
    }
}

/* ---- cutting ----------------------------------------------------------------------------------------------------- */

/* The parameters at which from + t step is in the cube [-half, half]^3, within [0, 1]; false: none. */
static bool cut_to_cube(const double from[3], const double step[3], double half, double *first, double *last)
{
    *first = 0;
    *last = 1;
    for (int axis = 0; axis < 3; axis++) {
        if (step[axis] == 0) {
            if (fabs(from[axis]) > half) {
                return false;
            }
            continue;
        }
        double inverse = 1 / step[axis], a = (-half - from[axis]) * inverse, b = (half - from[axis]) * inverse;
        double enter = a < b ? a : b, leave = a < b ? b : a;
        *first = enter > *first ? enter : *first;
        *last = leave < *last ? leave : *last;
    }
    return *first <= *last;
}

static void set_ray(struct lookup_ray *ray, const double from[3], const double step[3], double slack)
{
    for (int axis = 0; axis < 3; axis++) {
        float tiny = 0x1p-60f, rounded = (float)step[axis];
        ray->from[axis] = (float)from[axis];
        ray->step[axis] = fabsf(rounded) < tiny ? copysignf(tiny, rounded) : rounded;
        ray->inverse[axis] = 1.0f / ray->step[axis];
        ray->from_lo[axis] = float_above(from[axis] + slack, from[axis] + slack);
        ray->from_hi[axis] = float_below(from[axis] - slack, from[axis] - slack);
    }
}

/* Everything is met: for rays beyond what doubles can place in rounded coordinates. */
static void set_endless_ray(struct ray_walk *walk)
{
    static const double nothing[3] = {0, 0, 0};
    set_ray(&walk->ray, nothing, nothing, 4);
    walk->ray.filter = false;
    walk->limit = 1;
}

static void begin_walk(struct ray_walk *walk, const double start[3], const double end[3])
{
    const struct forest_map *map = &walk->rays->search.forest->map;
    double from[3], step[3], largest = 0, first, last;
    memcpy(walk->moving.start, start, sizeof walk->moving.start);
    memcpy(walk->moving.end, end, sizeof walk->moving.end);
    walk->best = (struct impact_result){.answer = IMPACT_FREE, .toi = 1};
    walk->body_index = walk->face = DENT_LOOKUP_NONE;
    walk->misses_world = false;
    walk->limit = 1;
    for (int axis = 0; axis < 3; axis++) {
        from[axis] = (start[axis] - map->centre[axis]) * map->first * map->second;
        double to = (end[axis] - map->centre[axis]) * map->first * map->second;
        step[axis] = to - from[axis];
        double more = fabs(from[axis]) > fabs(to) ? fabs(from[axis]) : fabs(to);
        largest = more > largest || isnan(more) ? more : largest;
    }
    if (!(largest < 0x1p40)) { /* NaN: infinite differences */
        set_endless_ray(walk);
        return;
    }
    walk->misses_world = !cut_to_cube(from, step, 1.001 + 0x1p-39 * largest, &first, &last);
    if (walk->misses_world) {
        return;
    }
    walk->cut_from = first;
    walk->cut_length = last - first;
    for (int axis = 0; axis < 3; axis++) {
        from[axis] += first * step[axis];
        step[axis] *= last - first;
    }
    /* Coordinates are below 1.002, steps below 2.004, unless the ray is so long that nothing is filtered. */
    walk->ray.filter = 0x1p-48 * largest < 0x1p-26 && walk->cut_length > 0;
    set_ray(&walk->ray, from, step, 0x1p-20 + 0x1p-38 * largest);
}

/* ---- trees ------------------------------------------------------------------------------------------------------- */

static void visit_leaf(struct ray_walk *walk, uint32_t body_index, uint32_t leaf_index)
{
    const struct surface_tree *tree = walk->rays->search.forest->bodies[body_index].tree;
    const struct leaf_points *points = &tree->points[leaf_index];
    uint32_t bits = (1u << points->face_count) - 1;
    if (walk->ray.filter) {
        bits &= walk->rays->search.kernels->ray_faces(points, &walk->ray);
    }
    for (; bits; bits &= bits - 1) {
        test_face(walk, body_index, tree->leaves[leaf_index].faces[__builtin_ctz(bits)]);
    }
}

static void visit_body(struct ray_walk *walk, uint32_t body_index)
{
    const struct lookup_search *search = &walk->rays->search;
    const struct surface_tree *tree = search->forest->bodies[body_index].tree;
    struct lookup_node stack[LOOKUP_STACK];
    uint32_t depth = 0;
    stack[depth++] = (struct lookup_node){0, tree->level_count, 0};
    while (depth > 0) {
        struct lookup_node top = stack[--depth];
        if (top.key > walk->limit) {
            continue;
        }
        if (top.level == 0) {
            visit_leaf(walk, body_index, top.node);
            continue;
        }
        const struct tree_level *level = &tree->levels[top.level - 1];
        uint32_t first = top.node * LEAF_TREE_ARITY;
        float entry[16];
        uint32_t bits = search->kernels->ray_boxes(level->lo, level->hi, first, &walk->ray, walk->limit, entry);
        walk->worker->box_tests += LEAF_TREE_ARITY;
        depth = lookup_push(stack, depth, top.level - 1, first, bits & lookup_nodes(level, first), entry);
    }
}

/* The body that is entered first, then the others. */
static void visit_bodies(struct ray_walk *walk)
{
    const struct lookup_search *search = &walk->rays->search;
    float *keys = walk->worker->keys;
    uint32_t nearest = 0;
    for (uint32_t first = 0; first < search->slot_count; first += 16) {
        uint32_t bits =
            search->kernels->ray_boxes(search->lo, search->hi, first, &walk->ray, walk->limit, keys + first);
        for (uint32_t i = 0; i < 16; i++) {
            keys[first + i] = bits >> i & 1 ? keys[first + i] : INFINITY;
        }
    }
    walk->worker->box_tests += search->slot_count;
    for (uint32_t slot = 1; slot < search->slot_count; slot++) {
        nearest = keys[slot] < keys[nearest] ? slot : nearest;
    }
    for (uint32_t i = 0; i < search->slot_count; i++) {
        uint32_t slot = i == 0 ? nearest : i <= nearest ? i - 1 : i;
        if (keys[slot] <= walk->limit) {
            visit_body(walk, search->bodies[slot]);
        }
    }
}

static void try_every_face(struct ray_walk *walk)
{
    const struct lookup_search *search = &walk->rays->search;
    for (uint32_t slot = 0; slot < search->slot_count; slot++) {
        uint32_t body_index = search->bodies[slot], count = search->snapshot->bodies[body_index].body->surface_face_count;
        for (uint32_t face = 0; face < count; face++) {
            test_face(walk, body_index, face);
        }
    }
}

/* ---- rays -------------------------------------------------------------------------------------------------------- */

/* Halves first: the difference of two finite doubles may overflow. */
static double point_between(double start, double end, double time)
{
    double step = end - start;
    return isfinite(step) ? start + time * step : 2 * (start / 2 + time * (end / 2 - start / 2));
}

static void describe(const struct ray_walk *walk, dent_ray_hit *hit)
{
    *hit = (dent_ray_hit){.time = 1, .body = DENT_LOOKUP_NONE, .face = DENT_LOOKUP_NONE};
    memcpy(hit->point, walk->moving.end, sizeof hit->point);
    if (walk->face == DENT_LOOKUP_NONE) {
        return;
    }
    hit->time = walk->best.toi;
    hit->body = walk->body_index;
    hit->face = walk->face;
    hit->weights[0] = 1 - walk->best.u - walk->best.v;
    hit->weights[0] = hit->weights[0] > 0 ? hit->weights[0] : 0;
    hit->weights[1] = walk->best.u;
    hit->weights[2] = walk->best.v;
    memcpy(hit->normal, walk->best.normal, sizeof hit->normal);
    for (int axis = 0; axis < 3; axis++) {
        hit->point[axis] = hit->time < 1 ? point_between(walk->moving.start[axis], walk->moving.end[axis], hit->time)
                                         : walk->moving.end[axis];
    }
}

static void cast_rays(struct lookup_search *search, struct lookup_worker *worker, uint32_t first, uint32_t end)
{
    struct ray_search *rays = (struct ray_search *)search; /* its first field */
    struct ray_walk walk = {.rays = rays, .worker = worker};
    for (uint32_t number = first; number < end; number++) {
        uint32_t i = lookup_query(search, number);
        if (number + AHEAD < end) { /* sorted queries lie anywhere in memory */
            uint32_t later = lookup_query(search, number + AHEAD);
            __builtin_prefetch(search->from[later]);
            __builtin_prefetch(search->to[later]);
            __builtin_prefetch(&rays->found[later]);
        }
        begin_walk(&walk, search->from[i], search->to[i]);
        if (search->brute_force) {
            try_every_face(&walk);
        } else if (!walk.misses_world) {
            visit_bodies(&walk);
        }
        describe(&walk, &rays->found[i]);
    }
}

/* ---- the stages -------------------------------------------------------------------------------------------------- */

static void init_state(dent_context *context, void *state)
{
    array_init(state, context, sizeof(dent_ray_hit));
}

static void destroy_state(dent_context *context, void *state)
{
    (void)context;
    array_destroy(state);
}

static const struct world_slot_kind ray_slot = {sizeof(struct dynamic_array), init_state, destroy_state};

static dent_status check_def(dent_world *world, const void *data)
{
    const dent_ray_def *def = data;
    dent_status status = lookup_check_positions(world, &def->starts, def->count, "the start of ray");
    status = status == DENT_OK ? lookup_check_positions(world, &def->ends, def->count, "the end of ray") : status;
    return status == DENT_OK ? lookup_check_method(world, def->method) : status;
}

static dent_status prepare(struct question_call *call)
{
    const dent_ray_def *def = call->def;
    struct ray_search *rays = call->run;
    struct lookup_search *search = &rays->search;
    struct dynamic_array *found = call->kept;
    dent_status status = lookup_prepare(call, search, def->method, def->mask);
    if (status == DENT_OK) {
        status = lookup_read(search, &def->starts, def->count, "the start of ray", &search->from);
    }
    if (status == DENT_OK) {
        status = lookup_read(search, &def->ends, def->count, "the end of ray", &search->to);
    }
    array_clear(found);
    if (status == DENT_OK && !(rays->found = array_extend(found, def->count))) {
        status = question_out_of_memory(call);
    }
    search->query_count = def->count;
    return status;
}

static dent_status search_faces(struct question_call *call)
{
    return lookup_run(call->run, cast_rays);
}

static dent_status finish(struct question_call *call)
{
    const struct ray_search *rays = call->run;
    dent_ray_result *result = call->result;
    bool stopped = cancel_requested(&call->cancel);
    result->outcome = stopped ? DENT_OUTCOME_CANCELLED : DENT_OUTCOME_COMPLETE;
    result->hits = stopped ? NULL : rays->found;
    result->count = stopped ? 0 : rays->search.query_count;
    return DENT_OK;
}

static void count(struct question_call *call)
{
    lookup_count(call->run, &((dent_ray_result *)call->result)->counters);
}

static const struct question_stages ray_stages = {
    .name = "rays",
    .def_name = "ray",
    .def_maker = "dent_ray_def_default",
    .def_size = sizeof(dent_ray_def),
    .result_size = sizeof(dent_ray_result),
    .run_size = sizeof(struct ray_search),
    .cancel_offset = offsetof(dent_ray_def, cancel),
    .reads = READS_START,
    .takes_thin = true,
    .kept = &ray_slot,
    .check = check_def,
    .prepare = prepare,
    .search = search_faces,
    .finish = finish,
    .count = count,
};

dent_status dent_world_cast_rays(dent_world *world, const dent_ray_def *def, dent_ray_result *result)
{
    QUESTION_REQUIRE(world, def, result);
    return question_ask(world, &ray_stages, def, result);
}
