/* bench_run.c — the turns of a race, the comparison of answers, medians. */
#include "bench_run.h"

#include "interrupt.h"
#include "questions.h"
#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A contestant so slow that one turn takes longer than this is measured in frame 0 only, and once. */
static const uint64_t slow_turn_ns = 4000000000u;
/* So is a peer that takes longer than this and that many times as long as the fastest one. */
static const uint64_t long_turn_ns = 300000000u;
static const uint64_t far_behind = 3;
/* After this much time a contestant has enough turns, but it gets at least FEWEST_TURNS. */
static const uint64_t enough_ns = 8000000000u;
enum { FEWEST_TURNS = 3 };

const char *const phase_names[PHASE_COUNT] = {"prepare_ms", "search_ms",    "finish_ms",  "refit_ms",
                                              "culling_ms", "traversal_ms", "filters_ms", "exact_ms"};

const char *questions_name(uint32_t questions, char *buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = '\0';
    for (unsigned i = 0; i < RACED_QUESTION_COUNT; i++) {
        dent_question question = raced_question_at(i);
        if ((questions & question) != 0 && used < size) {
            int length =
                snprintf(buffer + used, size - used, "%s%s", used > 0 ? "+" : "", dent_question_name(question));
            used += length > 0 ? (size_t)length : 0;
        }
    }
    return buffer;
}

uint64_t bench_clock_ns(bool cpu_time)
{
    struct timespec used;
    if (cpu_time && clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0) {
        return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
    }
    return dent_clock_ns();
}

/* ---- answers --------------------------------------------------------------------------------------------- */

bool pair_keys_reserve(pair_keys *list, uint64_t count)
{
    if (count <= list->capacity) {
        return true;
    }
    uint64_t capacity = count + count / 4 + 16;
    uint64_t *keys = dent_reallocate(list->context, list->keys, (size_t)list->capacity, (size_t)capacity, sizeof *keys);
    if (keys == NULL) {
        return false;
    }
    list->keys = keys;
    list->capacity = capacity;
    return true;
}

void pair_keys_release(pair_keys *list)
{
    dent_release(list->context, list->keys, (size_t)list->capacity, sizeof *list->keys);
    list->keys = NULL;
    list->count = list->capacity = 0;
}

/* The first place where two ascending lists differ, in words. */
static int report_difference(const bench_race *race, const contestant *other, uint32_t frame, dent_question question,
                             const pair_keys *right, const pair_keys *wrong)
{
    uint64_t i = 0;
    while (i < right->count && i < wrong->count && right->keys[i] == wrong->keys[i]) {
        i++;
    }
    bool missing = i == wrong->count || (i < right->count && right->keys[i] < wrong->keys[i]);
    uint64_t key = missing ? right->keys[i] : wrong->keys[i];
    return complain("bench: %s, %s, frame %u: WRONG ANSWER: %s has %llu pairs, %s has %llu; the first that %s has %s "
                    "is %u %u (numbers of the scene)",
                    race->scene->name, dent_question_name(question), frame, race->reference->name,
                    (unsigned long long)right->count, other->name, (unsigned long long)wrong->count, other->name,
                    missing ? "not" : "alone", (unsigned)(key >> 32), (unsigned)key);
}

/* ---- turns ----------------------------------------------------------------------------------------------- */

typedef struct race_run {
    tool_session *session;
    bench_race *race;
    pair_keys *right; /* of each frame, for each question */
    pair_keys other[RACED_QUESTION_COUNT];
    uint64_t slowest_ns[CONTESTANT_LIMIT];
    uint64_t done, total; /* turns */
} race_run;

/* The first answer found for a frame is kept, the others are compared with it. */
static int compare_answers(race_run *run, contestant *asked, uint32_t frame)
{
    bench_race *race = run->race;
    for (unsigned i = 0; i < RACED_QUESTION_COUNT && asked->answer != NULL; i++) {
        dent_question question = raced_question_at(i);
        if ((race->questions & question) == 0) {
            continue;
        }
        pair_keys *right = &run->right[(size_t)frame * RACED_QUESTION_COUNT + i];
        bool first = right->context == NULL;
        right->context = race->scene->context;
        pair_keys *list = first ? right : &run->other[i];
        if (!asked->answer(asked, question, list)) {
            return complain("bench: out of memory");
        }
        if (!first && (right->count != list->count ||
                       (list->count > 0 && memcmp(right->keys, list->keys, list->count * sizeof *list->keys) != 0))) {
            return report_difference(race, asked, frame, question, right, list);
        }
    }
    return STATUS_GOOD;
}

static void keep_frame_zero(race_run *run, contestant *asked, const turn_costs *costs)
{
    asked->candidates = costs->candidates;
    asked->pairs = 0;
    /* Of a query with two questions: the hash of the hashes, in order. */
    asked->pairs_hash = 0;
    for (unsigned i = 0; i < RACED_QUESTION_COUNT && asked->answer != NULL; i++) {
        dent_question question = raced_question_at(i);
        if ((run->race->questions & question) != 0) {
            asked->pairs += run->right[i].count;
            uint64_t hash = asked->hash != NULL ? asked->hash(asked, question) : 0;
            asked->pairs_hash = asked->pairs_hash * 1099511628211u ^ hash;
        }
    }
}

static void keep_sample(contestant *asked, const turn_costs *costs, uint64_t took)
{
    asked->samples[asked->turns] = (double)took * 1e-6;
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        asked->phases[phase][asked->turns] = costs->phase_ms[phase];
    }
    bool most = asked->turns == 0 || costs->allocations > asked->allocations;
    asked->allocations = most ? costs->allocations : asked->allocations;
    asked->turns++;
    asked->spent_ns += took;
}

enum turn_kind { TURN_FIRST_ROUND, TURN_LEAD_IN, TURN_MEASURED };

static int take_turn(race_run *run, uint32_t index, uint32_t frame, enum turn_kind kind)
{
    bench_race *race = run->race;
    contestant *asked = &race->contestants[index];
    bench_scene_pose(race->scene, frame);
    progress_set(&run->session->progress, run->done++, run->total);
    uint64_t began = bench_clock_ns(race->cpu_time);
    int status = asked->ask(asked);
    uint64_t took = bench_clock_ns(race->cpu_time) - began;
    if (status == STATUS_GOOD) {
        status = compare_answers(run, asked, frame);
    }
    if (status != STATUS_GOOD) {
        return status;
    }
    run->slowest_ns[index] = took > run->slowest_ns[index] ? took : run->slowest_ns[index];
    turn_costs costs;
    asked->costs(asked, &costs);
    if (kind == TURN_FIRST_ROUND && frame == 0) {
        keep_frame_zero(run, asked, &costs);
    }
    if (kind == TURN_MEASURED) {
        keep_sample(asked, &costs, took);
        if (asked->watch != NULL && !loop_watch_keep(asked->watch, frame)) {
            return complain("bench: out of memory");
        }
    }
    return interrupt_seen() ? interrupt_report() : STATUS_GOOD;
}

static bool has_enough(const race_run *run, uint32_t index)
{
    const contestant *asked = &run->race->contestants[index];
    return asked->spent_ns > enough_ns && asked->turns >= FEWEST_TURNS;
}

static bool is_far_behind(const race_run *run, uint32_t index)
{
    uint64_t best = UINT64_MAX;
    for (uint32_t i = 0; i < run->race->count; i++) {
        bool rival = run->race->contestants[i].peer && run->slowest_ns[i] > 0;
        best = rival && run->slowest_ns[i] < best ? run->slowest_ns[i] : best;
    }
    uint64_t took = run->slowest_ns[index];
    return run->race->contestants[index].peer && took > long_turn_ns && took / far_behind > best;
}

/* One contestant through all frames; `backwards`: from the last to the first. */
static int take_round(race_run *run, uint32_t index, bool first_round, bool backwards)
{
    uint32_t frames = run->race->frames;
    bool slow = run->slowest_ns[index] > slow_turn_ns || (!first_round && is_far_behind(run, index));
    if (slow) {
        /* Frame 0 alone, and once. */
        return run->race->contestants[index].turns == 0 ? take_turn(run, index, 0, TURN_MEASURED) : STATUS_GOOD;
    }
    int status = STATUS_GOOD;
    if (!first_round) {
        uint32_t second = backwards ? frames - 1 - (frames > 1) : frames > 1;
        status = take_turn(run, index, second, TURN_LEAD_IN);
    }
    for (uint32_t i = 0; i < frames && status == STATUS_GOOD; i++) {
        uint32_t frame = backwards ? frames - 1 - i : i;
        status = take_turn(run, index, frame, first_round ? TURN_FIRST_ROUND : TURN_MEASURED);
        if (first_round && run->slowest_ns[index] > slow_turn_ns) {
            break;
        }
    }
    return status;
}

static int run_round(race_run *run, uint32_t round)
{
    int status = STATUS_GOOD;
    uint32_t count = run->race->count;
    for (uint32_t i = 0; i < count && status == STATUS_GOOD; i++) {
        uint32_t index = (round + i) % count;
        if (!has_enough(run, index)) {
            status = take_round(run, index, round == 0, round % 2 == 1);
        }
        run->done = (uint64_t)round * (run->race->frames + 1) * count + (uint64_t)(i + 1) * (run->race->frames + 1);
    }
    return status;
}

/* ---- statistics ------------------------------------------------------------------------------------------ */

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Linear between the two nearest of the sorted samples. */
static double quantile(const double *sorted, uint32_t count, double fraction)
{
    double place = fraction * (count - 1);
    uint32_t below = (uint32_t)place;
    uint32_t above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

static void summarise(contestant *asked)
{
    if (asked->turns == 0) {
        asked->median_ms = asked->low_ms = asked->high_ms = NAN;
        return;
    }
    qsort(asked->samples, asked->turns, sizeof(double), compare_numbers);
    asked->median_ms = quantile(asked->samples, asked->turns, 0.5);
    asked->low_ms = quantile(asked->samples, asked->turns, 0.25);
    asked->high_ms = quantile(asked->samples, asked->turns, 0.75);
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        bool known = !isnan(asked->phases[phase][0]);
        qsort(asked->phases[phase], known ? asked->turns : 0, sizeof(double), compare_numbers);
        asked->phase_ms[phase] = known ? quantile(asked->phases[phase], asked->turns, 0.5) : NAN;
    }
    asked->peak = asked->peak_bytes(asked);
    if (asked->watch != NULL) {
        loop_watch_sum(asked->watch, &asked->loops);
    }
}

/* ---- the race -------------------------------------------------------------------------------------------- */

static size_t turn_limit(const bench_race *race)
{
    return (size_t)race->frames * race->repeat;
}

static bool make_room(bench_race *race)
{
    for (uint32_t i = 0; i < race->count; i++) {
        contestant *asked = &race->contestants[i];
        asked->samples = dent_allocate(race->scene->context, turn_limit(race), sizeof(double));
        bool made = asked->samples != NULL;
        for (int phase = 0; phase < PHASE_COUNT; phase++) {
            asked->phases[phase] = dent_allocate(race->scene->context, turn_limit(race), sizeof(double));
            made = made && asked->phases[phase] != NULL;
        }
        if (!made) {
            return false;
        }
    }
    return true;
}

static size_t answer_count(const bench_race *race)
{
    return (size_t)race->frames * RACED_QUESTION_COUNT;
}

static bool open_run(race_run *run, tool_session *session, bench_race *race)
{
    dent_context *context = race->scene->context;
    memset(run, 0, sizeof *run);
    run->session = session;
    run->race = race;
    run->total = ((uint64_t)race->repeat + 1) * (race->frames + 1) * race->count;
    race->reference = &race->contestants[0];
    for (unsigned i = 0; i < RACED_QUESTION_COUNT; i++) {
        run->other[i].context = context;
    }
    run->right = dent_allocate(context, answer_count(race), sizeof *run->right);
    if (run->right != NULL) {
        memset(run->right, 0, answer_count(race) * sizeof *run->right);
    }
    return run->right != NULL && make_room(race);
}

static void close_run(race_run *run)
{
    dent_context *context = run->race->scene->context;
    for (unsigned i = 0; i < RACED_QUESTION_COUNT; i++) {
        pair_keys_release(&run->other[i]);
    }
    for (size_t i = 0; run->right != NULL && i < answer_count(run->race); i++) {
        if (run->right[i].context != NULL) {
            pair_keys_release(&run->right[i]);
        }
    }
    dent_release(context, run->right, answer_count(run->race), sizeof *run->right);
}

int bench_run(tool_session *session, bench_race *race)
{
    race_run run;
    char questions[64], what[128];
    int status = open_run(&run, session, race) ? STATUS_GOOD : complain("bench: out of memory");
    snprintf(what, sizeof what, "%s %s", race->scene->name,
             questions_name(race->questions, questions, sizeof questions));
    progress_begin(&session->progress, what, run.total);
    for (uint32_t round = 0; round <= race->repeat && status == STATUS_GOOD; round++) {
        status = run_round(&run, round);
    }
    progress_end(&session->progress);
    for (uint32_t i = 0; i < race->count && status == STATUS_GOOD; i++) {
        summarise(&race->contestants[i]);
        if (race->contestants[i].peer) {
            race->contestants[i].pairs_hash = race->contestants[0].pairs_hash; /* compared pair by pair */
        }
    }
    close_run(&run);
    return status;
}

void bench_close(bench_race *race)
{
    for (uint32_t i = 0; i < race->count; i++) {
        contestant *asked = &race->contestants[i];
        asked->close(asked);
        loop_watch_close(asked->watch);
        dent_release(race->scene->context, asked->samples, turn_limit(race), sizeof(double));
        for (int phase = 0; phase < PHASE_COUNT; phase++) {
            dent_release(race->scene->context, asked->phases[phase], turn_limit(race), sizeof(double));
        }
    }
    race->count = 0;
}
