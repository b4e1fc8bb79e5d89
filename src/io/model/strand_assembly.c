/* Lines to strands. A strand is a maximal run of consecutive lines (a, b), (b, c), …; it gets vertices of its own, one
 * after the other from root to tip, as dent_body_def wants them. The vertex numbers say where in the file each came from.
 * A file that already has that order (every vertex used once, ascending) keeps its numbering. */
#include "strand_assembly.h"

static dent_status strands_no_memory(const struct mesh_builder *builder)
{
    return dent_fail(builder->context, DENT_ERROR_OUT_OF_MEMORY, "%s: no memory for its strands", builder->file_name);
}

static bool continues(const uint32_t *corners, uint32_t line)
{
    return line > 0 && corners[2 * (size_t)line] == corners[2 * (size_t)line - 1];
}

/* first[] and, for every vertex of the body, the vertex of the file. */
static void number_vertices(const struct strand_lines *lines, uint32_t *first, uint32_t *numbers)
{
    uint32_t vertices = 0, strands = 0;
    for (uint32_t i = 0; i < lines->count; i++) {
        if (!continues(lines->corners, i)) {
            first[strands++] = vertices;
            numbers[vertices++] = lines->corners[2 * (size_t)i];
        }
        numbers[vertices++] = lines->corners[2 * (size_t)i + 1];
    }
    first[strands] = vertices;
}

static void renumber_corners(struct strand_lines *lines, const uint32_t *first, uint32_t strand_count)
{
    size_t line = 0;
    for (uint32_t s = 0; s < strand_count; s++) {
        for (uint32_t v = first[s]; v + 1 < first[s + 1]; v++, line++) {
            lines->corners[2 * line] = v;
            lines->corners[2 * line + 1] = v + 1;
        }
    }
}

/* Vertices that were used before; false: no memory. */
static bool count_copies(struct mesh_builder *builder, const uint32_t *numbers, uint32_t count, uint64_t *copies)
{
    size_t file_vertices = builder_vertex_count(builder);
    uint8_t *seen = dent_allocate(builder->context, file_vertices, 1);
    if (!seen) {
        return false;
    }
    memset(seen, 0, file_vertices);
    *copies = 0;
    for (uint32_t v = 0; v < count; v++) {
        *copies += seen[numbers[v]];
        seen[numbers[v]] = 1;
    }
    dent_release(builder->context, seen, file_vertices, 1);
    return true;
}

static bool is_own_order(const struct mesh_builder *builder, const uint32_t *numbers, uint32_t count)
{
    for (uint32_t v = 0; v < count; v++) {
        if (numbers[v] != v) {
            return false;
        }
    }
    return count == builder_vertex_count(builder);
}

static bool copy_numbers(const struct mesh_builder *builder, struct mesh_storage *storage, dent_mesh_body *body)
{
    const double *from = builder->positions.data, *radii_from = builder->radii.data;
    bool has_radii = builder->radii.count > 0;
    double *positions = mesh_storage_take(builder->context, storage, body->vertex_count, 3 * sizeof(double));
    double *radii = has_radii ? mesh_storage_take(builder->context, storage, body->vertex_count, sizeof(double)) : NULL;
    if (!positions || (has_radii && !radii)) {
        return false;
    }
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        memcpy(positions + 3 * (size_t)v, from + 3 * (size_t)body->vertex_numbers[v], 3 * sizeof(double));
        if (has_radii) {
            radii[v] = radii_from[body->vertex_numbers[v]];
        }
    }
    body->positions = positions;
    body->radii = radii;
    return true;
}

static bool keep_numbers(struct mesh_builder *builder, struct mesh_storage *storage, dent_mesh_body *body)
{
    body->vertex_numbers = NULL;
    body->positions = mesh_storage_keep_array(storage, &builder->positions);
    if (body->positions && builder->radii.count > 0) {
        body->radii = mesh_storage_keep_array(storage, &builder->radii);
        return body->radii != NULL;
    }
    return body->positions != NULL;
}

dent_status assemble_strands(struct mesh_builder *builder, struct mesh_storage *storage, struct strand_lines *lines,
                             dent_mesh_body *body)
{
    uint32_t strands = 0;
    if (builder->radii.count > 0 && builder->radii.count != builder_vertex_count(builder)) {
        builder_note(builder, builder->radii.count, "radii were ignored: other vertices have none");
        array_clear(&builder->radii);
    }
    for (uint32_t i = 0; i < lines->count; i++) {
        strands += !continues(lines->corners, i);
    }
    uint64_t vertices = (uint64_t)lines->count + strands;
    if (vertices > MESH_COUNT_MAX) {
        return dent_fail(builder->context, DENT_ERROR_TOO_LARGE,
                         "%s: its strands need more vertices than 32-bit indices can name", builder->file_name);
    }
    uint32_t *first = mesh_storage_take(builder->context, storage, (size_t)strands + 1, sizeof *first);
    uint32_t *numbers = mesh_storage_take(builder->context, storage, vertices, sizeof *numbers);
    if (!first || !numbers) {
        return strands_no_memory(builder);
    }
    number_vertices(lines, first, numbers);
    renumber_corners(lines, first, strands);
    body->strand_count = strands;
    body->first = first;
    body->vertex_count = (uint32_t)vertices;
    body->vertex_numbers = numbers;
    lines->copied_vertices = 0;
    bool good = lines->only && is_own_order(builder, numbers, body->vertex_count)
                    ? keep_numbers(builder, storage, body)
                    : count_copies(builder, numbers, body->vertex_count, &lines->copied_vertices) &&
                          copy_numbers(builder, storage, body);
    return good ? DENT_OK : strands_no_memory(builder);
}
