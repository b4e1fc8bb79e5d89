/* run_converge.c — see run_converge.h. */
#include "run_converge.h"

#include "interrupt.h"
#include "json_output.h"
#include "load_world.h"
#include "run_probes.h"
#include "tool.h"

#include <dent/sim_scene.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUBSTEP_LIMIT = 1000 };
#define SETTLED_SHARE 0.01

/* ---- probes ---------------------------------------------------------------------------------------------- */

typedef enum probe_kind {
    PROBE_KINETIC,
    PROBE_ELASTIC,
    PROBE_ENERGY,
    PROBE_POSITION,
    PROBE_FORCE,
    PROBE_DECLARED
} probe_kind;

typedef struct run_probe {
    probe_kind kind;
    uint32_t body, vertex; /* vertex UINT32_MAX: the mean */
    int axis;
    uint32_t number; /* of a declared one; `axis` is its component */
} run_probe;

static bool find_body(const dent_sim *sim, const char *name, size_t length, uint32_t *body)
{
    dent_sim_body_info info;
    for (*body = 0; dent_sim_body(sim, *body, &info); (*body)++) {
        if (strlen(info.name) == length && memcmp(info.name, name, length) == 0) {
            return true;
        }
    }
    return false;
}

static int complain_of_name(const dent_sim *sim, const char *text)
{
    dent_sim_probe_info info;
    for (uint32_t n = 0; dent_sim_probe_at(sim, n, &info); n++) {
        size_t length = strlen(info.name);
        if (info.column_count == 3 && strncmp(text, info.name, length) == 0 &&
            (text[length] == '\0' || text[length] == '.')) {
            return complain("run: --converge %s: expected a probe of the scene: %s.x, %s.y or %s.z", text, info.name,
                            info.name, info.name);
        }
    }
    return complain(
        "run: --converge %s: expected a probe of the scene, kinetic, elastic, energy, BODY:x, BODY/VERTEX:x or "
        "BODY:force",
        text);
}

static int read_probe(const dent_sim *sim, const char *text, run_probe *made)
{
    static const char *const energies[] = {"kinetic", "elastic", "energy"};
    uint32_t component;
    *made = (run_probe){.vertex = UINT32_MAX};
    if (run_probes_find(sim, text, &made->number, &component)) {
        made->kind = PROBE_DECLARED;
        made->axis = (int)component;
        return STATUS_GOOD;
    }
    for (int n = 0; n < 3; n++) {
        if (strcmp(text, energies[n]) == 0) {
            made->kind = (probe_kind)n;
            return STATUS_GOOD;
        }
    }
    const char *colon = strrchr(text, ':');
    if (colon == NULL) {
        return complain_of_name(sim, text);
    }
    const char *quantity = colon + 1;
    bool force = strcmp(quantity, "force") == 0;
    if (!force && (strlen(quantity) != 1 || strchr("xyz", quantity[0]) == NULL)) {
        return complain("run: --converge %s: expected x, y, z or force after the colon; got '%s'", text, quantity);
    }
    made->kind = force ? PROBE_FORCE : PROBE_POSITION;
    made->axis = force ? 0 : quantity[0] - 'x';
    size_t length = (size_t)(colon - text);
    if (find_body(sim, text, length, &made->body)) {
        return STATUS_GOOD;
    }
    /* BODY/VERTEX; names may hold slashes, so the last one counts. */
    size_t slash = length;
    while (slash > 0 && text[slash - 1] != '/') {
        slash--;
    }
    dent_sim_body_info info;
    char *end = NULL;
    unsigned long vertex = slash > 0 ? strtoul(text + slash, &end, 10) : 0;
    if (slash == 0 || !find_body(sim, text, slash - 1, &made->body)) {
        return complain("run: --converge %s: no body '%.*s'", text, (int)(slash > 0 ? slash - 1 : length), text);
    }
    dent_sim_body(sim, made->body, &info);
    if (end != colon || end == text + slash || text[slash] == '-' || vertex >= info.vertex_count || force) {
        return complain("run: --converge %s: expected a vertex below %u and x, y or z", text, info.vertex_count);
    }
    made->vertex = (uint32_t)vertex;
    return STATUS_GOOD;
}

static double mean_position(const dent_sim *sim, const run_probe *probe)
{
    dent_sim_body_info info;
    const double *positions = dent_sim_positions(sim, probe->body);
    double sum = 0;
    if (probe->vertex != UINT32_MAX) {
        return positions[3 * (size_t)probe->vertex + (size_t)probe->axis];
    }
    dent_sim_body(sim, probe->body, &info);
    for (uint32_t v = 0; v < info.vertex_count; v++) {
        sum += positions[3 * (size_t)v + (size_t)probe->axis];
    }
    return sum / info.vertex_count;
}

static double contact_force(const dent_sim *sim, uint32_t body)
{
    uint64_t count = 0;
    const dent_sim_contact *contacts = dent_sim_contacts(sim, &count);
    double force[3] = {0, 0, 0};
    for (uint64_t i = 0; i < count; i++) {
        double sign = (contacts[i].body_a == body) - (contacts[i].body_b == body);
        for (int axis = 0; axis < 3; axis++) {
            force[axis] += sign * contacts[i].force[axis];
        }
    }
    return sqrt(force[0] * force[0] + force[1] * force[1] + force[2] * force[2]);
}

static double probe_value(dent_sim *sim, const run_probe *probe)
{
    double values[3] = {0, 0, 0};
    if (probe->kind == PROBE_DECLARED) {
        return dent_sim_read_probe(sim, probe->number, values) == DENT_OK ? values[probe->axis] : NAN;
    }
    dent_sim_statistics now = dent_sim_get_statistics(sim);
    switch (probe->kind) {
    case PROBE_KINETIC:
        return now.kinetic;
    case PROBE_ELASTIC:
        return now.elastic;
    case PROBE_ENERGY:
        return now.kinetic + now.elastic + now.potential + now.contact;
    case PROBE_FORCE:
        return contact_force(sim, probe->body);
    default:
        return mean_position(sim, probe);
    }
}

/* ---- runs ------------------------------------------------------------------------------------------------ */

typedef struct settling {
    tool_session *session;
    uint32_t substeps; /* of the next run; 0: the scene's own */
    uint32_t frames;
    double *values, *before; /* of the probe, by frame: of this run and of the last one */
    double exchanged;        /* the largest change of a kind of energy in this run: the measure of their sum, which is
                                constant but for the error of the run */
} settling;

static int open_scene(const settling *job, dent_sim_scene **scene)
{
    const tool_options *options = job->session->options;
    dent_sim_scene_def def = simulated_scene_def(options, options->arguments[0]);
    def.cancel = interrupt_flag();
    def.substeps = job->substeps;
    dent_status status = dent_sim_scene_open(job->session->context, &def, scene);
    session_forget_notices(job->session);
    return status == DENT_OK ? STATUS_GOOD : complain("run: %s", session_message(job->session, status));
}

static bool reserve_frames(settling *job, uint32_t frames)
{
    dent_context *context = job->session->context;
    if (job->values == NULL) {
        job->frames = frames;
        job->values = dent_allocate(context, frames + 1, sizeof *job->values);
        job->before = dent_allocate(context, frames + 1, sizeof *job->before);
    }
    return job->values != NULL && job->before != NULL;
}

/* Kinds of energy, their least and largest values so far. */
typedef struct energy_range {
    double low[3], high[3];
} energy_range;

static double widen(energy_range *range, const dent_sim *sim, bool first)
{
    dent_sim_statistics now = dent_sim_get_statistics(sim);
    const double kinds[3] = {now.kinetic, now.elastic, now.potential};
    double largest = 0;
    for (int k = 0; k < 3; k++) {
        range->low[k] = first ? kinds[k] : fmin(range->low[k], kinds[k]);
        range->high[k] = first ? kinds[k] : fmax(range->high[k], kinds[k]);
        largest = fmax(largest, range->high[k] - range->low[k]);
    }
    return largest;
}

/* One run of all frames. Leaves the number of substeps used. */
static int run_once(settling *job)
{
    const tool_options *options = job->session->options;
    dent_sim_scene *scene = NULL;
    run_probe probe;
    energy_range range;
    int status = open_scene(job, &scene);
    if (status != STATUS_GOOD) {
        return status;
    }
    dent_sim *sim = dent_sim_scene_sim(scene);
    dent_sim_scene_facts facts = dent_sim_scene_get_facts(scene);
    status = read_probe(sim, options->converge, &probe);
    if (status == STATUS_GOOD && !reserve_frames(job, options->frames > 0 ? options->frames : facts.frame_count)) {
        status = complain("run: out of memory");
    }
    for (uint32_t frame = 0; frame <= job->frames && status == STATUS_GOOD; frame++) {
        dent_status stepped = frame > 0 ? dent_sim_scene_step_frame(scene) : DENT_OK;
        if (stepped != DENT_OK) {
            status = complain("run: frame %u: %s", frame, session_message(job->session, stepped));
        } else if (interrupt_seen()) {
            status = interrupt_report();
        } else {
            job->values[frame] = probe_value(sim, &probe);
            job->exchanged = probe.kind == PROBE_ENERGY ? widen(&range, sim, frame == 0) : 0;
        }
    }
    job->substeps = dent_sim_get_statistics(sim).substeps;
    dent_sim_scene_destroy(scene);
    return status;
}

/* The largest change of the probe over all frames, over the range of its values. */
static double largest_change(const settling *job)
{
    double low = job->values[0], high = low, change = 0;
    for (uint32_t frame = 0; frame <= job->frames; frame++) {
        low = fmin(low, job->values[frame]);
        high = fmax(high, job->values[frame]);
        change = fmax(change, fabs(job->values[frame] - job->before[frame]));
    }
    return change > 0 ? change / fmax(high - low, job->exchanged) : 0;
}

static bool is_constant(const settling *job, const double *values)
{
    for (uint32_t frame = 1; frame <= job->frames; frame++) {
        if (values[frame] != values[0]) {
            return false;
        }
    }
    return true;
}

static void print_run(const settling *job, bool first, double change, bool settled)
{
    printer *out = job->session->out;
    if (options_have(job->session->options, OPTION_JSON)) {
        json_line line = json_line_begin(out);
        json_line_integer(&line, "substeps", job->substeps);
        json_line_number(&line, "value", job->values[job->frames]);
        json_line_number(&line, "change", first ? NAN : change);
        json_line_boolean(&line, "settled", settled);
        json_line_end(&line);
    } else if (first) {
        printer_format(out, "%9s %20s %14s\n%9u %20.10g %14s\n", "substeps", job->session->options->converge, "change",
                       job->substeps, job->values[job->frames], "");
    } else {
        printer_format(out, "%9u %20.10g %12.3g %%\n", job->substeps, job->values[job->frames], 100 * change);
    }
    printer_flush(out);
}

static int run_all(settling *job)
{
    bool first = true, settled = false;
    uint32_t own = 0;
    while (!settled) {
        int status = run_once(job);
        if (status != STATUS_GOOD) {
            return status;
        }
        double change = first ? INFINITY : largest_change(job);
        settled = change <= SETTLED_SHARE;
        own = first ? job->substeps : own;
        print_run(job, first, change, settled);
        double *swap = job->before;
        job->before = job->values;
        job->values = swap;
        first = false;
        if (!settled && 2 * job->substeps > SUBSTEP_LIMIT) {
            return complain("run: --converge %s: not settled with %u substeps", job->session->options->converge,
                            job->substeps);
        }
        job->substeps *= settled ? 1 : 2;
    }
    if (!options_have(job->session->options, OPTION_JSON) && is_constant(job, job->before)) {
        printer_format(job->session->out, "nothing to settle: it is %.10g in all frames\n", job->before[0]);
    } else if (!options_have(job->session->options, OPTION_JSON)) {
        printer_format(job->session->out, "settled: half of %u substeps are enough for 1 %%; the scene has %u\n",
                       job->substeps, own);
    }
    return STATUS_GOOD;
}

int run_until_settled(tool_session *session)
{
    const tool_options *options = session->options;
    if (options_have(options, OPTION_ANIMATION) || options_have(options, OPTION_CHECKPOINT) ||
        options_have(options, OPTION_RESUME) || options_have(options, OPTION_PROBES)) {
        return complain(
            "run: --converge runs the scene several times: -o, --checkpoint, --resume and --probes do not go "
            "with it");
    }
    settling job = {.session = session};
    int status = run_all(&job);
    dent_release(session->context, job.values, (size_t)job.frames + 1, sizeof *job.values);
    dent_release(session->context, job.before, (size_t)job.frames + 1, sizeof *job.before);
    return status;
}
