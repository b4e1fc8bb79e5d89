/* dent/sim.h — optional library dent_sim: a small simulator built on the public API only.
 *
 * It simulates elastic solids, cloth, strands (hair, fibres: elastic rods), rigid bodies, bodies with prescribed motion,
 * and dense surfaces carried by a coarse solid. It has gravity, attachments, loads, supports and springs (dent/sim_loads.h), and contact with friction
 * and restitution. Detection and response come from dent_world_find_contacts and dent/response.h.
 *
 *   dent_sim_def def = dent_sim_def_default();               bodies, materials, gravity, time step …
 *   dent_sim_create(context, &def, &sim);                    everything is copied
 *   while (…) {
 *       dent_sim_step(sim);                                  one time step
 *       const double *x = dent_sim_positions(sim, body);     3 per vertex, until the next step
 *   }
 *
 * Method. A step is divided into `substeps`. Contacts are found once per step. Every substep minimises one sum for the
 * elastic bodies and all they meet: inertia, elasticity, contacts with friction, attachments. It uses BDF2, or implicit
 * Euler where motion is not smooth, and Newton's method with conjugate gradients. Rigid bodies that touch one another
 * alone are solved as islands, with restitution. Energy never rises but by outer work. See docs/simulator.md.
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

#include <dent/motion.h>
#include <dent/sim_loads.h>
#include <dent/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- materials --------------------------------------------------------------------------------------------------- */

/** Energy densities of elastic solids. At small strains all are Hooke's law with `young` and `poisson`. Formulas and
 * limits: docs/simulator.md, "Materials". */
typedef enum dent_sim_model {
    DENT_SIM_NEO_HOOKEAN = 0,         /**< default: stable neo-Hookean; the fastest, with kernels of its own */
    DENT_SIM_COROTATED = 1,           /**< Hooke's law of what is left when the rotation is taken out */
    DENT_SIM_ST_VENANT_KIRCHHOFF = 2, /**< Hooke's law of Green's strain; too soft where strongly pressed */
    DENT_SIM_PLASTIC = 3              /**< corotated up to yield_stress (von Mises), then it flows for good */
} dent_sim_model;

/** Returns "neo-hookean", "corotated", "st-venant-kirchhoff", "plastic"; null for other values. */
DENT_API const char *dent_sim_model_name(dent_sim_model model);

/** Activation of the fibres of a material at a time; linear between two keys, constant before the first and after the
 * last one. */
typedef struct dent_sim_activation_key {
    double time;  /**< s; ascending */
    double value; /**< 0 (at rest) to 1 (full fibre_strength) */
} dent_sim_activation_key;

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

    /* Elastic solids. With any of these other than the default, a product with the matrix takes 6 times as long per
     * cell. A gradient takes 25 to 45 times as long. */
    dent_sim_model model;
    double viscosity;       /**< Pa s, >= 0, default 0: Kelvin-Voigt, stress = 2 viscosity * rate of strain, … */
    double bulk_viscosity;  /**< … + bulk_viscosity * rate of the volume; Pa s, >= 0, default 0 */
    double yield_stress;    /**< PLASTIC: Pa, above 0, default 1e3 */
    double hardening;       /**< PLASTIC: Pa per unit of plastic strain, >= 0, default 0 */
    double fibre_stiffness; /**< Pa, >= 0, default 0: what fibres add to young along fibre_direction */
    double fibre_strength;  /**< Pa, >= 0, default 0: tension of fibres (force per area at rest) at activation 1 */
    double fibre_direction[3]; /**< in the rest shape, any length but 0; default 1, 0, 0. Bodies may give one for each
                                    element (dent_sim_body_def.fibre_directions) */
    uint32_t activation_count; /**< 0 (default): fibres are not activated */
    const dent_sim_activation_key *activation; /**< copied */
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
    DENT_SIM_SOLID = 1,      /**< elastic tetrahedra or hexahedra (`elements`), safe under inversion */
    DENT_SIM_CLOTH = 2,      /**< elastic triangles: stretch, shear, bending */
    DENT_SIM_RIGID = 3,      /**< rigid body; mass and inertia come from the tetrahedra or the closed surface; an open
                                  surface is a shell with its density per area */
    DENT_SIM_PRESCRIBED = 4, /**< body that follows its motion, or stands still; infinite mass */
    DENT_SIM_EMBEDDED = 5,   /**< dense surface carried by an elastic solid, its host, by rigid links; contacts act on
                                  it instead of the host */
    DENT_SIM_STRANDS = 6     /**< polylines as elastic rods: stretch, bending, twist, natural curls */
} dent_sim_body_kind;

/** Returns "solid", "cloth", "rigid", "prescribed", "embedded", "strands"; null for other values. */
DENT_API const char *dent_sim_body_kind_name(dent_sim_body_kind kind);

/** How the elasticity of a solid is computed from its mesh. */
typedef enum dent_sim_elements {
    DENT_SIM_LINEAR = 0,    /**< default: tetrahedra of constant strain. Fastest; too stiff in bending where few of them
                                 share the thickness, and for poisson above 0.45 */
    DENT_SIM_QUADRATIC = 1, /**< tetrahedra with a further vertex on each edge: right in bending. The simulation adds
                                 these vertices behind those of the def, divides each tetrahedron into eight for contacts,
                                 and reports both in dent_sim_body_info. A new vertex is fixed if both ends of its edge
                                 are */
    DENT_SIM_HEXAHEDRA = 2  /**< element_corners has 8 per element (order of dent/body.h): hexahedra of uniform strain with
                                 hourglass modes as stiff as bending. Right in bending for cells that are nearly boxes.
                                 For contacts they are divided into tetrahedra, which dent_sim_body_info reports */
} dent_sim_elements;

/** Returns "linear", "quadratic", "hexahedra"; null for other values. */
DENT_API const char *dent_sim_elements_name(dent_sim_elements elements);

/** Where a strand grows from: a place that a face of another body carries. Its first vertex keeps its place relative to
 * the face. Clamped, the first two vertices do, and so do the direction and the twist of the first segment. The strand
 * is free from its second vertex on. On prescribed bodies this is exact. On rigid and elastic ones the vertices are
 * held by hard attachments, whose forces act on both. A clamp's moment about the strand itself is not given back. Cloth
 * cannot clamp. The first segment is in no contact with that face and the faces around it. */
typedef struct dent_sim_root {
    uint32_t strand; /**< ascending, each at most once */
    uint32_t body;   /**< RIGID, PRESCRIBED, SOLID or CLOTH */
    uint32_t face;   /**< index in dent_body_surface_faces of that body; QUADRATIC solids: of the divided cells */
    bool clamped;
} dent_sim_root;

typedef struct dent_sim_body_def {
    size_t struct_size;
    dent_sim_body_kind kind; /**< default SOLID */
    dent_body_kind mesh;     /**< type of the elements; SOLID and CLOTH imply it and ignore this; EMBEDDED is a
                                  surface */
    const char *name;        /**< copied; null: "body N" */

    uint32_t vertex_count, element_count;
    const uint32_t *element_corners; /**< tetrahedra (4), hexahedra (8, see `elements`) or triangles (3); copied */
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
    double mass;       /**< RIGID: kg. Above 0: replaces what the mesh and the density give, with the next two; default 0 */
    double mass_center[3]; /**< m, the centre of mass in space at time 0 */
    double inertia[6]; /**< kg m^2, about the centre of mass along the axes of space at time 0: xx xy xz yy yz zz, positive
                            definite */
    double thickness;  /**< contact begins at this distance from the surface, m; negative (default): from the sim def */

    uint32_t fixed_count;           /**< elastic bodies: vertices that follow `motion` instead of moving freely */
    const uint32_t *fixed_vertices; /**< copied */
    dent_sim_motion motion;         /**< motion of PRESCRIBED bodies and of the fixed vertices of elastic ones */

    uint32_t host; /**< EMBEDDED: index of its host in the sim def, an earlier or later body of kind SOLID */

    uint32_t collision_group; /**< as in dent_body_def; default 1. An embedded surface's host usually gets mask 0 */
    uint32_t collision_mask;  /**< default all bits; 0: no contacts at all */
    bool self_collision;      /**< default true for elastic and embedded bodies; ignored for rigid and prescribed
                                   ones */
    bool prevent_crossing;       /**< default false; DENT_SIM_CLOTH and DENT_SIM_STRANDS: true. True: find impacts between one detection of
                                   contacts and the next, and never let this body cross another. See
                                   dent_sim_def.continuous */

    dent_sim_elements elements;        /**< SOLID only; default LINEAR */
    const uint32_t *element_materials; /**< SOLID: index of the material of each element, for its elasticity and density;
                                            null (default): `material`, which contacts use in any case. Copied */
    const double *fibre_directions;    /**< SOLID: 3 per element, in the rest shape, not zero; null (default): those of
                                            the materials. Copied */

    /* STRANDS; vertex_count and positions as for all bodies, element_count and element_corners follow: one segment
     * between neighbours. A fixed vertex is held, two fixed neighbours are a clamp, which keyframes turn too. */
    uint32_t strand_count;
    const uint32_t *first; /**< strand_count + 1: strand s has the vertices first[s] to first[s + 1] - 1 from root to tip, two
                                or more; starts with 0, ends with vertex_count. Copied */
    double radius;         /**< m, above 0, of the round cross-section that has mass and stiffness. With young and
                                poisson of the material these are E A, E I = E pi r^4 / 4 and G J = G pi r^4 / 2.
                                Default 5e-5 (a hair). Contacts begin at `thickness`, which may be larger: a guide
                                stands for a lock */
    double twist;          /**< rad/m: by how much strands are twisted at time 0, beyond their natural shape; default 0 */
    uint32_t root_count;
    const dent_sim_root *roots; /**< copied */
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

/* ---- joints of rigid bodies -------------------------------------------------------------------------------------- */

typedef enum dent_sim_joint_kind {
    DENT_SIM_JOINT_FIXED = 1,  /**< no relative motion */
    DENT_SIM_JOINT_HINGE = 2,  /**< rotation about the axis */
    DENT_SIM_JOINT_BALL = 3,   /**< all rotations about the point */
    DENT_SIM_JOINT_SLIDER = 4, /**< translation along the axis */
    DENT_SIM_JOINT_SPRING = 5  /**< spring and damper between two points; no constraint */
} dent_sim_joint_kind;

/** Returns "fixed", "hinge", "ball", "slider", "spring"; null for other values. */
DENT_API const char *dent_sim_joint_kind_name(dent_sim_joint_kind kind);

typedef enum dent_sim_motor {
    DENT_SIM_MOTOR_NONE = 0,     /**< default */
    DENT_SIM_MOTOR_VELOCITY = 1, /**< keeps the speed `target` */
    DENT_SIM_MOTOR_POSITION = 2, /**< goes to the position `target` and holds it */
    DENT_SIM_MOTOR_FORCE = 3     /**< pushes with the torque or force `target`, within max_force */
} dent_sim_motor;

/** Connects two rigid bodies, or one with the world, in the places they have at time 0. Positions of hinges (rad) and
 * sliders (m) are those of a relative to b, `start` at time 0, right-handed about or along the axis. Joints are equations of
 * the island solver (docs/simulator.md): they hold to rounding, for any ratio of masses. Bodies of joints may touch and
 * carry elastic ones and be grabbed; there motors, limits and springs act at the end of a substep only. */
typedef struct dent_sim_joint {
    size_t struct_size;
    dent_sim_joint_kind kind; /**< default BALL */
    uint32_t body_a;          /**< of kind RIGID */
    uint32_t body_b;          /**< of kind RIGID, or PRESCRIBED without motion; UINT32_MAX (default): the world */
    double point[3];          /**< m, in space at time 0; SPRING: its end on a */
    double point_b[3];        /**< SPRING: its end on b, in space at time 0 */
    double axis[3];           /**< HINGE and SLIDER: direction in space at time 0, of any length but 0; default 0 0 1 */
    bool limited;             /**< HINGE and SLIDER: the position stays from lower to upper; default false */
    double start;             /**< HINGE and SLIDER: the position at time 0, rad or m; default 0 */
    double lower, upper;      /**< rad or m, lower <= start <= upper */
    dent_sim_motor motor;     /**< HINGE and SLIDER */
    double target;            /**< of the motor: rad/s or m/s, rad or m, N m or N. dent_sim_set_motor changes it */
    double max_force;         /**< of the motor: N m or N, >= 0, may be infinite; default 0 */
    double max_speed;         /**< of a POSITION motor: rad/s or m/s, above 0; default infinite */
    double stiffness;         /**< SPRING: N/m, >= 0 */
    double damping;           /**< N s/m, >= 0: SPRING along it, SLIDER along the axis; HINGE: N m s/rad about it */
    double friction;          /**< HINGE and SLIDER: largest dry friction in the joint, N m or N, >= 0; default 0 */
    double length;            /**< SPRING: at rest, m; negative (default): that of time 0 */
    bool collide;             /**< contacts between the two bodies; default false */
} dent_sim_joint;
DENT_API dent_sim_joint dent_sim_joint_default(void);

/** Two bodies that never touch one another, such as links of a robot that overlap by design. */
typedef struct dent_sim_body_pair {
    uint32_t body_a, body_b; /**< different bodies of the def */
} dent_sim_body_pair;

/* ---- the simulation ---------------------------------------------------------------------------------------------- */

/** When impacts between positions are searched for. */
typedef enum dent_sim_continuous {
    DENT_SIM_CONTINUOUS_OFF = 0,  /**< discrete contacts only: fast bodies may pass through thin ones */
    DENT_SIM_CONTINUOUS_THIN = 1, /**< default: for bodies with prevent_crossing, for solids whose mean thickness (twice
                                       volume over surface) is below a quarter of their mean edge. Also for rigid bodies
                                       whenever they move farther than the last detection allowed for. These stop at the
                                       time of contact and keep their velocity, so none passes another at any speed */
    DENT_SIM_CONTINUOUS_ALL = 2   /**< always and for all bodies, at the end of each interval between detections */
} dent_sim_continuous;

/** How rigid bodies that touch one another are solved. */
typedef enum dent_sim_solver {
    DENT_SIM_SOLVER_ISLANDS = 0,    /**< default: the island solver, for any size */
    DENT_SIM_SOLVER_CONSTRAINTS = 1 /**< the exact solver of dent/constraints.h for islands of at most 40 bodies and 200
                                         contacts and joint equations. Larger ones, and those whose friction does not
                                         settle, go to the island solver. An island that no velocity satisfies stands
                                         still for a substep. The statistics count all three */
} dent_sim_solver;
/** Returns "islands", "constraints"; null for other values. */
DENT_API const char *dent_sim_solver_name(dent_sim_solver solver);

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
    uint32_t load_count;             /**< these four: dent/sim_loads.h; none by default */
    const dent_sim_load_def *loads;
    uint32_t support_count;
    const dent_sim_support *supports;
    uint32_t spring_count;
    const dent_sim_spring *springs;
    uint32_t probe_count;
    const dent_sim_probe *probes;
    uint32_t joint_count;
    const dent_sim_joint *joints; /**< copied */
    uint32_t excluded_count;      /**< pairs without contacts, beside those that joints connect; default none */
    const dent_sim_body_pair *excluded;

    double gravity[3];        /**< m/s^2; default 0, 0, -9.81 */
    double time_step;         /**< s, above 0 (1e-100 to 1e100); default 1/60 */
    uint32_t substeps;        /**< per step, 1 to 1000. 0 (default): chosen so that the lowest mode of every elastic
                                   body that can be resolved is (w h <= 0.28). Then at least 4 with contacts, 10 with
                                   rigid bodies; at most 100, and at most 1.2e7 elements times substeps a second */
    uint32_t iterations;      /**< of Newton's method in a substep, at most: 1 to 1000; 0 (default): 12, in large
                                   scenes 3. It usually ends after one to three. Too few leave residual forces, never an
                                   unstable body */
    double air_damping;       /**< 1/s, >= 0: decay rate of velocities; default 0 */

    bool contacts;            /**< default true; false: bodies pass through one another */
    double thickness;         /**< thickness of bodies without one of their own, m; negative (default): 0.02 of the mean
                                   edge of the world */
    uint32_t contact_interval; /**< substeps between detections of contacts. 0 (default): once per step, and more often
                                    while a body (without prevent_crossing) would move more than a quarter of its edges
                                    in between */
    dent_sim_continuous continuous;
    uint32_t impact_passes;   /**< maximum number of passes per detection that push apart what would cross; what is
                                   still in impact after them stops before it. 1 to 100, default 8 */
    uint64_t contact_budget;  /**< 0 (default): all contacts are found. Otherwise about the maximum number of work units
                                   (dent/time_critical.h) that a step spends on interruptible searches between balls.
                                   The response then is approximate (friction and self-collision too), without
                                   continuous detection; identical on every machine. The pair of bodies with the
                                   largest error goes first (dent/schedule.h) */
    double contact_deadline;  /**< 0 (default): none. Otherwise the time in s that a step spends on these searches at
                                   most, refits not counted; with contact_budget 0 time alone limits them. Results then
                                   depend on the machine. Finite, >= 0 */
    bool sleep;               /**< default true: rigid bodies at rest on prescribed ones fall asleep: a step passes them
                                   over. They wake by contact, grabs, a velocity, gravity or a moving prescribed body.
                                   False: every body is computed in every substep. See docs/simulator.md */
    dent_sim_solver solver;   /**< of rigid bodies; default ISLANDS */
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

/** Writes how a rigid body has moved. *pose maps its positions at time 0 to the present ones. The linear (m/s, of the
 * centre of mass) and the angular velocity (rad/s) have 3 numbers each. Each may be null. Returns false, and writes
 * nothing, for bodies that are not rigid. */
DENT_API bool dent_sim_get_pose(const dent_sim *sim, uint32_t body, dent_pose *pose, double *linear, double *angular);

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

/** Stress and strain of a cell of an elastic solid, the mean over its volume. */
typedef struct dent_sim_cell_stress {
    double stress[6];           /**< Cauchy, Pa: xx, yy, zz, xy, yz, zx; without viscosity and damping */
    double strain[6];           /**< Green's strain (F^T F - 1) / 2 in the axes of the rest shape, same order; shear is
                                     half of the angle */
    double von_mises;           /**< Pa */
    double principal_stress[3]; /**< Pa, descending */
    double principal_strain[3]; /**< of Green's strain, descending */
    double plastic_strain;      /**< that has flowed, sum of |changes| sqrt(2/3); 0 for other materials */
} dent_sim_cell_stress;

/** Writes stress and strain of all elements of dent_sim_body_info of a body (element_count records). Tetrahedra that come
 * from one quadratic or hexahedral cell get the same values. Flat cells get zeros. Computed here: O(n).
 * INVALID_ARGUMENT: an unknown body. UNSUPPORTED: it is not of kind SOLID. */
DENT_API dent_status dent_sim_get_stress(const dent_sim *sim, uint32_t body, dent_sim_cell_stress *cells);

/** Returns the contacts of the last step. Valid until the next step. */
DENT_API const dent_sim_contact *dent_sim_contacts(const dent_sim *sim, uint64_t *count);

/** Writes the forces of the attachments on their vertex a in the last substep, N (-force on b). There are 3 numbers per
 * attachment, in the order of the def. Computed here: O(n). */
DENT_API void dent_sim_attachment_forces(const dent_sim *sim, double *forces);

/** How a joint stands after the last substep. */
typedef struct dent_sim_joint_info {
    double position, speed; /**< HINGE: rad, rad/s, whole turns counted, from `start` on; SLIDER: m, m/s; SPRING: length, its rate; else 0 */
    double force[3];        /**< N, on a at the joint's point (-force on b), without motor, limits and springs, … */
    double moment[3];       /**< … and N m about that point */
    double axial;           /**< N or N m on a, along or about the axis: motor, limits, damping and friction together;
                                 SPRING: its pull, above 0 when stretched */
    double target;          /**< of the motor */
} dent_sim_joint_info;

/** Returns false if joint is not below the count of the def. */
DENT_API bool dent_sim_get_joint(const dent_sim *sim, uint32_t joint, dent_sim_joint_info *info);
/** Sets the target of a motor from the next step on; part of the state. INVALID_ARGUMENT: an unknown joint, it has no
 * motor, or the target is not finite. */
DENT_API dent_status dent_sim_set_motor(dent_sim *sim, uint32_t joint, double target);

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
    double contact; /**< J: stored in contacts of elastic bodies and in compliant ones (as of the last substep),
                         attachments, springs and grabs. Hard attachments are stiff springs and store energy, too */
    double outer_work; /**< J: done by loads since the start of the simulated time, and by motors of joints whose bodies meet no
                            elastic ones */
    double residual;   /**< forces left unbalanced at the vertices by the last minimisation, as a share of those between
                            elements and of inertia (roots of sums of squares). 0: solved, or nothing was minimised */
    double linear_momentum[3], angular_momentum[3]; /**< of all movable bodies, about the origin */
    uint32_t inverted_cells;      /**< inverted tetrahedra of elastic solids */
    uint64_t impacts;             /**< continuous: found in all passes of the last step */
    uint32_t impact_passes;       /**< … maximum number of passes after one detection */
    uint32_t stopped_vertices;    /**< … vertices that had to stop before an impact */
    uint64_t frozen_bodies;       /**< bodies of joints that stood still for a substep, the last resort against passing
                                       through something */
    uint64_t work_units;          /**< contact_budget, contact_deadline: used in the last step, … */
    uint64_t budget_regions;      /**< … pairs of balls that pushed, … */
    double contact_error;         /**< … and the bound on how far surfaces not known to touch may be from touching, m */
    uint32_t sleeping;            /**< rigid bodies that sleep now */
    uint32_t rigid_islands;       /**< groups of touching rigid bodies solved together in the last substep, … */
    uint32_t rigid_newtons;       /**< … and the most steps of Newton's method that one of them took in this step */
    uint64_t exact_islands;       /**< DENT_SIM_SOLVER_CONSTRAINTS: problems solved exactly in the last step, … */
    uint64_t frozen_islands;      /**< … of these: infeasible, so that the island stood still, … */
    uint64_t unsettled_islands;   /**< … and those whose friction did not settle: passed to the island solver */
    double rigid_residual;        /**< … and the largest velocity into a contact that was left, m/s */
    uint64_t elements, constraints;
    uint32_t substeps;            /**< of a step: those of the def, or as chosen */
    double mode;                  /**< rad/s: the lowest angular frequency of the elastic body for which that is highest */
    uint32_t mode_body;           /**< … that body, UINT32_MAX: none. mode * time_step / substeps up to 0.28: it vibrates
                                       with 95 % of its stiffness or more. Above: too slowly, and damped; at rest it is
                                       right */
    double mode_stiffness;        /**< 0 to 1: share of its stiffness with which that mode vibrates; 1 without one */
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
 * motions do not count. Cost: one product with the stiffness matrix per iteration, at most 1000, on the calling thread.
 * Memory: 13 numbers per coordinate, and 81 per point of cells that are not linear neo-Hookean tetrahedra. The state
 * does not change. INVALID_ARGUMENT: an unknown body. UNSUPPORTED: it is not of kind SOLID. */
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
