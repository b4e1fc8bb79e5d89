/* New volumes from new positions, a level at a time from the leaves up, nodes of a level in parallel.
 *
 * A ball's centre is found from its parts (vertices of a leaf, balls of the children) by growing: from the middle of
 * the bounds, towards the farthest part, a few times. Its radius is then the smaller of what encloses the children's
 * balls and the largest distance of a vertex below the node, both rounded up; so the upper balls do not pile up the
 * slack of the lower ones. That costs O(n) per level.
 */
#include "structures/bounds/bound_tree.h"

#include <string.h>

enum { NODES_PER_BLOCK = 256, GROW_STEPS = 8 };

/* A part to be enclosed: a ball, or a point as a ball of radius 0. */
struct part {
    const double *centre;
    double radius;
};

static double farthest_part(const double centre[3], const struct part *parts, uint32_t count, uint32_t *which)
{
    double farthest = -1;
    for (uint32_t i = 0; i < count; i++) {
        double distance = up(distance_above(centre, parts[i].centre) + parts[i].radius);
        if (distance > farthest) {
            farthest = distance;
            *which = i;
        }
    }
    return farthest;
}

/* Centre of a small ball around the parts; returns a radius that holds them all. */
static double grow_ball(const struct part *parts, uint32_t count, double centre[3])
{
    double radius = 0, best_radius, c[3];
    for (int axis = 0; axis < 3; axis++) {
        double lo = INFINITY, hi = -INFINITY;
        for (uint32_t i = 0; i < count; i++) {
            lo = parts[i].centre[axis] - parts[i].radius < lo ? parts[i].centre[axis] - parts[i].radius : lo;
            hi = parts[i].centre[axis] + parts[i].radius > hi ? parts[i].centre[axis] + parts[i].radius : hi;
        }
        if (!(lo >= -DBL_MAX && hi <= DBL_MAX)) { /* no middle: a ball without limit around any of the centres */
            memcpy(centre, parts[0].centre, sizeof c);
            return INFINITY;
        }
        centre[axis] = c[axis] = lo * 0.5 + hi * 0.5;
        radius = hi * 0.5 - lo * 0.5 > radius ? hi * 0.5 - lo * 0.5 : radius;
    }
    uint32_t which = 0;
    best_radius = farthest_part(c, parts, count, &which);
    for (int step = 0; step < GROW_STEPS && best_radius > radius; step++) {
        double distance = farthest_part(c, parts, count, &which);
        if (distance < best_radius) {
            best_radius = distance;
            for (int axis = 0; axis < 3; axis++) {
                centre[axis] = c[axis];
            }
        }
        if (!(distance > radius * (1 + 1e-3)) || !(distance <= DBL_MAX)) {
            break;
        }
        /* The smallest ball that holds the present one and reaches the far end of that part. */
        double grown = 0.5 * radius + 0.5 * distance;
        double span = distance - parts[which].radius;
        for (int axis = 0; axis < 3 && span > 0; axis++) {
            c[axis] += (parts[which].centre[axis] - c[axis]) * ((distance - grown) / span);
        }
        radius = grown;
    }
    double last = farthest_part(c, parts, count, &which);
    if (last < best_radius) {
        best_radius = last;
        for (int axis = 0; axis < 3; axis++) {
            centre[axis] = c[axis];
        }
    }
    return best_radius;
}

struct reach {
    double nearest, farthest; /* upper bounds of the smallest and largest distance of a vertex */
    uint32_t vertex;          /* the nearest */
};

static inline double square_distance(const double a[3], const double b[3])
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return (x * x + y * y) + z * z;
}

/* The root of the largest square is the largest root: one of each is enough, with the margin of distance_above. */
static struct reach vertex_reach(const struct bound_tree *tree, const struct bound_link *link, const double centre[3])
{
    uint32_t begin = tree->vertex_start[link->first_face],
             end = tree->vertex_start[link->first_face + link->face_count];
    struct reach reach = {INFINITY, 0, tree->vertices[begin]};
    for (uint32_t i = begin; i < end; i++) {
        double square = square_distance(centre, tree->xyz[tree->vertices[i]]);
        reach.vertex = square < reach.nearest ? tree->vertices[i] : reach.vertex;
        reach.nearest = square < reach.nearest ? square : reach.nearest;
        reach.farthest = square > reach.farthest ? square : reach.farthest;
    }
    if (reach.nearest > 1e-280 && reach.farthest < 1e300) {
        reach.nearest = sqrt(reach.nearest) * (1 + 0x1p-50);
        reach.farthest = sqrt(reach.farthest) * (1 + 0x1p-50);
        return reach;
    }
    reach.nearest = INFINITY;
    reach.farthest = 0;
    for (uint32_t i = begin; i < end; i++) {
        double distance = distance_above(centre, tree->xyz[tree->vertices[i]]);
        reach.vertex = distance < reach.nearest ? tree->vertices[i] : reach.vertex;
        reach.nearest = distance < reach.nearest ? distance : reach.nearest;
        reach.farthest = distance > reach.farthest ? distance : reach.farthest;
    }
    return reach;
}

static void take_witness(struct bound_tree *tree, uint32_t node, uint32_t vertex)
{
    double *witness = bound_witness(tree, node);
    for (int axis = 0; axis < 3; axis++) {
        witness[axis] = tree->xyz[vertex][axis];
    }
}

/* Centre of a small ball around a leaf's vertices, as grow_ball finds it for balls, with squares in place of lengths.
 */
static void grow_around_vertices(const struct bound_tree *tree, const struct bound_link *link, double centre[3])
{
    uint32_t begin = tree->vertex_start[link->first_face],
             end = tree->vertex_start[link->first_face + link->face_count];
    double radius = 0;
    for (int axis = 0; axis < 3; axis++) {
        double lo = INFINITY, hi = -INFINITY;
        for (uint32_t i = begin; i < end; i++) {
            double coordinate = tree->xyz[tree->vertices[i]][axis];
            lo = coordinate < lo ? coordinate : lo;
            hi = coordinate > hi ? coordinate : hi;
        }
        centre[axis] = lo * 0.5 + hi * 0.5;
        radius = hi * 0.5 - lo * 0.5 > radius ? hi * 0.5 - lo * 0.5 : radius;
    }
    for (int step = 0; step < GROW_STEPS; step++) {
        double farthest = 0;
        uint32_t which = begin;
        for (uint32_t i = begin; i < end; i++) {
            double square = square_distance(centre, tree->xyz[tree->vertices[i]]);
            which = square > farthest ? i : which;
            farthest = square > farthest ? square : farthest;
        }
        double distance = sqrt(farthest);
        if (!(distance > radius * (1 + 1e-3)) || !(distance <= DBL_MAX)) {
            return;
        }
        double grown = 0.5 * radius + 0.5 * distance;
        for (int axis = 0; axis < 3; axis++) {
            centre[axis] += (tree->xyz[tree->vertices[which]][axis] - centre[axis]) * ((distance - grown) / distance);
        }
        radius = grown;
    }
}

/* ---- radii of strands ---- */

static void note_radius(struct bound_tree *tree, uint32_t node)
{
    const struct bound_link *link = &tree->links[node];
    double largest = 0;
    for (uint32_t i = 0; i < link->child_count; i++) {
        double radius = tree->node_radii[link->first_child + i];
        largest = radius > largest ? radius : largest;
    }
    for (uint32_t i = 0; link->child_count == 0 && i < link->face_count; i++) {
        double radius = tree->radii[link->first_face + i];
        largest = radius > largest ? radius : largest;
    }
    tree->node_radii[node] = largest;
}

/* How far the volume of a node reaches beyond its vertices; 0 for surfaces. */
static double node_growth(const struct bound_tree *tree, uint32_t node)
{
    return bound_has_strands(tree) ? bound_growth(tree, tree->node_radii[node]) : 0;
}

static void refit_ball(struct bound_tree *tree, uint32_t node)
{
    const struct bound_link *link = &tree->links[node];
    struct bound_volume *volume = &tree->volumes[node];
    double layered = INFINITY;
    if (link->child_count > 0) {
        struct part parts[BOUND_BRANCHING_MAX];
        for (uint32_t i = 0; i < link->child_count; i++) {
            const double *child = tree->volumes[link->first_child + i].v;
            parts[i] = (struct part){child, child[3]};
        }
        layered = grow_ball(parts, link->child_count, volume->v);
    } else {
        grow_around_vertices(tree, link, volume->v);
    }
    struct reach reach = vertex_reach(tree, link, volume->v);
    double growth = node_growth(tree, node), farthest = growth > 0 ? up(reach.farthest + growth) : reach.farthest;
    double radius = farthest < layered ? farthest : layered;
    double around = up(radius + reach.nearest);
    take_witness(tree, node, reach.vertex);
    volume->v[3] = radius;
    volume->error = around < 2 * radius ? around : 2 * radius;
}

static void refit_box(struct bound_tree *tree, uint32_t node)
{
    const struct bound_link *link = &tree->links[node];
    struct bound_volume *volume = &tree->volumes[node];
    double middle[3];
    for (int axis = 0; axis < 3; axis++) {
        double lo = INFINITY, hi = -INFINITY;
        for (uint32_t i = 0; i < link->child_count; i++) {
            const double *child = tree->volumes[link->first_child + i].v;
            lo = child[axis] < lo ? child[axis] : lo;
            hi = child[axis + 3] > hi ? child[axis + 3] : hi;
        }
        if (link->child_count == 0) {
            uint32_t begin = tree->vertex_start[link->first_face],
                     end = tree->vertex_start[link->first_face + link->face_count];
            for (uint32_t i = begin; i < end; i++) {
                double c = tree->xyz[tree->vertices[i]][axis];
                lo = c < lo ? c : lo;
                hi = c > hi ? c : hi;
            }
        }
        double growth = link->child_count == 0 ? node_growth(tree, node) : 0;
        lo = growth > 0 ? down(lo - growth) : lo;
        hi = growth > 0 ? up(hi + growth) : hi;
        volume->v[axis] = lo;
        volume->v[axis + 3] = hi;
        middle[axis] = lo * 0.5 + hi * 0.5;
    }
    struct reach reach = vertex_reach(tree, link, middle);
    take_witness(tree, node, reach.vertex);
    double diagonal = distance_above(volume->v, volume->v + 3);
    /* Twice the distance from the middle to a corner may be a little above the diagonal: rounding of the middle. */
    double corner = distance_above(middle, volume->v), other = distance_above(middle, volume->v + 3);
    double around = up((corner > other ? corner : other) * (1 + 0x1p-50) + reach.nearest);
    volume->error = around < diagonal ? around : diagonal;
}

/* Of a leaf from its vertices, of others from their children, whose slabs are rounded outward already. */
static void refit_slabs(struct bound_tree *tree, uint32_t node)
{
    const struct bound_link *link = &tree->links[node];
    uint32_t directions = tree->slab_directions;
    double *slabs = &tree->slabs[2 * (size_t)directions * node];
    for (uint32_t k = 0; k < directions; k++) {
        slabs[k] = INFINITY;
        slabs[directions + k] = -INFINITY;
    }
    for (uint32_t i = 0; i < link->child_count; i++) {
        const double *child = bound_slabs(tree, link->first_child + i);
        for (uint32_t k = 0; k < directions; k++) {
            slabs[k] = child[k] < slabs[k] ? child[k] : slabs[k];
            slabs[directions + k] =
                child[directions + k] > slabs[directions + k] ? child[directions + k] : slabs[directions + k];
        }
    }
    if (link->child_count == 0) {
        uint32_t end = tree->vertex_start[link->first_face + link->face_count];
        for (uint32_t i = tree->vertex_start[link->first_face]; i < end; i++) {
            slabs_add_point(directions, tree->xyz[tree->vertices[i]], slabs);
        }
        double growth = node_growth(tree, node) * 1.7320508075688776; /* no direction is longer */
        for (uint32_t k = 0; growth > 0 && k < directions; k++) {
            slabs[k] = down(slabs[k] - growth);
            slabs[directions + k] = up(slabs[directions + k] + growth);
        }
    }
}

struct refit_level {
    struct bound_tree *tree;
    uint32_t begin, end;
};

static void refit_block(void *data, uint32_t block, uint32_t worker)
{
    const struct refit_level *level = data;
    uint32_t begin = level->begin + block * NODES_PER_BLOCK, end = begin + NODES_PER_BLOCK;
    (void)worker;
    for (uint32_t node = begin; node < end && node < level->end; node++) {
        if (bound_has_strands(level->tree)) {
            note_radius(level->tree, node);
        }
        if (bound_has_balls(level->tree)) {
            refit_ball(level->tree, node);
        } else {
            refit_box(level->tree, node);
        }
        if (level->tree->slab_directions > 0) {
            refit_slabs(level->tree, node);
        }
    }
}

void bound_tree_refit(struct bound_tree *tree)
{
    if (tree->face_count == 0) {
        return;
    }
    tree->largest = 0;
    for (uint32_t v = 0; bound_has_strands(tree) && v < tree->vertex_count; v++) {
        for (int axis = 0; axis < 3; axis++) {
            double size = fabs(tree->xyz[v][axis]);
            tree->largest = size > tree->largest ? size : tree->largest;
        }
    }
    for (uint32_t i = tree->level_count; i-- > 0;) {
        struct refit_level level = {tree, tree->level_start[i], tree->level_start[i + 1]};
        dent_parallel_for(tree->context, (level.end - level.begin + NODES_PER_BLOCK - 1) / NODES_PER_BLOCK, refit_block,
                          &level);
    }
}
