/* Bodies that several simulated scenes use: blocks, balls, sheets and the ground. All are added to the plan with their
 * mesh in place; the record returned is valid until the next body is added. */
#ifndef DENT_SCENES_SIM_PARTS_H
#define DENT_SCENES_SIM_PARTS_H

#include "scenes/mesher/implicit_mesher.h"
#include "sim_plan.h"

/* cells[0] x cells[1] x cells[2] cubes of five tetrahedra, of the given size, centred at a point. */
dent_sim_body_def *part_block(struct sim_plan *plan, dent_sim_body_kind kind, const char *name, const uint32_t cells[3],
                              const double size[3], const double centre[3]);

/* A ball of tetrahedra by the implicit mesher. */
dent_sim_body_def *part_ball(struct sim_plan *plan, dent_sim_body_kind kind, const char *name, double radius,
                             double spacing, const double centre[3]);

/* A square sheet of right triangles at z = 0, centred, `size` wide. */
dent_sim_body_def *part_sheet(struct sim_plan *plan, const char *name, uint32_t cells, double size);

/* Any implicit shape; an empty mesh is an error that says so. */
dent_sim_body_def *part_shape(struct sim_plan *plan, dent_sim_body_kind kind, const char *name,
                              const struct mesher_def *def);

/* A fixed slab `width` wide whose top is the plane z = 0, of `cells` x `cells` x 1 cubes. */
dent_sim_body_def *part_ground(struct sim_plan *plan, double width, uint32_t cells, uint32_t material);

/* Scales a count of cells along one axis: count * scale^(1/dimension), rounded, at least `least`. */
uint32_t part_cells(double count, double scale, int dimension, uint32_t least);

#endif
