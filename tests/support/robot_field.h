/* The kit's UR5e among boxes: a world for motion queries, random joint values, and a field of obstacles that is the
 * same everywhere. For tests and benchmarks. */
#ifndef DENT_TESTS_ROBOT_FIELD_H
#define DENT_TESTS_ROBOT_FIELD_H

#include <dent/dent.h>
#include <dent/urdf.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELD_LINKS_MAX = 16, FIELD_BOXES_MAX = 64, FIELD_VALUES_MAX = 16 };

struct robot_field {
    dent_context *context;
    dent_robot *robot;
    dent_world *world;
    dent_body_id links[FIELD_LINKS_MAX];
    uint32_t box_count;
    double boxes[FIELD_BOXES_MAX][8][3];
    dent_body_id box_ids[FIELD_BOXES_MAX];
    uint32_t body_count;
    dent_motion_body bodies[FIELD_LINKS_MAX + FIELD_BOXES_MAX];
    uint32_t excluded_count;
    dent_excluded_pair excluded[FIELD_LINKS_MAX * FIELD_LINKS_MAX];
    dent_motion_frame frames[FIELD_LINKS_MAX];
};

static const uint32_t field_box_triangles[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};

/* Boxes of 4 to 20 cm a side within reach, none nearer to the foot of the robot than 30 cm. */
static inline bool robot_field_add_box(struct robot_field *field, dent_random *random)
{
    double centre[3], distance;
    do {
        distance = 0;
        for (int k = 0; k < 3; k++) {
            centre[k] = 1.8 * dent_random_unit(random) - 0.9 + (k == 2 ? 0.4 : 0);
            distance += k < 2 ? centre[k] * centre[k] : 0;
        }
    } while (distance < 0.3 * 0.3);
    double half[3];
    for (int k = 0; k < 3; k++) {
        half[k] = 0.02 + 0.08 * dent_random_unit(random);
    }
    double(*corners)[3] = field->boxes[field->box_count];
    for (int c = 0; c < 8; c++) {
        for (int k = 0; k < 3; k++) {
            corners[c][k] = centre[k] + (c >> k & 1 ? half[k] : -half[k]);
        }
    }
    dent_body_def def = dent_surface_def_default();
    def.name = "box";
    def.vertex_count = 8;
    def.element_count = 12;
    def.element_corners = field_box_triangles[0];
    def.positions_t0 = dent_positions_double(corners[0]);
    if (dent_world_add_body(field->world, &def, &field->box_ids[field->box_count]) != DENT_OK) {
        return false;
    }
    field->bodies[field->body_count].body = field->box_ids[field->box_count++];
    field->bodies[field->body_count++].frame = DENT_FRAME_WORLD;
    return true;
}

/* False: could not be made; the context has the message. Close it in any case. */
static inline bool robot_field_open(struct robot_field *field, dent_context *context, const char *kit, uint32_t boxes)
{
    char path[4096];
    memset(field, 0, sizeof *field);
    field->context = context;
    snprintf(path, sizeof path, "%s/meshes/robot-ur5e/ur5e.urdf", kit);
    if (dent_robot_read(context, path, NULL, &field->robot) != DENT_OK || field->robot->link_count > FIELD_LINKS_MAX) {
        return false;
    }
    field->world = dent_world_create(context);
    if (!field->world || dent_robot_add_to_world(field->robot, field->world, field->links) != DENT_OK) {
        return false;
    }
    for (uint32_t i = 0; i < field->robot->link_count; i++) {
        if (!dent_body_id_is_null(field->links[i])) {
            field->bodies[field->body_count].body = field->links[i];
            field->bodies[field->body_count++].frame = dent_linkage_frame_of(field->robot->linkage, i);
        }
    }
    field->excluded_count = dent_linkage_excluded_pairs(field->robot->linkage, field->links, field->excluded,
                                                        FIELD_LINKS_MAX * FIELD_LINKS_MAX);
    dent_random random = dent_random_seeded(20);
    for (uint32_t i = 0; i < boxes && i < FIELD_BOXES_MAX; i++) {
        if (!robot_field_add_box(field, &random)) {
            return false;
        }
    }
    return true;
}

static inline void robot_field_close(struct robot_field *field)
{
    dent_world_destroy(field->world);
    dent_robot_destroy(field->context, field->robot);
}

/* Joint values within half a turn either way (the elbow has no more). */
static inline void robot_field_values(const struct robot_field *field, dent_random *random, double *values)
{
    for (uint32_t i = 0; i < dent_linkage_value_count(field->robot->linkage); i++) {
        values[i] = (2 * dent_random_unit(random) - 1) * 3.1415;
    }
}

/* The lists of a query; frames are those of the last dent_linkage_motion into field->frames. */
static inline dent_motion_impact_def robot_field_def(const struct robot_field *field)
{
    dent_motion_impact_def def = dent_motion_impact_def_default();
    def.frames = field->frames;
    def.frame_count = field->robot->link_count;
    def.bodies = field->bodies;
    def.body_count = field->body_count;
    def.excluded = field->excluded;
    def.excluded_count = field->excluded_count;
    return def;
}

#endif
