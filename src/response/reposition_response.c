/* Repositioning: bodies that came closer than allowed are put apart outside time (Redon's part of the tutorial
 * "Collision Handling and its Applications", eq. 30, read as a displacement), and contacts that neither begin nor end
 * twice at the same distance.
 *
 * Smallest sum of m |dx|^2 / 2 with n . (dxa - dxb) >= target_gap - gap for every contact: the multipliers are found by
 * Gauss-Seidel projected on >= 0, which is the position response from rest without friction, softness and memory; so
 * that response does the work. */
#include <float.h>
#include <math.h>

#include "base/containers/heap_sort.h"
#include "response/response_rows.h"

dent_reposition_def dent_reposition_def_default(void)
{
    return (dent_reposition_def){
        .struct_size = sizeof(dent_reposition_def), .trigger_gap = -INFINITY, .longest_move = INFINITY, .sweeps = 100};
}

static dent_status check_def(dent_response *response, const dent_reposition_def *def)
{
    if (!def || def->struct_size != sizeof *def) {
        return dent_fail(response->context, DENT_ERROR_INVALID_ARGUMENT,
                         "the reposition def was not made by dent_reposition_def_default()");
    }
    if (!(fabs(def->target_gap) <= DBL_MAX) || !(def->trigger_gap <= def->target_gap) || !(def->longest_move > 0) ||
        def->sweeps == 0) {
        return dent_fail(response->context, DENT_ERROR_INVALID_ARGUMENT,
                         "a number of the reposition def is out of range");
    }
    return DENT_OK;
}

static double smallest_gap(const dent_response_problem *problem)
{
    double least = INFINITY;
    for (uint64_t i = 0; i < problem->contact_count; i++) {
        least = problem->contacts[i].gap < least ? problem->contacts[i].gap : least;
    }
    return least;
}

static void clear_forces(const dent_response_problem *problem)
{
    for (uint64_t i = 0; i < problem->contact_count && problem->forces; i++) {
        problem->forces[i] = (dent_contact_force){.key = problem->contacts[i].key};
    }
}

dent_status dent_reposition_solve(dent_response *response, const dent_response_problem *problem,
                                  const dent_reposition_def *def, dent_response_report *report)
{
    DENT_REQUIRE(NULL, response);
    DENT_REQUIRE(response->context, problem);
    DENT_REQUIRE(response->context, def);
    dent_response_report local = {0};
    dent_status status = check_def(response, def);
    if (status != DENT_OK) {
        return status;
    }
    dent_position_def position = dent_position_def_default();
    position.iterations = def->sweeps;
    position.target_gap = def->target_gap;
    position.warm_start = 0;
    position.anchor_rate = 0;
    position.exact = def->exact;
    /* The position response lets old overlap out by at most recovery_speed * time_step. */
    position.recovery_speed = def->longest_move / problem->time_step;
    dent_response_problem bare = *problem;
    bare.material = (dent_contact_material){0};
    bare.material_pairs = NULL;
    bare.material_pair_count = 0;
    bare.previous = NULL;
    bare.previous_count = 0;
    if (smallest_gap(problem) < def->trigger_gap) {
        status = dent_position_solve(response, &bare, &position, &local);
    } else {
        clear_forces(problem);
    }
    if (status == DENT_OK && report) {
        *report = local;
    }
    return status;
}

/* ---- hysteresis -------------------------------------------------------------------------------------------------- */

static bool is_among(const uint64_t *keys, uint64_t count, uint64_t key)
{
    uint64_t low = 0, high = count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (keys[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && keys[low] == key;
}

static bool key_before(const void *a, const void *b, const void *data)
{
    (void)data;
    return *(const uint64_t *)a < *(const uint64_t *)b;
}

uint64_t dent_contacts_apply_hysteresis(const dent_contact *contacts, uint64_t contact_count, const uint64_t *keys,
                                        uint64_t key_count, double begin, double end, bool *alive, uint64_t *new_keys)
{
    if ((contact_count > 0 && !contacts) || (contact_count > 0 && !alive)) {
        return 0;
    }
    uint64_t count = 0;
    for (uint64_t i = 0; i < contact_count; i++) {
        alive[i] = contacts[i].gap <= begin || (contacts[i].gap <= end && is_among(keys, key_count, contacts[i].key));
        if (alive[i] && new_keys) {
            new_keys[count] = contacts[i].key;
        }
        count += alive[i];
    }
    if (new_keys) {
        heap_sort(new_keys, (size_t)count, sizeof *new_keys, key_before, NULL);
    }
    return count;
}
