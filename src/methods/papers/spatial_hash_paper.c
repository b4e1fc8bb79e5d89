/* Spatial hashing as published: Teschner, Heidelberger, Mueller, Pomeranets, Gross: Optimized Spatial Hashing for
 * Collision Detection of Deformable Objects, VMV 2003.
 *
 * Pass 1 appends every vertex to the slot of its grid cell, h(i, j, k) = (i p1 xor j p2 xor k p3) mod n; slots are
 * linked lists, and a slot's time stamp says whether it was written in this step, so the table is never cleared. Pass 2
 * walks all grid cells of the box of every tetrahedron and looks at the vertices of each slot, one at a time. For faces
 * the natural extension: a face is appended to every grid cell of its box, and a stamp per face keeps it from being
 * looked at twice by one element.
 *
 * What the paper leaves open is decided here: cells by floor, indices clamped, products wrapped to 32 bits;
 * the published second factor is kept although it is not prime. An element over more grid cells than there are entries
 * looks at all entries instead; a face over more than FACE_CELLS_MAX grid cells is kept in a list that everybody looks
 * at: so time and memory stay bounded.
 */
#include <math.h>

#include "methods/papers/spatial_hash_paper.h"

#include "base/containers/dynamic_array.h"
#include "geometry/numbers/bounds.h"

enum { FACE_CELLS_MAX = 64, BLOCK_SIZE = 256, BATCH_SIZE = 256 };

#define END_OF_LIST UINT32_MAX
#define CELL_LIMIT 1073741824.0 /* 2^30 */

struct slot {
    uint32_t stamp, first;
};

struct entry {
    uint32_t element, next;
};

/* One hash table; element e is entry e for vertices, faces have several entries. */
struct paper_table {
    struct dynamic_array slots, entries;
    uint32_t stamp, slot_count;
};

struct spatial_hash_paper {
    struct paper_table vertices, faces;
    struct dynamic_array large_faces;
};

static void init_table(struct paper_table *table, dent_context *context)
{
    array_init(&table->slots, context, sizeof(struct slot));
    array_init(&table->entries, context, sizeof(struct entry));
}

bool spatial_hash_paper_create(dent_context *context, struct spatial_hash_paper **paper)
{
    *paper = dent_allocate(context, 1, sizeof **paper);
    if (!*paper) {
        return false;
    }
    **paper = (struct spatial_hash_paper){0};
    init_table(&(*paper)->vertices, context);
    init_table(&(*paper)->faces, context);
    array_init(&(*paper)->large_faces, context, sizeof(uint32_t));
    return true;
}

void spatial_hash_paper_destroy(dent_context *context, struct spatial_hash_paper *paper)
{
    if (paper) {
        array_destroy(&paper->vertices.slots);
        array_destroy(&paper->vertices.entries);
        array_destroy(&paper->faces.slots);
        array_destroy(&paper->faces.entries);
        array_destroy(&paper->large_faces);
        dent_release(context, paper, 1, sizeof *paper);
    }
}

/* ---- elements and grid cells ------------------------------------------------------------------------------------ */

/* A vertex, face or cell of some body. */
struct element {
    uint32_t body, feature;
    double lo[3], hi[3];
};

struct cell_range {
    int64_t first[3], last[3];
};

static int64_t grid_coordinate(double x, double cell_size)
{
    double cell = floor(x / cell_size);
    return (int64_t)(cell < -CELL_LIMIT ? -CELL_LIMIT : cell > CELL_LIMIT ? CELL_LIMIT : cell);
}

static struct cell_range cells_of(const struct element *element, double cell_size)
{
    struct cell_range range;
    for (int axis = 0; axis < 3; axis++) {
        range.first[axis] = grid_coordinate(element->lo[axis], cell_size);
        range.last[axis] = grid_coordinate(element->hi[axis], cell_size);
    }
    return range;
}

/* Number of grid cells; UINT32_MAX: that many or more. */
static uint64_t cell_count(const struct cell_range *range)
{
    uint64_t count = 1;
    for (int axis = 0; axis < 3; axis++) {
        count *= (uint64_t)(range->last[axis] - range->first[axis]) + 1;
        count = count < UINT32_MAX ? count : UINT32_MAX;
    }
    return count;
}

static uint32_t hash_of(int64_t i, int64_t j, int64_t k, uint32_t slot_count)
{
    return ((uint32_t)i * UINT32_C(73856093) ^ (uint32_t)j * UINT32_C(19349663) ^ (uint32_t)k * UINT32_C(83492791)) %
           slot_count;
}

/* ---- pass 1 ----------------------------------------------------------------------------------------------------- */

static bool is_prime(uint32_t n)
{
    for (uint32_t divisor = 2; (uint64_t)divisor * divisor <= n; divisor++) {
        if (n % divisor == 0) {
            return false;
        }
    }
    return n >= 2;
}

/* A slot count of 0 means the smallest prime from twice the number of elements on; at most 2^24 or eight an element. */
static bool begin_step(struct paper_table *table, uint32_t wanted, uint32_t elements)
{
    uint64_t limit = (UINT64_C(1) << 24) + (uint64_t)elements * 8;
    uint32_t count = wanted                      ? wanted
                     : elements < 512            ? 1021
                     : elements < UINT32_MAX / 4 ? elements * 2 + 1
                                                 : UINT32_MAX / 2;
    while (!wanted && !is_prime(count)) {
        count++;
    }
    count = count < limit ? count : (uint32_t)limit;
    array_clear(&table->entries);
    table->stamp++;
    if (count != table->slot_count || table->stamp == 0) {
        array_clear(&table->slots);
        table->slot_count = 0;
        struct slot *slots = array_extend(&table->slots, count);
        if (!slots) {
            return false;
        }
        memset(slots, 0, count * sizeof *slots);
        table->slot_count = count;
        table->stamp = 1;
    }
    return true;
}

static bool append(struct paper_table *table, uint32_t slot_index, uint32_t element)
{
    struct slot *slot = array_at(&table->slots, slot_index);
    struct entry entry = {element, slot->stamp == table->stamp ? slot->first : END_OF_LIST};
    slot->stamp = table->stamp;
    slot->first = (uint32_t)table->entries.count;
    return table->entries.count < END_OF_LIST && array_push(&table->entries, &entry);
}

static bool append_to_cells(struct paper_table *table, const struct cell_range *range, uint32_t element)
{
    for (int64_t k = range->first[2]; k <= range->last[2]; k++) {
        for (int64_t j = range->first[1]; j <= range->last[1]; j++) {
            for (int64_t i = range->first[0]; i <= range->last[0]; i++) {
                if (!append(table, hash_of(i, j, k, table->slot_count), element)) {
                    return false;
                }
            }
        }
    }
    return true;
}

static bool fill_table(struct paper_table *table, struct dynamic_array *large, const struct element *elements,
                       uint32_t count, double cell_size, uint32_t slot_count)
{
    bool enough = begin_step(table, slot_count, count);
    for (uint32_t e = 0; e < count && enough; e++) {
        struct cell_range range = cells_of(&elements[e], cell_size);
        enough = cell_count(&range) <= FACE_CELLS_MAX ? append_to_cells(table, &range, e) : array_push(large, &e);
    }
    return enough;
}

/* ---- pass 2 ----------------------------------------------------------------------------------------------------- */

struct paper_search {
    const struct search_request *request;
    struct candidate_sink *sink;
    dent_question question;
    const struct paper_table *table;
    const struct dynamic_array *large;
    const struct element *entries, *probes; /* the same for face-face */
    uint32_t entry_count, probe_count;
    double cell_size;
    uint32_t *seen; /* per worker and entry: the last probe that looked at it, plus one; null for vertices */
};

struct probe_task {
    const struct paper_search *search;
    const struct element *probe;
    uint32_t probe_number, block, worker, count;
    uint32_t *seen;
    uint64_t box_tests;
    struct candidate batch[BATCH_SIZE];
};

static void flush(struct probe_task *task)
{
    struct candidate_sink *sink = task->search->sink;
    sink->offer(sink, task->search->question, task->block, task->worker, task->batch, task->count);
    task->count = 0;
}

static bool is_corner(const struct paper_search *search, const struct element *vertex, const struct element *cell)
{
    uint32_t count;
    const uint32_t *corners =
        element_corners(search->request->snapshot->bodies[cell->body].body, cell->feature, &count);
    for (uint32_t k = 0; k < count; k++) {
        if (corners[k] == vertex->feature) {
            return true;
        }
    }
    return false;
}

static void look_at(struct probe_task *task, uint32_t entry_number)
{
    const struct paper_search *search = task->search;
    const struct element *entry = &search->entries[entry_number], *probe = task->probe;
    const struct body_snapshot *bodies = search->request->snapshot->bodies;
    if (task->seen) {
        if (task->seen[entry_number] == task->probe_number + 1) {
            return;
        }
        task->seen[entry_number] = task->probe_number + 1;
    }
    task->box_tests++;
    if (!bounds_meet(entry->lo, entry->hi, probe->lo, probe->hi) ||
        (search->question == DENT_QUESTION_FACE_FACE && entry_number <= task->probe_number) ||
        (search->question == DENT_QUESTION_VERTEX_CELL && entry->body == probe->body &&
         is_corner(search, entry, probe)) ||
        !bodies_may_meet(bodies[entry->body].body, bodies[probe->body].body)) {
        return;
    }
    task->batch[task->count++] = (struct candidate){entry->body, entry->feature, probe->body, probe->feature};
    if (task->count == BATCH_SIZE) {
        flush(task);
    }
}

static uint64_t look_at_slots(struct probe_task *task, const struct cell_range *range)
{
    const struct paper_table *table = task->search->table;
    const struct entry *entries = table->entries.data;
    uint64_t visited = 0;
    for (int64_t k = range->first[2]; k <= range->last[2]; k++) {
        for (int64_t j = range->first[1]; j <= range->last[1]; j++) {
            for (int64_t i = range->first[0]; i <= range->last[0]; i++, visited++) {
                const struct slot *slot = array_at(&table->slots, hash_of(i, j, k, table->slot_count));
                uint32_t next = slot->stamp == table->stamp ? slot->first : END_OF_LIST;
                for (; next != END_OF_LIST; next = entries[next].next) {
                    look_at(task, entries[next].element);
                }
            }
        }
    }
    return visited;
}

static void search_block(void *data, uint32_t block, uint32_t worker)
{
    const struct paper_search *search = data;
    struct probe_task task = {.search = search, .block = block, .worker = worker};
    uint32_t begin = block * BLOCK_SIZE;
    uint32_t end = search->probe_count - begin > BLOCK_SIZE ? begin + BLOCK_SIZE : search->probe_count;
    uint64_t visited = 0;
    task.seen = search->seen ? search->seen + (size_t)worker * search->entry_count : NULL;
    for (uint32_t p = begin; p < end && !search_cancelled(search->request); p++) {
        struct cell_range range = cells_of(&search->probes[p], search->cell_size);
        task.probe = &search->probes[p];
        task.probe_number = p;
        if (cell_count(&range) > search->entry_count) {
            for (uint32_t e = 0; e < search->entry_count; e++) {
                look_at(&task, e);
            }
            continue;
        }
        visited += look_at_slots(&task, &range);
        for (size_t i = 0; i < search->large->count; i++) {
            look_at(&task, ((const uint32_t *)search->large->data)[i]);
        }
    }
    flush(&task);
    search->sink->count_box_tests(search->sink, worker, task.box_tests);
    search->sink->count_cells_visited(search->sink, worker, visited);
}

/* ---- the sides of a question ------------------------------------------------------------------------------------ */

enum side { SIDE_VERTICES, SIDE_FACES, SIDE_CELLS };

static uint32_t side_size(enum side side, const struct body *body)
{
    return side == SIDE_VERTICES ? body->vertex_count
           : side == SIDE_FACES  ? body->surface_face_count
                                 : body_cell_count(body);
}

static const struct element *list_side(const struct search_request *request, enum side side, uint32_t *count)
{
    const struct snapshot *snapshot = request->snapshot;
    uint64_t most = 0;
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        most += side_size(side, snapshot->bodies[body_index].body);
    }
    struct element *elements = most < UINT32_MAX ? arena_allocate(request->scratch, most, sizeof *elements) : NULL;
    *count = 0;
    for (uint32_t body_index = 0; elements && body_index < snapshot->body_count; body_index++) {
        const struct body *body = snapshot->bodies[body_index].body;
        for (uint32_t feature = 0; feature < side_size(side, body); feature++) {
            uint32_t corner_count = side == SIDE_VERTICES ? 1 : 3;
            if (side == SIDE_VERTICES && !vertex_is_asked(request, body, feature)) {
                continue;
            }
            const uint32_t *corners = side == SIDE_VERTICES ? &feature
                                      : side == SIDE_FACES  ? body->surface_faces[feature].corners
                                                            : element_corners(body, feature, &corner_count);
            struct element *element = &elements[(*count)++];
            element->body = body_index;
            element->feature = feature;
            bounds_of_vertices(element->lo, element->hi, snapshot->bodies[body_index].xyz, corners, corner_count);
        }
    }
    return elements;
}

/* Mean edge of all elements, measured in units of the largest coordinate so that no square overflows. */
static double mean_edge(const struct snapshot *snapshot)
{
    double sum = 0, unit = snapshot->largest > 0 ? snapshot->largest : 1;
    uint64_t edges = 0;
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        const struct body_snapshot *body_snapshot = &snapshot->bodies[body_index];
        for (uint32_t e = 0; e < body_snapshot->body->element_count; e++) {
            uint32_t count;
            const uint32_t *corners = element_corners(body_snapshot->body, e, &count);
            for (uint32_t a = 0; a < count; a++) {
                for (uint32_t b = a + 1; b < count; b++, edges++) {
                    const double *p = body_snapshot->xyz[corners[a]], *q = body_snapshot->xyz[corners[b]];
                    double x = p[0] / unit - q[0] / unit, y = p[1] / unit - q[1] / unit, z = p[2] / unit - q[2] / unit;
                    sum += sqrt(x * x + y * y + z * z);
                }
            }
        }
    }
    double mean = edges ? sum / (double)edges * unit : 0;
    return mean > 0 && isfinite(mean) ? mean : 1;
}

static dent_status out_of_memory(const struct search_request *request)
{
    return message_fail(request->message, DENT_ERROR_OUT_OF_MEMORY, "out of memory in the plain spatial hash");
}

static dent_status answer_question(struct spatial_hash_paper *paper, const struct search_request *request,
                                   struct candidate_sink *sink, dent_question question)
{
    dent_spatial_hash_def def = request->def->spatial_hash ? *request->def->spatial_hash
                                                           : dent_spatial_hash_def_default();
    bool vertices = question == DENT_QUESTION_VERTEX_CELL;
    struct arena_mark mark = arena_mark(request->scratch);
    struct paper_search search = {.request = request, .sink = sink, .question = question, .large = &paper->large_faces};
    struct paper_table *table = vertices ? &paper->vertices : &paper->faces;
    search.table = table;
    search.cell_size = def.cell_size > 0 ? def.cell_size : mean_edge(request->snapshot);
    search.entries = list_side(request, vertices ? SIDE_VERTICES : SIDE_FACES, &search.entry_count);
    search.probes =
        question == DENT_QUESTION_FACE_FACE ? search.entries : list_side(request, SIDE_CELLS, &search.probe_count);
    search.probe_count = question == DENT_QUESTION_FACE_FACE ? search.entry_count : search.probe_count;
    array_clear(&paper->large_faces);
    bool enough =
        search.entries && search.probes &&
        fill_table(table, &paper->large_faces, search.entries, search.entry_count, search.cell_size, def.table_size);
    if (enough && !vertices) {
        search.seen = arena_allocate_cleared(request->scratch, dent_context_worker_count(request->context),
                                             (size_t)search.entry_count * sizeof *search.seen);
        enough = search.seen;
    }
    uint32_t blocks = search.probe_count / BLOCK_SIZE + (search.probe_count % BLOCK_SIZE != 0);
    if (!enough || !sink->begin(sink, question, blocks)) {
        return out_of_memory(request);
    }
    dent_parallel_for(request->context, blocks, search_block, &search);
    arena_rewind(request->scratch, mark);
    return DENT_OK;
}

dent_status spatial_hash_paper_search(struct spatial_hash_paper *paper, const struct search_request *request,
                                      struct candidate_sink *sink)
{
    static const dent_question questions[] = {DENT_QUESTION_VERTEX_CELL, DENT_QUESTION_FACE_CELL,
                                              DENT_QUESTION_FACE_FACE};
    dent_status status = DENT_OK;
    for (size_t i = 0; i < sizeof questions / sizeof questions[0] && status == DENT_OK; i++) {
        if (request->questions & questions[i]) {
            status = answer_question(paper, request, sink, questions[i]);
        }
    }
    return status;
}
