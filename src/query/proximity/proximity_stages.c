/* The stages that proximity and strand have in common: what a world keeps, what a search begins with, which searches a
 * method runs, and the canonical lists. */
#include "bodies/strand_body.h"
#include "bodies/strand_rules.h"
#include "query/proximity/proximity_search.h"

/* ---- what the world keeps ------------------------------------------------------------------------------------------ */

static void init_state(dent_context *context, void *data)
{
    struct proximity_state *state = data;
    state->context = context;
    answer_list_init(&state->vertex_face, context, NULL, DENT_FEATURE_VERTEX);
    answer_list_init(&state->edge_edge, context, NULL, DENT_FEATURE_EDGE);
    array_init(&state->records, context, sizeof(dent_proximity));
    strand_packets_init(&state->packets, context);
    block_output_init(&state->near_packets, context, 3 * sizeof(uint32_t));
    array_init(&state->strand_pairs, context, sizeof(dent_pair));
}

static void destroy_state(dent_context *context, void *data)
{
    struct proximity_state *state = data;
    (void)context;
    answer_list_destroy(&state->vertex_face);
    answer_list_destroy(&state->edge_edge);
    array_destroy(&state->records);
    strand_packets_destroy(&state->packets);
    block_output_destroy(&state->near_packets);
    array_destroy(&state->strand_pairs);
}

const struct world_slot_kind proximity_slot = {sizeof(struct proximity_state), init_state, destroy_state};

/* ---- the beginning ------------------------------------------------------------------------------------------------- */

/* Of thick strands. The oracle sums for each pair. */
static bool measure_arcs(struct proximity_search *search)
{
    const struct snapshot *snapshot = search->snapshot;
    if (!search->has_strands || search->method == DENT_METHOD_BRUTE_FORCE) {
        return true;
    }
    search->arcs = arena_allocate_cleared(search->scratch, snapshot->body_count, sizeof *search->arcs);
    for (uint32_t body_index = 0; search->arcs && body_index < snapshot->body_count; body_index++) {
        const struct body_snapshot *strands = &snapshot->bodies[body_index];
        if (!body_has_segments(strands->body) || !bodies_may_meet(strands->body, strands->body) ||
            !strand_arcs_pay(strands, search->thickness[body_index])) {
            continue;
        }
        double *arcs = arena_allocate(search->scratch, strands->body->vertex_count, sizeof *arcs);
        if (!arcs) {
            return false;
        }
        strand_arcs_fill(strands, arcs);
        search->arcs[body_index] = arcs;
    }
    return search->arcs != NULL;
}

bool proximity_prepare(struct proximity_search *search, double of_query)
{
    const struct snapshot *snapshot = search->snapshot;
    double *thickness = arena_allocate(search->scratch, snapshot->body_count, sizeof *thickness);
    search->workers =
        arena_allocate_cleared(search->scratch, dent_context_worker_count(search->context), sizeof *search->workers);
    if (!thickness || !search->workers) {
        return false;
    }
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        const struct body *body = snapshot->bodies[body_index].body;
        thickness[body_index] = body_thickness(body, of_query);
        search->has_strands |= body_has_segments(body);
        search->has_surfaces |= !body_has_segments(body);
    }
    search->thickness = thickness;
    return measure_arcs(search);
}

/* ---- the searches -------------------------------------------------------------------------------------------------- */

bool proximity_run(struct proximity_search *search)
{
    bool packets = proximity_uses_packets(search), grid = search->method == DENT_METHOD_STRAND_GRID;
    bool forest = !(packets || grid) || search->has_surfaces;
    if (search->method == DENT_METHOD_BRUTE_FORCE) {
        return proximity_try_every_pair(search);
    }
    search->more_blocks = grid ? proximity_grid_blocks(search->snapshot) : 0;
    if (!(forest ? proximity_search_forest(search) : proximity_begin(search, search->more_blocks))) {
        return false;
    }
    return (!grid || proximity_search_grid(search)) && (!packets || proximity_search_packets(search));
}

/* ---- the lists ----------------------------------------------------------------------------------------------------- */

static bool pair_before(const dent_pair *a, const dent_pair *b)
{
    return a->body_a != b->body_a       ? a->body_a < b->body_a
           : a->feature_a != b->feature_a ? a->feature_a < b->feature_a
           : a->body_b != b->body_b       ? a->body_b < b->body_b
                                          : a->feature_b < b->feature_b;
}

/* Two canonical lists become one, in the place of the first. */
static bool merge_lists(struct dynamic_array *list, const struct dynamic_array *other)
{
    size_t left = list->count, more = other->count;
    if (!array_extend(list, more)) {
        return false;
    }
    dent_pair *pairs = list->data;
    const dent_pair *others = other->data;
    for (size_t end = left + more; more > 0; end--) {
        bool from_list = left > 0 && pair_before(&others[more - 1], &pairs[left - 1]);
        pairs[end - 1] = from_list ? pairs[--left] : others[--more];
    }
    return true;
}

bool proximity_list(struct proximity_search *search)
{
    struct proximity_state *state = search->state;
    if (!answer_list_sort(&state->vertex_face, search->snapshot, search->scratch) ||
        !answer_list_sort(&state->edge_edge, search->snapshot, search->scratch)) {
        return false;
    }
    if (!proximity_uses_packets(search)) {
        return true;
    }
    bool alone = state->edge_edge.pairs.count == 0;
    return proximity_list_packets(search, alone ? &state->edge_edge.pairs : &state->strand_pairs) &&
           (alone || merge_lists(&state->edge_edge.pairs, &state->strand_pairs));
}

/* ---- the end ------------------------------------------------------------------------------------------------------- */

void proximity_count(const struct proximity_search *search, dent_query_counters *counters)
{
    for (uint32_t worker = 0; search->workers && worker < dent_context_worker_count(search->context); worker++) {
        counters->box_tests += search->workers[worker].box_tests;
        counters->candidates += search->workers[worker].candidates;
    }
    counters->rebuilds = search->rebuilds;
}
