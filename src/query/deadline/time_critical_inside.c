/* Components of one body inside the other, a step at a time.
 *
 * Once no pair of faces is pending, a component that neither crosses nor touches anything lies on one side of the other
 * surface as a whole. Its first vertex tells which: the signed crossings of a ray in direction +x with the other body's
 * faces are counted, those whose volumes the ray surely misses left out. Each crossing is decided exactly
 * (winding_number.h).
 *
 * A component that touches may change sides where it does: two parts joined at a vertex that lies on the other surface,
 * or a ring of edges in a face of it. Its faces that touch nothing hang together in patches, each on one side; as the
 * component is connected, a patch has a vertex in common with a face that touches, and that vertex is not on the other
 * surface. So the vertices of the faces that touch tell all sides there are.
 */
#include "query/deadline/time_critical_search.h"

#include "base/allocator.h"
#include "geometry/predicates/winding_number.h"
#include "structures/bounds/bound_tests.h"

enum { SEEN_INSIDE = 1, SEEN_OUTSIDE = 2, SKIPPED_MOST = 32 };

/* Components of tree `side` are asked about the other one. */
static bool side_is_asked(const dent_time_critical *search, uint32_t side)
{
    return !search->def.no_containment && search->a != search->b && (side ? search->a : search->b)->closed;
}

bool inside_create(dent_time_critical *search)
{
    const struct bound_tree *trees[2] = {search->a, search->b};
    search->component_capacity = search->a->component_count + search->b->component_count;
    search->components = dent_allocate(search->context, search->component_capacity, sizeof *search->components);
    search->component_touches =
        dent_allocate(search->context, search->component_capacity, sizeof *search->component_touches);
    bool complete = search->components && search->component_touches;
    for (uint32_t side = 0; side < 2 && complete; side++) {
        size_t words = side_is_asked(search, side) ? ((size_t)trees[side]->face_count + 63) / 64 : 0;
        search->touching_slots[side] = dent_allocate(search->context, words, sizeof *search->touching_slots[side]);
        complete = search->touching_slots[side] != NULL;
        if (complete) {
            search->touching_words[side] = words;
            memset(search->touching_slots[side], 0, words * sizeof *search->touching_slots[side]);
        }
    }
    return complete;
}

void inside_end(dent_time_critical *search)
{
    dent_context *context = search->context;
    dent_release(context, search->components, search->component_capacity, sizeof *search->components);
    dent_release(context, search->component_touches, search->component_capacity, sizeof *search->component_touches);
    for (int side = 0; side < 2; side++) {
        dent_release(context, search->touching_slots[side], search->touching_words[side],
                     sizeof *search->touching_slots[side]);
    }
}

void inside_begin(dent_time_critical *search, bool apart)
{
    const struct bound_tree *trees[2] = {search->a, search->b};
    search->component_count = 0;
    search->components_of_a = 0;
    for (uint32_t side = 0; side < 2; side++) {
        for (uint32_t i = 0; side_is_asked(search, side) && i < trees[side]->component_count; i++) {
            uint32_t slot = trees[side]->component_slots[trees[side]->component_start[i]];
            search->component_touches[search->component_count] = false;
            search->components[search->component_count++] = (dent_component){
                side, trees[side]->order[slot], apart ? DENT_COMPONENT_OUTSIDE : DENT_COMPONENT_PENDING};
        }
        search->components_of_a = side == 0 ? search->component_count : search->components_of_a;
    }
    for (int side = 0; side < 2 && search->touched; side++) {
        memset(search->touching_slots[side], 0, search->touching_words[side] * sizeof *search->touching_slots[side]);
    }
    search->touched = false;
    search->components_pending = apart ? 0 : search->component_count;
    search->walk = (struct inside_walk){.active = false};
}

/* Components of a come first, then those of b; either may be absent. */
static void note_crossing(dent_time_critical *search, uint32_t component)
{
    if (search->components[component].state == DENT_COMPONENT_PENDING) {
        search->components[component].state = DENT_COMPONENT_CROSSING;
        search->components_pending--;
    }
}

void inside_note_crossing(dent_time_critical *search, uint32_t slot_a, uint32_t slot_b)
{
    if (search->components_of_a > 0) {
        note_crossing(search, search->a->component_of_slot[slot_a]);
    }
    if (search->component_count > search->components_of_a) {
        note_crossing(search, search->components_of_a + search->b->component_of_slot[slot_b]);
    }
}

static void touch_slot(dent_time_critical *search, uint32_t side, uint32_t slot, uint32_t component)
{
    search->touching_slots[side][slot / 64] |= UINT64_C(1) << (slot % 64);
    search->component_touches[component] = true;
    search->touched = true;
}

void inside_note_touching(dent_time_critical *search, uint32_t slot_a, uint32_t slot_b)
{
    if (search->touching_words[0] > 0) {
        touch_slot(search, 0, slot_a, search->a->component_of_slot[slot_a]);
    }
    if (search->touching_words[1] > 0) {
        touch_slot(search, 1, slot_b, search->components_of_a + search->b->component_of_slot[slot_b]);
    }
}

static void next_component(struct inside_walk *walk)
{
    walk->component++;
    walk->corner = 0;
    walk->seen = 0;
    walk->active = false;
}

static void settle(dent_time_critical *search, dent_component_state state)
{
    search->components[search->walk.component].state = state;
    search->components_pending--;
    next_component(&search->walk);
}

/* To the next corner of a face that touches, over some that do not; false: there may be more, in the next step. */
static bool skip_faces(dent_time_critical *search)
{
    struct inside_walk *walk = &search->walk;
    bool of_b = walk->component >= search->components_of_a;
    const struct bound_tree *own = of_b ? search->b : search->a;
    uint32_t component = walk->component - (of_b ? search->components_of_a : 0);
    uint32_t end = own->component_start[component + 1];
    for (int skipped = 0; skipped < SKIPPED_MOST; skipped++) {
        uint32_t at = own->component_start[component] + walk->corner / 3;
        uint32_t slot = at < end ? own->component_slots[at] : 0;
        if (at >= end || search->touching_slots[of_b][slot / 64] >> (slot % 64) & 1) {
            return true;
        }
        walk->corner += 3;
    }
    search->effort += SKIPPED_MOST / 8;
    return false;
}

/* The walk has ended: its point is inside or outside. */
static void note_side(dent_time_critical *search, bool inside)
{
    struct inside_walk *walk = &search->walk;
    if (!search->component_touches[walk->component]) {
        settle(search, inside ? DENT_COMPONENT_INSIDE : DENT_COMPONENT_OUTSIDE);
        return;
    }
    walk->seen |= inside ? SEEN_INSIDE : SEEN_OUTSIDE;
    walk->active = false;
    walk->corner++;
    if (walk->seen == (SEEN_INSIDE | SEEN_OUTSIDE)) {
        settle(search, DENT_COMPONENT_CROSSING);
    }
}

static dent_component_state state_of(uint32_t seen)
{
    return seen == SEEN_INSIDE    ? DENT_COMPONENT_INSIDE
           : seen == SEEN_OUTSIDE ? DENT_COMPONENT_OUTSIDE
                                  : DENT_COMPONENT_ON;
}

/* Starts the walk from the corner the walk is at; false when the component has no more. */
static bool begin_walk(dent_time_critical *search)
{
    struct inside_walk *walk = &search->walk;
    bool of_b = walk->component >= search->components_of_a;
    struct bound_tree *own = of_b ? search->b : search->a;
    uint32_t component = walk->component - (of_b ? search->components_of_a : 0);
    uint32_t slot = own->component_start[component] + walk->corner / 3;
    if (slot >= own->component_start[component + 1]) {
        return false;
    }
    uint32_t vertex = own->corners[own->component_slots[slot]][walk->corner % 3];
    if (own->embedding) {
        embedding_vertex(own->embedding->model, vertex, walk->point);
    } else {
        memcpy(walk->point, own->xyz[vertex], sizeof walk->point);
    }
    walk->winding = 0;
    walk->stack[0] = 0;
    walk->top = 1;
    walk->active = true;
    return true;
}

/* The faces of a leaf; false when the point lies on one of them. */
static bool count_crossings(dent_time_critical *search, struct bound_tree *other, uint32_t leaf)
{
    const struct bound_link *link = &other->links[leaf];
    search->effort += bound_tree_touch_positions(other, leaf);
    for (uint32_t slot = link->first_face; slot < link->first_face + link->face_count; slot++) {
        bool on = false;
        search->walk.winding +=
            winding_number(search->walk.point, (const double(*)[3])other->xyz,
                           (const uint32_t(*)[3]) & other->corners[slot], 1, &search->predicates, &on);
        search->units += FACE_TEST_UNITS;
        search->effort += FACE_TEST_UNITS;
        if (on) {
            return false;
        }
    }
    return true;
}

bool inside_step(dent_time_critical *search)
{
    struct inside_walk *walk = &search->walk;
    if (search->components_pending == 0) {
        return false;
    }
    search->units++;
    search->effort++;
    if (!walk->active) {
        if (search->components[walk->component].state != DENT_COMPONENT_PENDING) {
            next_component(walk);
        } else if ((!search->component_touches[walk->component] || skip_faces(search)) && !begin_walk(search)) {
            settle(search, state_of(walk->seen));
        }
        return true;
    }
    struct bound_tree *other = walk->component >= search->components_of_a ? search->a : search->b;
    if (walk->top == 0) {
        note_side(search, walk->winding != 0);
        return true;
    }
    uint32_t node = walk->stack[--walk->top];
    search->effort += bound_tree_touch(other, node);
    if (ray_misses(other, node, walk->point)) {
        return true;
    }
    const struct bound_link *link = &other->links[node];
    for (uint32_t i = link->child_count; i-- > 0;) {
        walk->stack[walk->top++] = link->first_child + i;
    }
    if (link->child_count == 0 && !count_crossings(search, other, node)) {
        walk->active = false; /* on the surface: the next corner */
        walk->corner++;
    }
    return true;
}
