/* A few moving boxes: which overlap, which does a ray meet, which is nearest?
 *
 *     cc 10_boxes.c $(pkg-config --cflags --libs dent) && ./a.out
 */
#include <dent/dent.h>
#include <stdio.h>

int main(void)
{
    /* lo x, y, z, hi x, y, z; the last one has lo > hi: it is absent until it is given a place */
    float list[4][6] = {{0, 0, 0, 1, 1, 1}, {1, 0, 0, 2, 1, 1}, {5, 0, 0, 6, 1, 1}, {1, 0, 0, -1, 0, 0}};
    dent_context *context = dent_context_create(NULL, NULL);
    dent_boxes *boxes = NULL;
    dent_box_pairs pairs = {0, NULL};
    dent_box_hits hits;
    if (dent_boxes_create(context, NULL, &boxes) != DENT_OK) {
        return 1;
    }
    for (int step = 0; step < 3; step++) {
        /* snippet: pairs */
        if (dent_boxes_update(boxes, dent_box_list_float(list[0]), 4) != DENT_OK ||
            dent_boxes_pairs(boxes, &pairs) != DENT_OK) {
            return 1;
        }
        printf("step %d:", step);
        for (uint64_t i = 0; i < pairs.count; i++) {
            printf(" %u-%u", pairs.pairs[i].a, pairs.pairs[i].b);
        }
        printf("\n");
        /* end of snippet */
        list[2][0] -= 2, list[2][3] -= 2;            /* one moves */
        list[3][0] = list[2][0], list[3][3] = 10;    /* one appears */
        list[3][4] = list[3][5] = 1;
    }

    const double from[3] = {-1, 0.5, 0.5}, to[3] = {0, 0.5, 0.5}, place[3] = {0.5, 3, 0.5};
    dent_box_segments ray = {dent_positions_double(from), dent_positions_double(to), true, NULL};
    if (dent_boxes_on_segments(boxes, &ray, 1, &hits) != DENT_OK) {
        return 1;
    }
    for (uint64_t i = hits.first[0]; i < hits.first[1]; i++) {
        printf("the ray enters box %u at %g\n", hits.indices[i], hits.parameters[i]);
    }
    uint32_t nearest = UINT32_MAX;
    double squared = 0;
    dent_neighbours_query query = dent_neighbours_query_default();
    query.places = dent_positions_double(place), query.place_count = 1;
    if (dent_boxes_nearest(boxes, &query, &nearest, &squared, NULL) != DENT_OK) {
        return 1;
    }
    printf("the nearest box is %u, at squared distance %g\n", nearest, squared);
    dent_boxes_destroy(boxes);
    dent_context_destroy(context);
    return pairs.count == 6 && nearest == 0 ? 0 : 1;
}
