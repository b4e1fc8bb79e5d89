/* The crossing search over a surface forest. See surface_crossings.h. */
#include "structures/surface/kernels/surface_kernels.h"
#include "structures/surface/surface_crossings.h"

#include <string.h>

#include "base/prefetch.h"
#include "geometry/predicates/kernels/pair_kernels.h"
#include "geometry/predicates/triangle_predicates.h"
#include "structures/surface/surface_walk.h"

enum { GROUPS_PER_BLOCK = 8, BLOCKS_MAX = 2048, ANSWERS = 256, SURVIVORS = 1024, AHEAD = 4 };

/* Floats are left out while they decide less than half of the pairs; one batch in SAMPLED still shows how many that are. */
enum { FLOATS_ASKED_MIN = 4 * FLOAT_BATCH, FLOATS_SAMPLED = 16 };

/* A pair of faces that the float filters left. */
struct survivor {
    uint32_t leaf_a, body_index_b, leaf_b;
    uint8_t face_a, face_b;
    bool open; /* a common vertex is still possible */
};

/* What floats have left open in the block so far: the pairs of a block come in the same order on every thread. */
struct float_record {
    uint32_t asked, open, batches;
};

struct finder {
    struct surface_walk walk;
    const struct crossing_search *search;
    uint32_t block, worker;
    uint32_t survivor_count;
    struct survivor survivors[SURVIVORS];
    struct leaf_side side_a, side_b;
    struct share_rows hub_shares;
    struct float_batch floats;
    struct float_record record;
    uint32_t waiting; /* pairs in `batch` */
    struct pair_rows batch;
    dent_pair pending[PAIR_BATCH]; /* kind not yet set */
    uint32_t answer_count;
    dent_pair answers[ANSWERS];
    uint8_t found[LEAF_FACES * LEAF_FACES];
    uint64_t candidates, exact_tests;
    uint64_t ns_walk, ns_filter, ns_narrow, began; /* began: when the phase at hand did */
    predicate_counters predicates;
};

struct crossing_loop {
    const struct crossing_search *search;
    uint32_t groups_per_block;
    struct finder *finders; /* by worker */
};

/* ---- answers ---- */

static void flush_answers(struct finder *finder)
{
    if (finder->answer_count > 0) {
        finder->search->take(finder->search->user, finder->block, finder->worker, finder->answers,
                             finder->answer_count);
        finder->answer_count = 0;
    }
}

static void answer(struct finder *finder, const dent_pair *pair, dent_pair_kind kind)
{
    finder->answers[finder->answer_count] = *pair;
    finder->answers[finder->answer_count++].kind = kind;
    if (finder->answer_count == ANSWERS) {
        flush_answers(finder);
    }
}

static void face_points(const struct body_snapshot *body_snapshot, uint32_t face, const double *points[3])
{
    const uint32_t *corners = body_snapshot->body->surface_faces[face].corners;
    for (int k = 0; k < 3; k++) {
        points[k] = body_snapshot->xyz[corners[k]];
    }
}

static face_pair_kind judge(struct finder *finder, const dent_pair *pair)
{
    const struct body_snapshot *bodies = finder->search->snapshot->bodies;
    const double *a[3], *b[3];
    face_points(&bodies[pair->body_a], pair->feature_a, a);
    face_points(&bodies[pair->body_b], pair->feature_b, b);
    finder->exact_tests++;
    return triangle_versus_triangle(a, b, &finder->predicates);
}

static void decide_exactly(struct finder *finder, const dent_pair *pair)
{
    switch (judge(finder, pair)) {
    case FACE_PAIR_CROSSING:
        answer(finder, pair, DENT_PAIR_CROSSING);
        break;
    case FACE_PAIR_COPLANAR:
        answer(finder, pair, DENT_PAIR_COPLANAR);
        break;
    case FACE_PAIR_TOUCHING:
        if (finder->search->touching) {
            answer(finder, pair, DENT_PAIR_TOUCHING);
        }
        break;
    case FACE_PAIR_NONE:
        break;
    }
}

/* ---- pairs of faces ---- */

static void decide_batch(struct finder *finder)
{
    const struct crossing_search *search = finder->search;
    uint32_t waiting = (1u << finder->waiting) - 1;
    if (finder->waiting == 0) {
        return;
    }
    for (uint32_t lane = finder->waiting; lane < PAIR_BATCH; lane++) { /* empty lanes repeat the first */
        for (int k = 0; k < 6; k++) {
            finder->batch.corner[k][lane] = finder->batch.corner[k][0];
        }
    }
    finder->waiting = 0;
    struct pair_bits bits =
        pair_kernels_for(search->isa)->test[PAIR_FACE_FACE](&finder->batch, search->touching || search->leave_open);
    for (uint32_t left = waiting & ~bits.apart; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (bits.meet >> lane & 1) {
            answer(finder, &finder->pending[lane], DENT_PAIR_CROSSING);
        } else if (search->leave_open) {
            answer(finder, &finder->pending[lane], 0);
        } else if (bits.coplanar >> lane & 1) {
            answer(finder, &finder->pending[lane], DENT_PAIR_COPLANAR);
        } else {
            decide_exactly(finder, &finder->pending[lane]);
        }
    }
}

static void put_face(struct pair_rows *batch, int first, uint32_t lane, const double (*xyz)[3],
                     const struct surface_leaf *leaf, uint32_t face)
{
    for (int k = 0; k < 3; k++) {
        batch->corner[first + k][lane] = xyz[leaf->vertices[leaf->corners[k][face]]];
    }
}

/* The two sides of a pair. */
struct face_sides {
    const struct body_snapshot *a, *b;
    const struct surface_leaf *leaf_a, *leaf_b;
};

static struct face_sides sides_of(const struct finder *finder, uint32_t body_index_a, const struct survivor *survivor)
{
    const struct forest_body *trees = finder->search->forest->bodies;
    const struct body_snapshot *bodies = finder->search->snapshot->bodies;
    return (struct face_sides){&bodies[body_index_a], &bodies[survivor->body_index_b],
                               &trees[body_index_a].leaves[survivor->leaf_a],
                               &trees[survivor->body_index_b].leaves[survivor->leaf_b]};
}

static int common_vertices(const struct face_sides *sides, uint32_t face_a, uint32_t face_b, bool ignore_ties)
{
    int count = 0;
    if (ignore_ties && sides->a != sides->b) {
        return 0;
    }
    for (int i = 0; i < 3; i++) {
        uint32_t vertex = sides->leaf_a->vertices[sides->leaf_a->corners[i][face_a]];
        for (int k = 0; k < 3; k++) {
            uint32_t other = sides->leaf_b->vertices[sides->leaf_b->corners[k][face_b]];
            count += ignore_ties ? vertex == other
                                 : body_identity(sides->a->body, vertex) == body_identity(sides->b->body, other);
        }
    }
    return count;
}

static void put_rounded(struct float_batch *batch, int first, uint32_t lane, const struct surface_tree *tree,
                        uint32_t leaf, uint32_t face)
{
    const struct leaf_points *points = &tree->points[leaf];
    for (int k = 0; k < 3; k++) {
        uint8_t slot = points->corners[k][face];
        batch->corner[first + k][0][lane] = points->x[0][slot];
        batch->corner[first + k][1][lane] = points->x[1][slot];
        batch->corner[first + k][2][lane] = points->x[2][slot];
    }
}

static dent_pair pair_of(uint32_t body_index_a, uint32_t body_index_b, const struct face_sides *sides, uint32_t face_a,
                         uint32_t face_b)
{
    dent_pair pair = {body_index_a, sides->leaf_a->faces[face_a], body_index_b, sides->leaf_b->faces[face_b], 0};
    if (pair.body_a == pair.body_b && pair.feature_a > pair.feature_b) {
        uint32_t swapped = pair.feature_a;
        pair.feature_a = pair.feature_b;
        pair.feature_b = swapped;
    }
    return pair;
}

static void enqueue(struct finder *finder, uint32_t body_index_a, uint32_t body_index_b, const struct face_sides *sides,
                    uint32_t face_a, uint32_t face_b)
{
    uint32_t lane = finder->waiting++;
    finder->pending[lane] = pair_of(body_index_a, body_index_b, sides, face_a, face_b);
    put_face(&finder->batch, 0, lane, sides->a->xyz, sides->leaf_a, face_a);
    put_face(&finder->batch, 3, lane, sides->b->xyz, sides->leaf_b, face_b);
    if (finder->waiting == PAIR_BATCH) {
        decide_batch(finder);
    }
}

/* The time since the last call goes to one phase. */
static void end_phase(struct finder *finder, uint64_t *phase)
{
    uint64_t now = dent_clock_ns();
    *phase += now - finder->began;
    finder->began = now;
}

/* Up to sixteen survivors in floats. */
static struct narrow_signs decide_in_floats(struct finder *finder, uint32_t body_index_a,
                                            const struct survivor *survivors, uint32_t count)
{
    const struct forest_body *trees = finder->search->forest->bodies;
    for (uint32_t lane = 0; lane < FLOAT_BATCH; lane++) {
        const struct survivor *survivor = &survivors[lane < count ? lane : 0];
        put_rounded(&finder->floats, 0, lane, trees[body_index_a].tree, survivor->leaf_a, survivor->face_a);
        put_rounded(&finder->floats, 3, lane, trees[survivor->body_index_b].tree, survivor->leaf_b, survivor->face_b);
    }
    struct narrow_signs signs = surface_kernels_for(finder->search->isa)->narrow_floats(&finder->floats);
    uint32_t open = ((1u << count) - 1) & ~(signs.apart | signs.crossing);
    finder->record.asked += count;
    finder->record.open += (uint32_t)__builtin_popcount(open);
    return signs;
}

/* Old batches count half as much as soon as there are enough new ones. */
static bool floats_are_worth_it(struct float_record *record)
{
    if (record->asked > FLOATS_SAMPLED * FLOATS_ASKED_MIN) {
        record->asked /= 2;
        record->open /= 2;
    }
    return record->batches++ % FLOATS_SAMPLED == 0 || record->asked < FLOATS_ASKED_MIN ||
           2 * record->open < record->asked;
}

/* Up to sixteen survivors; what floats leave open, or all of them, waits for the doubles. */
static void decide_some(struct finder *finder, uint32_t body_index_a, const struct survivor *survivors, uint32_t count)
{
    struct narrow_signs signs = {0, 0};
    if (floats_are_worth_it(&finder->record)) {
        signs = decide_in_floats(finder, body_index_a, survivors, count);
    }
    finder->candidates += count;
    for (uint32_t left = ((1u << count) - 1) & ~signs.apart; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        const struct survivor *survivor = &survivors[lane];
        struct face_sides sides = sides_of(finder, body_index_a, survivor);
        if (survivor->open &&
            common_vertices(&sides, survivor->face_a, survivor->face_b, finder->search->leave_open) > 0) {
            continue;
        }
        if (signs.crossing >> lane & 1) {
            dent_pair pair = pair_of(body_index_a, survivor->body_index_b, &sides, survivor->face_a, survivor->face_b);
            answer(finder, &pair, DENT_PAIR_CROSSING);
        } else {
            enqueue(finder, body_index_a, survivor->body_index_b, &sides, survivor->face_a, survivor->face_b);
        }
    }
}

static void decide_survivors(struct finder *finder, uint32_t body_index_a)
{
    for (uint32_t i = 0; i < finder->survivor_count; i += FLOAT_BATCH) {
        uint32_t left = finder->survivor_count - i;
        decide_some(finder, body_index_a, &finder->survivors[i], left < FLOAT_BATCH ? left : FLOAT_BATCH);
    }
    finder->survivor_count = 0;
}

/* ---- pairs of leaves ---- */

PREFETCH_FUNCTION fetch_ahead(const struct surface_walk *walk, uint32_t number)
{
    if (number < walk->count) {
        const struct surface_tree *tree = walk->forest->bodies[walk->pairs[number].body_index_b].tree;
        const char *points = (const char *)&tree->points[walk->pairs[number].leaf_b];
        __builtin_prefetch(points);
        __builtin_prefetch(points + 64);
        __builtin_prefetch(points + 128);
        __builtin_prefetch(points + 192);
        __builtin_prefetch(points + 256);
    }
}

static const uint16_t *shares_of(const struct surface_tree *tree, const struct walk_pair *pair)
{
    switch (pair->shares) {
    case SHARES_NONE:
    case SHARES_OPEN:
        return NULL;
    case SHARES_SELF:
        return tree->self_shares[pair->leaf_a].rows;
    default:
        return tree->pair_shares[pair->shares].rows;
    }
}

static void keep_survivors(struct finder *finder, const struct walk_pair *pair, bool open, uint32_t count)
{
    struct survivor *next = &finder->survivors[finder->survivor_count];
    for (uint32_t i = 0; i < count; i++) {
        next[i] = (struct survivor){pair->leaf_a,          pair->body_index_b,    pair->leaf_b,
                                    finder->found[i] >> 4, finder->found[i] & 15, open};
    }
    finder->survivor_count += count;
}

/* Rows of share bits of two leaves with hubs: a leaf of a fan has one in every face, and all those pairs would survive
 * the filters. Ties between bodies are left to common_vertices. */
static const uint16_t *shares_by_hubs(struct share_rows *shares, const struct surface_tree *tree,
                                      const struct body *body, uint32_t leaf_a, uint32_t leaf_b)
{
    const struct surface_leaf *a = &tree->leaves[leaf_a], *b = &tree->leaves[leaf_b];
    uint16_t faces[LEAF_VERTICES] = {0};
    for (uint32_t bits_a = tree->open_vertices[leaf_a]; bits_a; bits_a &= bits_a - 1) {
        uint32_t slot_a = (uint32_t)__builtin_ctz(bits_a);
        for (uint32_t bits_b = tree->open_vertices[leaf_b]; bits_b; bits_b &= bits_b - 1) {
            uint32_t slot_b = (uint32_t)__builtin_ctz(bits_b);
            if (body_identity(body, a->vertices[slot_a]) != body_identity(body, b->vertices[slot_b])) {
                continue;
            }
            for (uint32_t face = 0; face < b->face_count; face++) {
                bool has =
                    b->corners[0][face] == slot_b || b->corners[1][face] == slot_b || b->corners[2][face] == slot_b;
                faces[slot_a] |= (uint16_t)((has ? 1u : 0u) << face);
            }
        }
    }
    for (uint32_t face = 0; face < LEAF_FACES; face++) {
        shares->rows[face] = face < a->face_count
                                 ? faces[a->corners[0][face]] | faces[a->corners[1][face]] | faces[a->corners[2][face]]
                                 : 0xFFFF;
    }
    return shares->rows;
}

static uint32_t compare_leaves(struct finder *finder, uint32_t body_index_a, const struct walk_pair *pair)
{
    const struct surface_walk *walk = &finder->walk;
    const struct surface_tree *tree_a = walk->forest->bodies[body_index_a].tree;
    const struct leaf_points *b = &walk->forest->bodies[pair->body_index_b].tree->points[pair->leaf_b];
    struct leaf_side *side_b = pair->shares == SHARES_SELF ? &finder->side_a : &finder->side_b;
    const uint16_t *shares = shares_of(tree_a, pair);
    if (pair->shares == SHARES_OPEN && pair->body_index_b == body_index_a) {
        shares = shares_by_hubs(&finder->hub_shares, tree_a, walk->snapshot->bodies[body_index_a].body, pair->leaf_a,
                                pair->leaf_b);
    }
    return walk->kernels->leaf_pair(&finder->side_a, b, side_b, shares, finder->found);
}

static void compare_faces(struct surface_walk *walk, uint32_t body_index_a)
{
    struct finder *finder = walk->user;
    uint32_t prepared = UINT32_MAX;
    end_phase(finder, &finder->ns_walk);
    for (uint32_t i = 0; i < walk->count; i++) {
        const struct walk_pair *pair = &walk->pairs[i];
        fetch_ahead(walk, i + AHEAD);
        if (pair->leaf_a != prepared) {
            prepared = pair->leaf_a;
            walk->kernels->prepare(&walk->forest->bodies[body_index_a].tree->points[prepared], &finder->side_a);
        }
        keep_survivors(finder, pair, pair->shares == SHARES_OPEN, compare_leaves(finder, body_index_a, pair));
        if (finder->survivor_count > SURVIVORS - LEAF_FACES * LEAF_FACES) {
            end_phase(finder, &finder->ns_filter);
            decide_survivors(finder, body_index_a);
            end_phase(finder, &finder->ns_narrow);
        }
    }
    end_phase(finder, &finder->ns_filter);
    decide_survivors(finder, body_index_a);
    end_phase(finder, &finder->ns_narrow);
}

/* ---- blocks ---- */

static void find_block(void *data, uint32_t block, uint32_t worker)
{
    const struct crossing_loop *loop = data;
    struct finder *finder = &loop->finders[worker];
    uint32_t first = block * loop->groups_per_block;
    finder->block = block;
    finder->worker = worker;
    finder->record = (struct float_record){0};
    finder->began = dent_clock_ns();
    for (uint32_t i = 0; i < loop->groups_per_block && first + i < loop->search->forest->group_count; i++) {
        if (cancel_requested(loop->search->cancel)) {
            break;
        }
        surface_walk_group(&finder->walk, first + i);
    }
    end_phase(finder, &finder->ns_walk);
    decide_batch(finder);
    flush_answers(finder);
    end_phase(finder, &finder->ns_narrow);
}

static void finder_init(struct finder *finder, const struct crossing_search *search)
{
    finder->search = search;
    finder->waiting = finder->answer_count = finder->survivor_count = 0;
    finder->candidates = finder->exact_tests = 0;
    finder->ns_walk = finder->ns_filter = finder->ns_narrow = 0;
    finder->predicates = (predicate_counters){0};
    finder->walk.forest = search->forest;
    finder->walk.snapshot = search->snapshot;
    finder->walk.kernels = surface_kernels_for(search->isa);
    finder->walk.culling = search->culling;
    finder->walk.faces_only = true;
    finder->walk.no_two_strands = finder->walk.strands_and_rest = false;
    finder->walk.take = compare_faces;
    finder->walk.user = finder;
    finder->walk.box_tests = finder->walk.leaf_pairs = 0;
}

bool surface_crossings_find(struct crossing_search *search, struct arena *scratch)
{
    dent_context *context = search->forest->context;
    uint32_t workers = dent_context_worker_count(context), groups = search->forest->group_count;
    struct crossing_loop loop = {.search = search, .groups_per_block = GROUPS_PER_BLOCK};
    if (groups / BLOCKS_MAX >= GROUPS_PER_BLOCK) {
        loop.groups_per_block = groups / BLOCKS_MAX + 1;
    }
    loop.finders = arena_allocate(scratch, workers, sizeof *loop.finders);
    uint32_t blocks = groups / loop.groups_per_block + (groups % loop.groups_per_block != 0);
    if (!loop.finders || !search->begin(search->user, blocks)) {
        return false;
    }
    for (uint32_t worker = 0; worker < workers; worker++) {
        finder_init(&loop.finders[worker], search);
    }
    loop_costs_run(&search->forest->crossing_costs, context, blocks, find_block, &loop);
    for (uint32_t worker = 0; worker < workers; worker++) {
        const struct finder *finder = &loop.finders[worker];
        search->box_tests += finder->walk.box_tests;
        search->leaf_pairs += finder->walk.leaf_pairs;
        search->candidates += finder->candidates;
        search->exact_tests += finder->exact_tests;
        search->ns_walk += finder->ns_walk;
        search->ns_filter += finder->ns_filter;
        search->ns_narrow += finder->ns_narrow;
        search->predicates.exact_fallbacks += finder->predicates.exact_fallbacks;
    }
    return true;
}
