/* Page 3 of the tutorial: reads mesh files and reports which of their bodies penetrate, how deep, and how much.
 *
 *     cc 3_own_meshes.c $(pkg-config --cflags --libs dent_io dent) -o 3_own_meshes && ./3_own_meshes FILE...
 */
#include <dent/dent.h>
#include <dent/mesh_io.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(dent_context *context)
{
    char text[1024];
    dent_context_message(context, text, sizeof text); /* the last failure of anything made with the context */
    fprintf(stderr, "%s\n", text);
    return 1;
}

/* snippet: read */
static dent_status add_file(dent_context *context, dent_world *world, const char *path, dent_mesh **mesh)
{
    dent_status status = dent_mesh_read(context, path, NULL, mesh);
    if (status != DENT_OK) {
        return status;
    }
    dent_body_id *ids = calloc((*mesh)->body_count + 1, sizeof *ids);
    status = dent_mesh_add_to_world(*mesh, world, ids); /* borrows the positions: the mesh must live on */
    free(ids);
    return status;
}
/* end of snippet */

static int report(dent_context *context, dent_world *world)
{
    /* snippet: check */
    dent_check_def ask = dent_check_def_default();
    ask.volumes = true;
    dent_check_result found;
    if (dent_world_check(world, &ask, &found) != DENT_OK) {
        return fail(context);
    }
    const dent_body_id *ids = dent_world_body_ids(world, NULL);
    for (uint64_t i = 0; i < found.pair_count; i++) {
        const dent_body_contact *pair = &found.pairs[i];
        printf("%s and %s: %s, %g deep, volume %g\n", dent_body_name(world, ids[pair->body_a]),
               dent_body_name(world, ids[pair->body_b]),
               pair->state == DENT_BODY_PAIR_PENETRATING ? "penetrate" : "touch", pair->max_depth, pair->volume);
    }
    printf("%d pairs of bodies penetrate\n", (int)found.penetrating_pairs);
    /* end of snippet */
    return 0;
}

int main(int count, char **paths)
{
    dent_context *context = dent_context_create(NULL, NULL);
    dent_world *world = dent_world_create(context);
    dent_mesh **meshes = calloc((size_t)count + 1, sizeof *meshes);
    dent_status status = DENT_OK;
    for (int i = 1; i < count && status == DENT_OK; i++) {
        status = add_file(context, world, paths[i], &meshes[i]);
    }
    int result = status == DENT_OK ? report(context, world) : fail(context);
    dent_world_destroy(world);
    for (int i = 1; i < count; i++) {
        dent_mesh_destroy(context, meshes[i]);
    }
    free(meshes);
    dent_context_destroy(context);
    return result;
}
