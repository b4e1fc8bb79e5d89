/* The leaves of the cluster search in doubles against the exact predicates, on every instruction set: no pair that meets
 * is left out, no pair that does not meet is called certain, and what is left open is little where floats leave nearly
 * everything open. Points of every size, on lattices, equal, one ulp apart, cells and faces without volume and area. */
#include "support/cmocka_includes.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/predicates/tetrahedron_predicates.h"
#include "structures/clusters/kernels/cluster_kernels.h"

enum { SIDES_A = 3 };

enum way {
    WAY_RANDOM,   /* in a cube */
    WAY_LATTICE,  /* few different coordinates: flat, equal and touching things everywhere */
    WAY_FITTED,   /* points of the sides are equal or differ by a millionth or a billionth */
    WAY_FAR,      /* the same far from zero */
    WAY_ULPS,     /* the same, also by one ulp: doubles cannot tell */
    WAY_FLAT,     /* nearly in a plane */
    WAY_SCALED,   /* the same as ulps, times any power of two that keeps it finite */
    WAY_EXPONENT, /* every coordinate with an exponent of its own, in a window from subnormal to the largest */
    WAY_COUNT
};

struct side {
    struct cluster cluster;
    struct cluster_corners corners;
    struct cluster_points points;
    double xyz[CLUSTER_VERTICES + 1][3]; /* a vertex more: 8 bytes behind the last are read */
    uint32_t identities[CLUSTER_VERTICES];
};

/* Three sides a and a side b in one world. */
struct leaf_case {
    struct side b, a[SIDES_A];
    double scale;
    bool may_share;
};

/* ---- drawing --------------------------------------------------------------------------------- */

static void draw_topology(struct side *side, dent_random *random)
{
    struct cluster *cluster = &side->cluster;
    uint32_t count = 4 + dent_random_below(random, CLUSTER_VERTICES - 3);
    *cluster = (struct cluster){.vertex_count = (uint8_t)count,
                                .cell_count = (uint8_t)(1 + dent_random_below(random, CLUSTER_CELLS)),
                                .face_count = (uint8_t)(1 + dent_random_below(random, CLUSTER_FACES))};
    memset(&side->corners, 0, sizeof side->corners);
    for (uint32_t i = 0; i < CLUSTER_VERTICES; i++) {
        cluster->vertices[i] = i < count ? i : 0;
    }
    for (uint32_t i = 0; i < cluster->cell_count; i++) {
        uint32_t first = dent_random_below(random, count), step = 1 + dent_random_below(random, (count - 1) / 3);
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t slot = (first + k * step) % count;
            side->corners.cells[i] |= slot << 8 * k;
            side->corners.cell_vertices[i] |= UINT32_C(1) << slot;
        }
    }
    for (uint32_t i = 0; i < cluster->face_count; i++) {
        uint32_t first = dent_random_below(random, count), step = 1 + dent_random_below(random, (count - 1) / 2);
        for (uint32_t k = 0; k < 3; k++) {
            side->corners.faces[k][i] = (uint8_t)((first + k * step) % count);
        }
    }
}

static double moved_a_little(double x, bool ulps, dent_random *random)
{
    switch (dent_random_below(random, ulps ? 6 : 2)) {
    case 0:
        return x + (dent_random_unit(random) - 0.5) * 1e-6;
    case 1:
        return x + (dent_random_unit(random) - 0.5) * 1e-9;
    case 2:
        return nextafter(x, INFINITY);
    case 3:
        return nextafter(x, -INFINITY);
    default:
        return x;
    }
}

/* Exponents from -1073 to 1023. */
struct exponents {
    int least, count;
};

static struct exponents draw_exponents(dent_random *random)
{
    static const int counts[3] = {20, 300, 2097};
    int count = counts[dent_random_below(random, 3)];
    return (struct exponents){(int)dent_random_below(random, (uint32_t)(2098 - count)) - 1073, count};
}

static double draw_exponent(struct exponents exponents, dent_random *random)
{
    int exponent = exponents.least + (int)dent_random_below(random, (uint32_t)exponents.count);
    return ldexp(dent_random_unit(random) * 2 - 1, exponent);
}

static void draw_point(double p[3], enum way way, struct exponents exponents, dent_random *random)
{
    for (int axis = 0; axis < 3; axis++) {
        double unit = dent_random_unit(random) * 2 - 1;
        p[axis] = way == WAY_LATTICE    ? (double)dent_random_below(random, 4)
                  : way == WAY_FLAT     ? (axis == 2 ? unit * 1e-13 : unit)
                  : way == WAY_EXPONENT ? draw_exponent(exponents, random)
                                        : unit;
    }
}

static void draw_points(struct leaf_case *drawn, enum way way, dent_random *random)
{
    bool ulps = way != WAY_FITTED && way != WAY_FAR, fitted = !ulps || way == WAY_ULPS || way == WAY_SCALED;
    const struct exponents exponents = draw_exponents(random);
    for (uint32_t i = 0; i <= CLUSTER_VERTICES; i++) {
        draw_point(drawn->b.xyz[i], way, exponents, random);
        for (int axis = 0; axis < 3 && way == WAY_FAR; axis++) {
            drawn->b.xyz[i][axis] += 30;
        }
    }
    for (int s = 0; s < SIDES_A; s++) {
        for (uint32_t i = 0; i <= CLUSTER_VERTICES; i++) {
            double *p = drawn->a[s].xyz[i];
            draw_point(p, way, exponents, random);
            uint32_t partner = ulps ? dent_random_below(random, CLUSTER_VERTICES) : (i + 7 * (uint32_t)s) % 32;
            const double *other = drawn->b.xyz[partner];
            bool exact = dent_random_below(random, 2) != 0;
            for (int axis = 0; axis < 3 && (fitted || dent_random_below(random, 4) == 0); axis++) {
                p[axis] = exact ? other[axis] : moved_a_little(other[axis], ulps, random);
            }
        }
    }
}

static double largest_coordinate(const struct side *side)
{
    double largest = 0;
    for (int i = 0; i <= CLUSTER_VERTICES; i++) {
        for (int axis = 0; axis < 3; axis++) {
            largest = fmax(largest, fabs(side->xyz[i][axis]));
        }
    }
    return largest;
}

static void scale_points(struct side *side, int exponent)
{
    for (int i = 0; i <= CLUSTER_VERTICES; i++) {
        for (int axis = 0; axis < 3; axis++) {
            side->xyz[i][axis] = ldexp(side->xyz[i][axis], exponent);
        }
    }
}

static void draw_case(struct leaf_case *drawn, enum way way, dent_random *random)
{
    int shift = (int)dent_random_below(random, 2040) - 1040, exponent;
    double largest = 0;
    drawn->may_share = dent_random_below(random, 4) == 0;
    for (int s = -1; s < SIDES_A; s++) {
        struct side *side = s < 0 ? &drawn->b : &drawn->a[s];
        draw_topology(side, random);
        for (uint32_t i = 0; i < CLUSTER_VERTICES; i++) { /* now and then a vertex of another side */
            uint32_t slot = i < side->cluster.vertex_count ? i : 0;
            bool own = dent_random_below(random, 4) != 0;
            side->identities[i] = i != slot ? side->identities[0] : own ? 100u * (uint32_t)(s + 1) + i : i;
        }
    }
    draw_points(drawn, way, random);
    for (int s = -1; s < SIDES_A; s++) {
        struct side *side = s < 0 ? &drawn->b : &drawn->a[s];
        scale_points(side, way == WAY_SCALED ? shift : 0);
        largest = fmax(largest, largest_coordinate(side));
    }
    frexp(largest, &exponent);
    drawn->scale = ldexp(1, exponent < -1000 ? 1000 : -exponent);
}

/* ---- truth ----------------------------------------------------------------------------------- */

/* By side a, feature and cell. */
struct truth {
    uint8_t faces[SIDES_A][CLUSTER_FACES][CLUSTER_CELLS], vertices[SIDES_A][CLUSTER_VERTICES][CLUSTER_CELLS];
};

enum { NOT_ASKED = 100, MEETS_NOT, TOUCHES, MEETS };

static uint8_t truth_of_face(const struct leaf_case *drawn, int s, int face, const double *const cell[4],
                             const uint32_t identities[4])
{
    const struct side *a = &drawn->a[s];
    const double *corners[3];
    predicate_counters counters = {0};
    for (int k = 0; k < 3; k++) {
        uint32_t slot = a->corners.faces[k][face];
        corners[k] = a->xyz[slot];
        for (int j = 0; j < 4 && drawn->may_share; j++) {
            if (a->identities[slot] == identities[j]) {
                return NOT_ASKED;
            }
        }
    }
    overlap_relation relation = triangle_versus_tetrahedron(corners, cell, &counters);
    return relation == OVERLAP_INTERIOR ? MEETS : relation == OVERLAP_TOUCHING ? TOUCHES : MEETS_NOT;
}

static uint8_t truth_of_vertex(const struct leaf_case *drawn, int s, int vertex, const double *const cell[4],
                               const uint32_t identities[4])
{
    const struct side *a = &drawn->a[s];
    predicate_counters counters = {0};
    for (int j = 0; j < 4 && drawn->may_share; j++) {
        if (a->identities[vertex] == identities[j]) {
            return NOT_ASKED;
        }
    }
    point_relation relation = point_versus_tetrahedron(a->xyz[vertex], cell[0], cell[1], cell[2], cell[3], &counters);
    return relation == POINT_INTERIOR ? MEETS : relation == POINT_BOUNDARY ? TOUCHES : MEETS_NOT;
}

static void find_truth(const struct leaf_case *drawn, struct truth *truth)
{
    for (int c = 0; c < drawn->b.cluster.cell_count; c++) {
        const double *cell[4];
        uint32_t identities[4];
        for (int k = 0; k < 4; k++) {
            uint32_t slot = cluster_corner(drawn->b.corners.cells[c], k);
            cell[k] = drawn->b.xyz[slot];
            identities[k] = drawn->b.identities[slot];
        }
        for (int s = 0; s < SIDES_A; s++) {
            for (int f = 0; f < drawn->a[s].cluster.face_count; f++) {
                truth->faces[s][f][c] = truth_of_face(drawn, s, f, cell, identities);
            }
            for (int v = 0; v < drawn->a[s].cluster.vertex_count; v++) {
                truth->vertices[s][v][c] = truth_of_vertex(drawn, s, v, cell, identities);
            }
        }
    }
}

/* ---- the leaves ------------------------------------------------------------------------------ */

struct tally {
    uint64_t pairs, meet, touch, certain, open;
};

struct leaf_run {
    const struct cluster_kernels *kernels;
    struct leaf_cells cells;
    struct leaf_doubles doubles;
    struct leaf_hit hits[LEAF_HITS_MAX];
    uint8_t found[SIDES_A][CLUSTER_FACES][CLUSTER_CELLS]; /* 1: open, 2: certain */
};

static void begin_run(struct leaf_run *run, struct leaf_case *drawn, const struct cluster_kernels *kernels,
                      bool interior_only)
{
    static const double zero[3] = {0, 0, 0};
    memset(run, 0xA5, sizeof *run); /* nothing may depend on what was there before */
    memset(run->found, 0, sizeof run->found);
    run->kernels = kernels;
    for (int s = -1; s < SIDES_A; s++) {
        struct side *side = s < 0 ? &drawn->b : &drawn->a[s];
        kernels->load(&side->cluster, (const double(*)[3])side->xyz, zero, drawn->scale, &side->points);
    }
    run->cells.identities = drawn->b.identities;
    run->cells.cluster = &drawn->b.cluster;
    run->cells.corners = &drawn->b.corners;
    run->cells.points = &drawn->b.points;
    run->cells.xyz = (const double(*)[3])drawn->b.xyz;
    run->cells.has_boxes = false;
    run->cells.interior_only = interior_only;
    kernels->bound(&drawn->b.points, UINT32_MAX, &run->cells.box);
    run->doubles.cells.has_x = run->doubles.cells.has_points = run->doubles.cells.has_planes = false;
    run->doubles.vertices.waiting.count = run->doubles.vertices.source_count = run->doubles.vertices.count = 0;
    run->doubles.faces.points.count = run->doubles.faces.count = 0;
    run->doubles.vertices.waiting.may_share = run->doubles.faces.points.may_share = false;
}

static void note_hits(struct leaf_run *run, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct leaf_hit *hit = &run->hits[i];
        assert_in_range(hit->cluster, 0, SIDES_A - 1);
        assert_in_range(hit->feature, 0, CLUSTER_FACES - 1);
        assert_in_range(hit->cell, 0, run->cells.cluster->cell_count - 1);
        uint8_t *found = &run->found[hit->cluster][hit->feature][hit->cell];
        assert_int_equal(*found, 0); /* once */
        *found = hit->certain ? 2 : 1;
    }
}

static void run_leaves(struct leaf_run *run, struct leaf_case *drawn, bool faces)
{
    for (uint32_t s = 0; s < SIDES_A; s++) {
        struct side *a = &drawn->a[s];
        struct leaf_features features = {
            .cluster = &a->cluster,
            .corners = &a->corners,
            .points = &a->points,
            .identities = drawn->may_share ? a->identities : NULL,
            .lanes = a->cluster.vertex_count < 32 ? (UINT32_C(1) << a->cluster.vertex_count) - 1 : UINT32_MAX,
            .number = s,
            .xyz = (const double(*)[3])a->xyz,
        };
        note_hits(run, (faces ? run->kernels->face_leaf_doubles
                              : run->kernels->vertex_leaf_doubles)(&run->cells, &features, &run->doubles, run->hits));
    }
    note_hits(run, (faces ? run->kernels->face_flush_doubles
                          : run->kernels->vertex_flush_doubles)(&run->cells, &run->doubles, run->hits));
}

static void judge(const struct leaf_run *run, uint8_t truth, uint8_t found, struct tally *tally)
{
    tally->pairs++;
    tally->meet += truth == MEETS;
    tally->touch += truth == TOUCHES;
    tally->certain += found == 2;
    tally->open += found == 1;
    assert_true(truth != NOT_ASKED || !found);
    assert_true(truth != MEETS || found);
    assert_true(truth == MEETS || found != 2);
    assert_true(truth != TOUCHES || run->cells.interior_only || found);
}

static void judge_case(const struct leaf_run *run, const struct leaf_case *drawn, const struct truth *truth, bool faces,
                       struct tally *tally)
{
    for (int s = 0; s < SIDES_A; s++) {
        int count = faces ? drawn->a[s].cluster.face_count : drawn->a[s].cluster.vertex_count;
        for (int i = 0; i < count; i++) {
            for (int c = 0; c < drawn->b.cluster.cell_count; c++) {
                judge(run, faces ? truth->faces[s][i][c] : truth->vertices[s][i][c], run->found[s][i][c], tally);
            }
        }
    }
}

static void try_way(enum way way, uint64_t seed, const struct cluster_kernels *const *rows, int row_count,
                    struct tally *tally)
{
    static struct leaf_case drawn;
    static struct truth truth;
    static struct leaf_run run;
    dent_random random = dent_random_seeded(seed * WAY_COUNT + (uint64_t)way);
    draw_case(&drawn, way, &random);
    find_truth(&drawn, &truth);
    for (int row = 0; row < row_count; row++) {
        for (int i = 0; i < 4; i++) {
            bool faces = i & 1, interior_only = i & 2;
            begin_run(&run, &drawn, rows[row], interior_only);
            run_leaves(&run, &drawn, faces);
            judge_case(&run, &drawn, &truth, faces, &tally[interior_only]);
        }
    }
}

static int rows_here(const struct cluster_kernels *rows[DENT_ISA_COUNT])
{
    int count = 0;
    for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        if (dent_isa_available((dent_isa)isa)) {
            rows[count++] = cluster_kernels_for((dent_isa)isa);
        }
    }
    return count;
}

static void no_pair_is_lost_and_none_is_certain_that_does_not_meet(void **state)
{
    (void)state;
    static const char *const names[WAY_COUNT] = {"random", "lattice", "fitted", "far",
                                                 "ulps",   "flat",    "scaled", "exponent"};
    const struct cluster_kernels *rows[DENT_ISA_COUNT];
    int row_count = rows_here(rows);
    uint64_t cases = getenv("DENT_QUICK_TESTS") ? 10 : getenv("DENT_LONG_TESTS") ? 1000 : 30;
    for (int way = 0; way < WAY_COUNT; way++) {
        struct tally tally[2] = {{0}};
        for (uint64_t seed = 0; seed < cases; seed++) {
            try_way((enum way)way, seed, rows, row_count, tally);
        }
        const struct tally *t = &tally[1];
        printf("%-10s %9llu pairs, %8llu meet, %8llu touch, %8llu certain, %7llu open\n", names[way],
               (unsigned long long)t->pairs, (unsigned long long)t->meet, (unsigned long long)t->touch,
               (unsigned long long)t->certain, (unsigned long long)t->open);
        assert_true(t->meet * 500 > t->pairs);
        if (way == WAY_FITTED || way == WAY_FAR) { /* equal points and small gaps are seen */
            assert_true(t->open * 100 < t->certain);
            assert_true(t->certain * 100 > t->meet * 99);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_pair_is_lost_and_none_is_certain_that_does_not_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
