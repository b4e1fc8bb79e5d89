/* Segments and moving spheres against the closed solid: plane shifting in the BSP tree (Melax 2000), then the exact test.
 *
 * Instead of growing the solid by the radius, every plane is shifted by it: a child is visited for the part of the path
 * that has its plane at a signed distance above -r (front) or below r (back), rounding added. Triangles in a plane that the
 * sphere comes near are candidates. Where shifted planes meet at a sharp edge they reach farther than r; bevels cut that
 * off: the six axis planes around each triangle, shifted by r, must all let the path through. Candidates are confirmed by
 * the impact test of a moving vertex and a face at rest, exact for r = 0, with a minimum separation otherwise.
 *
 * Open leaves do not list their triangles: a path that reaches one asks the boxes of the winding tree.
 */
#include "inside/inside_data.h"

#include "geometry/impact/impact_test.h"
#include "neighbours/neighbours_data.h"

#include <string.h>

enum { SWEEPS_A_BLOCK = 16, SWEEP_STACK = 256 };

dent_sweep_def dent_sweep_def_default(void)
{
    dent_sweep_def def;
    memset(&def, 0, sizeof def);
    def.struct_size = sizeof def;
    return def;
}

struct sweep_call {
    dent_inside *inside;
    const dent_sweep_def *def;
    dent_sweep_hit *hits;
    atomic_uint bad;
};

/* One sphere on its way. */
struct sweep {
    const dent_inside *inside;
    struct impact_vertex centre;
    double radius, tolerance;
    double low[3], high[3]; /* of everything it may touch */
    dent_sweep_hit *hit;
};

/* ---- candidates -------------------------------------------------------------------------------------------------- */

static void test_face(struct sweep *sweep, uint32_t face)
{
    const dent_inside *inside = sweep->inside;
    struct impact_vertex corners[3];
    memset(corners, 0, sizeof corners);
    for (int axis = 0; axis < 3; axis++) {
        double low = INFINITY, high = -INFINITY;
        for (int k = 0; k < 3; k++) {
            double x = inside->positions[inside->triangles[face][k]][axis];
            corners[k].start[axis] = corners[k].end[axis] = x;
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        if (low > sweep->high[axis] || high < sweep->low[axis]) {
            return; /* a bevel */
        }
    }
    const struct impact_vertex *const four[4] = {&sweep->centre, &corners[0], &corners[1], &corners[2]};
    struct impact_result result;
    if (sweep->radius > 0.0) {
        struct impact_separation separation = {.distance = sweep->radius, .tolerance = sweep->tolerance};
        impact_test_separation(IMPACT_VERTEX_FACE, four, &separation, sweep->hit->time, &result);
    } else {
        impact_test(IMPACT_VERTEX_FACE, four, sweep->hit->time, &result);
    }
    dent_sweep_hit *hit = sweep->hit;
    bool met = result.answer != IMPACT_FREE;
    if (met && (!hit->hit || result.toi < hit->time || (result.toi == hit->time && face < hit->triangle))) {
        hit->hit = 1;
        hit->time = result.toi;
        hit->triangle = face;
        memcpy(hit->normal, result.normal, sizeof hit->normal);
    }
}

/* All triangles whose boxes the path may touch: for open leaves. */
static void test_boxes(struct sweep *sweep)
{
    const struct winding_tree *tree = &sweep->inside->winding;
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++) {
        const struct winding_node *node = &tree->nodes[leaf / WINDING_LANES];
        bool apart = false;
        for (int axis = 0; axis < 3; axis++) {
            apart = apart || node->low[axis][leaf % WINDING_LANES] > sweep->high[axis] ||
                    node->high[axis][leaf % WINDING_LANES] < sweep->low[axis];
        }
        for (uint32_t lane = 0; lane < WINDING_LANES && !apart; lane++) {
            if (tree->leaves[leaf].low[0][lane] <= tree->leaves[leaf].high[0][lane]) {
                test_face(sweep, tree->leaves[leaf].faces[lane]);
            }
        }
    }
}

/* ---- the tree ---------------------------------------------------------------------------------------------------- */

/* Values of a plane at both ends of the whole path, and the shift, with room for rounding. */
static void shifted_plane(const struct sweep *sweep, const struct bsp_node *node, double values[2], double *shift)
{
    double length = 0.0, size = 0.0;
    values[0] = values[1] = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double origin = node->origin[axis];
        double n = node->normal[axis];
        if (n == 0.0) {
            continue;
        }
        double a = sweep->centre.start[axis] - origin, b = sweep->centre.end[axis] - origin;
        values[0] += n * a;
        values[1] += n * b;
        length += fabs(n);
        size += fabs(n) * (fabs(a) > fabs(b) ? fabs(a) : fabs(b));
    }
    /* the sum of sizes is at least the length of the normal; the normal itself is in error by less than `bound` allows */
    *shift = length * sweep->radius * (1.0 + 0x1p-20) + size * 0x1p-20 + 2.0 * node->bound + 0x1p-1000;
}

struct sweep_task {
    int32_t child;
    double from, to; /* part of the path */
};

/* The part of the path where value * sign >= -shift, a little more; false: none. */
static bool clip(const double values[2], double shift, int sign, const struct sweep_task *task, struct sweep_task *part)
{
    double start = sign * values[0], speed = sign * values[1] - start;
    double first = start + task->from * speed + shift, last = start + task->to * speed + shift;
    *part = *task;
    if (first < 0.0 && last < 0.0) {
        return false;
    }
    if (first < 0.0 || last < 0.0) {
        double at = (-shift - start) / speed;
        if (first < 0.0) {
            part->from = at - 0x1p-30 > task->from ? at - 0x1p-30 : task->from;
        } else {
            part->to = at + 0x1p-30 < task->to ? at + 0x1p-30 : task->to;
        }
    }
    return true;
}

static void walk_tree(struct sweep *sweep)
{
    const struct solid_bsp *bsp = &sweep->inside->bsp;
    struct sweep_task waiting[SWEEP_STACK];
    uint32_t count = 1;
    bool open = false;
    waiting[0] = (struct sweep_task){bsp->root, 0.0, 1.0};
    while (count > 0 && !open) {
        struct sweep_task task = waiting[--count];
        if (bsp_is_leaf(task.child)) {
            open = bsp_place(task.child) == BSP_LEAF_OPEN;
            continue;
        }
        if (sweep->hit->hit && task.from > sweep->hit->time) {
            continue;
        }
        const struct bsp_node *node = &bsp->nodes[task.child];
        double values[2] = {0.0, 0.0}, shift = 0.0;
        struct sweep_task front = task, back = task;
        bool flat = node->kind == BSP_FLAT_FACES;
        if (!flat) {
            shifted_plane(sweep, node, values, &shift);
        }
        bool to_front = !flat && clip(values, shift, 1, &task, &front), to_back = flat || clip(values, shift, -1, &task, &back);
        for (uint32_t i = 0; i < node->face_count && (flat || (to_front && to_back)); i++) {
            test_face(sweep, bsp->faces[node->first_face + i]);
        }
        open = count + 2 > SWEEP_STACK;
        front.child = node->children[1];
        back.child = node->children[0];
        bool front_first = values[0] > 0.0; /* the near side last: it is taken first */
        if (!open && to_front && !front_first) {
            waiting[count++] = front;
        }
        if (!open && to_back) {
            waiting[count++] = back;
        }
        if (!open && to_front && front_first) {
            waiting[count++] = front;
        }
    }
    if (open) {
        test_boxes(sweep);
    }
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static bool read_path(const struct sweep_call *call, uint32_t i, struct sweep *sweep)
{
    bool finite = true;
    memset(&sweep->centre, 0, sizeof sweep->centre);
    neighbours_read_place(&call->def->starts, i, sweep->centre.start);
    neighbours_read_place(&call->def->ends, i, sweep->centre.end);
    for (int axis = 0; axis < 3; axis++) {
        double a = sweep->centre.start[axis], b = sweep->centre.end[axis];
        double reach = (sweep->radius + sweep->tolerance) * (1.0 + 0x1p-20);
        reach += ((fabs(a) > fabs(b) ? fabs(a) : fabs(b)) + reach) * 0x1p-40;
        finite = finite && isfinite(a) && isfinite(b);
        sweep->low[axis] = (a < b ? a : b) - reach;
        sweep->high[axis] = (a < b ? b : a) + reach;
    }
    return finite;
}

static void sweep_one(struct sweep *sweep, uint64_t *exact_tests)
{
    const dent_inside *inside = sweep->inside;
    dent_sweep_hit *hit = sweep->hit;
    bool in_box = true, near = true;
    for (int axis = 0; axis < 3; axis++) {
        double x = sweep->centre.start[axis];
        in_box = in_box && x >= inside->low[axis] && x <= inside->high[axis];
        near = near && sweep->low[axis] <= inside->high[axis] && sweep->high[axis] >= inside->low[axis];
    }
    *hit = (dent_sweep_hit){.time = 1.0, .triangle = UINT32_MAX, .start = DENT_PLACE_OUT};
    if (in_box) {
        hit->start = (uint8_t)solid_bsp_place_of(&inside->bsp, inside->bsp.root, sweep->centre.start, exact_tests);
    }
    if (hit->start == DENT_PLACE_IN) {
        hit->hit = 1;
        hit->time = 0.0;
    } else if (near) {
        walk_tree(sweep);
    }
}

static void sweep_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    struct sweep_call *call = data;
    uint64_t exact_tests = 0;
    struct sweep sweep = {.inside = call->inside, .radius = call->def->radius};
    sweep.tolerance = call->def->tolerance > 0.0 ? call->def->tolerance : 1e-6 * sweep.radius;
    for (uint32_t i = block * SWEEPS_A_BLOCK; i < call->def->count && i < (block + 1) * SWEEPS_A_BLOCK; i++) {
        sweep.hit = &call->hits[i];
        if (read_path(call, i, &sweep)) {
            sweep_one(&sweep, &exact_tests);
            continue;
        }
        unsigned seen = atomic_load(&call->bad);
        while (i < seen && !atomic_compare_exchange_weak(&call->bad, &seen, i)) {
        }
    }
    atomic_fetch_add(&call->inside->exact_tests, exact_tests);
}

static dent_status run(void *data)
{
    struct sweep_call *call = data;
    dent_context *context = call->inside->context;
    dent_status status = inside_make_bsp(call->inside);
    if (status) {
        return dent_fail(context, status, "no memory for a BSP tree of %u triangles", (unsigned)call->inside->triangle_count);
    }
    uint32_t blocks = call->def->count / SWEEPS_A_BLOCK + (call->def->count % SWEEPS_A_BLOCK > 0);
    status = dent_parallel_for(context, blocks, sweep_block, call);
    unsigned bad = atomic_load(&call->bad);
    return status || bad == UINT32_MAX ? status
                                       : dent_fail(context, DENT_ERROR_BAD_NUMBER, "path %u is not finite", bad);
}

dent_status dent_inside_sweep(dent_inside *inside, const dent_sweep_def *def, dent_sweep_hit *hits)
{
    DENT_REQUIRE(NULL, inside);
    dent_context *context = inside->context;
    DENT_REQUIRE(context, def);
    if (def->struct_size != sizeof *def) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "the def has struct_size %zu instead of %zu: make it with dent_sweep_def_default()",
                         def->struct_size, sizeof *def);
    }
    DENT_REQUIRE(context, hits);
    if (!(def->radius >= 0.0 && isfinite(def->radius)) || !(def->tolerance >= 0.0 && isfinite(def->tolerance))) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "radius and tolerance must be finite and not negative; got %g and %g", def->radius, def->tolerance);
    }
    dent_status status = neighbours_check_positions(context, &def->starts, def->count, "starts");
    status = status ? status : neighbours_check_positions(context, &def->ends, def->count, "ends");
    if (status) {
        return status;
    }
    struct sweep_call call = {.inside = inside, .def = def, .hits = hits};
    atomic_init(&call.bad, UINT32_MAX);
    return dent_call_guarded(context, run, &call);
}
