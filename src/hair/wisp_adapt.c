/* Splitting and merging wisps while they move (Bertails and others 2003), and their active segments as strands.
 *
 * A split gives both halves the velocity of the whole and the offsets that they had when they merged; a merge gives the
 * whole the mass-weighted means. Offsets weighted with masses sum to zero, so positions and momentum are kept to
 * rounding. What changes in a call is decided by the state at entry: a wisp that has been split in this call does not let
 * the row before follow until the next one. */
#include "hair/wisp_tree_state.h"

#include <float.h>

/* ---- active nodes ------------------------------------------------------------------------------------------------ */

/* The active node of the row before that carries this wisp. */
static uint32_t parent_node(const dent_wisp_tree *tree, uint32_t row, uint32_t wisp)
{
    const struct wisp *wisps = tree->wisps.data;
    while (row > 0 && wisp != NO_WISP) {
        uint32_t active = wisp_row_at(tree, row - 1, wisp)->active;
        if (active != NO_WISP) {
            return active;
        }
        wisp = wisps[wisp].parent;
    }
    return UINT32_MAX;
}

void wisp_tree_list_active(dent_wisp_tree *tree)
{
    const struct wisp *wisps = tree->wisps.data;
    array_clear(&tree->active);
    for (uint32_t row = 0; row < tree->def.row_count; row++) {
        for (uint32_t w = 0; w < tree->wisps.count; w++) { /* parents before children */
            struct wisp_row *node = wisp_row_at(tree, row, w);
            uint32_t parent = wisps[w].parent;
            bool reached = parent == NO_WISP || wisp_row_at(tree, row, parent)->split;
            node->changed = false;
            node->active = NO_WISP;
            if (!reached || node->split) {
                continue;
            }
            node->active = (uint32_t)tree->active.count;
            dent_wisp_node listed = {.row = row,
                                     .wisp = w,
                                     .level = wisps[w].level,
                                     .strand_count = wisps[w].end - wisps[w].begin,
                                     .parent = parent_node(tree, row, w),
                                     .mass = node->mass,
                                     .radius = node->radius};
            vector_copy(node->position, listed.position);
            vector_copy(node->velocity, listed.velocity);
            array_push(&tree->active, &listed); /* has room for all */
        }
    }
}

dent_status dent_wisp_tree_move(dent_wisp_tree *tree, const double *positions, const double *velocities)
{
    DENT_REQUIRE(NULL, tree);
    DENT_REQUIRE(tree->context, positions);
    DENT_REQUIRE(tree->context, velocities);
    dent_wisp_node *nodes = tree->active.data;
    for (size_t i = 0; i < 3 * tree->active.count; i++) {
        if (!(fabs(positions[i]) <= DBL_MAX) || !(fabs(velocities[i]) <= DBL_MAX)) {
            return dent_fail(tree->context, DENT_ERROR_BAD_NUMBER, "wisp node %zu: a number is not finite", i / 3);
        }
    }
    for (size_t i = 0; i < tree->active.count; i++) {
        struct wisp_row *node = wisp_row_at(tree, nodes[i].row, nodes[i].wisp);
        vector_copy(positions + 3 * i, node->position);
        vector_copy(velocities + 3 * i, node->velocity);
        vector_copy(positions + 3 * i, nodes[i].position);
        vector_copy(velocities + 3 * i, nodes[i].velocity);
    }
    return DENT_OK;
}

/* ---- split ------------------------------------------------------------------------------------------------------- */

static double acceleration_of(const double *accelerations, uint32_t active)
{
    return accelerations && active != NO_WISP ? vector_length(accelerations + 3 * (size_t)active) : 0;
}

static bool may_split(const dent_wisp_tree *tree, uint32_t row, uint32_t w, const double *accelerations)
{
    const struct wisp *wisp = (const struct wisp *)tree->wisps.data + w;
    const struct wisp_row *node = wisp_row_at(tree, row, w);
    if (wisp->children[0] == NO_WISP || node->active == NO_WISP || node->changed) {
        return false;
    }
    if (row + 1 < tree->def.row_count) {
        const struct wisp_row *next = wisp_row_at(tree, row + 1, w);
        if (!next->split || next->changed) {
            return false;
        }
    }
    return acceleration_of(accelerations, node->active) * node->radius > tree->def.split_threshold;
}

static void split_wisp(const dent_wisp_tree *tree, uint32_t row, uint32_t w)
{
    const struct wisp *wisp = (const struct wisp *)tree->wisps.data + w;
    struct wisp_row *node = wisp_row_at(tree, row, w);
    node->split = node->changed = true;
    for (int i = 0; i < 2; i++) {
        struct wisp_row *child = wisp_row_at(tree, row, wisp->children[i]);
        for (int axis = 0; axis < 3; axis++) {
            child->position[axis] = node->position[axis] + child->offset[axis];
            child->velocity[axis] = node->velocity[axis];
        }
        child->changed = true;
    }
}

/* ---- merge ------------------------------------------------------------------------------------------------------- */

struct wisp_mean {
    double position[3], velocity[3];
};

static struct wisp_mean mean_of_children(const struct wisp_row *const children[2])
{
    struct wisp_mean mean;
    double mass = children[0]->mass + children[1]->mass;
    for (int axis = 0; axis < 3; axis++) {
        mean.position[axis] =
            (children[0]->mass * children[0]->position[axis] + children[1]->mass * children[1]->position[axis]) / mass;
        mean.velocity[axis] =
            (children[0]->mass * children[0]->velocity[axis] + children[1]->mass * children[1]->velocity[axis]) / mass;
    }
    return mean;
}

/* In its place, slow, and within the radius of the parent. Rounding of the means is allowed for. */
static bool child_fits(const dent_wisp_tree *tree, const struct wisp_row *child, const struct wisp_row *parent,
                       const struct wisp_mean *mean)
{
    double apart[3], away[3], faster[3];
    for (int axis = 0; axis < 3; axis++) {
        away[axis] = child->position[axis] - mean->position[axis];
        apart[axis] = away[axis] - child->rest_offset[axis];
        faster[axis] = child->velocity[axis] - mean->velocity[axis];
    }
    double rounding = 0x1p-48 * (vector_largest(child->position) + parent->radius);
    double speed_rounding = 0x1p-48 * vector_largest(child->velocity);
    return vector_length(apart) <= tree->def.merge_distance + rounding &&
           vector_length(faster) <= tree->def.merge_speed + speed_rounding &&
           vector_length(away) + child->radius <= parent->radius + (tree->def.merge_distance + rounding);
}

static bool may_merge(const dent_wisp_tree *tree, uint32_t row, uint32_t w, const double *accelerations,
                      struct wisp_mean *mean)
{
    const struct wisp *wisp = (const struct wisp *)tree->wisps.data + w;
    const struct wisp_row *node = wisp_row_at(tree, row, w);
    if (!node->split || node->changed) {
        return false;
    }
    const struct wisp_row *children[2];
    for (int i = 0; i < 2; i++) {
        children[i] = wisp_row_at(tree, row, wisp->children[i]);
        if (children[i]->active == NO_WISP || children[i]->changed ||
            acceleration_of(accelerations, children[i]->active) * node->radius > 0.25 * tree->def.split_threshold) {
            return false;
        }
    }
    if (row > 0) {
        const struct wisp_row *before = wisp_row_at(tree, row - 1, w);
        if (before->split || before->changed) {
            return false;
        }
    }
    *mean = mean_of_children(children);
    return child_fits(tree, children[0], node, mean) && child_fits(tree, children[1], node, mean);
}

static void merge_wisp(const dent_wisp_tree *tree, uint32_t row, uint32_t w, const struct wisp_mean *mean)
{
    const struct wisp *wisp = (const struct wisp *)tree->wisps.data + w;
    struct wisp_row *node = wisp_row_at(tree, row, w);
    vector_copy(mean->position, node->position);
    vector_copy(mean->velocity, node->velocity);
    node->split = false;
    node->changed = true;
    for (int i = 0; i < 2; i++) {
        struct wisp_row *child = wisp_row_at(tree, row, wisp->children[i]);
        vector_subtract(child->position, node->position, child->offset);
        child->changed = true;
    }
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

struct wisp_adapt {
    dent_wisp_tree *tree;
    const double *accelerations;
    dent_wisp_report report;
};

static dent_status adapt(void *data)
{
    struct wisp_adapt *call = data;
    dent_wisp_tree *tree = call->tree;
    uint32_t wisps = (uint32_t)tree->wisps.count;
    for (uint32_t row = tree->def.row_count; row-- > 0;) {
        for (uint32_t w = 0; w < wisps; w++) {
            if (may_split(tree, row, w, call->accelerations)) {
                split_wisp(tree, row, w);
                call->report.splits++;
            }
        }
    }
    for (uint32_t row = 0; row < tree->def.row_count; row++) {
        for (uint32_t w = 0; w < wisps; w++) {
            struct wisp_mean mean;
            if (may_merge(tree, row, w, call->accelerations, &mean)) {
                merge_wisp(tree, row, w, &mean);
                call->report.merges++;
            }
        }
    }
    wisp_tree_list_active(tree);
    call->report.active = tree->active.count;
    return DENT_OK;
}

dent_status dent_wisp_tree_adapt(dent_wisp_tree *tree, const double *accelerations, dent_wisp_report *report)
{
    DENT_REQUIRE(NULL, tree);
    struct wisp_adapt call = {.tree = tree, .accelerations = accelerations};
    for (size_t i = 0; accelerations && i < 3 * tree->active.count; i++) {
        if (!(fabs(accelerations[i]) <= DBL_MAX)) {
            return dent_fail(tree->context, DENT_ERROR_BAD_NUMBER, "the acceleration of wisp node %zu is not finite",
                             i / 3);
        }
    }
    dent_status status = dent_call_guarded(tree->context, adapt, &call);
    if (status == DENT_OK && report) {
        *report = call.report;
    }
    return status;
}

/* ---- strands ----------------------------------------------------------------------------------------------------- */

/* A vertex of the strands: the place of a node, with the radius of the chain. */
static bool add_strand_vertex(dent_wisp_tree *tree, uint32_t node, double radius)
{
    const dent_wisp_node *from = (const dent_wisp_node *)tree->active.data + node;
    return array_push(&tree->positions, from->position) && array_push(&tree->velocities, from->velocity) &&
           array_push(&tree->radii, &radius) && array_push(&tree->nodes, &node);
}

static bool add_chain(dent_wisp_tree *tree, uint32_t node)
{
    const dent_wisp_node *nodes = tree->active.data;
    const uint32_t *child_count = tree->child_count.data, *only_child = tree->only_child.data;
    if (!add_strand_vertex(tree, nodes[node].parent, nodes[node].radius)) {
        return false;
    }
    for (;;) {
        if (!add_strand_vertex(tree, node, nodes[node].radius)) {
            return false;
        }
        if (child_count[node] != 1) {
            break;
        }
        node = only_child[node];
    }
    uint32_t end = (uint32_t)tree->nodes.count;
    return array_push(&tree->first, &end);
}

static bool list_chains(dent_wisp_tree *tree)
{
    const dent_wisp_node *nodes = tree->active.data;
    uint32_t count = (uint32_t)tree->active.count, zero = 0;
    struct dynamic_array *arrays[] = {&tree->first, &tree->positions,   &tree->velocities, &tree->radii,
                                      &tree->nodes, &tree->child_count, &tree->only_child};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        array_clear(arrays[i]);
    }
    uint32_t *child_count = array_extend(&tree->child_count, count),
             *only_child = array_extend(&tree->only_child, count);
    if (!child_count || !only_child || !array_push(&tree->first, &zero)) {
        return false;
    }
    memset(child_count, 0, count * sizeof *child_count);
    for (uint32_t i = 0; i < count; i++) {
        if (nodes[i].row > 0) {
            child_count[nodes[i].parent]++;
            only_child[nodes[i].parent] = i;
        }
    }
    bool good = true;
    for (uint32_t i = 0; i < count && good; i++) {
        bool starts = nodes[i].row > 0 && (nodes[i].row == 1 || child_count[nodes[i].parent] > 1);
        good = !starts || add_chain(tree, i);
    }
    return good;
}

dent_status dent_wisp_tree_strands(dent_wisp_tree *tree, dent_wisp_strands *strands)
{
    DENT_REQUIRE(NULL, tree);
    DENT_REQUIRE(tree->context, strands);
    if (!list_chains(tree)) {
        return dent_fail(tree->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for the strands of wisps");
    }
    *strands = (dent_wisp_strands){.strand_count = (uint32_t)tree->first.count - 1,
                                   .vertex_count = (uint32_t)tree->nodes.count,
                                   .first = tree->first.data,
                                   .positions = tree->positions.data,
                                   .velocities = tree->velocities.data,
                                   .radii = tree->radii.data,
                                   .nodes = tree->nodes.data};
    return DENT_OK;
}

void dent_wisp_tree_interpolate(const dent_wisp_tree *tree, double *positions)
{
    if (!tree || !positions) {
        return;
    }
    const struct wisp *wisps = tree->wisps.data;
    for (uint32_t s = 0; s < tree->def.strand_count; s++) {
        for (uint32_t row = 0; row < tree->def.row_count; row++) {
            size_t v = (size_t)s * tree->def.row_count + row;
            uint32_t w = ((const uint32_t *)tree->leaf_of.data)[s];
            double *x = positions + 3 * v;
            vector_copy((const double *)tree->strand_offsets.data + 3 * v, x);
            while (wisp_row_at(tree, row, w)->active == NO_WISP) {
                vector_add_scaled(x, 1, wisp_row_at(tree, row, w)->offset);
                w = wisps[w].parent;
            }
            vector_add_scaled(x, 1, wisp_row_at(tree, row, w)->position);
        }
    }
}
