/* Page 4 of the tutorial: a probe dips into a block and comes out again. Who touches whom, since when, how deep?
 *
 *     cc 4_events.c $(pkg-config --cflags --libs dent) -o 4_events && ./4_events
 */
#include <dent/dent.h>
#include <stdio.h>

/* snippet: user */
struct thing { /* ours: dent stores a pointer to it and never looks inside */
    const char *label;
    int touched;
};

static dent_status add_tetrahedron(dent_world *world, double corners[4][3], struct thing *thing)
{
    static const uint32_t cell[4] = {0, 1, 2, 3};
    dent_body_id id;
    dent_body_def def = dent_solid_def_default();
    def.vertex_count = 4, def.element_count = 1, def.element_corners = cell;
    def.positions_t0 = dent_positions_double(corners[0]);
    def.user = thing;
    return dent_world_add_body(world, &def, &id);
}
/* end of snippet */

int main(void)
{
    double block[4][3] = {{-5, -5, 0}, {5, -5, 0}, {0, 8, 0}, {0, 0, -9}};
    double probe[4][3] = {{0, 0, 0.3}, {1, 0, 2}, {-1, 1, 2}, {-1, -1, 2}};
    struct thing things[2] = {{"block", 0}, {"probe", 0}};
    dent_context *context = dent_context_create(NULL, NULL);
    dent_world *world = dent_world_create(context);
    if (add_tetrahedron(world, block, &things[0]) != DENT_OK || add_tetrahedron(world, probe, &things[1]) != DENT_OK) {
        printf("%s\n", dent_world_message(world));
        return 1;
    }

    /* snippet: events */
    dent_contacts_def ask = dent_contacts_def_default();
    ask.events = true;
    for (int step = 0; step < 6; step++) {
        for (int k = 0; k < 4; k++) {
            probe[k][2] += step < 3 ? -0.2 : 0.2;
        }
        dent_contacts found;
        if (dent_world_find_contacts(world, &ask, &found) != DENT_OK) {
            printf("%s\n", dent_world_message(world));
            return 1;
        }
        const dent_contact_events *events = &found.events;
        for (uint64_t i = 0; i < events->pairs_begin_count; i++) {
            struct thing *a = dent_body_user(world, events->pairs_begin[i].id_a);
            struct thing *b = dent_body_user(world, events->pairs_begin[i].id_b);
            printf("step %d: %s and %s begin to touch\n", step, a->label, b->label);
            a->touched++, b->touched++;
        }
        for (uint64_t i = 0; i < events->pairs_persist_count; i++) {
            printf("step %d: still touching, %g deep\n", step, events->pairs_persist[i].max_depth);
        }
        for (uint64_t i = 0; i < events->pairs_end_count; i++) {
            printf("step %d: apart after %d calls\n", step, (int)events->pairs_end[i].calls);
        }
    }
    /* end of snippet */

    /* snippet: closest */
    dent_closest_def near = dent_closest_def_default();
    const double there[3] = {0, 0, 5};
    near.points = dent_positions_double(there), near.count = 1;
    dent_closest_result closest;
    if (dent_world_closest_points(world, &near, &closest) == DENT_OK) {
        struct thing *thing = dent_world_user_at(world, closest.points[0].body);
        printf("nearest to (0 0 5): %s, %g away\n", thing->label, closest.points[0].distance);
    }
    /* end of snippet */
    printf("%s was touched %d time(s)\n", things[0].label, things[0].touched);
    dent_world_destroy(world);
    dent_context_destroy(context);
    return 0;
}
