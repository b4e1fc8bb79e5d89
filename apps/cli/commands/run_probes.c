/* run_probes.c — see run_probes.h. */
#include "run_probes.h"

#include "tool.h"

#include <stdio.h>
#include <string.h>

static void name_column(const dent_sim_probe_info *info, uint32_t component, char text[PROBE_COLUMN_SIZE])
{
    if (info->column_count == 1) {
        snprintf(text, PROBE_COLUMN_SIZE, "%s", info->name);
    } else {
        snprintf(text, PROBE_COLUMN_SIZE, "%s.%c", info->name, (char)('x' + component));
    }
}

bool run_probes_find(const dent_sim *sim, const char *column, uint32_t *probe, uint32_t *component)
{
    dent_sim_probe_info info;
    char name[PROBE_COLUMN_SIZE];
    for (*probe = 0; dent_sim_probe_at(sim, *probe, &info); (*probe)++) {
        for (*component = 0; *component < info.column_count; (*component)++) {
            name_column(&info, *component, name);
            if (strcmp(name, column) == 0) {
                return true;
            }
        }
    }
    return false;
}

void run_probes_print(dent_sim *sim, json_line *line)
{
    dent_sim_probe_info info;
    char name[PROBE_COLUMN_SIZE];
    if (dent_sim_probe_count(sim) == 0) {
        return;
    }
    json_object_begin(line, "probes");
    for (uint32_t probe = 0; dent_sim_probe_at(sim, probe, &info); probe++) {
        double values[3];
        dent_sim_read_probe(sim, probe, values);
        for (uint32_t k = 0; k < info.column_count; k++) {
            name_column(&info, k, name);
            json_line_number(line, name, values[k]);
        }
    }
    json_object_end(line);
}

/* ---- the file -------------------------------------------------------------------------------------------- */

static void put_text(run_probes *probes, const char *text)
{
    dent_file_writer_put(probes->file, text, strlen(text));
}

int run_probes_open(run_probes *probes, tool_session *session, dent_sim *sim)
{
    const tool_options *options = session->options;
    dent_sim_probe_info info;
    char name[PROBE_COLUMN_SIZE];
    *probes = (run_probes){.session = session, .sim = sim};
    if (!options_have(options, OPTION_PROBES)) {
        return STATUS_GOOD;
    }
    if (dent_sim_probe_count(sim) == 0) {
        return complain("run: --probes %s: the scene %s declares no probes", options->probes, options->arguments[0]);
    }
    dent_status status = dent_file_writer_open(session->context, options->probes, &probes->file);
    if (status != DENT_OK) {
        return complain("run: --probes: %s", session_message(session, status));
    }
    put_text(probes, "frame,time");
    for (uint32_t probe = 0; dent_sim_probe_at(sim, probe, &info); probe++) {
        for (uint32_t k = 0; k < info.column_count; k++) {
            name_column(&info, k, name);
            put_text(probes, ",");
            put_text(probes, name);
        }
    }
    put_text(probes, "\n");
    return STATUS_GOOD;
}

int run_probes_write(run_probes *probes, uint32_t frame)
{
    dent_sim_probe_info info;
    char text[64];
    if (probes->file == NULL) {
        return STATUS_GOOD;
    }
    snprintf(text, sizeof text, "%u,%.17g", frame, dent_sim_time(probes->sim));
    put_text(probes, text);
    for (uint32_t probe = 0; dent_sim_probe_at(probes->sim, probe, &info); probe++) {
        double values[3];
        dent_status status = dent_sim_read_probe(probes->sim, probe, values);
        if (status != DENT_OK) {
            return complain("run: --probes: %s", session_message(probes->session, status));
        }
        for (uint32_t k = 0; k < info.column_count; k++) {
            snprintf(text, sizeof text, ",%.17g", values[k]);
            put_text(probes, text);
        }
    }
    put_text(probes, "\n");
    return STATUS_GOOD;
}

int run_probes_commit(run_probes *probes)
{
    dent_status status = probes->file != NULL ? dent_file_writer_commit(probes->file) : DENT_OK;
    probes->file = NULL;
    return status == DENT_OK ? STATUS_GOOD : complain("run: --probes: %s", session_message(probes->session, status));
}

void run_probes_close(run_probes *probes)
{
    dent_file_writer_discard(probes->file);
    probes->file = NULL;
}
