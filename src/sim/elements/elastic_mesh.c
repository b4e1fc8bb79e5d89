/* The elastic mesh: elements of all elastic bodies, which of their entries each vertex gathers, and the pieces that
 * nothing holds. In: bodies and their rest shapes. Out: model->elastic. */
#include "elastic_mesh.h"

#include "base/containers/union_find.h"
#include "sim/loads/load_model.h"

#include <string.h>

/* ---- corners of all elements ------------------------------------------------------------------------------------- */

/* Counts into starts[v + 1], sums up; the caller then fills with starts[v]++ and calls shift_back. */
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

static void note(uint32_t *starts, uint32_t *entries, uint32_t vertex, uint32_t entry)
{
    if (entries) {
        entries[starts[vertex]++] = entry;
    } else {
        starts[vertex + 1]++;
    }
}

static void visit_tets(const struct elastic_mesh *mesh, uint32_t *entries)
{
    for (uint32_t g = 0; g < mesh->group_count; g++) {
        const struct tet_group *group = &mesh->groups[g];
        for (uint32_t lane = 0; lane < TET_LANES && group->mu[lane] > 0; lane++) {
            for (uint32_t k = 0; k < 4; k++) {
                uint32_t entry = g * TET_ENTRIES + 3 * k * TET_LANES + lane;
                note(mesh->tet_starts, entries, group->corners[k][lane], entry);
            }
        }
    }
}

static void visit_cloth(const struct elastic_mesh *mesh, uint32_t *entries)
{
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        for (uint32_t k = 0; k < 3; k++) {
            note(mesh->cloth_starts, entries, mesh->triangles[t].corners[k], 9 * t + 3 * k);
        }
    }
    for (uint32_t t = 0; t < mesh->hinge_count; t++) {
        for (uint32_t k = 0; k < 4; k++) {
            note(mesh->cloth_starts, entries, mesh->hinges[t].corners[k], 9 * mesh->triangle_count + 12 * t + 3 * k);
        }
    }
}

static dent_status make_gathers(struct sim_model *model)
{
    struct elastic_mesh *mesh = model->elastic;
    uint32_t count = model->vertex_count;
    mesh->tet_starts = sim_allocate(model, (size_t)count + 1, sizeof *mesh->tet_starts);
    mesh->cloth_starts = sim_allocate(model, (size_t)count + 1, sizeof *mesh->cloth_starts);
    if (!mesh->tet_starts || !mesh->cloth_starts) {
        return sim_no_memory(model->context);
    }
    visit_tets(mesh, NULL);
    visit_cloth(mesh, NULL);
    sum_up(mesh->tet_starts, count);
    sum_up(mesh->cloth_starts, count);
    mesh->tet_entries = sim_allocate(model, mesh->tet_starts[count], sizeof *mesh->tet_entries);
    mesh->cloth_entries = sim_allocate(model, mesh->cloth_starts[count], sizeof *mesh->cloth_entries);
    if (!mesh->tet_entries || !mesh->cloth_entries) {
        return sim_no_memory(model->context);
    }
    visit_tets(mesh, mesh->tet_entries);
    visit_cloth(mesh, mesh->cloth_entries);
    shift_back(mesh->tet_starts, count);
    shift_back(mesh->cloth_starts, count);
    return DENT_OK;
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

static void join_elements(const struct elastic_mesh *mesh, uint32_t *parents)
{
    for (uint32_t g = 0; g < mesh->group_count; g++) {
        for (uint32_t n = 0; n < 3 * TET_LANES; n++) {
            const struct tet_group *group = &mesh->groups[g];
            union_find_join(parents, group->corners[0][n % TET_LANES], group->corners[1 + n / TET_LANES][n % TET_LANES]);
        }
    }
    for (uint32_t c = 0; c < mesh->cells.count; c++) {
        const uint32_t *corners = mesh->cells.corners + mesh->cells.cells[c].first_corner;
        for (uint32_t k = 1; k < mesh->cells.cells[c].corner_count; k++) {
            union_find_join(parents, corners[0], corners[k]);
        }
    }
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        union_find_join(parents, mesh->triangles[t].corners[0], mesh->triangles[t].corners[1]);
        union_find_join(parents, mesh->triangles[t].corners[0], mesh->triangles[t].corners[2]);
    }
}

static void join_strands(const struct sim_model *model, uint32_t *parents)
{
    for (uint32_t b = 0; b < model->body_count; b++) {
        const struct sim_body *body = &model->bodies[b];
        for (uint32_t e = 0; e < body->element_count && body->kind == DENT_SIM_STRANDS; e++) {
            union_find_join(parents, body->first_vertex + body->corners[2 * (size_t)e],
                            body->first_vertex + body->corners[2 * (size_t)e + 1]);
        }
    }
}

static bool is_elastic(const struct sim_model *model, uint32_t vertex)
{
    dent_sim_body_kind kind = model->bodies[model->vertex_bodies[vertex]].kind;
    return sim_is_elastic(kind);
}

/* Connected pieces of elastic vertices none of which is held. */
static dent_status make_pieces(struct sim_model *model, uint32_t *work)
{
    struct elastic_mesh *mesh = model->elastic;
    uint32_t *parents = work, *numbers = work + model->vertex_count, count = model->vertex_count, pieces = 0;
    for (uint32_t v = 0; v < count; v++) {
        parents[v] = v;
        numbers[v] = 0;
    }
    join_elements(mesh, parents);
    join_strands(model, parents);
    for (uint32_t v = 0; v < count; v++) {
        if (!is_elastic(model, v) || model->inverse_masses[v] == 0 || hold_of(model, v)) {
            numbers[union_find_root(parents, v)] = SIM_NONE; /* held */
        }
    }
    mesh->vertex_pieces = sim_allocate(model, count, sizeof *mesh->vertex_pieces);
    for (uint32_t v = 0; v < count; v++) {
        uint32_t root = union_find_root(parents, v);
        if (root == v && numbers[v] != SIM_NONE) {
            numbers[v] = ++pieces;
        }
    }
    mesh->piece_count = pieces;
    mesh->piece_starts = sim_allocate(model, (size_t)pieces + 1, sizeof *mesh->piece_starts);
    mesh->piece_vertices = sim_allocate(model, count, sizeof *mesh->piece_vertices);
    if (!mesh->vertex_pieces || !mesh->piece_starts || !mesh->piece_vertices) {
        return sim_no_memory(model->context);
    }
    for (int fill = 0; fill < 2; fill++) {
        for (uint32_t v = 0; v < count; v++) {
            uint32_t number = numbers[union_find_root(parents, v)];
            mesh->vertex_pieces[v] = number == SIM_NONE ? SIM_NONE : number - 1;
            if (number != SIM_NONE) {
                note(mesh->piece_starts, fill ? mesh->piece_vertices : NULL, number - 1, v);
            }
        }
        if (fill) {
            shift_back(mesh->piece_starts, pieces);
        } else {
            sum_up(mesh->piece_starts, pieces);
        }
    }
    return DENT_OK;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static dent_status add_elements(struct elastic_builder *builder)
{
    struct sim_model *model = builder->model;
    struct elastic_mesh *mesh = model->elastic;
    mesh->body_groups = sim_allocate(model, (size_t)model->body_count + 1, sizeof(uint32_t));
    mesh->body_triangles = sim_allocate(model, (size_t)model->body_count + 1, sizeof(uint32_t));
    mesh->body_hinges = sim_allocate(model, (size_t)model->body_count + 1, sizeof(uint32_t));
    if (!mesh->body_groups || !mesh->body_triangles || !mesh->body_hinges) {
        return sim_no_memory(model->context);
    }
    dent_status status = DENT_OK;
    for (uint32_t b = 0; b < model->body_count && status == DENT_OK; b++) {
        if (model->bodies[b].kind == DENT_SIM_SOLID) {
            status = tet_elasticity_add(builder, b);
        } else if (model->bodies[b].kind == DENT_SIM_CLOTH) {
            status = cloth_elasticity_add(builder, b);
        }
        if (status == DENT_OK &&
            (builder->group_count > UINT32_MAX / TET_ENTRIES ||
             12 * (builder->triangle_count + builder->hinge_count) > UINT32_MAX)) {
            status =
                dent_fail(model->context, DENT_ERROR_TOO_LARGE, "more elastic elements than 32-bit numbers can count");
        }
        mesh->body_groups[b + 1] = (uint32_t)builder->group_count;
        mesh->body_triangles[b + 1] = (uint32_t)builder->triangle_count;
        mesh->body_hinges[b + 1] = (uint32_t)builder->hinge_count;
    }
    return status;
}

static void *keep(struct sim_model *model, const void *built, uint64_t count, size_t size)
{
    void *kept = sim_allocate(model, (size_t)count, size);
    if (kept && count > 0) {
        memcpy(kept, built, (size_t)count * size);
    }
    return kept;
}

static dent_status keep_elements(struct elastic_builder *builder)
{
    struct sim_model *model = builder->model;
    struct elastic_mesh *mesh = model->elastic;
    mesh->groups = keep(model, builder->groups, builder->group_count, sizeof *mesh->groups);
    mesh->triangles = keep(model, builder->triangles, builder->triangle_count, sizeof *mesh->triangles);
    mesh->hinges = keep(model, builder->hinges, builder->hinge_count, sizeof *mesh->hinges);
    mesh->tet_count = builder->tet_count;
    mesh->group_count = (uint32_t)builder->group_count;
    mesh->triangle_count = (uint32_t)builder->triangle_count;
    mesh->hinge_count = (uint32_t)builder->hinge_count;
    return mesh->groups && mesh->triangles && mesh->hinges ? DENT_OK : sim_no_memory(model->context);
}

dent_status elastic_mesh_build(struct sim_model *model)
{
    model->elastic = sim_allocate(model, 1, sizeof *model->elastic);
    if (!model->elastic) {
        return sim_no_memory(model->context);
    }
    struct elastic_builder builder = {.model = model, .lanes = TET_LANES};
    size_t work_count = 2 * (size_t)model->vertex_count;
    uint32_t *work = dent_allocate(model->context, work_count, sizeof *work);
    dent_status status = work ? add_elements(&builder) : sim_no_memory(model->context);
    status = status == DENT_OK ? keep_elements(&builder) : status;
    status = status == DENT_OK ? solid_cells_build(model, &model->elastic->cells) : status;
    status = status == DENT_OK ? make_gathers(model) : status;
    status = status == DENT_OK ? make_pieces(model, work) : status;
    dent_context *context = model->context;
    dent_release(context, work, work_count, sizeof *work);
    dent_release(context, builder.groups, (size_t)builder.group_capacity, sizeof *builder.groups);
    dent_release(context, builder.triangles, (size_t)builder.triangle_capacity, sizeof *builder.triangles);
    dent_release(context, builder.hinges, (size_t)builder.hinge_capacity, sizeof *builder.hinges);
    return status;
}
