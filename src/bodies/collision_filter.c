/* Which bodies are asked about: two different ones by group and mask, both ways; one with itself by its own flag. */
#include "bodies/body_table.h"

bool bodies_may_meet(const struct body *a, const struct body *b)
{
    if (a == b) {
        return a->self_collision;
    }
    return (a->collision_group & b->collision_mask) != 0 && (b->collision_group & a->collision_mask) != 0;
}
