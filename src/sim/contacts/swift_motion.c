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
 * that what touches may slide and part; and what overlaps at the beginning must be free to part. A prescribed body that
 * has used up its margin is swift, too: it cannot be stopped, so what it meets is pushed on before it. Bodies with
 * prevent_crossing are watched by safe_motion.c. */
#include "rigid_islands.h"

#include <math.h>
#include <string.h>

enum { SWIFT_ROUNDS = 3, MOST_ROUNDS = 10 };

/* Bodies that turn by more in a substep move farther than from its beginning to its end. */
#define FAST_TURN 0.5

dent_status swift_build(struct sim_model *model, struct swift_motion *swift)
{
    swift->start = sim_allocate(model, 3 * (size_t)model->vertex_count, sizeof *swift->start);
    swift->travelled = sim_allocate(model, model->body_count, sizeof *swift->travelled);
    swift->overlaps = sim_allocate(model, model->body_count, sizeof *swift->overlaps);
    swift->poses = sim_allocate(model, model->rigid_count, sizeof *swift->poses);
    swift->wanted = sim_allocate(model, model->rigid_count, sizeof *swift->wanted);
    swift->fractions = sim_allocate(model, model->rigid_count, sizeof *swift->fractions);
    swift->shares = sim_allocate(model, model->rigid_count, sizeof *swift->shares);
    swift->near = sim_allocate(model, model->body_count, sizeof *swift->near);
    swift->jointed = sim_allocate(model, model->rigid_count, sizeof *swift->jointed);
    swift->groups = sim_allocate(model, model->rigid_count, sizeof *swift->groups);
    swift->pushes = sim_allocate(model, 3 * (size_t)model->rigid_count, sizeof *swift->pushes);
    swift->turning = sim_allocate(model, model->rigid_count, sizeof *swift->turning);
    swift->frames = sim_allocate(model, model->rigid_count, sizeof *swift->frames);
    swift->attached = sim_allocate(model, model->rigid_count, sizeof *swift->attached);
    swift->excluded = sim_allocate(model, (size_t)model->joint_count + 1, sizeof *swift->excluded);
    return swift->excluded && swift->groups && swift->near && swift->jointed && swift->turning && swift->frames && swift->attached && swift->pushes && swift->start &&
                   swift->travelled && swift->overlaps && swift->poses && swift->wanted && swift->fractions &&
                   swift->shares
               ? DENT_OK
               : sim_no_memory(model->context);
}

void swift_begin_interval(const struct sim_model *model, const struct contact_set *contacts, struct swift_motion *swift)
{
    memset(swift->travelled, 0, model->body_count * sizeof *swift->travelled);
    memset(swift->overlaps, 0, model->body_count * sizeof *swift->overlaps);
    memset(swift->near, 0, model->body_count * sizeof *swift->near);
    swift_find_groups(model, swift);
    for (uint64_t i = 0; i < contacts->count; i++) {
        swift->near[contacts->reported[i].body_a] = swift->near[contacts->reported[i].body_b] = true;
        if (contacts->reported[i].gap < 0) {
            swift->overlaps[contacts->reported[i].body_a] = swift->overlaps[contacts->reported[i].body_b] = true;
        }
    }
}

void swift_begin(const struct sim_model *model, const struct sim_state *state, struct swift_motion *swift)
{
    if (model->rigid_count > 0) {
        sim_copy(model->context, swift->start, state->positions, 3 * (size_t)model->vertex_count * sizeof(double));
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

/* How far a body that turns fast moves at most, whole turns included. */
static double farthest_turn(const struct sim_model *model, const struct sim_state *state,
                            const struct swift_motion *swift, uint32_t rigid)
{
    double largest = 0, move[3], angle = turning_angle(model, &state->rigids[rigid]);
    for (uint32_t v = 0; v < model->bodies[model->rigids[rigid].body].vertex_count; v++) {
        const double *x = model->rigids[rigid].local + 3 * (size_t)v;
        largest = sim_dot(x, x) > largest ? sim_dot(x, x) : largest;
    }
    sim_subtract(state->rigids[rigid].center, swift->poses[rigid].center, move);
    return sqrt(sim_dot(move, move)) + angle * sqrt(largest);
}

static bool is_swift(const struct sim_model *model, const struct contact_search *search,
                     const struct swift_motion *swift, uint32_t body)
{
    bool whole = model->bodies[body].rigid != SIM_NONE || model->bodies[body].kind == DENT_SIM_PRESCRIBED;
    return whole && !model->bodies[body].thin && !swift->overlaps[body] &&
           swift->travelled[body] > search->margins[body];
}

static bool find_swift(const struct sim_model *model, const struct sim_state *state,
                       const struct contact_search *search, struct swift_motion *swift)
{
    bool any = false;
    for (uint32_t b = 0; b < model->body_count && model->rigid_count > 0; b++) {
        const struct sim_body *body = &model->bodies[b];
        bool asleep = body->rigid != SIM_NONE && state->rest[body->rigid].asleep;
        bool still = body->kind == DENT_SIM_PRESCRIBED && !body->motion.function && body->motion.keyframe_count == 0;
        if (!asleep && !still && (body->rigid != SIM_NONE || body->kind == DENT_SIM_PRESCRIBED)) {
            bool turns = body->rigid != SIM_NONE && turning_angle(model, &state->rigids[body->rigid]) > FAST_TURN;
            swift->travelled[b] +=
                turns ? farthest_turn(model, state, swift, body->rigid) : farthest_move(state, swift, body);
            any = any || is_swift(model, search, swift, b);
        }
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

/* A prescribed body goes where it is told; what it meets goes before it: to where it would not be met, with a velocity
 * that is not slower along the normal. False: neither side is prescribed and swift, or the other one is none to push. */
static bool push_on(const struct sim_model *model, struct sim_state *state, const struct contact_search *search,
                    struct swift_motion *swift, const dent_impact *impact, double separation)
{
    uint32_t bodies[2] = {impact->body_a, impact->body_b};
    int told = model->bodies[bodies[0]].kind == DENT_SIM_PRESCRIBED ? 0 : 1;
    uint32_t rigid = model->bodies[bodies[1 - told]].rigid;
    if (rigid == SIM_NONE || model->bodies[bodies[told]].kind != DENT_SIM_PRESCRIBED ||
        !is_swift(model, search, swift, bodies[told])) {
        return false;
    }
    struct impact_ends ends = impact_ends_of(model, search->world, impact);
    double moves[2][3], sign = told == 0 ? -1 : 1; /* of the normal, towards the body that is pushed */
    for (int s = 0; s < 2; s++) {
        const uint32_t *vertices = s == 0 ? ends.vertices_a : ends.vertices_b;
        const double *weights = s == 0 ? ends.weights_a : ends.weights_b;
        double from[3], to[3];
        impact_side_at(model, swift->start, bodies[s], vertices, weights, from);
        impact_side_at(model, state->positions, bodies[s], vertices, weights, to);
        sim_subtract(to, from, moves[s]);
    }
    double told_moves = sign * sim_dot(moves[told], impact->normal);
    double closing = told_moves - sign * sim_dot(moves[1 - told], impact->normal);
    double way = (1 - impact->toi) * closing * 1.001 + 0.1 * separation, *push = swift->pushes + 3 * (size_t)rigid;
    dent_rigid_state *pose = &swift->wanted[rigid];
    double slower = told_moves / model->substep - sign * sim_dot(pose->linear_velocity, impact->normal);
    if (!(closing > 0) || way * way <= sim_dot(push, push)) {
        return closing > 0;
    }
    for (int k = 0; k < 3; k++) {
        push[k] = sign * way * impact->normal[k];
        pose->linear_velocity[k] += slower > 0 ? sign * slower * impact->normal[k] : 0;
    }
    return true;
}

/* Marks how far the bodies of the impacts may go of what they went; returns how many impacts count. */
static uint64_t shorten(const struct sim_model *model, struct sim_state *state, const struct contact_search *search,
                        struct swift_motion *swift, const dent_impact_result *found, double separation, uint32_t round)
{
    uint64_t count = 0;
    memset(swift->pushes, 0, 3 * (size_t)model->rigid_count * sizeof *swift->pushes);
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        swift->shares[r] = 1;
    }
    for (uint64_t i = 0; i < found->count; i++) {
        const dent_impact *impact = &found->impacts[i];
        uint32_t bodies[2] = {impact->body_a, impact->body_b};
        if (bodies_are_joined(model, bodies[0], bodies[1])) {
            continue;
        }
        bool turns = false; /* swift_turns.c sees to them */
        for (int s = 0; s < 2; s++) {
            uint32_t r = model->bodies[bodies[s]].rigid;
            turns = turns || (r != SIM_NONE && swift->turning[r] != SIM_NONE);
        }
        bool told = model->bodies[bodies[0]].kind == DENT_SIM_PRESCRIBED ||
                    model->bodies[bodies[1]].kind == DENT_SIM_PRESCRIBED;
        if (turns && !(told && push_on(model, state, search, swift, impact, separation))) {
            continue;
        }
        bool concerned = is_swift(model, search, swift, bodies[0]) || is_swift(model, search, swift, bodies[1]) ||
                         round >= SWIFT_ROUNDS;
        if (!concerned || impact->toi == 0 || (separation > 0 && impact->toi > 1 - 1e-6)) {
            continue;
        }
        if (push_on(model, state, search, swift, impact, separation)) {
            count++;
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
    swift_spread_shares(model, swift);
    return count;
}

void swift_place_between(const dent_rigid_state *from, const dent_rigid_state *to, double fraction,
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
        const double *push = swift->pushes + 3 * (size_t)r;
        if (sim_dot(push, push) > 0) {
            sim_add_scaled(swift->wanted[r].center, 1, push);
            rigid_wake(model, state, r);
            swift_place_between(&swift->poses[r], &swift->wanted[r], swift->fractions[r], &state->rigids[r]);
            memcpy(state->rigids[r].linear_velocity, swift->wanted[r].linear_velocity, sizeof swift->wanted[r].center);
        }
        if (swift->shares[r] < 1) {
            swift_shorten(model, state, swift, r, swift->shares[r], report);
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

/* A body that was stopped fell for a part of the substep only: what gravity gave it for the rest goes back. */
static void give_back_fall(const struct sim_model *model, struct sim_state *state, const struct swift_motion *swift)
{
    const double *gravity = state->gravity;
    double square = sim_dot(gravity, gravity);
    for (uint32_t r = 0; r < model->rigid_count && square > 0; r++) {
        double *velocity = state->rigids[r].linear_velocity, falling = sim_dot(velocity, gravity) / square;
        double time = (1 - swift->fractions[r]) * model->substep;
        if (time > 0 && falling > 0) {
            sim_add_scaled(velocity, -(time < falling ? time : falling), gravity);
        }
    }
}

/* ---- energy ------------------------------------------------------------------------------------------------------ */

/* All that depends on the places and velocities of rigid bodies. */
static double energy_of_rigids(const struct sim_model *model, const struct sim_state *state,
                               const struct elastic_work *elastic)
{
    double sum = elastic_term_energy(model, state, elastic) + joints_stored(model, state->rigids), kinetic;
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        sum += safe_body_energy(model, state, model->rigids[r].body, &kinetic);
    }
    return sum;
}

static bool pushes_on(const struct sim_model *model, const struct contact_search *search,
                      const struct swift_motion *swift)
{
    bool any = false;
    for (uint32_t b = 0; b < model->body_count && !any; b++) {
        any = model->bodies[b].kind == DENT_SIM_PRESCRIBED && is_swift(model, search, swift, b);
    }
    return any;
}

/* Springs, attachments and loads also worked for a part of the substep only: what bodies that were stopped would gain by
 * that is taken from their velocities. */
static void pay_for_stop(const struct sim_model *model, struct sim_state *state, const struct swift_motion *swift,
                         const struct elastic_work *elastic, double before)
{
    struct load_way way = {state->positions, state->positions, swift->wanted, state->rigids, true};
    double work = model->has_loads ? loads_work(model, &elastic->loads, &way, NULL) : 0, kinetic = 0;
    double gained = energy_of_rigids(model, state, elastic) - before - work;
    state->outer_work += work;
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        double own = 0;
        safe_body_energy(model, state, model->rigids[r].body, &own);
        kinetic += swift->fractions[r] < 1 ? own : 0;
    }
    double factor = gained < kinetic ? sqrt((kinetic - gained) / kinetic) : 0;
    for (uint32_t r = 0; r < model->rigid_count && gained > 0; r++) {
        for (int axis = 0; axis < 3 && swift->fractions[r] < 1; axis++) {
            state->rigids[r].linear_velocity[axis] *= factor;
            state->rigids[r].angular_velocity[axis] *= factor;
        }
    }
}

/* ---- what joints hold ---------------------------------------------------------------------------------------------- */

/* Joints, their limits and motors move bodies on arcs and by displacements after contacts were solved. So bodies of joints,
 * swift or not, also stop before rigid and prescribed bodies that they would really touch; in the last rounds, where that
 * does not end, they stand still for the substep, which is counted. Elastic bodies have prevent_crossing for this. */
enum { HOLDING_ROUNDS = 8 };

static bool is_held(const struct sim_model *model, const struct sim_state *state, const struct swift_motion *swift,
                    uint32_t body)
{
    uint32_t rigid = model->bodies[body].rigid;
    return rigid != SIM_NONE && swift->jointed[rigid] && !state->rest[rigid].asleep && !swift->overlaps[body] &&
           !model->bodies[body].thin;
}

static bool any_held(const struct sim_model *model, const struct sim_state *state, const struct swift_motion *swift)
{
    bool any = false;
    for (uint32_t r = 0; r < model->rigid_count && !any && model->joint_count > 0; r++) {
        uint32_t body = model->rigids[r].body;
        any = swift->near[body] && is_held(model, state, swift, body);
    }
    return any;
}

static uint64_t shorten_held(const struct sim_model *model, const struct sim_state *state, struct swift_motion *swift,
                             const dent_impact_result *found, bool last)
{
    uint64_t count = 0;
    memset(swift->pushes, 0, 3 * (size_t)model->rigid_count * sizeof *swift->pushes);
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        swift->shares[r] = 1;
    }
    for (uint64_t i = 0; i < found->count; i++) {
        const dent_impact *impact = &found->impacts[i];
        uint32_t bodies[2] = {impact->body_a, impact->body_b};
        bool held[2] = {is_held(model, state, swift, bodies[0]), is_held(model, state, swift, bodies[1])};
        bool over = swift->overlaps[bodies[0]] || swift->overlaps[bodies[1]];
        over = over || sim_is_elastic(model->bodies[bodies[0]].kind) || sim_is_elastic(model->bodies[bodies[1]].kind);
        if ((!held[0] && !held[1]) || over || impact->toi == 0 || model->bodies[bodies[0]].thin ||
            model->bodies[bodies[1]].thin || bodies_are_joined(model, bodies[0], bodies[1])) {
            continue;
        }
        for (int s = 0; s < 2; s++) {
            uint32_t r = model->bodies[bodies[s]].rigid;
            double share = last ? 0 : 0.9 * impact->toi;
            if (r != SIM_NONE && swift->fractions[r] > 0) {
                swift->shares[r] = share < swift->shares[r] ? share : swift->shares[r];
                count++;
            }
        }
    }
    swift_spread_shares(model, swift);
    return count;
}

static dent_status hold_groups(const struct sim_model *model, struct sim_state *state, struct contact_search *search,
                               struct swift_motion *swift, struct step_report *report, bool *stopped)
{
    dent_status status = DENT_OK;
    for (uint32_t round = 0; round < HOLDING_ROUNDS && status == DENT_OK; round++) {
        dent_impact_result found;
        bool last = round + 3 > HOLDING_ROUNDS;
        status = find(model, state, search, swift, 0, &found);
        uint64_t count = status == DENT_OK ? shorten_held(model, state, swift, &found, last) : 0;
        if (count == 0) {
            break;
        }
        for (uint32_t r = 0; r < model->rigid_count && last; r++) {
            report->statistics.frozen_bodies += swift->shares[r] == 0;
        }
        report->statistics.impacts += count;
        *stopped = true;
        place(model, state, swift, report);
    }
    return status;
}

/* ---- a substep ends ---------------------------------------------------------------------------------------------- */

static dent_status stop_swift(const struct sim_model *model, struct sim_state *state, struct contact_search *search,
                              struct swift_motion *swift, struct step_report *report, bool *stopped)
{
    double separation = separation_of(model, search, swift);
    dent_status status = DENT_OK;
    for (uint32_t round = 0; round < MOST_ROUNDS && status == DENT_OK; round++) {
        dent_impact_result found;
        if (swift->turning_count > 0) {
            status = turning_limit(model, state, search, swift, separation, report, stopped);
        }
        status = status != DENT_OK ? status : find(model, state, search, swift, separation, &found);
        uint64_t count = status == DENT_OK ? shorten(model, state, search, swift, &found, separation, round) : 0;
        report->statistics.impacts += count;
        if (count == 0) {
            break;
        }
        *stopped = true;
        place(model, state, swift, report);
    }
    *stopped = true; /* margins are used up: detection comes next */
    return status;
}

dent_status swift_finish(const struct sim_model *model, struct sim_state *state, struct contact_search *search,
                         struct swift_motion *swift, const struct elastic_work *elastic, struct step_report *report,
                         bool *stopped)
{
    uint64_t begin = dent_clock_ns();
    dent_status status = DENT_OK;
    *stopped = false;
    bool swift_ones = model->stop_swift && find_swift(model, state, search, swift);
    bool held = model->stop_swift && (swift_ones || any_held(model, state, swift)) && model->joint_count > 0;
    if (!swift_ones && !held) {
        return DENT_OK;
    }
    double before = energy_of_rigids(model, state, elastic);
    memcpy(swift->wanted, state->rigids, model->rigid_count * sizeof *swift->wanted);
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        swift->fractions[r] = 1;
        swift->turning[r] = SIM_NONE;
    }
    if (swift_ones) {
        turning_begin(model, state, swift);
        status = stop_swift(model, state, search, swift, report, stopped);
    }
    if (held && status == DENT_OK) {
        status = hold_groups(model, state, search, swift, report, stopped);
    }
    if (status == DENT_OK && *stopped) {
        give_back_fall(model, state, swift);
        if (!swift_ones || !pushes_on(model, search, swift)) {
            pay_for_stop(model, state, swift, elastic, before);
        }
        rigid_vertex_velocities(model, state);
    }
    report->ns_detect += dent_clock_ns() - begin;
    return status;
}
