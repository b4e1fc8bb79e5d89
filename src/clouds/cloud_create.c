/* Making a cloud: reads and checks the points, merges those that coincide, and runs the stages of cloud_data.h in order.
 * In: a def. Out: a dent_cloud, or nothing. */
#include "clouds/cloud_data.h"

#include "base/containers/union_find.h"
#include "neighbours/neighbours_data.h"

#define COORDINATE_MOST 1e100
#define EXTENT_LEAST 1e-97      /* of a cloud whose points are not all equal: products of its lengths must not vanish */
#define COINCIDENT_SHARE 1e-12  /* of the diagonal of the box */
#define COINCIDENT_LEAST 1e-100 /* a length: squares must not vanish */
#define PI 3.14159265358979323846

dent_cloud_def dent_cloud_def_default(void)
{
    dent_cloud_def def;
    memset(&def, 0, sizeof def);
    def.struct_size = sizeof def;
    def.neighbours = 8;
    def.support_radii = 6.0;
    def.weight_cut = 1e-4;
    def.reach_radii = 1.0;
    return def;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static dent_status check_def(dent_context *context, const dent_cloud_def *def)
{
    if (def->struct_size != sizeof *def) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "the cloud def was not made by dent_cloud_def_default()");
    }
    if (def->point_count == 0) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "point_count: expected 1 or more; got 0");
    }
    if (def->point_count > UINT32_C(1) << 31) {
        return dent_fail(context, DENT_ERROR_TOO_LARGE, "point_count: expected at most 2^31; got %u",
                         (unsigned)def->point_count);
    }
    if (def->neighbours < 1 || def->neighbours > 64) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "neighbours: expected 1 to 64; got %u",
                         (unsigned)def->neighbours);
    }
    if (!(def->support_radii >= 1.0 && def->support_radii <= 64.0)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "support_radii: expected 1 to 64; got %g",
                         def->support_radii);
    }
    if (!(def->weight_cut >= 1e-16 && def->weight_cut <= 0.5)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "weight_cut: expected 1e-16 to 0.5; got %g",
                         def->weight_cut);
    }
    if (!(def->reach_radii > 0.0 && def->reach_radii <= def->support_radii)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "reach_radii: expected above 0, at most %g; got %g",
                         def->support_radii, def->reach_radii);
    }
    dent_status status = neighbours_check_positions(context, &def->positions, def->point_count, "points");
    return status || !def->normals.data
               ? status
               : neighbours_check_positions(context, &def->normals, def->point_count, "normals");
}

bool cloud_read_vector(const dent_positions *positions, uint32_t point, double to[3], int *axis)
{
    neighbours_read_place(positions, point, to);
    for (*axis = 0; *axis < 3; ++*axis) {
        if (!(fabs(to[*axis]) <= COORDINATE_MOST)) {
            return false;
        }
    }
    return true;
}

static dent_status check_vectors(const dent_cloud *cloud, const dent_positions *positions, bool normals)
{
    for (uint32_t i = 0; i < cloud->def.point_count; i++) {
        double vector[3];
        int axis;
        if (!cloud_read_vector(positions, i, vector, &axis)) {
            return dent_fail(cloud->context, DENT_ERROR_BAD_NUMBER, "%s %u: %c is not a number of at most 1e100",
                             normals ? "normal" : "point", (unsigned)i, "xyz"[axis]);
        }
        double size = fabs(vector[0]) + fabs(vector[1]) + fabs(vector[2]);
        if (normals && !(size >= COINCIDENT_LEAST)) {
            return dent_fail(cloud->context, DENT_ERROR_BAD_NUMBER, "normal %u has no length", (unsigned)i);
        }
    }
    return DENT_OK;
}

static dent_status check_extent(const dent_cloud *cloud)
{
    double low[3], high[3], extent = 0.0;
    for (uint32_t i = 0; i < cloud->def.point_count; i++) {
        double place[3];
        neighbours_read_place(&cloud->def.positions, i, place);
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = i == 0 || place[axis] < low[axis] ? place[axis] : low[axis];
            high[axis] = i == 0 || place[axis] > high[axis] ? place[axis] : high[axis];
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        extent = high[axis] - low[axis] > extent ? high[axis] - low[axis] : extent;
    }
    return extent == 0.0 || extent >= EXTENT_LEAST
               ? DENT_OK
               : dent_fail(cloud->context, DENT_ERROR_BAD_NUMBER,
                           "the cloud has an extent of %g: expected 1e-97 or more, or equal points; use a smaller unit",
                           extent);
}

dent_status cloud_check_points(const dent_cloud *cloud, bool normals)
{
    dent_status status = check_vectors(cloud, &cloud->def.positions, false);
    status = status ? status : check_extent(cloud);
    return status || !normals ? status : check_vectors(cloud, &cloud->def.normals, true);
}

/* ---- coincident points ------------------------------------------------------------------------------------------- */

/* While the slots are not known: points that differ. */
struct unique_points {
    double *xyz;
    uint32_t *original; /* ascending */
    uint32_t count;
    uint32_t *same_as; /* of a point of the def: a point of the def, itself or smaller */
};

static double coincident_distance(const struct unique_points *unique)
{
    double square = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double low = unique->xyz[axis], high = low;
        for (uint32_t i = 1; i < unique->count; i++) {
            double x = unique->xyz[3 * (size_t)i + (size_t)axis];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        square += (high - low) * (high - low);
    }
    double distance = COINCIDENT_SHARE * sqrt(square);
    return distance > COINCIDENT_LEAST ? distance : COINCIDENT_LEAST;
}

/* Joins points with their nearest ones where these coincide; returns how many are left. */
static uint32_t merge_nearest(struct unique_points *unique, const dent_neighbours *points,
                              const struct cloud_spheres *spheres, double coincident)
{
    bool is_joined = false;
    for (uint32_t slot = 0; slot < unique->count; slot++) {
        if (spheres->nearest_distance[slot] <= coincident) {
            union_find_join(unique->same_as, unique->original[points->indices[slot]],
                            unique->original[spheres->nearest[slot]]);
            is_joined = true;
        }
    }
    uint32_t left = is_joined ? 0 : unique->count;
    for (uint32_t i = 0; is_joined && i < unique->count; i++) {
        uint32_t original = unique->original[i];
        if (union_find_root(unique->same_as, original) == original) {
            memmove(unique->xyz + 3 * (size_t)left, unique->xyz + 3 * (size_t)i, 3 * sizeof *unique->xyz);
            unique->original[left++] = original;
        }
    }
    return left;
}

/* A search over points none of which coincide, and their spheres. The caller destroys *points, also on failure. */
static dent_status search_unique(dent_cloud *cloud, struct unique_points *unique, struct cloud_spheres *spheres,
                                 dent_neighbours **points)
{
    double coincident = coincident_distance(unique);
    for (;;) {
        dent_status status =
            dent_neighbours_create(cloud->context, dent_positions_double(unique->xyz), unique->count, points);
        if (status == DENT_OK) {
            status = cloud_find_spheres(*points, cloud->def.neighbours, spheres);
        }
        if (status) {
            return status;
        }
        uint32_t left = merge_nearest(unique, *points, spheres, coincident);
        if (left == unique->count) {
            return DENT_OK;
        }
        unique->count = left;
        dent_neighbours_destroy(*points);
        *points = NULL;
    }
}

/* ---- slots ------------------------------------------------------------------------------------------------------- */

static bool allocate_slots(dent_cloud *cloud)
{
    dent_context *context = cloud->context;
    size_t count = cloud->count;
    cloud->original = dent_allocate(context, count, sizeof *cloud->original);
    cloud->point = dent_allocate(context, count, sizeof *cloud->point);
    cloud->normal = dent_allocate(context, count, sizeof *cloud->normal);
    cloud->radius = dent_allocate(context, count, sizeof *cloud->radius);
    cloud->area = dent_allocate(context, count, sizeof *cloud->area);
    cloud->area_share = dent_allocate(context, count, sizeof *cloud->area_share);
    cloud->room = dent_allocate(context, count, sizeof *cloud->room);
    cloud->part = dent_allocate(context, count, sizeof *cloud->part);
    cloud->frame = dent_allocate(context, count, sizeof *cloud->frame);
    cloud->rest = dent_allocate(context, count, sizeof *cloud->rest);
    cloud->first = dent_allocate(context, count + 1, sizeof *cloud->first);
    return cloud->original && cloud->point && cloud->normal && cloud->radius && cloud->area && cloud->area_share &&
           cloud->room && cloud->part && cloud->frame && cloud->rest && cloud->first && cloud_allocate_tree(cloud);
}

struct slot_work {
    dent_cloud *cloud;
    const struct unique_points *unique;
    const dent_neighbours *points;
    const struct cloud_spheres *spheres;
};

static void read_normal(dent_cloud *cloud, uint32_t slot)
{
    int axis;
    double *normal = cloud->normal[slot];
    cloud_read_vector(&cloud->def.normals, cloud->original[slot], normal, &axis);
    double length = sqrt(cloud_dot_product(normal, normal));
    for (axis = 0; axis < 3; axis++) {
        normal[axis] /= length;
    }
}

static void slot_block(void *data, uint32_t block, uint32_t worker)
{
    const struct slot_work *work = data;
    dent_cloud *cloud = work->cloud;
    (void)worker;
    uint32_t inside = cloud->def.neighbours < cloud->count - 1 ? cloud->def.neighbours : cloud->count - 1;
    for (uint32_t slot = block * SLOTS_A_BLOCK; slot < cloud_block_end(cloud->count, block); slot++) {
        uint32_t index = work->points->indices[slot];
        double radius = work->spheres->radius[slot] * work->spheres->unscale;
        cloud->original[slot] = work->unique->original[index];
        memcpy(cloud->point[slot], work->unique->xyz + 3 * (size_t)index, sizeof cloud->point[slot]);
        cloud->area[slot] = inside > 0 ? PI * radius * radius / inside : 0.0;
        cloud->slot_of[cloud->original[slot]] = slot;
        if (cloud->def.normals.data) {
            read_normal(cloud, slot);
        }
    }
}

static dent_status fill_slots(dent_cloud *cloud, const struct unique_points *unique, const dent_neighbours *points,
                              const struct cloud_spheres *spheres)
{
    struct slot_work work = {cloud, unique, points, spheres};
    dent_status status = dent_parallel_for(cloud->context, cloud_blocks(cloud->count), slot_block, &work);
    cloud->info.merged = cloud->def.point_count - cloud->count;
    for (uint32_t i = 0; i < cloud->def.point_count && cloud->info.merged > 0; i++) {
        cloud->slot_of[i] = cloud->slot_of[union_find_root(unique->same_as, i)];
    }
    return status;
}

/* ---- the stages -------------------------------------------------------------------------------------------------- */

/* sqrt(-ln x) for 1e-16 <= x <= 0.5: bisection with our own exponential, the same bits everywhere. */
static double root_of_logarithm(double x)
{
    double low = 0.0, high = 64.0;
    for (int i = 0; i < 80; i++) {
        double middle = 0.5 * (low + high);
        if (exponential_of_minus(middle, exponential_halvings(middle)) > x) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return sqrt(high);
}

static void finish_block(void *data, uint32_t block, uint32_t worker)
{
    dent_cloud *cloud = data;
    (void)worker;
    for (uint32_t slot = block * SLOTS_A_BLOCK; slot < cloud_block_end(cloud->count, block); slot++) {
        double radius = cloud->radius[slot];
        bool isolated = cloud_degree(cloud, slot) == 0;
        for (int axis = 0; axis < 3 && isolated; axis++) {
            cloud->normal[slot][axis] = 0.0;
        }
        cloud->area_share[slot] = radius > 0.0 ? cloud->area[slot] / (radius * radius) : 0.0;
        for (int k = 0; k < 2; k++) {
            cloud->rest[slot][k] = cloud_length(cloud->point[slot], cloud->point[cloud->frame[slot][k]]);
        }
    }
}

static dent_status finish_slots(dent_cloud *cloud)
{
    double *exponent = &cloud->cut_factor;
    *exponent = root_of_logarithm(cloud->def.weight_cut);
    cloud->halvings = exponential_halvings(1.001 * *exponent * *exponent);
    cloud->box_sides = cloud_sum_of_sides(cloud);
    return dent_parallel_for(cloud->context, cloud_blocks(cloud->count), finish_block, cloud);
}

static dent_status run_stages(dent_cloud *cloud, struct unique_points *unique, struct cloud_spheres *spheres)
{
    dent_neighbours *points = NULL;
    dent_status status = search_unique(cloud, unique, spheres, &points);
    if (status == DENT_OK) {
        cloud->count = unique->count;
        status = allocate_slots(cloud) ? DENT_OK : DENT_ERROR_OUT_OF_MEMORY;
    }
    if (status == DENT_OK) {
        status = fill_slots(cloud, unique, points, spheres);
    }
    if (status == DENT_OK) {
        status = cloud_make_graph(cloud, points, spheres);
    }
    dent_neighbours_destroy(points);
    if (status == DENT_OK) {
        status = cloud_prune_graph(cloud);
    }
    if (status == DENT_OK) {
        status = cloud_find_parts(cloud, !cloud->def.normals.data);
    }
    if (status == DENT_OK) {
        status = cloud_choose_frames(cloud);
    }
    if (status == DENT_OK) {
        status = cloud_fill_upper(cloud);
    }
    if (status == DENT_OK) {
        status = finish_slots(cloud);
    }
    if (status == DENT_OK) {
        cloud_measure(cloud);
    }
    return status;
}

struct copy_work {
    const dent_cloud *cloud;
    struct unique_points *unique;
};

static void copy_block(void *data, uint32_t block, uint32_t worker)
{
    const struct copy_work *work = data;
    struct unique_points *unique = work->unique;
    (void)worker;
    for (uint32_t i = block * SLOTS_A_BLOCK; i < cloud_block_end(unique->count, block); i++) {
        int axis;
        cloud_read_vector(&work->cloud->def.positions, i, unique->xyz + 3 * (size_t)i, &axis);
        unique->original[i] = unique->same_as[i] = i; /* joined with none, as by union_find_init() */
    }
}

static dent_status make_with(dent_cloud *cloud, struct unique_points *unique, struct cloud_spheres *spheres)
{
    struct copy_work work = {cloud, unique};
    dent_status status = dent_parallel_for(cloud->context, cloud_blocks(unique->count), copy_block, &work);
    return status ? status : run_stages(cloud, unique, spheres);
}

static dent_status make(void *data)
{
    dent_cloud *cloud = data;
    dent_context *context = cloud->context;
    uint64_t start = dent_clock_ns();
    size_t count = cloud->def.point_count;
    dent_status status = cloud_check_points(cloud, cloud->def.normals.data);
    if (status) {
        return status;
    }
    struct unique_points unique = {.count = cloud->def.point_count};
    struct cloud_spheres spheres = {0};
    unique.xyz = dent_allocate(context, count, 3 * sizeof *unique.xyz);
    unique.original = dent_allocate(context, count, 2 * sizeof *unique.original);
    spheres.radius = dent_allocate(context, count + NEIGHBOUR_LANES, 2 * sizeof *spheres.radius);
    spheres.nearest = dent_allocate(context, count, sizeof *spheres.nearest);
    cloud->slot_of = dent_allocate(context, count, sizeof *cloud->slot_of);
    status = DENT_ERROR_OUT_OF_MEMORY;
    if (unique.xyz && unique.original && spheres.radius && spheres.nearest && cloud->slot_of) {
        unique.same_as = unique.original + count;
        spheres.nearest_distance = spheres.radius + count + NEIGHBOUR_LANES; /* radii end with a whole leaf */
        status = make_with(cloud, &unique, &spheres);
    }
    dent_release(context, spheres.nearest, count, sizeof *spheres.nearest);
    dent_release(context, spheres.radius, count + NEIGHBOUR_LANES, 2 * sizeof *spheres.radius);
    dent_release(context, unique.original, count, 2 * sizeof *unique.original);
    dent_release(context, unique.xyz, count, 3 * sizeof *unique.xyz);
    cloud->info.build_ns = dent_clock_ns() - start;
    return status == DENT_ERROR_OUT_OF_MEMORY
               ? dent_fail(context, status, "no memory for a cloud of %u points", (unsigned)cloud->def.point_count)
               : status;
}

dent_status dent_cloud_create(dent_context *context, const dent_cloud_def *def, dent_cloud **cloud)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, def);
    DENT_REQUIRE(context, cloud);
    dent_status status = check_def(context, def);
    if (status) {
        return status;
    }
    dent_cloud *made = dent_allocate(context, 1, sizeof *made);
    if (!made) {
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "no memory for a cloud");
    }
    *made = (dent_cloud){.context = context, .def = *def};
    status = dent_call_guarded(context, make, made);
    if (status) {
        dent_cloud_destroy(made);
        return status;
    }
    *cloud = made;
    return DENT_OK;
}

void dent_cloud_destroy(dent_cloud *cloud)
{
    if (!cloud) {
        return;
    }
    dent_context *context = cloud->context;
    size_t count = cloud->count;
    dent_release(context, cloud->all_covers, cloud->node_count, sizeof *cloud->all_covers);
    dent_release(context, cloud->nodes, cloud->node_count, sizeof *cloud->nodes);
    dent_release(context, cloud->tree.leaves, cloud->tree.leaf_count, sizeof *cloud->tree.leaves);
    dent_release(context, cloud->edges, cloud->edge_capacity, sizeof *cloud->edges);
    dent_release(context, cloud->first, count + 1, sizeof *cloud->first);
    dent_release(context, cloud->rest, count, sizeof *cloud->rest);
    dent_release(context, cloud->frame, count, sizeof *cloud->frame);
    dent_release(context, cloud->part, count, sizeof *cloud->part);
    dent_release(context, cloud->room, count, sizeof *cloud->room);
    dent_release(context, cloud->area_share, count, sizeof *cloud->area_share);
    dent_release(context, cloud->area, count, sizeof *cloud->area);
    dent_release(context, cloud->radius, count, sizeof *cloud->radius);
    dent_release(context, cloud->normal, count, sizeof *cloud->normal);
    dent_release(context, cloud->point, count, sizeof *cloud->point);
    dent_release(context, cloud->original, count, sizeof *cloud->original);
    dent_release(context, cloud->slot_of, cloud->def.point_count, sizeof *cloud->slot_of);
    dent_release(context, cloud, 1, sizeof *cloud);
}
