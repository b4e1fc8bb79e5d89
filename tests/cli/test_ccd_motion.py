"""dent ccd of robots and of scenes of rigid bodies, and dent info of robots: what they print, how they exit, what bad
input says."""
import math
import os

from tool_under_test import DATA, DataTest, ToolTest, box_surface, json_lines, main, obj, run

# A pole that can turn about z, with a bar of length 2 on it.
TURNSTILE = """<robot name="turnstile">
  <link name="foot"><collision><geometry><box size="0.1 0.1 0.4"/></geometry></collision></link>
  <link name="bar"><collision><origin xyz="1 0 0.5"/><geometry><box size="2 0.1 0.1"/></geometry></collision></link>
  <joint name="turn" type="revolute">
    <parent link="foot"/><child link="bar"/><axis xyz="0 0 1"/><limit lower="-7" upper="7" effort="1" velocity="1"/>
  </joint>
</robot>
"""


def joint(name, parent, child, rest="", kind="revolute"):
    return '<joint name="%s" type="%s"><parent link="%s"/><child link="%s"/>%s</joint>' % (
        name, kind, parent, child, rest)


def robot(*parts, links="abc"):
    return "<robot>" + "".join('<link name="%s"/>' % link for link in links) + "".join(parts) + "</robot>"


class Robots(ToolTest):
    def setUp(self):
        super().setUp()
        self.turnstile = self.write("turnstile.urdf", TURNSTILE)
        if "made without expat" in run("info", self.turnstile).stderr:
            self.skipTest("this build cannot read URDF: it was made without expat")
        vertices, triangles = box_surface((-0.1, 1.4, 0.4), (0.2, 0.2, 0.2))
        self.post = self.write("post.obj", obj(vertices, triangles))

    def test_a_bar_swings_into_a_post(self):
        result = self.good("ccd", self.turnstile, "--to", "3.1", "--obstacle", self.post, status=1)
        lines = result.stdout.splitlines()
        self.assertRegex(lines[-1], r"^first contact at t = 0\.\d+: bodies 1 bar and 2 post; \d+ contacts nearer than ")
        # The side of the bar, 0.05 beside its axis, meets the corner (0.1, 1.4) of the post.
        angle = math.atan2(1.4, 0.1) - math.asin(0.05 / math.hypot(0.1, 1.4))
        (line,) = json_lines(self.good("ccd", "--json", self.turnstile, "--to", "3.1", "--obstacle", self.post,
                                       status=1).stdout)
        self.assertEqual(list(line), ["verdict", "pairs", "toi", "candidates", "ms", "t_lo", "t_hi", "body_a", "body_b",
                                      "contacts", "tolerance"])
        self.assertEqual((line["verdict"], line["body_a"], line["body_b"]), ("contact", "bar", "post"))
        self.assertLess(line["t_lo"], line["t_hi"])
        self.assertEqual(line["toi"], line["t_lo"])  # the certified time: never late
        self.assertEqual(line["pairs"], line["contacts"])
        self.assertGreater(line["candidates"], 0)
        self.assertLessEqual(line["t_lo"] * 3.1, angle)
        self.assertAlmostEqual(line["toi"] * 3.1, angle, delta=1e-5)
        columns, *names = lines[0].split("\t")
        self.assertEqual((len(columns.split()), names), (12, ["bar", "post"]))
        self.assertIn(lines[0].split()[0], ("vertex-face", "edge-edge"))
        self.assertEqual(self.good("ccd", "--count", self.turnstile, "--to", "3.1", "--obstacle", self.post,
                                   status=1).stdout.splitlines(), lines[-1:])

    def separations_and_last_line(self, *words):
        *lines, last = self.good("ccd", *words, status=1).stdout.splitlines()
        return [float(line.split()[5]) for line in lines], last

    def test_contacts_said_to_be_nearer_than_the_tolerance_are(self):
        (line,) = json_lines(self.good("ccd", "--json", self.turnstile, "--to", "3.1", "--obstacle", self.post,
                                       status=1).stdout)
        separations, last = self.separations_and_last_line(self.turnstile, "--to", "3.1", "--obstacle", self.post)
        self.assertLessEqual(max(separations), line["tolerance"])
        self.assertRegex(last, r"; %d contacts nearer than \S+$" % len(separations))

    def test_features_of_faces_that_cross_at_the_start_are_counted_apart(self):
        words = (self.turnstile, "--from", "1.6", "--to", "3.1", "--obstacle", self.post)
        (line,) = json_lines(self.good("ccd", "--json", *words, status=1).stdout)
        separations, last = self.separations_and_last_line(*words)
        near = sum(separation <= line["tolerance"] for separation in separations)
        self.assertGreater(max(separations), 1000 * line["tolerance"])
        self.assertTrue(last.startswith("the start already touches, time 0: bodies 1 bar and 2 post; "), last)
        self.assertRegex(last, r"; %d contacts nearer than \S+, %d nearest features of faces that cross, or of larger "
                               r"bodies$" % (near, len(separations) - near))
        self.assertEqual(line["contacts"], len(separations))

    def test_contacts_of_larger_bodies_have_their_own_tolerance(self):
        # The bar passes 0.004 above a block whose size gives a tolerance of 0.006.
        vertices, triangles = box_surface((-5000, 0.2, -5000), (10000, 5000, 5000.446))
        large = self.write("large.obj", obj(vertices, triangles))
        vertices, triangles = box_surface((1.9, 0.5, 0.45), (0.2, 0.2, 0.2))
        small = self.write("small.obj", obj(vertices, triangles))
        words = (self.turnstile, "--to", "3.1", "--obstacle", small, "--obstacle", large)
        (line,) = json_lines(self.good("ccd", "--json", *words, status=1).stdout)
        self.assertEqual((line["body_a"], line["body_b"]), ("bar", "small"))
        separations, last = self.separations_and_last_line(*words)
        near = sum(separation <= line["tolerance"] for separation in separations)
        self.assertTrue(0 < near < len(separations))
        self.assertRegex(last, r"; %d contacts nearer than \S+, %d within the tolerance of larger bodies$" % (
            near, len(separations) - near))

    def test_the_other_way_round_it_is_free(self):
        result = self.good("ccd", self.turnstile, "--to", "-3.1", "--obstacle", self.post)
        self.assertEqual(result.stdout, "free: nothing touches\n")
        (line,) = json_lines(self.good("ccd", "--json", self.turnstile, "--to", "turn=-3.1", "--obstacle",
                                       self.post).stdout)
        self.assertEqual((line["verdict"], line["toi"], line["t_lo"], line["contacts"]), ("free", None, 1, 0))
        self.assertEqual((line["body_a"], line["body_b"], line["pairs"]), (None, None, 0))

    def test_the_time_of_impact_is_never_late(self):
        for frame in (0, 1):
            (line,) = json_lines(self.good("ccd", "arm", "--frame", frame, "--json", status=1).stdout)
            self.assertEqual(line["toi"], line["t_lo"])

    def test_a_tolerance_that_is_not_used_is_told(self):
        words = ["ccd", "--json", self.turnstile, "--to", "3.1", "--obstacle", self.post]
        plain = self.good(*words, status=1)
        self.assertRegex(plain.stderr, r"\Adent: notice: .*: 1 pairs of neighbouring links may touch and are not tested\n\Z")
        (line,) = json_lines(plain.stdout)
        zero = self.good(*words, "--tolerance", "0", status=1)
        self.assertIn("--tolerance 0 stands for the default, 1e-6 of the size of two bodies: %.3g was used"
                      % line["tolerance"], zero.stderr)
        fine = self.good(*words, "--tolerance", "1e-11", status=1)
        (line,) = json_lines(fine.stdout)
        self.assertGreater(line["tolerance"], 1e-11)
        self.assertIn("--tolerance 1e-11 is below the resolution at this size (2^-28 of it): %.3g was used"
                      % line["tolerance"], fine.stderr)
        coarse = self.good(*words, "--tolerance", "0.001", status=1)
        self.assertEqual((coarse.stderr, json_lines(coarse.stdout)[0]["tolerance"]), (plain.stderr, 0.001))
        text = self.good("ccd", "--help").stdout
        self.assertIn("pairs farther apart are no contact", text)
        self.assertNotIn("a pair no deeper counts as touching", text)

    def test_a_robot_without_joint_values_needs_none(self):
        box = "<collision><geometry><box size='0.4 0.4 0.4'/></geometry></collision>"
        path = self.write("still.urdf", "<robot><link name='a'>" + box + "</link><link name='b'/>" +
                          joint("j", "a", "b", kind="fixed") + "</robot>")
        self.assertEqual(self.good("ccd", path).stdout, "free: nothing touches\n")
        self.assertEqual(self.good("ccd", path, "--to", "", "--obstacle", self.post).stdout, "free: nothing touches\n")
        vertices, triangles = box_surface((0.1, 0.1, 0.1), (1, 1, 1))
        near = self.write("near.obj", obj(vertices, triangles))
        self.good("ccd", path, "--obstacle", near, status=1)
        self.assertIn("got 0 values; the robot has 1",
                      self.one_line_error("ccd", self.turnstile, "--to", ""))

    def test_a_whole_turn_is_not_no_turn(self):
        self.good("ccd", self.turnstile, "--to", "6.283185307179586", "--obstacle", self.post, status=1)
        self.good("ccd", self.turnstile, "--to", "0", "--obstacle", self.post)

    def test_a_start_that_touches_is_reported_as_such(self):
        result = self.good("ccd", self.turnstile, "--from", "1.55", "--to", "1.6", "--obstacle", self.post, status=1)
        self.assertIn("the start already touches, time 0: bodies 1 bar and 2 post", result.stdout.splitlines()[-1])
        (line,) = json_lines(self.good("ccd", "--json", self.turnstile, "--from", "1.55", "--to", "1.6", "--obstacle",
                                       self.post, status=1).stdout)
        self.assertEqual((line["t_lo"], line["start_touches"]), (0, True))

    def test_threads_and_instruction_sets_print_the_same(self):
        words = ["ccd", self.turnstile, "--to", "3.1", "--obstacle", self.post]
        expected = self.good(*words, status=1).stdout
        for more in (["--threads", "1"], ["--threads", "3"], ["--isa", "scalar"]):
            self.assertEqual(self.good(*words, *more, status=1).stdout, expected)

    def test_meshes_are_found_by_package_path_and_visuals_are_a_notice(self):
        folder = self.path("packages/parts/meshes")
        os.makedirs(folder)
        vertices, triangles = box_surface((0, -0.05, 0.4), (2, 0.1, 0.1))
        with open(os.path.join(folder, "bar.obj"), "w") as file:
            file.write(obj(vertices, triangles))
        shape = '<geometry><mesh filename="package://parts/meshes/%s"/></geometry>'
        text = ('<robot><link name="foot"/><link name="bar"><visual>' + shape % "none.dae" + "</visual><collision>" +
                shape % "bar.obj" +
                "</collision></link>" + joint("turn", "foot", "bar", '<axis xyz="0 0 1"/>', "continuous") + "</robot>")
        path = self.write("meshed.urdf", text)
        line = self.one_line_error("ccd", path, "--to", "3.1")
        self.assertIn("link 'bar': collision mesh package://parts/meshes/bar.obj is not there", line)
        result = self.good("ccd", path, "--to", "3.1", "--package-path", self.path("packages"), "--obstacle", self.post,
                           status=1)
        self.assertIn("1 visual mesh is not there (package://parts/meshes/none.dae)", result.stderr)
        result = self.good("ccd", path, "--to", "3.1", "--skip-missing", "--obstacle", self.post)
        self.assertIn("collision mesh package://parts/meshes/bar.obj is not there, and was left out", result.stderr)

    def test_info_lists_links_and_joints(self):
        lines = self.good("info", self.turnstile).stdout.splitlines()
        self.assertEqual(lines[0], self.turnstile + ": robot turnstile, 2 links, 1 joints, 1 joint values")
        self.assertIn("  link   bar: 8 vertices, 12 triangles, (0, -0.05, 0.45) to (2, 0.05, 0.55)", lines)
        self.assertIn("  joint  turn: revolute, foot -> bar, value 0, -7 ... 7", lines)
        (line,) = json_lines(self.good("info", "--json", self.turnstile).stdout)
        self.assertEqual(list(line), ["file", "robot", "values", "links", "joints"])
        self.assertEqual(line["joints"][0], {"name": "turn", "kind": "revolute", "parent": "foot", "child": "bar",
                                             "value": 0, "lower": -7, "upper": 7})

    def test_bad_values_are_one_clear_line(self):
        for words, expected in (
                ([], "ccd: give the joint values at the end: --to VALUES"),
                (["--to", "1,2"], "ccd: --to 1,2: give 1 numbers, or NAME=VALUE for some joints"),
                (["--to", "x"], "ccd: --to: 'x' is not a finite number"),
                (["--to", "nan"], "ccd: --to: 'nan' is not a finite number"),
                (["--to", "elbow=1"], "ccd: --to: there is no joint 'elbow'; dent info lists them"),
                (["--to", "turn="], "ccd: --to: '' is not a finite number"),
                (["--to", "8"], "ccd: joint 'turn': 8 is above its limit, 7"),
                (["--from", "-8", "--to", "0"], "ccd: joint 'turn': -8 is below its limit, -7"),
                (["--to", "2000", "--no-limits"], "ccd: joint 'turn' turns from 0 to 2000 radians, more than 1000"),
                (["--to", "1", "--frame", "2"],
                 "ccd: --frame, --to-frame, --scale, --set and --motion are for built-in scenes"),
                (["--to", "1", "--merge"], "ccd: --separation, --method, --merge and --no-self are for two frames"),
                (["--to", "1", "--obstacle", self.path("none.obj")],
                 self.path("none.obj") + ": cannot be opened: no such file"),
        ):
            with self.subTest(words=words):
                self.assertTrue(self.one_line_error("ccd", self.turnstile, *words).startswith(expected))
        self.good("ccd", self.turnstile, "--to", "8", "--no-limits")
        self.assertIn("give it alone", self.one_line_error("ccd", self.turnstile, self.post))
        self.assertIn("post.obj alone: give two frames", self.one_line_error("ccd", self.post))
        self.assertIn("are for a robot", self.one_line_error("ccd", self.post, self.post, "--to", "1"))

    def test_a_floating_joint_takes_translation_and_quaternion(self):
        box = "<collision><geometry><box size='0.2 0.2 0.2'/></geometry></collision>"
        path = self.write("free.urdf", "<robot><link name='ground'/><link name='box'>" + box + "</link>" +
                          joint("fly", "ground", "box", kind="floating") + "</robot>")
        self.good("ccd", path, "--to", "fly.1=3,fly.2=1", "--obstacle", self.post, status=1)
        self.good("ccd", path, "--to", "0,3,2,1,0,0,0", "--obstacle", self.post)
        self.assertEqual(self.one_line_error("ccd", path, "--to", "fly.3=0"),
                         "ccd: joint 'fly': its quaternion is zero")
        self.assertIn("has no value of that name", self.one_line_error("ccd", path, "--to", "fly.7=0"))

    def test_a_planar_joint_takes_two_ways_and_an_angle(self):
        box = "<collision><geometry><box size='0.2 0.2 0.2'/></geometry></collision>"
        path = self.write("cart.urdf", "<robot><link name='ground'/><link name='box'>" + box + "</link>" +
                          joint("drive", "ground", "box", "<origin xyz='0 0 0.5'/><axis xyz='0 0 1'/>", kind="planar") +
                          "</robot>")
        self.assertIn("drive: planar, ground -> box, values 0 to 2", self.good("info", path).stdout)
        self.good("ccd", path, "--to", "drive.1=3,drive.2=1", "--obstacle", self.post, status=1)
        self.good("ccd", path, "--to", "0,-3,1", "--obstacle", self.post)
        self.assertIn("has no value of that name", self.one_line_error("ccd", path, "--to", "drive.3=0"))

    def test_bad_robots_are_one_clear_line(self):
        for text, expected in (
                (robot(joint("j", "a", "b"), joint("k", "b", "c"), joint("l", "c", "a")),
                 "joints form a cycle: 'l', 'k', 'j'"),
                (robot(joint("j", "a", "b"), joint("k", "a", "c"), joint("l", "b", "c")),
                 "link 'c' is the child of two joints, 'k' and 'l': links form a tree, without cycles"),
                (robot(joint("j", "a", "b", '<limit lower="1" upper="-1"/>'), joint("k", "b", "c")),
                 "joint 'j': its limits are the wrong way round, lower 1 and upper -1"),
                (robot(joint("j", "a", "b", '<axis xyz="0 0 0"/>'), joint("k", "b", "c")),
                 "joint 'j': its axis is 0 0 0"),
                (robot(joint("j", "a", "b", kind="screw"), joint("k", "b", "c")), "joint 'j' is of type 'screw'"),
                (robot(joint("j", "a", "d")), "joint 'j' names link 'd', which does not exist"),
                ("<robot><link name='a'><collision><geometry><mesh filename='no.stl'/></geometry></collision></link>"
                 "</robot>",
                 "link 'a': collision mesh no.stl is not there"),
                ("<!DOCTYPE r [<!ENTITY a 'b'>]><robot/>", "no document types and no entities"),
                ("<robot", "not XML"),
                ("", "is empty"),
        ):
            with self.subTest(text=text):
                path = self.write("bad.urdf", text)
                for words in (["ccd", path, "--to", "0"], ["info", path]):
                    line = self.one_line_error(*words)
                    self.assertTrue(line.startswith(path), line)
                    self.assertIn(expected, line)


class Scenes(ToolTest):
    def test_what_no_frame_shows_is_found_between_them(self):
        for scene, frame, status in (("rod", 0, 1), ("rod", 8, 0), ("rings", 0, 1), ("rings", 1, 0), ("arm", 0, 1),
                                     ("arm", 9, 0), ("teapot", 0, 1), ("teapot", 10, 0)):
            with self.subTest(scene=scene, frame=frame):
                self.good("ccd", "--count", "--scale", "0.3", "--frame", frame, scene, status=status)
                for k in (frame, frame + 1):
                    shown = self.good("pairs", "--ask", "face-face", "--count", "--scale", "0.3", "--frame", k,
                                      scene).stdout
                    self.assertEqual(shown, "0\n")

    def test_straight_lines_miss_what_the_turning_rod_hits(self):
        for k in (0, 1):
            self.good("export", "rod", self.path("rod%d" % k), "--frame", k)
        frames = []
        for k in (0, 1):  # rod and wall of a frame in one file
            merged, offset = "", 0
            for name in ("rod", "wall"):
                with open(self.path("rod%d/%s.obj" % (k, name))) as file:
                    lines = file.read().splitlines()
                merged += "\n".join(line if not line.startswith("f ") else
                                    "f " + " ".join(str(int(word) + offset) for word in line.split()[1:])
                                    for line in lines) + "\n"
                offset += sum(line.startswith("v ") for line in lines)
            frames.append(self.write("frame%d.obj" % k, merged))
        self.assertEqual(self.good("ccd", *frames).stdout, "no impact\n")
        self.good("ccd", "rod", "--frame", "0", status=1)

    def test_a_screw_goes_another_way(self):
        answers = {self.good("ccd", "--count", "--motion", kind, "rings", status=1).stdout
                   for kind in ("constant", "screw")}
        self.assertEqual(len(answers), 2)

    def test_options_and_scenes_that_do_not_fit_are_refused(self):
        self.assertIn("are for robots (.urdf) and scenes of rigid bodies",
                      self.one_line_error("ccd", "v-self", "--motion", "screw"))
        self.assertIn("give it alone, with --frame K and --to-frame L", self.one_line_error("ccd", "v-self", "v-self"))
        self.assertIn("step by step: --to-frame 3 after --frame 2",
                      self.one_line_error("ccd", "rod", "--frame", "2", "--to-frame", "5"))
        self.assertIn("are for robots", self.one_line_error("ccd", "rod", "--to", "1"))
        self.assertIn("choose constant or screw", self.one_line_error("ccd", "rod", "--motion", "straight"))


class DeformingScenes(ToolTest):
    def test_two_frames_of_a_scene_are_those_of_its_exported_meshes(self):
        for k in (3, 9):
            self.good("export", "v-self", self.path("v%d" % k), "--frame", k, "--scale", "0.05")
        files = self.good("ccd", self.path("v3/V.mesh"), self.path("v9/V.mesh"), status=None).stdout
        scene = self.good("ccd", "v-self", "--scale", "0.05", "--frame", 3, "--to-frame", 9, status=None).stdout
        self.assertEqual(files, scene)
        one = self.good("ccd", "v-self", "--scale", "0.05", "--frame", 3, status=None).stdout
        self.assertEqual(one, self.good("ccd", "v-self", "--scale", "0.05", "--frame", 3, "--to-frame", 4,
                                        status=None).stdout)

    def test_a_simulated_scene_is_run_up_to_both_frames(self):
        (line,) = json_lines(self.good("ccd", "fold", "--scale", "0.1", "--frame", 2, "--to-frame", 4, "--json",
                                       status=None).stdout)
        self.assertEqual(list(line)[:4], ["pairs", "toi", "candidates", "ms"])
        self.assertIn("cannot be before --frame 4", self.one_line_error("ccd", "fold", "--scale", "0.1", "--frame", 4,
                                                                        "--to-frame", 2))


class Frames(ToolTest):
    """A frame that is not there is an error that says how many there are, in every command."""

    def test_frames_of_scenes(self):
        expected = "rod has 12 frames, 0 to 11: there is no frame 12"
        for words in (["ccd", "rod", "--frame", "12"], ["ccd", "rod", "--frame", "11"],
                      ["info", "rod", "--frame", "12"],
                      ["check", "rod", "--frame", "12"], ["pairs", "--ask", "face-face", "rod", "--frame", "12"],
                      ["export", "rod", self.path("out"), "--frame", "12"], ["bench", "rod", "--frame", "12"]):
            with self.subTest(words=words):
                self.assertIn(expected, self.one_line_error(*words))
        self.assertIn("v-self has 100 frames, 0 to 99: there is no frame 100",
                      self.one_line_error("ccd", "v-self", "--frame", "99"))
        self.assertIn("simulated for 90 frames after its beginning, frame 0: there is no frame 91",
                      self.one_line_error("info", "stack", "--scale", "0.1", "--frame", "91"))

    def test_frames_of_series(self):
        vertices, triangles = box_surface()
        for k in (3, 4):
            self.write("box_%02d.obj" % k, obj(vertices, triangles))
        self.assertIn("has 2 frames, numbered 3 to 4: there is none from 5 on",
                      self.one_line_error("bench", self.path("box_%02d.obj"), "--frame", "5", "--ask", "face-face"))


class Kit(DataTest):
    def test_the_arm_of_the_kit(self):
        path = os.path.join(DATA, "meshes", "robot-ur5e", "ur5e.urdf")
        result = self.good("ccd", path, "--from", "0,-1.5,0.5,0,0,0", "--to",
                           "elbow_joint=2.8,shoulder_lift_joint=-1.5", status=1)
        self.assertIn("upper_arm_link", result.stdout)
        self.assertIn("7 visual meshes are not there", result.stderr)
        self.good("ccd", path, "--to", "1,-1,1,0,1,0")
        self.assertIn("above its limit", self.one_line_error("ccd", path, "--to", "elbow_joint=4"))


if __name__ == "__main__":
    main()
