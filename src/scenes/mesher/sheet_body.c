/* The body that the cloth and the sheets have in common: a square of triangles. */
#include "mesh_blocks.h"
#include "scenes/scene_internal.h"

#include <math.h>

dent_status scene_build_sheet(dent_scene *scene, double size, const char *name)
{
    double cells = size * sqrt(scene->scale);
    dent_status status = scene_check_size(scene, 1, (cells + 2) * (cells + 2), 2 * (cells + 1) * (cells + 1));
    if (status == DENT_OK) {
        status = scene_reserve(scene, 1, 1);
    }
    if (status == DENT_OK) {
        status = mesh_sheet_create(scene->context, scene_round(cells, 2), &scene->meshes[0]);
    }
    if (status != DENT_OK) {
        return status;
    }
    for (size_t i = 0; i < 3 * (size_t)scene->meshes[0].vertex_count; i++) {
        scene->meshes[0].reference[i] *= size;
    }
    scene_add_body(scene, name, -1, &scene->meshes[0]);
    return DENT_OK;
}
