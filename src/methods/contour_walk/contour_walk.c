/* Contour walk: from crossing surfaces through the mesh's own topology to every penetrating face and vertex.
 *
 * The BucketTree article (Ganovelli, Dingliana, O'Sullivan) closes with the plan to find the first penetrating
 * primitives and then to follow the topology of the mesh. Why that finds everything, in short:
 *
 * Let every cell be positive, and take all pairs (point of a surface face F, point of a cell T) that lie at the same
 * slot in space. They form a surface. Following it, F stays in the body of T until one of three things ends the way: F
 * crosses the surface of that body; or, in the body's own case, both points run together at an edge or corner they
 * share, around which the cells turn more than once; or nothing ends it, and then a whole part of the surface lies
 * inside. So crossings, overfull edges and corners, and one vertex of every part of the surface are all the seeds that
 * a flood through the cells a face meets, and across its edges, needs (contour_walk_seeds.c, contour_walk_flood.c). A
 * set of vertices inside the other body that is closed under mesh edges which its surface does not pierce is a whole
 * part of the mesh; so starting from surface vertices and from pierced edges reaches all others
 * (contour_walk_vertices.c).
 *
 * Degeneracies. Every step decides by signs of slightly moved points (geometry/predicates/perturbed_orientation.h), which are
 * never zero: one mesh in general position, as the argument asks for. "Closed face meets open cell" and "vertex in open
 * cell" are open conditions, so every answer for the given points is one for the moved points. What was found without
 * any zero sign is an answer; the rest goes to the exact tests behind the sink.
 *
 * In: a snapshot. Out: vertex-cell and face-cell. Between queries: the bodies made ready for walking.
 */
#include "methods/contour_walk/contour_walk.h"

#include <math.h>
#include <string.h>

#include "methods/interface/method_table.h"

enum { ANSWERS_PER_BLOCK = 1024, BATCH = 128 };

/* ---- preparing ------------------------------------------------------------------------------- */

static bool number_bodies(struct contour_search *search)
{
    const struct snapshot *snapshot = search->request->snapshot;
    struct arena *scratch = search->request->scratch;
    uint64_t vertices = 0, cells = 0, faces = 0;
    search->bodies = arena_allocate_cleared(scratch, snapshot->body_count, sizeof *search->bodies);
    if (!search->bodies) {
        return false;
    }
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        struct walk_body *body = &search->bodies[body_index];
        body->body = snapshot->bodies[body_index].body;
        body->xyz = snapshot->bodies[body_index].xyz;
        body->mesh = search->state->meshes[body_index];
        body->first_vertex = (uint32_t)vertices;
        body->first_cell = (uint32_t)cells;
        body->first_face = (uint32_t)faces;
        vertices += body->body->vertex_count;
        cells += body->mesh->cell_count;
        faces += body->mesh->face_count;
        search->lost |= body->mesh->odd;
        double highest = snapshot->bodies[body_index].hi[0];
        search->far_x = highest > search->far_x ? highest : search->far_x;
    }
    search->far_x = nextafter(search->far_x, INFINITY);
    search->lost |= vertices >= UINT32_MAX || cells >= UINT32_MAX || faces >= UINT32_MAX || isinf(search->far_x);
    search->vertex_count = (uint32_t)vertices;
    search->cell_count = (uint32_t)cells;
    search->face_count = (uint32_t)faces;
    return true;
}

static bool fill_lists(struct contour_search *search)
{
    struct arena *scratch = search->request->scratch;
    search->last_run = arena_allocate(scratch, search->face_count, sizeof *search->last_run);
    search->first_seed = arena_allocate(scratch, search->face_count, sizeof *search->first_seed);
    search->last_slot = arena_allocate(scratch, search->vertex_count, sizeof *search->last_slot);
    search->found_in = arena_allocate(scratch, search->vertex_count, sizeof *search->found_in);
    if (!search->last_run || !search->first_seed || !search->last_slot || !search->found_in) {
        return false;
    }
    memset(search->found_in, 0, search->vertex_count * sizeof *search->found_in);
    memset(search->last_run, 0xff, search->face_count * sizeof *search->last_run);
    memset(search->first_seed, 0xff, search->face_count * sizeof *search->first_seed);
    memset(search->last_slot, 0xff, search->vertex_count * sizeof *search->last_slot);
    return true;
}

static bool prepare(struct contour_search *search)
{
    if (!contour_state_update(search->state, search->request->snapshot) || !number_bodies(search) ||
        !fill_lists(search)) {
        return false;
    }
    search->request->counters->rebuilds += search->state->built;
    for (uint32_t i = 0; i < search->state->worker_count; i++) {
        search->state->workers[i].out_of_memory = search->state->workers[i].lost = false;
    }
    array_clear(&search->state->seeds);
    return true;
}

/* ---- telling --------------------------------------------------------------------------------- */

struct report_loop {
    struct contour_search *search;
    dent_question question;
    size_t count;
    uint32_t blocks; /* one more tells the candidates against removed cells */
};

struct batch {
    dent_pair answers[BATCH];
    struct candidate candidates[BATCH];
    size_t answer_count, candidate_count;
};

static void flush(struct report_loop *report_loop, struct batch *batch, uint32_t block, uint32_t worker)
{
    struct candidate_sink *sink = report_loop->search->sink;
    if (batch->answer_count) {
        sink->answer(sink, report_loop->question, block, worker, batch->answers, batch->answer_count);
    }
    if (batch->candidate_count) {
        sink->offer(sink, report_loop->question, block, worker, batch->candidates, batch->candidate_count);
    }
    batch->answer_count = batch->candidate_count = 0;
}

/* Ties, split cells and moved points are left to the exact tests behind the sink. */
static void tell(const struct contour_search *search, struct batch *batch, uint32_t body_a, uint32_t feature,
                 uint32_t body_b, uint32_t cell, bool degenerate, bool shares)
{
    const struct body *a = search->bodies[body_a].body, *b = search->bodies[body_b].body;
    if (degenerate || b->cell_of_tetrahedron || a->identities || b->identities) {
        uint32_t whole = b->cell_of_tetrahedron ? b->cell_of_tetrahedron[cell] : cell;
        batch->candidates[batch->candidate_count++] = (struct candidate){body_a, feature, body_b, whole};
    } else if (!shares) {
        batch->answers[batch->answer_count++] = (dent_pair){body_a, feature, body_b, cell, DENT_PAIR_INTERIOR};
    }
}

static bool pair_shares_vertex(const struct contour_search *search, const struct contour_pair *pair)
{
    if (pair->body_a != pair->body_b) {
        return false;
    }
    const struct walk_body *body = &search->bodies[pair->body_a];
    for (int k = 0; k < 3; k++) {
        if (walk_corner_of(&body->mesh->cells[pair->cell], body->body->surface_faces[pair->face].corners[k]) < 4) {
            return true;
        }
    }
    return false;
}

static void tell_block(void *data, uint32_t block, uint32_t worker)
{
    struct report_loop *report_loop = data;
    const struct contour_search *search = report_loop->search;
    size_t begin = (size_t)block * ANSWERS_PER_BLOCK,
           end = begin + ANSWERS_PER_BLOCK < report_loop->count ? begin + ANSWERS_PER_BLOCK : report_loop->count;
    struct batch batch;
    if (block == report_loop->blocks) {
        const struct dynamic_array *candidates =
            &search->state->candidates[report_loop->question == DENT_QUESTION_FACE_CELL];
        search->sink->offer(search->sink, report_loop->question, block, worker, candidates->data, candidates->count);
        return;
    }
    batch.answer_count = batch.candidate_count = 0;
    for (size_t i = begin; i < end; i++) {
        if (report_loop->question == DENT_QUESTION_FACE_CELL) {
            const struct contour_pair *pair = (const struct contour_pair *)search->state->pairs.data + i;
            tell(search, &batch, pair->body_a, pair->face, pair->body_b, pair->cell, pair->degenerate,
                 pair_shares_vertex(search, pair));
        } else {
            const struct walk_slot *slot = (const struct walk_slot *)search->state->slots.data + i;
            tell(search, &batch, slot->body_a, slot->vertex, slot->body_b, slot->cell, slot->degenerate, false);
        }
        if (batch.answer_count == BATCH || batch.candidate_count == BATCH) {
            flush(report_loop, &batch, block, worker);
        }
    }
    flush(report_loop, &batch, block, worker);
}

static bool report_all(struct contour_search *search, dent_question question, size_t count)
{
    struct report_loop report_loop = {search, question, count,
                                      (uint32_t)((count + ANSWERS_PER_BLOCK - 1) / ANSWERS_PER_BLOCK)};
    if (!search->sink->begin(search->sink, question, report_loop.blocks + 1)) {
        return false;
    }
    dent_parallel_for(search->request->context, report_loop.blocks + 1, tell_block, &report_loop);
    return true;
}

/* ---- the search ------------------------------------------------------------------------------ */

static bool any_walk_lost(const struct contour_search *search)
{
    bool lost = search->lost;
    for (uint32_t i = 0; i < search->state->worker_count; i++) {
        lost |= search->state->workers[i].lost;
    }
    return lost;
}

/* The time since *began, which becomes now. */
static uint64_t lap(uint64_t *began)
{
    uint64_t now = dent_clock_ns(), passed = now - *began;
    *began = now;
    return passed;
}

static bool walk(struct contour_search *search)
{
    dent_method_counters *own = search->request->method_counters;
    uint64_t began = dent_clock_ns();
    if (!prepare(search) || (!search->lost && !contour_orient(search))) {
        return false;
    }
    own->contour_walk.ns_orientation = lap(&began);
    if (search->lost) {
        return true;
    }
    if (!contour_seed_defects(search) || !contour_seed_crossings(search) || !contour_seed_diagonal(search) ||
        !contour_seed_contained(search)) {
        return false;
    }
    own->contour_walk.ns_seeds = lap(&began);
    if (!contour_flood_faces(search)) {
        return false;
    }
    own->contour_walk.ns_faces = lap(&began);
    contour_bound_cover(search);
    bool wanted = search->request->questions & DENT_QUESTION_VERTEX_CELL;
    if (wanted && !(search->state->leave_out & SEED_BRANCHES) && !contour_find_branches(search, &search->lost)) {
        return false;
    }
    bool good = !wanted || search->lost || contour_flood_vertices(search);
    own->contour_walk.ns_vertices = lap(&began);
    return good;
}

/* Cells and their edges, faces and theirs are named by one 32-bit number each. */
static bool fits_into_codes(const struct snapshot *snapshot)
{
    bool fits = true;
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        const struct body *body = snapshot->bodies[body_index].body;
        fits &= body->tetrahedron_count < 1u << 28 && body->surface_face_count < 1u << 28;
    }
    return fits;
}

static bool has_thin_bodies(const struct snapshot *snapshot)
{
    bool found = false;
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        found |= body_is_thin(snapshot->bodies[body_index].body);
    }
    return found;
}

static dent_status contour_walk_search(void *state, const struct search_request *request, struct candidate_sink *sink)
{
    struct contour_search search = {
        .request = request, .sink = sink, .state = state, .body_count = request->snapshot->body_count};
    search.far_x = -INFINITY;
    search.scaling = box_scaling_for(request->snapshot->largest);
    search.def = request->def->contour_walk ? *request->def->contour_walk : dent_contour_walk_def_default();
    if (search.def.struct_size != sizeof search.def) {
        return message_fail(request->message, DENT_ERROR_INVALID_ARGUMENT,
                            "the contour walk def was not made by dent_contour_walk_def_default()");
    }
    if (!fits_into_codes(request->snapshot)) {
        request->counters->reason = "contour walk: a body of more than 2^28 cells: spatial hash";
        return request->by_other_method(request, sink);
    }
    if (has_thin_bodies(request->snapshot)) {
        request->counters->reason = "contour walk: strands and points have no surface to follow: spatial hash";
        return request->by_other_method(request, sink);
    }
    if (request->def->touching) {
        request->counters->reason =
            "contour walk: touching pairs are requested, which need not be connected: spatial hash";
        return request->by_other_method(request, sink);
    }
    if (!walk(&search)) {
        return message_fail(request->message, DENT_ERROR_OUT_OF_MEMORY, "out of memory for the contour walk");
    }
    if (search.broken_promise) {
        return message_fail(request->message, DENT_ERROR_INVALID_ARGUMENT,
                            BODY_TITLE ": cell %u is not positive, although cells_are_positive was promised",
                            BODY_TITLE_OF(search.broken_promise), (unsigned)search.broken_cell);
    }
    if (search_cancelled(request)) {
        return DENT_OK;
    }
    if (any_walk_lost(&search)) {
        request->counters->reason = "contour walk: too many cells inside out, or a mesh that is no solid: spatial hash";
        return request->by_other_method(request, sink);
    }
    if ((request->questions & DENT_QUESTION_FACE_CELL &&
         !report_all(&search, DENT_QUESTION_FACE_CELL, search.state->pairs.count)) ||
        (request->questions & DENT_QUESTION_VERTEX_CELL &&
         !report_all(&search, DENT_QUESTION_VERTEX_CELL, search.state->slots.count))) {
        return message_fail(request->message, DENT_ERROR_OUT_OF_MEMORY, "out of memory for the contour walk");
    }
    return DENT_OK;
}

dent_contour_walk_def dent_contour_walk_def_default(void)
{
    dent_contour_walk_def def = {0};
    def.struct_size = sizeof def;
    return def;
}

const struct method_row contour_walk_method = {
    .method = DENT_METHOD_CONTOUR_WALK,
    .name = "contour-walk",
    .summary = "walks from crossing surfaces along the mesh topology; work grows with the surface and the result, "
               "needs no reference shape",
    .questions = DENT_QUESTION_VERTEX_CELL | DENT_QUESTION_FACE_CELL,
    .create = contour_state_create,
    .destroy = contour_state_destroy,
    .search = contour_walk_search,
};
