/* The surface of a cloud against triangles. A triangle is cut into four, again and again, while a piece may meet the
 * surface: not if the nearest point is farther from its middle than its radius plus the longest reach, and not if |f|
 * there exceeds SLOPE_MOST times its radius. Pieces no longer than the resolution are judged by the signs of f at their
 * corners; where they differ, the false position (Illinois) along a side gives the point.
 * In: a cloud and triangles. Out: a point for every crossed piece, in the order of the triangles. */
#include "clouds/cloud_function.h"

#include "base/block_output.h"
#include "clouds/cloud_pose.h"
#include "neighbours/neighbours_data.h"

enum { TRIANGLES_A_BLOCK = 64, CUTS_MOST = 40, ROOT_STEPS = 40 };
#define SLOPE_MOST 2.0

dent_cloud_triangles_def dent_cloud_triangles_def_default(void)
{
    dent_cloud_triangles_def def;
    memset(&def, 0, sizeof def);
    def.struct_size = sizeof def;
    def.pose.rotation[0] = 1.0;
    def.function = DENT_CLOUD_SPHERE_FIT;
    def.resolution_radii = 1.0;
    def.tolerance_radii = 0.05;
    return def;
}

struct triangle_counts {
    uint64_t met, near, evaluations, undefined;
};

struct triangle_call {
    const dent_cloud *cloud;
    const dent_cloud_triangles_def *def;
    const struct cloud_function_row *row;
    dent_cloud_triangle_point *points;
    dent_cloud_triangles_result *result;
    double rotation[9], translation[3];
    double resolution, tolerance, reach; /* the longest of a point */
    struct cloud_paths *paths;           /* one a worker, if the function needs any */
    struct triangle_counts *counts;      /* of a block */
    struct block_output found;           /* dent_cloud_triangle_point */
};

/* A triangle on its way. */
struct triangle_job {
    struct triangle_call *call;
    struct cloud_paths *paths;
    struct triangle_counts *counts;
    uint32_t triangle, block;
};

struct piece {
    double corner[3][3];
    int cuts;
};

static void value_of(struct triangle_job *job, const double place[3], dent_cloud_value *value)
{
    job->counts->evaluations++;
    cloud_value_at(job->call->cloud, job->call->row, job->paths, place, value);
}

static double longest_side(const struct piece *piece)
{
    double longest = 0.0;
    for (int k = 0; k < 3; k++) {
        double side = cloud_length(piece->corner[k], piece->corner[(k + 1) % 3]);
        longest = side > longest ? side : longest;
    }
    return longest;
}

/* May the piece meet the surface? */
static bool is_near(struct triangle_job *job, const struct piece *piece)
{
    double middle[3], radius = 0.0;
    dent_cloud_value value;
    for (int axis = 0; axis < 3; axis++) {
        middle[axis] = (piece->corner[0][axis] + piece->corner[1][axis] + piece->corner[2][axis]) / 3.0;
    }
    for (int k = 0; k < 3; k++) {
        double length = cloud_length(piece->corner[k], middle);
        radius = length > radius ? length : radius;
    }
    value_of(job, middle, &value);
    if (!(value.distance <= (radius + job->call->reach) * (1.0 + 1e-12))) {
        return false;
    }
    return value.state != DENT_CLOUD_DEFINED || fabs(value.value) <= SLOPE_MOST * radius;
}

/* The root between two places where f has different signs; false if it jumps or ends between them. */
static bool find_root(struct triangle_job *job, const double from[3], const double to[3], double at_from, double at_to,
                      dent_cloud_triangle_point *point)
{
    double low = 0.0, high = 1.0, below = at_from, above = at_to;
    for (int step = 0; step < ROOT_STEPS; step++) {
        double share = (low * above - high * below) / (above - below), place[3];
        dent_cloud_value value;
        for (int axis = 0; axis < 3; axis++) {
            place[axis] = (1.0 - share) * from[axis] + share * to[axis];
        }
        value_of(job, place, &value);
        if (value.state != DENT_CLOUD_DEFINED) {
            return false;
        }
        if (fabs(value.value) <= 1e-3 * job->call->tolerance || step == ROOT_STEPS - 1) {
            memcpy(point->position, place, sizeof place);
            point->residual = fabs(value.value);
            point->nearest = value.nearest;
            return value.on_reach && fabs(value.value) <= job->call->tolerance;
        }
        if ((value.value < 0.0) == (below < 0.0)) { /* the end that stays counts half */
            low = share;
            below = value.value;
            above *= 0.5;
        } else {
            high = share;
            above = value.value;
            below *= 0.5;
        }
    }
    return false;
}

/* Judges a piece by its corners; appends a point if it is crossed. False: no memory. */
static bool judge(struct triangle_job *job, const struct piece *piece, bool *met)
{
    dent_cloud_value value[3];
    dent_cloud_triangle_point point = {.triangle = job->triangle};
    for (int k = 0; k < 3; k++) {
        value_of(job, piece->corner[k], &value[k]);
        if (value[k].state != DENT_CLOUD_DEFINED) {
            job->counts->undefined += value[k].on_reach;
            return true;
        }
    }
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3;
        if ((value[k].value < 0.0) != (value[next].value < 0.0) &&
            find_root(job, piece->corner[k], piece->corner[next], value[k].value, value[next].value, &point)) {
            const struct triangle_call *call = job->call;
            double local[3];
            memcpy(local, point.position, sizeof local);
            for (int axis = 0; axis < 3; axis++) {
                point.position[axis] = cloud_dot_product(call->rotation + 3 * axis, local) + call->translation[axis];
            }
            *met = true;
            return block_output_append(&job->call->found, job->block, &point, 1);
        }
    }
    return true;
}

static void cut(const struct piece *piece, struct piece parts[4])
{
    double middle[3][3]; /* opposite to corner k */
    for (int k = 0; k < 3; k++) {
        for (int axis = 0; axis < 3; axis++) {
            middle[k][axis] = 0.5 * piece->corner[(k + 1) % 3][axis] + 0.5 * piece->corner[(k + 2) % 3][axis];
        }
    }
    for (int k = 0; k < 3; k++) {
        parts[k].cuts = piece->cuts + 1;
        for (int c = 0; c < 3; c++) { /* the part at corner k: that corner and the middles of its sides */
            memcpy(parts[k].corner[c], c == k ? piece->corner[k] : middle[3 - k - c], sizeof middle[0]);
        }
    }
    parts[3].cuts = piece->cuts + 1;
    memcpy(parts[3].corner, middle, sizeof middle);
}

static bool visit_triangle(struct triangle_job *job, const struct piece *whole)
{
    struct piece waiting[3 * CUTS_MOST + 4];
    uint32_t count = 1;
    bool met = false;
    waiting[0] = *whole;
    while (count > 0) {
        struct piece piece = waiting[--count];
        if (!is_near(job, &piece)) {
            continue;
        }
        job->counts->near += piece.cuts == 0;
        if (piece.cuts < CUTS_MOST && longest_side(&piece) > job->call->resolution) {
            cut(&piece, waiting + count);
            count += 4;
        } else if (!judge(job, &piece, &met)) {
            return false;
        }
    }
    job->counts->met += met;
    return true;
}

static void triangle_block(void *data, uint32_t block, uint32_t worker)
{
    struct triangle_call *call = data;
    const dent_cloud_triangles_def *def = call->def;
    struct triangle_job job = {call, call->paths ? &call->paths[worker] : NULL, &call->counts[block], 0, block};
    uint64_t end = ((uint64_t)block + 1) * TRIANGLES_A_BLOCK;
    *job.counts = (struct triangle_counts){0};
    for (uint64_t t = (uint64_t)block * TRIANGLES_A_BLOCK; t < end && t < def->triangle_count; t++) {
        struct piece piece = {.cuts = 0};
        for (int k = 0; k < 3; k++) {
            double world[3];
            neighbours_read_place(&def->vertices, def->triangles[3 * t + (uint64_t)k], world);
            for (int axis = 0; axis < 3; axis++) {
                world[axis] -= call->translation[axis];
            }
            for (int axis = 0; axis < 3; axis++) {
                const double *column = call->rotation + axis;
                piece.corner[k][axis] = (column[0] * world[0] + column[3] * world[1]) + column[6] * world[2];
            }
        }
        job.triangle = (uint32_t)t;
        if (!visit_triangle(&job, &piece)) {
            return; /* no memory: block_output_failed() says so */
        }
    }
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

static dent_status check_call(struct triangle_call *call)
{
    const dent_cloud_triangles_def *def = call->def;
    dent_context *context = call->cloud->context;
    if (!call->row) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "function: invalid dent_cloud_function value %d",
                         (int)def->function);
    }
    if (!(def->resolution_radii > 0.0 && def->resolution_radii <= 16.0) ||
        !(def->tolerance_radii > 0.0 && def->tolerance_radii <= 1.0)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "resolution_radii must be above 0 and at most 16, tolerance_radii at most 1; got %g and %g",
                         def->resolution_radii, def->tolerance_radii);
    }
    if (!cloud_pose_read(&def->pose, call->rotation, call->translation)) {
        return dent_fail(context, DENT_ERROR_BAD_NUMBER, "pose is not finite, or its quaternion is 0");
    }
    dent_status status = neighbours_check_positions(context, &def->vertices, def->vertex_count, "vertices");
    for (uint32_t v = 0; status == DENT_OK && v < def->vertex_count; v++) {
        double place[3];
        int axis;
        if (!cloud_read_vector(&def->vertices, v, place, &axis)) {
            return dent_fail(context, DENT_ERROR_BAD_NUMBER, "vertex %u: %c is not a number of at most 1e100",
                             (unsigned)v, "xyz"[axis]);
        }
    }
    for (uint64_t i = 0; status == DENT_OK && i < 3 * (uint64_t)def->triangle_count; i++) {
        if (def->triangles[i] >= def->vertex_count) {
            return dent_fail(context, DENT_ERROR_BAD_MESH, "triangle %u: vertex %u of %u", (unsigned)(i / 3),
                             (unsigned)def->triangles[i], (unsigned)def->vertex_count);
        }
    }
    return status;
}

static void write_result(struct triangle_call *call, uint32_t blocks)
{
    dent_cloud_triangles_result *result = call->result;
    uint32_t capacity = call->def->point_capacity;
    *result = (dent_cloud_triangles_result){.resolution = call->resolution};
    for (uint32_t block = 0; block < blocks; block++) {
        result->triangles_met += call->counts[block].met;
        result->triangles_near += call->counts[block].near;
        result->evaluations += call->counts[block].evaluations;
        result->undefined += call->counts[block].undefined;
        for (struct record_run run = block_output_first(&call->found, block); run.count;
             run = block_output_next(&run)) {
            uint64_t left = result->point_count < capacity ? capacity - result->point_count : 0;
            size_t written = run.count < left ? run.count : (size_t)left;
            if (written > 0) {
                memcpy(call->points + result->point_count, run.records, written * sizeof *call->points);
            }
            result->point_count += run.count;
        }
    }
    result->outcome = result->point_count > capacity ? DENT_OUTCOME_TRUNCATED : DENT_OUTCOME_COMPLETE;
    result->answer = result->point_count > 0 ? DENT_CLOUD_YES
                     : result->undefined > 0 ? DENT_CLOUD_UNKNOWN
                                             : DENT_CLOUD_NO;
}

static dent_status meet_with(struct triangle_call *call, uint32_t blocks)
{
    dent_context *context = call->cloud->context;
    if (!block_output_begin(&call->found, blocks)) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    dent_status status = dent_parallel_for(context, blocks, triangle_block, call);
    if (status == DENT_OK && block_output_failed(&call->found)) {
        status = DENT_ERROR_OUT_OF_MEMORY;
    }
    if (status == DENT_OK) {
        write_result(call, blocks);
    }
    block_output_empty(&call->found);
    return status;
}

static dent_status meet(void *data)
{
    struct triangle_call *call = data;
    const dent_cloud *cloud = call->cloud;
    dent_context *context = cloud->context;
    dent_status status = check_call(call);
    if (status) {
        return status;
    }
    uint32_t workers = dent_context_worker_count(context), made = 0;
    uint32_t blocks =
        call->def->triangle_count / TRIANGLES_A_BLOCK + (call->def->triangle_count % TRIANGLES_A_BLOCK > 0);
    call->resolution = call->def->resolution_radii * cloud->info.radius;
    call->tolerance = call->def->tolerance_radii * cloud->info.radius;
    call->reach = cloud->covers[cloud->tree.level_count - 1][0].reach;
    block_output_init(&call->found, context, sizeof(dent_cloud_triangle_point));
    call->counts = dent_allocate(context, blocks, sizeof *call->counts);
    if (call->row->needs_paths) {
        call->paths = dent_allocate(context, workers, sizeof *call->paths);
        while (call->paths && made < workers && cloud_paths_init(&call->paths[made], context, cloud->count)) {
            made++;
        }
    }
    bool is_ready = call->counts && (!call->row->needs_paths || made == workers);
    status = is_ready ? meet_with(call, blocks) : DENT_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < made; i++) {
        cloud_paths_destroy(&call->paths[i]);
    }
    dent_release(context, call->paths, workers, sizeof *call->paths);
    dent_release(context, call->counts, blocks, sizeof *call->counts);
    block_output_destroy(&call->found);
    return status == DENT_ERROR_OUT_OF_MEMORY
               ? dent_fail(context, status, "no memory for %u triangles", (unsigned)call->def->triangle_count)
               : status;
}

dent_status dent_cloud_meet_triangles(const dent_cloud *cloud, const dent_cloud_triangles_def *def,
                                      dent_cloud_triangle_point *points, dent_cloud_triangles_result *result)
{
    DENT_REQUIRE(NULL, cloud);
    DENT_REQUIRE(cloud->context, def);
    DENT_REQUIRE(cloud->context, result);
    DENT_REQUIRE_ARRAY(cloud->context, def->point_capacity, points);
    DENT_REQUIRE_ARRAY(cloud->context, def->triangle_count, def->triangles);
    if (def->struct_size != sizeof *def) {
        return dent_fail(cloud->context, DENT_ERROR_INVALID_ARGUMENT,
                         "the def was not made by dent_cloud_triangles_def_default()");
    }
    struct triangle_call call = {
        .cloud = cloud, .def = def, .row = cloud_function_row(def->function), .points = points, .result = result};
    return dent_call_guarded(cloud->context, meet, &call);
}
