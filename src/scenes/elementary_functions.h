/* Sine, cosine and cube root made of additions, multiplications and divisions in a fixed order, so that a scene has the
 * same bits on every machine: the C library's functions differ between libraries in the last bit. sqrt is exact
 * everywhere and is taken from there. */
#ifndef DENT_SCENES_ELEMENTARY_FUNCTIONS_H
#define DENT_SCENES_ELEMENTARY_FUNCTIONS_H

#define SCENE_PI 3.14159265358979323846

struct scene_sine_cosine {
    double sine, cosine;
};

/* Radians, |angle| at most 1e6; error below 2e-16 for angles of a few turns, growing with the angle as its own spacing
 * does. */
struct scene_sine_cosine scene_sine_cosine(double angle);
double scene_sine(double angle);
double scene_cosine(double angle);

/* Of any finite number; a few units in the last place. */
double scene_cube_root(double value);

/* 0 below `low`, 1 above `high`, a smooth cubic between. */
double scene_smooth_step(double low, double high, double value);

#endif
