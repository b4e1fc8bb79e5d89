/* The elastic mesh: elements of all elastic bodies, seen from their vertices and laid out in the order of the sweep,
 * so that solving for a vertex reads one stretch of each array. In: bodies and their rest shapes. Out: model->elastic. */
#include "base/containers/union_find.h"
#include "elastic_mesh.h"

#include <string.h>

dent_status builder_add_pair(struct elastic_builder *builder, uint32_t i, uint32_t j, double weight, double damper)
{
    dent_status status = sim_reserve(builder->model->context, (void **)&builder->pairs, &builder->pair_capacity,
                                     builder->pair_count + 2, sizeof *builder->pairs);
    if (status == DENT_OK) {
        builder->pairs[builder->pair_count++] = (struct elastic_pair){i, j, weight, damper};
        builder->pairs[builder->pair_count++] = (struct elastic_pair){j, i, weight, damper};
    }
    return status;
}

/* Neighbours of every vertex, sorted, each once with the sum of its weights. */
struct neighbour_table {
    uint64_t *starts; /* vertex_count + 1 */
    struct elastic_pair *pairs;
    uint32_t *others; /* j of the pairs */
    uint64_t count, capacity;
};

/* Insertion sort: a vertex has some dozens of entries; equal ones keep their order, so sums do too. */
static uint64_t combine_neighbours(struct elastic_pair *pairs, uint64_t count)
{
    for (uint64_t i = 1; i < count; i++) {
        struct elastic_pair pair = pairs[i];
        uint64_t slot = i;
        for (; slot > 0 && pairs[slot - 1].j > pair.j; slot--) {
            pairs[slot] = pairs[slot - 1];
        }
        pairs[slot] = pair;
    }
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (kept > 0 && pairs[kept - 1].j == pairs[i].j) {
            pairs[kept - 1].weight += pairs[i].weight;
            pairs[kept - 1].damper += pairs[i].damper;
        } else {
            pairs[kept++] = pairs[i];
        }
    }
    return kept;
}

static void release_neighbours(struct sim_model *model, struct neighbour_table *table)
{
    dent_release(model->context, table->starts, (size_t)model->vertex_count + 1, sizeof *table->starts);
    dent_release(model->context, table->pairs, (size_t)table->capacity, sizeof *table->pairs);
    dent_release(model->context, table->others, (size_t)table->capacity, sizeof *table->others);
}

static dent_status make_neighbours(struct elastic_builder *builder, struct neighbour_table *table)
{
    struct sim_model *model = builder->model;
    size_t vertex_count = model->vertex_count;
    table->capacity = builder->pair_count;
    table->starts = dent_allocate(model->context, vertex_count + 1, sizeof *table->starts);
    table->pairs = dent_allocate(model->context, (size_t)table->capacity, sizeof *table->pairs);
    table->others = dent_allocate(model->context, (size_t)table->capacity, sizeof *table->others);
    if (!table->starts || !table->pairs || !table->others) {
        return sim_no_memory(model->context);
    }
    memset(table->starts, 0, (vertex_count + 1) * sizeof *table->starts);
    for (uint64_t p = 0; p < builder->pair_count; p++) {
        table->starts[builder->pairs[p].i + 1]++;
    }
    for (size_t v = 0; v < vertex_count; v++) {
        table->starts[v + 1] += table->starts[v];
    }
    for (uint64_t p = 0; p < builder->pair_count; p++) {
        table->pairs[table->starts[builder->pairs[p].i]++] = builder->pairs[p];
    }
    /* The starts are now the ends: walk them back while the rows shrink. */
    uint64_t begin = 0, kept = 0;
    for (size_t v = 0; v < vertex_count; v++) {
        uint64_t end = table->starts[v];
        uint64_t count = combine_neighbours(table->pairs + begin, end - begin);
        memmove(table->pairs + kept, table->pairs + begin, (size_t)count * sizeof *table->pairs);
        table->starts[v] = kept;
        kept += count;
        begin = end;
    }
    table->starts[vertex_count] = table->count = kept;
    for (uint64_t p = 0; p < kept; p++) {
        table->others[p] = table->pairs[p].j;
    }
    return DENT_OK;
}

/* ---- colours and order ------------------------------------------------------------------------------------------- */

/* Elastic vertices that may move: those with a neighbour and a mass. */
static uint32_t list_vertices(const struct sim_model *model, const struct neighbour_table *table, uint32_t *list)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        if (table->starts[v + 1] > table->starts[v] && model->inverse_masses[v] > 0) {
            list[count++] = v;
        }
    }
    return count;
}

static void order_by_colour(struct elastic_mesh *mesh, const uint32_t *list, const uint32_t *colours)
{
    for (uint32_t k = 0; k < mesh->vertex_count; k++) {
        mesh->colour_starts[colours[list[k]] + 1]++;
    }
    for (uint32_t c = 0; c < mesh->colour_count; c++) {
        mesh->colour_starts[c + 1] += mesh->colour_starts[c];
    }
    for (uint32_t k = 0; k < mesh->vertex_count; k++) {
        mesh->vertices[mesh->colour_starts[colours[list[k]]]++] = list[k];
    }
    for (uint32_t c = mesh->colour_count; c > 0; c--) {
        mesh->colour_starts[c] = mesh->colour_starts[c - 1];
    }
    mesh->colour_starts[0] = 0;
    for (uint32_t k = 0; k < mesh->vertex_count; k++) {
        mesh->slots[mesh->vertices[k]] = k;
    }
}

static dent_status make_order(struct elastic_builder *builder, const struct neighbour_table *table, uint32_t *work)
{
    struct sim_model *model = builder->model;
    struct elastic_mesh *mesh = model->elastic;
    uint32_t *list = work, *colours = work + model->vertex_count, *marks = work + 2 * (size_t)model->vertex_count;
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        colours[v] = SIM_NONE; /* vertices that do not move take no colour */
    }
    mesh->vertex_count = list_vertices(model, table, list);
    mesh->colour_count = elastic_colour(mesh->vertex_count, list, table->starts, table->others, colours, marks);
    mesh->vertices = sim_allocate(model, mesh->vertex_count, sizeof *mesh->vertices);
    mesh->slots = sim_allocate(model, model->vertex_count, sizeof *mesh->slots);
    mesh->colour_starts = sim_allocate(model, (size_t)mesh->colour_count + 1, sizeof *mesh->colour_starts);
    mesh->diagonal = sim_allocate(model, mesh->vertex_count, sizeof *mesh->diagonal);
    if (!mesh->vertices || !mesh->slots || !mesh->colour_starts || !mesh->diagonal) {
        return sim_no_memory(model->context);
    }
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        mesh->slots[v] = SIM_NONE;
    }
    order_by_colour(mesh, list, colours);
    for (uint32_t k = 0; k < mesh->vertex_count; k++) {
        mesh->diagonal[k] = builder->diagonal[mesh->vertices[k]];
    }
    return DENT_OK;
}

/* ---- visits ------------------------------------------------------------------------------------------------------ */

static dent_status list_held_edges(struct sim_model *model, const struct neighbour_table *table)
{
    struct elastic_mesh *mesh = model->elastic;
    for (int fill = 0; fill < 2; fill++) {
        uint64_t count = 0;
        for (uint32_t v = 0; v < model->vertex_count; v++) {
            for (uint64_t p = table->starts[v]; p < table->starts[v + 1] && mesh->slots[v] == SIM_NONE; p++) {
                const struct elastic_pair *pair = &table->pairs[p];
                if (pair->j < v || mesh->slots[pair->j] != SIM_NONE || (pair->weight == 0 && pair->damper == 0)) {
                    continue;
                }
                if (fill) {
                    mesh->held[count] = (struct held_edge){v, pair->j, pair->weight, pair->damper};
                }
                count++;
            }
        }
        mesh->held_count = count;
        if (!fill && !(mesh->held = sim_allocate(model, (size_t)count, sizeof *mesh->held))) {
            return sim_no_memory(model->context);
        }
    }
    return DENT_OK;
}

static dent_status lay_out_edges(struct elastic_builder *builder, const struct neighbour_table *table)
{
    struct sim_model *model = builder->model;
    struct elastic_mesh *mesh = model->elastic;
    mesh->edge_starts = sim_allocate(model, (size_t)mesh->vertex_count + 1, sizeof *mesh->edge_starts);
    mesh->edges = sim_allocate(model, (size_t)table->count, sizeof *mesh->edges);
    if (!mesh->edge_starts || !mesh->edges) {
        return sim_no_memory(model->context);
    }
    uint32_t count = 0;
    for (uint32_t k = 0; k < mesh->vertex_count; k++) {
        uint32_t v = mesh->vertices[k];
        mesh->edge_starts[k] = count;
        for (uint64_t p = table->starts[v]; p < table->starts[v + 1]; p++) {
            const struct elastic_pair *pair = &table->pairs[p];
            if (pair->weight != 0 || pair->damper != 0) {
                mesh->edges[count++] = (struct edge_visit){pair->j, 0, pair->weight, pair->damper};
            }
        }
    }
    mesh->edge_starts[mesh->vertex_count] = count;
    mesh->edge_visit_count = count;
    return list_held_edges(model, table);
}

/* Counts into starts[place + 1], sums up; the caller then fills with starts[place]++ and calls shift_back. */
static void sum_up(uint32_t *starts, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        starts[k + 1] += starts[k];
    }
}

static void shift_back(uint32_t *starts, uint32_t count)
{
    for (uint32_t k = count; k > 0; k--) {
        starts[k] = starts[k - 1];
    }
    starts[0] = 0;
}

static dent_status lay_out_tets(struct elastic_builder *builder)
{
    struct sim_model *model = builder->model;
    struct elastic_mesh *mesh = model->elastic;
    mesh->tet_starts = sim_allocate(model, (size_t)mesh->vertex_count + 1, sizeof *mesh->tet_starts);
    mesh->tets = sim_allocate(model, 4 * (size_t)builder->tet_count, sizeof *mesh->tets);
    mesh->tet_energy = sim_allocate(model, (size_t)builder->tet_count, sizeof *mesh->tet_energy);
    if (!mesh->tet_starts || !mesh->tets || !mesh->tet_energy) {
        return sim_no_memory(model->context);
    }
    if (builder->tet_count > 0) {
        memcpy(mesh->tet_energy, builder->tets, (size_t)builder->tet_count * sizeof *mesh->tet_energy);
    }
    mesh->tet_count = builder->tet_count;
    for (int fill = 0; fill < 2; fill++) {
        for (uint64_t t = 0; t < builder->tet_count; t++) {
            const struct tet_visit *tet = &builder->tets[t];
            uint32_t corners[4] = {tet->p, tet->q, tet->r, tet->reserved};
            for (uint32_t c = 0; c < 4; c++) {
                uint32_t slot = mesh->slots[corners[c]];
                if (slot != SIM_NONE && fill) {
                    mesh->tets[mesh->tet_starts[slot]++] = tet_visit_from(tet, c);
                } else if (slot != SIM_NONE) {
                    mesh->tet_starts[slot + 1]++;
                }
            }
        }
        if (fill) {
            shift_back(mesh->tet_starts, mesh->vertex_count);
        } else {
            sum_up(mesh->tet_starts, mesh->vertex_count);
        }
    }
    mesh->tet_visit_count = mesh->tet_starts[mesh->vertex_count];
    return DENT_OK;
}

/* Visits of elements with `corner_count` corners at corners + element * stride (in uint32_t). */
static dent_status lay_out_visits(struct sim_model *model, const uint32_t *corners, size_t stride,
                                  uint32_t corner_count, uint64_t count, uint32_t **starts, uint32_t **visits)
{
    const struct elastic_mesh *mesh = model->elastic;
    *starts = sim_allocate(model, (size_t)mesh->vertex_count + 1, sizeof **starts);
    *visits = sim_allocate(model, (size_t)count * corner_count, sizeof **visits);
    if (!*starts || !*visits) {
        return sim_no_memory(model->context);
    }
    for (int fill = 0; fill < 2; fill++) {
        for (uint64_t e = 0; e < count; e++) {
            for (uint32_t c = 0; c < corner_count; c++) {
                uint32_t slot = mesh->slots[corners[e * stride + c]];
                if (slot != SIM_NONE && fill) {
                    (*visits)[(*starts)[slot]++] = (uint32_t)(4 * e + c);
                } else if (slot != SIM_NONE) {
                    (*starts)[slot + 1]++;
                }
            }
        }
        if (fill) {
            shift_back(*starts, mesh->vertex_count);
        } else {
            sum_up(*starts, mesh->vertex_count);
        }
    }
    return DENT_OK;
}

static dent_status lay_out_cloth(struct elastic_builder *builder)
{
    struct sim_model *model = builder->model;
    struct elastic_mesh *mesh = model->elastic;
    mesh->triangles = sim_allocate(model, (size_t)builder->triangle_count, sizeof *mesh->triangles);
    mesh->hinges = sim_allocate(model, (size_t)builder->hinge_count, sizeof *mesh->hinges);
    if (!mesh->triangles || !mesh->hinges) {
        return sim_no_memory(model->context);
    }
    if (builder->triangle_count > 0) {
        memcpy(mesh->triangles, builder->triangles, (size_t)builder->triangle_count * sizeof *mesh->triangles);
    }
    if (builder->hinge_count > 0) {
        memcpy(mesh->hinges, builder->hinges, (size_t)builder->hinge_count * sizeof *mesh->hinges);
    }
    mesh->triangle_count = (uint32_t)builder->triangle_count;
    mesh->hinge_count = (uint32_t)builder->hinge_count;
    dent_status status = lay_out_visits(model, (const uint32_t *)(const void *)mesh->triangles,
                                        sizeof *mesh->triangles / sizeof(uint32_t), 3, mesh->triangle_count,
                                        &mesh->triangle_starts, &mesh->triangle_visits);
    if (status == DENT_OK) {
        status =
            lay_out_visits(model, (const uint32_t *)(const void *)mesh->hinges, sizeof *mesh->hinges / sizeof(uint32_t),
                           4, mesh->hinge_count, &mesh->hinge_starts, &mesh->hinge_visits);
    }
    return status;
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

/* Connected pieces of elastic vertices none of which is held. */
static dent_status make_pieces(struct sim_model *model, const struct neighbour_table *table, uint32_t *work)
{
    struct elastic_mesh *mesh = model->elastic;
    uint32_t *parents = work, *numbers = work + model->vertex_count;
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        parents[v] = v;
        numbers[v] = 0;
    }
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        for (uint64_t p = table->starts[v]; p < table->starts[v + 1]; p++) {
            union_find_join(parents, v, table->others[p]);
        }
    }
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        bool elastic = table->starts[v + 1] > table->starts[v];
        if (elastic && model->inverse_masses[v] == 0) {
            numbers[union_find_root(parents, v)] = SIM_NONE; /* held */
        }
    }
    uint32_t count = 0;
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        if (mesh->slots[v] != SIM_NONE && union_find_root(parents, v) == v && numbers[v] != SIM_NONE) {
            numbers[v] = ++count;
        }
    }
    mesh->piece_count = count;
    mesh->piece_starts = sim_allocate(model, (size_t)count + 1, sizeof *mesh->piece_starts);
    mesh->piece_vertices = sim_allocate(model, mesh->vertex_count, sizeof *mesh->piece_vertices);
    if (!mesh->piece_starts || !mesh->piece_vertices) {
        return sim_no_memory(model->context);
    }
    for (int fill = 0; fill < 2; fill++) {
        for (uint32_t v = 0; v < model->vertex_count; v++) {
            uint32_t number = mesh->slots[v] == SIM_NONE ? SIM_NONE : numbers[union_find_root(parents, v)];
            if (number != SIM_NONE && number > 0 && fill) {
                mesh->piece_vertices[mesh->piece_starts[number - 1]++] = v;
            } else if (number != SIM_NONE && number > 0) {
                mesh->piece_starts[number]++;
            }
        }
        if (fill) {
            shift_back(mesh->piece_starts, count);
        } else {
            sum_up(mesh->piece_starts, count);
        }
    }
    return DENT_OK;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static dent_status add_elements(struct elastic_builder *builder)
{
    struct sim_model *model = builder->model;
    model->elastic->body_tet_starts = sim_allocate(model, (size_t)model->body_count + 1, sizeof(uint64_t));
    builder->diagonal = dent_allocate(model->context, model->vertex_count, sizeof *builder->diagonal);
    if (!model->elastic->body_tet_starts || !builder->diagonal) {
        return sim_no_memory(model->context);
    }
    memset(builder->diagonal, 0, model->vertex_count * sizeof *builder->diagonal);
    dent_status status = DENT_OK;
    for (uint32_t b = 0; b < model->body_count && status == DENT_OK; b++) {
        if (model->bodies[b].kind == DENT_SIM_SOLID) {
            status = tet_elasticity_add(builder, b);
        } else if (model->bodies[b].kind == DENT_SIM_CLOTH) {
            status = cloth_elasticity_add(builder, b);
        }
        model->elastic->body_tet_starts[b + 1] = builder->tet_count;
    }
    if (status == DENT_OK && (builder->pair_count > UINT32_MAX || builder->tet_count > UINT32_MAX / 4)) {
        status = dent_fail(model->context, DENT_ERROR_TOO_LARGE, "more elastic elements than 32-bit numbers can count");
    }
    return status;
}

static dent_status rest_energies(struct sim_model *model, double *positions)
{
    struct elastic_mesh *mesh = model->elastic;
    mesh->rest_energy = sim_allocate(model, model->body_count, sizeof *mesh->rest_energy);
    if (!mesh->rest_energy) {
        return sim_no_memory(model->context);
    }
    /* Measured at the rest shape, with the same sums as later: the rest positions are lent to the state for that. */
    for (uint32_t b = 0; b < model->body_count; b++) {
        const struct sim_body *body = &model->bodies[b];
        if (body->kind == DENT_SIM_SOLID) {
            double *target = positions + 3 * (size_t)body->first_vertex;
            size_t size = 3 * (size_t)body->vertex_count * sizeof(double);
            memcpy(target, body->rest, size);
            mesh->rest_energy[b] = elastic_body_energy(model, positions, b);
            memcpy(target, body->start, size);
        }
    }
    return DENT_OK;
}

dent_status elastic_mesh_build(struct sim_model *model, double *positions)
{
    model->elastic = sim_allocate(model, 1, sizeof *model->elastic);
    if (!model->elastic) {
        return sim_no_memory(model->context);
    }
    struct elastic_builder builder = {.model = model};
    struct neighbour_table table = {0};
    size_t work_count = 3 * (size_t)model->vertex_count;
    uint32_t *work = dent_allocate(model->context, work_count, sizeof *work);
    dent_status status = work ? add_elements(&builder) : sim_no_memory(model->context);
    status = status == DENT_OK ? make_neighbours(&builder, &table) : status;
    status = status == DENT_OK ? make_order(&builder, &table, work) : status;
    status = status == DENT_OK ? lay_out_edges(&builder, &table) : status;
    status = status == DENT_OK ? lay_out_tets(&builder) : status;
    status = status == DENT_OK ? lay_out_cloth(&builder) : status;
    status = status == DENT_OK ? make_pieces(model, &table, work) : status;
    status = status == DENT_OK ? rest_energies(model, positions) : status;
    dent_context *context = model->context;
    release_neighbours(model, &table);
    dent_release(context, work, work_count, sizeof *work);
    dent_release(context, builder.pairs, (size_t)builder.pair_capacity, sizeof *builder.pairs);
    dent_release(context, builder.diagonal, model->vertex_count, sizeof *builder.diagonal);
    dent_release(context, builder.tets, (size_t)builder.tet_capacity, sizeof *builder.tets);
    dent_release(context, builder.triangles, (size_t)builder.triangle_capacity, sizeof *builder.triangles);
    dent_release(context, builder.hinges, (size_t)builder.hinge_capacity, sizeof *builder.hinges);
    return status;
}
