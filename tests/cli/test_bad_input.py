"""The bad-input list: what each mistake prints, one line each, exit status 2, never a crash."""
import gzip
import lzma
import os
import struct

import tool_under_test as tool


def binary_stl(claimed, triangles):
    corners = ((0, 0, 0), (1, 0, 0), (0, 1, 0))
    record = struct.pack("<12fH", 0, 0, 1, *[number for corner in corners for number in corner], 0)
    return b"\0" * 80 + struct.pack("<I", claimed) + record * triangles


class BadInput(tool.ToolTest):
    def refused(self, name, content=None):
        """The line for a file, with the folder taken out, the same from info, pairs and check."""
        path = self.path(name) if content is None else self.write(name, content)
        line = self.one_line_error("info", path)
        self.assertEqual(self.one_line_error("pairs", "--ask", "face-face", path), line)
        self.assertEqual(self.one_line_error("check", path), line)
        self.assertIn(path, line)
        print("  dent: " + line.replace(self.folder + "/", ""))
        return line.replace(self.folder + "/", "")

    def test_a_directory_is_called_one(self):
        for ending in ("", ".json", ".urdf", ".obj", ".csv"):
            os.mkdir(self.path("dir" + ending))
        for words in (["run", "stack", "--scale", "0.1", "--frames", "1", "--resume", self.path("dir")],
                      ["run", self.path("dir.json")],
                      ["info", self.path("dir.urdf")], ["ccd", self.path("dir.urdf")], ["info", self.path("dir.obj")],
                      ["ccd-queries", "--kind", "vf", self.path("dir.csv")]):
            with self.subTest(words=words):
                self.assertRegex(self.one_line_error(*words), "(?i)is a directory")

    def test_no_such_file(self):
        self.assertEqual(self.refused("absent.msh"), "absent.msh: cannot be opened: no such file")

    def test_a_folder(self):
        os.mkdir(self.path("folder.msh"))
        self.assertEqual(self.refused("folder.msh"), "folder.msh: is a directory, and no mesh file is in it")

    def test_a_device(self):
        self.assertEqual(self.one_line_error("info", "/dev/null"), "/dev/null: is a device, not a file")

    def test_empty_files(self):
        for ending in ("msh", "mesh", "vtk", "vtu", "obj", "stl", "ply", "obj.gz", "obj.xz"):
            with self.subTest(ending=ending):
                self.assertEqual(self.refused("empty." + ending, ""), "empty.%s: is empty" % ending)

    def test_half_a_tetgen_pair(self):
        self.assertEqual(self.refused("half.ele", "0 4 0\n"),
                         "half.ele: TetGen meshes are pairs, and half.node is missing")

    def test_unknown_formats(self):
        for name in ("part.step", "no_ending"):
            line = self.refused(name, "ISO-10303-21;")
            self.assertTrue(line.startswith(name + ": unknown format; known endings are .msh .mesh "), line)
            self.assertTrue(line.endswith(", each also with .gz or .xz behind it"), line)

    def test_content_that_is_not_what_the_name_says(self):
        expected = {
            "noise.msh": "noise.msh:1: '?ELF' where a section title should be: not a Gmsh file",
            "noise.mesh": "noise.mesh:1: '?ELF' where MeshVersionFormatted should be: not a MEDIT file",
            "noise.vtk": "noise.vtk:1: a VTK file must begin with '# vtk DataFile Version N'",
            "noise.vtu": "noise.vtu: no <Piece>; is it a VTK XML file?",
            "noise.obj": "noise.obj: no vertices; is it an OBJ file?",
            "noise.stl": "noise.stl: neither text STL (it does not begin with 'solid') nor binary "
                         "(30 bytes are fewer than its header)",
            "noise.ply": "noise.ply:1: a PLY file must begin with 'ply'",
            "noise.obj.gz": "noise.obj.gz: damaged gzip data at byte 2: incorrect header check",
            "noise.obj.xz": "noise.obj.xz: is not xz data",
        }
        for name, line in expected.items():
            with self.subTest(name=name):
                self.assertEqual(self.refused(name, "\x7fELF nonsense, and more of it\n"), line)

    def test_truncated_binary(self):
        self.assertEqual(self.refused("short.stl", binary_stl(3, 2)[:-7]),
                         "short.stl: claims 3 facets, which need 234 bytes, but the file has 177")

    def test_truncated_compressed_files(self):
        content = tool.obj(*tool.box_surface()).encode()
        self.assertRegex(self.refused("short.obj.gz", gzip.compress(content)[:-20]), r"^short\.obj\.gz: .*gzip data")
        self.assertRegex(self.refused("short.obj.xz", lzma.compress(content)[:-20]), r"^short\.obj\.xz: .*xz data")

    def test_index_out_of_range(self):
        vertices = tool.cube()[0]
        self.assertEqual(self.refused("index.obj", tool.obj(vertices, [(0, 1, 8)])),
                         "index.obj:9: vertex 9 does not exist: the file has 8 vertices")
        self.assertEqual(self.refused("index.mesh", tool.medit(vertices, [(0, 1, 2, 8)])),
                         "index.mesh:15: Tetrahedra: vertex 9 is named; there are 8, counted from 1")
        self.assertEqual(self.refused("index.msh", tool.gmsh(vertices, {"a": (3, [(0, 1, 2, 8)])})),
                         "index.msh:21: tetrahedron names node 9, which is not among the 8 nodes")

    def test_repeated_index(self):
        vertices = tool.cube()[0]
        self.assertEqual(self.refused("repeat.obj", tool.obj(vertices, [(0, 1, 2), (0, 1, 1)])),
                         'repeat.obj: body "repeat": triangle 1 names vertex 1 twice (corners 1 and 2)')
        self.assertEqual(self.refused("repeat.mesh", tool.medit(vertices, [(0, 1, 2, 4), (0, 1, 3, 1)])),
                         'repeat.mesh: body "repeat": cell 1 names vertex 1 twice (corners 1 and 3)')

    def test_a_refused_file_gets_no_notices(self):
        """Its triangles would be kept as a group, with a notice; but the file is refused, and that is the only line."""
        vertices = tool.cube()[0]
        groups = {"body": (3, [(0, 1, 2, 4), (0, 1, 3, 1)]), "skin": (2, [(0, 1, 2)])}
        self.assertRegex(self.refused("notice.msh", tool.gmsh(vertices, groups)),
                         r"^notice\.msh: .*cell 1 names vertex 1 twice")

    def test_numbers_that_are_not_finite(self):
        self.assertEqual(self.refused("nan.obj", "v 0 0 0\nv 1 nan 0\nv 0 1 0\nf 1 2 3\n"),
                         "nan.obj:2: vertex 1: y is not a number")
        vertices = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, float("inf"))]
        self.assertEqual(self.refused("inf.mesh", tool.medit(vertices, [(0, 1, 2, 3)])),
                         "inf.mesh:8: vertex 3: z is infinite or too large for a double")

    def test_two_to_the_32_claimed_elements(self):
        vertices, cells = tool.cube()
        medit = tool.medit(vertices, cells).replace("Tetrahedra\n6\n", "Tetrahedra\n4294967296\n")
        self.assertEqual(self.refused("many.mesh", medit),
                         "many.mesh:14: claims 4294967296 Tetrahedra, but only 65 bytes follow")
        self.assertEqual(self.refused("many.stl", binary_stl(4294967295, 2)),
                         "many.stl: claims 4294967295 facets, which need 214748364834 bytes, but the file has 184")
        gmsh = tool.gmsh(vertices, {"a": (3, cells)}).replace("$Elements\n6\n", "$Elements\n4294967296\n")
        self.assertEqual(self.refused("many.msh", gmsh),
                         "many.msh:20: claims 4294967296 elements, but only 122 bytes follow")

    def test_vertices_only(self):
        self.assertEqual(self.refused("points.obj", "v 0 0 0\nv 1 0 0\n"),
                         "points.obj: has 2 vertices but no lines, no triangles and no cells: nothing that makes a body")

    def test_two_bodies_where_one_is_expected(self):
        vertices, cells = tool.cube()
        path = self.write("two.msh", tool.gmsh(vertices, {"left": (3, cells[:3]), "right": (3, cells[3:])}))
        self.assertEqual(self.one_line_error("check", "--out", "picture.vtu", path),
                         "--out picture.vtu: such a file holds one body and the model has 2; "
                         "give a name ending in .pvd")

    def test_a_file_that_unpacks_to_more_than_the_limit(self):
        path = self.write("bomb.obj.gz", gzip.compress(b" " * (300 << 20), 1))
        self.assertRegex(self.one_line_error("info", path),
                         r"bomb.obj.gz: reading it takes more memory than \d+ MiB, the limit for [\d.]+ MiB on disk; "
                         r"--memory-limit \(memory_limit of the def\) raises it$")
        self.assertRegex(self.one_line_error("check", "--memory-limit", "64M", path), "the limit of 64 MiB")
        path = self.write("blank.obj.gz", gzip.compress(b" " * (8 << 20), 1))
        self.assertRegex(self.one_line_error("info", "--memory-limit=8M", path), "the limit of 8 MiB")
        self.assertRegex(self.one_line_error("info", "--memory-limit=64M", path), "no vertices; is it an OBJ file")

    def test_every_command_that_reads_takes_a_memory_limit(self):
        mesh = self.write("box.obj", tool.obj(*tool.box_surface()))
        scene = self.write("box.json", '{"dent_scene": 1, "bodies": [{"name": "b", "kind": "solid", "generate": '
                                       '{"shape": "box", "size": [1, 1, 1], "cells": [30, 30, 30]}}]}')
        queries = self.write("vf.csv", "1,1,1,2,3,4,0\n" * 8)
        for command in (["info", mesh], ["check", mesh], ["pairs", "--ask", "face-face", mesh], ["ccd", mesh, mesh],
                        ["ccd-queries", queries], ["bench", mesh], ["run", scene], ["info", scene],
                        ["export", scene, self.path("out")]):
            self.assertRegex(self.one_line_error(command[0], "--memory-limit", "1K", *command[1:]), "limit of")
        for wrong in ("", "0", "-1", "1X", "M", "1.5G", "99999999T", "iB", "12 M"):
            self.assertRegex(self.one_line_error("info", "--memory-limit", wrong, mesh),
                             "^info: --memory-limit '%s': give a size above 0" % wrong)
        for right in ("100000", "100K", "1m", "2G", "1GiB", "1T"):
            self.good("info", "--memory-limit", right, mesh)

    def test_utf_16_is_called_that(self):
        self.assertEqual(self.refused("wide.obj", "v 0 0 0\n".encode("utf-16")),
                         "wide.obj: UTF-16 or UTF-32 text; save it as UTF-8 or ASCII")

    def test_a_file_name_cannot_break_the_line(self):
        self.assertEqual(self.one_line_error("info", "a\nb\x1b[31m.obj"),
                         "a?b?[31m.obj: cannot be opened: no such file")


if __name__ == "__main__":
    tool.main()
