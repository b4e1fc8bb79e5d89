/* The parallel loop of the penetration check and the preparation of its bodies. */
#include "contact/check/check_run.h"

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

dent_status check_prepare_body(struct check_run *run, struct check_body *body)
{
    if (body->has_trees) {
        return DENT_OK;
    }
    const struct body *mesh = body->body;
    if (!box_tree_build(&body->cells, run->scratch, body->xyz, mesh->tetrahedra, 4, sizeof *mesh->tetrahedra,
                        body->solid ? mesh->tetrahedron_count : 0, run->exhaustive) ||
        !box_tree_build(&body->faces, run->scratch, body->xyz, mesh->surface_faces, 3, sizeof *mesh->surface_faces,
                        mesh->surface_face_count, run->exhaustive)) {
        return check_out_of_memory(run);
    }
    body->has_trees = true;
    return DENT_OK;
}
