/* A dent_kinetic: its life, its elements, its time. See dent/kinetic.h. */
#include "kinetic/kinetic_data.h"

#include "base/radix_sort.h"

#include <string.h>

dent_kinetic_def dent_kinetic_def_default(void)
{
    dent_kinetic_def def;
    memset(&def, 0, sizeof def);
    def.struct_size = sizeof def;
    def.directions = 3;
    return def;
}

const char *dent_kinetic_mode_name(dent_kinetic_mode mode)
{
    static const char *const names[DENT_KINETIC_MODE_COUNT] = {"auto", "events", "refit"};
    return (unsigned)mode < DENT_KINETIC_MODE_COUNT ? names[mode] : NULL;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

static dent_status check_def(dent_context *context, const dent_kinetic_def *def)
{
    if (def->struct_size != sizeof *def) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "the def has struct_size %zu instead of %zu: make it with dent_kinetic_def_default()",
                         def->struct_size, sizeof *def);
    }
    if (!dent_kinetic_mode_name(def->mode)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "unknown mode of a kinetic tree: %d", (int)def->mode);
    }
    if (def->directions != 3 && def->directions != 7 && def->directions != 9 && def->directions != 13) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "directions: 3, 7, 9 or 13 expected; got %u",
                         (unsigned)def->directions);
    }
    if (def->contacts && def->mode == DENT_KINETIC_REFIT) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "contacts are kept by events: mode refit has none");
    }
    return DENT_OK;
}

static void init(struct dent_kinetic *tree, dent_context *context, const dent_kinetic_def *def)
{
    *tree = (struct dent_kinetic){.context = context,
                                  .def = *def,
                                  .directions = def->directions,
                                  .slots = 2 * def->directions,
                                  .free_node = NO_NODE,
                                  .root = NO_NODE};
    memset(tree->free_tracks, 0xFF, sizeof tree->free_tracks); /* NO_NODE */
    array_init(&tree->tracks, context, sizeof(struct kinetic_track));
    event_queue_init(&tree->track_queue, context);
    array_init(&tree->vertices, context, sizeof(struct kinetic_vertex));
    array_init(&tree->pieces, context, sizeof(double));
    array_init(&tree->elements, context, sizeof(struct kinetic_element));
    array_init(&tree->free_elements, context, sizeof(uint32_t));
    array_init(&tree->nodes, context, sizeof(struct kinetic_node));
    array_init(&tree->winners, context, sizeof(uint32_t));
    event_queue_init(&tree->queue, context);
    array_init(&tree->refit_order, context, sizeof(uint32_t));
    kinetic_front_init(tree);
    array_init(&tree->hits, context, sizeof(uint32_t));
    array_init(&tree->keys, context, sizeof(uint64_t));
    array_init(&tree->pairs, context, sizeof(dent_box_pair));
    array_init(&tree->stack, context, sizeof(uint32_t));
    arena_init(&tree->scratch, context);
}

dent_status dent_kinetic_create(dent_context *context, const dent_kinetic_def *def, dent_kinetic **tree)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, tree);
    dent_kinetic_def defaults = dent_kinetic_def_default();
    def = def ? def : &defaults;
    dent_status status = check_def(context, def);
    if (status) {
        return status;
    }
    dent_kinetic *made = dent_allocate(context, 1, sizeof *made);
    if (!made) {
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "no memory for a kinetic tree");
    }
    init(made, context, def);
    *tree = made;
    return DENT_OK;
}

void dent_kinetic_destroy(dent_kinetic *tree)
{
    if (!tree) {
        return;
    }
    arena_destroy(&tree->scratch);
    array_destroy(&tree->stack);
    array_destroy(&tree->pairs);
    array_destroy(&tree->keys);
    array_destroy(&tree->hits);
    kinetic_front_destroy(tree);
    array_destroy(&tree->refit_order);
    event_queue_destroy(&tree->queue);
    array_destroy(&tree->winners);
    array_destroy(&tree->nodes);
    array_destroy(&tree->free_elements);
    array_destroy(&tree->elements);
    kinetic_plans_destroy(tree);
    dent_release(tree->context, tree, 1, sizeof *tree);
}

uint32_t dent_kinetic_vertex_count(const dent_kinetic *tree)
{
    return tree ? (uint32_t)tree->vertices.count : 0;
}

uint32_t dent_kinetic_element_count(const dent_kinetic *tree)
{
    return tree ? tree->element_count : 0;
}

double dent_kinetic_time(const dent_kinetic *tree)
{
    return tree ? tree->now : 0;
}

double dent_kinetic_next_event(const dent_kinetic *tree)
{
    return tree ? kinetic_next_time(tree) : 0;
}

/* ---- plans ------------------------------------------------------------------------------------------------------- */

struct plans_call {
    dent_kinetic *tree;
    const dent_flight_plans *plans;
};

static dent_status set_plans(void *data)
{
    const struct plans_call *call = data;
    dent_kinetic *tree = call->tree;
    const dent_flight_plans *plans = call->plans;
    dent_status status = kinetic_plans_set(tree, plans);
    if (status) {
        return status;
    }
    tree->counters.plan_changes += plans->vertex_count;
    tree->plans_changed = true;
    if ((uint64_t)plans->vertex_count * 20 > tree->vertices.count) {
        kinetic_restart(tree);
    } else {
        for (uint32_t i = 0; i < plans->vertex_count; i++) {
            kinetic_vertex_changed(tree, plans->first_vertex + i);
        }
        kinetic_refit(tree);
    }
    while (kinetic_step(tree, tree->now)) { /* of the front */
    }
    return DENT_OK;
}

dent_status dent_kinetic_set_plans(dent_kinetic *tree, const dent_flight_plans *plans)
{
    DENT_REQUIRE(NULL, tree);
    DENT_REQUIRE(tree->context, plans);
    struct plans_call call = {tree, plans};
    return dent_call_guarded(tree->context, set_plans, &call);
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

static void link_corners(struct dent_kinetic *tree, uint32_t number, const uint32_t *vertices, uint32_t corners)
{
    struct kinetic_element *element = kinetic_element(tree, number);
    *element = (struct kinetic_element){.leaf = NO_NODE};
    for (uint32_t i = 0; i < corners; i++) {
        bool repeated = false;
        for (uint32_t k = 0; k < element->corners; k++) {
            repeated |= element->vertices[k] == vertices[i];
        }
        if (!repeated) {
            struct kinetic_vertex *vertex = array_at(&tree->vertices, vertices[i]);
            element->vertices[element->corners] = vertices[i];
            element->next_corner[element->corners] = vertex->first_corner;
            vertex->first_corner = number * DENT_KINETIC_CORNERS + element->corners++;
        }
    }
}

static void unlink_corners(struct dent_kinetic *tree, uint32_t number)
{
    struct kinetic_element *element = kinetic_element(tree, number);
    for (uint32_t i = 0; i < element->corners; i++) {
        struct kinetic_vertex *vertex = array_at(&tree->vertices, element->vertices[i]);
        uint32_t *link = &vertex->first_corner, corner = number * DENT_KINETIC_CORNERS + i;
        while (*link != corner) {
            link = &kinetic_element(tree, *link / DENT_KINETIC_CORNERS)->next_corner[*link % DENT_KINETIC_CORNERS];
        }
        *link = element->next_corner[i];
    }
    element->corners = 0;
}

struct insert_call {
    dent_kinetic *tree;
    const uint32_t *vertices;
    uint32_t corners, count;
    uint32_t *elements;
};

static dent_status check_elements(const struct insert_call *call)
{
    dent_kinetic *tree = call->tree;
    if (call->corners < 1 || call->corners > DENT_KINETIC_CORNERS) {
        return dent_fail(tree->context, DENT_ERROR_INVALID_ARGUMENT, "elements have 1 to %d vertices; got %u",
                         DENT_KINETIC_CORNERS, (unsigned)call->corners);
    }
    for (uint32_t e = 0; e < call->count; e++) {
        for (uint32_t i = 0; i < call->corners; i++) {
            uint32_t vertex = call->vertices[(size_t)e * call->corners + i];
            if (vertex >= tree->vertices.count) {
                return dent_fail(tree->context, DENT_ERROR_INVALID_ARGUMENT,
                                 "element %u: there is no vertex %u, %zu vertices have plans", (unsigned)e,
                                 (unsigned)vertex, tree->vertices.count);
            }
        }
    }
    if (2 * ((uint64_t)tree->element_count + call->count) * tree->slots >= UINT32_MAX ||
        ((uint64_t)tree->elements.count + call->count) * DENT_KINETIC_CORNERS >= UINT32_MAX) {
        return dent_fail(tree->context, DENT_ERROR_TOO_LARGE, "too many elements for a kinetic tree");
    }
    return DENT_OK;
}

/* The number of the next element: of a removed one, or a new one. */
static uint32_t take_element(struct dent_kinetic *tree)
{
    if (tree->free_elements.count > 0) {
        return ((const uint32_t *)tree->free_elements.data)[--tree->free_elements.count];
    }
    return (uint32_t)tree->elements.count++;
}

static void give_element(struct dent_kinetic *tree, uint32_t number)
{
    ((uint32_t *)tree->free_elements.data)[tree->free_elements.count++] = number;
}

/* Many: the tree is built anew. */
static dent_status insert_many(const struct insert_call *call)
{
    dent_kinetic *tree = call->tree;
    uint32_t before = tree->element_count;
    uint32_t *numbers = dent_allocate(tree->context, call->count, sizeof *numbers);
    bool enough = numbers != NULL;
    for (uint32_t e = 0; enough && e < call->count; e++) {
        numbers[e] = take_element(tree);
        link_corners(tree, numbers[e], call->vertices + (size_t)e * call->corners, call->corners);
    }
    tree->element_count += enough ? call->count : 0;
    if (enough && !kinetic_tree_build(tree)) {
        enough = false;
        for (uint32_t e = call->count; e-- > 0;) {
            unlink_corners(tree, numbers[e]);
            give_element(tree, numbers[e]);
        }
        tree->element_count = before;
    }
    if (enough) {
        kinetic_restart(tree);
        if (call->elements) {
            memcpy(call->elements, numbers, call->count * sizeof *numbers);
        }
    }
    dent_release(tree->context, numbers, call->count, sizeof *numbers);
    return enough ? DENT_OK
                  : dent_fail(tree->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for %u elements", (unsigned)call->count);
}

static dent_status insert(void *data)
{
    const struct insert_call *call = data;
    dent_kinetic *tree = call->tree;
    dent_status status = check_elements(call);
    if (status || call->count == 0) {
        return status;
    }
    size_t most = tree->elements.count + call->count;
    if (!kinetic_tree_reserve(tree, call->count) || !array_reserve_growing(&tree->elements, most) ||
        !array_reserve_growing(&tree->free_elements, most)) {
        return dent_fail(tree->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for %u elements", (unsigned)call->count);
    }
    if (call->count > tree->element_count) {
        return insert_many(call);
    }
    for (uint32_t e = 0; e < call->count; e++) {
        uint32_t number = take_element(tree);
        link_corners(tree, number, call->vertices + (size_t)e * call->corners, call->corners);
        kinetic_tree_insert(tree, number);
        tree->element_count++;
        if (call->elements) {
            call->elements[e] = number;
        }
    }
    kinetic_refit(tree);
    kinetic_front_restart(tree);
    return DENT_OK;
}

dent_status dent_kinetic_insert(dent_kinetic *tree, const uint32_t *vertices, uint32_t corners, uint32_t count,
                                uint32_t *elements)
{
    DENT_REQUIRE(NULL, tree);
    if (count > 0) {
        DENT_REQUIRE(tree->context, vertices);
    }
    struct insert_call call = {tree, vertices, corners, count, elements};
    return dent_call_guarded(tree->context, insert, &call);
}

struct remove_call {
    dent_kinetic *tree;
    const uint32_t *elements;
    uint32_t count;
};

static dent_status remove_elements(void *data)
{
    const struct remove_call *call = data;
    dent_kinetic *tree = call->tree;
    uint32_t good = 0;
    for (; good < call->count; good++) {
        uint32_t number = call->elements[good];
        if (number >= tree->elements.count || kinetic_element(tree, number)->corners == 0 ||
            kinetic_element(tree, number)->marked) {
            break;
        }
        kinetic_element(tree, number)->marked = true;
    }
    for (uint32_t i = 0; i < good; i++) {
        kinetic_element(tree, call->elements[i])->marked = false;
    }
    if (good < call->count) {
        return dent_fail(tree->context, DENT_ERROR_INVALID_ARGUMENT, "there is no element %u, or it is removed twice",
                         (unsigned)call->elements[good]);
    }
    for (uint32_t i = 0; i < call->count; i++) {
        kinetic_tree_remove(tree, call->elements[i]);
        unlink_corners(tree, call->elements[i]);
        give_element(tree, call->elements[i]);
        tree->element_count--;
    }
    kinetic_refit(tree);
    kinetic_front_forget_removed(tree);
    kinetic_front_restart(tree);
    return DENT_OK;
}

dent_status dent_kinetic_remove(dent_kinetic *tree, const uint32_t *elements, uint32_t count)
{
    DENT_REQUIRE(NULL, tree);
    if (count > 0) {
        DENT_REQUIRE(tree->context, elements);
    }
    struct remove_call call = {tree, elements, count};
    return dent_call_guarded(tree->context, remove_elements, &call);
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

struct time_call {
    dent_kinetic *tree;
    double time;
    bool jump;
};

static dent_status go(void *data)
{
    const struct time_call *call = data;
    dent_kinetic *tree = call->tree;
    if (!(fabs(call->time) <= 0x1p1000)) {
        return dent_fail(tree->context, DENT_ERROR_BAD_NUMBER, "the time is %g", call->time);
    }
    if (call->jump || call->time < tree->now) {
        bool backward = call->time < tree->now;
        tree->now = call->time;
        if (backward) { /* what was listed lies in the future */
            kinetic_front_empty(tree);
        }
        kinetic_plans_seek(tree);
        kinetic_restart(tree);
    } else {
        kinetic_advance_to(tree, call->time);
    }
    return DENT_OK;
}

dent_status dent_kinetic_advance(dent_kinetic *tree, double time)
{
    DENT_REQUIRE(NULL, tree);
    struct time_call call = {tree, time, false};
    return dent_call_guarded(tree->context, go, &call);
}

dent_status dent_kinetic_jump(dent_kinetic *tree, double time)
{
    DENT_REQUIRE(NULL, tree);
    struct time_call call = {tree, time, true};
    return dent_call_guarded(tree->context, go, &call);
}

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

struct contacts_call {
    dent_kinetic *tree;
    dent_kinetic_contacts_list *list;
};

static dent_status sort_contacts(struct dent_kinetic *tree)
{
    struct kinetic_front *front = &tree->front;
    uint32_t count = (uint32_t)front->contacts.count;
    arena_reset(&tree->scratch);
    struct key128 *keys = arena_allocate(&tree->scratch, count, 2 * sizeof *keys);
    if (!keys) {
        return dent_fail(tree->context, DENT_ERROR_OUT_OF_MEMORY, "no memory to sort %u contacts", (unsigned)count);
    }
    dent_kinetic_contact *contacts = front->contacts.data;
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = (struct key128){radix_key_of_double(contacts[i].time), (uint64_t)contacts[i].a << 32 | contacts[i].b};
    }
    radix_sort_u128(keys, NULL, keys + count, NULL, count);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t bits = keys[i].high >> 63 ? keys[i].high ^ UINT64_C(1) << 63 : ~keys[i].high;
        contacts[i].a = (uint32_t)(keys[i].low >> 32);
        contacts[i].b = (uint32_t)keys[i].low;
        memcpy(&contacts[i].time, &bits, sizeof bits);
    }
    front->sorted = true;
    return DENT_OK;
}

static dent_status contacts(void *data)
{
    const struct contacts_call *call = data;
    dent_kinetic *tree = call->tree;
    struct kinetic_front *front = &tree->front;
    if (!tree->def.contacts) {
        return dent_fail(tree->context, DENT_ERROR_INVALID_ARGUMENT, "the tree was made without contacts");
    }
    if (front->failed) {
        return dent_fail(tree->context, DENT_ERROR_OUT_OF_MEMORY, "there was no memory for all contacts since %g",
                         front->since);
    }
    dent_status status = front->sorted ? DENT_OK : sort_contacts(tree);
    if (status == DENT_OK) {
        *call->list = (dent_kinetic_contacts_list){front->contacts.count, front->contacts.data, front->since};
    }
    return status;
}

dent_status dent_kinetic_contacts(dent_kinetic *tree, dent_kinetic_contacts_list *list)
{
    DENT_REQUIRE(NULL, tree);
    DENT_REQUIRE(tree->context, list);
    struct contacts_call call = {tree, list};
    return dent_call_guarded(tree->context, contacts, &call);
}

static dent_status forget(void *data)
{
    kinetic_front_empty(data);
    kinetic_front_restart(data);
    return DENT_OK;
}

dent_status dent_kinetic_forget_contacts(dent_kinetic *tree)
{
    DENT_REQUIRE(NULL, tree);
    if (!tree->def.contacts) {
        return dent_fail(tree->context, DENT_ERROR_INVALID_ARGUMENT, "the tree was made without contacts");
    }
    return dent_call_guarded(tree->context, forget, tree);
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

static uint64_t bytes_of(const struct dynamic_array *array)
{
    return array->capacity * array->element_size;
}

static uint64_t queue_bytes(const struct event_queue *queue)
{
    return bytes_of(&queue->heap) + bytes_of(&queue->places);
}

static uint64_t all_bytes(const struct dent_kinetic *tree)
{
    const struct dynamic_array *const arrays[] = {
        &tree->tracks,      &tree->vertices,       &tree->pieces,    &tree->elements,   &tree->free_elements,
        &tree->nodes,       &tree->winners,        &tree->hits,      &tree->keys,       &tree->pairs,
        &tree->stack,       &tree->refit_order,    &tree->front.set, &tree->front.pairs, &tree->front.stack,
        &tree->front.contacts};
    uint64_t bytes = sizeof *tree + queue_bytes(&tree->queue) + queue_bytes(&tree->track_queue) +
                     queue_bytes(&tree->front.queue) + arena_high_water(&tree->scratch);
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        bytes += bytes_of(arrays[i]);
    }
    for (uint32_t track = 0; track < tree->tracks.count; track++) {
        bytes += ((const struct kinetic_track *)tree->tracks.data)[track].capacity * sizeof(double);
    }
    return bytes;
}

dent_status dent_kinetic_get_counters(const dent_kinetic *tree, dent_kinetic_counters *counters)
{
    DENT_REQUIRE(NULL, tree);
    DENT_REQUIRE(tree->context, counters);
    *counters = tree->counters;
    counters->nodes = tree->element_count > 0 ? 2 * tree->element_count - 1 : 0;
    counters->height = tree->root != NO_NODE ? kinetic_node(tree, tree->root)->height : 0;
    counters->nodes_by_refit = (uint32_t)tree->refit_order.count;
    counters->front = (uint32_t)tree->front.pairs.count;
    counters->queue = tree->queue.heap.count + tree->track_queue.heap.count + tree->front.queue.heap.count;
    counters->bytes = all_bytes(tree);
    return DENT_OK;
}
