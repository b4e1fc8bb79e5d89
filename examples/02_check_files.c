/* Is this model free of initial penetration? Reads mesh files and says which bodies penetrate, and how deep.
 *
 *     cc 02_check_files.c $(pkg-config --cflags --libs dent_io) && ./a.out bone.msh tooth.mesh
 */
#include <dent/dent.h>
#include <dent/mesh_io.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argument_count, char **arguments)
{
    dent_context *context = dent_context_create(NULL, NULL);
    dent_world *world = dent_world_create(context);
    dent_mesh **meshes = calloc((size_t)argument_count, sizeof *meshes);
    int failed = 0;
    for (int i = 1; i < argument_count && !failed; i++) {
        dent_body_id *ids = NULL;
        if (dent_mesh_read(context, arguments[i], NULL, &meshes[i]) != DENT_OK) {
            char message[512];
            dent_context_message(context, message, sizeof message);
            printf("%s\n", message);
            failed = 1;
        } else {
            ids = calloc(meshes[i]->body_count + 1, sizeof *ids);
            failed = dent_mesh_add_to_world(meshes[i], world, ids) != DENT_OK;
        }
        free(ids);
    }
    dent_check_def def = dent_check_def_default();
    dent_check_result result;
    if (!failed && dent_world_check(world, &def, &result) == DENT_OK) {
        for (uint64_t i = 0; i < result.pair_count; i++) {
            const dent_body_contact *pair = &result.pairs[i];
            printf("%s and %s %s, depth %g\n", dent_body_name(world, dent_world_body_at(world, pair->body_a)),
                   dent_body_name(world, dent_world_body_at(world, pair->body_b)),
                   pair->state == DENT_BODY_PAIR_PENETRATING ? "penetrate" : "touch", pair->max_depth);
        }
    }
    dent_world_destroy(world);
    for (int i = 1; i < argument_count; i++) {
        if (meshes[i]) {
            dent_mesh_destroy(context, meshes[i]); /* after the world: bodies borrow the positions */
        }
    }
    free(meshes);
    dent_context_destroy(context);
    return failed;
}
