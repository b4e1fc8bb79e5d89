/* Surface tree: face-face over a hierarchy of surface leaves (surface_forest.h, surface_crossings.h).
 *
 * The faces of every body are cut once, from the connectivity, into leaves of at most 16 faces that are neighbours on
 * the mesh; a query refits boxes, proves what parts of each surface cannot cross themselves (surface_culling.h), and
 * compares what is left, sixteen faces at a time, faces with a common vertex taken out before any geometry. Decides
 * exactly itself, so that the sink gets answers.
 *
 * In: a snapshot. Out: the answers of face-face. Between queries: the leaves and who is a neighbour of whom.
 */
#include "methods/interface/method_table.h"

#include "structures/surface/surface_crossings.h"
#include "structures/surface/surface_culling.h"
#include "structures/surface/surface_regions.h"
#include "structures/surface/surface_tree.h"

/* Leaves cut in another way than the world's are for experiments and have a forest of their own. */
struct tree_state {
    struct surface_forest experiment;
};

_Static_assert((int)DENT_SURFACE_LEAVES_MERGED == (int)REGION_CUT_MERGE &&
                   (int)DENT_SURFACE_LEAVES_MEDIAN == (int)REGION_CUT_MEDIAN &&
                   (int)DENT_SURFACE_LEAVES_CURVE == (int)REGION_CUT_MORTON,
               "the caller's names of the cuts are those of the structure");

static dent_status check_experiments(const struct search_request *request)
{
    uint32_t directions = request->experiments->surface_tree.directions;
    int leaves = (int)request->experiments->surface_tree.leaves;
    if (directions != 0 && directions != 6 && directions != 14 && directions != 18 && directions != 26) {
        return message_fail(request->message, DENT_ERROR_INVALID_ARGUMENT,
                            "volumes of %u directions: 6, 14, 18 and 26 are possible", (unsigned)directions);
    }
    if ((unsigned)leaves >= REGION_CUT_COUNT) {
        return message_fail(request->message, DENT_ERROR_INVALID_ARGUMENT,
                            "leaves: invalid dent_surface_leaves value %d", leaves);
    }
    return DENT_OK;
}

static struct surface_forest *forest_for(struct tree_state *state, const struct search_request *request)
{
    uint32_t directions = request->experiments->surface_tree.directions;
    int axis_count = directions ? (int)directions / 2 : 3, cut = (int)request->experiments->surface_tree.leaves;
    bool keep_leaves = request->experiments->surface_tree.keep_leaves;
    if (cut == REGION_CUT_MERGE && axis_count == 3 && !keep_leaves) {
        return request->forest;
    }
    state->experiment.cut = cut;
    state->experiment.axis_count = axis_count;
    state->experiment.keep_leaves = keep_leaves;
    return &state->experiment;
}

static bool begin_answers(void *user, uint32_t block_count)
{
    struct candidate_sink *sink = user;
    return sink->begin(sink, DENT_QUESTION_FACE_FACE, block_count);
}

static void take_answers(void *user, uint32_t block, uint32_t worker, const dent_pair *pairs, size_t count)
{
    struct candidate_sink *sink = user;
    sink->answer(sink, DENT_QUESTION_FACE_FACE, block, worker, pairs, count);
}

static dent_status out_of_memory(const struct search_request *request)
{
    return message_fail(request->message, DENT_ERROR_OUT_OF_MEMORY, "out of memory in the surface tree");
}

static dent_status search_surfaces(void *data, const struct search_request *request, struct candidate_sink *sink)
{
    struct tree_state *state = data;
    bool culling = !request->experiments->surface_tree.no_culling;
    dent_method_counters *own = request->method_counters;
    dent_status status = check_experiments(request);
    if (status != DENT_OK) {
        return status;
    }
    struct surface_forest *forest = forest_for(state, request);
    uint64_t began = dent_clock_ns();
    if (!surface_forest_update(forest, request->snapshot, request->scratch)) {
        return out_of_memory(request);
    }
    request->counters->rebuilds += forest->rebuilds;
    /* A face that is a point lies in a plane with any other and has no area: at most it touches. */
    const struct forest_refit refit = {.snapshot = request->snapshot, .leave_out_points = !request->def->touching};
    if (!surface_forest_refit(forest, &refit, request->isa, request->scratch)) {
        return out_of_memory(request);
    }
    uint64_t refitted = dent_clock_ns();
    struct culling_counts culled = {0};
    if (culling && !surface_culling_run(forest, request->snapshot, request->isa, request->scratch, &culled)) {
        return out_of_memory(request);
    }
    own->surface_tree.ns_refit = refitted - began;
    own->surface_tree.ns_culling = dent_clock_ns() - refitted;
    own->surface_tree.neighbours += culled.pairs;
    own->surface_tree.neighbours_culled += culled.nodes_culled + culled.pairs_culled;
    own->surface_tree.regions_tested += culled.regions_tested;
    struct crossing_search search = {.forest = forest,
                                     .snapshot = request->snapshot,
                                     .isa = request->isa,
                                     .cancel = request->cancel,
                                     .touching = request->def->touching,
                                     .culling = culling,
                                     .user = sink,
                                     .begin = begin_answers,
                                     .take = take_answers};
    if (!surface_crossings_find(&search, request->scratch)) {
        return out_of_memory(request);
    }
    sink->count_box_tests(sink, 0, search.box_tests);
    sink->count_cells_visited(sink, 0, search.leaf_pairs);
    sink->predicates(sink, 0)->exact_fallbacks += search.predicates.exact_fallbacks;
    request->counters->candidates += search.candidates;
    own->surface_tree.ns_traversal = search.ns_walk;
    own->surface_tree.ns_filters = search.ns_filter;
    own->surface_tree.ns_narrow = search.ns_narrow;
    return DENT_OK;
}

static dent_status create_state(dent_context *context, void **state)
{
    struct tree_state *fresh = dent_allocate(context, 1, sizeof *fresh);
    if (!fresh) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    surface_forest_init(&fresh->experiment, context);
    *state = fresh;
    return DENT_OK;
}

static void destroy_state(dent_context *context, void *data)
{
    struct tree_state *state = data;
    surface_forest_destroy(&state->experiment);
    dent_release(context, state, 1, sizeof *state);
}

const struct method_row surface_tree_method = {
    .method = DENT_METHOD_SURFACE_TREE,
    .name = "surface-tree",
    .summary = "leaves of neighbouring faces under a refitted tree of boxes, culled where the surface is flat enough "
               "not to cross itself; O(n), for surfaces that deform",
    .questions = DENT_QUESTION_FACE_FACE,
    .create = create_state,
    .destroy = destroy_state,
    .search = search_surfaces,
};
