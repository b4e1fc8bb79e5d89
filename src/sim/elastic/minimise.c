/* A substep of elastic bodies and of all they meet: the minimum of one sum (newton_step.c).
 *
 * Implicit Euler (BDF2: two_step.c). A vertex goes to the minimum of (1 + a h) m / (2 h^2) |x - target|^2 + everything else, target = x + h (v + h g) /
 * (1 + a h), a the damping by air; its velocity then is (x' - x) / h. Rigid bodies likewise from the pose of their free
 * flight. The search starts where the present velocity leads, or nearer where that would cost more. */
#include "minimise.h"
#include "rigid_bonds.h"

#include <math.h>
#include <string.h>

/* ---- creation ---------------------------------------------------------------------------------------------------- */

static void set_inertia(const struct sim_model *model, struct minimiser *work)
{
    double h = model->substep, c = (1 + model->air_damping * h) / (h * h);
    work->mass = 0;
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        dent_sim_body_kind kind = model->bodies[model->vertex_bodies[v]].kind;
        bool moves = sim_is_elastic(kind) && model->inverse_masses[v] > 0;
        work->inertia.vertices[v] = moves ? c * model->masses[v] : 0;
        work->mass += moves ? model->masses[v] : 0;
    }
    work->inertia.rigid = 1 / (h * h);
    work->inertia.rate = 1 / h;
    work->inertia.mass_factor = c;
    work->step = h;
}

static dent_status allocate(struct sim_model *model, struct elastic_work *elastic)
{
    struct minimiser *work = elastic->minimiser = sim_allocate(model, 1, sizeof *work);
    size_t numbers = 3 * (size_t)model->vertex_count;
    elastic->previous = sim_allocate(model, numbers + 1, sizeof(double));
    elastic->places = sim_allocate(model, has_rods(model) ? numbers + 1 : 0, sizeof(double));
    elastic->solved = sim_allocate(model, model->body_count, 1);
    elastic->previous_rigids = sim_allocate(model, model->rigid_count, sizeof *elastic->previous_rigids);
    if (!work || !elastic->previous_rigids || !elastic->previous || !elastic->solved || !elastic->places) {
        return sim_no_memory(model->context);
    }
    work->size = numbers + 6 * (size_t)model->rigid_count + ROD_LANES * (size_t)model->rods->row_count;
    double **const vectors[] = {&work->gradient, &work->residual,       &work->direction,
                                &work->product,  &work->preconditioned, &work->solution};
    double **const positions[] = {&work->targets, &work->start, &work->trial, &work->velocities};
    bool all = true;
    for (size_t n = 0; n < sizeof vectors / sizeof vectors[0]; n++) {
        all = all && (*vectors[n] = sim_allocate(model, work->size + 1, sizeof(double)));
    }
    for (size_t n = 0; n < sizeof positions / sizeof positions[0]; n++) {
        all = all && (*positions[n] = sim_allocate(model, numbers + 1, sizeof(double)));
    }
    work->inertia.vertices = sim_allocate(model, model->vertex_count, sizeof(double));
    work->inertia.rigid_active = sim_allocate(model, model->rigid_count, 1);
    work->rigid_targets = sim_allocate(model, model->rigid_count, sizeof *work->rigid_targets);
    work->trial_rigids = sim_allocate(model, model->rigid_count, sizeof *work->trial_rigids);
    work->search_rigids = sim_allocate(model, model->rigid_count, sizeof *work->search_rigids);
    work->solved_rigids = sim_allocate(model, model->rigid_count, sizeof *work->solved_rigids);
    work->partial = sim_allocate(model, work->size / 1024 + 2, sizeof(double));
    work->islands = sim_allocate(model, model->body_count, sizeof *work->islands);
    work->island_sums = sim_allocate(model, model->body_count, sizeof *work->island_sums);
    work->mode_squares = sim_allocate(model, model->body_count, sizeof(double));
    work->holding = sim_allocate(model, model->rigid_count, sizeof(double));
    work->piece_pushed = sim_allocate(model, model->elastic->piece_count, 1);
    work->one_step = sim_allocate(model, model->body_count, 1);
    work->body_held = sim_allocate(model, model->body_count, 1);
    work->two_step = sim_allocate(model, model->vertex_count, 1);
    all = all && work->inertia.vertices && work->inertia.rigid_active && work->rigid_targets && work->trial_rigids &&
          work->partial && work->islands && work->island_sums && work->mode_squares && work->holding && work->piece_pushed &&
          work->one_step && work->two_step && work->body_held && work->search_rigids && work->solved_rigids;
    return all ? DENT_OK : sim_no_memory(model->context);
}

/* Modes are measured with the inertia of the whole step and without damping; then all is made for the substep. */
static dent_status choose_substeps(struct sim_model *model, struct sim_state *state, struct minimiser *work)
{
    uint32_t substeps = model->substeps;
    model->substep = model->time_step;
    set_inertia(model, work);
    work->inertia.rate = 0;
    memcpy(work->start, state->positions, 3 * (size_t)model->vertex_count * sizeof(double));
    dent_status status = coarse_build(model, &work->inertia, &work->space);
    status = status == DENT_OK ? substeps_modes(model, state, work) : status;
    if (status != DENT_OK) {
        return status;
    }
    model->substeps = substeps > 0 ? substeps : substeps_choose(model, work);
    model->substep = model->time_step / model->substeps;
    substeps_report(model, work);
    set_inertia(model, work);
    momentum_note_held(model, work);
    status = coarse_rest(model, &work->inertia, &work->space);
    if (status == DENT_OK) {
        terms_build(model, work);
        status = float_layout_build(model, &work->inertia, &work->space, &work->floats);
        work->space.diagonal_in_floats = work->floats.built;
        work->pass.blocks = work->floats.built ? &work->floats : NULL;
    }
    return status;
}

dent_status elastic_build(struct sim_model *model, struct sim_state *state, struct elastic_work *work,
                          uint32_t iterations)
{
    dent_status status = bonds_find(model, state);
    status = status == DENT_OK ? rod_mesh_build(model, state) : status;
    status = status == DENT_OK ? elastic_mesh_build(model) : status;
    status = status == DENT_OK ? allocate(model, work) : status;
    status = status == DENT_OK ? pass_build(model, state, &work->minimiser->pass) : status;
    status = status == DENT_OK ? rods_build(model, &work->minimiser->rods,
                                            3 * (size_t)model->vertex_count + 6 * (size_t)model->rigid_count)
                               : status;
    status = status == DENT_OK ? load_work_build(model, &work->loads) : status;
    if (status != DENT_OK) {
        return status;
    }
    work->minimiser->most_iterations = model->iterations = iterations;
    work->minimiser->loads = &work->loads;
    memcpy(work->previous, state->positions, 3 * (size_t)model->vertex_count * sizeof(double));
    return choose_substeps(model, state, work->minimiser);
}

void elastic_destroy(dent_context *context, struct elastic_work *elastic)
{
    struct minimiser *work = elastic->minimiser;
    if (work) {
        coarse_destroy(context, &work->space);
        float_destroy(context, &work->floats);
        dent_release(context, work->terms.terms, (size_t)work->terms.capacity, sizeof *work->terms.terms);
        dent_release(context, work->new_springs, (size_t)work->new_spring_capacity, sizeof *work->new_springs);
    }
}

/* ---- a substep --------------------------------------------------------------------------------------------------- */

dent_status elastic_begin(const struct sim_model *model, struct sim_state *state, const struct contact_set *contacts,
                          struct elastic_work *work)
{
    islands_find(model, state, contacts, work);
    dent_status status = terms_begin_interval(model, state, contacts, work);
    if (status == DENT_OK) {
        two_step_begin_interval(model, work->minimiser);
    }
    return status;
}

struct aim_call {
    const struct sim_model *model;
    struct sim_state *state;
    struct elastic_work *elastic;
};

/* Targets, and the way that the present velocities lead. */
static void aim_range(void *data, uint32_t begin, uint32_t end)
{
    const struct aim_call *call = data;
    const struct sim_model *model = call->model;
    struct minimiser *work = call->elastic->minimiser;
    double h = model->substep;
    for (uint32_t v = begin; v < end; v++) {
        bool moves = work->inertia.vertices[v] > 0, two = work->two_step[v] != 0;
        double step = two ? 2 * h / 3 : h, keep = 1 / (1 + model->air_damping * step);
        for (size_t axis = 0; axis < 3; axis++) {
            size_t n = 3 * (size_t)v + axis;
            double x = call->elastic->previous[n], velocity = call->state->velocities[n], from = x, with = velocity;
            if (two) {
                from += (x - call->state->last_positions[n]) / 3;
                with += (velocity - call->state->last_velocities[n]) / 3;
            }
            work->velocities[n] = velocity;
            work->start[n] = x;
            work->targets[n] = from + step * keep * (with + step * call->state->gravity[axis]);
            work->solution[n] = moves ? h * velocity : 0;
        }
    }
}

static void aim_rigid(const struct sim_model *model, struct sim_state *state, const struct rigid_motion *motion,
                      struct minimiser *work)
{
    double h = model->substep, *six = work->solution + 3 * (size_t)model->vertex_count;
    memset(six, 0, (work->size - 3 * (size_t)model->vertex_count) * sizeof *six); /* edges of strands do not turn, either */
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        if (work->inertia.rigid_active[r]) {
            /* Starts from free flight without gravity: there a body at rest is. */
            work->rigid_targets[r] = motion->free[r];
            sim_add_scaled(state->rigids[r].center, -h * h, state->gravity);
        }
    }
}

static void velocity_range(void *data, uint32_t begin, uint32_t end)
{
    const struct aim_call *call = data;
    const struct minimiser *work = call->elastic->minimiser;
    double h = call->model->substep; /* divided by: 1/h would err to the same side in every substep */
    for (uint32_t v = begin; v < end; v++) {
        for (size_t n = 3 * (size_t)v; work->inertia.vertices[v] > 0 && n < 3 * (size_t)v + 3; n++) {
            double moved = call->state->positions[n] - work->start[n];
            double before = work->start[n] - call->state->last_positions[n];
            call->state->velocities[n] = work->two_step[v] ? (3 * moved - before) / (2 * h) : moved / h;
        }
    }
}

dent_status elastic_substep(const struct sim_model *model, struct sim_state *state, struct contact_set *contacts,
                            const struct rigid_motion *motion, struct elastic_work *elastic)
{
    struct minimiser *work = elastic->minimiser;
    struct aim_call call = {model, state, elastic};
    two_step_choose(model, state, work);
    sim_parallel(model->context, 0, model->vertex_count, aim_range, &call);
    loads_aim(model, work->loads, work->inertia.vertices, work->targets);
    loads_total(model, elastic->previous, work->loads);
    supports_project(model, work->solution);
    work->substep_count++;
    work->elastic_change = 0;
    struct placement before = {elastic->previous, motion->previous};
    terms_begin_substep(model, state, &before, work);
    energy_begin(model, state, elastic);
    rods_begin(model, state, &work->inertia, elastic->previous, elastic->time, &work->rods);
    aim_rigid(model, state, motion, work);
    bonds_place_vertices(model, state->rigids, state->positions);
    struct placement at = {state->positions, state->rigids};
    terms_linearise(&work->terms, &at);
    newton_start(model, state, work);
    dent_status status = newton_minimise(model, state, work);
    if (status != DENT_OK) {
        return status;
    }
    if (model->rigid_count > 0) {
        memcpy(work->solved_rigids, state->rigids, model->rigid_count * sizeof *state->rigids);
    }
    sim_parallel(model->context, 0, model->vertex_count, velocity_range, &call);
    rods_end(model, state, &work->rods);
    terms_end_substep(model, state, contacts, work);
    loads_total(model, state->positions, work->loads);
    momentum_keep(model, state, elastic->previous, work->velocities, work);
    two_step_keep(model, state, elastic->previous, work);
    elastic->has_result = true;
    return DENT_OK;
}
