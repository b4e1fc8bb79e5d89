/* The border information as the public interface shows it: its stages in order, limits and messages. */
#include "query/border/border_search.h"

#include "base/context.h"

dent_border_def dent_border_def_default(void)
{
    dent_border_def def = {0};
    def.struct_size = sizeof def;
    return def;
}

static dent_status out_of_memory(struct message *message)
{
    return message_fail(message, DENT_ERROR_OUT_OF_MEMORY, "out of memory for the border");
}

/* Vertices are numbered through the world, in order of body index and index. */
static dent_status number_vertices(struct border_search *search, struct message *message)
{
    uint32_t *first = arena_allocate(search->scratch, search->snapshot->body_count, sizeof *first);
    uint64_t sum = 0;
    if (!first) {
        return out_of_memory(message);
    }
    for (uint32_t body_index = 0; body_index < search->snapshot->body_count; body_index++) {
        first[body_index] = (uint32_t)sum;
        sum += search->snapshot->bodies[body_index].body->vertex_count;
        if (sum > UINT32_MAX) {
            return message_fail(message, DENT_ERROR_TOO_LARGE,
                                "the border of a world with 2^32 or more vertices cannot be computed");
        }
    }
    search->first_number = first;
    return DENT_OK;
}

static dent_status run_stages(struct border_search *search, struct message *message)
{
    struct border_state *state = search->state;
    dent_status status = number_vertices(search, message);
    if (status != DENT_OK) {
        return status;
    }
    if (!border_update_meshes(search) || !border_find_pairs(search)) {
        return out_of_memory(message);
    }
    if (state->pairs.count >= UINT32_MAX / 2) {
        return message_fail(message, DENT_ERROR_TOO_LARGE, "the border has 2^31 or more segments");
    }
    if (cancel_requested(search->cancel)) {
        return DENT_OK;
    }
    if (!border_chain_curves(search)) {
        return out_of_memory(message);
    }
    if (search->def->curves_only) {
        array_clear(&state->cut_edges);
        array_clear(&state->vertices);
        array_clear(&state->vertex_edges);
        return DENT_OK;
    }
    bool enough = border_find_cuts(search);
    if (search->too_many || state->cut_edges.count >= UINT32_MAX / 2) {
        return message_fail(message, DENT_ERROR_TOO_LARGE, "the border has 2^31 or more cut edges");
    }
    return enough && border_list_vertices(search) ? DENT_OK : out_of_memory(message);
}

dent_status border_run(struct border_search *search, struct message *message, dent_border *border)
{
    uint64_t began = dent_clock_ns();
    const struct border_state *state = search->state;
    dent_status status = run_stages(search, message);
    if (status == DENT_OK && !cancel_requested(search->cancel)) {
        *border = (dent_border){
            .vertices = state->vertices.data,
            .vertex_count = state->vertices.count,
            .vertex_edges = state->vertex_edges.data,
            .vertex_edge_count = state->vertex_edges.count,
            .cut_edges = state->cut_edges.data,
            .cut_edge_count = state->cut_edges.count,
            .curves = state->curves.data,
            .curve_count = state->curves.count,
            .points = state->points.data,
            .point_count = state->points.count,
            .segments = state->segments.data,
            .segment_count = state->segments.count,
            .ns = dent_clock_ns() - began,
        };
    }
    return status;
}
