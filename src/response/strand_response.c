/* Penalty forces between strands, and between strands and bodies.
 *
 *     f_n = law(depth) - c v_n,  never below 0               depth = radius a + radius b - gap
 *     f_t = -nu v_t                                          nu = viscosity * roughness of the scales, capped by Coulomb
 *
 * Two strands that cross push with the whole law. Where they lie beside each other (Plante and others 2001) wisps may
 * overlap and only viscosity acts; a smooth step in |cosine| of their angle blends the two. The law is that of the
 * Super-Helices (Bertails and others 2006), with the printed "gap" read as depth. Their friction grows with the angle
 * between motion and scales; read literally it would be smooth against the scales, so here the angle is that of the
 * obstacle's velocity relative to the strand.
 *
 * One explicit step must not overshoot: k dt^2 + 2 c dt <= 4 m and nu dt <= m, where m is the mass of the contact over
 * the number of contacts that share one of its nodes (penalty_response.c proves that this suffices). Forces are
 * computed in parallel and added in the order of contacts. */
#include "response/response_rows.h"
#include "response/strand_shapes.h"

#include <float.h>

dent_strand_forces_def dent_strand_forces_def_default(void)
{
    dent_strand_forces_def def = {0};
    def.struct_size = sizeof def;
    def.gravity = 9.81;
    def.smoothing = 0.1;
    def.viscosity = 1e-4;
    def.damping_ratio = 2;
    def.parallel_viscosity = 1e-4;
    def.cosine_crossing = 0.70710678118654752;
    def.cosine_parallel = 0.93969262078590838;
    def.coulomb = true;
    def.explicit_limits = true;
    return def;
}

/* ---- the law ----------------------------------------------------------------------------------------------------- */

dent_strand_law_value dent_strand_law(double stiffness, double smoothing, double depth)
{
    dent_strand_law_value value = {0, 0, 0};
    if (!(depth > 0)) {
        return value;
    }
    if (depth <= smoothing) {
        double share = depth / smoothing;
        value.slope = stiffness * share;
        value.force = 0.5 * (value.slope * depth);
        value.energy = value.force * depth / 3;
    } else {
        value.slope = stiffness;
        value.force = stiffness * (depth - 0.5 * smoothing);
        value.energy = stiffness * (0.5 * depth * (depth - smoothing) + smoothing * smoothing / 6);
    }
    return value;
}

double dent_strand_roughness(const double velocity[3], const double direction[3])
{
    if (!velocity || !direction) {
        return 0;
    }
    double unit[3] = {velocity[0], velocity[1], velocity[2]}, apart[3];
    if (!vector_normalise(unit)) {
        return 1;
    }
    vector_subtract(unit, direction, apart); /* its half is the sine of half the angle, without cancellation */
    double roughness = 1 + 0.5 * vector_length(apart);
    return roughness < 2 ? (roughness > 1 ? roughness : 1) : 2;
}

static double smooth_step(double low, double high, double value)
{
    double share = (value - low) / (high - low);
    share = share > 0 ? (share < 1 ? share : 1) : 0;
    return share * share * (3 - 2 * share);
}

/* ---- one contact ------------------------------------------------------------------------------------------------- */

struct strand_forces {
    struct response_work *work;
    const dent_strand_forces_def *def;
};

/* A contact on its way through the law. */
struct strand_contact {
    double depth, smoothing;
    double mass;            /* of the contact along its normal, over the contacts that share its nodes */
    double tangential_mass; /* at most the least of all tangential directions */
    double parallel;        /* 0: the strands cross, or one side is a body; 1: they are parallel */
    bool has_direction_a, has_direction_b;
    double direction_a[3], direction_b[3];
    double normal_speed, sliding[3], sliding_speed;
    double stiffness, damping, viscosity; /* in force: of the crossing part, friction not yet capped */
    double parallel_viscosity;
};

/* Depth and directions; false: a radius is not a length. */
static bool measure_shapes(const struct strand_forces *forces, const struct response_row *row,
                           struct strand_contact *contact)
{
    static const dent_strand_shape plain = {0};
    const dent_contact *found = &forces->work->problem->contacts[row->index];
    const dent_response_body *bodies = forces->work->problem->bodies;
    const dent_strand_shape *shape_a = forces->def->shapes ? &forces->def->shapes[found->body_a] : &plain;
    const dent_strand_shape *shape_b = forces->def->shapes ? &forces->def->shapes[found->body_b] : &plain;
    double radius_a = strand_side_radius(shape_a, found->vertices_a);
    double radius_b = strand_side_radius(shape_b, found->vertices_b);
    contact->depth = (radius_a + radius_b) - row->gap;
    contact->smoothing = forces->def->smoothing * (radius_a > radius_b ? radius_a : radius_b);
    contact->has_direction_a =
        !bodies[found->body_a].rigid &&
        strand_side_direction(shape_a, bodies[found->body_a].positions, found->vertices_a, contact->direction_a);
    contact->has_direction_b =
        !bodies[found->body_b].rigid &&
        strand_side_direction(shape_b, bodies[found->body_b].positions, found->vertices_b, contact->direction_b);
    if (contact->has_direction_a && contact->has_direction_b) {
        double cosine = fabs(vector_dot(contact->direction_a, contact->direction_b));
        contact->parallel = smooth_step(forces->def->cosine_crossing, forces->def->cosine_parallel, cosine);
    }
    return fabs(contact->depth) <= DBL_MAX;
}

/* Row sums bound the mobility in every direction. */
static double largest_mobility(const double mobility[9])
{
    double largest = 0;
    for (int i = 0; i < 3; i++) {
        double sum = (fabs(mobility[3 * i]) + fabs(mobility[3 * i + 1])) + fabs(mobility[3 * i + 2]);
        largest = sum > largest ? sum : largest;
    }
    return largest;
}

static void measure_motion(const struct strand_forces *forces, const struct response_row *row,
                           struct strand_contact *contact)
{
    const dent_response_body *bodies = forces->work->problem->bodies;
    double sharing = response_sharing(forces->work, row), velocity_a[3], velocity_b[3];
    contact->mass = 1 / (row->normal_mobility * sharing);
    contact->tangential_mass = 1 / (largest_mobility(row->mobility) * sharing);
    side_velocity(&row->a, bodies[row->a.body].velocities, bodies[row->a.body].rigid, velocity_a);
    side_velocity(&row->b, bodies[row->b.body].velocities, bodies[row->b.body].rigid, velocity_b);
    vector_add_scaled(velocity_a, -1, velocity_b);
    contact->normal_speed = vector_dot(velocity_a, row->normal);
    tangential3(velocity_a, row->normal, contact->sliding);
    contact->sliding_speed = vector_length(contact->sliding);
}

/* Side b slides over side a with the velocity -sliding. */
static double roughness_of_contact(const struct strand_contact *contact)
{
    const double *sliding = contact->sliding, back[3] = {-sliding[0], -sliding[1], -sliding[2]};
    double rough_a = dent_strand_roughness(back, contact->direction_a);
    double rough_b = dent_strand_roughness(sliding, contact->direction_b);
    if (contact->has_direction_a && contact->has_direction_b) {
        return 0.5 * (rough_a + rough_b);
    }
    return contact->has_direction_a ? rough_a : contact->has_direction_b ? rough_b : 1;
}

static double limited(double value, double limit, bool *capped)
{
    *capped = *capped || value > limit;
    return value > limit ? limit : value;
}

static void choose_coefficients(const struct strand_forces *forces, struct response_row *row,
                                struct strand_contact *contact)
{
    const dent_strand_forces_def *def = forces->def;
    double time_step = forces->work->problem->time_step, crossing = 1 - contact->parallel;
    double stable = contact->mass / (time_step * time_step);
    contact->stiffness = def->stiffness;
    if (!(def->stiffness > 0)) {
        double full_mass = 1 / row->normal_mobility;
        contact->stiffness = contact->smoothing > 0 ? 10 * full_mass * def->gravity / contact->smoothing : stable;
    }
    contact->stiffness *= crossing + contact->parallel * def->parallel_stiffness;
    contact->viscosity = crossing * def->viscosity * roughness_of_contact(contact);
    contact->parallel_viscosity = contact->parallel * def->parallel_viscosity;
    if (def->explicit_limits) {
        contact->stiffness = limited(contact->stiffness, stable, &row->capped);
    }
    contact->damping = crossing * 2 * def->damping_ratio * sqrt(contact->stiffness * contact->mass);
    if (def->explicit_limits) {
        double most = contact->tangential_mass / time_step;
        contact->damping = limited(contact->damping, contact->mass / time_step, &row->capped);
        contact->viscosity = limited(contact->viscosity, most, &row->capped);
        contact->parallel_viscosity = limited(contact->parallel_viscosity, most - contact->viscosity, &row->capped);
    }
}

static void write_block(const struct response_row *row, dent_strand_law_value value, double damping, double viscosity,
                        double distance, dent_strand_block *block)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double along = row->normal[i] * row->normal[j];
            block->stiffness[3 * i + j] = value.slope * along;
            block->damping[3 * i + j] = damping * along + viscosity * ((i == j ? 1 : 0) - along);
        }
    }
    block->geometric = distance > 0 ? value.force / distance : 0;
    block->energy = value.energy;
    if (!(block->geometric <= DBL_MAX)) { /* points that coincide up to underflow */
        block->geometric = 0;
    }
}

static bool is_finite_force(const struct response_row *row)
{
    return fabs(row->impulse) <= DBL_MAX && vector_dot(row->tangent, row->tangent) <= DBL_MAX;
}

static void strand_row_force(void *data, struct response_row *row)
{
    const struct strand_forces *forces = data;
    const dent_response_problem *problem = forces->work->problem;
    struct strand_contact contact = {0};
    if (!measure_shapes(forces, row, &contact)) {
        row->state = DENT_ACTION_REJECTED;
        return;
    }
    if (!(contact.depth > 0)) {
        return;
    }
    measure_motion(forces, row, &contact);
    choose_coefficients(forces, row, &contact);
    dent_strand_law_value value = dent_strand_law(contact.stiffness, contact.smoothing, contact.depth);
    /* A ratio of what is critical for the slope at this depth: the force begins at zero. */
    double damping = contact.damping;
    if (contact.smoothing > contact.depth) {
        damping *= sqrt(contact.depth / contact.smoothing);
    }
    row->impulse = value.force - damping * contact.normal_speed;
    if (!(row->impulse > 0)) {
        row->impulse = damping = 0;
    }
    double viscosity = contact.viscosity, cap = row->material.friction_kinetic * row->impulse;
    row->state = DENT_ACTION_STICKING;
    if (forces->def->coulomb && viscosity * contact.sliding_speed > cap) {
        viscosity = cap / contact.sliding_speed;
        row->state = DENT_ACTION_SLIDING;
    }
    viscosity += contact.parallel_viscosity;
    for (int i = 0; i < 3; i++) {
        row->tangent[i] = -viscosity * contact.sliding[i];
    }
    if (!is_finite_force(row)) {
        row->impulse = row->tangent[0] = row->tangent[1] = row->tangent[2] = 0; /* never into the caller's */
        row->state = DENT_ACTION_REJECTED;
    } else if (forces->def->blocks) {
        const dent_contact *found = &problem->contacts[row->index];
        double between[3];
        vector_subtract(found->point_a, found->point_b, between);
        write_block(row, value, damping, viscosity, vector_length(between), &forces->def->blocks[row->index]);
    }
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

static bool is_length(double value)
{
    return value >= 0 && value <= DBL_MAX;
}

static dent_status check_forces_def(dent_response *response, const dent_response_problem *problem,
                                    const dent_strand_forces_def *def)
{
    if (def->struct_size != sizeof *def) {
        return dent_fail(response->context, DENT_ERROR_INVALID_ARGUMENT,
                         "the strand forces def was not made by dent_strand_forces_def_default()");
    }
    if (!is_length(def->stiffness) || !(def->gravity > 0 && def->gravity <= DBL_MAX) || !is_length(def->smoothing) ||
        !is_length(def->viscosity) || !is_length(def->damping_ratio) ||
        !(def->parallel_stiffness >= 0 && def->parallel_stiffness <= 1) || !is_length(def->parallel_viscosity) ||
        !(def->cosine_crossing >= 0 && def->cosine_parallel <= 1 && def->cosine_crossing < def->cosine_parallel)) {
        return dent_fail(response->context, DENT_ERROR_INVALID_ARGUMENT,
                         "a number of the strand forces def is out of range");
    }
    if (problem->struct_size != sizeof *problem || (problem->body_count > 0 && !problem->bodies)) {
        return DENT_OK; /* response_prepare says what is wrong */
    }
    return strand_shapes_check(response->context, def->shapes, problem);
}

static dent_status run_strand_forces(struct response_work *work, const void *data, dent_response_report *report)
{
    const dent_strand_forces_def *def = data;
    struct strand_forces forces = {work, def};
    if (def->blocks) {
        memset(def->blocks, 0, work->row_count * sizeof *def->blocks);
    }
    response_sweep(work, strand_row_force, &forces);
    response_add_forces(work);
    report->iterations = 1;
    response_audit_end(work, work->problem->time_step, report);
    response_finish(work, work->problem->time_step, report);
    return DENT_OK;
}

dent_status dent_strand_forces(dent_response *response, const dent_response_problem *problem,
                               const dent_strand_forces_def *def, dent_response_report *report)
{
    DENT_REQUIRE(NULL, response);
    DENT_REQUIRE(response->context, problem);
    DENT_REQUIRE(response->context, def);
    dent_status status = check_forces_def(response, problem, def);
    return status == DENT_OK ? response_solve(response, problem, QUANTITY_FORCE, run_strand_forces, def, report)
                             : status;
}
