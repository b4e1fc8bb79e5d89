/* The double stages over a list of candidates, breadth first. See impact_double_kernels.h.
 *
 * A chunk of candidates begins with one task each, the whole step (or the part of it that matters). A round tests all
 * tasks, brackets the roots that were found, and makes the parts of what was split the tasks of the next. A candidate
 * keeps its leftmost hit; its tasks to the right of that are dropped. In the end hits get their times, all at once, and
 * what stayed uncertain is tested alone.
 *
 * Where only the earliest contact is asked for, the right end of every bracket is a time by which something is in
 * contact: it lowers the limit for all candidates at once, before a single time is known to the last bit.
 */
#include <math.h>

#include "geometry/impact/impact_internal.h"
#include "geometry/impact/impact_double_kernels.h"

enum { TASKS_PER_CANDIDATE = 20 };

struct rounds {
    const struct impact_block *block;
    const struct impact_double_kernels *kernels;
    struct impact_rounds *room;
    struct impact_chosen chosen; /* of this chunk */
    uint32_t count;
    double limit;
};

static void begin_chunk(struct rounds *rounds)
{
    struct impact_rounds *room = rounds->room;
    for (uint32_t place = 0; place < rounds->count; place++) {
        room->tasks[0].place[place] = place;
        room->tasks[0].l[place] = 0.0;
        room->tasks[0].r[place] = 1.0;
        room->uncertain[place] = 0;
        room->task_counts[place] = 0;
        room->left[place] = HUGE_VAL;
    }
    room->tasks[0].count = rounds->count;
}

/* Keeps the leftmost hit of each candidate and, where only the earliest is asked for, lowers the limit. */
static void note_hits(struct rounds *rounds)
{
    struct impact_rounds *room = rounds->room;
    const struct impact_brackets *hits = &room->hits;
    for (uint32_t i = 0; i < hits->count; i++) {
        uint32_t place = hits->place[i];
        if (hits->left[i] < room->left[place]) {
            room->left[place] = hits->left[i];
            room->right[place] = hits->right[i];
            room->middle[place] = hits->middle[i];
        }
        if (rounds->block->earliest && hits->right[i] < rounds->limit) {
            rounds->limit = hits->right[i];
        }
    }
}

/* Drops tasks that no longer matter. A candidate with too many of them becomes uncertain. */
static void thin_tasks(const struct rounds *rounds, struct impact_tasks *tasks)
{
    struct impact_rounds *room = rounds->room;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < tasks->count; i++) {
        uint32_t place = tasks->place[i];
        tasks->place[kept] = place;
        tasks->l[kept] = tasks->l[i];
        tasks->r[kept] = tasks->r[i];
        room->uncertain[place] |= ++room->task_counts[place] > TASKS_PER_CANDIDATE;
        kept += !room->uncertain[place] && tasks->l[i] < room->left[place];
    }
    tasks->count = kept;
}

static struct impact_horizon horizon_of(const struct rounds *rounds)
{
    return (struct impact_horizon){rounds->limit, rounds->limit < 1.0 ? nextafter(rounds->limit, 1.0) : 1.0};
}

static void run_rounds(struct rounds *rounds)
{
    struct impact_rounds *room = rounds->room;
    enum impact_kind kind = rounds->block->kind;
    for (int round = 0; room->tasks[round % 2].count > 0; round++) {
        struct impact_tasks *tasks = &room->tasks[round % 2], *next = &room->tasks[1 - round % 2];
        struct impact_task_outputs outputs = {&room->roots, next, room->uncertain};
        struct impact_horizon horizon = horizon_of(rounds);
        next->count = room->roots.count = room->hits.count = 0;
        if (round == 0 && horizon.end == 1.0) {
            rounds->kernels->test_whole[kind](&rounds->chosen, tasks, &outputs);
        } else {
            rounds->kernels->test[kind](&rounds->chosen, tasks, &horizon, round == 0, &outputs);
        }
        rounds->kernels->bracket[kind](&rounds->chosen, &room->roots, &room->hits, room->uncertain);
        note_hits(rounds);
        thin_tasks(rounds, next);
    }
}

/* The candidates in contact for certain, ascending, with their times and all that is reported about them. */
static void describe_hits(struct rounds *rounds)
{
    struct impact_rounds *room = rounds->room;
    struct impact_brackets *hits = &room->hits;
    enum impact_kind kind = rounds->block->kind;
    hits->count = 0;
    for (uint32_t place = 0; place < rounds->count; place++) {
        uint32_t at = hits->count;
        hits->place[at] = place;
        hits->left[at] = room->left[place];
        hits->right[at] = room->right[place];
        hits->middle[at] = room->middle[place];
        hits->count += room->left[place] <= rounds->limit && !room->uncertain[place];
    }
    rounds->kernels->refine[kind](&rounds->chosen, hits, room->times);
    rounds->kernels->describe[kind](&rounds->chosen, hits->place, hits->count, room->times, &room->descriptions);
}

static void find_corners(const struct rounds *rounds, uint32_t place, const struct impact_vertex *corners[4])
{
    for (int k = 0; k < 4; k++) {
        corners[k] = &rounds->chosen.vertices[rounds->chosen.corners[rounds->chosen.list[place]][k]];
    }
}

/* Hit number `at`, whose time is known. */
static void write_hit(const struct rounds *rounds, uint32_t at, struct impact_result *result)
{
    const struct impact_rounds *room = rounds->room;
    const struct impact_descriptions *described = &room->descriptions;
    *result = (struct impact_result){
        .answer = IMPACT_HIT,
        .stage = IMPACT_STAGE_DOUBLE,
        .toi = room->times[at],
        .u = described->u[at],
        .v = described->v[at],
        .normal = {described->normal[0][at], described->normal[1][at], described->normal[2][at]},
    };
    if (result->u < 0.0) {
        const struct impact_vertex *corners[4];
        find_corners(rounds, room->hits.place[at], corners);
        impact_describe_contact(rounds->block->kind, corners, result);
    }
}

/* Writes the hits of a chunk, ascending: those found in lanes and those of candidates tested alone. */
static uint32_t finish_chunk(struct rounds *rounds, uint64_t *limbs, struct impact_hit *hits,
                             struct impact_counters *counters)
{
    struct impact_rounds *room = rounds->room;
    uint32_t hit_count = 0, at = 0;
    for (uint32_t place = 0; place < rounds->count; place++) {
        bool found = at < room->hits.count && room->hits.place[at] == place;
        bool uncertain = room->uncertain[place] || (found && room->times[at] < 0.0);
        struct impact_result *result = &hits[hit_count].result;
        if (uncertain) {
            const struct impact_vertex *corners[4];
            find_corners(rounds, place, corners);
            impact_test_finite(rounds->block->kind, corners, rounds->limit, true, limbs, result);
        } else if (found) {
            write_hit(rounds, at, result);
        } else {
            counters->free_by[IMPACT_STAGE_DOUBLE]++;
            continue;
        }
        at += found;
        hits[hit_count].candidate = rounds->chosen.list[place];
        hit_count += impact_note_result(rounds->block, result, &rounds->limit, counters);
    }
    return hit_count;
}

uint32_t impact_test_rounds(const struct impact_block *block, dent_isa isa, uint32_t count,
                            struct impact_workspace *workspace, struct impact_hit *hits,
                            struct impact_counters *counters)
{
    struct rounds rounds = {.block = block,
                            .kernels = impact_double_kernels_for(isa),
                            .room = &workspace->rounds,
                            .chosen = {block->vertices, block->corners, NULL},
                            .limit = block->t_limit};
    uint32_t hit_count = 0;
    for (uint32_t begin = 0; begin < count; begin += IMPACT_CHUNK) {
        rounds.chosen.list = workspace->first + begin;
        rounds.count = count - begin < IMPACT_CHUNK ? count - begin : IMPACT_CHUNK;
        begin_chunk(&rounds);
        run_rounds(&rounds);
        describe_hits(&rounds);
        hit_count += finish_chunk(&rounds, workspace->limbs, hits + hit_count, counters);
    }
    return hit_count;
}
