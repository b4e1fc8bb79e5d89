/* Page 6 of the tutorial: a bullet meets a sheet within one step. Contacts at the end of the step miss it; the continuous
 * test does not. And: what a step costs once it has warmed up.
 *
 *     cc 6_nothing_passes.c $(pkg-config --cflags --libs dent) -o 6_nothing_passes && ./6_nothing_passes
 */
#include <dent/dent.h>
#include <stdio.h>

static const double sheet[4][3] = {{-2, -2, 0}, {2, -2, 0}, {2, 2, 0}, {-2, 2, 0}};
static double before[4][3] = {{0.1, 0.2, 1}, {0.3, 0, 2}, {0, 0.3, 2}, {-0.3, -0.3, 2}}, after[4][3];

static dent_status add_bodies(dent_world *world, dent_body_id *bullet)
{
    static const uint32_t triangles[2][3] = {{0, 1, 2}, {0, 2, 3}}, cell[4] = {0, 1, 2, 3};
    dent_body_id id;
    dent_body_def def = dent_surface_def_default();
    def.name = "sheet";
    def.vertex_count = 4, def.element_count = 2, def.element_corners = triangles[0];
    def.positions_t0 = dent_positions_double(sheet[0]); /* without positions at t1 it stands still */
    dent_status status = dent_world_add_body(world, &def, &id);
    /* snippet: motion */
    def = dent_solid_def_default();
    def.name = "bullet";
    def.vertex_count = 4, def.element_count = 1, def.element_corners = cell;
    def.positions_t0 = dent_positions_double(before[0]);
    def.positions_t1 = dent_positions_double(after[0]); /* where it would be at the end of the step */
    /* end of snippet */
    return status == DENT_OK ? dent_world_add_body(world, &def, bullet) : status;
}

int main(void)
{
    dent_context *context = dent_context_create(NULL, NULL);
    dent_world *world = dent_world_create(context);
    dent_body_id bullet;
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 3; i++) {
            after[k][i] = before[k][i] - (i == 2 ? 50 : 0); /* 50 lengths down in one step */
        }
    }
    if (add_bodies(world, &bullet) != DENT_OK) {
        printf("%s\n", dent_world_message(world));
        return 1;
    }

    /* snippet: discrete */
    dent_query_def ask = dent_query_def_default();
    ask.questions = DENT_QUESTION_FACE_FACE;
    dent_query_result found;
    const dent_positions end = dent_positions_double(after[0]), start = dent_positions_double(before[0]);
    dent_body_set_positions(world, bullet, &end, NULL); /* what a simulator without a continuous test sees */
    dent_world_query(world, &ask, &found);
    printf("at the end of the step %d faces cross\n", (int)found.face_face.count);
    dent_body_set_positions(world, bullet, &start, &end);
    /* end of snippet */

    /* snippet: continuous */
    dent_impact_def moving = dent_impact_def_default();
    dent_safe_step safe;
    if (dent_world_safe_step(world, &moving, &safe) != DENT_OK) {
        printf("%s\n", dent_world_message(world));
        return 1;
    }
    printf("safe up to %.17g of the step: vertex %u of the bullet meets the sheet\n", safe.fraction,
           safe.impact.feature_a);
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 3; i++) { /* go there, and a little less */
            after[k][i] = before[k][i] + 0.9 * safe.fraction * (after[k][i] - before[k][i]);
        }
    }
    dent_world_safe_step(world, &moving, &safe);
    printf("the shorter step: safe up to %g\n", safe.fraction);
    /* end of snippet */

    /* snippet: allocations */
    uint64_t allocations = dent_context_memory_use(context).allocations;
    for (int step = 0; step < 1000; step++) {
        dent_world_safe_step(world, &moving, &safe);
        dent_body_set_positions(world, bullet, &start, &end);
        dent_world_query(world, &ask, &found);
    }
    printf("%d allocations in 1000 steps\n", (int)(dent_context_memory_use(context).allocations - allocations));
    /* end of snippet */
    dent_world_destroy(world);
    dent_context_destroy(context);
    return 0;
}
