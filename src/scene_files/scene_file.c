/* A scene file, from the top: units first (everything else is read in them), then settings, materials, bodies,
 * attachments. docs/scene_files.md describes the same in the same order. */
#include "scene_file_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool dent_sim_scene_files_supported(void)
{
    return true;
}

/* ---- units and settings ------------------------------------------------------------------------------------------ */

static double power_of_ten(int exponent)
{
    double power = 1;
    for (int i = 0; i < (exponent < 0 ? -exponent : exponent); i++) {
        power *= 10;
    }
    return exponent < 0 ? 1 / power : power;
}

static void read_units(struct scene_reader *reader, located *value)
{
    static const char *const keys[] = {"length", "mass", "time", NULL};
    static const char *const examples[] = {"m, cm or mm", "kg or g", "s or ms"};
    if (!value || !reader_object(reader, value, "\"units\"", keys)) {
        return;
    }
    for (int i = 0; keys[i] != NULL; i++) {
        located *unit = reader_member(reader, value, keys[i]);
        const char *name = reader_text(reader, unit, NULL);
        if (name && !quantity_working_unit(i, name, &reader->units.exponent[i])) {
            reader_wrong(reader, unit, "\"%s\": a unit of %s was expected (%s), not \"%.40s\"", keys[i], keys[i],
                         examples[i], name);
        } else if (name && i == DIMENSION_LENGTH) {
            reader->plan->length_unit = plan_copy_text(reader->plan, name);
        }
    }
    reader->plan->length_in_metres = power_of_ten(reader->units.exponent[DIMENSION_LENGTH]);
    reader->plan->mass_in_kilograms = power_of_ten(reader->units.exponent[DIMENSION_MASS]);
    reader->plan->time_in_seconds = power_of_ten(reader->units.exponent[DIMENSION_TIME]);
}

static void read_contact(struct scene_reader *reader, located *value)
{
    static const char *const keys[] = {"enabled",       "thickness", "interval", "continuous",
                                       "impact_passes", "budget",    "deadline", NULL};
    static const char *const modes[] = {"off", "thin", "all", NULL};
    if (!value || !reader_object(reader, value, "\"contact\"", keys)) {
        return;
    }
    dent_sim_def *def = &reader->plan->def;
    def->contacts = reader_boolean(reader, reader_member(reader, value, "enabled"), def->contacts);
    def->thickness = reader_bounded(reader, reader_member(reader, value, "thickness"), QUANTITY_LENGTH, def->thickness,
                                    0, HUGE_VAL, "of at least 0");
    def->contact_interval =
        reader_count(reader, reader_member(reader, value, "interval"), 0, 1000, def->contact_interval);
    def->impact_passes =
        reader_count(reader, reader_member(reader, value, "impact_passes"), 1, 100, def->impact_passes);
    def->contact_budget =
        reader_count(reader, reader_member(reader, value, "budget"), 0, 1000000000, (uint32_t)def->contact_budget);
    def->contact_deadline = reader_bounded(reader, reader_member(reader, value, "deadline"), QUANTITY_TIME,
                                           def->contact_deadline, 0, HUGE_VAL, "of at least 0");
    int mode = reader_choice(reader, reader_member(reader, value, "continuous"), modes);
    def->continuous = mode >= 0 ? (dent_sim_continuous)mode : def->continuous;
}

static void read_settings(struct scene_reader *reader, located *root)
{
    struct sim_plan *plan = reader->plan;
    dent_sim_def *def = &plan->def;
    const struct unit_system *units = &reader->units;
    /* The defaults of the library are SI: bring them into the units of the file. */
    double metre = power_of_ten(-units->exponent[DIMENSION_LENGTH]),
           second = power_of_ten(-units->exponent[DIMENSION_TIME]);
    for (int axis = 0; axis < 3; axis++) {
        def->gravity[axis] = def->gravity[axis] * metre / (second * second);
    }
    def->time_step *= second;
    reader_vector(reader, reader_member(reader, root, "gravity"), QUANTITY_ACCELERATION, def->gravity);
    def->time_step =
        reader_ranged(reader, reader_member(reader, root, "time_step"), QUANTITY_TIME, def->time_step, 1e-9, 10);
    def->air_damping = reader_bounded(reader, reader_member(reader, root, "air_damping"), QUANTITY_RATE,
                                      def->air_damping, 0, HUGE_VAL, "of at least 0");
    def->substeps = reader_count(reader, reader_member(reader, root, "substeps"), 1, 1000, def->substeps);
    def->iterations = reader_count(reader, reader_member(reader, root, "iterations"), 1, 1000, def->iterations);
    def->sleep = reader_boolean(reader, reader_member(reader, root, "sleep"), def->sleep);
    plan->steps_per_frame = reader_count(reader, reader_member(reader, root, "steps_per_frame"), 1, 100000, 1);
    plan->frame_count = reader_count(reader, reader_member(reader, root, "frames"), 1, 100000, plan->frame_count);
    static const char *const solvers[] = {"islands", "constraints", NULL};
    int solver = reader_choice(reader, reader_member(reader, root, "solver"), solvers);
    def->solver = solver >= 0 ? (dent_sim_solver)solver : def->solver;
    read_contact(reader, reader_member(reader, root, "contact"));
}

/* ---- materials --------------------------------------------------------------------------------------------------- */

/* SI defaults in the units of the file. */
static dent_sim_material default_material(const struct scene_reader *reader)
{
    dent_sim_material material = dent_sim_material_default();
    double metre = power_of_ten(-reader->units.exponent[DIMENSION_LENGTH]);
    double kilogram = power_of_ten(-reader->units.exponent[DIMENSION_MASS]);
    double second = power_of_ten(-reader->units.exponent[DIMENSION_TIME]);
    double newton = kilogram * metre / (second * second);
    material.density *= kilogram / (metre * metre * metre);
    material.young *= newton / (metre * metre);
    material.damping *= second;
    material.yield_stress *= newton / (metre * metre);
    material.stretch *= newton / metre;
    material.shear *= newton / metre;
    material.bending *= newton * metre;
    return material;
}

static void read_surface_law(struct scene_reader *reader, located *value, double *friction_static,
                             double *friction_kinetic, double *restitution, double *compliance)
{
    located *both = reader_member(reader, value, "friction");
    if (both) {
        *friction_static = *friction_kinetic = reader_bounded(reader, both, QUANTITY_RATIO, 0, 0, 1e6, "of at least 0");
    }
    *friction_static = reader_bounded(reader, reader_member(reader, value, "friction_static"), QUANTITY_RATIO,
                                      *friction_static, 0, 1e6, "of at least 0");
    located *kinetic = reader_member(reader, value, "friction_kinetic");
    *friction_kinetic = reader_bounded(reader, kinetic, QUANTITY_RATIO,
                                       *friction_kinetic < *friction_static ? *friction_kinetic : *friction_static, 0,
                                       *friction_static, "from 0 to friction_static");
    *restitution = reader_bounded(reader, reader_member(reader, value, "restitution"), QUANTITY_RATIO, *restitution, 0,
                                  1, "from 0 to 1");
    *compliance = reader_bounded(reader, reader_member(reader, value, "contact_compliance"), QUANTITY_COMPLIANCE,
                                 *compliance, 0, HUGE_VAL, "of at least 0");
}

/* A density may be per volume (solids) or per area (cloth): the unit tells. */
static double read_density(struct scene_reader *reader, located *value, double fallback)
{
    double density = fallback;
    char why[300];
    if (value && json_is_string(value->json) &&
        quantity_read(&reader->units, QUANTITY_AREA_DENSITY, json_string_value(value->json), &density, why,
                      sizeof why)) {
        return reader_positive(reader, value, QUANTITY_AREA_DENSITY, fallback);
    }
    return reader_positive(reader, value, QUANTITY_DENSITY, fallback);
}

static void read_material(struct scene_reader *reader, located *value)
{
    static const char *const keys[] = {
        "density", "young",    "poisson",         "damping",          "stretch",     "shear",
        "bending", "friction", "friction_static", "friction_kinetic", "restitution", "contact_compliance",
        "model",   "viscosity", "bulk_viscosity", "yield_stress",     "hardening",   "fibres",
        NULL};
    if (!reader_object(reader, value, "a material", keys)) {
        return;
    }
    dent_sim_material material = default_material(reader);
    material.name = plan_copy_text(reader->plan, value->key);
    material.density = read_density(reader, reader_member(reader, value, "density"), material.density);
    material.young = reader_positive(reader, reader_member(reader, value, "young"), QUANTITY_PRESSURE, material.young);
    material.poisson = reader_bounded(reader, reader_member(reader, value, "poisson"), QUANTITY_RATIO, material.poisson,
                                      0, 0.4999, "from 0 to 0.4999");
    material.damping = reader_bounded(reader, reader_member(reader, value, "damping"), QUANTITY_TIME, material.damping,
                                      0, HUGE_VAL, "of at least 0");
    material.stretch =
        reader_positive(reader, reader_member(reader, value, "stretch"), QUANTITY_STIFFNESS, material.stretch);
    material.shear = reader_bounded(reader, reader_member(reader, value, "shear"), QUANTITY_STIFFNESS, material.shear,
                                    0, HUGE_VAL, "of at least 0");
    material.bending = reader_bounded(reader, reader_member(reader, value, "bending"), QUANTITY_ENERGY,
                                      material.bending, 0, HUGE_VAL, "of at least 0");
    read_surface_law(reader, value, &material.friction_static, &material.friction_kinetic, &material.restitution,
                     &material.contact_compliance);
    read_law(reader, value, &material);
    if (reader_good(reader)) {
        reader_note_name(reader, &reader->material_names, value->key, reader->plan->material_count);
    }
    plan_add_material(reader->plan, &material);
}

uint32_t find_material(struct scene_reader *reader, located *value)
{
    const char *name = reader_text(reader, value, NULL); /* null also when there is no value: the first material */
    uint32_t number = name ? reader_find_name(reader->material_names, name) : UINT32_MAX;
    if (number != UINT32_MAX) {
        return number;
    }
    if (name && reader_good(reader)) {
        reader_wrong(reader, value, "the name of a material was expected, and none is called \"%.60s\"", name);
    }
    return 0;
}

static void read_pair(struct scene_reader *reader, located *value)
{
    static const char *const keys[] = {
        "materials", "friction", "friction_static", "friction_kinetic", "restitution", "contact_compliance", NULL};
    if (!reader_object(reader, value, "a pair of materials", keys)) {
        return;
    }
    located *names = reader_need(reader, value, "materials", "a pair of materials");
    if (!names || !reader_array(reader, names, "two names of materials")) {
        return;
    }
    if (json_array_size(names->json) != 2) {
        reader_wrong(reader, names, "two names of materials were expected, not %zu", json_array_size(names->json));
        return;
    }
    dent_sim_material plain = dent_sim_material_default();
    located *first = reader_first(reader, names);
    dent_sim_material_pair pair = {.material_a = find_material(reader, first),
                                   .material_b =
                                       reader_good(reader) ? find_material(reader, reader_next(reader, first)) : 0,
                                   .friction_static = plain.friction_static,
                                   .friction_kinetic = plain.friction_kinetic};
    read_surface_law(reader, value, &pair.friction_static, &pair.friction_kinetic, &pair.restitution,
                     &pair.contact_compliance);
    plan_add_pair(reader->plan, &pair);
}

static void read_materials(struct scene_reader *reader, located *root)
{
    located *materials = reader_member(reader, root, "materials");
    if (materials && !json_is_object(materials->json)) {
        reader_wrong(reader, materials,
                     "\"materials\": an object was expected, a name for each material: {\"rubber\": { ... }}");
    }
    for (located *value = reader_first(reader, materials); value != NULL; value = reader_next(reader, value)) {
        read_material(reader, value);
    }
    if (reader_good(reader) && reader->plan->material_count == 0) {
        dent_sim_material material = default_material(reader);
        material.name = "default";
        reader_note_name(reader, &reader->material_names, material.name, 0);
        plan_add_material(reader->plan, &material);
    }
    located *pairs = reader_member(reader, root, "material_pairs");
    if (pairs && reader_array(reader, pairs, "pairs of materials")) {
        for (located *value = reader_first(reader, pairs); value != NULL; value = reader_next(reader, value)) {
            read_pair(reader, value);
        }
    }
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static void read_scene(struct scene_reader *reader)
{
    static const char *const keys[] = {
        "dent_scene",  "name",           "about",  "units",       "gravity", "time_step", "substeps", "iterations",
        "sleep", "solver",       "steps_per_frame", "frames", "contact",     "air_damping", "materials", "material_pairs", "bodies",
        "robots",      "attachments",    "joints", "loads",  "supports",    "springs", "probes",    NULL};
    located *root = &reader->document.values[0];
    if (!reader_object(reader, root, "a scene", keys)) {
        return;
    }
    reader_count(reader, reader_need(reader, root, "dent_scene", "a scene file (the version of its format, 1,)"), 1, 1,
                 1);
    reader->plan->name =
        plan_copy_text(reader->plan, reader_text(reader, reader_member(reader, root, "name"), reader->document.file));
    reader_text(reader, reader_member(reader, root, "about"), "");
    read_units(reader, reader_member(reader, root, "units"));
    read_settings(reader, root);
    read_materials(reader, root);
    bool alone = reader_member(reader, root, "robots") && !reader_member(reader, root, "bodies");
    located *bodies = alone ? NULL : reader_need(reader, root, "bodies", "a scene");
    if (bodies && reader_array(reader, bodies, "bodies")) {
        if (json_array_size(bodies->json) == 0) {
            reader_wrong(reader, bodies, "at least one body was expected");
        }
        read_bodies(reader, bodies);
    }
    located *robots = reader_member(reader, root, "robots");
    if (robots && reader_array(reader, robots, "robots")) {
        read_robots(reader, robots);
    }
    located *attachments = reader_member(reader, root, "attachments");
    if (attachments && reader_array(reader, attachments, "attachments")) {
        read_attachments(reader, attachments);
    }
    read_loads(reader, root);
    located *joints = reader_member(reader, root, "joints");
    if (joints && reader_array(reader, joints, "joints")) {
        read_joints(reader, joints);
    }
}

static dent_status read_guarded(void *data)
{
    struct scene_reader *reader = data;
    read_scene(reader);
    return reader->plan->status;
}

/* What jansson and located_json.c make of a text at most: by the signs that begin a value. jansson takes its memory
 * from the C library. */
static double parsed_bytes(const char *text, size_t size)
{
    double bytes = 2 * (double)size;
    for (size_t i = 0; i < size; i++) {
        bytes += text[i] == '{' ? 320 : text[i] == '[' || text[i] == ',' || text[i] == ':' ? 160 : 0;
    }
    return bytes;
}

dent_status scene_file_plan(struct sim_plan *plan, const char *name, const char *folder, const char *text, size_t size)
{
    struct scene_reader reader = {.plan = plan, .folder = folder, .document = {.file = name}};
    reader.memory_limit = dent_context_reading_limit(plan->context);
    reader.disk_bytes = size;
    if (!reader_charge(&reader, NULL, parsed_bytes(text, size))) {
        return plan->status;
    }
    dent_status status = located_parse(plan->context, name, text, size, &reader.document);
    if (status != DENT_OK) {
        plan->status = status;
        return status;
    }
    status = dent_call_guarded(plan->context, read_guarded, &reader);
    json_decref(reader.body_names);
    json_decref(reader.material_names);
    json_decref(reader.support_names);
    json_decref(reader.spring_names);
    json_decref(reader.probe_names);
    located_release(&reader.document);
    return status;
}

/* All bytes of a descriptor into memory of the plan; null: `errno` or the plan's status says why. */
static char *read_descriptor(struct sim_plan *plan, int descriptor, size_t size)
{
    char *text = plan_allocate(plan, size + 1, 1);
    size_t done = 0;
    while (text && done < size) {
        ssize_t got = read(descriptor, text + done, size - done);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            errno = got == 0 ? EIO : errno;
            return NULL;
        }
        done += (size_t)got;
    }
    return text;
}

dent_status scene_file_load(struct sim_plan *plan, const char *path)
{
    struct stat facts;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe is refused, not waited for */
    bool opened = descriptor >= 0 && fstat(descriptor, &facts) == 0;
    const char *why = NULL;
    char *text = NULL;
    if (opened && S_ISREG(facts.st_mode) && facts.st_size < ((off_t)1 << 28)) {
        text = read_descriptor(plan, descriptor, (size_t)facts.st_size);
    } else if (opened) {
        why = S_ISDIR(facts.st_mode)    ? strerror(EISDIR)
              : S_ISREG(facts.st_mode)  ? strerror(EFBIG)
              : S_ISFIFO(facts.st_mode) ? "it is a pipe, not a file"
                                        : "it is a device, not a file";
    }
    int error = errno;
    if (descriptor >= 0) {
        close(descriptor);
    }
    if (!text) {
        if (plan_note(plan, DENT_OK)) {
            plan_note(plan, dent_fail(plan->context, DENT_ERROR_FILE, "%s: cannot be read: %s", path,
                                      why ? why : strerror(error)));
        }
        return plan->status;
    }
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    char *folder = plan_allocate(plan, length + 3, 1);
    if (!folder) {
        return plan->status;
    }
    memcpy(folder, length > 0 ? path : "./", length > 0 ? length : 2);
    return scene_file_plan(plan, path, folder, text, (size_t)facts.st_size);
}
