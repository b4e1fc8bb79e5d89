/* One body as the inside of the library sees it: split into tetrahedra, topology computed, positions noted.
 *
 * Everything here but the borrowed positions and the filter is constant from body_create to body_destroy. Queries read
 * positions through body_read_positions into their own packed double arrays; nothing right of this folder touches the
 * caller's.
 */
#ifndef DENT_BODIES_BODY_DATA_H
#define DENT_BODIES_BODY_DATA_H

#include <dent/body.h>

#include "bodies/body_kinds.h"
#include "base/message.h"

struct excluded_bodies;

struct body {
    dent_context *context;
    dent_body_kind kind;
    char *name;
    size_t name_size;
    bool named; /* false: the name is "body N", which needs no quotes in messages */

    uint32_t vertex_count;
    uint32_t element_count; /* the caller's */

    /* The elements and all that follows from them, up to `topology`, may be shared with other bodies of the table
     * (shared_mesh.h). */
    struct body *next_sharer, *previous_sharer; /* the ring of the bodies that do; null: none but this one */
    /* Elements as given. element_start is null when all have the same number of corners (4 or 3). */
    uint32_t *element_corners;
    uint64_t corner_count;
    uint8_t *cell_kinds;     /* null: all tetrahedra, or a surface */
    uint64_t *element_start; /* element_count + 1, when cell_kinds is not null */

    /* Solids: tetrahedra after splitting. tetrahedra == element_corners when nothing is split. */
    uint32_t tetrahedron_count;
    uint32_t (*tetrahedra)[4];
    uint32_t *cell_of_tetrahedron; /* null: identity */
    uint32_t *first_tetrahedron;   /* element_count + 1; null: identity. The tetrahedra of cell c are contiguous. */
    uint32_t (*neighbours)[4]; /* across the face opposite corner k; UINT32_MAX: none, UINT32_MAX - 1: non-manifold */

    /* Surface faces, ordered by (cell, corner/face, part); for surface bodies triangle by triangle. */
    uint32_t surface_face_count;
    dent_surface_face *surface_faces;
    uint32_t *surface_face_tetrahedron; /* solids: the owner tetrahedron of each; null for surfaces */

    uint32_t edge_count;
    dent_edge *edges;         /* all edges, sorted */
    uint8_t *edge_is_surface; /* one byte per edge: 1 when an edge of a surface face */
    uint8_t *vertex_use;      /* one byte per vertex: VERTEX_USED, VERTEX_ON_SURFACE bits */
    uint32_t *vertex_component; /* component of each vertex (UINT32_MAX: unused), numbered by smallest vertex */

    dent_body_topology topology;
    uint32_t first_nonmanifold_cell; /* with a face that has more than two cells; UINT32_MAX: none */

    /* Same vertex: two vertices are the same iff their identities are equal. Null: identity_base + vertex. */
    uint64_t identity_base; /* a number never given twice << 32 */
    uint64_t *identities;

    dent_positions positions_t0, positions_t1; /* borrowed */
    uint64_t position_version;                 /* grows when other positions are given */
    double (*reference)[3];                    /* own copy; null: none */
    bool reference_convex; /* it looks convex and evenly meshed (reference_shape.h): a hint for `auto` */
    uint32_t collision_group, collision_mask;
    bool self_collision;
    uint32_t slot;                         /* in the table of its world; of no use without one */
    const struct excluded_bodies *excluded; /* null: no pair with this body is left out */
    bool strict;
    double thickness; /* for proximity; DENT_THICKNESS_FROM_QUERY: none of its own */

    /* Strands (strand_body.h). `edges` are then the elements themselves: segment e joins the vertices e + s and
     * e + s + 1 of its strand s. */
    uint32_t strand_count;
    uint32_t *strand_first; /* strand_count + 1 */
    double *radii;          /* one per vertex; null: the thickness */
    double largest_radius;  /* of them */
    dent_strand_root *roots;
    uint32_t root_count;
};

enum { VERTEX_USED = 1, VERTEX_ON_SURFACE = 2 };

#define NEIGHBOUR_NONE UINT32_MAX
#define NEIGHBOUR_NONMANIFOLD (UINT32_MAX - 1)

/* How messages begin: body "femur", or body 3 when it has no name of its own. */
#define BODY_TITLE "%s%.200s%s"
#define BODY_TITLE_OF(body) (body)->named ? "body \"" : "", (body)->name, (body)->named ? "\"" : ""

static inline uint64_t body_identity(const struct body *body, uint32_t vertex)
{
    return body->identities ? body->identities[vertex] : body->identity_base + vertex;
}

struct shared_meshes;

/* Checks the def and builds the body; on failure *message names the culprit and nothing is left behind. `serial` names
 * a body without a name ("body N"); identity_base is a fresh number << 32. `meshes`: bodies that elements may be
 * borrowed from; null: none. Ties are resolved by the table, not here. */
dent_status body_create(dent_context *context, const dent_body_def *def, uint64_t serial, uint64_t identity_base,
                        const struct shared_meshes *meshes, struct message *message, struct body **body);
void body_destroy(struct body *body);

/* BAD_NUMBER naming the body, unless it is a finite length >= 0 or DENT_THICKNESS_FROM_QUERY. */
dent_status body_check_thickness(const struct body *body, double thickness, struct message *message);

/* INVALID_ARGUMENT or TOO_LARGE when the description of the positions (not their numbers) is wrong; null is right. */
dent_status body_check_positions(const struct body *body, const dent_positions *positions, struct message *message);

/* Reads one set of borrowed positions into packed doubles and checks that every number is finite: BAD_NUMBER names the
 * body, the vertex and the number. INVALID_ARGUMENT when the body has vertices and these positions none. Unused
 * vertices are read and checked too. */
dent_status body_read_positions(const struct body *body, const dent_positions *positions, struct message *message,
                                double (*xyz)[3]);

/* The same for the vertices [first, first + count) of positions whose description was checked, in one pass that also
 * bounds them (lo and hi are widened). False when a number is not finite: body_read_positions then names it. Threads:
 * any, for different vertices. */
bool body_read_range(const dent_positions *positions, uint32_t first, uint32_t count, double (*xyz)[3], double lo[3],
                     double hi[3]);

/* Exact signs and plain measures of the t0 positions already read. */
void body_measure(const struct body *body, const double (*xyz)[3], dent_body_metrics *measure);

/* In strict mode: BAD_MESH naming the first inverted or flat cell. */
dent_status body_check_strict(const struct body *body, const double (*xyz)[3], struct message *message);

static inline bool body_has_cells(const struct body *body)
{
    return kind_has_cells(body->kind);
}

static inline bool body_has_faces(const struct body *body)
{
    return kind_has_faces(body->kind);
}

static inline bool body_has_segments(const struct body *body)
{
    return kind_has_segments(body->kind);
}

static inline bool body_has_points(const struct body *body)
{
    return kind_has_points(body->kind);
}

/* Segments or points: neither faces nor an inside. */
static inline bool body_is_thin(const struct body *body)
{
    return body_has_segments(body) || body_has_points(body);
}

/* Do its elements take part in questions? Those without cells and faces take part as
 * segments and vertices, where a question says so. */
static inline bool body_has_features(const struct body *body)
{
    return body_has_cells(body) || body_has_faces(body);
}

/* The caller's cells, and the tetrahedra they are split into; 0 for bodies without an inside. */
static inline uint32_t body_cell_count(const struct body *body)
{
    return body_has_cells(body) ? body->element_count : 0;
}

static inline uint32_t body_tetrahedron_count(const struct body *body)
{
    return body_has_cells(body) ? body->tetrahedron_count : 0;
}

#endif
