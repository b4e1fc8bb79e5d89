/* physics_beam.c — stiffness: the frequency of a clamped beam, the sag of a cantilever, a bar between two plates.
 *
 * Frequency. The beam starts in the shape of its first mode and is let go, without gravity and damping. Its modal
 * coordinate is sampled, and the damped oscillation that fits the samples best (Prony's method, least squares) gives
 * the frequency. Effective stiffness is the square of this frequency over that of the reference: the eigenvalue of the
 * same mesh (physics_modal.h), or the same simulation with its step halved until the frequency settles. */
#include "physics_modal.h"
#include "physics_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BEAM_WIDTH 0.15
#define BEAM_HEIGHT 0.1
#define BEAM_LENGTH PHYSICS_BEAM_LENGTH
#define CLAMP_LIMIT PHYSICS_CLAMP_LIMIT
static const uint32_t beam_cells[3] = {12, 2, 2};

physics_mesh physics_beam_mesh(dent_context *context)
{
    const double low[3] = {0, -BEAM_WIDTH / 2, 0}, high[3] = {BEAM_LENGTH, BEAM_WIDTH / 2, BEAM_HEIGHT};
    return physics_box(context, beam_cells, low, high);
}

/* ---- frequency ------------------------------------------------------------------------------------------- */

enum { BEAM_SAMPLES = 10 };

/* Angular frequency of the beam in the simulator, with the step divided by `finer`; 0: it does not swing. */
static double swing(dent_context *context, const dent_sim_material *material, double omega, uint32_t finer,
                    physics_modal *modal, double *shape, physics_result *result)
{
    physics_stage stage;
    double found = 0, samples[BEAM_SAMPLES];
    physics_open(&stage, context);
    stage.materials[0] = *material;
    memset(stage.def.gravity, 0, sizeof stage.def.gravity);
    stage.def.contacts = false;
    stage.def.time_step /= finer;
    uint32_t body = physics_add(&stage, DENT_SIM_SOLID, physics_beam_mesh(context));
    physics_fix_below(&stage, body, 0, CLAMP_LIMIT);
    physics_mesh rest = physics_beam_mesh(context);
    double tip = 0;
    for (uint32_t n = 0; n < 3 * rest.vertex_count; n++) {
        tip = fmax(tip, fabs(shape[n]));
    }
    for (uint32_t n = 0; n < 3 * rest.vertex_count && !stage.failed; n++) {
        stage.meshes[body].positions[n] += 0.003 * BEAM_LENGTH / tip * shape[n];
    }
    stage.bodies[body].rest = rest.positions;
    /* About one radian of the true oscillation between samples. */
    uint32_t stride = (uint32_t)fmax(1, floor(1 / (omega * stage.def.time_step)));
    bool good = rest.vertex_count > 0 && physics_begin(&stage);
    for (int n = 0; n < BEAM_SAMPLES && good; n++) {
        samples[n] = physics_modal_coordinate(modal, shape, rest.positions, dent_sim_positions(stage.sim, body));
        good = n + 1 == BEAM_SAMPLES || physics_steps(&stage, stride);
    }
    if (good) {
        found = physics_swing_angle(samples, BEAM_SAMPLES) / (stride * stage.def.time_step);
    } else {
        physics_fail(result, &stage);
    }
    physics_mesh_free(&rest);
    physics_close(&stage);
    return found;
}

/* The step is halved until the frequency changes by less than 0.2 %, at most 6 times. */
static double converged_frequency(dent_context *context, const dent_sim_material *material, double omega,
                                  physics_modal *modal, double *shape, physics_result *result)
{
    double before = 0, now = 0;
    for (uint32_t finer = 4; finer <= 256; finer *= 2) {
        before = now;
        now = swing(context, material, omega, finer, modal, shape, result);
        if (fabs(now - before) <= 0.001 * now) {
            break;
        }
    }
    return now;
}

void measure_beam_frequency(dent_context *context, const physics_case *row, physics_result *result)
{
    physics_modal modal;
    physics_mesh mesh = physics_beam_mesh(context);
    dent_sim_material material = dent_sim_material_default();
    material.young = row->parameters[0];
    material.poisson = row->parameters[1];
    material.damping = 0;
    double *shape = dent_allocate(context, 3 * (size_t)mesh.vertex_count, sizeof *shape);
    if (mesh.vertex_count > 0 && shape != NULL && physics_modal_open(&modal, &mesh, &material, CLAMP_LIMIT)) {
        double omega = physics_modal_first(&modal, shape), reference = omega;
        if (row->parameters[2] > 0) {
            reference = converged_frequency(context, &material, omega, &modal, shape, result);
        }
        double found = swing(context, &material, omega, 1, &modal, shape, result);
        physics_judge(result, reference / (2 * 3.14159265358979323846), found / (2 * 3.14159265358979323846));
        result->value *= result->value; /* stiffness goes with the square of the frequency */
        snprintf(result->note, sizeof result->note, "effective stiffness; w h = %.2g at 1/600 s", omega / 600);
        physics_modal_close(&modal);
    }
    dent_release(context, shape, 3 * (size_t)mesh.vertex_count, sizeof *shape);
    physics_mesh_free(&mesh);
}

/* ---- sag ------------------------------------------------------------------------------------------------- */

static double timoshenko_sag(const dent_sim_material *material)
{
    double area = BEAM_WIDTH * BEAM_HEIGHT, inertia = BEAM_WIDTH * pow(BEAM_HEIGHT, 3) / 12;
    double load = material->density * PHYSICS_GRAVITY * area, length = BEAM_LENGTH;
    double shear = material->young / (2 * (1 + material->poisson));
    double factor = 10 * (1 + material->poisson) / (12 + 11 * material->poisson);
    return load * pow(length, 4) / (8 * material->young * inertia) +
           load * length * length / (2 * factor * shear * area);
}

/* Mean displacement downwards of the free end. */
static double end_sag(const physics_mesh *mesh, const double *rest, const double *positions)
{
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        if (rest[3 * (size_t)v] >= BEAM_LENGTH - CLAMP_LIMIT) {
            sum += rest[3 * (size_t)v + 2] - positions[3 * (size_t)v + 2];
            count++;
        }
    }
    return sum / count;
}

void measure_sag(dent_context *context, const physics_case *row, physics_result *result)
{
    physics_stage stage;
    physics_modal modal;
    physics_mesh rest = physics_beam_mesh(context);
    size_t count = 3 * (size_t)rest.vertex_count;
    physics_open(&stage, context);
    stage.materials[0].young = row->parameters[0];
    stage.materials[0].poisson = row->parameters[1];
    stage.def.contacts = false;
    uint32_t body = physics_add(&stage, DENT_SIM_SOLID, physics_beam_mesh(context));
    physics_fix_below(&stage, body, 0, CLAMP_LIMIT);
    physics_choose_elements(&stage, body, (dent_sim_elements)row->parameters[3], beam_cells);
    double *solution = dent_allocate(context, count, sizeof *solution);
    if (count > 0 && solution != NULL && physics_modal_open(&modal, &rest, &stage.materials[0], CLAMP_LIMIT)) {
        double omega = physics_modal_first(&modal, solution);
        stage.materials[0].damping = 2 / omega; /* critical for the first mode */
        physics_modal_sag(&modal, stage.def.gravity, solution);
        for (size_t n = 0; n < count; n++) {
            solution[n] += rest.positions[n];
        }
        double exact = end_sag(&rest, rest.positions, solution), theory = timoshenko_sag(&stage.materials[0]);
        bool good =
            physics_begin(&stage) && physics_steps(&stage, (uint32_t)ceil(20 / omega / stage.def.time_step) + 10);
        if (good) {
            double found = end_sag(&rest, rest.positions, dent_sim_positions(stage.sim, body));
            physics_judge(result, row->parameters[2] > 0 ? theory : exact, found);
            snprintf(result->note, sizeof result->note,
                     "two cells of thickness; linear tetrahedra solved directly: %.3f of "
                     "Timoshenko",
                     exact / theory);
        } else {
            physics_fail(result, &stage);
        }
        physics_modal_close(&modal);
    }
    dent_release(context, solution, count, sizeof *solution);
    physics_mesh_free(&rest);
    physics_close(&stage);
}

/* ---- bar ------------------------------------------------------------------------------------------------- */

/* A bar of 0.1 x 0.1 x 0.3 m between two plates without friction that come nearer by 0.02 % of its length. */
#define BAR_WIDTH 0.1
#define BAR_LENGTH 0.3
#define BAR_STRAIN 2e-4

typedef struct bar_state {
    double length, width, force;
} bar_state;

/* Mean of coordinate `axis` over the faces of the bar that lie in a plane at the start, by area (all their triangles are
 * equally large). By reciprocity these means do not depend on how the plates share out their force. */
static double face_mean(const physics_mesh *start, const double *x, int axis, double plane)
{
    double sum = 0;
    uint32_t count = 0;
    for (size_t n = 0; n < 4 * (size_t)start->element_count; n++) {
        const uint32_t *corners = start->corners + n / 4 * 4;
        double face = 0;
        int inside = 0;
        for (size_t k = 0; k < 4; k++) {
            size_t place = 3 * (size_t)corners[k] + (size_t)axis;
            bool counts = k != n % 4 && fabs(start->positions[place] - plane) < 1e-6;
            inside += counts;
            face += counts ? x[place] / 3 : 0;
        }
        sum += inside == 3 ? face : 0;
        count += inside == 3;
    }
    return sum / count;
}

static bar_state read_bar(const physics_stage *stage, uint32_t bar, uint32_t plate)
{
    const double *x = dent_sim_positions(stage->sim, bar), bottom = 2 * PHYSICS_THICKNESS;
    const physics_mesh *start = &stage->meshes[bar];
    double force[3];
    physics_contact_force(stage, plate, force);
    return (bar_state){.length = face_mean(start, x, 2, bottom + BAR_LENGTH) - face_mean(start, x, 2, bottom),
                       .width = face_mean(start, x, 0, BAR_WIDTH / 2) - face_mean(start, x, 0, -BAR_WIDTH / 2),
                       .force = fabs(force[2])};
}

void measure_bar(dent_context *context, const physics_case *row, physics_result *result)
{
    physics_stage stage;
    const uint32_t cells[3] = {2, 2, 6}, plate_cells[3] = {2, 2, 1};
    const double gap = 2 * PHYSICS_THICKNESS, half = BAR_WIDTH / 2, low[3] = {-half, -half, gap};
    const double high[3] = {half, half, gap + BAR_LENGTH}, plate_low[3] = {-0.1, -0.1, BAR_LENGTH + 2 * gap};
    const double plate_high[3] = {0.1, 0.1, BAR_LENGTH + 2 * gap + 0.05}, shorter = BAR_STRAIN * BAR_LENGTH;
    dent_sim_keyframe keys[2] = {{0, {1, 0, 0, 0}, {0, 0, 0}}, {0.1, {1, 0, 0, 0}, {0, 0, -shorter}}};
    physics_open(&stage, context);
    stage.materials[0].young = row->parameters[0];
    stage.materials[0].poisson = row->parameters[1];
    stage.materials[0].friction_static = stage.materials[0].friction_kinetic = 0;
    stage.materials[0].damping = 0.002;
    memset(stage.def.gravity, 0, sizeof stage.def.gravity);
    physics_set_thickness(&stage, PHYSICS_THICKNESS);
    physics_add_ground(&stage, 0.3);
    uint32_t bar = physics_add(&stage, DENT_SIM_SOLID, physics_box(context, cells, low, high));
    uint32_t plate = physics_add(&stage, DENT_SIM_PRESCRIBED, physics_box(context, plate_cells, plate_low, plate_high));
    stage.bodies[plate].motion.keyframe_count = 2;
    stage.bodies[plate].motion.keyframes = keys;
    if (physics_begin(&stage)) {
        bar_state start = read_bar(&stage, bar, plate);
        if (physics_steps(&stage, 120)) {
            bar_state end = read_bar(&stage, bar, plate);
            double strain = 1 - end.length / start.length, aside = end.width / start.width - 1;
            double stress = end.force / (BAR_WIDTH * BAR_WIDTH);
            physics_judge(result, row->parameters[row->parameters[2] > 0],
                          row->parameters[2] > 0 ? aside / strain : stress / strain);
            snprintf(result->note, sizeof result->note, "strain %.4g %% of the plates' %.4g %%; force %.5g N",
                     100 * strain, 100 * BAR_STRAIN, end.force);
        }
    }
    if (stage.failed) {
        physics_fail(result, &stage);
    }
    physics_close(&stage);
}
