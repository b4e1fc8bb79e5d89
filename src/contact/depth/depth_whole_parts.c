/* Parts of bodies that lie in or against another body as a whole: a part of x that y's surface does not cut is inside y
 * or outside, but for places where it touches. When its first vertex lies exactly on faces of y, another vertex
 * decides; when all lie on y's surface, they are noted as touching, and depth_flat.c judges.
 *
 * In: the sorted cut edges of the border. Out: depth points. Costs a look at the boxes of bodies where none holds
 * another.
 */
#include "contact/depth/contact_run.h"

#include "base/context.h"
#include "geometry/predicates/winding_number.h"
#include "structures/surface/surface_probe.h"

/* Where a vertex is with respect to the surface of a body: faces met by a ray in the direction +x (winding_number.c).
 */
struct ray_probe {
    const struct body_snapshot *y;
    const double *p;
    predicate_counters counters;
    int windings;
    uint32_t face; /* one it lies on; SLOT_NONE */
};

static void add_face(void *user, uint32_t face)
{
    struct ray_probe *probe = user;
    bool on = false;
    probe->windings +=
        winding_number(probe->p, probe->y->xyz, (const uint32_t(*)[3]) & probe->y->body->surface_faces[face].corners, 1,
                       &probe->counters, &on);
    probe->face = on && face < probe->face ? face : probe->face; /* none is the largest number */
}

static struct ray_probe probe_vertex(const struct contact_run *run, uint32_t a, uint32_t vertex, uint32_t b)
{
    const struct body_snapshot *y = &run->snapshot->bodies[b];
    const double *p = run->snapshot->bodies[a].xyz[vertex];
    struct ray_probe probe = {.y = y, .p = p, .face = SLOT_NONE};
    const double end[3] = {y->hi[0] > p[0] ? y->hi[0] : p[0], p[1], p[2]};
    surface_probe_box(&run->world->forest, dent_context_isa(run->state->context), b, p, end, add_face, &probe);
    return probe;
}

uint32_t depth_touched_face(const struct contact_run *run, uint32_t a, uint32_t vertex, uint32_t b)
{
    return probe_vertex(run, a, vertex, b).face;
}

static bool is_asked(const struct contact_run *run, uint32_t body, uint32_t vertex)
{
    const uint8_t *use = run->snapshot->bodies[body].body->vertex_use;
    return use[vertex] && (!run->def->surface_only || (use[vertex] & VERTEX_ON_SURFACE));
}

static bool box_holds(const struct body_snapshot *outer, const struct body_snapshot *inner)
{
    for (int axis = 0; axis < 3; axis++) {
        if (!(inner->lo[axis] >= outer->lo[axis] && inner->hi[axis] <= outer->hi[axis])) {
            return false;
        }
    }
    return true;
}

/* The vertices of a body in use, part by part, each in ascending order; made when first needed. */
struct part_vertices {
    uint32_t *first; /* by part, and the end of the last */
    uint32_t *vertices;
};

static bool list_parts(struct contact_run *run, uint32_t body_index, struct part_vertices *parts)
{
    const struct body *body = run->snapshot->bodies[body_index].body;
    uint32_t count = run->state->meshes[body_index].component_count;
    if (parts->first) {
        return true;
    }
    uint32_t *first = arena_allocate_cleared(run->scratch, (size_t)count + 2, sizeof *first);
    parts->vertices = arena_allocate(run->scratch, body->vertex_count, sizeof *parts->vertices);
    if (!first || !parts->vertices) {
        return false;
    }
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        first[body->vertex_use[v] ? body->vertex_component[v] + 2 : 0]++;
    }
    first[0] = 0;
    for (uint32_t part = 2; part <= count; part++) {
        first[part] += first[part - 1];
    }
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        if (body->vertex_use[v]) {
            parts->vertices[first[body->vertex_component[v] + 1]++] = v;
        }
    }
    parts->first = first;
    return true;
}

/* No cut edge belongs to the part. Its vertices are all inside, all outside, or on the surface. */
static bool enter_part(struct contact_run *run, uint32_t a, uint32_t b, uint32_t component, struct part_vertices *parts)
{
    bool solid = body_has_cells(run->snapshot->bodies[b].body), all_on = true;
    uint32_t first = run->state->meshes[a].component_first[component];
    if (depth_point_of(run, a, first, b)) {
        return true;
    }
    struct ray_probe probe = probe_vertex(run, a, first, b);
    bool inside = probe.face == SLOT_NONE && probe.windings != 0;
    if (probe.face == SLOT_NONE && (!inside || !solid)) {
        return true; /* outside; or a closed surface, which has been asked already */
    }
    if (!list_parts(run, a, parts)) {
        return false;
    }
    run->counters.undecided_vertices -= !solid && run->counters.undecided_vertices > 0;
    uint32_t begin = parts->first[component], end = parts->first[component + 1];
    for (uint32_t i = begin; i < end && all_on && !inside; i++) {
        probe = probe_vertex(run, a, parts->vertices[i], b);
        all_on = probe.face != SLOT_NONE;
        inside = !all_on && probe.windings != 0;
    }
    for (uint32_t i = begin; i < end && (all_on || inside); i++) {
        uint32_t v = parts->vertices[i];
        if (is_asked(run, a, v) && !depth_point_of(run, a, v, b)) {
            probe = probe_vertex(run, a, v, b);
            if (!depth_add_closed_vertex(run, a, v, b, probe.face)) {
                return false;
            }
        }
    }
    return true;
}

/* The pairs of bodies whose surfaces cut one another, sorted; null: out of memory. Inner edges do not matter: those of
 * a large body are cut by every small one inside. */
static uint64_t *bodies_with_cuts(const struct contact_run *run, size_t *cut_count)
{
    const struct cut_run *runs = run->state->runs.data;
    size_t count = 0;
    uint64_t *keys = arena_allocate(run->scratch, run->state->runs.count + 1, 2 * sizeof *keys);
    for (size_t i = 0; keys && i < run->state->runs.count; i++) {
        const dent_cut_edge *cut = &run->query->border.cut_edges[runs[i].first];
        if (run->snapshot->bodies[cut->body_a].body->edge_is_surface[cut->edge]) {
            keys[count++] = contact_pair_key(cut->body_a, cut->body_b);
        }
    }
    if (keys) {
        radix_sort_u64(keys, NULL, keys + count, NULL, count);
    }
    *cut_count = count;
    return keys;
}

bool depth_find_whole_parts(struct contact_run *run)
{
    const struct body_pair *pairs = run->world->forest.body_pairs.found.data;
    size_t pair_count = run->world->forest.body_pairs.found.count, cut_count = 0;
    uint64_t *keys = NULL;
    for (size_t i = 0; i < 2 * pair_count; i++) { /* either way round */
        uint32_t a = i % 2 ? pairs[i / 2].b : pairs[i / 2].a, b = i % 2 ? pairs[i / 2].a : pairs[i / 2].b;
        const struct body_snapshot *x = &run->snapshot->bodies[a], *y = &run->snapshot->bodies[b];
        if (!box_holds(y, x) || !bodies_may_meet(x->body, y->body) || !contact_has_inside(run, b)) {
            continue;
        }
        if (!keys && !(keys = bodies_with_cuts(run, &cut_count))) {
            return false;
        }
        if (contact_find_key(keys, cut_count, contact_pair_key(a, b)) != SIZE_MAX) {
            continue;
        }
        struct part_vertices parts = {NULL, NULL};
        for (uint32_t component = 0; component < run->state->meshes[a].component_count; component++) {
            if (!enter_part(run, a, b, component, &parts)) {
                return false;
            }
        }
    }
    return true;
}
