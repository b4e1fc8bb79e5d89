/* The connectivity behind the border information: edges of faces, edges and faces of vertices. Made once per topology
 * of the world. */
#include "query/border/border_search.h"
#include "query/world/world_state.h"

static void init_state(dent_context *context, void *data)
{
    struct border_state *state = data;
    state->context = context;
    block_output_init(&state->pair_blocks, context, sizeof(struct border_pair));
    block_output_init(&state->cut_blocks, context, sizeof(struct border_cut));
    array_init(&state->pairs, context, sizeof(struct border_pair));
    array_init(&state->cuts, context, sizeof(struct border_cut));
    array_init(&state->curves, context, sizeof(dent_border_curve));
    array_init(&state->points, context, sizeof(dent_border_point));
    array_init(&state->segments, context, sizeof(dent_border_segment));
    array_init(&state->cut_edges, context, sizeof(dent_cut_edge));
    array_init(&state->vertices, context, sizeof(dent_border_vertex));
    array_init(&state->vertex_edges, context, sizeof(uint32_t));
}

/* Counts in place: first[v] becomes where v's records begin. */
static void sum_up(uint32_t *first, uint32_t count)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i <= count; i++) {
        uint32_t here = first[i];
        first[i] = sum;
        sum += here;
    }
}

static void fill_mesh(struct border_mesh *mesh, const struct body *body)
{
    uint32_t vertices = body->vertex_count, faces = body->surface_face_count;
    memset(mesh->edge_first, 0, ((size_t)vertices + 1) * sizeof *mesh->edge_first);
    memset(mesh->star_first, 0, ((size_t)vertices + 1) * sizeof *mesh->star_first);
    for (uint32_t i = 0; i < body->edge_count; i++) {
        mesh->edge_first[body->edges[i].v0]++;
    }
    sum_up(mesh->edge_first, vertices);
    for (size_t i = 0; i < 3 * (size_t)faces; i++) {
        const uint32_t *corners = body->surface_faces[i / 3].corners;
        mesh->star_first[corners[i % 3]]++;
        mesh->face_edges[i] = find_edge(body, mesh->edge_first, corners[i % 3], corners[(i + 1) % 3]);
    }
    sum_up(mesh->star_first, vertices);
    for (size_t i = 0; i < 3 * (size_t)faces; i++) {
        mesh->star_faces[mesh->star_first[body->surface_faces[i / 3].corners[i % 3]]++] = (uint32_t)(i / 3);
    }
    for (uint32_t v = vertices; v > 0; v--) { /* the filling moved every start to the next one */
        mesh->star_first[v] = mesh->star_first[v - 1];
    }
    mesh->star_first[0] = 0;
}

/* `balance`: by vertex, all zero before and after. */
static bool star_is_closed(const struct border_mesh *mesh, const struct body *body, uint32_t vertex, int32_t *balance)
{
    bool closed = true;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = mesh->star_first[vertex]; i < mesh->star_first[vertex + 1]; i++) {
            const uint32_t *corners = body->surface_faces[mesh->star_faces[i]].corners;
            int k = corners[0] == vertex ? 0 : corners[1] == vertex ? 1 : 2;
            uint32_t first = corners[(k + 1) % 3], second = corners[(k + 2) % 3];
            if (pass == 0) {
                balance[first]++;
                balance[second]--;
            } else {
                closed = closed && balance[first] == 0 && balance[second] == 0;
            }
        }
    }
    for (uint32_t i = mesh->star_first[vertex]; !closed && i < mesh->star_first[vertex + 1]; i++) {
        for (int k = 0; k < 3; k++) {
            balance[body->surface_faces[mesh->star_faces[i]].corners[k]] = 0;
        }
    }
    return closed;
}

static bool judge_stars(struct border_mesh *mesh, const struct body *body, struct arena *scratch)
{
    struct arena_mark mark = arena_mark(scratch);
    int32_t *balance = arena_allocate_cleared(scratch, body->vertex_count, sizeof *balance);
    if (!balance) {
        return false;
    }
    memset(mesh->closed_stars, 0, ((size_t)body->vertex_count / 32 + 1) * sizeof *mesh->closed_stars);
    for (uint32_t vertex = 0; vertex < body->vertex_count; vertex++) {
        if (star_is_closed(mesh, body, vertex, balance)) {
            mesh->closed_stars[vertex / 32] |= UINT32_C(1) << vertex % 32;
        }
    }
    arena_rewind(scratch, mark);
    return true;
}

static bool make_mesh(struct border_state *state, struct border_mesh *mesh, const struct body *body,
                      struct arena *scratch)
{
    size_t corners = 3 * (size_t)body->surface_face_count, starts = (size_t)body->vertex_count + 1;
    mesh->word_count = 2 * corners + 2 * starts + body->vertex_count / 32 + 1;
    mesh->words = dent_allocate(state->context, mesh->word_count, sizeof *mesh->words);
    if (!mesh->words) {
        return false;
    }
    mesh->face_edges = mesh->words;
    mesh->star_faces = mesh->face_edges + corners;
    mesh->edge_first = mesh->star_faces + corners;
    mesh->star_first = mesh->edge_first + starts;
    mesh->closed_stars = mesh->star_first + starts;
    fill_mesh(mesh, body);
    return judge_stars(mesh, body, scratch);
}

static bool make_record(void *user, void *record, const struct body *body)
{
    struct border_search *search = user;
    return make_mesh(search->state, record, body, search->scratch);
}

static void destroy_record(dent_context *context, void *record)
{
    struct border_mesh *mesh = record;
    dent_release(context, mesh->words, mesh->word_count, sizeof *mesh->words);
}

static const struct body_record_kind mesh_kind = {sizeof(struct border_mesh), make_record, destroy_record};

bool border_update_meshes(struct border_search *search)
{
    struct border_state *state = search->state;
    bool changed;
    bool made =
        body_records_update(&state->mesh_records, &mesh_kind, state->context, search->snapshot, search, &changed);
    state->meshes = state->mesh_records.data;
    return made;
}

static void destroy_state(dent_context *context, void *data)
{
    struct border_state *state = data;
    (void)context;
    body_records_destroy(&state->mesh_records, &mesh_kind, state->context);
    block_output_destroy(&state->pair_blocks);
    block_output_destroy(&state->cut_blocks);
    array_destroy(&state->pairs);
    array_destroy(&state->cuts);
    array_destroy(&state->curves);
    array_destroy(&state->points);
    array_destroy(&state->segments);
    array_destroy(&state->cut_edges);
    array_destroy(&state->vertices);
    array_destroy(&state->vertex_edges);
}

struct border_state *border_state_of(dent_world *world)
{
    static const struct world_slot_kind kind = {sizeof(struct border_state), init_state, destroy_state};
    return world_state_of(world, &kind);
}
