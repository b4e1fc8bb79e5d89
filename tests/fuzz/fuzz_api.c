/* Fuzzer for the public interface: the input is read as a list of calls with random defs (sizes, indices, cell kinds,
 * ties, positions with NaN and wild exponents, filters, stale ids). Nothing may crash, leak or loop; where a query is
 * answered, sweep and oracle must agree.
 */
#include "fuzz_api_input.h"

/* Of the lists of all questions. */
static uint64_t hash_of(const dent_world *world, const dent_query_result *result)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < DENT_DISCRETE_QUESTION_COUNT; i++) {
        dent_question question = dent_question_info_at(i)->question;
        hash = hash * 31 + dent_pair_list_hash(world, question, dent_query_result_list(result, question));
    }
    return hash;
}

static void ask(struct input *input, dent_world *world)
{
    dent_query_def def = dent_query_def_default();
    dent_query_result result;
    def.questions = take(input, DENT_DISCRETE_QUESTIONS + 2); /* unknown bits as well */
    def.touching = take(input, 2);
    def.surface_vertices_only = take(input, 2);
    def.method = (dent_method)take(input, 2) ? DENT_METHOD_BRUTE_FORCE : (dent_method)take(input, 5);
    if (dent_world_query(world, &def, &result) != DENT_OK || result.counters.method != DENT_METHOD_BRUTE_FORCE) {
        return;
    }
    uint64_t hash = hash_of(world, &result);
    def.method = DENT_METHOD_SWEEP;
    if (def.questions & ~dent_method_questions(def.method)) {
        return;
    }
    if (dent_world_query(world, &def, &result) != DENT_OK || hash != hash_of(world, &result)) {
        abort();
    }
}

/* Surface tree and oracle must agree bit for bit. */
static void ask_what_is_near(struct input *input, dent_world *world, const struct model *models)
{
    dent_proximity_def def = dent_proximity_def_default();
    dent_proximity_result result;
    dent_body_set_thickness(world, models[take(input, BODIES)].id, take_number(input));
    def.thickness = take_number(input);
    def.closest_features_only = take(input, 2);
    def.pair_limit = take(input, 4) ? UINT32_MAX : take(input, 0);
    def.method = DENT_METHOD_BRUTE_FORCE;
    def.struct_size -= take(input, 50) == 0;
    dent_status status = dent_world_proximity(world, &def, &result);
    uint64_t count = status == DENT_OK ? result.count : 0, size = count * sizeof *result.pairs;
    dent_proximity *pairs = status == DENT_OK && count > 0 ? malloc(size) : NULL;
    if (pairs) {
        memcpy(pairs, result.pairs, size);
    }
    def.method = DENT_METHOD_SURFACE_TREE;
    if (dent_world_proximity(world, &def, &result) != status || (status == DENT_OK && result.count != count) ||
        (pairs && memcmp(pairs, result.pairs, size) != 0)) {
        abort();
    }
    free(pairs);
}

static void check(struct input *input, dent_world *world)
{
    dent_check_def def = dent_check_def_default();
    dent_check_result result;
    def.self = take(input, 2);
    def.ignore_touching = take(input, 2);
    def.tolerance = take(input, 4) ? 0 : take_number(input);
    dent_world_check(world, &def, &result);
}

static void measure(struct input *input, dent_world *world, const struct model *models)
{
    dent_body_id id = models[take(input, BODIES)].id;
    dent_body_metrics numbers;
    dent_body_topology topology;
    uint32_t count;
    dent_body_get_metrics(world, id, &numbers);
    dent_body_get_topology(world, id, &topology);
    dent_body_surface_faces(world, id, &count);
    dent_body_edges(world, id, &count);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct input input = {bytes, size, 0};
    static struct model models[BODIES];
    dent_context_def context_def = fuzz_context_def();
    dent_context *context = dent_context_create(&context_def, NULL);
    dent_world *world = dent_world_create(context);
    memset(models, 0, sizeof models);
    for (int call = 0; call < 24 && input.next < input.size; call++) {
        struct model *model = &models[take(&input, BODIES)];
        dent_body_def def;
        switch (take(&input, 9)) {
        case 0:
        case 1:
        case 2:
            if (!dent_world_has_body(world, model->id)) {
                def = take_def(&input, model, models);
                dent_world_add_body(world, &def, &model->id);
            }
            break;
        case 3:
            dent_world_remove_body(world, model->id);
            break;
        case 4: {
            struct model *fresh = &models[take(&input, BODIES)];
            if (!dent_world_has_body(world, fresh->id)) { /* its arrays are free to be written */
                def = take_def(&input, fresh, models);
                if (dent_body_set_topology(world, model->id, &def) == DENT_OK) {
                    struct model swap = *model; /* positions are borrowed from fresh: change places */
                    *model = *fresh;
                    *fresh = swap;
                    fresh->id = (dent_body_id){0};
                    model->id = swap.id;
                    dent_positions positions = dent_positions_double(model->xyz[0]);
                    dent_body_set_positions(world, model->id, &positions, NULL);
                }
            }
            break;
        }
        case 5:
            measure(&input, world, models);
            break;
        case 6:
            check(&input, world);
            break;
        case 7:
            ask_what_is_near(&input, world, models);
            break;
        default:
            ask(&input, world);
            break;
        }
    }
    dent_world_destroy(world);
    dent_context_destroy(context);
    return 0;
}
