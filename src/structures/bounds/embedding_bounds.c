/* Supports of the nodes at bind time, balls from coarse coordinates at run time. See embedding_bounds.h. */
#include "structures/bounds/embedding_bounds.h"

#include <string.h>

#include "geometry/metric/rigid_fit.h"

/* ---- binding ----------------------------------------------------------------------------------------------------- */

struct accumulator {
    double sum, low, high;
    uint32_t links; /* how many vertices of the node hang on this coarse node */
    uint32_t node1; /* node + 1 that the rest belongs to */
};

struct gathering {
    struct bound_tree *tree;
    struct embedding_bounds *bounds;
    struct accumulator *accumulators; /* by coarse vertex */
    uint32_t *list;                   /* coarse vertices of the node */
    double (*bases)[3];               /* at rest, by dense vertex */
    uint32_t *facet_node1;            /* by facet: node + 1 it was last listed for */
};

static uint32_t gather_support(struct gathering *gathering, uint32_t node, uint32_t begin, uint32_t end)
{
    const dent_embedding *model = gathering->bounds->model;
    uint32_t count = 0;
    for (uint32_t i = begin; i < end; i++) {
        const struct rigid_link *link = &model->links[gathering->tree->vertices[i]];
        for (int k = 0; k < 3; k++) {
            uint32_t coarse = model->facets[link->facet][k];
            struct accumulator *a = &gathering->accumulators[coarse];
            if (a->node1 != node + 1) {
                *a = (struct accumulator){.low = INFINITY, .high = -INFINITY, .node1 = node + 1};
                gathering->list[count++] = coarse;
            }
            double weight = link->weights[k];
            a->sum += weight;
            a->low = weight < a->low ? weight : a->low;
            a->high = weight > a->high ? weight : a->high;
            a->links++;
        }
    }
    return count;
}

static bool store_support(struct gathering *gathering, struct embedding_node *node, uint32_t count, uint32_t vertices)
{
    struct embedding_bounds *bounds = gathering->bounds;
    if (bounds->support_count + count > bounds->support_capacity) {
        uint32_t grown = bounds->support_capacity + bounds->support_capacity / 2 + 1024 + count;
        struct support *fresh =
            dent_reallocate(gathering->tree->context, bounds->supports, bounds->support_capacity, grown, sizeof *fresh);
        if (!fresh) {
            return false;
        }
        bounds->supports = fresh;
        bounds->support_capacity = grown;
    }
    node->first_support = bounds->support_count;
    node->support_count = count;
    for (uint32_t i = 0; i < count; i++) {
        const struct accumulator *a = &gathering->accumulators[gathering->list[i]];
        double mean = a->sum / vertices;
        double low = a->links < vertices ? 0 : a->low; /* those that do not hang on it have weight 0 */
        double spread = a->high - mean > mean - low ? a->high - mean : mean - low;
        bounds->supports[bounds->support_count++] =
            (struct support){gathering->list[i], mean, up(spread > 0 ? spread : 0)};
    }
    return true;
}

/* A ball around the points of the node's vertices: middle of their bounds, moved a few times towards the farthest. */
static void fit_rest_ball(const struct gathering *gathering, const double (*points)[3], uint32_t begin, uint32_t end,
                          struct rest_ball *ball)
{
    const uint32_t *vertices = gathering->tree->vertices;
    double c[3];
    *ball = (struct rest_ball){.radius = INFINITY, .near = INFINITY, .nearest = vertices[begin]};
    for (int axis = 0; axis < 3; axis++) {
        double lo = INFINITY, hi = -INFINITY;
        for (uint32_t i = begin; i < end; i++) {
            double coordinate = points[vertices[i]][axis];
            lo = coordinate < lo ? coordinate : lo;
            hi = coordinate > hi ? coordinate : hi;
        }
        c[axis] = ball->centre[axis] = lo * 0.5 + hi * 0.5;
    }
    for (int step = 1; step <= 8; step++) {
        double farthest = -1;
        uint32_t which = begin;
        for (uint32_t i = begin; i < end; i++) {
            double distance = distance_above(c, points[vertices[i]]);
            which = distance > farthest ? i : which;
            farthest = distance > farthest ? distance : farthest;
        }
        if (farthest < ball->radius) {
            ball->radius = farthest;
            memcpy(ball->centre, c, sizeof c);
        }
        for (int axis = 0; axis < 3; axis++) {
            c[axis] += (points[vertices[which]][axis] - c[axis]) / (4 + 4 * step);
        }
    }
    for (uint32_t i = begin; i < end; i++) {
        double distance = distance_above(ball->centre, gathering->bounds->model->dense_rest[vertices[i]]);
        ball->nearest = distance < ball->near ? vertices[i] : ball->nearest;
        ball->near = distance < ball->near ? distance : ball->near;
    }
}

static void fit_rest_balls(const struct gathering *gathering, struct embedding_node *node, uint32_t begin, uint32_t end)
{
    const dent_embedding *model = gathering->bounds->model;
    const double origin[3] = {0};
    fit_rest_ball(gathering, (const double(*)[3])gathering->bases, begin, end, &node->base);
    fit_rest_ball(gathering, (const double(*)[3])model->dense_rest, begin, end, &node->dense);
    for (uint32_t i = begin; i < end; i++) {
        double length = distance_above(model->links[gathering->tree->vertices[i]].offset, origin);
        node->longest = length > node->longest ? length : node->longest;
    }
}

/* The facets the node's vertices are tied to, each once. */
static bool store_facets(struct gathering *gathering, struct embedding_node *node, uint32_t number, uint32_t begin,
                         uint32_t end)
{
    struct embedding_bounds *bounds = gathering->bounds;
    node->first_facet = bounds->facet_count;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t facet = bounds->model->links[gathering->tree->vertices[i]].facet;
        if (gathering->facet_node1[facet] == number + 1) {
            continue;
        }
        gathering->facet_node1[facet] = number + 1;
        if (bounds->facet_count == bounds->facet_capacity) {
            uint32_t grown = bounds->facet_capacity + bounds->facet_capacity / 2 + 1024;
            uint32_t *fresh =
                dent_reallocate(gathering->tree->context, bounds->facets, bounds->facet_capacity, grown, sizeof *fresh);
            if (!fresh) {
                return false;
            }
            bounds->facets = fresh;
            bounds->facet_capacity = grown;
        }
        bounds->facets[bounds->facet_count++] = facet;
    }
    node->facet_count = bounds->facet_count - node->first_facet;
    return true;
}

static bool gather_node(struct gathering *gathering, uint32_t number)
{
    struct bound_tree *tree = gathering->tree;
    struct embedding_bounds *bounds = gathering->bounds;
    struct embedding_node *node = &bounds->nodes[number];
    const struct bound_link *link = &tree->links[number];
    uint32_t begin = tree->vertex_start[link->first_face],
             end = tree->vertex_start[link->first_face + link->face_count];
    uint32_t count = gather_support(gathering, number, begin, end);
    *node = (struct embedding_node){.rotation = UINT32_MAX};
    if (count > REDUCED_SUPPORT_MAX && link->child_count > 0) {
        bounds->enclosing_end = number + 1;
        return true;
    }
    fit_rest_balls(gathering, node, begin, end);
    return store_support(gathering, node, count, end - begin) && store_facets(gathering, node, number, begin, end);
}

/* Who takes whose rotation: parents come before children. */
static bool assign_rotations(struct bound_tree *tree, struct embedding_bounds *bounds)
{
    for (uint32_t number = 0; number < bounds->node_count; number++) {
        struct embedding_node *node = &bounds->nodes[number];
        bool direct = node->support_count > 0;
        if (direct && (node->support_count > REDUCED_OWN_ROTATION || node->rotation == UINT32_MAX)) {
            if (bounds->rotation_count == bounds->rotation_capacity) {
                uint32_t grown = bounds->rotation_capacity + bounds->rotation_capacity / 2 + 64;
                struct embedding_rotation *fresh =
                    dent_reallocate(tree->context, bounds->rotations, bounds->rotation_capacity, grown, sizeof *fresh);
                if (!fresh) {
                    return false;
                }
                bounds->rotations = fresh;
                bounds->rotation_capacity = grown;
            }
            node->rotation = bounds->rotation_count;
            bounds->rotations[bounds->rotation_count++] = (struct embedding_rotation){.node = number};
        }
        for (uint32_t i = 0; direct && i < tree->links[number].child_count; i++) {
            bounds->nodes[tree->links[number].first_child + i].rotation = node->rotation;
        }
    }
    return true;
}

static bool gather_all(struct bound_tree *tree, struct embedding_bounds *bounds)
{
    dent_context *context = tree->context;
    const dent_embedding *model = bounds->model;
    size_t coarse = model->facts.coarse_vertices;
    struct gathering gathering = {tree,
                                  bounds,
                                  dent_allocate(context, coarse, sizeof *gathering.accumulators),
                                  dent_allocate(context, coarse, sizeof *gathering.list),
                                  dent_allocate(context, tree->vertex_count, sizeof *gathering.bases),
                                  dent_allocate(context, model->facts.facets, sizeof *gathering.facet_node1)};
    bool good = gathering.accumulators && gathering.list && gathering.bases && gathering.facet_node1;
    if (good) {
        memset(gathering.facet_node1, 0, model->facts.facets * sizeof *gathering.facet_node1);
        memset(gathering.accumulators, 0, coarse * sizeof *gathering.accumulators);
        for (uint32_t v = 0; v < tree->vertex_count; v++) {
            embedding_base(model, v, (const double(*)[3])model->coarse_rest, gathering.bases[v]);
        }
        for (uint32_t node = 0; node < bounds->node_count && good; node++) {
            good = gather_node(&gathering, node);
        }
    }
    dent_release(context, gathering.accumulators, coarse, sizeof *gathering.accumulators);
    dent_release(context, gathering.list, coarse, sizeof *gathering.list);
    dent_release(context, gathering.bases, tree->vertex_count, sizeof *gathering.bases);
    dent_release(context, gathering.facet_node1, model->facts.facets, sizeof *gathering.facet_node1);
    return good && assign_rotations(tree, bounds);
}

bool embedding_bounds_create(struct bound_tree *tree, dent_embedding *model)
{
    struct embedding_bounds *bounds = dent_allocate(tree->context, 1, sizeof *bounds);
    if (!bounds) {
        return false;
    }
    *bounds = (struct embedding_bounds){.model = model, .node_count = tree->node_count};
    tree->embedding = bounds;
    bounds->nodes = dent_allocate(tree->context, bounds->node_count, sizeof *bounds->nodes);
    bounds->stamps = dent_allocate(tree->context, bounds->node_count, sizeof *bounds->stamps);
    if (bounds->nodes && bounds->stamps) {
        memset(bounds->stamps, 0, bounds->node_count * sizeof *bounds->stamps);
        if (tree->face_count == 0 || gather_all(tree, bounds)) {
            return true;
        }
    }
    embedding_bounds_destroy(tree);
    return false;
}

void embedding_bounds_destroy(struct bound_tree *tree)
{
    struct embedding_bounds *bounds = tree->embedding;
    if (!bounds) {
        return;
    }
    dent_release(tree->context, bounds->nodes, bounds->node_count, sizeof *bounds->nodes);
    dent_release(tree->context, bounds->stamps, bounds->node_count, sizeof *bounds->stamps);
    dent_release(tree->context, bounds->supports, bounds->support_capacity, sizeof *bounds->supports);
    dent_release(tree->context, bounds->facets, bounds->facet_capacity, sizeof *bounds->facets);
    dent_release(tree->context, bounds->rotations, bounds->rotation_capacity, sizeof *bounds->rotations);
    dent_release(tree->context, bounds, 1, sizeof *bounds);
    tree->embedding = NULL;
}

/* ---- balls ------------------------------------------------------------------------------------------------------- */

/* Means and moments weighted with W_k, in units of the largest coordinates. */
static void fit_rotation(const struct embedding_bounds *bounds, struct embedding_rotation *rotation)
{
    const dent_embedding *model = bounds->model;
    const struct embedding_node *node = &bounds->nodes[rotation->node];
    const struct support *supports = &bounds->supports[node->first_support];
    double mean_rest[3] = {0}, mean[3] = {0}, moments[3][3] = {{0}};
    double scale_rest = model->largest_rest > 0 ? 1 / model->largest_rest : 1,
           scale = model->largest > 0 ? 1 / model->largest : 1;
    for (uint32_t i = 0; i < node->support_count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            mean_rest[axis] += supports[i].mean * (model->coarse_rest[supports[i].coarse][axis] * scale_rest);
            mean[axis] += supports[i].mean * (model->coarse[supports[i].coarse][axis] * scale);
        }
    }
    for (uint32_t i = 0; i < node->support_count; i++) {
        const double *rest = model->coarse_rest[supports[i].coarse], *now = model->coarse[supports[i].coarse];
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) {
                moments[r][c] +=
                    supports[i].mean * ((now[r] * scale - mean[r]) * (rest[c] * scale_rest - mean_rest[c]));
            }
        }
    }
    rotation_from_moments((const double(*)[3])moments, rotation->matrix);
}

static void rotate(const double r[9], const double p[3], double flipped[3])
{
    for (int axis = 0; axis < 3; axis++) {
        flipped[axis] = (r[3 * axis] * p[0] + r[3 * axis + 1] * p[1]) + r[3 * axis + 2] * p[2];
    }
}

/* A ball whose centre is beyond the numbers becomes one without limit: such a centre compares with nothing. */
static void keep_finite(struct bound_volume *volume)
{
    if (!(fabs(volume->v[0]) <= DBL_MAX && fabs(volume->v[1]) <= DBL_MAX && fabs(volume->v[2]) <= DBL_MAX)) {
        volume->v[0] = volume->v[1] = volume->v[2] = 0;
        volume->v[3] = volume->error = INFINITY;
    }
}

/* How far the rotations of the node's facets are from its own: the largest norm of the difference; 2 bounds the stretch
 * of any difference of two rotations. The matrices are off by a few u each, which adds less than 100 u times the
 * offset: part of the pad. */
static double facets_turning(const struct embedding_bounds *bounds, const struct embedding_node *node,
                             const double rotation[9])
{
    double largest = 0;
    for (uint32_t i = node->first_facet; i < node->first_facet + node->facet_count && largest < 4; i++) {
        const double *turn = bounds->model->turns[bounds->facets[i]];
        double square = 0;
        for (int k = 0; k < 9; k++) {
            square += (turn[k] - rotation[k]) * (turn[k] - rotation[k]);
        }
        largest = square > largest ? square : largest;
    }
    return largest < 4 ? sqrt(largest) : 2;
}

static void compute_direct(struct bound_tree *tree, uint32_t number)
{
    struct embedding_bounds *bounds = tree->embedding;
    const dent_embedding *model = bounds->model;
    const struct embedding_node *node = &bounds->nodes[number];
    const struct support *supports = &bounds->supports[node->first_support];
    struct bound_volume *volume = &tree->volumes[number];
    struct embedding_rotation *rotation = &bounds->rotations[node->rotation];
    if (rotation->stamp != (uint32_t)tree->epoch) {
        fit_rotation(bounds, rotation);
        rotation->stamp = (uint32_t)tree->epoch;
    }
    double z[REDUCED_SUPPORT_ROOM][3], mean[3] = {0}, growth = 0;
    for (uint32_t i = 0; i < node->support_count; i++) {
        double flipped[3];
        rotate(rotation->matrix, model->coarse_rest[supports[i].coarse], flipped);
        for (int axis = 0; axis < 3; axis++) {
            z[i][axis] = model->coarse[supports[i].coarse][axis] - flipped[axis];
            mean[axis] += supports[i].mean * z[i][axis];
        }
    }
    for (uint32_t i = 0; i < node->support_count; i++) {
        growth += supports[i].spread * distance_above(z[i], mean);
    }
    growth *= 1 + (node->support_count + 8) * 0x1p-52;
    double most = 4 * (model->largest + 2 * model->largest_rest) + node->longest;
    double pad = (node->support_count + 32) * 0x1p-49 * most;
    double turning = up(facets_turning(bounds, node, rotation->matrix) * node->longest);
    double radius_base = up(up(up(node->base.radius + growth) + node->longest) + pad);
    double radius_dense = up(up(up(node->dense.radius + growth) + turning) + pad);
    bool by_dense = radius_dense < radius_base;
    const struct rest_ball *ball = by_dense ? &node->dense : &node->base;
    double radius = by_dense ? radius_dense : radius_base;
    double around = up(up(up(radius + ball->near) + growth) + up(turning + pad));
    rotate(rotation->matrix, ball->centre, volume->v);
    for (int axis = 0; axis < 3; axis++) {
        volume->v[axis] += mean[axis];
    }
    volume->v[3] = radius;
    volume->error = around < 2 * radius ? around : 2 * radius;
    keep_finite(volume);
    embedding_vertex(model, ball->nearest, bound_witness(tree, number));
}

/* Encloses the children's balls: middle of their bounds, then the farthest reach. The centre of a child's ball is at
 * most error - radius from a face. */
static void compute_layered(struct bound_tree *tree, uint32_t number)
{
    const struct bound_link *link = &tree->links[number];
    struct bound_volume *volume = &tree->volumes[number];
    double near = INFINITY, nearest = INFINITY, radius = 0;
    uint32_t witness_of = link->first_child;
    for (int axis = 0; axis < 3; axis++) {
        double lo = INFINITY, hi = -INFINITY;
        for (uint32_t i = 0; i < link->child_count; i++) {
            const double *child = tree->volumes[link->first_child + i].v;
            lo = child[axis] - child[3] < lo ? child[axis] - child[3] : lo;
            hi = child[axis] + child[3] > hi ? child[axis] + child[3] : hi;
        }
        volume->v[axis] = lo * 0.5 + hi * 0.5;
    }
    for (uint32_t i = 0; i < link->child_count; i++) {
        const struct bound_volume *child = &tree->volumes[link->first_child + i];
        double distance = distance_above(volume->v, child->v), reach = up(distance + child->v[3]);
        double to_face = up(distance + up(child->error - child->v[3]));
        radius = reach > radius ? reach : radius;
        near = to_face < near ? to_face : near;
        double to_witness = distance_above(volume->v, bound_witness(tree, link->first_child + i));
        witness_of = to_witness < nearest ? link->first_child + i : witness_of;
        nearest = to_witness < nearest ? to_witness : nearest;
    }
    memcpy(bound_witness(tree, number), bound_witness(tree, witness_of), 3 * sizeof(double));
    volume->v[3] = radius;
    volume->error = up(radius + near) < 2 * radius ? up(radius + near) : 2 * radius;
    keep_finite(volume);
}

uint32_t embedding_bounds_compute(struct bound_tree *tree, uint32_t node)
{
    const struct embedding_node *embedding = &tree->embedding->nodes[node];
    compute_direct(tree, node); /* nodes that enclose their children are never out of date: see the update */
    tree->embedding->stamps[node].volume = (uint32_t)tree->epoch;
    return 1 + embedding->support_count / 8;
}

uint32_t embedding_bounds_positions(struct bound_tree *tree, uint32_t leaf)
{
    const struct bound_link *link = &tree->links[leaf];
    uint32_t begin = tree->vertex_start[link->first_face],
             end = tree->vertex_start[link->first_face + link->face_count];
    for (uint32_t i = begin; i < end; i++) {
        embedding_vertex(tree->embedding->model, tree->vertices[i], tree->xyz[tree->vertices[i]]);
    }
    tree->embedding->stamps[leaf].positions = (uint32_t)tree->epoch;
    return 1 + (end - begin) / 2;
}

void embedding_bounds_update(struct bound_tree *tree)
{
    tree->embedding->model_epoch = tree->embedding->model->epoch;
    for (uint32_t node = tree->embedding->enclosing_end; node-- > 0;) {
        if (tree->embedding->nodes[node].rotation != UINT32_MAX) {
            continue;
        }
        for (uint32_t i = 0; i < tree->links[node].child_count; i++) {
            bound_tree_touch(tree, tree->links[node].first_child + i);
        }
        compute_layered(tree, node);
        tree->embedding->stamps[node].volume = (uint32_t)tree->epoch;
    }
}
