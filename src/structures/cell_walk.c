/* Straight walks. See cell_walk.h.
 *
 * Seen along the line, a cell entered through one face shows its fourth corner somewhere in the outline; the signs of the line against the three
 * edges at that corner tell which of the other faces the line leaves through. One more sign tells whether the target lies before that face.
 */
#include "structures/cell_walk.h"

/* Does the line leave through the face opposite `corner`? side[j]: the line against the edge from corner `hub` to corner j. */
static bool leaves_through(uint32_t corner, uint32_t hub, const int side[4])
{
    const uint8_t *ring = walk_face_corners[corner];
    for (int i = 0; i < 3; i++) {
        uint32_t a = ring[i], b = ring[(i + 1) % 3];
        if ((a == hub && side[b] <= 0) || (b == hub && side[a] >= 0)) {
            return false;
        }
    }
    return true;
}

static uint32_t exit_from_hub(const struct numbered_point points[4], int orientation, struct numbered_point from, struct numbered_point to,
                              uint32_t hub, bool *degenerate, predicate_counters *counters)
{
    int side[4] = {0};
    for (uint32_t j = 0; j < 4; j++) {
        if (j != hub) {
            side[j] = orientation * perturbed_orientation(from, to, points[hub], points[j], degenerate, counters);
        }
    }
    for (uint32_t corner = 0; corner < 4; corner++) {
        if (corner != hub && leaves_through(corner, hub, side)) {
            return corner;
        }
    }
    return 4;
}

/* The line starts inside: the face for which all three edges turn the right way. */
static uint32_t exit_from_inside(const struct numbered_point points[4], int orientation, struct numbered_point from,
                                 struct numbered_point to, bool *degenerate, predicate_counters *counters)
{
    int side[4][4];
    for (uint32_t m = 0; m < 6; m++) {
        uint32_t a = walk_edge_corners[m][0], b = walk_edge_corners[m][1];
        side[a][b] = orientation * perturbed_orientation(from, to, points[a], points[b], degenerate, counters);
        side[b][a] = -side[a][b];
    }
    for (uint32_t corner = 0; corner < 4; corner++) {
        const uint8_t *ring = walk_face_corners[corner];
        if (side[ring[0]][ring[1]] > 0 && side[ring[1]][ring[2]] > 0 && side[ring[2]][ring[0]] > 0) {
            return corner;
        }
    }
    return 4;
}

enum walk_end walk_straight(const struct walk_body *body, struct numbered_point from, struct numbered_point to, uint32_t cell,
                            uint32_t entered, uint32_t *arrived, bool *degenerate, predicate_counters *counters)
{
    const struct walk_cell *cells = body->mesh->cells;
    for (uint64_t step = 0; step <= body->mesh->cell_count; step++) {
        const struct walk_cell *record = &cells[cell];
        struct numbered_point points[4];
        walk_cell_points(body, record, points);
        int orientation = walk_orientation(body, record);
        *arrived = cell;
        for (int corner = 0; corner < 4; corner++) {
            if (points[corner].number == to.number) {
                return WALK_AT_HOME;
            }
        }
        uint32_t leaving = entered < 4 ? exit_from_hub(points, orientation, from, to, entered, degenerate, counters)
                                       : exit_from_inside(points, orientation, from, to, degenerate, counters);
        if (leaving == 4) {
            return WALK_LOST;
        }
        struct numbered_point kept = points[leaving];
        points[leaving] = to;
        if (orientation * perturbed_orientation(points[0], points[1], points[2], points[3], degenerate, counters) > 0) {
            return WALK_ARRIVED;
        }
        points[leaving] = kept;
        uint32_t next = record->neighbours[leaving];
        if (next == WALK_WALL || walk_is_removed(body, next)) {
            return WALK_LEFT;
        }
        entered = record->back[leaving];
        cell = next;
    }
    return WALK_LOST;
}
