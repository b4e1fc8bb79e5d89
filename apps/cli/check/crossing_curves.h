/* crossing_curves.h — the curves in which surfaces cross, as line segments to be written and drawn. */
#ifndef DENT_CROSSING_CURVES_H
#define DENT_CROSSING_CURVES_H

#include "load_world.h"

enum { CURVE_FIELDS = 8 };

typedef struct crossing_curves {
    uint32_t point_count, segment_count, curve_count, open_count;
    double *positions; /* 3 per point */
    uint32_t *ends;    /* 2 per segment, curve by curve and in order along it */
    double *values;    /* CURVE_FIELDS arrays of segment_count */
} crossing_curves;

/** Can a file be written there at all? Asked before the long work. */
int crossing_curves_possible(tool_session *session);

/** Asks the world, between bodies and, with --self, within them. Reports its errors itself; release it in any case. */
int crossing_curves_find(tool_session *session, const loaded_world *loaded, crossing_curves *curves);

/** Writes options->curves and says so; `quiet`: on stderr. */
int crossing_curves_write(tool_session *session, const crossing_curves *curves, bool quiet);

void crossing_curves_release(tool_session *session, crossing_curves *curves);

#endif
