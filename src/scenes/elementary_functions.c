/* Elementary functions with the same bits everywhere. Sine and cosine are the library's. Cube root: powers of eight are
 * taken out, then Newton steps from a linear guess. */
#include "elementary_functions.h"

#include <dent/base.h>

struct scene_sine_cosine scene_sine_cosine(double angle)
{
    struct scene_sine_cosine both;
    dent_sine_cosine(angle, &both.sine, &both.cosine);
    return both;
}

double scene_sine(double angle)
{
    return scene_sine_cosine(angle).sine;
}

double scene_cosine(double angle)
{
    return scene_sine_cosine(angle).cosine;
}

double scene_cube_root(double value)
{
    if (value == 0) {
        return value;
    }
    double rest = value < 0 ? -value : value;
    double power = 1;
    while (rest >= 8) {
        rest *= 0.125;
        power *= 2;
    }
    while (rest < 1) {
        rest *= 8;
        power *= 0.5;
    }
    double root = 0.85 + 0.15 * rest;
    for (int step = 0; step < 6; step++) {
        root = (2 * root + rest / (root * root)) / 3;
    }
    root *= power;
    return value < 0 ? -root : root;
}

double scene_smooth_step(double low, double high, double value)
{
    double t = (value - low) / (high - low);
    if (t <= 0) {
        return 0;
    }
    if (t >= 1) {
        return 1;
    }
    return t * t * (3 - 2 * t);
}
