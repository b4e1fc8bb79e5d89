/* Forces from pairs of balls, for a simulator that must answer in time (Dingliana and O'Sullivan 2000 in spirit; the
 * outline of Mendoza and O'Sullivan gives the direction only).
 *
 * In: the regions of an interruptible search. Out: forces added to the caller's buffers, and what they amount to.
 *
 * A pair pushes along the line of centres. Its force is spread over the vertices of each node with weights w_i that sum
 * to 1 and whose mean point lies on that line: then both the force and its torque are those of one force on the line.
 * Of all such weights the ones of least norm are 1/n + (s_i, t_i) . S^-1 q, where (s, t) are coordinates across the
 * line from the mean of the vertices, S their second moments and q the line's place. Where the vertices are in a row,
 * or the line so far beside them that weights would grow beyond a few times 1/n, weights are uniform. The torque that is
 * missing then goes to the facets of an embedding as couples, in equal parts; elsewhere it is reported.
 */
#include "query/deadline/time_critical_search.h"

#include "geometry/numbers/vector3.h"
#include "structures/bounds/medial_balls.h"
#include "base/floating_point_guard.h"

/* Weights may have this many times the squared norm of uniform ones. */
#define WEIGHT_NORM_MOST 16.0

dent_sphere_response_def dent_sphere_response_def_default(void)
{
    return (dent_sphere_response_def){.struct_size = sizeof(dent_sphere_response_def), .stiffness = 1, .optimism = 1};
}

static bool normalize(double v[3])
{
    double length = sqrt(vector_dot(v, v));
    if (!(length > 1e-150 && length < 1e150)) {
        return false;
    }
    for (int axis = 0; axis < 3; axis++) {
        v[axis] /= length;
    }
    return true;
}

/* One push: a pair of balls that overlap. */
struct push {
    uint32_t node_a, node_b;
    double direction[3]; /* unit, from b to a */
    double point[3];     /* on the line of centres, in the middle of the overlap */
    double depth, area;
};

struct responder {
    dent_time_critical *search;
    const dent_sphere_response_def *def;
    dent_sphere_response *response;
    double *forces[2];
    double total_area;
};

static void push_direction(const struct responder *responder, const double *a, const double *b, double direction[3])
{
    const struct bound_tree *tree_a = responder->search->a, *tree_b = responder->search->b;
    for (int axis = 0; axis < 3; axis++) {
        direction[axis] = a[axis] - b[axis];
    }
    if (normalize(direction)) {
        return;
    }
    memcpy(direction, responder->def->last_direction, 3 * sizeof *direction);
    if (normalize(direction)) {
        return;
    }
    for (int axis = 0; axis < 3; axis++) {
        direction[axis] = tree_a->centre[axis] - tree_b->centre[axis];
    }
    if (!normalize(direction)) {
        direction[0] = direction[1] = 0;
        direction[2] = 1;
    }
}

/* Squared radius of the circle in which two balls meet; of the smaller ball when it lies in the other. */
static double lens_square(double radius_a, double radius_b, double distance)
{
    double smaller = radius_a < radius_b ? radius_a : radius_b, larger = radius_a < radius_b ? radius_b : radius_a;
    if (distance <= larger - smaller || !(distance > 0)) {
        return smaller * smaller;
    }
    double along = ((distance * distance + radius_a * radius_a) - radius_b * radius_b) / (2 * distance);
    double square = radius_a * radius_a - along * along;
    return square > 0 ? square : 0;
}

/* Balls that lie inside the two solids overlap by this much, so the solids do. 0: none are known (medial_balls.h). */
static double sure_depth(dent_time_critical *search, uint32_t node_a, uint32_t node_b)
{
    struct medial_ball_now a, b;
    medial_ball_at(search->a, node_a, &a);
    medial_ball_at(search->b, node_b, &b);
    double sure = (a.inside + b.inside) * (1 - 1e-12) - distance_above(a.centre, b.centre);
    return a.inside > 0 && b.inside > 0 && sure > 0 ? sure : 0;
}

static bool make_push(const struct responder *responder, uint32_t node_a, uint32_t node_b, double lo, struct push *push)
{
    const struct bound_tree *tree_a = responder->search->a, *tree_b = responder->search->b;
    const double *a = tree_a->volumes[node_a].v, *b = tree_b->volumes[node_b].v;
    if (!(lo < 0)) {
        return false;
    }
    double overlap = -lo;
    double sure = responder->def->optimism < 1 ? sure_depth(responder->search, node_a, node_b) : 0;
    sure = sure < overlap ? sure : overlap;
    *push =
        (struct push){.node_a = node_a, .node_b = node_b, .depth = sure + responder->def->optimism * (overlap - sure)};
    push_direction(responder, a, b, push->direction);
    push->area = lens_square(a[3], b[3], distance_above(a, b));
    for (int axis = 0; axis < 3; axis++) {
        push->point[axis] = a[axis] - push->direction[axis] * (a[3] - 0.5 * overlap);
    }
    return push->depth > 0;
}

/* ---- spreading --------------------------------------------------------------------------------------------------- */

/* Where a force on a vertex acts: on the vertex, or (embeddings) on the base of its link, which is what the coarse nodes
 * feel. */
static void acting_point(const struct bound_tree *tree, uint32_t vertex, double p[3])
{
    if (tree->embedding) {
        embedding_base(tree->embedding->model, vertex, (const double(*)[3])tree->embedding->model->coarse, p);
    } else {
        memcpy(p, tree->xyz[vertex], 3 * sizeof *p);
    }
}

struct spread {
    const struct bound_tree *tree;
    uint32_t begin, end; /* in tree->vertices */
    double mean[3];
    double across[2][3]; /* unit vectors normal to the line and to one another */
    double slope[2];     /* weights: 1/n + slope . (s, t) */
};

static void coordinates(const struct spread *spread, uint32_t i, double p[3], double st[2])
{
    double relative[3];
    acting_point(spread->tree, spread->tree->vertices[i], p);
    for (int axis = 0; axis < 3; axis++) {
        relative[axis] = p[axis] - spread->mean[axis];
    }
    st[0] = vector_dot(relative, spread->across[0]);
    st[1] = vector_dot(relative, spread->across[1]);
}

/* True when weights could be found; else they are uniform. */
static bool find_weights(struct spread *spread, const struct push *push)
{
    double n = spread->end - spread->begin, moments[3] = {0}, p[3], st[2], relative[3];
    const double *r = push->direction;
    int thin = fabs(r[0]) <= fabs(r[1]) && fabs(r[0]) <= fabs(r[2]) ? 0 : fabs(r[1]) <= fabs(r[2]) ? 1 : 2;
    double axis_unit[3] = {thin == 0, thin == 1, thin == 2};
    vector_cross(r, axis_unit, spread->across[0]);
    normalize(spread->across[0]);
    vector_cross(r, spread->across[0], spread->across[1]);
    spread->slope[0] = spread->slope[1] = 0;
    for (uint32_t i = spread->begin; i < spread->end; i++) {
        acting_point(spread->tree, spread->tree->vertices[i], p);
        for (int axis = 0; axis < 3; axis++) {
            spread->mean[axis] += p[axis] / n;
        }
    }
    for (uint32_t i = spread->begin; i < spread->end; i++) {
        coordinates(spread, i, p, st);
        moments[0] += st[0] * st[0];
        moments[1] += st[0] * st[1];
        moments[2] += st[1] * st[1];
    }
    for (int axis = 0; axis < 3; axis++) {
        relative[axis] = push->point[axis] - spread->mean[axis];
    }
    double q[2] = {vector_dot(relative, spread->across[0]), vector_dot(relative, spread->across[1])};
    double determinant = moments[0] * moments[2] - moments[1] * moments[1], trace = moments[0] + moments[2];
    if (!(determinant > 1e-10 * (trace * trace))) {
        return false;
    }
    double slope[2] = {(moments[2] * q[0] - moments[1] * q[1]) / determinant,
                       (moments[0] * q[1] - moments[1] * q[0]) / determinant};
    /* |w|^2 = 1/n + slope . S slope = 1/n + slope . q */
    if (!(n * (slope[0] * q[0] + slope[1] * q[1]) <= WEIGHT_NORM_MOST - 1)) {
        return false;
    }
    spread->slope[0] = slope[0];
    spread->slope[1] = slope[1];
    return true;
}

static void add_force(struct responder *responder, int side, uint32_t vertex, const double force[3])
{
    const struct bound_tree *tree = side ? responder->search->b : responder->search->a;
    double *forces = responder->forces[side];
    if (tree->embedding) {
        dent_embedding_spread_force(tree->embedding->model, vertex, force, forces);
        return;
    }
    for (int axis = 0; axis < 3; axis++) {
        forces[3 * (size_t)vertex + (size_t)axis] += force[axis];
    }
}

/* What is missing of the torque, to the facets that the vertices hang on; what they cannot take stays in `torque`. */
static void spread_torque(struct responder *responder, int side, const struct spread *spread, double torque[3])
{
    double n = spread->end - spread->begin, part[3] = {torque[0] / n, torque[1] / n, torque[2] / n};
    uint32_t left = 0;
    for (uint32_t i = spread->begin; i < spread->end; i++) {
        left += !dent_embedding_spread_torque(spread->tree->embedding->model, spread->tree->vertices[i], part,
                                              responder->forces[side]);
    }
    for (int axis = 0; axis < 3; axis++) {
        torque[axis] = left * part[axis];
    }
}

static void spread_force(struct responder *responder, int side, const struct push *push, const double force[3])
{
    const struct bound_tree *tree = side ? responder->search->b : responder->search->a;
    const struct bound_link *link = &tree->links[side ? push->node_b : push->node_a];
    struct spread spread = {.tree = tree,
                            .begin = tree->vertex_start[link->first_face],
                            .end = tree->vertex_start[link->first_face + link->face_count]};
    bool is_uniform = !find_weights(&spread, push);
    responder->response->uniform += is_uniform;
    double n = spread.end - spread.begin, acting[3] = {0}, missing[3], torque[3];
    for (uint32_t i = spread.begin; i < spread.end; i++) {
        double p[3], st[2], part[3];
        coordinates(&spread, i, p, st);
        double weight = 1 / n + (spread.slope[0] * st[0] + spread.slope[1] * st[1]);
        for (int axis = 0; axis < 3; axis++) {
            part[axis] = weight * force[axis];
            acting[axis] += weight * p[axis];
        }
        add_force(responder, side, tree->vertices[i], part);
    }
    for (int axis = 0; axis < 3; axis++) {
        missing[axis] = push->point[axis] - acting[axis];
    }
    vector_cross(missing, force, torque);
    if (is_uniform && tree->embedding) {
        spread_torque(responder, side, &spread, torque);
    }
    double *sum = side ? responder->response->torque_b : responder->response->torque_a;
    for (int axis = 0; axis < 3; axis++) {
        sum[axis] += torque[axis];
    }
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

/* The sums, not yet divided by the whole area. */
static void sum_push(struct responder *responder, const struct push *push)
{
    for (int axis = 0; axis < 3; axis++) {
        responder->response->force[axis] += push->area * push->depth * push->direction[axis];
    }
    responder->response->depth += push->area * push->depth;
    responder->response->regions++;
    responder->total_area += push->area;
}

static void spread_push(struct responder *responder, const struct push *push)
{
    double share = push->area / responder->total_area, force[3], opposite[3];
    for (int axis = 0; axis < 3; axis++) {
        force[axis] = responder->def->stiffness * push->depth * share * push->direction[axis];
        opposite[axis] = -force[axis];
    }
    if (responder->forces[0]) {
        spread_force(responder, 0, push, force);
    }
    if (responder->forces[1]) {
        spread_force(responder, 1, push, opposite);
    }
}

typedef void push_function(struct responder *responder, const struct push *push);

static void for_each_push(struct responder *responder, push_function *function)
{
    const dent_time_critical *search = responder->search;
    struct push push;
    for (uint32_t i = 0; i < search->confirmed_count; i++) {
        const dent_confirmed_pair *entry = &search->confirmed[i];
        if (make_push(responder, entry->node_a, entry->node_b, entry->lo, &push)) {
            function(responder, &push);
        }
    }
    bool silent = responder->def->confirmed_only && search->confirmed_count > 0;
    for (uint32_t i = 0; i < search->queue.count && !silent; i++) {
        const dent_region_pair *entry = &search->queue.entries[i];
        if (make_push(responder, entry->node_a, entry->node_b, entry->lo, &push)) {
            function(responder, &push);
        }
    }
}

/* Weights need the fourth power of a length, torques a length times a force. */
#define LENGTH_MOST 1e70
#define FORCE_MOST 1e200

static double largest_length(const struct bound_tree *tree)
{
    double largest = tree->volumes[0].v[3];
    for (int axis = 0; axis < 3; axis++) {
        double size = fabs(tree->volumes[0].v[axis]);
        largest = size > largest ? size : largest;
    }
    return largest;
}

/* False, and nothing written to the forces: the force is beyond what can be spread. */
static DENT_NOINLINE bool compute(struct responder *responder)
{
    dent_sphere_response *response = responder->response;
    *response = (dent_sphere_response){0};
    for_each_push(responder, sum_push);
    if (!(responder->total_area > 0)) {
        response->regions = 0;
        return true;
    }
    for (int axis = 0; axis < 3; axis++) {
        response->force[axis] *= responder->def->stiffness / responder->total_area;
    }
    response->depth /= responder->total_area;
    if (!(fabs(response->force[0]) + fabs(response->force[1]) + fabs(response->force[2]) <= FORCE_MOST) ||
        !(responder->def->stiffness * response->depth <= FORCE_MOST)) {
        return false;
    }
    if (responder->forces[0] || responder->forces[1]) {
        for_each_push(responder, spread_push);
    }
    memcpy(response->direction, response->force, sizeof response->direction);
    if (!normalize(response->direction)) {
        memset(response->direction, 0, sizeof response->direction);
    }
    return true;
}

dent_status dent_sphere_response_compute(dent_time_critical *search, const dent_sphere_response_def *def,
                                         double *forces_a, double *forces_b, dent_sphere_response *response)
{
    DENT_REQUIRE(NULL, search);
    DENT_REQUIRE(search->context, response);
    dent_sphere_response_def fallback = dent_sphere_response_def_default();
    def = def ? def : &fallback;
    if (def->struct_size != sizeof *def) {
        return dent_fail(search->context, DENT_ERROR_INVALID_ARGUMENT,
                         "the response def was not made by dent_sphere_response_def_default()");
    }
    if (!(def->stiffness >= 0 && def->stiffness <= DBL_MAX && def->optimism >= 0 && def->optimism <= 1)) {
        return dent_fail(search->context, DENT_ERROR_INVALID_ARGUMENT,
                         "stiffness is %g and optimism %g: a number >= 0 and one of 0 to 1 are needed", def->stiffness,
                         def->optimism);
    }
    dent_status status = search_check_trees(search);
    if (status != DENT_OK) {
        return status;
    }
    if (search->a == search->b) {
        return dent_fail(search->context, DENT_ERROR_INVALID_ARGUMENT, "a body does not push itself here");
    }
    if (search->a->kind != DENT_BOUND_SPHERES || search->b->kind != DENT_BOUND_SPHERES) {
        return dent_fail(search->context, DENT_ERROR_UNSUPPORTED,
                         "this response needs trees of balls (DENT_BOUND_SPHERES): boxes have no centres to push from");
    }
    double size = largest_length(search->a), other = largest_length(search->b);
    size = other > size ? other : size;
    if (!(size <= LENGTH_MOST)) {
        return dent_fail(search->context, DENT_ERROR_BAD_NUMBER,
                         "the bodies reach to %g: this response takes lengths up to %g", size, LENGTH_MOST);
    }
    dent_sphere_response fresh;
    struct responder responder = {search, def, &fresh, {forces_a, forces_b}, 0};
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    bool finite = compute(&responder);
    floating_point_guard_leave(&guard);
    if (!finite) {
        return dent_fail(search->context, DENT_ERROR_BAD_NUMBER, "stiffness %g times the depth overflows a double",
                         def->stiffness);
    }
    *response = fresh;
    return DENT_OK;
}
