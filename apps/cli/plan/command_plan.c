/* command_plan.c — `dent plan`: a path of a robot, or of the linkage of a scene, that is proven free. */
#include "interrupt.h"
#include "json_output.h"
#include "plan_output.h"
#include "plan_stage.h"
#include "tool.h"

enum { DEFAULT_BUDGET = 10000 };

static int search(plan_stage *stage, dent_plan_result *result)
{
    tool_session *session = stage->session;
    uint64_t budget = options_have(session->options, OPTION_EDGES) ? session->options->budget : DEFAULT_BUDGET;
    progress_begin(&session->progress, "searching", 0);
    dent_status status = dent_planner_run(stage->planner, budget, interrupt_flag(), result);
    progress_end(&session->progress);
    return status == DENT_OK ? STATUS_GOOD : complain("plan: %s", session_message(session, status));
}

static const char *name_of(const plan_stage *stage, uint32_t body)
{
    return body < stage->body_count ? stage->bodies[body].shape.name : "";
}

static bool is_contact(const dent_plan_result *result)
{
    return result->verdict == DENT_PLAN_START_CONTACT || result->verdict == DENT_PLAN_GOAL_CONTACT;
}

static void print_json(printer *out, const plan_stage *stage, const dent_plan_result *result)
{
    json_line line = json_line_begin(out);
    json_line_string(&line, "verdict", dent_plan_verdict_name(result->verdict));
    json_line_integer(&line, "waypoints", result->waypoint_count);
    json_line_number(&line, "length", result->length);
    json_line_integer(&line, "edges", result->edges);
    json_line_number(&line, "ms", (double)result->ns * 1e-6);
    json_line_integer(&line, "edges_to_first", result->edges_to_first);
    json_line_number(&line, "ms_to_first", (double)result->ns_to_first * 1e-6);
    json_line_integer(&line, "milestones", result->milestones);
    if (is_contact(result)) {
        json_line_string(&line, "body_a", name_of(stage, result->body_a));
        json_line_string(&line, "body_b", name_of(stage, result->body_b));
    }
    json_line_end(&line);
}

static void print_path(printer *out, const plan_stage *stage, const dent_plan_result *result)
{
    for (uint32_t w = 0; w < result->waypoint_count; w++) {
        for (uint32_t v = 0; v < stage->value_count; v++) {
            printer_format(out, "%s%.17g", v > 0 ? "," : "", result->waypoints[(size_t)w * stage->value_count + v]);
        }
        printer_text(out, "\n");
    }
    printer_format(out, "found: %u waypoints, length %.6g; %llu edge tests, %.1f ms; the first path after %llu, %.1f ms\n",
                   result->waypoint_count, result->length, (unsigned long long)result->edges, (double)result->ns * 1e-6,
                   (unsigned long long)result->edges_to_first, (double)result->ns_to_first * 1e-6);
}

static int report(plan_stage *stage, const dent_plan_result *result)
{
    tool_session *session = stage->session;
    if (options_have(session->options, OPTION_JSON)) {
        print_json(session->out, stage, result);
    } else if (result->verdict == DENT_PLAN_FOUND) {
        print_path(session->out, stage, result);
    }
    printer_flush(session->out);
    if (is_contact(result)) {
        return complain("plan: at the %s '%s' and '%s' touch or overlap; --allow lets two bodies touch",
                        result->verdict == DENT_PLAN_START_CONTACT ? "start" : "goal", name_of(stage, result->body_a),
                        name_of(stage, result->body_b));
    }
    if (result->verdict != DENT_PLAN_FOUND) {
        return complain("plan: no path found in %llu edge tests; --budget and --seed may help",
                        (unsigned long long)result->edges);
    }
    return STATUS_GOOD;
}

static int run_plan(const tool_options *options, printer *out)
{
    tool_session session;
    plan_stage stage;
    plan_output output;
    dent_plan_result result;
    int status = session_open(&session, options, out);
    if (status != STATUS_GOOD) {
        return status;
    }
    stage.session = NULL;
    status = plan_output_name(&output, &session);
    status = status == STATUS_GOOD ? plan_stage_open(&stage, &session, options->arguments[0]) : status;
    status = status == STATUS_GOOD ? search(&stage, &result) : status;
    if (status == STATUS_GOOD && interrupt_seen() && result.verdict != DENT_PLAN_FOUND) {
        status = interrupt_report();
    } else if (status == STATUS_GOOD) {
        status = plan_output_write(&output, &stage, &result);
        int told = status == STATUS_GOOD ? report(&stage, &result) : status;
        status = told == STATUS_GOOD && interrupt_seen() ? interrupt_report() : told;
    }
    plan_stage_close(&stage);
    session_close(&session);
    return status;
}

const tool_command command_plan_row = {
    .name = "plan",
    .summary = "a path of a robot that is proven free of contact",
    .arguments = "[OPTION...] URDF|SCENE",
    .details =
        "Searches a path from the joint values --from to the joint values --to, past the obstacles and past the\n"
        "robot itself. Every edge of the path is certified: nothing touches at any time between two waypoints.\n"
        "Pairs of neighbouring links are not tested, as in dent ccd; SRDF files and --allow add others. A scene must have a\n"
        "linkage; it begins in its first frame and ends in its last one unless --from and --to say otherwise.\n"
        "\n"
        "VALUES are all joint values, or NAME=VALUE for some (NAME.K for the K-th value of a joint that has\n"
        "several); those not named are 0. Mimic joints follow. Values beyond a joint's limits are an error.\n"
        "--budget counts certified edge tests. What is left of it after the first path shortens the path.\n"
        "The same seed and budget give the same path for any number of threads.\n"
        "\n"
        "The waypoints are printed one per line. Exit status: 0 for a path, 2 for none, or for a start or a goal\n"
        "where something touches; the message names the two bodies.\n"
        "\n"
        "JSON keys: verdict (found, not_found, start_contact, goal_contact) waypoints length edges ms\n"
        "edges_to_first ms_to_first milestones; body_a body_b with the two contacts. Only ms and ms_to_first depend\n"
        "on the machine.\n",
    .option_bits = OPTIONS_OF_ROBOTS | OPTION_BIT(OPTION_PLANNER) | OPTION_BIT(OPTION_SEED) |
                   OPTION_BIT(OPTION_EDGES) | OPTIONS_OF_MACHINE | OPTION_BIT(OPTION_SCALE) | OPTION_BIT(OPTION_SET) |
                   OPTION_BIT(OPTION_PATH_OUT) | OPTION_BIT(OPTION_MEMORY_LIMIT) | OPTION_BIT(OPTION_JSON),
    .argument_min = 1,
    .argument_max = 1,
    .run = run_plan,
};
