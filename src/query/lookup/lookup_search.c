/* The common stages of rays, closest points and distances. See lookup_search.h. */
#include "query/lookup/lookup_search.h"

#include <inttypes.h>
#include <math.h>

#include "base/context.h"
#include "base/radix_sort.h"
#include "geometry/numbers/bounds.h"
#include "base/containers/morton_code.h"

/* ---- queries ----------------------------------------------------------------------------------------------------- */

dent_status lookup_check_positions(dent_world *world, const dent_positions *positions, uint32_t count, const char *what)
{
    size_t number = positions->scalar == DENT_SCALAR_FLOAT ? sizeof(float) : sizeof(double);
    if (count == 0) {
        return DENT_OK;
    }
    if (!positions->data) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT, "%s 0 of %" PRIu32 ": the positions are null",
                            what, count);
    }
    if (positions->scalar != DENT_SCALAR_DOUBLE && positions->scalar != DENT_SCALAR_FLOAT) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT, "%s 0: positions of unknown scalar type %d",
                            what, (int)positions->scalar);
    }
    if (positions->stride != 0 && positions->stride < 3 * number) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT,
                            "%s 0: the stride must be at least %zu bytes; got %zu", what, 3 * number,
                            positions->stride);
    }
    return DENT_OK;
}

dent_status lookup_check_method(dent_world *world, dent_method method)
{
    if (!dent_method_name(method)) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT, "there is no method number %d", (int)method);
    }
    return method < 32 && (QUESTION_METHODS_OF_SURFACES >> method & 1)
               ? DENT_OK
               : message_fail(&world->message, DENT_ERROR_UNSUPPORTED,
                              "method %s cannot answer rays, closest points or distances; these can: auto, brute-force, "
                              "surface-tree",
                              dent_method_name(method));
}

dent_status lookup_read(struct lookup_search *search, const dent_positions *positions, uint32_t count, const char *what,
                        const double (**xyz)[3])
{
    double(*copy)[3] = arena_allocate(&search->call->world->scratch, (size_t)count + 1, sizeof *copy);
    double lo[3], hi[3];
    if (!copy) {
        return question_out_of_memory(search->call);
    }
    bounds_clear(lo, hi);
    *xyz = (const double(*)[3])copy;
    copy[count][0] = copy[count][1] = copy[count][2] = 0;
    if (count == 0 || body_read_range(positions, 0, count, copy, lo, hi)) {
        return DENT_OK;
    }
    uint32_t i = 0;
    while (isfinite(copy[i][0]) && isfinite(copy[i][1]) && isfinite(copy[i][2])) {
        i++;
    }
    return message_fail(&search->call->world->message, DENT_ERROR_BAD_NUMBER, "%s %" PRIu32 " is (%g, %g, %g): not finite",
                        what, i, copy[i][0], copy[i][1], copy[i][2]);
}

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

static void list_bodies(struct lookup_search *search, uint32_t mask)
{
    for (uint32_t body_index = 0; body_index < search->snapshot->body_count; body_index++) {
        const struct body *body = search->snapshot->bodies[body_index].body;
        if (body->surface_face_count > 0 && (body->collision_group & mask)) {
            search->bodies[search->slot_count++] = body_index;
        }
    }
}

static void copy_boxes(struct lookup_search *search, uint32_t padded)
{
    const struct cluster_box *boxes = search->forest->body_boxes.data;
    for (int axis = 0; axis < 3; axis++) {
        for (uint32_t slot = 0; slot < padded; slot++) {
            bool used = slot < search->slot_count;
            search->lo[axis][slot] = used ? boxes[search->bodies[slot]].lo[axis] : INFINITY;
            search->hi[axis][slot] = used ? boxes[search->bodies[slot]].hi[axis] : -INFINITY;
        }
    }
}

static bool make_room(struct lookup_search *search, struct arena *scratch, uint32_t padded)
{
    uint32_t worker_count = dent_context_worker_count(search->context);
    search->bodies = arena_allocate(scratch, (size_t)search->snapshot->body_count + 1, sizeof *search->bodies);
    search->workers = arena_allocate_cleared(scratch, worker_count, sizeof *search->workers);
    bool enough = search->bodies && search->workers;
    for (int axis = 0; axis < 3 && enough; axis++) {
        search->lo[axis] = arena_allocate(scratch, padded, sizeof(float));
        search->hi[axis] = arena_allocate(scratch, padded, sizeof(float));
        enough = search->lo[axis] && search->hi[axis];
    }
    for (uint32_t i = 0; enough && i < worker_count; i++) {
        search->workers[i].keys = arena_allocate(scratch, (size_t)LOOKUP_WALKS * padded, sizeof(float));
        enough = search->workers[i].keys != NULL;
    }
    return enough;
}

dent_status lookup_prepare(struct question_call *call, struct lookup_search *search, dent_method method, uint32_t mask)
{
    dent_world *world = call->world;
    dent_isa isa = dent_context_isa(world->context);
    *search = (struct lookup_search){.call = call,
                                     .context = world->context,
                                     .snapshot = &world->snapshot,
                                     .forest = &world->forest,
                                     .kernels = lookup_kernels_for(isa),
                                     .near = near_kernels_for(isa),
                                     .brute_force = method == DENT_METHOD_BRUTE_FORCE};
    struct forest_refit refit = {.snapshot = &world->snapshot};
    uint32_t padded = search->padded = (world->snapshot.body_count + 16) / 16 * 16;
    if (!make_room(search, &world->scratch, padded)) {
        return question_out_of_memory(call);
    }
    list_bodies(search, mask);
    if (search->brute_force) {
        return DENT_OK;
    }
    if (!surface_forest_update(&world->forest, &world->snapshot, &world->scratch) ||
        !surface_forest_refit(&world->forest, &refit, isa, &world->scratch)) {
        return question_out_of_memory(call);
    }
    copy_boxes(search, padded);
    return DENT_OK;
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

enum { FEWEST_TO_SORT = 256, CURVE_BITS = 6 };

/* The cell of a place on a curve through the box of the world; places outside have the nearest cell. */
static uint64_t cell_on_curve(const double place[3])
{
    uint32_t index[3];
    for (int axis = 0; axis < 3; axis++) {
        double cells = 1 << CURVE_BITS, at = (place[axis] + 1) * 0.5 * cells;
        index[axis] = at > 0 ? (uint32_t)(at < cells ? at : cells - 1) : 0; /* NaN: 0 */
    }
    return morton_code(index);
}

static void place_in_world(const struct forest_map *map, const double xyz[3], double place[3])
{
    for (int axis = 0; axis < 3; axis++) {
        place[axis] = (xyz[axis] - map->centre[axis]) * map->first * map->second;
    }
}

/* Where a ray enters the box of the world: what it meets first is likely to be near. */
static uint64_t key_of_ray(const struct forest_map *map, const double start[3], const double end[3])
{
    double from[3], step[3], inverse[3], first, last;
    place_in_world(map, start, from);
    for (int axis = 0; axis < 3; axis++) {
        step[axis] = (end[axis] - start[axis]) * map->first * map->second;
        inverse[axis] = 1 / step[axis];
    }
    if (lookup_cut_to_cube(from, step, inverse, 1, &first, &last)) {
        for (int axis = 0; axis < 3; axis++) {
            from[axis] += first * step[axis];
        }
    }
    return cell_on_curve(from);
}

/* Without memory for it the queries stay in their order. */
static void sort_queries(struct lookup_search *search)
{
    struct arena *scratch = &search->call->world->scratch;
    uint32_t count = search->query_count;
    if (count < FEWEST_TO_SORT || search->brute_force) {
        return;
    }
    uint64_t *keys = arena_allocate(scratch, count, sizeof *keys), *more = arena_allocate(scratch, count, sizeof *more);
    uint32_t *order = arena_allocate(scratch, count, sizeof *order), *other = arena_allocate(scratch, count, sizeof *other);
    if (!keys || !more || !order || !other) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (search->to) {
            keys[i] = key_of_ray(&search->forest->map, search->from[i], search->to[i]);
        } else {
            double place[3];
            place_in_world(&search->forest->map, search->from[i], place);
            keys[i] = cell_on_curve(place);
        }
        order[i] = i;
    }
    radix_sort_u64(keys, order, more, other, count);
    search->order = order;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

struct lookup_loop {
    struct lookup_search *search;
    lookup_function *function;
};

static void run_block(void *data, uint32_t block, uint32_t worker)
{
    struct lookup_loop *loop = data;
    struct lookup_search *search = loop->search;
    uint32_t first = block * LOOKUP_BLOCK, left = search->query_count - first;
    if (!cancel_requested(&search->call->cancel)) {
        loop->function(search, &search->workers[worker], first, first + (left < LOOKUP_BLOCK ? left : LOOKUP_BLOCK));
    }
}

dent_status lookup_run(struct lookup_search *search, lookup_function *function)
{
    struct lookup_loop loop = {search, function};
    sort_queries(search);
    uint32_t blocks = search->query_count / LOOKUP_BLOCK + (search->query_count % LOOKUP_BLOCK != 0);
    dent_parallel_for(search->context, blocks, run_block, &loop);
    for (uint32_t i = 0; i < dent_context_worker_count(search->context); i++) {
        if (search->workers[i].out_of_memory) {
            return question_out_of_memory(search->call);
        }
    }
    return DENT_OK;
}

void lookup_count(const struct lookup_search *search, dent_query_counters *counters)
{
    for (uint32_t i = 0; search->workers && i < dent_context_worker_count(search->context); i++) {
        counters->box_tests += search->workers[i].box_tests;
        counters->candidates += search->workers[i].candidates;
    }
    counters->method = search->brute_force ? DENT_METHOD_BRUTE_FORCE : DENT_METHOD_SURFACE_TREE;
    counters->reason = "rays, closest points and distances: surface tree";
    question_count_elements(search->call, counters);
}
