/* The volume that two bodies have in common, for the penetration check. */
#ifndef DENT_CONTACT_OVERLAP_VOLUME_H
#define DENT_CONTACT_OVERLAP_VOLUME_H

#include "contact/check/check_run.h"

/* Writes contact->volume and contact->volume_error for a pair that overlaps; see dent/penetration.h for what they mean.
 * Both bodies have an inside. Adds to run->total as every stage does. */
dent_status stage_overlap_volume(struct check_run *run, const struct check_body *a, const struct check_body *b,
                                 dent_body_contact *contact);

#endif
