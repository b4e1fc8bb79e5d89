/* dent/mesh_io.h — optional library dent_io: reading and writing mesh files.
 *
 * Formats read:
 *
 *   solids, surfaces   Gmsh .msh (1, 2.2, 4.1; ascii and binary), MEDIT .mesh, TetGen .node/.ele, VTK legacy .vtk, .vtu,
 *                      .vtp, OBJ, STL, PLY, OFF, VEG, Abaqus .inp
 *   points             PLY without faces, PCD (ascii, binary, binary_compressed); .xyz, .csv and .pts with a point a line
 *   strands            TressFX .tfx and .tfxmesh (its collision meshes), .hair, lines of OBJ and VTK files without faces
 *
 * They may be compressed with gzip or xz if zlib and liblzma were found at build time (the last suffix .gz or .xz is
 * removed). Input is treated as hostile: sizes are checked against the file before memory is allocated, and every index
 * is checked. The memory of a call is limited, and the time is linear in the bytes. Text may begin with a byte order
 * mark of UTF-8; UTF-16 is UNSUPPORTED.
 *
 * Only elements of the highest dimension form bodies. Lower ones become groups, with a notice in the context's log. A
 * file with several physical groups gives one body per group, in order of first appearance. Second-order elements are
 * reduced to their corners with a notice. A file whose highest elements are lines gives strands. Consecutive lines that
 * continue one another form one strand. A vertex that several strands use is copied. A PLY file without faces, a PCD
 * file and a text of points give one body of points. It has the normals of the file if all points have one; colours are
 * not kept. Numbers are kept exactly as written; positions are doubles.
 *
 * Threads: any, each call independently. Failure: a status, and one line in the context's message that names the file,
 * the line or byte, and the offending item.
 */
#ifndef DENT_MESH_IO_H
#define DENT_MESH_IO_H

#include <dent/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One body of a file. Arrays are owned by the dent_mesh. */
typedef struct dent_mesh_body {
    const char *name; /**< group name if the file has several groups, else the file name without folder and
                           endings */
    dent_body_kind kind;
    uint32_t vertex_count;
    const double *positions;        /**< 3 per vertex */
    const uint32_t *vertex_numbers; /**< 0-based position in the file of each vertex; null: equal to the index */
    uint32_t element_count;
    const uint32_t *element_corners; /**< as in dent_body_def: indices into this body's vertices */
    const uint8_t *cell_kinds;       /**< as in dent_body_def; null: all tetrahedra, or a surface */
    uint64_t corner_count;           /**< length of element_corners */
    const uint32_t *element_numbers; /**< 0-based position in the file among the elements that form bodies; null: equal
                                          to the index */
    int32_t tag;                     /**< number of its physical group; 0: none, or the file was merged */
    uint32_t strand_count;           /**< strands: their number; their elements are segments with two corners */
    const uint32_t *first;           /**< strands: as in dent_body_def; else null */
    const double *radii;             /**< strands: one per vertex; null: the file has none */
    const double *normals;           /**< points: 3 per vertex, as in the file; null: the file has none */
} dent_mesh_body;

/** A named set of lower-dimensional elements (boundary faces, edges, points), as nodes of the file. */
typedef struct dent_mesh_group {
    const char *name;
    int32_t tag;
    uint32_t dimension; /**< 0, 1 or 2 */
    uint32_t element_count;
    uint32_t corners_per_element; /**< 1, 2, 3 or 4 (mixed triangles and quads give two groups) */
    const uint32_t *corners;      /**< 0-based positions of the vertices in the file */
} dent_mesh_group;

typedef struct dent_mesh {
    const char *format; /**< "gmsh 2.2 ascii", "medit", … */
    uint32_t file_vertex_count;
    uint32_t body_count;
    const dent_mesh_body *bodies;
    uint32_t group_count;
    const dent_mesh_group *groups;
    void *storage; /**< private */
} dent_mesh;

typedef struct dent_mesh_read_def {
    size_t struct_size;
    bool merge;        /**< default false: one body per physical group. True: one body per file */
    bool regular_only; /**< default false: a pipe is waited for and read. True: anything but a regular file fails with
                            FILE at once. Set it for names that come from a file or a folder rather than from the user
                            */
    uint64_t memory_limit; /**< bytes of memory that reading may use at a time, decompression and the mesh included;
                                more is TOO_LARGE. 0 (default): the context's reading_limit, or 256 MiB plus 100 times
                                the bytes on disk */
} dent_mesh_read_def;
DENT_API dent_mesh_read_def dent_mesh_read_def_default(void);

/** Reads a file. The format follows from its name, and from its content if the name is ambiguous. Null def: defaults.
 * TetGen: give either of the pair, or their common stem. *mesh is written on success only; release it with
 * dent_mesh_destroy. */
DENT_API dent_status dent_mesh_read(dent_context *context, const char *path, const dent_mesh_read_def *def,
                                    dent_mesh **mesh);

/** Does the same from memory. `name` (e.g. "part.msh") gives the format and is used in messages. TetGen needs files. */
DENT_API dent_status dent_mesh_read_memory(dent_context *context, const char *name, const void *bytes, size_t size,
                                           const dent_mesh_read_def *def, dent_mesh **mesh);
DENT_API void dent_mesh_destroy(dent_context *context, dent_mesh *mesh);

/** Adds all bodies of a mesh to a world, in order. Borrows the mesh's positions: keep the mesh as long as the bodies.
 * Ties bodies of this file at the nodes they share. `ids` has room for body_count. On failure the world is unchanged
 * and has the message. */
DENT_API dent_status dent_mesh_add_to_world(const dent_mesh *mesh, dent_world *world, dent_body_id *ids);

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/** A named array of numbers on the vertices or the elements of one body, for ParaView. */
typedef struct dent_mesh_field {
    const char *name;
    bool on_elements;    /**< false: one tuple per vertex */
    uint32_t components; /**< 1, 3, or 6: a symmetric tensor, xx yy zz xy yz zx */
    const double *values;
} dent_mesh_field;

/** One body to be written. */
typedef struct dent_mesh_view {
    dent_body_kind kind;
    uint32_t vertex_count;
    const double *positions;
    uint32_t element_count;
    const uint32_t *element_corners;
    const uint8_t *cell_kinds; /**< null: tetrahedra or triangles */
    uint32_t field_count;      /**< fields: .vtu and .vtp only */
    const dent_mesh_field *fields;
    uint32_t strand_count; /**< strands: their number; element_count and element_corners are ignored, and fields on
                                elements have one tuple per strand */
    const uint32_t *first; /**< strands: as in dent_body_def */
    const char *name;      /**< .vtu and .vtp: the string "name" of the field data; null: none */
} dent_mesh_view;

/** Writes a file in the format of its ending. Solids: .mesh (MEDIT), .vtu. Surfaces: .mesh, .obj, .vtu, .vtp. Strands:
 * .obj, .vtp. Points: .vtp, .xyz (a line each). A field "radius" on the vertices of strands in a .vtp is read back as
 * their radii. Doubles round-trip exactly. The file gets its name only when complete (file_output.h). A full disk fails
 * with FILE. */
DENT_API dent_status dent_mesh_write(dent_context *context, const char *path, const dent_mesh_view *view);

/** Writes a set of points with fields as .vtp (contact points, normals). */
DENT_API dent_status dent_points_write(dent_context *context, const char *path, uint32_t point_count,
                                       const double *positions, uint32_t field_count, const dent_mesh_field *fields);

/** Writes line segments between points, such as crossing curves (border.h): .vtp with fields (on_elements: one tuple
 * per line), or .obj without. */
DENT_API dent_status dent_lines_write(dent_context *context, const char *path, uint32_t point_count,
                                      const double *positions, uint32_t line_count, const uint32_t *ends,
                                      uint32_t field_count, const dent_mesh_field *fields);

/** One entry of a .pvd collection: a file that ParaView shows at a time. */
typedef struct dent_collection_entry {
    double time;
    uint32_t part;
    const char *file; /**< relative to the collection */
} dent_collection_entry;
/** Writes a .pvd atomically, as dent_mesh_write does. */
DENT_API dent_status dent_collection_write(dent_context *context, const char *path, uint32_t entry_count,
                                           const dent_collection_entry *entries);

/* ---- recordings: reading written files --------------------------------------------------------------------------- */

/** A .pvd collection. Entries are in the order of the file; names are relative to it, unchanged. */
typedef struct dent_collection {
    uint32_t entry_count;
    const dent_collection_entry *entries;
    void *storage; /**< private */
} dent_collection;

/** Reads a collection. Regular files only. FORMAT names file and line. *collection is written on success only; release
 * it with dent_collection_destroy. */
DENT_API dent_status dent_collection_read(dent_context *context, const char *path, dent_collection **collection);
DENT_API void dent_collection_destroy(dent_context *context, dent_collection *collection);

/** Points with their fields. */
typedef struct dent_point_set {
    uint32_t point_count;
    const double *positions; /**< 3 per point */
    uint32_t field_count;
    const dent_mesh_field *fields; /**< on_elements is false */
    void *storage;                 /**< private */
} dent_point_set;

/** Reads the points and point data of a .vtp written by dent_points_write or dent_mesh_write (one piece, doubles,
 * appended raw); others are UNSUPPORTED. Regular files only. Cells are ignored. */
DENT_API dent_status dent_points_read(dent_context *context, const char *path, dent_point_set **points);
DENT_API void dent_points_destroy(dent_context *context, dent_point_set *points);

#ifdef __cplusplus
}
#endif

#endif
