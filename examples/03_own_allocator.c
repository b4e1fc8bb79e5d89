/* Your memory, your log: every hook has a user pointer, and nothing in dent is global. */
#include <dent/dent.h>
#include <stdio.h>
#include <stdlib.h>

struct arena_of_mine {
    size_t bytes, blocks;
};

static void *take(void *user, size_t size, size_t alignment)
{
    struct arena_of_mine *mine = user;
    void *block = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (!block) {
        return NULL;
    }
    mine->bytes += size;
    mine->blocks++;
    return block;
}

static void give_back(void *user, void *block, size_t size)
{
    struct arena_of_mine *mine = user;
    mine->bytes -= size;
    mine->blocks--;
    free(block);
}

static void write_line(void *user, dent_log_level level, const char *text)
{
    fprintf(user, "%s: %s\n", level == DENT_LOG_NOTICE ? "notice" : "warning", text);
}

int main(void)
{
    struct arena_of_mine mine = {0, 0};
    dent_context_def def = dent_context_def_default();
    def.allocator = (dent_allocator){take, give_back, &mine};
    def.log = (dent_log){write_line, stderr};
    def.thread_count = 1; /* this allocator is not made for threads */
    dent_context *context = dent_context_create(&def, NULL);
    dent_world *world = dent_world_create(context);
    printf("an empty world takes %zu bytes in %zu blocks\n", mine.bytes, mine.blocks);
    dent_world_destroy(world);
    dent_context_destroy(context);
    printf("afterwards %zu bytes are left\n", mine.bytes);
    return mine.bytes != 0;
}
