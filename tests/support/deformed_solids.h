/* Deformations of all sorts, gentle to absurd, and blocks with cubes taken out: what certificates are tried on. */
#ifndef DENT_TESTS_SUPPORT_DEFORMED_SOLIDS_H
#define DENT_TESTS_SUPPORT_DEFORMED_SOLIDS_H

#include <math.h>

#include "support/random_scene.h"

enum deformation { AFFINE, WAVE, TWIST, BEND, JITTER, SPIKE, FOLD, SHEAR_AND_WAVE, DEFORMATION_COUNT };

static inline void deform(const double (*reference)[3], uint32_t count, enum deformation kind, double amplitude,
                          uint64_t seed, double (*out)[3])
{
    dent_random random = dent_random_seeded(seed);
    double direction[9], phase = test_between(&random, 0, 6.28), length = test_between(&random, 2, 8);
    uint32_t spike = dent_random_below(&random, count);
    for (int i = 0; i < 9; i++) {
        direction[i] = test_between(&random, -1, 1);
    }
    for (uint32_t v = 0; v < count; v++) {
        const double *p = reference[v];
        double *x = out[v];
        memcpy(x, p, sizeof out[v]);
        double angle = amplitude * 0.3 * p[0], wave = sin(6.28 * p[0] / length + phase);
        switch (kind) {
        case AFFINE:
            for (int i = 0; i < 9; i++) {
                x[i / 3] += amplitude * direction[i] * p[i % 3];
            }
            break;
        case WAVE:
            x[1] += amplitude * wave;
            x[2] += amplitude * direction[0] * cos(6.28 * p[1] / length + phase);
            break;
        case TWIST:
            x[1] = cos(angle) * p[1] - sin(angle) * p[2];
            x[2] = sin(angle) * p[1] + cos(angle) * p[2];
            break;
        case BEND: {
            double radius = 1 / (0.3 * amplitude + 1e-3);
            x[0] = (radius - p[1]) * sin(p[0] / radius);
            x[1] = radius - (radius - p[1]) * cos(p[0] / radius);
            break;
        }
        case JITTER:
            for (int axis = 0; axis < 3; axis++) {
                x[axis] += amplitude * test_between(&random, -1, 1);
            }
            break;
        case SPIKE:
            for (int axis = 0; axis < 3 && v == spike; axis++) {
                x[axis] += 3 * amplitude * direction[axis];
            }
            break;
        case FOLD:
            x[0] = p[0] - amplitude * 1.2 * fmax(0, p[0] - length);
            break;
        default:
            x[0] += amplitude * direction[1] * p[2];
            x[2] += 0.5 * amplitude * wave;
            break;
        }
    }
}

/* Keeps the cubes of a block that `keep` wants; vertices stay, some unused. */
static inline void remove_cubes(struct test_body *body, bool (*keep)(const double middle[3]))
{
    uint32_t kept = 0;
    for (uint32_t cell = 0; cell < body->element_count; cell++) {
        double middle[3] = {0, 0, 0};
        for (int i = 0; i < 12; i++) {
            middle[i % 3] += 0.25 * body->xyz[body->corners[4 * cell + (uint32_t)i / 3]][i % 3];
        }
        if (keep(middle)) {
            memmove(&body->corners[4 * kept++], &body->corners[4 * cell], 4 * sizeof *body->corners);
        }
    }
    body->element_count = kept;
}

static inline bool u_shape(const double middle[3])
{
    return middle[0] < 4 || middle[1] < 4 || middle[1] > 6;
}

static inline bool with_hollow(const double middle[3])
{
    return middle[0] < 3 || middle[0] > 5 || middle[1] < 3 || middle[1] > 5 || middle[2] < 2 || middle[2] > 3;
}

static inline bool with_slit(const double middle[3])
{
    return middle[2] < 2 || middle[2] > 3 || middle[0] < 2;
}

#endif
