/* A roadmap (after Kavraki, Svestka, Latombe and Overmars 1996, with contact milestones after Redon and Lin 2005).
 *
 * A round draws configurations, keeps those where nothing touches, and walks from each to its nearest milestones of
 * other components. A walk that arrives is a link; one that meets contacts leaves milestones there, which are linked to
 * where it came from. When start and goal are in one component, the shortest path along links is the result. */
#include "plan/plan_state.h"

#include "base/containers/union_find.h"

#include <math.h>
#include <string.h>

enum { NEIGHBOURS = 4, WALK_STEPS = 8, WALK_STEPS_FREE = 64 };

/* ---- components -------------------------------------------------------------------------------------------------- */

/* Parents of union-find for all nodes, from the links. */
static dent_status update_components(dent_planner *planner)
{
    struct dynamic_array *components = &planner->components;
    array_clear(components);
    if (!array_extend(components, planner->nodes.count)) {
        return plan_out_of_memory(planner);
    }
    uint32_t *parents = components->data;
    union_find_init(parents, planner->nodes.count);
    const struct plan_link *links = planner->links.data;
    for (size_t i = 0; i < planner->links.count; i++) {
        union_find_join(parents, links[i].a, links[i].b);
    }
    return DENT_OK;
}

static uint32_t component_of(dent_planner *planner, uint32_t node)
{
    return union_find_root(planner->components.data, node);
}

/* Walks give every new milestone a parent: links that are not yet listed. */
static dent_status link_parents(dent_planner *planner, uint32_t first)
{
    for (uint32_t n = first; n < plan_node_count(planner); n++) {
        uint32_t parent = plan_node_at(planner, n)->parent;
        if (parent != PLAN_NONE) {
            struct plan_link link = {parent, n,
                                     plan_space_length(&planner->space, plan_values_at(planner, parent),
                                                       plan_values_at(planner, n))};
            if (!array_push(&planner->links, &link)) {
                return plan_out_of_memory(planner);
            }
        }
    }
    return DENT_OK;
}

/* ---- the shortest path ------------------------------------------------------------------------------------------- */

/* Rounds over all links until nothing gets shorter: links are few, and rounds few more than a path has links. */
static dent_status shortest_path(dent_planner *planner)
{
    uint32_t count = plan_node_count(planner);
    array_clear(&planner->distances);
    array_clear(&planner->previous);
    double *distances = array_extend(&planner->distances, count);
    uint32_t *previous = array_extend(&planner->previous, count);
    if (!distances || !previous) {
        return plan_out_of_memory(planner);
    }
    for (uint32_t i = 0; i < count; i++) {
        distances[i] = INFINITY;
        previous[i] = PLAN_NONE;
    }
    distances[1] = 0; /* from the goal, so that the path comes out from the start */
    const struct plan_link *links = planner->links.data;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < planner->links.count; i++) {
            for (int way = 0; way < 2; way++) {
                uint32_t a = way ? links[i].b : links[i].a, b = way ? links[i].a : links[i].b;
                if (distances[a] + links[i].length < distances[b]) {
                    distances[b] = distances[a] + links[i].length;
                    previous[b] = a;
                    changed = true;
                }
            }
        }
    }
    array_clear(&planner->path);
    for (uint32_t n = 0; n != PLAN_NONE; n = previous[n]) {
        if (!array_push(&planner->path, plan_values_at(planner, n))) {
            return plan_out_of_memory(planner);
        }
    }
    return DENT_OK;
}

/* The link of an edge of the path that could not be certified. */
static void remove_link(dent_planner *planner, const double *from, const double *to)
{
    struct plan_link *links = planner->links.data;
    size_t kept = 0, size = planner->values.element_size;
    for (size_t i = 0; i < planner->links.count; i++) {
        const double *a = plan_values_at(planner, links[i].a), *b = plan_values_at(planner, links[i].b);
        bool same = (memcmp(a, from, size) == 0 && memcmp(b, to, size) == 0) ||
                    (memcmp(a, to, size) == 0 && memcmp(b, from, size) == 0);
        if (!same) {
            links[kept++] = links[i];
        }
    }
    planner->links.count = kept;
}

static dent_status certify(dent_planner *planner, bool *found)
{
    uint32_t failed;
    dent_status status = plan_certify_path(planner, &failed);
    *found = status == DENT_OK && failed == UINT32_MAX;
    if (status == DENT_OK && !*found && !planner->pending) {
        remove_link(planner, array_at(&planner->path, failed), array_at(&planner->path, failed + 1));
        status = update_components(planner);
    }
    return status;
}

/* While another path waits for the rest of its certificate, nothing. */
static dent_status try_path(dent_planner *planner, bool *found)
{
    if (planner->pending) {
        return DENT_OK;
    }
    dent_status status = update_components(planner);
    if (status != DENT_OK || component_of(planner, 0) != component_of(planner, 1)) {
        return status;
    }
    status = shortest_path(planner);
    return status == DENT_OK ? certify(planner, found) : status;
}

/* ---- connections ------------------------------------------------------------------------------------------------- */

/* The nearest milestones of other components, nearest first. */
static uint32_t list_neighbours(dent_planner *planner, uint32_t node, uint32_t *list)
{
    double nearness[NEIGHBOURS];
    uint32_t count = 0;
    const double *values = plan_values_at(planner, node);
    for (uint32_t n = 0; n < plan_node_count(planner); n++) {
        if (n == node || component_of(planner, n) == component_of(planner, node)) {
            continue;
        }
        double own = plan_space_nearness(&planner->space, values, plan_values_at(planner, n));
        uint32_t at = count < NEIGHBOURS ? count++ : NEIGHBOURS;
        while (at > 0 && own < nearness[at - 1]) {
            if (at < NEIGHBOURS) {
                nearness[at] = nearness[at - 1];
                list[at] = list[at - 1];
            }
            at--;
        }
        if (at < NEIGHBOURS) {
            nearness[at] = own;
            list[at] = n;
        }
    }
    return count;
}

static dent_status connect(dent_planner *planner, uint32_t node)
{
    uint32_t list[NEIGHBOURS], first_new = plan_node_count(planner);
    uint32_t count = list_neighbours(planner, node, list);
    struct plan_walk walks[NEIGHBOURS];
    for (uint32_t w = 0; w < count; w++) {
        walks[w] = plan_walk_from(node, planner, plan_values_at(planner, list[w]));
    }
    dent_status status = DENT_OK;
    uint32_t steps = planner->def.no_contact_milestones ? WALK_STEPS_FREE : WALK_STEPS;
    for (uint32_t step = 0; step < steps && status == DENT_OK && !plan_must_stop(planner); step++) {
        status = plan_walk_all(planner, walks, count, 1);
        for (uint32_t w = 0; w < count; w++) { /* all may arrive: a walk that has is done, the others go on */
            if (walks[w].reached && plan_node_at(planner, walks[w].node)->parent != PLAN_NONE) {
                struct plan_link link = {walks[w].node, list[w], 0};
                status = status != DENT_OK || array_push(&planner->links, &link) ? status : plan_out_of_memory(planner);
                walks[w].reached = walks[w].going = false;
            }
        }
    }
    return status == DENT_OK ? link_parents(planner, first_new) : status;
}

dent_status plan_roadmap_round(dent_planner *planner, bool *found)
{
    *found = false;
    if (planner->pending) {
        return certify(planner, found);
    }
    dent_status status = update_components(planner);
    if (status == DENT_OK && planner->rounds++ < 2) { /* both ends first */
        status = connect(planner, planner->rounds - 1);
        return status == DENT_OK ? try_path(planner, found) : status;
    }
    if (planner->contact_nodes > 0 && planner->rounds % 2 == 0) { /* a milestone there is tries others */
        uint32_t node = dent_random_below(&planner->random, plan_node_count(planner));
        status = status == DENT_OK ? connect(planner, node) : status;
        return status == DENT_OK ? try_path(planner, found) : status;
    }
    uint32_t count = plan_affordable(planner, planner->batch);
    planner->batch = planner->batch < PLAN_BATCH ? 2 * planner->batch : planner->batch;
    for (uint32_t i = 0; i < count; i++) {
        struct plan_edge *edge = &planner->batch_edges[i];
        plan_space_draw(&planner->space, &planner->random, edge->from);
        memcpy(edge->to, edge->from, planner->values.element_size);
        edge->tolerance = planner->target_gap;
        edge->wants_contacts = false;
    }
    status = status == DENT_OK ? plan_run_batch(planner, count) : status;
    uint32_t first = plan_node_count(planner), added = 0;
    for (uint32_t i = 0; i < count && status == DENT_OK; i++) {
        if (planner->batch_edges[i].verdict == DENT_MOTION_FREE) {
            added++;
            if (plan_add_node(planner, planner->batch_edges[i].from, PLAN_FROM, PLAN_NONE, NULL, 0) == PLAN_NONE) {
                status = plan_out_of_memory(planner);
            }
        }
    }
    for (uint32_t i = 0; i < added && status == DENT_OK && !*found && !plan_must_stop(planner); i++) {
        status = update_components(planner);
        status = status == DENT_OK ? connect(planner, first + i) : status;
        status = status == DENT_OK ? try_path(planner, found) : status;
    }
    return status;
}
