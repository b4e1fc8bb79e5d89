/* dent/sim_loads.h — optional library dent_sim: what acts on the bodies of a simulation, and what is read from it.
 *
 * Loads push, supports hold, springs pull two points together, probes read numbers. All are parts of dent_sim_def and
 * are copied by dent_sim_create. Loads, supports and springs are terms of the one minimisation of a substep
 * (docs/simulator.md), so they are exact at rest.
 *
 * Courses. The values of loads and displacements of supports are multiplied by a course over time. It is a table of
 * times and factors, linear between them, constant before the first and after the last. Without a table the factor is 1.
 * A substep uses the factor at its end. Courses depend on time alone: a resumed run continues to the bit.
 *
 * Units as in dent/sim.h. Failure: dent_sim_create returns INVALID_ARGUMENT, BAD_NUMBER or BAD_MESH, and the message
 * names the load, support, spring or probe. Functions here may be called between steps, by the thread that steps.
 */
#ifndef DENT_SIM_LOADS_H
#define DENT_SIM_LOADS_H

#include <dent/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dent_sim dent_sim;

/** A row of a course. */
typedef struct dent_sim_time_value {
    double time;  /**< s; ascending */
    double value; /**< factor */
} dent_sim_time_value;

typedef struct dent_sim_course {
    uint32_t count;                  /**< 0 (default): the factor is always 1 */
    const dent_sim_time_value *rows; /**< copied */
} dent_sim_course;

/* ---- loads ------------------------------------------------------------------------------------------------------- */

typedef enum dent_sim_load_kind {
    DENT_SIM_LOAD_FORCE = 1,    /**< `vector`, N, in all: shared equally by the vertices */
    DENT_SIM_LOAD_TRACTION = 2, /**< `vector`, Pa: force per area of the faces at time 0; it keeps its direction */
    DENT_SIM_LOAD_PRESSURE = 3, /**< `pressure`, Pa, against the faces as they are at time 0; it keeps its direction */
    DENT_SIM_LOAD_FOLLOWER = 4, /**< `pressure`, Pa, against the faces as they are now: turns and grows with them */
    DENT_SIM_LOAD_TORQUE = 5    /**< `vector`, N m: rigid bodies only */
} dent_sim_load_kind;

/** Returns "force", "traction", "pressure", "follower", "torque"; null for other values. */
DENT_API const char *dent_sim_load_kind_name(dent_sim_load_kind kind);

/** A load on a solid, cloth or rigid body. Vertices and faces that do not move by themselves take it, without effect.
 * Faces are triples of vertices of the body's surface, in any order. Of quadratic cells they include the vertices that
 * the simulation adds on their edges; forces on listed vertices act on these alone. Positive pressure pushes against
 * their outer side. The outer side of cloth and of open surfaces is the one from which the corners of a triangle turn
 * left. Forces away from the centre of a rigid body are accurate while it turns by less than about a radian per
 * substep. */
typedef struct dent_sim_load_def {
    size_t struct_size;
    dent_sim_load_kind kind;
    const char *name; /**< for messages; null: "load N" */
    uint32_t body;

    uint32_t vertex_count;    /**< FORCE: at these; 0: at all, by their masses, at the centre of a rigid body. Other
                                   kinds: all surface faces whose corners are among these; 0: the whole surface */
    const uint32_t *vertices; /**< copied */
    uint32_t face_count;      /**< TRACTION, PRESSURE, FOLLOWER: these faces instead; default 0 */
    const uint32_t *faces;    /**< 3 vertices each; copied */

    double vector[3];
    double pressure;
    dent_sim_course course; /**< factor of vector and pressure */
} dent_sim_load_def;
DENT_API dent_sim_load_def dent_sim_load_def_default(dent_sim_load_kind kind);

/* ---- supports ---------------------------------------------------------------------------------------------------- */

enum { DENT_SIM_HOLD_X = 1, DENT_SIM_HOLD_Y = 2, DENT_SIM_HOLD_Z = 4 };

/** Holds vertices of a solid or cloth along axes or one direction, where they are at time 0 plus a displacement. Several
 * supports may hold one vertex along different directions. A vertex that quadratic cells add is held with both ends of
 * its edge. Where a later one holds nothing new, the earlier one counts.
 * Vertices in `fixed_vertices` of the body follow its motion; supports do not hold them. */
typedef struct dent_sim_support {
    size_t struct_size;
    const char *name; /**< for messages and probes; null: "support N" */
    uint32_t body;
    uint32_t vertex_count;
    const uint32_t *vertices; /**< copied */
    uint32_t axes;            /**< DENT_SIM_HOLD_X | …; 0: `direction` alone. Default all three */
    double direction[3];      /**< of any length above 0 */
    double displacement[3];   /**< m: its parts along what is held are prescribed, times the course; default 0 */
    dent_sim_course course;
} dent_sim_support;
DENT_API dent_sim_support dent_sim_support_default(void);

/** Writes the force, N, of support number `support` on its body in the last substep: what holds against elasticity,
 * damping, contacts, loads, weight and inertia. O(vertices of the support + contacts). INVALID_ARGUMENT: an unknown support. Zero
 * before the first step, and after loading a checkpoint until the next one. */
DENT_API dent_status dent_sim_support_reaction(dent_sim *sim, uint32_t support, double force[3]);

/* ---- springs ----------------------------------------------------------------------------------------------------- */

/** An end of a spring. */
typedef struct dent_sim_point {
    uint32_t body;        /**< UINT32_MAX: the world, at `place` */
    uint32_t vertices[4]; /**< vertices of the body that carry it; unused ones UINT32_MAX. Rigid bodies may leave all
                               unused: then they carry `place` */
    double weights[4];    /**< sum 1 */
    double place[3];      /**< in space at time 0, m */
} dent_sim_point;
DENT_API dent_sim_point dent_sim_point_default(void);

/** Pulls two points together: stiffness * (distance - length) + damping * rate of the distance. */
typedef struct dent_sim_spring {
    size_t struct_size;
    const char *name; /**< for messages and probes; null: "spring N" */
    dent_sim_point a, b;
    double stiffness; /**< N/m, >= 0 */
    double length;    /**< m, at rest; negative (default): the distance at time 0 */
    double damping;   /**< N s/m, >= 0; stiffness or damping is above 0 */
} dent_sim_spring;
DENT_API dent_sim_spring dent_sim_spring_default(void);

/** Writes the force, N, of a spring on its end a (-force on b) in the last substep. INVALID_ARGUMENT: an unknown spring.
 * Zero before the first step, and after loading a checkpoint until the next one. */
DENT_API dent_status dent_sim_spring_force(dent_sim *sim, uint32_t spring, double force[3]);

/* ---- probes ------------------------------------------------------------------------------------------------------ */

typedef enum dent_sim_probe_kind {
    DENT_SIM_PROBE_POSITION = 1, /**< x y z, m: mean of the vertices */
    DENT_SIM_PROBE_VELOCITY = 2, /**< x y z, m/s: mean of the vertices */
    DENT_SIM_PROBE_CONTACT = 3,  /**< x y z, N: sum of the contact forces on the body, mean over the last step */
    DENT_SIM_PROBE_REACTION = 4, /**< x y z, N: of support `number` */
    DENT_SIM_PROBE_SPRING = 5,   /**< N: pull of spring `number`, positive in tension */
    DENT_SIM_PROBE_STRESS = 6,   /**< Pa: von Mises stress of a solid, mean of the cells at the vertices by volume */
    DENT_SIM_PROBE_ENERGY = 7    /**< J: `energy` of the whole simulation */
} dent_sim_probe_kind;

typedef enum dent_sim_energy {
    DENT_SIM_ENERGY_TOTAL = 0, /**< kinetic + elastic + potential + stored in contacts, attachments and springs */
    DENT_SIM_ENERGY_KINETIC = 1,
    DENT_SIM_ENERGY_ELASTIC = 2,
    DENT_SIM_ENERGY_POTENTIAL = 3,
    DENT_SIM_ENERGY_CONTACT = 4,
    DENT_SIM_ENERGY_OUTER_WORK = 5
} dent_sim_energy;

typedef struct dent_sim_probe {
    size_t struct_size;
    dent_sim_probe_kind kind;
    const char *name;         /**< unique, not empty, without comma, quote or control character; null: "probe N" */
    uint32_t body;            /**< POSITION, VELOCITY, CONTACT, STRESS */
    uint32_t vertex_count;    /**< POSITION, VELOCITY, STRESS; 0: all vertices of the body */
    const uint32_t *vertices; /**< copied */
    uint32_t number;          /**< REACTION, SPRING */
    dent_sim_energy energy;   /**< ENERGY */
} dent_sim_probe;
DENT_API dent_sim_probe dent_sim_probe_default(dent_sim_probe_kind kind);

/** A probe of a simulation: its columns are "name.x", "name.y", "name.z", or "name" alone. */
typedef struct dent_sim_probe_info {
    const char *name; /**< valid as long as the simulation */
    dent_sim_probe_kind kind;
    uint32_t column_count; /**< 1 or 3 */
    const char *unit;      /**< in SI: "m", "m/s", "N", "Pa", "J" */
} dent_sim_probe_info;

DENT_API uint32_t dent_sim_probe_count(const dent_sim *sim);
/** Returns false if probe is not below the count. */
DENT_API bool dent_sim_probe_at(const dent_sim *sim, uint32_t probe, dent_sim_probe_info *info);
/** Writes the present numbers of a probe, 1 or 3; unused ones are 0. INVALID_ARGUMENT: an unknown probe. Cost: O(vertices
 * of the probe); CONTACT O(contacts); ENERGY as dent_sim_get_statistics. */
DENT_API dent_status dent_sim_read_probe(dent_sim *sim, uint32_t probe, double values[3]);

#ifdef __cplusplus
}
#endif

#endif
