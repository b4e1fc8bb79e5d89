/* check_html.h — `dent check --html F.html`: one file for the browser with the verdict, the table and the 3-D view. It
 * needs no network: the page of the viewer and what it shows are inside. */
#ifndef DENT_CHECK_HTML_H
#define DENT_CHECK_HTML_H

#include "check_rows.h"

/** The file can be written and this dent has the page of the viewer; an exit status. */
int check_html_possible(tool_session *session);
/** Writes options->html; an exit status. Asks the world for contacts: results of the check before it end here. */
int check_html_write(tool_session *session, const check_rows *rows);

#endif
