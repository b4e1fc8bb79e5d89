/* Cutting one body into leaves and listing who is a neighbour of whom. See surface_tree.h.
 *
 * Everything here follows from the connectivity (and, for the order of the leaves, one shape) and is done once: which
 * faces make a leaf (surface_regions.h), which vertices and edges a leaf owns, the pairs of leaves and of nodes of
 * every level that have a vertex in common, and the rows of bits that say which faces of such a pair share one. Same
 * vertex means same identity: two vertices of one body may be the same through ties with another. In: a body and a
 * shape. Out: a tree without boxes; O(n log n).
 */
#include "structures/surface/surface_tree.h"

#include <string.h>

#include "base/allocator.h"
#include "base/radix_sort.h"
#include "bodies/edge_search.h"
#include "structures/surface/leaf_cycle.h"
#include "structures/surface/surface_culling.h"
#include "structures/surface/surface_regions.h"

uint64_t surface_tie_hash(const struct body *body)
{
    if (!body->identities) {
        return 0;
    }
    uint64_t hash = UINT64_C(0x9E3779B97F4A7C15);
    for (uint32_t vertex = 0; vertex < body->vertex_count; vertex++) {
        hash = (hash ^ (body->identities[vertex] - body->identity_base)) * UINT64_C(0xD1342543DE82EF95);
        hash ^= hash >> 29;
    }
    return hash | 1;
}

/* ---- numbers of vertices ---- */

/* By vertex: the smallest vertex of the body that is the same. Null when memory runs out. */
static uint32_t *canonical_vertices(const struct body *body, struct arena *scratch)
{
    uint32_t count = body->vertex_count;
    uint32_t *canonical = arena_allocate(scratch, count, sizeof *canonical);
    if (!canonical) {
        return NULL;
    }
    for (uint32_t vertex = 0; vertex < count; vertex++) {
        canonical[vertex] = vertex;
    }
    if (!body->identities) {
        return canonical;
    }
    struct arena_mark mark = arena_mark(scratch);
    uint64_t *keys = arena_allocate(scratch, count, 2 * sizeof *keys);
    uint32_t *order = arena_allocate(scratch, count, 2 * sizeof *order);
    if (keys && order) {
        for (uint32_t vertex = 0; vertex < count; vertex++) {
            keys[vertex] = body->identities[vertex];
            order[vertex] = vertex;
        }
        radix_sort_u64(keys, order, keys + count, order + count, count);
        for (uint32_t i = 1; i < count; i++) {
            if (keys[i] == keys[i - 1]) {
                canonical[order[i]] = canonical[order[i - 1]];
            }
        }
    }
    arena_rewind(scratch, mark);
    return keys && order ? canonical : NULL;
}

/* ---- leaves ---- */

static uint8_t slot_in_leaf(struct surface_leaf *leaf, uint32_t vertex)
{
    for (uint8_t slot = 0; slot < leaf->vertex_count; slot++) {
        if (leaf->vertices[slot] == vertex) {
            return slot;
        }
    }
    leaf->vertices[leaf->vertex_count] = vertex;
    return leaf->vertex_count++;
}

static void fill_places(struct surface_leaf *leaf)
{
    for (uint32_t i = leaf->vertex_count; i < LEAF_VERTICES; i++) {
        leaf->vertices[i] = leaf->vertices[0];
    }
}

/* Strands have edges and vertices, no faces. A segment is in one leaf only. */
static void fill_leaf_of_strands(struct surface_leaf *leaf, const struct body *body, const uint32_t *segments,
                                 uint32_t count)
{
    leaf->edge_count = (uint8_t)count;
    for (uint32_t i = 0; i < count; i++) {
        leaf->edges[i] = segments[i];
        leaf->edge_ends[0][i] = slot_in_leaf(leaf, body->edges[segments[i]].v0);
        leaf->edge_ends[1][i] = slot_in_leaf(leaf, body->edges[segments[i]].v1);
    }
    fill_places(leaf);
}

/* Points are vertices alone. */
static void fill_leaf_of_points(struct surface_leaf *leaf, const uint32_t *points, uint32_t count)
{
    leaf->vertex_count = (uint8_t)count;
    memcpy(leaf->vertices, points, count * sizeof *points);
    fill_places(leaf);
}

static void fill_leaf(struct surface_leaf *leaf, const struct body *body, const uint32_t *faces, uint32_t count)
{
    memset(leaf, 0, sizeof *leaf);
    if (body_has_segments(body)) {
        fill_leaf_of_strands(leaf, body, faces, count);
        return;
    }
    if (body_has_points(body)) {
        fill_leaf_of_points(leaf, faces, count);
        return;
    }
    leaf->face_count = (uint8_t)count;
    for (uint32_t i = 0; i < count; i++) {
        leaf->faces[i] = faces[i];
        for (int corner = 0; corner < 3; corner++) {
            leaf->corners[corner][i] = slot_in_leaf(leaf, body->surface_faces[faces[i]].corners[corner]);
        }
    }
    leaf_vertices_along_border(leaf);
    fill_places(leaf);
}

/* What owning needs: the first edge of every vertex, and who came first. */
struct owners {
    uint32_t *first_edge; /* by vertex, vertex_count + 1 */
    uint8_t *edge_taken, *vertex_taken;
};

static bool owners_init(struct owners *owners, const struct body *body, struct arena *scratch)
{
    owners->first_edge = arena_allocate_cleared(scratch, (size_t)body->vertex_count + 1, sizeof *owners->first_edge);
    owners->edge_taken = arena_allocate_cleared(scratch, body->edge_count, 1);
    owners->vertex_taken = arena_allocate_cleared(scratch, body->vertex_count, 1);
    if (!owners->first_edge || !owners->edge_taken || !owners->vertex_taken) {
        return false;
    }
    for (uint32_t edge = 0; edge < body->edge_count; edge++) {
        owners->first_edge[body->edges[edge].v0 + 1]++;
    }
    for (uint32_t vertex = 0; vertex < body->vertex_count; vertex++) {
        owners->first_edge[vertex + 1] += owners->first_edge[vertex];
    }
    return true;
}

static void take_features(struct surface_leaf *leaf, const struct body *body, struct owners *owners)
{
    for (uint32_t slot = 0; slot < leaf->vertex_count; slot++) {
        uint32_t vertex = leaf->vertices[slot];
        leaf->owned_vertices |= (uint16_t)((owners->vertex_taken[vertex] ? 0u : 1u) << slot);
        owners->vertex_taken[vertex] = 1;
    }
    for (uint32_t face = 0; face < leaf->face_count; face++) {
        for (int side = 0; side < 3; side++) {
            uint8_t from = leaf->corners[side][face], to = leaf->corners[side == 2 ? 0 : side + 1][face];
            uint32_t edge = find_edge(body, owners->first_edge, leaf->vertices[from], leaf->vertices[to]);
            if (!owners->edge_taken[edge]) {
                owners->edge_taken[edge] = 1;
                leaf->edges[leaf->edge_count] = edge;
                leaf->edge_ends[0][leaf->edge_count] = from;
                leaf->edge_ends[1][leaf->edge_count++] = to;
            }
        }
    }
}

/* ---- neighbours of level 0 ---- */

/* Leaves around every vertex (canonical numbers). */
struct stars {
    uint32_t *first; /* vertex_count + 1 */
    uint32_t *leaves;
};

/* The canonical vertices of a leaf, each once; returns how many. */
static uint32_t distinct_vertices(const struct surface_leaf *leaf, const uint32_t *canonical,
                                  uint32_t distinct[LEAF_VERTICES])
{
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < leaf->vertex_count; slot++) {
        uint32_t vertex = canonical[leaf->vertices[slot]], known = 0;
        while (known < count && distinct[known] != vertex) {
            known++;
        }
        if (known == count) {
            distinct[count++] = vertex;
        }
    }
    return count;
}

static bool stars_build(struct stars *stars, const struct surface_tree *tree, uint32_t vertex_count,
                        const uint32_t *canonical, struct arena *scratch)
{
    uint32_t distinct[LEAF_VERTICES];
    stars->first = arena_allocate_cleared(scratch, (size_t)vertex_count + 2, sizeof *stars->first);
    stars->leaves = arena_allocate(scratch, (size_t)tree->leaf_count * LEAF_VERTICES, sizeof *stars->leaves);
    if (!stars->first || !stars->leaves) {
        return false;
    }
    uint32_t *next = stars->first + 1; /* becomes `first` when the filling has moved every start to the end */
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++) {
        uint32_t count = distinct_vertices(&tree->leaves[leaf], canonical, distinct);
        for (uint32_t i = 0; i < count; i++) {
            stars->first[distinct[i] + 2]++;
        }
    }
    for (uint32_t vertex = 1; vertex <= vertex_count; vertex++) {
        stars->first[vertex + 1] += stars->first[vertex];
    }
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++) {
        uint32_t count = distinct_vertices(&tree->leaves[leaf], canonical, distinct);
        for (uint32_t i = 0; i < count; i++) {
            stars->leaves[next[distinct[i]]++] = leaf;
        }
    }
    return true;
}

/* Sorts, makes unique and stores the pairs (a << 32 | b, a < b) of one level. */
static bool store_pairs(struct surface_tree *tree, struct tree_level *level, uint64_t *keys, uint64_t *key_scratch,
                        size_t count)
{
    radix_sort_u64(keys, NULL, key_scratch, NULL, count);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || keys[i] != keys[i - 1]) {
            keys[kept++] = keys[i];
        }
    }
    level->first = dent_allocate(tree->context, (size_t)level->count + 1, sizeof *level->first);
    level->partners = dent_allocate(tree->context, kept, sizeof *level->partners);
    level->pair_count = level->partners ? (uint32_t)kept : 0;
    if (!level->first || !level->partners) {
        return false;
    }
    size_t next = 0;
    for (uint32_t node = 0; node < level->count; node++) {
        level->first[node] = (uint32_t)next;
        for (; next < kept && keys[next] >> 32 == node; next++) {
            level->partners[next] = (uint32_t)keys[next];
        }
    }
    level->first[level->count] = (uint32_t)next;
    return true;
}

/* Pairs of leaves with a common vertex that is no hub; hubs are noted in open_vertices. */
static bool list_leaf_pairs(struct surface_tree *tree, uint32_t vertex_count, const uint32_t *canonical,
                            const struct stars *stars, struct arena *scratch)
{
    size_t count = 0;
    for (uint32_t vertex = 0; vertex < vertex_count; vertex++) {
        size_t leaves = stars->first[vertex + 1] - stars->first[vertex];
        count += leaves > 1 && leaves <= HUB_LEAVES ? leaves * (leaves - 1) / 2 : 0;
    }
    uint64_t *keys = count < UINT32_MAX ? arena_allocate(scratch, count, 2 * sizeof *keys) : NULL;
    if (!keys) {
        return false;
    }
    count = 0;
    for (uint32_t vertex = 0; vertex < vertex_count; vertex++) {
        uint32_t first = stars->first[vertex], last = stars->first[vertex + 1];
        for (uint32_t i = first; last - first <= HUB_LEAVES && i < last; i++) {
            for (uint32_t j = i + 1; j < last; j++) {
                keys[count++] =
                    (uint64_t)stars->leaves[i] << 32 | stars->leaves[j]; /* leaves of a star are ascending */
            }
        }
    }
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++) {
        const struct surface_leaf *it = &tree->leaves[leaf];
        for (uint32_t slot = 0; slot < it->vertex_count; slot++) {
            uint32_t vertex = canonical[it->vertices[slot]];
            bool hub = stars->first[vertex + 1] - stars->first[vertex] > HUB_LEAVES;
            tree->open_vertices[leaf] |= (uint16_t)((hub ? 1u : 0u) << slot);
        }
    }
    return store_pairs(tree, &tree->levels[0], keys, keys + count, count);
}

/* A hub in all faces of a leaf. */
static uint32_t common_hub(const struct surface_tree *tree, uint32_t number, const uint32_t *canonical)
{
    const struct surface_leaf *leaf = &tree->leaves[number];
    for (uint32_t slot = 0; slot < leaf->vertex_count; slot++) {
        if (!(tree->open_vertices[number] >> slot & 1)) {
            continue;
        }
        uint32_t hub = canonical[leaf->vertices[slot]], face = 0;
        while (face < leaf->face_count && (canonical[leaf->vertices[leaf->corners[0][face]]] == hub ||
                                           canonical[leaf->vertices[leaf->corners[1][face]]] == hub ||
                                           canonical[leaf->vertices[leaf->corners[2][face]]] == hub)) {
            face++;
        }
        if (face == leaf->face_count) {
            return hub;
        }
    }
    return COMMON_NONE;
}

static bool list_common_hubs(struct surface_tree *tree, const uint32_t *canonical)
{
    uint32_t hubs = 0;
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++) {
        hubs |= tree->open_vertices[leaf];
    }
    for (uint32_t number = 0; hubs && number < tree->level_count; number++) {
        struct tree_level *level = &tree->levels[number];
        level->common = dent_allocate(tree->context, level->count, sizeof *level->common);
        if (!level->common) {
            return false;
        }
        for (uint32_t node = 0; node < level->count; node++) {
            if (number == 0) {
                level->common[node] = common_hub(tree, node, canonical);
                continue;
            }
            const struct tree_level *below = &tree->levels[number - 1];
            uint32_t first = node * LEAF_TREE_ARITY, next = first + 1;
            while (next < below->count && next - first < LEAF_TREE_ARITY &&
                   below->common[next] == below->common[first]) {
                next++;
            }
            bool all = next == below->count || next - first == LEAF_TREE_ARITY;
            level->common[node] = all ? below->common[first] : COMMON_NONE;
        }
    }
    return true;
}

/* ---- share rows ---- */

static void faces_of_vertices(const struct surface_leaf *leaf, uint16_t faces_at[LEAF_VERTICES])
{
    memset(faces_at, 0, LEAF_VERTICES * sizeof faces_at[0]);
    for (uint32_t face = 0; face < leaf->face_count; face++) {
        for (int corner = 0; corner < 3; corner++) {
            faces_at[leaf->corners[corner][face]] |= (uint16_t)(1u << face);
        }
    }
}

static void fill_share_rows(struct share_rows *shares, const struct surface_leaf *a, const struct surface_leaf *b,
                            const uint32_t *canonical)
{
    uint16_t faces_at[LEAF_VERTICES], shared_by[LEAF_VERTICES];
    uint32_t of_b[LEAF_VERTICES];
    uint32_t unused = b->face_count == LEAF_FACES ? 0 : 0xFFFFu << b->face_count;
    faces_of_vertices(b, faces_at);
    for (uint32_t j = 0; j < b->vertex_count; j++) {
        of_b[j] = canonical[b->vertices[j]];
    }
    for (uint32_t i = 0; i < a->vertex_count; i++) {
        uint32_t vertex = canonical[a->vertices[i]], faces = 0;
        for (uint32_t j = 0; j < b->vertex_count; j++) {
            faces |= of_b[j] == vertex ? faces_at[j] : 0u;
        }
        shared_by[i] = (uint16_t)faces;
    }
    for (uint32_t face = 0; face < LEAF_FACES; face++) {
        uint32_t row = 0xFFFF;
        if (face < a->face_count) {
            row = unused | shared_by[a->corners[0][face]] | shared_by[a->corners[1][face]] |
                  shared_by[a->corners[2][face]];
        }
        if (a == b) {
            row |= (2u << face) - 1; /* each pair once */
        }
        shares->rows[face] = (uint16_t)row;
    }
}

static bool fill_shares(struct surface_tree *tree, const uint32_t *canonical)
{
    const struct tree_level *level = &tree->levels[0];
    tree->pair_shares = dent_allocate(tree->context, level->pair_count, sizeof *tree->pair_shares);
    if (!tree->pair_shares) {
        return false;
    }
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++) {
        fill_share_rows(&tree->self_shares[leaf], &tree->leaves[leaf], &tree->leaves[leaf], canonical);
        for (uint32_t i = level->first[leaf]; i < level->first[leaf + 1]; i++) {
            fill_share_rows(&tree->pair_shares[i], &tree->leaves[leaf], &tree->leaves[level->partners[i]], canonical);
        }
    }
    return true;
}

/* ---- levels ---- */

static uint32_t groups_of(uint32_t count)
{
    return (count + LEAF_TREE_ARITY - 1) / LEAF_TREE_ARITY;
}

/* There is always a level of groups above the leaves. */
static uint32_t levels_over(uint32_t leaf_count)
{
    uint32_t levels = 2;
    for (uint32_t count = groups_of(leaf_count); count > LEAF_TREE_ARITY && levels < TREE_LEVELS; levels++) {
        count = groups_of(count);
    }
    return levels;
}

static void count_nodes(struct surface_tree *tree)
{
    uint32_t count = tree->leaf_count;
    for (uint32_t number = 0; number < tree->level_count; number++, count = groups_of(count)) {
        tree->levels[number].count = count;
        tree->levels[number].padded = groups_of(count) * LEAF_TREE_ARITY;
    }
}

/* Pairs of nodes of a level from those below: nodes are neighbours iff leaves of theirs are. */
static bool list_node_pairs(struct surface_tree *tree, uint32_t number, struct arena *scratch)
{
    const struct tree_level *below = &tree->levels[number - 1];
    struct arena_mark mark = arena_mark(scratch);
    uint64_t *keys = arena_allocate(scratch, below->pair_count, 2 * sizeof *keys);
    if (!keys) {
        return false;
    }
    size_t count = 0;
    for (uint32_t node = 0; node < below->count; node++) {
        for (uint32_t i = below->first[node]; i < below->first[node + 1]; i++) {
            uint32_t a = node / LEAF_TREE_ARITY, b = below->partners[i] / LEAF_TREE_ARITY;
            if (a != b) {
                keys[count++] = (uint64_t)a << 32 | b;
            }
        }
    }
    bool enough = store_pairs(tree, &tree->levels[number], keys, keys + below->pair_count, count);
    arena_rewind(scratch, mark);
    return enough;
}

static bool allocate_volumes(struct surface_tree *tree)
{
    for (uint32_t number = 0; number < tree->level_count; number++) {
        tree->volume_floats += (size_t)tree->levels[number].padded * 2 * (size_t)tree->axis_count;
    }
    float *next = tree->volume_storage =
        dent_allocate(tree->context, tree->volume_floats, sizeof *tree->volume_storage);
    if (!next) {
        return false;
    }
    for (uint32_t number = 0; number < tree->level_count; number++) {
        struct tree_level *level = &tree->levels[number];
        for (int axis = 0; axis < tree->axis_count; axis++, next += (size_t)2 * level->padded) {
            level->lo[axis] = next;
            level->hi[axis] = next + level->padded;
        }
    }
    return true;
}

/* ---- whole tree ---- */

static size_t tree_bytes(uint32_t level_count)
{
    return sizeof(struct surface_tree) + level_count * sizeof(struct tree_level);
}

static bool allocate_leaves(struct surface_tree *tree)
{
    uint32_t count = tree->leaf_count;
    tree->leaves = dent_allocate(tree->context, count, sizeof *tree->leaves);
    tree->open_vertices = dent_allocate(tree->context, count, sizeof *tree->open_vertices);
    tree->self_shares = dent_allocate(tree->context, count, sizeof *tree->self_shares);
    tree->points = dent_allocate(tree->context, (size_t)count + 1,
                                 sizeof *tree->points); /* the culling reads past the last vertex */
    if (!tree->leaves || !tree->open_vertices || !tree->self_shares || !tree->points) {
        return false;
    }
    memset(tree->open_vertices, 0, count * sizeof *tree->open_vertices);
    return true;
}

static bool fill_tree(struct surface_tree *tree, const struct body *body, const struct surface_regions *regions,
                      struct arena *scratch)
{
    count_nodes(tree);
    struct owners owners;
    struct stars stars;
    const uint32_t *canonical = canonical_vertices(body, scratch);
    if (!canonical || !allocate_leaves(tree) || !owners_init(&owners, body, scratch)) {
        return false;
    }
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++) {
        uint32_t first = regions->first_face[leaf];
        fill_leaf(&tree->leaves[leaf], body, regions->faces + first, regions->first_face[leaf + 1] - first);
        memcpy(tree->points[leaf].corners, tree->leaves[leaf].corners, sizeof tree->points[leaf].corners);
        tree->points[leaf].face_count = tree->leaves[leaf].face_count;
        take_features(&tree->leaves[leaf], body, &owners);
    }
    if (!stars_build(&stars, tree, body->vertex_count, canonical, scratch) ||
        !list_leaf_pairs(tree, body->vertex_count, canonical, &stars, scratch) || !list_common_hubs(tree, canonical) ||
        !fill_shares(tree, canonical)) {
        return false;
    }
    for (uint32_t number = 1; number < tree->level_count; number++) {
        if (!list_node_pairs(tree, number, scratch)) {
            return false;
        }
    }
    return allocate_volumes(tree);
}

struct surface_tree *surface_tree_create(dent_context *context, const struct body *body, const double (*shape)[3],
                                         int cut, int axis_count, struct arena *scratch)
{
    struct surface_regions regions;
    if (!surface_regions_create(&regions, context, body, shape, (enum region_cut)cut)) {
        return NULL;
    }
    struct surface_tree *tree = dent_allocate(context, 1, tree_bytes(levels_over(regions.leaf_count)));
    bool enough = tree != NULL;
    if (enough) {
        memset(tree, 0, tree_bytes(levels_over(regions.leaf_count)));
        *tree = (struct surface_tree){.context = context,
                                      .identity_base = body->identity_base,
                                      .tie_hash = surface_tie_hash(body),
                                      .face_count = body->surface_face_count,
                                      .leaf_count = regions.leaf_count,
                                      .level_count = levels_over(regions.leaf_count),
                                      .cut = cut,
                                      .axis_count = axis_count};
        struct arena_mark mark = arena_mark(scratch);
        enough = fill_tree(tree, body, &regions, scratch);
        arena_rewind(scratch, mark);
    }
    surface_regions_destroy(&regions);
    if (!enough) {
        surface_tree_destroy(tree);
        return NULL;
    }
    return tree;
}

void surface_tree_destroy(struct surface_tree *tree)
{
    if (!tree) {
        return;
    }
    dent_context *context = tree->context;
    uint32_t leaves = tree->leaf_count;
    surface_culling_destroy(tree->culling);
    for (uint32_t number = 0; number < tree->level_count; number++) {
        struct tree_level *level = &tree->levels[number];
        dent_release(context, level->first, (size_t)level->count + 1, sizeof *level->first);
        dent_release(context, level->partners, level->pair_count, sizeof *level->partners);
        dent_release(context, level->common, level->count, sizeof *level->common);
    }
    dent_release(context, tree->leaves, leaves, sizeof *tree->leaves);
    dent_release(context, tree->open_vertices, leaves, sizeof *tree->open_vertices);
    dent_release(context, tree->self_shares, leaves, sizeof *tree->self_shares);
    dent_release(context, tree->pair_shares, tree->levels[0].pair_count, sizeof *tree->pair_shares);
    dent_release(context, tree->points, (size_t)leaves + 1, sizeof *tree->points);
    dent_release(context, tree->volume_storage, tree->volume_floats, sizeof *tree->volume_storage);
    dent_release(context, tree, 1, tree_bytes(tree->level_count));
}
