/* Which borders a region of contact leaves through as a whole.
 *
 * A bar laid across another and pressed in leaves it through the top, but its axis also leaves through both sides, and
 * the vertices near a side see that side nearest: they would be pushed apart, half of them each way. The normals of all
 * borders of a connected region, added up, tell where the region as a whole is to go: opposite sides cancel, the top
 * stays. Borders whose normals lean far from that direction lose their weight (from 60 degrees on, all of it at 84);
 * the vertices that have no others get their values from their neighbours. Regions whose normals cancel altogether are
 * left alone. On a plane nothing changes. In: terms with normals. Out: terms with weights.
 */
#include "contact/depth/contact_run.h"

#include "geometry/numbers/vector3.h"

#define NET_NORMAL_LEAST 0.2 /* mean of all normals, below which a region has no direction of its own */
#define COSINE_NONE 0.1      /* at this cosine and below a border counts for nothing, … */
#define COSINE_FULL 0.5      /* … from this on fully */

/* The points that hang together with the first of the queue, marked by round 1; their normals are added up. */
static bool gather_region(struct contact_run *run, double sum[3], uint64_t *count)
{
    struct contact_state *state = run->state;
    for (size_t at = 0; at < state->queue.count; at++) {
        const struct depth_point *point = array_at(&state->points, ((const uint32_t *)state->queue.data)[at]);
        const struct depth_term *terms = (const struct depth_term *)state->terms.data + point->first_term;
        for (uint32_t i = 0; i < point->term_count; i++) {
            vector_add_scaled(sum, 1, terms[i].normal);
        }
        *count += point->term_count;
        if (!depth_push_neighbours(run, point, 1, &state->queue)) {
            return false;
        }
    }
    return true;
}

static void weigh_region(struct contact_run *run, const double direction[3])
{
    struct contact_state *state = run->state;
    for (size_t at = 0; at < state->queue.count; at++) {
        struct depth_point *point = array_at(&state->points, ((const uint32_t *)state->queue.data)[at]);
        struct depth_term *terms = (struct depth_term *)state->terms.data + point->first_term;
        for (uint32_t i = 0; i < point->term_count; i++) {
            double share = (vector_dot(terms[i].normal, direction) - COSINE_NONE) / (COSINE_FULL - COSINE_NONE);
            terms[i].weight = share < 0 ? 0 : share > 1 ? 1 : share;
        }
    }
}

bool depth_weigh_borders(struct contact_run *run)
{
    struct contact_state *state = run->state;
    struct depth_point *points = state->points.data;
    struct depth_term *terms = state->terms.data;
    for (size_t i = 0; i < state->terms.count; i++) {
        terms[i].weight = 1;
    }
    if (!run->def->coherent) {
        return true;
    }
    for (size_t i = 0; i < state->points.count; i++) {
        uint32_t slot = (uint32_t)i;
        double sum[3] = {0, 0, 0};
        uint64_t count = 0;
        if (points[i].round != 0) {
            continue;
        }
        array_clear(&state->queue);
        points[i].round = 1;
        if (!array_push(&state->queue, &slot) || !gather_region(run, sum, &count)) {
            return false;
        }
        if (vector_length(sum) >= NET_NORMAL_LEAST * (double)count && vector_normalise(sum)) {
            weigh_region(run, sum);
        }
    }
    for (size_t i = 0; i < state->points.count; i++) {
        points[i].round = points[i].round == ROUND_NEVER ? ROUND_NEVER : 0;
    }
    return true;
}
