/* Cells and faces in packets. See packet_groups.h. */
#include "structures/grid/packet_groups.h"

#include <math.h>

void packet_groups_init(struct packet_groups *sets, dent_context *context)
{
    *sets = (struct packet_groups){0};
    vertex_numbering_init(&sets->numbering, context);
    array_init(&sets->cell_corners, context, 4 * sizeof(uint32_t));
    array_init(&sets->cell_owner, context, sizeof(struct element_owner));
    array_init(&sets->cell_packets, context, sizeof(uint32_t));
    array_init(&sets->face_corners, context, 3 * sizeof(uint32_t));
    array_init(&sets->face_owner, context, sizeof(struct element_owner));
    array_init(&sets->face_order, context, sizeof(uint32_t));
    array_init(&sets->face_packets, context, sizeof(uint32_t));
    array_init(&sets->vertex_octave, context, sizeof(int16_t));
}

void packet_groups_destroy(struct packet_groups *sets)
{
    vertex_numbering_destroy(&sets->numbering);
    array_destroy(&sets->cell_corners);
    array_destroy(&sets->cell_owner);
    array_destroy(&sets->cell_packets);
    array_destroy(&sets->face_corners);
    array_destroy(&sets->face_owner);
    array_destroy(&sets->face_order);
    array_destroy(&sets->face_packets);
    array_destroy(&sets->vertex_octave);
}

/* ---- collecting ------------------------------------------------------------------------------------------------- */

static double box_size(const double (*xyz)[3], const uint32_t *corners, int count)
{
    double size = 0;
    for (int axis = 0; axis < 3; axis++) {
        double lo = xyz[corners[0]][axis], hi = lo;
        for (int k = 1; k < count; k++) {
            double x = xyz[corners[k]][axis];
            lo = x < lo ? x : lo;
            hi = x > hi ? x : hi;
        }
        size = hi / 2 - lo / 2 > size ? hi / 2 - lo / 2 : size;
    }
    return size;
}

/* Half the size of an element, noted at its corners and counted for the typical size. */
struct size_notes {
    int16_t *octave;
    uint32_t *exponents; /* histogram over all exponents of double */
};

enum { EXPONENTS = 2200, EXPONENT_ZERO = 1100 };

static void note_size(struct size_notes *notes, double half_size, const uint32_t *corners, int count)
{
    int octave = -EXPONENT_ZERO;
    if (half_size > 0) {
        frexp(half_size, &octave);
    }
    notes->exponents[octave + EXPONENT_ZERO]++;
    for (int k = 0; k < count; k++) {
        int16_t *at = &notes->octave[corners[k]];
        *at = octave + 1 > *at ? (int16_t)(octave + 1) : *at;
    }
}

static void collect_cells(struct packet_groups *sets, const struct body_snapshot *body_snapshot, uint32_t body_index,
                          uint32_t *number, struct size_notes *notes)
{
    const struct body *body = body_snapshot->body;
    uint32_t first = first_vertex(&sets->numbering, body_index);
    for (uint32_t t = 0; t < body->tetrahedron_count; t++, (*number)++) {
        uint32_t *corners = array_at(&sets->cell_corners, *number);
        struct element_owner *owner = array_at(&sets->cell_owner, *number);
        for (int k = 0; k < 4; k++) {
            corners[k] = first + body->tetrahedra[t][k];
        }
        *owner = (struct element_owner){body_index, body->cell_of_tetrahedron ? body->cell_of_tetrahedron[t] : t};
        note_size(notes, box_size(body_snapshot->xyz, body->tetrahedra[t], 4), corners, 4);
    }
}

static void collect_faces(struct packet_groups *sets, const struct body_snapshot *body_snapshot, uint32_t body_index,
                          uint32_t *number, struct size_notes *notes)
{
    const struct body *body = body_snapshot->body;
    uint32_t first = first_vertex(&sets->numbering, body_index);
    for (uint32_t f = 0; f < body->surface_face_count; f++, (*number)++) {
        uint32_t *corners = array_at(&sets->face_corners, *number);
        struct element_owner *owner = array_at(&sets->face_owner, *number);
        for (int k = 0; k < 3; k++) {
            corners[k] = first + body->surface_faces[f].corners[k];
        }
        *owner = (struct element_owner){body_index, f};
        if (body_has_faces(body)) {
            note_size(notes, box_size(body_snapshot->xyz, body->surface_faces[f].corners, 3), corners, 3);
        }
    }
}

static double lower_quartile(const uint32_t *exponents)
{
    uint64_t all = 0, below = 0;
    for (int i = 0; i < EXPONENTS; i++) {
        all += exponents[i];
    }
    for (int i = 0; i < EXPONENTS && all; i++) {
        below += exponents[i];
        if (4 * below >= all) {
            return ldexp(1.0, i - EXPONENT_ZERO);
        }
    }
    return 0;
}

static bool make_room(struct packet_groups *sets, uint64_t cells, uint64_t faces)
{
    array_clear(&sets->cell_corners);
    array_clear(&sets->cell_owner);
    array_clear(&sets->face_corners);
    array_clear(&sets->face_owner);
    array_clear(&sets->face_order);
    array_clear(&sets->vertex_octave);
    return array_extend(&sets->cell_corners, cells) && array_extend(&sets->cell_owner, cells) &&
           array_extend(&sets->face_corners, faces) && array_extend(&sets->face_owner, faces) &&
           array_extend(&sets->face_order, faces) && array_extend(&sets->vertex_octave, sets->numbering.count);
}

bool packet_groups_collect(struct packet_groups *sets, const struct snapshot *snapshot, struct arena *scratch,
                           bool *too_many)
{
    uint64_t cells = 0, faces = 0;
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        const struct body *body = snapshot->bodies[body_index].body;
        cells += body_tetrahedron_count(body);
        faces += body->surface_face_count;
    }
    *too_many = cells >= UINT32_MAX || faces >= UINT32_MAX;
    if (*too_many || !vertex_numbering_build(&sets->numbering, snapshot, scratch, too_many) ||
        !make_room(sets, cells, faces)) {
        return false;
    }
    struct arena_mark mark = arena_mark(scratch);
    struct size_notes notes = {.octave = sets->vertex_octave.data};
    notes.exponents = arena_allocate_cleared(scratch, EXPONENTS, sizeof *notes.exponents);
    if (!notes.exponents) {
        return false;
    }
    for (uint32_t vertex = 0; vertex < sets->numbering.count; vertex++) {
        notes.octave[vertex] = -EXPONENT_ZERO;
    }
    uint32_t cell = 0, face = 0;
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        if (body_has_cells(snapshot->bodies[body_index].body)) {
            collect_cells(sets, &snapshot->bodies[body_index], body_index, &cell, &notes);
        }
        collect_faces(sets, &snapshot->bodies[body_index], body_index, &face, &notes);
    }
    for (uint32_t i = 0; i < face; i++) {
        ((uint32_t *)sets->face_order.data)[i] = i;
    }
    sets->typical_size = lower_quartile(notes.exponents);
    arena_rewind(scratch, mark);
    return true;
}

/* ---- ordering --------------------------------------------------------------------------------------------------- */

struct float_box {
    float lo[3], hi[3];
};

static struct float_box float_box_of(const struct point_record *points, const uint32_t *corners, int count)
{
    struct float_box box;
    for (int axis = 0; axis < 3; axis++) {
        box.lo[axis] = box.hi[axis] = points[corners[0]].position[axis];
        for (int k = 1; k < count; k++) {
            float x = points[corners[k]].position[axis];
            box.lo[axis] = x < box.lo[axis] ? x : box.lo[axis];
            box.hi[axis] = x > box.hi[axis] ? x : box.hi[axis];
        }
    }
    return box;
}

static float box_edge(const struct float_box *box)
{
    float edge = 0;
    for (int axis = 0; axis < 3; axis++) {
        edge = box->hi[axis] - box->lo[axis] > edge ? box->hi[axis] - box->lo[axis] : edge;
    }
    return edge;
}

/* A packet ends when it is full, when sizes differ too much for one error bound, or when the next element is far away.
 */
#define SIZE_RATIO 4.0f
#define JUMP_RATIO 6.0f

struct cutting {
    struct float_box box;
    float smallest, largest;
    uint32_t count;
};

static bool fits(struct cutting *cutting, const struct float_box *box)
{
    float size = box_edge(box);
    struct cutting with = *cutting;
    if (with.count == 0) {
        with.box = *box;
        with.smallest = with.largest = size;
    }
    for (int axis = 0; axis < 3; axis++) {
        with.box.lo[axis] = box->lo[axis] < with.box.lo[axis] ? box->lo[axis] : with.box.lo[axis];
        with.box.hi[axis] = box->hi[axis] > with.box.hi[axis] ? box->hi[axis] : with.box.hi[axis];
    }
    with.smallest = size < with.smallest ? size : with.smallest;
    with.largest = size > with.largest ? size : with.largest;
    with.count++;
    bool fit = with.count == 1 || (with.count <= PACKET_LANES && with.largest <= SIZE_RATIO * with.smallest &&
                                   box_edge(&with.box) <= JUMP_RATIO * with.largest);
    if (fit) {
        *cutting = with;
    }
    return fit;
}

/* Twice the middle of an element's box. */
struct middle {
    float x[3];
    uint32_t element;
};

static bool comes_before(const struct middle *a, const struct middle *b, int axis)
{
    return a->x[axis] < b->x[axis] || (a->x[axis] == b->x[axis] && a->element < b->element);
}

/* Brings the nth smallest along an axis to its slot, smaller ones before it (Hoare's selection); ties by element. */
static void select_nth(struct middle *middles, int64_t count, int64_t nth, int axis)
{
    int64_t low = 0, high = count - 1;
    while (low < high) {
        struct middle pivot = middles[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (comes_before(&middles[i], &pivot, axis)) {
                i++;
            }
            while (comes_before(&pivot, &middles[j], axis)) {
                j--;
            }
            if (i <= j) {
                struct middle swapped = middles[i];
                middles[i++] = middles[j];
                middles[j--] = swapped;
            }
        }
        if (nth > j && nth < i) {
            return;
        }
        high = nth <= j ? j : high;
        low = nth >= i ? i : low;
    }
}

/* Halves along the longest axis until packets are left; all but the last of a set are full. */
static void split(struct middle *middles, uint32_t count)
{
    while (count > PACKET_LANES) {
        float lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
        int axis = 0;
        for (uint32_t i = 0; i < count; i++) {
            for (int k = 0; k < 3; k++) {
                lo[k] = middles[i].x[k] < lo[k] ? middles[i].x[k] : lo[k];
                hi[k] = middles[i].x[k] > hi[k] ? middles[i].x[k] : hi[k];
            }
        }
        for (int k = 1; k < 3; k++) {
            axis = hi[k] - lo[k] > hi[axis] - lo[axis] ? k : axis;
        }
        uint32_t half = (count / 2 + PACKET_LANES - 1) / PACKET_LANES * PACKET_LANES;
        half = half < count ? half : count / 2;
        select_nth(middles, count, half, axis);
        split(middles + half, count - half);
        count = half;
    }
}

/* Elements of one kind, as collected: by body. */
struct element_list {
    const uint32_t *corners; /* `per` vertex numbers of each */
    int per;
    uint32_t count;
    const struct element_owner *owners;
};

static struct float_box box_of_element(const struct element_list *list, const struct float_space *space,
                                       uint32_t element)
{
    return float_box_of(space->points, list->corners + (size_t)element * (size_t)list->per, list->per);
}

static void add_middle(struct middle *middle, const struct element_list *list, const struct float_space *space,
                       uint32_t element)
{
    struct float_box box = box_of_element(list, space, element);
    *middle = (struct middle){{box.lo[0] + box.hi[0], box.lo[1] + box.hi[1], box.lo[2] + box.hi[2]}, element};
}

/* Bodies of at least half a packet are split one by one, so that bodies that move apart do not tear packets; the
 * elements of smaller ones are pooled behind them. Returns where the pool begins. */
static uint32_t split_bodies(const struct element_list *list, const struct float_space *space, struct middle *middles)
{
    uint32_t placed = 0, pool = list->count;
    for (uint32_t begin = 0, end; begin < list->count; begin = end) {
        for (end = begin; end < list->count && list->owners[end].body == list->owners[begin].body; end++) {
        }
        bool large = end - begin >= PACKET_LANES / 2;
        for (uint32_t element = begin; element < end; element++) {
            add_middle(large ? &middles[placed + element - begin] : &middles[--pool], list, space, element);
        }
        if (large) {
            split(middles + placed, end - begin);
            placed += end - begin;
        }
    }
    split(middles + pool, list->count - pool);
    return pool;
}

/* order: out, the elements in packet order. */
static bool order_elements(const struct float_space *space, const struct element_list *list, uint32_t *order,
                           struct dynamic_array *packets, struct arena *scratch)
{
    struct middle *middles = arena_allocate(scratch, list->count, sizeof *middles);
    array_clear(packets);
    if (!middles) {
        return false;
    }
    uint32_t pool = split_bodies(list, space, middles);
    struct cutting cutting = {.count = 0};
    bool enough = true;
    for (uint32_t i = 0; i < list->count && enough; i++) {
        order[i] = middles[i].element;
        struct float_box box = box_of_element(list, space, order[i]);
        bool other_body = i > 0 && i <= pool && list->owners[order[i]].body != list->owners[order[i - 1]].body;
        bool fit = !other_body && fits(&cutting, &box);
        if (!fit) {
            cutting.count = 0;
            fits(&cutting, &box);
        }
        if (!fit || i == 0) {
            enough = array_push(packets, &i);
        }
    }
    return enough && array_push(packets, &list->count);
}

bool packet_groups_order(struct packet_groups *sets, const struct float_space *space, struct arena *scratch)
{
    struct arena_mark mark = arena_mark(scratch);
    uint32_t cells = (uint32_t)sets->cell_corners.count, faces = (uint32_t)sets->face_corners.count;
    uint32_t *order = arena_allocate(scratch, cells, sizeof *order);
    uint32_t(*corners)[4] = arena_allocate(scratch, cells, sizeof *corners);
    struct element_owner *owners = arena_allocate(scratch, cells, sizeof *owners);
    struct element_list cell_list = {sets->cell_corners.data, 4, cells, sets->cell_owner.data};
    struct element_list face_list = {sets->face_corners.data, 3, faces, sets->face_owner.data};
    bool enough = order && corners && owners &&
                  order_elements(space, &cell_list, order, &sets->cell_packets, scratch) &&
                  order_elements(space, &face_list, sets->face_order.data, &sets->face_packets, scratch);
    if (enough && cells) {
        memcpy(corners, sets->cell_corners.data, cells * sizeof *corners);
        memcpy(owners, sets->cell_owner.data, cells * sizeof *owners);
        for (uint32_t i = 0; i < cells; i++) {
            memcpy(array_at(&sets->cell_corners, i), corners[order[i]], sizeof *corners);
            memcpy(array_at(&sets->cell_owner, i), &owners[order[i]], sizeof *owners);
        }
    }
    arena_rewind(scratch, mark);
    return enough;
}
