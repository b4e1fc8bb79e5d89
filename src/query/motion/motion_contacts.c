/* What is near at the time of the first contact: all vertex-face and edge-edge pairs, of all pairs of bodies, that are
 * no farther apart than the tolerance at t, each once, in canonical order. See motion_run.h.
 *
 * Found as in the search, over a piece of time of no length; distances and closest points by the fixed arithmetic of
 * the question proximity (feature_distance.h), in the coordinates of body a, then taken to the world.
 */
#include <math.h>

#include "base/radix_sort.h"
#include "geometry/metric/feature_distance.h"
#include "geometry/motion/motion_boxes.h"
#include "geometry/motion/motion_inclusion.h"
#include "geometry/metric/quaternion.h"
#include "query/motion/motion_run.h"

struct gathering {
    struct motion_run *run;
    const struct motion_pair *pair;
    double t;
    struct motion_piece seen;  /* b in the coordinates of a */
    struct motion_piece near;  /* the same, its rest grown by the tolerance */
    struct motion_piece world; /* a in the world */
    double unscale;
};

struct node_pair {
    uint32_t a, b;
};

/* ---- one contact ------------------------------------------------------------------------------------------------- */

static void to_world(const struct gathering *gathering, const double point[3], double world[3])
{
    matrix_times_vector(gathering->world.rotation, point, world);
    for (int k = 0; k < 3; k++) {
        world[k] = (world[k] + gathering->world.translation[k]) * gathering->unscale;
    }
}

static void weigh_points(const double *const *points, const double *weights, int count, double sum[3])
{
    for (int k = 0; k < 3; k++) {
        sum[k] = 0;
        for (int i = 0; i < count; i++) {
            sum[k] += weights[i] * points[i][k];
        }
    }
}

static bool put_contact(struct gathering *gathering, dent_motion_contact *contact, const struct closest_pair *closest,
                        const double *const *a, int count_a, const double *const *b, int count_b)
{
    double point[3], direction[3];
    weigh_points(a, closest->weights_a, count_a, point);
    to_world(gathering, point, contact->point_a);
    weigh_points(b, closest->weights_b, count_b, point);
    to_world(gathering, point, contact->point_b);
    matrix_times_vector(gathering->world.rotation, closest->direction, direction);
    if (!vector_make_unit(direction, contact->normal)) {
        contact->normal[0] = 1;
    }
    contact->separation = closest->distance * gathering->unscale;
    return array_push(&gathering->run->state->unsorted, contact);
}

/* ---- features of two faces --------------------------------------------------------------------------------------- */

static uint32_t edge_number(const struct body *body, uint32_t v0, uint32_t v1)
{
    uint32_t low = 0, high = body->edge_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        const dent_edge *edge = &body->edges[middle];
        bool after = edge->v0 > v0 || (edge->v0 == v0 && edge->v1 > v1);
        *(after ? &high : &low) = middle;
    }
    return low;
}

struct face_side {
    const struct body *body;
    uint32_t body_index, face;
    const double (*corner)[3];
};

/* The nearest of the 15 pairs of features of two faces, for faces that cross so deeply that none is near. */
struct nearest_features {
    double distance; /* of the nearest so far */
    bool put_nearest, put_any;
};

/* In a first round everything within the tolerance is put; where there is none, in a second the nearest. */
static bool is_wanted(const struct gathering *gathering, struct nearest_features *nearest, double distance)
{
    if (nearest->put_nearest) {
        bool wanted = !nearest->put_any && distance <= nearest->distance;
        nearest->put_any = nearest->put_any || wanted;
        return wanted;
    }
    nearest->distance = distance < nearest->distance ? distance : nearest->distance;
    bool wanted = distance <= gathering->pair->tolerance;
    nearest->put_any = nearest->put_any || wanted;
    return wanted;
}

static bool put_vertices(struct gathering *gathering, const struct face_side *vertices, const struct face_side *face,
                         struct nearest_features *nearest)
{
    const double *const corners[3] = {face->corner[0], face->corner[1], face->corner[2]};
    for (int c = 0; c < 3; c++) {
        const double *const vertex[2] = {vertices->corner[c], vertices->corner[c]};
        struct closest_pair closest;
        closest_of_vertex_and_face(vertex[0], corners, &closest);
        if (is_wanted(gathering, nearest, closest.distance)) {
            dent_motion_contact contact = {.kind = DENT_IMPACT_VERTEX_FACE,
                                           .body_a = vertices->body_index,
                                           .feature_a = vertices->body->surface_faces[vertices->face].corners[c],
                                           .body_b = face->body_index,
                                           .feature_b = face->face};
            if (!put_contact(gathering, &contact, &closest, vertex, 2, corners, 3)) {
                return false;
            }
        }
    }
    return true;
}

/* The ends of edge c of a face, the smaller vertex first. */
static void edge_of_face(const struct face_side *side, int c, const double *ends[2], uint32_t vertices[2])
{
    const uint32_t *corners = side->body->surface_faces[side->face].corners;
    int first = c, second = c == 2 ? 0 : c + 1;
    if (corners[first] > corners[second]) {
        int other = first;
        first = second;
        second = other;
    }
    ends[0] = side->corner[first];
    ends[1] = side->corner[second];
    vertices[0] = corners[first];
    vertices[1] = corners[second];
}

static bool put_edges(struct gathering *gathering, const struct face_side *one, const struct face_side *two,
                      struct nearest_features *nearest)
{
    const struct face_side *a = one->body_index < two->body_index ? one : two,
                           *b = one->body_index < two->body_index ? two : one;
    for (int i = 0; i < 9; i++) {
        const double *ends_a[2], *ends_b[2];
        uint32_t vertices_a[2], vertices_b[2];
        struct closest_pair closest;
        edge_of_face(a, i / 3, ends_a, vertices_a);
        edge_of_face(b, i % 3, ends_b, vertices_b);
        closest_of_edges(ends_a, ends_b, &closest);
        if (is_wanted(gathering, nearest, closest.distance)) {
            dent_motion_contact contact = {.kind = DENT_IMPACT_EDGE_EDGE,
                                           .body_a = a->body_index,
                                           .feature_a = edge_number(a->body, vertices_a[0], vertices_a[1]),
                                           .body_b = b->body_index,
                                           .feature_b = edge_number(b->body, vertices_b[0], vertices_b[1])};
            if (!put_contact(gathering, &contact, &closest, ends_a, 2, ends_b, 2)) {
                return false;
            }
        }
    }
    return true;
}

static bool share_a_vertex(const struct face_side *a, const struct face_side *b)
{
    for (int i = 0; i < 9; i++) {
        uint32_t vertex_a = a->body->surface_faces[a->face].corners[i / 3];
        uint32_t vertex_b = b->body->surface_faces[b->face].corners[i % 3];
        if (body_identity(a->body, vertex_a) == body_identity(b->body, vertex_b)) {
            return true;
        }
    }
    return false;
}

static bool put_features(struct gathering *gathering, uint32_t face_a, uint32_t face_b)
{
    const struct motion_pair *pair = gathering->pair;
    const struct motion_tree *tree_a = pair->a->tree, *tree_b = pair->b->tree;
    const double(*corners_b)[3] = ((const double(*)[3][3])tree_b->corners.data)[face_b];
    struct moving_points moving;
    if (pair->b->rigid) {
        move_points(&gathering->seen, corners_b, 3, &moving);
    } else {
        move_linear_points(&gathering->seen, gathering->t, corners_b,
                           ((const double(*)[3][3])tree_b->ends.data)[face_b], 3, &moving);
    }
    struct face_side a = {pair->a->body, pair->body_index_a, ((const uint32_t *)tree_a->faces.data)[face_a],
                          ((const double(*)[3][3])tree_a->corners.data)[face_a]};
    struct face_side b = {pair->b->body, pair->body_index_b, ((const uint32_t *)tree_b->faces.data)[face_b],
                          (const double(*)[3])moving.position};
    if (points_stay_apart(a.corner, 3, &moving, 0, 0, pair->tolerance)) {
        return true;
    }
    if ((a.body->identities || b.body->identities) && share_a_vertex(&a, &b)) {
        return true;
    }
    struct nearest_features nearest = {.distance = INFINITY};
    bool done = true;
    for (int round = 0; round < 2 && !nearest.put_any && done; round++) {
        nearest.put_nearest = round == 1;
        done = put_vertices(gathering, &a, &b, &nearest) && put_vertices(gathering, &b, &a, &nearest) &&
               put_edges(gathering, &a, &b, &nearest);
    }
    return done;
}

/* ---- one pair of bodies ------------------------------------------------------------------------------------------ */

static void place_node(const struct gathering *gathering, uint32_t node, struct placed_volume *placed)
{
    const struct motion_actor *b = gathering->pair->b;
    if (b->rigid) {
        place_volume(&gathering->seen, (const struct motion_volume *)b->tree->nodes.data + node, placed);
    } else {
        place_linear_volume(&gathering->seen, gathering->t, (const struct linear_volume *)b->tree->linear.data + node,
                            placed);
    }
}

static bool push_nodes(struct dynamic_array *stack, uint32_t a, uint32_t b)
{
    struct node_pair pair = {a, b};
    return array_push(stack, &pair);
}

/* The children of two nodes that are near each other (a leaf is its own child). Pairs of oriented boxes are tested four
 * at a time, the tolerance as part of the rest. */
static bool push_children(const struct gathering *gathering, const struct motion_volume *nodes_a,
                          const struct motion_volume *nodes_b, struct node_pair pair, struct dynamic_array *stack)
{
    const struct motion_volume *a = &nodes_a[pair.a], *b = &nodes_b[pair.b];
    uint32_t count_a = a->size > 0 ? 1 : 2, count_b = b->size > 0 ? 1 : 2;
    uint32_t first_a = a->size > 0 ? pair.a : a->first, first_b = b->size > 0 ? pair.b : b->first;
    const struct motion_run *run = gathering->run;
    if (run->volume == DENT_MOTION_VOLUME_ORIENTED_BOX && gathering->pair->b->rigid && count_a + count_b == 4) {
        const struct motion_volume *ca = &nodes_a[first_a], *cb = &nodes_b[first_b];
        const struct piece_window now = {0, 0, false};
        struct motion_box_result result;
        unsigned apart = motion_box_kernels_for(run->isa)->test_boxes(&gathering->near, ca, cb, &now, &result);
        bool done = true;
        for (uint32_t k = 0; k < 4 && done; k++) {
            done = (apart >> k & 1) || push_nodes(stack, first_a + k % 2, first_b + k / 2);
        }
        return done;
    }
    for (uint32_t child_b = first_b; child_b < first_b + count_b; child_b++) {
        struct placed_volume placed;
        place_node(gathering, child_b, &placed);
        for (uint32_t child_a = first_a; child_a < first_a + count_a; child_a++) {
            struct piece_window now = {0, 0, false};
            if (!volumes_apart(run->volume, &nodes_a[child_a], &placed, gathering->pair->tolerance, &now) &&
                !push_nodes(stack, child_a, child_b)) {
                return false;
            }
        }
    }
    return true;
}

static bool gather_pair(struct gathering *gathering, struct dynamic_array *stack)
{
    const struct motion_pair *pair = gathering->pair;
    const struct motion_volume *nodes_a = pair->a->tree->nodes.data, *nodes_b = pair->b->tree->nodes.data;
    array_clear(stack);
    bool done = push_nodes(stack, 0, 0);
    while (done && stack->count > 0) {
        struct node_pair pending = ((struct node_pair *)stack->data)[--stack->count];
        const struct motion_volume *a = &nodes_a[pending.a], *b = &nodes_b[pending.b];
        bool leaves = a->size > 0 && b->size > 0;
        done = leaves ? put_features(gathering, a->first, b->first)
                      : push_children(gathering, nodes_a, nodes_b, pending, stack);
    }
    return done;
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

static struct key128 contact_key(const dent_motion_contact *contact)
{
    uint64_t kind = contact->kind == DENT_IMPACT_EDGE_EDGE;
    return (struct key128){kind << 63 | (uint64_t)contact->body_a << 32 | contact->feature_a,
                           (uint64_t)contact->body_b << 32 | contact->feature_b};
}

/* A pair of features is met once for every pair of faces around it, always with the same numbers. */
static dent_status sort_contacts(struct motion_run *run)
{
    const struct dynamic_array *unsorted = &run->state->unsorted;
    const dent_motion_contact *given = unsorted->data;
    size_t count = unsorted->count;
    if (count >= UINT32_MAX) {
        return message_fail(run->message, DENT_ERROR_TOO_LARGE, "2^32 - 1 or more contacts");
    }
    struct key128 *keys = arena_allocate(run->scratch, count, 2 * sizeof *keys);
    uint32_t *order = arena_allocate(run->scratch, count, 2 * sizeof *order);
    array_clear(&run->state->contacts);
    if (!keys || !order || !array_reserve(&run->state->contacts, count)) {
        return motion_out_of_memory(run);
    }
    for (size_t i = 0; i < count; i++) {
        keys[i] = contact_key(&given[i]);
        order[i] = (uint32_t)i;
    }
    if (count > 1) {
        radix_sort_u128(keys, order, keys + count, order + count, count);
    }
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || keys[i].high != keys[i - 1].high || keys[i].low != keys[i - 1].low) {
            array_push(&run->state->contacts, &given[order[i]]); /* room was made above */
        }
    }
    return DENT_OK;
}

static bool place_base(struct gathering *gathering)
{
    const struct motion_run *run = gathering->run;
    uint32_t frame = gathering->pair->a->frame, count = 0;
    for (uint32_t f = frame; f != DENT_FRAME_WORLD; f = run->def->frames[f].parent) {
        count++;
    }
    struct arena_mark mark = arena_mark(run->scratch);
    const struct trajectory **links = arena_allocate(run->scratch, count, sizeof *links);
    if (!links) {
        return false;
    }
    struct motion_chain chain = {links, count};
    for (uint32_t f = frame; f != DENT_FRAME_WORLD; f = run->def->frames[f].parent) {
        links[--count] = &run->trajectories[f];
    }
    chain_piece(&chain, gathering->t, 0, &gathering->world);
    arena_rewind(run->scratch, mark);
    return true;
}

dent_status motion_find_contacts(struct motion_run *run, double t)
{
    struct dynamic_array *stack = &run->state->node_pairs;
    array_clear(&run->state->unsorted);
    for (uint32_t i = 0; i < run->pair_count; i++) {
        struct gathering gathering = {.run = run, .pair = &run->pairs[i], .t = t, .unscale = 1 / run->scale};
        if (run->pairs[i].earliest > t) {
            continue;
        }
        relative_motion(&run->pairs[i].chain_a, &run->pairs[i].chain_b, t, 0, DENT_MOTION_BOUNDS_TAYLOR, NULL,
                        run->pairs[i].a->tree->reach, run->pairs[i].b->tree->reach, &gathering.seen);
        gathering.near = gathering.seen;
        gathering.near.translation_rest = (gathering.seen.translation_rest + run->pairs[i].tolerance) * (1 + 0x1p-40);
        if (!place_base(&gathering) || !gather_pair(&gathering, stack)) {
            return motion_out_of_memory(run);
        }
    }
    return sort_contacts(run);
}
