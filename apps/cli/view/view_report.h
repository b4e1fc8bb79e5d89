/* view_report.h — a model as a page that needs no server: the page of the viewer with its messages inside. */
#ifndef DENT_VIEW_REPORT_H
#define DENT_VIEW_REPORT_H

#include "load_world.h"

/** Prints the page as a whole HTML document, escaped for the attribute srcdoc of a frame. An exit status; errors have
 * been reported. */
int view_report_print(tool_session *session, const loaded_world *loaded, const char *title, const char *verdict,
                      const char *length_unit, printer *out);

#endif
