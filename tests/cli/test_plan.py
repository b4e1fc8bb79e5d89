"""dent plan: paths, verdicts, files, bad input."""
import csv
import os

from tool_under_test import DATA, DataTest, ToolTest, box_surface, json_lines, main, obj, run

# A bar that turns about z and slides along it.
LIFT = """<robot name="lift">
  <link name="foot"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <link name="car"/>
  <link name="bar"><collision><origin xyz="1 0 0.5"/><geometry><box size="2 0.1 0.1"/></geometry></collision></link>
  <link name="hand"><collision><origin xyz="0 0 0.2"/><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <joint name="slide" type="prismatic">
    <parent link="foot"/><child link="car"/><axis xyz="0 0 1"/><limit lower="0" upper="3" effort="1" velocity="1"/>
  </joint>
  <joint name="turn" type="revolute">
    <parent link="car"/><child link="bar"/><axis xyz="0 0 1"/><limit lower="-2" upper="4" effort="1" velocity="1"/>
  </joint>
  <joint name="wrist" type="revolute">
    <parent link="bar"/><child link="hand"/><origin xyz="2 0 0.5"/><axis xyz="1 0 0"/>
    <mimic joint="turn" multiplier="0.5"/><limit lower="-1" upper="2" effort="1" velocity="1"/>
  </joint>
</robot>
"""


class Paths(ToolTest):
    def setUp(self):
        super().setUp()
        self.lift = self.write("lift.urdf", LIFT)
        if "made without expat" in run("info", self.lift).stderr:
            self.skipTest("this build cannot read URDF: it was made without expat")
        vertices, triangles = box_surface((-0.1, 1.4, -1), (0.2, 0.2, 2.5))
        self.post = self.write("post.obj", obj(vertices, triangles))

    def plan(self, *words, status=0):
        return self.good("plan", self.lift, "--obstacle", self.post, "--to", "turn=3.1", *words, status=status)

    def edges_are_free(self, waypoints):
        for a, b in zip(waypoints, waypoints[1:]):
            self.good("ccd", self.lift, "--obstacle", self.post, "--from", a, "--to", b)

    def test_a_bar_is_lifted_over_a_post(self):
        result = self.plan()
        *waypoints, last = result.stdout.splitlines()
        self.assertRegex(last, r"^found: \d+ waypoints, length \d")
        self.assertGreater(len(waypoints), 2)
        self.assertEqual([float(v) for v in waypoints[0].split(",")], [0, 0])
        self.assertEqual([float(v) for v in waypoints[-1].split(",")], [0, 3.1])
        self.assertGreater(max(float(w.split(",")[0]) for w in waypoints), 0.9)
        self.edges_are_free(waypoints)

    def test_json_has_the_keys_and_nothing_depends_on_threads(self):
        lines = []
        for threads in ("1", "2", "7"):
            (line,) = json_lines(self.plan("--json", "--threads", threads, "--seed", "5").stdout)
            self.assertEqual(list(line)[:5], ["verdict", "waypoints", "length", "edges", "ms"])
            self.assertEqual(line["verdict"], "found")
            del line["ms"], line["ms_to_first"]
            lines.append(line)
        self.assertEqual(lines[0], lines[1])
        self.assertEqual(lines[0], lines[2])
        paths = [self.plan("--threads", threads, "--seed", "5").stdout.splitlines()[:-1] for threads in ("1", "7")]
        self.assertEqual(*paths)

    def test_the_largest_seed_and_budget_are_numbers_like_others(self):
        most = str(2 ** 64 - 1)
        for words in (("--seed", most), ("--budget", most), ("--seed", "0")):
            (line,) = json_lines(self.plan("--json", *words).stdout)
            self.assertEqual(line["verdict"], "found")

    def test_roadmap_finds_a_path_too(self):
        *waypoints, _ = self.plan("--method", "roadmap").stdout.splitlines()
        self.edges_are_free(waypoints)

    def test_path_as_table_and_animation(self):
        out = self.path("path")
        *waypoints, _ = self.plan("-o", out).stdout.splitlines()
        with open(out + ".csv", newline="") as file:
            head, *rows = csv.reader(file)
        self.assertEqual(head, ["slide", "turn"])
        self.assertEqual([",".join(row) for row in rows], waypoints)
        with open(out + ".pvd") as file:
            text = file.read()
        frames = sorted(os.listdir(out + "_frames"))
        self.assertIn("bodies.txt", frames)
        self.assertEqual(text.count("<DataSet"), len(frames) - 1)
        self.assertGreater(len(frames), 50)
        last = os.path.join(out + "_frames", frames[-1])
        self.assertIn("surface", self.good("info", last).stdout)
        os.remove(out + ".csv")
        self.plan("-o", out + ".pvd")
        self.assertFalse(os.path.exists(out + ".csv"))

    def test_contacts_at_the_ends_name_the_pair(self):
        result = self.plan("--from", "turn=1.57", status=2)
        self.assertIn("at the start 'bar' and 'post' touch or overlap", result.stderr)
        result = self.good("plan", self.lift, "--obstacle", self.post, "--to", "turn=1.57", "--json", status=2)
        (line,) = json_lines(result.stdout)
        self.assertEqual((line["verdict"], line["body_a"], line["body_b"]), ("goal_contact", "bar", "post"))
        result = self.plan("--from", "turn=1.57", "--allow", "bar:post", "--allow", "post:hand")
        self.assertIn("found: 2 waypoints", result.stdout)

    def test_no_path_within_the_budget(self):
        vertices, triangles = box_surface((-0.1, 1.4, -1), (0.2, 0.2, 9))
        tower = self.write("tower.obj", obj(vertices, triangles))
        result = self.good("plan", self.lift, "--obstacle", tower, "--to", "turn=3.1", "--budget", "200", "--json",
                           status=2)
        (line,) = json_lines(result.stdout)
        self.assertEqual((line["verdict"], line["edges"], line["waypoints"]), ("not_found", 200, 0))
        self.assertIn("no path found in 200 edge tests", result.stderr)

    def test_bad_input_is_named(self):
        for words, complaint in (
                (("--to", "elbow=1"), "plan: --to: there is no joint 'elbow'"),
                (("--to", "turn=5"), "joint 'turn': 5 is above its limit, 4"),
                (("--to", "turn=-1.99,slide=1", "--from", "turn=nan"), "'nan' is not a finite number"),
                (("--to", "1"), "got 1 values; the robot has 2"),
                (("--to", "1,"), "plan: --to: '' is not a finite number"),
                (("--to", "turn=1,"), "give 2 numbers, or NAME=VALUE for some joints"),
                (("--to", "turn=1,slide=1,turn=2"), "plan: --to: joint 'turn' is given twice"),
                (("--to", "turn=1,turn.0=2"), "plan: --to: joint 'turn' is given twice"),
                (("--to", "1,1", "--budget", "18446744073709551616"), "give a whole number from 1 to 2^64 - 1"),
                (("--to", "1,1", "--seed", "-1"), "give a whole number from 0 to 2^64 - 1"),
                (("--to", "1,1", "--allow", "bar"), "plan: --allow 'bar': give two names of bodies or links, A:B"),
                (("--to", "1,1", "--allow", "bar:nobody"), "there is no link or obstacle 'nobody'"),
                (("--to", "1,1", "--obstacle", "missing.obj"), "missing.obj"),
                (("--to", "1,1", "-o", "path.obj"), "this writes .csv and .pvd, not .obj"),
                (("--to", "1,1", "--method", "guess"), "--method"),
                (("--to", "1,1", "--budget", "0"), "--budget"),
                ((), "plan: give the joint values at the end: --to VALUES")):
            result = run("plan", self.lift, *words)
            self.assertEqual(result.returncode, 2, words)
            self.assertIn(complaint, result.stderr)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertIn("is no scene with a linkage", run("plan", "teapot").stderr)
        self.assertIn("no built-in scene", run("plan", "nothing").stderr)

    def test_scenes_begin_and_end_with_their_frames(self):
        for scene in ("arm", "shelf", "piano"):
            (line,) = json_lines(self.good("plan", scene, "--scale", "0.1", "--json").stdout)
            self.assertEqual(line["verdict"], "found", scene)
            self.assertGreater(line["waypoints"], 2, scene)

    def test_a_start_that_is_the_goal_is_a_path(self):
        (line,) = json_lines(self.good("plan", "arm", "--json", "--from", "0,0,0,0,0,0", "--to", "0,0,0,0,0,0").stdout)
        self.assertEqual((line["verdict"], line["waypoints"], line["length"]), ("found", 2, 0))


class RobotOfTheKit(DataTest):
    def test_the_kit_robot_finds_a_path_past_a_box(self):
        vertices, triangles = box_surface((0.5, 0.5, 1.0), (0.2, 0.2, 0.2))
        box = self.write("box.obj", obj(vertices, triangles))
        robot = os.path.join(DATA, "meshes", "robot-ur5e", "ur5e.urdf")
        (line,) = json_lines(self.good("plan", robot, "--obstacle", box, "--json", "--from", "0,-1.57,0,-1.57,0,0", "--to",
                                       "3,-1,2.5,-1.57,0,0.5").stdout)
        self.assertEqual(line["verdict"], "found")
        self.assertGreaterEqual(line["length"], 3)

    def test_the_kit_robot_reaches_from_one_compartment_of_a_shelf_into_the_other(self):
        boards = (((0.42, -0.47, 0.02), (0.44, 0.94, 0.03)), ((0.42, -0.47, 0.42), (0.44, 0.94, 0.03)),
                  ((0.42, -0.47, 0.8), (0.44, 0.94, 0.03)), ((0.43, -0.47, 0.025), (0.42, 0.03, 0.8)),
                  ((0.43, 0.44, 0.025), (0.42, 0.03, 0.8)), ((0.835, -0.46, 0.025), (0.03, 0.92, 0.8)))
        words = [os.path.join(DATA, "meshes", "robot-ur5e", "ur5e.urdf")]
        for number, (low, size) in enumerate(boards):
            words += ["--obstacle", self.write("board%d.obj" % number, obj(*box_surface(low, size)))]
        low, high = "-0.38,-1.25,1.98,-1.49,0.63,0", "-0.41,-1.47,1.6,-2.11,0.09,0"
        self.good("ccd", *words, "--from", low, "--to", high, status=1)  # a board is in the way
        result = self.good("plan", *words, "--from", low, "--to", high)
        *waypoints, last = result.stdout.splitlines()
        self.assertRegex(last, "^found: ")
        self.assertEqual([float(v) for v in waypoints[-1].split(",")], [float(v) for v in high.split(",")])
        for a, b in zip(waypoints, waypoints[1:]):
            self.good("ccd", *words, "--from", a, "--to", b)


if __name__ == "__main__":
    main()
