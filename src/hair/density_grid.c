/* Density of strands on a grid (Bertails and others 2005, there aligned with the light; here with the axes): volume is
 * kept by pushing vertices out of places that are too dense, without looking at single strands.
 *
 * In: strands. Out: forces or velocities. Grid points have a length and a length times velocity, deposited with
 * trilinear weights at the middles of segments, in the order of segments. The published force points from the centre of
 * a cell to its border; it jumps from cell to cell. Ours follows the gradient, central differences at grid points,
 * interpolated: continuous everywhere. Two layers of empty points around the strands make both end at zero. */
#include <dent/hair.h>

#include "base/containers/dynamic_array.h"
#include "geometry/numbers/vector3.h"

#include <float.h>

struct density_point {
    double length;
    double carried[3]; /* length times velocity */
};

struct dent_density {
    dent_context *context;
    dent_density_def def;
    double low[3]; /* of the first point */
    uint32_t counts[3];
    struct dynamic_array points; /* struct density_point; empty: no grid */
};

dent_density_def dent_density_def_default(void)
{
    return (dent_density_def){.struct_size = sizeof(dent_density_def), .stiffness = 1, .cell_limit = UINT64_C(1) << 24};
}

dent_density *dent_density_create(dent_context *context)
{
    dent_density *density = context ? dent_allocate(context, 1, sizeof *density) : NULL;
    if (density) {
        *density = (dent_density){.context = context, .def = dent_density_def_default()};
        array_init(&density->points, context, sizeof(struct density_point));
    }
    return density;
}

void dent_density_destroy(dent_density *density)
{
    if (density) {
        array_destroy(&density->points);
        dent_release(density->context, density, 1, sizeof *density);
    }
}

/* ---- interpolation ----------------------------------------------------------------------------------------------- */

struct density_place {
    size_t corner;   /* index of the lowest of the eight points */
    double share[3]; /* towards the next one */
};

/* False: outside, or on the outermost layer of cells. */
static bool find_place(const dent_density *density, const double point[3], struct density_place *place)
{
    uint32_t at[3];
    if (density->points.count == 0) {
        return false;
    }
    for (int axis = 0; axis < 3; axis++) {
        double steps = (point[axis] - density->low[axis]) / density->def.cell_size;
        if (!(steps >= 1 && steps < density->counts[axis] - 2)) {
            return false;
        }
        at[axis] = (uint32_t)steps;
        place->share[axis] = steps - at[axis];
    }
    place->corner = at[0] + density->counts[0] * (at[1] + (size_t)density->counts[1] * at[2]);
    return true;
}

static size_t corner_index(const dent_density *density, const struct density_place *place, int corner)
{
    size_t row = density->counts[0], layer = row * density->counts[1];
    return place->corner + (corner & 1) + row * (size_t)(corner >> 1 & 1) + layer * (size_t)(corner >> 2);
}

static double corner_weight(const struct density_place *place, int corner)
{
    double weight = 1;
    for (int axis = 0; axis < 3; axis++) {
        weight *= corner >> axis & 1 ? place->share[axis] : 1 - place->share[axis];
    }
    return weight;
}

/* In steps, since the volume itself may overflow or vanish; nothing stays nothing without a grid, too. */
static double per_volume(const dent_density *density, double length)
{
    double size = density->def.cell_size;
    return length == 0 ? 0 : length / size / size / size;
}

double dent_density_at(const dent_density *density, const double point[3], double gradient[3], double velocity[3])
{
    struct density_place place;
    double length = 0, carried[3] = {0}, slope[3] = {0};
    if (density && point && find_place(density, point, &place)) {
        const struct density_point *points = density->points.data;
        const size_t strides[3] = {1, density->counts[0], (size_t)density->counts[0] * density->counts[1]};
        for (int corner = 0; corner < 8; corner++) {
            size_t index = corner_index(density, &place, corner);
            double weight = corner_weight(&place, corner);
            length += weight * points[index].length;
            vector_add_scaled(carried, weight, points[index].carried);
            for (int axis = 0; axis < 3; axis++) {
                slope[axis] += weight * (points[index + strides[axis]].length - points[index - strides[axis]].length);
            }
        }
    }
    for (int axis = 0; density && axis < 3; axis++) {
        if (gradient) {
            gradient[axis] = slope[axis] == 0 ? 0 : per_volume(density, slope[axis]) / (2 * density->def.cell_size);
        }
        if (velocity) {
            velocity[axis] = length > 0 ? carried[axis] / length : 0;
        }
    }
    return density ? per_volume(density, length) : 0;
}

/* ---- deposit ----------------------------------------------------------------------------------------------------- */

static dent_status check_strand_set(dent_context *context, const dent_strand_set *strands)
{
    if ((strands->strand_count > 0 && !strands->first) || (strands->vertex_count > 0 && !strands->positions)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "a list of the strands is null but not empty");
    }
    for (uint32_t s = 0; s < strands->strand_count; s++) {
        if (strands->first[s] > strands->first[s + 1] || strands->first[s + 1] > strands->vertex_count) {
            return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "strand %u has the vertices %u to %u of %u", s,
                             strands->first[s], strands->first[s + 1], strands->vertex_count);
        }
    }
    for (size_t i = 0; i < 3 * (size_t)strands->vertex_count; i++) {
        bool finite =
            fabs(strands->positions[i]) <= DBL_MAX && (!strands->velocities || fabs(strands->velocities[i]) <= DBL_MAX);
        if (!finite) {
            return dent_fail(context, DENT_ERROR_BAD_NUMBER, "vertex %zu: a number is not finite", i / 3);
        }
    }
    return DENT_OK;
}

/* Bounds of all vertices, two cells wider. */
static dent_status lay_grid(dent_density *density, const dent_strand_set *strands)
{
    double low[3] = {0}, high[3] = {0}, size = density->def.cell_size, cells = 1;
    for (size_t i = 0; i < 3 * (size_t)strands->vertex_count; i++) {
        double x = strands->positions[i];
        low[i % 3] = i < 3 || x < low[i % 3] ? x : low[i % 3];
        high[i % 3] = i < 3 || x > high[i % 3] ? x : high[i % 3];
    }
    for (int axis = 0; axis < 3; axis++) {
        double steps = floor((high[axis] - low[axis]) / size) + 6;
        cells *= steps;
        density->low[axis] = low[axis] - 2 * size;
        density->counts[axis] = steps < 1e9 ? (uint32_t)steps : 0;
    }
    if (!(cells <= (double)density->def.cell_limit)) {
        return dent_fail(density->context, DENT_ERROR_TOO_LARGE,
                         "a grid of %g cells of size %g is larger than cell_limit %llu", cells, size,
                         (unsigned long long)density->def.cell_limit);
    }
    struct density_point *points = array_extend(&density->points, (size_t)cells);
    if (!points) {
        return dent_fail(density->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for a grid of %g cells", cells);
    }
    memset(points, 0, (size_t)cells * sizeof *points);
    return DENT_OK;
}

static void deposit_segment(dent_density *density, const dent_strand_set *strands, size_t vertex)
{
    const double *a = strands->positions + 3 * vertex;
    double middle[3], along[3], velocity[3] = {0};
    struct density_place place;
    for (int axis = 0; axis < 3; axis++) {
        middle[axis] = 0.5 * a[axis] + 0.5 * a[axis + 3];
        along[axis] = a[axis + 3] - a[axis];
        if (strands->velocities) {
            const double *v = strands->velocities + 3 * vertex;
            velocity[axis] = 0.5 * v[axis] + 0.5 * v[axis + 3];
        }
    }
    if (!find_place(density, middle, &place)) {
        return; /* rounding at extreme sizes only */
    }
    struct density_point *points = density->points.data;
    double length = vector_length(along);
    for (int corner = 0; corner < 8; corner++) {
        struct density_point *point = &points[corner_index(density, &place, corner)];
        double part = length * corner_weight(&place, corner);
        point->length += part;
        vector_add_scaled(point->carried, part, velocity);
    }
}

struct density_call {
    dent_density *density;
    const dent_strand_set *strands;
};

static dent_status deposit_all(void *data)
{
    const struct density_call *call = data;
    const dent_strand_set *strands = call->strands;
    dent_status status = lay_grid(call->density, strands);
    for (uint32_t s = 0; status == DENT_OK && s < strands->strand_count; s++) {
        for (size_t v = strands->first[s]; v + 1 < strands->first[s + 1]; v++) {
            deposit_segment(call->density, strands, v);
        }
    }
    return status;
}

dent_status dent_density_update(dent_density *density, const dent_density_def *def, const dent_strand_set *strands)
{
    DENT_REQUIRE(NULL, density);
    DENT_REQUIRE(density->context, def);
    DENT_REQUIRE(density->context, strands);
    array_clear(&density->points);
    if (def->struct_size != sizeof *def || !(def->cell_size > 0 && def->cell_size <= DBL_MAX) || !(def->limit >= 0) ||
        !(def->stiffness >= 0 && def->stiffness <= DBL_MAX)) {
        return dent_fail(density->context, DENT_ERROR_INVALID_ARGUMENT,
                         "the density def was not made by dent_density_def_default(), or a number is out of range");
    }
    dent_status status = check_strand_set(density->context, strands);
    if (status != DENT_OK) {
        return status;
    }
    density->def = *def;
    struct density_call call = {density, strands};
    status = dent_call_guarded(density->context, deposit_all, &call);
    if (status != DENT_OK) {
        array_clear(&density->points);
    }
    return status;
}

/* ---- forces ------------------------------------------------------------------------------------------------------ */

static bool gradient_force(const dent_density *density, const double point[3], double force[3])
{
    double gradient[3], excess = dent_density_at(density, point, gradient, NULL) - density->def.limit;
    if (!(excess > 0)) {
        return false;
    }
    vector_add_scaled(force, -density->def.stiffness * excess, gradient);
    return true;
}

/* The cell's density is the mean of its corners. */
static bool cell_force(const dent_density *density, const double point[3], double force[3])
{
    struct density_place place;
    if (!find_place(density, point, &place)) {
        return false;
    }
    const struct density_point *points = density->points.data;
    double sum = 0, away[3];
    for (int corner = 0; corner < 8; corner++) {
        sum += points[corner_index(density, &place, corner)].length;
    }
    double excess = per_volume(density, sum / 8) - density->def.limit;
    for (int axis = 0; axis < 3; axis++) {
        away[axis] = place.share[axis] - 0.5;
    }
    if (!(excess > 0) || !vector_normalise(away)) {
        return false;
    }
    vector_add_scaled(force, density->def.stiffness * excess * density->def.limit / density->def.cell_size, away);
    return true;
}

uint64_t dent_density_forces(const dent_density *density, const dent_strand_set *strands, double *forces)
{
    uint64_t pushed = 0;
    if (!density || !strands || !forces) {
        return 0;
    }
    for (size_t v = 0; v < strands->vertex_count; v++) {
        const double *point = strands->positions + 3 * v;
        pushed += density->def.form == DENT_DENSITY_CELL_CENTRE ? cell_force(density, point, forces + 3 * v)
                                                                : gradient_force(density, point, forces + 3 * v);
    }
    return pushed;
}

void dent_density_blend(const dent_density *density, const dent_strand_set *strands, double share, double *velocities)
{
    if (!density || !strands || !velocities || !(share >= 0 && share <= 1)) {
        return;
    }
    for (size_t v = 0; v < strands->vertex_count; v++) {
        double mean[3];
        if (dent_density_at(density, strands->positions + 3 * v, NULL, mean) > 0) {
            for (int axis = 0; axis < 3; axis++) {
                velocities[3 * v + (size_t)axis] += share * (mean[axis] - velocities[3 * v + (size_t)axis]);
            }
        }
    }
}
