/* See support_counting.h. */
#include "scenes/support_counting.h"

#include "base/containers/union_find.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A face of a cell, corners outward; `key` is the same for both cells of a face. */
struct face {
    uint32_t key[3], corners[3], cell;
};

static int compare_faces(const void *a, const void *b)
{
    return memcmp(((const struct face *)a)->key, ((const struct face *)b)->key, sizeof((const struct face *)a)->key);
}

static void sort_three(uint32_t key[3])
{
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < 2; i++) {
            if (key[i] > key[i + 1]) {
                uint32_t swap = key[i];
                key[i] = key[i + 1];
                key[i + 1] = swap;
            }
        }
    }
}

struct half_edge {
    uint32_t low, high, face;
    int forward;
};

static int compare_half_edges(const void *a, const void *b)
{
    return memcmp(a, b, 2 * sizeof(uint32_t));
}

/* Boundary faces that share an edge at vertex v are one fan; a vertex with more than one fan is pinched. Fans are
 * counted by joining the corners (face, corner) across the edges. */
static void examine_edges(const struct face *boundary, uint32_t face_count, uint32_t vertex_count,
                          struct boundary_report *report)
{
    struct half_edge *edges = malloc((3 * (size_t)face_count + 1) * sizeof *edges);
    uint32_t *parent = malloc((3 * (size_t)face_count + 1) * sizeof *parent);
    uint8_t *fans = calloc((size_t)vertex_count + 1, 1);
    assert(edges && parent && fans);
    for (uint32_t f = 0; f < face_count; f++) {
        for (uint32_t c = 0; c < 3; c++) {
            uint32_t from = boundary[f].corners[c], to = boundary[f].corners[(c + 1) % 3];
            edges[3 * f + c] = (struct half_edge){from < to ? from : to, from < to ? to : from, f, from < to};
            parent[3 * f + c] = 3 * f + c;
        }
    }
    qsort(edges, 3 * (size_t)face_count, sizeof *edges, compare_half_edges);
    uint32_t edge_count = 0;
    for (size_t i = 0; i < 3 * (size_t)face_count;) {
        size_t end = i;
        while (end < 3 * (size_t)face_count && compare_half_edges(&edges[end], &edges[i]) == 0) {
            end++;
        }
        edge_count++;
        if (end - i != 2 || edges[i].forward == edges[i + 1].forward) {
            report->edges_not_two++;
        }
        for (size_t j = i + 1; j < end; j++) {
            uint32_t ends[2] = {edges[i].low, edges[i].high};
            for (int e = 0; e < 2; e++) {
                uint32_t corner[2];
                for (int side = 0; side < 2; side++) {
                    uint32_t face = edges[side ? j : i].face, c = 0;
                    while (boundary[face].corners[c] != ends[e]) {
                        c++;
                    }
                    corner[side] = 3 * face + c;
                }
                union_find_join(parent, corner[0], corner[1]);
            }
        }
        i = end;
    }
    uint32_t used = 0;
    for (uint32_t i = 0; i < 3 * face_count; i++) {
        uint32_t vertex = boundary[i / 3].corners[i % 3];
        if (union_find_root(parent, i) == i) {
            used += fans[vertex] == 0;
            report->pinched_vertices += fans[vertex] == 1;
            fans[vertex] = fans[vertex] < 2 ? fans[vertex] + 1 : 2;
        }
    }
    report->euler = (int64_t)used - edge_count + face_count;
    free(edges);
    free(parent);
    free(fans);
}

static const uint8_t outward[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

struct boundary_report examine_boundary(const uint32_t *tetrahedra, uint32_t tetrahedron_count, const double *positions,
                                        uint32_t vertex_count)
{
    struct boundary_report report = {0};
    struct face *faces = malloc((4 * (size_t)tetrahedron_count + 1) * sizeof *faces);
    uint32_t *parent = malloc(((size_t)tetrahedron_count + 1) * sizeof *parent);
    assert(faces && parent);
    for (uint32_t t = 0; t < tetrahedron_count; t++) {
        parent[t] = t;
        for (int corner = 0; corner < 4; corner++) {
            struct face *face = &faces[4 * (size_t)t + corner];
            face->cell = t;
            for (int i = 0; i < 3; i++) {
                face->corners[i] = face->key[i] = tetrahedra[4 * (size_t)t + outward[corner][i]];
            }
            sort_three(face->key);
        }
    }
    qsort(faces, 4 * (size_t)tetrahedron_count, sizeof *faces, compare_faces);
    uint32_t boundary_count = 0;
    for (size_t i = 0; i < 4 * (size_t)tetrahedron_count;) {
        size_t end = i;
        while (end < 4 * (size_t)tetrahedron_count && compare_faces(&faces[end], &faces[i]) == 0) {
            end++;
        }
        if (end - i == 1) {
            faces[boundary_count++] = faces[i];
        } else {
            report.faces_with_more_cells += end - i > 2;
            union_find_join(parent, faces[i].cell, faces[i + 1].cell);
        }
        i = end;
    }
    report.faces = boundary_count;
    for (uint32_t t = 0; t < tetrahedron_count; t++) {
        report.components += union_find_root(parent, t) == t;
    }
    for (uint32_t f = 0; f < boundary_count; f++) {
        const double *a = positions + 3 * (size_t)faces[f].corners[0];
        const double *b = positions + 3 * (size_t)faces[f].corners[1];
        const double *c = positions + 3 * (size_t)faces[f].corners[2];
        report.volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                          a[2] * (b[0] * c[1] - b[1] * c[0])) /
                         6;
    }
    examine_edges(faces, boundary_count, vertex_count, &report);
    free(faces);
    free(parent);
    return report;
}

void dihedral_range(const uint32_t *tetrahedra, uint32_t tetrahedron_count, const double *positions, double *smallest,
                    double *largest)
{
    *smallest = 180;
    *largest = 0;
    for (size_t t = 0; t < tetrahedron_count; t++) {
        double normals[4][3];
        for (int face = 0; face < 4; face++) {
            const double *p[3];
            for (int i = 0; i < 3; i++) {
                p[i] = positions + 3 * (size_t)tetrahedra[4 * t + outward[face][i]];
            }
            double u[3], v[3], length = 0;
            for (int i = 0; i < 3; i++) {
                u[i] = p[1][i] - p[0][i];
                v[i] = p[2][i] - p[0][i];
            }
            for (int i = 0; i < 3; i++) {
                normals[face][i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
                length += normals[face][i] * normals[face][i];
            }
            for (int i = 0; i < 3; i++) {
                normals[face][i] /= sqrt(length);
            }
        }
        for (int a = 0; a < 4; a++) {
            for (int b = a + 1; b < 4; b++) {
                double dot =
                    normals[a][0] * normals[b][0] + normals[a][1] * normals[b][1] + normals[a][2] * normals[b][2];
                double angle = acos(fmax(-1, fmin(1, -dot))) * 180 / acos(-1.0);
                *smallest = fmin(*smallest, angle);
                *largest = fmax(*largest, angle);
            }
        }
    }
}
