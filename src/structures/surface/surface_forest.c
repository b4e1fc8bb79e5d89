/* The trees of all bodies of a world, kept from query to query and cut anew for bodies whose connectivity, ties or
 * quality changed. See surface_forest.h. In: a snapshot. Out: a tree per body and the numbering of groups through the
 * world. */
#include "structures/surface/surface_forest.h"

#include <string.h>

#include "base/allocator.h"
#include "structures/surface/surface_regions.h"
#include "structures/surface/surface_tree.h"

void surface_forest_init(struct surface_forest *forest, dent_context *context)
{
    *forest = (struct surface_forest){.context = context, .cut = REGION_CUT_MERGE, .axis_count = 3};
    body_pairs_init(&forest->body_pairs, context);
    array_init(&forest->body_boxes, context, sizeof(struct cluster_box));
    loop_costs_init(&forest->crossing_costs, context);
    loop_costs_init(&forest->visit_costs, context);
}

/* Gives back the arrays of a forest and those trees that are not in `kept`. */
static void release(struct surface_forest *forest, const struct surface_forest *kept)
{
    dent_context *context = forest->context;
    uint32_t next = 0;
    for (uint32_t body_index = 0; forest->bodies && body_index < forest->body_count; body_index++) {
        struct surface_tree *tree = forest->bodies[body_index].tree;
        uint32_t match = next; /* trees that are kept keep their order */
        while (kept && tree && match < kept->body_count && kept->bodies[match].tree != tree) {
            match++;
        }
        if (kept && tree && match < kept->body_count) {
            next = match + 1;
        } else {
            surface_tree_destroy(tree);
        }
    }
    dent_release(context, forest->bodies, forest->body_count, sizeof *forest->bodies);
    dent_release(context, forest->first_group, (size_t)forest->body_count + 1, sizeof *forest->first_group);
    dent_release(context, forest->body_of_group, forest->group_count, sizeof *forest->body_of_group);
    forest->bodies = NULL;
    forest->first_group = forest->body_of_group = NULL;
    forest->body_count = forest->group_count = 0;
    forest->topology_version = 0;
    forest->valid = false;
}

void surface_forest_destroy(struct surface_forest *forest)
{
    release(forest, NULL);
    body_pairs_destroy(&forest->body_pairs);
    array_destroy(&forest->body_boxes);
    loop_costs_destroy(&forest->crossing_costs);
    loop_costs_destroy(&forest->visit_costs);
}

static bool tree_fits(const struct surface_forest *forest, const struct surface_tree *tree, const struct body *body)
{
    return tree && tree->identity_base == body->identity_base && tree->tie_hash == surface_tie_hash(body) &&
           !tree->stale && tree->axis_count == forest->axis_count && tree->cut == forest->cut;
}

/* Trees for all bodies: those of the old forest where they still fit. Bodies keep their order, so the search for the
 * old tree begins behind the last one found. */
static bool find_or_cut(struct surface_forest *fresh, const struct surface_forest *old, const struct snapshot *snapshot,
                        struct arena *scratch)
{
    uint32_t next = 0;
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        const struct body_snapshot *body_snapshot = &snapshot->bodies[body_index];
        uint32_t match = next;
        while (match < old->body_count &&
               old->bodies[match].tree->identity_base != body_snapshot->body->identity_base) {
            match++;
        }
        struct surface_tree *tree = match < old->body_count ? old->bodies[match].tree : NULL;
        next = tree ? match + 1 : next;
        if (!tree_fits(fresh, tree, body_snapshot->body)) {
            const double(*shape)[3] = body_snapshot->body->reference
                                          ? (const double(*)[3])body_snapshot->body->reference
                                          : body_snapshot->xyz;
            bool worn_out = tree && tree->stale; /* then the shape it has now says more than the one it came from */
            tree = surface_tree_create(fresh->context, body_snapshot->body, worn_out ? body_snapshot->xyz : shape,
                                       fresh->cut, fresh->axis_count, scratch);
            fresh->rebuilds++;
        }
        fresh->bodies[body_index].tree = tree;
        if (!tree) {
            return false;
        }
        fresh->bodies[body_index].leaves = tree->leaves;
        fresh->bodies[body_index].leaf_count = tree->leaf_count;
        for (int axis = 0; axis < 3; axis++) {
            fresh->bodies[body_index].boxes.lo[axis] = tree->levels[0].lo[axis];
            fresh->bodies[body_index].boxes.hi[axis] = tree->levels[0].hi[axis];
        }
    }
    return true;
}

static bool number_groups(struct surface_forest *forest)
{
    uint64_t groups = 0;
    for (uint32_t body_index = 0; body_index < forest->body_count; body_index++) {
        forest->first_group[body_index] = (uint32_t)groups;
        groups += forest->bodies[body_index].tree->levels[1].count;
    }
    forest->first_group[forest->body_count] = (uint32_t)groups;
    forest->body_of_group =
        groups < UINT32_MAX ? dent_allocate(forest->context, groups, sizeof *forest->body_of_group) : NULL;
    if (!forest->body_of_group) {
        return false;
    }
    forest->group_count = (uint32_t)groups;
    for (uint32_t body_index = 0; body_index < forest->body_count; body_index++) {
        for (uint32_t group = forest->first_group[body_index]; group < forest->first_group[body_index + 1]; group++) {
            forest->body_of_group[group] = body_index;
        }
    }
    return true;
}

static bool is_up_to_date(const struct surface_forest *forest, const struct snapshot *snapshot)
{
    bool fits = forest->valid && forest->topology_version == snapshot->table->topology_version;
    for (uint32_t body_index = 0; fits && body_index < forest->body_count; body_index++) {
        const struct surface_tree *tree = forest->bodies[body_index].tree;
        fits = !tree->stale && tree->axis_count == forest->axis_count && tree->cut == forest->cut;
    }
    return fits;
}

bool surface_forest_update(struct surface_forest *forest, const struct snapshot *snapshot, struct arena *scratch)
{
    forest->rebuilds = 0;
    if (is_up_to_date(forest, snapshot)) {
        return true;
    }
    forest->made.valid = false;
    struct surface_forest fresh = {.context = forest->context,
                                   .cut = forest->cut,
                                   .axis_count = forest->axis_count,
                                   .body_count = snapshot->body_count};
    fresh.bodies = dent_allocate(forest->context, snapshot->body_count, sizeof *fresh.bodies);
    fresh.first_group = dent_allocate(forest->context, (size_t)snapshot->body_count + 1, sizeof *fresh.first_group);
    if (fresh.bodies) {
        memset(fresh.bodies, 0, snapshot->body_count * sizeof *fresh.bodies);
    }
    if (!fresh.bodies || !fresh.first_group || !find_or_cut(&fresh, forest, snapshot, scratch) ||
        !number_groups(&fresh)) {
        release(&fresh, forest);
        return false;
    }
    release(forest, &fresh);
    forest->bodies = fresh.bodies;
    forest->body_count = fresh.body_count;
    forest->first_group = fresh.first_group;
    forest->group_count = fresh.group_count;
    forest->body_of_group = fresh.body_of_group;
    forest->rebuilds = fresh.rebuilds;
    forest->topology_version = snapshot->table->topology_version;
    forest->valid = true;
    return true;
}
