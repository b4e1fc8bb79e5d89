/* The motion of a chewing jaw: a turn about the condyles, which slide forward as it opens, and a swing to one side. */
#include "jaw_chewing.h"

#include "scenes/elementary_functions.h"
#include "scenes/mesher/jaw_shapes.h"

#include <string.h>

/* The front teeth are 87 mm from the hinge, the first molars 62 mm, and the molars are 0.5 mm shorter: closed, the jaw
 * is lifted and turned back so far that both meet at the same time. */
static const double closed_angle = 0.02, closed_lift = 0.02 * 87; /* radians, mm */

struct chewing_body {
    const struct chewing *chewing;
    const double *closed; /* the body's vertices with the teeth just closed */
};

struct jaw_place {
    struct scene_sine_cosine turn;
    double shift[3];
};

/* Where the lower jaw is: a loop, open on one side of the middle and closing on the other, with a short stop while it
 * bites. */
static struct jaw_place place_at(const struct chewing *chewing, double time)
{
    double phase = 2 * SCENE_PI * (time / chewing->period);
    double open = 0.5 + 0.5 * scene_cosine(phase);
    open = open * open; /* longer near the bite */
    double closed = scene_smooth_step(0.1, 0, open);
    struct jaw_place place = {.turn = scene_sine_cosine(-open * chewing->opening - closed * closed_angle)};
    place.shift[0] = 1.2 * open * scene_sine(phase);
    place.shift[1] = 2.5 * open;
    place.shift[2] = (chewing->bite + closed_lift) * closed - 2 * open;
    return place;
}

static void place_point(const struct jaw_place *place, const double closed[3], double point[3])
{
    double y = closed[1] - jaw_hinge[1], z = closed[2] - jaw_hinge[2];
    point[0] = closed[0] + place->shift[0];
    point[1] = (jaw_hinge[1] + (y * place->turn.cosine - z * place->turn.sine)) + place->shift[1];
    point[2] = (jaw_hinge[2] + (y * place->turn.sine + z * place->turn.cosine)) + place->shift[2];
}

static void chew(void *user, double time, uint32_t vertex_count, double *positions)
{
    const struct chewing_body *body = user;
    struct jaw_place place = place_at(body->chewing, time);
    for (size_t v = 0; v < vertex_count; v++) {
        place_point(&place, body->closed + 3 * v, positions + 3 * v);
    }
}

const double *chewing_add(struct sim_plan *plan, dent_sim_body_def *body, const struct chewing *chewing)
{
    struct chewing_body *driver = plan_allocate(plan, 1, sizeof *driver);
    double *closed = plan_allocate(plan, body->vertex_count, 3 * sizeof *closed);
    if (plan->status != DENT_OK) {
        return NULL;
    }
    memcpy(closed, body->positions, (size_t)body->vertex_count * 3 * sizeof *closed);
    driver->chewing = chewing;
    driver->closed = closed;
    chew(driver, 0, body->vertex_count, plan_positions(body));
    if (body->kind != DENT_SIM_RIGID) {
        body->motion.function = chew;
        body->motion.user = driver;
    }
    return closed;
}

struct chewing_materials chewing_add_materials(struct sim_plan *plan, double friction, const char *tissue, double young)
{
    /* kg/mm^3 and kg/(mm s^2), which is kPa. */
    struct chewing_materials materials;
    dent_sim_material material = dent_sim_material_default();
    material.name = "bone";
    material.density = 1.9e-6;
    materials.bone = plan_add_material(plan, &material);
    material.name = "enamel";
    material.density = 2.5e-6;
    material.friction_static = material.friction_kinetic = friction;
    materials.enamel = plan_add_material(plan, &material);
    material.name = tissue;
    material.density = 1.1e-6;
    material.young = 1000 * young;
    material.poisson = 0.4;
    material.damping = 0.03;
    materials.tissue = plan_add_material(plan, &material);
    return materials;
}
