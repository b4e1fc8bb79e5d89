/* Packets of neighbours of one body. See bucket_packets.h. */
#include "structures/grid/bucket_packets.h"

#include <math.h>

void packet_list_init(struct packet_list *list, dent_context *context, uint32_t corners_each)
{
    list->corners_each = corners_each;
    array_init(&list->corners, context, corners_each * sizeof(uint32_t));
    array_init(&list->elements, context, sizeof(uint32_t));
    array_init(&list->packets, context, sizeof(uint32_t));
    array_init(&list->first_packet, context, sizeof(uint32_t));
    array_init(&list->vertex_start, context, sizeof(uint32_t));
    array_init(&list->vertices, context, sizeof(uint32_t));
}

void packet_list_destroy(struct packet_list *list)
{
    array_destroy(&list->corners);
    array_destroy(&list->elements);
    array_destroy(&list->packets);
    array_destroy(&list->first_packet);
    array_destroy(&list->vertex_start);
    array_destroy(&list->vertices);
}

/* ---- building ---------------------------------------------------------------------------------------------------- */

/* Unsorted elements of one body. */
struct gathering {
    const struct packet_list *list;
    const struct point_record *points;
    uint32_t count;
    uint32_t *corners, *elements;
    float (*middles)[3]; /* of the boxes */
    uint32_t *order;
};

static struct packet_box box_of(const struct point_record *points, const uint32_t *corners, uint32_t count)
{
    struct packet_box box = {{0}, {0}};
    for (int axis = 0; axis < 3; axis++) {
        box.lo[axis] = box.hi[axis] = points[corners[0]].position[axis];
        for (uint32_t k = 1; k < count; k++) {
            float x = points[corners[k]].position[axis];
            box.lo[axis] = x < box.lo[axis] ? x : box.lo[axis];
            box.hi[axis] = x > box.hi[axis] ? x : box.hi[axis];
        }
    }
    return box;
}

enum { PACKET_VERTICES_MAX = PACKET_LANES * 4 };

static inline bool comes_before(const struct gathering *gathering, int axis, uint32_t a, uint32_t b)
{
    float x = gathering->middles[a][axis], y = gathering->middles[b][axis];
    return x < y || (x == y && a < b);
}

/* Brings the `first` elements that come first along the axis to the front: Hoare's selection, pivot from the middle of
 * three. */
static void select_first(const struct gathering *gathering, int axis, uint32_t *order, uint32_t count, uint32_t first)
{
    uint32_t begin = 0, end = count; /* what is left to divide */
    while (end - begin > 1) {
        uint32_t a = order[begin], b = order[begin + (end - begin) / 2], c = order[end - 1];
        bool ab = comes_before(gathering, axis, a, b), bc = comes_before(gathering, axis, b, c),
             ac = comes_before(gathering, axis, a, c);
        uint32_t pivot = ab == bc ? b : ab == ac ? c : a;
        uint32_t i = begin, j = end - 1;
        for (;;) {
            while (comes_before(gathering, axis, order[i], pivot)) {
                i++;
            }
            while (comes_before(gathering, axis, pivot, order[j])) {
                j--;
            }
            if (i >= j) {
                break;
            }
            uint32_t swapped = order[i];
            order[i] = order[j];
            order[j] = swapped;
        }
        if (i == first) { /* the pivot lies at i: before it smaller ones, after it larger ones */
            return;
        }
        begin = i < first ? i + 1 : begin;
        end = i < first ? end : i;
    }
}

/* Halves the elements along the longest side of their middles, at a multiple of sixteen, until packets are left. */
static void halve(const struct gathering *gathering, uint32_t *order, uint32_t count)
{
    while (count > PACKET_LANES) {
        float lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
        for (uint32_t i = 0; i < count; i++) {
            for (int axis = 0; axis < 3; axis++) {
                float x = gathering->middles[order[i]][axis];
                lo[axis] = x < lo[axis] ? x : lo[axis];
                hi[axis] = x > hi[axis] ? x : hi[axis];
            }
        }
        int axis = hi[0] - lo[0] >= hi[1] - lo[1] ? 0 : 1;
        axis = hi[axis] - lo[axis] >= hi[2] - lo[2] ? axis : 2;
        uint32_t packets = (count + PACKET_LANES - 1) / PACKET_LANES, first = packets / 2 * PACKET_LANES;
        select_first(gathering, axis, order, count, first);
        halve(gathering, order, first);
        order += first;
        count -= first;
    }
}

static void order_elements(struct gathering *gathering)
{
    uint32_t each = gathering->list->corners_each;
    for (uint32_t i = 0; i < gathering->count; i++) {
        struct packet_box box = box_of(gathering->points, gathering->corners + (size_t)i * each, each);
        for (int axis = 0; axis < 3; axis++) {
            gathering->middles[i][axis] = 0.5f * box.lo[axis] + 0.5f * box.hi[axis];
        }
        gathering->order[i] = i;
    }
    halve(gathering, gathering->order, gathering->count);
}

/* The vertices of elements [begin, end), each once, in ascending order. */
static bool list_vertices(struct packet_list *list, uint32_t begin, uint32_t end)
{
    uint32_t vertices[PACKET_VERTICES_MAX], count = 0;
    const uint32_t *corners = array_at(&list->corners, begin);
    for (uint32_t i = 0; i < (end - begin) * list->corners_each; i++) {
        uint32_t slot = count;
        while (slot > 0 && vertices[slot - 1] > corners[i]) {
            slot--;
        }
        if (slot > 0 && vertices[slot - 1] == corners[i]) {
            continue;
        }
        memmove(vertices + slot + 1, vertices + slot, (count - slot) * sizeof *vertices);
        vertices[slot] = corners[i];
        count++;
    }
    uint32_t start = (uint32_t)list->vertices.count;
    return array_push(&list->vertex_start, &start) && array_push_many(&list->vertices, vertices, count);
}

static bool end_packet(struct packet_list *list, uint32_t begin, uint32_t end)
{
    return begin == end || (array_push(&list->packets, &begin) && list_vertices(list, begin, end));
}

/* Writes the ordered elements of a body behind those of the bodies before it. */
static bool append_body(struct packet_list *list, const struct gathering *gathering, uint32_t *number)
{
    uint32_t each = list->corners_each, begin = *number, end = begin + gathering->count;
    for (uint32_t i = 0; i < gathering->count; i++) {
        uint32_t from = gathering->order[i];
        memcpy(array_at(&list->corners, begin + i), gathering->corners + (size_t)from * each, each * sizeof(uint32_t));
        memcpy(array_at(&list->elements, begin + i), &gathering->elements[from], sizeof(uint32_t));
    }
    bool enough = true;
    for (; begin < end && enough; begin += PACKET_LANES) {
        enough = end_packet(list, begin, end - begin > PACKET_LANES ? begin + PACKET_LANES : end);
    }
    *number = end;
    return enough;
}

static uint32_t element_total(const struct packet_list *list, const struct body *body)
{
    bool cells = list->corners_each == 4;
    return !cells ? body->surface_face_count : body_tetrahedron_count(body);
}

static void gather(struct gathering *gathering, const struct body *body, uint32_t first_vertex_number,
                   uint32_t first_face)
{
    uint32_t each = gathering->list->corners_each;
    gathering->count = element_total(gathering->list, body);
    for (uint32_t i = 0; i < gathering->count; i++) {
        const uint32_t *corners = each == 4 ? body->tetrahedra[i] : body->surface_faces[i].corners;
        for (uint32_t k = 0; k < each; k++) {
            gathering->corners[(size_t)i * each + k] = first_vertex_number + corners[k];
        }
        gathering->elements[i] = each != 4                   ? first_face + i
                                 : body->cell_of_tetrahedron ? body->cell_of_tetrahedron[i]
                                                             : i;
    }
}

static bool build(struct packet_list *list, struct gathering *gathering, const struct snapshot *snapshot,
                  const struct vertex_numbering *numbering)
{
    uint32_t number = 0;
    bool enough = true;
    for (uint32_t body_index = 0; body_index <= snapshot->body_count && enough; body_index++) {
        uint32_t packets = (uint32_t)list->packets.count;
        enough = array_push(&list->first_packet, &packets);
        if (body_index < snapshot->body_count && enough && element_total(list, snapshot->bodies[body_index].body)) {
            gather(gathering, snapshot->bodies[body_index].body, first_vertex(numbering, body_index), number);
            order_elements(gathering);
            enough = append_body(list, gathering, &number);
        }
    }
    uint32_t vertices = (uint32_t)list->vertices.count;
    return enough && array_push(&list->packets, &number) && array_push(&list->vertex_start, &vertices);
}

bool packet_list_build(struct packet_list *list, const struct snapshot *snapshot,
                       const struct vertex_numbering *numbering, const struct float_space *space, struct arena *scratch,
                       bool *too_many)
{
    uint64_t total = 0, most = 0;
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        uint64_t count = element_total(list, snapshot->bodies[body_index].body);
        total += count;
        most = count > most ? count : most;
    }
    *too_many = total >= UINT32_MAX / 4;
    array_clear(&list->corners);
    array_clear(&list->elements);
    array_clear(&list->packets);
    array_clear(&list->first_packet);
    array_clear(&list->vertex_start);
    array_clear(&list->vertices);
    if (*too_many || !array_extend(&list->corners, total) || !array_extend(&list->elements, total)) {
        return false;
    }
    struct arena_mark mark = arena_mark(scratch);
    struct gathering gathering = {.list = list, .points = space->points};
    gathering.corners = arena_allocate(scratch, most, list->corners_each * sizeof(uint32_t));
    gathering.elements = arena_allocate(scratch, most, sizeof(uint32_t));
    gathering.middles = arena_allocate(scratch, most, sizeof *gathering.middles);
    gathering.order = arena_allocate(scratch, most, sizeof(uint32_t));
    bool enough = gathering.corners && gathering.elements && gathering.middles && gathering.order &&
                  build(list, &gathering, snapshot, numbering);
    arena_rewind(scratch, mark);
    return enough;
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

enum { BOXES_PER_BLOCK = 1024 };

struct boxing {
    const struct packet_list *list;
    const struct point_record *points;
    struct packet_box *boxes;
};

static void box_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct boxing *boxing = data;
    const uint32_t *start = boxing->list->vertex_start.data, *vertices = boxing->list->vertices.data;
    uint32_t total = packet_list_count(boxing->list), begin = block * BOXES_PER_BLOCK;
    uint32_t end = total - begin > BOXES_PER_BLOCK ? begin + BOXES_PER_BLOCK : total;
    for (uint32_t packet = begin; packet < end; packet++) {
        struct packet_box box;
        memcpy(box.lo, &boxing->points[vertices[start[packet]]],
               sizeof box.lo); /* the fourth number goes along and means nothing */
        box.hi[0] = box.lo[0], box.hi[1] = box.lo[1], box.hi[2] = box.lo[2], box.hi[3] = box.lo[3];
        for (uint32_t i = start[packet] + 1; i < start[packet + 1]; i++) {
            float x[4];
            memcpy(x, &boxing->points[vertices[i]], sizeof x);
            for (int axis = 0; axis < 4; axis++) {
                box.lo[axis] = x[axis] < box.lo[axis] ? x[axis] : box.lo[axis];
                box.hi[axis] = x[axis] > box.hi[axis] ? x[axis] : box.hi[axis];
            }
        }
        boxing->boxes[packet] = box;
    }
}

void packet_list_boxes(const struct packet_list *list, const struct float_space *space, dent_context *context,
                       struct packet_box *boxes)
{
    struct boxing boxing = {list, space->points, boxes};
    uint32_t count = packet_list_count(list);
    dent_parallel_for(context, count / BOXES_PER_BLOCK + (count % BOXES_PER_BLOCK != 0), box_block, &boxing);
}
