/* Files of impact queries: what is read, where the kind and the answers come from, and what broken ones say. */
#include "mesh_file_checks.h"

#include <dent/impact_io.h>

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* One vertex-face query: a vertex falls from (1/4, 1/4, 1) to (1/4, 1/4, -1) through the triangle below it. */
#define ROWS(answer)                                                                                                   \
    "1,4,1,4,1,1" answer "\n0,1,0,1,0,1" answer "\n1,1,0,1,0,1" answer "\n0,1,1,1,0,1" answer "\n1,4,1,4,-1,1" answer  \
    "\n0,1,0,1,0,1" answer "\n1,1,0,1,0,1" answer "\n0,1,1,1,0,1" answer "\n"

static dent_status read_text(struct checks *checks, const char *name, const char *text,
                             const dent_impact_queries_def *def, dent_impact_queries **queries)
{
    *queries = NULL;
    return dent_impact_queries_read_memory(checks->context, name, text, strlen(text), def, queries);
}

static void queries_are_read_as_written(void **state)
{
    struct checks *checks = *state;
    dent_impact_queries *queries;
    assert_int_equal(read_text(checks, "vf.csv", ROWS(",1") ROWS(",0"), NULL, &queries), DENT_OK);
    assert_int_equal(queries->kind, DENT_IMPACT_VERTEX_FACE);
    assert_int_equal(queries->count, 2);
    assert_true(queries->queries[1].points_t0[0][0] == 0.25 && queries->queries[1].points_t0[0][2] == 1);
    assert_true(queries->queries[1].points_t1[0][2] == -1 && queries->queries[0].points_t1[3][1] == 1);
    assert_true(queries->truth[0] == 1 && queries->truth[1] == 0);
    dent_impact_test_result answer;
    assert_int_equal(
        dent_impact_test(queries->kind, queries->queries[0].points_t0, queries->queries[0].points_t1, &answer),
        DENT_OK);
    assert_true(answer.meets && answer.toi == 0.5);
    dent_impact_queries_destroy(checks->context, queries);
    /* No answers, blanks, blank lines, carriage returns, no newline at the end. */
    char loose[2048];
    snprintf(loose, sizeof loose, "\n %s", ROWS(""));
    loose[strlen(loose) - 1] = '\0';
    for (char *c = loose + 2; *c; c++) {
        *c = *c == '\n' ? '\r' : *c;
    }
    assert_int_equal(read_text(checks, "ee.csv", loose, NULL, &queries), DENT_OK);
    assert_true(queries->kind == DENT_IMPACT_EDGE_EDGE && queries->count == 1 && queries->truth == NULL);
    dent_impact_queries_destroy(checks->context, queries);
    dent_impact_queries_destroy(checks->context, NULL);
}

static void the_kind_is_the_last_word_of_the_path_that_says_it(void **state)
{
    struct checks *checks = *state;
    static const struct {
        const char *path;
        dent_impact_kind kind;
    } paths[] = {
        {"vertex-face/data.csv", DENT_IMPACT_VERTEX_FACE},
        {"edge-edge/data_0_0.csv", DENT_IMPACT_EDGE_EDGE},
        {"a/227ee.csv", DENT_IMPACT_EDGE_EDGE},
        {"326vf_subset.csv", DENT_IMPACT_VERTEX_FACE},
        {"edge-edge/326vf.csv", DENT_IMPACT_VERTEX_FACE},
        {"vf/three.csv", DENT_IMPACT_VERTEX_FACE},
        {"wheel/tree.csv", (dent_impact_kind)0},
        {"vf_ee.csv", (dent_impact_kind)0},
        {"data.csv", (dent_impact_kind)0},
        {"/ee/", DENT_IMPACT_EDGE_EDGE},
    };
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        dent_impact_queries *queries;
        dent_status status = read_text(checks, paths[i].path, ROWS(",1"), NULL, &queries);
        if (paths[i].kind == 0) {
            assert_int_equal(status, DENT_ERROR_INVALID_ARGUMENT);
            assert_non_null(strstr(checks_message(checks), "vertex-face (vf) or edge-edge (ee)"));
        } else {
            assert_int_equal(status, DENT_OK);
            assert_int_equal(queries->kind, paths[i].kind);
            dent_impact_queries_destroy(checks->context, queries);
        }
    }
    dent_impact_queries_def def = dent_impact_queries_def_default();
    dent_impact_queries *queries;
    def.kind = DENT_IMPACT_EDGE_EDGE;
    assert_int_equal(read_text(checks, "vf.csv", ROWS(",1"), &def, &queries), DENT_OK);
    assert_int_equal(queries->kind, DENT_IMPACT_EDGE_EDGE);
    dent_impact_queries_destroy(checks->context, queries);
    def.kind = (dent_impact_kind)7;
    assert_int_equal(read_text(checks, "vf.csv", ROWS(",1"), &def, &queries), DENT_ERROR_INVALID_ARGUMENT);
    def.struct_size = 0;
    assert_int_equal(read_text(checks, "vf.csv", ROWS(",1"), &def, &queries), DENT_ERROR_INVALID_ARGUMENT);
}

static void broken_files_are_refused_by_line(void **state)
{
    struct checks *checks = *state;
    static const struct {
        const char *text;
        const char *message;
    } files[] = {
        {"1,4,1,4\n", "vf.csv:1: 4 columns"},
        {ROWS(",1") "1,4,1,4,1,1,1,1\n", "vf.csv:9: 8 columns"},
        {ROWS("") "1,3,1,4,1,1\n", "vf.csv:9: x is 1/3, which is not exactly a double"},
        {"\n\n1,4,1,0,1,1\n", "vf.csv:3: the denominator of y is 0"},
        {"1,4,1,4,1,-1\n", "vf.csv:1: the denominator of z is -1"},
        {"1,4,x,4,1,1\n", "vf.csv:1: y is 'x' over '4'"},
        {"1,4,1,4,1,1,2\n", "vf.csv:1: the answer is '2', neither 0 nor 1"},
        {"1,4,1,4,1,1,1\n1,4,1,4,1,1\n", "vf.csv:2: some lines have an answer"},
        {"1,4,1,4,1,1,1\n1,4,1,4,1,1,0\n", "vf.csv:2: the answer is not the same in all 8 lines"},
        {ROWS(",1") "1,4,1,4,1,1,1\n", "9 lines of positions: not a multiple of 8"},
        {" \n\t\n", "vf.csv: no queries"},
        {"", "empty"},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        dent_impact_queries *queries;
        dent_status status = read_text(checks, "vf.csv", files[i].text, NULL, &queries);
        assert_int_equal(status, i == 11 ? DENT_ERROR_FILE : DENT_ERROR_FORMAT);
        assert_null(queries);
        if (!strstr(checks_message(checks), files[i].message)) {
            fail_msg("'%s' does not say '%s'", checks_message(checks), files[i].message);
        }
    }
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static void answers_come_from_a_file_when_there_is_no_column(void **state)
{
    struct checks *checks = *state;
    char folder[] = "/tmp/dent-queries-XXXXXX", path[128], truth[128], other[128];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/queries", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/mma_bool", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/queries/1vf.csv", folder);
    snprintf(truth, sizeof truth, "%s/mma_bool/1vf_mma_bool.json", folder);
    snprintf(other, sizeof other, "%s/other.json", folder);
    write_file(path, ROWS("") ROWS(""));
    dent_impact_queries *queries = NULL;
    dent_impact_queries_def def = dent_impact_queries_def_default();
    assert_int_equal(dent_impact_queries_read(checks->context, path, NULL, &queries), DENT_OK);
    assert_true(queries->count == 2 && queries->truth == NULL);
    dent_impact_queries_destroy(checks->context, queries);
    write_file(truth, " [ true ,false ] \n");
    assert_int_equal(dent_impact_queries_read(checks->context, path, NULL, &queries), DENT_OK);
    assert_true(queries->truth[0] == 1 && queries->truth[1] == 0);
    dent_impact_queries_destroy(checks->context, queries);
    write_file(other, "[false,true]");
    def.truth = other;
    assert_int_equal(dent_impact_queries_read(checks->context, path, &def, &queries), DENT_OK);
    assert_true(queries->truth[0] == 0 && queries->truth[1] == 1);
    dent_impact_queries_destroy(checks->context, queries);
    static const struct {
        const char *text, *message;
    } broken[] = {
        {"[true]", "1 answers for the 2 queries"},
        {"[true,false,]", "not a JSON array"},
        {"[true,1]", "not a JSON array"},
        {"[true,false", "not a JSON array"},
        {"true,false", "not a JSON array"},
        {"[true,false]x", "not a JSON array"},
        {"[]", "0 answers"},
    };
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        write_file(other, broken[i].text);
        queries = NULL;
        assert_int_equal(dent_impact_queries_read(checks->context, path, &def, &queries), DENT_ERROR_FORMAT);
        assert_null(queries);
        assert_non_null(strstr(checks_message(checks), broken[i].message));
        assert_non_null(strstr(checks_message(checks), other));
    }
    def.truth = "/nowhere/at/all.json";
    assert_int_equal(dent_impact_queries_read(checks->context, path, &def, &queries), DENT_ERROR_FILE);
    assert_int_equal(dent_impact_queries_read(checks->context, "/nowhere/vf.csv", NULL, &queries), DENT_ERROR_FILE);
    unlink(path);
    unlink(truth);
    unlink(other);
    snprintf(path, sizeof path, "%s/queries", folder);
    rmdir(path);
    snprintf(path, sizeof path, "%s/mma_bool", folder);
    rmdir(path);
    rmdir(folder);
}

static void every_failing_allocation_is_out_of_memory_and_leaves_nothing(void **state)
{
    struct checks *checks = *state;
    uint64_t blocks = atomic_load(&checks->memory.live_blocks);
    dent_status status = DENT_ERROR_OUT_OF_MEMORY;
    uint64_t n = 0;
    while (status != DENT_OK) {
        dent_impact_queries *queries;
        atomic_store(&checks->memory.requests, 0);
        atomic_store(&checks->memory.fail_at, ++n);
        status = read_text(checks, "vf.csv", ROWS(",1") ROWS(",0"), NULL, &queries);
        atomic_store(&checks->memory.fail_at, 0);
        if (status == DENT_OK) {
            dent_impact_queries_destroy(checks->context, queries);
        } else {
            assert_int_equal(status, DENT_ERROR_OUT_OF_MEMORY);
        }
        assert_int_equal(atomic_load(&checks->memory.live_blocks), blocks);
    }
    assert_true(n > 3);
}

static void every_prefix_is_read_or_refused(void **state)
{
    struct checks *checks = *state;
    static const char text[] = ROWS(",1") ROWS(",0");
    uint32_t read = 0;
    for (size_t size = 1; size < sizeof text; size++) {
        dent_impact_queries *queries = NULL;
        char *copy = malloc(size); /* so that reading behind the end is noticed */
        memcpy(copy, text, size);
        if (dent_impact_queries_read_memory(checks->context, "vf.csv", copy, size, NULL, &queries) == DENT_OK) {
            read++;
            dent_impact_queries_destroy(checks->context, queries);
        }
        free(copy);
    }
    assert_true(read >= 2);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, checks_setup, checks_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(queries_are_read_as_written),
        CASE(the_kind_is_the_last_word_of_the_path_that_says_it),
        CASE(broken_files_are_refused_by_line),
        CASE(answers_come_from_a_file_when_there_is_no_column),
        CASE(every_failing_allocation_is_out_of_memory_and_leaves_nothing),
        CASE(every_prefix_is_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
