/* view_world.c — the caller's world as a source of the viewer. Elements are read when the world's topology version says
 * so; positions are read where they lie, and copied only where they are not packed doubles. */
#include "view_library.h"

#include <math.h>
#include <string.h>

static view_body_def read_told(const view_source *source, const void *list, uint32_t index)
{
    (void)source;
    return ((const view_body_def *)list)[index];
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

typedef struct body_lists {
    view_body_def *told;
    double **own;
    uint32_t count;
} body_lists;

static void release_lists(dent_context *context, body_lists *lists)
{
    for (uint32_t i = 0; lists->own != NULL && i < lists->count; i++) {
        dent_release(context, lists->own[i], lists->told[i].vertex_count, 3 * sizeof(double));
    }
    dent_release(context, lists->own, lists->count, sizeof *lists->own);
    dent_release(context, lists->told, lists->count, sizeof *lists->told);
}

static bool make_lists(dent_context *context, uint32_t count, body_lists *lists)
{
    lists->count = count;
    lists->told = dent_allocate(context, count, sizeof *lists->told);
    lists->own = lists->told != NULL ? dent_allocate(context, count, sizeof *lists->own) : NULL;
    if (lists->own == NULL) {
        dent_release(context, lists->told, count, sizeof *lists->told);
        return false;
    }
    memset(lists->told, 0, count * sizeof *lists->told);
    memset(lists->own, 0, count * sizeof *lists->own);
    return true;
}

void view_library_forget(dent_view *view)
{
    body_lists lists = {view->told, view->own, view->told_count};
    if (view->told != NULL) {
        release_lists(view->context, &lists);
    }
    view->told = NULL;
    view->own = NULL;
    view->told_count = 0;
}

/* ---- positions --------------------------------------------------------------------------------------------------- */

static bool is_packed(const dent_positions *positions)
{
    return positions->data != NULL && positions->scalar == DENT_SCALAR_DOUBLE &&
           (positions->stride == 0 || positions->stride == 3 * sizeof(double)) &&
           (uintptr_t)positions->data % _Alignof(double) == 0;
}

static void copy_positions(const dent_positions *positions, uint32_t count, double *out)
{
    bool single = positions->scalar == DENT_SCALAR_FLOAT;
    size_t stride = positions->stride > 0 ? positions->stride : 3 * (single ? sizeof(float) : sizeof(double));
    for (uint32_t v = 0; v < count; v++, out += 3) {
        const char *at = positions->data != NULL ? (const char *)positions->data + v * stride : NULL;
        float narrow[3];
        if (at == NULL) {
            out[0] = out[1] = out[2] = NAN; /* not drawn */
        } else if (single) {
            memcpy(narrow, at, sizeof narrow);
            out[0] = (double)narrow[0];
            out[1] = (double)narrow[1];
            out[2] = (double)narrow[2];
        } else {
            memcpy(out, at, 3 * sizeof *out);
        }
    }
}

/* Where the positions of a body are now. False: out of memory. */
static bool find_positions(dent_view *view, body_lists *lists, uint32_t index)
{
    view_body_def *told = &lists->told[index];
    dent_positions positions = {0};
    dent_body_get_positions(view->source.world, told->id, &positions);
    if (is_packed(&positions)) {
        told->positions = positions.data;
        return true;
    }
    if (lists->own[index] == NULL) {
        lists->own[index] = dent_allocate(view->context, told->vertex_count, 3 * sizeof(double));
    }
    if (lists->own[index] != NULL) {
        copy_positions(&positions, told->vertex_count, lists->own[index]);
        told->positions = lists->own[index];
    }
    return lists->own[index] != NULL;
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

static void tell_body(dent_view *view, view_body_def *told, uint32_t index)
{
    dent_world *world = view->source.world;
    dent_body_topology topology = {0};
    told->id = dent_world_body_at(world, index);
    dent_body_get_topology(world, told->id, &topology);
    told->name = dent_body_name(world, told->id);
    told->kind = topology.kind;
    told->vertex_count = topology.vertex_count;
    told->element_count = topology.element_count;
    told->radius = -1;
}

/* The lists of before stay until the new ones are complete: a failing call changes nothing. */
static dent_status describe(dent_view *view)
{
    body_lists lists, old = {view->told, view->own, view->told_count};
    bool good = make_lists(view->context, dent_world_body_count(view->source.world), &lists);
    if (!good) {
        return dent_fail(view->context, DENT_ERROR_OUT_OF_MEMORY, "dent_view: out of memory");
    }
    for (uint32_t i = 0; i < lists.count && good; i++) {
        tell_body(view, &lists.told[i], i);
        good = find_positions(view, &lists, i);
    }
    if (!good || view_source_describe(&view->source, read_told, lists.told, lists.count) != VIEW_GOOD) {
        view_source_release(&view->source);
        release_lists(view->context, &lists);
        view->version = UINT64_MAX; /* once more, with the next call */
        return dent_fail(view->context, DENT_ERROR_OUT_OF_MEMORY, "dent_view: out of memory");
    }
    if (old.told != NULL) {
        release_lists(view->context, &old);
    }
    view->told = lists.told;
    view->own = lists.own;
    view->told_count = lists.count;
    view->version = dent_world_topology_version(view->source.world);
    view_facts_begin(&view->source); /* contacts of the elements before mean nothing now */
    view->source.facts.contact_count = 0;
    return DENT_OK;
}

dent_status view_library_follow(dent_view *view)
{
    if (view->version != dent_world_topology_version(view->source.world)) {
        return describe(view);
    }
    body_lists lists = {view->told, view->own, view->told_count};
    for (uint32_t i = 0; i < lists.count; i++) {
        if (!find_positions(view, &lists, i)) {
            return dent_fail(view->context, DENT_ERROR_OUT_OF_MEMORY, "dent_view: out of memory");
        }
    }
    view_source_follow(&view->source, read_told, lists.told);
    return DENT_OK;
}
