/* bench_methods.c — dent's methods as contestants: each in a context and a world of its own, so that memory is counted
 * apart. Barycentric coordinates and segments are left out (`no_details`): peers do not compute them either. */
#include "bench_run.h"

#include "interrupt.h"
#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A method with the parameters it is asked with. The plain row of each method comes first. */
typedef struct method_variant {
    dent_method method;
    const char *suffix;
    bool paper_hash, sorted_tree, no_certificate, no_culling, promised;
} method_variant;

static const method_variant variant_table[] = {
    {DENT_METHOD_CLUSTER_SEARCH, "", false, false, false, false, false},
    {DENT_METHOD_CONTOUR_WALK, "", false, false, false, false, false},
    {DENT_METHOD_SURFACE_TREE, "", false, false, false, false, false},
    {DENT_METHOD_SPATIAL_HASH, "", false, false, false, false, false},
    {DENT_METHOD_BUCKET_TREE, "", false, false, false, false, false},
    {DENT_METHOD_SWEEP, "", false, false, false, false, false},
    {DENT_METHOD_BRUTE_FORCE, "", false, false, false, false, false},
    {DENT_METHOD_AUTO, "", false, false, false, false, false},
    {DENT_METHOD_CONTOUR_WALK, "/promised", false, false, false, false, true},
    {DENT_METHOD_CLUSTER_SEARCH, "/no-certificate", false, false, true, false, false},
    {DENT_METHOD_SURFACE_TREE, "/no-culling", false, false, false, true, false},
    {DENT_METHOD_SPATIAL_HASH, "/paper", true, false, false, false, false},
    {DENT_METHOD_BUCKET_TREE, "/sorted", false, true, false, false, false},
};
enum { VARIANT_COUNT = sizeof variant_table / sizeof variant_table[0] };

typedef struct method_state {
    const bench_scene *scene;
    dent_context *context;
    dent_world *world;
    dent_query_def def;
    dent_spatial_hash_def spatial_hash;
    dent_bucket_tree_def bucket_tree;
    dent_cluster_search_def cluster_search;
    dent_surface_tree_def surface_tree;
    dent_contour_walk_def contour_walk;
    dent_query_result result;
    uint64_t allocations_before;
} method_state;

static const dent_pair_list *list_of(const dent_query_result *result, dent_question question)
{
    return question == DENT_QUESTION_VERTEX_CELL ? &result->vertex_cell
           : question == DENT_QUESTION_FACE_CELL ? &result->face_cell
                                                 : &result->face_face;
}

static int ask_method(contestant *self)
{
    method_state *state = self->state;
    state->allocations_before = dent_context_memory_use(state->context).allocations;
    if (self->watch != NULL) {
        loop_watch_begin(self->watch);
    }
    dent_status status = dent_world_query(state->world, &state->def, &state->result);
    if (self->watch != NULL && status == DENT_OK) {
        loop_watch_end(self->watch, &state->result.counters);
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

static bool answer_of_method(contestant *self, dent_question question, pair_keys *list)
{
    const method_state *state = self->state;
    const dent_pair_list *pairs = list_of(&state->result, question);
    if (!pair_keys_reserve(list, pairs->count)) {
        return false;
    }
    list->count = pairs->count;
    const bench_body *bodies = state->scene->bodies;
    for (uint64_t i = 0; i < pairs->count; i++) {
        const dent_pair *pair = &pairs->pairs[i];
        const bench_body *a = &bodies[pair->body_a], *b = &bodies[pair->body_b];
        uint64_t number_a =
            (question == DENT_QUESTION_VERTEX_CELL ? a->first_vertex : a->first_face) + (uint64_t)pair->feature_a;
        uint64_t number_b =
            (question == DENT_QUESTION_FACE_FACE ? b->first_face : b->first_cell) + (uint64_t)pair->feature_b;
        list->keys[i] = number_a << 32 | number_b;
    }
    return true;
}

static void costs_of_method(contestant *self, turn_costs *costs)
{
    const method_state *state = self->state;
    const dent_query_counters *counters = &state->result.counters;
    costs->candidates = (double)counters->candidates;
    costs->allocations = (double)(dent_context_memory_use(state->context).allocations - state->allocations_before);
    const uint64_t spent[PHASE_COUNT] = {counters->ns_prepare, counters->ns_search,  counters->ns_finish,
                                         counters->ns_refit,   counters->ns_culling, counters->ns_traversal,
                                         counters->ns_filters, counters->ns_narrow};
    bool parts_told = counters->ns_refit > 0;
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        costs->phase_ms[phase] = phase < 3 || parts_told ? (double)spent[phase] * 1e-6 : NAN;
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
    return dent_pair_list_hash(state->world, question, list_of(&state->result, question));
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
    if (variant->paper_hash) {
        state->spatial_hash = dent_spatial_hash_def_default();
        state->spatial_hash.paper_form = true;
        state->def.spatial_hash = &state->spatial_hash;
    }
    if (variant->sorted_tree) {
        state->bucket_tree = dent_bucket_tree_def_default();
        state->bucket_tree.sorted_coordinates = true;
        state->def.bucket_tree = &state->bucket_tree;
    }
    if (variant->no_certificate) {
        state->cluster_search = dent_cluster_search_def_default();
        state->cluster_search.no_certificate = true;
        state->def.cluster_search = &state->cluster_search;
    }
    if (variant->promised) {
        state->contour_walk = dent_contour_walk_def_default();
        state->contour_walk.cells_are_positive = true;
        state->def.contour_walk = &state->contour_walk;
    }
    if (variant->no_culling) {
        state->surface_tree = dent_surface_tree_def_default();
        state->surface_tree.no_culling = true;
        state->def.surface_tree = &state->surface_tree;
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

/* Too slow to be worth waiting for at this size; the questions decide how many pairs the oracle looks at. */
static bool is_too_slow(const bench_race *race, dent_method method)
{
    const bench_scene *scene = race->scene;
    double pairs = 0;
    if ((race->questions & DENT_QUESTION_VERTEX_CELL) != 0) {
        pairs += (double)scene->used_count * scene->cell_count;
    }
    if ((race->questions & DENT_QUESTION_FACE_CELL) != 0) {
        pairs += (double)scene->face_count * scene->cell_count;
    }
    if ((race->questions & DENT_QUESTION_FACE_FACE) != 0) {
        pairs += (double)scene->face_count * scene->face_count / 2;
    }
    return method == DENT_METHOD_BRUTE_FORCE ? pairs > 2e7 : method == DENT_METHOD_SWEEP ? pairs > 2e10 : false;
}

static int enter_methods(bench_race *race, dent_method only, bool variants, uint32_t threads)
{
    for (int i = 0; i < VARIANT_COUNT; i++) {
        const method_variant *variant = &variant_table[i];
        bool asked_for = only == DENT_METHOD_AUTO ? !is_too_slow(race, variant->method) : only == variant->method;
        bool able = (dent_method_questions(variant->method) & race->questions) == race->questions;
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
