/* The separation list: the front of the walk over pairs of nodes, kept by certificates.
 *
 * A pair of nodes that are apart has a witness: a slot along which one lies beyond the other. It holds until the two winners
 * meet; another winner, or a winner with another plan, makes its time anew. When it fails, another witness is looked for; if
 * there is none that is sure, the pair is replaced by pairs of children, and two leaves are in contact. Pairs are not joined again
 * before the next restart: a front that is too deep costs time, never truth. Events of the front come after those of
 * the tree at the same time, when all winners are decided.
 */
#include "kinetic/kinetic_data.h"


void kinetic_front_init(struct dent_kinetic *tree)
{
    struct kinetic_front *front = &tree->front;
    event_queue_init(&front->queue, tree->context);
    array_init(&front->pairs, tree->context, sizeof(struct front_pair));
    array_init(&front->contacts, tree->context, sizeof(dent_kinetic_contact));
    array_init(&front->set, tree->context, sizeof(uint64_t));
    array_init(&front->stack, tree->context, sizeof(uint64_t));
}

void kinetic_front_destroy(struct dent_kinetic *tree)
{
    struct kinetic_front *front = &tree->front;
    event_queue_destroy(&front->queue);
    array_destroy(&front->pairs);
    array_destroy(&front->contacts);
    array_destroy(&front->set);
    array_destroy(&front->stack);
}

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

/* The place of a pair in the set, or the free one where it belongs. */
static uint64_t *find_in_set(const struct kinetic_front *front, uint64_t key)
{
    uint64_t *set = front->set.data, mask = front->set.count - 1;
    uint64_t place = key * UINT64_C(0x9E3779B97F4A7C15);
    for (place = (place ^ place >> 32) & mask; set[place] != UINT64_MAX && set[place] != key;) {
        place = (place + 1) & mask;
    }
    return &set[place];
}

static void fill_set(struct kinetic_front *front)
{
    for (size_t i = 0; i < front->set.count; i++) {
        ((uint64_t *)front->set.data)[i] = UINT64_MAX;
    }
    for (size_t i = 0; i < front->contacts.count; i++) {
        const dent_kinetic_contact *contact = array_at(&front->contacts, i);
        uint64_t key = (uint64_t)contact->a << 32 | contact->b;
        *find_in_set(front, key) = key;
    }
}

void kinetic_front_forget_removed(struct dent_kinetic *tree)
{
    struct kinetic_front *front = &tree->front;
    dent_kinetic_contact *contacts = front->contacts.data;
    size_t kept = 0;
    for (size_t i = 0; i < front->contacts.count; i++) {
        if (kinetic_element(tree, contacts[i].a)->corners > 0 && kinetic_element(tree, contacts[i].b)->corners > 0) {
            contacts[kept++] = contacts[i];
        }
    }
    if (kept < front->contacts.count) {
        front->contacts.count = kept;
        fill_set(front);
    }
}

static void add_contact(struct dent_kinetic *tree, uint32_t a, uint32_t b)
{
    struct kinetic_front *front = &tree->front;
    if (front->set.count < 2 * (front->contacts.count + 1)) {
        size_t grown = front->set.count > 0 ? 2 * front->set.count : 64;
        if (!array_reserve(&front->set, grown)) {
            front->failed = true;
            return;
        }
        front->set.count = grown;
        fill_set(front);
    }
    uint64_t key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    uint64_t *place = find_in_set(front, key);
    if (*place == key) {
        return;
    }
    dent_kinetic_contact contact = {(uint32_t)(key >> 32), (uint32_t)key, tree->now};
    if (array_push(&front->contacts, &contact)) {
        *place = key;
        front->sorted = false;
    } else {
        front->failed = true;
    }
}

/* ---- witnesses --------------------------------------------------------------------------------------------------- */

/* The side of `near` that looks along the slot, and that of `beyond` that looks against it. Along slots whose coordinates are
 * rounded the second is moved towards the first by more than both may be wrong. */
static void facing_values(const struct dent_kinetic *tree, uint32_t near, uint32_t beyond, uint32_t slot,
                          struct moving_value *first, struct moving_value *second)
{
    *first = kinetic_value(tree, kinetic_winners(tree, near)[slot], slot);
    *second = kinetic_value(tree, kinetic_winners(tree, beyond)[slot ^ 1], slot);
    if (slot >= 6) {
        second->x0 -= 4 * tree->slack;
        second->x1 -= 4 * tree->slack;
    }
}

/* The slot along which b is beyond a with the widest gap; NO_NODE: there is none. The gap has to be wider than what two
 * vertices travel in the time from the double before the present one: two nodes that leave one witness between these two
 * times and take another might touch in between, when neither holds. */
static uint32_t find_witness(const struct dent_kinetic *tree, uint32_t a, uint32_t b)
{
    uint32_t best = NO_NODE;
    double widest = 4 * tree->largest_speed * (tree->now - nextafter(tree->now, -INFINITY));
    for (uint32_t slot = 0; slot < tree->slots; slot++) {
        struct moving_value first, second;
        double lo, hi, unused;
        facing_values(tree, a, b, slot, &first, &second);
        moving_bounds(&first, tree->now, &unused, &hi);
        moving_bounds(&second, tree->now, &lo, &unused);
        double gap = 0.5 * lo - 0.5 * hi;
        if (lo > hi && gap > 0.5 * widest) {
            best = slot;
            widest = 2 * gap;
        }
    }
    return best;
}

/* The certificate of a pair anew: true now, and scheduled; or false. */
static bool hold(struct dent_kinetic *tree, uint32_t number)
{
    const struct front_pair *pair = array_at(&tree->front.pairs, number);
    struct moving_value first, second;
    facing_values(tree, pair->nodes[0], pair->nodes[1], pair->slot, &first, &second);
    if (moving_sign(&second, &first, tree->now) <= 0) {
        return false;
    }
    event_queue_set(&tree->front.queue, number, moving_first_failure(&second, &first, tree->now));
    return true;
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

static void push(struct kinetic_front *front, uint32_t a, uint32_t b)
{
    uint64_t pair = (uint64_t)a << 32 | b;
    front->failed |= !array_push(&front->stack, &pair);
}

static void add_pair(struct dent_kinetic *tree, uint32_t a, uint32_t b, uint32_t slot)
{
    struct kinetic_front *front = &tree->front;
    uint32_t number = (uint32_t)front->pairs.count;
    struct front_pair pair = {.nodes = {a, b}, .slot = slot};
    if (number > UINT32_MAX / 2 - 1 || !event_queue_reserve(&front->queue, (size_t)number + 1)) {
        front->failed = true;
        return;
    }
    for (uint32_t side = 0; side < 2; side++) {
        pair.next[side] = kinetic_node(tree, pair.nodes[side])->first_pair;
    }
    if (!array_push(&front->pairs, &pair)) {
        front->failed = true;
        return;
    }
    for (uint32_t side = 0; side < 2; side++) {
        kinetic_node(tree, pair.nodes[side])->first_pair = 2 * number + side;
    }
    hold(tree, number);
}

static void open_node(struct dent_kinetic *tree, uint32_t number)
{
    const struct kinetic_node *node = kinetic_node(tree, number);
    if (node->element == NO_NODE) {
        push(&tree->front, node->children[0], node->children[0]);
        push(&tree->front, node->children[1], node->children[1]);
        push(&tree->front, node->children[0], node->children[1]);
    }
}

/* Pairs without a witness are opened until leaves are reached. */
static void walk(struct dent_kinetic *tree)
{
    struct kinetic_front *front = &tree->front;
    while (front->stack.count > 0 && !front->failed) {
        uint64_t next = ((const uint64_t *)front->stack.data)[--front->stack.count];
        uint32_t a = (uint32_t)(next >> 32), b = (uint32_t)next;
        if (a == b) {
            open_node(tree, a);
            continue;
        }
        uint32_t slot = find_witness(tree, a, b);
        const struct kinetic_node *first = kinetic_node(tree, a), *second = kinetic_node(tree, b);
        if (slot != NO_NODE) {
            add_pair(tree, a, b, slot);
        } else if (first->height == 0 && second->height == 0) {
            add_contact(tree, first->element, second->element);
        } else if (first->height >= second->height) {
            push(front, first->children[0], b);
            push(front, first->children[1], b);
        } else {
            push(front, a, second->children[0]);
            push(front, a, second->children[1]);
        }
    }
    array_clear(&front->stack);
}

void kinetic_front_restart(struct dent_kinetic *tree)
{
    struct kinetic_front *front = &tree->front;
    if (!tree->def.contacts) {
        return;
    }
    event_queue_clear(&front->queue);
    array_clear(&front->pairs);
    for (uint32_t node = 0; node < tree->nodes.count; node++) {
        kinetic_node(tree, node)->first_pair = NO_NODE;
    }
    if (tree->root != NO_NODE) {
        push(front, tree->root, tree->root);
        walk(tree);
    }
}

void kinetic_front_empty(struct dent_kinetic *tree)
{
    struct kinetic_front *front = &tree->front;
    array_clear(&front->contacts);
    fill_set(front);
    front->failed = false;
    front->since = tree->now;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* Of the pairs of the node those whose witness this side is. A certificate that is false now fails now: by then the other
 * winners of this time are decided. Pairs out of use are taken out of the list. */
void kinetic_front_side_changed(struct dent_kinetic *tree, uint32_t node, uint32_t slot)
{
    struct kinetic_front *front = &tree->front;
    struct front_pair *pairs = front->pairs.data;
    uint32_t *link = &kinetic_node(tree, node)->first_pair;
    while (*link != NO_NODE && front->pairs.count > 0) {
        uint32_t number = *link / 2, side = *link % 2;
        if (pairs[number].slot == NO_NODE) {
            *link = pairs[number].next[side];
            continue;
        }
        if (pairs[number].slot == (slot ^ side) && !hold(tree, number)) {
            event_queue_set(&front->queue, number, tree->now);
        }
        link = &pairs[number].next[side];
    }
}

/* Looks at a pair at the present time: it is kept, gets another witness, or is opened. */
static void verify(struct dent_kinetic *tree, uint32_t number)
{
    struct kinetic_front *front = &tree->front;
    struct front_pair *pair = array_at(&front->pairs, number);
    if (pair->slot == NO_NODE || hold(tree, number)) {
        return;
    }
    uint32_t a = pair->nodes[0], b = pair->nodes[1], slot = find_witness(tree, a, b);
    pair->slot = slot;
    if (slot != NO_NODE) {
        hold(tree, number);
    } else {
        push(front, a, b);
        walk(tree);
    }
}

void kinetic_front_step(struct dent_kinetic *tree)
{
    uint32_t number = ((const struct queued_event *)tree->front.queue.heap.data)->id;
    tree->counters.contact_events++;
    event_queue_remove(&tree->front.queue, number);
    verify(tree, number);
}
