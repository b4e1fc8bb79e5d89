/* Fuzzer of the scene files: whatever the bytes, the reader makes a plan or says "a.json:line:column: …" (or that
 * something is too large, or memory short), and gives all memory back. Seeds: corpus/scene_file. */
#include "fuzz_context.h"
#include "scene_files/scene_file.h"

#include <stdlib.h>
#include <string.h>

enum { MEMORY_LIMIT = 48 << 20 };

struct scene_memory {
    size_t in_use;
};

static void *limited_allocate(void *user, size_t size, size_t alignment)
{
    struct scene_memory *memory = user;
    void *block = NULL;
    if (size > MEMORY_LIMIT - memory->in_use ||
        posix_memalign(&block, alignment < sizeof(void *) ? sizeof(void *) : alignment, size) != 0) {
        return NULL; /* a short text may well ask for a large scene */
    }
    memory->in_use += size;
    return block;
}

static void limited_release(void *user, void *block, size_t size)
{
    struct scene_memory *memory = user;
    memory->in_use -= size;
    free(block);
}

static void require(bool condition)
{
    if (!condition) {
        abort();
    }
}

static void check_plan(const struct sim_plan *plan)
{
    require(plan->body_count > 0 && plan->material_count > 0);
    for (uint32_t i = 0; i < plan->body_count; i++) {
        const dent_sim_body_def *body = &plan->bodies[i];
        require(body->name != NULL && body->material < plan->material_count && body->host < plan->body_count);
        size_t corners = (size_t)body->element_count * (body->mesh == DENT_BODY_SOLID ? 4 : 3);
        for (size_t k = 0; k < corners; k++) {
            require(body->element_corners[k] < body->vertex_count);
        }
        for (uint32_t k = 0; k < body->fixed_count; k++) {
            require(body->fixed_vertices[k] < body->vertex_count);
        }
    }
    for (uint32_t i = 0; i < plan->attachment_count; i++) {
        require(plan->attachments[i].vertex_a < plan->bodies[plan->attachments[i].body_a].vertex_count);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct scene_memory memory = {0};
    dent_context_def def = fuzz_context_def();
    def.allocator = (dent_allocator){limited_allocate, limited_release, &memory};
    dent_context *context = dent_context_create(&def, NULL);
    require(context != NULL);
    size_t before = memory.in_use;
    struct sim_plan plan;
    plan_open(&plan, context);
    dent_status status = scene_file_plan(&plan, "a.json", NULL, (const char *)data, size);
    require(status == plan.status);
    if (status == DENT_OK) {
        check_plan(&plan);
    } else {
        char message[1024];
        require(dent_context_message(context, message, sizeof message) > 0);
        require(status != DENT_ERROR_FORMAT || strncmp(message, "a.json:", 7) == 0);
    }
    plan_close(&plan);
    require(memory.in_use == before);
    dent_context_destroy(context);
    return 0;
}
