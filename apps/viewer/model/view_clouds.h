/* view_clouds.h — bodies of points as surfaces: what the page needs to draw discs, their colours and where two clouds meet.
 *
 * In: the bodies of points of a source. Out: for each point its normal, its size and the value of the other clouds'
 * implicit function; and the curve in which the surfaces meet (dent/cloud.h). Kept from frame to frame: a cloud that
 * moved is updated, one whose graph no longer fits is made again.
 */
#ifndef DENT_VIEW_CLOUDS_H
#define DENT_VIEW_CLOUDS_H

#include "view_source.h"

/** The source has a body of points. */
bool view_source_has_clouds(const view_source *source);
/** Appends the CLOUDS part of a frame (view_protocol.h). Not `moved`: positions are those of the call before. False:
 * nothing was appended, and view_fail said why. */
bool view_append_clouds(view_source *source, bool moved, view_message *message);
/** Forgets the prepared clouds: before bodies go, or get other elements. */
void view_clouds_release(view_source *source);

#endif
