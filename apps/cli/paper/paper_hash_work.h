/* paper_hash_work.h — what the spatial hash looks at in a step, as its paper counts it. */
#ifndef DENT_PAPER_HASH_WORK_H
#define DENT_PAPER_HASH_WORK_H

#include "paper_stage.h"

/** Of one step; NAN: not known. */
typedef struct hash_work {
    double cells_per_element; /* grid cells that a tetrahedron visits: p */
    double elements_per_cell; /* vertices it finds in each of them: q */
    double clash_ratio;       /* share of these that lie in another grid cell and are there by a hash clash */
} hash_work;

/** Asks once more in the present frame of the scene, not measured. `cell_size` is that of the plain form, whose clashes
 *  can be told from outside; 0: leave the cells to the method and the clashes unknown. */
int count_hash_work(paper_run *run, bench_scene *scene, const paper_method *method, double cell_size, hash_work *work);

#endif
