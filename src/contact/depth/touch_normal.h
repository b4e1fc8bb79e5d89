/* Places on a surface, and the normal of a contact whose two sides touch: see touch_normal.c. */
#ifndef DENT_CONTACT_TOUCH_NORMAL_H
#define DENT_CONTACT_TOUCH_NORMAL_H

#include "contact/depth/contact_run.h"

/* What a closest point lies on. */
struct surface_slot {
    uint32_t body;
    uint32_t vertex, vertex2; /* all faces that have these; SLOT_NONE: any. Without any vertex: `face` alone */
    uint32_t face;
};

/* From the weights of a closest point: the corners that carry it, those with more than `least`. */
struct surface_slot slot_of(uint32_t body, const uint32_t *vertices, const double *weights, int count, uint32_t face,
                            double least);

/* The faces there: call with *at = 0 until it returns SLOT_NONE. */
uint32_t place_next_face(const struct contact_run *run, const struct surface_slot *slot, uint32_t *at);

/* Puts a separating direction into contact->normal. Kind, features, vertices, weights and points are known. */
void contact_touch_normal(const struct contact_run *run, dent_contact *contact);

#endif
