/* Two bodies in motion, what the library says of them held against dense sampling, and what was seen on the way.
 *
 * Scales are powers of two: what the library is asked is the scene times a power of two, what the oracle is asked is
 * the scene, so that the oracle need not compute with such numbers itself. */
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
        assert_true(result->t_lo <= result->t_estimate && result->t_estimate <= result->t_hi);
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
           "largest gap to the sampled time %.3g, largest distance at t_lo %.3g of the tolerance\n",
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

/* ---- two bodies in motion ---------------------------------------------------------------------------------------- */

struct moving_pair {
    struct oracle_body bodies[2];
    dent_motion_frame frames[12];
    uint32_t frame_count;
    uint32_t on[2];
    int exponent;     /* the library is asked the scene times 2^exponent */
    uint32_t samples; /* the oracle looks at so many times, and closer at minima */
    bool meets_at_start;
};

static inline void scale_vector(double *vector, int count, int exponent)
{
    for (int k = 0; k < count; k++) {
        vector[k] = ldexp(vector[k], exponent);
    }
}

/* Asks the library, and the oracle about what it says. */
static inline dent_motion_impact_result ask_moving_pair(dent_context *context, const struct moving_pair *scene,
                                                        uint64_t seed, struct tally *tally)
{
    dent_world *world = dent_world_create(context);
    struct moving_pair scaled = *scene;
    dent_motion_body attached[2];
    for (uint32_t f = 0; f < scaled.frame_count; f++) {
        scale_vector(scaled.frames[f].motion.start.translation, 3, scene->exponent);
        scale_vector(scaled.frames[f].motion.displacement, 3, scene->exponent);
        scale_vector(scaled.frames[f].motion.centre, 3, scene->exponent);
    }
    for (uint32_t b = 0; b < 2; b++) {
        scale_vector(scaled.bodies[b].vertices[0], 3 * ORACLE_VERTICES, scene->exponent);
        attached[b] = (dent_motion_body){oracle_add_body(world, &scaled.bodies[b], b ? "b" : "a", NULL), scene->on[b]};
    }
    dent_motion_impact_def def = dent_motion_impact_def_default();
    dent_motion_impact_result result;
    def.frames = scaled.frames;
    def.frame_count = scaled.frame_count;
    def.bodies = attached;
    def.body_count = 2;
    dent_experiments experiments = dent_experiments_default();
    def.experiments = &experiments;
    experiments.motion.volume = (dent_motion_volume)(seed % DENT_MOTION_VOLUME_COUNT);
    experiments.motion.bounds = seed % 16 == 15 ? DENT_MOTION_BOUNDS_INTERVAL : DENT_MOTION_BOUNDS_AUTO;
    if (dent_world_motion_impact(world, &def, &result) != DENT_OK) {
        fail_msg("seed %llu: %s", (unsigned long long)seed, dent_world_message(world));
    }
    result.tolerance = ldexp(result.tolerance, -scene->exponent);
    struct oracle_pair pair = {&scene->bodies[0], &scene->bodies[1], scene->frames, scene->on[0], scene->on[1], NULL};
    check_answer(&pair, &result, scene->samples, seed, tally);
    result.contacts = NULL; /* they go with the world */
    dent_world_destroy(world);
    return result;
}

/* Two bodies at rest, each in a frame of its own. */
static inline struct moving_pair two_frames(void)
{
    dent_pose identity = dent_pose_identity();
    struct moving_pair scene = {.frame_count = 2, .on = {0, 1}, .samples = 8};
    for (uint32_t f = 0; f < 2; f++) {
        scene.frames[f].parent = DENT_FRAME_WORLD;
        scene.frames[f].motion = dent_motion_stationary(&identity);
    }
    return scene;
}

/* ---- many of them ------------------------------------------------------------------------------------------------ */

typedef void moving_pair_maker(dent_context *context, dent_random *random, uint64_t seed, struct moving_pair *scene);

/* Random scenes, made by `make` from numbers that begin with `first_random`: none is missed, none is left undecided. */
static inline struct tally ask_random_pairs(dent_context *context, const char *what, uint64_t count,
                                            uint64_t first_random, moving_pair_maker *make)
{
    struct tally tally = {0};
    uint64_t last;
    for (uint64_t seed = first_seed(count, &last); seed < last; seed++) {
        dent_random random = dent_random_seeded(seed + first_random);
        struct moving_pair scene;
        make(context, &random, seed, &scene);
        dent_motion_impact_result result = ask_moving_pair(context, &scene, seed, &tally);
        if (scene.meets_at_start) {
            assert_true(result.verdict == DENT_MOTION_CONTACT && result.initial);
        }
    }
    print_tally(what, &tally);
    assert_int_equal(tally.undecided, 0);
    return tally;
}

static inline void assert_both_answers(const struct tally *tally)
{
    assert_true(tally->contacts > tally->queries / 10 && tally->free > tally->queries / 10);
}

#endif
