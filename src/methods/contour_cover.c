/* How many cells of a body can cover one point: what lets the walk to inner vertices stop at the first cell it finds.
 *
 * A body without a face in a cell of its own covers nothing twice. If some point is covered three times, there is a wall point with two cells over it besides
 * its own: the walls where that is so either are whole parts of the surface, and then the vertex that stands for the part lies in two
 * cells; or they end where the wall F crosses another wall G, and there the other cell of the two still covers the common segment, so that it is
 * met by both F and G; or they end at a common edge or corner of the face and a cell. So two is the most when none of the three is
 * found: no vertex in two cells, no pair with common corners, no cell met by both of two faces that cross.
 */
#include "methods/contour_walk.h"

enum { COVER_UNKNOWN = UINT32_MAX };

static bool shares_corner(const struct walk_body *body, const struct walk_pair *pair)
{
    const uint32_t *corners = body->body->surface_faces[pair->face].corners;
    const struct walk_cell *cell = &body->mesh->cells[pair->cell];
    return walk_corner_of(cell, corners[0]) < 4 || walk_corner_of(cell, corners[1]) < 4 || walk_corner_of(cell, corners[2]) < 4;
}

static bool run_has_cell(const struct contour_search *search, uint32_t run, uint32_t body, uint32_t cell)
{
    const struct walk_run *runs = search->state->runs.data;
    const struct walk_pair *pairs = search->state->pairs.data;
    for (; run != NO_RECORD; run = runs[run].before) {
        for (uint32_t i = runs[run].first; i < runs[run].first + runs[run].count; i++) {
            if (pairs[i].cell == cell && pairs[i].body_b == body) {
                return true;
            }
        }
    }
    return false;
}

static bool have_common_cell(const struct contour_search *search, const dent_pair *crossing)
{
    const struct walk_run *runs = search->state->runs.data;
    const struct walk_pair *pairs = search->state->pairs.data;
    uint32_t first_face = search->bodies[crossing->body_a].first_face;
    uint32_t other = search->last_run[first_face + crossing->feature_b];
    for (uint32_t run = search->last_run[first_face + crossing->feature_a]; run != NO_RECORD; run = runs[run].before) {
        for (uint32_t i = runs[run].first; i < runs[run].first + runs[run].count; i++) {
            if (pairs[i].body_b == crossing->body_a && run_has_cell(search, other, pairs[i].body_b, pairs[i].cell)) {
                return true;
            }
        }
    }
    return false;
}

void contour_bound_cover(struct contour_search *search)
{
    const struct walk_pair *pairs = search->state->pairs.data;
    const dent_pair *crossings = search->state->crossings.data;
    for (uint32_t rank = 0; rank < search->body_count; rank++) {
        struct walk_body *body = &search->bodies[rank];
        bool unknown = !bodies_may_meet(body->body, body->body) || body->odd_cells || body->mesh->cut_count > 0 || body->met_twice;
        body->cover = unknown ? COVER_UNKNOWN : 1;
    }
    for (size_t i = 0; i < search->state->pairs.count; i++) {
        struct walk_body *body = &search->bodies[pairs[i].body_a];
        if (pairs[i].body_a == pairs[i].body_b && body->cover != COVER_UNKNOWN) {
            body->cover = shares_corner(body, &pairs[i]) ? COVER_UNKNOWN : 2;
        }
    }
    for (size_t i = 0; i < search->state->crossings.count; i++) {
        struct walk_body *body = &search->bodies[crossings[i].body_a];
        if (body->cover == 2 && have_common_cell(search, &crossings[i])) {
            body->cover = COVER_UNKNOWN;
        }
    }
}
