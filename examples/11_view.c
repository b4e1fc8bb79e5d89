/* Your own world in the browser, from your own loop: a block passes through another one, with contacts, plot and marker.
 *
 *     cc 11_view.c $(pkg-config --cflags --libs dent_view dent) -lm && ./a.out      (an argument: steps to take)
 */
#include <dent/dent.h>
#include <dent/view.h>
#include <math.h>
#include <stdlib.h>

int main(int argument_count, char **arguments)
{
    double x[2][4][3] = {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 4}}, {{1, 1, 1}, {9, 1, 1}, {1, 9, 1}, {1, 1, 9}}};
    const uint32_t corners[4] = {0, 1, 2, 3};
    dent_context *context = dent_context_create(NULL, NULL);
    dent_world *world = dent_world_create(context);
    for (int i = 0; i < 2; i++) {
        dent_body_def body = dent_solid_def_default();
        body.vertex_count = 4, body.element_count = 1, body.element_corners = corners;
        body.positions_t0 = dent_positions_double(x[i][0]);
        dent_world_add_body(world, &body, &(dent_body_id){0});
    }
    /* snippet: view */
    dent_view *view = NULL;
    dent_view_create(world, NULL, &view); /* prints the address, opens the browser */
    dent_view_add_plot(view, "height", 1, &(uint32_t){0}); /* gets the index 0 */
    for (long step = 0, end = argument_count > 1 ? atol(arguments[1]) : -1; step != end; step++) {
        double height = x[1][0][2] = 3 * sin(1e-5 * (double)step);
        dent_contacts_def def = dent_contacts_def_default();
        dent_contacts found;
        dent_world_find_contacts(world, &def, &found);
        dent_view_set_contacts(view, &found);
        dent_view_set_plot(view, 0, &height);
        dent_view_set_markers(view, &(dent_view_marker){DENT_VIEW_POINT, 0xff8800, {1, 1, height}, {0}, "tip"}, 1);
        dent_view_update(view, 1e-5 * (double)step); /* never waits */
    }
    /* end of snippet */
    dent_view_destroy(view);
    dent_world_destroy(world);
    dent_context_destroy(context);
}
