/* Patches: contacts of two bodies that hang together over the mesh of a; and what stands for a patch.
 *
 * Two contacts belong together when their vertices of a are the same or neighbours and the other body is the same
 * (union-find with the smallest number as root: the outcome depends on no order). The reduction keeps of each patch the
 * deepest contact and those farthest out in eight directions across the mean normal: the corners of the region that
 * carries the load. In: state->contacts. Out: contact.patch, state->patches, fewer contacts when asked for.
 */
#include "contact/depth/contact_run.h"

#include "base/containers/union_find.h"

#include "geometry/numbers/vector3.h"

enum { CARRIERS_MAX = 2, EXTREMES = 8 };

struct patch_search {
    struct contact_run *run;
    uint32_t *root; /* by contact */
    struct key128 *keys;
    uint32_t *owner; /* contact of an incidence */
    size_t count;
};

static bool list_incidences(struct patch_search *search)
{
    const dent_contact *contacts = search->run->state->contacts.data;
    size_t count = search->run->state->contacts.count;
    struct arena *scratch = search->run->scratch;
    search->root = arena_allocate(scratch, count, sizeof *search->root);
    search->keys = arena_allocate(scratch, count, 2 * CARRIERS_MAX * sizeof *search->keys);
    search->owner = arena_allocate(scratch, count, 2 * CARRIERS_MAX * sizeof *search->owner);
    if (!search->root || !search->keys || !search->owner) {
        return false;
    }
    search->count = 0;
    for (size_t i = 0; i < count; i++) {
        search->root[i] = (uint32_t)i;
        for (int k = 0; k < CARRIERS_MAX && contacts[i].vertices_a[k] != UINT32_MAX; k++) {
            search->keys[search->count] =
                (struct key128){(uint64_t)contacts[i].body_a << 32 | contacts[i].vertices_a[k], contacts[i].body_b};
            search->owner[search->count++] = (uint32_t)i;
        }
    }
    radix_sort_u128(search->keys, search->owner, search->keys + search->count, search->owner + search->count,
                    search->count);
    return true;
}

/* The table of places, used for incidences here. */
static void set_slots(struct patch_search *search, bool fill)
{
    for (size_t i = search->count; i-- > 0;) {
        uint32_t body = (uint32_t)(search->keys[i].high >> 32), vertex = (uint32_t)search->keys[i].high;
        search->run->state->meshes[body].slot[vertex] = fill ? (uint32_t)i + 1 : 0;
    }
}

/* Joins the contact with the first incidence of (vertex, other body), if there is one. */
static void join_with_vertex(struct patch_search *search, uint32_t contact, uint32_t body, uint32_t vertex,
                             uint32_t other)
{
    uint32_t slot = search->run->state->meshes[body].slot[vertex];
    if (slot == 0) {
        return;
    }
    uint64_t high = (uint64_t)body << 32 | vertex;
    for (size_t i = slot - 1; i < search->count && search->keys[i].high == high && search->keys[i].low <= other; i++) {
        if (search->keys[i].low == other) {
            union_find_join(search->root, contact, search->owner[i]);
            return;
        }
    }
}

static void join_contacts(struct patch_search *search)
{
    set_slots(search, true);
    for (size_t i = 0; i < search->count; i++) {
        uint32_t body = (uint32_t)(search->keys[i].high >> 32), vertex = (uint32_t)search->keys[i].high;
        uint32_t other = (uint32_t)search->keys[i].low;
        const struct contact_mesh *mesh = &search->run->state->meshes[body];
        join_with_vertex(search, search->owner[i], body, vertex, other);
        for (uint32_t k = mesh->first[vertex]; k < mesh->first[vertex + 1]; k++) {
            join_with_vertex(search, search->owner[i], body, mesh->neighbours[k].vertex, other);
        }
    }
    set_slots(search, false);
}

static bool number_patches(struct patch_search *search)
{
    struct contact_state *state = search->run->state;
    dent_contact *contacts = state->contacts.data;
    array_clear(&state->patches);
    for (size_t i = 0; i < state->contacts.count; i++) {
        uint32_t root = union_find_root(search->root, (uint32_t)i);
        if (root == i) {
            dent_contact_patch patch;
            memset(&patch, 0, sizeof patch); /* padding too: records are compared as bytes */
            patch.body_a = contacts[i].body_a;
            patch.body_b = contacts[i].body_b;
            patch.first_contact = (uint32_t)i;
            contacts[i].patch = (uint32_t)state->patches.count;
            if (!array_push(&state->patches, &patch)) {
                return false;
            }
        }
        contacts[i].patch = contacts[root].patch;
        dent_contact_patch *patch = array_at(&state->patches, contacts[i].patch);
        patch->found_count++;
        patch->contact_count++;
        patch->deepest = -contacts[i].gap > patch->deepest ? -contacts[i].gap : patch->deepest;
        vector_add_scaled(patch->normal, 1, contacts[i].normal);
    }
    dent_contact_patch *patches = state->patches.data;
    for (size_t i = 0; i < state->patches.count; i++) {
        if (vector_length(patches[i].normal) < 1e-6 * patches[i].found_count || !vector_normalise(patches[i].normal)) {
            vector_copy(contacts[patches[i].first_contact].normal, patches[i].normal);
        }
    }
    return true;
}

/* ---- reduction --------------------------------------------------------------------------------------------------- */

/* The best of a patch so far: the deepest, and one for each direction. */
struct patch_best {
    uint32_t contact[1 + EXTREMES]; /* SLOT_NONE: none yet */
    double value[1 + EXTREMES];
    double across[2][3];
};

static void begin_patch(const dent_contact_patch *patch, struct patch_best *best)
{
    int least = 0;
    for (int axis = 1; axis < 3; axis++) {
        least = fabs(patch->normal[axis]) < fabs(patch->normal[least]) ? axis : least;
    }
    double unit[3] = {least == 0, least == 1, least == 2};
    vector_cross(patch->normal, unit, best->across[0]);
    vector_normalise(best->across[0]);
    vector_cross(patch->normal, best->across[0], best->across[1]);
    for (int k = 0; k <= EXTREMES; k++) {
        best->contact[k] = SLOT_NONE;
        best->value[k] = 0;
    }
}

static void consider(struct patch_best *best, uint32_t slot, const dent_contact *contact)
{
    static const double turns[EXTREMES][2] = {
        {1, 0},  {0.70710678118654752, 0.70710678118654752},   {0, 1},  {-0.70710678118654752, 0.70710678118654752},
        {-1, 0}, {-0.70710678118654752, -0.70710678118654752}, {0, -1}, {0.70710678118654752, -0.70710678118654752}};
    double x = vector_dot(best->across[0], contact->point_a), y = vector_dot(best->across[1], contact->point_a);
    for (int k = 0; k <= EXTREMES; k++) {
        double value = k == 0 ? -contact->gap : turns[k - 1][0] * x + turns[k - 1][1] * y;
        if (best->contact[k] == SLOT_NONE || value > best->value[k]) {
            best->contact[k] = slot;
            best->value[k] = value;
        }
    }
}

static bool reduce(struct contact_run *run)
{
    struct contact_state *state = run->state;
    dent_contact *contacts = state->contacts.data;
    dent_contact_patch *patches = state->patches.data;
    size_t count = state->contacts.count, kept = 0;
    struct patch_best *best = arena_allocate(run->scratch, state->patches.count, sizeof *best);
    uint8_t *keep = arena_allocate_cleared(run->scratch, count, sizeof *keep);
    if (!best || !keep) {
        return false;
    }
    for (size_t i = 0; i < state->patches.count; i++) {
        begin_patch(&patches[i], &best[i]);
        patches[i].contact_count = 0;
    }
    for (size_t i = 0; i < count; i++) {
        consider(&best[contacts[i].patch], (uint32_t)i, &contacts[i]);
    }
    for (size_t i = 0; i < state->patches.count; i++) {
        for (int k = 0; k <= EXTREMES; k++) {
            keep[best[i].contact[k]] = 1;
        }
    }
    for (size_t i = 0; i < count; i++) {
        dent_contact_patch *patch = &patches[contacts[i].patch];
        if (keep[i]) {
            patch->first_contact = patch->contact_count == 0 ? (uint32_t)kept : patch->first_contact;
            patch->contact_count++;
            contacts[kept++] = contacts[i];
        }
    }
    for (size_t i = 0; i < kept; i++) {
        const dent_contact_patch *patch = &patches[contacts[i].patch];
        contacts[i].flags |= patch->contact_count < patch->found_count ? DENT_CONTACT_FLAG_REPRESENTS : 0;
    }
    run->counters.reduced_away = count - kept;
    state->contacts.count = kept;
    return true;
}

bool contact_make_patches(struct contact_run *run)
{
    struct patch_search search = {.run = run};
    struct arena_mark mark = arena_mark(run->scratch);
    array_clear(&run->state->patches);
    if ((!run->def->patches && !run->def->reduce_patches) || run->state->contacts.count == 0) {
        return true;
    }
    /* Gaps and impacts alone have had no need of them so far. */
    if (!contact_update_meshes(run) || !list_incidences(&search)) {
        return false;
    }
    join_contacts(&search);
    bool enough = number_patches(&search) && (!run->def->reduce_patches || reduce(run));
    arena_rewind(run->scratch, mark);
    return enough;
}
