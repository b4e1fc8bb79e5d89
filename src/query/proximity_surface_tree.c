/* Proximity by the surface forest: boxes of leaves grown by the thickness of their body, features of leaves that meet compared by their boxes,
 * then sixteen pairs at a time by the filter of near_kernels.h, and what is left by the decision itself.
 *
 * Volino and Magnenat-Thalmann (Eurographics 2006) grow the volumes of their hierarchy in the same way. Their curvature criterion is not
 * used: it rules out intersections, and the walls of a groove are near without crossing.
 *
 * Nothing is lost: if the decision says "near", the two sets are apart by at most the two growths on every axis
 * (growth_of_thickness). In rounded coordinates (error e = FOREST_INPUT_ERROR each, surface_kernels.h) with scale s, boxes are then apart by at
 * most s (growth a + growth b) + 2e; the reach used here adds 2^-20 of itself and 2^-21, which covers e = 2^-25, the rounding of s (ga + gb) to
 * float, and that of lo - reach and hi + reach (numbers below 2 + reach).
 */
#include "geometry/kernels/near_kernels.h"
#include "query/proximity_leaves.h"
#include "query/proximity_search.h"

struct near_candidate {
    uint32_t rank_a, feature_a, rank_b, feature_b;
};

/* Pairs that wait for the filter. */
struct near_queue {
    struct near_batch batch;
    struct near_candidate candidates[NEAR_BATCH];
    uint32_t count;
};

struct tree_search {
    struct proximity_search *search;
    const struct near_kernels *near;
    const struct surface_forest *forest;
    const double *growth; /* by rank */
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

/* ---- the filter ------------------------------------------------------------------------------------------------------------ */

static void flush(struct leaf_work *work, bool edges)
{
    struct near_queue *queue = edges ? &work->edges : &work->vertices;
    const struct near_kernels *near = work->tree->near;
    struct proximity_search *search = work->tree->search;
    if (queue->count == 0) {
        return;
    }
    uint32_t left = ~(edges ? near->far_edges : near->far_vertices)(&queue->batch) & ((2u << (queue->count - 1)) - 1);
    for (; left; left &= left - 1) {
        const struct near_candidate *pair = &queue->candidates[__builtin_ctz(left)];
        search->workers[work->worker].candidates++;
        (edges ? proximity_try_edges : proximity_try_vertex_face)(search, work->block, pair->rank_a, pair->feature_a, pair->rank_b,
                                                                  pair->feature_b);
    }
    queue->count = 0;
}

static inline void put_point(struct near_queue *queue, int point, const struct leaf_points *points, uint32_t place)
{
    for (int axis = 0; axis < 3; axis++) {
        queue->batch.point[point][axis][queue->count] = points->x[axis][place];
    }
}

static inline void put_edges(struct leaf_work *work, const struct near_leaf *a, uint32_t edge_a, const struct near_leaf *b, uint32_t edge_b,
                             float bound)
{
    struct near_queue *queue = &work->edges;
    put_point(queue, 0, a->points, a->leaf->edge_ends[0][edge_a]);
    put_point(queue, 1, a->points, a->leaf->edge_ends[1][edge_a]);
    put_point(queue, 2, b->points, b->leaf->edge_ends[0][edge_b]);
    put_point(queue, 3, b->points, b->leaf->edge_ends[1][edge_b]);
    queue->batch.bound[queue->count] = bound;
    queue->candidates[queue->count++] = (struct near_candidate){a->rank, a->leaf->edges[edge_a], b->rank, b->leaf->edges[edge_b]};
    if (queue->count == NEAR_BATCH) {
        flush(work, true);
    }
}

static inline void put_vertex(struct leaf_work *work, const struct near_leaf *a, uint32_t vertex, const struct near_leaf *b, uint32_t face,
                              float bound)
{
    struct near_queue *queue = &work->vertices;
    put_point(queue, 0, a->points, vertex);
    for (int k = 0; k < 3; k++) {
        put_point(queue, k + 1, b->points, b->leaf->corners[k][face]);
    }
    queue->batch.bound[queue->count] = bound;
    queue->candidates[queue->count++] = (struct near_candidate){a->rank, a->leaf->vertices[vertex], b->rank, b->leaf->faces[face]};
    if (queue->count == NEAR_BATCH) {
        flush(work, false);
    }
}

/* ---- boxes ----------------------------------------------------------------------------------------------------------------- */

/* Bits of the first `count` features whose boxes meet the box. */
static inline uint64_t meeting(struct leaf_work *work, const struct feature_boxes *boxes, uint32_t count, const float lo[3], const float hi[3])
{
    const struct surface_kernels *kernels = work->tree->search->kernels->surfaces;
    uint64_t bits = 0;
    for (uint32_t offset = 0; offset < count; offset += 16) {
        bits |= (uint64_t)kernels->meet(boxes->lo, boxes->hi, offset, 3, lo, hi) << offset;
    }
    work->box_tests += count;
    return bits;
}

static inline void grown_box(const struct feature_boxes *boxes, uint32_t feature, float reach, float lo[3], float hi[3])
{
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = boxes->lo_of[axis][feature] - reach;
        hi[axis] = boxes->hi_of[axis][feature] + reach;
    }
}

/* Two leaves and how far they reach. */
struct near_pair {
    const struct near_leaf *a, *b;
    const struct common_features *common; /* of b with a; null: none */
    float reach, bound;
    uint32_t vertices_a, faces_b; /* bits: those that meet the other leaf's box */
    uint64_t edges_a, edges_b;
};

static void compare_vertices(struct leaf_work *work, const struct near_pair *pair)
{
    for (uint32_t left = pair->vertices_a; left; left &= left - 1) {
        uint32_t vertex = (uint32_t)__builtin_ctz(left);
        float lo[3], hi[3];
        grown_box(&pair->a->vertices, vertex, pair->reach, lo, hi);
        uint32_t row = (uint32_t)meeting(work, &pair->b->faces, pair->b->leaf->face_count, lo, hi) & pair->faces_b;
        row &= pair->common ? ~pair->common->faces[vertex] : UINT32_MAX;
        for (; row; row &= row - 1) {
            put_vertex(work, pair->a, vertex, pair->b, (uint32_t)__builtin_ctz(row), pair->bound);
        }
    }
}

static void compare_edges(struct leaf_work *work, const struct near_pair *pair)
{
    bool same = pair->a->leaf == pair->b->leaf;
    for (uint64_t left = pair->edges_a; left; left &= left - 1) {
        uint32_t edge = (uint32_t)__builtin_ctzll(left);
        float lo[3], hi[3];
        grown_box(&pair->a->edges, edge, pair->reach, lo, hi);
        uint64_t row = meeting(work, &pair->b->edges, pair->b->leaf->edge_count, lo, hi) & pair->edges_b;
        row &= same ? ~((UINT64_C(2) << edge) - 1) : UINT64_MAX; /* each pair once */
        if (pair->common) {
            row &= ~(pair->common->edges[pair->a->leaf->edge_ends[0][edge]] | pair->common->edges[pair->a->leaf->edge_ends[1][edge]]);
        }
        for (; row; row &= row - 1) {
            put_edges(work, pair->a, edge, pair->b, (uint32_t)__builtin_ctzll(row), pair->bound);
        }
    }
}

/* The vertices of a with the faces of b; and, where `edges` is set, the edges of a with those of b. */
static void compare_leaves(struct leaf_work *work, const struct near_leaf *a, const struct near_leaf *b, bool may_share, float reach,
                           float bound, bool edges)
{
    float lo_a[3], hi_a[3], lo_b[3], hi_b[3];
    for (int axis = 0; axis < 3; axis++) {
        lo_a[axis] = a->lo[axis] - reach;
        hi_a[axis] = a->hi[axis] + reach;
        lo_b[axis] = b->lo[axis] - reach;
        hi_b[axis] = b->hi[axis] + reach;
    }
    struct near_pair pair = {.a = a, .b = b, .reach = reach, .bound = bound};
    pair.vertices_a = (uint32_t)meeting(work, &a->vertices, a->leaf->vertex_count, lo_b, hi_b) & a->leaf->owned_vertices;
    pair.faces_b = pair.vertices_a ? (uint32_t)meeting(work, &b->faces, b->leaf->face_count, lo_a, hi_a) : 0;
    pair.edges_a = edges ? meeting(work, &a->edges, a->leaf->edge_count, lo_b, hi_b) : 0;
    pair.edges_b = pair.edges_a ? meeting(work, &b->edges, b->leaf->edge_count, lo_a, hi_a) : 0;
    struct common_features common;
    if (may_share && (pair.faces_b || pair.edges_b)) {
        const struct posed_body *bodies = work->tree->search->pose->bodies;
        find_common_features(bodies[a->rank].body, a->leaf, bodies[b->rank].body, b->leaf, &common);
        pair.common = &common;
    }
    if (pair.faces_b) {
        compare_vertices(work, &pair);
    }
    if (pair.edges_b) {
        compare_edges(work, &pair);
    }
}

/* The largest difference of coordinates between points of the two leaves. */
static float extent_of(const struct near_leaf *a, const struct near_leaf *b)
{
    float extent = 0;
    for (int axis = 0; axis < 3; axis++) {
        float lo = a->lo[axis] < b->lo[axis] ? a->lo[axis] : b->lo[axis], hi = a->hi[axis] > b->hi[axis] ? a->hi[axis] : b->hi[axis];
        extent = hi - lo > extent ? hi - lo : extent;
    }
    return extent * (1.0f + 0x1p-20f);
}

static void visit_pair(struct leaf_work *work, const struct leaf_pair *pair)
{
    const struct surface_forest *forest = work->tree->forest;
    const struct near_leaf *a = near_leaf_of(work->cache, 0, forest, pair->rank_a, pair->leaf_a), *b = a;
    bool same = pair->rank_a == pair->rank_b && pair->leaf_a == pair->leaf_b;
    if (!same) {
        b = near_leaf_of(work->cache, 1, forest, pair->rank_b, pair->leaf_b);
    }
    double scaled = (work->tree->growth[pair->rank_a] + work->tree->growth[pair->rank_b]) * forest->map.first * forest->map.second;
    float reach = (float)(scaled < 16.0 ? scaled : 16.0) * (1.0f + 0x1p-20f); /* all coordinates lie in [-1, 1] */
    float bound = (reach + 8 * FOREST_INPUT_ERROR + 16 * 0x1p-24f * extent_of(a, b)) * (1.0f + 0x1p-20f);
    compare_leaves(work, a, b, pair->may_share, reach + 0x1p-21f, bound, true);
    if (!same) {
        compare_leaves(work, b, a, pair->may_share, reach + 0x1p-21f, bound, false);
    }
}

/* ---- the visitor ----------------------------------------------------------------------------------------------------------- */

static bool visit_begin(void *user, uint32_t block_count)
{
    struct tree_search *tree = user;
    return proximity_begin(tree->search, block_count);
}

static uint64_t answers_of_block(const struct proximity_search *search, uint32_t block)
{
    size_t faces, edges;
    block_output_records(&search->state->vertex_face.blocks, block, &faces);
    block_output_records(&search->state->edge_edge.blocks, block, &edges);
    return (uint64_t)faces + edges;
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
    flush(&work, true);
    flush(&work, false);
    search->workers[worker].box_tests += work.box_tests;
    proximity_count_answers(search, answers_of_block(search, block) - before);
}

static bool prepare(struct proximity_search *search, struct tree_search *tree)
{
    const struct pose *pose = search->pose;
    uint32_t workers = dent_context_worker_count(search->context);
    double *growth = arena_allocate(search->scratch, pose->body_count, sizeof *growth);
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
    for (uint32_t rank = 0; rank < pose->body_count; rank++) {
        growth[rank] = growth_of_thickness(search->thickness[rank], pose->largest);
    }
    tree->growth = growth;
    return true;
}

bool proximity_search_forest(struct proximity_search *search)
{
    struct surface_forest *forest = &search->state->forest;
    struct tree_search tree = {
        .search = search, .near = near_kernels_for((int)search->kernels->isa), .forest = forest};
    if (!surface_forest_update(forest, search->pose, search->scratch) || !prepare(search, &tree)) {
        return false;
    }
    search->rebuilds = forest->rebuilds;
    struct forest_refit refit = {.pose = search->pose, .grow = tree.growth};
    if (!surface_forest_refit(forest, &refit, search->kernels, search->scratch)) {
        return false;
    }
    struct leaf_pair_visitor visitor = {.user = &tree, .begin = visit_begin, .visit = visit};
    return surface_forest_visit_pairs(forest, search->pose, search->kernels, search->cancel, search->scratch, &visitor,
                                      &search->workers[0].box_tests);
}
