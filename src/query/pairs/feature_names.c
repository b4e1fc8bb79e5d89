/* Names of kinds, how a feature is printed, and the fingerprint of a list of pairs. */
#include <stdio.h>

#include "base/hash.h"
#include "query/world/world_state.h"

const char *dent_pair_kind_name(dent_pair_kind kind)
{
    switch (kind) {
    case DENT_PAIR_INTERIOR:
        return "interior";
    case DENT_PAIR_CROSSING:
        return "crossing";
    case DENT_PAIR_COPLANAR:
        return "coplanar";
    case DENT_PAIR_TOUCHING:
        return "touching";
    }
    return NULL;
}

static bool side_is_face(dent_question question, bool side_b)
{
    const dent_question_info *info = dent_question_get_info(question);
    return info && (side_b ? info->features[0].b : info->features[0].a) == DENT_FEATURE_FACE;
}

size_t dent_feature_print(const dent_world *world, dent_question question, const dent_pair *pair, bool side_b,
                          char *buffer, size_t buffer_size)
{
    if (!world || !pair) {
        return 0;
    }
    buffer_size = buffer ? buffer_size : 0;
    uint32_t feature = side_b ? pair->feature_b : pair->feature_a;
    const struct body *body = body_table_at(&world->bodies, side_b ? pair->body_b : pair->body_a);
    int length;
    if (!side_is_face(question, side_b) || body_has_faces(body)) {
        length = snprintf(buffer, buffer_size, "%u", (unsigned)feature);
    } else {
        const dent_surface_face *face = &body->surface_faces[feature];
        length = face->is_split
                     ? snprintf(buffer, buffer_size, "%u/%u.%u", (unsigned)face->cell, face->corner, face->part)
                     : snprintf(buffer, buffer_size, "%u/%u", (unsigned)face->cell, face->corner);
    }
    return length < 0 ? 0 : (size_t)length;
}

static uint64_t hash_side(uint64_t hash, const dent_world *world, dent_question question, const dent_pair *pair,
                          bool side_b)
{
    char text[64];
    int length = snprintf(text, sizeof text, "%u ", (unsigned)(side_b ? pair->body_b : pair->body_a));
    hash = hash_bytes(hash, text, (size_t)length);
    hash = hash_bytes(hash, text, dent_feature_print(world, question, pair, side_b, text, sizeof text));
    return hash_byte(hash, side_b ? '\n' : ' ');
}

uint64_t dent_pair_list_hash(const dent_world *world, dent_question question, const dent_pair_list *list)
{
    if (!world || !list) {
        return 0;
    }
    uint64_t hash = HASH_START;
    for (uint64_t i = 0; i < list->count; i++) {
        hash = hash_side(hash, world, question, &list->pairs[i], false);
        hash = hash_side(hash, world, question, &list->pairs[i], true);
    }
    return hash;
}
