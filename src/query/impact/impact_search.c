/* From leaf pairs of the surface forest to candidates.
 *
 * The forest gives pairs of leaves whose boxes over the step meet. Within such a pair every owned vertex of one meets
 * the faces of the other, and every owned edge of one the owned edges of the other, so that each pair of features comes
 * once. Most are apart on a coordinate axis at both ends of the step, which the moving-box kernel finds for 16 features
 * at a time; the rest goes to the queues of the worker. Coordinates are compared after the forest's rounding to float,
 * which keeps order, so nothing is lost; with a separation boxes are grown by half of it and by the errors of rounding,
 * and what that lets through too much the boxes in double take out again.
 *
 * A search for the earliest time looks at a part of the step only, from its beginning to the best time found so far;
 * the boxes are made anew whenever that has fallen by a quarter. Not so with a separation: its test may report a pair
 * that is apart by more than the separation all the while (by the tolerance, or when its steps are used up), and boxes
 * must not know better than the test, or the answer would depend on which pair came first.
 *
 * The features of a leaf are made from the positions when they are needed and remembered in a small table per worker:
 * memory does not grow with the number of leaves or pairs. Its outline, the moving box of the whole leaf, is remembered
 * for longer: most pairs of leaves are apart by their outlines, and then the features need not be made again.
 */
#include <float.h>

#include "bodies/strand_rules.h"
#include "structures/surface/kernels/surface_kernels.h"
#include "geometry/metric/float_boxes.h"
#include "structures/surface/kernels/moving_boxes.h"
#include "query/impact/impact_run.h"
#include "structures/surface/leaf_features.h"

enum { REMEMBERED_LEAVES = 64, REMEMBERED_OUTLINES_MAX = 4096 };

struct moving_leaf {
    uint32_t body_index, number; /* UINT32_MAX: empty */
    const struct surface_leaf *leaf;
    uint32_t first_vertex; /* of the body, in run->vertices */
    const struct body *body;
    struct moving_leaf_boxes boxes;
};

/* The moving box of a leaf from t = 0 to the time that was the best when it was made. Two are comparable only if they
 * end at the same time: coordinates at two different times say nothing about the way between. */
struct leaf_outline {
    uint32_t body_index, number; /* UINT32_MAX: empty */
    float time;
    float rows[MOVING_BOX_ROWS];
};

struct leaf_memory {
    float time;               /* the boxes are those from t = 0 to this time */
    struct moving_leaf first; /* of the pair at hand; pairs come grouped by their first leaf */
    struct leaf_outline first_outline;
    struct moving_leaf second[REMEMBERED_LEAVES];
    struct leaf_outline *outlines; /* of second leaves, by their slot in the forest */
    uint32_t outline_mask;         /* their number, a power of two, less 1 */
};

struct forest_search {
    struct impact_run *run;
    float grow; /* on every side, in rounded coordinates */
};

/* A place s + t (e - s) between rounded coordinates s and e in [-1, 1], computed in float: the roundings of the
 * difference, the product and the sum are at most 2^-24, 2^-23 and 2^-24, s and e are wrong by 2^-25 each, and growing
 * rounds by 2^-24 once more. */
#define BETWEEN_ERROR 0x1p-21f

/* ---- the features of a leaf -------------------------------------------------------------------------------------- */

/* Coordinates at `time` in place of those at the end of the step. */
static void shorten_step(const struct leaf_points *start, struct leaf_points *end, float time)
{
    for (int axis = 0; axis < 3; axis++) {
        for (int i = 0; i < LEAF_VERTICES; i++) {
            end->x[axis][i] = start->x[axis][i] + time * (end->x[axis][i] - start->x[axis][i]);
        }
    }
}

static void make_features(const struct forest_search *search, uint32_t body_index, uint32_t number, float time,
                          struct moving_leaf *features)
{
    struct impact_run *run = search->run;
    const struct surface_leaf *leaf = &run->forest->bodies[body_index].leaves[number];
    const struct moving_leaf_shape shape = {leaf->corners, leaf->edge_ends, leaf->face_count, leaf->edge_count};
    struct leaf_points end;
    features->body_index = body_index;
    features->number = number;
    features->leaf = leaf;
    features->first_vertex = run->first_vertex[body_index];
    features->body = run->snapshot->bodies[body_index].body;
    surface_kernels_for(run->isa)->load(leaf->vertices, run->ends[body_index], &run->forest->map, &end);
    const struct leaf_points *start = leaf_points_of(run->forest, body_index, number);
    float grow_end = search->grow;
    if (time < 1) {
        shorten_step(start, &end, time);
        grow_end += BETWEEN_ERROR;
    }
    moving_box_kernels_for(run->isa)->bound(&shape, start, &end, search->grow, grow_end, &features->boxes);
}

static void keep_outline(const struct moving_leaf *features, float time, struct leaf_outline *outline)
{
    outline->time = time;
    outline->body_index = features->body_index;
    outline->number = features->number;
    for (int row = 0; row < MOVING_BOX_ROWS; row++) {
        outline->rows[row] = features->boxes.whole[row][0];
    }
}

static struct leaf_outline *outline_slot(const struct forest_search *search, const struct leaf_memory *memory,
                                         uint32_t body_index, uint32_t number)
{
    uint32_t slot = search->run->forest->first_group[body_index] * LEAF_TREE_ARITY + number;
    return &memory->outlines[slot & memory->outline_mask];
}

/* Does an axis separate them in the same sense at both ends? */
static bool outlines_apart(const float a[MOVING_BOX_ROWS], const float b[MOVING_BOX_ROWS])
{
    bool apart = false;
    for (int axis = 0; axis < 3; axis++) {
        apart |= (a[axis] > b[axis + 3]) & (a[axis + 6] > b[axis + 9]);
        apart |= (b[axis] > a[axis + 3]) & (b[axis + 6] > a[axis + 9]);
    }
    return apart;
}

static const struct moving_leaf *first_leaf(const struct forest_search *search, struct leaf_memory *memory,
                                            uint32_t body_index, uint32_t number)
{
    struct moving_leaf *features = &memory->first;
    if (features->body_index != body_index || features->number != number) {
        make_features(search, body_index, number, memory->time, features);
        keep_outline(features, memory->time, &memory->first_outline);
    }
    return features;
}

/* Null where the outlines of the two leaves are apart. */
static const struct moving_leaf *second_leaf(const struct forest_search *search, struct leaf_memory *memory,
                                             uint32_t body_index, uint32_t number)
{
    struct moving_leaf *features = &memory->second[(number + 37 * body_index) % REMEMBERED_LEAVES];
    struct leaf_outline *outline = outline_slot(search, memory, body_index, number);
    bool known = outline->body_index == body_index && outline->number == number && outline->time == memory->time;
    if (known && outlines_apart(memory->first_outline.rows, outline->rows)) {
        return NULL;
    }
    if (features->body_index != body_index || features->number != number) {
        make_features(search, body_index, number, memory->time, features);
        keep_outline(features, memory->time, outline);
    }
    return features;
}

/* ---- pairs of features ------------------------------------------------------------------------------------------- */

static struct moving_boxes vertices_of(const struct moving_leaf *features)
{
    return (struct moving_boxes){features->boxes.vertices[0], LEAF_VERTICES, features->leaf->vertex_count};
}

static struct moving_boxes faces_of(const struct moving_leaf *features)
{
    return (struct moving_boxes){features->boxes.faces[0], LEAF_FACES, features->leaf->face_count};
}

static struct moving_boxes edges_of(const struct moving_leaf *features)
{
    return (struct moving_boxes){features->boxes.edges[0], MOVING_EDGES, features->leaf->edge_count};
}

/* Which of these boxes are not apart from the whole of the other leaf? */
static uint64_t near_leaf(const struct impact_run *run, const struct moving_leaf *other, struct moving_boxes boxes)
{
    struct moving_boxes whole = {other->boxes.whole[0], 16, 1};
    uint64_t mask;
    moving_box_kernels_for(run->isa)->meet(&whole, 1, &boxes, &mask);
    return mask & ((UINT64_C(1) << boxes.count) - 1); /* at most 48 */
}

/* The corners of side a or b as vertices of its body. */
static bool is_at_root(const struct impact_run *run, enum impact_kind kind, const uint32_t corners[4],
                       struct impact_pair pair)
{
    const struct body *a = run->snapshot->bodies[pair.body_a].body, *b = run->snapshot->bodies[pair.body_b].body;
    if (a->root_count == 0 && b->root_count == 0) {
        return false;
    }
    uint32_t count_a = kind == IMPACT_VERTEX_FACE ? 1 : 2, vertices[4];
    for (uint32_t i = 0; i < 4; i++) {
        vertices[i] = corners[i] - run->first_vertex[i < count_a ? pair.body_a : pair.body_b];
    }
    return strand_rule_root(run->snapshot, a, vertices, count_a, b, vertices + count_a, 4 - count_a) ||
           strand_rule_root(run->snapshot, b, vertices + count_a, 4 - count_a, a, vertices, count_a);
}

static void offer(struct impact_run *run, struct impact_worker *worker_state, enum impact_kind kind,
                  const uint32_t corners[4], struct impact_pair pair)
{
    if (is_at_root(run, kind, corners, pair)) {
        return;
    }
    if (run->separation == 0 || !impact_boxes_apart(run, kind, corners)) {
        impact_worker_add(run, worker_state, kind, corners, pair);
    }
}

/* Slots of two leaves that hold the same vertex: by slot of one, bits of slots of the other. */
struct shared_slots {
    uint16_t of_first[LEAF_VERTICES], of_second[LEAF_VERTICES];
};

static void note_shared(struct shared_slots *shared, uint32_t i, uint32_t j)
{
    shared->of_first[i] |= (uint16_t)(1u << j);
    shared->of_second[j] |= (uint16_t)(1u << i);
}

static uint32_t identity_bucket(uint64_t identity)
{
    return (uint32_t)(identity * UINT64_C(0x9E3779B97F4A7C15) >> 58);
}

/* Few slots are shared by two leaves, so most are passed over by one look at 64 buckets. In a body without ties every
 * slot of a leaf has a vertex of its own. */
static void find_shared_slots(const struct moving_leaf *a, const struct moving_leaf *b, struct shared_slots *shared)
{
    uint64_t identities[LEAF_VERTICES], buckets = 0;
    memset(shared, 0, sizeof *shared);
    if (a == b && !a->body->identities) {
        for (uint32_t i = 0; i < a->leaf->vertex_count; i++) {
            note_shared(shared, i, i);
        }
        return;
    }
    for (uint32_t j = 0; j < b->leaf->vertex_count; j++) {
        identities[j] = body_identity(b->body, b->leaf->vertices[j]);
        buckets |= UINT64_C(1) << identity_bucket(identities[j]);
    }
    for (uint32_t i = 0; i < a->leaf->vertex_count; i++) {
        uint64_t identity = body_identity(a->body, a->leaf->vertices[i]);
        for (uint32_t j = 0; (buckets >> identity_bucket(identity) & 1) && j < b->leaf->vertex_count; j++) {
            if (identities[j] == identity) {
                note_shared(shared, i, j);
            }
        }
    }
}

static void offer_vertex_and_face(struct impact_run *run, struct impact_worker *worker_state,
                                  const struct moving_leaf *v, uint32_t vertex, const struct moving_leaf *f,
                                  uint32_t face, const uint16_t *shared)
{
    uint8_t p = f->leaf->corners[0][face], q = f->leaf->corners[1][face], r = f->leaf->corners[2][face];
    if (shared && ((shared[vertex] >> p | shared[vertex] >> q | shared[vertex] >> r) & 1)) {
        return;
    }
    const uint32_t *slots = f->leaf->vertices;
    const uint32_t corners[4] = {v->first_vertex + v->leaf->vertices[vertex], f->first_vertex + slots[p],
                                 f->first_vertex + slots[q], f->first_vertex + slots[r]};
    struct impact_pair pair = {v->body_index, v->leaf->vertices[vertex], f->body_index, f->leaf->faces[face]};
    offer(run, worker_state, IMPACT_VERTEX_FACE, corners, pair);
}

/* shared: of the slots of v; null: none are. */
static void vertices_with_faces(struct impact_run *run, struct impact_worker *worker_state, const struct moving_leaf *v,
                                const struct moving_leaf *f, const uint16_t *shared)
{
    uint64_t wanted = near_leaf(run, f, vertices_of(v)) & v->leaf->owned_vertices;
    uint64_t near = wanted ? near_leaf(run, v, faces_of(f)) : 0;
    uint64_t masks[LEAF_VERTICES], *mask = masks;
    if (!near) {
        return;
    }
    struct moving_boxes vertices = vertices_of(v), faces = faces_of(f);
    moving_box_kernels_for(run->isa)->meet(&vertices, wanted, &faces, masks);
    for (; wanted; wanted &= wanted - 1) {
        worker_state->box_tests += faces.count;
        for (uint64_t left = *mask++ & near; left; left &= left - 1) {
            offer_vertex_and_face(run, worker_state, v, (uint32_t)__builtin_ctzll(wanted), f,
                                  (uint32_t)__builtin_ctzll(left), shared);
        }
    }
}

/* The ends of an edge in the order v0 < v1, into run->vertices. */
static void edge_vertices(const struct moving_leaf *leaf, uint32_t edge, uint32_t ends[2])
{
    uint32_t p = leaf->leaf->vertices[leaf->leaf->edge_ends[0][edge]],
             q = leaf->leaf->vertices[leaf->leaf->edge_ends[1][edge]];
    ends[0] = leaf->first_vertex + (p < q ? p : q);
    ends[1] = leaf->first_vertex + (p < q ? q : p);
}

static bool edges_share(const struct moving_leaf *a, uint32_t i, const struct moving_leaf *b, uint32_t j,
                        const uint16_t *shared)
{
    unsigned slots = shared[a->leaf->edge_ends[0][i]] | shared[a->leaf->edge_ends[1][i]];
    return (slots >> b->leaf->edge_ends[0][j] | slots >> b->leaf->edge_ends[1][j]) & 1;
}

static void offer_edges(struct impact_run *run, struct impact_worker *worker_state, const struct moving_leaf *a,
                        uint32_t i, const struct moving_leaf *b, uint32_t j, const uint16_t *shared)
{
    if (shared && edges_share(a, i, b, j, shared)) {
        return;
    }
    struct impact_pair pair = {a->body_index, a->leaf->edges[i], b->body_index, b->leaf->edges[j]};
    bool flipped = a->body_index == b->body_index && pair.feature_a > pair.feature_b;
    uint32_t corners[4];
    edge_vertices(a, i, flipped ? corners + 2 : corners);
    edge_vertices(b, j, flipped ? corners : corners + 2);
    if (flipped) {
        pair = (struct impact_pair){pair.body_b, pair.feature_b, pair.body_a, pair.feature_a};
    }
    offer(run, worker_state, IMPACT_EDGE_EDGE, corners, pair);
}

static void edges_with_edges(struct impact_run *run, struct impact_worker *worker_state, const struct moving_leaf *a,
                             const struct moving_leaf *b, bool same_leaf, const uint16_t *shared)
{
    uint64_t wanted = near_leaf(run, b, edges_of(a)), near = wanted ? near_leaf(run, a, edges_of(b)) : 0;
    uint64_t masks[LEAF_EDGES], *mask = masks;
    if (!near) {
        return;
    }
    struct moving_boxes edges_a = edges_of(a), edges_b = edges_of(b);
    moving_box_kernels_for(run->isa)->meet(&edges_a, wanted, &edges_b, masks);
    for (; wanted; wanted &= wanted - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(wanted);
        uint64_t left = *mask++ & near;
        left &= same_leaf ? ~UINT64_C(1) << i : ~UINT64_C(0); /* a leaf with itself: each pair once */
        worker_state->box_tests += edges_b.count;
        for (; left; left &= left - 1) {
            offer_edges(run, worker_state, a, i, b, (uint32_t)__builtin_ctzll(left), shared);
        }
    }
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

static bool begin_walk(void *user, uint32_t block_count)
{
    const struct forest_search *search = user;
    return block_output_begin(&search->run->state->blocks, block_count);
}

static void forget_leaves(struct leaf_memory *memory)
{
    memory->first.body_index = UINT32_MAX;
    for (uint32_t i = 0; i < REMEMBERED_LEAVES; i++) {
        memory->second[i].body_index = UINT32_MAX;
    }
}

/* Follows the best time of a search for the earliest, without a separation. The float is not below it. */
static void follow_best_time(const struct impact_run *run, struct leaf_memory *memory)
{
    double best = impact_best_time(run);
    if (run->earliest && run->separation == 0 && best < 0.75 * (double)memory->time) {
        float time = (float)best;
        memory->time = (double)time < best ? float_step(time, 1) : time;
        forget_leaves(memory);
    }
}

static void visit_pairs(void *user, uint32_t block, uint32_t worker, const struct leaf_pair *pairs, uint32_t count)
{
    const struct forest_search *search = user;
    struct impact_run *run = search->run;
    struct impact_worker *worker_state = &run->workers[worker];
    impact_worker_enter(run, worker_state, block);
    follow_best_time(run, worker_state->leaves);
    for (uint32_t i = 0; i < count; i++) {
        const struct leaf_pair *pair = &pairs[i];
        bool same = pair->body_index_a == pair->body_index_b && pair->leaf_a == pair->leaf_b;
        const struct moving_leaf *a = first_leaf(search, worker_state->leaves, pair->body_index_a, pair->leaf_a);
        const struct moving_leaf *b =
            same ? a : second_leaf(search, worker_state->leaves, pair->body_index_b, pair->leaf_b);
        if (!b) {
            continue;
        }
        struct shared_slots shared;
        if (pair->may_share) {
            find_shared_slots(a, b, &shared);
        }
        vertices_with_faces(run, worker_state, a, b, pair->may_share ? shared.of_first : NULL);
        if (!same) {
            vertices_with_faces(run, worker_state, b, a, pair->may_share ? shared.of_second : NULL);
        }
        edges_with_edges(run, worker_state, a, b, same, pair->may_share ? shared.of_first : NULL);
    }
}

/* As many outlines as there are leaves, up to the most. */
static bool create_outlines(const struct surface_forest *forest, struct arena *scratch, struct leaf_memory *memory)
{
    uint32_t count = LEAF_TREE_ARITY;
    while (count / LEAF_TREE_ARITY < forest->group_count && count < REMEMBERED_OUTLINES_MAX) {
        count *= 2;
    }
    memory->outlines = arena_allocate(scratch, count, sizeof *memory->outlines);
    memory->outline_mask = count - 1;
    for (uint32_t i = 0; memory->outlines && i < count; i++) {
        memory->outlines[i].body_index = UINT32_MAX;
    }
    return memory->outlines != NULL;
}

/* After the refit, which numbers the leaves. */
static bool create_leaf_memory(struct impact_run *run)
{
    uint32_t workers = dent_context_worker_count(run->context);
    struct leaf_memory *memory = arena_allocate(run->scratch, workers, sizeof *memory);
    bool enough = memory != NULL;
    for (uint32_t worker = 0; enough && worker < workers; worker++) {
        memory[worker].time = 1;
        forget_leaves(&memory[worker]);
        run->workers[worker].leaves = &memory[worker];
        enough = create_outlines(run->forest, run->scratch, &memory[worker]);
    }
    return enough;
}

dent_status impact_search_forest(struct impact_run *run)
{
    struct surface_forest *forest = run->forest;
    const struct snapshot *snapshot = run->snapshot;
    double *grow = NULL;
    if (run->separation > 0) {
        grow = arena_allocate(run->scratch, snapshot->body_count, sizeof *grow);
        for (uint32_t body_index = 0; grow && body_index < snapshot->body_count; body_index++) {
            grow[body_index] = 0.5 * run->separation * (1 + 0x1p-52) + 0x1p-1074;
        }
    }
    struct forest_refit refit = {.snapshot = snapshot, .ends = run->ends, .grow = grow};
    bool enough = (run->separation == 0 || grow) && surface_forest_update(forest, snapshot, run->scratch) &&
                  surface_forest_refit(forest, &refit, run->isa, run->scratch) && create_leaf_memory(run);
    if (!enough) {
        return impact_out_of_memory(run);
    }
    run->counters->rebuilds = forest->rebuilds;
    struct forest_search search = {.run = run};
    /* Half of an odd subnormal is rounded, that of the smallest to 0: one step more is enough. */
    search.grow = run->separation > 0 ? leaf_growth(&forest->map, 0.5 * run->separation + DBL_TRUE_MIN) : 0;
    struct leaf_pair_visitor visitor = {.user = &search, .begin = begin_walk, .visit = visit_pairs};
    if (run->by_contacts) {
        return impact_walk_contacts(run, &visitor);
    }
    if (!surface_forest_visit_pairs(forest, snapshot, run->isa, run->cancel, run->scratch, &visitor,
                                    &run->counters->box_tests)) {
        return impact_out_of_memory(run);
    }
    return DENT_OK;
}
