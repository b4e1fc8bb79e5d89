/* Proximity by the surface forest: boxes of leaves grown by the thickness of their body, features of leaves that meet
 * compared by their boxes, then sixteen pairs at a time by the filter of near_kernels.h, and what is left by the
 * decision itself.
 *
 * Volino and Magnenat-Thalmann (Eurographics 2006) grow the volumes of their hierarchy in the same way. Their
 * curvature criterion is not used: it rules out intersections, and the walls of a groove are near without crossing.
 *
 * Nothing is lost: if the decision says "near", the two sets are apart by at most the two growths on every axis
 * (growth_of_thickness). In rounded coordinates (error e = FOREST_INPUT_ERROR each, surface_kernels.h) with scale s,
 * boxes are then apart by at most s (growth a + growth b) + 2e; the reach used here adds 2^-20 of itself and 2^-21,
 * which covers e = 2^-25, the rounding of s (ga + gb) to float, and that of lo - reach and hi + reach (numbers below
 * 2 + reach).
 */
#include "geometry/metric/near_kernels.h"
#include "query/proximity/proximity_leaves.h"
#include "query/proximity/proximity_search.h"

struct near_candidate {
    uint32_t body_index_a, feature_a, body_index_b, feature_b;
};

/* Pairs of one kind that wait for the filter, and those it let pass that wait to be measured. */
struct near_queue {
    struct near_batch batch;
    struct near_candidate candidates[NEAR_BATCH];
    uint32_t count;
    struct feature_points points;
    struct near_candidate passed[FEATURE_BATCH];
    uint32_t passed_count;
};

struct tree_search {
    struct proximity_search *search;
    const struct near_kernels *near;
    const struct surface_forest *forest;
    const double *growth;       /* by body index */
    struct near_cache **caches; /* by worker */
};

/* One call of visit. */
struct leaf_work {
    struct tree_search *tree;
    struct near_cache *cache;
    uint32_t block, worker;
    struct near_queue edges, vertices;
    uint64_t box_tests;
};

/* ---- the filter and the decision ------------------------------------------------------------- */

static void measure(struct leaf_work *work, bool edges)
{
    struct near_queue *queue = edges ? &work->edges : &work->vertices;
    const struct near_kernels *near = work->tree->near;
    struct proximity_search *search = work->tree->search;
    double distance[FEATURE_BATCH];
    proximity_fill_lanes(&queue->points, queue->passed_count);
    (edges ? near->measure_edges : near->measure_vertices)(&queue->points, distance);
    for (uint32_t i = 0; i < queue->passed_count; i++) {
        const struct near_candidate *pair = &queue->passed[i];
        if ((edges ? proximity_edges_are_near : proximity_vertex_is_near)(
                search, pair->body_index_a, pair->feature_a, pair->body_index_b, pair->feature_b, distance[i])) {
            (edges ? proximity_add_edges : proximity_add_vertex_face)(
                search, work->block, pair->body_index_a, pair->feature_a, pair->body_index_b, pair->feature_b);
        }
    }
    search->workers[work->worker].candidates += queue->passed_count;
    queue->passed_count = 0;
}

static void pass(struct leaf_work *work, bool edges, const struct near_candidate *pair)
{
    struct near_queue *queue = edges ? &work->edges : &work->vertices;
    const double *points[4];
    (edges ? proximity_edge_points : proximity_vertex_face_points)(
        work->tree->search->snapshot, pair->body_index_a, pair->feature_a, pair->body_index_b, pair->feature_b, points);
    proximity_put_points(points, &queue->points, queue->passed_count);
    queue->passed[queue->passed_count++] = *pair;
    if (queue->passed_count == FEATURE_BATCH) {
        measure(work, edges);
    }
}

static void filter(struct leaf_work *work, bool edges)
{
    struct near_queue *queue = edges ? &work->edges : &work->vertices;
    const struct near_kernels *near = work->tree->near;
    if (queue->count == 0) {
        return;
    }
    uint32_t left = ~(edges ? near->far_edges : near->far_vertices)(&queue->batch) & ((2u << (queue->count - 1)) - 1);
    for (; left; left &= left - 1) {
        pass(work, edges, &queue->candidates[__builtin_ctz(left)]);
    }
    queue->count = 0;
}

static void flush(struct leaf_work *work)
{
    for (int edges = 0; edges < 2; edges++) {
        filter(work, edges != 0);
        if ((edges ? &work->edges : &work->vertices)->passed_count > 0) {
            measure(work, edges != 0);
        }
    }
}

static inline void put_point(struct near_queue *queue, int point, const struct leaf_points *points, uint32_t slot)
{
    for (int axis = 0; axis < 3; axis++) {
        queue->batch.point[point][axis][queue->count] = points->x[axis][slot];
    }
}

static inline void put_edges(struct leaf_work *work, const struct near_leaf *a, uint32_t edge_a,
                             const struct near_leaf *b, uint32_t edge_b, float bound)
{
    struct near_queue *queue = &work->edges;
    put_point(queue, 0, a->points, a->leaf->edge_ends[0][edge_a]);
    put_point(queue, 1, a->points, a->leaf->edge_ends[1][edge_a]);
    put_point(queue, 2, b->points, b->leaf->edge_ends[0][edge_b]);
    put_point(queue, 3, b->points, b->leaf->edge_ends[1][edge_b]);
    queue->batch.bound[queue->count] = bound;
    queue->candidates[queue->count++] =
        (struct near_candidate){a->body_index, a->leaf->edges[edge_a], b->body_index, b->leaf->edges[edge_b]};
    if (queue->count == NEAR_BATCH) {
        filter(work, true);
    }
}

static inline void put_vertex(struct leaf_work *work, const struct near_leaf *a, uint32_t vertex,
                              const struct near_leaf *b, uint32_t face, float bound)
{
    struct near_queue *queue = &work->vertices;
    put_point(queue, 0, a->points, vertex);
    for (int k = 0; k < 3; k++) {
        put_point(queue, k + 1, b->points, b->leaf->corners[k][face]);
    }
    queue->batch.bound[queue->count] = bound;
    queue->candidates[queue->count++] =
        (struct near_candidate){a->body_index, a->leaf->vertices[vertex], b->body_index, b->leaf->faces[face]};
    if (queue->count == NEAR_BATCH) {
        filter(work, false);
    }
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

/* Two leaves and how far they reach. */
struct near_pair {
    const struct near_leaf *a, *b;
    float reach, bound;
    float lo_a[3], hi_a[3], lo_b[3], hi_b[3]; /* grown */
};

static inline uint64_t meeting(struct leaf_work *work, const struct feature_boxes *boxes, uint32_t count,
                               const float lo[3], const float hi[3])
{
    work->box_tests += count;
    return work->tree->near->meet(boxes, count, lo, hi);
}

/* The vertices of a with the faces of b: their bits, those that meet the other leaf's box. `common`: of b with a;
 * null: nothing. */
static void compare_vertices(struct leaf_work *work, const struct near_pair *pair, uint32_t vertices, uint32_t faces,
                             const struct common_features *common)
{
    uint64_t rows[NEAR_FEATURES];
    work->tree->near->meet_rows(&pair->a->vertices, vertices, pair->reach, &pair->b->faces, pair->b->leaf->face_count,
                                rows);
    for (; vertices; vertices &= vertices - 1) {
        uint32_t vertex = (uint32_t)__builtin_ctz(vertices);
        uint32_t row = (uint32_t)rows[vertex] & faces & (common ? ~common->faces[vertex] : UINT32_MAX);
        work->box_tests += pair->b->leaf->face_count;
        for (; row; row &= row - 1) {
            put_vertex(work, pair->a, vertex, pair->b, (uint32_t)__builtin_ctz(row), pair->bound);
        }
    }
}

static void compare_edges(struct leaf_work *work, const struct near_pair *pair, uint64_t edges_a, uint64_t edges_b,
                          const struct common_features *common)
{
    bool same = pair->a->leaf == pair->b->leaf;
    uint64_t rows[NEAR_FEATURES];
    work->tree->near->meet_rows(&pair->a->edges, edges_a, pair->reach, &pair->b->edges, pair->b->leaf->edge_count,
                                rows);
    for (; edges_a; edges_a &= edges_a - 1) {
        uint32_t edge = (uint32_t)__builtin_ctzll(edges_a);
        uint64_t row = rows[edge] & edges_b;
        row &= same ? ~((UINT64_C(2) << edge) - 1) : UINT64_MAX; /* each pair once */
        if (common) {
            row &=
                ~(common->edges[pair->a->leaf->edge_ends[0][edge]] | common->edges[pair->a->leaf->edge_ends[1][edge]]);
        }
        work->box_tests += pair->b->leaf->edge_count;
        for (; row; row &= row - 1) {
            put_edges(work, pair->a, edge, pair->b, (uint32_t)__builtin_ctzll(row), pair->bound);
        }
    }
}

/* Leaves a and b; all three kinds of pairs. */
static void compare_leaves(struct leaf_work *work, const struct near_pair *pair, bool may_share)
{
    const struct near_leaf *a = pair->a, *b = pair->b;
    bool same = a->leaf == b->leaf;
    uint32_t vertices_a =
        (uint32_t)meeting(work, &a->vertices, a->leaf->vertex_count, pair->lo_b, pair->hi_b) & a->leaf->owned_vertices;
    uint32_t faces_b = vertices_a ? (uint32_t)meeting(work, &b->faces, b->leaf->face_count, pair->lo_a, pair->hi_a) : 0;
    uint64_t edges_a = meeting(work, &a->edges, a->leaf->edge_count, pair->lo_b, pair->hi_b);
    uint64_t edges_b = edges_a ? meeting(work, &b->edges, b->leaf->edge_count, pair->lo_a, pair->hi_a) : 0;
    uint32_t vertices_b = 0, faces_a = 0;
    if (!same) {
        vertices_b = (uint32_t)meeting(work, &b->vertices, b->leaf->vertex_count, pair->lo_a, pair->hi_a) &
                     b->leaf->owned_vertices;
        faces_a = vertices_b ? (uint32_t)meeting(work, &a->faces, a->leaf->face_count, pair->lo_b, pair->hi_b) : 0;
    }
    const struct body *body_a = work->tree->search->snapshot->bodies[a->body_index].body,
                      *body_b = work->tree->search->snapshot->bodies[b->body_index].body;
    struct common_features common;
    if (may_share && (faces_b || edges_b)) {
        find_common_features(work->tree->near, body_a, a->leaf, body_b, b->leaf, faces_b, edges_b, &common);
    }
    if (faces_b) {
        compare_vertices(work, pair, vertices_a, faces_b, may_share ? &common : NULL);
    }
    if (edges_b) {
        compare_edges(work, pair, edges_a, edges_b, may_share ? &common : NULL);
    }
    if (faces_a) {
        struct near_pair flipped = {.a = b, .b = a, .reach = pair->reach, .bound = pair->bound};
        if (may_share) {
            find_common_features(work->tree->near, body_b, b->leaf, body_a, a->leaf, faces_a, 0, &common);
        }
        compare_vertices(work, &flipped, vertices_b, faces_a, may_share ? &common : NULL);
    }
}

/* The largest difference of coordinates between points of the two leaves. */
static float extent_of(const struct near_leaf *a, const struct near_leaf *b)
{
    float extent = 0;
    for (int axis = 0; axis < 3; axis++) {
        float lo = a->lo[axis] < b->lo[axis] ? a->lo[axis] : b->lo[axis],
              hi = a->hi[axis] > b->hi[axis] ? a->hi[axis] : b->hi[axis];
        extent = hi - lo > extent ? hi - lo : extent;
    }
    return extent * (1.0f + 0x1p-20f);
}

static void visit_pair(struct leaf_work *work, const struct leaf_pair *pair)
{
    const struct surface_forest *forest = work->tree->forest;
    const struct near_leaf *a = near_leaf_of(work->cache, 0, forest, pair->body_index_a, pair->leaf_a), *b = a;
    bool same = pair->body_index_a == pair->body_index_b && pair->leaf_a == pair->leaf_b;
    if (!same) {
        b = near_leaf_of(work->cache, 1, forest, pair->body_index_b, pair->leaf_b);
    }
    double scaled = (work->tree->growth[pair->body_index_a] + work->tree->growth[pair->body_index_b]) *
                    forest->map.first * forest->map.second;
    float reach = (float)(scaled < 16.0 ? scaled : 16.0) * (1.0f + 0x1p-20f); /* all coordinates lie in [-1, 1] */
    float bound = (reach + 8 * FOREST_INPUT_ERROR + 16 * 0x1p-24f * extent_of(a, b)) * (1.0f + 0x1p-20f);
    struct near_pair near = {.a = a, .b = b, .reach = reach + 0x1p-21f, .bound = bound};
    for (int axis = 0; axis < 3; axis++) {
        near.lo_a[axis] = a->lo[axis] - near.reach;
        near.hi_a[axis] = a->hi[axis] + near.reach;
        near.lo_b[axis] = b->lo[axis] - near.reach;
        near.hi_b[axis] = b->hi[axis] + near.reach;
    }
    compare_leaves(work, &near, pair->may_share);
}

/* ---- the visitor ----------------------------------------------------------------------------- */

static bool visit_begin(void *user, uint32_t block_count)
{
    struct tree_search *tree = user;
    tree->search->first_more = block_count;
    return proximity_begin(tree->search, block_count + tree->search->more_blocks);
}

static uint64_t answers_of_block(const struct proximity_search *search, uint32_t block)
{
    return (uint64_t)block_output_count_of(&search->state->vertex_face.blocks, block) +
           block_output_count_of(&search->state->edge_edge.blocks, block);
}

static void visit(void *user, uint32_t block, uint32_t worker, const struct leaf_pair *pairs, uint32_t count)
{
    struct tree_search *tree = user;
    struct proximity_search *search = tree->search;
    struct leaf_work work = {.tree = tree, .cache = tree->caches[worker], .block = block, .worker = worker};
    uint64_t before = answers_of_block(search, block);
    for (uint32_t i = 0; i < count && !proximity_stopped(search); i++) {
        visit_pair(&work, &pairs[i]);
    }
    flush(&work);
    search->workers[worker].box_tests += work.box_tests;
    proximity_count_answers(search, answers_of_block(search, block) - before);
}

static bool prepare(struct proximity_search *search, struct tree_search *tree)
{
    const struct snapshot *snapshot = search->snapshot;
    uint32_t workers = dent_context_worker_count(search->context);
    double *growth = arena_allocate(search->scratch, snapshot->body_count, sizeof *growth);
    tree->caches = arena_allocate(search->scratch, workers, sizeof *tree->caches);
    if (!growth || !tree->caches) {
        return false;
    }
    for (uint32_t worker = 0; worker < workers; worker++) {
        tree->caches[worker] = arena_allocate(search->scratch, 1, sizeof **tree->caches);
        if (!tree->caches[worker]) {
            return false;
        }
        near_cache_init(tree->caches[worker]);
    }
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        growth[body_index] = growth_of_thickness(search->thickness[body_index], snapshot->largest);
    }
    tree->growth = growth;
    return true;
}

bool proximity_search_forest(struct proximity_search *search)
{
    struct surface_forest *forest = search->forest;
    struct tree_search tree = {.search = search, .near = near_kernels_for(search->isa), .forest = forest};
    if (!surface_forest_update(forest, search->snapshot, search->scratch) || !prepare(search, &tree)) {
        return false;
    }
    search->rebuilds = forest->rebuilds;
    struct forest_refit refit = {.snapshot = search->snapshot, .grow = tree.growth};
    if (!surface_forest_refit(forest, &refit, search->isa, search->scratch)) {
        return false;
    }
    struct leaf_pair_visitor visitor = {.user = &tree,
                                        .no_two_strands = proximity_uses_packets(search) ||
                                                          search->method == DENT_METHOD_STRAND_GRID,
                                        .strands_and_rest = search->strands_only,
                                        .begin = visit_begin,
                                        .visit = visit};
    return surface_forest_visit_pairs(forest, search->snapshot, search->isa, search->cancel, search->scratch, &visitor,
                                      &search->workers[0].box_tests);
}
