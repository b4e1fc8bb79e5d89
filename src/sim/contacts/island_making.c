/* Which contacts and joints make which islands: at the beginning of an interval.
 *
 * Bodies are connected by union-find, islands numbered by their first bodies; then rows and bodies are placed side by
 * side, pairs of bodies become blocks of the matrix, and layers are counted from what supports the island. */
#include "rigid_islands.h"

#include "base/containers/union_find.h"

#include <string.h>

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

void islands_spread_levels(const struct rigid_islands *islands, const struct island *island)
{
    uint32_t *levels = islands->levels + island->first_body;
    bool changed = true;
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
}

/* How many contacts lie between a body and its support, at most; without support from the first body. */
static void count_layers(struct rigid_islands *islands, struct island *island)
{
    uint32_t *levels = islands->levels + island->first_body;
    bool supported = false;
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
    islands_spread_levels(islands, island);
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
    if (status == DENT_OK && contacts->count > 0) {
        memset(contacts->owned, 0, (size_t)contacts->count * sizeof(bool));
    }
    if (status != DENT_OK || model->rigid_count == 0) {
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
    contacts->owned_count = contacts->count;
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
