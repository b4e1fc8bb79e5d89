/* Before and after the corrections of a substep: where inertia takes the vertices, and the velocities that follow from
 * where they ended.
 *
 * The target of a vertex is x + h v + h^2 g + carried, `carried` being the displacement by the contact forces of the
 * last substep (contact_loop.c). The sweep starts nearer to where it will end: from x + h v + h^2 a g, a the part of
 * gravity that the vertex gave in to last time, 1 in free fall and 0 at rest, as in vertex block descent. */
#include "sim/model/sim_internal.h"

static void predict_range(dent_sim *sim, uint32_t begin, uint32_t end)
{
    double h = sim->substep, keep = 1 / (1 + sim->air_damping * h);
    const double *gravity = sim->state.gravity;
    for (uint32_t v = begin; v < end; v++) {
        double *x = sim->state.positions + 3 * (size_t)v, *velocity = sim->state.velocities + 3 * (size_t)v;
        double *target = sim->targets + 3 * (size_t)v;
        bool elastic = sim->elastic.slots[v] != SIM_NONE, moves = sim->inverse_masses[v] > 0;
        for (int axis = 0; axis < 3; axis++) {
            size_t n = 3 * (size_t)v + (size_t)axis;
            sim->previous[n] = x[axis];
            sim->approach_velocities[n] = velocity[axis];
            if (moves) {
                double drift = h * (keep * velocity[axis]);
                target[axis] = x[axis] + (drift + h * h * gravity[axis] + sim->carried[n]);
                x[axis] =
                    elastic ? x[axis] + (drift + h * h * sim->state.accelerations[v] * gravity[axis]) : target[axis];
            }
        }
    }
}

/* Bodies that stand still for ever keep what they have: zero velocities, and previous positions equal to the present
 * ones. */
static bool stands_still(const struct sim_body *body)
{
    return body->kind == DENT_SIM_PRESCRIBED && !body->motion.function && body->motion.keyframe_count == 0;
}

/* All vertices of the other bodies, neighbouring bodies in one range. */
static void for_moving_bodies(dent_sim *sim, sim_range_function *function)
{
    for (uint32_t b = 0; b < sim->body_count;) {
        uint32_t begin = sim->bodies[b].first_vertex, end = begin;
        for (; b < sim->body_count && !stands_still(&sim->bodies[b]); b++) {
            end = sim->bodies[b].first_vertex + sim->bodies[b].vertex_count;
        }
        sim_parallel(sim, begin, end, function);
        b += b < sim->body_count; /* that one stands still */
    }
}

void integration_predict(dent_sim *sim)
{
    for_moving_bodies(sim, predict_range);
}

static void velocity_range(dent_sim *sim, uint32_t begin, uint32_t end)
{
    double h = sim->substep; /* divided by, not multiplied with 1/h: that would err to the same side in every substep */
    const double *gravity = sim->state.gravity;
    double square = sim_dot(gravity, gravity), per_gravity = square > 0 ? 1 / (h * square) : 0;
    for (uint32_t v = begin; v < end; v++) {
        const double *x = sim->state.positions + 3 * (size_t)v, *before = sim->previous + 3 * (size_t)v;
        const double *approach = sim->approach_velocities + 3 * (size_t)v;
        double *velocity = sim->state.velocities + 3 * (size_t)v;
        double gain = 0;
        for (int axis = 0; axis < 3; axis++) {
            double new_velocity = (x[axis] - before[axis]) / h;
            gain += (new_velocity - approach[axis]) * gravity[axis];
            velocity[axis] = new_velocity;
        }
        double part = gain * per_gravity;
        sim->state.accelerations[v] = part > 0 ? (part < 1 ? part : 1) : 0;
    }
}

void integration_velocities(dent_sim *sim)
{
    for_moving_bodies(sim, velocity_range);
}
