/* command_ccd.c — `dent ccd`: what meets between two frames, or in all intervals of an animation, and when first?
 *
 * Both frames are files with the same bodies; every vertex moves on a straight line from one to the other. First it is
 * asked whether the first frame crosses already: then the time is 0, whatever comes later. The pairs that meet are
 * listed either way.
 *
 * A series is gone through once, in one world: the positions of a frame are kept until the next one has been read, so that
 * the library refits what it has built for the interval before. */
#include "ccd_motion.h"
#include "interrupt.h"
#include "json_output.h"
#include "load_world.h"
#include "robot_input.h"
#include "series.h"
#include "tool.h"

#include <dent/frames.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEATURE_SIZE = 64, PAIRS_PER_POLL = 1024 };

typedef struct ccd_answer {
    dent_initial_state start;
    dent_impact_result impacts;
    const dent_impact *first; /* null: none */
    uint64_t vertex_face;     /* of the impacts */
    uint64_t start_ns;
    const frame_facts *interval; /* of a series: the frame it begins with; null: two frames */
    const char *names;           /* of a series: of the bodies in that frame, one behind the other */
} ccd_answer;

/* ---- the two frames -------------------------------------------------------------------------------------- */

/* Says what differs, in one line. */
static int complain_about_topology(const char *name0, const dent_mesh *mesh0, const char *name1, const dent_mesh *mesh1)
{
    if (mesh0->body_count != mesh1->body_count) {
        return complain("ccd: the frames do not belong together: %s has %u bodies, %s has %u", name0, mesh0->body_count,
                        name1, mesh1->body_count);
    }
    for (uint32_t i = 0; i < mesh0->body_count; i++) {
        const dent_mesh_body *a = &mesh0->bodies[i], *b = &mesh1->bodies[i];
        if (a->kind != b->kind) {
            return complain("ccd: the frames do not belong together: body %u is made of %ss in %s and of %ss in %s", i,
                            dent_body_kind_get_info(a->kind)->element_name, name0,
                            dent_body_kind_get_info(b->kind)->element_name, name1);
        }
        if (a->vertex_count != b->vertex_count || a->element_count != b->element_count) {
            return complain("ccd: the frames do not belong together: body %u has %u vertices and %u elements in %s, %u "
                            "and %u in %s",
                            i, a->vertex_count, a->element_count, name0, b->vertex_count, b->element_count, name1);
        }
    }
    return complain("ccd: the frames do not belong together: %s and %s have different elements", name0, name1);
}

static int read_end(tool_session *session, const char *name, dent_mesh **mesh)
{
    dent_mesh_read_def def = dent_mesh_read_def_default();
    def.merge = options_have(session->options, OPTION_MERGE);
    progress_begin(&session->progress, "reading the second frame", 0);
    interrupt_at_once(true);
    dent_status status = dent_mesh_read(session->context, name, &def, mesh);
    interrupt_at_once(false);
    progress_end(&session->progress);
    session_forget_notices(session); /* the first frame had the same */
    if (status != DENT_OK) {
        const char *message = session_message(session, status);
        return strstr(message, name) != NULL ? complain("%s", message) : complain("%s: %s", name, message);
    }
    return STATUS_GOOD;
}

static int place_bodies(const loaded_world *loaded, const dent_mesh *start, const dent_mesh *end)
{
    for (uint32_t i = 0; i < loaded->body_count; i++) {
        dent_positions positions_t0 = dent_positions_double(start->bodies[i].positions);
        dent_positions positions_t1 = dent_positions_double(end->bodies[i].positions);
        if (dent_body_set_positions(loaded->world, loaded->bodies[i].id, &positions_t0, &positions_t1) != DENT_OK) {
            return complain("ccd: %s", dent_world_message(loaded->world));
        }
    }
    return STATUS_GOOD;
}

/* ---- printing -------------------------------------------------------------------------------------------- */

/* With the numbers of the file. */
static void print_feature(const loaded_world *loaded, const dent_impact *impact, bool side_b, char *text)
{
    const loaded_body *body = &loaded->bodies[side_b ? impact->body_b : impact->body_a];
    char own[FEATURE_SIZE], rest[FEATURE_SIZE] = "";
    unsigned first, second;
    dent_impact_feature_print(loaded->world, impact, side_b, own, sizeof own);
    if (impact->kind == DENT_IMPACT_EDGE_EDGE) {
        if (body->vertex_numbers != NULL && sscanf(own, "%u-%u", &first, &second) == 2) {
            unsigned a = body->vertex_numbers[first], b = body->vertex_numbers[second];
            snprintf(own, sizeof own, "%u-%u", a < b ? a : b, a < b ? b : a);
        }
    } else if (sscanf(own, "%u%63s", &first, rest) >= 1) {
        const uint32_t *numbers = side_b ? body->element_numbers : body->vertex_numbers;
        snprintf(own, sizeof own, "%u%.40s", numbers != NULL ? numbers[first] : first, rest);
    }
    memcpy(text, own, sizeof own);
}

/* Lines of a series begin with the interval. */
static void print_interval(printer *out, const ccd_answer *answer)
{
    if (answer->interval != NULL) {
        printer_format(out, "%llu ", (unsigned long long)answer->interval->number);
    }
}

static void print_impact(printer *out, const loaded_world *loaded, const ccd_answer *answer, const dent_impact *impact)
{
    char a[FEATURE_SIZE], b[FEATURE_SIZE];
    print_interval(out, answer);
    print_feature(loaded, impact, false, a);
    print_feature(loaded, impact, true, b);
    printer_format(out, "%s %u %s %u %s %.17g %.17g %.17g %.17g %.17g %.17g\n",
                   dent_impact_kind_name((dent_impact_kind)impact->kind), impact->body_a, a, impact->body_b, b,
                   impact->toi, impact->u, impact->v, impact->normal[0], impact->normal[1], impact->normal[2]);
}

static void print_list(tool_session *session, const loaded_world *loaded, const ccd_answer *answer)
{
    const dent_impact_result *result = &answer->impacts;
    progress_begin(&session->progress, "printing", result->count);
    for (uint64_t i = 0; i < result->count; i++) {
        if (i % PAIRS_PER_POLL == 0) {
            progress_set(&session->progress, i, result->count);
            if (interrupt_seen() || printer_failed(session->out)) {
                break;
            }
        }
        print_impact(session->out, loaded, answer, &result->impacts[i]);
    }
    printer_flush(session->out);
    progress_end(&session->progress);
}

/* The name of a body at the start. */
static const char *body_name(const loaded_world *loaded, const ccd_answer *answer, uint32_t body)
{
    const char *name = answer->names;
    for (uint32_t i = 0; i < body && name != NULL; i++) {
        name += strlen(name) + 1;
    }
    return name != NULL ? name : loaded->bodies[body].name;
}

static void print_start(printer *out, const loaded_world *loaded, const ccd_answer *answer)
{
    const dent_initial_state *start = &answer->start;
    if (!start->crosses) {
        return;
    }
    print_interval(out, answer);
    printer_text(out, "the start already crosses, time 0: ");
    if (start->crossings > 0) {
        printer_format(out, "%llu pairs of faces cross, the first in bodies %u ", (unsigned long long)start->crossings,
                       start->body_a);
    } else {
        dent_body_kind a = loaded->bodies[start->body_a].kind, b = loaded->bodies[start->body_b].kind;
        printer_format(out, "%s of bodies %u ",
                       a == DENT_BODY_STRANDS || b == DENT_BODY_STRANDS ? "a strand of one penetrates the other"
                       : a == DENT_BODY_POINTS || b == DENT_BODY_POINTS ? "a point of one penetrates the other"
                                                                        : "one lies inside the other",
                       start->body_a);
    }
    printer_text(out, body_name(loaded, answer, start->body_a));
    printer_format(out, " and %u ", start->body_b);
    printer_text(out, body_name(loaded, answer, start->body_b));
    printer_text(out, "\n");
}

static void print_verdict(tool_session *session, const loaded_world *loaded, const ccd_answer *answer)
{
    printer *out = session->out;
    double separation = session->options->separation;
    print_start(out, loaded, answer);
    print_interval(out, answer);
    if (answer->first == NULL) {
        printer_text(out, separation > 0 ? "nothing comes that near\n" : "no impact\n");
        return;
    }
    char a[FEATURE_SIZE], b[FEATURE_SIZE];
    const dent_impact *first = answer->first;
    bool faces = first->kind == DENT_IMPACT_VERTEX_FACE;
    print_feature(loaded, first, false, a);
    print_feature(loaded, first, true, b);
    printer_format(out,
                   "first %s%s at t = %.17g: %s %s of body %u, %s %s of body %u; %llu pairs, %llu vertex-face and %llu "
                   "edge-edge\n",
                   answer->start.crosses ? "new " : "", separation > 0 ? "nearness" : "impact", first->toi,
                   faces ? "vertex" : "edge", a, first->body_a, faces ? "face" : "edge", b, first->body_b,
                   (unsigned long long)answer->impacts.count, (unsigned long long)answer->vertex_face,
                   (unsigned long long)(answer->impacts.count - answer->vertex_face));
}

static double milliseconds(const dent_impact_counters *counters)
{
    return (double)(counters->ns_prepare + counters->ns_search + counters->ns_finish) * 1e-6;
}

static void print_json(printer *out, const ccd_answer *answer)
{
    json_line line = json_line_begin(out);
    if (answer->interval != NULL) {
        json_line_integer(&line, "frame", answer->interval->number);
        json_line_string(&line, "file", answer->interval->file);
    }
    json_line_integer(&line, "pairs", answer->impacts.count);
    /* Infinity is written as null: nothing ever meets. */
    json_line_number(&line, "toi", answer->start.crosses ? 0 : answer->first != NULL ? answer->first->toi : INFINITY);
    json_line_integer(&line, "candidates", answer->impacts.counters.candidates);
    json_line_number(&line, "ms", milliseconds(&answer->impacts.counters));
    if (answer->start.crosses) {
        json_line_boolean(&line, "start_crosses", true);
    }
    json_line_end(&line);
}

static void print_statistics(tool_session *session, const loaded_world *loaded, const ccd_answer *answer)
{
    const dent_impact_counters *counters = &answer->impacts.counters;
    remark("%llu pairs, pairs_hash %016llx, method %s (%s), %u threads, isa %s",
           (unsigned long long)answer->impacts.count,
           (unsigned long long)dent_impact_hash(loaded->world, answer->impacts.impacts, answer->impacts.count),
           dent_method_name(counters->method), counters->reason, dent_context_worker_count(session->context),
           dent_isa_name(dent_context_isa(session->context)));
    remark("%llu features, %llu box tests, %llu candidates: %llu apart on an axis, %llu never coplanar, %llu apart on "
           "a free axis, %llu decided "
           "in double, %llu exactly; %llu bytes scratch",
           (unsigned long long)counters->features, (unsigned long long)counters->box_tests,
           (unsigned long long)counters->candidates, (unsigned long long)counters->rejected_by_axes,
           (unsigned long long)counters->rejected_by_cubic, (unsigned long long)counters->rejected_by_free_axis,
           (unsigned long long)counters->decided_in_double, (unsigned long long)counters->decided_exactly,
           (unsigned long long)counters->scratch_bytes);
    remark("%.3f ms to test the start; %.3f ms prepare, %.3f ms search, %.3f ms finish",
           (double)answer->start_ns * 1e-6, (double)counters->ns_prepare * 1e-6, (double)counters->ns_search * 1e-6,
           (double)counters->ns_finish * 1e-6);
}

/* ---- the run --------------------------------------------------------------------------------------------- */

static int ask(tool_session *session, const loaded_world *loaded, ccd_answer *answer)
{
    const tool_options *options = session->options;
    dent_impact_def def = dent_impact_def_default();
    def.method = options->method;
    def.separation = options->separation;
    def.cancel = interrupt_flag();
    uint64_t began = dent_clock_ns();
    progress_begin(&session->progress, "testing the start", 0);
    dent_status status = dent_world_initial_state(loaded->world, &def, &answer->start);
    answer->start_ns = dent_clock_ns() - began;
    if (status == DENT_OK && answer->start.outcome == DENT_OUTCOME_COMPLETE) {
        progress_begin(&session->progress, "searching", 0);
        status = dent_world_impacts(loaded->world, &def, &answer->impacts);
    }
    progress_end(&session->progress);
    if (status != DENT_OK) {
        return complain("ccd: %s", dent_world_message(loaded->world));
    }
    if (interrupt_seen()) {
        return interrupt_report();
    }
    if (answer->start.outcome != DENT_OUTCOME_COMPLETE || answer->impacts.outcome != DENT_OUTCOME_COMPLETE) {
        return complain("ccd: the answer is not complete");
    }
    for (uint64_t i = 0; i < answer->impacts.count; i++) {
        const dent_impact *impact = &answer->impacts.impacts[i];
        answer->first = answer->first == NULL || impact->toi < answer->first->toi ? impact : answer->first;
        answer->vertex_face += impact->kind == DENT_IMPACT_VERTEX_FACE;
    }
    return STATUS_GOOD;
}

static int leave_out_self_pairs(const loaded_world *loaded)
{
    for (uint32_t i = 0; i < loaded->body_count; i++) {
        if (dent_body_set_filter(loaded->world, loaded->bodies[i].id, 1, UINT32_MAX, false) != DENT_OK) {
            return complain("ccd: %s", dent_world_message(loaded->world));
        }
    }
    return STATUS_GOOD;
}

static int report(tool_session *session, const loaded_world *loaded, const ccd_answer *answer)
{
    const tool_options *options = session->options;
    if (options_have(options, OPTION_JSON)) {
        print_json(session->out, answer);
    } else {
        if (!options_have(options, OPTION_COUNT_ONLY)) {
            print_list(session, loaded, answer);
        }
        if (interrupt_seen()) {
            return interrupt_report();
        }
        print_verdict(session, loaded, answer);
    }
    if (options_have(options, OPTION_STATS)) {
        printer_flush(session->out);
        if (answer->interval != NULL) {
            remark("interval from frame %llu, %s", (unsigned long long)answer->interval->number, answer->interval->file);
        }
        print_statistics(session, loaded, answer);
    }
    return answer->start.crosses || answer->impacts.count > 0 ? STATUS_FOUND : STATUS_GOOD;
}

static int compare_frames(tool_session *session, loaded_world *loaded)
{
    const char *name0 = session->options->arguments[0], *name1 = session->options->arguments[1];
    ccd_answer answer;
    dent_mesh *end = NULL;
    memset(&answer, 0, sizeof answer);
    int status = loaded_world_add(session, loaded, name0);
    if (status == STATUS_GOOD) {
        session_print_notices(session);
        status = read_end(session, name1, &end);
    }
    if (status == STATUS_GOOD && dent_mesh_compare(loaded->inputs[0].mesh, end) != DENT_MESH_SAME_TOPOLOGY) {
        status = complain_about_topology(name0, loaded->inputs[0].mesh, name1, end);
    }
    status = status == STATUS_GOOD ? place_bodies(loaded, loaded->inputs[0].mesh, end) : status;
    if (status == STATUS_GOOD && options_have(session->options, OPTION_NO_SELF)) {
        status = leave_out_self_pairs(loaded);
    }
    status = status == STATUS_GOOD ? ask(session, loaded, &answer) : status;
    status = status == STATUS_GOOD ? report(session, loaded, &answer) : status;
    loaded_world_close(session, loaded); /* the world borrows the positions of both frames */
    if (end != NULL) {
        dent_mesh_destroy(session->context, end);
    }
    return status;
}

/* ---- two frames of a scene ------------------------------------------------------------------------------- */

/* Copies of the positions of all bodies, one after the other; null: no memory. */
static double *copy_positions(tool_session *session, const loaded_world *loaded, size_t *count)
{
    *count = 0;
    for (uint32_t i = 0; i < loaded->body_count; i++) {
        *count += 3 * (size_t)loaded->bodies[i].vertex_count;
    }
    double *copy = dent_allocate(session->context, *count, sizeof *copy);
    size_t first = 0;
    for (uint32_t i = 0; i < loaded->body_count && copy != NULL; i++) {
        size_t numbers = 3 * (size_t)loaded->bodies[i].vertex_count;
        memcpy(copy + first, loaded->bodies[i].positions, numbers * sizeof *copy);
        first += numbers;
    }
    return copy;
}

/* The bodies go from the copies to where they are now. */
static int place_scene(const loaded_world *loaded, const double *start)
{
    for (uint32_t i = 0; i < loaded->body_count; i++) {
        const loaded_body *body = &loaded->bodies[i];
        dent_positions positions_t0 = dent_positions_double(start),
                       positions_t1 = dent_positions_double(body->positions);
        if (dent_body_set_positions(loaded->world, body->id, &positions_t0, &positions_t1) != DENT_OK) {
            return complain("ccd: %s", dent_world_message(loaded->world));
        }
        start += 3 * (size_t)body->vertex_count;
    }
    return STATUS_GOOD;
}

/* Brings the scene to the frame at the end. */
static int go_to_end(tool_session *session, loaded_world *loaded)
{
    const tool_options *options = session->options;
    loaded_input *input = &loaded->inputs[0];
    uint32_t end = options_have(options, OPTION_TO_FRAME) ? options->to_frame : options->frame + 1;
    if (input->simulation != NULL) {
        if (end < options->frame) {
            return complain("ccd: %s is simulated: --to-frame %u cannot be before --frame %u", input->name, end,
                            options->frame);
        }
        interrupt_at_once(true);
        int failed = loaded_world_simulate(session, input, end);
        interrupt_at_once(false);
        return failed;
    }
    int failed = check_scene_frame(input->name, end);
    if (!failed) {
        loaded_world_pose_scene(loaded, 0, end);
    }
    return failed;
}

static int compare_poses(tool_session *session, loaded_world *loaded)
{
    ccd_answer answer;
    size_t count;
    memset(&answer, 0, sizeof answer);
    double *start = copy_positions(session, loaded, &count);
    int status = start != NULL ? go_to_end(session, loaded) : complain("ccd: out of memory");
    status = status == STATUS_GOOD ? place_scene(loaded, start) : status;
    if (status == STATUS_GOOD && options_have(session->options, OPTION_NO_SELF)) {
        status = leave_out_self_pairs(loaded);
    }
    status = status == STATUS_GOOD ? ask(session, loaded, &answer) : status;
    status = status == STATUS_GOOD ? report(session, loaded, &answer) : status;
    loaded_world_close(session, loaded); /* before the positions it borrows */
    dent_release(session->context, start, count, sizeof *start);
    return status;
}

/* ---- a series -------------------------------------------------------------------------------------------- */

/* The frame before: where its bodies were, and what it is called. It outlives the session, whose context is gone when a
 * frame has failed: so plain memory. */
typedef struct series_memory {
    double *positions;
    char *file, *names;
    frame_facts facts;
} series_memory;

static void forget_frame(series_memory *memory)
{
    free(memory->positions);
    free(memory->file);
    free(memory->names);
    memset(memory, 0, sizeof *memory);
}

static int remember_frame(const loaded_world *loaded, const frame_facts *frame, series_memory *memory)
{
    forget_frame(memory);
    size_t numbers = 0, file_size = strlen(frame->file) + 1, first = 0, name_size = 0;
    for (uint32_t i = 0; i < loaded->body_count; i++) {
        numbers += 3 * (size_t)loaded->bodies[i].vertex_count;
        name_size += strlen(loaded->bodies[i].name) + 1;
    }
    memory->facts = *frame;
    memory->file = malloc(file_size);
    memory->positions = malloc((numbers > 0 ? numbers : 1) * sizeof *memory->positions);
    memory->names = malloc(name_size > 0 ? name_size : 1);
    if (memory->file == NULL || memory->positions == NULL || memory->names == NULL) {
        return complain("ccd: out of memory");
    }
    for (uint32_t i = 0; i < loaded->body_count; i++) {
        size_t count = 3 * (size_t)loaded->bodies[i].vertex_count;
        memcpy(memory->positions + first, loaded->bodies[i].positions, count * sizeof *memory->positions);
        first += count;
    }
    char *name = memory->names;
    for (uint32_t i = 0; i < loaded->body_count; i++) {
        size_t size = strlen(loaded->bodies[i].name) + 1;
        memcpy(name, loaded->bodies[i].name, size);
        name += size;
    }
    memcpy(memory->file, frame->file, file_size);
    memory->facts.file = memory->file;
    return STATUS_GOOD;
}

/* Back to a world that stands still, before the positions of the frame before are forgotten. */
static int stand_still(const loaded_world *loaded)
{
    for (uint32_t i = 0; i < loaded->body_count; i++) {
        dent_positions here = dent_positions_double(loaded->bodies[i].positions);
        if (dent_body_set_positions(loaded->world, loaded->bodies[i].id, &here, &here) != DENT_OK) {
            return complain("ccd: %s", dent_world_message(loaded->world));
        }
    }
    return STATUS_GOOD;
}

static int ask_interval(tool_session *session, const loaded_world *loaded, const frame_facts *frame, void *user)
{
    series_memory *memory = user;
    ccd_answer answer;
    memset(&answer, 0, sizeof answer);
    if (frame->position == 0) {
        int failed = options_have(session->options, OPTION_NO_SELF) ? leave_out_self_pairs(loaded) : STATUS_GOOD;
        return failed ? failed : remember_frame(loaded, frame, memory);
    }
    if (frame->fresh) {
        return complain("ccd: the frames do not belong together: %s has other elements than %s", frame->file,
                        memory->facts.file);
    }
    answer.interval = &memory->facts;
    answer.names = memory->names;
    int status = place_scene(loaded, memory->positions);
    status = status == STATUS_GOOD ? ask(session, loaded, &answer) : status;
    if (status == STATUS_GOOD) {
        progress_lock(&session->progress);
        status = report(session, loaded, &answer);
        printer_flush(session->out);
        progress_unlock(&session->progress);
    }
    int failed = stand_still(loaded);
    failed = failed ? failed : remember_frame(loaded, frame, memory);
    return failed ? failed : status;
}

static int ccd_of_series(const tool_options *options, printer *out)
{
    option_set of_motion = OPTIONS_OF_ROBOTS | OPTION_BIT(OPTION_MOTION) | OPTION_BIT(OPTION_MOTION_TOLERANCE) |
                           OPTION_BIT(OPTION_TO_FRAME);
    if ((options->given & of_motion) != 0) {
        return complain("ccd: --from, --to, --to-frame, --obstacle, --motion and --tolerance are for a robot (.urdf) or a "
                        "scene");
    }
    series_memory memory;
    memset(&memory, 0, sizeof memory);
    int status = run_on_series(options, out, ask_interval, NULL, &memory);
    forget_frame(&memory);
    return status;
}

/* Scenes of rigid bodies turn on the way; in all others every vertex goes straight. */
static int ccd_of_scene(tool_session *session)
{
    const tool_options *options = session->options;
    loaded_world loaded;
    int status = loaded_world_open(session, &loaded);
    if (status != STATUS_GOOD) {
        return status;
    }
    status = loaded_world_add(session, &loaded, options->arguments[0]);
    if (status != STATUS_GOOD) {
        loaded_world_close(session, &loaded);
        return status;
    }
    session_print_notices(session);
    const loaded_input *input = &loaded.inputs[0];
    if (input->scene != NULL && dent_scene_motion_frame_count(input->scene) > 0) {
        loaded_world_close(session, &loaded);
        return ccd_of_motion(session);
    }
    option_set of_rigid = OPTIONS_OF_ROBOTS | OPTION_BIT(OPTION_MOTION) | OPTION_BIT(OPTION_MOTION_TOLERANCE);
    if ((options->given & of_rigid) != 0) {
        loaded_world_close(session, &loaded);
        return complain("ccd: --from, --to, --obstacle, --package-path, --skip-missing, --no-limits, --motion and "
                        "--tolerance are for robots (.urdf) and scenes of rigid bodies");
    }
    return compare_poses(session, &loaded);
}

/* Two frames of mesh files. */
static int ccd_of_frames(tool_session *session)
{
    const tool_options *options = session->options;
    option_set of_motion = OPTIONS_OF_ROBOTS | OPTIONS_OF_SCENES | OPTION_BIT(OPTION_MOTION) |
                         OPTION_BIT(OPTION_MOTION_TOLERANCE) | OPTION_BIT(OPTION_TO_FRAME);
    for (uint32_t i = 0; i < 2; i++) {
        if (names_a_scene(options, options->arguments[i]) || names_a_simulation(options, options->arguments[i])) {
            return complain("ccd: %s is a scene: give it alone, with --frame K and --to-frame L",
                            options->arguments[i]);
        }
        if (names_a_robot(options->arguments[i])) {
            return complain("ccd: %s is a robot: give it alone, with --from and --to", options->arguments[i]);
        }
    }
    if ((options->given & of_motion) != 0) {
        return complain(
            "ccd: --from, --to, --obstacle, --motion, --tolerance and the options of scenes are for a robot "
            "(.urdf) or a scene");
    }
    loaded_world loaded;
    int status = loaded_world_open(session, &loaded);
    return status == STATUS_GOOD ? compare_frames(session, &loaded) : status;
}

static int run_ccd(const tool_options *options, printer *out)
{
    const char *name = options->arguments[0];
    bool alone = options->argument_count == 1;
    bool scene = names_a_scene(options, name) || names_a_simulation(options, name);
    if (options_name_series(options)) {
        return ccd_of_series(options, out);
    }
    if (alone && !names_a_robot(name) && !scene) {
        return complain("ccd: %s alone: give two frames of mesh files, a series of frames, a robot (.urdf) or a scene", name);
    }
    if (options->argument_count > 2) {
        return complain("usage: dent ccd FRAME0 FRAME1, or a series of frames; got %u files", options->argument_count);
    }
    tool_session session;
    int status = refuse_kind_of_scene(options);
    status = status == STATUS_GOOD ? session_open(&session, options, out) : status;
    if (status != STATUS_GOOD) {
        return status;
    }
    status = alone && scene ? ccd_of_scene(&session) : alone ? ccd_of_motion(&session) : ccd_of_frames(&session);
    session_close(&session);
    return status;
}

const tool_command command_ccd_row = {
    .name = "ccd",
    .summary = "impacts between two frames, in a series, or between two poses of a robot, and the first time",
    .arguments = "[OPTION...] FRAME0 FRAME1 | SERIES | ROBOT.urdf | SCENE",
    .details = "FRAME0 and FRAME1 are mesh files (.msh, .mesh, .node/.ele, .vtk, .vtu, .obj, .stl, .ply, also with\n"
               ".gz or .xz) with the same bodies and elements. Every vertex moves on a straight line from its\n"
               "position in one to that in the other, t from 0 to 1. Surface vertices are tested against surface\n"
               "faces, and surface edges against surface edges, if they share no vertex. The result is exact: a\n"
               "pair is listed if and only if it meets, touching included.\n"
               "\n"
               "Columns: kind, body a, feature a, body b, feature b, toi, u, v, normal x, y, z. toi is the largest\n"
               "double not above the true first time. A vertex is its 0-based index in the file, an edge v0-v1, a\n"
               "face its index, or cell/corner for solids. u, v: position on the face, f0 + u (f1 - f0) + v (f2 -\n"
               "f0), or on the two edges. The normal points from b to a. The last line is the verdict.\n"
               "\n"
               "With --separation D pairs that come as near as D are listed too. None is missed, and none is\n"
               "listed that stays farther apart than 1.001 D. A first frame whose faces cross, or in which a body\n"
               "is inside another, is reported as such, with time 0. Exit status: 0 no impact, 1 an impact or a\n"
               "crossing start, 2 an error.\n"
               "\n"
               "JSON keys: pairs toi candidates ms; toi is null if nothing meets; start_crosses is added if the\n"
               "start crosses.\n"
               "\n"
               "SERIES is a pattern for numbered files ('shirt_%04d.obj', 'shirt_*.obj'; quote it), a directory, or a\n"
               ".tar, .tar.gz, .tar.xz of them (also ARCHIVE/PATTERN): the key frames of an animation. All intervals\n"
               "from one frame to the next are tested in one pass. Each line begins with the number of the frame at\n"
               "which its interval begins; otherwise it is that of dent ccd for the two frames. Other files stand\n"
               "still; several series advance together. With --frames, scenes move too, and files whose names differ\n"
               "in one number are a series. JSON: an object per interval, with frame and file first.\n"
               "\n"
               "SCENE --frame K --to-frame L tests two frames of a scene, by default K and the next one. A\n"
               "simulated scene (of two of one name: with --simulated) is run up to both. Scenes of rigid bodies\n"
               "rotate in between, see below.\n"
               "\n"
               "ROBOT.urdf --from VALUES --to VALUES finds when links of a robot first touch one another or an\n"
               "--obstacle while every joint moves from one value to the other at constant speed. VALUES are all\n"
               "joint values in the order of the file, or NAME=VALUE for some, the others 0 (dent info lists the\n"
               "joints; a robot without joint values needs no --to). Neighbouring links are not tested. SCENE\n"
               "(rod, teapot, rings, arm) does the same for the step from --frame K to the next. The result is\n"
               "certified: a contact is never missed and the time never late. Pairs that stay farther apart than\n"
               "the --tolerance are not reported. Columns: kind, body a, feature a, body b, feature b, separation,\n"
               "point x, y, z, normal x, y, z at that time; for faces that cross at the start, deeper than the\n"
               "tolerance, the nearest features. JSON keys: verdict pairs toi candidates ms t_lo t_hi body_a\n"
               "body_b contacts tolerance. Nothing touches before toi = t_lo, and something is nearer than the\n"
               "tolerance then. toi, body_a and body_b are null if free; start_touches is added if the start\n"
               "touches. Exit status: 0 free, 1 a contact, 2 an error or undecided.\n",
    .option_bits = OPTION_BIT(OPTION_SEPARATION) | OPTION_BIT(OPTION_METHOD) | OPTIONS_OF_MACHINE |
                   OPTION_BIT(OPTION_NO_SELF) | OPTION_BIT(OPTION_MEMORY_LIMIT) | OPTION_BIT(OPTION_MERGE) |
                   OPTION_BIT(OPTION_COUNT_ONLY) | OPTION_BIT(OPTION_STATS) | OPTION_BIT(OPTION_JSON) |
                   OPTIONS_OF_ROBOTS | OPTIONS_OF_SCENES | OPTION_BIT(OPTION_MOTION) |
                   OPTION_BIT(OPTION_MOTION_TOLERANCE) | OPTION_BIT(OPTION_TO_FRAME) |
                   OPTION_BIT(OPTION_FRAME_RANGE),
    .argument_min = 1,
    .argument_max = UINT32_MAX,
    .run = run_ccd,
};
