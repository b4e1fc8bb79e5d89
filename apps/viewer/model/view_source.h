/* view_source.h — what a page can show: a world with bodies, and what is known of its present frame.
 *
 * In goes a world of anybody's: of `dent view` (a model, a series, a simulation, a recording) or of a program that uses
 * the library dent_view. Everything the page sees of it is made from this struct by view_frames.c: names and surfaces
 * once, positions and contacts for every frame. Errors are kept in `trouble`, and handed to `report`.
 */
#ifndef DENT_VIEW_SOURCE_H
#define DENT_VIEW_SOURCE_H

#include <dent/contact.h>
#include <dent/world.h>
#include <dent/time_critical.h>
#include "../server/view_protocol.h"

typedef struct view_source view_source;

typedef struct view_body {
    dent_body_id id;
    const char *name;
    const char *kind; /* "solid", "surface", "cloth" … */
    bool solid;       /* its elements are cells, not triangles */
    uint32_t vertex_count, element_count;
    const double *positions;
    const uint32_t *vertex_numbers, *element_numbers; /* of a file; null: the same */
    const dent_surface_face *faces;
    uint32_t face_count;
    uint32_t shown_count;     /* vertices of surface faces … */
    uint32_t *shown_vertices; /* … their numbers, ascending */
    const dent_edge *segments; /* of strands, by strand from root to tip; null for other bodies. All vertices are shown */
    uint32_t segment_count;
    const double *radii; /* of their vertices; null: `radius` */
    double radius;
    bool closed;   /* its surface has an inside */
    float *depths; /* of its vertices in other bodies, as pushes of contacts in units; vertex_count of them */
    bool points; /* a cloud: all vertices are shown, as discs (view_clouds.c) */
    const double *normals; /* of a cloud, as in the file; null: to be estimated */
} view_body;

/** What is known of the frame beside positions. */
typedef struct view_facts {
    double time, push, push_error, uncertain_push, kinetic, elastic;
    double ms_detect, ms_respond, ms_total;
    uint64_t contact_count;       /* all there are */
    uint32_t sent;                /* of `contacts` */
    view_contact *contacts;
    uint32_t contact_capacity;
    uint32_t stride, skipped;     /* one of so many contacts is kept; of these, how many were not */
    view_body_pair *pairs;        /* of all contacts, in the order of their first ones */
    uint32_t pair_count, pair_capacity;
    uint32_t *slots; /* hash table of `pairs` by their bodies: index + 1; a power of two, twice pair_capacity */
} view_facts;

/** A pair of bodies as `dent check` reports it. */
typedef struct view_checked_pair {
    uint32_t body_a, body_b;
    bool penetrates; /* else they touch */
    uint64_t elements, vertices;
    double depth, deepest[3];
    double volume; /* that they have in common; NaN: not known, or one is open */
} view_checked_pair;

/** A probe that a simulated scene declares. */
typedef struct view_probe {
    const char *name; /* the simulation's own */
    uint32_t column_count;
    double values[3]; /* of the present frame, in the units of the scene */
} view_probe;

/** A joint value of a robot that stands still, which pages may change. */
typedef struct view_joint {
    const char *name; /* of the joint */
    uint32_t part;    /* which of its values; UINT32_MAX: it has one */
    bool angle;       /* radians; else a length */
    double lower, upper, value;
    uint32_t input, place; /* in the loaded world: the robot, the value among its values */
} view_joint;

/** What a source is told of a body of its world. */
typedef struct view_body_def {
    dent_body_id id;
    const char *name;
    dent_body_kind kind;
    uint32_t vertex_count, element_count;
    const double *positions;                          /* borrowed, 3 for each vertex */
    const uint32_t *vertex_numbers, *element_numbers; /* of a file; null: the same */
    const double *radii, *normals; /* of strands and of points; null: not known */
    double radius;                 /* of strands without radii; negative: a tenth of their mean segment */
} view_body_def;
/** The body at `index` of a list of the caller's. */
typedef view_body_def view_body_reader(const view_source *source, const void *list, uint32_t index);

/** What colours may show of the cells or vertices of a body; all of them 0 or more. */
typedef enum view_measure {
    VIEW_MEASURE_NONE = 0,
    VIEW_MEASURE_VON_MISES,
    VIEW_MEASURE_TENSION,     /* the largest principal stress, where it pulls */
    VIEW_MEASURE_COMPRESSION, /* the smallest one, where it pushes, as a positive number */
    VIEW_MEASURE_PLASTIC_STRAIN,
    VIEW_MEASURE_SPEED,
    VIEW_MEASURE_DEPTH,    /* of vertices in other bodies: the push of their contacts */
    VIEW_MEASURE_DISTANCE, /* from a vertex to the nearest other body: view_fields.c */
    VIEW_MEASURE_QUALITY,  /* the least of the cells or triangles at a vertex, as in dent_body_metrics */
    VIEW_MEASURE_INVERTED, /* 1 at cells whose sign differs from that of the body */
    VIEW_MEASURE_COUNT
} view_measure;

enum {
    VIEW_CONTACTS_SENT = 20000, /* of more, every second is left out, as often as needed */
    VIEW_TROUBLE_SIZE = 512
};

struct view_source {
    dent_context *context;
    const int *cancel; /* polled by queries; null: nothing stops them */
    void *host;        /* of whoever made the source */
    dent_world *world;
    char title[160];  /* a name, not a path */
    const char *path; /* what the command line named; the page keeps its choices under it */
    const char *length_unit; /* "m", "mm" … of positions; null: files do not tell */
    bool y_up;        /* a guess by the format of the files; else z */
    bool live;
    bool plain; /* pages are offered no questions, structures and colours */
    uint32_t frame, frame_count; /* count 0: no end */
    double frame_seconds;        /* of the scene, per frame */
    uint32_t body_count;
    view_body *bodies;
    double origin[3];      /* positions are sent relative to it … */
    double unit, per_unit; /* … and divided by this power of two, about half the size of everything, and its inverse */
    bool placed;           /* origin and unit are known, and stay: there was something to see */
    bool moved;            /* since contacts were found: they are looked for again with the next frame */
    bool broken;           /* out of memory while bodies were described: there is nothing to go on with */
    uint32_t generation;   /* raised when bodies have new elements: they must be described anew */
    view_facts facts;
    uint32_t probe_count;
    view_probe *probes; /* the source's own */
    uint32_t joint_count;
    view_joint *joints; /* by robot and value (view_robot.c) */
    bool has_hand; /* a body follows the pages' hand (view_hand.c): */
    uint32_t hand;
    double hand_stiffness; /* force per length */
    char verdict[160]; /* of `dent check`, for files, which stand still; empty: not asked */
    view_checked_pair *checked; /* the pairs it found */
    uint32_t checked_count;
    bool volumes_known; /* of these pairs */
    char trouble[VIEW_TROUBLE_SIZE]; /* what view_fail said last; empty: nothing since it was shown */
    dent_bound_tree *tree; /* the last one shown, kept from frame to frame; null: none */
    uint32_t tree_body;
    dent_bound_kind tree_kind;
    struct view_kinetic *kinetic; /* the kinetic tree shown, kept from frame to frame; null: none (view_kinetic.c) */
    struct view_clouds *clouds; /* prepared ones of bodies of points; null: none yet */

    void (*report)(const view_source *source, const char *words); /* what view_fail says; null: it is only kept */
    int (*go_to)(view_source *source, uint32_t frame); /* null: live sources can only go on */
    int (*advance)(view_source *source);               /* one frame on; past the last: stays */
    int (*restart)(view_source *source);
    int (*find_contacts)(view_source *source);         /* fills `facts` for the present frame */
    bool (*find_stress)(view_source *source, view_measure measure, uint32_t body,
                        double *cells); /* one number for each element; false: the body has none. Null: no source of any */
    const double *(*find_velocities)(view_source *source, uint32_t body); /* 3 for each vertex; null: no source of any */
    void (*grab)(view_source *source, uint32_t body, uint32_t vertex,
                 const double target[3]); /* null: nothing to drag */
    bool (*append_markers)(const view_source *source, view_message *message); /* null: there are none */
    void (*nudge)(view_source *source, bool turns, const double by[3]); /* null: there is no hand */
    bool (*find_volumes)(view_source *source, const int *cancel); /* of the checked pairs; false: cancelled, or not possible.
                                                                     Null: no source of any */
    int (*set_joint)(view_source *source, uint32_t joint, double value); /* null: there is no robot */
    void (*release)(view_source *source);
    void (*close)(view_source *source);
    void *own;
};

enum { VIEW_GOOD = 0, VIEW_ERROR = 2 }; /* what functions return: the exit statuses of the tool */

/** A coordinate and a length as they are sent: floats, whose range is enough in these units. */
static inline float view_place(const view_source *source, double x, int axis)
{
    return (float)((x - source->origin[axis]) * source->per_unit);
}
static inline float view_length(const view_source *source, double length)
{
    return (float)(length * source->per_unit);
}

/** A body has strands. */
static inline bool view_source_has_strands(const view_source *source)
{
    bool found = false;
    for (uint32_t i = 0; i < source->body_count; i++) {
        found = found || source->bodies[i].segments != NULL;
    }
    return found;
}

/** Says what went wrong to `report`, and keeps it for the pages. VIEW_ERROR. */
int view_fail(view_source *source, const char *format, ...) DENT_PRINTF_LIKE(2, 3);
/** The same in the words of the context, else in those of the status. */
int view_fail_status(view_source *source, dent_status status);

/** Takes over the bodies of the world (names and kinds may be changed afterwards); reads the faces. */
int view_source_describe(view_source *source, view_body_reader *read, const void *list, uint32_t count);
/** The same bodies in memory of their own again: where a frame brought new positions and the elements stayed. */
void view_source_follow(view_source *source, view_body_reader *read, const void *list);
/** Takes the memory of bodies, facts and checked pairs back. */
void view_source_release(view_source *source);
/** Contacts by dent_world_find_contacts at the present positions: what a model without a simulator shows. */
int view_source_ask_contacts(view_source *source);
/** Before the contacts of a frame are added. (view_facts.c) */
void view_facts_begin(view_source *source);
/** Counts a contact for its pair of bodies, and keeps it, or every second, fourth … of them, so that VIEW_CONTACTS_SENT
 * are enough; false: out of memory. (view_facts.c) */
bool view_facts_add(view_source *source, const view_contact *contact);
/** A vertex lies that deep, a push in units, in another body. (view_facts.c) */
void view_facts_deepen(view_source *source, uint32_t body, uint32_t vertex, float push);
/** Takes the memory of facts back. (view_facts.c) */
void view_facts_release(view_source *source);
/** A contact as pages get it. */
view_contact view_shown_contact(const view_source *source, const dent_contact *contact);

#endif
