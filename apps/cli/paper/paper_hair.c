/* paper_hair.c — "Hair interactions" (Cani and Bertails 2006) and its sources in numbers: what a frame of hair costs and
 * where, friction with and against the scales, the number of active wisp segments over a shake, what tracked pairs miss,
 * and the cost of the density grid. The chapter gives few figures: 70 % of the time in wisp contacts (2001), 2.5 % for the
 * density map, a ratio of 2 between the two directions of friction. */
#include "bench/bench_run.h"
#include "hair_head.h"
#include "paper_chart.h"

#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double milliseconds(const paper_run *run, uint64_t began)
{
    return (double)(bench_clock_ns(options_have(run->session->options, OPTION_CPU_TIME)) - began) * 1e-6;
}

static uint64_t now(const paper_run *run)
{
    return bench_clock_ns(options_have(run->session->options, OPTION_CPU_TIME));
}

static uint32_t scaled(const paper_run *run, uint32_t count, uint32_t least)
{
    double scale = options_have(run->session->options, OPTION_SCALE) ? run->session->options->scale : 1;
    double wanted = count * scale;
    return wanted > least ? (uint32_t)wanted : least;
}

static int stop(const hair_head *head)
{
    const char *message = head->world ? dent_world_message(head->world) : "";
    return complain("paper: %s", message[0] ? message : "out of memory");
}

/* ---- cost shares of a frame -------------------------------------------------------------------------------------- */

enum { HAIR_CONTACTS, HAIR_FORCES, HAIR_SETTLE, HAIR_DENSITY, HAIR_PHASE_COUNT };
static const char *const hair_phases[HAIR_PHASE_COUNT] = {"contacts of all segments", "contact forces",
                                                          "head as a sphere", "density grid"};

typedef struct hair_frame {
    hair_head head;
    dent_response *response;
    dent_density *density;
    double ms[HAIR_PHASE_COUNT];
    uint64_t contacts;
} hair_frame;

static bool frame_contacts(hair_frame *frame, dent_contacts *found)
{
    dent_contacts_def def = dent_contacts_def_default();
    def.penetration = false;
    def.proximity = true;
    return dent_world_find_contacts(frame->head.world, &def, found) == DENT_OK;
}

static bool frame_forces(hair_frame *frame, const dent_contacts *found)
{
    hair_head *head = &frame->head;
    dent_strand_shape shape = {.strand_count = head->strand_count, .first = head->first, .radius = head->radius};
    dent_response_body body = {.vertex_count = head->vertex_count,
                               .inverse_masses = head->inverse_masses,
                               .positions = head->positions,
                               .velocities = head->velocities,
                               .forces = head->forces};
    dent_response_problem problem = dent_response_problem_default();
    dent_strand_forces_def def = dent_strand_forces_def_default();
    problem.contacts = found->contacts;
    problem.contact_count = found->count;
    problem.bodies = &body;
    problem.body_count = 1;
    def.shapes = &shape;
    return dent_strand_forces(frame->response, &problem, &def, NULL) == DENT_OK;
}

static bool frame_settle(hair_frame *frame)
{
    hair_head *head = &frame->head;
    dent_strand_motion motion = {.shape = {.strand_count = head->strand_count, .first = head->first},
                                 .vertex_count = head->vertex_count,
                                 .inverse_masses = head->inverse_masses,
                                 .positions = head->positions,
                                 .velocities = head->velocities};
    dent_moving_sphere sphere = {.center = {0.08, 0.08, -0.15}, .radius = 0.03};
    dent_contact_material material = dent_contact_material_default();
    return dent_strand_settle_on_spheres(head->context, &motion, &sphere, 1, &material, NULL) == DENT_OK;
}

static bool frame_density(hair_frame *frame)
{
    hair_head *head = &frame->head;
    dent_strand_set set = {head->strand_count, head->first, head->vertex_count, head->positions, head->velocities};
    dent_density_def def = dent_density_def_default();
    def.cell_size = 2 * head->spacing;
    def.limit = 1e5;
    if (dent_density_update(frame->density, &def, &set) != DENT_OK) {
        return false;
    }
    dent_density_forces(frame->density, &set, head->forces);
    dent_density_blend(frame->density, &set, 0.1, head->velocities);
    return true;
}

static bool run_frame(const paper_run *run, hair_frame *frame, double time)
{
    dent_contacts found = {0};
    hair_head_pose(&frame->head, time);
    bool good = true;
    for (int phase = 0; phase < HAIR_PHASE_COUNT && good; phase++) {
        uint64_t began = now(run);
        good = phase == HAIR_CONTACTS ? frame_contacts(frame, &found)
               : phase == HAIR_FORCES ? frame_forces(frame, &found)
               : phase == HAIR_SETTLE ? frame_settle(frame)
                                      : frame_density(frame);
        frame->ms[phase] += milliseconds(run, began);
    }
    frame->contacts += found.count;
    return good;
}

static int write_shares(paper_run *run, const hair_frame *frame, uint32_t steps)
{
    double whole = 0;
    bar_chart chart;
    for (int i = 0; i < HAIR_PHASE_COUNT; i++) {
        whole += frame->ms[i];
    }
    int status = paper_file_open(run, "hair-shares", "csv");
    if (status != STATUS_GOOD) {
        return status;
    }
    bar_chart_begin(&chart, run->session->context, "Phases of a frame of hair", "ms");
    printer_text(&run->file, "phase,ms,share\n");
    for (int i = 0; i < HAIR_PHASE_COUNT; i++) {
        double ms = frame->ms[i] / steps;
        printer_format(&run->file, "%s,%.6g,%.4g\n", hair_phases[i], ms, frame->ms[i] / whole);
        printer_format(run->session->out, "  %-26s %8.3f ms  %5.1f %%\n", hair_phases[i], ms,
                       100 * frame->ms[i] / whole);
        bar_chart_add(&chart, "per frame", hair_phases[i], false, ms, ms, ms);
    }
    printer_format(run->session->out, "  %u strands of %u vertices, %.0f contacts a frame\n", frame->head.strand_count,
                   frame->head.row_count, (double)frame->contacts / steps);
    status = paper_file_close(run);
    status = status == STATUS_GOOD ? paper_file_open(run, "hair-shares", "svg") : status;
    if (status == STATUS_GOOD) {
        bool drawn = bar_chart_write(&chart, &run->file);
        status = paper_file_close(run);
        status = drawn ? status : complain("paper: out of memory");
    }
    bar_chart_release(&chart);
    return status;
}

static int make_shares(paper_run *run)
{
    hair_frame frame;
    memset(&frame, 0, sizeof frame);
    dent_context *context = run->session->context;
    uint32_t steps = paper_steps(run, 20);
    bool good = hair_head_open(&frame.head, context, scaled(run, 2000, 16), 32);
    frame.response = dent_response_create(context);
    frame.density = dent_density_create(context);
    good = good && frame.response && frame.density && run_frame(run, &frame, 0); /* warm */
    memset(frame.ms, 0, sizeof frame.ms);
    frame.contacts = 0;
    for (uint32_t i = 0; i < steps && good; i++) {
        good = run_frame(run, &frame, i / 60.0);
    }
    int status = good ? write_shares(run, &frame, steps) : stop(&frame.head);
    dent_response_destroy(frame.response);
    dent_density_destroy(frame.density);
    hair_head_close(&frame.head);
    return status;
}

/* ---- two directions of friction ---------------------------------------------------------------------------------- */

enum { FIBRE_NODES = 8 };

typedef struct sliding_fibre {
    double inverse_masses[FIBRE_NODES], positions[3 * FIBRE_NODES], velocities[3 * FIBRE_NODES];
    double forces[3 * FIBRE_NODES];
    uint32_t first[2];
} sliding_fibre;

static const double fibre_mass = 1e-4, fibre_gravity = 9.81, fibre_slope = 0.4, fibre_radius = 1e-3, fibre_step = 1e-4,
                    fibre_viscosity = 2e-3;

/* x points down the slope, z out of it. */
static dent_status fibre_advance(dent_response *response, sliding_fibre *fibre, double sine, double cosine)
{
    dent_contact contacts[FIBRE_NODES];
    memset(contacts, 0, sizeof contacts);
    for (uint32_t v = 0; v < FIBRE_NODES; v++) {
        dent_contact *contact = &contacts[v];
        contact->key = v + 1;
        contact->body_b = 1;
        contact->feature_a = contact->vertices_a[0] = v;
        contact->kind = DENT_CONTACT_VERTEX_FACE;
        contact->source = DENT_CONTACT_SOURCE_GAP;
        contact->weights_a[0] = contact->time = contact->normal[2] = 1;
        contact->gap = fibre->positions[3 * v + 2];
        memcpy(contact->point_a, fibre->positions + 3 * v, sizeof contact->point_a);
        for (int i = 0; i < 4; i++) {
            contact->vertices_b[i] = UINT32_MAX;
            contact->vertices_a[i] = i == 0 ? v : UINT32_MAX;
        }
        fibre->forces[3 * v] = fibre_mass * fibre_gravity * sine;
        fibre->forces[3 * v + 1] = 0;
        fibre->forces[3 * v + 2] = -fibre_mass * fibre_gravity * cosine;
    }
    dent_strand_shape shapes[2] = {{.strand_count = 1, .first = fibre->first, .radius = fibre_radius}, {0}};
    dent_response_body bodies[2] = {{.vertex_count = FIBRE_NODES,
                                     .inverse_masses = fibre->inverse_masses,
                                     .positions = fibre->positions,
                                     .velocities = fibre->velocities,
                                     .forces = fibre->forces},
                                    {0}};
    dent_response_problem problem = dent_response_problem_default();
    dent_strand_forces_def def = dent_strand_forces_def_default();
    problem.contacts = contacts;
    problem.contact_count = FIBRE_NODES;
    problem.bodies = bodies;
    problem.body_count = 2;
    problem.time_step = fibre_step;
    def.shapes = shapes;
    def.viscosity = fibre_viscosity;
    def.coulomb = false;
    dent_status status = dent_strand_forces(response, &problem, &def, NULL);
    for (uint32_t i = 0; i < 3 * FIBRE_NODES; i++) {
        fibre->velocities[i] += fibre_step * fibre->forces[i] / fibre_mass;
        fibre->positions[i] += fibre_step * fibre->velocities[i];
    }
    return status;
}

static int make_friction(paper_run *run)
{
    static const char *const names[2] = {"root above: against the scales", "root below: with the scales"};
    paper_chart chart = {.name = "hair-friction",
                         .title = "A fibre slides down a slope",
                         .x_label = "time in s",
                         .y_label = "speed in m/s"};
    dent_response *response = dent_response_create(run->session->context);
    int status = response ? paper_file_open(run, "hair-friction", "csv") : complain("paper: out of memory");
    if (status != STATUS_GOOD) {
        dent_response_destroy(response);
        return status;
    }
    double sine, cosine, last[2] = {0, 0};
    dent_sine_cosine(fibre_slope, &sine, &cosine);
    printer_text(&run->file, "orientation,time_s,speed,steady_speed\n");
    for (int with = 0; with < 2; with++) {
        sliding_fibre fibre = {.first = {0, FIBRE_NODES}};
        double steady = fibre_mass * fibre_gravity * sine / (fibre_viscosity * (with ? 1 : 2));
        for (uint32_t v = 0; v < FIBRE_NODES; v++) {
            fibre.inverse_masses[v] = 1 / fibre_mass;
            fibre.positions[3 * v] = (with ? -0.01 : 0.01) * v;
            fibre.positions[3 * v + 2] = fibre_radius;
        }
        for (int step = 1; step <= 6000 && status == STATUS_GOOD; step++) {
            status = fibre_advance(response, &fibre, sine, cosine) == DENT_OK ? STATUS_GOOD : complain("paper: failed");
            if (step % 400 == 0) {
                printer_format(&run->file, "%s,%.3g,%.9g,%.9g\n", with ? "root below" : "root above", step * fibre_step,
                               fibre.velocities[0], steady);
                paper_chart_add(&chart, names[with], step * fibre_step, fibre.velocities[0]);
            }
        }
        last[with] = fibre.velocities[0];
        printer_format(run->session->out, "  %-32s %.4f m/s; m g sin a / nu = %.4f m/s\n", names[with], last[with],
                       steady);
    }
    printer_format(run->session->out, "  ratio %.4f\n", last[1] / last[0]);
    dent_response_destroy(response);
    return paper_chart_finish(run, &chart, status);
}

/* ---- wisps over a shake ------------------------------------------------------------------------------------------ */

/* A shake that swells and dies away, strongest at the tips; it drags wisps along without parting them. */
static double shake_strength(double time)
{
    double rise = time < 1 ? time : 1, fall = time > 2 ? 3 - time : 1;
    return 60 * rise * (fall > 0 ? fall : 0);
}

static int follow_shake(paper_run *run, dent_wisp_tree *tree, double *accelerations, uint32_t strands, uint32_t rows)
{
    paper_chart chart = {.name = "hair-wisps",
                         .title = "Active wisp segments over a shake",
                         .x_label = "time in s",
                         .y_label = "segments"};
    int status = paper_file_open(run, "hair-wisps", "csv");
    uint32_t most = 0, count = 0, steps = 240;
    if (status != STATUS_GOOD) {
        return status;
    }
    printer_text(&run->file, "time_s,acceleration,segments,splits,merges,all_segments\n");
    for (uint32_t step = 0; step <= steps; step++) {
        double time = step / 60.0;
        dent_wisp_report report;
        const dent_wisp_node *nodes = dent_wisp_tree_nodes(tree, &count);
        for (uint32_t i = 0; i < count; i++) {
            double down = (double)nodes[i].row / (rows - 1), own = 1 + 0.3 * (nodes[i].wisp % 7) / 6.0;
            accelerations[3 * i] = shake_strength(time) * down * own;
            accelerations[3 * i + 1] = accelerations[3 * i + 2] = 0;
        }
        if (dent_wisp_tree_adapt(tree, accelerations, &report) != DENT_OK) {
            status = complain("paper: out of memory");
            break;
        }
        uint32_t roots = 0;
        nodes = dent_wisp_tree_nodes(tree, &count);
        while (roots < count && nodes[roots].row == 0) {
            roots++;
        }
        uint32_t segments = count - roots;
        most = segments > most ? segments : most;
        printer_format(&run->file, "%.4f,%.6g,%u,%llu,%llu,%u\n", time, shake_strength(time), segments,
                       (unsigned long long)report.splits, (unsigned long long)report.merges, strands * (rows - 1));
        if (step % 16 == 0) {
            paper_chart_add(&chart, "active", time, segments);
        }
    }
    printer_format(run->session->out, "  %u segments in all; active: %u at rest, %u at most\n", strands * (rows - 1),
                   rows - 1, most);
    return paper_chart_finish(run, &chart, status);
}

static int make_wisps(paper_run *run)
{
    hair_head head;
    dent_wisp_tree *tree = NULL;
    dent_wisp_tree_def def = dent_wisp_tree_def_default();
    dent_context *context = run->session->context;
    bool good = hair_head_open(&head, context, scaled(run, 512, 16), 16);
    size_t numbers = 3 * (size_t)head.vertex_count;
    double *accelerations = dent_allocate(context, numbers, sizeof *accelerations);
    def.strand_count = head.strand_count;
    def.row_count = head.row_count;
    def.positions = head.positions;
    def.strand_radius = head.radius;
    def.split_threshold = 0.5;
    good = good && accelerations && dent_wisp_tree_create(context, &def, &tree) == DENT_OK;
    int status = good ? follow_shake(run, tree, accelerations, head.strand_count, head.row_count) : stop(&head);
    dent_wisp_tree_destroy(tree);
    dent_release(context, accelerations, numbers, sizeof *accelerations);
    hair_head_close(&head);
    return status;
}

/* ---- recall of tracked pairs ------------------------------------------------------------------------------------- */

/* Recall over a shake, seeded every `interval` steps; 0: never. Negative: something failed. */
static double measure_recall(paper_run *run, hair_head *head, uint32_t interval, uint32_t steps)
{
    dent_strand_tracker_def def = dent_strand_tracker_def_default();
    dent_strand_tracker *tracker = NULL;
    uint64_t all = 0, met = 0;
    def.strand_count = head->strand_count;
    def.first = head->first;
    def.radius = head->radius;
    bool good = dent_strand_tracker_create(run->session->context, &def, &tracker) == DENT_OK;
    for (uint32_t step = 0; step < steps && good; step++) {
        dent_strand_tracker_result result;
        uint64_t total = 0, found = 0;
        hair_head_pose(head, step / 60.0);
        if (interval > 0 && step % interval == 0) {
            good = hair_head_search(head, 3) &&
                   dent_strand_tracker_seed(tracker, head->pair_count, head->pair_a, head->pair_b) == DENT_OK;
        }
        good = good && hair_head_search(head, 1) &&
               dent_strand_tracker_update(tracker, head->positions, &result) == DENT_OK &&
               dent_strand_tracker_recall(tracker, head->pair_count, head->pair_a, head->pair_b, head->distances,
                                          &total, &found) == DENT_OK;
        all += total;
        met += found;
    }
    dent_strand_tracker_destroy(tracker);
    return !good ? -1 : all > 0 ? (double)met / (double)all : 1;
}

static int make_recall(paper_run *run)
{
    static const uint32_t intervals[] = {1, 2, 5, 10, 20, 40, 0};
    paper_chart chart = {.name = "hair-recall",
                         .title = "Contacts that tracked pairs find",
                         .x_label = "steps between two seedings",
                         .y_label = "recall",
                         .x_logarithmic = true};
    hair_head head;
    bool good = hair_head_open(&head, run->session->context, scaled(run, 200, 16), 16);
    int status = good ? paper_file_open(run, "hair-recall", "csv") : stop(&head);
    if (status == STATUS_GOOD) {
        printer_text(&run->file, "interval,recall\n");
        for (size_t i = 0; i < sizeof intervals / sizeof intervals[0] && good; i++) {
            double recall = measure_recall(run, &head, intervals[i], paper_steps(run, 80));
            good = recall >= 0;
            printer_format(&run->file, "%u,%.6g\n", intervals[i], recall);
            if (intervals[i] > 0) {
                printer_format(run->session->out, "  seeded every %2u steps: %.4f\n", intervals[i], recall);
                paper_chart_add(&chart, "tracked pairs", intervals[i], recall);
            } else {
                printer_format(run->session->out, "  never seeded:          %.4f\n", recall);
            }
        }
        status = paper_chart_finish(run, &chart, good ? STATUS_GOOD : stop(&head));
    }
    hair_head_close(&head);
    return status;
}

/* ---- cost of the density grid ------------------------------------------------------------------------------------ */

static bool measure_density(paper_run *run, uint32_t strands, paper_chart *chart)
{
    hair_frame frame;
    memset(&frame, 0, sizeof frame);
    dent_context *context = run->session->context;
    uint32_t steps = paper_steps(run, 5);
    double density = 0, search = 0;
    bool good = hair_head_open(&frame.head, context, strands, 32);
    frame.density = dent_density_create(context);
    good = good && frame.density && frame_density(&frame) && hair_head_search(&frame.head, 1);
    for (uint32_t i = 0; i < steps && good; i++) {
        hair_head_pose(&frame.head, i / 60.0);
        uint64_t began = now(run);
        good = frame_density(&frame);
        density += milliseconds(run, began);
        began = now(run);
        good = good && hair_head_search(&frame.head, 1);
        search += milliseconds(run, began);
    }
    if (good) {
        uint32_t segments = strands * 31;
        printer_format(&run->file, "%u,%.6g,%.6g\n", segments, density / steps, search / steps);
        printer_format(run->session->out, "  %8u segments: density %9.3f ms, exact pairs %9.3f ms\n", segments,
                       density / steps, search / steps);
        paper_chart_add(chart, "density grid", segments, density / steps);
        paper_chart_add(chart, "exact pairs (proximity)", segments, search / steps);
    }
    dent_density_destroy(frame.density);
    hair_head_close(&frame.head);
    return good;
}

static int make_density(paper_run *run)
{
    paper_chart chart = {.name = "hair-density",
                         .title = "Density grid and exact search",
                         .x_label = "segments",
                         .y_label = "ms a frame",
                         .x_logarithmic = true,
                         .y_logarithmic = true};
    int status = paper_file_open(run, "hair-density", "csv");
    if (status != STATUS_GOOD) {
        return status;
    }
    printer_text(&run->file, "segments,density_ms,exact_ms\n");
    bool good = true;
    for (uint32_t strands = 64; strands <= 4096 && good; strands *= 4) {
        good = measure_density(run, scaled(run, strands, 8), &chart);
    }
    return paper_chart_finish(run, &chart, good ? STATUS_GOOD : complain("paper: out of memory"));
}

const paper_figure figure_hair_shares = {"hair-shares", "hair: phases of a frame", make_shares};
const paper_figure figure_hair_friction = {"hair-friction", "hair: a fibre on a slope, with and against its scales",
                                           make_friction};
const paper_figure figure_hair_wisps = {"hair-wisps", "hair: active segments of the wisp tree over a shake",
                                        make_wisps};
const paper_figure figure_hair_recall = {"hair-recall", "hair: recall of tracked pairs against the interval of seeding",
                                         make_recall};
const paper_figure figure_hair_density = {"hair-density", "hair: cost of the density grid and of the exact search",
                                          make_density};
