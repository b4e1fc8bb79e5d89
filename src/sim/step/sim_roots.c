/* Roots of strands: the faces they grow from, and the hard attachments that hold them where these are movable. */
#include "sim_step.h"

#include <math.h>
#include <string.h>

/* Corners of the faces, by root: numbers of the global array; behind them one more vertex of the body, off the plane. */
static uint32_t vertex_off_plane(const struct sim_body *body, const dent_surface_face *face)
{
    if (body->corner_count == 4 && body->kind == DENT_SIM_SOLID) { /* the cell of the face moves with it */
        const uint32_t *cell = body->corners + 4 * (size_t)face->cell;
        for (int k = 0; k < 4; k++) {
            if (cell[k] != face->corners[0] && cell[k] != face->corners[1] && cell[k] != face->corners[2]) {
                return cell[k];
            }
        }
    }
    const double *x = body->start + 3 * (size_t)face->corners[0];
    double e1[3], e2[3], normal[3], farthest = 0;
    uint32_t found = SIM_NONE;
    sim_subtract(body->start + 3 * (size_t)face->corners[1], x, e1);
    sim_subtract(body->start + 3 * (size_t)face->corners[2], x, e2);
    sim_cross(e1, e2, normal);
    for (uint32_t v = 0; v < body->vertex_count && body->kind != DENT_SIM_CLOTH; v++) {
        double apart[3];
        sim_subtract(body->start + 3 * (size_t)v, x, apart);
        double height = fabs(sim_dot(normal, apart));
        found = height > farthest ? v : found;
        farthest = height > farthest ? height : farthest;
    }
    return found;
}

static bool is_attached(const struct sim_model *model, const dent_sim_root *root)
{
    return model->bodies[root->body].kind != DENT_SIM_PRESCRIBED;
}

static dent_status note_root_bodies(struct sim_model *model)
{
    uint32_t roots = 0;
    for (uint32_t b = 0; b < model->body_count; b++) {
        roots += model->bodies[b].root_count;
    }
    if (roots == 0) {
        return DENT_OK;
    }
    model->root_bodies = sim_allocate(model, model->vertex_count, sizeof *model->root_bodies);
    model->strand_carriers = sim_allocate(model, model->vertex_count, sizeof *model->strand_carriers);
    if (!model->root_bodies || !model->strand_carriers) {
        return sim_no_memory(model->context);
    }
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        model->root_bodies[v] = model->strand_carriers[v] = SIM_NONE;
    }
    for (uint32_t b = 0; b < model->body_count; b++) {
        const struct sim_body *body = &model->bodies[b];
        for (uint32_t n = 0; n < body->root_count; n++) {
            uint32_t first = body->first_vertex + body->strand_first[body->roots[n].strand];
            model->root_bodies[first] = body->roots[n].body;
            model->root_bodies[first + 1] = body->roots[n].clamped ? body->roots[n].body : SIM_NONE;
            uint32_t end = body->first_vertex + body->strand_first[body->roots[n].strand + 1];
            for (uint32_t v = first; v < end; v++) {
                model->strand_carriers[v] = body->roots[n].body;
            }
        }
    }
    return DENT_OK;
}

dent_status roots_find(struct sim_model *model, const dent_world *world)
{
    for (uint32_t b = 0; b < model->body_count; b++) {
        struct sim_body *body = &model->bodies[b];
        body->root_corners = sim_allocate(model, 3 * (size_t)body->root_count, sizeof *body->root_corners);
        if (!body->root_corners) {
            return sim_no_memory(model->context);
        }
        for (uint32_t n = 0; n < body->root_count; n++) {
            const dent_sim_root *root = &body->roots[n];
            const struct sim_body *carrier = &model->bodies[root->body];
            uint32_t count;
            const dent_surface_face *faces = dent_body_surface_faces(world, carrier->id, &count);
            if (root->face >= count) {
                return dent_fail(model->context, DENT_ERROR_INVALID_ARGUMENT, "%s: root %u: no face %u in %s, it has %u",
                                 body->name, n, root->face, carrier->name, count);
            }
            for (int k = 0; k < 3; k++) {
                body->root_corners[3 * n + (uint32_t)k] = carrier->first_vertex + faces[root->face].corners[k];
            }
            model->root_attachment_count += !is_attached(model, root) ? 0 : root->clamped ? 2 : 1;
        }
    }
    return note_root_bodies(model);
}

/* Weights of four vertices (of three: in their plane) whose sum is 1 and whose mean is the point. */
static bool weigh(const double *corners[4], uint32_t count, const double *point, double weights[4])
{
    double e[3][3], apart[3], normal[3], cofactors[3][3];
    sim_subtract(point, corners[0], apart);
    for (uint32_t k = 0; k < 3; k++) {
        sim_subtract(corners[k + 1 < count ? k + 1 : 0], corners[0], e[k]);
    }
    if (count == 3) {
        sim_cross(e[0], e[1], normal);
        memcpy(e[2], normal, sizeof normal);
    }
    for (uint32_t k = 0; k < 3; k++) {
        sim_cross(e[(k + 1) % 3], e[(k + 2) % 3], cofactors[k]);
    }
    double volume = sim_dot(e[0], cofactors[0]);
    weights[0] = 1;
    for (uint32_t k = 0; k < 3; k++) {
        weights[k + 1] = k + 1 < count ? sim_dot(cofactors[k], apart) / volume : 0;
        weights[0] -= weights[k + 1];
    }
    return volume != 0 && isfinite(weights[0]);
}

/* One vertex of a strand, held by a face and a further vertex of the carrier. */
static dent_status attach(const struct sim_model *model, const dent_world *world, uint32_t number, uint32_t root_number,
                          uint32_t k, struct sim_attachment *tie)
{
    const struct sim_body *body = &model->bodies[number];
    const dent_sim_root *root = &body->roots[root_number];
    const struct sim_body *carrier = &model->bodies[root->body];
    uint32_t vertex = body->strand_first[root->strand] + k, count;
    const dent_surface_face *face = &dent_body_surface_faces(world, carrier->id, &count)[root->face];
    uint32_t corners[4] = {face->corners[0], face->corners[1], face->corners[2], vertex_off_plane(carrier, face)};
    const double *places[4] = {NULL, NULL, NULL, NULL};
    *tie = (struct sim_attachment){.vertex_a = body->first_vertex + vertex, .body_a = number, .body_b = root->body};
    uint32_t used = corners[3] == SIM_NONE ? 3 : 4;
    for (uint32_t c = 0; c < 4; c++) {
        tie->vertices_b[c] = c < used ? carrier->first_vertex + corners[c] : SIM_NONE;
        places[c] = c < used ? carrier->start + 3 * (size_t)corners[c] : NULL;
    }
    if (!weigh(places, used, body->start + 3 * (size_t)vertex, tie->weights_b)) {
        return dent_fail(model->context, DENT_ERROR_BAD_MESH, "%s: root %u: face %u of %s has no area", body->name,
                         root_number, root->face, carrier->name);
    }
    return DENT_OK;
}

dent_status roots_attach(struct sim_model *model, const dent_world *world, struct sim_attachment *ties)
{
    dent_status status = DENT_OK;
    for (uint32_t b = 0; b < model->body_count; b++) {
        const struct sim_body *body = &model->bodies[b];
        for (uint32_t n = 0; n < body->root_count && status == DENT_OK; n++) {
            for (uint32_t k = 0; k < (body->roots[n].clamped ? 2U : 1U) && is_attached(model, &body->roots[n]); k++) {
                status = status == DENT_OK ? attach(model, world, b, n, k, ties++) : status;
            }
        }
    }
    return status;
}
