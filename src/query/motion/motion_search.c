/* The first contact of two bodies: pairs of volumes over pieces of time, both split until they are apart or faces
 * remain. See motion_run.h.
 *
 * A pending pair is two nodes that could not be told apart over a piece [number, number + 1] / 2^level of the step, or
 * a part of it. They wait in a queue, the earliest first. What turns by more than a fraction of its own size during the
 * piece has its time halved; otherwise the larger of the two nodes is replaced by its children. Two faces advance in
 * time as far as their distance allows (motion_inclusion.h), in a shorter piece of time where the rest of the motion is
 * not small against the tolerance. When they come nearer than a quarter of the tolerance they are in contact, and as
 * nothing earlier waits, that is the answer: no time after the first contact is ever looked at.
 *
 * What starts at a small distance gets a time above 0, what starts touching gets 0. Faces that start nearer than the
 * tolerance are placed with twice the precision, and certified to be apart for as long as their distance must grow, or
 * cannot be used up (motion_start.h): so what leaves a contact gets away. From then on a quarter of the distance at the
 * start is what counts as contact, where that is less than a quarter of the tolerance.
 *
 * The pieces are the same for all nodes, so motions over them are looked up in a small cache. Times within a piece are
 * computed to 2^-53; what is kept of them is moved by 2^-52 to the safe side.
 */
#include <math.h>

#include "geometry/motion/motion_boxes.h"
#include "geometry/motion/motion_coplanarity.h"
#include "geometry/motion/motion_inclusion.h"
#include "geometry/motion/motion_start.h"
#include "query/motion/motion_run.h"

struct search {
    const struct motion_run *run;
    const struct motion_pair *pair;
    struct motion_worker *worker_state;
    const struct motion_volume *nodes_a, *nodes_b;
    const struct linear_volume *linear_b; /* null for rigid ones */
    const double (*corners_a)[3][3], (*corners_b)[3][3], (*ends_b)[3][3];
    bool tied;     /* vertices of the two bodies may be the same */
    bool by_fours; /* both rigid, oriented boxes */
    double limit;  /* later ones are of no interest */
    struct pair_answer *answer;
    /* The start, for faces that are near each other there. */
    bool start_known;
    struct start_pose start;
    struct motion_piece start_motion; /* at t = 0 */
    double start_gap;                 /* the least distance of such faces at t = 0 */
    double start_rest;                /* what is not known of their positions otherwise */
    uint32_t close_tests;             /* what was spent on leaving it: see CLOSE_TEST_LIMIT */
};

/* ---- the queue --------------------------------------------------------------------------------------------------- */

/* Of pairs that begin together the ones with the shorter piece first: they are nearer to an answer. */
static bool is_before(const struct pending_pair *a, const struct pending_pair *b)
{
    return a->lo < b->lo || (a->lo == b->lo && a->level > b->level);
}

static bool push_pair(struct search *search, const struct pending_pair *pending)
{
    struct dynamic_array *queue = &search->worker_state->queue;
    if (pending->lo >= search->limit) {
        return true;
    }
    if (!array_extend(queue, 1)) {
        search->answer->no_memory = true;
        return false;
    }
    struct pending_pair *heap = queue->data;
    size_t slot = queue->count - 1;
    while (slot > 0 && is_before(pending, &heap[(slot - 1) / 2])) {
        heap[slot] = heap[(slot - 1) / 2];
        slot = (slot - 1) / 2;
    }
    heap[slot] = *pending;
    return true;
}

static struct pending_pair pop_pair(struct search *search)
{
    struct dynamic_array *queue = &search->worker_state->queue;
    struct pending_pair *heap = queue->data, first = heap[0], last = heap[--queue->count];
    size_t count = queue->count, slot = 0;
    for (size_t child = 1; child < count; child = 2 * slot + 1) {
        child += child + 1 < count && is_before(&heap[child + 1], &heap[child]);
        if (!is_before(&heap[child], &last)) {
            break;
        }
        heap[slot] = heap[child];
        slot = child;
    }
    if (count > 0) {
        heap[slot] = last;
    }
    return first;
}

/* ---- pieces of time ---------------------------------------------------------------------------------------------- */

static double piece_lo(uint32_t level, uint64_t number)
{
    return (double)number * (1 / (double)(UINT64_C(1) << level));
}

static const struct time_piece *piece_of(struct search *search, uint32_t level, uint64_t number)
{
    uint64_t key = (uint64_t)level << 58 | number;
    struct time_piece *piece = &search->worker_state->pieces[(number * 5 + level * 11) % PIECE_CACHE];
    if (piece->key != key || piece->search != search->worker_state->searches) {
        double half = 0.5 / (double)(UINT64_C(1) << level);
        piece->key = key;
        piece->search = search->worker_state->searches;
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

/* The times lo and hi within a piece, and back; rounded so that the window is not too small. */
static struct piece_window window_of(const struct time_piece *piece, double lo, double hi)
{
    double inverse = 1 / piece->motion.half;
    struct piece_window window = {(lo - piece->middle) * inverse, (hi - piece->middle) * inverse, false};
    window.first = window.first > -1 ? window.first : -1;
    window.last = window.last < 1 ? window.last : 1;
    return window;
}

#define BLUR_SHARE 1.0

/* By how much a volume of this radius turns during half the piece: what its box may lose in tightness. */
static double blur_of(const struct time_piece *piece, double radius)
{
    return BLUR_SHARE * piece->motion.half * piece->motion.turning * radius;
}

static double time_of(const struct time_piece *piece, double s)
{
    return piece->middle + s * piece->motion.half;
}

/* Puts a pair into the queue that may meet in a window of a piece, which was `given` before. */
static bool push_window(struct search *search, const struct time_piece *piece, struct pending_pair *pending,
                        const struct piece_window *given, const struct piece_window *window)
{
    if (window->first > given->first) {
        double later = time_of(piece, window->first) - 0x1p-52;
        pending->lo = later > pending->lo ? later : pending->lo;
    }
    if (window->last < given->last) {
        double earlier = time_of(piece, window->last) + 0x1p-52;
        pending->hi = earlier < pending->hi ? earlier : pending->hi;
    }
    return push_pair(search, pending);
}

/* Puts the pair into the queue unless it stays apart. */
static bool consider(struct search *search, uint32_t a, uint32_t b, const struct placed_volume *placed,
                     const struct time_piece *piece, const struct pending_pair *parent, uint32_t level, uint64_t number)
{
    double lo = parent->lo > piece->lo ? parent->lo : piece->lo;
    double end = piece->middle + piece->motion.half, hi = parent->hi < end ? parent->hi : end;
    struct piece_window window = window_of(piece, lo, hi), whole = window;
    search->answer->volume_tests++;
    if (volumes_apart(search->run->volume, &search->nodes_a[a], placed, 0, &window)) {
        return true;
    }
    struct pending_pair pending = {lo, hi, number, a, b, level, (float)(placed->rest + blur_of(piece, placed->radius))};
    pending.motion = window.soon ? INFINITY : pending.motion;
    return push_window(search, piece, &pending, &whole, &window);
}

static bool halve_time(struct search *search, const struct pending_pair *pending)
{
    const double middle = piece_lo(pending->level + 1, 2 * pending->number + 1);
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t level = pending->level + 1;
        uint64_t number = 2 * pending->number + side;
        if (side == 0 ? pending->lo > middle : pending->hi < middle) {
            continue;
        }
        struct placed_volume placed;
        const struct time_piece *piece = piece_of(search, level, number);
        place_node(search, piece, pending->b, &placed);
        if (!consider(search, pending->a, pending->b, &placed, piece, pending, level, number)) {
            return false;
        }
    }
    return true;
}

/* The children of two nodes, four pairs at once. */
static bool consider_four(struct search *search, const struct time_piece *piece, const struct pending_pair *pending,
                          uint32_t first_a, uint32_t first_b)
{
    const struct motion_volume *a = &search->nodes_a[first_a], *b = &search->nodes_b[first_b];
    struct piece_window given = window_of(piece, pending->lo, pending->hi);
    struct motion_box_result result;
    unsigned apart = motion_box_kernels_for(search->run->isa)->test_boxes(&piece->motion, a, b, &given, &result);
    search->answer->volume_tests += 4;
    for (uint32_t pair = 0; pair < 4; pair++) {
        if (!(apart >> pair & 1)) {
            struct pending_pair next = *pending;
            struct piece_window window = {result.first[pair], result.last[pair], result.soon >> pair & 1};
            next.a = first_a + pair % 2;
            next.b = first_b + pair / 2;
            next.motion = (float)(result.rest[pair] + blur_of(piece, b[pair / 2].radius));
            next.motion = window.soon ? INFINITY : next.motion;
            if (!push_window(search, piece, &next, &given, &window)) {
                return false;
            }
        }
    }
    return true;
}

/* Both nodes are replaced by their children (a leaf by itself), so that up to four pairs follow. */
static bool descend(struct search *search, const struct pending_pair *pending)
{
    const struct time_piece *piece = piece_of(search, pending->level, pending->number);
    const struct motion_volume *a = &search->nodes_a[pending->a], *b = &search->nodes_b[pending->b];
    if (search->by_fours && a->size == 0 && b->size == 0) {
        return consider_four(search, piece, pending, a->first, b->first);
    }
    uint32_t first_a = a->size > 0 ? pending->a : a->first, last_a = a->size > 0 ? pending->a : a->first + 1;
    uint32_t first_b = b->size > 0 ? pending->b : b->first, last_b = b->size > 0 ? pending->b : b->first + 1;
    for (uint32_t child_b = first_b; child_b <= last_b; child_b++) {
        struct placed_volume placed;
        place_node(search, piece, child_b, &placed);
        for (uint32_t child_a = first_a; child_a <= last_a; child_a++) {
            if (!consider(search, child_a, child_b, &placed, piece, pending, pending->level, pending->number)) {
                return false;
            }
        }
    }
    return true;
}

/* Halving time costs less than opening nodes, and much less than looking at faces. */
#define TIME_FRACTION 0.025
#define TIME_FRACTION_OF_FACES 0.015

static bool should_halve_time(const struct search *search, const struct pending_pair *pending, double fraction)
{
    const struct motion_volume *a = &search->nodes_a[pending->a], *b = &search->nodes_b[pending->b];
    double radius_b = search->linear_b ? search->linear_b[pending->b].radius : b->radius;
    double larger = a->radius > radius_b ? a->radius : radius_b;
    return (double)pending->motion > fraction * larger && pending->level < LEVEL_LATEST;
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

static bool report_contact(struct search *search, const struct pending_pair *pending, double t, double touch)
{
    struct pair_answer *answer = search->answer;
    answer->verdict = DENT_MOTION_CONTACT;
    answer->initial = t <= 0;
    answer->t_lo = t;
    answer->t_estimate = touch > t && touch < pending->hi ? touch : t;
    answer->t_hi = touch > t && touch < 1 ? touch + (touch - t) : t;
    answer->t_hi = answer->t_hi < 1 ? answer->t_hi : 1;
    return true;
}

/* ---- leaving the start ------------------------------------------------------------------------------------------- */

/* So many tests of faces that move by less than a contact in their piece of time are spent to get away from a start
 * nearer than that: enough for what leaves; what slides along there is in contact in the end. */
enum { CLOSE_TEST_LIMIT = 65536, CLOSE_TEST_LIMIT_OF_INTERVALS = 1 << 20 };

static bool close_tests_are_spent(const struct search *search)
{
    bool taylor = search->run->bounds == DENT_MOTION_BOUNDS_TAYLOR; /* others need many more pieces of time */
    return search->close_tests > (uint32_t)(taylor ? CLOSE_TEST_LIMIT : CLOSE_TEST_LIMIT_OF_INTERVALS);
}

/* At this distance faces are in contact: a quarter of the tolerance, or of the distance at the start where that is
 * less, so that what leaves from there is not told to be where it comes from. */
static double contact_distance(const struct search *search)
{
    double usual = search->pair->tolerance / 4, least = 8 * search->start_rest;
    if (search->start_gap >= search->pair->tolerance || close_tests_are_spent(search)) {
        return usual;
    }
    double less = search->start_gap / 4 > least ? search->start_gap / 4 : least;
    return less < usual ? less : usual;
}

static void move_face(const struct search *search, const struct motion_piece *motion, double middle, uint32_t b,
                      struct moving_points *moving)
{
    if (search->linear_b) {
        move_linear_points(motion, middle, search->corners_b[b], search->ends_b[b], 3, moving);
    } else {
        move_points(motion, search->corners_b[b], 3, moving);
    }
}

static void know_start(struct search *search)
{
    const struct motion_pair *pair = search->pair;
    if (!search->start_known) {
        start_pose_of(&pair->chain_a, &pair->chain_b, &search->start);
        relative_motion(&pair->chain_a, &pair->chain_b, 0, 0, DENT_MOTION_BOUNDS_TAYLOR, NULL, pair->a->tree->reach,
                        pair->b->tree->reach, &search->start_motion);
        search->start_known = true;
        search->answer->time_pieces++;
    }
}

/* How two faces leave the start, if they are nearer than the tolerance there; otherwise gap and until are 0. Their
 * growing apart is looked at up to the horizon. */
static struct leaving leave_start(struct search *search, uint32_t a, uint32_t b, double horizon)
{
    const struct motion_pair *pair = search->pair;
    struct moving_points moving;
    struct motion_piece over;
    struct start_face face;
    double direction[3];
    know_start(search);
    move_face(search, &search->start_motion, 0, b, &moving);
    double distance = points_distance(search->corners_a[a], 3, &moving, direction);
    if (distance > pair->tolerance + moving.rest) {
        return (struct leaving){0, 0};
    }
    relative_motion(&pair->chain_a, &pair->chain_b, 0, horizon / 2, DENT_MOTION_BOUNDS_TAYLOR, NULL,
                    pair->a->tree->reach, pair->b->tree->reach, &over);
    start_face_of(&search->start, &search->start_motion, &over, search->corners_b[b],
                  search->linear_b ? search->ends_b[b] : NULL, &face);
    struct leaving leaving = faces_leave(search->corners_a[a], &face, search->start_motion.spin, direction);
    search->answer->time_pieces++;
    if (leaving.gap > 0) {
        search->start_gap = leaving.gap < search->start_gap ? leaving.gap : search->start_gap;
        search->start_rest = moving.rest > search->start_rest ? moving.rest : search->start_rest;
    }
    return leaving;
}

/* ---- two faces in time ------------------------------------------------------------------------------------------- */

/* The same faces from time t on: first in a shorter piece around t, then in what is left of this one. */
static bool look_closer(struct search *search, const struct pending_pair *pending, double t, double distance,
                        double rest)
{
    /* Small against the distance, or the tolerance; but not too much smaller than it was: the distance in a long piece
     * need not be what it seems. */
    double enough = contact_distance(search) / 4;
    enough = distance / 8 > enough ? distance / 8 : enough;
    enough = rest / 16 > enough ? rest / 16 : enough;
    double shrink = search->run->bounds == DENT_MOTION_BOUNDS_TAYLOR ? 0.25 : 0.5;
    uint32_t latest = t > 0 ? LEVEL_LATEST : LEVEL_LIMIT;
    struct pending_pair closer = *pending, later = *pending;
    do {
        closer.level++;
        rest *= shrink;
    } while (((t <= 0 && distance <= 0) || rest > enough) && closer.level < latest);
    uint64_t least = pending->number << (closer.level - pending->level);
    uint64_t most = (pending->number + 1) << (closer.level - pending->level);
    double number = t * (double)(UINT64_C(1) << closer.level);
    closer.number = number < (double)least ? least : (uint64_t)number;
    closer.number = closer.number < most ? closer.number : most - 1;
    closer.lo = t;
    later.lo = piece_lo(closer.level, closer.number + 1);
    closer.hi = later.lo < pending->hi ? later.lo : pending->hi;
    return push_pair(search, &closer) && (later.lo >= pending->hi || push_pair(search, &later));
}

/* True: the faces are in contact, and enough was spent on getting away from a start as near as that. */
static bool stays_at_start(struct search *search, const double (*a)[3], const struct moving_points *b)
{
    double contact = search->pair->tolerance / 4, direction[3];
    if (!(search->start_gap < search->pair->tolerance && b->motion < contact)) {
        return false;
    }
    search->close_tests++;
    return close_tests_are_spent(search) && points_distance(a, 3, b, direction) < contact;
}

/* Faces that seem to be in contact at t > 0, where they have come from a start as near as that. True: the pair goes on,
 * because it is apart for longer, or because enough is left of the distance it had. */
static bool comes_from_start(struct search *search, struct pending_pair *pending, uint32_t a, uint32_t b,
                             double distance)
{
    if (close_tests_are_spent(search)) {
        return false;
    }
    double horizons[2] = {1, 16 * pending->lo}, contact = contact_distance(search);
    for (int i = 0; i < 2 && horizons[i] <= 1; i++) {
        struct leaving leaving = leave_start(search, a, b, horizons[i]);
        if (leaving.until / 2 > pending->lo) {
            pending->lo = leaving.until >= pending->hi ? INFINITY : leaving.until / 2;
            return true;
        }
    }
    return contact_distance(search) < contact && distance > contact_distance(search);
}

/* The same faces in both halves of their piece of time. */
static bool halve_faces(struct search *search, const struct pending_pair *pending)
{
    double middle = piece_lo(pending->level + 1, 2 * pending->number + 1);
    struct pending_pair halves[2] = {*pending, *pending};
    for (uint32_t side = 0; side < 2; side++) {
        halves[side].level++;
        halves[side].number = 2 * pending->number + side;
    }
    halves[0].hi = pending->hi < middle ? pending->hi : middle;
    halves[1].lo = pending->lo > middle ? pending->lo : middle;
    return (pending->lo > middle || push_pair(search, &halves[0])) &&
           (pending->hi < middle || push_pair(search, &halves[1]));
}

/* By triple products: apart over all of the window, because apart when it begins and never coplanar. */
static bool triple_products_stay_apart(const double (*a)[3], const struct moving_points *b,
                                       const struct piece_window *window)
{
    return points_stay_apart(a, 3, b, window->first, window->first, 0) &&
           faces_never_coplanar(a, b, window->first, window->last);
}

static bool test_faces(struct search *search, const struct pending_pair *given)
{
    struct pending_pair own = *given;
    const struct pending_pair *pending = &own;
    own.motion = 0; /* from now on these faces split their time themselves */
    uint32_t a = search->nodes_a[pending->a].first, b = search->nodes_b[pending->b].first;
    const uint32_t *faces_a = search->pair->a->tree->faces.data, *faces_b = search->pair->b->tree->faces.data;
    if (search->tied && share_a_vertex(search, faces_a[a], faces_b[b])) {
        return true;
    }
    const struct time_piece *piece = piece_of(search, pending->level, pending->number);
    struct piece_window window = window_of(piece, pending->lo, pending->hi);
    struct moving_points moving;
    search->answer->face_tests++;
    move_face(search, &piece->motion, piece->middle, b, &moving);
    if (pending->lo > 0 && stays_at_start(search, search->corners_a[a], &moving)) {
        return leave_start(search, a, b, 1).until > pending->hi ||
               report_contact(search, pending, pending->lo, pending->lo);
    }
    if (search->run->coplanarity) {
        if (triple_products_stay_apart(search->corners_a[a], &moving, &window)) {
            return true;
        }
        if (moving.motion > contact_distance(search) && pending->level < LEVEL_LATEST) {
            return halve_faces(search, pending);
        }
    } /* in a short piece the distance decides */
    if (points_stay_apart(search->corners_a[a], 3, &moving, window.first, window.last, 0)) {
        return true;
    }
    if (pending->lo <= 0) {
        struct leaving leaving = leave_start(search, a, b, piece->middle + piece->motion.half);
        own.lo = leaving.gap > 0 ? leaving.until / 2 : 0;
        if (own.lo > 0) {
            return leaving.until >= pending->hi || push_pair(search, &own);
        }
    }
    double contact = contact_distance(search);
    bool at_start = pending->lo <= 0;
    struct advance advance =
        advance_points(search->corners_a[a], 3, &moving, window.first, window.last, at_start ? 0 : contact);
    if (advance.s > window.last) {
        return true;
    }
    double t = advance.s > window.first ? time_of(piece, advance.s) - 0x1p-52 : pending->lo;
    t = t > pending->lo ? t : pending->lo;
    bool near = advance.distance <= contact && moving.rest <= contact / 2;
    struct pending_pair later = *pending;
    later.lo = t;
    if (t > pending->lo && (near || moving.rest <= contact / 2)) {
        return push_pair(search, &later); /* others may be earlier now; or more steps are needed */
    }
    if (t <= 0 ? pending->level >= LEVEL_LIMIT : near || pending->level >= LEVEL_LATEST) {
        if (t > 0 && comes_from_start(search, &own, a, b, advance.distance)) {
            return push_pair(search, &own);
        }
        double rate = advance.approach / piece->motion.half;
        return report_contact(search, pending, t, rate > 0 ? t + advance.distance / rate : t);
    }
    return look_closer(search, pending, t, advance.distance, moving.rest);
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

static void prepare_search(struct search *search, const struct motion_run *run, struct motion_pair *pair,
                           struct motion_worker *worker_state, double limit)
{
    const struct motion_tree *a = pair->a->tree, *b = pair->b->tree;
    *search = (struct search){.run = run,
                              .pair = pair,
                              .worker_state = worker_state,
                              .nodes_a = a->nodes.data,
                              .nodes_b = b->nodes.data,
                              .linear_b = pair->b->rigid ? NULL : b->linear.data,
                              .corners_a = (const double(*)[3][3])a->corners.data,
                              .corners_b = (const double(*)[3][3])b->corners.data,
                              .ends_b = (const double(*)[3][3])b->ends.data,
                              .tied = pair->a->body->identities || pair->b->body->identities,
                              .by_fours = pair->b->rigid && run->volume == DENT_MOTION_VOLUME_ORIENTED_BOX,
                              .limit = limit,
                              .start_gap = INFINITY,
                              .answer = &pair->answer};
    pair->answer = (struct pair_answer){.verdict = DENT_MOTION_FREE, .t_lo = limit, .t_hi = 1};
    worker_state->searches++;
    array_clear(&worker_state->queue);
}

void motion_search_pair(const struct motion_run *run, struct motion_pair *pair, struct motion_worker *worker_state,
                        double limit)
{
    struct search search;
    prepare_search(&search, run, pair, worker_state, limit);
    if (pair->earliest > 1 || pair->earliest >= limit) {
        return;
    }
    struct placed_volume placed;
    struct pair_answer *answer = &pair->answer;
    const struct time_piece *step = piece_of(&search, 0, 0);
    const struct pending_pair whole = {.hi = 1};
    place_node(&search, step, 0, &placed);
    bool going = consider(&search, 0, 0, &placed, step, &whole, 0, 0);
    while (going && worker_state->queue.count > 0 && answer->verdict == DENT_MOTION_FREE) {
        struct pending_pair pending = pop_pair(&search);
        bool leaves = search.nodes_a[pending.a].size > 0 && search.nodes_b[pending.b].size > 0;
        if (should_halve_time(&search, &pending, leaves ? TIME_FRACTION_OF_FACES : TIME_FRACTION)) {
            going = halve_time(&search, &pending);
        } else {
            going = leaves ? test_faces(&search, &pending) : descend(&search, &pending);
        }
        uint64_t work = answer->volume_tests + answer->face_tests + answer->time_pieces;
        bool cancelled = work % 1024 == 0 && cancel_requested(run->cancel);
        if ((work > run->def->work_limit || cancelled) && answer->verdict == DENT_MOTION_FREE &&
            worker_state->queue.count > 0) {
            answer->verdict = DENT_MOTION_UNDECIDED; /* everything before the earliest that waits is settled */
            answer->t_lo = ((const struct pending_pair *)worker_state->queue.data)->lo;
        }
    }
}
