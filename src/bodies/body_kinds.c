/* The rows of the table of body kinds. See body_kinds.h. */
#include "bodies/body_kinds.h"

const dent_body_kind_info body_kind_rows[] = {
    [DENT_BODY_SOLID] = {DENT_BODY_SOLID, "solid", "cell", 3, 4, true},
    [DENT_BODY_SURFACE] = {DENT_BODY_SURFACE, "surface", "triangle", 2, 3, false},
    [DENT_BODY_STRANDS] = {DENT_BODY_STRANDS, "strands", "segment", 1, 2, false},
    [DENT_BODY_POINTS] = {DENT_BODY_POINTS, "points", "point", 0, 1, false},
};

const dent_body_kind_info *dent_body_kind_get_info(dent_body_kind kind)
{
    return (size_t)kind < sizeof body_kind_rows / sizeof body_kind_rows[0] && body_kind_rows[kind].name ? &body_kind_rows[kind] : NULL;
}
