/* Rays: the first surface face that a segment meets (dent/lookup.h).
 *
 * A ray is a vertex that moves from its start to its end past faces at rest. So the exact impact test decides what is
 * met and when, and nothing here has a tolerance. The rest only keeps its work small: the ray, cut to the box of the
 * world, goes down the trees, nearest entry first, as far as entries come no later than the first hit. In a leaf the
 * filter of lookup_kernels.h leaves the faces that its line may meet; the test of a face at rest decides these and bounds
 * their times. Only times that may be the smallest are computed to the last bit, mostly one for each ray.
 *
 * Cutting. In rounded coordinates kept as doubles, o = map(start), q = map(end) with errors below 2^-52 (|o| + |q|). The
 * part of the segment within [-1.001, 1.001]^3, widened by 2^-40 (|o| + |q|), is kept; no true part in the world is lost.
 * Its ends have errors below 2^-49 (|o| + |q|); its direction comes from end - start, off by 2^-52 of each component.
 * `slack` covers the errors of the ends and the float roundings (lookup_kernels.h). Rays so long that 2^-49 (|o| + |q|)
 * exceeds 2^-26 are not filtered by faces, and their times not used.
 */
#include "query/lookup/lookup_descent.h"

#include <math.h>

#include "geometry/impact/impact_double_kernels.h"
#include "geometry/impact/impact_still_face.h"
#include "geometry/metric/float_boxes.h"

enum { AHEAD = 8, STAGE = 1, RAY_FACES = 8 };

struct ray_room;

struct ray_search {
    struct lookup_search search;
    const struct impact_double_kernels *impact;
    struct ray_room *rooms; /* by worker */
    dent_ray_hit *found;
};

/* A face that is met. */
struct ray_face {
    const double *corners[3];
    uint32_t body_index, face;
    double low, high; /* toi is between them; equal: known */
};

/* One ray on its way. */
struct ray_walk {
    const struct ray_search *rays;
    struct lookup_worker *worker;
    const double *start, *end;
    struct lookup_ray ray;
    double from[3], step[3]; /* what is left after cutting, in rounded coordinates */
    double cut_from, cut_length; /* the part that lies in the box of the world, in parameters of the ray */
    bool misses_world;
    struct ray_face faces[RAY_FACES]; /* those that may be the first */
    uint32_t face_count;
    double latest; /* the first hit comes no later */
    float limit;   /* entries after it are of no interest, in parameters of the cut ray */
    uint32_t query;
    bool on_its_way; /* `leaf` is still to be tested */
    struct lookup_leaf leaf;
    uint32_t bits; /* its faces that the ray may meet */
    struct lookup_descent descent;
};

/* Rays of a block that hit something, described together. */
struct ray_room {
    struct ray_walk walks[LOOKUP_WALKS];
    struct impact_vertex vertices[LOOKUP_BLOCK][4];
    uint32_t rays[LOOKUP_BLOCK];
    struct impact_brackets brackets;
    struct impact_descriptions descriptions;
    double times[LOOKUP_BLOCK + IMPACT_LANES_MAX];
};

dent_ray_def dent_ray_def_default(void)
{
    dent_ray_def def = {0};
    def.struct_size = sizeof def;
    def.mask = UINT32_MAX;
    return def;
}

/* ---- the nearest faces ------------------------------------------------------------------------------------------- */

static void set_limit(struct ray_walk *walk)
{
    if (walk->ray.filter) {
        double at = (walk->latest - walk->cut_from) / walk->cut_length + 0x1p-20;
        walk->limit = at < 1 ? float_above(at, at) : walk->limit;
    }
}

/* The general test: its time is the one reported. False: no contact that matters. */
static bool decide_face(struct ray_walk *walk, struct ray_face *face)
{
    struct impact_result result;
    still_face_decide(walk->start, walk->end, face->corners, walk->latest, &result);
    walk->worker->out_of_memory |= result.answer == IMPACT_ERROR; /* the numbers are finite */
    face->low = face->high = result.toi;
    return result.answer == IMPACT_HIT;
}

static bool is_before(const struct ray_face *a, const struct ray_face *b)
{
    return a->low != b->low                 ? a->low < b->low
           : a->body_index != b->body_index ? a->body_index < b->body_index
                                            : a->face < b->face;
}

/* Leaves only the face that is reported. */
static void choose_face(struct ray_walk *walk)
{
    struct ray_face *best = &walk->faces[0];
    for (uint32_t i = 0; i < walk->face_count; i++) {
        if (walk->faces[i].low < walk->faces[i].high) {
            decide_face(walk, &walk->faces[i]);
        }
        best = is_before(&walk->faces[i], best) ? &walk->faces[i] : best;
    }
    walk->faces[0] = *best;
    walk->face_count = 1;
}

/* Keeps a face whose time may be the smallest. */
static void keep_face(struct ray_walk *walk, const struct ray_face *found)
{
    if (found->low > walk->latest) {
        return;
    }
    if (walk->face_count == RAY_FACES) {
        choose_face(walk);
    }
    if (found->high < walk->latest || walk->face_count == 0) {
        uint32_t kept = 0;
        walk->latest = found->high;
        for (uint32_t i = 0; i < walk->face_count; i++) {
            walk->faces[kept] = walk->faces[i];
            kept += walk->faces[i].low <= walk->latest;
        }
        walk->face_count = kept;
        set_limit(walk);
    }
    walk->faces[walk->face_count++] = *found;
}

static void test_face_of_leaf(struct ray_walk *walk, uint32_t body_index, const struct surface_leaf *leaf,
                              const struct leaf_points *points, uint32_t at)
{
    const double(*xyz)[3] = walk->rays->search.snapshot->bodies[body_index].xyz;
    struct ray_face found = {.body_index = body_index, .face = leaf->faces[at]};
    for (int k = 0; k < 3; k++) {
        found.corners[k] = xyz[leaf->vertices[points->corners[k][at]]];
    }
    walk->worker->candidates++;
    enum still_face_answer answer =
        still_face_test(walk->start, walk->end, found.corners, walk->latest, &found.low, &found.high);
    if (answer == STILL_FACE_HIT || (answer == STILL_FACE_OPEN && decide_face(walk, &found))) {
        keep_face(walk, &found);
    }
}

/* ---- cutting ----------------------------------------------------------------------------------------------------- */

/* inverse: 1 / step. Coordinates are at most 1.001 + `slack`, which is 2^-20 or more: a quarter of it covers that they are
 * rounded. */
static void set_ray(struct lookup_ray *ray, const double from[3], const double step[3], const double inverse[3],
                    double slack)
{
    int along = 0;
    for (int axis = 0; axis < 3; axis++) {
        ray->inverse[axis] = (float)(fabs(step[axis]) < 0x1p-60 ? copysign(0x1p60, step[axis]) : inverse[axis]);
        ray->from_lo[axis] = (float)(from[axis] + 1.25 * slack);
        ray->from_hi[axis] = (float)(from[axis] - 1.25 * slack);
        along = fabs(step[axis]) > fabs(step[along]) ? axis : along;
    }
    ray->filter = ray->filter && fabs(step[along]) > 0x1p-300;
    for (int i = 0; i < 2 && ray->filter; i++) {
        int axis = along == i ? 2 : i;
        ray->axes[i] = (uint8_t)axis;
        ray->shear[i] = (float)(step[axis] * inverse[along]);
    }
    ray->axes[2] = (uint8_t)along;
}

/* Everything is met: for rays beyond what doubles can place in rounded coordinates. */
static void set_endless_ray(struct ray_walk *walk)
{
    static const double nothing[3] = {0, 0, 0};
    walk->ray.filter = false;
    set_ray(&walk->ray, nothing, nothing, nothing, 4);
}

static void begin_walk(struct ray_walk *walk, const double start[3], const double end[3])
{
    const struct forest_map *map = &walk->rays->search.forest->map;
    double inverse[3], largest = 0, first, last;
    walk->start = start;
    walk->end = end;
    walk->face_count = 0;
    walk->latest = 1;
    walk->misses_world = false;
    walk->limit = 1;
    for (int axis = 0; axis < 3; axis++) {
        walk->from[axis] = (start[axis] - map->centre[axis]) * map->first * map->second;
        walk->step[axis] = (end[axis] - start[axis]) * map->first * map->second;
        double to = (end[axis] - map->centre[axis]) * map->first * map->second;
        double more = fabs(walk->from[axis]) > fabs(to) ? fabs(walk->from[axis]) : fabs(to);
        more = fabs(walk->step[axis]) < INFINITY ? more : NAN;
        largest = more > largest || isnan(more) ? more : largest;
        inverse[axis] = 1 / walk->step[axis];
    }
    if (!(largest < 0x1p40)) { /* NaN: infinite differences */
        set_endless_ray(walk);
        return;
    }
    walk->misses_world = !lookup_cut_to_cube(walk->from, walk->step, inverse, 1.001 + 0x1p-39 * largest, &first, &last);
    if (walk->misses_world) {
        return;
    }
    walk->cut_from = first;
    walk->cut_length = last - first;
    double longer = 1 / walk->cut_length; /* not used where it is infinite */
    for (int axis = 0; axis < 3; axis++) {
        walk->from[axis] += first * walk->step[axis];
        walk->step[axis] *= walk->cut_length;
        inverse[axis] *= longer;
    }
    /* Coordinates are below 1.002, steps below 2.004, unless the ray is so long that nothing is filtered. */
    walk->ray.filter = 0x1p-48 * largest < 0x1p-26 && walk->cut_length > 0;
    set_ray(&walk->ray, walk->from, walk->step, inverse, 0x1p-20 + 0x1p-38 * largest);
}

/* ---- trees ------------------------------------------------------------------------------------------------------- */

static uint32_t measure_boxes(const void *data, float *const *lo, float *const *hi, uint32_t first, float keys[16])
{
    const struct ray_walk *walk = data;
    return walk->rays->search.kernels->ray_boxes(lo, hi, first, &walk->ray, walk->limit, keys);
}

/* The leaf that is reached is used a little later. */
DESCENT_INLINE void reach_leaf(struct ray_walk *walk)
{
    const struct surface_tree *tree = walk->rays->search.forest->bodies[walk->leaf.body_index].tree;
    const struct surface_leaf *leaf = &tree->leaves[walk->leaf.leaf];
    __builtin_prefetch(leaf->vertices);
    __builtin_prefetch(leaf->faces);
}

static bool next_leaf(struct ray_walk *walk)
{
    return descent_next(&walk->descent, walk, measure_boxes, &walk->limit, &walk->leaf);
}

/* The faces of the leaf that the ray may meet; they are used a little later. */
static void filter_leaf(struct ray_walk *walk)
{
    const struct surface_tree *tree = walk->rays->search.forest->bodies[walk->leaf.body_index].tree;
    const struct leaf_points *points = &tree->points[walk->leaf.leaf];
    const struct surface_leaf *leaf = &tree->leaves[walk->leaf.leaf];
    const double(*xyz)[3] = walk->rays->search.snapshot->bodies[walk->leaf.body_index].xyz;
    walk->bits = (1u << points->face_count) - 1;
    if (walk->ray.filter) {
        float place[3];
        for (int axis = 0; axis < 3; axis++) {
            place[axis] = (float)(walk->from[axis] + (double)walk->leaf.key * walk->step[axis]);
        }
        walk->bits &= walk->rays->search.kernels->ray_faces(points, &walk->ray, place);
    }
    for (uint32_t bits = walk->bits; bits; bits &= bits - 1) {
        for (int k = 0; k < 3; k++) {
            __builtin_prefetch(xyz[leaf->vertices[points->corners[k][__builtin_ctz(bits)]]]);
        }
    }
}

static void test_leaf(struct ray_walk *walk)
{
    const struct surface_tree *tree = walk->rays->search.forest->bodies[walk->leaf.body_index].tree;
    for (; walk->bits; walk->bits &= walk->bits - 1) {
        test_face_of_leaf(walk, walk->leaf.body_index, &tree->leaves[walk->leaf.leaf], &tree->points[walk->leaf.leaf],
                          (uint32_t)__builtin_ctz(walk->bits));
    }
}

/* ---- rays -------------------------------------------------------------------------------------------------------- */

/* Halves first: the difference of two finite doubles may overflow. */
static double point_between(double start, double end, double time)
{
    double step = end - start;
    return isfinite(step) ? start + time * step : 2 * (start / 2 + time * (end / 2 - start / 2));
}

static void write_hit(const struct ray_search *rays, uint32_t ray, const struct impact_result *contact, dent_ray_hit *hit)
{
    const double *start = rays->search.from[ray], *end = rays->search.to[ray];
    hit->time = contact->toi;
    hit->weights[0] = 1 - contact->u - contact->v;
    hit->weights[0] = hit->weights[0] > 0 ? hit->weights[0] : 0;
    hit->weights[1] = contact->u;
    hit->weights[2] = contact->v;
    memcpy(hit->normal, contact->normal, sizeof hit->normal);
    for (int axis = 0; axis < 3; axis++) {
        hit->point[axis] = hit->time < 1 ? point_between(start[axis], end[axis], hit->time) : end[axis];
    }
}

static void write_miss(const struct ray_search *rays, uint32_t ray)
{
    dent_ray_hit *hit = &rays->found[ray];
    *hit = (dent_ray_hit){.time = 1, .body = DENT_LOOKUP_NONE, .face = DENT_LOOKUP_NONE};
    memcpy(hit->point, rays->search.to[ray], sizeof hit->point);
}

/* Leaves a hit to be described with those of the block. */
static void add_to_room(struct ray_walk *walk, struct ray_room *room, uint32_t ray)
{
    struct impact_brackets *brackets = &room->brackets;
    uint32_t at = brackets->count++;
    if (walk->face_count > 1) {
        choose_face(walk);
    }
    const struct ray_face *face = &walk->faces[0];
    room->rays[at] = ray;
    still_face_vertices(walk->start, walk->end, face->corners, room->vertices[at]);
    brackets->place[at] = at;
    brackets->left[at] = face->low;
    brackets->right[at] = face->high;
    brackets->middle[at] = face->low + (face->high - face->low) / 2;
    walk->rays->found[ray].body = face->body_index;
    walk->rays->found[ray].face = face->face;
}

/* The time of hit `at` to the last bit: known before, from the lanes, or by the general test. */
static double time_of(const struct ray_room *room, uint32_t at, struct lookup_worker *worker)
{
    const struct impact_brackets *brackets = &room->brackets;
    if (brackets->left[at] == brackets->right[at]) {
        return brackets->left[at];
    }
    if (room->times[at] >= 0) {
        return room->times[at];
    }
    const struct impact_vertex *v = room->vertices[at];
    const struct impact_vertex *const four[4] = {&v[0], &v[1], &v[2], &v[3]};
    struct impact_result result;
    impact_test(IMPACT_VERTEX_FACE, four, 1, &result);
    worker->out_of_memory |= result.answer == IMPACT_ERROR;
    return result.toi;
}

static void describe_hits(const struct ray_search *rays, struct lookup_worker *worker, struct ray_room *room)
{
    uint32_t corners[LOOKUP_BLOCK][4], count = room->brackets.count;
    const struct impact_chosen chosen = {room->vertices[0], (const uint32_t(*)[4])corners, room->brackets.place};
    for (uint32_t at = 0; at < count; at++) {
        for (uint32_t k = 0; k < 4; k++) {
            corners[at][k] = 4 * at + k;
        }
    }
    rays->impact->refine[IMPACT_VERTEX_FACE](&chosen, &room->brackets, room->times);
    for (uint32_t at = 0; at < count; at++) {
        room->times[at] = time_of(room, at, worker);
    }
    rays->impact->describe[IMPACT_VERTEX_FACE](&chosen, room->brackets.place, count, room->times, &room->descriptions);
    for (uint32_t at = 0; at < count; at++) {
        const struct impact_descriptions *described = &room->descriptions;
        struct impact_result contact = {.toi = room->times[at], .u = described->u[at], .v = described->v[at]};
        for (int axis = 0; axis < 3; axis++) {
            contact.normal[axis] = described->normal[axis][at];
        }
        if (contact.u < 0) {
            still_face_describe(room->vertices[at], &contact);
        }
        write_hit(rays, room->rays[at], &contact, &rays->found[room->rays[at]]);
    }
    room->brackets.count = 0;
}

/* Every face, by the general test alone. */
static void try_every_face(struct ray_walk *walk, uint32_t ray)
{
    const struct lookup_search *search = &walk->rays->search;
    dent_ray_hit *hit = &walk->rays->found[ray];
    write_miss(walk->rays, ray);
    for (uint32_t slot = 0; slot < search->slot_count; slot++) {
        uint32_t body_index = search->bodies[slot], count = search->snapshot->bodies[body_index].body->surface_face_count;
        for (uint32_t face = 0; face < count; face++) {
            const double *corners[3];
            struct impact_result result;
            lookup_corners(search, body_index, face, corners);
            walk->worker->candidates++;
            still_face_decide(search->from[ray], search->to[ray], corners, hit->time, &result);
            walk->worker->out_of_memory |= result.answer == IMPACT_ERROR; /* the numbers are finite */
            if (result.answer == IMPACT_HIT && (hit->body == DENT_LOOKUP_NONE || result.toi < hit->time)) {
                hit->body = body_index;
                hit->face = face;
                write_hit(walk->rays, ray, &result, hit);
            }
        }
    }
}

/* A ray waits for memory three times: for its ends, for the first leaf, and for the faces it may meet there. So several are on
 * their way, each a stage behind the one before. */
static void start_ray(struct ray_walk *walk, uint32_t ray)
{
    walk->query = ray;
    begin_walk(walk, walk->rays->search.from[ray], walk->rays->search.to[ray]);
    walk->on_its_way = false;
    if (!walk->misses_world) {
        descent_begin(&walk->descent, walk, measure_boxes);
        walk->on_its_way = next_leaf(walk);
    }
    if (walk->on_its_way) {
        reach_leaf(walk);
    }
}

static void filter_ray(struct ray_walk *walk)
{
    if (walk->on_its_way) {
        filter_leaf(walk);
    }
}

static void finish_ray(struct ray_walk *walk, struct ray_room *room)
{
    while (walk->on_its_way) {
        test_leaf(walk);
        walk->on_its_way = next_leaf(walk);
        filter_ray(walk);
    }
    if (walk->face_count > 0) {
        add_to_room(walk, room, walk->query);
    } else {
        write_miss(walk->rays, walk->query);
    }
}

DESCENT_INLINE void prefetch_ray(const struct ray_search *rays, uint32_t ray)
{
    __builtin_prefetch(rays->search.from[ray]);
    __builtin_prefetch(rays->search.to[ray]);
    __builtin_prefetch(&rays->found[ray]);
}

static void cast_rays(struct lookup_search *search, struct lookup_worker *worker, uint32_t first, uint32_t end)
{
    struct ray_search *rays = (struct ray_search *)search; /* its first field */
    struct ray_room *room = &rays->rooms[worker - search->workers];
    struct ray_walk *walks = room->walks;
    for (uint32_t i = 0; i < LOOKUP_WALKS; i++) {
        walks[i].rays = rays;
        walks[i].worker = worker;
        walks[i].descent.search = search;
        walks[i].descent.keys = worker->keys + (size_t)i * search->padded;
        walks[i].descent.box_tests = 0;
    }
    if (search->brute_force) {
        for (uint32_t number = first; number < end; number++) {
            try_every_face(&walks[0], lookup_query(search, number));
        }
        return;
    }
    for (uint32_t number = first; number < end + 2 * STAGE; number++) {
        if (number + AHEAD < search->query_count) { /* sorted queries lie anywhere in memory */
            prefetch_ray(rays, lookup_query(search, number + AHEAD));
        }
        if (number < end) {
            start_ray(&walks[number % LOOKUP_WALKS], lookup_query(search, number));
        }
        if (number >= first + STAGE && number - STAGE < end) {
            filter_ray(&walks[(number - STAGE) % LOOKUP_WALKS]);
        }
        if (number >= first + 2 * STAGE) {
            finish_ray(&walks[(number - 2 * STAGE) % LOOKUP_WALKS], room);
        }
    }
    for (uint32_t i = 0; i < LOOKUP_WALKS; i++) {
        worker->box_tests += walks[i].descent.box_tests;
    }
    describe_hits(rays, worker, room);
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

static bool make_rooms(struct ray_search *rays)
{
    uint32_t worker_count = dent_context_worker_count(rays->search.context);
    rays->rooms = arena_allocate(&rays->search.call->world->scratch, worker_count, sizeof *rays->rooms);
    for (uint32_t i = 0; rays->rooms && i < worker_count; i++) {
        rays->rooms[i].brackets.count = 0;
    }
    return rays->rooms != NULL;
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
    rays->impact = impact_double_kernels_for(dent_context_isa(search->context));
    if (status == DENT_OK && !make_rooms(rays)) {
        status = question_out_of_memory(call);
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
