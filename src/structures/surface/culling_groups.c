/* Listing the groups of a tree: where nodes of a level meet, and the cycles of edges around them. See culling_groups.h.
 *
 * A cycle is found from the half-edges on the outside of the nodes: those of a node are kept from level to level (what
 * is outside of a node is outside of one of its children), those of a group are the ones whose other side is not in the
 * group. Linked from vertex to vertex they must make one simple cycle; then they are kept as slots in the coordinates
 * of the leaves. Levels are done from the top down, because a group asks which group one level up lies around the same
 * vertex.
 */
#include "structures/surface/culling_groups.h"

#include "base/containers/dynamic_array.h"
#include "structures/surface/face_adjacency.h"

#include <string.h>

#define NONE UINT32_MAX

enum { FILLING_PASSES = 8, FAN_MAX = 4 };

/* Half-edges on the outside of the nodes of one level. */
struct outsides {
    uint32_t *start; /* count + 1 */
    uint32_t *halves;
};

struct listing {
    const struct surface_tree *tree;
    const struct body *body;
    struct surface_culling *culling;
    struct arena *arena;
    struct face_adjacency adjacency;
    uint8_t *turn;
    uint32_t *leaf_of_face;
    uint8_t *slot_of_face;
    uint32_t *star_start, *star_leaves; /* leaves around each vertex, ascending */
    struct outsides outsides[TREE_LEVELS];
    uint8_t *doubtful_nodes[TREE_LEVELS];
    /* of the group at hand */
    uint8_t *faces_at;                    /* by vertex, no more than 255 */
    uint32_t *vertex_stamp, *vertex_half; /* by vertex: the outside half-edge that starts there */
    uint32_t *node_stamp, *leaf_stamp;    /* nodes of the group; leaves of faces added to it */
    uint32_t stamp;
    /* of the level at hand */
    uint32_t number;
    uint32_t *group_at, *upper_group_at; /* by vertex */
    uint32_t *table;                     /* groups by their members */
    uint32_t table_size;
    struct dynamic_array groups, members, pairs, runs, extras, node_cycles, covers;
};

static uint32_t node_of_face(const struct listing *listing, uint32_t face)
{
    return listing->leaf_of_face[face] >> 4 * listing->number;
}

/* ---- orientation, faces and vertices --------------------------------------------------------- */

/* Corners as the kernel wants them: turned faces read backwards, unused ones repeat the first. */
static void fill_corners(struct listing *listing)
{
    const struct surface_tree *tree = listing->tree;
    for (uint32_t number = 0; number < tree->leaf_count; number++) {
        const struct surface_leaf *leaf = &tree->leaves[number];
        struct leaf_corners *corners = &listing->culling->corners[number];
        for (uint32_t slot = 0; slot < LEAF_FACES; slot++) {
            uint32_t from = slot < leaf->face_count ? slot : 0;
            bool flipped = listing->turn[leaf->faces[from]] & FACE_TURNED;
            corners->of[0][slot] = leaf->corners[0][from];
            corners->of[1][slot] = leaf->corners[flipped ? 2 : 1][from];
            corners->of[2][slot] = leaf->corners[flipped ? 1 : 2][from];
            if (slot < leaf->face_count) {
                listing->leaf_of_face[leaf->faces[slot]] = number;
                listing->slot_of_face[leaf->faces[slot]] = (uint8_t)slot;
            }
        }
    }
}

static bool list_stars(struct listing *listing)
{
    const struct surface_tree *tree = listing->tree;
    size_t vertices = listing->body->vertex_count;
    listing->star_start = arena_allocate_cleared(listing->arena, vertices + 2, sizeof *listing->star_start);
    listing->star_leaves =
        arena_allocate(listing->arena, (size_t)tree->leaf_count * LEAF_VERTICES, sizeof *listing->star_leaves);
    if (!listing->star_start || !listing->star_leaves) {
        return false;
    }
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++) {
        for (uint32_t i = 0; i < tree->leaves[leaf].vertex_count; i++) {
            listing->star_start[tree->leaves[leaf].vertices[i] + 2]++;
        }
    }
    for (size_t vertex = 1; vertex <= vertices; vertex++) {
        listing->star_start[vertex + 1] += listing->star_start[vertex];
    }
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++) {
        for (uint32_t i = 0; i < tree->leaves[leaf].vertex_count; i++) {
            listing->star_leaves[listing->star_start[tree->leaves[leaf].vertices[i] + 1]++] = leaf;
        }
    }
    return true;
}

/* ---- outsides -------------------------------------------------------------------------------- */

static bool is_outside(const struct listing *listing, uint32_t half, uint32_t node)
{
    uint32_t mate = listing->adjacency.mate[half];
    return mate >= MATE_NONMANIFOLD || node_of_face(listing, mate / 3) != node;
}

/* Half-edges of the faces of a leaf, or those outside the children of a node. */
static bool list_outsides(struct listing *listing)
{
    const struct surface_tree *tree = listing->tree;
    uint32_t number = listing->number, count = tree->levels[number].count, placed = 0;
    struct outsides *here = &listing->outsides[number];
    const struct outsides *below = number > 0 ? &listing->outsides[number - 1] : NULL;
    size_t most = below ? below->start[tree->levels[number - 1].count] : 3 * (size_t)listing->body->surface_face_count;
    here->start = arena_allocate(listing->arena, (size_t)count + 1, sizeof *here->start);
    here->halves = arena_allocate(listing->arena, most, sizeof *here->halves);
    uint8_t *doubtful = listing->doubtful_nodes[number] = arena_allocate_cleared(listing->arena, count, 1);
    if (!here->start || !here->halves || !doubtful) {
        return false;
    }
    for (uint32_t node = 0; node < count; node++) {
        here->start[node] = placed;
        if (!below) {
            const struct surface_leaf *leaf = &tree->leaves[node];
            for (uint32_t i = 0; i < 3u * leaf->face_count; i++) {
                uint32_t half = 3 * leaf->faces[i / 3] + i % 3;
                doubtful[node] |= (listing->turn[leaf->faces[i / 3]] & FACE_DOUBTFUL) != 0;
                here->halves[placed] = half;
                placed += is_outside(listing, half, node);
            }
            continue;
        }
        uint32_t first = node * LEAF_TREE_ARITY, below_count = tree->levels[number - 1].count;
        uint32_t last = first + LEAF_TREE_ARITY < below_count ? first + LEAF_TREE_ARITY : below_count;
        for (uint32_t i = below->start[first]; i < below->start[last]; i++) {
            here->halves[placed] = below->halves[i];
            placed += is_outside(listing, below->halves[i], node);
        }
        for (uint32_t child = first; child < last; child++) {
            doubtful[node] |= listing->doubtful_nodes[number - 1][child];
        }
    }
    here->start[count] = placed;
    return true;
}

/* ---- cycles ---------------------------------------------------------------------------------- */

static uint32_t half_from(const struct listing *listing, uint32_t half)
{
    uint32_t face = half / 3, corner = half % 3;
    bool flipped = listing->turn[face] & FACE_TURNED;
    return listing->body->surface_faces[face].corners[flipped ? (corner + 1) % 3 : corner];
}

static uint32_t half_to(const struct listing *listing, uint32_t half)
{
    uint32_t face = half / 3, corner = half % 3;
    bool flipped = listing->turn[face] & FACE_TURNED;
    return listing->body->surface_faces[face].corners[flipped ? corner : (corner + 1) % 3];
}

/* Where the coordinates of the start of a half-edge lie, counted in floats from the points of the first leaf. */
static uint32_t slot_of_start(const struct listing *listing, uint32_t half)
{
    uint32_t face = half / 3, corner = half % 3, leaf = listing->leaf_of_face[face];
    bool flipped = listing->turn[face] & FACE_TURNED;
    uint8_t lane =
        listing->tree->leaves[leaf].corners[flipped ? (corner + 1) % 3 : corner][listing->slot_of_face[face]];
    return leaf * LEAF_STRIDE + lane;
}

/* Links the half-edges outside the nodes; 0 when two start at the same vertex or a face is doubtful, otherwise how
 * many. */
static uint32_t link_outside(struct listing *listing, const uint32_t *nodes, uint32_t count, uint32_t *first)
{
    const struct outsides *outsides = &listing->outsides[listing->number];
    uint32_t links = 0;
    listing->stamp++;
    for (uint32_t i = 0; i < count; i++) {
        listing->node_stamp[nodes[i]] = listing->stamp;
        if (listing->doubtful_nodes[listing->number][nodes[i]]) {
            return 0;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = outsides->start[nodes[i]]; j < outsides->start[nodes[i] + 1]; j++) {
            uint32_t half = outsides->halves[j], mate = listing->adjacency.mate[half];
            if (mate < MATE_NONMANIFOLD && listing->node_stamp[node_of_face(listing, mate / 3)] == listing->stamp) {
                continue;
            }
            uint32_t from = half_from(listing, half);
            if (listing->vertex_stamp[from] == listing->stamp) {
                return 0;
            }
            listing->vertex_stamp[from] = listing->stamp;
            listing->vertex_half[from] = half;
            *first = links++ == 0 ? half : *first;
        }
    }
    return links;
}

static bool push_number(struct dynamic_array *array, uint32_t number)
{
    return array_push(array, &number);
}

/* Is it one cycle through all? */
static bool is_one_cycle(const struct listing *listing, uint32_t first, uint32_t links)
{
    uint32_t half = first, found = 0;
    do {
        uint32_t to = half_to(listing, half);
        if (listing->vertex_stamp[to] != listing->stamp || ++found > links) {
            return false;
        }
        half = listing->vertex_half[to];
    } while (half != first);
    return found == links;
}

/* The half-edge of the same face that follows or precedes, as the face is oriented. */
static uint32_t half_after(const struct listing *listing, uint32_t half)
{
    bool flipped = listing->turn[half / 3] & FACE_TURNED;
    return half / 3 * 3 + (half % 3 + (flipped ? 2 : 1)) % 3;
}

/* The faces outside between two half-edges of the cycle, a -> b (`half`) and b -> c, around b: the far edges of these
 * faces, from c on. 0 when there are too many, or something that may not be added. */
static uint32_t outside_fan(const struct listing *listing, uint32_t half, uint32_t next, uint32_t far_halves[FAN_MAX])
{
    uint32_t count = 0;
    for (uint32_t mate = listing->adjacency.mate[next]; count < FAN_MAX; mate = listing->adjacency.mate[mate]) {
        if (mate >= MATE_NONMANIFOLD || (listing->turn[mate / 3] & FACE_DOUBTFUL)) {
            return 0;
        }
        uint32_t out = half_after(listing, mate); /* from b */
        far_halves[count++] = half_after(listing, out);
        if (listing->adjacency.mate[out] == half) {
            return count;
        }
        mate = out;
    }
    return 0;
}

/* May the cycle go along the far edges? Their inner vertices must be new to it. */
static bool is_free_way(const struct listing *listing, const uint32_t *far_halves, uint32_t count)
{
    for (uint32_t i = 0; i + 1 < count; i++) {
        uint32_t vertex = half_from(listing, far_halves[i]);
        if (listing->vertex_stamp[vertex] == listing->stamp) {
            return false;
        }
        for (uint32_t j = 0; j < i; j++) {
            if (half_from(listing, far_halves[j]) == vertex) {
                return false;
            }
        }
    }
    return true;
}

static bool add_extra(struct listing *listing, uint32_t face, struct culling_cycle *cycle)
{
    uint32_t leaf = listing->leaf_of_face[face];
    if (listing->leaf_stamp[leaf] == listing->stamp) {
        return true;
    }
    listing->leaf_stamp[leaf] = listing->stamp;
    cycle->extra_count++;
    return array_push(&listing->extras, &leaf);
}

/* Fills notches and inner corners: where most faces around a vertex of the cycle belong to the region, the few others
 * join it, and the cycle goes around them. What remains is nearly convex, counted in faces, and more often a star. The
 * cycle stays simple: it loses a vertex and gets only new ones. The leaves of the faces are noted, for their masks. */
static bool fill_corners_of_cycle(struct listing *listing, uint32_t *first, uint32_t *links,
                                  struct culling_cycle *cycle)
{
    uint32_t far_halves[FAN_MAX], most = *links + 8;
    bool again = true;
    for (int pass = 0; pass < FILLING_PASSES && again; pass++) {
        uint32_t half = *first;
        again = false;
        for (uint32_t i = *links; i > 0 && *links > 3 && cycle->extra_count < most; i--) {
            uint32_t middle = half_to(listing, half), next = listing->vertex_half[middle];
            uint32_t count = outside_fan(listing, half, next, far_halves);
            if (count == 0 || 5 * count > 2u * listing->faces_at[middle] || !is_free_way(listing, far_halves, count)) {
                half = next;
                continue;
            }
            listing->vertex_stamp[middle] = 0;
            for (uint32_t k = 0; k < count; k++) {
                uint32_t from = half_from(listing, far_halves[k]);
                listing->vertex_stamp[from] = listing->stamp;
                listing->vertex_half[from] = far_halves[k];
                if (!add_extra(listing, far_halves[k] / 3, cycle)) {
                    return false;
                }
            }
            *first = half = far_halves[count - 1];
            *links = *links + count - 2;
            again = true;
        }
    }
    return true;
}

/* Appends the cycle around the nodes to the runs; its count is 0 when it is not one simple cycle. False: no memory. */
static bool append_cycle(struct listing *listing, const uint32_t *nodes, uint32_t node_count,
                         struct culling_cycle *cycle)
{
    uint32_t half = 0, links = link_outside(listing, nodes, node_count, &half);
    *cycle = (struct culling_cycle){.first_run = (uint32_t)listing->runs.count,
                                    .first_extra = (uint32_t)listing->extras.count};
    if (links < 3 || !is_one_cycle(listing, half, links)) {
        return true;
    }
    if (!fill_corners_of_cycle(listing, &half, &links, cycle)) {
        return false;
    }
    uint32_t last = slot_of_start(listing, half), skipped = 0;
    do { /* begins where a run begins */
        half = listing->vertex_half[half_to(listing, half)];
        skipped++;
    } while (skipped < links && slot_of_start(listing, half) == last + skipped);
    struct polygon_run *run = NULL;
    for (uint32_t i = 0; i < links; i++) {
        uint32_t slot = slot_of_start(listing, half);
        if (run && slot == run->slot + run->count) {
            run->count++;
        } else if (!(run = array_extend(&listing->runs, 1))) {
            return false;
        } else {
            *run = (struct polygon_run){slot, 1};
        }
        half = listing->vertex_half[half_to(listing, half)];
    }
    cycle->count = links;
    cycle->run_count = (uint32_t)listing->runs.count - cycle->first_run;
    listing->culling->longest_cycle = links > listing->culling->longest_cycle ? links : listing->culling->longest_cycle;
    return true;
}

/* ---- pairs and covers ------------------------------------------------------------------------ */

/* Place of (a, b), a < b, in the partners of a level; NONE when they are not listed as neighbours. */
static uint32_t find_pair(const struct tree_level *level, uint32_t a, uint32_t b)
{
    uint32_t low = level->first[a], end = level->first[a + 1], high = end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (level->partners[middle] < b) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < end && level->partners[low] == b ? low : NONE;
}

static struct culling_cover cover_of_pair(const struct listing *listing, uint32_t a, uint32_t b)
{
    uint32_t upper = listing->number + 1, upper_a = a / LEAF_TREE_ARITY, upper_b = b / LEAF_TREE_ARITY;
    if (upper >= listing->tree->level_count) {
        return (struct culling_cover){COVER_NONE, 0};
    }
    if (upper_a == upper_b) {
        return (struct culling_cover){COVER_NODE, upper_a};
    }
    uint32_t slot = find_pair(&listing->tree->levels[upper], upper_a, upper_b);
    return slot == NONE ? (struct culling_cover){COVER_NONE, 0} : (struct culling_cover){COVER_PAIR, slot};
}

static struct culling_cover cover_of_group(const struct listing *listing, const uint32_t *nodes, uint32_t count,
                                           uint32_t vertex)
{
    uint32_t uppers[GROUP_NODES_MAX], upper_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t upper = nodes[i] / LEAF_TREE_ARITY;
        if (upper_count == 0 || uppers[upper_count - 1] != upper) {
            uppers[upper_count++] = upper;
        }
    }
    if (upper_count <= 2) {
        return cover_of_pair(listing, nodes[0], nodes[count - 1]);
    }
    uint32_t group =
        vertex == NONE || listing->number + 1 >= listing->tree->level_count ? NONE : listing->upper_group_at[vertex];
    return group == NONE ? (struct culling_cover){COVER_NONE, 0} : (struct culling_cover){COVER_GROUP, group};
}

/* ---- groups ---------------------------------------------------------------------------------- */

static uint32_t members_hash(const uint32_t *nodes, uint32_t count)
{
    uint32_t hash = count;
    for (uint32_t i = 0; i < count; i++) {
        hash = (hash ^ nodes[i]) * 0x9E3779B1u;
        hash ^= hash >> 15;
    }
    return hash;
}

/* The group with these members, or the free place for it. */
static uint32_t *table_slot(struct listing *listing, const uint32_t *nodes, uint32_t count)
{
    uint32_t slot = members_hash(nodes, count) & (listing->table_size - 1);
    for (; listing->table[slot] != NONE; slot = (slot + 1) & (listing->table_size - 1)) {
        const struct culling_group *group = array_at(&listing->groups, listing->table[slot]);
        if (group->member_count == count &&
            memcmp(array_at(&listing->members, group->first_member), nodes, count * sizeof *nodes) == 0) {
            break;
        }
    }
    return &listing->table[slot];
}

/* The junction as the centre, unless it lies on the cycle itself. */
static uint32_t centre_slot(const struct listing *listing, uint32_t vertex)
{
    if (vertex == NONE || listing->vertex_stamp[vertex] == listing->stamp) {
        return NONE;
    }
    uint32_t leaf = listing->star_leaves[listing->star_start[vertex]];
    const struct surface_leaf *it = &listing->tree->leaves[leaf];
    uint32_t lane = 0;
    while (it->vertices[lane] != vertex) {
        lane++;
    }
    return leaf * LEAF_STRIDE + lane;
}

/* A group of nodes (ascending) around a vertex, or of two along an edge (vertex NONE). *index: the group, NONE when the
 * cycle is none. */
static bool append_group(struct listing *listing, const uint32_t *nodes, uint32_t count, uint32_t vertex,
                         uint32_t *index)
{
    struct culling_group group = {.first_member = (uint32_t)listing->members.count,
                                  .first_pair = (uint32_t)listing->pairs.count,
                                  .member_count = (uint16_t)count};
    *index = NONE;
    if (!append_cycle(listing, nodes, count, &group.cycle)) {
        return false;
    }
    if (group.cycle.count == 0) {
        return true;
    }
    group.centre = centre_slot(listing, vertex);
    group.cover = cover_of_group(listing, nodes, count, vertex);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = i + 1; j < count; j++) {
            uint32_t slot = find_pair(&listing->tree->levels[listing->number], nodes[i], nodes[j]);
            if (slot != NONE && !push_number(&listing->pairs, slot)) {
                return false;
            }
        }
    }
    group.pair_count = (uint16_t)(listing->pairs.count - group.first_pair);
    *index = (uint32_t)listing->groups.count;
    return array_push_many(&listing->members, nodes, count) && array_push(&listing->groups, &group);
}

/* Nodes of the level around a vertex; 0 when there are too many. */
static uint32_t nodes_around(const struct listing *listing, uint32_t vertex, uint32_t nodes[GROUP_NODES_MAX])
{
    uint32_t count = 0;
    for (uint32_t i = listing->star_start[vertex]; i < listing->star_start[vertex + 1]; i++) {
        uint32_t node = listing->star_leaves[i] >> 4 * listing->number;
        if (count > 0 && nodes[count - 1] == node) {
            continue;
        }
        if (count == GROUP_NODES_MAX) {
            return 0;
        }
        nodes[count++] = node;
    }
    return count;
}

static bool list_junction(struct listing *listing, uint32_t vertex)
{
    uint32_t nodes[GROUP_NODES_MAX], count = nodes_around(listing, vertex, nodes);
    listing->group_at[vertex] = NONE;
    if (count < 3) {
        return true;
    }
    uint32_t *slot = table_slot(listing, nodes, count);
    if (*slot == NONE) {
        if (listing->groups.count >= listing->table_size / 2) {
            return true; /* the table is full enough */
        }
        if (!append_group(listing, nodes, count, vertex, slot)) {
            return false;
        }
    }
    listing->group_at[vertex] = *slot;
    return true;
}

/* Vertices in the order of the leaves, so that groups next to each other read the same memory. */
static bool list_junctions(struct listing *listing)
{
    for (uint32_t leaf = 0; leaf < listing->tree->leaf_count; leaf++) {
        const struct surface_leaf *it = &listing->tree->leaves[leaf];
        for (uint32_t i = 0; i < it->vertex_count; i++) {
            bool first = listing->star_leaves[listing->star_start[it->vertices[i]]] == leaf;
            if (first && !list_junction(listing, it->vertices[i])) {
                return false;
            }
        }
    }
    return true;
}

/* Neighbours along an edge that no junction group holds. */
static bool list_edge_pairs(struct listing *listing)
{
    const struct tree_level *level = &listing->tree->levels[listing->number];
    const struct outsides *outsides = &listing->outsides[listing->number];
    struct arena_mark mark = arena_mark(listing->arena);
    uint8_t *held = arena_allocate_cleared(listing->arena, level->pair_count, 1);
    if (!held) {
        return false;
    }
    for (size_t i = 0; i < listing->pairs.count; i++) {
        held[*(const uint32_t *)array_at(&listing->pairs, i)] = 1;
    }
    for (uint32_t node = 0; node < level->count; node++) {
        for (uint32_t i = outsides->start[node]; i < outsides->start[node + 1]; i++) {
            uint32_t mate = listing->adjacency.mate[outsides->halves[i]], index;
            uint32_t other = mate < MATE_NONMANIFOLD ? node_of_face(listing, mate / 3) : 0;
            uint32_t slot = other > node ? find_pair(level, node, other) : NONE;
            if (slot == NONE || held[slot]) {
                continue;
            }
            held[slot] = 1;
            const uint32_t nodes[2] = {node, other};
            if (!append_group(listing, nodes, 2, NONE, &index)) {
                return false;
            }
        }
    }
    arena_rewind(listing->arena, mark);
    return true;
}

static bool list_single_nodes(struct listing *listing)
{
    uint32_t count = listing->tree->levels[listing->number].count;
    for (uint32_t node = 0; node < count; node++) {
        struct culling_cycle cycle;
        if (!append_cycle(listing, &node, 1, &cycle) || !array_push(&listing->node_cycles, &cycle)) {
            return false;
        }
    }
    return true;
}

static bool list_pair_covers(struct listing *listing)
{
    const struct tree_level *level = &listing->tree->levels[listing->number];
    for (uint32_t node = 0; node < level->count; node++) {
        for (uint32_t i = level->first[node]; i < level->first[node + 1]; i++) {
            struct culling_cover cover = cover_of_pair(listing, node, level->partners[i]);
            if (!array_push(&listing->covers, &cover)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- a level --------------------------------------------------------------------------------- */

/* Moves a growing array into a list of exactly its size. */
static bool keep_list(dent_context *context, struct dynamic_array *array, struct culling_list *list)
{
    list->element_size = array->element_size;
    list->data = dent_allocate(context, array->count, array->element_size);
    if (!list->data) {
        return false;
    }
    list->count = array->count;
    if (array->count > 0) {
        memcpy(list->data, array->data, array->count * array->element_size);
    }
    array_clear(array);
    return true;
}

static bool allocate_snapshot_arrays(const struct surface_tree *tree, struct surface_culling *culling, uint32_t number)
{
    struct culling_level *level = &culling->levels[number];
    level->count = tree->levels[number].count;
    level->pair_count = tree->levels[number].pair_count;
    level->masks = dent_allocate(culling->context, level->count, sizeof *level->masks);
    level->normals = dent_allocate(culling->context, level->count, sizeof *level->normals);
    level->node_culled = dent_allocate(culling->context, level->count, 1);
    level->pair_culled = dent_allocate(culling->context, level->pair_count, 1);
    level->group_culled = dent_allocate(culling->context, level->groups.count, 1);
    return level->masks && level->normals && level->node_culled && level->pair_culled && level->group_culled;
}

static bool list_level(struct listing *listing)
{
    struct surface_culling *culling = listing->culling;
    struct culling_level *level = &culling->levels[listing->number];
    memset(listing->table, 0xFF, listing->table_size * sizeof *listing->table);
    if (!list_junctions(listing) || !list_edge_pairs(listing) || !list_single_nodes(listing) ||
        !list_pair_covers(listing)) {
        return false;
    }
    dent_context *context = culling->context;
    if (!keep_list(context, &listing->groups, &level->groups) ||
        !keep_list(context, &listing->members, &level->members) ||
        !keep_list(context, &listing->pairs, &level->pairs) || !keep_list(context, &listing->runs, &level->runs) ||
        !keep_list(context, &listing->extras, &level->extras) ||
        !keep_list(context, &listing->node_cycles, &level->node_cycles) ||
        !keep_list(context, &listing->covers, &level->pair_covers)) {
        return false;
    }
    uint32_t *group_at = listing->upper_group_at;
    listing->upper_group_at = listing->group_at;
    listing->group_at = group_at;
    return allocate_snapshot_arrays(listing->tree, culling, listing->number);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void arrays_init(struct listing *listing, dent_context *context)
{
    array_init(&listing->groups, context, sizeof(struct culling_group));
    array_init(&listing->members, context, sizeof(uint32_t));
    array_init(&listing->pairs, context, sizeof(uint32_t));
    array_init(&listing->runs, context, sizeof(struct polygon_run));
    array_init(&listing->extras, context, sizeof(uint32_t));
    array_init(&listing->node_cycles, context, sizeof(struct culling_cycle));
    array_init(&listing->covers, context, sizeof(struct culling_cover));
}

static void arrays_destroy(struct listing *listing)
{
    array_destroy(&listing->groups);
    array_destroy(&listing->members);
    array_destroy(&listing->pairs);
    array_destroy(&listing->runs);
    array_destroy(&listing->extras);
    array_destroy(&listing->node_cycles);
    array_destroy(&listing->covers);
}

static bool listing_begin(struct listing *listing)
{
    struct arena *arena = listing->arena;
    struct surface_culling *culling = listing->culling;
    size_t faces = listing->body->surface_face_count, vertices = listing->body->vertex_count,
           leaves = listing->tree->leaf_count;
    listing->turn = arena_allocate(arena, faces, sizeof *listing->turn);
    listing->leaf_of_face = arena_allocate(arena, faces, sizeof *listing->leaf_of_face);
    listing->slot_of_face = arena_allocate(arena, faces, sizeof *listing->slot_of_face);
    listing->vertex_stamp = arena_allocate_cleared(arena, vertices, sizeof *listing->vertex_stamp);
    listing->faces_at = arena_allocate_cleared(arena, vertices, sizeof *listing->faces_at);
    listing->vertex_half = arena_allocate(arena, vertices, sizeof *listing->vertex_half);
    listing->node_stamp = arena_allocate_cleared(arena, leaves, sizeof *listing->node_stamp);
    listing->leaf_stamp = arena_allocate_cleared(arena, leaves, sizeof *listing->leaf_stamp);
    listing->group_at = arena_allocate(arena, vertices, sizeof *listing->group_at);
    listing->upper_group_at = arena_allocate(arena, vertices, sizeof *listing->upper_group_at);
    for (listing->table_size = 64; listing->table_size < 8 * leaves; listing->table_size *= 2) {
    }
    listing->table = arena_allocate(arena, listing->table_size, sizeof *listing->table);
    culling->corners = dent_allocate(culling->context, leaves, sizeof *culling->corners);
    if (!listing->turn || !listing->leaf_of_face || !listing->slot_of_face || !listing->vertex_stamp ||
        !listing->faces_at || !listing->vertex_half || !listing->node_stamp || !listing->leaf_stamp ||
        !listing->group_at || !listing->upper_group_at || !listing->table || !culling->corners ||
        !face_adjacency_find(&listing->adjacency, listing->body, arena) ||
        !face_adjacency_orient(&listing->adjacency, listing->body, listing->turn, arena) || !list_stars(listing)) {
        return false;
    }
    fill_corners(listing);
    for (size_t i = 0; i < 3 * faces; i++) {
        uint8_t *count = &listing->faces_at[listing->body->surface_faces[i / 3].corners[i % 3]];
        *count += *count < UINT8_MAX;
    }
    return true;
}

static bool list_all(struct listing *listing)
{
    uint32_t levels = listing->tree->level_count;
    bool good = listing_begin(listing);
    for (listing->number = 0; good && listing->number < levels; listing->number++) {
        good = list_outsides(listing);
    }
    for (listing->number = levels; good && listing->number-- > 0;) {
        good = list_level(listing);
    }
    return good;
}

static size_t culling_bytes(uint32_t level_count)
{
    return sizeof(struct surface_culling) + level_count * sizeof(struct culling_level);
}

struct surface_culling *surface_culling_create(const struct surface_tree *tree, const struct body *body)
{
    struct surface_culling *culling = dent_allocate(tree->context, 1, culling_bytes(tree->level_count));
    if (!culling) {
        return NULL;
    }
    memset(culling, 0, culling_bytes(tree->level_count));
    *culling = (struct surface_culling){
        .context = tree->context, .level_count = tree->level_count, .leaf_count = tree->leaf_count};
    struct arena arena;
    struct listing listing = {.tree = tree, .body = body, .culling = culling, .arena = &arena};
    arena_init(&arena, tree->context);
    arrays_init(&listing, tree->context);
    bool good = list_all(&listing);
    arrays_destroy(&listing);
    arena_destroy(&arena);
    if (!good) {
        surface_culling_destroy(culling);
        return NULL;
    }
    return culling;
}

static void release_list(dent_context *context, struct culling_list *list)
{
    dent_release(context, list->data, list->count, list->element_size);
}

void surface_culling_destroy(struct surface_culling *culling)
{
    if (!culling) {
        return;
    }
    dent_context *context = culling->context;
    for (uint32_t number = 0; number < culling->level_count; number++) {
        struct culling_level *level = &culling->levels[number];
        dent_release(context, level->group_culled, level->groups.count, 1);
        dent_release(context, level->masks, level->count, sizeof *level->masks);
        dent_release(context, level->normals, level->count, sizeof *level->normals);
        dent_release(context, level->node_culled, level->count, 1);
        dent_release(context, level->pair_culled, level->pair_count, 1);
        release_list(context, &level->groups);
        release_list(context, &level->members);
        release_list(context, &level->pairs);
        release_list(context, &level->runs);
        release_list(context, &level->extras);
        release_list(context, &level->node_cycles);
        release_list(context, &level->pair_covers);
    }
    dent_release(context, culling->corners, culling->leaf_count, sizeof *culling->corners);
    dent_release(context, culling, 1, culling_bytes(culling->level_count));
}
