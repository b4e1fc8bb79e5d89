/* Shapes of the search that an object uses: see box_shapes.h. */
#include "boxes/box_shapes.h"

#include "base/context.h"
#include "base/radix_sort.h"
#include "boxes/boxes_data.h"

void box_shapes_limit(struct box_shapes *shapes, uint32_t deepest)
{
    shapes->deepest = deepest;
    shapes->level = shapes->level < deepest ? shapes->level : deepest;
}

void box_shapes_add(struct box_shapes *shapes, const double lo[3], const double hi[3])
{
    dent_structure_box box = {{lo[0], lo[1], lo[2]}, {hi[0], hi[1], hi[2]}};
    shapes->failed |= !array_push(shapes->boxes, &box);
}

void box_shapes_add_key(struct box_shapes *shapes, uint64_t key)
{
    shapes->failed |= !array_push(shapes->keys, &key);
}

size_t box_shapes_sort_keys(struct box_shapes *shapes)
{
    size_t count = shapes->keys->count, kept = 0;
    if (shapes->failed || !array_reserve_growing(shapes->keys, 2 * count)) {
        shapes->failed = true;
        return 0;
    }
    uint64_t *keys = shapes->keys->data;
    radix_sort_u64(keys, NULL, keys + count, NULL, count);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || keys[i] != keys[kept - 1]) {
            keys[kept++] = keys[i];
        }
    }
    shapes->keys->count = kept;
    return kept;
}

/* Back to the coordinates of the caller. */
static void unmap(const struct box_store *store, dent_structure_box *box)
{
    for (int axis = 0; axis < 3; axis++) {
        box->lo[axis] = box->lo[axis] / store->scaling.first / store->scaling.second + store->centre[axis];
        box->hi[axis] = box->hi[axis] / store->scaling.first / store->scaling.second + store->centre[axis];
    }
}

struct structure_call {
    dent_boxes *boxes;
    uint32_t level;
    dent_structure_shapes *shapes;
};

static dent_status find_shapes(void *data)
{
    const struct structure_call *call = data;
    dent_boxes *boxes = call->boxes;
    dent_status status = boxes_prepare_row(boxes, boxes_query_method(boxes));
    if (status) {
        return status;
    }
    struct box_shapes found = {.level = call->level, .boxes = &boxes->shapes, .keys = &boxes->shape_keys};
    array_clear(found.boxes);
    array_clear(found.keys);
    if (boxes->store.present > 0) {
        boxes->row->shapes(boxes->row_state, &found);
    }
    if (found.failed) {
        return dent_fail(boxes->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for the shapes of the %s", boxes->row->name);
    }
    for (size_t i = 0; i < found.boxes->count; i++) {
        unmap(&boxes->store, array_at(found.boxes, i));
    }
    *call->shapes = (dent_structure_shapes){found.level, found.deepest, found.boxes->count, found.boxes->data};
    return DENT_OK;
}

dent_status dent_boxes_structure(dent_boxes *boxes, uint32_t level, dent_structure_shapes *shapes)
{
    DENT_REQUIRE(NULL, boxes);
    DENT_REQUIRE(boxes->context, shapes);
    struct structure_call call = {boxes, level, shapes};
    return dent_call_guarded(boxes->context, find_shapes, &call);
}
