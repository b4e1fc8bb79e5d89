/* The one table of formats that can be read, and what a reader is given.
 *
 * A new format is a file read_<format>.c with one function, its prototype below, and a row in reader_table.c. The
 * function reads request->bytes, feeds request->builder and sets request->format; opening, unpacking, making the mesh
 * and cleaning up are done around it, so a reader that fails just returns (what it allocated itself it releases
 * itself). */
#ifndef DENT_IO_READER_TABLE_H
#define DENT_IO_READER_TABLE_H

#include <dent/mesh_io.h>

#include "io/bytes/file_bytes.h"
#include "io/model/mesh_builder.h"
#include "io/bytes/read_scope.h"

struct read_request {
    struct read_scope *scope;
    dent_context *context; /* of the scope */
    const char *name;      /* for messages: the path, or the name given with the memory */
    const char *path;      /* null when read from memory */
    struct file_bytes
        bytes; /* unpacked, not empty; released by the caller of the reader. TetGen by path: none, it opens two */
    struct mesh_builder *builder;
    char format[48]; /* to be set: "stl binary" */
};

typedef dent_status mesh_reader(struct read_request *request);

struct mesh_format {
    const char *ending; /* with its point, lower case */
    const char *title;  /* "Gmsh" */
    mesh_reader *read;
};

mesh_reader read_gmsh;    /* .msh */
mesh_reader read_medit;   /* .mesh, .meshb */
mesh_reader read_tetgen;  /* .node, .ele */
mesh_reader read_vtk;     /* .vtk */
mesh_reader read_vtu;     /* .vtu, .vtp */
mesh_reader read_obj;     /* .obj */
mesh_reader read_stl;     /* .stl */
mesh_reader read_ply;     /* .ply */
mesh_reader read_pcd;     /* .pcd */
mesh_reader read_xyz;     /* .xyz, .csv, .pts */
mesh_reader read_tfx;     /* .tfx */
mesh_reader read_tfxmesh; /* .tfxmesh */
mesh_reader read_hair;    /* .hair */
mesh_reader read_off;     /* .off */
mesh_reader read_veg;     /* .veg */
mesh_reader read_inp;     /* .inp */
mesh_reader read_assimp;  /* .gltf and others; only with DENT_HAVE_ASSIMP */

/* dent_mesh_read within a scope that is open: the memory counts there, def->memory_limit does not. The mesh is released
 * with scope->context or with its caller's. */
dent_status mesh_read_within(struct read_scope *scope, const char *path, const dent_mesh_read_def *def,
                             dent_mesh **mesh);
dent_status mesh_read_memory_within(struct read_scope *scope, const char *name, const void *bytes, size_t size,
                                    const dent_mesh_read_def *def, dent_mesh **mesh);
/* INVALID_ARGUMENT when the def was not made by its default function; null is good. */
dent_status mesh_read_check_def(dent_context *context, const dent_mesh_read_def *def);

/* Is there a file STEM.node or STEM.ele, packed or not? */
bool tetgen_pair_exists(const char *stem);

/* Null when the name has no ending of the table (.gz and .xz taken off first). */
const struct mesh_format *mesh_format_of_name(const char *name);

#endif
