/* dent/id.h — handles. Includes no other header of dent. Zero is null. */
#ifndef DENT_ID_H
#define DENT_ID_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Identifies one body of one world. The id of a removed body stays stale: the generation of its slot has changed. */
typedef struct dent_body_id {
    uint32_t index1;     /**< slot + 1; 0 is the null id */
    uint32_t generation; /**< of that slot */
    uint32_t world;      /**< serial of the world within its context; in another world the id is stale */
} dent_body_id;

/** Two bodies that are not tested, such as neighbouring links. */
typedef struct dent_excluded_pair {
    dent_body_id a, b;
} dent_excluded_pair;

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
