/* The test of a vertex and a face at rest against the exact stage of the general test: what it calls certain is so, and
 * its times hold the true one. Grazed edges and corners, rays in the plane, faces without area, all magnitudes. */
#include "support/cmocka_includes.h"

#include <stdlib.h>

#include "geometry/impact/impact_still_face.h"
#include "geometry/impact_cases.h"

static long tier(long usual)
{
    return getenv("DENT_LONG_TESTS") != NULL ? 10 * usual : getenv("DENT_QUICK_TESTS") != NULL ? usual / 50 : usual;
}

/* Small integers and halves: `on` a corner, an edge, inside, in the plane or anywhere. */
static void aim(double face[3][3], int on, dent_random *random, double target[3])
{
    double u = 0.25 * dent_random_below(random, 4), v = 0.25 * dent_random_below(random, 4);
    int corner = (int)dent_random_below(random, 3);
    for (int axis = 0; axis < 3; axis++) {
        const double a = face[corner][axis], b = face[(corner + 1) % 3][axis], c = face[(corner + 2) % 3][axis];
        target[axis] = on == 0   ? a
                       : on == 1 ? a + u * (b - a)
                       : on == 2 ? a + 0.25 * (b - a) + 0.5 * (c - a)
                       : on == 3 ? a + 2 * u * (b - a) - v * (c - a)
                                 : small_integer(random, 6);
    }
}

/* A ray through a target on the face: exact, or one ulp beside it, at any scale. */
static void make_aimed(impact_case *query, dent_random *random)
{
    double face[3][3], target[3], along[3];
    int scale = (int)dent_random_below(random, 6) == 0 ? (int)dent_random_below(random, 1900) - 950 : 0;
    bool in_plane = dent_random_below(random, 8) == 0, beside = dent_random_below(random, 3) == 0;
    for (int i = 0; i < 9; i++) {
        face[i / 3][i % 3] = small_integer(random, 4);
    }
    if (dent_random_below(random, 16) == 0) { /* no area */
        memcpy(face[2], face[dent_random_below(random, 2)], sizeof face[2]);
    }
    aim(face, (int)dent_random_below(random, 5), random, target);
    for (int axis = 0; axis < 3; axis++) {
        along[axis] = in_plane ? face[1][axis] - face[0][axis] : small_integer(random, 5);
    }
    double before = (double)dent_random_below(random, 4), after = 0.5 * dent_random_below(random, 6);
    before *= dent_random_below(random, 4) == 0 ? 0x1p30 : 1;
    query->kind = IMPACT_VERTEX_FACE;
    for (int axis = 0; axis < 3; axis++) {
        double ends[2] = {target[axis] - before * along[axis], target[axis] + after * along[axis]};
        for (int end = 0; end < 2; end++) {
            ends[end] = beside && dent_random_below(random, 3) == 0 ? nextafter(ends[end], small_integer(random, 9)) : ends[end];
            *coordinate(query, 0, end, axis) = ldexp(ends[end], scale);
        }
        for (int corner = 0; corner < 3; corner++) {
            query->vertices[corner + 1].start[axis] = ldexp(face[corner][axis], scale);
        }
    }
}

static void make_still(impact_case *query, dent_random *random, long i)
{
    if (i % 2) {
        make_case(query, random, (enum impact_family)(i / 2 % CASE_FAMILIES));
        query->kind = IMPACT_VERTEX_FACE;
    } else {
        make_aimed(query, random);
    }
    for (int corner = 0; corner < 4; corner++) {
        query->corners[corner] = &query->vertices[corner];
        if (corner > 0) {
            memcpy(query->vertices[corner].end, query->vertices[corner].start, sizeof query->vertices[corner].end);
        }
    }
}

static void what_is_certain_is_what_the_exact_stage_says(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(24);
    long count = tier(300000), counts[3] = {0, 0, 0}, narrow = 0;
    for (long i = 0; i < count; i++) {
        impact_case query;
        struct impact_result exact, decided;
        double low = NAN, high = NAN, limit = i % 3 ? 1.0 : dent_random_unit(&random);
        make_still(&query, &random, i);
        const double *from = query.vertices[0].start, *to = query.vertices[0].end;
        const double *const corners[3] = {query.vertices[1].start, query.vertices[2].start, query.vertices[3].start};
        enum still_face_answer answer = still_face_test(from, to, corners, limit, &low, &high);
        counts[answer]++;
        narrow += answer == STILL_FACE_HIT && high - low < 0x1p-40;
        if (answer == STILL_FACE_OPEN && i % 8) {
            continue;
        }
        impact_test_exact(NULL, IMPACT_VERTEX_FACE, query.corners, &exact);
        bool right = answer == STILL_FACE_FREE  ? exact.answer == IMPACT_FREE || exact.toi >= limit
                     : answer == STILL_FACE_HIT ? exact.answer == IMPACT_HIT && low <= exact.toi && exact.toi <= high &&
                                                      low > 0 && high < 1
                                                : true;
        if (!right) {
            fail_msg("case %ld: said %d within [%a, %a], exactly %d at %a", i, answer, low, high, exact.answer, exact.toi);
        }
        still_face_decide(from, to, corners, 1, &decided);
        assert_true(decided.answer == exact.answer && decided.toi == exact.toi);
        struct impact_result described = exact;
        if (exact.answer == IMPACT_HIT) {
            still_face_describe(query.vertices, &described);
            assert_true(described.u == exact.u && described.v == exact.v &&
                        !memcmp(described.normal, exact.normal, sizeof exact.normal));
        }
    }
    print_message("free %ld, hit %ld (%ld within 2^-40), open %ld\n", counts[STILL_FACE_FREE], counts[STILL_FACE_HIT], narrow,
                  counts[STILL_FACE_OPEN]);
    assert_true(10 * counts[STILL_FACE_FREE] > count && 20 * counts[STILL_FACE_HIT] > count &&
                20 * narrow > 19 * counts[STILL_FACE_HIT] && counts[STILL_FACE_OPEN] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_certain_is_what_the_exact_stage_says)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
