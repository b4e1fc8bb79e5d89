/* Sort and sweep: boxes sorted along one axis; each is compared with those that begin inside it.
 *
 * Two boxes overlap along the axis iff one of them begins inside the other, so every overlapping pair (a, b) is met
 * exactly once: in the first pass by a, when b begins at or after it, in the second by b, when a begins strictly after
 * it. The other two axes are compared by the vector kernel over contiguous columns. Boxes are floats rounded outward,
 * so nothing is lost. Good to about 100,000 elements and as the second opinion on every other method; quadratic when
 * everything overlaps along the axis.
 */
#include "structures/boxes/scan_boxes.h"
#include "methods/interface/method_table.h"
#include "structures/boxes/box_columns.h"

/* A long run of boxes is scanned in chunks, so that the room for what is found does not grow with the world times the
 * workers. */
enum { BLOCK_SIZE = 256, BATCH_SIZE = 256, CHUNK_SIZE = 4096, FOUND_SIZE = CHUNK_SIZE + 16 };

struct sweep {
    const struct search_request *request;
    struct candidate_sink *sink;
    dent_question question;
    const struct sorted_boxes *side_a, *side_b; /* the same for face-face */
    uint32_t blocks_a;                          /* blocks of the first pass; the second follows */
    uint32_t *found;                            /* FOUND_SIZE per worker */
};

/* First index in [begin, count) whose box begins at `value` or later (or, with `after`, strictly later). */
static uint32_t first_from(const struct sorted_boxes *boxes, uint32_t begin, float value, bool after)
{
    uint32_t low = begin, high = boxes->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        bool before = after ? boxes->lo[0][middle] <= value : boxes->lo[0][middle] < value;
        if (before) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

struct batch {
    struct candidate candidates[BATCH_SIZE];
    size_t count;
};

static void flush(const struct sweep *sweep, struct batch *batch, uint32_t block, uint32_t worker)
{
    sweep->sink->offer(sweep->sink, sweep->question, block, worker, batch->candidates, batch->count);
    batch->count = 0;
}

/* Box i of `outer` meets these boxes of `inner`. */
static void offer_found(const struct sweep *sweep, const struct sorted_boxes *outer, const struct sorted_boxes *inner,
                        uint32_t i, bool swapped, const uint32_t *found, uint32_t count, struct batch *batch,
                        uint32_t block, uint32_t worker)
{
    const struct body_snapshot *bodies = sweep->request->snapshot->bodies;
    for (uint32_t j = 0; j < count; j++) {
        uint32_t k = found[j];
        if (!bodies_may_meet(bodies[outer->body[i]].body, bodies[inner->body[k]].body)) {
            continue;
        }
        struct candidate pair = {outer->body[i], outer->feature[i], inner->body[k], inner->feature[k]};
        struct candidate flipped = {inner->body[k], inner->feature[k], outer->body[i], outer->feature[i]};
        batch->candidates[batch->count++] = swapped ? flipped : pair;
        if (batch->count == BATCH_SIZE) {
            flush(sweep, batch, block, worker);
        }
    }
}

/* Compares box i of `outer` with the boxes of `inner` that begin inside it. swapped: `outer` is side b. */
static void sweep_one(const struct sweep *sweep, const struct sorted_boxes *outer, const struct sorted_boxes *inner,
                      uint32_t i, bool swapped, struct batch *batch, uint32_t block, uint32_t worker)
{
    bool self = outer == inner;
    uint32_t begin = self ? i + 1 : first_from(inner, 0, outer->lo[0][i], swapped);
    uint32_t end = first_from(inner, begin, outer->hi[0][i], true);
    struct box_columns columns = {inner->lo[1], inner->hi[1], inner->lo[2], inner->hi[2]};
    struct box_window window = {outer->lo[1][i], outer->hi[1][i], outer->lo[2][i], outer->hi[2][i]};
    uint32_t *found = sweep->found + (size_t)worker * FOUND_SIZE;
    sweep->sink->count_box_tests(sweep->sink, worker, end - begin);
    while (begin < end) {
        uint32_t stop = end - begin > CHUNK_SIZE ? begin + CHUNK_SIZE : end;
        uint32_t count = scan_boxes_for(sweep->request->isa)(&columns, begin, stop, &window, found);
        offer_found(sweep, outer, inner, i, swapped, found, count, batch, block, worker);
        begin = stop;
    }
}

static void sweep_block(void *data, uint32_t block, uint32_t worker)
{
    const struct sweep *sweep = data;
    if (search_cancelled(sweep->request)) {
        return;
    }
    bool swapped = block >= sweep->blocks_a;
    const struct sorted_boxes *outer = swapped ? sweep->side_b : sweep->side_a;
    const struct sorted_boxes *inner = swapped ? sweep->side_a : sweep->side_b;
    uint32_t first = (swapped ? block - sweep->blocks_a : block) * BLOCK_SIZE;
    uint32_t last = outer->count - first > BLOCK_SIZE ? first + BLOCK_SIZE : outer->count;
    struct batch batch;
    batch.count = 0;
    for (uint32_t i = first; i < last; i++) {
        sweep_one(sweep, outer, inner, i, swapped, &batch, block, worker);
    }
    flush(sweep, &batch, block, worker);
}

static uint32_t block_count(const struct sorted_boxes *boxes)
{
    return boxes->count / BLOCK_SIZE + (boxes->count % BLOCK_SIZE != 0);
}

static dent_status sweep_question(const struct search_request *request, struct candidate_sink *sink,
                                  dent_question question, const struct sorted_boxes *side_a,
                                  const struct sorted_boxes *side_b)
{
    struct arena_mark mark = arena_mark(request->scratch);
    struct sweep sweep = {.request = request,
                          .sink = sink,
                          .question = question,
                          .side_a = side_a,
                          .side_b = side_b,
                          .blocks_a = block_count(side_a)};
    sweep.found =
        arena_allocate(request->scratch, dent_context_worker_count(request->context), FOUND_SIZE * sizeof *sweep.found);
    uint32_t blocks = sweep.blocks_a + (side_a == side_b ? 0 : block_count(side_b));
    if (!sweep.found || !sink->begin(sink, question, blocks)) {
        return message_fail(request->message, DENT_ERROR_OUT_OF_MEMORY, "out of memory in the sweep");
    }
    dent_parallel_for(request->context, blocks, sweep_block, &sweep);
    arena_rewind(request->scratch, mark);
    return DENT_OK;
}

struct sides {
    struct sorted_boxes vertices, faces, cells;
};

static dent_status build_sides(const struct search_request *request, struct sides *sides)
{
    int axis = sweep_axis(request->snapshot);
    uint32_t asked = request->questions;
    enum feature_side vertices = request->surface_vertices_only ? FEATURE_SURFACE_VERTICES : FEATURE_VERTICES;
    bool too_many = false;
    bool built = true;
    if (asked & DENT_QUESTION_VERTEX_CELL) {
        built = sorted_boxes_build(&sides->vertices, request->snapshot, vertices, axis, request->scratch, &too_many);
    }
    if (built && asked & (DENT_QUESTION_FACE_CELL | DENT_QUESTION_FACE_FACE)) {
        built = sorted_boxes_build(&sides->faces, request->snapshot, FEATURE_SURFACE_FACES, axis, request->scratch,
                                   &too_many);
    }
    if (built && asked & (DENT_QUESTION_VERTEX_CELL | DENT_QUESTION_FACE_CELL)) {
        enum feature_side cells = request->def->touching ? FEATURE_CELLS : FEATURE_OPEN_CELLS;
        built = sorted_boxes_build(&sides->cells, request->snapshot, cells, axis, request->scratch, &too_many);
    }
    if (!built && too_many) {
        return message_fail(request->message, DENT_ERROR_TOO_LARGE,
                            "the world has 2^32 - 1 or more elements of one kind");
    }
    return built ? DENT_OK
                 : message_fail(request->message, DENT_ERROR_OUT_OF_MEMORY, "out of memory for the boxes of the sweep");
}

static dent_status sweep_search(void *state, const struct search_request *request, struct candidate_sink *sink)
{
    (void)state;
    struct sides sides;
    dent_status status = build_sides(request, &sides);
    if (status == DENT_OK && request->questions & DENT_QUESTION_VERTEX_CELL) {
        status = sweep_question(request, sink, DENT_QUESTION_VERTEX_CELL, &sides.vertices, &sides.cells);
    }
    if (status == DENT_OK && request->questions & DENT_QUESTION_FACE_CELL) {
        status = sweep_question(request, sink, DENT_QUESTION_FACE_CELL, &sides.faces, &sides.cells);
    }
    if (status == DENT_OK && request->questions & DENT_QUESTION_FACE_FACE) {
        status = sweep_question(request, sink, DENT_QUESTION_FACE_FACE, &sides.faces, &sides.faces);
    }
    return status;
}

const struct method_row sweep_method = {
    .method = DENT_METHOD_SWEEP,
    .name = "sweep",
    .summary =
        "sorts float boxes along one axis and sweeps; O(n^(5/3)) on a block of n elements, good to about 100,000",
    .questions = DENT_QUESTION_VERTEX_CELL | DENT_QUESTION_FACE_CELL | DENT_QUESTION_FACE_FACE,
    .search = sweep_search,
};
