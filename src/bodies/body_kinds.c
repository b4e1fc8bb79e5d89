/* The rows of the table of body kinds. See body_kinds.h. */
#include "bodies/body_kinds.h"

const dent_body_kind_info *dent_body_kind_get_info(dent_body_kind kind)
{
    static const dent_body_kind_info rows[] = {
        {DENT_BODY_SOLID, "solid", "cell", 3, 4, true},
        {DENT_BODY_SURFACE, "surface", "triangle", 2, 3, false},
    };
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        if (rows[row].kind == kind) {
            return &rows[row];
        }
    }
    return NULL;
}
