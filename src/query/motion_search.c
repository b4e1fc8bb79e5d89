/* The first contact of two bodies: pairs of volumes over pieces of time, both split until they are apart or faces
 * remain. See motion_run.h.
 *
 * A pending pair is two nodes that could not be told apart over a piece [number, number + 1] / 2^level of the step. What
 * moves by more than its own size during the piece has its time halved, the earlier half first; otherwise the larger of
 * the two nodes is replaced by its children. Two faces that cannot be told apart have their time halved until they move
 * by less than a quarter of the tolerance: then they are in contact, up to the tolerance, at the begin of the piece. In
 * the first piece of the step that is refined on, down to the rounding of the positions, so that what starts at a small
 * distance gets a time above 0 and what starts touching gets 0.
 *
 * The pieces are the same for all nodes, so motions over them are looked up in a small cache.
 */
#include <math.h>

#include "geometry/motion_inclusion.h"
#include "query/motion_run.h"

struct search {
    const struct motion_run *run;
    const struct motion_pair *pair;
    struct motion_desk *desk;
    const struct motion_volume *nodes_a, *nodes_b;
    const struct linear_volume *linear_b; /* null for rigid ones */
    const double (*corners_a)[3][3], (*corners_b)[3][3], (*ends_b)[3][3];
    bool tied; /* vertices of the two bodies may be the same */
    double best;
    struct pair_answer *answer;
};

/* ---- pieces of time ---------------------------------------------------------------------------------------------- */

static double piece_lo(uint32_t level, uint64_t number)
{
    return (double)number * (1 / (double)(UINT64_C(1) << level));
}

static const struct time_piece *piece_of(struct search *search, uint32_t level, uint64_t number)
{
    uint64_t key = ((uint64_t)level << 58 | number) + 1;
    struct time_piece *piece = &search->desk->pieces[(number * 5 + level * 11) % PIECE_CACHE];
    if (piece->key != key) {
        double half = 0.5 / (double)(UINT64_C(1) << level);
        piece->key = key;
        piece->lo = piece_lo(level, number);
        piece->middle = piece->lo + half;
        motion_of_pair(search->run, search->pair, piece->lo, half, &piece->motion);
        search->answer->time_pieces++;
    }
    return piece;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static void place_node(const struct search *search, const struct time_piece *piece, uint32_t b,
                       struct placed_volume *placed)
{
    if (search->linear_b) {
        place_linear_volume(&piece->motion, piece->middle, &search->linear_b[b], placed);
    } else {
        place_volume(&piece->motion, &search->nodes_b[b], placed);
    }
}

static bool push_pair(struct search *search, const struct pending_pair *pending)
{
    if (!array_push(&search->desk->stack, pending)) {
        search->answer->no_memory = true;
        return false;
    }
    return true;
}

/* Puts the pair on the stack unless it stays apart. */
static bool consider(struct search *search, uint32_t a, uint32_t b, const struct placed_volume *placed, uint32_t level,
                     uint64_t number)
{
    search->answer->volume_tests++;
    if (volumes_apart(search->run->volume, &search->nodes_a[a], placed, 0)) {
        return true;
    }
    const struct pending_pair pending = {a, b, number, level, (float)(placed->sweep_length + placed->rest)};
    return push_pair(search, &pending);
}

static bool halve_time(struct search *search, const struct pending_pair *pending)
{
    for (int side = 1; side >= 0; side--) { /* the earlier half is taken from the stack first */
        uint32_t level = pending->level + 1;
        uint64_t number = 2 * pending->number + (uint64_t)side;
        struct placed_volume placed;
        if (piece_lo(level, number) >= search->best) {
            continue;
        }
        place_node(search, piece_of(search, level, number), pending->b, &placed);
        if (!consider(search, pending->a, pending->b, &placed, level, number)) {
            return false;
        }
    }
    return true;
}

static bool descend(struct search *search, const struct pending_pair *pending, bool into_a)
{
    const struct time_piece *piece = piece_of(search, pending->level, pending->number);
    struct placed_volume placed;
    uint32_t first = into_a ? search->nodes_a[pending->a].first : search->nodes_b[pending->b].first;
    if (into_a) {
        place_node(search, piece, pending->b, &placed);
    }
    for (uint32_t child = first; child < first + 2; child++) {
        if (!into_a) {
            place_node(search, piece, child, &placed);
        }
        if (!consider(search, into_a ? child : pending->a, into_a ? pending->b : child, &placed, pending->level,
                      pending->number)) {
            return false;
        }
    }
    return true;
}

static bool split(struct search *search, const struct pending_pair *pending)
{
    const struct motion_volume *a = &search->nodes_a[pending->a], *b = &search->nodes_b[pending->b];
    double radius_b = search->linear_b ? search->linear_b[pending->b].radius : b->radius;
    double larger = a->radius > radius_b ? a->radius : radius_b;
    bool leaf_a = a->size > 0, leaf_b = b->size > 0;
    if ((double)pending->motion > 0.5 * larger && pending->level < LEVEL_LATEST) {
        return halve_time(search, pending);
    }
    return descend(search, pending, leaf_b || (!leaf_a && a->radius >= radius_b));
}

/* ---- faces ------------------------------------------------------------------------------------------------------- */

static bool share_a_vertex(const struct search *search, uint32_t face_a, uint32_t face_b)
{
    const struct body *a = search->pair->a->body, *b = search->pair->b->body;
    const uint32_t *corners_a = a->surface_faces[face_a].corners, *corners_b = b->surface_faces[face_b].corners;
    for (int i = 0; i < 9; i++) {
        if (body_identity(a, corners_a[i / 3]) == body_identity(b, corners_b[i % 3])) {
            return true;
        }
    }
    return false;
}

static bool is_contact(const struct search *search, const struct pending_pair *pending, double motion)
{
    if (pending->number == 0) {
        return pending->level >= LEVEL_LIMIT;
    }
    return motion <= 0.25 * search->pair->tolerance || pending->level >= LEVEL_LATEST;
}

static bool test_faces(struct search *search, const struct pending_pair *pending)
{
    uint32_t a = search->nodes_a[pending->a].first, b = search->nodes_b[pending->b].first;
    const uint32_t *faces_a = search->pair->a->tree->faces.data, *faces_b = search->pair->b->tree->faces.data;
    if (search->tied && share_a_vertex(search, faces_a[a], faces_b[b])) {
        return true;
    }
    const struct time_piece *piece = piece_of(search, pending->level, pending->number);
    struct moving_points moving;
    search->answer->face_tests++;
    if (search->linear_b) {
        move_linear_points(&piece->motion, piece->middle, search->corners_b[b], search->ends_b[b], 3, &moving);
    } else {
        move_points(&piece->motion, search->corners_b[b], 3, &moving);
    }
    if (points_stay_apart(search->corners_a[a], 3, &moving, 0)) {
        return true;
    }
    if (is_contact(search, pending, moving.motion)) {
        search->best = piece->lo;
        search->answer->verdict = DENT_MOTION_CONTACT;
        search->answer->t_lo = piece->lo;
        search->answer->t_hi = piece->middle + (piece->middle - piece->lo);
        search->answer->initial = pending->number == 0;
        return true;
    }
    struct pending_pair half = *pending;
    half.level++;
    half.number = 2 * pending->number + 1;
    if (!push_pair(search, &half)) {
        return false;
    }
    half.number--;
    return push_pair(search, &half);
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

static void give_up(struct search *search)
{
    const struct pending_pair *stack = search->desk->stack.data;
    double earliest = search->best;
    for (size_t i = 0; i < search->desk->stack.count; i++) {
        double lo = piece_lo(stack[i].level, stack[i].number);
        earliest = lo < earliest ? lo : earliest;
    }
    if (earliest < search->best) {
        search->answer->verdict = DENT_MOTION_UNDECIDED;
        search->answer->t_lo = earliest;
        search->answer->t_hi = 1;
        search->answer->initial = false;
    }
}

static void prepare_search(struct search *search, const struct motion_run *run, struct motion_pair *pair,
                           struct motion_desk *desk, double limit)
{
    const struct motion_tree *a = pair->a->tree, *b = pair->b->tree;
    *search = (struct search){.run = run,
                              .pair = pair,
                              .desk = desk,
                              .nodes_a = a->nodes.data,
                              .nodes_b = b->nodes.data,
                              .linear_b = pair->b->rigid ? NULL : b->linear.data,
                              .corners_a = (const double(*)[3][3])a->corners.data,
                              .corners_b = (const double(*)[3][3])b->corners.data,
                              .ends_b = (const double(*)[3][3])b->ends.data,
                              .tied = pair->a->body->identities || pair->b->body->identities,
                              .best = limit,
                              .answer = &pair->answer};
    pair->answer = (struct pair_answer){.verdict = DENT_MOTION_FREE, .t_lo = limit, .t_hi = 1};
    for (int i = 0; i < PIECE_CACHE; i++) {
        desk->pieces[i].key = 0;
    }
    array_clear(&desk->stack);
}

void motion_search_pair(const struct motion_run *run, struct motion_pair *pair, struct motion_desk *desk, double limit)
{
    struct search search;
    prepare_search(&search, run, pair, desk, limit);
    if (pair->earliest > 1 || pair->earliest >= limit) {
        return;
    }
    const struct pending_pair whole = {0, 0, 0, 0, INFINITY};
    struct placed_volume placed;
    place_node(&search, piece_of(&search, 0, 0), 0, &placed);
    if (!consider(&search, whole.a, whole.b, &placed, 0, 0)) {
        return;
    }
    struct pair_answer *answer = &pair->answer;
    while (desk->stack.count > 0) {
        struct pending_pair pending = ((struct pending_pair *)desk->stack.data)[--desk->stack.count];
        if (piece_lo(pending.level, pending.number) >= search.best) {
            continue;
        }
        bool leaves = search.nodes_a[pending.a].size > 0 && search.nodes_b[pending.b].size > 0;
        if (!(leaves ? test_faces(&search, &pending) : split(&search, &pending))) {
            return;
        }
        uint64_t work = answer->volume_tests + answer->face_tests + answer->time_pieces;
        if (work > run->def->box_limit || (work % 1024 == 0 && cancel_requested(run->cancel))) {
            give_up(&search);
            return;
        }
    }
}
