/* The life of a world, and its bodies as the public interface shows them. The work is done in src/bodies. */
#include "query/world/world_state.h"

#include <dent/contact.h>

#include "base/context.h"
#include "base/dent_assert.h"
#include "base/floating_point_guard.h"

dent_world *dent_world_create(dent_context *context)
{
    if (!context) {
        return NULL;
    }
    dent_world *world = dent_allocate(context, 1, sizeof *world);
    if (!world) {
        dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "out of memory for a world");
        return NULL;
    }
    *world = (dent_world){.context = context};
    message_clear(&world->message, context);
    body_table_init(&world->bodies, context);
    world->bodies.world = atomic_fetch_add_explicit(&context->worlds, 1, memory_order_relaxed) + 1;
    snapshot_init(&world->snapshot, context);
    end_snapshot_init(&world->end, context);
    arena_init(&world->scratch, context);
    surface_forest_init(&world->forest, context);
    return world;
}

void dent_world_destroy(dent_world *world)
{
    if (!world) {
        return;
    }
    for (int slot = 0; slot < WORLD_SLOT_LIMIT && world->slots[slot].kind; slot++) {
        const struct world_slot_kind *kind = world->slots[slot].kind;
        kind->destroy(world->context, world->slots[slot].state);
        dent_release(world->context, world->slots[slot].state, 1, kind->size);
    }
    surface_forest_destroy(&world->forest);
    arena_destroy(&world->scratch);
    end_snapshot_destroy(&world->end);
    snapshot_destroy(&world->snapshot);
    body_table_destroy(&world->bodies);
    dent_release(world->context, world, 1, sizeof *world);
}

dent_status world_null_argument(dent_world *world, const char *function, const char *parameter)
{
    return world ? message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT, "%s: %s is null", function, parameter)
                 : DENT_ERROR_INVALID_ARGUMENT;
}

dent_status world_loop_status(dent_world *world, dent_status status)
{
    unsigned faults = context_take_loop_faults(world->context);
    return status == DENT_OK && faults
               ? message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT, "%s", loop_fault_text(faults))
               : status;
}

/* ---- slots and snapshots ----------------------------------------------------------------------------------------- */

/* The slot of a kind, or the first free one. */
static int slot_of(const dent_world *world, const struct world_slot_kind *kind)
{
    int slot = 0;
    while (world->slots[slot].kind && world->slots[slot].kind != kind) {
        slot++;
        DENT_ASSERT(slot < WORLD_SLOT_LIMIT);
    }
    return slot;
}

void *world_kept(const dent_world *world, const struct world_slot_kind *kind)
{
    return world->slots[slot_of(world, kind)].state;
}

void *world_state_of(dent_world *world, const struct world_slot_kind *kind)
{
    int slot = slot_of(world, kind);
    if (!world->slots[slot].kind) {
        void *state = dent_allocate(world->context, 1, kind->size);
        if (!state) {
            return NULL;
        }
        memset(state, 0, kind->size);
        kind->init(world->context, state);
        world->slots[slot].state = state;
        world->slots[slot].kind = kind;
    }
    return world->slots[slot].state;
}

dent_status world_open(dent_world *world)
{
    arena_reset(&world->scratch);
    world->end_is_read = false;
    return snapshot_read(&world->snapshot, &world->bodies, &world->message);
}

dent_status world_read_end(dent_world *world)
{
    dent_status status =
        world->end_is_read ? DENT_OK : end_snapshot_read(&world->end, &world->snapshot, &world->message);
    world->end_is_read = status == DENT_OK;
    return status;
}

void world_close(dent_world *world)
{
    arena_reset(&world->scratch);
}

dent_context *dent_world_context(const dent_world *world)
{
    if (!world) {
        return NULL;
    }
    return world->context;
}

const char *dent_world_message(const dent_world *world)
{
    if (!world) {
        return "";
    }
    return world->message.text;
}

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

/* A body without elements is allowed and never part of an answer, which should not go unsaid. */
static void note_emptiness(dent_world *world, dent_status status, dent_body_id id)
{
    const struct body *body = status == DENT_OK ? body_table_find(&world->bodies, id) : NULL;
    if (body && body->element_count == 0) {
        dent_log_line(world->context, DENT_LOG_WARNING, "%s has no elements: it is in no pair", body->name);
    }
}

dent_status dent_world_add_body(dent_world *world, const dent_body_def *def, dent_body_id *id)
{
    WORLD_REQUIRE(world, world);
    WORLD_REQUIRE(world, def);
    WORLD_REQUIRE(world, id);
    dent_status status = body_table_add(&world->bodies, def, &world->message, id);
    note_emptiness(world, status, *id);
    return status;
}

dent_status dent_world_remove_body(dent_world *world, dent_body_id id)
{
    WORLD_REQUIRE(world, world);
    return body_table_remove(&world->bodies, id, &world->message);
}

dent_status dent_body_set_topology(dent_world *world, dent_body_id id, const dent_body_def *def)
{
    WORLD_REQUIRE(world, world);
    WORLD_REQUIRE(world, def);
    dent_status status = body_table_replace(&world->bodies, id, def, &world->message);
    note_emptiness(world, status, id);
    return status;
}

dent_status dent_body_set_positions(dent_world *world, dent_body_id id, const dent_positions *positions_t0,
                                    const dent_positions *positions_t1)
{
    WORLD_REQUIRE(world, world);
    struct body *body = body_table_find(&world->bodies, id);
    if (!body) {
        return body_table_stale(&world->bodies, id, &world->message);
    }
    const dent_positions none = {0};
    dent_status status = body_check_positions(body, positions_t0 ? positions_t0 : &none, &world->message);
    if (status == DENT_OK) {
        status = body_check_positions(body, positions_t1 ? positions_t1 : &none, &world->message);
    }
    if (status != DENT_OK) {
        return status;
    }
    body->positions_t0 = positions_t0 ? *positions_t0 : none;
    body->positions_t1 = positions_t1 ? *positions_t1 : none;
    body->position_version++;
    return DENT_OK;
}

dent_status dent_body_get_positions(dent_world *world, dent_body_id id, dent_positions *positions_t0)
{
    WORLD_REQUIRE(world, world);
    WORLD_REQUIRE(world, positions_t0);
    const struct body *body = body_table_find(&world->bodies, id);
    if (!body) {
        return body_table_stale(&world->bodies, id, &world->message);
    }
    *positions_t0 = body->positions_t0;
    return DENT_OK;
}

dent_status dent_body_set_filter(dent_world *world, dent_body_id id, uint32_t collision_group, uint32_t collision_mask,
                                 bool self_collision)
{
    WORLD_REQUIRE(world, world);
    struct body *body = body_table_find(&world->bodies, id);
    if (!body) {
        return body_table_stale(&world->bodies, id, &world->message);
    }
    body->collision_group = collision_group;
    body->collision_mask = collision_mask;
    body->self_collision = self_collision;
    world->bodies.topology_version++;
    return DENT_OK;
}

dent_status dent_world_set_excluded_pairs(dent_world *world, const dent_excluded_pair *pairs, uint32_t count)
{
    WORLD_REQUIRE(world, world);
    WORLD_REQUIRE_ARRAY(world, count, pairs);
    return excluded_bodies_set(&world->bodies, pairs, count, &world->message);
}

dent_status dent_body_set_thickness(dent_world *world, dent_body_id id, double thickness)
{
    WORLD_REQUIRE(world, world);
    struct body *body = body_table_find(&world->bodies, id);
    if (!body) {
        return body_table_stale(&world->bodies, id, &world->message);
    }
    if (body->radii) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT,
                            BODY_TITLE " has a radius for each vertex; dent_body_set_topology replaces them",
                            BODY_TITLE_OF(body));
    }
    dent_status status = body_check_thickness(body, thickness, &world->message);
    if (status == DENT_OK) {
        body->thickness = thickness;
    }
    return status;
}

dent_status dent_body_set_material(dent_world *world, dent_body_id id, uint32_t material)
{
    WORLD_REQUIRE(world, world);
    if (!body_table_find(&world->bodies, id)) {
        return body_table_stale(&world->bodies, id, &world->message);
    }
    world->bodies.slots[id.index1 - 1].material = material;
    return DENT_OK;
}

uint32_t dent_body_material(const dent_world *world, dent_body_id id)
{
    if (!world) {
        return 0;
    }
    return body_table_find(&world->bodies, id) ? world->bodies.slots[id.index1 - 1].material : 0;
}

dent_status dent_body_set_user(dent_world *world, dent_body_id id, void *user)
{
    WORLD_REQUIRE(world, world);
    if (!body_table_find(&world->bodies, id)) {
        return body_table_stale(&world->bodies, id, &world->message);
    }
    world->bodies.slots[id.index1 - 1].user = user;
    return DENT_OK;
}

void *dent_body_user(const dent_world *world, dent_body_id id)
{
    return world && body_table_find(&world->bodies, id) ? world->bodies.slots[id.index1 - 1].user : NULL;
}

void *dent_world_user_at(const dent_world *world, uint32_t body_index)
{
    bool known = world && body_index < world->bodies.body_count;
    return known ? world->bodies.slots[world->bodies.living[body_index]].user : NULL;
}

const dent_body_id *dent_world_body_ids(const dent_world *world, uint32_t *count)
{
    if (!world) {
        return NULL;
    }
    if (count) {
        *count = world->bodies.body_count;
    }
    return world->bodies.ids;
}

uint32_t dent_world_body_count(const dent_world *world)
{
    if (!world) {
        return 0;
    }
    return world->bodies.body_count;
}

dent_body_id dent_world_body_at(const dent_world *world, uint32_t body_index)
{
    if (!world) {
        return (dent_body_id){0};
    }
    return body_index < world->bodies.body_count ? body_table_id_at(&world->bodies, body_index) : (dent_body_id){0};
}

bool dent_world_has_body(const dent_world *world, dent_body_id id)
{
    if (!world) {
        return false;
    }
    return body_table_find(&world->bodies, id) != NULL;
}

uint64_t dent_world_topology_version(const dent_world *world)
{
    return world ? world->bodies.topology_version : 0;
}

uint32_t dent_body_index(const dent_world *world, dent_body_id id)
{
    if (!world) {
        return UINT32_MAX;
    }
    return body_table_index(&world->bodies, id);
}

const char *dent_body_name(const dent_world *world, dent_body_id id)
{
    if (!world) {
        return NULL;
    }
    const struct body *body = body_table_find(&world->bodies, id);
    return body ? body->name : NULL;
}

dent_status dent_body_get_topology(dent_world *world, dent_body_id id, dent_body_topology *topology)
{
    WORLD_REQUIRE(world, world);
    WORLD_REQUIRE(world, topology);
    const struct body *body = body_table_find(&world->bodies, id);
    if (!body) {
        return body_table_stale(&world->bodies, id, &world->message);
    }
    *topology = body->topology;
    return DENT_OK;
}

static DENT_NOINLINE dent_status measure_body(dent_world *world, const struct body *body, dent_body_metrics *measure)
{
    arena_reset(&world->scratch);
    double(*xyz)[3] = arena_allocate(&world->scratch, body->vertex_count, sizeof *xyz);
    if (!xyz) {
        return message_fail(&world->message, DENT_ERROR_OUT_OF_MEMORY, BODY_TITLE ": out of memory for %u positions",
                            BODY_TITLE_OF(body), (unsigned)body->vertex_count);
    }
    dent_status status = body_read_positions(body, &body->positions_t0, &world->message, xyz);
    if (status == DENT_OK) {
        body_measure(body, (const double(*)[3])xyz, measure);
    }
    return status;
}

dent_status dent_body_get_metrics(dent_world *world, dent_body_id id, dent_body_metrics *measure)
{
    WORLD_REQUIRE(world, world);
    WORLD_REQUIRE(world, measure);
    const struct body *body = body_table_find(&world->bodies, id);
    if (!body) {
        return body_table_stale(&world->bodies, id, &world->message);
    }
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    dent_status status = measure_body(world, body, measure);
    floating_point_guard_leave(&guard);
    return status;
}

const dent_surface_face *dent_body_surface_faces(const dent_world *world, dent_body_id id, uint32_t *count)
{
    if (!world || !count) {
        return NULL;
    }
    const struct body *body = body_table_find(&world->bodies, id);
    *count = body ? body->surface_face_count : 0;
    return body ? body->surface_faces : NULL;
}

const dent_edge *dent_body_edges(const dent_world *world, dent_body_id id, uint32_t *count)
{
    if (!world || !count) {
        return NULL;
    }
    const struct body *body = body_table_find(&world->bodies, id);
    *count = body ? body->edge_count : 0;
    return body ? body->edges : NULL;
}

const uint32_t *dent_body_tetrahedra(const dent_world *world, dent_body_id id, uint32_t *count, const uint32_t **cells)
{
    if (!world || !count) {
        return NULL;
    }
    const struct body *body = body_table_find(&world->bodies, id);
    *count = body ? body->tetrahedron_count : 0;
    if (cells) {
        *cells = body ? body->cell_of_tetrahedron : NULL;
    }
    return body && body->tetrahedra ? body->tetrahedra[0] : NULL;
}
