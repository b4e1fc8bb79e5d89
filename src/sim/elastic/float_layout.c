/* Elements in blocks for products in floats. An element belongs to the lowest slot among its corners, and a block to a
 * stretch of slots: so its rows, some hundred, stay in the nearest cache, and each vertex is in two or three blocks. */
#include "float_solve.h"

#include "rigid_bonds.h"
#include "simd/kernel_choice.h"

#include <math.h>
#include <string.h>

enum { BLOCK_SLOTS = 128, MOST_ELEMENTS = 8192 };

enum element_kind { KIND_TET, KIND_TRIANGLE, KIND_HINGE };

/* An element of the mesh: its kind and number (of a tetrahedron: group * TET_LANES + lane). */
struct element {
    uint32_t kind, number, corners[4];
};

/* The groups in doubles of the block that is being filled. */
struct filled {
    struct block_tets *tets;
    struct block_triangles *triangles;
    struct block_hinges *hinges;
};

struct layout {
    struct filled filled;
    struct sim_model *model;
    const struct inertia_terms *inertia;
    struct float_system *system;
    struct element *elements; /* by the lowest slot */
    uint64_t count, capacity;
    uint32_t *starts;    /* of the elements of a slot; slot_count + 1 */
    uint32_t *row_marks; /* by vertex: its row in the present block, + 1 */
    uint64_t row_count;
};

/* ---- slots ------------------------------------------------------------------------------------------------------- */

static dent_status make_slots(struct sim_model *model, const struct coarse_space *space, struct float_system *system)
{
    uint32_t nodes = space->node_count - model->rigid_count;
    system->free_count = nodes > 0 ? space->node_starts[nodes] : 0;
    system->slot_count = system->free_count + model->bonds->bond_count;
    system->slot_vertices = sim_allocate(model, system->slot_count, sizeof *system->slot_vertices);
    system->vertex_slots = sim_allocate(model, model->vertex_count, sizeof *system->vertex_slots);
    if (!system->slot_vertices || !system->vertex_slots) {
        return sim_no_memory(model->context);
    }
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        system->vertex_slots[v] = system->slot_count;
    }
    for (uint32_t s = 0; s < system->slot_count; s++) {
        uint32_t v =
            s < system->free_count ? space->node_vertices[s] : model->bonds->bonds[s - system->free_count].vertex;
        system->slot_vertices[s] = v;
        system->vertex_slots[v] = s;
    }
    return DENT_OK;
}

/* ---- elements by slots ------------------------------------------------------------------------------------------- */

static uint32_t corner_count(uint32_t kind)
{
    return kind == KIND_TRIANGLE ? 3 : 4;
}

static uint32_t lowest_slot(const struct layout *layout, const struct element *element)
{
    uint32_t lowest = layout->system->slot_count;
    for (uint32_t k = 0; k < corner_count(element->kind); k++) {
        uint32_t slot = layout->system->vertex_slots[element->corners[k]];
        lowest = slot < lowest ? slot : lowest;
    }
    return lowest;
}

/* Counts an element into starts, or puts it in its place; those with no corner that moves are left out. */
static void take(struct layout *layout, const struct element *element)
{
    uint32_t slot = lowest_slot(layout, element);
    if (slot < layout->system->slot_count) {
        if (layout->elements) {
            layout->elements[layout->starts[slot]++] = *element;
        } else {
            layout->starts[slot + 1]++;
        }
    }
}

static void take_all(struct layout *layout)
{
    const struct elastic_mesh *mesh = layout->model->elastic;
    struct element element = {0};
    for (uint32_t g = 0; g < mesh->group_count; g++) {
        for (uint32_t lane = 0; lane < TET_LANES && mesh->groups[g].mu[lane] > 0; lane++) {
            element.kind = KIND_TET;
            element.number = g * TET_LANES + lane;
            for (int k = 0; k < 4; k++) {
                element.corners[k] = mesh->groups[g].corners[k][lane];
            }
            take(layout, &element);
        }
    }
    for (uint32_t n = 0; n < mesh->triangle_count; n++) {
        element.kind = KIND_TRIANGLE;
        element.number = n;
        memcpy(element.corners, mesh->triangles[n].corners, sizeof mesh->triangles[n].corners);
        take(layout, &element);
    }
    for (uint32_t n = 0; n < mesh->hinge_count; n++) {
        element.kind = KIND_HINGE;
        element.number = n;
        memcpy(element.corners, mesh->hinges[n].corners, sizeof mesh->hinges[n].corners);
        take(layout, &element);
    }
}

static dent_status sort_elements(struct layout *layout)
{
    uint32_t slots = layout->system->slot_count;
    take_all(layout);
    for (uint32_t s = 0; s < slots; s++) {
        layout->starts[s + 1] += layout->starts[s];
    }
    layout->count = layout->capacity = layout->starts[slots];
    layout->elements = dent_allocate(layout->model->context, (size_t)layout->capacity + 1, sizeof *layout->elements);
    if (!layout->elements) {
        return sim_no_memory(layout->model->context);
    }
    take_all(layout);
    return DENT_OK;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static uint32_t groups_of(uint32_t count)
{
    return (count + FLOAT_LANES - 1) / FLOAT_LANES;
}

/* Where the block that begins with an element ends: with its stretch of slots, or when rows might need more than 16 bits. */
static uint64_t block_end(const struct layout *layout, uint64_t begin)
{
    uint32_t stretch = lowest_slot(layout, &layout->elements[begin]) / BLOCK_SLOTS;
    uint64_t end = begin + 1, most = begin + MOST_ELEMENTS;
    while (end < layout->count && end < most && lowest_slot(layout, &layout->elements[end]) / BLOCK_SLOTS == stretch) {
        end++;
    }
    return end;
}

static void put_tet(const struct layout *layout, uint32_t number, struct float_tets *to, struct block_tets *exact,
                    uint32_t lane)
{
    const struct tet_group *group = &layout->model->elastic->groups[number / TET_LANES];
    uint32_t from = number % TET_LANES;
    double length = layout->system->length, factor = 1 + group->damping[from] * layout->inertia->rate;
    double unit = layout->system->stiffness * length * length;
    for (int n = 0; n < 9; n++) {
        to->inverse[n][lane] = (float)(group->inverse[n][from] * length);
    }
    to->mu[lane] = (float)(factor * group->mu[from] / unit);
    to->lambda[lane] = (float)(factor * group->lambda[from] / unit);
    to->gamma[lane] = (float)group->gamma[from];
    for (int n = 0; n < 9; n++) {
        exact->inverse[n][lane] = group->inverse[n][from];
    }
    exact->mu[lane] = group->mu[from];
    exact->lambda[lane] = group->lambda[from];
    exact->gamma[lane] = group->gamma[from];
    exact->damping[lane] = group->damping[from];
    exact->damped |= group->damping[from] > 0;
}

static void put_triangle(const struct layout *layout, uint32_t number, struct float_triangles *to,
                         struct block_triangles *exact, uint32_t lane)
{
    const struct cloth_triangle *from = &layout->model->elastic->triangles[number];
    double length = layout->system->length, factor = 1 + from->damping * layout->inertia->rate;
    double unit = layout->system->stiffness * length * length;
    for (int k = 0; k < 2; k++) {
        to->along[k][lane] = (float)(from->along[k + 1] * length);
        to->across[k][lane] = (float)(from->across[k + 1] * length);
        exact->along[k][lane] = from->along[k + 1];
        exact->across[k][lane] = from->across[k + 1];
    }
    exact->stretch[lane] = from->stretch;
    exact->shear[lane] = from->shear;
    exact->damping[lane] = from->damping;
    exact->damped |= from->damping > 0;
    to->stretch[lane] = (float)(factor * from->stretch / unit);
    to->shear[lane] = (float)(factor * from->shear / unit);
}

static void put_hinge(const struct layout *layout, uint32_t number, struct float_hinges *to, struct block_hinges *exact,
                      uint32_t lane)
{
    const struct cloth_hinge *from = &layout->model->elastic->hinges[number];
    for (int k = 0; k < 3; k++) {
        to->weights[k][lane] = (float)from->weights[k + 1];
        exact->weights[k][lane] = from->weights[k + 1];
    }
    exact->stiffness[lane] = from->stiffness;
    exact->rest[lane] = from->rest;
    if (from->rest > 0) { /* flat ones are in the matrix of bending */
        to->stiffness[lane] = (float)(from->stiffness / layout->system->stiffness);
        to->rest[lane] = (float)(from->rest / layout->system->length);
    }
}

/* The row of a vertex in the block that is being filled. */
static uint16_t row_of(struct layout *layout, struct float_block *block, uint32_t vertex)
{
    struct float_system *system = layout->system;
    if (layout->row_marks[vertex] == 0) {
        if (system->row_vertices) {
            system->row_vertices[block->first_row + block->row_count] = vertex;
            system->row_slots[block->first_row + block->row_count] = system->vertex_slots[vertex];
        }
        layout->row_marks[vertex] = ++block->row_count;
    }
    return (uint16_t)(layout->row_marks[vertex] - 1);
}

static void put_element(struct layout *layout, struct float_block *block, const struct element *element, uint32_t place)
{
    uint32_t lane = place % FLOAT_LANES, group = place / FLOAT_LANES;
    const struct float_elements *to = &block->elements;
    const struct filled *exact = &layout->filled;
    uint16_t *corners = element->kind == KIND_TET        ? to->tets[group].corners[0]
                        : element->kind == KIND_TRIANGLE ? to->triangles[group].corners[0]
                                                         : to->hinges[group].corners[0];
    for (uint32_t k = 0; k < corner_count(element->kind); k++) {
        corners[k * FLOAT_LANES + lane] = row_of(layout, block, element->corners[k]);
    }
    if (element->kind == KIND_TET) {
        put_tet(layout, element->number, &to->tets[group], exact->tets + group, lane);
    } else if (element->kind == KIND_TRIANGLE) {
        put_triangle(layout, element->number, &to->triangles[group], exact->triangles + group, lane);
    } else {
        put_hinge(layout, element->number, &to->hinges[group], exact->hinges + group, lane);
        if (layout->model->elastic->hinges[element->number].rest > 0) {
            block->elements.curved_count = to->hinge_count;
        }
    }
}

/* Lanes that stay empty: no stiffness, and the shape of lane 0, so that nothing in them overflows. */
static void fill_up(const struct float_elements *to, const struct filled *exact, uint32_t tets)
{
    for (uint32_t place = tets; place < to->tet_count * FLOAT_LANES; place++) {
        struct float_tets *group = &to->tets[place / FLOAT_LANES];
        uint32_t lane = place % FLOAT_LANES;
        for (int n = 0; n < 9; n++) {
            group->inverse[n][lane] = group->inverse[n][0];
        }
        struct block_tets *other = &exact->tets[place / FLOAT_LANES];
        for (int n = 0; n < 9; n++) {
            other->inverse[n][lane] = other->inverse[n][0];
        }
        for (int k = 0; k < 4; k++) {
            group->corners[k][lane] = group->corners[k][0];
        }
    }
}

/* Rows of a block, and its elements where there is room for them. */
static void fill_block(struct layout *layout, struct float_block *block, uint64_t begin, uint64_t end)
{
    uint32_t placed[3] = {0, 0, 0};
    for (uint64_t n = begin; n < end; n++) {
        const struct element *element = &layout->elements[n];
        if (layout->system->row_vertices) {
            put_element(layout, block, element, placed[element->kind]);
        } else {
            for (uint32_t k = 0; k < corner_count(element->kind); k++) {
                row_of(layout, block, element->corners[k]);
            }
        }
        placed[element->kind]++;
    }
    for (uint64_t n = begin; n < end; n++) {
        for (uint32_t k = 0; k < corner_count(layout->elements[n].kind); k++) {
            layout->row_marks[layout->elements[n].corners[k]] = 0;
        }
    }
    if (layout->system->row_vertices) {
        fill_up(&block->elements, &layout->filled, placed[KIND_TET]);
        layout->filled.tets += block->elements.tet_count;
        layout->filled.triangles += block->elements.triangle_count;
        layout->filled.hinges += block->elements.hinge_count;
    } else {
        block->elements.tet_count = groups_of(placed[KIND_TET]);
        block->elements.triangle_count = groups_of(placed[KIND_TRIANGLE]);
        block->elements.hinge_count = groups_of(placed[KIND_HINGE]);
    }
}

static dent_status allocate_blocks(struct layout *layout, const uint64_t groups[3])
{
    struct sim_model *model = layout->model;
    struct float_system *system = layout->system;
    struct float_tets *tets = sim_allocate(model, (size_t)groups[KIND_TET], sizeof *tets);
    struct float_triangles *triangles = sim_allocate(model, (size_t)groups[KIND_TRIANGLE], sizeof *triangles);
    struct float_hinges *hinges = sim_allocate(model, (size_t)groups[KIND_HINGE], sizeof *hinges);
    struct filled *exact = &layout->filled;
    exact->tets = sim_allocate(model, (size_t)groups[KIND_TET], sizeof *exact->tets);
    exact->triangles = sim_allocate(model, (size_t)groups[KIND_TRIANGLE], sizeof *exact->triangles);
    exact->hinges = sim_allocate(model, (size_t)groups[KIND_HINGE], sizeof *exact->hinges);
    size_t scratch = 4 * (size_t)system->most_rows * dent_context_worker_count(model->context);
    system->double_sums = sim_allocate(model, 4 * (size_t)layout->row_count, sizeof *system->double_sums);
    system->double_scratch = sim_allocate(model, 3 * scratch, sizeof *system->double_scratch);
    system->double_partial =
        sim_allocate(model, BLOCK_SUMS * (size_t)system->block_count, sizeof *system->double_partial);
    system->row_vertices = sim_allocate(model, (size_t)layout->row_count, sizeof *system->row_vertices);
    system->row_slots = sim_allocate(model, (size_t)layout->row_count, sizeof *system->row_slots);
    system->sums = sim_allocate(model, 4 * (size_t)layout->row_count, sizeof *system->sums);
    system->scratch = sim_allocate(model, scratch, sizeof *system->scratch);
    if (!tets || !triangles || !hinges || !system->row_vertices || !system->row_slots || !system->sums ||
        !system->scratch || !exact->tets || !exact->triangles || !exact->hinges || !system->double_sums ||
        !system->double_scratch || !system->double_partial) {
        return sim_no_memory(model->context);
    }
    struct filled behind = *exact;
    for (uint32_t b = 0; b < system->block_count; b++) {
        struct float_elements *elements = &system->blocks[b].elements;
        system->blocks[b].doubles = (struct block_elements){elements, behind.tets, behind.triangles, behind.hinges};
        behind.tets += elements->tet_count;
        behind.triangles += elements->triangle_count;
        behind.hinges += elements->hinge_count;
        elements->tets = tets;
        elements->triangles = triangles;
        elements->hinges = hinges;
        tets += elements->tet_count;
        triangles += elements->triangle_count;
        hinges += elements->hinge_count;
    }
    return DENT_OK;
}

/* Once to count, once to fill. */
static dent_status make_blocks(struct layout *layout)
{
    struct float_system *system = layout->system;
    uint64_t groups[3] = {0, 0, 0};
    for (uint64_t begin = 0; begin < layout->count; begin = block_end(layout, begin)) {
        system->block_count++;
    }
    system->blocks = sim_allocate(layout->model, system->block_count, sizeof *system->blocks);
    if (!system->blocks) {
        return sim_no_memory(layout->model->context);
    }
    struct float_block *block = system->blocks;
    for (uint64_t begin = 0, end; begin < layout->count; begin = end, block++) {
        end = block_end(layout, begin);
        block->first_row = (uint32_t)layout->row_count;
        fill_block(layout, block, begin, end);
        layout->row_count += block->row_count;
        system->most_rows = block->row_count > system->most_rows ? block->row_count : system->most_rows;
        groups[KIND_TET] += block->elements.tet_count;
        groups[KIND_TRIANGLE] += block->elements.triangle_count;
        groups[KIND_HINGE] += block->elements.hinge_count;
    }
    dent_status status = allocate_blocks(layout, groups);
    block = system->blocks;
    for (uint64_t begin = 0, end; begin < layout->count && status == DENT_OK; begin = end, block++) {
        end = block_end(layout, begin);
        block->row_count = 0;
        fill_block(layout, block, begin, end);
    }
    return status;
}

/* For each slot its rows, block after block. */
static dent_status make_gathers(struct layout *layout)
{
    struct sim_model *model = layout->model;
    struct float_system *system = layout->system;
    uint32_t slots = system->slot_count;
    system->slot_starts = sim_allocate(model, (size_t)slots + 2, sizeof *system->slot_starts);
    system->slot_rows = sim_allocate(model, (size_t)layout->row_count, sizeof *system->slot_rows);
    if (!system->slot_starts || !system->slot_rows) {
        return sim_no_memory(model->context);
    }
    for (uint64_t n = 0; n < layout->row_count; n++) {
        system->slot_starts[system->row_slots[n] + 1]++;
    }
    for (uint32_t s = 0; s <= slots; s++) {
        system->slot_starts[s + 1] += system->slot_starts[s];
    }
    for (uint64_t n = 0; n < layout->row_count; n++) {
        system->slot_rows[system->slot_starts[system->row_slots[n]]++] = (uint32_t)n;
    }
    for (uint32_t s = slots + 1; s > 0; s--) {
        system->slot_starts[s] = system->slot_starts[s - 1];
    }
    system->slot_starts[0] = 0;
    return DENT_OK;
}

/* ---- units and vectors ------------------------------------------------------------------------------------------- */

/* The power of two next below a positive number. */
static double power_below(double number)
{
    int exponent;
    frexp(number, &exponent);
    return ldexp(1, exponent - 1);
}

static void choose_units(struct layout *layout, const struct coarse_space *space)
{
    struct float_system *system = layout->system;
    double stiffness = 0, length = INFINITY;
    for (uint32_t s = 0; s < system->free_count; s++) {
        uint32_t v = system->slot_vertices[s];
        const double *d = space->rest_diagonal + 6 * (size_t)v;
        double mean = (d[0] + d[3] + d[5]) / 3 + layout->inertia->vertices[v];
        stiffness = mean > stiffness ? mean : stiffness;
    }
    for (uint32_t b = 0; b < layout->model->body_count; b++) {
        const struct sim_body *body = &layout->model->bodies[b];
        bool elastic = body->kind == DENT_SIM_SOLID || body->kind == DENT_SIM_CLOTH;
        length = elastic && body->mean_edge > 0 && body->mean_edge < length ? body->mean_edge : length;
    }
    system->stiffness = stiffness > 0 && isfinite(stiffness) ? power_below(stiffness) : 1;
    system->length = isfinite(length) ? power_below(length) : 1;
}

static dent_status allocate_vectors(struct sim_model *model, struct float_system *system)
{
    struct float_vector *const vectors[] = {&system->r, &system->z, &system->p, &system->q, &system->x};
    size_t rows = 4 * ((size_t)system->slot_count + 1), slots = (size_t)system->slot_count + 1;
    bool all = true;
    for (size_t n = 0; n < sizeof vectors / sizeof vectors[0]; n++) {
        vectors[n]->rows = sim_allocate(model, rows, sizeof(float));
        vectors[n]->rigid = sim_allocate(model, 6 * (size_t)model->rigid_count, sizeof(double));
        all = all && vectors[n]->rows && vectors[n]->rigid;
    }
    system->inertia = sim_allocate(model, slots, sizeof(float));
    system->arms = sim_allocate(model, rows, sizeof(float));
    system->inverses = sim_allocate(model, 3 * rows, sizeof(float));
    system->added = sim_allocate(model, 6 * slots, sizeof(double));
    system->touched = sim_allocate(model, slots, sizeof *system->touched);
    system->partial = sim_allocate(model, slots + model->rigid_count, sizeof(double));
    return all && system->inertia && system->arms && system->inverses && system->added && system->touched &&
                   system->partial
               ? DENT_OK
               : sim_no_memory(model->context);
}

static void fill_slots(const struct layout *layout, const struct coarse_space *space)
{
    struct float_system *system = layout->system;
    for (uint32_t s = 0; s < system->free_count; s++) {
        uint32_t v = system->slot_vertices[s];
        system->inertia[s] = (float)(layout->inertia->vertices[v] / system->stiffness);
        for (size_t k = 0; k < 3; k++) {
            system->arms[4 * (size_t)s + k] = (float)(space->arms[3 * (size_t)v + k] / system->length);
        }
        system->touched[system->touched_count++] = s; /* so that all inverses are made */
    }
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* Floats know tetrahedra and cloth, and vertices that move freely or not at all. */
static bool is_fit(const struct sim_model *model, const struct inertia_terms *inertia, const struct coarse_space *space)
{
    for (uint32_t n = 0; n < model->loads->hold_count; n++) {
        if (inertia->vertices[model->loads->holds[n].vertex] > 0) {
            return false;
        }
    }
    return !space->direct && model->rod_row_count == 0 && space->node_count > 0 && model->elastic->cells.count == 0;
}

dent_status float_layout_build(struct sim_model *model, const struct inertia_terms *inertia,
                               const struct coarse_space *space, struct float_system *system)
{
    if (!is_fit(model, inertia, space)) {
        return DENT_OK;
    }
    struct layout layout = {.model = model, .inertia = inertia, .system = system};
    dent_isa isa = dent_context_isa(model->context);
    system->kernels = KERNELS_FOR(isa, float_kernels_scalar, float_kernels_avx2, float_kernels_avx512);
    system->block_kernels = KERNELS_FOR(isa, block_kernels_scalar, block_kernels_avx2, block_kernels_avx512);
    dent_status status = make_slots(model, space, system);
    size_t slots = (size_t)system->slot_count + 1, vertices = model->vertex_count;
    layout.starts = dent_allocate(model->context, slots + 1, sizeof *layout.starts);
    layout.row_marks = dent_allocate(model->context, vertices, sizeof *layout.row_marks);
    if (status == DENT_OK && layout.starts && layout.row_marks) {
        memset(layout.starts, 0, (slots + 1) * sizeof *layout.starts);
        memset(layout.row_marks, 0, vertices * sizeof *layout.row_marks);
        choose_units(&layout, space);
        status = sort_elements(&layout);
        status = status == DENT_OK ? make_blocks(&layout) : status;
        status = status == DENT_OK ? make_gathers(&layout) : status;
        status = status == DENT_OK ? float_bending_build(model, system) : status;
        status = status == DENT_OK ? allocate_vectors(model, system) : status;
    } else if (status == DENT_OK) {
        status = sim_no_memory(model->context);
    }
    if (status == DENT_OK) {
        fill_slots(&layout, space);
        system->built = true;
    }
    dent_release(model->context, layout.elements, (size_t)layout.capacity + 1, sizeof *layout.elements);
    dent_release(model->context, layout.row_marks, vertices, sizeof *layout.row_marks);
    dent_release(model->context, layout.starts, slots + 1, sizeof *layout.starts);
    return status;
}

void float_destroy(dent_context *context, struct float_system *system)
{
    dent_release(context, system->terms, (size_t)system->term_capacity, sizeof *system->terms);
}
