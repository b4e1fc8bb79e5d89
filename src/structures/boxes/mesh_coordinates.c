/* Breadth-first walks along surface edges, component by component. Two pivots make a coordinate: the first is the
 * vertex farthest from all pivots before, the second the one farthest from the first. See mesh_coordinates.h. */
#include "structures/boxes/mesh_coordinates.h"

#include <string.h>

#define NONE UINT32_MAX

enum { PIVOTS = 6 };

struct walks {
    uint32_t vertex_count;
    uint32_t *start, *neighbours; /* of each vertex, along surface edges */
    uint32_t *distance[PIVOTS];
    uint32_t *queue, queued;
};

static bool list_neighbours(struct walks *walks, const struct body *body, struct arena *arena)
{
    size_t vertices = body->vertex_count;
    walks->start = arena_allocate_cleared(arena, vertices + 2, sizeof *walks->start);
    if (!walks->start) {
        return false;
    }
    for (uint32_t edge = 0; edge < body->edge_count; edge++) {
        if (body->edge_is_surface[edge]) {
            walks->start[body->edges[edge].v0 + 2]++;
            walks->start[body->edges[edge].v1 + 2]++;
        }
    }
    for (size_t vertex = 1; vertex <= vertices; vertex++) {
        walks->start[vertex + 1] += walks->start[vertex];
    }
    walks->neighbours = arena_allocate(arena, walks->start[vertices + 1], sizeof *walks->neighbours);
    if (!walks->neighbours) {
        return false;
    }
    for (uint32_t edge = 0; edge < body->edge_count; edge++) {
        if (body->edge_is_surface[edge]) {
            walks->neighbours[walks->start[body->edges[edge].v0 + 1]++] = body->edges[edge].v1;
            walks->neighbours[walks->start[body->edges[edge].v1 + 1]++] = body->edges[edge].v0;
        }
    }
    return true;
}

/* Edges to every vertex of the component; the queue then holds its vertices, the farthest last. */
static void walk_from(struct walks *walks, uint32_t first, uint32_t *distance)
{
    walks->queued = 0;
    walks->queue[walks->queued++] = first;
    distance[first] = 0;
    for (uint32_t head = 0; head < walks->queued; head++) {
        uint32_t vertex = walks->queue[head];
        for (uint32_t i = walks->start[vertex]; i < walks->start[vertex + 1]; i++) {
            uint32_t neighbour = walks->neighbours[i];
            if (distance[neighbour] == NONE) {
                distance[neighbour] = distance[vertex] + 1;
                walks->queue[walks->queued++] = neighbour;
            }
        }
    }
}

/* The vertex farthest from all pivots so far. */
static uint32_t farthest(const struct walks *walks, int pivots)
{
    uint32_t best = walks->queue[0], best_distance = 0;
    for (uint32_t i = 0; i < walks->queued; i++) {
        uint32_t vertex = walks->queue[i], least = NONE;
        for (int pivot = 0; pivot < pivots; pivot++) {
            least = walks->distance[pivot][vertex] < least ? walks->distance[pivot][vertex] : least;
        }
        if (least > best_distance) {
            best_distance = least;
            best = vertex;
        }
    }
    return best;
}

static void measure_component(struct walks *walks, struct mesh_coordinates *coordinates, uint32_t first)
{
    uint32_t *trial = walks->distance[PIVOTS - 1]; /* cleared again below */
    walk_from(walks, first, trial);
    uint32_t pivot = walks->queue[walks->queued - 1];
    for (uint32_t i = 0; i < walks->queued; i++) {
        trial[walks->queue[i]] = NONE;
        coordinates->component[walks->queue[i]] = coordinates->component_count;
    }
    coordinates->component_count++;
    for (int number = 0; number < PIVOTS; number++) {
        walk_from(walks, pivot, walks->distance[number]);
        pivot = number % 2 ? farthest(walks, number + 1) : walks->queue[walks->queued - 1];
    }
    for (uint32_t i = 0; i < walks->queued; i++) {
        uint32_t vertex = walks->queue[i];
        for (int axis = 0; axis < 3; axis++) {
            coordinates->at[vertex][axis] =
                (float)walks->distance[2 * axis][vertex] - (float)walks->distance[2 * axis + 1][vertex];
        }
    }
}

bool mesh_coordinates_find(struct mesh_coordinates *coordinates, const struct body *body, struct arena *arena)
{
    struct walks walks = {.vertex_count = body->vertex_count};
    size_t vertices = body->vertex_count;
    coordinates->component_count = 0;
    coordinates->at = arena_allocate_cleared(arena, vertices, sizeof *coordinates->at);
    coordinates->component = arena_allocate(arena, vertices, sizeof *coordinates->component);
    struct arena_mark mark = arena_mark(arena);
    walks.queue = arena_allocate(arena, vertices, sizeof *walks.queue);
    bool good = coordinates->at && coordinates->component && walks.queue && list_neighbours(&walks, body, arena);
    for (int pivot = 0; good && pivot < PIVOTS; pivot++) {
        walks.distance[pivot] = arena_allocate(arena, vertices, sizeof *walks.distance[pivot]);
        good = walks.distance[pivot] != NULL;
        if (good) {
            memset(walks.distance[pivot], 0xFF, vertices * sizeof *walks.distance[pivot]);
        }
    }
    if (!good) {
        return false;
    }
    memset(coordinates->component, 0xFF, vertices * sizeof *coordinates->component);
    for (uint32_t vertex = 0; vertex < vertices; vertex++) {
        if (coordinates->component[vertex] == NONE && (body->vertex_use[vertex] & VERTEX_ON_SURFACE)) {
            measure_component(&walks, coordinates, vertex);
        }
    }
    arena_rewind(arena, mark);
    return true;
}
