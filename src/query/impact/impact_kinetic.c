/* Method kinetic-tree of the question `impact`: the leaf pairs come from a separation list.
 *
 * The leaves of the surface forest are elements of a kinetic tree (dent/kinetic.h), and the step is a piece of the flight plan of
 * every vertex. A pair of leaves with a witness at both ends of the step is apart in between, however far both move; boxes over
 * the whole step would meet. From there on all is as in the search of the forest. The tree is kept from step to step.
 */
#include "base/radix_sort.h"
#include "kinetic/kinetic_interval.h"
#include "query/impact/impact_run.h"

enum { PAIRS_PER_BLOCK = 256 };

void impact_kinetic_destroy(struct impact_state *state)
{
    dent_kinetic_destroy(state->kinetic);
    state->kinetic = NULL;
}

/* ---- the tree ---------------------------------------------------------------------------------------------------- */

static uint32_t count_leaves(const struct surface_forest *forest)
{
    uint32_t count = 0;
    for (uint32_t body_index = 0; body_index < forest->body_count; body_index++) {
        count += forest->bodies[body_index].leaf_count;
    }
    return count;
}

/* Leaves as elements, in order of body index and number. Null: no memory. */
static uint32_t *list_leaves(const struct impact_run *run, uint32_t count)
{
    uint32_t *corners = arena_allocate(run->scratch, count, LEAF_VERTICES * sizeof *corners), *next = corners;
    for (uint32_t body_index = 0; corners && body_index < run->forest->body_count; body_index++) {
        const struct forest_body *body = &run->forest->bodies[body_index];
        for (uint32_t leaf = 0; leaf < body->leaf_count; leaf++) {
            for (uint32_t i = 0; i < LEAF_VERTICES; i++) {
                *next++ = run_vertex(run, body_index, body->leaves[leaf].vertices[i]);
            }
        }
    }
    return corners;
}

/* Places of all vertices at both ends of the step. */
static void positions_of(const struct impact_run *run, dent_positions positions[2])
{
    const struct impact_vertex *vertices = run->vertices;
    positions[0] = (dent_positions){vertices->start, sizeof *vertices, DENT_SCALAR_DOUBLE};
    positions[1] = (dent_positions){vertices->end, sizeof *vertices, DENT_SCALAR_DOUBLE};
}

static bool make_tree(struct impact_run *run)
{
    struct impact_state *state = run->state;
    dent_kinetic_def def = dent_kinetic_def_default();
    dent_kinetic *tree = NULL;
    const double times[2] = {0, 1};
    dent_positions positions[2];
    uint32_t count = count_leaves(run->forest), *corners = list_leaves(run, count);
    impact_kinetic_destroy(state);
    positions_of(run, positions);
    dent_flight_plans plans = {0, (uint32_t)state->vertices.count, 2, times, positions};
    def.mode = DENT_KINETIC_REFIT; /* steps need no events */
    if (!corners || dent_kinetic_create(run->context, &def, &tree) != DENT_OK ||
        dent_kinetic_set_plans(tree, &plans) != DENT_OK ||
        dent_kinetic_insert(tree, corners, LEAF_VERTICES, count, NULL) != DENT_OK) {
        dent_kinetic_destroy(tree);
        return false;
    }
    state->kinetic = tree;
    state->kinetic_version = run->snapshot->table->topology_version;
    return true;
}

/* ---- pairs of leaves --------------------------------------------------------------------------------------------- */

struct contact_walk {
    const struct impact_run *run;
    const struct leaf_pair_visitor *visitor;
    const uint64_t *keys; /* elements a << 32 | b */
    uint64_t count;
    const uint32_t *first_leaf; /* by body index: its first element */
};

static uint32_t body_of(const struct contact_walk *walk, uint32_t element)
{
    uint32_t low = 0, high = walk->run->forest->body_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        *(walk->first_leaf[middle] <= element ? &low : &high) = middle;
    }
    return low;
}

static bool may_meet(const struct contact_walk *walk, uint32_t body_index_a, uint32_t body_index_b)
{
    const struct body *a = walk->run->snapshot->bodies[body_index_a].body, *b = walk->run->snapshot->bodies[body_index_b].body;
    return body_index_a == body_index_b ? a->self_collision : bodies_may_meet(a, b);
}

static void visit_block(void *data, uint32_t block, uint32_t worker)
{
    const struct contact_walk *walk = data;
    struct leaf_pair pairs[PAIRS_PER_BLOCK];
    uint32_t count = 0;
    uint64_t first = (uint64_t)block * PAIRS_PER_BLOCK;
    uint64_t last = first + PAIRS_PER_BLOCK < walk->count ? first + PAIRS_PER_BLOCK : walk->count;
    for (uint64_t i = first; i < last && !cancel_requested(walk->run->cancel); i++) {
        uint32_t a = (uint32_t)(walk->keys[i] >> 32), b = (uint32_t)walk->keys[i];
        uint32_t body_index_a = body_of(walk, a), body_index_b = body_of(walk, b);
        if (may_meet(walk, body_index_a, body_index_b)) {
            pairs[count++] = (struct leaf_pair){body_index_a, a - walk->first_leaf[body_index_a], body_index_b,
                                                b - walk->first_leaf[body_index_b], true};
        }
    }
    walk->visitor->visit(walk->visitor->user, block, worker, pairs, count);
}

/* The pairs without a witness, and every leaf with itself, sorted by the first. Null: no memory. */
static uint64_t *list_pairs(const struct impact_run *run, uint32_t leaves, uint64_t *count)
{
    dent_positions positions[2];
    const uint64_t *pairs;
    uint64_t contacts;
    positions_of(run, positions);
    if (!kinetic_interval_pairs(run->state->kinetic, positions, &pairs, &contacts)) {
        return NULL;
    }
    uint64_t *keys = arena_allocate(run->scratch, contacts + leaves, 2 * sizeof *keys);
    *count = contacts + leaves;
    if (keys) {
        memcpy(keys, pairs, contacts * sizeof *keys);
        for (uint32_t leaf = 0; leaf < leaves; leaf++) {
            keys[contacts + leaf] = (uint64_t)leaf << 32 | leaf;
        }
        radix_sort_u64(keys, NULL, keys + *count, NULL, *count);
    }
    return keys;
}

dent_status impact_walk_contacts(struct impact_run *run, const struct leaf_pair_visitor *visitor)
{
    struct impact_state *state = run->state;
    const struct surface_forest *forest = run->forest;
    uint32_t leaves = count_leaves(forest);
    uint32_t *first = arena_allocate(run->scratch, (size_t)forest->body_count + 1, sizeof *first);
    bool kept = state->kinetic && state->kinetic_version == run->snapshot->table->topology_version &&
                forest->rebuilds == 0 && dent_kinetic_element_count(state->kinetic) == leaves;
    if (leaves == 0) {
        return visitor->begin(visitor->user, 0) ? DENT_OK : impact_out_of_memory(run);
    }
    if (!first || (!kept && !make_tree(run))) {
        return impact_out_of_memory(run);
    }
    for (uint32_t body_index = 0, next = 0; body_index <= forest->body_count; body_index++) {
        first[body_index] = next;
        next += body_index < forest->body_count ? forest->bodies[body_index].leaf_count : 0;
    }
    struct contact_walk walk = {.run = run, .visitor = visitor, .first_leaf = first};
    walk.keys = list_pairs(run, leaves, &walk.count);
    uint32_t blocks = (uint32_t)((walk.count + PAIRS_PER_BLOCK - 1) / PAIRS_PER_BLOCK);
    if (!walk.keys || !visitor->begin(visitor->user, blocks)) {
        return impact_out_of_memory(run);
    }
    dent_parallel_for(run->context, blocks, visit_block, &walk);
    return DENT_OK;
}
