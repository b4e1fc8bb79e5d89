/* From contacts to rows: checks every number a sweep will touch, finds materials and the last step's record of each
 * contact (by key: same slot first, then a table), and computes how easily the two sides part.
 *
 * mobility: an impulse p on a and -p on b changes the relative velocity of the two points by mobility * p. Vertices
 * give (sum of w^2 / m) I; where one vertex carries both sides, its part is (w_a - w_b)^2 / m. A rigid body gives
 * I / m - [r] J [r] with the arm r and the inverse inertia J.
 *
 * Nothing of the caller's is written here, so that any failure leaves it as it was. */
#include "response/exact_rows.h"

#include "base/floating_point_guard.h"

#include <float.h>
#include <math.h>

enum { ROWS_PER_BLOCK = 128 };

static bool all_finite(const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!(fabs(numbers[i]) <= DBL_MAX)) {
            return false;
        }
    }
    return true;
}

/* ---- scratch ------------------------------------------------------------------------------------------------- */

dent_response *dent_response_create(dent_context *context)
{
    if (!context) {
        return NULL;
    }
    dent_response *response = dent_allocate(context, 1, sizeof *response);
    if (!response) {
        return NULL;
    }
    *response = (dent_response){.context = context};
    array_init(&response->rows, context, sizeof(struct response_row));
    array_init(&response->states, context, sizeof(struct response_body_state));
    array_init(&response->order, context, sizeof(uint64_t));
    array_init(&response->colour_first, context, sizeof(uint64_t));
    array_init(&response->nodes, context, sizeof(struct response_node));
    array_init(&response->lookup, context, sizeof(uint64_t));
    array_init(&response->entry, context, sizeof(double));
    return response;
}

void dent_response_destroy(dent_response *response)
{
    if (!response) {
        return;
    }
    array_destroy(&response->rows);
    array_destroy(&response->states);
    array_destroy(&response->order);
    array_destroy(&response->colour_first);
    array_destroy(&response->nodes);
    array_destroy(&response->lookup);
    array_destroy(&response->entry);
    response_exact_destroy(response->exact);
    dent_release(response->context, response, 1, sizeof *response);
}

/* ---- checks of the problem ----------------------------------------------------------------------------------- */

static bool material_is_sound(const dent_contact_material *material)
{
    const double numbers[4] = {material->friction_static, material->friction_kinetic, material->restitution,
                               material->compliance};
    return all_finite(numbers, 4) && numbers[0] >= 0 && numbers[1] >= 0 && numbers[2] >= 0 && numbers[2] <= 1 &&
           numbers[3] >= 0;
}

static dent_status check_problem(dent_response *response, const dent_response_problem *problem)
{
    dent_context *context = response->context;
    if (!problem || problem->struct_size != sizeof *problem) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "the response problem was not made by dent_response_problem_default()");
    }
    if (!(problem->time_step > 0 && problem->time_step <= DBL_MAX)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "the time step of the response is %g: a finite time above 0 is needed", problem->time_step);
    }
    if (!(problem->uncertain_share >= 0 && problem->uncertain_share <= 1)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "uncertain_share is %g: 0 to 1 is needed",
                         problem->uncertain_share);
    }
    if (!material_is_sound(&problem->material)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "the contact material of the response has a number out of range");
    }
    for (uint32_t i = 0; i < problem->material_pair_count; i++) {
        if (!material_is_sound(&problem->material_pairs[i].material)) {
            return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                             "material pair %u (materials %u and %u) has a number out of range", i,
                             problem->material_pairs[i].material_a, problem->material_pairs[i].material_b);
        }
    }
    if ((problem->contact_count > 0 && !problem->contacts) || (problem->body_count > 0 && !problem->bodies) ||
        (problem->previous_count > 0 && !problem->previous)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "a list of the response problem is null but not empty");
    }
    return DENT_OK;
}

/* ---- the last step's record by key --------------------------------------------------------------------------- */

/* Open addressing; places hold 1 + number of the record, 0 is free. Of equal keys the first counts. */
static dent_status fill_lookup(dent_response *response, const dent_response_problem *problem)
{
    size_t slots = 0;
    bool in_place = problem->previous_count == problem->contact_count;
    for (uint64_t i = 0; in_place && i < problem->contact_count; i++) {
        in_place = problem->previous[i].key == problem->contacts[i].key;
    }
    array_clear(&response->lookup);
    if (in_place || problem->previous_count == 0) {
        return DENT_OK; /* every record is where its contact is, the common case within a step */
    }
    slots = 16;
    while (slots < 2 * problem->previous_count) {
        if (slots > SIZE_MAX / 4) {
            return dent_fail(response->context, DENT_ERROR_TOO_LARGE, "too many previous contacts");
        }
        slots *= 2;
    }
    uint64_t *table = array_extend(&response->lookup, slots);
    if (!table) {
        return dent_fail(response->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for the contacts' last records");
    }
    memset(table, 0, slots * sizeof *table);
    for (uint64_t i = 0; i < problem->previous_count; i++) {
        uint64_t key = problem->previous[i].key;
        size_t slot = (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (slots - 1);
        while (table[slot] && problem->previous[table[slot] - 1].key != key) {
            slot = (slot + 1) & (slots - 1);
        }
        if (!table[slot]) {
            table[slot] = i + 1;
        }
    }
    return DENT_OK;
}

static const dent_contact_force *find_previous(const struct response_work *work, uint64_t index)
{
    const dent_response_problem *problem = work->problem;
    uint64_t key = problem->contacts[index].key;
    size_t slots = work->response->lookup.count;
    if (problem->previous_count == 0) {
        return NULL;
    }
    if (slots == 0) {
        return &problem->previous[index];
    }
    const uint64_t *table = work->response->lookup.data;
    size_t slot = (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (slots - 1);
    while (table[slot]) {
        if (problem->previous[table[slot] - 1].key == key) {
            return &problem->previous[table[slot] - 1];
        }
        slot = (slot + 1) & (slots - 1);
    }
    return NULL;
}

static dent_contact_material find_material(const dent_response_problem *problem, const dent_contact *contact)
{
    dent_contact_material material = problem->material;
    for (uint32_t i = 0; i < problem->material_pair_count; i++) {
        const dent_material_pair *pair = &problem->material_pairs[i];
        if ((pair->material_a == contact->material_a && pair->material_b == contact->material_b) ||
            (pair->material_a == contact->material_b && pair->material_b == contact->material_a)) {
            material = pair->material;
            break;
        }
    }
    if (material.friction_kinetic > material.friction_static) {
        material.friction_kinetic = material.friction_static;
    }
    return material;
}

/* ---- sides --------------------------------------------------------------------------------------------------- */

static const double *moved_array(const dent_response_body *body, enum response_quantity quantity)
{
    return quantity == QUANTITY_POSITION ? body->positions : body->velocities;
}

static bool rigid_is_finite(const dent_rigid_state *rigid)
{
    return !rigid ||
           (all_finite(&rigid->inverse_mass, 1) && rigid->inverse_mass >= 0 && all_finite(rigid->inverse_inertia, 9) &&
            all_finite(rigid->center, 3) && all_finite(rigid->orientation, 4) &&
            all_finite(rigid->linear_velocity, 3) && all_finite(rigid->angular_velocity, 3));
}

static bool rigid_moves(const dent_rigid_state *rigid)
{
    bool moves = rigid->inverse_mass > 0;
    for (int i = 0; i < 9; i++) {
        moves = moves || rigid->inverse_inertia[i] != 0;
    }
    return moves;
}

/* The arm in the body's frame at detection, and in space now. */
static bool fill_rigid_side(struct response_side *side, const dent_response_body *body, const double point[3])
{
    const dent_rigid_state *found = body->rigid_detected ? body->rigid_detected : body->rigid;
    double at[3] = {point[0], point[1], point[2]};
    if (!rigid_is_finite(body->rigid) || !rigid_is_finite(body->rigid_start) || !rigid_is_finite(found)) {
        return false;
    }
    side->kind = SIDE_RIGID;
    if (body->positions_detected) {
        side_sum(side, body->positions_detected, at);
    }
    const double back[4] = {found->orientation[0], -found->orientation[1], -found->orientation[2],
                            -found->orientation[3]};
    double arm[3] = {at[0] - found->center[0], at[1] - found->center[1], at[2] - found->center[2]};
    quaternion_rotate(back, arm, side->point);
    quaternion_rotate(body->rigid->orientation, side->point, side->arm);
    return all_finite(side->arm, 3);
}

static bool fill_vertices_side(struct response_side *side, const dent_response_body *body,
                               enum response_quantity quantity)
{
    const double *array = moved_array(body, quantity);
    side->kind = SIDE_VERTICES;
    for (uint32_t i = 0; i < side->count; i++) {
        size_t v = side->vertices[i];
        side->inverse_masses[i] = body->inverse_masses ? body->inverse_masses[v] : 0;
        if (!(side->inverse_masses[i] >= 0 && side->inverse_masses[i] <= DBL_MAX) ||
            (array && !all_finite(array + 3 * v, 3)) ||
            (quantity == QUANTITY_POSITION && body->positions_start && !all_finite(body->positions_start + 3 * v, 3)) ||
            (quantity == QUANTITY_VELOCITY && body->velocities_start &&
             !all_finite(body->velocities_start + 3 * v, 3))) {
            return false;
        }
    }
    return true;
}

/* False: an index is out of range or a number is not finite. */
static bool fill_side(struct response_side *side, const struct response_work *work, uint32_t body_number,
                      const uint32_t vertices[4], const double weights[4], const double point[3])
{
    *side = (struct response_side){.body = body_number, .kind = SIDE_POINT};
    if (body_number >= work->problem->body_count || !all_finite(point, 3) || !all_finite(weights, 4)) {
        return false;
    }
    const dent_response_body *body = &work->problem->bodies[body_number];
    bool wants_vertices = !body->rigid || body->positions_detected;
    for (int i = 0; i < 4; i++) {
        if (vertices[i] == UINT32_MAX) {
            continue;
        }
        if (vertices[i] >= body->vertex_count && (wants_vertices || body->vertex_count > 0)) {
            return false;
        }
        if (!wants_vertices) { /* the point alone counts; the body need not tell how many vertices it has */
            continue;
        }
        side->vertices[side->count] = vertices[i];
        side->weights[side->count++] = weights[i];
    }
    if (body->rigid) {
        return fill_rigid_side(side, body, point);
    }
    if (side->count > 0 && (moved_array(body, work->quantity) || work->quantity == QUANTITY_FORCE)) {
        return fill_vertices_side(side, body, work->quantity);
    }
    memcpy(side->point, point, sizeof side->point);
    return true;
}

static void add_mobility(const struct response_side *side, const struct response_work *work, double mobility[9])
{
    double scalar = 0;
    if (side->kind == SIDE_RIGID) {
        /* column j of -[r] J [r] is -(r x J (r x e_j)) */
        const double *inertia = work->states[side->body].inverse_inertia;
        for (int j = 0; j < 3; j++) {
            double unit[3] = {j == 0, j == 1, j == 2}, moment[3], flipped[3], moved[3];
            vector_cross(side->arm, unit, moment);
            multiply3(inertia, moment, flipped);
            vector_cross(flipped, side->arm, moved);
            for (int i = 0; i < 3; i++) {
                mobility[3 * i + j] += moved[i];
            }
        }
        scalar = work->problem->bodies[side->body].rigid->inverse_mass;
    } else if (side->kind == SIDE_VERTICES) {
        for (uint32_t i = 0; i < side->count; i++) {
            scalar += side->weights[i] * side->weights[i] * side->inverse_masses[i];
        }
    }
    for (int i = 0; i < 3; i++) {
        mobility[4 * i] += scalar;
    }
}

/* A vertex on both sides is pushed by the difference of its weights. */
static void correct_shared_vertices(struct response_row *row)
{
    if (row->a.body != row->b.body || row->a.kind != SIDE_VERTICES || row->b.kind != SIDE_VERTICES) {
        return;
    }
    for (uint32_t i = 0; i < row->a.count; i++) {
        for (uint32_t j = 0; j < row->b.count; j++) {
            if (row->a.vertices[i] == row->b.vertices[j]) {
                double both = 2 * row->a.weights[i] * row->b.weights[j] * row->a.inverse_masses[i];
                for (int k = 0; k < 3; k++) {
                    row->mobility[4 * k] -= both;
                }
            }
        }
    }
}

/* The part of the gap that counts: all of it, or a share of an uncertain depth. */
static double certain_gap(const dent_contact *contact, double share, bool *capped)
{
    if (contact->gap < 0 && contact->error >= -contact->gap) {
        *capped = true;
        return share * contact->gap;
    }
    return contact->gap;
}

static void fill_row(struct response_work *work, uint64_t index)
{
    const dent_contact *contact = &work->problem->contacts[index];
    struct response_row *row = &work->rows[index];
    *row = (struct response_row){.index = index, .state = DENT_ACTION_REJECTED};
    double length = vector_dot(contact->normal, contact->normal);
    if (!all_finite(contact->normal, 3) || !all_finite(&contact->gap, 1) || !(length > 0.5 && length < 2) ||
        !(contact->error >= 0 && contact->error <= DBL_MAX) ||
        !fill_side(&row->a, work, contact->body_a, contact->vertices_a, contact->weights_a, contact->point_a) ||
        !fill_side(&row->b, work, contact->body_b, contact->vertices_b, contact->weights_b, contact->point_b)) {
        return;
    }
    memcpy(row->normal, contact->normal, sizeof row->normal);
    row->gap = certain_gap(contact, work->problem->uncertain_share, &row->capped);
    row->material = find_material(work->problem, contact);
    bool one_rigid_body = contact->body_a == contact->body_b && row->a.kind == SIDE_RIGID;
    if (!one_rigid_body) {
        add_mobility(&row->a, work, row->mobility);
        add_mobility(&row->b, work, row->mobility);
        correct_shared_vertices(row);
    }
    double moved[3];
    multiply3(row->mobility, row->normal, moved);
    row->normal_mobility = vector_dot(row->normal, moved);
    if (!(fabs(row->normal_mobility) <= DBL_MAX)) {
        return;
    }
    row->state = row->normal_mobility > 16 * DBL_MIN ? DENT_ACTION_NONE : DENT_ACTION_FIXED;

    const dent_contact_force *previous = find_previous(work, index);
    if (previous && all_finite(&previous->normal, 1) && all_finite(previous->tangent, 3) &&
        all_finite(previous->slip, 3)) {
        row->remembered = true;
        row->previous_state = previous->state;
        row->previous_normal = previous->normal;
        tangential3(previous->tangent, row->normal, row->previous_tangent);
        tangential3(previous->slip, row->normal, row->previous_slip);
    }
}

static void fill_row_block(void *data, uint32_t block, uint32_t worker)
{
    struct response_work *work = data;
    (void)worker;
    uint64_t end = (uint64_t)(block + 1) * ROWS_PER_BLOCK;
    for (uint64_t i = (uint64_t)block * ROWS_PER_BLOCK; i < end && i < work->row_count; i++) {
        fill_row(work, i);
    }
}

/* ---- tangents ----------------------------------------------------------------------------------------------------- */

void response_tangent_frame(struct response_row *row)
{
    const double *n = row->normal;
    double x = fabs(n[0]), y = fabs(n[1]), z = fabs(n[2]);
    double axis[3] = {x <= y && x <= z, !(x <= y && x <= z) && y <= z, !(x <= y && x <= z) && !(y <= z)};
    double *t = row->first_tangent, *u = row->second_tangent, moved[3];
    vector_cross(n, axis, t);
    double length = sqrt(vector_dot(t, t));
    for (int i = 0; i < 3; i++) {
        t[i] /= length;
    }
    vector_cross(n, t, u);
    multiply3(row->mobility, t, moved);
    double tt = vector_dot(t, moved), tu = vector_dot(u, moved);
    multiply3(row->mobility, u, moved);
    double uu = vector_dot(u, moved), determinant = tt * uu - tu * tu;
    if (determinant > 1e-12 * tt * uu && determinant <= DBL_MAX) {
        row->tangent_inverse[0] = uu / determinant;
        row->tangent_inverse[1] = -tu / determinant;
        row->tangent_inverse[2] = tt / determinant;
    }
}

/* ---- all together -------------------------------------------------------------------------------------------- */

static dent_status prepare_bodies(struct response_work *work)
{
    const dent_response_problem *problem = work->problem;
    dent_response *response = work->response;
    array_clear(&response->states);
    work->states = array_extend(&response->states, problem->body_count);
    if (!work->states) {
        return dent_fail(response->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for the bodies of a response");
    }
    uint64_t nodes = 0;
    for (uint32_t i = 0; i < problem->body_count; i++) {
        const dent_response_body *body = &problem->bodies[i];
        struct response_body_state *state = &work->states[i];
        *state = (struct response_body_state){.first_node = (uint32_t)nodes};
        state->node_count = body->rigid ? (rigid_moves(body->rigid) ? 1 : 0) : body->vertex_count;
        nodes += state->node_count;
        if (nodes > UINT32_MAX) {
            return dent_fail(response->context, DENT_ERROR_TOO_LARGE, "the bodies of a response have 2^32 vertices");
        }
        if (body->rigid && rigid_is_finite(body->rigid)) {
            dent_rigid_inverse_inertia(body->rigid, state->inverse_inertia);
        }
    }
    work->node_count = (uint32_t)nodes;
    return DENT_OK;
}

dent_status response_prepare(struct response_work *work, dent_response *response, const dent_response_problem *problem,
                             enum response_quantity quantity)
{
    *work = (struct response_work){.response = response, .problem = problem, .quantity = quantity};
    dent_status status = check_problem(response, problem);
    if (status == DENT_OK) {
        status = prepare_bodies(work);
    }
    if (status == DENT_OK) {
        status = fill_lookup(response, problem);
    }
    if (status != DENT_OK) {
        return status;
    }
    if (problem->contact_count > (uint64_t)UINT32_MAX * ROWS_PER_BLOCK) {
        return dent_fail(response->context, DENT_ERROR_TOO_LARGE, "too many contacts for one response");
    }
    work->row_count = problem->contact_count;
    array_clear(&response->rows);
    work->rows = array_extend(&response->rows, work->row_count);
    if (!work->rows) {
        return dent_fail(response->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for the contacts of a response");
    }
    uint32_t blocks = (uint32_t)((work->row_count + ROWS_PER_BLOCK - 1) / ROWS_PER_BLOCK);
    dent_parallel_for(response->context, blocks, fill_row_block, work);
    return response_colour(work);
}

/* ---- what comes out ------------------------------------------------------------------------------------------ */

static void write_force(const struct response_row *row, uint64_t key, double scale, dent_contact_force *force)
{
    *force = (dent_contact_force){.key = key, .state = row->state};
    force->normal = row->impulse * scale;
    for (int i = 0; i < 3; i++) {
        force->tangent[i] = row->tangent[i] * scale;
        force->slip[i] = row->slip[i];
    }
}

void response_finish(struct response_work *work, double scale, dent_response_report *report)
{
    const dent_response_problem *problem = work->problem;
    report->contacts = work->row_count;
    report->colours = work->colour_count;
    for (uint64_t i = 0; i < work->row_count; i++) {
        const struct response_row *row = &work->rows[i];
        double depth = -problem->contacts[i].gap;
        bool pushed = row->state == DENT_ACTION_STICKING || row->state == DENT_ACTION_SLIDING;
        report->pushed += pushed;
        report->sticking += row->state == DENT_ACTION_STICKING;
        report->sliding += row->state == DENT_ACTION_SLIDING;
        report->fixed += row->state == DENT_ACTION_FIXED;
        report->rejected += row->state == DENT_ACTION_REJECTED;
        report->capped += pushed && row->capped;
        report->squeezed += pushed && row->squeezed;
        if (row->state != DENT_ACTION_REJECTED && depth > report->deepest) {
            report->deepest = depth;
        }
        if (problem->forces) {
            write_force(row, problem->contacts[i].key, scale, &problem->forces[i]);
        }
    }
}

static DENT_NOINLINE dent_status solve_guarded(struct response_work *work, response_run *run, const void *def,
                                               dent_response_report *report)
{
    dent_status status = response_prepare(work, work->response, work->problem, work->quantity);
    status = status == DENT_OK ? response_audit_begin(work) : status;
    return status == DENT_OK ? run(work, def, report) : status;
}

dent_status response_solve(dent_response *response, const dent_response_problem *problem,
                           enum response_quantity quantity, response_run *run, const void *def,
                           dent_response_report *report)
{
    struct response_work work = {.response = response, .problem = problem, .quantity = quantity};
    dent_response_report local;
    struct floating_point_guard guard;
    memset(&local, 0, sizeof local);
    floating_point_guard_enter(&guard);
    dent_status status = solve_guarded(&work, run, def, &local);
    floating_point_guard_leave(&guard);
    if (status == DENT_OK && report) {
        *report = local;
    }
    return status;
}
