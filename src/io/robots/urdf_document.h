/* What a URDF file says, before anything is looked up or built: links with the shapes they collide with, joints by the
 * names they use, in the order of the file.
 *
 * Only direct children of <robot> count (transmissions and controllers have <joint> elements of their own); everything
 * that is not about links, joints, masses and collision shapes is passed over. */
#ifndef DENT_IO_URDF_DOCUMENT_H
#define DENT_IO_URDF_DOCUMENT_H

#include <dent/base.h>

#include "io/bytes/file_bytes.h"
#include "io/model/mesh_storage.h"

struct urdf_origin {
    double xyz[3]; /* metres */
    double rpy[3]; /* radians: about the fixed axes x, y, z, in this order */
};

enum urdf_shape { URDF_SHAPE_NONE, URDF_SHAPE_MESH, URDF_SHAPE_BOX, URDF_SHAPE_CYLINDER, URDF_SHAPE_SPHERE };

/* A <collision>, or a <visual> with a mesh (of which only the file name matters). */
struct urdf_geometry {
    uint32_t link;
    uint64_t line;
    bool is_visual;
    struct urdf_origin origin;
    enum urdf_shape shape;
    double size[3];   /* mesh: its scale; box: edges; cylinder: radius, length; sphere: radius */
    const char *file; /* of a mesh, as written */
};

enum urdf_joint_type {
    URDF_JOINT_FIXED,
    URDF_JOINT_REVOLUTE,
    URDF_JOINT_CONTINUOUS,
    URDF_JOINT_PRISMATIC,
    URDF_JOINT_FLOATING,
    URDF_JOINT_PLANAR,
    URDF_JOINT_TYPE_COUNT
};

struct urdf_link {
    const char *name;
    uint64_t line;
    bool has_mass, has_inertia; /* <inertial> has <mass>, <inertia> */
    struct urdf_origin inertial;
    double mass, inertia[6]; /* xx xy xz yy yz zz in the frame of `inertial` */
};

struct urdf_joint {
    const char *name;
    uint64_t line;
    enum urdf_joint_type type;
    const char *parent, *child; /* links */
    struct urdf_origin origin;
    double axis[3];
    bool has_limits;
    double lower, upper;
    double effort, velocity;  /* of <limit>; infinite without */
    double damping, friction; /* of <dynamics> */
    const char *mimics; /* a joint, or null */
    double multiplier, offset;
};

struct urdf_document {
    const char *name;             /* of the robot */
    struct dynamic_array links;   /* struct urdf_link */
    struct dynamic_array joints;  /* struct urdf_joint */
    struct dynamic_array shapes;  /* struct urdf_geometry */
    struct mesh_storage *strings; /* the caller's: where the names are kept */
};

/* Parses bytes in memory; `name` stands for the file in messages, which are "name:line: …". On failure the document is
 * empty; strings taken so far stay with `strings`. UNSUPPORTED in a build without expat. */
dent_status urdf_document_parse(dent_context *context, const char *name, const struct file_bytes *bytes,
                                struct mesh_storage *strings, struct urdf_document *document);
void urdf_document_release(struct urdf_document *document);

#endif
