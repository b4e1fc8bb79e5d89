/* The crossing search over a surface forest. See surface_crossings.h. */
#include "structures/surface_crossings.h"

#include <string.h>

#include "geometry/triangle_predicates.h"
#include "structures/surface_walk.h"

enum { GROUPS_PER_BLOCK = 8, BLOCKS_MAX = 2048, ANSWERS = 256 };

struct finder {
    struct surface_walk walk;
    const struct crossing_search *search;
    uint32_t block, worker;
    uint32_t waiting; /* pairs in `batch` */
    struct narrow_batch batch;
    dent_pair pending[NARROW_BATCH]; /* kind not yet set */
    uint32_t answer_count;
    dent_pair answers[ANSWERS];
    uint8_t found[LEAF_FACES * LEAF_FACES];
    uint64_t candidates, exact_tests;
    predicate_counters predicates;
};

struct crossing_loop {
    const struct crossing_search *search;
    uint32_t groups_per_block;
    struct finder *finders; /* by worker */
};

/* ---- answers -------------------------------------------------------------------------------------------------------------- */

static void flush_answers(struct finder *finder)
{
    if (finder->answer_count > 0) {
        finder->search->take(finder->search->user, finder->block, finder->worker, finder->answers, finder->answer_count);
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

static void face_points(const struct posed_body *posed, uint32_t face, const double *points[3])
{
    const uint32_t *corners = posed->body->surface_faces[face].corners;
    for (int k = 0; k < 3; k++) {
        points[k] = posed->xyz[corners[k]];
    }
}

static void decide_exactly(struct finder *finder, const dent_pair *pair)
{
    const struct posed_body *bodies = finder->search->pose->bodies;
    const double *a[3], *b[3];
    face_points(&bodies[pair->body_a], pair->feature_a, a);
    face_points(&bodies[pair->body_b], pair->feature_b, b);
    finder->exact_tests++;
    switch (triangle_versus_triangle(a, b, &finder->predicates)) {
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

/* ---- pairs of faces ------------------------------------------------------------------------------------------------------- */

static void decide_batch(struct finder *finder)
{
    if (finder->waiting == 0) {
        return;
    }
    for (uint32_t lane = finder->waiting; lane < NARROW_BATCH; lane++) { /* empty lanes repeat the first: finite numbers */
        for (int k = 0; k < 18; k++) {
            finder->batch.corner[k / 3][k % 3][lane] = finder->batch.corner[k / 3][k % 3][0];
        }
    }
    struct narrow_signs signs = finder->search->kernels->surfaces->narrow(&finder->batch);
    uint32_t open = ((1u << finder->waiting) - 1) & ~signs.apart;
    finder->candidates += finder->waiting;
    for (; open; open &= open - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(open);
        if (signs.crossing >> lane & 1) {
            answer(finder, &finder->pending[lane], DENT_PAIR_CROSSING);
        } else if (finder->search->leave_open) {
            answer(finder, &finder->pending[lane], 0);
        } else {
            decide_exactly(finder, &finder->pending[lane]);
        }
    }
    finder->waiting = 0;
}

static void put_face(struct narrow_batch *batch, int first, uint32_t lane, const double (*xyz)[3], const struct surface_leaf *leaf,
                     uint32_t face)
{
    for (int k = 0; k < 3; k++) {
        const double *point = xyz[leaf->vertices[leaf->corners[k][face]]];
        batch->corner[first + k][0][lane] = point[0];
        batch->corner[first + k][1][lane] = point[1];
        batch->corner[first + k][2][lane] = point[2];
    }
}

/* The pair of leaves at hand. */
struct leaf_sides {
    uint32_t rank_a, rank_b;
    const struct posed_body *a, *b;
    const struct surface_leaf *leaf_a, *leaf_b;
};

static bool faces_share_vertex(const struct leaf_sides *sides, uint32_t face_a, uint32_t face_b, bool ignore_ties)
{
    if (ignore_ties && sides->rank_a != sides->rank_b) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        uint32_t vertex = sides->leaf_a->vertices[sides->leaf_a->corners[i][face_a]];
        for (int k = 0; k < 3; k++) {
            uint32_t other = sides->leaf_b->vertices[sides->leaf_b->corners[k][face_b]];
            if (ignore_ties ? vertex == other : body_identity(sides->a->body, vertex) == body_identity(sides->b->body, other)) {
                return true;
            }
        }
    }
    return false;
}

static void enqueue(struct finder *finder, const struct leaf_sides *sides, uint32_t face_a, uint32_t face_b)
{
    uint32_t lane = finder->waiting++;
    dent_pair *pair = &finder->pending[lane];
    *pair = (dent_pair){sides->rank_a, sides->leaf_a->faces[face_a], sides->rank_b, sides->leaf_b->faces[face_b], 0};
    if (pair->body_a == pair->body_b && pair->feature_a > pair->feature_b) {
        uint32_t swapped = pair->feature_a;
        pair->feature_a = pair->feature_b;
        pair->feature_b = swapped;
    }
    put_face(&finder->batch, 0, lane, sides->a->xyz, sides->leaf_a, face_a);
    put_face(&finder->batch, 3, lane, sides->b->xyz, sides->leaf_b, face_b);
    if (finder->waiting == NARROW_BATCH) {
        decide_batch(finder);
    }
}

/* ---- pairs of leaves ------------------------------------------------------------------------------------------------------ */

static struct leaf_view view_of(const struct surface_tree *tree, uint32_t leaf)
{
    const struct tree_level *level = &tree->levels[0];
    return (struct leaf_view){.points = &tree->points[leaf],
                              .corners = tree->leaves[leaf].corners,
                              .face_count = tree->leaves[leaf].face_count,
                              .lo = {level->lo[0][leaf], level->lo[1][leaf], level->lo[2][leaf]},
                              .hi = {level->hi[0][leaf], level->hi[1][leaf], level->hi[2][leaf]}};
}

static void fetch_ahead(const struct surface_walk *walk, uint32_t number)
{
    if (number < walk->count) {
        const struct surface_tree *tree = walk->forest->bodies[walk->pairs[number].rank_b].tree;
        const char *points = (const char *)&tree->points[walk->pairs[number].leaf_b];
        __builtin_prefetch(points);
        __builtin_prefetch(points + 64);
        __builtin_prefetch(points + 128);
        __builtin_prefetch(tree->leaves[walk->pairs[number].leaf_b].corners);
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

static void compare_faces(struct surface_walk *walk, uint32_t rank_a)
{
    struct finder *finder = walk->user;
    const struct posed_body *bodies = walk->pose->bodies;
    const struct surface_tree *tree_a = walk->forest->bodies[rank_a].tree;
    struct leaf_view view_a = {0}, view_b;
    uint32_t viewed = UINT32_MAX;
    for (uint32_t i = 0; i < walk->count; i++) {
        const struct walk_pair *pair = &walk->pairs[i];
        const struct surface_tree *tree_b = walk->forest->bodies[pair->rank_b].tree;
        fetch_ahead(walk, i + 3);
        if (pair->leaf_a != viewed) {
            viewed = pair->leaf_a;
            view_a = view_of(tree_a, viewed);
        }
        bool self = pair->shares == SHARES_SELF;
        if (!self) {
            view_b = view_of(tree_b, pair->leaf_b);
        }
        uint32_t count = walk->kernels->leaf_pair(&view_a, self ? &view_a : &view_b, shares_of(tree_a, pair), finder->found);
        if (count == 0) {
            continue;
        }
        struct leaf_sides sides = {.rank_a = rank_a,
                                   .rank_b = pair->rank_b,
                                   .a = &bodies[rank_a],
                                   .b = &bodies[pair->rank_b],
                                   .leaf_a = &tree_a->leaves[pair->leaf_a],
                                   .leaf_b = &tree_b->leaves[pair->leaf_b]};
        for (uint32_t k = 0; k < count; k++) {
            uint32_t face_a = finder->found[k] >> 4, face_b = finder->found[k] & 15;
            if (pair->shares != SHARES_OPEN || !faces_share_vertex(&sides, face_a, face_b, finder->search->leave_open)) {
                enqueue(finder, &sides, face_a, face_b);
            }
        }
    }
}

/* ---- blocks --------------------------------------------------------------------------------------------------------------- */

static void find_block(void *data, uint32_t block, uint32_t worker)
{
    const struct crossing_loop *loop = data;
    struct finder *finder = &loop->finders[worker];
    uint32_t first = block * loop->groups_per_block;
    finder->block = block;
    finder->worker = worker;
    for (uint32_t i = 0; i < loop->groups_per_block && first + i < loop->search->forest->group_count; i++) {
        if (cancel_requested(loop->search->cancel)) {
            break;
        }
        surface_walk_group(&finder->walk, first + i);
    }
    decide_batch(finder);
    flush_answers(finder);
}

static void finder_init(struct finder *finder, const struct crossing_search *search)
{
    finder->search = search;
    finder->waiting = finder->answer_count = 0;
    finder->candidates = finder->exact_tests = 0;
    finder->predicates = (predicate_counters){0};
    finder->walk.forest = search->forest;
    finder->walk.pose = search->pose;
    finder->walk.kernels = search->kernels->surfaces;
    finder->walk.culling = search->culling;
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
    dent_parallel_for(context, blocks, find_block, &loop);
    for (uint32_t worker = 0; worker < workers; worker++) {
        const struct finder *finder = &loop.finders[worker];
        search->box_tests += finder->walk.box_tests;
        search->leaf_pairs += finder->walk.leaf_pairs;
        search->candidates += finder->candidates;
        search->exact_tests += finder->exact_tests;
        search->predicates.exact_fallbacks += finder->predicates.exact_fallbacks;
    }
    return true;
}
