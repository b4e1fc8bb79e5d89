/* ccd_motion.c — the first contact of a robot or of a scene of rigid bodies, and how it is printed. */
#include "ccd_motion.h"

#include "interrupt.h"
#include "json_output.h"
#include "load_world.h"
#include "motion_stage.h"
#include "robot_input.h"
#include "tool.h"

#include <math.h>
#include <string.h>

enum { FEATURE_SIZE = 64 };

/* ---- printing -------------------------------------------------------------------------------------------- */

static const char *body_name(const motion_stage *stage, uint32_t body_index)
{
    return dent_body_name(stage->world, dent_world_body_at(stage->world, body_index));
}

/* Features are numbered as those of impacts are. */
static void print_feature(const motion_stage *stage, const dent_motion_contact *contact, bool side_b, char *text)
{
    dent_impact impact = {.kind = contact->kind,
                          .body_a = contact->body_a,
                          .feature_a = contact->feature_a,
                          .body_b = contact->body_b,
                          .feature_b = contact->feature_b};
    dent_impact_feature_print(stage->world, &impact, side_b, text, FEATURE_SIZE);
}

static void print_contact(printer *out, const motion_stage *stage, const dent_motion_contact *contact)
{
    char a[FEATURE_SIZE], b[FEATURE_SIZE];
    print_feature(stage, contact, false, a);
    print_feature(stage, contact, true, b);
    printer_format(out, "%s %u %s %u %s %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n",
                   dent_impact_kind_name((dent_impact_kind)contact->kind), contact->body_a, a, contact->body_b, b,
                   contact->separation, contact->point_a[0], contact->point_a[1], contact->point_a[2],
                   contact->normal[0], contact->normal[1], contact->normal[2]);
}

static void print_pair(printer *out, const motion_stage *stage, const dent_motion_impact_result *result)
{
    printer_format(out, "bodies %u ", result->body_a);
    printer_name(out, body_name(stage, result->body_a));
    printer_format(out, " and %u ", result->body_b);
    printer_name(out, body_name(stage, result->body_b));
}

/* The tolerance is that of the first pair of bodies. Two kinds of contacts may be farther apart: those of larger
 * bodies, whose own tolerance is larger; and at a start that crosses the nearest features of faces that cross
 * deeper. */
static void print_contact_count(printer *out, const dent_motion_impact_result *result)
{
    uint64_t near = 0;
    for (uint64_t i = 0; i < result->contact_count; i++) {
        near += result->contacts[i].separation <= result->tolerance;
    }
    printer_format(out, "; %llu contacts nearer than %.3g", (unsigned long long)near, result->tolerance);
    if (near < result->contact_count) {
        printer_format(out, ", %llu %s", (unsigned long long)(result->contact_count - near),
                       result->initial ? "nearest features of faces that cross, or of larger bodies"
                                       : "within the tolerance of larger bodies");
    }
    printer_text(out, "\n");
}

static void print_verdict(printer *out, const motion_stage *stage, const dent_motion_impact_result *result)
{
    switch (result->verdict) {
    case DENT_MOTION_FREE:
        printer_text(out, "free: nothing touches\n");
        return;
    case DENT_MOTION_UNDECIDED:
        printer_format(out, "undecided: nothing touches before t = %.17g\n", result->t_lo);
        return;
    case DENT_MOTION_CONTACT:
        break;
    }
    printer_format(out, result->initial ? "the start already touches, time %.17g: " : "first contact at t = %.17g: ",
                   result->t_lo);
    print_pair(out, stage, result);
    print_contact_count(out, result);
}

/* Null where there is none. */
static void json_body(json_line *line, const char *key, const motion_stage *stage, bool there, uint32_t body_index)
{
    if (there) {
        json_line_string(line, key, body_name(stage, body_index));
    } else {
        json_line_number(line, key, INFINITY);
    }
}

/* The time of impact is the certified one, which is never late. */
static void print_json(printer *out, const motion_stage *stage, const dent_motion_impact_result *result)
{
    const dent_motion_counters *counters = &result->counters;
    bool contact = result->verdict == DENT_MOTION_CONTACT;
    json_line line = json_line_begin(out);
    json_line_string(&line, "verdict", dent_motion_verdict_name(result->verdict));
    json_line_integer(&line, "pairs", result->contact_count);
    json_line_number(&line, "toi", contact ? result->t_lo : INFINITY);
    json_line_integer(&line, "candidates", counters->face_tests);
    json_line_number(&line, "ms", (double)(counters->ns_prepare + counters->ns_search + counters->ns_finish) * 1e-6);
    json_line_number(&line, "t_lo", result->t_lo);
    json_line_number(&line, "t_hi", result->t_hi);
    json_body(&line, "body_a", stage, contact, result->body_a);
    json_body(&line, "body_b", stage, contact, result->body_b);
    json_line_integer(&line, "contacts", result->contact_count);
    json_line_number(&line, "tolerance", result->tolerance);
    if (result->initial) {
        json_line_boolean(&line, "start_touches", true);
    }
    json_line_end(&line);
}

static void print_statistics(const dent_motion_counters *counters)
{
    remark("%llu pairs of bodies, %llu of them apart by their first volumes; %llu pairs of volumes and %llu of faces "
           "compared, %llu pieces of time; %llu hierarchies built, %llu bytes scratch",
           (unsigned long long)counters->body_pairs, (unsigned long long)counters->body_pairs_apart,
           (unsigned long long)counters->volume_tests, (unsigned long long)counters->face_tests,
           (unsigned long long)counters->time_pieces, (unsigned long long)counters->trees_built,
           (unsigned long long)counters->scratch_bytes);
    remark("%.3f ms prepare, %.3f ms search, %.3f ms finish", (double)counters->ns_prepare * 1e-6,
           (double)counters->ns_search * 1e-6, (double)counters->ns_finish * 1e-6);
}

/* ---- the run --------------------------------------------------------------------------------------------- */

/* A tolerance that is not the one asked for is told. */
static void tell_tolerance(const tool_options *options, const dent_motion_impact_result *result)
{
    if (!options_have(options, OPTION_MOTION_TOLERANCE) || !(result->tolerance > options->tolerance)) {
        return;
    }
    if (options->tolerance == 0) {
        remark("--tolerance 0 stands for the default, 1e-6 of the size of two bodies: %.3g was used",
               result->tolerance);
    } else {
        remark("--tolerance %.3g is below the resolution at this size (2^-28 of it): %.3g was used",
               options->tolerance, result->tolerance);
    }
}

static int report(tool_session *session, const motion_stage *stage, const dent_motion_impact_result *result)
{
    const tool_options *options = session->options;
    if (options_have(options, OPTION_JSON)) {
        print_json(session->out, stage, result);
    } else {
        for (uint64_t i = 0; i < result->contact_count && !options_have(options, OPTION_COUNT_ONLY); i++) {
            print_contact(session->out, stage, &result->contacts[i]);
        }
        print_verdict(session->out, stage, result);
    }
    printer_flush(session->out);
    tell_tolerance(options, result);
    if (options_have(options, OPTION_STATS)) {
        print_statistics(&result->counters);
    }
    if (result->verdict == DENT_MOTION_UNDECIDED) {
        printer_flush(session->out);
        return complain("ccd: undecided: the search was given up; nothing touches before t = %.9g", result->t_lo);
    }
    return result->verdict == DENT_MOTION_CONTACT ? STATUS_FOUND : STATUS_GOOD;
}

static int ask(tool_session *session, const motion_stage *stage)
{
    dent_motion_impact_def def = motion_stage_def(stage);
    dent_motion_impact_result result;
    def.tolerance = session->options->tolerance;
    def.cancel = interrupt_flag();
    progress_begin(&session->progress, "searching", 0);
    dent_status status = dent_world_motion_impact(stage->world, &def, &result);
    progress_end(&session->progress);
    if (status != DENT_OK) {
        return complain("ccd: %s", dent_world_message(stage->world));
    }
    if (interrupt_seen()) {
        return interrupt_report();
    }
    return report(session, stage, &result);
}

/* Options that would be without effect. */
static int refuse_options(const tool_options *options, bool is_robot)
{
    if (options_have(options, OPTION_SEPARATION) || options_have(options, OPTION_METHOD) ||
        options_have(options, OPTION_MERGE) || options_have(options, OPTION_NO_SELF)) {
        return complain("ccd: --separation, --method, --merge and --no-self are for two frames of mesh files");
    }
    if (is_robot && ((options->given & (OPTIONS_OF_SCENES | OPTION_BIT(OPTION_TO_FRAME))) != 0 ||
                     options_have(options, OPTION_MOTION))) {
        return complain("ccd: --frame, --to-frame, --scale, --set and --motion are for built-in scenes; joints move as "
                        "they are made");
    }
    if (!is_robot && (options->given & OPTIONS_OF_ROBOTS) != 0) {
        return complain("ccd: --from, --to, --obstacle, --package-path, --skip-missing, --no-limits, --allow and --srdf are "
                        "for robots (.urdf)");
    }
    return STATUS_GOOD;
}

int ccd_of_motion(tool_session *session)
{
    const char *name = session->options->arguments[0];
    bool is_robot = names_a_robot(name);
    motion_stage stage;
    int failed = refuse_options(session->options, is_robot);
    if (failed) {
        return failed;
    }
    failed = motion_stage_open(&stage, session);
    if (!failed) {
        failed =
            is_robot ? motion_stage_add_robot(&stage, session, name) : motion_stage_add_scene(&stage, session, name);
    }
    int status = failed ? failed : ask(session, &stage);
    motion_stage_close(&stage);
    return status;
}
