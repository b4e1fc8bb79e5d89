/* hair_head.c — see hair_head.h. */
#include "hair_head.h"

#include <math.h>
#include <string.h>

static double sine(double angle)
{
    double value;
    dent_sine_cosine(angle, &value, NULL);
    return value;
}

bool hair_head_open(hair_head *head, dent_context *context, uint32_t strands, uint32_t rows)
{
    memset(head, 0, sizeof *head);
    head->context = context;
    head->strand_count = strands;
    head->row_count = rows;
    head->vertex_count = strands * rows;
    head->spacing = 0.004;
    head->radius = 0.0006;
    size_t numbers = 3 * (size_t)head->vertex_count;
    head->first = dent_allocate(context, strands + 1, sizeof *head->first);
    head->positions = dent_allocate(context, numbers, sizeof(double));
    head->velocities = dent_allocate(context, numbers, sizeof(double));
    head->forces = dent_allocate(context, numbers, sizeof(double));
    head->inverse_masses = dent_allocate(context, head->vertex_count, sizeof(double));
    head->world = dent_world_create(context);
    if (!head->first || !head->positions || !head->velocities || !head->forces || !head->inverse_masses ||
        !head->world) {
        return false;
    }
    memset(head->forces, 0, numbers * sizeof(double));
    for (uint32_t s = 0; s <= strands; s++) {
        head->first[s] = s * rows;
    }
    for (uint32_t v = 0; v < head->vertex_count; v++) {
        head->inverse_masses[v] = v % rows == 0 ? 0 : 1e5;
    }
    hair_head_pose(head, 0);
    dent_body_def def = dent_strands_def_default();
    def.name = "hair";
    def.vertex_count = head->vertex_count;
    def.strand_count = strands;
    def.first = head->first;
    def.positions_t0 = dent_positions_double(head->positions);
    def.thickness = head->radius;
    return dent_world_add_body(head->world, &def, &head->id) == DENT_OK;
}

void hair_head_close(hair_head *head)
{
    dent_context *context = head->context;
    size_t numbers = 3 * (size_t)head->vertex_count;
    dent_world_destroy(head->world);
    dent_release(context, head->first, head->strand_count + 1, sizeof *head->first);
    dent_release(context, head->positions, numbers, sizeof(double));
    dent_release(context, head->velocities, numbers, sizeof(double));
    dent_release(context, head->forces, numbers, sizeof(double));
    dent_release(context, head->inverse_masses, head->vertex_count, sizeof(double));
    dent_release(context, head->pair_a, head->pair_capacity, sizeof *head->pair_a);
    dent_release(context, head->pair_b, head->pair_capacity, sizeof *head->pair_b);
    dent_release(context, head->distances, head->pair_capacity, sizeof *head->distances);
}

void hair_head_pose(hair_head *head, double time)
{
    uint32_t side = (uint32_t)ceil(sqrt(head->strand_count));
    double length = 0.2 / (head->row_count - 1), step = 1e-3;
    for (uint32_t v = 0; v < head->vertex_count; v++) {
        uint32_t s = v / head->row_count, n = v % head->row_count;
        double down = (double)n / (head->row_count - 1), phase = 0.7 * s, x[2];
        for (int late = 0; late < 2; late++) { /* the second gives the velocity */
            double t = time + late * step;
            x[late] = head->spacing * (s % side + 0.7 * sine(6 * down + phase + 0.5 * t)) +
                      0.08 * down * down * sine(3.14159265358979 * t - down + 0.003 * s);
        }
        head->positions[3 * (size_t)v] = x[0];
        head->positions[3 * (size_t)v + 1] = head->spacing * (s / side + 0.7 * sine(5 * down + 1.3 * phase));
        head->positions[3 * (size_t)v + 2] = -length * n;
        head->velocities[3 * (size_t)v] = (x[1] - x[0]) / step;
        head->velocities[3 * (size_t)v + 1] = head->velocities[3 * (size_t)v + 2] = 0;
    }
}

static bool keep_pair(hair_head *head, uint32_t a, uint32_t b, double distance)
{
    if (head->pair_count == head->pair_capacity) {
        uint64_t wanted = 2 * head->pair_capacity + 4096;
        uint32_t *more_a = dent_reallocate(head->context, head->pair_a, head->pair_capacity, wanted, sizeof *more_a);
        head->pair_a = more_a ? more_a : head->pair_a;
        uint32_t *more_b =
            more_a ? dent_reallocate(head->context, head->pair_b, head->pair_capacity, wanted, sizeof *more_b) : NULL;
        head->pair_b = more_b ? more_b : head->pair_b;
        double *more =
            more_b ? dent_reallocate(head->context, head->distances, head->pair_capacity, wanted, sizeof *more) : NULL;
        if (!more) {
            return false;
        }
        head->distances = more;
        head->pair_capacity = wanted;
    }
    head->pair_a[head->pair_count] = a;
    head->pair_b[head->pair_count] = b;
    head->distances[head->pair_count++] = distance;
    return true;
}

bool hair_head_search(hair_head *head, double reach)
{
    dent_proximity_def def = dent_proximity_def_default();
    dent_proximity_result result;
    uint32_t edge_count;
    const dent_edge *edges = dent_body_edges(head->world, head->id, &edge_count);
    head->pair_count = 0;
    if (dent_body_set_thickness(head->world, head->id, reach * head->radius) != DENT_OK ||
        dent_world_proximity(head->world, &def, &result) != DENT_OK) {
        return false;
    }
    for (uint64_t i = result.vertex_face_count; i < result.count; i++) {
        uint32_t a = edges[result.pairs[i].feature_a].v0, b = edges[result.pairs[i].feature_b].v0;
        if (a / head->row_count != b / head->row_count && !keep_pair(head, a, b, result.pairs[i].distance)) {
            return false;
        }
    }
    return true;
}
