/* Leaves by merging: every face begins as a region of its own, and neighbouring regions are joined in rounds, the pairs that make the
 * roundest union first (Volino and Magnenat-Thalmann: square root of the area over the length of the contour). Each region takes part
 * in one union per round, so all grow at the same pace. While a union would still fit into a leaf the rounds make leaves; then they go on
 * without that limit, and what they join becomes neighbours in the order of the leaves. Pieces of the mesh that do not hang together
 * are divided top-down like points in space.
 *
 * Changed against the chapter: the contour is the whole common contour, not one edge; edges count 1 each where the faces are not slender, and
 * shape factors are compared with six bits, so that a regular mesh is cut regularly whatever its shape is at the moment (ties go to the
 * smaller numbers, which follow the mesh).
 */
#include "structures/surface_regions.h"

#include "base/arena.h"
#include "base/radix_sort.h"
#include "geometry/float_boxes.h"
#include "structures/face_mates.h"
#include "structures/region_split.h"

#include <math.h>
#include <string.h>

#define NONE UINT32_MAX

enum {
    FACTOR_SHIFT = 17,  /* a float without these bits: six bits of fraction are left */
    LIMITED_ROUNDS = 40 /* a leaf takes part in at most 15 unions; rounds without much to do are not worth more */
};

/* Two regions with a common contour. */
struct border {
    uint32_t a, b; /* a < b */
    double length;
};

struct region {
    double area, contour;
    uint32_t first, last;  /* of its list: faces, later leaves */
    uint32_t face_count;   /* while leaves are made */
    uint32_t first_vertex; /* place in `vertices`, while leaves are made */
    uint32_t vertex_count;
};

struct merging {
    const struct body *body;
    const double (*shape)[3];
    struct box_scaling scaling;
    bool unit_lengths; /* all edges count 1: see unit_lengths_do */
    uint32_t count, border_count;
    struct region *regions, *next_regions;
    struct border *borders, *next_borders;
    uint32_t *vertices, *next_vertices; /* of the regions, ascending */
    uint32_t *next;                     /* behind each list member: the next one of the same region */
    uint32_t *group; /* of each region in this round: the member it is named after, NONE: alone so far */
    uint32_t *next_member, *last_member; /* members of a group hang behind the smallest one */
    uint8_t *members;                    /* of a group, by smallest member; no more than 255 are counted */
    uint32_t *renamed;                  /* region of the next round */
    uint64_t *keys, *key_scratch;
    uint32_t *order, *order_scratch;
    bool limited;
};

/* ---- the beginning ------------------------------------------------------------------------------------------------- */

static void scaled_point(const struct merging *merging, uint32_t vertex, double out[3])
{
    for (int axis = 0; axis < 3; axis++) {
        out[axis] = box_scale(merging->scaling, merging->shape[vertex][axis]);
    }
}

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

static struct box_scaling scaling_of(const struct body *body, const double (*shape)[3])
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
        merging->regions[face] = (struct region){face_area(merging, corners), contour, face, face, 1, 3 * face, 3};
        memcpy(merging->vertices + 3 * (size_t)face, corners, 3 * sizeof *corners);
        sort_three(merging->vertices + 3 * (size_t)face);
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
static void start_borders(struct merging *merging, const struct face_mates *mates)
{
    uint32_t halves = 3 * merging->body->surface_face_count, count = 0;
    for (uint32_t place = 1; place < halves; place++) {
        uint32_t half = mates->by_edge[place];
        uint32_t face = half / 3, before = mates->by_edge[place - 1] / 3;
        if (!mates->edge_begins[place] && face != before) {
            const uint32_t *corners = merging->body->surface_faces[face].corners;
            double length = edge_length(merging, corners[half % 3], corners[(half % 3 + 1) % 3]);
            merging->next_borders[count++] =
                face < before ? (struct border){face, before, length} : (struct border){before, face, length};
        }
    }
    join_borders(merging, count);
}

/* ---- a round ------------------------------------------------------------------------------------------------------- */

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

/* The vertices of two regions, each once and ascending; stops when there are more than a leaf may have. Returns how many. */
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
static uint32_t rank_borders(struct merging *merging)
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
        if (merging->group[border->a] == NONE && merging->group[border->b] == NONE && union_fits(merging, border->a, border->b)) {
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

/* Leaves grow by pairs only. Later, groups of three keep the pace where a pairing leaves many alone; where even that stalls (one region
 * with very many neighbours) groups of any size do. */
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
static void write_vertices(struct merging *merging, uint32_t id, struct region *joined, uint32_t place)
{
    const struct region *region = &merging->regions[id];
    uint32_t second = merging->next_member[id], united[REGION_VERTICES + 1];
    joined->first_vertex = place;
    if (second == NONE) {
        memcpy(merging->next_vertices + place, merging->vertices + region->first_vertex, region->vertex_count * sizeof *united);
        return;
    }
    joined->vertex_count = unite_vertices(merging, region, &merging->regions[second], united);
    memcpy(merging->next_vertices + place, united, joined->vertex_count * sizeof *united);
}

/* The regions of the next round, numbered by their smallest members. */
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
        merging->renamed[id] = count;
        for (uint32_t other = merging->next_member[id]; other != NONE; other = merging->next_member[other]) {
            const struct region *member = &merging->regions[other];
            joined.area += member->area;
            joined.contour += member->contour;
            joined.face_count += member->face_count;
            merging->next[joined.last] = member->first;
            joined.last = member->last;
            merging->renamed[other] = count;
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
            merging->next_borders[count++] = a < b ? (struct border){a, b, border.length} : (struct border){b, a, border.length};
        }
    }
    join_borders(merging, count);
}

/* True when something was joined. */
static bool merge_round(struct merging *merging)
{
    if (choose_unions(merging, rank_borders(merging)) == 0) {
        return false;
    }
    make_unions(merging);
    rename_borders(merging);
    struct region *regions = merging->regions;
    merging->regions = merging->next_regions;
    merging->next_regions = regions;
    if (merging->limited) {
        uint32_t *vertices = merging->vertices;
        merging->vertices = merging->next_vertices;
        merging->next_vertices = vertices;
    }
    return true;
}

/* Do the numbers of edges say as much as their lengths? They do where faces are about as wide as long, and then they say it without the
 * noise of the shape: a regular mesh is cut regularly however it is bent just now. They have to where the shape has no area at all. The
 * measure is 1 for equilateral faces, 0.87 for halves of squares, 0.41 for halves of rectangles of 1 to 4. */
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

static bool merging_begin(struct merging *merging, const struct body *body, const double (*shape)[3], struct arena *arena)
{
    size_t faces = body->surface_face_count, borders = 3 * faces;
    struct face_mates mates;
    *merging = (struct merging){.body = body, .shape = shape, .scaling = scaling_of(body, shape), .limited = true};
    merging->regions = arena_allocate(arena, faces, sizeof *merging->regions);
    merging->next_regions = arena_allocate(arena, faces, sizeof *merging->regions);
    merging->borders = arena_allocate(arena, borders, sizeof *merging->borders);
    merging->next_borders = arena_allocate(arena, borders, sizeof *merging->borders);
    merging->vertices = arena_allocate(arena, borders, sizeof *merging->vertices);
    merging->next_vertices = arena_allocate(arena, borders, sizeof *merging->vertices);
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
    if (!merging->regions || !merging->next_regions || !merging->borders || !merging->next_borders || !merging->vertices ||
        !merging->next_vertices || !merging->next || !merging->group || !merging->members || !merging->renamed || !merging->keys ||
        !merging->next_member || !merging->last_member ||
        !merging->key_scratch || !merging->order || !merging->order_scratch) {
        return false;
    }
    struct arena_mark mark = arena_mark(arena);
    if (!face_mates_find(&mates, body, arena)) {
        return false;
    }
    merging->unit_lengths = unit_lengths_do(merging);
    start_regions(merging);
    start_borders(merging, &mates);
    arena_rewind(arena, mark);
    return true;
}

/* ---- leaves -------------------------------------------------------------------------------------------------------- */

static bool regions_allocate(struct surface_regions *regions, uint32_t leaf_capacity)
{
    regions->first_face_capacity = (size_t)leaf_capacity + 1;
    regions->faces = dent_allocate(regions->context, regions->face_count, sizeof *regions->faces);
    regions->first_face = dent_allocate(regions->context, regions->first_face_capacity, sizeof *regions->first_face);
    if (regions->first_face) {
        regions->first_face[0] = 0;
    }
    return regions->faces && regions->first_face;
}

/* Faces are put at the end of the last leaf until the leaf is closed. */
static void put_face(struct surface_regions *regions, uint32_t *placed, uint32_t face)
{
    uint32_t place = (*placed)++;
    while (place > regions->first_face[regions->leaf_count] && regions->faces[place - 1] > face) {
        regions->faces[place] = regions->faces[place - 1];
        place--;
    }
    regions->faces[place] = face;
}

static void close_leaf(struct surface_regions *regions, uint32_t placed)
{
    regions->first_face[++regions->leaf_count] = placed;
}

/* Adds the corners of a face to a set of vertices; false when they would be too many. */
static bool add_corners(const struct body *body, uint32_t face, uint32_t set[REGION_VERTICES], uint32_t *count)
{
    for (int i = 0; i < 3; i++) {
        uint32_t vertex = body->surface_faces[face].corners[i], place = 0;
        while (place < *count && set[place] != vertex) {
            place++;
        }
        if (place == *count) {
            if (*count == REGION_VERTICES) {
                return false;
            }
            set[(*count)++] = vertex;
        }
    }
    return true;
}

static void face_centre(const struct body *body, const double (*shape)[3], struct box_scaling scaling, uint32_t face, double centre[3])
{
    const uint32_t *corners = body->surface_faces[face].corners;
    for (int axis = 0; axis < 3; axis++) {
        centre[axis] = box_scale(scaling, shape[corners[0]][axis]) + box_scale(scaling, shape[corners[1]][axis]) +
                       box_scale(scaling, shape[corners[2]][axis]);
    }
}

/* What the merging leaves: leaves in lists, one list for each piece of the mesh. */
struct collecting {
    struct surface_regions *regions;
    const struct merging *merging;
    const uint32_t *leaf_start; /* leaf_count + 1 */
    const uint32_t *leaf_faces;
    uint32_t placed;
};

static void put_leaf_faces(struct collecting *collecting, uint32_t leaf)
{
    for (uint32_t i = collecting->leaf_start[leaf]; i < collecting->leaf_start[leaf + 1]; i++) {
        put_face(collecting->regions, &collecting->placed, collecting->leaf_faces[i]);
    }
}

/* Small pieces share a leaf. */
static bool pieces_fit(void *user, const struct split_item *items, uint32_t count)
{
    const struct collecting *collecting = user;
    uint32_t faces = 0, vertices = 0, set[REGION_VERTICES];
    for (uint32_t i = 0; i < count; i++) {
        const struct region *piece = &collecting->merging->regions[items[i].id];
        uint32_t begin = collecting->leaf_start[piece->first], end = collecting->leaf_start[piece->first + 1];
        faces += end - begin;
        if (piece->first != piece->last || faces > REGION_FACES) {
            return false;
        }
        for (uint32_t j = begin; j < end; j++) {
            if (!add_corners(collecting->merging->body, collecting->leaf_faces[j], set, &vertices)) {
                return false;
            }
        }
    }
    return true;
}

static void take_pieces(void *user, const struct split_item *items, uint32_t count)
{
    struct collecting *collecting = user;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t leaf = collecting->merging->regions[items[i].id].first;
        for (; leaf != NONE; leaf = collecting->merging->next[leaf]) {
            put_leaf_faces(collecting, leaf);
            if (count == 1) {
                close_leaf(collecting->regions, collecting->placed);
            }
        }
    }
    if (count > 1) {
        close_leaf(collecting->regions, collecting->placed);
    }
}

/* The regions as they are become leaves; from now on lists are lists of leaves. */
static bool leaves_from_regions(struct merging *merging, struct arena *arena, uint32_t **leaf_start, uint32_t **leaf_faces)
{
    *leaf_start = arena_allocate(arena, (size_t)merging->count + 1, sizeof **leaf_start);
    *leaf_faces = arena_allocate(arena, merging->body->surface_face_count, sizeof **leaf_faces);
    if (!*leaf_start || !*leaf_faces) {
        return false;
    }
    uint32_t placed = 0;
    for (uint32_t leaf = 0; leaf < merging->count; leaf++) {
        (*leaf_start)[leaf] = placed;
        for (uint32_t face = merging->regions[leaf].first; face != NONE; face = merging->next[face]) {
            (*leaf_faces)[placed++] = face;
        }
        merging->regions[leaf].first = merging->regions[leaf].last = leaf;
    }
    (*leaf_start)[merging->count] = placed;
    memset(merging->next, 0xFF, merging->count * sizeof *merging->next);
    merging->limited = false;
    return true;
}

static bool cut_by_merging(struct surface_regions *regions, const struct body *body, const double (*shape)[3], struct arena *arena)
{
    struct merging merging;
    uint32_t *leaf_start, *leaf_faces;
    if (!merging_begin(&merging, body, shape, arena)) {
        return false;
    }
    for (int round = 0; round < LIMITED_ROUNDS && merge_round(&merging); round++) {
    }
    uint32_t leaf_count = merging.count;
    if (!leaves_from_regions(&merging, arena, &leaf_start, &leaf_faces)) {
        return false;
    }
    while (merge_round(&merging)) {
    }
    struct split_item *pieces = arena_allocate(arena, merging.count, sizeof *pieces);
    if (!pieces || !regions_allocate(regions, leaf_count)) {
        return false;
    }
    for (uint32_t piece = 0; piece < merging.count; piece++) {
        pieces[piece].id = piece;
        face_centre(body, shape, merging.scaling, leaf_faces[leaf_start[merging.regions[piece].first]], pieces[piece].centre);
    }
    struct collecting collecting = {regions, &merging, leaf_start, leaf_faces, 0};
    region_split(pieces, merging.count, &(struct split_groups){&collecting, pieces_fit, take_pieces});
    return true;
}

/* ---- the alternatives ---------------------------------------------------------------------------------------------- */

struct chunking {
    struct surface_regions *regions;
    const struct body *body;
    uint32_t placed;
};

static bool faces_fit(void *user, const struct split_item *items, uint32_t count)
{
    const struct chunking *chunking = user;
    uint32_t vertices = 0, set[REGION_VERTICES];
    for (uint32_t i = 0; i < count; i++) {
        if (!add_corners(chunking->body, items[i].id, set, &vertices)) {
            return false;
        }
    }
    return count <= REGION_FACES;
}

static void take_faces(void *user, const struct split_item *items, uint32_t count)
{
    struct chunking *chunking = user;
    for (uint32_t i = 0; i < count; i++) {
        put_face(chunking->regions, &chunking->placed, items[i].id);
    }
    close_leaf(chunking->regions, chunking->placed);
}

static struct split_item *face_items(const struct body *body, const double (*shape)[3], struct arena *arena)
{
    struct split_item *items = arena_allocate(arena, body->surface_face_count, sizeof *items);
    struct box_scaling scaling = scaling_of(body, shape);
    for (uint32_t face = 0; items && face < body->surface_face_count; face++) {
        items[face].id = face;
        face_centre(body, shape, scaling, face, items[face].centre);
    }
    return items;
}

static bool cut_at_medians(struct surface_regions *regions, const struct body *body, const double (*shape)[3], struct arena *arena)
{
    struct split_item *items = face_items(body, shape, arena);
    if (!items || !regions_allocate(regions, regions->face_count)) {
        return false;
    }
    struct chunking chunking = {regions, body, 0};
    region_split(items, body->surface_face_count, &(struct split_groups){&chunking, faces_fit, take_faces});
    return true;
}

/* Spreads 21 bits: every third bit of the result. */
static uint64_t spread_bits(uint64_t x)
{
    x = (x | x << 32) & UINT64_C(0x001F00000000FFFF);
    x = (x | x << 16) & UINT64_C(0x001F0000FF0000FF);
    x = (x | x << 8) & UINT64_C(0x100F00F00F00F00F);
    x = (x | x << 4) & UINT64_C(0x10C30C30C30C30C3);
    return (x | x << 2) & UINT64_C(0x1249249249249249);
}

/* Centres are sums of three numbers below 1. */
static uint64_t morton_code(const double centre[3])
{
    uint64_t code = 0;
    for (int axis = 0; axis < 3; axis++) {
        code |= spread_bits((uint64_t)((centre[axis] + 3) * (2097151.0 / 6))) << axis;
    }
    return code;
}

static bool cut_along_curve(struct surface_regions *regions, const struct body *body, const double (*shape)[3], struct arena *arena)
{
    size_t count = body->surface_face_count;
    struct split_item *items = face_items(body, shape, arena);
    uint64_t *keys = arena_allocate(arena, count, sizeof *keys), *key_scratch = arena_allocate(arena, count, sizeof *keys);
    uint32_t *order = arena_allocate(arena, count, sizeof *order), *order_scratch = arena_allocate(arena, count, sizeof *order);
    if (!items || !keys || !key_scratch || !order || !order_scratch || !regions_allocate(regions, regions->face_count)) {
        return false;
    }
    for (uint32_t face = 0; face < count; face++) {
        keys[face] = morton_code(items[face].centre);
        order[face] = face;
    }
    radix_sort_u64(keys, order, key_scratch, order_scratch, count);
    uint32_t placed = 0, in_leaf = 0, vertices = 0, set[REGION_VERTICES];
    for (uint32_t i = 0; i < count; i++) {
        if (in_leaf == REGION_FACES || !add_corners(body, order[i], set, &vertices)) {
            close_leaf(regions, placed);
            in_leaf = vertices = 0;
            add_corners(body, order[i], set, &vertices);
        }
        put_face(regions, &placed, order[i]);
        in_leaf++;
    }
    close_leaf(regions, placed);
    return true;
}

/* ---- in and out ---------------------------------------------------------------------------------------------------- */

bool surface_regions_create(struct surface_regions *regions, dent_context *context, const struct body *body, const double (*shape)[3],
                            enum region_cut cut)
{
    *regions = (struct surface_regions){.context = context, .face_count = body->surface_face_count};
    if (body->surface_face_count == 0) {
        return regions_allocate(regions, 0) || (surface_regions_destroy(regions), false);
    }
    struct arena arena;
    arena_init(&arena, context);
    bool good = cut == REGION_CUT_MERGE    ? cut_by_merging(regions, body, shape, &arena)
                : cut == REGION_CUT_MEDIAN ? cut_at_medians(regions, body, shape, &arena)
                                           : cut_along_curve(regions, body, shape, &arena);
    arena_destroy(&arena);
    if (!good) {
        surface_regions_destroy(regions);
    }
    return good;
}

void surface_regions_destroy(struct surface_regions *regions)
{
    dent_release(regions->context, regions->faces, regions->face_count, sizeof *regions->faces);
    dent_release(regions->context, regions->first_face, regions->first_face_capacity, sizeof *regions->first_face);
    *regions = (struct surface_regions){.context = regions->context};
}
