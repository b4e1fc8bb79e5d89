/* The steps of an interruptible search. See time_critical_search.h.
 *
 * Splitting: of two inner nodes the one with the larger error; a node with itself into all pairs of its children. What
 * does not fit into the pool stays whole and is set aside: coarser, but nothing is lost.
 */
#include "query/deadline/time_critical_search.h"

#include "bodies/strand_rules.h"
#include "geometry/metric/feature_distance.h"
#include "geometry/predicates/triangle_predicates.h"
#include "structures/bounds/bound_tests.h"

/* ---- pairs of nodes ---------------------------------------------------------------------------------------------- */

static void touch(dent_time_critical *search, struct bound_tree *tree, uint32_t node)
{
    uint32_t cost = bound_tree_touch(tree, node);
    search->effort += cost;
    search->nodes_updated += cost > 0;
}

/* How far the surfaces below two nodes may be from one another at most: not farther than two of their vertices, nor
 * than the volumes, which meet, are large. (Of a body with itself the former says nothing: neighbours share vertices.)
 */
static double largest_gap(const dent_time_critical *search, uint32_t node_a, uint32_t node_b)
{
    const struct bound_tree *a = search->a, *b = search->b;
    double by_size = up(a->volumes[node_a].error + b->volumes[node_b].error);
    double by_witness = a == b ? INFINITY : distance_above(bound_witness(a, node_a), bound_witness(b, node_b));
    return by_witness < by_size ? by_witness : by_size;
}

bool search_test_pair(dent_time_critical *search, uint32_t node_a, uint32_t node_b, dent_region_pair *pair)
{
    touch(search, search->a, node_a);
    touch(search, search->b, node_b);
    search->units++;
    search->effort++;
    search->bound_tests++;
    double gap = volume_gap(search->a, node_a, search->b, node_b);
    if (gap > 0) {
        return false;
    }
    *pair =
        (dent_region_pair){.node_a = node_a, .node_b = node_b, .lo = gap, .error = largest_gap(search, node_a, node_b)};
    return true;
}

/* Leaves are as deep as it gets. */
static uint32_t level_of(const struct bound_tree *tree, uint32_t node)
{
    return bound_is_leaf(tree, node) ? REGION_LEVELS - 1 : tree->links[node].level;
}

static double size_of(const dent_time_critical *search, const dent_region_pair *pair)
{
    return search->a->volumes[pair->node_a].error + search->b->volumes[pair->node_b].error;
}

void search_push(dent_time_critical *search, const dent_region_pair *pair)
{
    uint32_t level_a = level_of(search->a, pair->node_a), level_b = level_of(search->b, pair->node_b);
    double key = 0;
    if (search->def.order == DENT_REFINE_PRIORITY) {
        key = pair->error;
    } else if (search->def.order == DENT_REFINE_SIZE) {
        key = size_of(search, pair);
    } else if (search->def.order == DENT_REFINE_DEPTH) {
        key = pair->lo < 0 ? -pair->lo : 0;
    } else if (search->def.order == DENT_REFINE_DEEPEST) {
        double size = size_of(search, pair);
        key = size > 0 && pair->lo < 0 ? -pair->lo / size : 0;
    }
    region_queue_push(&search->queue, pair, key, level_a < level_b ? level_a : level_b);
}

static enum split_side side_to_split(const dent_time_critical *search, uint32_t node_a, uint32_t node_b)
{
    bool leaf_a = bound_is_leaf(search->a, node_a), leaf_b = bound_is_leaf(search->b, node_b);
    if (search->a == search->b && node_a == node_b) {
        return leaf_a ? SPLIT_NONE : SPLIT_BOTH;
    }
    if (leaf_a || leaf_b) {
        return leaf_a && leaf_b ? SPLIT_NONE : leaf_a ? SPLIT_B : SPLIT_A;
    }
    return search->b->volumes[node_b].error > search->a->volumes[node_a].error ? SPLIT_B : SPLIT_A;
}

struct node_pair {
    uint32_t a, b;
};

static uint32_t list_parts(const dent_time_critical *search, uint32_t node_a, uint32_t node_b, enum split_side side,
                           struct node_pair parts[PARTS_MAX])
{
    const struct bound_link *a = &search->a->links[node_a], *b = &search->b->links[node_b];
    uint32_t count = 0;
    if (side == SPLIT_BOTH) {
        for (uint32_t i = 0; i < a->child_count; i++) {
            for (uint32_t j = i; j < a->child_count; j++) {
                parts[count++] = (struct node_pair){a->first_child + i, a->first_child + j};
            }
        }
        return count;
    }
    const struct bound_link *split = side == SPLIT_A ? a : b;
    for (; count < split->child_count; count++) {
        uint32_t child = split->first_child + count;
        parts[count] = side == SPLIT_A ? (struct node_pair){child, node_b} : (struct node_pair){node_a, child};
    }
    return count;
}

/* ---- the front --------------------------------------------------------------------------------------------------- */

static void keep_record(dent_time_critical *search, uint32_t node_a, uint32_t node_b, enum split_side side,
                        uint64_t parts)
{
    if (search->def.front_capacity == 0 || search->front_lost) {
        return;
    }
    if (search->front_count == search->def.front_capacity) {
        search->front_lost = true;
        return;
    }
    search->front[search->front_count++] = (struct front_record){node_a, node_b, parts | (uint64_t)side << 62};
}

/* Children of one node against another node, all at once. Survivors as bits, their bounds in lo. */
static uint32_t test_children(dent_time_critical *search, const struct node_pair *parts, uint32_t count,
                              uint64_t wanted, bool of_a, double lo[BOUND_KERNEL_LANES])
{
    struct bound_tree *split = of_a ? search->a : search->b, *whole = of_a ? search->b : search->a;
    uint32_t first = of_a ? parts[0].a : parts[0].b, other = of_a ? parts[0].b : parts[0].a;
    for (uint32_t i = 0; split->embedding && i < count; i++) {
        if (wanted >> i & 1) {
            touch(search, split, first + i);
        }
    }
    touch(search, whole, other);
    uint32_t meet = search->kernel(&split->volumes[first], count, &whole->volumes[other], lo) & (uint32_t)wanted;
    for (uint32_t left = search->use_slabs ? meet : 0; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(left);
        lo[i] = gap_with_slabs(split, first + i, whole, other, lo[i]);
        meet &= ~((uint32_t)(lo[i] > 0) << i);
    }
    uint32_t tests = (uint32_t)__builtin_popcountll(wanted);
    search->units += tests;
    search->effort += tests;
    search->bound_tests += tests;
    return meet;
}

/* Tests the parts in `wanted` of a pair; survivors go to `kept`. Returns the parts that are apart. */
static uint64_t test_parts(dent_time_critical *search, const struct node_pair *parts, uint32_t count, uint64_t wanted,
                           enum split_side side, dent_region_pair kept[PARTS_MAX], uint32_t *kept_count)
{
    uint64_t apart = 0;
    *kept_count = 0;
    if (search->kernel && (side == SPLIT_A || side == SPLIT_B)) {
        double lo[BOUND_KERNEL_LANES];
        uint32_t meet = test_children(search, parts, count, wanted, side == SPLIT_A, lo);
        for (uint32_t left = meet; left; left &= left - 1) {
            uint32_t i = (uint32_t)__builtin_ctz(left);
            kept[(*kept_count)++] = (dent_region_pair){.node_a = parts[i].a,
                                                       .node_b = parts[i].b,
                                                       .lo = lo[i],
                                                       .error = largest_gap(search, parts[i].a, parts[i].b)};
        }
        return wanted & ~(uint64_t)meet;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (wanted >> i & 1) {
            if (search_test_pair(search, parts[i].a, parts[i].b, &kept[*kept_count])) {
                (*kept_count)++;
            } else {
                apart |= UINT64_C(1) << i;
            }
        }
    }
    return apart;
}

static void push_all(dent_time_critical *search, const dent_region_pair *pairs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        search_push(search, &pairs[i]);
    }
}

static void finish_old_front(dent_time_critical *search)
{
    search->covered = false;
    search->old_count = search->old_next = 0;
    region_queue_remove(&search->queue, 0);
}

/* One record of the old front against the nodes as they are now. */
static void test_old_record(dent_time_critical *search)
{
    struct front_record record = search->old[search->old_next++];
    enum split_side side = (enum split_side)(record.parts >> 62);
    uint64_t wanted = record.parts & (UINT64_MAX >> 2), apart;
    struct node_pair parts[PARTS_MAX] = {{record.node_a, record.node_b}};
    dent_region_pair kept[PARTS_MAX];
    uint32_t count = side == SPLIT_NONE ? 1 : list_parts(search, record.node_a, record.node_b, side, parts),
             kept_count = 0;
    if (side == SPLIT_NONE) {
        apart = test_parts(search, parts, 1, 1, SPLIT_NONE, kept, &kept_count);
        if (apart) {
            keep_record(search, record.node_a, record.node_b, SPLIT_NONE, 0);
        }
    } else if (wanted == (UINT64_C(1) << count) - 1 &&
               !search_test_pair(search, record.node_a, record.node_b, &kept[0])) {
        keep_record(search, record.node_a, record.node_b, SPLIT_NONE, 0); /* up to the parent */
    } else {
        apart = test_parts(search, parts, count, wanted, side, kept, &kept_count);
        if (apart) {
            keep_record(search, record.node_a, record.node_b, side, apart);
        }
    }
    if (kept_count > region_queue_free(&search->queue)) {
        search_begin_at_roots(search); /* no room for so fine a front */
        return;
    }
    push_all(search, kept, kept_count);
    if (search->old_next == search->old_count) {
        finish_old_front(search);
    }
}

/* ---- two leaves -------------------------------------------------------------------------------------------------- */

static uint64_t identity_of(const struct bound_tree *tree, uint32_t vertex)
{
    return tree->identities ? tree->identities[vertex] : tree->identity_base + vertex;
}

static bool faces_share_vertex(const dent_time_critical *search, const uint32_t *corners_a, const uint32_t *corners_b)
{
    for (int i = 0; i < 3 && search->share_vertices; i++) {
        uint64_t identity = identity_of(search->a, corners_a[i]);
        for (int j = 0; j < 3; j++) {
            if (identity == identity_of(search->b, corners_b[j])) {
                return true;
            }
        }
    }
    return false;
}

/* The boxes of a leaf's faces: most pairs of faces of neighbouring leaves miss one another by these. */
static void list_face_boxes(const struct bound_tree *tree, uint32_t leaf, struct bound_volume *boxes)
{
    const struct bound_link *link = &tree->links[leaf];
    for (uint32_t i = 0; i < link->face_count; i++) {
        const uint32_t *v = tree->corners[link->first_face + i];
        for (int axis = 0; axis < 3; axis++) {
            double x = tree->xyz[v[0]][axis], y = tree->xyz[v[1]][axis], z = tree->xyz[v[2]][axis];
            double low = x < y ? x : y, high = x < y ? y : x;
            low = z < low ? z : low;
            high = z > high ? z : high;
            if (bound_has_strands(tree)) {
                double growth = bound_growth(tree, tree->radii[link->first_face + i]);
                low = down(low - growth);
                high = up(high + growth);
            }
            boxes[i].v[axis] = low;
            boxes[i].v[axis + 3] = high;
        }
    }
}

/* Faces of b whose closed boxes meet that of the next face of a, as bits. */
static uint32_t compare_row(dent_time_critical *search, uint32_t count_b, bool itself)
{
    const struct bound_volume *box = &search->face_boxes[0][search->row], *others = search->face_boxes[1];
    double gaps[BOUND_KERNEL_LANES];
    uint32_t meet = 0;
    for (uint32_t from = 0; from < count_b; from += BOUND_KERNEL_LANES) {
        uint32_t count = count_b - from < BOUND_KERNEL_LANES ? count_b - from : BOUND_KERNEL_LANES;
        meet |= search->kernels->boxes(others + from, count, box, gaps) << from;
    }
    uint32_t tests = itself ? count_b - search->row : count_b; /* each pair once, and no face with itself */
    search->units += tests;
    search->effort += tests;
    return itself ? meet & ~((2u << search->row) - 1) : meet;
}

static void add_pair(dent_time_critical *search, uint32_t slot_a, uint32_t slot_b, dent_pair_kind kind)
{
    uint32_t face_a = search->a->order[slot_a], face_b = search->b->order[slot_b];
    bool flipped = search->a == search->b && face_a > face_b;
    search->pairs[search->pair_count++] = (dent_face_pair){flipped ? face_b : face_a, flipped ? face_a : face_b, kind};
}

static void test_faces(dent_time_critical *search, uint32_t slot_a, uint32_t slot_b)
{
    const uint32_t *va = search->a->corners[slot_a], *vb = search->b->corners[slot_b];
    const double *a[3] = {search->a->xyz[va[0]], search->a->xyz[va[1]], search->a->xyz[va[2]]};
    const double *b[3] = {search->b->xyz[vb[0]], search->b->xyz[vb[1]], search->b->xyz[vb[2]]};
    search->units += FACE_TEST_UNITS;
    search->effort += FACE_TEST_UNITS;
    search->face_tests++;
    face_pair_kind kind = triangle_versus_triangle(a, b, &search->predicates);
    if (kind == FACE_PAIR_TOUCHING) {
        inside_note_touching(search, slot_a, slot_b);
    }
    if (kind == FACE_PAIR_NONE || (kind == FACE_PAIR_TOUCHING && !search->def.touching)) {
        return;
    }
    dent_pair_kind found = kind == FACE_PAIR_CROSSING   ? DENT_PAIR_CROSSING
                           : kind == FACE_PAIR_COPLANAR ? DENT_PAIR_COPLANAR
                                                        : DENT_PAIR_TOUCHING;
    add_pair(search, slot_a, slot_b, found);
    if (found != DENT_PAIR_TOUCHING) {
        inside_note_crossing(search, slot_a, slot_b);
    }
}

/* ---- strands: segments in place of faces ---- */

/* Two segments, by the rules and the arithmetic of the question `strand`. */
static bool segments_are_near(const dent_time_critical *search, uint32_t slot_a, uint32_t slot_b)
{
    const struct bound_tree *tree_a = search->a, *tree_b = search->b;
    const uint32_t *va = tree_a->corners[slot_a], *vb = tree_b->corners[slot_b];
    const double *a[2] = {tree_a->xyz[va[0]], tree_a->xyz[va[1]]}, *b[2] = {tree_b->xyz[vb[0]], tree_b->xyz[vb[1]]};
    double radius_a = tree_a->radii[slot_a], radius_b = tree_b->radii[slot_b];
    bool one_strand = tree_a == tree_b && tree_a->component_of_slot[slot_a] == tree_a->component_of_slot[slot_b];
    return distance_is_within(edge_edge_distance(a, b), radius_a, radius_b) &&
           !(one_strand && strand_rule_of_vertices((const double(*)[3])tree_a->xyz, va[0], vb[0],
                                                   radius_a > radius_b ? radius_a : radius_b));
}

/* Is the segment the first of a strand whose root lies on this face, or on one that shares a vertex with it? */
static bool is_rooted_there(const struct bound_tree *strands, uint32_t segment, const struct bound_tree *surface,
                            uint32_t face)
{
    const struct bound_root *root = &strands->roots[segment];
    bool found = false;
    for (int i = 0; root->identity_base == surface->identity_base && i < 9; i++) {
        found = found || root->corners[i / 3] == surface->corners[face][i % 3];
    }
    return found;
}

static bool segment_is_near_face(const double *const ends[2], const double *const corners[3], double radius)
{
    bool near = vertex_face_distance(ends[0], corners) <= radius || vertex_face_distance(ends[1], corners) <= radius;
    for (int k = 0; k < 3 && !near; k++) {
        const double *edge[2] = {corners[k], corners[(k + 1) % 3]};
        near = edge_edge_distance(ends, edge) <= radius;
    }
    return near;
}

/* A segment and a face: one that crosses it, touches it, or comes as near as its radius. */
static void test_segment_and_face(dent_time_critical *search, uint32_t slot_a, uint32_t slot_b)
{
    bool of_a = bound_has_strands(search->a);
    const struct bound_tree *strands = of_a ? search->a : search->b, *surface = of_a ? search->b : search->a;
    uint32_t segment = of_a ? slot_a : slot_b, face = of_a ? slot_b : slot_a;
    const uint32_t *vs = strands->corners[segment], *vf = surface->corners[face];
    const double *ends[3] = {strands->xyz[vs[0]], strands->xyz[vs[1]], strands->xyz[vs[2]]};
    const double *corners[3] = {surface->xyz[vf[0]], surface->xyz[vf[1]], surface->xyz[vf[2]]};
    face_pair_kind kind = triangle_versus_triangle(ends, corners, &search->predicates);
    bool rooted = is_rooted_there(strands, segment, surface, face);
    if (kind == FACE_PAIR_CROSSING && !rooted) {
        inside_note_crossing(search, slot_a, slot_b);
        add_pair(search, slot_a, slot_b, DENT_PAIR_CROSSING);
        return;
    }
    if (kind != FACE_PAIR_NONE) {
        inside_note_touching(search, slot_a, slot_b);
    }
    if (!rooted && (kind != FACE_PAIR_NONE || segment_is_near_face(ends, corners, strands->radii[segment]))) {
        add_pair(search, slot_a, slot_b, DENT_PAIR_TOUCHING);
    }
}

static void test_elements(dent_time_critical *search, uint32_t slot_a, uint32_t slot_b)
{
    bool strands_a = bound_has_strands(search->a), strands_b = bound_has_strands(search->b);
    if (!strands_a && !strands_b) {
        test_faces(search, slot_a, slot_b);
        return;
    }
    search->units += FACE_TEST_UNITS;
    search->effort += FACE_TEST_UNITS;
    search->face_tests++;
    if (strands_a != strands_b) {
        test_segment_and_face(search, slot_a, slot_b);
    } else if (segments_are_near(search, slot_a, slot_b)) {
        add_pair(search, slot_a, slot_b, DENT_PAIR_TOUCHING);
    }
}

static void finish_leaves(dent_time_critical *search)
{
    const dent_region_pair *pair = &search->queue.entries[search->active];
    uint32_t found = search->pair_count - search->first_pair;
    keep_record(search, pair->node_a, pair->node_b, SPLIT_NONE, 0);
    if (found > 0) {
        double depth = pair->lo < 0 ? -pair->lo : 0;
        search->confirmed_depth = depth > search->confirmed_depth ? depth : search->confirmed_depth;
        search->confirmed[search->confirmed_count++] =
            (dent_confirmed_pair){pair->node_a, pair->node_b, pair->lo, pair->error, search->first_pair, found};
    }
    region_queue_remove(&search->queue, search->active);
    search->active = REGION_NONE;
}

/* Faces that share a vertex are no pair: they touch. */
static uint32_t leave_out_neighbours(dent_time_critical *search, uint32_t slot_a, uint32_t first_b, uint32_t met)
{
    for (uint32_t left = search->share_vertices ? met : 0; left; left &= left - 1) {
        uint32_t j = (uint32_t)__builtin_ctz(left);
        bool share = faces_share_vertex(search, search->a->corners[slot_a], search->b->corners[first_b + j]);
        met &= ~((uint32_t)share << j);
        if (share) {
            inside_note_touching(search, slot_a, first_b + j);
        }
    }
    return met;
}

/* The next face of the leaf pair at hand, or the next pair of faces whose boxes meet. */
static void step_leaves(dent_time_critical *search)
{
    const dent_region_pair *pair = &search->queue.entries[search->active];
    const struct bound_link *a = &search->a->links[pair->node_a], *b = &search->b->links[pair->node_b];
    if (search->left == 0) {
        bool itself = search->a == search->b && pair->node_a == pair->node_b;
        search->left = compare_row(search, b->face_count, itself);
        search->left = leave_out_neighbours(search, a->first_face + search->row, b->first_face, search->left);
        search->row++;
    } else {
        uint32_t j = (uint32_t)__builtin_ctz(search->left);
        search->left &= search->left - 1;
        test_elements(search, a->first_face + search->row - 1, b->first_face + j);
    }
    if (search->left == 0 && search->row == a->face_count) {
        finish_leaves(search);
    }
}

/* False: there is no room for what may be found. */
static bool begin_leaves(dent_time_critical *search, uint32_t entry)
{
    const dent_region_pair *pair = &search->queue.entries[entry];
    uint64_t most = (uint64_t)search->a->links[pair->node_a].face_count * search->b->links[pair->node_b].face_count;
    search->units++;
    search->effort++;
    if (search->confirmed_count == search->def.confirmed_capacity ||
        search->pair_count + most > search->def.pair_capacity) {
        return false;
    }
    search->effort += bound_tree_touch_positions(search->a, pair->node_a);
    search->effort += bound_tree_touch_positions(search->b, pair->node_b);
    list_face_boxes(search->a, pair->node_a, search->face_boxes[0]);
    list_face_boxes(search->b, pair->node_b, search->face_boxes[1]);
    search->effort += (search->a->links[pair->node_a].face_count + search->b->links[pair->node_b].face_count) / 2;
    search->active = entry;
    search->row = search->left = 0;
    search->first_pair = search->pair_count;
    return true;
}

/* ---- one pair ---------------------------------------------------------------------------------------------------- */

/* False: no room for its parts. */
static bool refine(dent_time_critical *search, uint32_t entry)
{
    dent_region_pair pair = search->queue.entries[entry];
    enum split_side side = side_to_split(search, pair.node_a, pair.node_b);
    if (side == SPLIT_NONE) {
        return begin_leaves(search, entry);
    }
    struct node_pair parts[PARTS_MAX];
    dent_region_pair kept[PARTS_MAX];
    uint32_t count = list_parts(search, pair.node_a, pair.node_b, side, parts), kept_count;
    uint64_t apart = test_parts(search, parts, count, (UINT64_C(1) << count) - 1, side, kept, &kept_count);
    if (kept_count > region_queue_free(&search->queue) + 1) {
        return false;
    }
    if (apart) {
        keep_record(search, pair.node_a, pair.node_b, side, apart);
    }
    search->splits++;
    region_queue_remove(&search->queue, entry);
    push_all(search, kept, kept_count);
    return true;
}

static uint32_t next_entry(const dent_time_critical *search)
{
    const struct region_queue *queue = &search->queue;
    bool narrow = region_queue_free(queue) < search->reserve;
    uint32_t list = narrow ? counts_lowest(&queue->lists) : counts_highest(&queue->lists);
    return narrow || search->def.order == DENT_REFINE_DEPTH_FIRST ? queue->tails[list] : queue->heads[list];
}

bool search_step(dent_time_critical *search)
{
    struct region_queue *queue = &search->queue;
    if (search->active != REGION_NONE) {
        step_leaves(search);
    } else if (search->covered) {
        test_old_record(search);
    } else if (queue->queued > 0) {
        uint32_t entry = next_entry(search);
        if (!refine(search, entry)) {
            region_queue_set_aside(queue, entry);
        } else {
            search->set_aside = 0;
        }
    } else if (queue->count > 0) { /* only entries that were set aside: there may be room by now */
        uint32_t entry = queue->heads[REGION_STUCK];
        if (search->set_aside >= queue->count) {
            return false;
        }
        if (!refine(search, entry)) {
            region_queue_set_aside(queue, entry);
            search->set_aside++;
        } else {
            search->set_aside = 0;
        }
    } else {
        return inside_step(search);
    }
    return true;
}
