/* Balls inside a solid, one for each node of a medial tree, that stay inside while the solid deforms.
 *
 * At rest the ball of a node is the medial ball its faces were given to: centre c, `inside` its distance from the
 * surface, `reach` the largest distance of a vertex of its faces. How a ball follows depends on the body.
 *
 * Cells. The centre keeps its place in its cell: c' = sum of weights times corners. Let s be a lower bound of the
 * smallest stretch (singular value of the deformation gradient) of all cells that meet the ball of radius `inside`
 * around c. Then the ball of radius s * inside around c' lies in the union of the deformed cells. For a straight path of
 * that length from c' can be followed back into the cells at rest, where it is at most `inside` long and so never comes
 * to the surface. Cells that are flat or folded over a neighbour at rest, or are inverted since, have s = 0: no ball.
 * The bound of a cell: C = F'F, m its mean eigenvalue; no eigenvalue of C is below m - sqrt(2/3) |C - m I| (norm of
 * Frobenius), which is 1 where the cell only rotates. Nor is a singular value below 2 det F / |F|^2. The larger counts,
 * less what rounding may have done. The least bounds lie in a grid over the body at rest, with coarser grids of the
 * least of eight above, so a ball looks at a few cells of one grid.
 *
 * Surfaces. The centre goes with the best rigid motion of the whole surface. Where no vertex is farther than g from its
 * place in that motion, the surface cannot enter the ball of radius inside - g: on the way from one to the other no face
 * moves farther than its corners, and the winding number around the ball stays.
 *
 * Embeddings. As surfaces; g is a bound from the coarse nodes and the turns of their facets alone.
 *
 * A ball is computed when it is asked for; an update costs O(cells), O(vertices) or O(coarse).
 */
#ifndef DENT_STRUCTURES_MEDIAL_BALLS_H
#define DENT_STRUCTURES_MEDIAL_BALLS_H

#include "structures/bounds/embedding_bounds.h"

enum { MEDIAL_GRID_MOST = 64, MEDIAL_GRID_LEVELS = 8 };

struct medial_rest {
    double centre[3];
    double inside; /* distance of the centre from the surface; negative outside */
    double reach;
};

struct medial_home {
    uint32_t cell; /* UINT32_MAX: none */
    double weights[4];
    double inside; /* around the point that the weights give */
};

struct medial_cell {
    double inverse[9]; /* of the edges at rest, in units of the extent */
    double slack;      /* times |edges now|: what rounding may do to a singular value. Infinite: flat, inverted */
    double now;        /* the bound of its smallest stretch */
};

struct medial_grid {
    double lo[3], size;
    uint32_t counts[MEDIAL_GRID_LEVELS][3];
    uint64_t first[MEDIAL_GRID_LEVELS + 1]; /* of each level in `least` */
    uint32_t levels;
    double *least;
    uint64_t *starts;
    uint32_t *cells; /* by the grid cells of level 0 */
};

struct medial_balls {
    uint32_t node_count;
    struct medial_rest *rest; /* by node */
    double largest, extent;   /* largest |coordinate| at rest, longest side of the bounds */

    uint32_t cell_count; /* 0: a surface */
    uint32_t (*cells)[4];
    struct medial_cell *shapes; /* by cell */
    struct medial_home *homes;  /* by node */
    struct medial_grid grid;

    uint32_t vertex_count;
    double (*rest_xyz)[3]; /* surfaces with positions of their own */

    double largest_now, rotation[9], shift[3], off; /* off: g; of surfaces and embeddings */
};

/* A ball in the present snapshot. */
struct medial_ball_now {
    double centre[3];
    double inside; /* a ball of this radius lies inside; 0: none is known */
    double reach;  /* one of this radius holds the faces of the node */
};

/* For a tree that has its nodes; takes `rest` over, whatever happens. False: out of memory. */
bool medial_balls_create(struct bound_tree *tree, struct medial_rest *rest);
void medial_balls_destroy(struct bound_tree *tree);

/* What the balls follow: cells (neighbours across the face opposite each corner, as in struct body), or none and the
 * positions at rest; nothing for embeddings. False: out of memory; medial_balls_destroy frees what there is. */
bool medial_balls_follow(struct bound_tree *tree, const uint32_t (*cells)[4], const uint32_t (*neighbours)[4],
                         uint32_t cell_count, const double (*xyz)[3]);

/* After new volumes. */
void medial_balls_update(struct bound_tree *tree);

uint64_t medial_balls_bytes(const struct bound_tree *tree);

void medial_ball_at(struct bound_tree *tree, uint32_t node, struct medial_ball_now *ball);

/* How far the ball that holds the faces of a node may stand out of the solid: medial trees by their balls where these
 * are inside, by the error of the volume elsewhere; others by the radius of a ball that touches. */
double bound_protrusion(struct bound_tree *tree, uint32_t node);

#endif
