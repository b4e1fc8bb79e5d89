/* picture_canvas.h — a small software renderer: shaded triangles with a depth buffer, orthographic, written as PNG.
 *
 * Enough for the pictures of reports and docs on a machine without a display. Numbers here decide nothing.
 */
#ifndef DENT_PICTURE_CANVAS_H
#define DENT_PICTURE_CANVAS_H

#include <dent/base.h>

typedef struct picture_color {
    float red, green, blue;
} picture_color;

typedef struct picture_canvas {
    dent_context *context;
    uint32_t width, height; /* of the finished picture */
    uint32_t grain;         /* samples per pixel and axis */
    float *depth;           /* per sample, larger is nearer */
    picture_color *color;   /* per sample */
    double right[3], up[3], toward[3]; /* the view: unit vectors */
    int exponent;                      /* points are multiplied by two to this before anything else */
    double scale, center[2];           /* samples per unit of length; of the middle of the picture */
} picture_canvas;

/** A white canvas that shows the box lo..hi from the given angles (degrees; elevation 90 looks straight down z). False
 * when memory is short. Release it in any case. */
bool picture_canvas_open(picture_canvas *canvas, dent_context *context, uint32_t width, uint32_t height, double azimuth,
                         double elevation, const double lo[3], const double hi[3]);
void picture_canvas_close(picture_canvas *canvas);

/** Draws a triangle where it is nearer than what is there; lit from the viewer's side, both sides alike. */
void picture_triangle(picture_canvas *canvas, const double *a, const double *b, const double *c, picture_color color);

/** Blends a triangle over whatever is there, hidden or not: how culprits inside other bodies are shown. */
void picture_glow(picture_canvas *canvas, const double *a, const double *b, const double *c, picture_color color,
                  float share);

/** A ring of the given radius in pixels around a point, on top of everything. */
void picture_ring(picture_canvas *canvas, const double *point, double radius, picture_color color);

/** A line, `width` pixels wide, drawn a little nearer than it is, so that it shows on the surfaces it lies on; faint
 * where it is hidden. */
void picture_line(picture_canvas *canvas, const double *a, const double *b, double width, picture_color color);

/** Writes the picture; the message is the context's. UNSUPPORTED when this build has no zlib. */
dent_status picture_canvas_write(const picture_canvas *canvas, const char *path);

#endif
