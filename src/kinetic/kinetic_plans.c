/* Flight plans: keys in tracks, one for all vertices that were given plans together, and the piece each vertex is on.
 *
 * A track has one event, its next key, however many vertices follow it. A vertex that gets a plan of its own leaves its
 * track; a track that nobody follows is used again. The ends of the present piece of a vertex lie together, so that judging
 * an order reads two cache lines.
 */
#include "kinetic/kinetic_data.h"

#include <string.h>

#include "neighbours/neighbours_data.h"

static struct kinetic_track *track_at(const struct dent_kinetic *tree, uint32_t track)
{
    return (struct kinetic_track *)tree->tracks.data + track;
}

static struct kinetic_vertex *vertex_at(const struct dent_kinetic *tree, uint32_t vertex)
{
    return (struct kinetic_vertex *)tree->vertices.data + vertex;
}

/* ---- coordinates along directions -------------------------------------------------------------------------------- */

static void corner_directions(const double place[3], double *to)
{
    double x = 0.25 * place[0], y = 0.25 * place[1], z = 0.25 * place[2];
    to[0] = x + y + z;
    to[1] = -x + y + z;
    to[2] = x - y + z;
    to[3] = -x - y + z;
}

static void edge_directions(const double place[3], double *to)
{
    double x = 0.5 * place[0], y = 0.5 * place[1], z = 0.5 * place[2];
    to[0] = x + y;
    to[1] = x - y;
    to[2] = x + z;
    to[3] = x - z;
    to[4] = y + z;
    to[5] = y - z;
}

static void read_directions(const double place[3], uint32_t directions, double *to)
{
    memcpy(to, place, 3 * sizeof *to);
    if (directions == 7 || directions == 13) {
        corner_directions(place, to + 3);
    }
    if (directions >= 9) {
        edge_directions(place, to + directions - 6);
    }
}

/* Scaling may round a subnormal number by half a step, each of two sums rounds by 2^-53 of at most 3/4 of the largest. */
static double slack_of(double largest)
{
    return largest * 0x1p-51 + 0x1p-1071;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static dent_status check_times(struct dent_kinetic *tree, const dent_flight_plans *plans)
{
    for (uint32_t key = 0; key < plans->key_count; key++) {
        if (!(fabs(plans->times[key]) <= 0x1p1000)) {
            return dent_fail(tree->context, DENT_ERROR_BAD_NUMBER, "key %u: the time is %g", (unsigned)key,
                             plans->times[key]);
        }
        if (key > 0 && !(plans->times[key] > plans->times[key - 1])) {
            return dent_fail(tree->context, DENT_ERROR_INVALID_ARGUMENT, "key %u: the time does not come after that before",
                             (unsigned)key);
        }
    }
    return DENT_OK;
}

static dent_status check_plans(struct dent_kinetic *tree, const dent_flight_plans *plans)
{
    if (plans->vertex_count == 0 || plans->key_count == 0 || !plans->times || !plans->positions) {
        return dent_fail(tree->context, DENT_ERROR_INVALID_ARGUMENT, "plans need vertices, keys, times and positions");
    }
    if (plans->first_vertex > tree->vertices.count) {
        return dent_fail(tree->context, DENT_ERROR_INVALID_ARGUMENT,
                         "plans begin at vertex %u, but there are %zu vertices", (unsigned)plans->first_vertex,
                         tree->vertices.count);
    }
    if ((uint64_t)plans->first_vertex + plans->vertex_count >= UINT32_MAX) {
        return dent_fail(tree->context, DENT_ERROR_TOO_LARGE, "2^32 - 1 vertices or more");
    }
    for (uint32_t key = 0; key < plans->key_count; key++) {
        dent_status status =
            neighbours_check_positions(tree->context, &plans->positions[key], plans->vertex_count, "places of vertices");
        if (status) {
            return status;
        }
    }
    return check_times(tree, plans);
}

/* Fails with BAD_NUMBER. */
static dent_status read_keys(struct dent_kinetic *tree, const dent_flight_plans *plans, double *numbers, double *largest)
{
    memcpy(numbers, plans->times, plans->key_count * sizeof *numbers);
    numbers += plans->key_count;
    for (uint32_t key = 0; key < plans->key_count; key++) {
        for (uint32_t vertex = 0; vertex < plans->vertex_count; vertex++, numbers += tree->directions) {
            double place[3];
            neighbours_read_place(&plans->positions[key], vertex, place);
            for (int axis = 0; axis < 3; axis++) {
                if (!isfinite(place[axis])) {
                    return dent_fail(tree->context, DENT_ERROR_BAD_NUMBER, "key %u, vertex %u: %c is not finite",
                                     (unsigned)key, (unsigned)(plans->first_vertex + vertex), "xyz"[axis]);
                }
                *largest = fmax(*largest, fabs(place[axis]));
            }
            read_directions(place, tree->directions, numbers);
        }
    }
    return DENT_OK;
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

static const double *key_of(const struct dent_kinetic *tree, const struct kinetic_track *track, uint32_t vertex,
                            uint32_t key)
{
    return track->numbers + track->key_count +
           ((size_t)key * track->vertex_count + (vertex - track->first_vertex)) * tree->directions;
}

static void load_vertex(struct dent_kinetic *tree, const struct kinetic_track *track, uint32_t vertex)
{
    double *piece = (double *)tree->pieces.data + (size_t)vertex * (2 + 2 * tree->directions);
    uint32_t last = track->key_count - 1, next = track->piece <= last ? track->piece : last;
    uint32_t before = track->piece > 0 ? track->piece - 1 : 0;
    const double *from = key_of(tree, track, vertex, before), *to = key_of(tree, track, vertex, next);
    double first = track->numbers[0];
    piece[0] = track->piece > 0 ? track->numbers[before] : first - (1 + fabs(first)); /* it stands: any time before */
    piece[1] = track->piece <= last ? track->numbers[next] : INFINITY;
    for (uint32_t direction = 0; direction < tree->directions; direction++) {
        piece[2 + 2 * direction] = from[direction];
        piece[3 + 2 * direction] = to[direction];
    }
}

void kinetic_track_load(struct dent_kinetic *tree, uint32_t number)
{
    const struct kinetic_track *track = track_at(tree, number);
    for (uint32_t i = 0; i < track->vertex_count; i++) {
        struct kinetic_vertex *vertex = vertex_at(tree, track->first_vertex + i);
        if (vertex->track == number) {
            load_vertex(tree, track, track->first_vertex + i);
            vertex->changes++;
        }
    }
}

void kinetic_track_schedule(struct dent_kinetic *tree, uint32_t number)
{
    const struct kinetic_track *track = track_at(tree, number);
    bool more = track->user_count > 0 && track->piece < track->key_count;
    event_queue_set(&tree->track_queue, number, more ? track->numbers[track->piece] : INFINITY);
}

static void seek(struct dent_kinetic *tree, uint32_t number)
{
    struct kinetic_track *track = track_at(tree, number);
    uint32_t low = 0, high = track->key_count; /* keys before low are not after now, keys from high on are */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (track->numbers[middle] <= tree->now) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    track->piece = low;
    kinetic_track_load(tree, number);
    kinetic_track_schedule(tree, number);
}

void kinetic_plans_seek(struct dent_kinetic *tree)
{
    for (uint32_t track = 0; track < tree->tracks.count; track++) {
        if (track_at(tree, track)->user_count > 0) {
            seek(tree, track);
        }
    }
}

/* ---- new plans --------------------------------------------------------------------------------------------------- */

static void release_numbers(struct dent_kinetic *tree, struct kinetic_track *track)
{
    dent_release(tree->context, track->numbers, track->capacity, sizeof *track->numbers);
    track->numbers = NULL;
    track->capacity = 0;
}

/* The list of unused tracks that one of this size belongs to. */
static uint32_t size_class(size_t numbers)
{
    uint32_t class = 0;
    while (numbers > 1) {
        numbers >>= 1;
        class++;
    }
    return class;
}

static void give_track(struct dent_kinetic *tree, uint32_t number)
{
    uint32_t *first = &tree->free_tracks[size_class(track_at(tree, number)->capacity)];
    track_at(tree, number)->next_free = *first;
    *first = number;
}

/* An unused track, a small one that has room if there is one at the front of a list, or a new one. */
static uint32_t find_track(const struct dent_kinetic *tree, size_t needed)
{
    uint32_t own = size_class(needed);
    for (uint32_t class = own; class < KINETIC_TRACK_SIZES; class++) {
        uint32_t first = tree->free_tracks[class];
        if (first != NO_NODE && track_at(tree, first)->capacity >= needed) {
            return first;
        }
    }
    for (uint32_t class = own + 1; class-- > 0;) { /* too small: it gets more */
        if (tree->free_tracks[class] != NO_NODE) {
            return tree->free_tracks[class];
        }
    }
    return (uint32_t)tree->tracks.count;
}

static void leave_track(struct dent_kinetic *tree, uint32_t number)
{
    if (--track_at(tree, number)->user_count == 0) {
        give_track(tree, number);
        event_queue_set(&tree->track_queue, number, INFINITY);
    }
}

/* The vertices of the plans follow the track from now on. */
static void follow(struct dent_kinetic *tree, uint32_t number, const dent_flight_plans *plans)
{
    uint32_t end = plans->first_vertex + plans->vertex_count;
    for (uint32_t v = plans->first_vertex; v < end; v++) {
        struct kinetic_vertex *vertex = vertex_at(tree, v);
        if (v < tree->vertices.count) {
            leave_track(tree, vertex->track);
        } else {
            *vertex = (struct kinetic_vertex){.first_corner = NO_NODE};
        }
        vertex->track = number;
    }
    if (end > tree->vertices.count) {
        tree->vertices.count = end;
        tree->pieces.count = (size_t)end * (2 + 2 * tree->directions);
    }
}

/* The largest speed of a vertex along a direction; infinity where it overflows. */
static double speed_of(const struct dent_kinetic *tree, const struct kinetic_track *track)
{
    size_t numbers = (size_t)track->vertex_count * tree->directions;
    double largest = 0;
    for (uint32_t key = 1; key < track->key_count; key++) {
        const double *before = track->numbers + track->key_count + (key - 1) * numbers, *after = before + numbers;
        double farthest = 0, length = 0.5 * track->numbers[key] - 0.5 * track->numbers[key - 1];
        for (size_t i = 0; i < numbers; i++) {
            double half = fabs(0.5 * after[i] - 0.5 * before[i]);
            farthest = half > farthest ? half : farthest;
        }
        largest = fmax(largest, farthest > 0 ? farthest / length * (1 + 0x1p-50) : 0);
    }
    return largest;
}

static bool reserve(struct dent_kinetic *tree, const dent_flight_plans *plans)
{
    size_t end = (size_t)plans->first_vertex + plans->vertex_count;
    return array_reserve_growing(&tree->tracks, tree->tracks.count + 1) &&
           event_queue_reserve(&tree->track_queue, tree->tracks.count + 1) &&
           array_reserve_growing(&tree->vertices, end) &&
           array_reserve_growing(&tree->pieces, end * (2 + 2 * tree->directions));
}

dent_status kinetic_plans_set(struct dent_kinetic *tree, const dent_flight_plans *plans)
{
    dent_status status = check_plans(tree, plans);
    if (status) {
        return status;
    }
    size_t needed = plans->key_count + (size_t)plans->key_count * plans->vertex_count * tree->directions;
    double largest = 0;
    uint32_t number = find_track(tree, needed);
    bool has_room = number < tree->tracks.count && track_at(tree, number)->capacity >= needed;
    double *numbers = has_room ? track_at(tree, number)->numbers : dent_allocate(tree->context, needed, sizeof *numbers);
    status = numbers && reserve(tree, plans) ? read_keys(tree, plans, numbers, &largest)
                                             : dent_fail(tree->context, DENT_ERROR_OUT_OF_MEMORY,
                                                         "no memory for plans of %u vertices", (unsigned)plans->vertex_count);
    if (status) {
        if (!has_room) {
            dent_release(tree->context, numbers, needed, sizeof *numbers);
        }
        return status;
    }
    if (number == tree->tracks.count) {
        tree->tracks.count++;
        *track_at(tree, number) = (struct kinetic_track){0};
    } else {
        tree->free_tracks[size_class(track_at(tree, number)->capacity)] = track_at(tree, number)->next_free;
    }
    struct kinetic_track *track = track_at(tree, number);
    if (!has_room) {
        release_numbers(tree, track);
        track->capacity = needed;
    }
    *track = (struct kinetic_track){.first_vertex = plans->first_vertex,
                                    .vertex_count = plans->vertex_count,
                                    .user_count = plans->vertex_count,
                                    .next_free = NO_NODE,
                                    .key_count = plans->key_count,
                                    .capacity = track->capacity,
                                    .numbers = numbers};
    follow(tree, number, plans);
    tree->largest_speed = tree->def.contacts ? fmax(tree->largest_speed, speed_of(tree, track)) : 0;
    tree->slack = fmax(tree->slack, slack_of(largest));
    seek(tree, number);
    return DENT_OK;
}

void kinetic_plans_destroy(struct dent_kinetic *tree)
{
    for (uint32_t track = 0; track < tree->tracks.count; track++) {
        release_numbers(tree, track_at(tree, track));
    }
    array_destroy(&tree->tracks);
    event_queue_destroy(&tree->track_queue);
    array_destroy(&tree->vertices);
    array_destroy(&tree->pieces);
}
