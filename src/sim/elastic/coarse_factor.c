/* The factor of the coarse matrix: elements, inertia, contacts and supports, in Cuthill and McKee's order. */
#include "coarse_parts.h"

#define HELD_FACTOR 1e8

/* ---- order ------------------------------------------------------------------------------------------------------- */

static dent_status add_link(dent_context *context, struct coarse_space *space, uint32_t a, uint32_t b)
{
    dent_status status = sim_reserve(context, (void **)&space->links, &space->link_capacity, space->link_count + 2,
                                     sizeof *space->links);
    if (status == DENT_OK) {
        space->links[space->link_count++] = (struct coarse_pair){a, b};
        space->links[space->link_count++] = (struct coarse_pair){b, a};
    }
    return status;
}

/* The nodes of a point, at most four and a rigid body. */
static uint32_t nodes_of(const struct sim_model *model, const struct coarse_space *space, const struct term_point *point,
                         uint32_t nodes[4])
{
    uint32_t count = 0;
    if (point->rigid != SIM_NONE) {
        nodes[0] = space->node_count - model->rigid_count + point->rigid;
        return 1;
    }
    for (int k = 0; k < 4; k++) {
        if (point->vertices[k] != SIM_NONE && space->vertex_nodes[point->vertices[k]] != SIM_NONE) {
            nodes[count++] = space->vertex_nodes[point->vertices[k]];
        }
    }
    return count;
}

static dent_status make_links(const struct sim_model *model, const struct point_terms *terms,
                              struct coarse_space *space)
{
    dent_status status = DENT_OK;
    space->link_count = 0;
    for (uint64_t i = 0; terms && i < terms->count && status == DENT_OK; i++) {
        uint32_t nodes[8], count = nodes_of(model, space, &terms->terms[i].a, nodes);
        count += nodes_of(model, space, &terms->terms[i].b, nodes + count);
        for (uint32_t k = 0; k < count * count && status == DENT_OK && term_is_active(&terms->terms[i]); k++) {
            if (nodes[k / count] < nodes[k % count]) {
                status = add_link(model->context, space, nodes[k / count], nodes[k % count]);
            }
        }
    }
    if (terms && space->link_count == 0) {
        return status; /* as without terms */
    }
    for (uint64_t n = 0; n < space->pair_count && status == DENT_OK; n++) {
        status = add_link(model->context, space, space->pairs[n].a, space->pairs[n].b);
    }
    if (status != DENT_OK) {
        return status;
    }
    space->link_count = coarse_sort_pairs(space->links, space->link_count);
    memset(space->link_starts, 0, ((size_t)space->node_count + 1) * sizeof *space->link_starts);
    for (uint64_t n = 0; n < space->link_count; n++) {
        space->link_starts[space->links[n].a + 1]++;
    }
    for (uint32_t n = 0; n < space->node_count; n++) {
        space->link_starts[n + 1] += space->link_starts[n];
    }
    return DENT_OK;
}

static uint32_t degree(const struct coarse_space *space, uint32_t node)
{
    return space->link_starts[node + 1] - space->link_starts[node];
}

/* Appends what can be reached from `start`, nearest first, fewer neighbours first among equals. */
static uint32_t spread(struct coarse_space *space, uint32_t start, uint32_t done, uint32_t mark)
{
    uint32_t *order = space->order, from = done;
    order[done++] = start;
    space->nodes[start].first = mark;
    for (; from < done; from++) {
        uint32_t begin = done;
        for (uint32_t n = space->link_starts[order[from]]; n < space->link_starts[order[from] + 1]; n++) {
            uint32_t other = space->links[n].b, slot = done;
            if (space->nodes[other].first == mark) {
                continue;
            }
            space->nodes[other].first = mark;
            for (; slot > begin && degree(space, order[slot - 1]) > degree(space, other); slot--) {
                order[slot] = order[slot - 1];
            }
            order[slot] = other;
            done++;
        }
    }
    return done;
}

/* Cuthill and McKee's order, reversed: from a node at the end of each component, found by spreading twice. */
static void make_order(struct coarse_space *space)
{
    uint32_t done = 0, count = space->node_count;
    for (uint32_t n = 0; n < count; n++) {
        space->nodes[n].first = 0;
    }
    for (uint32_t n = 0; n < count; n++) {
        if (space->nodes[n].first == 3) {
            continue;
        }
        uint32_t end = spread(space, n, done, 1);
        end = spread(space, space->order[end - 1], done, 2);
        done = spread(space, space->order[end - 1], done, 3);
    }
    space->unknown_count = 0;
    for (uint32_t n = 0; n < count; n++) {
        struct coarse_node *node = &space->nodes[space->order[count - 1 - n]];
        node->first = space->unknown_count;
        space->unknown_count += node->unknowns;
    }
}

dent_status coarse_lay_out(const struct sim_model *model, const struct point_terms *terms, struct coarse_space *space)
{
    dent_status status = make_links(model, terms, space);
    if (status != DENT_OK) {
        return status;
    }
    if (terms && space->link_count == 0) {
        for (uint32_t n = 0; n < space->node_count; n++) {
            space->nodes[n].first = space->static_first[n];
        }
        memcpy(space->envelope.first, space->static_envelope, space->unknown_count * sizeof *space->static_envelope);
        return DENT_OK;
    }
    make_order(space);
    status = envelope_begin(model->context, &space->envelope, space->unknown_count);
    for (uint32_t n = 0; n < space->node_count && status == DENT_OK; n++) {
        uint32_t first = space->nodes[n].first, lowest = first;
        for (uint32_t k = space->link_starts[n]; k < space->link_starts[n + 1]; k++) {
            uint32_t other = space->nodes[space->links[k].b].first;
            lowest = other < lowest ? other : lowest;
        }
        for (uint32_t k = 0; k < space->nodes[n].unknowns; k++) {
            space->envelope.first[first + k] = lowest;
        }
        if (!terms) {
            space->static_first[n] = first;
            for (uint32_t k = 0; k < space->nodes[n].unknowns; k++) {
                space->static_envelope[first + k] = lowest;
            }
        }
    }
    return status;
}

/* ---- the factor -------------------------------------------------------------------------------------------------- */

/* Adds a block (row stride 6) between two nodes; of one node, its lower half. */
static void put_block(struct coarse_space *space, uint32_t a, uint32_t b, const double *block)
{
    const struct coarse_node *row = &space->nodes[a], *column = &space->nodes[b];
    bool turned = row->first < column->first;
    for (uint32_t i = 0; i < row->unknowns; i++) {
        for (uint32_t j = 0; j < column->unknowns; j++) {
            uint32_t m = row->first + i, n = column->first + j;
            if (a != b || m >= n) {
                *envelope_at(&space->envelope, turned ? n : m, turned ? m : n) += block[6 * i + j];
            }
        }
    }
}

struct term_side {
    uint32_t node;
    double motion[3][6]; /* of the point in space, signed */
};

/* How the unknowns move the point of a term. */
static uint32_t sides_of(const struct sim_model *model, const struct coarse_space *space,
                         const struct term_point *point, double sign, struct term_side *sides)
{
    uint32_t count = 0;
    for (int k = 0; k < (point->rigid != SIM_NONE ? 1 : 4); k++) {
        uint32_t v = point->vertices[k];
        const double *arm = point->local;
        double weight = sign;
        struct term_side *side = &sides[count];
        if (point->rigid != SIM_NONE) {
            side->node = space->node_count - model->rigid_count + point->rigid;
        } else if (v != SIM_NONE && space->vertex_nodes[v] != SIM_NONE) {
            side->node = space->vertex_nodes[v];
            arm = space->arms + 3 * (size_t)v;
            weight *= point->weights[k];
        } else {
            continue;
        }
        coarse_motion_at(arm, side->motion);
        coarse_turn_motion(space->nodes[side->node].frame, weight, side->motion);
        count++;
    }
    return count;
}

static void put_term(const struct sim_model *model, struct coarse_space *space, const struct point_term *term)
{
    const double *m = term->matrix;
    const double full[9] = {m[0], m[1], m[2], m[1], m[3], m[4], m[2], m[4], m[5]};
    struct term_side sides[8];
    uint32_t count = sides_of(model, space, &term->a, 1, sides);
    count += sides_of(model, space, &term->b, -1, sides + count);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < count; j++) {
            if (sides[i].node <= sides[j].node) { /* of two in one node both orders count */
                double block[36] = {0};
                coarse_add_block(block, sides[i].motion, full, sides[j].motion);
                put_block(space, sides[i].node, sides[j].node, block);
            }
        }
    }
}

/* Adds a mass at the end of an arm. */
static void add_mass(double block[36], double mass, const double arm[3])
{
    double x = mass * arm[0], y = mass * arm[1], z = mass * arm[2];
    block[0] += mass;
    block[7] += mass;
    block[14] += mass;
    block[19] -= z;
    block[20] += y;
    block[24] += z;
    block[26] -= x;
    block[30] -= y;
    block[31] += x;
    block[21] += y * arm[1] + z * arm[2];
    block[27] -= x * arm[1];
    block[28] += x * arm[0] + z * arm[2];
    block[33] -= x * arm[2];
    block[34] -= y * arm[2];
    block[35] += x * arm[0] + y * arm[1];
}

static void put_inertia(const struct sim_model *model, const struct inertia_terms *inertia, struct coarse_space *space,
                        uint32_t number)
{
    const struct coarse_node *node = &space->nodes[number];
    double block[36] = {0};
    if (node->rigid != SIM_NONE) {
        const struct sim_rigid *rigid = &model->rigids[node->rigid];
        bool active = inertia->rigid_active[node->rigid] != 0;
        for (int i = 0; i < 3; i++) {
            block[7 * i] = active ? inertia->rigid * rigid->mass : 1;
            for (int j = 0; j < 3; j++) {
                block[6 * (3 + i) + 3 + j] = active ? inertia->rigid * rigid->inertia[3 * i + j] : (i == j);
            }
        }
    }
    for (uint32_t n = space->node_starts[number]; n < space->node_starts[number + 1]; n++) {
        uint32_t v = space->node_vertices[n];
        add_mass(block, inertia->vertices[v], space->arms + 3 * (size_t)v);
    }
    put_block(space, number, number, block);
}

/* What supports hold does not move. Where the factor solves the equations, they hold so stiffly that it hardly does;
 * aggregates are slowed by as much as the elements around a held vertex resist the others going on without it. The
 * vectors have no held parts anyway. */
static void put_holds(const struct sim_model *model, const struct inertia_terms *inertia, struct coarse_space *space)
{
    for (uint32_t n = 0; n < model->loads->hold_count; n++) {
        const struct sim_hold *hold = &model->loads->holds[n];
        const double *d = space->rest_diagonal + 6 * (size_t)hold->vertex;
        double stiffness = (d[0] + d[3] + d[5]) / 3 + inertia->vertices[hold->vertex];
        struct point_term term = {
            .a = {.rigid = SIM_NONE, .vertices = {hold->vertex, SIM_NONE, SIM_NONE, SIM_NONE}, .weights = {1}},
            .b = {.rigid = SIM_NONE, .vertices = {SIM_NONE, SIM_NONE, SIM_NONE, SIM_NONE}}};
        for (uint32_t k = 0; k < hold->count; k++) {
            for (int i = 0, m = 0; i < 3; i++) {
                for (int j = i; j < 3; j++, m++) {
                    term.matrix[m] += (space->direct ? HELD_FACTOR : 1) * stiffness * hold->axes[k][i] * hold->axes[k][j];
                }
            }
        }
        if (inertia->vertices[hold->vertex] > 0) {
            put_term(model, space, &term);
        }
    }
}

dent_status coarse_factorise(const struct sim_model *model, const struct point_terms *terms,
                             const struct inertia_terms *inertia, struct coarse_space *space)
{
    space->refreshes++;
    dent_status status = coarse_lay_out(model, terms, space);
    status = status == DENT_OK ? envelope_open(&space->envelope) : status;
    if (status != DENT_OK) {
        return status;
    }
    for (uint32_t n = 0; n < space->node_count; n++) {
        put_block(space, n, n, space->node_blocks + 36 * (size_t)n);
        put_inertia(model, inertia, space, n);
    }
    for (uint64_t n = 0; n < space->pair_count; n++) {
        put_block(space, space->pairs[n].a, space->pairs[n].b, space->pair_blocks + 36 * (size_t)n);
    }
    for (uint64_t i = 0; i < terms->count; i++) {
        terms->terms[i].in_factor = term_is_active(&terms->terms[i]);
        if (terms->terms[i].in_factor) {
            put_term(model, space, &terms->terms[i]);
        }
    }
    put_holds(model, inertia, space);
    envelope_factorise(&space->envelope, space->kernels);
    return DENT_OK;
}
