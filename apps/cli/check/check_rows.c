/* check_rows.c — order, selection and the hint about rounding. */
#include "check_rows.h"

#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *check_verdict_word(const dent_body_contact *pair)
{
    return pair->state == DENT_BODY_PAIR_PENETRATING ? "penetrating"
           : pair->exact_penetration                 ? "within-tolerance"
                                                     : "touching";
}

uint64_t check_pair_total(const tool_options *options, const loaded_world *loaded)
{
    uint64_t bodies = loaded->body_count;
    return bodies * (bodies - (bodies > 0)) / 2 + (options_have(options, OPTION_SELF) ? bodies : 0);
}

/* ---- order ----------------------------------------------------------------------------------------------- */

/* What qsort is given: it has no pointer for the names. */
typedef struct sort_record {
    const dent_body_contact *pair;
    const char *name_a, *name_b;
} sort_record;

static int by_place(const sort_record *a, const sort_record *b)
{
    return a->pair < b->pair ? -1 : a->pair > b->pair;
}

/* The larger first; what is not known last. */
static int by_number(double a, double b)
{
    a = isnan(a) ? -1 : a;
    b = isnan(b) ? -1 : b;
    return a > b ? -1 : a < b;
}

static int by_depth(const void *a, const void *b)
{
    const sort_record *x = a, *y = b;
    int order = by_number(x->pair->max_depth, y->pair->max_depth);
    return order != 0 ? order : by_place(x, y);
}

static int by_volume(const void *a, const void *b)
{
    const sort_record *x = a, *y = b;
    int order = by_number(x->pair->volume, y->pair->volume);
    return order != 0 ? order : by_place(x, y);
}

static int by_name(const void *a, const void *b)
{
    const sort_record *x = a, *y = b;
    int order = strcmp(x->name_a, y->name_a);
    order = order != 0 ? order : strcmp(x->name_b, y->name_b);
    return order != 0 ? order : by_place(x, y);
}

static bool sort_rows(check_rows *rows, tool_session *session, uint64_t count)
{
    static int (*const orders[])(const void *, const void *) = {
        [CHECK_SORT_DEPTH] = by_depth, [CHECK_SORT_VOLUME] = by_volume, [CHECK_SORT_NAME] = by_name};
    sort_record *records = dent_allocate(session->context, count, sizeof *records);
    if (records == NULL) {
        return false;
    }
    for (uint64_t i = 0; i < count; i++) {
        records[i].pair = rows->rows[i];
        records[i].name_a = rows->loaded->bodies[rows->rows[i]->body_a].name;
        records[i].name_b = rows->loaded->bodies[rows->rows[i]->body_b].name;
    }
    qsort(records, count, sizeof *records, orders[session->options->sort]);
    for (uint64_t i = 0; i < count; i++) {
        rows->rows[i] = records[i].pair;
    }
    dent_release(session->context, records, count, sizeof *records);
    return true;
}

/* ---- the hint -------------------------------------------------------------------------------------------- */

static double model_size(const loaded_world *loaded)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, size = 0;
    for (uint32_t i = 0; i < loaded->body_count; i++) {
        const loaded_body *body = &loaded->bodies[i];
        for (size_t k = 0; k < 3 * (size_t)body->vertex_count; k++) {
            lo[k % 3] = fmin(lo[k % 3], body->positions[k]);
            hi[k % 3] = fmax(hi[k % 3], body->positions[k]);
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        size = fmax(size, hi[axis] - lo[axis]);
    }
    return size;
}

static int rising(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* The shortest decimal number at least `low` and below `high`. */
static double round_between(double low, double high)
{
    for (int digits = 1; digits < 17; digits++) {
        double step = pow(10, floor(log10(low)) - digits + 1);
        char text[40]; /* through a text, so that the number is as short as it looks */
        snprintf(text, sizeof text, "%.*g", digits, ceil(low / step) * step);
        double value = strtod(text, NULL);
        if (value >= low && value < high) {
            return value;
        }
    }
    return low;
}

/* Most overlaps are of rounding size if more than half are below 1e-5 of the size of the model and the next deeper one,
 * if there is one, is ten times as deep: 24 bits of a float give 6e-8 of the size. */
static void find_hint(check_rows *rows, double *depths, uint64_t count, double size)
{
    qsort(depths, count, sizeof *depths, rising);
    for (uint64_t small = count; small > count / 2; small--) {
        double deepest = depths[small - 1], next = small < count ? depths[small] : INFINITY;
        if (deepest > 0 && deepest <= 1e-5 * size && next >= 10 * deepest) {
            rows->small_count = small;
            rows->small_depth = deepest;
            rows->suggested_tolerance = round_between(deepest, fmin(next, 10 * deepest));
            return;
        }
    }
}

static bool look_for_hint(check_rows *rows, tool_session *session)
{
    const dent_check_result *result = &rows->result;
    if (rows->tolerance > 0 || result->penetrating_pairs < 2) {
        return true;
    }
    double *depths = dent_allocate(session->context, result->penetrating_pairs, sizeof *depths);
    if (depths == NULL) {
        return false;
    }
    uint64_t count = 0;
    for (uint64_t i = 0; i < result->pair_count; i++) {
        if (result->pairs[i].state == DENT_BODY_PAIR_PENETRATING) {
            depths[count++] = result->pairs[i].max_depth;
        }
    }
    find_hint(rows, depths, count, model_size(rows->loaded));
    dent_release(session->context, depths, result->penetrating_pairs, sizeof *depths);
    return true;
}

/* ---- open and close -------------------------------------------------------------------------------------- */

/* The unit that all inputs agree on. */
static const char *unit_of(const loaded_world *loaded)
{
    const char *unit = NULL;
    for (uint32_t i = 0; i < loaded->input_count; i++) {
        const loaded_input *input = &loaded->inputs[i];
        const char *own = input->robot != NULL        ? "m" /* URDF says so */
                          : input->simulation != NULL ? dent_sim_scene_get_facts(input->simulation).length_unit
                                                      : NULL;
        if (own == NULL || (unit != NULL && strcmp(unit, own) != 0)) {
            return NULL;
        }
        unit = own;
    }
    return unit;
}

bool check_rows_open(check_rows *rows, tool_session *session, const loaded_world *loaded,
                     const dent_check_result *result)
{
    const tool_options *options = session->options;
    memset(rows, 0, sizeof *rows);
    rows->loaded = loaded;
    rows->result = *result;
    rows->tolerance = options->tolerance;
    rows->suggested_tolerance = NAN;
    rows->length_unit = unit_of(loaded);
    rows->rows = dent_allocate(session->context, result->pair_count, sizeof *rows->rows);
    rows->pairs = dent_allocate(session->context, result->pair_count, sizeof *rows->pairs);
    if (rows->rows == NULL || rows->pairs == NULL) {
        check_rows_close(rows, session);
        return false;
    }
    for (uint64_t i = 0; i < result->pair_count; i++) {
        rows->pairs[i] = result->pairs[i];
        rows->rows[i] = &rows->pairs[i];
    }
    rows->result.pairs = rows->pairs;
    rows->count = result->pair_count;
    if ((options_have(options, OPTION_SORT) && !sort_rows(rows, session, rows->count)) ||
        !look_for_hint(rows, session)) {
        check_rows_close(rows, session);
        return false;
    }
    if (options_have(options, OPTION_TOP) && options->top < rows->count) {
        rows->count = options->top;
    }
    return true;
}

void check_rows_close(check_rows *rows, tool_session *session)
{
    dent_release(session->context, rows->rows, rows->result.pair_count, sizeof *rows->rows);
    dent_release(session->context, rows->pairs, rows->result.pair_count, sizeof *rows->pairs);
    rows->rows = NULL;
    rows->pairs = NULL;
}
