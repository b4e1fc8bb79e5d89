/* Crossing surfaces, the first kind of seed of the contour walk.
 *
 * Faces without a common vertex come from the surface forest (structures/surface/surface_crossings.h): what doubles decide is
 * decided, what they leave open is decided here for the moved points. Faces that share an edge cannot cross. Faces that
 * share one vertex can: for each vertex whose star, seen along the sum of its normals, turns once and only forward, no
 * two of its faces cross (seen along that direction they lie side by side); where doubles cannot show that, the pairs
 * are tested one by one.
 */
#include "geometry/numbers/vector3.h"
#include "methods/contour_walk/contour_walk.h"

#include <math.h>

#include "structures/surface/surface_crossings.h"
#include "structures/surface/surface_culling.h"

enum { VERTICES_PER_BLOCK = 1024, LINK_MAX = 32 };

bool contour_edge_pierces(struct numbered_point s, struct numbered_point t, const struct numbered_point face[3],
                          predicate_counters *counters)
{
    bool ignored;
    return perturbed_line_pierces(s, t, face, &ignored, counters);
}

static bool faces_cross(const struct numbered_point a[3], const struct numbered_point b[3],
                        predicate_counters *counters)
{
    struct corner_heights of_a, of_b;
    if (!face_straddles(a, b, &of_b, counters) || !face_straddles(b, a, &of_a, counters)) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3;
        if ((of_b.sign[k] * of_b.sign[next] < 0 && contour_edge_pierces(b[k], b[next], a, counters)) ||
            (of_a.sign[k] * of_a.sign[next] < 0 && contour_edge_pierces(a[k], a[next], b, counters))) {
            return true;
        }
    }
    return false;
}

/* Each of two crossing faces meets the cell behind the other. */
static void seed_owner(struct contour_search *search, uint32_t block, uint32_t body_a, uint32_t face, uint32_t body_b,
                       uint32_t crossed)
{
    const struct walk_body *b = &search->bodies[body_b];
    if (!body_has_cells(b->body) || walk_is_removed(b, b->mesh->owners[crossed] / 4)) {
        return;
    }
    struct walk_seed seed = {body_a, face, body_b, b->mesh->owners[crossed] / 4};
    block_output_append(&search->state->seed_output, block, &seed, 1);
}

static void seed_crossing(struct contour_search *search, uint32_t block, const dent_pair *pair)
{
    seed_owner(search, block, pair->body_a, pair->feature_a, pair->body_b, pair->feature_b);
    seed_owner(search, block, pair->body_b, pair->feature_b, pair->body_a, pair->feature_a);
    if (pair->body_a == pair->body_b) {
        block_output_append(&search->state->crossing_output, block, pair, 1);
    }
}

/* ---- faces apart ----------------------------------------------------------------------------- */

static bool begin_blocks(void *user, uint32_t block_count)
{
    struct contour_search *search = user;
    return block_output_begin(&search->state->seed_output, block_count) &&
           block_output_begin(&search->state->crossing_output, block_count);
}

static void take_pairs(void *user, uint32_t block, uint32_t worker, const dent_pair *pairs, size_t count)
{
    struct contour_search *search = user;
    for (size_t i = 0; i < count; i++) {
        const dent_pair *pair = &pairs[i];
        struct numbered_point a[3], b[3];
        if (pair->kind == 0) {
            walk_face_points(&search->bodies[pair->body_a], pair->feature_a, a);
            walk_face_points(&search->bodies[pair->body_b], pair->feature_b, b);
        }
        if (search->state->leave_out & SEED_CROSSINGS) {
            continue;
        }
        if (pair->kind || faces_cross(a, b, search->sink->predicates(search->sink, worker))) {
            seed_crossing(search, block, pair);
        }
    }
}

static bool seed_faces_apart(struct contour_search *search)
{
    const struct search_request *request = search->request;
    struct surface_forest *forest = request->forest;
    const struct forest_refit refit = {.snapshot = request->snapshot};
    struct culling_counts culled = {0};
    if (!surface_forest_update(forest, request->snapshot, request->scratch) ||
        !surface_forest_refit(forest, &refit, request->isa, request->scratch) ||
        !surface_culling_run(forest, request->snapshot, request->isa, request->scratch, &culled)) {
        return false;
    }
    struct crossing_search crossing = {.forest = forest,
                                       .snapshot = request->snapshot,
                                       .isa = request->isa,
                                       .cancel = request->cancel,
                                       .culling = true,
                                       .leave_open = true,
                                       .user = search,
                                       .begin = begin_blocks,
                                       .take = take_pairs};
    if (!surface_crossings_find(&crossing, request->scratch)) {
        return false;
    }
    search->sink->count_box_tests(search->sink, 0, crossing.box_tests);
    search->sink->count_cells_visited(search->sink, 0, crossing.leaf_pairs);
    return block_output_merge(&search->state->seed_output, &search->state->seeds) &&
           block_output_merge(&search->state->crossing_output, &search->state->crossings);
}

/* ---- faces with a common vertex -------------------------------------------------------------- */

struct star {
    uint32_t count;
    double arms[LINK_MAX][3]; /* from the vertex to the other corners of its faces, in order */
    double largest;           /* of the |components| */
};

/* Certainly no two faces of the star cross. Arms carry one rounding each; a triple product of numbers below D, A, A has
 * at most 8 roundings in each of its six products: 48 u D A A, and the bound takes 64. Underflow is far below 2^-900
 * unless the bound is, and then nothing is shown. The sum of the products is at most 6 D A A: the bound is made from
 * 8 D A A, so that it is infinite, and nothing shown, before that overflows. */
static bool star_is_flat(const struct star *star)
{
    double normals[LINK_MAX][3], direction[3] = {0, 0, 0}, size = 0, across[3];
    for (uint32_t i = 0; i < star->count; i++) {
        vector_cross(star->arms[i], star->arms[i + 1 == star->count ? 0 : i + 1], normals[i]);
        for (int axis = 0; axis < 3; axis++) {
            direction[axis] += normals[i][axis];
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        size = fabs(direction[axis]) > size ? fabs(direction[axis]) : size;
    }
    double bound = 8 * size * star->largest * star->largest * (8 * 0x1p-53);
    if (!(bound > 0x1p-800 && bound < INFINITY)) {
        return false;
    }
    for (uint32_t i = 0; i < star->count; i++) {
        if (!(vector_dot(direction, normals[i]) > bound)) {
            return false;
        }
    }
    /* Every step is less than half a turn, so two turns take five steps at least. */
    bool went_back = false;
    vector_cross(direction, star->arms[0], across);
    for (uint32_t i = 2; i < star->count && star->count >= 5; i++) {
        double side = vector_dot(across, star->arms[i]);
        if (!(fabs(side) > bound) || (side > 0 && went_back)) {
            return false;
        }
        went_back |= side < 0;
    }
    return true;
}

static bool load_star(const struct walk_body *body, uint32_t vertex, struct star *star)
{
    const struct walk_mesh *mesh = body->mesh;
    uint32_t first = mesh->link_first[vertex];
    const double *centre = body->xyz[vertex];
    star->count = mesh->link_first[vertex + 1] - first;
    star->largest = 0;
    if (star->count > LINK_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < star->count; i++) {
        const double *arm = body->xyz[mesh->links[first + i]];
        for (int axis = 0; axis < 3; axis++) {
            double difference = arm[axis] - centre[axis];
            star->arms[i][axis] = difference;
            star->largest = fabs(difference) > star->largest ? fabs(difference) : star->largest;
        }
    }
    return true;
}

static void compare_star(struct contour_search *search, uint32_t body_index, uint32_t vertex, uint32_t block,
                         predicate_counters *counters)
{
    const struct walk_body *body = &search->bodies[body_index];
    const uint32_t *faces = body->mesh->link_faces + body->mesh->link_first[vertex];
    uint32_t count = body->mesh->link_first[vertex + 1] - body->mesh->link_first[vertex];
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = i + 2; j < count; j++) {
            struct numbered_point a[3], b[3];
            walk_face_points(body, faces[i], a);
            walk_face_points(body, faces[j], b);
            if (faces_cross(a, b, counters)) {
                dent_pair pair = {body_index, faces[i], body_index, faces[j], DENT_PAIR_CROSSING};
                seed_crossing(search, block, &pair);
            }
        }
    }
}

struct star_loop {
    struct contour_search *search;
    uint32_t body_index;
};

static void star_block(void *data, uint32_t block, uint32_t worker)
{
    struct star_loop *loop = data;
    const struct walk_body *body = &loop->search->bodies[loop->body_index];
    uint32_t begin = block * VERTICES_PER_BLOCK, count = body->mesh->vertex_count;
    uint32_t end = count - begin < VERTICES_PER_BLOCK ? count : begin + VERTICES_PER_BLOCK;
    predicate_counters *counters = loop->search->sink->predicates(loop->search->sink, worker);
    struct star star;
    for (uint32_t vertex = begin; vertex < end; vertex++) {
        bool has_faces = body->mesh->link_first[vertex] < body->mesh->link_first[vertex + 1];
        if (has_faces && !(load_star(body, vertex, &star) && star_is_flat(&star))) {
            compare_star(loop->search, loop->body_index, vertex, block, counters);
        }
    }
}

static bool seed_stars(struct contour_search *search)
{
    for (uint32_t body_index = 0; body_index < search->body_count; body_index++) {
        const struct body *body = search->bodies[body_index].body;
        struct star_loop loop = {search, body_index};
        uint32_t blocks = (body->vertex_count + VERTICES_PER_BLOCK - 1) / VERTICES_PER_BLOCK;
        if (!body_has_cells(body) || !bodies_may_meet(body, body)) {
            continue;
        }
        if (!begin_blocks(search, blocks)) {
            return false;
        }
        dent_parallel_for(search->state->context, blocks, star_block, &loop);
        if (!block_output_merge(&search->state->seed_output, &search->state->seeds) ||
            !block_output_merge(&search->state->crossing_output, &search->state->crossings)) {
            return false;
        }
    }
    return true;
}

bool contour_seed_crossings(struct contour_search *search)
{
    array_clear(&search->state->crossings);
    return seed_faces_apart(search) && (search->state->leave_out & SEED_STARS || seed_stars(search));
}
