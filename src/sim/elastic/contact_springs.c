/* Contacts in the elastic sweep.
 *
 * Forces carried from the last substep alone make a stiff body tremble: in the sweep the vertices in contact follow the
 * inside of the body freely, are put back afterwards, and the force that answers is one substep late. So for the time
 * of the sweep every contact that pushed is a spring between its two points,
 *
 *     force = carried force - stiffness * (separation - where it would be at the present velocity),
 *
 * along the normal, and across it while it sticks: the augmented Lagrangian of the contact, whose multiplier is the
 * carried force. The vertices feel that they are held, and what the spring adds becomes part of the carried force,
 * taken out and judged by the contact pass like the rest: it may only push, and friction has its limit. At rest the
 * springs are idle.
 *
 * Sweeps carry a push through a stiff body slowly; bodies as a whole answer at once: after each sweep every free piece
 * takes the translation and the rotation that are best for inertia and springs together. All steps lower the same sum.
 *
 * Threads: vertices read other vertices of their springs from a copy that is brought up to date between colours. A
 * spring whose vertices move at the same time would overshoot: its stiffness counts twice on the left side.
 *
 * Only solids have springs, and rigid bodies that solids are bonded to (rigid_bonds.c). */
#include "contact_springs.h"
#include "rigid_bonds.h"

#include <math.h>
#include <string.h>

/* Stiffness of a spring relative to what holds its vertices; which counts at most as twenty times their inertia: the
 * sweeps do not get further. */
#define SPRING_SHARE 0.5
#define LEAST_INERTIA_SHARE 0.05

struct contact_spring {
    double stiffness;  /* 0: no spring */
    double anchor[3];  /* separation of the two points that asks for no force */
    double slip_speed; /* across the normal, at the beginning of the substep */
    bool sticks;
};

struct spring_visit {
    uint32_t contact;
    double weight; /* of the vertex; negative on side b */
};

struct piece_system {
    double mass, center[3];
    double push[3], stiffness[6];
    bool has_springs;
};

struct contact_springs {
    struct contact_spring *springs; /* by contact */
    uint64_t spring_capacity;
    bool any;
    uint32_t *starts; /* by vertex: into visits; vertex_count + 2 */
    struct spring_visit *visits;
    uint64_t visit_capacity;
    double *copies;               /* of all positions */
    uint32_t *pieces;             /* by vertex: its free piece, or SIM_NONE */
    struct piece_system *systems; /* by piece */
};

/* ---- life ---------------------------------------------------------------------------------------------------- */

dent_status springs_build(struct sim_model *model, struct elastic_work *work)
{
    struct contact_springs *springs = sim_allocate(model, 1, sizeof *springs);
    if (!springs) {
        return sim_no_memory(model->context);
    }
    work->springs = springs;
    springs->starts = sim_allocate(model, (size_t)model->vertex_count + 2, sizeof *springs->starts);
    springs->copies = sim_allocate(model, 3 * (size_t)model->vertex_count, sizeof *springs->copies);
    springs->pieces = sim_allocate(model, model->vertex_count, sizeof *springs->pieces);
    springs->systems = sim_allocate(model, model->elastic->piece_count, sizeof *springs->systems);
    if (!springs->starts || !springs->copies || !springs->pieces || !springs->systems) {
        return sim_no_memory(model->context);
    }
    const struct elastic_mesh *mesh = model->elastic;
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        springs->pieces[v] = SIM_NONE;
    }
    for (uint32_t p = 0; p < mesh->piece_count; p++) {
        for (uint32_t k = mesh->piece_starts[p]; k < mesh->piece_starts[p + 1]; k++) {
            springs->pieces[mesh->piece_vertices[k]] = p;
        }
    }
    return DENT_OK;
}

void springs_destroy(dent_context *context, struct elastic_work *work)
{
    struct contact_springs *springs = work->springs;
    if (springs) {
        dent_release(context, springs->springs, (size_t)springs->spring_capacity, sizeof *springs->springs);
        dent_release(context, springs->visits, (size_t)springs->visit_capacity, sizeof *springs->visits);
    }
}

/* ---- which contacts ------------------------------------------------------------------------------------------ */

/* Adds sign times what the vertices of a side say; `own` is read at x instead (SIM_NONE: none). */
static void add_side(const struct contact_side *side, const double *values, size_t own, const double *x, double out[3])
{
    for (int k = 0; k < 4; k++) {
        if (side->vertices[k] != SIM_NONE) {
            size_t v = side->first + side->vertices[k];
            sim_add_scaled(out, side->sign * side->weights[k], v == own ? x : values + 3 * v);
        }
    }
}

/* xa - xb with these positions. */
static void separation(const struct sim_model *model, const struct sim_state *state, const struct contact_set *contacts,
                       const struct elastic_work *work, const dent_contact *contact, const double *positions,
                       size_t own, const double *x, double out[3])
{
    out[0] = out[1] = out[2] = 0;
    for (int s = 0; s < 2; s++) {
        struct contact_side side = contact_side(model, contact, s);
        if (bonds_block(model, work, side.body)) {
            double point[3];
            contact_rigid_point(model, state, contacts, &side, point);
            sim_add_scaled(out, side.sign, point);
        } else {
            add_side(&side, positions, own, x, out);
        }
    }
}

static void relative_velocity(const struct sim_model *model, const struct sim_state *state, const dent_contact *contact,
                              double out[3])
{
    out[0] = out[1] = out[2] = 0;
    for (int s = 0; s < 2; s++) {
        struct contact_side side = contact_side(model, contact, s);
        add_side(&side, state->velocities, SIM_NONE, NULL, out);
    }
}

/* How far the two points part per force, the vertices being held as they are; 0: nothing elastic takes part. */
static double give_of(const struct sim_model *model, const struct sim_state *state, const struct contact_set *contacts,
                      const struct elastic_work *work, const dent_contact *contact)
{
    double h = model->substep, give = 0;
    for (int s = 0; s < 2; s++) {
        struct contact_side side = contact_side(model, contact, s);
        const struct rigid_block *block = bonds_block(model, work, side.body);
        if (block) {
            double point[3];
            contact_rigid_point(model, state, contacts, &side, point);
            give += bonds_compliance(state, block, point, contact->normal);
        }
        for (int k = 0; k < 4; k++) {
            if (side.vertices[k] != SIM_NONE && model->elastic->slots[side.first + side.vertices[k]] != SIM_NONE) {
                size_t v = side.first + side.vertices[k];
                double share = model->inertia_shares[v];
                share = share > LEAST_INERTIA_SHARE ? share : LEAST_INERTIA_SHARE;
                give += side.weights[k] * side.weights[k] * model->inverse_masses[v] * h * h * share;
            }
        }
    }
    return give;
}

/* Rigid bodies: the contact pass sees them whole. Cloth: it gives way at once, and safe motion watches over it. */
static bool may_have_springs(const struct sim_model *model, const struct elastic_work *work, uint32_t body)
{
    return model->bodies[body].kind == DENT_SIM_SOLID || model->bodies[body].kind == DENT_SIM_PRESCRIBED ||
           bonds_block(model, work, body) != NULL;
}

static void begin_spring(const struct sim_model *model, const struct sim_state *state,
                         const struct contact_set *contacts, struct elastic_work *work, uint64_t number)
{
    double h = model->substep;
    struct contact_spring *spring = &work->springs->springs[number];
    const dent_contact *contact = &contacts->records[number];
    const dent_contact_force *force = &state->forces[number];
    *spring = (struct contact_spring){0};
    if (!(force->normal > 0) || work->carried.contacts[number].share == 1 ||
        !may_have_springs(model, work, contact->body_a) || !may_have_springs(model, work, contact->body_b)) {
        return;
    }
    double give = give_of(model, state, contacts, work, contact), velocity[3];
    if (give > 0) {
        spring->stiffness = SPRING_SHARE / give;
        spring->sticks = force->state == DENT_ACTION_STICKING;
        separation(model, state, contacts, work, contact, state->positions, SIM_NONE, NULL, spring->anchor);
        relative_velocity(model, state, contact, velocity);
        sim_add_scaled(spring->anchor, h, velocity);
        sim_add_scaled(velocity, -sim_dot(velocity, contact->normal), contact->normal);
        spring->slip_speed = sqrt(sim_dot(velocity, velocity));
        work->springs->any = true;
    }
}

/* Calls for every elastic vertex of every spring: first to count, then to fill. */
static void list_visits(const struct sim_model *model, const struct contact_set *contacts,
                        struct contact_springs *springs, bool fill)
{
    for (uint64_t i = 0; i < contacts->count; i++) {
        for (int s = 0; s < 2 && springs->springs[i].stiffness > 0; s++) {
            struct contact_side side = contact_side(model, &contacts->records[i], s);
            for (int k = 0; k < 4; k++) {
                size_t v = side.vertices[k] != SIM_NONE ? side.first + side.vertices[k] : SIM_NONE;
                if (v == SIM_NONE || side.weights[k] == 0 || model->elastic->slots[v] == SIM_NONE) {
                    continue;
                }
                if (fill) {
                    springs->visits[springs->starts[v + 1]++] =
                        (struct spring_visit){(uint32_t)i, side.sign * side.weights[k]};
                } else {
                    springs->starts[v + 2]++;
                }
            }
        }
    }
}

dent_status springs_reserve(const struct sim_model *model, const struct contact_set *contacts,
                            struct elastic_work *work)
{
    struct contact_springs *springs = work->springs;
    dent_status status = sim_reserve(model->context, (void **)&springs->springs, &springs->spring_capacity,
                                     contacts->count, sizeof *springs->springs);
    if (status == DENT_OK) {
        status = sim_reserve(model->context, (void **)&springs->visits, &springs->visit_capacity, 8 * contacts->count,
                             sizeof *springs->visits);
    }
    return status;
}

void springs_begin(const struct sim_model *model, const struct sim_state *state, const struct contact_set *contacts,
                   struct elastic_work *work)
{
    struct contact_springs *springs = work->springs;
    springs->any = false;
    for (uint64_t i = 0; i < contacts->count; i++) {
        begin_spring(model, state, contacts, work, i);
    }
    if (springs->any) {
        memset(springs->starts, 0, ((size_t)model->vertex_count + 2) * sizeof *springs->starts);
        list_visits(model, contacts, springs, false);
        for (uint32_t v = 0; v < model->vertex_count; v++) {
            springs->starts[v + 2] += springs->starts[v + 1];
        }
        list_visits(model, contacts, springs, true);
    }
}

/* ---- in the sweep -------------------------------------------------------------------------------------------- */

void springs_follow(const struct sim_model *model, const struct sim_state *state, struct elastic_work *work)
{
    if (work->springs->any) {
        memcpy(work->springs->copies, state->positions, 3 * (size_t)model->vertex_count * sizeof(double));
    }
}

void springs_colour_done(const struct sim_model *model, const struct sim_state *state, struct elastic_work *work,
                         uint32_t begin, uint32_t end)
{
    if (work->springs->any) {
        for (uint32_t slot = begin; slot < end; slot++) {
            size_t v = model->elastic->vertices[slot];
            memcpy(work->springs->copies + 3 * v, state->positions + 3 * v, 3 * sizeof(double));
        }
    }
}

bool springs_any(const struct elastic_work *work)
{
    return work->springs->any;
}

/* On side a, without the carried force. */
static void spring_force(const struct contact_spring *spring, const double *normal, const double *apart,
                         double force[3])
{
    double off[3];
    sim_subtract(apart, spring->anchor, off);
    double along = sim_dot(off, normal);
    for (int axis = 0; axis < 3; axis++) {
        double across = spring->sticks ? off[axis] - along * normal[axis] : 0;
        force[axis] = -spring->stiffness * (along * normal[axis] + across);
    }
}

void springs_add(const struct sim_model *model, const struct sim_state *state, const struct contact_set *contacts,
                 const struct elastic_work *work, uint32_t vertex, struct vertex_system *system)
{
    const struct contact_springs *springs = work->springs;
    const double *x = state->positions + 3 * (size_t)vertex;
    for (uint32_t t = springs->starts[vertex]; t < springs->starts[vertex + 1]; t++) {
        const struct spring_visit *visit = &springs->visits[t];
        const struct contact_spring *spring = &springs->springs[visit->contact];
        const dent_contact *contact = &contacts->records[visit->contact];
        double apart[3], force[3];
        separation(model, state, contacts, work, contact, springs->copies, vertex, x, apart);
        spring_force(spring, contact->normal, apart, force);
        sim_add_scaled(system->force, visit->weight, force);
        double along = 2 * visit->weight * visit->weight * spring->stiffness, across = spring->sticks ? along : 0;
        system_add_diagonal(system, across);
        system_add_direction(system, along - across, contact->normal);
    }
}

/* ---- pieces as a whole --------------------------------------------------------------------------------------- */

static void system_add(double stiffness[6], double factor, const double *direction)
{
    struct vertex_system system = {.force = {0, 0, 0}};
    memcpy(system.stiffness, stiffness, sizeof system.stiffness);
    system_add_direction(&system, factor, direction);
    memcpy(stiffness, system.stiffness, sizeof system.stiffness);
}

/* factor * (|arm|^2 I - arm arm^T): what resists a rotation. */
static void system_add_turning(double stiffness[6], double factor, const double *arm)
{
    double square = factor * sim_dot(arm, arm);
    stiffness[0] += square;
    stiffness[3] += square;
    stiffness[5] += square;
    system_add(stiffness, -factor, arm);
}

static void add_piece_inertia(const struct sim_model *model, const struct sim_state *state, struct elastic_work *work,
                              uint32_t piece, bool turning)
{
    double h = model->substep;
    const struct elastic_mesh *mesh = model->elastic;
    struct piece_system *system = &work->springs->systems[piece];
    for (uint32_t k = mesh->piece_starts[piece]; k < mesh->piece_starts[piece + 1]; k++) {
        size_t v = mesh->piece_vertices[k];
        double inertia = model->masses[v] / (h * h), lack[3], arm[3], moment[3];
        sim_subtract(work->targets + 3 * v, state->positions + 3 * v, lack);
        if (turning) {
            sim_subtract(state->positions + 3 * v, system->center, arm);
            sim_cross(arm, lack, moment);
            sim_add_scaled(system->push, inertia, moment);
            system_add_turning(system->stiffness, inertia, arm);
        } else {
            sim_add_scaled(system->push, inertia, lack);
        }
    }
    for (int n = 0; n < 6 && !turning; n++) {
        system->stiffness[n] = n == 0 || n == 3 || n == 5 ? system->mass / (h * h) : 0;
    }
}

static void add_piece_spring(const struct sim_model *model, const struct sim_state *state,
                             const struct contact_set *contacts, struct elastic_work *work, uint64_t number,
                             bool turning)
{
    const struct contact_spring *spring = &work->springs->springs[number];
    const dent_contact *contact = &contacts->records[number];
    double apart[3], force[3], along = 2 * spring->stiffness, across = spring->sticks ? along : 0;
    separation(model, state, contacts, work, contact, state->positions, SIM_NONE, NULL, apart);
    spring_force(spring, contact->normal, apart, force);
    for (int s = 0; s < 2; s++) {
        struct contact_side side = contact_side(model, contact, s);
        uint32_t piece = side.vertices[0] != SIM_NONE ? work->springs->pieces[side.first + side.vertices[0]] : SIM_NONE;
        if (piece == SIM_NONE) {
            continue;
        }
        struct piece_system *system = &work->springs->systems[piece];
        if (!turning) {
            sim_add_scaled(system->push, side.sign, force);
            system->stiffness[0] += across;
            system->stiffness[3] += across;
            system->stiffness[5] += across;
            system_add(system->stiffness, along - across, contact->normal);
            continue;
        }
        double point[3] = {0, 0, 0}, arm[3], moment[3], lever[3];
        for (int k = 0; k < 4; k++) {
            if (side.vertices[k] != SIM_NONE) {
                sim_add_scaled(point, side.weights[k], state->positions + 3 * (side.first + side.vertices[k]));
            }
        }
        sim_subtract(point, system->center, arm);
        sim_cross(arm, force, moment);
        sim_add_scaled(system->push, side.sign, moment);
        sim_cross(arm, contact->normal, lever);
        system_add(system->stiffness, along - across, lever);
        system_add_turning(system->stiffness, across, arm);
    }
}

static void move_piece(const struct sim_model *model, struct sim_state *state, const struct elastic_work *work,
                       uint32_t piece, bool turning)
{
    const struct elastic_mesh *mesh = model->elastic;
    const struct piece_system *system = &work->springs->systems[piece];
    double move[3];
    elastic_solve_symmetric(system->stiffness, system->push, move);
    if (!isfinite(move[0] + move[1] + move[2])) {
        return; /* a piece without extent cannot be turned */
    }
    if (turning) {
        elastic_limit_angle(move);
    }
    for (uint32_t k = mesh->piece_starts[piece]; k < mesh->piece_starts[piece + 1]; k++) {
        double *x = state->positions + 3 * (size_t)mesh->piece_vertices[k], arm[3], turn[3];
        sim_subtract(x, system->center, arm);
        sim_cross(move, arm, turn);
        sim_add_scaled(x, 1, turning ? turn : move);
    }
}

static void begin_piece(const struct sim_model *model, const struct sim_state *state, struct elastic_work *work,
                        uint32_t piece)
{
    const struct elastic_mesh *mesh = model->elastic;
    struct piece_system *system = &work->springs->systems[piece];
    *system = (struct piece_system){.has_springs = system->has_springs};
    for (uint32_t k = mesh->piece_starts[piece]; k < mesh->piece_starts[piece + 1]; k++) {
        size_t v = mesh->piece_vertices[k];
        system->mass += model->masses[v];
        sim_add_scaled(system->center, model->masses[v], state->positions + 3 * v);
    }
    for (int axis = 0; axis < 3; axis++) {
        system->center[axis] /= system->mass;
    }
}

static void mark_pieces(const struct sim_model *model, const struct contact_set *contacts, struct elastic_work *work)
{
    for (uint32_t p = 0; p < model->elastic->piece_count; p++) {
        work->springs->systems[p].has_springs = false;
    }
    for (uint64_t i = 0; i < contacts->count; i++) {
        for (int s = 0; s < 2 && work->springs->springs[i].stiffness > 0; s++) {
            struct contact_side side = contact_side(model, &contacts->records[i], s);
            size_t v = side.vertices[0] != SIM_NONE ? side.first + side.vertices[0] : SIM_NONE;
            if (v != SIM_NONE && work->springs->pieces[v] != SIM_NONE) {
                work->springs->systems[work->springs->pieces[v]].has_springs = true;
            }
        }
    }
}

void springs_move_pieces(const struct sim_model *model, struct sim_state *state, const struct contact_set *contacts,
                         struct elastic_work *work)
{
    struct contact_springs *springs = work->springs;
    if (!springs->any) {
        return;
    }
    mark_pieces(model, contacts, work);
    for (int turning = 0; turning < 2; turning++) {
        for (uint32_t p = 0; p < model->elastic->piece_count; p++) {
            if (springs->systems[p].has_springs) {
                begin_piece(model, state, work, p);
                add_piece_inertia(model, state, work, p, turning);
            }
        }
        for (uint64_t i = 0; i < contacts->count; i++) {
            if (springs->springs[i].stiffness > 0) {
                add_piece_spring(model, state, contacts, work, i, turning);
            }
        }
        for (uint32_t p = 0; p < model->elastic->piece_count; p++) {
            if (springs->systems[p].has_springs) {
                move_piece(model, state, work, p, turning);
            }
        }
    }
    springs_follow(model, state, work);
}

void springs_add_to_blocks(const struct sim_model *model, const struct sim_state *state,
                           const struct contact_set *contacts, struct elastic_work *work)
{
    if (!work->springs->any || model->bonds->block_count == 0) {
        return;
    }
    for (uint64_t i = 0; i < contacts->count; i++) {
        const struct contact_spring *spring = &work->springs->springs[i];
        const dent_contact *contact = &contacts->records[i];
        for (int s = 0; s < 2 && spring->stiffness > 0; s++) {
            struct contact_side side = contact_side(model, contact, s);
            struct rigid_block *block = bonds_block(model, work, side.body);
            if (block) {
                double apart[3], force[3], own[3] = {0, 0, 0}, point[3];
                separation(model, state, contacts, work, contact, state->positions, SIM_NONE, NULL, apart);
                spring_force(spring, contact->normal, apart, force);
                sim_add_scaled(own, side.sign, force);
                contact_rigid_point(model, state, contacts, &side, point);
                bonds_add_spring(state, block, point, own, contact->normal, 2 * spring->stiffness,
                                 spring->sticks ? 2 * spring->stiffness : 0);
            }
        }
    }
}

/* ---- what the springs did ------------------------------------------------------------------------------------ */

/* Change of the relative velocity per impulse, as if the vertices were free. */
static double mobility_of(const struct sim_model *model, const struct sim_state *state, const struct elastic_work *work,
                          const dent_contact *contact)
{
    double sum = 0;
    for (int s = 0; s < 2; s++) {
        struct contact_side side = contact_side(model, contact, s);
        const struct rigid_block *block = bonds_block(model, work, side.body);
        if (block) {
            sum += bonds_inertial_give(model, state, block, side.point, contact->normal) /
                   (model->substep * model->substep);
        }
        for (int k = 0; k < 4; k++) {
            if (side.vertices[k] != SIM_NONE) {
                sum += side.weights[k] * side.weights[k] * model->inverse_masses[side.first + side.vertices[k]];
            }
        }
    }
    return sum;
}

/* Of the force of a spring, the part that moves no vertex further than `carried_part` allows, elasticity included: all
 * of it, unless a sweep threw the two points far apart. (Stiff tissue under load bears forces that would throw its free
 * vertices through the room; these must stay whole.) */
static double part_to_keep(const struct sim_model *model, const dent_contact *contact, const double *force)
{
    double h = model->substep, size = sqrt(sim_dot(force, force)), part = 1;
    for (int s = 0; s < 2; s++) {
        struct contact_side side = contact_side(model, contact, s);
        for (int k = 0; k < 4; k++) {
            if (side.vertices[k] != SIM_NONE && model->elastic->slots[side.first + side.vertices[k]] != SIM_NONE) {
                size_t v = side.first + side.vertices[k];
                double here =
                    carried_part(model, v, 0, h * h * fabs(side.weights[k]) * model->inverse_masses[v] * size);
                part = here < part ? here : part;
            }
        }
    }
    return part;
}

/* The carried force becomes that of the spring, as far as a contact can give it; the rest is taken out entirely. */
static void end_spring(const struct sim_model *model, const struct sim_state *state, const struct contact_set *contacts,
                       struct elastic_work *work, uint64_t number)
{
    double h = model->substep;
    const dent_contact *contact = &contacts->records[number];
    struct carried_contact *carried = &work->carried.contacts[number];
    double apart[3], force[3], before[3], total[3], tangent[3], again[3], excess[3];
    separation(model, state, contacts, work, contact, state->positions, SIM_NONE, NULL, apart);
    spring_force(&work->springs->springs[number], contact->normal, apart, force);
    double part = part_to_keep(model, contact, force);
    for (int axis = 0; axis < 3; axis++) {
        before[axis] = carried->normal * contact->normal[axis] + carried->tangent[axis];
        force[axis] *= part * h;
        total[axis] = before[axis] + force[axis];
    }
    double normal = sim_dot(total, contact->normal);
    for (int axis = 0; axis < 3; axis++) {
        tangent[axis] = total[axis] - normal * contact->normal[axis];
    }
    normal = normal > 0 ? normal : 0;
    /* Friction follows the new normal force: up to its limit; at it where the contact slides so fast that friction
     * cannot stop it in this substep. */
    dent_contact_material material = sim_pair_material(model, contact->material_a, contact->material_b);
    const struct contact_spring *spring = &work->springs->springs[number];
    double size = sqrt(sim_dot(tangent, tangent));
    double most = (spring->sticks ? material.friction_static : material.friction_kinetic) * normal;
    bool slides =
        !spring->sticks && size > 0 && spring->slip_speed > 2 * most * mobility_of(model, state, work, contact);
    for (int axis = 0; axis < 3; axis++) {
        tangent[axis] *= size > most || slides ? most / size : 1;
        double now = normal * contact->normal[axis] + tangent[axis];
        again[axis] = carried->share * (now - before[axis]); /* that share of `before` is taken out already */
        excess[axis] = total[axis] - now;
    }
    for (int s = 0; s < 2; s++) {
        struct contact_side side = contact_side(model, contact, s);
        struct rigid_block *block = bonds_block(model, work, side.body);
        if (block) {
            double point[3];
            contact_rigid_point(model, state, contacts, &side, point);
            bonds_take(state, block, point, side.sign, again, excess);
            continue;
        }
        for (int k = 0; k < 4; k++) {
            if (side.vertices[k] != SIM_NONE) {
                size_t v = side.first + side.vertices[k];
                double move = side.sign * h * side.weights[k] * model->inverse_masses[v];
                if (move == 0) {
                    continue; /* held, or moved by its motion */
                }
                sim_add_scaled(work->targets + 3 * v, move, force);
                work->carried.any = true;
                sim_add_scaled(work->carried.taken_out + 3 * v, move, again);
                sim_add_scaled(work->carried.taken_out + 3 * v, move, excess);
            }
        }
    }
    carried->normal = normal;
    memcpy(carried->tangent, tangent, sizeof tangent);
}

void springs_end(const struct sim_model *model, const struct sim_state *state, const struct contact_set *contacts,
                 struct elastic_work *work)
{
    for (uint64_t i = 0; i < contacts->count && work->springs->any; i++) {
        if (work->springs->springs[i].stiffness > 0) {
            end_spring(model, state, contacts, work, i);
        }
    }
}
