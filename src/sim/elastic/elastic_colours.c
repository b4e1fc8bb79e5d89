/* Colours: vertices of one colour share no element, so they may move at the same time, and a sweep that takes colour
 * after colour gives the same bits for any number of threads. Greedy, in the order of the vertices: a mesh of
 * tetrahedra needs about ten colours, a sheet with bending about eight. */
#include "elastic_mesh.h"

#include <string.h>

uint32_t elastic_colour(uint32_t vertex_count, const uint32_t *list, const uint64_t *starts, const uint32_t *others,
                        uint32_t *colours, uint32_t *marks)
{
    uint32_t colour_count = 0;
    for (uint32_t k = 0; k < vertex_count; k++) {
        marks[k] = SIM_NONE;
        colours[list[k]] = SIM_NONE;
    }
    for (uint32_t k = 0; k < vertex_count; k++) {
        uint32_t vertex = list[k];
        for (uint64_t n = starts[vertex]; n < starts[vertex + 1]; n++) {
            uint32_t colour = colours[others[n]];
            if (colour != SIM_NONE) {
                marks[colour] = k;
            }
        }
        uint32_t colour = 0;
        while (colour < colour_count && marks[colour] == k) {
            colour++;
        }
        colours[vertex] = colour;
        colour_count = colour == colour_count ? colour_count + 1 : colour_count;
    }
    return colour_count;
}
