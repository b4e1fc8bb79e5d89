/* The rows of the table of body kinds. See body_kinds.h. */
#include "bodies/body_kinds.h"

const dent_body_kind_info body_kind_rows[BODY_KIND_ROWS] = {
    [DENT_BODY_SOLID] = {DENT_BODY_SOLID, "solid", "cell", 3, 4, true},
    [DENT_BODY_SURFACE] = {DENT_BODY_SURFACE, "surface", "triangle", 2, 3, false},
};

const dent_body_kind_info *dent_body_kind_get_info(dent_body_kind kind)
{
    return (unsigned)kind < BODY_KIND_ROWS && body_kind_rows[kind].name ? &body_kind_rows[kind] : NULL;
}
