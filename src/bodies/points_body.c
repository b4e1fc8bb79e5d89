/* Bodies of points: checked and made. See points_body.h. */
#include "bodies/points_body.h"

dent_status points_check(const dent_body_def *def, const struct body *body, struct message *message)
{
    if (def->element_count > 0 || def->element_corners) {
        return message_fail(message, DENT_ERROR_INVALID_ARGUMENT,
                            BODY_TITLE ": points are given by vertex_count; element_count and element_corners must be 0",
                            BODY_TITLE_OF(body));
    }
    return DENT_OK;
}

static bool allocate_arrays(struct body *body)
{
    dent_context *context = body->context;
    body->element_count = body->vertex_count;
    body->corner_count = body->vertex_count;
    body->element_corners = dent_allocate(context, body->vertex_count, sizeof *body->element_corners);
    body->edges = dent_allocate(context, 0, sizeof *body->edges);
    body->edge_is_surface = dent_allocate(context, 0, sizeof *body->edge_is_surface);
    body->vertex_use = dent_allocate(context, body->vertex_count, sizeof *body->vertex_use);
    body->vertex_component = dent_allocate(context, body->vertex_count, sizeof *body->vertex_component);
    body->surface_faces = dent_allocate(context, 0, sizeof *body->surface_faces);
    return body->element_corners && body->edges && body->edge_is_surface && body->vertex_use &&
           body->vertex_component && body->surface_faces;
}

bool points_make(struct body *body)
{
    if (!allocate_arrays(body)) {
        return false;
    }
    for (uint32_t vertex = 0; vertex < body->vertex_count; vertex++) {
        body->element_corners[vertex] = body->vertex_component[vertex] = vertex;
        body->vertex_use[vertex] = VERTEX_USED | VERTEX_ON_SURFACE;
    }
    body->first_nonmanifold_cell = UINT32_MAX;
    body->topology = (dent_body_topology){
        .kind = body->kind,
        .vertex_count = body->vertex_count,
        .element_count = body->element_count,
        .component_count = body->vertex_count,
        .first_unused_vertex = UINT32_MAX,
        .first_duplicate_element = UINT32_MAX,
        .first_nonmanifold_element = UINT32_MAX,
    };
    return true;
}
