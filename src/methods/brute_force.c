/* The oracle: every pair is looked at.
 *
 * This file and the exact tests behind the sink define the answer; every other method is compared with it. It knows no
 * tolerance and keeps nothing between queries. The one short cut is the box of the two elements in the doubles
 * themselves: sets whose boxes are apart do not meet. O(n^2); blocks are elements of side a.
 */
#include "geometry/numbers/bounds.h"
#include "methods/interface/method_table.h"

/* An element of one side of a question. */
struct element {
    uint32_t body, feature;
    double lo[3], hi[3];
};

struct oracle {
    const struct search_request *request;
    struct candidate_sink *sink;
    const dent_question_info *info;
    const struct element *side_a, *side_b;
    size_t count_a, count_b;
};

enum { BLOCK_SIZE = 64, BATCH_SIZE = 256 };

static void test_block(void *data, uint32_t block, uint32_t worker)
{
    const struct oracle *oracle = data;
    const struct body_snapshot *bodies = oracle->request->snapshot->bodies;
    struct candidate batch[BATCH_SIZE];
    size_t first = (size_t)block * BLOCK_SIZE;
    size_t last = first + BLOCK_SIZE < oracle->count_a ? first + BLOCK_SIZE : oracle->count_a;
    if (search_cancelled(oracle->request)) {
        return;
    }
    const size_t count_b = oracle->count_b;
    for (size_t a = first; a < last; a++) {
        const struct element *element_a = &oracle->side_a[a];
        size_t batched = 0;
        /* Two sides of one kind are one list: look at each pair once. */
        size_t b = oracle->info->features[0].a == oracle->info->features[0].b ? a + 1 : 0;
        oracle->sink->count_box_tests(oracle->sink, worker, oracle->count_b - b);
        for (; b < count_b; b++) {
            const struct element *element_b = &oracle->side_b[b];
            if (!bounds_meet(element_a->lo, element_a->hi, element_b->lo, element_b->hi) ||
                !bodies_may_meet(bodies[element_a->body].body, bodies[element_b->body].body)) {
                continue;
            }
            batch[batched++] =
                (struct candidate){element_a->body, element_a->feature, element_b->body, element_b->feature};
            if (batched == BATCH_SIZE) {
                oracle->sink->offer(oracle->sink, oracle->info->question, block, worker, batch, batched);
                batched = 0;
            }
        }
        oracle->sink->offer(oracle->sink, oracle->info->question, block, worker, batch, batched);
    }
}

static uint32_t feature_count(dent_feature_kind kind, const struct body *body)
{
    return kind == DENT_FEATURE_VERTEX ? body->vertex_count
           : kind == DENT_FEATURE_FACE ? body->surface_face_count
                                       : body_cell_count(body);
}

static const uint32_t *feature_corners(dent_feature_kind kind, const struct body *body, const uint32_t *feature,
                                       uint32_t *count)
{
    *count = kind == DENT_FEATURE_VERTEX ? 1 : 3;
    return kind == DENT_FEATURE_VERTEX ? feature
           : kind == DENT_FEATURE_FACE ? body->surface_faces[*feature].corners
                                       : element_corners(body, *feature, count);
}

static const struct element *list_side(const struct search_request *request, dent_feature_kind kind, size_t *count)
{
    const struct snapshot *snapshot = request->snapshot;
    size_t most = 0;
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        most += feature_count(kind, snapshot->bodies[body_index].body);
    }
    struct element *elements = arena_allocate(request->scratch, most, sizeof *elements);
    *count = 0;
    for (uint32_t body_index = 0; elements && body_index < snapshot->body_count; body_index++) {
        const struct body *body = snapshot->bodies[body_index].body;
        for (uint32_t feature = 0; feature < feature_count(kind, body); feature++) {
            if (kind == DENT_FEATURE_VERTEX && !vertex_is_asked(request, body, feature)) {
                continue;
            }
            uint32_t corner_count;
            const uint32_t *corners = feature_corners(kind, body, &feature, &corner_count);
            struct element *element = &elements[(*count)++];
            *element = (struct element){.body = body_index, .feature = feature};
            bounds_of_vertices(element->lo, element->hi, snapshot->bodies[body_index].xyz, corners, corner_count);
        }
    }
    return elements;
}

static dent_status test_all_pairs(void *state, const struct search_request *request, struct candidate_sink *sink)
{
    (void)state;
    for (const dent_question_info *const *info = request->infos; *info; info++) {
        struct arena_mark mark = arena_mark(request->scratch);
        struct oracle oracle = {.request = request, .sink = sink, .info = *info};
        oracle.side_a = list_side(request, (*info)->features[0].a, &oracle.count_a);
        oracle.side_b = list_side(request, (*info)->features[0].b, &oracle.count_b);
        uint32_t blocks = (uint32_t)((oracle.count_a + BLOCK_SIZE - 1) / BLOCK_SIZE);
        if (!oracle.side_a || !oracle.side_b || !sink->begin(sink, (*info)->question, blocks)) {
            return message_fail(request->message, DENT_ERROR_OUT_OF_MEMORY, "out of memory in the brute-force search");
        }
        dent_parallel_for(request->context, blocks, test_block, &oracle);
        arena_rewind(request->scratch, mark);
    }
    return DENT_OK;
}

const struct method_row brute_force_method = {
    .method = DENT_METHOD_BRUTE_FORCE,
    .name = "brute-force",
    .summary = "the oracle: tests every pair; O(n^2), for tests and a few hundred elements",
    .questions = DENT_DISCRETE_QUESTIONS,
    .plain_tests = true,
    .search = test_all_pairs,
};
