/* The first mode of vibration of an elastic solid about its rest shape: how long a substep may be. */
#ifndef DENT_SIM_ELASTIC_FIRST_MODE_H
#define DENT_SIM_ELASTIC_FIRST_MODE_H

#include "sim/model/sim_model.h"

/* The square of its angular frequency, from above. Fixed vertices and those of rigid bodies do not move; a body without
 * any is free, and its rigid motions do not count. */
dent_status first_mode_square(const struct sim_model *model, uint32_t body, double *square, uint32_t *iterations);

#endif
