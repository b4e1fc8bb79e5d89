/* Scratch memory of one query: taken by moving a pointer, given back all at once.
 *
 * During the first query an arena is a chain of growing blocks. arena_reset() replaces the chain by a single block, a
 * quarter larger than the most that was ever in use, so after warm-up a query that needs little more than an earlier
 * one allocates nothing. Use by one thread at a time. Under address sanitizer memory not handed out is poisoned, with a
 * gap behind each piece. */
#ifndef DENT_BASE_ARENA_H
#define DENT_BASE_ARENA_H

#include <dent/base.h>

struct arena_block;

struct arena {
    dent_context *context;
    struct arena_block *last; /* the block memory is taken from; earlier ones hang behind it */
    size_t in_use;            /* over all blocks */
    size_t high_water;        /* the most `in_use` ever was */
};

/* A place to go back to. */
struct arena_mark {
    struct arena_block *last;
    size_t used; /* in `last` */
    size_t in_use;
};

/* Takes no memory yet. */
void arena_init(struct arena *arena, dent_context *context);
void arena_destroy(struct arena *arena);

/* count * size bytes aligned to 64, not cleared; null when memory runs out or the product does not fit. 0 gives a
 * pointer that must not be read. Valid until the arena is rewound behind it, reset or destroyed. */
void *arena_allocate(struct arena *arena, size_t count, size_t size);
/* The same, filled with zero bytes. */
void *arena_allocate_cleared(struct arena *arena, size_t count, size_t size);

/* Everything allocated after the mark is gone after the rewind. Marks nest like brackets. */
struct arena_mark arena_mark(const struct arena *arena);
void arena_rewind(struct arena *arena, struct arena_mark mark);

/* Gives everything back at once and makes the arena one block. Cannot fail: without memory for the block it starts
 * small. */
void arena_reset(struct arena *arena);

/* The most bytes ever in use at a time, alignment included. */
size_t arena_high_water(const struct arena *arena);

#endif
