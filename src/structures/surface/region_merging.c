/* Merging: borders between regions ranked by the shape of the union, pairs taken best first. See region_merging.h and
 * surface_regions.c.
 */
#include "structures/surface/region_merging.h"

#include "base/radix_sort.h"
#include "structures/surface/face_adjacency.h"
#include "structures/surface/leaf_order.h"
#include "structures/boxes/mesh_coordinates.h"
#include "structures/surface/surface_regions.h"

#include <math.h>
#include <string.h>

#define NONE NONE_LEFT

enum {
    FACTOR_SHIFT = 17, /* a float without these bits: six bits of fraction are left */
    NEAR_NUMBERS = 8
};

/* ---- the beginning ----------------------------------------------------------------------------------------------- */

static double edge_length(const struct merging *merging, uint32_t a, uint32_t b)
{
    if (merging->unit_lengths) {
        return 1;
    }
    double p[3], q[3], sum = 0;
    scaled_point(merging, a, p);
    scaled_point(merging, b, q);
    for (int axis = 0; axis < 3; axis++) {
        sum += (q[axis] - p[axis]) * (q[axis] - p[axis]);
    }
    return sqrt(sum);
}

static double face_area(const struct merging *merging, const uint32_t corners[3])
{
    if (merging->unit_lengths) {
        return 0.4330127018922193; /* sqrt(3) / 4 */
    }
    double p[3], q[3], r[3], sum = 0;
    scaled_point(merging, corners[0], p);
    scaled_point(merging, corners[1], q);
    scaled_point(merging, corners[2], r);
    for (int axis = 0; axis < 3; axis++) {
        int next = (axis + 1) % 3;
        double part = (q[axis] - p[axis]) * (r[next] - p[next]) - (q[next] - p[next]) * (r[axis] - p[axis]);
        sum += part * part;
    }
    return 0.5 * sqrt(sum);
}

static void sort_three(uint32_t v[3])
{
    for (int i = 0; i < 3; i++) {
        int j = i == 2 ? 0 : i;
        if (v[j] > v[j + 1]) {
            uint32_t swap = v[j];
            v[j] = v[j + 1];
            v[j + 1] = swap;
        }
    }
}

static uint32_t number_of(const struct merging *merging, uint32_t face)
{
    return merging->number_of_face ? merging->number_of_face[face] : face;
}

/* One region per face. */
static void start_regions(struct merging *merging)
{
    const struct body *body = merging->body;
    merging->count = body->surface_face_count;
    for (uint32_t face = 0; face < merging->count; face++) {
        const uint32_t *corners = body->surface_faces[face].corners;
        double contour = 0;
        for (int i = 0; i < 3; i++) {
            contour += edge_length(merging, corners[i], corners[(i + 1) % 3]);
        }
        uint32_t id = number_of(merging, face);
        merging->regions[id] = (struct region){face_area(merging, corners), contour, face, face, 1, 3 * id, 3};
        memcpy(merging->vertices + 3 * (size_t)id, corners, 3 * sizeof *corners);
        sort_three(merging->vertices + 3 * (size_t)id);
        merging->next[face] = NONE;
    }
}

/* Adds up the borders between the same two regions: sorted by (a, b), equal ones joined. */
static void join_borders(struct merging *merging, uint32_t count)
{
    struct border *from = merging->next_borders, *to = merging->borders;
    for (uint32_t i = 0; i < count; i++) {
        merging->keys[i] = (uint64_t)from[i].a << 32 | from[i].b;
        merging->order[i] = i;
    }
    radix_sort_u64(merging->keys, merging->order, merging->key_scratch, merging->order_scratch, count);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct border *border = &from[merging->order[i]];
        if (kept > 0 && to[kept - 1].a == border->a && to[kept - 1].b == border->b) {
            to[kept - 1].length += border->length;
        } else {
            to[kept++] = *border;
        }
    }
    merging->border_count = kept;
}

/* Faces at an edge with more than two are neighbours in a chain. */
static void start_borders(struct merging *merging, const struct face_adjacency *adjacency)
{
    uint32_t halves = 3 * merging->body->surface_face_count, count = 0;
    for (uint32_t slot = 1; slot < halves; slot++) {
        uint32_t half = adjacency->by_edge[slot];
        uint32_t face = half / 3, before = adjacency->by_edge[slot - 1] / 3;
        if (!adjacency->edge_begins[slot] && face != before) {
            const uint32_t *corners = merging->body->surface_faces[face].corners;
            double length = edge_length(merging, corners[half % 3], corners[(half % 3 + 1) % 3]);
            uint32_t a = number_of(merging, face), b = number_of(merging, before);
            merging->next_borders[count++] = a < b ? (struct border){a, b, length} : (struct border){b, a, length};
        }
    }
    join_borders(merging, count);
}

struct box_scaling shape_scaling(const struct body *body, const double (*shape)[3])
{
    double largest = 0;
    for (uint32_t vertex = 0; vertex < body->vertex_count; vertex++) {
        for (int axis = 0; axis < 3; axis++) {
            double size = fabs(shape[vertex][axis]);
            largest = size > largest ? size : largest;
        }
    }
    return box_scaling_for(largest);
}

/* ---- a round ----------------------------------------------------------------------------------------------------- */

/* Six bits of shape factor, the best first. A union without contour is closed: nothing could be rounder. */
static uint64_t factor_key(const struct merging *merging, const struct border *border)
{
    const struct region *a = &merging->regions[border->a], *b = &merging->regions[border->b];
    double contour = a->contour + b->contour - 2 * border->length;
    double factor = contour > 0 ? sqrt(a->area + b->area) / contour : 1e30;
    float rounded = factor < 1e30 ? (float)factor : 1e30f;
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    return UINT32_MAX - (bits >> FACTOR_SHIFT);
}

/* The vertices of two regions, each once and ascending; stops when there are more than a leaf may have. Returns how
 * many. */
static uint32_t unite_vertices(const struct merging *merging, const struct region *a, const struct region *b,
                               uint32_t out[REGION_VERTICES + 1])
{
    const uint32_t *from_a = merging->vertices + a->first_vertex, *end_a = from_a + a->vertex_count;
    const uint32_t *from_b = merging->vertices + b->first_vertex, *end_b = from_b + b->vertex_count;
    uint32_t count = 0;
    while ((from_a < end_a || from_b < end_b) && count <= REGION_VERTICES) {
        uint32_t vertex = from_b == end_b || (from_a < end_a && *from_a < *from_b) ? *from_a : *from_b;
        from_a += from_a < end_a && *from_a == vertex;
        from_b += from_b < end_b && *from_b == vertex;
        out[count++] = vertex;
    }
    return count;
}

/* May these regions become one? */
static bool union_fits(const struct merging *merging, uint32_t a, uint32_t b)
{
    uint32_t united[REGION_VERTICES + 1];
    const struct region *region_a = &merging->regions[a], *region_b = &merging->regions[b];
    return !merging->limited || (region_a->face_count + region_b->face_count <= REGION_FACES &&
                                 unite_vertices(merging, region_a, region_b, united) <= REGION_VERTICES);
}

/* The borders worth a look in this round, best first; `order` then holds them. */
static uint32_t body_index_borders(struct merging *merging)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < merging->border_count; i++) {
        const struct border *border = &merging->borders[i];
        if (merging->limited &&
            merging->regions[border->a].face_count + merging->regions[border->b].face_count > REGION_FACES) {
            continue;
        }
        merging->keys[count] = factor_key(merging, border);
        merging->order[count++] = i;
    }
    radix_sort_u64(merging->keys, merging->order, merging->key_scratch, merging->order_scratch, count);
    return count;
}

static void add_member(struct merging *merging, uint32_t head, uint32_t id)
{
    merging->group[id] = head;
    merging->next_member[merging->last_member[head]] = id;
    merging->last_member[head] = id;
    merging->members[head] += merging->members[head] < UINT8_MAX;
}

/* Pairs, best first. Returns the number of unions. */
static uint32_t choose_pairs(struct merging *merging, uint32_t ranked)
{
    uint32_t unions = 0;
    for (uint32_t id = 0; id < merging->count; id++) {
        merging->group[id] = merging->next_member[id] = NONE;
        merging->last_member[id] = id;
        merging->members[id] = 1;
    }
    for (uint32_t i = 0; i < ranked; i++) {
        const struct border *border = &merging->borders[merging->order[i]];
        if (merging->group[border->a] == NONE && merging->group[border->b] == NONE &&
            union_fits(merging, border->a, border->b)) {
            merging->group[border->a] = border->a;
            add_member(merging, border->a, border->b);
            unions++;
        }
    }
    return unions;
}

/* Regions left alone by the pairing join the best group beside them that has room. */
static uint32_t join_leftovers(struct merging *merging, uint32_t ranked, uint32_t most)
{
    uint32_t unions = 0;
    for (uint32_t i = 0; i < ranked; i++) {
        const struct border *border = &merging->borders[merging->order[i]];
        bool a_alone = merging->group[border->a] == NONE, b_alone = merging->group[border->b] == NONE;
        if (a_alone == b_alone) {
            continue;
        }
        uint32_t head = merging->group[a_alone ? border->b : border->a];
        if (merging->members[head] < most) {
            add_member(merging, head, a_alone ? border->a : border->b);
            unions++;
        }
    }
    return unions;
}

/* Leaves grow by pairs only. Later, groups of three keep the pace where a pairing leaves many alone; where even that
 * stalls (one region with very many neighbours) groups of any size do. */
static uint32_t choose_unions(struct merging *merging, uint32_t ranked)
{
    uint32_t unions = choose_pairs(merging, ranked);
    if (!merging->limited) {
        unions += join_leftovers(merging, ranked, 3);
        unions += unions < merging->count / 8 ? join_leftovers(merging, ranked, NONE) : 0;
    }
    return unions;
}

/* The vertices of a union of at most two regions go to the end of the next round's list. */
static void write_vertices(struct merging *merging, uint32_t id, struct region *joined, uint32_t slot)
{
    const struct region *region = &merging->regions[id];
    uint32_t second = merging->next_member[id], united[REGION_VERTICES + 1];
    joined->first_vertex = slot;
    if (second == NONE) {
        memcpy(merging->next_vertices + slot, merging->vertices + region->first_vertex,
               region->vertex_count * sizeof *united);
        return;
    }
    joined->vertex_count = unite_vertices(merging, region, &merging->regions[second], united);
    memcpy(merging->next_vertices + slot, united, joined->vertex_count * sizeof *united);
}

/* The regions of the next round, in the order of the members they are named after. Pairs are named after the smaller
 * one: the new list may then overwrite the old one, being always behind in it. */
static void make_unions(struct merging *merging)
{
    uint32_t count = 0, vertices = 0;
    for (uint32_t id = 0; id < merging->count; id++) {
        if (merging->group[id] != NONE && merging->group[id] != id) {
            continue;
        }
        struct region joined = merging->regions[id];
        if (merging->limited) {
            write_vertices(merging, id, &joined, vertices);
            vertices += joined.vertex_count;
        }
        struct leaf_blocks blocks = {0};
        if (!merging->limited) {
            blocks = merging->blocks[id];
        }
        merging->renamed[id] = count;
        for (uint32_t other = merging->next_member[id]; other != NONE; other = merging->next_member[other]) {
            const struct region *member = &merging->regions[other];
            joined.area += member->area;
            joined.contour += member->contour;
            joined.face_count += member->face_count;
            if (merging->limited) {
                merging->next[joined.last] = member->first;
                joined.last = member->last;
            } else {
                leaf_blocks_join(merging, &blocks, &merging->blocks[other]);
            }
            merging->renamed[other] = count;
        }
        if (!merging->limited) {
            merging->next_blocks[count] = blocks;
        }
        merging->next_regions[count++] = joined;
    }
    merging->count = count;
}

/* Borders inside a union leave its contour; the others get the new numbers. */
static void rename_borders(struct merging *merging)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < merging->border_count; i++) {
        struct border border = merging->borders[i];
        uint32_t a = merging->renamed[border.a], b = merging->renamed[border.b];
        if (a == b) {
            merging->next_regions[a].contour -= 2 * border.length;
        } else {
            merging->next_borders[count++] =
                a < b ? (struct border){a, b, border.length} : (struct border){b, a, border.length};
        }
    }
    join_borders(merging, count);
}

/* True when something was joined. */
bool merge_round(struct merging *merging)
{
    if (choose_unions(merging, body_index_borders(merging)) == 0) {
        return false;
    }
    make_unions(merging);
    rename_borders(merging);
    struct region *regions = merging->regions;
    struct leaf_blocks *blocks = merging->blocks;
    merging->regions = merging->next_regions;
    merging->next_regions = regions;
    merging->blocks = merging->next_blocks;
    merging->next_blocks = blocks;
    if (merging->limited) {
        uint32_t *vertices = merging->vertices;
        merging->vertices = merging->next_vertices;
        merging->next_vertices = vertices;
    }
    return true;
}

/* Do the numbers of edges say as much as their lengths? They do where faces are about as wide as long, and then they
 * say it without the noise of the shape: a regular mesh is cut regularly however it is bent just now. They have to
 * where the shape has no area at all. The measure is 1 for equilateral faces, 0.87 for halves of squares, 0.41 for
 * halves of rectangles of 1 to 4. */
static bool unit_lengths_do(struct merging *merging)
{
    double area = 0, squares = 0;
    merging->unit_lengths = false;
    for (uint32_t face = 0; face < merging->body->surface_face_count; face++) {
        const uint32_t *corners = merging->body->surface_faces[face].corners;
        area += face_area(merging, corners);
        for (int i = 0; i < 3; i++) {
            double length = edge_length(merging, corners[i], corners[(i + 1) % 3]);
            squares += length * length;
        }
    }
    return !(area > 0) || 4 * 1.7320508075688772 * area > 0.6 * squares;
}

/* Places where two faces at an edge follow one another: as many borders as there can be. */
static size_t count_borders(const struct face_adjacency *adjacency, size_t halves)
{
    size_t count = 0;
    for (size_t slot = 1; slot < halves; slot++) {
        count += !adjacency->edge_begins[slot];
    }
    return count;
}

/* Do the numbers of the faces follow the mesh? In most files about half of all neighbours are close in the list;
 * shuffled ones are not. */
static bool numbers_follow_mesh(const struct face_adjacency *adjacency, size_t halves)
{
    size_t near = 0, all = 0;
    for (size_t slot = 1; slot < halves; slot++) {
        uint32_t face = adjacency->by_edge[slot] / 3, before = adjacency->by_edge[slot - 1] / 3;
        all += !adjacency->edge_begins[slot];
        near += !adjacency->edge_begins[slot] && face - before + NEAR_NUMBERS <= 2 * NEAR_NUMBERS;
    }
    return 4 * near >= all;
}

/* Numbers by slot along the mesh. */
static bool number_along_mesh(struct merging *merging, struct arena *arena)
{
    uint32_t count = merging->body->surface_face_count;
    uint32_t *numbers = arena_allocate(arena, count, sizeof *numbers);
    struct arena_mark mark = arena_mark(arena);
    struct mesh_coordinates coordinates;
    uint64_t *keys = arena_allocate(arena, count, 2 * sizeof *keys);
    uint32_t *order = arena_allocate(arena, count, 2 * sizeof *order);
    if (!numbers || !keys || !order || !mesh_coordinates_find(&coordinates, merging->body, arena)) {
        return false;
    }
    for (uint32_t face = 0; face < count; face++) {
        const uint32_t *corners = merging->body->surface_faces[face].corners;
        double at[2] = {0x1p31, 0x1p31}; /* sums of whole numbers, made positive */
        for (int i = 0; i < 3; i++) {
            at[0] += (double)coordinates.at[corners[i]][0] / 4;
            at[1] += (double)coordinates.at[corners[i]][1] / 4;
        }
        keys[face] = (uint64_t)at[0] << 32 | (uint32_t)at[1];
        order[face] = face;
    }
    radix_sort_u64(keys, order, keys + count, order + count, count);
    for (uint32_t i = 0; i < count; i++) {
        numbers[order[i]] = i;
    }
    merging->number_of_face = numbers;
    arena_rewind(arena, mark);
    return true;
}

bool merging_begin(struct merging *merging, const struct body *body, const double (*shape)[3], struct arena *arena)
{
    size_t faces = body->surface_face_count;
    struct face_adjacency adjacency;
    *merging = (struct merging){.body = body, .shape = shape, .scaling = shape_scaling(body, shape), .limited = true};
    if (!face_adjacency_find(&adjacency, body, arena)) {
        return false;
    }
    if (!numbers_follow_mesh(&adjacency, 3 * faces) && !number_along_mesh(merging, arena)) {
        return false;
    }
    size_t borders = count_borders(&adjacency, 3 * faces);
    merging->regions = arena_allocate(arena, faces, sizeof *merging->regions);
    merging->next_regions = merging->regions; /* pairs are joined in place */
    merging->borders = arena_allocate(arena, borders, sizeof *merging->borders);
    merging->next_borders = arena_allocate(arena, borders, sizeof *merging->borders);
    merging->vertices = arena_allocate(arena, 3 * faces, sizeof *merging->vertices);
    merging->next_vertices = arena_allocate(arena, 3 * faces, sizeof *merging->vertices);
    merging->next = arena_allocate(arena, faces, sizeof *merging->next);
    merging->group = arena_allocate(arena, faces, sizeof *merging->group);
    merging->members = arena_allocate(arena, faces, sizeof *merging->members);
    merging->next_member = arena_allocate(arena, faces, sizeof *merging->next_member);
    merging->last_member = arena_allocate(arena, faces, sizeof *merging->last_member);
    merging->renamed = arena_allocate(arena, faces, sizeof *merging->renamed);
    merging->keys = arena_allocate(arena, borders, sizeof *merging->keys);
    merging->key_scratch = arena_allocate(arena, borders, sizeof *merging->keys);
    merging->order = arena_allocate(arena, borders, sizeof *merging->order);
    merging->order_scratch = arena_allocate(arena, borders, sizeof *merging->order);
    if (!merging->regions || !merging->borders || !merging->next_borders || !merging->vertices ||
        !merging->next_vertices || !merging->next || !merging->group || !merging->members || !merging->next_member ||
        !merging->last_member || !merging->renamed || !merging->keys || !merging->key_scratch || !merging->order ||
        !merging->order_scratch) {
        return false;
    }
    merging->unit_lengths = unit_lengths_do(merging) && !merging->number_of_face;
    start_regions(merging);
    start_borders(merging, &adjacency);
    return true;
}
