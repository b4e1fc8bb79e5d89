/* Builds a bounding tree top down. See bound_tree.h.
 *
 * The practical splitter: the faces of a node are halved (equal counts) across the longest axis of the covariance of
 * their centres, the halves again, until there are as many parts as children are wanted or the parts fit into leaves.
 * Equal keys are told apart by the number of the face, so the tree is a function of the numbers alone. O(n log n).
 */
#include "structures/bounds/bound_tree.h"

#include <string.h>

#include "base/containers/union_find.h"
#include "geometry/numbers/power_of_two.h"
#include "structures/bounds/medial_balls.h"
#include "structures/bounds/medial_tree.h"

/* ---- one cut ----------------------------------------------------------------------------------------------------- */

/* Centre and power-of-two scale of the centres of a range, so that squares neither overflow nor vanish. */
static double range_frame(const struct bound_splitter *splitter, uint32_t first, uint32_t count, double middle[3])
{
    double extent = 0;
    for (int axis = 0; axis < 3; axis++) {
        double lo = INFINITY, hi = -INFINITY;
        for (uint32_t i = first; i < first + count; i++) {
            double c = splitter->centres[splitter->order[i]][axis];
            lo = c < lo ? c : lo;
            hi = c > hi ? c : hi;
        }
        middle[axis] = lo * 0.5 + hi * 0.5;
        double half = hi * 0.5 - lo * 0.5;
        extent = half > extent ? half : extent;
    }
    if (!(extent > 0x1p-1000)) {
        return 0; /* all in one slot */
    }
    int exponent = binary_exponent(extent);
    return exponent < -1000 ? 0x1p1000 : power_of_two(-exponent);
}

static void scaled_centre(const struct bound_splitter *splitter, uint32_t face, const double middle[3], double scale,
                          double p[3])
{
    for (int axis = 0; axis < 3; axis++) {
        p[axis] = (splitter->centres[face][axis] - middle[axis]) * scale;
    }
}

/* The direction in which the centres spread most: some steps of the power method from the largest column. */
static void longest_axis(const struct bound_splitter *splitter, uint32_t first, uint32_t count, const double middle[3],
                         double scale, double axis[3])
{
    double sum[3] = {0}, moment[3][3] = {{0}};
    for (uint32_t i = first; i < first + count; i++) {
        double p[3];
        scaled_centre(splitter, splitter->order[i], middle, scale, p);
        for (int r = 0; r < 3; r++) {
            sum[r] += p[r];
            for (int c = r; c < 3; c++) {
                moment[r][c] += p[r] * p[c];
            }
        }
    }
    int largest = 0;
    for (int r = 0; r < 3; r++) {
        for (int c = r; c < 3; c++) {
            moment[r][c] = moment[r][c] / count - (sum[r] / count) * (sum[c] / count);
            moment[c][r] = moment[r][c];
        }
        largest = moment[r][r] > moment[largest][largest] ? r : largest;
    }
    memcpy(axis, moment[largest], sizeof moment[largest]);
    for (int step = 0; step < 12; step++) {
        double next[3], norm = 0;
        for (int r = 0; r < 3; r++) {
            next[r] = (moment[r][0] * axis[0] + moment[r][1] * axis[1]) + moment[r][2] * axis[2];
            norm = fabs(next[r]) > norm ? fabs(next[r]) : norm;
        }
        if (!(norm > 1e-200)) {
            break;
        }
        for (int r = 0; r < 3; r++) {
            axis[r] = next[r] / norm;
        }
    }
}

static bool comes_before(const double *keys, uint32_t a, uint32_t b)
{
    return keys[a] < keys[b] || (keys[a] == keys[b] && a < b);
}

static void swap_faces(uint32_t *a, uint32_t *b)
{
    uint32_t kept = *a;
    *a = *b;
    *b = kept;
}

/* Puts the `middle` first faces of the range to its front. The pivot is the median of three. */
static void select_front(const double *keys, uint32_t *faces, uint32_t count, uint32_t middle)
{
    uint32_t begin = 0, end = count;
    while (end - begin > 1) {
        uint32_t *low = &faces[begin], *mid = &faces[begin + (end - begin) / 2], *high = &faces[end - 1];
        if (comes_before(keys, *mid, *low)) {
            swap_faces(mid, low);
        }
        if (comes_before(keys, *high, *mid)) {
            swap_faces(high, mid);
            if (comes_before(keys, *mid, *low)) {
                swap_faces(mid, low);
            }
        }
        uint32_t pivot = *mid, i = begin, j = end - 1;
        for (;;) {
            while (comes_before(keys, faces[i], pivot)) {
                i++;
            }
            while (comes_before(keys, pivot, faces[j])) {
                j--;
            }
            if (i >= j) {
                break;
            }
            swap_faces(&faces[i++], &faces[j--]);
        }
        uint32_t cut = j + 1; /* everything before `cut` is not after the pivot */
        if (cut >= end) {
            cut = end - 1;
        }
        if (middle < cut) {
            end = cut;
        } else {
            begin = cut;
        }
    }
}

static void halve_range(struct bound_splitter *splitter, uint32_t first, uint32_t count)
{
    double middle[3], axis[3] = {0};
    double scale = range_frame(splitter, first, count, middle);
    if (scale > 0) {
        longest_axis(splitter, first, count, middle, scale, axis);
    }
    for (uint32_t i = first; i < first + count; i++) {
        double p[3] = {0};
        uint32_t face = splitter->order[i];
        if (scale > 0) {
            scaled_centre(splitter, face, middle, scale, p);
        }
        splitter->keys[face] = (p[0] * axis[0] + p[1] * axis[1]) + p[2] * axis[2];
    }
    select_front(splitter->keys, splitter->order + first, count, count / 2);
}

uint32_t split_by_covariance(struct bound_splitter *splitter, uint32_t first, uint32_t count, uint32_t *sizes)
{
    uint32_t parts = 1, branching = splitter->build->branching;
    sizes[0] = count;
    while (parts * 2 <= branching) {
        uint32_t next[BOUND_BRANCHING_MAX], next_count = 0, slot = first;
        bool cut = false;
        for (uint32_t i = 0; i < parts; i++) {
            if (sizes[i] > splitter->build->leaf_faces) {
                halve_range(splitter, slot, sizes[i]);
                next[next_count++] = sizes[i] / 2;
                next[next_count++] = sizes[i] - sizes[i] / 2;
                cut = true;
            } else {
                next[next_count++] = sizes[i];
            }
            slot += sizes[i];
        }
        memcpy(sizes, next, next_count * sizeof *sizes);
        parts = next_count;
        if (!cut) {
            break;
        }
    }
    return parts;
}

/* ---- the tree ---------------------------------------------------------------------------------------------------- */

static bool grow_nodes(struct bound_tree *tree, uint32_t *capacity, uint32_t wanted)
{
    if (wanted <= *capacity) {
        return true;
    }
    uint32_t grown = *capacity + *capacity / 2 + 64;
    grown = grown < wanted ? wanted : grown;
    struct bound_link *fresh = dent_reallocate(tree->context, tree->links, *capacity, grown, sizeof *fresh);
    if (!fresh) {
        return false;
    }
    tree->links = fresh;
    *capacity = grown;
    return true;
}

static dent_status split_nodes(struct bound_tree *tree, struct bound_splitter *splitter, uint32_t *capacity)
{
    if (!grow_nodes(tree, capacity, 1)) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    tree->links[0] = (struct bound_link){.face_count = tree->face_count};
    tree->node_count = 1;
    for (uint32_t node = 0; node < tree->node_count; node++) {
        struct bound_link link = tree->links[node];
        if (link.level + 1u > tree->level_count) {
            tree->level_start[link.level] = node;
            tree->level_count = link.level + 1u;
        }
        if (link.face_count <= tree->leaf_faces) {
            tree->leaf_count++;
            continue;
        }
        if (link.level + 1u >= BOUND_LEVELS_MAX) {
            return DENT_ERROR_TOO_LARGE;
        }
        uint32_t sizes[BOUND_BRANCHING_MAX];
        uint32_t parts = splitter->medial ? split_by_medial_balls(splitter, tree->node_count, link.first_face,
                                                                  link.face_count, sizes)
                                          : split_by_covariance(splitter, link.first_face, link.face_count, sizes);
        if (parts == 0 || !grow_nodes(tree, capacity, tree->node_count + parts)) {
            return DENT_ERROR_OUT_OF_MEMORY;
        }
        tree->links[node].first_child = tree->node_count;
        tree->links[node].child_count = (uint16_t)parts;
        uint32_t slot = link.first_face;
        for (uint32_t i = 0; i < parts; i++) {
            tree->links[tree->node_count++] =
                (struct bound_link){.first_face = slot, .face_count = sizes[i], .level = (uint16_t)(link.level + 1)};
            slot += sizes[i];
        }
    }
    tree->level_start[tree->level_count] = tree->node_count;
    return DENT_OK;
}

/* Every leaf's vertices, each once, one leaf after the other. */
static void list_vertices(struct bound_tree *tree)
{
    uint32_t count = 0, leaf_end = 0, leaf_first = 0;
    /* Leaves in order of place: a slot begins a leaf iff it is the first face of one; the deepest node there is the
     * leaf. */
    for (uint32_t node = 0; node < tree->node_count; node++) {
        if (bound_is_leaf(tree, node) && tree->links[node].face_count > 0) {
            tree->vertex_start[tree->links[node].first_face] = tree->links[node].face_count;
        }
    }
    for (uint32_t slot = 0; slot < tree->face_count; slot++) {
        if (slot == leaf_end) {
            leaf_end = slot + tree->vertex_start[slot];
            leaf_first = count;
        }
        tree->vertex_start[slot] = count;
        for (int k = 0; k < 3; k++) {
            uint32_t vertex = tree->corners[slot][k];
            bool known = false;
            for (uint32_t i = leaf_first; i < count && !known; i++) {
                known = tree->vertices[i] == vertex;
            }
            if (!known) {
                tree->vertices[count++] = vertex;
            }
        }
    }
    tree->vertex_start[tree->face_count] = count;
}

static dent_status allocate_tree(struct bound_tree *tree, uint32_t node_capacity)
{
    size_t slots = tree->face_count;
    tree->links = dent_reallocate(tree->context, tree->links, node_capacity, tree->node_count, sizeof *tree->links);
    if (!tree->links) {
        return DENT_ERROR_OUT_OF_MEMORY; /* shrinking: the old block is lost to nobody, see bound_tree_build */
    }
    tree->volumes = dent_allocate(tree->context, tree->node_count, sizeof *tree->volumes);
    size_t boxes = bound_has_balls(tree) ? 0 : tree->node_count;
    tree->witnesses = dent_allocate(tree->context, boxes, sizeof *tree->witnesses);
    tree->slabs = dent_allocate(tree->context, tree->node_count, 2 * tree->slab_directions * sizeof *tree->slabs);
    tree->corners = dent_allocate(tree->context, slots, sizeof *tree->corners);
    tree->vertex_start = dent_allocate(tree->context, slots + 1, sizeof *tree->vertex_start);
    tree->vertices = dent_allocate(tree->context, slots * 3, sizeof *tree->vertices);
    tree->xyz = dent_allocate(tree->context, tree->vertex_count, sizeof *tree->xyz);
    bool complete = tree->volumes && tree->witnesses && tree->slabs && tree->corners && tree->vertex_start &&
                    tree->vertices && tree->xyz;
    return complete ? DENT_OK : DENT_ERROR_OUT_OF_MEMORY;
}

static void face_centres(const struct bound_build *build, double (*centres)[3])
{
    for (uint32_t face = 0; face < build->face_count; face++) {
        const uint32_t *v = build->faces[face].corners;
        for (int axis = 0; axis < 3; axis++) {
            centres[face][axis] =
                (build->xyz[v[0]][axis] / 3 + build->xyz[v[1]][axis] / 3) + build->xyz[v[2]][axis] / 3;
        }
    }
}

static void rest_centre(struct bound_tree *tree, const struct bound_build *build)
{
    for (int axis = 0; axis < 3; axis++) {
        double lo = INFINITY, hi = -INFINITY;
        for (uint32_t face = 0; face < build->face_count; face++) {
            for (int k = 0; k < 3; k++) {
                double c = build->xyz[build->faces[face].corners[k]][axis];
                lo = c < lo ? c : lo;
                hi = c > hi ? c : hi;
            }
        }
        tree->centre[axis] = build->face_count > 0 ? lo * 0.5 + hi * 0.5 : 0;
    }
}

static dent_status finish_tree(struct bound_tree *tree, const struct bound_build *build)
{
    for (uint32_t slot = 0; slot < tree->face_count; slot++) {
        memcpy(tree->corners[slot], build->faces[tree->order[slot]].corners, sizeof tree->corners[slot]);
    }
    memset(tree->volumes, 0, tree->node_count * sizeof *tree->volumes);
    if (tree->vertex_count > 0) {
        memcpy(tree->xyz, build->xyz, tree->vertex_count * sizeof *tree->xyz);
    }
    list_vertices(tree);
    rest_centre(tree, build);
    return DENT_OK;
}

static dent_status build_topology(struct bound_tree *tree, const struct bound_build *build, uint32_t *capacity)
{
    struct bound_splitter splitter = {.build = build};
    dent_status status = DENT_ERROR_OUT_OF_MEMORY;
    tree->order = dent_allocate(build->context, build->face_count, sizeof *tree->order);
    bool medial = build->builder == DENT_BUILD_MEDIAL && build->face_count > build->leaf_faces;
    splitter.order = tree->order;
    splitter.centres = dent_allocate(build->context, build->face_count, sizeof *splitter.centres);
    splitter.keys = dent_allocate(build->context, build->face_count, sizeof *splitter.keys);
    if (splitter.order && splitter.centres && splitter.keys) {
        for (uint32_t face = 0; face < build->face_count; face++) {
            tree->order[face] = face;
        }
        face_centres(build, splitter.centres);
        splitter.medial = medial ? medial_builder_create(build) : NULL;
        status = !medial || splitter.medial ? split_nodes(tree, &splitter, capacity) : DENT_ERROR_OUT_OF_MEMORY;
        if (status == DENT_OK && medial) {
            struct medial_rest *rest = medial_rests(splitter.medial, tree->node_count);
            status = rest && medial_balls_create(tree, rest) ? DENT_OK : DENT_ERROR_OUT_OF_MEMORY;
        }
        medial_builder_destroy(splitter.medial);
    }
    dent_release(build->context, splitter.centres, build->face_count, sizeof *splitter.centres);
    dent_release(build->context, splitter.keys, build->face_count, sizeof *splitter.keys);
    return status;
}

dent_status bound_tree_build(struct bound_tree *tree, const struct bound_build *build)
{
    uint64_t began = dent_clock_ns();
    uint32_t capacity = 0;
    *tree = (struct bound_tree){.context = build->context,
                                .kind = build->kind,
                                .slab_directions = build->kind == DENT_BOUND_DOP14   ? 4
                                                   : build->kind == DENT_BOUND_DOP18 ? 6
                                                                                     : 0,
                                .branching = build->branching,
                                .leaf_faces = build->leaf_faces,
                                .face_count = build->face_count,
                                .vertex_count = build->vertex_count};
    dent_status status = build_topology(tree, build, &capacity);
    uint32_t nodes = tree->node_count;
    if (status == DENT_OK) {
        struct bound_link *before = tree->links;
        status = allocate_tree(tree, capacity);
        if (!tree->links) {
            dent_release(tree->context, before, capacity, sizeof *before);
        }
    } else {
        dent_release(tree->context, tree->links, capacity, sizeof *tree->links);
        tree->links = NULL;
    }
    if (status == DENT_OK) {
        status = finish_tree(tree, build);
    }
    tree->build_ns = dent_clock_ns() - began;
    if (status != DENT_OK) {
        tree->node_count = nodes;
        bound_tree_destroy(tree);
    }
    return status;
}

void bound_tree_destroy(struct bound_tree *tree)
{
    dent_context *context = tree->context;
    size_t faces = tree->face_count;
    dent_release(context, tree->volumes, tree->node_count, sizeof *tree->volumes);
    dent_release(context, tree->witnesses, bound_has_balls(tree) ? 0 : tree->node_count, sizeof *tree->witnesses);
    dent_release(context, tree->slabs, tree->node_count, 2 * tree->slab_directions * sizeof *tree->slabs);
    dent_release(context, tree->links, tree->node_count, sizeof *tree->links);
    dent_release(context, tree->order, faces, sizeof *tree->order);
    dent_release(context, tree->corners, faces, sizeof *tree->corners);
    dent_release(context, tree->vertex_start, faces + 1, sizeof *tree->vertex_start);
    dent_release(context, tree->vertices, faces * 3, sizeof *tree->vertices);
    dent_release(context, tree->xyz, tree->vertex_count, sizeof *tree->xyz);
    medial_balls_destroy(tree);
    dent_release(context, tree->identities, tree->vertex_count, sizeof *tree->identities);
    dent_release(context, tree->radii, faces, sizeof *tree->radii);
    dent_release(context, tree->roots, faces, sizeof *tree->roots);
    dent_release(context, tree->node_radii, tree->node_count, sizeof *tree->node_radii);
    dent_release(context, tree->component_of_slot, faces, sizeof *tree->component_of_slot);
    dent_release(context, tree->component_start, faces + 1, sizeof *tree->component_start);
    dent_release(context, tree->component_slots, faces, sizeof *tree->component_slots);
    *tree = (struct bound_tree){.context = context};
}

bool bound_tree_add_radii(struct bound_tree *tree)
{
    tree->radii = dent_allocate(tree->context, tree->face_count, sizeof *tree->radii);
    tree->roots = dent_allocate(tree->context, tree->face_count, sizeof *tree->roots);
    tree->node_radii = dent_allocate(tree->context, tree->node_count, sizeof *tree->node_radii);
    return tree->radii && tree->roots && tree->node_radii;
}

/* ---- components -------------------------------------------------------------------------------------------------- */

static void join_vertices(const struct bound_tree *tree, uint32_t *parents)
{
    union_find_init(parents, tree->vertex_count);
    for (uint32_t slot = 0; slot < tree->face_count; slot++) {
        for (int k = 1; k < 3; k++) {
            union_find_join(parents, tree->corners[slot][0], tree->corners[slot][k]);
        }
    }
}

bool bound_tree_find_components(struct bound_tree *tree)
{
    size_t faces = tree->face_count;
    dent_context *context = tree->context;
    uint32_t *parents = dent_allocate(context, tree->vertex_count, sizeof *parents);
    uint32_t *numbers = dent_allocate(context, tree->vertex_count, sizeof *numbers);
    uint32_t *slot_of_face = dent_allocate(context, faces, sizeof *slot_of_face);
    tree->component_of_slot = dent_allocate(context, faces, sizeof *tree->component_of_slot);
    tree->component_start = dent_allocate(context, faces + 1, sizeof *tree->component_start);
    tree->component_slots = dent_allocate(context, faces, sizeof *tree->component_slots);
    bool complete =
        parents && numbers && slot_of_face && tree->component_of_slot && tree->component_start && tree->component_slots;
    if (complete) {
        join_vertices(tree, parents);
        for (uint32_t slot = 0; slot < faces; slot++) {
            slot_of_face[tree->order[slot]] = slot;
        }
        memset(numbers, 0xFF, tree->vertex_count * sizeof *numbers);
        memset(tree->component_start, 0, (faces + 1) * sizeof *tree->component_start);
        for (uint32_t face = 0; face < faces; face++) {
            uint32_t slot = slot_of_face[face], root = union_find_root(parents, tree->corners[slot][0]);
            numbers[root] = numbers[root] == UINT32_MAX ? tree->component_count++ : numbers[root];
            tree->component_of_slot[slot] = numbers[root];
            tree->component_start[numbers[root]]++;
        }
        uint32_t sum = 0;
        for (uint32_t i = 0; i <= tree->component_count; i++) { /* counts to ends; filling moves them to starts */
            uint32_t size = i < tree->component_count ? tree->component_start[i] : 0;
            sum += size;
            tree->component_start[i] = sum;
        }
        for (uint32_t face = (uint32_t)faces; face-- > 0;) {
            uint32_t slot = slot_of_face[face];
            tree->component_slots[--tree->component_start[tree->component_of_slot[slot]]] = slot;
        }
    }
    dent_release(context, parents, tree->vertex_count, sizeof *parents);
    dent_release(context, numbers, tree->vertex_count, sizeof *numbers);
    dent_release(context, slot_of_face, faces, sizeof *slot_of_face);
    return complete;
}
