/* Sphere trees: how far their balls stand out of the solid, level by level, for the two builders, and what building
 * costs.
 *
 * Usage: bench_sphere_trees FILE...      closed surfaces or solids; the data kit's by default, where DENT_DATA is set
 *
 * Printed per level, over the radius of the root's ball: mean and largest protrusion (radius less the distance of the
 * centre from the surface inside, plus that outside). "split": balls of the practical splitter; "medial": balls of the
 * medial-axis builder at rest, centres on the medial axis; "medial, refit": the same faces with the balls a moving tree
 * has (small balls around the vertices). Leaves count in all levels below them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <dent/dent.h>
#include <dent/mesh_io.h>

#include "query/deadline/bound_tree_object.h"
#include "structures/bounds/medial_tree.h"

enum { ROWS = 3 };

static const char *const row_names[ROWS] = {"split", "medial", "medial, refit"};

static const char *const kit_files[] = {
    "meshes/tets-ipc/sphere1K.msh.xz", "meshes/organ-sofa/liver2.msh", "meshes/tets-ipc/bunny.msh.xz",
    "meshes/jaw-artisynth/tmj-discs/CEY_disc_left.obj", "meshes/tets-ipc/32770_octocat.msh.xz"};

static void print_levels(dent_bound_tree *tree, const struct bound_tree *surface, int row, double unit)
{
    dent_bound_tree_info facts = dent_bound_tree_get_info(tree);
    double sums[BOUND_LEVELS_MAX] = {0}, worst[BOUND_LEVELS_MAX] = {0};
    uint32_t counts[BOUND_LEVELS_MAX] = {0};
    for (uint32_t i = 0; i < facts.nodes; i++) {
        dent_bound_node node = dent_bound_tree_node(tree, i);
        double protrusion = row == 1 ? node.protrusion : ball_protrusion(surface, node.center, node.radius);
        uint32_t last = node.child_count == 0 ? facts.levels : node.level + 1;
        for (uint32_t level = node.level; level < last; level++) {
            sums[level] += protrusion / unit;
            worst[level] = fmax(worst[level], protrusion / unit);
            counts[level]++;
        }
    }
    printf("  %-14s", row_names[row]);
    for (uint32_t level = 0; level < facts.levels; level++) {
        printf("  %6u: %.4f %.4f", counts[level], sums[level] / counts[level], worst[level]);
    }
    printf("\n");
}

static double processor_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static void compare_builders(dent_world *world, dent_body_id id, const char *file)
{
    dent_bound_tree *trees[2] = {NULL, NULL};
    dent_bound_tree_def def = dent_bound_tree_def_default();
    double spent[2];
    for (int i = 0; i < 2; i++) {
        double before = processor_ms();
        def.builder = i ? DENT_BUILD_MEDIAL : DENT_BUILD_SPLIT;
        def.kind = DENT_BOUND_SPHERES;
        if (dent_bound_tree_create(world, id, &def, &trees[i]) != DENT_OK) {
            printf("%s: %s\n", file, dent_world_message(world));
            dent_bound_tree_destroy(trees[0]);
            return;
        }
        spent[i] = processor_ms() - before;
    }
    dent_bound_tree_info split = dent_bound_tree_get_info(trees[0]), medial = dent_bound_tree_get_info(trees[1]);
    printf("%s, %s: %u faces; built in %.1f ms (split), %.0f ms (medial) of CPU time; nodes %u and %u, levels %u "
           "and %u\n",
           file, dent_body_name(world, id), split.faces, spent[0], spent[1], split.nodes, medial.nodes, split.levels,
           medial.levels);
    printf("  level:          nodes: mean and largest protrusion over the radius\n");
    double unit = dent_bound_tree_node(trees[0], 0).radius;
    for (int row = 0; row < ROWS; row++) {
        print_levels(trees[row > 0], &trees[0]->tree, row, unit);
    }
    fflush(stdout);
    dent_bound_tree_destroy(trees[0]);
    dent_bound_tree_destroy(trees[1]);
}

static void compare_file(dent_context *context, const char *path)
{
    dent_mesh *mesh;
    char message[512];
    if (dent_mesh_read(context, path, NULL, &mesh) != DENT_OK) {
        dent_context_message(context, message, sizeof message);
        printf("%s\n", message);
        return;
    }
    dent_world *world = dent_world_create(context);
    dent_body_id ids[64];
    if (mesh->body_count <= 64 && dent_mesh_add_to_world(mesh, world, ids) == DENT_OK) {
        const char *name = strrchr(path, '/');
        compare_builders(world, ids[0], name ? name + 1 : path);
    }
    dent_world_destroy(world);
    dent_mesh_destroy(context, mesh);
}

int main(int count, char **arguments)
{
    dent_context *context = dent_context_create(NULL, NULL);
    const char *kit = getenv("DENT_DATA");
    for (int i = 1; i < count; i++) {
        compare_file(context, arguments[i]);
    }
    for (size_t i = 0; count < 2 && kit && i < sizeof kit_files / sizeof *kit_files; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", kit, kit_files[i]);
        compare_file(context, path);
    }
    if (count < 2 && !kit) {
        fprintf(stderr, "usage: bench_sphere_trees FILE...   (or set DENT_DATA to the data kit)\n");
        return 2;
    }
    dent_context_destroy(context);
    return 0;
}
