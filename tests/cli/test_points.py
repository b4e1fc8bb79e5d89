"""dent points: answers on known surfaces, JSON keys, seeds, budgets, threads, files for ParaView, and bad input."""
import gzip
import json
import lzma
import math
import os
import struct

import tool_under_test as tool

KEYS = "answer points miss_probability resolution work ms".split()


class Points(tool.ToolTest):
    def scene(self, name, *arguments):
        self.good("export", name, self.path(name), *arguments)
        return self.path(name + "/a.xyz"), self.path(name + "/b.xyz")

    def ask(self, *arguments, status=0):
        result = tool.run("points", "--json", *arguments)
        self.assertEqual(result.returncode, status, result.stderr)
        row = tool.json_lines(result.stdout)[-1]
        self.assertEqual(list(row), KEYS)
        return row

    def test_two_spheres_meet_in_their_circle(self):
        a, b = self.scene("cloud-spheres", "--scale", "0.3")
        row = self.ask(a, b)
        self.assertEqual(row["answer"], "yes")
        self.assertGreater(row["points"], 20)
        self.assertLess(row["miss_probability"], 0.02)
        self.good("points", a, b, "--out", self.path("curve"))
        with open(self.path("curve.vtp"), "rb") as file:
            text = file.read()
        for field in (b'"residual_a"', b'"residual_b"', b'"normal_a"', b'"normal_b"', b"NumberOfLines"):
            self.assertIn(field, text)
        self.assertIn("residuals up to", self.good("points", a, b).stdout)

    def test_clouds_apart_do_not_meet_and_nothing_is_missed(self):
        a, b = self.scene("cloud-spheres", "--scale", "0.3")
        row = self.ask(a, b, "--move", "5,0,-0.5")
        self.assertEqual((row["answer"], row["points"], row["miss_probability"]), ("no", 0, 0))

    def test_sheets_one_to_four_spacings_apart_do_not_meet(self):
        for gap in (1, 2, 3, 4):
            row = self.ask(*self.scene("cloud-sheets", "--scale", "0.3", "--set", "gap=%d" % gap))
            self.assertEqual((row["answer"], row["points"]), ("no", 0), gap)
            self.assertLess(row["miss_probability"], 0.02)

    def test_noisy_scans_with_holes_meet_where_their_balls_do(self):
        a, b = self.scene("cloud-scans", "--scale", "0.3")  # radii of 0.87 to 1.13, centres 1.5 apart
        for move, answer in (("0,0,0", "yes"), ("-1,0,0", "yes"), ("0,1,-0.5", "yes"), ("1,0,0", "no"), ("0,1,2.5", "no")):
            row = self.ask(a, b, "--move", move)
            self.assertEqual(row["answer"], answer, move)
            self.assertEqual(row["points"] > 20, answer == "yes", move)

    def test_a_sphere_in_the_hole_of_a_torus_does_not_meet_it(self):
        a, b = self.scene("cloud-torus", "--scale", "0.3")
        self.assertGreater(self.ask(a, b)["points"], 100)
        self.assertEqual(self.ask(a, b, "--move", "-1,0,0")["answer"], "no")

    def test_only_the_time_depends_on_threads_and_instruction_sets(self):
        a, b = self.scene("cloud-torus", "--scale", "0.1")
        rows = [self.ask(a, b, "--seed", "7", *more) for more in
                ((), ("--threads", "1"), ("--threads", "7"), ("--threads", "2", "--isa", "scalar"))]
        for row in rows:
            del row["ms"]
            self.assertEqual(row, rows[0])
        other = self.ask(a, b, "--seed", "8")
        self.assertEqual(other["answer"], "yes")

    def test_a_spent_budget_is_unknown(self):
        a, b = self.scene("cloud-spheres", "--scale", "0.1")
        row = self.ask(a, b, "--budget", "3", status=2)
        self.assertEqual((row["answer"], row["miss_probability"]), ("unknown", 1))
        result = tool.run("points", a, b, "--budget", "3")
        self.assertEqual((result.returncode, result.stderr),
                         (2, "dent: points: unknown: the budget is spent and nothing was found yet\n"))

    def test_vertices_of_meshes_are_clouds_too(self):
        lines = []
        n = 24
        for i in range(n):
            for j in range(n):
                lines.append("v %r %r %r" % (i / n, j / n, 0.1 * math.sin(i / 4)))
        for i in range(n - 1):
            for j in range(n - 1):
                k = i * n + j + 1
                lines += ["f %d %d %d" % (k, k + 1, k + n), "f %d %d %d" % (k + 1, k + n + 1, k + n)]
        mesh = self.write("sheet.obj", "\n".join(lines) + "\n")
        self.assertEqual(self.ask(mesh, mesh, "--move", "0.01,0,0.3")["answer"], "no")
        self.assertEqual(self.ask(mesh, mesh, "--move", "0.3,0.01,0.05")["answer"], "yes")

    def test_the_same_points_in_every_format_give_the_same_answer(self):
        """PLY, PCD and texts, with colours and normals, plain and compressed."""
        n = 20
        points = [(i / n, j / n, 0.1 * math.sin(i / 4)) for i in range(n) for j in range(n)]
        slopes = [-0.025 * n * math.cos(i / 4) for i in range(n) for j in range(n)]
        rows = ["%r %r %r" % p for p in points]
        painted = ["%s %r 0 1 200 %d 30" % (row, slope, k % 256) for k, (row, slope) in enumerate(zip(rows, slopes))]
        ply = "ply\nformat %s 1.0\nelement vertex %d\n" + "".join(
            "property %s %s\n" % (kind, name) for kind, name in
            [("double", c) for c in "x y z nx ny nz".split()] + [("uchar", c) for c in "red green blue".split()]) + "end_header\n"
        pcd = ("FIELDS x y z rgb\nSIZE 8 8 8 4\nTYPE F F F U\nCOUNT 1 1 1 1\nWIDTH %d\nHEIGHT 1\nPOINTS %d\nDATA %%s\n"
               % (len(points), len(points)))
        files = {
            "plain.xyz": "\n".join(rows).encode(),
            "painted.ply": (ply % ("ascii", len(points)) + "\n".join(painted) + "\n").encode(),
            "binary.ply": (ply % ("binary_little_endian", len(points))).encode() + b"".join(
                struct.pack("<6d3B", *p, slope, 0, 1, 9, 9, 9) for p, slope in zip(points, slopes)),
            "ascii.pcd": (pcd % "ascii" + "\n".join(row + " 255" for row in rows) + "\n").encode(),
            "binary.pcd": (pcd % "binary").encode() + b"".join(struct.pack("<3dI", *p, 255) for p in points),
            "comma.csv": ("x,y,z,r,g,b\n" + "\n".join(row.replace(" ", ",") + ",1,2,3" for row in rows)).encode(),
            "counted.pts": ("%d\n" % len(points) + "\n".join(row + " 7 1 2 3" for row in rows)).encode(),
        }
        answers = {}
        for name, data in files.items():
            for ending, pack in (("", bytes), (".gz", gzip.compress), (".xz", lzma.compress)):
                path = self.path(name + ending)
                with open(path, "wb") as file:
                    file.write(pack(data))
                row = self.ask(path, path, "--move", "0.3,0.01,0.05", "--seed", "3")
                del row["ms"]
                answers.setdefault("normals" if name.endswith("ply") else "none", []).append(row)
        for kind, found in answers.items():
            self.assertEqual(len(found), 6 if kind == "normals" else 15)
            self.assertTrue(all(row == found[0] for row in found), found)
            self.assertEqual(found[0]["answer"], "yes")

    def test_info_check_and_pairs_take_clouds(self):
        cloud = self.write("c.xyz", "0.5 0.5 0.5\n0.25 0.5 0.75\n3 3 3\n1 0.5 0.5\n")
        cube = self.write("cube.mesh", tool.medit(*tool.cube((0, 0, 0), (1, 1, 1))))
        self.assertIn("(points)", self.good("info", cloud).stdout)
        row, = tool.json_lines(self.good("info", "--json", cloud).stdout)
        self.assertEqual((row["kind"], row["vertices"], row["faces"], row["coincident"]), ("points", 4, 0, 0))
        self.assertGreater(row["spacing"], 0.3)
        self.assertEqual(tool.run("check", cube, cloud).returncode, 1)
        found = self.good("pairs", "--ask", "proximity", "--thickness", "0.1", cube, cloud).stdout
        self.assertTrue(any(line.startswith("1 3 0 ") for line in found.splitlines()), found)

    def test_bad_input_is_one_clear_line(self):
        good = self.write("good.xyz", "\n".join("%d %d 0" % (i, j) for i in range(9) for j in range(9)))
        cases = (
            (("nan.xyz", "1 2 3\n1 nan 2\n"), "nan.xyz:2: vertex 1: y is not a number"),
            (("two.pcd", "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nPOINTS 4294967296\nDATA binary\n1234"),
             "two.pcd: claims 4294967296 points of 12 bytes, but only 4 bytes follow"),
            (("empty.csv", "x,y,z\n"), "empty.csv: has 0 vertices"),
            (("word.pts", "2\n1 2 3\nfour 5 6\n"), "word.pts:3: 'four' is not a number"),
        )
        for (name, text), words in cases:
            result = tool.run("points", self.write(name, text), good)
            self.assertEqual(result.returncode, 2, name)
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
            self.assertIn(words, result.stderr)
        for arguments, words in ((("--move", "1,2"), "three finite lengths"), (("--seed", "-1"), "a whole number"),
                                 (("--seed", str(2**64)), "to 2^64 - 1"), (("--move", "1e300,0,0"), "of at most 1e100"),
                                 (("--budget", "0"), "a whole number from 1"), (("--out", "a.vtk"), "ends in .vtp")):
            result = tool.run("points", good, good, *arguments)
            self.assertEqual((result.returncode, result.stderr.count("\n")), (2, 1))
            self.assertIn(words, result.stderr)

    def test_poor_clouds_have_an_answer(self):
        """Points that make no surface: no crash, no number made up."""
        one = self.write("one.xyz", "1 2 3\n")
        two = self.write("two.xyz", "1 2 3\n1 2 4\n")
        equal = self.write("equal.xyz", "1 2 3\n" * 50)
        line = self.write("line.xyz", "\n".join("%d 2 3" % i for i in range(50)))
        for a in (one, two, equal, line):
            for b in (one, two, equal, line):
                result = tool.run("points", "--json", a, b)
                self.assertIn(result.returncode, (0, 2), result.stderr)
                row = json.loads(result.stdout.splitlines()[-1])
                self.assertIn(row["answer"], ("no", "unknown"))
                self.assertEqual(row["points"], 0)
                if a == b:  # they may meet everywhere, and have no surface
                    self.assertEqual((row["answer"], result.returncode, row["miss_probability"]), ("unknown", 2, 1))
                if one in (a, b) or equal in (a, b):
                    self.assertIn("has no surface: none of its points has a neighbour", result.stderr)
        same = tool.run("points", "--seed", str(2**64 - 1), line, one)
        self.assertEqual(same.returncode, 2)


class Kit(tool.DataTest):
    ask = Points.ask

    def test_the_lidar_scan_of_the_kit_meets_itself_when_moved_a_little(self):
        scan = os.path.join(tool.DATA, "meshes", "points-lidar", "car_cloud400.csv.xz")
        self.assertIn("24989", self.good("info", scan).stdout)
        self.assertEqual(self.ask(scan, scan, "--move", "0,0,200")["answer"], "no")
        self.assertEqual(self.ask(scan, scan, "--move", "0.3,0.2,0.1", "--budget", "300000")["answer"], "yes")


if __name__ == "__main__":
    tool.main()
