/* What a world keeps for its contacts: neighbours of vertices, tables, buffers, and the memory of the last call. */
#include "contact/depth/contact_run.h"

/* ---- buffers ----------------------------------------------------------------------------------------------------- */

static void destroy_mesh(dent_context *context, void *record)
{
    struct contact_mesh *mesh = record;
    dent_release(context, mesh->first, (size_t)mesh->vertex_count + 1, sizeof *mesh->first);
    dent_release(context, mesh->neighbours, 2 * (size_t)mesh->edge_count, sizeof *mesh->neighbours);
    dent_release(context, mesh->slot, mesh->vertex_count, sizeof *mesh->slot);
    dent_release(context, mesh->mark, mesh->vertex_count, sizeof *mesh->mark);
    dent_release(context, mesh->normal_slot, mesh->vertex_count, sizeof *mesh->normal_slot);
    dent_release(context, mesh->face_slot, mesh->face_count, sizeof *mesh->face_slot);
    dent_release(context, mesh->edge_cut, mesh->edge_count, sizeof *mesh->edge_cut);
    dent_release(context, mesh->component_first, mesh->component_count, sizeof *mesh->component_first);
    dent_release(context, mesh->component_mark, mesh->component_count, sizeof *mesh->component_mark);
    *mesh = (struct contact_mesh){0};
}

static bool make_mesh(void *user, void *record, const struct body *body);

static const struct body_record_kind mesh_kind = {sizeof(struct contact_mesh), make_mesh, destroy_mesh};

static void for_each_array(struct contact_state *state, void (*visit)(struct dynamic_array *, dent_context *, size_t))
{
    dent_context *context = state->context;
    visit(&state->points, context, sizeof(struct depth_point));
    visit(&state->terms, context, sizeof(struct depth_term));
    visit(&state->chords, context, sizeof(struct depth_chord));
    visit(&state->runs, context, sizeof(struct cut_run));
    visit(&state->queue, context, sizeof(uint32_t));
    visit(&state->next_queue, context, sizeof(uint32_t));
    visit(&state->normal_vertices, context, sizeof(struct normal_slot));
    visit(&state->hit_faces, context, sizeof(struct hit_face));
    visit(&state->lost, context, sizeof(struct lost_edge));
    visit(&state->sides, context, sizeof(int8_t));
    visit(&state->contacts, context, sizeof(dent_contact));
    visit(&state->patches, context, sizeof(dent_contact_patch));
    visit(&state->unsorted, context, sizeof(dent_contact));
    visit(&state->memory.records, context, sizeof(dent_contact_memory));
    visit(&state->memory.bodies, context, sizeof(struct remembered_body));
    visit(&state->fresh_memory.records, context, sizeof(dent_contact_memory));
    visit(&state->fresh_memory.bodies, context, sizeof(struct remembered_body));
}

static void destroy_array(struct dynamic_array *array, dent_context *context, size_t size)
{
    (void)context;
    (void)size;
    array_destroy(array);
}

static void init_state(dent_context *context, void *data)
{
    struct contact_state *state = data;
    state->context = context;
    for_each_array(state, array_init);
    block_output_init(&state->lost_blocks, context, sizeof(struct lost_edge));
    block_output_init(&state->term_blocks, context, sizeof(struct depth_term));
    contact_history_init(state);
}

static void destroy_state(dent_context *context, void *data)
{
    struct contact_state *state = data;
    body_records_destroy(&state->mesh_records, &mesh_kind, context);
    for_each_array(state, destroy_array);
    block_output_destroy(&state->lost_blocks);
    block_output_destroy(&state->term_blocks);
    contact_history_destroy(state);
}

const struct world_slot_kind contact_slot = {sizeof(struct contact_state), init_state, destroy_state};

/* ---- neighbours -------------------------------------------------------------------------------------------------- */

/* Edges come sorted by (v0, v1): going through them twice, first by their larger end, leaves every list ascending. */
static void fill_neighbours(struct contact_mesh *mesh, const struct body *body)
{
    memset(mesh->first, 0, ((size_t)mesh->vertex_count + 1) * sizeof *mesh->first);
    for (uint32_t i = 0; i < body->edge_count; i++) {
        mesh->first[body->edges[i].v0]++;
        mesh->first[body->edges[i].v1]++;
    }
    uint32_t sum = 0;
    for (uint32_t v = 0; v <= mesh->vertex_count; v++) {
        uint32_t here = mesh->first[v];
        mesh->first[v] = sum;
        sum += here;
    }
    for (uint32_t i = 0; i < body->edge_count; i++) {
        dent_edge edge = body->edges[i];
        mesh->neighbours[mesh->first[edge.v1]++] = (struct contact_neighbour){edge.v0, i};
    }
    for (uint32_t i = 0; i < body->edge_count; i++) {
        dent_edge edge = body->edges[i];
        mesh->neighbours[mesh->first[edge.v0]++] = (struct contact_neighbour){edge.v1, i};
    }
    for (uint32_t v = mesh->vertex_count; v > 0; v--) { /* the filling moved every start to the next one */
        mesh->first[v] = mesh->first[v - 1];
    }
    mesh->first[0] = 0;
}

/* user: the context. */
static bool make_mesh(void *user, void *record, const struct body *body)
{
    dent_context *context = user;
    struct contact_mesh *mesh = record;
    if (body->edge_count > UINT32_MAX / 2) {
        return false;
    }
    *mesh = (struct contact_mesh){.identity_base = body->identity_base,
                                  .vertex_count = body->vertex_count,
                                  .edge_count = body->edge_count,
                                  .face_count = body->surface_face_count,
                                  .component_count = body->topology.component_count};
    mesh->first = dent_allocate(context, (size_t)mesh->vertex_count + 1, sizeof *mesh->first);
    mesh->neighbours = dent_allocate(context, 2 * (size_t)mesh->edge_count, sizeof *mesh->neighbours);
    mesh->slot = dent_allocate(context, mesh->vertex_count, sizeof *mesh->slot);
    mesh->mark = dent_allocate(context, mesh->vertex_count, sizeof *mesh->mark);
    mesh->normal_slot = dent_allocate(context, mesh->vertex_count, sizeof *mesh->normal_slot);
    mesh->face_slot = dent_allocate(context, mesh->face_count, sizeof *mesh->face_slot);
    mesh->edge_cut = dent_allocate(context, mesh->edge_count, sizeof *mesh->edge_cut);
    mesh->component_first = dent_allocate(context, mesh->component_count, sizeof *mesh->component_first);
    mesh->component_mark = dent_allocate(context, mesh->component_count, sizeof *mesh->component_mark);
    if (!mesh->first || !mesh->neighbours || !mesh->slot || !mesh->mark || !mesh->normal_slot || !mesh->face_slot ||
        !mesh->edge_cut || !mesh->component_first || !mesh->component_mark) {
        destroy_mesh(context, mesh);
        return false;
    }
    memset(mesh->slot, 0, mesh->vertex_count * sizeof *mesh->slot);
    memset(mesh->mark, 0, mesh->vertex_count * sizeof *mesh->mark);
    memset(mesh->normal_slot, 0, mesh->vertex_count * sizeof *mesh->normal_slot);
    memset(mesh->face_slot, 0, mesh->face_count * sizeof *mesh->face_slot);
    memset(mesh->edge_cut, 0, mesh->edge_count);
    memset(mesh->component_mark, 0, mesh->component_count * sizeof *mesh->component_mark);
    for (uint32_t v = mesh->vertex_count; v-- > 0;) {
        if (body->vertex_component[v] != UINT32_MAX) {
            mesh->component_first[body->vertex_component[v]] = v;
        }
    }
    fill_neighbours(mesh, body);
    return true;
}

bool contact_update_meshes(struct contact_run *run)
{
    struct contact_state *state = run->state;
    bool changed;
    bool made =
        body_records_update(&state->mesh_records, &mesh_kind, state->context, run->snapshot, state->context, &changed);
    state->meshes = state->mesh_records.data;
    state->flood = changed ? 0 : state->flood;
    return made;
}

/* ---- the memory of the last call --------------------------------------------------------------------------------- */

/* Body index now of the body with this serial, or SLOT_NONE. Serials grow with body index, then and now. */
static uint32_t body_index_of_serial(uint64_t serial, const struct body_table *bodies)
{
    uint32_t low = 0, high = bodies->body_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (bodies->slots[bodies->living[middle]].serial < serial) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < bodies->body_count && bodies->slots[bodies->living[low]].serial == serial ? low : SLOT_NONE;
}

/* The same, unless it has new elements. */
static uint32_t body_index_now(const struct remembered_body *body, const struct body_table *bodies)
{
    uint32_t body_index = body_index_of_serial(body->serial, bodies);
    bool same = body_index != SLOT_NONE && body_table_at(bodies, body_index)->identity_base == body->identity_base;
    return same ? body_index : SLOT_NONE;
}

void contact_memory_follow(struct contact_memory *memory, const struct body_table *bodies)
{
    struct remembered_body *known = memory->bodies.data;
    bool same = memory->bodies.count == bodies->body_count;
    for (uint32_t body_index = 0; same && body_index < bodies->body_count; body_index++) {
        same = body_index_now(&known[body_index], bodies) == body_index;
    }
    if (same) {
        return;
    }
    dent_contact_memory *records = memory->records.data;
    size_t kept = 0;
    for (size_t i = 0; i < memory->records.count; i++) {
        uint32_t a = body_index_now(&known[records[i].body_a], bodies),
                 b = body_index_now(&known[records[i].body_b], bodies);
        if (a != SLOT_NONE && b != SLOT_NONE) {
            records[kept] = records[i];
            records[kept].body_a = a;
            records[kept++].body_b = b;
        }
    }
    memory->records.count = kept;
    /* From here on they belong to the bodies of today. Bodies are added behind all others, so those that are known and
     * still there come first and in order. */
    size_t slots = 0;
    for (size_t i = 0; i < memory->bodies.count; i++) {
        uint32_t body_index = body_index_of_serial(known[i].serial, bodies);
        if (body_index != SLOT_NONE) {
            known[slots].identity_base = body_table_at(bodies, body_index)->identity_base;
            known[slots++].serial = known[i].serial;
        }
    }
    memory->bodies.count = slots;
}

const dent_contact_memory *dent_world_contact_memory(const dent_world *world, uint64_t *count)
{
    if (!world || !count) {
        return NULL;
    }
    const struct contact_state *state = world_kept(world, &contact_slot);
    *count = state ? state->memory.records.count : 0;
    return state ? state->memory.records.data : NULL;
}

void dent_world_forget_contacts(dent_world *world)
{
    struct contact_state *state = world ? world_kept(world, &contact_slot) : NULL;
    if (state) {
        array_clear(&state->memory.records);
        contact_history_forget(state);
    }
}

static bool comes_before(const dent_contact_memory *a, const dent_contact_memory *b)
{
    if (a->body_a != b->body_a) {
        return a->body_a < b->body_a;
    }
    return a->vertex != b->vertex ? a->vertex < b->vertex : a->body_b < b->body_b;
}

static bool record_is_sound(const dent_world *world, const dent_contact_memory *record)
{
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        square += record->direction[axis] * record->direction[axis];
    }
    return record->body_a < world->bodies.body_count && record->body_b < world->bodies.body_count &&
           record->vertex < body_table_at(&world->bodies, record->body_a)->vertex_count && square > 0.99 &&
           square < 1.01;
}

bool contact_remember_bodies(struct dynamic_array *known, const struct body_table *bodies)
{
    array_clear(known);
    struct remembered_body *fresh = array_extend(known, bodies->body_count);
    for (uint32_t body_index = 0; fresh && body_index < bodies->body_count; body_index++) {
        fresh[body_index].serial = bodies->slots[bodies->living[body_index]].serial;
        fresh[body_index].identity_base = body_table_at(bodies, body_index)->identity_base;
    }
    return fresh != NULL;
}

dent_status dent_world_set_contact_memory(dent_world *world, const dent_contact_memory *memory, uint64_t count)
{
    WORLD_REQUIRE(world, world);
    WORLD_REQUIRE_ARRAY(world, count, memory);
    struct contact_state *state = world_state_of(world, &contact_slot);
    for (uint64_t i = 0; i < count; i++) {
        if (!record_is_sound(world, &memory[i]) || (i > 0 && !comes_before(&memory[i - 1], &memory[i]))) {
            return message_fail(
                &world->message, DENT_ERROR_INVALID_ARGUMENT,
                "record %llu of the contact memory names no vertex, is out of order or has no direction",
                (unsigned long long)i);
        }
    }
    if (state) {
        array_clear(&state->fresh_memory.records);
    }
    if (!state || count > SIZE_MAX / sizeof *memory ||
        !contact_remember_bodies(&state->fresh_memory.bodies, &world->bodies) ||
        !array_push_many(&state->fresh_memory.records, memory, (size_t)count)) {
        return message_fail(&world->message, DENT_ERROR_OUT_OF_MEMORY,
                            "out of memory for %llu records of contact memory", (unsigned long long)count);
    }
    struct contact_memory old = state->memory;
    state->memory = state->fresh_memory;
    state->fresh_memory = old;
    return DENT_OK;
}
