/* Validation at the door: what is refused by default, before anything is allocated or copied.
 *
 * First the numbers are judged (limits of 32-bit indices, bytes that would overflow), so that a def with absurd counts
 * is refused without touching its arrays; then every element is looked at once: its kind, its indices, no index twice.
 * The first culprit is named by body, element and index. Flaws that dent can answer about (duplicates, unused vertices,
 * non-manifold faces, inverted or flat cells) are not judged here: they are counted by mesh_topology.c and
 * body_measure.c.
 */
#include "bodies/mesh_check.h"

#include "bodies/body_data.h"
#include "bodies/cell_split.h"
#include "bodies/points_body.h"
#include "bodies/strand_body.h"

#include <inttypes.h>

/* References to faces are tetrahedron * 4 + corner in 32 bits, with two values kept free. */
static const uint64_t face_limit = (uint64_t)UINT32_MAX - 1;

dent_status mesh_check_def(const dent_body_def *def, struct message *message)
{
    if (!def) {
        return message_fail(message, DENT_ERROR_INVALID_ARGUMENT, "the body def is null");
    }
    if (def->struct_size != sizeof *def) {
        return message_fail(message, DENT_ERROR_INVALID_ARGUMENT,
                            "the body def has struct_size %zu instead of %zu: make it with dent_solid_def_default(), "
                            "dent_surface_def_default(), dent_strands_def_default() or dent_points_def_default()",
                            def->struct_size, sizeof *def);
    }
    return DENT_OK;
}

static dent_status check_arrays(const dent_body_def *def, const struct body *body, struct message *message)
{
    if (!dent_body_kind_get_info(def->kind)) {
        return message_fail(message, DENT_ERROR_INVALID_ARGUMENT, BODY_TITLE ": unknown body kind %d",
                            BODY_TITLE_OF(body), (int)def->kind);
    }
    if (def->element_count > 0 && !def->element_corners) {
        return message_fail(message, DENT_ERROR_INVALID_ARGUMENT,
                            BODY_TITLE ": element_corners is null, but element_count is %" PRIu32, BODY_TITLE_OF(body),
                            def->element_count);
    }
    if (!kind_has_cells(def->kind) && def->cell_kinds) {
        return message_fail(message, DENT_ERROR_INVALID_ARGUMENT, BODY_TITLE ": %s must have cell_kinds null",
                            BODY_TITLE_OF(body),
                            kind_has_faces(def->kind) ? "a surface" : body_kind_rows[def->kind].name);
    }
    if (!kind_has_segments(def->kind) && (def->strand_count > 0 || def->first || def->radii || def->root_on_count > 0)) {
        return message_fail(message, DENT_ERROR_INVALID_ARGUMENT,
                            BODY_TITLE ": strands, radii and roots are for bodies of kind strands", BODY_TITLE_OF(body));
    }
    if (def->same_as_count > 0 && !def->same_as) {
        return message_fail(message, DENT_ERROR_INVALID_ARGUMENT,
                            BODY_TITLE ": same_as is null, but same_as_count is %" PRIu32, BODY_TITLE_OF(body),
                            def->same_as_count);
    }
    return DENT_OK;
}

/* Every cell has at least one tetrahedron and four faces, every triangle one face: what is too much by number alone. */
static dent_status check_sizes(const dent_body_def *def, const struct body *body, struct message *message)
{
    uint64_t faces = (uint64_t)def->element_count * kind_face_count(def->kind);
    uint64_t corners = (uint64_t)def->element_count * kind_most_corners(def->kind);
    if (faces > face_limit) {
        return message_fail(message, DENT_ERROR_TOO_LARGE,
                            BODY_TITLE ": %" PRIu32 " elements have more than the %" PRIu64
                                       " faces that 32-bit indices can name",
                            BODY_TITLE_OF(body), def->element_count, face_limit);
    }
    /* 32 bytes per corner and per vertex: more than any one array of the body or of its making has. */
    if (corners > SIZE_MAX / 32 || (uint64_t)def->vertex_count + 2 > SIZE_MAX / 32) {
        return message_fail(message, DENT_ERROR_TOO_LARGE,
                            BODY_TITLE ": %" PRIu32 " elements on %" PRIu32
                                       " vertices do not fit into the address space",
                            BODY_TITLE_OF(body), def->element_count, def->vertex_count);
    }
    if (def->same_as_count > INT32_MAX) {
        return message_fail(message, DENT_ERROR_TOO_LARGE,
                            BODY_TITLE ": %" PRIu32 " ties; at most %" PRId32 " can be given", BODY_TITLE_OF(body),
                            def->same_as_count, INT32_MAX);
    }
    return DENT_OK;
}

static const char *element_word(const dent_body_def *def)
{
    return body_kind_rows[def->kind].element_name;
}

static dent_status check_element(const dent_body_def *def, const struct body *body, struct message *message,
                                 uint32_t element, const uint32_t *corners, uint32_t corner_count)
{
    for (uint32_t i = 0; i < corner_count; i++) {
        if (corners[i] >= def->vertex_count) {
            return message_fail(message, DENT_ERROR_BAD_MESH,
                                BODY_TITLE ": %s %" PRIu32 " names vertex %" PRIu32 ", but there are only %" PRIu32,
                                BODY_TITLE_OF(body), element_word(def), element, corners[i], def->vertex_count);
        }
        for (uint32_t j = 0; j < i; j++) {
            if (corners[j] == corners[i]) {
                return message_fail(message, DENT_ERROR_BAD_MESH,
                                    BODY_TITLE ": %s %" PRIu32 " names vertex %" PRIu32 " twice (corners %" PRIu32
                                               " and %" PRIu32 ")",
                                    BODY_TITLE_OF(body), element_word(def), element, corners[i], j, i);
            }
        }
    }
    return DENT_OK;
}

dent_status mesh_check_elements(const dent_body_def *def, const struct body *body, struct message *message,
                                struct mesh_counts *counts)
{
    dent_status status = check_arrays(def, body, message);
    if (status == DENT_OK) {
        status = check_sizes(def, body, message);
    }
    *counts = (struct mesh_counts){0};
    if (status == DENT_OK && kind_has_segments(def->kind)) {
        return strands_check(def, body, message);
    }
    if (status == DENT_OK && kind_has_points(def->kind)) {
        return points_check(def, body, message);
    }
    for (uint32_t element = 0; status == DENT_OK && element < def->element_count; element++) {
        uint8_t kind = def->cell_kinds ? def->cell_kinds[element] : DENT_CELL_TETRAHEDRON;
        uint32_t corner_count = kind_has_cells(def->kind) ? cell_corner_count(kind) : kind_corner_count(def->kind);
        if (corner_count == 0) {
            return message_fail(message, DENT_ERROR_BAD_MESH, BODY_TITLE ": cell %" PRIu32 " is of unknown kind %u",
                                BODY_TITLE_OF(body), element, (unsigned)kind);
        }
        const uint32_t *corners = def->element_corners + counts->corner_count;
        status = check_element(def, body, message, element, corners, corner_count);
        counts->corner_count += corner_count;
        if (status == DENT_OK && kind_has_cells(def->kind)) {
            counts->tetrahedron_count += cell_tetrahedron_count(kind, corners);
            counts->is_split |= kind != DENT_CELL_TETRAHEDRON;
        }
    }
    if (status == DENT_OK && counts->tetrahedron_count > face_limit / 4) {
        return message_fail(message, DENT_ERROR_TOO_LARGE,
                            BODY_TITLE ": its %" PRIu32 " cells give %" PRIu64 " tetrahedra; at most %" PRIu64
                                       " can be named",
                            BODY_TITLE_OF(body), def->element_count, counts->tetrahedron_count, face_limit / 4);
    }
    return status;
}
