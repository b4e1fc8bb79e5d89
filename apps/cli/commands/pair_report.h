/* pair_report.h — how `dent pairs` prints an answer, whatever the question: pair by pair, only how many, or an object.
 */
#ifndef DENT_PAIR_REPORT_H
#define DENT_PAIR_REPORT_H

#include "series.h"

enum { FEATURE_SIZE = 64, COLUMNS_SIZE = 2 * FEATURE_SIZE + 32, PAIR_KIND_LIMIT = 4 };

/** An answer as the printer sees it. Features have the numbers of the file. */
typedef struct pair_answer pair_answer;
struct pair_answer {
    const void *result;
    uint64_t count;
    const dent_query_counters *counters;
    const char *const *kinds; /* PAIR_KIND_LIMIT names, or fewer and a null */
    /** "body feature body feature"; returns the length. */
    int (*columns)(const pair_answer *answer, const loaded_world *loaded, uint64_t index, char *text);
    /** Place of the kind in `kinds`. */
    unsigned (*kind)(const pair_answer *answer, uint64_t index);
    /** What follows the kind, each with a blank before it. */
    void (*numbers)(const pair_answer *answer, uint64_t index, printer *out);
};

/** Prints as --json, --count and --stats ask for; `frame` is null when there is only one. Ctrl-C or a failing output
 * stops it after a whole line. */
int report_pairs(tool_session *session, const loaded_world *loaded, const pair_answer *answer,
                 const frame_facts *frame);

/** Is the answer there? STATUS_GOOD, or what was wrong, reported. */
int check_answer(const loaded_world *loaded, dent_status status, const dent_outcome *outcome);

/** The feature as dent_feature_print writes it, with the number in the file; `text` has FEATURE_SIZE bytes. */
void print_pair_feature(const loaded_world *loaded, dent_question question, const dent_pair *pair, bool side_b,
                        char *text);

void print_pair_numbers(printer *out, const double *numbers, int count);

#endif
