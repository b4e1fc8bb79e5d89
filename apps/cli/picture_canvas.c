/* picture_canvas.c — rasterises triangles into a supersampled depth buffer and writes PNG. See picture_canvas.h. */
#include "picture_canvas.h"

#include "tool_vectors.h"

#include <dent/file_output.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#if defined(DENT_HAVE_ZLIB)
#include <zlib.h>
#endif

enum { GRAIN = 3 };

static size_t sample_count(const picture_canvas *canvas)
{
    return (size_t)canvas->width * canvas->height * canvas->grain * canvas->grain;
}

static void set_view(picture_canvas *canvas, double azimuth, double elevation)
{
    const double degree = 3.14159265358979323846 / 180;
    double ca = cos(azimuth * degree), sa = sin(azimuth * degree), ce = cos(elevation * degree),
           se = sin(elevation * degree);
    const double toward[3] = {ca * ce, sa * ce, se}, right[3] = {-sa, ca, 0}, up[3] = {-ca * se, -sa * se, ce};
    memcpy(canvas->toward, toward, sizeof toward);
    memcpy(canvas->right, right, sizeof right);
    memcpy(canvas->up, up, sizeof up);
}

typedef struct local_point {
    double at[3];
} local_point;

/* A point of the model times a power of two, so that a model of any size, 1e-310 or 1e308, is drawn with numbers
 * near 1. */
static local_point localize(const picture_canvas *canvas, const double *point)
{
    local_point local;
    for (int axis = 0; axis < 3; axis++) {
        local.at[axis] = ldexp(point[axis], canvas->exponent);
    }
    return local;
}

static int exponent_of_box(const double lo[3], const double hi[3])
{
    double largest = 0;
    int exponent = 0;
    for (int axis = 0; axis < 3; axis++) {
        largest = fmax(largest, fmax(fabs(lo[axis]), fabs(hi[axis])));
    }
    if (largest > 0 && isfinite(largest)) {
        frexp(largest, &exponent);
    }
    return -exponent;
}

/* Scale and centre so that the corners of the box fill the picture but for a margin. */
static void fit(picture_canvas *canvas, const double lo[3], const double hi[3])
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    canvas->exponent = exponent_of_box(lo, hi);
    for (int corner = 0; corner < 8; corner++) {
        const double point[3] = {corner & 1 ? hi[0] : lo[0], corner & 2 ? hi[1] : lo[1], corner & 4 ? hi[2] : lo[2]};
        const local_point local = localize(canvas, point);
        const double *p = local.at;
        const double at[2] = {tool_dot(p, canvas->right), tool_dot(p, canvas->up)};
        for (int axis = 0; axis < 2; axis++) {
            low[axis] = fmin(low[axis], at[axis]);
            high[axis] = fmax(high[axis], at[axis]);
        }
    }
    double across = fmax(high[0] - low[0], 1e-300), tall = fmax(high[1] - low[1], 1e-300);
    canvas->scale = 0.94 * canvas->grain * fmin(canvas->width / across, canvas->height / tall);
    canvas->center[0] = 0.5 * low[0] + 0.5 * high[0];
    canvas->center[1] = 0.5 * low[1] + 0.5 * high[1];
}

bool picture_canvas_open(picture_canvas *canvas, dent_context *context, uint32_t width, uint32_t height, double azimuth,
                         double elevation, const double lo[3], const double hi[3])
{
    memset(canvas, 0, sizeof *canvas);
    canvas->context = context;
    canvas->width = width;
    canvas->height = height;
    canvas->grain = GRAIN;
    canvas->depth = dent_allocate(context, sample_count(canvas), sizeof *canvas->depth);
    canvas->color = dent_allocate(context, sample_count(canvas), sizeof *canvas->color);
    if (canvas->depth == NULL || canvas->color == NULL) {
        return false;
    }
    for (size_t i = 0; i < sample_count(canvas); i++) {
        canvas->depth[i] = -INFINITY;
        canvas->color[i] = (picture_color){1, 1, 1};
    }
    set_view(canvas, azimuth, elevation);
    fit(canvas, lo, hi);
    return true;
}

void picture_canvas_close(picture_canvas *canvas)
{
    dent_release(canvas->context, canvas->depth, sample_count(canvas), sizeof *canvas->depth);
    dent_release(canvas->context, canvas->color, sample_count(canvas), sizeof *canvas->color);
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

typedef struct projected {
    double x, y, z;
} projected;

static projected project(const picture_canvas *canvas, const local_point *point)
{
    const double *p = point->at;
    return (projected){
        .x = (tool_dot(p, canvas->right) - canvas->center[0]) * canvas->scale + 0.5 * canvas->width * canvas->grain,
        .y = 0.5 * canvas->height * canvas->grain - (tool_dot(p, canvas->up) - canvas->center[1]) * canvas->scale,
        .z = tool_dot(p, canvas->toward) * canvas->scale,
    };
}

static float brightness(const picture_canvas *canvas, const double *a, const double *b, const double *c)
{
    double u[3], v[3];
    for (int axis = 0; axis < 3; axis++) {
        u[axis] = b[axis] - a[axis];
        v[axis] = c[axis] - a[axis];
    }
    double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    double length = sqrt(tool_dot(n, n));
    if (!(length > 0)) {
        return 1;
    }
    /* A lamp over the viewer's left shoulder. */
    double side = tool_dot(n, canvas->right) / length, top = tool_dot(n, canvas->up) / length,
           front = tool_dot(n, canvas->toward) / length;
    double sign = front < 0 ? -1 : 1;
    double light = 0.8 * front * sign + 0.45 * top * sign - 0.35 * side * sign;
    return (float)(0.35 + 0.62 * fmax(0, light));
}

static picture_color shade(picture_color color, float light)
{
    float rest = light > 1 ? light - 1 : 0;
    float factor = light > 1 ? 1 : light;
    return (picture_color){color.red * factor + (1 - color.red) * rest, color.green * factor + (1 - color.green) * rest,
                           color.blue * factor + (1 - color.blue) * rest};
}

static int clamp_to(double value, int lo, int hi)
{
    return !(value > lo) ? lo : value > hi ? hi : (int)value; /* not a number: lo */
}

/* Calls for every sample in the triangle; share < 0 draws with depth test, otherwise blends. */
static void fill(picture_canvas *canvas, const projected p[3], picture_color color, float share)
{
    int width = (int)(canvas->width * canvas->grain), height = (int)(canvas->height * canvas->grain);
    double area = (p[1].x - p[0].x) * (p[2].y - p[0].y) - (p[2].x - p[0].x) * (p[1].y - p[0].y);
    if (!(fabs(area) > 1e-12)) {
        return;
    }
    int x0 = clamp_to(floor(fmin(fmin(p[0].x, p[1].x), p[2].x)), 0, width - 1);
    int x1 = clamp_to(ceil(fmax(fmax(p[0].x, p[1].x), p[2].x)), 0, width - 1);
    int y0 = clamp_to(floor(fmin(fmin(p[0].y, p[1].y), p[2].y)), 0, height - 1);
    int y1 = clamp_to(ceil(fmax(fmax(p[0].y, p[1].y), p[2].y)), 0, height - 1);
    for (int y = y0; y <= y1; y++) {
        for (int x = x0; x <= x1; x++) {
            double px = x + 0.5, py = y + 0.5;
            double w1 = ((px - p[0].x) * (p[2].y - p[0].y) - (p[2].x - p[0].x) * (py - p[0].y)) / area;
            double w2 = ((p[1].x - p[0].x) * (py - p[0].y) - (px - p[0].x) * (p[1].y - p[0].y)) / area;
            if (w1 < 0 || w2 < 0 || w1 + w2 > 1) {
                continue;
            }
            size_t at = (size_t)y * (size_t)width + (size_t)x;
            float z = (float)(p[0].z + w1 * (p[1].z - p[0].z) + w2 * (p[2].z - p[0].z));
            picture_color *sample = &canvas->color[at];
            if (share >= 0) {
                sample->red += share * (color.red - sample->red);
                sample->green += share * (color.green - sample->green);
                sample->blue += share * (color.blue - sample->blue);
            } else if (z > canvas->depth[at]) {
                canvas->depth[at] = z;
                *sample = color;
            }
        }
    }
}

void picture_triangle(picture_canvas *canvas, const double *a, const double *b, const double *c, picture_color color)
{
    const local_point corners[3] = {localize(canvas, a), localize(canvas, b), localize(canvas, c)};
    const projected p[3] = {project(canvas, &corners[0]), project(canvas, &corners[1]), project(canvas, &corners[2])};
    fill(canvas, p, shade(color, brightness(canvas, corners[0].at, corners[1].at, corners[2].at)), -1);
}

void picture_glow(picture_canvas *canvas, const double *a, const double *b, const double *c, picture_color color,
                  float share)
{
    const local_point corners[3] = {localize(canvas, a), localize(canvas, b), localize(canvas, c)};
    const projected p[3] = {project(canvas, &corners[0]), project(canvas, &corners[1]), project(canvas, &corners[2])};
    fill(canvas, p, color, share);
}

void picture_ring(picture_canvas *canvas, const double *point, double radius, picture_color color)
{
    const local_point local = localize(canvas, point);
    projected p = project(canvas, &local);
    int width = (int)(canvas->width * canvas->grain), height = (int)(canvas->height * canvas->grain);
    double outer = radius * canvas->grain, inner = outer - 1.6 * canvas->grain;
    int x0 = clamp_to(p.x - outer, 0, width - 1), x1 = clamp_to(p.x + outer, 0, width - 1);
    int y0 = clamp_to(p.y - outer, 0, height - 1), y1 = clamp_to(p.y + outer, 0, height - 1);
    for (int y = y0; y <= y1; y++) {
        for (int x = x0; x <= x1; x++) {
            double distance = hypot(x + 0.5 - p.x, y + 0.5 - p.y);
            if (distance >= inner && distance <= outer) {
                canvas->color[(size_t)y * (size_t)width + (size_t)x] = color;
            }
        }
    }
}

void picture_line(picture_canvas *canvas, const double *a, const double *b, double width, picture_color color)
{
    const local_point ends[2] = {localize(canvas, a), localize(canvas, b)};
    projected p = project(canvas, &ends[0]), q = project(canvas, &ends[1]);
    double half = 0.5 * width * canvas->grain, length = hypot(q.x - p.x, q.y - p.y), nearer = 1.5 * half;
    double along[2] = {length > 0 ? (q.x - p.x) / length * half : half, length > 0 ? (q.y - p.y) / length * half : 0};
    /* A rectangle that reaches half its width over both ends: joints have no gaps. */
    const projected corners[4] = {
        {p.x - along[0] - along[1], p.y - along[1] + along[0], p.z + nearer},
        {p.x - along[0] + along[1], p.y - along[1] - along[0], p.z + nearer},
        {q.x + along[0] + along[1], q.y + along[1] - along[0], q.z + nearer},
        {q.x + along[0] - along[1], q.y + along[1] + along[0], q.z + nearer},
    };
    const projected first[3] = {corners[0], corners[1], corners[2]}, second[3] = {corners[0], corners[2], corners[3]};
    fill(canvas, first, color, 0.3f);
    fill(canvas, second, color, 0.3f);
    fill(canvas, first, color, -1);
    fill(canvas, second, color, -1);
}

/* ---- PNG --------------------------------------------------------------------------------------------------------- */

#if defined(DENT_HAVE_ZLIB)

static uint8_t to_byte(float value)
{
    return (uint8_t)(value <= 0 ? 0 : value >= 1 ? 255 : value * 255 + 0.5f);
}

/* One row of the picture: a filter byte (none) and three bytes a pixel. */
static void average_row(const picture_canvas *canvas, uint32_t row, uint8_t *bytes)
{
    uint32_t grain = canvas->grain, samples = canvas->width * grain;
    *bytes++ = 0;
    for (uint32_t x = 0; x < canvas->width; x++) {
        picture_color sum = {0, 0, 0};
        for (uint32_t i = 0; i < grain * grain; i++) {
            const picture_color *sample =
                &canvas->color[(size_t)(row * grain + i / grain) * samples + x * grain + i % grain];
            sum.red += sample->red;
            sum.green += sample->green;
            sum.blue += sample->blue;
        }
        float part = 1.0f / (float)(grain * grain);
        *bytes++ = to_byte(sum.red * part);
        *bytes++ = to_byte(sum.green * part);
        *bytes++ = to_byte(sum.blue * part);
    }
}

static void put_u32(uint8_t *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(value >> (24 - 8 * i));
    }
}

static void put_chunk(dent_file_writer *file, const char *kind, const uint8_t *data, size_t size)
{
    uint8_t head[8], tail[4];
    put_u32(head, (uint32_t)size);
    memcpy(head + 4, kind, 4);
    uLong sum = crc32(crc32(0, head + 4, 4), data, (uInt)size);
    put_u32(tail, (uint32_t)(size > 0 ? sum : crc32(0, head + 4, 4)));
    dent_file_writer_put(file, head, sizeof head);
    dent_file_writer_put(file, data, size);
    dent_file_writer_put(file, tail, sizeof tail);
}

static dent_status write_packed(const picture_canvas *canvas, const char *path, const uint8_t *packed, size_t size)
{
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    uint8_t header[13] = {0};
    put_u32(header, canvas->width);
    put_u32(header + 4, canvas->height);
    header[8] = 8; /* bits */
    header[9] = 2; /* red, green, blue */
    dent_file_writer *file;
    dent_status status = dent_file_writer_open(canvas->context, path, &file);
    if (status != DENT_OK) {
        return status;
    }
    dent_file_writer_put(file, signature, sizeof signature);
    put_chunk(file, "IHDR", header, sizeof header);
    put_chunk(file, "IDAT", packed, size);
    put_chunk(file, "IEND", header, 0);
    return dent_file_writer_commit(file);
}

dent_status picture_canvas_write(const picture_canvas *canvas, const char *path)
{
    size_t row = 1 + 3 * (size_t)canvas->width, raw_size = row * canvas->height;
    uLongf packed_size = compressBound((uLong)raw_size);
    size_t room = packed_size;
    uint8_t *raw = dent_allocate(canvas->context, raw_size, 1), *packed = dent_allocate(canvas->context, room, 1);
    dent_status status = DENT_ERROR_OUT_OF_MEMORY;
    if (raw != NULL && packed != NULL) {
        for (uint32_t y = 0; y < canvas->height; y++) {
            average_row(canvas, y, raw + y * row);
        }
        status = compress2(packed, &packed_size, raw, (uLong)raw_size, 9) == Z_OK
                     ? write_packed(canvas, path, packed, packed_size)
                     : DENT_ERROR_OUT_OF_MEMORY;
    }
    dent_release(canvas->context, raw, raw_size, 1);
    dent_release(canvas->context, packed, room, 1);
    return status == DENT_ERROR_OUT_OF_MEMORY
               ? dent_fail(canvas->context, status, "%s: out of memory for the picture", path)
               : status;
}

#else

dent_status picture_canvas_write(const picture_canvas *canvas, const char *path)
{
    return dent_fail(canvas->context, DENT_ERROR_UNSUPPORTED, "%s: this build has no zlib, which PNG needs", path);
}

#endif
