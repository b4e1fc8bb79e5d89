/* Fuzzer of impact_queries.c and rational_number.c: every query that is read has finite coordinates, and one of them is
 * answered. Seeds: corpus/impact_queries. */
#define MEMORY_PER_BYTE ((size_t)512)
#include "fuzz_mesh_file.h"

#include <dent/impact_io.h>

static void check_queries(const dent_impact_queries *queries)
{
    fuzz_require(queries->count > 0 && queries->kind == DENT_IMPACT_VERTEX_FACE);
    for (uint32_t i = 0; i < queries->count; i++) {
        for (int k = 0; k < 12; k++) {
            fuzz_require(isfinite(queries->queries[i].points_t0[k / 3][k % 3]) &&
                         isfinite(queries->queries[i].points_t1[k / 3][k % 3]));
        }
        fuzz_require(!queries->truth || queries->truth[i] <= 1);
    }
    dent_impact_test_result answer;
    fuzz_require(dent_impact_test(queries->kind, queries->queries[0].points_t0, queries->queries[0].points_t1,
                                  &answer) == DENT_OK);
    fuzz_require(answer.toi >= 0 && answer.toi <= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_memory memory = {.limit = MEMORY_FREE + MEMORY_PER_BYTE * size};
    dent_context_def def = fuzz_context_def();
    def.allocator = (dent_allocator){fuzz_allocate, fuzz_release, &memory};
    dent_context *context = dent_context_create(&def, NULL);
    fuzz_require(context != NULL);
    size_t before = memory.in_use;
    dent_impact_queries *queries = NULL;
    dent_status status = dent_impact_queries_read_memory(context, "vf.csv", data, size, NULL, &queries);
    if (status == DENT_OK) {
        check_queries(queries);
        dent_impact_queries_destroy(context, queries);
    } else {
        char message[1024];
        fuzz_require(queries == NULL && dent_context_message(context, message, sizeof message) > 0);
        fuzz_require(strncmp(message, "vf.csv", 6) == 0);
    }
    fuzz_require(memory.in_use == before);
    dent_context_destroy(context);
    return 0;
}
