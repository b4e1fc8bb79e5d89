/* The stages that find, for one side of a pair, which elements of x meet y and which vertices of x lie inside y. Exact.
 *
 * Every stage goes over the elements of side->x in parallel and sets flags of that side; see check_run.h. With x == y
 * (a body and itself) elements that share a vertex are passed over.
 */
#ifndef DENT_CONTACT_OVERLAP_STAGES_H
#define DENT_CONTACT_OVERLAP_STAGES_H

#include "contact/check/check_run.h"

/* x solid, y solid: ELEMENT_OVERLAPS for cells whose interior meets that of a cell of y. */
dent_status stage_cells_in_cells(struct check_run *run, struct check_side *side);

/* x solid, y a surface: ELEMENT_IS_CUT for cells whose interior a face of y meets. */
dent_status stage_cells_cut_by_faces(struct check_run *run, struct check_side *side);

/* x a surface, y solid: ELEMENT_OVERLAPS for faces that meet the interior of y. */
dent_status stage_faces_in_cells(struct check_run *run, struct check_side *side);

/* Surface faces of x against those of y: FACE_TOUCHES, FACE_CROSSES, FACE_COINCIDES. With `only_touching`, faces of
 * overlapping elements are passed over and FACE_TOUCHES alone is set: faster. */
dent_status stage_faces_and_faces(struct check_run *run, struct check_side *side, bool only_touching);

/* x strands or points, y solid or a closed surface: ELEMENT_OVERLAPS for segments that meet the interior of y. For a closed surface
 * after the faces and the vertices. */
dent_status stage_segments_in_body(struct check_run *run, struct check_side *side);

/* Where the vertices of x are: of overlapping elements when y is solid (others cannot be inside), all when y is a
 * closed surface. */
dent_status stage_vertices_inside(struct check_run *run, struct check_side *side);

/* y a closed surface; after the vertices. Cells: ELEMENT_OVERLAPS when cut or inside. Faces: when crossed, or when they
 * meet the interior, or coincide with a face of y whose interior is on the same side. */
dent_status stage_cells_in_surface(struct check_run *run, struct check_side *side);
dent_status stage_faces_in_surface(struct check_run *run, struct check_side *side);

#endif
