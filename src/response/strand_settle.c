/* Strands against bodies that they do not move (Cani and Bertails 2006, section 2.2): what is inside goes to the
 * surface, and its velocity becomes that of the surface as far as friction allows.
 *
 *     x += depth n          v_n = that of the body if it points inward
 *     |change of v_t| <= mu |change of v_n|: all of the sliding (stick), or mu_k of it
 *
 * A point inside a segment moves by moving the ends in proportion to weight / mass: the least motion, weighted with the
 * masses, that does. Contacts and spheres are worked off in order, on one thread: each sees what the earlier ones did. */
#include "response/response_rows.h"
#include "response/strand_shapes.h"

#include "base/floating_point_guard.h"

#include <float.h>

static bool are_finite(const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!(fabs(numbers[i]) <= DBL_MAX)) {
            return false;
        }
    }
    return true;
}

static bool point_is_finite(const struct strand_point *point, const double *array)
{
    for (uint32_t i = 0; array && i < point->count; i++) {
        if (!are_finite(array + 3 * (size_t)point->vertices[i], 3)) {
            return false;
        }
    }
    return true;
}

/* Moves a point of a strand out along the normal and adjusts its velocity; counts it. */
static void settle_point(const struct strand_point *point, double *positions, double *velocities,
                         const double normal[3], double depth, const double body_velocity[3],
                         const dent_contact_material *material, dent_strand_settle_report *report)
{
    double shift[3] = {depth * normal[0], depth * normal[1], depth * normal[2]}, velocity[3], change[3];
    strand_point_move(point, positions, shift);
    report->moved++;
    if (!velocities) {
        report->leaving++;
        return;
    }
    strand_point_value(point, velocities, velocity);
    enum strand_settling settling = strand_settle_velocity(velocity, body_velocity, normal, material, change);
    report->sticking += settling == STRAND_STICKS;
    report->sliding += settling == STRAND_SLIDES;
    report->leaving += settling == STRAND_LEAVING;
    if (are_finite(change, 3)) {
        strand_point_move(point, velocities, change);
    }
}

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

struct settle {
    struct response_work *work;
    const dent_strand_settle_def *def;
    dent_strand_settle_report report;
};

static bool is_strand(const struct settle *settle, uint32_t body)
{
    return settle->def->shapes && settle->def->shapes[body].strand_count > 0 &&
           !settle->work->problem->bodies[body].rigid;
}

static bool open_point(const struct response_side *side, const dent_response_body *body, struct strand_point *point)
{
    if (side->kind != SIDE_VERTICES || !body->positions) {
        return false;
    }
    point->count = side->count;
    memcpy(point->vertices, side->vertices, sizeof point->vertices);
    memcpy(point->weights, side->weights, sizeof point->weights);
    return strand_point_shares(point, body->inverse_masses) && point_is_finite(point, body->velocities);
}

static void settle_contact(struct settle *settle, const struct response_row *row, bool first)
{
    const dent_response_problem *problem = settle->work->problem;
    const dent_contact *found = &problem->contacts[row->index];
    bool strand_a = row->state != DENT_ACTION_REJECTED && is_strand(settle, found->body_a);
    bool strand_b = row->state != DENT_ACTION_REJECTED && is_strand(settle, found->body_b);
    const struct response_side *side = strand_a ? &row->a : &row->b, *other = strand_a ? &row->b : &row->a;
    struct strand_point point;
    if (strand_a == strand_b || !open_point(side, &problem->bodies[side->body], &point)) {
        settle->report.rejected += first;
        return;
    }
    const dent_strand_shape *shapes = settle->def->shapes;
    const dent_response_body *strand = &problem->bodies[side->body], *body = &problem->bodies[other->body];
    double radius = strand_side_radius(&shapes[found->body_a], found->vertices_a) +
                    strand_side_radius(&shapes[found->body_b], found->vertices_b);
    double sign = strand_a ? 1 : -1, now[3], moved[3];
    double normal[3] = {sign * row->normal[0], sign * row->normal[1], sign * row->normal[2]};
    /* Only the strand has moved since the contact was found. */
    strand_point_value(&point, strand->positions, now);
    vector_subtract(now, strand_a ? found->point_a : found->point_b, moved);
    double depth = radius - (row->gap + vector_dot(moved, normal)), body_velocity[3];
    if (!(fabs(depth) <= DBL_MAX)) {
        settle->report.rejected += first;
        return;
    }
    settle->report.deepest = first && depth > settle->report.deepest ? depth : settle->report.deepest;
    if (depth > 0) {
        side_velocity(other, body->velocities, body->rigid, body_velocity);
        settle_point(&point, strand->positions, strand->velocities, normal, depth, body_velocity, &row->material,
                     &settle->report);
    }
}

static dent_status settle_contacts(void *data)
{
    struct settle *settle = data;
    dent_status status =
        response_prepare(settle->work, settle->work->response, settle->work->problem, QUANTITY_POSITION);
    for (uint32_t sweep = 0; status == DENT_OK && sweep < settle->def->sweeps; sweep++) {
        for (uint64_t i = 0; i < settle->work->row_count; i++) {
            settle_contact(settle, &settle->work->rows[i], sweep == 0);
        }
    }
    return status;
}

dent_strand_settle_def dent_strand_settle_def_default(void)
{
    return (dent_strand_settle_def){.struct_size = sizeof(dent_strand_settle_def), .sweeps = 1};
}

dent_status dent_strand_settle(dent_response *response, const dent_response_problem *problem,
                               const dent_strand_settle_def *def, dent_strand_settle_report *report)
{
    DENT_REQUIRE(NULL, response);
    DENT_REQUIRE(response->context, problem);
    DENT_REQUIRE(response->context, def);
    if (def->struct_size != sizeof *def || def->sweeps == 0) {
        return dent_fail(response->context, DENT_ERROR_INVALID_ARGUMENT,
                         "the strand settle def was not made by dent_strand_settle_def_default(), or has 0 sweeps");
    }
    if (problem->struct_size == sizeof *problem && (problem->body_count == 0 || problem->bodies)) {
        dent_status status = strand_shapes_check(response->context, def->shapes, problem);
        if (status != DENT_OK) {
            return status;
        }
    }
    struct response_work work = {.response = response, .problem = problem};
    struct settle settle = {.work = &work, .def = def};
    dent_status status = dent_call_guarded(response->context, settle_contacts, &settle);
    if (status == DENT_OK && report) {
        *report = settle.report;
    }
    return status;
}

/* ---- spheres ----------------------------------------------------------------------------------------------------- */

struct sphere_settle {
    const dent_strand_motion *strands;
    const dent_moving_sphere *spheres;
    uint32_t sphere_count;
    dent_contact_material material;
    dent_strand_settle_report report;
};

/* Settles a point on a sphere that reaches `radius` beyond its surface. */
static void settle_on_sphere(struct sphere_settle *settle, const struct strand_point *point, double radius,
                             const dent_moving_sphere *sphere)
{
    const dent_strand_motion *strands = settle->strands;
    double at[3], normal[3], arm[3], spin[3], body_velocity[3];
    strand_point_value(point, strands->positions, at);
    vector_subtract(at, sphere->center, normal);
    double depth = (sphere->radius + radius) - vector_length(normal);
    if (!(depth > 0)) {
        return;
    }
    if (!vector_normalise(normal)) {
        normal[0] = 1;
        normal[1] = normal[2] = 0;
    }
    settle->report.deepest = depth > settle->report.deepest ? depth : settle->report.deepest;
    for (int axis = 0; axis < 3; axis++) {
        arm[axis] = sphere->radius * normal[axis];
    }
    vector_cross(sphere->angular_velocity, arm, spin);
    for (int axis = 0; axis < 3; axis++) {
        body_velocity[axis] = sphere->linear_velocity[axis] + spin[axis];
    }
    settle_point(point, strands->positions, strands->velocities, normal, depth, body_velocity, &settle->material,
                 &settle->report);
}

static double vertex_radius(const dent_strand_motion *strands, uint32_t vertex)
{
    return strands->shape.radii ? strands->shape.radii[vertex] : strands->shape.radius;
}

static bool open_vertices(struct sphere_settle *settle, struct strand_point *point)
{
    const dent_strand_motion *strands = settle->strands;
    return strand_point_shares(point, strands->inverse_masses) && point_is_finite(point, strands->positions) &&
           point_is_finite(point, strands->velocities);
}

/* The point of a segment nearest to the centre, if it lies between the ends. */
static bool nearest_inside(const double *a, const double *b, const double center[3], double *share)
{
    double along[3], to[3];
    vector_subtract(b, a, along);
    vector_subtract(center, a, to);
    *share = vector_dot(to, along) / vector_dot(along, along);
    return *share > 0 && *share < 1;
}

static void settle_strand(struct sphere_settle *settle, uint32_t begin, uint32_t end, const dent_moving_sphere *sphere)
{
    const dent_strand_motion *strands = settle->strands;
    for (uint32_t v = begin; v < end; v++) {
        struct strand_point point = {.count = 1, .vertices = {v}, .weights = {1}};
        double radius = vertex_radius(strands, v);
        if (!(radius >= 0 && radius <= DBL_MAX) || !point_is_finite(&point, strands->positions) ||
            !point_is_finite(&point, strands->velocities)) {
            settle->report.rejected++;
        } else if (open_vertices(settle, &point)) {
            settle_on_sphere(settle, &point, radius, sphere);
        }
    }
    for (uint32_t v = begin; v + 1 < end; v++) {
        struct strand_point point = {.count = 2, .vertices = {v, v + 1}};
        double share, first = vertex_radius(strands, v), second = vertex_radius(strands, v + 1);
        if (!(first + second >= 0) ||
            !nearest_inside(strands->positions + 3 * (size_t)v, strands->positions + 3 * (size_t)(v + 1),
                            sphere->center, &share)) {
            continue;
        }
        point.weights[0] = 1 - share;
        point.weights[1] = share;
        if (open_vertices(settle, &point)) {
            settle_on_sphere(settle, &point, first > second ? first : second, sphere);
        }
    }
}

static dent_status settle_spheres(void *data)
{
    struct sphere_settle *settle = data;
    const dent_strand_shape *shape = &settle->strands->shape;
    for (uint32_t s = 0; s < shape->strand_count; s++) {
        for (uint32_t i = 0; i < settle->sphere_count; i++) {
            settle_strand(settle, shape->first[s], shape->first[s + 1], &settle->spheres[i]);
        }
    }
    return DENT_OK;
}

static dent_status check_spheres(dent_context *context, const dent_moving_sphere *spheres, uint32_t sphere_count)
{
    for (uint32_t i = 0; i < sphere_count; i++) {
        if (!are_finite(spheres[i].center, 3) || !(spheres[i].radius > 0 && spheres[i].radius <= DBL_MAX) ||
            !are_finite(spheres[i].linear_velocity, 3) || !are_finite(spheres[i].angular_velocity, 3)) {
            return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "sphere %u has a number out of range", i);
        }
    }
    return DENT_OK;
}

dent_status dent_strand_settle_on_spheres(dent_context *context, const dent_strand_motion *strands,
                                          const dent_moving_sphere *spheres, uint32_t sphere_count,
                                          const dent_contact_material *material, dent_strand_settle_report *report)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, strands);
    DENT_REQUIRE_ARRAY(context, sphere_count, spheres);
    DENT_REQUIRE(context, material);
    DENT_REQUIRE_ARRAY(context, strands->vertex_count, strands->positions);
    dent_status status = strand_shape_check(context, &strands->shape, strands->vertex_count, "strand set", 0);
    status = status == DENT_OK ? check_spheres(context, spheres, sphere_count) : status;
    if (status != DENT_OK) {
        return status;
    }
    if (!(material->friction_static >= 0 && material->friction_kinetic >= 0)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "friction must be >= 0; got %g and %g",
                         material->friction_static, material->friction_kinetic);
    }
    struct sphere_settle settle = {
        .strands = strands, .spheres = spheres, .sphere_count = sphere_count, .material = *material};
    status = dent_call_guarded(context, settle_spheres, &settle);
    if (status == DENT_OK && report) {
        *report = settle.report;
    }
    return status;
}
