/* deadline_report.c — see deadline_report.h.
 *
 * Pairs of bodies whose boxes are apart are free. The others get a search each, with lists that share a fixed amount of
 * memory. Trees are built before the deadline begins. A pair that is complete is free, penetrates (faces cross, or a
 * component lies inside), or has faces that coincide, of which the full check knows more. */
#include "deadline_report.h"

#include "interrupt.h"
#include "json_output.h"
#include "pair_report.h"
#include "tool.h"

#include <dent/schedule.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRIES_OF_ALL = 1 << 23, ENTRIES_LEAST = 512, ENTRIES_MOST = 65536, SEARCHES_MOST = 16384 };

typedef enum pair_state { PAIR_FREE, PAIR_PENETRATING, PAIR_COPLANAR, PAIR_PENDING } pair_state;
static const char *const state_names[] = {"free", "penetrating", "coplanar", "pending"};

typedef struct body_pair {
    uint32_t a, b;
    dent_time_critical *search;
    dent_time_critical_result found;
} body_pair;

typedef struct deadline_search {
    tool_session *session;
    const loaded_world *loaded;
    const char *command;
    bool with_self, touching, containment;
    double (*boxes)[6]; /* by body: lo, hi */
    dent_bound_tree **trees;
    uint32_t pair_count;
    body_pair *pairs;
    dent_time_critical **searches;
    dent_schedule *schedule;
    dent_schedule_result result;
    uint64_t all_pairs; /* those whose boxes are apart included */
} deadline_search;

int refuse_with_deadline(const tool_options *options, const char *command)
{
    static const struct {
        option_id id;
        const char *name;
    } others[] = {{OPTION_FRAME_RANGE, "--frames"}, {OPTION_METHOD, "--method"},   {OPTION_OUT, "--out"},
                  {OPTION_CURVES, "--curves"},      {OPTION_PICTURE, "--picture"}, {OPTION_TOLERANCE, "--tolerance"},
                  {OPTION_NO_TOUCHING, "--no-touching"}, {OPTION_SORT, "--sort"}, {OPTION_TOP, "--top"},
                  {OPTION_CSV, "--csv"}, {OPTION_HTML, "--html"}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (options_have(options, others[i].id)) {
            return complain("%s: --deadline and %s are mutually exclusive", command, others[i].name);
        }
    }
    return STATUS_GOOD;
}

/* ---- setting up -------------------------------------------------------------------------------------------------- */

static int no_memory(const deadline_search *job)
{
    return complain("%s: out of memory", job->command);
}

static void find_boxes(deadline_search *job)
{
    for (uint32_t i = 0; i < job->loaded->body_count; i++) {
        const loaded_body *body = &job->loaded->bodies[i];
        double *box = job->boxes[i], radius = 0;
        for (int axis = 0; axis < 3; axis++) {
            box[axis] = HUGE_VAL;
            box[3 + axis] = -HUGE_VAL;
        }
        for (uint32_t v = 0; body->radii != NULL && v < body->vertex_count; v++) {
            radius = fmax(radius, body->radii[v]);
        }
        for (size_t v = 0; v < body->vertex_count; v++) {
            for (int axis = 0; axis < 3; axis++) {
                double at = body->positions[3 * v + (size_t)axis];
                box[axis] = fmin(box[axis], nextafter(at - 2 * radius, -HUGE_VAL));
                box[3 + axis] = fmax(box[3 + axis], nextafter(at + 2 * radius, HUGE_VAL));
            }
        }
    }
}

static bool boxes_meet(const double *a, const double *b)
{
    return a[0] <= b[3] && b[0] <= a[3] && a[1] <= b[4] && b[1] <= a[4] && a[2] <= b[5] && b[2] <= a[5];
}

static bool is_asked(const deadline_search *job, uint32_t a, uint32_t b)
{
    return a == b ? job->with_self : boxes_meet(job->boxes[a], job->boxes[b]);
}

static uint64_t count_asked(const deadline_search *job)
{
    uint64_t count = 0;
    for (uint32_t a = 0; a < job->loaded->body_count; a++) {
        for (uint32_t b = a; b < job->loaded->body_count; b++) {
            count += is_asked(job, a, b);
        }
    }
    return count;
}

static int make_tree(deadline_search *job, uint32_t body)
{
    if (job->trees[body] != NULL) {
        return STATUS_GOOD;
    }
    dent_bound_tree_def def = dent_bound_tree_def_default();
    dent_status status = dent_bound_tree_create(job->loaded->world, job->loaded->bodies[body].id, &def, &job->trees[body]);
    return status == DENT_OK ? STATUS_GOOD
                             : complain("%s: body %u: %s", job->command, body, dent_world_message(job->loaded->world));
}

static int make_search(deadline_search *job, uint32_t a, uint32_t b, uint32_t entries)
{
    int failed = make_tree(job, a);
    failed = failed ? failed : make_tree(job, b);
    if (failed) {
        return failed;
    }
    dent_time_critical_def def = dent_time_critical_def_default();
    def.tree_a = job->trees[a];
    def.tree_b = job->trees[b];
    def.touching = job->touching;
    def.no_containment = !job->containment || a == b;
    def.pending_capacity = def.pair_capacity = entries;
    def.confirmed_capacity = entries / 2;
    body_pair *pair = &job->pairs[job->pair_count];
    *pair = (body_pair){.a = a, .b = b};
    dent_status status = dent_time_critical_create(job->session->context, &def, &pair->search);
    if (status != DENT_OK) {
        return complain("%s: %s", job->command, session_message(job->session, status));
    }
    job->searches[job->pair_count++] = pair->search;
    return STATUS_GOOD;
}

static int make_searches(deadline_search *job, uint64_t count)
{
    uint64_t share = ENTRIES_OF_ALL / (count > 0 ? count : 1);
    uint32_t entries = share < ENTRIES_LEAST ? ENTRIES_LEAST : share > ENTRIES_MOST ? ENTRIES_MOST : (uint32_t)share;
    int failed = STATUS_GOOD;
    for (uint32_t a = 0; a < job->loaded->body_count && !failed; a++) {
        for (uint32_t b = a; b < job->loaded->body_count && !failed; b++) {
            failed = is_asked(job, a, b) ? make_search(job, a, b, entries) : STATUS_GOOD;
        }
    }
    if (failed || job->pair_count == 0) {
        return failed;
    }
    dent_schedule_def def = dent_schedule_def_default();
    def.searches = job->searches;
    def.search_count = job->pair_count;
    dent_status status = dent_schedule_create(job->session->context, &def, &job->schedule);
    return status == DENT_OK ? STATUS_GOOD : complain("%s: %s", job->command, session_message(job->session, status));
}

static int open_search(deadline_search *job)
{
    dent_context *context = job->session->context;
    uint32_t bodies = job->loaded->body_count;
    job->boxes = dent_allocate(context, bodies, sizeof *job->boxes);
    job->trees = dent_allocate(context, bodies, sizeof(dent_bound_tree *));
    if (job->boxes == NULL || job->trees == NULL) {
        return no_memory(job);
    }
    memset(job->trees, 0, bodies * sizeof(dent_bound_tree *));
    find_boxes(job);
    uint64_t count = count_asked(job);
    job->all_pairs = (uint64_t)bodies * (job->with_self ? bodies + 1 : bodies - 1) / 2;
    if (count > SEARCHES_MOST) {
        return complain("%s: --deadline: %llu pairs of bodies whose boxes meet; at most %d", job->command,
                        (unsigned long long)count, SEARCHES_MOST);
    }
    job->pairs = dent_allocate(context, (size_t)count, sizeof *job->pairs);
    job->searches = dent_allocate(context, (size_t)count, sizeof(dent_time_critical *));
    return job->pairs == NULL || job->searches == NULL ? no_memory(job) : make_searches(job, count);
}

static void close_search(deadline_search *job, uint64_t count)
{
    dent_context *context = job->session->context;
    dent_schedule_destroy(job->schedule);
    for (uint32_t i = 0; i < job->pair_count; i++) {
        dent_time_critical_destroy(job->pairs[i].search);
    }
    for (uint32_t i = 0; job->trees != NULL && i < job->loaded->body_count; i++) {
        dent_bound_tree_destroy(job->trees[i]);
    }
    dent_release(context, job->pairs, (size_t)count, sizeof *job->pairs);
    dent_release(context, job->searches, (size_t)count, sizeof(dent_time_critical *));
    dent_release(context, job->trees, job->loaded->body_count, sizeof(dent_bound_tree *));
    dent_release(context, job->boxes, job->loaded->body_count, sizeof *job->boxes);
}

/* ---- searching --------------------------------------------------------------------------------------------------- */

static int search(deadline_search *job)
{
    job->result = (dent_schedule_result){.outcome = DENT_OUTCOME_COMPLETE};
    if (job->schedule == NULL) {
        return STATUS_GOOD;
    }
    dent_budget budget = dent_budget_ns(1e6 * job->session->options->deadline);
    budget.interrupt = interrupt_flag();
    progress_begin(&job->session->progress, "searching", 0);
    dent_schedule_begin(job->schedule, NULL);
    dent_status status = dent_schedule_run(job->schedule, budget, &job->result);
    progress_end(&job->session->progress);
    for (uint32_t i = 0; i < job->pair_count && status == DENT_OK; i++) {
        status = dent_time_critical_run(job->pairs[i].search, dent_budget_units(0), &job->pairs[i].found);
    }
    if (status != DENT_OK) {
        return complain("%s: %s", job->command, session_message(job->session, status));
    }
    return job->result.outcome == DENT_OUTCOME_CANCELLED ? interrupt_report() : STATUS_GOOD;
}

typedef int report_function(deadline_search *job);

static int run_search(deadline_search *job, report_function *report)
{
    int status = open_search(job);
    uint64_t count = job->pairs != NULL || job->searches != NULL ? count_asked(job) : 0;
    status = status ? status : search(job);
    status = status ? status : report(job);
    close_search(job, count);
    return status;
}

/* ---- dent check -------------------------------------------------------------------------------------------------- */

static bool has_state(const dent_time_critical_result *found, dent_component_state state)
{
    for (uint32_t i = 0; i < found->component_count; i++) {
        if (found->components[i].state == (uint32_t)state) {
            return true;
        }
    }
    return false;
}

static pair_state state_of(const dent_time_critical_result *found)
{
    bool coplanar = has_state(found, DENT_COMPONENT_ON);
    for (uint32_t i = 0; i < found->pair_count; i++) {
        if (found->pairs[i].kind == DENT_PAIR_CROSSING) {
            return PAIR_PENETRATING;
        }
        coplanar = coplanar || found->pairs[i].kind == DENT_PAIR_COPLANAR;
    }
    if (has_state(found, DENT_COMPONENT_INSIDE)) {
        return PAIR_PENETRATING;
    }
    if (found->pending_count > 0 || found->components_pending > 0) {
        return PAIR_PENDING;
    }
    return coplanar ? PAIR_COPLANAR : has_state(found, DENT_COMPONENT_CROSSING) ? PAIR_PENETRATING : PAIR_FREE;
}

static void print_state_json(printer *out, const body_pair *pair, pair_state state)
{
    json_line line = json_line_begin(out);
    json_line_integer(&line, "body_a", pair->a);
    json_line_integer(&line, "body_b", pair->b);
    json_line_string(&line, "state", state_names[state]);
    json_line_integer(&line, "pairs", pair->found.pair_count);
    json_line_integer(&line, "pending", pair->found.pending_count);
    json_line_integer(&line, "components_pending", pair->found.components_pending);
    json_line_number(&line, "error", pair->found.error);
    json_line_number(&line, "depth", pair->found.depth);
    json_line_end(&line);
}

static void print_state(deadline_search *job, const body_pair *pair, pair_state state)
{
    char name[2][64];
    for (int side = 0; side < 2; side++) {
        uint32_t body = side ? pair->b : pair->a;
        snprintf(name[side], sizeof name[side], "%u %s", body, job->loaded->bodies[body].name);
        plain_line(name[side]);
    }
    printer_format(job->session->out,
                   "%s | %s: %s, %u pairs of faces, %u regions pending, gaps known to %.3g, depth at most %.3g\n", name[0],
                   name[1], state == PAIR_PENETRATING ? "PENETRATING" : state_names[state], pair->found.pair_count,
                   pair->found.pending_count, pair->found.error, pair->found.depth);
}

static int report_check(deadline_search *job)
{
    bool json = options_have(job->session->options, OPTION_JSON);
    uint64_t counts[4] = {job->all_pairs - job->pair_count};
    double error = 0;
    for (uint32_t i = 0; i < job->pair_count; i++) {
        pair_state state = state_of(&job->pairs[i].found);
        counts[state]++;
        error = fmax(error, job->pairs[i].found.error);
        if (state != PAIR_FREE && json) {
            print_state_json(job->session->out, &job->pairs[i], state);
        } else if (state != PAIR_FREE) {
            print_state(job, &job->pairs[i], state);
        }
    }
    double ms = 1e-6 * (double)job->result.ns;
    if (json) {
        json_line line = json_line_begin(job->session->out);
        json_line_integer(&line, "bodies", job->loaded->body_count);
        for (int state = 0; state < 4; state++) {
            char key[32];
            snprintf(key, sizeof key, "pairs_%s", state_names[state]);
            json_line_integer(&line, key, counts[state]);
        }
        json_line_number(&line, "error", error);
        json_line_number(&line, "ms", ms);
        json_line_string(&line, "outcome", dent_outcome_name(job->result.outcome));
        json_line_end(&line);
    } else {
        printer_format(job->session->out,
                       "%llu pairs of bodies after %.3f ms: %llu free, %llu penetrating, %llu coplanar, %llu pending\n",
                       (unsigned long long)job->all_pairs, ms, (unsigned long long)counts[PAIR_FREE],
                       (unsigned long long)counts[PAIR_PENETRATING], (unsigned long long)counts[PAIR_COPLANAR],
                       (unsigned long long)counts[PAIR_PENDING]);
    }
    if (counts[PAIR_PENETRATING] > 0) {
        return STATUS_FOUND;
    }
    if (counts[PAIR_PENDING] > 0) {
        return complain("check: the answer is not complete: %llu pairs of bodies are pending",
                        (unsigned long long)counts[PAIR_PENDING]);
    }
    return counts[PAIR_COPLANAR] > 0 ? complain("check: %llu pairs of bodies have faces that coincide; check them "
                                                "without --deadline",
                                                (unsigned long long)counts[PAIR_COPLANAR])
                                     : STATUS_GOOD;
}

int check_by_deadline(tool_session *session, const loaded_world *loaded)
{
    deadline_search job = {.session = session,
                           .loaded = loaded,
                           .command = "check",
                           .with_self = options_have(session->options, OPTION_SELF),
                           .containment = true};
    return run_search(&job, report_check);
}

/* ---- dent pairs -------------------------------------------------------------------------------------------------- */

static int compare_pairs(const void *left, const void *right)
{
    const dent_pair *a = left, *b = right;
    const uint32_t keys[2][4] = {{a->body_a, a->feature_a, a->body_b, a->feature_b},
                                 {b->body_a, b->feature_a, b->body_b, b->feature_b}};
    for (int k = 0; k < 4; k++) {
        if (keys[0][k] != keys[1][k]) {
            return keys[0][k] < keys[1][k] ? -1 : 1;
        }
    }
    return 0;
}

static void gather_pairs(const deadline_search *job, dent_pair *all)
{
    size_t at = 0;
    for (uint32_t i = 0; i < job->pair_count; i++) {
        const body_pair *pair = &job->pairs[i];
        for (uint32_t k = 0; k < pair->found.pair_count; k++) {
            const dent_face_pair *faces = &pair->found.pairs[k];
            all[at++] = (dent_pair){.body_a = pair->a,
                                    .feature_a = faces->face_a,
                                    .body_b = pair->b,
                                    .feature_b = faces->face_b,
                                    .kind = faces->kind};
        }
    }
    qsort(all, at, sizeof *all, compare_pairs);
}

static void print_confirmed(deadline_search *job, const dent_pair *all, uint64_t count)
{
    for (uint64_t i = 0; i < count && !printer_failed(job->session->out); i++) {
        char a[FEATURE_SIZE], b[FEATURE_SIZE];
        print_pair_feature(job->loaded, DENT_QUESTION_FACE_FACE, &all[i], false, a);
        print_pair_feature(job->loaded, DENT_QUESTION_FACE_FACE, &all[i], true, b);
        printer_format(job->session->out, "%u %s %u %s %s\n", all[i].body_a, a, all[i].body_b, b,
                       dent_pair_kind_name((dent_pair_kind)all[i].kind));
    }
}

/* The ball of a node, and how many faces it holds. */
static void print_node(printer *out, dent_bound_tree *tree, uint32_t number)
{
    dent_bound_node node = dent_bound_tree_node(tree, number);
    printer_format(out, " %u", node.face_count);
    print_pair_numbers(out, node.center, 3);
    print_pair_numbers(out, &node.radius, 1);
}

static void print_pending(deadline_search *job)
{
    printer *out = job->session->out;
    for (uint32_t i = 0; i < job->pair_count; i++) {
        const body_pair *pair = &job->pairs[i];
        for (uint32_t k = 0; k < pair->found.pending_count && !printer_failed(out); k++) {
            const dent_region_pair *region = &pair->found.pending[k];
            double gap[2] = {region->lo, fmax(region->lo, 0) + region->error};
            printer_format(out, "pending %u %u", pair->a, pair->b);
            print_pair_numbers(out, gap, 2);
            print_node(out, job->trees[pair->a], region->node_a);
            print_node(out, job->trees[pair->b], region->node_b);
            printer_text(out, "\n");
        }
    }
}

static int report_found(deadline_search *job)
{
    const tool_options *options = job->session->options;
    uint64_t count = 0, pending = 0;
    double error = 0;
    for (uint32_t i = 0; i < job->pair_count; i++) {
        count += job->pairs[i].found.pair_count;
        pending += job->pairs[i].found.pending_count;
        error = fmax(error, job->pairs[i].found.error);
    }
    double ms = 1e-6 * (double)job->result.ns;
    if (options_have(options, OPTION_JSON)) {
        json_line line = json_line_begin(job->session->out);
        json_line_integer(&line, "pairs", count);
        json_line_integer(&line, "pending", pending);
        json_line_number(&line, "error", error);
        json_line_number(&line, "ms", ms);
        json_line_string(&line, "outcome", dent_outcome_name(job->result.outcome));
        json_line_end(&line);
    } else if (options_have(options, OPTION_COUNT_ONLY)) {
        printer_format(job->session->out, "%llu\n", (unsigned long long)count);
    } else {
        dent_pair *all = dent_allocate(job->session->context, (size_t)count, sizeof *all);
        if (all == NULL) {
            return no_memory(job);
        }
        gather_pairs(job, all);
        print_confirmed(job, all, count);
        print_pending(job);
        dent_release(job->session->context, all, (size_t)count, sizeof *all);
    }
    return pending == 0 ? STATUS_GOOD
                        : complain("pairs: the result is not complete: %llu regions are pending after %.3f ms",
                                   (unsigned long long)pending, ms);
}

int pairs_by_deadline(tool_session *session, const loaded_world *loaded)
{
    deadline_search job = {.session = session,
                           .loaded = loaded,
                           .command = "pairs",
                           .with_self = !options_have(session->options, OPTION_NO_SELF),
                           .touching = options_have(session->options, OPTION_TOUCHING)};
    return run_search(&job, report_found);
}
