/* Nothing passes through anything because it is fast.
 *
 * Detection allows every body a margin of motion until the next one: surfaces that were not found cannot touch while
 * nobody has used up his. A rigid body that has is swift: its substep is looked at by the exact question `impact`, every
 * vertex on a straight line from the beginning of the substep to its end, and the body goes only as far as the first
 * impact, to half of the rest distance from what it meets. It keeps its velocity; the next substep begins with a
 * detection, finds the contact, and the solver deals with it as with any other. Bodies that are stopped may be met by
 * others, which stop in turn; the last query finds nothing, so no surface has crossed another.
 *
 * Features nearer than that distance at the beginning have contacts, which hold them; they are left to the solver, so
 * that what touches may slide and part; and what overlaps at the beginning must be free to part. Bodies with prevent_crossing are watched by safe_motion.c. */
#include "sim_contacts.h"

#include <math.h>
#include <string.h>

enum { SWIFT_ROUNDS = 3, MOST_ROUNDS = 10 };

dent_status swift_build(struct sim_model *model, struct swift_motion *swift)
{
    swift->start = sim_allocate(model, 3 * (size_t)model->vertex_count, sizeof *swift->start);
    swift->travelled = sim_allocate(model, model->body_count, sizeof *swift->travelled);
    swift->overlaps = sim_allocate(model, model->body_count, sizeof *swift->overlaps);
    swift->poses = sim_allocate(model, model->rigid_count, sizeof *swift->poses);
    swift->wanted = sim_allocate(model, model->rigid_count, sizeof *swift->wanted);
    swift->fractions = sim_allocate(model, model->rigid_count, sizeof *swift->fractions);
    swift->shares = sim_allocate(model, model->rigid_count, sizeof *swift->shares);
    return swift->start && swift->travelled && swift->overlaps && swift->poses && swift->wanted && swift->fractions &&
                   swift->shares
               ? DENT_OK
               : sim_no_memory(model->context);
}

void swift_begin_interval(const struct sim_model *model, const struct contact_set *contacts, struct swift_motion *swift)
{
    memset(swift->travelled, 0, model->body_count * sizeof *swift->travelled);
    memset(swift->overlaps, 0, model->body_count * sizeof *swift->overlaps);
    for (uint64_t i = 0; i < contacts->count; i++) {
        if (contacts->reported[i].gap < 0) {
            swift->overlaps[contacts->reported[i].body_a] = swift->overlaps[contacts->reported[i].body_b] = true;
        }
    }
}

void swift_begin(const struct sim_model *model, const struct sim_state *state, struct swift_motion *swift)
{
    if (model->rigid_count > 0) {
        memcpy(swift->start, state->positions, 3 * (size_t)model->vertex_count * sizeof(double));
        memcpy(swift->poses, state->rigids, model->rigid_count * sizeof *swift->poses);
    }
}

/* ---- who is swift ------------------------------------------------------------------------------------------------ */

static double farthest_move(const struct sim_state *state, const struct swift_motion *swift,
                            const struct sim_body *body)
{
    double farthest = 0;
    for (uint32_t v = body->first_vertex; v < body->first_vertex + body->vertex_count; v++) {
        double move[3];
        sim_subtract(state->positions + 3 * (size_t)v, swift->start + 3 * (size_t)v, move);
        farthest = sim_dot(move, move) > farthest ? sim_dot(move, move) : farthest;
    }
    return sqrt(farthest);
}

static bool is_swift(const struct sim_model *model, const struct contact_search *search,
                     const struct swift_motion *swift, uint32_t body)
{
    return model->bodies[body].rigid != SIM_NONE && !model->bodies[body].thin && !swift->overlaps[body] &&
           swift->travelled[body] > search->margins[body];
}

static bool find_swift(const struct sim_model *model, const struct sim_state *state,
                       const struct contact_search *search, struct swift_motion *swift)
{
    bool any = false;
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        uint32_t b = model->rigids[r].body;
        swift->travelled[b] += state->rest[r].asleep ? 0 : farthest_move(state, swift, &model->bodies[b]);
        any = any || is_swift(model, search, swift, b);
    }
    return any;
}

/* ---- stopping ---------------------------------------------------------------------------------------------------- */

/* Half of the least rest distance of a swift body with any other. */
static double separation_of(const struct sim_model *model, const struct contact_search *search,
                            const struct swift_motion *swift)
{
    double swift_least = INFINITY, least = INFINITY;
    for (uint32_t b = 0; b < model->body_count; b++) {
        double thickness = model->bodies[b].thickness;
        least = thickness < least ? thickness : least;
        swift_least = is_swift(model, search, swift, b) && thickness < swift_least ? thickness : swift_least;
    }
    return 0.5 * (swift_least + least);
}

/* Marks how far the bodies of the impacts may go of what they went; returns how many impacts count. */
static uint64_t shorten(const struct sim_model *model, const struct contact_search *search, struct swift_motion *swift,
                        const dent_impact_result *found, double separation, uint32_t round)
{
    uint64_t count = 0;
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        swift->shares[r] = 1;
    }
    for (uint64_t i = 0; i < found->count; i++) {
        const dent_impact *impact = &found->impacts[i];
        uint32_t bodies[2] = {impact->body_a, impact->body_b};
        bool concerned = is_swift(model, search, swift, bodies[0]) || is_swift(model, search, swift, bodies[1]) ||
                         round >= SWIFT_ROUNDS;
        if (!concerned || impact->toi == 0 || (separation > 0 && impact->toi > 1 - 1e-6)) {
            continue;
        }
        double share = separation > 0 ? impact->toi : 0.9 * impact->toi;
        share = round + 2 >= MOST_ROUNDS ? 0 : share;
        for (int s = 0; s < 2; s++) {
            uint32_t r = model->bodies[bodies[s]].rigid;
            if (r != SIM_NONE && (is_swift(model, search, swift, bodies[s]) || round >= SWIFT_ROUNDS)) {
                swift->shares[r] = share < swift->shares[r] ? share : swift->shares[r];
            }
        }
        count++;
    }
    return count;
}

static void place_between(const dent_rigid_state *from, const dent_rigid_state *to, double fraction,
                          dent_rigid_state *pose)
{
    double between = 0, length = 0;
    for (int k = 0; k < 4; k++) {
        between += from->orientation[k] * to->orientation[k];
    }
    for (int k = 0; k < 4; k++) {
        double end = between < 0 ? -to->orientation[k] : to->orientation[k];
        pose->orientation[k] = from->orientation[k] + fraction * (end - from->orientation[k]);
        length += pose->orientation[k] * pose->orientation[k];
    }
    for (int k = 0; k < 4; k++) {
        pose->orientation[k] = fraction > 0 ? pose->orientation[k] / sqrt(length) : from->orientation[k];
    }
    for (int axis = 0; axis < 3; axis++) {
        pose->center[axis] = from->center[axis] + fraction * (to->center[axis] - from->center[axis]);
    }
}

static void place(const struct sim_model *model, struct sim_state *state, struct swift_motion *swift,
                  struct step_report *report)
{
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        if (swift->shares[r] < 1) {
            report->statistics.stopped_vertices +=
                swift->fractions[r] == 1 ? model->bodies[model->rigids[r].body].vertex_count : 0;
            swift->fractions[r] *= swift->shares[r];
            place_between(&swift->poses[r], &swift->wanted[r], swift->fractions[r], &state->rigids[r]);
        }
    }
    rigid_place_vertices(model, state);
}

static dent_status find(const struct sim_model *model, const struct sim_state *state, struct contact_search *search,
                        const struct swift_motion *swift, double separation, dent_impact_result *found)
{
    dent_status status = world_set_positions(model, search->world, swift->start, state->positions);
    dent_impact_def def = dent_impact_def_default();
    def.separation = separation;
    if (status == DENT_OK) {
        status = dent_world_impacts(search->world, &def, found);
        status = status == DENT_OK ? status
                                   : dent_fail(model->context, status, "impacts of step %llu: %s",
                                               (unsigned long long)state->step, dent_world_message(search->world));
    }
    return status;
}

static double energy_of(const struct sim_model *model, const struct sim_state *state, uint32_t r,
                        const dent_rigid_state *pose, double *kinetic)
{
    const struct sim_rigid *rigid = &model->rigids[r];
    *kinetic = rigid_spin_energy(rigid, pose) + 0.5 * rigid->mass * sim_dot(pose->linear_velocity, pose->linear_velocity);
    return *kinetic - rigid->mass * sim_dot(state->gravity, pose->center);
}

/* A body that is put back where it came from above has not yet the speed of where it would have been. */
static void keep_energies(const struct sim_model *model, struct sim_state *state, const struct swift_motion *swift)
{
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        dent_rigid_state *pose = &state->rigids[r];
        double kinetic, wanted = energy_of(model, state, r, &swift->wanted[r], &kinetic);
        double gained = energy_of(model, state, r, pose, &kinetic) - wanted;
        double factor = gained < kinetic ? sqrt((kinetic - gained) / kinetic) : 0;
        for (int axis = 0; axis < 3 && swift->fractions[r] < 1 && gained > 0; axis++) {
            pose->linear_velocity[axis] *= factor;
            pose->angular_velocity[axis] *= factor;
        }
    }
}

dent_status swift_finish(const struct sim_model *model, struct sim_state *state, struct contact_search *search,
                         struct swift_motion *swift, struct step_report *report, bool *stopped)
{
    uint64_t begin = dent_clock_ns();
    dent_status status = DENT_OK;
    *stopped = false;
    if (!model->stop_swift || !find_swift(model, state, search, swift)) {
        return DENT_OK;
    }
    double separation = separation_of(model, search, swift);
    memcpy(swift->wanted, state->rigids, model->rigid_count * sizeof *swift->wanted);
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        swift->fractions[r] = 1;
    }
    for (uint32_t round = 0; round < MOST_ROUNDS && status == DENT_OK; round++) {
        dent_impact_result found;
        status = find(model, state, search, swift, separation, &found);
        uint64_t count = status == DENT_OK ? shorten(model, search, swift, &found, separation, round) : 0;
        report->statistics.impacts += count;
        if (count == 0) {
            break;
        }
        *stopped = true;
        place(model, state, swift, report);
    }
    *stopped = true; /* margins are used up: detection comes next */
    if (status == DENT_OK) {
        keep_energies(model, state, swift);
        rigid_vertex_velocities(model, state);
    }
    report->ns_detect += dent_clock_ns() - begin;
    return status;
}
