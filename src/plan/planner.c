/* The planner as the public interface shows it. See plan_state.h. */
#include "plan/plan_state.h"

#include <math.h>
#include <string.h>

dent_planner_def dent_planner_def_default(void)
{
    dent_planner_def def = {0};
    def.struct_size = sizeof def;
    def.edge_work_limit = 100000;
    return def;
}

const char *dent_plan_method_name(dent_plan_method method)
{
    static const char *const names[] = {"tree", "roadmap"};
    return (unsigned)method < sizeof names / sizeof names[0] ? names[method] : NULL;
}

const char *dent_plan_verdict_name(dent_plan_verdict verdict)
{
    static const char *const names[] = {"not_found", "found", "start_contact", "goal_contact"};
    return (unsigned)verdict < sizeof names / sizeof names[0] ? names[verdict] : NULL;
}

dent_status plan_out_of_memory(const dent_planner *planner)
{
    return dent_fail(planner->context, DENT_ERROR_OUT_OF_MEMORY, "out of memory for a planner");
}

/* ---- creation ---------------------------------------------------------------------------------------------------- */

static dent_status check_body(dent_context *context, const dent_planner_def *def, uint32_t index)
{
    const dent_plan_body *body = &def->bodies[index];
    const char *name = body->shape.name ? body->shape.name : "";
    if (body->link != DENT_PLAN_OBSTACLE && body->link >= dent_linkage_link_count(def->linkage)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "body %u '%s' belongs to link %u, and there are %u",
                         index, name, body->link, dent_linkage_link_count(def->linkage));
    }
    if (body->shape.kind != DENT_BODY_SOLID && body->shape.kind != DENT_BODY_SURFACE) {
        return dent_fail(context, DENT_ERROR_UNSUPPORTED, "body %u '%s' is neither a solid nor a surface", index, name);
    }
    if (body->shape.same_as_count > 0) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "body %u '%s' is tied to others", index, name);
    }
    return DENT_OK;
}

static dent_status check_def(dent_context *context, const dent_planner_def *def)
{
    if (def->struct_size != sizeof *def) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "the planner def was not made by dent_planner_def_default()");
    }
    DENT_REQUIRE(context, def->linkage);
    DENT_REQUIRE_ARRAY(context, def->body_count, def->bodies);
    DENT_REQUIRE_ARRAY(context, def->allowed_count, def->allowed);
    if (!dent_plan_method_name(def->method)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "there is no planning method number %d",
                         (int)def->method);
    }
    if (!(def->target_gap >= 0 && isfinite(def->target_gap))) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "the target gap is %g: a finite length, 0 or more, is needed", def->target_gap);
    }
    if (!def->lower != !def->upper) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "a range needs both lower and upper");
    }
    if (def->edge_work_limit == 0) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "the work limit of an edge is 0: at least 1 is needed");
    }
    for (uint32_t i = 0; i < def->body_count; i++) {
        dent_status status = check_body(context, def, i);
        if (status != DENT_OK) {
            return status;
        }
    }
    for (uint32_t i = 0; i < def->allowed_count; i++) {
        if (def->allowed[i].body_a >= def->body_count || def->allowed[i].body_b >= def->body_count) {
            return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                             "allowed pair %u names body %u and body %u, and there are %u", i, def->allowed[i].body_a,
                             def->allowed[i].body_b, def->body_count);
        }
    }
    return DENT_OK;
}

/* The distance of the farthest vertex from the origin of a body, and its box. */
static dent_status measure_body(dent_planner *planner, uint32_t index, double *radius, double lo[3], double hi[3])
{
    const struct plan_worker *worker_state = &planner->tester.workers[0];
    dent_body_metrics metrics;
    dent_status status = dent_body_get_metrics(worker_state->world, worker_state->bodies[index].body, &metrics);
    if (status != DENT_OK) {
        return dent_fail(planner->context, status, "%s", dent_world_message(worker_state->world));
    }
    double square = 0;
    for (int k = 0; k < 3; k++) {
        lo[k] = metrics.lo[k];
        hi[k] = metrics.hi[k];
        double most = fmax(fabs(lo[k]), fabs(hi[k]));
        square += most * most;
    }
    *radius = sqrt(square);
    return DENT_OK;
}

/* Rotations of free and ball joints weigh as much as the radius of the link they move. */
static void set_weights(dent_planner *planner, const double *given, const double *radii)
{
    struct plan_space *space = &planner->space;
    for (uint32_t j = 0; j < space->joint_count; j++) {
        const struct plan_joint *joint = &space->joints[j];
        uint32_t link = dent_linkage_joint(space->linkage, joint->joint)->child;
        bool turns = joint->kind == DENT_JOINT_FREE || joint->kind == DENT_JOINT_BALL;
        uint32_t plain = joint->kind == DENT_JOINT_FREE ? 3 : turns ? 0 : dent_joint_kind_value_count(joint->kind);
        for (uint32_t v = 0; v < plain && given; v++) {
            space->weights[joint->first_freedom + v] = given[joint->first_value + v];
        }
        for (uint32_t v = 0; v < 3 && turns; v++) {
            double radius = radii[link] > 0 ? radii[link] : 1;
            space->weights[joint->first_freedom + plain + v] = given ? given[joint->first_value + plain] : radius;
        }
    }
}

static dent_status measure(dent_planner *planner, const dent_planner_def *def)
{
    uint32_t links = planner->space.link_count;
    double *radii = dent_allocate(planner->context, links, sizeof *radii), largest = 0;
    if (!radii) {
        return plan_out_of_memory(planner);
    }
    memset(radii, 0, links * sizeof *radii);
    dent_status status = DENT_OK;
    for (int k = 0; k < 3; k++) {
        planner->box_lo[k] = INFINITY;
        planner->box_hi[k] = -INFINITY;
    }
    for (uint32_t i = 0; i < planner->tester.body_count && status == DENT_OK; i++) {
        double radius = 0, lo[3], hi[3];
        uint32_t link = planner->bodies[i].link;
        status = measure_body(planner, i, &radius, lo, hi);
        if (status == DENT_OK && link != DENT_PLAN_OBSTACLE) {
            radii[link] = fmax(radii[link], radius);
            largest = fmax(largest, radius);
        }
        bool stands = link == DENT_PLAN_OBSTACLE || planner->space.joint_of_link[link] == DENT_JOINT_NONE;
        for (int k = 0; k < 3 && status == DENT_OK && stands; k++) {
            planner->box_lo[k] = fmin(planner->box_lo[k], lo[k]);
            planner->box_hi[k] = fmax(planner->box_hi[k], hi[k]);
        }
    }
    for (int k = 0; k < 3; k++) { /* without obstacles: about the origin */
        bool empty = !(planner->box_lo[k] <= planner->box_hi[k]);
        planner->box_lo[k] = (empty ? 0 : planner->box_lo[k]) - largest;
        planner->box_hi[k] = (empty ? 0 : planner->box_hi[k]) + largest;
    }
    planner->target_gap = def->target_gap > 0 ? def->target_gap : 1e-3 * largest;
    set_weights(planner, def->weights, radii);
    dent_release(planner->context, radii, links, sizeof *radii);
    return status;
}

static void init_arrays(dent_planner *planner)
{
    size_t values = (planner->space.value_count > 0 ? planner->space.value_count : 1) * sizeof(double);
    array_init(&planner->nodes, planner->context, sizeof(struct plan_node));
    array_init(&planner->values, planner->context, values);
    array_init(&planner->contacts, planner->context, sizeof(struct plan_contact));
    array_init(&planner->links, planner->context, sizeof(struct plan_link));
    array_init(&planner->components, planner->context, sizeof(uint32_t));
    array_init(&planner->distances, planner->context, sizeof(double));
    array_init(&planner->previous, planner->context, sizeof(uint32_t));
    array_init(&planner->path, planner->context, values);
    array_init(&planner->spare, planner->context, values);
}

static dent_status copy_lists(dent_planner *planner, const dent_planner_def *def)
{
    uint32_t values = planner->space.value_count;
    planner->bodies = dent_allocate(planner->context, def->body_count, sizeof *planner->bodies);
    if (!planner->bodies) {
        return plan_out_of_memory(planner);
    }
    planner->tester.body_count = def->body_count;
    if (def->body_count > 0) { /* without bodies the list may be null */
        memcpy(planner->bodies, def->bodies, def->body_count * sizeof *planner->bodies);
    }
    if (def->lower) {
        planner->ranges = dent_allocate(planner->context, 2 * (size_t)values, sizeof *planner->ranges);
        if (!planner->ranges) {
            return plan_out_of_memory(planner);
        }
        memcpy(planner->ranges, def->lower, values * sizeof *planner->ranges);
        memcpy(planner->ranges + values, def->upper, values * sizeof *planner->ranges);
        planner->def.lower = planner->ranges;
        planner->def.upper = planner->ranges + values;
    }
    return DENT_OK;
}

struct create_call {
    dent_planner *planner;
    const dent_planner_def *def;
};

static dent_status create(void *data)
{
    const struct create_call *call = data;
    dent_planner *planner = call->planner;
    dent_status status = plan_space_create(planner->context, call->def, &planner->space);
    init_arrays(planner);
    status = status == DENT_OK ? copy_lists(planner, call->def) : status;
    planner->constraints = dent_constraints_create(planner->context);
    status = planner->constraints || status != DENT_OK ? status : plan_out_of_memory(planner);
    planner->tester.context = planner->context;
    planner->tester.space = &planner->space;
    planner->tester.bodies = planner->bodies;
    planner->tester.work_limit = call->def->edge_work_limit;
    status = status == DENT_OK ? plan_tester_create(&planner->tester, call->def) : status;
    return status == DENT_OK ? measure(planner, call->def) : status;
}

dent_status dent_planner_create(dent_context *context, const dent_planner_def *def, dent_planner **planner)
{
    DENT_REQUIRE(NULL, context);
    DENT_REQUIRE(context, def);
    DENT_REQUIRE(context, planner);
    dent_status status = check_def(context, def);
    if (status != DENT_OK) {
        return status;
    }
    dent_planner *made = dent_allocate(context, 1, sizeof *made);
    if (!made) {
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "out of memory for a planner");
    }
    memset(made, 0, sizeof *made);
    made->context = context;
    made->def = *def;
    made->phase = PLAN_BROKEN;
    struct create_call call = {made, def};
    status = dent_call_guarded(context, create, &call);
    if (status != DENT_OK) {
        dent_planner_destroy(made);
        return status;
    }
    *planner = made;
    return DENT_OK;
}

void dent_planner_destroy(dent_planner *planner)
{
    if (!planner) {
        return;
    }
    struct dynamic_array *arrays[] = {&planner->nodes,    &planner->values,     &planner->contacts,
                                      &planner->links,    &planner->components, &planner->distances,
                                      &planner->previous, &planner->path,       &planner->spare};
    plan_tester_destroy(&planner->tester);
    dent_constraints_destroy(planner->constraints);
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        array_destroy(arrays[i]);
    }
    dent_release(planner->context, planner->bodies, planner->tester.body_count, sizeof *planner->bodies);
    dent_release(planner->context, planner->ranges, 2 * (size_t)planner->space.value_count, sizeof *planner->ranges);
    plan_space_destroy(&planner->space);
    dent_release(planner->context, planner, 1, sizeof *planner);
}

double dent_planner_target_gap(const dent_planner *planner)
{
    return planner ? planner->target_gap : 0;
}

/* ---- milestones -------------------------------------------------------------------------------------------------- */

uint32_t plan_add_node(dent_planner *planner, const double *values, uint32_t tree, uint32_t parent,
                       const struct plan_contact *contacts, uint32_t contact_count)
{
    struct plan_node node = {parent, tree, (uint32_t)planner->contacts.count, contact_count};
    if (planner->nodes.count >= PLAN_NONE - 1 || planner->contacts.count >= PLAN_NONE - PLAN_CONTACTS ||
        !array_push_many(&planner->contacts, contacts, contact_count)) {
        return PLAN_NONE;
    }
    if (!array_push(&planner->values, values)) {
        planner->contacts.count -= contact_count;
        return PLAN_NONE;
    }
    if (!array_push(&planner->nodes, &node)) {
        planner->contacts.count -= contact_count;
        planner->values.count--;
        return PLAN_NONE;
    }
    planner->contact_nodes += contact_count > 0;
    return (uint32_t)planner->nodes.count - 1;
}

uint32_t plan_nearest(const dent_planner *planner, uint32_t tree, const double *values)
{
    const struct plan_node *nodes = planner->nodes.data;
    uint32_t nearest = PLAN_NONE;
    double least = INFINITY;
    for (uint32_t n = 0; n < plan_node_count(planner); n++) {
        if (nodes[n].tree == tree) {
            double own = plan_space_nearness(&planner->space, values, plan_values_at(planner, n));
            if (own < least) {
                least = own;
                nearest = n;
            }
        }
    }
    return nearest;
}

/* ---- budget ------------------------------------------------------------------------------------------------------ */

static bool is_cancelled(const dent_planner *planner)
{
    return planner->cancel && *(const volatile int *)planner->cancel != 0;
}

bool plan_must_stop(const dent_planner *planner)
{
    return planner->edges >= planner->edge_limit || is_cancelled(planner);
}

uint32_t plan_affordable(const dent_planner *planner, uint32_t wanted)
{
    uint64_t left = planner->edges < planner->edge_limit ? planner->edge_limit - planner->edges : 0;
    return wanted < left ? wanted : (uint32_t)left;
}

dent_status plan_run_batch(dent_planner *planner, uint32_t count)
{
    planner->edges += count;
    return count > 0 ? plan_test_edges(&planner->tester, planner->batch_edges, count) : DENT_OK;
}

/* ---- the question ------------------------------------------------------------------------------------------------ */

struct begin_call {
    dent_planner *planner;
    const double *from, *to;
    uint64_t seed;
};

static dent_status check_values(const dent_planner *planner, const double *values)
{
    dent_status status = DENT_OK;
    if (!planner->def.no_limits) {
        status = dent_linkage_check_values(planner->space.linkage, values);
    }
    /* Zero quaternions and numbers that are not finite. */
    return status == DENT_OK ? dent_linkage_poses(planner->space.linkage, NULL, values, planner->space.poses) : status;
}

static dent_status begin(void *data)
{
    const struct begin_call *call = data;
    dent_planner *planner = call->planner;
    size_t size = planner->space.value_count * sizeof(double);
    dent_status status = check_values(planner, call->from);
    status = status == DENT_OK ? check_values(planner, call->to) : status;
    if (status == DENT_OK && (!array_reserve(&planner->nodes, 16) || !array_reserve(&planner->values, 16))) {
        status = plan_out_of_memory(planner);
    }
    if (status != DENT_OK) {
        return status;
    }
    memcpy(planner->from, call->from, size);
    memcpy(planner->to, call->to, size);
    plan_space_normalise(&planner->space, planner->from);
    plan_space_normalise(&planner->space, planner->to);
    plan_space_set_range(&planner->space, &planner->def, planner->box_lo, planner->box_hi, planner->from, planner->to);
    planner->random = dent_random_seeded(call->seed);
    planner->phase = PLAN_CHECKING;
    planner->verdict = DENT_PLAN_NOT_FOUND;
    planner->body_a = planner->body_b = UINT32_MAX;
    planner->edges = planner->edge_limit = planner->edges_to_first = planner->ns = planner->ns_to_first = 0;
    planner->rounds = planner->contact_nodes = planner->failures = 0;
    planner->batch = 1;
    planner->pending = false;
    planner->length = 0;
    array_clear(&planner->nodes);
    array_clear(&planner->values);
    array_clear(&planner->contacts);
    array_clear(&planner->links);
    array_clear(&planner->path);
    plan_add_node(planner, planner->from, PLAN_FROM, PLAN_NONE, NULL, 0); /* reserved: node 0 … */
    bool roadmap = planner->def.method == DENT_PLAN_ROADMAP;
    plan_add_node(planner, planner->to, roadmap ? PLAN_FROM : PLAN_TO, PLAN_NONE, NULL, 0); /* … and node 1 */
    return DENT_OK;
}

dent_status dent_planner_begin(dent_planner *planner, const double *from, const double *to, uint64_t seed)
{
    DENT_REQUIRE(NULL, planner);
    DENT_REQUIRE_ARRAY(planner->context, planner->space.value_count, from);
    DENT_REQUIRE_ARRAY(planner->context, planner->space.value_count, to);
    struct begin_call call = {planner, from, to, seed};
    return dent_call_guarded(planner->context, begin, &call);
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

/* Nothing may touch or overlap at the ends: the first by a motion that stands still, the second by the exact check. */
static dent_status check_ends(dent_planner *planner)
{
    if (plan_affordable(planner, 2) < 2) {
        return DENT_OK;
    }
    size_t size = planner->space.value_count * sizeof(double);
    for (int end = 0; end < 2; end++) {
        struct plan_edge *edge = &planner->batch_edges[end];
        memcpy(edge->from, end ? planner->to : planner->from, size);
        memcpy(edge->to, edge->from, size);
        edge->tolerance = planner->target_gap / 64;
        edge->wants_contacts = false;
    }
    dent_status status = plan_run_batch(planner, 2);
    for (int end = 0; end < 2 && status == DENT_OK; end++) {
        const struct plan_edge *edge = &planner->batch_edges[end];
        planner->body_a = edge->body_a;
        planner->body_b = edge->body_b;
        if (edge->verdict == DENT_MOTION_FREE) {
            status = plan_find_overlap(&planner->tester, edge->from, &planner->body_a, &planner->body_b);
        }
        if (status == DENT_OK && planner->body_a != UINT32_MAX) {
            planner->verdict = end ? DENT_PLAN_GOAL_CONTACT : DENT_PLAN_START_CONTACT;
            planner->phase = PLAN_DONE;
            return DENT_OK;
        }
    }
    planner->phase = PLAN_SEARCHING;
    return status;
}

/* The path is there when the start is the goal: nothing touches there. */
static dent_status check_and_stay(dent_planner *planner, bool *found)
{
    dent_status status = check_ends(planner);
    *found = status == DENT_OK && planner->phase == PLAN_SEARCHING &&
             memcmp(planner->from, planner->to, planner->space.value_count * sizeof(double)) == 0;
    bool kept = !*found || (array_push(&planner->path, planner->from) && array_push(&planner->path, planner->to));
    return kept ? status : plan_out_of_memory(planner);
}

static dent_status run_phase(dent_planner *planner, uint64_t began)
{
    dent_status status = DENT_OK;
    bool found = false, done = false;
    switch (planner->phase) {
    case PLAN_CHECKING:
    case PLAN_SEARCHING:
        status = planner->phase == PLAN_CHECKING         ? check_and_stay(planner, &found)
                 : planner->def.method == DENT_PLAN_TREE ? plan_tree_round(planner, &found)
                                                         : plan_roadmap_round(planner, &found);
        if (status == DENT_OK && found) {
            planner->verdict = DENT_PLAN_FOUND;
            planner->length = plan_path_length(planner);
            planner->edges_to_first = planner->edges;
            planner->ns_to_first = planner->ns + (dent_clock_ns() - began);
            planner->phase = planner->def.no_shortening ? PLAN_DONE : PLAN_SHORTENING;
        }
        return status;
    case PLAN_SHORTENING:
        status = plan_shorten_round(planner, &done);
        planner->phase = done ? PLAN_DONE : PLAN_SHORTENING;
        return status;
    default:
        return DENT_OK;
    }
}

static dent_status run(void *data)
{
    dent_planner *planner = data;
    uint64_t began = dent_clock_ns();
    dent_status status = DENT_OK;
    while (status == DENT_OK && planner->phase < PLAN_DONE && !plan_must_stop(planner)) {
        uint64_t before = planner->edges;
        enum plan_phase phase = planner->phase;
        status = run_phase(planner, began);
        if (planner->edges == before && planner->phase == phase && phase != PLAN_SEARCHING) {
            break; /* what is left of the budget is too little for a round */
        }
    }
    planner->ns += dent_clock_ns() - began;
    planner->phase = status == DENT_OK ? planner->phase : PLAN_BROKEN;
    return status;
}

dent_status dent_planner_run(dent_planner *planner, uint64_t budget, const int *cancel, dent_plan_result *result)
{
    DENT_REQUIRE(NULL, planner);
    DENT_REQUIRE(planner->context, result);
    if (planner->phase == PLAN_BROKEN) {
        return dent_fail(planner->context, DENT_ERROR_INVALID_ARGUMENT,
                         "dent_planner_run: dent_planner_begin was not called, or the last run failed");
    }
    planner->edge_limit =
        planner->edges + (budget < UINT64_MAX - planner->edges ? budget : UINT64_MAX - planner->edges);
    planner->cancel = cancel;
    dent_status status = dent_call_guarded(planner->context, run, planner);
    bool cancelled = is_cancelled(planner);
    planner->cancel = NULL;
    if (status != DENT_OK) {
        return status;
    }
    bool found = planner->verdict == DENT_PLAN_FOUND;
    *result = (dent_plan_result){
        .outcome = planner->phase == PLAN_DONE ? DENT_OUTCOME_COMPLETE
                   : cancelled                 ? DENT_OUTCOME_CANCELLED
                                               : DENT_OUTCOME_BUDGET_SPENT,
        .verdict = planner->verdict,
        .waypoint_count = found ? (uint32_t)planner->path.count : 0,
        .waypoints = found ? planner->path.data : NULL,
        .length = found ? planner->length : 0,
        .body_a = planner->phase == PLAN_DONE && !found ? planner->body_a : UINT32_MAX,
        .body_b = planner->phase == PLAN_DONE && !found ? planner->body_b : UINT32_MAX,
        .edges = planner->edges,
        .edges_to_first = planner->edges_to_first,
        .milestones = plan_node_count(planner),
        .contact_milestones = planner->contact_nodes,
        .ns = planner->ns,
        .ns_to_first = planner->ns_to_first,
    };
    return DENT_OK;
}

/* ---- single edges ------------------------------------------------------------------------------------------------ */

struct edge_call {
    dent_planner *planner;
    const double *from, *to;
    dent_plan_edge_result *result;
};

static dent_status test_single(void *data)
{
    const struct edge_call *call = data;
    struct plan_edge *edge = &call->planner->batch_edges[0];
    size_t size = call->planner->space.value_count * sizeof(double);
    memcpy(edge->from, call->from, size);
    memcpy(edge->to, call->to, size);
    edge->tolerance = 0;
    edge->wants_contacts = false;
    dent_status status = plan_test_edges(&call->planner->tester, edge, 1);
    if (status == DENT_OK) {
        bool contact = edge->verdict == DENT_MOTION_CONTACT;
        *call->result = (dent_plan_edge_result){edge->verdict, edge->t, contact ? edge->body_a : UINT32_MAX,
                                                contact ? edge->body_b : UINT32_MAX};
    }
    return status;
}

dent_status dent_planner_test_edge(dent_planner *planner, const double *from, const double *to,
                                   dent_plan_edge_result *result)
{
    DENT_REQUIRE(NULL, planner);
    DENT_REQUIRE_ARRAY(planner->context, planner->space.value_count, from);
    DENT_REQUIRE_ARRAY(planner->context, planner->space.value_count, to);
    DENT_REQUIRE(planner->context, result);
    struct edge_call call = {planner, from, to, result};
    return dent_call_guarded(planner->context, test_single, &call);
}

struct between_call {
    const dent_planner *planner;
    const double *from, *to;
    double t;
    double *values;
    double length;
};

static dent_status between(void *data)
{
    struct between_call *call = data;
    if (call->values) {
        plan_space_between(&call->planner->space, call->from, call->to, call->t, call->values);
    } else {
        call->length = plan_space_length(&call->planner->space, call->from, call->to);
    }
    return DENT_OK;
}

dent_status dent_planner_edge_at(const dent_planner *planner, const double *from, const double *to, double t,
                                 double *values)
{
    DENT_REQUIRE(NULL, planner);
    DENT_REQUIRE_ARRAY(planner->context, planner->space.value_count, from);
    DENT_REQUIRE_ARRAY(planner->context, planner->space.value_count, to);
    DENT_REQUIRE_ARRAY(planner->context, planner->space.value_count, values);
    if (!(t >= 0 && t <= 1)) {
        return dent_fail(planner->context, DENT_ERROR_INVALID_ARGUMENT, "the time %g is not in [0, 1]", t);
    }
    struct between_call call = {planner, from, to, t, values, 0};
    return planner->space.value_count > 0 ? dent_call_guarded(planner->context, between, &call) : DENT_OK;
}

double dent_planner_distance(const dent_planner *planner, const double *from, const double *to)
{
    if (!planner || !from || !to) {
        return 0;
    }
    struct between_call call = {.planner = planner, .from = from, .to = to};
    return dent_call_guarded(planner->context, between, &call) == DENT_OK ? call.length : 0;
}
