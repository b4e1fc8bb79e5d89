/* view_kinetic.c — boxes of a kinetic tree (dent/kinetic.h) as a BOXES message, and the events on the way to them.
 *
 * From one frame shown to the next all vertices move on straight lines: that is the flight plan of each. It serves live
 * simulations, too, whose future nobody knows. Each such step is one unit of the tree's time and is cut into bins, in which
 * the events are counted for the timeline of the page. */
#include "view_partitions.h"

#include <dent/kinetic.h>

#include <string.h>

enum { BOXES_SENT = 20000, BINS = 64 };

struct view_kinetic {
    dent_kinetic *tree;
    uint32_t body, vertex_count;
    double *before;    /* places at the present time of the tree */
    uint32_t from, to; /* frames of the last step; equal: none yet */
    uint32_t bins[BINS];
};

void view_kinetic_close(view_source *source)
{
    struct view_kinetic *own = source->kinetic;
    if (own != NULL) {
        dent_context *context = source->context;
        dent_kinetic_destroy(own->tree);
        dent_release(context, own->before, own->vertex_count, 3 * sizeof *own->before);
        dent_release(context, own, 1, sizeof *own);
        source->kinetic = NULL;
    }
}

/* All vertices from `before` to where they are, in the next unit of time. */
static dent_status set_step(struct view_kinetic *own, const double *positions)
{
    double now = dent_kinetic_time(own->tree), times[2] = {now, now + 1};
    dent_positions places[2] = {dent_positions_double(own->before), dent_positions_double(positions)};
    dent_flight_plans plans = {0, own->vertex_count, 2, times, places};
    return dent_kinetic_set_plans(own->tree, &plans);
}

static dent_status fill_tree(const view_source *source, struct view_kinetic *own, const view_body *body)
{
    dent_context *context = source->context;
    view_elements elements = view_list_elements(context, body);
    dent_kinetic_def def = dent_kinetic_def_default();
    def.mode = DENT_KINETIC_EVENTS;
    dent_status status =
        elements.vertices != NULL ? dent_kinetic_create(context, &def, &own->tree) : DENT_ERROR_OUT_OF_MEMORY;
    status = status == DENT_OK ? set_step(own, own->before) : status;
    status = status == DENT_OK
                 ? dent_kinetic_insert(own->tree, elements.vertices, elements.corners, elements.count, NULL)
                 : status;
    view_release_elements(context, &elements);
    return status;
}

/* False: an error that was reported. */
static bool begin(view_source *source, uint32_t index)
{
    dent_context *context = source->context;
    const view_body *body = &source->bodies[index];
    view_kinetic_close(source);
    struct view_kinetic *own = dent_allocate(context, 1, sizeof *own);
    double *before = dent_allocate(context, body->vertex_count, 3 * sizeof *before);
    if (own == NULL || before == NULL) {
        dent_release(context, own, 1, sizeof *own);
        dent_release(context, before, body->vertex_count, 3 * sizeof *before);
        view_fail(source, "out of memory");
        return false;
    }
    memset(own, 0, sizeof *own);
    memcpy(before, body->positions, (size_t)body->vertex_count * 3 * sizeof *before);
    *own = (struct view_kinetic){.body = index, .vertex_count = body->vertex_count, .before = before};
    own->from = own->to = source->frame;
    source->kinetic = own;
    if (fill_tree(source, own, body) != DENT_OK) {
        char text[VIEW_TROUBLE_SIZE] = "";
        dent_context_message(context, text, sizeof text);
        view_kinetic_close(source);
        view_fail(source, "%s", text[0] != '\0' ? text : "out of memory");
        return false;
    }
    return true;
}

/* Goes one unit of time on, bin by bin. */
static dent_status go_on(struct view_kinetic *own)
{
    double start = dent_kinetic_time(own->tree);
    dent_kinetic_counters counters;
    dent_status status = dent_kinetic_get_counters(own->tree, &counters);
    uint64_t before = counters.events;
    for (uint32_t bin = 0; bin < BINS && status == DENT_OK; bin++) {
        status = dent_kinetic_advance(own->tree, start + (bin + 1.0) / BINS);
        dent_kinetic_get_counters(own->tree, &counters);
        own->bins[bin] = (uint32_t)(counters.events - before);
        before = counters.events;
    }
    return status;
}

/* To the frame that is shown now, if it is another one. False: an error that was reported. */
static bool follow(view_source *source, uint32_t index)
{
    struct view_kinetic *own = source->kinetic;
    const view_body *body = &source->bodies[index];
    size_t bytes = (size_t)body->vertex_count * 3 * sizeof(double);
    if (own == NULL || own->body != index || own->vertex_count != body->vertex_count) {
        return begin(source, index);
    }
    if (source->frame == own->to && memcmp(own->before, body->positions, bytes) == 0) {
        return true;
    }
    dent_status status = set_step(own, body->positions);
    status = status == DENT_OK ? go_on(own) : status;
    if (status != DENT_OK) {
        view_kinetic_close(source);
        view_fail(source, "out of memory");
        return false;
    }
    own->from = own->to;
    own->to = source->frame;
    memcpy(own->before, body->positions, bytes);
    return true;
}

/* ---- the message ------------------------------------------------------------------------------------------------- */

/* Boxes of a level, and of elements above it. */
static bool shown(const dent_kinetic_node *node, uint32_t level)
{
    return node->depth == level || (node->depth < level && node->element != UINT32_MAX);
}

static view_message *boxes_of(view_source *source, const dent_kinetic_node *nodes, uint32_t count, uint32_t level,
                              uint32_t deepest)
{
    const struct view_kinetic *own = source->kinetic;
    uint32_t total = 0, tail[3] = {own->from, own->to, BINS};
    for (uint32_t i = 0; i < count; i++) {
        total += shown(&nodes[i], level);
    }
    uint32_t left = total < BOXES_SENT ? total : BOXES_SENT;
    view_message *message = view_begin_boxes(left, level, deepest, total);
    bool good = message != NULL;
    for (uint32_t i = 0; i < count && good && left > 0; i++) {
        if (shown(&nodes[i], level)) {
            good = view_append_box(source, nodes[i].lo, nodes[i].hi, message);
            left--;
        }
    }
    good = good && view_message_append(message, tail, sizeof tail) &&
           view_message_append(message, own->bins, sizeof own->bins);
    if (!good) {
        view_message_drop(message);
        message = NULL;
    }
    return message;
}

view_message *view_make_kinetic(view_source *source, uint32_t index, uint32_t level)
{
    dent_context *context = source->context;
    dent_kinetic_counters counters;
    view_message *message = NULL;
    if (!follow(source, index) || dent_kinetic_get_counters(source->kinetic->tree, &counters) != DENT_OK) {
        return NULL;
    }
    level = level < counters.height ? level : counters.height;
    dent_kinetic_node *nodes = dent_allocate(context, counters.nodes, sizeof *nodes);
    if (nodes != NULL) {
        uint32_t count = dent_kinetic_nodes(source->kinetic->tree, 0, level, nodes, counters.nodes);
        message = boxes_of(source, nodes, count, level, counters.height);
    }
    dent_release(context, nodes, counters.nodes, sizeof *nodes);
    if (message == NULL) {
        view_fail(source, "out of memory");
    }
    return message;
}
