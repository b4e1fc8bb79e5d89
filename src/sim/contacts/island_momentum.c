/* Angular momentum of an island that nothing supports, while its bodies are displaced outside their velocities.
 *
 * Parting bodies that overlap keeps the centre of mass, but moves masses that have velocities: their angular momentum
 * would change by the sum of m d x v. So the motion of the island is divided in that of a rigid whole, which has all of
 * its momentum and angular momentum, and the rest, which has neither: the first gets the angular momentum of before, the
 * second pays where that takes energy. */
#include "rigid_islands.h"

#include <math.h>
#include <string.h>

struct whole {
    double mass, center[3], velocity[3];
    double inertia[9], momentum[3]; /* about the centre; momentum: angular */
    double spin[3];                 /* of a rigid whole with that momentum */
    double energy;                  /* twice the kinetic energy about the centre */
};

static void add_body(const struct island_body *body, const dent_rigid_state *pose, struct whole *whole)
{
    double arm[3], relative[3], orbit[3], own[3];
    sim_subtract(pose->center, whole->center, arm);
    sim_subtract(pose->linear_velocity, whole->velocity, relative);
    sim_cross(arm, relative, orbit);
    for (int i = 0; i < 3; i++) {
        own[i] = sim_dot(body->inertia + 3 * i, pose->angular_velocity);
        whole->momentum[i] += body->mass * orbit[i] + own[i];
        for (int j = 0; j < 3; j++) {
            double square = i == j ? sim_dot(arm, arm) : 0;
            whole->inertia[3 * i + j] += body->inertia[3 * i + j] + body->mass * (square - arm[i] * arm[j]);
        }
    }
    whole->energy += body->mass * sim_dot(relative, relative) + sim_dot(own, pose->angular_velocity);
}

/* False: the bodies have no extent together. */
static bool measure_whole(const struct sim_state *state, const struct island_problem *problem, struct whole *whole)
{
    uint32_t count = problem->island->body_count;
    double inverse[9];
    *whole = (struct whole){0};
    for (uint32_t i = 0; i < count; i++) {
        const dent_rigid_state *pose = &state->rigids[problem->bodies[i].rigid];
        whole->mass += problem->bodies[i].mass;
        sim_add_scaled(whole->center, problem->bodies[i].mass, pose->center);
        sim_add_scaled(whole->velocity, problem->bodies[i].mass, pose->linear_velocity);
    }
    for (int k = 0; k < 3; k++) {
        whole->center[k] /= whole->mass;
        whole->velocity[k] /= whole->mass;
    }
    for (uint32_t i = 0; i < count; i++) {
        add_body(&problem->bodies[i], &state->rigids[problem->bodies[i].rigid], whole);
    }
    bool extended = rigid_invert_inertia(whole->inertia, inverse);
    for (int k = 0; k < 3; k++) {
        whole->spin[k] = sim_dot(inverse + 3 * k, whole->momentum);
    }
    return extended;
}

/* The spins of bodies that were turned, so that I w is what it was. Their inertia is measured anew. */
static void keep_spins(const struct sim_model *model, struct sim_state *state, const struct island_problem *problem)
{
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        struct island_body *body = &problem->bodies[i];
        dent_rigid_state *pose = &state->rigids[body->rigid];
        double momentum[3];
        for (int k = 0; k < 3; k++) {
            momentum[k] = sim_dot(body->inertia + 3 * k, pose->angular_velocity);
        }
        island_fill_body(model, pose, body);
        for (int k = 0; k < 3; k++) {
            pose->angular_velocity[k] = sim_dot(body->inverse_inertia + 3 * k, momentum);
        }
    }
}

static void give_momentum(struct sim_state *state, const struct island_problem *problem, const struct whole *before,
                          const struct whole *now)
{
    double inverse[9], spin[3];
    rigid_invert_inertia(now->inertia, inverse);
    for (int k = 0; k < 3; k++) {
        spin[k] = sim_dot(inverse + 3 * k, before->momentum);
    }
    double rest = now->energy - sim_dot(now->momentum, now->spin); /* of what is no motion of a rigid whole */
    double left = before->energy - sim_dot(before->momentum, spin);
    double share = rest > left ? (left > 0 ? sqrt(left / rest) : 0) : 1;
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        dent_rigid_state *pose = &state->rigids[problem->bodies[i].rigid];
        double arm[3], was[3], is[3];
        sim_subtract(pose->center, now->center, arm);
        sim_cross(now->spin, arm, was);
        sim_cross(spin, arm, is);
        for (int k = 0; k < 3; k++) {
            double apart = pose->linear_velocity[k] - now->velocity[k] - was[k];
            pose->linear_velocity[k] = now->velocity[k] + is[k] + share * apart;
            pose->angular_velocity[k] = spin[k] + share * (pose->angular_velocity[k] - now->spin[k]);
        }
    }
}

void momentum_displace(const struct sim_model *model, struct sim_state *state, const struct island_problem *problem,
                       const double *displacement, double share)
{
    struct whole before, now;
    bool known = !problem->island->supported && measure_whole(state, problem, &before);
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        dent_rigid_state *pose = &state->rigids[problem->bodies[i].rigid];
        const double *d = displacement + 6 * (size_t)i;
        double angle[3] = {share * d[3], share * d[4], share * d[5]};
        sim_add_scaled(pose->center, share, d);
        rigid_turn(pose, angle);
    }
    keep_spins(model, state, problem);
    if (known && measure_whole(state, problem, &now)) {
        give_momentum(state, problem, &before, &now);
    }
}

void momentum_limit_energy(struct sim_state *state, const struct island_problem *problem, double most)
{
    struct whole whole;
    if (!measure_whole(state, problem, &whole)) {
        return;
    }
    double moving = whole.mass * sim_dot(whole.velocity, whole.velocity), all = whole.energy + moving;
    if (!(all > most)) {
        return;
    }
    double turning = sim_dot(whole.momentum, whole.spin), rest = whole.energy - turning;
    double left = problem->island->supported ? most / all : (most - moving - turning) / rest;
    double share = left > 0 ? sqrt(left) : 0;
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        dent_rigid_state *pose = &state->rigids[problem->bodies[i].rigid];
        double arm[3], orbit[3];
        sim_subtract(pose->center, whole.center, arm);
        sim_cross(whole.spin, arm, orbit);
        for (int k = 0; k < 3; k++) {
            double kept = problem->island->supported ? 0 : whole.velocity[k] + orbit[k];
            double spin = problem->island->supported ? 0 : whole.spin[k];
            pose->linear_velocity[k] = kept + share * (pose->linear_velocity[k] - kept);
            pose->angular_velocity[k] = spin + share * (pose->angular_velocity[k] - spin);
        }
    }
}
