/* The distance of the surfaces of two bodies (dent/lookup.h).
 *
 * Pairs of nodes of the two trees, nearest boxes first, as long as they are no farther apart than the best pair of
 * features so far. Two leaves whose boxes meet are first tested for faces that meet, exactly: then the distance is 0 and
 * the search ends. Such leaves are never passed over, since boxes that meet are no farther apart than anything. Otherwise
 * vertices against faces and edges against edges, by the filter of near_kernels.h and then by the distance itself.
 *
 * The bounds are those of closest_query.c with coordinates of at most 1: slack 2^-17. One thread: a pair of bodies is little
 * work.
 */
#include "query/lookup/lookup_descent.h"

#include <math.h>

#include "geometry/metric/closest_points_local.h"
#include "geometry/metric/feature_distance.h"
#include "geometry/metric/float_boxes.h"
#include "geometry/predicates/triangle_predicates.h"

enum feature_order { VERTEX_OF_A, VERTEX_OF_B, EDGES };

struct distance_search {
    struct lookup_search search;
    uint32_t body_index[2];
    bool meet;
    double distance;
    enum feature_order order;
    uint32_t feature[2];
    float reach, squared;
    uint64_t box_tests, candidates;
    predicate_counters predicates;
};

/* A node or leaf of one tree with its box. */
struct tree_place {
    uint32_t level, node;
};

struct place_pair {
    float key;
    struct tree_place place[2];
};

dent_distance_def dent_distance_def_default(void)
{
    dent_distance_def def = {0};
    def.struct_size = sizeof def;
    return def;
}

/* ---- the best so far --------------------------------------------------------------------------------------------- */

static void set_reach(struct distance_search *search)
{
    const struct forest_map *map = &search->search.forest->map;
    double grid = 0x1p-1073 * map->first * map->second; /* distances are rounded to the subnormal grid */
    double reach = (search->distance * map->first * map->second + grid + 0x1p-17) * (1 + 0x1p-19);
    search->reach = reach < 16 ? float_above(reach, reach) : INFINITY;
    search->squared = reach < 16 ? float_above(reach * reach, reach * reach) : INFINITY;
}

static void offer(struct distance_search *search, double distance, enum feature_order order, uint32_t feature_a,
                  uint32_t feature_b)
{
    bool better = distance < search->distance;
    search->candidates++;
    if (distance == search->distance) {
        better = search->feature[0] == DENT_LOOKUP_NONE      ? true
                 : order != search->order                     ? order < search->order
                 : feature_a != search->feature[0] ? feature_a < search->feature[0]
                                                   : feature_b < search->feature[1];
    }
    if (better) {
        search->distance = distance;
        search->order = order;
        search->feature[0] = feature_a;
        search->feature[1] = feature_b;
        set_reach(search);
    }
}

static const double *vertex_of(const struct distance_search *search, int side, uint32_t vertex)
{
    return search->search.snapshot->bodies[search->body_index[side]].xyz[vertex];
}

static void measure_vertex_face(struct distance_search *search, int vertex_side, uint32_t vertex, uint32_t face)
{
    const double *corners[3];
    lookup_corners(&search->search, search->body_index[!vertex_side], face, corners);
    double distance = vertex_face_distance(vertex_of(search, vertex_side, vertex), corners);
    offer(search, distance, vertex_side ? VERTEX_OF_B : VERTEX_OF_A, vertex_side ? face : vertex,
          vertex_side ? vertex : face);
}

static void edge_ends(const struct distance_search *search, int side, uint32_t edge, const double *ends[2])
{
    const dent_edge *e = &search->search.snapshot->bodies[search->body_index[side]].body->edges[edge];
    ends[0] = vertex_of(search, side, e->v0);
    ends[1] = vertex_of(search, side, e->v1);
}

static void measure_edges(struct distance_search *search, uint32_t edge_a, uint32_t edge_b)
{
    const double *a[2], *b[2];
    edge_ends(search, 0, edge_a, a);
    edge_ends(search, 1, edge_b, b);
    offer(search, edge_edge_distance(a, b), EDGES, edge_a, edge_b);
}

static bool faces_meet(struct distance_search *search, uint32_t face_a, uint32_t face_b)
{
    const double *a[3], *b[3];
    lookup_corners(&search->search, search->body_index[0], face_a, a);
    lookup_corners(&search->search, search->body_index[1], face_b, b);
    return triangles_meet(a, b, &search->predicates);
}

/* ---- leaves ------------------------------------------------------------------------------------------------------ */

struct leaf_place {
    const struct surface_leaf *leaf;
    const struct leaf_points *points;
};

static struct leaf_place leaf_at(const struct distance_search *search, int side, uint32_t node)
{
    const struct surface_tree *tree = search->search.forest->bodies[search->body_index[side]].tree;
    return (struct leaf_place){&tree->leaves[node], &tree->points[node]};
}

/* Faces of the leaves that meet, by boxes and planes in floats and then exactly. */
static bool leaves_meet(struct distance_search *search, const struct leaf_place leaves[2])
{
    const struct surface_kernels *kernels = surface_kernels_for(dent_context_isa(search->search.context));
    struct leaf_side sides[2];
    uint8_t found[LEAF_FACES * LEAF_FACES];
    kernels->prepare(leaves[0].points, &sides[0]);
    kernels->prepare(leaves[1].points, &sides[1]);
    uint32_t count = kernels->leaf_pair(&sides[0], leaves[1].points, &sides[1], NULL, found);
    for (uint32_t i = 0; i < count && !search->meet; i++) {
        search->candidates++;
        search->meet = faces_meet(search, leaves[0].leaf->faces[found[i] / LEAF_FACES],
                                  leaves[1].leaf->faces[found[i] % LEAF_FACES]);
    }
    return search->meet;
}

static void fill_bound(struct near_batch *batch, float reach)
{
    for (int i = 0; i < NEAR_BATCH; i++) {
        batch->bound[i] = reach;
    }
}

/* Vertices of one leaf against faces of the other. */
static void measure_vertices(struct distance_search *search, int side, const struct leaf_place leaves[2])
{
    const struct leaf_place *own = &leaves[side], *other = &leaves[!side];
    struct near_batch batch;
    for (uint32_t bits = own->leaf->owned_vertices; bits; bits &= bits - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(bits), faces = (1u << other->leaf->face_count) - 1;
        const float point[3] = {own->points->x[0][slot], own->points->x[1][slot], own->points->x[2][slot]};
        if (search->reach < INFINITY) {
            search->search.kernels->batch_faces(other->points, point, &batch);
            fill_bound(&batch, search->reach);
            faces &= ~search->search.near->far_vertices(&batch);
        }
        for (; faces; faces &= faces - 1) {
            measure_vertex_face(search, side, own->leaf->vertices[slot], other->leaf->faces[__builtin_ctz(faces)]);
        }
    }
}

static void put_edge(struct near_batch *batch, const struct leaf_place *place, uint32_t edge, int first, uint32_t lane)
{
    for (int end = 0; end < 2; end++) {
        for (int axis = 0; axis < 3; axis++) {
            batch->point[first + end][axis][lane] = place->points->x[axis][place->leaf->edge_ends[end][edge]];
        }
    }
}

static void measure_leaf_edges(struct distance_search *search, const struct leaf_place leaves[2])
{
    struct near_batch batch;
    for (uint32_t first = 0; first < leaves[1].leaf->edge_count; first += NEAR_BATCH) {
        uint32_t left = leaves[1].leaf->edge_count - first, count = left < NEAR_BATCH ? left : NEAR_BATCH;
        for (uint32_t lane = 0; lane < NEAR_BATCH; lane++) {
            put_edge(&batch, &leaves[1], first + (lane < count ? lane : 0), 2, lane);
        }
        for (uint32_t edge = 0; edge < leaves[0].leaf->edge_count; edge++) {
            uint32_t bits = (1u << count) - 1;
            if (search->reach < INFINITY) {
                for (uint32_t lane = 0; lane < NEAR_BATCH; lane++) {
                    put_edge(&batch, &leaves[0], edge, 0, lane);
                }
                fill_bound(&batch, search->reach);
                bits &= ~search->search.near->far_edges(&batch);
            }
            for (; bits; bits &= bits - 1) {
                measure_edges(search, leaves[0].leaf->edges[edge],
                              leaves[1].leaf->edges[first + (uint32_t)__builtin_ctz(bits)]);
            }
        }
    }
}

static void visit_leaves(struct distance_search *search, const struct place_pair *pair)
{
    const struct leaf_place leaves[2] = {leaf_at(search, 0, pair->place[0].node), leaf_at(search, 1, pair->place[1].node)};
    if (pair->key == 0 && leaves_meet(search, leaves)) {
        return;
    }
    measure_vertices(search, 0, leaves);
    measure_vertices(search, 1, leaves);
    measure_leaf_edges(search, leaves);
}

/* ---- trees ------------------------------------------------------------------------------------------------------- */

static void box_of(const struct distance_search *search, int side, struct tree_place place, float lo[3], float hi[3])
{
    const struct surface_tree *tree = search->search.forest->bodies[search->body_index[side]].tree;
    const struct cluster_box *whole =
        (const struct cluster_box *)search->search.forest->body_boxes.data + search->body_index[side];
    for (int axis = 0; axis < 3; axis++) {
        bool root = place.level == tree->level_count;
        lo[axis] = root ? whole->lo[axis] : tree->levels[place.level].lo[axis][place.node];
        hi[axis] = root ? whole->hi[axis] : tree->levels[place.level].hi[axis][place.node];
    }
}

/* Puts the pairs of the children of one side with the other on the stack, the nearest on top. */
static uint32_t open_side(struct distance_search *search, const struct place_pair *pair, int side,
                          struct place_pair *stack, uint32_t depth)
{
    const struct surface_tree *tree = search->search.forest->bodies[search->body_index[side]].tree;
    uint32_t child_level = pair->place[side].level - 1, first = pair->place[side].node * LEAF_TREE_ARITY;
    const struct tree_level *level = &tree->levels[child_level];
    float lo[3], hi[3], keys[16];
    struct lookup_node nodes[LEAF_TREE_ARITY];
    box_of(search, !side, pair->place[!side], lo, hi);
    uint32_t bits = search->search.kernels->near_boxes(level->lo, level->hi, first, lo, hi, search->squared, keys);
    search->box_tests += LEAF_TREE_ARITY;
    uint32_t count = descent_push(nodes, 0, child_level, first, bits & lookup_nodes(level, first), keys);
    for (uint32_t i = 0; i < count; i++) {
        struct place_pair child = {.key = nodes[i].key};
        child.place[side] = (struct tree_place){child_level, nodes[i].node};
        child.place[!side] = pair->place[!side];
        stack[depth++] = child;
    }
    return depth;
}

static void search_trees(struct distance_search *search)
{
    struct place_pair stack[2 * LOOKUP_STACK];
    uint32_t depth = 0;
    for (int side = 0; side < 2; side++) {
        stack[0].place[side] =
            (struct tree_place){search->search.forest->bodies[search->body_index[side]].tree->level_count, 0};
    }
    stack[depth++].key = 0;
    while (depth > 0 && !search->meet) {
        struct place_pair top = stack[--depth];
        if (top.key > search->squared || cancel_requested(&search->search.call->cancel)) {
            continue;
        }
        if (top.place[0].level == 0 && top.place[1].level == 0) {
            visit_leaves(search, &top);
        } else {
            depth = open_side(search, &top, top.place[1].level > top.place[0].level, stack, depth);
        }
    }
}

/* ---- the oracle -------------------------------------------------------------------------------------------------- */

static void try_vertices(struct distance_search *search, int side)
{
    const struct body *own = search->search.snapshot->bodies[search->body_index[side]].body,
                      *other = search->search.snapshot->bodies[search->body_index[!side]].body;
    for (uint32_t vertex = 0; vertex < own->vertex_count; vertex++) {
        for (uint32_t face = 0; face < other->surface_face_count && (own->vertex_use[vertex] & VERTEX_ON_SURFACE);
             face++) {
            measure_vertex_face(search, side, vertex, face);
        }
    }
}

static void try_everything(struct distance_search *search)
{
    const struct body *a = search->search.snapshot->bodies[search->body_index[0]].body,
                      *b = search->search.snapshot->bodies[search->body_index[1]].body;
    for (uint32_t i = 0; i < a->surface_face_count; i++) {
        for (uint32_t k = 0; k < b->surface_face_count && !search->meet; k++) {
            search->meet = faces_meet(search, i, k);
        }
    }
    if (search->meet) {
        return;
    }
    try_vertices(search, 0);
    try_vertices(search, 1);
    for (uint32_t i = 0; i < a->edge_count; i++) {
        for (uint32_t k = 0; k < b->edge_count && a->edge_is_surface[i]; k++) {
            if (b->edge_is_surface[k]) {
                measure_edges(search, i, k);
            }
        }
    }
}

/* ---- the stages -------------------------------------------------------------------------------------------------- */

static dent_status check_def(dent_world *world, const void *data)
{
    const dent_distance_def *def = data;
    uint32_t a = body_table_index(&world->bodies, def->body_a), b = body_table_index(&world->bodies, def->body_b);
    if (a == UINT32_MAX || b == UINT32_MAX) {
        return body_table_stale(&world->bodies, a == UINT32_MAX ? def->body_a : def->body_b, &world->message);
    }
    if (a == b) {
        const struct body *body = body_table_at(&world->bodies, a);
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT,
                            BODY_TITLE " has no distance from itself: two bodies are needed", BODY_TITLE_OF(body));
    }
    return lookup_check_method(world, def->method);
}

static dent_status prepare(struct question_call *call)
{
    const dent_distance_def *def = call->def;
    struct distance_search *search = call->run;
    dent_status status = lookup_prepare(call, &search->search, def->method, UINT32_MAX);
    search->body_index[0] = body_table_index(&call->world->bodies, def->body_a);
    search->body_index[1] = body_table_index(&call->world->bodies, def->body_b);
    search->distance = INFINITY;
    search->feature[0] = search->feature[1] = DENT_LOOKUP_NONE;
    search->reach = search->squared = INFINITY;
    return status;
}

static dent_status search_pairs(struct question_call *call)
{
    struct distance_search *search = call->run;
    const struct body_snapshot *bodies = search->search.snapshot->bodies;
    if (bodies[search->body_index[0]].body->surface_face_count > 0 &&
        bodies[search->body_index[1]].body->surface_face_count > 0) {
        (search->search.brute_force ? try_everything : search_trees)(search);
    }
    return DENT_OK;
}

static void describe_vertex_face(const struct distance_search *search, dent_distance_result *result)
{
    int side = result->vertex_is_b;
    const double *corners[3], *vertex = vertex_of(search, side, search->feature[side]);
    struct closest_pair pair;
    lookup_corners(&search->search, search->body_index[!side], search->feature[!side], corners);
    closest_of_vertex_and_face(vertex, corners, &pair);
    memcpy(side ? result->point_b : result->point_a, vertex, sizeof result->point_a);
    weighted_point(pair.weights_b, corners, 3, side ? result->point_a : result->point_b);
    for (int axis = 0; axis < 3; axis++) {
        result->direction[axis] = side ? -pair.direction[axis] : pair.direction[axis];
    }
}

static void describe_edges(const struct distance_search *search, dent_distance_result *result)
{
    const double *a[2], *b[2];
    struct closest_pair pair;
    edge_ends(search, 0, search->feature[0], a);
    edge_ends(search, 1, search->feature[1], b);
    closest_of_edges(a, b, &pair);
    weighted_point(pair.weights_a, a, 2, result->point_a);
    weighted_point(pair.weights_b, b, 2, result->point_b);
    memcpy(result->direction, pair.direction, sizeof result->direction);
}

static dent_status finish(struct question_call *call)
{
    const struct distance_search *search = call->run;
    dent_distance_result *result = call->result;
    bool stopped = cancel_requested(&call->cancel);
    result->outcome = stopped ? DENT_OUTCOME_CANCELLED : DENT_OUTCOME_COMPLETE;
    result->distance = INFINITY;
    result->feature_a = result->feature_b = DENT_LOOKUP_NONE;
    if (stopped) {
        return DENT_OK;
    }
    result->crossing = search->meet;
    result->distance = search->meet ? 0 : search->distance;
    if (!search->meet && search->feature[0] != DENT_LOOKUP_NONE) {
        result->feature_a = search->feature[0];
        result->feature_b = search->feature[1];
        result->vertex_face = search->order != EDGES;
        result->vertex_is_b = search->order == VERTEX_OF_B;
        (result->vertex_face ? describe_vertex_face : describe_edges)(search, result);
    }
    return DENT_OK;
}

static void count(struct question_call *call)
{
    const struct distance_search *search = call->run;
    dent_query_counters *counters = &((dent_distance_result *)call->result)->counters;
    lookup_count(&search->search, counters);
    counters->box_tests += search->box_tests;
    counters->candidates += search->candidates;
    counters->exact_fallbacks = search->predicates.exact_fallbacks;
}

static const struct question_stages distance_stages = {
    .name = "the distance",
    .def_name = "distance",
    .def_maker = "dent_distance_def_default",
    .def_size = sizeof(dent_distance_def),
    .result_size = sizeof(dent_distance_result),
    .run_size = sizeof(struct distance_search),
    .cancel_offset = offsetof(dent_distance_def, cancel),
    .reads = READS_START,
    .takes_thin = true,
    .check = check_def,
    .prepare = prepare,
    .search = search_pairs,
    .finish = finish,
    .count = count,
};

dent_status dent_world_distance(dent_world *world, const dent_distance_def *def, dent_distance_result *result)
{
    QUESTION_REQUIRE(world, def, result);
    return question_ask(world, &distance_stages, def, result);
}
