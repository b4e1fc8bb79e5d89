/* Spatial hash: vertices and surface faces hashed into grid cells, looked up by packets of sixteen cells or faces.
 *
 * Teschner, Heidelberger, Mueller, Pomeranets, Gross: Optimized Spatial Hashing for Collision Detection of Deformable
 * Objects, VMV 2003. The paper walks the grid cells of every tetrahedron and looks at every vertex in them; its plain
 * form is in spatial_hash_paper.c. Here:
 *   - positions become floats by a map that keeps order (float_space), so box tests lose nothing;
 *   - the side that is looked for (vertices, surface faces) is counted into dense slots, with levels of sizes
 * (hash_grid);
 *   - the side that searches comes in packets of neighbours (packet_groups): one look-up for sixteen elements, and each
 * entry found is tested against all of them at once: boxes, shared vertices, planes with an error bound
 * (packet_kernels);
 *   - pairs whose sign is certain are answers; the rest go to the exact tests.
 * In: snapshot. Out: answers and candidates. Cost O(n) for elements of any mix of sizes in general position; kept between
 * queries: the packets.
 */
#include <math.h>
#include <string.h>

#include "structures/grid/kernels/packet_kernels.h"
#include "base/message.h"
#include "methods/interface/method_table.h"
#include "methods/papers/spatial_hash_paper.h"
#include "structures/grid/hash_grid.h"
#include "structures/grid/packet_groups.h"

dent_spatial_hash_def dent_spatial_hash_def_default(void)
{
    return (dent_spatial_hash_def){.struct_size = sizeof(dent_spatial_hash_def)};
}

/* ---- state ------------------------------------------------------------------------------------------------------ */

struct hash_state {
    struct packet_groups sets;
    struct spatial_hash_paper *paper;
    bool built;
    uint64_t topology_version;
    bool everything_may_meet;
    double spread_when_ordered, spread; /* sum of packet boxes over sum of element boxes */
};

static void destroy_state(dent_context *context, void *data)
{
    struct hash_state *state = data;
    if (state) {
        packet_groups_destroy(&state->sets);
        spatial_hash_paper_destroy(context, state->paper);
        dent_release(context, state, 1, sizeof *state);
    }
}

static dent_status create_state(dent_context *context, void **data)
{
    struct hash_state *state = dent_allocate(context, 1, sizeof *state);
    if (!state) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    *state = (struct hash_state){0};
    packet_groups_init(&state->sets, context);
    if (!spatial_hash_paper_create(context, &state->paper)) {
        destroy_state(context, state);
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    *data = state;
    return DENT_OK;
}

/* True when no pair of bodies is filtered out; may be false although it is so. */
static bool everything_may_meet(const struct snapshot *snapshot)
{
    uint32_t masks = UINT32_MAX;
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        masks &= snapshot->bodies[body_index].body->collision_mask;
    }
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        const struct body *body = snapshot->bodies[body_index].body;
        if (!body->self_collision || body->excluded || (body->collision_group & masks) == 0) {
            return false;
        }
    }
    return true;
}

/* Elements smaller than this, relative to the world, are told apart better by ordinals than by floats. */
#define SMALLEST_IN_FLOATS 1.52587890625e-05 /* 2^-16 */

/* The order of packets is renewed when their boxes have grown by this factor beside those of their elements. */
#define SPREAD_LIMIT 2.0

static dent_status out_of_memory(const struct search_request *request)
{
    return message_fail(request->message, DENT_ERROR_OUT_OF_MEMORY, "out of memory in the spatial hash");
}

static dent_status prepare(struct hash_state *state, const struct search_request *request, struct float_space *space)
{
    const struct snapshot *snapshot = request->snapshot;
    bool fresh = !state->built || state->topology_version != snapshot->table->topology_version;
    if (fresh) {
        bool too_many = false;
        state->built = false;
        if (!packet_groups_collect(&state->sets, snapshot, request->scratch, &too_many)) {
            return too_many ? message_fail(request->message, DENT_ERROR_TOO_LARGE,
                                           "the world has 2^32 - 1 or more elements of one kind")
                            : out_of_memory(request);
        }
    }
    bool ordinals =
        state->sets.typical_size > 0 && state->sets.typical_size < SMALLEST_IN_FLOATS * half_extent_of(snapshot);
    if (!float_space_build(space, &state->sets.numbering, snapshot, request->context, ordinals, request->scratch)) {
        return out_of_memory(request);
    }
    if (fresh || state->spread > SPREAD_LIMIT * state->spread_when_ordered) {
        state->built = false;
        if (!packet_groups_order(&state->sets, space, request->scratch)) {
            return out_of_memory(request);
        }
        request->counters->rebuilds++;
        state->everything_may_meet = everything_may_meet(snapshot);
        state->topology_version = snapshot->table->topology_version;
        state->spread = state->spread_when_ordered = 0;
        state->built = true;
    }
    return DENT_OK;
}

/* ---- grids ------------------------------------------------------------------------------------------------------ */

/* Edge of a grid cell over the mean size of the elements. Measured in docs/methods/spatial_hash.md. */
#define POINT_CELL_RATIO 1.5
#define FACE_CELL_RATIO 2.0
#define POINTS_PER_RANK_CELL 8

static struct grid_input grid_parameters(const struct search_request *request, const struct float_space *space)
{
    const dent_spatial_hash_def *def = request->def->spatial_hash;
    struct grid_input input = {.level_limit = GRID_LEVELS_MAX};
    if (def) {
        input.cell_size = space->ordinals ? 0 : ldexp(def->cell_size, space->exponent);
        input.table_size = def->table_size;
        input.level_limit = def->levels ? def->levels : GRID_LEVELS_MAX;
    }
    return input;
}

static bool build_point_grid(struct hash_grid *grid, const struct hash_state *state,
                             const struct search_request *request, const struct float_space *space)
{
    const struct vertex_numbering *numbering = &state->sets.numbering;
    struct grid_input input = grid_parameters(request, space);
    uint32_t *numbers = arena_allocate(request->scratch, numbering->count, sizeof *numbers);
    if (!numbers) {
        return false;
    }
    for (uint32_t body_index = 0; body_index < request->snapshot->body_count; body_index++) {
        const struct body *body = request->snapshot->bodies[body_index].body;
        uint32_t first = first_vertex(numbering, body_index);
        for (uint32_t vertex = 0; vertex < body->vertex_count; vertex++) {
            numbers[input.count] = first + vertex;
            input.count += vertex_is_asked(request, body, vertex);
        }
    }
    input.numbers = numbers;
    input.lo = input.hi = space->points;
    input.stride = sizeof *space->points;
    input.cell_ratio = POINT_CELL_RATIO;
    if (space->ordinals) {
        uint64_t cells = 1; /* along an axis */
        while (cells * cells * cells * POINTS_PER_RANK_CELL < input.count) {
            cells++;
        }
        input.cell_size = 2 / (double)cells;
    } else {
        input.octaves = state->sets.vertex_octave.data;
        input.octave_shift = space->exponent;
    }
    return hash_grid_build(grid, &input, request->scratch);
}

struct face_making {
    const struct packet_groups *sets;
    const struct float_space *space;
    struct face_record *faces;
    uint32_t count;
};

enum { FACES_PER_BLOCK = 2048 };

static void make_face_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct face_making *making = data;
    uint32_t begin = block * FACES_PER_BLOCK;
    uint32_t end = making->count - begin > FACES_PER_BLOCK ? begin + FACES_PER_BLOCK : making->count;
    for (uint32_t face = begin; face < end; face++) {
        face_record_make(&making->faces[face], making->space->points, array_at(&making->sets->face_corners, face),
                         !making->space->ordinals);
    }
}

static bool build_face_grid(struct hash_grid *grid, struct face_record **faces, const struct hash_state *state,
                            const struct search_request *request, const struct float_space *space)
{
    uint32_t count = (uint32_t)state->sets.face_corners.count;
    struct grid_input input = grid_parameters(request, space);
    *faces = arena_allocate(request->scratch, count, sizeof **faces);
    if (!*faces) {
        return false;
    }
    struct face_making making = {&state->sets, space, *faces, count};
    dent_parallel_for(request->context, count / FACES_PER_BLOCK + (count % FACES_PER_BLOCK != 0), make_face_block,
                      &making);
    input.lo = (*faces)->lo;
    input.hi = (*faces)->hi;
    input.stride = sizeof **faces;
    input.count = count;
    input.cell_ratio = FACE_CELL_RATIO;
    return hash_grid_build(grid, &input, request->scratch);
}

/* ---- search ----------------------------------------------------------------------------------------------------- */

enum { BATCH_SIZE = 256 };

/* What one worker writes in. */
struct work_room {
    struct packet packet;
    uint32_t list[GRID_LIST_ROOM];
    uint32_t hits[GRID_LIST_MAX * PACKET_LANES];
};

struct search {
    const struct hash_state *state;
    const struct search_request *request;
    struct candidate_sink *sink;
    const struct packet_kernels *kernels;
    struct float_space space;
    struct hash_grid point_grid, face_grid;
    struct face_record *faces;
    struct work_room *rooms; /* one per worker */
    uint32_t packets_per_block;
    double *block_packet_sizes, *block_element_sizes;
};

/* One packet of one block on its way through a question. */
struct packet_task {
    const struct search *search;
    struct work_room *room;
    uint32_t block, worker, first; /* first: element of lane 0 */
    dent_question question;
    uint32_t candidate_count, answer_count;
    struct candidate candidates[BATCH_SIZE];
    dent_pair answers[BATCH_SIZE];
};

static void flush(struct packet_task *task)
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

static void take(struct packet_task *task, struct element_owner a, struct element_owner b, bool certain)
{
    const struct body_snapshot *bodies = task->search->request->snapshot->bodies;
    const struct body *body_b = bodies[b.body].body;
    if (!task->search->state->everything_may_meet && !bodies_may_meet(bodies[a.body].body, body_b)) {
        return;
    }
    /* A split cell is the union of its tetrahedra and may share a vertex with the face elsewhere. */
    bool faces = task->question == DENT_QUESTION_FACE_FACE;
    if (certain && (faces || !body_b->first_tetrahedron)) {
        uint32_t kind = faces ? DENT_PAIR_CROSSING : DENT_PAIR_INTERIOR;
        task->answers[task->answer_count++] = (dent_pair){a.body, a.element, b.body, b.element, kind};
    } else {
        task->candidates[task->candidate_count++] = (struct candidate){a.body, a.element, b.body, b.element};
    }
    if (task->candidate_count == BATCH_SIZE || task->answer_count == BATCH_SIZE) {
        flush(task);
    }
}

static struct element_owner cell_of_lane(const struct packet_task *task, uint32_t lane)
{
    return *(const struct element_owner *)array_at(&task->search->state->sets.cell_owner, task->first + lane);
}

static struct element_owner face_of_number(const struct packet_task *task, uint32_t number)
{
    return *(const struct element_owner *)array_at(&task->search->state->sets.face_owner, number);
}

static void match_vertices(void *data, const uint32_t *list, uint32_t count)
{
    struct packet_task *task = data;
    const struct search *search = task->search;
    const struct vertex_numbering *numbering = &search->state->sets.numbering;
    uint32_t *hits = task->room->hits;
    uint32_t found = search->kernels->match_points(&task->room->packet, search->space.points, list, count, hits);
    for (uint32_t i = 0; i < found; i++) {
        uint32_t vertex = list[hits[i] / 32], body_index = body_of_vertex(numbering, vertex);
        take(task, (struct element_owner){body_index, vertex - first_vertex(numbering, body_index)},
             cell_of_lane(task, hits[i] / 2 % PACKET_LANES), hits[i] & 1);
    }
    search->sink->count_box_tests(search->sink, task->worker, (uint64_t)count * PACKET_LANES);
}

static void match_cell_faces(void *data, const uint32_t *list, uint32_t count)
{
    struct packet_task *task = data;
    const struct search *search = task->search;
    uint32_t *hits = task->room->hits;
    uint32_t found = search->kernels->match_cell_faces(&task->room->packet, search->faces, list, count, hits);
    for (uint32_t i = 0; i < found; i++) {
        take(task, face_of_number(task, list[hits[i] / 32]), cell_of_lane(task, hits[i] / 2 % PACKET_LANES),
             hits[i] & 1);
    }
    search->sink->count_box_tests(search->sink, task->worker, (uint64_t)count * PACKET_LANES);
}

static void match_faces(void *data, const uint32_t *list, uint32_t count)
{
    struct packet_task *task = data;
    const struct search *search = task->search;
    uint32_t *hits = task->room->hits;
    uint32_t found = search->kernels->match_faces(&task->room->packet, search->faces, list, count, hits);
    for (uint32_t i = 0; i < found; i++) {
        take(task, face_of_number(task, task->room->packet.number[hits[i] / 2 % PACKET_LANES]),
             face_of_number(task, list[hits[i] / 32]), hits[i] & 1);
    }
    search->sink->count_box_tests(search->sink, task->worker, (uint64_t)count * PACKET_LANES);
}

/* Box of all lanes that are left; false when there is none. */
static bool bound_packet(struct packet *packet)
{
    for (int axis = 0; axis < 3; axis++) {
        packet->box_lo[axis] = INFINITY;
        packet->box_hi[axis] = -INFINITY;
        for (int lane = 0; lane < PACKET_LANES; lane++) {
            packet->box_lo[axis] =
                packet->lo[axis][lane] < packet->box_lo[axis] ? packet->lo[axis][lane] : packet->box_lo[axis];
            packet->box_hi[axis] =
                packet->hi[axis][lane] > packet->box_hi[axis] ? packet->hi[axis][lane] : packet->box_hi[axis];
        }
    }
    return packet->box_lo[0] <= packet->box_hi[0];
}

/* A cell without extent along an axis has no interior, a face that is a point crosses nothing: without `touching` they
 * have no answers, and leaving them out keeps a world fallen together in one point from costing all pairs. False when
 * no lane is left. */
static bool leave_out_flat(const struct search *search, struct packet *packet, uint32_t count, uint32_t first,
                           bool cells)
{
    const struct packet_groups *sets = &search->state->sets;
    int limit = cells ? 1 : 3;
    if (search->request->def->touching || packet->most_flat < limit) {
        return true;
    }
    for (uint32_t lane = 0; lane < count; lane++) {
        const uint32_t *corners =
            cells ? array_at(&sets->cell_corners, first + lane) : array_at(&sets->face_corners, packet->number[lane]);
        uint32_t body_index = body_of_vertex(&sets->numbering, corners[0]);
        if (packet->flat[lane] >= limit &&
            flat_axes(search->request->snapshot->bodies[body_index].xyz, first_vertex(&sets->numbering, body_index),
                      corners, cells ? 4 : 3) >= limit) {
            packet_empty_lane(packet, lane);
        }
    }
    return bound_packet(packet);
}

static void ask(struct packet_task *task, dent_question question, const struct hash_grid *grid,
                grid_list_function *function, struct grid_counters *counters)
{
    const struct packet *packet = &task->room->packet;
    task->question = question;
    hash_grid_look_up(grid, task->search->kernels, packet->box_lo, packet->box_hi, task->room->list, function, task,
                      counters);
    flush(task);
}

static float largest_edge(const float lo[3], const float hi[3])
{
    float edge = 0;
    for (int axis = 0; axis < 3; axis++) {
        edge = hi[axis] - lo[axis] > edge ? hi[axis] - lo[axis] : edge;
    }
    return edge;
}

static void search_cells(struct packet_task *task, uint32_t packet_index, struct grid_counters *counters)
{
    const struct search *search = task->search;
    const uint32_t *packets = search->state->sets.cell_packets.data;
    struct packet *packet = &task->room->packet;
    float largest = 0;
    uint32_t first = packets[packet_index], count = packets[packet_index + 1] - first;
    task->first = first;
    search->kernels->prepare_cells(packet, search->space.points, array_at(&search->state->sets.cell_corners, first),
                                   count, !search->space.ordinals);
    if (!leave_out_flat(search, packet, count, first, true)) {
        return;
    }
    for (uint32_t lane = 0; lane < count; lane++) {
        largest = packet->size[lane] > largest ? packet->size[lane] : largest;
    }
    search->block_packet_sizes[task->block] += (double)largest_edge(packet->box_lo, packet->box_hi);
    search->block_element_sizes[task->block] += (double)largest;
    if (search->request->questions & DENT_QUESTION_VERTEX_CELL) {
        ask(task, DENT_QUESTION_VERTEX_CELL, &search->point_grid, match_vertices, counters);
    }
    if (search->request->questions & DENT_QUESTION_FACE_CELL) {
        ask(task, DENT_QUESTION_FACE_CELL, &search->face_grid, match_cell_faces, counters);
    }
}

static void search_faces(struct packet_task *task, uint32_t packet_index, struct grid_counters *counters)
{
    const struct search *search = task->search;
    const uint32_t *packets = search->state->sets.face_packets.data;
    struct packet *packet = &task->room->packet;
    uint32_t first = packets[packet_index], count = packets[packet_index + 1] - first;
    task->first = first;
    search->kernels->prepare_faces(packet, search->faces, (const uint32_t *)search->state->sets.face_order.data + first,
                                   count, !search->space.ordinals);
    if (leave_out_flat(search, packet, count, first, false)) {
        ask(task, DENT_QUESTION_FACE_FACE, &search->face_grid, match_faces, counters);
    }
}

typedef void packet_function(struct packet_task *task, uint32_t packet, struct grid_counters *counters);

static void search_block(const struct search *search, uint32_t block, uint32_t worker, uint32_t packet_total,
                         packet_function *function)
{
    struct packet_task task = {.search = search, .room = &search->rooms[worker], .block = block, .worker = worker};
    struct grid_counters counters = {0, 0};
    uint32_t begin = block * search->packets_per_block;
    uint32_t end = packet_total - begin > search->packets_per_block ? begin + search->packets_per_block : packet_total;
    for (uint32_t packet = begin; packet < end && !search_cancelled(search->request); packet++) {
        function(&task, packet, &counters);
    }
    search->sink->count_box_tests(search->sink, worker, counters.entries);
    search->sink->count_cells_visited(search->sink, worker, counters.rows);
}

static void search_cell_block(void *data, uint32_t block, uint32_t worker)
{
    const struct search *search = data;
    search->block_packet_sizes[block] = search->block_element_sizes[block] = 0;
    search_block(search, block, worker, packet_count(&search->state->sets.cell_packets), search_cells);
}

static void search_face_block(void *data, uint32_t block, uint32_t worker)
{
    const struct search *search = data;
    search_block(search, block, worker, packet_count(&search->state->sets.face_packets), search_faces);
}

static uint32_t choose_block_size(struct search *search, uint32_t packets)
{
    uint32_t size = packets / 256;
    search->packets_per_block = size < 8 ? 8 : size > 64 ? 64 : size;
    return packets / search->packets_per_block + (packets % search->packets_per_block != 0);
}

static dent_status run_cells(struct search *search, struct hash_state *state)
{
    const struct search_request *request = search->request;
    uint32_t blocks = choose_block_size(search, packet_count(&state->sets.cell_packets));
    search->block_packet_sizes = arena_allocate(request->scratch, blocks, sizeof(double));
    search->block_element_sizes = arena_allocate(request->scratch, blocks, sizeof(double));
    bool enough = search->block_packet_sizes && search->block_element_sizes;
    for (dent_question question = DENT_QUESTION_VERTEX_CELL; question <= DENT_QUESTION_FACE_CELL; question *= 2) {
        enough = enough && (!(request->questions & question) || search->sink->begin(search->sink, question, blocks));
    }
    if (!enough) {
        return out_of_memory(request);
    }
    dent_parallel_for(request->context, blocks, search_cell_block, search);
    double packets = 0, elements = 0;
    for (uint32_t block = 0; block < blocks; block++) {
        packets += search->block_packet_sizes[block];
        elements += search->block_element_sizes[block];
    }
    state->spread = elements > 0 && !search_cancelled(request) ? packets / elements : state->spread;
    state->spread_when_ordered = state->spread_when_ordered > 0 ? state->spread_when_ordered : state->spread;
    return DENT_OK;
}

static dent_status run_faces(struct search *search)
{
    uint32_t blocks = choose_block_size(search, packet_count(&search->state->sets.face_packets));
    if (!search->sink->begin(search->sink, DENT_QUESTION_FACE_FACE, blocks)) {
        return out_of_memory(search->request);
    }
    dent_parallel_for(search->request->context, blocks, search_face_block, search);
    return DENT_OK;
}

static dent_status check_def(const struct search_request *request)
{
    const dent_spatial_hash_def *def = request->def->spatial_hash;
    if (!def) {
        return DENT_OK;
    }
    if (def->struct_size != sizeof *def) {
        return message_fail(request->message, DENT_ERROR_INVALID_ARGUMENT,
                            "the spatial hash def was not made by dent_spatial_hash_def_default()");
    }
    if (!(def->cell_size >= 0) || !isfinite(def->cell_size)) {
        return message_fail(request->message, DENT_ERROR_INVALID_ARGUMENT,
                            "cell_size of the spatial hash is %g: a finite length is needed, or 0 for automatic",
                            def->cell_size);
    }
    if (def->levels > GRID_LEVELS_MAX) {
        return message_fail(request->message, DENT_ERROR_INVALID_ARGUMENT,
                            "levels of the spatial hash is %u: at most %d are possible", (unsigned)def->levels,
                            GRID_LEVELS_MAX);
    }
    return DENT_OK;
}

static dent_status hash_search(void *data, const struct search_request *request, struct candidate_sink *sink)
{
    struct hash_state *state = data;
    uint32_t asked = request->questions;
    dent_status status = check_def(request);
    if (status == DENT_OK && request->experiments->spatial_hash.paper_form) {
        return spatial_hash_paper_search(state->paper, request, sink);
    }
    /* Two grids are 18 kB: not on a caller's stack. */
    struct search *search = arena_allocate(request->scratch, 1, sizeof *search);
    if (status == DENT_OK && !search) {
        status = out_of_memory(request);
    }
    if (status == DENT_OK) {
        memset(search, 0, sizeof *search);
        search->state = state;
        search->request = request;
        search->sink = sink;
        search->kernels = packet_kernels_for(request->isa);
        status = prepare(state, request, &search->space);
    }
    if (status != DENT_OK) {
        return status;
    }
    uint32_t workers = dent_context_worker_count(request->context);
    search->rooms = arena_allocate(request->scratch, workers, sizeof *search->rooms);
    bool enough = search->rooms;
    if (enough && asked & DENT_QUESTION_VERTEX_CELL) {
        enough = build_point_grid(&search->point_grid, state, request, &search->space);
    }
    if (enough && asked & (DENT_QUESTION_FACE_CELL | DENT_QUESTION_FACE_FACE)) {
        enough = build_face_grid(&search->face_grid, &search->faces, state, request, &search->space);
    }
    if (!enough) {
        return out_of_memory(request);
    }
    if (asked & (DENT_QUESTION_VERTEX_CELL | DENT_QUESTION_FACE_CELL)) {
        status = run_cells(search, state);
    }
    if (status == DENT_OK && asked & DENT_QUESTION_FACE_FACE) {
        status = run_faces(search);
    }
    return status;
}

const struct method_row spatial_hash_method = {
    .method = DENT_METHOD_SPATIAL_HASH,
    .name = "spatial-hash",
    .summary = "vertices and faces hashed into grid cells of several sizes, searched in packets of 16 elements; O(n), "
               "no set-up of bodies",
    .questions = DENT_QUESTION_VERTEX_CELL | DENT_QUESTION_FACE_CELL | DENT_QUESTION_FACE_FACE,
    .create = create_state,
    .destroy = destroy_state,
    .search = hash_search,
};
