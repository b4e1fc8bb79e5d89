/* Where the contour walk begins: crossings of surfaces, places where a body meets itself along a common edge or corner,
 * and whole parts of a surface that lie inside a solid.
 */
#include "structures/surface/kernels/surface_kernels.h"
#include "geometry/predicates/kernels/overlap_kernels.h"
#include "methods/contour_walk/contour_walk.h"

#include <math.h>

#include "structures/surface/surface_tree.h"

/* ---- the diagonal ---------------------------------------------------------------------------- */

/* A fan that turns about its edge further than once: its first face lies in one of its own cells. `flipped`: seen from
 * the other end. */
static bool seed_fan(struct contour_search *search, uint32_t body_index, const struct walk_fan *fan, bool flipped,
                     predicate_counters *counters)
{
    const struct walk_body *body = &search->bodies[body_index];
    const uint32_t *apexes = body->mesh->fan_apexes + fan->first_apex, *cells = body->mesh->fan_cells + fan->first;
    struct numbered_point u = walk_point(body, fan->edge[0]), v = walk_point(body, fan->edge[1]);
    struct numbered_point start = walk_point(body, apexes[flipped ? fan->count : 0]);
    bool zero = false;
    int sense =
            perturbed_orientation(u, v, start, walk_point(body, apexes[flipped ? fan->count - 1 : 1]), &zero, counters),
        last = sense;
    for (uint32_t i = 1; i < fan->count; i++) {
        uint32_t apex = apexes[flipped ? fan->count - 1 - i : i + 1];
        /* An apex that is the first one again ends a full turn: the sign is 0, and what follows begins anew. */
        int side = perturbed_orientation(u, v, start, walk_point(body, apex), &zero, counters);
        if (last == -sense && side == sense &&
            !walk_add_seed(search, body_index, fan->faces[flipped], body_index,
                           cells[flipped ? fan->count - 1 - i : i])) {
            return false;
        }
        last = side ? side : last;
    }
    return true;
}

/* Certainly the fan turns less than once: seen along its edge the apexes go once over to the other side and do not come
 * back. One direction is enough to see that. det[v - u, a0 - u, ai - u] with the bound of orientation_predicates.h for
 * the largest differences. */
static bool fan_is_plain(const struct walk_body *body, const struct walk_fan *fan)
{
    const uint32_t *apexes = body->mesh->fan_apexes + fan->first_apex;
    const double *u = body->xyz[fan->edge[0]], *v = body->xyz[fan->edge[1]], *a = body->xyz[apexes[0]];
    double along[3], arm[3], normal[3], reach = 0;
    for (int axis = 0; axis < 3; axis++) {
        along[axis] = v[axis] - u[axis];
        arm[axis] = a[axis] - u[axis];
        reach = fabs(along[axis]) > reach ? fabs(along[axis]) : reach;
        reach = fabs(arm[axis]) > reach ? fabs(arm[axis]) : reach;
    }
    for (int axis = 0; axis < 3; axis++) {
        int y = (axis + 1) % 3, z = (axis + 2) % 3;
        normal[axis] = along[y] * arm[z] - along[z] * arm[y];
    }
    double sense = 0;
    bool went_back = false;
    for (uint32_t i = 1; i <= fan->count; i++) {
        const double *b = body->xyz[apexes[i]];
        double other[3] = {b[0] - u[0], b[1] - u[1], b[2] - u[2]}, size = reach;
        for (int axis = 0; axis < 3; axis++) {
            size = fabs(other[axis]) > size ? fabs(other[axis]) : size;
        }
        double side = normal[0] * other[0] + normal[1] * other[1] + normal[2] * other[2];
        if (!(fabs(side) > 50 * 0x1p-53 * size * size * size + 0x1p-900)) {
            return false;
        }
        sense = i == 1 ? side : sense;
        bool same = (side > 0) == (sense > 0);
        if (same && went_back) {
            return false;
        }
        went_back |= !same;
    }
    return true;
}

/* The cheap proof: signs of the fan's own tetrahedra. */
static bool fan_checks_hold(const struct walk_body *body, const struct walk_fan *fan, const int8_t *signs)
{
    int orientation = walk_orientation(body, &body->mesh->cells[body->mesh->fan_cells[fan->first]]);
    bool hold = fan->check_count > 0;
    for (uint32_t i = 0; i < fan->check_count; i++) {
        hold &= signs[fan->first_check + i] == orientation;
    }
    return hold;
}

static bool seed_fans(struct contour_search *search, uint32_t body_index, predicate_counters *counters)
{
    const struct walk_body *body = &search->bodies[body_index];
    const struct walk_mesh *mesh = body->mesh;
    const uint8_t *defective = search->defective ? search->defective + body->first_vertex : NULL;
    int8_t *signs = arena_allocate(search->request->scratch, mesh->fan_check_count, 1);
    if (!signs) {
        return false;
    }
    overlap_kernels_for(search->request->isa)
        ->orientations(body->xyz, (const uint32_t(*)[4])mesh->fan_checks, mesh->fan_check_count, signs);
    for (uint32_t i = 0; i < mesh->fan_count; i++) {
        const struct walk_fan *fan = &mesh->fans[i];
        if (defective && (defective[fan->edge[0]] || defective[fan->edge[1]])) {
            continue; /* its faces are compared directly */
        }
        if (fan_checks_hold(body, fan, signs) || fan_is_plain(body, fan)) {
            continue;
        }
        if (!seed_fan(search, body_index, fan, false, counters) || !seed_fan(search, body_index, fan, true, counters)) {
            return false;
        }
    }
    return true;
}

bool contour_seed_diagonal(struct contour_search *search)
{
    predicate_counters *counters = search->sink->predicates(search->sink, 0);
    for (uint32_t body_index = 0; body_index < search->body_count; body_index++) {
        const struct walk_body *body = &search->bodies[body_index];
        if (!body_has_cells(body->body) || !bodies_may_meet(body->body, body->body)) {
            continue;
        }
        if (!(search->state->leave_out & SEED_FANS) && !seed_fans(search, body_index, counters)) {
            return false;
        }
        for (uint32_t i = 0; i < body->mesh->star_pair_count; i++) {
            struct walk_star_pair pair = body->mesh->star_pairs[i];
            bool used = !walk_is_removed(body, pair.cell) && !(search->state->leave_out & SEED_PINCHES);
            if (used && !walk_add_seed(search, body_index, pair.face, body_index, pair.cell)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- containment ----------------------------------------------------------------------------- */

/* May the ray from p along the first axis meet the face? */
static bool ray_may_meet(const double *p, const struct numbered_point face[3])
{
    for (int axis = 0; axis < 3; axis++) {
        bool below = true, above = axis > 0;
        for (int k = 0; k < 3; k++) {
            below &= face[k].xyz[axis] < p[axis];
            above &= face[k].xyz[axis] > p[axis];
        }
        if (below || above) {
            return false;
        }
    }
    return true;
}

/* If the ray from `p` to `far` leaves the solid through this wall: the cell that holds p on this sheet, or NO_CELL. */
static uint32_t cell_behind_wall(struct contour_search *search, const struct walk_body *solid, uint32_t owner,
                                 uint32_t corner, struct numbered_point p, struct numbered_point far,
                                 predicate_counters *counters)
{
    const struct walk_cell *cell = &solid->mesh->cells[owner];
    struct numbered_point corners[3], points[4];
    bool zero = false;
    uint32_t arrived;
    walk_cell_points(solid, cell, points);
    for (int k = 0; k < 3; k++) {
        corners[k] = points[walk_face_corners[corner][k]];
    }
    if (!ray_may_meet(p.xyz, corners) || walk_is_removed(solid, owner) ||
        !contour_edge_pierces(p, far, corners, counters)) {
        return NO_CELL;
    }
    int orientation = walk_orientation(solid, cell);
    points[corner] = far;
    bool far_outside =
        perturbed_orientation(points[0], points[1], points[2], points[3], &zero, counters) == -orientation;
    points[corner] = p;
    bool p_inside = perturbed_orientation(points[0], points[1], points[2], points[3], &zero, counters) == orientation;
    if (!far_outside || !p_inside) {
        return NO_CELL;
    }
    enum walk_end end = walk_straight(solid, far, p, owner, corner, &arrived, &zero, counters);
    search->lost |= end == WALK_LOST;
    return end == WALK_ARRIVED ? arrived : NO_CELL;
}

static bool in_box(const struct body_snapshot *body, const double *p)
{
    return p[0] >= body->lo[0] && p[0] <= body->hi[0] && p[1] >= body->lo[1] && p[1] <= body->hi[1] &&
           p[2] >= body->lo[2] && p[2] <= body->hi[2];
}

/* A ray along the first axis, in the rounded coordinates of the forest. */
struct rounded_ray {
    float lo[3], hi[3];
};

static struct rounded_ray round_ray(const struct surface_forest *forest, const double *p)
{
    struct rounded_ray ray;
    for (int axis = 0; axis < 3; axis++) {
        ray.lo[axis] = ray.hi[axis] =
            (float)((p[axis] - forest->map.centre[axis]) * forest->map.first * forest->map.second);
    }
    ray.hi[0] = 2; /* all coordinates are at most 1 */
    return ray;
}

/* Faces of a body whose boxes the ray meets, through the leaves of the forest. */
static bool cast_ray(struct contour_search *search, uint32_t body_index_a, uint32_t face, uint32_t body_index_b,
                     struct numbered_point p, struct numbered_point far, uint32_t *found, predicate_counters *counters)
{
    const struct walk_body *b = &search->bodies[body_index_b];
    const struct forest_body *trees = &search->request->forest->bodies[body_index_b];
    const struct surface_kernels *kernels = surface_kernels_for(search->request->isa);
    const struct tree_level *leaves = &trees->tree->levels[0],
                            *groups = &trees->tree->levels[trees->tree->level_count > 1];
    struct rounded_ray ray = round_ray(search->request->forest, p.xyz);
    for (uint32_t first = 0; first < groups->count; first += 16) {
        uint32_t near = groups == leaves ? 1u : kernels->meet(groups->lo, groups->hi, first, 3, ray.lo, ray.hi);
        for (; near; near &= near - 1) {
            uint32_t offset = groups == leaves ? first : (first + (uint32_t)__builtin_ctz(near)) * 16;
            uint32_t met = kernels->meet(leaves->lo, leaves->hi, offset, 3, ray.lo, ray.hi);
            for (; met; met &= met - 1) {
                const struct surface_leaf *leaf = &trees->leaves[offset + (uint32_t)__builtin_ctz(met)];
                for (uint32_t k = 0; k < leaf->face_count; k++) {
                    uint32_t owner = b->mesh->owners[leaf->faces[k]];
                    uint32_t cell = cell_behind_wall(search, b, owner / 4, owner % 4, p, far, counters);
                    *found += cell != NO_CELL;
                    if (cell != NO_CELL && !walk_add_seed(search, body_index_a, face, body_index_b, cell)) {
                        return false;
                    }
                }
            }
        }
    }
    return true;
}

/* One vertex of a part of a surface, and the ray from it. */
struct part_ray {
    uint32_t body, face;
    struct numbered_point p, far;
};

static bool seed_part_in(struct contour_search *search, const struct part_ray *ray, uint32_t body_index,
                         predicate_counters *counters)
{
    struct walk_body *solid = &search->bodies[body_index];
    const struct hidden_wall *walls = search->state->hidden_walls.data;
    uint32_t found = 0;
    if (!body_has_cells(solid->body) || !in_box(&search->request->snapshot->bodies[body_index], ray->p.xyz) ||
        !bodies_may_meet(search->bodies[ray->body].body, solid->body)) {
        return true;
    }
    if (!cast_ray(search, ray->body, ray->face, body_index, ray->p, ray->far, &found, counters)) {
        return false;
    }
    for (size_t i = 0; i < search->state->hidden_walls.count; i++) {
        uint32_t cell = NO_CELL;
        if (walls[i].body == body_index) {
            cell = cell_behind_wall(search, solid, walls[i].cell, walls[i].corner, ray->p, ray->far, counters);
        }
        if (cell != NO_CELL && !walk_add_seed(search, ray->body, ray->face, body_index, cell)) {
            return false;
        }
    }
    solid->met_twice |= ray->body == body_index && found > 1;
    return true;
}

/* Without defects a solid lies inside the box of its surface, so the pairs of bodies whose surfaces' boxes meet are all
 * that matter. */
static bool seed_part(struct contour_search *search, uint32_t body_index_a, uint32_t face, predicate_counters *counters)
{
    const struct walk_body *a = &search->bodies[body_index_a];
    const struct body_pairs *pairs = &search->request->forest->body_pairs;
    struct part_ray ray = {
        .body = body_index_a, .face = face, .p = walk_point(a, a->body->surface_faces[face].corners[0])};
    double beyond[3] = {search->far_x, ray.p.xyz[1], ray.p.xyz[2]};
    ray.far = (struct numbered_point){beyond, UINT32_MAX};
    bool good = true;
    for (uint32_t body_index_b = 0; search->defective && body_index_b < search->body_count && good; body_index_b++) {
        good = seed_part_in(search, &ray, body_index_b, counters);
    }
    if (search->defective) {
        return good;
    }
    for (uint32_t i = pairs->first[body_index_a]; i < pairs->first[body_index_a + 1] && good; i++) {
        good = seed_part_in(search, &ray, pairs->partners[i], counters);
    }
    return good && seed_part_in(search, &ray, body_index_a, counters);
}

bool contour_seed_contained(struct contour_search *search)
{
    predicate_counters *counters = search->sink->predicates(search->sink, 0);
    for (uint32_t body_index = 0; body_index < search->body_count && !(search->state->leave_out & SEED_CONTAINED);
         body_index++) {
        const struct walk_mesh *mesh = search->bodies[body_index].mesh;
        for (uint32_t i = 0; i < mesh->representative_count; i++) {
            if (!seed_part(search, body_index, mesh->representatives[i], counters)) {
                return false;
            }
        }
    }
    return true;
}
