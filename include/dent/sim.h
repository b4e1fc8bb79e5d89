/* dent/sim.h — optional library dent_sim: a small honest simulator, proof that detection and response work together.
 *
 * Elastic solids, cloth, rigid bodies, bodies that move as told, and dense surfaces carried by a coarse solid; gravity,
 * attachments, contact with friction and restitution. It uses the public interface only: dent_world_find_contacts and
 * dent/response.h, as a stranger's simulator would.
 *
 *   dent_sim_def def = dent_sim_def_default();               bodies, materials, gravity, time step …
 *   dent_sim_create(context, &def, &sim);                    everything is copied
 *   while (…) {
 *       dent_sim_step(sim);                                  one time step
 *       const double *x = dent_sim_positions(sim, body);     3 per vertex, until the next step
 *   }
 *
 * Method: small steps. A step is cut into `substeps`; contacts are found once per step. Every substep predicts, sweeps
 * over the elastic bodies (vertex block descent), corrects positions for attachments and for contacts with friction
 * (XPBD), takes velocities from the positions, and gives restitution in a last pass. Described in docs/simulator.md.
 *
 * Units: SI is meant (metres, kilograms, seconds) and any consistent system works. Right-handed, z up by default.
 *
 * Determinism: the same def gives the same bits after the same steps for every thread count, instruction set, compiler
 * and optimisation level, and a run resumed from a checkpoint equals one never stopped.
 *
 * Threads: one simulation by one thread at a time; a step runs on the context's workers. After warm-up a step allocates
 * only where the number of contacts grows. Failure: a failing call changes nothing, except dent_sim_step as stated
 * there.
 */
#ifndef DENT_SIM_H
#define DENT_SIM_H

#include <dent/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dent_sim dent_sim;

/* ---- what bodies are made of ------------------------------------------------------------------------------------- */

/** One material. A body names one by its number in dent_sim_def.materials. */
typedef struct dent_sim_material {
    size_t struct_size;
    const char *name; /**< for messages; may be null */

    double density;   /**< kg/m^3; cloth: kg/m^2. Above 0; default 1000 (cloth bodies: set it, 0.2 is a shirt) */
    double young;     /**< Young's modulus of elastic solids, Pa, above 0; default 1e5 (soft rubber, flesh) */
    double poisson;   /**< Poisson's ratio, 0 <= . < 0.5; default 0.4 */
    double damping;   /**< s: viscous stress = damping * stiffness * rate of strain; >= 0, default 0.002. A mode of
                           angular frequency w is damped by damping * w / 2 of critical */

    double stretch;   /**< cloth: resistance to stretching along its edges, N/m, above 0; default 1000 */
    double shear;     /**< cloth: resistance to in-plane shear, N/m, >= 0; default 300 */
    double bending;   /**< cloth: bending stiffness, N m, >= 0; default 1e-4 */

    double friction_static;    /**< Coulomb, >= 0, default 0.5; two bodies: the geometric mean of theirs */
    double friction_kinetic;   /**< >= 0, not above friction_static, default 0.4; geometric mean */
    double restitution;        /**< 0 (default) to 1; the larger of the two */
    double contact_compliance; /**< m/N, >= 0, default 0 (hard); the sum of the two */
} dent_sim_material;
DENT_API dent_sim_material dent_sim_material_default(void);

/** Replaces what the rules above give for one pair of materials. */
typedef struct dent_sim_material_pair {
    uint32_t material_a, material_b; /**< in either order */
    double friction_static, friction_kinetic, restitution, contact_compliance;
} dent_sim_material_pair;

/* ---- motion that is told ----------------------------------------------------------------------------------------- */

/** A place in time: x(t) = pivot + R(q) (x_start - pivot) + translation. Between two keys translation is linear, the
 *  quaternion linear and normalised (the shorter way round); before the first and after the last key it stands
 *  still. */
typedef struct dent_sim_keyframe {
    double time;           /**< s; ascending */
    double rotation[4];    /**< quaternion w, x, y, z; need not be of unit length, not zero */
    double translation[3]; /**< m */
} dent_sim_keyframe;

/** Writes where all vertices of the body are at `time` (3 per vertex; `positions` comes in holding the start
 * positions). Must depend on its arguments only, so that checkpoints resume; finite numbers, or the step fails and
 * names the body. */
typedef void dent_sim_motion_function(void *user, double time, uint32_t vertex_count, double *positions);

typedef struct dent_sim_motion {
    uint32_t keyframe_count; /**< 0 and no function (default): stands still */
    const dent_sim_keyframe *keyframes; /**< copied */
    double pivot[3];
    bool repeat;             /**< begin again after the last key */
    dent_sim_motion_function *function; /**< instead of keyframes */
    void *user;
} dent_sim_motion;

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

typedef enum dent_sim_body_kind {
    DENT_SIM_SOLID = 1,      /**< elastic tetrahedra: stable neo-Hookean, safe under inversion */
    DENT_SIM_CLOTH = 2,      /**< elastic triangles: stretch, shear, bending */
    DENT_SIM_RIGID = 3,      /**< keeps its shape; mass and inertia from the mesh: tetrahedra, or a closed surface; an
                                  open surface is a shell of the density per area */
    DENT_SIM_PRESCRIBED = 4, /**< moves as its motion says, or stands still; infinitely heavy */
    DENT_SIM_EMBEDDED = 5    /**< a dense surface carried by an elastic solid, its host, by rigid links; touches for
                                  it */
} dent_sim_body_kind;

/** "solid", "cloth", "rigid", "prescribed", "embedded"; null for other values. */
DENT_API const char *dent_sim_body_kind_name(dent_sim_body_kind kind);

typedef struct dent_sim_body_def {
    size_t struct_size;
    dent_sim_body_kind kind; /**< default SOLID */
    dent_body_kind mesh;     /**< what the elements are; SOLID and CLOTH have no choice and ignore it, EMBEDDED is a
                                  surface */
    const char *name;        /**< copied; null: "body N" */

    uint32_t vertex_count, element_count;
    const uint32_t *element_corners; /**< tetrahedra (4) or triangles (3); copied */
    const double *positions;         /**< 3 per vertex at time 0; copied */
    const double *rest;              /**< undeformed shape of solids and cloth; null (default): positions. Flat rest
                                          tetrahedra have no elasticity and are counted with a notice; so are triangles
                                          without area */
    const double *velocities;        /**< 3 per vertex at time 0, m/s; null (default): the next two. Not for rigid
                                          bodies */
    double linear_velocity[3];       /**< m/s at time 0; default 0 */
    double angular_velocity[3];      /**< rad/s at time 0 about the centre of mass; default 0 */

    uint32_t material; /**< number of its material; default 0 */
    double density;    /**< replaces that of the material when above 0; default 0 */
    double thickness;  /**< contact begins at this distance from the surface, m; negative (default): from the sim def */

    uint32_t fixed_count;           /**< elastic bodies: vertices that follow `motion` instead of moving freely */
    const uint32_t *fixed_vertices; /**< copied */
    dent_sim_motion motion;         /**< of PRESCRIBED bodies and of the fixed vertices of elastic ones */

    uint32_t host; /**< EMBEDDED: number of its host in the sim def, an earlier or later body of kind SOLID */

    uint32_t collision_group; /**< as in dent_body_def; default 1. An embedded surface's host usually gets mask 0 */
    uint32_t collision_mask;  /**< default all bits; 0: touches nothing */
    bool self_collision;      /**< default true for elastic and embedded bodies; never asked for rigid and prescribed
                                   ones */
    bool prevent_crossing;       /**< look for impacts on the way from one detection of contacts to the next and never let
                                   this body cross another: default false; DENT_SIM_CLOTH: true. See
                                   dent_sim_def.continuous */
} dent_sim_body_def;
DENT_API dent_sim_body_def dent_sim_body_def_default(dent_sim_body_kind kind);

/** Ties a vertex to something: a point in space, a vertex, or a point inside an element (weights). Rigid bodies take
 * part through their vertices. A hard tie (length and compliance 0) from a solid with fixed vertices that touches
 * nothing (collision_mask 0) to a rigid body is a bond: the vertex becomes part of the body, with its mass, and forces
 * through it are as exact as the elasticity; so are those of soft ties of rigid bodies to space or prescribed bodies.
 * See docs/simulator.md. */
typedef struct dent_sim_attachment {
    uint32_t body_a, vertex_a;
    uint32_t body_b;         /**< UINT32_MAX: a point in space */
    uint32_t vertices_b[4];  /**< corners that carry the point; unused ones UINT32_MAX */
    double weights_b[4];     /**< sum 1 */
    double point[3];         /**< in space, when body_b is UINT32_MAX */
    double length;           /**< rest length, m, >= 0: 0 keeps the two together */
    double compliance;       /**< m/N, >= 0: 0 is a hard joint */
    bool same_vertex;        /**< a vertex with a vertex: also the same vertex for detection (dent_same_as), as in
                                  meshes cut from one file; needs vertices_b[0] alone */
} dent_sim_attachment;
DENT_API dent_sim_attachment dent_sim_attachment_default(void);

/* ---- the simulation ---------------------------------------------------------------------------------------------- */

/** Which bodies are watched between positions. */
typedef enum dent_sim_continuous {
    DENT_SIM_CONTINUOUS_OFF = 0,  /**< discrete contacts only */
    DENT_SIM_CONTINUOUS_THIN = 1, /**< default: as soon as one body is prevent_crossing */
    DENT_SIM_CONTINUOUS_ALL = 2   /**< always */
} dent_sim_continuous;

typedef struct dent_sim_def {
    size_t struct_size;
    uint32_t body_count;
    const dent_sim_body_def *bodies; /**< copied, with all they point to; numbers of bodies are their ranks in the
                                          world */
    uint32_t material_count;         /**< 0: one default material */
    const dent_sim_material *materials;
    uint32_t pair_count;
    const dent_sim_material_pair *pairs;
    uint32_t attachment_count;
    const dent_sim_attachment *attachments;

    double gravity[3];        /**< m/s^2; default 0, 0, -9.81 */
    double time_step;         /**< s, above 0 (1e-100 to 1e100); default 1/60 */
    uint32_t substeps;        /**< per step, 1 to 1000; default 10. More: stiffer and more accurate */
    uint32_t iterations;      /**< sweeps of the elastic solver per substep, 1 to 1000; 0 (default): by stiffness, 1 to
                                   12, and fewer in large scenes. Too few leave a body softer than its material, never
                                   unstable */
    double air_damping;       /**< 1/s, >= 0: velocities fall by this rate; default 0 */

    bool contacts;            /**< default true; false: bodies pass through one another */
    double thickness;         /**< of bodies without one of their own, m; negative (default): 0.02 of the mean edge of
                                   the world */
    uint32_t contact_interval; /**< find contacts every so many substeps; 0 (default): once per step, and more often
                                    while a body (not prevent_crossing) would move more than a quarter of its edges in
                                    between */
    dent_sim_continuous continuous;
    uint32_t impact_passes;   /**< most passes that push apart what would cross, per detection; after them what is still
                                   in impact stops before it. 1 to 100, default 8 */
    uint64_t contact_budget;  /**< 0 (default): all contacts are found. Otherwise a step spends at most about so many
                                   work units (dent/time_critical.h) on interruptible searches between balls and pushes
                                   with what they know then: approximate (friction and self-collision too), no
                                   continuous detection; identical on every machine */
    const int *cancel;        /**< null, or a flag polled between substeps (read as an atomic int) */
} dent_sim_def;
DENT_API dent_sim_def dent_sim_def_default(void);

/** Checks and copies everything. INVALID_ARGUMENT, BAD_MESH, BAD_NUMBER name body and index in the context's message;
 * so does UNSUPPORTED. BAD_NUMBER also for a body whose energies double precision could not hold. Notices (flat rest
 * cells, overlap at the start) go to the context's log. */
DENT_API dent_status dent_sim_create(dent_context *context, const dent_sim_def *def, dent_sim **sim);
DENT_API void dent_sim_destroy(dent_sim *sim);

/** One time step. BAD_NUMBER: a position stopped being finite; the message names body, vertex and step, and the state
 * is that before the step (so is it when memory is short or the cancel flag was seen: `outcome` CANCELLED in the
 * statistics, DENT_OK). */
DENT_API dent_status dent_sim_step(dent_sim *sim);

typedef struct dent_sim_reposition_report {
    uint32_t cycles;       /**< detections after which bodies were moved; 10 at most */
    double deepest_before; /**< m: deepest overlap at entry, … */
    double deepest_after;  /**< … and at the end: 0 unless ten cycles were not enough */
    double energy_gained;  /**< J: what gravity and elasticity gained by the move, … */
    double energy_taken;   /**< … and what of it was taken from the speed of approach */
} dent_sim_reposition_report;

/** Puts bodies apart that overlap or are nearer than 0.3 of their security distance (the sum of their thicknesses),
 * outside time: for starts that overlap, and after bodies were put somewhere by hand. Cycles of detection and
 * dent_reposition_solve (the smallest displacement, weighted with the masses), a quarter of an edge at most each.
 * Velocities stay, except that energy gained by the move is taken from the relative normal velocity. Contacts reported
 * afterwards are those of the last detection. Step count and time do not change. UNSUPPORTED without contacts or with a
 * contact_budget; on failure the state is as before. report may be null. */
DENT_API dent_status dent_sim_reposition(dent_sim *sim, dent_sim_reposition_report *report);

/** Steps done since the start of the simulated time; a checkpoint brings its own. */
DENT_API uint64_t dent_sim_step_count(const dent_sim *sim);
/** step count × time step, s. */
DENT_API double dent_sim_time(const dent_sim *sim);
DENT_API dent_context *dent_sim_context(const dent_sim *sim);

/* ---- reading ----------------------------------------------------------------------------------------------------- */

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
/** False when body is not below the count. Pointers live as long as the simulation. */
DENT_API bool dent_sim_body(const dent_sim *sim, uint32_t body, dent_sim_body_info *info);
/** 3 per vertex; the pointers stay the same for the life of the simulation, the numbers change with each step. Null: no
 * such body. */
DENT_API const double *dent_sim_positions(const dent_sim *sim, uint32_t body);
DENT_API const double *dent_sim_velocities(const dent_sim *sim, uint32_t body);

/** The world it asks; positions at t0 are the present ones. For further queries between steps (their results end with
 * the next step); bodies, filters and positions must be left alone. */
DENT_API dent_world *dent_sim_world(dent_sim *sim);

/** A contact of the last step. Sides a and b as in dent/contact.h. */
typedef struct dent_sim_contact {
    uint64_t key; /**< the same contact has the same key in the next step */
    uint32_t body_a, body_b, feature_a, feature_b;
    uint32_t kind;    /**< dent_contact_kind */
    double point[3];  /**< in the middle between the two sides, at the beginning of the step */
    double normal[3]; /**< unit, from b to a */
    double gap;       /**< m, at detection: + apart, - overlapping */
    double error;     /**< m: of the gap, as in dent_contact */
    double force[3];  /**< N, on a: the mean over the step, friction included; -force on b */
} dent_sim_contact;

/** Valid until the next step. */
DENT_API const dent_sim_contact *dent_sim_contacts(const dent_sim *sim, uint64_t *count);

/** The forces of the attachments on their vertex a, N, -force on b: 3 numbers per attachment, in the order of the def;
 * those of the last substep. Computed here: O(n). */
DENT_API void dent_sim_attachment_forces(const dent_sim *sim, double *forces);

typedef struct dent_sim_statistics {
    dent_outcome outcome; /**< of the last step */
    uint64_t step;
    double time;
    uint64_t contacts;            /**< found in the last step */
    uint64_t touching;            /**< of these: those that carried a force */
    double max_penetration;       /**< m: deepest overlap found by the detections of the last step, the first of them at
                                       the positions the step before had left; 0: nothing overlapped (contacts keep
                                       bodies apart by their thicknesses, so this is the usual value), or contacts are
                                       off or on a contact_budget. Exact below a plane, else an estimate: the
                                       consistent depth of dent/contact.h. Contacts that are not certain
                                       (dent_contact_is_certain) count only where no other overlaps */
    double max_penetration_error;  /**< m: the error of that contact */
    double uncertain_penetration;  /**< m: the deepest of the contacts that are not certain; 0: there are none */
    uint32_t deepest_a, deepest_b; /**< bodies of that contact; UINT32_MAX: none */
    double kinetic, elastic, potential; /**< J; potential: of gravity, relative to height 0 */
    double linear_momentum[3], angular_momentum[3]; /**< of what can move, about the origin */
    uint32_t inverted_cells;      /**< tetrahedra of elastic solids that are inside out now */
    uint64_t impacts;             /**< continuous: found in all passes of the last step */
    uint32_t impact_passes;       /**< … most passes after one detection */
    uint32_t stopped_vertices;    /**< … vertices that had to stop before an impact */
    uint64_t work_units;          /**< contact_budget: used in the last step, … */
    uint64_t budget_regions;      /**< … pairs of balls that pushed, … */
    double contact_error;         /**< … and the bound on how far surfaces not known to touch may be from touching, m */
    uint64_t elements, constraints;
    uint32_t colours;             /**< groups of constraints that run side by side */
    uint64_t ns_detect, ns_respond, ns_elastic, ns_total; /**< of the last step; detect includes impacts */
    uint64_t bytes, allocations;  /**< of the context: taken now; allocate calls during the last step */
} dent_sim_statistics;

/** Energies and momenta are computed here: O(n). */
DENT_API dent_sim_statistics dent_sim_get_statistics(const dent_sim *sim);

/** FNV-1a 64 over the bits of the whole state (positions, velocities, poses, remembered contacts, step): equal states,
 * equal hashes. */
DENT_API uint64_t dent_sim_hash(const dent_sim *sim);

/* ---- taking hold ------------------------------------------------------------------------------------------------- */

/** Pulls a vertex of a movable body to a target, softly enough not to break anything; a second call on the same vertex
 * moves the target. At most 64 grabs at a time. INVALID_ARGUMENT: no such body or vertex, not finite, too many. Part of
 * the state. */
DENT_API dent_status dent_sim_grab(dent_sim *sim, uint32_t body, uint32_t vertex, const double target[3]);
/** Lets go of it; nothing happens when it was not held. */
DENT_API void dent_sim_release(dent_sim *sim, uint32_t body, uint32_t vertex);
/** Lets go of all that are held. */
DENT_API void dent_sim_release_all(dent_sim *sim);

/** From the next step on, m/s^2. INVALID_ARGUMENT: not finite. Part of the state. */
DENT_API dent_status dent_sim_set_gravity(dent_sim *sim, const double gravity[3]);
/** Gives a movable body a velocity, m/s and rad/s about its centre of mass; null: unchanged. */
DENT_API dent_status dent_sim_set_velocity(dent_sim *sim, uint32_t body, const double linear[3],
                                           const double angular[3]);

/* ---- checkpoints ------------------------------------------------------------------------------------------------- */

/** Writes the whole state to `path` as dent/file_output.h does: at every moment `path` is the old file or the complete
 * new one, also with several writers; devices, pipes and links that lead nowhere fail with FILE, which names the path.
 * `note` (note_size bytes, may be null) is kept with it for the caller. Versioned, checksummed, in the byte order of the
 * machine (another one refuses it). */
DENT_API dent_status dent_sim_save(dent_sim *sim, const char *path, const void *note, size_t note_size);

/** Puts a simulation made from the same def into the saved state; the run goes on bit by bit as the saved one would
 * have. FORMAT: not a checkpoint, another version, truncated, damaged, or one of another def (the fingerprint of
 * bodies, materials and settings differs); FILE: cannot be read. Then the simulation is as it was. */
DENT_API dent_status dent_sim_load(dent_sim *sim, const char *path);

/** Reads the note of a checkpoint without a simulation: *note_size comes back as its full size, at most buffer_size
 * bytes are written. The file is checked whole. */
DENT_API dent_status dent_sim_read_note(dent_context *context, const char *path, void *buffer, size_t buffer_size,
                                        size_t *note_size);

#ifdef __cplusplus
}
#endif

#endif
