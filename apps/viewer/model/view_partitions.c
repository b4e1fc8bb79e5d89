/* view_partitions.c — cells of broad phases and of the BSP tree as a BOXES message. They are made anew for each frame: that
 * takes less time than drawing them. */
#include "view_partitions.h"

#include <dent/inside.h>

#include <string.h>

enum { CELLS_SENT = 20000 };

/* ---- elements ---------------------------------------------------------------------------------------------------- */

view_elements view_list_elements(dent_context *context, const view_body *body)
{
    view_elements elements = {body->segments != NULL ? 2 : body->points ? 1 : 3, 0, NULL};
    elements.count = body->segments != NULL ? body->segment_count
                     : body->points         ? body->vertex_count
                                            : body->face_count;
    elements.vertices = dent_allocate(context, (size_t)elements.corners * elements.count, sizeof *elements.vertices);
    for (uint32_t i = 0; i < elements.count && elements.vertices != NULL; i++) {
        uint32_t *to = elements.vertices + (size_t)i * elements.corners;
        if (body->segments != NULL) {
            to[0] = body->segments[i].v0;
            to[1] = body->segments[i].v1;
        } else if (body->points) {
            to[0] = i;
        } else {
            memcpy(to, body->faces[i].corners, 3 * sizeof *to);
        }
    }
    return elements;
}

void view_release_elements(dent_context *context, view_elements *elements)
{
    dent_release(context, elements->vertices, (size_t)elements->corners * elements->count, sizeof *elements->vertices);
}

static void bound_element(const view_body *body, const view_elements *elements, uint32_t element, double box[6])
{
    const uint32_t *vertices = elements->vertices + (size_t)element * elements->corners;
    for (int axis = 0; axis < 3; axis++) {
        box[axis] = box[3 + axis] = body->positions[3 * (size_t)vertices[0] + axis];
        for (uint32_t i = 1; i < elements->corners; i++) {
            double x = body->positions[3 * (size_t)vertices[i] + axis];
            box[axis] = x < box[axis] ? x : box[axis];
            box[3 + axis] = x > box[3 + axis] ? x : box[3 + axis];
        }
    }
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

view_message *view_begin_boxes(uint32_t sent, uint32_t level, uint32_t deepest, uint64_t total)
{
    uint32_t head[7] = {VIEW_BOXES, 0, sent, level, deepest, 0, total < UINT32_MAX ? (uint32_t)total : UINT32_MAX};
    view_message *message = view_message_create(sizeof head + (size_t)sent * 24);
    if (message != NULL && !view_message_append(message, head, sizeof head)) {
        view_message_drop(message);
        message = NULL;
    }
    return message;
}

bool view_append_box(const view_source *source, const double lo[3], const double hi[3], view_message *message)
{
    float numbers[6];
    for (int axis = 0; axis < 3; axis++) {
        numbers[axis] = view_place(source, lo[axis], axis);
        numbers[3 + axis] = view_place(source, hi[axis], axis);
    }
    return view_message_append(message, numbers, sizeof numbers);
}

static view_message *finish(view_source *source, view_message *message, bool good)
{
    if (message == NULL || !good) {
        view_message_drop(message);
        view_fail(source, "out of memory");
        return NULL;
    }
    return message;
}

static void report(view_source *source)
{
    char text[VIEW_TROUBLE_SIZE] = "";
    dent_context_message(source->context, text, sizeof text);
    view_fail(source, "%s", text[0] != '\0' ? text : "out of memory");
}

/* ---- broad phases ------------------------------------------------------------------------------------------------ */

static view_message *cells_of(view_source *source, dent_boxes *boxes, uint32_t level)
{
    dent_structure_shapes shapes;
    if (dent_boxes_structure(boxes, level, &shapes) != DENT_OK) {
        report(source);
        return NULL;
    }
    uint32_t sent = shapes.count < CELLS_SENT ? (uint32_t)shapes.count : CELLS_SENT;
    view_message *message = view_begin_boxes(sent, shapes.level, shapes.deepest, shapes.count);
    bool good = message != NULL;
    for (uint32_t i = 0; i < sent && good; i++) {
        good = view_append_box(source, shapes.boxes[i].lo, shapes.boxes[i].hi, message);
    }
    return finish(source, message, good);
}

view_message *view_make_search(view_source *source, dent_boxes_method method, uint32_t index, uint32_t level)
{
    dent_context *context = source->context;
    const view_body *body = &source->bodies[index];
    view_elements elements = view_list_elements(context, body);
    double *list = dent_allocate(context, elements.count, 6 * sizeof *list);
    dent_boxes_def def = dent_boxes_def_default();
    dent_boxes *boxes = NULL;
    view_message *message = NULL;
    def.method = method;
    if (elements.vertices == NULL || list == NULL) {
        view_fail(source, "out of memory");
    } else {
        for (uint32_t i = 0; i < elements.count; i++) {
            bound_element(body, &elements, i, list + 6 * (size_t)i);
        }
        if (dent_boxes_create(context, &def, &boxes) != DENT_OK ||
            dent_boxes_update(boxes, dent_box_list_double(list), elements.count) != DENT_OK) {
            report(source);
        } else {
            message = cells_of(source, boxes, level);
        }
    }
    dent_boxes_destroy(boxes);
    dent_release(context, list, elements.count, 6 * sizeof *list);
    view_release_elements(context, &elements);
    return message;
}

/* ---- BSP --------------------------------------------------------------------------------------------------------- */

/* Inside first: what is shown from level 0 on. */
static uint32_t level_of(const dent_inside_cell *cell)
{
    return cell->place == DENT_PLACE_IN ? 0 : cell->place == DENT_PLACE_ON ? 1 : 2;
}

static view_message *bsp_cells(view_source *source, dent_inside *inside, uint32_t level)
{
    const dent_inside_cell *cells;
    uint32_t count, total = 0;
    if (dent_inside_cells(inside, &cells, &count) != DENT_OK) {
        report(source);
        return NULL;
    }
    level = level < 2 ? level : 2;
    for (uint32_t i = 0; i < count; i++) {
        total += level_of(&cells[i]) <= level;
    }
    uint32_t left = total < CELLS_SENT ? total : CELLS_SENT;
    view_message *message = view_begin_boxes(left, level, 2, total);
    bool good = message != NULL;
    for (uint32_t i = 0; i < count && good && left > 0; i++) {
        if (level_of(&cells[i]) <= level) {
            good = view_append_box(source, cells[i].low, cells[i].high, message);
            left--;
        }
    }
    return finish(source, message, good);
}

view_message *view_make_bsp(view_source *source, uint32_t index, uint32_t level)
{
    dent_context *context = source->context;
    const view_body *body = &source->bodies[index];
    if (!body->closed || body->face_count == 0) {
        view_fail(source, "a BSP tree needs a closed surface: %s has none", body->name);
        return NULL;
    }
    view_elements elements = view_list_elements(context, body);
    dent_inside_def def = dent_inside_def_default();
    dent_inside *inside = NULL;
    view_message *message = NULL;
    def.positions = dent_positions_double(body->positions);
    def.vertex_count = body->vertex_count;
    def.triangles = elements.vertices;
    def.triangle_count = elements.count;
    def.method = DENT_INSIDE_BSP;
    if (elements.vertices == NULL) {
        view_fail(source, "out of memory");
    } else if (dent_inside_create(context, &def, &inside) != DENT_OK) {
        report(source);
    } else {
        message = bsp_cells(source, inside, level);
    }
    dent_inside_destroy(inside);
    view_release_elements(context, &elements);
    return message;
}
