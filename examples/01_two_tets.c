/* Two tetrahedra, one poking into the other: which vertices are inside, and where.
 *
 *     cc 01_two_tets.c $(pkg-config --cflags --libs dent) && ./a.out
 */
#include <dent/dent.h>
#include <stdio.h>

int main(void)
{
    /* snippet: first */
    const double a[4][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 4}};
    const double b[4][3] = {{1, 1, 1}, {9, 1, 1}, {1, 9, 1}, {1, 1, 9}};
    const uint32_t corners[4] = {0, 1, 2, 3};
    dent_context *context = dent_context_create(NULL, NULL); /* memory, threads, log: all defaults */
    dent_world *world = dent_world_create(context);
    dent_body_id id;
    for (int i = 0; i < 2; i++) {
        dent_body_def body = dent_solid_def_default();
        body.vertex_count = 4, body.element_count = 1, body.element_corners = corners;
        body.positions_t0 = dent_positions_double(i ? b[0] : a[0]); /* borrowed, never written */
        dent_world_add_body(world, &body, &id);
    }
    dent_query_def ask = dent_query_def_default();
    ask.questions = DENT_QUESTION_VERTEX_CELL | DENT_QUESTION_FACE_FACE;
    dent_query_result found;
    if (dent_world_query(world, &ask, &found) != DENT_OK) {
        printf("%s\n", dent_world_message(world));
    }
    /* end of snippet */
    for (uint64_t i = 0; i < found.vertex_cell.count; i++) {
        const dent_pair *pair = &found.vertex_cell.pairs[i];
        const double *weight = found.vertex_cell.cell_points[i].weights;
        printf("vertex %u of body %u is in cell %u of body %u at (%g %g %g %g)\n", pair->feature_a, pair->body_a,
               pair->feature_b, pair->body_b, weight[0], weight[1], weight[2], weight[3]);
    }
    printf("%llu pairs of surface faces cross\n", (unsigned long long)found.face_face.count);
    dent_world_destroy(world);
    dent_context_destroy(context);
    return 0;
}
