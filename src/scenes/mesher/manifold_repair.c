/* Taking cells away until the boundary is manifold.
 *
 * Round by round: neighbours of all cells across their faces are found with a hash table; then the star of each vertex
 * (the cells around it) is looked at. When it falls into several groups that are not joined through faces, only the
 * largest group stays. When it is in one piece, but the boundary faces around the vertex form more than one fan or some
 * edge has more than two of them, the whole star goes. Every round removes at least one cell or is the last. Shapes
 * that the lattice resolves need one round, in which nothing is found. */
#include "manifold_repair.h"

#include <string.h>

#define NO_CELL UINT32_MAX

struct repair {
    dent_context *context;
    struct scene_mesh *mesh;
    uint32_t table_size;   /* a power of two, at least twice the number of faces */
    uint32_t *table;       /* of 4 * cell + corner, or NO_CELL */
    uint32_t *neighbours;  /* 4 per cell: the cell opposite corner c, or NO_CELL */
    uint32_t *star_starts; /* vertex_count + 1 */
    uint32_t *star_cells;  /* 4 per cell */
    uint32_t *group;       /* per cell: scratch of one star, later the piece */
    uint32_t *queue;       /* per cell */
    uint8_t *removed;      /* per cell */
    uint32_t *seen;        /* per vertex: scratch of one star */
};

/* ---- neighbours -------------------------------------------------------------------------------------------------- */

static void sorted_face(const struct repair *repair, uint32_t cell, uint32_t corner, uint32_t face[3])
{
    const uint32_t *v = repair->mesh->corners + 4 * (size_t)cell;
    uint32_t count = 0;
    for (uint32_t c = 0; c < 4; c++) {
        if (c == corner) {
            continue;
        }
        uint32_t place = count++;
        while (place > 0 && face[place - 1] > v[c]) {
            face[place] = face[place - 1];
            place--;
        }
        face[place] = v[c];
    }
}

static void match_face(struct repair *repair, uint32_t cell, uint32_t corner)
{
    uint32_t face[3], other[3];
    sorted_face(repair, cell, corner, face);
    uint64_t mixed = ((uint64_t)face[0] * 0x9E3779B97F4A7C15u) ^ ((uint64_t)face[1] * 0xC2B2AE3D27D4EB4Fu) ^
                     ((uint64_t)face[2] * 0x165667B19E3779F9u);
    uint32_t slot = (uint32_t)(mixed >> 32) & (repair->table_size - 1);
    while (repair->table[slot] != NO_CELL) {
        uint32_t entry = repair->table[slot];
        sorted_face(repair, entry / 4, entry % 4, other);
        if (memcmp(face, other, sizeof face) == 0) {
            repair->neighbours[4 * (size_t)cell + corner] = entry / 4;
            repair->neighbours[entry] = cell;
            return;
        }
        slot = (slot + 1) & (repair->table_size - 1);
    }
    repair->table[slot] = 4 * cell + corner;
}

static void find_neighbours(struct repair *repair)
{
    uint32_t cell_count = repair->mesh->element_count;
    memset(repair->table, 0xFF, repair->table_size * sizeof *repair->table);
    memset(repair->neighbours, 0xFF, 4 * (size_t)cell_count * sizeof *repair->neighbours);
    for (uint32_t cell = 0; cell < cell_count; cell++) {
        for (uint32_t corner = 0; corner < 4 && !repair->removed[cell]; corner++) {
            match_face(repair, cell, corner);
        }
    }
}

static void find_stars(struct repair *repair)
{
    const struct scene_mesh *mesh = repair->mesh;
    memset(repair->star_starts, 0, ((size_t)mesh->vertex_count + 1) * sizeof *repair->star_starts);
    for (size_t i = 0; i < 4 * (size_t)mesh->element_count; i++) {
        repair->star_starts[mesh->corners[i]] += !repair->removed[i / 4];
    }
    uint32_t sum = 0;
    for (size_t v = 0; v <= mesh->vertex_count; v++) {
        sum += repair->star_starts[v];
        repair->star_starts[v] = sum;
    }
    for (size_t i = 4 * (size_t)mesh->element_count; i-- > 0;) {
        if (!repair->removed[i / 4]) {
            repair->star_cells[--repair->star_starts[mesh->corners[i]]] = (uint32_t)(i / 4);
        }
    }
}

/* ---- one star ---------------------------------------------------------------------------------------------------- */

/* Spreads over the star of `vertex` from `first` through faces that contain the vertex; returns how many cells it
 * reached. */
static uint32_t flood_star(struct repair *repair, uint32_t vertex, uint32_t first, uint32_t number)
{
    const uint32_t *corners = repair->mesh->corners;
    uint32_t count = 0, done = 0;
    repair->queue[count++] = first;
    repair->group[first] = number;
    while (done < count) {
        uint32_t cell = repair->queue[done++];
        for (uint32_t c = 0; c < 4; c++) {
            uint32_t next = repair->neighbours[4 * (size_t)cell + c];
            if (corners[4 * (size_t)cell + c] != vertex && next != NO_CELL && repair->group[next] == NO_CELL) {
                repair->group[next] = number;
                repair->queue[count++] = next;
            }
        }
    }
    return count;
}

/* How many boundary faces at `vertex` contain the edge to `other`. */
static uint32_t boundary_faces_at_edge(const struct repair *repair, uint32_t vertex, uint32_t other)
{
    uint32_t faces = 0;
    for (uint32_t i = repair->star_starts[vertex]; i < repair->star_starts[vertex + 1]; i++) {
        uint32_t cell = repair->star_cells[i];
        const uint32_t *v = repair->mesh->corners + 4 * (size_t)cell;
        bool has = v[0] == other || v[1] == other || v[2] == other || v[3] == other;
        for (uint32_t c = 0; c < 4 && has; c++) {
            faces += v[c] != vertex && v[c] != other && repair->neighbours[4 * (size_t)cell + c] == NO_CELL;
        }
    }
    return faces;
}

/* The next vertex on the rim: the third corner of a boundary face with the edge (vertex, at) whose third corner has not
 * been visited; NO_CELL when there is none. */
static uint32_t next_on_rim(const struct repair *repair, uint32_t vertex, uint32_t at)
{
    for (uint32_t i = repair->star_starts[vertex]; i < repair->star_starts[vertex + 1]; i++) {
        uint32_t cell = repair->star_cells[i];
        const uint32_t *v = repair->mesh->corners + 4 * (size_t)cell;
        for (uint32_t c = 0; c < 4; c++) {
            if (v[c] == vertex || v[c] == at || repair->neighbours[4 * (size_t)cell + c] != NO_CELL) {
                continue;
            }
            bool has = false;
            uint32_t third = NO_CELL;
            for (uint32_t d = 0; d < 4; d++) {
                has = has || v[d] == at;
                third = d != c && v[d] != vertex && v[d] != at ? v[d] : third;
            }
            if (has && repair->seen[third] != vertex) {
                return third;
            }
        }
    }
    return NO_CELL;
}

/* The boundary faces around a vertex form one fan: walking along its rim visits every vertex of the rim, and every edge
 * from the vertex to the rim has two boundary faces. */
static bool one_fan(struct repair *repair, uint32_t vertex)
{
    uint32_t start = NO_CELL, rim = 0;
    for (uint32_t i = repair->star_starts[vertex]; i < repair->star_starts[vertex + 1]; i++) {
        const uint32_t *v = repair->mesh->corners + 4 * (size_t)repair->star_cells[i];
        for (uint32_t c = 0; c < 4; c++) {
            repair->seen[v[c]] = NO_CELL;
        }
    }
    /* Every rim vertex is met once through `seen`; the marks are undone before the walk, which uses them again. */
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = repair->star_starts[vertex]; i < repair->star_starts[vertex + 1]; i++) {
            const uint32_t *v = repair->mesh->corners + 4 * (size_t)repair->star_cells[i];
            for (uint32_t c = 0; c < 4; c++) {
                if (v[c] == vertex) {
                    continue;
                }
                if (pass == 1) {
                    repair->seen[v[c]] = NO_CELL;
                } else if (repair->seen[v[c]] == NO_CELL) {
                    repair->seen[v[c]] = vertex;
                    uint32_t faces = boundary_faces_at_edge(repair, vertex, v[c]);
                    if (faces > 2) {
                        return false;
                    }
                    rim += faces == 2;
                    start = faces == 2 ? v[c] : start;
                }
            }
        }
    }
    uint32_t walked = 0;
    for (uint32_t at = start; at != NO_CELL; at = next_on_rim(repair, vertex, at)) {
        repair->seen[at] = vertex;
        walked++;
    }
    return walked == rim;
}

static uint32_t repair_star(struct repair *repair, uint32_t vertex)
{
    uint32_t begin = repair->star_starts[vertex], end = repair->star_starts[vertex + 1];
    bool on_boundary = false;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t cell = repair->star_cells[i];
        repair->group[cell] = NO_CELL;
        for (uint32_t c = 0; c < 4; c++) {
            on_boundary = on_boundary || (repair->mesh->corners[4 * (size_t)cell + c] != vertex &&
                                          repair->neighbours[4 * (size_t)cell + c] == NO_CELL);
        }
    }
    if (!on_boundary) {
        return 0;
    }
    uint32_t groups = 0, largest = 0, largest_size = 0;
    for (uint32_t i = begin; i < end; i++) {
        if (repair->group[repair->star_cells[i]] == NO_CELL) {
            uint32_t size = flood_star(repair, vertex, repair->star_cells[i], groups);
            largest = size > largest_size ? groups : largest;
            largest_size = size > largest_size ? size : largest_size;
            groups++;
        }
    }
    if (groups == 1 && one_fan(repair, vertex)) {
        return 0;
    }
    uint32_t count = 0;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t cell = repair->star_cells[i];
        if (groups == 1 || repair->group[cell] != largest) {
            count += !repair->removed[cell];
            repair->removed[cell] = 1;
        }
    }
    return count;
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

/* Marks everything but the largest piece as removed. */
static void keep_largest_piece(struct repair *repair)
{
    uint32_t cell_count = repair->mesh->element_count;
    uint32_t pieces = 0, largest = NO_CELL, largest_size = 0;
    memset(repair->group, 0xFF, cell_count * sizeof *repair->group);
    for (uint32_t first = 0; first < cell_count; first++) {
        if (repair->removed[first] || repair->group[first] != NO_CELL) {
            continue;
        }
        /* No vertex has the number NO_CELL, so the flood crosses all faces. */
        uint32_t size = flood_star(repair, NO_CELL, first, pieces);
        largest = size > largest_size ? pieces : largest;
        largest_size = size > largest_size ? size : largest_size;
        pieces++;
    }
    for (uint32_t cell = 0; cell < cell_count; cell++) {
        repair->removed[cell] = repair->removed[cell] || repair->group[cell] != largest;
    }
}

/* Copies what is left into arrays of the right size. */
static dent_status compact(struct repair *repair)
{
    struct scene_mesh *mesh = repair->mesh;
    uint32_t cells = 0, vertices = 0;
    memset(repair->seen, 0xFF, (size_t)mesh->vertex_count * sizeof *repair->seen);
    for (size_t cell = 0; cell < mesh->element_count; cell++) {
        for (uint32_t c = 0; c < 4 && !repair->removed[cell]; c++) {
            repair->seen[mesh->corners[4 * cell + c]] = 0;
        }
        cells += !repair->removed[cell];
    }
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        if (repair->seen[v] != NO_CELL) {
            repair->seen[v] = vertices++;
        }
    }
    struct scene_mesh result;
    dent_status status = scene_mesh_allocate(repair->context, &result, vertices, cells, 4);
    if (status != DENT_OK) {
        return status;
    }
    uint32_t *corner = result.corners;
    for (size_t i = 0; i < 4 * (size_t)mesh->element_count; i++) {
        if (!repair->removed[i / 4]) {
            *corner++ = repair->seen[mesh->corners[i]];
        }
    }
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        if (repair->seen[v] != NO_CELL) {
            memcpy(result.reference + 3 * (size_t)repair->seen[v], mesh->reference + 3 * v,
                   3 * sizeof *result.reference);
        }
    }
    scene_mesh_release(repair->context, mesh);
    *mesh = result;
    return DENT_OK;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void release_scratch(struct repair *repair, uint32_t cells, uint32_t vertices)
{
    dent_context *context = repair->context;
    dent_release(context, repair->table, repair->table_size, sizeof *repair->table);
    dent_release(context, repair->neighbours, cells, 4 * sizeof *repair->neighbours);
    dent_release(context, repair->star_starts, (size_t)vertices + 1, sizeof *repair->star_starts);
    dent_release(context, repair->star_cells, cells, 4 * sizeof *repair->star_cells);
    dent_release(context, repair->group, cells, sizeof *repair->group);
    dent_release(context, repair->queue, cells, sizeof *repair->queue);
    dent_release(context, repair->removed, cells, sizeof *repair->removed);
    dent_release(context, repair->seen, vertices, sizeof *repair->seen);
}

static dent_status allocate_scratch(struct repair *repair, uint32_t cells, uint32_t vertices)
{
    dent_context *context = repair->context;
    uint64_t size = 64;
    while (size < 8 * (uint64_t)cells) {
        size *= 2;
    }
    if (cells > UINT32_MAX / 16) {
        return dent_fail(context, DENT_ERROR_TOO_LARGE, "a meshed shape has %u cells; at most %u can be worked on",
                         cells, UINT32_MAX / 16);
    }
    repair->table_size = (uint32_t)size;
    repair->table = dent_allocate(context, repair->table_size, sizeof *repair->table);
    repair->neighbours = dent_allocate(context, cells, 4 * sizeof *repair->neighbours);
    repair->star_starts = dent_allocate(context, (size_t)vertices + 1, sizeof *repair->star_starts);
    repair->star_cells = dent_allocate(context, cells, 4 * sizeof *repair->star_cells);
    repair->group = dent_allocate(context, cells, sizeof *repair->group);
    repair->queue = dent_allocate(context, cells, sizeof *repair->queue);
    repair->removed = dent_allocate(context, cells, sizeof *repair->removed);
    repair->seen = dent_allocate(context, vertices, sizeof *repair->seen);
    if (repair->table && repair->neighbours && repair->star_starts && repair->star_cells && repair->group &&
        repair->queue && repair->removed && repair->seen) {
        return DENT_OK;
    }
    release_scratch(repair, cells, vertices);
    return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "no memory to check the boundary of a meshed shape");
}

dent_status repair_manifold(dent_context *context, struct scene_mesh *mesh)
{
    uint32_t cells = mesh->element_count, vertices = mesh->vertex_count;
    struct repair repair = {.context = context, .mesh = mesh};
    dent_status status = allocate_scratch(&repair, cells, vertices);
    if (status != DENT_OK) {
        return status;
    }
    memset(repair.removed, 0, cells);
    uint32_t removed;
    do {
        removed = 0;
        find_neighbours(&repair);
        find_stars(&repair);
        for (uint32_t v = 0; v < vertices; v++) {
            removed += repair_star(&repair, v);
        }
    } while (removed > 0);
    keep_largest_piece(&repair);
    status = compact(&repair);
    release_scratch(&repair, cells, vertices);
    return status;
}
