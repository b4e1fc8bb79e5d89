/* Two trees, one from each end (after Kuffner and LaValle's RRT-Connect, 2000, with contact milestones after Redon and
 * Lin 2005).
 *
 * A round draws targets and walks to them from the nearest milestones of one tree; or it takes milestones at contacts
 * and leaves them in random directions, as far as the contacts allow. Then the other tree walks to what was reached.
 * The first walk that arrives joins the trees. Rounds have 1, 2, 4, 8, 8 ... walks: easy questions end before the
 * batches are full. */
#include "plan/plan_state.h"

#include <math.h>
#include <string.h>

enum { EXTEND_STEPS = 4, CONNECT_STEPS = 16, CONNECT_STEPS_FREE = 64 };

/* A random contact milestone of a tree; PLAN_NONE after some draws that were others. */
static uint32_t draw_contact_node(dent_planner *planner, uint32_t tree)
{
    for (int i = 0; i < 16; i++) {
        uint32_t node = dent_random_below(&planner->random, plan_node_count(planner));
        if (plan_node_at(planner, node)->tree == tree && plan_node_at(planner, node)->contact_count > 0) {
            return node;
        }
    }
    return PLAN_NONE;
}

/* A point within a quarter of the way from a milestone to a draw: leaves it in a random direction. */
static void draw_nearby(dent_planner *planner, uint32_t node, double *target)
{
    double draw[DENT_PLAN_VALUES_MAX], share = dent_random_unit(&planner->random);
    plan_space_draw(&planner->space, &planner->random, draw);
    plan_space_between(&planner->space, plan_values_at(planner, node), draw, 0.25 * share * share, target);
}

static struct plan_walk draw_walk(dent_planner *planner, uint32_t tree)
{
    double target[DENT_PLAN_VALUES_MAX];
    uint32_t node = PLAN_NONE;
    if (planner->contact_nodes > 0 && dent_random_below(&planner->random, 3) == 0) {
        node = draw_contact_node(planner, tree);
    }
    if (node != PLAN_NONE) {
        draw_nearby(planner, node, target);
    } else {
        plan_space_draw(&planner->space, &planner->random, target);
        node = plan_nearest(planner, tree, target);
    }
    return plan_walk_from(node, planner, target);
}

/* The way from a root to a milestone, root first or last, at the end of planner->path. */
static dent_status put_branch(dent_planner *planner, uint32_t node, bool root_first, bool with_last)
{
    size_t first = planner->path.count;
    for (uint32_t n = with_last ? node : plan_node_at(planner, node)->parent; n != PLAN_NONE;
         n = plan_node_at(planner, n)->parent) {
        if (!array_push(&planner->path, plan_values_at(planner, n))) {
            return plan_out_of_memory(planner);
        }
    }
    for (size_t i = first, j = planner->path.count; root_first && i + 1 < j; i++) {
        double spare[DENT_PLAN_VALUES_MAX];
        size_t size = planner->path.element_size;
        j--;
        memcpy(spare, array_at(&planner->path, i), size);
        memcpy(array_at(&planner->path, i), array_at(&planner->path, j), size);
        memcpy(array_at(&planner->path, j), spare, size);
    }
    return DENT_OK;
}

/* Both nodes are the same configuration; node a belongs to the tree of the start. */
static dent_status join(dent_planner *planner, uint32_t a, uint32_t b)
{
    array_clear(&planner->path);
    dent_status status = put_branch(planner, a, true, true);
    return status == DENT_OK ? put_branch(planner, b, false, false) : status;
}

/* A path that could not be certified: the milestone behind its edge is given up, with all that hangs on it. */
static void give_up(dent_planner *planner, const double *values)
{
    size_t size = planner->values.element_size;
    for (uint32_t n = 0; n < plan_node_count(planner); n++) {
        struct plan_node *node = plan_node_at(planner, n);
        bool own = node->parent != PLAN_NONE && memcmp(plan_values_at(planner, n), values, size) == 0;
        bool hangs = node->parent != PLAN_NONE && plan_node_at(planner, node->parent)->tree == PLAN_DEAD;
        node->tree = own || hangs ? PLAN_DEAD : node->tree;
    }
}

static dent_status certify(dent_planner *planner, bool *found)
{
    uint32_t failed;
    dent_status status = plan_certify_path(planner, &failed);
    *found = status == DENT_OK && failed == UINT32_MAX;
    if (status == DENT_OK && !*found && !planner->pending) {
        double ends[2][DENT_PLAN_VALUES_MAX];
        memcpy(ends[0], array_at(&planner->path, failed), planner->path.element_size);
        memcpy(ends[1], array_at(&planner->path, failed + 1), planner->path.element_size);
        give_up(planner, ends[0]);
        give_up(planner, ends[1]);
    }
    return status;
}

/* While another path waits for the rest of its certificate, nothing. */
static dent_status try_path(dent_planner *planner, uint32_t a, uint32_t b, bool *found)
{
    if (planner->pending) {
        return DENT_OK;
    }
    bool swapped = plan_node_at(planner, a)->tree != PLAN_FROM;
    dent_status status = swapped ? join(planner, b, a) : join(planner, a, b);
    return status == DENT_OK ? certify(planner, found) : status;
}

/* The other tree walks to what this one has reached. */
static dent_status connect(dent_planner *planner, struct plan_walk *walks, uint32_t count, uint32_t other, bool moved,
                           bool *found)
{
    struct plan_walk back[PLAN_BATCH];
    uint32_t goals[PLAN_BATCH], used = 0;
    for (uint32_t w = 0; w < count; w++) {
        if (walks[w].node != walks[w].first || !moved) {
            const double *goal = plan_values_at(planner, walks[w].node);
            uint32_t nearest = plan_nearest(planner, other, goal);
            goals[used] = walks[w].node;
            back[used++] = plan_walk_from(nearest, planner, goal);
        }
    }
    uint32_t steps = planner->def.no_contact_milestones ? CONNECT_STEPS_FREE : CONNECT_STEPS;
    dent_status status = plan_walk_all(planner, back, used, steps);
    for (uint32_t w = 0; w < used && status == DENT_OK && !*found; w++) {
        if (back[w].reached) {
            status = try_path(planner, goals[w], back[w].node, found);
        }
    }
    return status;
}

/* A random milestone of a tree; the root after some draws that were others. */
static uint32_t draw_node(dent_planner *planner, uint32_t tree)
{
    for (int i = 0; i < 16; i++) {
        uint32_t node = dent_random_below(&planner->random, plan_node_count(planner));
        if (plan_node_at(planner, node)->tree == tree) {
            return node;
        }
    }
    return tree == PLAN_FROM ? 0 : 1;
}

/* No draw: the other tree walks to milestones there are, with steps along contacts that are drawn anew. */
static dent_status connect_again(dent_planner *planner, uint32_t tree, uint32_t count, bool *found)
{
    struct plan_walk walks[PLAN_BATCH];
    for (uint32_t w = 0; w < count; w++) {
        uint32_t node = planner->rounds == 1 ? 0 : draw_node(planner, tree);
        walks[w] = (struct plan_walk){.node = node, .first = node};
    }
    return connect(planner, walks, count, tree == PLAN_FROM ? PLAN_TO : PLAN_FROM, false, found);
}

dent_status plan_tree_round(dent_planner *planner, bool *found)
{
    struct plan_walk walks[PLAN_BATCH];
    uint32_t tree = planner->rounds / 2 % 2 ? PLAN_TO : PLAN_FROM, other = tree == PLAN_FROM ? PLAN_TO : PLAN_FROM;
    *found = false;
    if (planner->pending) {
        return certify(planner, found);
    }
    uint32_t count = planner->batch;
    bool again = planner->rounds++ % 2 == 0 && (planner->rounds == 1 || planner->contact_nodes > 0);
    planner->batch = planner->batch < PLAN_BATCH && planner->rounds % 4 == 0 ? 2 * planner->batch : planner->batch;
    if (again) { /* the first time: straight to the goal */
        return connect_again(planner, tree, count, found);
    }
    for (uint32_t w = 0; w < count; w++) {
        walks[w] = draw_walk(planner, tree);
    }
    dent_status status = plan_walk_all(planner, walks, count, planner->def.no_contact_milestones ? 1 : EXTEND_STEPS);
    return status == DENT_OK && !plan_must_stop(planner) ? connect(planner, walks, count, other, true, found) : status;
}
