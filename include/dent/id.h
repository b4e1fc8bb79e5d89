/* dent/id.h — handles. Stands alone. Zero is null. */
#ifndef DENT_ID_H
#define DENT_ID_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Names one body of one world. A removed body's id stays stale for ever: the generation of its slot has moved on. */
typedef struct dent_body_id {
    uint32_t index1;     /**< slot + 1; 0 is the null id */
    uint32_t generation; /**< of that slot */
    uint32_t world;      /**< serial of the world among those of its context: an id of another one is stale here */
} dent_body_id;

static inline bool dent_body_id_equal(dent_body_id a, dent_body_id b)
{
    return a.index1 == b.index1 && a.generation == b.generation && a.world == b.world;
}

static inline bool dent_body_id_is_null(dent_body_id id)
{
    return id.index1 == 0;
}

#ifdef __cplusplus
}
#endif

#endif
