/* Nodes of the coarse space: aggregates of neighbouring vertices, found by halving bodies across their longest sides, and
 * rigid bodies. Where the factor is to solve the equations, a node for every vertex. */
#include "coarse_parts.h"

#include "base/containers/heap_sort.h"
#include "rigid_bonds.h"
#include "sim/elements/rod_mesh.h"

enum { AGGREGATE = 80, LARGE_AGGREGATE = 200, LARGE_MESH = 20000 /* vertices */ };

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
void coarse_rest_positions(const struct sim_model *model, double *positions)
{
    for (uint32_t b = 0; b < model->body_count; b++) {
        const struct sim_body *body = &model->bodies[b];
        memcpy(positions + 3 * (size_t)body->first_vertex, body->rest, 3 * (size_t)body->vertex_count * sizeof(double));
    }
}

void coarse_make_nodes(const struct sim_model *model, const struct inertia_terms *inertia, const double *rest,
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
