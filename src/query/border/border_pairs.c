/* Which surface faces cross, and where the common segment begins and ends: for the moved points, so that every pair has
 * exactly two ends.
 *
 * Two triangles in general position that cross share a segment whose ends are the only two places where an edge of one
 * pierces the other. If they have a vertex in common the segment begins there, and only one edge pierces. Candidates
 * come from the surface forest, faces with a common vertex from the stars of the vertices.
 *
 * Direction: walking along normal_a x normal_b one leaves face a through its edge u -> w iff u lies above face b and w
 * below (the outward direction (w - u) x normal_a and the walk have the product -|normal_a|^2 normal_b . (w - u)), and
 * face b through its edge iff u lies below face a and w above.
 */
#include <math.h>

#include "geometry/predicates/triangle_predicates.h"
#include "query/border/border_search.h"
#include "structures/surface/surface_crossings.h"
#include "structures/surface/surface_culling.h"

enum { VERTICES_PER_BLOCK = 1024, LEAVES = 1, ENTERS = 0 };

/* ---- one pair ---------------------------------------------------------------------------------------------------- */

/* Edges of the triangle `edges` that pierce `face` become ends of the pair. Returns how many. */
static int add_ends(struct border_pair *pair, const struct numbered_point edges[3],
                    const struct corner_heights *heights, const struct numbered_point face[3], int code,
                    predicate_counters *counters)
{
    int found = 0;
    for (int k = 0; k < 3; k++) {
        int next = k == 2 ? 0 : k + 1;
        bool zero = heights->zero[k] || heights->zero[next];
        if (heights->sign[k] * heights->sign[next] < 0 &&
            perturbed_line_pierces(edges[k], edges[next], face, &zero, counters)) {
            bool descends = heights->sign[k] > 0;
            int end = descends == (code == END_EDGE_OF_A) ? LEAVES : ENTERS;
            pair->ends[end] = (uint8_t)(code + k);
            pair->degenerate_ends[end] = zero;
            found |= 1 << end;
        }
    }
    return found;
}

/* Corners that are the same vertex: how many, and which corner of a. */
static int common_corners(const struct numbered_point a[3], const struct numbered_point b[3], int *corner)
{
    int count = 0;
    for (int k = 0; k < 9; k++) {
        if (a[k / 3].number == b[k % 3].number) {
            *corner = k / 3;
            count++;
        }
    }
    return count;
}

static bool really_cross(const struct numbered_point a[3], const struct numbered_point b[3],
                         predicate_counters *counters)
{
    const double *first[3] = {a[0].xyz, a[1].xyz, a[2].xyz}, *second[3] = {b[0].xyz, b[1].xyz, b[2].xyz};
    return triangle_versus_triangle(first, second, counters) == FACE_PAIR_CROSSING;
}

/* Fills the rest of the pair when the faces cross. `known`: that they really do. */
static bool cross_faces(const struct border_search *search, struct border_pair *pair, bool known,
                        predicate_counters *counters)
{
    struct numbered_point a[3], b[3];
    struct corner_heights heights_a, heights_b;
    int corner = 0;
    border_face_points(search, pair->body_a, pair->face_a, a);
    border_face_points(search, pair->body_b, pair->face_b, b);
    int common = pair->body_a == pair->body_b ? common_corners(a, b, &corner) : 0;
    if (common > 1 || !face_straddles(a, b, &heights_b, counters) || !face_straddles(b, a, &heights_a, counters)) {
        return false; /* with a common vertex too: the other two corners are on different sides, or the faces meet in
                         the vertex only */
    }
    int found = add_ends(pair, a, &heights_a, b, END_EDGE_OF_A, counters) |
                add_ends(pair, b, &heights_b, a, END_EDGE_OF_B, counters);
    if (common == 1 && (found == 1 || found == 2)) {
        int end = found == 1 ? LEAVES : ENTERS;
        pair->ends[end] = (uint8_t)(END_VERTEX + corner);
        pair->degenerate_ends[end] = false;
        found = 3;
    }
    if (found != 3) {
        return false;
    }
    pair->degenerate = !known && !really_cross(a, b, counters);
    return true;
}

/* ---- faces apart ------------------------------------------------------------------------------------------------- */

static bool begin_blocks(void *user, uint32_t block_count)
{
    struct border_search *search = user;
    return block_output_begin(&search->state->pair_blocks, block_count);
}

static void take_pairs(void *user, uint32_t block, uint32_t worker, const dent_pair *pairs, size_t count)
{
    struct border_search *search = user;
    for (size_t i = 0; i < count; i++) {
        struct border_pair pair = {
            pairs[i].body_a, pairs[i].feature_a, pairs[i].body_b, pairs[i].feature_b, {0}, {0}, false};
        if (cross_faces(search, &pair, pairs[i].kind == DENT_PAIR_CROSSING, &search->workers[worker].predicates)) {
            block_output_append(&search->state->pair_blocks, block, &pair, 1);
        }
    }
}

static bool find_faces_apart(struct border_search *search)
{
    struct surface_forest *forest = search->forest;
    const struct forest_refit refit = {.snapshot = search->snapshot};
    struct culling_counts culled = {0};
    if (!surface_forest_update(forest, search->snapshot, search->scratch) ||
        !surface_forest_refit(forest, &refit, search->isa, search->scratch) ||
        !surface_culling_run(forest, search->snapshot, search->isa, search->scratch, &culled)) {
        return false;
    }
    struct crossing_search crossing = {.forest = forest,
                                       .snapshot = search->snapshot,
                                       .isa = search->isa,
                                       .cancel = search->cancel,
                                       .culling = true,
                                       .leave_open = true,
                                       .user = search,
                                       .begin = begin_blocks,
                                       .take = take_pairs};
    return surface_crossings_find(&crossing, search->scratch) &&
           block_output_merge(&search->state->pair_blocks, &search->state->pairs);
}

/* ---- faces with a common vertex ---------------------------------------------------------------------------------- */

/* Seen along a direction D, the faces of a star are sectors. If all turn forward and no direction is covered twice, the
 * faces lie side by side and no two cross. The cover changes only where sectors begin and end; at an arm where as many
 * end as begin it stays. So it is enough to count it at the arms where more begin than end, or at any one arm when
 * there is none. */
struct star {
    const struct body *body;
    const double (*xyz)[3];
    uint32_t vertex, count;
    const uint32_t *faces;
    bool closed; /* at every arm as many end as begin */
    double direction[3];
    double bound; /* on the rounding of a triple product with the direction */
};

/* The two arms of face i, counter-clockwise. */
static void arms_of(const struct star *star, uint32_t i, uint32_t *first, uint32_t *second)
{
    const uint32_t *corners = star->body->surface_faces[star->faces[i]].corners;
    int k = corners[0] == star->vertex ? 0 : corners[1] == star->vertex ? 1 : 2;
    *first = corners[(k + 1) % 3];
    *second = corners[(k + 2) % 3];
}

static void arm(const struct star *star, uint32_t end, double out[3])
{
    for (int axis = 0; axis < 3; axis++) {
        out[axis] = star->xyz[end][axis] - star->xyz[star->vertex][axis];
    }
}

static double turn(const struct star *star, uint32_t from, uint32_t to)
{
    const double *d = star->direction;
    double p[3], q[3];
    arm(star, from, p);
    arm(star, to, q);
    return d[0] * (p[1] * q[2] - p[2] * q[1]) + d[1] * (p[2] * q[0] - p[0] * q[2]) + d[2] * (p[0] * q[1] - p[1] * q[0]);
}

/* The direction: the sum of the normals. An arm carries one rounding; a triple product of numbers below D, A, A has at
 * most 8 roundings in each of its six products: 48 u D A A, and the bound takes 64. Underflow is far below unless the
 * bound is tiny, and then nothing is shown. The sum of the products is at most 6 D A A: the bound is made from 8 D A A,
 * so that it is infinite, and nothing shown, before that overflows. */
static bool choose_direction(struct star *star)
{
    double longest = 0, size = 0;
    star->direction[0] = star->direction[1] = star->direction[2] = 0;
    for (uint32_t i = 0; i < star->count; i++) {
        uint32_t ends[2];
        double p[3], q[3];
        arms_of(star, i, &ends[0], &ends[1]);
        arm(star, ends[0], p);
        arm(star, ends[1], q);
        star->direction[0] += p[1] * q[2] - p[2] * q[1];
        star->direction[1] += p[2] * q[0] - p[0] * q[2];
        star->direction[2] += p[0] * q[1] - p[1] * q[0];
        for (int axis = 0; axis < 3; axis++) {
            longest = fabs(p[axis]) > longest ? fabs(p[axis]) : longest;
            longest = fabs(q[axis]) > longest ? fabs(q[axis]) : longest;
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        size = fabs(star->direction[axis]) > size ? fabs(star->direction[axis]) : size;
    }
    star->bound = 8 * size * longest * longest * (8 * 0x1p-53);
    return star->bound > 0x1p-800 && star->bound < INFINITY;
}

/* Only the face that begins at this arm certainly covers it. */
static bool covered_once(const struct star *star, uint32_t at)
{
    uint32_t begins = 0;
    for (uint32_t i = 0; i < star->count; i++) {
        uint32_t first, second;
        arms_of(star, i, &first, &second);
        begins += first == at;
        if (first != at && second != at && !(turn(star, first, at) < -star->bound) &&
            !(turn(star, at, second) < -star->bound)) {
            return false;
        }
    }
    return begins == 1;
}

static bool begins_more_than_ends(const struct star *star, uint32_t at)
{
    int balance = 0;
    for (uint32_t i = 0; i < star->count; i++) {
        uint32_t first, second;
        arms_of(star, i, &first, &second);
        balance += (first == at) - (second == at);
    }
    return balance > 0;
}

static bool star_lies_side_by_side(struct star *star)
{
    enum { OPEN_MOST = 64 }; /* faces of an open star: finding where more begin than end is quadratic */
    if (!choose_direction(star) || (!star->closed && star->count > OPEN_MOST)) {
        return false;
    }
    uint32_t first, second;
    for (uint32_t i = 0; i < star->count; i++) {
        arms_of(star, i, &first, &second);
        if (!(turn(star, first, second) > star->bound)) {
            return false;
        }
    }
    if (star->closed) {
        arms_of(star, 0, &first, &second);
        return covered_once(star, first);
    }
    for (uint32_t i = 0; i < star->count; i++) {
        arms_of(star, i, &first, &second);
        if (begins_more_than_ends(star, first) && !covered_once(star, first)) {
            return false;
        }
    }
    return true;
}

struct star_loop {
    struct border_search *search;
    uint32_t body_index;
};

static void compare_star(const struct star_loop *loop, const struct star *star, uint32_t block, uint32_t worker)
{
    for (uint32_t i = 0; i < star->count; i++) {
        for (uint32_t j = i + 1; j < star->count; j++) {
            struct border_pair pair = {
                loop->body_index, star->faces[i], loop->body_index, star->faces[j], {0}, {0}, false};
            if (cross_faces(loop->search, &pair, false, &loop->search->workers[worker].predicates)) {
                block_output_append(&loop->search->state->pair_blocks, block, &pair, 1);
            }
        }
    }
}

static void star_block(void *data, uint32_t block, uint32_t worker)
{
    const struct star_loop *loop = data;
    const struct body_snapshot *body_snapshot = &loop->search->snapshot->bodies[loop->body_index];
    const struct border_mesh *mesh = &loop->search->state->meshes[loop->body_index];
    uint32_t begin = block * VERTICES_PER_BLOCK, count = body_snapshot->body->vertex_count;
    uint32_t end = count - begin < VERTICES_PER_BLOCK ? count : begin + VERTICES_PER_BLOCK;
    if (cancel_requested(loop->search->cancel)) {
        return;
    }
    for (uint32_t vertex = begin; vertex < end; vertex++) {
        uint32_t first = mesh->star_first[vertex];
        struct star star = {.body = body_snapshot->body,
                            .xyz = body_snapshot->xyz,
                            .vertex = vertex,
                            .count = mesh->star_first[vertex + 1] - first,
                            .faces = mesh->star_faces + first,
                            .closed = mesh->closed_stars[vertex / 32] >> vertex % 32 & 1};
        if (star.count > 1 && !star_lies_side_by_side(&star)) {
            compare_star(loop, &star, block, worker);
        }
    }
}

static bool find_in_stars(struct border_search *search)
{
    for (uint32_t body_index = 0; body_index < search->snapshot->body_count; body_index++) {
        const struct body *body = search->snapshot->bodies[body_index].body;
        struct star_loop loop = {search, body_index};
        uint32_t blocks = body->vertex_count / VERTICES_PER_BLOCK + (body->vertex_count % VERTICES_PER_BLOCK != 0);
        if (!bodies_may_meet(body, body)) {
            continue;
        }
        if (!begin_blocks(search, blocks)) {
            return false;
        }
        dent_parallel_for(search->state->context, blocks, star_block, &loop);
        if (!block_output_merge(&search->state->pair_blocks, &search->state->pairs)) {
            return false;
        }
    }
    return true;
}

/* ---- in order ---------------------------------------------------------------------------------------------------- */

static bool sort_pairs(struct border_search *search)
{
    size_t count = search->state->pairs.count;
    struct border_pair *pairs = search->state->pairs.data;
    struct arena_mark mark = arena_mark(search->scratch);
    struct border_pair *unsorted = arena_allocate(search->scratch, count, sizeof *unsorted);
    struct key128 *keys = arena_allocate(search->scratch, count, 2 * sizeof *keys);
    uint32_t *order = arena_allocate(search->scratch, count, 2 * sizeof *order);
    if (!unsorted || !keys || !order) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        unsorted[i] = pairs[i];
        keys[i] = (struct key128){(uint64_t)pairs[i].body_a << 32 | pairs[i].body_b,
                                  (uint64_t)pairs[i].face_a << 32 | pairs[i].face_b};
        order[i] = (uint32_t)i;
    }
    radix_sort_u128(keys, order, keys + count, order + count, count);
    for (size_t i = 0; i < count; i++) {
        pairs[i] = unsorted[order[i]];
    }
    arena_rewind(search->scratch, mark);
    return true;
}

bool border_find_pairs(struct border_search *search)
{
    array_clear(&search->state->pairs);
    return find_faces_apart(search) && (search->def->no_stars || find_in_stars(search)) &&
           (search->state->pairs.count == 0 || sort_pairs(search));
}
