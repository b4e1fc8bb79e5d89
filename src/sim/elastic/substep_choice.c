/* How many substeps a step has where the def does not say.
 *
 * An implicit step of length h shows a vibration of angular frequency w with 1 / (1 + (w h)^2 ...) of its stiffness: 95 %
 * at w h = 0.28. So the lowest mode of each elastic body is estimated, by inverse iteration from a random start with
 * the motions of whole bodies taken out, and substeps are short enough for the stiffest of them that can be resolved
 * within the limit. Modes beyond it are too slow and die at once; at rest they are right all the same. */
#include "minimise.h"

#include <dent/base.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CHOSEN 0.235 /* w h: less than SUBSTEP_RESOLVES, since the first substep after a start or stop is implicit Euler's */
enum { ROUNDS = 6, MOST_SUBSTEPS = 100, RIGID_SUBSTEPS = 10, CONTACT_SUBSTEPS = 4 };
#define CELL_COST 10.0         /* of a point with a law of its own, in tetrahedra */
#define ELEMENTS_A_SECOND 1.2e7 /* elements times substeps, at most: about what two cores do in that time */

static uint32_t most_substeps(const struct sim_model *model)
{
    double elements = (double)(model->elastic->tet_count + model->elastic->triangle_count) +
                      CELL_COST * model->elastic->cells.point_count;
    double most = elements > 0 ? ELEMENTS_A_SECOND * model->time_step / elements : MOST_SUBSTEPS;
    return most > MOST_SUBSTEPS ? MOST_SUBSTEPS : most < 1 ? 1 : (uint32_t)most;
}

/* Scales the part of each body to unit mass norm; a body without any is left out. */
static void normalise(const struct sim_model *model, double *x)
{
    for (uint32_t b = 0; b < model->body_count; b++) {
        const struct sim_body *body = &model->bodies[b];
        double sum = 0;
        for (uint32_t v = body->first_vertex; v < body->first_vertex + body->vertex_count; v++) {
            sum += model->masses[v] * sim_dot(x + 3 * (size_t)v, x + 3 * (size_t)v);
        }
        double factor = sum > 0 && isfinite(1 / sqrt(sum)) ? 1 / sqrt(sum) : 0;
        for (uint32_t v = body->first_vertex; v < body->first_vertex + body->vertex_count; v++) {
            for (size_t n = 3 * (size_t)v; n < 3 * (size_t)v + 3; n++) {
                x[n] *= factor;
            }
        }
    }
}

/* Rayleigh's quotient of each body: x . K x, of unit mass norm. `product` holds (K + shift M) x. */
static void quotients(const struct sim_model *model, const struct minimiser *work, const double *x, double *squares)
{
    for (uint32_t b = 0; b < model->body_count; b++) {
        const struct sim_body *body = &model->bodies[b];
        double sum = 0, mass = 0;
        for (uint32_t v = body->first_vertex; v < body->first_vertex + body->vertex_count; v++) {
            double c = work->inertia.vertices[v];
            for (size_t n = 3 * (size_t)v; n < 3 * (size_t)v + 3 && c > 0; n++) {
                sum += x[n] * (work->product[n] - c * x[n]);
                mass += model->masses[v] * x[n] * x[n];
            }
        }
        squares[b] = mass > 0 && sum > 0 ? sum / mass : 0;
    }
}

/* What moves bodies as wholes: of free pieces, and what supports leave free. */
static void remove_whole(const struct sim_model *model, const struct sim_state *state, double *x)
{
    supports_project(model, x);
    momentum_remove_whole(model, state, x);
    for (uint32_t b = 0; b < model->body_count; b++) {
        size_t first = 3 * (size_t)model->bodies[b].first_vertex;
        supports_remove_whole(model, b, state->positions + first, x + first);
    }
}

dent_status substeps_modes(const struct sim_model *model, struct sim_state *state, struct minimiser *work)
{
    dent_random random = dent_random_seeded(1);
    double *x = work->targets;
    for (size_t n = 0; n < 3 * (size_t)model->vertex_count; n++) {
        x[n] = work->inertia.vertices[n / 3] > 0 && !is_rod_vertex(model, (uint32_t)(n / 3)) ? dent_random_unit(&random) - 0.5 : 0;
    }
    memset(work->velocities, 0, 3 * (size_t)model->vertex_count * sizeof(double));
    work->patient = true;
    dent_status status = coarse_refresh(model, state, &work->terms, &work->inertia, &work->space, true);
    newton_gradient(model, state, work); /* the matrix of cloth */
    for (int round = 0; round < ROUNDS && status == DENT_OK; round++) {
        remove_whole(model, state, x);
        normalise(model, x);
        memset(work->residual, 0, work->size * sizeof(double));
        for (uint32_t v = 0; v < model->vertex_count; v++) {
            for (size_t n = 3 * (size_t)v; n < 3 * (size_t)v + 3; n++) {
                work->residual[n] = work->inertia.vertices[v] * x[n];
            }
        }
        newton_solve(model, state, work);
        memcpy(x, work->solution, 3 * (size_t)model->vertex_count * sizeof(double));
    }
    remove_whole(model, state, x);
    normalise(model, x);
    memset(work->solution, 0, work->size * sizeof(double));
    memcpy(work->solution, x, 3 * (size_t)model->vertex_count * sizeof(double));
    newton_product(model, state, work, work->solution, work->product);
    quotients(model, work, x, work->mode_squares);
    work->patient = false;
    return status;
}

uint32_t substeps_choose(const struct sim_model *model, const struct minimiser *work)
{
    uint32_t most = most_substeps(model), least = model->contacts_wanted ? CONTACT_SUBSTEPS : 1;
    least = model->rigid_count > 0 ? RIGID_SUBSTEPS : least;
    uint32_t chosen = least < most ? least : most;
    for (uint32_t b = 0; b < model->body_count; b++) {
        double turn = sqrt(work->mode_squares[b]) * model->time_step, needed = turn / CHOSEN;
        if (needed > chosen && turn / SUBSTEP_RESOLVES <= most) {
            chosen = needed < most ? (uint32_t)needed + 1 : most;
        }
    }
    return chosen < most ? chosen : most;
}

/* Backward Euler turns a mode by atan(w h) in a substep instead of w h. The square of the ratio is the share of the
 * stiffness that acts. atan by halving the angle and its series: only sqrt is taken from libm, so that the bits are the
 * same everywhere. */
double elastic_kept_stiffness(double turn)
{
    double x = turn;
    for (int n = 0; n < 4; n++) {
        x = x / (1 + sqrt(1 + x * x));
    }
    double y = x * x, series = x * (1 - y * (1.0 / 3 - y * (1.0 / 5 - y * (1.0 / 7 - y * (1.0 / 9 - y / 11)))));
    double ratio = turn > 0 ? 16 * series / turn : 1;
    return ratio < 1 ? ratio * ratio : 1; /* rounding */
}

void substeps_report(const struct sim_model *model, const struct minimiser *work)
{
    uint32_t worst = 0, count = 0;
    for (uint32_t b = 0; b < model->body_count; b++) {
        worst = work->mode_squares[b] > work->mode_squares[worst] ? b : worst;
        count += sqrt(work->mode_squares[b]) * model->substep > SUBSTEP_RESOLVES;
    }
    if (count > 0) {
        double w = sqrt(work->mode_squares[worst]), step = w * model->substep;
        char others[48] = "";
        if (count > 1) {
            snprintf(others, sizeof others, " (the worst of %u bodies)", count);
        }
        dent_log_line(model->context, DENT_LOG_NOTICE,
                      "%s%s: omega h = %.2g for the first mode; %.0f substeps give 95 %% of its stiffness in motion, %u "
                      "give %.0f %%; at rest it is right",
                      model->bodies[worst].name, others, step, ceil(w * model->time_step / SUBSTEP_RESOLVES), model->substeps,
                      100 * elastic_kept_stiffness(step));
    }
}

double elastic_fastest_mode(const struct sim_model *model, const struct elastic_work *work, uint32_t *body)
{
    double fastest = 0;
    *body = SIM_NONE;
    for (uint32_t b = 0; b < model->body_count; b++) {
        if (work->minimiser->mode_squares[b] > fastest) {
            fastest = work->minimiser->mode_squares[b];
            *body = b;
        }
    }
    return sqrt(fastest);
}
