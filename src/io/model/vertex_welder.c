/* Welding by an open-addressing hash table of vertex numbers, keyed by the bits of the position: one pass, no
 * tolerance. Where positions collide more than chance would have it, a key tree takes over (key_tree.h), so that no
 * file makes it slow; the vertices are the same. */
#include "vertex_welder.h"

#include "io/bytes/try_status.h"

#include <string.h>

struct vertex_welder welder_over(struct mesh_builder *builder)
{
    return (struct vertex_welder){.builder = builder};
}

void welder_release(struct vertex_welder *welder)
{
    if (welder->by_tree) {
        key_tree_release(&welder->tree);
    }
    dent_release(welder->builder->context, welder->slots, welder->slot_count, sizeof *welder->slots);
    *welder = welder_over(welder->builder);
}

static uint64_t mix(uint64_t value)
{
    value ^= value >> 32;
    value *= 0xd6e8feb86659fd93u;
    value ^= value >> 32;
    value *= 0xd6e8feb86659fd93u;
    return value ^ value >> 32;
}

static uint64_t hash_position(const double *position)
{
    uint64_t bits[3];
    memcpy(bits, position, sizeof bits);
    return mix(mix(mix(bits[0]) + bits[1]) + bits[2]);
}

static const double *vertex_position(const struct vertex_welder *welder, uint32_t vertex)
{
    return (const double *)welder->builder->positions.data + 3 * (size_t)vertex;
}

/* In a table half full a run of this length takes more vertices than there can be, unless they were chosen for it. */
enum { LONGEST_RUN = 400 };

/* The slot of this position, or the free one where it belongs; null: too far from where it should be. */
static uint32_t *find_slot(const struct vertex_welder *welder, const double *position)
{
    uint64_t i = hash_position(position) & (welder->slot_count - 1);
    for (int step = 0; step < LONGEST_RUN; step++) {
        if (!welder->slots[i] ||
            memcmp(vertex_position(welder, welder->slots[i] - 1), position, 3 * sizeof(double)) == 0) {
            return &welder->slots[i];
        }
        i = (i + 1) & (welder->slot_count - 1);
    }
    return NULL;
}

/* ---- the tree ---------------------------------------------------------------------------------------------------- */

static const uint8_t *position_bytes(const void *user, uint32_t vertex, size_t *length)
{
    const struct mesh_builder *builder = user;
    *length = 3 * sizeof(double);
    return (const uint8_t *)((const double *)builder->positions.data + 3 * (size_t)vertex);
}

static bool add_to_tree(struct vertex_welder *welder, uint32_t vertex, const double *position, uint32_t *found)
{
    return key_tree_add(&welder->tree, (const uint8_t *)position, 3 * sizeof(double), vertex, found);
}

/* All vertices of the slots from now on in the tree. */
static bool change_to_tree(struct vertex_welder *welder)
{
    key_tree_init(&welder->tree, welder->builder->context, position_bytes, welder->builder);
    welder->by_tree = true;
    for (uint64_t i = 0; i < welder->slot_count; i++) {
        uint32_t found, vertex = welder->slots[i] - 1;
        if (welder->slots[i] && !add_to_tree(welder, vertex, vertex_position(welder, vertex), &found)) {
            return false;
        }
    }
    return true;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* Keeps the table at most half full. */
static bool make_room(struct vertex_welder *welder)
{
    if (2 * (welder->used + 1) <= welder->slot_count) {
        return true;
    }
    struct vertex_welder grown = *welder;
    grown.slot_count = welder->slot_count ? 2 * welder->slot_count : 1024;
    grown.slots = dent_allocate(welder->builder->context, grown.slot_count, sizeof *grown.slots);
    if (!grown.slots) {
        return false;
    }
    memset(grown.slots, 0, grown.slot_count * sizeof *grown.slots);
    for (uint64_t i = 0; i < welder->slot_count; i++) {
        uint32_t *slot = welder->slots[i] ? find_slot(&grown, vertex_position(welder, welder->slots[i] - 1)) : NULL;
        if (slot) {
            *slot = welder->slots[i];
        } else if (welder->slots[i]) {
            dent_release(welder->builder->context, grown.slots, grown.slot_count, sizeof *grown.slots);
            return change_to_tree(welder);
        }
    }
    dent_release(welder->builder->context, welder->slots, welder->slot_count, sizeof *welder->slots);
    *welder = grown;
    return true;
}

static dent_status add_vertex(struct vertex_welder *welder, const double *position, uint64_t line, uint32_t *vertex)
{
    *vertex = builder_vertex_count(welder->builder);
    return builder_add_vertex(welder->builder, position[0], position[1], position[2], line);
}

static dent_status no_memory(const struct vertex_welder *welder)
{
    return dent_fail(welder->builder->context, DENT_ERROR_OUT_OF_MEMORY, "%s: out of memory while welding vertices",
                     welder->builder->file_name);
}

static dent_status weld_by_tree(struct vertex_welder *welder, const double *position, uint64_t line, uint32_t *vertex)
{
    uint32_t found = key_tree_find(&welder->tree, (const uint8_t *)position, 3 * sizeof(double));
    if (found != KEY_TREE_NONE) {
        *vertex = found;
        return DENT_OK;
    }
    TRY(add_vertex(welder, position, line, vertex));
    return add_to_tree(welder, *vertex, position, &found) ? DENT_OK : no_memory(welder);
}

static dent_status weld(struct vertex_welder *welder, const double *position, uint64_t line, uint32_t *vertex)
{
    if (!welder->by_tree && !make_room(welder)) {
        return no_memory(welder);
    }
    uint32_t *slot = welder->by_tree ? NULL : find_slot(welder, position);
    if (!slot) {
        return welder->by_tree || change_to_tree(welder) ? weld_by_tree(welder, position, line, vertex)
                                                         : no_memory(welder);
    }
    if (*slot) {
        *vertex = *slot - 1;
        return DENT_OK;
    }
    TRY(add_vertex(welder, position, line, vertex));
    *slot = *vertex + 1;
    welder->used++;
    return DENT_OK;
}

dent_status welder_add_triangle(struct vertex_welder *welder, double positions[3][3], uint64_t line)
{
    uint32_t corners[3];
    bool coincide = false;
    for (int c = 0; c < 3; c++) {
        TRY(weld(welder, positions[c], line, &corners[c]));
        if ((c > 0 && corners[c] == corners[0]) || (c > 1 && corners[c] == corners[1])) {
            coincide = true;
            TRY(add_vertex(welder, positions[c], line, &corners[c]));
        }
    }
    if (coincide) {
        builder_note(welder->builder, 1, "facets have corners that coincide; these were not welded");
    }
    return builder_add_element(welder->builder, ELEMENT_TRIANGLE, 0, corners, line);
}
