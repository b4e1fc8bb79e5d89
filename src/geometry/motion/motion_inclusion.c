/* Moving convex hulls of a few points. See motion_inclusion.h. */
#include "geometry/motion/motion_inclusion.h"

#include <string.h>

#include "geometry/metric/quaternion.h"

void move_points(const struct motion_piece *piece, const double (*corners)[3], int count, struct moving_points *moving)
{
    double h = piece->half, farthest = 0, longest = 0;
    for (int corner = 0; corner < count; corner++) {
        double *position = moving->position[corner], *sweep = moving->sweep[corner];
        matrix_times_vector(piece->rotation, corners[corner], position);
        matrix_times_vector(piece->rotation_rate, corners[corner], sweep);
        for (int k = 0; k < 3; k++) {
            position[k] += piece->translation[k];
            sweep[k] = h * (sweep[k] + piece->translation_rate[k]);
        }
        double reach = vector_dot(corners[corner], corners[corner]), length = vector_dot(sweep, sweep);
        farthest = reach > farthest ? reach : farthest;
        longest = length > longest ? length : longest;
    }
    moving->count = count;
    moving->rest = (piece->translation_rest + piece->rotation_rest * sqrt(farthest)) * (1 + 0x1p-40);
    moving->motion = (sqrt(longest) + moving->rest) * (1 + 0x1p-40);
}

void move_linear_points(const struct motion_piece *piece, double middle, const double (*start)[3],
                        const double (*end)[3], int count, struct moving_points *moving)
{
    double h = piece->half, farthest = 0, longest = 0, fastest = 0;
    for (int corner = 0; corner < count; corner++) {
        double velocity[3], now[3], flipped[3], *position = moving->position[corner], *sweep = moving->sweep[corner];
        for (int k = 0; k < 3; k++) {
            velocity[k] = end[corner][k] - start[corner][k];
            now[k] = start[corner][k] + middle * velocity[k];
        }
        matrix_times_vector(piece->rotation, now, position);
        matrix_times_vector(piece->rotation_rate, now, flipped);
        matrix_times_vector(piece->rotation, velocity, sweep);
        for (int k = 0; k < 3; k++) {
            position[k] += piece->translation[k];
            sweep[k] = h * ((flipped[k] + sweep[k]) + piece->translation_rate[k]);
        }
        double speed = vector_length(velocity), reach = vector_length(now) + h * speed;
        double length = vector_dot(sweep, sweep);
        farthest = reach > farthest ? reach : farthest;
        fastest = speed > fastest ? speed : fastest;
        longest = length > longest ? length : longest;
    }
    moving->count = count;
    moving->rest =
        (piece->translation_rest + piece->rotation_rest * farthest + h * h * piece->turning * fastest) * (1 + 0x1p-40);
    moving->motion = (sqrt(longest) + moving->rest) * (1 + 0x1p-40);
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

/* A simplex of points of the difference b - a. */
struct simplex {
    double point[4][3];
    int count;
};

/* A point of an edge very near the origin is known to a rounding of the edge only, which may turn its direction so far
 * that it no longer separates what the edge does: the part along the edge is taken out once more. */
static void make_perpendicular(const double edge[3], double v[3])
{
    double length = vector_dot(edge, edge), along = vector_dot(v, edge);
    if (vector_dot(v, v) < 0x1p-44 * length) {
        for (int k = 0; k < 3; k++) {
            v[k] -= along / length * edge[k];
        }
    }
}

/* The nearest point of a segment to the origin; drops an end that takes no part. */
static void nearest_of_segment(struct simplex *simplex, double nearest[3])
{
    const double *p = simplex->point[0], *q = simplex->point[1];
    double edge[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
    double along = -vector_dot(p, edge), length = vector_dot(edge, edge);
    if (!(along > 0)) {
        simplex->count = 1;
        memcpy(nearest, p, 3 * sizeof(double));
    } else if (along >= length) {
        memcpy(nearest, q, 3 * sizeof(double));
        memcpy(simplex->point[0], nearest, 3 * sizeof(double));
        simplex->count = 1;
    } else {
        double s = along / length;
        for (int k = 0; k < 3; k++) {
            nearest[k] = p[k] + s * edge[k];
        }
        make_perpendicular(edge, nearest);
    }
}

/* Keeps the points i and j (i < j) of a triangle, and finds the nearest point of their segment, s of the way. */
static void keep_edge(struct simplex *simplex, int i, int j, double s, double nearest[3])
{
    memmove(simplex->point[0], simplex->point[i], 3 * sizeof(double));
    memmove(simplex->point[1], simplex->point[j], 3 * sizeof(double));
    simplex->count = 2;
    double edge[3];
    for (int k = 0; k < 3; k++) {
        edge[k] = simplex->point[1][k] - simplex->point[0][k];
        nearest[k] = simplex->point[0][k] + s * edge[k];
    }
    make_perpendicular(edge, nearest);
}

static void keep_point(struct simplex *simplex, int i, double nearest[3])
{
    memmove(simplex->point[0], simplex->point[i], 3 * sizeof(double));
    memcpy(nearest, simplex->point[0], 3 * sizeof(double));
    simplex->count = 1;
}

/* The nearest point of a triangle to the origin: which corner, edge or the inside it is told by dot products. A
 * triangle without area has no inside. */
static void nearest_of_triangle(struct simplex *simplex, double nearest[3])
{
    const double *a = simplex->point[0], *b = simplex->point[1], *c = simplex->point[2];
    double ab[3], ac[3], normal[3];
    for (int k = 0; k < 3; k++) {
        ab[k] = b[k] - a[k];
        ac[k] = c[k] - a[k];
    }
    double a1 = -vector_dot(a, ab), a2 = -vector_dot(a, ac), b1 = -vector_dot(b, ab), b2 = -vector_dot(b, ac);
    double c1 = -vector_dot(c, ab), c2 = -vector_dot(c, ac);
    double beyond_ab = a1 * b2 - b1 * a2, beyond_ac = c1 * a2 - a1 * c2, beyond_bc = b1 * c2 - c1 * b2;
    if (a1 <= 0 && a2 <= 0) {
        keep_point(simplex, 0, nearest);
    } else if (b1 >= 0 && b2 <= b1) {
        keep_point(simplex, 1, nearest);
    } else if (beyond_ab <= 0 && a1 >= 0 && b1 <= 0) {
        keep_edge(simplex, 0, 1, a1 > b1 ? a1 / (a1 - b1) : 0, nearest);
    } else if (c2 >= 0 && c1 <= c2) {
        keep_point(simplex, 2, nearest);
    } else if (beyond_ac <= 0 && a2 >= 0 && c2 <= 0) {
        keep_edge(simplex, 0, 2, a2 > c2 ? a2 / (a2 - c2) : 0, nearest);
    } else if (beyond_bc <= 0 && b2 >= b1 && c1 >= c2) {
        double p = b2 - b1, q = c1 - c2;
        keep_edge(simplex, 1, 2, p + q > 0 ? p / (p + q) : 0, nearest);
    } else {
        vector_cross(ab, ac, normal);
        double area = vector_dot(normal, normal), s = area > 0 ? vector_dot(normal, a) / area : 0;
        for (int k = 0; k < 3; k++) {
            nearest[k] = s * normal[k];
        }
    }
}

/* True: the origin is inside. Otherwise the best of the faces it lies beyond. */
static bool nearest_of_tetrahedron(struct simplex *simplex, double nearest[3])
{
    static const int faces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
    const double(*p)[3] = (const double(*)[3])simplex->point;
    struct simplex best = {.count = 0};
    double best_squared = INFINITY, best_point[3] = {0, 0, 0};
    bool inside = true;
    for (int face = 0; face < 4; face++) {
        const double *a = p[faces[face][0]], *b = p[faces[face][1]], *c = p[faces[face][2]], *d = p[faces[face][3]];
        double e1[3], e2[3], e3[3], normal[3];
        for (int k = 0; k < 3; k++) {
            e1[k] = b[k] - a[k];
            e2[k] = c[k] - a[k];
            e3[k] = d[k] - a[k];
        }
        vector_cross(e1, e2, normal);
        double side = vector_dot(normal, e3), origin = -vector_dot(normal, a);
        double flat = 0x1p-44 * vector_length(normal) * vector_length(e3); /* no inside: its faces are all there is */
        if ((side > flat && origin > 0) || (side < -flat && origin < 0)) {
            continue;
        }
        struct simplex trial = {.count = 3};
        double point[3];
        memcpy(trial.point[0], a, sizeof point);
        memcpy(trial.point[1], b, sizeof point);
        memcpy(trial.point[2], c, sizeof point);
        nearest_of_triangle(&trial, point);
        double squared = vector_dot(point, point);
        inside = false;
        if (squared < best_squared) {
            best_squared = squared;
            best = trial;
            memcpy(best_point, point, sizeof point);
        }
    }
    if (!inside) {
        *simplex = best;
        memcpy(nearest, best_point, sizeof best_point);
    }
    return inside;
}

/* Two hulls: a's points and b's at one or two times. */
struct hulls {
    const double (*a)[3];
    int count_a, count_b;
    double b[6][3];
};

/* The point of the difference that lies lowest along v. */
static double lowest_difference(const struct hulls *hulls, const double v[3], double difference[3])
{
    int low = 0, high = 0;
    double lowest = vector_dot(hulls->b[0], v), highest = vector_dot(hulls->a[0], v);
    for (int i = 1; i < hulls->count_b; i++) {
        double along = vector_dot(hulls->b[i], v);
        low = along < lowest ? i : low;
        lowest = along < lowest ? along : lowest;
    }
    for (int i = 1; i < hulls->count_a; i++) {
        double along = vector_dot(hulls->a[i], v);
        high = along > highest ? i : high;
        highest = along > highest ? along : highest;
    }
    for (int k = 0; k < 3; k++) {
        difference[k] = hulls->b[low][k] - hulls->a[high][k];
    }
    return lowest - highest;
}

static bool has_point(const struct simplex *simplex, const double point[3])
{
    for (int i = 0; i < simplex->count; i++) {
        const double *own = simplex->point[i];
        if (own[0] == point[0] && own[1] == point[1] && own[2] == point[2]) {
            return true;
        }
    }
    return false;
}

enum { WALK_LIMIT = 24 };

/* Walks until v separates by more than `enough` (true), or is the nearest point of the difference to within
 * `precision` of its square, or is nearer than `enough` (infinite: only the nearest will do). v: from a to b, at first
 * a guess; *gap: what all points of b are beyond all of a along v, times |v|. */
static bool walk(const struct hulls *hulls, double enough, double precision, double v[3], double *gap)
{
    struct simplex simplex = {.count = 0};
    double next[3], enough_squared = enough * enough, last = INFINITY;
    for (int step = 0; step < WALK_LIMIT; step++) {
        double squared = vector_dot(v, v);
        *gap = lowest_difference(hulls, v, next);
        if (*gap > 0 && *gap * *gap > enough_squared * squared * (1 + 0x1p-40)) {
            return true;
        }
        /* No nearer point, or already too near: v is as good as the nearest. So it is where the lowest point is known
         * already: faces in one plane would go on to a tetrahedron without volume, which may seem to hold the origin. */
        if (step > 0 && ((squared <= enough_squared && enough < INFINITY) || !(squared < last) ||
                         squared - *gap <= precision * squared)) {
            return false;
        }
        last = step > 0 ? squared : last;
        if (has_point(&simplex, next)) {
            return false;
        }
        memcpy(simplex.point[simplex.count++], next, sizeof next);
        if (simplex.count == 1) {
            memcpy(v, next, sizeof next);
        } else if (simplex.count == 2) {
            nearest_of_segment(&simplex, v);
        } else if (simplex.count == 3) {
            nearest_of_triangle(&simplex, v);
        } else if (nearest_of_tetrahedron(&simplex, v)) {
            *gap = 0;
            return false;
        }
    }
    *gap = lowest_difference(hulls, v, next);
    return false;
}

static void put_points(struct hulls *hulls, const struct moving_points *b, double s)
{
    for (int i = 0; i < b->count; i++) {
        for (int k = 0; k < 3; k++) {
            hulls->b[hulls->count_b][k] = b->position[i][k] + s * b->sweep[i][k];
        }
        hulls->count_b++;
    }
}

static void begin_between_middles(const struct hulls *hulls, double v[3])
{
    for (int k = 0; k < 3; k++) {
        double sum_a = 0, sum_b = 0;
        for (int i = 0; i < hulls->count_a; i++) {
            sum_a += hulls->a[i][k];
        }
        for (int i = 0; i < hulls->count_b; i++) {
            sum_b += hulls->b[i][k];
        }
        v[k] = sum_b / hulls->count_b - sum_a / hulls->count_a;
    }
}

bool points_stay_apart(const double (*a)[3], int count_a, const struct moving_points *b, double first, double last,
                       double more)
{
    struct hulls hulls = {.a = a, .count_a = count_a};
    double v[3], gap;
    put_points(&hulls, b, first);
    if (b->motion > b->rest) {
        put_points(&hulls, b, last);
    }
    begin_between_middles(&hulls, v);
    return walk(&hulls, (b->rest + more) * (1 + 0x1p-40), 0x1p-30, v, &gap);
}

double points_distance(const double (*a)[3], int count_a, const struct moving_points *b, double direction[3])
{
    struct hulls hulls = {.a = a, .count_a = count_a};
    double gap;
    put_points(&hulls, b, 0);
    begin_between_middles(&hulls, direction);
    walk(&hulls, INFINITY, 0x1p-30, direction, &gap);
    return gap > 0 ? vector_length(direction) : 0;
}

enum { ADVANCE_LIMIT = 12 };

struct advance advance_points(const double (*a)[3], int count_a, const struct moving_points *b, double first,
                              double last, double near)
{
    struct advance advance = {.s = first, .distance = 0, .approach = 0};
    double v[3];
    for (int step = 0; step < ADVANCE_LIMIT; step++) {
        struct hulls hulls = {.a = a, .count_a = count_a};
        double gap;
        put_points(&hulls, b, advance.s);
        if (step == 0) {
            begin_between_middles(&hulls, v);
        }
        walk(&hulls, INFINITY, 0x1p-10, v, &gap);
        double length = vector_length(v);
        advance.distance = length;
        if (!(gap > 0) || !(length > 0)) {
            advance.distance = 0;
            return advance;
        }
        double certain = gap / length * (1 - 0x1p-40) - b->rest, fall = -INFINITY;
        for (int i = 0; i < b->count; i++) {
            double along = -vector_dot(b->sweep[i], v) / length;
            fall = along > fall ? along : fall;
        }
        advance.approach = fall > 0 ? fall * (1 + 0x1p-40) : 0;
        if (!(certain > 0)) {
            return advance;
        }
        if (!(advance.approach * (last - advance.s) >= certain)) { /* never used up */
            advance.s = INFINITY;
            return advance;
        }
        if (length <= near || certain <= 0.125 * b->rest) {
            return advance;
        }
        advance.s += certain / advance.approach * (1 - 0x1p-40);
    }
    return advance;
}
