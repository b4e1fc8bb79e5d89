/* No energy from nothing, the last of the stages. Substeps limit their own energy (elastic/energy_limit.c); the safe motion
 * at the end of an interval pushes and stops vertices one by one, which may stretch what hangs on to them without bound.
 * Cloth that starts across other bodies does that in every interval.
 *
 * Here everything counts, of all bodies: kinetic, elastic and gravitational energy, and that of contacts, attachments and
 * overlap. Together with the reserve it may not grow in an interval. What it grew by is taken from the reserve, which was
 * lost before; then from the velocities of the groups of bodies that gained; a group that cannot pay goes back to where it
 * was at the beginning of the interval, with half of its velocities. There nothing crossed. Others that would now run into it
 * go back with it. What contacts store beyond that is forgotten.
 *
 * Loads, motors and muscles work during the substeps, which count that themselves: then what there was after the last
 * substep must not grow by what follows, but for the work that loads do on the displacements. Bodies, fixed vertices and
 * supports that are moved from outside work in the safe motion by an amount that is not known: then nothing is taken. */
#include "sim_step.h"

#include "base/containers/union_find.h"
#include "sim/elements/elastic_mesh.h"

#include <math.h>
#include <string.h>

/* A sum of energies is known to this part of it. */
#define KNOWN 1e-12

dent_status interval_energy_build(struct sim_model *model, struct interval_energy *energy)
{
    energy->velocities = sim_allocate(model, 3 * (size_t)model->vertex_count, sizeof(double));
    energy->rigids = sim_allocate(model, model->rigid_count, sizeof *energy->rigids);
    energy->books = sim_allocate(model, model->rigid_count, sizeof *energy->books);
    energy->before = sim_allocate(model, model->body_count, sizeof *energy->before);
    energy->gained = sim_allocate(model, model->body_count, sizeof *energy->gained);
    energy->kinetic = sim_allocate(model, model->body_count, sizeof *energy->kinetic);
    energy->back = sim_allocate(model, model->body_count, 1);
    energy->plastic = sim_allocate(model, 10 * (size_t)model->plastic_count, sizeof(double));
    energy->ended = sim_allocate(model, 3 * (size_t)model->vertex_count + 1, sizeof(double));
    energy->ended_rigids = sim_allocate(model, model->rigid_count, sizeof *energy->ended_rigids);
    return energy->velocities && energy->plastic && energy->ended && energy->ended_rigids && energy->rigids && energy->books && energy->before && energy->gained && energy->kinetic &&
                   energy->back
               ? DENT_OK
               : sim_no_memory(model->context);
}

static double stored_by_all(const struct sim_model *model, const struct sim_state *state,
                            const struct sim_solver *solver)
{
    return elastic_term_energy(model, state, &solver->elastic) + joints_stored(model, state->rigids) +
           island_energy_books(model, state).stored;
}

static double reserve_of(const struct sim_model *model, const struct sim_state *state)
{
    return state->reserve + island_energy_books(model, state).losses;
}

/* Loads, motors and muscles. */
static bool works_by_itself(const struct sim_model *model)
{
    bool works = model->has_loads;
    for (uint32_t n = 0; n < model->joint_count && !works; n++) {
        works = model->joints[n].motor != DENT_SIM_MOTOR_NONE;
    }
    for (uint32_t n = 0; n < model->material_count && !works; n++) {
        works = model->materials[n].activation_count > 0;
    }
    return works;
}

void interval_energy_begin(const struct sim_model *model, const struct sim_state *state, const struct sim_solver *solver,
                           struct interval_energy *energy)
{
    sim_copy(model->context, energy->velocities, state->velocities, 3 * (size_t)model->vertex_count * sizeof(double));
    if (model->rigid_count > 0) {
        memcpy(energy->rigids, state->rigids, model->rigid_count * sizeof *energy->rigids);
        memcpy(energy->books, state->books, model->rigid_count * sizeof *energy->books);
    }
    if (model->plastic_count > 0) {
        memcpy(energy->plastic, state->plastic, 10 * (size_t)model->plastic_count * sizeof(double));
    }
    energy->stored = stored_by_all(model, state, solver);
    energy->reserve = reserve_of(model, state);
}

void interval_energy_note_end(const struct sim_model *model, const struct sim_state *state,
                              const struct sim_solver *solver, struct interval_energy *energy)
{
    memcpy(energy->ended, state->positions, 3 * (size_t)model->vertex_count * sizeof(double));
    if (model->rigid_count > 0) {
        memcpy(energy->ended_rigids, state->rigids, model->rigid_count * sizeof *energy->ended_rigids);
    }
    energy->ended_stored = works_by_itself(model) ? stored_by_all(model, state, solver) : 0;
}

static bool moves_by_itself(const struct sim_model *model, uint32_t vertex)
{
    const struct sim_body *body = &model->bodies[model->vertex_bodies[vertex]];
    return body->rigid != SIM_NONE || body->kind == DENT_SIM_EMBEDDED || model->inverse_masses[vertex] > 0;
}

static bool is_moved_from_outside(const struct sim_model *model, const struct sim_state *state, const double *start)
{
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        if (!moves_by_itself(model, v) &&
            memcmp(state->positions + 3 * (size_t)v, start + 3 * (size_t)v, 3 * sizeof(double)) != 0) {
            return true;
        }
    }
    return supports_move(model, state);
}

/* Bodies that touch, are tied or carry one another pay together. */
static void join_groups(const struct sim_model *model, const struct contact_set *contacts, struct safe_motion *safe)
{
    for (uint64_t i = 0; i < contacts->count; i++) {
        safe_join_bodies(model, safe, contacts->records[i].body_a, contacts->records[i].body_b);
    }
    for (uint32_t n = 0; n < model->attachment_count; n++) {
        if (model->attachments[n].body_b != SIM_NONE) {
            safe_join_bodies(model, safe, model->attachments[n].body_a, model->attachments[n].body_b);
        }
    }
    for (uint32_t n = 0; n < model->loads->spring_count; n++) {
        const struct load_spring *spring = &model->loads->springs[n];
        if (spring->a.body != SIM_NONE && spring->b.body != SIM_NONE) {
            safe_join_bodies(model, safe, spring->a.body, spring->b.body);
        }
    }
    for (uint32_t n = 0; n < model->joint_count; n++) {
        const uint32_t *rigid = model->joints[n].rigid;
        if (rigid[0] != SIM_NONE && rigid[1] != SIM_NONE) {
            safe_join_bodies(model, safe, model->rigids[rigid[0]].body, model->rigids[rigid[1]].body);
        }
    }
    for (uint32_t b = 0; b < model->body_count; b++) {
        if (model->bodies[b].kind == DENT_SIM_EMBEDDED) {
            safe_join_bodies(model, safe, b, model->bodies[b].host);
        }
    }
}

static void note_before(const struct sim_model *model, const struct sim_state *state, const struct safe_motion *safe,
                        struct interval_energy *energy)
{
    if (works_by_itself(model)) {
        memcpy(energy->before, safe->energies, model->body_count * sizeof *energy->before);
        memset(energy->back, 0, model->body_count);
        energy->stored = energy->ended_stored;
        energy->reserve = reserve_of(model, state);
        return;
    }
    struct sim_state then = *state;
    double kinetic;
    union {
        const double *read;
        double *other;
    } positions = {safe->interval_start};
    then.positions = positions.other;
    then.velocities = energy->velocities;
    then.rigids = energy->rigids;
    then.plastic = energy->plastic;
    for (uint32_t b = 0; b < model->body_count; b++) {
        energy->before[b] = safe_body_energy(model, &then, b, &kinetic);
        energy->back[b] = 0;
    }
}

/* Of loads, since the last substep. */
static double work_since(const struct sim_model *model, const struct sim_state *state, const struct sim_solver *solver,
                         const struct interval_energy *energy)
{
    struct load_way way = {energy->ended, state->positions, energy->ended_rigids, state->rigids, true};
    return model->has_loads ? loads_work(model, &solver->elastic.loads, &way, NULL) : 0;
}

/* Gains and kinetic energies by group; returns the gain of all, the reserve included. */
static double measure(const struct sim_model *model, const struct sim_state *state, const struct sim_solver *solver,
                      uint32_t *groups, struct interval_energy *energy)
{
    double stored = stored_by_all(model, state, solver), work = work_since(model, state, solver, energy);
    double sum = stored - energy->stored - work, size = fabs(stored) + fabs(energy->stored) + fabs(work);
    memset(energy->gained, 0, model->body_count * sizeof *energy->gained);
    memset(energy->kinetic, 0, model->body_count * sizeof *energy->kinetic);
    for (uint32_t b = 0; b < model->body_count; b++) {
        double kinetic, now = safe_body_energy(model, state, b, &kinetic);
        uint32_t group = union_find_root(groups, b);
        energy->gained[group] += now - energy->before[b];
        energy->kinetic[group] += kinetic;
        sum += now - energy->before[b];
        size += fabs(now) + fabs(energy->before[b]);
    }
    sum += reserve_of(model, state) - energy->reserve;
    return sum > KNOWN * size || !isfinite(sum) ? sum : 0;
}

/* Takes `part` of their gains from the velocities of the groups; those that cannot pay are to go back: true. */
static bool take_from_velocities(const struct sim_model *model, struct sim_state *state, uint32_t *groups, double part,
                                 struct interval_energy *energy)
{
    bool fails = false;
    for (uint32_t b = 0; b < model->body_count; b++) {
        uint32_t group = union_find_root(groups, b);
        double owed = part * energy->gained[group], has = energy->kinetic[group];
        if (!(energy->gained[group] <= 0) && !energy->back[b]) {
            if (owed <= has) {
                safe_scale_velocities(model, state, b, sqrt((has - owed) / has));
            } else {
                energy->back[b] = fails = true;
            }
        }
    }
    return fails;
}

static void go_back(const struct sim_model *model, struct sim_state *state, const double *start,
                    const struct interval_energy *energy)
{
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        for (size_t n = 3 * (size_t)v; energy->back[model->vertex_bodies[v]] && n < 3 * (size_t)v + 3; n++) {
            state->positions[n] = start[n];
            state->velocities[n] = 0.5 * energy->velocities[n];
        }
    }
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        if (energy->back[model->rigids[r].body]) {
            state->rigids[r] = energy->rigids[r];
            state->books[r] = energy->books[r]; /* of motion that is taken back */
            for (int axis = 0; axis < 3; axis++) {
                state->rigids[r].linear_velocity[axis] *= 0.5;
                state->rigids[r].angular_velocity[axis] *= 0.5;
            }
        }
    }
    const struct solid_cells *cells = &model->elastic->cells;
    for (uint32_t c = 0; c < cells->count && model->plastic_count > 0; c++) {
        const struct solid_cell *cell = &cells->cells[c];
        if (cell->first_plastic != SIM_NONE && energy->back[cell->body]) {
            size_t first = 10 * (size_t)cell->first_plastic;
            memcpy(state->plastic + first, energy->plastic + first, 10 * (size_t)cell->point_count * sizeof(double));
        }
    }
    solver_place_vertices(model, state);
    state_forget_history(model, state);
}

/* Groups with a body that goes back do so as wholes, and all that would run into them. */
static dent_status go_back_together(const struct sim_model *model, struct sim_state *state, struct sim_workspace *work)
{
    struct interval_energy *energy = &work->energy;
    uint32_t *groups = work->safe.groups;
    dent_status status = DENT_OK;
    bool more = true;
    while (more && status == DENT_OK) {
        go_back(model, state, work->safe.interval_start, energy);
        status = safe_motion_find(model, state, work->search.world, &work->safe, &work->report);
        more = false;
        for (uint32_t a = 0; a < model->body_count && status == DENT_OK; a++) {
            for (uint32_t b = 0; b < model->body_count && energy->back[a]; b++) {
                if (!energy->back[b] && union_find_root(groups, a) == union_find_root(groups, b)) {
                    energy->back[b] = more = true;
                }
            }
        }
        if (!more && work->safe.impact_count > 0) { /* of groups that do not go back: cannot be, but must not remain */
            memset(energy->back, 1, model->body_count);
            go_back(model, state, work->safe.interval_start, energy);
        }
    }
    return status;
}

/* Contacts found again store no more than this says. */
static void forget_stored(struct sim_state *state, double gain)
{
    double sum = 0;
    for (uint64_t i = 0; i < state->spring_count; i++) {
        sum += state->springs[i].energy;
    }
    double factor = sum > gain ? 1 - gain / sum : 0;
    for (uint64_t i = 0; i < state->spring_count; i++) {
        state->springs[i].energy *= factor;
    }
}

static double sum_of_gains(const struct sim_model *model, const struct interval_energy *energy)
{
    double sum = 0;
    for (uint32_t b = 0; b < model->body_count; b++) {
        sum += energy->gained[b] > 0 ? energy->gained[b] : 0;
    }
    return sum;
}

static dent_status limit(const struct sim_model *model, struct sim_state *state, struct sim_workspace *work)
{
    struct interval_energy *energy = &work->energy;
    uint32_t *groups = work->safe.groups;
    dent_status status = DENT_OK;
    if (is_moved_from_outside(model, state, work->safe.interval_start)) {
        return DENT_OK;
    }
    join_groups(model, &work->contacts, &work->safe);
    note_before(model, state, &work->safe, energy);
    double gain = measure(model, state, &work->solver, groups, energy);
    if (gain == 0) {
        return DENT_OK; /* measuring again, a pass over all elements, would say the same */
    }
    double paid = gain < state->reserve ? gain : state->reserve;
    state->reserve -= paid > 0 ? paid : 0;
    bool done = false;
    while (status == DENT_OK && !done && (gain = measure(model, state, &work->solver, groups, energy)) != 0) {
        double gains = sum_of_gains(model, energy);
        done = !take_from_velocities(model, state, groups, gains > gain ? gain / gains : 1, energy);
        status = done ? DENT_OK : go_back_together(model, state, work);
    }
    gain = status == DENT_OK ? measure(model, state, &work->solver, groups, energy) : 0;
    if (gain > 0) {
        forget_stored(state, gain);
    }
    return status;
}

dent_status interval_energy_limit(const struct sim_model *model, struct sim_state *state, struct sim_workspace *work)
{
    dent_status status = work->safe.met ? limit(model, state, work) : DENT_OK;
    state->outer_work += work->safe.met ? work_since(model, state, &work->solver, &work->energy) : 0;
    return status;
}
