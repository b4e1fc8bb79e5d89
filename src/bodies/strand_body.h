/* Bodies of strands: polylines one behind the other, each from root to tip.
 *
 * Vertices of a strand follow one another, so nothing needs to be searched: segment e of strand s joins the vertices
 * e + s and e + s + 1. Its strand is v0 - e. All vertices and edges count as features of surfaces, though there is no
 * face: they take part in proximity and impact.
 */
#ifndef DENT_BODIES_STRAND_BODY_H
#define DENT_BODIES_STRAND_BODY_H

#include "bodies/body_table.h"

/* What the def says about strands; the def has passed the checks of all bodies. `body` gives the title of messages only. */
dent_status strands_check(const dent_body_def *def, const struct body *body, struct message *message);

/* Fills elements, edges and topology of a body whose def was checked. False: there is no memory; what was filled is left
 * for body_destroy. */
bool strands_make(struct body *body, const dent_body_def *def);
void strands_release(struct body *body);

/* The faces that the roots lie on must be there. `replaced`: the id of the body it stands in for. */
dent_status strand_roots_check(const struct body_table *table, const struct body *body, dent_body_id replaced,
                               struct message *message);

static inline uint32_t strand_of_segment(const struct body *body, uint32_t segment)
{
    return body->edges[segment].v0 - segment;
}

/* The largest thickness of a body; `of_query` for bodies without one of their own. */
static inline double body_thickness(const struct body *body, double of_query)
{
    return body->radii                                       ? body->largest_radius
           : body->thickness == DENT_THICKNESS_FROM_QUERY ? of_query
                                                             : body->thickness;
}

/* Of a vertex, of a segment or any other edge; `of_body` for bodies without radii. */
static inline double vertex_thickness(const struct body *body, uint32_t vertex, double of_body)
{
    return body->radii ? body->radii[vertex] : of_body;
}

static inline double edge_thickness(const struct body *body, uint32_t edge, double of_body)
{
    if (!body->radii) {
        return of_body;
    }
    double r0 = body->radii[body->edges[edge].v0], r1 = body->radii[body->edges[edge].v1];
    return r0 > r1 ? r0 : r1;
}

#endif
