/* Which vertices of x lie in the interior of y.
 *
 * A vertex inside a solid y has a neighbourhood there, so every element of x at it overlaps y: only the corners of
 * overlapping elements (and of flat cells, which have no interior to overlap with) need to be asked. For closed
 * surfaces the answer of every vertex is wanted, because cells and faces that y's surface does not pass through take
 * theirs from their corners.
 */
#include "contact/check/inside_test.h"
#include "contact/check/overlap_stages.h"

static void vertices_inside(struct check_run *run, void *data, uint32_t begin, uint32_t end, struct check_tally *tally)
{
    struct check_side *side = data;
    const struct check_body *x = side->x, *y = side->y;
    for (uint32_t vertex = begin; vertex < end && !tally->out_of_memory; vertex++) {
        if (side->vertices[vertex] != VERTEX_UNKNOWN) {
            continue;
        }
        const double *p = x->xyz[vertex];
        struct exclusion exclusion = {&vertex, 1};
        if (box_gap(&y->bounds, p) > 0) {
            side->vertices[vertex] = VERTEX_OUTSIDE;
        } else if (y->solid) {
            bool inside = point_is_inside_solid(run, y, p, x == y ? &exclusion : NULL, tally);
            side->vertices[vertex] = inside ? VERTEX_INSIDE : VERTEX_OUTSIDE;
        } else {
            side->vertices[vertex] = (uint8_t)point_versus_closed_surface(y, &p, 1, tally);
        }
    }
}

dent_status stage_vertices_inside(struct check_run *run, struct check_side *side)
{
    const struct body *body = side->x->body;
    for (uint32_t element = 0; element < body->element_count && side->y->solid; element++) {
        uint32_t corner_count;
        const uint32_t *corners = element_corners(body, element, &corner_count);
        uint8_t wanted = side->elements[element] & (ELEMENT_OVERLAPS | ELEMENT_IS_FLAT);
        for (uint32_t k = 0; k < corner_count && wanted; k++) {
            side->vertices[corners[k]] = VERTEX_UNKNOWN;
        }
    }
    for (uint32_t vertex = 0; vertex < body->vertex_count && !side->y->solid; vertex++) {
        side->vertices[vertex] = body->vertex_use[vertex] & VERTEX_USED ? VERTEX_UNKNOWN : VERTEX_OUTSIDE;
    }
    for (uint32_t segment = 0; side->x->thin && segment < body->element_count; segment++) {
        if (check_is_at_root(run, side->x, segment, side->y)) { /* the root itself is not asked about */
            side->vertices[body->edges[segment].v0] = VERTEX_OUTSIDE;
        }
    }
    return check_for_each(run, body->vertex_count, vertices_inside, side);
}
