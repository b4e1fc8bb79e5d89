/* Islands of rigid bodies: made from the contacts of an interval, solved in every substep (rigid/island_solver.h).
 *
 * A substep has three problems for an island, in velocities v of its bodies:
 *
 *   push      from free flight, no contact comes nearer than its gap allows: n . u >= -gap / h, or 0 where it overlaps;
 *             Coulomb friction. Poses follow from v
 *   bounce    contacts that pushed and were met faster than 2 g h part with restitution times the speed they met with
 *   recover   displacements, outside velocities, that take overlap out at RECOVERY_EDGES mean edges a second: bodies
 *             that begin in one another part without gaining speed
 *
 * The point at which a contact acts is one point for both sides, and its normal turns with side b, so momentum and
 * angular momentum are kept. Islands are independent: each is one block of a parallel loop. */
#include "rigid_islands.h"

#include "base/containers/union_find.h"

#include <math.h>
#include <string.h>

/* Overlap comes out by so many mean edges a second. */
#define RECOVERY_EDGES 2.0
/* Of that, against gravity. */
#define UPWARD_SHARE 0.05
/* While bodies are in one another, or nearer than this share of their rest distance, what is above so many edges a second
 * of the speeds in their island decays in this time. */
#define NEAR_SHARE 0.4
#define SINKING_SECONDS 0.02
#define SINKING_EDGES 1.0
/* Depths whose error is not below them are estimates: this share of them counts. */
#define UNCERTAIN_SHARE 0.25

/* Large islands that move by more than a mean edge a second may keep this share of their speed into contacts. */
#define ROUGH_SHARE 0.2

enum { PUSH_ROUNDS = 12, RECOVER_ROUNDS = 3, JOINT_ROUNDS = 6 };

/* ---- life -------------------------------------------------------------------------------------------------------- */

static double radius_of(const struct sim_model *model, const struct sim_rigid *rigid)
{
    double largest = 0;
    for (uint32_t v = 0; v < model->bodies[rigid->body].vertex_count; v++) {
        const double *x = rigid->local + 3 * (size_t)v;
        largest = sim_dot(x, x) > largest ? sim_dot(x, x) : largest;
    }
    return sqrt(largest);
}

static void mark_tied(const struct sim_model *model, struct rigid_islands *islands)
{
    for (uint32_t n = 0; n < model->attachment_count; n++) {
        const struct sim_attachment *tie = &model->attachments[n];
        uint32_t sides[2] = {tie->body_a, tie->body_b};
        for (int s = 0; s < 2; s++) {
            if (sides[s] != SIM_NONE && model->bodies[sides[s]].rigid != SIM_NONE) {
                islands->tied[model->bodies[sides[s]].rigid] = true;
            }
        }
    }
}

dent_status islands_build(struct sim_model *model, struct rigid_islands *islands)
{
    size_t count = model->rigid_count;
    islands->radii = sim_allocate(model, count, sizeof *islands->radii);
    islands->slots = sim_allocate(model, count, sizeof *islands->slots);
    islands->tied = sim_allocate(model, count, sizeof *islands->tied);
    islands->parents = sim_allocate(model, model->body_count, sizeof *islands->parents);
    islands->foreign = sim_allocate(model, model->body_count, sizeof *islands->foreign);
    islands->islands = sim_allocate(model, count, sizeof *islands->islands);
    islands->bodies = sim_allocate(model, count, sizeof *islands->bodies);
    islands->levels = sim_allocate(model, count, sizeof *islands->levels);
    islands->heads = sim_allocate(model, count, sizeof *islands->heads);
    islands->vectors = sim_allocate(model, 24 * count, sizeof *islands->vectors);
    islands->joint_counts = sim_allocate(model, count, sizeof *islands->joint_counts);
    islands->joints = sim_allocate(model, JOINT_ROWS * (size_t)model->joint_count, sizeof *islands->joints);
    if (!islands->joint_counts || !islands->joints || !islands->radii || !islands->slots || !islands->tied ||
        !islands->parents || !islands->foreign || !islands->islands || !islands->bodies || !islands->levels ||
        !islands->heads || !islands->vectors) {
        return sim_no_memory(model->context);
    }
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        islands->radii[r] = radius_of(model, &model->rigids[r]);
    }
    mark_tied(model, islands);
    return DENT_OK;
}

void islands_tie_joints(const struct sim_model *model, struct rigid_islands *islands)
{
    for (uint32_t n = 0; n < model->joint_count; n++) {
        for (int s = 0; s < 2; s++) {
            if (model->joints[n].rigid[s] != SIM_NONE) {
                islands->tied[model->joints[n].rigid[s]] = true;
            }
        }
    }
}

void islands_destroy(dent_context *context, struct rigid_islands *islands)
{
    dent_release(context, islands->rows, (size_t)islands->row_capacity, sizeof *islands->rows);
    dent_release(context, islands->pairs, (size_t)islands->pair_capacity, sizeof *islands->pairs);
    dent_release(context, islands->links, (size_t)islands->link_capacity, sizeof *islands->links);
    rows_release(context, islands);
    block_room_release(context, &islands->room);
}

/* ---- who is connected -------------------------------------------------------------------------------------------- */

static bool is_prescribed(const struct sim_model *model, uint32_t body)
{
    return model->bodies[body].kind == DENT_SIM_PRESCRIBED;
}

/* The minimisation moves it: elastic, or with something elastic, an attachment or a grab in its island. */
static bool is_foreign(const struct sim_model *model, const struct elastic_work *work, uint32_t body)
{
    return !is_prescribed(model, body) && (model->bodies[body].rigid == SIM_NONE || work->solved[body]);
}

static void join_contacts(const struct sim_model *model, const struct contact_set *contacts,
                          struct rigid_islands *islands, bool without_foreign)
{
    union_find_init(islands->parents, model->body_count);
    for (uint64_t i = 0; i < contacts->count; i++) {
        uint32_t a = contacts->records[i].body_a, b = contacts->records[i].body_b;
        bool foreign = without_foreign && (islands->foreign[a] || islands->foreign[b]);
        if (!is_prescribed(model, a) && !is_prescribed(model, b) && !foreign) {
            union_find_join(islands->parents, a, b);
        }
    }
}

/* Groups with something elastic are found first; their contacts connect nothing here. Joints always do. */
static void connect_bodies(const struct sim_model *model, const struct contact_set *contacts,
                           const struct elastic_work *work, struct rigid_islands *islands)
{
    join_contacts(model, contacts, islands, false);
    memset(islands->foreign, 0, model->body_count * sizeof *islands->foreign);
    for (uint32_t b = 0; b < model->body_count; b++) {
        if (is_foreign(model, work, b)) {
            islands->foreign[union_find_root(islands->parents, b)] = true;
        }
    }
    for (uint32_t b = 0; b < model->body_count; b++) {
        islands->foreign[b] = islands->foreign[union_find_root(islands->parents, b)];
    }
    join_contacts(model, contacts, islands, true);
    for (uint32_t n = 0; n < model->joint_count; n++) {
        const uint32_t *rigid = model->joints[n].rigid;
        if (rigid[0] != SIM_NONE && rigid[1] != SIM_NONE) {
            union_find_join(islands->parents, model->rigids[rigid[0]].body, model->rigids[rigid[1]].body);
        }
    }
}

/* The body that says which island a contact belongs to; SIM_NONE: none. */
static uint32_t owner_of(const struct sim_model *model, struct rigid_islands *islands, const dent_contact *contact)
{
    uint32_t body = is_prescribed(model, contact->body_a) ? contact->body_b : contact->body_a;
    if (is_prescribed(model, body)) {
        return SIM_NONE;
    }
    return islands->foreign[body] ? SIM_NONE : union_find_root(islands->parents, body);
}

/* Islands in the order of their first bodies, bodies ascending; levels[] holds the number of the island of a root. */
static uint32_t count_rows(const struct sim_model *model, struct contact_set *contacts, struct rigid_islands *islands)
{
    uint32_t owned = 0;
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        islands->slots[r] = SIM_NONE;
        islands->heads[r] = 0; /* contacts of the root */
        islands->joint_counts[r] = 0;
    }
    for (uint32_t n = 0; n < model->joint_count; n++) {
        uint32_t root = union_find_root(islands->parents, joint_owner(model, &model->joints[n]));
        islands->joint_counts[model->bodies[root].rigid] += joint_row_count(&model->joints[n]);
    }
    for (uint64_t i = 0; i < contacts->count; i++) {
        uint32_t root = owner_of(model, islands, &contacts->records[i]);
        contacts->owned[i] = root != SIM_NONE;
        if (contacts->owned[i]) {
            islands->heads[model->bodies[root].rigid]++;
            owned++;
        }
    }
    return owned;
}

static bool has_island(const struct rigid_islands *islands, uint32_t root)
{
    return root != SIM_NONE && (islands->heads[root] > 0 || islands->joint_counts[root] > 0);
}

static void place_bodies(const struct sim_model *model, struct rigid_islands *islands)
{
    uint32_t first_row = 0, first_joint = 0;
    islands->island_count = islands->body_count = 0;
    for (uint32_t r = 0; r < model->rigid_count; r++) { /* roots are the smallest of their islands */
        uint32_t body = model->rigids[r].body;
        if (union_find_root(islands->parents, body) == body && has_island(islands, r)) {
            islands->levels[r] = islands->island_count;
            islands->islands[islands->island_count++] =
                (struct island){.first_row = first_row, .first_joint = first_joint};
            first_row += islands->heads[r];
            first_joint += islands->joint_counts[r];
        }
    }
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        uint32_t root = model->bodies[union_find_root(islands->parents, model->rigids[r].body)].rigid;
        if (has_island(islands, root)) {
            islands->islands[islands->levels[root]].body_count++;
        }
    }
    for (uint32_t n = 0; n < islands->island_count; n++) {
        islands->islands[n].first_body = islands->body_count;
        islands->body_count += islands->islands[n].body_count;
        islands->islands[n].body_count = 0;
    }
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        uint32_t root = model->bodies[union_find_root(islands->parents, model->rigids[r].body)].rigid;
        if (has_island(islands, root)) {
            struct island *island = &islands->islands[islands->levels[root]];
            islands->slots[r] = island->first_body + island->body_count++;
            island->foreign = island->foreign || islands->foreign[model->rigids[r].body];
            islands->bodies[islands->slots[r]] = (struct island_body){.rigid = r,
                                                                      .mass = model->rigids[r].mass,
                                                                      .inverse_mass = 1 / model->rigids[r].mass,
                                                                      .radius = islands->radii[r]};
        }
    }
}

static void place_rows(const struct sim_model *model, const struct contact_set *contacts, struct rigid_islands *islands)
{
    for (uint64_t i = 0; i < contacts->count; i++) {
        if (!contacts->owned[i]) {
            continue;
        }
        const dent_contact *contact = &contacts->records[i];
        uint32_t root = owner_of(model, islands, contact);
        struct island *island = &islands->islands[islands->levels[model->bodies[root].rigid]];
        struct island_row *row = &islands->rows[island->first_row + island->row_count++];
        uint32_t sides[2] = {contact->body_a, contact->body_b};
        dent_contact_material material = sim_pair_material(model, contact->material_a, contact->material_b);
        *row = (struct island_row){.contact = i, .pair = SIM_NONE};
        row->friction_static = material.friction_static;
        row->friction_kinetic =
            material.friction_kinetic < material.friction_static ? material.friction_kinetic : material.friction_static;
        row->restitution = material.restitution;
        row->yield = material.compliance / (model->substep * model->substep);
        for (int s = 0; s < 2; s++) {
            uint32_t rigid = model->bodies[sides[s]].rigid;
            row->side[s] = rigid == SIM_NONE ? SIM_NONE : islands->slots[rigid] - island->first_body;
        }
    }
    for (uint32_t n = 0; n < model->joint_count; n++) {
        uint32_t root = union_find_root(islands->parents, joint_owner(model, &model->joints[n]));
        joint_place_rows(model, n, islands, &islands->islands[islands->levels[model->bodies[root].rigid]]);
    }
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* The pair of two bodies in the list of the lower one, added where it is new. */
static uint32_t find_pair(struct rigid_islands *islands, const struct island *island, uint32_t low, uint32_t high)
{
    uint32_t *head = &islands->heads[island->first_body + low];
    for (uint32_t p = *head; p != SIM_NONE; p = islands->links[p]) {
        if (islands->pairs[p].high == high) {
            return p;
        }
    }
    islands->pairs[islands->pair_count] = (struct block_pair){low, high};
    islands->links[islands->pair_count] = *head;
    return *head = islands->pair_count++;
}

/* Ascending, by insertion from lists that are short; links[] then says where a pair went. */
static void sort_pairs(struct rigid_islands *islands, const struct island *island, struct block_pair *sorted)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < island->body_count; i++) {
        uint32_t begin = count;
        for (uint32_t p = islands->heads[island->first_body + i], next; p != SIM_NONE; p = next) {
            next = islands->links[p];
            uint32_t k = count++;
            for (; k > begin && sorted[k - 1].high > islands->pairs[p].high; k--) {
                sorted[k] = sorted[k - 1];
            }
            sorted[k] = islands->pairs[p];
        }
        /* heads[] from now on: where the pairs of a row begin */
        islands->heads[island->first_body + i] = begin;
    }
}

static uint32_t find_sorted(const struct rigid_islands *islands, const struct island *island, uint32_t low,
                            uint32_t high)
{
    uint32_t p = island->first_pair + islands->heads[island->first_body + low];
    while (islands->pairs[p].high != high) {
        p++;
    }
    return p - island->first_pair;
}

/* The pair of two sides: made in the first pass, found in the second. */
static void pair_sides(struct rigid_islands *islands, const struct island *island, const uint32_t side[2], int pass,
                       uint32_t *pair)
{
    uint32_t low = side[0] < side[1] ? side[0] : side[1], high = side[0] < side[1] ? side[1] : side[0];
    if (high == SIM_NONE) {
        *pair = SIM_NONE;
    } else if (pass == 0) {
        find_pair(islands, island, low, high);
    } else {
        *pair = find_sorted(islands, island, low, high);
    }
}

static void make_pairs(struct rigid_islands *islands, struct island *island)
{
    island->first_pair = islands->pair_count;
    for (uint32_t i = 0; i < island->body_count; i++) {
        islands->heads[island->first_body + i] = SIM_NONE;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t r = 0; r < island->row_count; r++) {
            struct island_row *row = &islands->rows[island->first_row + r];
            pair_sides(islands, island, row->side, pass, &row->pair);
        }
        for (uint32_t r = 0; r < island->joint_count; r++) {
            struct joint_row *row = &islands->joints[island->first_joint + r];
            pair_sides(islands, island, row->side, pass, &row->pair);
        }
        if (pass == 0) {
            island->pair_count = islands->pair_count - island->first_pair;
            struct block_pair *sorted = islands->pairs + islands->pair_count;
            sort_pairs(islands, island, sorted);
            memmove(islands->pairs + island->first_pair, sorted, island->pair_count * sizeof *sorted);
        }
    }
}

/* How many contacts lie between a body and its support, at most; without support from the first body. */
static void count_layers(struct rigid_islands *islands, struct island *island)
{
    uint32_t *levels = islands->levels + island->first_body;
    bool changed = true, supported = false;
    for (uint32_t i = 0; i < island->body_count; i++) {
        levels[i] = SIM_NONE;
    }
    for (uint32_t r = 0; r < island->row_count; r++) {
        const struct island_row *row = &islands->rows[island->first_row + r];
        for (int s = 0; s < 2; s++) {
            if (row->side[1 - s] == SIM_NONE) {
                levels[row->side[s]] = 1;
                supported = true;
            }
        }
    }
    for (uint32_t r = 0; r < island->joint_count; r++) {
        const struct joint_row *row = &islands->joints[island->first_joint + r];
        if (row->side[1] == SIM_NONE) {
            levels[row->side[0]] = 1;
            supported = true;
        }
    }
    levels[0] = supported ? levels[0] : 1;
    island->supported = supported;
    for (bool forward = true; changed; forward = !forward) {
        changed = false;
        for (uint32_t n = 0; n < island->pair_count; n++) {
            uint32_t p = island->first_pair + (forward ? n : island->pair_count - 1 - n);
            uint32_t *low = &levels[islands->pairs[p].low], *high = &levels[islands->pairs[p].high];
            if (*low != SIM_NONE && (*high == SIM_NONE || *high > *low + 1)) {
                *high = *low + 1;
                changed = true;
            } else if (*high != SIM_NONE && (*low == SIM_NONE || *low > *high + 1)) {
                *low = *high + 1;
                changed = true;
            }
        }
    }
    for (uint32_t i = 0; i < island->body_count; i++) {
        island->layers = levels[i] != SIM_NONE && levels[i] > island->layers ? levels[i] : island->layers;
    }
}

dent_status islands_begin(const struct sim_model *model, struct contact_set *contacts, const struct elastic_work *work,
                          struct rigid_islands *islands)
{
    dent_context *context = model->context;
    islands->island_count = islands->body_count = islands->row_count = islands->pair_count = 0;
    block_room_clear(&islands->room);
    dent_status status =
        sim_reserve(context, (void **)&contacts->owned, &contacts->owned_capacity, contacts->count, sizeof(bool));
    if (status != DENT_OK || model->rigid_count == 0) {
        if (status == DENT_OK && contacts->count > 0) {
            memset(contacts->owned, 0, (size_t)contacts->count * sizeof(bool));
        }
        return status;
    }
    if (contacts->count > UINT32_MAX / 2) {
        return dent_fail(context, DENT_ERROR_TOO_LARGE, "%llu contacts are too many for 32-bit numbers",
                         (unsigned long long)contacts->count);
    }
    connect_bodies(model, contacts, work, islands);
    islands->row_count = count_rows(model, contacts, islands);
    place_bodies(model, islands);
    status = sim_reserve(context, (void **)&islands->rows, &islands->row_capacity, islands->row_count,
                         sizeof *islands->rows);
    status = status == DENT_OK
                 ? sim_reserve(context, (void **)&islands->pairs, &islands->pair_capacity,
                               2 * ((uint64_t)islands->row_count + JOINT_ROWS * (uint64_t)model->joint_count),
                               sizeof *islands->pairs)
                 : status;
    status = status == DENT_OK
                 ? sim_reserve(context, (void **)&islands->links, &islands->link_capacity,
                               islands->row_count + JOINT_ROWS * (uint64_t)model->joint_count, sizeof *islands->links)
                 : status;
    if (status != DENT_OK) {
        return status;
    }
    place_rows(model, contacts, islands);
    status = rows_reduce(model, contacts, islands);
    for (uint32_t n = 0; n < islands->island_count; n++) {
        make_pairs(islands, &islands->islands[n]);
        count_layers(islands, &islands->islands[n]);
    }
    for (uint32_t n = 0; n < islands->island_count && status == DENT_OK; n++) {
        struct island *island = &islands->islands[n];
        status = block_matrix_plan(context, &islands->room, islands->pairs + island->first_pair, island->pair_count,
                                   island->body_count, &island->matrix);
    }
    return status;
}

/* ---- geometry of a row ------------------------------------------------------------------------------------------- */

struct islands_call {
    const struct sim_model *model;
    struct sim_state *state;
    const struct contact_set *contacts;
    const double *start;
    const struct rigid_motion *motion;
    struct rigid_islands *islands;
};

/* The point of a side, on a rigid body at `pose`, else by its vertices at `positions`. */
static void side_point(const struct sim_model *model, const struct contact_set *contacts,
                       const struct contact_side *side, const dent_rigid_state *poses, const double *positions,
                       double point[3])
{
    uint32_t rigid = model->bodies[side->body].rigid;
    if (rigid != SIM_NONE) {
        dent_rigid_move_point(&contacts->rigid_detected[rigid], &poses[rigid], side->point, point);
        return;
    }
    point[0] = point[1] = point[2] = 0;
    for (int k = 0; k < 4; k++) {
        if (side->vertices[k] != SIM_NONE) {
            sim_add_scaled(point, side->weights[k], positions + 3 * (side->first + side->vertices[k]));
        }
    }
}

/* A direction that turned with a body since contacts were found. */
static void turned_direction(const struct sim_model *model, const struct contact_set *contacts, uint32_t body,
                             const dent_rigid_state *poses, const double *direction, double turned[3])
{
    uint32_t rigid = model->bodies[body].rigid;
    memcpy(turned, direction, 3 * sizeof *turned);
    if (rigid != SIM_NONE && memcmp(contacts->rigid_detected[rigid].orientation, poses[rigid].orientation,
                                    sizeof poses[rigid].orientation) != 0) {
        double before[9], after[9], local[3];
        rigid_rotation(contacts->rigid_detected[rigid].orientation, before);
        rigid_rotation(poses[rigid].orientation, after);
        for (int i = 0; i < 3; i++) {
            local[i] = before[i] * direction[0] + before[3 + i] * direction[1] + before[6 + i] * direction[2];
        }
        for (int i = 0; i < 3; i++) {
            turned[i] = sim_dot(after + 3 * i, local);
        }
        double length = sqrt(sim_dot(turned, turned));
        for (int i = 0; i < 3; i++) {
            turned[i] /= length;
        }
    }
}

/* The direction of an edge of a contact side. */
static void edge_direction(const struct sim_model *model, const struct contact_side *side,
                           const dent_rigid_state *poses, const double *positions, double direction[3])
{
    uint32_t rigid = model->bodies[side->body].rigid;
    if (rigid == SIM_NONE) {
        sim_subtract(positions + 3 * (side->first + side->vertices[1]),
                     positions + 3 * (side->first + side->vertices[0]), direction);
        return;
    }
    const double *local = model->rigids[rigid].local;
    double turn[9], along[3];
    sim_subtract(local + 3 * (size_t)side->vertices[1], local + 3 * (size_t)side->vertices[0], along);
    rigid_rotation(poses[rigid].orientation, turn);
    for (int i = 0; i < 3; i++) {
        direction[i] = sim_dot(turn + 3 * i, along);
    }
}

/* Two edges that are not nearly parallel have their common perpendicular as normal, however the bodies turn, and act
 * where their lines are nearest. False: keep the normal that was found, and the points. */
static bool measure_edges(const struct sim_model *model, const dent_contact *contact, const struct contact_side *sides,
                          const dent_rigid_state *poses, const double *positions, double points[2][3], double normal[3])
{
    double edges[2][3], cross[3], apart[3];
    for (int s = 0; s < 2; s++) {
        if (sides[s].vertices[0] == SIM_NONE || sides[s].vertices[1] == SIM_NONE) {
            return false;
        }
        edge_direction(model, &sides[s], poses, positions, edges[s]);
    }
    double aa = sim_dot(edges[0], edges[0]), bb = sim_dot(edges[1], edges[1]), ab = sim_dot(edges[0], edges[1]);
    sim_cross(edges[0], edges[1], cross);
    double square = sim_dot(cross, cross);
    if (!(square > 1e-2 * aa * bb)) {
        return false;
    }
    double length = sim_dot(cross, contact->normal) < 0 ? -sqrt(square) : sqrt(square);
    for (int i = 0; i < 3; i++) {
        normal[i] = cross[i] / length;
    }
    sim_subtract(points[1], points[0], apart);
    double da = sim_dot(apart, edges[0]), db = sim_dot(apart, edges[1]);
    sim_add_scaled(points[0], (da * bb - db * ab) / square, edges[0]);
    sim_add_scaled(points[1], (da * ab - db * aa) / square, edges[1]);
    return true;
}

/* Depths that are estimates count in part. */
static double certain_gap(const dent_contact *contact)
{
    bool uncertain = contact->gap < 0 && contact->error >= -contact->gap;
    return uncertain ? UNCERTAIN_SHARE * contact->gap : contact->gap;
}

/* Normal, arms and gap of a row with the bodies at `poses` and prescribed vertices at `positions`. */
static void measure_row(const struct islands_call *call, const struct island_body *bodies, struct island_row *row,
                        const dent_rigid_state *poses, const double *positions)
{
    const struct sim_model *model = call->model;
    const dent_contact *contact = &call->contacts->records[row->contact];
    struct contact_side sides[2] = {contact_side(model, contact, 0), contact_side(model, contact, 1)};
    double points[2][3], apart[3], found[3], acting[3];
    for (int s = 0; s < 2; s++) {
        side_point(model, call->contacts, &sides[s], poses, positions, points[s]);
    }
    bool edges = contact->kind == DENT_CONTACT_EDGE_EDGE;
    if (edges) {
        memcpy(row->normal, contact->normal, sizeof contact->normal);
        measure_edges(model, contact, sides, poses, positions, points, row->normal);
    } else {
        turned_direction(model, call->contacts, contact->body_b, poses, contact->normal, row->normal);
    }
    sim_subtract(points[0], points[1], apart);
    sim_subtract(contact->point_a, contact->point_b, found);
    row->gap = certain_gap(contact) + (sim_dot(row->normal, apart) - sim_dot(contact->normal, found));
    for (int i = 0; i < 3; i++) {
        acting[i] = edges ? 0.5 * (points[0][i] + points[1][i]) : points[0][i];
    }
    for (int s = 0; s < 2; s++) {
        if (row->side[s] != SIM_NONE) {
            sim_subtract(acting, poses[bodies[row->side[s]].rigid].center, row->arm[s]);
        }
    }
}

/* How prescribed sides move in the substep. */
static void measure_drift(const struct islands_call *call, struct island_row *row)
{
    const dent_contact *contact = &call->contacts->records[row->contact];
    row->drift[0] = row->drift[1] = row->drift[2] = 0;
    for (int s = 0; s < 2; s++) {
        struct contact_side side = contact_side(call->model, contact, s);
        double before[3], after[3];
        if (row->side[s] != SIM_NONE) {
            continue;
        }
        side_point(call->model, call->contacts, &side, NULL, call->start, before);
        side_point(call->model, call->contacts, &side, NULL, call->state->positions, after);
        for (int i = 0; i < 3; i++) {
            row->drift[i] += side.sign * (after[i] - before[i]) / call->model->substep;
        }
    }
    row->moving = row->drift[0] != 0 || row->drift[1] != 0 || row->drift[2] != 0;
}

/* ---- push -------------------------------------------------------------------------------------------------------- */

void island_fill_body(const struct sim_model *model, const dent_rigid_state *pose, struct island_body *body)
{
    double turn[9], half[9];
    rigid_rotation(pose->orientation, turn);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const double *inertia = model->rigids[body->rigid].inertia;
            half[3 * i + j] =
                turn[3 * i] * inertia[j] + turn[3 * i + 1] * inertia[3 + j] + turn[3 * i + 2] * inertia[6 + j];
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            body->inertia[3 * i + j] = sim_dot(half + 3 * i, turn + 3 * j);
        }
    }
    dent_rigid_inverse_inertia(pose, body->inverse_inertia);
}

/* The velocity that leads to the pose as it is: of free flight, and what attachments and grabs did since. */
static void free_velocity(const struct islands_call *call, uint32_t rigid, double velocity[6])
{
    const dent_rigid_state *pose = &call->state->rigids[rigid], *free = &call->motion->free[rigid];
    double h = call->model->substep;
    memcpy(velocity, free->linear_velocity, 3 * sizeof *velocity);
    memcpy(velocity + 3, free->angular_velocity, 3 * sizeof *velocity);
    if (memcmp(pose->center, free->center, sizeof pose->center) != 0 ||
        memcmp(pose->orientation, free->orientation, sizeof pose->orientation) != 0) {
        dent_rigid_state moved = *pose;
        dent_rigid_velocity_between(free, &moved, h);
        sim_add_scaled(velocity, 1, moved.linear_velocity);
        sim_add_scaled(velocity + 3, 1, moved.angular_velocity);
    }
}

static struct island_problem problem_of(const struct islands_call *call, struct island *island)
{
    struct rigid_islands *islands = call->islands;
    double *vectors = islands->vectors + 24 * (size_t)island->first_body;
    size_t count = 6 * (size_t)island->body_count;
    return (struct island_problem){.room = &islands->room,
                                   .island = island,
                                   .bodies = islands->bodies + island->first_body,
                                   .rows = islands->rows ? islands->rows + island->first_row : NULL,
                                   .joints = islands->joints + island->first_joint,
                                   .free = vectors,
                                   .velocity = vectors + count,
                                   .gradient = vectors + 2 * count,
                                   .step = vectors + 3 * count};
}

/* The fastest point of the island: what tolerances are measured by. */
static double fastest_point(const struct island_problem *problem, const double *velocity)
{
    double fastest = 0;
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        const double *v = velocity + 6 * (size_t)i;
        double speed = sqrt(sim_dot(v, v)) + problem->bodies[i].radius * sqrt(sim_dot(v + 3, v + 3));
        fastest = speed > fastest ? speed : fastest;
    }
    return fastest;
}

static void prepare_push(const struct islands_call *call, const struct island_problem *problem)
{
    const struct sim_model *model = call->model;
    double h = model->substep;
    for (uint32_t r = 0; r < problem->island->row_count; r++) {
        struct island_row *row = &problem->rows[r];
        const dent_contact_force *last = &call->state->forces[row->contact];
        double relative[3];
        measure_row(call, problem->bodies, row, call->motion->previous, call->start);
        measure_drift(call, row);
        island_relative_velocity(row, problem->free, relative);
        row->approach = sim_dot(row->normal, relative);
        row->target = row->gap > 0 ? -row->gap / h : 0;
        if (row->yield > 0 && row->gap < 0) {
            double most = RECOVERY_EDGES * model->mean_edge;
            row->target = -row->gap / h < most ? -row->gap / h : most;
        }
        if (row->implied) {
            row->target = -INFINITY;
            row->normal_force = 0;
            memset(row->tangent_force, 0, sizeof row->tangent_force);
            continue;
        }
        row->kinetic = last->state == DENT_ACTION_SLIDING;
        row->normal_force = last->normal;
        memcpy(row->tangent_force, last->tangent, sizeof last->tangent);
        sim_add_scaled(row->tangent_force, -sim_dot(row->tangent_force, row->normal), row->normal);
        row->limit = (row->kinetic ? row->friction_kinetic : row->friction_static) * row->normal_force;
    }
}

/* Impulses that turn a body by more than this in a substep change its spin only, not its pose. */
#define MOST_TURN 0.5

static void apply_push(const struct islands_call *call, const struct island_problem *problem)
{
    double h = call->model->substep;
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        dent_rigid_state *pose = &call->state->rigids[problem->bodies[i].rigid];
        const double *free = problem->free + 6 * (size_t)i, *velocity = problem->velocity + 6 * (size_t)i;
        double angle[3];
        for (int k = 0; k < 3; k++) {
            pose->center[k] += h * (velocity[k] - free[k]);
            angle[k] = h * (velocity[3 + k] - free[3 + k]);
        }
        double turn = sqrt(sim_dot(angle, angle));
        if (turn > 0 && turn < MOST_TURN) {
            rigid_turn(pose, angle);
        }
    }
    for (uint32_t r = 0; r < problem->island->row_count; r++) {
        const struct island_row *row = &problem->rows[r];
        dent_contact_force *force = &call->state->forces[row->contact];
        double held = sqrt(sim_dot(row->tangent_force, row->tangent_force));
        force->normal = row->normal_force;
        memcpy(force->tangent, row->tangent_force, sizeof force->tangent);
        memset(force->slip, 0, sizeof force->slip);
        force->state = !(row->normal_force > 0)                     ? DENT_ACTION_NONE
                       : row->kinetic && held >= 0.999 * row->limit ? DENT_ACTION_SLIDING
                                                                    : DENT_ACTION_STICKING;
    }
}

static bool any_moving(const struct island_problem *problem)
{
    for (uint32_t r = 0; r < problem->island->row_count; r++) {
        if (problem->rows[r].moving) {
            return true;
        }
    }
    return false;
}

/* Compliant contacts give back what they store. */
static bool any_springs_back(const struct island_problem *problem)
{
    for (uint32_t r = 0; r < problem->island->row_count; r++) {
        if (problem->rows[r].yield > 0 && problem->rows[r].target > 0) {
            return true;
        }
    }
    return false;
}

/* What of the velocities may stay: at their end contacts that nothing drives take no less than they give, so
 * (v - free)^T M v <= 0. A part of velocities that contacts allow is allowed, too. */
static double passive_share(const struct island_problem *problem)
{
    uint32_t count = problem->island->body_count;
    double own = island_product(problem->bodies, count, problem->velocity, problem->velocity);
    double with_free = island_product(problem->bodies, count, problem->velocity, problem->free);
    double slack = 1e-7 * island_product(problem->bodies, count, problem->free, problem->free);
    return !(own > with_free + slack) ? 1 : with_free > 0 ? with_free / own : 0;
}

/* What of the impulses may stay, by the same measure. */
static double passive_impulse_share(const struct island_problem *problem)
{
    uint32_t count = problem->island->body_count;
    for (size_t k = 0; k < 6 * (size_t)count; k++) {
        problem->step[k] = problem->velocity[k] - problem->free[k];
    }
    double gain = -island_product(problem->bodies, count, problem->step, problem->free);
    double size = island_product(problem->bodies, count, problem->step, problem->step);
    return gain > 0 ? (gain < size ? gain / size : 1) : 0;
}

static void forget_multipliers(const struct island_problem *problem)
{
    for (uint32_t r = 0; r < problem->island->row_count; r++) {
        problem->rows[r].normal_force = problem->rows[r].limit = 0;
        memset(problem->rows[r].tangent_force, 0, sizeof problem->rows[r].tangent_force);
    }
}

/* Velocities that gain energy were not solved (the budget of the solver is finite): once more without the old
 * multipliers, which may be what misled it; then less of the impulses, or of the velocities where they have none. */
static void solve_within_energy(const struct islands_call *call, struct island_problem *problem)
{
    struct island *island = problem->island;
    size_t count = 6 * (size_t)island->body_count;
    island_solve(problem);
    if (island->joint_count > 0 && joint_energy_exceeded(call->model, call->state, problem)) {
        joints_straighten(problem);
        forget_multipliers(problem);
        memcpy(problem->velocity, problem->free, count * sizeof(double));
        island_solve(problem);
    }
    if (island->joint_count > 0 || any_moving(problem) || any_springs_back(problem) || passive_share(problem) == 1) {
        return;
    }
    if (island->body_count <= ISLAND_FEW_BODIES) {
        forget_multipliers(problem);
        memcpy(problem->velocity, problem->free, count * sizeof(double));
        island_solve(problem);
    }
    double share = passive_share(problem);
    if (share < 1 && island->consistent) {
        island_scale_impulses(problem, passive_impulse_share(problem));
    } else if (share < 1) {
        forget_multipliers(problem);
        for (size_t k = 0; k < count; k++) {
            problem->velocity[k] *= share;
        }
    }
}

static void push_island(void *data, uint32_t number, uint32_t worker)
{
    (void)worker;
    const struct islands_call *call = data;
    struct island *island = &call->islands->islands[number];
    struct island_problem problem = problem_of(call, island);
    if (!island->active) {
        return;
    }
    for (uint32_t i = 0; i < island->body_count; i++) {
        struct island_body *body = &call->islands->bodies[island->first_body + i];
        island_fill_body(call->model, &call->state->rigids[body->rigid], body);
        free_velocity(call, body->rigid, problem.free + 6 * (size_t)i);
        const double *last = call->motion->last + 6 * (size_t)body->rigid;
        memcpy(problem.velocity + 6 * (size_t)i, last, 6 * sizeof *last);
    }
    prepare_push(call, &problem);
    joints_prepare(call->model, call->state, call->motion->previous, &problem, JOINT_PUSH);
    double share = island->body_count <= ISLAND_FEW_BODIES ? 1e-8 : 1e-5;
    double fastest = fastest_point(&problem, problem.free), driven = joints_fastest(&problem);
    problem.tolerance = share * (fastest > driven ? fastest : driven) / (island->layers + 1);
    problem.rounds = PUSH_ROUNDS;
    problem.friction = true;
    double speed = fastest_point(&problem, problem.velocity); /* before the substep */
    problem.rough = speed > call->model->mean_edge ? ROUGH_SHARE * speed : 0;
    if (island->joint_count > 0) {
        joint_energy_begin(call->model, call->state, call->motion, &problem);
    }
    solve_within_energy(call, &problem);
    apply_push(call, &problem);
    joints_keep(call->model, call->state, &problem, JOINT_PUSH);
    island->work = island->joint_count > 0 ? joints_work(&problem) : 0;
}

/* Of contacts of sleeping bodies, too: they keep the forces they fell asleep with. */
static void report_forces(const struct islands_call *call, struct contact_set *contacts)
{
    double share = 1 / (call->model->substep * contacts->substeps);
    for (uint32_t r = 0; r < call->islands->row_count; r++) {
        const struct island_row *row = &call->islands->rows[r];
        const dent_contact_force *force = &call->state->forces[row->contact];
        double *sum = contacts->reported[row->contact].force;
        sim_add_scaled(sum, share * force->normal, contacts->records[row->contact].normal);
        sim_add_scaled(sum, share, force->tangent);
    }
}

dent_status islands_push(const struct sim_model *model, struct sim_state *state, struct contact_set *contacts,
                         const double *start, const struct rigid_motion *motion, struct rigid_islands *islands,
                         struct step_report *report)
{
    struct islands_call call = {model, state, contacts, start, motion, islands};
    uint64_t begin = dent_clock_ns();
    dent_status status = islands->island_count > 0
                             ? dent_parallel_for(model->context, islands->island_count, push_island, &call)
                             : DENT_OK;
    report_forces(&call, contacts);
    report->statistics.rigid_islands = islands->island_count;
    for (uint32_t n = 0; n < islands->island_count; n++) {
        const struct island *island = &islands->islands[n];
        if (island->active) {
            dent_sim_statistics *statistics = &report->statistics;
            statistics->rigid_newtons =
                island->newtons > statistics->rigid_newtons ? island->newtons : statistics->rigid_newtons;
            statistics->rigid_residual =
                island->residual > statistics->rigid_residual ? island->residual : statistics->rigid_residual;
        }
    }
    report->ns_respond += dent_clock_ns() - begin;
    return status;
}

/* ---- bounce ------------------------------------------------------------------------------------------------------ */

/* Velocities as they are now, as the guess and as what an impulse changes. */
static void take_velocities(const struct islands_call *call, const struct island_problem *problem)
{
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        const dent_rigid_state *pose = &call->state->rigids[problem->bodies[i].rigid];
        memcpy(problem->free + 6 * (size_t)i, pose->linear_velocity, sizeof pose->linear_velocity);
        memcpy(problem->free + 6 * (size_t)i + 3, pose->angular_velocity, sizeof pose->angular_velocity);
    }
    memcpy(problem->velocity, problem->free, 6 * (size_t)problem->island->body_count * sizeof(double));
}

static bool prepare_bounce(const struct islands_call *call, const struct island_problem *problem, double threshold)
{
    bool any = false;
    for (uint32_t r = 0; r < problem->island->row_count; r++) {
        struct island_row *row = &problem->rows[r];
        double relative[3];
        measure_row(call, problem->bodies, row, call->state->rigids, call->state->positions);
        island_relative_velocity(row, problem->free, relative);
        double now = sim_dot(row->normal, relative);
        bool pushed = row->normal_force > 0, bounces = pushed && row->restitution > 0 && row->approach < -threshold;
        row->target = bounces                     ? -row->restitution * row->approach
                      : pushed || !(row->gap > 0) ? (now < 0 ? now : 0)
                                                  : -row->gap / call->model->substep;
        row->target = row->implied ? -INFINITY : row->target;
        any = any || bounces;
        row->normal_force = 0;
    }
    return any;
}

/* Restitution with friction can gain energy (Kane and Levinson 1985): then only a part of the bounce. */
static double bounce_share(const struct island_problem *problem, double energy)
{
    uint32_t count = problem->island->body_count;
    double share = 1;
    for (int n = 0; n < 40; n++) {
        for (size_t k = 0; k < 6 * (size_t)count; k++) {
            problem->step[k] = problem->free[k] + share * (problem->velocity[k] - problem->free[k]);
        }
        if (island_product(problem->bodies, count, problem->step, problem->step) <= energy) {
            return share;
        }
        share *= 0.9;
    }
    return 0;
}

/* Twice that of the velocities with which the island came into the substep. */
static double energy_before(const struct islands_call *call, const struct island_problem *problem)
{
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        const dent_rigid_state *free = &call->motion->free[problem->bodies[i].rigid];
        memcpy(problem->step + 6 * (size_t)i, free->linear_velocity, sizeof free->linear_velocity);
        memcpy(problem->step + 6 * (size_t)i + 3, free->angular_velocity, sizeof free->angular_velocity);
    }
    return island_product(problem->bodies, problem->island->body_count, problem->step, problem->step);
}

static void bounce(const struct islands_call *call, struct island_problem *problem)
{
    const double *gravity = call->state->gravity;
    double threshold = 2 * sqrt(sim_dot(gravity, gravity)) * call->model->substep;
    take_velocities(call, problem);
    bool bounces = prepare_bounce(call, problem, threshold);
    joints_prepare(call->model, call->state, call->state->rigids, problem, JOINT_PROJECT);
    if (!bounces && problem->island->joint_count == 0) {
        return;
    }
    double energy = energy_before(call, problem);
    problem->tolerance = 1e-8 * fastest_point(problem, problem->free);
    problem->rounds = PUSH_ROUNDS;
    problem->friction = false;
    problem->rough = INFINITY;
    island_solve(problem);
    /* What is hit by a moving prescribed body may gain. */
    bool driven = any_moving(problem) || problem->island->joint_count > 0;
    double share = driven ? 1 : bounce_share(problem, energy * (1 + 1e-14));
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        dent_rigid_state *pose = &call->state->rigids[problem->bodies[i].rigid];
        const double *free = problem->free + 6 * (size_t)i, *velocity = problem->velocity + 6 * (size_t)i;
        for (int k = 0; k < 3; k++) {
            pose->linear_velocity[k] += share * (velocity[k] - free[k]);
            pose->angular_velocity[k] += share * (velocity[3 + k] - free[3 + k]);
        }
    }
    joints_keep(call->model, call->state, problem, JOINT_PROJECT);
}

/* ---- recover ----------------------------------------------------------------------------------------------------- */

/* Bodies that lie in one another part sideways first, and are lifted by one another later, if they must: lifted at once
 * they would fall down from where they parted. */
static double recovery_share(const struct islands_call *call, const struct island_row *row)
{
    const double *gravity = call->state->gravity;
    double square = sim_dot(gravity, gravity), along = sim_dot(gravity, row->normal);
    bool both = row->side[0] != SIM_NONE && row->side[1] != SIM_NONE;
    double aside = square > 0 ? 1 - along * along / square : 1;
    return !both || aside > UPWARD_SHARE ? (both ? aside : 1) : UPWARD_SHARE;
}

/* Targets of the displacements; false where nothing overlaps by more than the tolerance of its contact. */
static bool prepare_recovery(const struct islands_call *call, const struct island_problem *problem, double most,
                             double *tolerance)
{
    const struct sim_model *model = call->model;
    bool any = false;
    *tolerance = INFINITY;
    for (uint32_t r = 0; r < problem->island->row_count; r++) {
        struct island_row *row = &problem->rows[r];
        const dent_contact *contact = &call->contacts->records[row->contact];
        double rest = model->bodies[contact->body_a].thickness + model->bodies[contact->body_b].thickness;
        double least = rest > 0 ? 1e-4 * rest : 1e-7 * model->mean_edge;
        measure_row(call, problem->bodies, row, call->state->rigids, call->state->positions);
        memset(row->drift, 0, sizeof row->drift);
        row->normal_force = 0;
        double rate = most * recovery_share(call, row);
        double depth = -row->gap - 0.1 * least; /* lifted too far, bodies would fall again */
        row->target = row->yield > 0 || row->implied ? -INFINITY : depth < rate ? depth : rate;
        any = any || (row->yield == 0 && row->gap < -least);
        *tolerance = least < *tolerance ? least : *tolerance;
    }
    return any;
}

/* A supported island with bodies in one another is where none can be, and sinks as in mud: what it would gain by
 * falling through itself is no energy of its own. */
static void slow_down(const struct islands_call *call, const struct island_problem *problem)
{
    double most = SINKING_EDGES * call->model->mean_edge, h = call->model->substep;
    double keep = h < SINKING_SECONDS ? 1 - h / SINKING_SECONDS : 0;
    bool deep = false;
    for (uint32_t r = 0; r < problem->island->row_count && problem->island->supported; r++) {
        const struct island_row *row = &problem->rows[r];
        const dent_contact *contact = &call->contacts->records[row->contact];
        double rest = call->model->bodies[contact->body_a].thickness + call->model->bodies[contact->body_b].thickness;
        bool near = call->contacts->reported[row->contact].gap < NEAR_SHARE * rest;
        deep = deep || (near && row->side[0] != SIM_NONE && row->side[1] != SIM_NONE);
    }
    for (uint32_t i = 0; i < problem->island->body_count && deep; i++) {
        const struct island_body *body = &problem->bodies[i];
        dent_rigid_state *pose = &call->state->rigids[body->rigid];
        double speed = sqrt(sim_dot(pose->linear_velocity, pose->linear_velocity)) +
                       body->radius * sqrt(sim_dot(pose->angular_velocity, pose->angular_velocity));
        double share = speed > most ? (most + keep * (speed - most)) / speed : 1;
        for (int k = 0; k < 3 && share < 1; k++) {
            pose->linear_velocity[k] *= share;
            pose->angular_velocity[k] *= share;
        }
    }
}

/* What is supported is parted as if all bodies had one mass: displacements need no forces, only to be small, and a heavy
 * body on light ones is lifted as easily. Without support the masses decide, so that the centre of mass stays. */
static void level_masses(const struct island_problem *problem)
{
    double largest = 0;
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        largest = problem->bodies[i].mass > largest ? problem->bodies[i].mass : largest;
    }
    for (uint32_t i = 0; i < problem->island->body_count && problem->island->supported; i++) {
        struct island_body *body = &problem->bodies[i];
        double factor = largest / body->mass;
        body->mass = largest;
        body->inverse_mass = 1 / largest;
        for (int k = 0; k < 9; k++) {
            body->inertia[k] *= factor;
            body->inverse_inertia[k] /= factor;
        }
    }
}

static void true_masses(const struct islands_call *call, const struct island_problem *problem)
{
    for (uint32_t i = 0; i < problem->island->body_count && problem->island->supported; i++) {
        struct island_body *body = &problem->bodies[i];
        body->mass = call->model->rigids[body->rigid].mass;
        body->inverse_mass = 1 / body->mass;
        island_fill_body(call->model, &call->state->rigids[body->rigid], body);
    }
}

static void recover(const struct islands_call *call, struct island_problem *problem)
{
    double most = RECOVERY_EDGES * call->model->mean_edge * call->model->substep, tolerance, largest = 0;
    size_t count = 6 * (size_t)problem->island->body_count;
    bool overlaps = prepare_recovery(call, problem, most, &tolerance);
    double error = joints_prepare(call->model, call->state, call->state->rigids, problem, JOINT_RECOVER);
    if (!overlaps && !(error > 0)) {
        return;
    }
    tolerance = error > 0 && 0.1 * error < tolerance ? 0.1 * error : tolerance;
    if (overlaps) {
        slow_down(call, problem);
    }
    memset(problem->free, 0, count * sizeof *problem->free);
    memset(problem->velocity, 0, count * sizeof *problem->velocity);
    problem->tolerance = 1e-2 * tolerance;
    problem->rounds = problem->island->joint_count > 0 ? JOINT_ROUNDS : RECOVER_ROUNDS;
    problem->friction = false;
    problem->rough = INFINITY;
    level_masses(problem);
    island_solve(problem);
    true_masses(call, problem);
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        const double *d = problem->velocity + 6 * (size_t)i;
        double size = sqrt(sim_dot(d, d)) + problem->bodies[i].radius * sqrt(sim_dot(d + 3, d + 3));
        largest = size > largest ? size : largest;
    }
    /* Contradictory depths may ask for more than each of them does. */
    double share = largest > 4 * most && error < most ? 4 * most / largest : 1;
    if (problem->island->joint_count > 0 && !overlaps) {
        share = joint_energy_share(call->state, call->motion, problem, share);
    }
    momentum_displace(call->model, call->state, problem, problem->velocity, share);
}

/* The velocities that were solved for; those that rigid_finish derives from poses hold turns that are small. The angular
 * momentum goes over to the new pose, where the inertia is what bounces see. */
static void keep_velocities(const struct islands_call *call, const struct island_problem *problem)
{
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        struct island_body *body = &problem->bodies[i];
        dent_rigid_state *pose = &call->state->rigids[body->rigid];
        const double *velocity = problem->velocity + 6 * (size_t)i;
        double momentum[3];
        memcpy(pose->linear_velocity, velocity, sizeof pose->linear_velocity);
        for (int k = 0; k < 3; k++) {
            momentum[k] = sim_dot(body->inertia + 3 * k, velocity + 3);
        }
        island_fill_body(call->model, pose, body);
        for (int k = 0; k < 3; k++) {
            pose->angular_velocity[k] = sim_dot(body->inverse_inertia + 3 * k, momentum);
        }
    }
}

static void settle_island(void *data, uint32_t number, uint32_t worker)
{
    (void)worker;
    const struct islands_call *call = data;
    struct island *island = &call->islands->islands[number];
    if (island->active) {
        struct island_problem problem = problem_of(call, island);
        keep_velocities(call, &problem);
        bounce(call, &problem);
        recover(call, &problem);
        if (island->joint_count > 0) {
            joint_energy_end(call->model, call->state, call->motion, &problem);
        }
    }
}

dent_status islands_settle(const struct sim_model *model, struct sim_state *state, const struct contact_set *contacts,
                           const struct rigid_motion *motion, struct rigid_islands *islands, struct step_report *report)
{
    struct islands_call call = {model, state, contacts, NULL, motion, islands};
    uint64_t begin = dent_clock_ns();
    dent_status status = DENT_OK;
    if (islands->island_count > 0) {
        status = dent_parallel_for(model->context, islands->island_count, settle_island, &call);
    }
    joints_measure(model, state);
    rest_put_to_sleep(model, state, islands);
    report->ns_respond += dent_clock_ns() - begin;
    return status;
}

/* ---- waking ------------------------------------------------------------------------------------------------------ */

void islands_wake(const struct sim_model *model, struct sim_state *state, const struct contact_set *contacts,
                  const double *start, struct rigid_islands *islands)
{
    struct islands_call call = {model, state, contacts, start, NULL, islands};
    for (uint32_t r = 0; r < islands->row_count; r++) {
        measure_drift(&call, &islands->rows[r]);
    }
    rest_wake_islands(model, state, islands);
}
