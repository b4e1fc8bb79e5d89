/* A spike pokes into a block: which vertex is the first inside, which of its edges leave the block, and how deep is it?
 * The depth is that of Heidelberger and others (consistent penetration depth): an average over the edges that leave,
 * weighted by distance.
 *
 *     cc 06_border.c $(pkg-config --cflags --libs dent) && ./a.out
 */
#include <dent/dent.h>
#include <math.h>
#include <stdio.h>

int main(void)
{
    const double block[4][3] = {{-8, -8, 0}, {8, -8, 0}, {0, 8, 0}, {0, 0, -8}};
    const double spike[4][3] = {{0, 0, -1}, {-1, 0, 3}, {1, 0, 3}, {0, 1, 3}};
    const uint32_t cell[4] = {0, 2, 1, 3};
    dent_context *context = dent_context_create(NULL, NULL);
    dent_world *world = dent_world_create(context);
    dent_body_id id;

    dent_body_def body = dent_solid_def_default();
    body.vertex_count = 4, body.element_count = 1, body.element_corners = cell;
    body.positions_t0 = dent_positions_double(block[0]);
    dent_world_add_body(world, &body, &id);
    body.positions_t0 = dent_positions_double(spike[0]);
    dent_world_add_body(world, &body, &id);

    /* snippet: ask */
    dent_border_def border_def = dent_border_def_default();
    dent_query_def ask = dent_query_def_default();
    ask.questions = DENT_QUESTION_VERTEX_CELL;
    ask.border = &border_def; /* result.border is filled */
    /* end of snippet */
    dent_query_result result;
    if (dent_world_query(world, &ask, &result) != DENT_OK) {
        printf("%s\n", dent_world_message(world));
        return 1;
    }
    const dent_border *border = &result.border;
    printf("%u curve(s), the first with %u segments, %s\n", (unsigned)border->curve_count,
           border->curves[0].segment_count, border->curves[0].closed ? "closed" : "open");
    double depth = 0, weights = 0;
    for (uint64_t i = 0; i < border->vertex_count; i++) {
        const dent_border_vertex *vertex = &border->vertices[i];
        depth = weights = 0;
        for (uint32_t k = 0; k < vertex->edge_count; k++) {
            const dent_cut_edge *cut = &border->cut_edges[border->vertex_edges[vertex->first_edge + k]];
            double length = 0, along = 0;
            for (int axis = 0; axis < 3; axis++) {
                double way = cut->point[axis] - spike[vertex->vertex][axis];
                length += way * way;
                along += way * cut->normal[axis];
            }
            depth += along / length;
            weights += 1 / length;
        }
        printf("vertex %u of body %u is %g deep in body %u\n", vertex->vertex, vertex->body_a, depth / weights,
               vertex->body_b);
    }
    int good = border->vertex_count == 1 && fabs(depth / weights - 1) < 1e-12;
    dent_world_destroy(world);
    dent_context_destroy(context);
    return good ? 0 : 1;
}
