/* The bodies of a mesh file in a world, tied together at the nodes they share, and those of the next frame in their
 * place.
 *
 * A node of the file belongs to the first body that uses it; every later body that uses it ties its vertex to that one.
 */
#include <dent/frames.h>

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

static dent_body_def def_of(const dent_mesh_body *body, const dent_same_as *ties, uint32_t tie_count)
{
    dent_body_def def = dent_body_def_default(body->kind);
    def.name = body->name;
    def.vertex_count = body->vertex_count;
    def.element_count = body->element_count;
    def.element_corners = body->element_corners;
    def.cell_kinds = body->cell_kinds;
    def.positions_t0 = dent_positions_double(body->positions);
    def.same_as = tie_count ? ties : NULL;
    def.same_as_count = tie_count;
    if (body->kind == DENT_BODY_STRANDS) {
        def.element_count = 0; /* segments follow from first */
        def.element_corners = NULL;
        def.strand_count = body->strand_count;
        def.first = body->first;
        def.radii = body->radii;
    }
    if (body->kind == DENT_BODY_POINTS) {
        def.element_count = 0; /* every vertex is one */
        def.element_corners = NULL;
    }
    return def;
}

/* Scratch for the ties of a mesh; one body needs none. */
struct tie_scratch {
    dent_context *context;
    size_t owner_count, tie_capacity;
    struct owner *owners;
    dent_same_as *ties;
};

static bool tie_scratch_take(struct tie_scratch *scratch, dent_context *context, const dent_mesh *mesh)
{
    uint32_t largest = 0;
    for (uint32_t b = 0; b < mesh->body_count; b++) {
        largest = mesh->bodies[b].vertex_count > largest ? mesh->bodies[b].vertex_count : largest;
    }
    *scratch = (struct tie_scratch){.context = context};
    if (mesh->body_count <= 1) {
        return true;
    }
    scratch->owner_count = mesh->file_vertex_count;
    scratch->tie_capacity = largest;
    scratch->owners = dent_allocate(context, scratch->owner_count, sizeof *scratch->owners);
    scratch->ties = dent_allocate(context, scratch->tie_capacity, sizeof *scratch->ties);
    if (!scratch->owners || !scratch->ties) {
        return false;
    }
    memset(scratch->owners, 0xff, scratch->owner_count * sizeof *scratch->owners);
    return true;
}

static void tie_scratch_release(struct tie_scratch *scratch)
{
    dent_release(scratch->context, scratch->owners, scratch->owner_count, sizeof *scratch->owners);
    dent_release(scratch->context, scratch->ties, scratch->tie_capacity, sizeof *scratch->ties);
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
        dent_body_metrics measure;
        if (dent_body_kind_has_cells(mesh->bodies[b].kind) &&
            !first_cell_is_positive(&mesh->bodies[b], world, ids[b]) &&
            dent_body_get_metrics(world, ids[b], &measure) == DENT_OK && measure.mirrored) {
            dent_log_line(dent_world_context(world), DENT_LOG_NOTICE,
                          "%s: all cells are negative: the body is mirrored", mesh->bodies[b].name);
        }
    }
}

static dent_status add_all(const dent_mesh *mesh, dent_world *world, dent_body_id *ids, struct tie_scratch *scratch)
{
    for (uint32_t b = 0; b < mesh->body_count; b++) {
        uint32_t tie_count = scratch->owners ? collect_ties(mesh, b, ids, scratch->owners, scratch->ties) : 0;
        dent_body_def def = def_of(&mesh->bodies[b], scratch->ties, tie_count);
        dent_status status = dent_world_add_body(world, &def, &ids[b]);
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
    DENT_REQUIRE(dent_world_context(world), mesh);
    DENT_REQUIRE(dent_world_context(world), world);
    DENT_REQUIRE(dent_world_context(world), ids);
    dent_context *context = dent_world_context(world);
    struct tie_scratch scratch = {0};
    dent_body_id *made = dent_allocate(context, mesh->body_count, sizeof *made);
    dent_status status = DENT_ERROR_OUT_OF_MEMORY;
    if (made && tie_scratch_take(&scratch, context, mesh)) {
        status = add_all(mesh, world, made, &scratch);
    }
    if (status == DENT_OK) {
        memcpy(ids, made, mesh->body_count * sizeof *made);
        note_mirrored(mesh, world, made);
    }
    dent_release(context, made, mesh->body_count, sizeof *made);
    if (scratch.context) {
        tie_scratch_release(&scratch);
    }
    return status;
}

/* ---- the next frame -------------------------------------------------------------------------------------------- */

/* Two arrays that may be null. */
static bool same_array(const void *a, const void *b, uint64_t count, size_t size)
{
    return a == b || (a && b && memcmp(a, b, (size_t)count * size) == 0);
}

static bool same_topology(const dent_mesh_body *a, const dent_mesh_body *b)
{
    return a->kind == b->kind && a->vertex_count == b->vertex_count && a->element_count == b->element_count &&
           a->corner_count == b->corner_count && a->strand_count == b->strand_count &&
           same_array(a->first, b->first, (uint64_t)a->strand_count + 1, sizeof *a->first) &&
           same_array(a->radii, b->radii, a->vertex_count, sizeof *a->radii) &&
           same_array(a->element_corners, b->element_corners, a->corner_count, sizeof *a->element_corners) &&
           same_array(a->cell_kinds, b->cell_kinds, a->element_count, sizeof *a->cell_kinds) &&
           same_array(a->vertex_numbers, b->vertex_numbers, a->vertex_count, sizeof *a->vertex_numbers) &&
           same_array(a->element_numbers, b->element_numbers, a->element_count, sizeof *a->element_numbers);
}

dent_mesh_change dent_mesh_compare(const dent_mesh *before, const dent_mesh *after)
{
    if (!before || !after) {
        return DENT_MESH_OTHER_BODIES;
    }
    if (before->body_count != after->body_count) {
        return DENT_MESH_OTHER_BODIES;
    }
    for (uint32_t b = 0; b < before->body_count; b++) {
        if (!same_topology(&before->bodies[b], &after->bodies[b])) {
            return DENT_MESH_NEW_TOPOLOGY;
        }
    }
    return DENT_MESH_SAME_TOPOLOGY;
}

static dent_status replace_positions(const dent_mesh *mesh, dent_world *world, const dent_body_id *ids)
{
    for (uint32_t b = 0; b < mesh->body_count; b++) {
        if (!dent_world_has_body(world, ids[b])) { /* found before anything is changed */
            return dent_body_set_positions(world, ids[b], NULL, NULL);
        }
    }
    for (uint32_t b = 0; b < mesh->body_count; b++) {
        dent_positions positions = dent_positions_double(mesh->bodies[b].positions);
        dent_status status = dent_body_set_positions(world, ids[b], &positions, NULL);
        if (status != DENT_OK) {
            return status;
        }
    }
    return DENT_OK;
}

/* The bodies of a mesh in the place of others, up to the first that fails; *done is how many were replaced. */
static dent_status replace_bodies(const dent_mesh *mesh, dent_world *world, const dent_body_id *ids, uint32_t *done)
{
    struct tie_scratch scratch = {0};
    *done = 0;
    dent_status status =
        tie_scratch_take(&scratch, dent_world_context(world), mesh) ? DENT_OK : DENT_ERROR_OUT_OF_MEMORY;
    for (uint32_t b = 0; b < mesh->body_count && status == DENT_OK; b++) {
        uint32_t tie_count = scratch.owners ? collect_ties(mesh, b, ids, scratch.owners, scratch.ties) : 0;
        dent_body_def def = def_of(&mesh->bodies[b], scratch.ties, tie_count);
        status = dent_body_set_topology(world, ids[b], &def);
        *done += status == DENT_OK;
    }
    tie_scratch_release(&scratch);
    return status;
}

/* All of them again, because a body that was replaced has lost the ties others had with it. */
static void put_back(const dent_mesh *before, dent_world *world, const dent_body_id *ids)
{
    uint32_t done;
    if (replace_bodies(before, world, ids, &done) != DENT_OK) {
        for (uint32_t b = 0; b < before->body_count; b++) {
            dent_world_remove_body(world, ids[b]);
        }
    }
}

dent_status dent_mesh_replace_in_world(const dent_mesh *before, const dent_mesh *after, dent_world *world,
                                       const dent_body_id *ids, dent_mesh_change *change)
{
    DENT_REQUIRE(dent_world_context(world), before);
    DENT_REQUIRE(dent_world_context(world), after);
    DENT_REQUIRE(dent_world_context(world), world);
    DENT_REQUIRE(dent_world_context(world), ids);
    dent_mesh_change found = dent_mesh_compare(before, after);
    if (found == DENT_MESH_OTHER_BODIES) {
        return dent_fail(dent_world_context(world), DENT_ERROR_INVALID_ARGUMENT, "%u bodies in the place of %u",
                         after->body_count, before->body_count);
    }
    dent_status status;
    if (found == DENT_MESH_SAME_TOPOLOGY) {
        status = replace_positions(after, world, ids);
    } else {
        uint32_t done;
        status = replace_bodies(after, world, ids, &done);
        if (status != DENT_OK && done > 0) {
            put_back(before, world, ids);
        }
    }
    if (status == DENT_OK && change) {
        *change = found;
    }
    return status;
}
