/* Sizes of elements by powers of two. See element_sizes.h. */
#include "structures/grid/element_sizes.h"

#include <math.h>

enum { SIZE_SAMPLES = 64, EXPONENTS = ELEMENT_SIZE_EXPONENTS, EXPONENT_ZERO = 1100 };

static int size_exponent(const double (*xyz)[3], const uint32_t *corners, int count)
{
    double half = 0;
    int exponent = -EXPONENT_ZERO;
    for (int axis = 0; axis < 3; axis++) {
        for (int k = 1; k < count; k++) {
            double apart = fabs(xyz[corners[k]][axis] / 2 - xyz[corners[0]][axis] / 2);
            half = apart > half ? apart : half;
        }
    }
    if (half > 0) {
        frexp(half, &exponent);
    }
    return exponent;
}

double typical_element_size(const struct snapshot *snapshot, uint32_t histogram[ELEMENT_SIZE_EXPONENTS])
{
    uint64_t all = 0, below = 0;
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        const struct body *body = snapshot->bodies[body_index].body;
        bool cells = body_has_cells(body);
        uint32_t count = cells ? body->tetrahedron_count : body->surface_face_count, step = count / SIZE_SAMPLES + 1;
        for (uint64_t i = 0; i < count; i += step, all++) {
            const uint32_t *corners = cells ? body->tetrahedra[i] : body->surface_faces[i].corners;
            histogram[size_exponent(snapshot->bodies[body_index].xyz, corners, cells ? 4 : 3) + EXPONENT_ZERO]++;
        }
    }
    for (int i = 0; i < EXPONENTS && all; i++) {
        below += histogram[i];
        if (4 * below >= all) {
            return ldexp(1.0, i - EXPONENT_ZERO);
        }
    }
    return 0;
}
