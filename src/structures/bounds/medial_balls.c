/* See medial_balls.h. */
#include "structures/bounds/medial_balls.h"

#include <string.h>

#include "geometry/metric/rigid_fit.h"

#define UNIT 0x1p-53

/* ---- life -------------------------------------------------------------------------------------------------------- */

bool medial_balls_create(struct bound_tree *tree, struct medial_rest *rest)
{
    tree->medial = dent_allocate(tree->context, 1, sizeof *tree->medial);
    if (!tree->medial) {
        dent_release(tree->context, rest, tree->node_count, sizeof *rest);
        return false;
    }
    *tree->medial = (struct medial_balls){.node_count = tree->node_count, .rest = rest};
    return true;
}

static uint64_t grid_cells(const struct medial_grid *grid, uint32_t level)
{
    return (uint64_t)grid->counts[level][0] * grid->counts[level][1] * grid->counts[level][2];
}

void medial_balls_destroy(struct bound_tree *tree)
{
    struct medial_balls *balls = tree->medial;
    if (!balls) {
        return;
    }
    dent_context *context = tree->context;
    uint64_t cells = balls->grid.levels > 0 ? grid_cells(&balls->grid, 0) : 0;
    dent_release(context, balls->grid.cells, balls->grid.starts ? balls->grid.starts[cells] : 0,
                 sizeof *balls->grid.cells);
    dent_release(context, balls->grid.starts, cells + 1, sizeof *balls->grid.starts);
    dent_release(context, balls->grid.least, balls->grid.first[balls->grid.levels], sizeof *balls->grid.least);
    dent_release(context, balls->rest, balls->node_count, sizeof *balls->rest);
    dent_release(context, balls->cells, balls->cell_count, sizeof *balls->cells);
    dent_release(context, balls->shapes, balls->cell_count, sizeof *balls->shapes);
    dent_release(context, balls->homes, balls->node_count, sizeof *balls->homes);
    dent_release(context, balls->rest_xyz, balls->vertex_count, sizeof *balls->rest_xyz);
    dent_release(context, balls, 1, sizeof *balls);
    tree->medial = NULL;
}

uint64_t medial_balls_bytes(const struct bound_tree *tree)
{
    const struct medial_balls *balls = tree->medial;
    if (!balls) {
        return 0;
    }
    uint64_t cells = balls->grid.starts ? grid_cells(&balls->grid, 0) : 0;
    return sizeof *balls +
           (uint64_t)balls->node_count * (sizeof *balls->rest + (balls->homes ? sizeof *balls->homes : 0)) +
           (uint64_t)balls->cell_count * (sizeof *balls->cells + sizeof *balls->shapes) +
           (uint64_t)balls->vertex_count * sizeof *balls->rest_xyz +
           balls->grid.first[balls->grid.levels] * sizeof *balls->grid.least +
           (cells > 0 ? (cells + 1) * sizeof *balls->grid.starts + balls->grid.starts[cells] * sizeof *balls->grid.cells
                      : 0);
}

/* ---- cells at rest ----------------------------------------------------------------------------------------------- */

static double norm_of(const double m[9])
{
    double sum = 0;
    for (int i = 0; i < 9; i++) {
        sum += m[i] * m[i];
    }
    return sqrt(sum);
}

/* Edges from the first corner as columns, in units of the extent. */
static void edges_of(const double (*xyz)[3], const uint32_t *cell, double unit, double edges[9])
{
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            edges[3 * row + column] = (xyz[cell[1 + column]][row] - xyz[cell[0]][row]) / unit;
        }
    }
}

static double determinant_of(const double m[9])
{
    return (m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6])) +
           m[2] * (m[3] * m[7] - m[4] * m[6]);
}

static void shape_of(const double (*xyz)[3], const uint32_t *cell, double unit, struct medial_cell *shape)
{
    double m[9];
    edges_of(xyz, cell, unit, m);
    double determinant = determinant_of(m), size = norm_of(m), *inverse = shape->inverse;
    const int next[3] = {1, 2, 0}, last[3] = {2, 0, 1};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            inverse[3 * i + k] = (m[3 * next[k] + next[i]] * m[3 * last[k] + last[i]] -
                                  m[3 * next[k] + last[i]] * m[3 * last[k] + next[i]]) /
                                 determinant;
        }
    }
    double condition = size * norm_of(inverse);
    shape->slack = 64 * UNIT * norm_of(inverse) * (1 + condition);
    if (!(fabs(determinant) > 64 * UNIT * size * size * size && condition < 1e8 && shape->slack <= DBL_MAX)) {
        memset(inverse, 0, sizeof shape->inverse);
        shape->slack = INFINITY;
    }
}

static void grid_place(const struct medial_grid *grid, const double p[3], uint32_t place[3])
{
    for (int axis = 0; axis < 3; axis++) {
        double at = (p[axis] - grid->lo[axis]) / grid->size;
        uint32_t last = grid->counts[0][axis] - 1;
        place[axis] = at > 0 ? at < last ? (uint32_t)at : last : 0;
    }
}

static uint64_t grid_index(const struct medial_grid *grid, uint32_t level, uint32_t x, uint32_t y, uint32_t z)
{
    return ((uint64_t)z * grid->counts[level][1] + y) * grid->counts[level][0] + x;
}

/* Counts (places null) or writes the cell into all grid cells that its box meets, with a margin for rounding. */
static void enter_cell(struct medial_balls *balls, const double (*xyz)[3], uint32_t cell, uint64_t *ends, bool write)
{
    double lo[3], hi[3], margin = 1e-9 * balls->extent;
    uint32_t from[3], to[3];
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = hi[axis] = xyz[balls->cells[cell][0]][axis];
        for (int k = 1; k < 4; k++) {
            double x = xyz[balls->cells[cell][k]][axis];
            lo[axis] = x < lo[axis] ? x : lo[axis];
            hi[axis] = x > hi[axis] ? x : hi[axis];
        }
        lo[axis] -= margin;
        hi[axis] += margin;
    }
    grid_place(&balls->grid, lo, from);
    grid_place(&balls->grid, hi, to);
    for (uint32_t z = from[2]; z <= to[2]; z++) {
        for (uint32_t y = from[1]; y <= to[1]; y++) {
            for (uint32_t x = from[0]; x <= to[0]; x++) {
                uint64_t *end = &ends[grid_index(&balls->grid, 0, x, y, z)];
                if (write) {
                    balls->grid.cells[*end] = cell;
                }
                *end += 1;
            }
        }
    }
}

static bool fill_grid(struct bound_tree *tree, const double (*xyz)[3])
{
    struct medial_balls *balls = tree->medial;
    struct medial_grid *grid = &balls->grid;
    uint64_t count = grid_cells(grid, 0);
    uint64_t *starts = dent_allocate(tree->context, count + 1, sizeof *starts);
    if (!starts) {
        return false;
    }
    memset(starts, 0, (count + 1) * sizeof *starts);
    for (uint32_t c = 0; c < balls->cell_count; c++) {
        enter_cell(balls, xyz, c, starts + 1, false);
    }
    for (uint64_t i = 0; i < count; i++) {
        starts[i + 1] += starts[i];
    }
    grid->starts = starts;
    grid->cells = dent_allocate(tree->context, starts[count], sizeof *grid->cells);
    if (!grid->cells) {
        dent_release(tree->context, starts, count + 1, sizeof *starts);
        grid->starts = NULL;
        return false;
    }
    for (uint32_t c = 0; c < balls->cell_count; c++) { /* each start walks to the next … */
        enter_cell(balls, xyz, c, starts, true);
    }
    for (uint64_t i = count; i > 0; i--) { /* … and goes back */
        starts[i] = starts[i - 1];
    }
    starts[0] = 0;
    return true;
}

static bool make_grid(struct bound_tree *tree, const double (*xyz)[3], const double lo[3], const double hi[3])
{
    struct medial_balls *balls = tree->medial;
    struct medial_grid *grid = &balls->grid;
    uint32_t along = 1;
    while (along < MEDIAL_GRID_MOST && (uint64_t)along * along * along < balls->cell_count) {
        along++;
    }
    grid->size = balls->extent / along;
    for (int axis = 0; axis < 3; axis++) {
        grid->lo[axis] = lo[axis];
        double cells = (hi[axis] - lo[axis]) / grid->size;
        grid->counts[0][axis] = cells > 1 ? cells < along ? (uint32_t)ceil(cells) : along : 1;
    }
    uint64_t total = 0;
    for (grid->levels = 0; grid->levels < MEDIAL_GRID_LEVELS;) {
        uint32_t level = grid->levels++;
        grid->first[level] = total;
        total += grid_cells(grid, level);
        grid->first[level + 1] = total;
        if (grid_cells(grid, level) == 1 || grid->levels == MEDIAL_GRID_LEVELS) {
            break;
        }
        for (int axis = 0; axis < 3; axis++) {
            grid->counts[level + 1][axis] = (grid->counts[level][axis] + 1) / 2;
        }
    }
    grid->least = dent_allocate(tree->context, total, sizeof *grid->least);
    return grid->least && fill_grid(tree, xyz);
}

/* ---- the cells of the centres ------------------------------------------------------------------------------------ */

/* Weights of a point in a cell, none below 0; returns the least before that. */
static double cell_weights(const struct medial_balls *balls, const double (*xyz)[3], uint32_t cell, const double p[3],
                           double weights[4])
{
    const double *inverse = balls->shapes[cell].inverse, *origin = xyz[balls->cells[cell][0]];
    double off[3], sum = 0, least;
    for (int axis = 0; axis < 3; axis++) {
        off[axis] = (p[axis] - origin[axis]) / balls->extent;
    }
    for (int k = 0; k < 3; k++) {
        weights[1 + k] = (inverse[3 * k] * off[0] + inverse[3 * k + 1] * off[1]) + inverse[3 * k + 2] * off[2];
    }
    weights[0] = 1 - ((weights[1] + weights[2]) + weights[3]);
    least = weights[0];
    for (int k = 0; k < 4; k++) {
        least = weights[k] < least ? weights[k] : least;
        weights[k] = weights[k] > 0 ? weights[k] : 0;
        sum += weights[k];
    }
    for (int k = 0; k < 4; k++) {
        weights[k] /= sum;
    }
    return least;
}

static void weighted_point(const double (*xyz)[3], const uint32_t *cell, const double weights[4], double p[3])
{
    for (int axis = 0; axis < 3; axis++) {
        p[axis] = (weights[0] * xyz[cell[0]][axis] + weights[1] * xyz[cell[1]][axis]) +
                  (weights[2] * xyz[cell[2]][axis] + weights[3] * xyz[cell[3]][axis]);
    }
}

static void find_home(struct medial_balls *balls, const double (*xyz)[3], uint32_t node)
{
    const struct medial_rest *rest = &balls->rest[node];
    struct medial_home *home = &balls->homes[node];
    uint32_t place[3];
    double best = -1e-6, weights[4], point[3];
    *home = (struct medial_home){.cell = UINT32_MAX};
    if (!(rest->inside > 0)) {
        return;
    }
    grid_place(&balls->grid, rest->centre, place);
    uint64_t cell = grid_index(&balls->grid, 0, place[0], place[1], place[2]);
    for (uint64_t i = balls->grid.starts[cell]; i < balls->grid.starts[cell + 1]; i++) {
        uint32_t candidate = balls->grid.cells[i];
        double least = balls->shapes[candidate].slack <= DBL_MAX
                           ? cell_weights(balls, xyz, candidate, rest->centre, weights)
                           : -INFINITY;
        if (least > best) {
            best = least;
            home->cell = candidate;
            memcpy(home->weights, weights, sizeof weights);
        }
    }
    if (home->cell != UINT32_MAX) {
        weighted_point(xyz, balls->cells[home->cell], home->weights, point);
        home->inside = rest->inside - distance_above(point, rest->centre) - 64 * UNIT * balls->largest;
    }
}

/* Two cells that share the face opposite corner `corner` of the first lie on the same side of it, or nearly. */
static bool is_folded(const double (*xyz)[3], const uint32_t *cell, int corner, const uint32_t *other)
{
    uint32_t pair[2][4];
    double sides[2];
    memcpy(pair[0], cell, sizeof pair[0]);
    memcpy(pair[1], cell, sizeof pair[1]);
    for (int k = 0; k < 4; k++) {
        bool shared = false;
        for (int n = 0; n < 4; n++) {
            shared = shared || (n != corner && cell[n] == other[k]);
        }
        pair[1][corner] = shared ? pair[1][corner] : other[k];
    }
    for (int n = 0; n < 2; n++) {
        double edges[9];
        edges_of(xyz, pair[n], 1, edges);
        double size = norm_of(edges);
        sides[n] = determinant_of(edges) / (size * size * size);
    }
    return !(fabs(sides[0]) > 64 * UNIT && fabs(sides[1]) > 64 * UNIT && (sides[0] > 0) != (sides[1] > 0));
}

static bool follow_cells(struct bound_tree *tree, const uint32_t (*cells)[4], const uint32_t (*neighbours)[4],
                         uint32_t cell_count, const double (*xyz)[3], const double lo[3], const double hi[3])
{
    struct medial_balls *balls = tree->medial;
    balls->cell_count = cell_count;
    balls->cells = dent_allocate(tree->context, cell_count, sizeof *balls->cells);
    balls->shapes = dent_allocate(tree->context, cell_count, sizeof *balls->shapes);
    balls->homes = dent_allocate(tree->context, balls->node_count, sizeof *balls->homes);
    if (!balls->cells || !balls->shapes || !balls->homes) {
        return false;
    }
    memcpy(balls->cells, cells, cell_count * sizeof *cells);
    for (uint32_t c = 0; c < cell_count; c++) {
        shape_of(xyz, cells[c], balls->extent, &balls->shapes[c]);
    }
    for (uint32_t c = 0; c < cell_count; c++) {
        for (int k = 0; k < 4; k++) {
            uint32_t other = neighbours[c][k];
            if (other == UINT32_MAX - 1 || (other < cell_count && is_folded(xyz, cells[c], k, cells[other]))) {
                balls->shapes[c].slack = INFINITY;
            }
        }
    }
    if (!make_grid(tree, xyz, lo, hi)) {
        return false;
    }
    for (uint32_t node = 0; node < balls->node_count; node++) {
        find_home(balls, xyz, node);
    }
    return true;
}

bool medial_balls_follow(struct bound_tree *tree, const uint32_t (*cells)[4], const uint32_t (*neighbours)[4],
                         uint32_t cell_count, const double (*xyz)[3])
{
    struct medial_balls *balls = tree->medial;
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    if (!balls) {
        return true;
    }
    for (uint32_t i = 0; i < 3 * tree->vertex_count; i++) { /* unused vertices do no harm */
        double x = xyz[i / 3][i % 3];
        lo[i % 3] = x < lo[i % 3] ? x : lo[i % 3];
        hi[i % 3] = x > hi[i % 3] ? x : hi[i % 3];
        balls->largest = fabs(x) > balls->largest ? fabs(x) : balls->largest;
    }
    for (int axis = 0; axis < 3; axis++) {
        balls->extent = hi[axis] - lo[axis] > balls->extent ? hi[axis] - lo[axis] : balls->extent;
    }
    if (tree->embedding || !(balls->extent > 0 && balls->extent <= DBL_MAX)) {
        return true;
    }
    if (cell_count > 0) {
        return follow_cells(tree, cells, neighbours, cell_count, xyz, lo, hi);
    }
    balls->rest_xyz = dent_allocate(tree->context, tree->vertex_count, sizeof *balls->rest_xyz);
    if (balls->rest_xyz) {
        balls->vertex_count = tree->vertex_count;
        memcpy(balls->rest_xyz, xyz, tree->vertex_count * sizeof *balls->rest_xyz);
    }
    return balls->rest_xyz != NULL;
}

/* ---- stretches now ----------------------------------------------------------------------------------------------- */

/* A lower bound of the smallest singular value of the deformation of a cell; 0 where it is inverted. */
static double least_stretch(const struct medial_balls *balls, const double (*xyz)[3], uint32_t cell)
{
    const struct medial_cell *shape = &balls->shapes[cell];
    double edges[9], f[9], c[6], size = 0;
    if (!(shape->slack <= DBL_MAX)) {
        return 0;
    }
    edges_of(xyz, balls->cells[cell], balls->extent, edges);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            f[3 * i + k] = (edges[3 * i] * shape->inverse[k] + edges[3 * i + 1] * shape->inverse[3 + k]) +
                           edges[3 * i + 2] * shape->inverse[6 + k];
            size += f[3 * i + k] * f[3 * i + k];
        }
    }
    const int rows[6] = {0, 1, 2, 0, 0, 1}, columns[6] = {0, 1, 2, 1, 2, 2};
    for (int n = 0; n < 6; n++) {
        c[n] = (f[rows[n]] * f[columns[n]] + f[3 + rows[n]] * f[3 + columns[n]]) + f[6 + rows[n]] * f[6 + columns[n]];
    }
    double mean = size / 3, off = 0, slack = shape->slack * norm_of(edges), determinant = determinant_of(f);
    for (int n = 0; n < 6; n++) {
        double d = n < 3 ? c[n] - mean : c[n];
        off += n < 3 ? d * d : 2 * d * d;
    }
    double square = (mean - 0.81649658092772615 * sqrt(off)) - 32 * UNIT * size; /* a little above sqrt(2/3) */
    double by_strain = square > 0 ? sqrt(square) : 0, by_volume = 2 * determinant / size * (1 - 32 * UNIT);
    double least = (by_strain > by_volume ? by_strain : by_volume) - slack;
    bool upright = determinant > 64 * UNIT * size * sqrt(size) + slack * size;
    return upright && least > 0 && least <= DBL_MAX ? least : 0;
}

static void update_cells(struct bound_tree *tree)
{
    struct medial_balls *balls = tree->medial;
    struct medial_grid *grid = &balls->grid;
    uint64_t count = grid_cells(grid, 0);
    for (uint64_t i = 0; i < grid->first[grid->levels]; i++) {
        grid->least[i] = INFINITY;
    }
    for (uint32_t cell = 0; cell < balls->cell_count; cell++) {
        balls->shapes[cell].now = least_stretch(balls, (const double(*)[3])tree->xyz, cell);
    }
    for (uint64_t i = 0; i < count; i++) {
        for (uint64_t k = grid->starts[i]; k < grid->starts[i + 1]; k++) {
            double stretch = balls->shapes[grid->cells[k]].now;
            grid->least[i] = stretch < grid->least[i] ? stretch : grid->least[i];
        }
    }
    for (uint32_t level = 1; level < grid->levels; level++) {
        const uint32_t *below = grid->counts[level - 1];
        for (uint64_t i = 0; i < grid_cells(grid, level - 1); i++) {
            uint32_t x = (uint32_t)(i % below[0]), y = (uint32_t)(i / below[0] % below[1]),
                     z = (uint32_t)(i / below[0] / below[1]);
            double *least = &grid->least[grid->first[level] + grid_index(grid, level, x / 2, y / 2, z / 2)];
            double stretch = grid->least[grid->first[level - 1] + i];
            *least = stretch < *least ? stretch : *least;
        }
    }
}

/* The least stretch of all cells that meet a box at rest. */
static double least_in_box(const struct medial_grid *grid, const double centre[3], double half)
{
    double lo[3], hi[3], least = INFINITY;
    uint32_t from[3], to[3], level = 0;
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = centre[axis] - half;
        hi[axis] = centre[axis] + half;
    }
    grid_place(grid, lo, from);
    grid_place(grid, hi, to);
    while (level + 1 < grid->levels && (to[0] - from[0] > 2 || to[1] - from[1] > 2 || to[2] - from[2] > 2)) {
        level++;
        for (int axis = 0; axis < 3; axis++) {
            from[axis] /= 2;
            to[axis] /= 2;
        }
    }
    for (uint32_t z = from[2]; z <= to[2]; z++) {
        for (uint32_t y = from[1]; y <= to[1]; y++) {
            for (uint32_t x = from[0]; x <= to[0]; x++) {
                double stretch = grid->least[grid->first[level] + grid_index(grid, level, x, y, z)];
                least = stretch < least ? stretch : least;
            }
        }
    }
    return least;
}

/* ---- rigid motion and what is off it ----------------------------------------------------------------------------- */

struct point_sums {
    double scale_rest, scale_now;
    double rest[3], now[3], moments[3][3];
    uint32_t count;
};

static void add_to_means(struct point_sums *sums, const double rest[3], const double now[3])
{
    for (int axis = 0; axis < 3; axis++) {
        sums->rest[axis] += rest[axis] * sums->scale_rest;
        sums->now[axis] += now[axis] * sums->scale_now;
    }
    sums->count++;
}

static void add_to_moments(struct point_sums *sums, const double rest[3], const double now[3])
{
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            sums->moments[i][k] += (now[i] * sums->scale_now - sums->now[i] / sums->count) *
                                   (rest[k] * sums->scale_rest - sums->rest[k] / sums->count);
        }
    }
}

static void turned(const double rotation[9], const double p[3], double to[3])
{
    for (int i = 0; i < 3; i++) {
        to[i] = (rotation[3 * i] * p[0] + rotation[3 * i + 1] * p[1]) + rotation[3 * i + 2] * p[2];
    }
}

/* The motion that takes the mean at rest to the mean now. */
static void find_shift(struct medial_balls *balls, const struct point_sums *sums)
{
    double mean[3], carried[3];
    for (int axis = 0; axis < 3; axis++) {
        mean[axis] = sums->rest[axis] / sums->count / sums->scale_rest;
    }
    turned(balls->rotation, mean, carried);
    for (int axis = 0; axis < 3; axis++) {
        balls->shift[axis] = sums->now[axis] / sums->count / sums->scale_now - carried[axis];
    }
}

static double off_place(const struct medial_balls *balls, const double rest[3], const double now[3])
{
    double carried[3];
    turned(balls->rotation, rest, carried);
    for (int axis = 0; axis < 3; axis++) {
        carried[axis] += balls->shift[axis];
    }
    return distance_above(carried, now);
}

static double rounding_of(const struct medial_balls *balls)
{
    return 256 * UNIT * (balls->largest_now + 4 * balls->largest);
}

static void update_points(struct medial_balls *balls, const double (*rest)[3], const double (*now)[3], uint32_t count,
                          bool fit)
{
    struct point_sums sums = {.scale_rest = balls->largest > 0 ? 1 / balls->largest : 1,
                              .scale_now = balls->largest_now > 0 ? 1 / balls->largest_now : 1};
    for (uint32_t v = 0; v < count; v++) {
        add_to_means(&sums, rest[v], now[v]);
    }
    for (uint32_t v = 0; v < count && fit; v++) {
        add_to_moments(&sums, rest[v], now[v]);
    }
    if (fit) {
        rotation_from_moments((const double(*)[3])sums.moments, balls->rotation);
    }
    find_shift(balls, &sums);
    balls->off = 0;
    for (uint32_t v = 0; v < count; v++) {
        double off = off_place(balls, rest[v], now[v]);
        balls->off = off > balls->off || off != off ? off : balls->off;
    }
    balls->off += rounding_of(balls);
}

/* A dense vertex is off by no more than its facet's corners, and its link by what the facet turns besides. */
static void update_embedding(struct bound_tree *tree)
{
    struct medial_balls *balls = tree->medial;
    const dent_embedding *model = tree->embedding->model;
    double most = 0;
    balls->largest = model->largest_rest > balls->largest ? model->largest_rest : balls->largest;
    balls->largest_now = model->largest + model->facts.longest_link;
    memcpy(balls->rotation, model->rotation, sizeof balls->rotation);
    update_points(balls, (const double(*)[3])model->coarse_rest, (const double(*)[3])model->coarse,
                  model->facts.coarse_vertices, false);
    for (uint32_t f = 0; f < model->facts.facets; f++) {
        double difference[9];
        for (int n = 0; n < 9; n++) {
            difference[n] = model->turns[f][n] - model->rotation[n];
        }
        double turn = norm_of(difference);
        most = turn > most ? turn : most;
    }
    balls->off += (most < 2 ? most : 2) * model->facts.longest_link * (1 + 64 * UNIT);
}

void medial_balls_update(struct bound_tree *tree)
{
    struct medial_balls *balls = tree->medial;
    if (!balls) {
        return;
    }
    if (tree->embedding) {
        update_embedding(tree);
        return;
    }
    balls->largest_now = 0;
    for (uint32_t i = 0; i < 3 * tree->vertex_count; i++) {
        double x = fabs(tree->xyz[i / 3][i % 3]);
        balls->largest_now = x > balls->largest_now ? x : balls->largest_now;
    }
    if (balls->cell_count > 0) {
        update_cells(tree);
    } else if (balls->rest_xyz) {
        update_points(balls, (const double(*)[3])balls->rest_xyz, (const double(*)[3])tree->xyz, balls->vertex_count,
                      true);
    }
}

/* ---- a ball ------------------------------------------------------------------------------------------------------ */

static double reach_of_node(const struct bound_tree *tree, uint32_t node, const double centre[3])
{
    const struct bound_link *link = &tree->links[node];
    double reach = 0;
    for (uint32_t i = tree->vertex_start[link->first_face]; i < tree->vertex_start[link->first_face + link->face_count];
         i++) {
        double distance = distance_above(centre, tree->xyz[tree->vertices[i]]);
        reach = distance > reach ? distance : reach;
    }
    return reach;
}

static void ball_in_cells(const struct bound_tree *tree, uint32_t node, struct medial_ball_now *ball)
{
    const struct medial_balls *balls = tree->medial;
    const struct medial_home *home = &balls->homes[node];
    if (home->cell == UINT32_MAX || !(home->inside > 0)) {
        return;
    }
    double stretch = least_in_box(&balls->grid, balls->rest[node].centre, balls->rest[node].inside * (1 + 1e-9));
    weighted_point((const double(*)[3])tree->xyz, balls->cells[home->cell], home->weights, ball->centre);
    ball->inside = stretch * home->inside * (1 - 1e-12) - 64 * UNIT * balls->largest_now;
    ball->reach = reach_of_node(tree, node, ball->centre);
}

static void ball_carried(const struct bound_tree *tree, uint32_t node, struct medial_ball_now *ball)
{
    const struct medial_balls *balls = tree->medial;
    const struct medial_rest *rest = &balls->rest[node];
    turned(balls->rotation, rest->centre, ball->centre);
    for (int axis = 0; axis < 3; axis++) {
        ball->centre[axis] += balls->shift[axis];
    }
    ball->inside = (rest->inside - balls->off) * (1 - 1e-12);
    ball->reach = up((rest->reach + balls->off) * (1 + 1e-12));
}

void medial_ball_at(struct bound_tree *tree, uint32_t node, struct medial_ball_now *ball)
{
    const struct medial_balls *balls = tree->medial;
    *ball = (struct medial_ball_now){.reach = INFINITY};
    if (!balls || !(balls->extent > 0 && balls->extent <= DBL_MAX)) {
        return;
    }
    if (balls->cell_count > 0) {
        ball_in_cells(tree, node, ball);
    } else {
        ball_carried(tree, node, ball);
    }
    if (!(ball->inside > 0 && ball->reach <= DBL_MAX)) {
        *ball = (struct medial_ball_now){.reach = INFINITY};
    }
}

double bound_protrusion(struct bound_tree *tree, uint32_t node)
{
    struct medial_ball_now ball;
    if (!tree->medial) {
        return tree->volumes[node].v[3];
    }
    medial_ball_at(tree, node, &ball);
    double out = ball.inside > 0 ? up(ball.reach - ball.inside) : INFINITY;
    return out < tree->volumes[node].error ? out : tree->volumes[node].error;
}
