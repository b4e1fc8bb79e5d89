/* The parallel loop of the penetration check and the preparation of its bodies. */
#include "contact/check/check_run.h"

#include "bodies/strand_rules.h"
#include "query/pairs/pair_tests.h"

enum { ELEMENTS_PER_BLOCK = 256 };

struct loop {
    struct check_run *run;
    check_block *block;
    void *data;
    uint32_t count;
    struct check_tally *tallies;
};

static void run_block(void *data, uint32_t block, uint32_t worker)
{
    struct loop *loop = data;
    (void)worker;
    struct check_tally *tally = &loop->tallies[block];
    *tally = (struct check_tally){.depth = -1};
    if (check_cancelled(loop->run)) {
        return;
    }
    uint32_t begin = block * ELEMENTS_PER_BLOCK;
    uint32_t end = loop->count - begin < ELEMENTS_PER_BLOCK ? loop->count : begin + ELEMENTS_PER_BLOCK;
    loop->block(loop->run, loop->data, begin, end, tally);
}

static bool add_tally(struct check_tally *total, const struct check_tally *tally)
{
    total->box_tests += tally->box_tests;
    total->candidates += tally->candidates;
    total->predicates.exact_fallbacks += tally->predicates.exact_fallbacks;
    tally_depth(total, tally->depth, tally->where);
    if (tally->contact && !total->contact) {
        total->contact = true;
        memcpy(total->meeting, tally->meeting, sizeof total->meeting);
    }
    return !tally->out_of_memory;
}

dent_status check_for_each(struct check_run *run, uint32_t count, check_block *block, void *data)
{
    if (count == 0) {
        return DENT_OK;
    }
    uint32_t block_count = (count - 1) / ELEMENTS_PER_BLOCK + 1;
    struct arena_mark mark = arena_mark(run->scratch);
    struct check_tally *tallies = arena_allocate(run->scratch, block_count, sizeof *tallies);
    if (!tallies) {
        return check_out_of_memory(run);
    }
    struct loop loop = {.run = run, .block = block, .data = data, .count = count, .tallies = tallies};
    dent_parallel_for(run->context, block_count, run_block, &loop);
    bool complete = true;
    for (uint32_t i = 0; i < block_count; i++) {
        complete &= add_tally(&run->total, &tallies[i]);
    }
    arena_rewind(run->scratch, mark);
    return complete ? DENT_OK : check_out_of_memory(run);
}

dent_status check_out_of_memory(struct check_run *run)
{
    return message_fail(run->message, DENT_ERROR_OUT_OF_MEMORY, "out of memory for a penetration check");
}

struct check_body check_body_of(const struct body_snapshot *snapshot)
{
    const struct body *mesh = snapshot->body;
    struct check_body body = {.body = mesh, .xyz = snapshot->xyz};
    memcpy(body.bounds.lo, snapshot->lo, sizeof body.bounds.lo);
    memcpy(body.bounds.hi, snapshot->hi, sizeof body.bounds.hi);
    body.solid = body_has_cells(mesh);
    body.thin = body_is_thin(mesh);
    body.closed = body_has_faces(mesh) && mesh->topology.surface_closed;
    body.surface = mesh->surface_faces;
    body.surface_count = body.thin ? mesh->element_count : mesh->surface_face_count;
    return body;
}

bool check_leaves_out(const struct check_run *run, const struct check_body *x, uint32_t face,
                      const struct check_body *y, uint32_t other)
{
    const uint32_t *v = x->surface[face].corners, *w = y->surface[other].corners;
    if (x == y) {
        return corners_share_vertex(x->body, v, 3, y->body, w, 3);
    }
    return (body_has_segments(x->body) && strand_rule_root(run->snapshot, x->body, v, 2, y->body, w, 3)) ||
           (body_has_segments(y->body) && strand_rule_root(run->snapshot, y->body, w, 2, x->body, v, 3));
}

bool check_is_at_root(const struct check_run *run, const struct check_body *x, uint32_t segment,
                      const struct check_body *y)
{
    if (x->body->root_count == 0) {
        return false;
    }
    uint32_t strand = strand_of_segment(x->body, segment);
    return x->body->strand_first[strand] == x->body->edges[segment].v0 &&
           strand_root_face(run->snapshot, x->body, strand, y->body) != NULL;
}

/* Segments and points as faces. */
static bool list_thin_faces(struct check_run *run, struct check_body *body)
{
    dent_surface_face *list = arena_allocate_cleared(run->scratch, body->surface_count, sizeof *list);
    for (uint32_t segment = 0; list && segment < body->surface_count; segment++) {
        bool point = body_has_points(body->body);
        dent_edge edge = point ? (dent_edge){segment, segment} : body->body->edges[segment];
        list[segment] = (dent_surface_face){.corners = {edge.v0, edge.v1, edge.v1}, .cell = segment};
    }
    body->surface = list;
    return list != NULL;
}

dent_status check_prepare_body(struct check_run *run, struct check_body *body)
{
    if (body->has_trees) {
        return DENT_OK;
    }
    const struct body *mesh = body->body;
    if ((body->thin && !list_thin_faces(run, body)) ||
        !box_tree_build(&body->cells, run->scratch, body->xyz, mesh->tetrahedra, 4, sizeof *mesh->tetrahedra,
                        body->solid ? mesh->tetrahedron_count : 0, run->exhaustive) ||
        !box_tree_build(&body->faces, run->scratch, body->xyz, body->surface, 3, sizeof *body->surface,
                        body->surface_count, run->exhaustive)) {
        return check_out_of_memory(run);
    }
    body->has_trees = true;
    return DENT_OK;
}
