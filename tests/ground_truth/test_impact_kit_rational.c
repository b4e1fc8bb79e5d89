/* The impact tests on the data kit: every query of every file gets its true answer (none missed, none invented), from
 * all stages and from the exact one alone, and every time given to 25 digits lies in [toi, next double]. */
#include "support/cmocka_includes.h"

#include <dent/dent.h>
#include <dent/impact_io.h>
#include <dent/mesh_io.h>
#include <gmp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/impact/impact_test.h"
#include "io/bytes/file_bytes.h"

static const char *kit(void)
{
    const char *data = getenv("DENT_DATA");
    if (data == NULL) {
        printf("SKIPPED: DENT_DATA is not set, so there are no queries to compare with\n");
        skip();
    }
    return data;
}

/* How often each outcome was seen. */
struct tally {
    uint32_t queries, hits, exact_calls, times;
};

static void test_query(enum impact_kind kind, const dent_impact_query *query, struct impact_result results[2])
{
    struct impact_vertex vertices[4];
    const struct impact_vertex *corners[4];
    for (int i = 0; i < 4; i++) {
        memcpy(vertices[i].start, query->points_t0[i], sizeof vertices[i].start);
        memcpy(vertices[i].end, query->points_t1[i], sizeof vertices[i].end);
        corners[i] = &vertices[i];
    }
    impact_test(kind, corners, 1.0, &results[0]);
    impact_test_exact(NULL, kind, corners, &results[1]);
}

/* 0.d1d2d3... as an exact rational; advances past it. */
static void read_decimal(const char **text, mpq_t value)
{
    char digits[128];
    int count = 0, after_point = 0;
    bool point = false;
    for (; (**text >= '0' && **text <= '9') || **text == '.'; (*text)++) {
        if (**text == '.') {
            point = true;
            continue;
        }
        digits[count++] = **text;
        after_point += point;
    }
    digits[count] = 0;
    mpq_set_str(value, digits, 10);
    mpz_ui_pow_ui(mpq_denref(value), 10, (unsigned)after_point);
    mpq_canonicalize(value);
}

/* toi <= time <= next double, up to half a unit of the 25th digit. */
static bool time_fits(double toi, const mpq_t time)
{
    mpq_t bound, slack;
    mpq_inits(bound, slack, NULL);
    mpq_set_str(slack, "1/20000000000000000000000000", 10);
    mpq_set_d(bound, toi);
    mpq_sub(bound, bound, slack);
    bool fits = mpq_cmp(bound, time) <= 0;
    mpq_set_d(bound, nextafter(toi, 2.0));
    mpq_add(bound, bound, slack);
    fits = fits && mpq_cmp(time, bound) <= 0;
    mpq_clears(bound, slack, NULL);
    return fits;
}

static char *load_text(dent_context *context, const char *path)
{
    struct file_bytes bytes;
    assert_int_equal(file_bytes_load(context, path, FILES_ONLY, &bytes), DENT_OK);
    char *text = malloc(bytes.size + 1);
    assert_non_null(text);
    memcpy(text, bytes.data, bytes.size);
    text[bytes.size] = 0;
    file_bytes_release(context, &bytes);
    return text;
}

static void check_times(dent_context *context, const char *path, const double *toi, struct tally *tally)
{
    char *text = load_text(context, path);
    mpq_t time;
    mpq_init(time);
    for (const char *line = strchr(text, '\n'); line != NULL && line[1] != 0; line = strchr(line, '\n')) {
        char *end;
        unsigned long query = strtoul(line + 1, &end, 10);
        line = end + 1;
        read_decimal(&line, time);
        if (!time_fits(toi[query], time)) {
            print_message("%s: query %lu: toi %.20g\n", path, query, toi[query]);
            fail();
        }
        tally->times++;
    }
    mpq_clear(time);
    free(text);
}

static void check_file(dent_context *context, const char *path, const char *times, struct tally *tally)
{
    dent_impact_queries *file = NULL;
    assert_int_equal(dent_impact_queries_read(context, path, NULL, &file), DENT_OK);
    assert_non_null(file->truth);
    double *toi = malloc(file->count * sizeof *toi);
    assert_non_null(toi);
    enum impact_kind kind = file->kind == DENT_IMPACT_VERTEX_FACE ? IMPACT_VERTEX_FACE : IMPACT_EDGE_EDGE;
    for (uint32_t i = 0; i < file->count; i++) {
        struct impact_result results[2];
        test_query(kind, &file->queries[i], results);
        for (int k = 0; k < 2; k++) {
            if ((results[k].answer == IMPACT_HIT) != file->truth[i]) {
                print_message("%s: query %u: answer %d, truth %d\n", path, i, results[k].answer, file->truth[i]);
                fail();
            }
        }
        assert_true(results[0].toi == results[1].toi && results[0].u == results[1].u && results[0].v == results[1].v);
        toi[i] = results[0].toi;
        tally->queries++;
        tally->hits += file->truth[i];
        tally->exact_calls += results[0].stage == IMPACT_STAGE_EXACT;
    }
    if (times != NULL) {
        check_times(context, times, toi, tally);
    }
    free(toi);
    dent_impact_queries_destroy(context, file);
}

static void handcrafted_queries_have_their_true_answers(void **state)
{
    static const char *const sets[] = {"erleben-cube-cliff-edges",
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
    const char *data = kit();
    struct tally tally = {0};
    char path[1024];
    for (size_t i = 0; i < 2 * (sizeof sets / sizeof sets[0]); i++) {
        const char *set = sets[i / 2];
        snprintf(path, sizeof path, "%s/ccd/handcrafted/%s/%s/data_0_0%s.csv.xz", data, set,
                 i % 2 == 0 ? "edge-edge" : "vertex-face", strcmp(set, "erleben-spike-hole") == 0 ? "_even" : "");
        check_file(*state, path, NULL, &tally);
    }
    print_message("%u queries, %u hits, %u exact calls\n", tally.queries, tally.hits, tally.exact_calls);
    assert_int_equal(tally.queries, 3657);
    assert_int_equal(tally.hits, 220);
    assert_in_range(tally.exact_calls, 0, 300);
}

static void simulated_queries_have_their_true_answers_and_times(void **state)
{
    static const char *const sets[][3] = {{"armadillo-rollers", "326vf", "times"},
                                          {"armadillo-rollers", "326ee_subset", NULL},
                                          {"cloth-funnel", "227vf", "times"},
                                          {"cloth-funnel", "227ee", "times"}};
    const char *data = kit();
    struct tally tally = {0};
    char path[1024], times[1024];
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        snprintf(path, sizeof path, "%s/ccd/simulation/%s/queries/%s.csv.xz", data, sets[i][0], sets[i][1]);
        snprintf(times, sizeof times, "%s/ccd/simulation/%s/toi/%s_toi.csv.xz", data, sets[i][0], sets[i][1]);
        check_file(*state, path, sets[i][2] != NULL ? times : NULL, &tally);
    }
    print_message("%u queries, %u hits, %u times, %u exact calls\n", tally.queries, tally.hits, tally.times,
                  tally.exact_calls);
    assert_int_equal(tally.queries, 8012);
    assert_int_equal(tally.hits, 7784);
    assert_int_equal(tally.times, 4784);
    assert_in_range(tally.exact_calls, 0, 30);
}

/* ------------------------------------------------------------------------------------------------------ frame pairs */

struct frames {
    dent_mesh *meshes[2];
    struct impact_vertex *vertices;
    uint32_t vertex_count, edge_count;
    uint32_t (*edges)[2];
    const uint32_t *faces;
};

static int by_second_then_first(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return x[1] != y[1] ? (x[1] > y[1] ? 1 : -1) : (x[0] > y[0]) - (x[0] < y[0]);
}

/* Edges in the order that numbers them in the lists of the kit. */
static void number_edges(struct frames *frames, uint32_t face_count)
{
    uint32_t count = 0;
    frames->edges = malloc(3 * (size_t)face_count * sizeof *frames->edges);
    assert_non_null(frames->edges);
    for (uint32_t i = 0; i < 3 * face_count; i++) {
        uint32_t a = frames->faces[i], b = frames->faces[i % 3 == 2 ? i - 2 : i + 1];
        frames->edges[i][0] = a < b ? a : b;
        frames->edges[i][1] = a < b ? b : a;
    }
    qsort(frames->edges, 3 * (size_t)face_count, sizeof *frames->edges, by_second_then_first);
    for (uint32_t i = 0; i < 3 * face_count; i++) {
        if (count == 0 || by_second_then_first(frames->edges[i], frames->edges[count - 1]) != 0) {
            memmove(frames->edges[count++], frames->edges[i], sizeof *frames->edges);
        }
    }
    frames->edge_count = count;
}

static void load_frames(dent_context *context, const char *folder, const char *const names[2], struct frames *frames)
{
    char path[1024];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/frames/%s.ply.xz", folder, names[i]);
        assert_int_equal(dent_mesh_read(context, path, NULL, &frames->meshes[i]), DENT_OK);
    }
    const dent_mesh_body *first = &frames->meshes[0]->bodies[0], *second = &frames->meshes[1]->bodies[0];
    frames->vertex_count = first->vertex_count;
    frames->faces = first->element_corners;
    frames->vertices = aligned_alloc(64, first->vertex_count * sizeof *frames->vertices);
    assert_non_null(frames->vertices);
    for (uint32_t i = 0; i < first->vertex_count; i++) {
        memcpy(frames->vertices[i].start, first->positions + 3 * (size_t)i, sizeof frames->vertices[i].start);
        memcpy(frames->vertices[i].end, second->positions + 3 * (size_t)i, sizeof frames->vertices[i].end);
    }
    number_edges(frames, first->element_count);
}

/* The next number of a JSON list; false at its end. */
static bool next_number(const char **text, uint32_t *number)
{
    *text += strcspn(*text, "0123456789");
    if (**text == 0) {
        return false;
    }
    char *end;
    *number = (uint32_t)strtoul(*text, &end, 10);
    *text = end;
    return true;
}

static void pair_corners(const struct frames *frames, enum impact_kind kind, uint32_t first, uint32_t second,
                         const struct impact_vertex *corners[4])
{
    uint32_t base = frames->vertex_count, numbers[4] = {first, 0, 0, 0};
    if (kind == IMPACT_VERTEX_FACE) {
        memcpy(numbers + 1, frames->faces + 3 * (size_t)(second - base - frames->edge_count), 3 * sizeof *numbers);
    } else {
        memcpy(numbers, frames->edges[first - base], 2 * sizeof *numbers);
        memcpy(numbers + 2, frames->edges[second - base], 2 * sizeof *numbers);
    }
    for (int k = 0; k < 4; k++) {
        corners[k] = &frames->vertices[numbers[k]];
    }
}

static void check_listed_pairs(dent_context *context, const struct frames *frames, const char *folder, const char *list,
                               enum impact_kind kind, struct tally *tally)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/boxes/%s.json.xz", folder, list);
    char *pairs = load_text(context, path);
    snprintf(path, sizeof path, "%s/mma_bool/%s_mma_bool.json.xz", folder, list);
    char *truths = load_text(context, path);
    const char *pair = pairs, *truth = truths;
    uint32_t first, second;
    while (next_number(&pair, &first) && next_number(&pair, &second)) {
        const struct impact_vertex *corners[4];
        struct impact_result result;
        truth += strcspn(truth, "tf");
        bool hit = *truth == 't';
        truth += hit ? 4 : 5;
        pair_corners(frames, kind, first, second, corners);
        impact_test(kind, corners, 1.0, &result);
        if ((result.answer == IMPACT_HIT) != hit) {
            print_message("%s: pair %u %u: answer %d, truth %d\n", path, first, second, result.answer, hit);
            fail();
        }
        tally->queries++;
        tally->hits += hit;
        tally->exact_calls += result.stage == IMPACT_STAGE_EXACT;
    }
    free(pairs);
    free(truths);
}

static void listed_pairs_of_the_frames_have_their_true_answers(void **state)
{
    static const char *const scenes[][5] = {{"armadillo-rollers", "326", "327", "326ee", "326vf"},
                                            {"cloth-ball", "cloth_ball92", "cloth_ball93", "92ee", "92vf"},
                                            {"cloth-funnel", "227", "228", "227ee", "227vf"}};
    const char *data = kit();
    struct tally tally = {0};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        struct frames frames = {0};
        char folder[900];
        snprintf(folder, sizeof folder, "%s/frames/%s", data, scenes[i][0]);
        load_frames(*state, folder, &scenes[i][1], &frames);
        check_listed_pairs(*state, &frames, folder, scenes[i][3], IMPACT_EDGE_EDGE, &tally);
        check_listed_pairs(*state, &frames, folder, scenes[i][4], IMPACT_VERTEX_FACE, &tally);
        free(frames.vertices);
        free(frames.edges);
        dent_mesh_destroy(*state, frames.meshes[0]);
        dent_mesh_destroy(*state, frames.meshes[1]);
    }
    print_message("%u listed pairs, %u hits, %u exact calls\n", tally.queries, tally.hits, tally.exact_calls);
    assert_int_equal(tally.hits, 137946);
    assert_in_range(tally.exact_calls, 0, 30);
}

static int make_context(void **state)
{
    *state = dent_context_create(NULL, NULL);
    return *state == NULL;
}

static int destroy_context(void **state)
{
    dent_context_destroy(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handcrafted_queries_have_their_true_answers),
        cmocka_unit_test(simulated_queries_have_their_true_answers_and_times),
        cmocka_unit_test(listed_pairs_of_the_frames_have_their_true_answers),
    };
    return cmocka_run_group_tests(tests, make_context, destroy_context);
}
