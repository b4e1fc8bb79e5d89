/* dent/sim.h — optional library dent_sim: a small simulator built on the public API only.
 *
 * It simulates elastic solids, cloth, rigid bodies, bodies with prescribed motion, and dense surfaces carried by a
 * coarse solid. It has gravity, attachments, and contact with friction and restitution. Detection and response come
 * from dent_world_find_contacts and dent/response.h.
 *
 *   dent_sim_def def = dent_sim_def_default();               bodies, materials, gravity, time step …
 *   dent_sim_create(context, &def, &sim);                    everything is copied
 *   while (…) {
 *       dent_sim_step(sim);                                  one time step
 *       const double *x = dent_sim_positions(sim, body);     3 per vertex, until the next step
 *   }
 *
 * Method. A step is divided into `substeps`. Contacts are found once per step. Every substep minimises one sum for the
 * elastic bodies and all they meet: inertia, elasticity, contacts with friction, attachments (BDF2, or implicit
 * Euler where motion is not smooth; Newton's method with conjugate gradients). Rigid bodies that touch one another alone
 * are solved as islands, with restitution. Energy never rises but by outer work. See docs/simulator.md.
 *
 * Units: SI is intended (metres, kilograms, seconds); any consistent system works. Right-handed, z up by default.
 *
 * Determinism: the same def gives the same bits after the same steps for every thread count, instruction set, compiler
 * and optimisation level. A run resumed from a checkpoint equals an uninterrupted run.
 *
 * Threads: one simulation is used by one thread at a time; a step runs on the context's workers. After warm-up a step
 * allocates only if the number of contacts grows. Failure: a failing call changes nothing, except dent_sim_step as
 * stated there.
 */
#ifndef DENT_SIM_H
#define DENT_SIM_H

#include <dent/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dent_sim dent_sim;

/* ---- materials --------------------------------------------------------------------------------------------------- */

/** One material. Bodies refer to it by its index in dent_sim_def.materials. */
typedef struct dent_sim_material {
    size_t struct_size;
    const char *name; /**< for messages; may be null */

    double density;   /**< kg/m^3; cloth: kg/m^2. Above 0; default 1000 (set it for cloth: 0.2 is a shirt) */
    double young;     /**< Young's modulus of elastic solids, Pa, above 0; default 1e5 (soft rubber, flesh) */
    double poisson;   /**< Poisson's ratio, 0 <= . < 0.5; default 0.4 */
    double damping;   /**< s: viscous stress = damping * stiffness * rate of strain; >= 0, default 0.002. A mode of
                           angular frequency w is damped by damping * w / 2 of critical */

    double stretch;   /**< cloth: resistance to stretching along its edges, N/m, above 0; default 1000 */
    double shear;     /**< cloth: resistance to in-plane shear, N/m, >= 0; default 300 */
    double bending;   /**< cloth: bending stiffness, N m, >= 0; default 1e-4 */

    double friction_static;    /**< Coulomb, >= 0, default 0.5; two bodies: the geometric mean */
    double friction_kinetic;   /**< >= 0, not above friction_static, default 0.4; two bodies: the geometric mean */
    double restitution;        /**< 0 (default) to 1; two bodies: the larger one */
    double contact_compliance; /**< m/N, >= 0, default 0 (hard); two bodies: the sum */
} dent_sim_material;
DENT_API dent_sim_material dent_sim_material_default(void);

/** Overrides the rules above for one pair of materials. */
typedef struct dent_sim_material_pair {
    uint32_t material_a, material_b; /**< in either order */
    double friction_static, friction_kinetic, restitution, contact_compliance;
} dent_sim_material_pair;

/* ---- prescribed motion ------------------------------------------------------------------------------------------- */

/** A keyframe: x(t) = pivot + R(q) (x_start - pivot) + translation. Between two keys the translation is linear; the
 *  quaternion is linear and normalised, along the shorter arc. Before the first and after the last key the body stands
 *  still. */
typedef struct dent_sim_keyframe {
    double time;           /**< s; ascending */
    double rotation[4];    /**< quaternion w, x, y, z; not zero, of any other length */
    double translation[3]; /**< m */
} dent_sim_keyframe;

/** Writes the positions of all vertices of the body at `time`, 3 per vertex. On entry `positions` holds the start
 *  positions. The result must depend on the arguments only, so that checkpoints resume. The numbers must be finite;
 *  otherwise the step fails and names the body. */
typedef void dent_sim_motion_function(void *user, double time, uint32_t vertex_count, double *positions);

typedef struct dent_sim_motion {
    uint32_t keyframe_count; /**< 0 and no function (default): stands still */
    const dent_sim_keyframe *keyframes; /**< copied */
    double pivot[3];
    bool repeat;             /**< start again after the last key */
    dent_sim_motion_function *function; /**< used instead of keyframes */
    void *user;
} dent_sim_motion;

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

typedef enum dent_sim_body_kind {
    DENT_SIM_SOLID = 1,      /**< elastic tetrahedra: stable neo-Hookean, safe under inversion */
    DENT_SIM_CLOTH = 2,      /**< elastic triangles: stretch, shear, bending */
    DENT_SIM_RIGID = 3,      /**< rigid body; mass and inertia come from the tetrahedra or the closed surface; an open
                                  surface is a shell with its density per area */
    DENT_SIM_PRESCRIBED = 4, /**< body that follows its motion, or stands still; infinite mass */
    DENT_SIM_EMBEDDED = 5    /**< dense surface carried by an elastic solid, its host, by rigid links; contacts act on
                                  it instead of the host */
} dent_sim_body_kind;

/** Returns "solid", "cloth", "rigid", "prescribed", "embedded"; null for other values. */
DENT_API const char *dent_sim_body_kind_name(dent_sim_body_kind kind);

typedef struct dent_sim_body_def {
    size_t struct_size;
    dent_sim_body_kind kind; /**< default SOLID */
    dent_body_kind mesh;     /**< type of the elements; SOLID and CLOTH imply it and ignore this; EMBEDDED is a
                                  surface */
    const char *name;        /**< copied; null: "body N" */

    uint32_t vertex_count, element_count;
    const uint32_t *element_corners; /**< tetrahedra (4) or triangles (3); copied */
    const double *positions;         /**< 3 per vertex at time 0; copied */
    const double *rest;              /**< undeformed shape of solids and cloth; null (default): positions. Flat rest
                                          tetrahedra, and triangles without area, have no elasticity and are counted
                                          with a notice */
    const double *velocities;        /**< 3 per vertex at time 0, m/s; null (default): from the next two fields. Not
                                          for rigid bodies */
    double linear_velocity[3];       /**< m/s at time 0; default 0 */
    double angular_velocity[3];      /**< rad/s at time 0 about the centre of mass; default 0 */

    uint32_t material; /**< index of its material; default 0 */
    double density;    /**< replaces that of the material if above 0; default 0 */
    double thickness;  /**< contact begins at this distance from the surface, m; negative (default): from the sim def */

    uint32_t fixed_count;           /**< elastic bodies: vertices that follow `motion` instead of moving freely */
    const uint32_t *fixed_vertices; /**< copied */
    dent_sim_motion motion;         /**< motion of PRESCRIBED bodies and of the fixed vertices of elastic ones */

    uint32_t host; /**< EMBEDDED: index of its host in the sim def, an earlier or later body of kind SOLID */

    uint32_t collision_group; /**< as in dent_body_def; default 1. An embedded surface's host usually gets mask 0 */
    uint32_t collision_mask;  /**< default all bits; 0: no contacts at all */
    bool self_collision;      /**< default true for elastic and embedded bodies; ignored for rigid and prescribed
                                   ones */
    bool prevent_crossing;       /**< default false; DENT_SIM_CLOTH: true. True: find impacts between one detection of
                                   contacts and the next, and never let this body cross another. See
                                   dent_sim_def.continuous */
} dent_sim_body_def;
DENT_API dent_sim_body_def dent_sim_body_def_default(dent_sim_body_kind kind);

/** Attaches a vertex to a point in space, a vertex, or a point inside an element (weights). Rigid bodies take part
 * through their vertices. A hard attachment has length and compliance 0. If it connects a rigid body with a solid that
 * has fixed vertices and collision_mask 0, it is a bond. Then the vertex becomes part of the rigid body, with its mass,
 * and forces through it are as exact as the elasticity. So are the forces of soft attachments of rigid bodies to space
 * or to prescribed bodies. See docs/simulator.md. */
typedef struct dent_sim_attachment {
    uint32_t body_a, vertex_a;
    uint32_t body_b;         /**< UINT32_MAX: a point in space */
    uint32_t vertices_b[4];  /**< vertices that define the point; unused ones UINT32_MAX */
    double weights_b[4];     /**< sum 1 */
    double point[3];         /**< point in space, if body_b is UINT32_MAX */
    double length;           /**< rest length, m, >= 0: 0 keeps the two together */
    double compliance;       /**< m/N, >= 0: 0 is a hard joint */
    bool same_vertex;        /**< vertex to vertex: detection also treats the two as the same vertex (dent_same_as), as
                                  in meshes cut from one file; needs vertices_b[0] alone */
} dent_sim_attachment;
DENT_API dent_sim_attachment dent_sim_attachment_default(void);

/* ---- the simulation ---------------------------------------------------------------------------------------------- */

/** When impacts between positions are searched for. */
typedef enum dent_sim_continuous {
    DENT_SIM_CONTINUOUS_OFF = 0,  /**< discrete contacts only: fast bodies may pass through thin ones */
    DENT_SIM_CONTINUOUS_THIN = 1, /**< default: for bodies with prevent_crossing, for solids whose mean thickness (twice
                                       volume over surface) is below a quarter of their mean edge, and for rigid bodies whenever they
                                       move farther than the last detection allowed for. These stop at the time of
                                       contact and keep their velocity, so none passes another at any speed */
    DENT_SIM_CONTINUOUS_ALL = 2   /**< always and for all bodies, at the end of each interval between detections */
} dent_sim_continuous;

typedef struct dent_sim_def {
    size_t struct_size;
    uint32_t body_count;
    const dent_sim_body_def *bodies; /**< copied, with all they point to; the index here is the body index in the
                                          world */
    uint32_t material_count;         /**< 0: one default material */
    const dent_sim_material *materials;
    uint32_t pair_count;
    const dent_sim_material_pair *pairs;
    uint32_t attachment_count;
    const dent_sim_attachment *attachments;

    double gravity[3];        /**< m/s^2; default 0, 0, -9.81 */
    double time_step;         /**< s, above 0 (1e-100 to 1e100); default 1/60 */
    uint32_t substeps;        /**< per step, 1 to 1000; 0 (default): chosen so that the lowest mode of every elastic body
                                   that can be resolved is (w h <= 0.28), 4 or more where there are contacts, 10 or more
                                   with rigid bodies; at most 100, and at most 1.2e7 elements times substeps a second */
    uint32_t iterations;      /**< of Newton's method in a substep, at most: 1 to 1000; 0 (default): 12, in large
                                   scenes 3. It usually ends after one to three. Too few leave residual forces, never an
                                   unstable body */
    double air_damping;       /**< 1/s, >= 0: decay rate of velocities; default 0 */

    bool contacts;            /**< default true; false: bodies pass through one another */
    double thickness;         /**< thickness of bodies without one of their own, m; negative (default): 0.02 of the mean
                                   edge of the world */
    uint32_t contact_interval; /**< substeps between detections of contacts; 0 (default): once per step, and more often
                                    while a body (without prevent_crossing) would move more than a quarter of its edges
                                    in between */
    dent_sim_continuous continuous;
    uint32_t impact_passes;   /**< maximum number of passes per detection that push apart what would cross; what is
                                   still in impact after them stops before it. 1 to 100, default 8 */
    uint64_t contact_budget;  /**< 0 (default): all contacts are found. Otherwise about the maximum number of work units
                                   (dent/time_critical.h) that a step spends on interruptible searches between balls.
                                   The response then is approximate (friction and self-collision too), without
                                   continuous detection; identical on every machine */
    bool sleep;               /**< default true: rigid bodies at rest on prescribed ones fall asleep (a step passes
                                   them over) and wake by contact, grabs, a velocity, gravity or a moving prescribed
                                   body. False: every body is computed in every substep. See docs/simulator.md */
    const int *cancel;        /**< null, or a flag polled between substeps (read as an atomic int) */
} dent_sim_def;
DENT_API dent_sim_def dent_sim_def_default(void);

/** Checks and copies everything. For INVALID_ARGUMENT, BAD_MESH, BAD_NUMBER and UNSUPPORTED the context's message names
 * body and index. BAD_NUMBER is also returned for a body whose energies overflow a double. Notices (flat rest cells,
 * overlap at the start) go to the context's log. */
DENT_API dent_status dent_sim_create(dent_context *context, const dent_sim_def *def, dent_sim **sim);
DENT_API void dent_sim_destroy(dent_sim *sim);

/** Performs one time step. BAD_NUMBER: a position is no longer finite; the message names body, vertex and step. Then
 * the state is that before the step. It is also kept if memory is short, or if the cancel flag was set; the latter
 * returns DENT_OK with `outcome` CANCELLED in the statistics. */
DENT_API dent_status dent_sim_step(dent_sim *sim);

typedef struct dent_sim_reposition_report {
    uint32_t cycles;       /**< detections after which bodies were moved; at most 10 */
    double deepest_before; /**< m: deepest overlap at entry, … */
    double deepest_after;  /**< … and at the end: 0 unless ten cycles were not enough */
    double energy_gained;  /**< J: gravitational and elastic energy gained by the move, … */
    double energy_taken;   /**< … and the part of it removed from the speed of approach */
    dent_outcome outcome;  /**< CANCELLED by the def's cancel flag: the state is unchanged, the numbers above are 0 */
} dent_sim_reposition_report;

/** Separates bodies that overlap, or are nearer than 0.3 of their target gap (the sum of their thicknesses), outside
 * simulated time. For initial states that overlap, and after bodies were placed by hand. It runs cycles of detection
 * and dent_reposition_solve (the smallest displacement, weighted with the masses), each at most a quarter of an edge.
 * Velocities stay, except that energy gained by the move is removed from the relative normal velocity. Contacts
 * reported afterwards are those of the last detection. Step count and time do not change. UNSUPPORTED without contacts
 * or with a contact_budget. On failure, and when cancelled, the state is unchanged. report may be null. */
DENT_API dent_status dent_sim_reposition(dent_sim *sim, dent_sim_reposition_report *report);

/** Returns the number of steps since the start of the simulated time; loading a checkpoint restores its count. */
DENT_API uint64_t dent_sim_step_count(const dent_sim *sim);
/** Returns step count × time step, s. */
DENT_API double dent_sim_time(const dent_sim *sim);
DENT_API dent_context *dent_sim_context(const dent_sim *sim);

/* ---- state ------------------------------------------------------------------------------------------------------- */

typedef struct dent_sim_body_info {
    const char *name;
    dent_sim_body_kind kind;
    dent_body_kind mesh;
    uint32_t vertex_count, element_count;
    const uint32_t *element_corners;
    uint32_t material;
    double mass;      /**< kg; 0 for prescribed and embedded bodies */
    double mean_edge; /**< m, at rest */
    double thickness; /**< m, as used */
} dent_sim_body_info;

DENT_API uint32_t dent_sim_body_count(const dent_sim *sim);
/** Returns false if body is not below the count. Pointers are valid as long as the simulation. */
DENT_API bool dent_sim_body(const dent_sim *sim, uint32_t body, dent_sim_body_info *info);
/** Return 3 numbers per vertex, or null for an unknown body. The pointers stay the same for the life of the simulation;
 * the numbers change with each step. */
DENT_API const double *dent_sim_positions(const dent_sim *sim, uint32_t body);
DENT_API const double *dent_sim_velocities(const dent_sim *sim, uint32_t body);

/** Returns the world of the simulation; positions at t0 are the current ones. Use it for further queries between steps;
 * their results are valid until the next step. Do not change its bodies, filters or positions. */
DENT_API dent_world *dent_sim_world(dent_sim *sim);

/** A contact of the last step. Sides a and b as in dent/contact.h. */
typedef struct dent_sim_contact {
    uint64_t key; /**< the same contact has the same key in the next step */
    uint32_t body_a, body_b, feature_a, feature_b;
    uint32_t kind;    /**< dent_contact_kind */
    double point[3];  /**< midpoint of the two sides, at the beginning of the step */
    double normal[3]; /**< unit, from b to a */
    double gap;       /**< m, at detection: + apart, - overlapping */
    double error;     /**< m: of the gap, as in dent_contact */
    double force[3];  /**< N, on a: the mean over the step, friction included; -force on b */
} dent_sim_contact;

/** Returns the contacts of the last step. Valid until the next step. */
DENT_API const dent_sim_contact *dent_sim_contacts(const dent_sim *sim, uint64_t *count);

/** Writes the forces of the attachments on their vertex a, N (-force on b): 3 numbers per attachment, in the order of
 * the def, of the last substep. Computed here: O(n). */
DENT_API void dent_sim_attachment_forces(const dent_sim *sim, double *forces);

typedef struct dent_sim_statistics {
    dent_outcome outcome; /**< outcome of the last step */
    uint64_t step;
    double time;
    uint64_t contacts;            /**< found in the last step */
    uint64_t touching;            /**< of these: those with a force */
    double max_penetration;       /**< m: deepest overlap found by the detections of the last step; the first detection
                                       is at the positions that the previous step left. 0: nothing overlapped (the usual
                                       value, as contacts keep bodies apart by their thicknesses), or contacts are off
                                       or on a contact_budget. Exact below a plane, else an estimate: the consistent
                                       depth of dent/contact.h. Contacts that are not certain (dent_contact_is_certain)
                                       count only if no other overlaps */
    double max_penetration_error;  /**< m: the error of that contact */
    double uncertain_penetration;  /**< m: deepest overlap of the contacts that are not certain; 0: there are none */
    uint32_t deepest_a, deepest_b; /**< bodies of that contact; UINT32_MAX: none */
    double kinetic, elastic, potential; /**< J; potential: of gravity, relative to height 0 */
    double contact; /**< J: stored in contacts of elastic bodies and in compliant ones (as of the last substep), attachments and
                         grabs; hard attachments are stiff springs, and store energy, too */
    double linear_momentum[3], angular_momentum[3]; /**< of all movable bodies, about the origin */
    uint32_t inverted_cells;      /**< inverted tetrahedra of elastic solids */
    uint64_t impacts;             /**< continuous: found in all passes of the last step */
    uint32_t impact_passes;       /**< … maximum number of passes after one detection */
    uint32_t stopped_vertices;    /**< … vertices that had to stop before an impact */
    uint64_t work_units;          /**< contact_budget: used in the last step, … */
    uint64_t budget_regions;      /**< … pairs of balls that pushed, … */
    double contact_error;         /**< … and the bound on how far surfaces not known to touch may be from touching, m */
    uint32_t sleeping;            /**< rigid bodies that sleep now */
    uint32_t rigid_islands;       /**< groups of touching rigid bodies solved together in the last substep, … */
    uint32_t rigid_newtons;       /**< … and the most steps of Newton's method that one of them took in this step */
    double rigid_residual;        /**< … and the largest velocity into a contact that was left, m/s */
    uint64_t elements, constraints;
    uint32_t substeps;            /**< of a step: those of the def, or as chosen */
    double mode;                  /**< rad/s: the lowest angular frequency of the elastic body for which that is highest */
    uint32_t mode_body;           /**< … that body, UINT32_MAX: none. mode * time_step / substeps up to 0.28: it vibrates
                                       with 95 % of its stiffness or more. Above: too slowly, and damped; at rest it is
                                       right */
    uint64_t ns_detect, ns_respond, ns_elastic, ns_total; /**< of the last step; detect includes impacts */
    uint64_t bytes, allocations;  /**< of the context: allocated now; allocate calls during the last step */
} dent_sim_statistics;

/** Returns the statistics. Energies and momenta are computed here: O(n). */
DENT_API dent_sim_statistics dent_sim_get_statistics(const dent_sim *sim);

/** The first mode of vibration of an elastic solid, and how well the time step resolves it. */
typedef struct dent_sim_mode {
    double omega;     /**< rad/s, for small vibrations about the rest shape without contacts and attachments. An estimate
                           from above: Rayleigh's quotient, settled to 0.1 % in 25 iterations. Nearly incompressible bodies
                           (Poisson's ratio 0.499) end at the limit of iterations, up to a quarter too high */
    double turn;      /**< omega times the length of a substep, rad */
    double stiffness; /**< 0 to 1: share of the stiffness that backward Euler keeps of this mode, (atan(turn) / turn)^2.
                           An elastic solver that is not converged loses more */
    uint32_t substeps;   /**< substeps per step with which the turn is at most 0.28 and the share at least 0.95 */
    uint32_t iterations; /**< iterations of the estimate; 999: it was stopped there */
} dent_sim_mode;

/** Estimates the first mode of a body. Fixed vertices and those bonded to rigid bodies are held; a free body's rigid
 * motions do not count. Cost: one product with the stiffness matrix per iteration, at most 1000, on the calling
 * thread; 13 numbers per coordinate of memory. The state does not change. INVALID_ARGUMENT: no such body. UNSUPPORTED:
 * it is not of kind SOLID. */
DENT_API dent_status dent_sim_first_mode(dent_sim *sim, uint32_t body, dent_sim_mode *mode);

/** Returns FNV-1a 64 over the bits of the whole state (positions, velocities, poses, contact memory, step): equal
 * states have equal hashes. */
DENT_API uint64_t dent_sim_hash(const dent_sim *sim);

/* ---- interaction ------------------------------------------------------------------------------------------------- */

/** Pulls a vertex of a movable body softly towards a target. A second call on the same vertex moves the target. At most
 * 64 grabs at a time. INVALID_ARGUMENT: unknown body or vertex, a number that is not finite, too many grabs. Grabs are
 * part of the state. */
DENT_API dent_status dent_sim_grab(dent_sim *sim, uint32_t body, uint32_t vertex, const double target[3]);
/** Releases a grabbed vertex; does nothing if it is not grabbed. */
DENT_API void dent_sim_release(dent_sim *sim, uint32_t body, uint32_t vertex);
/** Releases all grabbed vertices. */
DENT_API void dent_sim_release_all(dent_sim *sim);

/** Sets gravity from the next step on, m/s^2. INVALID_ARGUMENT: not finite. Part of the state. */
DENT_API dent_status dent_sim_set_gravity(dent_sim *sim, const double gravity[3]);
/** Sets the velocity of a movable body, m/s and rad/s about its centre of mass; null: unchanged. */
DENT_API dent_status dent_sim_set_velocity(dent_sim *sim, uint32_t body, const double linear[3],
                                           const double angular[3]);

/* ---- checkpoints ------------------------------------------------------------------------------------------------- */

/** Writes the whole state to `path` as dent/file_output.h does. At every moment `path` is the old file or the complete
 * new one, also with several writers. Devices, pipes and dangling links fail with FILE, and the message names the path.
 * `note` (note_size bytes, may be null) is stored with it for the caller. The file has a version, a checksum and the
 * byte order of the machine; machines of the other byte order reject it. */
DENT_API dent_status dent_sim_save(dent_sim *sim, const char *path, const void *note, size_t note_size);

/** Restores a saved state into a simulation made from the same def. The run continues with the same bits as the saved
 * one. FORMAT: not a checkpoint, another version, truncated, damaged, or of another def (the fingerprint of bodies,
 * materials and settings differs). FILE: cannot be read. On failure the simulation is unchanged. */
DENT_API dent_status dent_sim_load(dent_sim *sim, const char *path);

/** Reads the note of a checkpoint without a simulation. *note_size receives its full size; at most buffer_size bytes
 * are written. The whole file is checked. */
DENT_API dent_status dent_sim_read_note(dent_context *context, const char *path, void *buffer, size_t buffer_size,
                                        size_t *note_size);

#ifdef __cplusplus
}
#endif

#endif
