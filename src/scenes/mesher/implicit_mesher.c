/* Isosurface stuffing (Labelle and Shewchuk: Isosurface Stuffing: Fast Tetrahedral Meshes with Good Dihedral Angles,
 * 2007), the uniform variant.
 *
 * 1. The shape is evaluated at the points of a body-centred cubic lattice. 2. Lattice edges whose ends have opposite
 * signs get a cut point on the surface. 3. A lattice point with a cut point very near is moved onto it and counts as
 * lying on the surface from then on; this is what bounds the angles. 4. Each tetrahedron of the lattice is cut by a
 * stencil that depends on the signs of its corners (mesher_stencils.c). 5. Where the surface touches itself the mesh is
 * thinned out until its boundary is manifold (manifold_repair.c).
 *
 * Coordinates of lattice points are small integers, in half spacings: all even (cube corners) or all odd (cube
 * centres). A point has six neighbours at distance 2 along the axes and eight at distance sqrt(3) along the diagonals.
 */
#include "implicit_mesher.h"

#include "manifold_repair.h"
#include "mesher_stencils.h"

#include <math.h>
#include <string.h>

/* Cut points nearer to a lattice point than this part of the edge draw it onto them. Chosen for the best worst angle.
 */
static const double long_threshold = 0.28, short_threshold = 0.4;

/* ---- lattice ----------------------------------------------------------------------------------------------------- */

double mesher_lattice_points(const struct mesher_def *def)
{
    double cells = 1, corners = 1;
    for (int axis = 0; axis < 3; axis++) {
        double count = ceil((def->high[axis] - def->low[axis]) / def->spacing) + 4;
        cells *= count;
        corners *= count + 1;
    }
    return cells + corners;
}

static void lay_lattice(struct lattice *lattice, const struct mesher_def *def)
{
    for (int axis = 0; axis < 3; axis++) {
        double count = ceil((def->high[axis] - def->low[axis]) / def->spacing) + 4;
        lattice->cells[axis] = (int32_t)count;
        double middle = 0.5 * (def->low[axis] + def->high[axis]);
        lattice->origin[axis] = middle - 0.5 * count * def->spacing;
    }
    lattice->half = 0.5 * def->spacing;
    lattice->corner_count =
        (uint32_t)(lattice->cells[0] + 1) * (uint32_t)(lattice->cells[1] + 1) * (uint32_t)(lattice->cells[2] + 1);
    lattice->point_count =
        lattice->corner_count + (uint32_t)lattice->cells[0] * (uint32_t)lattice->cells[1] * (uint32_t)lattice->cells[2];
}

uint32_t lattice_point(const struct lattice *lattice, const int32_t at[3])
{
    int32_t odd = at[0] & 1;
    for (int axis = 0; axis < 3; axis++) {
        if (at[axis] < 0 || at[axis] > 2 * lattice->cells[axis]) {
            return LATTICE_NONE;
        }
    }
    uint32_t x = (uint32_t)(at[0] >> 1), y = (uint32_t)(at[1] >> 1), z = (uint32_t)(at[2] >> 1);
    uint32_t row = (uint32_t)lattice->cells[0] + (odd ? 0 : 1), rows = (uint32_t)lattice->cells[1] + (odd ? 0 : 1);
    return (odd ? lattice->corner_count : 0) + (z * rows + y) * row + x;
}

void lattice_place(const struct lattice *lattice, uint32_t point, int32_t at[3])
{
    int32_t odd = point >= lattice->corner_count;
    uint32_t rest = odd ? point - lattice->corner_count : point;
    uint32_t row = (uint32_t)lattice->cells[0] + (odd ? 0 : 1), rows = (uint32_t)lattice->cells[1] + (odd ? 0 : 1);
    at[0] = 2 * (int32_t)(rest % row) + odd;
    at[1] = 2 * (int32_t)(rest / row % rows) + odd;
    at[2] = 2 * (int32_t)(rest / row / rows) + odd;
}

static void unmoved_position(const struct lattice *lattice, const int32_t at[3], double position[3])
{
    for (int axis = 0; axis < 3; axis++) {
        position[axis] = lattice->origin[axis] + lattice->half * at[axis];
    }
}

/* Directions 0 … 2 and 8 … 10 lead from the owner of an edge to its other end, d + 11 (long) or the same diagonal seen
 * from the other side lead back. */
static const int8_t directions[LATTICE_DIRECTIONS][3] = {
    {2, 0, 0},  {0, 2, 0},   {0, 0, 2},   {1, 1, 1},    {-1, 1, 1}, {1, -1, 1}, {-1, -1, 1},
    {1, 1, -1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, -1}, {-2, 0, 0}, {0, -2, 0}, {0, 0, -2},
};

static uint32_t lattice_neighbour(const struct lattice *lattice, const int32_t at[3], int direction)
{
    int32_t other[3];
    for (int axis = 0; axis < 3; axis++) {
        other[axis] = at[axis] + directions[direction][axis];
    }
    return lattice_point(lattice, other);
}

static bool is_long(int direction)
{
    return direction < 3 || direction > 10;
}

/* Long edges belong to their lower end, short ones to their even end. */
static bool owns(int direction, bool odd)
{
    return direction < 3 || (!odd && direction <= 10);
}

static int opposite_direction(int direction)
{
    return is_long(direction) ? (direction < 3 ? direction + 11 : direction - 11) : 13 - direction;
}

/* ---- values and cut points --------------------------------------------------------------------------------------- */

static double value_at(const struct mesher_def *def, const double point[3])
{
    return def->value ? def->value(def->shape, point) : shape_value(def->shape, point);
}

/* Where the surface cuts the segment, as a part of it; false position with the Illinois correction, eight evaluations.
 */
static double find_cut(const struct mesher_def *def, const double a[3], double value_a, const double b[3],
                       double value_b)
{
    double low = 0, high = 1, at_low = value_a, at_high = value_b, t = 0.5;
    int side = 0;
    for (int step = 0; step < 8; step++) {
        t = (low * at_high - high * at_low) / (at_high - at_low);
        if (!(t > low && t < high)) {
            t = 0.5 * (low + high);
        }
        double point[3];
        for (int axis = 0; axis < 3; axis++) {
            point[axis] = a[axis] + t * (b[axis] - a[axis]);
        }
        double value = value_at(def, point);
        if (value == 0) {
            return t;
        }
        if ((value < 0) == (at_low < 0)) {
            low = t;
            at_low = value;
            at_high *= side < 0 ? 0.5 : 1;
            side = -1;
        } else {
            high = t;
            at_high = value;
            at_low *= side > 0 ? 0.5 : 1;
            side = 1;
        }
    }
    return t;
}

static bool signs_differ(double a, double b)
{
    return (a < 0 && b > 0) || (a > 0 && b < 0);
}

static void evaluate_points(struct lattice *lattice, const struct mesher_def *def)
{
    for (uint32_t point = 0; point < lattice->point_count; point++) {
        int32_t at[3];
        lattice_place(lattice, point, at);
        unmoved_position(lattice, at, lattice->positions + 3 * (size_t)point);
        lattice->values[point] = value_at(def, lattice->positions + 3 * (size_t)point);
    }
}

/* All cut edges in the order of their owners. `cuts` null: only counts. */
static uint32_t list_cuts(struct lattice *lattice, const struct mesher_def *def, struct lattice_cut *cuts)
{
    uint32_t count = 0;
    for (uint32_t point = 0; point < lattice->point_count; point++) {
        int32_t at[3];
        lattice_place(lattice, point, at);
        bool odd = at[0] & 1;
        lattice->first_cut[point] = count;
        for (int direction = 0; direction < LATTICE_DIRECTIONS; direction++) {
            uint32_t other = owns(direction, odd) ? lattice_neighbour(lattice, at, direction) : LATTICE_NONE;
            if (other == LATTICE_NONE || !signs_differ(lattice->values[point], lattice->values[other])) {
                continue;
            }
            if (cuts) {
                const double *a = lattice->positions + 3 * (size_t)point, *b = lattice->positions + 3 * (size_t)other;
                double part = find_cut(def, a, lattice->values[point], b, lattice->values[other]);
                cuts[count] =
                    (struct lattice_cut){.part = part, .direction = (uint8_t)direction, .vertex = LATTICE_NONE};
            }
            count++;
        }
    }
    lattice->first_cut[lattice->point_count] = count;
    return count;
}

struct lattice_cut *lattice_find_cut(const struct lattice *lattice, uint32_t owner, int direction)
{
    for (uint32_t i = lattice->first_cut[owner]; i < lattice->first_cut[owner + 1]; i++) {
        if (lattice->cuts[i].direction == direction) {
            return &lattice->cuts[i];
        }
    }
    return NULL;
}

/* ---- moving lattice points onto the surface ---------------------------------------------------------------------- */

/* One point: among the cut points that are too near, the nearest wins. Edges to points that already lie on the surface
 * have no cut point any more. */
static void move_point(struct lattice *lattice, uint32_t point)
{
    int32_t at[3];
    lattice_place(lattice, point, at);
    bool odd = at[0] & 1;
    double nearest = INFINITY, best_part = 0;
    int best_direction = -1;
    for (int direction = 0; direction < LATTICE_DIRECTIONS; direction++) {
        uint32_t other = lattice_neighbour(lattice, at, direction);
        if (other == LATTICE_NONE || !signs_differ(lattice->values[point], lattice->values[other])) {
            continue;
        }
        bool owner = owns(direction, odd);
        const struct lattice_cut *cut = owner ? lattice_find_cut(lattice, point, direction)
                                              : lattice_find_cut(lattice, other, opposite_direction(direction));
        double part = owner ? cut->part : 1 - cut->part;
        if (part >= (is_long(direction) ? long_threshold : short_threshold)) {
            continue;
        }
        double square = part * part * (is_long(direction) ? 4 : 3);
        if (square < nearest) {
            nearest = square;
            best_part = part;
            best_direction = direction;
        }
    }
    if (best_direction < 0) {
        return;
    }
    for (int axis = 0; axis < 3; axis++) {
        lattice->positions[3 * (size_t)point + axis] += best_part * lattice->half * directions[best_direction][axis];
    }
    lattice->values[point] = 0;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void lattice_release(dent_context *context, struct lattice *lattice)
{
    dent_release(context, lattice->positions, lattice->point_count, 3 * sizeof *lattice->positions);
    dent_release(context, lattice->values, lattice->point_count, sizeof *lattice->values);
    dent_release(context, lattice->vertices, lattice->point_count, sizeof *lattice->vertices);
    dent_release(context, lattice->first_cut, (size_t)lattice->point_count + 1, sizeof *lattice->first_cut);
    dent_release(context, lattice->cuts, lattice->cut_count, sizeof *lattice->cuts);
}

static dent_status lattice_create(dent_context *context, const struct mesher_def *def, struct lattice *lattice)
{
    memset(lattice, 0, sizeof *lattice);
    lay_lattice(lattice, def);
    lattice->positions = dent_allocate(context, lattice->point_count, 3 * sizeof *lattice->positions);
    lattice->values = dent_allocate(context, lattice->point_count, sizeof *lattice->values);
    lattice->vertices = dent_allocate(context, lattice->point_count, sizeof *lattice->vertices);
    lattice->first_cut = dent_allocate(context, (size_t)lattice->point_count + 1, sizeof *lattice->first_cut);
    if (lattice->positions && lattice->values && lattice->vertices && lattice->first_cut) {
        evaluate_points(lattice, def);
        lattice->cut_count = list_cuts(lattice, def, NULL);
        lattice->cuts = dent_allocate(context, lattice->cut_count, sizeof *lattice->cuts);
    }
    if (!lattice->cuts) {
        uint32_t point_count = lattice->point_count;
        lattice_release(context, lattice);
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "no memory to mesh a shape on a lattice of %u points",
                         point_count);
    }
    list_cuts(lattice, def, lattice->cuts);
    for (uint32_t point = 0; point < lattice->point_count; point++) {
        move_point(lattice, point);
        lattice->vertices[point] = LATTICE_NONE;
    }
    return DENT_OK;
}

dent_status implicit_mesh_create(dent_context *context, const struct mesher_def *def, struct scene_mesh *mesh)
{
    *mesh = (struct scene_mesh){.corner_count = 4};
    if (!(mesher_lattice_points(def) < 2147483648.0)) {
        return dent_fail(context, DENT_ERROR_TOO_LARGE, "a lattice of %.3g points is too fine; at most 2147483647",
                         mesher_lattice_points(def));
    }
    struct lattice lattice;
    dent_status status = lattice_create(context, def, &lattice);
    if (status != DENT_OK) {
        return status;
    }
    status = stuff_lattice(context, &lattice, mesh);
    lattice_release(context, &lattice);
    if (status == DENT_OK) {
        status = repair_manifold(context, mesh);
    }
    if (status != DENT_OK) {
        scene_mesh_release(context, mesh);
    }
    return status;
}
