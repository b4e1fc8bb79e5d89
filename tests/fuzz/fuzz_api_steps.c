/* Fuzzer for the parts of the public interface around a step: motions and linkages, contacts, responses, searches with
 * a budget and reduced models. The input is a list of calls with random defs. Nothing may crash, leak or loop; answers
 * must keep the promises of their headers (times ordered, normals of unit length, indices in range, a search done in
 * pieces as done at once).
 */
#include "fuzz_api_input.h"

#include <math.h>

static void require(bool condition)
{
    if (!condition) {
        abort();
    }
}

/* ---- motions and linkages ---------------------------------------------------------------------------------------- */

enum { FRAMES = 6 };

static dent_pose take_pose(struct input *input)
{
    dent_pose pose = dent_pose_identity();
    for (int i = 0; i < 4 && take(input, 2); i++) {
        pose.rotation[i] = take_number(input);
    }
    for (int i = 0; i < 3; i++) {
        pose.translation[i] = take_number(input);
    }
    return pose;
}

static dent_motion take_motion(struct input *input, dent_context *context)
{
    dent_pose start = take_pose(input), end = take_pose(input);
    dent_motion motion = dent_motion_stationary(&start);
    if (take(input, 2)) {
        double centre[3] = {take_number(input), 0, take_number(input)};
        dent_motion_between(context, &start, &end, (dent_motion_kind)take(input, 3), take(input, 2) ? centre : NULL,
                            (int32_t)take(input, 7) - 3, &motion);
        return motion;
    }
    for (int i = 0; i < 3; i++) {
        motion.axis[i] = take_number(input);
        motion.displacement[i] = take_number(input);
        motion.centre[i] = take_number(input);
    }
    motion.angle = take(input, 3) ? take(input, 7) - 3.0 : take_number(input);
    motion.kind = (dent_motion_kind)take(input, take(input, 20) ? 2 : 5);
    return motion;
}

static void check_motion_answer(const dent_motion_impact_result *result, uint32_t body_count)
{
    require(result->t_lo >= 0 && result->t_lo <= result->t_estimate && result->t_estimate <= result->t_hi &&
            result->t_hi <= 1);
    require(result->verdict != DENT_MOTION_CONTACT || (result->body_a < body_count && result->body_b < body_count));
    for (uint64_t i = 0; i < result->contact_count; i++) {
        const dent_motion_contact *contact = &result->contacts[i];
        double length = 0;
        for (int axis = 0; axis < 3; axis++) {
            length += contact->normal[axis] * contact->normal[axis];
        }
        require(contact->body_a < body_count && contact->body_b < body_count && fabs(length - 1) < 1e-6);
    }
}

static void ask_what_moves(struct input *input, dent_context *context, dent_world *world, const struct model *models)
{
    dent_motion_frame frames[FRAMES];
    dent_motion_body bodies[BODIES];
    dent_excluded_pair excluded[2];
    dent_motion_impact_def def = dent_motion_impact_def_default();
    def.frame_count = take(input, FRAMES + 1);
    def.body_count = take(input, BODIES + 1);
    def.excluded_count = take(input, 3);
    def.frames = frames;
    def.bodies = bodies;
    def.excluded = excluded;
    for (uint32_t i = 0; i < def.frame_count; i++) {
        frames[i].parent = take(input, 3) && i > 0 ? take(input, take(input, 20) ? i : FRAMES + 1) : DENT_FRAME_WORLD;
        frames[i].motion = take_motion(input, context);
    }
    for (uint32_t i = 0; i < def.body_count; i++) {
        bodies[i].body = models[take(input, 10) ? i : take(input, BODIES)].id;
        bodies[i].frame = take(input, 4) && def.frame_count ? take(input, def.frame_count) : DENT_FRAME_WORLD;
    }
    for (uint32_t i = 0; i < def.excluded_count; i++) {
        excluded[i] = (dent_excluded_pair){models[take(input, BODIES)].id, models[take(input, BODIES)].id};
    }
    def.tolerance = take(input, 3) ? 0 : take_number(input);
    def.work_limit = 1 + take(input, 4000); /* wild numbers may be hard: a bounded search */
    def.no_contacts = take(input, 4) == 0;
    def.first_contact_only = take(input, 4) == 0;
    dent_experiments experiments = dent_experiments_default();
    def.experiments = &experiments;
    experiments.motion.volume = (dent_motion_volume)take(input, DENT_MOTION_VOLUME_COUNT);
    experiments.motion.bounds = (dent_motion_bounds)take(input, DENT_MOTION_BOUNDS_COUNT);
    def.struct_size -= take(input, 50) == 0;
    dent_motion_impact_result result;
    if (dent_world_motion_impact(world, &def, &result) == DENT_OK) {
        check_motion_answer(&result, dent_world_body_count(world));
    }
}

static void make_linkage(struct input *input, dent_context *context, const struct model *models)
{
    dent_joint_def joints[FRAMES];
    dent_linkage_def def = dent_linkage_def_default();
    def.link_count = take(input, FRAMES + 1);
    def.joint_count = take(input, 20) && def.link_count ? def.link_count - 1 : take(input, FRAMES);
    def.joints = joints;
    for (uint32_t i = 0; i < def.joint_count; i++) {
        joints[i] = dent_joint_def_default();
        joints[i].kind = (dent_joint_kind)take(input, take(input, 20) ? DENT_JOINT_KIND_COUNT : 20);
        joints[i].child = take(input, 20) ? i + 1 : take(input, FRAMES + 2);
        joints[i].parent = take(input, 20) ? take(input, i + 1) : take(input, FRAMES + 2);
        joints[i].origin = take_pose(input);
        joints[i].axis[take(input, 3)] = take_number(input);
        joints[i].pitch = take_number(input);
        joints[i].has_limits = take(input, 3) == 0;
        joints[i].lower = take_number(input);
        joints[i].upper = take_number(input);
        joints[i].mimics = take(input, 4) ? DENT_JOINT_NONE : take(input, FRAMES);
        joints[i].multiplier = take_number(input);
    }
    dent_linkage *linkage = NULL;
    if (dent_linkage_create(context, &def, &linkage) != DENT_OK) {
        require(linkage == NULL);
        return;
    }
    double values[2][7 * FRAMES];
    dent_motion_frame frames[FRAMES];
    dent_pose poses[FRAMES];
    dent_excluded_pair excluded[FRAMES];
    dent_body_id ids[FRAMES];
    uint32_t count = dent_linkage_value_count(linkage);
    require(count <= 7 * FRAMES && dent_linkage_link_count(linkage) == def.link_count);
    dent_linkage_zero_values(linkage, values[0]);
    dent_linkage_zero_values(linkage, values[1]);
    for (uint32_t i = 0; i < count; i++) {
        values[i % 2][i] = take(input, 3) ? values[0][i] : take_number(input);
    }
    for (uint32_t i = 0; i < def.link_count; i++) {
        ids[i] = models[i].id;
        require(dent_linkage_frame_of(linkage, i) < def.link_count);
    }
    dent_linkage_check_values(linkage, values[0]);
    dent_linkage_poses(linkage, NULL, values[1], poses);
    if (dent_linkage_motion(linkage, NULL, values[0], values[1], 0, frames) == DENT_OK) {
        double rotation, translation;
        for (uint32_t i = 0; i < def.link_count; i++) {
            require(frames[i].parent == DENT_FRAME_WORLD || frames[i].parent < i);
            dent_motion_frame_at(frames, i, 0.5);
            dent_motion_bound_width(context, frames, i, (dent_motion_bounds)take(input, 5), 0.25, 0.5, &rotation,
                                    &translation);
        }
    }
    dent_linkage_excluded_pairs(linkage, ids, excluded, FRAMES);
    dent_linkage_destroy(linkage);
}

/* ---- contacts and responses -------------------------------------------------------------------------------------- */

enum { FORCES = 64 };

struct carriers {
    dent_response_body bodies[BODIES];
    double masses[BODIES][VERTICES], positions[BODIES][3 * VERTICES], velocities[BODIES][3 * VERTICES],
        forces[BODIES][3 * VERTICES], rigid_forces[BODIES][6];
    dent_rigid_state rigid[BODIES];
    dent_contact_force contact_forces[FORCES];
};

static void take_carriers(struct input *input, dent_world *world, struct carriers *all)
{
    memset(all, 0, sizeof *all);
    for (uint32_t body_index = 0; body_index < dent_world_body_count(world) && body_index < BODIES; body_index++) {
        dent_body_topology topology;
        dent_response_body *body = &all->bodies[body_index];
        if (dent_body_get_topology(world, dent_world_body_at(world, body_index), &topology) != DENT_OK ||
            topology.vertex_count > VERTICES) {
            continue;
        }
        body->vertex_count = topology.vertex_count;
        for (uint32_t i = 0; i < 3 * topology.vertex_count; i++) {
            all->positions[body_index][i] = take_number(input);
            all->velocities[body_index][i] = take(input, 5) - 2.0;
            all->masses[body_index][i / 3] = take(input, 9) ? take(input, 3) : take_number(input);
        }
        body->positions = all->positions[body_index];
        body->velocities = all->velocities[body_index];
        body->forces = all->forces[body_index];
        body->inverse_masses = take(input, 4) ? all->masses[body_index] : NULL;
        if (take(input, 4) == 0) {
            dent_rigid_state *rigid = &all->rigid[body_index];
            rigid->inverse_mass = take(input, 9) ? 1 : take_number(input);
            rigid->inverse_inertia[0] = rigid->inverse_inertia[4] = rigid->inverse_inertia[8] =
                take(input, 9) ? 1 : take_number(input);
            rigid->orientation[take(input, 4)] = take(input, 9) ? 1 : take_number(input);
            rigid->linear_velocity[1] = take_number(input);
            body->rigid = rigid;
            body->rigid_forces = all->rigid_forces[body_index];
        }
    }
}

static void respond(struct input *input, dent_context *context, dent_world *world, const dent_contacts *contacts)
{
    static struct carriers all; /* large */
    dent_response *response = dent_response_create(context);
    dent_response_problem problem = dent_response_problem_default();
    dent_response_report report;
    take_carriers(input, world, &all);
    problem.contacts = contacts->contacts;
    problem.contact_count = contacts->count;
    problem.bodies = all.bodies;
    problem.body_count = dent_world_body_count(world);
    problem.time_step = take(input, 9) ? 0.01 : take_number(input);
    problem.material.friction_static = take(input, 9) ? 0.5 : take_number(input);
    problem.material.restitution = take(input, 9) ? 0 : take_number(input);
    problem.forces = contacts->count <= FORCES ? all.contact_forces : NULL;
    problem.audit = take(input, 2);
    problem.struct_size -= take(input, 50) == 0;
    dent_penalty_def penalty = dent_penalty_def_default();
    dent_position_def position = dent_position_def_default();
    dent_velocity_def velocity = dent_velocity_def_default();
    double limit;
    if (problem.body_count > BODIES) {
        abort(); /* the models are not more */
    }
    switch (take(input, 4)) {
    case 0:
        penalty.stiffness = take(input, 2) ? 0 : take_number(input);
        penalty.margin = take_number(input);
        dent_penalty_forces(response, &problem, &penalty, &report);
        break;
    case 1:
        penalty.stiffness = take_number(input);
        dent_penalty_step_limit(response, &problem, &penalty, &limit);
        break;
    case 2:
        dent_position_solve(response, &problem, &position, &report);
        break;
    default:
        dent_velocity_solve(response, &problem, &velocity, &report);
        break;
    }
    dent_response_destroy(response);
}

static void find_contacts(struct input *input, dent_context *context, dent_world *world)
{
    dent_contacts_def def = dent_contacts_def_default();
    dent_contacts contacts;
    def.penetration = take(input, 5) != 0;
    def.proximity = take(input, 2);
    def.impact = take(input, 4) == 0;
    def.thickness = take(input, 4) ? 0.25 : take_number(input);
    def.impact_separation = take(input, 4) ? 0 : take_number(input);
    def.surface_only = take(input, 2);
    def.normals = (dent_contact_normals)take(input, take(input, 30) ? 2 : 9);
    def.coherent = take(input, 2);
    def.project = take(input, 2);
    def.depth_limit = take(input, 4) ? 0 : take_number(input);
    def.temporal_filter = take(input, 4) ? 0 : take_number(input);
    def.crossings = take(input, 4) != 0;
    def.patches = take(input, 2);
    def.reduce_patches = take(input, 2);
    def.struct_size -= take(input, 50) == 0;
    def.events = def.patches != def.coherent; /* of bits that are taken anyway, so that stored inputs keep their meaning */
    if (dent_world_find_contacts(world, &def, &contacts) != DENT_OK) {
        return;
    }
    require(contacts.events.begin_count + contacts.events.persist_count == (def.events ? contacts.count : 0));
    uint32_t bodies = dent_world_body_count(world);
    for (uint64_t i = 0; i < contacts.count; i++) {
        const dent_contact *contact = &contacts.contacts[i];
        double length = 0;
        for (int axis = 0; axis < 3; axis++) {
            length += contact->normal[axis] * contact->normal[axis];
        }
        require(contact->body_a < bodies && contact->body_b < bodies && fabs(length - 1) < 1e-6);
    }
    respond(input, context, world, &contacts);
}

/* ---- by a deadline ----------------------------------------------------------------------------------------------- */

static bool take_tree(struct input *input, dent_world *world, dent_body_id body, dent_embedding *embedding,
                      dent_bound_tree **tree)
{
    dent_bound_tree_def def = dent_bound_tree_def_default();
    def.kind = (dent_bound_kind)take(input, take(input, 30) ? 2 : 5);
    def.builder = (dent_bound_builder)take(input, take(input, 30) ? 2 : 5);
    def.branching = take(input, 9) ? 2u << take(input, 3) : take(input, 20);
    def.leaf_faces = take(input, 9) ? 1 + take(input, 16) : take(input, 0);
    def.embedding = embedding;
    def.struct_size -= take(input, 50) == 0;
    if (dent_bound_tree_create(world, body, &def, tree) != DENT_OK) {
        require(*tree == NULL);
        return false;
    }
    dent_bound_tree_info facts = dent_bound_tree_get_info(*tree);
    for (uint32_t i = 0; i < facts.nodes; i++) {
        dent_bound_node node = dent_bound_tree_node(*tree, i);
        require(node.first_face + node.face_count <= facts.faces);
        dent_bound_slab slabs[DENT_BOUND_SLABS_MAX];
        uint32_t count = dent_bound_tree_slabs(*tree, i, slabs);
        for (uint32_t k = 0; k < count; k++) {
            require(slabs[k].lo <= slabs[k].hi);
        }
    }
    return true;
}

/* In pieces or at once: the same pairs. */
static uint32_t search_with(dent_time_critical *search, uint64_t units, dent_time_critical_result *result)
{
    dent_time_critical_begin(search, NULL);
    dent_status status = DENT_OK;
    for (int i = 0; i < 100000; i++) {
        status = dent_time_critical_run(search, dent_budget_units(units), result);
        if (status != DENT_OK || result->outcome != DENT_OUTCOME_BUDGET_SPENT) {
            break;
        }
    }
    require(status == DENT_OK);
    return result->pair_count;
}

static void search_by_deadline(struct input *input, dent_context *context, dent_world *world,
                               const struct model *models)
{
    dent_body_id a = models[take(input, BODIES)].id, b = models[take(input, BODIES)].id;
    dent_embedding *embedding = NULL;
    dent_embedding_def embedding_def = dent_embedding_def_default();
    dent_bound_tree *trees[2] = {NULL, NULL};
    if (take(input, 4) == 0) {
        embedding_def.longest_link = take(input, 3) ? 1e6 : take_number(input);
        dent_embedding_create(world, a, models[take(input, BODIES)].id, &embedding_def, &embedding);
    }
    bool made = take_tree(input, world, a, embedding, &trees[0]) && take_tree(input, world, b, NULL, &trees[1]);
    dent_time_critical_def def = dent_time_critical_def_default();
    def.tree_a = trees[0];
    def.tree_b = take(input, 4) ? trees[1] : trees[0];
    def.order = (dent_refine_order)take(input, take(input, 30) ? 3 : 6);
    def.pending_capacity = take(input, 9) ? 4096 : take(input, 20);
    def.confirmed_capacity = take(input, 9) ? 4096 : take(input, 20);
    def.pair_capacity = take(input, 9) ? 4096 : take(input, 20);
    def.front_capacity = take(input, 9);
    def.touching = take(input, 2);
    dent_time_critical *search = NULL;
    if (made && dent_time_critical_create(context, &def, &search) == DENT_OK) {
        dent_time_critical_result result;
        for (int i = 0; i < 2; i++) {
            made = made && dent_bound_tree_update(trees[i]) == DENT_OK;
        }
        if (made) {
            uint32_t pairs = search_with(search, 1 + take(input, 200), &result);
            bool complete = result.outcome == DENT_OUTCOME_COMPLETE;
            require(search_with(search, UINT64_MAX, &result) == pairs || !complete);
        }
    }
    dent_time_critical_destroy(search);
    dent_bound_tree_destroy(trees[0]);
    dent_bound_tree_destroy(trees[1]);
    dent_embedding_destroy(embedding);
}

/* ---- the calls --------------------------------------------------------------------------------------------------- */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct input input = {bytes, size, 0};
    static struct model models[BODIES];
    static double ends[BODIES][3 * VERTICES];
    dent_context_def context_def = fuzz_context_def();
    dent_context *context = dent_context_create(&context_def, NULL);
    dent_world *world = dent_world_create(context);
    memset(models, 0, sizeof models);
    for (int call = 0; call < 20 && input.next < input.size; call++) {
        uint32_t number = take(&input, BODIES);
        struct model *model = &models[number];
        dent_body_def def;
        switch (take(&input, 9)) {
        case 0:
        case 1:
        case 2:
            if (!dent_world_has_body(world, model->id)) {
                def = take_def(&input, model, models);
                dent_world_add_body(world, &def, &model->id);
            }
            break;
        case 3:
            for (int i = 0; i < 3 * VERTICES && dent_world_has_body(world, model->id); i++) {
                ends[number][i] = take_number(&input);
            }
            if (dent_world_has_body(world, model->id)) {
                dent_positions start = dent_positions_double(model->xyz[0]), end = dent_positions_double(ends[number]);
                dent_body_set_positions(world, model->id, &start, &end);
            }
            break;
        case 4:
            make_linkage(&input, context, models);
            break;
        case 5:
            ask_what_moves(&input, context, world, models);
            break;
        case 6:
            search_by_deadline(&input, context, world, models);
            break;
        default:
            find_contacts(&input, context, world);
            break;
        }
    }
    dent_world_destroy(world);
    dent_context_destroy(context);
    return 0;
}
