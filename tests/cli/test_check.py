"""dent check: the analyst's question on parts made for it, exit status and JSON in agreement."""
import os
import re
import struct
import xml.etree.ElementTree as xml

import tool_under_test as tool

PAIR_KEYS = ("body_a body_b overlapping_elements penetrating_vertices touching_elements max_depth x y z name_a name_b verdict "
             "volume volume_error containment_tested").split()
SUMMARY_KEYS = ("bodies pairs_penetrating pairs_touching max_depth outcome names pairs surfaces_as_solids open_surfaces "
                "tolerance suggested_tolerance length_unit").split()


def read_field(path, name):
    """The values of a Float64 array of a VTK XML file with appended raw data."""
    with open(path, "rb") as file:
        content = file.read()
    entry = re.search(rb'<DataArray type="Float64" Name="%s"[^>]* offset="(\d+)"' % name.encode(), content)
    start = content.index(b"_", content.index(b"<AppendedData")) + 1 + int(entry.group(1))
    size, = struct.unpack_from("<Q", content, start)
    return struct.unpack_from("<%dd" % (size // 8), content, start + 8)


class Check(tool.ToolTest):
    def check(self, *arguments):
        """Runs --json and the report; both must agree on the exit status. Returns pairs, summary and the report."""
        result = tool.run("check", "--json", *arguments)
        self.assertIn(result.returncode, (0, 1), result.stderr)
        lines = tool.json_lines(result.stdout)
        pairs, summary = lines[:-1], lines[-1]
        for pair in pairs:
            self.assertEqual(list(pair), PAIR_KEYS)
        self.assertEqual(list(summary), SUMMARY_KEYS)
        self.assertEqual(summary["outcome"], "complete")
        self.assertEqual(result.returncode, 1 if summary["pairs_penetrating"] > 0 else 0)
        self.assertEqual(len(pairs), summary["pairs_penetrating"] + summary["pairs_touching"])
        report = tool.run("check", *arguments)
        self.assertEqual(report.returncode, result.returncode)
        verdict = report.stdout.splitlines()[-1]
        self.assertEqual(verdict.startswith("no penetration"), result.returncode == 0, verdict)
        return pairs, summary, report.stdout

    def solids(self, *boxes):
        return [self.write("part%d.mesh" % i, tool.medit(*tool.cube(*box))) for i, box in enumerate(boxes)]

    def test_parts_apart_are_free_of_contact(self):
        pairs, summary, _ = self.check(*self.solids(((0, 0, 0),), ((2, 0, 0),)))
        self.assertEqual((pairs, summary["pairs_penetrating"], summary["pairs_touching"]), ([], 0, 0))

    def test_parts_sharing_a_face_an_edge_or_a_vertex_exactly_touch(self):
        for low in ((1, 0, 0), (1, 1, 0), (1, 1, 1), (0, -1, 0), (1, 0.25, 0.5)):
            with self.subTest(low=low):
                pairs, summary, _ = self.check(*self.solids(((0, 0, 0),), (low,)))
                self.assertEqual((summary["pairs_penetrating"], summary["pairs_touching"], summary["max_depth"]),
                                 (0, 1, 0))
                self.assertEqual((pairs[0]["overlapping_elements"], pairs[0]["penetrating_vertices"]), (0, 0))
                self.assertGreater(pairs[0]["touching_elements"], 0)

    def strands(self, *lines):
        """An OBJ file of lines, given by their points."""
        text, count = "", 0
        for points in lines:
            text += "".join("v %r %r %r\n" % tuple(map(float, point)) for point in points)
            text += "l " + " ".join(str(count + i + 1) for i in range(len(points))) + "\n"
            count += len(points)
        return self.write("hair.obj", text)

    def test_a_strand_penetrates_iff_a_segment_meets_the_interior(self):
        solid, = self.solids(((0, 0, 0),))
        surface = self.write("box.obj", tool.obj(*tool.box_surface()))
        through = self.strands([(0.5, 0.25, -1), (0.5, 0.25, 0.5), (0.5, 0.25, 3)], [(2, 2, 2), (3, 3, 3)])
        for body in (solid, surface):
            (pair,), _, report = self.check(body, through)
            self.assertEqual((pair["body_a"], pair["body_b"], pair["penetrating_vertices"]), (0, 1, 1))
            self.assertGreaterEqual(pair["overlapping_elements"], 4)  # two segments, and the elements they pass
            self.assertEqual(pair["max_depth"], 0.25)
            self.assertEqual((pair["x"], pair["y"], pair["z"]), (0.5, 0.25, 0.5))
            self.assertIn("PENETRATING", report)
        along_the_face = self.strands([(-1, 0.5, 1), (2, 0.5, 1)])
        for body in (solid, surface):
            (pair,), summary, _ = self.check(body, along_the_face)
            self.assertEqual((summary["pairs_penetrating"], summary["pairs_touching"]), (0, 1))
        along_the_diagonal = self.strands([(-1, -1, -1), (2, 2, 2)])
        for body in (solid, surface):
            _, summary, _ = self.check(body, along_the_diagonal)  # an inner edge of the six tetrahedra
            self.assertEqual(summary["pairs_penetrating"], 1)

    def test_marks_of_strands_are_written_at_their_vertices(self):
        solid, = self.solids(((0, 0, 0),))
        hair = self.strands([(0.5, 0.25, -2), (0.5, 0.25, -1), (0.5, 0.25, 0.5), (0.5, 0.25, 3), (0.5, 0.25, 4)])
        self.good("check", "--out", self.path("marks"), solid, hair, status=1)
        written, = [name for name in os.listdir(self.folder) if name.startswith("marks") and name.endswith(".vtp")
                    and b"inside" in open(self.path(name), "rb").read()]
        self.assertEqual(read_field(self.path(written), "mark"), (0, 2, 2, 2, 0))
        self.assertEqual(read_field(self.path(written), "inside"), (0, 0, 1, 0, 0))

    def test_a_block_cut_into_parts_touches_only(self):
        boxes = [((x / 3, y / 3, z / 3), (1 / 3, 1 / 3, 1 / 3)) for x in range(2) for y in range(2) for z in range(2)]
        _, summary, _ = self.check(*self.solids(*boxes))
        self.assertEqual((summary["bodies"], summary["pairs_penetrating"], summary["pairs_touching"]), (8, 0, 28))

    def test_groups_of_one_file_share_nodes_and_touch_only(self):
        vertices, cells = tool.cube()
        name = self.write("two.msh", tool.gmsh(vertices, {"left": (3, cells[:3]), "right": (3, cells[3:])}))
        _, summary, _ = self.check(name)
        self.assertEqual((summary["bodies"], summary["pairs_penetrating"]), (2, 0))

    def test_identical_copies_penetrate(self):
        pairs, summary, _ = self.check(*self.solids(((0, 0, 0),), ((0, 0, 0),)))
        self.assertEqual(summary["pairs_penetrating"], 1)
        self.assertEqual(pairs[0]["overlapping_elements"], 12)
        self.assertGreater(pairs[0]["max_depth"], 0)

    def test_identical_single_cells_penetrate(self):
        vertices, cells = tool.cube()
        names = [self.write("t%d.mesh" % i, tool.medit(vertices, cells[:1])) for i in range(2)]
        pairs, _, _ = self.check(*names)
        self.assertEqual(pairs[0]["overlapping_elements"], 2)

    def test_a_vertex_on_an_inner_face_penetrates(self):
        # Two tetrahedra share the face x = 0; the tip of the third lies on it.
        bipyramid = [(0, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0.2, 0.2), (-1, 0.2, 0.2)], [(0, 1, 2, 3), (0, 2, 1, 4)]
        spike = [(0, 0.25, 0.25), (3, 0.2, 0.2), (3, 0.3, 0.2), (3, 0.2, 0.3)], [(0, 1, 2, 3)]
        pairs, _, _ = self.check(self.write("a.mesh", tool.medit(*bipyramid)), self.write("b.mesh", tool.medit(*spike)))
        self.assertGreaterEqual(pairs[0]["penetrating_vertices"], 1)

    def test_nested_bodies_penetrate(self):
        pairs, summary, _ = self.check(*self.solids(((0, 0, 0), (8, 8, 8)), ((3, 3, 3), (2, 2, 2))))
        self.assertEqual(summary["pairs_penetrating"], 1)
        self.assertEqual(pairs[0]["penetrating_vertices"], 8)
        self.assertGreaterEqual(pairs[0]["max_depth"], 3)

    def test_nested_closed_surfaces_penetrate_and_the_report_says_why(self):
        names = [self.write("outer.obj", tool.obj(*tool.box_surface((0, 0, 0), (8, 8, 8)))),
                 self.write("inner.obj", tool.obj(*tool.box_surface((3, 3, 3), (2, 2, 2))))]
        pairs, summary, report = self.check(*names)
        self.assertEqual((summary["pairs_penetrating"], pairs[0]["penetrating_vertices"]), (1, 8))
        self.assertIn("note: 2 closed surfaces are treated as solid", report)

    def test_containment_in_an_open_surface_is_said_not_to_be_judged(self):
        names = [self.write("open.obj", tool.obj(*tool.box_surface((0, 0, 0), (8, 8, 8), faces=10))),
                 self.write("inner.mesh", tool.medit(*tool.cube((3, 3, 3), (2, 2, 2))))]
        _, summary, report = self.check(*names)
        self.assertEqual(summary["pairs_penetrating"], 0)
        self.assertIn("note: 1 open surface", report)

    def test_the_tolerance_is_a_depth(self):
        names = self.solids(((0, 0, 0), (1, 1, 1)), ((0.99, 0.25, 0.25), (1, 0.5, 0.5)))
        pairs, _, _ = self.check(names[0], names[1])
        self.assertAlmostEqual(pairs[0]["max_depth"], 0.01, delta=1e-12)
        self.assertAlmostEqual(pairs[0]["x"], 0.99, delta=0.011)
        for tolerance, penetrating in (("0.009", 1), ("0.0101", 0)):
            _, summary, report = self.check("--tolerance", tolerance, *names)
            self.assertEqual((summary["pairs_penetrating"], summary["pairs_touching"]), (penetrating, 1 - penetrating))
            self.assertIn("count as touching", report)

    def test_a_body_may_be_checked_against_itself(self):
        first, first_cells = tool.cube()
        second, second_cells = tool.cube((0.5, 0.5, 0.5))
        cells = first_cells + [tuple(corner + 8 for corner in cell) for cell in second_cells]
        name = self.write("self.mesh", tool.medit(first + second, cells))
        _, summary, report = self.check(name)
        self.assertEqual(summary["pairs_penetrating"], 0)
        self.assertIn("--self", report)
        pairs, summary, _ = self.check("--self", name)
        self.assertEqual((summary["pairs_penetrating"], pairs[0]["body_a"], pairs[0]["body_b"]), (1, 0, 0))

    def test_no_touching_leaves_touching_pairs_out(self):
        names = self.solids(((0, 0, 0),), ((1, 0, 0),))
        pairs, summary, _ = self.check("--no-touching", *names)
        self.assertEqual((pairs, summary["pairs_touching"]), ([], 0))

    def test_every_thread_count_isa_and_method_says_the_same(self):
        names = self.solids(((0, 0, 0),), ((0.5, 0.25, 0.125),), ((1, 0, 0),), ((5, 0, 0),))
        expected = tool.run("check", "--json", *names).stdout
        for arguments in (["--threads", "1"], ["--threads", "3"], ["--isa", "scalar"], ["--method", "brute-force"]):
            self.assertEqual(tool.run("check", "--json", *arguments, *names).stdout, expected, arguments)

    def test_out_writes_files_paraview_opens(self):
        names = self.solids(((0, 0, 0),), ((0.5, 0.25, 0.125),))
        names.append(self.write("skin.obj", tool.obj(*tool.box_surface((5, 5, 5)))))
        for out in ("picture", "picture2.pvd"):
            result = tool.run("check", "--out", self.path(out), *names)
            self.assertEqual(result.returncode, 1, result.stderr)
            stem = out.replace(".pvd", "")
            self.assertIn("wrote " + self.path(stem + ".pvd"), result.stdout)
            collection = xml.parse(self.path(stem + ".pvd")).getroot()
            files = [entry.get("file") for entry in collection.iter("DataSet")]
            self.assertEqual(files, [stem + "_0_part0.vtu", stem + "_1_part1.vtu", stem + "_2_skin.vtp",
                                     stem + "_deepest.vtp"])
            for file in files:
                with open(self.path(file), "rb") as content:
                    header = content.read()
                self.assertIn(b"<VTKFile", header)
                for field in (b"depth",) if "deepest" in file else (b"mark", b"inside", b"body", b"depth", b"name"):
                    self.assertIn(b'Name="' + field + b'"', header)
        self.assertEqual(tool.run("check", "--json", "--out", self.path("p3"), *names).returncode, 1)

    def test_the_marks_in_the_files_are_the_counts_of_the_report(self):
        names = self.solids(((0, 0, 0), (8, 8, 8)), ((5, 3, 2.5), (2, 2, 2)))
        pairs, _, _ = self.check("--out", self.path("picture"), *names)
        marks = [read_field(self.path("picture_%d_part%d.vtu" % (body, body)), "mark") for body in (0, 1)]
        self.assertEqual((len(marks[0]), len(marks[1])), (6, 6))
        self.assertEqual(marks[0].count(2) + marks[1].count(2), pairs[0]["overlapping_elements"])
        inside = [read_field(self.path("picture_%d_part%d.vtu" % (body, body)), "inside") for body in (0, 1)]
        self.assertEqual((sum(inside[0]), sum(inside[1])), (0, 8))
        depths = [read_field(self.path("picture_%d_part%d.vtu" % (body, body)), "depth") for body in (0, 1)]
        self.assertEqual(set(depths[0]), {0})
        self.assertTrue(all(0 < depth <= 4 for depth in depths[1]), depths[1])  # the outer block is 8 wide
        self.assertEqual(set(read_field(self.path("picture_1_part1.vtu"), "body")), {1})
        self.assertEqual(read_field(self.path("picture_deepest.vtp"), "depth"), (pairs[0]["max_depth"],))
        rows = tool.json_lines(self.good("info", "--json", self.path("picture_0_part0.vtu")).stdout)
        self.assertEqual((rows[0]["cells"], rows[0]["hi_z"]), (6, 8))

    def test_a_body_keeps_its_name_in_its_file(self):
        path = self.write("t\u00e9th <1>.mesh", tool.medit(*tool.cube((0, 0, 0))))
        self.good("check", "--out", self.path("one.vtu"), path)
        with open(self.path("one.vtu"), "rb") as file:
            codes = re.search(rb'Name="name"[^>]*>([0-9 ]*)</DataArray>', file.read()).group(1).split()
        self.assertEqual(bytes(map(int, codes)), "t\u00e9th <1>\0".encode())
        self.assertEqual(tool.json_lines(self.good("info", "--json", self.path("one.vtu")).stdout)[0]["cells"], 6)

    def test_a_single_file_is_written_for_a_single_body_only(self):
        names = self.solids(((0, 0, 0),), ((3, 0, 0),))
        self.good("check", "--out", self.path("one.vtu"), names[0])
        self.assertTrue(os.path.exists(self.path("one.vtu")))
        self.assertEqual(self.one_line_error("check", "--out", "two.vtu", *names),
                         "--out two.vtu: such a file holds one body and the model has 2; give a name ending in .pvd")

    def test_out_into_a_missing_folder_is_one_line(self):
        name, = self.solids(((0, 0, 0),))
        self.assertRegex(self.one_line_error("check", "--out", self.path("no/where"), name),
                         r"^--out .*: No such file or directory$")


if __name__ == "__main__":
    tool.main()
