/* What a motion query costs: bodies of 100, 10,000 and 100,000 triangles on paths that pass far, pass near, collide and
 * spin past each other; per kind of bounding volume and of motion bound, and bound growth along a chain of 30 links.
 *
 *     bench_motion [--volume NAME] [--bounds NAME] [--queries N] [--screw] [--case NAME] [--no-contacts] [--growth]
 *                  [--volumes]
 *
 * Times are CPU time of one thread, the best of three rounds over the same motions, trees built before.
 */
#include <dent/dent.h>
#include <dent/experimental.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "motion_cases.h"

struct options {
    dent_motion_volume volume;
    dent_motion_bounds bounds;
    dent_motion_kind kind;
    uint32_t queries;
    int only; /* one kind of case, or -1 */
    bool no_contacts;
};

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int fail(const char *what)
{
    fprintf(stderr, "bench_motion: %s\n", what);
    return 2;
}

static dent_pose pose_of(const struct motion_case_pose *given)
{
    dent_pose pose;
    memcpy(pose.rotation, given->rotation, sizeof pose.rotation);
    memcpy(pose.translation, given->translation, sizeof pose.translation);
    return pose;
}

struct totals {
    double seconds;
    uint32_t contacts, undecided;
    dent_motion_counters counters;
};

static int run_motions(dent_world *world, const struct options *options, int kind, const dent_body_id ids[2],
                       struct totals *totals)
{
    dent_motion_impact_def def = dent_motion_impact_def_default();
    dent_motion_frame frames[2];
    const dent_motion_body bodies[2] = {{ids[0], 0}, {ids[1], 1}};
    def.frames = frames;
    def.frame_count = 2;
    def.bodies = bodies;
    def.body_count = 2;
    dent_experiments experiments = dent_experiments_default();
    experiments.motion.volume = options->volume;
    experiments.motion.bounds = options->bounds;
    def.experiments = &experiments;
    def.no_contacts = options->no_contacts;
    *totals = (struct totals){.seconds = 0};
    struct motion_case_pose(*poses)[2][2] = malloc(options->queries * sizeof *poses);
    if (!poses) {
        return fail("out of memory");
    }
    for (uint32_t number = 0; number < options->queries; number++) {
        motion_case_poses(kind, number, poses[number]);
    }
    dent_status status = DENT_OK;
    double began = processor_seconds();
    for (uint32_t number = 0; number < options->queries && status == DENT_OK; number++) {
        dent_motion_impact_result result;
        for (int body = 0; body < 2; body++) {
            dent_pose start = pose_of(&poses[number][body][0]), end = pose_of(&poses[number][body][1]);
            frames[body].parent = DENT_FRAME_WORLD;
            if (dent_motion_between(dent_world_context(world), &start, &end, options->kind, NULL, 0,
                                    &frames[body].motion) != DENT_OK) {
                return fail("a motion was rejected");
            }
        }
        status = dent_world_motion_impact(world, &def, &result);
        totals->contacts += result.verdict == DENT_MOTION_CONTACT;
        totals->undecided += result.verdict == DENT_MOTION_UNDECIDED;
        totals->counters.volume_tests += result.counters.volume_tests;
        totals->counters.face_tests += result.counters.face_tests;
        totals->counters.time_pieces += result.counters.time_pieces;
    }
    totals->seconds = processor_seconds() - began;
    free(poses);
    if (status != DENT_OK) {
        return fail(dent_world_message(world));
    }
    return 0;
}

static int bench_size(dent_context *context, const struct options *options, uint32_t triangles)
{
    dent_world *world = dent_world_create(context);
    struct motion_case_mesh meshes[2];
    dent_body_id ids[2];
    for (int body = 0; body < 2; body++) {
        dent_body_def def = dent_surface_def_default();
        if (!world || !motion_case_make_mesh(body, triangles, &meshes[body])) {
            return fail("out of memory");
        }
        def.vertex_count = meshes[body].vertex_count;
        def.element_count = meshes[body].triangle_count;
        def.element_corners = meshes[body].triangles[0];
        def.positions_t0 = dent_positions_double(meshes[body].vertices[0]);
        if (dent_world_add_body(world, &def, &ids[body]) != DENT_OK) {
            return fail(dent_world_message(world));
        }
    }
    int code = 0;
    for (int kind = 0; kind < MOTION_CASE_KINDS && code == 0; kind++) {
        if (options->only >= 0 && kind != options->only) {
            continue;
        }
        struct totals best = {.seconds = INFINITY};
        for (int round = 0; round < 3 && code == 0; round++) {
            struct totals totals = {.seconds = 0};
            code = run_motions(world, options, kind, ids, &totals);
            best = totals.seconds < best.seconds ? totals : best;
        }
        double count = options->queries;
        printf("%8u %-8s %-12s %-14s %10.2f us  %9.1f volumes %8.1f faces %7.1f pieces  %5u contacts %u undecided\n",
               (unsigned)meshes[0].triangle_count, motion_case_name(kind), dent_motion_volume_name(options->volume),
               dent_motion_bounds_name(options->bounds), best.seconds / count * 1e6,
               (double)best.counters.volume_tests / count, (double)best.counters.face_tests / count,
               (double)best.counters.time_pieces / count, (unsigned)best.contacts, (unsigned)best.undecided);
        fflush(stdout);
    }
    dent_world_destroy(world);
    for (int body = 0; body < 2; body++) {
        motion_case_free_mesh(&meshes[body]);
    }
    return code;
}

/* Thirty links of length 1, each turning by 0.4 radians about an axis of its own. */
static int print_growth(dent_context *context)
{
    dent_motion_frame frames[30];
    uint64_t state = 30;
    for (uint32_t f = 0; f < 30; f++) {
        dent_pose start = dent_pose_identity();
        start.translation[0] = f == 0 ? 0 : 1;
        frames[f].parent = f == 0 ? DENT_FRAME_WORLD : f - 1;
        frames[f].motion = dent_motion_stationary(&start);
        frames[f].motion.angle = 0.4;
        motion_case_unit(&state, frames[f].motion.axis, 3);
    }
    printf("# links, then for each piece of time 1/8, 1/64, 1/512 the width of R: taylor, interval, plain-interval\n");
    for (uint32_t links = 1; links <= 30; links += links < 5 ? 1 : 5) {
        printf("%2u", (unsigned)links);
        for (int piece = 8; piece <= 512; piece *= 8) {
            for (int bounds = DENT_MOTION_BOUNDS_TAYLOR; bounds < DENT_MOTION_BOUNDS_COUNT; bounds++) {
                double rotation, translation;
                if (dent_motion_bound_width(context, frames, links - 1, (dent_motion_bounds)bounds, 0.5,
                                            0.5 + 1.0 / piece, &rotation, &translation) != DENT_OK) {
                    return fail("a chain was rejected");
                }
                printf(" %9.2e", rotation);
            }
            printf(" |");
        }
        printf("\n");
    }
    return 0;
}

/* A ball at the end of an arm of thirty links, each turning a little, that passes another ball at rest: what each kind
 * of bounds needs to see that they do not meet. */
static int print_arm(dent_context *context)
{
    dent_world *world = dent_world_create(context);
    struct motion_case_mesh meshes[2];
    dent_motion_body bodies[2];
    dent_motion_frame frames[30];
    uint64_t state = 31;
    for (uint32_t f = 0; f < 30; f++) {
        dent_pose start = dent_pose_identity();
        start.translation[0] = f == 0 ? 0 : 1;
        frames[f].parent = f == 0 ? DENT_FRAME_WORLD : f - 1;
        frames[f].motion = dent_motion_stationary(&start);
        frames[f].motion.angle = 0.3;
        motion_case_unit(&state, frames[f].motion.axis, 3);
        frames[f].motion.axis[2] = 2;
    }
    dent_pose half_way = dent_motion_frame_at(frames, 29, 0.5);
    for (int body = 0; body < 2; body++) {
        dent_body_def def = dent_surface_def_default();
        if (!world || !motion_case_make_mesh(body, 1000, &meshes[body])) {
            return fail("out of memory");
        }
        for (uint32_t v = 0; v < meshes[body].vertex_count && body == 1; v++) { /* beside the way, above it */
            for (int k = 0; k < 3; k++) {
                meshes[body].vertices[v][k] += half_way.translation[k] + (k == 2 ? 2.1 : 0);
            }
        }
        def.vertex_count = meshes[body].vertex_count;
        def.element_count = meshes[body].triangle_count;
        def.element_corners = meshes[body].triangles[0];
        def.positions_t0 = dent_positions_double(meshes[body].vertices[0]);
        if (dent_world_add_body(world, &def, &bodies[body].body) != DENT_OK) {
            return fail(dent_world_message(world));
        }
        bodies[body].frame = body ? DENT_FRAME_WORLD : 29;
    }
    dent_motion_impact_def def = dent_motion_impact_def_default();
    def.frames = frames;
    def.frame_count = 30;
    def.bodies = bodies;
    def.body_count = 2;
    for (int bounds = DENT_MOTION_BOUNDS_TAYLOR; bounds < DENT_MOTION_BOUNDS_COUNT; bounds++) {
        dent_motion_impact_result result;
        dent_experiments experiments = dent_experiments_default();
        experiments.motion.bounds = (dent_motion_bounds)bounds;
        def.experiments = &experiments;
        dent_status status = dent_world_motion_impact(world, &def, &result);
        double began = processor_seconds();
        status = status == DENT_OK ? dent_world_motion_impact(world, &def, &result) : status;
        if (status != DENT_OK) {
            return fail(dent_world_message(world));
        }
        printf("# ball on link 30, %-14s %s, %8llu pieces of time, %8llu volumes, %6llu faces, %10.1f us\n",
               dent_motion_bounds_name(experiments.motion.bounds), dent_motion_verdict_name(result.verdict),
               (unsigned long long)result.counters.time_pieces, (unsigned long long)result.counters.volume_tests,
               (unsigned long long)result.counters.face_tests, 1e6 * (processor_seconds() - began));
    }
    dent_world_destroy(world);
    motion_case_free_mesh(&meshes[0]);
    motion_case_free_mesh(&meshes[1]);
    return 0;
}

static int chosen(const char *name, const char *(*name_of)(int), int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(name, name_of(i)) == 0) {
            return i;
        }
    }
    return -1;
}

static const char *volume_name(int i)
{
    return dent_motion_volume_name((dent_motion_volume)i);
}

static const char *bounds_name(int i)
{
    return dent_motion_bounds_name((dent_motion_bounds)i);
}

static const char *case_name(int i)
{
    return motion_case_name(i);
}

int main(int count, char **words)
{
    struct options options = {
        DENT_MOTION_VOLUME_AUTO, DENT_MOTION_BOUNDS_AUTO, DENT_MOTION_CONSTANT_VELOCITY, 200, -1, false};
    bool growth = false, volumes = false;
    for (int i = 1; i < count; i++) {
        bool more = i + 1 < count;
        if (strcmp(words[i], "--growth") == 0) {
            growth = true;
        } else if (strcmp(words[i], "--volumes") == 0) {
            volumes = true;
        } else if (strcmp(words[i], "--no-contacts") == 0) {
            options.no_contacts = true;
        } else if (strcmp(words[i], "--case") == 0 && more && chosen(words[i + 1], case_name, MOTION_CASE_KINDS) >= 0) {
            options.only = chosen(words[++i], case_name, MOTION_CASE_KINDS);
        } else if (strcmp(words[i], "--screw") == 0) {
            options.kind = DENT_MOTION_SCREW;
        } else if (strcmp(words[i], "--queries") == 0 && more) {
            options.queries = (uint32_t)strtoul(words[++i], NULL, 10);
        } else if (strcmp(words[i], "--volume") == 0 && more &&
                   chosen(words[i + 1], volume_name, DENT_MOTION_VOLUME_COUNT) >= 0) {
            options.volume = (dent_motion_volume)chosen(words[++i], volume_name, DENT_MOTION_VOLUME_COUNT);
        } else if (strcmp(words[i], "--bounds") == 0 && more &&
                   chosen(words[i + 1], bounds_name, DENT_MOTION_BOUNDS_COUNT) >= 0) {
            options.bounds = (dent_motion_bounds)chosen(words[++i], bounds_name, DENT_MOTION_BOUNDS_COUNT);
        } else {
            return fail("usage: see the top of bench_motion.c");
        }
    }
    dent_context_def def = dent_context_def_default();
    def.thread_count = 1;
    dent_context *context = dent_context_create(&def, NULL);
    if (!context || options.queries == 0) {
        return fail("no context, or no queries");
    }
    static const uint32_t sizes[] = {100, 10000, 100000};
    int code = growth ? print_growth(context) : 0;
    code = growth && code == 0 ? print_arm(context) : code;
    for (int volume = volumes ? 1 : options.volume; !growth && code == 0; volume++) {
        options.volume = (dent_motion_volume)volume;
        for (int size = 0; size < 3 && code == 0; size++) {
            code = bench_size(context, &options, sizes[size]);
        }
        if (!volumes || volume + 1 == DENT_MOTION_VOLUME_COUNT) {
            break;
        }
    }
    dent_context_destroy(context);
    return code;
}
