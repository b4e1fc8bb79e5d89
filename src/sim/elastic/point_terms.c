/* Terms between two points a and b, in the relative place r = a - b.
 *
 * Contact: stiffness/2 gap^2 where the gap is negative. Friction is a spring across the normal, as stiff, stretched by
 * `slip` at the start of the substep and by what r moves since; its force is at most friction times the normal force, of
 * the iteration before: so its energy is quadratic up to there and grows linearly beyond, smooth and convex. At the end
 * of the substep what is beyond the limit is forgotten: that is sliding. A contact at rest does not creep.
 *
 * Spring: stiffness/2 (|r| - length)^2, and damping/(2h) times the square of what r moves in the substep along its
 * direction at the beginning.
 *
 * Rail: stiffness/2 times the square of r across the normal. */
#include "point_terms.h"

#include <math.h>
#include <string.h>

void term_point_place(const struct term_point *point, const struct placement *at, double place[3])
{
    if (point->rigid != SIM_NONE) {
        const dent_rigid_state *pose = &at->rigids[point->rigid];
        double turn[9];
        rigid_rotation(pose->orientation, turn);
        for (int axis = 0; axis < 3; axis++) {
            place[axis] = pose->center[axis] + sim_dot(turn + 3 * axis, point->local);
        }
        return;
    }
    memcpy(place, point->local, sizeof point->local);
    for (int k = 0; k < 4; k++) {
        if (point->vertices[k] != SIM_NONE) {
            sim_add_scaled(place, point->weights[k], at->positions + 3 * (size_t)point->vertices[k]);
        }
    }
}

static void relative_place(const struct point_term *term, const struct placement *at, double r[3])
{
    double a[3], b[3];
    term_point_place(&term->a, at, a);
    term_point_place(&term->b, at, b);
    sim_subtract(a, b, r);
}

static double gap_at(const struct point_term *term, const double r[3])
{
    return sim_dot(term->normal, r) + term->offset;
}

/* How far friction is stretched. */
static void stretch_at(const struct point_term *term, const double r[3], double stretch[3])
{
    double moved[3];
    sim_subtract(r, term->start, moved);
    double along = sim_dot(term->normal, moved);
    for (int axis = 0; axis < 3; axis++) {
        stretch[axis] = term->slip[axis] + moved[axis] - along * term->normal[axis];
    }
}

static void add_square(double matrix[6], double factor, const double *d)
{
    for (int i = 0, n = 0; i < 3; i++) {
        for (int j = i; j < 3; j++, n++) {
            matrix[n] += factor * d[i] * d[j];
        }
    }
}

static void linearise_contact(struct point_term *term, const double r[3])
{
    double gap = gap_at(term, r), stretch[3];
    if (!(gap < 0)) {
        term->limit = 0;
        return;
    }
    double normal_force = -term->stiffness * gap, k = term->stiffness;
    sim_add_scaled(term->force, normal_force, term->normal);
    add_square(term->matrix, k, term->normal);
    term->limit = term->friction[term->sliding ? 1 : 0] * normal_force;
    if (!(term->limit > 0)) {
        return;
    }
    stretch_at(term, r, stretch);
    double length = sqrt(sim_dot(stretch, stretch));
    double part = k * length > term->limit ? term->limit / (k * length) : 1;
    sim_add_scaled(term->force, -k * part, stretch);
    /* Where it slides, the energy grows linearly: the parabola through there that lies above it, or steps overshoot. */
    double across = k * part;
    term->matrix[0] += across;
    term->matrix[3] += across;
    term->matrix[5] += across;
    add_square(term->matrix, -across, term->normal);
}

/* How far r has moved along the direction of the spring. */
static double damped_way(const struct point_term *term, const double r[3])
{
    double moved[3];
    sim_subtract(r, term->start, moved);
    return sim_dot(term->normal, moved);
}

static void linearise_spring(struct point_term *term, const double r[3])
{
    double length = sqrt(sim_dot(r, r)), k = term->stiffness;
    double slack = term->length == 0 ? 1 : length > 0 ? 1 - term->length / length : 0;
    double sideways = slack > 0 ? k * slack : 0;
    sim_add_scaled(term->force, -k * slack, r);
    term->matrix[0] = term->matrix[3] = term->matrix[5] = sideways;
    if (length > 0 && sideways < k) {
        add_square(term->matrix, (k - sideways) / (length * length), r);
    }
    if (term->damping > 0) {
        sim_add_scaled(term->force, -term->damping * damped_way(term, r), term->normal);
        add_square(term->matrix, term->damping, term->normal);
    }
}

/* r without what is along the rail. */
static void beside_rail(const struct point_term *term, const double r[3], double beside[3])
{
    memcpy(beside, r, 3 * sizeof *beside);
    sim_add_scaled(beside, -sim_dot(term->normal, r), term->normal);
}

static void linearise_rail(struct point_term *term, const double r[3])
{
    double beside[3];
    beside_rail(term, r, beside);
    sim_add_scaled(term->force, -term->stiffness, beside);
    term->matrix[0] = term->matrix[3] = term->matrix[5] = term->stiffness;
    add_square(term->matrix, -term->stiffness, term->normal);
}

static double rail_energy(const struct point_term *term, const double r[3])
{
    double beside[3];
    beside_rail(term, r, beside);
    return 0.5 * term->stiffness * sim_dot(beside, beside);
}

void terms_linearise(struct point_terms *terms, const struct placement *at)
{
    for (uint64_t i = 0; i < terms->count; i++) {
        struct point_term *term = &terms->terms[i];
        double r[3];
        relative_place(term, at, r);
        memset(term->force, 0, sizeof term->force);
        memset(term->matrix, 0, sizeof term->matrix);
        if (term->kind == TERM_CONTACT) {
            linearise_contact(term, r);
        } else if (term->kind == TERM_RAIL) {
            linearise_rail(term, r);
        } else {
            linearise_spring(term, r);
        }
    }
}

static double term_energy(const struct point_term *term, const double r[3])
{
    double stretch[3];
    if (term->kind == TERM_RAIL) {
        return rail_energy(term, r);
    }
    if (term->kind == TERM_SPRING) {
        double off = sqrt(sim_dot(r, r)) - term->length, way = term->damping > 0 ? damped_way(term, r) : 0;
        return 0.5 * term->stiffness * off * off + 0.5 * term->damping * way * way;
    }
    double gap = gap_at(term, r), k = term->stiffness, sum = gap < 0 ? 0.5 * k * gap * gap : 0;
    if (term->limit > 0) {
        stretch_at(term, r, stretch);
        double length = sqrt(sim_dot(stretch, stretch));
        bool slides = k * length > term->limit;
        sum += slides ? term->limit * (length - 0.5 * term->limit / k) : 0.5 * k * length * length;
    }
    return sum;
}

double terms_energy(const struct point_terms *terms, const struct placement *at)
{
    double sum = 0;
    for (uint64_t i = 0; i < terms->count; i++) {
        double r[3];
        relative_place(&terms->terms[i], at, r);
        sum += term_energy(&terms->terms[i], r);
    }
    return sum;
}

double term_stored(const struct point_term *term, const struct placement *at)
{
    double r[3];
    relative_place(term, at, r);
    if (term->kind == TERM_RAIL) {
        return rail_energy(term, r);
    }
    if (term->kind == TERM_SPRING) {
        double off = sqrt(sim_dot(r, r)) - term->length;
        return 0.5 * term->stiffness * off * off;
    }
    double gap = gap_at(term, r), square = gap < 0 ? gap * gap : 0;
    return 0.5 * term->stiffness * (square + sim_dot(term->slip, term->slip));
}

double terms_stored(const struct point_terms *terms, const struct placement *at)
{
    double sum = 0;
    for (uint64_t i = 0; i < terms->count; i++) {
        sum += term_stored(&terms->terms[i], at);
    }
    return sum;
}

/* ---- vectors ----------------------------------------------------------------------------------------------------- */

static void add_to(const struct sim_model *model, const struct term_point *point, const struct placement *at,
                   double sign, const double *force, double *out)
{
    if (point->rigid != SIM_NONE) {
        double place[3], arm[3], moment[3], *six = out + 3 * (size_t)model->vertex_count + 6 * (size_t)point->rigid;
        term_point_place(point, at, place);
        sim_subtract(place, at->rigids[point->rigid].center, arm);
        sim_cross(arm, force, moment);
        sim_add_scaled(six, sign, force);
        sim_add_scaled(six + 3, sign, moment);
        return;
    }
    for (int k = 0; k < 4; k++) {
        if (point->vertices[k] != SIM_NONE) {
            sim_add_scaled(out + 3 * (size_t)point->vertices[k], sign * point->weights[k], force);
        }
    }
}

static void displacement_of(const struct sim_model *model, const struct term_point *point, const struct placement *at,
                            const double *direction, double moved[3])
{
    moved[0] = moved[1] = moved[2] = 0;
    if (point->rigid != SIM_NONE) {
        const double *six = direction + 3 * (size_t)model->vertex_count + 6 * (size_t)point->rigid;
        double place[3], arm[3], turn[3];
        term_point_place(point, at, place);
        sim_subtract(place, at->rigids[point->rigid].center, arm);
        sim_cross(six + 3, arm, turn);
        sim_add_scaled(moved, 1, six);
        sim_add_scaled(moved, 1, turn);
        return;
    }
    for (int k = 0; k < 4; k++) {
        if (point->vertices[k] != SIM_NONE) {
            sim_add_scaled(moved, point->weights[k], direction + 3 * (size_t)point->vertices[k]);
        }
    }
}

void terms_add_gradient(const struct sim_model *model, const struct point_terms *terms, const struct placement *at,
                        double *out)
{
    for (uint64_t i = 0; i < terms->count; i++) {
        const struct point_term *term = &terms->terms[i];
        add_to(model, &term->a, at, -1, term->force, out);
        add_to(model, &term->b, at, 1, term->force, out);
    }
}

void terms_add_product(const struct sim_model *model, const struct point_terms *terms, const struct placement *at,
                       const double *direction, double *out)
{
    for (uint64_t i = 0; i < terms->count; i++) {
        const struct point_term *term = &terms->terms[i];
        const double *m = term->matrix;
        double a[3], b[3], r[3];
        if (m[0] + m[3] + m[5] == 0) {
            continue;
        }
        displacement_of(model, &term->a, at, direction, a);
        displacement_of(model, &term->b, at, direction, b);
        sim_subtract(a, b, r);
        double force[3] = {m[0] * r[0] + m[1] * r[1] + m[2] * r[2], m[1] * r[0] + m[3] * r[1] + m[4] * r[2],
                           m[2] * r[0] + m[4] * r[1] + m[5] * r[2]};
        add_to(model, &term->a, at, 1, force, out);
        add_to(model, &term->b, at, -1, force, out);
    }
}

/* ---- along a direction ------------------------------------------------------------------------------------------- */

void terms_aim(const struct sim_model *model, struct point_terms *terms, const struct placement *at,
               const double *direction)
{
    for (uint64_t i = 0; i < terms->count; i++) {
        struct point_term *term = &terms->terms[i];
        double a[3], b[3];
        relative_place(term, at, term->place);
        displacement_of(model, &term->a, at, direction, a);
        displacement_of(model, &term->b, at, direction, b);
        sim_subtract(a, b, term->motion);
    }
}

double terms_energy_along(const struct point_terms *terms, double part)
{
    double sum = 0;
    for (uint64_t i = 0; i < terms->count; i++) {
        const struct point_term *term = &terms->terms[i];
        double r[3] = {term->place[0] + part * term->motion[0], term->place[1] + part * term->motion[1],
                       term->place[2] + part * term->motion[2]};
        sum += term_energy(term, r);
    }
    return sum;
}
