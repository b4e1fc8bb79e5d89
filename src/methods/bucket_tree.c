/* Bucket tree: a tree of buckets over every body, walked in tandem with those of its neighbours and with itself.
 *
 * Ganovelli, Dingliana, O'Sullivan: BucketTree, SCCG 2000; Erleben, Sporring: Collision Detection of Deformable
 * Volumetric Meshes. Why no pair is lost is one lemma: two closed boxes that meet have a bucket in common under any map
 * to buckets that is non-decreasing along each axis, since the larger of their lower corners lies in both; rounding is
 * non-decreasing, so there is no tolerance. What differs from the article:
 *   - vertices and surface faces are put into buckets, each once (bucket_grid), by counting instead of lists with time
 *     stamps; the cells that look come in packets of sixteen neighbours, the leaves of the tree of occupied nodes
 *     (packet_tree);
 *   - every vertex and face is looked for by every cell, of the same body too. The printed self-test looks only for the
 *     faces of the later of two cells in the earlier and loses about half of the pairs;
 *   - the surface flag of a node is asked of the side that must have the surface: faces in the one, cells in the other.
 * In: snapshot. Out: answers where the float planes are certain, candidates elsewhere. O(n) in general position.
 */
#include <math.h>

#include "structures/grid/kernels/packet_kernels.h"
#include "base/message.h"
#include "base/radix_sort.h"
#include "methods/interface/method_table.h"
#include "structures/grid/body_buckets.h"
#include "structures/grid/bucket_partners.h"
#include "structures/grid/element_sizes.h"

dent_bucket_tree_def dent_bucket_tree_def_default(void)
{
    return (dent_bucket_tree_def){.struct_size = sizeof(dent_bucket_tree_def)};
}

enum { LEVEL_MAX = 21, CHUNK_PACKETS = 256, BLOCK_PACKETS = 128, PARTNER_BATCH = 32, BATCH_SIZE = 256 };

/* ---- state ------------------------------------------------------------------------------------------------------- */

struct tree_state {
    struct vertex_numbering numbering;
    struct packet_list cells, faces;
    struct coordinate_order order;
    struct dynamic_array first_face; /* uint32_t: by body index, and one more */
    struct bucket_partners partners;
    bool built;
    uint64_t topology_version;
    double typical_size;                      /* lower quartile of a sample of element sizes when built */
    double spread_when_ordered[2], spread[2]; /* mean packet edge over mean element edge: of cells, of faces */
};

static void destroy_state(dent_context *context, void *data)
{
    struct tree_state *state = data;
    if (state) {
        vertex_numbering_destroy(&state->numbering);
        packet_list_destroy(&state->cells);
        packet_list_destroy(&state->faces);
        coordinate_order_destroy(&state->order);
        array_destroy(&state->first_face);
        bucket_partners_destroy(&state->partners);
        dent_release(context, state, 1, sizeof *state);
    }
}

static dent_status create_state(dent_context *context, void **data)
{
    struct tree_state *state = dent_allocate(context, 1, sizeof *state);
    if (!state) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    *state = (struct tree_state){0};
    vertex_numbering_init(&state->numbering, context);
    packet_list_init(&state->cells, context, 4);
    packet_list_init(&state->faces, context, 3);
    coordinate_order_init(&state->order, context);
    array_init(&state->first_face, context, sizeof(uint32_t));
    bucket_partners_init(&state->partners, context);
    *data = state;
    return DENT_OK;
}

static dent_status out_of_memory(const struct search_request *request)
{
    return message_fail(request->message, DENT_ERROR_OUT_OF_MEMORY, "out of memory in the bucket tree");
}

/* ---- preparing --------------------------------------------------------------------------------------------------- */

/* Elements smaller than this, relative to the world, are told apart better by ordinals than by floats. */
#define SMALLEST_IN_FLOATS 1.52587890625e-05 /* 2^-16 */
/* The packets are made anew when their boxes have grown by this factor beside those of their elements. */
#define SPREAD_LIMIT 2.0

/* What depends on the set of bodies only. */
static bool count_bodies(struct tree_state *state, const struct search_request *request, bool *too_many)
{
    const struct snapshot *snapshot = request->snapshot;
    uint64_t sum = 0;
    array_clear(&state->first_face);
    uint32_t *first = array_extend(&state->first_face, (size_t)snapshot->body_count + 1);
    for (uint32_t body_index = 0; first && body_index <= snapshot->body_count; body_index++) {
        first[body_index] = (uint32_t)sum;
        sum += body_index < snapshot->body_count ? snapshot->bodies[body_index].body->surface_face_count : 0;
    }
    *too_many = sum >= UINT32_MAX;
    struct arena_mark mark = arena_mark(request->scratch);
    uint32_t *histogram = arena_allocate_cleared(request->scratch, ELEMENT_SIZE_EXPONENTS, sizeof *histogram);
    if (histogram) {
        state->typical_size = typical_element_size(snapshot, histogram);
    }
    arena_rewind(request->scratch, mark);
    return first && histogram && !*too_many &&
           vertex_numbering_build(&state->numbering, snapshot, request->scratch, too_many) &&
           coordinate_order_reset(&state->order, snapshot, &state->numbering);
}

static bool packets_came_apart(const struct tree_state *state)
{
    return state->spread[0] > SPREAD_LIMIT * state->spread_when_ordered[0] ||
           state->spread[1] > SPREAD_LIMIT * state->spread_when_ordered[1];
}

static dent_status prepare(struct tree_state *state, const struct search_request *request, struct float_space *space)
{
    const struct snapshot *snapshot = request->snapshot;
    bool fresh = !state->built || state->topology_version != snapshot->table->topology_version, too_many = false;
    bool enough = true;
    if (fresh) {
        state->built = false;
        enough = count_bodies(state, request, &too_many);
    }
    bool ordinals = state->typical_size > 0 && state->typical_size < SMALLEST_IN_FLOATS * half_extent_of(snapshot);
    enough =
        enough && float_space_build(space, &state->numbering, snapshot, request->context, ordinals, request->scratch);
    if (enough && (fresh || packets_came_apart(state))) {
        state->built = false;
        enough = packet_list_build(&state->cells, snapshot, &state->numbering, space, request->scratch, &too_many) &&
                 packet_list_build(&state->faces, snapshot, &state->numbering, space, request->scratch, &too_many);
        state->topology_version = snapshot->table->topology_version;
        state->spread[0] = state->spread[1] = state->spread_when_ordered[0] = state->spread_when_ordered[1] = 0;
        state->built = enough;
        request->counters->rebuilds += enough;
    }
    if (too_many) {
        return message_fail(request->message, DENT_ERROR_TOO_LARGE, "the world has 2^30 or more elements of one kind");
    }
    return enough ? DENT_OK : out_of_memory(request);
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

/* Memory of a worker. */
struct worker_room {
    struct packet packet;
    uint32_t list[BUCKET_LIST_ROOM];
    uint32_t hits[BUCKET_LIST_MAX * PACKET_LANES];
    uint64_t work[CHUNK_PACKETS * PARTNER_BATCH],
        work_scratch[CHUNK_PACKETS * PARTNER_BATCH]; /* place, slot of the partner, kinds */
};

/* Sibling nodes of a body's tree with at most CHUNK_PACKETS packets: what a worker takes. */
struct chunk {
    uint32_t body_index, first_node, end_node;
};

struct search {
    const struct tree_state *state;
    const struct search_request *request;
    struct candidate_sink *sink;
    const struct packet_kernels *kernels;
    const struct bucket_building *building;
    bool cells; /* packets of cells look, for vertices and faces; otherwise packets of faces for faces */
    const struct packet_list *list;
    const struct packet_box *boxes;
    struct worker_room *rooms;
    struct chunk *chunks;
    uint32_t chunk_count;
    uint32_t *block_chunk; /* first chunk of each block, and one more */
};

enum { WANT_POINTS = 1, WANT_FACES = 2 };

/* A packet of body `body_index` against a partner. */
struct task {
    const struct search *search;
    struct worker_room *room;
    dent_question question;
    uint32_t block, worker;
    uint32_t body_index, partner;
    uint32_t packet;      /* looking */
    uint32_t open_packet; /* the one in the room */
    bool alive;           /* it has a lane with possible answers */
    uint32_t first;       /* its element in lane 0 */
    struct candidate candidates[BATCH_SIZE];
    dent_pair answers[BATCH_SIZE];
    size_t candidate_count, answer_count;
    uint32_t work_count;
    struct bucket_counters counters;
    uint64_t tests;
};

static void flush(struct task *task)
{
    struct candidate_sink *sink = task->search->sink;
    if (task->candidate_count) {
        sink->offer(sink, task->question, task->block, task->worker, task->candidates, task->candidate_count);
    }
    if (task->answer_count) {
        sink->answer(sink, task->question, task->block, task->worker, task->answers, task->answer_count);
    }
    task->candidate_count = task->answer_count = 0;
}

static inline void take(struct task *task, uint32_t body_a, uint32_t feature_a, uint32_t body_b, uint32_t feature_b,
                        bool certain)
{
    if (certain) {
        uint32_t kind = task->search->cells ? DENT_PAIR_INTERIOR : DENT_PAIR_CROSSING;
        task->answers[task->answer_count++] = (dent_pair){body_a, feature_a, body_b, feature_b, kind};
    } else {
        task->candidates[task->candidate_count++] = (struct candidate){body_a, feature_a, body_b, feature_b};
    }
    if (task->candidate_count == BATCH_SIZE || task->answer_count == BATCH_SIZE) {
        flush(task);
    }
}

static inline uint32_t element_of_lane(const struct task *task, uint32_t lane)
{
    return ((const uint32_t *)task->search->list->elements.data)[task->first + lane];
}

/* A split cell is the union of its tetrahedra and may share a vertex with the face elsewhere: nothing is certain there.
 */
static inline bool cells_are_whole(const struct task *task)
{
    return !task->search->request->snapshot->bodies[task->body_index].body->first_tetrahedron;
}

/* A cell without extent along an axis has no interior, a face that is a point crosses nothing: without `touching` they
 * have no answers, and leaving them out keeps a world fallen together in one point from costing all pairs. False when
 * no lane is left. */
static bool leave_out_flat(const struct task *task, uint32_t count)
{
    const struct search *search = task->search;
    struct packet *packet = &task->room->packet;
    int limit = search->cells ? 1 : 3, any = 0;
    for (int axis = 0; axis < 3; axis++) {
        for (int lane = 0; lane < PACKET_LANES; lane++) {
            any |= packet->lo[axis][lane] == packet->hi[axis][lane];
        }
    }
    if (!any || search->request->def->touching) {
        return true;
    }
    uint32_t left = count;
    for (uint32_t lane = 0; lane < count; lane++) {
        int flat = 0;
        for (int axis = 0; axis < 3; axis++) {
            flat += packet->lo[axis][lane] == packet->hi[axis][lane];
        }
        const uint32_t *corners = array_at(&search->list->corners, task->first + lane);
        if (flat >= limit && flat_axes(search->request->snapshot->bodies[task->body_index].xyz,
                                       first_vertex(&search->state->numbering, task->body_index), corners,
                                       search->list->corners_each) >= limit) {
            packet_empty_lane(packet, lane);
            left--;
        }
    }
    return left > 0;
}

/* Fetches the packet into the room when the first entry has been found for it; false when nothing of it can have an
 * answer. */
static bool packet_is_open(struct task *task)
{
    const struct search *search = task->search;
    const uint32_t *packets = search->list->packets.data;
    uint32_t packet = task->packet, count = packets[packet + 1] - packets[packet];
    bool use_planes = !search->building->space->ordinals;
    if (task->open_packet == packet) {
        return task->alive;
    }
    task->open_packet = packet;
    task->first = packets[packet];
    if (search->cells) {
        search->kernels->prepare_cells(&task->room->packet, search->building->space->points,
                                       array_at(&search->list->corners, task->first), count, use_planes);
    } else {
        search->kernels->prepare_faces(&task->room->packet, search->building->face_records,
                                       array_at(&search->list->elements, task->first), count, use_planes);
    }
    task->alive = leave_out_flat(task, count);
    return task->alive;
}

static void match_vertices(void *data, const uint32_t *list, uint32_t count)
{
    struct task *task = data;
    if (!packet_is_open(task)) {
        return;
    }
    const struct search *search = task->search;
    uint32_t *hits = task->room->hits, first = first_vertex(&search->state->numbering, task->partner);
    uint32_t found =
        search->kernels->match_points(&task->room->packet, search->building->space->points, list, count, hits);
    bool whole = cells_are_whole(task);
    for (uint32_t i = 0; i < found; i++) {
        take(task, task->partner, list[hits[i] / 32] - first, task->body_index,
             element_of_lane(task, hits[i] / 2 % PACKET_LANES), (hits[i] & 1) && whole);
    }
    task->tests += (uint64_t)count * PACKET_LANES;
}

static void match_cell_faces(void *data, const uint32_t *list, uint32_t count)
{
    struct task *task = data;
    if (!packet_is_open(task)) {
        return;
    }
    const struct search *search = task->search;
    uint32_t *hits = task->room->hits, first = search->building->first_face[task->partner];
    uint32_t found =
        search->kernels->match_cell_faces(&task->room->packet, search->building->face_records, list, count, hits);
    bool whole = cells_are_whole(task);
    for (uint32_t i = 0; i < found; i++) {
        take(task, task->partner, list[hits[i] / 32] - first, task->body_index,
             element_of_lane(task, hits[i] / 2 % PACKET_LANES), (hits[i] & 1) && whole);
    }
    task->tests += (uint64_t)count * PACKET_LANES;
}

static void match_faces(void *data, const uint32_t *list, uint32_t count)
{
    struct task *task = data;
    if (!packet_is_open(task)) {
        return;
    }
    const struct search *search = task->search;
    const uint32_t *first = search->building->first_face;
    uint32_t *hits = task->room->hits;
    uint32_t found =
        search->kernels->match_faces(&task->room->packet, search->building->face_records, list, count, hits);
    for (uint32_t i = 0; i < found; i++) {
        take(task, task->body_index, element_of_lane(task, hits[i] / 2 % PACKET_LANES) - first[task->body_index],
             task->partner, list[hits[i] / 32] - first[task->partner], hits[i] & 1);
    }
    task->tests += (uint64_t)count * PACKET_LANES;
}

static void ask(struct task *task, dent_question question, const struct bucket_set *set, bucket_list_function *function)
{
    const struct packet_box *box = &task->search->boxes[task->packet];
    bool flat = (box->lo[0] == box->hi[0]) | (box->lo[1] == box->hi[1]) | (box->lo[2] == box->hi[2]);
    if (flat && !packet_is_open(task)) { /* before looking: everything may lie in one slot */
        return;
    }
    task->question = question;
    bucket_set_look_up(set, &task->search->building->bodies[task->partner].lattice, task->search->kernels, box->lo,
                       box->hi, task->room->list, function, task, &task->counters);
    flush(task);
}

/* ---- walking ----------------------------------------------------------------------------------------------------- */

/* What of the wanted kinds the partner's tree may have where this box is. A node of the body itself has vertices around
 * it, and for a single packet looking costs no more than asking: `certain` says what need not be asked. */
static uint32_t wanted_there(const struct task *task, const float *lo, const float *hi, uint32_t wanted,
                             uint32_t certain)
{
    const struct body_buckets *tree = &task->search->building->bodies[task->partner];
    if ((lo[0] > tree->hi[0]) | (hi[0] < tree->lo[0]) | (lo[1] > tree->hi[1]) | (hi[1] < tree->lo[1]) |
        (lo[2] > tree->hi[2]) | (hi[2] < tree->lo[2])) {
        return 0;
    }
    uint32_t there = wanted & certain, open = wanted & ~certain;
    if (!open) {
        return there;
    }
    struct bucket_range range = bucket_range_of(&tree->lattice, lo, hi);
    if (open & WANT_POINTS && bucket_set_any(&tree->points, &tree->lattice, &range)) {
        there |= WANT_POINTS;
    }
    if (open & WANT_FACES && bucket_set_any(&tree->faces, &tree->lattice, &range)) {
        there |= WANT_FACES;
    }
    return there;
}

/* Down the tree of packets; the node's range in the partner's buckets goes down the partner's levels with it. */
static void walk(struct task *task, const struct packet_tree *tree, uint32_t index, uint32_t slot, uint32_t wanted)
{
    const struct packet_node *node = &tree->nodes[index];
    wanted = wanted_there(task, node->lo, node->hi, wanted, task->body_index == task->partner ? WANT_POINTS : 0);
    if (!wanted) {
        return;
    }
    for (uint32_t child = node->first; child < node->first + node->count; child++) {
        if (index >= tree->leaf_count) {
            walk(task, tree, child, slot, wanted);
            continue;
        }
        const struct packet_box *box = &task->search->boxes[tree->order[child]];
        uint32_t there = wanted_there(task, box->lo, box->hi, wanted, WANT_POINTS | WANT_FACES);
        if (there) {
            task->room->work[task->work_count++] = (uint64_t)child << 32 | slot << 8 | there;
        }
    }
}

static void do_work(struct task *task, const struct packet_tree *tree, const uint32_t *partners)
{
    for (uint32_t i = 0; i < task->work_count; i++) {
        uint64_t item = task->room->work[i];
        uint32_t there = item & 0xFF;
        task->packet = tree->order[item >> 32];
        task->partner = partners[item >> 8 & 0xFF];
        const struct body_buckets *partner = &task->search->building->bodies[task->partner];
        if (there & WANT_POINTS) {
            ask(task, DENT_QUESTION_VERTEX_CELL, &partner->points, match_vertices);
        }
        if (there & WANT_FACES && task->search->cells) {
            ask(task, DENT_QUESTION_FACE_CELL, &partner->faces, match_cell_faces);
        } else if (there & WANT_FACES) {
            ask(task, DENT_QUESTION_FACE_FACE, &partner->faces, match_faces);
        }
    }
}

static uint32_t wanted_kinds(const struct search *search)
{
    uint32_t questions = search->request->questions;
    if (!search->cells) {
        return WANT_FACES;
    }
    return (questions & DENT_QUESTION_VERTEX_CELL ? WANT_POINTS : 0) |
           (questions & DENT_QUESTION_FACE_CELL ? WANT_FACES : 0);
}

static void search_chunk(struct task *task, const struct chunk *chunk)
{
    const struct search *search = task->search;
    const struct body_buckets *body = &search->building->bodies[chunk->body_index];
    const struct packet_tree *tree = search->cells ? &body->cell_tree : &body->face_tree;
    const uint32_t *start = search->state->partners.start.data, *partners = search->state->partners.list.data;
    task->body_index = chunk->body_index;
    for (uint32_t begin = start[chunk->body_index]; begin < start[chunk->body_index + 1]; begin += PARTNER_BATCH) {
        uint32_t end =
            start[chunk->body_index + 1] - begin > PARTNER_BATCH ? begin + PARTNER_BATCH : start[chunk->body_index + 1];
        uint32_t walked = 0;
        task->work_count = 0;
        for (uint32_t i = begin; i < end; i++) {
            uint32_t before = task->work_count;
            task->partner = partners[i];
            for (uint32_t node = chunk->first_node;
                 node < chunk->end_node && (search->cells || partners[i] >= chunk->body_index); node++) {
                walk(task, tree, node, i - begin, wanted_kinds(search));
            }
            walked += task->work_count > before;
        }
        if (walked > 1) {
            radix_sort_u64(task->room->work, NULL, task->room->work_scratch, NULL, task->work_count);
        }
        do_work(task, tree, partners + begin);
    }
}

static void search_block(void *data, uint32_t block, uint32_t worker)
{
    const struct search *search = data;
    struct task task;
    task.search = search;
    task.room = &search->rooms[worker];
    task.block = block;
    task.worker = worker;
    task.open_packet = UINT32_MAX;
    task.candidate_count = task.answer_count = 0;
    task.counters = (struct bucket_counters){0, 0};
    task.tests = 0;
    for (uint32_t chunk = search->block_chunk[block];
         chunk < search->block_chunk[block + 1] && !search_cancelled(search->request); chunk++) {
        search_chunk(&task, &search->chunks[chunk]);
    }
    search->sink->count_box_tests(search->sink, worker, task.counters.entries + task.tests);
    search->sink->count_cells_visited(search->sink, worker, task.counters.rows);
}

/* ---- dividing the work ------------------------------------------------------------------------------------------- */

static void cut_nodes(struct search *search, uint32_t body_index, const struct packet_tree *tree, uint32_t first,
                      uint32_t end)
{
    uint32_t begin = first, packets = 0;
    for (uint32_t node = first; node < end; node++) {
        bool large = tree->nodes[node].packets > CHUNK_PACKETS;
        if (packets && (large || packets + tree->nodes[node].packets > CHUNK_PACKETS)) {
            search->chunks[search->chunk_count++] = (struct chunk){body_index, begin, node};
            begin = node;
            packets = 0;
        }
        if (large) { /* leaves have far fewer */
            cut_nodes(search, body_index, tree, tree->nodes[node].first,
                      tree->nodes[node].first + tree->nodes[node].count);
            begin = node + 1;
        } else {
            packets += tree->nodes[node].packets;
        }
    }
    if (packets) {
        search->chunks[search->chunk_count++] = (struct chunk){body_index, begin, end};
    }
}

static uint32_t chunk_packets(const struct search *search, const struct chunk *chunk)
{
    const struct body_buckets *body = &search->building->bodies[chunk->body_index];
    const struct packet_tree *tree = search->cells ? &body->cell_tree : &body->face_tree;
    uint32_t packets = 0;
    for (uint32_t node = chunk->first_node; node < chunk->end_node; node++) {
        packets += tree->nodes[node].packets;
    }
    return packets;
}

/* False when memory runs out. */
static bool divide(struct search *search, uint32_t *block_count)
{
    const struct snapshot *snapshot = search->request->snapshot;
    size_t most = (size_t)packet_list_count(search->list) + 1;
    search->chunks = arena_allocate(search->request->scratch, most, sizeof *search->chunks);
    search->block_chunk = arena_allocate(search->request->scratch, most + 1, sizeof *search->block_chunk);
    if (!search->chunks || !search->block_chunk) {
        return false;
    }
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        const struct body_buckets *body = &search->building->bodies[body_index];
        const struct packet_tree *tree = search->cells ? &body->cell_tree : &body->face_tree;
        if (tree->node_count) {
            cut_nodes(search, body_index, tree, tree->node_count - 1, tree->node_count);
        }
    }
    uint32_t blocks = 0, packets = BLOCK_PACKETS;
    for (uint32_t chunk = 0; chunk < search->chunk_count; chunk++) {
        if (packets >= BLOCK_PACKETS) {
            search->block_chunk[blocks++] = chunk;
            packets = 0;
        }
        packets += chunk_packets(search, &search->chunks[chunk]);
    }
    search->block_chunk[blocks] = search->chunk_count;
    *block_count = blocks;
    return true;
}

static dent_status run(struct search *search, bool cells)
{
    const struct search_request *request = search->request;
    uint32_t blocks = 0;
    search->cells = cells;
    search->list = cells ? &search->state->cells : &search->state->faces;
    search->boxes = cells ? search->building->cell_boxes : search->building->face_boxes;
    search->chunk_count = 0;
    bool enough = divide(search, &blocks);
    for (dent_question question = DENT_QUESTION_VERTEX_CELL; question <= DENT_QUESTION_FACE_FACE; question *= 2) {
        bool asked = request->questions & question && cells == (question != DENT_QUESTION_FACE_FACE);
        enough = enough && (!asked || search->sink->begin(search->sink, question, blocks));
    }
    if (!enough) {
        return out_of_memory(request);
    }
    dent_parallel_for(request->context, blocks, search_block, search);
    return DENT_OK;
}

/* ---- parameters -------------------------------------------------------------------------------------------------- */

static dent_status read_def(const struct search_request *request, struct bucket_sizing *sizing)
{
    const dent_bucket_tree_def *def = request->def->bucket_tree;
    double fill = request->experiments->bucket_tree.bucket_fill;
    *sizing = (struct bucket_sizing){.sorted = request->experiments->bucket_tree.sorted_coordinates,
                                     .bucket_fill = request->experiments->bucket_tree.paper_sizing ? fill : 0};
    if (!(fill > 0) || !isfinite(fill)) {
        return message_fail(request->message, DENT_ERROR_INVALID_ARGUMENT,
                            "bucket_fill of the bucket tree is %g: a finite number above 0 is needed", fill);
    }
    if (!def) {
        return DENT_OK;
    }
    if (def->struct_size != sizeof *def) {
        return message_fail(request->message, DENT_ERROR_INVALID_ARGUMENT,
                            "the bucket tree def was not made by dent_bucket_tree_def_default()");
    }
    if (!(def->cell_ratio >= 0) || !isfinite(def->cell_ratio)) {
        return message_fail(request->message, DENT_ERROR_INVALID_ARGUMENT,
                            "cell_ratio of the bucket tree is %g: a finite number is needed, or 0 for automatic",
                            def->cell_ratio);
    }
    if (def->level > LEVEL_MAX) {
        return message_fail(request->message, DENT_ERROR_INVALID_ARGUMENT,
                            "level of the bucket tree is %u: 1 to %d are possible, or 0 for automatic",
                            (unsigned)def->level, LEVEL_MAX);
    }
    sizing->cell_ratio = def->cell_ratio;
    sizing->level = def->level;
    return DENT_OK;
}

/* How far the packets have come apart since they were made. */
static void note_spread(struct tree_state *state, const struct bucket_building *building, bool cells)
{
    const struct packet_list *list = cells ? &state->cells : &state->faces;
    const struct packet_box *boxes = cells ? building->cell_boxes : building->face_boxes;
    const uint32_t *first = list->first_packet.data;
    double packets = 0, elements = 0;
    for (uint32_t body_index = 0; body_index < building->snapshot->body_count; body_index++) {
        for (uint32_t packet = first[body_index]; packet < first[body_index + 1]; packet++) {
            for (int axis = 0; axis < 3; axis++) {
                packets += (double)boxes[packet].hi[axis] - (double)boxes[packet].lo[axis];
            }
        }
        elements += 3 * building->bodies[body_index].mean_edge * (double)(first[body_index + 1] - first[body_index]);
    }
    double *before = &state->spread_when_ordered[!cells];
    state->spread[!cells] = elements > 0 ? packets / elements : 0;
    *before = *before > 0 ? *before : state->spread[!cells];
}

static dent_status tree_search(void *data, const struct search_request *request, struct candidate_sink *sink)
{
    struct tree_state *state = data;
    struct float_space space;
    struct bucket_building building = {.context = request->context,
                                       .snapshot = request->snapshot,
                                       .numbering = &state->numbering,
                                       .space = &space,
                                       .cells = &state->cells,
                                       .faces = &state->faces,
                                       .order = &state->order,
                                       .scratch = request->scratch};
    uint32_t asked = request->questions;
    dent_status status = read_def(request, &building.sizing);
    if (status == DENT_OK) {
        status = prepare(state, request, &space);
    }
    if (status != DENT_OK) {
        return status;
    }
    building.first_face = state->first_face.data;
    building.vertices_asked = !(asked & DENT_QUESTION_VERTEX_CELL) ? 0
                              : request->surface_vertices_only     ? VERTEX_ON_SURFACE
                                                                   : VERTEX_USED;
    building.faces_asked = asked & (DENT_QUESTION_FACE_CELL | DENT_QUESTION_FACE_FACE);
    building.cell_packets_asked = asked & (DENT_QUESTION_VERTEX_CELL | DENT_QUESTION_FACE_CELL);
    building.face_packets_asked = asked & DENT_QUESTION_FACE_FACE;
    struct search search = {.state = state,
                            .request = request,
                            .sink = sink,
                            .kernels = packet_kernels_for(request->isa),
                            .building = &building};
    search.rooms = arena_allocate(request->scratch, dent_context_worker_count(request->context), sizeof *search.rooms);
    if (!search.rooms || !body_buckets_build(&building) ||
        !bucket_partners_find(&state->partners, request->snapshot, building.bodies, packet_kernels_for(request->isa),
                              request->scratch)) {
        return out_of_memory(request);
    }
    request->counters->rebuilds += building.resorted;
    if (building.cell_packets_asked) {
        note_spread(state, &building, true);
        status = run(&search, true);
    }
    if (status == DENT_OK && building.face_packets_asked) {
        note_spread(state, &building, false);
        status = run(&search, false);
    }
    return status;
}

const struct method_row bucket_tree_method = {
    .method = DENT_METHOD_BUCKET_TREE,
    .name = "bucket-tree",
    .summary = "a tree of buckets over every body, traversed against its neighbours and itself, with surface flags; "
               "O(n), for bodies with elements of even size",
    .questions = DENT_QUESTION_VERTEX_CELL | DENT_QUESTION_FACE_CELL | DENT_QUESTION_FACE_FACE,
    .create = create_state,
    .destroy = destroy_state,
    .search = tree_search,
};
