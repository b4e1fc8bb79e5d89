/* Vertices inside closed surfaces, which have no cells to be found in.
 *
 * An edge of a that is cut by the surface of b tells where its two ends are, by the side of its first and last hit
 * (exact signs of the moved points). From an inner end everything that can be reached over edges without a hit is
 * inside too. A part of a none of whose edges is cut lies wholly inside or wholly outside: the exact winding number at
 * one of its vertices decides. So the cost is that of the vertices inside, not of the body. In: cut edges. Out: points.
 *
 * Strands pierce faces without cut edges to tell of it. Each of their vertices is decided by itself, by the exact winding
 * number of the faces that its ray meets.
 */
#include "contact/depth/contact_run.h"

#include "geometry/numbers/bounds.h"
#include "geometry/numbers/vector3.h"
#include "geometry/predicates/winding_number.h"

/* ---- which way the normals point --------------------------------------------------------------------------------- */

/* Sign of the volume enclosed, in coordinates relative to the box and scaled by a power of two. */
static int8_t side_of_surface(const struct body_snapshot *body_snapshot)
{
    double extent[3], sum = 0;
    vector_subtract(body_snapshot->hi, body_snapshot->lo, extent);
    double largest = vector_largest(extent);
    if (!(largest > 0) || !(largest < INFINITY)) {
        return 0;
    }
    int exponent = binary_exponent(largest);
    for (uint32_t face = 0; face < body_snapshot->body->surface_face_count; face++) {
        double corners[3][3], normal[3];
        for (int k = 0; k < 3; k++) {
            vector_subtract(body_snapshot->xyz[body_snapshot->body->surface_faces[face].corners[k]], body_snapshot->lo,
                            corners[k]);
            for (int axis = 0; axis < 3; axis++) {
                corners[k][axis] = scale_by_power_of_two(corners[k][axis], -exponent);
            }
        }
        vector_cross(corners[1], corners[2], normal);
        sum += vector_dot(corners[0], normal);
    }
    return sum > 0 ? 1 : sum < 0 ? -1 : 0;
}

static bool may_lie_in(const struct contact_run *run, uint32_t a, uint32_t b)
{
    const struct body_snapshot *x = &run->snapshot->bodies[a], *y = &run->snapshot->bodies[b];
    return a != b && bodies_may_meet(x->body, y->body) && bounds_meet(x->lo, x->hi, y->lo, y->hi);
}

/* Only of bodies something may lie in: a pass over all faces. */
bool depth_find_sides(struct contact_run *run)
{
    array_clear(&run->state->sides);
    int8_t *sides = array_extend(&run->state->sides, run->snapshot->body_count);
    for (uint32_t b = 0; sides && b < run->snapshot->body_count; b++) {
        const struct body_snapshot *body_snapshot = &run->snapshot->bodies[b];
        bool wanted = false;
        sides[b] = 0;
        if (body_has_cells(body_snapshot->body) || !body_snapshot->body->topology.surface_closed) {
            continue;
        }
        for (uint32_t a = 0; a < run->snapshot->body_count && !wanted; a++) {
            wanted = may_lie_in(run, a, b);
        }
        sides[b] = wanted ? side_of_surface(body_snapshot) : 0;
    }
    run->surface_side = sides;
    return sides != NULL;
}

/* ---- floods ------------------------------------------------------------------------------------------------------ */

/* Where the ends of cut edges are. */
struct seeds {
    struct key128 *keys; /* (body a, body b), vertex * 2 + inside; sorted */
    size_t count;
};

static bool gather_seeds(struct contact_run *run, struct seeds *seeds)
{
    const struct cut_run *runs = run->state->runs.data;
    const dent_cut_edge *cuts = run->query->border.cut_edges;
    size_t wanted = 0;
    for (size_t i = 0; i < run->state->runs.count; i++) {
        const dent_cut_edge *cut = &cuts[runs[i].first];
        wanted += cut->body_a != cut->body_b && run->surface_side[cut->body_b] != 0;
    }
    seeds->count = 0;
    seeds->keys = arena_allocate(run->scratch, wanted, 4 * sizeof *seeds->keys);
    if (!seeds->keys) {
        return false;
    }
    for (size_t i = 0; i < run->state->runs.count; i++) {
        const dent_cut_edge *cut = &cuts[runs[i].first];
        if (cut->body_a == cut->body_b || run->surface_side[cut->body_b] == 0) {
            continue;
        }
        uint64_t bodies = (uint64_t)cut->body_a << 32 | cut->body_b;
        int balance = contact_run_balance(run, &runs[i]);
        if (balance != 0) {
            seeds->keys[seeds->count++] = (struct key128){bodies, (uint64_t)cut->v0 << 1 | (balance > 0)};
            seeds->keys[seeds->count++] = (struct key128){bodies, (uint64_t)cut->v1 << 1 | (balance < 0)};
        }
    }
    radix_sort_u128(seeds->keys, NULL, seeds->keys + seeds->count, NULL, seeds->count);
    return true;
}

/* A fresh number; the next one is taken too, for "inside". */
static uint32_t begin_flood(struct contact_run *run)
{
    struct contact_state *state = run->state;
    if (state->flood > UINT32_MAX - 4) {
        for (uint32_t body_index = 0; body_index < state->mesh_records.count; body_index++) {
            struct contact_mesh *mesh = &state->meshes[body_index];
            memset(mesh->mark, 0, mesh->vertex_count * sizeof *mesh->mark);
            memset(mesh->component_mark, 0, mesh->component_count * sizeof *mesh->component_mark);
        }
        state->flood = 0;
    }
    state->flood += 2;
    array_clear(&state->queue);
    return state->flood;
}

static bool is_asked(const struct contact_run *run, uint32_t body, uint32_t vertex)
{
    return !run->def->surface_only || (run->snapshot->bodies[body].body->vertex_use[vertex] & VERTEX_ON_SURFACE);
}

/* No vertex outside the box of b is inside b: surfaces that only touch, whose hits are passed over, would otherwise let
 * a flood out. */
static bool lies_in_box(const struct contact_run *run, uint32_t a, uint32_t vertex, uint32_t b)
{
    const struct body_snapshot *y = &run->snapshot->bodies[b];
    const double *p = run->snapshot->bodies[a].xyz[vertex];
    for (int axis = 0; axis < 3; axis++) {
        if (!(p[axis] >= y->lo[axis] && p[axis] <= y->hi[axis])) {
            return false;
        }
    }
    return true;
}

static bool enter_vertex(struct contact_run *run, uint32_t a, uint32_t b, uint32_t vertex)
{
    struct depth_point point = {.body_a = a,
                                .vertex = vertex,
                                .body_b = b,
                                .cell_pair = SLOT_NONE,
                                .cell = SLOT_NONE,
                                .face = SLOT_NONE,
                                .previous = SLOT_NONE};
    run->state->meshes[a].mark[vertex] = run->state->flood + 1;
    return array_push(&run->state->queue, &vertex) && array_push(&run->state->points, &point);
}

static bool spread(struct contact_run *run, uint32_t a, uint32_t b)
{
    struct contact_mesh *mesh = &run->state->meshes[a];
    for (size_t at = 0; at < run->state->queue.count; at++) {
        uint32_t vertex = ((const uint32_t *)run->state->queue.data)[at];
        for (uint32_t i = mesh->first[vertex]; i < mesh->first[vertex + 1]; i++) {
            struct contact_neighbour neighbour = mesh->neighbours[i];
            if (mesh->mark[neighbour.vertex] >= run->state->flood || !is_asked(run, a, neighbour.vertex) ||
                !lies_in_box(run, a, neighbour.vertex, b)) {
                continue;
            }
            const struct cut_run *cuts = contact_run_of(run, a, neighbour.edge, b);
            if (cuts && contact_run_balance(run, cuts) != 0) {
                continue;
            }
            if (!enter_vertex(run, a, b, neighbour.vertex)) {
                return false;
            }
        }
    }
    return true;
}

/* Ends of cut edges; a vertex with hits that contradict one another is taken as outside. */
static bool enter_seeds(struct contact_run *run, const struct seeds *seeds, size_t *at, uint32_t a, uint32_t b)
{
    struct contact_mesh *mesh = &run->state->meshes[a];
    const uint32_t *component = run->snapshot->bodies[a].body->vertex_component;
    uint64_t bodies = (uint64_t)a << 32 | b;
    while (*at < seeds->count && seeds->keys[*at].high < bodies) {
        (*at)++;
    }
    for (; *at < seeds->count && seeds->keys[*at].high == bodies; (*at)++) {
        uint32_t vertex = (uint32_t)(seeds->keys[*at].low >> 1);
        mesh->component_mark[component[vertex]] = run->state->flood;
        if (mesh->mark[vertex] >= run->state->flood) {
            continue;
        }
        mesh->mark[vertex] = run->state->flood;
        if ((seeds->keys[*at].low & 1) && is_asked(run, a, vertex) && lies_in_box(run, a, vertex, b) &&
            !enter_vertex(run, a, b, vertex)) {
            return false;
        }
    }
    return true;
}

/* Parts of a that the surface of b does not cut. */
static bool enter_whole_parts(struct contact_run *run, uint32_t a, uint32_t b)
{
    const struct body_snapshot *x = &run->snapshot->bodies[a], *y = &run->snapshot->bodies[b];
    struct contact_mesh *mesh = &run->state->meshes[a];
    predicate_counters ignored = {0};
    for (uint32_t component = 0; component < mesh->component_count; component++) {
        uint32_t vertex = mesh->component_first[component];
        const double *p = x->xyz[vertex];
        bool on = false;
        if (!lies_in_box(run, a, vertex, b) || mesh->component_mark[component] == run->state->flood) {
            continue;
        }
        int windings = winding_number(p, y->xyz, (const uint32_t(*)[3])y->body->element_corners,
                                      y->body->surface_face_count, &ignored, &on);
        run->counters.undecided_vertices += on;
        if (!on && windings != 0 && is_asked(run, a, vertex) && !enter_vertex(run, a, b, vertex)) {
            return false;
        }
    }
    return true;
}

/* How often the surface of b winds around p: of the faces whose boxes meet the ray from p in the direction +x. */
static int winding_along_ray(const struct contact_run *run, const double *p, uint32_t b, const struct box_tree *tree)
{
    const struct body_snapshot *y = &run->snapshot->bodies[b];
    struct box box = {{p[0], p[1], p[2]}, {y->hi[0], p[1], p[2]}};
    predicate_counters ignored = {0};
    struct box_walk walk;
    uint32_t face;
    int windings = 0;
    bool on = false;
    box_walk_begin(&walk, tree, &box);
    while (!on && box_walk_next(&walk, &face)) {
        windings += winding_number(p, y->xyz, (const uint32_t(*)[3]) & y->body->surface_faces[face].corners, 1, &ignored,
                                   &on);
    }
    return on ? 0 : windings;
}

static bool enter_thin_vertices(struct contact_run *run, uint32_t a, uint32_t b)
{
    const struct body_snapshot *x = &run->snapshot->bodies[a];
    const struct box_tree *tree = contact_face_tree(run, b);
    for (uint32_t vertex = 0; tree && vertex < x->body->vertex_count; vertex++) {
        if (lies_in_box(run, a, vertex, b) && winding_along_ray(run, x->xyz[vertex], b, tree) != 0 &&
            !enter_vertex(run, a, b, vertex)) {
            return false;
        }
    }
    return tree != NULL;
}

static bool enter_all(struct contact_run *run, const struct seeds *seeds, size_t *at, uint32_t a, uint32_t b)
{
    begin_flood(run);
    if (body_is_thin(run->snapshot->bodies[a].body)) {
        return enter_thin_vertices(run, a, b);
    }
    return enter_seeds(run, seeds, at, a, b) && enter_whole_parts(run, a, b) && spread(run, a, b);
}

/* Trees of the surfaces that strands and points may lie in, kept for the whole call: made before what is given back. */
static bool make_trees_for_thin(struct contact_run *run)
{
    for (uint32_t a = 0; a < run->snapshot->body_count; a++) {
        bool thin = body_is_thin(run->snapshot->bodies[a].body);
        for (uint32_t b = 0; b < run->snapshot->body_count && thin; b++) {
            if (run->surface_side[b] != 0 && may_lie_in(run, a, b) && !contact_face_tree(run, b)) {
                return false;
            }
        }
    }
    return true;
}

bool depth_find_inside_surfaces(struct contact_run *run)
{
    struct seeds seeds = {0};
    bool any = false;
    for (uint32_t b = 0; b < run->snapshot->body_count; b++) {
        any = any || run->surface_side[b] != 0;
    }
    if (!any) {
        return true;
    }
    if (!make_trees_for_thin(run)) {
        return false;
    }
    struct arena_mark mark = arena_mark(run->scratch);
    if (!gather_seeds(run, &seeds)) {
        return false;
    }
    size_t at = 0;
    for (uint32_t a = 0; a < run->snapshot->body_count; a++) {
        for (uint32_t b = 0; b < run->snapshot->body_count; b++) {
            if (run->surface_side[b] == 0 || !may_lie_in(run, a, b)) {
                continue;
            }
            if (!enter_all(run, &seeds, &at, a, b)) {
                return false;
            }
        }
    }
    arena_rewind(run->scratch, mark);
    return true;
}

/* ---- touching ---------------------------------------------------------------------------------------------------- */

static bool lies_on_surface(const struct contact_run *run, const struct depth_point *point, const struct box_tree *tree)
{
    const struct body_snapshot *y = &run->snapshot->bodies[point->body_b];
    const double *p = run->snapshot->bodies[point->body_a].xyz[point->vertex];
    struct box box = {{p[0], p[1], p[2]}, {p[0], p[1], p[2]}};
    predicate_counters ignored = {0};
    struct box_walk walk;
    uint32_t face;
    bool on = false;
    box_walk_begin(&walk, tree, &box);
    while (!on && box_walk_next(&walk, &face)) {
        winding_number(p, y->xyz, (const uint32_t(*)[3]) & y->body->surface_faces[face].corners, 1, &ignored, &on);
    }
    return on;
}

/* All its hits are degenerate: only then may a vertex lie on the surface itself. */
static bool may_lie_on_surface(const struct contact_run *run, const struct depth_point *point)
{
    const struct depth_term *terms = run->state->terms.data; /* null when there is none at all */
    bool all = !body_has_cells(run->snapshot->bodies[point->body_b].body) && point->term_count > 0;
    for (uint32_t i = 0; all && i < point->term_count; i++) {
        all = terms[point->first_term + i].degenerate;
    }
    return all;
}

bool depth_drop_touching(struct contact_run *run)
{
    struct depth_point *points = run->state->points.data;
    for (size_t i = 0; i < run->state->points.count; i++) {
        if (may_lie_on_surface(run, &points[i])) {
            const struct box_tree *tree = contact_face_tree(run, points[i].body_b);
            if (!tree) {
                return false;
            }
            points[i].round = lies_on_surface(run, &points[i], tree) ? ROUND_NEVER : 0;
        }
    }
    return true;
}
