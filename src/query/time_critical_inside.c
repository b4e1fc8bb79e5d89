/* Components of one body inside the other, a step at a time.
 *
 * Once no pair of faces is pending, a component that crosses nothing lies on one side of the other surface as a whole,
 * but for places where it touches. Its first vertex that is not on that surface tells which: the signed crossings of a
 * ray in direction +x with the other body's faces are counted, those whose volumes the ray surely misses left out. Each
 * crossing is decided exactly (winding_number.h).
 */
#include "query/time_critical_search.h"

#include "geometry/winding_number.h"
#include "structures/bound_tests.h"

void inside_begin(dent_time_critical *search, bool apart)
{
    const struct bound_tree *trees[2] = {search->a, search->b};
    search->component_count = 0;
    search->components_of_a = 0;
    for (uint32_t side = 0; side < 2 && !search->def.no_containment && search->a != search->b; side++) {
        for (uint32_t i = 0; trees[1 - side]->closed && i < trees[side]->component_count; i++) {
            uint32_t place = trees[side]->component_places[trees[side]->component_start[i]];
            search->components[search->component_count++] = (dent_component){
                side, trees[side]->order[place], apart ? DENT_COMPONENT_OUTSIDE : DENT_COMPONENT_PENDING};
        }
        search->components_of_a = side == 0 ? search->component_count : search->components_of_a;
    }
    search->components_pending = apart ? 0 : search->component_count;
    search->walk.active = false;
    search->walk.component = 0;
    search->walk.corner = 0;
}

/* Components of a come first, then those of b; either may be absent. */
static void note_crossing(dent_time_critical *search, uint32_t component)
{
    if (search->components[component].state == DENT_COMPONENT_PENDING) {
        search->components[component].state = DENT_COMPONENT_CROSSING;
        search->components_pending--;
    }
}

void inside_note_crossing(dent_time_critical *search, uint32_t place_a, uint32_t place_b)
{
    if (search->components_of_a > 0) {
        note_crossing(search, search->a->component_of_place[place_a]);
    }
    if (search->component_count > search->components_of_a) {
        note_crossing(search, search->components_of_a + search->b->component_of_place[place_b]);
    }
}

static void settle(dent_time_critical *search, dent_component_state state)
{
    search->components[search->walk.component++].state = state;
    search->components_pending--;
    search->walk.active = false;
}

/* Starts the walk from the corner the walk is at; false when the component has no more. */
static bool begin_walk(dent_time_critical *search)
{
    struct inside_walk *walk = &search->walk;
    bool of_b = walk->component >= search->components_of_a;
    struct bound_tree *own = of_b ? search->b : search->a;
    uint32_t component = walk->component - (of_b ? search->components_of_a : 0);
    uint32_t place = own->component_start[component] + walk->corner / 3;
    if (place >= own->component_start[component + 1]) {
        return false;
    }
    uint32_t vertex = own->corners[own->component_places[place]][walk->corner % 3];
    if (own->reduced) {
        reduced_vertex(own->reduced->model, vertex, walk->point);
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
    for (uint32_t place = link->first_face; place < link->first_face + link->face_count; place++) {
        bool on = false;
        search->walk.winding +=
            winding_number(search->walk.point, (const double(*)[3])other->xyz,
                           (const uint32_t(*)[3]) & other->corners[place], 1, &search->predicates, &on);
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
            walk->component++;
            walk->corner = 0;
        } else if (!begin_walk(search)) {
            settle(search, DENT_COMPONENT_ON);
            walk->corner = 0;
        }
        return true;
    }
    struct bound_tree *other = walk->component >= search->components_of_a ? search->a : search->b;
    if (walk->top == 0) {
        settle(search, walk->winding != 0 ? DENT_COMPONENT_INSIDE : DENT_COMPONENT_OUTSIDE);
        walk->corner = 0;
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
