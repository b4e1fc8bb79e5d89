/* A swarm: equal solids with homes on a jittered lattice, each turned about its own axis.
 *
 * Placement 1 puts the homes so far apart that nothing can touch; smaller placements draw all homes towards one point
 * and all rotations towards none, until at 0 the bodies are nested in one another. Waves are three shears, one after
 * the other, each moving one coordinate by a sine of another: smooth maps of determinant one, so that gentle waves
 * invert no cell. Every body has its own phases, so the total overlap hardly changes while all of it moves. */
#include "swarm.h"

#include "scenes/elementary_functions.h"
#include "scenes/mesher/mesh_blocks.h"
#include "overlap_solver.h"

#include <math.h>

const dent_scene_parameter_info swarm_parameters[SWARM_PARAMETER_COUNT] = {
    {"inside", "share of all vertices that lie inside a cell", 0.075, 0, 0.8},
    {"amplitude", "height of the waves, times the usual one; above about 5 cells may invert", 1, 0, 20},
};

/* One body. */
struct swarm_body {
    double home[3];  /* at placement 1 */
    double axis[3];  /* unit */
    double turn;     /* radians at placement 1 */
    double phase[7]; /* three of the waves, three of the drift, one of the rotation; radians */
};

struct swarm_state {
    struct swarm_def def;
    struct swarm_body bodies[];
};

/* ---- creation ---------------------------------------------------------------------------------------------------- */

/* A direction without trigonometry: the first of a sequence of points in the cube that lies in the unit ball. */
static void random_direction(dent_random *random, double axis[3])
{
    double square;
    do {
        square = 0;
        for (int i = 0; i < 3; i++) {
            axis[i] = 2 * dent_random_unit(random) - 1;
            square += axis[i] * axis[i];
        }
    } while (square > 1 || square < 0.01);
    double length = sqrt(square);
    for (int i = 0; i < 3; i++) {
        axis[i] /= length;
    }
}

/* The most cubic box of whole numbers with room for n. */
static void lattice_counts(uint32_t n, uint32_t counts[3])
{
    counts[0] = scene_round(ceil(scene_cube_root(n) - 1e-9), 1);
    counts[1] = scene_round(ceil(sqrt((double)n / counts[0]) - 1e-9), 1);
    counts[2] = (n + counts[0] * counts[1] - 1) / (counts[0] * counts[1]);
}

static void place_bodies(struct swarm_state *state, double amplitude)
{
    const struct swarm_def *def = &state->def;
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        double size = def->shape ? def->extent[axis] : def->cubes[axis] * def->edge;
        double extent = size + 2 * amplitude * (def->wave[0] + def->wave[1] + def->wave[2]);
        square += extent * extent;
    }
    double spacing = 1.5 * (sqrt(square) + 4 * def->drift);
    uint32_t counts[3];
    lattice_counts(def->body_count, counts);
    dent_random random = dent_random_seeded(def->seed);
    for (uint32_t i = 0; i < def->body_count; i++) {
        struct swarm_body *body = &state->bodies[i];
        uint32_t place[3] = {i % counts[0], i / counts[0] % counts[1], i / counts[0] / counts[1]};
        for (int axis = 0; axis < 3; axis++) {
            double jitter = 0.5 * (dent_random_unit(&random) - 0.5);
            body->home[axis] = ((double)place[axis] - 0.5 * (counts[axis] - 1.0) + jitter) * spacing;
        }
        random_direction(&random, body->axis);
        body->turn = def->turn * dent_random_unit(&random);
        for (int p = 0; p < 7; p++) {
            body->phase[p] = 2 * SCENE_PI * dent_random_unit(&random);
        }
    }
}

dent_status swarm_build(dent_scene *scene, const struct swarm_def *def)
{
    dent_status status =
        scene_check_size(scene, def->body_count, mesh_block_vertices(def->cubes), mesh_block_tetrahedra(def->cubes));
    if (status == DENT_OK) {
        status = scene_reserve(scene, 1, def->body_count);
    }
    if (status == DENT_OK) {
        status = mesh_block_create(scene->context, def->cubes, &scene->meshes[0]);
    }
    if (status == DENT_OK) {
        /* The def at the front takes the room of a few bodies. */
        size_t front = (sizeof(struct swarm_state) + sizeof(struct swarm_body) - 1) / sizeof(struct swarm_body);
        status = scene_allocate_state(scene, front + def->body_count, sizeof(struct swarm_body));
    }
    if (status != DENT_OK) {
        return status;
    }
    for (size_t i = 0; i < 3 * (size_t)scene->meshes[0].vertex_count; i++) {
        scene->meshes[0].reference[i] *= def->edge;
    }
    if (def->shape) {
        def->shape(scene, def, &scene->meshes[0]);
    }
    struct swarm_state *state = scene->state;
    state->def = *def;
    place_bodies(state, scene->parameters[SWARM_AMPLITUDE]);
    for (uint32_t i = 0; i < def->body_count; i++) {
        scene_add_body(scene, def->body_name, i, &scene->meshes[0]);
    }
    return overlap_solve(scene, scene->parameters[SWARM_INSIDE]);
}

/* ---- motion ------------------------------------------------------------------------------------------------------ */

/* Rodrigues' formula, row by row. */
static void rotation_about(const double axis[3], double angle, double matrix[9])
{
    struct scene_sine_cosine turn = scene_sine_cosine(angle);
    double rest = 1 - turn.cosine;
    double x = axis[0], y = axis[1], z = axis[2];
    matrix[0] = turn.cosine + rest * x * x;
    matrix[1] = rest * x * y - turn.sine * z;
    matrix[2] = rest * x * z + turn.sine * y;
    matrix[3] = rest * y * x + turn.sine * z;
    matrix[4] = turn.cosine + rest * y * y;
    matrix[5] = rest * y * z - turn.sine * x;
    matrix[6] = rest * z * x - turn.sine * y;
    matrix[7] = rest * z * y + turn.sine * x;
    matrix[8] = turn.cosine + rest * z * z;
}

void swarm_pose(const dent_scene *scene, uint32_t index, uint32_t frame, double *positions)
{
    const struct swarm_state *state = scene->state;
    const struct swarm_def *def = &state->def;
    const struct swarm_body *body = &state->bodies[index];
    double time = 2 * SCENE_PI * (frame % SWARM_FRAMES) / SWARM_FRAMES;
    double placement = scene->placement;

    /* Tightly packed bodies move alike and are of slightly different sizes, nested in one another at placement 0. */
    double looseness = 5 * placement < 1 ? 5 * placement : 1;
    double size = 1 + 0.1 * (1 - looseness) * (index + 0.5) / def->body_count;
    double matrix[9], centre[3];
    rotation_about(body->axis, placement * (body->turn + 0.1 * scene_sine(time + body->phase[6])), matrix);
    for (int axis = 0; axis < 3; axis++) {
        centre[axis] = placement * body->home[axis] + looseness * def->drift * scene_sine(time + body->phase[3 + axis]);
    }
    double height[3], phase[3];
    for (int w = 0; w < 3; w++) {
        height[w] = def->wave[w] * scene->parameters[SWARM_AMPLITUDE];
        phase[w] = (w == 0 ? 2 : 1) * time + looseness * body->phase[w];
    }
    const struct scene_mesh *mesh = &scene->meshes[0];
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        double x = size * mesh->reference[3 * v];
        double y = size * mesh->reference[3 * v + 1];
        double z = size * mesh->reference[3 * v + 2];
        z += height[0] * scene_sine(def->wave_number[0] * x + phase[0]);
        x += height[1] * scene_sine(def->wave_number[1] * y + phase[1]);
        y += height[2] * scene_sine(def->wave_number[2] * z + phase[2]);
        positions[3 * v] = (matrix[0] * x + matrix[1] * y) + matrix[2] * z + centre[0];
        positions[3 * v + 1] = (matrix[3] * x + matrix[4] * y) + matrix[5] * z + centre[1];
        positions[3 * v + 2] = (matrix[6] * x + matrix[7] * y) + matrix[8] * z + centre[2];
    }
}
