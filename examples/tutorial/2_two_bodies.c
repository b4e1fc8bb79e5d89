/* Page 2 of the tutorial: a tetrahedron pokes through a sheet of two triangles. Which vertices, which faces?
 *
 *     cc 2_two_bodies.c $(pkg-config --cflags --libs dent) -o 2_two_bodies && ./2_two_bodies
 */
#include <dent/dent.h>
#include <math.h>
#include <stdio.h>

int main(void)
{
    /* snippet: context */
    dent_context *context = dent_context_create(NULL, NULL); /* memory, threads, log: all defaults */
    dent_world *world = dent_world_create(context);
    /* end of snippet */

    /* snippet: bodies */
    double wedge[4][3] = {{0, 0, -1}, {1, 0, 1}, {-1, 1, 1}, {-1, -1, 1}};
    const uint32_t wedge_cell[4] = {0, 1, 2, 3};
    dent_body_id wedge_id, sheet_id;
    dent_body_def def = dent_solid_def_default();
    def.name = "wedge"; /* copied; errors and reports use it */
    def.vertex_count = 4, def.element_count = 1, def.element_corners = wedge_cell;
    def.positions_t0 = dent_positions_double(wedge[0]); /* borrowed: keep the array as long as the body */
    dent_status status = dent_world_add_body(world, &def, &wedge_id);

    const double sheet[4][3] = {{-2, -2, 0}, {2, -2, 0}, {2, 2, 0}, {-2, 2, 0}};
    const uint32_t triangles[2][3] = {{0, 1, 2}, {0, 2, 3}};
    def = dent_surface_def_default();
    def.name = "sheet";
    def.vertex_count = 4, def.element_count = 2, def.element_corners = triangles[0];
    def.positions_t0 = dent_positions_double(sheet[0]);
    status = status == DENT_OK ? dent_world_add_body(world, &def, &sheet_id) : status;
    if (status != DENT_OK) {
        printf("%s\n", dent_world_message(world));
        return 1;
    }
    /* end of snippet */

    /* snippet: query */
    dent_query_def ask = dent_query_def_default();
    ask.questions = DENT_QUESTION_FACE_FACE;
    dent_query_result found;
    if (dent_world_query(world, &ask, &found) != DENT_OK) {
        printf("%s\n", dent_world_message(world));
        return 1;
    }
    const dent_body_id *ids = dent_world_body_ids(world, NULL); /* ids by body index */
    for (uint64_t i = 0; i < found.face_face.count; i++) {
        const dent_pair *pair = &found.face_face.pairs[i];
        const dent_segment *segment = &found.face_face.segments[i];
        char face_a[32], face_b[32];
        dent_feature_print(world, DENT_QUESTION_FACE_FACE, pair, false, face_a, sizeof face_a);
        dent_feature_print(world, DENT_QUESTION_FACE_FACE, pair, true, face_b, sizeof face_b);
        printf("%s face %s crosses %s face %s, from (%g %g %g) to (%g %g %g)\n",
               dent_body_name(world, ids[pair->body_a]), face_a, dent_body_name(world, ids[pair->body_b]), face_b,
               segment->point0[0], segment->point0[1], segment->point0[2], segment->point1[0], segment->point1[1],
               segment->point1[2]);
    }
    /* end of snippet */

    /* snippet: move */
    for (int k = 0; k < 4; k++) {
        wedge[k][2] += 1.5; /* the array is ours: move it in place and ask again */
    }
    dent_world_query(world, &ask, &found);
    printf("lifted: %d pairs\n", (int)found.face_face.count);
    wedge[2][0] = NAN;
    if (dent_world_query(world, &ask, &found) != DENT_OK) {
        printf("%s\n", dent_world_message(world));
    }
    /* end of snippet */

    /* snippet: end */
    dent_world_destroy(world);
    dent_context_destroy(context);
    /* end of snippet */
    return 0;
}
