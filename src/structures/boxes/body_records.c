/* Records by body, made anew when the topology changes. See body_records.h. */
#include "structures/boxes/body_records.h"

#include <string.h>

#include "base/allocator.h"

static void *record_at(const struct body_records *records, const struct body_record_kind *kind, uint32_t body_index)
{
    return (char *)records->data + body_index * kind->size;
}

void body_records_destroy(struct body_records *records, const struct body_record_kind *kind, dent_context *context)
{
    for (uint32_t body_index = 0; body_index < records->count; body_index++) {
        kind->destroy(context, record_at(records, kind, body_index));
    }
    dent_release(context, records->data, records->count, kind->size);
    *records = (struct body_records){0};
}

bool body_records_update(struct body_records *records, const struct body_record_kind *kind, dent_context *context,
                         const struct snapshot *snapshot, void *user, bool *changed)
{
    *changed = !records->current || records->version != snapshot->table->topology_version;
    if (!*changed) {
        return true;
    }
    body_records_destroy(records, kind, context);
    records->data = dent_allocate(context, snapshot->body_count, kind->size);
    if (!records->data) {
        return false;
    }
    records->count = snapshot->body_count;
    memset(records->data, 0, snapshot->body_count * kind->size);
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        if (!kind->make(user, record_at(records, kind, body_index), snapshot->bodies[body_index].body)) {
            body_records_destroy(records, kind, context);
            return false;
        }
    }
    records->version = snapshot->table->topology_version;
    records->current = true;
    return true;
}
