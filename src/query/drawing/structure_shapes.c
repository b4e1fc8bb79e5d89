/* Acceleration structures as boxes, for pictures (dent/structure.h). Each kind is a function that appends boxes of one
 * level; the numbers of a grid are made distinct by sorting. Not a fast path: nobody waits for these but a painter. */
#include <dent/structure.h>

#include "base/context.h"
#include "base/floating_point_guard.h"
#include "base/radix_sort.h"
#include "geometry/numbers/bounds.h"
#include "query/drawing/structure_state.h"
#include "query/world/world_state.h"
#include "structures/grid/bucket_grid.h"
#include "structures/clusters/tet_clusters.h"

#include <math.h>

struct shape_work {
    dent_world *world;
    struct structure_state *state;
    uint32_t body_index;
    const struct body_snapshot *body_snapshot;
    uint32_t level, deepest;
};

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

static dent_structure_box empty_box(void)
{
    dent_structure_box box;
    bounds_clear(box.lo, box.hi);
    return box;
}

static void grow_box(dent_structure_box *box, const double x[3])
{
    bounds_add_point(box->lo, box->hi, x);
}

static bool add_box(struct shape_work *work, const dent_structure_box *box)
{
    if (box->lo[0] > box->hi[0]) {
        return true; /* nothing in it */
    }
    return array_push(&work->state->boxes, box);
}

/* ---- surface tree ------------------------------------------------------------------------------------------------ */

/* Level `deepest` are the leaves; each level above joins sixteen that follow each other. */
static bool surface_tree_boxes(struct shape_work *work)
{
    struct surface_forest *forest = &work->world->forest;
    if (!surface_forest_update(forest, &work->world->snapshot, &work->world->scratch)) {
        return false;
    }
    const struct forest_body *body = &forest->bodies[work->body_index];
    uint64_t span = 1;
    work->deepest = 0;
    for (uint64_t nodes = body->leaf_count; nodes > 1; nodes = (nodes + LEAF_TREE_ARITY - 1) / LEAF_TREE_ARITY) {
        work->deepest++;
    }
    work->level = work->level < work->deepest ? work->level : work->deepest;
    for (uint32_t i = work->level; i < work->deepest; i++) {
        span *= LEAF_TREE_ARITY;
    }
    for (uint64_t first = 0; first < body->leaf_count; first += span) {
        dent_structure_box box = empty_box();
        for (uint64_t leaf = first; leaf < first + span && leaf < body->leaf_count; leaf++) {
            for (uint32_t i = 0; i < body->leaves[leaf].vertex_count; i++) {
                grow_box(&box, work->body_snapshot->xyz[body->leaves[leaf].vertices[i]]);
            }
        }
        if (!add_box(work, &box)) {
            return false;
        }
    }
    return true;
}

/* ---- clusters ---------------------------------------------------------------------------------------------------- */

static void grow_by_cluster(dent_structure_box *box, const struct shape_work *work, const struct cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->vertex_count; i++) {
        grow_box(box, work->body_snapshot->xyz[cluster->vertices[i]]);
    }
}

static bool cluster_boxes(struct shape_work *work)
{
    struct body_clusters clusters;
    if (!body_clusters_create(&clusters, work->world->context, work->body_snapshot->body, work->body_snapshot->xyz)) {
        return false;
    }
    bool enough = true;
    work->deepest = 1;
    work->level = work->level < 1 ? work->level : 1;
    for (uint32_t i = 0; enough && i < clusters.piece_count; i++) {
        dent_structure_box whole = empty_box();
        for (uint32_t k = 0; enough && k < clusters.pieces[i].count; k++) {
            dent_structure_box box = empty_box();
            const struct cluster *cluster = &clusters.clusters[clusters.pieces[i].first + k];
            grow_by_cluster(&box, work, cluster);
            grow_by_cluster(&whole, work, cluster);
            enough = work->level == 0 || add_box(work, &box);
        }
        enough = enough && (work->level == 1 || add_box(work, &whole));
    }
    body_clusters_destroy(&clusters);
    return enough;
}

/* ---- grids ------------------------------------------------------------------------------------------------------- */

/* Mean over the elements of the largest edge of their boxes: what the grids take their cells from. */
static double mean_element_size(const struct body_snapshot *body_snapshot)
{
    const struct body *body = body_snapshot->body;
    double sum = 0;
    for (uint32_t i = 0; i < body->element_count; i++) {
        uint32_t count;
        const uint32_t *corners = element_corners(body, i, &count);
        dent_structure_box box = empty_box();
        for (uint32_t k = 0; k < count; k++) {
            grow_box(&box, body_snapshot->xyz[corners[k]]);
        }
        double size = 0;
        for (int axis = 0; axis < 3; axis++) {
            size = box.hi[axis] - box.lo[axis] > size ? box.hi[axis] - box.lo[axis] : size;
        }
        sum += size;
    }
    return body->element_count > 0 ? sum / body->element_count : 0;
}

/* The cells that hold a used vertex, as boxes: cell (i, j, k) reaches from lo + i * edge to lo + (i + 1) * edge. */
static bool occupied_cells(struct shape_work *work, const double edge[3])
{
    const struct body_snapshot *body_snapshot = work->body_snapshot;
    const struct body *body = body_snapshot->body;
    uint64_t *keys = arena_allocate(&work->world->scratch, body->vertex_count, 2 * sizeof *keys);
    uint32_t *order = arena_allocate(&work->world->scratch, body->vertex_count, 2 * sizeof *order);
    size_t count = 0;
    if (!keys || !order) {
        return false;
    }
    for (uint32_t vertex = 0; vertex < body->vertex_count; vertex++) {
        if ((body->vertex_use[vertex] & VERTEX_USED) == 0) {
            continue;
        }
        uint64_t key = 0;
        for (int axis = 0; axis < 3; axis++) {
            double slot =
                edge[axis] > 0 ? (body_snapshot->xyz[vertex][axis] - body_snapshot->lo[axis]) / edge[axis] : 0;
            double last =
                edge[axis] > 0 ? ceil((body_snapshot->hi[axis] - body_snapshot->lo[axis]) / edge[axis] - 1e-9) - 1 : 0;
            last = last < BUCKETS_PER_AXIS_MAX - 1 ? last : BUCKETS_PER_AXIS_MAX - 1;
            slot = slot < last ? slot : last > 0 ? last : 0; /* the upper end of the box belongs to the last cell */
            key = key << 21 | (uint64_t)slot;
        }
        order[count] = 0; /* the sort carries a payload; only the keys matter here */
        keys[count++] = key;
    }
    radix_sort_u64(keys, order, keys + body->vertex_count, order + body->vertex_count, count);
    for (size_t i = 0; i < count; i++) {
        dent_structure_box box;
        if (i > 0 && keys[i] == keys[i - 1]) {
            continue;
        }
        for (int axis = 0; axis < 3; axis++) {
            uint64_t slot = keys[i] >> (42 - 21 * axis) & ((1u << 21) - 1);
            box.lo[axis] = body_snapshot->lo[axis] + (double)slot * edge[axis];
            box.hi[axis] = box.lo[axis] + edge[axis];
        }
        if (!add_box(work, &box)) {
            return false;
        }
    }
    return true;
}

/* The lattice as bucket trees lay it; level 0 is one bucket. */
static bool bucket_boxes(struct shape_work *work)
{
    enum { BUCKET_RATIO = 2 };
    struct bucket_lattice lattice = {0};
    double size = BUCKET_RATIO * mean_element_size(work->body_snapshot), buckets[3], edge[3];
    for (int axis = 0; axis < 3; axis++) {
        double extent = work->body_snapshot->hi[axis] - work->body_snapshot->lo[axis];
        lattice.lo[axis] = (float)work->body_snapshot->lo[axis];
        lattice.hi[axis] = (float)work->body_snapshot->hi[axis];
        buckets[axis] = size > 0 ? extent / size : 1;
    }
    bucket_lattice_finish(&lattice, buckets, UINT64_C(1) << 24);
    work->deepest = lattice.level_count - 1;
    work->level = work->level < work->deepest ? work->level : work->deepest;
    for (int axis = 0; axis < 3; axis++) {
        edge[axis] = ldexp((work->body_snapshot->hi[axis] - work->body_snapshot->lo[axis]) / lattice.count[axis],
                           (int)(work->deepest - work->level));
    }
    return occupied_cells(work, edge);
}

static bool hash_boxes(struct shape_work *work)
{
    const double ratio = 1.5; /* POINT_CELL_RATIO of the method */
    double size = ratio * mean_element_size(work->body_snapshot), edge[3] = {size, size, size};
    work->deepest = work->level = 0;
    return occupied_cells(work, edge);
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

typedef bool shape_function(struct shape_work *work);

static const struct structure_row {
    const char *name;
    shape_function *make;
} structure_table[DENT_STRUCTURE_COUNT] = {
    [DENT_STRUCTURE_SURFACE_TREE] = {"surface-tree", surface_tree_boxes},
    [DENT_STRUCTURE_CLUSTERS] = {"clusters", cluster_boxes},
    [DENT_STRUCTURE_BUCKETS] = {"buckets", bucket_boxes},
    [DENT_STRUCTURE_HASH_CELLS] = {"hash-cells", hash_boxes},
};

const char *dent_structure_name(dent_structure structure)
{
    return (unsigned)structure < DENT_STRUCTURE_COUNT ? structure_table[structure].name : NULL;
}

static void init_state(dent_context *context, void *data)
{
    struct structure_state *state = data;
    array_init(&state->boxes, context, sizeof(dent_structure_box));
}

static void destroy_state(dent_context *context, void *data)
{
    struct structure_state *state = data;
    (void)context;
    array_destroy(&state->boxes);
}

static const struct world_slot_kind drawing_slot = {sizeof(struct structure_state), init_state, destroy_state};

static dent_status make_shapes(struct shape_work *work, dent_structure structure, dent_structure_shapes *shapes)
{
    dent_world *world = work->world;
    dent_status status = world_open(world);
    if (status != DENT_OK) {
        return status;
    }
    work->body_snapshot = &world->snapshot.bodies[work->body_index];
    work->state->boxes.count = 0;
    bool enough = structure_table[structure].make(work);
    world_close(world);
    if (!enough) {
        return message_fail(&world->message, DENT_ERROR_OUT_OF_MEMORY, "out of memory for the shapes of a structure");
    }
    *shapes = (dent_structure_shapes){work->level, work->deepest, work->state->boxes.count, work->state->boxes.data};
    return DENT_OK;
}

dent_status dent_world_structure(dent_world *world, dent_structure structure, dent_body_id id, uint32_t level,
                                 dent_structure_shapes *shapes)
{
    WORLD_REQUIRE(world, world);
    WORLD_REQUIRE(world, shapes);
    uint32_t body_index = dent_body_index(world, id);
    if ((unsigned)structure >= DENT_STRUCTURE_COUNT) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT, "there is no structure number %d",
                            (int)structure);
    }
    if (body_index == UINT32_MAX) {
        return body_table_stale(&world->bodies, id, &world->message);
    }
    struct shape_work work = {
        .world = world, .state = world_state_of(world, &drawing_slot), .body_index = body_index, .level = level};
    if (!work.state) {
        return message_fail(&world->message, DENT_ERROR_OUT_OF_MEMORY, "out of memory for the shapes of a structure");
    }
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    dent_status status = make_shapes(&work, structure, shapes);
    floating_point_guard_leave(&guard);
    return status;
}
