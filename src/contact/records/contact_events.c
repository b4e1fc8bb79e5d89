/* Events: which contacts begin, persist and end between two calls, and which pairs of bodies do.
 *
 * Both lists of contacts are in canonical order, and serials of bodies grow with body indices. So one walk over both
 * tells them apart, in O(n) and without hashes. In: state->contacts, state->history. Out: state->events,
 * state->pair_events, state->fresh_history; contact_find.c makes that the history when the call has gone well.
 */
#include "contact/depth/contact_run.h"

struct known_body {
    uint64_t serial, identity_base;
    dent_body_id id;
};

struct known_contact {
    uint64_t key;
    uint32_t body_a, feature_a, body_b, feature_b; /* body indices of that call */
    uint32_t kind, calls;
};

struct known_pair {
    uint32_t body_a, body_b, calls;
};

static void for_each_array(struct contact_state *state, void (*visit)(struct dynamic_array *, dent_context *, size_t))
{
    struct contact_history *histories[] = {&state->history, &state->fresh_history};
    for (int i = 0; i < 2; i++) {
        visit(&histories[i]->contacts, state->context, sizeof(struct known_contact));
        visit(&histories[i]->pairs, state->context, sizeof(struct known_pair));
        visit(&histories[i]->bodies, state->context, sizeof(struct known_body));
    }
    visit(&state->events, state->context, sizeof(dent_contact_event));
    visit(&state->pair_events, state->context, sizeof(dent_contact_pair_event));
}

static void destroy_array(struct dynamic_array *array, dent_context *context, size_t size)
{
    (void)context;
    (void)size;
    array_destroy(array);
}

void contact_history_init(struct contact_state *state)
{
    for_each_array(state, array_init);
}

void contact_history_destroy(struct contact_state *state)
{
    for_each_array(state, destroy_array);
}

void contact_history_forget(struct contact_state *state)
{
    array_clear(&state->history.contacts);
    array_clear(&state->history.pairs);
}

/* ---- the fresh history ------------------------------------------------------------------------------------------- */

static bool list_bodies(struct contact_history *fresh, const struct body_table *table)
{
    array_clear(&fresh->bodies);
    struct known_body *bodies = array_extend(&fresh->bodies, table->body_count);
    for (uint32_t body_index = 0; bodies && body_index < table->body_count; body_index++) {
        bodies[body_index] = (struct known_body){.serial = table->slots[table->living[body_index]].serial,
                                                 .identity_base = body_table_at(table, body_index)->identity_base,
                                                 .id = table->ids[body_index]};
    }
    return bodies != NULL;
}

static bool list_contacts(struct contact_history *fresh, const dent_contact *contacts, size_t count)
{
    array_clear(&fresh->contacts);
    struct known_contact *known = array_extend(&fresh->contacts, count);
    for (size_t i = 0; known && i < count; i++) {
        known[i] = (struct known_contact){.key = contacts[i].key,
                                          .body_a = contacts[i].body_a,
                                          .feature_a = contacts[i].feature_a,
                                          .body_b = contacts[i].body_b,
                                          .feature_b = contacts[i].feature_b,
                                          .kind = contacts[i].kind,
                                          .calls = 1};
    }
    return known != NULL;
}

/* The pairs of bodies with contacts, by (a, b), a <= b, and for each of them its number of contacts and its depth. */
struct pair_summary {
    uint64_t contact_count;
    double max_depth;
};

static struct pair_summary *list_pairs(struct contact_history *fresh, const dent_contact *contacts, size_t count,
                                       struct arena *scratch)
{
    uint64_t *pairs = arena_allocate(scratch, count, 2 * sizeof *pairs);
    uint32_t *order = arena_allocate(scratch, count, 2 * sizeof *order);
    struct pair_summary *summaries = arena_allocate(scratch, count, sizeof *summaries);
    array_clear(&fresh->pairs);
    if (!pairs || !order || !summaries) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t a = contacts[i].body_a, b = contacts[i].body_b;
        pairs[i] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
        order[i] = (uint32_t)i;
    }
    radix_sort_u64(pairs, order, pairs + count, order + count, count);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || pairs[i] != pairs[i - 1]) {
            struct known_pair pair = {(uint32_t)(pairs[i] >> 32), (uint32_t)pairs[i], 1};
            summaries[fresh->pairs.count] = (struct pair_summary){0};
            if (!array_push(&fresh->pairs, &pair)) {
                return NULL;
            }
        }
        struct pair_summary *summary = &summaries[fresh->pairs.count - 1];
        double depth = -contacts[order[i]].gap;
        summary->contact_count++;
        summary->max_depth = depth > summary->max_depth ? depth : summary->max_depth;
    }
    return summaries;
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static int order_of(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int order_of_bodies(const struct known_body *a, const struct known_body *b)
{
    int order = order_of(a->serial, b->serial);
    return order ? order : order_of(a->identity_base, b->identity_base);
}

/* Canonical order over two calls: serials for body indices; new elements come after old ones of the same body. */
static int order_of_contacts(const struct known_contact *a, const struct known_body *bodies_a,
                             const struct known_contact *b, const struct known_body *bodies_b)
{
    int order = order_of(a->kind, b->kind);
    order = order ? order : order_of_bodies(&bodies_a[a->body_a], &bodies_b[b->body_a]);
    order = order ? order : order_of(a->feature_a, b->feature_a);
    order = order ? order : order_of_bodies(&bodies_a[a->body_b], &bodies_b[b->body_b]);
    if (order || a->kind == DENT_CONTACT_VERTEX_CELL) { /* a vertex that goes from cell to cell stays in contact */
        return order;
    }
    return order_of(a->feature_b, b->feature_b);
}

static int order_of_pairs(const struct known_pair *a, const struct known_body *bodies_a, const struct known_pair *b,
                          const struct known_body *bodies_b)
{
    int order = order_of(bodies_a[a->body_a].serial, bodies_b[b->body_a].serial);
    return order ? order : order_of(bodies_a[a->body_b].serial, bodies_b[b->body_b].serial);
}

static uint32_t one_more(uint32_t calls)
{
    return calls < UINT32_MAX ? calls + 1 : UINT32_MAX;
}

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

static dent_contact_event event_of(const struct known_contact *contact, const struct known_body *bodies, uint64_t index)
{
    return (dent_contact_event){.key = contact->key,
                                .id_a = bodies[contact->body_a].id,
                                .id_b = bodies[contact->body_b].id,
                                .kind = contact->kind,
                                .feature_a = contact->feature_a,
                                .feature_b = contact->feature_b,
                                .calls = contact->calls,
                                .contact = index};
}

/* Writes the calls of those that persist; `ended` receives the others of the last call, in order. */
static size_t match_contacts(const struct contact_state *state, uint32_t *ended)
{
    const struct known_contact *old = state->history.contacts.data;
    struct known_contact *fresh = state->fresh_history.contacts.data;
    const struct known_body *old_bodies = state->history.bodies.data, *bodies = state->fresh_history.bodies.data;
    size_t i = 0, k = 0, ended_count = 0;
    while (i < state->history.contacts.count) {
        int order =
            k < state->fresh_history.contacts.count ? order_of_contacts(&old[i], old_bodies, &fresh[k], bodies) : -1;
        if (order == 0) {
            fresh[k].calls = one_more(old[i].calls);
        } else if (order < 0) {
            ended[ended_count++] = (uint32_t)i;
        }
        i += order <= 0;
        k += order >= 0;
    }
    return ended_count;
}

static bool write_events(struct contact_run *run, dent_contact_events *events)
{
    struct contact_state *state = run->state;
    const struct known_contact *fresh = state->fresh_history.contacts.data, *old = state->history.contacts.data;
    size_t count = state->fresh_history.contacts.count, begins = 0;
    uint32_t *ended = arena_allocate(run->scratch, state->history.contacts.count, sizeof *ended);
    if (!ended) {
        return false;
    }
    size_t ended_count = match_contacts(state, ended);
    for (size_t i = 0; i < count; i++) {
        begins += fresh[i].calls == 1;
    }
    array_clear(&state->events);
    dent_contact_event *list = array_extend(&state->events, count + ended_count);
    if (!list) {
        return false;
    }
    size_t next_begin = 0, next_persist = begins;
    for (size_t i = 0; i < count; i++) {
        size_t place = fresh[i].calls == 1 ? next_begin++ : next_persist++;
        list[place] = event_of(&fresh[i], state->fresh_history.bodies.data, i);
    }
    for (size_t i = 0; i < ended_count; i++) {
        list[count + i] = event_of(&old[ended[i]], state->history.bodies.data, UINT64_MAX);
    }
    events->begin = list, events->begin_count = begins;
    events->persist = list + begins, events->persist_count = count - begins;
    events->end = list + count, events->end_count = ended_count;
    return true;
}

/* ---- pairs of bodies --------------------------------------------------------------------------------------------- */

static dent_contact_pair_event pair_event_of(const struct known_pair *pair, const struct known_body *bodies,
                                             const struct pair_summary *summary)
{
    return (dent_contact_pair_event){.id_a = bodies[pair->body_a].id,
                                     .id_b = bodies[pair->body_b].id,
                                     .calls = pair->calls,
                                     .contact_count = summary ? summary->contact_count : 0,
                                     .max_depth = summary ? summary->max_depth : 0};
}

static size_t match_pairs(const struct contact_state *state, uint32_t *ended)
{
    const struct known_pair *old = state->history.pairs.data;
    struct known_pair *fresh = state->fresh_history.pairs.data;
    const struct known_body *old_bodies = state->history.bodies.data, *bodies = state->fresh_history.bodies.data;
    size_t i = 0, k = 0, ended_count = 0;
    while (i < state->history.pairs.count) {
        int order = k < state->fresh_history.pairs.count ? order_of_pairs(&old[i], old_bodies, &fresh[k], bodies) : -1;
        if (order == 0) {
            fresh[k].calls = one_more(old[i].calls);
        } else if (order < 0) {
            ended[ended_count++] = (uint32_t)i;
        }
        i += order <= 0;
        k += order >= 0;
    }
    return ended_count;
}

static bool write_pair_events(struct contact_run *run, const struct pair_summary *summaries,
                              dent_contact_events *events)
{
    struct contact_state *state = run->state;
    const struct known_pair *fresh = state->fresh_history.pairs.data, *old = state->history.pairs.data;
    size_t count = state->fresh_history.pairs.count, begins = 0;
    uint32_t *ended = arena_allocate(run->scratch, state->history.pairs.count, sizeof *ended);
    if (!ended) {
        return false;
    }
    size_t ended_count = match_pairs(state, ended);
    for (size_t i = 0; i < count; i++) {
        begins += fresh[i].calls == 1;
    }
    array_clear(&state->pair_events);
    dent_contact_pair_event *list = array_extend(&state->pair_events, count + ended_count);
    if (!list) {
        return false;
    }
    size_t next_begin = 0, next_persist = begins;
    for (size_t i = 0; i < count; i++) {
        size_t place = fresh[i].calls == 1 ? next_begin++ : next_persist++;
        list[place] = pair_event_of(&fresh[i], state->fresh_history.bodies.data, &summaries[i]);
    }
    for (size_t i = 0; i < ended_count; i++) {
        list[count + i] = pair_event_of(&old[ended[i]], state->history.bodies.data, NULL);
    }
    events->pairs_begin = list, events->pairs_begin_count = begins;
    events->pairs_persist = list + begins, events->pairs_persist_count = count - begins;
    events->pairs_end = list + count, events->pairs_end_count = ended_count;
    return true;
}

bool contact_make_events(struct contact_run *run, dent_contact_events *events)
{
    struct contact_state *state = run->state;
    const dent_contact *contacts = state->contacts.data;
    size_t count = state->contacts.count;
    if (!list_bodies(&state->fresh_history, run->snapshot->table) ||
        !list_contacts(&state->fresh_history, contacts, count)) {
        return false;
    }
    struct pair_summary *summaries = list_pairs(&state->fresh_history, contacts, count, run->scratch);
    return summaries && write_events(run, events) && write_pair_events(run, summaries, events);
}
