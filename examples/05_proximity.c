/* A cloth of two triangles hangs a little above a block: which features are closer than the cloth is thick, and which
 * way to push it?
 *
 *     cc 05_proximity.c $(pkg-config --cflags --libs dent) && ./a.out
 */
#include <dent/dent.h>
#include <stdio.h>

int main(void)
{
    const double block[4][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, -4}};
    const double cloth[4][3] = {{1, 1, 0.04}, {3, -1, 0.5}, {3, 3, 0.5}, {1, 5, 0.5}};
    const uint32_t cell[4] = {0, 2, 1, 3}, triangles[2][3] = {{0, 1, 2}, {0, 2, 3}};
    dent_context *context = dent_context_create(NULL, NULL);
    dent_world *world = dent_world_create(context);
    dent_body_id id;

    dent_body_def body = dent_solid_def_default();
    body.vertex_count = 4, body.element_count = 1, body.element_corners = cell;
    body.positions_t0 = dent_positions_double(block[0]);
    body.thickness = 0; /* the block is as large as it is */
    dent_world_add_body(world, &body, &id);

    body = dent_surface_def_default();
    body.vertex_count = 4, body.element_count = 2, body.element_corners = triangles[0];
    body.positions_t0 = dent_positions_double(cloth[0]);
    dent_world_add_body(world, &body, &id); /* takes its thickness from the query */

    dent_proximity_def ask = dent_proximity_def_default();
    ask.thickness = 0.05;
    ask.closest_features_only = true; /* one record where several pairs mean the same contact */
    dent_proximity_result near;
    if (dent_world_proximity(world, &ask, &near) != DENT_OK) {
        printf("%s\n", dent_world_message(world));
        return 1;
    }
    for (uint64_t i = 0; i < near.count; i++) {
        const dent_proximity *pair = &near.pairs[i];
        char a[32], b[32];
        dent_proximity_feature_print(world, pair, false, a, sizeof a);
        dent_proximity_feature_print(world, pair, true, b, sizeof b);
        printf("%s: body %u %s is %g from body %u %s; push along (%g %g %g)\n",
               dent_proximity_kind_name((dent_proximity_kind)pair->kind), pair->body_a, a, pair->distance, pair->body_b,
               b, pair->direction[0], pair->direction[1], pair->direction[2]);
    }
    dent_world_destroy(world);
    dent_context_destroy(context);
    return near.count == 1 ? 0 : 1;
}
