/* See support_tetgen.h. */
#include "support_tetgen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *open_part(const char *folder, const char *name, const char *kind)
{
    char command[1024];
    int length = snprintf(command, sizeof command, "xz -dc '%s/%s.1.%s.xz'", folder, name, kind);
    FILE *file = length > 0 && (size_t)length < sizeof command ? popen(command, "r") : NULL;
    if (!file) {
        printf("cannot run: %s\n", command);
    }
    return file;
}

/* Index, then `columns` numbers, on every line after the header. */
static bool read_rows(FILE *file, uint32_t rows, int columns, double *reals, uint32_t *integers, long *first)
{
    for (uint32_t row = 0; row < rows; row++) {
        char line[512], *at = line;
        if (!fgets(line, sizeof line, file)) {
            return false;
        }
        long index = strtol(at, &at, 10);
        *first = row == 0 ? index : *first;
        for (int k = 0; k < columns; k++) {
            if (reals) {
                reals[(size_t)row * 3 + k] = strtod(at, &at);
            } else {
                integers[(size_t)row * 4 + k] = (uint32_t)strtoul(at, &at, 10);
            }
        }
    }
    return true;
}

static uint32_t read_count(FILE *file)
{
    char line[512];
    return file && fgets(line, sizeof line, file) ? (uint32_t)strtoul(line, NULL, 10) : 0;
}

bool tetgen_part_read(struct tetgen_part *part, const char *folder, const char *name)
{
    long first = 0, ignored = 0;
    memset(part, 0, sizeof *part);
    snprintf(part->name, sizeof part->name, "%s", name);
    FILE *nodes = open_part(folder, name, "node"), *cells = open_part(folder, name, "ele");
    part->vertex_count = read_count(nodes);
    part->cell_count = read_count(cells);
    part->xyz = calloc((size_t)part->vertex_count + 1, 3 * sizeof(double));
    part->corners = calloc((size_t)part->cell_count + 1, 4 * sizeof(uint32_t));
    bool good = part->xyz && part->corners && part->vertex_count && part->cell_count &&
                read_rows(nodes, part->vertex_count, 3, part->xyz, NULL, &first) &&
                read_rows(cells, part->cell_count, 4, NULL, part->corners, &ignored);
    for (size_t i = 0; good && i < (size_t)part->cell_count * 4; i++) {
        part->corners[i] -= (uint32_t)first;
    }
    if (nodes) {
        pclose(nodes);
    }
    if (cells) {
        pclose(cells);
    }
    if (!good) {
        printf("%s/%s: not read\n", folder, name);
        tetgen_part_free(part);
    }
    return good;
}

void tetgen_part_free(struct tetgen_part *part)
{
    free(part->xyz);
    free(part->corners);
    part->xyz = NULL;
    part->corners = NULL;
}

dent_status tetgen_part_add(const struct tetgen_part *part, dent_world *world, dent_body_id *id)
{
    dent_body_def def = dent_solid_def_default();
    def.name = part->name;
    def.vertex_count = part->vertex_count;
    def.element_count = part->cell_count;
    def.element_corners = part->corners;
    def.positions_t0 = dent_positions_double(part->xyz);
    return dent_world_add_body(world, &def, id);
}
