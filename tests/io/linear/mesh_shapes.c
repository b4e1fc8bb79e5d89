/* Mesh files. */
#include "shapes.h"

#include <stdio.h>
#include <string.h>

#define THREE_POINTS "v 0 0 0\nv 1 0 0\nv 0 1 0\n"

/* n times the same words. */
static void repeat(struct long_text *text, uint32_t n, const char *words)
{
    for (uint32_t i = 0; i < n; i++) {
        put_bytes(text, words, strlen(words));
    }
}

/* ---- OBJ --------------------------------------------------------------------------------------------------------- */

static void obj_faces(struct long_text *text, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        put(text, "v %u %u 0\nv %u %u 1\nv 0 %u 2\nf -1/1/1 -2 -3\n", i, i % 7, i, i % 5, i);
    }
}

static void obj_one_polygon(struct long_text *text, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        put(text, "v %u %u 0\n", i % 100, i / 100);
    }
    put(text, "f");
    for (uint32_t i = 0; i < n; i++) {
        put(text, " %u", i + 1);
    }
    put(text, "\n");
}

static void obj_comments(struct long_text *text, uint32_t n)
{
    repeat(text, n, "# a comment\n#\n\n");
    put(text, THREE_POINTS "f 1 2 3\n");
}

static void obj_unknown(struct long_text *text, uint32_t n)
{
    put(text, THREE_POINTS "f 1 2 3\n");
    for (uint32_t i = 0; i < n; i++) {
        put(text, "word%u a b\ncurv 1 2\ng group%u\n", i, i);
    }
}

static void obj_continued(struct long_text *text, uint32_t n)
{
    put(text, THREE_POINTS "f 1 2 3 ");
    repeat(text, n, "\\\n 1 \\\n 2");
    put(text, "\n");
}

static void obj_long_numbers(struct long_text *text, uint32_t n)
{
    put(text, "v 0.");
    repeat(text, n, "31415");
    put(text, " 0 1e");
    repeat(text, n, "0");
    put(text, "1\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
}

static void obj_long_word(struct long_text *text, uint32_t n)
{
    put(text, THREE_POINTS "f 1 2 3\n");
    repeat(text, n, "word");
}

/* ---- PLY --------------------------------------------------------------------------------------------------------- */

#define PLY_HEAD "ply\nformat ascii 1.0\n"
#define PLY_MESH                                                                                                       \
    "element vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n"                         \
    "property list uchar int vertex_indices\nend_header\n"
#define PLY_DATA "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"

static void ply_elements(struct long_text *text, uint32_t n)
{
    put(text, PLY_HEAD);
    for (uint32_t i = 0; i < n; i++) {
        put(text, "element e%u 0\nproperty int a\n", i);
    }
    put(text, PLY_MESH PLY_DATA);
}

static void ply_properties(struct long_text *text, uint32_t n)
{
    put(text, PLY_HEAD "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n");
    for (uint32_t i = 0; i < n; i++) {
        put(text, "property uchar p%u\n", i);
    }
    put(text, "element face 1\nproperty list uchar int vertex_indices\nend_header\n");
    for (int v = 0; v < 3; v++) {
        put(text, "%d %d 0", v == 1, v == 2);
        repeat(text, n, " 7");
        put(text, "\n");
    }
    put(text, "3 0 1 2\n");
}

static void ply_records(struct long_text *text, uint32_t n)
{
    put(text, PLY_HEAD "comment c\nelement other %u\nproperty list uchar float a\n" PLY_MESH, n);
    repeat(text, n, "3 1 2 3\n");
    put(text, PLY_DATA);
}

static void ply_comments(struct long_text *text, uint32_t n)
{
    put(text, PLY_HEAD);
    repeat(text, n, "comment hello\nobj_info 1\n");
    put(text, PLY_MESH PLY_DATA);
}

/* ---- STL --------------------------------------------------------------------------------------------------------- */

static void put_facet(struct long_text *text, double x, double y, double z)
{
    put(text, "facet normal 0 0 0\nouter loop\nvertex %.17g %.17g %.17g\nvertex %.17g %.17g %.17g\n", x, y, z, y, z, x);
    put(text, "vertex 1 2 3\nendloop\nendfacet\n");
}

static void stl_facets(struct long_text *text, uint32_t n)
{
    put(text, "solid a\n");
    for (uint32_t i = 0; i < n; i++) {
        put_facet(text, i, i + 0.5, i % 7);
    }
    put(text, "endsolid a\n");
}

static void stl_solids(struct long_text *text, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        put(text, "solid s%u\n", i);
        put_facet(text, i, i + 0.5, 0);
        put(text, "endsolid s%u\n", i);
    }
}

/* The inverse of the step that ends the welder's hash. */
static uint64_t unmixed(uint64_t value)
{
    uint64_t inverse = 0xd6e8feb86659fd93u; /* of this odd number, by Newton's steps */
    for (int i = 0; i < 6; i++) {
        inverse *= 2 - 0xd6e8feb86659fd93u * inverse;
    }
    value ^= value >> 32;
    value *= inverse;
    value ^= value >> 32;
    value *= inverse;
    return value ^ value >> 32;
}

static uint64_t mixed(uint64_t value)
{
    value ^= value >> 32;
    value *= 0xd6e8feb86659fd93u;
    value ^= value >> 32;
    value *= 0xd6e8feb86659fd93u;
    return value ^ value >> 32;
}

/* Positions that the welder's hash puts in one place: z is chosen for each x, y so that the low bits are zero. */
static void stl_colliding(struct long_text *text, uint32_t n)
{
    put(text, "solid a\n");
    for (uint64_t i = 0, made = 0; made < n; i++) {
        double x = (double)i, z;
        uint64_t bits;
        memcpy(&bits, &x, sizeof bits);
        bits = unmixed(i << 40) - mixed(mixed(bits) + bits);
        memcpy(&z, &bits, sizeof z);
        if ((bits >> 52 & 0x7ff) != 0x7ff) {
            put(text, "facet normal 0 0 0\nouter loop\nvertex %.17g %.17g %.17g\nvertex 0 0 1\nvertex 0 1 0\n", x, x,
                z);
            put(text, "endloop\nendfacet\n");
            made++;
        }
    }
    put(text, "endsolid a\n");
}

/* ---- Gmsh -------------------------------------------------------------------------------------------------------- */

#define GMSH_2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define GMSH_FOUR_NODES "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
#define GMSH_ONE_CELL "$Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n"

/* Groups of one cell each, all of them at the same three nodes. */
static void gmsh_groups(struct long_text *text, uint32_t n)
{
    put(text, GMSH_2 "$PhysicalNames\n%u\n", n);
    for (uint32_t i = 0; i < n; i++) {
        put(text, "3 %u \"group %u\"\n", i + 1, i);
    }
    put(text, "$EndPhysicalNames\n$Nodes\n%u\n1 0 0 0\n2 1 0 0\n3 0 1 0\n", n + 3);
    for (uint32_t i = 0; i < n; i++) {
        put(text, "%u 0 0 %u\n", i + 4, i + 1);
    }
    put(text, "$EndNodes\n$Elements\n%u\n", n);
    for (uint32_t i = 0; i < n; i++) {
        put(text, "%u 4 2 %u 1 1 2 3 %u\n", i + 1, i + 1, i + 4);
    }
    put(text, "$EndElements\n");
}

static void gmsh_tags(struct long_text *text, uint32_t n)
{
    put(text, GMSH_2 GMSH_FOUR_NODES "$Elements\n1\n1 4 %u", n);
    repeat(text, n, " 1");
    put(text, " 1 2 3 4\n$EndElements\n");
}

/* Numbers far apart, from the last to the first. */
static void gmsh_sparse(struct long_text *text, uint32_t n)
{
    put(text, GMSH_2 "$Nodes\n%u\n", 4 * n);
    for (uint32_t i = 4 * n; i-- > 0;) {
        put(text, "%u %u 0 %u\n", 1000 * i, i, i % 3);
    }
    put(text, "$EndNodes\n$Elements\n%u\n", n);
    for (uint32_t i = 0; i < n; i++) {
        put(text, "%u 4 2 1 1 %u %u %u %u\n", i, 4000 * i, 4000 * i + 1000, 4000 * i + 2000, 4000 * i + 3000);
    }
    put(text, "$EndElements\n");
}

static void gmsh_sections(struct long_text *text, uint32_t n)
{
    put(text, GMSH_2);
    for (uint32_t i = 0; i < n; i++) {
        put(text, "$Section%u\n1 2 3\n$EndSection%u\n", i, i);
    }
    put(text, GMSH_FOUR_NODES GMSH_ONE_CELL);
}

static void gmsh_entities(struct long_text *text, uint32_t n)
{
    put(text, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 %u\n", n);
    for (uint32_t i = 0; i < n; i++) {
        put(text, "%u 0 0 0 1 1 1 1 %u 2 1 2\n", n - i, i + 1);
    }
    put(text, "$EndEntities\n$Nodes\n%u %u 1 %u\n", n, n + 3, n + 3);
    put(text, "3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n");
    for (uint32_t i = 1; i < n; i++) {
        put(text, "3 %u 0 1\n%u\n0 0 %u\n", i + 1, i + 4, i + 1);
    }
    put(text, "$EndNodes\n$Elements\n%u %u 1 %u\n", n, n, n);
    for (uint32_t i = 0; i < n; i++) {
        put(text, "3 %u 4 1\n%u 1 2 3 %u\n", i + 1, i + 1, i + 4);
    }
    put(text, "$EndElements\n");
}

static void gmsh_1(struct long_text *text, uint32_t n)
{
    put(text, "$NOD\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$ENDNOD\n$ELM\n%u\n", n);
    for (uint32_t i = 0; i < n; i++) {
        put(text, "%u 4 %u 1 4 1 2 3 4\n", i + 1, i % 3 + 1);
    }
    put(text, "$ENDELM\n");
}

/* ---- MEDIT ------------------------------------------------------------------------------------------------------- */

static void medit_chain(struct long_text *text, uint32_t n)
{
    put(text, "MeshVersionFormatted 2\nDimension 3\nVertices\n%u\n", n + 3);
    for (uint32_t i = 0; i < n + 3; i++) {
        put(text, "%u %u %u 0\n", i, i % 2, i % 3);
    }
    put(text, "Tetrahedra\n%u\n", n);
    for (uint32_t i = 0; i < n; i++) {
        put(text, "%u %u %u %u %u\n", i + 1, i + 2, i + 3, i + 4, i + 1);
    }
    put(text, "End\n");
}

static void medit_sections(struct long_text *text, uint32_t n)
{
    put(text, "MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n");
    repeat(text, n, "Ridges\n2\n1\n2\n# why\nTriangles\n1\n1 2 3 7\n");
    put(text, "Tetrahedra\n1\n1 2 3 4 0\nEnd\n");
}

/* ---- VTK --------------------------------------------------------------------------------------------------------- */

#define VTK_HEAD "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"
#define VTK_CELL "POINTS 4 double\n0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n"

static void vtk_groups(struct long_text *text, uint32_t n)
{
    put(text, VTK_HEAD "POINTS %u double\n0 0 0 1 0 0 0 1 0\n", n + 3);
    for (uint32_t i = 0; i < n; i++) {
        put(text, "0 0 %u\n", i + 1);
    }
    put(text, "CELLS %u %u\n", n, 5 * n);
    for (uint32_t i = 0; i < n; i++) {
        put(text, "4 0 1 2 %u\n", i + 3);
    }
    put(text, "CELL_TYPES %u\n", n);
    repeat(text, n, "10\n");
    put(text, "CELL_DATA %u\nSCALARS body int\nLOOKUP_TABLE default\n", n);
    for (uint32_t i = 0; i < n; i++) {
        put(text, "%u\n", i);
    }
}

static void vtk_fields(struct long_text *text, uint32_t n)
{
    put(text, VTK_HEAD VTK_CELL "POINT_DATA 4\nFIELD f %u\n", n);
    for (uint32_t i = 0; i < n; i++) {
        put(text, "a%u 1 4 float\n1 2 3 4\nMETADATA\nINFORMATION 0\n\n", i);
    }
    repeat(text, n, "SCALARS s float\nLOOKUP_TABLE default\n1 2 3 4\n");
}

static void vtk_strip(struct long_text *text, uint32_t n)
{
    put(text, "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS %u float\n", n + 3);
    for (uint32_t i = 0; i < n + 3; i++) {
        put(text, "%u %u 0\n", i, i % 2);
    }
    put(text, "TRIANGLE_STRIPS 1 %u\n%u", n + 4, n + 3);
    for (uint32_t i = 0; i < n + 3; i++) {
        put(text, " %u", i);
    }
    put(text, "\n");
}

/* ---- VTK XML ----------------------------------------------------------------------------------------------------- */

#define VTU_HEAD "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid>\n"
#define VTU_TAIL "</UnstructuredGrid></VTKFile>\n"
#define VTU_PIECE                                                                                                      \
    "<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\"><Points><DataArray type=\"Float64\" NumberOfComponents=\"3\">"    \
    "0 0 0 1 0 0 0 1 0 0 0 1</DataArray></Points><Cells><DataArray type=\"Int32\" Name=\"connectivity\">0 1 2 3"       \
    "</DataArray><DataArray type=\"Int32\" Name=\"offsets\">4</DataArray><DataArray type=\"UInt8\" Name=\"types\">10"  \
    "</DataArray></Cells>"

static void vtu_pieces(struct long_text *text, uint32_t n)
{
    put(text, VTU_HEAD);
    repeat(text, n, VTU_PIECE "</Piece>\n");
    put(text, VTU_TAIL);
}

static void vtu_arrays(struct long_text *text, uint32_t n)
{
    put(text, VTU_HEAD VTU_PIECE "<PointData>");
    for (uint32_t i = 0; i < n; i++) {
        put(text, "<DataArray type=\"Float64\" Name=\"a%u\">1 2 3 4</DataArray><!-- c -->\n", i);
    }
    put(text, "</PointData></Piece>" VTU_TAIL);
}

static void vtu_attributes(struct long_text *text, uint32_t n)
{
    put(text, "<VTKFile type=\"UnstructuredGrid\"");
    for (uint32_t i = 0; i < n; i++) {
        put(text, " a%u=\"%u\"", i, i);
    }
    put(text, "><UnstructuredGrid>" VTU_PIECE "</Piece>" VTU_TAIL);
}

static void vtu_depth(struct long_text *text, uint32_t n)
{
    put(text, VTU_HEAD VTU_PIECE "<PointData>");
    repeat(text, n, "<a><a><a><a><a><a><a></a></a></a></a></a></a></a>");
    put(text, "</PointData></Piece>" VTU_TAIL);
}

static void put_pieces(struct long_text *text, uint32_t n, const char *attribute, const char *encoding)
{
    put(text, "<VTKFile type=\"UnstructuredGrid\"%s><UnstructuredGrid>\n", attribute);
    for (uint32_t i = 0; i < n; i++) {
        put(text, "<Piece NumberOfPoints=\"1\" NumberOfCells=\"0\"><Points><DataArray type=\"Float64\" "
                  "NumberOfComponents=\"3\" format=\"appended\" offset=\"0\"/></Points></Piece>\n");
    }
    put(text, "</UnstructuredGrid><AppendedData encoding=\"%s\">_", encoding);
}

static void put_number(struct long_text *text, uint32_t number)
{
    const uint8_t bytes[4] = {(uint8_t)number, (uint8_t)(number >> 8), (uint8_t)(number >> 16),
                              (uint8_t)(number >> 24)};
    put_bytes(text, bytes, 4);
}

/* Pieces that all point at one large array behind the XML, of which each needs 24 bytes. No cells: refused at the end.
 */
static void vtu_shared_plain(struct long_text *text, uint32_t n)
{
    put_pieces(text, n, "", "raw");
    put_number(text, 24 * n);
    for (uint32_t i = 0; i < 6 * n; i++) {
        put_number(text, 0);
    }
}

/* Blocks of 24 zeros, each packed in 11 bytes. */
static void vtu_shared_packed(struct long_text *text, uint32_t n)
{
    static const uint8_t block[11] = {0x78, 0x9c, 0x63, 0x60, 0xc0, 0x0e, 0x00, 0x00, 0x18, 0x00, 0x01};
    put_pieces(text, n, " compressor=\"vtkZLibDataCompressor\"", "raw");
    put_number(text, n);
    put_number(text, 24);
    put_number(text, 0);
    for (uint32_t i = 0; i < n; i++) {
        put_number(text, sizeof block);
    }
    for (uint32_t i = 0; i < n; i++) {
        put_bytes(text, block, sizeof block);
    }
}

/* The same in base64, where the lengths of the blocks have to be gone over; zeros behind them are no block. */
static void vtu_shared_base64(struct long_text *text, uint32_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    struct long_text raw = {0};
    vtu_shared_packed(&raw, n);
    const uint8_t *packed = (const uint8_t *)strstr(raw.data, "\">_") + 3;
    size_t size = raw.size - (size_t)(packed - (const uint8_t *)raw.data);
    put_pieces(text, n, " compressor=\"vtkZLibDataCompressor\"", "base64");
    for (size_t i = 0; i + 2 < size; i += 3) {
        uint32_t bits = (uint32_t)packed[i] << 16 | (uint32_t)packed[i + 1] << 8 | packed[i + 2];
        put(text, "%c%c%c%c", digits[bits >> 18], digits[bits >> 12 & 63], digits[bits >> 6 & 63], digits[bits & 63]);
    }
    put(text, "</AppendedData></VTKFile>\n");
    put_bytes(&raw, NULL, 0);
}

/* ---- OFF, VEG, Abaqus ------------------------------------------------------------------------------------------- */

static void off_faces(struct long_text *text, uint32_t n)
{
    put(text, "OFF\n4 %u 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n", n);
    repeat(text, n, "3 0 1 2 9 9 9\n");
}

static void off_one_polygon(struct long_text *text, uint32_t n)
{
    put(text, "OFF\n%u 1 0\n", n + 3);
    for (uint32_t i = 0; i < n + 3; i++) {
        put(text, "%u %u 0\n", i, i * i % 7);
    }
    put(text, "%u", n + 3);
    for (uint32_t i = 0; i < n + 3; i++) {
        put(text, " %u", i);
    }
}

#define VEG_VERTICES "*VERTICES\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"

static void veg_sections(struct long_text *text, uint32_t n)
{
    put(text, VEG_VERTICES);
    repeat(text, n, "*SET a\n1,2,3\n*REGION\na, b\n");
    put(text, "*ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n");
}

#define INP_NODES "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n"

static void inp_sets(struct long_text *text, uint32_t n)
{
    put(text, INP_NODES);
    for (uint32_t i = 0; i < n; i++) {
        put(text, "*ELEMENT, TYPE=C3D4, ELSET=set%u\n%u,1,2,3,4\n*NSET, NSET=a%u, GENERATE\n1,4\n", i, i + 1, i);
    }
}

static void inp_ranges(struct long_text *text, uint32_t n)
{
    put(text, "*NODE\n");
    for (uint32_t i = 0; i < n + 4; i++) {
        put(text, "%u,%u,%u,%u\n", i + 1, i, i % 2, i % 3);
    }
    put(text, "*ELEMENT, TYPE=C3D4\n1,1,2,3,4\n");
    for (uint32_t i = 0; i < n; i++) {
        put(text, "*NSET, NSET=a, GENERATE\n1,%u\n", n);
    }
}

static void inp_parts(struct long_text *text, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        put(text, "*PART, NAME=p%u\n" INP_NODES "*ELEMENT, TYPE=C3D4\n1,1,2,3,4\n*END PART\n", i);
    }
    for (uint32_t i = 0; i < n; i++) {
        put(text, "*INSTANCE, NAME=i%u, PART=p%u\n1,2,3\n*END INSTANCE\n", i, n - 1 - i);
    }
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

const struct shape mesh_shapes[] = {
    {"OBJ: many faces", "a.obj", obj_faces, NULL},
    {"OBJ: one polygon", "a.obj", obj_one_polygon, NULL},
    {"OBJ: many comments", "a.obj", obj_comments, NULL},
    {"OBJ: many unknown lines", "a.obj", obj_unknown, NULL},
    {"OBJ: a line continued often", "a.obj", obj_continued, NULL},
    {"OBJ: long numbers", "a.obj", obj_long_numbers, NULL},
    {"OBJ: a long word", "a.obj", obj_long_word, NULL},
    {"PLY: many elements", "a.ply", ply_elements, NULL},
    {"PLY: many properties", "a.ply", ply_properties, NULL},
    {"PLY: many records of other kinds", "a.ply", ply_records, NULL},
    {"PLY: many comments", "a.ply", ply_comments, NULL},
    {"STL: many facets", "a.stl", stl_facets, NULL},
    {"STL: many solids", "a.stl", stl_solids, NULL},
    {"STL: positions of one hash", "a.stl", stl_colliding, NULL},
    {"Gmsh 2: many groups that share nodes", "a.msh", gmsh_groups, NULL},
    {"Gmsh 2: many tags", "a.msh", gmsh_tags, NULL},
    {"Gmsh 2: sparse numbers", "a.msh", gmsh_sparse, NULL},
    {"Gmsh 2: many sections", "a.msh", gmsh_sections, NULL},
    {"Gmsh 4: many entities and blocks", "a.msh", gmsh_entities, NULL},
    {"Gmsh 1: many cells", "a.msh", gmsh_1, NULL},
    {"MEDIT: many groups in a chain", "a.mesh", medit_chain, NULL},
    {"MEDIT: many sections", "a.mesh", medit_sections, NULL},
    {"OFF: many faces", "a.off", off_faces, NULL},
    {"OFF: one polygon", "a.off", off_one_polygon, NULL},
    {"VEG: many sections", "a.veg", veg_sections, NULL},
    {"Abaqus: many sets", "a.inp", inp_sets, NULL},
    {"Abaqus: many long ranges", "a.inp", inp_ranges, NULL},
    {"Abaqus: many parts", "a.inp", inp_parts, NULL},
    {"VTK: many groups that share nodes", "a.vtk", vtk_groups, NULL},
    {"VTK: many fields", "a.vtk", vtk_fields, NULL},
    {"VTK: one strip", "a.vtk", vtk_strip, NULL},
    {"VTU: many pieces", "a.vtu", vtu_pieces, NULL},
    {"VTU: many arrays", "a.vtu", vtu_arrays, NULL},
    {"VTU: many attributes", "a.vtu", vtu_attributes, NULL},
    {"VTU: nested elements", "a.vtu", vtu_depth, NULL},
    {"VTU: pieces that share a plain array", "a.vtu", vtu_shared_plain, "nothing that makes a body"},
    {"VTU: pieces that share a packed array", "a.vtu", vtu_shared_packed, "nothing that makes a body"},
    {"VTU: pieces that share blocks in base64", "a.vtu", vtu_shared_base64, "shares its blocks"},
};
const uint32_t mesh_shape_count = sizeof mesh_shapes / sizeof mesh_shapes[0];
