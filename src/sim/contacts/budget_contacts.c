/* Contacts within a fixed budget (dent_sim_def.contact_budget): instead of looking for all of them, a step spends so
 * many work units on interruptible searches between balls (dent/time_critical.h) and pushes with what is known then.
 *
 * One schedule (dent/schedule.h) shares the budget among all pairs of bodies that may meet: the pair with the largest
 * error always goes on first. contact_deadline limits the time of that besides. The response is a direction and a share for every vertex (dent_sphere_response_compute
 * with stiffness 1); how hard is decided here, from the effective mass 1/W of exactly that spread: with W = sum |f|^2/m
 * / |F|^2 over both bodies, stiffness 1/(4 W dt^2) is a quarter of what one undamped contact under symplectic Euler
 * would bear. Velocities get it at the start of the step.
 *
 * An embedded surface has a reduced tree (dent/embedding.h): the few vertices of its host move it, and its nodes are
 * computed when visited. The response then gives forces on the vertices of the host, with the torque of the links.
 *
 * Friction acts where the push does: with the same weights the two sides have mean velocities; their difference across
 * the push is taken away, as far as friction times the push can, by an impulse spread with these weights.
 *
 * A body with itself: the search names pairs of faces that cross. Each pushes its six corners apart along the line
 * between the centres of the two balls, which a crossing of faces alone would not tell, by their overlap; stiffness as
 * above from the masses of the corners, divided by the number of pairs that share one. Without a deadline deterministic:
 * searches begin at the roots and count units, not time. */
#include "sim_contacts.h"

#include <dent/schedule.h>

#include <math.h>
#include <string.h>

enum { PENDING_ENTRIES = 4096, CONFIRMED_ENTRIES = 1024, FACE_PAIRS = 4096, PAIRS_MOST = 4096 };

struct budget_pair {
    uint32_t body[2];
    uint32_t pushed[2]; /* the bodies that the forces act on: of embedded surfaces their hosts */
    dent_time_critical *search;
    bool apart;
};

struct sim_budget {
    dent_world *world;
    dent_budget limit;       /* of a step */
    dent_schedule *schedule; /* of all pairs; null: there are none */
    dent_bound_tree **trees; /* by body; null: meets nobody */
    dent_embedding **models; /* by body; null: the tree follows the positions of the body itself */
    uint32_t pair_count;
    struct budget_pair *pairs;
    double *forces[2]; /* 3 per vertex of the larger body */
    uint32_t *shared;  /* by vertex: pairs of crossing faces of its own body */
};

static bool moves(const struct sim_model *model, uint32_t body)
{
    return model->bodies[body].kind != DENT_SIM_PRESCRIBED;
}

static bool may_meet(const struct sim_model *model, uint32_t i, uint32_t k)
{
    if (i == k) {
        return model->bodies[i].self_collision &&
               (model->bodies[i].collision_group & model->bodies[i].collision_mask) != 0 &&
               sim_is_elastic(model->bodies[i].kind);
    }
    const struct sim_body *a = &model->bodies[i], *b = &model->bodies[k];
    bool related = (a->kind == DENT_SIM_EMBEDDED && a->host == k) || (b->kind == DENT_SIM_EMBEDDED && b->host == i);
    return (a->collision_group & b->collision_mask) != 0 && (b->collision_group & a->collision_mask) != 0 && !related &&
           (moves(model, i) || moves(model, k));
}

/* ---- building --------------------------------------------------------------------------------------------------- */

/* The reduced model of an embedded surface. A host without a facet that has area leaves it without one. */
static dent_status make_model(const struct sim_model *model, struct sim_budget *budget, uint32_t body)
{
    dent_embedding_def def = dent_embedding_def_default();
    uint32_t host = model->bodies[body].host;
    if (model->bodies[body].kind != DENT_SIM_EMBEDDED) {
        return DENT_OK;
    }
    def.longest_link = INFINITY; /* as the simulation ties it: at any distance */
    dent_status status = dent_embedding_create(budget->world, model->bodies[body].id, model->bodies[host].id, &def,
                                               &budget->models[body]);
    if (status == DENT_OK &&
        dent_embedding_get_info(budget->models[body]).coarse_vertices != model->bodies[host].vertex_count) {
        dent_embedding_destroy(budget->models[body]);
        budget->models[body] = NULL;
    }
    return status == DENT_ERROR_BAD_MESH ? DENT_OK : status;
}

static dent_status make_tree(const struct sim_model *model, struct sim_budget *budget, uint32_t body)
{
    dent_bound_tree_def def = dent_bound_tree_def_default();
    if (budget->trees[body]) {
        return DENT_OK;
    }
    if (model->bodies[body].kind == DENT_SIM_STRANDS) {
        return dent_fail(model->context, DENT_ERROR_UNSUPPORTED, "body %u: strands take no contact budget", body);
    }
    dent_status status = make_model(model, budget, body);
    def.kind = DENT_BOUND_SPHERES; /* the response needs balls */
    def.embedding = budget->models[body];
    status = status == DENT_OK
                 ? dent_bound_tree_create(budget->world, model->bodies[body].id, &def, &budget->trees[body])
                 : status;
    return status == DENT_OK ? status : dent_fail(model->context, status, "%s", dent_world_message(budget->world));
}

static dent_status make_pair(const struct sim_model *model, struct sim_budget *budget, uint32_t i, uint32_t k)
{
    dent_time_critical_def def = dent_time_critical_def_default();
    def.order = DENT_REFINE_SIZE; /* balls of even size push evenly */
    if (budget->pair_count == PAIRS_MOST) {
        return dent_fail(model->context, DENT_ERROR_TOO_LARGE,
                         "simulation: contact_budget is for at most %d pairs of bodies", PAIRS_MOST);
    }
    dent_status status = make_tree(model, budget, i);
    status = status == DENT_OK ? make_tree(model, budget, k) : status;
    if (status != DENT_OK) {
        return status;
    }
    def.tree_a = budget->trees[i];
    def.tree_b = budget->trees[k];
    def.pending_capacity = PENDING_ENTRIES;
    def.confirmed_capacity = CONFIRMED_ENTRIES;
    def.pair_capacity = FACE_PAIRS;
    def.no_containment = true;
    struct budget_pair *pair = &budget->pairs[budget->pair_count];
    *pair = (struct budget_pair){
        .body = {i, k},
        .pushed = {budget->models[i] ? model->bodies[i].host : i, budget->models[k] ? model->bodies[k].host : k}};
    status = dent_time_critical_create(model->context, &def, &pair->search);
    budget->pair_count += status == DENT_OK;
    return status;
}

static dent_status make_schedule(struct sim_model *model, struct sim_budget *budget)
{
    if (budget->pair_count == 0) {
        return DENT_OK;
    }
    dent_time_critical **searches = sim_allocate(model, budget->pair_count, sizeof(dent_time_critical *));
    if (!searches) {
        return sim_no_memory(model->context);
    }
    for (uint32_t n = 0; n < budget->pair_count; n++) {
        searches[n] = budget->pairs[n].search;
    }
    dent_schedule_def def = dent_schedule_def_default();
    def.searches = searches;
    def.search_count = budget->pair_count;
    return dent_schedule_create(model->context, &def, &budget->schedule);
}

dent_status budget_build(struct sim_model *model, const struct sim_state *state, dent_world *world,
                         const dent_sim_def *def, struct sim_budget **made)
{
    uint32_t most = 0;
    if (!sim_has_budget(def)) {
        return DENT_OK;
    }
    for (uint32_t n = 0; n < model->body_count; n++) {
        most = model->bodies[n].vertex_count > most ? model->bodies[n].vertex_count : most;
    }
    uint64_t pairs = (uint64_t)model->body_count * (model->body_count + 1) / 2;
    struct sim_budget *budget = sim_allocate(model, 1, sizeof *budget);
    *made = budget;
    if (!budget || !(budget->trees = sim_allocate(model, model->body_count, sizeof(dent_bound_tree *))) ||
        !(budget->models = sim_allocate(model, model->body_count, sizeof(dent_embedding *))) ||
        !(budget->pairs =
              sim_allocate(model, pairs < PAIRS_MOST ? (size_t)pairs + 1 : PAIRS_MOST, sizeof *budget->pairs)) ||
        !(budget->forces[0] = sim_allocate(model, 3 * (size_t)most, sizeof(double))) ||
        !(budget->forces[1] = sim_allocate(model, 3 * (size_t)most, sizeof(double))) ||
        !(budget->shared = sim_allocate(model, model->vertex_count, sizeof *budget->shared))) {
        return sim_no_memory(model->context);
    }
    budget->world = world;
    budget->limit = dent_budget_units(def->contact_budget > 0 ? def->contact_budget : UINT64_MAX);
    budget->limit.ns = def->contact_deadline > 0 ? 1e9 * def->contact_deadline : INFINITY;
    dent_status status = world_set_positions(model, world, state->positions, NULL);
    for (uint32_t i = 0; i < model->body_count && status == DENT_OK; i++) {
        for (uint32_t k = i; k < model->body_count && status == DENT_OK; k++) {
            status = may_meet(model, i, k) ? make_pair(model, budget, i, k) : DENT_OK;
        }
    }
    return status == DENT_OK ? make_schedule(model, budget) : status;
}

void budget_destroy(const struct sim_model *model, struct sim_budget *budget)
{
    if (!budget) {
        return;
    }
    dent_schedule_destroy(budget->schedule);
    for (uint32_t n = 0; n < budget->pair_count; n++) {
        dent_time_critical_destroy(budget->pairs[n].search);
    }
    for (uint32_t n = 0; budget->trees && n < model->body_count; n++) {
        dent_bound_tree_destroy(budget->trees[n]);
    }
    for (uint32_t n = 0; budget->models && n < model->body_count; n++) {
        dent_embedding_destroy(budget->models[n]);
    }
}

/* ---- pushing ----------------------------------------------------------------------------------------------------- */

/* What the spread `forces` on a body does to it: velocities += factor * M^-1 forces when `apply`; returns forces . M^-1
 * forces. */
static double rigid_push(dent_rigid_state *state, const double *forces, const double *positions, uint32_t count,
                         double factor, bool apply)
{
    double force[3] = {0}, torque[3] = {0}, matrix[9], local[3], spin[3] = {0};
    for (uint32_t v = 0; v < count; v++) {
        double arm[3], turn[3];
        sim_subtract(positions + 3 * (size_t)v, state->center, arm);
        sim_cross(arm, forces + 3 * (size_t)v, turn);
        sim_add_scaled(force, 1, forces + 3 * (size_t)v);
        sim_add_scaled(torque, 1, turn);
    }
    rigid_rotation(state->orientation, matrix);
    for (int i = 0; i < 3; i++) {
        local[i] = matrix[i] * torque[0] + matrix[3 + i] * torque[1] + matrix[6 + i] * torque[2];
    }
    for (int i = 0; i < 3; i++) {
        double rotated = sim_dot(state->inverse_inertia + 3 * i, local);
        for (int k = 0; k < 3; k++) {
            spin[k] += matrix[3 * k + i] * rotated;
        }
    }
    if (apply) {
        sim_add_scaled(state->linear_velocity, factor * state->inverse_mass, force);
        sim_add_scaled(state->angular_velocity, factor, spin);
    }
    return state->inverse_mass * sim_dot(force, force) + sim_dot(spin, torque);
}

static double vertex_push(const struct sim_model *model, struct sim_state *state, uint32_t vertex, const double *force,
                          double factor, bool apply)
{
    if (apply) {
        sim_add_scaled(state->velocities + 3 * (size_t)vertex, factor * model->inverse_masses[vertex], force);
    }
    return model->inverse_masses[vertex] * sim_dot(force, force);
}

/* Vertices of an embedded surface without a reduced model hand their force to the facet of the host that carries them. */
static double push(const struct sim_model *model, struct sim_state *state, uint32_t number, const double *forces,
                   double factor, bool apply)
{
    const struct sim_body *body = &model->bodies[number];
    const struct sim_embedding *embedding = embedding_of(model, number);
    double sum = 0;
    if (body->rigid != SIM_NONE) {
        return rigid_push(&state->rigids[body->rigid], forces, state->positions + 3 * (size_t)body->first_vertex,
                          body->vertex_count, factor, apply);
    }
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        const double *force = forces + 3 * (size_t)v;
        if (force[0] == 0 && force[1] == 0 && force[2] == 0) {
            continue;
        }
        for (int k = 0; embedding && k < 3; k++) {
            double weight = embedding->weights[3 * (size_t)v + (size_t)k],
                   part[3] = {weight * force[0], weight * force[1], weight * force[2]};
            sum += vertex_push(model, state, embedding->corners[3 * (size_t)v + (size_t)k], part, factor, apply);
        }
        sum += embedding ? 0 : vertex_push(model, state, body->first_vertex + v, force, factor, apply);
    }
    return sum;
}

/* ---- friction --------------------------------------------------------------------------------------------------- */

static double friction_between(const struct sim_model *model, uint32_t a, uint32_t b)
{
    return sim_pair_material(model, model->bodies[a].material, model->bodies[b].material).friction_kinetic;
}

static void velocity_of(const struct sim_model *model, const struct sim_state *state, uint32_t number, uint32_t v,
                        double velocity[3])
{
    const struct sim_body *body = &model->bodies[number];
    size_t at = 3 * ((size_t)body->first_vertex + v);
    if (body->rigid == SIM_NONE) {
        memcpy(velocity, state->velocities + at, 3 * sizeof *velocity);
        return;
    }
    const dent_rigid_state *pose = &state->rigids[body->rigid]; /* its vertices have those of the last substep */
    double arm[3];
    sim_subtract(state->positions + at, pose->center, arm);
    sim_cross(pose->angular_velocity, arm, velocity);
    sim_add_scaled(velocity, 1, pose->linear_velocity);
}

/* The mean velocity of a side with the weights of its push: the part of each vertex along `direction`, of `total` in
 * all. */
static void mean_velocity(const struct sim_model *model, const struct sim_state *state, uint32_t number,
                          const double *forces, const double *direction, double total, double mean[3])
{
    mean[0] = mean[1] = mean[2] = 0;
    for (uint32_t v = 0; v < model->bodies[number].vertex_count; v++) {
        double weight = sim_dot(forces + 3 * (size_t)v, direction) / total, velocity[3];
        if (weight != 0) {
            velocity_of(model, state, number, v, velocity);
            sim_add_scaled(mean, weight, velocity);
        }
    }
}

/* Turns the forces of a side into those of a unit force along `across`, with the weights of the push. */
static void turn_forces(const struct sim_model *model, uint32_t number, double *forces, const double *direction,
                        double total, const double *across)
{
    for (uint32_t v = 0; v < model->bodies[number].vertex_count; v++) {
        double weight = sim_dot(forces + 3 * (size_t)v, direction) / total;
        for (int axis = 0; axis < 3; axis++) {
            forces[3 * (size_t)v + (size_t)axis] = weight * across[axis];
        }
    }
}

/* After a push with `impulse` along `direction`, whose spread is in the forces; they are used up. */
static void apply_friction(const struct sim_model *model, struct sim_state *state, struct sim_budget *budget,
                           const struct budget_pair *pair, const double *direction, double total, double impulse)
{
    double friction = friction_between(model, pair->body[0], pair->body[1]), velocity[2][3], slip[3], mobility = 0;
    if (!(friction > 0)) {
        return;
    }
    for (int side = 0; side < 2; side++) {
        mean_velocity(model, state, pair->pushed[side], budget->forces[side], direction, side == 0 ? total : -total,
                      velocity[side]);
    }
    sim_subtract(velocity[0], velocity[1], slip);
    sim_add_scaled(slip, -sim_dot(slip, direction), direction);
    double speed = sqrt(sim_dot(slip, slip));
    if (!(speed > 0)) {
        return;
    }
    double across[3] = {-slip[0] / speed, -slip[1] / speed, -slip[2] / speed};
    for (int side = 0; side < 2; side++) {
        turn_forces(model, pair->pushed[side], budget->forces[side], direction, total, across);
        mobility += push(model, state, pair->pushed[side], budget->forces[side], 0, false);
    }
    double most = mobility > 0 ? speed / mobility : 0; /* never turns the slip round */
    for (int side = 0; side < 2; side++) {
        push(model, state, pair->pushed[side], budget->forces[side],
             friction * impulse < most ? friction * impulse : most, true);
    }
}

/* ---- a body with itself ------------------------------------------------------------------------------------------ */

/* The six corners of two faces, as vertices of the simulation. */
static void six_corners(const struct sim_model *model, const dent_world *world, uint32_t body,
                        const dent_face_pair *faces, uint32_t corners[6])
{
    uint32_t count;
    const dent_surface_face *surface = dent_body_surface_faces(world, model->bodies[body].id, &count);
    for (int k = 0; k < 3; k++) {
        corners[k] = model->bodies[body].first_vertex + surface[faces->face_a].corners[k];
        corners[3 + k] = model->bodies[body].first_vertex + surface[faces->face_b].corners[k];
    }
}

static void count_shared(const struct sim_model *model, struct sim_budget *budget, uint32_t body,
                         const dent_time_critical_result *found, bool clear)
{
    for (uint32_t n = 0; n < found->pair_count; n++) {
        uint32_t corners[6];
        six_corners(model, budget->world, body, &found->pairs[n], corners);
        for (int k = 0; k < 6; k++) {
            budget->shared[corners[k]] = clear ? 0 : budget->shared[corners[k]] + 1;
        }
    }
}

/* From the ball of face b to the ball of face a of a confirmed pair of leaves; false where their centres coincide. */
static bool line_of_centres(dent_bound_tree *tree, const dent_confirmed_pair *leaves, uint32_t face_a,
                            double direction[3])
{
    dent_bound_node a = dent_bound_tree_node(tree, leaves->node_a), b = dent_bound_tree_node(tree, leaves->node_b);
    const uint32_t *order = dent_bound_tree_face_order(tree);
    bool is_of_a = false; /* faces of a pair come in their order, not in that of the nodes */
    for (uint32_t n = a.first_face; n < a.first_face + a.face_count; n++) {
        is_of_a = is_of_a || order[n] == face_a;
    }
    sim_subtract(a.center, b.center, direction);
    double length = sqrt(sim_dot(direction, direction));
    for (int axis = 0; axis < 3; axis++) {
        direction[axis] /= is_of_a ? length : -length;
    }
    return length > 0;
}

static void push_faces(const struct sim_model *model, struct sim_state *state, const struct sim_budget *budget,
                       const uint32_t corners[6], const double *direction, double depth)
{
    double mobility = 0;
    uint32_t sharing = 1;
    for (int k = 0; k < 6; k++) {
        mobility += model->inverse_masses[corners[k]] / 9;
        sharing = budget->shared[corners[k]] > sharing ? budget->shared[corners[k]] : sharing;
    }
    double impulse = mobility > 0 ? 0.25 * depth / (mobility * model->time_step * sharing) : 0;
    for (int k = 0; k < 6; k++) {
        sim_add_scaled(state->velocities + 3 * (size_t)corners[k],
                       (k < 3 ? 1 : -1) * impulse / 3 * model->inverse_masses[corners[k]], direction);
    }
}

static dent_status respond_to_itself(const struct sim_model *model, struct sim_state *state, struct sim_budget *budget,
                                     struct budget_pair *pair, dent_sim_statistics *statistics)
{
    dent_time_critical_result found;
    uint32_t body = pair->body[0];
    dent_status status = dent_time_critical_run(pair->search, dent_budget_units(0), &found); /* what is known */
    if (status != DENT_OK) {
        return status;
    }
    count_shared(model, budget, body, &found, false);
    for (uint32_t n = 0; n < found.confirmed_count; n++) {
        const dent_confirmed_pair *leaves = &found.confirmed[n];
        for (uint32_t p = leaves->first_pair; p < leaves->first_pair + leaves->pair_count; p++) {
            uint32_t corners[6];
            double direction[3];
            if (line_of_centres(budget->trees[body], leaves, found.pairs[p].face_a, direction)) {
                six_corners(model, budget->world, body, &found.pairs[p], corners);
                push_faces(model, state, budget, corners, direction, -leaves->lo);
                statistics->budget_regions++;
            }
        }
    }
    count_shared(model, budget, body, &found, true);
    return DENT_OK;
}

/* ---- pushing two bodies ------------------------------------------------------------------------------------------ */

static dent_status respond(const struct sim_model *model, struct sim_state *state, struct sim_budget *budget,
                           struct budget_pair *pair, dent_sim_statistics *statistics)
{
    if (pair->body[0] == pair->body[1]) {
        return respond_to_itself(model, state, budget, pair, statistics);
    }
    dent_sphere_response_def def = dent_sphere_response_def_default();
    dent_sphere_response response;
    double along = 0;
    for (int side = 0; side < 2; side++) {
        memset(budget->forces[side], 0, 3 * (size_t)model->bodies[pair->pushed[side]].vertex_count * sizeof(double));
    }
    def.confirmed_only = true;
    dent_status status =
        dent_sphere_response_compute(pair->search, &def, budget->forces[0], budget->forces[1], &response);
    double total = sim_dot(response.force, response.force);
    if (status != DENT_OK || response.regions == 0 || !(total > 0)) {
        return status;
    }
    for (int side = 0; side < 2; side++) {
        along += push(model, state, pair->pushed[side], budget->forces[side], 0, false);
    }
    if (along > 0) {
        double stiffness = 0.25 * total / (along * model->time_step * model->time_step);
        for (int side = 0; side < 2; side++) {
            push(model, state, pair->pushed[side], budget->forces[side], stiffness * model->time_step, true);
        }
        apply_friction(model, state, budget, pair, response.direction, sqrt(total),
                       stiffness * model->time_step * sqrt(total));
        statistics->budget_regions += response.regions;
    }
    return DENT_OK;
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

/* The tree of a body at the present positions; of a reduced one, those of its host. */
static dent_status follow(const struct sim_model *model, const struct sim_state *state, struct sim_budget *budget,
                          uint32_t body)
{
    dent_status status = DENT_OK;
    if (budget->models[body]) {
        const double *coarse = state->positions + 3 * (size_t)model->bodies[model->bodies[body].host].first_vertex;
        status = dent_embedding_move(budget->models[body], dent_positions_double(coarse));
    }
    return status == DENT_OK && budget->trees[body] ? dent_bound_tree_update(budget->trees[body]) : status;
}

static dent_status search(const struct sim_model *model, const struct sim_state *state, struct sim_budget *budget,
                          dent_sim_statistics *statistics)
{
    dent_status status = DENT_OK;
    dent_schedule_result result;
    for (uint32_t n = 0; n < model->body_count && status == DENT_OK; n++) {
        status = follow(model, state, budget, n);
    }
    if (status != DENT_OK || !budget->schedule) {
        return status;
    }
    dent_schedule_begin(budget->schedule, NULL);
    status = dent_schedule_run(budget->schedule, budget->limit, &result);
    for (uint32_t n = 0; n < budget->pair_count && status == DENT_OK; n++) {
        const dent_schedule_entry *entry = &result.entries[n];
        budget->pairs[n].apart = entry->outcome == DENT_OUTCOME_COMPLETE && entry->confirmed_count == 0;
        statistics->work_units += entry->work_units;
        statistics->contact_error = fmax(statistics->contact_error, entry->error);
    }
    return status;
}

dent_status budget_step(const struct sim_model *model, struct sim_state *state, struct sim_budget *budget,
                        struct step_report *report)
{
    uint64_t begin = dent_clock_ns();
    dent_status status = search(model, state, budget, &report->statistics);
    uint64_t found = dent_clock_ns();
    bool pushed = false;
    for (uint32_t n = 0; n < budget->pair_count && status == DENT_OK; n++) {
        pushed = pushed || !budget->pairs[n].apart;
        status =
            budget->pairs[n].apart ? DENT_OK : respond(model, state, budget, &budget->pairs[n], &report->statistics);
    }
    if (pushed) {
        state_forget_history(model, state); /* or BDF2 would count the impulses a third more */
    }
    report->ns_detect += found - begin;
    report->ns_respond += dent_clock_ns() - found;
    return status;
}
