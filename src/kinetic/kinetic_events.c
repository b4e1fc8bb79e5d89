/* Winners, certificates and events: six kinetic tournaments on one tree.
 *
 * In every slot of a node the extreme vertex wins: at a leaf among its corners, above among the winners of the children.
 * The certificate of a slot says that its winner is not beaten; it fails at a time that is exact (kinetic_order.h). Order is
 * right-sided: equal places are told apart by what comes next, and vertices that stay together by their number. Thus
 * winners are a function of plans and time, and each decision at an event holds for some time after it.
 */
#include "kinetic/kinetic_data.h"

#include <string.h>

/* ---- one slot ---------------------------------------------------------------------------------------------------- */

static uint32_t better(const struct dent_kinetic *tree, uint32_t a, uint32_t b, uint32_t slot)
{
    if (a == b) {
        return a;
    }
    struct moving_value first = kinetic_value(tree, a, slot), second = kinetic_value(tree, b, slot);
    int order = moving_order(&first, &second, tree->now);
    return order > 0 || (order == 0 && a < b) ? a : b;
}

static uint32_t decide(const struct dent_kinetic *tree, uint32_t number, uint32_t slot)
{
    const struct kinetic_node *node = kinetic_node(tree, number);
    if (node->element == NO_NODE) {
        return better(tree, kinetic_winners(tree, node->children[0])[slot],
                      kinetic_winners(tree, node->children[1])[slot], slot);
    }
    const struct kinetic_element *element = kinetic_element(tree, node->element);
    uint32_t best = element->vertices[0];
    for (uint32_t i = 1; i < element->corners; i++) {
        best = better(tree, best, element->vertices[i], slot);
    }
    return best;
}

static double failure_against(const struct dent_kinetic *tree, uint32_t winner, uint32_t other, uint32_t slot)
{
    if (winner == other) {
        return INFINITY;
    }
    struct moving_value first = kinetic_value(tree, winner, slot), second = kinetic_value(tree, other, slot);
    return moving_first_failure(&first, &second, tree->now);
}

static double failure_of(const struct dent_kinetic *tree, uint32_t number, uint32_t slot)
{
    const struct kinetic_node *node = kinetic_node(tree, number);
    uint32_t winner = kinetic_winners(tree, number)[slot];
    double failure = INFINITY;
    if (node->element == NO_NODE) {
        for (int child = 0; child < 2; child++) {
            failure = fmin(failure, failure_against(tree, winner, kinetic_winners(tree, node->children[child])[slot], slot));
        }
        return failure;
    }
    const struct kinetic_element *element = kinetic_element(tree, node->element);
    for (uint32_t i = 0; i < element->corners; i++) {
        failure = fmin(failure, failure_against(tree, winner, element->vertices[i], slot));
    }
    return failure;
}

static void schedule(struct dent_kinetic *tree, uint32_t node, uint32_t slot)
{
    event_queue_set(&tree->queue, node * tree->slots + slot, failure_of(tree, node, slot));
}

/* Decides from a node upward, as long as something changes there or the vertex `renewed`, whose plan is another, wins. */
static void decide_upward(struct dent_kinetic *tree, uint32_t node, uint32_t slot, uint32_t renewed)
{
    while (node != NO_NODE && !kinetic_node(tree, node)->refit) {
        uint32_t *winner = &kinetic_winners(tree, node)[slot], before = *winner;
        *winner = decide(tree, node, slot);
        schedule(tree, node, slot);
        tree->counters.box_updates += *winner != before;
        if (*winner == before && *winner != renewed) {
            return;
        }
        kinetic_front_side_changed(tree, node, slot);
        node = kinetic_node(tree, node)->parent;
    }
}

void kinetic_node_decide(struct dent_kinetic *tree, uint32_t node)
{
    uint32_t *winners = kinetic_winners(tree, node);
    bool refit = kinetic_node(tree, node)->refit;
    for (uint32_t slot = 0; slot < tree->slots; slot++) {
        winners[slot] = decide(tree, node, slot);
        if (!refit) {
            schedule(tree, node, slot);
        }
    }
}

void kinetic_vertex_changed(struct dent_kinetic *tree, uint32_t vertex)
{
    uint32_t corner = ((const struct kinetic_vertex *)tree->vertices.data)[vertex].first_corner;
    while (corner != NO_NODE) {
        const struct kinetic_element *element = kinetic_element(tree, corner / DENT_KINETIC_CORNERS);
        for (uint32_t slot = 0; slot < tree->slots; slot++) {
            decide_upward(tree, element->leaf, slot, vertex);
        }
        corner = element->next_corner[corner % DENT_KINETIC_CORNERS];
    }
}

/* ---- all nodes --------------------------------------------------------------------------------------------------- */

/* All nodes, parents before children, into the stack. It has room: kinetic_tree_reserve(). */
static uint32_t *list_nodes(struct dent_kinetic *tree, size_t *count)
{
    uint32_t *list = tree->stack.data;
    size_t filled = 0;
    if (tree->root != NO_NODE) {
        list[filled++] = tree->root;
    }
    for (size_t i = 0; i < filled; i++) {
        const struct kinetic_node *node = kinetic_node(tree, list[i]);
        if (node->element == NO_NODE) {
            list[filled++] = node->children[0];
            list[filled++] = node->children[1];
        }
    }
    *count = filled;
    return list;
}

/* Plans of the corners changed at more than one advance in four. */
static bool changes_often(const struct dent_kinetic *tree, const struct kinetic_element *element)
{
    uint64_t changes = 0;
    for (uint32_t i = 0; i < element->corners; i++) {
        changes += ((const struct kinetic_vertex *)tree->vertices.data)[element->vertices[i]].changes;
    }
    return 4 * changes > tree->advances;
}

enum { ADVANCES_OF_A_MEASUREMENT = 64 };

/* Chooses the parts kept by refit from the rate measured, if that is due, and begins to measure anew. */
static void choose_refit(struct dent_kinetic *tree, const uint32_t *list, size_t count)
{
    bool measured = tree->advances >= ADVANCES_OF_A_MEASUREMENT;
    bool always = tree->def.mode == DENT_KINETIC_REFIT, never = tree->def.mode == DENT_KINETIC_EVENTS || tree->def.contacts;
    array_clear(&tree->refit_order);
    for (size_t i = count; i-- > 0;) {
        struct kinetic_node *node = kinetic_node(tree, list[i]);
        if (always || never) {
            node->refit = always;
        } else if (node->element == NO_NODE) {
            node->refit = kinetic_node(tree, node->children[0])->refit || kinetic_node(tree, node->children[1])->refit;
        } else if (measured) {
            node->refit = changes_often(tree, kinetic_element(tree, node->element));
        }
        if (node->refit) {
            ((uint32_t *)tree->refit_order.data)[tree->refit_order.count++] = list[i];
        }
    }
    for (size_t i = 0; i < tree->vertices.count && measured; i++) {
        ((struct kinetic_vertex *)tree->vertices.data)[i].changes = 0;
    }
    tree->advances = measured ? 0 : tree->advances;
    tree->changed_shape = false;
}

/* All nodes from below. */
static void decide_all(struct dent_kinetic *tree)
{
    size_t count;
    const uint32_t *list = list_nodes(tree, &count);
    choose_refit(tree, list, count);
    event_queue_clear(&tree->queue);
    for (size_t i = count; i-- > 0;) {
        kinetic_node_decide(tree, list[i]);
    }
}

void kinetic_restart(struct dent_kinetic *tree)
{
    decide_all(tree);
    tree->counters.restarts++;
    kinetic_front_restart(tree);
}

void kinetic_refit(struct dent_kinetic *tree)
{
    bool some = tree->refit_order.count > 0 || tree->def.mode == DENT_KINETIC_REFIT;
    bool choose = tree->def.mode == DENT_KINETIC_AUTO && !tree->def.contacts &&
                  tree->advances >= ADVANCES_OF_A_MEASUREMENT && (some || tree->plans_changed);
    if (choose || (some && tree->changed_shape)) {
        decide_all(tree);
        tree->plans_changed = false;
    } else {
        const uint32_t *order = tree->refit_order.data;
        for (size_t i = 0; i < tree->refit_order.count; i++) {
            kinetic_node_decide(tree, order[i]);
        }
    }
    tree->counters.refit_nodes += tree->refit_order.count;
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

static double later(double a, double b)
{
    return a > b ? a : b;
}

double kinetic_next_time(const struct dent_kinetic *tree)
{
    return fmin(event_queue_time(&tree->track_queue),
                fmin(event_queue_time(&tree->queue), event_queue_time(&tree->front.queue)));
}

static void step_certificate(struct dent_kinetic *tree)
{
    uint32_t id = ((const struct queued_event *)tree->queue.heap.data)->id;
    uint32_t node = id / tree->slots, slot = id % tree->slots;
    uint32_t before = kinetic_winners(tree, node)[slot];
    decide_upward(tree, node, slot, NO_NODE);
    tree->counters.events++;
    tree->counters.early_events += kinetic_winners(tree, node)[slot] == before;
}

/* A track reaches its next key. Many vertices: all boxes are made anew. */
static void step_track(struct dent_kinetic *tree)
{
    uint32_t number = ((const struct queued_event *)tree->track_queue.heap.data)->id;
    struct kinetic_track *track = (struct kinetic_track *)tree->tracks.data + number;
    track->piece++;
    kinetic_track_load(tree, number);
    kinetic_track_schedule(tree, number);
    if ((uint64_t)track->user_count * 20 > tree->vertices.count) {
        kinetic_restart(tree);
        return;
    }
    for (uint32_t i = 0; i < track->vertex_count; i++) {
        uint32_t vertex = track->first_vertex + i;
        if (((const struct kinetic_vertex *)tree->vertices.data)[vertex].track == number) {
            kinetic_vertex_changed(tree, vertex);
            tree->counters.plan_events++;
        }
    }
}

bool kinetic_step(struct dent_kinetic *tree, double time)
{
    double next = kinetic_next_time(tree);
    if (!(next <= time)) {
        return false;
    }
    tree->now = later(tree->now, next);
    if (event_queue_time(&tree->track_queue) <= next) {
        step_track(tree);
    } else if (event_queue_time(&tree->queue) <= next) {
        step_certificate(tree);
    } else {
        kinetic_front_step(tree);
    }
    return true;
}

void kinetic_advance_to(struct dent_kinetic *tree, double time)
{
    tree->advances++;
    while (kinetic_step(tree, time)) {
    }
    tree->now = time;
    kinetic_refit(tree);
}
