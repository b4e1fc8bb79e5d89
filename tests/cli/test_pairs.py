"""dent pairs: the format of its lines, and one answer whatever computes it."""
import tool_under_test as tool

QUESTIONS = ("vertex-cell", "face-cell", "face-face")


def available_isas():
    return [isa for isa in ("scalar", "avx2", "avx512")
            if tool.run("pairs", "--ask", "vertex-cell", "--isa", isa, "teschner-a").returncode == 0]


class Pairs(tool.ToolTest):
    def lines(self, *arguments):
        return [line.split(" ") for line in self.good("pairs", "--ask", *arguments).stdout.splitlines()]

    def two_cells(self):
        a = self.write("a.mesh", tool.medit([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 1, 2, 3)]))
        b = self.write("b.mesh", tool.medit([(0.25, 0.25, 0.25), (2, 2, 2), (3, 2, 2), (2, 3, 2)], [(0, 1, 2, 3)]))
        return a, b

    def test_a_method_that_cannot_answer_names_those_that_can(self):
        line = self.one_line_error("pairs", "--ask", "vertex-cell", "--method", "surface-tree", "teschner-a")
        self.assertEqual(line, "pairs: method surface-tree cannot answer vertex-cell; these can: "
                         "auto, brute-force, sweep, spatial-hash, bucket-tree, cluster-search, contour-walk")

    def test_vertex_cell_prints_barycentric_coordinates(self):
        self.assertEqual(self.lines("vertex-cell", *self.two_cells()),
                         [["1", "0", "0", "0", "interior", "0.25", "0.25", "0.25", "0.25"]])

    def test_face_cell_names_faces_by_cell_and_corner(self):
        lines = self.lines("face-cell", *self.two_cells())
        self.assertTrue(all(len(line) == 5 and line[4] == "interior" for line in lines), lines)
        self.assertIn(["0", "0/0", "1", "0", "interior"], lines)
        self.assertIn(["1", "0/1", "0", "0", "interior"], lines)
        self.assertNotIn(["1", "0/0", "0", "0", "interior"], lines)

    def test_face_face_prints_a_segment(self):
        lines = self.lines("face-face", *self.two_cells())
        self.assertEqual([line[:5] for line in lines],
                         [["0", "0/0", "1", "0/%d" % corner, "crossing"] for corner in (1, 2, 3)])
        for line in lines:
            numbers = list(map(float, line[5:]))
            self.assertEqual(len(numbers), 6)
            for end in (numbers[:3], numbers[3:]):
                self.assertAlmostEqual(sum(end), 1, delta=1e-12)

    def two_sheets(self):
        """A triangle, and 0.25 above it one corner of another; an edge there runs over an edge of the first."""
        a = self.write("a.obj", "v 0 0 0\nv 4 0 0\nv 0 4 0\nf 1 2 3\n")
        b = self.write("b.obj", "v 1 1 0.25\nv -4 1 1.5\nv 1 1 9\nf 1 2 3\n")
        return a, b

    def test_proximity_prints_distance_points_and_direction(self):
        a, b = self.two_sheets()
        self.assertEqual(self.lines("proximity", "--thickness", "0.1", a, b), [])
        line = self.lines("proximity", "--thickness", "0.125", a, b)[0]
        self.assertEqual(line, ["1", "0", "0", "0", "vertex-face", "0.25", "1", "1", "0.25", "1", "1", "0", "0", "0",
                                "1", "vertex", "interior"])
        edges = [line for line in self.lines("proximity", "--thickness", "0.25", a, b) if line[4] == "edge-edge"]
        self.assertEqual([line[:4] for line in edges], [["0", "0-2", "1", "0-1"]])
        self.assertEqual(edges[0][-2:], ["edge", "edge"])

    def test_proximity_is_the_same_whatever_computes_it(self):
        base = ("pairs", "--ask", "proximity", "--thickness", "0.05", "--frame", "2", "teschner-a", "--scale", "0.2")
        expected = self.good(*base, "--method", "brute-force").stdout
        self.assertGreater(len(expected.splitlines()), 20)
        for isa in available_isas():
            for threads in ("1", "3"):
                self.assertEqual(self.good(*base, "--isa", isa, "--threads", threads).stdout, expected)
        reduced = self.good(*base, "--closest-only").stdout.splitlines()
        self.assertLess(len(reduced), len(expected.splitlines()))
        self.assertLessEqual(set(reduced), set(expected.splitlines()))

    def test_proximity_numbers_are_those_of_the_file(self):
        vertices = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0.25, 0.25, 1.125), (0.25, 1, 2), (1, 0.25, 2),
                    (0.25, 0.25, 2)]
        two = self.write("two.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n" +
                         "".join("%d %g %g %g\n" % (i + 1, *v) for i, v in enumerate(vertices)) +
                         "$EndNodes\n$Elements\n2\n1 4 2 1 1 1 2 3 4\n2 4 2 2 2 5 6 7 8\n$EndElements\n")
        lines = self.lines("proximity", "--thickness", "0.5", "--no-self", two)
        self.assertGreater(len(lines), 0)
        for line in lines:
            for body, feature in (line[0:2], line[2:4]):
                for number in feature.split("/")[0].split("-") if line[4] == "edge-edge" else []:
                    self.assertEqual(int(number) // 4, int(body))
                if "-" in feature:
                    self.assertLess(*map(int, feature.split("-")))

    def test_proximity_options_are_checked(self):
        a, b = self.two_sheets()
        for arguments in (("--ask", "proximity", a), ("--ask", "face-face", "--thickness", "1", a),
                          ("--ask", "proximity", "--thickness", "-1", a),
                          ("--ask", "proximity", "--thickness", "nan", a),
                          ("--ask", "proximity", "--thickness", "1", "--touching", a),
                          ("--ask", "proximity", "--thickness", "1", "--method", "sweep", a)):
            result = tool.run("pairs", *arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""), arguments)
            self.assertEqual(len(result.stderr.splitlines()), 1)

    def test_touching_adds_marked_pairs_only(self):
        a = self.write("a.mesh", tool.medit(*tool.cube()))
        b = self.write("b.mesh", tool.medit(*tool.cube((1, 0, 0))))
        for question in QUESTIONS:
            plain = self.lines(question, a, b)
            more = self.lines(question, "--touching", a, b)
            self.assertEqual([line for line in more if line[4] != "touching"], plain)
            self.assertTrue(any(line[4] == "touching" for line in more))
        self.assertTrue(all(line[4] == "coplanar" for line in self.lines("face-face", a, b)))

    def test_split_cells_print_face_and_part(self):
        vtk = ("# vtk DataFile Version 3.0\nhexahedron\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 double\n"
               "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1\nCELLS 1 9\n8 0 1 2 3 4 5 6 7\nCELL_TYPES 1\n12\n")
        a = self.write("a.vtk", vtk)
        b = self.write("b.mesh", tool.medit(*tool.cube((0.9, 0.3, 0.2), (1, 0.1, 0.2))))
        lines = self.lines("face-face", a, b)
        self.assertGreater(len(lines), 0)
        for line in lines:
            self.assertRegex(line[1], r"^0/[0-5]\.[01]$")
            self.assertRegex(line[3], r"^\d+/[0-3]$")
        row, = tool.json_lines(self.good("info", "--json", a).stdout)
        self.assertEqual((row["cells"], row["surface_faces"]), (1, 12))

    def test_features_have_the_numbers_of_the_file(self):
        first, first_cells = tool.cube((5, 5, 5))
        second, second_cells = tool.cube()
        shifted = [tuple(corner + 8 for corner in cell) for cell in second_cells]
        groups = {"far": (3, first_cells), "near": (3, shifted)}
        model = self.write("model.msh", tool.gmsh(first + second, groups))
        probe = self.write("probe.mesh", tool.medit(*tool.cube((0.5, 0.6, 0.7))))
        vertices = {line[1] for line in self.lines("vertex-cell", model, probe) if line[0] == "1"}
        self.assertEqual(vertices, {"15"})
        cells = {int(line[3]) for line in self.lines("vertex-cell", model, probe) if line[2] == "1"}
        self.assertTrue(cells and cells <= set(range(6, 12)), cells)
        faces = {line[1] for line in self.lines("face-face", model, probe)}
        self.assertTrue(faces and all(int(face.split("/")[0]) >= 6 for face in faces), faces)

    def test_no_self_leaves_out_a_body_with_itself(self):
        first, first_cells = tool.cube()
        second, second_cells = tool.cube((0.5, 0.6, 0.7))
        name = self.write("a.mesh",
                          tool.medit(first + second,
                                     first_cells + [tuple(c + 8 for c in cell) for cell in second_cells]))
        self.assertGreater(len(self.lines("vertex-cell", name)), 0)
        self.assertEqual(self.lines("vertex-cell", "--no-self", name), [])

    def test_surface_vertices_only_is_a_part_of_the_answer(self):
        centre = tool.cube()[0] + [(0.5, 0.5, 0.5)]
        faces = [(0, 2, 3), (0, 3, 1), (4, 5, 7), (4, 7, 6), (0, 1, 5), (0, 5, 4), (2, 6, 7), (2, 7, 3), (0, 4, 6),
                 (0, 6, 2), (1, 3, 7), (1, 7, 5)]
        a = self.write("a.mesh", tool.medit(centre, [face + (8,) for face in faces]))
        b = self.write("b.mesh", tool.medit(*tool.cube((0.4, 0.35, 0.45), (0.3, 0.3, 0.3))))
        every = self.lines("vertex-cell", a, b)
        surface = self.lines("vertex-cell", "--surface-vertices-only", a, b)
        self.assertEqual([line[:2] for line in every if line not in surface], [["0", "8"]])

    def test_one_answer_for_threads_isas_and_methods(self):
        isas = available_isas()
        self.assertIn("scalar", isas)
        for question in QUESTIONS:
            for touching in ([], ["--touching"]):
                expected = self.good("pairs", "--ask", question, *touching, "teschner-a").stdout
                self.assertGreater(expected.count("\n"), 50)
                choices = [["--threads", n] for n in (1, 2, 3)] + [["--isa", isa] for isa in isas]
                choices += [["--method", method] for method in ("brute-force", "sweep")]
                choices += [["--method", "sweep", "--threads", 3, "--isa", isa] for isa in isas]
                for choice in choices:
                    with self.subTest(question=question, choice=choice, touching=touching):
                        self.assertEqual(self.good("pairs", "--ask", question, *touching, *choice,
                                                   "teschner-a").stdout, expected)

    def test_lines_are_in_canonical_order(self):
        def key(line):
            return [int(part) for word in line[:4] for part in (word.split("/") + ["0"])[:2]]
        for question in QUESTIONS:
            keys = [key(line) for line in self.lines(question, "teschner-a")]
            self.assertEqual(keys, sorted(keys))
            self.assertEqual(len(keys), len(set(map(tuple, keys))))

    def test_stats_go_to_stderr_and_change_nothing(self):
        plain = self.good("pairs", "--ask", "face-face", "teschner-a").stdout
        result = self.good("pairs", "--ask", "face-face", "--stats", "teschner-a")
        self.assertEqual(result.stdout, plain)
        self.assertIn("%d pairs, pairs_hash " % plain.count("\n"), result.stderr)
        fingerprint = 14695981039346656037
        for byte in "".join(" ".join(line.split(" ")[:4]) + "\n" for line in plain.splitlines()).encode():
            fingerprint = (fingerprint ^ byte) * 1099511628211 % 2**64
        self.assertIn("pairs_hash %016x" % fingerprint, result.stderr)

    def test_threads_isa_and_method_are_those_asked_for(self):
        for isa in available_isas():
            result = self.good("pairs", "--ask", "face-face", "--stats", "--threads", 3, "--isa", isa, "--method",
                               "sweep", "teschner-a")
            self.assertRegex(result.stderr, r"method sweep .*, 3 threads, isa %s\n" % isa)

    def test_an_isa_the_machine_lacks_is_one_line(self):
        missing = [isa for isa in ("avx2", "avx512") if isa not in available_isas()]
        for isa in missing:
            self.assertRegex(self.one_line_error("pairs", "--ask", "vertex-cell", "--isa", isa, "teschner-a"),
                             r"^--isa %s: this machine or this build does not have it; it has scalar" % isa)


if __name__ == "__main__":
    tool.main()
