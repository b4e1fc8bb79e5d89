/* check_rows.h — the pairs of a check as every report shows them: sorted by --sort, cut by --top, with words and units.
 * Text, JSON, CSV and HTML are written from these rows. */
#ifndef DENT_CHECK_ROWS_H
#define DENT_CHECK_ROWS_H

#include "load_world.h"

#include <dent/penetration.h>

typedef struct check_rows {
    const loaded_world *loaded;
    dent_check_result result; /* with pairs of its own, so that more may be asked of the world */
    dent_body_contact *pairs;
    uint64_t count;         /* of rows; --top may leave out others */
    const dent_body_contact **rows;
    const char *length_unit; /* "m", "mm"; null: the files do not say */
    double tolerance;
    double suggested_tolerance; /* splits overlaps of rounding size from others; NaN: there is nothing to split */
    uint64_t small_count;       /* overlaps no deeper than it … */
    double small_depth;         /* … and the deepest of them */
} check_rows;

/** Sorts and cuts; false: out of memory. */
bool check_rows_open(check_rows *rows, tool_session *session, const loaded_world *loaded,
                     const dent_check_result *result);
void check_rows_close(check_rows *rows, tool_session *session);

/** "penetrating", "touching", or "within-tolerance": penetrating, but no deeper than the tolerance. */
const char *check_verdict_word(const dent_body_contact *pair);
/** Pairs of bodies that the question was about, allowed ones included. */
uint64_t check_pair_total(const tool_options *options, const loaded_world *loaded);

#endif
