"""dent inside: one word per point, the same for both methods; meshes that are not closed, points of all forms."""
import tool_under_test as tool


class Inside(tool.ToolTest):
    POINTS = "0.5 0.5 0.5\n2 0 0\n\n# a comment\n0.5,0.5,0\n1 1 1\n-0.1 0.5 0.5\n0.25 1e-300 0.75 7\n"
    PLACES = ["in", "out", "on", "on", "out", "in"]

    def box(self, faces=12):
        return self.write("box%d.obj" % faces, tool.obj(*tool.box_surface(faces=faces)))

    def test_one_word_per_point_by_every_method(self):
        points = self.write("points.txt", self.POINTS)
        for method in ("auto", "bsp", "winding"):
            for isa in ("scalar", "auto"):
                found = self.good("inside", self.box(), points, "--method", method, "--isa", isa)
                self.assertEqual(found.stdout.split("\n"), self.PLACES + [""])
                self.assertEqual(found.stderr, "")

    def test_json_and_standard_input(self):
        found = tool.run("inside", self.box(), "-", "--json", input=self.POINTS)
        self.assertEqual(found.returncode, 0)
        self.assertEqual(tool.json_lines(found.stdout),
                         [{"point": i, "place": place} for i, place in enumerate(self.PLACES)])

    def test_solids_count_by_their_surface_and_meshes_by_their_vertices(self):
        solid = self.write("cube.mesh", tool.medit(*tool.cube()))
        self.assertEqual(self.good("inside", solid, solid).stdout.split(), ["on"] * 8)
        small = self.write("small.mesh", tool.medit(*tool.cube((0.25, 0.25, 0.25), (0.5, 0.5, 0.5))))
        self.assertEqual(self.good("inside", solid, small).stdout.split(), ["in"] * 8)
        self.assertEqual(self.good("inside", small, solid).stdout.split(), ["out"] * 8)

    def test_a_mesh_that_is_not_closed_is_refused(self):
        points = self.write("points.txt", self.POINTS)
        self.assertIn("not closed: 4 edges have one face", self.one_line_error("inside", self.box(faces=10), points))
        vertices, faces = tool.box_surface()
        turned = self.write("turned.obj", tool.obj(vertices, faces[:-1] + [faces[-1][::-1]]))
        self.assertIn("more faces run one way than the other", self.one_line_error("inside", turned, points))

    def test_bad_points_are_named(self):
        for content, message in (("0 0 0\n1 2\n", "line 2: expected three finite numbers"),
                                 ("0 0 nan\n", "line 1: expected three finite numbers"),
                                 ("0 0 0x\n", "line 1: expected three finite numbers"),
                                 ("1 " * 5000, "line 1 is longer")):
            self.assertIn(message, self.one_line_error("inside", self.box(), self.write("bad.txt", content)))
        self.assertIn("No such file", self.one_line_error("inside", self.box(), self.path("absent.txt")))
        self.assertIn("choose auto, bsp or winding", self.one_line_error("inside", self.box(), self.path("absent.txt"), "--method", "brute-force"))
        self.assertEqual(self.good("inside", self.box(), self.write("none.txt", "")).stdout, "")


if __name__ == "__main__":
    tool.main()
