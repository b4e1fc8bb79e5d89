/* The bodies of a mesh file in a world, tied together at the nodes they share.
 *
 * A node of the file belongs to the first body that uses it; every later body that uses it ties its vertex to that one.
 */
#include <dent/mesh_io.h>

#include <string.h>

struct owner {
    uint32_t body; /* UINT32_MAX: not used so far */
    uint32_t vertex;
};

static uint32_t file_vertex(const dent_mesh_body *body, uint32_t vertex)
{
    return body->vertex_numbers ? body->vertex_numbers[vertex] : vertex;
}

/* The ties of body b to earlier ones; its other vertices become owned by it. Returns their number. */
static uint32_t collect_ties(const dent_mesh *mesh, uint32_t b, const dent_body_id *ids, struct owner *owners,
                             dent_same_as *ties)
{
    uint32_t count = 0;
    const dent_mesh_body *body = &mesh->bodies[b];
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        struct owner *owner = &owners[file_vertex(body, v)];
        if (owner->body == UINT32_MAX) {
            *owner = (struct owner){.body = b, .vertex = v};
        } else {
            ties[count++] = (dent_same_as){.vertex = v, .other = ids[owner->body], .other_vertex = owner->vertex};
        }
    }
    return count;
}

static dent_status add_body(dent_world *world, const dent_mesh_body *body, const dent_same_as *ties, uint32_t tie_count,
                            dent_body_id *id)
{
    dent_body_def def = body->kind == DENT_BODY_SOLID ? dent_solid_def_default() : dent_surface_def_default();
    def.name = body->name;
    def.vertex_count = body->vertex_count;
    def.element_count = body->element_count;
    def.element_corners = body->element_corners;
    def.cell_kinds = body->cell_kinds;
    def.positions_t0 = dent_positions_double(body->positions);
    def.same_as = tie_count ? ties : NULL;
    def.same_as_count = tie_count;
    return dent_world_add_body(world, &def, id);
}

/* Surely positive? Plain arithmetic with a wide margin: a doubt only costs time. */
static bool first_cell_is_positive(const dent_mesh_body *body, dent_world *world, dent_body_id id)
{
    uint32_t count;
    const uint32_t *cells;
    const uint32_t *corners = dent_body_tetrahedra(world, id, &count, &cells);
    if (count == 0) {
        return true;
    }
    double e[3][3];
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) {
            e[k][i] = body->positions[3 * (size_t)corners[k + 1] + i] - body->positions[3 * (size_t)corners[0] + i];
        }
    }
    double sum = 0;
    double size = 0;
    for (int k = 0; k < 3; k++) {
        double forward = e[0][k] * e[1][(k + 1) % 3] * e[2][(k + 2) % 3];
        double backward = e[0][k] * e[1][(k + 2) % 3] * e[2][(k + 1) % 3];
        sum += forward - backward;
        size += (forward < 0 ? -forward : forward) + (backward < 0 ? -backward : backward);
    }
    return sum > 1e-9 * size;
}

/* A body whose cells are all negative is accepted as it is, and said to be a mirror image. */
static void note_mirrored(const dent_mesh *mesh, dent_world *world, const dent_body_id *ids)
{
    for (uint32_t b = 0; b < mesh->body_count; b++) {
        dent_body_measure measure;
        if (mesh->bodies[b].kind == DENT_BODY_SOLID && !first_cell_is_positive(&mesh->bodies[b], world, ids[b]) &&
            dent_body_get_measure(world, ids[b], &measure) == DENT_OK && measure.mirrored) {
            dent_log_line(dent_world_context(world), DENT_LOG_NOTICE,
                          "%s: all cells are negative: the body is mirrored", mesh->bodies[b].name);
        }
    }
}

static dent_status add_all(const dent_mesh *mesh, dent_world *world, dent_body_id *ids, struct owner *owners,
                           dent_same_as *ties)
{
    for (uint32_t b = 0; b < mesh->body_count; b++) {
        uint32_t tie_count = owners ? collect_ties(mesh, b, ids, owners, ties) : 0;
        dent_status status = add_body(world, &mesh->bodies[b], ties, tie_count, &ids[b]);
        if (status != DENT_OK) {
            while (b-- > 0) {
                dent_world_remove_body(world, ids[b]);
            }
            return status;
        }
    }
    return DENT_OK;
}

dent_status dent_mesh_add_to_world(const dent_mesh *mesh, dent_world *world, dent_body_id *ids)
{
    dent_context *context = dent_world_context(world);
    uint32_t largest = 0;
    for (uint32_t b = 0; b < mesh->body_count; b++) {
        largest = mesh->bodies[b].vertex_count > largest ? mesh->bodies[b].vertex_count : largest;
    }
    /* One body needs no ties. */
    size_t owner_count = mesh->body_count > 1 ? mesh->file_vertex_count : 0;
    size_t tie_capacity = mesh->body_count > 1 ? largest : 0;
    dent_body_id *made = dent_allocate(context, mesh->body_count, sizeof *made);
    struct owner *owners = owner_count ? dent_allocate(context, owner_count, sizeof *owners) : NULL;
    dent_same_as *ties = tie_capacity ? dent_allocate(context, tie_capacity, sizeof *ties) : NULL;
    dent_status status = DENT_ERROR_OUT_OF_MEMORY;
    if (made && (owners || !owner_count) && (ties || !tie_capacity)) {
        if (owners) {
            memset(owners, 0xff, owner_count * sizeof *owners);
        }
        status = add_all(mesh, world, made, owners, ties);
    }
    if (status == DENT_OK) {
        memcpy(ids, made, mesh->body_count * sizeof *made);
        note_mirrored(mesh, world, made);
    }
    dent_release(context, made, mesh->body_count, sizeof *made);
    dent_release(context, owners, owner_count, sizeof *owners);
    dent_release(context, ties, tie_capacity, sizeof *ties);
    return status;
}
