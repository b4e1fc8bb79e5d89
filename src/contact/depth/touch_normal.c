/* The normal of a contact at no distance.
 *
 * Where two features touch, the difference of their closest points is rounding and says nothing; the surfaces around
 * them do. Candidates are the normals of the faces where the contact lies on b, those of a reversed, and the direction
 * that the proximity question gave (the cross product of two edges, the normal of the one face). A candidate separates
 * when everything of a there lies in front of the plane and everything of b behind it: its score is the least, over
 * the corners of the faces around, of the sine of their height on the right side. The best score wins; of scores
 * equal up to 2^-20 the one that looks more along b's outward normals and against a's (flat surfaces: the corners lie
 * in the plane and cannot tell the sides), then the first. So a box on a floor is pushed up, also where its corner
 * meets the corner of another box, whose three normals the pair of features does not tell apart. */
#include "contact/depth/touch_normal.h"

#include "geometry/numbers/vector3.h"

enum { MOST_CANDIDATES = 24 };
#define LEAST_WEIGHT 0x1p-30 /* of a corner that carries a closest point, where points are known up to rounding */
#define EQUAL_SCORE 0x1p-20

/* ---- places ------------------------------------------------------------------------------------------------------ */

struct surface_slot slot_of(uint32_t body, const uint32_t *vertices, const double *weights, int count, uint32_t face,
                            double least)
{
    struct surface_slot slot = {body, SLOT_NONE, SLOT_NONE, face};
    int used = 0;
    for (int k = 0; k < count; k++) {
        if (weights[k] > least) {
            slot.vertex2 = used == 1 ? vertices[k] : slot.vertex2;
            slot.vertex = used == 0 ? vertices[k] : slot.vertex;
            used++;
        }
    }
    if (used == 3) {
        slot.vertex = slot.vertex2 = SLOT_NONE;
    }
    return slot;
}

static bool face_has(const uint32_t corners[3], uint32_t vertex)
{
    return vertex == SLOT_NONE || corners[0] == vertex || corners[1] == vertex || corners[2] == vertex;
}

uint32_t place_next_face(const struct contact_run *run, const struct surface_slot *slot, uint32_t *at)
{
    if (slot->vertex == SLOT_NONE) {
        return (*at)++ == 0 ? slot->face : SLOT_NONE;
    }
    const struct border_mesh *mesh = &run->border->meshes[slot->body];
    const struct body *body = run->snapshot->bodies[slot->body].body;
    uint32_t first = mesh->star_first[slot->vertex], count = mesh->star_first[slot->vertex + 1] - first;
    while (*at < count) {
        uint32_t face = mesh->star_faces[first + (*at)++];
        if (face_has(body->surface_faces[face].corners, slot->vertex2)) {
            return face;
        }
    }
    return SLOT_NONE;
}

/* ---- scores ------------------------------------------------------------------------------------------------------ */

struct candidate_list {
    double normals[MOST_CANDIDATES][3];
    int count;
};

static void add_candidate(struct candidate_list *list, const double normal[3], double sign)
{
    if (list->count < MOST_CANDIDATES && vector_dot(normal, normal) > 0.5) {
        for (int axis = 0; axis < 3; axis++) {
            list->normals[list->count][axis] = sign * normal[axis] + 0.0;
        }
        list->count++;
    }
}

/* Of surfaces without an inside both directions, the one towards `hint` first. */
static void add_faces(const struct contact_run *run, const struct surface_slot *slot, double sign, const double hint[3],
                      struct candidate_list *list)
{
    uint32_t face, at = 0;
    while ((face = place_next_face(run, slot, &at)) != SLOT_NONE) {
        double normal[3];
        contact_face_normal(run, slot->body, face, normal);
        if (contact_has_inside(run, slot->body)) {
            add_candidate(list, normal, sign);
        } else {
            double side = vector_dot(normal, hint) < 0 ? -1 : 1;
            add_candidate(list, normal, side);
            add_candidate(list, normal, -side);
        }
    }
}

/* The least sine over the corners around one side, which is to lie where sign * direction points; and how much the
 * outward normals look the other way. */
static double side_score(const struct contact_run *run, const struct surface_slot *slot, const double point[3],
                         const double direction[3], double sign, double *facing)
{
    const struct body_snapshot *body_snapshot = &run->snapshot->bodies[slot->body];
    bool inside = contact_has_inside(run, slot->body);
    double least = 1;
    uint32_t face, at = 0;
    while ((face = place_next_face(run, slot, &at)) != SLOT_NONE) {
        const uint32_t *corners = body_snapshot->body->surface_faces[face].corners;
        for (int k = 0; k < 3; k++) {
            double displacement[3];
            vector_subtract(body_snapshot->xyz[corners[k]], point, displacement);
            /* The corner that carries the point lies there up to rounding, and has no direction. */
            if (corners[k] != slot->vertex || slot->vertex2 != SLOT_NONE) {
                double sine = vector_normalise(displacement) ? sign * vector_dot(displacement, direction) : 0;
                least = sine < least ? sine : least;
            }
        }
        double normal[3];
        contact_face_normal(run, slot->body, face, normal);
        *facing -= inside ? sign * vector_dot(normal, direction) : 0;
    }
    return least;
}

void contact_touch_normal(const struct contact_run *run, dent_contact *contact)
{
    bool vertex_face = contact->kind == DENT_CONTACT_VERTEX_FACE;
    struct surface_slot a =
        slot_of(contact->body_a, contact->vertices_a, contact->weights_a, vertex_face ? 1 : 2, SLOT_NONE, LEAST_WEIGHT);
    struct surface_slot b = slot_of(contact->body_b, contact->vertices_b, contact->weights_b, vertex_face ? 3 : 2,
                                    contact->feature_b, LEAST_WEIGHT);
    struct candidate_list list = {.count = 0};
    double best_score = -2, best_facing = 0;
    add_faces(run, &b, 1, contact->normal, &list);
    list.count = list.count > MOST_CANDIDATES / 2 ? MOST_CANDIDATES / 2 : list.count;
    add_candidate(&list, contact->normal, 1);
    add_candidate(&list, contact->normal, -1);
    add_faces(run, &a, -1, contact->normal, &list);
    for (int i = 0; i < list.count; i++) {
        double facing = 0;
        double on_a = side_score(run, &a, contact->point_a, list.normals[i], 1, &facing);
        double on_b = side_score(run, &b, contact->point_b, list.normals[i], -1, &facing);
        double score = on_a < on_b ? on_a : on_b;
        bool equal = fabs(score - best_score) <= EQUAL_SCORE;
        if (equal ? facing > best_facing + EQUAL_SCORE : score > best_score) {
            vector_copy(list.normals[i], contact->normal);
            best_facing = facing;
            best_score = score;
        }
    }
}
