"""dent ccd and dent ccd-queries: what they print, how they exit, and what bad input says. With the data kit:
no query is missed and none
a false alarm; of the frame pairs exactly the listed true pairs are reported, and times are the listed ones."""
import json
import lzma
import os
import struct
import tarfile
import unittest
from fractions import Fraction

from tool_under_test import DATA, DataTest, ToolTest, box_surface, cube, gmsh, json_lines, main, medit, obj, run

FLAT = ([(0, 0, 0), (4, 0, 0), (0, 4, 0)], [(0, 1, 2)])


def two_triangles(height):
    """A triangle in the plane z = 0, and one standing above it on a vertex."""
    vertices = FLAT[0] + [(1, 1, height), (1, 1, height + 4), (2, 1, height + 4)]
    return obj(vertices, [(0, 1, 2), (3, 4, 5)])


class Ccd(ToolTest):
    def frames(self, first, second, name="frame%d.obj"):
        return self.write(name % 0, first), self.write(name % 1, second)

    def test_a_falling_triangle_meets_half_way(self):
        a, b = self.frames(two_triangles(1), two_triangles(-1))
        result = self.good("ccd", a, b, status=1)
        lines = result.stdout.splitlines()
        self.assertEqual(lines[0].split(), ["vertex-face", "0", "3", "0", "0", "0.5", "0.25", "0.25", "0", "0", "1"])
        self.assertEqual(lines[1], "first impact at t = 0.5: vertex 3 of body 0, face 0 of body 0; "
                                   "1 pairs, 1 vertex-face and 0 edge-edge")
        self.assertEqual(len(lines), 2)
        self.assertEqual(result.stderr, "")
        self.assertEqual(self.good("ccd", "--count", a, b, status=1).stdout.splitlines(), lines[1:])

    def test_json_has_the_four_keys(self):
        a, b = self.frames(two_triangles(1), two_triangles(-1))
        (line,) = json_lines(self.good("ccd", "--json", a, b, status=1).stdout)
        self.assertEqual(list(line), ["pairs", "toi", "candidates", "ms"])
        self.assertEqual((line["pairs"], line["toi"]), (1, 0.5))
        self.assertGreaterEqual(line["candidates"], 1)
        (line,) = json_lines(self.good("ccd", "--json", b, b, status=1).stdout)
        self.assertEqual(line["toi"], 0)

    def test_nothing_meets(self):
        a, b = self.frames(two_triangles(3), two_triangles(1))
        self.assertEqual(self.good("ccd", a, b).stdout, "no impact\n")
        (line,) = json_lines(self.good("ccd", "--json", a, b).stdout)
        self.assertEqual((line["pairs"], line["toi"]), (0, None))

    def test_touching_at_the_end_alone_counts(self):
        a, b = self.frames(two_triangles(1), two_triangles(0))
        self.assertIn("first impact at t = 1:", self.good("ccd", a, b, status=1).stdout)

    def test_backwards_the_same_pairs(self):
        a, b = self.frames(two_triangles(1), two_triangles(-2))
        there = self.good("ccd", a, b, status=1).stdout.splitlines()[:-1]
        back = self.good("ccd", b, a, status=1).stdout.splitlines()
        self.assertIn("the start already crosses, time 0: 1 pairs of faces cross", back[-2])
        self.assertEqual([line.split()[:5] for line in there], [line.split()[:5] for line in back[:-2]])

    def test_strands_meet_strands_and_faces(self):
        def hair(height):
            return obj([(1, 0, height), (1, 2, height), (2, 1, 0), (0, 1, 0)], []) + "l 1 2\nl 3 4\n"
        a, b = self.frames(hair(1), hair(-1))
        lines = self.good("ccd", a, b, status=1).stdout.splitlines()
        self.assertEqual(lines[0].split()[:6], ["edge-edge", "0", "0-1", "0", "2-3", "0.5"])
        self.assertEqual(lines[1], "first impact at t = 0.5: edge 0-1 of body 0, edge 2-3 of body 0; "
                                   "1 pairs, 0 vertex-face and 1 edge-edge")
        (line,) = json_lines(self.good("ccd", "--json", a, b, status=1).stdout)
        self.assertEqual((line["pairs"], line["toi"]), (1, 0.5))
        self.assertEqual(self.good("ccd", a, a).stdout, "no impact\n")

    def test_a_crossing_start_is_reported_as_such(self):
        a, b = self.frames(two_triangles(-1), two_triangles(-1.5))
        result = self.good("ccd", a, b, status=1)
        self.assertEqual(result.stdout, "the start already crosses, time 0: 1 pairs of faces cross, "
                                        "the first in bodies 0 frame0 and 0 frame0\nno impact\n")
        (line,) = json_lines(self.good("ccd", "--json", a, b, status=1).stdout)
        self.assertEqual((line["toi"], line["start_crosses"], line["pairs"]), (0, True, 0))

    def test_a_body_inside_another_is_a_crossing_start(self):
        vertices, cells = cube()
        inner, inner_cells = cube((0.4, 0.4, 0.4), (0.1, 0.1, 0.1))
        vertices += inner
        groups = {"outer": (3, cells), "inner": (3, [tuple(c + 8 for c in cell) for cell in inner_cells])}
        path = self.write("nested.msh", gmsh(vertices, groups))
        result = self.good("ccd", path, path, status=1)
        self.assertIn("one lies inside the other of bodies 0 outer and 1 inner", result.stdout)

    def test_separation_adds_what_comes_near(self):
        a, b = self.frames(two_triangles(3), two_triangles(1))
        self.assertIn("nothing comes that near", self.good("ccd", "--separation", "0.5", a, b).stdout)
        result = self.good("ccd", "--separation", "1.5", a, b, status=1)
        toi = float(result.stdout.splitlines()[0].split()[5])
        self.assertLessEqual(toi, 0.75)
        self.assertGreater(toi, 0)

    def test_solids_are_asked_by_their_surface(self):
        low, cells = cube()
        high, _ = cube((0.1, 0.2, 1.5))
        joined = cells + [tuple(c + 8 for c in cell) for cell in cells]
        down, _ = cube((0.1, 0.2, 0.5))
        a, b = self.frames(medit(low + high, joined), medit(low + down, joined), "solid%d.mesh")
        lines = self.good("ccd", a, b, status=1).stdout.splitlines()
        self.assertIn("first impact at t = 0.5:", lines[-1])
        self.assertTrue(any("/" in line.split()[4] for line in lines if line.startswith("vertex-face")))
        self.assertTrue(any("-" in line.split()[2] for line in lines if line.startswith("edge-edge")))

    def test_methods_threads_and_instruction_sets_print_the_same(self):
        vertices, triangles = box_surface()
        other, _ = box_surface((0.3, 0.4, 1.25))
        moved = [(x + 0.25, y - 0.1, z - 1) for x, y, z in other]
        triangles = triangles + [tuple(c + 8 for c in t) for t in triangles]
        a, b = self.frames(obj(vertices + other, triangles), obj(vertices + moved, triangles))
        expected = self.good("ccd", a, b, status=1).stdout
        self.assertGreater(expected.count("\n"), 5)
        for options in (["--method", "brute-force"], ["--method", "surface-tree"], ["--threads", "1"],
                        ["--threads", "3"], ["--isa", "scalar"]):
            self.assertEqual(self.good("ccd", *options, a, b, status=1).stdout, expected)

    def test_stats_go_to_stderr(self):
        a, b = self.frames(two_triangles(1), two_triangles(-1))
        result = self.good("ccd", "--stats", a, b, status=1)
        self.assertIn("candidates", result.stderr)
        self.assertIn("surface-tree", result.stderr)

    def test_bad_input_is_one_clear_line(self):
        a, b = self.frames(two_triangles(1), two_triangles(-1))
        other = self.write("other.obj", obj(*FLAT))
        turned = self.write("turned.obj", two_triangles(1).replace("f 1 2 3", "f 2 3 4"))
        nan = self.write("nan.obj", two_triangles(1).replace("v 4.0 0.0 0.0", "v nan 0.0 0.0"))
        empty = self.write("empty.obj", "")
        hollow = self.write("hollow.obj", "v 0 0 0\n")
        solid = self.write("solid.mesh", medit(*cube()))
        self.assertIn("6 vertices and 2 elements in " + a, self.one_line_error("ccd", a, other))
        self.assertIn("different elements", self.one_line_error("ccd", a, turned))
        self.assertIn("do not belong together", self.one_line_error("ccd", a, solid))
        self.assertIn("nan.obj", self.one_line_error("ccd", a, nan))
        self.assertIn("nan.obj", self.one_line_error("ccd", nan, a))
        self.assertIn("empty", self.one_line_error("ccd", a, empty))
        self.assertIn("empty", self.one_line_error("ccd", empty, empty))
        self.assertIn("hollow.obj", self.one_line_error("ccd", hollow, hollow))
        self.assertIn("missing.obj", self.one_line_error("ccd", a, self.path("missing.obj")))
        self.assertIn("not negative", self.one_line_error("ccd", "--separation", "-1", a, b))
        self.assertIn("not negative", self.one_line_error("ccd", "--separation", "nan", a, b))
        self.assertIn("alone: give two frames of mesh files", self.one_line_error("ccd", a))
        self.assertIn("usage: dent ccd", self.one_line_error("ccd", a, b, b))
        self.assertIn("teschner-a is a scene: give it alone", self.one_line_error("ccd", "teschner-a", "teschner-a"))
        self.assertIn("cannot answer impact", self.one_line_error("ccd", "--method", "spatial-hash", a, b))


# One vertex-face query that collides at t = 1/2, and one that does not.
HIT = ["1,4,1,4,1,1", "0,1,0,1,0,1", "1,1,0,1,0,1", "0,1,1,1,0,1", "1,4,1,4,-1,1", "0,1,0,1,0,1", "1,1,0,1,0,1",
       "0,1,1,1,0,1"]
MISS = HIT[:4] + ["1,4,1,4,1,2"] + HIT[5:]


def csv(*queries, answers=None):
    lines = []
    for i, query in enumerate(queries):
        lines += [row + ("" if answers is None else ",%d" % answers[i]) for row in query]
    return "\n".join(lines) + "\n"


class CcdOfSeries(ToolTest):
    FRAMES = (22, 25, 28, 31, 30, 26, 26)

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("keys"))
        for i, frame in enumerate(self.FRAMES):
            self.good("export", "v-self", self.path("out"), "--scale", "0.1", "--frame", frame)
            os.rename(self.path("out/V.mesh"), self.path("keys/V_%d.mesh" % (3 * i)))

    def pairwise(self, *options):
        """What dent ccd says of each two frames, the interval in front."""
        lines = []
        for i in range(len(self.FRAMES) - 1):
            found = self.good("ccd", self.path("keys/V_%d.mesh" % (3 * i)), self.path("keys/V_%d.mesh" % (3 * i + 3)),
                              *options, status=None)
            lines += ["%d %s" % (3 * i, line) for line in found.stdout.splitlines()]
        return lines

    def test_a_series_equals_its_intervals_one_by_one(self):
        for options in ((), ("--separation", "0.05"), ("--no-self",), ("--count",), ("--method", "brute-force"),
                        ("--method", "kinetic-tree")):
            expected = self.pairwise(*options)
            for series in ("keys", "keys/V_%d.mesh", "keys/V_*.mesh"):
                found = self.good("ccd", self.path(series), *options, status=None)
                self.assertEqual(found.stdout.splitlines(), expected)
                self.assertEqual(found.stderr, "")
                self.assertEqual(found.returncode, int(any("no impact" not in line for line in expected)))
        self.assertGreater(len(self.pairwise()), 300)

    def test_json_has_an_object_per_interval(self):
        rows = json_lines(self.good("ccd", self.path("keys"), "--json", status=1).stdout)
        self.assertEqual([row["frame"] for row in rows], [3 * i for i in range(len(self.FRAMES) - 1)])
        self.assertEqual(list(rows[0])[:6], ["frame", "file", "pairs", "toi", "candidates", "ms"])
        self.assertTrue(rows[2]["file"].endswith("V_6.mesh"))

    def test_frames_are_chosen_and_scenes_move(self):
        found = self.good("ccd", self.path("keys"), "--frames", "0:9:9", "--count", status=1).stdout
        both = self.good("ccd", self.path("keys/V_0.mesh"), self.path("keys/V_9.mesh"), "--count", status=1).stdout
        self.assertEqual(found, "0 " + both)
        scene = self.good("ccd", "v-self", "--scale", "0.1", "--frames", "25:30:5", "--count", status=1).stdout
        self.assertEqual(scene, "25 " + self.good("ccd", "v-self", "--scale", "0.1", "--frame", "25", "--to-frame", "30",
                                                  "--count", status=1).stdout)

    def test_frames_that_do_not_belong_together_are_named(self):
        os.remove(self.path("keys/V_6.mesh"))
        self.write("keys/V_6.mesh", medit(*cube()))
        found = run("ccd", self.path("keys"), "--count")
        self.assertEqual(found.returncode, 2)
        self.assertIn("do not belong together", found.stderr)
        self.assertIn("or a series of frames; got 3 files", self.one_line_error("ccd", *[self.path("keys/V_%d.mesh" % i)
                                                                              for i in (0, 3, 9)]))


    def test_a_series_of_one_frame_is_an_error(self):
        os.mkdir(self.path("lone"))
        self.write("lone/a_0.obj", obj(*FLAT))
        self.assertIn("alone: a series needs two frames or more", self.one_line_error("ccd", self.path("lone")))
        self.assertIn("alone: a series needs two frames or more", self.one_line_error("ccd", self.path("lone/a_*.obj")))

    def test_a_frame_with_other_counts_ends_the_series_after_what_was_found(self):
        before = self.pairwise("--method", "kinetic-tree")
        before = [line for line in before if int(line.split()[0]) < 6]
        self.assertGreater(len(before), 5)
        with open(self.path("keys/V_6.mesh")) as file:
            whole = file.read()
        vertices, cells = cube()
        shifted = [tuple(x + 100 for x in vertex) for vertex in vertices]
        lines = whole.splitlines()
        fewer = whole.replace("\nTetrahedra\n%s" % lines[lines.index("Tetrahedra") + 1],
                              "\nTetrahedra\n%d" % (int(lines[lines.index("Tetrahedra") + 1]) - 1), 1)
        last = lines[-1] if lines[-1] != "End" else lines[-2]
        others = {"fewer cells": fewer.replace("\n" + last, "", 1) if fewer != whole else None,
                  "another model": medit(vertices, cells), "a moved one": medit(shifted, cells)}
        for name, text in others.items():
            self.assertIsNotNone(text, name)
            self.write("keys/V_9.mesh", text)
            for method in ("auto", "kinetic-tree"):
                found = run("ccd", self.path("keys"), "--method", method)
                self.assertEqual(found.returncode, 2, name)
                self.assertEqual(found.stdout.splitlines(), before, name)
                (error,) = [line for line in found.stderr.splitlines() if "notice" not in line]
                self.assertIn("V_9.mesh", error)
            rows = json_lines(run("ccd", self.path("keys"), "--json").stdout)
            self.assertEqual([row["frame"] for row in rows], [0, 3], name)


class CcdQueries(ToolTest):
    def test_answers_in_the_seventh_column(self):
        path = self.write("vf.csv", csv(HIT, MISS, answers=(1, 0)))
        result = self.good("ccd-queries", path)
        self.assertIn("2 queries: 0 missed, 0 false alarms", result.stdout)
        (line,) = json_lines(self.good("ccd-queries", "--json", path).stdout)
        self.assertEqual(list(line), ["file", "kind", "total", "colliding", "missed", "false_alarms", "ns_mean",
                                      "ns_median", "ns_max"])
        self.assertEqual([line[key] for key in list(line)[:6]], [path, "vertex-face", 2, 1, 0, 0])
        self.assertLessEqual(line["ns_median"], line["ns_max"])
        self.assertEqual(line["ns_median"], line["ns_mean"])  # of two numbers

    def test_a_miss_and_a_false_alarm_are_status_one(self):
        path = self.write("vf.csv", csv(HIT, MISS, answers=(0, 1)))
        (line,) = json_lines(self.good("ccd-queries", "--json", path, status=1).stdout)
        self.assertEqual((line["missed"], line["false_alarms"], line["colliding"]), (1, 1, 1))

    def test_a_miss_alone_is_status_one(self):
        path = self.write("vf.csv", csv(HIT, MISS, answers=(1, 1)))
        (line,) = json_lines(self.good("ccd-queries", "--json", path, status=1).stdout)
        self.assertEqual((line["missed"], line["false_alarms"], line["colliding"]), (1, 0, 2))

    def test_answers_from_a_file(self):
        path = self.write("data.csv", csv(HIT, MISS))
        truth = self.write("truth.json", "[true, false]")
        self.good("ccd-queries", "--kind", "vf", "--truth", truth, path)
        wrong = self.write("wrong.json", "[false, false]")
        self.good("ccd-queries", "--kind", "vertex-face", "--truth", wrong, path, status=1)
        self.assertIn("--truth belongs to one file", self.one_line_error("ccd-queries", "--truth", truth, path, path))
        self.assertIn("1 answers for the 2 queries",
                      self.one_line_error("ccd-queries", "--kind", "vf", "--truth", self.write("t.json", "[true]"),
                                          path))

    def test_answers_beside_the_folder_packed(self):
        os.makedirs(self.path("queries"))
        os.makedirs(self.path("mma_bool"))
        path = self.write("queries/7vf.csv.xz", lzma.compress(csv(HIT, MISS).encode()))
        self.assertIn("no answers to compare with", self.one_line_error("ccd-queries", path))
        self.write("mma_bool/7vf_mma_bool.json.xz", lzma.compress(b"[true,false]"))
        self.good("ccd-queries", path)

    def test_edges(self):
        rows = ["-1,1,0,1,1,1", "1,1,0,1,1,1", "0,1,-1,1,0,1", "0,1,1,1,0,1"]
        rows += ["-1,1,0,1,-1,1", "1,1,0,1,-1,1", "0,1,-1,1,0,1", "0,1,1,1,0,1"]
        path = self.write("a_ee.csv", csv(rows, answers=(1,)))
        (line,) = json_lines(self.good("ccd-queries", "--json", path).stdout)
        self.assertEqual((line["kind"], line["colliding"]), ("edge-edge", 1))

    def test_bad_files_are_one_clear_line(self):
        self.assertIn("say --kind", self.one_line_error("ccd-queries", self.write("data.csv", csv(HIT, answers=(1,)))))
        third = self.write("vf.csv", csv(HIT, answers=(1,)) + "0,1,1,3,0,1,1\n")
        self.assertIn("vf.csv:9: y is 1/3, which is not exactly a double", self.one_line_error("ccd-queries", third))
        self.assertIn("not a multiple of 8", self.one_line_error("ccd-queries",
                                                                 self.write("2vf.csv", csv(HIT[:7], answers=(1,)))))
        self.assertIn("missing_vf.csv", self.one_line_error("ccd-queries", self.path("missing_vf.csv")))
        self.assertIn("vertex-face", self.one_line_error("ccd-queries", "--kind", "xy", third))
        self.assertIn("usage: dent ccd-queries", self.one_line_error("ccd-queries"))


# ---- the data kit ---------------------------------------------------------------------------------------------------

def query_files():
    for folder, _, names in sorted(os.walk(os.path.join(DATA, "ccd"))):
        for name in sorted(names):
            if name.endswith(".csv.xz") and not folder.endswith("toi"):
                yield os.path.join(folder, name)


class KitQueries(DataTest):
    def test_no_query_is_missed_and_none_a_false_alarm(self):
        lines = json_lines(self.good("ccd-queries", "--json", *query_files()).stdout)
        self.assertEqual(sum(line["missed"] for line in lines), 0)
        self.assertEqual(sum(line["false_alarms"] for line in lines), 0)
        sums = {}
        for line in lines:
            key = ("simulation" if "/simulation/" in line["file"] else "handcrafted", line["kind"])
            total, colliding = sums.get(key, (0, 0))
            sums[key] = (total + line["total"], colliding + line["colliding"])
        self.assertEqual(sums, {("handcrafted", "edge-edge"): (2114, 104), ("handcrafted", "vertex-face"): (1543, 116),
                                ("simulation", "edge-edge"): (3268, 3107), ("simulation", "vertex-face"): (4744, 4677)})


def read_ply(path):
    """Vertices (exact, as floats) and triangles of a binary PLY of the kit."""
    with lzma.open(path) as file:
        data = file.read()
    header, body = data.split(b"end_header\n", 1)
    words = header.decode().split()
    big = "binary_big_endian" in words
    vertices, faces = (int(words[words.index(kind) + 1]) for kind in ("vertex", "face"))
    number = "d" if "double" in words else "f"
    order = ">" if big else "<"
    flat = struct.unpack_from(order + "%d%s" % (3 * vertices, number), body)
    place = struct.calcsize(order + "%d%s" % (3 * vertices, number))
    count_type = {"uchar": "B", "uint8": "B", "int": "i", "uint": "I"}[words[words.index("list") + 1]]
    record = struct.Struct(order + count_type + "3i")
    triangles = [record.unpack_from(body, place + i * record.size)[1:] for i in range(faces)]
    return [flat[3 * i:3 * i + 3] for i in range(vertices)], triangles


def listed_pairs(folder, stem, kind):
    """Pairs of box ids that truly collide."""
    with lzma.open(os.path.join(folder, "boxes", "%s%s.json.xz" % (stem, kind))) as file:
        pairs = json.load(file)
    with lzma.open(os.path.join(folder, "mma_bool", "%s%s_mma_bool.json.xz" % (stem, kind))) as file:
        truth = json.load(file)
    return {tuple(pair) for pair, true in zip(pairs, truth) if true}


class KitSeries(DataTest):
    """Key frames of the kit there and back: a series of three intervals equals its intervals."""

    def check_series(self, scene, first, second, least):
        names = [os.path.join(DATA, "frames", scene, "frames", name + ".ply.xz") for name in (first, second, first, second)]
        os.mkdir(self.path("series"))
        for i, name in enumerate(names):
            os.symlink(name, self.path("series/frame_%d.ply.xz" % i))
        expected = []
        for i in range(3):
            found = self.good("ccd", *[self.path("series/frame_%d.ply.xz" % k) for k in (i, i + 1)], status=1)
            expected += ["%d %s" % (i, line) for line in found.stdout.splitlines()]
        self.assertGreater(len(expected), least)
        for method in ("auto", "kinetic-tree"):
            found = self.good("ccd", self.path("series"), "--method", method, status=1)
            self.assertEqual(found.stdout.splitlines(), expected)

    def test_cloth_funnel_there_and_back(self):
        self.check_series("cloth-funnel", "227", "228", 300)

    def test_armadillo_rollers_there_and_back(self):
        self.check_series("armadillo-rollers", "326", "327", 60000)

    def test_the_recorded_shirt_equals_its_intervals(self):
        """Nothing meets in it; a tenth of a unit comes near everywhere. The long tier takes all 250 intervals."""
        archive = os.path.join(DATA, "meshes", "cloth-diffcloth", "iter0.tar.xz")
        first, last = (0, 250) if os.environ.get("DENT_LONG_TESTS") else (120, 130)
        with tarfile.open(archive) as tar:
            for i in range(first, last + 1):
                self.write("%03d.obj" % i, tar.extractfile("iter0/%03d.obj" % i).read())
        expected = []
        for i in range(first, last):
            found = self.good("ccd", *[self.path("%03d.obj" % k) for k in (i, i + 1)], "--separation", 0.1, status=None)
            expected += ["%d %s" % (i, line) for line in found.stdout.splitlines()]
        self.assertGreater(len(expected), 20 * (last - first))
        for method in ("auto", "surface-tree"):
            found = self.good("ccd", archive, "--frames", "%d:%d" % (first, last), "--separation", 0.1, "--method", method,
                              status=None)
            self.assertEqual(found.stdout.splitlines(), expected)


class KitFrames(DataTest):
    def check_scene(self, scene, first, second, stem, counts):
        folder = os.path.join(DATA, "frames", scene)
        frames = [os.path.join(folder, "frames", name + ".ply.xz") for name in (first, second)]
        vertices, triangles = read_ply(frames[0])
        edges = sorted({tuple(sorted((t[i], t[(i + 1) % 3]))) for t in triangles for i in range(3)},
                       key=lambda e: (e[1], e[0]))
        edge_number = {edge: i for i, edge in enumerate(edges)}
        reported = {"vertex-face": set(), "edge-edge": set()}
        times = {}
        for line in self.good("ccd", *frames, status=1).stdout.splitlines():
            words = line.split()
            if words[0] == "vertex-face":
                pair = (int(words[2]), len(vertices) + len(edges) + int(words[4]))
            elif words[0] == "edge-edge":
                sides = [edge_number[tuple(map(int, words[k].split("-")))] + len(vertices) for k in (2, 4)]
                pair = tuple(sorted(sides))
            else:
                continue
            self.assertNotIn(pair, reported[words[0]])
            reported[words[0]].add(pair)
            times[pair] = float(words[5])
        self.assertEqual((len(reported["edge-edge"]), len(reported["vertex-face"])), counts)
        self.assertEqual(reported["vertex-face"], listed_pairs(folder, stem, "vf"))
        self.assertEqual(reported["edge-edge"], {tuple(sorted(pair)) for pair in listed_pairs(folder, stem, "ee")})
        return times

    def test_cloth_funnel(self):
        times = self.check_scene("cloth-funnel", "227", "228", "227", (107, 27))
        for kind in ("ee", "vf"):
            self.check_times(times, "cloth-funnel", "227", kind)

    def test_armadillo_rollers(self):
        times = self.check_scene("armadillo-rollers", "326", "327", "326", (19308, 4650))
        self.check_times(times, "armadillo-rollers", "326", "vf")

    def test_cloth_ball(self):
        self.check_scene("cloth-ball", "cloth_ball92", "cloth_ball93", "92", (94822, 19032))

    def check_times(self, times, scene, stem, kind):
        """toi <= t <= next double, against times of 25 digits; the query files list the pairs of the boxes in order."""
        with lzma.open(os.path.join(DATA, "frames", scene, "boxes", "%s%s.json.xz" % (stem, kind))) as file:
            pairs = [tuple(sorted(pair)) if kind == "ee" else tuple(pair) for pair in json.load(file)]
        path = os.path.join(DATA, "ccd", "simulation", scene, "toi", "%s%s_toi.csv.xz" % (stem, kind))
        checked = 0
        with lzma.open(path, "rt") as file:
            next(file)
            for line in file:
                query, earliest, _ = line.split(",")
                toi, true = times[pairs[int(query)]], Fraction(earliest)
                slack = Fraction(1, 10 ** 25)  # the list is rounded to 25 places
                self.assertLessEqual(Fraction(toi), true + slack)
                following = struct.unpack("<d", struct.pack("<q", struct.unpack("<q", struct.pack("<d", toi))[0] + 1))[
                    0]
                self.assertGreaterEqual(Fraction(following), true - slack)
                checked += 1
        self.assertGreater(checked, 20)


if __name__ == "__main__":
    main()
