/* Cluster search against plain peers on the built-in scenes: with and without the certificate, on every instruction
 * set.
 *
 * Peers: for vertex-cell a plain counting-sort grid (vertices sorted into cells of the mean edge, each tetrahedron
 * walks the cells of its box, box check in doubles, then the exact test), at the best of three cell sizes; for
 * face-cell a refitted tree of boxes over the cells (one cell a leaf), each face descends it, then the exact test. Both
 * leave out pairs that share a vertex. Variants are run in turns over the frames, each run preceded by one that is not
 * measured, pair lists compared by count and by a hash of the sorted pairs, medians printed in milliseconds. Queries
 * include reading positions and the canonical sort; details are left out on all sides (--details: with).
 *
 * Usage: bench_cluster [--rounds N] [--frames N] [--threads N] [--scale S] [--no-peers] [--details] [--isa I]
 * [--no-reference] [--cold] [--only 1|2|3|5|6] SCENE...
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <dent/dent.h>
#include <dent/experimental.h>
#include <dent/scene.h>

#include "geometry/predicates/tetrahedron_predicates.h"
#include "sort_times.h"

enum { ROUNDS_MAX = 2001, VARIANTS_MAX = 24 };

struct options {
    uint32_t rounds, frames, threads;
    double scale;
    bool peers, details, reference;
    bool cold;     /* caches are emptied before every measured run */
    dent_isa isa;  /* AUTO: all */
    uint32_t only; /* 1, 2, 3: this question with the certificate, 5, 6: without, nothing else; for profilers */
};

/* ---- a scene in a world ---------------------------------------------------------------------- */

struct stage {
    dent_context *context;
    dent_scene *scene;
    dent_world *world;
    uint32_t bodies;
    double **positions;
};

static void pose(struct stage *stage, uint32_t frame)
{
    for (uint32_t i = 0; i < stage->bodies; i++) {
        dent_scene_positions(stage->scene, i, frame, stage->positions[i]);
    }
}

static bool open_stage(struct stage *stage, const char *name, const struct options *options, dent_isa isa)
{
    dent_context_def context_def = dent_context_def_default();
    dent_scene_def scene_def = dent_scene_def_default();
    context_def.thread_count = options->threads;
    context_def.isa = isa;
    scene_def.name = name;
    scene_def.scale = options->scale;
    *stage = (struct stage){.context = dent_context_create(&context_def, NULL)};
    if (!stage->context || dent_scene_create(stage->context, &scene_def, &stage->scene) != DENT_OK) {
        fprintf(stderr, "no scene %s\n", name);
        return false;
    }
    stage->world = dent_world_create(stage->context);
    stage->bodies = dent_scene_body_count(stage->scene);
    stage->positions = calloc(stage->bodies, sizeof *stage->positions);
    for (uint32_t i = 0; i < stage->bodies; i++) {
        const dent_scene_body *body = dent_scene_body_at(stage->scene, i);
        dent_body_def def = body->kind == DENT_BODY_SOLID ? dent_solid_def_default() : dent_surface_def_default();
        dent_body_id id;
        stage->positions[i] = calloc(body->vertex_count, 3 * sizeof(double));
        def.vertex_count = body->vertex_count;
        def.element_count = body->element_count;
        def.element_corners = body->element_corners;
        def.positions_t0 = dent_positions_double(stage->positions[i]);
        if (body->kind == DENT_BODY_SOLID && body->reference && options->reference) {
            def.reference = dent_positions_double(body->reference);
        }
        if (dent_world_add_body(stage->world, &def, &id) != DENT_OK) {
            fprintf(stderr, "%s\n", dent_world_message(stage->world));
            return false;
        }
    }
    return true;
}

static void close_stage(struct stage *stage)
{
    dent_world_destroy(stage->world);
    for (uint32_t i = 0; i < stage->bodies; i++) {
        free(stage->positions[i]);
    }
    free(stage->positions);
    dent_scene_destroy(stage->scene);
    dent_context_destroy(stage->context);
}

/* ---- peers ----------------------------------------------------------------------------------- */

/* All bodies in one numbering. */
struct flat_scene {
    uint32_t vertex_count, cell_count, face_count;
    double (*xyz)[3];
    uint32_t (*cells)[4];
    uint32_t (*faces)[3];
    uint32_t *body_of_vertex, *body_of_cell, *first_vertex, *first_cell, *face_body, *face_number;
    double mean_edge;
};

struct pair_set {
    uint64_t *keys_a, *keys_b;
    size_t count, capacity;
};

static void push_pair(struct pair_set *set, uint32_t body_a, uint32_t a, uint32_t body_b, uint32_t b)
{
    if (set->count == set->capacity) {
        set->capacity = 2 * set->capacity + 1024;
        set->keys_a = realloc(set->keys_a, set->capacity * sizeof *set->keys_a);
        set->keys_b = realloc(set->keys_b, set->capacity * sizeof *set->keys_b);
    }
    set->keys_a[set->count] = (uint64_t)body_a << 32 | a;
    set->keys_b[set->count++] = (uint64_t)body_b << 32 | b;
}

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t x = a * UINT64_C(0x9E3779B97F4A7C15) ^ (b + UINT64_C(0x7F4A7C15)) * UINT64_C(0xC2B2AE3D27D4EB4F);
    x ^= x >> 29;
    return x * UINT64_C(0xBF58476D1CE4E5B9);
}

/* Independent of the order. */
static uint64_t hash_set(const struct pair_set *set)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < set->count; i++) {
        sum += mix(set->keys_a[i], set->keys_b[i]);
    }
    return sum;
}

static uint64_t hash_list(const dent_pair_list *list)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < list->count; i++) {
        const dent_pair *p = &list->pairs[i];
        sum += mix((uint64_t)p->body_a << 32 | p->feature_a, (uint64_t)p->body_b << 32 | p->feature_b);
    }
    return sum;
}

static void flatten(struct flat_scene *flat, const struct stage *stage)
{
    *flat = (struct flat_scene){0};
    for (uint32_t i = 0; i < stage->bodies; i++) {
        const dent_scene_body *body = dent_scene_body_at(stage->scene, i);
        uint32_t faces;
        dent_body_surface_faces(stage->world, dent_world_body_at(stage->world, i), &faces);
        flat->vertex_count += body->vertex_count;
        flat->cell_count += body->kind == DENT_BODY_SOLID ? body->element_count : 0;
        flat->face_count += faces;
    }
    flat->xyz = calloc(flat->vertex_count, sizeof *flat->xyz);
    flat->cells = calloc(flat->cell_count + 1, sizeof *flat->cells);
    flat->faces = calloc(flat->face_count + 1, sizeof *flat->faces);
    flat->body_of_vertex = calloc(flat->vertex_count, sizeof(uint32_t));
    flat->body_of_cell = calloc(flat->cell_count + 1, sizeof(uint32_t));
    flat->first_vertex = calloc(stage->bodies, sizeof(uint32_t));
    flat->first_cell = calloc(stage->bodies, sizeof(uint32_t));
    flat->face_body = calloc(flat->face_count + 1, sizeof(uint32_t));
    flat->face_number = calloc(flat->face_count + 1, sizeof(uint32_t));
    uint32_t vertex = 0, cell = 0, face = 0;
    double edges = 0;
    for (uint32_t i = 0; i < stage->bodies; i++) {
        const dent_scene_body *body = dent_scene_body_at(stage->scene, i);
        uint32_t faces;
        const dent_surface_face *list =
            dent_body_surface_faces(stage->world, dent_world_body_at(stage->world, i), &faces);
        flat->first_vertex[i] = vertex;
        flat->first_cell[i] = cell;
        for (uint32_t f = 0; f < faces; f++, face++) {
            for (int k = 0; k < 3; k++) {
                flat->faces[face][k] = vertex + list[f].corners[k];
            }
            flat->face_body[face] = i;
            flat->face_number[face] = f;
        }
        for (uint32_t c = 0; body->kind == DENT_BODY_SOLID && c < body->element_count; c++, cell++) {
            for (int k = 0; k < 4; k++) {
                flat->cells[cell][k] = vertex + body->element_corners[4 * c + (uint32_t)k];
            }
            flat->body_of_cell[cell] = i;
            const double *p = &stage->positions[i][3 * body->element_corners[4 * c]],
                         *q = &stage->positions[i][3 * body->element_corners[4 * c + 1]];
            edges +=
                sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]));
        }
        for (uint32_t v = 0; v < body->vertex_count; v++) {
            flat->body_of_vertex[vertex++] = i;
        }
    }
    flat->mean_edge = edges / (cell ? cell : 1);
}

static void free_flat(struct flat_scene *flat)
{
    void *const blocks[] = {flat->xyz,          flat->cells,        flat->faces,      flat->body_of_vertex,
                            flat->body_of_cell, flat->first_vertex, flat->first_cell, flat->face_body,
                            flat->face_number};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        free(blocks[i]);
    }
}

static void read_positions(struct flat_scene *flat, const struct stage *stage)
{
    uint32_t vertex = 0;
    for (uint32_t i = 0; i < stage->bodies; i++) {
        uint32_t count = dent_scene_body_at(stage->scene, i)->vertex_count;
        memcpy(flat->xyz[vertex], stage->positions[i], count * sizeof *flat->xyz);
        vertex += count;
    }
}

struct grid_memory {
    uint32_t *cell_of, *sorted, *first;
    size_t first_size;
};

/* The plain grid. */
static void grid_peer(const struct flat_scene *flat, double cell, struct grid_memory *memory, struct pair_set *set)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    uint32_t size[3];
    predicate_counters counters = {0};
    for (uint32_t v = 0; v < flat->vertex_count; v++) {
        for (int k = 0; k < 3; k++) {
            lo[k] = flat->xyz[v][k] < lo[k] ? flat->xyz[v][k] : lo[k];
            hi[k] = flat->xyz[v][k] > hi[k] ? flat->xyz[v][k] : hi[k];
        }
    }
    double inverse = 1 / cell;
    for (int k = 0; k < 3; k++) {
        size[k] = (uint32_t)((hi[k] - lo[k]) * inverse) + 1;
    }
    size_t total = (size_t)size[0] * size[1] * size[2];
    if (total + 1 > memory->first_size) {
        memory->first_size = total + 1;
        memory->first = realloc(memory->first, memory->first_size * sizeof *memory->first);
        memory->cell_of = realloc(memory->cell_of, flat->vertex_count * sizeof *memory->cell_of);
        memory->sorted = realloc(memory->sorted, flat->vertex_count * sizeof *memory->sorted);
    }
    memset(memory->first, 0, (total + 1) * sizeof *memory->first);
    for (uint32_t v = 0; v < flat->vertex_count; v++) {
        uint32_t c[3];
        for (int k = 0; k < 3; k++) {
            c[k] = (uint32_t)((flat->xyz[v][k] - lo[k]) * inverse);
        }
        memory->cell_of[v] = (c[2] * size[1] + c[1]) * size[0] + c[0];
        memory->first[memory->cell_of[v]]++;
    }
    uint32_t end = 0;
    for (size_t c = 0; c <= total; c++) {
        end += memory->first[c];
        memory->first[c] = end;
    }
    for (uint32_t v = flat->vertex_count; v-- > 0;) {
        memory->sorted[--memory->first[memory->cell_of[v]]] = v;
    }
    set->count = 0;
    for (uint32_t t = 0; t < flat->cell_count; t++) {
        const uint32_t *c = flat->cells[t];
        const double *p[4] = {flat->xyz[c[0]], flat->xyz[c[1]], flat->xyz[c[2]], flat->xyz[c[3]]};
        double box_lo[3], box_hi[3];
        uint32_t from[3], to[3];
        for (int k = 0; k < 3; k++) {
            double a = p[0][k] < p[1][k] ? p[0][k] : p[1][k], b = p[2][k] < p[3][k] ? p[2][k] : p[3][k];
            box_lo[k] = a < b ? a : b;
            a = p[0][k] > p[1][k] ? p[0][k] : p[1][k];
            b = p[2][k] > p[3][k] ? p[2][k] : p[3][k];
            box_hi[k] = a > b ? a : b;
            from[k] = (uint32_t)((box_lo[k] - lo[k]) * inverse);
            to[k] = (uint32_t)((box_hi[k] - lo[k]) * inverse);
        }
        for (uint32_t z = from[2]; z <= to[2]; z++) {
            for (uint32_t y = from[1]; y <= to[1]; y++) {
                size_t row = ((size_t)z * size[1] + y) * size[0];
                for (uint32_t i = memory->first[row + from[0]]; i < memory->first[row + to[0] + 1]; i++) {
                    uint32_t v = memory->sorted[i];
                    const double *x = flat->xyz[v];
                    if (x[0] < box_lo[0] || x[0] > box_hi[0] || x[1] < box_lo[1] || x[1] > box_hi[1] ||
                        x[2] < box_lo[2] || x[2] > box_hi[2] || v == c[0] || v == c[1] || v == c[2] || v == c[3]) {
                        continue;
                    }
                    if (vertex_in_tetrahedron(x, p[0], p[1], p[2], p[3], &counters)) {
                        uint32_t a = flat->body_of_vertex[v], b = flat->body_of_cell[t];
                        push_pair(set, a, v - flat->first_vertex[a], b, t - flat->first_cell[b]);
                    }
                }
            }
        }
    }
}

struct tree_node {
    double lo[3], hi[3];
    uint32_t left, count; /* count 0: children left, left + 1; else cells order[left ...] */
};

struct tree_memory {
    struct tree_node *nodes;
    uint32_t node_count, *order;
};

static const double (*sort_middles)[3];
static int sort_axis;

static int compare_middles(const void *a, const void *b)
{
    double x = sort_middles[*(const uint32_t *)a][sort_axis], y = sort_middles[*(const uint32_t *)b][sort_axis];
    return (x > y) - (x < y);
}

static void build_node(struct tree_memory *tree, uint32_t node, uint32_t first, uint32_t count)
{
    if (count <= 1) {
        tree->nodes[node].left = first;
        tree->nodes[node].count = count;
        return;
    }
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = first; i < first + count; i++) {
        for (int k = 0; k < 3; k++) {
            double x = sort_middles[tree->order[i]][k];
            lo[k] = x < lo[k] ? x : lo[k];
            hi[k] = x > hi[k] ? x : hi[k];
        }
    }
    sort_axis = hi[0] - lo[0] > hi[1] - lo[1] ? 0 : 1;
    sort_axis = hi[2] - lo[2] > hi[sort_axis] - lo[sort_axis] ? 2 : sort_axis;
    qsort(tree->order + first, count, sizeof *tree->order, compare_middles);
    uint32_t left = tree->node_count;
    tree->node_count += 2;
    tree->nodes[node].left = left;
    tree->nodes[node].count = 0;
    build_node(tree, left, first, count / 2);
    build_node(tree, left + 1, first + count / 2, count - count / 2);
}

static void build_tree(struct tree_memory *tree, const struct flat_scene *flat)
{
    double(*middles)[3] = calloc(flat->cell_count + 1, sizeof *middles);
    tree->nodes = calloc(2 * (size_t)flat->cell_count + 2, sizeof *tree->nodes);
    tree->order = calloc(flat->cell_count + 1, sizeof *tree->order);
    for (uint32_t t = 0; t < flat->cell_count; t++) {
        tree->order[t] = t;
        for (int k = 0; k < 3; k++) {
            for (int c = 0; c < 4; c++) {
                middles[t][k] += 0.25 * flat->xyz[flat->cells[t][c]][k];
            }
        }
    }
    sort_middles = (const double(*)[3])middles;
    tree->node_count = 1;
    build_node(tree, 0, 0, flat->cell_count);
    free(middles);
}

static void refit_tree(struct tree_memory *tree, const struct flat_scene *flat)
{
    for (uint32_t n = tree->node_count; n-- > 0;) {
        struct tree_node *node = &tree->nodes[n];
        for (int k = 0; k < 3; k++) {
            if (node->count == 0) {
                const struct tree_node *a = &tree->nodes[node->left], *b = a + 1;
                node->lo[k] = a->lo[k] < b->lo[k] ? a->lo[k] : b->lo[k];
                node->hi[k] = a->hi[k] > b->hi[k] ? a->hi[k] : b->hi[k];
                continue;
            }
            const uint32_t *c = flat->cells[tree->order[node->left]];
            double lo = flat->xyz[c[0]][k], hi = lo;
            for (int corner = 1; corner < 4; corner++) {
                double x = flat->xyz[c[corner]][k];
                lo = x < lo ? x : lo;
                hi = x > hi ? x : hi;
            }
            node->lo[k] = lo;
            node->hi[k] = hi;
        }
    }
}

/* The refitted tree. */
static void tree_peer(const struct flat_scene *flat, struct tree_memory *tree, struct pair_set *set)
{
    predicate_counters counters = {0};
    refit_tree(tree, flat);
    set->count = 0;
    for (uint32_t f = 0; f < flat->face_count; f++) {
        const uint32_t *c = flat->faces[f];
        const double *p[3] = {flat->xyz[c[0]], flat->xyz[c[1]], flat->xyz[c[2]]};
        double lo[3], hi[3];
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(p[0][k], fmin(p[1][k], p[2][k]));
            hi[k] = fmax(p[0][k], fmax(p[1][k], p[2][k]));
        }
        uint32_t stack[128], depth = 0;
        stack[depth++] = 0;
        while (depth) {
            const struct tree_node *node = &tree->nodes[stack[--depth]];
            if (node->lo[0] > hi[0] || node->hi[0] < lo[0] || node->lo[1] > hi[1] || node->hi[1] < lo[1] ||
                node->lo[2] > hi[2] || node->hi[2] < lo[2]) {
                continue;
            }
            if (node->count == 0) {
                stack[depth++] = node->left;
                stack[depth++] = node->left + 1;
                continue;
            }
            uint32_t t = tree->order[node->left];
            const uint32_t *d = flat->cells[t];
            bool shared = false;
            for (int i = 0; i < 3; i++) {
                shared |= c[i] == d[0] || c[i] == d[1] || c[i] == d[2] || c[i] == d[3];
            }
            const double *q[4] = {flat->xyz[d[0]], flat->xyz[d[1]], flat->xyz[d[2]], flat->xyz[d[3]]};
            if (!shared && triangle_meets_open_tetrahedron(p, q, &counters)) {
                uint32_t b = flat->body_of_cell[t];
                push_pair(set, flat->face_body[f], flat->face_number[f], b, t - flat->first_cell[b]);
            }
        }
    }
}

/* ---- caches ---------------------------------------------------------------------------------- */

/* Writes over more than the caches hold, as other work between two steps would. */
static void empty_caches(void)
{
    enum { MEGABYTES = 96 };
    static unsigned char *other_work;
    size_t size = (size_t)MEGABYTES << 20;
    if (!other_work) {
        other_work = malloc(size);
    }
    for (size_t i = 0; other_work && i < size; i += 64) {
        other_work[i]++;
    }
}

/* ---- variants -------------------------------------------------------------------------------- */

struct variant {
    char name[48];
    dent_question question;
    int peer; /* 0: dent; 1: grid; 2: tree */
    double cell;
    uint32_t stage;
    bool no_certificate;
    double times[ROUNDS_MAX * 2];
    uint32_t count;
    uint64_t pairs, hash;
    dent_query_counters counters;
};

/* Processor time of this thread, so that other work on the machine disturbs less; with more threads the time that
 * passed. */
static uint64_t now(const struct options *options)
{
    struct timespec time;
    if (options->threads != 1) {
        return dent_clock_ns();
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void run_variant(struct variant *variant, struct stage *stages, struct flat_scene *flat,
                        struct grid_memory *grid, struct tree_memory *tree, struct pair_set *set,
                        const struct options *options, bool keep)
{
    uint64_t begin = now(options), end;
    if (variant->peer == 0) {
        dent_experiments experiments = dent_experiments_default();
        dent_query_def def = dent_query_def_default();
        dent_query_result result;
        experiments.cluster_search.no_certificate = variant->no_certificate;
        def.questions = variant->question;
        def.method = DENT_METHOD_CLUSTER_SEARCH;
        def.experiments = &experiments;
        def.no_details = !options->details;
        if (dent_world_query(stages[variant->stage].world, &def, &result) != DENT_OK) {
            fprintf(stderr, "%s\n", dent_world_message(stages[variant->stage].world));
            exit(2);
        }
        end = now(options);
        const dent_pair_list *list =
            variant->question == DENT_QUESTION_FACE_CELL ? &result.face_cell : &result.vertex_cell;
        variant->pairs = list->count;
        variant->hash = hash_list(list);
        variant->counters = result.counters;
    } else {
        read_positions(flat, &stages[0]);
        if (variant->peer == 1) {
            grid_peer(flat, variant->cell * flat->mean_edge, grid, set);
        } else {
            tree_peer(flat, tree, set);
        }
        end = now(options);
        variant->pairs = set->count;
        variant->hash = hash_set(set);
    }
    if (keep) {
        variant->times[variant->count++] = (double)(end - begin) * 1e-6;
    }
}

static struct variant *add_variant(struct variant *variants, uint32_t *count, const char *name, dent_question question,
                                   int peer)
{
    struct variant *variant = &variants[(*count)++];
    *variant = (struct variant){.question = question, .peer = peer};
    snprintf(variant->name, sizeof variant->name, "%s", name);
    return variant;
}

/* The searches to be timed on one stage: each question with and without the certificate, both questions at once. */
static void add_searches(struct variant *variants, uint32_t *count, const struct options *options, uint32_t stage,
                         dent_isa isa)
{
    static const dent_question both = (dent_question)(DENT_QUESTION_VERTEX_CELL | DENT_QUESTION_FACE_CELL);
    const dent_question questions[3] = {DENT_QUESTION_VERTEX_CELL, DENT_QUESTION_FACE_CELL, both};
    for (int q = 0; q < 3; q++) {
        for (int plain = 0; plain < 2 && !(q == 2 && (plain || stage)); plain++) {
            if (options->only &&
                ((options->only & 3) != (uint32_t)questions[q] || plain != (int)(options->only >> 2))) {
                continue;
            }
            char text[48];
            snprintf(text, sizeof text, "clusters %s%s%s", dent_isa_name(isa), plain ? " no cert" : "",
                     q == 2 ? " both" : "");
            struct variant *variant = add_variant(variants, count, text, questions[q], 0);
            variant->stage = stage;
            variant->no_certificate = plain;
        }
    }
}

static bool answers_agree(const struct variant *variants, uint32_t count, uint32_t frame)
{
    bool agree = true;
    for (uint32_t i = 1; i < count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (variants[i].question == variants[j].question &&
                (variants[i].pairs != variants[j].pairs || variants[i].hash != variants[j].hash)) {
                printf("DIFFERENT pairs in frame %u: %s, %s\n", (unsigned)frame, variants[i].name, variants[j].name);
                agree = false;
            }
        }
    }
    return agree;
}

static void report_times(struct variant *variants, uint32_t count, const struct options *options)
{
    double best_peer[4] = {0, INFINITY, INFINITY, INFINITY};
    for (uint32_t i = 0; i < count; i++) {
        sort_times(variants[i].times, variants[i].count);
        double median = variants[i].times[variants[i].count / 2];
        if (variants[i].peer && median < best_peer[variants[i].question]) {
            best_peer[variants[i].question] = median;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        struct variant *v = &variants[i];
        double median = v->times[v->count / 2];
        printf("  %-11s %-26s %9.4f ms  (least %.4f; %.4f .. %.4f) %8" PRIu64 " pairs",
               v->question == 3 ? "both" : dent_question_name(v->question), v->name, median, v->times[0],
               v->times[v->count / 4], v->times[v->count - 1 - v->count / 4], v->pairs);
        if (options->peers && v->question != 3) {
            printf("  %6.1f x", best_peer[v->question] / median);
        }
        if (!v->peer) {
            printf("  read %.2f search %.2f finish %.2f; %" PRIu64 " leaves, %" PRIu64 " offered, %" PRIu64
                   " bodies certified",
                   (double)v->counters.ns_prepare * 1e-6, (double)v->counters.ns_search * 1e-6,
                   (double)v->counters.ns_finish * 1e-6, v->counters.cells_visited, v->counters.candidates,
                   v->counters.certified_bodies);
        }
        printf("\n");
    }
}

static int run_scene(const char *name, const struct options *options)
{
    static struct variant variants[VARIANTS_MAX];
    struct stage stages[DENT_ISA_COUNT] = {{0}};
    uint32_t stage_count = 0, count = 0;
    for (int isa = DENT_ISA_COUNT - 1; isa > DENT_ISA_AUTO; isa--) {
        if (!dent_isa_available((dent_isa)isa) || (options->isa != DENT_ISA_AUTO && (int)options->isa != isa)) {
            continue;
        }
        if (!open_stage(&stages[stage_count], name, options, (dent_isa)isa)) {
            return 2;
        }
        add_searches(variants, &count, options, stage_count, (dent_isa)isa);
        stage_count++;
    }
    struct flat_scene flat;
    struct grid_memory grid = {0};
    struct tree_memory tree = {0};
    struct pair_set set = {0};
    pose(&stages[0], 0);
    flatten(&flat, &stages[0]);
    if (options->peers) {
        static const double sizes[] = {0.7, 1.0, 1.4};
        for (int i = 0; i < 3; i++) {
            char text[48];
            snprintf(text, sizeof text, "plain grid, cell %.1f", sizes[i]);
            add_variant(variants, &count, text, DENT_QUESTION_VERTEX_CELL, 1)->cell = sizes[i];
        }
        add_variant(variants, &count, "refitted tree", DENT_QUESTION_FACE_CELL, 2);
        read_positions(&flat, &stages[0]);
        build_tree(&tree, &flat);
    }
    printf("%s: %u cells, %u faces, %u vertices, %u bodies, %u threads\n", name, (unsigned)flat.cell_count,
           (unsigned)flat.face_count, (unsigned)flat.vertex_count, (unsigned)stages[0].bodies,
           (unsigned)options->threads);
    int status = 0;
    for (uint32_t frame = 0; frame < options->frames; frame++) {
        for (uint32_t s = 0; s < stage_count; s++) {
            pose(&stages[s], frame);
        }
        for (uint32_t round = 0; round <= options->rounds; round++) {
            for (uint32_t i = 0; i < count; i++) {
                /* Once to bring its data into the caches, then measured: steps of one simulation follow one another. */
                run_variant(&variants[i], stages, &flat, &grid, &tree, &set, options, false);
                if (options->cold) {
                    empty_caches();
                }
                run_variant(&variants[i], stages, &flat, &grid, &tree, &set, options, round > 0);
            }
        }
        if (!answers_agree(variants, count, frame)) {
            status = 1;
        }
    }
    report_times(variants, count, options);
    for (uint32_t s = 0; s < stage_count; s++) {
        close_stage(&stages[s]);
    }
    free_flat(&flat);
    free(grid.cell_of);
    free(grid.sorted);
    free(grid.first);
    free(tree.nodes);
    free(tree.order);
    free(set.keys_a);
    free(set.keys_b);
    return status;
}

static dent_isa isa_named(const char *name)
{
    for (int isa = 0; isa < DENT_ISA_COUNT; isa++) {
        if (strcmp(dent_isa_name((dent_isa)isa), name) == 0) {
            return (dent_isa)isa;
        }
    }
    return DENT_ISA_AUTO;
}

int main(int argument_count, char **arguments)
{
    struct options options = {.rounds = 5, .frames = 3, .threads = 1, .scale = 1, .peers = true, .reference = true};
    int status = 0;
    for (int i = 1; i < argument_count; i++) {
        const char *word = arguments[i];
        bool more = i + 1 < argument_count;
        if (strcmp(word, "--no-peers") == 0) {
            options.peers = false;
        } else if (strcmp(word, "--details") == 0) {
            options.details = true;
        } else if (strcmp(word, "--cold") == 0) {
            options.cold = true;
        } else if (strcmp(word, "--no-reference") == 0) {
            options.reference = false;
        } else if (strcmp(word, "--rounds") == 0 && more) {
            options.rounds = (uint32_t)strtoul(arguments[++i], NULL, 10);
        } else if (strcmp(word, "--frames") == 0 && more) {
            options.frames = (uint32_t)strtoul(arguments[++i], NULL, 10);
        } else if (strcmp(word, "--threads") == 0 && more) {
            options.threads = (uint32_t)strtoul(arguments[++i], NULL, 10);
        } else if (strcmp(word, "--scale") == 0 && more) {
            options.scale = strtod(arguments[++i], NULL);
        } else if (strcmp(word, "--only") == 0 && more) {
            options.only = (uint32_t)strtoul(arguments[++i], NULL, 10);
        } else if (strcmp(word, "--isa") == 0 && more) {
            options.isa = isa_named(arguments[++i]);
        } else {
            uint32_t most = 2 * ROUNDS_MAX / (options.frames > 0 ? options.frames : 1);
            options.rounds = options.rounds > most ? most : options.rounds < 1 ? 1 : options.rounds;
            options.frames = options.frames > 8 ? 8 : options.frames < 1 ? 1 : options.frames;
            int result = run_scene(word, &options);
            status = result > status ? result : status;
        }
    }
    return status;
}
