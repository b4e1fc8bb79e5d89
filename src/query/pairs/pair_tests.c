/* What the tests of the discrete questions share. See pair_tests.h. */
#include "query/pairs/pair_tests.h"

bool corners_have_same_vertex(const struct body *a, const uint32_t *corners_a, uint32_t count_a, const struct body *b,
                              const uint32_t *corners_b, uint32_t count_b)
{
    for (uint32_t i = 0; i < count_a; i++) {
        uint64_t identity = body_identity(a, corners_a[i]);
        for (uint32_t j = 0; j < count_b; j++) {
            if (identity == body_identity(b, corners_b[j])) {
                return true;
            }
        }
    }
    return false;
}
