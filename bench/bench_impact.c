/* The elementary impact tests on the data kit: nanoseconds per box-overlap candidate of the frame pairs for every
 * instruction set, the share each stage decides, colliding pairs alone, query files with their slowest query, hostile
 * exponents; and what a user would write (roots of the coplanarity cubic in double), with its misses and false alarms
 * counted.
 *
 * Candidates come from a plain sweep over the boxes of the step, pairs that share a vertex left out, in the order of
 * the sweep. Processor time; rows are measured in turns, figures are medians. Usage: bench_impact [turns [scene]],
 * DENT_DATA names the data kit.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <dent/base.h>
#include <dent/impact_io.h>
#include <dent/mesh_io.h>

#include "geometry/impact/impact_test.h"
#include "sort_times.h"

enum { TURNS_MAX = 51 };

struct box {
    double lo[3], hi[3];
    uint32_t number;
};

struct candidates {
    uint32_t (*corners)[4];
    uint64_t count, room;
};

struct scene {
    struct impact_vertex *vertices;
    uint32_t vertex_count, face_count, edge_count;
    const uint32_t *faces;
    uint32_t (*edges)[2];
    struct candidates candidates[2];
};

static void fail(const char *what)
{
    fprintf(stderr, "bench_impact: %s\n", what);
    exit(1);
}

static void *reserve(void *old, size_t bytes)
{
    void *memory = realloc(old, bytes);
    if (memory == NULL) {
        fail("out of memory");
    }
    return memory;
}

static double processor_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static double median(double *values, int count)
{
    sort_times(values, (size_t)count);
    return values[count / 2];
}

/* ------------------------------------------------------------------------------------------------------ candidates */

static int sweep_axis;

static int by_low_side(const void *a, const void *b)
{
    double x = ((const struct box *)a)->lo[sweep_axis], y = ((const struct box *)b)->lo[sweep_axis];
    return (x > y) - (x < y);
}

static int by_corners(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return x[1] != y[1] ? (x[1] > y[1] ? 1 : -1) : (x[0] > y[0]) - (x[0] < y[0]);
}

static struct box box_of(const struct scene *scene, const uint32_t *corners, int count, uint32_t number)
{
    struct box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, number};
    for (int i = 0; i < count; i++) {
        const struct impact_vertex *vertex = &scene->vertices[corners[i]];
        for (int axis = 0; axis < 3; axis++) {
            box.lo[axis] = fmin(box.lo[axis], fmin(vertex->start[axis], vertex->end[axis]));
            box.hi[axis] = fmax(box.hi[axis], fmax(vertex->start[axis], vertex->end[axis]));
        }
    }
    return box;
}

static bool boxes_meet(const struct box *a, const struct box *b)
{
    return a->lo[0] <= b->hi[0] && b->lo[0] <= a->hi[0] && a->lo[1] <= b->hi[1] && b->lo[1] <= a->hi[1] &&
           a->lo[2] <= b->hi[2] && b->lo[2] <= a->hi[2];
}

static void add_candidate(struct candidates *list, uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3)
{
    if (list->count == list->room) {
        list->room = list->room == 0 ? 1 << 16 : 2 * list->room;
        list->corners = reserve(list->corners, list->room * sizeof *list->corners);
    }
    uint32_t *corners = list->corners[list->count++];
    corners[0] = c0;
    corners[1] = c1;
    corners[2] = c2;
    corners[3] = c3;
}

static void sweep_edges(struct scene *scene)
{
    struct box *boxes = reserve(NULL, scene->edge_count * sizeof *boxes);
    for (uint32_t i = 0; i < scene->edge_count; i++) {
        boxes[i] = box_of(scene, scene->edges[i], 2, i);
    }
    qsort(boxes, scene->edge_count, sizeof *boxes, by_low_side);
    for (uint32_t i = 0; i < scene->edge_count; i++) {
        const uint32_t *a = scene->edges[boxes[i].number];
        for (uint32_t j = i + 1; j < scene->edge_count && boxes[j].lo[sweep_axis] <= boxes[i].hi[sweep_axis]; j++) {
            const uint32_t *b = scene->edges[boxes[j].number];
            if (boxes_meet(&boxes[i], &boxes[j]) && a[0] != b[0] && a[0] != b[1] && a[1] != b[0] && a[1] != b[1]) {
                bool rotated = boxes[j].number < boxes[i].number;
                const uint32_t *first = rotated ? b : a, *second = rotated ? a : b;
                add_candidate(&scene->candidates[IMPACT_EDGE_EDGE], first[0], first[1], second[0], second[1]);
            }
        }
    }
    free(boxes);
}

/* Vertices and faces in one sorted list: a face has a number from vertex_count on. */
static void sweep_faces(struct scene *scene)
{
    uint32_t count = scene->vertex_count + scene->face_count;
    struct box *boxes = reserve(NULL, count * sizeof *boxes);
    for (uint32_t i = 0; i < count; i++) {
        boxes[i] = i < scene->vertex_count ? box_of(scene, &i, 1, i)
                                           : box_of(scene, scene->faces + 3 * (size_t)(i - scene->vertex_count), 3, i);
    }
    qsort(boxes, count, sizeof *boxes, by_low_side);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = i + 1; j < count && boxes[j].lo[sweep_axis] <= boxes[i].hi[sweep_axis]; j++) {
            uint32_t vertex = boxes[i].number, face = boxes[j].number;
            if ((vertex < scene->vertex_count) == (face < scene->vertex_count)) {
                continue;
            }
            if (vertex > face) {
                uint32_t swap = vertex;
                vertex = face;
                face = swap;
            }
            const uint32_t *f = scene->faces + 3 * (size_t)(face - scene->vertex_count);
            if (boxes_meet(&boxes[i], &boxes[j]) && vertex != f[0] && vertex != f[1] && vertex != f[2]) {
                add_candidate(&scene->candidates[IMPACT_VERTEX_FACE], vertex, f[0], f[1], f[2]);
            }
        }
    }
    free(boxes);
}

static void collect_edges(struct scene *scene)
{
    uint32_t(*edges)[2] = reserve(NULL, 3 * (size_t)scene->face_count * sizeof *edges);
    uint32_t count = 0, kept = 0;
    for (uint32_t face = 0; face < scene->face_count; face++) {
        for (int k = 0; k < 3; k++) {
            uint32_t i = scene->faces[3 * face + k], j = scene->faces[3 * face + (k + 1) % 3];
            edges[count][0] = i < j ? i : j;
            edges[count++][1] = i < j ? j : i;
        }
    }
    qsort(edges, count, sizeof *edges, by_corners);
    for (uint32_t i = 0; i < count; i++) {
        if (kept == 0 || by_corners(edges[i], edges[kept - 1]) != 0) {
            memcpy(edges[kept++], edges[i], sizeof *edges);
        }
    }
    scene->edges = edges;
    scene->edge_count = kept;
}

/* The axis along which the scene is longest: fewest boxes stand beside one another. */
static void choose_axis(const struct scene *scene)
{
    double longest = -1.0;
    for (int axis = 0; axis < 3; axis++) {
        double lo = INFINITY, hi = -INFINITY;
        for (uint32_t i = 0; i < scene->vertex_count; i++) {
            lo = fmin(lo, scene->vertices[i].start[axis]);
            hi = fmax(hi, scene->vertices[i].start[axis]);
        }
        if (hi - lo > longest) {
            longest = hi - lo;
            sweep_axis = axis;
        }
    }
}

static void build_scene(struct scene *scene, const dent_mesh_body *first, const dent_mesh_body *second)
{
    memset(scene, 0, sizeof *scene);
    scene->vertex_count = first->vertex_count;
    scene->face_count = first->element_count;
    scene->faces = first->element_corners;
    scene->vertices = aligned_alloc(64, first->vertex_count * sizeof *scene->vertices);
    if (scene->vertices == NULL || second->vertex_count != first->vertex_count) {
        fail("frames do not fit each other");
    }
    for (uint32_t i = 0; i < first->vertex_count; i++) {
        memcpy(scene->vertices[i].start, first->positions + 3 * (size_t)i, 3 * sizeof(double));
        memcpy(scene->vertices[i].end, second->positions + 3 * (size_t)i, 3 * sizeof(double));
    }
    collect_edges(scene);
    choose_axis(scene);
    sweep_edges(scene);
    sweep_faces(scene);
}

/* ------------------------------------------------------------------------------------------- what a user would write
 */

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static double cubic(const double c[4], double t)
{
    return ((c[3] * t + c[2]) * t + c[1]) * t + c[0];
}

/* Roots in [0, 1]: monotone pieces between the zeros of the derivative, then bisection and Newton's method. */
static int plain_roots(const double c[4], double roots[3])
{
    double stops[4] = {0.0, 1.0, 1.0, 1.0};
    int stop_count = 1, count = 0;
    double square = c[2] * c[2] - 3.0 * c[3] * c[1];
    if (square > 0.0) {
        double s = c[2] < 0.0 ? -c[2] + sqrt(square) : -c[2] - sqrt(square);
        double x = s / (3.0 * c[3]), y = c[1] / s, low = x < y ? x : y, high = x < y ? y : x;
        stops[stop_count] = low;
        stop_count += low > 0.0 && low < 1.0;
        stops[stop_count] = high;
        stop_count += high > 0.0 && high < 1.0;
    }
    stops[stop_count] = 1.0;
    for (int i = 0; i < stop_count; i++) {
        double l = stops[i], r = stops[i + 1], at_l = cubic(c, l), at_r = cubic(c, r);
        if ((at_l < 0.0) == (at_r < 0.0) && at_l != 0.0 && at_r != 0.0) {
            continue;
        }
        double t = 0.5 * (l + r);
        for (int k = 0; k < 60; k++) {
            double value = cubic(c, t);
            if ((value < 0.0) == (at_l < 0.0)) {
                l = t;
            } else {
                r = t;
            }
            double next = t - value / ((3.0 * c[3] * t + 2.0 * c[2]) * t + c[1]);
            next = next > l && next < r ? next : 0.5 * (l + r);
            if (fabs(next - t) < 1e-15) {
                break;
            }
            t = next;
        }
        roots[count++] = t;
    }
    return count;
}

static void difference(const struct impact_vertex *to, const struct impact_vertex *from, double at[3], double speed[3])
{
    for (int axis = 0; axis < 3; axis++) {
        at[axis] = to->start[axis] - from->start[axis];
        speed[axis] = (to->end[axis] - from->end[axis]) - at[axis];
    }
}

static bool plain_inside(enum impact_kind kind, const double q[3], const double a[3], const double b[3])
{
    const double tolerance = 1e-9;
    double n[3], x[3], y[3];
    cross(a, b, n);
    double square = dot(n, n);
    if (square == 0.0) {
        return false;
    }
    cross(q, b, x);
    if (kind == IMPACT_VERTEX_FACE) {
        cross(a, q, y);
    } else {
        cross(q, a, y);
    }
    double u = dot(x, n) / square, v = dot(y, n) / square;
    return u >= -tolerance && v >= -tolerance &&
           (kind == IMPACT_VERTEX_FACE ? u + v <= 1.0 + tolerance : u <= 1.0 + tolerance && v <= 1.0 + tolerance);
}

static bool plain_test(enum impact_kind kind, const struct impact_vertex *const x[4])
{
    bool face = kind == IMPACT_VERTEX_FACE;
    double q[2][3], a[2][3], b[2][3], n0[3], n1[3], n2[3], other[3], roots[3];
    difference(x[face ? 0 : 2], x[face ? 1 : 0], q[0], q[1]);
    difference(x[face ? 2 : 1], x[face ? 1 : 0], a[0], a[1]);
    difference(x[3], x[face ? 1 : 2], b[0], b[1]);
    cross(a[0], b[0], n0);
    cross(a[0], b[1], n1);
    cross(a[1], b[0], other);
    cross(a[1], b[1], n2);
    for (int axis = 0; axis < 3; axis++) {
        n1[axis] += other[axis];
    }
    double c[4] = {dot(q[0], n0), dot(q[0], n1) + dot(q[1], n0), dot(q[0], n2) + dot(q[1], n1), dot(q[1], n2)};
    int count = plain_roots(c, roots);
    for (int i = 0; i < count; i++) {
        double at[3][3], t = roots[i];
        for (int axis = 0; axis < 3; axis++) {
            at[0][axis] = q[0][axis] + t * q[1][axis];
            at[1][axis] = a[0][axis] + t * a[1][axis];
            at[2][axis] = b[0][axis] + t * b[1][axis];
        }
        if (plain_inside(kind, at[0], at[1], at[2])) {
            return true;
        }
    }
    return false;
}

/* ------------------------------------------------------------------------------------------------------ frame pairs */

static struct impact_hit block_hits[IMPACT_BLOCK];

static uint64_t run_blocks(const struct scene *scene, enum impact_kind kind, dent_isa isa,
                           struct impact_counters *counters, uint32_t *found)
{
    static struct impact_workspace workspace;
    const struct candidates *list = &scene->candidates[kind];
    uint64_t hits = 0;
    for (uint64_t begin = 0; begin < list->count; begin += IMPACT_BLOCK) {
        uint64_t left = list->count - begin;
        struct impact_block block = {kind,
                                     left < IMPACT_BLOCK ? (uint32_t)left : IMPACT_BLOCK,
                                     scene->vertices,
                                     (const uint32_t(*)[4])list->corners + begin,
                                     1.0,
                                     false};
        uint32_t count = impact_test_block(&block, isa, &workspace, block_hits, counters);
        for (uint32_t i = 0; i < count && found != NULL; i++) {
            found[hits + i] = (uint32_t)begin + block_hits[i].candidate;
        }
        hits += count;
    }
    return hits;
}

static void pointers(const struct scene *scene, enum impact_kind kind, uint64_t candidate,
                     const struct impact_vertex *corners[4])
{
    for (int k = 0; k < 4; k++) {
        corners[k] = &scene->vertices[scene->candidates[kind].corners[candidate][k]];
    }
}

/* Nanoseconds per colliding pair, alone and one after the other. */
static double time_hits(const struct scene *scene, enum impact_kind kind, const uint32_t *found, uint64_t hits)
{
    double began = processor_ns(), sum = 0.0;
    for (uint64_t i = 0; i < hits; i++) {
        const struct impact_vertex *corners[4];
        struct impact_result result;
        pointers(scene, kind, found[i], corners);
        impact_test(kind, corners, 1.0, &result);
        sum += result.toi;
    }
    double time = (processor_ns() - began) / (double)(hits > 0 ? hits : 1);
    return sum >= 0.0 ? time : -1.0;
}

static double time_plain(const struct scene *scene, enum impact_kind kind, const uint32_t *found, uint64_t hits,
                         uint64_t *missed, uint64_t *invented)
{
    uint64_t next = 0;
    *missed = *invented = 0;
    double began = processor_ns();
    for (uint64_t i = 0; i < scene->candidates[kind].count; i++) {
        const struct impact_vertex *corners[4];
        pointers(scene, kind, i, corners);
        bool says = plain_test(kind, corners), is = next < hits && found[next] == i;
        next += is;
        *missed += is && !says;
        *invented += says && !is;
    }
    return (processor_ns() - began) / (double)scene->candidates[kind].count;
}

static void print_shares(const struct impact_counters *c)
{
    double per = 100.0 / (double)(c->queries > 0 ? c->queries : 1);
    printf("    axes %.2f %%, cubic %.2f %%, free axis %.2f %%, double free %.3f %%, hit %.3f %% (shared %" PRIu64
           "), exact free %" PRIu64 ", exact hit %" PRIu64 "\n",
           per * (double)c->free_by[IMPACT_STAGE_AXES], per * (double)c->free_by[IMPACT_STAGE_CUBIC],
           per * (double)c->free_by[IMPACT_STAGE_FREE_AXIS], per * (double)c->free_by[IMPACT_STAGE_DOUBLE],
           per * (double)c->hits_by[IMPACT_STAGE_DOUBLE], c->hits_by[IMPACT_STAGE_SHARED],
           c->free_by[IMPACT_STAGE_EXACT], c->hits_by[IMPACT_STAGE_EXACT]);
}

struct totals {
    double ns[DENT_ISA_COUNT], candidates, hit_ns, hits;
    uint64_t missed, invented, exact;
};

/* Minimum separation of a thousandth of the mean edge: nanoseconds per candidate (of unseparated boxes), one thread. */
static double time_separation(const struct scene *scene, enum impact_kind kind, uint64_t *hits)
{
    static struct impact_workspace workspace;
    const struct candidates *list = &scene->candidates[kind];
    double sum = 0.0;
    for (uint32_t i = 0; i < scene->edge_count; i++) {
        const struct impact_vertex *a = &scene->vertices[scene->edges[i][0]], *b = &scene->vertices[scene->edges[i][1]];
        sum += sqrt((a->start[0] - b->start[0]) * (a->start[0] - b->start[0]) +
                    (a->start[1] - b->start[1]) * (a->start[1] - b->start[1]) +
                    (a->start[2] - b->start[2]) * (a->start[2] - b->start[2]));
    }
    double edge = sum / scene->edge_count;
    struct impact_separation separation = {.distance = 1e-3 * edge, .tolerance = 1e-6 * edge, .no_zero_toi = true};
    struct impact_counters counters = {0};
    double began = processor_ns();
    *hits = 0;
    for (uint64_t begin = 0; begin < list->count; begin += IMPACT_BLOCK) {
        uint64_t left = list->count - begin;
        struct impact_block block = {kind,
                                     left < IMPACT_BLOCK ? (uint32_t)left : IMPACT_BLOCK,
                                     scene->vertices,
                                     (const uint32_t(*)[4])list->corners + begin,
                                     1.0,
                                     false};
        *hits += impact_test_separation_block(&block, &separation, DENT_ISA_SCALAR, &workspace, block_hits, &counters);
    }
    return (processor_ns() - began) / (double)list->count;
}

static void bench_kind(const struct scene *scene, enum impact_kind kind, int turns, struct totals *totals)
{
    static double times[DENT_ISA_COUNT][TURNS_MAX], alone[TURNS_MAX], plain[TURNS_MAX];
    uint64_t count = scene->candidates[kind].count, hits = 0, missed = 0, invented = 0;
    uint32_t *found = reserve(NULL, (count + 1) * sizeof *found);
    struct impact_counters counters = {0};
    hits = run_blocks(scene, kind, DENT_ISA_SCALAR, &counters, found);
    for (int turn = 0; turn < turns; turn++) {
        for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
            if (dent_isa_available((dent_isa)isa)) {
                struct impact_counters again = {0};
                double began = processor_ns();
                if (run_blocks(scene, kind, (dent_isa)isa, &again, NULL) != hits ||
                    memcmp(&again, &counters, sizeof again) != 0) {
                    fail("instruction sets differ");
                }
                times[isa][turn] = (processor_ns() - began) / (double)count;
            }
        }
        alone[turn] = time_hits(scene, kind, found, hits);
        plain[turn] = time_plain(scene, kind, found, hits, &missed, &invented);
    }
    printf("  %s: %" PRIu64 " candidates, %" PRIu64 " hits; ns per candidate:",
           kind == IMPACT_EDGE_EDGE ? "edge-edge" : "vertex-face", count, hits);
    for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        if (dent_isa_available((dent_isa)isa)) {
            double ns = median(times[isa], turns);
            totals->ns[isa] += ns * (double)count;
            printf(" %s %.1f", dent_isa_name((dent_isa)isa), ns);
        }
    }
    double ns = median(alone, turns);
    printf("; per hit %.0f; plain cubic %.1f, missed %" PRIu64 ", invented %" PRIu64 "\n", ns, median(plain, turns),
           missed, invented);
    print_shares(&counters);
    uint64_t near = 0;
    double separation = time_separation(scene, kind, &near);
    printf("    separation of 0.001 mean edges: %.1f ns per candidate, %" PRIu64 " hits\n", separation, near);
    totals->candidates += (double)count;
    totals->hits += (double)hits;
    totals->hit_ns += ns * (double)hits;
    totals->missed += missed;
    totals->invented += invented;
    totals->exact += counters.free_by[IMPACT_STAGE_EXACT] + counters.hits_by[IMPACT_STAGE_EXACT];
    free(found);
}

static void bench_scene(dent_context *context, const char *data, const char *name, const char *first,
                        const char *second, int turns, struct totals *totals)
{
    char path[2][1024];
    dent_mesh *meshes[2];
    struct scene scene;
    snprintf(path[0], sizeof path[0], "%s/frames/%s/frames/%s.ply.xz", data, name, first);
    snprintf(path[1], sizeof path[1], "%s/frames/%s/frames/%s.ply.xz", data, name, second);
    for (int i = 0; i < 2; i++) {
        if (dent_mesh_read(context, path[i], NULL, &meshes[i]) != DENT_OK) {
            fail(path[i]);
        }
    }
    build_scene(&scene, &meshes[0]->bodies[0], &meshes[1]->bodies[0]);
    printf("%s\n", name);
    bench_kind(&scene, IMPACT_EDGE_EDGE, turns, totals);
    bench_kind(&scene, IMPACT_VERTEX_FACE, turns, totals);
    free(scene.vertices);
    free(scene.edges);
    free(scene.candidates[0].corners);
    free(scene.candidates[1].corners);
    dent_mesh_destroy(context, meshes[0]);
    dent_mesh_destroy(context, meshes[1]);
}

static void print_totals(const struct totals *totals)
{
    printf("all: %.0f candidates; ns per candidate:", totals->candidates);
    for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        if (dent_isa_available((dent_isa)isa)) {
            printf(" %s %.1f", dent_isa_name((dent_isa)isa), totals->ns[isa] / totals->candidates);
        }
    }
    printf("; %.0f hits, %.0f ns each; exact calls %" PRIu64 "; plain cubic missed %" PRIu64 ", invented %" PRIu64 "\n",
           totals->hits, totals->hit_ns / totals->hits, totals->exact, totals->missed, totals->invented);
}

/* ------------------------------------------------------------------------------------------------------ query files */

static void load_query(const dent_impact_query *query, struct impact_vertex vertices[4])
{
    for (int i = 0; i < 4; i++) {
        memcpy(vertices[i].start, query->points_t0[i], 3 * sizeof(double));
        memcpy(vertices[i].end, query->points_t1[i], 3 * sizeof(double));
    }
}

/* The best of five runs of one query, in nanoseconds. */
static double time_query(enum impact_kind kind, const struct impact_vertex *const corners[4], bool exact,
                         struct impact_result *result)
{
    double best = INFINITY;
    for (int i = 0; i < 5; i++) {
        double began = processor_ns();
        if (exact) {
            impact_test_exact(NULL, kind, corners, result);
        } else {
            impact_test(kind, corners, 1.0, result);
        }
        best = fmin(best, processor_ns() - began);
    }
    return best;
}

/* The same for queries in one block, on the widest instruction set there is. */
static double time_query_block(enum impact_kind kind, const struct impact_vertex *vertices, uint32_t count)
{
    static uint32_t corners[IMPACT_BLOCK][4];
    static struct impact_hit hits[IMPACT_BLOCK];
    static struct impact_workspace workspace;
    struct impact_counters counters = {0};
    struct impact_block block = {kind, count, vertices, (const uint32_t(*)[4])corners, 1.0, false};
    double best = INFINITY;
    int isa = DENT_ISA_COUNT - 1;
    while (!dent_isa_available((dent_isa)isa)) {
        isa--;
    }
    for (uint32_t i = 0; i < 4 * count; i++) {
        corners[i / 4][i % 4] = i;
    }
    for (int i = 0; i < 5; i++) {
        double began = processor_ns();
        impact_test_block(&block, (dent_isa)isa, &workspace, hits, &counters);
        best = fmin(best, processor_ns() - began);
    }
    return best;
}

struct query_figures {
    double sum, slowest, exact_sum, exact_slowest, block_sum, alone_slowest;
    uint32_t queries, exact_calls, wrong, plain_missed, plain_invented;
};

static void bench_query_blocks(enum impact_kind kind, const dent_impact_queries *file, struct query_figures *figures)
{
    static struct impact_vertex vertices[4 * IMPACT_BLOCK];
    for (uint32_t first = 0; first < file->count; first += IMPACT_BLOCK) {
        uint32_t count = file->count - first < IMPACT_BLOCK ? file->count - first : IMPACT_BLOCK;
        for (uint32_t i = 0; i < count; i++) {
            load_query(&file->queries[first + i], vertices + 4 * i);
        }
        figures->block_sum += time_query_block(kind, vertices, count);
        for (uint32_t i = 0; i < count; i++) {
            figures->alone_slowest = fmax(figures->alone_slowest, time_query_block(kind, vertices + 4 * i, 1));
        }
    }
}

static void bench_queries(dent_context *context, const char *path, struct query_figures *figures)
{
    dent_impact_queries *file;
    if (dent_impact_queries_read(context, path, NULL, &file) != DENT_OK || file->truth == NULL) {
        fail(path);
    }
    enum impact_kind kind = file->kind == DENT_IMPACT_VERTEX_FACE ? IMPACT_VERTEX_FACE : IMPACT_EDGE_EDGE;
    for (uint32_t i = 0; i < file->count; i++) {
        struct impact_vertex vertices[4];
        const struct impact_vertex *corners[4] = {&vertices[0], &vertices[1], &vertices[2], &vertices[3]};
        struct impact_result result;
        load_query(&file->queries[i], vertices);
        double exact = time_query(kind, corners, true, &result);
        double time = time_query(kind, corners, false, &result);
        bool plain = plain_test(kind, corners);
        figures->sum += time;
        figures->slowest = fmax(figures->slowest, time);
        figures->exact_sum += exact;
        figures->exact_slowest = fmax(figures->exact_slowest, exact);
        figures->exact_calls += result.stage == IMPACT_STAGE_EXACT;
        figures->wrong += (result.answer == IMPACT_HIT) != file->truth[i];
        figures->plain_missed += file->truth[i] && !plain;
        figures->plain_invented += !file->truth[i] && plain;
    }
    bench_query_blocks(kind, file, figures);
    figures->queries += file->count;
    dent_impact_queries_destroy(context, file);
}

static void print_queries(const char *name, const struct query_figures *f)
{
    double per = 1e-3 / (double)f->queries;
    printf(
        "%-12s %5u queries, wrong %u: %.2f us each, slowest %.1f us, exact calls %u; in blocks %.2f us each, slowest "
        "block of one %.1f us; exact alone %.2f us each, slowest %.1f us; plain cubic missed %u, invented %u\n",
        name, f->queries, f->wrong, per * f->sum, 1e-3 * f->slowest, f->exact_calls, per * f->block_sum,
        1e-3 * f->alone_slowest, per * f->exact_sum, 1e-3 * f->exact_slowest, f->plain_missed, f->plain_invented);
}

static void bench_query_files(dent_context *context, const char *data)
{
    static const char *const handmade[] = {"erleben-cube-cliff-edges",
                                           "erleben-cube-internal-edges",
                                           "erleben-sliding-spike",
                                           "erleben-sliding-wedge",
                                           "erleben-spike-crack",
                                           "erleben-spike-hole",
                                           "erleben-spike-wedge",
                                           "erleben-spikes",
                                           "erleben-wedge-crack",
                                           "erleben-wedges",
                                           "unit-tests"};
    static const char *const simulated[] = {"armadillo-rollers/queries/326vf", "armadillo-rollers/queries/326ee_subset",
                                            "cloth-funnel/queries/227vf", "cloth-funnel/queries/227ee"};
    struct query_figures figures = {0};
    char path[1024];
    for (size_t i = 0; i < 2 * (sizeof handmade / sizeof handmade[0]); i++) {
        snprintf(path, sizeof path, "%s/ccd/handcrafted/%s/%s/data_0_0%s.csv.xz", data, handmade[i / 2],
                 i % 2 == 0 ? "edge-edge" : "vertex-face", i / 2 == 5 ? "_even" : "");
        bench_queries(context, path, &figures);
    }
    print_queries("handcrafted", &figures);
    figures = (struct query_figures){0};
    for (size_t i = 0; i < sizeof simulated / sizeof simulated[0]; i++) {
        snprintf(path, sizeof path, "%s/ccd/simulation/%s.csv.xz", data, simulated[i]);
        bench_queries(context, path, &figures);
    }
    print_queries("simulation", &figures);
}

/* Random coordinates whose exponents spread over a range: what integers of growing length cost. */
static void bench_spread(void)
{
    static const int spreads[] = {0, 60, 300, 1000, 2040};
    dent_random random = dent_random_seeded(1);
    for (size_t s = 0; s < sizeof spreads / sizeof spreads[0]; s++) {
        double sum = 0.0, slowest = 0.0;
        for (int i = 0; i < 200; i++) {
            struct impact_vertex vertices[4];
            const struct impact_vertex *corners[4] = {&vertices[0], &vertices[1], &vertices[2], &vertices[3]};
            struct impact_result result;
            for (int k = 0; k < 4; k++) {
                for (int axis = 0; axis < 3; axis++) {
                    double *ends[2] = {&vertices[k].start[axis], &vertices[k].end[axis]};
                    for (int end = 0; end < 2; end++) {
                        int exponent = (int)dent_random_below(&random, (uint32_t)spreads[s] + 1) - spreads[s] / 2;
                        *ends[end] = ldexp(dent_random_unit(&random) - 0.5, exponent);
                    }
                }
            }
            double time = time_query(i % 2 == 0 ? IMPACT_VERTEX_FACE : IMPACT_EDGE_EDGE, corners, true, &result);
            sum += time;
            slowest = fmax(slowest, time);
        }
        printf("exponents over %4d bits: exact %.1f us each, slowest %.1f us\n", spreads[s], 1e-3 * sum / 200,
               1e-3 * slowest);
    }
}

int main(int argc, char **argv)
{
    static const char *const scenes[][3] = {{"armadillo-rollers", "326", "327"},
                                            {"cloth-ball", "cloth_ball92", "cloth_ball93"},
                                            {"cloth-funnel", "227", "228"}};
    int turns = argc > 1 ? atoi(argv[1]) : 5;
    turns = turns < 1 ? 1 : turns > TURNS_MAX ? TURNS_MAX : turns;
    const char *data = getenv("DENT_DATA");
    if (data == NULL) {
        fail("DENT_DATA must name the data kit");
    }
    dent_context *context = dent_context_create(NULL, NULL);
    if (context == NULL) {
        fail("no context");
    }
    struct totals totals = {0};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        if (argc <= 2 || strcmp(argv[2], scenes[i][0]) == 0) {
            bench_scene(context, data, scenes[i][0], scenes[i][1], scenes[i][2], turns, &totals);
        }
    }
    print_totals(&totals);
    bench_query_files(context, data);
    bench_spread();
    dent_context_destroy(context);
    return 0;
}
