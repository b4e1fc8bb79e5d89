/* Supports hold vertices along directions. The minimisation moves them in what is left: its vectors have no part along
 * what is held (supports_project), so a support is exact and costs no stiff spring. Vertices held along three directions
 * are no unknowns at all. What a support gives is the part of the gradient that was taken out. */
#include "load_model.h"

#include <math.h>
#include <string.h>

/* How far along axis k the vertex is to be, from where it started. */
static double held_at(const struct sim_model *model, const struct sim_hold *hold, uint32_t k, double time)
{
    double sum = 0;
    for (uint32_t i = 0; i < hold->count; i++) {
        const struct sim_support *support = &model->loads->supports[hold->supports[i]];
        double amount = sim_dot(support->displacement, hold->directions[i]);
        sum += amount == 0 ? 0 : hold->mix[k][i] * amount * course_at(&support->course, time);
    }
    return sum;
}

void supports_apply(const struct sim_model *model, struct sim_state *state, double time)
{
    for (uint32_t n = 0; n < model->loads->hold_count; n++) {
        const struct sim_hold *hold = &model->loads->holds[n];
        const struct sim_body *body = &model->bodies[model->vertex_bodies[hold->vertex]];
        double off[3], *x = state->positions + 3 * (size_t)hold->vertex;
        sim_subtract(x, body->start + 3 * (size_t)(hold->vertex - body->first_vertex), off);
        for (uint32_t k = 0; k < hold->count; k++) {
            sim_add_scaled(x, held_at(model, hold, k, time) - sim_dot(hold->axes[k], off), hold->axes[k]);
        }
    }
}

bool supports_move(const struct sim_model *model, const struct sim_state *state)
{
    double begin = (double)state->step * model->time_step, end = begin + model->time_step;
    bool moves = false;
    for (uint32_t n = 0; n < model->loads->support_count && !moves; n++) {
        const struct sim_support *support = &model->loads->supports[n];
        const struct load_course *course = &support->course;
        moves = sim_dot(support->displacement, support->displacement) > 0 &&
                (state->step == 0 || course_at(course, begin) != course_at(course, end));
        for (uint32_t r = 0; r < course->count; r++) { /* there and back within the step */
            moves |= course->rows[r].time > begin && course->rows[r].time < end;
        }
    }
    return moves;
}

void supports_project(const struct sim_model *model, double *vector)
{
    for (uint32_t n = 0; n < model->loads->hold_count; n++) {
        const struct sim_hold *hold = &model->loads->holds[n];
        double *part = vector + 3 * (size_t)hold->vertex;
        for (uint32_t k = 0; k < hold->count; k++) {
            sim_add_scaled(part, -sim_dot(hold->axes[k], part), hold->axes[k]);
        }
    }
}

void supports_copy(const struct sim_model *model, const double *from, double *to)
{
    for (uint32_t n = 0; n < model->loads->hold_count; n++) {
        const struct sim_hold *hold = &model->loads->holds[n];
        double off[3], *target = to + 3 * (size_t)hold->vertex;
        sim_subtract(from + 3 * (size_t)hold->vertex, target, off);
        for (uint32_t k = 0; k < hold->count; k++) {
            sim_add_scaled(target, sim_dot(hold->axes[k], off), hold->axes[k]);
        }
    }
}

void supports_velocities(const struct sim_model *model, struct sim_state *state, const double *previous)
{
    for (uint32_t n = 0; n < model->loads->hold_count; n++) {
        const struct sim_hold *hold = &model->loads->holds[n];
        double off[3], *velocity = state->velocities + 3 * (size_t)hold->vertex;
        sim_subtract(state->positions + 3 * (size_t)hold->vertex, previous + 3 * (size_t)hold->vertex, off);
        for (uint32_t k = 0; k < hold->count; k++) {
            double wanted = sim_dot(hold->axes[k], off) / model->substep;
            sim_add_scaled(velocity, wanted - sim_dot(hold->axes[k], velocity), hold->axes[k]);
        }
    }
}

double supports_held_square(const struct sim_model *model, uint32_t vertex, const double *velocity)
{
    const struct sim_hold *hold = hold_of(model, vertex);
    double sum = 0;
    for (uint32_t k = 0; hold && k < hold->count; k++) {
        double along = sim_dot(hold->axes[k], velocity);
        sum += along * along;
    }
    return sum;
}

void supports_share(const struct sim_hold *hold, uint32_t support, const double force[3], double share[3])
{
    share[0] = share[1] = share[2] = 0;
    for (uint32_t i = 0; i < hold->count; i++) {
        double amount = 0;
        for (uint32_t k = 0; k < hold->count; k++) {
            amount += hold->mix[k][i] * sim_dot(hold->axes[k], force);
        }
        if (hold->supports[i] == support) {
            sim_add_scaled(share, amount, hold->directions[i]);
        }
    }
}

/* ---- one body ---------------------------------------------------------------------------------------------------- */

bool supports_hold_body(const struct sim_model *model, uint32_t body)
{
    const struct sim_body *owner = &model->bodies[body];
    for (uint32_t v = owner->first_vertex; model->loads->vertex_holds && v < owner->first_vertex + owner->vertex_count;
         v++) {
        if (model->loads->vertex_holds[v] != SIM_NONE) {
            return true;
        }
    }
    return false;
}

void supports_project_body(const struct sim_model *model, uint32_t body, double *field)
{
    const struct sim_body *owner = &model->bodies[body];
    for (uint32_t n = 0; n < model->loads->hold_count; n++) {
        const struct sim_hold *hold = &model->loads->holds[n];
        if (model->vertex_bodies[hold->vertex] == body) {
            double *part = field + 3 * (size_t)(hold->vertex - owner->first_vertex);
            for (uint32_t k = 0; k < hold->count; k++) {
                sim_add_scaled(part, -sim_dot(hold->axes[k], part), hold->axes[k]);
            }
        }
    }
}

/* Motions as a whole: displacement and rotation about a centre, lengths in units of the body's size. Those held span
 * `rows`; what is orthogonal to them is free. */
struct whole_motions {
    double rows[6][6];
    uint32_t count;
    double center[3], size;
};

static double dot6(const double *a, const double *b)
{
    return sim_dot(a, b) + sim_dot(a + 3, b + 3);
}

/* Adds what is new in a row. */
static void add_row(struct whole_motions *motions, const double row[6])
{
    double rest[6];
    memcpy(rest, row, sizeof rest);
    double whole = dot6(row, row);
    for (int round = 0; round < 2; round++) {
        for (uint32_t n = 0; n < motions->count; n++) {
            double along = dot6(motions->rows[n], rest);
            for (int k = 0; k < 6; k++) {
                rest[k] -= along * motions->rows[n][k];
            }
        }
    }
    double square = dot6(rest, rest);
    if (motions->count < 6 && square > 1e-12 * whole) {
        for (int k = 0; k < 6; k++) {
            motions->rows[motions->count][k] = rest[k] / sqrt(square);
        }
        motions->count++;
    }
}

static void hold_motion(struct whole_motions *motions, const double *place, const double *axis)
{
    double arm[3], row[6];
    sim_subtract(place, motions->center, arm);
    sim_cross(arm, axis, row + 3);
    for (int k = 0; k < 3; k++) {
        row[k] = axis[k];
        row[3 + k] /= motions->size;
    }
    add_row(motions, row);
}

static struct whole_motions held_motions(const struct sim_model *model, const struct sim_body *body,
                                         const double *positions)
{
    struct whole_motions motions = {.size = body->mean_edge};
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        sim_add_scaled(motions.center, 1.0 / body->vertex_count, positions + 3 * (size_t)v);
    }
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        double arm[3];
        sim_subtract(positions + 3 * (size_t)v, motions.center, arm);
        motions.size = fmax(motions.size, sqrt(sim_dot(arm, arm)));
    }
    for (uint32_t v = 0; v < body->vertex_count && motions.count < 6; v++) {
        const struct sim_hold *hold = hold_of(model, body->first_vertex + v);
        bool fixed = model->inverse_masses[body->first_vertex + v] == 0;
        for (uint32_t k = 0; k < (fixed ? 3 : hold ? hold->count : 0); k++) {
            const double unit[3] = {k == 0, k == 1, k == 2};
            hold_motion(&motions, positions + 3 * (size_t)v, fixed ? unit : hold->axes[k]);
        }
    }
    return motions;
}

static void motion_of(const struct whole_motions *motions, const double *six, const double *place, double out[3])
{
    double arm[3];
    sim_subtract(place, motions->center, arm);
    for (int k = 0; k < 3; k++) {
        arm[k] /= motions->size;
    }
    sim_cross(six + 3, arm, out);
    sim_add_scaled(out, 1, six);
}

/* a of (m^T m) a = b by Cholesky; directions without mass stay 0. */
static void solve_small(double matrix[6][6], double *b, uint32_t count)
{
    for (uint32_t j = 0; j < count; j++) {
        for (uint32_t k = 0; k < j; k++) {
            matrix[j][j] -= matrix[j][k] * matrix[j][k];
        }
        double pivot = matrix[j][j] > 0 ? sqrt(matrix[j][j]) : INFINITY;
        matrix[j][j] = pivot;
        for (uint32_t i = j + 1; i < count; i++) {
            for (uint32_t k = 0; k < j; k++) {
                matrix[i][j] -= matrix[i][k] * matrix[j][k];
            }
            matrix[i][j] /= pivot;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            b[i] -= matrix[i][k] * b[k];
        }
        b[i] /= matrix[i][i];
    }
    for (uint32_t i = count; i-- > 0;) {
        for (uint32_t k = i + 1; k < count; k++) {
            b[i] -= matrix[k][i] * b[k];
        }
        b[i] /= matrix[i][i];
    }
}

void supports_remove_whole(const struct sim_model *model, uint32_t number, const double *positions, double *field)
{
    const struct sim_body *body = &model->bodies[number];
    if (!supports_hold_body(model, number)) {
        return;
    }
    struct whole_motions motions = held_motions(model, body, positions);
    uint32_t held = motions.count, count;
    for (int k = 0; k < 6; k++) { /* what is left of all motions */
        double unit[6] = {0};
        unit[k] = 1;
        add_row(&motions, unit);
    }
    count = motions.count - held;
    double matrix[6][6] = {{0}}, sums[6] = {0}, out[6][3];
    for (int subtract = 0; subtract < 2 && count > 0; subtract++) {
        for (uint32_t v = 0; v < body->vertex_count; v++) {
            double mass = model->masses[body->first_vertex + v], *part = field + 3 * (size_t)v;
            if (model->inverse_masses[body->first_vertex + v] == 0) {
                continue;
            }
            for (uint32_t i = 0; i < count; i++) {
                motion_of(&motions, motions.rows[held + i], positions + 3 * (size_t)v, out[i]);
                if (subtract) {
                    sim_add_scaled(part, -sums[i], out[i]);
                    continue;
                }
                sums[i] += mass * sim_dot(out[i], part);
                for (uint32_t j = 0; j <= i; j++) {
                    matrix[i][j] += mass * sim_dot(out[i], out[j]);
                }
            }
        }
        if (!subtract) {
            solve_small(matrix, sums, count);
        }
    }
}
