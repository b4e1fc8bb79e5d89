/* Leaves by merging: every face begins as a region of its own, and neighbouring regions are joined in rounds, the pairs
 * that make the roundest union first (Volino and Magnenat-Thalmann: square root of the area over the length of the
 * contour). Each region takes part in one union per round, so all grow at the same pace. While a union would still fit
 * into a leaf the rounds make leaves; then they go on without that limit, and what they join becomes neighbours in the
 * order of the leaves, arranged in blocks of 16, 256, ... so that the nodes of an implicit 16-ary tree are whole
 * regions where that is possible. Pieces of the mesh that do not hang together are divided top-down like points in
 * space.
 *
 * Changed against the chapter: the contour is the whole common contour, not one edge; edges count 1 each where the
 * faces are not slender, and shape factors are compared with six bits, so that a regular mesh is cut regularly whatever
 * its shape is at the moment (ties go to the smaller numbers, which follow the mesh).
 */
#include "structures/surface/surface_regions.h"

#include "base/radix_sort.h"
#include "base/containers/morton_code.h"
#include "structures/surface/leaf_order.h"
#include "structures/surface/region_split.h"

#include <string.h>

#define NONE NONE_LEFT

enum { LIMITED_ROUNDS = 40 }; /* a leaf takes part in at most 15 unions; rounds without much to do are not worth more */

/* ---- leaves ------------------------------------------------------------------------------------------------------ */

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
    uint32_t slot = (*placed)++;
    while (slot > regions->first_face[regions->leaf_count] && regions->faces[slot - 1] > face) {
        regions->faces[slot] = regions->faces[slot - 1];
        slot--;
    }
    regions->faces[slot] = face;
}

static void close_leaf(struct surface_regions *regions, uint32_t placed)
{
    regions->first_face[++regions->leaf_count] = placed;
}

/* Adds the corners of a face to a set of vertices; false when they would be too many. */
static bool add_corners(const struct body *body, uint32_t face, uint32_t set[REGION_VERTICES], uint32_t *count)
{
    for (int i = 0; i < 3; i++) {
        uint32_t vertex = body->surface_faces[face].corners[i], slot = 0;
        while (slot < *count && set[slot] != vertex) {
            slot++;
        }
        if (slot == *count) {
            if (*count == REGION_VERTICES) {
                return false;
            }
            set[(*count)++] = vertex;
        }
    }
    return true;
}

static void face_centre(const struct body *body, const double (*shape)[3], struct box_scaling scaling, uint32_t face,
                        double centre[3])
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
        if (collecting->merging->next[piece->first] != NONE || faces > REGION_FACES) {
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

static bool cut_by_merging(struct surface_regions *regions, const struct body *body, const double (*shape)[3],
                           struct arena *arena)
{
    struct merging merging;
    struct leaf_graph graph;
    if (!merging_begin(&merging, body, shape, arena)) {
        return false;
    }
    for (int round = 0; round < LIMITED_ROUNDS && merge_round(&merging); round++) {
    }
    if (!leaf_order_begin(&merging, &graph, arena)) {
        return false;
    }
    while (merge_round(&merging)) {
    }
    struct split_item *pieces = arena_allocate(arena, merging.count, sizeof *pieces);
    if (!pieces || !leaf_order_finish(&merging, &graph, arena) || !regions_allocate(regions, graph.leaf_count)) {
        return false;
    }
    for (uint32_t piece = 0; piece < merging.count; piece++) {
        pieces[piece].id = piece;
        face_centre(body, shape, merging.scaling, graph.leaf_faces[graph.leaf_start[merging.regions[piece].first]],
                    pieces[piece].centre);
    }
    struct collecting collecting = {regions, &merging, graph.leaf_start, graph.leaf_faces, 0};
    region_split(pieces, merging.count, &(struct split_groups){&collecting, pieces_fit, take_pieces});
    return true;
}

/* ---- the alternatives -------------------------------------------------------------------------------------------- */

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
    struct box_scaling scaling = shape_scaling(body, shape);
    for (uint32_t face = 0; items && face < body->surface_face_count; face++) {
        items[face].id = face;
        face_centre(body, shape, scaling, face, items[face].centre);
    }
    return items;
}

static bool cut_at_medians(struct surface_regions *regions, const struct body *body, const double (*shape)[3],
                           struct arena *arena)
{
    struct split_item *items = face_items(body, shape, arena);
    if (!items || !regions_allocate(regions, regions->face_count)) {
        return false;
    }
    struct chunking chunking = {regions, body, 0};
    region_split(items, body->surface_face_count, &(struct split_groups){&chunking, faces_fit, take_faces});
    return true;
}

/* Centres are sums of three numbers below 1. */
static uint64_t curve_key(const double centre[3])
{
    uint32_t index[3];
    for (int axis = 0; axis < 3; axis++) {
        index[axis] = (uint32_t)((centre[axis] + 3) * (2097151.0 / 6));
    }
    return morton_code(index);
}

static bool cut_along_curve(struct surface_regions *regions, const struct body *body, const double (*shape)[3],
                            struct arena *arena)
{
    size_t count = body->surface_face_count;
    struct split_item *items = face_items(body, shape, arena);
    uint64_t *keys = arena_allocate(arena, count, sizeof *keys),
             *key_scratch = arena_allocate(arena, count, sizeof *keys);
    uint32_t *order = arena_allocate(arena, count, sizeof *order),
             *order_scratch = arena_allocate(arena, count, sizeof *order);
    if (!items || !keys || !key_scratch || !order || !order_scratch ||
        !regions_allocate(regions, regions->face_count)) {
        return false;
    }
    for (uint32_t face = 0; face < count; face++) {
        keys[face] = curve_key(items[face].centre);
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

/* ---- strands and points ------------------------------------------------------------------------------------------------ */

/* Strands along the space-filling curve, by their roots; points by themselves. Null when memory runs out. */
static uint32_t *order_thin(const struct body *body, const double (*shape)[3], struct arena *arena)
{
    bool points = body_has_points(body);
    size_t count = points ? body->vertex_count : body->strand_count;
    struct box_scaling scaling = shape_scaling(body, shape);
    uint64_t *keys = arena_allocate(arena, count, 2 * sizeof *keys);
    uint32_t *order = arena_allocate(arena, count, 2 * sizeof *order);
    if (!keys || !order) {
        return NULL;
    }
    for (uint32_t strand = 0; strand < count; strand++) {
        double centre[3];
        for (int axis = 0; axis < 3; axis++) {
            centre[axis] = 3 * box_scale(scaling, shape[points ? strand : body->strand_first[strand]][axis]);
        }
        keys[strand] = curve_key(centre);
        order[strand] = strand;
    }
    radix_sort_u64(keys, order, keys + count, order + count, count);
    return order;
}

/* Segments are the faces of strands: pieces of up to fifteen, from root to tip. Short strands share a leaf with the next
 * one. */
static bool cut_strands(struct surface_regions *regions, const struct body *body, const double (*shape)[3],
                        struct arena *arena)
{
    const uint32_t *order = order_thin(body, shape, arena);
    if (!order || !regions_allocate(regions, regions->face_count)) {
        return false;
    }
    uint32_t placed = 0, vertices = 0;
    for (uint32_t i = 0; i < body->strand_count; i++) {
        uint32_t strand = order[i], first = body->strand_first[strand], last = body->strand_first[strand + 1] - 1;
        if (vertices > 0 && vertices + (last - first) + 1 > REGION_VERTICES) {
            close_leaf(regions, placed);
            vertices = 0;
        }
        for (uint32_t vertex = first; vertex < last; vertex++) {
            vertices += vertex == first;
            if (vertices == REGION_VERTICES) {
                close_leaf(regions, placed);
                vertices = 1;
            }
            regions->faces[placed++] = vertex - strand;
            vertices++;
        }
    }
    if (placed > 0) {
        close_leaf(regions, placed);
    }
    return true;
}

static bool cut_points(struct surface_regions *regions, const struct body *body, const double (*shape)[3],
                       struct arena *arena)
{
    const uint32_t *order = order_thin(body, shape, arena);
    if (!order || !regions_allocate(regions, regions->face_count)) {
        return false;
    }
    for (uint32_t placed = 0; placed < body->vertex_count;) {
        put_face(regions, &placed, order[placed]);
        if (placed % REGION_VERTICES == 0 || placed == body->vertex_count) {
            close_leaf(regions, placed);
        }
    }
    return true;
}

/* ---- in and out -------------------------------------------------------------------------------------------------- */

bool surface_regions_create(struct surface_regions *regions, dent_context *context, const struct body *body,
                            const double (*shape)[3], enum region_cut cut)
{
    bool strands = body_has_segments(body), points = body_has_points(body);
    *regions = (struct surface_regions){.context = context,
                                        .face_count = strands || points ? body->element_count
                                                                      : body->surface_face_count};
    if (regions->face_count == 0) {
        return regions_allocate(regions, 0) || (surface_regions_destroy(regions), false);
    }
    struct arena arena;
    arena_init(&arena, context);
    bool good = strands                    ? cut_strands(regions, body, shape, &arena)
                : points                   ? cut_points(regions, body, shape, &arena)
                : cut == REGION_CUT_MERGE  ? cut_by_merging(regions, body, shape, &arena)
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
