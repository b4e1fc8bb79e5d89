/* What bench_deadline searches: pairs of bumpy balls with their trees; and the truth about what is pending.
 *
 * "lens": two that overlap by a third; "shell": two that nearly coincide (contact everywhere, the worst case);
 * "graded": a lens whose rings crowd at one pole (faces a hundred times as large in some places as in others).
 */
#ifndef DENT_BENCH_DEADLINE_BODIES_H
#define DENT_BENCH_DEADLINE_BODIES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dent/dent.h>

#include "geometry/metric/feature_distance.h"
#include "geometry/predicates/triangle_predicates.h"

enum { ORDERS = 4, KINDS = 3 };

enum body_kind { LENS, SHELL, GRADED };
static const char *const kind_names[KINDS] = {"lens", "shell", "graded"};

static const char *const order_names[ORDERS] = {"priority", "breadth-first", "depth-first", "deepest"};

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

struct ball {
    uint32_t vertex_count, face_count;
    uint32_t *corners;
    double (*rest)[3], (*xyz)[3];
};

/* Rings between two poles, radius 1 with bumps. */
static struct ball ball_make(uint32_t faces, bool graded)
{
    uint32_t around = (uint32_t)sqrt(faces / 1.0), rings = faces / 2 / around;
    struct ball ball = {.vertex_count = around * rings + 2, .face_count = 2 * around * rings};
    ball.corners = calloc((size_t)ball.face_count * 3, sizeof *ball.corners);
    ball.rest = calloc(ball.vertex_count, sizeof *ball.rest);
    ball.xyz = calloc(ball.vertex_count, sizeof *ball.xyz);
    double pi = 3.14159265358979323846;
    for (uint32_t ring = 0; ring <= rings + 1; ring++) {
        double along = ring / (rings + 1.0);
        double height = pi * ((graded ? along * along * along : along) - 0.5);
        for (uint32_t i = 0; i < around; i++) {
            double angle = 2 * pi * i / around, radius = 1 + 0.04 * sin(7 * angle) * cos(height) * cos(5 * height);
            uint32_t v = ring == 0 ? 0 : ring == rings + 1 ? ball.vertex_count - 1 : 1 + (ring - 1) * around + i;
            ball.rest[v][0] = radius * cos(height) * cos(angle);
            ball.rest[v][1] = radius * cos(height) * sin(angle);
            ball.rest[v][2] = radius * sin(height);
        }
    }
    uint32_t *next = ball.corners;
    for (uint32_t i = 0; i < around; i++) {
        uint32_t j = (i + 1) % around, last = 1 + (rings - 1) * around, top = ball.vertex_count - 1;
        const uint32_t caps[6] = {0, 1 + j, 1 + i, top, last + i, last + j};
        memcpy(next, caps, sizeof caps);
        next += 6;
        for (uint32_t ring = 1; ring < rings; ring++) {
            uint32_t low = 1 + (ring - 1) * around;
            const uint32_t quad[6] = {low + i, low + j, low + around + j, low + i, low + around + j, low + around + i};
            memcpy(next, quad, sizeof quad);
            next += 6;
        }
    }
    ball.face_count = (uint32_t)((next - ball.corners) / 3);
    return ball;
}

static void ball_free(struct ball *ball)
{
    free(ball->corners);
    free(ball->rest);
    free(ball->xyz);
}

/* Sheared and twisted a little, a little different for every pose. */
static void ball_pose(struct ball *ball, double scale, double shift, double phase)
{
    for (uint32_t v = 0; v < ball->vertex_count; v++) {
        const double *p = ball->rest[v];
        double angle = 0.3 * p[2] * sin(phase) + phase, c = cos(angle), s = sin(angle);
        ball->xyz[v][0] = scale * (c * p[0] - s * p[1] + 0.1 * sin(phase) * p[2]) + shift;
        ball->xyz[v][1] = scale * (s * p[0] + c * p[1]);
        ball->xyz[v][2] = scale * p[2] * (1 + 0.05 * cos(3 * phase));
    }
}

struct pair {
    struct ball balls[2];
    dent_world *world;
    dent_body_id ids[2];
    dent_bound_tree *trees[2];
};

static void must(dent_status status, const char *what)
{
    if (status != DENT_OK) {
        fprintf(stderr, "bench_deadline: %s: %s\n", what, dent_status_name(status));
        exit(2);
    }
}

static void pair_pose(struct pair *pair, enum body_kind kind, double phase)
{
    bool shell = kind == SHELL;
    ball_pose(&pair->balls[0], 1, 0, phase);
    ball_pose(&pair->balls[1], shell ? 1.004 : 0.9, shell ? 0.002 : 1.3, shell ? phase + 0.05 : 2 * phase + 1);
}

static void pair_open(struct pair *pair, dent_context *context, uint32_t faces, enum body_kind kind, double phase,
                      const dent_bound_tree_def *def)
{
    pair->world = dent_world_create(context);
    for (int i = 0; i < 2; i++) {
        pair->balls[i] = ball_make(faces, kind == GRADED);
    }
    pair_pose(pair, kind, phase);
    for (int i = 0; i < 2; i++) {
        dent_body_def body = dent_surface_def_default();
        body.vertex_count = pair->balls[i].vertex_count;
        body.element_count = pair->balls[i].face_count;
        body.element_corners = pair->balls[i].corners;
        body.positions_t0 = dent_positions_double(pair->balls[i].xyz[0]);
        must(dent_world_add_body(pair->world, &body, &pair->ids[i]), "a body");
        must(dent_bound_tree_create(pair->world, pair->ids[i], def, &pair->trees[i]), "a tree");
    }
}

static void pair_close(struct pair *pair)
{
    for (int i = 0; i < 2; i++) {
        dent_bound_tree_destroy(pair->trees[i]);
        ball_free(&pair->balls[i]);
    }
    dent_world_destroy(pair->world);
}

static dent_time_critical *search_open(dent_context *context, const struct pair *pair, dent_refine_order order,
                                       uint32_t front)
{
    dent_time_critical_def def = dent_time_critical_def_default();
    dent_time_critical *search;
    def.tree_a = pair->trees[0];
    def.tree_b = pair->trees[1];
    def.order = order;
    def.front_capacity = front;
    def.pending_capacity = 1u << 18;
    def.confirmed_capacity = 1u << 17;
    def.pair_capacity = 1u << 20;
    must(dent_time_critical_create(context, &def, &search), "a search");
    return search;
}

/* ---- true errors ------------------------------------------------------------------------------------------------- */

static double face_distance(const double *const a[3], const double *const b[3])
{
    predicate_counters counters = {0};
    if (triangle_versus_triangle(a, b, &counters) != FACE_PAIR_NONE) {
        return 0;
    }
    double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        best = fmin(best, fmin(vertex_face_distance(a[i], b), vertex_face_distance(b[i], a)));
        for (int j = 0; j < 3; j++) {
            const double *edge_a[2] = {a[i], a[(i + 1) % 3]}, *edge_b[2] = {b[j], b[(j + 1) % 3]};
            best = fmin(best, edge_edge_distance(edge_a, edge_b));
        }
    }
    return best;
}

static void face_corners(const struct pair *pair, int side, uint32_t place, const double *corners[3])
{
    uint32_t face = dent_bound_tree_face_order(pair->trees[side])[place];
    for (int k = 0; k < 3; k++) {
        corners[k] = pair->balls[side].xyz[pair->balls[side].corners[3 * face + (uint32_t)k]];
    }
}

/* The distance of the faces below two nodes, if it is below `best`. */
static double true_gap(const struct pair *pair, uint32_t node_a, uint32_t node_b, double best)
{
    dent_bound_node a = dent_bound_tree_node(pair->trees[0], node_a), b = dent_bound_tree_node(pair->trees[1], node_b);
    double x = a.center[0] - b.center[0], y = a.center[1] - b.center[1], z = a.center[2] - b.center[2];
    if (best == 0 || sqrt(x * x + y * y + z * z) - a.radius - b.radius >= best) {
        return best;
    }
    if (a.child_count == 0 && b.child_count == 0) {
        for (uint32_t i = a.first_face; i < a.first_face + a.face_count; i++) {
            for (uint32_t j = b.first_face; j < b.first_face + b.face_count; j++) {
                const double *face_a[3], *face_b[3];
                face_corners(pair, 0, i, face_a);
                face_corners(pair, 1, j, face_b);
                best = fmin(best, face_distance(face_a, face_b));
            }
        }
        return best;
    }
    bool split_a = b.child_count == 0 || (a.child_count > 0 && a.radius >= b.radius);
    const dent_bound_node *split = split_a ? &a : &b;
    uint32_t order[8];
    double keys[8];
    for (uint32_t i = 0; i < split->child_count; i++) { /* nearest first */
        dent_bound_node child = dent_bound_tree_node(pair->trees[split_a ? 0 : 1], split->first_child + i);
        const double *other = split_a ? b.center : a.center;
        double dx = child.center[0] - other[0], dy = child.center[1] - other[1], dz = child.center[2] - other[2];
        double key = sqrt(dx * dx + dy * dy + dz * dz) - child.radius;
        uint32_t place = i;
        for (; place > 0 && keys[place - 1] > key; place--) {
            keys[place] = keys[place - 1];
            order[place] = order[place - 1];
        }
        keys[place] = key;
        order[place] = split->first_child + i;
    }
    for (uint32_t i = 0; i < split->child_count; i++) {
        best = split_a ? true_gap(pair, order[i], node_b, best) : true_gap(pair, node_a, order[i], best);
    }
    return best;
}

/* The largest true gap of a pending pair: how far off the answer "these may collide" is. */
static double true_error(const struct pair *pair, const dent_time_critical_result *result)
{
    double error = 0;
    uint32_t stride = 1 + result->pending_count / 4000; /* a sample of them, where there are very many */
    for (uint32_t i = 0; i < result->pending_count; i += stride) {
        error = fmax(error, true_gap(pair, result->pending[i].node_a, result->pending[i].node_b, INFINITY));
    }
    return error;
}

#endif
