/* Overlap of rigid bodies pays for being taken out.
 *
 * The displacements of a recovery give bodies no speed, but they may lift them, and what was lifted can fall. So a lift is
 * paid, in this order:
 *
 *   stored   what overlap at the start stores: the work of lifting each layer of its island, and all above it, by the
 *            deepest overlap in that layer. It counts as energy of contacts from the beginning
 *   losses   what substeps of the island took before, by friction, by impacts and by sinking into one another
 *   speed    kinetic energy of the island
 *
 * Where all of these end, the displacements are only the part that can be paid. The energy of an island, with what overlap
 * stores, is then never above its start, however its bodies lie in one another. Stored energy and losses are kept with the
 * bodies, in proportion to their masses, so that they go with them when islands part. */
#include "island_stages.h"

#include <math.h>
#include <string.h>

/* ---- the books ---------------------------------------------------------------------------------------------------- */

static struct rigid_book sum_of_books(const struct sim_state *state, const struct island_problem *problem)
{
    struct rigid_book sum = {0};
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        const struct rigid_book *book = &state->books[problem->bodies[i].rigid];
        sum.losses += book->losses;
        sum.stored += book->stored;
    }
    return sum;
}

static double mass_of(const struct island_problem *problem)
{
    double mass = 0;
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        mass += problem->bodies[i].mass;
    }
    return mass;
}

static void share_out(struct sim_state *state, const struct island_problem *problem, struct rigid_book sum)
{
    double mass = mass_of(problem);
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        double part = problem->bodies[i].mass / mass;
        state->books[problem->bodies[i].rigid] =
            (struct rigid_book){.losses = part * sum.losses, .stored = part * sum.stored};
    }
}

struct rigid_book island_energy_books(const struct sim_model *model, const struct sim_state *state)
{
    struct rigid_book sum = {0};
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        sum.losses += state->books[r].losses;
        sum.stored += state->books[r].stored;
    }
    return sum;
}

static bool has_overlap(const struct sim_model *model, const struct rigid_islands *islands, const struct island *island,
                        const struct contact_set *contacts)
{
    bool overlaps = false;
    for (uint32_t r = 0; r < island->row_count && !overlaps; r++) {
        const dent_contact *contact = &contacts->records[islands->rows[island->first_row + r].contact];
        overlaps = contact->gap < -row_least_overlap(model, contact);
    }
    return overlaps;
}

void island_energy_forget(const struct sim_model *model, struct sim_state *state, const struct contact_set *contacts,
                          const struct rigid_islands *islands)
{
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        state->books[r].stored = islands->slots[r] == SIM_NONE ? 0 : state->books[r].stored;
    }
    for (uint32_t n = 0; n < islands->island_count; n++) {
        const struct island *island = &islands->islands[n];
        bool overlaps = has_overlap(model, islands, island, contacts);
        for (uint32_t i = 0; i < island->body_count && !overlaps; i++) {
            state->books[islands->bodies[island->first_body + i].rigid].stored = 0;
        }
    }
}

/* ---- at the start ------------------------------------------------------------------------------------------------- */

/* The layer that a contact is in is that of its upper side. */
static uint32_t layer_of(const struct rigid_islands *islands, const struct island *island, const struct island_row *row)
{
    uint32_t layer = 0;
    for (int s = 0; s < 2; s++) {
        uint32_t level = row->side[s] == SIM_NONE ? 0 : islands->levels[island->first_body + row->side[s]];
        layer = level != SIM_NONE && level > layer ? level : layer;
    }
    return layer;
}

static double deepest_in(const struct rigid_islands *islands, const struct island *island,
                         const struct contact_set *contacts, uint32_t layer)
{
    double deepest = 0;
    for (uint32_t r = 0; r < island->row_count; r++) {
        const struct island_row *row = &islands->rows[island->first_row + r];
        double depth = -contacts->records[row->contact].gap;
        deepest = depth > deepest && layer_of(islands, island, row) == layer ? depth : deepest;
    }
    return deepest;
}

static double mass_from(const struct sim_model *model, const struct rigid_islands *islands, const struct island *island,
                        uint32_t layer)
{
    double mass = 0;
    for (uint32_t i = island->first_body; i < island->first_body + island->body_count; i++) {
        bool above = islands->levels[i] != SIM_NONE && islands->levels[i] >= layer;
        mass += above ? model->rigids[islands->bodies[i].rigid].mass : 0;
    }
    return mass;
}

/* What nothing supports yet will stand on its lowest body. */
static void stand_on_lowest(const struct sim_state *state, const struct rigid_islands *islands,
                            const struct island *island)
{
    uint32_t lowest = island->first_body;
    double deepest = -INFINITY;
    for (uint32_t i = island->first_body; i < island->first_body + island->body_count; i++) {
        double down = sim_dot(state->gravity, state->rigids[islands->bodies[i].rigid].center);
        lowest = down > deepest ? i : lowest;
        deepest = down > deepest ? down : deepest;
        islands->levels[i] = SIM_NONE;
    }
    islands->levels[lowest] = 1;
    islands_spread_levels(islands, island);
}

void island_energy_note_overlap(const struct sim_model *model, struct sim_state *state,
                                const struct contact_set *contacts, struct rigid_islands *islands)
{
    struct islands_call call = {model, state, contacts, NULL, NULL, islands, 0};
    double gravity = sqrt(sim_dot(state->gravity, state->gravity));
    for (uint32_t n = 0; n < islands->island_count; n++) {
        struct island *island = &islands->islands[n];
        struct island_problem problem = island_problem_of(&call, island);
        struct rigid_book sum = {0};
        if (!island->supported) {
            stand_on_lowest(state, islands, island);
        }
        for (uint32_t layer = 1; layer <= island->body_count && mass_from(model, islands, island, layer) > 0; layer++) {
            double deepest = deepest_in(islands, island, contacts, layer);
            sum.stored += gravity * mass_from(model, islands, island, layer) * deepest;
        }
        share_out(state, &problem, sum);
    }
}

/* ---- in a substep ------------------------------------------------------------------------------------------------- */

/* Kinetic energy of the island now, or at the beginning of the substep. */
static double kinetic_now(const struct islands_call *call, const struct island_problem *problem)
{
    double sum = 0;
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        uint32_t r = problem->bodies[i].rigid;
        const dent_rigid_state *pose = &call->state->rigids[r];
        sum += 0.5 * problem->bodies[i].mass * sim_dot(pose->linear_velocity, pose->linear_velocity) +
               rigid_spin_energy(&call->model->rigids[r], pose);
    }
    return sum;
}

static double kinetic_before(const struct islands_call *call, const struct island_problem *problem)
{
    double sum = 0;
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        uint32_t r = problem->bodies[i].rigid;
        dent_rigid_state pose = call->motion->previous[r];
        const double *last = call->motion->last + 6 * (size_t)r;
        memcpy(pose.angular_velocity, last + 3, sizeof pose.angular_velocity);
        sum += 0.5 * problem->bodies[i].mass * sim_dot(last, last) + rigid_spin_energy(&call->model->rigids[r], &pose);
    }
    return sum;
}

/* What the bodies rose by since the beginning of the substep, as an energy. */
static double lift_so_far(const struct islands_call *call, const struct island_problem *problem)
{
    double lift = 0, moved[3];
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        uint32_t r = problem->bodies[i].rigid;
        sim_subtract(call->state->rigids[r].center, call->motion->previous[r].center, moved);
        lift -= problem->bodies[i].mass * sim_dot(call->state->gravity, moved);
    }
    return lift;
}

/* Soft contacts give back what they take, and what is driven gains from outside: there nothing is known to be lost. */
static bool can_keep_books(const struct island_problem *problem)
{
    bool known = !problem->island->driven && problem->island->joint_count == 0;
    for (uint32_t r = 0; r < problem->island->row_count && known; r++) {
        known = !(problem->rows[r].yield > 0);
    }
    return known;
}

void island_energy_book(const struct islands_call *call, const struct island_problem *problem)
{
    struct rigid_book sum = sum_of_books(call->state, problem);
    if (can_keep_books(problem)) {
        double lost = kinetic_before(call, problem) - kinetic_now(call, problem) - lift_so_far(call, problem);
        sum.losses = sum.losses + lost > 0 ? sum.losses + lost : 0;
    }
    share_out(call->state, problem, sum);
}

double island_energy_pay(const struct islands_call *call, const struct island_problem *problem, double share)
{
    double lift = 0;
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        const double *moved = problem->velocity + 6 * (size_t)i;
        lift -= share * problem->bodies[i].mass * sim_dot(call->state->gravity, moved);
    }
    if (!can_keep_books(problem) || !problem->island->supported) {
        return share; /* what nothing supports keeps its centre of mass */
    }
    struct rigid_book sum = sum_of_books(call->state, problem);
    double kinetic = kinetic_now(call, problem), owed = lift - sum.stored - sum.losses;
    double of_stored = lift < sum.stored ? lift : sum.stored;
    sum.stored -= of_stored > 0 ? of_stored : 0;
    sum.losses = owed > 0 ? 0 : sum.losses - (lift - (of_stored > 0 ? of_stored : 0));
    share_out(call->state, problem, sum);
    if (!(owed > 0)) {
        return share;
    }
    momentum_limit_energy(call->state, problem, owed < kinetic ? 2 * (kinetic - owed) : 0);
    return owed < kinetic ? share : share * (lift - (owed - kinetic)) / lift;
}
