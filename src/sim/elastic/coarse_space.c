/* The preconditioner: z = weight D^-1 r + P (P^T A P)^-1 P^T r.
 *
 * D are the 3x3 blocks of the vertices. P are the rigid motions of aggregates, some hundred neighbouring vertices each;
 * rigid bodies are aggregates by themselves. What D moves slowly, long waves and whole bodies, P moves at once. The
 * matrix of the elements is made at rest: an aggregate that has turned since sees it in its own frame. Contacts and
 * attachments are added as they are now, to D and to P^T A P; its factor is made anew when they change.
 *
 * Small scenes have a node for every vertex, and the matrix is that of the present positions: then the factor solves
 * the linear equations at once, whatever the material. */
#include "coarse_space.h"

#include "base/containers/heap_sort.h"
#include "elastic_pass.h"
#include "rigid_bonds.h"
#include "sim/elements/rod_mesh.h"
#include "simd/kernel_choice.h"

#include <math.h>
#include <string.h>

enum { AGGREGATE = 80, LARGE_AGGREGATE = 200, LARGE_MESH = 20000 /* vertices */ };
enum { DIRECT_VERTICES = 20000 };
#define DIRECT_COST 3e6 /* multiplications of a factor */
#define POINT_COST 3e4  /* and for each point of solid cells, whose matrices cost as much as three such passes */
#define HELD_FACTOR 1e8

/* ---- aggregates -------------------------------------------------------------------------------------------------- */

struct split_call {
    const double *positions;
    size_t axis;
};

static bool lies_before(const void *first, const void *second, const void *data)
{
    const struct split_call *call = data;
    uint32_t a = *(const uint32_t *)first, b = *(const uint32_t *)second;
    double x = call->positions[3 * (size_t)a + call->axis], y = call->positions[3 * (size_t)b + call->axis];
    return x != y ? x < y : a < b;
}

/* Halves a set of vertices across its longest side until parts are small enough. */
static void split(struct coarse_space *space, const double *positions, uint32_t begin, uint32_t end, uint32_t most)
{
    while (end - begin > most) {
        struct split_call call = {positions, 0};
        double longest = -1;
        for (size_t axis = 0; axis < 3; axis++) {
            double low = INFINITY, high = -INFINITY;
            for (uint32_t n = begin; n < end; n++) {
                double x = positions[3 * (size_t)space->node_vertices[n] + axis];
                low = x < low ? x : low;
                high = x > high ? x : high;
            }
            call.axis = high - low > longest ? axis : call.axis;
            longest = high - low > longest ? high - low : longest;
        }
        uint32_t parts = (end - begin - 1) / most + 1, middle = begin + (uint32_t)((uint64_t)(end - begin) * (parts / 2) / parts);
        heap_sort(space->node_vertices + begin, end - begin, sizeof *space->node_vertices, lies_before, &call);
        split(space, positions, begin, middle, most);
        begin = middle;
    }
    struct coarse_node *node = &space->nodes[space->node_count++];
    *node = (struct coarse_node){.unknowns = most == 1 ? 3 : 6, .rigid = SIM_NONE};
    space->node_starts[space->node_count] = end;
    for (uint32_t n = begin; n < end; n++) {
        sim_add_scaled(node->center, 1.0 / (end - begin), positions + 3 * (size_t)space->node_vertices[n]);
        space->vertex_nodes[space->node_vertices[n]] = space->node_count - 1;
    }
    for (uint32_t n = begin; n < end; n++) {
        uint32_t v = space->node_vertices[n];
        sim_subtract(positions + 3 * (size_t)v, node->center, space->arms + 3 * (size_t)v);
    }
}

/* Rest positions of all vertices: of elastic bodies their rest shape. */
static void rest_positions(const struct sim_model *model, double *positions)
{
    for (uint32_t b = 0; b < model->body_count; b++) {
        const struct sim_body *body = &model->bodies[b];
        memcpy(positions + 3 * (size_t)body->first_vertex, body->rest, 3 * (size_t)body->vertex_count * sizeof(double));
    }
}

static void make_nodes(const struct sim_model *model, const struct inertia_terms *inertia, const double *rest,
                       struct coarse_space *space)
{
    uint32_t listed = 0, free_count = 0;
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        space->vertex_nodes[v] = SIM_NONE;
        free_count += inertia->vertices[v] > 0 && !is_rod_vertex(model, v);
    }
    uint32_t most = space->direct ? 1 : free_count > LARGE_MESH ? LARGE_AGGREGATE : AGGREGATE;
    space->node_count = 0;
    for (uint32_t b = 0; b < model->body_count; b++) {
        const struct sim_body *body = &model->bodies[b];
        uint32_t begin = listed;
        for (uint32_t v = body->first_vertex; v < body->first_vertex + body->vertex_count; v++) {
            if (inertia->vertices[v] > 0 && body->kind != DENT_SIM_STRANDS) { /* rods: rod_pass.c */
                space->node_vertices[listed++] = v;
            }
        }
        if (listed > begin) {
            split(space, rest, begin, listed, most);
        }
    }
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        space->nodes[space->node_count++] = (struct coarse_node){.unknowns = 6, .rigid = r};
        space->node_starts[space->node_count] = listed;
        for (uint32_t k = model->bonds->starts[r]; k < model->bonds->starts[r + 1]; k++) {
            uint32_t v = model->bonds->bonds[k].vertex;
            space->vertex_nodes[v] = space->node_count - 1;
            memcpy(space->arms + 3 * (size_t)v, model->bonds->bonds[k].local, 3 * sizeof(double));
        }
    }
    for (uint32_t n = 0; n < space->node_count; n++) {
        struct coarse_node *node = &space->nodes[n];
        node->frame[0] = node->frame[4] = node->frame[8] = 1;
    }
}

/* ---- which nodes meet in an element ------------------------------------------------------------------------------ */

/* Calls for all elements, with their corners and the blocks of their matrix where positions are given. */
typedef void element_visit(struct coarse_space *space, const uint32_t *corners, uint32_t count, const double *blocks);

/* Solid cells; without a state: nothing is activated, nothing has flowed. */
static void visit_cells(const struct solid_cells *cells, struct coarse_space *space, const double *positions,
                        const struct sim_state *state, double rate, element_visit *visit)
{
    double blocks[9 * CELL_MOST_CORNERS * CELL_MOST_CORNERS];
    struct cell_state cell_state = cell_state_of(state);
    for (uint32_t c = 0; c < cells->count; c++) {
        if (positions) {
            solid_cell_stiffness(cells, c, &cell_state, positions, rate, blocks);
        }
        visit(space, cells->corners + cells->cells[c].first_corner, cells->cells[c].corner_count,
              positions ? blocks : NULL);
    }
}

static void visit_elements(const struct elastic_mesh *mesh, struct coarse_space *space, const double *positions,
                           const struct sim_state *state, double rate, element_visit *visit)
{
    double tet[4][4][9], triangle[3][3][9];
    for (uint32_t g = 0; g < mesh->group_count; g++) {
        const struct tet_group *group = &mesh->groups[g];
        for (uint32_t lane = 0; lane < TET_LANES && group->mu[lane] > 0; lane++) {
            uint32_t corners[4] = {group->corners[0][lane], group->corners[1][lane], group->corners[2][lane],
                                   group->corners[3][lane]};
            if (positions) {
                tet_stiffness(group, lane, positions, rate, tet);
            }
            visit(space, corners, 4, positions ? tet[0][0] : NULL);
        }
    }
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        if (positions) {
            cloth_triangle_stiffness(&mesh->triangles[t], positions, rate, triangle);
        }
        visit(space, mesh->triangles[t].corners, 3, positions ? triangle[0][0] : NULL);
    }
    for (uint32_t t = 0; t < mesh->hinge_count; t++) {
        if (positions) {
            cloth_hinge_stiffness(&mesh->hinges[t], positions, tet);
        }
        visit(space, mesh->hinges[t].corners, 4, positions ? tet[0][0] : NULL);
    }
    visit_cells(&mesh->cells, space, positions, state, rate, visit);
}

static void note_pairs(struct coarse_space *space, const uint32_t *corners, uint32_t count, const double *blocks)
{
    (void)blocks;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < count; j++) {
            uint32_t a = space->vertex_nodes[corners[i]], b = space->vertex_nodes[corners[j]];
            if (a != SIM_NONE && b != SIM_NONE && a < b) {
                if (space->pairs) {
                    space->pairs[space->pair_count] = (struct coarse_pair){a, b};
                }
                space->pair_count++;
            }
        }
    }
}

static bool pair_before(const void *first, const void *second, const void *data)
{
    const struct coarse_pair *a = first, *b = second;
    (void)data;
    return a->a != b->a ? a->a < b->a : a->b < b->b;
}

/* Sorted by a, each once. */
static uint64_t sort_pairs(struct coarse_pair *pairs, uint64_t count)
{
    heap_sort(pairs, count, sizeof *pairs, pair_before, NULL);
    uint64_t kept = 0;
    for (uint64_t n = 0; n < count; n++) {
        if (kept == 0 || pairs[kept - 1].a != pairs[n].a || pairs[kept - 1].b != pairs[n].b) {
            pairs[kept++] = pairs[n];
        }
    }
    return kept;
}

static dent_status list_pairs(struct sim_model *model, struct coarse_space *space)
{
    dent_context *context = model->context;
    space->pairs = NULL;
    space->pair_count = 0;
    visit_elements(model->elastic, space, NULL, NULL, 0, note_pairs);
    uint64_t all = space->pair_count;
    struct coarse_pair *found = dent_allocate(context, (size_t)all, sizeof *found);
    if (!found) {
        return sim_no_memory(context);
    }
    space->pairs = found;
    space->pair_count = 0;
    visit_elements(model->elastic, space, NULL, NULL, 0, note_pairs);
    space->pair_count = sort_pairs(found, all);
    space->pairs = sim_allocate(model, (size_t)space->pair_count, sizeof *space->pairs);
    if (space->pairs && space->pair_count > 0) {
        memcpy(space->pairs, found, (size_t)space->pair_count * sizeof *found);
    }
    dent_release(context, found, (size_t)all, sizeof *found);
    space->pair_starts = sim_allocate(model, (size_t)space->node_count + 1, sizeof *space->pair_starts);
    if (!space->pairs || !space->pair_starts) {
        return sim_no_memory(context);
    }
    for (uint64_t n = 0; n < space->pair_count; n++) {
        space->pair_starts[space->pairs[n].a + 1]++;
    }
    for (uint32_t n = 0; n < space->node_count; n++) {
        space->pair_starts[n + 1] += space->pair_starts[n];
    }
    return DENT_OK;
}

/* ---- blocks of the elements -------------------------------------------------------------------------------------- */

static uint32_t find_pair(const struct coarse_space *space, uint32_t a, uint32_t b)
{
    uint32_t low = space->pair_starts[a], high = space->pair_starts[a + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (space->pairs[middle].b < b) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* How the unknowns of a node, in its frame, move a point at `arm`: rows x y z. */
static void motion_at(const double *arm, double motion[3][6])
{
    memset(motion, 0, 18 * sizeof(double));
    motion[0][0] = motion[1][1] = motion[2][2] = 1;
    motion[0][4] = arm[2];
    motion[0][5] = -arm[1];
    motion[1][3] = -arm[2];
    motion[1][5] = arm[0];
    motion[2][3] = arm[1];
    motion[2][4] = -arm[0];
}

/* factor times a frame times a motion */
static void turn_motion(const double frame[9], double factor, double motion[3][6])
{
    for (int j = 0; j < 6; j++) {
        double x = motion[0][j], y = motion[1][j], z = motion[2][j];
        for (int i = 0; i < 3; i++) {
            motion[i][j] = factor * (frame[3 * i] * x + frame[3 * i + 1] * y + frame[3 * i + 2] * z);
        }
    }
}

/* target += left^T block right */
static void add_block(double target[36], double left[3][6], const double block[9], double right[3][6])
{
    double half[3][6];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 6; j++) {
            half[i][j] = block[3 * i] * right[0][j] + block[3 * i + 1] * right[1][j] + block[3 * i + 2] * right[2][j];
        }
    }
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            target[6 * i + j] += left[0][i] * half[0][j] + left[1][i] * half[1][j] + left[2][i] * half[2][j];
        }
    }
}

static void add_blocks(struct coarse_space *space, const uint32_t *corners, uint32_t count, const double *blocks)
{
    double motions[CELL_MOST_CORNERS][3][6];
    uint32_t nodes[CELL_MOST_CORNERS];
    bool one = true;
    for (uint32_t k = 0; k < count; k++) {
        nodes[k] = space->vertex_nodes[corners[k]];
        one = one && nodes[k] == nodes[0];
        bool rigid = nodes[k] != SIM_NONE && space->nodes[nodes[k]].rigid != SIM_NONE;
        motion_at(space->arms + 3 * (size_t)corners[k], motions[k]);
        if (rigid) { /* its unknowns are in its frame, elements in space: the same while all is at rest */
            turn_motion(space->nodes[nodes[k]].frame, 1, motions[k]);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        const double *diagonal = blocks + 9 * (size_t)(count * i + i);
        double *sum = space->rest_diagonal + 6 * (size_t)corners[i];
        for (int n = 0; n < 6 && !space->built; n++) {
            static const uint8_t at[6] = {0, 1, 2, 4, 5, 8};
            sum[n] += diagonal[at[n]];
        }
        for (uint32_t j = 0; j < count && !(one && !space->direct); j++) {
            uint32_t a = nodes[i], b = nodes[j];
            const double *block = blocks + 9 * (size_t)(count * i + j);
            if (a == SIM_NONE || b == SIM_NONE || a > b) {
                continue;
            }
            double *target = a == b ? space->node_blocks + 36 * (size_t)a
                                    : space->pair_blocks + 36 * (size_t)find_pair(space, a, b);
            if (space->nodes[a].unknowns == 3 && space->nodes[b].unknowns == 3) {
                for (int n = 0; n < 9; n++) {
                    target[6 * (n / 3) + n % 3] += block[n];
                }
            } else {
                add_block(target, motions[i], block, motions[j]);
            }
        }
    }
}

static void make_blocks(const struct sim_model *model, struct coarse_space *space, const double *positions,
                        const struct sim_state *state, double rate)
{
    memset(space->node_blocks, 0, 36 * (size_t)space->node_count * sizeof(double));
    if (space->pair_count > 0) {
        memset(space->pair_blocks, 0, 36 * (size_t)space->pair_count * sizeof(double));
    }
    visit_elements(model->elastic, space, positions, state, rate, add_blocks);
}

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

static bool is_active(const struct point_term *term)
{
    return term->matrix[0] + term->matrix[3] + term->matrix[5] > 0;
}

static dent_status make_links(const struct sim_model *model, const struct point_terms *terms,
                              struct coarse_space *space)
{
    dent_status status = DENT_OK;
    space->link_count = 0;
    for (uint64_t i = 0; terms && i < terms->count && status == DENT_OK; i++) {
        uint32_t nodes[8], count = nodes_of(model, space, &terms->terms[i].a, nodes);
        count += nodes_of(model, space, &terms->terms[i].b, nodes + count);
        for (uint32_t k = 0; k < count * count && status == DENT_OK && is_active(&terms->terms[i]); k++) {
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
    space->link_count = sort_pairs(space->links, space->link_count);
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

static dent_status lay_out(const struct sim_model *model, const struct point_terms *terms, struct coarse_space *space)
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
        motion_at(arm, side->motion);
        turn_motion(space->nodes[side->node].frame, weight, side->motion);
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
                add_block(block, sides[i].motion, full, sides[j].motion);
                put_block(space, sides[i].node, sides[j].node, block);
            }
        }
    }
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
        double motion[3][6], m = inertia->vertices[v], mass[9] = {m, 0, 0, 0, m, 0, 0, 0, m};
        motion_at(space->arms + 3 * (size_t)v, motion);
        add_block(block, motion, mass, motion);
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

static dent_status factorise(const struct sim_model *model, const struct point_terms *terms,
                             const struct inertia_terms *inertia, struct coarse_space *space)
{
    space->refreshes++;
    dent_status status = lay_out(model, terms, space);
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
        terms->terms[i].in_factor = is_active(&terms->terms[i]);
        if (terms->terms[i].in_factor) {
            put_term(model, space, &terms->terms[i]);
        }
    }
    put_holds(model, inertia, space);
    envelope_factorise(&space->envelope, space->kernels);
    return DENT_OK;
}

/* ---- frames and the diagonal ------------------------------------------------------------------------------------- */

/* The rotation nearest to a matrix (Mueller, Bender, Chentanez and Macklin 2016), from the identity. */
static void nearest_rotation(const double matrix[9], double rotation[9])
{
    double q[4] = {1, 0, 0, 0};
    rigid_rotation(q, rotation);
    for (int round = 0; round < 20; round++) {
        double axis[3] = {0, 0, 0}, along = 0;
        for (int k = 0; k < 3; k++) {
            double column[3] = {rotation[k], rotation[3 + k], rotation[6 + k]}, crossed[3];
            double wanted[3] = {matrix[k], matrix[3 + k], matrix[6 + k]};
            sim_cross(column, wanted, crossed);
            sim_add_scaled(axis, 1, crossed);
            along += sim_dot(column, wanted);
        }
        double size = sqrt(sim_dot(axis, axis)), scale = fabs(along) + 1e-9 * size;
        if (!(scale > 0) || !(size > 1e-9 * scale)) {
            return;
        }
        double factor = 1 / scale, angle[3] = {axis[0] * factor, axis[1] * factor, axis[2] * factor};
        double turn = sqrt(sim_dot(angle, angle));
        for (int k = 0; k < 3 && turn > 1; k++) {
            angle[k] /= turn;
        }
        dent_rigid_state pose = {.orientation = {q[0], q[1], q[2], q[3]}};
        rigid_turn(&pose, angle);
        memcpy(q, pose.orientation, sizeof q);
        rigid_rotation(q, rotation);
    }
}

/* Calls for all nodes, several to a block: a node of one vertex is little work. */
struct node_call {
    dent_block_function *function;
    void *data;
    uint32_t count, size;
};

static void node_block(void *data, uint32_t block, uint32_t worker)
{
    const struct node_call *call = data;
    uint32_t begin = block * call->size, end = call->count - begin > call->size ? begin + call->size : call->count;
    for (uint32_t n = begin; n < end; n++) {
        call->function(call->data, n, worker);
    }
}

static void for_nodes(const struct sim_model *model, const struct coarse_space *space, dent_block_function *function,
                      void *data)
{
    struct node_call call = {function, data, space->node_count, space->direct ? 512 : 4};
    uint32_t blocks = (space->node_count + call.size - 1) / call.size;
    if (blocks == 1) {
        node_block(&call, 0, 0);
    } else if (blocks > 1) {
        dent_parallel_for(model->context, blocks, node_block, &call);
    }
}

struct frame_call {
    const struct sim_model *model;
    const struct sim_state *state;
    struct coarse_space *space;
};

static void frame_task(void *data, uint32_t number, uint32_t worker)
{
    (void)worker;
    const struct frame_call *call = data;
    struct coarse_space *space = call->space;
    struct coarse_node *node = &space->nodes[number];
    if (node->rigid != SIM_NONE) {
        rigid_rotation(call->state->rigids[node->rigid].orientation, node->frame);
        return;
    }
    double matrix[9] = {0}, size = 0;
    for (uint32_t n = space->node_starts[number]; n < space->node_starts[number + 1]; n++) {
        const double *arm = space->arms + 3 * (size_t)space->node_vertices[n];
        const double *x = call->state->positions + 3 * (size_t)space->node_vertices[n];
        for (int k = 0; k < 9; k++) { /* arms add up to 0, so the centre of the x does not matter */
            matrix[k] += x[k / 3] * arm[k % 3];
        }
        size += sim_dot(arm, arm);
    }
    for (int k = 0; k < 9 && size > 0; k++) {
        matrix[k] /= size;
    }
    nearest_rotation(matrix, node->frame);
}

/* R D R^T of a symmetric D. */
static void turn_symmetric(const double frame[9], const double d[6], double out[6])
{
    const double full[9] = {d[0], d[1], d[2], d[1], d[3], d[4], d[2], d[4], d[5]};
    double half[9];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            half[3 * i + j] = frame[3 * i] * full[j] + frame[3 * i + 1] * full[3 + j] + frame[3 * i + 2] * full[6 + j];
        }
    }
    for (int i = 0, n = 0; i < 3; i++) {
        for (int j = i; j < 3; j++, n++) {
            out[n] = sim_dot(half + 3 * i, frame + 3 * j);
        }
    }
}

void coarse_invert_symmetric(const double s[6], double inverse[6])
{
    double a = s[3] * s[5] - s[4] * s[4], b = s[2] * s[4] - s[1] * s[5], c = s[1] * s[4] - s[2] * s[3];
    double determinant = s[0] * a + s[1] * b + s[2] * c, all = s[0] * s[3] * s[5];
    if (determinant > 0x1p-40 * all && isfinite(1 / determinant)) {
        inverse[0] = a / determinant;
        inverse[1] = b / determinant;
        inverse[2] = c / determinant;
        inverse[3] = (s[0] * s[5] - s[2] * s[2]) / determinant;
        inverse[4] = (s[1] * s[2] - s[0] * s[4]) / determinant;
        inverse[5] = (s[0] * s[3] - s[1] * s[1]) / determinant;
    } else {
        double sum = s[0] + s[3] + s[5];
        inverse[1] = inverse[2] = inverse[4] = 0;
        inverse[0] = inverse[3] = inverse[5] = sum > 0 ? 1 / sum : 0;
    }
}

void coarse_diagonal(const struct sim_model *model, const struct point_terms *terms, const struct inertia_terms *inertia,
                     struct coarse_space *space)
{
    double *diagonal = space->inverse_diagonal;
    for (uint32_t n = 0; n < space->node_count; n++) {
        for (uint32_t k = space->node_starts[n]; k < space->node_starts[n + 1]; k++) {
            uint32_t v = space->node_vertices[k];
            double *d = diagonal + 6 * (size_t)v;
            turn_symmetric(space->nodes[n].frame, space->rest_diagonal + 6 * (size_t)v, d);
            d[0] += inertia->vertices[v];
            d[3] += inertia->vertices[v];
            d[5] += inertia->vertices[v];
        }
    }
    for (uint64_t i = 0; i < terms->count; i++) {
        const struct point_term *term = &terms->terms[i];
        for (int k = 0; k < 8 && is_active(term); k++) {
            const struct term_point *point = k < 4 ? &term->a : &term->b;
            uint32_t v = point->vertices[k % 4];
            if (point->rigid == SIM_NONE && v != SIM_NONE && inertia->vertices[v] > 0) {
                double square = point->weights[k % 4] * point->weights[k % 4];
                for (size_t n = 0; n < 6; n++) {
                    diagonal[6 * (size_t)v + n] += square * term->matrix[n];
                }
            }
        }
    }
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        if (inertia->vertices[v] > 0 && space->vertex_nodes[v] != SIM_NONE) {
            double kept[6];
            memcpy(kept, diagonal + 6 * (size_t)v, sizeof kept);
            coarse_invert_symmetric(kept, diagonal + 6 * (size_t)v);
        }
    }
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* A few contacts more or less cost conjugate gradients a product each; a factor costs more. */
bool coarse_is_current(const struct point_terms *terms)
{
    uint64_t changed = 0, active = 0;
    for (uint64_t i = 0; i < terms->contact_count; i++) {
        active += is_active(&terms->terms[i]);
        changed += is_active(&terms->terms[i]) != terms->terms[i].in_factor;
    }
    return changed <= 2 + active / 16;
}

/* Blocks of the elements are in the frames of the nodes and do not change: without terms and supports, which are not,
 * neither does the factor. */
static bool keeps_static_factor(const struct sim_model *model, const struct point_terms *terms,
                                const struct inertia_terms *inertia, struct coarse_space *space)
{
    bool any = model->loads->hold_count > 0, same = space->factor_is_static;
    for (uint64_t i = 0; i < terms->count; i++) {
        any = any || is_active(&terms->terms[i]);
    }
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        same = same && space->factor_active[r] == inertia->rigid_active[r];
        space->factor_active[r] = inertia->rigid_active[r];
    }
    space->factor_is_static = !any;
    return same && !any;
}

dent_status coarse_refresh(const struct sim_model *model, const struct sim_state *state,
                           const struct point_terms *terms, const struct inertia_terms *inertia,
                           struct coarse_space *space, bool elements)
{
    if (space->node_count == 0) {
        return DENT_OK;
    }
    if (space->direct) {
        for (uint32_t n = space->node_count - model->rigid_count; n < space->node_count; n++) {
            rigid_rotation(state->rigids[space->nodes[n].rigid].orientation, space->nodes[n].frame);
        }
        if (elements) {
            make_blocks(model, space, state->positions, state, inertia->rate);
        }
        return factorise(model, terms, inertia, space);
    }
    struct frame_call call = {model, state, space};
    if (elements) {
        for_nodes(model, space, frame_task, &call);
    }
    if (!space->diagonal_in_floats) {
        coarse_diagonal(model, terms, inertia, space);
    }
    dent_status status = DENT_OK;
    if (!keeps_static_factor(model, terms, inertia, space)) {
        status = factorise(model, terms, inertia, space);
        space->factor_is_static = space->factor_is_static && status == DENT_OK;
    }
    return status;
}

static dent_status allocate(struct sim_model *model, struct coarse_space *space, uint32_t nodes)
{
    size_t vertices = model->vertex_count;
    space->nodes = sim_allocate(model, nodes, sizeof *space->nodes);
    space->node_starts = sim_allocate(model, (size_t)nodes + 1, sizeof *space->node_starts);
    space->vertex_nodes = sim_allocate(model, vertices, sizeof *space->vertex_nodes);
    space->node_vertices = sim_allocate(model, vertices, sizeof *space->node_vertices);
    space->arms = sim_allocate(model, 3 * vertices, sizeof(double));
    space->rest_diagonal = sim_allocate(model, 6 * vertices, sizeof(double));
    space->inverse_diagonal = sim_allocate(model, 6 * vertices, sizeof(double));
    space->link_starts = sim_allocate(model, (size_t)nodes + 1, sizeof *space->link_starts);
    space->order = sim_allocate(model, nodes, sizeof *space->order);
    space->static_first = sim_allocate(model, nodes, sizeof *space->static_first);
    space->static_envelope = sim_allocate(model, 6 * (size_t)nodes, sizeof *space->static_envelope);
    space->values = sim_allocate(model, 6 * (size_t)nodes, sizeof(double));
    space->factor_active = sim_allocate(model, model->rigid_count, 1);
    return space->nodes && space->node_starts && space->vertex_nodes && space->node_vertices && space->arms &&
                   space->rest_diagonal && space->inverse_diagonal && space->link_starts && space->order &&
                   space->static_first && space->static_envelope &&
                   space->values && space->factor_active
               ? DENT_OK
               : sim_no_memory(model->context);
}

static dent_status build_nodes(struct sim_model *model, const struct inertia_terms *inertia, const double *rest,
                               struct coarse_space *space)
{
    make_nodes(model, inertia, rest, space);
    dent_status status = list_pairs(model, space);
    status = status == DENT_OK ? lay_out(model, NULL, space) : status;
    return status;
}

dent_status coarse_build(struct sim_model *model, const struct inertia_terms *inertia, struct coarse_space *space)
{
    size_t numbers = 3 * (size_t)model->vertex_count;
    double *rest = dent_allocate(model->context, numbers, sizeof *rest);
    dent_status status = rest ? allocate(model, space, model->vertex_count + model->rigid_count)
                              : sim_no_memory(model->context);
    if (status == DENT_OK) {
        dent_isa isa = dent_context_isa(model->context);
        space->kernels = KERNELS_FOR(isa, tet_kernels_scalar, tet_kernels_avx2, tet_kernels_avx512);
        rest_positions(model, rest);
        double most_cost = DIRECT_COST + POINT_COST * model->elastic->cells.point_count;
        uint32_t vertices = 0;
        for (uint32_t b = 0; b < model->body_count; b++) {
            vertices += model->bodies[b].kind == DENT_SIM_STRANDS ? 0 : model->bodies[b].vertex_count;
        }
        space->direct = vertices <= DIRECT_VERTICES;
        status = build_nodes(model, inertia, rest, space);
        if (status == DENT_OK && space->direct && envelope_cost(&space->envelope) > most_cost) {
            space->direct = false;
            status = build_nodes(model, inertia, rest, space);
        }
    }
    if (status == DENT_OK) {
        space->node_blocks = sim_allocate(model, 36 * (size_t)space->node_count, sizeof(double));
        space->pair_blocks = sim_allocate(model, 36 * (size_t)space->pair_count, sizeof(double));
        status = space->node_blocks && space->pair_blocks ? DENT_OK : sim_no_memory(model->context);
    }
    dent_release(model->context, rest, numbers, sizeof *rest);
    return status == DENT_OK ? coarse_rest(model, inertia, space) : status;
}

dent_status coarse_rest(const struct sim_model *model, const struct inertia_terms *inertia, struct coarse_space *space)
{
    size_t numbers = 3 * (size_t)model->vertex_count;
    double *rest = dent_allocate(model->context, numbers, sizeof *rest);
    if (!rest) {
        return sim_no_memory(model->context);
    }
    rest_positions(model, rest);
    for (uint32_t n = 0; n < space->node_count; n++) {
        memset(space->nodes[n].frame, 0, sizeof space->nodes[n].frame);
        space->nodes[n].frame[0] = space->nodes[n].frame[4] = space->nodes[n].frame[8] = 1;
    }
    memset(space->rest_diagonal, 0, 6 * (size_t)model->vertex_count * sizeof(double));
    space->built = space->factor_is_static = false;
    make_blocks(model, space, rest, NULL, inertia->rate);
    space->built = true;
    space->weight = 0.5; /* 1.5 over the largest eigenvalue of D^-1 A, about three for tetrahedra */
    dent_release(model->context, rest, numbers, sizeof *rest);
    return DENT_OK;
}

void coarse_destroy(dent_context *context, struct coarse_space *space)
{
    if (space->envelope.context) {
        envelope_destroy(&space->envelope);
    }
    dent_release(context, space->links, (size_t)space->link_capacity, sizeof *space->links);
}

/* ---- application ------------------------------------------------------------------------------------------------- */

struct apply_call {
    const struct sim_model *model;
    const struct coarse_space *space;
    const double *r;
    double *z;
};

static void transposed_times(const double *matrix, const double *vector, double *out)
{
    for (int i = 0; i < 3; i++) {
        out[i] = matrix[i] * vector[0] + matrix[3 + i] * vector[1] + matrix[6 + i] * vector[2];
    }
}

static void restrict_task(void *data, uint32_t number, uint32_t worker)
{
    (void)worker;
    const struct apply_call *call = data;
    const struct coarse_space *space = call->space;
    const struct coarse_node *node = &space->nodes[number];
    double *values = space->values + node->first, sum[6] = {0};
    if (node->rigid != SIM_NONE) {
        const double *six = call->r + 3 * (size_t)call->model->vertex_count + 6 * (size_t)node->rigid;
        transposed_times(node->frame, six, sum);
        transposed_times(node->frame, six + 3, sum + 3);
    } else {
        for (uint32_t n = space->node_starts[number]; n < space->node_starts[number + 1]; n++) {
            uint32_t v = space->node_vertices[n];
            double local[3], moment[3];
            transposed_times(node->frame, call->r + 3 * (size_t)v, local);
            sim_cross(space->arms + 3 * (size_t)v, local, moment);
            sim_add_scaled(sum, 1, local);
            sim_add_scaled(sum + 3, 1, moment);
        }
    }
    memcpy(values, sum, node->unknowns * sizeof *values);
}

static void prolong_task(void *data, uint32_t number, uint32_t worker)
{
    (void)worker;
    const struct apply_call *call = data;
    const struct coarse_space *space = call->space;
    const struct coarse_node *node = &space->nodes[number];
    const double *values = space->values + node->first;
    if (node->rigid != SIM_NONE) {
        double *six = call->z + 3 * (size_t)call->model->vertex_count + 6 * (size_t)node->rigid;
        for (int i = 0; i < 3; i++) {
            six[i] = sim_dot(node->frame + 3 * i, values);
            six[3 + i] = sim_dot(node->frame + 3 * i, values + 3);
        }
        return;
    }
    for (uint32_t n = space->node_starts[number]; n < space->node_starts[number + 1]; n++) {
        size_t v = space->node_vertices[n];
        double local[3] = {values[0], values[1], values[2]}, turn[3], *z = call->z + 3 * v;
        if (space->direct) {
            memcpy(z, local, sizeof local);
            continue;
        }
        const double *d = space->inverse_diagonal + 6 * v, *r = call->r + 3 * v;
        sim_cross(values + 3, space->arms + 3 * v, turn);
        sim_add_scaled(local, 1, turn);
        z[0] = space->weight * (d[0] * r[0] + d[1] * r[1] + d[2] * r[2]) + sim_dot(node->frame, local);
        z[1] = space->weight * (d[1] * r[0] + d[3] * r[1] + d[4] * r[2]) + sim_dot(node->frame + 3, local);
        z[2] = space->weight * (d[2] * r[0] + d[4] * r[1] + d[5] * r[2]) + sim_dot(node->frame + 6, local);
    }
}

void coarse_apply(const struct sim_model *model, const struct coarse_space *space, const double *r, double *z)
{
    struct apply_call call = {model, space, r, z};
    if (space->node_count > 0) {
        for_nodes(model, space, restrict_task, &call);
        envelope_solve(&space->envelope, space->kernels, space->values);
        for_nodes(model, space, prolong_task, &call);
        supports_project(model, z);
    }
}
