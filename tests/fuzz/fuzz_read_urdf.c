/* Fuzzer of read_urdf.c, urdf_document.c and the linkage under them: a robot that is read has finite positions and good
 * corners, its frames come parents first, and it can be posed. No mesh files are opened. Seeds: corpus/urdf. */
#define MEMORY_PER_BYTE ((size_t)4096) /* <sphere radius="1"/> in a collision is worth 320 triangles */
#include "fuzz_mesh_file.h"

#include <dent/urdf.h>

static void check_link(const dent_robot_link *link)
{
    fuzz_require(link->name != NULL && (link->triangle_count == 0) == (link->positions == NULL));
    for (size_t i = 0; i < 3 * (size_t)link->vertex_count; i++) {
        fuzz_require(isfinite(link->positions[i]));
    }
    for (size_t i = 0; i < 3 * (size_t)link->triangle_count; i++) {
        fuzz_require(link->triangles[i] < link->vertex_count);
    }
}

static void check_robot(dent_context *context, const dent_robot *robot)
{
    const dent_linkage *linkage = robot->linkage;
    uint32_t links = dent_linkage_link_count(linkage), values = dent_linkage_value_count(linkage);
    fuzz_require(robot->name != NULL && robot->link_count == links && dent_linkage_joint_count(linkage) == links - 1);
    for (uint32_t i = 0; i < links; i++) {
        check_link(&robot->links[i]);
        fuzz_require(dent_linkage_frame_of(linkage, i) < links);
    }
    double *q = dent_allocate(context, values, sizeof *q);
    dent_motion_frame *frames = dent_allocate(context, links, sizeof *frames);
    fuzz_require(q != NULL && frames != NULL);
    dent_linkage_zero_values(linkage, q);
    if (dent_linkage_motion(linkage, NULL, q, q, 0, frames) == DENT_OK) {
        for (uint32_t i = 0; i < links; i++) {
            fuzz_require(frames[i].parent == DENT_FRAME_WORLD || frames[i].parent < i);
        }
    }
    dent_release(context, q, values, sizeof *q);
    dent_release(context, frames, links, sizeof *frames);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_memory memory = {.limit = MEMORY_FREE + MEMORY_PER_BYTE * size};
    dent_context_def def = fuzz_context_def();
    def.allocator = (dent_allocator){fuzz_allocate, fuzz_release, &memory};
    dent_context *context = dent_context_create(&def, NULL);
    fuzz_require(context != NULL);
    size_t before = memory.in_use;
    dent_robot_read_def read = dent_robot_read_def_default();
    read.no_mesh_files = true;
    dent_robot *robot = NULL;
    if (dent_robot_read_memory(context, "r.urdf", data, size, &read, &robot) == DENT_OK) {
        check_robot(context, robot);
        dent_robot_destroy(context, robot);
    } else {
        char message[1024];
        fuzz_require(robot == NULL && dent_context_message(context, message, sizeof message) > 0);
        fuzz_require(strncmp(message, "r.urdf", 6) == 0 && strchr(message, '\n') == NULL);
    }
    fuzz_require(memory.in_use == before);
    dent_context_destroy(context);
    return 0;
}
