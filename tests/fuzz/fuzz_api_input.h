/* What the fuzzers of the public interface share: the bytes read as numbers and as defs of bodies (sizes, indices, cell
 * kinds, ties, positions with NaN and wild exponents, filters, stale ids). */
#ifndef DENT_TESTS_FUZZ_API_INPUT_H
#define DENT_TESTS_FUZZ_API_INPUT_H

#include "fuzz_context.h"

#include <dent/dent.h>
#include <dent/experimental.h>

#include <stdlib.h>
#include <string.h>

struct input {
    const uint8_t *bytes;
    size_t size, next;
};

static inline uint32_t take(struct input *input, uint32_t bound)
{
    uint32_t value = 0;
    for (int i = 0; i < 2; i++) {
        value = value << 8 | (input->next < input->size ? input->bytes[input->next++] : 0);
    }
    return bound ? value % bound : value;
}

static inline double take_number(struct input *input)
{
    switch (take(input, 12)) {
    case 0: {
        uint64_t bits = 0;
        for (int i = 0; i < 4; i++) {
            bits = bits << 16 | take(input, 0);
        }
        double value;
        memcpy(&value, &bits, sizeof value);
        return value; /* anything, NaN and infinities included */
    }
    case 1:
        return (double)take(input, 0) * 1e-160;
    case 2:
        return (double)take(input, 0) / 1024.0;
    default:
        return (double)take(input, 5);
    }
}

enum { VERTICES = 24, ELEMENTS = 16, BODIES = 6 };

struct model {
    double xyz[VERTICES][3];
    uint32_t corners[ELEMENTS * 8];
    uint8_t kinds[ELEMENTS];
    dent_same_as ties[4];
    dent_body_id id;
};

static inline dent_body_def take_def(struct input *input, struct model *model, const struct model *models)
{
    dent_body_def def = take(input, 3) ? dent_solid_def_default() : dent_surface_def_default();
    def.vertex_count = take(input, VERTICES + 1);
    def.element_count = take(input, ELEMENTS + 1);
    def.element_corners = model->corners;
    for (int i = 0; i < ELEMENTS * 8; i++) {
        model->corners[i] = take(input, 40) ? take(input, def.vertex_count + (def.vertex_count == 0)) : take(input, 0);
    }
    if (take(input, 3) == 0) {
        def.cell_kinds = model->kinds;
        for (int i = 0; i < ELEMENTS; i++) {
            model->kinds[i] = (uint8_t)(take(input, 30) ? take(input, 4) : take(input, 0));
        }
    }
    for (int i = 0; i < VERTICES * 3; i++) {
        model->xyz[i / 3][i % 3] = take_number(input);
    }
    def.positions_t0 = dent_positions_double(model->xyz[0]);
    def.same_as_count = take(input, 4) ? 0 : take(input, 5);
    def.same_as = model->ties;
    for (uint32_t i = 0; i < def.same_as_count; i++) {
        model->ties[i] = (dent_same_as){take(input, VERTICES), models[take(input, BODIES)].id, take(input, VERTICES)};
    }
    def.collision_group = take(input, 4) ? 1 : take(input, 0);
    def.collision_mask = take(input, 4) ? UINT32_MAX : take(input, 0);
    def.self_collision = take(input, 4) != 0;
    def.strict = take(input, 10) == 0;
    def.struct_size -= take(input, 50) == 0;
    return def;
}

#endif
