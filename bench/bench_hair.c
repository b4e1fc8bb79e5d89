/* A head of hair that is shaken: what a step costs, and whether anything ever crosses.
 *
 *   bench_hair [--strands N] [--segments N] [--steps N] [--threads N] [--isa I] [--rate N] [--safe] [--check] [--free]
 *
 * Guides of 20 cm (radius of contact 0.1 mm, fibres of 4 GPa) stand on a ball of 9 cm that is shaken to and fro by 3 cm and
 * turned by 17 degrees, twice a second; steps of 1/60 s with 4 substeps, contacts by proximity, found once a step. The first tenth of the steps
 * is not counted.
 *
 * --safe   thin_and_fast: nothing crosses, by exact impacts after every interval
 * --check  an independent world asks the exact question `impact` along the way of every step, and counts what meets
 * --free   without contacts
 * --rate   steps a second, default 60, of 240 substeps; contacts are found once a step */
#include "sim/elastic/minimise.h"
#include "sim/step/sim_step.h"

#include <dent/dent.h>
#include <dent/impact.h>
#include <dent/sim.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct options {
    uint32_t strands, segments, steps, threads;
    dent_isa isa;
    uint32_t rate; /* steps a second */
    bool safe, check, free;
};

struct head {
    uint32_t vertex_count, face_count, *corners;
    double *positions;
};

struct hair {
    uint32_t *first;
    double *positions;
    dent_sim_root *roots;
};

static double seconds_of(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void must(dent_context *context, dent_status status)
{
    if (status != DENT_OK) {
        char message[256];
        dent_context_message(context, message, sizeof message);
        fprintf(stderr, "bench_hair: %s\n", message);
        exit(1);
    }
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

/* The number of a point of the surface of a cube of n cells, made when it is met first. */
static uint32_t cube_vertex(struct head *head, uint32_t *numbers, uint32_t n, const uint32_t at[3], double radius)
{
    uint32_t *number = &numbers[(at[0] * (n + 1) + at[1]) * (n + 1) + at[2]];
    if (*number == 0) {
        double x[3], length = 0;
        for (int k = 0; k < 3; k++) {
            x[k] = tan(0.785398163397448 * (2.0 * at[k] / n - 1)); /* nearly equal angles */
            length += x[k] * x[k];
        }
        for (int k = 0; k < 3; k++) {
            head->positions[3 * (size_t)head->vertex_count + (size_t)k] = radius * x[k] / sqrt(length);
        }
        *number = ++head->vertex_count;
    }
    return *number - 1;
}

/* A ball: a cube of 6 n^2 squares, two triangles each, blown up. */
static struct head make_head(uint32_t n, double radius)
{
    struct head head = {0};
    uint32_t *numbers = calloc((size_t)(n + 1) * (n + 1) * (n + 1), sizeof *numbers);
    head.positions = calloc(3 * (size_t)(6 * (n + 1) * (n + 1)), sizeof *head.positions);
    head.corners = calloc(3 * (size_t)(12 * n * n), sizeof *head.corners);
    for (uint32_t side = 0; side < 6; side++) {
        for (uint32_t cell = 0; cell < n * n; cell++) {
            uint32_t v[4];
            for (uint32_t k = 0; k < 4; k++) {
                uint32_t at[3];
                at[side / 2] = side % 2 ? n : 0;
                at[(side / 2 + 1) % 3] = cell / n + k / 2;
                at[(side / 2 + 2) % 3] = cell % n + k % 2;
                v[k] = cube_vertex(&head, numbers, n, at, radius);
            }
            uint32_t outward[6] = {v[0], v[2], v[1], v[1], v[2], v[3]}, inward[6] = {v[0], v[1], v[2], v[2], v[1], v[3]};
            memcpy(head.corners + 3 * (size_t)head.face_count, side % 2 ? outward : inward, sizeof outward);
            head.face_count += 2;
        }
    }
    free(numbers);
    return head;
}

/* Strands on faces of the upper part, evenly spread, straight outwards. */
static struct hair make_hair(const struct head *head, uint32_t count, uint32_t segments, double length)
{
    struct hair hair = {calloc((size_t)count + 1, sizeof *hair.first),
                        calloc(3 * (size_t)count * (segments + 1), sizeof *hair.positions),
                        calloc(count, sizeof *hair.roots)};
    uint32_t *usable = calloc(head->face_count, sizeof *usable), usable_count = 0;
    for (uint32_t f = 0; f < head->face_count; f++) {
        double z = 0;
        for (uint32_t k = 0; k < 3; k++) {
            z += head->positions[3 * (size_t)head->corners[3 * f + k] + 2] / 3;
        }
        if (z > -0.02) {
            usable[usable_count++] = f;
        }
    }
    for (uint32_t s = 0; s < count; s++) {
        uint32_t f = usable[(uint64_t)s * usable_count / count];
        double middle[3] = {0, 0, 0};
        for (uint32_t n = 0; n < 9; n++) {
            middle[n % 3] += head->positions[3 * (size_t)head->corners[3 * f + n / 3] + n % 3] / 3;
        }
        double out = sqrt(middle[0] * middle[0] + middle[1] * middle[1] + middle[2] * middle[2]);
        for (uint32_t i = 0; i <= segments; i++) {
            for (uint32_t axis = 0; axis < 3; axis++) {
                hair.positions[3 * ((size_t)s * (segments + 1) + i) + axis] = middle[axis] * (1 + length * i / segments / out);
            }
        }
        hair.first[s + 1] = (segments + 1) * (s + 1);
        hair.roots[s] = (dent_sim_root){s, 0, f, true};
    }
    free(usable);
    return hair;
}

/* ---- crossings --------------------------------------------------------------------------------------------------- */

struct judge {
    dent_context *context;
    dent_world *world;
    dent_body_id ids[2];
    double *before[2];
    uint64_t met;
};

static void open_judge(struct judge *judge, const dent_sim *sim, const dent_sim_body_def *bodies)
{
    judge->context = dent_context_create(NULL, NULL);
    judge->world = dent_world_create(judge->context);
    for (uint32_t b = 0; b < 2; b++) {
        dent_body_def def = dent_body_def_default(b ? DENT_BODY_STRANDS : DENT_BODY_SURFACE);
        def.vertex_count = bodies[b].vertex_count;
        def.element_count = b ? 0 : bodies[b].element_count;
        def.element_corners = b ? NULL : bodies[b].element_corners;
        def.strand_count = bodies[b].strand_count;
        def.first = bodies[b].first;
        def.self_collision = b == 1;
        def.positions_t0 = dent_positions_double(dent_sim_positions(sim, b));
        judge->before[b] = calloc(3 * (size_t)def.vertex_count, sizeof(double));
        must(judge->context, dent_world_add_body(judge->world, &def, &judge->ids[b]));
    }
}

static void note_before(struct judge *judge, const dent_sim *sim, const dent_sim_body_def *bodies)
{
    for (uint32_t b = 0; b < 2; b++) {
        memcpy(judge->before[b], dent_sim_positions(sim, b), 3 * (size_t)bodies[b].vertex_count * sizeof(double));
    }
}

/* Vertices of hair more than 2 mm below the skin, but for the two of each root. */
static uint32_t count_inside(const dent_sim *sim, const dent_sim_body_def *bodies, uint32_t segments)
{
    const double *head = dent_sim_positions(sim, 0), *hair = dent_sim_positions(sim, 1);
    double middle[3] = {0, 0, 0};
    uint32_t inside = 0;
    for (uint32_t n = 0; n < 3 * bodies[0].vertex_count; n++) {
        middle[n % 3] += head[n] / bodies[0].vertex_count;
    }
    for (uint32_t v = 0; v < bodies[1].vertex_count; v++) {
        double square = 0;
        for (uint32_t k = 0; k < 3; k++) {
            square += (hair[3 * (size_t)v + k] - middle[k]) * (hair[3 * (size_t)v + k] - middle[k]);
        }
        inside += v % (segments + 1) > 1 && square < 0.0875 * 0.0875;
    }
    return inside;
}

/* Roots lie on the head: what their first segment meets there does not count. */
static void judge_step(struct judge *judge, const dent_sim *sim, uint32_t segments)
{
    dent_impact_def def = dent_impact_def_default();
    dent_impact_result result;
    for (uint32_t b = 0; b < 2; b++) {
        dent_positions t0 = dent_positions_double(judge->before[b]), t1 = dent_positions_double(dent_sim_positions(sim, b));
        must(judge->context, dent_body_set_positions(judge->world, judge->ids[b], &t0, &t1));
    }
    must(judge->context, dent_world_impacts(judge->world, &def, &result));
    for (uint64_t i = 0; i < result.count; i++) {
        const dent_impact *impact = &result.impacts[i];
        bool edges = impact->kind == DENT_IMPACT_EDGE_EDGE;
        bool root = impact->body_a != impact->body_b &&
                    (edges ? (impact->body_a == 1 ? impact->feature_a : impact->feature_b) % segments == 0
                           : impact->body_a == 1 && impact->feature_a % (segments + 1) == 0);
        judge->met += !root;
    }
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

/* What a simulation is made of; the def points into it. */
struct scene {
    struct head head;
    struct hair hair;
    dent_sim_material materials[2];
    dent_sim_keyframe keys[5];
    dent_sim_body_def bodies[2];
    dent_sim_def def;
};

/* A head that is shaken, and hair on it. */
static void make_scene(struct scene *scene, const struct options *options)
{
    scene->head = make_head(20, 0.09);
    scene->hair = make_hair(&scene->head, options->strands, options->segments, 0.2);
    scene->materials[0] = scene->materials[1] = dent_sim_material_default();
    dent_sim_material *keratin = &scene->materials[1];
    keratin->young = 4e9;
    keratin->poisson = 0.35;
    keratin->density = 1300;
    keratin->damping = 1e-3;
    keratin->friction_static = keratin->friction_kinetic = 0.3;
    for (uint32_t k = 0; k < 5; k++) {
        double side = k == 1 ? 1 : k == 3 ? -1 : 0;
        scene->keys[k] = (dent_sim_keyframe){0.125 * k, {1, 0, 0, 0.15 * side}, {0.03 * side, 0, 0}};
    }
    dent_sim_body_def *bodies = scene->bodies;
    bodies[0] = dent_sim_body_def_default(DENT_SIM_PRESCRIBED);
    bodies[0].mesh = DENT_BODY_SURFACE;
    bodies[0].vertex_count = scene->head.vertex_count;
    bodies[0].element_count = scene->head.face_count;
    bodies[0].element_corners = scene->head.corners;
    bodies[0].positions = scene->head.positions;
    bodies[0].thickness = 5e-4;
    bodies[0].motion = (dent_sim_motion){.keyframe_count = 5, .keyframes = scene->keys, .repeat = true};
    bodies[1] = dent_sim_body_def_default(DENT_SIM_STRANDS);
    bodies[1].vertex_count = options->strands * (options->segments + 1);
    bodies[1].strand_count = bodies[1].root_count = options->strands;
    bodies[1].first = scene->hair.first;
    bodies[1].positions = scene->hair.positions;
    bodies[1].roots = scene->hair.roots;
    bodies[1].material = 1;
    bodies[1].thickness = 1e-4;
    bodies[1].prevent_crossing = options->safe;
    scene->def = dent_sim_def_default();
    scene->def.bodies = bodies;
    scene->def.body_count = scene->def.material_count = 2;
    scene->def.materials = scene->materials;
    scene->def.air_damping = 0.5;
    scene->def.contacts = !options->free;
    scene->def.time_step = 1.0 / options->rate;
    scene->def.substeps = options->rate < 240 ? 240 / options->rate : 1;
    scene->def.contact_interval = scene->def.substeps;
}

static void free_scene(struct scene *scene)
{
    free(scene->head.positions);
    free(scene->head.corners);
    free(scene->hair.first);
    free(scene->hair.positions);
    free(scene->hair.roots);
}

/* Sums over the steps that count. */
struct totals {
    double cpu, wall, detect, elastic, respond, longest;
    uint64_t contacts, stopped, solves, products, lines, impacts;
};

static void measure_step(dent_context *context, dent_sim *sim, bool counts, struct totals *totals)
{
    const struct minimiser *work = sim->work.solver.elastic.minimiser;
    uint64_t solves_before = work->solves, products_before = work->products, lines_before = work->lines;
    double cpu_begin = seconds_of(CLOCK_PROCESS_CPUTIME_ID), begin = seconds_of(CLOCK_MONOTONIC);
    must(context, dent_sim_step(sim));
    double cpu_end = seconds_of(CLOCK_PROCESS_CPUTIME_ID), end = seconds_of(CLOCK_MONOTONIC);
    const struct step_report *report = &sim->work.report;
    if (counts) {
        totals->cpu += cpu_end - cpu_begin;
        totals->wall += end - begin;
        totals->longest = end - begin > totals->longest ? end - begin : totals->longest;
        totals->detect += 1e-9 * (double)report->ns_detect;
        totals->elastic += 1e-9 * (double)report->ns_elastic;
        totals->respond += 1e-9 * (double)report->ns_respond;
        totals->contacts += report->statistics.contacts;
        totals->stopped += report->statistics.stopped_vertices;
        totals->impacts += report->statistics.impacts;
        totals->solves += work->solves - solves_before;
        totals->products += work->products - products_before;
        totals->lines += work->lines - lines_before;
    }
}

static void print_totals(const struct options *options, const dent_sim_def *def, const struct totals *totals,
                         uint32_t counted)
{
    double substeps = (double)def->substeps * counted, wall = totals->wall;
    printf("%u strands x %u segments, %u threads, %s: %.2f ms CPU and %.2f ms a step (longest %.1f; %.2f is real time)\n",
           options->strands, options->segments, options->threads,
           options->safe ? "safe motion" : options->free ? "no contacts" : "proximity", 1e3 * totals->cpu / counted,
           1e3 * wall / counted, 1e3 * totals->longest, 1e3 * def->time_step);
    printf("  shares: detection %.0f %%, rods and contacts %.0f %%, response %.0f %%, rest %.0f %%\n",
           100 * totals->detect / wall, 100 * totals->elastic / wall, 100 * totals->respond / wall,
           100 * (wall - totals->detect - totals->elastic - totals->respond) / wall);
    printf("  a step: %.0f contacts, %.0f impacts, %.0f stopped vertices; a substep: %.2f Newton steps, %.2f products, %.2f trials\n",
           (double)totals->contacts / counted, (double)totals->impacts / counted, (double)totals->stopped / counted,
           (double)totals->solves / substeps, (double)totals->products / substeps, (double)totals->lines / substeps);
}

static void close_judge(struct judge *judge)
{
    dent_world_destroy(judge->world);
    dent_context_destroy(judge->context);
    free(judge->before[0]);
    free(judge->before[1]);
}

static void run(const struct options *options)
{
    static struct scene scene;
    dent_context_def context_def = dent_context_def_default();
    context_def.thread_count = options->threads;
    context_def.isa = options->isa;
    dent_context *context = dent_context_create(&context_def, NULL);
    dent_sim *sim;
    make_scene(&scene, options);
    must(context, dent_sim_create(context, &scene.def, &sim));
    struct judge judge = {0};
    if (options->check) {
        open_judge(&judge, sim, scene.bodies);
    }
    struct totals totals = {0};
    uint32_t skipped = options->steps / 10;
    for (uint32_t n = 0; n < options->steps; n++) {
        if (options->check) {
            note_before(&judge, sim, scene.bodies);
        }
        measure_step(context, sim, n >= skipped, &totals);
        if (options->check) {
            judge_step(&judge, sim, options->segments);
            if (n % 50 == 49) {
                fprintf(stderr, "step %u: %llu met, %u inside\n", n + 1, (unsigned long long)judge.met,
                        count_inside(sim, scene.bodies, options->segments));
            }
        }
    }
    print_totals(options, &scene.def, &totals, options->steps - skipped);
    printf("  hash %016llx\n", (unsigned long long)dent_sim_hash(sim));
    if (options->check) {
        printf("  %llu pairs met on the way of %u steps, %u vertices of hair end inside the head\n",
               (unsigned long long)judge.met, options->steps, count_inside(sim, scene.bodies, options->segments));
        close_judge(&judge);
    }
    dent_sim_destroy(sim);
    dent_context_destroy(context);
    free_scene(&scene);
}

int main(int count, char **arguments)
{
    struct options options = {.strands = 2000, .segments = 32, .steps = 60, .threads = 2, .rate = 60, .isa = DENT_ISA_AUTO};
    for (int n = 1; n < count; n++) {
        const char *name = arguments[n], *value = n + 1 < count ? arguments[n + 1] : "0";
        struct {
            const char *name;
            uint32_t *number;
        } numbers[] = {{"--strands", &options.strands}, {"--segments", &options.segments}, {"--steps", &options.steps},
                       {"--threads", &options.threads}, {"--rate", &options.rate}};
        bool known = false;
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
            if (strcmp(name, numbers[k].name) == 0) {
                *numbers[k].number = (uint32_t)strtoul(value, NULL, 10);
                known = true;
                n++;
            }
        }
        if (strcmp(name, "--isa") == 0) {
            options.isa = strcmp(value, "scalar") == 0 ? DENT_ISA_SCALAR : strcmp(value, "avx2") == 0 ? DENT_ISA_AVX2 : DENT_ISA_AVX512;
            n++;
        } else if (strcmp(name, "--safe") == 0) {
            options.safe = true;
        } else if (strcmp(name, "--check") == 0) {
            options.check = true;
        } else if (strcmp(name, "--free") == 0) {
            options.free = true;
        } else if (!known) {
            fprintf(stderr, "bench_hair: unknown argument '%s'\n", name);
            return 2;
        }
    }
    run(&options);
    return 0;
}
