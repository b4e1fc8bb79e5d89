/* An independent opinion on motion queries: motions evaluated from their definition in long double with the C library's
 * sine and cosine, bodies placed at single times, triangles compared by the exact predicate and by distances.
 */
#ifndef DENT_TESTS_QUERY_MOTION_ORACLE_H
#define DENT_TESTS_QUERY_MOTION_ORACLE_H

#include <dent/dent.h>
#include <dent/experimental.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/metric/feature_distance.h"
#include "geometry/predicates/triangle_predicates.h"
#include "support/cmocka_includes.h"

#include "support/test_context.h"

enum { ORACLE_VERTICES = 64, ORACLE_FACES = 40 };

struct oracle_body {
    uint32_t vertex_count, face_count;
    double vertices[ORACLE_VERTICES][3];
    uint32_t faces[ORACLE_FACES][3];
};

struct oracle_pose {
    long double rotation[3][3], translation[3];
};

/* ---- motions ----------------------------------------------------------------------------------------------------- */

/* Time laws of tests: polynomials plus waves. `user` of the law is this. */
struct oracle_law {
    dent_motion_law law;
    dent_polynomial_laws polynomials;
    double height[2], waves; /* height sin(waves t) is added to turn and slide */
};

/* A motion that is no screw: R(t) = Rz(p t) Rx(q t) R0, T(t) = T0 + t v + t^2 g. `user` of the motion is this. */
struct oracle_given {
    dent_motion_given given;
    double start[3][3], p, q, t0[3], v[3], g[3];
};

static inline void oracle_law_at(const struct oracle_law *law, long double t, long double values[2])
{
    for (int side = 0; side < 2; side++) {
        const double *c = side ? law->polynomials.slide : law->polynomials.turn;
        long double sum = 0;
        for (int k = 5; k >= 0; k--) {
            sum = (sum + c[k]) * t;
        }
        values[side] = sum + law->height[side] * sinl((long double)law->waves * t);
    }
}

/* The fastest that a law can be. */
static inline double oracle_law_speed(const struct oracle_law *law)
{
    double speed[2] = {0, 0};
    for (int k = 0; k < 6; k++) {
        speed[0] += (k + 1) * fabs(law->polynomials.turn[k]);
        speed[1] += (k + 1) * fabs(law->polynomials.slide[k]);
    }
    for (int side = 0; side < 2; side++) {
        speed[side] += fabs(law->height[side] * law->waves);
    }
    return fmax(speed[0], speed[1]);
}

static inline void oracle_given_at(const struct oracle_given *given, long double t, long double rotation[3][3],
                                   long double translation[3])
{
    long double c = cosl(given->p * t), s = sinl(given->p * t), d = cosl(given->q * t), e = sinl(given->q * t);
    const long double turn[3][3] = {{c, -s * d, s * e}, {s, c * d, -c * e}, {0, e, d}};
    for (int i = 0; i < 3; i++) {
        translation[i] = given->t0[i] + t * given->v[i] + t * t * given->g[i];
        for (int j = 0; j < 3; j++) {
            rotation[i][j] = turn[i][0] * given->start[0][j] + turn[i][1] * given->start[1][j] +
                             turn[i][2] * given->start[2][j];
        }
    }
}

static inline void oracle_multiply(const struct oracle_pose *a, const struct oracle_pose *b, struct oracle_pose *c)
{
    struct oracle_pose product;
    for (int i = 0; i < 3; i++) {
        product.translation[i] = a->translation[i];
        for (int j = 0; j < 3; j++) {
            product.rotation[i][j] = 0;
            product.translation[i] += a->rotation[i][j] * b->translation[j];
            for (int k = 0; k < 3; k++) {
                product.rotation[i][j] += a->rotation[i][k] * b->rotation[k][j];
            }
        }
    }
    *c = product;
}

static inline void oracle_pose_at(const dent_motion *motion, long double t, struct oracle_pose *pose)
{
    long double q[4], u[3] = {0, 0, 0}, length = 0, laws[2] = {t, t};
    if (motion->kind == DENT_MOTION_GIVEN) {
        oracle_given_at(motion->given->user, t, pose->rotation, pose->translation);
        return;
    }
    if (motion->law) {
        oracle_law_at(motion->law->user, t, laws);
        t = laws[0];
    }
    long double slide = laws[1];
    for (int k = 0; k < 4; k++) {
        length += (long double)motion->start.rotation[k] * motion->start.rotation[k];
    }
    for (int k = 0; k < 4; k++) {
        q[k] = motion->start.rotation[k] / sqrtl(length);
    }
    long double start[3][3] = {
        {1 - 2 * (q[2] * q[2] + q[3] * q[3]), 2 * (q[1] * q[2] - q[0] * q[3]), 2 * (q[1] * q[3] + q[0] * q[2])},
        {2 * (q[1] * q[2] + q[0] * q[3]), 1 - 2 * (q[1] * q[1] + q[3] * q[3]), 2 * (q[2] * q[3] - q[0] * q[1])},
        {2 * (q[1] * q[3] - q[0] * q[2]), 2 * (q[2] * q[3] + q[0] * q[1]), 1 - 2 * (q[1] * q[1] + q[2] * q[2])}};
    long double axis_length =
        sqrtl((long double)motion->axis[0] * motion->axis[0] + (long double)motion->axis[1] * motion->axis[1] +
              (long double)motion->axis[2] * motion->axis[2]);
    long double w = motion->angle, c = cosl(w * t), s = sinl(w * t), turn[3][3];
    for (int k = 0; k < 3 && motion->angle != 0; k++) {
        u[k] = motion->axis[k] / axis_length;
    }
    const long double cross[3][3] = {{0, -u[2], u[1]}, {u[2], 0, -u[0]}, {-u[1], u[0], 0}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            turn[i][j] = (i == j ? c : 0) + s * cross[i][j] + (1 - c) * u[i] * u[j];
        }
    }
    if (motion->angle == 0) {
        for (int k = 0; k < 9; k++) {
            turn[k / 3][k % 3] = k % 4 == 0;
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            pose->rotation[i][j] = turn[i][0] * start[0][j] + turn[i][1] * start[1][j] + turn[i][2] * start[2][j];
        }
    }
    if (motion->kind == DENT_MOTION_SCREW && motion->angle != 0) {
        long double along = 0, across[3], side[3];
        for (int k = 0; k < 3; k++) {
            along += u[k] * motion->displacement[k];
        }
        for (int k = 0; k < 3; k++) {
            across[k] = motion->displacement[k] - along * u[k];
        }
        for (int k = 0; k < 3; k++) {
            side[k] = u[(k + 1) % 3] * across[(k + 2) % 3] - u[(k + 2) % 3] * across[(k + 1) % 3];
        }
        long double ratio = sinl(w * t / 2) / sinl(w / 2);
        for (int k = 0; k < 3; k++) {
            pose->translation[k] = motion->start.translation[k] + along * slide * u[k] +
                                   ratio * (cosl(w * (t - 1) / 2) * across[k] + sinl(w * (t - 1) / 2) * side[k]);
        }
        return;
    }
    for (int i = 0; i < 3; i++) {
        pose->translation[i] = motion->start.translation[i] + slide * motion->displacement[i];
        for (int j = 0; j < 3 && motion->kind == DENT_MOTION_CONSTANT_VELOCITY; j++) {
            pose->translation[i] += (start[i][j] - pose->rotation[i][j]) * motion->centre[j];
        }
    }
}

static inline void oracle_frame_at(const dent_motion_frame *frames, uint32_t frame, long double t,
                                   struct oracle_pose *pose)
{
    if (frame == DENT_FRAME_WORLD) {
        *pose = (struct oracle_pose){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
        return;
    }
    oracle_pose_at(&frames[frame].motion, t, pose);
    while (frames[frame].parent != DENT_FRAME_WORLD) {
        struct oracle_pose parent;
        frame = frames[frame].parent;
        oracle_pose_at(&frames[frame].motion, t, &parent);
        oracle_multiply(&parent, pose, pose);
    }
}

static inline void oracle_place(const struct oracle_body *body, const struct oracle_pose *pose,
                                double places[ORACLE_VERTICES][3])
{
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        for (int i = 0; i < 3; i++) {
            long double x = pose->translation[i];
            for (int j = 0; j < 3; j++) {
                x += pose->rotation[i][j] * body->vertices[v][j];
            }
            places[v][i] = (double)x;
        }
    }
}

/* ---- at one time ------------------------------------------------------------------------------------------------- */

/* 0 when the closed triangles meet. Pairs that cannot be nearer than `enough` may be skipped. */
static inline double oracle_face_distance(const double *const a[3], const double *const b[3], double enough)
{
    double middle = 0, radius_a = 0, radius_b = 0;
    for (int k = 0; k < 3; k++) {
        double d = a[0][k] - b[0][k];
        middle += d * d;
    }
    for (int c = 1; c < 3; c++) {
        double da = 0, db = 0;
        for (int k = 0; k < 3; k++) {
            da += (a[c][k] - a[0][k]) * (a[c][k] - a[0][k]);
            db += (b[c][k] - b[0][k]) * (b[c][k] - b[0][k]);
        }
        radius_a = da > radius_a ? da : radius_a;
        radius_b = db > radius_b ? db : radius_b;
    }
    if (sqrt(middle) - sqrt(radius_a) - sqrt(radius_b) > enough) {
        return INFINITY;
    }
    predicate_counters counters = {0};
    if (triangles_meet(a, b, &counters)) {
        return 0;
    }
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        least = fmin(least, vertex_face_distance(a[i], b));
        least = fmin(least, vertex_face_distance(b[i], a));
        for (int j = 0; j < 3; j++) {
            const double *const edge_a[2] = {a[i], a[(i + 1) % 3]}, *const edge_b[2] = {b[j], b[(j + 1) % 3]};
            least = fmin(least, edge_edge_distance(edge_a, edge_b));
        }
    }
    return least;
}

static inline double oracle_distance(const struct oracle_body *a, const double (*places_a)[3],
                                     const struct oracle_body *b, const double (*places_b)[3])
{
    double least = INFINITY;
    for (uint32_t i = 0; i < a->face_count; i++) {
        const double *const face_a[3] = {places_a[a->faces[i][0]], places_a[a->faces[i][1]], places_a[a->faces[i][2]]};
        for (uint32_t j = 0; j < b->face_count && least > 0; j++) {
            const double *const face_b[3] = {places_b[b->faces[j][0]], places_b[b->faces[j][1]],
                                             places_b[b->faces[j][2]]};
            least = fmin(least, oracle_face_distance(face_a, face_b, least));
        }
    }
    return least;
}

/* ---- two bodies over the step ------------------------------------------------------------------------------------ */

struct oracle_pair {
    const struct oracle_body *a, *b;
    const dent_motion_frame *frames;
    uint32_t frame_a, frame_b;
    const double (*end_b)[3]; /* null, or: b's vertices go straight from its own to these */
};

static inline double oracle_pair_distance(const struct oracle_pair *pair, double t)
{
    double places_a[ORACLE_VERTICES][3], places_b[ORACLE_VERTICES][3];
    struct oracle_pose pose;
    oracle_frame_at(pair->frames, pair->frame_a, t, &pose);
    oracle_place(pair->a, &pose, places_a);
    if (pair->end_b) {
        for (uint32_t v = 0; v < pair->b->vertex_count; v++) {
            for (int k = 0; k < 3; k++) {
                long double from = pair->b->vertices[v][k], to = pair->end_b[v][k];
                places_b[v][k] = (double)(from + (long double)t * (to - from));
            }
        }
    } else {
        oracle_frame_at(pair->frames, pair->frame_b, t, &pose);
        oracle_place(pair->b, &pose, places_b);
    }
    return oracle_distance(pair->a, (const double(*)[3])places_a, pair->b, (const double(*)[3])places_b);
}

/* A bound of how fast the distance can change: the sum over the chain of angular speed times reach, and speeds. */
static inline double oracle_speed_of(const dent_motion_frame *frames, uint32_t frame, double reach)
{
    double speed = 0;
    for (uint32_t f = frame; f != DENT_FRAME_WORLD; f = frames[f].parent) {
        const dent_motion *motion = &frames[f].motion;
        double lengths[3] = {0, 0, 0}, stretch = 1;
        for (int k = 0; k < 3; k++) {
            lengths[0] += motion->displacement[k] * motion->displacement[k];
            lengths[1] += motion->centre[k] * motion->centre[k];
            lengths[2] += motion->start.translation[k] * motion->start.translation[k];
        }
        if (motion->kind == DENT_MOTION_SCREW && motion->angle != 0) {
            stretch = fabs(motion->angle / 2 / sin(motion->angle / 2));
        }
        double pace = motion->law ? oracle_law_speed(motion->law->user) : 1;
        if (motion->kind == DENT_MOTION_GIVEN) {
            const struct oracle_given *given = motion->given->user;
            double way = 0;
            for (int k = 0; k < 3; k++) {
                way += fabs(given->v[k]) + 2 * fabs(given->g[k]);
            }
            speed += (fabs(given->p) + fabs(given->q)) * reach + way;
            reach += sqrt(lengths[2]) + way;
            continue;
        }
        speed += pace * (fabs(motion->angle) * (reach + sqrt(lengths[1])) + (1 + stretch) * sqrt(lengths[0]));
        lengths[0] *= pace * pace;
        reach += sqrt(lengths[2]) + (1 + stretch) * sqrt(lengths[0]) + 2 * sqrt(lengths[1]);
    }
    return speed;
}

static inline double oracle_reach(const double (*vertices)[3], uint32_t count)
{
    double reach = 0;
    for (uint32_t v = 0; v < count; v++) {
        double squares = 0;
        for (int k = 0; k < 3; k++) {
            squares += vertices[v][k] * vertices[v][k];
        }
        reach = squares > reach ? squares : reach;
    }
    return sqrt(reach);
}

static inline double oracle_pair_speed(const struct oracle_pair *pair)
{
    double speed = oracle_speed_of(pair->frames, pair->frame_a, oracle_reach(pair->a->vertices, pair->a->vertex_count));
    if (!pair->end_b) {
        return speed +
               oracle_speed_of(pair->frames, pair->frame_b, oracle_reach(pair->b->vertices, pair->b->vertex_count));
    }
    double fastest = 0;
    for (uint32_t v = 0; v < pair->b->vertex_count; v++) {
        double squares = 0;
        for (int k = 0; k < 3; k++) {
            double way = pair->end_b[v][k] - pair->b->vertices[v][k];
            squares += way * way;
        }
        fastest = squares > fastest ? squares : fastest;
    }
    return speed + sqrt(fastest);
}

/* The first of `samples` + 1 times in [0, 1] at which the bodies meet, refined around minima of the distance and then
 * by halving; 2 when none. Samples that lie nearer than the distance allows are skipped: nothing can meet there. */
static inline double oracle_first_contact(const struct oracle_pair *pair, uint32_t samples, double *least)
{
    double speed = oracle_pair_speed(pair), times[3] = {0, 0, 0}, distances[3] = {INFINITY, INFINITY, INFINITY};
    double step = 1.0 / samples;
    *least = INFINITY;
    for (double t = 0;;) {
        double distance = oracle_pair_distance(pair, t), hit = distance == 0 ? t : 2;
        *least = fmin(*least, distance);
        times[0] = times[1];
        times[1] = times[2];
        times[2] = t;
        distances[0] = distances[1];
        distances[1] = distances[2];
        distances[2] = distance;
        if (hit > 1 && distances[1] <= distances[0] && distances[1] <= distance && distances[1] < speed * step) {
            double low = times[0], high = t; /* a minimum in between: look closer */
            for (int i = 0; i < 40 && hit > 1; i++) {
                double p = low + (high - low) / 3, q = high - (high - low) / 3;
                double dp = oracle_pair_distance(pair, p), dq = oracle_pair_distance(pair, q);
                *least = fmin(*least, fmin(dp, dq));
                hit = dp == 0 ? p : dq == 0 ? q : 2;
                *(dp < dq ? &high : &low) = dp < dq ? q : p;
            }
        }
        if (hit <= 1) {
            double low = times[1] < hit ? times[1] : hit, high = hit;
            low = times[0] < hit && distances[1] == 0 ? times[0] : low;
            for (int i = 0; i < 45 && low < high; i++) {
                double middle = 0.5 * (low + high);
                *(oracle_pair_distance(pair, middle) == 0 ? &high : &low) = middle;
            }
            return high;
        }
        if (t >= 1) {
            return 2;
        }
        double safe = distance / speed * 0.999;
        t = fmin(1, t + fmax(step, safe));
    }
}

/* ---- random bodies and motions ----------------------------------------------------------------------------------- */

static inline double oracle_uniform(dent_random *random, double low, double high)
{
    return low + (high - low) * dent_random_unit(random);
}

/* A soup, a strip, a closed octahedron-like thing, needles: at most 20 triangles, size about 1. */
static inline void oracle_random_body(dent_random *random, struct oracle_body *body)
{
    uint32_t kind = dent_random_below(random, 5);
    body->face_count = 1 + dent_random_below(random, 20);
    double stretch[3] = {1, 1, 1};
    if (kind == 1) {
        stretch[1] = stretch[2] = 0.02;
    } else if (kind == 2) {
        stretch[2] = 0;
    }
    if (kind == 3) { /* an octahedron */
        static const uint32_t corners[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                               {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
        body->vertex_count = 6;
        body->face_count = 8;
        memset(body->vertices, 0, sizeof body->vertices);
        memcpy(body->faces, corners, sizeof corners);
        for (int v = 0; v < 6; v++) {
            body->vertices[v][v / 2] = (v % 2 ? -1 : 1) * oracle_uniform(random, 0.3, 1);
        }
        return;
    }
    body->vertex_count = kind == 4 ? body->face_count + 2 : 3 * body->face_count;
    body->vertex_count = body->vertex_count > ORACLE_VERTICES ? ORACLE_VERTICES : body->vertex_count;
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        for (int k = 0; k < 3; k++) {
            body->vertices[v][k] = oracle_uniform(random, -1, 1) * stretch[k];
        }
    }
    for (uint32_t f = 0; f < body->face_count; f++) {
        for (uint32_t c = 0; c < 3; c++) {
            body->faces[f][c] = kind == 4 ? f + c : 3 * f + c;
        }
    }
}

static inline void oracle_random_axis(dent_random *random, double axis[3])
{
    double squares = 0;
    while (squares < 0.01 || squares > 1) {
        squares = 0;
        for (int k = 0; k < 3; k++) {
            axis[k] = oracle_uniform(random, -1, 1);
            squares += axis[k] * axis[k];
        }
    }
}

static inline dent_pose oracle_random_pose(dent_random *random, double distance)
{
    dent_pose pose;
    for (int k = 0; k < 4; k++) {
        pose.rotation[k] = oracle_uniform(random, -1, 1);
    }
    for (int k = 0; k < 3; k++) {
        pose.translation[k] = oracle_uniform(random, -distance, distance);
    }
    return pose;
}

static inline dent_motion oracle_random_motion(dent_context *context, dent_random *random, double distance)
{
    dent_motion motion;
    dent_pose start = oracle_random_pose(random, distance), end = oracle_random_pose(random, distance);
    dent_motion_kind kind = dent_random_below(random, 2) ? DENT_MOTION_SCREW : DENT_MOTION_CONSTANT_VELOCITY;
    double centre[3];
    uint32_t turns = dent_random_below(random, 8), small = dent_random_below(random, 4);
    for (int k = 0; k < 3; k++) {
        centre[k] = oracle_uniform(random, -1, 1);
    }
    for (int k = 0; k < 4 && small == 0; k++) { /* a small turn, or none */
        end.rotation[k] = start.rotation[k] + (turns < 4 ? 0 : oracle_uniform(random, -0.01, 0.01));
    }
    int32_t extra = turns == 0 && small != 0 ? (int32_t)dent_random_below(random, 5) - 2 : 0;
    assert_int_equal(dent_motion_between(context, &start, &end, kind, centre, extra, &motion), DENT_OK);
    return motion;
}

/* ---- worlds ------------------------------------------------------------------------------------------------------ */

static inline dent_body_id oracle_add_body(dent_world *world, const struct oracle_body *body, const char *name,
                                           const double (*end)[3])
{
    dent_body_def def = dent_surface_def_default();
    dent_body_id id;
    def.name = name;
    def.vertex_count = body->vertex_count;
    def.element_count = body->face_count;
    def.element_corners = body->faces[0];
    def.positions_t0 = dent_positions_double(body->vertices[0]);
    if (end) {
        def.positions_t1 = dent_positions_double(end[0]);
    }
    if (dent_world_add_body(world, &def, &id) != DENT_OK) {
        fail_msg("%s", dent_world_message(world));
    }
    return id;
}

#endif
