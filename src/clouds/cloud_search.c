/* Searches between two clouds as objects: created, begun at poses, run in slices. In: two clouds. Out: an answer with the
 * points found so far and how sure it is. */
#include "clouds/cloud_search.h"

#include "clouds/cloud_pose.h"

enum { SPLITS_A_READING = 8 };

dent_cloud_search_def dent_cloud_search_def_default(void)
{
    dent_cloud_search_def def;
    memset(&def, 0, sizeof def);
    def.struct_size = sizeof def;
    def.function = DENT_CLOUD_SPHERE_FIT;
    def.resolution_radii = 2.0;
    def.certainty = 4.6;
    def.tolerance_radii = 0.05;
    def.point_capacity = 65536;
    return def;
}

const char *dent_cloud_answer_name(dent_cloud_answer answer)
{
    static const char *const names[] = {"no", "yes", "unknown"};
    return (unsigned)answer < sizeof names / sizeof names[0] ? names[answer] : NULL;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static dent_status check_def(dent_context *context, const dent_cloud_search_def *def)
{
    if (def->struct_size != sizeof *def) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "the def was not made by dent_cloud_search_def_default()");
    }
    if (!def->cloud_a || !def->cloud_b) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "cloud_%c is null", def->cloud_a ? 'b' : 'a');
    }
    if (!cloud_function_row(def->function)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "function: invalid dent_cloud_function value %d",
                         (int)def->function);
    }
    if (!(def->resolution_radii > 0.0 && def->resolution_radii <= 16.0)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "resolution_radii: expected above 0, at most 16; got %g",
                         def->resolution_radii);
    }
    if (!(def->certainty >= 0.0 && def->certainty <= 40.0)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "certainty: expected 0 to 40; got %g", def->certainty);
    }
    if (!(def->tolerance_radii > 0.0 && def->tolerance_radii <= 1.0)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "tolerance_radii: expected above 0, at most 1; got %g",
                         def->tolerance_radii);
    }
    if (def->point_capacity < 1 || def->point_capacity > UINT32_C(1) << 28) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "point_capacity: expected 1 to 2^28; got %u",
                         (unsigned)def->point_capacity);
    }
    return DENT_OK;
}

static bool make_side(dent_cloud_search *search, struct search_side *side, const dent_cloud *cloud)
{
    uint32_t leaves = cloud->tree.leaf_count;
    side->cloud = cloud;
    side->near = dent_allocate(search->context, leaves, sizeof *side->near);
    side->leaves = dent_allocate(search->context, leaves, sizeof *side->leaves);
    return side->near && side->leaves &&
           (!search->row->needs_paths || cloud_paths_init(&side->paths, search->context, cloud->count));
}

dent_status dent_cloud_search_create(dent_context *context, const dent_cloud_search_def *def,
                                     dent_cloud_search **search)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, def);
    DENT_REQUIRE(context, search);
    dent_status status = check_def(context, def);
    if (status) {
        return status;
    }
    dent_cloud_search *made = dent_allocate(context, 1, sizeof *made);
    if (made) {
        *made = (dent_cloud_search){.context = context, .def = *def, .row = cloud_function_row(def->function)};
        array_init(&made->pairs, context, sizeof(struct node_pair));
        array_init(&made->points, context, sizeof(dent_cloud_crossing));
        made->kernels = cloud_kernels_for(dent_context_isa(context));
        made->side[0].cloud = def->cloud_a;
        made->side[1].cloud = def->cloud_b;
        made->side[0].paths.context = made->side[1].paths.context = context;
    }
    if (!made || !make_side(made, &made->side[0], def->cloud_a) || !make_side(made, &made->side[1], def->cloud_b)) {
        dent_cloud_search_destroy(made);
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "no memory for a search between clouds");
    }
    *search = made;
    return DENT_OK;
}

void dent_cloud_search_destroy(dent_cloud_search *search)
{
    if (!search) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        struct search_side *side = &search->side[i];
        cloud_paths_destroy(&side->paths);
        dent_release(search->context, side->leaves, side->cloud->tree.leaf_count, sizeof *side->leaves);
        dent_release(search->context, side->near, side->cloud->tree.leaf_count, sizeof *side->near);
    }
    array_destroy(&search->points);
    array_destroy(&search->pairs);
    dent_release(search->context, search, 1, sizeof *search);
}

/* ---- beginning --------------------------------------------------------------------------------------------------- */

struct begin_call {
    dent_cloud_search *search;
    const dent_pose *poses[2];
    uint64_t seed;
};

static dent_status begin(void *data)
{
    const struct begin_call *call = data;
    dent_cloud_search *search = call->search;
    double rotation[2][9], translation[2][3];
    for (int i = 0; i < 2; i++) {
        if (!cloud_pose_read(call->poses[i], rotation[i], translation[i])) {
            return dent_fail(search->context, DENT_ERROR_BAD_NUMBER, "pose_%c: finite lengths of at most 1e100 and a quaternion other than 0 expected", "ab"[i]);
        }
    }
    if (!array_reserve_growing(&search->pairs, 64)) {
        return dent_fail(search->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for a search between clouds");
    }
    for (int i = 0; i < 2; i++) {
        struct search_side *side = &search->side[i];
        memcpy(side->rotation, rotation[i], sizeof side->rotation);
        memcpy(side->translation, translation[i], sizeof side->translation);
        side->revision = side->cloud->revision;
        side->draws = side->draws_planned = side->points = side->leaf_count = 0;
    }
    double radius_a = search->side[0].cloud->info.radius, radius_b = search->side[1].cloud->info.radius;
    double radius = radius_a < radius_b ? radius_a : radius_b;
    search->resolution = radius * search->def.resolution_radii;
    search->bracket_length = 4.0 * search->resolution;
    search->tolerance = radius * search->def.tolerance_radii;
    search->seed = call->seed;
    search->result = (dent_cloud_result){0};
    for (int i = 0; i < 2; i++) { /* without a surface there is nothing to be apart */
        const dent_cloud *cloud = search->side[i].cloud;
        search->result.undefined += cloud->info.isolated == cloud->count ? cloud->count : 0;
    }
    search->granted = search->used = search->bottom_pairs = 0;
    search->is_full = false;
    array_clear(&search->points);
    search->phase = SEARCH_PAIRS;
    search_pairs_begin(search); /* there is room */
    return DENT_OK;
}

dent_status dent_cloud_search_begin(dent_cloud_search *search, const dent_pose *pose_a, const dent_pose *pose_b,
                                    uint64_t seed)
{
    DENT_REQUIRE(NULL, search);
    return dent_call_guarded(search->context, begin, &(struct begin_call){search, {pose_a, pose_b}, seed});
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

struct run_call {
    dent_cloud_search *search;
    dent_budget budget;
    bool interrupted;
    dent_cloud_result *result;
    uint64_t start, last; /* readings of the clock */
};

/* One step; false: no memory. */
static bool advance(dent_cloud_search *search)
{
    bool is_decided = search->def.first_only && search->points.count > 0;
    if (search->phase == SEARCH_PAIRS && search->pairs.count > 0 && !is_decided) {
        return search_split(search);
    }
    if (search->phase == SEARCH_PAIRS && !is_decided) {
        search_plan_draws(search);
        search->phase = SEARCH_DRAWS;
        return true;
    }
    if (is_decided || search->is_full ||
        search->side[0].draws + search->side[1].draws ==
            search->side[0].draws_planned + search->side[1].draws_planned) {
        search->phase = SEARCH_DONE;
        return true;
    }
    return search_draw(search);
}

/* Reads the clock and the caller's flag; true: the deadline has passed, or the flag is set. */
static bool read_clock(struct run_call *call)
{
    uint64_t now = dent_clock_ns(), batch = now - call->last;
    call->search->result.worst_batch_ns =
        batch > call->search->result.worst_batch_ns ? batch : call->search->result.worst_batch_ns;
    call->last = now;
    const int *flag = call->budget.interrupt;
    call->interrupted = flag && __atomic_load_n(flag, __ATOMIC_RELAXED) != 0;
    return call->interrupted || (double)(now - call->start) >= call->budget.ns;
}

static double miss_probability(const dent_cloud_search *search)
{
    if (search->phase == SEARCH_PAIRS) {
        return search->points.count ? 0.0 : 1.0;
    }
    if (search->points.count == 0 && search->result.undefined > 0) {
        return 1.0; /* draws say nothing where there is no surface to cross */
    }
    if (search->def.first_only && search->points.count > 0) {
        return 0.0;
    }
    double a = search_miss_probability(&search->side[0]), b = search_miss_probability(&search->side[1]);
    return a < b ? a : b;
}

static void write_result(const dent_cloud_search *search, dent_cloud_result *result)
{
    bool is_done = search->phase == SEARCH_DONE;
    *result = search->result;
    result->outcome = search->is_full ? DENT_OUTCOME_TRUNCATED
                      : is_done       ? DENT_OUTCOME_COMPLETE
                                      : DENT_OUTCOME_BUDGET_SPENT;
    result->points = search->points.data;
    result->point_count = (uint32_t)search->points.count;
    result->answer = search->points.count > 0                   ? DENT_CLOUD_YES
                     : is_done && search->result.undefined == 0 ? DENT_CLOUD_NO
                                                                : DENT_CLOUD_UNKNOWN;
    result->miss_probability = miss_probability(search);
    result->resolution = search->resolution;
    result->pending_count = (uint32_t)search->pairs.count;
    for (size_t i = 0; i < search->pairs.count; i++) {
        double depth = ((const struct node_pair *)search->pairs.data)[i].depth;
        result->pending_depth = depth > result->pending_depth ? depth : result->pending_depth;
    }
    result->work_units = search->used;
    result->near_a = search->side[0].points;
    result->near_b = search->side[1].points;
    result->draws_planned = search->side[0].draws_planned + search->side[1].draws_planned;
}

static dent_status run(void *data)
{
    struct run_call *call = data;
    dent_cloud_search *search = call->search;
    uint64_t units = call->budget.work_units;
    search->granted = units > UINT64_MAX - search->granted ? UINT64_MAX : search->granted + units;
    search->result.worst_batch_ns = 0;
    call->start = call->last = dent_clock_ns();
    bool is_late = read_clock(call);
    for (uint32_t step = 0; search->phase != SEARCH_DONE && search->used < search->granted && !is_late; step++) {
        if (!advance(search)) {
            return dent_fail(search->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for a search between clouds");
        }
        if (search->phase != SEARCH_PAIRS || step % SPLITS_A_READING == 0) {
            is_late = read_clock(call);
        }
    }
    if (is_late && search->granted != UINT64_MAX) {
        search->granted = search->used; /* units left unused at a deadline lapse */
    }
    write_result(search, call->result);
    if (call->interrupted && call->result->outcome == DENT_OUTCOME_BUDGET_SPENT) {
        call->result->outcome = DENT_OUTCOME_CANCELLED;
    }
    call->result->ns = dent_clock_ns() - call->start;
    double over = (double)call->result->ns - call->budget.ns;
    call->result->overrun_ns = over > 0.0 ? (uint64_t)over : 0;
    return DENT_OK;
}

dent_status dent_cloud_search_run(dent_cloud_search *search, dent_budget budget, dent_cloud_result *result)
{
    DENT_REQUIRE(NULL, search);
    DENT_REQUIRE(search->context, result);
    if (!(budget.ns >= 0.0)) {
        return dent_fail(search->context, DENT_ERROR_BAD_NUMBER, "ns: expected 0 or more; got %g", budget.ns);
    }
    if (search->phase == SEARCH_NOT_BEGUN) {
        return dent_fail(search->context, DENT_ERROR_INVALID_ARGUMENT, "dent_cloud_search_begin was never called");
    }
    for (int i = 0; i < 2; i++) {
        if (search->side[i].revision != search->side[i].cloud->revision) {
            return dent_fail(search->context, DENT_ERROR_INVALID_ARGUMENT, "cloud_%c was updated since begin", "ab"[i]);
        }
    }
    struct run_call call = {.search = search, .budget = budget, .result = result};
    return dent_call_guarded(search->context, run, &call);
}
