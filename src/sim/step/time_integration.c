/* Before and after the corrections of a substep: where inertia takes the vertices, and the velocities that follow from
 * where they ended.
 *
 * The target of a vertex is x + h v + h^2 g + carried, `carried` being the displacement by the contact forces of the
 * last substep (contact_forces.c). The sweep starts nearer to where it will end: from x + h v + h^2 a g, a the part of
 * gravity that the vertex gave in to last time, 1 in free fall and 0 at rest, as in vertex block descent. */
#include "substep.h"

#include "sim/elastic/elastic_mesh.h"

struct integration_call {
    const struct sim_model *model;
    struct sim_state *state;
    const struct elastic_work *work;
    const struct contact_response *response;
};

static void predict_range(void *data, uint32_t begin, uint32_t end)
{
    const struct integration_call *call = data;
    const struct sim_model *model = call->model;
    const struct sim_state *state = call->state;
    const struct elastic_work *work = call->work;
    double h = model->substep, keep = 1 / (1 + model->air_damping * h);
    const double *gravity = state->gravity;
    for (uint32_t v = begin; v < end; v++) {
        double *x = state->positions + 3 * (size_t)v, *velocity = state->velocities + 3 * (size_t)v;
        double *target = work->targets + 3 * (size_t)v;
        bool elastic = model->elastic->slots[v] != SIM_NONE, moves = model->inverse_masses[v] > 0;
        for (int axis = 0; axis < 3; axis++) {
            size_t n = 3 * (size_t)v + (size_t)axis;
            work->previous[n] = x[axis];
            call->response->approach_velocities[n] = velocity[axis];
            if (moves) {
                double drift = h * (keep * velocity[axis]);
                target[axis] = x[axis] + (drift + h * h * gravity[axis] + work->carried.moves[n]);
                x[axis] = elastic ? x[axis] + (drift + h * h * state->accelerations[v] * gravity[axis]) : target[axis];
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
static void for_moving_bodies(struct integration_call call, sim_range_function *function)
{
    const struct sim_model *model = call.model;
    for (uint32_t b = 0; b < model->body_count;) {
        uint32_t begin = model->bodies[b].first_vertex, end = begin;
        for (; b < model->body_count && !stands_still(&model->bodies[b]); b++) {
            end = model->bodies[b].first_vertex + model->bodies[b].vertex_count;
        }
        sim_parallel(model->context, begin, end, function, &call);
        b += b < model->body_count; /* that one stands still */
    }
}

void integration_predict(const struct sim_model *model, struct sim_state *state, struct elastic_work *work,
                         struct contact_response *response)
{
    for_moving_bodies((struct integration_call){model, state, work, response}, predict_range);
}

static void velocity_range(void *data, uint32_t begin, uint32_t end)
{
    const struct integration_call *call = data;
    const struct sim_state *state = call->state;
    double h =
        call->model
            ->substep; /* divided by, not multiplied with 1/h: that would err to the same side in every substep */
    const double *gravity = state->gravity;
    double square = sim_dot(gravity, gravity), per_gravity = square > 0 ? 1 / (h * square) : 0;
    for (uint32_t v = begin; v < end; v++) {
        const double *x = state->positions + 3 * (size_t)v, *before = call->work->previous + 3 * (size_t)v;
        const double *approach = call->response->approach_velocities + 3 * (size_t)v;
        double *velocity = state->velocities + 3 * (size_t)v;
        double gain = 0;
        for (int axis = 0; axis < 3; axis++) {
            double new_velocity = (x[axis] - before[axis]) / h;
            gain += (new_velocity - approach[axis]) * gravity[axis];
            velocity[axis] = new_velocity;
        }
        double part = gain * per_gravity;
        state->accelerations[v] = part > 0 ? (part < 1 ? part : 1) : 0;
    }
}

void integration_velocities(const struct sim_model *model, struct sim_state *state, const struct elastic_work *work,
                            const struct contact_response *response)
{
    for_moving_bodies((struct integration_call){model, state, work, response}, velocity_range);
}
