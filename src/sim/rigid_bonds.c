/* Rigid bodies with elastic solids bonded to them: a tooth in its ligament.
 *
 * Ties that are solved after the elastic sweep hand on no more force than the inertia of a vertex can carry in a
 * substep: for a light stiff solid a small part of the truth. So vertices that a hard attachment ties to a rigid body
 * become part of it: their mass is added to the body's, they move with it, and the body is a block of the sweep. After
 * each sweep over the vertices it goes to the minimum over its six degrees of freedom of
 *
 *     inertia + energy of the edges and tetrahedra between bonded and other vertices + springs of its contacts,
 *
 * by one step of Gauss and Newton: exact in translation, where the energy is quadratic (the volume of a tetrahedron is
 * linear in a common translation of some of its corners), and to first order in the angle. The matrix is made once per
 * detection; forces in every sweep. Elements with bonded corners only do not change. Contact forces are carried as for elastic vertices (contact_loop.c), with the share that the block
 * itself answers.
 *
 * Soft attachments of a rigid body to space or to a prescribed body are springs of the same sum, for the same reason.
 *
 * Only vertices of solids that are held elsewhere and touch nothing are bonded: nobody else pushes them, and momentum,
 * which the unfinished sweep keeps to its accuracy only, goes to what holds the solid. Other ties: attachments.c. */
#include "rigid_bonds.h"

#include <math.h>
#include <string.h>

struct rigid_block *bonds_block(const dent_sim *sim, uint32_t body)
{
    uint32_t rigid = sim->bodies[body].rigid;
    if (rigid == SIM_NONE || sim->bonds->block_of_rigid[rigid] == SIM_NONE) {
        return NULL;
    }
    return &sim->bonds->blocks[sim->bonds->block_of_rigid[rigid]];
}

/* ---- which vertices ---------------------------------------------------------------------------------------------- */

static bool is_host(const dent_sim *sim, uint32_t body)
{
    for (uint32_t b = 0; b < sim->body_count; b++) {
        if (sim->bodies[b].kind == DENT_SIM_EMBEDDED && sim->bodies[b].host == body) {
            return true;
        }
    }
    return false;
}

static bool may_bond(const dent_sim *sim, const struct sim_attachment *tie)
{
    if (tie->compliance > 0 || tie->length > 0 || tie->body_b == SIM_NONE ||
        sim->bodies[tie->body_b].rigid == SIM_NONE) {
        return false;
    }
    const struct sim_body *solid = &sim->bodies[tie->body_a];
    return solid->kind == DENT_SIM_SOLID && solid->fixed_count > 0 && solid->collision_mask == 0 &&
           sim->inverse_masses[tie->vertex_a] > 0 && !is_host(sim, tie->body_a);
}

static void bond(dent_sim *sim, uint32_t attachment, struct rigid_bond *bond)
{
    struct sim_attachment *tie = &sim->attachments[attachment];
    const struct sim_body *owner = &sim->bodies[tie->body_b];
    const double *local = sim->rigids[owner->rigid].local;
    *bond = (struct rigid_bond){tie->vertex_a, attachment, {0, 0, 0}};
    for (int k = 0; k < 4; k++) {
        if (tie->vertices_b[k] != SIM_NONE) {
            sim_add_scaled(bond->local, tie->weights_b[k],
                           local + 3 * (size_t)(tie->vertices_b[k] - owner->first_vertex));
        }
    }
    tie->bonded = true;
}

/* Is it a spring of this rigid body, and at which end? */
static bool is_spring(const dent_sim *sim, const struct sim_attachment *tie, uint32_t body, bool *is_b)
{
    bool held_a = sim->bodies[tie->body_a].kind == DENT_SIM_PRESCRIBED;
    bool held_b = tie->body_b == SIM_NONE || sim->bodies[tie->body_b].kind == DENT_SIM_PRESCRIBED;
    *is_b = tie->body_b == body;
    return tie->compliance > 0 && ((tie->body_a == body && held_b) || (*is_b && held_a));
}

static void add_springs(dent_sim *sim, struct rigid_block *block)
{
    struct rigid_bonds *bonds = sim->bonds;
    const struct sim_rigid *rigid = &sim->rigids[block->rigid];
    uint32_t first = sim->bodies[rigid->body].first_vertex;
    block->spring_begin = bonds->spring_count;
    for (uint32_t n = 0; n < sim->attachment_count; n++) {
        struct sim_attachment *tie = &sim->attachments[n];
        struct bond_spring spring = {.attachment = n};
        if (!is_spring(sim, tie, rigid->body, &spring.is_b)) {
            continue;
        }
        for (int k = 0; k < 4 && spring.is_b; k++) {
            if (tie->vertices_b[k] != SIM_NONE) {
                sim_add_scaled(spring.local, tie->weights_b[k], rigid->local + 3 * (size_t)(tie->vertices_b[k] - first));
            }
        }
        if (!spring.is_b) {
            sim_add_scaled(spring.local, 1, rigid->local + 3 * (size_t)(tie->vertex_a - first));
        }
        tie->bonded = true;
        bonds->springs[bonds->spring_count++] = spring;
    }
    block->spring_end = bonds->spring_count;
}

/* The bonds of a rigid body; its mass, centre and inertia with them. */
static void make_block(dent_sim *sim, uint32_t rigid, struct rigid_block *block)
{
    struct rigid_bonds *bonds = sim->bonds;
    struct rigid_bond *first = bonds->bonds + bonds->bond_count;
    *block = (struct rigid_block){.rigid = rigid, .bond_begin = bonds->bond_count};
    for (uint32_t n = 0; n < sim->attachment_count; n++) {
        if (sim->attachments[n].body_b == sim->rigids[rigid].body && may_bond(sim, &sim->attachments[n])) {
            bond(sim, n, &bonds->bonds[bonds->bond_count++]);
            sim->inverse_masses[sim->attachments[n].vertex_a] = 0; /* the body moves it from now on */
        }
    }
    block->bond_end = bonds->bond_count;
    uint32_t count = block->bond_end - block->bond_begin;
    double moments[10] = {0}; /* mass, first, second (xx xy xz yy yz zz), in the body's frame */
    for (uint32_t k = 0; k < count; k++) {
        double mass = sim->masses[first[k].vertex];
        const double *at = first[k].local;
        moments[0] += mass;
        sim_add_scaled(moments + 1, mass, at);
        for (int i = 0, n = 4; i < 3; i++) {
            for (int j = i; j < 3; j++, n++) {
                moments[n] += mass * at[i] * at[j];
            }
        }
    }
    double shift[3];
    rigid_add_mass(sim, rigid, moments, shift);
    for (uint32_t k = 0; k < count; k++) {
        sim_subtract(first[k].local, shift, first[k].local);
    }
    add_springs(sim, block);
}

dent_status bonds_find(dent_sim *sim)
{
    struct rigid_bonds *bonds = sim_allocate(sim, 1, sizeof *bonds);
    if (!bonds) {
        return sim_no_memory(sim);
    }
    sim->bonds = bonds;
    bonds->block_of_rigid = sim_allocate(sim, sim->rigid_count, sizeof *bonds->block_of_rigid);
    bonds->blocks = sim_allocate(sim, sim->rigid_count, sizeof *bonds->blocks);
    bonds->bonds = sim_allocate(sim, sim->attachment_count, sizeof *bonds->bonds);
    bonds->springs = sim_allocate(sim, sim->attachment_count, sizeof *bonds->springs);
    if (!bonds->block_of_rigid || !bonds->blocks || !bonds->bonds || !bonds->springs) {
        return sim_no_memory(sim);
    }
    for (uint32_t r = 0; r < sim->rigid_count; r++) {
        bonds->block_of_rigid[r] = SIM_NONE;
        bool any = false;
        for (uint32_t n = 0; n < sim->attachment_count && !any; n++) {
            bool is_b;
            any = (sim->attachments[n].body_b == sim->rigids[r].body && may_bond(sim, &sim->attachments[n])) ||
                  is_spring(sim, &sim->attachments[n], sim->rigids[r].body, &is_b);
        }
        if (any) {
            bonds->block_of_rigid[r] = bonds->block_count;
            make_block(sim, r, &bonds->blocks[bonds->block_count++]);
        }
    }
    return DENT_OK;
}

/* ---- which elements ---------------------------------------------------------------------------------------------- */

static void add_edge(struct rigid_bonds *bonds, const uint32_t *owners, uint32_t block, uint32_t i, uint32_t j,
                     const double values[2], bool fill)
{
    if (owners[i] == block && owners[j] != block) {
        if (fill) {
            bonds->edges[bonds->edge_count] =
                (struct bond_edge){i, j, values[0], values[1], owners[j] == SIM_NONE ? 1 : 2};
        }
        bonds->edge_count++;
    }
}

static void list_edges(dent_sim *sim, const uint32_t *owners, uint32_t block, bool fill)
{
    const struct elastic_mesh *mesh = &sim->elastic;
    for (uint32_t place = 0; place < mesh->vertex_count; place++) {
        for (uint32_t e = mesh->edge_starts[place]; e < mesh->edge_starts[place + 1]; e++) {
            const struct edge_visit *edge = &mesh->edges[e];
            const double values[2] = {edge->weight, edge->damper};
            add_edge(sim->bonds, owners, block, edge->other, mesh->vertices[place], values, fill);
        }
    }
    for (uint64_t n = 0; n < mesh->held_count; n++) {
        const struct held_edge *edge = &mesh->held[n];
        const double values[2] = {edge->weight, edge->damper};
        add_edge(sim->bonds, owners, block, edge->i, edge->j, values, fill);
        add_edge(sim->bonds, owners, block, edge->j, edge->i, values, fill);
    }
}

/* Edges within a block: they never change, but pull. */
static void list_inner(dent_sim *sim, const uint32_t *owners, bool fill)
{
    struct rigid_bonds *bonds = sim->bonds;
    bonds->inner_count = 0;
    for (uint64_t n = 0; n < sim->elastic.held_count; n++) {
        const struct held_edge *edge = &sim->elastic.held[n];
        if (owners[edge->i] != SIM_NONE && owners[edge->i] == owners[edge->j]) {
            if (fill) {
                bonds->inner[bonds->inner_count] = *edge;
            }
            bonds->inner_count++;
        }
    }
}

/* The volume does not change when all four corners move: where three are bonded, the fourth moves the other way. Puts
 * the corners that are to move last, keeping the orientation. */
static void arrange_tet(struct bond_tet *tet, uint32_t bonded)
{
    static const uint8_t even[12][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 0, 3, 2}, {1, 2, 0, 3}, {1, 3, 2, 0},
                                        {2, 0, 1, 3}, {2, 1, 3, 0}, {2, 3, 0, 1}, {3, 0, 2, 1}, {3, 1, 0, 2}, {3, 2, 1, 0}};
    uint32_t count = (bonded & 1) + (bonded >> 1 & 1) + (bonded >> 2 & 1) + (bonded >> 3), corners[4];
    uint32_t moving = count == 3 ? 15 - bonded : bonded, n = 0;
    tet->two = count == 2;
    tet->sign = count == 3 ? -1 : 1;
    memcpy(corners, tet->corners, sizeof corners);
    while (!(moving >> even[n][3] & 1) || (tet->two && !(moving >> even[n][2] & 1))) {
        n++;
    }
    for (int k = 0; k < 4; k++) {
        tet->corners[k] = corners[even[n][k]];
    }
}

static void list_tets(dent_sim *sim, const uint32_t *owners, uint32_t block, bool fill)
{
    struct rigid_bonds *bonds = sim->bonds;
    for (uint64_t t = 0; t < sim->elastic.tet_count; t++) {
        const struct tet_visit *tet = &sim->elastic.tet_energy[t];
        struct bond_tet own = {
            .corners = {tet->p, tet->q, tet->r, tet->reserved}, .stiffness = tet->stiffness, .target = tet->target};
        uint32_t bonded = 0;
        own.left = 1;
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t owner = owners[own.corners[k]];
            bonded |= owner == block ? 1u << k : 0;
            own.left = owner != block && owner != SIM_NONE ? 2 : own.left;
        }
        if (bonded != 0 && bonded != 15) {
            if (fill) {
                arrange_tet(&own, bonded);
                bonds->tets[bonds->tet_count] = own;
            }
            bonds->tet_count++;
        }
    }
}

dent_status bonds_build(dent_sim *sim)
{
    struct rigid_bonds *bonds = sim->bonds;
    if (bonds->block_count == 0) {
        return DENT_OK;
    }
    uint32_t *owners = dent_allocate(sim->context, sim->vertex_count, sizeof *owners);
    if (!owners) {
        return sim_no_memory(sim);
    }
    memset(owners, 0xff, sim->vertex_count * sizeof *owners);
    for (uint32_t n = 0; n < bonds->block_count; n++) {
        for (uint32_t k = bonds->blocks[n].bond_begin; k < bonds->blocks[n].bond_end; k++) {
            owners[bonds->bonds[k].vertex] = n;
        }
    }
    for (int fill = 0; fill < 2; fill++) {
        bonds->edge_count = bonds->tet_count = 0;
        list_inner(sim, owners, fill);
        for (uint32_t n = 0; n < bonds->block_count; n++) {
            struct rigid_block *block = &bonds->blocks[n];
            block->edge_begin = bonds->edge_count;
            block->tet_begin = bonds->tet_count;
            list_edges(sim, owners, n, fill);
            list_tets(sim, owners, n, fill);
            block->edge_end = bonds->edge_count;
            block->tet_end = bonds->tet_count;
        }
        if (!fill) {
            bonds->edges = sim_allocate(sim, bonds->edge_count, sizeof *bonds->edges);
            bonds->tets = sim_allocate(sim, bonds->tet_count, sizeof *bonds->tets);
            bonds->inner = sim_allocate(sim, (size_t)bonds->inner_count, sizeof *bonds->inner);
            if (!bonds->edges || !bonds->tets || !bonds->inner) {
                break;
            }
        }
    }
    dent_release(sim->context, owners, sim->vertex_count, sizeof *owners);
    return bonds->edges && bonds->tets && bonds->inner ? DENT_OK : sim_no_memory(sim);
}

/* ---- six equations ----------------------------------------------------------------------------------------------- */

/* Force f at `arm` from the centre. */
static void add_force(double force[6], const double *arm, double factor, const double *f)
{
    double moment[3];
    sim_cross(arm, f, moment);
    sim_add_scaled(force, factor, f);
    sim_add_scaled(force + 3, factor, moment);
}

/* factor g g^T, lower half. */
static void add_square(double matrix[6][6], double factor, const double g[6])
{
    for (int i = 0; i < 6; i++) {
        double left = factor * g[i];
        for (int j = 0; j <= i; j++) {
            matrix[i][j] += left * g[j];
        }
    }
}

/* factor |t + angle x arm|^2, lower half: given the sums of factor, factor arm, factor arm arm^T. */
static void add_isotropic(double matrix[6][6], double sum, const double first[3], const double second[6])
{
    double trace = second[0] + second[3] + second[5];
    for (int i = 0; i < 3; i++) {
        matrix[i][i] += sum;
        matrix[3 + i][3 + i] += trace;
    }
    matrix[3][3] -= second[0];
    matrix[4][3] -= second[1];
    matrix[5][3] -= second[2];
    matrix[4][4] -= second[3];
    matrix[5][4] -= second[4];
    matrix[5][5] -= second[5];
    /* angle . (arm x t) */
    matrix[3][1] -= first[2];
    matrix[3][2] += first[1];
    matrix[4][0] += first[2];
    matrix[4][2] -= first[0];
    matrix[5][0] -= first[1];
    matrix[5][1] += first[0];
}

static void arm_of(const double *point, const dent_rigid_state *pose, double arm[3])
{
    sim_subtract(point, pose->center, arm);
}

/* How much an edge with a damper resists, beside its weight: `rate` times the square of the change along it. */
static double damper_rate(const struct bond_edge *edge, double square, double inverse_step)
{
    return square > 0 ? edge->damper * inverse_step / square : 0;
}

static void add_edge_forces(const dent_sim *sim, const struct rigid_block *block, double force[6])
{
    const double *positions = sim->state.positions, *previous = sim->previous;
    const double *center = sim->state.rigids[block->rigid].center;
    double sum[3] = {0, 0, 0}, moments[3] = {0, 0, 0}, inverse_step = 1 / sim->substep;
    for (uint32_t e = block->edge_begin; e < block->edge_end; e++) {
        const struct bond_edge *edge = &sim->bonds->edges[e];
        const double *x = positions + 3 * (size_t)edge->vertex, *other = positions + 3 * (size_t)edge->other;
        double difference[3], arm[3], moment[3], pull = edge->weight;
        sim_subtract(other, x, difference);
        sim_subtract(x, center, arm);
        if (edge->damper > 0) {
            double before[3], square = sim_dot(difference, difference);
            sim_subtract(previous + 3 * (size_t)edge->other, previous + 3 * (size_t)edge->vertex, before);
            pull += damper_rate(edge, square, inverse_step) * (square - sim_dot(difference, before));
        }
        sim_cross(arm, difference, moment);
        sim_add_scaled(sum, pull, difference);
        sim_add_scaled(moments, pull, moment);
    }
    sim_add_scaled(force, 1, sum);
    sim_add_scaled(force + 3, 1, moments);
}

static void add_edge_matrix(const dent_sim *sim, const struct rigid_block *block, double matrix[6][6])
{
    const dent_rigid_state *pose = &sim->state.rigids[block->rigid];
    double sum = 0, first[3] = {0, 0, 0}, second[6] = {0}, inverse_step = 1 / sim->substep;
    for (uint32_t e = block->edge_begin; e < block->edge_end; e++) {
        const struct bond_edge *edge = &sim->bonds->edges[e];
        const double *x = sim->state.positions + 3 * (size_t)edge->vertex;
        double along[6], arm[3];
        sim_subtract(sim->state.positions + 3 * (size_t)edge->other, x, along);
        arm_of(x, pose, arm);
        sim_cross(arm, along, along + 3);
        add_square(matrix, edge->left * damper_rate(edge, sim_dot(along, along), inverse_step), along);
        /* Weights of obtuse edges are negative; without them the matrix stays positive and the step a descent. */
        double weight = edge->weight > 0 ? edge->left * edge->weight : 0;
        sum += weight;
        sim_add_scaled(first, weight, arm);
        for (int i = 0, n = 0; i < 3; i++) {
            for (int j = i; j < 3; j++, n++) {
                second[n] += weight * arm[i] * arm[j];
            }
        }
    }
    add_isotropic(matrix, sum, first, second);
}

/* How six times the volume of a tetrahedron changes with the six motions of the block; returns what it is off. Corner 3
 * moves, and corner 2 where `two` says so. */
static inline double volume_change(const dent_sim *sim, const struct bond_tet *tet, const double *center,
                                   double change[6])
{
    const double *positions = sim->state.positions;
    const double *x0 = positions + 3 * (size_t)tet->corners[0], *x1 = positions + 3 * (size_t)tet->corners[1];
    const double *x2 = positions + 3 * (size_t)tet->corners[2], *x3 = positions + 3 * (size_t)tet->corners[3];
    double e1[3], e2[3], e3[3], arm[3], gradient[3];
    sim_subtract(x1, x0, e1);
    sim_subtract(x2, x0, e2);
    sim_subtract(x3, x0, e3);
    sim_subtract(x3, center, arm);
    sim_cross(e1, e2, change);
    sim_cross(arm, change, change + 3);
    double volume = sim_dot(change, e3);
    if (tet->two) {
        double moment[3];
        sim_cross(e3, e1, gradient);
        sim_subtract(x2, center, arm);
        sim_cross(arm, gradient, moment);
        sim_add_scaled(change, 1, gradient);
        sim_add_scaled(change + 3, 1, moment);
    }
    return volume - tet->target;
}

static void add_tet_forces(const dent_sim *sim, const struct rigid_block *block, double force[6])
{
    const double *center = sim->state.rigids[block->rigid].center;
    double sum[6] = {0}, change[6];
    for (uint32_t t = block->tet_begin; t < block->tet_end; t++) {
        const struct bond_tet *tet = &sim->bonds->tets[t];
        double push = -tet->sign * tet->stiffness * volume_change(sim, tet, center, change);
        for (int n = 0; n < 6; n++) {
            sum[n] += push * change[n];
        }
    }
    for (int n = 0; n < 6; n++) {
        force[n] += sum[n];
    }
}

static void add_tet_matrix(const dent_sim *sim, const struct rigid_block *block, double matrix[6][6])
{
    for (uint32_t t = block->tet_begin; t < block->tet_end; t++) {
        const struct bond_tet *tet = &sim->bonds->tets[t];
        double change[6];
        volume_change(sim, tet, sim->state.rigids[block->rigid].center, change);
        add_square(matrix, tet->left * tet->stiffness, change);
    }
}

/* The force of a spring on the rigid body, its point, and its stiffness along and across `direction`. */
struct spring_pull {
    double point[3], force[3], direction[3], along, across;
};

static struct spring_pull pull_of(const dent_sim *sim, const struct rigid_block *block, const struct bond_spring *spring)
{
    const struct sim_attachment *tie = &sim->attachments[spring->attachment];
    const dent_rigid_state *pose = &sim->state.rigids[block->rigid];
    double turn[9], other[3] = {0, 0, 0}, apart[3], stiffness = 1 / tie->compliance;
    struct spring_pull pull = {.direction = {1, 0, 0}, .along = stiffness};
    rigid_rotation(pose->orientation, turn);
    for (int axis = 0; axis < 3; axis++) {
        pull.point[axis] = pose->center[axis] + sim_dot(turn + 3 * axis, spring->local);
    }
    for (int k = 0; k < 4; k++) {
        if (!spring->is_b && tie->body_b != SIM_NONE && tie->vertices_b[k] != SIM_NONE) {
            sim_add_scaled(other, tie->weights_b[k], sim->state.positions + 3 * (size_t)tie->vertices_b[k]);
        }
    }
    if (spring->is_b || tie->body_b == SIM_NONE) {
        memcpy(other, spring->is_b ? sim->state.positions + 3 * (size_t)tie->vertex_a : tie->point, sizeof other);
    }
    sim_subtract(pull.point, other, apart);
    double distance = sqrt(sim_dot(apart, apart)), stretch = distance - tie->length;
    for (int axis = 0; axis < 3 && distance > 0; axis++) {
        pull.direction[axis] = apart[axis] / distance;
        pull.force[axis] = -stiffness * stretch * pull.direction[axis];
    }
    pull.across = distance > 0 && stretch > 0 ? stiffness * (stretch / distance) : 0;
    pull.across = tie->length == 0 ? stiffness : pull.across;
    return pull;
}

static void add_spring_forces(const dent_sim *sim, const struct rigid_block *block, double force[6])
{
    for (uint32_t k = block->spring_begin; k < block->spring_end; k++) {
        struct spring_pull pull = pull_of(sim, block, &sim->bonds->springs[k]);
        double arm[3];
        arm_of(pull.point, &sim->state.rigids[block->rigid], arm);
        add_force(force, arm, 1, pull.force);
    }
}

/* Stiffness at `arm`, along `direction` and across it. */
static void add_stiffness(double matrix[6][6], const double *arm, const double *direction, double along, double across)
{
    double g[6] = {0}, second[6], first[3];
    add_force(g, arm, 1, direction);
    add_square(matrix, along - across, g);
    for (int i = 0, n = 0; i < 3; i++) {
        first[i] = across * arm[i];
        for (int j = i; j < 3; j++, n++) {
            second[n] = across * arm[i] * arm[j];
        }
    }
    add_isotropic(matrix, across, first, second);
}

static void add_spring_matrix(const dent_sim *sim, const struct rigid_block *block, double matrix[6][6])
{
    for (uint32_t k = block->spring_begin; k < block->spring_end; k++) {
        struct spring_pull pull = pull_of(sim, block, &sim->bonds->springs[k]);
        double arm[3];
        arm_of(pull.point, &sim->state.rigids[block->rigid], arm);
        add_stiffness(matrix, arm, pull.direction, pull.along, pull.across);
    }
}

/* Inertia about the pose, in space. */
static void spatial_inertia(const dent_sim *sim, uint32_t rigid, double inertia[9])
{
    double turn[9], half[9];
    rigid_rotation(sim->state.rigids[rigid].orientation, turn);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            half[3 * i + j] = turn[3 * i] * sim->rigids[rigid].inertia[j] +
                              turn[3 * i + 1] * sim->rigids[rigid].inertia[3 + j] +
                              turn[3 * i + 2] * sim->rigids[rigid].inertia[6 + j];
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            inertia[3 * i + j] = sim_dot(half + 3 * i, turn + 3 * j);
        }
    }
}

/* Twice the vector part of target * conjugate(now): the angle between them, to first order. */
static void angle_between(const double *now, const double *target, double angle[3])
{
    double cross[3], w = now[0] * target[0] + sim_dot(now + 1, target + 1);
    sim_cross(target + 1, now + 1, cross);
    for (int i = 0; i < 3; i++) {
        angle[i] = (w < 0 ? -2 : 2) * (now[0] * target[1 + i] - target[0] * now[1 + i] - cross[i]);
    }
}

static void add_inertia(const dent_sim *sim, const struct rigid_block *block, double h, double force[6])
{
    const dent_rigid_state *pose = &sim->state.rigids[block->rigid];
    double inertia[9], angle[3], mass = sim->rigids[block->rigid].mass / (h * h);
    spatial_inertia(sim, block->rigid, inertia);
    angle_between(pose->orientation, block->target.orientation, angle);
    for (int i = 0; i < 3; i++) {
        force[i] += mass * (block->target.center[i] - pose->center[i]);
        force[3 + i] += sim_dot(inertia + 3 * i, angle) / (h * h);
    }
}

static void add_inertia_matrix(const dent_sim *sim, const struct rigid_block *block, double h, double matrix[6][6])
{
    double inertia[9];
    spatial_inertia(sim, block->rigid, inertia);
    for (int i = 0; i < 3; i++) {
        matrix[i][i] += sim->rigids[block->rigid].mass / (h * h);
        for (int j = 0; j <= i; j++) {
            matrix[3 + i][3 + j] += inertia[3 * i + j] / (h * h);
        }
    }
}

static void factorise(double matrix[6][6], double factor[6][6])
{
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = matrix[i][j];
            for (int k = 0; k < j; k++) {
                sum -= factor[i][k] * factor[j][k];
            }
            factor[i][j] = i == j ? sqrt(sum > 0 ? sum : 1e-300) : sum / factor[j][j];
        }
    }
}

static void solve_lower(double factor[6][6], double *x)
{
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < i; k++) {
            x[i] -= factor[i][k] * x[k];
        }
        x[i] /= factor[i][i];
    }
}

static void solve_upper(double factor[6][6], double *x)
{
    for (int i = 5; i >= 0; i--) {
        for (int k = i + 1; k < 6; k++) {
            x[i] -= factor[k][i] * x[k];
        }
        x[i] /= factor[i][i];
    }
}

static void assemble(const dent_sim *sim, struct rigid_block *block)
{
    memset(block->system.force, 0, sizeof block->system.force);
    memcpy(block->system.matrix, block->matrix, sizeof block->matrix);
    add_inertia(sim, block, sim->substep, block->system.force);
    add_edge_forces(sim, block, block->system.force);
    add_tet_forces(sim, block, block->system.force);
    add_spring_forces(sim, block, block->system.force);
}

/* ---- motion ------------------------------------------------------------------------------------------------------ */

static void place_block(dent_sim *sim, const struct rigid_block *block)
{
    const dent_rigid_state *pose = &sim->state.rigids[block->rigid];
    double turn[9];
    rigid_rotation(pose->orientation, turn);
    for (uint32_t k = block->bond_begin; k < block->bond_end; k++) {
        const struct rigid_bond *bond = &sim->bonds->bonds[k];
        double *x = sim->state.positions + 3 * (size_t)bond->vertex;
        for (int axis = 0; axis < 3; axis++) {
            x[axis] = pose->center[axis] + sim_dot(turn + 3 * axis, bond->local);
        }
    }
}

void bonds_place_vertices(dent_sim *sim)
{
    for (uint32_t n = 0; n < sim->bonds->block_count; n++) {
        place_block(sim, &sim->bonds->blocks[n]);
    }
}

/* Moves a pose by an impulse and its moment during h, as if it were free. */
static void drift(dent_rigid_state *pose, const double impulse[6], double h)
{
    double inverse[9], angle[3];
    dent_rigid_inverse_inertia(pose, inverse);
    for (int i = 0; i < 3; i++) {
        angle[i] = h * sim_dot(inverse + 3 * i, impulse + 3);
    }
    sim_add_scaled(pose->center, h * pose->inverse_mass, impulse);
    rigid_turn(pose, angle);
}

void bonds_refresh(dent_sim *sim)
{
    for (uint32_t n = 0; n < sim->bonds->block_count; n++) {
        struct rigid_block *block = &sim->bonds->blocks[n];
        memset(block->matrix, 0, sizeof block->matrix);
        add_inertia_matrix(sim, block, sim->substep, block->matrix);
        add_edge_matrix(sim, block, block->matrix);
        add_tet_matrix(sim, block, block->matrix);
        add_spring_matrix(sim, block, block->matrix);
        factorise(block->matrix, block->factor);
    }
}

void bonds_begin(dent_sim *sim, double h)
{
    for (uint32_t n = 0; n < sim->bonds->block_count; n++) {
        struct rigid_block *block = &sim->bonds->blocks[n];
        block->target = sim->state.rigids[block->rigid];
        drift(&block->target, block->carried, h);
        memset(block->carried, 0, sizeof block->carried);
        /* The sweep starts where a body that is held will be: gravity moves it no further. */
        sim_add_scaled(sim->state.rigids[block->rigid].center, -h * h, sim->state.gravity);
        place_block(sim, block);
    }
}

void bonds_take_out(dent_sim *sim, double h)
{
    for (uint32_t n = 0; n < sim->bonds->block_count; n++) {
        struct rigid_block *block = &sim->bonds->blocks[n];
        dent_rigid_state *pose = &sim->state.rigids[block->rigid];
        drift(pose, block->taken, -h);
        solve_lower(block->factor, block->excess);
        solve_upper(block->factor, block->excess);
        sim_add_scaled(pose->center, -1 / h, block->excess);
        double back[3] = {-block->excess[3] / h, -block->excess[4] / h, -block->excess[5] / h};
        rigid_turn(pose, back);
        memset(block->taken, 0, sizeof block->taken);
        memset(block->excess, 0, sizeof block->excess);
    }
}

static void assemble_task(void *data, uint32_t number, uint32_t worker)
{
    (void)worker;
    dent_sim *sim = data;
    assemble(sim, &sim->bonds->blocks[number]);
}

static void move_task(void *data, uint32_t number, uint32_t worker)
{
    (void)worker;
    dent_sim *sim = data;
    struct rigid_block *block = &sim->bonds->blocks[number];
    dent_rigid_state *pose = &sim->state.rigids[block->rigid];
    double factor[6][6], move[6];
    memcpy(move, block->system.force, sizeof move);
    factorise(block->system.matrix, factor);
    solve_lower(factor, move);
    solve_upper(factor, move);
    sim_add_scaled(pose->center, 1, move);
    rigid_turn(pose, move + 3);
    place_block(sim, block);
}

void bonds_assemble(dent_sim *sim)
{
    if (sim->bonds->block_count > 0) {
        dent_parallel_for(sim->context, sim->bonds->block_count, assemble_task, sim);
    }
}

void bonds_move(dent_sim *sim)
{
    if (sim->bonds->block_count > 0) {
        dent_parallel_for(sim->context, sim->bonds->block_count, move_task, sim);
    }
}

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

void bonds_carry(const dent_sim *sim, struct rigid_block *block, const double *point, const double *impulse,
                 double share)
{
    double arm[3];
    arm_of(point, &sim->state.rigids[block->rigid], arm);
    add_force(block->carried, arm, 1, impulse);
    add_force(block->taken, arm, share, impulse);
}

void bonds_take(const dent_sim *sim, struct rigid_block *block, const double *point, double sign, const double *again,
                const double *excess)
{
    double arm[3];
    arm_of(point, &sim->state.rigids[block->rigid], arm);
    add_force(block->taken, arm, sign, again);
    add_force(block->excess, arm, sign, excess);
}

double bonds_give(const dent_sim *sim, const struct rigid_block *block, const double *point, const double *direction)
{
    double arm[3], g[6] = {0}, sum = 0, factor[6][6];
    arm_of(point, &sim->state.rigids[block->rigid], arm);
    add_force(g, arm, 1, direction);
    memcpy(factor, block->factor, sizeof factor);
    solve_lower(factor, g);
    for (int i = 0; i < 6; i++) {
        sum += g[i] * g[i];
    }
    return sum;
}

double bonds_inertial_give(const dent_sim *sim, const struct rigid_block *block, const double *point,
                           const double *direction)
{
    const dent_rigid_state *pose = &sim->state.rigids[block->rigid];
    double arm[3], moment[3], inverse[9], sum = pose->inverse_mass;
    arm_of(point, pose, arm);
    sim_cross(arm, direction, moment);
    dent_rigid_inverse_inertia(pose, inverse);
    for (int i = 0; i < 3; i++) {
        sum += moment[i] * sim_dot(inverse + 3 * i, moment);
    }
    return sum * sim->substep * sim->substep;
}

void bonds_add_spring(const dent_sim *sim, struct rigid_block *block, const double *point, const double *force,
                      const double *direction, double along, double across)
{
    double arm[3];
    arm_of(point, &sim->state.rigids[block->rigid], arm);
    add_force(block->system.force, arm, 1, force);
    add_stiffness(block->system.matrix, arm, direction, along, across);
}

/* ---- forces ------------------------------------------------------------------------------------------------------ */

static void add_pull(const dent_sim *sim, uint32_t vertex, uint32_t other, double weight, double *forces)
{
    double difference[3];
    sim_subtract(sim->state.positions + 3 * (size_t)other, sim->state.positions + 3 * (size_t)vertex, difference);
    sim_add_scaled(forces + 3 * (size_t)vertex, weight, difference);
}

/* Gradient of six times the volume with respect to corner k. */
static void volume_gradient(const double *const x[4], int k, double gradient[3])
{
    static const uint8_t seen_from[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}};
    double to_q[3], to_r[3];
    sim_subtract(x[seen_from[k][1]], x[seen_from[k][0]], to_q);
    sim_subtract(x[seen_from[k][2]], x[seen_from[k][0]], to_r);
    sim_cross(to_q, to_r, gradient);
}

/* What elements put on bonded vertices: 3 per vertex of the simulation. */
static void elastic_forces(const dent_sim *sim, double *forces)
{
    const struct rigid_bonds *bonds = sim->bonds;
    memset(forces, 0, 3 * (size_t)sim->vertex_count * sizeof *forces);
    for (uint32_t e = 0; e < bonds->edge_count; e++) {
        add_pull(sim, bonds->edges[e].vertex, bonds->edges[e].other, bonds->edges[e].weight, forces);
    }
    for (uint64_t n = 0; n < bonds->inner_count; n++) {
        const struct held_edge *edge = &bonds->inner[n];
        add_pull(sim, edge->i, edge->j, edge->weight, forces);
        add_pull(sim, edge->j, edge->i, edge->weight, forces);
    }
    for (uint64_t t = 0; t < sim->elastic.tet_count; t++) {
        const struct tet_visit *tet = &sim->elastic.tet_energy[t];
        const uint32_t corners[4] = {tet->p, tet->q, tet->r, tet->reserved};
        const double *x[4];
        double gradients[4][3], to_last[3];
        for (int k = 0; k < 4; k++) {
            x[k] = sim->state.positions + 3 * (size_t)corners[k];
        }
        for (int k = 0; k < 4; k++) {
            volume_gradient(x, k, gradients[k]);
        }
        sim_subtract(x[3], x[0], to_last);
        double off = sim_dot(gradients[3], to_last) - tet->target;
        for (int k = 0; k < 4; k++) {
            sim_add_scaled(forces + 3 * (size_t)corners[k], -tet->stiffness * off, gradients[k]);
        }
    }
}

void bonds_forces(const dent_sim *sim, double *forces)
{
    const struct rigid_bonds *bonds = sim->bonds;
    if (bonds->bond_count > 0) {
        elastic_forces(sim, sim->scratch);
    }
    for (uint32_t k = 0; k < bonds->bond_count; k++) { /* a bond holds what the elements pull */
        for (size_t axis = 0; axis < 3; axis++) {
            forces[3 * (size_t)bonds->bonds[k].attachment + axis] =
                -sim->scratch[3 * (size_t)bonds->bonds[k].vertex + axis];
        }
    }
    for (uint32_t n = 0; n < bonds->block_count; n++) {
        for (uint32_t k = bonds->blocks[n].spring_begin; k < bonds->blocks[n].spring_end; k++) {
            const struct bond_spring *spring = &bonds->springs[k];
            struct spring_pull pull = pull_of(sim, &bonds->blocks[n], spring);
            for (size_t axis = 0; axis < 3; axis++) {
                forces[3 * (size_t)spring->attachment + axis] = spring->is_b ? -pull.force[axis] : pull.force[axis];
            }
        }
    }
}
