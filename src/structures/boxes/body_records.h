/* One record for every body of a snapshot, made anew when the topology of the world has changed: what a query derives from
 * the meshes alone and keeps from call to call. */
#ifndef DENT_STRUCTURES_BODY_RECORDS_H
#define DENT_STRUCTURES_BODY_RECORDS_H

#include "bodies/snapshot.h"

/* All zeros: none yet. */
struct body_records {
    void *data; /* by body index */
    uint32_t count;
    bool current; /* made for the topology of `version` */
    uint64_t version;
};

/* What the records are. */
struct body_record_kind {
    size_t size;
    /* Fills a record of zeros. False: no memory; what was taken by then is given back by `destroy`. */
    bool (*make)(void *user, void *record, const struct body *body);
    /* Also of records of zeros. */
    void (*destroy)(dent_context *context, void *record);
};

/* *changed: whether they were made anew. False when memory runs out, and then there are none. */
bool body_records_update(struct body_records *records, const struct body_record_kind *kind, dent_context *context,
                         const struct snapshot *snapshot, void *user, bool *changed);
void body_records_destroy(struct body_records *records, const struct body_record_kind *kind, dent_context *context);

#endif
