/* Which attachments become bonds and springs of rigid bodies (rigid_bonds.c says why), and which elements lie between
 * bonded vertices and others. Bonds are found before the elastic mesh is built, which then leaves their vertices out as
 * it does with fixed ones; the elements are listed from the finished mesh. */
#include "rigid_bonds.h"

#include <string.h>

/* ---- which vertices ---------------------------------------------------------------------------------------------- */

static bool is_host(const struct sim_model *model, uint32_t body)
{
    for (uint32_t b = 0; b < model->body_count; b++) {
        if (model->bodies[b].kind == DENT_SIM_EMBEDDED && model->bodies[b].host == body) {
            return true;
        }
    }
    return false;
}

static bool may_bond(const struct sim_model *model, const struct sim_attachment *tie)
{
    if (tie->compliance > 0 || tie->length > 0 || tie->body_b == SIM_NONE ||
        model->bodies[tie->body_b].rigid == SIM_NONE) {
        return false;
    }
    const struct sim_body *solid = &model->bodies[tie->body_a];
    return solid->kind == DENT_SIM_SOLID && solid->fixed_count > 0 && solid->collision_mask == 0 &&
           model->inverse_masses[tie->vertex_a] > 0 && !is_host(model, tie->body_a);
}

static void bond(struct sim_model *model, uint32_t attachment, struct rigid_bond *bond)
{
    struct sim_attachment *tie = &model->attachments[attachment];
    const struct sim_body *owner = &model->bodies[tie->body_b];
    const double *local = model->rigids[owner->rigid].local;
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
static bool is_spring(const struct sim_model *model, const struct sim_attachment *tie, uint32_t body, bool *is_b)
{
    bool held_a = model->bodies[tie->body_a].kind == DENT_SIM_PRESCRIBED;
    bool held_b = tie->body_b == SIM_NONE || model->bodies[tie->body_b].kind == DENT_SIM_PRESCRIBED;
    *is_b = tie->body_b == body;
    return tie->compliance > 0 && ((tie->body_a == body && held_b) || (*is_b && held_a));
}

static void add_springs(struct sim_model *model, struct block_lists *block)
{
    struct rigid_bonds *bonds = model->bonds;
    const struct sim_rigid *rigid = &model->rigids[block->rigid];
    uint32_t first = model->bodies[rigid->body].first_vertex;
    block->spring_begin = bonds->spring_count;
    for (uint32_t n = 0; n < model->attachment_count; n++) {
        struct sim_attachment *tie = &model->attachments[n];
        struct bond_spring spring = {.attachment = n};
        if (!is_spring(model, tie, rigid->body, &spring.is_b)) {
            continue;
        }
        for (int k = 0; k < 4 && spring.is_b; k++) {
            if (tie->vertices_b[k] != SIM_NONE) {
                sim_add_scaled(spring.local, tie->weights_b[k],
                               rigid->local + 3 * (size_t)(tie->vertices_b[k] - first));
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
static void make_block(struct sim_model *model, struct sim_state *state, uint32_t rigid, struct block_lists *block)
{
    struct rigid_bonds *bonds = model->bonds;
    struct rigid_bond *first = bonds->bonds + bonds->bond_count;
    *block = (struct block_lists){.rigid = rigid, .bond_begin = bonds->bond_count};
    for (uint32_t n = 0; n < model->attachment_count; n++) {
        if (model->attachments[n].body_b == model->rigids[rigid].body && may_bond(model, &model->attachments[n])) {
            bond(model, n, &bonds->bonds[bonds->bond_count++]);
            model->inverse_masses[model->attachments[n].vertex_a] = 0; /* the body moves it from now on */
        }
    }
    block->bond_end = bonds->bond_count;
    uint32_t count = block->bond_end - block->bond_begin;
    double moments[10] = {0}; /* mass, first, second (xx xy xz yy yz zz), in the body's frame */
    for (uint32_t k = 0; k < count; k++) {
        double mass = model->masses[first[k].vertex];
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
    rigid_add_mass(model, state, rigid, moments, shift);
    for (uint32_t k = 0; k < count; k++) {
        sim_subtract(first[k].local, shift, first[k].local);
    }
    add_springs(model, block);
}

dent_status bonds_find(struct sim_model *model, struct sim_state *state, struct elastic_work *work)
{
    struct rigid_bonds *bonds = sim_allocate(model, 1, sizeof *bonds);
    if (!bonds) {
        return sim_no_memory(model->context);
    }
    model->bonds = bonds;
    bonds->block_of_rigid = sim_allocate(model, model->rigid_count, sizeof *bonds->block_of_rigid);
    bonds->blocks = sim_allocate(model, model->rigid_count, sizeof *bonds->blocks);
    bonds->bonds = sim_allocate(model, model->attachment_count, sizeof *bonds->bonds);
    bonds->springs = sim_allocate(model, model->attachment_count, sizeof *bonds->springs);
    work->blocks = sim_allocate(model, model->rigid_count, sizeof *work->blocks);
    if (!work->blocks || !bonds->block_of_rigid || !bonds->blocks || !bonds->bonds || !bonds->springs) {
        return sim_no_memory(model->context);
    }
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        bonds->block_of_rigid[r] = SIM_NONE;
        bool any = false;
        for (uint32_t n = 0; n < model->attachment_count && !any; n++) {
            bool is_b;
            any = (model->attachments[n].body_b == model->rigids[r].body && may_bond(model, &model->attachments[n])) ||
                  is_spring(model, &model->attachments[n], model->rigids[r].body, &is_b);
        }
        if (any) {
            bonds->block_of_rigid[r] = bonds->block_count;
            make_block(model, state, r, &bonds->blocks[bonds->block_count]);
            work->blocks[bonds->block_count] =
                (struct rigid_block){.rigid = r, .lists = &bonds->blocks[bonds->block_count]};
            bonds->block_count++;
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

static void list_edges(struct sim_model *model, const uint32_t *owners, uint32_t block, bool fill)
{
    const struct elastic_mesh *mesh = model->elastic;
    for (uint32_t slot = 0; slot < mesh->vertex_count; slot++) {
        for (uint32_t e = mesh->edge_starts[slot]; e < mesh->edge_starts[slot + 1]; e++) {
            const struct edge_visit *edge = &mesh->edges[e];
            const double values[2] = {edge->weight, edge->damper};
            add_edge(model->bonds, owners, block, edge->other, mesh->vertices[slot], values, fill);
        }
    }
    for (uint64_t n = 0; n < mesh->held_count; n++) {
        const struct held_edge *edge = &mesh->held[n];
        const double values[2] = {edge->weight, edge->damper};
        add_edge(model->bonds, owners, block, edge->i, edge->j, values, fill);
        add_edge(model->bonds, owners, block, edge->j, edge->i, values, fill);
    }
}

/* Edges within a block: they never change, but pull. */
static void list_inner(struct sim_model *model, const uint32_t *owners, bool fill)
{
    struct rigid_bonds *bonds = model->bonds;
    bonds->inner_count = 0;
    for (uint64_t n = 0; n < model->elastic->held_count; n++) {
        const struct held_edge *edge = &model->elastic->held[n];
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
    static const uint8_t even[12][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 0, 3, 2},
                                        {1, 2, 0, 3}, {1, 3, 2, 0}, {2, 0, 1, 3}, {2, 1, 3, 0},
                                        {2, 3, 0, 1}, {3, 0, 2, 1}, {3, 1, 0, 2}, {3, 2, 1, 0}};
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

static void list_tets(struct sim_model *model, const uint32_t *owners, uint32_t block, bool fill)
{
    struct rigid_bonds *bonds = model->bonds;
    for (uint64_t t = 0; t < model->elastic->tet_count; t++) {
        const struct tet_visit *tet = &model->elastic->tet_energy[t];
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

dent_status bonds_build(struct sim_model *model)
{
    struct rigid_bonds *bonds = model->bonds;
    if (bonds->block_count == 0) {
        return DENT_OK;
    }
    uint32_t *owners = dent_allocate(model->context, model->vertex_count, sizeof *owners);
    if (!owners) {
        return sim_no_memory(model->context);
    }
    memset(owners, 0xff, model->vertex_count * sizeof *owners);
    for (uint32_t n = 0; n < bonds->block_count; n++) {
        for (uint32_t k = bonds->blocks[n].bond_begin; k < bonds->blocks[n].bond_end; k++) {
            owners[bonds->bonds[k].vertex] = n;
        }
    }
    for (int fill = 0; fill < 2; fill++) {
        bonds->edge_count = bonds->tet_count = 0;
        list_inner(model, owners, fill);
        for (uint32_t n = 0; n < bonds->block_count; n++) {
            struct block_lists *block = &bonds->blocks[n];
            block->edge_begin = bonds->edge_count;
            block->tet_begin = bonds->tet_count;
            list_edges(model, owners, n, fill);
            list_tets(model, owners, n, fill);
            block->edge_end = bonds->edge_count;
            block->tet_end = bonds->tet_count;
        }
        if (!fill) {
            bonds->edges = sim_allocate(model, bonds->edge_count, sizeof *bonds->edges);
            bonds->tets = sim_allocate(model, bonds->tet_count, sizeof *bonds->tets);
            bonds->inner = sim_allocate(model, (size_t)bonds->inner_count, sizeof *bonds->inner);
            if (!bonds->edges || !bonds->tets || !bonds->inner) {
                break;
            }
        }
    }
    dent_release(model->context, owners, model->vertex_count, sizeof *owners);
    return bonds->edges && bonds->tets && bonds->inner ? DENT_OK : sim_no_memory(model->context);
}
