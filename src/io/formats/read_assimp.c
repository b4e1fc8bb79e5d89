/* glTF and a dozen other scene formats through the Assimp library (optional, DENT_WITH_ASSIMP).
 *
 * A scene is a tree of nodes, each with a placement and meshes. All faces of all nodes, placed, make one body; faces of
 * more than three corners are triangles already when they come from Assimp. Renderers split vertices where normals or
 * textures change, so corners at bitwise-equal positions are welded as for STL. Placements are applied in double
 * arithmetic, one fixed sequence; a node whose placement is the identity keeps its positions bit for bit. Assimp's
 * numbers are floats.
 *
 * Assimp takes its memory from the C library, not from the context (the limit of a reader sees only what the scene
 * takes when it is there), and its parsers are its own: files from strangers are safer in the formats that dent reads
 * itself. A file in memory cannot have parts in other files (.gltf with a .bin beside it). */
#include "reader_table.h"

#if defined(DENT_HAVE_ASSIMP)

#include "io/bytes/try_status.h"
#include "io/model/vertex_welder.h"

#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <stdio.h>
#include <string.h>

enum { NODE_DEPTH_MAX = 256 };

/* Rows of a placement: x' = m[0][0] x + m[0][1] y + m[0][2] z + m[0][3]. */
struct placement {
    double m[3][4];
};

static struct placement placement_of(const struct aiMatrix4x4 *a)
{
    return (struct placement){{{(double)a->a1, (double)a->a2, (double)a->a3, (double)a->a4},
                               {(double)a->b1, (double)a->b2, (double)a->b3, (double)a->b4},
                               {(double)a->c1, (double)a->c2, (double)a->c3, (double)a->c4}}};
}

static const struct placement identity = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

static struct placement placed_in(const struct placement *outer, const struct placement *inner)
{
    struct placement result;
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 4; column++) {
            double sum = column == 3 ? outer->m[row][3] : 0;
            for (int i = 0; i < 3; i++) {
                sum = sum + outer->m[row][i] * inner->m[i][column];
            }
            result.m[row][column] = sum;
        }
    }
    return result;
}

static void place(const struct placement *placement, const struct aiVector3D *vertex, double *position)
{
    const double plain[3] = {(double)vertex->x, (double)vertex->y, (double)vertex->z};
    if (memcmp(placement, &identity, sizeof identity) == 0) {
        memcpy(position, plain, sizeof plain);
        return;
    }
    for (int row = 0; row < 3; row++) {
        const double *m = placement->m[row];
        position[row] = ((m[0] * plain[0] + m[1] * plain[1]) + m[2] * plain[2]) + m[3];
    }
}

static dent_status add_mesh(const struct read_request *request, const struct aiMesh *mesh,
                            const struct placement *placement, struct vertex_welder *welder)
{
    for (unsigned f = 0; f < mesh->mNumFaces; f++) {
        const struct aiFace *face = &mesh->mFaces[f];
        if (face->mNumIndices != 3) {
            builder_note(request->builder, 1, "points and lines were skipped");
            continue;
        }
        double positions[3][3];
        for (int c = 0; c < 3; c++) {
            if (face->mIndices[c] >= mesh->mNumVertices) {
                return dent_fail(request->context, DENT_ERROR_BAD_MESH, "%s: face %u of a mesh names vertex %u of %u",
                                 request->name, f, face->mIndices[c], mesh->mNumVertices);
            }
            place(placement, &mesh->mVertices[face->mIndices[c]], positions[c]);
        }
        TRY(welder_add_triangle(welder, positions, 0));
    }
    return DENT_OK;
}

static dent_status add_node(const struct read_request *request, const struct aiScene *scene, const struct aiNode *node,
                            const struct placement *outer, int depth, struct vertex_welder *welder)
{
    if (depth > NODE_DEPTH_MAX) {
        return dent_fail(request->context, DENT_ERROR_FORMAT, "%s: nodes are nested more than %d deep", request->name,
                         (int)NODE_DEPTH_MAX);
    }
    struct placement inner = placement_of(&node->mTransformation);
    struct placement placement = placed_in(outer, &inner);
    for (unsigned i = 0; i < node->mNumMeshes; i++) {
        if (node->mMeshes[i] < scene->mNumMeshes) {
            TRY(add_mesh(request, scene->mMeshes[node->mMeshes[i]], &placement, welder));
        }
    }
    for (unsigned i = 0; i < node->mNumChildren; i++) {
        TRY(add_node(request, scene, node->mChildren[i], &placement, depth + 1, welder));
    }
    return DENT_OK;
}

/* Assimp knows a format by its ending, without the point; that of the compressed file behind it would mislead it. */
static void ending_of(const char *name, char *ending, size_t size)
{
    size_t length = strlen(name) - (compression_of_name(name) != COMPRESSION_NONE ? 3 : 0);
    size_t start = length;
    while (start > 0 && name[start - 1] != '.' && name[start - 1] != '/') {
        start--;
    }
    snprintf(ending, size, "%.*s", (int)(length - start), name + start);
}

dent_status read_assimp(struct read_request *request)
{
    char ending[16];
    ending_of(request->name, ending, sizeof ending);
    const unsigned steps = aiProcess_Triangulate;
    bool in_memory = !request->path || compression_of_name(request->name) != COMPRESSION_NONE;
    if (request->bytes.size > UINT32_MAX) {
        return dent_fail(request->context, DENT_ERROR_TOO_LARGE, "%s: too large for Assimp", request->name);
    }
    const struct aiScene *scene = in_memory ? aiImportFileFromMemory((const char *)request->bytes.data,
                                                                     (unsigned)request->bytes.size, steps, ending)
                                            : aiImportFile(request->path, steps);
    if (!scene || !scene->mRootNode) {
        dent_status status = dent_fail(request->context, DENT_ERROR_FORMAT, "%s: Assimp cannot read it: %.200s",
                                       request->name, aiGetErrorString());
        aiReleaseImport(scene);
        return status;
    }
    snprintf(request->format, sizeof request->format, "%s (assimp)", ending);
    struct aiMemoryInfo memory;
    aiGetMemoryRequirements(scene, &memory);
    struct vertex_welder welder = welder_over(request->builder);
    dent_status status =
        read_scope_room(request->scope, memory.total)
            ? add_node(request, scene, scene->mRootNode, &identity, 0, &welder)
            : dent_fail(request->context, DENT_ERROR_OUT_OF_MEMORY, "%s: out of memory", request->name);
    welder_release(&welder);
    aiReleaseImport(scene);
    return status;
}

#else

/* An empty source is not allowed. */
typedef int assimp_is_not_used;

#endif
