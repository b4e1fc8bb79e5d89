/* Tools and scenes for a hand that is a function of time: meshes, poses, and an exact check of where everything is. For
 * tests and benchmarks. */
#ifndef DENT_TESTS_HAPTIC_FIELD_H
#define DENT_TESTS_HAPTIC_FIELD_H

#include <dent/dent.h>
#include <dent/haptic.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HAPTIC_FIELD_BODIES = 8 };

struct haptic_shape {
    uint32_t vertex_count, face_count;
    double *points;
    uint32_t *faces;
};

struct haptic_field {
    dent_context *context;
    struct haptic_shape tool, shapes[HAPTIC_FIELD_BODIES];
    dent_haptic_body bodies[HAPTIC_FIELD_BODIES];
    uint32_t body_count;
    dent_linkage *linkage;
    /* the exact check */
    dent_world *world;
    double *placed[HAPTIC_FIELD_BODIES + 1];
};

static inline struct haptic_shape haptic_shape_make(uint32_t vertices, uint32_t faces)
{
    struct haptic_shape shape = {vertices, faces, malloc((size_t)vertices * 3 * sizeof(double)),
                                 malloc((size_t)faces * 3 * sizeof(uint32_t))};
    return shape;
}

static inline struct haptic_shape haptic_box(double x, double y, double z)
{
    static const uint32_t faces[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                       2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    struct haptic_shape shape = haptic_shape_make(8, 12);
    for (int c = 0; c < 8; c++) {
        shape.points[3 * c] = c & 1 ? x : -x;
        shape.points[3 * c + 1] = c & 2 ? y : -y;
        shape.points[3 * c + 2] = c & 4 ? z : -z;
    }
    memcpy(shape.faces, faces, sizeof faces);
    return shape;
}

static inline void haptic_shape_move(struct haptic_shape *shape, double x, double y, double z)
{
    for (uint32_t v = 0; v < shape->vertex_count; v++) {
        shape->points[3 * v] += x;
        shape->points[3 * v + 1] += y;
        shape->points[3 * v + 2] += z;
    }
}

/* A ball of 2 * rings * sides - 2 * sides triangles. */
static inline struct haptic_shape haptic_ball(double radius, uint32_t rings, uint32_t sides)
{
    struct haptic_shape shape = haptic_shape_make((rings - 1) * sides + 2, 2 * sides * (rings - 1));
    uint32_t last = shape.vertex_count - 1, face = 0;
    double pi = 3.14159265358979323846;
    for (uint32_t r = 1; r < rings; r++) {
        for (uint32_t s = 0; s < sides; s++) {
            double *p = shape.points + 3 * (size_t)(1 + (r - 1) * sides + s), sine, cosine, across, up;
            dent_sine_cosine(pi * r / rings, &across, &up);
            dent_sine_cosine(2 * pi * s / sides, &sine, &cosine);
            p[0] = radius * across * cosine;
            p[1] = radius * across * sine;
            p[2] = radius * up;
        }
    }
    double *top = shape.points, *bottom = shape.points + 3 * (size_t)last;
    top[0] = top[1] = bottom[0] = bottom[1] = 0;
    top[2] = radius;
    bottom[2] = -radius;
    for (uint32_t s = 0; s < sides; s++) {
        uint32_t n = (s + 1) % sides, low = 1 + (rings - 2) * sides;
        uint32_t ends[6] = {0, 1 + s, 1 + n, last, low + n, low + s};
        memcpy(shape.faces + 3 * face, ends, sizeof ends);
        face += 2;
        for (uint32_t r = 0; r + 2 < rings; r++) {
            uint32_t a = 1 + r * sides, b = a + sides;
            uint32_t quad[6] = {a + s, b + s, b + n, a + s, b + n, a + n};
            memcpy(shape.faces + 3 * face, quad, sizeof quad);
            face += 2;
        }
    }
    return shape;
}

/* A sheet of n x n squares over [-half, half]^2 at z = height(x, y). */
static inline struct haptic_shape haptic_sheet(double half, uint32_t n, double (*height)(double x, double y))
{
    struct haptic_shape shape = haptic_shape_make((n + 1) * (n + 1), 2 * n * n);
    for (uint32_t i = 0; i <= n; i++) {
        for (uint32_t k = 0; k <= n; k++) {
            double *p = shape.points + 3 * (size_t)(i * (n + 1) + k);
            p[0] = half * (2.0 * k / n - 1);
            p[1] = half * (2.0 * i / n - 1);
            p[2] = height ? height(p[0], p[1]) : 0;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < n; k++) {
            uint32_t a = i * (n + 1) + k, b = a + n + 1;
            uint32_t quad[6] = {a, a + 1, b + 1, a, b + 1, b};
            memcpy(shape.faces + 6 * ((size_t)i * n + k), quad, sizeof quad);
        }
    }
    return shape;
}

/* ---- the field --------------------------------------------------------------------------------------------------- */

static inline dent_body_def haptic_body_def(const struct haptic_shape *shape, const char *name)
{
    dent_body_def def = dent_surface_def_default();
    def.name = name;
    def.vertex_count = shape->vertex_count;
    def.element_count = shape->face_count;
    def.element_corners = shape->faces;
    def.positions_t0 = dent_positions_double(shape->points);
    return def;
}

static inline void haptic_field_open(struct haptic_field *field, dent_context *context, struct haptic_shape tool)
{
    memset(field, 0, sizeof *field);
    field->context = context;
    field->tool = tool;
}

static inline dent_haptic_body *haptic_field_add(struct haptic_field *field, const char *name, dent_haptic_kind kind,
                                                 struct haptic_shape shape)
{
    uint32_t i = field->body_count++;
    field->shapes[i] = shape;
    field->bodies[i] = (dent_haptic_body){.kind = kind, .pose = dent_pose_identity()};
    field->bodies[i].shape = haptic_body_def(&field->shapes[i], name);
    return &field->bodies[i];
}

static inline dent_haptic_def haptic_field_def(const struct haptic_field *field, double x, double y, double z)
{
    dent_haptic_def def = dent_haptic_def_default();
    def.tool = haptic_body_def(&field->tool, "tool");
    def.bodies = field->bodies;
    def.body_count = field->body_count;
    def.linkage = field->linkage;
    def.start.translation[0] = x;
    def.start.translation[1] = y;
    def.start.translation[2] = z;
    return def;
}

static inline void haptic_field_close(struct haptic_field *field)
{
    dent_world_destroy(field->world);
    for (uint32_t i = 0; i < field->body_count; i++) {
        free(field->shapes[i].points);
        free(field->shapes[i].faces);
    }
    for (uint32_t i = 0; i <= field->body_count; i++) {
        free(field->placed[i]);
    }
    free(field->tool.points);
    free(field->tool.faces);
    dent_linkage_destroy(field->linkage);
}

static inline dent_pose haptic_pose(double x, double y, double z)
{
    dent_pose pose = dent_pose_identity();
    pose.translation[0] = x;
    pose.translation[1] = y;
    pose.translation[2] = z;
    return pose;
}

static inline dent_pose haptic_turned(double x, double y, double z, double angle, int axis)
{
    dent_pose pose = haptic_pose(x, y, z);
    double sine, cosine;
    dent_sine_cosine(angle / 2, &sine, &cosine);
    pose.rotation[0] = cosine;
    pose.rotation[1 + axis] = sine;
    return pose;
}

/* ---- the exact check --------------------------------------------------------------------------------------------- */

static inline void haptic_place_shape(const struct haptic_shape *shape, const dent_pose *pose, double *placed)
{
    double m[16];
    dent_pose_to_matrix(pose, m);
    for (uint32_t v = 0; v < shape->vertex_count; v++) {
        const double *p = shape->points + 3 * (size_t)v;
        for (int k = 0; k < 3; k++) {
            placed[3 * v + k] = m[4 * k] * p[0] + m[4 * k + 1] * p[1] + m[4 * k + 2] * p[2] + m[4 * k + 3];
        }
    }
}

/* A world of the tool (placed[0]) and the bodies (placed[1 + i]), in which only the tool's pairs count. */
static inline bool haptic_check_open(struct haptic_field *field)
{
    field->world = dent_world_create(field->context);
    bool good = field->world != NULL;
    for (uint32_t i = 0; i <= field->body_count && good; i++) {
        const struct haptic_shape *shape = i ? &field->shapes[i - 1] : &field->tool;
        field->placed[i] = malloc((size_t)shape->vertex_count * 3 * sizeof(double));
        dent_body_def def = haptic_body_def(shape, i ? field->bodies[i - 1].shape.name : "tool");
        def.positions_t0 = dent_positions_double(field->placed[i]);
        def.self_collision = false;
        def.collision_group = i ? 2 : 1;
        def.collision_mask = i ? 1 : 2;
        dent_pose identity = dent_pose_identity();
        haptic_place_shape(shape, i ? &field->bodies[i - 1].pose : &identity, field->placed[i]);
        dent_body_id id;
        good = dent_world_add_body(field->world, &def, &id) == DENT_OK;
    }
    return good;
}

/* Pairs of faces that cross or touch, exactly; UINT64_MAX if the query fails. */
static inline uint64_t haptic_crossings(struct haptic_field *field, const dent_pose *tool)
{
    if (!field->world && !haptic_check_open(field)) {
        return UINT64_MAX;
    }
    dent_query_def def = dent_query_def_default();
    dent_query_result result;
    haptic_place_shape(&field->tool, tool, field->placed[0]);
    def.questions = DENT_QUESTION_FACE_FACE;
    def.touching = true;
    return dent_world_query(field->world, &def, &result) == DENT_OK ? result.face_face.count : UINT64_MAX;
}

#endif
