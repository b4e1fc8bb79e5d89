/* run_output.h — the animation of `dent run` for ParaView: F.pvd, and in the folder F_frames three files a frame.
 *
 *   frame_000012_solids.vtu      all bodies of tetrahedra, with `velocity` on vertices; on cells `body` and, 0 but for
 *                                elastic solids, `stress_von_mises`, `stress_principal` (three, descending), `stress`
 *                                and `strain` (xx yy zz xy yz zx), `strain_principal`, `plastic_strain`
 *   frame_000012_surfaces.vtp    all bodies of triangles, the same fields
 *   frame_000012_strands.vtp     all strands as segments, `velocity` and `body`
 *   frame_000012_contacts.vtp    a point per contact: `normal` (from b to a), `force` on a, `depth` (below 0: apart),
 *                                `body_a`, `body_b`
 *   bodies.txt                   a line per body: number, tab, name
 *
 * Files appear complete under their names, the collection last and by one rename, so whatever ends the program, what
 * the collection lists can be read.
 */
#ifndef DENT_RUN_OUTPUT_H
#define DENT_RUN_OUTPUT_H

#include "file_names.h"
#include "tool_session.h"

#include <dent/mesh_io.h>
#include <dent/sim_scene.h>

/* All bodies of one kind joined to one mesh. */
typedef struct joined_mesh {
    dent_body_kind kind;
    uint32_t vertex_count, element_count;
    uint32_t *corners;
    double *positions, *velocities; /* 3 per vertex */
    double *bodies;                 /* number of the body, per element */
    double *stress;                 /* of solids, STRESS_NUMBERS per element: see stress_fields; else null */
    dent_sim_cell_stress *cells;    /* room for those of the largest body */
    uint32_t cell_capacity;
} joined_mesh;

typedef struct run_output {
    tool_session *session;
    const dent_sim_scene *scene;
    char collection[FILE_NAME_LIMIT]; /* F.pvd */
    char folder[FILE_NAME_LIMIT];     /* F_frames */
    const char *folder_name;          /* the part of it after the folder of the collection */
    joined_mesh meshes[3];            /* solids, surfaces, strands */
    uint32_t frame_capacity;          /* room in the lists below: frames + 1 */
    uint32_t listed;                  /* frames in the collection */
    dent_collection_entry *entries;   /* four a frame at most */
    uint32_t entry_count;
    char (*names)[96];
} run_output;

/** Makes the folder and joins the meshes. STATUS_GOOD, or an error that has been reported; close it either way. */
int run_output_open(run_output *output, tool_session *session, const dent_sim_scene *scene, const char *out,
                    uint32_t frame_count);
void run_output_close(run_output *output);

/** Writes the present state as frame `frame`, then the collection. */
int run_output_write(run_output *output, uint32_t frame);

/** Takes the frames 0 … last of an earlier run, of which all files are there, into the collection again. */
void run_output_adopt(run_output *output, uint32_t last);

#endif
