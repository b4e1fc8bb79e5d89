/* vertex_depths.c — contacts of vertices in cells, the deepest of each vertex. See vertex_depths.h. */
#include "vertex_depths.h"

#include "interrupt.h"
#include "tool.h"

#include <dent/contact.h>

#include <string.h>

static uint64_t first_vertex(const loaded_world *loaded, uint32_t body_index)
{
    uint64_t first = 0;
    for (uint32_t i = 0; i < body_index; i++) {
        first += loaded->bodies[i].vertex_count;
    }
    return first;
}

static int find_contacts(tool_session *session, const loaded_world *loaded, dent_contacts *found)
{
    dent_contacts_def def = dent_contacts_def_default();
    def.crossings = false;
    def.cancel = interrupt_flag();
    progress_begin(&session->progress, "measuring depths", 0);
    dent_status status = dent_world_find_contacts(loaded->world, &def, found);
    progress_end(&session->progress);
    if (status != DENT_OK) {
        return complain("check: %s", dent_world_message(loaded->world));
    }
    if (found->outcome != DENT_OUTCOME_COMPLETE) {
        return interrupt_seen() ? interrupt_report()
                                : complain("check: the depths are not complete: %s", dent_outcome_name(found->outcome));
    }
    return STATUS_GOOD;
}

int vertex_depths_find(tool_session *session, const loaded_world *loaded, vertex_depths *depths)
{
    dent_contacts found;
    memset(depths, 0, sizeof *depths);
    int failed = find_contacts(session, loaded, &found);
    if (failed) {
        return failed;
    }
    uint64_t count = first_vertex(loaded, loaded->body_count);
    uint64_t *first = dent_allocate(session->context, loaded->body_count, sizeof *first);
    depths->values = dent_allocate(session->context, count, sizeof *depths->values);
    depths->count = count;
    if (first == NULL || depths->values == NULL) {
        dent_release(session->context, first, loaded->body_count, sizeof *first);
        return complain("--out: out of memory");
    }
    memset(depths->values, 0, count * sizeof *depths->values);
    for (uint32_t i = 0; i < loaded->body_count; i++) {
        first[i] = i > 0 ? first[i - 1] + loaded->bodies[i - 1].vertex_count : 0;
    }
    for (uint64_t i = 0; i < found.count; i++) {
        const dent_contact *contact = &found.contacts[i];
        if (contact->kind == DENT_CONTACT_VERTEX_CELL && contact->body_a != contact->body_b) {
            double *depth = &depths->values[first[contact->body_a] + contact->feature_a];
            *depth = -contact->gap > *depth ? -contact->gap : *depth;
        }
    }
    dent_release(session->context, first, loaded->body_count, sizeof *first);
    return STATUS_GOOD;
}

void vertex_depths_release(tool_session *session, vertex_depths *depths)
{
    dent_release(session->context, depths->values, depths->count, sizeof *depths->values);
    memset(depths, 0, sizeof *depths);
}

const double *vertex_depths_of(const vertex_depths *depths, const loaded_world *loaded, uint32_t body_index)
{
    return depths->values + first_vertex(loaded, body_index);
}
