/* Random problems for the responses: soft bodies, rigid bodies and fixed ones with made-up contacts between them. The
 * contacts need not fit any mesh; a response may not care. */
#ifndef DENT_TESTS_SUPPORT_RESPONSE_H
#define DENT_TESTS_SUPPORT_RESPONSE_H

#include <dent/dent.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_includes.h"

enum { CLOUD_BODIES = 7, CLOUD_VERTICES = 800 };

struct cloud {
    dent_context *context;
    dent_response *response;
    double inverse_masses[CLOUD_BODIES][CLOUD_VERTICES];
    double positions[CLOUD_BODIES][CLOUD_VERTICES][3], start[CLOUD_BODIES][CLOUD_VERTICES][3];
    double velocities[CLOUD_BODIES][CLOUD_VERTICES][3], forces[CLOUD_BODIES][CLOUD_VERTICES][3];
    dent_rigid_state rigid[CLOUD_BODIES], rigid_start[CLOUD_BODIES];
    double rigid_forces[CLOUD_BODIES][6];
    dent_response_body bodies[CLOUD_BODIES];
    dent_contact *contacts;
    dent_contact_force *forces_out;
    dent_response_problem problem;
};

/* What of the cloud is fixed. */
enum cloud_kind { CLOUD_FREE, CLOUD_WITH_FIXED };

void cloud_open(struct cloud *cloud, uint64_t seed, uint32_t contact_count, enum cloud_kind kind, uint32_t threads);
void cloud_close(struct cloud *cloud);
/* FNV-1a over everything a response may write. */
uint64_t cloud_hash(const struct cloud *cloud);

/* One particle over the plane z = 0, which is body 1 and fixed. */
struct particle {
    double inverse_mass;
    double position[3], start[3], velocity[3], force[3];
    dent_response_body bodies[2];
    dent_contact contact;
    dent_contact_force memory;
    dent_response_problem problem;
};
void particle_init(struct particle *particle, double mass, double time_step);
/* The contact with the plane through the origin with this normal, at the present position. */
void particle_detect(struct particle *particle, const double normal[3]);

dent_contact plain_contact(uint64_t key, uint32_t body_a, uint32_t vertex_a, uint32_t body_b, uint32_t vertex_b,
                           const double normal[3], double gap);

#endif
