/* What supports and springs give, and what the minimisation left: read from its workspace after a substep.
 *
 * The gradient of the sum is 0 where a vertex may move; where it may not, it is what holds it: against elasticity,
 * damping, contacts, loads, weight and inertia. */
#include "minimise.h"

#include <math.h>
#include <string.h>

/* The gradient of the sum at a vertex, also of one that does not move, without the terms between points. */
static void gradient_at(const struct sim_model *model, const struct sim_state *state, const struct minimiser *work,
                        uint32_t vertex, double gradient[3])
{
    struct element_pass pass = {state->positions, work->start, NULL, work->inertia.rate, NULL};
    double off[3];
    elastic_vertex_gradient(model, state, &pass, vertex, gradient);
    sim_subtract(state->positions + 3 * (size_t)vertex, work->targets + 3 * (size_t)vertex, off);
    double inertia = work->inertia.vertices[vertex];
    sim_add_scaled(gradient, inertia > 0 ? inertia : work->inertia.mass_factor * model->masses[vertex], off);
    if (work->loads->total) {
        /* Targets of what moves include the forces that keep their direction. */
        sim_add_scaled(gradient, -1, work->loads->total + 3 * (size_t)vertex);
        sim_add_scaled(gradient, work->inertia.vertices[vertex] > 0 ? 1 : 0, work->loads->forces + 3 * (size_t)vertex);
    }
}

static bool holds(const struct sim_hold *hold, uint32_t support)
{
    for (uint32_t k = 0; hold && k < hold->count; k++) {
        if (hold->supports[k] == support) {
            return true;
        }
    }
    return false;
}

static void add_share(const struct sim_hold *hold, uint32_t support, double factor, const double *gradient,
                      double force[3])
{
    double share[3];
    supports_share(hold, support, gradient, share);
    sim_add_scaled(force, factor, share);
}

void elastic_reaction(const struct sim_model *model, const struct sim_state *state, const struct elastic_work *elastic,
                      uint32_t support, double force[3])
{
    const struct minimiser *work = elastic->minimiser;
    force[0] = force[1] = force[2] = 0;
    if (!elastic->has_result) {
        return;
    }
    const struct sim_support *held = &model->loads->supports[support];
    for (uint32_t n = 0; n < held->vertex_count; n++) {
        const struct sim_hold *hold = hold_of(model, held->vertices[n]);
        double gradient[3];
        if (holds(hold, support)) {
            gradient_at(model, state, work, hold->vertex, gradient);
            add_share(hold, support, 1, gradient, force);
        }
    }
    for (uint64_t i = 0; i < work->terms.count; i++) {
        const struct point_term *term = &work->terms.terms[i];
        for (int k = 0; k < 8; k++) {
            const struct term_point *point = k < 4 ? &term->a : &term->b;
            uint32_t v = point->rigid == SIM_NONE ? point->vertices[k % 4] : SIM_NONE;
            const struct sim_hold *hold = v == SIM_NONE ? NULL : hold_of(model, v);
            if (holds(hold, support)) {
                add_share(hold, support, (k < 4 ? -1 : 1) * point->weights[k % 4], term->force, force);
            }
        }
    }
}

void elastic_spring_force(const struct elastic_work *elastic, uint32_t spring, double force[3])
{
    const struct minimiser *work = elastic->minimiser;
    force[0] = force[1] = force[2] = 0;
    if (elastic->has_result) {
        memcpy(force, work->terms.terms[work->first_spring + spring].force, 3 * sizeof *force);
    }
}

double elastic_spring_pull(const struct sim_state *state, const struct elastic_work *elastic, uint32_t spring)
{
    const struct minimiser *work = elastic->minimiser;
    struct placement at = {state->positions, state->rigids};
    double a[3], b[3], apart[3], length;
    if (!elastic->has_result) {
        return 0;
    }
    const struct point_term *term = &work->terms.terms[work->first_spring + spring];
    term_point_place(&term->a, &at, a);
    term_point_place(&term->b, &at, b);
    sim_subtract(b, a, apart);
    length = sqrt(sim_dot(apart, apart));
    return length > 0 ? sim_dot(term->force, apart) / length : 0;
}

/* The sum of squares of what elements put on their corners, from the last pass. */
static double corner_squares(const struct sim_model *model, const struct pass_work *pass)
{
    const struct elastic_mesh *mesh = model->elastic;
    size_t tets = (size_t)mesh->group_count * TET_ENTRIES;
    size_t cloth = 9 * (size_t)mesh->triangle_count + 12 * (size_t)mesh->hinge_count;
    size_t cells = 3 * (size_t)mesh->cells.corner_count;
    double sum = 0;
    for (size_t n = 0; n < tets; n++) {
        sum += pass->tet_out[n] * pass->tet_out[n];
    }
    for (size_t n = 0; n < cloth; n++) {
        sum += pass->cloth_out[n] * pass->cloth_out[n];
    }
    for (size_t n = 0; n < cells; n++) {
        sum += pass->cell_out[n] * pass->cell_out[n];
    }
    return sum;
}

double elastic_residual(const struct sim_model *model, const struct sim_state *state,
                        const struct elastic_work *elastic)
{
    struct minimiser *work = elastic->minimiser;
    double left = 0, inertial = 0;
    if (!elastic->has_result) {
        return 0;
    }
    const struct float_system *blocks = work->pass.blocks;
    work->pass.blocks = NULL; /* by all elements: corner_squares reads what they put on their corners */
    newton_gradient(model, state, work);
    work->pass.blocks = blocks;
    for (size_t n = 0; n < work->size; n++) {
        uint32_t v = (uint32_t)(n / 3);
        double inertia =
            v < model->vertex_count ? work->inertia.vertices[v] * (state->positions[n] - work->targets[n]) : 0;
        left += work->gradient[n] * work->gradient[n];
        inertial += inertia * inertia;
    }
    double scale = sqrt(inertial) + sqrt(corner_squares(model, &work->pass));
    return scale > 0 && isfinite(scale) ? sqrt(left) / scale : 0;
}
