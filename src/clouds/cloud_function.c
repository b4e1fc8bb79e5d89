/* The table of implicit functions, and their values at places.
 *
 *   graph, euclidean   f(x) = n(x) . (x - a(x)): a is the weighted mean of the points, n the direction in which they
 *                      spread least (Adamson and Alexa 2003), on the side of their mean normal. `graph` measures the
 *                      distances of the weights along the graph: from y to p1 and p2, on from there, blended; and adds
 *                      the way from x to y at a right angle, so that they stay continuous off the graph
 *   sphere-fit         the algebraic sphere u0 + u . q + uq q.q whose gradients fit the normals (Guennebaud and Gross
 *                      2007, the closed form of 2008); f is the distance to it along the gradient. Only points of p1's
 *                      part of the graph count, whose normals are on the side of p1's. Where more than an
 *                      eighth of them seem to be of another sheet, only those count that the graph leads to
 *                      (cloud_sheet.c) */
#include "clouds/cloud_function.h"

#include "clouds/symmetric_eigen.h"
#include "neighbours/neighbours_data.h"

#define WEIGHT_LEAST 1e-12
#define DIRECTION_LEAST 0.2
#define EIGENVALUES_APART 0.01
#define SHEET_SPACINGS 0.75 /* a point farther off than this is not on the sheet of p1, unless noise put it there */
enum { SUPPORT_LEAST = 3, VALUES_A_BLOCK = 64, NOISY_SHARE = 8 };

/* ---- weighted planes --------------------------------------------------------------------------------------------- */

/* Sums over the support; points relative to p1. */
struct plane_sums {
    double weight, point[3], square[6], normal[3];
    uint32_t count;
};

static void add_point(const struct cloud_foot *foot, uint32_t slot, double distance, struct plane_sums *sums)
{
    const dent_cloud *cloud = foot->cloud;
    double ratio = distance / foot->bandwidth;
    double weight = exponential_of_minus(ratio * ratio, cloud->halvings), q[3];
    for (int axis = 0; axis < 3; axis++) {
        q[axis] = cloud->point[slot][axis] - cloud->point[foot->first][axis];
        sums->point[axis] += weight * q[axis];
        sums->normal[axis] += weight * cloud->normal[slot][axis];
    }
    sums->square[0] += weight * q[0] * q[0];
    sums->square[1] += weight * q[0] * q[1];
    sums->square[2] += weight * q[0] * q[2];
    sums->square[3] += weight * q[1] * q[1];
    sums->square[4] += weight * q[1] * q[2];
    sums->square[5] += weight * q[2] * q[2];
    sums->weight += weight;
    sums->count++;
}

static dent_cloud_state plane_value(const struct cloud_foot *foot, const struct plane_sums *sums,
                                    dent_cloud_value *value)
{
    double mean[3], values[3], normal[3], w = sums->weight;
    value->support = sums->count;
    if (sums->count < SUPPORT_LEAST || !(w >= WEIGHT_LEAST)) {
        return DENT_CLOUD_UNSUPPORTED;
    }
    if (!(sqrt(cloud_dot_product(sums->normal, sums->normal)) >= DIRECTION_LEAST * w)) {
        return DENT_CLOUD_UNORIENTED;
    }
    for (int axis = 0; axis < 3; axis++) {
        mean[axis] = sums->point[axis] / w;
    }
    const double matrix[6] = {sums->square[0] / w - mean[0] * mean[0], sums->square[1] / w - mean[0] * mean[1],
                              sums->square[2] / w - mean[0] * mean[2], sums->square[3] / w - mean[1] * mean[1],
                              sums->square[4] / w - mean[1] * mean[2], sums->square[5] / w - mean[2] * mean[2]};
    symmetric_eigen(matrix, values, normal);
    double side = cloud_dot_product(normal, sums->normal) < 0.0 ? -1.0 : 1.0, sum = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        value->normal[axis] = side * normal[axis];
        sum += value->normal[axis] * (foot->place[axis] - foot->cloud->point[foot->first][axis] - mean[axis]);
    }
    value->value = sum;
    value->unreliable = !(values[1] - values[0] > EIGENVALUES_APART * values[1]);
    return DENT_CLOUD_DEFINED;
}

static dent_cloud_state evaluate_graph(const struct cloud_foot *foot, struct cloud_paths *paths,
                                       dent_cloud_value *value)
{
    struct plane_sums sums = {0};
    double edge = foot->along[0] + foot->along[1];
    /* (1 - s) a + s b <= cut and |a - b| <= edge bound both a and b by cut + edge */
    cloud_paths_walk(paths, foot->cloud, foot->first, foot->cut + edge, 0);
    cloud_paths_walk(paths, foot->cloud, foot->second, foot->cut + edge, 1);
    for (uint32_t i = 0; i < paths->reached_count; i++) {
        uint32_t slot = paths->reached[i];
        if (paths->stamp[1][slot] == paths->turn) {
            double along = (1.0 - foot->share) * (foot->along[0] + paths->distance[0][slot]) +
                           foot->share * (foot->along[1] + paths->distance[1][slot]);
            double distance = sqrt(along * along + foot->off * foot->off);
            if (distance <= foot->cut) {
                add_point(foot, slot, distance, &sums);
            }
        }
    }
    return plane_value(foot, &sums, value);
}

/* ---- straight distances ------------------------------------------------------------------------------------------ */

static double box_distance(const struct neighbour_node *node, uint32_t lane, const double place[3])
{
    double square = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double above = node->low[axis][lane] - place[axis], below = place[axis] - node->high[axis][lane];
        double gap = above > below ? above : below;
        square += gap > 0.0 ? gap * gap : 0.0;
    }
    return node->low[0][lane] <= node->high[0][lane] ? square : INFINITY;
}

static void add_leaf(const struct cloud_foot *foot, uint32_t leaf, struct plane_sums *sums)
{
    const dent_cloud *cloud = foot->cloud;
    for (uint32_t slot = leaf * CLOUD_LANES; slot < (leaf + 1) * CLOUD_LANES && slot < cloud->count; slot++) {
        double distance = cloud_length(cloud->point[slot], foot->place);
        if (distance <= foot->cut && cloud_degree(cloud, slot) > 0) {
            add_point(foot, slot, distance, sums);
        }
    }
}

static dent_cloud_state evaluate_euclidean(const struct cloud_foot *foot, struct cloud_paths *paths,
                                           dent_cloud_value *value)
{
    const struct cloud_tree *tree = &foot->cloud->tree;
    struct plane_sums sums = {0};
    struct {
        uint32_t level, node;
    } waiting[CLOUD_LANES * NEIGHBOUR_LEVELS_MOST];
    uint32_t count = 1;
    (void)paths;
    waiting[0].level = tree->level_count - 1;
    waiting[0].node = 0;
    while (count > 0) {
        uint32_t level = waiting[--count].level, node = waiting[count].node;
        for (uint32_t lane = 0; lane < CLOUD_LANES; lane++) {
            if (box_distance(&tree->levels[level][node], lane, foot->place) <= foot->cut * foot->cut) {
                if (level == 0) {
                    add_leaf(foot, node * CLOUD_LANES + lane, &sums);
                } else {
                    waiting[count].level = level - 1;
                    waiting[count++].node = node * CLOUD_LANES + lane;
                }
            }
        }
    }
    return plane_value(foot, &sums, value);
}

/* ---- spheres ----------------------------------------------------------------------------------------------------- */

static dent_cloud_state sphere_value(const struct sphere_sums *sums, dent_cloud_value *value)
{
    double w = sums->weight, linear[3];
    value->support = sums->count;
    if (sums->count < SUPPORT_LEAST || !(w >= WEIGHT_LEAST)) {
        return DENT_CLOUD_UNSUPPORTED;
    }
    if (!(sqrt(cloud_dot_product(sums->normal, sums->normal)) >= DIRECTION_LEAST * w)) {
        return DENT_CLOUD_UNORIENTED;
    }
    double spread = sums->square - cloud_dot_product(sums->point, sums->point) / w;
    double bend = sums->product - cloud_dot_product(sums->point, sums->normal) / w;
    double quadratic = spread > 1e-12 * sums->square ? 0.5 * bend / spread : 0.0;
    for (int axis = 0; axis < 3; axis++) {
        linear[axis] = (sums->normal[axis] - 2.0 * quadratic * sums->point[axis]) / w;
    }
    double constant = -(cloud_dot_product(linear, sums->point) + quadratic * sums->square) / w;
    double slope = sqrt(cloud_dot_product(linear, linear));
    if (!(slope >= DIRECTION_LEAST)) {
        return DENT_CLOUD_UNORIENTED; /* near the middle of the sphere */
    }
    double root = slope * slope - 4.0 * constant * quadratic;
    value->value = 2.0 * constant / (slope + (root > 0.0 ? sqrt(root) : 0.0));
    for (int axis = 0; axis < 3; axis++) {
        value->normal[axis] = linear[axis] / slope;
    }
    return DENT_CLOUD_DEFINED;
}

static dent_cloud_state evaluate_sphere(const struct cloud_foot *foot, struct cloud_paths *paths,
                                        dent_cloud_value *value)
{
    const dent_cloud *cloud = foot->cloud;
    struct sphere_sums sums;
    struct sphere_query query = {.cut_squared = foot->cut * foot->cut,
                                 .inverse_square = 1.0 / (foot->bandwidth * foot->bandwidth),
                                 .part = cloud->part[foot->first],
                                 .halvings = cloud->halvings};
    (void)paths;
    memcpy(query.place, foot->place, sizeof query.place);
    memcpy(query.normal, cloud->normal[foot->first], sizeof query.normal);
    memcpy(query.point, cloud->point[foot->first], sizeof query.point);
    query.off_most = 2.0 * SHEET_SPACINGS * sqrt(cloud->area[foot->first]);
    cloud_kernels_for(dent_context_isa(cloud->context))->sphere(&cloud->tree, &query, &sums);
    if (sums.apart > sums.near / NOISY_SHARE) {
        cloud_sheet_sums(foot, &query, &sums);
    }
    return sphere_value(&sums, value);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static const struct cloud_function_row function_rows[DENT_CLOUD_FUNCTION_COUNT] = {
    {{DENT_CLOUD_GRAPH, "graph", "weighted plane, distances along the graph"}, true, evaluate_graph},
    {{DENT_CLOUD_EUCLIDEAN, "euclidean", "weighted plane, straight distances"}, false, evaluate_euclidean},
    {{DENT_CLOUD_SPHERE_FIT, "sphere-fit", "algebraic sphere fitted to points and normals of one sheet"},
     false,
     evaluate_sphere},
};

const struct cloud_function_row *cloud_function_row(dent_cloud_function function)
{
    return (unsigned)function < DENT_CLOUD_FUNCTION_COUNT ? &function_rows[function] : NULL;
}

const dent_cloud_function_info *dent_cloud_function_get_info(dent_cloud_function function)
{
    const struct cloud_function_row *row = cloud_function_row(function);
    return row ? &row->info : NULL;
}

const char *dent_cloud_state_name(dent_cloud_state state)
{
    static const char *const names[] = {"defined", "far", "unsupported", "unoriented"};
    return (unsigned)state < sizeof names / sizeof names[0] ? names[state] : NULL;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* The neighbour of p1 nearest to the place, and y between them. */
static void find_second(struct cloud_foot *foot)
{
    const dent_cloud *cloud = foot->cloud;
    const double *first = cloud->point[foot->first];
    double nearest = INFINITY, edge[3], at[3], y[3];
    foot->second = foot->first;
    for (uint64_t e = cloud->first[foot->first]; e < cloud->first[foot->first + 1]; e++) {
        double distance = cloud_length(cloud->point[cloud->edges[e]], foot->place);
        bool better = distance < nearest || (distance == nearest && cloud->edges[e] < foot->second);
        foot->second = better ? cloud->edges[e] : foot->second;
        nearest = better ? distance : nearest;
    }
    for (int axis = 0; axis < 3; axis++) {
        edge[axis] = cloud->point[foot->second][axis] - first[axis];
        at[axis] = foot->place[axis] - first[axis];
    }
    double square = cloud_dot_product(edge, edge), share = square > 0.0 ? cloud_dot_product(at, edge) / square : 0.0;
    foot->share = share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
    for (int axis = 0; axis < 3; axis++) {
        y[axis] = first[axis] + foot->share * edge[axis];
    }
    foot->off = cloud_length(y, foot->place);
    foot->along[0] = cloud_length(y, first);
    foot->along[1] = cloud_length(y, cloud->point[foot->second]);
}

uint32_t cloud_value_at(const dent_cloud *cloud, const struct cloud_function_row *row, struct cloud_paths *paths,
                        const double place[3], dent_cloud_value *value)
{
    struct cloud_foot foot = {.cloud = cloud};
    double square = INFINITY;
    *value = (dent_cloud_value){.value = NAN, .distance = INFINITY, .nearest = UINT32_MAX, .state = DENT_CLOUD_FAR};
    memcpy(foot.place, place, sizeof foot.place);
    foot.first = cloud_kernels_for(dent_context_isa(cloud->context))->nearest(&cloud->tree, place, &square);
    if (foot.first == UINT32_MAX) {
        return UINT32_MAX;
    }
    double radius = cloud->radius[foot.first];
    value->nearest = cloud->original[foot.first];
    value->distance = foot.distance = sqrt(square);
    value->on_reach = foot.distance <= cloud->def.reach_radii * radius;
    find_second(&foot);
    radius = (1.0 - foot.share) * radius + foot.share * cloud->radius[foot.second];
    foot.cut = cloud->def.support_radii * radius;
    foot.bandwidth = value->bandwidth = foot.cut / cloud->cut_factor;
    if (foot.distance <= foot.cut && foot.cut > 0.0) {
        value->state = row->evaluate(&foot, paths, value);
    }
    return foot.first;
}

struct evaluate_call {
    const dent_cloud *cloud;
    const struct cloud_function_row *row;
    const dent_positions *places;
    uint32_t count;
    struct cloud_paths *paths; /* one a worker, if the function needs any */
    dent_cloud_value *values;
};

static void evaluate_block(void *data, uint32_t block, uint32_t worker)
{
    const struct evaluate_call *call = data;
    uint64_t end = ((uint64_t)block + 1) * VALUES_A_BLOCK;
    for (uint64_t i = (uint64_t)block * VALUES_A_BLOCK; i < end && i < call->count; i++) {
        double place[3];
        neighbours_read_place(call->places, (uint32_t)i, place);
        cloud_value_at(call->cloud, call->row, call->paths ? &call->paths[worker] : NULL, place, &call->values[i]);
    }
}

static dent_status evaluate_all(void *data)
{
    struct evaluate_call *call = data;
    dent_context *context = call->cloud->context;
    uint32_t workers = dent_context_worker_count(context), made = 0;
    for (uint32_t i = 0; i < call->count; i++) {
        double place[3];
        neighbours_read_place(call->places, i, place);
        if (!isfinite(place[0]) || !isfinite(place[1]) || !isfinite(place[2])) {
            return dent_fail(context, DENT_ERROR_BAD_NUMBER, "place %u is not finite", (unsigned)i);
        }
    }
    if (call->row->needs_paths) {
        call->paths = dent_allocate(context, workers, sizeof *call->paths);
        while (call->paths && made < workers && cloud_paths_init(&call->paths[made], context, call->cloud->count)) {
            made++;
        }
    }
    dent_status status = DENT_ERROR_OUT_OF_MEMORY;
    if (!call->row->needs_paths || made == workers) {
        uint32_t blocks = call->count / VALUES_A_BLOCK + (call->count % VALUES_A_BLOCK > 0);
        status = dent_parallel_for(context, blocks, evaluate_block, call);
    }
    for (uint32_t i = 0; i < made; i++) {
        cloud_paths_destroy(&call->paths[i]);
    }
    dent_release(context, call->paths, workers, sizeof *call->paths);
    return status == DENT_ERROR_OUT_OF_MEMORY ? dent_fail(context, status, "no memory to evaluate a cloud") : status;
}

dent_status dent_cloud_evaluate(const dent_cloud *cloud, dent_cloud_function function, dent_positions places,
                                uint32_t count, dent_cloud_value *values)
{
    DENT_REQUIRE(NULL, cloud);
    DENT_REQUIRE_ARRAY(cloud->context, count, values);
    struct evaluate_call call = {cloud, cloud_function_row(function), &places, count, NULL, values};
    if (!call.row) {
        return dent_fail(cloud->context, DENT_ERROR_INVALID_ARGUMENT, "function: invalid dent_cloud_function value %d",
                         (int)function);
    }
    dent_status status = neighbours_check_positions(cloud->context, &places, count, "places");
    return status ? status : dent_call_guarded(cloud->context, evaluate_all, &call);
}
