/* Cloth of large scenes: the preconditioner sees it as it lies, and bending of flat sheets is a matrix made once. */
#include "sim/elastic/coarse_parts.h"
#include "sim/elastic/minimise.h"
#include "sim/step/sim_step.h"
#include "support_meshes.h"

#include <math.h>
#include <string.h>

enum { CELLS = 48 };

/* A sheet that is held along its middle: its halves swing down. */
struct hung {
    struct test_mesh sheet;
    dent_context *context;
    dent_sim *sim;
};

static struct hung hang(void)
{
    struct hung hung = {.sheet = test_sheet(CELLS, CELLS, 1.0 / CELLS, 0, 0, 0)};
    uint32_t fixed[CELLS + 1], count = 0;
    dent_sim_body_def body = test_body(DENT_SIM_CLOTH, &hung.sheet);
    for (uint32_t v = 0; v < hung.sheet.vertex_count; v++) {
        if (fabs(hung.sheet.positions[3 * (size_t)v] - 0.5) < 1e-9) {
            assert_true(count <= CELLS);
            fixed[count++] = v;
        }
    }
    assert_true(count == CELLS + 1);
    body.fixed_count = count;
    body.fixed_vertices = fixed;
    body.density = 0.2;
    dent_sim_def def = dent_sim_def_default();
    def.body_count = 1;
    def.bodies = &body;
    def.contacts = false;
    def.substeps = 1;
    hung.context = test_context(1, DENT_ISA_AUTO);
    hung.sim = test_sim(hung.context, &def);
    assert_true(hung.sim->work.solver.elastic.minimiser->floats.built);
    return hung;
}

static void let_go(struct hung *hung)
{
    dent_sim_destroy(hung->sim);
    dent_context_destroy(hung->context);
    test_mesh_free(&hung->sheet);
}

static void twelve_products_solve_the_equations_of_a_folded_sheet(void **unused)
{
    (void)unused;
    struct hung hung = hang();
    const struct sim_model *model = &hung.sim->model;
    struct sim_state *state = &hung.sim->state;
    struct minimiser *work = hung.sim->work.solver.elastic.minimiser;
    test_steps(hung.sim, 14);
    assert_true(coarse_refresh(model, state, &work->terms, &work->inertia, &work->space, true) == DENT_OK);
    float_refresh(model, &work->terms, &work->inertia, &work->space, &work->floats, true);
    newton_gradient(model, state, work);
    assert_true(float_start(model, work) > 0);
    double share = float_solve(model, state, work, 12, 0);
    assert_true(share >= 0 && share < 0.05);
    let_go(&hung);
}

/* Largest difference, as a part of the largest number. */
static double apart(const double *a, const double *b, size_t count)
{
    double most = 0, off = 0;
    for (size_t n = 0; n < count; n++) {
        most = fabs(b[n]) > most ? fabs(b[n]) : most;
        off = fabs(a[n] - b[n]) > off ? fabs(a[n] - b[n]) : off;
    }
    assert_true(most > 0);
    return off / most;
}

static void blocks_and_diagonal_are_those_of_the_elements_where_they_lie(void **unused)
{
    (void)unused;
    struct hung hung = hang();
    test_steps(hung.sim, 8);
    const struct sim_model *model = &hung.sim->model;
    const struct sim_state *state = &hung.sim->state;
    struct minimiser *work = hung.sim->work.solver.elastic.minimiser;
    struct coarse_space *space = &work->space;
    assert_true(space->cloth.used);
    assert_true(coarse_refresh(model, state, &work->terms, &work->inertia, space, true) == DENT_OK);
    size_t nodes = 36 * (size_t)space->node_count, pairs = 36 * (size_t)space->pair_count;
    size_t diagonal = 6 * (size_t)model->vertex_count;
    double *kept = malloc((nodes + pairs) * sizeof *kept);
    assert_non_null(kept);
    memcpy(kept, space->node_blocks, nodes * sizeof *kept);
    memcpy(kept + nodes, space->pair_blocks, pairs * sizeof *kept);
    memset(space->rest_diagonal, 0, diagonal * sizeof *kept);
    space->built = false; /* so that the diagonal is made, too */
    coarse_make_blocks(model, space, state->positions, state, work->inertia.rate, true);
    assert_true(apart(kept, space->node_blocks, nodes) < 1e-12);
    assert_true(apart(kept + nodes, space->pair_blocks, pairs) < 1e-12);
    assert_true(apart(space->diagonal, space->rest_diagonal, diagonal) < 1e-12);
    free(kept);
    let_go(&hung);
}

/* The matrix of bending times a field of numbers, against the hinges one by one. */
static void bending_as_a_matrix_is_that_of_all_hinges(void **unused)
{
    (void)unused;
    struct hung hung = hang();
    const struct elastic_mesh *mesh = hung.sim->model.elastic;
    const struct float_system *system = &hung.sim->work.solver.elastic.minimiser->floats;
    size_t slots = system->slot_count;
    double *field = calloc(slots, sizeof *field), *rows = calloc(slots, sizeof *rows);
    double *hinges = calloc(slots, sizeof *hinges);
    assert_true(field && rows && hinges);
    for (size_t s = 0; s < slots; s++) {
        field[s] = 1000 + sin(0.37 * (double)s);
    }
    for (uint32_t s = 0; s < slots; s++) {
        for (uint32_t n = system->bend_starts[s]; n < system->bend_starts[s + 1]; n++) {
            double from = n > system->bend_starts[s] ? field[s] : 0;
            rows[s] += (double)system->bend_values[n] * (field[system->bend_slots[n]] - from);
        }
    }
    for (uint32_t h = 0; h < mesh->hinge_count; h++) {
        double sum = 0;
        for (int pass = 0; pass < 2; pass++) {
            for (int k = 0; k < 4; k++) {
                uint32_t slot = system->vertex_slots[mesh->hinges[h].corners[k]];
                double weight = mesh->hinges[h].weights[k];
                if (slot < slots && pass == 0) {
                    sum += weight * field[slot];
                } else if (slot < slots) {
                    hinges[slot] += weight * sum * mesh->hinges[h].stiffness / system->stiffness;
                }
            }
        }
    }
    assert_true(apart(rows, hinges, slots) < 1e-6);
    free(field);
    free(rows);
    free(hinges);
    let_go(&hung);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twelve_products_solve_the_equations_of_a_folded_sheet),
        cmocka_unit_test(blocks_and_diagonal_are_those_of_the_elements_where_they_lie),
        cmocka_unit_test(bending_as_a_matrix_is_that_of_all_hinges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
