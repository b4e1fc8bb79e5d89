/* Your threads: a parallel-for hook. This one runs the blocks on two POSIX threads made for each loop; an engine would
 * hand them to its job system. The answers do not depend on it.
 */
#include <dent/dent.h>
#include <pthread.h>
#include <stdio.h>

struct half {
    dent_block_function *function;
    void *data;
    uint32_t first, block_count, worker;
};

static void *run_half(void *argument)
{
    const struct half *half = argument;
    for (uint32_t block = half->first; block < half->block_count; block += 2) {
        half->function(half->data, block, half->worker);
    }
    return NULL;
}

static void run_on_two_threads(void *user, uint32_t block_count, dent_block_function *function, void *data)
{
    unsigned *loops = user;
    struct half even = {function, data, 0, block_count, 0}, odd = {function, data, 1, block_count, 1};
    pthread_t thread;
    ++*loops;
    if (pthread_create(&thread, NULL, run_half, &odd) != 0) {
        run_half(&odd);
        run_half(&even);
        return;
    }
    run_half(&even);
    pthread_join(thread, NULL);
}

int main(void)
{
    unsigned loops = 0;
    dent_context_def def = dent_context_def_default();
    def.parallel = (dent_parallel){run_on_two_threads, 2, &loops};
    dent_context *context = dent_context_create(&def, NULL);
    if (!context) {
        return 1;
    }
    printf("%u workers\n", (unsigned)dent_context_worker_count(context));
    dent_context_destroy(context);
    return 0;
}
