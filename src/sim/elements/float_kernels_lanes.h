/* Products with the matrices of tetrahedra, triangles and hinges of cloth, in floats: included behind a lanes_<isa>.h by
 * every row. The energies and their matrices are those of tet_kernels_lanes.h and cloth_elasticity.c.
 *
 * What an element puts on its corners is added to the rows of its block at once, in the order of elements and corners:
 * the same bits for every instruction set. */
#include "sim/elements/float_kernels.h"
#include "sim/elements/wide_cofactors.h"

#include <stddef.h>

/* Four numbers that any machine adds at once. */
typedef float float_row __attribute__((vector_size(16), aligned(4)));

struct float_matrix {
    floats at[9]; /* by rows */
};

static inline floats lane_load(const float *from)
{
    return floats_load_any(from);
}

static inline void rows_of(const uint16_t *corners, const float *rows, floats columns[4])
{
    const float *from[FLOATS];
    for (int l = 0; l < FLOATS; l++) {
        from[l] = rows + 4 * (uint32_t)corners[l];
    }
    floats_columns4(from, columns);
}

/* Adds what sixteen elements put on their corners: 16 rows for each corner. */
static inline void add_corner_rows(const float *given, int corner_count, const uint16_t *corners, float *sums)
{
    for (int lane = 0; lane < FLOAT_LANES; lane++) {
        for (int k = 0; k < corner_count; k++) {
            float_row *to = (float_row *)(void *)(sums + 4 * (uint32_t)corners[k * FLOAT_LANES + lane]);
            *to += *(const float_row *)(const void *)(given + 4 * (k * FLOAT_LANES + lane));
        }
    }
}

/* ---- tetrahedra -------------------------------------------------------------------------------------------------- */

/* The edges from corner 0 as columns, times the inverse of the rest edges. */
static inline struct float_matrix tet_gradient_of(const struct float_tets *tets, int lane, const float *rows)
{
    floats corners[4][4];
    struct float_matrix f;
    for (int k = 0; k < 4; k++) {
        rows_of(tets->corners[k] + lane, rows, corners[k]);
    }
    for (int i = 0; i < 3; i++) {
        floats x = corners[1][i] - corners[0][i], y = corners[2][i] - corners[0][i], z = corners[3][i] - corners[0][i];
        for (int j = 0; j < 3; j++) {
            f.at[3 * i + j] = (x * lane_load(tets->inverse[j] + lane) + y * lane_load(tets->inverse[3 + j] + lane)) +
                              z * lane_load(tets->inverse[6 + j] + lane);
        }
    }
    return f;
}

static inline struct float_matrix cofactors_of(const floats *a)
{
    return (struct float_matrix){COFACTORS(a)};
}

static inline struct float_matrix cofactors_change(const floats *a, const floats *b)
{
    return (struct float_matrix){COFACTORS_CHANGE(a, b)};
}

/* The square of a bound on the largest singular value. */
static inline floats largest_square(const floats *a)
{
    floats xx = (a[0] * a[0] + a[3] * a[3]) + a[6] * a[6], yy = (a[1] * a[1] + a[4] * a[4]) + a[7] * a[7];
    floats zz = (a[2] * a[2] + a[5] * a[5]) + a[8] * a[8];
    floats xy = floats_absolute((a[0] * a[1] + a[3] * a[4]) + a[6] * a[7]);
    floats xz = floats_absolute((a[0] * a[2] + a[3] * a[5]) + a[6] * a[8]);
    floats yz = floats_absolute((a[1] * a[2] + a[4] * a[5]) + a[7] * a[8]);
    return floats_most(floats_most(xx + xy + xz, yy + xy + yz), zz + xz + yz);
}

static void prepare_tets(struct float_tets *tets, const float *positions)
{
    for (int lane = 0; lane < FLOAT_LANES; lane += FLOATS) {
        struct float_matrix f = tet_gradient_of(tets, lane, positions), cofactors = cofactors_of(f.at);
        floats volume = ((f.at[0] * cofactors.at[0] + f.at[1] * cofactors.at[1]) + f.at[2] * cofactors.at[2]) -
                        lane_load(tets->gamma + lane);
        floats limit = floats_most(largest_square(f.at), floats_set(1e-30f));
        floats most = lane_load(tets->mu + lane) / floats_root(limit), kappa = lane_load(tets->lambda + lane) * volume;
        floats_store_any(tets->kappa + lane, floats_most(floats_least(kappa, most), -most));
        for (int n = 0; n < 9; n++) {
            floats_store_any(tets->f[n] + lane, f.at[n]);
        }
    }
}

/* Corner forces of a stress: P times the gradients of the shape functions. */
static inline void give_tet_corners(const struct float_tets *tets, int lane, const floats *stress, float *given)
{
    floats force[4][4];
    for (int i = 0; i < 3; i++) {
        force[0][i] = floats_set(0);
        for (int k = 0; k < 3; k++) {
            force[k + 1][i] = (stress[3 * i] * lane_load(tets->inverse[3 * k] + lane) +
                               stress[3 * i + 1] * lane_load(tets->inverse[3 * k + 1] + lane)) +
                              stress[3 * i + 2] * lane_load(tets->inverse[3 * k + 2] + lane);
            force[0][i] = force[0][i] - force[k + 1][i];
        }
    }
    for (int k = 0; k < 4; k++) {
        force[k][3] = floats_set(0);
        floats_rows4(force[k], given + 4 * (k * FLOAT_LANES + lane));
    }
}

static void product_of_tets(const struct float_tets *tets, const float *direction, float *sums)
{
    _Alignas(64) float given[4 * 4 * FLOAT_LANES];
    for (int lane = 0; lane < FLOAT_LANES; lane += FLOATS) {
        struct float_matrix change = tet_gradient_of(tets, lane, direction);
        floats f[9], stress[9], mu = lane_load(tets->mu + lane), kappa = lane_load(tets->kappa + lane);
        for (int n = 0; n < 9; n++) {
            f[n] = lane_load(tets->f[n] + lane);
        }
        struct float_matrix cofactors = cofactors_of(f), turned = cofactors_change(f, change.at);
        floats along = cofactors.at[0] * change.at[0];
        for (int n = 1; n < 9; n++) {
            along = along + cofactors.at[n] * change.at[n];
        }
        along = lane_load(tets->lambda + lane) * along;
        for (int n = 0; n < 9; n++) {
            stress[n] = (mu * change.at[n] + along * cofactors.at[n]) + kappa * turned.at[n];
        }
        give_tet_corners(tets, lane, stress, given);
    }
    add_corner_rows(given, 4, tets->corners[0], sums);
}

/* ---- triangles of cloth ------------------------------------------------------------------------------------------ */

static inline floats dot3(const floats *a, const floats *b)
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

/* A spring along w: its stiffness across, and along over the square of the length; nothing negative. */
static inline void spring_of(floats stiffness, floats rest, const floats *w, floats *sideways, floats *lengthwise)
{
    floats square = dot3(w, w), none = floats_set(0), least = floats_set(1e-30f);
    floats safe = floats_most(square, least), slack = floats_set(1) - rest / floats_root(safe);
    *sideways = stiffness * floats_most(slack, none);
    *lengthwise = floats_choose(floats_greater(square, least), (stiffness - *sideways) / safe, none);
}

/* The images of warp and weft, of positions or of a direction. */
static inline void fabric_in(const struct float_triangles *triangles, int lane, const float *rows, floats *u, floats *v)
{
    floats corners[3][4];
    for (int k = 0; k < 3; k++) {
        rows_of(triangles->corners[k] + lane, rows, corners[k]);
    }
    for (int i = 0; i < 3; i++) {
        floats first = corners[1][i] - corners[0][i], second = corners[2][i] - corners[0][i];
        u[i] = lane_load(triangles->along[0] + lane) * first + lane_load(triangles->along[1] + lane) * second;
        v[i] = lane_load(triangles->across[0] + lane) * first + lane_load(triangles->across[1] + lane) * second;
    }
}

static void prepare_triangles(struct float_triangles *triangles, const float *positions)
{
    for (int lane = 0; lane < FLOAT_LANES; lane += FLOATS) {
        floats u[3], v[3], sideways[2], lengthwise[2], stretch = lane_load(triangles->stretch + lane);
        fabric_in(triangles, lane, positions, u, v);
        spring_of(stretch, floats_set(1), u, &sideways[0], &lengthwise[0]);
        spring_of(stretch, floats_set(1), v, &sideways[1], &lengthwise[1]);
        for (int i = 0; i < 3; i++) {
            floats_store_any(triangles->u[i] + lane, u[i]);
            floats_store_any(triangles->v[i] + lane, v[i]);
        }
        for (int i = 0; i < 2; i++) {
            floats_store_any(triangles->sideways[i] + lane, sideways[i]);
            floats_store_any(triangles->lengthwise[i] + lane, lengthwise[i]);
        }
    }
}

static void product_of_triangles(const struct float_triangles *triangles, const float *direction, float *sums)
{
    _Alignas(64) float given[3 * 4 * FLOAT_LANES];
    for (int lane = 0; lane < FLOAT_LANES; lane += FLOATS) {
        floats u[3], v[3], change_u[3], change_v[3], force[3][4];
        fabric_in(triangles, lane, direction, change_u, change_v);
        for (int i = 0; i < 3; i++) {
            u[i] = lane_load(triangles->u[i] + lane);
            v[i] = lane_load(triangles->v[i] + lane);
        }
        floats along_u = lane_load(triangles->lengthwise[0] + lane) * dot3(u, change_u);
        floats along_v = lane_load(triangles->lengthwise[1] + lane) * dot3(v, change_v);
        floats shear = lane_load(triangles->shear + lane) * (dot3(v, change_u) + dot3(u, change_v));
        floats side_u = lane_load(triangles->sideways[0] + lane), side_v = lane_load(triangles->sideways[1] + lane);
        for (int i = 0; i < 3; i++) {
            floats on_u = (side_u * change_u[i] + along_u * u[i]) + shear * v[i];
            floats on_v = (side_v * change_v[i] + along_v * v[i]) + shear * u[i];
            for (int k = 0; k < 2; k++) {
                force[k + 1][i] =
                    lane_load(triangles->along[k] + lane) * on_u + lane_load(triangles->across[k] + lane) * on_v;
            }
            force[0][i] = -(force[1][i] + force[2][i]);
        }
        for (int k = 0; k < 3; k++) {
            force[k][3] = floats_set(0);
            floats_rows4(force[k], given + 4 * (k * FLOAT_LANES + lane));
        }
    }
    add_corner_rows(given, 3, triangles->corners[0], sums);
}

/* ---- hinges of cloth --------------------------------------------------------------------------------------------- */

static inline void hinge_in(const struct float_hinges *hinges, int lane, const float *rows, floats *w)
{
    floats corners[4][4];
    for (int k = 0; k < 4; k++) {
        rows_of(hinges->corners[k] + lane, rows, corners[k]);
    }
    for (int i = 0; i < 3; i++) {
        w[i] = (lane_load(hinges->weights[0] + lane) * (corners[1][i] - corners[0][i]) +
                lane_load(hinges->weights[1] + lane) * (corners[2][i] - corners[0][i])) +
               lane_load(hinges->weights[2] + lane) * (corners[3][i] - corners[0][i]);
    }
}

static void prepare_hinges(struct float_hinges *hinges, const float *positions)
{
    for (int lane = 0; lane < FLOAT_LANES; lane += FLOATS) {
        floats w[3], sideways, lengthwise;
        hinge_in(hinges, lane, positions, w);
        spring_of(lane_load(hinges->stiffness + lane), lane_load(hinges->rest + lane), w, &sideways, &lengthwise);
        for (int i = 0; i < 3; i++) {
            floats_store_any(hinges->w[i] + lane, w[i]);
        }
        floats_store_any(hinges->sideways + lane, sideways);
        floats_store_any(hinges->lengthwise + lane, lengthwise);
    }
}

static void product_of_hinges(const struct float_hinges *hinges, const float *direction, float *sums)
{
    _Alignas(64) float given[4 * 4 * FLOAT_LANES];
    for (int lane = 0; lane < FLOAT_LANES; lane += FLOATS) {
        floats w[3], change[3], force[4][4];
        hinge_in(hinges, lane, direction, change);
        for (int i = 0; i < 3; i++) {
            w[i] = lane_load(hinges->w[i] + lane);
        }
        floats along = lane_load(hinges->lengthwise + lane) * dot3(w, change);
        floats sideways = lane_load(hinges->sideways + lane);
        for (int i = 0; i < 3; i++) {
            floats one = sideways * change[i] + along * w[i];
            for (int k = 0; k < 3; k++) {
                force[k + 1][i] = lane_load(hinges->weights[k] + lane) * one;
            }
            force[0][i] = -((force[1][i] + force[2][i]) + force[3][i]);
        }
        for (int k = 0; k < 4; k++) {
            force[k][3] = floats_set(0);
            floats_rows4(force[k], given + 4 * (k * FLOAT_LANES + lane));
        }
    }
    add_corner_rows(given, 4, hinges->corners[0], sums);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* Fetches the group behind a group while it is worked on: they come from far, each is used once. */
static inline void fetch(const void *group, size_t size)
{
    for (size_t n = 0; n < size; n += 64) {
        __builtin_prefetch((const char *)group + size + n);
    }
}

static void prepare_elements(const struct float_elements *elements, const float *positions)
{
    for (uint32_t g = 0; g < elements->tet_count; g++) {
        fetch(&elements->tets[g], sizeof *elements->tets);
        prepare_tets(&elements->tets[g], positions);
    }
    for (uint32_t g = 0; g < elements->triangle_count; g++) {
        fetch(&elements->triangles[g], sizeof *elements->triangles);
        prepare_triangles(&elements->triangles[g], positions);
    }
    for (uint32_t g = 0; g < elements->curved_count; g++) {
        fetch(&elements->hinges[g], sizeof *elements->hinges);
        prepare_hinges(&elements->hinges[g], positions);
    }
}

static void product_of_elements(const struct float_elements *elements, const float *direction, float *sums)
{
    for (uint32_t g = 0; g < elements->tet_count; g++) {
        fetch(&elements->tets[g], sizeof *elements->tets);
        product_of_tets(&elements->tets[g], direction, sums);
    }
    for (uint32_t g = 0; g < elements->triangle_count; g++) {
        fetch(&elements->triangles[g], sizeof *elements->triangles);
        product_of_triangles(&elements->triangles[g], direction, sums);
    }
    for (uint32_t g = 0; g < elements->curved_count; g++) {
        fetch(&elements->hinges[g], sizeof *elements->hinges);
        product_of_hinges(&elements->hinges[g], direction, sums);
    }
}

#define FLOAT_KERNELS_ROW                                                                                              \
    {                                                                                                                  \
        prepare_elements, product_of_elements                                                                          \
    }
