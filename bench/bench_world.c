/* What a world costs that is asked everything: the discrete questions, proximity, impact, the check and contacts of one
 * scene, frame after frame. Prints the memory the world keeps and the CPU time of a step, per question.
 *
 *   bench_world SCENE [SCALE [STEPS]]
 */
#include <dent/contact.h>
#include <dent/dent.h>
#include <dent/impact.h>
#include <dent/penetration.h>
#include <dent/proximity.h>
#include <dent/scene.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sort_times.h"

enum { ASK_QUERY, ASK_PROXIMITY, ASK_IMPACT, ASK_CHECK, ASK_CONTACTS, ASK_COUNT, STEPS_MAX = 64 };

static const char *const names[ASK_COUNT] = {"query", "proximity", "impact", "check", "contacts"};

static double cpu_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static void must(dent_status status, dent_world *world)
{
    if (status != DENT_OK) {
        fprintf(stderr, "bench_world: %s\n", world ? dent_world_message(world) : dent_status_name(status));
        exit(2);
    }
}

static void ask(dent_world *world, int what, double thickness)
{
    if (what == ASK_QUERY) {
        dent_query_def def = dent_query_def_default();
        dent_query_result result;
        def.questions = DENT_DISCRETE_QUESTIONS;
        must(dent_world_query(world, &def, &result), world);
    } else if (what == ASK_PROXIMITY) {
        dent_proximity_def def = dent_proximity_def_default();
        dent_proximity_result result;
        def.thickness = thickness;
        must(dent_world_proximity(world, &def, &result), world);
    } else if (what == ASK_IMPACT) {
        dent_impact_def def = dent_impact_def_default();
        dent_impact_result result;
        must(dent_world_impacts(world, &def, &result), world);
    } else if (what == ASK_CHECK) {
        dent_check_def def = dent_check_def_default();
        dent_check_result result;
        must(dent_world_check(world, &def, &result), world);
    } else {
        dent_contacts_def def = dent_contacts_def_default();
        dent_contacts result;
        def.proximity = true;
        def.thickness = thickness;
        def.impact = true;
        must(dent_world_find_contacts(world, &def, &result), world);
    }
}

int main(int count, char **arguments)
{
    if (count < 2) {
        fprintf(stderr, "usage: bench_world SCENE [SCALE [STEPS]]\n");
        return 2;
    }
    dent_context_def context_def = dent_context_def_default();
    context_def.thread_count = 1;
    dent_context *context = dent_context_create(&context_def, NULL);
    dent_scene_def def = dent_scene_def_default();
    dent_scene *scene = NULL;
    def.name = arguments[1];
    def.scale = count > 2 ? atof(arguments[2]) : 1;
    int steps = count > 3 && atoi(arguments[3]) > 0 && atoi(arguments[3]) < STEPS_MAX ? atoi(arguments[3]) : 5;
    must(dent_scene_create(context, &def, &scene), NULL);
    uint32_t bodies = dent_scene_body_count(scene);
    dent_world *world = dent_world_create(context);
    double **start = calloc(bodies, sizeof *start), **end = calloc(bodies, sizeof *end);
    dent_body_id *ids = calloc(bodies, sizeof *ids);
    double edge = 0;
    for (uint32_t b = 0; b < bodies; b++) {
        const dent_scene_body *body = dent_scene_body_at(scene, b);
        start[b] = calloc(body->vertex_count, 3 * sizeof **start);
        end[b] = calloc(body->vertex_count, 3 * sizeof **end);
        dent_scene_positions(scene, b, 0, start[b]);
        const uint32_t *corner = body->element_corners;
        for (int axis = 0; axis < 3; axis++) {
            double side = start[b][3 * corner[1] + axis] - start[b][3 * corner[0] + axis];
            edge += side < 0 ? -side : side;
        }
    }
    must(dent_scene_add_to_world(scene, world, start, ids), world);
    uint64_t bare = dent_context_memory_use(context).bytes;
    double first = cpu_ms(), times[ASK_COUNT][STEPS_MAX];
    for (int step = 0; step <= steps; step++) {
        for (uint32_t b = 0; b < bodies; b++) {
            dent_scene_positions(scene, b, (uint32_t)step, start[b]);
            dent_scene_positions(scene, b, (uint32_t)step + 1, end[b]);
            dent_positions t0 = dent_positions_double(start[b]), t1 = dent_positions_double(end[b]);
            must(dent_body_set_positions(world, ids[b], &t0, &t1), world);
        }
        first = step == 0 ? cpu_ms() : first;
        for (int what = 0; what < ASK_COUNT; what++) {
            double began = cpu_ms();
            ask(world, what, 0.02 * edge / bodies);
            if (step > 0) {
                times[what][step - 1] = cpu_ms() - began;
            }
        }
        if (step == 0) {
            printf("%s scale %g: first step %.1f ms;", def.name, def.scale, cpu_ms() - first);
        }
    }
    printf(" kept %.1f MB;", 1e-6 * (double)(dent_context_memory_use(context).bytes - bare));
    for (int what = 0; what < ASK_COUNT; what++) {
        sort_times(times[what], (size_t)steps);
        printf(" %s %.2f ms", names[what], times[what][steps / 2]);
    }
    printf("\n");
    for (uint32_t b = 0; b < bodies; b++) {
        free(start[b]);
        free(end[b]);
    }
    free(start);
    free(end);
    free(ids);
    dent_world_destroy(world);
    dent_scene_destroy(scene);
    dent_context_destroy(context);
    return 0;
}
