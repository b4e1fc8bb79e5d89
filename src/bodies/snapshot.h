/* Where all bodies of a world are in one query: their t0 positions read once into packed doubles, checked, and
 * read-only from then on. Everything right of this folder takes a snapshot instead of the caller's arrays.
 */
#ifndef DENT_BODIES_SNAPSHOT_H
#define DENT_BODIES_SNAPSHOT_H

#include "base/containers/dynamic_array.h"
#include "bodies/body_table.h"

enum feature_kind { FEATURE_VERTEX, FEATURE_FACE, FEATURE_EDGE, FEATURE_KINDS };

struct body_snapshot {
    const struct body *body;
    const double (*xyz)[3];      /* vertex_count of them */
    double lo[3], hi[3];         /* bounds of the used vertices; lo > hi when there is none */
    size_t first[FEATURE_KINDS]; /* vertices, faces and edges in the bodies before */
};

struct snapshot {
    const struct body_table *table;
    bool laid_out;               /* bodies, and where their positions go, are those of layout_version */
    bool strict;                 /* some body asks for more checks */
    uint64_t layout_version;     /* of the table */
    size_t count[FEATURE_KINDS]; /* of all bodies */
    uint64_t reading;            /* counts the readings: what was made for one of them is known to be of it */
    uint32_t body_count;
    struct body_snapshot *bodies; /* by body index */
    double largest;               /* largest |coordinate| of a used vertex */
    struct dynamic_array body_storage, position_storage, block_storage;
};

void snapshot_init(struct snapshot *snapshot, dent_context *context);
void snapshot_destroy(struct snapshot *snapshot);

/* Reads the positions of all bodies, in parallel; bodies without positions, numbers that are not finite, and (strict bodies)
 * inverted or flat cells are refused with a message that names them. */
dent_status snapshot_read(struct snapshot *snapshot, const struct body_table *table, struct message *message);

/* The caller's cell `cell` as tetrahedra: first and one past the last. */
static inline uint32_t cell_tetrahedra(const struct body *body, uint32_t cell, uint32_t *end)
{
    if (!body->first_tetrahedron) {
        *end = cell + 1;
        return cell;
    }
    *end = body->first_tetrahedron[cell + 1];
    return body->first_tetrahedron[cell];
}

/* Corners of the caller's element, and how many. */
static inline const uint32_t *element_corners(const struct body *body, uint32_t element, uint32_t *count)
{
    if (body->element_start) {
        *count = (uint32_t)(body->element_start[element + 1] - body->element_start[element]);
        return body->element_corners + body->element_start[element];
    }
    *count = kind_corner_count(body->kind);
    return body->element_corners + (size_t)element * *count;
}

#endif
