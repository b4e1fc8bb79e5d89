/* Fuzzer of the question `impact`: a few triangles with positions at t0 and t1 taken from the input, small whole
 * numbers mostly, but also any double. The search must equal the oracle bit by bit, the earliest must be the earliest
 * of the list, bad numbers must be refused alike, and a separation must keep all pairs. Seeds: corpus/impact. */
#include "fuzz_context.h"

#include <dent/dent.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct input {
    const uint8_t *bytes;
    size_t size, next;
    bool wild; /* the one number of any bits has been given */
};

static uint32_t take(struct input *input)
{
    return input->next < input->size ? input->bytes[input->next++] : 0;
}

/* Exponents far apart make exact arithmetic slow, so numbers of any bits come once in an input; others are within 2^40
 * of each other. */
static double take_number(struct input *input)
{
    uint32_t choice = take(input);
    if (choice < 250) {
        return choice >= 200 ? ((double)choice - 225) / 3 : (double)(choice % 16) / 2 - 4;
    }
    uint64_t bits = 0;
    double value;
    for (int i = 0; i < 8; i++) {
        bits = bits << 8 | take(input);
    }
    if (choice < 255 || input->wild) {
        bits = (bits & ~(UINT64_C(0x7FF) << 52)) | (uint64_t)(1003 + (bits >> 52) % 40) << 52;
    }
    input->wild = input->wild || choice == 255;
    memcpy(&value, &bits, sizeof value);
    return value;
}

enum { BODIES = 2, VERTICES = 6, TRIANGLES = 4 };

struct model {
    double start[VERTICES][3], end[VERTICES][3];
    uint32_t corners[TRIANGLES][3];
};

static void require(bool condition)
{
    if (!condition) {
        abort();
    }
}

static bool same(const dent_impact *a, const dent_impact *b)
{
    return a->kind == b->kind && a->body_a == b->body_a && a->feature_a == b->feature_a && a->body_b == b->body_b &&
           a->feature_b == b->feature_b && memcmp(&a->toi, &b->toi, 6 * sizeof(double)) == 0;
}

static void add_body(struct input *input, dent_world *world, struct model *model)
{
    dent_body_def def = dent_surface_def_default();
    dent_body_id id;
    def.vertex_count = VERTICES;
    def.element_count = 1 + take(input) % TRIANGLES;
    def.element_corners = model->corners[0];
    def.self_collision = take(input) % 4 != 0;
    for (uint32_t i = 0; i < TRIANGLES; i++) {
        uint32_t first = take(input) % VERTICES, step = 1 + take(input) % 2; /* three different vertices */
        for (uint32_t k = 0; k < 3; k++) {
            model->corners[i][k] = (first + k * step) % VERTICES;
        }
    }
    for (uint32_t v = 0; v < VERTICES; v++) {
        for (uint32_t axis = 0; axis < 3; axis++) {
            model->start[v][axis] = take_number(input);
            model->end[v][axis] = take_number(input);
        }
    }
    def.positions_t0 = dent_positions_double(model->start[0]);
    def.positions_t1 = dent_positions_double(take(input) % 8 ? model->end[0] : NULL);
    require(dent_world_add_body(world, &def, &id) == DENT_OK);
}

static void compare(dent_world *world, double separation)
{
    static dent_impact kept[4096];
    dent_impact_def def = dent_impact_def_default();
    dent_impact_result result;
    dent_earliest_impact earliest;
    def.separation = separation;
    def.method = DENT_METHOD_BRUTE_FORCE;
    dent_status status = dent_world_impacts(world, &def, &result);
    require(status == DENT_OK || status == DENT_ERROR_BAD_NUMBER);
    uint64_t count = status == DENT_OK ? result.count : 0;
    require(count <= sizeof kept / sizeof kept[0]);
    const dent_impact *first = NULL;
    for (uint64_t i = 0; i < count; i++) {
        kept[i] = result.impacts[i];
        require(kept[i].toi >= 0 && kept[i].toi <= 1 && isfinite(kept[i].u) && isfinite(kept[i].v) &&
                isfinite(kept[i].normal[0]));
        first = !first || kept[i].toi < first->toi ? &kept[i] : first;
    }
    def.method = DENT_METHOD_SURFACE_TREE;
    require(dent_world_impacts(world, &def, &result) == status);
    require(status != DENT_OK || result.count == count);
    for (uint64_t i = 0; i < count; i++) {
        require(same(&kept[i], &result.impacts[i]));
    }
    require(dent_world_earliest_impact(world, &def, &earliest) == status);
    require(status != DENT_OK || (earliest.found == (first != NULL) && (!first || same(first, &earliest.impact))));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct input input = {bytes, size, 0, false};
    static struct model models[BODIES];
    dent_context_def def = fuzz_context_def();
    dent_context *context = dent_context_create(&def, NULL);
    dent_world *world = dent_world_create(context);
    uint32_t separation = take(&input), bodies = 1 + take(&input) % BODIES;
    for (uint32_t b = 0; b < bodies; b++) {
        add_body(&input, world, &models[b]);
    }
    compare(world, separation % 4 ? 0 : (double)(1 + separation) / 64);
    dent_world_destroy(world);
    dent_context_destroy(context);
    return 0;
}
