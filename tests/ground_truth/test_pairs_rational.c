/* `dent pairs` against an independent exact computation in rationals (GMP), as whole lists: on the scene teschner-a and
 * on two overlapping meshes of the data kit. The reference shares nothing with the library but the input: it reads the
 * surface from the tetrahedra by itself, decides by clipping polygons in rational coordinates, and numbers faces by
 * (cell, corner).
 *
 * The tool is run as a user would; its path comes in DENT_TOOL.
 */
#include "support/cmocka_includes.h"

#include <dent/mesh_io.h>
#include <dent/scene.h>

#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef mpq_t rational_point[3];

struct solid {
    uint32_t vertex_count, cell_count, face_count;
    double (*xyz)[3];
    rational_point *exact;
    uint32_t (*cells)[4];
    struct face {
        uint32_t corners[3], cell, corner;
        double lo[3], hi[3];
    } *faces;
    double (*cell_lo)[3], (*cell_hi)[3];
};

static void *grab(size_t count, size_t size)
{
    void *block = calloc(count ? count : 1, size);
    assert_non_null(block);
    return block;
}

/* ---- input ---------------------------------------------------------------------------------------------- */

struct face_key {
    uint32_t sorted[3], cell, corner;
};

static int compare_keys(const void *a, const void *b)
{
    return memcmp(((const struct face_key *)a)->sorted, ((const struct face_key *)b)->sorted, sizeof(uint32_t[3]));
}

static int compare_faces(const void *a, const void *b)
{
    const struct face *x = a, *y = b;
    return x->cell != y->cell ? (x->cell > y->cell) - (x->cell < y->cell)
                              : (x->corner > y->corner) - (x->corner < y->corner);
}

static void sort_three(uint32_t *v)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < 2; i++) {
            if (v[i] > v[i + 1]) {
                uint32_t swap = v[i];
                v[i] = v[i + 1];
                v[i + 1] = swap;
            }
        }
    }
}

static void bound(const double (*xyz)[3], const uint32_t *corners, int count, double lo[3], double hi[3])
{
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = hi[axis] = xyz[corners[0]][axis];
        for (int i = 1; i < count; i++) {
            double x = xyz[corners[i]][axis];
            lo[axis] = x < lo[axis] ? x : lo[axis];
            hi[axis] = x > hi[axis] ? x : hi[axis];
        }
    }
}

static void find_surface(struct solid *solid)
{
    struct face_key *keys = grab((size_t)solid->cell_count * 4, sizeof *keys);
    for (uint32_t cell = 0; cell < solid->cell_count; cell++) {
        for (uint32_t corner = 0; corner < 4; corner++) {
            struct face_key *key = &keys[cell * 4 + corner];
            int next = 0;
            for (uint32_t i = 0; i < 4; i++) {
                if (i != corner) {
                    key->sorted[next++] = solid->cells[cell][i];
                }
            }
            sort_three(key->sorted);
            key->cell = cell;
            key->corner = corner;
        }
    }
    qsort(keys, (size_t)solid->cell_count * 4, sizeof *keys, compare_keys);
    solid->faces = grab((size_t)solid->cell_count * 4, sizeof *solid->faces);
    for (size_t i = 0; i < (size_t)solid->cell_count * 4; i++) {
        bool before = i > 0 && compare_keys(&keys[i], &keys[i - 1]) == 0;
        bool after = i + 1 < (size_t)solid->cell_count * 4 && compare_keys(&keys[i], &keys[i + 1]) == 0;
        if (!before && !after) {
            struct face *face = &solid->faces[solid->face_count++];
            memcpy(face->corners, keys[i].sorted, sizeof face->corners);
            face->cell = keys[i].cell;
            face->corner = keys[i].corner;
            bound((const double(*)[3])solid->xyz, face->corners, 3, face->lo, face->hi);
        }
    }
    qsort(solid->faces, solid->face_count, sizeof *solid->faces, compare_faces);
    free(keys);
}

static void make_solid(struct solid *solid, uint32_t vertices, const double *xyz, uint32_t cells,
                       const uint32_t *corners)
{
    *solid = (struct solid){.vertex_count = vertices, .cell_count = cells};
    solid->xyz = grab(vertices, sizeof *solid->xyz);
    solid->exact = grab(vertices, sizeof *solid->exact);
    solid->cells = grab(cells, sizeof *solid->cells);
    solid->cell_lo = grab(cells, sizeof *solid->cell_lo);
    solid->cell_hi = grab(cells, sizeof *solid->cell_hi);
    memcpy(solid->xyz, xyz, sizeof(double[3]) * vertices);
    memcpy(solid->cells, corners, sizeof(uint32_t[4]) * cells);
    for (uint32_t v = 0; v < vertices; v++) {
        for (int axis = 0; axis < 3; axis++) {
            mpq_init(solid->exact[v][axis]);
            mpq_set_d(solid->exact[v][axis], xyz[3 * v + (uint32_t)axis]);
        }
    }
    for (uint32_t c = 0; c < cells; c++) {
        bound((const double(*)[3])solid->xyz, solid->cells[c], 4, solid->cell_lo[c], solid->cell_hi[c]);
    }
    find_surface(solid);
}

static void free_solid(struct solid *solid)
{
    for (uint32_t v = 0; v < solid->vertex_count; v++) {
        for (int axis = 0; axis < 3; axis++) {
            mpq_clear(solid->exact[v][axis]);
        }
    }
    free(solid->xyz);
    free(solid->exact);
    free(solid->cells);
    free(solid->cell_lo);
    free(solid->cell_hi);
    free(solid->faces);
}

static bool boxes_meet(const double *lo_a, const double *hi_a, const double *lo_b, const double *hi_b)
{
    return lo_a[0] <= hi_b[0] && lo_b[0] <= hi_a[0] && lo_a[1] <= hi_b[1] && lo_b[1] <= hi_a[1] && lo_a[2] <= hi_b[2] &&
           lo_b[2] <= hi_a[2];
}

/* ---- rational geometry ---------------------------------------------------------------------------------- */

/* A plane n.x = d. */
struct plane {
    mpq_t n[3], d;
};

/* Scratch of the whole program, initialised once. */
static mpq_t u[3], v[3], t0, t1;

static void plane_init(struct plane *plane)
{
    for (int axis = 0; axis < 3; axis++) {
        mpq_init(plane->n[axis]);
    }
    mpq_init(plane->d);
}

static void cross(mpq_t out[3], mpq_t a[3], mpq_t b[3])
{
    for (int axis = 0; axis < 3; axis++) {
        int i = (axis + 1) % 3, j = (axis + 2) % 3;
        mpq_mul(t0, a[i], b[j]);
        mpq_mul(t1, a[j], b[i]);
        mpq_sub(out[axis], t0, t1);
    }
}

static void dot(mpq_t out, mpq_t a[3], mpq_t b[3])
{
    mpq_mul(out, a[0], b[0]);
    mpq_mul(t0, a[1], b[1]);
    mpq_add(out, out, t0);
    mpq_mul(t0, a[2], b[2]);
    mpq_add(out, out, t0);
}

static void plane_through(struct plane *plane, rational_point a, rational_point b, rational_point c)
{
    for (int axis = 0; axis < 3; axis++) {
        mpq_sub(u[axis], b[axis], a[axis]);
        mpq_sub(v[axis], c[axis], a[axis]);
    }
    cross(plane->n, u, v);
    dot(plane->d, plane->n, a);
}

static void plane_flip(struct plane *plane)
{
    for (int axis = 0; axis < 3; axis++) {
        mpq_neg(plane->n[axis], plane->n[axis]);
    }
    mpq_neg(plane->d, plane->d);
}

/* height = n.p - d */
static void plane_height(mpq_t height, struct plane *plane, rational_point p)
{
    dot(height, plane->n, p);
    mpq_sub(height, height, plane->d);
}

enum { POLYGON_MAX = 12 };

struct polygon {
    int count;
    rational_point points[POLYGON_MAX];
    mpq_t heights[POLYGON_MAX];
};

static void polygon_init(struct polygon *polygon)
{
    for (int i = 0; i < POLYGON_MAX; i++) {
        for (int axis = 0; axis < 3; axis++) {
            mpq_init(polygon->points[i][axis]);
        }
        mpq_init(polygon->heights[i]);
    }
}

static void point_set(rational_point out, rational_point in)
{
    for (int axis = 0; axis < 3; axis++) {
        mpq_set(out[axis], in[axis]);
    }
}

/* Keeps the part of the convex polygon (also a segment or a point) with height >= 0. */
static void clip(struct polygon *in, struct plane *plane, struct polygon *out)
{
    out->count = 0;
    for (int i = 0; i < in->count; i++) {
        plane_height(in->heights[i], plane, in->points[i]);
    }
    for (int i = 0; i < in->count; i++) {
        int j = (i + 1) % in->count;
        int side = mpq_sgn(in->heights[i]), next = mpq_sgn(in->heights[j]);
        if (side >= 0) {
            point_set(out->points[out->count++], in->points[i]);
        }
        if (side * next < 0) {
            mpq_sub(t1, in->heights[i], in->heights[j]);
            mpq_div(t1, in->heights[i], t1);
            for (int axis = 0; axis < 3; axis++) {
                mpq_sub(t0, in->points[j][axis], in->points[i][axis]);
                mpq_mul(t0, t0, t1);
                mpq_add(out->points[out->count][axis], in->points[i][axis], t0);
            }
            out->count++;
        }
    }
}

static struct polygon work[2];
static struct plane tet_planes[4], face_plane, edge_planes[3], other_plane;

/* Planes of a cell, positive inside; false when it is flat. */
static bool cell_planes(struct solid *b, uint32_t cell)
{
    uint32_t *c = b->cells[cell];
    for (int i = 0; i < 4; i++) {
        plane_through(&tet_planes[i], b->exact[c[(i + 1) % 4]], b->exact[c[(i + 2) % 4]], b->exact[c[(i + 3) % 4]]);
        plane_height(work[0].heights[0], &tet_planes[i], b->exact[c[i]]);
        int sign = mpq_sgn(work[0].heights[0]);
        if (sign == 0) {
            return false;
        }
        if (sign < 0) {
            plane_flip(&tet_planes[i]);
        }
    }
    return true;
}

static bool vertex_in_planes(rational_point p)
{
    for (int i = 0; i < 4; i++) {
        plane_height(work[0].heights[0], &tet_planes[i], p);
        if (mpq_sgn(work[0].heights[0]) <= 0) {
            return false;
        }
    }
    return true;
}

static void load_face(struct solid *a, const struct face *face)
{
    work[0].count = 3;
    for (int i = 0; i < 3; i++) {
        point_set(work[0].points[i], a->exact[face->corners[i]]);
    }
}

/* The closed face meets the open cell iff what is left after clipping has, for every plane, a corner strictly inside
 * it: their mean is then strictly inside all. */
static bool face_meets_cell(struct solid *a, const struct face *face)
{
    int now = 0;
    load_face(a, face);
    for (int i = 0; i < 4; i++) {
        clip(&work[now], &tet_planes[i], &work[1 - now]);
        now = 1 - now;
        if (work[now].count == 0) {
            return false;
        }
    }
    for (int i = 0; i < 4; i++) {
        bool inside = false;
        for (int k = 0; k < work[now].count && !inside; k++) {
            plane_height(work[now].heights[k], &tet_planes[i], work[now].points[k]);
            inside = mpq_sgn(work[now].heights[k]) > 0;
        }
        if (!inside) {
            return false;
        }
    }
    return true;
}

/* Planes through the edges of a triangle, at right angles to it, positive on its side. */
static void prism_planes(struct solid *s, const struct face *face, struct plane *plane, struct plane *edges)
{
    plane_through(plane, s->exact[face->corners[0]], s->exact[face->corners[1]], s->exact[face->corners[2]]);
    for (int i = 0; i < 3; i++) {
        mpq_t *a = s->exact[face->corners[i]], *b = s->exact[face->corners[(i + 1) % 3]],
              *c = s->exact[face->corners[(i + 2) % 3]];
        for (int axis = 0; axis < 3; axis++) {
            mpq_sub(u[axis], b[axis], a[axis]);
        }
        cross(edges[i].n, plane->n, u);
        dot(edges[i].d, edges[i].n, a);
        plane_height(work[1].heights[0], &edges[i], c);
        if (mpq_sgn(work[1].heights[0]) < 0) {
            plane_flip(&edges[i]);
        }
    }
}

static bool middle_is_inside(struct polygon *polygon, struct plane *planes)
{
    for (int i = 0; i < 3; i++) {
        bool inside = false;
        for (int k = 0; k < polygon->count && !inside; k++) {
            plane_height(polygon->heights[k], &planes[i], polygon->points[k]);
            inside = mpq_sgn(polygon->heights[k]) > 0;
        }
        if (!inside) {
            return false;
        }
    }
    return true;
}

/* True when the points of the polygon span an area. */
static bool has_area(struct polygon *polygon)
{
    static struct plane spanned;
    static bool made;
    if (!made) {
        plane_init(&spanned);
        made = true;
    }
    for (int i = 1; i + 1 < polygon->count; i++) {
        plane_through(&spanned, polygon->points[0], polygon->points[i], polygon->points[i + 1]);
        if (mpq_sgn(spanned.n[0]) || mpq_sgn(spanned.n[1]) || mpq_sgn(spanned.n[2])) {
            return true;
        }
    }
    return false;
}

/* "crossing", "coplanar" or null; both triangles have area in these meshes. */
static const char *face_pair_kind(struct solid *a, const struct face *fa, struct solid *b, const struct face *fb)
{
    static struct plane own_edges[3];
    static bool made;
    if (!made) {
        for (int i = 0; i < 3; i++) {
            plane_init(&own_edges[i]);
        }
        made = true;
    }
    prism_planes(b, fb, &face_plane, edge_planes);
    bool coplanar = true;
    load_face(a, fa);
    for (int i = 0; i < 3; i++) {
        plane_height(work[0].heights[i], &face_plane, work[0].points[i]);
        coplanar = coplanar && mpq_sgn(work[0].heights[i]) == 0;
    }
    int now = 0;
    for (int half = 0; half < 2; half++) { /* a with the plane of b */
        clip(&work[now], &face_plane, &work[1 - now]);
        now = 1 - now;
        plane_flip(&face_plane);
    }
    for (int i = 0; i < 3; i++) {
        clip(&work[now], &edge_planes[i], &work[1 - now]);
        now = 1 - now;
    }
    if (work[now].count == 0) {
        return NULL;
    }
    if (coplanar) {
        return has_area(&work[now]) ? "coplanar" : NULL;
    }
    bool inside_b = middle_is_inside(&work[now], edge_planes);
    struct polygon *common = &work[now];
    if (!inside_b) {
        return NULL;
    }
    /* prism_planes uses work[1].heights[0] as scratch only, so the points of `common` stay. */
    prism_planes(a, fa, &other_plane, own_edges);
    return middle_is_inside(common, own_edges) ? "crossing" : NULL;
}

/* ---- expected lists ------------------------------------------------------------------------------------- */

static bool share(const uint32_t *a, int count_a, const uint32_t *b, int count_b)
{
    for (int i = 0; i < count_a; i++) {
        for (int j = 0; j < count_b; j++) {
            if (a[i] == b[j]) {
                return true;
            }
        }
    }
    return false;
}

struct text {
    char *bytes;
    size_t size, capacity;
    uint64_t lines;
};

static void add_line(struct text *text, const char *line)
{
    size_t length = strlen(line);
    if (text->size + length + 1 > text->capacity) {
        text->capacity = 2 * text->capacity + length + 4096;
        text->bytes = realloc(text->bytes, text->capacity);
        assert_non_null(text->bytes);
    }
    memcpy(text->bytes + text->size, line, length + 1);
    text->size += length;
    text->lines++;
}

/* Lists are made cell by cell, so that the planes of a cell are computed once, then brought into canonical order. */
struct row {
    uint32_t body_a, a, body_b, b;
    const char *kind;
};

struct rows {
    struct row *rows;
    size_t count, capacity;
};

static void add_row(struct rows *rows, struct row row)
{
    if (rows->count == rows->capacity) {
        rows->capacity = rows->capacity * 2 + 64;
        rows->rows = realloc(rows->rows, rows->capacity * sizeof *rows->rows);
        assert_non_null(rows->rows);
    }
    rows->rows[rows->count++] = row;
}

static int compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    const uint32_t left[4] = {x->body_a, x->a, x->body_b, x->b}, right[4] = {y->body_a, y->a, y->body_b, y->b};
    for (int i = 0; i < 4; i++) {
        if (left[i] != right[i]) {
            return left[i] < right[i] ? -1 : 1;
        }
    }
    return 0;
}

static void cell_question(struct solid *solids, uint32_t count, bool faces, struct rows *rows)
{
    for (uint32_t b = 0; b < count; b++) {
        for (uint32_t cell = 0; cell < solids[b].cell_count; cell++) {
            bool have_planes = false, solid_cell = true;
            for (uint32_t a = 0; a < count; a++) {
                uint32_t features = faces ? solids[a].face_count : solids[a].vertex_count;
                for (uint32_t f = 0; f < features; f++) {
                    const double *lo = faces ? solids[a].faces[f].lo : solids[a].xyz[f];
                    const double *hi = faces ? solids[a].faces[f].hi : solids[a].xyz[f];
                    if (!boxes_meet(lo, hi, solids[b].cell_lo[cell], solids[b].cell_hi[cell]) ||
                        (a == b &&
                         share(faces ? solids[a].faces[f].corners : &f, faces ? 3 : 1, solids[b].cells[cell], 4))) {
                        continue;
                    }
                    if (!have_planes) {
                        solid_cell = cell_planes(&solids[b], cell);
                        have_planes = true;
                    }
                    if (solid_cell && (faces ? face_meets_cell(&solids[a], &solids[a].faces[f])
                                             : vertex_in_planes(solids[a].exact[f]))) {
                        add_row(rows, (struct row){a, f, b, cell, "interior"});
                    }
                }
            }
        }
    }
}

static void face_question(struct solid *solids, uint32_t count, struct rows *rows)
{
    for (uint32_t a = 0; a < count; a++) {
        for (uint32_t fa = 0; fa < solids[a].face_count; fa++) {
            for (uint32_t b = a; b < count; b++) {
                for (uint32_t fb = a == b ? fa + 1 : 0; fb < solids[b].face_count; fb++) {
                    const struct face *x = &solids[a].faces[fa], *y = &solids[b].faces[fb];
                    if (!boxes_meet(x->lo, x->hi, y->lo, y->hi) || (a == b && share(x->corners, 3, y->corners, 3))) {
                        continue;
                    }
                    const char *kind = face_pair_kind(&solids[a], x, &solids[b], y);
                    if (kind) {
                        add_row(rows, (struct row){a, fa, b, fb, kind});
                    }
                }
            }
        }
    }
}

static void feature_text(const struct solid *solid, bool face, uint32_t feature, char *out, size_t size)
{
    if (face) {
        snprintf(out, size, "%u/%u", (unsigned)solid->faces[feature].cell, (unsigned)solid->faces[feature].corner);
    } else {
        snprintf(out, size, "%u", (unsigned)feature);
    }
}

static struct text expected_list(struct solid *solids, uint32_t count, const char *question)
{
    struct rows rows = {0};
    struct text text = {0};
    bool vertex = strcmp(question, "vertex-cell") == 0, cell = strcmp(question, "face-face") != 0;
    if (cell) {
        cell_question(solids, count, !vertex, &rows);
    } else {
        face_question(solids, count, &rows);
    }
    qsort(rows.rows, rows.count, sizeof *rows.rows, compare_rows);
    for (size_t i = 0; i < rows.count; i++) {
        char a[32], b[32], line[128];
        const struct row *row = &rows.rows[i];
        feature_text(&solids[row->body_a], !vertex, row->a, a, sizeof a);
        feature_text(&solids[row->body_b], !cell, row->b, b, sizeof b);
        snprintf(line, sizeof line, "%u %s %u %s %s\n", (unsigned)row->body_a, a, (unsigned)row->body_b, b, row->kind);
        add_line(&text, line);
    }
    free(rows.rows);
    return text;
}

/* ---- the tool ------------------------------------------------------------------------------------------- */

/* First five columns of what `dent pairs` prints. */
static struct text tool_list(const char *arguments, const char *question)
{
    char command[4096], line[4096];
    struct text text = {0};
    snprintf(command, sizeof command, "'%s' pairs --ask %s %s", getenv("DENT_TOOL"), question, arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    while (fgets(line, sizeof line, pipe)) {
        char column[5][64], out[400];
        assert_int_equal(
            sscanf(line, "%63s %63s %63s %63s %63s", column[0], column[1], column[2], column[3], column[4]), 5);
        snprintf(out, sizeof out, "%s %s %s %s %s\n", column[0], column[1], column[2], column[3], column[4]);
        add_line(&text, out);
    }
    assert_int_equal(pclose(pipe), 0);
    return text;
}

static void compare_with_tool(struct solid *solids, uint32_t count, const char *name, const char *arguments)
{
    static const char *const questions[] = {"vertex-cell", "face-cell", "face-face"};
    for (int q = 0; q < 3; q++) {
        struct text expected = expected_list(solids, count, questions[q]);
        struct text got = tool_list(arguments, questions[q]);
        printf("%s %s: %llu pairs by rationals, %llu by dent pairs\n", name, questions[q],
               (unsigned long long)expected.lines, (unsigned long long)got.lines);
        assert_true(expected.lines > 0);
        assert_int_equal(expected.lines, got.lines);
        assert_string_equal(expected.bytes, got.bytes);
        free(expected.bytes);
        free(got.bytes);
    }
}

static void dent_pairs_on_teschner_a_equals_rationals(void **state)
{
    dent_context *context = *state;
    dent_scene_def def = dent_scene_def_default();
    dent_scene *scene = NULL;
    def.name = "teschner-a";
    assert_int_equal(dent_scene_create(context, &def, &scene), DENT_OK);
    uint32_t count = dent_scene_body_count(scene);
    struct solid *solids = grab(count, sizeof *solids);
    for (uint32_t i = 0; i < count; i++) {
        const dent_scene_body *body = dent_scene_body_at(scene, i);
        double *xyz = grab((size_t)body->vertex_count * 3, sizeof *xyz);
        dent_scene_positions(scene, i, 3, xyz);
        make_solid(&solids[i], body->vertex_count, xyz, body->element_count, body->element_corners);
        free(xyz);
    }
    compare_with_tool(solids, count, "teschner-a", "teschner-a --frame 3");
    for (uint32_t i = 0; i < count; i++) {
        free_solid(&solids[i]);
    }
    free(solids);
    dent_scene_destroy(scene);
}

static void dent_pairs_on_two_overlapping_kit_meshes_equals_rationals(void **state)
{
    dent_context *context = *state;
    const char *data = getenv("DENT_DATA");
    if (!data) {
        printf("SKIPPED: DENT_DATA is not set, so there are no kit meshes to compare on\n");
        skip();
    }
    static const char *const parts[2] = {"Tooth_L3_Pulp", "Tooth_L3_Dentin"};
    static const char *const endings[2] = {".1.ele.xz", ".1.ele.xz"};
    struct solid solids[2];
    char paths[2][2048], arguments[4400];
    for (int i = 0; i < 2; i++) {
        dent_mesh *mesh = NULL;
        snprintf(paths[i], sizeof paths[i], "%s/meshes/jaw-openmandible/%s%s", data, parts[i], endings[i]);
        assert_int_equal(dent_mesh_read(context, paths[i], NULL, &mesh), DENT_OK);
        assert_int_equal(mesh->body_count, 1);
        const dent_mesh_body *body = &mesh->bodies[0];
        make_solid(&solids[i], body->vertex_count, body->positions, body->element_count, body->element_corners);
        dent_mesh_destroy(context, mesh);
    }
    snprintf(arguments, sizeof arguments, "'%s' '%s'", paths[0], paths[1]);
    compare_with_tool(solids, 2, "pulp and dentin of L3", arguments);
    free_solid(&solids[0]);
    free_solid(&solids[1]);
}

static int set_up(void **state)
{
    for (int axis = 0; axis < 3; axis++) {
        mpq_inits(u[axis], v[axis], NULL);
    }
    mpq_inits(t0, t1, NULL);
    for (int i = 0; i < 4; i++) {
        plane_init(&tet_planes[i]);
    }
    for (int i = 0; i < 3; i++) {
        plane_init(&edge_planes[i]);
    }
    plane_init(&face_plane);
    plane_init(&other_plane);
    polygon_init(&work[0]);
    polygon_init(&work[1]);
    *state = dent_context_create(NULL, NULL);
    return *state && getenv("DENT_TOOL") ? 0 : -1;
}

static int tear_down(void **state)
{
    dent_context_destroy(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dent_pairs_on_teschner_a_equals_rationals),
        cmocka_unit_test(dent_pairs_on_two_overlapping_kit_meshes_equals_rationals),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
