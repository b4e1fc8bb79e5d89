/* From a scene to a world: one body each, in the scene's order. */
#include "scene_internal.h"

dent_status dent_scene_add_to_world(const dent_scene *scene, dent_world *world, double *const *positions,
                                    dent_body_id *ids)
{
    DENT_REQUIRE(dent_world_context(world), scene);
    DENT_REQUIRE(scene->context, world);
    DENT_REQUIRE(scene->context, positions);
    DENT_REQUIRE(scene->context, ids);
    for (uint32_t i = 0; i < scene->body_count; i++) {
        const dent_scene_body *body = &scene->bodies[i];
        dent_body_def def = dent_body_def_default(body->kind);
        def.name = body->name;
        def.vertex_count = body->vertex_count;
        bool implied = dent_body_kind_get_info(body->kind)->dimension < 2; /* strands follow from first, points from vertex_count */
        def.element_count = implied ? 0 : body->element_count;
        def.element_corners = implied ? NULL : body->element_corners;
        def.strand_count = body->strand_count;
        def.first = body->first;
        def.thickness = body->thickness;
        def.positions_t0 = dent_positions_double(positions[i]);
        if (body->reference != NULL && dent_body_kind_has_cells(body->kind)) {
            def.reference = dent_positions_double(body->reference);
        }
        def.self_collision = !body->rigid; /* parts of a rigid body may overlap: they never move against each other */
        dent_status status = dent_world_add_body(world, &def, &ids[i]);
        if (status != DENT_OK) {
            /* All or nothing: the bodies added so far go again. */
            while (i-- > 0) {
                dent_world_remove_body(world, ids[i]);
            }
            return status;
        }
    }
    return DENT_OK;
}
