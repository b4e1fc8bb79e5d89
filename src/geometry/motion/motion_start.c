/* Faces near each other at the start of a motion. See motion_start.h. */
#include "geometry/motion/motion_start.h"

#include <string.h>

#include "geometry/metric/quaternion.h"

typedef struct double_double pair;

/* ---- the pose at t = 0 ------------------------------------------------------------------------------------------- */

/* One Newton step from the rounded quotient. */
static pair pair_reciprocal(pair a)
{
    pair first = {1 / a.high, 0};
    pair defect = pair_add((pair){1, 0}, pair_negate(pair_times(a, first.high)));
    return pair_add(first, pair_times(defect, first.high));
}

static pair product_sum(double a, double b, double c, double d)
{
    return pair_add(two_product(a, b), two_product(c, d));
}

/* R = I + s (w [v] + [v]^2) with s = 2 / |q|^2, q = (w, v): right for every length of q. Entries have errors below 64
 * units of 2^-106. */
static void matrix_of_quaternion(const double q[4], pair m[9])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    pair s = pair_times(pair_reciprocal(pair_add(product_sum(w, w, x, x), product_sum(y, y, z, z))), 2);
    const pair one = {1, 0};
    m[0] = pair_add(one, pair_negate(pair_multiply(s, product_sum(y, y, z, z))));
    m[1] = pair_multiply(s, product_sum(x, y, -w, z));
    m[2] = pair_multiply(s, product_sum(x, z, w, y));
    m[3] = pair_multiply(s, product_sum(x, y, w, z));
    m[4] = pair_add(one, pair_negate(pair_multiply(s, product_sum(x, x, z, z))));
    m[5] = pair_multiply(s, product_sum(y, z, -w, x));
    m[6] = pair_multiply(s, product_sum(x, z, -w, y));
    m[7] = pair_multiply(s, product_sum(y, z, w, x));
    m[8] = pair_add(one, pair_negate(pair_multiply(s, product_sum(x, x, y, y))));
}

/* Row i of m, or with `across` column i, times the numbers x[0], x[step], x[2 step]. */
static pair row_times(const pair m[9], int i, bool across, const pair *x, int step)
{
    const pair *row = m + (across ? i : 3 * i);
    int next = across ? 3 : 1;
    return pair_add(pair_add(pair_multiply(row[0], x[0]), pair_multiply(row[next], x[step])),
                    pair_multiply(row[2 * next], x[2 * step]));
}

/* The pose of the end of a chain in its ancestor. Returns the sum of the lengths in it. */
static double chain_start(const struct motion_chain *chain, pair rotation[9], pair translation[3])
{
    double size = 0;
    for (int k = 0; k < 9; k++) {
        rotation[k] = (pair){k % 4 == 0, 0};
    }
    for (int k = 0; k < 3; k++) {
        translation[k] = (pair){0, 0};
    }
    for (uint32_t link = 0; link < chain->count; link++) {
        const struct trajectory *trajectory = chain->links[link];
        pair turn[9], product[9], along[3];
        matrix_of_quaternion(trajectory->start_turn, turn);
        for (int k = 0; k < 3; k++) {
            along[k] = (pair){trajectory->start_translation[k], 0};
        }
        for (int i = 0; i < 3; i++) {
            translation[i] = pair_add(translation[i], row_times(rotation, i, false, along, 1));
        }
        for (int k = 0; k < 9; k++) {
            product[k] = row_times(rotation, k / 3, false, turn + k % 3, 3);
        }
        memcpy(rotation, product, sizeof product);
        size += vector_length(trajectory->start_translation);
    }
    return size * (1 + 0x1p-40);
}

/* y = RA' (RB x + TB - TA). A rotation of a link and a product of two are off by less than 512 units of 2^-106 in norm
 * each, 2^-97; a length that n rotations and as many products take part in by n 2^-96 of itself. Used: 2^-92. */
void start_pose_of(const struct motion_chain *a, const struct motion_chain *b, struct start_pose *pose)
{
    pair turn_a[9], turn_b[9], from[3], to[3];
    pose->size = chain_start(a, turn_a, from) + chain_start(b, turn_b, to);
    for (int k = 0; k < 3; k++) {
        to[k] = pair_add(to[k], pair_negate(from[k]));
    }
    for (int i = 0; i < 3; i++) {
        pose->translation[i] = row_times(turn_a, i, true, to, 1);
        for (int j = 0; j < 3; j++) {
            pose->rotation[3 * i + j] = row_times(turn_a, i, true, turn_b + j, 3);
        }
    }
    pose->precision = 0x1p-92 * (double)(a->count + b->count + 2);
}

/* ---- a face ------------------------------------------------------------------------------------------------------ */

/* Lengths this small are lost where products of them underflow. */
#define UNDERFLOW_LENGTH 0x1p-960

void start_face_of(const struct start_pose *pose, const struct motion_piece *now, const struct motion_piece *over,
                   const double (*corners)[3], const double (*ends)[3], struct start_face *face)
{
    double reach = 0, fastest = 0;
    face->horizon = 2 * over->half;
    for (int c = 0; c < 3; c++) {
        pair x[3];
        double velocity[3] = {0, 0, 0}, carried[3], *rate = face->rate[c];
        for (int k = 0; k < 3; k++) {
            x[k] = (pair){corners[c][k], 0};
            velocity[k] = ends ? ends[c][k] - corners[c][k] : 0;
        }
        matrix_times_vector(now->rotation_rate, corners[c], rate);
        matrix_times_vector(now->rotation, velocity, carried);
        for (int k = 0; k < 3; k++) {
            face->position[c][k] = pair_add(pose->translation[k], row_times(pose->rotation, k, false, x, 1));
            rate[k] = (rate[k] + carried[k]) + now->translation_rate[k];
        }
        double length = vector_length(corners[c]), speed = vector_length(velocity);
        reach = length > reach ? length : reach;
        fastest = speed > fastest ? speed : fastest;
    }
    /* y = R (x + t v) + T: y' = R' (x + t v) + R v + T', y'' = R'' (x + t v) + 2 R' v + T''. */
    double most = (reach + face->horizon * fastest) * (1 + 0x1p-40);
    face->error = pose->precision * (pose->size + reach) * (1 + 0x1p-40) + UNDERFLOW_LENGTH;
    face->speed = (over->turning * most + fastest + over->speed) * (1 + 0x1p-40);
    face->curve = (over->bending * most + 2 * over->turning * fastest + over->swerve) * (1 + 0x1p-40);
    face->rate_error = (now->rotation_rate_error * reach + now->rotation_error * fastest + now->translation_rate_error +
                        0x1p-48 * face->speed) *
                       (1 + 0x1p-40);
}

/* ---- directions -------------------------------------------------------------------------------------------------- */

/* What is tried, and the best so far. */
struct trial {
    const double (*a)[3];
    const struct start_face *b;
    double rounded[3][3]; /* the slots of b as doubles */
    double size;          /* bounds all coordinates */
    struct leaving best;
};

static pair along_direction(const double n[3], const pair point[3])
{
    return pair_add(pair_add(pair_times(point[0], n[0]), pair_times(point[1], n[1])), pair_times(point[2], n[2]));
}

/* Up to when L + r t - K t^2 / 2 is positive; at least by a hair. */
static double parabola_until(double l, double r, double k)
{
    double root = sqrt(r * r + 2 * k * l);
    double until = r >= 0 ? (r + root) / k : 2 * l / (root - r);
    until = k > 0 || r < 0 ? until * (1 - 0x1p-30) : INFINITY;
    return until > 0 ? until : 0;
}

/* +1: b is above a along the unit vector n, as far as doubles tell; -1: below; 0: neither. */
static int side_of(const struct trial *trial, const double n[3])
{
    double low_a = INFINITY, high_a = -INFINITY, low_b = INFINITY, high_b = -INFINITY;
    for (int c = 0; c < 3; c++) {
        double at_a = vector_dot(trial->a[c], n), at_b = vector_dot(trial->rounded[c], n);
        low_a = at_a < low_a ? at_a : low_a;
        high_a = at_a > high_a ? at_a : high_a;
        low_b = at_b < low_b ? at_b : low_b;
        high_b = at_b > high_b ? at_b : high_b;
    }
    double slack = 0x1p-48 * trial->size;
    return low_b > high_a - slack ? 1 : low_a > high_b - slack ? -1 : 0;
}

/* The direction n, which changes by `change` per unit of time. */
static void try_direction(struct trial *trial, const double n[3], const double change[3])
{
    const struct start_face *b = trial->b;
    double length = vector_length(n), n0[3], n1[3], until = INFINITY, gap = INFINITY;
    if (!(length > 0 && length < INFINITY)) {
        return;
    }
    for (int k = 0; k < 3; k++) {
        n0[k] = n[k] / length;
    }
    int side = side_of(trial, n0);
    if (side == 0) {
        return;
    }
    for (int k = 0; k < 3; k++) {
        n0[k] *= side;
        n1[k] = side * change[k] / length;
    }
    double along = vector_dot(n0, n1); /* growing longer is of no use */
    for (int k = 0; k < 3; k++) {
        n1[k] -= along * n0[k];
    }
    double turn = vector_length(n1) * (1 + 0x1p-40);
    double curve = ((1 + 0x1p-40 + b->horizon * turn) * b->curve + 2 * turn * b->speed) * (1 + 0x1p-40);
    double error = 2 * b->error + 0x1p-96 * trial->size;
    for (int pair_number = 0; pair_number < 9; pair_number++) {
        const double *corner = trial->a[pair_number / 3], *rate = b->rate[pair_number % 3];
        pair apart[3];
        double rounded[3];
        for (int k = 0; k < 3; k++) {
            apart[k] = pair_add(b->position[pair_number % 3][k], (pair){-corner[k], 0});
            rounded[k] = apart[k].high;
        }
        double l = along_direction(n0, apart).high * (1 - 0x1p-50) - error;
        double r = vector_dot(n0, rate) + vector_dot(n1, rounded);
        r -= (b->rate_error + turn * error + 0x1p-48 * (b->speed + turn * trial->size)) * (1 + 0x1p-40);
        if (!(l > 0)) {
            return;
        }
        double end = parabola_until(l, r, curve);
        gap = l < gap ? l : gap;
        until = end < until ? end : until;
    }
    gap *= 1 - 0x1p-40; /* n0 is of unit length to within a few roundings */
    trial->best.gap = gap > trial->best.gap ? gap : trial->best.gap;
    trial->best.until = until > trial->best.until ? until : trial->best.until;
}

static void edge_between(const double p[3], const double q[3], double edge[3])
{
    for (int k = 0; k < 3; k++) {
        edge[k] = q[k] - p[k];
    }
}

/* Edges of b, as they are and as they change. */
static void edges_of(const struct start_face *b, double edges[3][3], double changes[3][3])
{
    for (int c = 0; c < 3; c++) {
        int next = c == 2 ? 0 : c + 1;
        for (int k = 0; k < 3; k++) {
            edges[c][k] = pair_add(b->position[next][k], pair_negate(b->position[c][k])).high;
        }
        edge_between(b->rate[c], b->rate[next], changes[c]);
    }
}

/* a x b, and how it changes while a and b do. */
static void turning_product(const double a[3], const double change_a[3], const double b[3], const double change_b[3],
                            double product[3], double change[3])
{
    double part[3];
    vector_cross(a, b, product);
    vector_cross(change_a, b, change);
    vector_cross(a, change_b, part);
    for (int k = 0; k < 3; k++) {
        change[k] += part[k];
    }
}

/* Normals of the faces, and in the planes of the faces normals of their edges: those tell faces in one plane apart. */
static void try_face(struct trial *trial, double edges[3][3], double changes[3][3])
{
    double normal[3], normal_change[3], n[3], change[3];
    turning_product(edges[0], changes[0], edges[1], changes[1], normal, normal_change);
    try_direction(trial, normal, normal_change);
    for (int c = 0; c < 3; c++) {
        turning_product(normal, normal_change, edges[c], changes[c], n, change);
        try_direction(trial, n, change);
    }
}

static void try_features(struct trial *trial)
{
    double edges_a[3][3], still[3][3] = {{0}}, edges_b[3][3], changes[3][3], n[3], change[3];
    edges_of(trial->b, edges_b, changes);
    for (int c = 0; c < 3; c++) {
        edge_between(trial->a[c], trial->a[c == 2 ? 0 : c + 1], edges_a[c]);
    }
    try_face(trial, edges_a, still);
    try_face(trial, edges_b, changes);
    for (int i = 0; i < 9; i++) {
        turning_product(edges_a[i / 3], still[i / 3], edges_b[i % 3], changes[i % 3], n, change);
        try_direction(trial, n, change);
    }
}

struct leaving faces_leave(const double (*a)[3], const struct start_face *b, const double spin[3],
                           const double guess[3])
{
    const double still[3] = {0, 0, 0};
    struct trial trial = {.a = a, .b = b};
    double turning[3];
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < 3; k++) {
            trial.rounded[c][k] = b->position[c][k].high;
            double sum = fabs(a[c][k]) + fabs(b->position[c][k].high);
            trial.size += sum;
        }
    }
    vector_cross(spin, guess, turning);
    try_direction(&trial, guess, still);
    try_direction(&trial, guess, turning);
    try_features(&trial);
    trial.best.until = trial.best.until < b->horizon ? trial.best.until : b->horizon;
    return trial.best;
}
