/* Walks from a milestone towards a target.
 *
 * A step is one certified edge. If nothing is in the way it leads to the target. Otherwise it ends at a milestone just
 * before the contact. The next step goes along what is in the way: its direction is what the contacts allow, its length
 * is limited, and after it the target is tried again, for the way may be open there. Every walk draws its limit, from a
 * few target gaps to the whole way, so that wide and narrow openings are found. A milestone is certified by an
 * edge of its own, because it lies at rounded joint values. Without contact milestones a walk goes in steps of limited
 * length and ends where one is not free. */
#include "plan/plan_state.h"

#include <math.h>
#include <string.h>

/* Edges are tested for contacts nearer than a quarter of this; milestones for a quarter of an eighth of it. */
static double near_distance(const dent_planner *planner)
{
    return planner->target_gap;
}
static double sure_distance(const dent_planner *planner)
{
    return planner->target_gap / 8;
}

static double tangent_length(const dent_planner *planner, const double *tangent)
{
    double sum = 0;
    for (uint32_t f = 0; f < planner->space.freedom_count; f++) {
        sum += tangent[f] * tangent[f];
    }
    return sqrt(sum);
}

/* Without contacts: as planners do that step until they are stuck. */
#define FREE_STEP_SHARE 0.2

static double space_size(const dent_planner *planner)
{
    const struct plan_space *space = &planner->space;
    double size = 0;
    for (uint32_t j = 0; j < space->joint_count; j++) {
        const struct plan_joint *joint = &space->joints[j];
        bool turns = joint->kind == DENT_JOINT_FREE || joint->kind == DENT_JOINT_BALL;
        uint32_t plain = joint->kind == DENT_JOINT_FREE ? 3 : turns ? 0 : dent_joint_kind_value_count(joint->kind);
        for (uint32_t v = 0; v < plain; v++) {
            double width = space->upper[joint->first_value + v] - space->lower[joint->first_value + v];
            width *= space->weights[joint->first_freedom + v];
            size += width * width;
        }
        double half_turn = turns ? 3.14159265358979323846 * space->weights[joint->first_freedom + plain] : 0;
        size += half_turn * half_turn;
    }
    return sqrt(size);
}

/* Log-uniform, so that every scale has its share. */
static double draw_slide(dent_planner *planner, double longest)
{
    double least = 4 * planner->target_gap, length = longest;
    for (uint32_t halves = dent_random_below(&planner->random, 12); halves > 0; halves--) {
        length *= 0.5;
    }
    length *= 0.5 + 0.5 * dent_random_unit(&planner->random);
    return fmax(length, fmin(least, longest));
}

struct plan_walk plan_walk_from(uint32_t node, dent_planner *planner, const double *target)
{
    const struct plan_node *start = plan_node_at(planner, node);
    struct plan_walk walk = {.node = node, .first = node, .going = true, .contact_count = start->contact_count};
    memcpy(walk.target, target, planner->space.value_count * sizeof *target);
    for (uint32_t i = 0; i < start->contact_count; i++) {
        walk.contacts[i] = *(const struct plan_contact *)array_at(&planner->contacts, start->first_contact + i);
    }
    if (planner->def.no_contact_milestones) {
        walk.cap = FREE_STEP_SHARE * space_size(planner);
    } else {
        walk.cap = draw_slide(planner, plan_space_length(&planner->space, plan_values_at(planner, node), target));
    }
    return walk;
}

/* Prepares the next step of a walk. False: it cannot go on. *whole: the step leads to the target. */
static bool prepare_step(dent_planner *planner, struct plan_walk *walk, struct plan_edge *edge, bool *whole)
{
    double tangent[DENT_PLAN_VALUES_MAX];
    const double *at = plan_values_at(planner, walk->node);
    plan_space_difference(&planner->space, at, walk->target, tangent);
    double wanted = tangent_length(planner, tangent);
    bool along = plan_project(planner, at, walk->contacts, walk->contact_count, tangent);
    double length = tangent_length(planner, tangent);
    if (!(wanted > 0) || length < 1e-3 * wanted || length < planner->target_gap / 4) {
        return false;
    }
    *whole = !along && (!planner->def.no_contact_milestones || length <= walk->cap);
    if (!*whole && length > walk->cap) {
        for (uint32_t f = 0; f < planner->space.freedom_count; f++) {
            tangent[f] *= walk->cap / length;
        }
    }
    memcpy(edge->from, at, planner->space.value_count * sizeof *at);
    if (*whole) {
        memcpy(edge->to, walk->target, planner->space.value_count * sizeof *at);
    } else {
        plan_space_step(&planner->space, at, tangent, edge->to);
    }
    edge->tolerance = near_distance(planner);
    edge->wants_contacts = !planner->def.no_contact_milestones;
    return true;
}

static dent_status add_free(dent_planner *planner, struct plan_walk *walk, const struct plan_edge *edge, bool whole)
{
    uint32_t tree = plan_node_at(planner, walk->node)->tree;
    uint32_t node = plan_add_node(planner, edge->to, tree, walk->node, walk->contacts, whole ? 0 : walk->contact_count);
    if (node == PLAN_NONE) {
        return plan_out_of_memory(planner);
    }
    walk->node = node;
    walk->contact_count = 0; /* the way may be open here */
    walk->reached = whole;
    walk->going = !whole;
    return DENT_OK;
}

/* New contacts join those that are known, up to the room there is. False: nothing new. */
static bool learn_contacts(struct plan_walk *walk, const struct plan_edge *edge)
{
    uint32_t before = walk->contact_count;
    for (uint32_t i = 0; i < edge->contact_count && walk->contact_count < PLAN_CONTACTS; i++) {
        bool known = false;
        for (uint32_t k = 0; k < before; k++) {
            known = known || memcmp(&walk->contacts[k], &edge->contacts[i], sizeof walk->contacts[k]) == 0;
        }
        if (!known) {
            walk->contacts[walk->contact_count++] = edge->contacts[i];
        }
    }
    return walk->contact_count > before;
}

/* Turns a step that met a contact at t into one that ends there. False: it is too short for a milestone, or nothing is
 * known of the contact; the walk may go on from where it is if it has learnt something. */
static bool stop_before(dent_planner *planner, struct plan_walk *walk, struct plan_edge *edge)
{
    double length = plan_space_length(&planner->space, edge->from, edge->to);
    bool moves = edge->t * length >= planner->target_gap / 4;
    if (moves) {
        walk->contact_count = 0; /* those before it may be far away now */
    }
    walk->going = learn_contacts(walk, edge);
    if (!moves || !walk->going) {
        walk->cap *= 0.5;
        return false;
    }
    double at[DENT_PLAN_VALUES_MAX];
    plan_space_between(&planner->space, edge->from, edge->to, edge->t, at);
    memcpy(edge->to, at, planner->space.value_count * sizeof *at);
    return true;
}

/* The milestones before the contacts of a batch, certified. batch_edges[i] belongs to walks[owners[i]]. */
static dent_status add_contacts(dent_planner *planner, struct plan_walk *walks, const uint32_t *owners, uint32_t count)
{
    uint32_t affordable = plan_affordable(planner, count);
    for (uint32_t i = 0; i < affordable; i++) {
        planner->batch_edges[i].tolerance = sure_distance(planner);
        planner->batch_edges[i].wants_contacts = false;
    }
    dent_status status = plan_run_batch(planner, affordable);
    for (uint32_t i = 0; i < count && status == DENT_OK; i++) {
        const struct plan_edge *edge = &planner->batch_edges[i];
        struct plan_walk *walk = &walks[owners[i]];
        walk->going = i < affordable && edge->verdict == DENT_MOTION_FREE;
        if (walk->going) {
            uint32_t tree = plan_node_at(planner, walk->node)->tree;
            uint32_t node =
                plan_add_node(planner, edge->to, tree, walk->node, walk->contacts, walk->contact_count);
            status = node == PLAN_NONE ? plan_out_of_memory(planner) : DENT_OK;
            walk->node = node == PLAN_NONE ? walk->node : node;
        }
    }
    return status;
}

/* One step of all walks that still go. */
static dent_status step_all(dent_planner *planner, struct plan_walk *walks, uint32_t count)
{
    uint32_t owners[PLAN_BATCH], used = 0, stopped = 0;
    bool whole[PLAN_BATCH];
    for (uint32_t w = 0; w < count; w++) {
        if (walks[w].going && used < plan_affordable(planner, count)) {
            walks[w].going = prepare_step(planner, &walks[w], &planner->batch_edges[used], &whole[used]);
            owners[used] = w;
            used += walks[w].going;
        }
    }
    dent_status status = plan_run_batch(planner, used);
    for (uint32_t i = 0; i < used && status == DENT_OK; i++) {
        struct plan_edge *edge = &planner->batch_edges[i];
        struct plan_walk *walk = &walks[owners[i]];
        if (edge->verdict == DENT_MOTION_FREE) {
            status = add_free(planner, walk, edge, whole[i]);
        } else if (planner->def.no_contact_milestones || edge->verdict == DENT_MOTION_UNDECIDED) {
            walk->going = false;
        } else if (stop_before(planner, walk, edge)) {
            planner->batch_edges[stopped] = *edge; /* stopped <= i */
            owners[stopped++] = owners[i];
        }
    }
    return status == DENT_OK && stopped > 0 ? add_contacts(planner, walks, owners, stopped) : status;
}

dent_status plan_walk_all(dent_planner *planner, struct plan_walk *walks, uint32_t count, uint32_t steps)
{
    dent_status status = DENT_OK;
    for (uint32_t step = 0; step < steps && status == DENT_OK && !plan_must_stop(planner); step++) {
        bool going = false, reached = false;
        for (uint32_t w = 0; w < count; w++) {
            going = going || walks[w].going;
            reached = reached || walks[w].reached;
        }
        if (!going || reached) {
            break;
        }
        status = step_all(planner, walks, count);
    }
    return status;
}
