/* Where all readers put what they find, and which turns it into a dent_mesh.
 *
 * A reader adds vertices and elements in the order of the file, with vertices named by their 0-based position. The
 * builder checks every index and number, keeps one list of elements per dimension, and at the end decides what the file
 * means: the elements of the highest dimension make bodies, one per group tag when there are several; lower ones become
 * groups; quads and polygons of a surface are split into triangles. Numbers of vertices and elements stay those of the
 * file. */
#ifndef DENT_IO_MESH_BUILDER_H
#define DENT_IO_MESH_BUILDER_H

#include <dent/mesh_io.h>

#include "base/containers/dynamic_array.h"

enum element_kind {
    ELEMENT_POINT,
    ELEMENT_LINE,
    ELEMENT_TRIANGLE,
    ELEMENT_QUAD,
    ELEMENT_POLYGON, /* corner count given by the caller, at least 3 */
    ELEMENT_TETRAHEDRON,
    ELEMENT_HEXAHEDRON,
    ELEMENT_WEDGE,
    ELEMENT_PYRAMID,
    ELEMENT_KIND_COUNT
};

/* Elements of one dimension. */
struct element_list {
    struct dynamic_array kinds;   /* uint8_t, enum element_kind */
    struct dynamic_array tags;    /* int32_t, the group of each */
    struct dynamic_array corners; /* uint32_t; a polygon has its corner count in front */
};

struct group_name {
    uint32_t dimension;
    int32_t tag;
    char *text;
    size_t size; /* bytes of text, the zero byte included */
};

/* Something worth a line in the log, counted. */
struct mesh_notice {
    const char *text; /* static */
    uint64_t count;
    uint64_t line;   /* where the first stands; 0: not known */
    char sample[41]; /* what stands there, printable */
};

enum { MESH_NOTICE_CAPACITY = 16 };

/* The most vertices and the most elements: UINT32_MAX stays free to mean "none". */
#define MESH_COUNT_MAX (UINT32_MAX - 1)

struct mesh_builder {
    dent_context *context;
    const char *file_name;           /* for messages: the path as given */
    struct dynamic_array positions;  /* double, 3 per vertex */
    struct dynamic_array radii;      /* double, one per vertex of strands; empty: none */
    struct dynamic_array normals;    /* double, 3 per vertex of points; empty: none */
    struct element_list elements[4]; /* by dimension */
    struct dynamic_array names;      /* struct group_name */
    struct mesh_notice notices[MESH_NOTICE_CAPACITY];
    uint32_t notice_count;
    bool points_make_a_body; /* set by a reader of clouds: vertices without elements are points */
    bool forward_references; /* set by a reader whose elements may come before their vertices: indices are checked at
                                the end */
};

void builder_init(struct mesh_builder *builder, dent_context *context, const char *file_name);
void builder_release(struct mesh_builder *builder);

/* Memory for `count` more vertices. Ask only after `count` has been checked against the bytes of the file. */
dent_status builder_reserve_vertices(struct mesh_builder *builder, uint64_t count);
/* `line` is that of the text, or 0. NaN and infinity are BAD_NUMBER, naming vertex and line. */
dent_status builder_add_vertex(struct mesh_builder *builder, double x, double y, double z, uint64_t line);
/* The radius of the next vertex that has none yet; a file gives all of them or none. BAD_NUMBER unless it is a length. */
dent_status builder_add_radius(struct mesh_builder *builder, double radius);
/* The normal of the next vertex that has none yet; a file gives all of them or none. NaN and infinity are BAD_NUMBER. */
dent_status builder_add_normal(struct mesh_builder *builder, const double normal[3], uint64_t line);
uint32_t builder_vertex_count(const struct mesh_builder *builder);

/* Memory for `count` more elements of a kind; the same caution. */
dent_status builder_reserve_elements(struct mesh_builder *builder, enum element_kind kind, uint64_t count);
/* Corners in VTK's order, 0-based. `tag` is the group, 0 for none. */
dent_status builder_add_element(struct mesh_builder *builder, enum element_kind kind, int32_t tag,
                                const uint32_t *corners, uint64_t line);
/* 3 corners or more; 3 and 4 become triangles and quads. */
dent_status builder_add_polygon(struct mesh_builder *builder, int32_t tag, const uint32_t *corners,
                                uint32_t corner_count, uint64_t line);

/* The last name given to a (dimension, tag) counts. Bytes that are no printable UTF-8 are replaced by '?'. */
dent_status builder_name_group(struct mesh_builder *builder, uint32_t dimension, int32_t tag, const char *name,
                               size_t length);

/* "part.msh: 12 <text>", logged once at the end of a successful read with the sum of the counts. `text` must be static.
 */
void builder_note(struct mesh_builder *builder, uint64_t count, const char *text);
/* The same for one more thing in a line of text: "part.obj: 3 <text> (the first in line 12: 'vx 1')". `sample` is the
 * words in question, `length` bytes. */
void builder_note_line(struct mesh_builder *builder, const char *text, uint64_t line, const char *sample,
                       size_t length);
#define NOTICE_SECOND_ORDER "second-order elements were reduced to their corners"

/* Makes the mesh and leaves the builder empty but for its notices, which it logs. */
dent_status builder_finish(struct mesh_builder *builder, bool merge, const char *format, dent_mesh **mesh);

/* For builder_finish: a corner that names no vertex. */
dent_status builder_bad_corner(const struct mesh_builder *builder, enum element_kind kind, size_t element,
                               uint32_t corner, uint32_t vertex, uint64_t line);

/* Replaces bytes that are no printable UTF-8 by '?'. */
void make_printable(char *text, size_t length);

/* How many corners an element of this kind has; 0 for POLYGON. */
uint32_t element_kind_corners(enum element_kind kind);
uint32_t element_kind_dimension(enum element_kind kind);
const char *element_kind_name(enum element_kind kind);

#endif
