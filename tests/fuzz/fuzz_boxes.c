/* Fuzzer of dent/boxes.h: a few boxes from the input, small whole numbers mostly, but also any double; a random def and a
 * random method; some updates. Pairs, and boxes at points, must equal comparing all with all. Bad numbers must be refused
 * and change nothing. Seeds: corpus/boxes. */
#include "fuzz_context.h"

#include <dent/boxes.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BOXES = 80 };

struct input {
    const uint8_t *bytes;
    size_t size, next;
};

static uint32_t take(struct input *input)
{
    return input->next < input->size ? input->bytes[input->next++] : 0;
}

static double take_number(struct input *input)
{
    uint32_t choice = take(input);
    uint64_t bits = 0;
    double value;
    if (choice < 240) {
        return (double)(choice % 24) / 4 - 3;
    }
    for (int i = 0; i < 8; i++) {
        bits = bits << 8 | take(input);
    }
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void require(bool condition)
{
    if (!condition) {
        abort();
    }
}

static bool present(const double box[6])
{
    return box[0] <= box[3] && box[1] <= box[4] && box[2] <= box[5];
}

static bool refused(const double *boxes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < 6; k++) {
            double x = boxes[6 * i + (uint32_t)k];
            if (isnan(x) || (isinf(x) && present(boxes + 6 * i))) {
                return true;
            }
        }
    }
    return false;
}

static bool overlap(const double a[6], const double b[6])
{
    bool meet = present(a) && present(b);
    for (int axis = 0; axis < 3; axis++) {
        meet = meet && a[axis] <= b[axis + 3] && b[axis] <= a[axis + 3];
    }
    return meet;
}

static void check_pairs(dent_boxes *boxes, const double *list, uint32_t count)
{
    dent_box_pairs result;
    uint64_t at = 0;
    require(dent_boxes_pairs(boxes, &result) == DENT_OK);
    for (uint32_t a = 0; a < count; a++) {
        for (uint32_t b = a + 1; b < count; b++) {
            if (overlap(list + 6 * a, list + 6 * b)) {
                require(at < result.count && result.pairs[at].a == a && result.pairs[at].b == b);
                at++;
            }
        }
    }
    require(at == result.count);
}

static void check_queries(dent_boxes *boxes, const double *list, uint32_t count)
{
    dent_box_hits hits;
    uint64_t at = 0;
    require(dent_boxes_overlapping(boxes, dent_box_list_double(list), count, &hits) == DENT_OK);
    for (uint32_t a = 0; a < count; a++) {
        for (uint32_t b = 0; b < count; b++) {
            if (overlap(list + 6 * a, list + 6 * b)) {
                require(at < hits.first[count] && hits.indices[at++] == b);
            }
        }
    }
    require(at == hits.first[count]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct input input = {bytes, size, 0};
    dent_context_def context_def = fuzz_context_def();
    dent_context *context = dent_context_create(&context_def, NULL);
    dent_boxes_def def = dent_boxes_def_default();
    double list[6 * BOXES], kept[6 * BOXES];
    dent_boxes *boxes = NULL;
    uint32_t kept_count = 0;
    def.method = (dent_boxes_method)(take(&input) % (DENT_BOXES_METHOD_COUNT + 1));
    def.hash = (dent_boxes_hash)(take(&input) % (DENT_BOXES_HASH_COUNT + 1));
    def.cell_size = take(&input) % 4 == 0 ? take_number(&input) : 0.0;
    def.table_size = take(&input) % 32;
    def.cell_offset[take(&input) % 3] = take(&input) / 250.0;
    dent_status status = dent_boxes_create(context, &def, &boxes);
    require(status == DENT_OK || (status == DENT_ERROR_INVALID_ARGUMENT && !boxes));
    for (int step = 0; step < 4 && boxes; step++) {
        uint32_t count = step % 2 ? kept_count : take(&input) % (BOXES + 1);
        memcpy(list, kept, 6 * sizeof *list * kept_count);
        for (uint32_t i = 0; i < count; i++) {
            for (int k = 0; k < 6 && (step % 2 == 0 || i % 16 == 0); k++) {
                double x = take_number(&input);
                list[6 * i + (uint32_t)k] = k >= 3 && fabs(x) < 4 ? list[6 * i + (uint32_t)k - 3] + fabs(x) / 2 - 0.125 : x;
            }
        }
        status = dent_boxes_update(boxes, dent_box_list_double(list), count);
        require(status == (refused(list, count) ? DENT_ERROR_BAD_NUMBER : DENT_OK));
        if (status == DENT_OK) {
            memcpy(kept, list, 6 * sizeof *list * count);
            kept_count = count;
        }
        require(dent_boxes_count(boxes) == kept_count);
        check_pairs(boxes, kept, kept_count);
        check_queries(boxes, kept, kept_count);
    }
    dent_boxes_destroy(boxes);
    dent_context_destroy(context);
    return 0;
}
