/* A keyframed animation for all times: impacts of all intervals in one pass, by both methods, against the same intervals in a
 * world of their own each (key by key), and against searching crossing faces at in-between frames, as programs do that know
 * one pose at a time. Processor time, one thread, ways in turns; ratios to the one pass by kinetic-tree.
 *
 * Usage: bench_series [turns [frames between keys]]. The keys are frame pairs of the data kit (DENT_DATA), there and back
 * twice. Aims (issue 21): in-between frames take 3 times as long or more; one pass takes at most 1.1 times key by key.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <dent/dent.h>
#include <dent/mesh_io.h>

#include "sort_times.h"

enum { KEYS = 5, TURNS_MAX = 31, WAYS = 4 };
static const char *const way_names[WAYS] = {"kinetic-tree, one pass", "auto, one pass", "auto, key by key", "in-between frames"};

struct animation {
    dent_body_def def;
    const double *keys[KEYS];
    double *place; /* of an in-between frame */
};

static void require(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "bench_series: %s\n", what);
        exit(2);
    }
}

static double processor_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static dent_world *open_world(dent_context *context, const struct animation *animation, dent_body_id *id)
{
    dent_world *world = dent_world_create(context);
    dent_body_def def = animation->def;
    def.positions_t0 = dent_positions_double(animation->keys[0]);
    require(world != NULL && dent_world_add_body(world, &def, id) == DENT_OK, "cannot add the body");
    return world;
}

static uint64_t impacts_of(dent_world *world, dent_body_id id, const struct animation *animation, uint32_t key, dent_method method)
{
    dent_positions start = dent_positions_double(animation->keys[key]), end = dent_positions_double(animation->keys[key + 1]);
    dent_impact_def def = dent_impact_def_default();
    dent_impact_result result;
    def.method = method;
    require(dent_body_set_positions(world, id, &start, &end) == DENT_OK && dent_world_impacts(world, &def, &result) == DENT_OK,
            dent_world_message(world));
    return result.count;
}

static uint64_t one_pass(dent_context *context, const struct animation *animation, dent_method method)
{
    dent_body_id id;
    dent_world *world = open_world(context, animation, &id);
    uint64_t count = 0;
    for (uint32_t key = 0; key + 1 < KEYS; key++) {
        count += impacts_of(world, id, animation, key, method);
    }
    dent_world_destroy(world);
    return count;
}

static uint64_t key_by_key(dent_context *context, const struct animation *animation)
{
    uint64_t count = 0;
    for (uint32_t key = 0; key + 1 < KEYS; key++) {
        dent_body_id id;
        dent_world *world = open_world(context, animation, &id);
        count += impacts_of(world, id, animation, key, DENT_METHOD_AUTO);
        dent_world_destroy(world);
    }
    return count;
}

static uint64_t in_between(dent_context *context, const struct animation *animation, uint32_t frames)
{
    dent_body_id id;
    dent_world *world = open_world(context, animation, &id);
    size_t numbers = 3 * (size_t)animation->def.vertex_count;
    uint64_t count = 0;
    for (uint32_t frame = 0; frame <= (KEYS - 1) * frames; frame++) {
        uint32_t key = frame / frames < KEYS - 1 ? frame / frames : KEYS - 2;
        double part = (double)(frame - key * frames) / frames;
        const double *from = animation->keys[key], *to = animation->keys[key + 1];
        for (size_t i = 0; i < numbers; i++) {
            animation->place[i] = from[i] + part * (to[i] - from[i]);
        }
        dent_positions here = dent_positions_double(animation->place);
        dent_query_def def = dent_query_def_default();
        dent_query_result result;
        def.questions = DENT_QUESTION_FACE_FACE;
        require(dent_body_set_positions(world, id, &here, NULL) == DENT_OK && dent_world_query(world, &def, &result) == DENT_OK,
                dent_world_message(world));
        count += result.face_face.count;
    }
    dent_world_destroy(world);
    return count;
}

static uint64_t run_way(dent_context *context, const struct animation *animation, int way, uint32_t frames)
{
    return way == 0   ? one_pass(context, animation, DENT_METHOD_KINETIC_TREE)
           : way == 1 ? one_pass(context, animation, DENT_METHOD_AUTO)
           : way == 2 ? key_by_key(context, animation)
                      : in_between(context, animation, frames);
}

static void race(const char *name, dent_context *context, const struct animation *animation, int turns, uint32_t frames)
{
    double times[WAYS][TURNS_MAX];
    uint64_t counts[WAYS];
    for (int turn = 0; turn < turns; turn++) {
        for (int way = 0; way < WAYS; way++) {
            double began = processor_ms();
            counts[way] = run_way(context, animation, way, frames);
            times[way][turn] = processor_ms() - began;
        }
    }
    require(counts[0] == counts[1] && counts[0] == counts[2], "the impacts differ");
    printf("%s: %d keys, %u vertices, %llu impacts; %u in-between frames a key\n", name, KEYS, animation->def.vertex_count,
           (unsigned long long)counts[0], frames);
    for (int way = 0; way < WAYS; way++) {
        sort_times(times[way], (size_t)turns);
    }
    for (int way = 0; way < WAYS; way++) {
        printf("  %-24s %10.1f ms %8.2f times the first\n", way_names[way], times[way][turns / 2],
               times[way][turns / 2] / times[0][turns / 2]);
    }
}

static void race_kit(const char *data, const char *scene, const char *first, const char *second, int turns, uint32_t frames)
{
    dent_context_def context_def = dent_context_def_default();
    context_def.thread_count = 1;
    dent_context *context = dent_context_create(&context_def, NULL);
    dent_mesh *meshes[2];
    for (int end = 0; end < 2; end++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/frames/%s/frames/%s.ply.xz", data, scene, end ? second : first);
        require(dent_mesh_read(context, path, NULL, &meshes[end]) == DENT_OK, "cannot read a frame of the kit");
    }
    const dent_mesh_body *body = &meshes[0]->bodies[0];
    struct animation animation = {.def = dent_surface_def_default()};
    animation.def.vertex_count = body->vertex_count;
    animation.def.element_corners = body->element_corners;
    animation.def.element_count = body->element_count;
    animation.place = malloc(3 * sizeof(double) * body->vertex_count);
    for (int key = 0; key < KEYS; key++) {
        animation.keys[key] = meshes[key % 2]->bodies[0].positions;
    }
    race(scene, context, &animation, turns, frames);
    free(animation.place);
    dent_mesh_destroy(context, meshes[0]);
    dent_mesh_destroy(context, meshes[1]);
    dent_context_destroy(context);
}

int main(int argc, char **argv)
{
    const char *data = getenv("DENT_DATA");
    int turns = argc > 1 ? atoi(argv[1]) : 3, frames = argc > 2 ? atoi(argv[2]) : 50;
    require(turns > 0 && turns <= TURNS_MAX && frames > 0, "from 1 to 31 turns; frames are a positive number");
    require(data != NULL, "DENT_DATA must name the data kit");
    race_kit(data, "cloth-funnel", "227", "228", turns, (uint32_t)frames);
    race_kit(data, "armadillo-rollers", "326", "327", turns, (uint32_t)frames);
    return 0;
}
