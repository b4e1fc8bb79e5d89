/* Cloth in the preconditioner, as it lies now. A sheet bends so much that its shape at rest, turned, says little about it:
 * stiffness within the surface is a thousand times that across it. So at the beginning of an interval the nodes of cloth
 * get the rigid motions of their present shapes, in the axes of space, and the diagonal and the blocks of cloth are made
 * for the present positions.
 *
 * Elements within one node do not resist its motions; only those on a border between nodes are asked. The stretch of an
 * element is sum a_k x_k, so a node moves it by weight * displacement + rotation x lever, weight and lever the sums of a_k
 * and of a_k times the arm over the corners in the node: blocks follow from these, whatever the number of corners. */
#include "coarse_parts.h"

enum { VERTICES_A_TASK = 512, TRIANGLES_A_TASK = 1024 };

/* ---- creation ---------------------------------------------------------------------------------------------------- */

/* Whether the corners lie in more than one node that moves. */
static bool is_border(const struct coarse_space *space, const uint32_t *corners, uint32_t count)
{
    uint32_t first = SIM_NONE;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t node = space->vertex_nodes[corners[k]];
        if (node != SIM_NONE && first != SIM_NONE && node != first) {
            return true;
        }
        first = node != SIM_NONE ? node : first;
    }
    for (uint32_t k = 0; k < count && first != SIM_NONE; k++) { /* held by what does not move */
        if (space->vertex_nodes[corners[k]] == SIM_NONE) {
            return true;
        }
    }
    return false;
}

/* Counts the border, or lists it where there is room. */
static void list_border(const struct elastic_mesh *mesh, const struct coarse_space *space, struct present_cloth *cloth)
{
    cloth->border_count = 0;
    for (uint32_t t = 0; t < mesh->triangle_count + mesh->hinge_count; t++) {
        bool hinge = t >= mesh->triangle_count;
        const uint32_t *corners = hinge ? mesh->hinges[t - mesh->triangle_count].corners : mesh->triangles[t].corners;
        if (is_border(space, corners, hinge ? 4 : 3)) {
            if (cloth->border) {
                cloth->border[cloth->border_count] = t;
            }
            cloth->border_count++;
        }
    }
}

static void note_flat(const struct elastic_mesh *mesh, struct present_cloth *cloth)
{
    for (uint32_t t = 0; t < mesh->hinge_count; t++) {
        const struct cloth_hinge *hinge = &mesh->hinges[t];
        cloth->has_curved = cloth->has_curved || hinge->rest > 0;
        for (int k = 0; k < 4 && hinge->rest == 0; k++) {
            cloth->flat[hinge->corners[k]] += hinge->stiffness * hinge->weights[k] * hinge->weights[k];
        }
    }
}

dent_status present_cloth_build(struct sim_model *model, struct coarse_space *space)
{
    const struct elastic_mesh *mesh = model->elastic;
    struct present_cloth *cloth = &space->cloth;
    if (space->direct || mesh->triangle_count == 0) {
        return DENT_OK;
    }
    list_border(mesh, space, cloth);
    cloth->border = sim_allocate(model, cloth->border_count, sizeof *cloth->border);
    cloth->matrices = sim_allocate(model, mesh->triangle_count, sizeof *cloth->matrices);
    cloth->node_blocks = sim_allocate(model, 36 * (size_t)space->node_count, sizeof(double));
    cloth->pair_blocks = sim_allocate(model, 36 * (size_t)space->pair_count, sizeof(double));
    cloth->flat = sim_allocate(model, model->vertex_count, sizeof(double));
    if (!cloth->flat || !cloth->border || !cloth->matrices || !cloth->node_blocks || !cloth->pair_blocks) {
        return sim_no_memory(model->context);
    }
    list_border(mesh, space, cloth);
    note_flat(mesh, cloth);
    for (uint32_t n = 0; n < space->node_count; n++) {
        uint32_t first = space->node_starts[n];
        bool empty = first == space->node_starts[n + 1];
        space->nodes[n].is_cloth =
            !empty && model->bodies[model->vertex_bodies[space->node_vertices[first]]].kind == DENT_SIM_CLOTH;
    }
    cloth->used = true;
    return DENT_OK;
}

void present_cloth_keep_solids(struct coarse_space *space)
{
    memcpy(space->cloth.node_blocks, space->node_blocks, 36 * (size_t)space->node_count * sizeof(double));
    if (space->pair_count > 0) {
        memcpy(space->cloth.pair_blocks, space->pair_blocks, 36 * (size_t)space->pair_count * sizeof(double));
    }
}

void present_cloth_node(const double *positions, struct coarse_space *space, uint32_t number)
{
    struct coarse_node *node = &space->nodes[number];
    uint32_t begin = space->node_starts[number], end = space->node_starts[number + 1];
    memset(node->center, 0, sizeof node->center);
    memset(node->frame, 0, sizeof node->frame);
    node->frame[0] = node->frame[4] = node->frame[8] = 1;
    for (uint32_t n = begin; n < end; n++) {
        sim_add_scaled(node->center, 1.0 / (end - begin), positions + 3 * (size_t)space->node_vertices[n]);
    }
    for (uint32_t n = begin; n < end; n++) {
        size_t v = space->node_vertices[n];
        sim_subtract(positions + 3 * v, node->center, space->arms + 3 * v);
    }
}

/* ---- the diagonal ------------------------------------------------------------------------------------------------ */

struct present_call {
    const struct sim_model *model;
    struct coarse_space *space;
    const double *positions;
    double rate;
};

static uint32_t end_of(uint32_t begin, uint32_t size, uint32_t count)
{
    return count - begin > size ? begin + size : count;
}

static void matrix_task(void *data, uint32_t task, uint32_t worker)
{
    (void)worker;
    const struct present_call *call = data;
    const struct elastic_mesh *mesh = call->model->elastic;
    uint32_t begin = task * TRIANGLES_A_TASK;
    for (uint32_t t = begin; t < end_of(begin, TRIANGLES_A_TASK, mesh->triangle_count); t++) {
        cloth_triangle_matrix(&mesh->triangles[t], call->positions, &call->space->cloth.matrices[t]);
    }
}

/* d += even I + along w w^T */
static void add_spring(double even, double along, const double *w, double d[6])
{
    d[0] += even + along * w[0] * w[0];
    d[1] += along * w[0] * w[1];
    d[2] += along * w[0] * w[2];
    d[3] += even + along * w[1] * w[1];
    d[4] += along * w[1] * w[2];
    d[5] += even + along * w[2] * w[2];
}

static void add_triangle_diagonal(const struct cloth_triangle *triangle, const struct cloth_matrix *matrix, int corner,
                                  double rate, double d[6])
{
    double a = triangle->along[corner], c = triangle->across[corner], factor = 1 + triangle->damping * rate;
    double sheared[3];
    for (int k = 0; k < 3; k++) {
        sheared[k] = a * matrix->v[k] + c * matrix->u[k];
    }
    add_spring(factor * a * a * matrix->across[0], factor * a * a * matrix->along[0], matrix->u, d);
    add_spring(factor * c * c * matrix->across[1], factor * c * c * matrix->along[1], matrix->v, d);
    add_spring(0, factor * triangle->shear, sheared, d);
}

/* `entry`: twelve for each hinge, three for each of its corners. */
static void add_curved_diagonal(const struct present_call *call, uint32_t entry, double d[6])
{
    const struct cloth_hinge *hinge = &call->model->elastic->hinges[entry / 12];
    double weight = hinge->weights[entry % 12 / 3], w[3], across, along;
    if (hinge->rest > 0) {
        cloth_hinge_matrix(hinge, call->positions, w, &across, &along);
        add_spring(weight * weight * across, weight * weight * along, w, d);
    }
}

/* From all elements around a vertex, in a fixed order. */
static void diagonal_task(void *data, uint32_t task, uint32_t worker)
{
    (void)worker;
    const struct present_call *call = data;
    const struct elastic_mesh *mesh = call->model->elastic;
    uint32_t begin = task * VERTICES_A_TASK, of_triangles = 9 * mesh->triangle_count;
    for (uint32_t v = begin; v < end_of(begin, VERTICES_A_TASK, call->model->vertex_count); v++) {
        double flat = call->space->cloth.flat[v], d[6] = {flat, 0, 0, flat, 0, flat};
        for (uint32_t e = mesh->cloth_starts[v]; e < mesh->cloth_starts[v + 1]; e++) {
            uint32_t entry = mesh->cloth_entries[e], t = entry / 9;
            if (entry < of_triangles) {
                add_triangle_diagonal(&mesh->triangles[t], &call->space->cloth.matrices[t], (int)(entry % 9 / 3),
                                      call->rate, d);
            } else if (call->space->cloth.has_curved) {
                add_curved_diagonal(call, entry - of_triangles, d);
            }
        }
        if (mesh->cloth_starts[v] < mesh->cloth_starts[v + 1]) {
            memcpy(call->space->diagonal + 6 * (size_t)v, d, sizeof d);
        }
    }
}

/* ---- blocks between nodes ---------------------------------------------------------------------------------------- */

/* A stretch as its nodes see it. */
struct node_stretch {
    uint32_t nodes[4], count;
    double weights[4], levers[4][3];
};

static struct node_stretch stretch_of(const struct coarse_space *space, const uint32_t *corners, const double *weights,
                                      uint32_t count)
{
    struct node_stretch stretch = {.count = 0};
    for (uint32_t k = 0; k < count; k++) {
        uint32_t node = space->vertex_nodes[corners[k]], n = 0;
        if (node == SIM_NONE) {
            continue;
        }
        while (n < stretch.count && stretch.nodes[n] != node) {
            n++;
        }
        stretch.nodes[n] = node;
        stretch.count += n == stretch.count;
        stretch.weights[n] += weights[k];
        sim_add_scaled(stretch.levers[n], weights[k], space->arms + 3 * (size_t)corners[k]);
    }
    return stretch;
}

/* block += even times the product of how m and n move the stretch */
static void add_even(double block[36], double even, const struct node_stretch *stretch, uint32_t m, uint32_t n)
{
    double a = stretch->weights[m], c = stretch->weights[n], shift = even * a * c;
    const double *p = stretch->levers[m], *q = stretch->levers[n];
    double both = sim_dot(p, q), row = even * a, column = even * c;
    for (int i = 0; i < 3; i++) {
        block[7 * i] += shift;
        for (int j = 0; j < 3; j++) {
            block[6 * (3 + i) + 3 + j] += even * ((i == j ? both : 0) - q[i] * p[j]);
        }
    }
    block[4] += row * q[2];
    block[5] -= row * q[1];
    block[9] -= row * q[2];
    block[11] += row * q[0];
    block[15] += row * q[1];
    block[16] -= row * q[0];
    block[24] += column * p[2];
    block[30] -= column * p[1];
    block[19] -= column * p[2];
    block[31] += column * p[0];
    block[20] += column * p[1];
    block[26] -= column * p[0];
}

/* How the unknowns of a node change stretch . w. */
static void change_along(const struct node_stretch *stretch, uint32_t n, const double *w, double out[6])
{
    for (int k = 0; k < 3; k++) {
        out[k] = stretch->weights[n] * w[k];
    }
    sim_cross(stretch->levers[n], w, out + 3);
}

static void add_product(double block[36], double factor, const double left[6], const double right[6])
{
    for (int i = 0; i < 6; i++) {
        double scaled = factor * left[i];
        for (int j = 0; j < 6; j++) {
            block[6 * i + j] += scaled * right[j];
        }
    }
}

static double *block_between(struct coarse_space *space, uint32_t a, uint32_t b)
{
    return a == b ? space->node_blocks + 36 * (size_t)a
                  : space->pair_blocks + 36 * (size_t)coarse_find_pair(space, a, b);
}

static void add_hinge(const struct present_call *call, const struct cloth_hinge *hinge)
{
    struct node_stretch stretch = stretch_of(call->space, hinge->corners, hinge->weights, 4);
    double w[3], across, along, left[6], right[6];
    cloth_hinge_matrix(hinge, call->positions, w, &across, &along);
    for (uint32_t m = 0; m < stretch.count; m++) {
        for (uint32_t n = 0; n < stretch.count; n++) {
            if (stretch.nodes[m] <= stretch.nodes[n]) {
                double *block = block_between(call->space, stretch.nodes[m], stretch.nodes[n]);
                add_even(block, across, &stretch, m, n);
                if (along != 0) {
                    change_along(&stretch, m, w, left);
                    change_along(&stretch, n, w, right);
                    add_product(block, along, left, right);
                }
            }
        }
    }
}

static void add_triangle(const struct present_call *call, uint32_t number)
{
    const struct cloth_triangle *triangle = &call->model->elastic->triangles[number];
    const struct cloth_matrix *matrix = &call->space->cloth.matrices[number];
    struct node_stretch u = stretch_of(call->space, triangle->corners, triangle->along, 3);
    struct node_stretch v = stretch_of(call->space, triangle->corners, triangle->across, 3);
    double along_u[4][6], along_v[4][6], sheared[4][6], other[6], factor = 1 + triangle->damping * call->rate;
    for (uint32_t n = 0; n < u.count; n++) {
        change_along(&u, n, matrix->u, along_u[n]);
        change_along(&v, n, matrix->v, along_v[n]);
        change_along(&u, n, matrix->v, sheared[n]);
        change_along(&v, n, matrix->u, other);
        for (int k = 0; k < 6; k++) {
            sheared[n][k] += other[k];
        }
    }
    for (uint32_t m = 0; m < u.count; m++) {
        for (uint32_t n = 0; n < u.count; n++) {
            if (u.nodes[m] <= u.nodes[n]) {
                double *block = block_between(call->space, u.nodes[m], u.nodes[n]);
                add_even(block, factor * matrix->across[0], &u, m, n);
                add_even(block, factor * matrix->across[1], &v, m, n);
                add_product(block, factor * matrix->along[0], along_u[m], along_u[n]);
                add_product(block, factor * matrix->along[1], along_v[m], along_v[n]);
                add_product(block, factor * triangle->shear, sheared[m], sheared[n]);
            }
        }
    }
}

/* Arms of rigid bodies are in their frames: blocks with them go the long way. */
static bool meets_rigid(const struct coarse_space *space, const uint32_t *corners, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        uint32_t node = space->vertex_nodes[corners[k]];
        if (node != SIM_NONE && space->nodes[node].rigid != SIM_NONE) {
            return true;
        }
    }
    return false;
}

static void add_element(const struct present_call *call, uint32_t number)
{
    const struct elastic_mesh *mesh = call->model->elastic;
    bool is_hinge = number >= mesh->triangle_count;
    const struct cloth_hinge *hinge = is_hinge ? &mesh->hinges[number - mesh->triangle_count] : NULL;
    const uint32_t *corners = is_hinge ? hinge->corners : mesh->triangles[number].corners;
    double blocks[4][4][9], three[3][3][9];
    if (!meets_rigid(call->space, corners, is_hinge ? 4 : 3)) {
        if (is_hinge) {
            add_hinge(call, hinge);
        } else {
            add_triangle(call, number);
        }
    } else if (is_hinge) {
        cloth_hinge_stiffness(hinge, call->positions, blocks);
        coarse_add_element(call->space, corners, 4, blocks[0][0]);
    } else {
        cloth_triangle_stiffness(&mesh->triangles[number], call->positions, call->rate, three);
        coarse_add_element(call->space, corners, 3, three[0][0]);
    }
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

void present_cloth_make(const struct sim_model *model, struct coarse_space *space, const double *positions, double rate)
{
    const struct elastic_mesh *mesh = model->elastic;
    struct present_call call = {model, space, positions, rate};
    dent_parallel_for(model->context, (mesh->triangle_count - 1) / TRIANGLES_A_TASK + 1, matrix_task, &call);
    dent_parallel_for(model->context, (model->vertex_count - 1) / VERTICES_A_TASK + 1, diagonal_task, &call);
    memcpy(space->node_blocks, space->cloth.node_blocks, 36 * (size_t)space->node_count * sizeof(double));
    if (space->pair_count > 0) {
        memcpy(space->pair_blocks, space->cloth.pair_blocks, 36 * (size_t)space->pair_count * sizeof(double));
    }
    for (uint32_t n = 0; n < space->cloth.border_count; n++) {
        add_element(&call, space->cloth.border[n]);
    }
}
