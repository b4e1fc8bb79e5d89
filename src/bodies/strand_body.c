/* Bodies of strands: checked, copied, made into segments. See strand_body.h. */
#include "bodies/strand_body.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- checks ------------------------------------------------------------------------------------------------------ */

static dent_status check_arrays(const dent_body_def *def, const struct body *body, struct message *message)
{
    if (def->element_count > 0 || def->element_corners) {
        return message_fail(message, DENT_ERROR_INVALID_ARGUMENT,
                            BODY_TITLE ": strands are given by first; element_count and element_corners must be 0",
                            BODY_TITLE_OF(body));
    }
    if (!def->first && (def->strand_count > 0 || def->vertex_count > 0)) {
        return message_fail(message, DENT_ERROR_INVALID_ARGUMENT,
                            BODY_TITLE ": first is null, but strand_count is %" PRIu32 " and vertex_count %" PRIu32,
                            BODY_TITLE_OF(body), def->strand_count, def->vertex_count);
    }
    if (def->root_on_count > 0 && !def->root_on) {
        return message_fail(message, DENT_ERROR_INVALID_ARGUMENT,
                            BODY_TITLE ": root_on is null, but root_on_count is %" PRIu32, BODY_TITLE_OF(body),
                            def->root_on_count);
    }
    return DENT_OK;
}

/* Ends of the polylines. Counts are judged before the array is read to its end. */
static dent_status check_first(const dent_body_def *def, const struct body *body, struct message *message)
{
    if (!def->first) {
        return DENT_OK;
    }
    if (def->first[0] != 0) {
        return message_fail(message, DENT_ERROR_BAD_MESH, BODY_TITLE ": first[0] is %" PRIu32 " instead of 0",
                            BODY_TITLE_OF(body), def->first[0]);
    }
    for (uint32_t strand = 0; strand < def->strand_count; strand++) {
        uint32_t begin = def->first[strand], end = def->first[(size_t)strand + 1];
        if (end < begin || end > def->vertex_count) {
            return message_fail(message, DENT_ERROR_BAD_MESH,
                                BODY_TITLE ": first is not ascending within the %" PRIu32 " vertices: strand %" PRIu32
                                           " would go from %" PRIu32 " to %" PRIu32,
                                BODY_TITLE_OF(body), def->vertex_count, strand, begin, end);
        }
        if (end - begin < 2) {
            return message_fail(message, DENT_ERROR_BAD_MESH,
                                BODY_TITLE ": strand %" PRIu32 " has %s; two vertices or more are needed",
                                BODY_TITLE_OF(body), strand, end == begin ? "no vertex" : "one vertex");
        }
    }
    if (def->first[def->strand_count] != def->vertex_count) {
        return message_fail(message, DENT_ERROR_BAD_MESH,
                            BODY_TITLE ": the strands end at vertex %" PRIu32 ", but there are %" PRIu32,
                            BODY_TITLE_OF(body), def->first[def->strand_count], def->vertex_count);
    }
    return DENT_OK;
}

static dent_status check_radii(const dent_body_def *def, const struct body *body, struct message *message)
{
    for (uint32_t vertex = 0; def->radii && vertex < def->vertex_count; vertex++) {
        double radius = def->radii[vertex];
        if (!(radius >= 0 && radius <= DBL_MAX)) {
            return message_fail(message, DENT_ERROR_BAD_NUMBER,
                                BODY_TITLE ": the radius of vertex %" PRIu32
                                           " is %g: a finite length, 0 or more, is needed",
                                BODY_TITLE_OF(body), vertex, radius);
        }
    }
    return DENT_OK;
}

static dent_status check_roots(const dent_body_def *def, const struct body *body, struct message *message)
{
    for (uint32_t i = 0; i < def->root_on_count; i++) {
        uint32_t strand = def->root_on[i].strand;
        if (strand >= def->strand_count) {
            return message_fail(message, DENT_ERROR_BAD_MESH,
                                BODY_TITLE ": root %" PRIu32 " names strand %" PRIu32 ", but there are only %" PRIu32,
                                BODY_TITLE_OF(body), i, strand, def->strand_count);
        }
        if (i > 0 && strand <= def->root_on[i - 1].strand) {
            return message_fail(message, DENT_ERROR_BAD_MESH,
                                BODY_TITLE ": root %" PRIu32 " names strand %" PRIu32 " after strand %" PRIu32
                                           ": ascending strands are needed, each once",
                                BODY_TITLE_OF(body), i, strand, def->root_on[i - 1].strand);
        }
    }
    return DENT_OK;
}

dent_status strands_check(const dent_body_def *def, const struct body *body, struct message *message)
{
    dent_status status = check_arrays(def, body, message);
    if (status == DENT_OK && def->vertex_count > def->strand_count &&
        def->vertex_count - def->strand_count > DENT_SEGMENT_LIMIT) {
        return message_fail(message, DENT_ERROR_TOO_LARGE,
                            BODY_TITLE ": %" PRIu32 " segments; one body can have at most %" PRIu32,
                            BODY_TITLE_OF(body), def->vertex_count - def->strand_count, DENT_SEGMENT_LIMIT);
    }
    status = status == DENT_OK ? check_first(def, body, message) : status;
    status = status == DENT_OK ? check_radii(def, body, message) : status;
    return status == DENT_OK ? check_roots(def, body, message) : status;
}

dent_status strand_roots_check(const struct body_table *table, const struct body *body, dent_body_id replaced,
                               struct message *message)
{
    for (uint32_t i = 0; i < body->root_count; i++) {
        const dent_strand_root *root = &body->roots[i];
        if (!dent_body_id_is_null(replaced) && dent_body_id_equal(root->body, replaced)) {
            return message_fail(message, DENT_ERROR_INVALID_ARGUMENT,
                                BODY_TITLE ": strand %" PRIu32 " has its root on the body itself", BODY_TITLE_OF(body),
                                root->strand);
        }
        const struct body *other = body_table_find(table, root->body);
        if (!other) {
            struct message reason = {0};
            dent_status status = body_table_stale(table, root->body, &reason);
            return message_fail(message, status, BODY_TITLE ": root of strand %" PRIu32 ": %s", BODY_TITLE_OF(body),
                                root->strand, reason.text);
        }
        if (root->face >= other->surface_face_count) {
            return message_fail(message, DENT_ERROR_BAD_MESH,
                                BODY_TITLE ": strand %" PRIu32 " has its root on face %" PRIu32 " of " BODY_TITLE
                                           ", but that has only %" PRIu32,
                                BODY_TITLE_OF(body), root->strand, root->face, BODY_TITLE_OF(other),
                                other->surface_face_count);
        }
    }
    return DENT_OK;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

/* All arrays, or false. */
static bool allocate_arrays(struct body *body, const dent_body_def *def)
{
    dent_context *context = body->context;
    body->strand_count = def->strand_count;
    body->root_count = def->root_on_count;
    body->element_count = def->vertex_count - def->strand_count;
    body->corner_count = (uint64_t)body->element_count * 2;
    body->strand_first = dent_allocate(context, (size_t)body->strand_count + 1, sizeof *body->strand_first);
    body->radii = def->radii ? dent_allocate(context, body->vertex_count, sizeof *body->radii) : NULL;
    body->roots = dent_allocate(context, body->root_count, sizeof *body->roots);
    body->element_corners = dent_allocate(context, (size_t)body->corner_count, sizeof *body->element_corners);
    body->edge_count = body->element_count;
    body->edges = (dent_edge *)body->element_corners;
    body->edge_is_surface = dent_allocate(context, body->edge_count, sizeof *body->edge_is_surface);
    body->vertex_use = dent_allocate(context, body->vertex_count, sizeof *body->vertex_use);
    body->vertex_component = dent_allocate(context, body->vertex_count, sizeof *body->vertex_component);
    body->surface_faces = dent_allocate(context, 0, sizeof *body->surface_faces);
    return body->strand_first && (body->radii || !def->radii) && body->roots && body->element_corners &&
           body->edge_is_surface && body->vertex_use && body->vertex_component && body->surface_faces;
}

static void fill_segments(struct body *body)
{
    uint32_t segment = 0;
    for (uint32_t strand = 0; strand < body->strand_count; strand++) {
        uint32_t end = body->strand_first[strand + 1];
        for (uint32_t vertex = body->strand_first[strand]; vertex < end; vertex++) {
            body->vertex_component[vertex] = strand;
            if (vertex + 1 < end) {
                body->edges[segment++] = (dent_edge){vertex, vertex + 1};
            }
        }
    }
    memset(body->edge_is_surface, 1, body->edge_count);
    memset(body->vertex_use, VERTEX_USED | VERTEX_ON_SURFACE, body->vertex_count);
}

static void fill_topology(struct body *body)
{
    body->first_nonmanifold_cell = UINT32_MAX;
    body->topology = (dent_body_topology){
        .kind = body->kind,
        .vertex_count = body->vertex_count,
        .element_count = body->element_count,
        .edge_count = body->edge_count,
        .component_count = body->strand_count,
        .first_unused_vertex = UINT32_MAX,
        .first_duplicate_element = UINT32_MAX,
        .first_nonmanifold_element = UINT32_MAX,
    };
}

bool strands_make(struct body *body, const dent_body_def *def)
{
    if (!allocate_arrays(body, def)) {
        return false;
    }
    body->strand_first[0] = 0;
    if (def->first) {
        memcpy(body->strand_first, def->first, ((size_t)body->strand_count + 1) * sizeof *body->strand_first);
    }
    if (body->radii) {
        memcpy(body->radii, def->radii, body->vertex_count * sizeof *body->radii);
        for (uint32_t vertex = 0; vertex < body->vertex_count; vertex++) {
            body->largest_radius = fmax(body->largest_radius, body->radii[vertex]);
        }
    }
    if (body->root_count > 0) {
        memcpy(body->roots, def->root_on, body->root_count * sizeof *body->roots);
    }
    fill_segments(body);
    fill_topology(body);
    return true;
}

void strands_release(struct body *body)
{
    dent_context *context = body->context;
    dent_release(context, body->strand_first, (size_t)body->strand_count + 1, sizeof *body->strand_first);
    dent_release(context, body->radii, body->vertex_count, sizeof *body->radii);
    dent_release(context, body->roots, body->root_count, sizeof *body->roots);
}
