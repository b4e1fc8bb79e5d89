/* physics_stage.h — what the experiments of the validation table share: meshes, a simulation in the making, and what is
 * read off it. It uses the public interface only (dent/sim.h), so that the table says what any program would measure.
 *
 * A stage is opened, bodies are added, settings are changed, then it begins; after that it is stepped and measured.
 * Every failure leaves a message and makes the row fail; nothing ends the program. */
#ifndef DENT_PHYSICS_STAGE_H
#define DENT_PHYSICS_STAGE_H

#include <dent/sim.h>

enum { PHYSICS_BODY_LIMIT = 40, PHYSICS_MATERIAL_LIMIT = 4, PHYSICS_NOTE_SIZE = 200 };

/** Contact begins at twice this distance where an experiment needs to know it, m. */
#define PHYSICS_THICKNESS 0.0005
#define PHYSICS_GRAVITY 9.81

/* ---- meshes ---------------------------------------------------------------------------------------------- */

typedef struct physics_mesh {
    dent_context *context;
    bool surface; /* triangles; else tetrahedra */
    uint32_t vertex_count, element_count;
    double *positions;
    uint32_t *corners;
} physics_mesh;

/** nx * ny * nz cuboids from `low` to `high`, five tetrahedra each with alternating diagonals. `vertex_count` is 0 when
 * there is no memory. */
physics_mesh physics_box(dent_context *context, const uint32_t cells[3], const double low[3], const double high[3]);
/** A box of n^3 cells bent to a ball. */
physics_mesh physics_ball(dent_context *context, uint32_t cells, double radius, const double center[3]);
/** A square of (n + 1)^2 points, two triangles each, in z = height. */
physics_mesh physics_sheet(dent_context *context, uint32_t cells, double size, double height);
/** Moves every second inner layer of a box next to the layer below: the flattest cells get `quality` times their
 * height. The volume stays filled. */
void physics_make_slivers(physics_mesh *mesh, const uint32_t cells[3], double quality);
void physics_mesh_free(physics_mesh *mesh);

/* ---- a simulation ---------------------------------------------------------------------------------------- */

typedef struct physics_stage {
    dent_context *context;
    dent_sim *sim;
    dent_sim_def def;
    dent_sim_material materials[PHYSICS_MATERIAL_LIMIT];
    dent_sim_body_def bodies[PHYSICS_BODY_LIMIT];
    physics_mesh meshes[PHYSICS_BODY_LIMIT];
    uint32_t *fixed[PHYSICS_BODY_LIMIT];
    bool failed;
    char note[PHYSICS_NOTE_SIZE]; /* what failed */
} physics_stage;

/** Default settings; gravity and materials can be changed until physics_begin. */
void physics_open(physics_stage *stage, dent_context *context);
/** Takes the mesh over, also when it fails. Returns the body's number. */
uint32_t physics_add(physics_stage *stage, dent_sim_body_kind kind, physics_mesh mesh);
/** The elements of a solid made by physics_box with these cells: hexahedra take the place of its tetrahedra. */
void physics_choose_elements(physics_stage *stage, uint32_t body, dent_sim_elements elements, const uint32_t cells[3]);
/** A block of 0.2 m that stands still, its top at z = 0, `width` wide. */
uint32_t physics_add_ground(physics_stage *stage, double width);
/** Fixes the vertices of a solid whose coordinate `axis` is at most `limit`. */
void physics_fix_below(physics_stage *stage, uint32_t body, int axis, double limit);
/* Those at least `limit` from the middle along x or y. */
void physics_fix_border(physics_stage *stage, uint32_t body, double limit);
/** All thicknesses. */
void physics_set_thickness(physics_stage *stage, double thickness);
bool physics_begin(physics_stage *stage);
bool physics_step(physics_stage *stage);
bool physics_steps(physics_stage *stage, uint32_t count);
void physics_close(physics_stage *stage);

/* ---- measurements ---------------------------------------------------------------------------------------- */

/** Kinetic + elastic + gravity + contact + attachment energy, J. */
double physics_energy(const physics_stage *stage);
double physics_mass(const physics_stage *stage, uint32_t body);
/** Mean of the body's vertices, m and m/s. */
void physics_center(const physics_stage *stage, uint32_t body, double center[3]);
void physics_mean_velocity(const physics_stage *stage, uint32_t body, double velocity[3]);
double physics_largest_speed(const physics_stage *stage, uint32_t body);
double physics_lowest(const physics_stage *stage, uint32_t body);
/** Sum of the contact forces on a body in the last step, N. */
void physics_contact_force(const physics_stage *stage, uint32_t body, double force[3]);
/** Pairs of crossing faces by the exact test, at the present positions. */
uint64_t physics_crossings(physics_stage *stage);

/** Gains of energy over a run: add one reading per step. */
typedef struct physics_energy_watch {
    double start, highest, scale; /* scale: the energy above the rest state at the start, J */
} physics_energy_watch;
physics_energy_watch physics_watch_begin(const physics_stage *stage, double scale);
void physics_watch(physics_energy_watch *watch, const physics_stage *stage);
/** Largest energy above the start, over the scale. Infinite: a number was not finite. */
double physics_gain(const physics_energy_watch *watch);

#endif
