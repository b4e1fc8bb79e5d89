/* Hexahedra, wedges and pyramids as tetrahedra, and the names of their faces (docs/conventions.md). */
#ifndef DENT_BODIES_CELL_SPLIT_H
#define DENT_BODIES_CELL_SPLIT_H

#include <dent/body.h>

enum { CELL_MAX_CORNERS = 8, CELL_MAX_TETRAHEDRA = 6 };

/* Number of corners of a dent_cell_kind; 0 for an unknown one. */
uint32_t cell_corner_count(uint8_t kind);

/* How many tetrahedra the cell with these corner vertices (all different) is split into. */
uint32_t cell_tetrahedron_count(uint8_t kind, const uint32_t *corners);

/* Writes them, positive for a regular cell with its corners in the order of docs/conventions.md; returns the number. */
uint32_t cell_split(uint8_t kind, const uint32_t *corners, uint32_t tetrahedra[CELL_MAX_TETRAHEDRA][4]);

/* Which face of a split cell the triangle (three corner vertices of the cell, in any order) is part of, and which part.
 * False when the triangle is not on the boundary of the cell. */
bool cell_name_face(uint8_t kind, const uint32_t *corners, const uint32_t triangle[3], uint8_t *face, uint8_t *part);

#endif
