/* A V-shaped strip of 2 leg x width x thickness cubes of five tetrahedra each (Erleben and Sporring: Collision
 * Detection of Deformable Volumetric Meshes, the BucketTree article).
 *
 * The article's V has a sharp bottom, where cells are crushed; ours is bent over an arc just wide enough that no cell
 * inverts: its inner radius is a quarter of the thickness. Lengths along the middle line of the strip are kept. */
#include "v_shape.h"

#include "scenes/elementary_functions.h"
#include "mesh_blocks.h"

dent_status v_shape_build(dent_scene *scene, uint32_t body_count)
{
    double volume =
        2 * scene->parameters[V_LEG] * scene->parameters[V_WIDTH] * scene->parameters[V_THICKNESS] * scene->scale;
    dent_status status = scene_check_size(scene, body_count, volume, 5 * volume);
    if (status != DENT_OK) {
        return status;
    }
    double fineness = scene_cube_root(scene->scale);
    const double sizes[3] = {2 * scene->parameters[V_LEG], scene->parameters[V_WIDTH], scene->parameters[V_THICKNESS]};
    uint32_t cubes[3];
    for (int axis = 0; axis < 3; axis++) {
        cubes[axis] = scene_round(sizes[axis] * fineness, axis == 0 ? 8 : 1);
    }
    cubes[0] += cubes[0] & 1; /* both legs alike */
    status = scene_check_size(scene, body_count, mesh_block_vertices(cubes), mesh_block_tetrahedra(cubes));
    if (status == DENT_OK) {
        status = scene_reserve(scene, 1, body_count);
    }
    if (status == DENT_OK) {
        status = mesh_block_create(scene->context, cubes, &scene->meshes[0]);
    }
    if (status != DENT_OK) {
        return status;
    }
    struct scene_mesh *mesh = &scene->meshes[0];
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++) {
        mesh->reference[i] *= sizes[i % 3] / cubes[i % 3];
    }
    return DENT_OK;
}

void v_shape_bend(const dent_scene *scene, double half_angle, double *positions)
{
    const struct scene_mesh *mesh = &scene->meshes[0];
    double thickness = scene->parameters[V_THICKNESS];
    double radius = 0.75 * thickness;          /* of the middle line */
    double turn = 0.5 * SCENE_PI - half_angle; /* from the bottom to either leg */
    double arc = radius * turn;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        const double *at = mesh->reference + 3 * v;
        double along = at[0] < 0 ? -at[0] : at[0];
        double on_arc = along < arc ? along : arc;
        struct scene_sine_cosine angle = scene_sine_cosine(on_arc / radius);
        /* The local thickness direction points to the inside of the V. */
        double x = (radius - at[2]) * angle.sine + (along - on_arc) * angle.cosine;
        double y = radius - (radius - at[2]) * angle.cosine + (along - on_arc) * angle.sine;
        positions[3 * v] = at[0] < 0 ? -x : x;
        positions[3 * v + 1] = y;
        positions[3 * v + 2] = -at[1];
    }
}
