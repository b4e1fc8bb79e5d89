/* Simple counts that judge the scenes, written apart from the code under test: plain loops, plain doubles. */
#ifndef DENT_TESTS_SCENES_SUPPORT_COUNTING_H
#define DENT_TESTS_SCENES_SUPPORT_COUNTING_H

#include <dent/scene.h>

/* Bodies joined to one mesh, positions of one frame. */
struct joined_scene {
    uint32_t vertex_count, element_count, corner_count;
    uint32_t *corners;
    uint32_t *body_of_element;
    double *positions;
};

struct joined_scene join_scene(const dent_scene *scene);
void pose_joined(const dent_scene *scene, uint32_t frame, struct joined_scene *joined);
void free_joined(struct joined_scene *joined);

/* Six times the smallest signed volume of a cell. */
double smallest_determinant(const struct joined_scene *joined);

/* Vertices strictly inside a cell that they are no corner of. */
uint32_t count_vertices_inside(const struct joined_scene *joined);

/* Pairs of triangles without a common vertex whose interiors cross. */
uint32_t count_crossing_triangles(const struct joined_scene *joined);

/* FNV-1a over the bits of the numbers, lowest byte first. */
uint64_t hash_doubles(uint64_t hash, const double *numbers, size_t count);
uint64_t hash_indices(uint64_t hash, const uint32_t *numbers, size_t count);
#define HASH_EMPTY UINT64_C(0xCBF29CE484222325)

/* Over corners and references of all bodies followed by the positions of frames 0, 1 and 17. */
uint64_t hash_scene(const dent_scene *scene);

/* Topology of a solid's boundary. */
struct boundary_report {
    uint32_t faces;
    uint32_t edges_not_two;    /* boundary edges that do not have exactly two boundary faces, once in each direction */
    uint32_t pinched_vertices; /* boundary faces around the vertex form more than one fan */
    uint32_t faces_with_more_cells; /* cell faces with three or more cells */
    uint32_t components;            /* of cells, connected through faces */
    double volume;
    int64_t euler; /* vertices - edges + faces of the boundary */
};
struct boundary_report examine_boundary(const uint32_t *tetrahedra, uint32_t tetrahedron_count, const double *positions,
                                        uint32_t vertex_count);

/* Smallest and largest dihedral angle, degrees. */
void dihedral_range(const uint32_t *tetrahedra, uint32_t tetrahedron_count, const double *positions, double *smallest,
                    double *largest);

#endif
