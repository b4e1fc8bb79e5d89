/* run_output.c — joins the bodies once, copies their positions each frame, writes three files and the collection. */
#include "run_output.h"

#include "placed_file.h"
#include "tool.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- joining --------------------------------------------------------------------------------------------- */

static bool count_mesh(const dent_sim *sim, joined_mesh *mesh)
{
    uint64_t vertices = 0, elements = 0;
    dent_sim_body_info info;
    for (uint32_t i = 0; dent_sim_body(sim, i, &info); i++) {
        if (info.mesh == mesh->kind) {
            vertices += info.vertex_count;
            elements += info.element_count;
        }
    }
    mesh->vertex_count = (uint32_t)vertices;
    mesh->element_count = (uint32_t)elements;
    return vertices < UINT32_MAX / 4 && elements < UINT32_MAX / 4;
}

/* The fields of stress, in the order of their numbers; each is an array over all elements. */
static const struct {
    const char *name;
    uint32_t components;
} stress_fields[] = {{"stress_von_mises", 1}, {"stress_principal", 3}, {"stress", 6},
                     {"strain_principal", 3}, {"strain", 6},           {"plastic_strain", 1}};
enum { STRESS_FIELDS = sizeof stress_fields / sizeof stress_fields[0], STRESS_NUMBERS = 20 };

static bool make_stress(dent_context *context, const dent_sim *sim, joined_mesh *mesh)
{
    dent_sim_body_info info;
    for (uint32_t i = 0; dent_sim_body(sim, i, &info); i++) {
        bool elastic = info.kind == DENT_SIM_SOLID && info.mesh == mesh->kind;
        mesh->cell_capacity = elastic && info.element_count > mesh->cell_capacity ? info.element_count : mesh->cell_capacity;
    }
    if (mesh->cell_capacity == 0) {
        return true;
    }
    mesh->stress = dent_allocate(context, (size_t)mesh->element_count * STRESS_NUMBERS, sizeof *mesh->stress);
    mesh->cells = dent_allocate(context, mesh->cell_capacity, sizeof *mesh->cells);
    return mesh->stress != NULL && mesh->cells != NULL;
}

static bool join(dent_context *context, const dent_sim *sim, joined_mesh *mesh)
{
    if (!count_mesh(sim, mesh)) {
        return false;
    }
    uint32_t corners = dent_body_kind_get_info(mesh->kind)->corner_count;
    mesh->corners = dent_allocate(context, (size_t)mesh->element_count * corners + 1, sizeof *mesh->corners);
    mesh->positions = dent_allocate(context, (size_t)mesh->vertex_count * 3 + 1, sizeof *mesh->positions);
    mesh->velocities = dent_allocate(context, (size_t)mesh->vertex_count * 3 + 1, sizeof *mesh->velocities);
    mesh->bodies = dent_allocate(context, (size_t)mesh->element_count + 1, sizeof *mesh->bodies);
    if (mesh->corners == NULL || mesh->positions == NULL || mesh->velocities == NULL || mesh->bodies == NULL) {
        return false;
    }
    dent_sim_body_info info;
    uint32_t first_vertex = 0, first_element = 0;
    for (uint32_t i = 0; dent_sim_body(sim, i, &info); i++) {
        if (info.mesh != mesh->kind) {
            continue;
        }
        for (size_t k = 0; k < (size_t)info.element_count * corners; k++) {
            mesh->corners[(size_t)first_element * corners + k] = first_vertex + info.element_corners[k];
        }
        for (uint32_t e = 0; e < info.element_count; e++) {
            mesh->bodies[first_element + e] = i;
        }
        first_vertex += info.vertex_count;
        first_element += info.element_count;
    }
    return make_stress(context, sim, mesh);
}

static void release_mesh(dent_context *context, joined_mesh *mesh)
{
    uint32_t corners = dent_body_kind_get_info(mesh->kind)->corner_count;
    dent_release(context, mesh->corners, (size_t)mesh->element_count * corners + 1, sizeof *mesh->corners);
    dent_release(context, mesh->positions, (size_t)mesh->vertex_count * 3 + 1, sizeof *mesh->positions);
    dent_release(context, mesh->velocities, (size_t)mesh->vertex_count * 3 + 1, sizeof *mesh->velocities);
    dent_release(context, mesh->bodies, (size_t)mesh->element_count + 1, sizeof *mesh->bodies);
    dent_release(context, mesh->stress, (size_t)mesh->element_count * STRESS_NUMBERS, sizeof *mesh->stress);
    dent_release(context, mesh->cells, mesh->cell_capacity, sizeof *mesh->cells);
    memset(mesh, 0, sizeof *mesh);
}

/* Puts the record of an element into the arrays of the fields. */
static void put_stress(joined_mesh *mesh, size_t element, const dent_sim_cell_stress *cell)
{
    const double *const values[STRESS_FIELDS] = {&cell->von_mises,         cell->principal_stress, cell->stress,
                                                 cell->principal_strain, cell->strain,           &cell->plastic_strain};
    double *array = mesh->stress;
    for (int n = 0; n < STRESS_FIELDS; n++) {
        memcpy(array + element * stress_fields[n].components, values[n], stress_fields[n].components * sizeof *array);
        array += (size_t)mesh->element_count * stress_fields[n].components;
    }
}

static void gather_stress(const dent_sim *sim, joined_mesh *mesh)
{
    dent_sim_body_info info;
    size_t first = 0;
    if (mesh->stress == NULL) {
        return;
    }
    memset(mesh->stress, 0, (size_t)mesh->element_count * STRESS_NUMBERS * sizeof *mesh->stress);
    for (uint32_t i = 0; dent_sim_body(sim, i, &info); i++) {
        if (info.mesh != mesh->kind) {
            continue;
        }
        bool there = info.kind == DENT_SIM_SOLID && dent_sim_get_stress(sim, i, mesh->cells) == DENT_OK;
        for (uint32_t e = 0; there && e < info.element_count; e++) {
            put_stress(mesh, first + e, &mesh->cells[e]);
        }
        first += info.element_count;
    }
}

static void gather(const dent_sim *sim, joined_mesh *mesh)
{
    dent_sim_body_info info;
    size_t first = 0;
    for (uint32_t i = 0; dent_sim_body(sim, i, &info); i++) {
        if (info.mesh == mesh->kind && info.vertex_count > 0) {
            size_t bytes = (size_t)info.vertex_count * 3 * sizeof(double);
            memcpy(mesh->positions + first, dent_sim_positions(sim, i), bytes);
            memcpy(mesh->velocities + first, dent_sim_velocities(sim, i), bytes);
            first += (size_t)info.vertex_count * 3;
        }
    }
}

/* ---- names ----------------------------------------------------------------------------------------------- */

enum { CONTACTS = 2, STRANDS = 3, PARTS = 4 };
static const char *const part_names[PARTS] = {"solids.vtu", "surfaces.vtp", "contacts.vtp", "strands.vtp"};

static int mesh_of_part(int part)
{
    return part == STRANDS ? 2 : part;
}

static bool part_exists(const run_output *output, int part)
{
    return part == CONTACTS || output->meshes[mesh_of_part(part)].element_count > 0;
}

static void part_path(const run_output *output, uint32_t frame, int part, char *path)
{
    snprintf(path, FILE_NAME_LIMIT, "%.*s/frame_%06u_%s", FILE_NAME_LIMIT - 64, output->folder, frame,
             part_names[part]);
}

/* Temporary files of runs that were killed; those of programs that still run are left alone. */
static void sweep_folder(const char *folder)
{
    DIR *list = opendir(folder);
    for (struct dirent *entry = list != NULL ? readdir(list) : NULL; entry != NULL; entry = readdir(list)) {
        long process = 0;
        int end = 0;
        char path[FILE_NAME_LIMIT];
        bool ours = sscanf(entry->d_name, ".dent-%ld-%*[0-9a-f].part%n", &process, &end) == 1 && end > 0;
        if (ours && entry->d_name[end] == '\0' && kill((pid_t)process, 0) != 0 && errno == ESRCH &&
            (size_t)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < sizeof path) {
            (void)unlink(path);
        }
    }
    if (list != NULL) {
        closedir(list);
    }
}

static int make_names(run_output *output, const char *out)
{
    size_t length = strlen(out) - (ends_with(out, ".pvd") ? 4 : 0);
    const char *other = ending_of_another_format(out, ".pvd");
    if (other != NULL) {
        return complain("run: --out %s: this writes .pvd, not %s; use a name that ends in .pvd", out, other);
    }
    if (length == 0 || length >= FILE_NAME_LIMIT - 128) {
        return complain("run: --out: the name is %s", length == 0 ? "empty" : "too long");
    }
    snprintf(output->collection, FILE_NAME_LIMIT, "%.*s.pvd", (int)length, out);
    snprintf(output->folder, FILE_NAME_LIMIT, "%.*s_frames", (int)length, out);
    const char *slash = strrchr(output->folder, '/');
    output->folder_name = slash != NULL ? slash + 1 : output->folder;
    if (strlen(output->folder_name) >= sizeof output->names[0] - 32) {
        return complain("run: --out %s: the name is too long", out);
    }
    if (!make_folders(output->folder)) {
        return complain("run: --out: %s: %s", output->folder, strerror(errno));
    }
    sweep_folder(output->folder);
    return STATUS_GOOD;
}

/* bodies.txt: a line for every body, its number and its name, for whoever shows the frames. Nothing in a frame depends
 * on it, and a run that is taken up again writes the same. */
static int write_body_names(const run_output *output)
{
    char path[FILE_NAME_LIMIT];
    snprintf(path, sizeof path, "%.*s/bodies.txt", FILE_NAME_LIMIT - 64, output->folder);
    int descriptor = scratch_file_open(path);
    if (descriptor < 0) {
        return complain("run: --out: %s: %s", path, strerror(errno));
    }
    printer out;
    printer_open(&out, descriptor);
    dent_sim_body_info info;
    for (uint32_t i = 0; dent_sim_body(dent_sim_scene_sim(output->scene), i, &info); i++) {
        printer_format(&out, "%u\t", i);
        printer_name(&out, info.name);
        printer_text(&out, "\n");
    }
    printer_flush(&out);
    int status = printer_failed(&out) ? complain("run: --out: %s: %s", path, strerror(out.error))
                                      : place_file(output->session, "run: --out:", descriptor, path);
    close(descriptor);
    return status;
}

int run_output_open(run_output *output, tool_session *session, const dent_sim_scene *scene, const char *out,
                    uint32_t frame_count)
{
    memset(output, 0, sizeof *output);
    output->session = session;
    output->scene = scene;
    output->meshes[0].kind = DENT_BODY_SOLID;
    output->meshes[1].kind = DENT_BODY_SURFACE;
    output->meshes[2].kind = DENT_BODY_STRANDS;
    int status = make_names(output, out);
    if (status != STATUS_GOOD) {
        return status;
    }
    const dent_sim *sim = dent_sim_scene_sim(scene);
    output->frame_capacity = frame_count + 1;
    output->entries = dent_allocate(session->context, PARTS * (size_t)output->frame_capacity, sizeof *output->entries);
    output->names = dent_allocate(session->context, PARTS * (size_t)output->frame_capacity, sizeof *output->names);
    bool whole = output->entries != NULL && output->names != NULL && join(session->context, sim, &output->meshes[0]) &&
                 join(session->context, sim, &output->meshes[1]) && join(session->context, sim, &output->meshes[2]);
    return whole ? write_body_names(output) : complain("run: --out: out of memory, or too many elements");
}

void run_output_close(run_output *output)
{
    if (output->session == NULL) {
        return;
    }
    dent_context *context = output->session->context;
    for (int n = 0; n < 3; n++) {
        release_mesh(context, &output->meshes[n]);
    }
    dent_release(context, output->entries, PARTS * (size_t)output->frame_capacity, sizeof *output->entries);
    dent_release(context, output->names, PARTS * (size_t)output->frame_capacity, sizeof *output->names);
    output->session = NULL;
}

/* ---- one frame ------------------------------------------------------------------------------------------- */

static dent_status write_mesh(run_output *output, uint32_t frame, int part)
{
    joined_mesh *mesh = &output->meshes[mesh_of_part(part)];
    char path[FILE_NAME_LIMIT];
    part_path(output, frame, part, path);
    gather(dent_sim_scene_sim(output->scene), mesh);
    gather_stress(dent_sim_scene_sim(output->scene), mesh);
    dent_mesh_field fields[2 + STRESS_FIELDS] = {
        {.name = "velocity", .components = 3, .values = mesh->velocities},
        {.name = "body", .on_elements = true, .components = 1, .values = mesh->bodies},
    };
    size_t at = 0;
    for (int n = 0; n < STRESS_FIELDS && mesh->stress != NULL; n++) {
        fields[2 + n] = (dent_mesh_field){.name = stress_fields[n].name,
                                          .on_elements = true,
                                          .components = stress_fields[n].components,
                                          .values = mesh->stress + at};
        at += (size_t)mesh->element_count * stress_fields[n].components;
    }
    if (part == STRANDS) { /* as segments, each with its body */
        return dent_lines_write(output->session->context, path, mesh->vertex_count, mesh->positions, mesh->element_count,
                                mesh->corners, 2, fields);
    }
    const dent_mesh_view view = {
        .kind = mesh->kind,
        .vertex_count = mesh->vertex_count,
        .positions = mesh->positions,
        .element_count = mesh->element_count,
        .element_corners = mesh->corners,
        .field_count = mesh->stress != NULL ? 2 + STRESS_FIELDS : 2,
        .fields = fields,
    };
    return dent_mesh_write(output->session->context, path, &view);
}

static dent_status write_contacts(run_output *output, uint32_t frame)
{
    enum { NUMBERS = 13 }; /* per contact: point, normal, force, push, its error, two bodies */
    dent_context *context = output->session->context;
    uint64_t found;
    const dent_sim_contact *contacts = dent_sim_contacts(dent_sim_scene_sim(output->scene), &found);
    uint32_t count = found < UINT32_MAX / NUMBERS ? (uint32_t)found : UINT32_MAX / NUMBERS;
    double *values = dent_allocate(context, (size_t)count * NUMBERS + 1, sizeof *values);
    if (values == NULL) {
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "out of memory for %u contacts", count);
    }
    double *normal = values + 3 * (size_t)count, *force = normal + 3 * (size_t)count,
           *push = force + 3 * (size_t)count;
    double *error = push + count, *body_a = error + count, *body_b = body_a + count;
    for (uint32_t i = 0; i < count; i++) {
        memcpy(values + 3 * (size_t)i, contacts[i].point, sizeof contacts[i].point);
        memcpy(normal + 3 * (size_t)i, contacts[i].normal, sizeof contacts[i].normal);
        memcpy(force + 3 * (size_t)i, contacts[i].force, sizeof contacts[i].force);
        push[i] = -contacts[i].gap;
        error[i] = contacts[i].error;
        body_a[i] = contacts[i].body_a;
        body_b[i] = contacts[i].body_b;
    }
    const dent_mesh_field fields[6] = {
        {.name = "normal", .components = 3, .values = normal}, {.name = "force", .components = 3, .values = force},
        {.name = "push", .components = 1, .values = push},     {.name = "error", .components = 1, .values = error},
        {.name = "body_a", .components = 1, .values = body_a}, {.name = "body_b", .components = 1, .values = body_b},
    };
    char path[FILE_NAME_LIMIT];
    part_path(output, frame, CONTACTS, path);
    dent_status status = dent_points_write(context, path, count, values, 6, fields);
    dent_release(context, values, (size_t)count * NUMBERS + 1, sizeof *values);
    return status;
}

/* Puts a frame, all of whose files are there, at the end of the list. */
static void list_frame(run_output *output, uint32_t frame)
{
    dent_sim_scene_facts facts = dent_sim_scene_get_facts(output->scene);
    for (int part = 0; part < PARTS && output->listed < output->frame_capacity; part++) {
        if (part_exists(output, part)) {
            char *name = output->names[output->entry_count];
            snprintf(name, sizeof output->names[0], "%.60s/frame_%06u_%s", output->folder_name, frame,
                     part_names[part]);
            output->entries[output->entry_count++] =
                (dent_collection_entry){.time = (double)frame * ((double)facts.steps_per_frame * facts.time_step),
                                        .part = (uint32_t)part,
                                        .file = name};
        }
    }
    output->listed++;
}

int run_output_write(run_output *output, uint32_t frame)
{
    dent_status status = DENT_OK;
    for (int part = 0; part < PARTS && status == DENT_OK; part++) {
        if (part_exists(output, part)) {
            status = part == CONTACTS ? write_contacts(output, frame) : write_mesh(output, frame, part);
        }
    }
    if (status == DENT_OK) {
        list_frame(output, frame);
        status =
            dent_collection_write(output->session->context, output->collection, output->entry_count, output->entries);
    }
    return status == DENT_OK ? STATUS_GOOD : complain("run: %s", session_message(output->session, status));
}

void run_output_adopt(run_output *output, uint32_t last)
{
    for (uint32_t frame = 0; frame <= last && frame < output->frame_capacity; frame++) {
        bool whole = true;
        for (int part = 0; part < PARTS; part++) {
            char path[FILE_NAME_LIMIT];
            part_path(output, frame, part, path);
            whole = whole && (!part_exists(output, part) || access(path, R_OK) == 0);
        }
        if (whole) {
            list_frame(output, frame);
        }
    }
}
