/* run_probes.h — the probes that a scene declares, in `dent run`: as columns of a CSV file, as keys of JSON lines, and as
 * what --converge watches.
 *
 * Columns are "NAME.x", "NAME.y", "NAME.z" of a vector, "NAME" of a number, in the order of the scene and in its units. */
#ifndef DENT_RUN_PROBES_H
#define DENT_RUN_PROBES_H

#include "json_output.h"
#include "tool_session.h"

#include <dent/file_output.h>
#include <dent/sim_scene.h>

enum { PROBE_COLUMN_SIZE = 80 };

typedef struct run_probes {
    tool_session *session;
    dent_sim *sim;
    dent_file_writer *file; /* null: none is written */
} run_probes;

/** Begins the file of --probes, if there is one, with its header line. */
int run_probes_open(run_probes *probes, tool_session *session, dent_sim *sim);
/** Adds the line of a frame. */
int run_probes_write(run_probes *probes, uint32_t frame);
/** The file takes its name. Before that nothing of it is seen. */
int run_probes_commit(run_probes *probes);
/** Drops a file that has not taken its name. */
void run_probes_close(run_probes *probes);

/** "probes": {column: number, ...}, where the scene declares any. */
void run_probes_print(dent_sim *sim, json_line *line);

/** A column by its name; false: there is none. */
bool run_probes_find(const dent_sim *sim, const char *column, uint32_t *probe, uint32_t *component);

#endif
