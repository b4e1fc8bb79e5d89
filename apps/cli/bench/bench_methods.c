/* bench_methods.c — dent's methods as contestants: each in a context and a world of its own, so that memory is counted
 * apart. Barycentric coordinates and segments are left out (`no_details`): peers do not compute them either. */
#include "bench_run.h"

#include "interrupt.h"
#include "tool.h"

#include <dent/experimental.h>
#include <dent/strand.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A method with the parameters it is asked with. The plain row of each method comes first. */
typedef struct method_variant {
    dent_method method;
    const char *suffix;
    void (*change)(dent_experiments *experiments); /* null: nothing */
    bool promised;                                 /* cells_are_positive of the contour walk */
} method_variant;

static void take_paper_hash(dent_experiments *experiments)
{
    experiments->spatial_hash.paper_form = true;
}

static void sort_buckets(dent_experiments *experiments)
{
    experiments->bucket_tree.sorted_coordinates = true;
}

static void leave_out_certificate(dent_experiments *experiments)
{
    experiments->cluster_search.no_certificate = true;
}

static void leave_out_culling(dent_experiments *experiments)
{
    experiments->surface_tree.no_culling = true;
}

static const method_variant variant_table[] = {
    {DENT_METHOD_CLUSTER_SEARCH, "", NULL, false},
    {DENT_METHOD_CONTOUR_WALK, "", NULL, false},
    {DENT_METHOD_SURFACE_TREE, "", NULL, false},
    {DENT_METHOD_SPATIAL_HASH, "", NULL, false},
    {DENT_METHOD_BUCKET_TREE, "", NULL, false},
    {DENT_METHOD_SWEEP, "", NULL, false},
    {DENT_METHOD_STRAND_PACKETS, "", NULL, false},
    {DENT_METHOD_STRAND_GRID, "", NULL, false},
    {DENT_METHOD_BRUTE_FORCE, "", NULL, false},
    {DENT_METHOD_AUTO, "", NULL, false},
    {DENT_METHOD_CONTOUR_WALK, "/promised", NULL, true},
    {DENT_METHOD_CLUSTER_SEARCH, "/no-certificate", leave_out_certificate, false},
    {DENT_METHOD_SURFACE_TREE, "/no-culling", leave_out_culling, false},
    {DENT_METHOD_SPATIAL_HASH, "/paper", take_paper_hash, false},
    {DENT_METHOD_BUCKET_TREE, "/sorted", sort_buckets, false},
};
enum { VARIANT_COUNT = sizeof variant_table / sizeof variant_table[0] };

typedef struct method_state {
    const bench_scene *scene;
    dent_context *context;
    dent_world *world;
    dent_query_def def;
    dent_experiments experiments;
    dent_method_counters method_counters;
    dent_contour_walk_def contour_walk;
    dent_query_result result;
    bool strands; /* the question strand: what follows in place of what is above */
    dent_strand_query_def strand_def;
    dent_strand_result strand_result;
    uint64_t allocations_before;
} method_state;

/* Of the query that was asked last; counters of strand go where those of the others are. */
static dent_status ask_question(method_state *state)
{
    if (!state->strands) {
        return dent_world_query(state->world, &state->def, &state->result);
    }
    dent_status status = dent_world_strands(state->world, &state->strand_def, &state->strand_result);
    state->result.counters = state->strand_result.counters;
    state->result.outcome = state->strand_result.outcome;
    return status;
}

bool bench_method_answers(dent_method method, uint32_t questions)
{
    return questions == DENT_QUESTION_STRAND
               ? method != DENT_METHOD_AUTO && dent_question_methods(DENT_QUESTION_STRAND) >> method & 1
               : (dent_method_questions(method) & questions) == questions;
}

static int ask_method(contestant *self)
{
    method_state *state = self->state;
    state->allocations_before = dent_context_memory_use(state->context).allocations;
    if (self->watch != NULL) {
        loop_watch_begin(self->watch);
    }
    dent_status status = ask_question(state);
    if (self->watch != NULL && status == DENT_OK) {
        loop_watch_end(self->watch, &state->result.counters, &state->method_counters);
    }
    if (status != DENT_OK) {
        return complain("bench: %s: %s: %s", state->scene->name, self->name, dent_world_message(state->world));
    }
    if (state->result.outcome != DENT_OUTCOME_COMPLETE) {
        return interrupt_seen() ? interrupt_report()
                                : complain("bench: %s: %s: the answer is not complete", state->scene->name, self->name);
    }
    return STATUS_GOOD;
}

/* Features are numbered through the scene. */
static uint64_t first_number(const bench_body *body, dent_feature_kind kind)
{
    return kind == DENT_FEATURE_VERTEX ? body->first_vertex
           : kind == DENT_FEATURE_FACE ? body->first_face
                                       : body->first_cell;
}

/* Edges and segments first, then vertices with faces, beyond all numbers of edges. */
static bool answer_about_strands(const method_state *state, pair_keys *list)
{
    const dent_strand_result *result = &state->strand_result;
    const bench_body *bodies = state->scene->bodies;
    if (!pair_keys_reserve(list, result->edge_edge_count + result->vertex_face_count)) {
        return false;
    }
    list->count = 0;
    for (uint64_t i = 0; i < result->edge_edge_count; i++) {
        const dent_pair *pair = &result->edge_edge[i];
        list->keys[list->count++] = ((uint64_t)bodies[pair->body_a].first_edge + pair->feature_a) << 32 |
                                    (bodies[pair->body_b].first_edge + pair->feature_b);
    }
    for (uint64_t i = 0; i < result->vertex_face_count; i++) {
        const dent_pair *pair = &result->vertex_face[i];
        list->keys[list->count++] = UINT64_C(1) << 63 |
                                    ((uint64_t)bodies[pair->body_a].first_vertex + pair->feature_a) << 32 |
                                    (bodies[pair->body_b].first_face + pair->feature_b);
    }
    return true;
}

static bool answer_of_method(contestant *self, dent_question question, pair_keys *list)
{
    const method_state *state = self->state;
    if (state->strands) {
        return answer_about_strands(state, list);
    }
    const dent_pair_list *pairs = dent_query_result_list(&state->result, question);
    if (!pair_keys_reserve(list, pairs->count)) {
        return false;
    }
    list->count = pairs->count;
    const dent_feature_pair *sides = &dent_question_get_info(question)->features[0];
    const bench_body *bodies = state->scene->bodies;
    for (uint64_t i = 0; i < pairs->count; i++) {
        const dent_pair *pair = &pairs->pairs[i];
        const bench_body *a = &bodies[pair->body_a], *b = &bodies[pair->body_b];
        list->keys[i] =
            (first_number(a, sides->a) + pair->feature_a) << 32 | (first_number(b, sides->b) + pair->feature_b);
    }
    return true;
}

static void costs_of_method(contestant *self, turn_costs *costs)
{
    const method_state *state = self->state;
    const dent_query_counters *counters = &state->result.counters;
    costs->candidates = (double)counters->candidates;
    costs->allocations = (double)(dent_context_memory_use(state->context).allocations - state->allocations_before);
    const dent_method_counters *own = &state->method_counters;
    const uint64_t spent[PHASE_COUNT] = {counters->ns_prepare,         counters->ns_search,
                                         counters->ns_finish,          own->surface_tree.ns_refit,
                                         own->surface_tree.ns_culling, own->surface_tree.ns_traversal,
                                         own->surface_tree.ns_filters, own->surface_tree.ns_narrow};
    bool parts_known = own->surface_tree.ns_refit > 0;
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        costs->phase_ms[phase] = phase < 3 || parts_known ? (double)spent[phase] * 1e-6 : NAN;
    }
}

static double peak_of_method(contestant *self)
{
    const method_state *state = self->state;
    return (double)dent_context_memory_use(state->context).peak_bytes;
}

static uint64_t hash_of_method(contestant *self, dent_question question)
{
    const method_state *state = self->state;
    if (state->strands) {
        return dent_strand_hash(state->world, &state->strand_result);
    }
    return dent_pair_list_hash(state->world, question, dent_query_result_list(&state->result, question));
}

static void close_method(contestant *self)
{
    method_state *state = self->state;
    dent_context *context = state->scene->context;
    dent_world_destroy(state->world);
    dent_context_destroy(state->context);
    dent_release(context, state, 1, sizeof *state);
}

static void fill_def(method_state *state, const bench_race *race, const method_variant *variant)
{
    state->def = dent_query_def_default();
    state->def.questions = race->questions;
    state->def.method = variant->method;
    state->def.no_details = true;
    state->def.cancel = interrupt_flag();
    state->experiments = dent_experiments_default();
    state->experiments.counters = &state->method_counters;
    state->def.experiments = &state->experiments;
    state->strands = race->questions == DENT_QUESTION_STRAND;
    state->strand_def = dent_strand_query_def_default();
    state->strand_def.method = variant->method;
    state->strand_def.no_details = true;
    state->strand_def.cancel = interrupt_flag();
    if (variant->change != NULL) {
        variant->change(&state->experiments);
    }
    if (variant->promised) {
        state->contour_walk = dent_contour_walk_def_default();
        state->contour_walk.cells_are_positive = true;
        state->def.contour_walk = &state->contour_walk;
    }
}

static int enter_method(bench_race *race, const method_variant *variant, uint32_t threads)
{
    method_state *state = dent_allocate(race->scene->context, 1, sizeof *state);
    if (state == NULL) {
        return complain("bench: out of memory");
    }
    memset(state, 0, sizeof *state);
    state->scene = race->scene;
    fill_def(state, race, variant);
    contestant *entered = &race->contestants[race->count++];
    memset(entered, 0, sizeof *entered);
    dent_context_def def = dent_context_def_default();
    def.thread_count = threads;
    def.isa = race->isa;
    if (race->watch_loops) {
        entered->watch = loop_watch_open(race->scene->context, threads, race->cpu_time, race->frames);
        def.parallel = entered->watch != NULL ? loop_watch_hook(entered->watch) : def.parallel;
    }
    bool watched = (entered->watch != NULL) == race->watch_loops;
    state->context = watched ? dent_context_create(&def, NULL) : NULL;
    state->world = state->context != NULL ? dent_world_create(state->context) : NULL;
    snprintf(entered->name, sizeof entered->name, "%s%s", dent_method_name(variant->method), variant->suffix);
    entered->threads = threads;
    entered->state = state;
    entered->ask = ask_method;
    entered->answer = answer_of_method;
    entered->costs = costs_of_method;
    entered->peak_bytes = peak_of_method;
    entered->hash = hash_of_method;
    entered->close = close_method;
    if (state->world == NULL) {
        return complain("bench: %s: out of memory", entered->name);
    }
    if (bench_scene_fill(race->scene, state->world) != DENT_OK) {
        return complain("bench: %s: %s", race->scene->name, dent_world_message(state->world));
    }
    return STATUS_GOOD;
}

static double number_of_features(const bench_scene *scene, dent_feature_kind kind)
{
    return kind == DENT_FEATURE_VERTEX ? scene->used_count
           : kind == DENT_FEATURE_FACE ? scene->face_count
                                       : scene->cell_count;
}

/* Too slow to be worth waiting for at this size; the questions decide how many pairs the oracle looks at. */
static bool is_too_slow(const bench_race *race, dent_method method)
{
    double pairs = race->questions == DENT_QUESTION_STRAND ? 0.5 * race->scene->edge_count * race->scene->edge_count : 0;
    for (unsigned i = 0; i < DENT_DISCRETE_QUESTION_COUNT; i++) {
        const dent_question_info *info = dent_question_info_at(i);
        const dent_feature_pair *sides = &info->features[0];
        if ((race->questions & info->question) != 0) {
            pairs += number_of_features(race->scene, sides->a) * number_of_features(race->scene, sides->b) /
                     (sides->a == sides->b ? 2 : 1);
        }
    }
    return method == DENT_METHOD_BRUTE_FORCE ? pairs > 2e7 : method == DENT_METHOD_SWEEP ? pairs > 2e10 : false;
}

static int enter_methods(bench_race *race, dent_method only, bool variants, uint32_t threads)
{
    for (int i = 0; i < VARIANT_COUNT; i++) {
        const method_variant *variant = &variant_table[i];
        bool asked_for = only == DENT_METHOD_AUTO ? !is_too_slow(race, variant->method) : only == variant->method;
        bool able = bench_method_answers(variant->method, race->questions);
        bool plain = variant->suffix[0] == '\0' && variant->method != DENT_METHOD_AUTO;
        if (!asked_for || !able || (!plain && !variants)) {
            continue;
        }
        int status = race->count < CONTESTANT_LIMIT ? enter_method(race, variant, threads)
                                                    : complain("bench: more than %d contestants", CONTESTANT_LIMIT);
        if (status != STATUS_GOOD) {
            return status;
        }
    }
    return STATUS_GOOD;
}

int bench_enter_methods(bench_race *race, dent_method only, bool variants)
{
    return enter_methods(race, only, variants, race->threads);
}

int bench_enter_alone(bench_race *race, dent_method only, bool variants)
{
    return race->threads > 1 ? enter_methods(race, only, variants, 1) : STATUS_GOOD;
}
