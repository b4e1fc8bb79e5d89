/* Random surfaces of the kinds that fool curvature tests, contour tests, trees and filters. A surface is a function of
 * (kind, seed, size); size is about the number of faces. Most are strips of quads bent in some way: the way the quads
 * are cut, the jitter, the orientation in space and the order of the faces vary with the seed.
 *
 *     struct test_body body = random_surface_make(SURFACE_SPIRAL_RAMP, seed, 200);
 *     ...
 *     random_surface_free(&body);
 */
#ifndef DENT_TESTS_RANDOM_SURFACE_H
#define DENT_TESTS_RANDOM_SURFACE_H

#include "support/random_scene.h"

enum random_surface_kind {
    SURFACE_FLAT,           /* exactly coplanar, on a lattice, not folded: no answers */
    SURFACE_GENTLE,         /* gently curved */
    SURFACE_CRUMPLED,       /* noise strong enough to cross itself */
    SURFACE_NOISE,          /* every vertex anywhere */
    SURFACE_FOLDED,         /* folded over itself, crossing at an angle */
    SURFACE_COPLANAR_FOLD,  /* folded exactly onto itself in one plane */
    SURFACE_ROLLED,         /* a ribbon rolled up, layers crossing */
    SURFACE_CONE_RIBBON,    /* a thin ribbon bent into a cone and over its own end: all normals in a half space */
    SURFACE_SPIRAL_RAMP,    /* 1.1 turns of a ramp whose ends cross: all normals in a half space */
    SURFACE_DOUBLE_STAR,    /* a fan that winds twice about its middle vertex */
    SURFACE_OVERWOUND_RING, /* a closed ring, with a hole, that winds twice */
    SURFACE_TOUCHING_RING,  /* a ring whose ends meet in equal positions but different vertices */
    SURFACE_MOEBIUS,
    SURFACE_FLIPPED,        /* crumpled, some faces turned around */
    SURFACE_CUTS_AND_HOLES, /* faces taken out, slits whose sides cross */
    SURFACE_T_JUNCTIONS,    /* vertices on the middle of unsplit edges */
    SURFACE_NONMANIFOLD,    /* fins on the edges of a sheet */
    SURFACE_DUPLICATES,     /* faces given twice, also turned around, and once more with vertices of their own */
    SURFACE_LATTICE,        /* crumpled, positions rounded to a coarse lattice: touching, coplanar, zero area */
    SURFACE_CLOSED,         /* a closed surface, dented until it may cross itself */
    SURFACE_CLOSED_SMALL,   /* many small closed bodies in one */
    SURFACE_SOUP,           /* random triangles, no common vertices */
    SURFACE_KNOTTED_SOUP,   /* random triangles of few vertices: everything non-manifold */
    SURFACE_ZERO_AREA,      /* all vertices on a line, or at one point */
    SURFACE_HUGE,           /* 1e150 */
    SURFACE_TINY,           /* 1e-150 */
    SURFACE_FAR_AWAY,       /* small things far from the origin: coordinates lose their last bits */
    SURFACE_PINCHED,        /* sheets that meet in single vertices */
    SURFACE_HUB,            /* one vertex in all faces */
    SURFACE_HAIRLINE,       /* a flat sheet slit open, the sides of the slit across each other by next to nothing */
    SURFACE_KIND_COUNT
};

static inline const char *random_surface_name(int kind)
{
    static const char *const names[SURFACE_KIND_COUNT] = {
        "flat",           "gentle",        "crumpled",     "noise",       "folded",
        "coplanar fold",  "rolled",        "cone ribbon",  "spiral ramp", "double star",
        "overwound ring", "touching ring", "moebius",      "flipped",     "cuts and holes",
        "t-junctions",    "non-manifold",  "duplicates",   "lattice",     "closed",
        "closed small",   "soup",          "knotted soup", "zero area",   "huge",
        "tiny",           "far away",      "pinched",      "hub",         "hairline"};
    return names[kind];
}

static inline void random_surface_free(struct test_body *body)
{
    free(body->xyz);
    free(body->corners);
    *body = (struct test_body){.kind = DENT_BODY_SURFACE};
}

/* Room for some vertices and faces; the counts grow as they are put in. */
static inline struct test_body surface_new(uint32_t vertices, uint32_t faces)
{
    struct test_body body = {.kind = DENT_BODY_SURFACE};
    body.xyz = test_allocate(vertices, sizeof *body.xyz);
    body.corners = test_allocate(3 * (size_t)faces, sizeof *body.corners);
    return body;
}

static inline uint32_t surface_put_vertex(struct test_body *body, double x, double y, double z)
{
    double *p = body->xyz[body->vertex_count];
    p[0] = x;
    p[1] = y;
    p[2] = z;
    return body->vertex_count++;
}

/* Random numbers are drawn one statement at a time: the order of arguments is the compiler's choice. */
static inline void surface_random_vector(dent_random *random, double lo, double hi, double v[3])
{
    for (int axis = 0; axis < 3; axis++) {
        v[axis] = test_between(random, lo, hi);
    }
}

static inline void surface_put_face(struct test_body *body, uint32_t a, uint32_t b, uint32_t c)
{
    if (a == b || b == c || c == a) {
        return;
    }
    uint32_t *corners = body->corners + 3 * (size_t)body->element_count++;
    corners[0] = a;
    corners[1] = b;
    corners[2] = c;
}

/* How quads are cut: 0 all alike, 1 alternating, 2 at random. */
static inline void surface_put_quad(struct test_body *body, dent_random *random, int cut, uint32_t place, uint32_t a,
                                    uint32_t b, uint32_t c, uint32_t d)
{
    bool other = cut == 0 ? false : cut == 1 ? place % 2 : dent_random_below(random, 2) != 0;
    if (other) {
        surface_put_face(body, a, b, d);
        surface_put_face(body, b, c, d);
    } else {
        surface_put_face(body, a, b, c);
        surface_put_face(body, a, c, d);
    }
}

/* nu x nv quads with vertices at (i, j, 0). wrap: the last column is the first one. Room for `spare` more faces and
 * vertices. */
static inline struct test_body surface_strip(dent_random *random, uint32_t nu, uint32_t nv, bool wrap, uint32_t spare)
{
    struct test_body body = surface_new((nu + 1) * (nv + 1) + spare, 2 * nu * nv + spare);
    int cut = (int)dent_random_below(random, 3);
    uint32_t columns = wrap ? nu : nu + 1;
    for (uint32_t j = 0; j <= nv; j++) {
        for (uint32_t i = 0; i < columns; i++) {
            surface_put_vertex(&body, i, j, 0);
        }
    }
    for (uint32_t j = 0; j < nv; j++) {
        for (uint32_t i = 0; i < nu; i++) {
            uint32_t next = (i + 1) % columns;
            surface_put_quad(&body, random, cut, i + j, j * columns + i, j * columns + next, (j + 1) * columns + next,
                             (j + 1) * columns + i);
        }
    }
    return body;
}

/* The two numbers of a strip of about `size` faces, `slender` times as long as wide. */
static inline void surface_sides(uint32_t size, double slender, uint32_t *nu, uint32_t *nv)
{
    double side = sqrt((double)size / 2 / slender);
    *nv = side < 1 ? 1 : (uint32_t)(side + 0.5);
    *nu = size / 2 / *nv;
    *nu = *nu < 3 ? 3 : *nu;
}

/* ---- shapes of strips: (u, v) in [0, 1] x [0, 1] --------------------------------------------- */

static inline void surface_shape(int kind, const double way[4], double u, double v, double p[3])
{
    const double turn = 6.283185307179586;
    double angle, radius;
    switch (kind) {
    case SURFACE_GENTLE:
        p[0] = u;
        p[1] = v;
        p[2] = 0.3 * way[0] * (u - 0.5) * (u - 0.5) + 0.3 * way[1] * (v - 0.5) * (v - 0.5) + 0.2 * way[2] * u * v;
        break;
    case SURFACE_FOLDED:
        p[0] = u < 0.5 ? u : 1 - u + 0.02 * way[0];
        p[1] = v + (u < 0.5 ? 0 : 0.1 * way[1]);
        p[2] = u < 0.5 ? 0 : (u - 0.5) * (0.3 * (v - 0.5) + 0.1 * way[2]) + 0.02 * way[3];
        break;
    case SURFACE_COPLANAR_FOLD:
        p[0] = u < 0.5 ? u : 1 - u;
        p[1] = v;
        p[2] = 0;
        break;
    case SURFACE_ROLLED:
        angle = turn * (1.5 + way[0]) * u;
        radius = 0.3 + (0.05 + 0.05 * way[1]) * u + 0.1 * way[2] * (v - 0.5) * u;
        p[0] = radius * cos(angle);
        p[1] = radius * sin(angle);
        p[2] = 0.7 * v;
        break;
    case SURFACE_CONE_RIBBON:
        angle = turn * (1.02 + 0.3 * way[0]) * u;
        radius = 1 + 0.25 * v;
        p[0] = radius * cos(angle);
        p[1] = radius * sin(angle);
        p[2] = (0.3 + way[1]) * (0.25 * v + 0.05 * way[2] * (u - 0.5)) + 0.2 * (way[3] - 0.5) * (v - 0.5) * u;
        break;
    case SURFACE_SPIRAL_RAMP:
        angle = turn * (1.1 + 0.2 * way[0]) * u;
        radius = 0.3 + (0.3 + way[1]) * v;
        p[0] = radius * cos(angle);
        p[1] = radius * sin(angle);
        p[2] = (0.1 + 0.3 * way[2]) * (v - 0.3 - 0.4 * way[3]) * u;
        break;
    case SURFACE_OVERWOUND_RING:
        angle = 2 * turn * u;
        radius = 0.5 + 0.5 * v + 0.1 * way[0] * cos(turn * u);
        p[0] = radius * cos(angle);
        p[1] = radius * sin(angle);
        p[2] = 0.2 * (way[1] + 0.1) * cos(turn * u) + 0.1 * way[2] * v;
        break;
    case SURFACE_TOUCHING_RING:
        angle = turn * u;
        radius = 0.5 + 0.5 * v;
        p[0] = u == 1 ? radius : radius * cos(angle);
        p[1] = u == 1 ? 0 : radius * sin(angle);
        p[2] = 0.3 * way[0] * v;
        break;
    case SURFACE_MOEBIUS:
        angle = turn * u;
        radius = 1 + (v - 0.5) * (0.3 + way[0]) * cos(angle / 2);
        p[0] = radius * cos(angle);
        p[1] = radius * sin(angle);
        p[2] = (v - 0.5) * (0.3 + way[0]) * sin(angle / 2);
        break;
    default:
        p[0] = u;
        p[1] = v;
        p[2] = 0;
    }
}

static inline void surface_bend(struct test_body *body, int kind, uint32_t nu, uint32_t nv, dent_random *random)
{
    double way[4];
    for (int i = 0; i < 4; i++) {
        way[i] = dent_random_unit(random);
    }
    for (uint32_t i = 0; i < body->vertex_count; i++) {
        double p[3];
        surface_shape(kind, way, body->xyz[i][0] / nu, body->xyz[i][1] / nv, p);
        memcpy(body->xyz[i], p, sizeof p);
    }
}

/* Waves and noise; strength 1 crosses itself now and then. */
static inline void surface_crumple(struct test_body *body, dent_random *random, double strength, double edge)
{
    double wave[4][7];
    for (int w = 0; w < 4; w++) {
        for (int i = 0; i < 7; i++) {
            wave[w][i] = test_between(random, -1, 1);
        }
    }
    for (uint32_t i = 0; i < body->vertex_count; i++) {
        double *p = body->xyz[i], moved[3] = {p[0], p[1], p[2]};
        for (int w = 0; w < 4; w++) {
            double phase = 12 * (wave[w][0] * p[0] + wave[w][1] * p[1]) + 6 * wave[w][2];
            for (int axis = 0; axis < 3; axis++) {
                moved[axis] += 0.12 * strength * wave[w][3 + axis] * sin(phase + wave[w][6] * axis);
            }
        }
        for (int axis = 0; axis < 3; axis++) {
            p[axis] = moved[axis] + test_between(random, -1, 1) * strength * edge * 0.3;
        }
    }
}

/* ---- surfaces that are no strips ------------------------------------------------------------- */

static inline struct test_body surface_double_star(dent_random *random, uint32_t size)
{
    uint32_t arms = 6 + dent_random_below(random, 7), rings = size / 2 / arms + 1;
    struct test_body body = surface_new(arms * rings + 1, 2 * arms * rings);
    uint32_t middle = surface_put_vertex(&body, 0, 0, 0);
    double lift = test_between(random, 0, 0.3), lean = test_between(random, -0.2, 0.2);
    for (uint32_t ring = 1; ring <= rings; ring++) {
        for (uint32_t arm = 0; arm < arms; arm++) {
            double angle = 2 * 6.283185307179586 * arm / arms, radius = (double)ring / rings;
            surface_put_vertex(&body, radius * cos(angle), radius * sin(angle),
                               radius * (lift * sin(angle / 2) + lean));
        }
    }
    for (uint32_t arm = 0; arm < arms; arm++) {
        uint32_t next = (arm + 1) % arms;
        surface_put_face(&body, middle, 1 + arm, 1 + next);
        for (uint32_t ring = 1; ring < rings; ring++) {
            uint32_t inner = 1 + (ring - 1) * arms, outer = inner + arms;
            surface_put_quad(&body, random, 2, 0, inner + arm, outer + arm, outer + next, inner + next);
        }
    }
    return body;
}

/* Rings of vertices between two poles, the body between them dented. */
static inline void surface_put_ball(struct test_body *body, dent_random *random, uint32_t around, uint32_t rings,
                                    const double at[3], double size, double dent)
{
    uint32_t first = body->vertex_count;
    double push[3];
    surface_random_vector(random, -1, 1, push);
    surface_put_vertex(body, at[0], at[1], at[2] - size);
    for (uint32_t ring = 1; ring <= rings; ring++) {
        for (uint32_t i = 0; i < around; i++) {
            double height = 3.141592653589793 * (ring / (rings + 1.0) - 0.5), angle = 6.283185307179586 * i / around;
            double p[3] = {cos(height) * cos(angle), cos(height) * sin(angle), sin(height)};
            double depth = p[0] * push[0] + p[1] * push[1] + p[2] * push[2];
            depth = depth > 0.5 ? dent * (depth - 0.5) * 4 : 0;
            surface_put_vertex(body, at[0] + size * (p[0] - depth * push[0]), at[1] + size * (p[1] - depth * push[1]),
                               at[2] + size * (p[2] - depth * push[2]));
        }
    }
    uint32_t top = surface_put_vertex(body, at[0], at[1], at[2] + size);
    for (uint32_t i = 0; i < around; i++) {
        uint32_t next = (i + 1) % around, last = first + 1 + (rings - 1) * around;
        surface_put_face(body, first, first + 1 + next, first + 1 + i);
        surface_put_face(body, top, last + i, last + next);
        for (uint32_t ring = 1; ring < rings; ring++) {
            uint32_t low = first + 1 + (ring - 1) * around;
            surface_put_quad(body, random, 2, 0, low + i, low + next, low + around + next, low + around + i);
        }
    }
}

static inline struct test_body surface_closed(dent_random *random, uint32_t size)
{
    uint32_t around = 3 + (uint32_t)sqrt((double)size / 2), rings = 1 + size / 2 / around;
    struct test_body body = surface_new(around * rings + 2, 2 * around * (rings + 1));
    const double at[3] = {0, 0, 0};
    surface_put_ball(&body, random, around, rings, at, 1, test_between(random, 0, 1.5));
    return body;
}

static inline struct test_body surface_closed_small(dent_random *random, uint32_t size)
{
    uint32_t balls = size / 12 + 1;
    struct test_body body = surface_new(balls * 14, balls * 40);
    for (uint32_t i = 0; i < balls; i++) {
        double at[3], room = 0.6 * cbrt((double)balls);
        for (int axis = 0; axis < 3; axis++) {
            at[axis] = test_between(random, 0, room);
        }
        uint32_t around = 3 + dent_random_below(random, 3), rings = 1 + dent_random_below(random, 2);
        surface_put_ball(&body, random, around, rings, at, 0.5, 0);
    }
    return body;
}

static inline struct test_body surface_soup(dent_random *random, uint32_t size, bool knotted)
{
    uint32_t vertices = knotted ? 4 + size / 8 : 3 * size;
    double edge = knotted ? 1 : 1.5 / cbrt((double)size);
    struct test_body body = surface_new(vertices, size);
    for (uint32_t i = 0; i < vertices; i++) {
        double p[3];
        for (int axis = 0; axis < 3; axis++) {
            p[axis] = i % 3 && !knotted ? body.xyz[i - i % 3][axis] + test_between(random, -edge, edge)
                                        : test_between(random, 0, 1);
        }
        surface_put_vertex(&body, p[0], p[1], p[2]);
    }
    for (uint32_t i = 0; i < size; i++) {
        uint32_t a = 3 * i, b = 3 * i + 1, c = 3 * i + 2;
        if (knotted) {
            a = dent_random_below(random, vertices);
            b = (a + 1 + dent_random_below(random, vertices - 1)) % vertices;
            do {
                c = dent_random_below(random, vertices);
            } while (c == a || c == b);
        }
        surface_put_face(&body, a, b, c);
    }
    return body;
}

/* All faces have vertex 0; the rim goes around several times, or is a random polygon. */
static inline struct test_body surface_hub(dent_random *random, uint32_t size)
{
    struct test_body body = surface_new(size + 2, size + 1);
    double turns = 6.283185307179586 * (double)(1 + dent_random_below(random, 3)),
           noise = dent_random_below(random, 2) ? 0 : 0.5;
    surface_put_vertex(&body, 0, 0, test_between(random, 0, 0.5));
    for (uint32_t i = 0; i <= size; i++) {
        double angle = turns * i / size, p[3] = {cos(angle), sin(angle), 0};
        for (int axis = 0; axis < 3; axis++) {
            p[axis] += test_between(random, -noise, noise);
        }
        surface_put_vertex(&body, p[0], p[1], p[2]);
    }
    for (uint32_t i = 0; i < size; i++) {
        surface_put_face(&body, 0, 1 + i, 2 + i);
    }
    return body;
}

/* ---- damage to sheets ------------------------------------------------------------------------ */

static inline void surface_flip_some(struct test_body *body, dent_random *random, uint32_t one_in)
{
    for (uint32_t face = 0; face < body->element_count; face++) {
        if (dent_random_below(random, one_in) == 0) {
            uint32_t *corners = body->corners + 3 * (size_t)face, swap = corners[0];
            corners[0] = corners[1];
            corners[1] = swap;
        }
    }
}

static inline void surface_take_out(struct test_body *body, dent_random *random, uint32_t one_in)
{
    uint32_t kept = 0;
    for (uint32_t face = 0; face < body->element_count; face++) {
        if (dent_random_below(random, one_in) != 0 || body->element_count < 4) {
            memmove(body->corners + 3 * (size_t)kept++, body->corners + 3 * (size_t)face, 3 * sizeof *body->corners);
        }
    }
    body->element_count = kept;
}

/* A slit: from here on the faces above row `row` use copies of its vertices up to some column, moved a little. */
static inline void surface_slit(struct test_body *body, dent_random *random, uint32_t nu, uint32_t row,
                                uint32_t columns)
{
    uint32_t first = row * (nu + 1), copies = body->vertex_count;
    for (uint32_t i = 0; i < columns; i++) {
        const double *p = body->xyz[first + i];
        double by[3];
        surface_random_vector(random, -0.05, 0.05, by);
        surface_put_vertex(body, p[0] + by[0], p[1] + 2.5 * by[1] - 0.075, p[2] + by[2]);
    }
    for (uint32_t face = 0; face < body->element_count; face++) {
        uint32_t *corners = body->corners + 3 * (size_t)face;
        bool above = false;
        for (int i = 0; i < 3; i++) {
            above |= corners[i] < copies && corners[i] >= (row + 1) * (nu + 1);
        }
        for (int i = 0; i < 3 && above; i++) {
            corners[i] = corners[i] >= first && corners[i] < first + columns ? copies + corners[i] - first : corners[i];
        }
    }
}

/* Moves the copies that a slit made over the slit by about `depth`, and everything up and down by as little. */
static inline void surface_hairline(struct test_body *body, dent_random *random, uint32_t nu, uint32_t row,
                                    uint32_t columns)
{
    uint32_t first = row * (nu + 1), copies = body->vertex_count;
    double depth = pow(10, -2 - (double)dent_random_below(random, 15));
    surface_slit(body, random, nu, row, columns);
    for (uint32_t i = 0; i < columns; i++) {
        const double *p = body->xyz[first + i];
        double *q = body->xyz[copies + i];
        q[0] = p[0];
        q[1] = p[1] - depth * test_between(random, -0.5, 1);
        q[2] = p[2] + depth * test_between(random, -1, 1);
    }
}

/* Some faces are cut at the middle of one edge; the face behind that edge is not. */
static inline void surface_t_junctions(struct test_body *body, dent_random *random, uint32_t spare)
{
    uint32_t faces = body->element_count;
    for (uint32_t face = 0; face < faces && spare > 0; face++) {
        if (dent_random_below(random, 4) == 0) {
            uint32_t *corners = body->corners + 3 * (size_t)face, a = corners[0], b = corners[1], c = corners[2];
            const double *p = body->xyz[a], *q = body->xyz[b];
            uint32_t middle = surface_put_vertex(body, (p[0] + q[0]) / 2, (p[1] + q[1]) / 2, (p[2] + q[2]) / 2);
            corners[1] = middle;
            surface_put_face(body, middle, b, c);
            spare--;
        }
    }
}

static inline void surface_fins(struct test_body *body, dent_random *random, uint32_t spare)
{
    uint32_t faces = body->element_count;
    for (uint32_t i = 0; i < spare; i++) {
        const uint32_t *corners = body->corners + 3 * (size_t)dent_random_below(random, faces);
        const double *p = body->xyz[corners[0]];
        uint32_t a = corners[0], b = corners[1];
        double by[3];
        surface_random_vector(random, -0.3, 0.3, by);
        uint32_t tip = surface_put_vertex(body, p[0] + by[0], p[1] + by[1], p[2] + by[2]);
        surface_put_face(body, a, b, tip);
    }
}

static inline void surface_duplicates(struct test_body *body, dent_random *random, uint32_t spare)
{
    uint32_t faces = body->element_count;
    for (uint32_t i = 0; i < spare / 3; i++) {
        uint32_t corners[3];
        memcpy(corners, body->corners + 3 * (size_t)dent_random_below(random, faces), sizeof corners);
        switch (dent_random_below(random, 3)) {
        case 0:
            surface_put_face(body, corners[0], corners[1], corners[2]);
            break;
        case 1:
            surface_put_face(body, corners[1], corners[0], corners[2]);
            break;
        default:
            for (int k = 0; k < 3; k++) {
                const double *p = body->xyz[corners[k]];
                corners[k] = surface_put_vertex(body, p[0], p[1], p[2]);
            }
            surface_put_face(body, corners[0], corners[1], corners[2]);
        }
    }
}

/* Joins pairs of vertices far from each other: sheets then meet in single vertices. */
static inline void surface_pinch(struct test_body *body, dent_random *random, uint32_t pinches)
{
    for (uint32_t i = 0; i < pinches; i++) {
        uint32_t kept = dent_random_below(random, body->vertex_count),
                 gone = dent_random_below(random, body->vertex_count);
        bool harmless = kept != gone;
        for (uint32_t face = 0; face < body->element_count && harmless; face++) {
            const uint32_t *corners = body->corners + 3 * (size_t)face;
            bool has_kept = corners[0] == kept || corners[1] == kept || corners[2] == kept;
            bool has_gone = corners[0] == gone || corners[1] == gone || corners[2] == gone;
            harmless = !has_kept || !has_gone;
        }
        for (uint32_t corner = 0; corner < 3 * body->element_count && harmless; corner++) {
            body->corners[corner] = body->corners[corner] == gone ? kept : body->corners[corner];
        }
    }
}

static inline void surface_round_to_lattice(struct test_body *body, double steps)
{
    for (uint32_t i = 0; i < body->vertex_count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            body->xyz[i][axis] = floor(body->xyz[i][axis] * steps + 0.5);
        }
    }
}

static inline void surface_shuffle_faces(struct test_body *body, dent_random *random)
{
    for (uint32_t face = body->element_count; face > 1; face--) {
        uint32_t other = dent_random_below(random, face), swap[3];
        uint32_t *a = body->corners + 3 * (size_t)(face - 1), *b = body->corners + 3 * (size_t)other;
        memcpy(swap, a, sizeof swap);
        memcpy(a, b, sizeof swap);
        memcpy(b, swap, sizeof swap);
    }
}

/* ---- the table ------------------------------------------------------------------------------- */

static inline struct test_body surface_sheet_like(int kind, dent_random *random, uint32_t size)
{
    bool ring = kind == SURFACE_OVERWOUND_RING;
    bool ribbon = kind == SURFACE_ROLLED || kind == SURFACE_CONE_RIBBON || kind == SURFACE_SPIRAL_RAMP || ring ||
                  kind == SURFACE_TOUCHING_RING || kind == SURFACE_MOEBIUS;
    uint32_t nu, nv, spare = size / 4 + 3;
    surface_sides(size, ribbon ? test_between(random, 3, 12) : 1, &nu, &nv);
    nu = ribbon && nu < 16 ? 16 : nu;
    struct test_body body = surface_strip(random, nu, nv, ring, spare + nu + 1);
    if (kind == SURFACE_MOEBIUS) { /* the last column is the first one, upside down */
        for (uint32_t corner = 0; corner < 3 * body.element_count; corner++) {
            uint32_t vertex = body.corners[corner], row = vertex / (nu + 1), column = vertex % (nu + 1);
            body.corners[corner] = column == nu ? (nv - row) * (nu + 1) : row * (nu + 1) + column;
        }
    }
    if (kind == SURFACE_COPLANAR_FOLD || kind == SURFACE_FLAT) { /* stays on a lattice */
        for (uint32_t i = 0; i < body.vertex_count && kind == SURFACE_COPLANAR_FOLD; i++) {
            double *p = body.xyz[i], middle = nu / 2;
            p[0] = p[0] > middle ? 2 * middle - p[0] : p[0];
        }
        return body;
    }
    surface_bend(&body, kind, nu, nv, random);
    double edge = 1.0 / (nv > 1 ? nv : 2);
    bool crumpled = kind == SURFACE_CRUMPLED || kind == SURFACE_FLIPPED || kind == SURFACE_LATTICE ||
                    kind == SURFACE_HUGE || kind == SURFACE_TINY || kind == SURFACE_CUTS_AND_HOLES ||
                    kind == SURFACE_T_JUNCTIONS || kind == SURFACE_NONMANIFOLD || kind == SURFACE_DUPLICATES ||
                    kind == SURFACE_FAR_AWAY || kind == SURFACE_PINCHED;
    if (kind == SURFACE_CUTS_AND_HOLES && nv > 1) {
        uint32_t row = 1 + dent_random_below(random, nv - 1), columns = 1 + dent_random_below(random, nu);
        surface_slit(&body, random, nu, row, columns);
    }
    if (kind == SURFACE_HAIRLINE && nv > 1) {
        uint32_t row = 1 + dent_random_below(random, nv - 1), columns = 1 + dent_random_below(random, nu);
        surface_hairline(&body, random, nu, row, columns);
    }
    if (crumpled) {
        surface_crumple(&body, random, test_between(random, 0, 1.5), edge);
    } else if (kind == SURFACE_NOISE) {
        test_jitter(&body, random, 3 * edge);
    } else if (kind != SURFACE_HAIRLINE && dent_random_below(random, 2)) {
        test_jitter(&body, random, 0.1 * edge);
    }
    switch (kind) {
    case SURFACE_CUTS_AND_HOLES:
        surface_take_out(&body, random, 10);
        break;
    case SURFACE_FLIPPED:
        surface_flip_some(&body, random, 6);
        break;
    case SURFACE_T_JUNCTIONS:
        surface_t_junctions(&body, random, spare);
        break;
    case SURFACE_NONMANIFOLD:
        surface_fins(&body, random, 1 + dent_random_below(random, spare));
        break;
    case SURFACE_DUPLICATES:
        surface_duplicates(&body, random, spare);
        break;
    case SURFACE_PINCHED:
        surface_pinch(&body, random, 1 + dent_random_below(random, 4));
        break;
    default:
        break;
    }
    return body;
}

static inline void surface_place(struct test_body *body, int kind, dent_random *random)
{
    if (dent_random_below(random, 2) && kind != SURFACE_COPLANAR_FOLD && kind != SURFACE_FLAT &&
        kind != SURFACE_ZERO_AREA) {
        test_turn(body, random);
    }
    if (kind == SURFACE_LATTICE) {
        surface_round_to_lattice(body, 4 + dent_random_below(random, 12));
    }
    if (kind == SURFACE_HUGE || kind == SURFACE_TINY) {
        double scale = kind == SURFACE_HUGE ? 1e150 : 1e-150;
        test_map(body, scale, scale, scale, 0, 0, 0);
    }
    if (kind == SURFACE_FAR_AWAY) {
        double far_away = pow(10, 2 + dent_random_below(random, 14));
        test_map(body, 1, 1, 1, far_away, -far_away, far_away / 3);
    }
    if (kind == SURFACE_ZERO_AREA) {
        double along = dent_random_below(random, 2);
        test_map(body, along, 0, 2 * along, 1, 2, 3);
    }
}

static inline struct test_body random_surface_make(int kind, uint64_t seed, uint32_t size)
{
    dent_random random = dent_random_seeded(seed * SURFACE_KIND_COUNT + (uint64_t)kind);
    struct test_body body = kind == SURFACE_DOUBLE_STAR    ? surface_double_star(&random, size)
                            : kind == SURFACE_CLOSED       ? surface_closed(&random, size)
                            : kind == SURFACE_CLOSED_SMALL ? surface_closed_small(&random, size)
                            : kind == SURFACE_SOUP         ? surface_soup(&random, size, false)
                            : kind == SURFACE_KNOTTED_SOUP ? surface_soup(&random, size, true)
                            : kind == SURFACE_HUB          ? surface_hub(&random, size)
                                                           : surface_sheet_like(kind, &random, size);
    surface_place(&body, kind, &random);
    if (dent_random_below(&random, 4) == 0) {
        surface_flip_some(&body, &random, 1 + dent_random_below(&random, 2));
    }
    if (dent_random_below(&random, 2)) {
        surface_shuffle_faces(&body, &random);
    }
    return body;
}

#endif
