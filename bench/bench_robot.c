/* Motion queries per second of the kit's UR5e, one thread: between random joint values, by itself and in fields of
 * boxes, for long motions and for the short ones that planners ask about.
 *
 *     bench_robot [queries]        default 300 of each kind; DENT_DATA names the data kit
 *
 * Processor time; making the frames from joint values is part of a query, reading the robot and building hierarchies is
 * not. A row has the mean of the faster of two rounds over the same motions.
 */
#include "../tests/support/robot_field.h"

#include <time.h>

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int fail(const char *what)
{
    fprintf(stderr, "bench_robot: %s\n", what);
    return 2;
}

struct row {
    double seconds;
    uint32_t contacts, initial, undecided;
    uint64_t volume_tests, face_tests;
};

/* The same motions every time. */
static bool run_round(struct robot_field *field, double reach, uint32_t queries, struct row *row)
{
    dent_random random = dent_random_seeded(7);
    const dent_linkage *linkage = field->robot->linkage;
    uint32_t values = dent_linkage_value_count(linkage);
    *row = (struct row){0};
    for (uint32_t q = 0; q < queries; q++) {
        double from[FIELD_VALUES_MAX], to[FIELD_VALUES_MAX];
        robot_field_values(field, &random, from);
        robot_field_values(field, &random, to);
        for (uint32_t i = 0; i < values; i++) {
            to[i] = from[i] + reach * (to[i] - from[i]);
        }
        dent_motion_impact_def def = robot_field_def(field);
        dent_motion_impact_result result;
        def.no_contacts = true;
        double began = processor_seconds();
        if (dent_linkage_motion(linkage, NULL, from, to, 0, field->frames) != DENT_OK ||
            dent_world_motion_impact(field->world, &def, &result) != DENT_OK) {
            return false;
        }
        row->seconds += processor_seconds() - began;
        row->contacts += result.verdict == DENT_MOTION_CONTACT;
        row->initial += result.initial;
        row->undecided += result.verdict == DENT_MOTION_UNDECIDED;
        row->volume_tests += result.counters.volume_tests;
        row->face_tests += result.counters.face_tests;
    }
    return true;
}

int main(int count, char **words)
{
    static const uint32_t boxes[] = {0, 16, 48};
    static const double reaches[] = {1, 0.3, 0.03};
    const char *kit = getenv("DENT_DATA");
    uint32_t queries = count > 1 ? (uint32_t)strtoul(words[1], NULL, 10) : 300;
    if (!kit || queries == 0) {
        return fail(kit ? "usage: bench_robot [queries]" : "DENT_DATA is not set");
    }
    dent_context_def def = dent_context_def_default();
    def.thread_count = 1;
    dent_context *context = dent_context_create(&def, NULL);
    struct robot_field *field = malloc(sizeof *field);
    if (!context || !field) {
        return fail("out of memory");
    }
    printf("boxes,reach,queries,queries_per_second,us_per_query,contacts,at_start,undecided,volume_tests,face_tests\n");
    for (size_t b = 0; b < sizeof boxes / sizeof boxes[0]; b++) {
        if (!robot_field_open(field, context, kit, boxes[b])) {
            return fail("the robot of the data kit could not be read");
        }
        for (size_t r = 0; r < sizeof reaches / sizeof reaches[0]; r++) {
            struct row rows[3];
            for (int round = 0; round < 3; round++) { /* the first warms up */
                if (!run_round(field, reaches[r], queries, &rows[round])) {
                    return fail(dent_world_message(field->world));
                }
            }
            const struct row *row = rows[1].seconds < rows[2].seconds ? &rows[1] : &rows[2];
            printf("%u,%g,%u,%.0f,%.1f,%u,%u,%u,%.0f,%.0f\n", boxes[b], reaches[r], queries, queries / row->seconds,
                   1e6 * row->seconds / queries, row->contacts, row->initial, row->undecided,
                   (double)row->volume_tests / queries, (double)row->face_tests / queries);
            fflush(stdout);
        }
        robot_field_close(field);
    }
    free(field);
    dent_context_destroy(context);
    return 0;
}
