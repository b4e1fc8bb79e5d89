/* From leaf pairs of the surface forest to candidates.
 *
 * The forest gives pairs of leaves whose boxes over the step meet. Within such a pair every owned vertex of one meets the faces of the
 * other, and every owned edge of one the owned edges of the other, so that each pair of features comes once. Most are
 * apart on a coordinate axis at both ends of the step, which the moving-box kernel finds for 16 features at a time; the rest goes
 * to the desk of the worker. Coordinates are compared after the forest's rounding to float, which keeps order, so nothing
 * is lost; with a separation boxes are grown by half of it and by the errors of rounding, and what that lets through too much
 * the boxes in double take out again.
 *
 * The features of a leaf are made from the positions when they are needed and remembered in a small table per worker: memory does
 * not grow with the number of leaves or pairs.
 */
#include <math.h>

#include "query/impact_run.h"
#include "structures/leaf_features.h"

enum { REMEMBERED_LEAVES = 64 };

struct moving_leaf {
    uint32_t rank, number; /* UINT32_MAX: empty */
    const struct surface_leaf *leaf;
    uint32_t vertices[LEAF_VERTICES];   /* into run->vertices */
    uint64_t identities[LEAF_VERTICES]; /* of vertices, for sharing */
    uint8_t edge_ends[2][LEAF_EDGES];   /* places of v0 and v1 of the edge */
    _Alignas(64) float vertex_boxes[MOVING_BOX_ROWS][LEAF_VERTICES];
    float face_boxes[MOVING_BOX_ROWS][LEAF_FACES];
    float edge_boxes[MOVING_BOX_ROWS][LEAF_EDGES];
    float whole[MOVING_BOX_ROWS][16]; /* one box: of all vertices */
};

struct leaf_memory {
    struct moving_leaf first;                       /* of the pair at hand; pairs come grouped by their first leaf */
    struct moving_leaf second[REMEMBERED_LEAVES];
};

struct forest_search {
    struct impact_run *run;
    float grow; /* on every side, in rounded coordinates */
};

/* ---- the features of a leaf ------------------------------------------------------------------------------------------ */

static void empty_boxes(float *rows, uint32_t stride, uint32_t from)
{
    for (uint32_t row = 0; row < MOVING_BOX_ROWS; row++) {
        bool low = row % 6 < 3;
        for (uint32_t column = from; column < stride; column++) {
            rows[row * stride + column] = low ? INFINITY : -INFINITY;
        }
    }
}

static float smaller(float a, float b)
{
    return a < b ? a : b;
}

static float larger(float a, float b)
{
    return a > b ? a : b;
}

/* Boxes of vertices, faces, edges and of the whole leaf along one axis at one end of the step, from the rounded coordinates there. */
static void bound_features(struct moving_leaf *features, const float *x, float grow, uint32_t row)
{
    const struct surface_leaf *leaf = features->leaf;
    float low[LEAF_VERTICES], high[LEAF_VERTICES];
    float whole_low = INFINITY, whole_high = -INFINITY;
    for (uint32_t i = 0; i < LEAF_VERTICES; i++) { /* unused places repeat the first vertex */
        features->vertex_boxes[row][i] = low[i] = x[i] - grow;
        features->vertex_boxes[row + 3][i] = high[i] = x[i] + grow;
        whole_low = smaller(whole_low, low[i]);
        whole_high = larger(whole_high, high[i]);
    }
    for (uint32_t i = 0; i < leaf->face_count; i++) {
        uint8_t p = leaf->corners[0][i], q = leaf->corners[1][i], r = leaf->corners[2][i];
        features->face_boxes[row][i] = smaller(smaller(low[p], low[q]), low[r]);
        features->face_boxes[row + 3][i] = larger(larger(high[p], high[q]), high[r]);
    }
    for (uint32_t i = 0; i < leaf->edge_count; i++) {
        uint8_t p = leaf->edge_ends[0][i], q = leaf->edge_ends[1][i];
        features->edge_boxes[row][i] = smaller(low[p], low[q]);
        features->edge_boxes[row + 3][i] = larger(high[p], high[q]);
    }
    features->whole[row][0] = whole_low;
    features->whole[row + 3][0] = whole_high;
}

static void make_features(const struct forest_search *search, uint32_t rank, uint32_t number, struct moving_leaf *features)
{
    struct impact_run *run = search->run;
    const struct surface_leaf *leaf = &run->state->forest.bodies[rank].leaves[number];
    const struct body *body = run->pose->bodies[rank].body;
    struct leaf_points end;
    features->rank = rank;
    features->number = number;
    features->leaf = leaf;
    for (uint32_t i = 0; i < leaf->vertex_count; i++) {
        features->vertices[i] = run_vertex(run, rank, leaf->vertices[i]);
        features->identities[i] = body_identity(body, leaf->vertices[i]);
    }
    for (uint32_t i = 0; i < leaf->edge_count; i++) {
        uint8_t p = leaf->edge_ends[0][i], q = leaf->edge_ends[1][i];
        bool turned = leaf->vertices[p] > leaf->vertices[q];
        features->edge_ends[0][i] = turned ? q : p;
        features->edge_ends[1][i] = turned ? p : q;
    }
    empty_boxes(features->face_boxes[0], LEAF_FACES, leaf->face_count);
    empty_boxes(features->edge_boxes[0], LEAF_EDGES, leaf->edge_count);
    empty_boxes(features->whole[0], 16, 1);
    run->kernels->surfaces->load(leaf->vertices, run->state->end.xyz[rank], &run->state->forest.map, &end);
    const struct leaf_points *start = leaf_points_of(&run->state->forest, rank, number);
    for (uint32_t axis = 0; axis < 3; axis++) {
        bound_features(features, start->x[axis], search->grow, axis);
        bound_features(features, end.x[axis], search->grow, 6 + axis);
    }
}

static const struct moving_leaf *first_leaf(const struct forest_search *search, struct leaf_memory *memory, uint32_t rank,
                                              uint32_t number)
{
    struct moving_leaf *features = &memory->first;
    if (features->rank != rank || features->number != number) {
        make_features(search, rank, number, features);
    }
    return features;
}

static const struct moving_leaf *second_leaf(const struct forest_search *search, struct leaf_memory *memory, uint32_t rank,
                                               uint32_t number)
{
    struct moving_leaf *features = &memory->second[(number + 37 * rank) % REMEMBERED_LEAVES];
    if (features->rank != rank || features->number != number) {
        make_features(search, rank, number, features);
    }
    return features;
}

/* ---- pairs of features ----------------------------------------------------------------------------------------------- */

static struct moving_boxes vertices_of(const struct moving_leaf *features)
{
    return (struct moving_boxes){features->vertex_boxes[0], LEAF_VERTICES, features->leaf->vertex_count};
}

static struct moving_boxes faces_of(const struct moving_leaf *features)
{
    return (struct moving_boxes){features->face_boxes[0], LEAF_FACES, features->leaf->face_count};
}

static struct moving_boxes edges_of(const struct moving_leaf *features)
{
    return (struct moving_boxes){features->edge_boxes[0], LEAF_EDGES, features->leaf->edge_count};
}

/* Which of these boxes are not apart from the whole of the other leaf? */
static uint64_t near_leaf(const struct impact_run *run, const struct moving_leaf *other, struct moving_boxes boxes)
{
    struct moving_boxes whole = {other->whole[0], 16, 1};
    uint64_t mask;
    run->kernels->moving_boxes_meet(&whole, 1, &boxes, &mask);
    return mask & ((UINT64_C(1) << boxes.count) - 1); /* at most 48 */
}

static void offer(struct impact_run *run, struct impact_desk *desk, enum impact_kind kind, const uint32_t corners[4],
                  struct impact_pair pair)
{
    if (run->separation == 0 || !impact_boxes_apart(run, kind, corners)) {
        impact_desk_add(run, desk, kind, corners, pair);
    }
}

static void offer_vertex_and_face(struct impact_run *run, struct impact_desk *desk, const struct moving_leaf *v, uint32_t vertex,
                                  const struct moving_leaf *f, uint32_t face, bool may_share)
{
    uint8_t p = f->leaf->corners[0][face], q = f->leaf->corners[1][face], r = f->leaf->corners[2][face];
    uint64_t identity = v->identities[vertex];
    if (may_share && (identity == f->identities[p] || identity == f->identities[q] || identity == f->identities[r])) {
        return;
    }
    const uint32_t corners[4] = {v->vertices[vertex], f->vertices[p], f->vertices[q], f->vertices[r]};
    struct impact_pair pair = {v->rank, v->leaf->vertices[vertex], f->rank, f->leaf->faces[face]};
    offer(run, desk, IMPACT_VERTEX_FACE, corners, pair);
}

static void vertices_with_faces(struct impact_run *run, struct impact_desk *desk, const struct moving_leaf *v,
                                const struct moving_leaf *f, bool may_share)
{
    uint64_t wanted = near_leaf(run, f, vertices_of(v)) & v->leaf->owned_vertices;
    uint64_t near = wanted ? near_leaf(run, v, faces_of(f)) : 0;
    uint64_t masks[LEAF_VERTICES], *mask = masks;
    if (!near) {
        return;
    }
    struct moving_boxes vertices = vertices_of(v), faces = faces_of(f);
    run->kernels->moving_boxes_meet(&vertices, wanted, &faces, masks);
    for (; wanted; wanted &= wanted - 1) {
        desk->box_tests += faces.count;
        for (uint64_t left = *mask++ & near; left; left &= left - 1) {
            offer_vertex_and_face(run, desk, v, (uint32_t)__builtin_ctzll(wanted), f, (uint32_t)__builtin_ctzll(left), may_share);
        }
    }
}

static void offer_edges(struct impact_run *run, struct impact_desk *desk, const struct moving_leaf *a, uint32_t i,
                        const struct moving_leaf *b, uint32_t j, bool may_share)
{
    uint8_t a0 = a->edge_ends[0][i], a1 = a->edge_ends[1][i], b0 = b->edge_ends[0][j], b1 = b->edge_ends[1][j];
    const uint64_t *x = a->identities, *y = b->identities;
    if (may_share && (x[a0] == y[b0] || x[a0] == y[b1] || x[a1] == y[b0] || x[a1] == y[b1])) {
        return;
    }
    struct impact_pair pair = {a->rank, a->leaf->edges[i], b->rank, b->leaf->edges[j]};
    if (a->rank == b->rank && pair.feature_a > pair.feature_b) {
        const uint32_t corners[4] = {b->vertices[b0], b->vertices[b1], a->vertices[a0], a->vertices[a1]};
        struct impact_pair turned = {pair.body_b, pair.feature_b, pair.body_a, pair.feature_a};
        offer(run, desk, IMPACT_EDGE_EDGE, corners, turned);
        return;
    }
    const uint32_t corners[4] = {a->vertices[a0], a->vertices[a1], b->vertices[b0], b->vertices[b1]};
    offer(run, desk, IMPACT_EDGE_EDGE, corners, pair);
}

static void edges_with_edges(struct impact_run *run, struct impact_desk *desk, const struct moving_leaf *a,
                             const struct moving_leaf *b, bool same_leaf, bool may_share)
{
    uint64_t wanted = near_leaf(run, b, edges_of(a)), near = wanted ? near_leaf(run, a, edges_of(b)) : 0;
    uint64_t masks[LEAF_EDGES], *mask = masks;
    if (!near) {
        return;
    }
    struct moving_boxes edges_a = edges_of(a), edges_b = edges_of(b);
    run->kernels->moving_boxes_meet(&edges_a, wanted, &edges_b, masks);
    for (; wanted; wanted &= wanted - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(wanted);
        uint64_t left = *mask++ & near;
        left &= same_leaf ? ~UINT64_C(1) << i : ~UINT64_C(0); /* a leaf with itself: each pair once */
        desk->box_tests += edges_b.count;
        for (; left; left &= left - 1) {
            offer_edges(run, desk, a, i, b, (uint32_t)__builtin_ctzll(left), may_share);
        }
    }
}

/* ---- the walk -------------------------------------------------------------------------------------------------------- */

static bool begin_walk(void *user, uint32_t block_count)
{
    const struct forest_search *search = user;
    return block_output_begin(&search->run->state->blocks, block_count);
}

static void visit_pairs(void *user, uint32_t block, uint32_t worker, const struct leaf_pair *pairs, uint32_t count)
{
    const struct forest_search *search = user;
    struct impact_run *run = search->run;
    struct impact_desk *desk = &run->desks[worker];
    impact_desk_enter(run, desk, block);
    for (uint32_t i = 0; i < count; i++) {
        const struct leaf_pair *pair = &pairs[i];
        bool same = pair->rank_a == pair->rank_b && pair->leaf_a == pair->leaf_b;
        const struct moving_leaf *a = first_leaf(search, desk->leaves, pair->rank_a, pair->leaf_a);
        const struct moving_leaf *b = same ? a : second_leaf(search, desk->leaves, pair->rank_b, pair->leaf_b);
        vertices_with_faces(run, desk, a, b, pair->may_share);
        if (!same) {
            vertices_with_faces(run, desk, b, a, pair->may_share);
        }
        edges_with_edges(run, desk, a, b, same, pair->may_share);
    }
}

static bool create_leaf_memory(struct impact_run *run)
{
    uint32_t workers = dent_context_worker_count(run->context);
    struct leaf_memory *memory = arena_allocate(run->scratch, workers, sizeof *memory);
    for (uint32_t worker = 0; memory && worker < workers; worker++) {
        memory[worker].first.rank = UINT32_MAX;
        for (uint32_t i = 0; i < REMEMBERED_LEAVES; i++) {
            memory[worker].second[i].rank = UINT32_MAX;
        }
        run->desks[worker].leaves = &memory[worker];
    }
    return memory != NULL;
}

dent_status impact_search_forest(struct impact_run *run)
{
    struct surface_forest *forest = &run->state->forest;
    const struct pose *pose = run->pose;
    double *grow = NULL;
    if (run->separation > 0) {
        grow = arena_allocate(run->scratch, pose->body_count, sizeof *grow);
        for (uint32_t rank = 0; grow && rank < pose->body_count; rank++) {
            grow[rank] = 0.5 * run->separation * (1 + 0x1p-52) + 0x1p-1074;
        }
    }
    struct forest_refit refit = {.pose = pose, .ends = run->state->end.xyz, .grow = grow};
    bool enough = (run->separation == 0 || grow) && create_leaf_memory(run) && surface_forest_update(forest, pose, run->scratch);
    enough = enough && surface_forest_refit(forest, &refit, run->kernels, run->scratch);
    if (!enough) {
        return impact_out_of_memory(run);
    }
    run->counters->rebuilds = forest->rebuilds;
    struct forest_search search = {.run = run};
    search.grow = run->separation > 0 ? leaf_growth(&forest->map, 0.5 * run->separation) : 0;
    struct leaf_pair_visitor visitor = {.user = &search, .begin = begin_walk, .visit = visit_pairs};
    if (!surface_forest_visit_pairs(forest, pose, run->kernels, run->cancel, run->scratch, &visitor, &run->counters->box_tests)) {
        return impact_out_of_memory(run);
    }
    return DENT_OK;
}
