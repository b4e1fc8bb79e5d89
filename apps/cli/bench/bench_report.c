/* bench_report.c — prints races. Times are of one step, in milliseconds; low and high are the quartiles. */
#include "bench_report.h"

#include "json_output.h"
#include "machine_facts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void hash_text(uint64_t hash, char text[17])
{
    snprintf(text, 17, "%016llx", (unsigned long long)hash);
}

static void json_count(json_line *line, const char *key, double value)
{
    if (isfinite(value)) {
        json_line_integer(line, key, (uint64_t)value);
    } else {
        json_line_number(line, key, NAN);
    }
}

static void json_loops(json_line *line, const loop_summary *loops)
{
    json_object_begin(line, "loops");
    json_line_integer(line, "workers", loops->workers);
    json_line_number(line, "serial_share", loop_serial_share(loops, STAGE_STEP));
    json_line_number(line, "imbalance", loop_imbalance(loops, STAGE_STEP));
    json_line_number(line, "speed_up", loop_speed_up(loops));
    json_array_begin(line, "stages");
    for (int stage = 0; stage < STAGE_COUNT; stage++) {
        json_item_begin(line);
        json_line_string(line, "stage", stage_names[stage]);
        json_line_number(line, "serial_ms", loops->serial_ms[stage]);
        json_line_number(line, "work_ms", loops->work_ms[stage]);
        json_line_number(line, "longest_ms", loops->longest_ms[stage]);
        json_line_number(line, "imbalance", loop_imbalance(loops, stage));
        json_item_end(line);
    }
    json_array_end(line);
    json_object_end(line);
}

void report_json(printer *out, const bench_race *race)
{
    char questions[64], hash[17], machine[300];
    machine_name(machine, sizeof machine);
    for (uint32_t i = 0; i < race->count; i++) {
        const contestant *row = &race->contestants[i];
        hash_text(row->pairs_hash, hash);
        json_line line = json_line_begin(out);
        json_line_string(&line, "scene", race->scene->name);
        json_line_string(&line, "question", questions_name(race->questions, questions, sizeof questions));
        json_line_string(&line, "method", row->name);
        json_line_boolean(&line, "peer", row->peer);
        json_line_integer(&line, "threads", row->threads);
        json_line_string(&line, "isa", row->peer ? "native" : dent_isa_name(race->isa));
        json_line_number(&line, "scale", race->scene->scale);
        json_line_integer(&line, "frames", race->frames);
        json_line_number(&line, "median_ms", row->median_ms);
        json_line_number(&line, "low_ms", row->low_ms);
        json_line_number(&line, "high_ms", row->high_ms);
        json_count(&line, "candidates", row->candidates);
        json_line_integer(&line, "pairs", row->pairs);
        json_line_string(&line, "pairs_hash", hash);
        json_count(&line, "peak_bytes", row->peak);
        json_count(&line, "allocations", row->allocations);
        json_object_begin(&line, "phases");
        for (int phase = 0; phase < PHASE_COUNT; phase++) {
            if (isfinite(row->phase_ms[phase])) {
                json_line_number(&line, phase_names[phase], row->phase_ms[phase]);
            }
        }
        json_object_end(&line);
        json_line_string(&line, "commit", commit_name());
        json_line_string(&line, "machine", machine);
        if (row->watch != NULL) {
            json_loops(&line, &row->loops);
        }
        json_line_end(&line);
    }
}

static double fastest(const bench_race *race, bool peer)
{
    double best = INFINITY;
    for (uint32_t i = 0; i < race->count; i++) {
        const contestant *row = &race->contestants[i];
        best = row->peer == peer && !row->control && row->median_ms < best ? row->median_ms : best;
    }
    return best;
}

static void print_cell(printer *out, int width, int digits, double value)
{
    if (isfinite(value)) {
        printer_format(out, " %*.*f", width, digits, value);
    } else {
        printer_format(out, " %*s", width, "-");
    }
}

/* Time on one thread over that on all, of what raced in both forms; NAN: it did not. */
static double speed_up(const bench_race *race, const contestant *all)
{
    for (uint32_t i = 0; i < race->count && all->threads > 1; i++) {
        const contestant *row = &race->contestants[i];
        if (row->threads == 1 && strcmp(row->name, all->name) == 0) {
            return row->median_ms / all->median_ms;
        }
    }
    return NAN;
}

/* Of the methods that tell the parts of their search. */
static void report_phases(printer *out, const bench_race *race)
{
    for (uint32_t i = 0; i < race->count; i++) {
        const contestant *row = &race->contestants[i];
        if (row->threads != race->threads || !isfinite(row->phase_ms[PHASE_COUNT - 1])) {
            continue;
        }
        printer_format(out, "  %s:", row->name);
        for (int phase = 0; phase < PHASE_COUNT; phase++) {
            /* "refit_ms" without its unit; the search is the sum of its parts */
            if (phase != 1) {
                printer_format(out, " %.*s %.2f", (int)strcspn(phase_names[phase], "_"), phase_names[phase],
                               row->phase_ms[phase]);
            }
        }
        printer_format(out, " ms%s\n", row->threads > 1 ? " (the last three: of all threads together)" : "");
    }
}

/* By stage: time outside loops, its share of the whole step, time in loops, imbalance. */
static void report_loops(printer *out, const bench_race *race)
{
    for (uint32_t i = 0; i < race->count; i++) {
        const contestant *row = &race->contestants[i];
        const loop_summary *loops = &row->loops;
        if (row->watch == NULL) {
            continue;
        }
        printer_format(out, "  %s, %u workers%s: %7s %10s %8s %10s %10s\n", row->name, loops->workers,
                       row->threads > 1 ? "" : " (dealt)", "stage", "serial ms", "share", "in loops", "imbalance");
        for (int stage = 0; stage < STAGE_COUNT; stage++) {
            if (loops->serial_ms[stage] + loops->work_ms[stage] > 0) {
                printer_format(out, "    %-10s %10.4f %7.2f%% %10.4f", stage_names[stage], loops->serial_ms[stage],
                               100 * loop_serial_share(loops, stage), loops->work_ms[stage]);
                print_cell(out, 10, 3, loop_imbalance(loops, stage));
                printer_text(out, "\n");
            }
        }
        printer_format(out, "    speed-up that this allows: %.2f\n", loop_speed_up(loops));
    }
}

static void report_speed_ups(printer *out, const bench_race *race)
{
    double control = NAN;
    for (uint32_t i = 0; i < race->count; i++) {
        if (race->contestants[i].control && race->contestants[i].threads > 1) {
            control = speed_up(race, &race->contestants[i]);
        }
    }
    for (uint32_t i = 0; i < race->count && isfinite(control); i++) {
        const contestant *row = &race->contestants[i];
        double gained = speed_up(race, row);
        if (isfinite(gained) && !row->control) {
            printer_format(out, "  %s: speed-up %.2f on %u threads, %.2f of the control's %.2f\n", row->name, gained,
                           row->threads, gained / control, control);
        }
    }
}

/* What strands cost by the segment, where there is nothing but strands. The list of pairs is what was asked for. */
static void report_segments(printer *out, const bench_race *race)
{
    const bench_scene *scene = race->scene;
    for (uint32_t i = 0; i < race->count && scene->segment_count > 0 && scene->edge_count == scene->segment_count; i++) {
        const contestant *row = &race->contestants[i];
        if (row->peer || row->control) {
            continue;
        }
        double segments = scene->segment_count, pairs = (double)row->pairs;
        printer_format(out, "  %s: %.1f ns a segment, %.2f pairs a segment; at most %.1f bytes a segment, %.1f of them pairs\n",
                       row->name, 1e6 * row->median_ms / segments, pairs / segments, row->peak / segments,
                       sizeof(dent_pair) * pairs / segments);
    }
}

void report_table(printer *out, const bench_race *race)
{
    const bench_scene *scene = race->scene;
    static const char *const motions[] = {
        [BENCH_MOTION_DEFORM] = "", [BENCH_MOTION_REST] = "; at rest", [BENCH_MOTION_RIGID] = "; rigid motion"};
    char questions[64], hash[17];
    printer_format(
        out, "%s, %s: %u bodies, %u cells, %u vertices, %u surface faces; %u thread%s, %s; %u frames x %u%s%s%s\n",
        scene->name, questions_name(race->questions, questions, sizeof questions), scene->body_count, scene->cell_count,
        scene->used_count, scene->face_count, race->threads, race->threads == 1 ? "" : "s", dent_isa_name(race->isa),
        race->frames, race->repeat, race->cpu_time ? "; CPU time" : "", motions[scene->motion], scene->remark);
    hash_text(race->contestants[0].pairs_hash, hash);
    printer_format(out, "  %llu pairs in frame 0, hash %s\n", (unsigned long long)race->contestants[0].pairs, hash);
    double best = fastest(race, false), best_peer = fastest(race, true);
    best = best < best_peer ? best : best_peer;
    bool peers = isfinite(best_peer);
    printer_format(out, "  %-28s %10s %10s %10s %8s %9s %11s %9s %6s\n", "method", "median ms", "low", "high", "x best",
                   peers ? "vs peers" : "", "candidates", "MB", "alloc");
    for (uint32_t i = 0; i < race->count; i++) {
        const contestant *row = &race->contestants[i];
        char name[CONTESTANT_NAME_SIZE + 16];
        snprintf(name, sizeof name, "%s%s%s", row->peer ? "* " : "", row->name,
                 row->threads == race->threads ? "" : ", 1 thread");
        printer_format(out, "  %-28s", name);
        print_cell(out, 10, 3, row->median_ms);
        print_cell(out, 10, 3, row->low_ms);
        print_cell(out, 10, 3, row->high_ms);
        print_cell(out, 8, 2, row->control ? NAN : row->median_ms / best);
        if (peers && !row->control) {
            print_cell(out, 8, 2, best_peer / row->median_ms);
            printer_text(out, "x");
        } else {
            printer_format(out, " %9s", "");
        }
        print_cell(out, 11, 0, row->candidates);
        print_cell(out, 9, 1, row->peak / 1e6);
        print_cell(out, 6, 0, row->allocations);
        printer_format(out, "%s%s\n", row->setting[0] != '\0' ? "  " : "", row->setting);
    }
    printer_text(out, peers ? "  (* peer; vs peers: time of the fastest peer over this one's)\n" : "");
    report_segments(out, race);
    report_phases(out, race);
    report_loops(out, race);
    report_speed_ups(out, race);
    printer_text(out, "\n");
}

void report_csv_head(printer *out)
{
    printer_text(
        out,
        "machine,compiler,commit,clock,scene,question,method,peer,setting,threads,isa,scale,parameters,frames,repeat,"
        "bodies,vertices,cells,faces,median_ms,low_ms,high_ms,candidates,pairs,pairs_hash,peak_bytes,"
        "allocations");
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        printer_format(out, ",%s", phase_names[phase]);
    }
    printer_text(out, "\n");
}

/* An empty field is a number nobody knows. */
static void csv_number(printer *out, double value)
{
    if (isfinite(value)) {
        printer_format(out, ",%.9g", value);
    } else {
        printer_text(out, ",");
    }
}

/* "inside=0.2;amplitude=2": what --set was given. */
static void parameter_text(const bench_scene *scene, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < scene->setting_count && used < size; i++) {
        int length = snprintf(text + used, size - used, "%s%s=%g", i > 0 ? ";" : "", scene->settings[i].name,
                              scene->settings[i].value);
        used += length > 0 ? (size_t)length : 0;
    }
}

void report_csv(printer *out, const bench_race *race)
{
    const bench_scene *scene = race->scene;
    char machine[300], questions[64], hash[17], parameters[256];
    machine_name(machine, sizeof machine);
    parameter_text(scene, parameters, sizeof parameters);
    for (uint32_t i = 0; i < race->count; i++) {
        const contestant *row = &race->contestants[i];
        hash_text(row->pairs_hash, hash);
        printer_format(out, "%s,%s,%s,%s,%s,%s,%s,%s,%s,%u,%s,%.9g,%s,%u,%u,%u,%u,%u,%u", machine, compiler_name(),
                       commit_name(), race->cpu_time ? "processor" : "wall", scene->name,
                       questions_name(race->questions, questions, sizeof questions), row->name,
                       row->peer ? "true" : "false", row->setting, row->threads,
                       row->peer ? "native" : dent_isa_name(race->isa), scene->scale, parameters, race->frames,
                       race->repeat, scene->body_count, scene->used_count, scene->cell_count, scene->face_count);
        csv_number(out, row->median_ms);
        csv_number(out, row->low_ms);
        csv_number(out, row->high_ms);
        csv_number(out, row->candidates);
        printer_format(out, ",%llu,%s", (unsigned long long)row->pairs, hash);
        csv_number(out, row->peak);
        csv_number(out, row->allocations);
        for (int phase = 0; phase < PHASE_COUNT; phase++) {
            csv_number(out, row->phase_ms[phase]);
        }
        printer_text(out, "\n");
    }
}

void report_chart(bar_chart *chart, const bench_race *race)
{
    char questions[64], group[160];
    snprintf(group, sizeof group, "%s %s", race->scene->name,
             questions_name(race->questions, questions, sizeof questions));
    for (uint32_t i = 0; i < race->count; i++) {
        const contestant *row = &race->contestants[i];
        if (row->control || row->threads != race->threads) {
            continue; /* the table has them */
        }
        bar_chart_add(chart, group, row->name, row->peer, row->median_ms, row->low_ms, row->high_ms);
    }
}
