/* How an impact is printed, and the fingerprint of a list of impacts. */
#include <stdio.h>

#include <dent/impact.h>

#include "base/hash.h"
#include "query/world/world_state.h"

size_t dent_impact_feature_print(const dent_world *world, const dent_impact *impact, bool side_b, char *buffer,
                                 size_t buffer_size)
{
    if (!world || !impact) {
        return 0;
    }
    uint32_t body_index = side_b ? impact->body_b : impact->body_a,
             feature = side_b ? impact->feature_b : impact->feature_a;
    if (impact->kind == DENT_IMPACT_EDGE_EDGE) {
        const dent_edge *edge = &body_table_at(&world->bodies, body_index)->edges[feature];
        int length = snprintf(buffer, buffer_size, "%u-%u", (unsigned)edge->v0, (unsigned)edge->v1);
        return length < 0 ? 0 : (size_t)length;
    }
    /* A face is printed as side a of face-cell, a vertex as side a of vertex-cell. */
    dent_pair plain = {.body_a = body_index, .feature_a = feature};
    return dent_feature_print(world, side_b ? DENT_QUESTION_FACE_CELL : DENT_QUESTION_VERTEX_CELL, &plain, false,
                              buffer, buffer_size);
}

uint64_t dent_impact_hash(const dent_world *world, const dent_impact *impacts, uint64_t count)
{
    if (!world || (count > 0 && !impacts)) {
        return 0;
    }
    uint64_t hash = HASH_START;
    for (uint64_t i = 0; i < count; i++) {
        const dent_impact *impact = &impacts[i];
        char text[64];
        int length = snprintf(text, sizeof text, "%s", dent_impact_kind_name((dent_impact_kind)impact->kind));
        hash = hash_bytes(hash, text, (size_t)length);
        for (int side = 0; side < 2; side++) {
            length = snprintf(text, sizeof text, " %u ", (unsigned)(side ? impact->body_b : impact->body_a));
            hash = hash_bytes(hash, text, (size_t)length);
            hash = hash_bytes(hash, text, dent_impact_feature_print(world, impact, side != 0, text, sizeof text));
        }
        hash = hash_byte(hash, '\n');
    }
    return hash;
}
