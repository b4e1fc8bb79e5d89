/* How a lower jaw chews, for the simulated jaws. Millimetres, seconds, radians; the jaw of jaw_shapes.h. */
#ifndef DENT_SCENES_JAW_CHEWING_H
#define DENT_SCENES_JAW_CHEWING_H

#include "sim_plan.h"

struct chewing {
    double opening, bite, period; /* largest angle, how far beyond first contact, of a stroke */
};

/* Makes a body of the plan, with the teeth just closed, one that chews: puts it where it is at time 0. A rigid body gets no motion,
 * others follow the jaw. Returns the closed positions. */
const double *chewing_add(struct sim_plan *plan, dent_sim_body_def *body, const struct chewing *chewing);

struct chewing_materials {
    uint32_t bone, enamel, tissue; /* materials of the plan */
};

/* Adds what simulated jaws are made of: bone, teeth with this friction, and the tissue between them, by its name and Young's modulus in MPa. */
struct chewing_materials chewing_add_materials(struct sim_plan *plan, double friction, const char *tissue, double young);

#endif
