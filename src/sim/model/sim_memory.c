/* Memory of a simulation: blocks that live as long as it does are kept in one list and given back together, so that a
 * failing creation has one way out. Arrays that grow with the number of contacts are apart. */
#include "sim/model/sim_model.h"

#include <string.h>

/* Stands in front of each block; 64 bytes, so that what follows keeps the alignment. */
struct sim_block_list {
    struct sim_block_list *next;
    size_t units;
};

enum { UNIT = 64 };

void *sim_allocate(struct sim_model *model, size_t count, size_t size)
{
    if (size > 0 && count > (SIZE_MAX / 2 - 2 * UNIT) / size) {
        return NULL;
    }
    size_t units = (count * size + UNIT - 1) / UNIT + 1;
    struct sim_block_list *block = dent_allocate(model->context, units, UNIT);
    if (!block) {
        return NULL;
    }
    memset(block, 0, units * UNIT);
    block->units = units;
    block->next = model->blocks;
    model->blocks = block;
    return (char *)block + UNIT;
}

void sim_release_blocks(struct sim_model *model)
{
    while (model->blocks) {
        struct sim_block_list *block = model->blocks;
        model->blocks = block->next;
        dent_release(model->context, block, block->units, UNIT);
    }
}

dent_status sim_reserve(dent_context *context, void **array, uint64_t *capacity, uint64_t needed, size_t size)
{
    if (needed <= *capacity) {
        return DENT_OK;
    }
    uint64_t larger = *capacity < 64 ? 64 : *capacity;
    while (larger < needed) {
        larger += larger / 2;
    }
    if (larger > SIZE_MAX / size) {
        return sim_no_memory(context);
    }
    void *grown = dent_reallocate(context, *array, (size_t)*capacity, (size_t)larger, size);
    if (!grown) {
        return sim_no_memory(context);
    }
    *array = grown;
    *capacity = larger;
    return DENT_OK;
}

dent_status sim_no_memory(dent_context *context)
{
    return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "no memory for the simulation");
}
