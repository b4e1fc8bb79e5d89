/* Contacts of surface features: those within the thickness (gaps) and those that meet during the step (impacts).
 *
 * Both come as answers of their own questions; here they get weights, points and an error bound. A pair is left out,
 * and counted, when one side lies behind the surface of the other: the distance there points further inward, and the
 * depth of the vertices inside says what to do.
 */
#include "contact/depth/contact_run.h"

#include "geometry/numbers/vector3.h"
#include "contact/depth/touch_normal.h"
#include "geometry/metric/feature_distance.h"

/* ---- behind a surface? ------------------------------------------------------------------------------------------- */

/* Do all faces there have the direction on their inner side? Only where the body has an inside. */
static bool points_inward(const struct contact_run *run, const struct surface_slot *slot, const double direction[3])
{
    double normal[3];
    uint32_t face, at = 0;
    bool any = false;
    if (!contact_has_inside(run, slot->body)) {
        return false;
    }
    while ((face = place_next_face(run, slot, &at)) != SLOT_NONE) {
        contact_face_normal(run, slot->body, face, normal);
        any = true;
        if (!(vector_dot(normal, direction) < 0)) {
            return false;
        }
    }
    return any;
}

static bool lies_behind(const struct contact_run *run, const dent_contact *contact)
{
    bool vertex_face = contact->kind == DENT_CONTACT_VERTEX_FACE;
    double back[3] = {-contact->normal[0], -contact->normal[1], -contact->normal[2]};
    const struct depth_point *point =
        vertex_face ? depth_point_of(run, contact->body_a, contact->feature_a, contact->body_b) : NULL;
    if (point && (point->source != 0 || contact->body_a == contact->body_b)) { /* 0: on the surface, no depth */
        return true;
    }
    struct surface_slot a =
        slot_of(contact->body_a, contact->vertices_a, contact->weights_a, vertex_face ? 1 : 2, SLOT_NONE, 0);
    struct surface_slot b =
        slot_of(contact->body_b, contact->vertices_b, contact->weights_b, vertex_face ? 3 : 2, contact->feature_b, 0);
    return points_inward(run, &b, contact->normal) || points_inward(run, &a, back);
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

static void set_vertices(const struct contact_run *run, dent_contact *contact)
{
    const struct body *a = run->snapshot->bodies[contact->body_a].body,
                      *b = run->snapshot->bodies[contact->body_b].body;
    if (contact->kind == DENT_CONTACT_VERTEX_FACE) {
        contact->vertices_a[0] = contact->feature_a;
        memcpy(contact->vertices_b, b->surface_faces[contact->feature_b].corners, 3 * sizeof *contact->vertices_b);
    } else {
        contact->vertices_a[0] = a->edges[contact->feature_a].v0;
        contact->vertices_a[1] = a->edges[contact->feature_a].v1;
        contact->vertices_b[0] = b->edges[contact->feature_b].v0;
        contact->vertices_b[1] = b->edges[contact->feature_b].v1;
    }
}

/* The largest difference of coordinates between the first vertex and the others. */
static double extent_of(const dent_contact *contact, const double (*a)[3], const double (*b)[3])
{
    double extent = 0;
    for (int k = 0; k < 8; k++) {
        uint32_t vertex = k < 4 ? contact->vertices_a[k] : contact->vertices_b[k - 4];
        double difference[3];
        if (vertex != UINT32_MAX) {
            vector_subtract(k < 4 ? a[vertex] : b[vertex], a[contact->vertices_a[0]], difference);
            double size = vector_largest(difference);
            extent = size > extent ? size : extent;
        }
    }
    return extent;
}

/* Two features this near, in parts of their extent, have a difference that rounding (19 u of the extent, see
 * kernels/feature_lanes.h) turns by more than 2^-10: the surfaces around say the direction better. */
#define TOUCHING 0x1p-38

/* Segments of strands whose directions differ by no more than rounding, as a sine. */
#define PARALLEL 0x1p-26

/* Where segment a lies beside segment b: the middle of its places. False where they do not overlap, are not parallel, or
 * products leave the range of doubles. */
static bool middle_of_overlap(const double *const a[2], const double *const b[2], double *place_a, double *place_b)
{
    double u[3], v[3], to_start[3], to_end[3], cross[3];
    vector_subtract(a[1], a[0], u);
    vector_subtract(b[1], b[0], v);
    vector_subtract(b[0], a[0], to_start);
    vector_subtract(b[1], a[0], to_end);
    vector_cross(u, v, cross);
    double uu = vector_dot(u, u), vv = vector_dot(v, v);
    if (!(uu * vv > 0) || !(vector_dot(cross, cross) <= PARALLEL * PARALLEL * (uu * vv))) {
        return false;
    }
    double s0 = vector_dot(to_start, u) / uu, s1 = vector_dot(to_end, u) / uu;
    double low = s0 < s1 ? s0 : s1, high = s0 < s1 ? s1 : s0;
    low = low > 0 ? low : 0;
    high = high < 1 ? high : 1;
    *place_a = 0.5 * (low + high);
    *place_b = (*place_a * vector_dot(u, v) - vector_dot(to_start, v)) / vv;
    *place_b = *place_b < 0 ? 0 : *place_b > 1 ? 1 : *place_b;
    return low < high;
}

/* Parallel strands touch along a line: one contact, in the middle, which moves as they do. */
static void move_to_middle(dent_contact *contact, const double *const a[2], const double *const b[2], double touching)
{
    double s, t, difference[3];
    if (!middle_of_overlap(a, b, &s, &t)) {
        return;
    }
    contact->weights_a[0] = 1 - s;
    contact->weights_a[1] = s;
    contact->weights_b[0] = 1 - t;
    contact->weights_b[1] = t;
    for (int axis = 0; axis < 3; axis++) {
        contact->point_a[axis] = (1 - s) * a[0][axis] + s * a[1][axis];
        contact->point_b[axis] = (1 - t) * b[0][axis] + t * b[1][axis];
    }
    vector_subtract(contact->point_a, contact->point_b, difference);
    if (contact->gap > touching && vector_normalise(difference)) {
        vector_copy(difference, contact->normal);
    }
}

static void fill_gap(const struct contact_run *run, const dent_proximity *pair, dent_contact *contact)
{
    const double(*a)[3] = run->snapshot->bodies[pair->body_a].xyz, (*b)[3] = run->snapshot->bodies[pair->body_b].xyz;
    struct closest_pair closest;
    bool vertex_face = pair->kind == DENT_PROXIMITY_VERTEX_FACE;
    contact_begin(run, contact, vertex_face ? DENT_CONTACT_VERTEX_FACE : DENT_CONTACT_EDGE_EDGE,
                  DENT_CONTACT_SOURCE_GAP, pair->body_a, pair->feature_a, pair->body_b, pair->feature_b);
    set_vertices(run, contact);
    const uint32_t *v = contact->vertices_a, *w = contact->vertices_b;
    if (vertex_face) {
        const double *corners[3] = {b[w[0]], b[w[1]], b[w[2]]};
        closest_of_vertex_and_face(a[v[0]], corners, &closest);
    } else {
        const double *ends_a[2] = {a[v[0]], a[v[1]]}, *ends_b[2] = {b[w[0]], b[w[1]]};
        closest_of_edges(ends_a, ends_b, &closest);
    }
    memcpy(contact->weights_a, closest.weights_a, sizeof closest.weights_a);
    memcpy(contact->weights_b, closest.weights_b, sizeof closest.weights_b);
    vector_copy(pair->point_a, contact->point_a);
    vector_copy(pair->point_b, contact->point_b);
    vector_copy(pair->direction, contact->normal);
    contact->gap = pair->distance;
    double extent = extent_of(contact, a, b);
    contact->error = 8 * 0x1p-53 * extent;
    if (!vertex_face && body_has_segments(run->snapshot->bodies[pair->body_a].body) &&
        body_has_segments(run->snapshot->bodies[pair->body_b].body)) {
        const double *ends_a[2] = {a[v[0]], a[v[1]]}, *ends_b[2] = {b[w[0]], b[w[1]]};
        move_to_middle(contact, ends_a, ends_b, TOUCHING * extent);
    }
    if (run->def->penetration && pair->distance <= TOUCHING * extent) {
        contact_touch_normal(run, contact);
    }
}

static bool take(struct contact_run *run, const dent_contact *contact)
{
    if (contact->normal[0] == 0 && contact->normal[1] == 0 && contact->normal[2] == 0) {
        return true; /* cannot be: both questions promise a unit vector */
    }
    if (run->def->penetration && lies_behind(run, contact)) {
        run->counters.replaced++;
        return true;
    }
    return array_push(&run->state->unsorted, contact);
}

bool contact_add_gaps(struct contact_run *run, const dent_proximity_result *gaps)
{
    for (uint64_t i = 0; i < gaps->count; i++) {
        dent_contact contact;
        fill_gap(run, &gaps->pairs[i], &contact);
        if (!take(run, &contact)) {
            return false;
        }
    }
    return true;
}

static void point_at(const double (*start)[3], const double (*end)[3], const uint32_t vertices[4],
                     const double weights[4], double time, double point[3])
{
    point[0] = point[1] = point[2] = 0;
    for (int k = 0; k < 4; k++) {
        for (int axis = 0; vertices[k] != UINT32_MAX && axis < 3; axis++) {
            double from = start[vertices[k]][axis], to = end[vertices[k]][axis];
            point[axis] += weights[k] * ((1 - time) * from + time * to);
        }
    }
}

static void fill_impact(const struct contact_run *run, const dent_impact *impact, dent_contact *contact)
{
    const struct body_snapshot *a = &run->snapshot->bodies[impact->body_a], *b = &run->snapshot->bodies[impact->body_b];
    const double(*const *ends)[3] = (const double(*const *)[3])run->world->end.xyz;
    bool vertex_face = impact->kind == DENT_IMPACT_VERTEX_FACE;
    contact_begin(run, contact, vertex_face ? DENT_CONTACT_VERTEX_FACE : DENT_CONTACT_EDGE_EDGE,
                  DENT_CONTACT_SOURCE_IMPACT, impact->body_a, impact->feature_a, impact->body_b, impact->feature_b);
    set_vertices(run, contact);
    contact->time = impact->toi;
    if (vertex_face) {
        contact->weights_a[0] = 1;
        contact->weights_b[0] = (1 - impact->u) - impact->v;
        contact->weights_b[1] = impact->u;
        contact->weights_b[2] = impact->v;
    } else {
        contact->weights_a[0] = 1 - impact->u;
        contact->weights_a[1] = impact->u;
        contact->weights_b[0] = 1 - impact->v;
        contact->weights_b[1] = impact->v;
    }
    point_at(a->xyz, ends[impact->body_a], contact->vertices_a, contact->weights_a, impact->toi, contact->point_a);
    point_at(b->xyz, ends[impact->body_b], contact->vertices_b, contact->weights_b, impact->toi, contact->point_b);
    vector_copy(impact->normal, contact->normal);
    double difference[3];
    vector_subtract(contact->point_a, contact->point_b, difference);
    contact->gap = run->def->impact_separation > 0 ? vector_length(difference) : 0;
    contact->error = vector_length(difference);
}

bool contact_add_impacts(struct contact_run *run, const dent_impact_result *impacts)
{
    for (uint64_t i = 0; i < impacts->count; i++) {
        dent_contact contact;
        fill_impact(run, &impacts->impacts[i], &contact);
        if (!take(run, &contact)) {
            return false;
        }
    }
    return true;
}
