/* Edges of a that pass through b with both ends outside: a corner pierced without a vertex inside.
 *
 * The edge goes in through one face of b and out through another. If the two share an edge, the two edges meet: the
 * contact is that of the edges, direction normal to both, depth the distance between the two lines. Otherwise the
 * middle of the chord is treated as a border point with two hits (S3): the mean of the two normals, the mean of the two
 * depths. Opposite normals (a thin wall pierced right through) leave no direction; then the side on which more of the
 * edge lies is taken and the contact is marked THIN.
 */
#include "contact/depth/contact_run.h"

#include "geometry/numbers/vector3.h"
#include "geometry/metric/feature_distance.h"

struct chord {
    const struct depth_chord *record;
    const struct body_snapshot *a, *b;
    const dent_cut_edge *hits[2];
    dent_edge edge;
    double parameter;     /* of the middle, from v0 */
    double normals[2][3]; /* outward */
};

/* The edge that two faces have in common, or SLOT_NONE. */
static uint32_t common_edge(const struct contact_run *run, const struct chord *chord)
{
    const struct border_mesh *mesh = &run->border->meshes[chord->record->body_b];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            uint32_t edge = mesh->face_edges[3 * (size_t)chord->hits[0]->face + i];
            if (edge == mesh->face_edges[3 * (size_t)chord->hits[1]->face + j]) {
                return edge;
            }
        }
    }
    return SLOT_NONE;
}

static void edge_point(dent_contact *contact, bool side_b, dent_edge edge, double share, const double (*xyz)[3])
{
    uint32_t *vertices = side_b ? contact->vertices_b : contact->vertices_a;
    double *weights = side_b ? contact->weights_b : contact->weights_a;
    double *point = side_b ? contact->point_b : contact->point_a;
    vertices[0] = edge.v0;
    vertices[1] = edge.v1;
    weights[0] = 1 - share;
    weights[1] = share;
    for (int axis = 0; axis < 3; axis++) {
        point[axis] = weights[0] * xyz[edge.v0][axis] + weights[1] * xyz[edge.v1][axis];
    }
}

/* Two edges through one another. The direction is normal to both and on the side of b's two normals; false where they
 * are nearly parallel or the direction contradicts the normals. */
static bool meet_edges(const struct contact_run *run, const struct chord *chord, uint32_t edge_b, dent_contact *contact)
{
    const struct depth_chord *record = chord->record;
    dent_edge other = chord->b->body->edges[edge_b];
    double along_a[3], along_b[3], normal[3], outward[3], displacement[3];
    vector_subtract(chord->a->xyz[chord->edge.v1], chord->a->xyz[chord->edge.v0], along_a);
    vector_subtract(chord->b->xyz[other.v1], chord->b->xyz[other.v0], along_b);
    if (!vector_normalise(along_a) || !vector_normalise(along_b)) {
        return false;
    }
    vector_cross(along_a, along_b, normal);
    if (vector_length(normal) < 0.01 || !vector_normalise(normal)) {
        return false;
    }
    for (int axis = 0; axis < 3; axis++) {
        outward[axis] = chord->normals[0][axis] + chord->normals[1][axis];
    }
    double side = vector_dot(normal, outward);
    if (fabs(side) < 0.01) {
        return false;
    }
    for (int axis = 0; axis < 3; axis++) {
        normal[axis] = side < 0 ? -normal[axis] : normal[axis];
    }
    struct closest_pair closest;
    const double *ends_a[2] = {chord->a->xyz[chord->edge.v0], chord->a->xyz[chord->edge.v1]};
    const double *ends_b[2] = {chord->b->xyz[other.v0], chord->b->xyz[other.v1]};
    closest_of_edges(ends_a, ends_b, &closest);
    bool flipped = record->body_a > record->body_b || (record->body_a == record->body_b && record->edge > edge_b);
    contact_begin(run, contact, DENT_CONTACT_EDGE_EDGE, DENT_CONTACT_SOURCE_CROSSING,
                  flipped ? record->body_b : record->body_a, flipped ? edge_b : record->edge,
                  flipped ? record->body_a : record->body_b, flipped ? record->edge : edge_b);
    edge_point(contact, flipped, chord->edge, closest.weights_a[1], chord->a->xyz);
    edge_point(contact, !flipped, other, closest.weights_b[1], chord->b->xyz);
    vector_subtract(flipped ? contact->point_a : contact->point_b, flipped ? contact->point_b : contact->point_a,
                    displacement);
    double depth = vector_dot(displacement, normal);
    contact->gap = depth > 0 ? -depth : 0;
    for (int axis = 0; axis < 3; axis++) {
        contact->normal[axis] = flipped ? -normal[axis] : normal[axis];
    }
    return true;
}

/* The middle of the chord as a point with two hits. */
static void meet_faces(const struct contact_run *run, const struct chord *chord, dent_contact *contact)
{
    const struct depth_chord *record = chord->record;
    const double *corners[3];
    double direction[3], displacement[3], depths[2], along[3];
    vector_subtract(chord->a->xyz[chord->edge.v1], chord->a->xyz[chord->edge.v0], along);
    for (int i = 0; i < 2; i++) {
        double part = chord->hits[i]->parameter - chord->parameter;
        for (int axis = 0; axis < 3; axis++) {
            displacement[axis] = part * along[axis];
        }
        depths[i] = vector_dot(displacement, chord->normals[i]);
        depths[i] = depths[i] > 0 ? depths[i] : 0;
    }
    for (int axis = 0; axis < 3; axis++) {
        direction[axis] = 0.5 * (chord->normals[0][axis] + chord->normals[1][axis]);
    }
    int side = depths[1] < depths[0];
    double depth = 0.5 * (depths[0] + depths[1]);
    bool thin = vector_length(direction) < 0.1;
    if (thin) { /* out through the side on which more of the edge lies */
        side = chord->hits[0]->parameter < 1 - chord->hits[1]->parameter;
        vector_copy(chord->normals[side], direction);
        depth = depths[side];
    }
    vector_normalise(direction);
    contact_begin(run, contact, DENT_CONTACT_EDGE_FACE, DENT_CONTACT_SOURCE_CROSSING, record->body_a, record->edge,
                  record->body_b, chord->hits[0]->face);
    contact->flags |= (uint16_t)((thin ? DENT_CONTACT_FLAG_THIN : 0) | DENT_CONTACT_FLAG_ON_FACE);
    edge_point(contact, false, chord->edge, chord->parameter, chord->a->xyz);
    border_face_positions(run->snapshot, record->body_b, chord->hits[side]->face, corners);
    contact_triangle_weights(chord->hits[side]->point, corners, contact->weights_b);
    memcpy(contact->vertices_b, chord->b->body->surface_faces[chord->hits[side]->face].corners,
           3 * sizeof *contact->vertices_b);
    for (int k = 0; k < 3; k++) { /* the hit, or, where the edge only grazes the face, the nearest point of it */
        vector_add_scaled(contact->point_b, contact->weights_b[k], corners[k]);
    }
    vector_copy(direction, contact->normal);
    contact->gap = depth > 0 ? -depth : 0;
    contact->error = fabs(depths[0] - depths[1]) * 0.5;
}

bool depth_emit_chords(struct contact_run *run)
{
    const struct depth_chord *records = run->state->chords.data;
    for (size_t i = 0; i < run->state->chords.count; i++) {
        struct chord chord = {.record = &records[i],
                              .a = &run->snapshot->bodies[records[i].body_a],
                              .b = &run->snapshot->bodies[records[i].body_b]};
        dent_contact contact;
        chord.edge = chord.a->body->edges[records[i].edge];
        for (int k = 0; k < 2; k++) {
            chord.hits[k] = &run->query->border.cut_edges[records[i].cuts[k]];
            contact_face_normal(run, records[i].body_b, chord.hits[k]->face, chord.normals[k]);
        }
        chord.parameter = 0.5 * (chord.hits[0]->parameter + chord.hits[1]->parameter);
        uint32_t edge_b = common_edge(run, &chord);
        if (edge_b == SLOT_NONE || !meet_edges(run, &chord, edge_b, &contact)) {
            meet_faces(run, &chord, &contact);
        }
        if (run->def->depth_limit > 0 && -contact.gap > run->def->depth_limit) {
            contact.gap = -run->def->depth_limit;
            contact.flags |= DENT_CONTACT_FLAG_CLAMPED;
        }
        if (!array_push(&run->state->unsorted, &contact)) {
            return false;
        }
    }
    return true;
}
