/* What an interruptible search must say of a pair of bodies: nothing hidden at any budget, the pairs of brute force at
 * the end, and every component where the winding numbers of all its vertices put it. */
#ifndef DENT_TESTS_TIME_CRITICAL_TRUTH_H
#define DENT_TESTS_TIME_CRITICAL_TRUTH_H

#include "query/time_critical_stage.h"

#include "geometry/predicates/winding_number.h"

/* ---- is everything there? ---------------------------------------------------------------------------------------- */

/* place_of[face] of a tree */
static inline uint32_t *places(const dent_bound_tree *tree)
{
    uint32_t count = dent_bound_tree_get_info(tree).faces;
    const uint32_t *order = dent_bound_tree_face_order(tree);
    uint32_t *place = test_allocate(count, sizeof *place);
    for (uint32_t i = 0; i < count; i++) {
        place[order[i]] = i;
    }
    return place;
}

static inline bool node_holds(dent_bound_tree *tree, uint32_t node, uint32_t place)
{
    dent_bound_node facts = dent_bound_tree_node(tree, node);
    return place >= facts.first_face && place < facts.first_face + facts.face_count;
}

/* How many of the true pairs are neither confirmed nor below a pending entry. */
static inline uint32_t hidden_pairs(const struct stage *stage, const dent_time_critical_result *result,
                                    const uint32_t *place_a, const uint32_t *place_b)
{
    uint32_t hidden = 0;
    bool self = stage->body_a == stage->body_b;
    for (uint32_t i = 0; i < stage->true_count; i++) {
        const dent_face_pair *pair = &stage->truth[i];
        bool found = false;
        for (uint32_t k = 0; k < result->pair_count && !found; k++) {
            found = result->pairs[k].face_a == pair->face_a && result->pairs[k].face_b == pair->face_b &&
                    result->pairs[k].kind == pair->kind;
        }
        for (uint32_t k = 0; k < result->pending_count && !found; k++) {
            const dent_region_pair *entry = &result->pending[k];
            uint32_t a = place_a[pair->face_a], b = place_b[pair->face_b];
            found =
                (node_holds(stage->tree_a, entry->node_a, a) && node_holds(stage->tree_b, entry->node_b, b)) ||
                (self && node_holds(stage->tree_a, entry->node_a, b) && node_holds(stage->tree_b, entry->node_b, a));
        }
        hidden += !found;
    }
    return hidden;
}

static inline void assert_is_truth(const struct stage *stage, const dent_time_critical_result *result)
{
    dent_face_pair *found = test_allocate(result->pair_count, sizeof *found);
    memcpy(found, result->pairs, result->pair_count * sizeof *found);
    qsort(found, result->pair_count, sizeof *found, compare_pairs);
    assert_int_equal(result->outcome, DENT_OUTCOME_COMPLETE);
    assert_int_equal(result->pending_count, 0);
    assert_true(result->error == 0);
    assert_int_equal(result->pair_count, stage->true_count);
    assert_memory_equal(found, stage->truth, result->pair_count * sizeof *found);
    uint32_t confirmed = 0;
    for (uint32_t i = 0; i < result->confirmed_count; i++) {
        confirmed += result->confirmed[i].pair_count;
        assert_true(result->confirmed[i].pair_count > 0);
    }
    assert_int_equal(confirmed, result->pair_count);
    free(found);
}

/* Budgets 0, 1, 2, 4 … each from the start. */
static inline void check_all_budgets(struct stage *stage, const dent_time_critical_def *def)
{
    dent_time_critical_result result;
    uint32_t *place_a = places(stage->tree_a), *place_b = places(stage->tree_b);
    double error = INFINITY, depth = INFINITY;
    assert_int_equal(dent_time_critical_create(stage->context, def, &stage->search), DENT_OK);
    for (uint64_t units = 0;; units = units ? units * 2 : 1) {
        dent_time_critical_begin(stage->search, NULL);
        assert_int_equal(dent_time_critical_run(stage->search, dent_budget_units(units), &result), DENT_OK);
        assert_int_equal(hidden_pairs(stage, &result, place_a, place_b), 0);
        assert_true(result.error <= error);
        assert_true(result.depth <= depth);
        error = result.error;
        depth = result.depth;
        for (uint32_t i = 0; i < result.pair_count; i++) {
            assert_non_null(
                bsearch(&result.pairs[i], stage->truth, stage->true_count, sizeof *stage->truth, compare_pairs));
        }
        if (result.outcome != DENT_OUTCOME_BUDGET_SPENT) {
            break;
        }
        assert_true(result.pending_count > 0 || result.components_pending > 0);
    }
    assert_is_truth(stage, &result);
    dent_time_critical_destroy(stage->search);
    free(place_a);
    free(place_b);
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

static inline void assert_same_lists(const dent_time_critical_result *left, const dent_time_critical_result *right)
{
    assert_int_equal(left->pending_count, right->pending_count);
    assert_int_equal(left->confirmed_count, right->confirmed_count);
    assert_int_equal(left->pair_count, right->pair_count);
    assert_memory_equal(left->pending, right->pending, left->pending_count * sizeof *left->pending);
    assert_memory_equal(left->confirmed, right->confirmed, left->confirmed_count * sizeof *left->confirmed);
    assert_memory_equal(left->pairs, right->pairs, left->pair_count * sizeof *left->pairs);
    assert_memory_equal(left->components, right->components, left->component_count * sizeof *left->components);
    assert_true(left->error == right->error && left->depth == right->depth);
    assert_int_equal(left->work_units, right->work_units);
    assert_int_equal(left->outcome, right->outcome);
}

/* ---- components -------------------------------------------------------------------------------------------------- */

struct component_oracle {
    uint32_t vertex_count, face_count;
    const double (*xyz)[3];
    const dent_surface_face *faces;
    uint32_t *number; /* by vertex: the smallest vertex of the component */
    bool closed;
};

static inline struct component_oracle look_at(const struct stage *stage, uint32_t body)
{
    struct component_oracle oracle = {.xyz = (const double(*)[3])stage->scene.bodies[body].xyz};
    dent_body_topology topology;
    dent_body_id id = dent_world_body_at(stage->world, body);
    dent_body_get_topology(stage->world, id, &topology);
    oracle.closed = topology.surface_closed;
    oracle.vertex_count = topology.vertex_count;
    oracle.faces = dent_body_surface_faces(stage->world, id, &oracle.face_count);
    oracle.number = test_allocate(oracle.vertex_count, sizeof *oracle.number);
    for (uint32_t v = 0; v < oracle.vertex_count; v++) {
        oracle.number[v] = v;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t f = 0; f < oracle.face_count; f++) {
            uint32_t least = UINT32_MAX;
            for (int k = 0; k < 3; k++) {
                least = oracle.number[oracle.faces[f].corners[k]] < least ? oracle.number[oracle.faces[f].corners[k]]
                                                                          : least;
            }
            for (int k = 0; k < 3; k++) {
                changed |= oracle.number[oracle.faces[f].corners[k]] != least;
                oracle.number[oracle.faces[f].corners[k]] = least;
            }
        }
    }
    return oracle;
}

static inline dent_component_state true_state(const struct stage *stage, const struct component_oracle *own,
                                              const struct component_oracle *other, uint32_t first_face, bool of_b)
{
    uint32_t number = own->number[own->faces[first_face].corners[0]];
    uint32_t(*triangles)[3] = test_allocate(other->face_count, sizeof *triangles);
    dent_component_state state = DENT_COMPONENT_ON;
    for (uint32_t f = 0; f < other->face_count; f++) {
        memcpy(triangles[f], other->faces[f].corners, sizeof triangles[f]);
    }
    for (uint32_t i = 0; i < stage->true_count; i++) {
        uint32_t face = of_b ? stage->truth[i].face_b : stage->truth[i].face_a;
        if (stage->truth[i].kind != DENT_PAIR_TOUCHING && own->number[own->faces[face].corners[0]] == number) {
            state = DENT_COMPONENT_CROSSING;
        }
    }
    bool inside = false, outside = false;
    for (uint32_t f = 0; f < own->face_count && state == DENT_COMPONENT_ON; f++) {
        for (int k = 0; k < 3 && own->number[own->faces[f].corners[0]] == number; k++) {
            predicate_counters counters = {0};
            bool on;
            int winding = winding_number(own->xyz[own->faces[f].corners[k]], other->xyz,
                                         (const uint32_t(*)[3])triangles, other->face_count, &counters, &on);
            inside |= !on && winding != 0;
            outside |= !on && winding == 0;
        }
    }
    state = state != DENT_COMPONENT_ON ? state
            : inside && outside        ? DENT_COMPONENT_CROSSING
            : inside                   ? DENT_COMPONENT_INSIDE
            : outside                  ? DENT_COMPONENT_OUTSIDE
                                       : DENT_COMPONENT_ON;
    free(triangles);
    return state;
}

/* Every component is pending or where it truly is. */
static inline void assert_components_are_true(const struct stage *stage, const dent_time_critical_result *result,
                                              uint32_t states_seen[5])
{
    struct component_oracle bodies[2] = {look_at(stage, stage->body_a), look_at(stage, stage->body_b)};
    for (uint32_t i = 0; i < result->component_count; i++) {
        const dent_component *at = &result->components[i];
        dent_component_state truth =
            true_state(stage, &bodies[at->side], &bodies[1 - at->side], at->first_face, at->side == 1);
        assert_true(at->state == DENT_COMPONENT_PENDING || at->state == (uint32_t)truth);
        states_seen[at->state]++;
    }
    free(bodies[0].number);
    free(bodies[1].number);
}

#endif
