/* The oracle of the question `impact`: every surface vertex with every surface face, every surface edge with every
 * surface edge, by the exact test alone.
 *
 * This file and the exact stage of geometry/impact/impact_test.h define the answer; the search is compared with it. Pairs that
 * share a vertex, roots of strands where they lie (strand_rules.h) and pairs of bodies that may not meet are left out. The one short cut: sets whose boxes over the step
 * are apart do not meet. O(n^2); blocks are features of side a.
 */
#include "bodies/strand_rules.h"
#include "query/impact/impact_run.h"

/* A vertex (one corner), an edge (two) or a face (three). */
struct feature {
    uint32_t body, feature, corner_count;
    uint32_t vertices[3]; /* of the body */
    double lo[3], hi[3];  /* over the step */
};

struct feature_list {
    struct feature *features;
    uint32_t count;
};

struct oracle {
    struct impact_run *run;
    enum impact_kind kind;
    struct feature_list a, b;
};

enum { FEATURES_PER_BLOCK = 16 };

static bool share_a_vertex(const struct body *body_a, const struct feature *a, const struct body *body_b,
                           const struct feature *b)
{
    for (uint32_t i = 0; i < a->corner_count; i++) {
        for (uint32_t j = 0; j < b->corner_count; j++) {
            if (body_identity(body_a, a->vertices[i]) == body_identity(body_b, b->vertices[j])) {
                return true;
            }
        }
    }
    return false;
}

static bool is_at_root(const struct impact_run *run, const struct body *body_a, const struct feature *a,
                       const struct body *body_b, const struct feature *b)
{
    return (body_has_segments(body_a) && strand_rule_root(run->snapshot, body_a, a->vertices, a->corner_count, body_b,
                                                          b->vertices, b->corner_count)) ||
           (body_has_segments(body_b) && strand_rule_root(run->snapshot, body_b, b->vertices, b->corner_count, body_a,
                                                          a->vertices, a->corner_count));
}

static bool boxes_apart(const struct feature *a, const struct feature *b, double separation)
{
    for (int axis = 0; axis < 3; axis++) {
        if (a->lo[axis] - b->hi[axis] > separation || b->lo[axis] - a->hi[axis] > separation) {
            return true;
        }
    }
    return false;
}

static void look_at_pair(struct oracle *oracle, struct impact_worker *worker_state, const struct feature *a,
                         const struct feature *b)
{
    struct impact_run *run = oracle->run;
    const struct body *body_a = run->snapshot->bodies[a->body].body, *body_b = run->snapshot->bodies[b->body].body;
    worker_state->box_tests++;
    if (boxes_apart(a, b, run->separation) || !bodies_may_meet(body_a, body_b) ||
        share_a_vertex(body_a, a, body_b, b) || is_at_root(run, body_a, a, body_b, b)) {
        return;
    }
    const struct impact_vertex *corners[4];
    struct impact_result result;
    for (uint32_t i = 0; i < 4; i++) {
        corners[i] = i < a->corner_count ? &run->vertices[run_vertex(run, a->body, a->vertices[i])]
                                         : &run->vertices[run_vertex(run, b->body, b->vertices[i - a->corner_count])];
    }
    if (run->separation > 0) {
        impact_test_separation(oracle->kind, corners, &run->settings, 1, &result);
    } else {
        impact_test_exact(worker_state->workspace.limbs, oracle->kind, corners, &result);
    }
    worker_state->candidates++;
    worker_state->stages.free_by[IMPACT_STAGE_EXACT]++;
    if (result.answer != IMPACT_FREE) {
        struct impact_pair pair = {a->body, a->feature, b->body, b->feature};
        impact_worker_answer(run, worker_state, oracle->kind, pair, &result);
    }
}

static void look_at_block(void *data, uint32_t block, uint32_t worker)
{
    struct oracle *oracle = data;
    struct impact_worker *worker_state = &oracle->run->workers[worker];
    worker_state->block = oracle->kind == IMPACT_VERTEX_FACE ? 2 * block : 2 * block + 1;
    uint32_t first = block * FEATURES_PER_BLOCK;
    for (uint32_t i = first; i < first + FEATURES_PER_BLOCK && i < oracle->a.count; i++) {
        /* Edges against edges are one list: each pair once, the smaller on side a. */
        for (uint32_t j = oracle->kind == IMPACT_EDGE_EDGE ? i + 1 : 0; j < oracle->b.count; j++) {
            if (cancel_requested(oracle->run->cancel)) {
                return;
            }
            look_at_pair(oracle, worker_state, &oracle->a.features[i], &oracle->b.features[j]);
        }
    }
}

/* ---- features in canonical order --------------------------------------------------------------------------------- */

static void add_feature(const struct impact_run *run, struct feature_list *list, uint32_t body_index, uint32_t number,
                        const uint32_t *vertices, uint32_t corner_count)
{
    struct feature *feature = &list->features[list->count++];
    *feature = (struct feature){.body = body_index, .feature = number, .corner_count = corner_count};
    memcpy(feature->vertices, vertices, corner_count * sizeof *vertices);
    for (int axis = 0; axis < 3; axis++) {
        feature->lo[axis] = feature->hi[axis] = run->vertices[run_vertex(run, body_index, vertices[0])].start[axis];
        for (uint32_t i = 0; i < corner_count; i++) {
            const struct impact_vertex *vertex = &run->vertices[run_vertex(run, body_index, vertices[i])];
            double low = vertex->start[axis] < vertex->end[axis] ? vertex->start[axis] : vertex->end[axis];
            double high = vertex->start[axis] > vertex->end[axis] ? vertex->start[axis] : vertex->end[axis];
            feature->lo[axis] = low < feature->lo[axis] ? low : feature->lo[axis];
            feature->hi[axis] = high > feature->hi[axis] ? high : feature->hi[axis];
        }
    }
}

static bool list_features(const struct impact_run *run, uint32_t corner_count, struct feature_list *list)
{
    size_t most = 0;
    for (uint32_t body_index = 0; body_index < run->snapshot->body_count; body_index++) {
        const struct body *body = run->snapshot->bodies[body_index].body;
        most += corner_count == 1   ? body->vertex_count
                : corner_count == 2 ? body->edge_count
                                    : body->surface_face_count;
    }
    *list = (struct feature_list){arena_allocate(run->scratch, most, sizeof *list->features), 0};
    for (uint32_t body_index = 0; list->features && body_index < run->snapshot->body_count; body_index++) {
        const struct body *body = run->snapshot->bodies[body_index].body;
        for (uint32_t v = 0; corner_count == 1 && v < body->vertex_count; v++) {
            if (body->vertex_use[v] & VERTEX_ON_SURFACE) {
                add_feature(run, list, body_index, v, &v, 1);
            }
        }
        for (uint32_t e = 0; corner_count == 2 && e < body->edge_count; e++) {
            if (body->edge_is_surface[e]) {
                const uint32_t ends[2] = {body->edges[e].v0, body->edges[e].v1};
                add_feature(run, list, body_index, e, ends, 2);
            }
        }
        for (uint32_t f = 0; corner_count == 3 && f < body->surface_face_count; f++) {
            add_feature(run, list, body_index, f, body->surface_faces[f].corners, 3);
        }
    }
    return list->features != NULL;
}

static uint32_t block_count(const struct feature_list *list)
{
    return list->count / FEATURES_PER_BLOCK + (list->count % FEATURES_PER_BLOCK != 0);
}

dent_status impact_test_all_pairs(struct impact_run *run)
{
    struct oracle faces = {.run = run, .kind = IMPACT_VERTEX_FACE}, edges = {.run = run, .kind = IMPACT_EDGE_EDGE};
    if (!list_features(run, 1, &faces.a) || !list_features(run, 3, &faces.b) || !list_features(run, 2, &edges.a)) {
        return impact_out_of_memory(run);
    }
    edges.b = edges.a;
    uint32_t vertex_blocks = block_count(&faces.a), edge_blocks = block_count(&edges.a);
    if (!block_output_begin(&run->state->blocks, 2 * (vertex_blocks > edge_blocks ? vertex_blocks : edge_blocks))) {
        return impact_out_of_memory(run);
    }
    dent_parallel_for(run->context, vertex_blocks, look_at_block, &faces);
    dent_parallel_for(run->context, edge_blocks, look_at_block, &edges);
    return DENT_OK;
}
