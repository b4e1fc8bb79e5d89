"""dent info: counts, groups, JSON keys, and files that fail among files that do not."""
import tool_under_test as tool

KEYS = ("file body kind vertices cells faces surface_faces edges components boundary_edges nonmanifold_edges inverted "
        "flat unused duplicate min_quality lo_x lo_y lo_z hi_x hi_y hi_z").split()


class Info(tool.ToolTest):
    def facts(self, *arguments):
        rows = tool.json_lines(self.good("info", "--json", *arguments).stdout)
        for row in rows:
            self.assertEqual(list(row), KEYS)
        return rows

    def test_a_cube_of_six_tetrahedra(self):
        name = self.write("cube.mesh", tool.medit(*tool.cube((1, 2, 3), (2, 2, 2))))
        row, = self.facts(name)
        expected = {"file": name, "body": 0, "kind": "solid", "vertices": 8, "cells": 6, "faces": 18,
                    "surface_faces": 12,
                    "edges": 19, "components": 1, "boundary_edges": 0, "nonmanifold_edges": 0, "inverted": 0, "flat": 0,
                    "unused": 0, "duplicate": 0, "lo_x": 1, "lo_y": 2, "lo_z": 3, "hi_x": 3, "hi_y": 4, "hi_z": 5}
        self.assertEqual({key: row[key] for key in expected}, expected)
        self.assertGreater(row["min_quality"], 0.1)
        self.assertLess(row["min_quality"], 1)

    def test_a_byte_order_mark_moves_no_vertex(self):
        name = self.write("mark.obj", b"\xef\xbb\xbf" + tool.obj(*tool.box_surface()).encode())
        row, = self.facts(name)
        self.assertEqual([row[key] for key in ("lo_x", "lo_y", "lo_z", "hi_x", "hi_y", "hi_z")], [0, 0, 0, 1, 1, 1])
        self.assertEqual(row["vertices"], 8)

    def test_an_open_surface(self):
        name = self.write("open.obj", tool.obj(*tool.box_surface(faces=10)))
        row, = self.facts(name)
        expected = {"kind": "surface", "vertices": 8, "cells": 0, "faces": 10, "surface_faces": 10, "edges": 17,
                    "boundary_edges": 4}
        self.assertEqual({key: row[key] for key in expected}, expected)
        self.assertIn("(surface, open)", self.good("info", name).stdout)

    def test_what_is_odd_is_counted_and_the_first_is_named(self):
        vertices, cells = tool.cube()
        vertices = vertices + [(9, 9, 9)]
        a, b, c, d = cells[5]
        cells = cells[:5] + [(b, a, c, d), cells[2], (0, 1, 2, 3)]
        name = self.write("odd.mesh", tool.medit(vertices, cells))
        row, = self.facts(name)
        self.assertEqual((row["inverted"], row["duplicate"], row["flat"], row["unused"], row["hi_x"]), (1, 1, 1, 1, 1))
        text = self.good("info", name).stdout
        for line in ("first inverted cell: 5", "first duplicate element: 6", "first flat cell: 7",
                     "first unused vertex: 8"):
            self.assertIn(line, text)

    def test_faces_of_non_manifold_solids_are_counted_once(self):
        vertices, cells = tool.cube()
        vertices += [(0.1, 0.2, 5)]
        fan = [(0, 1, 3, 7), (0, 1, 3, 6), (0, 1, 3, 8), (0, 1, 3, 5)]
        name = self.write("fan.mesh", tool.medit(vertices, fan))
        row, = self.facts(name)
        self.assertEqual((row["cells"], row["faces"], row["surface_faces"]), (4, 13, 12))

    def test_groups_become_bodies_or_are_kept(self):
        vertices, cells = tool.cube()
        name = self.write("two.msh", tool.gmsh(vertices, {"left": (3, cells[:3]), "right": (3, cells[3:]),
                                                          "skin": (2, [(0, 1, 3)])}))
        rows = self.facts(name)
        self.assertEqual([(row["body"], row["cells"]) for row in rows], [(0, 3), (1, 3)])
        result = self.good("info", name)
        for word in ("left", "right", "group skin  (1 triangles"):
            self.assertIn(word, result.stdout)
        self.assertIn("notice", result.stderr)
        merged, = self.facts("--merge", name)
        self.assertEqual((merged["cells"], merged["vertices"]), (6, 8))

    def test_a_bad_file_costs_the_others_nothing(self):
        first = self.write("first.mesh", tool.medit(*tool.cube()))
        last = self.write("last.obj", tool.obj(*tool.box_surface()))
        result = tool.run("info", "--json", first, self.path("absent.mesh"), last)
        self.assertEqual(result.returncode, 2)
        self.assertEqual([(row["file"], row["body"]) for row in tool.json_lines(result.stdout)],
                         [(first, 0), (last, 1)])
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertIn("absent.mesh", result.stderr)

    def test_file_names_are_escaped_in_json(self):
        name = 'qu"ote\\tab\t\u00e9.mesh'
        self.write(name, tool.medit(*tool.cube()))
        row, = self.facts(self.path(name))
        self.assertEqual(row["file"], self.path(name))

    def test_a_name_that_is_not_utf8_becomes_valid_json(self):
        name = self.folder.encode() + b"/\xff\xc3.mesh"
        with open(name, "w") as file:
            file.write(tool.medit(*tool.cube()))
        result = tool.subprocess.run([tool.TOOL, "info", "--json", name], capture_output=True, env=tool.ENVIRONMENT)
        self.assertEqual(result.returncode, 0, result.stderr)
        row, = tool.json_lines(result.stdout.decode("utf-8"))
        self.assertTrue(row["file"].endswith("/\ufffd\ufffd.mesh"))

    def test_a_mirrored_body_is_reported(self):
        vertices, cells = tool.cube()
        name = self.write("mirror.mesh", tool.medit(vertices, [(b, a, c, d) for a, b, c, d in cells]))
        self.assertIn("mirrored", self.good("info", name).stdout)
        row, = self.facts(name)
        self.assertEqual(row["inverted"], 0)

    def test_a_scene_name_stands_for_a_file(self):
        rows = self.facts("teschner-a")
        self.assertEqual(len(rows), 100)
        self.assertEqual({(row["vertices"], row["cells"], row["inverted"]) for row in rows}, {(12, 10, 0)})


if __name__ == "__main__":
    tool.main()
