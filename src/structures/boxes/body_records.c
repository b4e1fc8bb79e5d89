/* Records by body, made anew when the topology changes. See body_records.h. */
#include "structures/boxes/body_records.h"

#include <string.h>

#include "base/allocator.h"

static void *record_at(const struct body_records *records, const struct body_record_kind *kind, uint32_t rank)
{
    return (char *)records->data + rank * kind->size;
}

void body_records_destroy(struct body_records *records, const struct body_record_kind *kind, dent_context *context)
{
    for (uint32_t rank = 0; rank < records->count; rank++) {
        kind->destroy(context, record_at(records, kind, rank));
    }
    dent_release(context, records->data, records->count, kind->size);
    *records = (struct body_records){0};
}

bool body_records_update(struct body_records *records, const struct body_record_kind *kind, dent_context *context,
                         const struct pose *pose, void *user, bool *changed)
{
    *changed = !records->current || records->version != pose->table->topology_version;
    if (!*changed) {
        return true;
    }
    body_records_destroy(records, kind, context);
    records->data = dent_allocate(context, pose->body_count, kind->size);
    if (!records->data) {
        return false;
    }
    records->count = pose->body_count;
    memset(records->data, 0, pose->body_count * kind->size);
    for (uint32_t rank = 0; rank < pose->body_count; rank++) {
        if (!kind->make(user, record_at(records, kind, rank), pose->bodies[rank].body)) {
            body_records_destroy(records, kind, context);
            return false;
        }
    }
    records->version = pose->table->topology_version;
    records->current = true;
    return true;
}
