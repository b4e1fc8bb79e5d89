/* The arena: a chain of blocks, each a header of one cache line followed by memory handed out front to back.
 *
 * The high-water mark counts the bytes handed out (rounded to cache lines), not the unused ends of blocks, so it is
 * exactly what a single block must hold to serve the same requests. */
#include "base/arena.h"

#include "base/allocator.h"
#include "base/dent_assert.h"

#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_POISONS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_POISONS 1
#endif
#endif

#ifdef ARENA_POISONS
#include <sanitizer/asan_interface.h>
enum { GAP = ALLOCATION_ALIGNMENT };
#define POISON(start, bytes) __asan_poison_memory_region((start), (bytes))
#define UNPOISON(start, bytes) __asan_unpoison_memory_region((start), (bytes))
#else
enum { GAP = 0 };
#define POISON(start, bytes) ((void)0)
#define UNPOISON(start, bytes) ((void)0)
#endif

enum { SMALLEST_BLOCK = 64 * 1024 };

struct arena_block {
    struct arena_block *previous;
    size_t capacity; /* bytes behind the header */
    size_t used;
};

enum { HEADER = ALLOCATION_ALIGNMENT };
_Static_assert(sizeof(struct arena_block) <= HEADER, "the header is one cache line");

static unsigned char *block_start(struct arena_block *block)
{
    return (unsigned char *)block + HEADER;
}

static bool add_block(struct arena *arena, size_t capacity)
{
    size_t bytes;
    if (!size_add(capacity, HEADER, &bytes)) {
        return false;
    }
    struct arena_block *block = context_allocate(arena->context, bytes);
    if (!block) {
        return false;
    }
    *block = (struct arena_block){.previous = arena->last, .capacity = capacity, .used = 0};
    POISON(block_start(block), capacity);
    arena->last = block;
    return true;
}

static void drop_last_block(struct arena *arena)
{
    struct arena_block *block = arena->last;
    arena->last = block->previous;
    UNPOISON(block_start(block), block->capacity);
    context_release(arena->context, block, block->capacity + HEADER);
}

void arena_init(struct arena *arena, dent_context *context)
{
    *arena = (struct arena){.context = context};
}

void arena_destroy(struct arena *arena)
{
    while (arena->last) {
        drop_last_block(arena);
    }
    *arena = (struct arena){.context = arena->context};
}

/* A block is at least half of all before it together, so a query that needs n bytes the first time makes O(log n) of
 * them and leaves a third unused at most. */
static bool make_room(struct arena *arena, size_t needed)
{
    size_t capacity = arena->in_use / 2 > SMALLEST_BLOCK ? arena->in_use / 2 : SMALLEST_BLOCK;
    if (capacity > needed && add_block(arena, capacity)) {
        return true;
    }
    return add_block(arena, needed); /* larger than that, or memory is scarce: just enough */
}

void *arena_allocate(struct arena *arena, size_t count, size_t size)
{
    size_t bytes, rounded;
    if (!size_multiply(count, size, &bytes) || !size_add(bytes, GAP + ALLOCATION_ALIGNMENT - 1, &rounded)) {
        return NULL;
    }
    rounded -= rounded % ALLOCATION_ALIGNMENT;
    struct arena_block *block = arena->last;
    if (!block || block->capacity - block->used < rounded) {
        if (!make_room(arena, rounded)) {
            return NULL;
        }
        block = arena->last;
    }
    unsigned char *memory = block_start(block) + block->used;
    block->used += rounded;
    arena->in_use += rounded;
    if (arena->in_use > arena->high_water) {
        arena->high_water = arena->in_use;
    }
    UNPOISON(memory, bytes);
    return memory;
}

void *arena_allocate_cleared(struct arena *arena, size_t count, size_t size)
{
    void *memory = arena_allocate(arena, count, size);
    if (memory) {
        memset(memory, 0, count * size);
    }
    return memory;
}

struct arena_mark arena_mark(const struct arena *arena)
{
    return (struct arena_mark){
        .last = arena->last, .used = arena->last ? arena->last->used : 0, .in_use = arena->in_use};
}

void arena_rewind(struct arena *arena, struct arena_mark mark)
{
    while (arena->last != mark.last) {
        DENT_ASSERT(arena->last); /* a mark of another arena, or from before a reset */
        drop_last_block(arena);
    }
    if (arena->last) {
        DENT_ASSERT(mark.used <= arena->last->used);
        POISON(block_start(arena->last) + mark.used, arena->last->used - mark.used);
        arena->last->used = mark.used;
    }
    arena->in_use = mark.in_use;
}

void arena_reset(struct arena *arena)
{
    arena->in_use = 0;
    struct arena_block *block = arena->last;
    if (block && !block->previous && block->capacity >= arena->high_water) {
        POISON(block_start(block), block->used);
        block->used = 0;
        return;
    }
    while (arena->last) {
        drop_last_block(arena);
    }
    if (arena->high_water > 0) { /* with a quarter to spare: the next steps may need a little more */
        size_t spare = arena->high_water <= SIZE_MAX / 2 ? arena->high_water / 4 : 0;
        if (!add_block(arena, arena->high_water + spare)) {
            add_block(arena, arena->high_water);
        }
    }
}

size_t arena_high_water(const struct arena *arena)
{
    return arena->high_water;
}
