/* Making a dent_inside: the surface is copied, checked and found closed; then the tree of winding numbers is built. */
#include "inside/inside_data.h"

#include "base/radix_sort.h"
#include "neighbours/neighbours_data.h"

#include <string.h>

dent_inside_def dent_inside_def_default(void)
{
    dent_inside_def def;
    memset(&def, 0, sizeof def);
    def.struct_size = sizeof def;
    return def;
}

const char *dent_inside_method_name(dent_inside_method method)
{
    static const char *const names[DENT_INSIDE_METHOD_COUNT] = {"auto", "bsp", "winding"};
    return (unsigned)method < DENT_INSIDE_METHOD_COUNT ? names[method] : NULL;
}

const char *dent_place_name(dent_place place)
{
    static const char *const names[3] = {"out", "in", "on"};
    return (unsigned)place < 3 ? names[place] : NULL;
}

bool inside_make_room(struct dynamic_array *array, size_t count)
{
    array_clear(array);
    return array_extend(array, count) != NULL || count == 0;
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

enum { TRIANGLES_MOST = 1 << 29 };

static dent_status check_def(dent_context *context, const dent_inside_def *def)
{
    if (def->struct_size != sizeof *def) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "the def has struct_size %zu instead of %zu: make it with dent_inside_def_default()",
                         def->struct_size, sizeof *def);
    }
    if (!dent_inside_method_name(def->method)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "method: invalid dent_inside_method value %d",
                         (int)def->method);
    }
    if (def->triangle_count > 0 && !def->triangles) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "%u triangles, but their corners are null",
                         (unsigned)def->triangle_count);
    }
    if (def->triangle_count > TRIANGLES_MOST) {
        return dent_fail(context, DENT_ERROR_TOO_LARGE, "%u triangles are more than 2^29",
                         (unsigned)def->triangle_count);
    }
    return neighbours_check_positions(context, &def->positions, def->triangle_count ? def->vertex_count : 0,
                                      "vertices");
}

/* Copies triangles and the positions they use. */
static dent_status copy_surface(dent_inside *inside, const dent_inside_def *def)
{
    for (int axis = 0; axis < 3; axis++) {
        inside->low[axis] = INFINITY;
        inside->high[axis] = -INFINITY;
    }
    memset(inside->positions, 0, inside->vertex_count * sizeof *inside->positions);
    for (uint32_t i = 0; i < inside->triangle_count; i++) {
        for (int k = 0; k < 3; k++) {
            uint32_t vertex = def->triangles[3 * (size_t)i + (size_t)k];
            if (vertex >= inside->vertex_count) {
                return dent_fail(inside->context, DENT_ERROR_BAD_MESH, "triangle %u: no vertex %u among %u",
                                 (unsigned)i, (unsigned)vertex, (unsigned)inside->vertex_count);
            }
            inside->triangles[i][k] = vertex;
            double *position = inside->positions[vertex];
            neighbours_read_place(&def->positions, vertex, position);
            for (int axis = 0; axis < 3; axis++) {
                if (!isfinite(position[axis])) {
                    return dent_fail(inside->context, DENT_ERROR_BAD_NUMBER, "vertex %u: %c is not finite",
                                     (unsigned)vertex, "xyz"[axis]);
                }
                inside->low[axis] = position[axis] < inside->low[axis] ? position[axis] : inside->low[axis];
                inside->high[axis] = position[axis] > inside->high[axis] ? position[axis] : inside->high[axis];
            }
        }
    }
    return DENT_OK;
}

/* Every edge has as many triangles in one direction as in the other. Edges of a triangle with a repeated corner cancel or
 * have no length, so such triangles are welcome. */
static dent_status check_closed(dent_inside *inside, uint64_t *keys, uint64_t *scratch, uint32_t *signs,
                                uint32_t *sign_scratch)
{
    size_t count = 0;
    for (uint32_t i = 0; i < inside->triangle_count; i++) {
        const uint32_t *v = inside->triangles[i];
        for (int k = 0; k < 3; k++) {
            uint32_t a = v[k], b = v[k == 2 ? 0 : k + 1];
            if (a != b) {
                keys[count] = (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
                signs[count++] = a < b;
            }
        }
    }
    radix_sort_u64(keys, signs, scratch, sign_scratch, count);
    for (size_t i = 0, end; i < count; i = end) {
        size_t forward = 0;
        for (end = i; end < count && keys[end] == keys[i]; end++) {
            forward += signs[end];
        }
        if (2 * forward != end - i) {
            return dent_fail(
                inside->context, DENT_ERROR_BAD_MESH,
                "the surface is not closed: edge %u-%u has %zu triangles in one direction and %zu in the other",
                (unsigned)(keys[i] >> 32), (unsigned)keys[i], forward, end - i - forward);
        }
    }
    return DENT_OK;
}

static dent_status check_edges(dent_inside *inside)
{
    dent_context *context = inside->context;
    size_t edges = 3 * (size_t)inside->triangle_count;
    uint64_t *keys = dent_allocate(context, edges, sizeof *keys),
             *scratch = dent_allocate(context, edges, sizeof *scratch);
    uint32_t *signs = dent_allocate(context, edges, sizeof *signs);
    uint32_t *sign_scratch = dent_allocate(context, edges, sizeof *sign_scratch);
    dent_status status = keys && scratch && signs && sign_scratch
                             ? check_closed(inside, keys, scratch, signs, sign_scratch)
                             : DENT_ERROR_OUT_OF_MEMORY;
    dent_release(context, sign_scratch, edges, sizeof *sign_scratch);
    dent_release(context, signs, edges, sizeof *signs);
    dent_release(context, scratch, edges, sizeof *scratch);
    dent_release(context, keys, edges, sizeof *keys);
    return status;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

struct make_call {
    dent_inside *inside;
    const dent_inside_def *def;
};

static dent_status make(void *data)
{
    struct make_call *call = data;
    dent_inside *inside = call->inside;
    dent_context *context = inside->context;
    inside->positions = dent_allocate(context, inside->vertex_count, sizeof *inside->positions);
    inside->triangles = dent_allocate(context, inside->triangle_count, sizeof *inside->triangles);
    if (!inside->positions || !inside->triangles) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    dent_status status = copy_surface(inside, call->def);
    status = status ? status : check_edges(inside);
    status = status ? status
                    : winding_tree_build(&inside->winding, context, (const double(*)[3])inside->positions,
                                         (const uint32_t(*)[3])inside->triangles, inside->triangle_count);
    return status || inside->method != DENT_INSIDE_BSP ? status : inside_make_bsp(inside);
}

struct cell_grid inside_grid(const dent_inside *inside, int bits)
{
    struct cell_grid grid = {.last = (1 << bits) - 1, .bits = bits};
    for (int axis = 0; axis < 3; axis++) {
        double width = inside->high[axis] - inside->low[axis];
        grid.low[axis] = inside->low[axis];
        grid.scale[axis] = width >= 0x1p-1000 && isfinite(width) ? (1 << bits) / width : 0.0;
    }
    return grid;
}

dent_status inside_make_bsp(dent_inside *inside)
{
    if (inside->has_bsp) {
        return DENT_OK;
    }
    int32_t *entries = dent_allocate(inside->context, ENTRIES, sizeof *entries);
    dent_status status = entries ? solid_bsp_build(&inside->bsp, inside->context, &inside->winding,
                                                   inside->triangle_count, inside->low, inside->high)
                                 : DENT_ERROR_OUT_OF_MEMORY;
    if (status) {
        dent_release(inside->context, entries, ENTRIES, sizeof *entries);
        return status;
    }
    struct cell_grid grid = inside_grid(inside, ENTRY_BITS);
    solid_bsp_find_entries(&inside->bsp, &grid, entries);
    inside->entries = entries;
    inside->has_bsp = true;
    return DENT_OK;
}

dent_status dent_inside_create(dent_context *context, const dent_inside_def *def, dent_inside **inside)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, def);
    DENT_REQUIRE(context, inside);
    dent_status status = check_def(context, def);
    if (status) {
        return status;
    }
    dent_inside *made = dent_allocate(context, 1, sizeof *made);
    if (made) {
        memset(made, 0, sizeof *made);
        made->context = context;
        made->method = def->method;
        made->vertex_count = def->triangle_count ? def->vertex_count : 0;
        made->triangle_count = def->triangle_count;
        atomic_init(&made->exact_tests, 0);
        array_init(&made->cells, context, sizeof(uint16_t));
        array_init(&made->with_cell, context, sizeof(uint32_t));
        array_init(&made->starts, context, sizeof(uint32_t));
        array_init(&made->sorted, context, sizeof(struct inside_point));
        status = dent_call_guarded(context, make, &(struct make_call){made, def});
    }
    if (!made || status == DENT_ERROR_OUT_OF_MEMORY) {
        dent_inside_destroy(made);
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "no memory for the inside of %u triangles",
                         (unsigned)def->triangle_count);
    }
    if (status) {
        dent_inside_destroy(made);
        return status;
    }
    *inside = made;
    return DENT_OK;
}

void dent_inside_destroy(dent_inside *inside)
{
    if (!inside) {
        return;
    }
    dent_context *context = inside->context;
    array_destroy(&inside->cells);
    array_destroy(&inside->with_cell);
    array_destroy(&inside->starts);
    array_destroy(&inside->sorted);
    dent_release(context, inside->entries, ENTRIES, sizeof *inside->entries);
    solid_bsp_destroy(&inside->bsp, context);
    winding_tree_destroy(&inside->winding, context);
    dent_release(context, inside->triangles, inside->triangle_count, sizeof *inside->triangles);
    dent_release(context, inside->positions, inside->vertex_count, sizeof *inside->positions);
    dent_release(context, inside, 1, sizeof *inside);
}

dent_status dent_inside_get_info(const dent_inside *inside, dent_inside_info *info)
{
    DENT_REQUIRE(NULL, inside);
    DENT_REQUIRE(inside->context, info);
    memset(info, 0, sizeof *info);
    info->method = inside->has_bsp && inside->method != DENT_INSIDE_WINDING ? DENT_INSIDE_BSP : DENT_INSIDE_WINDING;
    info->triangle_count = inside->triangle_count;
    info->bsp_nodes = inside->bsp.node_count;
    info->bsp_planes = inside->bsp.plane_count;
    info->bsp_leaves = inside->bsp.leaf_count;
    info->bsp_open_leaves = inside->bsp.open_leaf_count;
    info->bsp_depth = inside->bsp.depth;
    info->bytes = sizeof *inside + inside->vertex_count * (uint64_t)sizeof *inside->positions +
                  inside->triangle_count * (uint64_t)sizeof *inside->triangles + winding_tree_bytes(&inside->winding) +
                  solid_bsp_bytes(&inside->bsp) + (inside->entries ? ENTRIES * (uint64_t)sizeof *inside->entries : 0);
    info->points = inside->points;
    info->exact_tests = atomic_load(&inside->exact_tests);
    return DENT_OK;
}

dent_status dent_inside_cells(dent_inside *inside, const dent_inside_cell **cells, uint32_t *count)
{
    DENT_REQUIRE(NULL, inside);
    DENT_REQUIRE(inside->context, cells);
    DENT_REQUIRE(inside->context, count);
    dent_status status = inside_make_bsp(inside);
    if (status) {
        return dent_fail(inside->context, status, "no memory for a BSP tree of %u triangles",
                         (unsigned)inside->triangle_count);
    }
    *cells = inside->bsp.cells;
    *count = inside->bsp.cell_count;
    return DENT_OK;
}
