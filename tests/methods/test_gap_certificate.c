/* The gap certificate, link by link: the map of a cluster holds all its vertices, nothing is stretched less than
 * promised, no gap is larger than the distance, and, all together, no contact is between clusters called apart: on
 * bodies that are not convex, under deformations of all sorts, and by bisection right at the limit. */
#include "support/cmocka_includes.h"

#include "support/deformed_solids.h"

#include "geometry/metric/feature_distance.h"
#include "structures/clusters/kernels/cluster_kernels.h"
#include "query/world/world_state.h"
#include "proofs/gap_certificate.h"
#include "proofs/strain_certificate.h"

static uint64_t scaled(uint64_t count)
{
    return getenv("DENT_QUICK_TESTS") ? count / 10 + 1 : getenv("DENT_LONG_TESTS") ? count * 10 : count;
}

static const dent_isa all_isas[] = {DENT_ISA_SCALAR, DENT_ISA_AVX2, DENT_ISA_AVX512};
enum { ISA_COUNT = 3, SHAPE_COUNT = 4 };

/* ---- a body with gaps ------------------------------------------------------------------------ */

struct stage {
    dent_context *context;
    struct test_scene scene;
    struct test_body *given;
    double (*reference)[3];
    dent_world *world;
    const struct body *body;
    struct body_clusters clusters;
    struct strain_reference strains;
    struct gap_reference gaps;
    struct piece_strain *pieces;
};

static bool whole(const double middle[3])
{
    (void)middle;
    return true;
}

/* `rough`: by how much the vertices of the reference are moved at random, so that cells are uneven. */
static void open_stage(struct stage *stage, int shape, double rough, double scale)
{
    bool (*const shapes[SHAPE_COUNT])(const double middle[3]) = {u_shape, with_hollow, with_slit, whole};
    static const uint32_t cubes[SHAPE_COUNT][3] = {{10, 10, 2}, {8, 7, 5}, {8, 5, 5}, {5, 3, 2}};
    *stage = (struct stage){.context = dent_context_create(NULL, NULL)};
    dent_random random = dent_random_seeded((uint64_t)shape + 1);
    stage->given = test_add_block(&stage->scene, cubes[shape][0], cubes[shape][1], cubes[shape][2]);
    remove_cubes(stage->given, shapes[shape]);
    test_jitter(stage->given, &random, rough);
    test_map(stage->given, scale, scale, scale, 0, 0, 0);
    stage->reference = test_allocate(stage->given->vertex_count, sizeof *stage->reference);
    memcpy(stage->reference, stage->given->xyz, stage->given->vertex_count * sizeof *stage->reference);
    stage->world = dent_world_create(stage->context);
    assert_int_equal(test_scene_add(&stage->scene, stage->world), DENT_OK);
    stage->body = body_table_at(&stage->world->bodies, 0);
    const double(*rest)[3] = (const double(*)[3])stage->reference;
    assert_true(body_clusters_create(&stage->clusters, stage->context, stage->body, rest));
    assert_true(strain_reference_create(&stage->strains, stage->context, &stage->clusters));
    strain_reference_set(&stage->strains, stage->body, rest);
    assert_true(gap_reference_create(&stage->gaps, stage->context, stage->body, &stage->clusters, rest));
    assert_true(stage->gaps.usable && !stage->gaps.complete);
    size_t workers = dent_context_worker_count(stage->context);
    void *rooms = dent_allocate(stage->context, workers, gap_room_size());
    gap_reference_complete(&stage->gaps, stage->body, rest, rooms);
    dent_release(stage->context, rooms, workers, gap_room_size());
    assert_true(stage->gaps.complete);
    stage->pieces = dent_allocate(stage->context, stage->clusters.piece_count, sizeof *stage->pieces);
    memset(stage->pieces, 0, stage->clusters.piece_count * sizeof *stage->pieces);
}

static void close_stage(struct stage *stage)
{
    dent_release(stage->context, stage->pieces, stage->clusters.piece_count, sizeof *stage->pieces);
    gap_reference_destroy(&stage->gaps);
    strain_reference_destroy(&stage->strains);
    body_clusters_destroy(&stage->clusters);
    dent_world_destroy(stage->world);
    test_scene_free(&stage->scene);
    free(stage->reference);
    dent_context_destroy(stage->context);
}

struct frame {
    double centre[3], scale;
};

static struct frame frame_of(const struct stage *stage)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, half = 0;
    for (uint32_t v = 0; v < stage->given->vertex_count; v++) {
        for (int axis = 0; axis < 3; axis++) {
            lo[axis] = fmin(lo[axis], stage->given->xyz[v][axis]);
            hi[axis] = fmax(hi[axis], stage->given->xyz[v][axis]);
        }
    }
    struct frame frame;
    int exponent;
    for (int axis = 0; axis < 3; axis++) {
        frame.centre[axis] = 0.5 * lo[axis] + 0.5 * hi[axis];
        half = fmax(half, hi[axis] - frame.centre[axis]);
    }
    frexp(half, &exponent);
    frame.scale = ldexp(1, -exponent - 1);
    return frame;
}

static void compute_strains(struct stage *stage, const struct cluster_kernels *kernels)
{
    struct frame frame = frame_of(stage);
    double(*padded)[3] = test_allocate((size_t)stage->given->vertex_count + 1, sizeof *padded);
    memcpy(padded, stage->given->xyz, stage->given->vertex_count * sizeof *padded);
    for (uint32_t piece = 0; piece < stage->clusters.piece_count; piece++) {
        for (uint32_t place = 0; place < stage->clusters.pieces[piece].count; place++) {
            uint32_t number = stage->clusters.pieces[piece].first + place;
            struct cluster_points points;
            kernels->load(&stage->clusters.clusters[number], (const double(*)[3])padded, frame.centre, frame.scale,
                          &points);
            kernels->placed_strain(&stage->strains.rest_shapes[number], &points, &stage->pieces[piece], place);
        }
        kernels->stretches(&stage->pieces[piece]);
    }
    free(padded);
}

static void deform_stage(struct stage *stage, int kind, double amplitude, uint64_t seed)
{
    deform((const double(*)[3])stage->reference, stage->given->vertex_count, (enum deformation)kind, amplitude, seed,
           stage->given->xyz);
}

static double length(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* ---- the links ------------------------------------------------------------------------------- */

/* How far a vertex is from where the map of its cluster puts it, computed in double. */
static double residual(const struct stage *stage, uint32_t piece, uint32_t place, uint32_t vertex, struct frame frame)
{
    const struct piece_strain *strain = &stage->pieces[piece];
    double scale = strain_reference_scale(stage->body, (const double(*)[3])stage->reference), middle[3], off[3];
    strain_middle(&stage->clusters.clusters[stage->clusters.pieces[piece].first + place],
                  (const double(*)[3])stage->reference, scale, middle);
    for (int axis = 0; axis < 3; axis++) {
        off[axis] =
            (stage->given->xyz[vertex][axis] - frame.centre[axis]) * frame.scale - (double)strain->centre[axis][place];
        for (int k = 0; k < 3; k++) {
            off[axis] -= (double)strain->g[3 * axis + k][place] * (stage->reference[vertex][k] * scale - middle[k]);
        }
    }
    return length(off);
}

static void every_vertex_lies_within_the_slack_of_its_map(void **state)
{
    (void)state;
    double tightest = 0;
    for (uint64_t seed = 0; seed < scaled(60); seed++) {
        struct stage stage;
        open_stage(&stage, (int)(seed % SHAPE_COUNT), 0.1 * (double)(seed % 3), seed % 5 == 4 ? 1e100 : 1);
        double amplitude = pow(10, -4 + 5 * (double)(seed * 7 % 61) / 61) * (seed % 5 == 4 ? 1e100 : 1);
        deform_stage(&stage, seed % 5 == 4 ? JITTER : (int)(seed % DEFORMATION_COUNT), amplitude, seed);
        struct frame frame = frame_of(&stage);
        for (int isa = 0; isa < ISA_COUNT; isa++) {
            if (!dent_isa_available(all_isas[isa])) {
                continue;
            }
            compute_strains(&stage, cluster_kernels_for(all_isas[isa]));
            for (uint32_t piece = 0; piece < stage.clusters.piece_count; piece++) {
                for (uint32_t place = 0; place < stage.clusters.pieces[piece].count; place++) {
                    const struct cluster *cluster =
                        &stage.clusters.clusters[stage.clusters.pieces[piece].first + place];
                    for (uint32_t k = 0; k < cluster->vertex_count; k++) {
                        double off = residual(&stage, piece, place, cluster->vertices[k], frame);
                        /* g was rounded when it was divided by the unit: paid for in `apart`, not here */
                        double paid = 8 * 0x1p-24 * (double)stage.pieces[piece].norm[place];
                        assert_true(off <= (double)stage.pieces[piece].slack[place] + paid);
                        tightest = fmax(tightest, off / (double)stage.pieces[piece].slack[place]);
                    }
                }
            }
        }
        close_stage(&stage);
    }
    printf("the farthest vertex takes %.3f of the slack\n", tightest);
    assert_true(tightest > 0.8);
}

/* Eigenvalues of a symmetric matrix by Jacobi's rotations; returns the least. */
static double least_eigenvalue(double a[3][3])
{
    for (int sweep = 0; sweep < 40; sweep++) {
        for (int p = 0; p < 2; p++) {
            for (int q = p + 1; q < 3; q++) {
                if (a[p][q] == 0) {
                    continue;
                }
                double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
                double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1),
                       s = t * c;
                for (int k = 0; k < 3; k++) {
                    double kp = a[k][p], kq = a[k][q];
                    a[k][p] = c * kp - s * kq;
                    a[k][q] = s * kp + c * kq;
                }
                for (int k = 0; k < 3; k++) {
                    double pk = a[p][k], qk = a[q][k];
                    a[p][k] = c * pk - s * qk;
                    a[q][k] = s * pk + c * qk;
                }
            }
        }
    }
    return fmin(a[0][0], fmin(a[1][1], a[2][2]));
}

static void nothing_is_stretched_less_than_promised(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(11);
    double best = 0;
    for (uint64_t round = 0; round < scaled(4000); round++) {
        struct piece_strain strain = {0};
        double size = pow(10, test_between(&random, -8, 8)), wild = pow(10, test_between(&random, -4, 1));
        for (uint32_t place = 0; place < PIECE_CLUSTERS; place++) {
            double angle = test_between(&random, 0, 6.28);
            for (int k = 0; k < 9; k++) {
                double turn = k == 0 || k == 4 ? cos(angle) : k == 1 ? -sin(angle) : k == 3 ? sin(angle) : k == 8;
                strain.g[k][place] = (float)(size * (turn + wild * test_between(&random, -1, 1)));
            }
        }
        for (int isa = 0; isa < ISA_COUNT; isa++) {
            if (!dent_isa_available(all_isas[isa])) {
                continue;
            }
            cluster_kernels_for(all_isas[isa])->stretches(&strain);
            for (uint32_t place = 0; place < PIECE_CLUSTERS; place++) {
                double a[3][3] = {{0}}, squares = 0;
                for (int i = 0; i < 27; i++) {
                    int row = i / 9, column = i / 3 % 3, k = i % 3;
                    a[row][column] += (double)strain.g[3 * k + row][place] * (double)strain.g[3 * k + column][place];
                }
                for (int k = 0; k < 9; k++) {
                    squares += (double)strain.g[k][place] * (double)strain.g[k][place];
                }
                double least = sqrt(fmax(0, least_eigenvalue(a))), promised = (double)strain.least_stretch[place];
                assert_true(promised <= least);
                assert_true((double)strain.norm[place] >= sqrt(squares) || squares < 1e-30);
                best = least > 0 ? fmax(best, promised / least) : best;
            }
        }
    }
    printf("up to %.5f of the true stretch is promised\n", best);
    assert_true(best > 0.999);
}

/* ---- gaps ------------------------------------------------------------------------------------ */

struct corners {
    const double *points[4];
    uint32_t vertices[4];
    int count;
};

static struct corners corners_of(const struct stage *stage, const uint32_t *vertices, int count)
{
    struct corners corners = {.count = count};
    for (int k = 0; k < count; k++) {
        corners.vertices[k] = vertices[k];
        corners.points[k] = stage->reference[vertices[k]];
    }
    return corners;
}

/* The distance of a vertex or face and a cell; infinite when they share a vertex. 0 is not told from inside. */
static double distance_of(const struct corners *feature, const struct corners *cell)
{
    static const int sides[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}},
                     lines[6][2] = {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}};
    double least = INFINITY;
    for (int i = 0; i < feature->count; i++) {
        for (int k = 0; k < 4; k++) {
            if (feature->vertices[i] == cell->vertices[k]) {
                return INFINITY;
            }
        }
    }
    for (int side = 0; side < 4; side++) {
        const double *face[3] = {cell->points[sides[side][0]], cell->points[sides[side][1]],
                                 cell->points[sides[side][2]]};
        for (int k = 0; k < feature->count; k++) {
            least = fmin(least, vertex_face_distance(feature->points[k], face));
        }
    }
    for (int k = 0; feature->count == 3 && k < 4; k++) {
        least = fmin(least, vertex_face_distance(cell->points[k], feature->points));
    }
    for (int i = 0; feature->count == 3 && i < 18; i++) {
        const double *a[2] = {feature->points[lines[i / 6][0]], feature->points[lines[i / 6][1]]};
        const double *b[2] = {cell->points[lines[i % 6][0]], cell->points[lines[i % 6][1]]};
        least = fmin(least, edge_edge_distance(a, b));
    }
    return least;
}

static bool has_vertex(const struct cluster *cluster, uint32_t vertex)
{
    for (uint32_t k = 0; k < cluster->vertex_count; k++) {
        if (cluster->vertices[k] == vertex) {
            return true;
        }
    }
    return false;
}

/* Is vertex k of cluster a compared with the cells of b? By the cluster that owns it, and by those it is in with
 * themselves. */
static bool is_asked(const struct cluster *a, uint32_t k, const struct cluster *b)
{
    return a == b || ((a->owned >> k & 1) && !has_vertex(b, a->vertices[k]));
}

/* The distance of the vertices or faces of cluster a, as far as they are compared there, from the cells of b. */
static double distance_one_way(const struct stage *stage, int question, uint32_t a, uint32_t b)
{
    const struct cluster *from = &stage->clusters.clusters[a], *to = &stage->clusters.clusters[b];
    double least = INFINITY;
    for (uint32_t c = 0; c < to->cell_count; c++) {
        struct corners cell = corners_of(stage, stage->body->tetrahedra[stage->clusters.cells[to->first_cell + c]], 4);
        for (uint32_t k = 0; k < from->vertex_count && question == GAPS_OF_VERTICES; k++) {
            struct corners vertex = corners_of(stage, &from->vertices[k], 1);
            least = is_asked(from, k, to) ? fmin(least, distance_of(&vertex, &cell)) : least;
        }
        for (uint32_t f = 0; f < from->face_count && question == GAPS_OF_FACES; f++) {
            uint32_t face = stage->clusters.faces[from->first_face + f];
            struct corners triangle = corners_of(stage, stage->body->surface_faces[face].corners, 3);
            least = fmin(least, distance_of(&triangle, &cell));
        }
    }
    return least;
}

static bool are_neighbours(const struct stage *stage, uint32_t a, uint32_t b)
{
    const struct cluster *cluster = &stage->clusters.clusters[a];
    for (uint32_t k = 0; k < cluster->vertex_count; k++) {
        if (has_vertex(&stage->clusters.clusters[b], cluster->vertices[k])) {
            return true;
        }
    }
    return false;
}

/* As the kernels read it; `radii`: of the two clusters together. */
static float gap_in_row(const struct gap_row *row, int way, uint32_t k, float radii)
{
    float root = (float)row->gap[way][k] * (1.0f / 256), square = root * root;
    return square * square * radii;
}

/* A gap between cluster `slot` of a piece, the first of a pair, and cluster `other` of the second; 0: it has no row. */
static double known_gap(const struct stage *stage, uint32_t piece, const struct gap_pair *pair, int question, int way,
                        uint32_t slot, uint32_t other)
{
    const struct piece_rest *rest = stage->gaps.rest_shapes;
    uint32_t number = pair->first_row + (uint32_t)__builtin_popcount(pair->rows & ((1u << slot) - 1));
    float radii = rest[piece].radius[slot] + rest[pair->piece].radius[other];
    return pair->rows >> slot & 1 ? (double)gap_in_row(&stage->gaps.rows[question][number], way, other, radii) : 0;
}

static void no_gap_is_larger_than_the_distance(void **state)
{
    (void)state;
    uint64_t pairs = 0, tight = 0, known = 0, neighbours = 0;
    for (int shape = 0; shape < SHAPE_COUNT; shape++) {
        struct stage stage;
        open_stage(&stage, shape, shape % 2 ? 0.2 : 0, 1);
        double scale = strain_reference_scale(stage.body, (const double(*)[3])stage.reference);
        dent_random random = dent_random_seeded(3);
        for (uint64_t round = 0; round < scaled(40); round++) {
            uint32_t piece = dent_random_below(&random, stage.clusters.piece_count);
            uint32_t first = stage.gaps.first_pair[piece], end = stage.gaps.first_pair[piece + 1];
            assert_true(first < end); /* with itself at least */
            const struct gap_pair *pair = &stage.gaps.pairs[first + dent_random_below(&random, end - first)];
            uint32_t slot = dent_random_below(&random, stage.clusters.pieces[piece].count);
            uint32_t other = dent_random_below(&random, stage.clusters.pieces[pair->piece].count);
            uint32_t a = stage.clusters.pieces[piece].first + slot,
                     b = stage.clusters.pieces[pair->piece].first + other;
            int question = (int)dent_random_below(&random, GAP_QUESTIONS);
            int way = (int)dent_random_below(&random, GAP_WAYS);
            double gap = known_gap(&stage, piece, pair, question, way, slot, other);
            bool in = way == GAPS_IN;
            double distance = distance_one_way(&stage, question, in ? b : a, in ? a : b) * scale;
            assert_true(gap <= distance);
            assert_true((double)pair->gap <= distance);
            assert_true((double)stage.gaps.clearances[piece] <= distance);
            assert_true((double)stage.gaps.clearances[pair->piece] <= distance);
            pairs++;
            known += gap > 0;
            bool counts = are_neighbours(&stage, a, b) && !isinf(distance); /* endless: all features share a vertex */
            neighbours += counts;
            tight += counts && gap > 0.9 * distance; /* a byte rounds down by some percent */
        }
        close_stage(&stage);
    }
    printf("%llu pairs of clusters, %llu gaps known, %llu neighbours, %llu of their gaps within a tenth of the "
           "distance\n",
           (unsigned long long)pairs, (unsigned long long)known, (unsigned long long)neighbours,
           (unsigned long long)tight);
    assert_true(4 * known > pairs && 2 * tight > neighbours && neighbours > 0);
}

/* Pieces far apart have a clearance too, and no piece of these bodies is without one. */
static void every_pair_of_clusters_keeps_the_clearance_of_its_pieces(void **state)
{
    (void)state;
    for (int shape = 0; shape < SHAPE_COUNT; shape++) {
        struct stage stage;
        open_stage(&stage, shape, shape % 2 ? 0.2 : 0, 1);
        double scale = strain_reference_scale(stage.body, (const double(*)[3])stage.reference);
        dent_random random = dent_random_seeded(4);
        for (uint64_t round = 0; round < scaled(40); round++) {
            uint32_t piece_a = dent_random_below(&random, stage.clusters.piece_count);
            uint32_t piece_b = dent_random_below(&random, stage.clusters.piece_count);
            const struct cluster_piece *a = &stage.clusters.pieces[piece_a], *b = &stage.clusters.pieces[piece_b];
            uint32_t from = a->first + dent_random_below(&random, a->count);
            uint32_t to = b->first + dent_random_below(&random, b->count);
            double distance = INFINITY;
            for (int question = 0; question < GAP_QUESTIONS; question++) {
                distance = fmin(distance, distance_one_way(&stage, question, from, to) * scale);
                distance = fmin(distance, distance_one_way(&stage, question, to, from) * scale);
            }
            assert_true(stage.gaps.clearances[piece_a] > 0);
            assert_true((double)stage.gaps.clearances[piece_a] <= distance);
            assert_true((double)stage.gaps.clearances[piece_b] <= distance);
        }
        close_stage(&stage);
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

struct marks {
    uint32_t *cluster_of_cell, *cluster_of_face;
    uint8_t *proven[GAP_QUESTIONS]; /* by cluster with the features, and cluster with the cells */
    uint64_t count;
};

static struct marks marks_make(const struct stage *stage)
{
    struct marks marks = {test_allocate(stage->body->tetrahedron_count, sizeof(uint32_t)),
                          test_allocate(stage->body->surface_face_count, sizeof(uint32_t)),
                          {NULL, NULL},
                          0};
    for (int question = 0; question < GAP_QUESTIONS; question++) {
        marks.proven[question] =
            test_allocate((size_t)stage->clusters.cluster_count * stage->clusters.cluster_count, 1);
    }
    for (uint32_t c = 0; c < stage->clusters.cluster_count; c++) {
        const struct cluster *cluster = &stage->clusters.clusters[c];
        for (uint32_t i = 0; i < cluster->cell_count; i++) {
            marks.cluster_of_cell[stage->clusters.cells[cluster->first_cell + i]] = c;
        }
        for (uint32_t i = 0; i < cluster->face_count; i++) {
            marks.cluster_of_face[stage->clusters.faces[cluster->first_face + i]] = c;
        }
    }
    return marks;
}

static void marks_free(struct marks *marks)
{
    free(marks->cluster_of_cell);
    free(marks->cluster_of_face);
    free(marks->proven[GAPS_OF_VERTICES]);
    free(marks->proven[GAPS_OF_FACES]);
}

/* Boxes that all meet, so that only gaps tell clusters apart. */
static struct box_group boxes_everywhere(void)
{
    struct box_group boxes;
    for (int axis = 0; axis < 3; axis++) {
        for (int slot = 0; slot < PIECE_CLUSTERS; slot++) {
            boxes.lo[axis][slot] = -1;
            boxes.hi[axis][slot] = 1;
        }
    }
    return boxes;
}

static void mark(const struct stage *stage, int question, uint32_t features, uint32_t cells, bool proven,
                 struct marks *marks)
{
    marks->proven[question][(size_t)features * stage->clusters.cluster_count + cells] |= proven;
    marks->count += proven;
}

static void mark_pair(const struct stage *stage, const struct cluster_kernels *kernels, uint32_t piece,
                      const struct gap_pair *pair, struct marks *marks)
{
    const struct box_group boxes = boxes_everywhere();
    const struct cluster_box whole = {{-1, -1, -1}, {1, 1, 1}};
    const struct cluster_piece *own = &stage->clusters.pieces[piece], *others = &stage->clusters.pieces[pair->piece];
    struct open_pair open[GAP_QUESTIONS];
    uint32_t left = gaps_leave_open(&stage->gaps, kernels, stage->pieces, piece, pair, &boxes, &boxes, &whole, 0,
                                    ALL_GAP_QUESTIONS, open);
    for (int question = 0; question < GAP_QUESTIONS; question++) {
        bool clear = !(left >> question & 1);
        for (uint32_t slot = 0; slot < own->count; slot++) {
            for (uint32_t k = 0; k < others->count; k++) {
                bool cells = clear || !(open[question].rows[slot] >> k & 1);
                bool features = clear || !(open[question].columns[k] >> slot & 1);
                mark(stage, question, others->first + k, own->first + slot, cells, marks);
                mark(stage, question, own->first + slot, others->first + k, features, marks);
            }
        }
    }
}

/* Which pairs are proven; all instruction sets say so together or the strains differ in their last bits. */
static void mark_proven(struct stage *stage, const struct cluster_kernels *kernels, struct marks *marks)
{
    uint32_t count = stage->clusters.cluster_count;
    compute_strains(stage, kernels);
    memset(marks->proven[GAPS_OF_VERTICES], 0, (size_t)count * count);
    memset(marks->proven[GAPS_OF_FACES], 0, (size_t)count * count);
    marks->count = 0;
    for (uint32_t b = 0; b < stage->clusters.piece_count; b++) {
        uint32_t own = gaps_prove_own(&stage->gaps, stage->pieces, b);
        for (uint32_t place = 0; place < stage->clusters.pieces[b].count; place++) {
            size_t cluster = stage->clusters.pieces[b].first + place;
            marks->proven[GAPS_OF_VERTICES][cluster * count + cluster] |= own >> place & 1;
            marks->proven[GAPS_OF_FACES][cluster * count + cluster] |= own >> place & 1;
        }
        for (uint32_t i = stage->gaps.first_pair[b]; i < stage->gaps.first_pair[b + 1]; i++) {
            mark_pair(stage, kernels, b, &stage->gaps.pairs[i], marks);
        }
    }
}

/* Every contact of the body with itself, touching included, is between clusters not called apart. Returns how many. */
static uint64_t assert_no_contact_is_hidden(const struct stage *stage, const struct marks *marks)
{
    dent_query_def def = dent_query_def_default();
    dent_query_result result;
    uint32_t count = stage->clusters.cluster_count;
    def.questions = DENT_QUESTION_VERTEX_CELL | DENT_QUESTION_FACE_CELL;
    def.method = DENT_METHOD_SWEEP;
    def.touching = true;
    def.no_details = true;
    assert_int_equal(dent_world_query(stage->world, &def, &result), DENT_OK);
    for (uint64_t i = 0; i < result.face_cell.count; i++) {
        const dent_pair *pair = &result.face_cell.pairs[i];
        uint32_t face = marks->cluster_of_face[pair->feature_a], cell = marks->cluster_of_cell[pair->feature_b];
        assert_false(marks->proven[GAPS_OF_FACES][(size_t)face * count + cell]);
    }
    for (uint64_t i = 0; i < result.vertex_cell.count; i++) {
        const dent_pair *pair = &result.vertex_cell.pairs[i];
        uint32_t cell = marks->cluster_of_cell[pair->feature_b];
        uint32_t asked_in = 0; /* the cluster in which this vertex is compared with that cell */
        for (uint32_t c = 0; c < count; c++) {
            const struct cluster *cluster = &stage->clusters.clusters[c], *cells = &stage->clusters.clusters[cell];
            for (uint32_t k = 0; k < cluster->vertex_count; k++) {
                if (cluster->vertices[k] == pair->feature_a && is_asked(cluster, k, cells)) {
                    assert_false(marks->proven[GAPS_OF_VERTICES][(size_t)c * count + cell]);
                    asked_in++;
                }
            }
        }
        assert_int_equal(asked_in, 1);
    }
    return result.face_cell.count + result.vertex_cell.count;
}

static void clusters_called_apart_have_no_contact(void **state)
{
    (void)state;
    uint64_t poses = 0, proven = 0, with_contact = 0, both = 0;
    for (int shape = 0; shape < SHAPE_COUNT; shape++) {
        struct stage stage;
        open_stage(&stage, shape, shape % 2 ? 0.15 : 0, 1);
        struct marks marks = marks_make(&stage);
        for (uint64_t seed = 0; seed < scaled(80); seed++) {
            int isa = (int)(seed % ISA_COUNT);
            isa = dent_isa_available(all_isas[isa]) ? isa : 0;
            deform_stage(&stage, (int)(seed % DEFORMATION_COUNT), pow(10, -2 + 2.5 * (double)(seed * 37 % 97) / 97),
                         seed);
            mark_proven(&stage, cluster_kernels_for(all_isas[isa]), &marks);
            uint64_t contacts = assert_no_contact_is_hidden(&stage, &marks);
            poses++;
            proven += marks.count > 0;
            with_contact += contacts > 0;
            both += marks.count > 0 && contacts > 0;
        }
        marks_free(&marks);
        close_stage(&stage);
    }
    printf("%llu poses, %llu with clusters called apart, %llu with contact, %llu with both\n",
           (unsigned long long)poses, (unsigned long long)proven, (unsigned long long)with_contact,
           (unsigned long long)both);
    assert_true(4 * proven > poses && with_contact > 0);
    assert_true(both > 0 || poses < 300); /* a quick run sees too few */
}

/* For one pair of clusters, the amplitude at which it stops being called apart, to the last bits; the poses beside it.
 */
static void contact_is_not_hidden_at_the_limit(void **state)
{
    (void)state;
    uint64_t limits = 0;
    for (int shape = 0; shape < SHAPE_COUNT; shape++) {
        struct stage stage;
        open_stage(&stage, shape, 0, 1);
        struct marks marks = marks_make(&stage);
        const struct cluster_kernels *kernels = cluster_kernels_for(DENT_ISA_SCALAR);
        for (uint64_t seed = 0; seed < scaled(12); seed++) {
            int kind = (int)((seed + (uint64_t)shape) % DEFORMATION_COUNT);
            double low = 0, high = 20;
            uint32_t count = stage.clusters.cluster_count, cluster = (uint32_t)(seed * 5 % count);
            size_t pair = (size_t)cluster * count + (seed % 2 ? cluster : (cluster + 1) % count);
            const uint8_t *proven = marks.proven[seed / 2 % GAP_QUESTIONS];
            deform_stage(&stage, kind, high, seed);
            mark_proven(&stage, kernels, &marks);
            bool always = proven[pair];
            deform_stage(&stage, kind, low, seed);
            mark_proven(&stage, kernels, &marks);
            if (always || !proven[pair]) {
                continue;
            }
            for (int step = 0; step < 36; step++) {
                double middle = 0.5 * (low + high);
                deform_stage(&stage, kind, middle, seed);
                mark_proven(&stage, kernels, &marks);
                *(proven[pair] ? &low : &high) = middle;
            }
            for (int i = -2; i <= 2; i++) {
                deform_stage(&stage, kind, low * (1 + 1e-7 * i), seed);
                mark_proven(&stage, kernels, &marks);
                assert_no_contact_is_hidden(&stage, &marks);
            }
            limits++;
        }
        marks_free(&marks);
        close_stage(&stage);
    }
    printf("%llu limits found\n", (unsigned long long)limits);
    assert_true(limits > 0);
}

/* A cluster squeezed flat along one direction until features meet: the pair has to be let go before. */
static void squeezed_clusters_are_let_go_before_they_meet(void **state)
{
    (void)state;
    for (int shape = 0; shape < SHAPE_COUNT; shape++) {
        struct stage stage;
        open_stage(&stage, shape, 0.1, 1);
        struct marks marks = marks_make(&stage);
        uint64_t first = 0, last = 0;
        for (uint64_t step = 0; step <= scaled(40); step++) {
            /* sheets of cells pushed into each other: x -> x - s * sine of x, which turns over at s = 1 / 3 */
            double share = 0.8 * (double)step / (double)scaled(40);
            for (uint32_t v = 0; v < stage.given->vertex_count; v++) {
                const double *p = stage.reference[v];
                stage.given->xyz[v][0] = p[0] - share * sin(3 * p[0] + p[1]);
                stage.given->xyz[v][1] = p[1];
                stage.given->xyz[v][2] = p[2];
            }
            mark_proven(&stage, cluster_kernels_for(all_isas[0]), &marks);
            uint64_t contacts = assert_no_contact_is_hidden(&stage, &marks);
            first = step == 0 ? marks.count : first;
            last = contacts;
        }
        assert_true(first > 0 && last > 0);
        marks_free(&marks);
        close_stage(&stage);
    }
}

/* The part above a slit sinks as a whole, or tips about its middle, until it meets the part below: clusters that have
 * no vertex in common, whose own maps stay perfect. */
static void parts_across_a_slit_are_let_go_before_they_meet(void **state)
{
    (void)state;
    for (int tips = 0; tips < 2; tips++) {
        struct stage stage;
        open_stage(&stage, 2, 0, 1);
        struct marks marks = marks_make(&stage);
        uint64_t first = 0, with_contact = 0, both = 0, steps = scaled(40);
        for (uint64_t step = 0; step <= steps; step++) {
            double share = 1.6 * (double)step / (double)steps;
            for (uint32_t v = 0; v < stage.given->vertex_count; v++) {
                const double *p = stage.reference[v];
                bool above = p[2] > 2.5 && p[0] > 2.5;
                memcpy(stage.given->xyz[v], p, sizeof stage.given->xyz[v]);
                stage.given->xyz[v][2] -= above ? share * (tips ? p[0] - 5 : 1) : 0;
            }
            mark_proven(
                &stage,
                cluster_kernels_for(dent_isa_available(all_isas[step % 3]) ? all_isas[step % 3] : DENT_ISA_SCALAR),
                &marks);
            uint64_t contacts = assert_no_contact_is_hidden(&stage, &marks);
            first = step == 0 ? marks.count : first;
            with_contact += contacts > 0;
            both += contacts > 0 && marks.count > 0;
        }
        assert_true(first > 0 && with_contact > 0 && both > 0);
        marks_free(&marks);
        close_stage(&stage);
    }
}

/* ---- references that overlap themselves ------------------------------------------------------ */

/* One body of many blocks in nearly the same place. */
static struct test_body *add_pile(struct test_scene *scene, uint32_t cubes, uint32_t copies)
{
    struct test_scene single = {.body_count = 0};
    const struct test_body *block = test_add_block(&single, cubes, cubes, cubes);
    uint32_t vertices = block->vertex_count, cells = block->element_count;
    struct test_body *pile =
        test_scene_new_body(scene, DENT_BODY_SOLID, copies * vertices, copies * cells, 4 * copies * cells);
    dent_random random = dent_random_seeded(17);
    for (uint32_t copy = 0; copy < copies; copy++) {
        const double shift[3] = {dent_random_unit(&random), dent_random_unit(&random), dent_random_unit(&random)};
        for (uint32_t v = 0; v < vertices; v++) {
            for (int axis = 0; axis < 3; axis++) {
                pile->xyz[copy * vertices + v][axis] = block->xyz[v][axis] + shift[axis];
            }
        }
        for (uint32_t i = 0; i < 4 * cells; i++) {
            pile->corners[4 * copy * cells + i] = block->corners[i] + copy * vertices;
        }
    }
    test_scene_free(&single);
    return pile;
}

/* Gaps that are still to be measured: those to clusters behind. */
static uint64_t count_unmeasured(const struct gap_reference *gaps)
{
    uint64_t count = 0;
    for (uint32_t piece = 0; piece < gaps->clusters->piece_count; piece++) {
        for (uint32_t i = gaps->first_pair[piece]; i < gaps->first_pair[piece + 1]; i++) {
            const struct gap_pair *pair = &gaps->pairs[i];
            uint32_t row = pair->first_row;
            assert_true(pair->rows != 0);
            for (uint32_t set = pair->rows; set; set &= set - 1, row++) {
                uint32_t own = gaps->clusters->pieces[piece].first + (uint32_t)__builtin_ctz(set);
                for (uint32_t k = 0; k < gaps->clusters->pieces[pair->piece].count; k++) {
                    count += gaps->rows[GAPS_OF_FACES][row].gap[GAPS_IN][k] == 255 &&
                             gaps->clusters->pieces[pair->piece].first + k > own;
                }
            }
        }
    }
    return count;
}

static void a_reference_that_overlaps_itself_is_measured_within_a_budget(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    struct test_scene scene = {.body_count = 0};
    struct test_body *pile = add_pile(&scene, 6, 32);
    dent_world *world = dent_world_create(context);
    assert_int_equal(test_scene_add(&scene, world), DENT_OK);
    const struct body *body = body_table_at(&world->bodies, 0);
    const double(*rest)[3] = (const double(*)[3])pile->xyz;
    struct body_clusters clusters;
    struct gap_reference gaps;
    assert_true(body_clusters_create(&clusters, context, body, rest));
    assert_true(gap_reference_create(&gaps, context, body, &clusters, rest));
    uint64_t budget = GAPS_PER_CLUSTER * (uint64_t)clusters.cluster_count, unmeasured = count_unmeasured(&gaps);
    assert_true(unmeasured >= budget && unmeasured < budget + PIECE_CLUSTERS); /* all of it, and the last row */
    size_t workers = dent_context_worker_count(context);
    void *rooms = dent_allocate(context, workers, gap_room_size());
    gap_reference_complete(&gaps, body, rest, rooms);
    dent_release(context, rooms, workers, gap_room_size());
    for (uint32_t piece = 0; piece < clusters.piece_count; piece++) {
        assert_true(gaps.clearances[piece] == 0); /* also of the pieces that were left out */
    }
    gap_reference_destroy(&gaps);
    body_clusters_destroy(&clusters);
    dent_world_destroy(world);
    test_scene_free(&scene);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_vertex_lies_within_the_slack_of_its_map),
        cmocka_unit_test(nothing_is_stretched_less_than_promised),
        cmocka_unit_test(no_gap_is_larger_than_the_distance),
        cmocka_unit_test(every_pair_of_clusters_keeps_the_clearance_of_its_pieces),
        cmocka_unit_test(clusters_called_apart_have_no_contact),
        cmocka_unit_test(contact_is_not_hidden_at_the_limit),
        cmocka_unit_test(squeezed_clusters_are_let_go_before_they_meet),
        cmocka_unit_test(parts_across_a_slit_are_let_go_before_they_meet),
        cmocka_unit_test(a_reference_that_overlaps_itself_is_measured_within_a_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
