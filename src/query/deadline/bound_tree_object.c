/* Bounding trees and embeddings as the public interface shows them. The work is done in src/structures. */
#include "query/deadline/bound_tree_object.h"

#include <string.h>

#include "base/floating_point_guard.h"
#include "bodies/strand_rules.h"
#include "structures/bounds/medial_balls.h"

/* ---- embeddings ---------------------------------------------------------------------------------------------- */

dent_embedding_def dent_embedding_def_default(void)
{
    return (dent_embedding_def){.struct_size = sizeof(dent_embedding_def)};
}

static dent_status out_of_memory(dent_world *world, const char *what)
{
    return message_fail(&world->message, DENT_ERROR_OUT_OF_MEMORY, "out of memory for %s", what);
}

static DENT_NOINLINE dent_status bind_bodies(dent_world *world, const struct body *dense, const struct body *coarse,
                                             const dent_embedding_def *def, dent_embedding **model)
{
    arena_reset(&world->scratch);
    double(*dense_xyz)[3] = arena_allocate(&world->scratch, dense->vertex_count, sizeof *dense_xyz);
    double(*coarse_xyz)[3] = arena_allocate(&world->scratch, coarse->vertex_count, sizeof *coarse_xyz);
    if (!dense_xyz || !coarse_xyz) {
        return out_of_memory(world, "an embedding");
    }
    dent_status status = body_read_positions(dense, &dense->positions_t0, &world->message, dense_xyz);
    status =
        status == DENT_OK ? body_read_positions(coarse, &coarse->positions_t0, &world->message, coarse_xyz) : status;
    return status == DENT_OK ? embedding_create(world->context, dense, (const double(*)[3])dense_xyz, coarse,
                                                (const double(*)[3])coarse_xyz, def, &world->message, model)
                             : status;
}

dent_status dent_embedding_create(dent_world *world, dent_body_id dense, dent_body_id coarse,
                                  const dent_embedding_def *def, dent_embedding **model)
{
    WORLD_REQUIRE(world, world);
    WORLD_REQUIRE(world, model);
    dent_embedding_def fallback = dent_embedding_def_default();
    def = def ? def : &fallback;
    if (def->struct_size != sizeof *def) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT,
                            "the embedding def was not made by dent_embedding_def_default()");
    }
    if (!(def->longest_link >= 0)) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT, "longest_link is %g: a length is needed",
                            def->longest_link);
    }
    const struct body *dense_body = body_table_find(&world->bodies, dense),
                      *coarse_body = body_table_find(&world->bodies, coarse);
    if (!dense_body || !coarse_body) {
        return body_table_stale(&world->bodies, dense_body ? coarse : dense, &world->message);
    }
    if (dense_body == coarse_body) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT, BODY_TITLE " cannot carry itself",
                            BODY_TITLE_OF(dense_body));
    }
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    dent_status status = bind_bodies(world, dense_body, coarse_body, def, model);
    floating_point_guard_leave(&guard);
    return status;
}

dent_embedding_info dent_embedding_get_info(const dent_embedding *model)
{
    if (!model) {
        return (dent_embedding_info){0};
    }
    return model->facts;
}

uint32_t dent_embedding_flat_facets_now(const dent_embedding *model)
{
    if (!model) {
        return 0;
    }
    return model->flat_now;
}

static void coarse_vertex(const dent_positions *positions, uint32_t vertex, double p[3])
{
    size_t packed = 3 * (positions->scalar == DENT_SCALAR_FLOAT ? sizeof(float) : sizeof(double));
    const char *at = (const char *)positions->data + vertex * (positions->stride ? positions->stride : packed);
    for (int axis = 0; axis < 3; axis++) {
        float single;
        if (positions->scalar == DENT_SCALAR_FLOAT) {
            memcpy(&single, at + (size_t)axis * sizeof single, sizeof single);
            p[axis] = (double)single;
        } else {
            memcpy(&p[axis], at + (size_t)axis * sizeof p[axis], sizeof p[axis]);
        }
    }
}

static DENT_NOINLINE dent_status move_coarse(dent_embedding *model, const dent_positions *coarse)
{
    double p[3];
    for (uint32_t v = 0; v < model->facts.coarse_vertices; v++) {
        coarse_vertex(coarse, v, p);
        for (int axis = 0; axis < 3; axis++) {
            if (!(fabs(p[axis]) <= DBL_MAX)) {
                return dent_fail(model->context, DENT_ERROR_BAD_NUMBER, "coarse vertex %u has the coordinate %g",
                                 (unsigned)v, p[axis]);
            }
        }
    }
    for (uint32_t v = 0; v < model->facts.coarse_vertices; v++) {
        coarse_vertex(coarse, v, model->coarse[v]);
    }
    embedding_positions(model);
    return DENT_OK;
}

dent_status dent_embedding_move(dent_embedding *model, dent_positions coarse)
{
    DENT_REQUIRE(NULL, model);
    if (!coarse.data || (coarse.scalar != DENT_SCALAR_DOUBLE && coarse.scalar != DENT_SCALAR_FLOAT)) {
        return dent_fail(model->context, DENT_ERROR_INVALID_ARGUMENT, "there are no coarse positions to move to");
    }
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    dent_status status = move_coarse(model, &coarse);
    floating_point_guard_leave(&guard);
    return status;
}

static DENT_NOINLINE void write_dense(const dent_embedding *model, double *dense)
{
    for (uint32_t v = 0; v < model->facts.dense_vertices; v++) {
        embedding_vertex(model, v, dense + 3 * (size_t)v);
    }
}

void dent_embedding_write_dense(const dent_embedding *model, double *dense)
{
    if (!model || !dense) {
        return;
    }
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    write_dense(model, dense);
    floating_point_guard_leave(&guard);
}

void dent_embedding_spread_force(const dent_embedding *model, uint32_t dense_vertex, const double force[3],
                                 double *coarse_forces)
{
    if (!model || !force || !coarse_forces) {
        return;
    }
    const struct rigid_link *link = &model->links[dense_vertex];
    for (int k = 0; k < 3; k++) {
        double *to = coarse_forces + 3 * (size_t)model->facets[link->facet][k];
        for (int axis = 0; axis < 3; axis++) {
            to[axis] += link->weights[k] * force[axis];
        }
    }
}

/* Forces w x r on the nodes, r from their middle: they sum to 0, and their torque is K w with K = sum (r.r - r r'). In units
 * of the longest r. */
static bool facet_couple(const double nodes[3][3], const double torque[3], double forces[3][3])
{
    double k[6] = {0}, largest = 0, w[3]; /* K: xx yy zz xy xz yz */
    double r[3][3];
    for (int axis = 0; axis < 3; axis++) {
        double middle = nodes[0][axis] / 3 + nodes[1][axis] / 3 + nodes[2][axis] / 3;
        for (int i = 0; i < 3; i++) {
            r[i][axis] = nodes[i][axis] - middle;
            largest = fabs(r[i][axis]) > largest ? fabs(r[i][axis]) : largest;
        }
    }
    if (!(largest > 0 && largest <= DBL_MAX)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        for (int axis = 0; axis < 3; axis++) {
            r[i][axis] /= largest;
        }
        double x = r[i][0], y = r[i][1], z = r[i][2];
        k[0] += y * y + z * z;
        k[1] += x * x + z * z;
        k[2] += x * x + y * y;
        k[3] -= x * y;
        k[4] -= x * z;
        k[5] -= y * z;
    }
    double c[6] = {k[1] * k[2] - k[5] * k[5], k[0] * k[2] - k[4] * k[4], k[0] * k[1] - k[3] * k[3],
                   k[4] * k[5] - k[3] * k[2], k[3] * k[5] - k[4] * k[1], k[3] * k[4] - k[0] * k[5]};
    double determinant = (k[0] * c[0] + k[3] * c[3]) + k[4] * c[4], trace = (k[0] + k[1]) + k[2];
    if (!(determinant > 1e-12 * ((trace * trace) * trace))) {
        return false;
    }
    w[0] = ((c[0] * torque[0] + c[3] * torque[1]) + c[4] * torque[2]) / determinant / largest;
    w[1] = ((c[3] * torque[0] + c[1] * torque[1]) + c[5] * torque[2]) / determinant / largest;
    w[2] = ((c[4] * torque[0] + c[5] * torque[1]) + c[2] * torque[2]) / determinant / largest;
    for (int i = 0; i < 3; i++) {
        forces[i][0] = w[1] * r[i][2] - w[2] * r[i][1];
        forces[i][1] = w[2] * r[i][0] - w[0] * r[i][2];
        forces[i][2] = w[0] * r[i][1] - w[1] * r[i][0];
    }
    return true;
}

bool dent_embedding_spread_torque(const dent_embedding *model, uint32_t dense_vertex, const double torque[3],
                                  double *coarse_forces)
{
    if (!model || !torque || !coarse_forces) {
        return false;
    }
    const uint32_t *nodes = model->facets[model->links[dense_vertex].facet];
    double corners[3][3], forces[3][3];
    for (int k = 0; k < 3; k++) {
        memcpy(corners[k], model->coarse[nodes[k]], sizeof corners[k]);
    }
    if (!facet_couple((const double(*)[3])corners, torque, forces)) {
        return false;
    }
    for (int k = 0; k < 9; k++) {
        coarse_forces[3 * (size_t)nodes[k / 3] + (size_t)(k % 3)] += forces[k / 3][k % 3];
    }
    return true;
}

bool dent_embedding_spread_link_force(const dent_embedding *model, uint32_t dense_vertex, const double force[3],
                                      double *coarse_forces)
{
    if (!model || !force || !coarse_forces) {
        return false;
    }
    double base[3], tip[3], torque[3];
    embedding_base(model, dense_vertex, (const double(*)[3])model->coarse, base);
    embedding_vertex(model, dense_vertex, tip);
    for (int axis = 0; axis < 3; axis++) {
        int next = (axis + 1) % 3, last = (axis + 2) % 3;
        torque[axis] = (tip[next] - base[next]) * force[last] - (tip[last] - base[last]) * force[next];
    }
    dent_embedding_spread_force(model, dense_vertex, force, coarse_forces);
    return dent_embedding_spread_torque(model, dense_vertex, torque, coarse_forces);
}

/* ---- trees ------------------------------------------------------------------------------------------------------- */

dent_bound_tree_def dent_bound_tree_def_default(void)
{
    return (dent_bound_tree_def){
        .struct_size = sizeof(dent_bound_tree_def), .kind = DENT_BOUND_AUTO, .branching = 8, .leaf_faces = 4};
}

/* What the def means. */
static dent_bound_kind kind_of(const dent_bound_tree_def *def)
{
    if (def->kind != DENT_BOUND_AUTO) {
        return def->kind;
    }
    return def->embedding || def->builder == DENT_BUILD_MEDIAL ? DENT_BOUND_SPHERES : DENT_BOUND_DOP18;
}

static dent_status check_def(dent_world *world, const struct body *body, const dent_bound_tree_def *def)
{
    struct message *message = &world->message;
    if (def->struct_size != sizeof *def) {
        return message_fail(message, DENT_ERROR_INVALID_ARGUMENT,
                            "the tree def was not made by dent_bound_tree_def_default()");
    }
    if (def->kind < DENT_BOUND_SPHERES || def->kind > DENT_BOUND_AUTO) {
        return message_fail(message, DENT_ERROR_INVALID_ARGUMENT, "there is no kind of volumes number %d",
                            (int)def->kind);
    }
    if (def->builder != DENT_BUILD_SPLIT && def->builder != DENT_BUILD_MEDIAL) {
        return message_fail(message, DENT_ERROR_INVALID_ARGUMENT, "there is no builder number %d", (int)def->builder);
    }
    if (def->branching != 2 && def->branching != 4 && def->branching != 8) {
        return message_fail(message, DENT_ERROR_INVALID_ARGUMENT, "branching must be 2, 4 or 8; got %u",
                            (unsigned)def->branching);
    }
    if (def->leaf_faces < 1 || def->leaf_faces > BOUND_LEAF_FACES_MAX) {
        return message_fail(message, DENT_ERROR_INVALID_ARGUMENT, "leaf_faces is %u: 1 to %d is needed",
                            (unsigned)def->leaf_faces, (int)BOUND_LEAF_FACES_MAX);
    }
    if (def->embedding && kind_of(def) != DENT_BOUND_SPHERES) {
        return message_fail(message, DENT_ERROR_UNSUPPORTED, "an embedding has balls, not boxes");
    }
    if (def->embedding && def->embedding->facts.dense_vertices != body->vertex_count) {
        return message_fail(message, DENT_ERROR_INVALID_ARGUMENT, BODY_TITLE " has %u vertices, the embedding %u",
                            BODY_TITLE_OF(body), (unsigned)body->vertex_count,
                            (unsigned)def->embedding->facts.dense_vertices);
    }
    if (body_has_segments(body) && (def->embedding || def->builder == DENT_BUILD_MEDIAL)) {
        return message_fail(message, DENT_ERROR_UNSUPPORTED, BODY_TITLE " has strands: %s",
                            BODY_TITLE_OF(body), def->embedding ? "they follow no embedding" : "they have no medial axis");
    }
    if (body_has_points(body)) {
        return message_fail(message, DENT_ERROR_UNSUPPORTED, BODY_TITLE " has %s, which have no faces to bound",
                            BODY_TITLE_OF(body), body_kind_rows[body->kind].name);
    }
    if (def->builder == DENT_BUILD_MEDIAL && !body->topology.surface_closed) {
        return message_fail(message, DENT_ERROR_UNSUPPORTED,
                            BODY_TITLE " has an open surface, which has no medial axis inside", BODY_TITLE_OF(body));
    }
    return DENT_OK;
}

static bool copy_identities(struct bound_tree *tree, const struct body *body)
{
    tree->identity_base = body->identity_base;
    if (!body->identities) {
        return true;
    }
    tree->identities = dent_allocate(tree->context, body->vertex_count, sizeof *tree->identities);
    if (tree->identities) {
        memcpy(tree->identities, body->identities, body->vertex_count * sizeof *tree->identities);
    }
    return tree->identities != NULL;
}

/* Radii may have changed since the last update. */
static void read_radii(struct bound_tree *tree, const struct body *body)
{
    for (uint32_t slot = 0; slot < tree->face_count; slot++) {
        tree->radii[slot] = edge_thickness(body, tree->order[slot], body_thickness(body, 0));
    }
}

/* The faces that the roots lie on, as far as they are there. */
static void copy_roots(struct bound_tree *tree, const dent_world *world, const struct body *body)
{
    for (uint32_t slot = 0; slot < tree->face_count; slot++) {
        uint32_t segment = tree->order[slot], strand = strand_of_segment(body, segment);
        struct bound_root *to = &tree->roots[slot];
        *to = (struct bound_root){.identity_base = BOUND_NO_ROOT};
        const dent_strand_root *root =
            body->strand_first[strand] == segment + strand ? strand_root_of(body, strand) : NULL;
        const struct body *other = root ? body_table_find(&world->bodies, root->body) : NULL;
        if (other && root->face < other->surface_face_count) {
            to->identity_base = other->identity_base;
            memcpy(to->corners, other->surface_faces[root->face].corners, sizeof to->corners);
        }
    }
}

/* Segments as faces whose last two corners are one. */
static dent_surface_face *segments_as_faces(dent_world *world, const struct body *body)
{
    dent_surface_face *faces = arena_allocate_cleared(&world->scratch, body->element_count, sizeof *faces);
    for (uint32_t i = 0; faces && i < body->element_count; i++) {
        faces[i].corners[0] = body->edges[i].v0;
        faces[i].corners[1] = faces[i].corners[2] = body->edges[i].v1;
    }
    return faces;
}

static void next_epoch(struct bound_tree *tree)
{
    tree->epoch++;
    tree->epoch += (uint32_t)tree->epoch == 0;
}

static DENT_NOINLINE dent_status update_tree(dent_bound_tree *object, const struct body *body)
{
    struct bound_tree *tree = &object->tree;
    if (tree->embedding) {
        next_epoch(tree);
        embedding_bounds_update(tree);
        medial_balls_update(tree);
        return DENT_OK;
    }
    dent_status status = body_read_positions(body, &body->positions_t0, &object->world->message, object->incoming);
    if (status == DENT_OK) {
        double(*kept)[3] = tree->xyz;
        tree->xyz = object->incoming;
        object->incoming = kept;
        next_epoch(tree);
        if (bound_has_strands(tree)) {
            read_radii(tree, body);
        }
        bound_tree_refit(tree);
        medial_balls_update(tree);
    }
    return status;
}

/* On failure the caller destroys the object. */
static DENT_NOINLINE dent_status build_tree(dent_bound_tree *object, const struct body *body,
                                            const dent_bound_tree_def *def)
{
    dent_world *world = object->world;
    struct bound_tree *tree = &object->tree;
    arena_reset(&world->scratch);
    double(*xyz)[3] = arena_allocate(&world->scratch, body->vertex_count, sizeof *xyz);
    if (!xyz) {
        return out_of_memory(world, "a bounding tree");
    }
    dent_status status = DENT_OK;
    if (def->embedding) {
        memcpy(xyz, def->embedding->dense_rest, body->vertex_count * sizeof *xyz);
    } else {
        status = body_read_positions(body, &body->positions_t0, &world->message, xyz);
    }
    if (status != DENT_OK) {
        return status;
    }
    bool strands = body_has_segments(body);
    const dent_surface_face *faces = strands ? segments_as_faces(world, body) : body->surface_faces;
    if (strands && !faces) {
        return out_of_memory(world, "a bounding tree");
    }
    struct bound_build build = {world->context,     kind_of(def),
                                def->builder,       def->branching,
                                def->leaf_faces,    (const double(*)[3])xyz,
                                body->vertex_count, strands ? body->element_count : body->surface_face_count,
                                faces};
    status = bound_tree_build(tree, &build);
    if (status != DENT_OK) {
        return status == DENT_ERROR_TOO_LARGE
                   ? message_fail(&world->message, status, "a bounding tree of too many levels")
                   : out_of_memory(world, "a bounding tree");
    }
    tree->closed = body->topology.surface_closed && !strands;
    if (strands && !bound_tree_add_radii(tree)) {
        return out_of_memory(world, "a bounding tree");
    }
    if (strands) {
        copy_roots(tree, world, body);
    }
    if (!def->embedding) {
        object->incoming = dent_allocate(world->context, body->vertex_count, sizeof *object->incoming);
    }
    bool complete = bound_tree_find_components(tree) && copy_identities(tree, body) &&
                    (def->embedding || object->incoming) &&
                    (!def->embedding || embedding_bounds_create(tree, def->embedding)) &&
                    medial_balls_follow(tree, (const uint32_t(*)[4])body->tetrahedra,
                                        (const uint32_t(*)[4])body->neighbours, body_tetrahedron_count(body),
                                        (const double(*)[3])xyz);
    return complete ? update_tree(object, body) : out_of_memory(world, "a bounding tree");
}

dent_status dent_bound_tree_create(dent_world *world, dent_body_id id, const dent_bound_tree_def *def,
                                   dent_bound_tree **tree)
{
    WORLD_REQUIRE(world, world);
    WORLD_REQUIRE(world, tree);
    dent_bound_tree_def fallback = dent_bound_tree_def_default();
    def = def ? def : &fallback;
    const struct body *body = body_table_find(&world->bodies, id);
    if (!body) {
        return body_table_stale(&world->bodies, id, &world->message);
    }
    dent_status status = check_def(world, body, def);
    if (status != DENT_OK) {
        return status;
    }
    dent_bound_tree *object = dent_allocate(world->context, 1, sizeof *object);
    if (!object) {
        return out_of_memory(world, "a bounding tree");
    }
    *object = (dent_bound_tree){
        .tree.context = world->context, .world = world, .body = id, .identity_base = body->identity_base};
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    status = build_tree(object, body, def);
    floating_point_guard_leave(&guard);
    if (status != DENT_OK) {
        dent_bound_tree_destroy(object);
        return status;
    }
    *tree = object;
    return DENT_OK;
}

void dent_bound_tree_destroy(dent_bound_tree *object)
{
    if (!object) {
        return;
    }
    dent_context *context = object->tree.context;
    dent_release(context, object->incoming, object->tree.vertex_count, sizeof *object->incoming);
    embedding_bounds_destroy(&object->tree);
    bound_tree_destroy(&object->tree);
    dent_release(context, object, 1, sizeof *object);
}

dent_status dent_bound_tree_update(dent_bound_tree *object)
{
    DENT_REQUIRE(NULL, object);
    const struct body *body = NULL;
    if (!object->tree.embedding) {
        body = body_table_find(&object->world->bodies, object->body);
        if (!body || body->identity_base != object->identity_base) {
            return body ? message_fail(&object->world->message, DENT_ERROR_STALE_ID,
                                       BODY_TITLE " has other elements than its bounding tree was made for",
                                       BODY_TITLE_OF(body))
                        : body_table_stale(&object->world->bodies, object->body, &object->world->message);
        }
    }
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    dent_status status = update_tree(object, body);
    floating_point_guard_leave(&guard);
    return world_loop_status(object->world, status);
}

dent_bound_tree_info dent_bound_tree_get_info(const dent_bound_tree *object)
{
    if (!object) {
        return (dent_bound_tree_info){0};
    }
    const struct bound_tree *tree = &object->tree;
    uint64_t bytes = tree->node_count * (sizeof *tree->volumes + sizeof *tree->links +
                                         (bound_has_balls(tree) ? 0 : sizeof *tree->witnesses) +
                                         2 * tree->slab_directions * sizeof *tree->slabs) +
                     (uint64_t)tree->face_count * (4 + 12 + 4 + 12 + 4 + 4 + 4) +
                     (uint64_t)tree->vertex_count * (object->incoming ? 48 : 24);
    if (tree->embedding) {
        bytes += tree->node_count * (sizeof *tree->embedding->nodes + sizeof *tree->embedding->stamps) +
                 tree->embedding->support_capacity * sizeof *tree->embedding->supports;
    }
    bytes += medial_balls_bytes(tree);
    return (dent_bound_tree_info){tree->face_count, tree->node_count, tree->leaf_count, tree->level_count, bytes,
                                  tree->build_ns};
}

static DENT_NOINLINE void describe_node(struct bound_tree *tree, uint32_t number, dent_bound_node *node)
{
    const struct bound_link *link = &tree->links[number];
    bound_tree_touch(tree, number);
    const struct bound_volume *volume = &tree->volumes[number];
    *node = (dent_bound_node){.error = volume->error,
                              .first_face = link->first_face,
                              .face_count = link->face_count,
                              .first_child = link->first_child,
                              .child_count = link->child_count,
                              .level = link->level,
                              .radius = volume->v[3]};
    if (!bound_has_balls(tree)) {
        for (int axis = 0; axis < 3; axis++) {
            node->center[axis] = volume->v[axis] * 0.5 + volume->v[axis + 3] * 0.5;
            node->lo[axis] = volume->v[axis];
            node->hi[axis] = volume->v[axis + 3];
        }
        /* The farthest corner: the centre is rounded on every axis for itself. Differences that round to the same have
         * a ratio within 1 + 2u, which distance_above has to spare. */
        double far[3];
        for (int axis = 0; axis < 3; axis++) {
            double to_lo = node->center[axis] - node->lo[axis], to_hi = node->hi[axis] - node->center[axis];
            far[axis] = to_lo > to_hi ? node->lo[axis] : node->hi[axis];
        }
        node->radius = distance_above(node->center, far);
    } else {
        memcpy(node->center, volume->v, sizeof node->center);
    }
    node->protrusion = node->radius;
    if (tree->medial) {
        struct medial_ball_now ball;
        medial_ball_at(tree, number, &ball);
        memcpy(node->inner_center, ball.centre, sizeof node->inner_center);
        node->inner_radius = ball.inside;
        node->protrusion = bound_protrusion(tree, number);
    }
}

dent_bound_node dent_bound_tree_node(dent_bound_tree *object, uint32_t number)
{
    if (!object) {
        return (dent_bound_node){0};
    }
    dent_bound_node node;
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    describe_node(&object->tree, number, &node);
    floating_point_guard_leave(&guard);
    return node;
}

/* The directions are what slab_sums makes of the unit vectors. */
uint32_t dent_bound_tree_slabs(const dent_bound_tree *object, uint32_t node,
                               dent_bound_slab slabs[DENT_BOUND_SLABS_MAX])
{
    if (!object || !slabs) {
        return 0;
    }
    static const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const struct bound_tree *tree = &object->tree;
    uint32_t slanted = tree->slab_directions;
    if (bound_has_balls(tree)) {
        return 0;
    }
    for (int axis = 0; axis < 3; axis++) {
        slabs[axis] = (dent_bound_slab){.lo = tree->volumes[node].v[axis], .hi = tree->volumes[node].v[axis + 3]};
        slabs[axis].direction[axis] = 1;
    }
    for (uint32_t k = 0; k < slanted; k++) {
        slabs[3 + k] = (dent_bound_slab){.lo = bound_slabs(tree, node)[k], .hi = bound_slabs(tree, node)[slanted + k]};
    }
    for (int axis = 0; axis < 3 && slanted > 0; axis++) {
        double parts[SLABS_MAX];
        slab_sums(slanted, unit[axis], parts);
        for (uint32_t k = 0; k < slanted; k++) {
            slabs[3 + k].direction[axis] = parts[k];
        }
    }
    return 3 + slanted;
}

const uint32_t *dent_bound_tree_face_order(const dent_bound_tree *object)
{
    if (!object) {
        return NULL;
    }
    return object->tree.order;
}
