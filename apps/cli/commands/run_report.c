/* run_report.c — lines of a run. Energies and forces of the text are in joule and newton whatever the scene measures
 * in; JSON keeps the scene's own units. */
#include "run_report.h"

#include "json_output.h"
#include "run_probes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_LINES = 20, PAIRS_SHOWN = 20 };

static double in_joule(const run_report *report, double energy)
{
    double length = report->facts.length_in_metres, time = report->facts.time_in_seconds;
    return energy * report->facts.mass_in_kilograms * (length * length) / (time * time);
}

static double in_newton(const run_report *report, double force)
{
    double time = report->facts.time_in_seconds;
    return force * report->facts.mass_in_kilograms * report->facts.length_in_metres / (time * time);
}

static const char *body_name(const run_report *report, uint32_t body)
{
    dent_sim_body_info info;
    return dent_sim_body(dent_sim_scene_sim(report->scene), body, &info) ? info.name : "?";
}

static void print_head(const run_report *report)
{
    printer *out = report->session->out;
    const dent_sim *sim = dent_sim_scene_sim(report->scene);
    dent_sim_statistics statistics = dent_sim_get_statistics(sim);
    printer_name(out, report->facts.name);
    printer_format(out, ": %u bodies, %llu elements; frames of %g s in %u steps; lengths in %s\n\n",
                   dent_sim_body_count(sim), (unsigned long long)statistics.elements,
                   report->facts.steps_per_frame * report->facts.time_step * report->facts.time_in_seconds,
                   report->facts.steps_per_frame, report->facts.length_unit);
    printer_format(out, "%6s %9s %9s %12s %11s %11s %10s %10s %10s\n", "frame", "time s", "contacts", "push",
                   "kinetic J", "elastic J", "detect ms", "respond ms", "total ms");
}

void run_report_open(run_report *report, tool_session *session, const dent_sim_scene *scene, uint32_t first_frame,
                     uint32_t frame_count)
{
    memset(report, 0, sizeof *report);
    report->session = session;
    report->scene = scene;
    report->facts = dent_sim_scene_get_facts(scene);
    report->json = options_have(session->options, OPTION_JSON);
    report->first_frame = first_frame;
    report->frame_count = frame_count;
    report->totals.deepest_a = report->totals.deepest_b = UINT32_MAX;
    if (!report->json) {
        print_head(report);
    }
}

void run_report_close(run_report *report)
{
    if (report->session != NULL) {
        dent_release(report->session->context, report->pairs, report->pair_capacity, sizeof *report->pairs);
        report->session = NULL;
    }
}

/* ---- pairs of bodies ------------------------------------------------------------------------------------- */

/* The record of a pair, made when it is new; null: out of memory. Contacts of a pair come one after the other, so the
 * last one is tried first. */
static pair_record *find_pair(run_report *report, uint32_t body_a, uint32_t body_b, uint32_t *last)
{
    for (uint32_t step = 0; step < report->pair_count; step++) {
        uint32_t i = (*last + step) % report->pair_count;
        if (report->pairs[i].body_a == body_a && report->pairs[i].body_b == body_b) {
            *last = i;
            return &report->pairs[i];
        }
    }
    if (report->pair_count == report->pair_capacity) {
        dent_context *context = report->session->context;
        uint32_t capacity = report->pair_capacity > 0 ? 2 * report->pair_capacity : 64;
        pair_record *larger = dent_allocate(context, capacity, sizeof *larger);
        if (larger == NULL) {
            return NULL;
        }
        if (report->pair_count > 0) {
            memcpy(larger, report->pairs, report->pair_count * sizeof *larger);
        }
        dent_release(context, report->pairs, report->pair_capacity, sizeof *larger);
        report->pairs = larger;
        report->pair_capacity = capacity;
    }
    *last = report->pair_count;
    pair_record *pair = &report->pairs[report->pair_count++];
    *pair = (pair_record){.body_a = body_a, .body_b = body_b};
    return pair;
}

bool run_report_note_step(run_report *report)
{
    uint64_t count;
    uint32_t last = 0;
    const dent_sim_contact *contacts = dent_sim_contacts(dent_sim_scene_sim(report->scene), &count);
    for (uint32_t i = 0; i < report->pair_count; i++) {
        report->pairs[i].contacts = 0;
        memset(report->pairs[i].force, 0, sizeof report->pairs[i].force);
    }
    for (uint64_t i = 0; i < count; i++) {
        const dent_sim_contact *contact = &contacts[i];
        bool rotated = contact->body_a > contact->body_b;
        pair_record *pair = find_pair(report, rotated ? contact->body_b : contact->body_a,
                                      rotated ? contact->body_a : contact->body_b, &last);
        if (pair == NULL) {
            return false;
        }
        pair->contacts++;
        push_scale_add(&pair->push, -contact->gap, contact->error);
        for (int axis = 0; axis < 3; axis++) {
            pair->force[axis] += rotated ? -contact->force[axis] : contact->force[axis];
        }
    }
    for (uint32_t i = 0; i < report->pair_count; i++) {
        pair_record *pair = &report->pairs[i];
        double force =
            sqrt((pair->force[0] * pair->force[0] + pair->force[1] * pair->force[1]) + pair->force[2] * pair->force[2]);
        pair->largest_force = force > pair->largest_force ? force : pair->largest_force;
        pair->most_contacts = pair->contacts > pair->most_contacts ? pair->contacts : pair->most_contacts;
    }
    return true;
}

/* ---- frames ---------------------------------------------------------------------------------------------- */

static void print_json(const run_report *report, const frame_record *record)
{
    json_line line = json_line_begin(report->session->out);
    json_line_integer(&line, "frame", record->frame);
    json_line_number(&line, "time", record->time);
    json_line_integer(&line, "contacts", record->contacts);
    json_line_number(&line, "max_penetration", record->penetration.push);
    json_line_number(&line, "kinetic", record->kinetic);
    json_line_number(&line, "elastic", record->elastic);
    json_line_number(&line, "outer_work", record->outer_work);
    json_line_number(&line, "residual", record->residual);
    json_line_number(&line, "stiffness", record->stiffness);
    json_line_number(&line, "ms_detect", record->ms_detect);
    json_line_number(&line, "ms_respond", record->ms_respond);
    json_line_number(&line, "ms_total", record->ms_total);
    run_probes_print(dent_sim_scene_sim(report->scene), &line);
    json_line_end(&line);
}

/* About twenty lines, the last frame among them. */
static bool is_shown(const run_report *report, uint32_t frame)
{
    uint32_t frames = report->frame_count - report->first_frame + 1, step = (frames + TEXT_LINES - 1) / TEXT_LINES;
    return frame == report->frame_count || (frame - report->first_frame + 1) % step == 0;
}

/* The smaller mean edge of the two bodies of the largest push; 0 when there are none. */
static double smaller_edge(const run_report *report, const frame_record *record)
{
    dent_sim_body_info a, b;
    const dent_sim *sim = dent_sim_scene_sim(report->scene);
    if (!dent_sim_body(sim, record->deepest_a, &a) || !dent_sim_body(sim, record->deepest_b, &b)) {
        return 0;
    }
    return a.mean_edge < b.mean_edge ? a.mean_edge : b.mean_edge;
}

void run_report_frame(run_report *report, const frame_record *record)
{
    frame_record *totals = &report->totals;
    totals->ms_detect += record->ms_detect;
    totals->ms_respond += record->ms_respond;
    totals->ms_elastic += record->ms_elastic;
    totals->ms_total += record->ms_total;
    totals->contacts = record->contacts > totals->contacts ? record->contacts : totals->contacts;
    totals->time = record->time;
    const push_scale *push = &record->penetration;
    double edge = smaller_edge(report, record);
    if (edge > 0 && push_scale_add(&report->share, push->push / edge, push->error / edge)) {
        report->deepest_frame = record->frame;
        totals->penetration = record->penetration;
        totals->deepest_a = record->deepest_a;
        totals->deepest_b = record->deepest_b;
    }
    printer *out = report->session->out;
    progress_lock(&report->session->progress);
    if (report->json) {
        print_json(report, record);
    } else if (is_shown(report, record->frame)) {
        printer_format(out, "%6u %9.4g %9llu %12.4g %11.3e %11.3e %10.3f %10.3f %10.3f\n", record->frame,
                       record->time * report->facts.time_in_seconds, (unsigned long long)record->contacts,
                       record->penetration.push, in_joule(report, record->kinetic), in_joule(report, record->elastic),
                       record->ms_detect, record->ms_respond, record->ms_total);
    }
    printer_flush(out); /* who follows the run sees each frame when it is there */
    progress_unlock(&report->session->progress);
}

void run_report_note(const run_report *report, const frame_record *record, char *text, size_t size)
{
    snprintf(text, size, "%llu contacts, push %.3g %s, %.3g J; detect %.0f, respond %.0f, elastic %.0f of %.0f ms",
             (unsigned long long)record->contacts, record->penetration.push, report->facts.length_unit,
             in_joule(report, record->kinetic + record->elastic), record->ms_detect, record->ms_respond,
             record->ms_elastic, record->ms_total);
}

/* ---- the end --------------------------------------------------------------------------------------------- */

static void print_pairs(run_report *report)
{
    printer *out = report->session->out;
    uint32_t shown = report->pair_count < PAIRS_SHOWN ? report->pair_count : PAIRS_SHOWN;
    if (report->pair_count == 0) {
        printer_text(out, "\nno contacts\n");
        return;
    }
    printer_format(out, "\n%-44s %10s %12s %12s\n", "bodies that met", "most at once", "largest push", "most force N");
    for (uint32_t line = 0; line < shown; line++) {
        /* The strongest of those left goes to the front; this is done once. */
        uint32_t best = line;
        for (uint32_t i = line + 1; i < report->pair_count; i++) {
            best = report->pairs[i].largest_force > report->pairs[best].largest_force ? i : best;
        }
        pair_record strongest = report->pairs[best], *pair = &report->pairs[line];
        report->pairs[best] = *pair;
        *pair = strongest;
        char names[128];
        snprintf(names, sizeof names, "%.50s - %.50s", body_name(report, pair->body_a),
                 pair->body_a == pair->body_b ? "itself" : body_name(report, pair->body_b));
        plain_line(names);
        printer_format(out, "%-44s %12llu %12.4g %12.4g\n", names, (unsigned long long)pair->most_contacts,
                       pair->push.push, in_newton(report, pair->largest_force));
    }
    if (report->pair_count > shown) {
        printer_format(out, "... and %u more pairs\n", report->pair_count - shown);
    }
}

void run_report_end(run_report *report)
{
    printer *out = report->session->out;
    const frame_record *totals = &report->totals;
    if (report->json) {
        return;
    }
    print_pairs(report);
    if (totals->deepest_a != UINT32_MAX) {
        const push_scale *push = &totals->penetration;
        printer_format(out, "\nlargest push: %.4g %s", push->push, report->facts.length_unit);
        if (push->error > 1e-3 * push->push) { /* else it is rounding */
            printer_format(out, " ± %.2g %s", push->error, report->facts.length_unit);
        }
        printer_format(out, ", %.2g %% of the mean edge (", 100 * report->share.push);
        printer_name(out, body_name(report, totals->deepest_a));
        printer_text(out, " - ");
        printer_name(out, body_name(report, totals->deepest_b));
        printer_format(out, ", frame %u)\n", report->deepest_frame);
    } else {
        printer_text(out, "\nlargest push: none\n");
    }
    double story = (double)(report->frame_count - report->first_frame + 1) * report->facts.steps_per_frame *
                   report->facts.time_step * report->facts.time_in_seconds;
    double seconds = totals->ms_total / 1000, whole = totals->ms_total > 0 ? totals->ms_total : 1;
    printer_format(
        out, "simulated %.3g s in %.3g s, %.3g of real time; detection %.0f %%, response %.0f %%, elasticity %.0f %%\n",
        story, seconds, seconds > 0 ? story / seconds : 0, 100 * totals->ms_detect / whole,
        100 * totals->ms_respond / whole, 100 * totals->ms_elastic / whole);
}
