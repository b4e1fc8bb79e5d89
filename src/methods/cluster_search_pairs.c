/* The search of the cluster search: pairs of bodies, pieces, clusters, and what the leaves find, told to the sink. See
 * cluster_search_state.h.
 *
 * Side b has the cells, side a the vertices or faces that are asked about. A piece of side b first lists the pieces near
 * it; then each of its clusters is compared with the clusters of those pieces.
 */
#include "methods/cluster_search_state.h"

#include <string.h>

#include "base/prefetch.h"
#include "geometry/numbers/bounds.h"
#include "structures/clusters/kernels/cluster_kernels.h"

/* ---- output ---------------------------------------------------------------------------------- */

enum { BATCH = 256, NEAR_PIECES = 256, KEPT_CLUSTERS = 256 };

/* Pieces that may hold partners for the piece of side b. */
struct near_pieces {
    uint32_t own; /* clusters of side b to compare with their own vertices */
    uint32_t count;
    uint32_t pieces[NEAR_PIECES];      /* of the world */
    uint16_t clusters[NEAR_PIECES];    /* clusters of side b that the piece may meet */
    const uint16_t *open[NEAR_PIECES]; /* by cluster of side b: those of the piece that are left; null: all */
};

/* What a worker works with. */
struct workspace {
    const struct cluster_search *search;
    uint32_t block, worker;
    uint32_t body_index_b;
    const struct body *body_b;
    const struct body_clusters *clusters_b;
    struct leaf_cells cells;
    struct cluster_points points_b;
    uint32_t number_b;
    bool has_points_b;
    struct near_pieces near;
    struct cluster_points kept_points[KEPT_CLUSTERS]; /* of side a: number n of the world at place n % KEPT_CLUSTERS */
    uint32_t kept_numbers[KEPT_CLUSTERS];
    struct leaf_queue queue;
    struct leaf_doubles doubles;
    bool in_doubles;     /* how the cluster of side b is compared with others */
    uint32_t open_pairs; /* of the cluster of side b: hits that are not certain */
    struct leaf_hit hits[LEAF_HITS_MAX];
    dent_pair answers[BATCH];
    struct candidate candidates[BATCH];
    uint32_t answer_count, candidate_count;
    uint64_t clusters_visited, boxes_compared;
};

static void flush_answers(struct workspace *work, dent_question question)
{
    struct candidate_sink *sink = work->search->sink;
    if (work->answer_count) {
        sink->answer(sink, question, work->block, work->worker, work->answers, work->answer_count);
    }
    if (work->candidate_count) {
        sink->offer(sink, question, work->block, work->worker, work->candidates, work->candidate_count);
    }
    work->answer_count = work->candidate_count = 0;
}

/* Hits, told to the sink. A cell split into several tetrahedra is always offered: whether it shares a vertex or has a
 * point in its interior is a matter of the whole cell. */
static void tell(struct workspace *work, dent_question question, uint32_t count)
{
    const struct cluster_search *search = work->search;
    const uint32_t *cell_of = work->body_b->cell_of_tetrahedron;
    for (uint32_t i = 0; i < count; i++) {
        const struct leaf_hit *hit = &work->hits[i];
        uint32_t body_index_a = search->cache->body_of_cluster[hit->cluster];
        const struct clustered_body *side_a = &search->snapshot.bodies[body_index_a];
        const struct cluster *cluster_a = &side_a->list[hit->cluster - side_a->first_cluster];
        uint32_t feature = question == DENT_QUESTION_VERTEX_CELL
                               ? cluster_a->vertices[hit->feature]
                               : side_a->clusters->faces[cluster_a->first_face + hit->feature];
        uint32_t tetrahedron = work->clusters_b->cells[work->cells.cluster->first_cell + hit->cell];
        work->open_pairs += !hit->certain;
        if (hit->certain && body_index_a == work->body_index_b) {
            __atomic_store_n(&search->met_itself[body_index_a], true, __ATOMIC_RELAXED);
        }
        if (hit->certain && !cell_of) {
            work->answers[work->answer_count++] =
                (dent_pair){body_index_a, feature, work->body_index_b, tetrahedron, DENT_PAIR_INTERIOR};
        } else {
            work->candidates[work->candidate_count++] = (struct candidate){
                body_index_a, feature, work->body_index_b, cell_of ? cell_of[tetrahedron] : tetrahedron};
        }
        if (work->answer_count == BATCH || work->candidate_count == BATCH) {
            flush_answers(work, question);
        }
    }
}

/* ---- search ---------------------------------------------------------------------------------- */

/* Coordinates of a cluster, from those kept or computed. Good until the next call. */
static const struct cluster_points *points_of(struct workspace *work, uint32_t body_index, uint32_t number)
{
    const struct cluster_snapshot *snapshot = &work->search->snapshot;
    uint32_t world_number = snapshot->bodies[body_index].first_cluster + number;
    if (snapshot->points) {
        return &snapshot->points[world_number];
    }
    uint32_t slot = world_number % KEPT_CLUSTERS;
    if (work->kept_numbers[slot] != world_number) {
        work->kept_numbers[slot] = world_number;
        cluster_snapshot_load(snapshot, body_index, number, &work->kept_points[slot]);
    }
    return &work->kept_points[slot];
}

static void load_points_b(struct workspace *work)
{
    if (!work->has_points_b) {
        const struct cluster_points *points = points_of(work, work->body_index_b, work->number_b);
        if (!work->search->snapshot.points) {
            work->points_b = *points;
            points = &work->points_b;
        }
        work->cells.points = points;
        work->has_points_b = true;
    }
}

/* The cluster of side b against its own vertices. */
static void search_own(struct workspace *work)
{
    const struct cluster *cluster = work->cells.cluster;
    load_points_b(work);
    struct leaf_features features = {
        .cluster = cluster,
        .points = work->cells.points,
        .lanes = work->search->snapshot.surface_vertices_only ? cluster->surface : all_vertices(cluster),
        .number = work->search->snapshot.bodies[work->body_index_b].first_cluster + work->number_b,
    };
    uint32_t count = work->search->snapshot.kernels->own_leaf(&work->cells, &features, &work->queue, work->hits);
    work->clusters_visited++;
    tell(work, DENT_QUESTION_VERTEX_CELL, count);
}

/* What the next leaf reads of side a, asked for early. */
PREFETCH_FUNCTION fetch_features(const struct cluster_search *search, const struct clustered_body *side_a,
                                 uint32_t number, bool faces)
{
    enum { LINE = 64 };
    const char *corners = (const char *)side_a->corners[number].faces;
    __builtin_prefetch(&side_a->list[number].owned);
    for (int line = 0; faces && line < 3; line++) {
        __builtin_prefetch(corners + line * LINE);
    }
    if (search->snapshot.points) {
        const char *points = (const char *)&search->snapshot.points[side_a->first_cluster + number];
        for (int line = 0; line < 6; line++) {
            __builtin_prefetch(points + line * LINE);
        }
    }
}

/* The cluster of side b against some clusters of a piece of body a, bits of `set`. */
static void search_leaves(struct workspace *work, dent_question question, uint32_t body_index_a, uint32_t first,
                          uint32_t set)
{
    const struct cluster_search *search = work->search;
    const struct cluster_kernels *kernels = search->snapshot.kernels;
    const struct clustered_body *side_a = &search->snapshot.bodies[body_index_a];
    bool faces = question == DENT_QUESTION_FACE_CELL, self = body_index_a == work->body_index_b;
    bool may_share = search->cache->identities || (self && faces); /* within a body faces are looked at by number */
    for (; set; set &= set - 1) {
        uint32_t number = first + (uint32_t)__builtin_ctz(set);
        if (self && !faces && number == work->number_b) {
            continue; /* its vertices are its own */
        }
        const struct cluster *cluster = &side_a->list[number];
        uint32_t world_number = side_a->first_cluster + number;
        if (search->snapshot.fetch_early && (set & (set - 1))) {
            fetch_features(search, side_a, first + (uint32_t)__builtin_ctz(set & (set - 1)), faces);
        }
        struct leaf_features features = {
            .cluster = cluster,
            .corners = &side_a->corners[number],
            .points = points_of(work, body_index_a, number),
            .identities = may_share ? cluster_identities(search->cache, world_number, cluster) : NULL,
            .same_body = self,
            .lanes = search->snapshot.surface_vertices_only ? cluster->owned_surface : cluster->owned,
            .number = world_number,
            .xyz = search->request->snapshot->bodies[body_index_a].xyz,
        };
        uint32_t count = work->in_doubles ? (faces ? kernels->face_leaf_doubles : kernels->vertex_leaf_doubles)(
                                                &work->cells, &features, &work->doubles, work->hits)
                                          : (faces ? kernels->face_leaf : kernels->vertex_leaf)(
                                                &work->cells, &features, &work->queue, work->hits);
        work->clusters_visited++;
        if (count > 0) {
            tell(work, question, count);
        }
    }
}

/* What still waits, in either numbers: a cluster that is taken up again in the middle may have changed them. Own vertices
 * are always compared in floats. */
static void flush_leaves(struct workspace *work, dent_question question)
{
    const struct cluster_kernels *kernels = work->search->snapshot.kernels;
    bool faces = question == DENT_QUESTION_FACE_CELL;
    if (work->queue.count > 0 || work->queue.waiting.count > 0 || work->queue.waiting_faces.count > 0) {
        tell(work, question,
             (faces ? kernels->face_flush : kernels->vertex_flush)(&work->cells, &work->queue, work->hits));
    }
    if (work->doubles.vertices.waiting.count > 0 || work->doubles.vertices.count > 0 ||
        work->doubles.faces.points.count > 0) {
        tell(work, question,
             (faces ? kernels->face_flush_doubles : kernels->vertex_flush_doubles)(&work->cells, &work->doubles,
                                                                                   work->hits));
    }
}

/* Cluster of side b, already in work->cells, against the clusters of the pieces near it. */
static void search_cluster(struct workspace *work, dent_question question, uint32_t slot)
{
    const struct cluster_search *search = work->search;
    const struct cluster_kernels *kernels = search->snapshot.kernels;
    const struct near_pieces *near = &work->near;
    bool faces = question == DENT_QUESTION_FACE_CELL;
    int side = faces ? SIDE_FACES : SIDE_VERTICES;
    for (uint32_t i = 0; i < near->count; i++) {
        if (!(near->clusters[i] >> slot & 1)) {
            continue;
        }
        uint32_t body_index_a = search->snapshot.body_of_piece[near->pieces[i]];
        const struct clustered_body *side_a = &search->snapshot.bodies[body_index_a];
        const struct cluster_piece *piece = &side_a->pieces[near->pieces[i] - side_a->first_piece];
        uint32_t set = 1; /* the box of a piece of one cluster was already looked at */
        if (piece->count > 1) {
            work->boxes_compared += PIECE_CLUSTERS;
            set = kernels->meet(cluster_snapshot_boxes_of_piece(&search->snapshot, side, near->pieces[i]),
                                &work->cells.box);
        }
        set &= near->open[i] ? near->open[i][slot] : UINT32_MAX;
        if (set) {
            load_points_b(work);
            search_leaves(work, question, body_index_a, piece->first, set);
        }
    }
    flush_leaves(work, question);
}

/* ---- floats or doubles ----------------------------------------------------------------------- */

/* Where surfaces coincide floats leave open most of what boxes leave, and the exact test of each pair costs more than
 * the leaf in doubles. Elsewhere the leaf in doubles costs a quarter more than the one in floats. So a cluster of which
 * floats left more than an eighth open is compared in doubles for the next SHORTEST_STAY queries or some more, a number
 * of its own so that not all try floats again at the same time. The choice depends on the queries before, not on
 * threads. */
enum { OPEN_SHARE = 8, LEAST_OPEN = 4, SHORTEST_STAY = 128, STAYS = 128 };

static uint8_t *doubles_left(const struct workspace *work, dent_question question)
{
    uint32_t cluster = work->search->snapshot.bodies[work->body_index_b].first_cluster + work->number_b;
    return &work->search->cache->doubles_left[cluster][question == DENT_QUESTION_FACE_CELL];
}

/* What an experiment asks for instead. */
static bool numbers_of_experiment(const struct workspace *work, dent_question question)
{
    uint8_t *left = doubles_left(work, question);
    switch (work->search->numbers) {
    case DENT_LEAF_NUMBERS_FLOATS:
        return false;
    case DENT_LEAF_NUMBERS_ALTERNATING:
        *left = *left == 0;
        return *left > 0;
    default:
        return true;
    }
}

static void choose_numbers(struct workspace *work, dent_question question)
{
    const struct cluster_search *search = work->search;
    if (search->numbers == DENT_LEAF_NUMBERS_AUTO) {
        work->in_doubles = *doubles_left(work, question) > 0 && search->snapshot.kernels != &cluster_kernels_scalar;
    } else {
        work->in_doubles = numbers_of_experiment(work, question);
    }
    work->doubles.cells.has_x = work->doubles.cells.has_points = work->doubles.cells.has_planes = false;
    work->queue.box_pairs = work->open_pairs = 0;
}

/* After a cluster of side b is done: is it the turn of doubles? */
static void note_open_pairs(const struct workspace *work, dent_question question)
{
    if (work->search->numbers != DENT_LEAF_NUMBERS_AUTO) {
        return;
    }
    if (work->in_doubles) { /* 0: noted when it was taken up before */
        *doubles_left(work, question) -= *doubles_left(work, question) > 0;
    } else if (work->open_pairs >= LEAST_OPEN && work->open_pairs > work->queue.box_pairs / OPEN_SHARE) {
        *doubles_left(work, question) = (uint8_t)(SHORTEST_STAY + work->number_b % STAYS);
    }
}

static void begin_cluster(struct workspace *work, dent_question question, uint32_t piece, uint32_t slot)
{
    const struct cluster_search *search = work->search;
    const struct clustered_body *side_b = &search->snapshot.bodies[work->body_index_b];
    uint32_t number = side_b->cluster_count == 1 ? 0 : side_b->pieces[piece].first + slot;
    struct leaf_cells *cells = &work->cells;
    cells->cluster = &side_b->list[number];
    cells->corners = &side_b->corners[number];
    work->number_b = number;
    work->has_points_b = false;
    cells->identities = cluster_identities(search->cache, side_b->first_cluster + number, cells->cluster);
    cluster_snapshot_cluster_box(&search->snapshot, work->body_index_b, piece, slot, &cells->box);
    cells->has_boxes = false;
    cells->xyz = search->request->snapshot->bodies[work->body_index_b].xyz;
    /* The parts of a split cell have planes inside it, and points on those may be interior. */
    cells->interior_only = !search->request->def->touching && !work->body_b->cell_of_tetrahedron;
    choose_numbers(work, question);
}

static void search_near_pieces(struct workspace *work, dent_question question, uint32_t piece)
{
    struct near_pieces *near = &work->near;
    uint32_t any = near->own;
    for (uint32_t i = 0; i < near->count; i++) {
        any |= near->clusters[i];
    }
    for (; any; any &= any - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(any);
        begin_cluster(work, question, piece, slot);
        if (near->own >> slot & 1) {
            search_own(work);
        }
        search_cluster(work, question, slot);
        note_open_pairs(work, question);
    }
    near->count = near->own = 0;
}

/* Clusters of side b of which some partners in the other piece are left. */
static uint32_t open_clusters(const uint16_t *open)
{
    uint32_t clusters = 0;
    for (uint32_t slot = 0; slot < PIECE_CLUSTERS; slot++) {
        clusters |= (uint32_t)(open[slot] != 0) << slot;
    }
    return clusters;
}

/* Clusters that may have contact with themselves. */
static uint32_t open_to_themselves(const uint16_t *open)
{
    uint32_t clusters = 0;
    for (uint32_t slot = 0; slot < PIECE_CLUSTERS; slot++) {
        clusters |= open[slot] & 1u << slot;
    }
    return clusters;
}

/* Notes a piece of body a whose box meets that of the piece of side b. */
static void note_piece(struct workspace *work, dent_question question, uint32_t piece, uint32_t world_piece,
                       const struct cluster_box *box, const uint16_t *open)
{
    const struct cluster_search *search = work->search;
    struct near_pieces *near = &work->near;
    uint32_t clusters = 1;
    if (work->clusters_b->pieces[piece].count > 1) {
        uint32_t boxes = search->snapshot.bodies[work->body_index_b].first_piece_boxes + piece;
        clusters = search->snapshot.kernels->meet(&search->snapshot.piece_boxes[SIDE_CELLS][boxes], box);
    }
    clusters &= open ? open_clusters(open) : UINT32_MAX;
    near->pieces[near->count] = world_piece;
    near->clusters[near->count] = (uint16_t)clusters;
    near->open[near->count] = open;
    near->count += clusters != 0;
    if (near->count == NEAR_PIECES) {
        search_near_pieces(work, question, piece);
    }
}

/* Pieces of a group of sixteen of body a. */
static void note_group(struct workspace *work, dent_question question, uint32_t piece, const struct cluster_box *box,
                       uint32_t body_index_a, uint32_t group)
{
    const struct cluster_search *search = work->search;
    const struct clustered_body *side_a = &search->snapshot.bodies[body_index_a];
    int side = question == DENT_QUESTION_FACE_CELL ? SIDE_FACES : SIDE_VERTICES;
    const struct box_group *boxes = &search->snapshot.group_boxes[side][side_a->first_group_boxes + group];
    uint32_t set = search->snapshot.kernels->meet(boxes, box);
    for (; set; set &= set - 1) {
        uint32_t other = group * PIECE_CLUSTERS + (uint32_t)__builtin_ctz(set);
        const uint16_t *open = NULL;
        if (body_index_a == work->body_index_b &&
            self_proofs_clear(&search->proofs, question, body_index_a, piece, other, &open)) {
            continue;
        }
        struct cluster_box other_box;
        get_group_member(boxes, other % PIECE_CLUSTERS, &other_box);
        note_piece(work, question, piece, side_a->first_piece + other, &other_box, open);
    }
    work->boxes_compared += PIECE_CLUSTERS;
}

/* Pieces of body a near the piece of side b, whose box is given. */
static void note_body(struct workspace *work, dent_question question, uint32_t piece, const struct cluster_box *box,
                      uint32_t body_index_a)
{
    const struct cluster_search *search = work->search;
    const struct clustered_body *side_a = &search->snapshot.bodies[body_index_a];
    int side = question == DENT_QUESTION_FACE_CELL ? SIDE_FACES : SIDE_VERTICES;
    if (side_a->piece_count == 1) {
        const struct cluster_box *box_a = &search->snapshot.boxes[side][body_index_a];
        const uint16_t *open = NULL;
        work->boxes_compared++;
        if (float_bounds_meet(box_a->lo, box_a->hi, box->lo, box->hi) &&
            !(body_index_a == work->body_index_b &&
              self_proofs_clear(&search->proofs, question, body_index_a, piece, 0, &open))) {
            note_piece(work, question, piece, side_a->first_piece, box_a, open);
        }
        return;
    }
    for (uint32_t range = 0; range < side_a->range_count; range++) {
        uint32_t set = search->snapshot.kernels->meet(&search->snapshot.ranges[side][side_a->first_range + range], box);
        for (; set; set &= set - 1) {
            note_group(work, question, piece, box, body_index_a, range * PIECE_CLUSTERS + (uint32_t)__builtin_ctz(set));
        }
    }
    work->boxes_compared += (uint64_t)side_a->range_count * PIECE_CLUSTERS;
}

static bool may_meet(const struct workspace *work, uint32_t body_index_a)
{
    return !work->search->has_filters ||
           bodies_may_meet(work->search->request->snapshot->bodies[body_index_a].body, work->body_b);
}

/* A body of one cluster: others of one cluster are compared at once, the pieces of larger ones noted first. */
static void search_single(struct workspace *work, dent_question question, uint32_t body_index)
{
    const struct cluster_search *search = work->search;
    bool faces = question == DENT_QUESTION_FACE_CELL;
    const struct cluster_box *boxes = search->snapshot.boxes[faces ? SIDE_FACES : SIDE_VERTICES];
    const struct cluster_corners *next =
        body_index + 2 < search->request->snapshot->body_count ? search->snapshot.bodies[body_index + 2].corners : NULL;
    if (next) { /* small bodies lie anywhere in memory */
        __builtin_prefetch(next->cells);
        __builtin_prefetch(next->cell_vertices);
    }
    begin_cluster(work, question, 0, 0);
    const struct cluster_box box = work->cells.box;
    if (box.lo[0] > box.hi[0]) {
        return;
    }
    bool self = work->body_b->self_collision && !search->body_certified[body_index];
    const uint16_t *open;
    if (self && faces) {
        note_body(work, question, 0, &box, body_index);
    } else if (self && !self_proofs_clear(&search->proofs, question, body_index, 0, 0, &open)) {
        search_own(work);
    }
    uint32_t first = search->pairs->first[body_index], end = search->pairs->first[body_index + 1];
    for (uint32_t i = first; i < end; i++) {
        uint32_t body_index_a = search->pairs->partners[i];
        if (!may_meet(work, body_index_a)) {
            continue;
        }
        if (search->snapshot.bodies[body_index_a].cluster_count != 1) {
            note_body(work, question, 0, &box, body_index_a);
            continue;
        }
        work->boxes_compared++;
        if (float_bounds_meet(boxes[body_index_a].lo, boxes[body_index_a].hi, box.lo, box.hi)) {
            load_points_b(work);
            search_leaves(work, question, body_index_a, 0, 1);
        }
    }
    search_cluster(work, question, 0);
    note_open_pairs(work, question);
    work->near.count = 0;
}

static void search_piece(struct workspace *work, dent_question question, uint32_t world_piece)
{
    const struct cluster_search *search = work->search;
    uint32_t body_index = search->snapshot.body_of_piece[world_piece];
    const struct clustered_body *side_b = &search->snapshot.bodies[body_index];
    uint32_t piece = world_piece - side_b->first_piece;
    work->body_index_b = body_index;
    work->body_b = search->request->snapshot->bodies[body_index].body;
    work->clusters_b = side_b->clusters;
    if (side_b->cell_count == 0) {
        return;
    }
    if (side_b->cluster_count == 1) {
        search_single(work, question, body_index);
        return;
    }
    struct cluster_box box;
    cluster_snapshot_piece_box(&search->snapshot, body_index, piece, &box);
    bool still = search->snapshot.still && search->snapshot.still[world_piece];
    if (work->body_b->self_collision && !search->body_certified[body_index] && !still) {
        const uint16_t *open;
        if (question == DENT_QUESTION_VERTEX_CELL &&
            !self_proofs_clear(&search->proofs, question, body_index, piece, piece, &open)) {
            work->near.own = search->snapshot.kernels->meet(
                &search->snapshot.piece_boxes[SIDE_CELLS][side_b->first_piece_boxes + piece], &box);
            work->near.own &= open ? open_to_themselves(open) : UINT32_MAX;
        }
        note_body(work, question, piece, &box, body_index);
    }
    for (uint32_t i = search->pairs->first[body_index]; i < search->pairs->first[body_index + 1]; i++) {
        uint32_t body_index_a = search->pairs->partners[i];
        if (may_meet(work, body_index_a)) {
            note_body(work, question, piece, &box, body_index_a);
        }
    }
    if (work->near.count || work->near.own) {
        search_near_pieces(work, question, piece);
    }
}

void cluster_search_block(void *data, uint32_t block, uint32_t worker)
{
    const struct cluster_search *search = data;
    struct workspace *work = &search->workspaces[worker];
    if (search_cancelled(search->request)) {
        return;
    }
    work->search = search;
    work->block = block;
    work->worker = worker;
    work->near.count = work->near.own = 0;
    work->answer_count = work->candidate_count = work->queue.count = 0;
    work->queue.waiting.count = work->queue.waiting_faces.count = 0;
    work->queue.waiting_faces.may_share = false;
    work->doubles.vertices.waiting.count = work->doubles.vertices.source_count = work->doubles.vertices.count = 0;
    work->doubles.faces.points.count = work->doubles.faces.count = 0;
    work->doubles.vertices.waiting.may_share = work->doubles.faces.points.may_share = false;
    work->clusters_visited = work->boxes_compared = 0;
    uint32_t first = block * search->pieces_per_block;
    uint32_t left = search->snapshot.piece_count - first;
    uint32_t last = first + (left < search->pieces_per_block ? left : search->pieces_per_block);
    static const dent_question questions[] = {DENT_QUESTION_VERTEX_CELL, DENT_QUESTION_FACE_CELL};
    for (uint32_t piece = first; piece < last; piece++) {
        for (int q = 0; q < 2; q++) {
            if (search->request->questions & questions[q]) {
                search_piece(work, questions[q], piece);
                flush_answers(work, questions[q]);
            }
        }
    }
    search->sink->count_box_tests(search->sink, worker, work->boxes_compared);
    search->sink->count_cells_visited(search->sink, worker, work->clusters_visited);
    __atomic_fetch_add(search->leaves, work->clusters_visited, __ATOMIC_RELAXED);
}

/* ---- workspaces ------------------------------------------------------------------------------ */

bool cluster_search_make_workspaces(struct cluster_search *search)
{
    uint32_t count = dent_context_worker_count(search->request->context);
    search->workspaces = arena_allocate(search->request->scratch, count, sizeof *search->workspaces);
    for (uint32_t worker = 0; search->workspaces && !search->snapshot.points && worker < count; worker++) {
        struct workspace *work = &search->workspaces[worker];
        memset(work->kept_numbers, 0xFF, sizeof work->kept_numbers);
    }
    return search->workspaces != NULL;
}
