/* Newton's method on the sum of a substep,
 *
 *     sum c m / 2 |x - target|^2 + elastic energy + damping + contacts + attachments,     c = 1 / H^2,
 *
 * linear equations by conjugate gradients with the preconditioner of coarse_space.c and products that never form the
 * matrix. Steps are shortened until the sum falls: differences of energies are computed as such, without cancellation.
 * Sums run over blocks of fixed size, so bits do not depend on the number of threads. */
#include "minimise.h"
#include "rigid_bonds.h"

#include <math.h>
#include <string.h>

enum { MOST_PRODUCTS = 60, LARGE_PRODUCTS = 12, LARGE_ITERATIONS = 3, WORN_OUT = 8, MOST_ITERATIONS = 12 };
enum { MOST_HALVINGS = 24, START_SHORTENINGS = 4, LINE_ROUNDS = 20, DOT_BLOCK = 2048 };
/* Of the residual, in the norm of the preconditioner; where the factor solves the equations, and in large scenes, which
 * begin nearer: there what is left is a part of what one substep changes, and goes into the next. */
#define LINEAR_TOLERANCE 1e-2
#define LARGE_LINEAR_TOLERANCE 5e-2
#define CLOTH_LINEAR_TOLERANCE 1e-1 /* of large scenes with cloth: folds change the equations more than that */
#define NEWTON_TOLERANCE 1e-3
#define LARGE_NEWTON_TOLERANCE 5e-2
#define NEWTON_FLOOR 1e-9   /* of the energy that one substep of weight and loads would give */
#define NEWTON_STORED 1e-13 /* of what contacts and attachments store: forces to a part in three million */
#define SUFFICIENT 1e-4     /* of the decrease that the slope promises */

#define START_SHORTER 0.25 /* from one start that is tried to the next */
#define LINE_WORTHWHILE 1e-3 /* of the decrease */

/* ---- vectors ----------------------------------------------------------------------------------------------------- */

struct dot_call {
    const double *a, *b;
    double *partial;
    size_t size;
};

static void dot_task(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct dot_call *call = data;
    size_t begin = (size_t)block * DOT_BLOCK, end = begin + DOT_BLOCK < call->size ? begin + DOT_BLOCK : call->size;
    double sums[4] = {0};
    size_t n = begin;
    for (; n + 4 <= end; n += 4) {
        for (size_t k = 0; k < 4; k++) {
            sums[k] += call->a[n + k] * call->b[n + k];
        }
    }
    for (; n < end; n++) {
        sums[0] += call->a[n] * call->b[n];
    }
    call->partial[block] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

static void run_blocks(const struct sim_model *model, uint32_t blocks, dent_block_function *function, void *data)
{
    if (blocks == 1) {
        function(data, 0, 0);
    } else if (blocks > 1) {
        dent_parallel_for(model->context, blocks, function, data);
    }
}

static double vector_dot(const struct sim_model *model, struct minimiser *work, const double *a, const double *b)
{
    struct dot_call call = {a, b, work->partial, work->size};
    uint32_t blocks = (uint32_t)((work->size + DOT_BLOCK - 1) / DOT_BLOCK);
    if (blocks == 0) {
        return 0;
    }
    run_blocks(model, blocks, dot_task, &call);
    double sum = 0;
    for (uint32_t block = 0; block < blocks; block++) {
        sum += work->partial[block];
    }
    return sum;
}

/* One step of conjugate gradients, or the next direction. */
struct update_call {
    struct minimiser *work;
    double factor;
};

static void update_task(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct update_call *call = data;
    struct minimiser *work = call->work;
    size_t begin = (size_t)block * DOT_BLOCK, end = begin + DOT_BLOCK < work->size ? begin + DOT_BLOCK : work->size;
    for (size_t n = begin; n < end; n++) {
        work->solution[n] += call->factor * work->direction[n];
        work->residual[n] -= call->factor * work->product[n];
    }
}

static void turn_task(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct update_call *call = data;
    struct minimiser *work = call->work;
    size_t begin = (size_t)block * DOT_BLOCK, end = begin + DOT_BLOCK < work->size ? begin + DOT_BLOCK : work->size;
    for (size_t n = begin; n < end; n++) {
        work->direction[n] = work->preconditioned[n] + call->factor * work->direction[n];
    }
}

static void update(const struct sim_model *model, struct minimiser *work, double factor, dent_block_function *task)
{
    struct update_call call = {work, factor};
    run_blocks(model, (uint32_t)((work->size + DOT_BLOCK - 1) / DOT_BLOCK), task, &call);
}

/* ---- rigid bodies ------------------------------------------------------------------------------------------------ */

/* Twice the vector part of now * conjugate(target): the angle from the target to now, to first order, in space. */
static void angle_from(const double *target, const double *now, double angle[3])
{
    double cross[3], w = now[0] * target[0] + sim_dot(now + 1, target + 1);
    sim_cross(target + 1, now + 1, cross);
    for (int i = 0; i < 3; i++) {
        angle[i] = (w < 0 ? 2 : -2) * (now[0] * target[1 + i] - target[0] * now[1 + i] - cross[i]);
    }
}

void newton_inertia_times(const struct sim_rigid *rigid, const double *orientation, const double *vector, double out[3])
{
    double turn[9], local[3], moved[3];
    rigid_rotation(orientation, turn);
    for (int i = 0; i < 3; i++) {
        local[i] = turn[i] * vector[0] + turn[3 + i] * vector[1] + turn[6 + i] * vector[2];
    }
    for (int i = 0; i < 3; i++) {
        moved[i] = sim_dot(rigid->inertia + 3 * i, local);
    }
    for (int i = 0; i < 3; i++) {
        out[i] = sim_dot(turn + 3 * i, moved);
    }
}

static double rigid_inertia_energy(const struct sim_model *model, const struct minimiser *work,
                                   const dent_rigid_state *rigids)
{
    double sum = 0;
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        if (!work->inertia.rigid_active[r]) {
            continue;
        }
        const dent_rigid_state *target = &work->rigid_targets[r];
        double off[3], angle[3], moment[3];
        sim_subtract(rigids[r].center, target->center, off);
        angle_from(target->orientation, rigids[r].orientation, angle);
        newton_inertia_times(&model->rigids[r], target->orientation, angle, moment);
        sum += 0.5 * work->inertia.rigid * (model->rigids[r].mass * sim_dot(off, off) + sim_dot(angle, moment));
    }
    return sum;
}

/* ---- gradient and product ---------------------------------------------------------------------------------------- */

/* Terms and loads also act on what does not move: that is forgotten. All else outside the movers is 0 and stays so. */
static void clear_unmoved(const struct sim_model *model, const struct minimiser *work, double *vector)
{
    for (uint32_t v = 0; v < model->vertex_count && model->loads->has_followers; v++) {
        if (!(work->inertia.vertices[v] > 0)) {
            memset(vector + 3 * (size_t)v, 0, 3 * sizeof *vector);
        }
    }
    for (uint64_t i = 0; i < work->terms.count; i++) {
        for (int k = 0; k < 8; k++) {
            uint32_t v = (k < 4 ? &work->terms.terms[i].a : &work->terms.terms[i].b)->vertices[k % 4];
            if (v != SIM_NONE && !(work->inertia.vertices[v] > 0)) {
                memset(vector + 3 * (size_t)v, 0, 3 * sizeof *vector);
            }
        }
    }
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        if (!work->inertia.rigid_active[r]) {
            memset(vector + 3 * (size_t)model->vertex_count + 6 * (size_t)r, 0, 6 * sizeof *vector);
        }
    }
}

/* A loop over the movers. */
struct mover_call {
    const struct sim_model *model;
    const struct sim_state *state;
    struct minimiser *work;
    const double *direction;
    double *out, part;
    const double *from;
};

/* out += inertia * (x - target), or * direction where there is one */
static void inertia_task(void *data, uint32_t chunk, uint32_t worker)
{
    (void)worker;
    const struct mover_call *call = data;
    const struct minimiser *work = call->work;
    uint32_t count;
    const uint32_t *movers = pass_movers(&work->pass, chunk, &count);
    for (uint32_t m = 0; m < count; m++) {
        double c = work->inertia.vertices[movers[m]];
        for (size_t n = 3 * (size_t)movers[m]; c > 0 && n < 3 * (size_t)movers[m] + 3; n++) {
            call->out[n] += c * (call->direction ? call->direction[n] : call->state->positions[n] - work->targets[n]);
        }
    }
}

static struct element_pass pass_at(const struct sim_state *state, const struct minimiser *work, const double *direction)
{
    return (struct element_pass){state->positions, work->start, direction, work->inertia.rate, NULL};
}

void newton_gradient(const struct sim_model *model, const struct sim_state *state, struct minimiser *work)
{
    struct element_pass pass = pass_at(state, work, NULL);
    struct placement at = {state->positions, state->rigids};
    double *g = work->gradient, *six = g + 3 * (size_t)model->vertex_count;
    pass_gradient(model, &work->pass, &pass, g);
    rods_gradient(model, state, &work->rods, g);
    memset(six, 0, 6 * (size_t)model->rigid_count * sizeof *six);
    terms_add_gradient(model, &work->terms, &at, g);
    loads_add_gradient(model, work->loads, state->positions, g);
    bonds_contract(model, state, g);
    clear_unmoved(model, work, g);
    struct mover_call call = {model, state, work, NULL, g, 0, NULL};
    pass_for_movers(model, &work->pass, inertia_task, &call);
    for (uint32_t r = 0; r < model->rigid_count; r++, six += 6) {
        if (work->inertia.rigid_active[r]) {
            double angle[3], moment[3], c = work->inertia.rigid;
            angle_from(work->rigid_targets[r].orientation, state->rigids[r].orientation, angle);
            newton_inertia_times(&model->rigids[r], state->rigids[r].orientation, angle, moment);
            for (int i = 0; i < 3; i++) {
                six[i] += c * model->rigids[r].mass * (state->rigids[r].center[i] - work->rigid_targets[r].center[i]);
                six[3 + i] += c * moment[i];
            }
        }
    }
    supports_project(model, g);
}

void newton_product(const struct sim_model *model, const struct sim_state *state, struct minimiser *work,
                    double *direction, double *out)
{
    struct placement at = {state->positions, state->rigids};
    const double *turned = direction + 3 * (size_t)model->vertex_count;
    double *six = out + 3 * (size_t)model->vertex_count;
    bonds_expand(model, state, direction);
    struct element_pass pass = pass_at(state, work, direction);
    pass_product(model, &work->pass, &pass, out);
    rods_product(model, state, &work->rods, direction, out);
    memset(six, 0, 6 * (size_t)model->rigid_count * sizeof *six);
    terms_add_product(model, &work->terms, &at, direction, out);
    bonds_contract(model, state, out);
    for (uint32_t k = 0; k < model->bonds->bond_count; k++) { /* no unknowns of their own */
        memset(direction + 3 * (size_t)model->bonds->bonds[k].vertex, 0, 3 * sizeof *direction);
    }
    clear_unmoved(model, work, out);
    struct mover_call call = {model, state, work, direction, out, 0, NULL};
    pass_for_movers(model, &work->pass, inertia_task, &call);
    for (uint32_t r = 0; r < model->rigid_count; r++, six += 6, turned += 6) {
        if (work->inertia.rigid_active[r]) {
            double moment[3], c = work->inertia.rigid;
            newton_inertia_times(&model->rigids[r], state->rigids[r].orientation, turned + 3, moment);
            sim_add_scaled(six, c * model->rigids[r].mass, turned);
            sim_add_scaled(six + 3, c, moment);
        }
    }
    supports_project(model, out);
    work->products++;
}

/* ---- along a line ------------------------------------------------------------------------------------------------ */

static void place_task(void *data, uint32_t chunk, uint32_t worker)
{
    (void)worker;
    const struct mover_call *call = data;
    uint32_t count;
    const uint32_t *movers = pass_movers(&call->work->pass, chunk, &count);
    for (uint32_t m = 0; m < count; m++) {
        for (size_t n = 3 * (size_t)movers[m]; n < 3 * (size_t)movers[m] + 3; n++) {
            call->work->trial[n] = call->state->positions[n] + call->part * call->work->solution[n];
        }
    }
}

/* Positions and poses at `part` of the step. What does not move is there already (energy_begin). */
static void place_trial(const struct sim_model *model, const struct sim_state *state, struct minimiser *work,
                        double part)
{
    const double *six = work->solution + 3 * (size_t)model->vertex_count;
    struct mover_call call = {model, state, work, NULL, NULL, part, NULL};
    pass_for_movers(model, &work->pass, place_task, &call);
    if (model->rigid_count == 0) {
        rods_place_trial(model, state, work->trial, work->solution, part, &work->rods);
        return;
    }
    memcpy(work->trial_rigids, state->rigids, model->rigid_count * sizeof *work->trial_rigids);
    for (uint32_t r = 0; r < model->rigid_count; r++, six += 6) {
        if (work->inertia.rigid_active[r]) {
            double angle[3] = {part * six[3], part * six[4], part * six[5]};
            sim_add_scaled(work->trial_rigids[r].center, part, six);
            rigid_turn(&work->trial_rigids[r], angle);
        }
    }
    bonds_place_vertices(model, work->trial_rigids, work->trial);
    rods_place_trial(model, state, work->trial, work->solution, part, &work->rods);
}

/* The way to the trial, what inertia changes along it, and its square by inertia. */
static void moved_task(void *data, uint32_t chunk, uint32_t worker)
{
    (void)worker;
    const struct mover_call *call = data;
    const struct minimiser *work = call->work;
    const double *positions = call->state->positions;
    uint32_t count;
    const uint32_t *movers = pass_movers(&work->pass, chunk, &count);
    double inertia = 0, square = 0;
    for (uint32_t m = 0; m < count; m++) {
        double sum = 0, length = 0, c = work->inertia.vertices[movers[m]];
        for (size_t n = 3 * (size_t)movers[m]; n < 3 * (size_t)movers[m] + 3; n++) {
            double moved = work->trial[n] - positions[n];
            call->out[n] = moved;
            sum += moved * (positions[n] - work->targets[n] + 0.5 * moved);
            length += moved * moved;
        }
        inertia += c * sum;
        square += c * length;
    }
    work->partial[chunk] = inertia;
    work->partial[work->pass.chunk_count + chunk] = square;
}

/* Of the numbers of one kind that each chunk left. */
static double sum_chunks(const struct minimiser *work, uint32_t kind)
{
    const double *partial = work->partial + (size_t)kind * work->pass.chunk_count;
    double sum = 0;
    for (uint32_t chunk = 0; chunk < work->pass.chunk_count; chunk++) {
        sum += partial[chunk];
    }
    return sum;
}

/* The sum along the last trial is a polynomial, of which trial_change() left the terms. */
static bool is_polynomial(const struct sim_model *model, const struct minimiser *work)
{
    return work->terms.count == 0 && model->rigid_count == 0 && model->elastic->triangle_count == 0 &&
           model->elastic->cells.count == 0 && !model->has_loads && !has_rods(model);
}

/* By how much the sum changes from the present place to the trial. The start of large scenes is chosen without damping,
 * which costs as much as all else. */
static double trial_change(const struct sim_model *model, const struct sim_state *state, struct minimiser *work,
                           double before, bool damped)
{
    struct placement at = {work->trial, work->trial_rigids};
    double *moved = work->product, terms[LINE_TERMS];
    struct mover_call call = {model, state, work, NULL, moved, 0, NULL};
    work->lines++;
    pass_for_movers(model, &work->pass, moved_task, &call);
    double inertia = sum_chunks(work, 0), square = sum_chunks(work, 1);
    struct element_pass pass = pass_at(state, work, moved);
    bool first = work->pass.blocks && !work->change_known;
    pass.rate = damped ? pass.rate : 0;
    pass.begin = first ? work->start : NULL;
    pass_line(model, &work->pass, &pass, !is_polynomial(model, work), terms);
    double elastic = pass_cloth_change(model, &work->pass, &pass, 1);
    work->line_energy = work->pass.blocks && model->elastic->triangle_count > 0 ? elastic - work->pass.cloth_damping : 0;
    elastic += rods_trial_change(model, state, work->trial, work->solution, &work->rods);
    if (first) {
        work->elastic_change = work->pass.since;
        work->jump += work->pass.since;
        work->change_known = true;
    }
    for (int n = 0; n < LINE_TERMS; n++) {
        elastic += terms[n];
        work->line_energy += n < ENERGY_TERMS ? terms[n] : 0;
    }
    elastic += loads_change(model, work->loads, state->positions, moved);
    memcpy(work->line, terms, sizeof work->line);
    work->line_rest[0] = inertia - 0.5 * square + terms[ENERGY_TERMS];
    work->line_rest[1] = 0.5 * square + terms[ENERGY_TERMS + 1];
    return inertia + elastic +
           (terms_energy(&work->terms, &at) + rigid_inertia_energy(model, work, at.rigids) - before);
}

/* The first of 1, 1/2, 1/4 ... where the sum has fallen enough, as far as is known without a pass over the elements:
 * contacts as they are, all else to second order. Conjugate gradients end where solution . matrix . solution = -slope. */
static double choose_part(const struct sim_model *model, const struct sim_state *state, struct minimiser *work,
                          double slope)
{
    struct placement at = {state->positions, state->rigids};
    double linear = slope, quadratic = -slope, part = 1;
    if (work->terms.count == 0 || !(slope < 0)) {
        return 1;
    }
    terms_aim(model, &work->terms, &at, work->solution);
    for (uint64_t i = 0; i < work->terms.count; i++) {
        const double *m = work->terms.terms[i].matrix, *d = work->terms.terms[i].motion;
        linear += sim_dot(work->terms.terms[i].force, d);
        quadratic -= m[0] * d[0] * d[0] + m[3] * d[1] * d[1] + m[5] * d[2] * d[2] +
                     2 * (m[1] * d[0] * d[1] + m[2] * d[0] * d[2] + m[4] * d[1] * d[2]);
    }
    double before = terms_energy_along(&work->terms, 0);
    for (int n = 0; n < MOST_HALVINGS; n++, part *= 0.5) {
        double change = terms_energy_along(&work->terms, part) - before;
        if (change + part * (linear + 0.5 * part * (quadratic > 0 ? quadratic : 0)) <= SUFFICIENT * part * slope) {
            return part;
        }
    }
    return 1;
}

static void copy_task(void *data, uint32_t chunk, uint32_t worker)
{
    (void)worker;
    const struct mover_call *call = data;
    uint32_t count;
    const uint32_t *movers = pass_movers(&call->work->pass, chunk, &count);
    for (uint32_t m = 0; m < count; m++) {
        size_t n = 3 * (size_t)movers[m];
        memcpy(call->out + n, call->from + n, 3 * sizeof(double));
    }
}

/* At `part` of the trial: its change, that of the elastic energy, and its first two derivatives. */
static double line_at(const struct minimiser *work, double part, double *energy, double *slope, double *curvature)
{
    double power = part, sum = (work->line_rest[0] + work->line_rest[1] * part) * part;
    *energy = 0;
    *slope = work->line_rest[0] + 2 * work->line_rest[1] * part;
    *curvature = 2 * work->line_rest[1];
    for (int n = 0; n < ENERGY_TERMS; n++, power *= part) {
        *energy += work->line[n] * power;
        *slope += (n + 1) * work->line[n] * power / part;
        *curvature += n * (n + 1) * work->line[n] * power / (part * part);
    }
    return sum + *energy;
}

/* Where along the trial, up to twice its length, the polynomial is least: Newton's method, kept between what fell and
 * what rose. */
static double exact_part(const struct minimiser *work)
{
    double low = 0, high = 2, part = 1, energy, slope, curvature;
    for (int n = 0; n < LINE_ROUNDS; n++) {
        line_at(work, part, &energy, &slope, &curvature);
        low = slope < 0 ? part : low;
        high = slope < 0 ? high : part;
        double next = curvature > 0 ? part - slope / curvature : low;
        part = next > low && next < high ? next : 0.5 * (low + high);
    }
    return part;
}

static void take_trial(const struct sim_model *model, struct sim_state *state, struct minimiser *work)
{
    struct mover_call call = {.work = work, .from = work->trial, .out = state->positions};
    work->elastic_change += work->line_energy;
    rods_take_trial(model, state, work->solution, &work->rods);
    pass_for_movers(model, &work->pass, copy_task, &call);
    if (model->rigid_count > 0) {
        memcpy(state->rigids, work->trial_rigids, model->rigid_count * sizeof *state->rigids);
    }
}

/* After the trial of a whole step: goes to the least of the polynomial where that is elsewhere. */
static bool advance_exactly(const struct sim_model *model, struct sim_state *state, struct minimiser *work,
                            double change)
{
    double part = exact_part(work), energy, slope, curvature;
    double best = line_at(work, part, &energy, &slope, &curvature);
    if (best < change - LINE_WORTHWHILE * fabs(change)) {
        place_trial(model, state, work, part);
        work->line_energy = energy;
        change = best;
    }
    if (!(change <= 0)) {
        return false;
    }
    work->step_change = change;
    take_trial(model, state, work);
    return true;
}

/* Where the present velocities lead, whatever the sum is there: strands are so stiff along themselves that it nearly always
 * is high, and the first step takes that away. */
static void start_rods(const struct sim_model *model, struct sim_state *state, struct minimiser *work)
{
    place_trial(model, state, work, 1);
    rods_trial_change(model, state, work->trial, work->solution, &work->rods); /* strains */
    work->line_energy = 0;
    take_trial(model, state, work);
}

/* Goes along work->solution as far as the sum falls, at most all of it; false: not at all. */
static bool advance(const struct sim_model *model, struct sim_state *state, struct minimiser *work, double slope)
{
    struct placement at = {state->positions, state->rigids};
    double before = terms_energy(&work->terms, &at) + rigid_inertia_energy(model, work, state->rigids);
    bool hurry = !work->space.direct && !(slope < 0); /* a start far from good is no loss beside what a pass costs */
    double part = choose_part(model, state, work, slope), shorter = hurry ? START_SHORTER : 0.5;
    int most = hurry ? START_SHORTENINGS : MOST_HALVINGS;
    for (int n = 0; n < most; n++, part *= shorter) {
        place_trial(model, state, work, part);
        double change = trial_change(model, state, work, before, !hurry);
        if (is_polynomial(model, work)) {
            return advance_exactly(model, state, work, change);
        }
        if (change <= SUFFICIENT * part * slope + 1e-15 * before) {
            work->step_change = change;
            take_trial(model, state, work);
            return true;
        }
    }
    return false;
}

/* A start far from good is no loss beside what a pass over the elements costs: it is chosen without them. It goes as far as
 * velocities have the energy for what contacts store, and is given up where a step from there does not end below the
 * beginning (newton_minimise()). */
static void start_quickly(const struct sim_model *model, struct sim_state *state, struct minimiser *work)
{
    struct placement at = {state->positions, state->rigids};
    struct mover_call call = {model, state, work, NULL, work->product, 0, NULL};
    double part = 1;
    terms_aim(model, &work->terms, &at, work->solution);
    place_trial(model, state, work, part);
    pass_for_movers(model, &work->pass, moved_task, &call);
    double square = sum_chunks(work, 1), linear = sum_chunks(work, 0) - 0.5 * square;
    double before = terms_energy_along(&work->terms, 0);
    for (int n = 0; n < START_SHORTENINGS; n++, part *= START_SHORTER) {
        double terms = terms_energy_along(&work->terms, part) - before;
        if (terms <= part * (1 - 0.5 * part) * square + 1e-15 * before) {
            if (n > 0) {
                place_trial(model, state, work, part);
            }
            work->line_energy = 0;
            work->jump = terms + part * (linear + 0.5 * part * square);
            work->jumped = true;
            take_trial(model, state, work);
            return;
        }
    }
}

void newton_start(const struct sim_model *model, struct sim_state *state, struct minimiser *work)
{
    work->change_known = !work->pass.blocks && model->bonds->bond_count == 0;
    work->jumped = false;
    work->jump = 0;
    if (work->rods.alone) {
        start_rods(model, state, work);
    } else if (work->pass.blocks) {
        if (model->rigid_count > 0) {
            memcpy(work->search_rigids, state->rigids, model->rigid_count * sizeof *state->rigids);
        }
        start_quickly(model, state, work);
    } else {
        advance(model, state, work, 0);
    }
}

/* Back to where the substep began. */
static void return_to_begin(const struct sim_model *model, struct sim_state *state, struct minimiser *work)
{
    struct mover_call call = {.work = work, .from = work->start, .out = state->positions};
    pass_for_movers(model, &work->pass, copy_task, &call);
    if (model->rigid_count > 0) {
        memcpy(state->rigids, work->search_rigids, model->rigid_count * sizeof *state->rigids);
        bonds_place_vertices(model, state->rigids, state->positions);
    }
    work->change_known = work->jumped = false;
    work->elastic_change = work->jump = 0;
}

/* ---- Newton ------------------------------------------------------------------------------------------------------ */

/* z = M^-1 r */
static void precondition(const struct sim_model *model, struct minimiser *work, const double *r, double *z)
{
    coarse_apply(model, &work->space, r, z);
    if (has_rods(model)) {
        rods_apply(model, &work->rods, r, z);
        supports_project(model, z);
    }
}

/* solution = A^-1 residual, roughly; residual and preconditioned come in, with their product. */
static void solve_linear(const struct sim_model *model, struct sim_state *state, struct minimiser *work, double rz)
{
    double first = rz, tolerance = work->space.direct ? LINEAR_TOLERANCE : LARGE_LINEAR_TOLERANCE;
    tolerance *= tolerance;
    memset(work->solution, 0, work->size * sizeof(double));
    memcpy(work->direction, work->preconditioned, work->size * sizeof(double));
    int most = work->space.direct || work->patient ? MOST_PRODUCTS : LARGE_PRODUCTS;
    uint64_t begin = work->products;
    for (int n = 0; n < most; n++) {
        /* A factor that has become so bad is made again from the present elements. */
        work->interval_begins = work->space.direct && work->products - begin >= WORN_OUT;
        newton_product(model, state, work, work->direction, work->product);
        double curvature = vector_dot(model, work, work->direction, work->product);
        if (!(curvature > 0) || !isfinite(curvature)) {
            if (n == 0) {
                memcpy(work->solution, work->direction, work->size * sizeof(double));
            }
            break;
        }
        double length = rz / curvature;
        update(model, work, length, update_task);
        precondition(model, work, work->residual, work->preconditioned);
        double next = vector_dot(model, work, work->residual, work->preconditioned);
        if (!(next > tolerance * first)) {
            return;
        }
        update(model, work, next / rz, turn_task);
        rz = next;
    }
}

static void slope_task(void *data, uint32_t chunk, uint32_t worker)
{
    (void)worker;
    const struct minimiser *work = ((const struct mover_call *)data)->work;
    uint32_t count;
    const uint32_t *movers = pass_movers(&work->pass, chunk, &count);
    double sum = 0;
    for (uint32_t m = 0; m < count; m++) {
        sum += sim_dot(work->gradient + 3 * (size_t)movers[m], work->solution + 3 * (size_t)movers[m]);
    }
    work->partial[chunk] = sum;
}

/* gradient . solution */
static double slope_of(const struct sim_model *model, struct minimiser *work)
{
    struct mover_call call = {model, NULL, work, NULL, NULL, 0, NULL};
    pass_for_movers(model, &work->pass, slope_task, &call);
    double sum = sum_chunks(work, 0);
    for (size_t n = 3 * (size_t)model->vertex_count; n < work->size; n++) {
        sum += work->gradient[n] * work->solution[n];
    }
    return sum;
}

/* Large scenes without contacts: one step is enough, and seeing that costs as much as a product. */
static bool is_settled(const struct minimiser *work)
{
    for (uint64_t i = 0; i < work->terms.contact_count; i++) {
        if (work->terms.terms[i].limit > 0 || sim_dot(work->terms.terms[i].force, work->terms.terms[i].force) > 0) {
            return false;
        }
    }
    return !work->space.direct;
}

void newton_solve(const struct sim_model *model, struct sim_state *state, struct minimiser *work)
{
    precondition(model, work, work->residual, work->preconditioned);
    double rz = vector_dot(model, work, work->residual, work->preconditioned);
    memset(work->solution, 0, work->size * sizeof(double));
    if (rz > 0 && isfinite(rz)) {
        solve_linear(model, state, work, rz);
    }
}

/* The right side is minus the gradient; returns its square in the norm of the preconditioner. */
static double start_in_doubles(const struct sim_model *model, struct minimiser *work)
{
    for (size_t k = 0; k < work->size; k++) {
        work->residual[k] = -work->gradient[k];
    }
    precondition(model, work, work->residual, work->preconditioned);
    return vector_dot(model, work, work->residual, work->preconditioned);
}

static double start_linear(const struct sim_model *model, struct minimiser *work)
{
    return work->floats.built ? float_start(model, work) : start_in_doubles(model, work);
}

/* solution = A^-1 right side, roughly; in doubles where floats do not do. */
static void finish_linear(const struct sim_model *model, struct sim_state *state, struct minimiser *work, double rz)
{
    double tolerance = work->space.cloth.used ? CLOTH_LINEAR_TOLERANCE : LARGE_LINEAR_TOLERANCE;
    double share = tolerance * tolerance;
    if (work->floats.built) {
        if (float_solve(model, state, work, LARGE_PRODUCTS, share) >= 0) {
            return;
        }
        const struct float_system *blocks = work->pass.blocks;
        work->pass.blocks = NULL; /* a gradient by all elements also makes the matrix of cloth */
        newton_gradient(model, state, work);
        work->pass.blocks = blocks;
        coarse_diagonal(model, &work->terms, &work->inertia, &work->space);
        rz = start_in_doubles(model, work);
    }
    solve_linear(model, state, work, rz);
}

/* The preconditioner, for the terms and the inertia of now. */
static dent_status refresh(const struct sim_model *model, const struct sim_state *state, struct minimiser *work)
{
    if (work->inertia_changed) {
        work->space.factor_is_static = false;
        float_set_inertia(&work->inertia, &work->floats);
    }
    dent_status status =
        coarse_refresh(model, state, &work->terms, &work->inertia, &work->space, work->interval_begins);
    if (status != DENT_OK) {
        return status;
    }
    if (work->floats.built) {
        float_refresh(model, &work->terms, &work->inertia, &work->space, &work->floats, work->interval_begins);
    }
    work->interval_begins = work->inertia_changed = false;
    return DENT_OK;
}

/* Many strands by themselves: the same steps, each with one pass over the strands instead of conjugate gradients. What one
 * step leaves of contacts between strands goes into the next, or the next substep. */
static void minimise_rods(const struct sim_model *model, struct sim_state *state, struct minimiser *work)
{
    uint32_t most = work->most_iterations > 0 ? work->most_iterations : LARGE_ITERATIONS;
    double first = 0;
    for (uint32_t n = 0; n < most; n++) {
        struct placement at = {state->positions, state->rigids};
        terms_linearise(&work->terms, &at);
        newton_gradient(model, state, work);
        double slope = rods_step(model, state, &work->terms, &work->inertia, work->gradient, work->solution, &work->rods);
        supports_project(model, work->solution);
        first = n == 0 ? -slope : first;
        if (!(-slope > LARGE_NEWTON_TOLERANCE * LARGE_NEWTON_TOLERANCE * first)) {
            break;
        }
        work->solves++;
        if (!advance(model, state, work, model->loads->hold_count > 0 ? slope_of(model, work) : slope)) {
            break;
        }
    }
}

dent_status newton_minimise(const struct sim_model *model, struct sim_state *state, struct minimiser *work)
{
    double first = 0, h = model->substep, tolerance = work->space.direct ? NEWTON_TOLERANCE : LARGE_NEWTON_TOLERANCE;
    double floor = NEWTON_FLOOR * h * h *
                   (work->mass * sim_dot(state->gravity, state->gravity) + loads_square(model, work->loads));
    uint32_t most = work->most_iterations > 0 ? work->most_iterations
                    : work->space.direct      ? MOST_ITERATIONS
                                              : LARGE_ITERATIONS;
    if (work->rods.alone) {
        minimise_rods(model, state, work);
        work->interval_begins = work->inertia_changed = false;
        return DENT_OK;
    }
    for (uint32_t n = 0; n < most; n++) {
        struct placement at = {state->positions, state->rigids};
        terms_linearise(&work->terms, &at);
        if (work->interval_begins || work->inertia_changed || !coarse_is_current(&work->terms)) {
            dent_status status = refresh(model, state, work);
            if (status != DENT_OK) {
                return status;
            }
        }
        newton_gradient(model, state, work);
        rods_refresh(model, state, &work->terms, &work->inertia, &work->rods);
        double rz = start_linear(model, work);
        if (n == 0) {
            double stored = NEWTON_STORED * terms_stored(&work->terms, &at);
            first = rz;
            floor = stored > floor ? stored : floor;
        }
        if (!(rz > tolerance * tolerance * first) || !(rz > floor) || !isfinite(rz) || !(rz > 0)) {
            break;
        }
        finish_linear(model, state, work, rz);
        work->solves++;
        double slope = slope_of(model, work);
        bool fell = slope < 0 && advance(model, state, work, slope);
        if (work->jumped && (!fell || work->jump + work->step_change > 0)) {
            return_to_begin(model, state, work);
            n = UINT32_MAX; /* from there */
            continue;
        }
        work->jumped = false;
        if (!fell || is_settled(work)) {
            break;
        }
    }
    return DENT_OK;
}
