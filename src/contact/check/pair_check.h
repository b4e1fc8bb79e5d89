/* One pair of bodies (or a body and itself), from boxes to the line of the report. */
#ifndef DENT_CONTACT_PAIR_CHECK_H
#define DENT_CONTACT_PAIR_CHECK_H

#include "contact/check/check_run.h"

/* Is there anything to find out? Filters and boxes. */
bool pair_may_meet(const struct check_body *a, const struct check_body *b);

/* Fills *contact (all but the body indices) and adds the pair to the marks of both bodies. state is DENT_BODY_PAIR_APART when
 * they do not meet. After a cancelled run the content means nothing. */
dent_status check_pair(struct check_run *run, struct check_body *a, struct check_body *b, dent_body_contact *contact);

/* Does the pair penetrate? The exact part of check_pair alone; marks nothing. */
dent_status check_interiors_meet(struct check_run *run, struct check_body *a, struct check_body *b, bool *meet);

#endif
