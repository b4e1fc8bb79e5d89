/* Which bodies the minimisation moves, and the terms between points: contacts at the beginning of an interval,
 * attachments and grabs in every substep.
 *
 * Stiffness. A contact is four times as stiff as what it pushes: the material over an edge (young * edge; cloth: its
 * stretch), and the inertia of the points in a substep. So it gives way less than the bodies around it, and the
 * equations stay as good as theirs. A hard attachment is a hundred times as stiff as that.
 *
 * Gaps. A contact keeps the sum of the thicknesses. One that is found nearer keeps the gap it has; of those that
 * overlap it grows at a fixed rate, whatever the time step, until they are apart. One that is found again, in a slightly
 * other direction, stores no more than before. So being found costs no energy. */
#include "minimise.h"
#include "rigid_bonds.h"

#include "base/containers/heap_sort.h"
#include "base/containers/key_search.h"
#include "base/containers/union_find.h"

#include <math.h>
#include <string.h>

#define CONTACT_FACTOR 4
#define HARD_FACTOR 100
#define SECONDS_TO_REST_DISTANCE 0.5
#define RECOVERED_EDGES 10 /* mean edges a second by which old overlap comes out */
#define RECOVERED_GAP 0.25 /* of the thicknesses: so far overlap comes out; beyond, what is near stays as near */

/* ---- islands ----------------------------------------------------------------------------------------------------- */

static bool is_elastic(const struct sim_body *body)
{
    return sim_is_elastic(body->kind);
}

static bool is_movable(const struct sim_body *body)
{
    return is_elastic(body) || body->rigid != SIM_NONE;
}

static void join(const struct sim_model *model, uint32_t *islands, uint32_t a, uint32_t b)
{
    if (a != SIM_NONE && b != SIM_NONE && is_movable(&model->bodies[a]) && is_movable(&model->bodies[b])) {
        union_find_join(islands, a, b);
    }
}

void islands_find(const struct sim_model *model, const struct sim_state *state, const struct contact_set *contacts,
                  struct elastic_work *work)
{
    uint32_t *islands = work->minimiser->islands;
    union_find_init(islands, model->body_count);
    memset(work->solved, 0, model->body_count);
    for (uint64_t i = 0; i < contacts->count; i++) {
        join(model, islands, contacts->records[i].body_a, contacts->records[i].body_b);
    }
    for (uint32_t n = 0; n < model->attachment_count; n++) {
        join(model, islands, model->attachments[n].body_a, model->attachments[n].body_b);
    }
    for (uint32_t n = 0; n < model->loads->spring_count; n++) {
        join(model, islands, model->loads->springs[n].a.body, model->loads->springs[n].b.body);
    }
    for (uint32_t n = 0; n < model->joint_count; n++) {
        const uint32_t *rigid = model->joints[n].rigid;
        if (rigid[1] != SIM_NONE) {
            join(model, islands, model->rigids[rigid[0]].body, model->rigids[rigid[1]].body);
        }
    }
    for (uint32_t b = 0; b < model->body_count; b++) {
        if (is_elastic(&model->bodies[b])) {
            work->solved[union_find_root(islands, b)] = 1;
        }
    }
    for (uint32_t n = 0; n < model->attachment_count; n++) {
        const struct sim_attachment *tie = &model->attachments[n];
        work->solved[union_find_root(islands, tie->body_a)] = 1;
        if (tie->body_b != SIM_NONE) {
            work->solved[union_find_root(islands, tie->body_b)] = 1;
        }
    }
    for (uint32_t n = 0; n < model->loads->spring_count; n++) {
        const struct load_spring *spring = &model->loads->springs[n];
        for (int k = 0; k < 2; k++) {
            uint32_t body = k ? spring->b.body : spring->a.body;
            if (body != SIM_NONE) {
                work->solved[union_find_root(islands, body)] = 1;
            }
        }
    }
    for (uint32_t n = 0; n < state->grab_count; n++) {
        work->solved[union_find_root(islands, state->grabs[n].body)] = 1;
    }
    for (uint32_t b = 0; b < model->body_count; b++) {
        work->solved[b] = is_movable(&model->bodies[b]) && work->solved[union_find_root(islands, b)];
    }
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        work->minimiser->inertia.rigid_active[r] = work->solved[model->rigids[r].body];
    }
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

static struct term_point point_in_space(const double place[3])
{
    struct term_point point = {.rigid = SIM_NONE, .vertices = {SIM_NONE, SIM_NONE, SIM_NONE, SIM_NONE}};
    memcpy(point.local, place, sizeof point.local);
    return point;
}

/* A place on a rigid body, in its frame. */
static struct term_point point_on_rigid(const dent_rigid_state *pose, uint32_t rigid, const double place[3])
{
    struct term_point point = {.rigid = rigid, .vertices = {SIM_NONE, SIM_NONE, SIM_NONE, SIM_NONE}};
    double turn[9], arm[3];
    rigid_rotation(pose->orientation, turn);
    sim_subtract(place, pose->center, arm);
    for (int i = 0; i < 3; i++) {
        point.local[i] = turn[i] * arm[0] + turn[3 + i] * arm[1] + turn[6 + i] * arm[2];
    }
    return point;
}

/* Of vertices of one body, numbers of the global array. */
static struct term_point point_of(const struct sim_model *model, uint32_t body, const uint32_t vertices[4],
                                  const double weights[4])
{
    struct term_point point = {.rigid = model->bodies[body].rigid};
    for (int k = 0; k < 4; k++) {
        point.vertices[k] = point.rigid == SIM_NONE ? vertices[k] : SIM_NONE;
        point.weights[k] = vertices[k] == SIM_NONE ? 0 : weights[k];
        if (vertices[k] != SIM_NONE && point.rigid != SIM_NONE) {
            const struct sim_rigid *rigid = &model->rigids[point.rigid];
            size_t n = vertices[k] - model->bodies[body].first_vertex;
            sim_add_scaled(point.local, weights[k], rigid->local + 3 * n);
        }
    }
    return point;
}

static struct term_point contact_point(const struct sim_model *model, const struct contact_set *contacts,
                                       const dent_contact *contact, bool is_a)
{
    uint32_t body = is_a ? contact->body_a : contact->body_b, vertices[4], rigid = model->bodies[body].rigid;
    const uint32_t *numbers = is_a ? contact->vertices_a : contact->vertices_b;
    if (rigid != SIM_NONE) {
        return point_on_rigid(&contacts->rigid_detected[rigid], rigid, is_a ? contact->point_a : contact->point_b);
    }
    for (int k = 0; k < 4; k++) {
        vertices[k] = numbers[k] == SIM_NONE ? SIM_NONE : model->bodies[body].first_vertex + numbers[k];
    }
    return point_of(model, body, vertices, is_a ? contact->weights_a : contact->weights_b);
}

/* How much a force along `direction` (null: any) moves a point in unit time, by inertia alone. */
static double mobility_of(const struct sim_model *model, const struct sim_state *state, const struct term_point *point,
                          const double *direction)
{
    double sum = 0;
    if (point->rigid != SIM_NONE) {
        const dent_rigid_state *pose = &state->rigids[point->rigid];
        double inverse[9], moment[3], arm[3], place[3];
        struct placement at = {state->positions, state->rigids};
        dent_rigid_inverse_inertia(pose, inverse);
        term_point_place(point, &at, place);
        sim_subtract(place, pose->center, arm);
        if (!direction) {
            return pose->inverse_mass + sim_dot(arm, arm) * (inverse[0] + inverse[4] + inverse[8]) / 3;
        }
        sim_cross(arm, direction, moment);
        for (int i = 0; i < 3; i++) {
            sum += moment[i] * sim_dot(inverse + 3 * i, moment);
        }
        return sum + pose->inverse_mass;
    }
    for (int k = 0; k < 4; k++) {
        if (point->vertices[k] != SIM_NONE) {
            sum += point->weights[k] * point->weights[k] * model->inverse_masses[point->vertices[k]];
        }
    }
    return sum;
}

/* What bonds and soft attachments hold a rigid body with. */
static double holding_stiffness(const struct sim_model *model, const struct minimiser *work, uint32_t rigid)
{
    double sum = 0;
    for (uint32_t k = model->bonds->starts[rigid]; k < model->bonds->starts[rigid + 1]; k++) {
        const double *d = work->space.rest_diagonal + 6 * (size_t)model->bonds->bonds[k].vertex;
        sum += (d[0] + d[3] + d[5]) / 3;
    }
    for (uint32_t n = 0; n < model->attachment_count; n++) {
        const struct sim_attachment *tie = &model->attachments[n];
        bool holds = tie->body_a == model->rigids[rigid].body || tie->body_b == model->rigids[rigid].body;
        sum += holds && tie->compliance > 0 ? 1 / tie->compliance : 0;
    }
    for (uint32_t n = 0; n < model->loads->spring_count; n++) {
        const struct load_spring *spring = &model->loads->springs[n];
        bool holds = spring->a.body == model->rigids[rigid].body || spring->b.body == model->rigids[rigid].body;
        sum += holds ? spring->stiffness : 0;
    }
    return sum;
}

/* Of the material over an edge, or ten times what holds a rigid body; 0: hard. */
static double body_stiffness(const struct sim_model *model, const struct minimiser *work, uint32_t body)
{
    const struct sim_body *owner = body == SIM_NONE ? NULL : &model->bodies[body];
    const dent_sim_material *material = owner ? &model->materials[owner->material] : NULL;
    return !owner                           ? 0
           : owner->kind == DENT_SIM_SOLID ? material->young * owner->mean_edge
           : owner->kind == DENT_SIM_CLOTH ? material->stretch
           : owner->kind == DENT_SIM_STRANDS ? 0
           : owner->rigid != SIM_NONE      ? 10 * work->holding[owner->rigid]
                                           : 0;
}

static double stiffness_between(const struct sim_model *model, const struct sim_state *state,
                                const struct minimiser *work, const struct point_term *term, uint32_t body_a, uint32_t body_b,
                                const double *direction)
{
    double mobility = mobility_of(model, state, &term->a, direction) + mobility_of(model, state, &term->b, direction);
    double a = body_stiffness(model, work, body_a), b = body_stiffness(model, work, body_b);
    double softer = a > 0 && (a < b || b == 0) ? a : b;
    double inertia = mobility > 0 ? 2.25 / (mobility * model->substep * model->substep) : 0; /* BDF2's */
    return softer > 0 ? softer + inertia : 25 * inertia;
}

double terms_hard_stiffness(const struct sim_model *model, const struct sim_state *state, const struct minimiser *work,
                            const struct point_term *term, const uint32_t bodies[2])
{
    return HARD_FACTOR * stiffness_between(model, state, work, term, bodies[0], bodies[1], NULL);
}

static bool acts(const struct point_term *term)
{
    return term->stiffness > 0 && isfinite(term->stiffness);
}

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

static bool spring_before(const void *a, const void *b, const void *data)
{
    (void)data;
    return ((const struct sim_spring *)a)->key < ((const struct sim_spring *)b)->key;
}

/* Raised too fast, a stiff contact would throw bodies apart: what it sets free must not make its own mass faster than
 * the rate. */
static void choose_raise(const struct sim_model *model, const struct sim_state *state, const dent_sim_contact *found,
                         const struct sim_spring *spring, struct point_term *term)
{
    const struct sim_body *a = &model->bodies[found->body_a], *b = &model->bodies[found->body_b];
    double rest = a->thickness + b->thickness, rate = rest / SECONDS_TO_REST_DISTANCE;
    double mobility = mobility_of(model, state, &term->a, term->normal) + mobility_of(model, state, &term->b, term->normal);
    rate += found->gap < 0 ? RECOVERED_EDGES * (a->mean_edge < b->mean_edge ? a->mean_edge : b->mean_edge) : 0;
    double period = mobility > 0 ? 2 / sqrt(mobility * term->stiffness) : 0;
    term->raise = rate * (period < model->substep ? period : model->substep);
    term->room = RECOVERED_GAP * rest - spring->target;
}

/* Springs of the contacts that are still there, in the order of the contacts; the others begin anew. */
static dent_status match_springs(const struct sim_model *model, struct sim_state *state,
                                 const struct contact_set *contacts, struct minimiser *work)
{
    dent_status status = sim_reserve(model->context, (void **)&work->new_springs, &work->new_spring_capacity,
                                     contacts->count, sizeof *work->new_springs);
    if (status != DENT_OK) {
        return status;
    }
    heap_sort(state->springs, state->spring_count, sizeof *state->springs, spring_before, NULL);
    for (uint64_t i = 0; i < contacts->count; i++) {
        const dent_sim_contact *found = &contacts->reported[i];
        const struct sim_body *a = &model->bodies[found->body_a], *b = &model->bodies[found->body_b];
        const struct sim_spring *last =
            key_search_record(state->springs, state->spring_count, sizeof *last, found->key);
        struct sim_spring *spring = &work->new_springs[i];
        double rest = a->thickness + b->thickness;
        *spring = last ? *last : (struct sim_spring){.key = found->key, .target = found->gap};
        spring->target = spring->target > found->gap - rest ? spring->target : found->gap - rest;
        spring->target = spring->target < rest ? spring->target : rest;
    }
    struct sim_spring *springs = state->springs;
    uint64_t capacity = state->spring_capacity;
    state->springs = work->new_springs;
    state->spring_capacity = work->new_spring_capacity;
    state->spring_count = contacts->count;
    work->new_springs = springs;
    work->new_spring_capacity = capacity;
    return DENT_OK;
}

/* What the contact stores now is at most what it stored when it was last seen. */
static void store_no_more(struct point_term *term, const struct placement *at, struct sim_spring *spring)
{
    double stored = term_stored(term, at);
    if (stored > spring->energy) {
        double part = sqrt(spring->energy / stored), a[3], b[3], apart[3];
        term_point_place(&term->a, at, a);
        term_point_place(&term->b, at, b);
        sim_subtract(a, b, apart);
        double gap = sim_dot(term->normal, apart) + term->offset;
        double lower = gap < 0 ? (part - 1) * gap : 0;
        term->offset += lower;
        spring->target -= lower;
        for (int axis = 0; axis < 3; axis++) {
            term->slip[axis] *= part;
        }
    }
}

/* Points, normal and stiffness. */
static struct point_term plain_contact(const struct sim_model *model, const struct sim_state *state,
                                       const struct minimiser *work, const struct contact_set *contacts,
                                       uint64_t number)
{
    const dent_contact *contact = &contacts->records[number];
    struct point_term term = {.kind = TERM_CONTACT, .source = number};
    term.a = contact_point(model, contacts, contact, true);
    term.b = contact_point(model, contacts, contact, false);
    memcpy(term.normal, contact->normal, sizeof term.normal);
    double k = CONTACT_FACTOR *
               stiffness_between(model, state, work, &term, contact->body_a, contact->body_b, contact->normal);
    term.stiffness = k / (1 + k * sim_pair_material(model, contact->material_a, contact->material_b).compliance);
    return term;
}

static bool is_solved(const struct elastic_work *elastic, const dent_contact *contact)
{
    return elastic->solved[contact->body_a] || elastic->solved[contact->body_b];
}

void elastic_note_overlap(const struct sim_model *model, struct sim_state *state, const struct contact_set *contacts,
                          struct elastic_work *elastic)
{
    islands_find(model, state, contacts, elastic);
    state->overlap = 0;
    for (uint64_t i = 0; i < contacts->count; i++) {
        double depth = -contacts->reported[i].gap;
        if (depth > 0 && is_solved(elastic, &contacts->records[i])) {
            struct point_term term = plain_contact(model, state, elastic->minimiser, contacts, i);
            state->overlap += acts(&term) ? 0.5 * term.stiffness * depth * depth : 0;
        }
    }
}

static void make_contact(const struct sim_model *model, struct sim_state *state, const struct minimiser *work,
                         const struct contact_set *contacts, uint64_t number, struct point_term *term)
{
    const dent_contact *contact = &contacts->records[number];
    const struct sim_spring *spring = &state->springs[number];
    struct placement at = {state->positions, state->rigids};
    double a[3], b[3], apart[3];
    *term = plain_contact(model, state, work, contacts, number);
    term->sliding = spring->sliding != 0;
    memcpy(term->slip, spring->slip, sizeof term->slip);
    double along = sim_dot(term->slip, term->normal); /* the normal may have turned since */
    sim_add_scaled(term->slip, -along, term->normal);
    term_point_place(&term->a, &at, a);
    term_point_place(&term->b, &at, b);
    sim_subtract(a, b, apart);
    term->offset = contacts->reported[number].gap - spring->target - sim_dot(term->normal, apart);
    dent_contact_material material = sim_pair_material(model, contact->material_a, contact->material_b);
    term->friction[0] = material.friction_static;
    term->friction[1] = material.friction_kinetic;
    store_no_more(term, &at, &state->springs[number]);
    choose_raise(model, state, &contacts->reported[number], spring, term);
}

void terms_build(const struct sim_model *model, struct minimiser *work)
{
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        work->holding[r] = holding_stiffness(model, work, r);
    }
}

dent_status terms_begin_interval(const struct sim_model *model, struct sim_state *state,
                                 const struct contact_set *contacts, struct elastic_work *elastic)
{
    struct minimiser *work = elastic->minimiser;
    dent_status status = match_springs(model, state, contacts, work);
    if (status == DENT_OK) {
        status = sim_reserve(model->context, (void **)&work->terms.terms, &work->terms.capacity,
                             contacts->count + model->attachment_count + model->loads->spring_count + SIM_MOST_GRABS +
                                 TERMS_PER_JOINT * (uint64_t)model->joint_count,
                             sizeof *work->terms.terms);
    }
    work->terms.count = work->terms.contact_count = 0;
    bool overlaps = false;
    for (uint64_t i = 0; i < contacts->count && status == DENT_OK; i++) {
        if (is_solved(elastic, &contacts->records[i])) {
            overlaps = overlaps || contacts->reported[i].gap < 0;
            struct point_term *term = &work->terms.terms[work->terms.count];
            make_contact(model, state, work, contacts, i, term);
            work->terms.count += acts(term);
        } else { /* of rigid bodies alone: stores nothing here */
            state->springs[i].energy = 0;
            memset(state->springs[i].slip, 0, sizeof state->springs[i].slip);
        }
    }
    work->terms.contact_count = work->terms.count;
    work->interval_begins = true;
    state->overlap = overlaps ? state->overlap : 0;
    return status;
}

/* ---- attachments and grabs --------------------------------------------------------------------------------------- */

static const double whole[4] = {1, 0, 0, 0};

/* Bonds and others that do not act: false. */
static bool make_attachment(const struct sim_model *model, const struct sim_state *state, const struct minimiser *work,
                            uint32_t number, struct point_term *term)
{
    const struct sim_attachment *tie = &model->attachments[number];
    if (tie->bonded) {
        return false;
    }
    const uint32_t vertices[4] = {tie->vertex_a, SIM_NONE, SIM_NONE, SIM_NONE};
    *term = (struct point_term){.kind = TERM_SPRING, .source = number, .length = tie->length};
    term->a = point_of(model, tie->body_a, vertices, whole);
    term->b = tie->body_b == SIM_NONE ? point_in_space(tie->point)
                                      : point_of(model, tie->body_b, tie->vertices_b, tie->weights_b);
    term->stiffness = tie->compliance > 0 ? 1 / tie->compliance
                                          : HARD_FACTOR * stiffness_between(model, state, work, term, tie->body_a,
                                                                            tie->body_b, NULL);
    return acts(term);
}

static struct term_point end_of(const struct sim_model *model, const struct spring_end *end)
{
    uint32_t rigid = end->body == SIM_NONE ? SIM_NONE : model->bodies[end->body].rigid;
    bool carried = false;
    for (int k = 0; k < 4; k++) {
        carried = carried || end->vertices[k] != SIM_NONE;
    }
    if (end->body != SIM_NONE && carried) {
        return point_of(model, end->body, end->vertices, end->weights);
    }
    struct term_point point = point_in_space(end->place);
    point.rigid = rigid; /* then the place is an arm */
    return point;
}

/* A spring of the def; `before` is where its ends were at the beginning of the substep. */
static void make_spring(const struct sim_model *model, const struct placement *before, const struct minimiser *work,
                        uint32_t number, struct point_term *term)
{
    const struct load_spring *spring = &model->loads->springs[number];
    double a[3], b[3];
    *term = (struct point_term){.kind = TERM_SPRING, .source = UINT64_MAX, .length = spring->length};
    term->a = end_of(model, &spring->a);
    term->b = end_of(model, &spring->b);
    term->stiffness = spring->stiffness;
    term_point_place(&term->a, before, a);
    term_point_place(&term->b, before, b);
    sim_subtract(a, b, term->start);
    double length = sqrt(sim_dot(term->start, term->start));
    term->damping = length > 0 ? spring->damping * work->inertia.rate : 0;
    for (int k = 0; k < 3; k++) {
        term->normal[k] = length > 0 ? term->start[k] / length : 0;
    }
}

/* What resists a grab: the inertia of its vertex and the elements around it, or of its rigid body and what holds it. */
static double resistance(const struct sim_model *model, const struct sim_state *state, const struct minimiser *work,
                         const struct point_term *grab)
{
    double mobility = mobility_of(model, state, &grab->a, NULL);
    double sum = mobility > 0 ? 1 / (mobility * model->substep * model->substep) : 0;
    uint32_t rigid = grab->a.rigid;
    const double *diagonal = work->space.rest_diagonal;
    if (rigid == SIM_NONE) {
        const double *d = diagonal + 6 * (size_t)grab->a.vertices[0];
        return sum + (d[0] + d[3] + d[5]) / 3;
    }
    sum += work->holding[rigid];
    for (uint32_t n = 0; n < model->attachment_count; n++) {
        const struct sim_attachment *held = &model->attachments[n];
        bool holds = held->body_a == model->rigids[rigid].body || held->body_b == model->rigids[rigid].body;
        struct point_term tie;
        if (holds && held->compliance == 0 && make_attachment(model, state, work, n, &tie)) {
            sum += tie.stiffness;
        }
    }
    return sum;
}

static bool make_grab(const struct sim_model *model, const struct sim_state *state, const struct minimiser *work,
                      uint32_t number, struct point_term *term)
{
    const struct sim_grab *grab = &state->grabs[number];
    uint32_t vertices[4] = {model->bodies[grab->body].first_vertex + grab->vertex, SIM_NONE, SIM_NONE, SIM_NONE};
    *term = (struct point_term){.kind = TERM_SPRING, .source = UINT64_MAX};
    term->a = point_of(model, grab->body, vertices, whole);
    term->b = point_in_space(grab->target);
    term->stiffness = 0.5 * resistance(model, state, work, term);
    return acts(term);
}

/* The gaps that contacts keep become larger, or what they were before. */
static void raise_gaps(struct sim_state *state, struct point_terms *terms, bool undo)
{
    for (uint64_t i = 0; i < terms->contact_count; i++) {
        struct point_term *term = &terms->terms[i];
        double raise = term->raise < term->room ? term->raise : term->room;
        raise = undo ? -term->raised : raise > 0 ? raise : 0;
        term->offset -= raise;
        term->room -= raise;
        term->raised = undo ? 0 : raise;
        state->springs[term->source].target += raise;
    }
}

/* Overlap is pushed out by its own energy and what is in reserve; where these cannot pay, not at all. */
static void push_overlap_out(struct sim_state *state, struct point_terms *terms, const struct placement *at)
{
    double before = terms_stored(terms, at);
    raise_gaps(state, terms, false);
    double paid = terms_stored(terms, at) - before;
    if (paid > state->overlap + state->reserve) {
        raise_gaps(state, terms, true);
    } else if (paid > 0) {
        double of_overlap = paid < state->overlap ? paid : state->overlap;
        state->overlap -= of_overlap;
        state->reserve -= paid - of_overlap;
    }
}

void terms_begin_substep(const struct sim_model *model, struct sim_state *state, const struct placement *before,
                         struct minimiser *work)
{
    struct point_terms *terms = &work->terms;
    terms->count = terms->contact_count;
    for (uint64_t i = 0; i < terms->count; i++) {
        double a[3], b[3];
        term_point_place(&terms->terms[i].a, before, a);
        term_point_place(&terms->terms[i].b, before, b);
        sim_subtract(a, b, terms->terms[i].start);
    }
    push_overlap_out(state, terms, before);
    for (uint32_t n = 0; n < model->attachment_count; n++) {
        terms->count += make_attachment(model, state, work, n, &terms->terms[terms->count]);
    }
    work->first_spring = terms->count;
    for (uint32_t n = 0; n < model->loads->spring_count; n++) {
        make_spring(model, before, work, n, &terms->terms[terms->count++]);
    }
    for (uint32_t n = 0; n < state->grab_count; n++) {
        terms->count += make_grab(model, state, work, n, &terms->terms[terms->count]);
    }
    work->first_joint = terms->count;
    joint_terms_add(model, state, work, terms);
}

/* ---- afterwards -------------------------------------------------------------------------------------------------- */

/* What friction keeps of its stretch: as much as its limit holds. */
static void end_contact(struct point_term *term, const struct placement *at, struct sim_spring *spring)
{
    double a[3], b[3], moved[3];
    term_point_place(&term->a, at, a);
    term_point_place(&term->b, at, b);
    sim_subtract(a, b, moved);
    double gap = sim_dot(term->normal, moved) + term->offset;
    sim_subtract(moved, term->start, moved);
    double along = sim_dot(term->normal, moved), force = gap < 0 ? -term->stiffness * gap : 0;
    memcpy(term->begun, term->slip, sizeof term->begun);
    for (int axis = 0; axis < 3; axis++) {
        term->slip[axis] += moved[axis] - along * term->normal[axis];
    }
    double stretch = term->stiffness * sqrt(sim_dot(term->slip, term->slip));
    bool slides = stretch > term->friction[term->sliding ? 1 : 0] * force;
    double kept = stretch > 0 ? term->friction[1] * force / stretch : 0;
    for (int axis = 0; axis < 3 && slides; axis++) {
        term->slip[axis] *= kept < 1 ? kept : 1;
    }
    term->sliding = slides && force > 0;
    spring->sliding = term->sliding;
    memcpy(spring->slip, term->slip, sizeof spring->slip);
    spring->energy = term_stored(term, at);
}

void terms_end_substep(const struct sim_model *model, struct sim_state *state, struct contact_set *contacts,
                       struct minimiser *work)
{
    (void)model;
    struct placement at = {state->positions, state->rigids};
    double share = 1.0 / contacts->substeps;
    terms_linearise(&work->terms, &at);
    for (uint64_t i = 0; i < work->terms.contact_count; i++) {
        struct point_term *term = &work->terms.terms[i];
        sim_add_scaled(contacts->reported[term->source].force, share, term->force);
        end_contact(term, &at, &state->springs[term->source]);
    }
}

void terms_go_back(struct sim_state *state, struct minimiser *work, double part)
{
    struct placement at = {state->positions, state->rigids};
    for (uint64_t i = 0; i < work->terms.contact_count; i++) {
        struct point_term *term = &work->terms.terms[i];
        struct sim_spring *spring = &state->springs[term->source];
        for (int axis = 0; axis < 3; axis++) {
            double more = part > 0 ? part * (term->slip[axis] - term->begun[axis]) : 0;
            term->slip[axis] = part == 1 ? term->slip[axis] : term->begun[axis] + more;
        }
        memcpy(spring->slip, term->slip, sizeof spring->slip);
        spring->energy = term_stored(term, &at);
    }
}

/* ---- from the state alone: before the first step and after a checkpoint, too ---------------------------------------- */

double elastic_term_energy(const struct sim_model *model, const struct sim_state *state,
                           const struct elastic_work *work)
{
    struct placement at = {state->positions, state->rigids};
    struct point_term term;
    double sum = state->overlap;
    for (uint64_t i = 0; i < state->spring_count; i++) {
        sum += state->springs[i].energy;
    }
    for (uint32_t n = 0; n < model->attachment_count; n++) {
        if (make_attachment(model, state, work->minimiser, n, &term)) {
            sum += term_stored(&term, &at);
        }
    }
    for (uint32_t n = 0; n < model->loads->spring_count; n++) {
        make_spring(model, &at, work->minimiser, n, &term);
        sum += term_stored(&term, &at);
    }
    for (uint32_t n = 0; n < state->grab_count; n++) {
        if (make_grab(model, state, work->minimiser, n, &term)) {
            sum += term_stored(&term, &at);
        }
    }
    return sum;
}

void elastic_attachment_forces(const struct sim_model *model, const struct sim_state *state,
                               const struct elastic_work *work, double *forces)
{
    struct placement at = {state->positions, state->rigids};
    uint32_t count = model->attachment_count - model->root_attachment_count;
    if (count == 0) {
        return; /* `forces` may be null */
    }
    memset(forces, 0, 3 * (size_t)count * sizeof *forces);
    for (uint32_t n = 0; n < count; n++) {
        struct point_term term;
        struct point_terms alone = {.terms = &term, .count = 1};
        if (make_attachment(model, state, work->minimiser, n, &term)) {
            terms_linearise(&alone, &at);
            memcpy(forces + 3 * (size_t)n, term.force, sizeof term.force);
        }
    }
    for (uint32_t k = 0; k < model->bonds->bond_count; k++) { /* a bond holds what the elements pull */
        double pull[3];
        elastic_force(model, state, model->bonds->bonds[k].vertex, pull);
        for (size_t axis = 0; axis < 3; axis++) {
            forces[3 * (size_t)model->bonds->bonds[k].attachment + axis] = -pull[axis];
        }
    }
}
