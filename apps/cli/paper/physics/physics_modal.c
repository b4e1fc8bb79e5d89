/* physics_modal.c — see physics_modal.h. Assembly of Hooke's law on linear tetrahedra, Cholesky, inverse iteration. */
#include "physics_modal.h"

#include <math.h>
#include <string.h>

/* Gradients of the four shape functions, and the volume. */
static double shape_gradients(const physics_mesh *mesh, const uint32_t corners[4], double gradients[4][3])
{
    double e[3][3];
    for (int k = 0; k < 3; k++) {
        for (int axis = 0; axis < 3; axis++) {
            e[k][axis] =
                mesh->positions[3 * (size_t)corners[k + 1] + axis] - mesh->positions[3 * (size_t)corners[0] + axis];
        }
    }
    double determinant = 0;
    for (int k = 0; k < 3; k++) {
        const double *a = e[(k + 1) % 3], *b = e[(k + 2) % 3];
        double *g = gradients[k + 1];
        g[0] = a[1] * b[2] - a[2] * b[1];
        g[1] = a[2] * b[0] - a[0] * b[2];
        g[2] = a[0] * b[1] - a[1] * b[0];
        determinant = k == 0 ? e[0][0] * g[0] + e[0][1] * g[1] + e[0][2] * g[2] : determinant;
    }
    for (int axis = 0; axis < 3; axis++) {
        gradients[0][axis] = 0;
        for (int k = 1; k < 4; k++) {
            gradients[k][axis] /= determinant;
            gradients[0][axis] -= gradients[k][axis];
        }
    }
    return determinant / 6;
}

static void add_cell(physics_modal *modal, const physics_mesh *mesh, uint32_t cell, double lambda, double mu,
                     double density)
{
    const uint32_t *corners = mesh->corners + 4 * (size_t)cell;
    double g[4][3], volume = shape_gradients(mesh, corners, g);
    for (int i = 0; i < 4; i++) {
        modal->masses[corners[i]] += density * volume / 4;
        for (int j = 0; j < 4; j++) {
            uint32_t row = modal->places[corners[i]], column = modal->places[corners[j]];
            if (row == UINT32_MAX || column == UINT32_MAX) {
                continue;
            }
            double dot = g[i][0] * g[j][0] + g[i][1] * g[j][1] + g[i][2] * g[j][2];
            for (int a = 0; a < 3; a++) {
                for (int b = 0; b < 3; b++) {
                    double value = lambda * g[i][a] * g[j][b] + mu * g[i][b] * g[j][a] + (a == b ? mu * dot : 0);
                    modal->factor[(size_t)(row + (uint32_t)a) * modal->unknowns + column + (uint32_t)b] +=
                        volume * value;
                }
            }
        }
    }
}

static bool factorise(physics_modal *modal)
{
    size_t n = modal->unknowns;
    for (size_t i = 0; i < n; i++) {
        double *row = modal->factor + i * n;
        for (size_t j = 0; j <= i; j++) {
            const double *other = modal->factor + j * n;
            double sum = row[j];
            for (size_t k = 0; k < j; k++) {
                sum -= row[k] * other[k];
            }
            if (i == j && !(sum > 0)) {
                return false;
            }
            row[j] = i == j ? sqrt(sum) : sum / other[j];
        }
    }
    return true;
}

static bool assemble(physics_modal *modal, const physics_mesh *mesh, const dent_sim_material *material, double limit)
{
    double lambda = material->young * material->poisson / ((1 + material->poisson) * (1 - 2 * material->poisson));
    double mu = material->young / (2 * (1 + material->poisson));
    *modal = (physics_modal){.context = mesh->context, .vertex_count = mesh->vertex_count};
    modal->places = dent_allocate(mesh->context, mesh->vertex_count, sizeof *modal->places);
    modal->masses = dent_allocate(mesh->context, mesh->vertex_count, sizeof *modal->masses);
    if (modal->places == NULL || modal->masses == NULL) {
        return false;
    }
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        bool fixed = mesh->positions[3 * (size_t)v] <= limit;
        modal->masses[v] = 0;
        modal->places[v] = fixed ? UINT32_MAX : modal->unknowns;
        modal->unknowns += fixed ? 0 : 3;
    }
    size_t size = (size_t)modal->unknowns * modal->unknowns;
    modal->factor = dent_allocate(mesh->context, size, sizeof *modal->factor);
    if (modal->factor == NULL) {
        return false;
    }
    memset(modal->factor, 0, size * sizeof *modal->factor);
    for (uint32_t cell = 0; cell < mesh->element_count; cell++) {
        add_cell(modal, mesh, cell, lambda, mu, material->density);
    }
    return factorise(modal);
}

bool physics_modal_open(physics_modal *modal, const physics_mesh *mesh, const dent_sim_material *material, double limit)
{
    bool good = assemble(modal, mesh, material, limit);
    if (!good) {
        physics_modal_close(modal);
    }
    return good;
}

void physics_modal_close(physics_modal *modal)
{
    dent_release(modal->context, modal->places, modal->vertex_count, sizeof *modal->places);
    dent_release(modal->context, modal->masses, modal->vertex_count, sizeof *modal->masses);
    dent_release(modal->context, modal->factor, (size_t)modal->unknowns * modal->unknowns, sizeof *modal->factor);
}

/* ---- solutions ------------------------------------------------------------------------------------------- */

/* Forces become displacements, in place; fixed vertices get 0. The unknowns are in the order of the free vertices, so
 * they can be packed to the front. */
static void solve(const physics_modal *modal, double *numbers)
{
    size_t n = modal->unknowns;
    for (uint32_t v = 0; v < modal->vertex_count; v++) {
        if (modal->places[v] != UINT32_MAX) {
            memmove(numbers + modal->places[v], numbers + 3 * (size_t)v, 3 * sizeof *numbers);
        }
    }
    for (size_t i = 0; i < n; i++) {
        const double *row = modal->factor + i * n;
        for (size_t k = 0; k < i; k++) {
            numbers[i] -= row[k] * numbers[k];
        }
        numbers[i] /= row[i];
    }
    for (size_t i = n; i-- > 0;) {
        numbers[i] /= modal->factor[i * n + i];
        for (size_t k = 0; k < i; k++) {
            numbers[k] -= modal->factor[i * n + k] * numbers[i];
        }
    }
    for (uint32_t v = modal->vertex_count; v-- > 0;) {
        uint32_t place = modal->places[v];
        for (uint32_t axis = 3; axis-- > 0;) {
            numbers[3 * (size_t)v + axis] = place != UINT32_MAX ? numbers[place + axis] : 0;
        }
    }
}

void physics_modal_sag(const physics_modal *modal, const double gravity[3], double *displacements)
{
    for (size_t n = 0; n < 3 * (size_t)modal->vertex_count; n++) {
        displacements[n] = modal->masses[n / 3] * gravity[n % 3];
    }
    solve(modal, displacements);
}

double physics_modal_first(const physics_modal *modal, double *shape)
{
    /* Different weights along the axes, so that of two equal bending modes one is chosen. */
    const double first[3] = {0.01, 0.1, 1};
    size_t count = 3 * (size_t)modal->vertex_count;
    double square = 0;
    physics_modal_sag(modal, first, shape);
    for (int round = 0; round < 200; round++) {
        double norm = 0, before = square;
        for (size_t n = 0; n < count; n++) {
            norm += modal->masses[n / 3] * shape[n] * shape[n];
        }
        square = 1 / sqrt(norm);
        for (size_t n = 0; n < count; n++) {
            shape[n] *= square;
        }
        if (round > 3 && fabs(square - before) <= 1e-13 * square) {
            break;
        }
        for (size_t n = 0; n < count; n++) {
            shape[n] *= modal->masses[n / 3];
        }
        solve(modal, shape);
    }
    return sqrt(square);
}

double physics_modal_coordinate(const physics_modal *modal, const double *shape, const double *rest,
                                const double *positions)
{
    double sum = 0;
    for (size_t n = 0; n < 3 * (size_t)modal->vertex_count; n++) {
        sum += modal->masses[n / 3] * shape[n] * (positions[n] - rest[n]);
    }
    return sum;
}

/* x[n + 1] = a x[n] - b x[n - 1], fitted by least squares (Prony's method). */
double physics_swing_angle(const double *x, int count)
{
    double aa = 0, ab = 0, bb = 0, ra = 0, rb = 0;
    for (int n = 1; n + 1 < count; n++) {
        aa += x[n] * x[n];
        ab -= x[n] * x[n - 1];
        bb += x[n - 1] * x[n - 1];
        ra += x[n + 1] * x[n];
        rb -= x[n + 1] * x[n - 1];
    }
    double determinant = aa * bb - ab * ab;
    double a = (ra * bb - rb * ab) / determinant, b = (aa * rb - ab * ra) / determinant;
    return determinant > 0 && b > 0 && a * a < 4 * b ? acos(a / (2 * sqrt(b))) : 0;
}
