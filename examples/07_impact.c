/* A sheet falls on a tetrahedron in steps that are never too long: each goes 0.9 of what dent_world_safe_step allows,
 * so the sheet comes to rest just above the tip and never passes through it.
 *
 *     cc 07_impact.c $(pkg-config --cflags --libs dent) && ./a.out
 */
#include <dent/dent.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    static const double tetrahedron[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.2, 0.2, 1}};
    static const uint32_t cell[4] = {0, 1, 2, 3}, triangles[6] = {0, 1, 2, 0, 2, 3};
    double now[4][3] = {{-1, -1, 2}, {1, -1, 2.1}, {1, 1, 2}, {-1, 1, 2.1}}, next[4][3];

    dent_context *context = dent_context_create(NULL, NULL);
    dent_world *world = dent_world_create(context);
    dent_body_def def = dent_solid_def_default();
    dent_body_id id, sheet;
    def.vertex_count = 4;
    def.element_count = 1;
    def.element_corners = cell;
    def.positions_t0 = dent_positions_double(tetrahedron[0]); /* no positions at t1: it stands still */
    dent_world_add_body(world, &def, &id);
    def = dent_surface_def_default();
    def.vertex_count = 4;
    def.element_count = 2;
    def.element_corners = triangles;
    def.positions_t0 = dent_positions_double(now[0]); /* borrowed: overwritten below, step by step */
    def.positions_t1 = dent_positions_double(next[0]);
    dent_world_add_body(world, &def, &sheet);

    int failed = 0;
    for (int step = 0; step < 6 && !failed; step++) {
        dent_impact_def ask = dent_impact_def_default();
        dent_safe_step safe;
        memcpy(next, now, sizeof next);
        for (int v = 0; v < 4; v++) {
            next[v][2] -= 0.5; /* where the sheet would like to be */
        }
        if (dent_world_safe_step(world, &ask, &safe) != DENT_OK || safe.start.crosses) {
            printf("step %d: %s\n", step, safe.start.crosses ? "the start crosses" : dent_world_message(world));
            failed = 1;
            break;
        }
        double fraction = safe.found ? 0.9 * safe.fraction : 1;
        printf("step %d: safe up to %.6f", step, safe.fraction);
        if (safe.found) {
            char a[32], b[32];
            dent_impact_feature_print(world, &safe.impact, false, a, sizeof a);
            dent_impact_feature_print(world, &safe.impact, true, b, sizeof b);
            printf(", where %s %s of body %u meets %s of body %u",
                   dent_impact_kind_name((dent_impact_kind)safe.impact.kind), a, safe.impact.body_a, b,
                   safe.impact.body_b);
        }
        printf("\n");
        for (int v = 0; v < 4; v++) {
            for (int axis = 0; axis < 3; axis++) {
                now[v][axis] += fraction * (next[v][axis] - now[v][axis]);
            }
        }
    }
    printf("the sheet rests at %.6f\n", now[0][2]);
    failed = failed || now[0][2] < 0.9 || now[0][2] > 1.01;
    dent_world_destroy(world);
    dent_context_destroy(context);
    return failed;
}
