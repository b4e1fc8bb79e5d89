/* The first mode of a solid: the least w^2 with K u = w^2 M u, where K is Hooke's law on the tetrahedra at rest (of
 * solid cells: the matrix of their law) and M are the masses of the vertices.
 *
 * Method: locally optimal preconditioned conjugate gradients for one vector (Knyazev 2001). Every iteration takes the
 * best vector in the span of the present one, its preconditioned residual (diagonal of K) and the last direction; what
 * it minimises is Rayleigh's quotient, so that the estimate comes from above at any time. It ends when the quotient
 * has settled to 0.1 % over 25 iterations: less would end on plateaus of nearly incompressible bodies. */
#include "elastic_pass.h"
#include "first_mode.h"

#include "sim/loads/load_model.h"

#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 1000, SETTLE = 25, RIGID_MODES = 6 };
#define SETTLED 1e-3

struct rest_cell {
    double gradients[4][3]; /* of the shape functions */
    double volume;
};

/* Vectors have 3 numbers per vertex of the body. */
struct mode_search {
    const struct sim_model *model;
    const struct sim_body *body;
    uint32_t number; /* of the body */
    double lambda, mu;
    size_t size;
    bool is_free;
    struct rest_cell *cells;
    double *matrices, *rest, *moved; /* of solid cells: at rest, 81 per point; 3 per vertex of all bodies each */
    double *diagonal;           /* of K */
    double *rigid[RIGID_MODES]; /* orthonormal; of free bodies */
    uint32_t rigid_count;
    double *vectors[3], *products[3]; /* iterate, residual, last direction; K times them */
};

/* ---- the equations ----------------------------------------------------------------------------------------------- */

static bool make_cell(const struct sim_body *body, uint32_t number, struct rest_cell *cell)
{
    const uint32_t *corners = body->corners + 4 * (size_t)number;
    double e[3][3], longest = 0;
    for (int k = 0; k < 3; k++) {
        sim_subtract(body->rest + 3 * (size_t)corners[k + 1], body->rest + 3 * (size_t)corners[0], e[k]);
        longest = fmax(longest, sim_dot(e[k], e[k]));
    }
    for (int k = 0; k < 3; k++) {
        sim_cross(e[(k + 1) % 3], e[(k + 2) % 3], cell->gradients[k + 1]);
    }
    double determinant = sim_dot(e[0], cell->gradients[1]);
    if (!(fabs(determinant) > 1e-15 * longest * sqrt(longest))) {
        return false; /* flat: no elasticity */
    }
    memset(cell->gradients[0], 0, sizeof cell->gradients[0]);
    for (int k = 1; k < 4; k++) {
        for (int axis = 0; axis < 3; axis++) {
            cell->gradients[k][axis] /= determinant;
            cell->gradients[0][axis] -= cell->gradients[k][axis];
        }
    }
    cell->volume = fabs(determinant) / 6;
    return true;
}

/* Adds K u of one cell. */
static void add_cell(const struct mode_search *search, uint32_t number, const double *u, double *force)
{
    const struct rest_cell *cell = &search->cells[number];
    const uint32_t *corners = search->body->corners + 4 * (size_t)number;
    double gradient[9] = {0}, stress[9];
    for (int n = 0; n < 4; n++) {
        for (int k = 0; k < 9; k++) {
            gradient[k] += u[3 * (size_t)corners[n] + (size_t)(k / 3)] * cell->gradients[n][k % 3];
        }
    }
    double trace = gradient[0] + gradient[4] + gradient[8];
    for (int k = 0; k < 9; k++) {
        stress[k] = cell->volume * (search->mu * (gradient[k] + gradient[3 * (k % 3) + k / 3]) +
                                    (k % 4 == 0 ? search->lambda * trace : 0));
    }
    for (int n = 0; n < 4; n++) {
        for (int axis = 0; axis < 3; axis++) {
            force[3 * (size_t)corners[n] + (size_t)axis] += sim_dot(stress + 3 * axis, cell->gradients[n]);
        }
    }
}

static bool moves(const struct mode_search *search, size_t number)
{
    return search->model->inverse_masses[search->body->first_vertex + number / 3] > 0;
}

static double mass_of(const struct mode_search *search, size_t number)
{
    return search->model->masses[search->body->first_vertex + number / 3];
}

/* Solid cells of the body: their matrices at rest; nothing is activated, nothing has flowed. */
static void add_solid_cells(const struct mode_search *search, const double *u, double *force)
{
    const struct solid_cells *cells = &search->model->elastic->cells;
    uint32_t number = (uint32_t)(search->body - search->model->bodies), begin = cells->body_cells[number];
    size_t shift = 3 * (size_t)search->body->first_vertex;
    double out[3 * CELL_MOST_CORNERS];
    struct element_pass pass = {.now = search->rest, .start = search->rest, .direction = search->moved};
    if (begin < cells->body_cells[number + 1]) {
        memcpy(search->moved + shift, u, search->size * sizeof *u);
    }
    for (uint32_t c = begin; c < cells->body_cells[number + 1]; c++) {
        const struct solid_cell *cell = &cells->cells[c];
        uint32_t first = cell->first_point - cells->cells[begin].first_point;
        solid_cell_product(cells, c, &pass, search->matrices + 81 * (size_t)first, out);
        for (uint32_t n = 0; n < 3 * cell->corner_count; n++) {
            force[3 * (size_t)cells->corners[cell->first_corner + n / 3] - shift + n % 3] += out[n];
        }
    }
}

static void apply_stiffness(const struct mode_search *search, const double *u, double *force)
{
    memset(force, 0, search->size * sizeof *force);
    for (uint32_t number = 0; number < search->body->element_count; number++) {
        if (search->cells[number].volume > 0) {
            add_cell(search, number, u, force);
        }
    }
    add_solid_cells(search, u, force);
    for (size_t n = 0; n < search->size; n++) {
        force[n] = moves(search, n) ? force[n] : 0;
    }
    supports_project_body(search->model, search->number, force);
}

/* Their matrices, and their part of the diagonal. */
static void make_solid_cells(struct mode_search *search)
{
    const struct solid_cells *cells = &search->model->elastic->cells;
    uint32_t number = (uint32_t)(search->body - search->model->bodies), begin = cells->body_cells[number];
    size_t shift = 3 * (size_t)search->body->first_vertex;
    const struct cell_state state = {NULL, NULL};
    double out[3 * CELL_MOST_CORNERS], blocks[9 * CELL_MOST_CORNERS * CELL_MOST_CORNERS];
    struct element_pass pass = {.now = search->rest, .start = search->rest};
    memcpy(search->rest + shift, search->body->rest, search->size * sizeof *search->rest);
    for (uint32_t c = begin; c < cells->body_cells[number + 1]; c++) {
        const struct solid_cell *cell = &cells->cells[c];
        uint32_t first = cell->first_point - cells->cells[begin].first_point, count = cell->corner_count;
        solid_cell_gradient(cells, c, &state, &pass, search->matrices + 81 * (size_t)first, out);
        solid_cell_stiffness(cells, c, &state, search->rest, 0, blocks);
        for (uint32_t n = 0; n < 3 * count; n++) {
            search->diagonal[3 * (size_t)cells->corners[cell->first_corner + n / 3] - shift + n % 3] +=
                blocks[9 * (size_t)(n / 3) * (count + 1) + 4 * (n % 3)];
        }
    }
}

static void make_diagonal(struct mode_search *search)
{
    memset(search->diagonal, 0, search->size * sizeof *search->diagonal);
    for (uint32_t number = 0; number < search->body->element_count; number++) {
        const struct rest_cell *cell = &search->cells[number];
        for (int n = 0; n < 4; n++) {
            const double *g = cell->gradients[n];
            size_t v = search->body->corners[4 * (size_t)number + (size_t)n];
            for (int axis = 0; axis < 3; axis++) {
                search->diagonal[3 * v + (size_t)axis] +=
                    cell->volume * (search->mu * sim_dot(g, g) + (search->mu + search->lambda) * g[axis] * g[axis]);
            }
        }
    }
    make_solid_cells(search);
}

/* ---- vectors ----------------------------------------------------------------------------------------------------- */

/* By the masses. */
static double product_of(const struct mode_search *search, const double *a, const double *b)
{
    double sum = 0;
    for (size_t n = 0; n < search->size; n++) {
        sum += mass_of(search, n) * a[n] * b[n];
    }
    return sum;
}

static double plain_product(const struct mode_search *search, const double *a, const double *b)
{
    double sum = 0;
    for (size_t n = 0; n < search->size; n++) {
        sum += a[n] * b[n];
    }
    return sum;
}

static void add_vector(const struct mode_search *search, double *sum, double factor, const double *a)
{
    for (size_t n = 0; n < search->size; n++) {
        sum[n] += factor * a[n];
    }
}

static void scale_vector(const struct mode_search *search, double *a, double factor)
{
    for (size_t n = 0; n < search->size; n++) {
        a[n] *= factor;
    }
}

static void remove_rigid(const struct mode_search *search, double *a)
{
    for (uint32_t m = 0; m < search->rigid_count; m++) {
        add_vector(search, a, -product_of(search, a, search->rigid[m]), search->rigid[m]);
    }
    supports_project_body(search->model, search->number, a);
    supports_remove_whole(search->model, search->number, search->body->rest, a);
}

static void make_rigid_modes(struct mode_search *search)
{
    const double *rest = search->body->rest;
    for (uint32_t m = 0; m < RIGID_MODES && search->is_free; m++) {
        double *mode = search->rigid[m], axis[3] = {m % 3 == 0, m % 3 == 1, m % 3 == 2}, before;
        for (size_t v = 0; v < search->body->vertex_count; v++) {
            if (m < 3) {
                memcpy(mode + 3 * v, axis, sizeof axis);
            } else {
                double arm[3];
                sim_subtract(rest + 3 * v, rest, arm);
                sim_cross(axis, arm, mode + 3 * v);
            }
        }
        before = product_of(search, mode, mode);
        remove_rigid(search, mode); /* those found so far */
        remove_rigid(search, mode);
        double square = product_of(search, mode, mode);
        if (square > 1e-20 * before) {
            scale_vector(search, mode, 1 / sqrt(square));
            search->rigid_count++;
        }
    }
}

/* Smooth, and not orthogonal to any likely first mode: bent along all axes away from what is held, or from the middle. */
static void make_start(struct mode_search *search)
{
    const double weights[3] = {0.5, 0.7, 1};
    const double *rest = search->body->rest;
    double middle[3] = {0, 0, 0}, held = 0;
    bool around_all = true; /* nothing is held, or along some directions only */
    for (size_t v = 0; v < search->body->vertex_count; v++) {
        around_all = around_all && moves(search, 3 * v);
    }
    for (size_t v = 0; v < search->body->vertex_count; v++) {
        if (around_all || !moves(search, 3 * v)) {
            sim_add_scaled(middle, 1, rest + 3 * v);
            held++;
        }
    }
    for (size_t v = 0; v < search->body->vertex_count; v++) {
        double arm[3];
        for (int axis = 0; axis < 3; axis++) {
            arm[axis] = rest[3 * v + (size_t)axis] - middle[axis] / held;
        }
        for (size_t axis = 0; axis < 3; axis++) {
            double bend = sim_dot(arm, arm) - arm[axis] * arm[axis] * (around_all ? 1 : 0);
            search->vectors[0][3 * v + axis] = moves(search, 3 * v) ? weights[axis] * bend : 0;
        }
    }
    remove_rigid(search, search->vectors[0]);
}

/* ---- iterations -------------------------------------------------------------------------------------------------- */

/* Makes vectors[which] orthogonal to those before it and of mass 1, its product with K likewise; false: nothing is
 * left of it. */
static bool make_orthonormal(struct mode_search *search, int which)
{
    double *vector = search->vectors[which], before = product_of(search, vector, vector);
    for (int round = 0; round < 2; round++) {
        for (int other = 0; other < which; other++) {
            double part = product_of(search, vector, search->vectors[other]);
            add_vector(search, vector, -part, search->vectors[other]);
            add_vector(search, search->products[which], -part, search->products[other]);
        }
    }
    double square = product_of(search, vector, vector);
    if (!(square > 1e-24 * before) || !(square > 0)) {
        return false;
    }
    scale_vector(search, vector, 1 / sqrt(square));
    scale_vector(search, search->products[which], 1 / sqrt(square));
    return true;
}

/* The eigenvector of the least eigenvalue of a symmetric matrix, by Jacobi's rotations. */
static void least_eigenvector(double matrix[3][3], int count, double vector[3])
{
    double basis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int sweep = 0; sweep < 30; sweep++) {
        for (int p = 0; p < count; p++) {
            for (int q = p + 1; q < count; q++) {
                if (matrix[p][q] == 0) {
                    continue;
                }
                double ratio = (matrix[q][q] - matrix[p][p]) / (2 * matrix[p][q]);
                double t = (ratio < 0 ? -1 : 1) / (fabs(ratio) + sqrt(1 + ratio * ratio)), c = 1 / sqrt(1 + t * t);
                for (int k = 0; k < count; k++) {
                    double a = matrix[k][p], b = matrix[k][q];
                    matrix[k][p] = c * (a - t * b);
                    matrix[k][q] = c * (t * a + b);
                }
                for (int k = 0; k < count; k++) {
                    double a = matrix[p][k], b = matrix[q][k], u = basis[k][p], w = basis[k][q];
                    matrix[p][k] = c * (a - t * b);
                    matrix[q][k] = c * (t * a + b);
                    basis[k][p] = c * (u - t * w);
                    basis[k][q] = c * (t * u + w);
                }
            }
        }
    }
    int least = 0;
    for (int k = 1; k < count; k++) {
        least = matrix[k][k] < matrix[least][least] ? k : least;
    }
    for (int k = 0; k < 3; k++) {
        vector[k] = basis[k][least];
    }
}

/* The iterate becomes the best vector of the span; the last direction is what was added to it. */
static void combine(struct mode_search *search, int count, const double parts[3])
{
    for (size_t n = 0; n < search->size; n++) {
        double *const *v = search->vectors, *const *k = search->products;
        double step = parts[1] * v[1][n] + (count > 2 ? parts[2] * v[2][n] : 0);
        double force = parts[1] * k[1][n] + (count > 2 ? parts[2] * k[2][n] : 0);
        v[2][n] = step;
        k[2][n] = force;
        v[0][n] = parts[0] * v[0][n] + step;
        k[0][n] = parts[0] * k[0][n] + force;
    }
}

static void iterate(struct mode_search *search, double *square, uint32_t *iterations)
{
    double history[SETTLE] = {0};
    bool has_direction = false;
    remove_rigid(search, search->vectors[0]);
    apply_stiffness(search, search->vectors[0], search->products[0]);
    make_orthonormal(search, 0);
    for (uint32_t round = 0; round < MOST_ITERATIONS; round++) {
        double *x = search->vectors[0], *residual = search->vectors[1], matrix[3][3], parts[3];
        *square = plain_product(search, x, search->products[0]);
        *iterations = round;
        if (!(*square > 0) || (round >= SETTLE && history[round % SETTLE] - *square <= SETTLED * *square)) {
            return;
        }
        history[round % SETTLE] = *square;
        for (size_t n = 0; n < search->size; n++) {
            double force = search->products[0][n] - *square * mass_of(search, n) * x[n];
            residual[n] = moves(search, n) && search->diagonal[n] > 0 ? force / search->diagonal[n] : 0;
        }
        remove_rigid(search, residual);
        apply_stiffness(search, residual, search->products[1]);
        if (!make_orthonormal(search, 1)) {
            return;
        }
        int count = has_direction && make_orthonormal(search, 2) ? 3 : 2;
        for (int a = 0; a < count; a++) {
            for (int b = 0; b < count; b++) {
                matrix[a][b] = plain_product(search, search->vectors[a], search->products[b]);
            }
        }
        least_eigenvector(matrix, count, parts);
        combine(search, count, parts);
        has_direction = true;
    }
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static size_t matrix_numbers(const struct mode_search *search)
{
    const struct solid_cells *cells = &search->model->elastic->cells;
    uint32_t number = (uint32_t)(search->body - search->model->bodies), begin = cells->body_cells[number];
    uint32_t end = cells->body_cells[number + 1];
    uint32_t last = end < cells->count ? cells->cells[end].first_point : cells->point_count;
    return begin < end ? 81 * (size_t)(last - cells->cells[begin].first_point) : 1;
}

static bool open_search(struct mode_search *search, dent_context *context, double **vectors)
{
    size_t count = search->is_free ? 7 + RIGID_MODES : 7;
    *vectors = dent_allocate(context, count * search->size, sizeof **vectors);
    search->cells = dent_allocate(context, search->body->element_count, sizeof *search->cells);
    search->matrices = dent_allocate(context, matrix_numbers(search), sizeof *search->matrices);
    search->rest = dent_allocate(context, 3 * (size_t)search->model->vertex_count, sizeof *search->rest);
    search->moved = dent_allocate(context, 3 * (size_t)search->model->vertex_count, sizeof *search->moved);
    if (!*vectors || !search->cells || !search->matrices || !search->rest || !search->moved) {
        return false;
    }
    memset(*vectors, 0, count * search->size * sizeof **vectors);
    for (size_t n = 0; n < 3; n++) {
        search->vectors[n] = *vectors + n * search->size;
        search->products[n] = *vectors + (3 + n) * search->size;
    }
    search->diagonal = *vectors + 6 * search->size;
    for (size_t m = 0; m < RIGID_MODES; m++) {
        search->rigid[m] = search->is_free ? *vectors + (7 + m) * search->size : NULL;
    }
    for (uint32_t number = 0; number < search->body->element_count; number++) {
        if (!solid_cell_is_plain(search->model, search->body, sim_element_cell(search->body, number)) ||
            !make_cell(search->body, number, &search->cells[number])) {
            memset(&search->cells[number], 0, sizeof search->cells[number]);
        }
    }
    return true;
}

dent_status first_mode_square(const struct sim_model *model, uint32_t number, double *square, uint32_t *iterations)
{
    const struct sim_body *body = &model->bodies[number];
    const dent_sim_material *material = &model->materials[body->material];
    struct mode_search search = {.model = model, .body = body, .number = number, .size = 3 * (size_t)body->vertex_count};
    double *vectors = NULL;
    search.lambda = material->young * material->poisson / ((1 + material->poisson) * (1 - 2 * material->poisson));
    search.mu = material->young / (2 * (1 + material->poisson));
    search.is_free = true;
    for (size_t v = 0; v < body->vertex_count; v++) {
        search.is_free = search.is_free && moves(&search, 3 * v);
    }
    search.is_free = search.is_free && !supports_hold_body(model, number);
    *square = 0;
    *iterations = 0;
    dent_status status = open_search(&search, model->context, &vectors) ? DENT_OK : sim_no_memory(model->context);
    if (status == DENT_OK) {
        make_diagonal(&search);
        make_rigid_modes(&search);
        make_start(&search);
        iterate(&search, square, iterations);
        *square = *square > 0 ? *square : 0; /* nothing moves, or rounding */
    }
    dent_release(model->context, search.cells, body->element_count, sizeof *search.cells);
    dent_release(model->context, search.matrices, matrix_numbers(&search), sizeof *search.matrices);
    dent_release(model->context, search.rest, 3 * (size_t)model->vertex_count, sizeof *search.rest);
    dent_release(model->context, search.moved, 3 * (size_t)model->vertex_count, sizeof *search.moved);
    dent_release(model->context, vectors, (search.is_free ? 7 + RIGID_MODES : 7) * search.size, sizeof *vectors);
    return status;
}
