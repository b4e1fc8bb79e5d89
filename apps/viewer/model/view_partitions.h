/* view_partitions.h — partitions of space among the structures of the viewer: cells of broad phases over the elements of
 * a body (dent_boxes_structure), of a solid BSP tree (dent/inside.h), and kinetic boxes with their events
 * (dent/kinetic.h). */
#ifndef DENT_VIEW_PARTITIONS_H
#define DENT_VIEW_PARTITIONS_H

#include "view_frames.h"

/** Appends a box in the units of the page; false: out of memory. */
bool view_append_box(const view_source *source, const double lo[3], const double hi[3], view_message *message);
/** The head of a BOXES message for `sent` of `total` boxes; null: out of memory. */
view_message *view_begin_boxes(uint32_t sent, uint32_t level, uint32_t deepest, uint64_t total);

/** Cells of the search over the boxes of all elements of a body; null: an error that was reported. */
view_message *view_make_search(view_source *source, dent_boxes_method method, uint32_t body, uint32_t level);
/** Cells of the BSP tree of a closed body: level 0 those inside, 1 also those that the surface passes, 2 also those outside. */
view_message *view_make_bsp(view_source *source, uint32_t body, uint32_t level);
/** Boxes of a kinetic tree: the body moved on straight lines from where it was shown last to where it is. The events of this
 * motion follow the boxes (view_protocol.h). (view_kinetic.c) */
view_message *view_make_kinetic(view_source *source, uint32_t body, uint32_t level);
/** Forgets the kinetic tree. */
void view_kinetic_close(view_source *source);

/** Corners of the elements to draw: 3 for faces, 2 for segments, 1 for points; element i has corners[i * count + k], or i
 * itself for points. */
typedef struct view_elements {
    uint32_t corners, count;
    uint32_t *vertices; /* corners * count */
} view_elements;
/** Null vertices: out of memory. Release with the context: corners * count numbers. */
view_elements view_list_elements(dent_context *context, const view_body *body);
void view_release_elements(dent_context *context, view_elements *elements);

#endif
