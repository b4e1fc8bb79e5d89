/* Gradients and changes of energy of a block in doubles: included behind a lanes_<isa>.h by the rows of float_kernels. Formulas as in
 * tet_kernels_lanes.h and cloth_elasticity.c. */
#include "sim/elements/block_kernels.h"
#include "sim/elements/wide_cofactors.h"

#include <stddef.h>

struct nine {
    doubles at[9]; /* by rows */
};

static inline doubles wide(const double *from)
{
    return doubles_load_any(from);
}

static inline doubles wide_dot(const doubles *a, const doubles *b)
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

static inline void wide_rows(const uint16_t *corners, const double *rows, doubles columns[4])
{
    const double *from[DOUBLES];
    for (int l = 0; l < DOUBLES; l++) {
        from[l] = rows + 4 * (uint32_t)corners[l];
    }
    doubles_columns4(from, columns);
}

/* Two of the four numbers of a row, added at once on any machine. */
typedef double double_pair __attribute__((vector_size(16), aligned(8)));

/* Adds what sixteen elements put on their corners: 16 rows of four for each corner. */
static inline void add_given(const double *given, int corner_count, const uint16_t *corners, double *sums)
{
    for (int lane = 0; lane < FLOAT_LANES; lane++) {
        for (int k = 0; k < corner_count; k++) {
            double_pair *to = (double_pair *)(void *)(sums + 4 * (uint32_t)corners[k * FLOAT_LANES + lane]);
            const double_pair *from = (const double_pair *)(const void *)(given + 4 * (k * FLOAT_LANES + lane));
            to[0] += from[0];
            to[1] += from[1];
        }
    }
}

/* The force on a corner, as rows of what is given. */
static inline void give_corner(doubles x, doubles y, doubles z, int corner, int lane, double *given)
{
    const doubles columns[4] = {x, y, z, doubles_set(0)};
    doubles_rows4(columns, given + 4 * (corner * FLOAT_LANES + lane));
}

/* Fetches the group behind a group while it is worked on. */
static inline void fetch_next(const void *group, size_t size)
{
    for (size_t n = 0; n < size; n += 64) {
        __builtin_prefetch((const char *)group + size + n);
    }
}

static inline void fetch_corners(const uint16_t *corners)
{
    __builtin_prefetch(corners);
    __builtin_prefetch(corners + 2 * FLOAT_LANES);
}

/* ---- tetrahedra -------------------------------------------------------------------------------------------------- */

static inline struct nine gradient_in(const struct block_tets *tets, const uint16_t (*corner)[FLOAT_LANES], int lane,
                                      const double *rows)
{
    doubles corners[4][4];
    struct nine f;
    for (int k = 0; k < 4; k++) {
        wide_rows(corner[k] + lane, rows, corners[k]);
    }
    for (int i = 0; i < 3; i++) {
        doubles x = corners[1][i] - corners[0][i], y = corners[2][i] - corners[0][i], z = corners[3][i] - corners[0][i];
        for (int j = 0; j < 3; j++) {
            f.at[3 * i + j] = (x * wide(tets->inverse[j] + lane) + y * wide(tets->inverse[3 + j] + lane)) +
                              z * wide(tets->inverse[6 + j] + lane);
        }
    }
    return f;
}

static inline struct nine wide_cofactors(const doubles *a)
{
    return (struct nine){COFACTORS(a)};
}

static inline struct nine wide_cofactors_change(const doubles *a, const doubles *b)
{
    return (struct nine){COFACTORS_CHANGE(a, b)};
}

static inline doubles nine_dot(const doubles *a, const doubles *b)
{
    doubles sum = a[0] * b[0];
    for (int n = 1; n < 9; n++) {
        sum = sum + a[n] * b[n];
    }
    return sum;
}

static inline doubles determinant_in(const doubles *f, const doubles *cofactors)
{
    return (f[0] * cofactors[0] + f[1] * cofactors[1]) + f[2] * cofactors[2];
}

/* The square of a bound on the largest singular value. */
static inline doubles square_bound(const doubles *a)
{
    doubles xx = (a[0] * a[0] + a[3] * a[3]) + a[6] * a[6], yy = (a[1] * a[1] + a[4] * a[4]) + a[7] * a[7];
    doubles zz = (a[2] * a[2] + a[5] * a[5]) + a[8] * a[8];
    doubles xy = doubles_absolute((a[0] * a[1] + a[3] * a[4]) + a[6] * a[7]);
    doubles xz = doubles_absolute((a[0] * a[2] + a[3] * a[5]) + a[6] * a[8]);
    doubles yz = doubles_absolute((a[1] * a[2] + a[4] * a[5]) + a[7] * a[8]);
    return doubles_most(doubles_most(xx + xy + xz, yy + xy + yz), zz + xz + yz);
}

/* The matrix at F on a change of F, kept positive. */
static inline struct nine matrix_times(const struct block_tets *tets, int lane, const doubles *f, const doubles *change)
{
    doubles mu = wide(tets->mu + lane), lambda = wide(tets->lambda + lane);
    struct nine cofactors = wide_cofactors(f), turned = wide_cofactors_change(f, change), out;
    doubles volume = determinant_in(f, cofactors.at) - wide(tets->gamma + lane);
    doubles most = mu / doubles_root(doubles_most(square_bound(f), doubles_set(1e-280))), kappa = lambda * volume;
    kappa = doubles_most(doubles_least(kappa, most), -most);
    doubles along = lambda * nine_dot(cofactors.at, change);
    for (int n = 0; n < 9; n++) {
        out.at[n] = (mu * change[n] + along * cofactors.at[n]) + kappa * turned.at[n];
    }
    return out;
}

static inline void give_stress(const struct block_tets *tets, int lane, const doubles *stress, double *given)
{
    doubles force[4][3];
    for (int i = 0; i < 3; i++) {
        force[0][i] = doubles_set(0);
        for (int k = 0; k < 3; k++) {
            force[k + 1][i] = (stress[3 * i] * wide(tets->inverse[3 * k] + lane) +
                               stress[3 * i + 1] * wide(tets->inverse[3 * k + 1] + lane)) +
                              stress[3 * i + 2] * wide(tets->inverse[3 * k + 2] + lane);
            force[0][i] = force[0][i] - force[k + 1][i];
        }
    }
    for (int k = 0; k < 4; k++) {
        give_corner(force[k][0], force[k][1], force[k][2], k, lane, given);
    }
}

static void gradient_of_tets(const struct block_tets *tets, const uint16_t (*corners)[FLOAT_LANES],
                             const struct block_rows *rows, double *sums)
{
    _Alignas(64) double given[16 * FLOAT_LANES];
    for (int lane = 0; lane < FLOAT_LANES; lane += DOUBLES) {
        doubles mu = wide(tets->mu + lane), stress[9];
        struct nine f = gradient_in(tets, corners, lane, rows->now), cofactors = wide_cofactors(f.at);
        doubles volume = determinant_in(f.at, cofactors.at) - wide(tets->gamma + lane);
        doubles pressure = wide(tets->lambda + lane) * volume;
        for (int n = 0; n < 9; n++) {
            stress[n] = mu * f.at[n] + pressure * cofactors.at[n];
        }
        if (tets->damped && rows->rate > 0) {
            struct nine start = gradient_in(tets, corners, lane, rows->start);
            doubles change[9], rate = wide(tets->damping + lane) * doubles_set(rows->rate);
            for (int n = 0; n < 9; n++) {
                change[n] = f.at[n] - start.at[n];
            }
            struct nine viscous = matrix_times(tets, lane, start.at, change);
            for (int n = 0; n < 9; n++) {
                stress[n] = stress[n] + rate * viscous.at[n];
            }
        }
        give_stress(tets, lane, stress, given);
    }
    add_given(given, 4, corners[0], sums);
}

static void change_of_tets(const struct block_tets *tets, const uint16_t (*corners)[FLOAT_LANES],
                           const struct block_rows *rows, double sums[CHANGE_KINDS][FLOAT_LANES])
{
    doubles half = doubles_set(0.5);
    for (int lane = 0; lane < FLOAT_LANES; lane += DOUBLES) {
        struct nine f = gradient_in(tets, corners, lane, rows->now), cofactors = wide_cofactors(f.at);
        struct nine d = gradient_in(tets, corners, lane, rows->direction), crossed = wide_cofactors(d.at);
        doubles volume = determinant_in(f.at, cofactors.at) - wide(tets->gamma + lane);
        doubles more = (nine_dot(cofactors.at, d.at) + nine_dot(f.at, crossed.at)) + determinant_in(d.at, crossed.at);
        doubles shape = nine_dot(f.at, d.at) + half * nine_dot(d.at, d.at);
        doubles energy = wide(tets->mu + lane) * shape + wide(tets->lambda + lane) * (more * (volume + half * more));
        doubles_store_any(sums[CHANGE_TETS] + lane, wide(sums[CHANGE_TETS] + lane) + energy);
        if (tets->damped && rows->rate > 0) {
            struct nine start = gradient_in(tets, corners, lane, rows->start);
            doubles since[9], rate = wide(tets->damping + lane) * doubles_set(rows->rate);
            for (int n = 0; n < 9; n++) {
                since[n] = (f.at[n] - start.at[n]) + half * d.at[n];
            }
            struct nine viscous = matrix_times(tets, lane, start.at, d.at);
            doubles heat = rate * nine_dot(viscous.at, since);
            doubles_store_any(sums[CHANGE_DAMPING] + lane, wide(sums[CHANGE_DAMPING] + lane) + heat);
        }
    }
}

static void line_of_tets(const struct block_tets *tets, const uint16_t (*corners)[FLOAT_LANES],
                         const struct block_rows *rows, double sums[LINE_TERMS][FLOAT_LANES])
{
    doubles half = doubles_set(0.5);
    for (int lane = 0; lane < FLOAT_LANES; lane += DOUBLES) {
        doubles mu = wide(tets->mu + lane), lambda = wide(tets->lambda + lane), term[LINE_TERMS];
        struct nine f = gradient_in(tets, corners, lane, rows->now), cofactors = wide_cofactors(f.at);
        struct nine d = gradient_in(tets, corners, lane, rows->direction), crossed = wide_cofactors(d.at);
        doubles volume = determinant_in(f.at, cofactors.at) - wide(tets->gamma + lane);
        doubles one = nine_dot(cofactors.at, d.at), two = nine_dot(f.at, crossed.at);
        doubles three = determinant_in(d.at, crossed.at);
        int count = ENERGY_TERMS;
        term[0] = mu * nine_dot(f.at, d.at) + lambda * (volume * one);
        term[1] = half * mu * nine_dot(d.at, d.at) + lambda * (volume * two + half * one * one);
        term[2] = lambda * (volume * three + one * two);
        term[3] = lambda * (half * two * two + one * three);
        term[4] = lambda * (two * three);
        term[5] = lambda * (half * three * three);
        if (tets->damped && rows->rate > 0) {
            struct nine start = gradient_in(tets, corners, lane, rows->start);
            doubles since[9], rate = wide(tets->damping + lane) * doubles_set(rows->rate);
            for (int n = 0; n < 9; n++) {
                since[n] = f.at[n] - start.at[n];
            }
            struct nine viscous = matrix_times(tets, lane, start.at, d.at);
            term[count++] = rate * nine_dot(viscous.at, since);
            term[count++] = half * rate * nine_dot(viscous.at, d.at);
        }
        for (int n = 0; n < count; n++) {
            doubles_store_any(sums[n] + lane, wide(sums[n] + lane) + term[n]);
        }
    }
}

/* ---- cloth ------------------------------------------------------------------------------------------------------- */

/* What the length of w times: 1 - rest / |w|, or 0 where w is nothing. */
static inline doubles slack_of(doubles rest, const doubles *w, doubles *safe)
{
    doubles square = wide_dot(w, w), none = doubles_set(0), least = doubles_set(1e-280);
    *safe = doubles_most(square, least);
    return doubles_choose(doubles_greater(square, none), doubles_set(1) - rest / doubles_root(*safe), none);
}

/* Adds the matrix of a spring of length 1 at w, without what is negative, times a change. */
static inline void add_spring(doubles stiffness, const doubles *w, const doubles *change, doubles *out)
{
    doubles safe, slack = slack_of(doubles_set(1), w, &safe),
                  sideways = stiffness * doubles_most(slack, doubles_set(0));
    doubles along = (stiffness - sideways) * (wide_dot(w, change) / safe);
    for (int i = 0; i < 3; i++) {
        out[i] = out[i] + (sideways * change[i] + along * w[i]);
    }
}

/* stiffness/2 ((|w + d| - rest)^2 - (|w| - rest)^2) */
static inline doubles spring_between(doubles stiffness, doubles rest, const doubles *w, const doubles *d)
{
    doubles moved[3] = {w[0] + d[0], w[1] + d[1], w[2] + d[2]}, two = doubles_set(2);
    doubles sum = doubles_root(wide_dot(w, w)) + doubles_root(wide_dot(moved, moved));
    doubles longer = (two * wide_dot(w, d) + wide_dot(d, d)) / doubles_most(sum, doubles_set(1e-280));
    return doubles_set(0.5) * stiffness * longer * (sum - two * rest);
}

/* Warp and weft. */
struct weave {
    doubles u[3], v[3];
};

static inline struct weave weave_in(const struct block_triangles *triangles, const uint16_t (*corner)[FLOAT_LANES],
                                    int lane, const double *rows)
{
    doubles corners[3][4];
    struct weave weave;
    for (int k = 0; k < 3; k++) {
        wide_rows(corner[k] + lane, rows, corners[k]);
    }
    for (int i = 0; i < 3; i++) {
        doubles first = corners[1][i] - corners[0][i], second = corners[2][i] - corners[0][i];
        weave.u[i] = wide(triangles->along[0] + lane) * first + wide(triangles->along[1] + lane) * second;
        weave.v[i] = wide(triangles->across[0] + lane) * first + wide(triangles->across[1] + lane) * second;
    }
    return weave;
}

/* The matrix of a triangle at `at`, times a change. */
static inline struct weave weave_times(const struct block_triangles *triangles, int lane, const struct weave *at,
                                       const struct weave *change)
{
    doubles stretch = wide(triangles->stretch + lane), none = doubles_set(0);
    struct weave out = {{none, none, none}, {none, none, none}};
    doubles shear = wide(triangles->shear + lane) * (wide_dot(at->v, change->u) + wide_dot(at->u, change->v));
    add_spring(stretch, at->u, change->u, out.u);
    add_spring(stretch, at->v, change->v, out.v);
    for (int i = 0; i < 3; i++) {
        out.u[i] = out.u[i] + shear * at->v[i];
        out.v[i] = out.v[i] + shear * at->u[i];
    }
    return out;
}

static void gradient_of_triangles(const struct block_triangles *triangles, const uint16_t (*corners)[FLOAT_LANES],
                                  const struct block_rows *rows, double *sums)
{
    _Alignas(64) double given[12 * FLOAT_LANES];
    for (int lane = 0; lane < FLOAT_LANES; lane += DOUBLES) {
        struct weave now = weave_in(triangles, corners, lane, rows->now), force;
        doubles stretch = wide(triangles->stretch + lane), safe, one = doubles_set(1);
        doubles on_u = stretch * slack_of(one, now.u, &safe), on_v = stretch * slack_of(one, now.v, &safe);
        doubles shear = wide(triangles->shear + lane) * wide_dot(now.u, now.v);
        for (int i = 0; i < 3; i++) {
            force.u[i] = on_u * now.u[i] + shear * now.v[i];
            force.v[i] = on_v * now.v[i] + shear * now.u[i];
        }
        if (triangles->damped && rows->rate > 0) {
            struct weave start = weave_in(triangles, corners, lane, rows->start), change;
            doubles rate = wide(triangles->damping + lane) * doubles_set(rows->rate);
            for (int i = 0; i < 3; i++) {
                change.u[i] = now.u[i] - start.u[i];
                change.v[i] = now.v[i] - start.v[i];
            }
            struct weave viscous = weave_times(triangles, lane, &start, &change);
            for (int i = 0; i < 3; i++) {
                force.u[i] = force.u[i] + rate * viscous.u[i];
                force.v[i] = force.v[i] + rate * viscous.v[i];
            }
        }
        doubles corner[3][3];
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 2; k++) {
                corner[k + 1][i] =
                    wide(triangles->along[k] + lane) * force.u[i] + wide(triangles->across[k] + lane) * force.v[i];
            }
            corner[0][i] = -(corner[1][i] + corner[2][i]);
        }
        for (int k = 0; k < 3; k++) {
            give_corner(corner[k][0], corner[k][1], corner[k][2], k, lane, given);
        }
    }
    add_given(given, 3, corners[0], sums);
}

static void change_of_triangles(const struct block_triangles *triangles, const uint16_t (*corners)[FLOAT_LANES],
                                const struct block_rows *rows, double sums[CHANGE_KINDS][FLOAT_LANES])
{
    doubles half = doubles_set(0.5), one = doubles_set(1), two = doubles_set(2);
    for (int lane = 0; lane < FLOAT_LANES; lane += DOUBLES) {
        struct weave now = weave_in(triangles, corners, lane, rows->now);
        struct weave d = weave_in(triangles, corners, lane, rows->direction);
        doubles stretch = wide(triangles->stretch + lane), before = wide_dot(now.u, now.v);
        doubles more = (wide_dot(now.u, d.v) + wide_dot(d.u, now.v)) + wide_dot(d.u, d.v);
        doubles change = (spring_between(stretch, one, now.u, d.u) + spring_between(stretch, one, now.v, d.v)) +
                         half * wide(triangles->shear + lane) * more * (two * before + more);
        if (triangles->damped && rows->rate > 0) {
            struct weave start = weave_in(triangles, corners, lane, rows->start), since;
            for (int i = 0; i < 3; i++) {
                since.u[i] = (now.u[i] - start.u[i]) + half * d.u[i];
                since.v[i] = (now.v[i] - start.v[i]) + half * d.v[i];
            }
            struct weave viscous = weave_times(triangles, lane, &start, &d);
            doubles rate = wide(triangles->damping + lane) * doubles_set(rows->rate);
            doubles heat = rate * (wide_dot(viscous.u, since.u) + wide_dot(viscous.v, since.v));
            doubles_store_any(sums[CHANGE_DAMPING] + lane, wide(sums[CHANGE_DAMPING] + lane) + heat);
        }
        doubles_store_any(sums[CHANGE_CLOTH] + lane, wide(sums[CHANGE_CLOTH] + lane) + change);
    }
}

static inline void wide_hinge(const struct block_hinges *hinges, const uint16_t (*corner)[FLOAT_LANES], int lane,
                              const double *rows, doubles *w)
{
    doubles corners[4][4];
    for (int k = 0; k < 4; k++) {
        wide_rows(corner[k] + lane, rows, corners[k]);
    }
    for (int i = 0; i < 3; i++) {
        w[i] = (wide(hinges->weights[0] + lane) * (corners[1][i] - corners[0][i]) +
                wide(hinges->weights[1] + lane) * (corners[2][i] - corners[0][i])) +
               wide(hinges->weights[2] + lane) * (corners[3][i] - corners[0][i]);
    }
}

static void gradient_of_hinges(const struct block_hinges *hinges, const uint16_t (*corners)[FLOAT_LANES],
                               const struct block_rows *rows, double *sums)
{
    _Alignas(64) double given[16 * FLOAT_LANES];
    for (int lane = 0; lane < FLOAT_LANES; lane += DOUBLES) {
        doubles w[3], safe, corner[4][3];
        wide_hinge(hinges, corners, lane, rows->now, w);
        doubles pull = wide(hinges->stiffness + lane) * slack_of(wide(hinges->rest + lane), w, &safe);
        for (int i = 0; i < 3; i++) {
            corner[0][i] = doubles_set(0);
            for (int k = 0; k < 3; k++) {
                corner[k + 1][i] = wide(hinges->weights[k] + lane) * (pull * w[i]);
                corner[0][i] = corner[0][i] - corner[k + 1][i];
            }
        }
        for (int k = 0; k < 4; k++) {
            give_corner(corner[k][0], corner[k][1], corner[k][2], k, lane, given);
        }
    }
    add_given(given, 4, corners[0], sums);
}

static void change_of_hinges(const struct block_hinges *hinges, const uint16_t (*corners)[FLOAT_LANES],
                             const struct block_rows *rows, double *sums)
{
    for (int lane = 0; lane < FLOAT_LANES; lane += DOUBLES) {
        doubles w[3], d[3];
        wide_hinge(hinges, corners, lane, rows->now, w);
        wide_hinge(hinges, corners, lane, rows->direction, d);
        doubles change = spring_between(wide(hinges->stiffness + lane), wide(hinges->rest + lane), w, d);
        doubles_store_any(sums + lane, wide(sums + lane) + change);
    }
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

#define EACH_GROUP(kind, statement)                                                                                    \
    for (uint32_t g = 0; g < elements->corners->kind##_count; g++) {                                                   \
        fetch_next(&elements->kind##s[g], sizeof *elements->kind##s);                                                  \
        fetch_corners(elements->corners->kind##s[g + 1].corners[0]);                                                   \
        const uint16_t(*corners)[FLOAT_LANES] = elements->corners->kind##s[g].corners;                                 \
        statement;                                                                                                     \
    }

static void gradient_of_block(const struct block_elements *elements, const struct block_rows *rows, double *sums)
{
    EACH_GROUP(tet, gradient_of_tets(&elements->tets[g], corners, rows, sums))
    EACH_GROUP(triangle, gradient_of_triangles(&elements->triangles[g], corners, rows, sums))
    EACH_GROUP(hinge, gradient_of_hinges(&elements->hinges[g], corners, rows, sums))
}

static void change_of_block_tets(const struct block_elements *elements, const struct block_rows *rows,
                                 double sums[CHANGE_KINDS][FLOAT_LANES])
{
    EACH_GROUP(tet, change_of_tets(&elements->tets[g], corners, rows, sums))
}

static void change_of_block_cloth(const struct block_elements *elements, const struct block_rows *rows,
                                  double sums[CHANGE_KINDS][FLOAT_LANES])
{
    EACH_GROUP(triangle, change_of_triangles(&elements->triangles[g], corners, rows, sums))
    EACH_GROUP(hinge, change_of_hinges(&elements->hinges[g], corners, rows, sums[CHANGE_CLOTH]))
}

static void line_of_block(const struct block_elements *elements, const struct block_rows *rows,
                          double sums[LINE_TERMS][FLOAT_LANES])
{
    EACH_GROUP(tet, line_of_tets(&elements->tets[g], corners, rows, sums))
}

#define BLOCK_KERNELS_ROW                                                                                              \
    {                                                                                                                  \
        gradient_of_block, change_of_block_tets, change_of_block_cloth, line_of_block                                  \
    }
