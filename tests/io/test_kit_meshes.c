/* Every mesh of the data kit loads with what its README states. The tables are read from the READMEs themselves, and
 * the folders are walked to see that no mesh file is left out. Without DENT_DATA there is nothing to test, which is
 * said. */
#include "reading.h"

#include <dirent.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>

/* One row of the table in meshes/README.md. */
struct row {
    char file[256];
    char format[64];
    char vertices[32];
    char elements[64];
    char quality[256];
};

static const char *kit(void)
{
    const char *folder = getenv("DENT_DATA");
    if (!folder || !*folder) {
        print_message("SKIPPED: DENT_DATA is not set; the meshes of the data kit were not read\n");
        skip();
    }
    return folder;
}

/* The next cell of a table line, blanks and backticks taken off. */
static const char *next_cell(const char *line, char *cell, size_t size)
{
    cell[0] = 0;
    if (*line != '|') {
        return line;
    }
    line++;
    size_t length = strcspn(line, "|\n");
    const char *from = line;
    const char *to = line + length;
    while (from < to && (*from == ' ' || *from == '`')) {
        from++;
    }
    while (to > from && (to[-1] == ' ' || to[-1] == '`')) {
        to--;
    }
    snprintf(cell, size, "%.*s", (int)(to - from), from);
    return line + length;
}

static bool parse_row(const char *line, struct row *row)
{
    if (strncmp(line, "| `", 3) != 0) {
        return false;
    }
    char bytes[32];
    line = next_cell(line, row->file, sizeof row->file);
    line = next_cell(line, bytes, sizeof bytes);
    line = next_cell(line, row->format, sizeof row->format);
    line = next_cell(line, row->vertices, sizeof row->vertices);
    line = next_cell(line, row->elements, sizeof row->elements);
    next_cell(line, row->quality, sizeof row->quality);
    return true;
}

static bool is_mesh_name(const char *name)
{
    static const char *const endings[] = {".msh", ".mesh", ".node", ".ele", ".vtk", ".vtu", ".obj", ".stl", ".ply"};
    char stem[512];
    snprintf(stem, sizeof stem, "%s", name);
    size_t length = strlen(stem);
    if (length > 3 && (strcmp(stem + length - 3, ".xz") == 0 || strcmp(stem + length - 3, ".gz") == 0)) {
        length -= 3;
        stem[length] = 0;
    }
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t ending = strlen(endings[i]);
        if (length > ending && strcasecmp(stem + length - ending, endings[i]) == 0) {
            return true;
        }
    }
    return false;
}

static uint32_t count_mesh_files(const char *folder)
{
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    uint32_t count = 0;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        char path[1024];
        struct stat facts;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || stat(path, &facts) != 0) {
            continue;
        }
        count += S_ISDIR(facts.st_mode) ? count_mesh_files(path) : is_mesh_name(entry->d_name);
    }
    closedir(directory);
    return count;
}

static uint64_t sum_elements(const dent_mesh *mesh)
{
    uint64_t sum = 0;
    for (uint32_t b = 0; b < mesh->body_count; b++) {
        sum += mesh->bodies[b].element_count;
    }
    return sum;
}

/* "12 surface triangles" in the text: 12; -1 when the words are not there. */
static long number_before(const char *text, const char *words)
{
    const char *place = strstr(text, words);
    if (!place) {
        return -1;
    }
    while (place > text && place[-1] == ' ') {
        place--;
    }
    while (place > text && place[-1] >= '0' && place[-1] <= '9') {
        place--;
    }
    return atol(place);
}

/* What the table says about surface, inverted cells and edges, for the whole file as one body. */
static void check_topology(struct reading *reading, const char *path, const struct row *row)
{
    dent_mesh_read_def def = dent_mesh_read_def_default();
    def.merge = true;
    dent_mesh *mesh = NULL;
    assert_int_equal(dent_mesh_read(reading->context, path, &def, &mesh), DENT_OK);
    assert_int_equal(mesh->body_count, 1);
    dent_world *world = dent_world_create(reading->context);
    dent_body_id id;
    assert_int_equal(dent_mesh_add_to_world(mesh, world, &id), DENT_OK);
    dent_body_topology topology;
    assert_int_equal(dent_body_get_topology(world, id, &topology), DENT_OK);
    long surface = number_before(row->quality, "surface triangles");
    if (surface >= 0) {
        assert_int_equal(topology.surface_face_count, surface);
        dent_body_metrics measure;
        assert_int_equal(dent_body_get_metrics(world, id, &measure), DENT_OK);
        const char *inverted = strstr(row->quality, "inverted ");
        assert_int_equal(measure.inverted_cells, strstr(row->quality, "none inverted") ? 0 : atol(inverted + 9));
    }
    if (strstr(row->quality, "closed manifold")) {
        assert_int_equal(topology.boundary_edges, 0);
        assert_int_equal(topology.nonmanifold_edges, 0);
    }
    if (number_before(row->quality, "boundary,") >= 0) {
        assert_int_equal(topology.boundary_edges, number_before(row->quality, "boundary,"));
        assert_int_equal(topology.nonmanifold_edges, number_before(row->quality, "non-manifold"));
    }
    dent_world_destroy(world);
    dent_mesh_destroy(reading->context, mesh);
}

static void check_row(struct reading *reading, const char *path, const struct row *row)
{
    read_path(reading, path);
    if (reading->status != DENT_OK) {
        print_error("%s: %s\n", path, reading->message);
    }
    assert_read(reading);
    bool tets = strstr(row->elements, " tets") != NULL;
    if ((long)reading->mesh->file_vertex_count != atol(row->vertices) ||
        (long)sum_elements(reading->mesh) != atol(row->elements)) {
        print_error("%s: %u vertices, %llu elements; the README says %s and %s\n", path,
                    reading->mesh->file_vertex_count, (unsigned long long)sum_elements(reading->mesh), row->vertices,
                    row->elements);
    }
    assert_int_equal(reading->mesh->file_vertex_count, atol(row->vertices));
    assert_int_equal(sum_elements(reading->mesh), atol(row->elements));
    for (uint32_t b = 0; b < reading->mesh->body_count; b++) {
        assert_int_equal(reading->mesh->bodies[b].kind, tets ? DENT_BODY_SOLID : DENT_BODY_SURFACE);
        assert_null(reading->mesh->bodies[b].cell_kinds);
    }
}

static void every_mesh_of_the_kit_has_the_counts_its_readme_states(void **state)
{
    (void)state;
    char path[1024], folder[256] = "", line[8192];
    snprintf(path, sizeof path, "%s/meshes/README.md", kit());
    FILE *readme = fopen(path, "r");
    assert_non_null(readme);
    struct reading reading;
    reading_open(&reading);
    struct row row, cells = {.file = ""};
    uint32_t files = 0;
    while (fgets(line, sizeof line, readme)) {
        if (strncmp(line, "## ", 3) == 0) {
            snprintf(folder, sizeof folder, "%.*s", (int)strcspn(line + 3, ":\n"), line + 3);
        }
        if (!parse_row(line, &row) || !is_mesh_name(row.file)) {
            continue;
        }
        snprintf(path, sizeof path, "%s/meshes/%s/%s", kit(), folder, row.file);
        if (strncmp(row.format, "node list", 9) == 0) {
            /* The other one of the pair must give the same mesh. */
            assert_true(strlen(cells.file) > 0);
            check_row(&reading, path, &cells);
        } else {
            check_row(&reading, path, &row);
            check_topology(&reading, path, &row);
            cells = row;
        }
        files++;
    }
    fclose(readme);
    reading_close(&reading);
    snprintf(path, sizeof path, "%s/meshes", kit());
    print_message("%u mesh files of the kit read\n", files);
    assert_int_equal(files, count_mesh_files(path));
}

static void check_frame(struct reading *reading, const char *path, const char *vertices, const char *edges,
                        const char *faces)
{
    read_path(reading, path);
    assert_read(reading);
    assert_int_equal(reading->mesh->file_vertex_count, atol(vertices));
    assert_int_equal(sum_elements(reading->mesh), atol(faces));
    assert_int_equal(reading->mesh->body_count, 1);
    dent_world *world = dent_world_create(reading->context);
    dent_body_id id;
    dent_body_topology topology;
    assert_int_equal(dent_mesh_add_to_world(reading->mesh, world, &id), DENT_OK);
    assert_int_equal(dent_body_get_topology(world, id, &topology), DENT_OK);
    assert_int_equal(topology.edge_count, atol(edges));
    dent_world_destroy(world);
}

static void every_frame_of_the_kit_has_the_counts_its_readme_states(void **state)
{
    (void)state;
    char path[1024], line[4096];
    snprintf(path, sizeof path, "%s/frames/README.md", kit());
    FILE *readme = fopen(path, "r");
    assert_non_null(readme);
    struct reading reading;
    reading_open(&reading);
    uint32_t files = 0;
    while (fgets(line, sizeof line, readme)) {
        char scene[128], frames[256], numbers[128], vertices[32], edges[32], faces[32];
        const char *rest = next_cell(line, scene, sizeof scene);
        rest = next_cell(rest, frames, sizeof frames);
        rest = next_cell(rest, numbers, sizeof numbers);
        rest = next_cell(rest, vertices, sizeof vertices);
        rest = next_cell(rest, edges, sizeof edges);
        next_cell(rest, faces, sizeof faces);
        if (line[0] != '|' || !strstr(frames, ".ply")) {
            continue;
        }
        for (char *frame = strtok(frames, ", "); frame; frame = strtok(NULL, ", ")) {
            snprintf(path, sizeof path, "%s/frames/%s/frames/%s.xz", kit(), scene, frame);
            check_frame(&reading, path, vertices, edges, faces);
            files++;
        }
    }
    fclose(readme);
    reading_close(&reading);
    snprintf(path, sizeof path, "%s/frames", kit());
    print_message("%u frames of the kit read\n", files);
    assert_int_equal(files, count_mesh_files(path));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mesh_of_the_kit_has_the_counts_its_readme_states),
        cmocka_unit_test(every_frame_of_the_kit_has_the_counts_its_readme_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
