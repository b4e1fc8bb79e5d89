/* Exact continuous tests of two primitives whose vertices move on straight lines: x(t) = start + t (end - start), t in
 * [0, 1]. Vertex against face, edge against edge; primitives are closed, so touching counts, also at t = 0 and t = 1.
 *
 * The answer is the one of real arithmetic for the doubles given: nothing is missed, nothing invented, no tolerance.
 * Stages, each certified, the cheap ones first (docs/methods/impact.md):
 *
 *   0  whole-interval rejects: axes, coplanarity cubic of one sign, a free axis; vector code over blocks
 *   1  certified double: the interval is split, roots are bracketed, inside tests by certain signs
 *   2  the time in double-double
 *   3  exact integers: what is left (about one candidate in a million of simulation data)
 *
 * Every stage gives the same answer, so `hit`, `toi`, `u`, `v` and `normal` are a function of the query alone: the same
 * bits for every instruction set, alone or in a block, with or without a time limit. Only `stage` and the counters may
 * depend on the way.
 *
 * Where the program has changed the rounding mode or flushes subnormals, everything goes to stage 3: answers and times
 * stay exact, u, v and the normal are then rounded as the program wants it. (A minimum separation needs the ordinary
 * mode.) Nothing here allocates; all functions may be called from any thread.
 */
#ifndef DENT_GEOMETRY_IMPACT_TEST_H
#define DENT_GEOMETRY_IMPACT_TEST_H

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#include <dent/base.h>

enum impact_kind {
    IMPACT_VERTEX_FACE, /* corners: p, f0, f1, f2 */
    IMPACT_EDGE_EDGE    /* corners: a0, a1, b0, b1 */
};

/* A vertex at both ends of the step: one cache line. The two unused numbers may be anything. */
struct impact_vertex {
    alignas(64) double start[3];
    double unused_0;
    double end[3];
    double unused_1;
};

enum impact_stage {
    IMPACT_STAGE_AXES,       /* 0: apart on a coordinate axis at both ends */
    IMPACT_STAGE_CUBIC,      /* 0: never coplanar */
    IMPACT_STAGE_FREE_AXIS,  /* 0: apart on another axis */
    IMPACT_STAGE_SHARED,     /* 1: a vertex of one lies on a vertex of the other at t = 0 */
    IMPACT_STAGE_DOUBLE,     /* 1, 2 */
    IMPACT_STAGE_EXACT,      /* 3 */
    IMPACT_STAGE_SEPARATION, /* the slabs of a minimum separation */
    IMPACT_STAGE_ERROR,      /* a coordinate is infinite or not a number */
    IMPACT_STAGE_COUNT
};

enum impact_answer {
    IMPACT_FREE,
    IMPACT_HIT,
    IMPACT_HIT_BUDGET, /* only with a separation: stopped early, `toi` is a safe lower bound all the same */
    IMPACT_ERROR       /* a coordinate is not finite; toi = 0, to be treated as a contact at once */
};

struct impact_result {
    enum impact_answer answer;
    enum impact_stage stage;
    double toi;       /* the largest double not above the first time of contact; 1 where free */
    double u, v;      /* at toi. Vertex-face: weights of f1 and f2. Edge-edge: places on a and on b. Within [0, 1] */
    double normal[3]; /* unit; see below */
};

/* Which stage decided how many queries. */
struct impact_counters {
    uint64_t queries;
    uint64_t free_by[IMPACT_STAGE_COUNT], hits_by[IMPACT_STAGE_COUNT];
};

/* The normal is that of the face, or the cross product of the edges, at toi, turned against the relative velocity of
 * the first primitive (so it points to the side the first one comes from). Where the cross product vanishes in double
 * arithmetic it is the direction against the relative velocity, and (0, 0, 1) where that vanishes too.
 *
 * One query. `t_limit`: contacts whose toi is above it may be reported free (a search for the earliest time); 1 for
 * all. Never changes what is said about the others. */
void impact_test(enum impact_kind kind, const struct impact_vertex *const corners[4], double t_limit,
                 struct impact_result *result);

/* Limbs of stage 3 for any finite input: 128 KiB (impact_exact.c counts them). */
enum { IMPACT_LIMBS = 16384 };

/* Stage 3 alone, with the room it needs: no stack to speak of, no memory that could be short. limbs may be null, and
 * then it finds room itself. */
void impact_test_exact(uint64_t limbs[IMPACT_LIMBS], enum impact_kind kind,
                       const struct impact_vertex *const corners[4], struct impact_result *result);

/* --------------------------------------------------------------------------------------------------------- blocks */

enum { IMPACT_BLOCK = 2048 };

/* Up to IMPACT_BLOCK candidates of one kind. All coordinates must be finite. */
struct impact_block {
    enum impact_kind kind;
    uint32_t count;
    const struct impact_vertex *vertices;
    const uint32_t (*corners)[4]; /* count times four indices into vertices */
    double t_limit;               /* as above */
    bool earliest;                /* lower the limit to the earliest time found so far while going on */
};

struct impact_hit {
    uint32_t candidate; /* index into corners */
    struct impact_result result;
};

/* Candidates whose double stages run together, and intervals of them that may wait. */
enum { IMPACT_CHUNK = 512, IMPACT_TASKS = 1024, IMPACT_LANES_MAX = 8 };

/* Intervals [l, r] of candidates, by their place in the chunk. Readable past the end as far as lanes reach. */
struct impact_tasks {
    uint32_t count;
    uint32_t place[IMPACT_TASKS + IMPACT_LANES_MAX];
    double l[IMPACT_TASKS + IMPACT_LANES_MAX], r[IMPACT_TASKS + IMPACT_LANES_MAX];
};

/* Candidates in contact at the one root of D in (left, right), `middle` near it. */
struct impact_brackets {
    uint32_t count;
    uint32_t place[IMPACT_TASKS + IMPACT_LANES_MAX];
    double left[IMPACT_TASKS + IMPACT_LANES_MAX], right[IMPACT_TASKS + IMPACT_LANES_MAX];
    double middle[IMPACT_TASKS + IMPACT_LANES_MAX];
};

/* u, v and the normals of contacts. */
struct impact_descriptions {
    double u[IMPACT_CHUNK + IMPACT_LANES_MAX], v[IMPACT_CHUNK + IMPACT_LANES_MAX];
    double normal[3][IMPACT_CHUNK + IMPACT_LANES_MAX];
};

/* What the double stages of a chunk need: impact_rounds.c. */
struct impact_rounds {
    struct impact_tasks tasks[2], roots;
    struct impact_brackets hits;
    double times[IMPACT_CHUNK + IMPACT_LANES_MAX];
    struct impact_descriptions descriptions;
    double left[IMPACT_CHUNK], right[IMPACT_CHUNK], middle[IMPACT_CHUNK]; /* by place: the leftmost hit */
    uint8_t uncertain[IMPACT_CHUNK], task_counts[IMPACT_CHUNK];
};

/* Room the block test needs; contents mean nothing between calls. */
struct impact_workspace {
    uint32_t first[IMPACT_BLOCK + 16], second[IMPACT_BLOCK + 16];
    struct impact_rounds rounds;
    uint64_t limbs[IMPACT_LIMBS];
};

/* Writes the candidates in contact, ascending, and returns how many: at most `count`. `counters` is added to. With
 * `earliest`, every candidate whose toi is the smallest of the block (and not above t_limit) is among them. */
uint32_t impact_test_block(const struct impact_block *block, dent_isa isa, struct impact_workspace *workspace,
                           struct impact_hit *hits, struct impact_counters *counters);

/* --------------------------------------------------------------------------------------------- minimum separation */

struct impact_separation {
    double distance;     /* > 0: asks for a time at which the primitives are not farther apart than this */
    double tolerance;    /* > 0: how much nearer than certainly necessary a pair may come before it is reported */
    uint32_t work_limit; /* steps before the answer becomes IMPACT_HIT_BUDGET; 0: a million */
    bool no_zero_toi;    /* a start farther apart than distance never gives toi = 0 */
};

/* Conservative: a pair that comes as near as `distance` at some time t is reported with toi <= t. Nothing else is
 * reported but pairs that are at toi within distance + tolerance of each other, apart from rounding (1e-7 of the size
 * of the pair where edges are nearly parallel, else 1e-14). toi is a function of the query and the separation alone. u,
 * v and the normal are those of the nearest points at toi, the normal pointing from the second primitive to the first;
 * where they touch as above. no_zero_toi holds for starts that are farther apart by 1e-14 of the size of the pair. */
void impact_test_separation(enum impact_kind kind, const struct impact_vertex *const corners[4],
                            const struct impact_separation *separation, double t_limit, struct impact_result *result);

/* The same for a block. */
uint32_t impact_test_separation_block(const struct impact_block *block, const struct impact_separation *separation,
                                      dent_isa isa, struct impact_workspace *workspace, struct impact_hit *hits,
                                      struct impact_counters *counters);

#endif
