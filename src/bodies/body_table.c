/* The bodies of one world: an id names a slot and a generation, a body index the slot in the order of addition.
 *
 * Slots are reused, generations never, so an old id cannot name a new body; a slot whose generations are used up is
 * retired. Serials grow with every addition; `living` lists the slots by ascending serial. Every call that can fail
 * first takes all it needs and changes the table last.
 */
#include "bodies/body_table.h"

#include "bodies/mesh_check.h"
#include "bodies/strand_body.h"
#include "bodies/vertex_ties.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SLOT_NONE UINT32_MAX

static const uint64_t identity_limit = (uint64_t)1 << 32; /* identities are (number of the body, vertex) in 64 bits */

void body_table_init(struct body_table *table, dent_context *context)
{
    memset(table, 0, sizeof *table);
    table->context = context;
    table->first_free = SLOT_NONE;
}

void body_table_destroy(struct body_table *table)
{
    for (uint32_t slot = 0; slot < table->slot_count; slot++) {
        body_destroy(table->slots[slot].body);
    }
    dent_release(table->context, table->slots, table->slot_capacity, sizeof *table->slots);
    dent_release(table->context, table->living, table->slot_capacity, sizeof *table->living);
    dent_release(table->context, table->ids, table->slot_capacity, sizeof *table->ids);
    dent_release(table->context, table->excluded.pairs, table->excluded.capacity, sizeof *table->excluded.pairs);
    body_table_init(table, table->context);
}

/* ---- finding ----------------------------------------------------------------------------------------------------- */

struct body *body_table_find(const struct body_table *table, dent_body_id id)
{
    if (dent_body_id_is_null(id) || id.index1 > table->slot_count) {
        return NULL;
    }
    const struct body_slot *slot = &table->slots[id.index1 - 1];
    return slot->generation == id.generation && id.world == table->world ? slot->body : NULL;
}

uint32_t body_table_index(const struct body_table *table, dent_body_id id)
{
    if (!body_table_find(table, id)) {
        return UINT32_MAX;
    }
    uint64_t serial = table->slots[id.index1 - 1].serial;
    uint32_t low = 0, high = table->body_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (table->slots[table->living[middle]].serial <= serial) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

dent_body_id body_table_id_at(const struct body_table *table, uint32_t body_index)
{
    if (body_index >= table->body_count) {
        return (dent_body_id){0};
    }
    return table->ids[body_index];
}

dent_status body_table_stale(const struct body_table *table, dent_body_id id, struct message *message)
{
    if (dent_body_id_is_null(id)) {
        return message_fail(message, DENT_ERROR_STALE_ID, "the body id is null");
    }
    if (id.world != table->world) {
        return message_fail(message, DENT_ERROR_STALE_ID,
                            "body id %" PRIu32 ".%" PRIu32 " is of world %" PRIu32 " of this context, not of %" PRIu32,
                            id.index1, id.generation, id.world, table->world);
    }
    if (id.index1 > table->slot_count || id.generation == 0 ||
        id.generation >= table->slots[id.index1 - 1].generation) {
        return message_fail(message, DENT_ERROR_STALE_ID,
                            "body id %" PRIu32 ".%" PRIu32 " never named a body of this world", id.index1,
                            id.generation);
    }
    return message_fail(message, DENT_ERROR_STALE_ID, "body id %" PRIu32 ".%" PRIu32 " is stale: the body was removed",
                        id.index1, id.generation);
}

/* ---- changing ---------------------------------------------------------------------------------------------------- */

/* Room for one more slot in all three arrays. */
static dent_status reserve_slot(struct body_table *table, struct message *message)
{
    if (table->first_free != SLOT_NONE || table->slot_count < table->slot_capacity) {
        return DENT_OK;
    }
    if (table->slot_capacity > (UINT32_MAX - 1) / 2 - 8) {
        return message_fail(message, DENT_ERROR_TOO_LARGE, "a world cannot hold more than %" PRIu32 " bodies",
                            table->slot_capacity);
    }
    uint32_t capacity = table->slot_capacity * 2 + 8;
    struct body_slot *slots = dent_allocate(table->context, capacity, sizeof *slots);
    uint32_t *living = dent_allocate(table->context, capacity, sizeof *living);
    dent_body_id *ids = dent_allocate(table->context, capacity, sizeof *ids);
    if (!slots || !living || !ids) {
        dent_release(table->context, slots, capacity, sizeof *slots);
        dent_release(table->context, living, capacity, sizeof *living);
        dent_release(table->context, ids, capacity, sizeof *ids);
        return message_fail(message, DENT_ERROR_OUT_OF_MEMORY, "not enough memory for %" PRIu32 " bodies", capacity);
    }
    if (table->slot_count > 0) {
        memcpy(slots, table->slots, table->slot_count * sizeof *slots);
        memcpy(living, table->living, table->body_count * sizeof *living);
        memcpy(ids, table->ids, table->body_count * sizeof *ids);
    }
    dent_release(table->context, table->slots, table->slot_capacity, sizeof *table->slots);
    dent_release(table->context, table->living, table->slot_capacity, sizeof *table->living);
    dent_release(table->context, table->ids, table->slot_capacity, sizeof *table->ids);
    table->slots = slots;
    table->living = living;
    table->ids = ids;
    table->slot_capacity = capacity;
    return DENT_OK;
}

/* Creates the body of a def and prepares its ties. A body without a name is called after its serial. */
static dent_status make_body(const struct body_table *table, const dent_body_def *def, uint64_t serial,
                             dent_body_id replaced, struct message *message, struct body **body,
                             struct vertex_ties *ties)
{
    if (table->next_identity >= identity_limit) {
        return message_fail(message, DENT_ERROR_TOO_LARGE, "this world has had all the %" PRIu64 " bodies it can name",
                            identity_limit);
    }
    dent_status status =
        body_create(table->context, def, serial, table->next_identity << 32, &table->meshes, message, body);
    if (status != DENT_OK) {
        return status;
    }
    status = strand_roots_check(table, *body, replaced, message);
    if (status == DENT_OK) {
        status = vertex_ties_prepare(ties, table, *body, replaced, def, message);
    }
    if (status != DENT_OK) {
        body_destroy(*body);
    }
    return status;
}

static uint32_t take_slot(struct body_table *table)
{
    uint32_t slot = table->first_free;
    if (slot != SLOT_NONE) {
        table->first_free = table->slots[slot].next_free;
        return slot;
    }
    slot = table->slot_count++;
    table->slots[slot] = (struct body_slot){.generation = 1, .next_free = SLOT_NONE};
    return slot;
}

dent_status body_table_add(struct body_table *table, const dent_body_def *def, struct message *message,
                           dent_body_id *id)
{
    struct body *body = NULL;
    struct vertex_ties ties;
    dent_status status = make_body(table, def, table->next_serial, (dent_body_id){0}, message, &body, &ties);
    if (status != DENT_OK) {
        return status;
    }
    status = reserve_slot(table, message);
    if (status != DENT_OK) {
        vertex_ties_discard(&ties);
        body_destroy(body);
        return status;
    }
    vertex_ties_commit(&ties, body);
    uint32_t slot = take_slot(table);
    table->slots[slot].body = body;
    body->slot = slot;
    shared_meshes_note(&table->meshes, body);
    table->slots[slot].serial = table->next_serial++;
    table->slots[slot].material = 0;
    table->slots[slot].user = def->user;
    table->next_identity++;
    *id = (dent_body_id){slot + 1, table->slots[slot].generation, table->world};
    table->ids[table->body_count] = *id;
    table->living[table->body_count++] = slot;
    table->topology_version++;
    return DENT_OK;
}

dent_status body_table_remove(struct body_table *table, dent_body_id id, struct message *message)
{
    uint32_t body_index = body_table_index(table, id);
    if (body_index == UINT32_MAX) {
        return body_table_stale(table, id, message);
    }
    uint32_t slot_index = table->living[body_index];
    struct body_slot *slot = &table->slots[slot_index];
    memmove(&table->living[body_index], &table->living[body_index + 1],
            (table->body_count - body_index - 1) * sizeof *table->living);
    memmove(&table->ids[body_index], &table->ids[body_index + 1],
            (table->body_count - body_index - 1) * sizeof *table->ids);
    table->body_count--;
    table->topology_version++;
    excluded_bodies_forget(table, slot_index);
    shared_meshes_forget(&table->meshes, slot->body);
    body_destroy(slot->body);
    slot->body = NULL;
    slot->generation++;
    if (slot->generation != UINT32_MAX) {
        /* The last generation is never given out: a slot that reached it stays empty for ever. */
        slot->next_free = table->first_free;
        table->first_free = slot_index;
    }
    return DENT_OK;
}

dent_status body_table_replace(struct body_table *table, dent_body_id id, const dent_body_def *def,
                               struct message *message)
{
    if (!body_table_find(table, id)) {
        return body_table_stale(table, id, message);
    }
    struct body_slot *slot = &table->slots[id.index1 - 1];
    struct body *body = NULL;
    struct vertex_ties ties;
    dent_status status = make_body(table, def, slot->serial, id, message, &body, &ties);
    if (status != DENT_OK) {
        return status;
    }
    vertex_ties_commit(&ties, body);
    body->slot = slot->body->slot;
    body->excluded = slot->body->excluded;
    shared_meshes_forget(&table->meshes, slot->body);
    body_destroy(slot->body);
    slot->body = body;
    slot->user = def->user;
    shared_meshes_note(&table->meshes, body);
    table->next_identity++;
    table->topology_version++;
    return DENT_OK;
}
