/* dent/urdf.h — optional library dent_io: robots from URDF files.
 *
 * It reads links, joints (fixed, revolute, continuous, prismatic, floating, planar; mimic), origins and collision
 * shapes. Shapes are mesh files in any surface format of mesh_io.h with their scale, boxes, cylinders and spheres. All
 * shapes of a link become one surface in the coordinate frame of the link. Cylinders (along z) and spheres become
 * prisms of 32 sides and polyhedra of 320 triangles that contain them. So what is free for dent is free for the round
 * shape. They protrude by less than 0.5 % and 4 % of the radius. A planar joint's <axis> is the normal of its plane.
 * Limits of planar and floating joints are ignored, as URDF does not define what they limit. Masses, inertias, and effort,
 * velocity, damping and friction of joints are read for the simulator (dent/sim_linkage.h), which checks them. Everything
 * else (visuals, transmissions) is ignored; missing visual meshes cause a notice. Xacro files are rejected.
 *
 * package://NAME/REST is searched as NAME/REST and as REST. The search goes through every folder of package_paths, then
 * the folder of the file and all folders above it. Other names are relative to the file.
 *
 * Input is treated as hostile: no document types or entities, nesting and names bounded, every number finite. The XML
 * is parsed by expat, which allocates from the C library; 24 bytes for each byte of the file count towards the memory
 * limit. A build without expat fails with UNSUPPORTED.
 *
 * Threads: any, each call independently. Failure: a status, and one line in the context's message that names the file
 * and the offending link or joint. A missing collision mesh is FILE. Joints that form no tree, or whose lower limit is
 * above the upper one, are FORMAT.
 */
#ifndef DENT_URDF_H
#define DENT_URDF_H

#include <dent/linkage.h>
#include <dent/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One link; arrays are owned by the robot. */
typedef struct dent_robot_link {
    const char *name;
    uint32_t vertex_count;   /**< 0: the link has no collision shape */
    const double *positions; /**< 3 per vertex, in the frame of the link */
    uint32_t triangle_count;
    const uint32_t *triangles; /**< 3 corners each */
    double mass;           /**< kg, of <inertial>; 0: it has none */
    double mass_center[3]; /**< m, in the frame of the link */
    double inertia[6];     /**< kg m^2, about the centre of mass, along the axes of the link's frame: xx xy xz yy yz zz;
                                zeros: it has none */
} dent_robot_link;

/** What drives and brakes a joint; not checked beyond being numbers. */
typedef struct dent_robot_joint {
    double max_force; /**< N m or N: effort of <limit>; infinite without */
    double max_speed; /**< rad/s or m/s: velocity of <limit>; infinite without */
    double damping;   /**< N m s/rad or N s/m, of <dynamics>; 0 without */
    double friction;  /**< N m or N, of <dynamics>; 0 without */
} dent_robot_joint;

typedef struct dent_robot {
    const char *name;
    uint32_t link_count;
    const dent_robot_link *links; /**< in the order of the file */
    const dent_linkage *linkage;  /**< the same links, and the joints in the order of the file */
    const dent_robot_joint *joints; /**< of the joints of the linkage, in their order */
    void *storage;                /**< private */
} dent_robot;

typedef struct dent_robot_read_def {
    size_t struct_size;
    uint32_t package_path_count; /**< folders in which to search package:// first; default none */
    const char *const *package_paths;
    bool skip_missing_meshes; /**< default false: a missing collision mesh is an error. True: left out with a
                                 warning */
    bool no_mesh_files;       /**< default false. True: no mesh file is searched or opened; links have only their other
                                 shapes */
    uint64_t memory_limit;    /**< as in dent_mesh_read_def, for the robot with all its meshes and shapes */
} dent_robot_read_def;
DENT_API dent_robot_read_def dent_robot_read_def_default(void);

/** Reads a file (.urdf, also compressed with gzip or xz). Null def: defaults. *robot is written on success only;
 *  release it with dent_robot_destroy. */
DENT_API dent_status dent_robot_read(dent_context *context, const char *path, const dent_robot_read_def *def,
                                     dent_robot **robot);

/** Does the same from memory. `name` is used in messages. Mesh files are searched from the current folder. */
DENT_API dent_status dent_robot_read_memory(dent_context *context, const char *name, const void *bytes, size_t size,
                                            const dent_robot_read_def *def, dent_robot **robot);
DENT_API void dent_robot_destroy(dent_context *context, dent_robot *robot);

/** Adds a surface body for every link that has one, named after it, in the order of the links. Borrows the robot's
 *  positions: keep the robot as long as the bodies. ids has room for link_count; links without a surface get the null
 *  id. Attach ids[link] to frame dent_linkage_frame_of(linkage, link). On failure the world is unchanged and has the
 *  message. */
DENT_API dent_status dent_robot_add_to_world(const dent_robot *robot, dent_world *world, dent_body_id *ids);

#ifdef __cplusplus
}
#endif

#endif
