/* command_paper.c — `dent paper`: the tables and plots of the source documents, made again, with their figures beside
 * ours.
 *
 * A figure is a row: it measures, prints a table, and writes NAME.csv and NAME.svg. */
#include "paper_stage.h"
#include "tool.h"

#include <stdio.h>
#include <string.h>

static const paper_figure *const figure_table[] = {
    &figure_hash_times,        &figure_hash_table_size,  &figure_hash_cell_size,     &figure_bucket_query_size,
    &figure_bucket_query_hits, &figure_bucket_self_size, &figure_bucket_self_hits,   &figure_surface_resolution,
    &figure_surface_flatness,  &figure_surface_culling,  &figure_surface_directions, &figure_surface_leaves,
    &figure_surface_phases,    &figure_motion_missed,    &figure_motion_size,        &figure_motion_angle,
    &figure_plan_passages,
    &figure_haptic_traces,
    &figure_deadline_load,     &figure_deadline_error,   &figure_deadline_force,     &figure_deadline_peg,
    &figure_deadline_pairs,    &figure_constraint_times, &figure_constraint_conditions,
    &figure_depth_sliding,     &figure_depth_directions, &figure_hair_shares,        &figure_hair_friction,
    &figure_hair_wisps,        &figure_hair_recall,      &figure_hair_density,       &figure_cloud_distance,
    &figure_cloud_size,        &figure_cloud_roc,        &figure_cloud_sheets,       &figure_cloud_coupons,
    &figure_boxes_cells,       &figure_boxes_tables,     &figure_boxes_rows,         &figure_kinetic_updates,
    &figure_kinetic_detection, &figure_physics,
    &figure_physics_beam,      &figure_physics_energy,   &figure_physics_contact,    &figure_physics_stacks,
    &figure_physics_bullets,   &figure_physics_starts,   &figure_physics_cases,
};
enum { FIGURE_COUNT = sizeof figure_table / sizeof figure_table[0] };

static const paper_figure *find_figure(const char *name)
{
    for (int i = 0; i < FIGURE_COUNT; i++) {
        if (strcmp(figure_table[i]->name, name) == 0) {
            return figure_table[i];
        }
    }
    return NULL;
}

static int refuse_unknown(const tool_options *options)
{
    const char *names[FIGURE_COUNT];
    for (int i = 0; i < FIGURE_COUNT; i++) {
        names[i] = figure_table[i]->name;
    }
    for (uint32_t i = 0; i < options->argument_count; i++) {
        if (find_figure(options->arguments[i]) == NULL) {
            const char *near = nearest_word(options->arguments[i], names, FIGURE_COUNT);
            return near != NULL
                       ? complain("paper: no figure is called '%s'; did you mean %s?", options->arguments[i], near)
                       : complain("paper: no figure is called '%s'; dent paper --help lists them",
                                  options->arguments[i]);
        }
    }
    return STATUS_GOOD;
}

/* No paper's figure, but the simulator against theory: made when named. */
static bool is_physics(const paper_figure *figure)
{
    return figure->make == figure_physics.make;
}

/* --full and --json mean something to the tables of the simulator only. */
static int refuse_options(const tool_options *options)
{
    option_id given = options_have(options, OPTION_FULL) ? OPTION_FULL : OPTION_JSON;
    bool only_physics = options->argument_count > 0;
    for (uint32_t i = 0; i < options->argument_count; i++) {
        only_physics = only_physics && is_physics(find_figure(options->arguments[i]));
    }
    return only_physics || !options_have(options, given)
               ? STATUS_GOOD
               : complain("paper: %s is for the physics figures", given == OPTION_FULL ? "--full" : "--json");
}

static int make_figure(paper_run *run, const paper_figure *figure)
{
    const tool_options *options = run->session->options;
    char command[256];
    int used = snprintf(command, sizeof command, "dent paper %s --threads %u --isa %s", figure->name,
                        dent_context_worker_count(run->session->context),
                        dent_isa_name(dent_context_isa(run->session->context)));
    if (options_have(options, OPTION_CPU_TIME)) {
        used += snprintf(command + used, sizeof command - (size_t)used, " --cpu-time");
    }
    if (options_have(options, OPTION_STEPS)) {
        used += snprintf(command + used, sizeof command - (size_t)used, " --steps %u", options->steps);
    }
    if (options_have(options, OPTION_SCALE)) {
        used += snprintf(command + used, sizeof command - (size_t)used, " --scale %g", options->scale);
    }
    if (options_have(options, OPTION_FULL)) {
        snprintf(command + used, sizeof command - (size_t)used, " --full");
    }
    bool json = options_have(options, OPTION_JSON);
    run->command = command;
    run->figure = figure;
    if (!json) {
        printer_format(run->session->out, "%s: %s\n", figure->name, figure->summary);
    }
    int status = paper_files_settle(run, figure->make(run));
    if (!json) {
        printer_text(run->session->out, "\n");
    }
    printer_flush(run->session->out);
    return status;
}

static int run_paper(const tool_options *options, printer *out)
{
    int status = refuse_unknown(options);
    status = status == STATUS_GOOD ? refuse_options(options) : status;
    if (status != STATUS_GOOD) {
        return status;
    }
    if (options_have(options, OPTION_CPU_TIME) && options->threads != 1) {
        return complain("paper: --cpu-time needs --threads 1: it adds up what the threads used");
    }
    tool_session session;
    status = session_open(&session, options, out);
    if (status != STATUS_GOOD) {
        return status;
    }
    static paper_run run; /* large */
    memset(&run, 0, sizeof run);
    run.session = &session;
    run.folder = options->out != NULL ? options->out : "paper";
    for (int i = 0; i < FIGURE_COUNT && options->argument_count == 0 && status == STATUS_GOOD; i++) {
        status = is_physics(figure_table[i]) ? status : make_figure(&run, figure_table[i]);
    }
    for (uint32_t i = 0; i < options->argument_count && status == STATUS_GOOD; i++) {
        status = make_figure(&run, find_figure(options->arguments[i]));
    }
    session_close(&session);
    return status == STATUS_GOOD && run.found ? STATUS_FOUND : status;
}

const tool_command command_paper_row = {
    .name = "paper",
    .summary = "reproduce the tables and plots of the source papers, with their figures beside ours",
    .arguments = "[FIGURE...] [-o DIR] [OPTION...]",
    .details = "Figures (default: all but physics), each written to DIR as FIGURE.csv and FIGURE.svg:\n"
               "  hash-times          spatial hashing (Teschner and others 2003): set-ups A to E, mean, minimum,\n"
               "                      maximum and deviation over 1000 steps, the published times beside ours\n"
               "  hash-table-size     its first study: time against the size of the hash table (A and D)\n"
               "  hash-cell-size      its second study: time against cell size over mean edge (A and D); both with\n"
               "                      the grid cells an element visits, the entries found in each, and clashes\n"
               "  bucket-query-size   BucketTree article, figure 1.5.4: two V-shapes, time against size\n"
               "  bucket-query-hits   figure 1.5.5: two V-shapes, time against the number of intersections\n"
               "  bucket-self-size    figure 1.5.6: one V-shape in itself, time against size\n"
               "  bucket-self-hits    figure 1.5.7: one V-shape in itself, time against intersections\n"
               "  surface-resolution  surfaces (Volino and Magnenat-Thalmann 2006), figure 18: regions tested on a\n"
               "                      mesh and on finer and finer ones\n"
               "  surface-flatness    share of neighbouring regions proven free, against how crumpled the cloth is\n"
               "  surface-culling     time with and without the curvature test if nothing crosses\n"
               "  surface-directions  time against the number of directions of the bounding volumes\n"
               "  surface-leaves      leaves cut by merging regions, by medians, along a curve\n"
               "  surface-phases      phases of a query on a cloth of 50,000 triangles\n"
               "  motion-missed       rigid bodies (Redon 2006): contacts of a step missed by tests at its ends, by\n"
               "                      tests at more and more times between, and by straight lines\n"
               "  motion-size         the motion query's time against the number of triangles\n"
               "  motion-angle        its time against the rotation of the bodies in a step\n"
               "  plan-passages       planning (Redon and Lin 2005): time to a path through a slot against its width,\n"
               "                      with contact milestones and without; minutes\n"
               "  haptic-traces       god-object (Ortega and others 2006): force of press and release on a plane, in a\n"
               "                      wedge and a hole, with delays of 0 to 20 ms, passivity control on and off\n"
               "  deadline-load       time-critical search (Mendoza and O'Sullivan): time per frame under growing\n"
               "                      load, with budgets of 1, 2 and 4 ms and without a deadline\n"
               "  deadline-error      error bound against budget: priority, breadth first, depth first\n"
               "  deadline-force      force of a search stopped early, against the deepest finished level\n"
               "  deadline-peg        a haptic peg in a hole at 1 kHz with a virtual device\n"
               "  deadline-pairs      the worst error of a thousand pairs under one deadline, against even shares of the\n"
               "                      work and the best division in hindsight\n"
               "  constraint-times    rigid response (Redon 2006): motion space against contact space, time against the\n"
               "                      contacts between two boxes of a tower\n"
               "  constraint-conditions  the condition of what each space factors\n"
               "  depth-sliding       penetration depth (Heidelberger and others 2004): the push on a vertex that\n"
               "                      slides past the middle of a body, and its distance to the nearest surface point\n"
               "  depth-directions    the same as arrows in a section through both bodies\n"
               "  hair-shares         hair (Cani and Bertails 2006): phases of a frame of 2,000 strands\n"
               "  hair-friction       a fibre slides down a slope with its scales and against them\n"
               "  hair-wisps          active segments of the adaptive wisp tree over a shake\n"
               "  hair-recall         contacts that tracked pairs find, against the interval of seeding\n"
               "  hair-density        cost of the density grid and of the exact search against the segments\n"
               "  cloud-distance      point clouds (Klein and Zachmann 2004, 2005): time against distance\n"
               "  cloud-size          time against the number of points\n"
               "  cloud-roc           answers on two spheres against gap / spacing\n"
               "  cloud-sheets        spurious zeros between two sheets, with and without graph distances\n"
               "  cloud-coupons       how often all surfels are hit by p ln p + c p draws\n"
               "  boxes-cells         pairs of boxes: time of the grids against the size of their cells\n"
               "  boxes-tables        time of the hash grid against its table, for two hash functions\n"
               "  boxes-rows          all methods on five kinds of sets of boxes\n"
               "  kinetic-updates     kinetic trees (Zachmann and Weller 2006): sides of boxes written and time of an\n"
               "                      update, by events and by refit, against the frames between two keys\n"
               "  kinetic-detection   the same with the search for pairs\n"
               "\n"
               "The simulator against theory (docs/validation.md), a row per claim with its bar; the exit status is 1\n"
               "if a row fails:\n"
               "  physics             all of the following; --full: every row\n"
               "  physics-beam        frequency of a clamped beam, sag, Young's modulus and Poisson's ratio of a bar\n"
               "  physics-energy      gain of energy over stiffness, Poisson's ratio, mesh and time step\n"
               "  physics-contact     rebound, weight, Hertz, the friction angle\n"
               "  physics-stacks      stacks of rigid boxes at rest\n"
               "  physics-bullets     fast balls against a thin plate\n"
               "  physics-starts      random starts\n"
               "  physics-cases       scenes that showed a fault once\n"
               "JSON keys, a line per row: experiment row unit reference dent value low high pass holds seconds note.\n"
               "\n"
               "The papers' machines were a Pentium 4 at 1.8 GHz and a Xeon at 2.4 GHz. Where a paper draws curves\n"
               "without numbers, only their shape can be compared: the fits are of the kind drawn there, with one\n"
               "standard deviation. --steps and --scale make quick trials.\n",
    .option_bits = OPTION_BIT(OPTION_FOLDER) | OPTION_BIT(OPTION_STEPS) | OPTION_BIT(OPTION_SCALE) |
                   OPTION_BIT(OPTION_CPU_TIME) | OPTION_BIT(OPTION_FULL) | OPTION_BIT(OPTION_JSON) | OPTIONS_OF_MACHINE,
    .argument_min = 0,
    .argument_max = UINT32_MAX,
    .run = run_paper,
};
