/* The only list of methods, and the rule by which AUTO chooses. A new method is one file and one row here. */
#include "methods/interface/method_table.h"

/* Methods of the question strand alone, which runs them itself (src/query/proximity). */
static const struct method_row strand_grid_method = {
    .method = DENT_METHOD_STRAND_GRID,
    .name = "strand-grid",
    .summary = "strands alone: uniform grid with mailbox, as in the literature; for comparison",
};
static const struct method_row strand_packets_method = {
    .method = DENT_METHOD_STRAND_PACKETS,
    .name = "strand-packets",
    .summary = "strands alone: packets of four segments under a refitted tree, sixteen distances at a time",
};

/* Of the question impact alone (src/query/impact). */
static const struct method_row kinetic_tree_method = {
    .method = DENT_METHOD_KINETIC_TREE,
    .name = "kinetic-tree",
    .summary = "impacts alone: pairs of leaves that no axis keeps apart from the beginning of the step to its end",
};

static const struct method_row *const rows[] = {
    &brute_force_method,  &sweep_method,        &spatial_hash_method, &bucket_tree_method,    &cluster_search_method,
    &surface_tree_method, &contour_walk_method, &strand_grid_method,  &strand_packets_method,
    &kinetic_tree_method,
};

const struct method_row *method_row_of(dent_method method)
{
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        if (rows[row]->method == method) {
            return rows[row];
        }
    }
    return NULL;
}

/* Below this many elements any structure costs more than looking at every pair. */
enum { FEW_ELEMENTS = 16 };
/* Cells per solid from which the contour walk pays. */
enum { CELLS_WORTH_WALKING = 2000 };
/* Cells up to which the gaps of a reference that is not convex (proofs/gap_certificate.h) are known after a third
 * of a second. */
enum { CELLS_FOR_GAPS = 50000 };

/* The contour walk takes about 12 ns a cell and 350 ns a pair, the cluster search without certificates 42 and 74: they
 * are level at a pair for every nine cells (blocks-640k --scale 0.25, inside from 0.02 to 0.8). Below one for fourteen
 * the walk has its turn again; in between things stay as they are, so that the choice does not swing. */
enum { CELLS_PER_PAIR_MUCH = 9, CELLS_PER_PAIR_LITTLE = 14 };

void method_learn(struct method_experience *experience, const struct snapshot *snapshot, uint64_t face_cell_pairs)
{
    uint64_t cells = 0;
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        cells += body_cell_count(snapshot->bodies[body_index].body);
    }
    uint64_t needed = cells / (experience->much_overlaps ? CELLS_PER_PAIR_LITTLE : CELLS_PER_PAIR_MUCH);
    experience->much_overlaps = face_cell_pairs > needed;
}

/* Certificates that fail are tried again after so many contour walks, and after twice as many each time they fail: with
 * certificates the cluster search takes about half as long as the walk, without three times (blocks-640k), so at 16
 * the tries cost less than a tenth, and what was proven again is seen soon. */
enum { FIRST_WALKS = 16, MOST_WALKS = 256 };

static uint64_t unproven_cells(const struct method_experience *experience, const struct snapshot *snapshot)
{
    return experience->topology_version == snapshot->table->topology_version ? experience->unproven_cells : 0;
}

bool method_tries_proofs_again(const struct method_experience *experience, const struct snapshot *snapshot)
{
    return unproven_cells(experience, snapshot) > 0 && experience->walks_left == 0;
}

void method_learn_proofs(struct method_experience *experience, const struct snapshot *snapshot, dent_method method,
                         const struct proof_report *proofs)
{
    if (method == DENT_METHOD_CONTOUR_WALK && experience->walks_left > 0) {
        experience->walks_left--;
    }
    if (!proofs->known) {
        return;
    }
    bool failed_before = unproven_cells(experience, snapshot) > 0, fail = proofs->unproven_cells > 0;
    bool tried = !failed_before || proofs->try_again; /* else they wait, and nothing is new */
    if (!fail) {
        experience->walks_left = experience->last_walks = 0;
    } else if (tried) {
        uint32_t more = failed_before ? 2 * experience->last_walks : FIRST_WALKS;
        experience->walks_left = experience->last_walks = more < MOST_WALKS ? more : MOST_WALKS;
    }
    experience->unproven_cells = proofs->unproven_cells;
    experience->topology_version = snapshot->table->topology_version;
}

uint32_t method_together(uint32_t questions)
{
    uint32_t surfaces = questions & surface_tree_method.questions,
             others = questions & ~cluster_search_method.questions;
    return surfaces ? surfaces : others ? others : questions;
}

const struct method_row *method_choose(const struct snapshot *snapshot, uint32_t questions, bool touching,
                                       const struct method_experience *experience, const char **reason)
{
    uint64_t elements = 0, cells = 0, certified_cells = 0, solids = 0, thin = 0;
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        const struct body *body = snapshot->bodies[body_index].body;
        elements += body->element_count;
        cells += body_cell_count(body);
        bool may_be_certified = body->reference_convex || (body->reference && body->element_count <= CELLS_FOR_GAPS);
        certified_cells += may_be_certified ? body->element_count : 0;
        solids += body_has_cells(body);
        thin += body_is_thin(body) ? body->element_count : 0;
    }
    if (elements <= FEW_ELEMENTS) {
        *reason = "at most 16 elements: testing all pairs is quickest";
        return &brute_force_method;
    }
    /* 1.4 to 14 times as fast as the hash from the second query on, on every scene from 100 bars of 12 faces to sheets
     * of 500,000 (docs/methods/surface_tree.md); the first pays for cutting the surfaces into leaves, about as much as
     * ten queries of the hash. */
    if ((questions & ~surface_tree_method.questions) == 0) {
        *reason = "surfaces against surfaces: surface tree";
        return &surface_tree_method;
    }
    if (questions & ~cluster_search_method.questions) {
        *reason = "only looking at every pair answers this";
        return &brute_force_method;
    }
    if (touching) {
        *reason = "touching pairs are requested: spatial hash";
        return &spatial_hash_method;
    }
    /* Where no certificate will help (no reference shape, or a large one that is not convex, or one by which nothing
     * could be proven of late) and the bodies are not small, following the surfaces is quicker unless much overlaps: 10 against 36 ms on two blocks of 320,000 cells
     * without reference (docs/methods/contour_walk.md). With gaps the cluster search is level on the jaw and more than
     * twice as fast on teschner-d. */
    uint64_t unproven = unproven_cells(experience, snapshot);
    uint64_t proven_cells = certified_cells > unproven ? certified_cells - unproven : 0;
    if (thin == 0 && questions & DENT_QUESTION_FACE_CELL && cells >= solids * CELLS_WORTH_WALKING && proven_cells * 2 < cells) {
        if (certified_cells * 2 >= cells && method_tries_proofs_again(experience, snapshot)) {
            *reason = "faces in cells, reference shapes that proved too little are tried again: cluster search";
            return &cluster_search_method;
        }
        if (experience->much_overlaps) {
            *reason = "faces in cells, and much overlapped in the last answer: cluster search";
            return &cluster_search_method;
        }
        *reason = certified_cells * 2 < cells
                      ? "faces in cells of solids without a reference shape that helps: contour walk"
                      : "faces in cells, and the reference shapes proved too little in the last queries: contour walk";
        return &contour_walk_method;
    }
    /* The quickest on every built-in scene, from 100 bars of ten cells to a million cells, and level with the hash on
     * 5,000 bars (bench_auto). */
    *reason = "cells: cluster search";
    return &cluster_search_method;
}

const char *dent_method_name(dent_method method)
{
    if (method == DENT_METHOD_AUTO) {
        return "auto";
    }
    const struct method_row *row = method_row_of(method);
    return row ? row->name : NULL;
}

const char *dent_method_summary(dent_method method)
{
    if (method == DENT_METHOD_AUTO) {
        return "chooses by size and kind of the bodies and by how much overlapped before; the reason is in the "
               "counters";
    }
    const struct method_row *row = method_row_of(method);
    return row ? row->summary : NULL;
}

uint32_t dent_method_questions(dent_method method)
{
    if (method == DENT_METHOD_AUTO) {
        return DENT_DISCRETE_QUESTIONS;
    }
    const struct method_row *row = method_row_of(method);
    return row ? row->questions : 0;
}
