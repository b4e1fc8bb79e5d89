/* Straight walks. See cell_walk.h.
 *
 * Seen along the line, a cell entered through one face shows its fourth corner somewhere in the outline; the signs of
 * the line against the three edges at that corner tell which of the other faces the line leaves through. One more sign
 * tells whether the target lies before that face.
 */
#include "structures/walk/cell_walk.h"

#include <math.h>

/* The line, and the cell the walk is in, seen from where the line begins. */
struct straight_line {
    struct numbered_point from, to;
    double along[3]; /* to - from */
    double length;   /* largest |component| of it */
    int orientation;
    struct numbered_point points[4];
    double arms[4][3]; /* points - from */
    double reach;      /* largest |component| of the arms */
    bool *degenerate;
    predicate_counters *counters;
};

static void look_at_cell(struct straight_line *line, const struct walk_body *body, const struct walk_cell *cell)
{
    line->orientation = walk_orientation(body, cell);
    line->reach = 0;
    walk_cell_points(body, cell, line->points);
    for (int corner = 0; corner < 4; corner++) {
        for (int axis = 0; axis < 3; axis++) {
            double arm = line->points[corner].xyz[axis] - line->from.xyz[axis];
            line->arms[corner][axis] = arm;
            line->reach = fabs(arm) > line->reach ? fabs(arm) : line->reach;
        }
    }
}

/* The signs of the line against the edges from corner `hub` to the others, for a positive cell. along . (arm x arm):
 * six products with at most 8 roundings each, as in orientation_predicates.h, so 48 u times the largest factors; 64
 * leaves room for the bound's own roundings. */
static void sides_at_hub(const struct straight_line *line, uint32_t hub, int side[4])
{
    const double *d = line->along, *h = line->arms[hub];
    double normal[3] = {d[1] * h[2] - d[2] * h[1], d[2] * h[0] - d[0] * h[2], d[0] * h[1] - d[1] * h[0]};
    double bound = 64 * 0x1p-53 * line->length * line->reach * line->reach + 0x1p-900;
    for (uint32_t j = 0; j < 4; j++) {
        const double *arm = line->arms[j];
        double value = normal[0] * arm[0] + normal[1] * arm[1] + normal[2] * arm[2];
        if (j == hub) {
            side[j] = 0;
        } else if (fabs(value) > bound) {
            side[j] = value > 0 ? line->orientation : -line->orientation;
        } else {
            side[j] = line->orientation * perturbed_orientation(line->from, line->to, line->points[hub],
                                                                line->points[j], line->degenerate, line->counters);
        }
    }
}

/* Does the line leave through the face opposite `corner`? */
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

static uint32_t exit_from_hub(const struct straight_line *line, uint32_t hub)
{
    int side[4];
    sides_at_hub(line, hub, side);
    for (uint32_t corner = 0; corner < 4; corner++) {
        if (corner != hub && leaves_through(corner, hub, side)) {
            return corner;
        }
    }
    return 4;
}

/* The line starts inside: the face for which all three edges turn the right way. */
static uint32_t exit_from_inside(const struct straight_line *line)
{
    int side[4][4];
    for (uint32_t hub = 0; hub < 3; hub++) {
        sides_at_hub(line, hub, side[hub]);
    }
    for (uint32_t corner = 0; corner < 4; corner++) {
        const uint8_t *ring = walk_face_corners[corner];
        bool through = true;
        for (int i = 0; i < 3; i++) {
            uint32_t a = ring[i], b = ring[(i + 1) % 3];
            through &= (a < b ? side[a][b] : -side[b][a]) > 0;
        }
        if (through) {
            return corner;
        }
    }
    return 4;
}

/* Is the target on the inner side of the face opposite `corner`? In coordinates seen from the start, each with one
 * rounding: factors of at most 2 X with errors of at most 4 u X change the determinant by at most 288 u X^3, and its
 * own roundings are below 48 u (2 X)^3; 1024 is more than both. */
static bool target_before(const struct straight_line *line, uint32_t corner)
{
    const uint8_t *ring = walk_face_corners[corner];
    const double *a = line->arms[ring[0]], *b = line->arms[ring[1]], *c = line->arms[ring[2]];
    double first[3], second[3], back[3], size = line->reach > line->length ? line->reach : line->length;
    for (int axis = 0; axis < 3; axis++) {
        first[axis] = b[axis] - a[axis];
        second[axis] = c[axis] - a[axis];
        back[axis] = a[axis] - line->along[axis];
    }
    double value = back[0] * (first[1] * second[2] - first[2] * second[1]) +
                   back[1] * (first[2] * second[0] - first[0] * second[2]) +
                   back[2] * (first[0] * second[1] - first[1] * second[0]);
    if (fabs(value) > 1024 * 0x1p-53 * size * size * size + 0x1p-900) {
        return (value > 0) == (line->orientation > 0);
    }
    struct numbered_point points[4] = {line->points[0], line->points[1], line->points[2], line->points[3]};
    points[corner] = line->to;
    return perturbed_orientation(points[0], points[1], points[2], points[3], line->degenerate, line->counters) ==
           line->orientation;
}

static bool has_corner(const struct straight_line *line, uint32_t number)
{
    return line->points[0].number == number || line->points[1].number == number || line->points[2].number == number ||
           line->points[3].number == number;
}

enum walk_end walk_straight(const struct walk_body *body, struct numbered_point from, struct numbered_point to,
                            uint32_t cell, uint32_t entered, uint32_t *arrived, bool *degenerate,
                            predicate_counters *counters)
{
    const struct walk_cell *cells = body->mesh->cells;
    struct straight_line line = {.from = from, .to = to, .degenerate = degenerate, .counters = counters};
    for (int axis = 0; axis < 3; axis++) {
        line.along[axis] = to.xyz[axis] - from.xyz[axis];
        line.length = fabs(line.along[axis]) > line.length ? fabs(line.along[axis]) : line.length;
    }
    for (uint64_t step = 0; step <= body->mesh->cell_count; step++) {
        const struct walk_cell *record = &cells[cell];
        look_at_cell(&line, body, record);
        *arrived = cell;
        if (has_corner(&line, to.number)) {
            return WALK_AT_HOME;
        }
        uint32_t leaving = entered < 4 ? exit_from_hub(&line, entered) : exit_from_inside(&line);
        if (leaving == 4) {
            return WALK_LOST;
        }
        if (target_before(&line, leaving)) {
            return WALK_ARRIVED;
        }
        uint32_t next = record->neighbours[leaving];
        if (next == WALK_WALL || walk_is_removed(body, next)) {
            return WALK_LEFT;
        }
        entered = record->back[leaving];
        cell = next;
    }
    return WALK_LOST;
}
