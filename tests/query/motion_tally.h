/* What is held against dense sampling, motion by motion, and what was seen on the way. */
#ifndef DENT_TESTS_QUERY_MOTION_TALLY_H
#define DENT_TESTS_QUERY_MOTION_TALLY_H

#include "query/motion_oracle.h"

struct tally {
    uint64_t queries, contacts, initial, free, undecided, contact_records;
    double latest_gap;     /* largest of (sampled first contact - t_lo) */
    double worst_distance; /* at t_lo, by the tolerance */
};

static inline void check_answer(const struct oracle_pair *pair, const dent_motion_impact_result *result,
                                uint32_t samples, uint64_t seed, struct tally *tally)
{
    double least, first = oracle_first_contact(pair, samples, &least);
    tally->queries++;
    tally->contacts += result->verdict == DENT_MOTION_CONTACT;
    tally->free += result->verdict == DENT_MOTION_FREE;
    tally->undecided += result->verdict == DENT_MOTION_UNDECIDED;
    tally->initial += result->initial;
    tally->contact_records += result->contact_count;
    if (first <= 1 && result->verdict == DENT_MOTION_FREE) {
        fail_msg("seed %llu: missed a contact at %.17g", (unsigned long long)seed, first);
    }
    if (first <= 1 && result->t_lo > first) {
        fail_msg("seed %llu: t_lo %.17g is later than the contact at %.17g", (unsigned long long)seed, result->t_lo,
                 first);
    }
    if (result->verdict == DENT_MOTION_CONTACT) {
        double distance = oracle_pair_distance(pair, result->t_lo);
        assert_true(result->t_lo <= result->t_c && result->t_c <= result->t_hi);
        assert_true(result->initial == (result->t_lo == 0));
        if (distance > result->tolerance) {
            fail_msg("seed %llu: contact at %.17g, but the distance there is %g, the tolerance %g",
                     (unsigned long long)seed, result->t_lo, distance, result->tolerance);
        }
        if (result->contact_count == 0) {
            fail_msg("seed %llu: a contact without features", (unsigned long long)seed);
        }
        if (first <= 1) {
            tally->latest_gap = fmax(tally->latest_gap, first - result->t_lo);
        }
        tally->worst_distance = fmax(tally->worst_distance, distance / result->tolerance);
    }
}

static inline void print_tally(const char *what, const struct tally *tally)
{
    printf("%s: %llu motions, %llu contacts (%llu at the start, %llu feature pairs), %llu free, %llu undecided; "
           "largest gap "
           "to the sampled time %.3g, largest distance at t_lo %.3g of the tolerance\n",
           what, (unsigned long long)tally->queries, (unsigned long long)tally->contacts,
           (unsigned long long)tally->initial, (unsigned long long)tally->contact_records,
           (unsigned long long)tally->free, (unsigned long long)tally->undecided, tally->latest_gap,
           tally->worst_distance);
}

/* Parts that run side by side: DENT_MOTION_PART=3/16 takes the fourth sixteenth of the seeds. */
static inline uint64_t first_seed(uint64_t count, uint64_t *last)
{
    unsigned part = 0, parts = 1;
    const char *wanted = getenv("DENT_MOTION_PART");
    if (wanted) {
        assert_int_equal(sscanf(wanted, "%u/%u", &part, &parts), 2);
        assert_true(part < parts);
    }
    *last = count * (part + 1) / parts;
    return count * part / parts;
}

#endif
