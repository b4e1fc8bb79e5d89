/* The inside of dent_world_find_contacts: what a world keeps for it, what one call works on, and its stages.
 *
 *   query (vertex-cell, border) -> points and borders (S1, S2) -> values at borders (S3) -> rounds inward (S4)
 *     -> what no round reached (F1, F2) -> contacts; then gaps and impacts, canonical order, patches
 *
 * S1 ... F2 are the names of docs/methods/penetration_depth.md. Everything is kept per (vertex, other body), in the
 * order (body a, vertex, body b), which is that of the contacts. A dense table per body leads from a vertex to its
 * first record; the tables are all zero between calls, so that only what was touched has to be cleared.
 */
#ifndef DENT_CONTACT_CONTACT_RUN_H
#define DENT_CONTACT_CONTACT_RUN_H

#include <dent/contact.h>
#include <dent/impact.h>
#include <dent/proximity.h>

#include "base/arena.h"
#include "base/block_output.h"
#include "base/cancel_flag.h"
#include "base/containers/dynamic_array.h"
#include "base/radix_sort.h"
#include "geometry/predicates/predicate_kinds.h"
#include "query/border/border_search.h"
#include "query/world/world_state.h"
#include "structures/boxes/box_tree.h"

#define SLOT_NONE UINT32_MAX
#define ROUND_NEVER UINT32_MAX /* gets no value: touches, or is inverted */

/* One neighbour of a vertex. */
struct contact_neighbour {
    uint32_t vertex, edge;
};

/* Connectivity of a body, made once per topology, and its tables. */
struct contact_mesh {
    uint64_t identity_base; /* of the body it was made for */
    uint32_t vertex_count, edge_count, face_count, component_count;
    uint32_t *first;                      /* by vertex, vertex_count + 1: its neighbours, ascending */
    struct contact_neighbour *neighbours; /* 2 * edge_count */
    uint32_t *slot;                       /* by vertex: 1 + place of its first point of the current call; 0: none */
    uint32_t *mark;                       /* by vertex: number of the flood that came here last, + 1 when inside */
    uint32_t *normal_slot;                /* by vertex: 1 + place of its normal in the current call; 0: none */
    uint32_t *face_slot;                  /* by surface face: 1 + slot in hit_faces of the current call; 0: none */
    uint8_t *edge_cut;                    /* by edge: 1 when a cut edge of the current call */
    uint32_t *component_first;            /* by component: its smallest vertex */
    uint32_t *component_mark;             /* by component: number of the flood that met it last */
};

/* A vertex of a inside b. */
struct depth_point {
    uint32_t body_a, vertex, body_b;
    uint32_t cell_pair;              /* slot in the vertex-cell list; SLOT_NONE: none */
    uint32_t cell;                   /* then: the tetrahedron that holds it; SLOT_NONE: none (closed surfaces) */
    uint32_t face;                   /* a surface face of b near where it leaves; SLOT_NONE */
    uint32_t first_term, term_count; /* its borders */
    uint32_t previous;               /* slot in the memory of the last call; SLOT_NONE */
    uint32_t round;                  /* 0: no value yet; ROUND_NEVER */
    uint8_t source;
    uint8_t flags;
    double depth, error, direction[3];
};

/* An edge of a point that leaves b: the way out to the hit is share * (other end - vertex). */
struct depth_term {
    uint32_t point;    /* slot in points */
    uint32_t other;    /* the other end */
    uint32_t face;     /* of b */
    uint32_t hit_face; /* slot in hit_faces */
    bool degenerate;   /* only for the moved points */
    double share;
    double weight;         /* 0 to 1: what the region as a whole makes of this border */
    double normal[3];      /* outward, as def->normals says */
    double face_normal[3]; /* outward, of the face itself */
};

/* An edge of a through b with both ends outside. */
struct depth_chord {
    uint32_t body_a, edge, body_b;
    uint32_t cuts[2]; /* slots in cut_edges: first and second from v0 */
};

/* A run of the cut edges: one edge of a and all its hits with b. */
struct cut_run {
    uint32_t first, count;
};

struct remembered_body {
    uint64_t serial, identity_base;
};

struct contact_memory {
    struct dynamic_array records; /* dent_contact_memory, sorted */
    struct dynamic_array bodies;  /* struct remembered_body by body index, of the call that wrote the records */
};

/* The contacts of the last call with events, and its bodies. */
struct contact_history {
    struct dynamic_array contacts; /* struct known_contact, in canonical order */
    struct dynamic_array pairs;    /* struct known_pair, by (a, b) */
    struct dynamic_array bodies;   /* struct known_body by body index of that call */
};

struct contact_state {
    dent_context *context;
    struct body_records mesh_records;                 /* struct contact_mesh */
    struct contact_mesh *meshes;                      /* these, by body index */
    uint32_t flood;                                   /* number of the last flood: value of contact_mesh.mark */
    struct dynamic_array points, terms, chords, runs; /* of the records above; terms by point */
    struct dynamic_array queue;                       /* uint32_t: of a flood, of a round */
    struct dynamic_array next_queue;
    struct dynamic_array normal_vertices; /* struct normal_place */
    struct dynamic_array hit_faces;       /* struct hit_face */
    struct dynamic_array lost;            /* struct lost_edge */
    struct dynamic_array sides;           /* int8_t by body index: contact_run.surface_side */
    struct block_output lost_blocks, term_blocks;
    struct dynamic_array contacts, patches; /* the public records */
    struct dynamic_array unsorted;          /* dent_contact: those that are not vertex-cell */
    struct contact_memory memory, fresh_memory;
    struct contact_history history, fresh_history;
    struct dynamic_array events, pair_events; /* the public records: those that begin, persist, end */
};

struct normal_slot {
    uint32_t body, vertex;
    double normal[3];
};

struct hit_face {
    uint32_t body, face;
    double normal[3];     /* outward, unit */
    double corners[3][3]; /* normals at its corners */
};

/* A vertex that must be inside by its edges and is in no open cell: it may lie on faces of b. */
struct lost_edge {
    uint32_t body_a, vertex, body_b;
    uint32_t start; /* a tetrahedron of b nearby */
    bool counts;    /* by an edge of the surface; of inner edges hits that only touch are not known */
};

struct contact_run {
    dent_world *world;
    struct contact_state *state;
    const dent_contacts_def *def;
    const struct snapshot *snapshot;
    const struct border_state *border; /* of the query of this call */
    struct arena *scratch;
    struct cancel_flag *cancel;
    const dent_query_result *query;
    const uint32_t *first_number; /* by body index: of the moved points, as in border.c */
    const int8_t *surface_side;   /* by body index: closed surfaces: 1 normals point outward, -1 inward; 0: no inside */
    struct box_tree **cell_trees;
    struct box_tree **face_trees; /* by body index: null until needed */
    dent_contacts_counters counters;
    dent_contact_events events;
};

/* ---- life (contact_state.c) -------------------------------------------------------------------------------------- */

extern const struct world_slot_kind contact_slot;
bool contact_update_meshes(struct contact_run *run);

/* Brings the memory of the last call to the body indices of this one; bodies that are gone or changed are forgotten. */
void contact_memory_follow(struct contact_memory *memory, const struct body_table *bodies);

/* The bodies of today, by body index. False: out of memory. */
bool contact_remember_bodies(struct dynamic_array *known, const struct body_table *bodies);

/* ---- stages: false when memory runs out -------------------------------------------------------------------------- */

bool depth_find_sides(struct contact_run *run);           /* surface_side (depth_surfaces.c) */
bool depth_find_points(struct contact_run *run);          /* S1, S2: points, terms, chords (depth_points.c) */
void depth_clear_tables(struct contact_run *run);         /* after the last stage of depth, also after a failure */
bool depth_find_inside_surfaces(struct contact_run *run); /* points in closed surfaces (depth_surfaces.c) */
bool depth_add_inner_edges(struct contact_run *run);      /* more terms with surface_only (depth_inner_edges.c) */
bool depth_find_whole_parts(struct contact_run *run);     /* parts in or against another (depth_whole_parts.c) */
bool depth_drop_touching(struct contact_run *run);        /* points exactly on closed surfaces (depth_surfaces.c) */
bool depth_measure_terms(struct contact_run *run);        /* shares and normals (depth_normals.c) */
bool depth_weigh_borders(struct contact_run *run);        /* depth_coherence.c */
bool depth_value_borders(struct contact_run *run);        /* S3 (depth_values.c) */
bool depth_propagate(struct contact_run *run);            /* S4 (depth_values.c) */
bool depth_propagate_from(struct contact_run *run, uint8_t source); /* from the queue; source: of what it reaches */
bool depth_fall_back(struct contact_run *run);                      /* F1, F2 (depth_fallback.c) */
bool depth_solve_flat(struct contact_run *run);                     /* overlaps that all of these miss (depth_flat.c) */
bool depth_emit(struct contact_run *run);        /* contacts, and the fresh memory (contact_emit.c) */
bool depth_emit_chords(struct contact_run *run); /* edges through corners (contact_chords.c) */
bool contact_add_gaps(struct contact_run *run, const dent_proximity_result *gaps);    /* contact_features.c */
bool contact_add_impacts(struct contact_run *run, const dent_impact_result *impacts); /* contact_features.c */
bool contact_finish(struct contact_run *run);       /* canonical order (contact_finish.c) */
bool contact_make_patches(struct contact_run *run); /* contact_patches.c */

/* ---- events (contact_events.c) ----------------------------------------------------------------------------------- */

void contact_history_init(struct contact_state *state);
void contact_history_destroy(struct contact_state *state);
void contact_history_forget(struct contact_state *state);
/* Compares the contacts with the history and fills the fresh one. False: out of memory. */
bool contact_make_events(struct contact_run *run, dent_contact_events *events);

/* ---- small tools ------------------------------------------------------------------------------------------------- */

/* Does b have an inside? */
static inline bool contact_has_inside(const struct contact_run *run, uint32_t body_index)
{
    return body_has_cells(run->snapshot->bodies[body_index].body) || run->surface_side[body_index] != 0;
}

/* The point (vertex, other body), or null. */
static inline struct depth_point *depth_point_of(const struct contact_run *run, uint32_t body_a, uint32_t vertex,
                                                 uint32_t body_b)
{
    uint32_t slot = run->state->meshes[body_a].slot[vertex];
    if (slot == 0) {
        return NULL;
    }
    struct depth_point *points = run->state->points.data;
    for (uint32_t i = slot - 1;
         i < run->state->points.count && points[i].vertex == vertex && points[i].body_a == body_a; i++) {
        if (points[i].body_b == body_b) {
            return &points[i];
        }
    }
    return NULL;
}

/* Points without a value that hang together with this one: neighbours along edges that the other body does not cut.
 * They get the number of the round, and their places go to the end of the queue. False: no memory. */
bool depth_push_neighbours(const struct contact_run *run, const struct depth_point *point, uint32_t round,
                           struct dynamic_array *queue);

/* A vertex in the closure of b becomes a point, unless it is in no cell of b; on the surface it touches. face: one of b
 * it lies on, or SLOT_NONE. */
bool depth_add_closed_vertex(struct contact_run *run, uint32_t body_a, uint32_t vertex, uint32_t body_b, uint32_t face);

/* A face of body b that this vertex lies on exactly, or SLOT_NONE (depth_whole_parts.c). */
uint32_t depth_touched_face(const struct contact_run *run, uint32_t body_a, uint32_t vertex, uint32_t body_b);

/* Two bodies, whichever is named first. */
static inline uint64_t contact_pair_key(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

/* The first slot of a key among sorted ones, or SIZE_MAX. */
static inline size_t contact_find_key(const uint64_t *keys, size_t count, uint64_t key)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (keys[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && keys[low] == key ? low : SIZE_MAX;
}

/* Is this edge of a cut by the surface of b? */
const struct cut_run *contact_run_of(const struct contact_run *run, uint32_t body_a, uint32_t edge, uint32_t body_b);
static inline bool contact_edge_is_cut(const struct contact_run *run, uint32_t body_a, uint32_t edge, uint32_t body_b)
{
    return contact_run_of(run, body_a, edge, body_b) != NULL;
}

/* Hits through which the edge leaves b on its way from v0 to v1, less those through which it enters; exact for the
 * moved points. 1: v0 is inside and v1 is not; 0: both are or neither is. */
int contact_run_balance(const struct contact_run *run, const struct cut_run *cuts);

/* 1: the corners of the face turn counter-clockwise seen from outside, -1: from inside. */
int contact_face_side(const struct contact_run *run, uint32_t body, uint32_t face);

/* On which side of a face of b, for the moved points: true when outside. */
bool contact_vertex_is_outside_face(const struct contact_run *run, uint32_t body_a, uint32_t vertex, uint32_t body_b,
                                    uint32_t face);

/* Unit outward normal of a face. */
void contact_face_normal(const struct contact_run *run, uint32_t body, uint32_t face, double normal[3]);

/* Weights of the point of a triangle (or a segment) nearest to a point; they sum to 1. */
void contact_triangle_weights(const double point[3], const double *const corners[3], double weights[3]);

/* A tree over the surface faces of a body, made when first asked for; null: out of memory. */
const struct box_tree *contact_face_tree(struct contact_run *run, uint32_t body);

/* The way from the point along a unit direction to where it leaves b's surface; DBL_MAX, and SLOT_NONE: nowhere. */
double depth_along(const struct contact_run *run, const struct depth_point *point, const struct box_tree *tree,
                   const double direction[3], uint32_t *hit_face);

/* A record with all but weights, points, normal and gap. */
void contact_begin(const struct contact_run *run, dent_contact *contact, uint32_t kind, uint32_t source,
                   uint32_t body_a, uint32_t feature_a, uint32_t body_b, uint32_t feature_b);

#endif
