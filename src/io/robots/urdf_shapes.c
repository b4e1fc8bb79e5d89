/* Boxes, cylinders and spheres as triangles.
 *
 * Round shapes become polyhedra that contain them, so that what dent calls free is free for the round shape too. The
 * directions of the prism come from halving angles, those of the sphere from halving the edges of an icosahedron twice;
 * the radius that makes the polyhedron touch the round shape from outside is measured on the polyhedron itself. */
#include "urdf_shapes.h"

#include <math.h>

enum { PRISM_SIDES = 32, SPHERE_VERTICES = 162, SPHERE_TRIANGLES = 320, SPHERE_HALVINGS = 2 };

void link_surface_init(struct link_surface *surface, dent_context *context)
{
    array_init(&surface->positions, context, 3 * sizeof(double));
    array_init(&surface->triangles, context, 3 * sizeof(uint32_t));
}

void link_surface_release(struct link_surface *surface)
{
    array_destroy(&surface->positions);
    array_destroy(&surface->triangles);
}

uint32_t link_surface_vertices(const struct link_surface *surface)
{
    return (uint32_t)surface->positions.count;
}

static bool add_vertex(struct link_surface *surface, double x, double y, double z)
{
    const double position[3] = {x, y, z};
    return array_push(&surface->positions, position);
}

static bool add_triangle(struct link_surface *surface, uint32_t first, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t corners[3] = {first + a, first + b, first + c};
    return array_push(&surface->triangles, corners);
}

/* ---- box ------------------------------------------------------------------------------------------------------- */

static bool add_box(struct link_surface *surface, const double size[3])
{
    /* Corner i has x, y, z on the high side where bits 0, 1, 2 are set. */
    static const uint8_t quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    uint32_t first = link_surface_vertices(surface);
    bool good = true;
    for (int i = 0; i < 8; i++) {
        good = good && add_vertex(surface, i & 1 ? size[0] / 2 : -size[0] / 2, i & 2 ? size[1] / 2 : -size[1] / 2,
                                  i & 4 ? size[2] / 2 : -size[2] / 2);
    }
    for (int q = 0; q < 6; q++) {
        const uint8_t *c = quads[q];
        good = good && add_triangle(surface, first, c[0], c[1], c[2]) && add_triangle(surface, first, c[0], c[2], c[3]);
    }
    return good;
}

/* ---- cylinder -------------------------------------------------------------------------------------------------- */

/* Unit vectors at PRISM_SIDES equal angles: those of a square, then the middles between neighbours, and so on. */
static void circle_directions(double directions[PRISM_SIDES][2])
{
    static const double square[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    for (int i = 0; i < 4; i++) {
        directions[i * PRISM_SIDES / 4][0] = square[i][0];
        directions[i * PRISM_SIDES / 4][1] = square[i][1];
    }
    for (int step = PRISM_SIDES / 4; step > 1; step /= 2) {
        for (int i = 0; i < PRISM_SIDES; i += step) {
            const double *a = directions[i], *b = directions[(i + step) % PRISM_SIDES];
            double x = a[0] + b[0], y = a[1] + b[1];
            double length = sqrt(x * x + y * y);
            directions[i + step / 2][0] = x / length;
            directions[i + step / 2][1] = y / length;
        }
    }
}

static bool add_cylinder(struct link_surface *surface, double radius, double length)
{
    double directions[PRISM_SIDES][2];
    circle_directions(directions);
    /* Half the sum of two neighbours is the middle of a side, this far from the axis. */
    double x = (directions[0][0] + directions[1][0]) / 2, y = (directions[0][1] + directions[1][1]) / 2;
    double outer = radius / sqrt(x * x + y * y) * (1 + 1e-14);
    uint32_t first = link_surface_vertices(surface);
    bool good = true;
    for (int i = 0; i < 2 * PRISM_SIDES; i++) {
        const double *direction = directions[i % PRISM_SIDES];
        good = good && add_vertex(surface, outer * direction[0], outer * direction[1],
                                  i < PRISM_SIDES ? -length / 2 : length / 2);
    }
    for (uint32_t i = 0; i < PRISM_SIDES && good; i++) {
        uint32_t next = (i + 1) % PRISM_SIDES;
        good = add_triangle(surface, first, i, next, PRISM_SIDES + next) &&
               add_triangle(surface, first, i, PRISM_SIDES + next, PRISM_SIDES + i);
    }
    for (uint32_t i = 1; i + 1 < PRISM_SIDES && good; i++) {
        good = add_triangle(surface, first, 0, i + 1, i) &&
               add_triangle(surface, first, PRISM_SIDES, PRISM_SIDES + i, PRISM_SIDES + i + 1);
    }
    return good;
}

/* ---- sphere ---------------------------------------------------------------------------------------------------- */

struct ball {
    double vertices[SPHERE_VERTICES][3];
    uint32_t vertex_count;
    uint32_t triangles[SPHERE_TRIANGLES][3];
    uint32_t triangle_count;
};

static uint32_t ball_vertex(struct ball *ball, double x, double y, double z)
{
    double length = sqrt((x * x + y * y) + z * z);
    double *vertex = ball->vertices[ball->vertex_count];
    vertex[0] = x / length;
    vertex[1] = y / length;
    vertex[2] = z / length;
    return ball->vertex_count++;
}

static void make_icosahedron(struct ball *ball)
{
    static const uint8_t corners[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                           {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                           {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                           {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    const double g = (1 + sqrt(5.0)) / 2;
    const double points[12][3] = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                                  {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
    ball->vertex_count = 0;
    for (int i = 0; i < 12; i++) {
        ball_vertex(ball, points[i][0], points[i][1], points[i][2]);
    }
    for (int t = 0; t < 20; t++) {
        for (int c = 0; c < 3; c++) {
            ball->triangles[t][c] = corners[t][c];
        }
    }
    ball->triangle_count = 20;
}

/* The vertex in the middle of an edge: each edge is met twice, the first time from its smaller corner's triangle. */
static uint32_t middle_of(struct ball *ball, uint32_t old_count, uint32_t middles[][2], uint32_t a, uint32_t b)
{
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    for (uint32_t v = old_count; v < ball->vertex_count; v++) {
        if (middles[v][0] == low && middles[v][1] == high) {
            return v;
        }
    }
    const double *p = ball->vertices[low], *q = ball->vertices[high];
    uint32_t made = ball_vertex(ball, p[0] + q[0], p[1] + q[1], p[2] + q[2]);
    middles[made][0] = low;
    middles[made][1] = high;
    return made;
}

/* Every triangle becomes four, in place from the last to the first. */
static void halve_edges(struct ball *ball)
{
    uint32_t middles[SPHERE_VERTICES][2] = {{0}};
    uint32_t old_vertices = ball->vertex_count, old_triangles = ball->triangle_count;
    for (uint32_t t = old_triangles; t-- > 0;) {
        uint32_t c[3], m[3];
        for (int i = 0; i < 3; i++) {
            c[i] = ball->triangles[t][i];
        }
        for (int i = 0; i < 3; i++) {
            m[i] = middle_of(ball, old_vertices, middles, c[i], c[(i + 1) % 3]);
        }
        const uint32_t parts[4][3] = {{m[0], m[1], m[2]}, {c[0], m[0], m[2]}, {c[1], m[1], m[0]}, {c[2], m[2], m[1]}};
        for (int k = 0; k < 4; k++) {
            for (int i = 0; i < 3; i++) {
                ball->triangles[4 * t + (uint32_t)k][i] = parts[k][i];
            }
        }
    }
    ball->triangle_count = 4 * old_triangles;
}

/* The smallest distance of a face's plane from the centre. */
static double inner_radius(const struct ball *ball)
{
    double least = 1;
    for (uint32_t t = 0; t < ball->triangle_count; t++) {
        const double *a = ball->vertices[ball->triangles[t][0]], *b = ball->vertices[ball->triangles[t][1]];
        const double *c = ball->vertices[ball->triangles[t][2]];
        double u[3], v[3];
        for (int i = 0; i < 3; i++) {
            u[i] = b[i] - a[i];
            v[i] = c[i] - a[i];
        }
        const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
        double length = sqrt((n[0] * n[0] + n[1] * n[1]) + n[2] * n[2]);
        double distance = ((n[0] * a[0] + n[1] * a[1]) + n[2] * a[2]) / length;
        least = distance < least ? distance : least;
    }
    return least;
}

static bool add_sphere(struct link_surface *surface, double radius)
{
    struct ball ball;
    make_icosahedron(&ball);
    for (int i = 0; i < SPHERE_HALVINGS; i++) {
        halve_edges(&ball);
    }
    double outer = radius / inner_radius(&ball) * (1 + 1e-14);
    uint32_t first = link_surface_vertices(surface);
    bool good = true;
    for (uint32_t v = 0; v < ball.vertex_count && good; v++) {
        const double *vertex = ball.vertices[v];
        good = add_vertex(surface, outer * vertex[0], outer * vertex[1], outer * vertex[2]);
    }
    for (uint32_t t = 0; t < ball.triangle_count && good; t++) {
        const uint32_t *c = ball.triangles[t];
        good = add_triangle(surface, first, c[0], c[1], c[2]);
    }
    return good;
}

bool link_surface_add_shape(struct link_surface *surface, enum urdf_shape shape, const double size[3])
{
    switch (shape) {
    case URDF_SHAPE_BOX:
        return add_box(surface, size);
    case URDF_SHAPE_CYLINDER:
        return add_cylinder(surface, size[0], size[1]);
    case URDF_SHAPE_SPHERE:
        return add_sphere(surface, size[0]);
    case URDF_SHAPE_MESH:
    case URDF_SHAPE_NONE:
        break;
    }
    return true;
}
