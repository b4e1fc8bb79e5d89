/* The preconditioner: z = weight D^-1 r + P (P^T A P)^-1 P^T r.
 *
 * D are the 3x3 blocks of the vertices. P are the rigid motions of aggregates, some hundred neighbouring vertices each;
 * rigid bodies are aggregates by themselves. What D moves slowly, long waves and whole bodies, P moves at once. The
 * matrix of the elements is made at rest: an aggregate that has turned since sees it in its own frame. Contacts and
 * attachments are added as they are now, to D and to P^T A P; its factor is made anew when they change. Cloth bends more
 * than that allows for: present_cloth.c.
 *
 * Small scenes have a node for every vertex, and the matrix is that of the present positions: then the factor solves
 * the linear equations at once, whatever the material. */
#include "coarse_parts.h"

#include "elastic_pass.h"
#include "rigid_bonds.h"
#include "simd/kernel_choice.h"

enum { DIRECT_VERTICES = 20000 };
#define DIRECT_COST 3e6 /* multiplications of a factor */
#define POINT_COST 3e4  /* and for each point of solid cells, whose matrices cost as much as three such passes */

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
    if (space->cloth.used && node->is_cloth) {
        present_cloth_node(call->state->positions, space, number);
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
            turn_symmetric(space->nodes[n].frame, space->diagonal + 6 * (size_t)v, d);
            d[0] += inertia->vertices[v];
            d[3] += inertia->vertices[v];
            d[5] += inertia->vertices[v];
        }
    }
    for (uint64_t i = 0; i < terms->count; i++) {
        const struct point_term *term = &terms->terms[i];
        for (int k = 0; k < 8 && term_is_active(term); k++) {
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
        active += term_is_active(&terms->terms[i]);
        changed += term_is_active(&terms->terms[i]) != terms->terms[i].in_factor;
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
        any = any || term_is_active(&terms->terms[i]);
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
            coarse_make_blocks(model, space, state->positions, state, inertia->rate, true);
        }
        return coarse_factorise(model, terms, inertia, space);
    }
    struct frame_call call = {model, state, space};
    if (elements) {
        for_nodes(model, space, frame_task, &call);
    }
    if (elements && space->cloth.used) {
        present_cloth_make(model, space, state->positions, inertia->rate);
        space->factor_is_static = false;
    }
    if (!space->diagonal_in_floats) {
        coarse_diagonal(model, terms, inertia, space);
    }
    dent_status status = DENT_OK;
    if (!keeps_static_factor(model, terms, inertia, space)) {
        status = coarse_factorise(model, terms, inertia, space);
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
    space->diagonal = sim_allocate(model, 6 * vertices, sizeof(double));
    space->link_starts = sim_allocate(model, (size_t)nodes + 1, sizeof *space->link_starts);
    space->order = sim_allocate(model, nodes, sizeof *space->order);
    space->static_first = sim_allocate(model, nodes, sizeof *space->static_first);
    space->static_envelope = sim_allocate(model, 6 * (size_t)nodes, sizeof *space->static_envelope);
    space->values = sim_allocate(model, 6 * (size_t)nodes, sizeof(double));
    space->factor_active = sim_allocate(model, model->rigid_count, 1);
    return space->nodes && space->node_starts && space->vertex_nodes && space->node_vertices && space->arms &&
                   space->rest_diagonal && space->inverse_diagonal && space->diagonal && space->link_starts && space->order &&
                   space->static_first && space->static_envelope &&
                   space->values && space->factor_active
               ? DENT_OK
               : sim_no_memory(model->context);
}

static dent_status build_nodes(struct sim_model *model, const struct inertia_terms *inertia, const double *rest,
                               struct coarse_space *space)
{
    coarse_make_nodes(model, inertia, rest, space);
    dent_status status = coarse_list_pairs(model, space);
    status = status == DENT_OK ? coarse_lay_out(model, NULL, space) : status;
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
        coarse_rest_positions(model, rest);
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
        status = space->node_blocks && space->pair_blocks ? present_cloth_build(model, space)
                                                          : sim_no_memory(model->context);
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
    coarse_rest_positions(model, rest);
    for (uint32_t n = 0; n < space->node_count; n++) {
        memset(space->nodes[n].frame, 0, sizeof space->nodes[n].frame);
        space->nodes[n].frame[0] = space->nodes[n].frame[4] = space->nodes[n].frame[8] = 1;
    }
    memset(space->rest_diagonal, 0, 6 * (size_t)model->vertex_count * sizeof(double));
    space->built = space->factor_is_static = false;
    coarse_make_blocks(model, space, rest, NULL, inertia->rate, true);
    memcpy(space->diagonal, space->rest_diagonal, 6 * (size_t)model->vertex_count * sizeof(double));
    space->built = true;
    if (space->cloth.used) {
        coarse_make_blocks(model, space, rest, NULL, inertia->rate, false);
        present_cloth_keep_solids(space);
    }
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
