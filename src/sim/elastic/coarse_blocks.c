/* What the elements put into the matrix of the coarse space: which nodes they join, and the 6x6 blocks between them. */
#include "coarse_parts.h"

#include "base/containers/heap_sort.h"
#include "elastic_pass.h"

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
                           const struct sim_state *state, double rate, bool cloth, element_visit *visit)
{
    double tet[4][4][9], triangle[3][3][9];
    uint32_t triangles = cloth ? mesh->triangle_count : 0, hinges = cloth ? mesh->hinge_count : 0;
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
    for (uint32_t t = 0; t < triangles; t++) {
        if (positions) {
            cloth_triangle_stiffness(&mesh->triangles[t], positions, rate, triangle);
        }
        visit(space, mesh->triangles[t].corners, 3, positions ? triangle[0][0] : NULL);
    }
    for (uint32_t t = 0; t < hinges; t++) {
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
uint64_t coarse_sort_pairs(struct coarse_pair *pairs, uint64_t count)
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

dent_status coarse_list_pairs(struct sim_model *model, struct coarse_space *space)
{
    dent_context *context = model->context;
    space->pairs = NULL;
    space->pair_count = 0;
    visit_elements(model->elastic, space, NULL, NULL, 0, true, note_pairs);
    uint64_t all = space->pair_count;
    struct coarse_pair *found = dent_allocate(context, (size_t)all, sizeof *found);
    if (!found) {
        return sim_no_memory(context);
    }
    space->pairs = found;
    space->pair_count = 0;
    visit_elements(model->elastic, space, NULL, NULL, 0, true, note_pairs);
    space->pair_count = coarse_sort_pairs(found, all);
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

uint32_t coarse_find_pair(const struct coarse_space *space, uint32_t a, uint32_t b)
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
void coarse_motion_at(const double *arm, double motion[3][6])
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
void coarse_turn_motion(const double frame[9], double factor, double motion[3][6])
{
    for (int j = 0; j < 6; j++) {
        double x = motion[0][j], y = motion[1][j], z = motion[2][j];
        for (int i = 0; i < 3; i++) {
            motion[i][j] = factor * (frame[3 * i] * x + frame[3 * i + 1] * y + frame[3 * i + 2] * z);
        }
    }
}

/* target += left^T block right */
void coarse_add_block(double target[36], double left[3][6], const double block[9], double right[3][6])
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

void coarse_add_element(struct coarse_space *space, const uint32_t *corners, uint32_t count, const double *blocks)
{
    double motions[CELL_MOST_CORNERS][3][6];
    uint32_t nodes[CELL_MOST_CORNERS];
    bool one = true;
    for (uint32_t k = 0; k < count; k++) {
        nodes[k] = space->vertex_nodes[corners[k]];
        one = one && nodes[k] == nodes[0];
        bool rigid = nodes[k] != SIM_NONE && space->nodes[nodes[k]].rigid != SIM_NONE;
        coarse_motion_at(space->arms + 3 * (size_t)corners[k], motions[k]);
        if (rigid) { /* its unknowns are in its frame, elements in space: the same while all is at rest */
            coarse_turn_motion(space->nodes[nodes[k]].frame, 1, motions[k]);
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
                                    : space->pair_blocks + 36 * (size_t)coarse_find_pair(space, a, b);
            if (space->nodes[a].unknowns == 3 && space->nodes[b].unknowns == 3) {
                for (int n = 0; n < 9; n++) {
                    target[6 * (n / 3) + n % 3] += block[n];
                }
            } else {
                coarse_add_block(target, motions[i], block, motions[j]);
            }
        }
    }
}

void coarse_make_blocks(const struct sim_model *model, struct coarse_space *space, const double *positions,
                        const struct sim_state *state, double rate, bool cloth)
{
    memset(space->node_blocks, 0, 36 * (size_t)space->node_count * sizeof(double));
    if (space->pair_count > 0) {
        memset(space->pair_blocks, 0, 36 * (size_t)space->pair_count * sizeof(double));
    }
    visit_elements(model->elastic, space, positions, state, rate, cloth, coarse_add_element);
}
