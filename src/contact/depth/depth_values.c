/* Depth and direction at the borders (S3), and inward from there in rounds (S4).
 *
 *   S3: d = sum w (x - p).n / sum w,             r = sum w n / |...|,    w = 1 / |x - p|^2,
 *       over the hits x of p's edges
 *   S4: d = sum m ((q - p).r_q + d_q) / sum m,   r = sum m r_q / |...|,  m = 1 / |q - p|^2,
 *       over the neighbours q that got their values in an earlier round
 *
 * On a plane every term is the true depth, so both are exact there, however deep. Only earlier rounds are read: the
 * result depends on no order and each round runs in parallel. Sums go in the order of edges and neighbours. Weights are
 * taken relative to the nearest one, which neither overflows nor vanishes.
 */
#include "contact/depth/contact_run.h"

#include "geometry/numbers/vector3.h"

enum { VALUES_PER_BLOCK = 256 };

#define SAME_PLACE 1e-9      /* share of an edge (or of the farthest neighbour's distance) that counts as no distance */
#define OPPOSING_NORMALS 0.1 /* mean normals shorter than this cancel: a thin wall */
#define LEAST_WEIGHT 1e-6    /* of a neighbour, relative to the nearest one */

/* ---- S3 ---------------------------------------------------------------------------------------------------------- */

/* The term of one hit; a normal that contradicts the edge is replaced by that of the face. */
struct border_value {
    double distance, depth;
    const double *normal;
};

static struct border_value value_of(const struct contact_run *run, const struct depth_point *point,
                                    const struct depth_term *term)
{
    const double(*xyz)[3] = run->snapshot->bodies[point->body_a].xyz;
    double displacement[3];
    vector_subtract(xyz[term->other], xyz[point->vertex], displacement);
    struct border_value value = {term->share * vector_length(displacement),
                                 term->share * vector_dot(displacement, term->normal), term->normal};
    if (value.depth < 0) {
        value.depth = term->share * vector_dot(displacement, term->face_normal);
        value.normal = term->face_normal;
        value.depth = value.depth < 0 ? 0 : value.depth;
    }
    return value;
}

/* Averages the hits whose normals do not oppose `side` (null: all). False when nothing is left or the normals cancel.
 */
static bool average_hits(const struct contact_run *run, struct depth_point *point, const double *side)
{
    const struct depth_term *terms = (const struct depth_term *)run->state->terms.data + point->first_term;
    double nearest = INFINITY, sum = 0, depth = 0, direction[3] = {0, 0, 0}, spread = 0;
    for (uint32_t i = 0; i < point->term_count; i++) {
        struct border_value value = value_of(run, point, &terms[i]);
        if (terms[i].weight == 0 || (side && !(vector_dot(value.normal, side) > 0))) {
            continue;
        }
        if (terms[i].share <= SAME_PLACE) {
            point->depth = point->error = 0;
            point->face = terms[i].face;
            vector_copy(value.normal, point->direction);
            return true;
        }
        if (value.distance < nearest) {
            nearest = value.distance;
            point->face = terms[i].face;
        }
    }
    if (!(nearest > 0) || !(nearest < INFINITY)) {
        return false;
    }
    for (uint32_t i = 0; i < point->term_count; i++) {
        struct border_value value = value_of(run, point, &terms[i]);
        if (terms[i].weight > 0 && (!side || vector_dot(value.normal, side) > 0)) {
            double ratio = nearest / value.distance, weight = terms[i].weight * (ratio * ratio);
            sum += weight;
            depth += weight * value.depth;
            vector_add_scaled(direction, weight, value.normal);
        }
    }
    depth /= sum;
    if (vector_length(direction) < OPPOSING_NORMALS * sum) {
        return false;
    }
    for (uint32_t i = 0; i < point->term_count; i++) {
        struct border_value value = value_of(run, point, &terms[i]);
        bool counts = terms[i].weight > 0 && (!side || vector_dot(value.normal, side) > 0);
        double off = counts ? fabs(value.depth - depth) : 0;
        spread = off > spread ? off : spread;
    }
    vector_normalise(direction);
    point->depth = depth;
    point->error = spread;
    vector_copy(direction, point->direction);
    return true;
}

static const double *previous_direction(const struct contact_run *run, const struct depth_point *point)
{
    const dent_contact_memory *memory = run->state->memory.records.data;
    return point->previous == SLOT_NONE ? NULL : memory[point->previous].direction;
}

static bool counts_at_all(const struct contact_run *run, const struct depth_point *point)
{
    const struct depth_term *terms = (const struct depth_term *)run->state->terms.data + point->first_term;
    bool any = false;
    for (uint32_t i = 0; i < point->term_count && !any; i++) {
        any = terms[i].weight > 0;
    }
    return any;
}

/* With the borders that the region as a whole left out. */
static bool value_by_all_borders(const struct contact_run *run, struct depth_point *point)
{
    struct depth_term *terms = (struct depth_term *)run->state->terms.data + point->first_term;
    const double *previous = previous_direction(run, point);
    for (uint32_t i = 0; i < point->term_count; i++) {
        terms[i].weight = 1;
    }
    return point->term_count > 0 &&
           (average_hits(run, point, NULL) || (previous && average_hits(run, point, previous)));
}

static void border_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct contact_run *run = data;
    struct depth_point *points = run->state->points.data;
    size_t begin = (size_t)block * VALUES_PER_BLOCK, count = run->state->points.count;
    size_t end = count - begin < VALUES_PER_BLOCK ? count : begin + VALUES_PER_BLOCK;
    for (size_t i = begin; i < end; i++) {
        struct depth_point *point = &points[i];
        if (point->round == ROUND_NEVER) {
            continue;
        }
        bool has_borders = counts_at_all(run, point), valued = has_borders && average_hits(run, point, NULL);
        if (has_borders && !valued) {
            const double *previous = previous_direction(run, point);
            point->flags |= DENT_CONTACT_FLAG_THIN;
            valued = previous && average_hits(run, point, previous);
        }
        if (valued) {
            point->source = DENT_CONTACT_SOURCE_BORDER;
            point->round = 1;
        }
    }
}

bool depth_value_borders(struct contact_run *run)
{
    struct contact_state *state = run->state;
    dent_parallel_for(state->context, (uint32_t)(state->points.count / VALUES_PER_BLOCK + 1), border_block, run);
    const struct depth_point *points = state->points.data;
    array_clear(&state->queue);
    for (size_t i = 0; i < state->points.count; i++) {
        uint32_t slot = (uint32_t)i;
        run->counters.thin_walls += (points[i].flags & DENT_CONTACT_FLAG_THIN) != 0;
        if (points[i].round == 1 && !array_push(&state->queue, &slot)) {
            return false;
        }
    }
    return true;
}

/* ---- S4 ---------------------------------------------------------------------------------------------------------- */

/* The neighbour that counts, with a value from before this round; null: none. */
static const struct depth_point *valued_neighbour(const struct contact_run *run, const struct depth_point *point,
                                                  struct contact_neighbour neighbour, uint32_t round)
{
    const uint8_t *is_surface = run->snapshot->bodies[point->body_a].body->edge_is_surface;
    if (run->def->surface_only && !is_surface[neighbour.edge]) {
        return NULL;
    }
    const struct depth_point *other = depth_point_of(run, point->body_a, neighbour.vertex, point->body_b);
    bool counts = other && other->round != 0 && other->round < round &&
                  !contact_edge_is_cut(run, point->body_a, neighbour.edge, point->body_b);
    return counts ? other : NULL;
}

struct neighbour_sums {
    double nearest, farthest;
    const struct depth_point *closest;
};

static double distance_of(const struct contact_run *run, const struct depth_point *point,
                          const struct depth_point *other, double displacement[3])
{
    const double(*xyz)[3] = run->snapshot->bodies[point->body_a].xyz;
    vector_subtract(xyz[other->vertex], xyz[point->vertex], displacement);
    return vector_length(displacement);
}

static void take_value(struct depth_point *point, const struct depth_point *from)
{
    point->depth = from->depth;
    point->error = from->error;
    point->face = from->face;
    vector_copy(from->direction, point->direction);
}

static void average_neighbours(const struct contact_run *run, struct depth_point *point, uint32_t round)
{
    const struct contact_mesh *mesh = &run->state->meshes[point->body_a];
    struct neighbour_sums seen = {INFINITY, 0, NULL};
    double displacement[3], sum = 0, depth = 0, direction[3] = {0, 0, 0}, spread = 0;
    uint32_t begin = mesh->first[point->vertex], end = mesh->first[point->vertex + 1];
    for (uint32_t i = begin; i < end; i++) {
        const struct depth_point *other = valued_neighbour(run, point, mesh->neighbours[i], round);
        double distance = other ? distance_of(run, point, other, displacement) : 0;
        if (other && (!seen.closest || distance < seen.nearest)) {
            seen.nearest = distance;
            seen.closest = other;
        }
        seen.farthest = distance > seen.farthest ? distance : seen.farthest;
    }
    take_value(point, seen.closest);
    if (!(seen.nearest > SAME_PLACE * seen.farthest)) {
        return;
    }
    for (uint32_t i = begin; i < end; i++) {
        const struct depth_point *other = valued_neighbour(run, point, mesh->neighbours[i], round);
        if (other) {
            double ratio = seen.nearest / distance_of(run, point, other, displacement), weight = ratio * ratio;
            weight = weight > LEAST_WEIGHT ? weight : LEAST_WEIGHT;
            sum += weight;
            depth += weight * (vector_dot(displacement, other->direction) + other->depth);
            vector_add_scaled(direction, weight, other->direction);
        }
    }
    point->depth = depth / sum;
    for (uint32_t i = begin; i < end; i++) {
        const struct depth_point *other = valued_neighbour(run, point, mesh->neighbours[i], round);
        if (other) {
            distance_of(run, point, other, displacement);
            double off = fabs(vector_dot(displacement, other->direction) + other->depth - point->depth);
            spread = off > spread ? off : spread;
            spread = other->error > spread ? other->error : spread;
        }
    }
    point->error = spread;
    if (vector_length(direction) >= OPPOSING_NORMALS * sum) { /* else: that of the closest stays */
        vector_normalise(direction);
        vector_copy(direction, point->direction);
    } else {
        point->flags |= DENT_CONTACT_FLAG_THIN;
    }
}

struct round_loop {
    const struct contact_run *run;
    uint32_t round;
    uint8_t source; /* 0: PROPAGATED */
};

static void round_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct round_loop *loop = data;
    const uint32_t *slots = loop->run->state->next_queue.data;
    size_t begin = (size_t)block * VALUES_PER_BLOCK, count = loop->run->state->next_queue.count;
    size_t end = count - begin < VALUES_PER_BLOCK ? count : begin + VALUES_PER_BLOCK;
    for (size_t i = begin; i < end; i++) {
        struct depth_point *point = array_at(&loop->run->state->points, slots[i]);
        average_neighbours(loop->run, point, loop->round);
        point->source = loop->source ? loop->source : DENT_CONTACT_SOURCE_PROPAGATED;
        if (point->depth < 0 && value_by_all_borders(loop->run, point)) {
            point->source =
                DENT_CONTACT_SOURCE_BORDER; /* a wall beside the way out: not below the surface, but inside */
        }
        if (point->depth < 0) { /* b bends away: nothing is pulled in */
            point->depth = 0;
            point->flags |= DENT_CONTACT_FLAG_CLAMPED;
        }
    }
}

/* Unvalued neighbours of the last round's points, each once, marked with the number of the round. */
static bool next_round(struct contact_run *run, uint32_t round)
{
    struct contact_state *state = run->state;
    const uint32_t *slots = state->queue.data;
    array_clear(&state->next_queue);
    for (size_t i = 0; i < state->queue.count; i++) {
        const struct depth_point *point = array_at(&state->points, slots[i]);
        if (!depth_push_neighbours(run, point, round, &state->next_queue)) {
            return false;
        }
    }
    return true;
}

bool depth_propagate_from(struct contact_run *run, uint8_t source)
{
    struct contact_state *state = run->state;
    struct round_loop loop = {run, run->counters.rounds + 1, source};
    while (state->queue.count > 0 && !cancel_requested(run->cancel)) {
        loop.round++;
        if (!next_round(run, loop.round)) {
            return false;
        }
        dent_parallel_for(state->context, (uint32_t)(state->next_queue.count / VALUES_PER_BLOCK + 1), round_block,
                          &loop);
        run->counters.rounds += state->next_queue.count > 0;
        struct dynamic_array swap = state->queue;
        state->queue = state->next_queue;
        state->next_queue = swap;
    }
    return true;
}

/* Points that no round reached although they have borders, all of them left out. */
static bool restore_borders(struct contact_run *run)
{
    struct contact_state *state = run->state;
    struct depth_point *points = state->points.data;
    array_clear(&state->queue);
    for (size_t i = 0; i < state->points.count; i++) {
        uint32_t slot = (uint32_t)i;
        if (points[i].round == 0 && value_by_all_borders(run, &points[i])) {
            points[i].round = 1;
            points[i].source = DENT_CONTACT_SOURCE_BORDER;
            if (!array_push(&state->queue, &slot)) {
                return false;
            }
        }
    }
    return true;
}

bool depth_propagate(struct contact_run *run)
{
    return depth_propagate_from(run, 0) && restore_borders(run) && depth_propagate_from(run, 0);
}
