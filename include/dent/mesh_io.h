/* dent/mesh_io.h — optional library dent_io: mesh files in and out.
 *
 * Read: Gmsh .msh (1, 2.2, 4.1; ascii and binary), MEDIT .mesh, TetGen .node/.ele, VTK legacy .vtk, .vtu, .vtp, OBJ,
 * STL, PLY; the same compressed with gzip or xz where zlib and liblzma were found at build time (the last suffix .gz or
 * .xz is taken off). Written for hostile input: sizes are checked against the file before memory is asked for, every
 * index is checked, the memory of a call is limited, and the time is linear in the bytes. Text may begin with a byte
 * order mark of UTF-8; UTF-16 is UNSUPPORTED.
 *
 * Only elements of the highest dimension make bodies; lower ones are kept as groups with a notice to the context's log.
 * A file with several physical groups gives one body per group, in order of first appearance. Second-order elements are
 * reduced to their corners with a notice. Numbers are kept exactly as written; positions are doubles.
 *
 * Threads: any, each call on its own. Failure: a status, and one line in the context's message that names file, line or
 * byte, and the culprit.
 */
#ifndef DENT_MESH_IO_H
#define DENT_MESH_IO_H

#include <dent/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One body of a file. Arrays are owned by the dent_mesh. */
typedef struct dent_mesh_body {
    const char *name; /**< group name when the file has several groups, else the file's name without folder and
                           endings */
    dent_body_kind kind;
    uint32_t vertex_count;
    const double *positions;        /**< 3 per vertex */
    const uint32_t *vertex_numbers; /**< 0-based position in the file of each vertex; null: the same number */
    uint32_t element_count;
    const uint32_t *element_corners; /**< as in dent_body_def: indices into this body's vertices */
    const uint8_t *cell_kinds;       /**< as in dent_body_def; null: all tetrahedra, or a surface */
    uint64_t corner_count;           /**< length of element_corners */
    const uint32_t *element_numbers; /**< 0-based position in the file among the elements that make bodies; null: the
                                          same number */
    int32_t tag;                     /**< number of its physical group; 0: none, or the file was merged */
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
                            FILE at once; for names that come from a file or a folder rather than from the user */
    uint64_t memory_limit; /**< bytes of memory reading may take at a time, unpacking and the mesh included; more is
                                TOO_LARGE. 0 (default): the context's reading_limit, or 256 MiB and 100 times the bytes
                                on disk */
} dent_mesh_read_def;
DENT_API dent_mesh_read_def dent_mesh_read_def_default(void);

/** Reads a file (format from its name, and from its content where the name leaves a choice). Null def: defaults.
 * TetGen: give either of the pair, or their common stem. *mesh is written on success only; release it with
 * dent_mesh_destroy. */
DENT_API dent_status dent_mesh_read(dent_context *context, const char *path, const dent_mesh_read_def *def,
                                    dent_mesh **mesh);

/** The same from memory; `name` (e.g. "part.msh") gives the format and stands for the file in messages. TetGen needs
 * files. */
DENT_API dent_status dent_mesh_read_memory(dent_context *context, const char *name, const void *bytes, size_t size,
                                           const dent_mesh_read_def *def, dent_mesh **mesh);
DENT_API void dent_mesh_destroy(dent_context *context, dent_mesh *mesh);

/** Adds all bodies of a mesh to a world, in order, borrowing the mesh's positions (keep the mesh as long as the bodies)
 * and tying bodies of this file at the nodes they share. `ids` has room for body_count. On failure the world is as
 * before. The message is the world's. */
DENT_API dent_status dent_mesh_add_to_world(const dent_mesh *mesh, dent_world *world, dent_body_id *ids);

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/** A named array of numbers on the vertices or the elements of one body, for ParaView. */
typedef struct dent_mesh_field {
    const char *name;
    bool on_elements;    /**< false: one tuple per vertex */
    uint32_t components; /**< 1 or 3 */
    const double *values;
} dent_mesh_field;

/** What to write: one body. */
typedef struct dent_mesh_view {
    dent_body_kind kind;
    uint32_t vertex_count;
    const double *positions;
    uint32_t element_count;
    const uint32_t *element_corners;
    const uint8_t *cell_kinds; /**< null: tetrahedra or triangles */
    uint32_t field_count;      /**< fields: .vtu and .vtp only */
    const dent_mesh_field *fields;
} dent_mesh_view;

/** Writes by the ending: .mesh (MEDIT, solids and surfaces), .obj (surfaces), .vtu (any), .vtp (surfaces). Doubles
 * round-trip exactly. The file appears under its name only when complete (written beside it and renamed); a full disk
 * is FILE. */
DENT_API dent_status dent_mesh_write(dent_context *context, const char *path, const dent_mesh_view *view);

/** A set of points with fields as .vtp (contact points, normals). */
DENT_API dent_status dent_points_write(dent_context *context, const char *path, uint32_t point_count,
                                       const double *positions, uint32_t field_count, const dent_mesh_field *fields);

/** Line segments between points: .vtp with fields (on_elements: one tuple per line), or .obj without. Crossing curves
 * (border.h), for instance. */
DENT_API dent_status dent_lines_write(dent_context *context, const char *path, uint32_t point_count,
                                      const double *positions, uint32_t line_count, const uint32_t *ends,
                                      uint32_t field_count, const dent_mesh_field *fields);

/** One entry of a .pvd collection: what ParaView shows at a time. */
typedef struct dent_collection_entry {
    double time;
    uint32_t part;
    const char *file; /**< relative to the collection */
} dent_collection_entry;
/** Writes a .pvd, as dent_mesh_write does: complete under its name or not at all. */
DENT_API dent_status dent_collection_write(dent_context *context, const char *path, uint32_t entry_count,
                                           const dent_collection_entry *entries);

/* ---- recordings: reading back what was written ------------------------------------------------------------------- */

/** A .pvd collection. Entries are in the order of the file; names are relative to it, as they stand there. */
typedef struct dent_collection {
    uint32_t entry_count;
    const dent_collection_entry *entries;
    void *storage; /**< private */
} dent_collection;

/** Regular files only. FORMAT names file and line. *collection is written on success only; release it with
 * dent_collection_destroy. */
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

/** Reads the points and point data of a .vtp as dent_points_write and dent_mesh_write make them (one piece, doubles,
 * appended raw); others are UNSUPPORTED. Regular files only. Cells are not looked at. */
DENT_API dent_status dent_points_read(dent_context *context, const char *path, dent_point_set **points);
DENT_API void dent_points_destroy(dent_context *context, dent_point_set *points);

#ifdef __cplusplus
}
#endif

#endif
