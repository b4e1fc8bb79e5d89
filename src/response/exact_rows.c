/* See exact_rows.h. Blocks are vertices and rigid bodies, in the order in which contacts meet them; a vertex on both
 * sides of a contact has the difference of its weights. */
#include "response/exact_rows.h"

#include <math.h>

#include <dent/constraints.h>

enum { PARTS_OF_ROW = 8, NUMBERS_OF_BLOCK = 6, METRIC_NUMBERS = 10, ROWS_OF_CONTACT = 3 };

/* A contact that takes part. */
struct exact_contact {
    uint64_t row;      /* in work->rows */
    uint32_t first;    /* of its one or three rows */
    bool has_tangents; /* three */
    bool kinetic;      /* slides: the kinetic coefficient counts */
    double entry[3];
};

struct response_exact {
    dent_context *context;
    dent_constraints *solver;
    struct dynamic_array contacts;     /* struct exact_contact */
    struct dynamic_array places;       /* by node: block + 1 */
    struct dynamic_array blocks;       /* dent_constraint_block */
    struct dynamic_array metrics;      /* METRIC_NUMBERS a block */
    struct dynamic_array motion;       /* NUMBERS_OF_BLOCK a block */
    struct dynamic_array rows;         /* dent_constraint_row */
    struct dynamic_array parts;        /* PARTS_OF_ROW a row */
    struct dynamic_array coefficients; /* NUMBERS_OF_BLOCK a part */
    struct dynamic_array forces;       /* dent_constraint_force */
};

/* ---- life -------------------------------------------------------------------------------------------------------- */

static struct response_exact *create(dent_context *context)
{
    struct response_exact *exact = dent_allocate(context, 1, sizeof *exact);
    if (!exact) {
        return NULL;
    }
    *exact = (struct response_exact){.context = context};
    array_init(&exact->contacts, context, sizeof(struct exact_contact));
    array_init(&exact->places, context, sizeof(uint32_t));
    array_init(&exact->blocks, context, sizeof(dent_constraint_block));
    array_init(&exact->metrics, context, METRIC_NUMBERS * sizeof(double));
    array_init(&exact->motion, context, NUMBERS_OF_BLOCK * sizeof(double));
    array_init(&exact->rows, context, sizeof(dent_constraint_row));
    array_init(&exact->parts, context, PARTS_OF_ROW * sizeof(dent_constraint_part));
    array_init(&exact->coefficients, context, PARTS_OF_ROW * NUMBERS_OF_BLOCK * sizeof(double));
    array_init(&exact->forces, context, sizeof(dent_constraint_force));
    exact->solver = dent_constraints_create(context);
    if (!exact->solver) {
        response_exact_destroy(exact);
        return NULL;
    }
    return exact;
}

void response_exact_destroy(struct response_exact *exact)
{
    if (!exact) {
        return;
    }
    struct dynamic_array *arrays[] = {&exact->contacts, &exact->places, &exact->blocks,       &exact->metrics, &exact->motion,
                                      &exact->rows,     &exact->parts,  &exact->coefficients, &exact->forces};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        array_destroy(arrays[i]);
    }
    dent_constraints_destroy(exact->solver);
    dent_release(exact->context, exact, 1, sizeof *exact);
}

/* Room for everything at once: pointers into the arrays stay. Nodes that contacts touch are at most eight a contact. */
static bool reserve(struct response_exact *exact, const struct response_work *work)
{
    size_t contacts = (size_t)work->active_count, rows = ROWS_OF_CONTACT * contacts, nodes = PARTS_OF_ROW * contacts;
    nodes = nodes < work->node_count ? nodes : work->node_count;
    struct dynamic_array *arrays[] = {&exact->contacts, &exact->blocks, &exact->metrics,      &exact->motion,
                                      &exact->rows,     &exact->parts,  &exact->coefficients, &exact->forces};
    const size_t counts[] = {contacts, nodes, nodes, nodes, rows, rows, rows, rows};
    bool good = true;
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0] && good; i++) {
        array_clear(arrays[i]);
        good = array_reserve_growing(arrays[i], counts[i]);
    }
    array_clear(&exact->places);
    uint32_t *places = good ? array_extend(&exact->places, work->node_count) : NULL;
    if (places && work->node_count > 0) {
        memset(places, 0, work->node_count * sizeof *places);
    }
    return good && (places || work->node_count == 0);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static uint32_t block_of(struct response_exact *exact, const struct response_work *work,
                         const struct response_side *side, uint32_t vertex)
{
    const struct response_body_state *state = &work->states[side->body];
    bool rigid = side->kind == SIDE_RIGID;
    uint32_t *place =
        (uint32_t *)exact->places.data + state->first_node + (rigid ? 0 : side->vertices[vertex]);
    if (*place == 0) {
        double *metric = array_extend(&exact->metrics, 1);
        dent_constraint_block *block = array_extend(&exact->blocks, 1);
        array_extend(&exact->motion, 1);
        *block = (dent_constraint_block){DENT_METRIC_INVERSE_MASSES, 3, metric};
        metric[0] = metric[1] = metric[2] = side->inverse_masses[vertex];
        if (rigid) {
            *block = (dent_constraint_block){DENT_METRIC_RIGID, 6, metric};
            metric[0] = work->problem->bodies[side->body].rigid->inverse_mass;
            memcpy(metric + 1, state->inverse_inertia, 9 * sizeof *metric);
        }
        *place = (uint32_t)exact->blocks.count;
    }
    return *place - 1;
}

/* The coefficients of a block in this row, made when it has none yet. */
static double *part_of(dent_constraint_row *row, dent_constraint_part *parts, double *coefficients, uint32_t block)
{
    uint32_t i = 0;
    while (i < row->part_count && parts[i].block != block) {
        i++;
    }
    if (i == row->part_count) {
        parts[i] = (dent_constraint_part){block, coefficients + NUMBERS_OF_BLOCK * i};
        memset(coefficients + NUMBERS_OF_BLOCK * i, 0, NUMBERS_OF_BLOCK * sizeof *coefficients);
        row->part_count++;
    }
    return coefficients + NUMBERS_OF_BLOCK * i;
}

static void add_side(struct response_exact *exact, const struct response_work *work, const struct response_side *side,
                     double sign, const double direction[3], dent_constraint_row *row)
{
    size_t number = exact->rows.count - 1;
    dent_constraint_part *parts = array_at(&exact->parts, number);
    double *coefficients = array_at(&exact->coefficients, number), moment[3];
    if (side->kind == SIDE_RIGID && work->states[side->body].node_count > 0) {
        double *own = part_of(row, parts, coefficients, block_of(exact, work, side, 0));
        vector_cross(side->arm, direction, moment);
        vector_add_scaled(own, sign, direction);
        vector_add_scaled(own + 3, sign, moment);
    }
    for (uint32_t i = 0; side->kind == SIDE_VERTICES && i < side->count; i++) {
        if (side->inverse_masses[i] > 0) {
            double *own = part_of(row, parts, coefficients, block_of(exact, work, side, i));
            vector_add_scaled(own, sign * side->weights[i], direction);
        }
    }
}

static void add_row(struct response_exact *exact, const struct response_work *work, const struct response_row *contact,
                    const double direction[3])
{
    dent_constraint_row *row = array_extend(&exact->rows, 1);
    array_extend(&exact->coefficients, 1);
    dent_constraint_force *force = array_extend(&exact->forces, 1);
    *row = dent_constraint_row_default();
    row->key = exact->rows.count - 1;
    row->parts = array_extend(&exact->parts, 1);
    *force = (dent_constraint_force){.key = row->key};
    add_side(exact, work, &contact->a, 1, direction, row);
    add_side(exact, work, &contact->b, -1, direction, row);
}

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

static bool has_friction(const struct response_row *row)
{
    return row->material.friction_static > 0 && row->tangent_inverse[0] > 0;
}

static void remember(struct response_exact *exact, const struct response_row *row, const struct exact_contact *contact)
{
    dent_constraint_force *forces = array_at(&exact->forces, contact->first);
    forces[0].multiplier = row->previous_normal > 0 ? row->previous_normal : 0;
    forces[0].state = forces[0].multiplier > 0 ? DENT_CONSTRAINT_ACTIVE : DENT_CONSTRAINT_INACTIVE;
    if (contact->has_tangents) {
        forces[1].multiplier = vector_dot(row->previous_tangent, row->first_tangent);
        forces[2].multiplier = vector_dot(row->previous_tangent, row->second_tangent);
    }
}

dent_status response_exact_begin(struct response_work *work, exact_entry_function *function, void *data, bool friction)
{
    dent_response *response = work->response;
    response->exact = response->exact ? response->exact : create(response->context);
    struct response_exact *exact = response->exact;
    if (!exact || !reserve(exact, work)) {
        return dent_fail(response->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for the rows of an exact response");
    }
    for (uint64_t i = 0; i < work->row_count; i++) {
        struct response_row *row = &work->rows[i];
        if (row->state != DENT_ACTION_NONE || !row->active) {
            continue;
        }
        struct exact_contact *contact = array_extend(&exact->contacts, 1);
        *contact = (struct exact_contact){.row = i, .first = (uint32_t)exact->rows.count,
                                          .has_tangents = friction && has_friction(row)};
        function(data, row, contact->entry);
        add_row(exact, work, row, row->normal);
        if (contact->has_tangents) {
            add_row(exact, work, row, row->first_tangent);
            add_row(exact, work, row, row->second_tangent);
        }
        remember(exact, row, contact);
    }
    return DENT_OK;
}

/* ---- solving ----------------------------------------------------------------------------------------------------- */

static void set_targets(struct response_exact *exact, const struct response_work *work)
{
    for (size_t i = 0; i < exact->contacts.count; i++) {
        const struct exact_contact *contact = array_at(&exact->contacts, i);
        const struct response_row *row = &work->rows[contact->row];
        dent_constraint_row *rows = array_at(&exact->rows, contact->first);
        rows[0].target = row->target - vector_dot(row->normal, contact->entry);
        rows[0].lower = row->lower;
        rows[0].compliance = row->softness;
        if (contact->has_tangents) {
            rows[0].friction = contact->kinetic ? row->material.friction_kinetic : row->material.friction_static;
            rows[0].tangents = contact->first + 1;
            rows[1].target = -vector_dot(row->first_tangent, contact->entry);
            rows[2].target = -vector_dot(row->second_tangent, contact->entry);
        }
    }
}

static dent_status solve(struct response_exact *exact, uint32_t *iterations)
{
    dent_constraint_problem problem = dent_constraint_problem_default();
    dent_constraint_report report;
    problem.blocks = exact->blocks.data;
    problem.block_count = (uint32_t)exact->blocks.count;
    problem.rows = exact->rows.data;
    problem.row_count = (uint32_t)exact->rows.count;
    problem.motion = exact->motion.data;
    problem.forces = exact->forces.data;
    problem.previous = exact->forces.data;
    problem.previous_count = problem.row_count;
    dent_status status = dent_constraints_solve(exact->solver, &problem, &report);
    *iterations += status == DENT_OK ? report.iterations : 0;
    return status;
}

/* How much the tangents push, beside what static friction allows. */
static bool slides(const struct response_row *row, const dent_constraint_force *forces, double coefficient)
{
    double x = forces[1].multiplier, y = forces[2].multiplier, limit = coefficient * forces[0].multiplier;
    return !(sqrt(x * x + y * y) < limit * (1 - 1e-9)) && row->material.friction_static > 0;
}

static bool lower_friction(struct response_exact *exact, const struct response_work *work)
{
    bool any = false;
    for (size_t i = 0; i < exact->contacts.count; i++) {
        struct exact_contact *contact = array_at(&exact->contacts, i);
        const struct response_row *row = &work->rows[contact->row];
        const dent_constraint_force *forces = array_at(&exact->forces, contact->first);
        bool lower = contact->has_tangents && !contact->kinetic && forces[0].multiplier > 0 &&
                     row->material.friction_kinetic < row->material.friction_static &&
                     slides(row, forces, row->material.friction_static);
        contact->kinetic = contact->kinetic || lower;
        any = any || lower;
    }
    return any;
}

static void take_force(struct response_work *work, const struct exact_contact *contact,
                       const dent_constraint_force *forces)
{
    struct response_row *row = &work->rows[contact->row];
    double tangent[3] = {0, 0, 0}, push[3];
    if (contact->has_tangents) {
        vector_add_scaled(tangent, forces[1].multiplier, row->first_tangent);
        vector_add_scaled(tangent, forces[2].multiplier, row->second_tangent);
    }
    for (int i = 0; i < 3; i++) {
        push[i] = (forces[0].multiplier - row->impulse) * row->normal[i] + (tangent[i] - row->tangent[i]);
    }
    if (!response_push(work, row, push)) {
        return;
    }
    double limit = contact->kinetic ? row->material.friction_kinetic : row->material.friction_static;
    row->impulse = forces[0].multiplier;
    memcpy(row->tangent, tangent, sizeof tangent);
    row->state = row->impulse == 0                                                ? DENT_ACTION_NONE
                 : contact->has_tangents && !contact->kinetic && !slides(row, forces, limit) ? DENT_ACTION_STICKING
                                                                                  : DENT_ACTION_SLIDING;
}

dent_status response_exact_run(struct response_work *work, uint32_t *iterations)
{
    struct response_exact *exact = work->response->exact;
    for (size_t i = 0; i < exact->contacts.count; i++) {
        ((struct exact_contact *)array_at(&exact->contacts, i))->kinetic = false;
    }
    set_targets(exact, work);
    dent_status status = solve(exact, iterations);
    if (status == DENT_OK && lower_friction(exact, work)) {
        set_targets(exact, work);
        status = solve(exact, iterations);
    }
    for (size_t i = 0; i < exact->contacts.count && status == DENT_OK; i++) {
        const struct exact_contact *contact = array_at(&exact->contacts, i);
        take_force(work, contact, array_at(&exact->forces, contact->first));
    }
    return status;
}
