/* check_report.c — what `dent check` prints about one model: for programs a line per pair and a summary, for people a
 * table, what they must know to trust it, and the verdict. */
#include "check_report.h"

#include "json_output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- for programs ---------------------------------------------------------------------------------------- */

static void print_pair(json_line *line, const loaded_world *loaded, const dent_body_contact *pair)
{
    json_line_integer(line, "body_a", pair->body_a);
    json_line_integer(line, "body_b", pair->body_b);
    json_line_integer(line, "overlapping_elements", pair->overlapping_elements);
    json_line_integer(line, "penetrating_vertices", pair->penetrating_vertices);
    json_line_integer(line, "touching_elements", pair->touching_elements);
    json_line_number(line, "max_depth", pair->max_depth);
    json_line_number(line, "x", pair->deepest[0]);
    json_line_number(line, "y", pair->deepest[1]);
    json_line_number(line, "z", pair->deepest[2]);
    json_line_string(line, "name_a", loaded->bodies[pair->body_a].name);
    json_line_string(line, "name_b", loaded->bodies[pair->body_b].name);
    json_line_string(line, "verdict", check_verdict_word(pair));
    json_line_number(line, "volume", pair->volume);
    json_line_number(line, "volume_error", pair->volume_error);
    json_line_boolean(line, "containment_tested", pair->containment_judged);
}

static void print_unit(json_line *line, const char *unit)
{
    if (unit != NULL) {
        json_line_string(line, "length_unit", unit);
    } else {
        json_line_number(line, "length_unit", NAN);
    }
}

/* What is not known, because the run was cancelled, is null. */
static void print_count(json_line *line, const char *key, uint64_t count, bool known)
{
    if (known) {
        json_line_integer(line, key, count);
    } else {
        json_line_number(line, key, NAN);
    }
}

void print_check_json(printer *out, const tool_options *options, const check_rows *rows)
{
    const loaded_world *loaded = rows->loaded;
    const dent_check_result *result = &rows->result;
    bool known = result->outcome == DENT_OUTCOME_COMPLETE;
    for (uint64_t i = 0; i < rows->count; i++) {
        json_line line = json_line_begin(out);
        print_pair(&line, loaded, rows->rows[i]);
        json_line_end(&line);
    }
    json_line line = json_line_begin(out);
    json_line_integer(&line, "bodies", loaded->body_count);
    print_count(&line, "pairs_penetrating", result->penetrating_pairs, known);
    print_count(&line, "pairs_touching", result->touching_pairs, known);
    json_line_number(&line, "max_depth", known ? result->max_depth : NAN);
    json_line_string(&line, "outcome", dent_outcome_name(result->outcome));
    json_body_names(&line, loaded);
    json_line_integer(&line, "pairs", check_pair_total(options, loaded));
    json_line_integer(&line, "surfaces_as_solids", result->surfaces_as_solids);
    json_line_integer(&line, "open_surfaces", result->open_surfaces);
    json_line_number(&line, "tolerance", rows->tolerance);
    json_line_number(&line, "suggested_tolerance", rows->suggested_tolerance);
    print_unit(&line, rows->length_unit);
    json_line_end(&line);
}

/* ---- for people ------------------------------------------------------------------------------------------ */

enum { NAME_COLUMN_LIMIT = 32 };

void print_check_point(const double *point, char *text)
{
    snprintf(text, POINT_SIZE, "(%.6g, %.6g, %.6g)", point[0], point[1], point[2]);
}

/* "3 Tooth_L6_PDL", cut in the middle of the column when it is too long. */
static void print_body(const loaded_world *loaded, uint32_t body_index, char *text, size_t size)
{
    snprintf(text, size, "%u %s", body_index, loaded->bodies[body_index].name);
    plain_line(text);
}

static const char *verdict_of(const dent_body_contact *pair)
{
    if (pair->state == DENT_BODY_PAIR_PENETRATING) {
        return "PENETRATING";
    }
    return pair->exact_penetration ? "touching (within the tolerance)" : "touching";
}

static int name_column_width(const check_rows *rows)
{
    const loaded_world *loaded = rows->loaded;
    int width = 6;
    for (uint64_t i = 0; i < rows->count; i++) {
        char text[NAME_COLUMN_LIMIT + 1];
        const uint32_t body_indices[2] = {rows->rows[i]->body_a, rows->rows[i]->body_b};
        for (int side = 0; side < 2; side++) {
            print_body(loaded, body_indices[side], text, sizeof text);
            int length = (int)strlen(text);
            width = length > width ? length : width;
        }
    }
    return width;
}

void print_check_table(printer *out, const check_rows *rows)
{
    if (rows->count == 0) {
        return;
    }
    int width = name_column_width(rows);
    printer_format(out, "%-*s  %-*s  %11s  %11s  %8s  %11s  %11s  %-34s  %s\n", width, "body a", width, "body b",
                   "overlapping", "penetrating", "touching", "deepest", "volume", "at", "verdict");
    printer_format(out, "%-*s  %-*s  %11s  %11s  %8s\n", width, "", width, "", "elements", "vertices", "elements");
    for (uint64_t i = 0; i < rows->count; i++) {
        const dent_body_contact *pair = rows->rows[i];
        char a[NAME_COLUMN_LIMIT + 1], b[NAME_COLUMN_LIMIT + 1], where[POINT_SIZE] = "-", volume[32] = "-";
        print_body(rows->loaded, pair->body_a, a, sizeof a);
        print_body(rows->loaded, pair->body_b, b, sizeof b);
        if (pair->exact_penetration) {
            print_check_point(pair->deepest, where);
        }
        if (isfinite(pair->volume)) {
            snprintf(volume, sizeof volume, "%.5g", pair->volume);
        }
        printer_format(out, "%-*s  %-*s  %11llu  %11llu  %8llu  %11.5g  %11s  %-34s  %s\n", width, a, width, b,
                       (unsigned long long)pair->overlapping_elements, (unsigned long long)pair->penetrating_vertices,
                       (unsigned long long)pair->touching_elements, pair->max_depth, volume, where, verdict_of(pair));
    }
    printer_text(out, "\n");
}

/* What the reader must know to trust the verdict. */
void print_check_notes(printer *out, const tool_options *options, const check_rows *rows)
{
    const loaded_world *loaded = rows->loaded;
    const dent_check_result *result = &rows->result;
    if (rows->count < result->pair_count) {
        printer_format(out, "note: %llu of %llu pairs are listed (--top)\n", (unsigned long long)rows->count,
                       (unsigned long long)result->pair_count);
    }
    if (result->surfaces_as_solids > 0) {
        printer_format(out, "note: %u closed surface%s treated as solid\n", result->surfaces_as_solids,
                       result->surfaces_as_solids == 1 ? " is" : "s are");
    }
    if (result->open_surfaces > 0) {
        printer_format(out,
                       "note: %u open surface%s: crossings are found, one lying wholly inside another body is not\n",
                       result->open_surfaces, result->open_surfaces == 1 ? "" : "s");
    }
    if (loaded->body_count == 1 && !options_have(options, OPTION_SELF)) {
        printer_text(out,
                     "note: one body only, so there was nothing to compare it with; --self checks it against itself\n");
    }
    if (options->tolerance > 0) {
        printer_format(out, "note: pairs no deeper than %g count as touching\n", options->tolerance);
    }
    if (isfinite(rows->suggested_tolerance)) {
        printer_format(out,
                       "hint: %llu of %llu overlaps are of rounding size, no deeper than %.3g; --tolerance %.15g counts "
                       "them as touching\n",
                       (unsigned long long)rows->small_count, (unsigned long long)result->penetrating_pairs,
                       rows->small_depth, rows->suggested_tolerance);
    }
}

const dent_body_contact *deepest_contact(const dent_check_result *result)
{
    const dent_body_contact *deepest = NULL;
    for (uint64_t i = 0; i < result->pair_count; i++) {
        const dent_body_contact *pair = &result->pairs[i];
        if (pair->state == DENT_BODY_PAIR_PENETRATING && (deepest == NULL || pair->max_depth > deepest->max_depth)) {
            deepest = pair;
        }
    }
    return deepest;
}

void print_check_verdict(printer *out, const tool_options *options, const loaded_world *loaded,
                         const dent_check_result *result)
{
    uint64_t bodies = loaded->body_count;
    uint64_t pairs = check_pair_total(options, loaded);
    const char *plural = result->touching_pairs == 1 ? "pair touches" : "pairs touch";
    if (result->penetrating_pairs == 0) {
        printer_format(out, "no penetration: %llu %s", (unsigned long long)bodies, bodies == 1 ? "body" : "bodies");
        if (options_have(options, OPTION_NO_TOUCHING)) {
            printer_text(out, "\n");
        } else {
            printer_format(out, ", %llu %s\n", (unsigned long long)result->touching_pairs, plural);
        }
        return;
    }
    const dent_body_contact *deepest = deepest_contact(result);
    char where[POINT_SIZE];
    print_check_point(deepest->deepest, where);
    printer_format(out, "%llu of %llu pairs penetrate%s, deepest %.6g at %s between %u ",
                   (unsigned long long)result->penetrating_pairs, (unsigned long long)pairs, pairs == 1 ? "s" : "",
                   deepest->max_depth, where, deepest->body_a);
    printer_name(out, loaded->bodies[deepest->body_a].name);
    printer_format(out, " and %u ", deepest->body_b);
    printer_name(out, loaded->bodies[deepest->body_b].name);
    printer_text(out, "\n");
}
