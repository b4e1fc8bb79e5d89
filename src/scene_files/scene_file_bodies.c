/* The bodies of a scene file. */
#include "scene_file_parts.h"

#include <math.h>

uint32_t find_body(struct scene_reader *reader, located *value)
{
    const char *name = reader_text(reader, value, NULL);
    uint32_t number = name ? reader_find_name(reader->body_names, name) : UINT32_MAX;
    if (number != UINT32_MAX) {
        return number;
    }
    if (name && reader_good(reader)) {
        reader_wrong(reader, value, "the name of a body was expected, and none is called \"%.60s\"", name);
    }
    return 0;
}

/* ---- who touches whom -------------------------------------------------------------------------------------------- */

static uint32_t read_group_bit(struct scene_reader *reader, located *value)
{
    return (uint32_t)1 << reader_count(reader, value, 0, 31, 0);
}

void read_filter(struct scene_reader *reader, located *object, dent_sim_body_def *body)
{
    static const char *const words[] = {"all", "none", NULL};
    located *group = reader_member(reader, object, "group"), *touches = reader_member(reader, object, "touches");
    if (group) {
        body->collision_group = read_group_bit(reader, group);
    }
    if (!touches) {
        return;
    }
    if (json_is_string(touches->json)) {
        int word = reader_choice(reader, touches, words);
        body->collision_mask = word == 1 ? 0 : UINT32_MAX;
        return;
    }
    if (reader_array(reader, touches, "group numbers from 0 to 31 (or \"all\", or \"none\")")) {
        body->collision_mask = 0;
        for (located *item = reader_first(reader, touches); item != NULL; item = reader_next(reader, item)) {
            body->collision_mask |= read_group_bit(reader, item);
        }
    }
}

/* ---- placing ----------------------------------------------------------------------------------------------------- */

static void place_body(struct scene_reader *reader, located *object, dent_sim_body_def *body)
{
    double quaternion[4] = {1, 0, 0, 0}, move[3] = {0, 0, 0};
    double factor =
        reader_bounded(reader, reader_member(reader, object, "scale"), QUANTITY_RATIO, 1, 1e-9, 1e9,
                       "from 1e-09 to 1e+09");
    located *rotate = reader_member(reader, object, "rotate");
    if (rotate) {
        read_rotation(reader, rotate, quaternion);
    }
    reader_vector(reader, reader_member(reader, object, "move"), QUANTITY_LENGTH, move);
    if (!reader_good(reader)) {
        return;
    }
    double w = quaternion[0], x = quaternion[1], y = quaternion[2], z = quaternion[3];
    double matrix[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                        2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                        2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    for (int i = 0; i < 9; i++) {
        matrix[i] *= factor;
    }
    plan_transform(body, matrix, move);
}

/* ---- one body ---------------------------------------------------------------------------------------------------- */

static const char *const kinds[] = {"solid", "cloth", "rigid", "prescribed", "embedded", "strands", NULL};

static bool check_mesh_kind(struct scene_reader *reader, located *object, const dent_sim_body_def *body)
{
    bool wants_solid = body->kind == DENT_SIM_SOLID,
         wants_surface = body->kind == DENT_SIM_CLOTH || body->kind == DENT_SIM_EMBEDDED;
    if (reader_good(reader) && body->kind == DENT_SIM_STRANDS && body->mesh != DENT_BODY_STRANDS) {
        reader_wrong(reader, object, "a body of kind \"strands\" needs a file of strands, or the shape \"strands\"");
    }
    if (reader_good(reader) && wants_solid && !dent_body_kind_has_cells(body->mesh)) {
        reader_wrong(reader, object, "a body of kind \"solid\" needs a mesh of tetrahedra, and this one has triangles");
    } else if (reader_good(reader) && wants_surface && dent_body_kind_has_cells(body->mesh)) {
        reader_wrong(reader, object,
                     "a body of kind \"%s\" needs a mesh of triangles, and this one has tetrahedra; \"surface\": true "
                     "takes its surface",
                     kinds[body->kind - 1]);
    }
    return reader_good(reader);
}

static void read_body(struct scene_reader *reader, located *object, uint32_t number)
{
    static const char *const keys[] = {
        "name",     "kind",    "mesh",      "mesh_group", "mesh_unit",        "merge",
        "generate", "scene",   "surface",   "scale",      "rotate",           "move",
        "material", "density", "thickness", "velocity",   "angular_velocity", "fixed",
        "motion",   "host",    "group",     "touches",    "self_collision",   "prevent_crossing", "thin_and_fast",
        "elements", "regions", "radius",    "roots",      NULL};
    if (!reader_object(reader, object, "a body", keys)) {
        return;
    }
    int kind = reader_choice(reader, reader_need(reader, object, "kind", "a body"), kinds);
    if (kind < 0) {
        return;
    }
    located *name = reader_member(reader, object, "name");
    const char *text = name ? plan_copy_text(reader->plan, reader_text(reader, name, ""))
                            : plan_numbered_name(reader->plan, "body", number);
    if (reader_good(reader) && !reader_note_name(reader, &reader->body_names, text, number) && name) {
        reader_wrong(reader, name, "a name of its own was expected: \"%.60s\" is the name of an earlier body", text);
    }
    dent_sim_body_def *body = plan_add_body(reader->plan, (dent_sim_body_kind)(kind + 1), text);
    read_elements(reader, object, body);
    read_body_mesh(reader, object, body);
    if (!check_mesh_kind(reader, object, body)) {
        return;
    }
    place_body(reader, object, body);
    read_strands(reader, object, body);
    body->material = find_material(reader, reader_member(reader, object, "material"));
    read_regions(reader, reader_member(reader, object, "regions"), body);
    enum quantity_kind density = kind + 1 == DENT_SIM_CLOTH ? QUANTITY_AREA_DENSITY : QUANTITY_DENSITY;
    body->density = reader_positive(reader, reader_member(reader, object, "density"), density, 0);
    body->thickness = reader_bounded(reader, reader_member(reader, object, "thickness"), QUANTITY_LENGTH,
                                     body->thickness, 0, HUGE_VAL, "of at least 0");
    reader_vector(reader, reader_member(reader, object, "velocity"), QUANTITY_VELOCITY, body->linear_velocity);
    reader_vector(reader, reader_member(reader, object, "angular_velocity"), QUANTITY_ANGULAR_VELOCITY,
                  body->angular_velocity);
    body->self_collision =
        reader_boolean(reader, reader_member(reader, object, "self_collision"), body->self_collision);
    located *crossing = reader_member(reader, object, "prevent_crossing");
    located *older_name = reader_member(reader, object, "thin_and_fast"); /* of versions before 0.2 */
    body->prevent_crossing = reader_boolean(reader, crossing ? crossing : older_name, body->prevent_crossing);
    read_filter(reader, object, body);
    read_fixed_vertices(reader, reader_member(reader, object, "fixed"), number);
    read_motion(reader, reader_member(reader, object, "motion"), body);
}

/* Hosts may come later in the list, so they are looked up when all bodies are there. */
static void read_host(struct scene_reader *reader, located *object, uint32_t number)
{
    dent_sim_body_def *body = &reader->plan->bodies[number];
    located *host = reader_member(reader, object, "host");
    if (body->kind == DENT_SIM_EMBEDDED) {
        host = reader_need(reader, object, "host", "an embedded body");
    } else if (host) {
        reader_wrong_key(reader, host, "only an embedded body has a host; \"kind\": \"embedded\" was expected");
    }
    if (host && reader_good(reader)) {
        body->host = find_body(reader, host);
        if (reader_good(reader) && reader->plan->bodies[body->host].kind != DENT_SIM_SOLID) {
            reader_wrong(reader, host, "the host of an embedded body was expected to be of kind \"solid\"");
        }
    }
}

void read_bodies(struct scene_reader *reader, located *bodies)
{
    uint32_t number = 0;
    for (located *object = reader_first(reader, bodies); object != NULL; object = reader_next(reader, object)) {
        read_body(reader, object, number++);
    }
    number = 0;
    for (located *object = reader_first(reader, bodies); object != NULL; object = reader_next(reader, object)) {
        read_host(reader, object, number++);
    }
}
