/* Building the hierarchy of a rigid body. See motion_tree.h.
 *
 * Top-down: a node's box lies along the principal axes of its faces (covariance of the triangles, weighted by area, as
 * in Gottschalk et al. 1996), and its faces are parted at the mean of their centres along the longest side of the box,
 * at the median when the mean parts badly. The axes are kept as a quaternion of floats, and the box is fitted to those.
 */
#include "structures/bounds/motion_tree.h"

#include <float.h>
#include <math.h>

#include "geometry/metric/quaternion.h"

void motion_tree_init(struct motion_tree *tree, dent_context *context)
{
    *tree = (struct motion_tree){.shape_key = UINT64_MAX, .scale = 1};
    array_init(&tree->nodes, context, sizeof(struct motion_volume));
    array_init(&tree->linear, context, sizeof(struct linear_volume));
    array_init(&tree->corners, context, sizeof(double[3][3]));
    array_init(&tree->ends, context, sizeof(double[3][3]));
    array_init(&tree->faces, context, sizeof(uint32_t));
    array_init(&tree->unordered, context, sizeof(double[3][3]));
    array_init(&tree->keys, context, sizeof(double));
    array_init(&tree->pointers, context, sizeof(const double(*)[3]));
}

static void destroy_work(struct motion_tree *tree)
{
    array_destroy(&tree->unordered);
    array_destroy(&tree->keys);
    array_destroy(&tree->pointers);
}

void motion_tree_destroy(struct motion_tree *tree)
{
    array_destroy(&tree->nodes);
    array_destroy(&tree->linear);
    array_destroy(&tree->corners);
    array_destroy(&tree->ends);
    array_destroy(&tree->faces);
    destroy_work(tree);
}

/* ---- principal axes ---------------------------------------------------------------------------------------------- */

/* Covariance of triangles as solid sheets: with the mean m of the corners, area / 12 * (9 mm' + pp' + qq' + rr'), taken
 * about the point `about`; a face without area counts by its longest side, so that needles have a direction, too. */
static void covariance(const double (*const *faces)[3], uint32_t count, const double about[3], double matrix[9])
{
    for (int k = 0; k < 9; k++) {
        matrix[k] = 0;
    }
    for (uint32_t f = 0; f < count; f++) {
        double p[3][3], mean[3], e1[3], e2[3], normal[3];
        for (int k = 0; k < 3; k++) {
            for (int c = 0; c < 3; c++) {
                p[c][k] = faces[f][c][k] - about[k];
            }
            mean[k] = ((p[0][k] + p[1][k]) + p[2][k]) / 3;
            e1[k] = p[1][k] - p[0][k];
            e2[k] = p[2][k] - p[0][k];
        }
        vector_cross(e1, e2, normal);
        double area = vector_length(normal), squares = vector_dot(e1, e1) + vector_dot(e2, e2);
        double weight = area + 0x1p-20 * squares;
        for (int i = 0; i < 3; i++) {
            for (int j = i; j < 3; j++) {
                matrix[3 * i + j] +=
                    weight * (9 * mean[i] * mean[j] + p[0][i] * p[0][j] + p[1][i] * p[1][j] + p[2][i] * p[2][j]);
            }
        }
    }
    matrix[3] = matrix[1];
    matrix[6] = matrix[2];
    matrix[7] = matrix[5];
}

/* Jacobi's rotations; a fixed number of sweeps. Column j of `axes` is an eigenvector. */
static void eigenvectors(double m[9], double axes[9])
{
    for (int k = 0; k < 9; k++) {
        axes[k] = k % 4 == 0 ? 1 : 0;
    }
    for (int sweep = 0; sweep < 8; sweep++) {
        for (int p = 0; p < 2; p++) {
            for (int q = p + 1; q < 3; q++) {
                double off = m[3 * p + q];
                if (!(fabs(off) > 1e-18 * (fabs(m[4 * p]) + fabs(m[4 * q])))) {
                    continue;
                }
                double theta = (m[4 * q] - m[4 * p]) / (2 * off);
                double t = 1 / (fabs(theta) + sqrt(theta * theta + 1)), c, s;
                t = theta < 0 ? -t : t;
                c = 1 / sqrt(t * t + 1);
                s = t * c;
                for (int k = 0; k < 3; k++) {
                    double x = m[3 * k + p], y = m[3 * k + q];
                    m[3 * k + p] = c * x - s * y;
                    m[3 * k + q] = s * x + c * y;
                }
                for (int k = 0; k < 3; k++) {
                    double x = m[3 * p + k], y = m[3 * q + k];
                    m[3 * p + k] = c * x - s * y;
                    m[3 * q + k] = s * x + c * y;
                    x = axes[3 * k + p];
                    y = axes[3 * k + q];
                    axes[3 * k + p] = c * x - s * y;
                    axes[3 * k + q] = s * x + c * y;
                }
            }
        }
    }
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

/* The box of the faces along the axes of `volume`. A point is centre + axes s with s = axes' (x - centre) up to the
 * defect of the axes and rounding, a few dozen roundings of |x - centre| and of the coordinates. */
static void fit_box(const double (*const *faces)[3], uint32_t count, const double about[3],
                    struct motion_volume *volume)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    double axes[9];
    volume_axes(volume, axes);
    for (uint32_t f = 0; f < count; f++) {
        for (int c = 0; c < 3; c++) {
            const double *p = faces[f][c];
            double x[3] = {p[0] - about[0], p[1] - about[1], p[2] - about[2]}, along[3];
            vector_times_matrix(axes, x, along);
            for (int k = 0; k < 3; k++) {
                lo[k] = along[k] < lo[k] ? along[k] : lo[k];
                hi[k] = along[k] > hi[k] ? along[k] : hi[k];
            }
        }
    }
    double middle[3], offset[3];
    for (int k = 0; k < 3; k++) {
        middle[k] = 0.5 * (lo[k] + hi[k]);
        volume->half_extent[k] = 0.5 * (hi[k] - lo[k]);
    }
    matrix_times_vector(axes, middle, offset);
    for (int k = 0; k < 3; k++) {
        volume->centre[k] = about[k] + offset[k];
    }
    double farthest = 0, reach = 0;
    for (uint32_t f = 0; f < count; f++) {
        for (int c = 0; c < 3; c++) {
            const double *p = faces[f][c];
            double x[3] = {p[0] - volume->centre[0], p[1] - volume->centre[1], p[2] - volume->centre[2]};
            double squared = vector_dot(x, x), far_squared = vector_dot(p, p);
            farthest = squared > farthest ? squared : farthest;
            reach = far_squared > reach ? far_squared : reach;
        }
    }
    volume->radius = sqrt(farthest) * (1 + 0x1p-40);
    volume->reach = sqrt(reach) * (1 + 0x1p-40);
    /* Of the reach, too: the centre is rounded where the body lies far from its origin. */
    double more = 0x1p-46 * volume->radius + 0x1p-50 * volume->reach;
    volume->radius += 0x1p-50 * volume->reach;
    for (int k = 0; k < 3; k++) {
        volume->half_extent[k] += more;
    }
}

static void fit_volume(const double (*const *faces)[3], uint32_t count, dent_motion_volume kind,
                       struct motion_volume *volume)
{
    double about[3] = {0, 0, 0};
    for (uint32_t f = 0; f < count; f++) {
        for (int k = 0; k < 3; k++) {
            about[k] += (faces[f][0][k] + faces[f][1][k]) + faces[f][2][k];
        }
    }
    for (int k = 0; k < 3; k++) {
        about[k] /= 3.0 * count;
    }
    double axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (kind != DENT_MOTION_VOLUME_ALIGNED_BOX) {
        double matrix[9];
        covariance(faces, count, about, matrix);
        eigenvectors(matrix, axes);
    }
    double turn[4];
    quaternion_of_matrix(axes, turn);
    for (int k = 0; k < 4; k++) {
        volume->turn[k] = (float)turn[k];
    }
    fit_box(faces, count, about, volume);
}

/* ---- the tree ---------------------------------------------------------------------------------------------------- */

struct build {
    const double (**faces)[3]; /* corners of the faces, in the order so far */
    uint32_t *numbers;         /* of the faces, the same order */
    double *keys;
};

static void swap_faces(struct build *build, uint32_t i, uint32_t j)
{
    const double(*face)[3] = build->faces[i];
    uint32_t number = build->numbers[i];
    double key = build->keys[i];
    build->faces[i] = build->faces[j];
    build->numbers[i] = build->numbers[j];
    build->keys[i] = build->keys[j];
    build->faces[j] = face;
    build->numbers[j] = number;
    build->keys[j] = key;
}

/* Hoare's selection: afterwards no key before `middle` is above one from it on. */
static void select_median(struct build *build, uint32_t first, uint32_t end, uint32_t middle)
{
    uint32_t low = first, high = end - 1;
    while (low < high) {
        double pivot = build->keys[low + (high - low) / 2];
        uint32_t i = low, j = high;
        for (;;) {
            while (build->keys[i] < pivot) {
                i++;
            }
            while (build->keys[j] > pivot) {
                j--;
            }
            if (i >= j) {
                break;
            }
            swap_faces(build, i++, j--);
        }
        if (middle <= j) {
            high = j;
        } else {
            low = j + 1;
        }
    }
}

/* Parts [first, first + count) along the longest side of the box; returns the size of the first part. */
static uint32_t part_faces(struct build *build, uint32_t first, uint32_t count, const struct motion_volume *volume)
{
    int longest = 0;
    for (int k = 1; k < 3; k++) {
        longest = volume->half_extent[k] > volume->half_extent[longest] ? k : longest;
    }
    double axes[9];
    volume_axes(volume, axes);
    const double axis[3] = {axes[longest], axes[3 + longest], axes[6 + longest]};
    double mean = 0;
    for (uint32_t f = first; f < first + count; f++) {
        const double(*face)[3] = build->faces[f];
        double sum = 0;
        for (int k = 0; k < 3; k++) {
            sum += axis[k] * ((face[0][k] - volume->centre[k]) + (face[1][k] - volume->centre[k]) +
                              (face[2][k] - volume->centre[k]));
        }
        build->keys[f] = sum;
        mean += sum / count;
    }
    uint32_t middle = first;
    for (uint32_t f = first; f < first + count; f++) {
        if (build->keys[f] < mean) {
            swap_faces(build, f, middle++);
        }
    }
    uint32_t left = middle - first;
    if (left < count / 4 + 1 || count - left < count / 4 + 1) {
        select_median(build, first, first + count, first + count / 2);
        left = count / 2;
    }
    return left;
}

static bool make_room(struct motion_tree *tree, uint32_t count)
{
    struct dynamic_array *arrays[] = {&tree->nodes,     &tree->corners, &tree->faces,
                                      &tree->unordered, &tree->keys,    &tree->pointers};
    size_t sizes[] = {count ? 2 * (size_t)count - 1 : 0, count, count, count, count, count};
    for (int k = 0; k < 6; k++) {
        array_clear(arrays[k]);
        if (!array_reserve(arrays[k], sizes[k] > 0 ? sizes[k] : 1)) {
            return false;
        }
        arrays[k]->count = sizes[k];
    }
    return true;
}

/* Nodes are numbered as they are made, so children come after their parents; the ranges of nodes that still have to be
 * parted wait in the first and size of the nodes themselves. */
static void build_nodes(struct motion_tree *tree, struct build *build, uint32_t count)
{
    struct motion_volume *nodes = tree->nodes.data;
    tree->node_count = 1;
    nodes[0].first = 0;
    nodes[0].size = count;
    for (uint32_t node = 0; node < tree->node_count; node++) {
        uint32_t first = nodes[node].first, size = nodes[node].size;
        fit_volume((const double(*const *)[3])(build->faces + first), size, tree->volume, &nodes[node]);
        if (size > 1) {
            uint32_t left = part_faces(build, first, size, &nodes[node]), child = tree->node_count;
            nodes[node].size = 0;
            nodes[node].first = child;
            nodes[child].first = first;
            nodes[child].size = left;
            nodes[child + 1].first = first + left;
            nodes[child + 1].size = size - left;
            tree->node_count += 2;
        }
    }
}

bool motion_tree_build(struct motion_tree *tree, const struct body *body, const double (*xyz)[3],
                       dent_motion_volume volume, double scale)
{
    uint32_t count = body->surface_face_count;
    tree->shape_key = UINT64_MAX;
    tree->volume = volume;
    tree->scale = scale;
    tree->face_count = count;
    tree->node_count = 0;
    tree->reach = 0;
    if (!make_room(tree, count)) {
        destroy_work(tree);
        return false;
    }
    double(*corners)[3][3] = tree->unordered.data;
    struct build build = {.faces = tree->pointers.data, .numbers = tree->faces.data, .keys = tree->keys.data};
    for (uint32_t f = 0; f < count; f++) {
        for (int c = 0; c < 3; c++) {
            for (int k = 0; k < 3; k++) {
                corners[f][c][k] = xyz[body->surface_faces[f].corners[c]][k] * scale;
            }
        }
        build.faces[f] = (const double(*)[3])corners[f];
        build.numbers[f] = f;
    }
    if (count > 0) {
        build_nodes(tree, &build, count);
        tree->reach = ((struct motion_volume *)tree->nodes.data)[0].reach;
    }
    double(*ordered)[3][3] = tree->corners.data;
    for (uint32_t f = 0; f < count; f++) {
        memcpy(ordered[f], build.faces[f], sizeof ordered[f]);
    }
    destroy_work(tree); /* it is built once; the memory is not kept */
    tree->shape_key = body->identity_base;
    return true;
}

/* ---- linear movers ----------------------------------------------------------------------------------------------- */

static void bound_faces(const double (*const sets[2])[3][3], uint32_t first, uint32_t size, double lo[2][3],
                        double hi[2][3])
{
    for (int end = 0; end < 2; end++) {
        for (uint32_t f = first; f < first + size; f++) {
            for (int c = 0; c < 3; c++) {
                for (int k = 0; k < 3; k++) {
                    double x = sets[end][f][c][k];
                    lo[end][k] = x < lo[end][k] ? x : lo[end][k];
                    hi[end][k] = x > hi[end][k] ? x : hi[end][k];
                }
            }
        }
    }
}

/* From the leaves up. A node's box at time t is the mixture of its boxes at both ends, which holds all its points. */
static void refit_node(struct linear_volume *volumes, const double (*const sets[2])[3][3], uint32_t node)
{
    struct linear_volume *volume = &volumes[node];
    double lo[2][3], hi[2][3], radius = 0, reach = 0;
    for (int k = 0; k < 6; k++) {
        lo[k / 3][k % 3] = INFINITY;
        hi[k / 3][k % 3] = -INFINITY;
    }
    if (volume->size > 0) {
        bound_faces(sets, volume->first, volume->size, lo, hi);
    }
    for (uint32_t child = volume->first; volume->size == 0 && child < volume->first + 2; child++) {
        for (int k = 0; k < 6; k++) {
            double centre = volumes[child].centre[k / 3][k % 3], half = volumes[child].half_extent[k % 3];
            lo[k / 3][k % 3] = centre - half < lo[k / 3][k % 3] ? centre - half : lo[k / 3][k % 3];
            hi[k / 3][k % 3] = centre + half > hi[k / 3][k % 3] ? centre + half : hi[k / 3][k % 3];
        }
    }
    for (int k = 0; k < 3; k++) {
        double half = 0, most = 0;
        for (int end = 0; end < 2; end++) {
            double extent = 0.5 * (hi[end][k] - lo[end][k]), size = fmax(fabs(lo[end][k]), fabs(hi[end][k]));
            volume->centre[end][k] = 0.5 * (hi[end][k] + lo[end][k]);
            half = extent > half ? extent : half;
            most = size > most ? size : most;
        }
        volume->half_extent[k] = half + 0x1p-50 * most;
        radius += volume->half_extent[k] * volume->half_extent[k];
        reach += (most + half) * (most + half);
    }
    volume->radius = sqrt(radius) * (1 + 0x1p-40);
    volume->reach = sqrt(reach) * (1 + 0x1p-40);
}

bool motion_tree_refit(struct motion_tree *tree, const struct body *body, const double (*start)[3],
                       const double (*end)[3], double scale)
{
    array_clear(&tree->linear);
    array_clear(&tree->ends);
    struct linear_volume *volumes = array_extend(&tree->linear, tree->node_count);
    double(*ends)[3][3] = array_extend(&tree->ends, tree->face_count), (*corners)[3][3] = tree->corners.data;
    if (!volumes || !ends) {
        return false;
    }
    const uint32_t *faces = tree->faces.data;
    for (uint32_t f = 0; f < tree->face_count; f++) {
        const uint32_t *vertices = body->surface_faces[faces[f]].corners;
        for (int c = 0; c < 3; c++) {
            for (int k = 0; k < 3; k++) {
                corners[f][c][k] = start[vertices[c]][k] * scale;
                ends[f][c][k] = end[vertices[c]][k] * scale;
            }
        }
    }
    const double(*const sets[2])[3][3] = {(const double(*)[3][3])corners, (const double(*)[3][3])ends};
    const struct motion_volume *nodes = tree->nodes.data;
    for (uint32_t node = tree->node_count; node-- > 0;) {
        volumes[node].size = nodes[node].size;
        volumes[node].first = nodes[node].first;
        refit_node(volumes, sets, node);
    }
    tree->reach = tree->node_count > 0 ? volumes[0].reach : 0;
    tree->scale = scale;
    return true;
}
