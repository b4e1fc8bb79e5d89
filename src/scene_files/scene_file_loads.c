/* Loads, supports, springs and probes of a scene file; docs/scene_files.md describes them in the same order. */
#include "scene_file_parts.h"

#include <math.h>
#include <string.h>

/* ---- common parts ------------------------------------------------------------------------------------------------ */

/* [[time, factor], ...] */
static void read_course(struct scene_reader *reader, located *value, dent_sim_course *course)
{
    if (!value || !reader_array(reader, value, "rows [time, factor]")) {
        return;
    }
    size_t count = json_array_size(value->json);
    if (count == 0) {
        reader_wrong(reader, value, "\"course\": at least one row [time, factor] was expected");
        return;
    }
    dent_sim_time_value *rows = plan_allocate(reader->plan, count, sizeof *rows);
    uint32_t index = 0;
    for (located *row = reader_first(reader, value); rows && row != NULL; row = reader_next(reader, row), index++) {
        if (!json_is_array(row->json) || json_array_size(row->json) != 2) {
            reader_wrong(reader, row, "\"course\": a row [time, factor] was expected");
            return;
        }
        located *time = reader_first(reader, row);
        rows[index].time = reader_quantity(reader, time, QUANTITY_TIME, 0);
        rows[index].value = reader_bounded(reader, reader_good(reader) ? reader_next(reader, time) : NULL,
                                           QUANTITY_RATIO, 0, -1e9, 1e9, "from -1e+09 to 1e+09");
        if (index > 0 && reader_good(reader) && !(rows[index].time > rows[index - 1].time)) {
            reader_wrong(reader, time, "\"course\": ascending times were expected; %.9g comes after %.9g",
                         rows[index].time, rows[index - 1].time);
        }
    }
    course->count = (uint32_t)count;
    course->rows = rows;
}

/* A name of its own, or "what N". */
static const char *read_name(struct scene_reader *reader, located *object, const char *what, uint32_t number,
                             json_t **names)
{
    located *value = reader_member(reader, object, "name");
    const char *name = value ? plan_copy_text(reader->plan, reader_text(reader, value, ""))
                             : plan_numbered_name(reader->plan, what, number);
    bool plain = name[0] != '\0' && strlen(name) < 64;
    for (const char *c = name; *c; c++) {
        plain = plain && (unsigned char)*c >= 32 && *c != 127 && *c != ',' && *c != '"';
    }
    if (reader_good(reader) && !plain) {
        reader_wrong(reader, value, "\"name\": 1 to 63 bytes without comma and quote were expected");
    } else if (reader_good(reader) && names && !reader_note_name(reader, names, name, number)) {
        reader_wrong(reader, value ? value : object,
                     "a name of its own was expected: \"%.60s\" is the name of an earlier %s", name, what);
    }
    return name;
}

/* "body" of an object, of one of the kinds 1 << kind. */
static uint32_t read_body_of(struct scene_reader *reader, located *object, const char *what, unsigned kinds)
{
    located *value = reader_need(reader, object, "body", what);
    uint32_t body = reader_good(reader) ? find_body(reader, value) : 0;
    if (reader_good(reader) && !(kinds & 1u << reader->plan->bodies[body].kind)) {
        reader_wrong(reader, value, "%s does not go with a body of kind \"%s\"", what,
                     dent_sim_body_kind_name(reader->plan->bodies[body].kind));
    }
    return body;
}

enum {
    ELASTIC = 1 << DENT_SIM_SOLID | 1 << DENT_SIM_CLOTH | 1 << DENT_SIM_STRANDS,
    MOVABLE = ELASTIC | 1 << DENT_SIM_RIGID,
    ANY = MOVABLE | 1 << DENT_SIM_PRESCRIBED | 1 << DENT_SIM_EMBEDDED
};

/* ---- loads ------------------------------------------------------------------------------------------------------- */

/* Whether some element has as many corners among the vertices as a face has. */
static bool has_face(struct scene_reader *reader, const dent_sim_body_def *body, const uint32_t *vertices,
                     uint32_t count)
{
    uint8_t *marks = plan_allocate(reader->plan, body->vertex_count, 1);
    bool hexahedra = body->elements == DENT_SIM_HEXAHEDRA;
    uint32_t corners = hexahedra ? 8 : dent_body_kind_has_cells(body->mesh) ? 4 : 3;
    for (uint32_t n = 0; marks && n < count; n++) {
        marks[vertices[n]] = 1;
    }
    for (uint32_t e = 0; marks && e < body->element_count; e++) {
        uint32_t chosen = 0;
        for (uint32_t k = 0; k < corners; k++) {
            chosen += marks[body->element_corners[(size_t)corners * e + k]];
        }
        if (chosen >= (hexahedra ? 4 : 3)) {
            return true;
        }
    }
    return false;
}

static void read_load_place(struct scene_reader *reader, located *on, dent_sim_load_def *load)
{
    if (!on || !reader_good(reader)) {
        return;
    }
    if (load->kind == DENT_SIM_LOAD_TORQUE) {
        reader_wrong_key(reader, on, "a torque acts on a whole body: \"on\" goes with other loads");
        return;
    }
    if (json_is_string(on->json)) { /* "all": as without it */
        static const char *const words[] = {"all", NULL};
        reader_choice(reader, on, words);
        return;
    }
    bool faces = load->kind != DENT_SIM_LOAD_FORCE;
    load->vertex_count = read_vertices(reader, on, load->body, &load->vertices);
    load->face_count = faces && reader_good(reader) ? read_region_faces(reader, on, load->body, &load->faces) : 0;
    if (faces && reader_good(reader) && load->face_count == 0 &&
        !has_face(reader, &reader->plan->bodies[load->body], load->vertices, load->vertex_count)) {
        reader_wrong(reader, on, "at least one face of \"%.60s\" was expected in it, and there is none",
                     reader->plan->bodies[load->body].name);
    }
}

static void read_load(struct scene_reader *reader, located *value, uint32_t number)
{
    static const char *const keys[] = {"name",     "body",   "on",      "force",  "traction",
                                       "pressure", "torque", "follows", "course", NULL};
    static const struct {
        const char *key;
        dent_sim_load_kind kind;
        enum quantity_kind quantity;
    } kinds[] = {{"force", DENT_SIM_LOAD_FORCE, QUANTITY_FORCE},
                 {"traction", DENT_SIM_LOAD_TRACTION, QUANTITY_PRESSURE},
                 {"torque", DENT_SIM_LOAD_TORQUE, QUANTITY_TORQUE},
                 {"pressure", DENT_SIM_LOAD_PRESSURE, QUANTITY_PRESSURE}};
    if (!reader_object(reader, value, "a load", keys)) {
        return;
    }
    int chosen = -1, given = 0;
    for (int n = 0; n < 4; n++) {
        bool here = reader_member(reader, value, kinds[n].key) != NULL;
        chosen = here ? n : chosen;
        given += here;
    }
    if (given != 1) {
        reader_wrong(reader, value,
                     "one of \"force\", \"traction\", \"pressure\" and \"torque\" was expected, and there are %d",
                     given);
        return;
    }
    dent_sim_load_def load = dent_sim_load_def_default(kinds[chosen].kind);
    load.name = read_name(reader, value, "load", number, NULL);
    load.body = read_body_of(reader, value, "a load", MOVABLE);
    if (reader_good(reader) && chosen == 2 && reader->plan->bodies[load.body].kind != DENT_SIM_RIGID) {
        reader_wrong_key(reader, reader_member(reader, value, "torque"), "only rigid bodies take a torque");
    }
    located *amount = reader_member(reader, value, kinds[chosen].key),
            *follows = reader_member(reader, value, "follows");
    if (chosen == 3) {
        load.pressure = reader_quantity(reader, amount, QUANTITY_PRESSURE, 0);
        load.kind = reader_boolean(reader, follows, false) ? DENT_SIM_LOAD_FOLLOWER : DENT_SIM_LOAD_PRESSURE;
    } else {
        reader_vector(reader, amount, kinds[chosen].quantity, load.vector);
        if (follows) {
            reader_wrong_key(reader, follows, "\"follows\" goes with \"pressure\", which was expected here");
        }
    }
    read_load_place(reader, reader_member(reader, value, "on"), &load);
    read_course(reader, reader_member(reader, value, "course"), &load.course);
    if (reader_good(reader)) {
        plan_add_load(reader->plan, &load);
    }
}

/* ---- supports ---------------------------------------------------------------------------------------------------- */

/* "xyz", "z" … or a direction. */
static void read_hold(struct scene_reader *reader, located *value, dent_sim_support *support)
{
    if (!value) {
        return; /* all axes */
    }
    support->axes = 0;
    if (json_is_array(value->json)) {
        read_direction(reader, value, support->direction);
        return;
    }
    const char *text = reader_text(reader, value, "");
    for (const char *c = text; *c && reader_good(reader); c++) {
        uint32_t bit = *c >= 'x' && *c <= 'z' ? 1u << (*c - 'x') : 0;
        if (bit == 0 || (support->axes & bit)) {
            reader_wrong(reader, value,
                         "\"hold\": axes such as \"xyz\" or \"z\" were expected, or a direction [x, y, z]");
        }
        support->axes |= bit;
    }
    if (support->axes == 0 && reader_good(reader)) {
        reader_wrong(reader, value, "\"hold\": axes such as \"xyz\" or \"z\" were expected, or a direction [x, y, z]");
    }
}

static void read_support(struct scene_reader *reader, located *value, uint32_t number)
{
    static const char *const keys[] = {"name", "body", "on", "hold", "displacement", "course", NULL};
    if (!reader_object(reader, value, "a support", keys)) {
        return;
    }
    dent_sim_support support = dent_sim_support_default();
    support.name = read_name(reader, value, "support", number, &reader->support_names);
    support.body = read_body_of(reader, value, "a support", ELASTIC);
    located *on = reader_need(reader, value, "on", "a support");
    if (reader_good(reader)) {
        support.vertex_count = read_vertices(reader, on, support.body, &support.vertices);
    }
    read_hold(reader, reader_member(reader, value, "hold"), &support);
    located *displacement = reader_member(reader, value, "displacement");
    located *course = reader_member(reader, value, "course");
    reader_vector(reader, displacement, QUANTITY_LENGTH, support.displacement);
    if (course && !displacement) {
        reader_wrong_key(reader, course, "a course goes with \"displacement\", which was expected here");
    }
    read_course(reader, course, &support.course);
    if (reader_good(reader)) {
        plan_add_support(reader->plan, &support);
    }
}

/* ---- springs ----------------------------------------------------------------------------------------------------- */

static uint32_t nearest_vertex_of(const dent_sim_body_def *body, const double point[3])
{
    uint32_t nearest = 0;
    double least = HUGE_VAL;
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        const double *x = body->positions + 3 * (size_t)v;
        double a = x[0] - point[0], b = x[1] - point[1], c = x[2] - point[2], square = (a * a + b * b) + c * c;
        nearest = square < least ? v : nearest;
        least = square < least ? square : least;
    }
    return nearest;
}

/* {"body": .., "vertex": n}, {"body": .., "point": [..]} or {"point": [..]}. */
static void read_end(struct scene_reader *reader, located *value, dent_sim_point *end)
{
    static const char *const keys[] = {"body", "vertex", "point", NULL};
    if (!value || !reader_object(reader, value, "an end of a spring", keys)) {
        return;
    }
    located *body = reader_member(reader, value, "body"), *vertex = reader_member(reader, value, "vertex");
    located *point = reader_member(reader, value, "point");
    if ((vertex != NULL) + (point != NULL) != 1 || (vertex && !body)) {
        reader_wrong(reader, value,
                     "an end of a spring was expected: \"body\" and \"vertex\", \"body\" and \"point\", or \"point\"");
        return;
    }
    reader_vector(reader, point, QUANTITY_LENGTH, end->place);
    if (!body || !reader_good(reader)) {
        return;
    }
    end->body = read_body_of(reader, value, "a spring", MOVABLE | 1 << DENT_SIM_PRESCRIBED);
    if (!reader_good(reader)) {
        return;
    }
    const dent_sim_body_def *owner = &reader->plan->bodies[end->body];
    if (vertex) {
        end->vertices[0] = reader_count(reader, vertex, 0, owner->vertex_count - 1, 0);
    } else if (owner->kind != DENT_SIM_RIGID) {
        end->vertices[0] = nearest_vertex_of(owner, end->place);
    }
}

static void read_spring(struct scene_reader *reader, located *value, uint32_t number)
{
    static const char *const keys[] = {"name", "from", "to", "stiffness", "length", "damping", NULL};
    if (!reader_object(reader, value, "a spring", keys)) {
        return;
    }
    dent_sim_spring spring = dent_sim_spring_default();
    spring.name = read_name(reader, value, "spring", number, &reader->spring_names);
    read_end(reader, reader_need(reader, value, "from", "a spring"), &spring.a);
    read_end(reader, reader_good(reader) ? reader_need(reader, value, "to", "a spring") : NULL, &spring.b);
    spring.stiffness = reader_bounded(reader, reader_member(reader, value, "stiffness"), QUANTITY_STIFFNESS, 0, 0,
                                      HUGE_VAL, "of at least 0");
    spring.damping = reader_bounded(reader, reader_member(reader, value, "damping"), QUANTITY_FRICTION_RATE, 0, 0,
                                    HUGE_VAL, "of at least 0");
    located *length = reader_member(reader, value, "length");
    spring.length =
        reader_bounded(reader, length, QUANTITY_LENGTH, spring.length, length ? 0 : -1, HUGE_VAL, "of at least 0");
    if (reader_good(reader) && !(spring.stiffness + spring.damping > 0)) {
        reader_wrong(reader, value, "\"stiffness\" or \"damping\" above 0 was expected");
    }
    if (reader_good(reader)) {
        plan_add_spring(reader->plan, &spring);
    }
}

/* ---- probes ------------------------------------------------------------------------------------------------------ */

static uint32_t find_named(struct scene_reader *reader, located *value, json_t *names, const char *what)
{
    const char *name = reader_text(reader, value, "");
    uint32_t number = reader_good(reader) ? reader_find_name(names, name) : 0;
    if (number == UINT32_MAX) {
        reader_wrong(reader, value, "the name of a %s was expected, and none is called \"%.60s\"", what, name);
        return 0;
    }
    return number;
}

static void read_probe(struct scene_reader *reader, located *value, uint32_t number)
{
    static const char *const keys[] = {"name", "kind", "body", "on", "support", "spring", "energy", NULL};
    static const char *const kinds[] = {"position", "velocity", "contact", "reaction",
                                        "spring",   "stress",   "energy",  NULL};
    static const char *const energies[] = {"total", "kinetic", "elastic", "potential", "contact", "outer work", NULL};
    /* Which keys go with which kind. */
    static const char *const allowed[] = {"body on", "body on", "body", "support", "spring", "body on", "energy"};
    if (!reader_object(reader, value, "a probe", keys)) {
        return;
    }
    int kind = reader_choice(reader, reader_need(reader, value, "kind", "a probe"), kinds);
    if (kind < 0) {
        return;
    }
    for (int n = 2; keys[n] != NULL; n++) {
        located *stray = reader_member(reader, value, keys[n]);
        if (stray && !strstr(allowed[kind], keys[n])) {
            reader_wrong_key(reader, stray, "\"%s\" does not go with a probe of kind \"%s\"", keys[n], kinds[kind]);
        }
    }
    dent_sim_probe probe = dent_sim_probe_default((dent_sim_probe_kind)(kind + 1));
    probe.name = read_name(reader, value, "probe", number, &reader->probe_names);
    located *on = reader_member(reader, value, "on");
    if (strncmp(allowed[kind], "body", 4) == 0) {
        probe.body = read_body_of(reader, value, "a probe", kind == 5 ? 1u << DENT_SIM_SOLID : (unsigned)ANY);
    }
    if (on && reader_good(reader)) {
        probe.vertex_count = read_vertices(reader, on, probe.body, &probe.vertices);
    }
    if (kind == 3 && reader_good(reader)) {
        probe.number = find_named(reader, reader_need(reader, value, "support", "a probe of kind \"reaction\""),
                                  reader->support_names, "support");
    } else if (kind == 4 && reader_good(reader)) {
        probe.number = find_named(reader, reader_need(reader, value, "spring", "a probe of kind \"spring\""),
                                  reader->spring_names, "spring");
    }
    located *energy = reader_member(reader, value, "energy");
    int chosen = energy ? reader_choice(reader, energy, energies) : 0;
    probe.energy = chosen > 0 ? (dent_sim_energy)chosen : DENT_SIM_ENERGY_TOTAL;
    if (reader_good(reader)) {
        plan_add_probe(reader->plan, &probe);
    }
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

void read_loads(struct scene_reader *reader, located *root)
{
    static const struct {
        const char *key;
        void (*read)(struct scene_reader *reader, located *value, uint32_t number);
    } lists[] = {{"loads", read_load}, {"supports", read_support}, {"springs", read_spring}, {"probes", read_probe}};
    for (size_t n = 0; n < sizeof lists / sizeof lists[0]; n++) {
        located *list = reader_member(reader, root, lists[n].key);
        uint32_t number = 0;
        if (list && reader_array(reader, list, lists[n].key)) {
            for (located *value = reader_first(reader, list); value != NULL; value = reader_next(reader, value)) {
                lists[n].read(reader, value, number++);
            }
        }
    }
}
