/* The list of formats, and the calls that read by it. */
#include "reader_table.h"

#include "io/model/mesh_storage.h"
#include "io/bytes/try_status.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct mesh_format formats[] = {
    {".msh", "Gmsh", read_gmsh},
    {".mesh", "MEDIT", read_medit},
    {".meshb", "MEDIT binary", read_medit},
    {".node", "TetGen", read_tetgen},
    {".ele", "TetGen", read_tetgen},
    {".vtk", "VTK legacy", read_vtk},
    {".vtu", "VTK XML", read_vtu},
    {".obj", "OBJ", read_obj},
    {".stl", "STL", read_stl},
    {".ply", "PLY", read_ply},
    {".vtp", "VTK XML", read_vtu},
    {".pcd", "PCD", read_pcd},
    {".xyz", "points", read_xyz},
    {".csv", "points", read_xyz},
    {".pts", "points", read_xyz},
    {".tfx", "TressFX", read_tfx},
    {".tfxmesh", "TressFX mesh", read_tfxmesh},
    {".hair", "HAIR", read_hair},
    {".off", "OFF", read_off},
    {".veg", "VEG", read_veg},
    {".inp", "Abaqus", read_inp},
#if defined(DENT_HAVE_ASSIMP)
    {".gltf", "glTF", read_assimp},
    {".glb", "glTF", read_assimp},
    {".dae", "Collada", read_assimp},
    {".fbx", "FBX", read_assimp},
    {".3ds", "3DS", read_assimp},
    {".x3d", "X3D", read_assimp},
    {".3mf", "3MF", read_assimp},
    {".amf", "AMF", read_assimp},
    {".dxf", "DXF", read_assimp},
    {".lwo", "LWO", read_assimp},
    {".blend", "Blender", read_assimp},
#endif
};
enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

const struct mesh_format *mesh_format_of_name(const char *name)
{
    size_t length = strlen(name);
    if (compression_of_name(name) != COMPRESSION_NONE) {
        length -= 3;
    }
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        size_t ending = strlen(formats[i].ending);
        if (length >= ending && strncasecmp(name + length - ending, formats[i].ending, ending) == 0) {
            return &formats[i];
        }
    }
    return NULL;
}

static dent_status unknown_format(dent_context *context, const char *name)
{
    char known[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? " " : "", formats[i].ending);
    }
    return dent_fail(context, DENT_ERROR_UNSUPPORTED,
                     "%s: unknown format; known endings are %s, each also with .gz or .xz behind it", name, known);
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

dent_mesh_read_def dent_mesh_read_def_default(void)
{
    return (dent_mesh_read_def){.struct_size = sizeof(dent_mesh_read_def), .merge = false};
}

dent_status mesh_read_check_def(dent_context *context, const dent_mesh_read_def *def)
{
    if (def && def->struct_size != sizeof *def) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "dent_mesh_read_def was not made by dent_mesh_read_def_default()");
    }
    return DENT_OK;
}

/* Bytes to mesh; the bytes are released in any case. */
static dent_status read_and_finish(struct read_request *request, mesh_reader *reader, const dent_mesh_read_def *def,
                                   dent_mesh **mesh)
{
    struct mesh_builder builder;
    builder_init(&builder, request->context, request->name);
    request->builder = &builder;
    dent_status status = reader(request);
    file_bytes_release(request->context, &request->bytes);
    if (status == DENT_OK) {
        status = builder_finish(&builder, def && def->merge, request->format, mesh);
    }
    builder_release(&builder);
    return status;
}

dent_status mesh_read_within(struct read_scope *scope, const char *path, const dent_mesh_read_def *def,
                             dent_mesh **mesh)
{
    struct read_request request = {.scope = scope, .context = scope->context, .name = path, .path = path};
    const struct mesh_format *format = mesh_format_of_name(path);
    dent_status status = DENT_OK;
    /* TetGen opens its own files: it is given a pair or a stem. */
    mesh_reader *reader = format ? format->read : tetgen_pair_exists(path) ? read_tetgen : NULL;
    if (reader && reader != read_tetgen) {
        read_scope_count_file(scope, path);
        status = file_bytes_load(scope->context, path, def && def->regular_only ? FILES_ONLY : FILES_AND_PIPES,
                                 &request.bytes);
    } else if (!reader) {
        /* A missing file or a directory is worth saying first. */
        status = file_check(scope->context, path);
        status = status == DENT_OK ? unknown_format(scope->context, path) : status;
    }
    return status == DENT_OK ? read_and_finish(&request, reader, def, mesh) : status;
}

dent_status mesh_read_memory_within(struct read_scope *scope, const char *name, const void *bytes, size_t size,
                                    const dent_mesh_read_def *def, dent_mesh **mesh)
{
    const struct mesh_format *format = mesh_format_of_name(name);
    if (!format) {
        return unknown_format(scope->context, name);
    }
    struct read_request request = {.scope = scope, .context = scope->context, .name = name};
    dent_status status = file_bytes_from_memory(scope->context, name, bytes, size, &request.bytes);
    return status == DENT_OK ? read_and_finish(&request, format->read, def, mesh) : status;
}

dent_status dent_mesh_read(dent_context *context, const char *path, const dent_mesh_read_def *def, dent_mesh **mesh)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, path);
    DENT_REQUIRE(context, mesh);
    struct read_scope scope;
    TRY(mesh_read_check_def(context, def));
    TRY(read_scope_open(&scope, context, path, def ? def->memory_limit : 0));
    return read_scope_end(&scope, mesh_read_within(&scope, path, def, mesh));
}

dent_status dent_mesh_read_memory(dent_context *context, const char *name, const void *bytes, size_t size,
                                  const dent_mesh_read_def *def, dent_mesh **mesh)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, name);
    DENT_REQUIRE_ARRAY(context, size, bytes);
    DENT_REQUIRE(context, mesh);
    struct read_scope scope;
    TRY(mesh_read_check_def(context, def));
    TRY(read_scope_open(&scope, context, name, def ? def->memory_limit : 0));
    read_scope_count_bytes(&scope, size);
    return read_scope_end(&scope, mesh_read_memory_within(&scope, name, bytes, size, def, mesh));
}

void dent_mesh_destroy(dent_context *context, dent_mesh *mesh)
{
    if (context && mesh) {
        mesh_storage_destroy(context, mesh->storage);
    }
}
