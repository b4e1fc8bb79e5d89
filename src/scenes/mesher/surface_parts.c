/* Vertices of a tube: ring after ring; then, when it is not closed, the centres of the first and the last ring. */
#include "surface_parts.h"

#include "scenes/elementary_functions.h"

#include <math.h>

uint32_t part_tube_vertices(uint32_t rings, uint32_t around, bool closed)
{
    return rings * around + (closed ? 0 : 2);
}

uint32_t part_tube_triangles(uint32_t rings, uint32_t around, bool closed)
{
    return 2 * around * (closed ? rings : rings - 1) + (closed ? 0 : 2 * around);
}

static void write_point(struct part_writer *writer, double x, double y, double z)
{
    double *position = writer->mesh->reference + 3 * (size_t)writer->vertex_count++;
    position[0] = x;
    position[1] = y;
    position[2] = z;
}

static void write_triangle(struct part_writer *writer, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *corners = writer->mesh->corners + 3 * (size_t)writer->triangle_count++;
    corners[0] = a;
    corners[1] = b;
    corners[2] = c;
}

/* Both ends of a tube that is not closed. */
static void write_ends(struct part_writer *writer, const double start[3], const double end[3], uint32_t first,
                       uint32_t last, uint32_t around)
{
    uint32_t centres = writer->vertex_count;
    write_point(writer, start[0], start[1], start[2]);
    write_point(writer, end[0], end[1], end[2]);
    for (uint32_t i = 0; i < around; i++) {
        uint32_t next = (i + 1) % around;
        write_triangle(writer, centres, first + next, first + i);
        write_triangle(writer, centres + 1, last + i, last + next);
    }
}

void part_write_tube(struct part_writer *writer, part_ring_function *ring_of, const void *shape, uint32_t ring_count,
                     uint32_t around, bool closed)
{
    uint32_t first = writer->vertex_count;
    for (uint32_t r = 0; r < ring_count; r++) {
        struct part_ring ring = ring_of(shape, r);
        for (uint32_t i = 0; i < around; i++) {
            struct scene_sine_cosine turn = scene_sine_cosine(2 * SCENE_PI * i / around);
            double point[3];
            for (int k = 0; k < 3; k++) {
                point[k] = (ring.centre[k] + turn.cosine * ring.across[k]) + turn.sine * ring.up[k];
            }
            write_point(writer, point[0], point[1], point[2]);
        }
    }
    for (uint32_t r = 0; r < (closed ? ring_count : ring_count - 1); r++) {
        uint32_t low = first + r * around, high = first + (r + 1) % ring_count * around;
        for (uint32_t i = 0; i < around; i++) {
            uint32_t next = (i + 1) % around;
            write_triangle(writer, low + i, low + next, high + next);
            write_triangle(writer, low + i, high + next, high + i);
        }
    }
    if (!closed) {
        struct part_ring start = ring_of(shape, 0), end = ring_of(shape, ring_count - 1);
        write_ends(writer, start.centre, end.centre, first, first + (ring_count - 1) * around, around);
    }
}

uint32_t part_plate_vertices(uint32_t across, uint32_t along)
{
    return 2 * (across + 1) * (along + 1);
}

uint32_t part_plate_triangles(uint32_t across, uint32_t along)
{
    return 4 * across * along + 4 * (across + along);
}

static void write_square(struct part_writer *writer, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    write_triangle(writer, a, b, c);
    write_triangle(writer, a, c, d);
}

void part_write_plate(struct part_writer *writer, const double low[3], const double high[3], uint32_t across,
                      uint32_t along)
{
    uint32_t first = writer->vertex_count, row = across + 1, layer = row * (along + 1);
    for (uint32_t k = 0; k < 2; k++) {
        for (uint32_t j = 0; j <= along; j++) {
            for (uint32_t i = 0; i <= across; i++) {
                write_point(writer, low[0] + (high[0] - low[0]) * ((double)i / across),
                            low[1] + (high[1] - low[1]) * ((double)j / along), k ? high[2] : low[2]);
            }
        }
    }
    for (uint32_t j = 0; j < along; j++) {
        for (uint32_t i = 0; i < across; i++) {
            uint32_t a = first + i + row * j;
            write_square(writer, a, a + row, a + row + 1, a + 1);
            a += layer;
            write_square(writer, a, a + 1, a + row + 1, a + row);
        }
    }
    for (uint32_t i = 0; i < across; i++) {
        uint32_t a = first + i, b = first + i + row * along;
        write_square(writer, a, a + 1, a + 1 + layer, a + layer);
        write_square(writer, b, b + layer, b + 1 + layer, b + 1);
    }
    for (uint32_t j = 0; j < along; j++) {
        uint32_t a = first + row * j, b = first + across + row * j;
        write_square(writer, a, a + layer, a + row + layer, a + row);
        write_square(writer, b, b + row, b + row + layer, b + layer);
    }
}

dent_status part_add_plates(dent_scene *scene, uint32_t index, const char *name, const struct part_plate *plates,
                            uint32_t count, uint32_t fine)
{
    struct scene_mesh *mesh = &scene->meshes[index];
    dent_status status = scene_mesh_allocate(scene->context, mesh, count * part_plate_vertices(fine, fine),
                                             count * part_plate_triangles(fine, fine), 3);
    if (status != DENT_OK) {
        return scene_out_of_memory(scene);
    }
    struct part_writer writer = {.mesh = mesh};
    for (uint32_t i = 0; i < count; i++) {
        part_write_plate(&writer, plates[i].low, plates[i].high, fine, fine);
    }
    scene_add_rigid_body(scene, name, -1, mesh);
    return DENT_OK;
}

struct part_ring part_ring_at(const double centre[3], const double direction[3], const double side[3], double radius)
{
    double length = sqrt((direction[0] * direction[0] + direction[1] * direction[1]) + direction[2] * direction[2]);
    struct part_ring ring;
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        ring.centre[k] = centre[k];
        ring.across[k] = radius * side[k];
        ring.up[k] = radius * (direction[l] * side[m] - direction[m] * side[l]) / length;
    }
    return ring;
}

/* Cubic pieces with the slopes of Catmull and Rom, one-sided at the ends. */
void part_curve(const double (*points)[4], uint32_t count, double u, double point[4], double slope[4])
{
    double place = u * (count - 1);
    uint32_t i = place >= count - 1 ? count - 2 : (uint32_t)place;
    double t = place - i;
    for (int k = 0; k < 4; k++) {
        double p0 = points[i][k], p1 = points[i + 1][k];
        double before = i > 0 ? (p1 - points[i - 1][k]) / 2 : p1 - p0;
        double after = i + 2 < count ? (points[i + 2][k] - p0) / 2 : p1 - p0;
        double c = 3 * (p1 - p0) - 2 * before - after, d = 2 * (p0 - p1) + before + after;
        point[k] = p0 + t * (before + t * (c + t * d));
        slope[k] = before + t * (2 * c + 3 * t * d);
    }
}
