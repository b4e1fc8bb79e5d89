/* view_facts.c — collects the contacts of a frame: all of them are counted by pairs of bodies, and enough are kept to be
 * drawn. When more than VIEW_CONTACTS_SENT come, every second one of those kept is left out, and from then on every
 * second one that comes, and so on: what remains is spread evenly over all, whatever their number. */
#include "view_source.h"

#include <string.h>

void view_facts_begin(view_source *source)
{
    view_facts *facts = &source->facts;
    facts->sent = facts->skipped = 0;
    facts->stride = 1;
    facts->pair_count = 0;
    if (facts->slots != NULL) {
        memset(facts->slots, 0, 2 * (size_t)facts->pair_capacity * sizeof *facts->slots);
    }
    for (uint32_t i = 0; i < source->body_count; i++) {
        view_body *body = &source->bodies[i];
        if (body->depths != NULL) {
            memset(body->depths, 0, body->vertex_count * sizeof *body->depths);
        }
    }
}

void view_facts_release(view_source *source)
{
    view_facts *facts = &source->facts;
    dent_context *context = source->context;
    dent_release(context, facts->contacts, facts->contact_capacity, sizeof *facts->contacts);
    dent_release(context, facts->pairs, facts->pair_capacity, sizeof *facts->pairs);
    dent_release(context, facts->slots, 2 * (size_t)facts->pair_capacity, sizeof *facts->slots);
    memset(facts, 0, sizeof *facts);
}

/* ---- pairs of bodies ------------------------------------------------------------------------------------------- */

static uint32_t slot_of(const view_facts *facts, uint32_t body_a, uint32_t body_b)
{
    uint32_t mask = 2 * facts->pair_capacity - 1, slot = (body_a * 0x9e3779b1u ^ body_b * 0x85ebca6bu) & mask;
    while (facts->slots[slot] != 0) {
        const view_body_pair *pair = &facts->pairs[facts->slots[slot] - 1];
        if (pair->body_a == body_a && pair->body_b == body_b) {
            break;
        }
        slot = (slot + 1) & mask;
    }
    return slot;
}

static bool grow_pairs(view_source *source)
{
    view_facts *facts = &source->facts;
    dent_context *context = source->context;
    uint32_t old = facts->pair_capacity, wanted = old == 0 ? 64 : 2 * old;
    uint32_t *slots = dent_allocate(context, 2 * (size_t)wanted, sizeof *slots);
    view_body_pair *pairs =
        slots != NULL ? dent_reallocate(context, facts->pairs, old, wanted, sizeof *pairs) : NULL;
    if (pairs == NULL) {
        dent_release(context, slots, 2 * (size_t)wanted, sizeof *slots);
        return false;
    }
    dent_release(context, facts->slots, 2 * (size_t)old, sizeof *facts->slots);
    memset(slots, 0, 2 * (size_t)wanted * sizeof *slots);
    facts->pairs = pairs;
    facts->slots = slots;
    facts->pair_capacity = wanted;
    for (uint32_t i = 0; i < facts->pair_count; i++) {
        slots[slot_of(facts, pairs[i].body_a, pairs[i].body_b)] = i + 1;
    }
    return true;
}

static bool is_certain(float push, float error)
{
    return push > 0 && error <= 0.5f * push;
}

static bool count_for_pair(view_source *source, const view_contact *contact)
{
    view_facts *facts = &source->facts;
    bool ordered = contact->body_a <= contact->body_b;
    uint32_t a = ordered ? contact->body_a : contact->body_b, b = ordered ? contact->body_b : contact->body_a;
    if (facts->pair_count == facts->pair_capacity && !grow_pairs(source)) {
        return false;
    }
    uint32_t slot = slot_of(facts, a, b);
    if (facts->slots[slot] == 0) {
        facts->pairs[facts->pair_count++] = (view_body_pair){.body_a = a, .body_b = b, .push = -1};
        facts->slots[slot] = facts->pair_count;
    }
    view_body_pair *pair = &facts->pairs[facts->slots[slot] - 1];
    bool first = pair->count++ == 0, better = is_certain(contact->push, contact->error),
         best = is_certain(pair->push, pair->error);
    if (first || (better && !best) || (better == best && contact->push > pair->push)) {
        pair->push = contact->push;
        pair->error = contact->error;
        memcpy(pair->point, contact->point, sizeof pair->point);
    }
    return true;
}

/* ---- contacts that are drawn ----------------------------------------------------------------------------------- */

static void thin_out(view_facts *facts)
{
    facts->sent /= 2;
    for (uint32_t i = 0; i < facts->sent; i++) {
        facts->contacts[i] = facts->contacts[2 * (size_t)i];
    }
    facts->stride *= 2;
    facts->skipped = 0;
}

static bool make_room(view_source *source)
{
    view_facts *facts = &source->facts;
    if (facts->sent < facts->contact_capacity) {
        return true;
    }
    uint32_t wanted = facts->contact_capacity == 0 ? 256 : 2 * facts->contact_capacity;
    view_contact *grown =
        dent_reallocate(source->context, facts->contacts, facts->contact_capacity, wanted, sizeof *grown);
    if (grown != NULL) {
        facts->contacts = grown;
        facts->contact_capacity = wanted;
    }
    return grown != NULL;
}

bool view_facts_add(view_source *source, const view_contact *contact)
{
    view_facts *facts = &source->facts;
    if (!count_for_pair(source, contact)) {
        return false;
    }
    if (facts->sent == VIEW_CONTACTS_SENT) {
        thin_out(facts);
    }
    bool kept = facts->skipped == 0;
    facts->skipped = facts->skipped + 1 == facts->stride ? 0 : facts->skipped + 1;
    if (!kept) {
        return true;
    }
    if (!make_room(source)) {
        return false;
    }
    facts->contacts[facts->sent++] = *contact;
    return true;
}

void view_facts_deepen(view_source *source, uint32_t body, uint32_t vertex, float push)
{
    if (body < source->body_count && source->bodies[body].depths != NULL &&
        vertex < source->bodies[body].vertex_count && push > source->bodies[body].depths[vertex]) {
        source->bodies[body].depths[vertex] = push;
    }
}
