/* The bodies of one world: slots with generations, order of addition, ties between vertices of different bodies.
 *
 * body index r is the r-th living body in order of addition; ids name slots. A failing call changes nothing.
 */
#ifndef DENT_BODIES_BODY_TABLE_H
#define DENT_BODIES_BODY_TABLE_H

#include <dent/id.h>

#include "bodies/body_data.h"
#include "bodies/shared_mesh.h"

struct body_slot {
    struct body *body;   /* null: free */
    uint32_t generation; /* of the body, or of the next one when the slot is free */
    uint32_t next_free;  /* when free: the next free slot, UINT32_MAX: none */
    uint64_t serial;     /* order of addition, never reused */
    uint32_t material;   /* the caller's number, for contacts */
    void *user;          /* the caller's pointer, never followed */
};

/* Pairs of different bodies that are not asked about: (smaller slot << 32 | larger slot), ascending, each once. */
struct excluded_bodies {
    uint64_t *pairs;
    uint32_t count, capacity;
};

struct body_table {
    dent_context *context;
    struct excluded_bodies excluded;
    struct body_slot *slots;
    uint32_t slot_count, slot_capacity;
    uint32_t world;         /* serial of the world, which ids carry */
    uint32_t *living;  /* slot of the r-th living body, ascending serial; slot_capacity long */
    dent_body_id *ids; /* its id; slot_capacity long */
    uint32_t body_count;
    uint32_t first_free; /* UINT32_MAX: none */
    uint64_t next_serial;
    uint64_t next_identity;    /* identity_base >> 32 of the next body; a re-topologised body takes a fresh one too */
    struct shared_meshes meshes;
    uint64_t topology_version; /* grows with every change of elements, ties, filters or the set of bodies */
};

void body_table_init(struct body_table *table, dent_context *context);
void body_table_destroy(struct body_table *table);

/* Ties are given by the def (same_as). A replaced body gets fresh identities: what it shared with others before is
 * shared no longer unless its new def ties it again; ties of other bodies with each other, made through it, stay, as
 * after a removal. */
dent_status body_table_add(struct body_table *table, const dent_body_def *def, struct message *message,
                           dent_body_id *id);
dent_status body_table_remove(struct body_table *table, dent_body_id id, struct message *message);
dent_status body_table_replace(struct body_table *table, dent_body_id id, const dent_body_def *def,
                               struct message *message);

/* Null for a stale or null id. */
struct body *body_table_find(const struct body_table *table, dent_body_id id);
/* UINT32_MAX for a stale id. */
uint32_t body_table_index(const struct body_table *table, dent_body_id id);
static inline struct body *body_table_at(const struct body_table *table, uint32_t body_index)
{
    return table->slots[table->living[body_index]].body;
}
dent_body_id body_table_id_at(const struct body_table *table, uint32_t body_index);

/* STALE_ID with a message that says whether the id is null, was removed, or never existed. */
dent_status body_table_stale(const struct body_table *table, dent_body_id id, struct message *message);

/* Replaces the excluded pairs; on failure nothing has changed. */
dent_status excluded_bodies_set(struct body_table *table, const dent_excluded_pair *pairs, uint32_t count,
                                struct message *message);
/* Drops all pairs with the body of a slot. */
void excluded_bodies_forget(struct body_table *table, uint32_t slot);

/* May elements of these two bodies (or of one body with itself) be an answer? */
bool bodies_may_meet(const struct body *a, const struct body *b);

#endif
