/* Two trees are walked in the frame of the body; the features of near faces are compared. See haptic_near.h. */
#include "haptic/haptic_near.h"

/* Sines. A normal may leave the cone of an edge or vertex by rounding alone: it shows in the direction of a force. */
#define CONE_TOLERANCE 1e-7
/* The other side only tells whether a contact is needed. */
#define LOOSE_TOLERANCE 1e-3

/* What both walks and tests need. The three points of a face of the tool, in the frame of the body. */
struct near_faces {
    struct haptic_search *search;
    struct haptic_place to_body; /* of points of the tool */
    struct haptic_place to_space;
    const struct haptic_face *tool, *body;
    double a[3][3], b[3][3];
};

/* One feature on each side, their closest points, and the direction from the body to the tool. */
struct near_pair {
    uint32_t kind, feature_tool, feature_body;
    uint32_t vertices[3];
    double weights[3];
    double tool[3], body[3], normal[3];
    double gap;
};

static uint64_t mixed(uint64_t a, uint64_t b)
{
    dent_random random = dent_random_seeded(a * UINT64_C(0x9E3779B97F4A7C15) ^ b);
    return dent_random_bits(&random);
}

static void put(struct near_faces *near, const struct near_pair *pair)
{
    struct haptic_search *search = near->search;
    struct haptic_near record = {.body = search->body, .gap = pair->gap};
    record.key = mixed(mixed(search->body, pair->kind), (uint64_t)pair->feature_tool << 32 | pair->feature_body);
    memcpy(record.vertices, pair->vertices, sizeof record.vertices);
    memcpy(record.weights, pair->weights, sizeof record.weights);
    haptic_point(&near->to_space, pair->tool, record.point_tool);
    haptic_point(&near->to_space, pair->body, record.point_body);
    haptic_direction(&near->to_space, pair->normal, record.normal);
    search->out_of_memory = search->out_of_memory || !array_push(search->found, &record);
}

/* ---- a point and a triangle -------------------------------------------------------------------------------------- */

enum part { PART_INSIDE, PART_EDGE, PART_CORNER };

struct closest {
    enum part part;
    int index;         /* of the edge or corner */
    double weights[3]; /* of the corners */
    double point[3];
};

static void on_edge(const double corners[3][3], const double point[3], int edge, struct closest *closest)
{
    const double *from = corners[edge], *to = corners[(edge + 1) % 3];
    double along[3], away[3];
    haptic_subtract(to, from, along);
    haptic_subtract(point, from, away);
    double square = haptic_dot(along, along), share = square > 0 ? haptic_dot(away, along) / square : 0;
    closest->part = share > 0 && share < 1 ? PART_EDGE : PART_CORNER;
    closest->index = share > 0 && share < 1 ? edge : share > 0 ? (edge + 1) % 3 : edge;
    share = share > 0 ? fmin(share, 1) : 0;
    closest->weights[edge] = 1 - share;
    closest->weights[(edge + 1) % 3] = share;
    closest->weights[(edge + 2) % 3] = 0;
    for (int k = 0; k < 3; k++) {
        closest->point[k] = from[k] + share * along[k];
    }
}

static double square_distance(const double a[3], const double b[3])
{
    double d[3];
    haptic_subtract(a, b, d);
    return haptic_dot(d, d);
}

/* Inside if the point lies on the inner side of all three edges; else the nearest of the edges. */
static void closest_on_triangle(const double corners[3][3], const double point[3], const double normal[3],
                                double normal_square, struct closest *closest)
{
    double sides[3], sum = 0, away[3];
    bool inside = normal_square > 0;
    for (int k = 0; k < 3; k++) {
        double along[3], across[3];
        haptic_subtract(corners[(k + 2) % 3], corners[(k + 1) % 3], along);
        haptic_subtract(point, corners[(k + 1) % 3], away);
        haptic_cross(along, away, across);
        sides[k] = haptic_dot(across, normal);
        inside = inside && sides[k] > 0;
        sum += sides[k];
    }
    if (inside && sum > 0) {
        closest->part = PART_INSIDE;
        closest->index = 0;
        haptic_subtract(point, corners[0], away);
        double height = haptic_dot(away, normal) / normal_square;
        for (int k = 0; k < 3; k++) {
            closest->weights[k] = sides[k] / sum;
            closest->point[k] = point[k] - height * normal[k];
        }
        return;
    }
    struct closest other;
    on_edge(corners, point, 0, closest);
    for (int edge = 1; edge < 3; edge++) {
        on_edge(corners, point, edge, &other);
        if (square_distance(other.point, point) < square_distance(closest->point, point)) {
            *closest = other;
        }
    }
}

/* ---- cones ------------------------------------------------------------------------------------------------------- */

/* A mesh in the coordinates of the search: the tool's points are moved there. */
static void point_of(const struct near_faces *near, bool of_tool, uint32_t vertex, double point[3])
{
    const struct haptic_mesh *mesh = of_tool ? near->search->tool : near->search->mesh;
    const double *at = mesh->points + 3 * (size_t)vertex;
    if (of_tool) {
        haptic_point(&near->to_body, at, point);
    } else {
        memcpy(point, at, 3 * sizeof *point);
    }
}

/* Does the direction lead away from all edges of a vertex? */
static bool in_vertex_cone(const struct near_faces *near, bool of_tool, uint32_t vertex, const double direction[3],
                           double tolerance)
{
    const struct haptic_mesh *mesh = of_tool ? near->search->tool : near->search->mesh;
    double at[3], other[3], along[3];
    point_of(near, of_tool, vertex, at);
    for (uint32_t i = mesh->first_neighbour[vertex]; i < mesh->first_neighbour[vertex + 1]; i++) {
        point_of(near, of_tool, mesh->neighbours[i], other);
        haptic_subtract(other, at, along);
        if (haptic_dot(along, direction) > tolerance * haptic_length(along)) {
            return false;
        }
    }
    return true;
}

/* Does the direction, which is across an edge, lead away from its faces? Not from an edge that is flat to `ridge`, if
 * that is above 0: such an edge is part of a face. */
static bool in_edge_cone(const struct near_faces *near, bool of_tool, uint32_t edge, const double direction[3],
                         double tolerance, double ridge)
{
    const struct haptic_mesh *mesh = of_tool ? near->search->tool : near->search->mesh;
    const struct haptic_edge *record = &mesh->edges[edge];
    double from[3], to[3], along[3];
    bool bends = record->opposite[1] == HAPTIC_NONE;
    point_of(near, of_tool, record->ends[0], from);
    point_of(near, of_tool, record->ends[1], to);
    haptic_subtract(to, from, along);
    double square = haptic_dot(along, along);
    for (int side = 0; side < 2 && record->opposite[side] != HAPTIC_NONE; side++) {
        double in[3];
        point_of(near, of_tool, record->opposite[side], in);
        haptic_subtract(in, from, in);
        double share = square > 0 ? haptic_dot(in, along) / square : 0;
        for (int k = 0; k < 3; k++) {
            in[k] -= share * along[k];
        }
        double sine = haptic_dot(in, direction), length = haptic_length(in);
        if (sine > tolerance * length) {
            return false;
        }
        bends = bends || sine < -ridge * length;
    }
    return bends || ridge == 0;
}

/* ---- vertex and face --------------------------------------------------------------------------------------------- */

/* Is the closest point, which is not inside the face, the nearest of the whole surface around it? */
static bool is_local_minimum(const struct near_faces *near, bool vertex_of_tool, uint32_t vertex,
                             const struct haptic_face *face, const struct closest *closest, const double away[3])
{
    bool face_of_tool = !vertex_of_tool;
    double back[3] = {-away[0], -away[1], -away[2]};
    if (closest->part == PART_EDGE) {
        return (face->owned_edges >> closest->index & 1) &&
               in_edge_cone(near, face_of_tool, face->edges[closest->index], away, CONE_TOLERANCE, 0) &&
               in_vertex_cone(near, vertex_of_tool, vertex, back, LOOSE_TOLERANCE);
    }
    /* Two vertices: found from both sides, kept from one. */
    return vertex_of_tool && (face->owned_corners >> closest->index & 1) &&
           in_vertex_cone(near, face_of_tool, face->corners[closest->index], away, CONE_TOLERANCE) &&
           in_vertex_cone(near, vertex_of_tool, vertex, back, LOOSE_TOLERANCE);
}

static void test_vertex(struct near_faces *near, bool vertex_of_tool, int corner)
{
    const struct haptic_face *face = vertex_of_tool ? near->body : near->tool;
    uint32_t vertex = (vertex_of_tool ? near->tool : near->body)->corners[corner];
    const double *point = (vertex_of_tool ? near->a : near->b)[corner];
    const double(*corners)[3] = (const double(*)[3])(vertex_of_tool ? near->b : near->a);
    double along[3], other[3], normal[3], away[3];
    struct closest closest;
    haptic_subtract(corners[1], corners[0], along);
    haptic_subtract(corners[2], corners[0], other);
    haptic_cross(along, other, normal);
    double square = haptic_dot(normal, normal);
    closest_on_triangle(corners, point, normal, square, &closest);
    haptic_subtract(point, closest.point, away); /* from the face to the vertex */
    double gap = haptic_length(away);
    near->search->least = haptic_least(near->search->least, gap);
    if (!(gap <= near->search->band) || !(gap > 0)) {
        return;
    }
    if (closest.part == PART_INSIDE) {
        double size = sqrt(square), sign = haptic_dot(away, normal) < 0 ? -1 : 1;
        for (int k = 0; k < 3; k++) {
            away[k] = sign * normal[k] / size;
        }
    } else {
        for (int k = 0; k < 3; k++) {
            away[k] /= gap;
        }
        if (!is_local_minimum(near, vertex_of_tool, vertex, face, &closest, away)) {
            return;
        }
    }
    struct near_pair pair = {.kind = vertex_of_tool ? 1 : 2, .gap = gap, .feature_tool = vertex};
    uint32_t part = closest.part == PART_INSIDE ? face->corners[0]
                    : closest.part == PART_EDGE ? face->edges[closest.index]
                                                : face->corners[closest.index];
    pair.kind += 2 * (uint32_t)closest.part;
    pair.feature_tool = vertex_of_tool ? vertex : part;
    pair.feature_body = vertex_of_tool ? part : vertex;
    for (int k = 0; k < 3; k++) {
        pair.vertices[k] = vertex_of_tool ? face->corners[k] : vertex;
        pair.weights[k] = vertex_of_tool ? closest.weights[k] : k == 0 ? 1 : 0;
        pair.tool[k] = vertex_of_tool ? point[k] : closest.point[k];
        pair.body[k] = vertex_of_tool ? closest.point[k] : point[k];
        pair.normal[k] = vertex_of_tool ? away[k] : -away[k];
    }
    put(near, &pair);
}

/* ---- edge and edge ----------------------------------------------------------------------------------------------- */

/* Shares of the closest points of two lines, if both lie between the ends and the lines are not nearly parallel. */
static bool closest_on_lines(const double a0[3], const double along_a[3], const double b0[3], const double along_b[3],
                             const double across[3], double *share_a, double *share_b)
{
    double between[3], product[3];
    double square = haptic_dot(across, across);
    double limit = 1e-12 * haptic_dot(along_a, along_a) * haptic_dot(along_b, along_b); /* sine 1e-6 */
    if (!(square > limit)) {
        return false;
    }
    haptic_subtract(b0, a0, between);
    haptic_cross(between, along_b, product);
    *share_a = haptic_dot(product, across) / square;
    haptic_cross(between, along_a, product);
    *share_b = haptic_dot(product, across) / square;
    return *share_a > 0 && *share_a < 1 && *share_b > 0 && *share_b < 1;
}

static void test_edges(struct near_faces *near, int edge_a, int edge_b)
{
    const double *a0 = near->a[edge_a], *b0 = near->b[edge_b];
    double along_a[3], along_b[3], across[3], away[3], share_a, share_b;
    haptic_subtract(near->a[(edge_a + 1) % 3], a0, along_a);
    haptic_subtract(near->b[(edge_b + 1) % 3], b0, along_b);
    haptic_cross(along_a, along_b, across);
    if (!closest_on_lines(a0, along_a, b0, along_b, across, &share_a, &share_b)) {
        return; /* then an end of one of them is nearest */
    }
    struct near_pair pair = {.kind = 7};
    for (int k = 0; k < 3; k++) {
        pair.tool[k] = a0[k] + share_a * along_a[k];
        pair.body[k] = b0[k] + share_b * along_b[k];
    }
    haptic_subtract(pair.tool, pair.body, away);
    pair.gap = haptic_length(away);
    near->search->least = haptic_least(near->search->least, pair.gap);
    if (!(pair.gap <= near->search->band) || !(pair.gap > 0)) {
        return;
    }
    double size = haptic_length(across), sign = haptic_dot(away, across) < 0 ? -1 : 1;
    double back[3];
    for (int k = 0; k < 3; k++) {
        pair.normal[k] = sign * across[k] / size;
        back[k] = -pair.normal[k];
    }
    pair.feature_tool = near->tool->edges[edge_a];
    pair.feature_body = near->body->edges[edge_b];
    if (!in_edge_cone(near, false, pair.feature_body, pair.normal, LOOSE_TOLERANCE, LOOSE_TOLERANCE) ||
        !in_edge_cone(near, true, pair.feature_tool, back, LOOSE_TOLERANCE, LOOSE_TOLERANCE)) {
        return;
    }
    pair.vertices[0] = near->body->corners[edge_b];
    pair.vertices[1] = pair.vertices[2] = near->body->corners[(edge_b + 1) % 3];
    pair.weights[0] = 1 - share_b;
    pair.weights[1] = share_b;
    put(near, &pair);
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

static bool ranges_are_far(const double a[3][3], const double b[3][3], double band)
{
    for (int k = 0; k < 3; k++) {
        double a_lo = haptic_least(a[0][k], haptic_least(a[1][k], a[2][k]));
        double a_hi = haptic_most(a[0][k], haptic_most(a[1][k], a[2][k]));
        double b_lo = haptic_least(b[0][k], haptic_least(b[1][k], b[2][k]));
        double b_hi = haptic_most(b[0][k], haptic_most(b[1][k], b[2][k]));
        if (a_lo - b_hi > band || b_lo - a_hi > band) {
            return true;
        }
    }
    return false;
}

/* All of b on one side of the plane of a, by more than the band and rounding? */
static bool plane_parts(const double a[3][3], const double b[3][3], double band)
{
    double along[3], other[3], normal[3], away[3], heights[3];
    haptic_subtract(a[1], a[0], along);
    haptic_subtract(a[2], a[0], other);
    haptic_cross(along, other, normal);
    for (int c = 0; c < 3; c++) {
        haptic_subtract(b[c], a[0], away);
        heights[c] = haptic_dot(away, normal);
    }
    double lo = haptic_least(heights[0], haptic_least(heights[1], heights[2]));
    double hi = haptic_most(heights[0], haptic_most(heights[1], heights[2]));
    double height = lo > 0 ? lo : -hi;
    return height > 0 && height * height > 1.01 * band * band * haptic_dot(normal, normal);
}

static bool faces_are_far(const struct near_faces *near)
{
    const double(*a)[3] = (const double(*)[3])near->a, (*b)[3] = (const double(*)[3])near->b;
    double band = near->search->band;
    return ranges_are_far(a, b, band) || plane_parts(a, b, band) || plane_parts(b, a, band);
}

static void test_faces(struct near_faces *near)
{
    if (faces_are_far(near)) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        if (near->tool->owned_corners >> i & 1) {
            test_vertex(near, true, i);
        }
        if (near->body->owned_corners >> i & 1) {
            test_vertex(near, false, i);
        }
        for (int k = 0; k < 3 && (near->tool->owned_edges >> i & 1); k++) {
            if (near->body->owned_edges >> k & 1) {
                test_edges(near, i, k);
            }
        }
    }
}

static bool is_beside(double face[3][3], const struct haptic_box *box)
{
    for (int k = 0; k < 3; k++) {
        if (haptic_least(face[0][k], haptic_least(face[1][k], face[2][k])) > box->hi[k] ||
            haptic_most(face[0][k], haptic_most(face[1][k], face[2][k])) < box->lo[k]) {
            return true;
        }
    }
    return false;
}

static void test_leaves(struct near_faces *near, uint32_t leaf_a, uint32_t leaf_b)
{
    const struct haptic_mesh *tool = near->search->tool, *mesh = near->search->mesh;
    double points[HAPTIC_LEAF][3][3], band = near->search->band;
    struct haptic_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    uint32_t first = HAPTIC_LEAF * leaf_a, count = tool->face_count - first;
    count = first >= tool->face_count ? 0 : count < HAPTIC_LEAF ? count : HAPTIC_LEAF;
    for (uint32_t f = 0; f < count; f++) {
        for (int c = 0; c < 3; c++) {
            point_of(near, true, tool->faces[first + f].corners[c], points[f][c]);
            for (int k = 0; k < 3; k++) {
                box.lo[k] = haptic_least(box.lo[k], points[f][c][k] - band);
                box.hi[k] = haptic_most(box.hi[k], points[f][c][k] + band);
            }
        }
    }
    for (uint32_t g = HAPTIC_LEAF * leaf_b; g < HAPTIC_LEAF * (leaf_b + 1) && g < mesh->face_count; g++) {
        near->body = &mesh->faces[g];
        for (int c = 0; c < 3; c++) {
            point_of(near, false, near->body->corners[c], near->b[c]);
        }
        for (uint32_t f = 0; f < count && !is_beside(near->b, &box); f++) {
            near->tool = &tool->faces[first + f];
            memcpy(near->a, points[f], sizeof near->a);
            test_faces(near);
        }
    }
}

/* A box of the tool as the body sees it: the middle moves, the half sides are added up. */
static bool boxes_are_far(const struct near_faces *near, const struct haptic_box *a, const struct haptic_box *b)
{
    double middle[3], half[3];
    if (!(a->lo[0] <= a->hi[0]) || !(b->lo[0] <= b->hi[0])) {
        return true;
    }
    for (int k = 0; k < 3; k++) {
        middle[k] = a->lo[k] / 2 + a->hi[k] / 2;
        half[k] = (a->hi[k] / 2 - a->lo[k] / 2) * (1 + 1e-14);
    }
    haptic_point(&near->to_body, middle, middle);
    for (int k = 0; k < 3; k++) {
        const double *row = near->to_body.m + 4 * k;
        double size = (fabs(row[0]) * half[0] + fabs(row[1]) * half[1]) + fabs(row[2]) * half[2];
        size += near->search->band + 1e-14 * (fabs(middle[k]) + size);
        if (middle[k] - size > b->hi[k] || middle[k] + size < b->lo[k]) {
            return true;
        }
    }
    return false;
}

static double box_size(const struct haptic_box *box)
{
    return haptic_most(box->hi[0] - box->lo[0], haptic_most(box->hi[1] - box->lo[1], box->hi[2] - box->lo[2]));
}

void haptic_search_run(struct haptic_search *search)
{
    enum { STACK = 128 }; /* each step down adds one entry; trees have at most 29 levels each */
    uint32_t stack[STACK][2], top = 0;
    const struct haptic_mesh *tool = search->tool, *mesh = search->mesh;
    dent_pose inverse = dent_pose_inverse(&search->body_pose);
    dent_pose relative = dent_pose_product(&inverse, &search->tool_pose);
    struct near_faces near = {.search = search};
    near.to_body = haptic_place_of(&relative);
    near.to_space = haptic_place_of(&search->body_pose);
    stack[top][0] = stack[top][1] = 1;
    top++;
    while (top > 0) {
        uint32_t a = stack[--top][0], b = stack[top][1];
        const struct haptic_box *box_a = &tool->boxes[a], *box_b = &mesh->boxes[b];
        if (boxes_are_far(&near, box_a, box_b)) {
            continue;
        }
        bool leaf_a = a >= tool->leaf_count, leaf_b = b >= mesh->leaf_count;
        if (leaf_a && leaf_b) {
            test_leaves(&near, a - tool->leaf_count, b - mesh->leaf_count);
            continue;
        }
        bool split_a = leaf_b || (!leaf_a && box_size(box_a) > box_size(box_b));
        for (uint32_t child = 0; child < 2; child++, top++) {
            stack[top][0] = split_a ? 2 * a + child : a;
            stack[top][1] = split_a ? b : 2 * b + child;
        }
    }
}
