"""Robots in every command: joint values, neighbours that may touch, SRDF files, --allow."""
import csv
import json
import os
import struct
import xml.sax.saxutils

import tool_under_test as tool


def link(name, size):
    return ('<link name="%s"><collision><origin xyz="0 0 %g"/><geometry><box size="0.2 0.2 %g"/></geometry></collision>'
            '</link>' % (name, size / 2, size))


def arm():
    """Four links of length 1, joints about y: folded by 180 degrees, link 3 lies on link 1."""
    text = '<robot name="arm">' + "".join(link(name, 1) for name in ("base", "upper", "lower", "hand"))
    for child, parent in (("upper", "base"), ("lower", "upper"), ("hand", "lower")):
        text += ('<joint name="%s_joint" type="revolute"><parent link="%s"/><child link="%s"/><origin xyz="0 0 1"/>'
                 '<axis xyz="0 1 0"/><limit lower="-3.2" upper="3.2" effort="1" velocity="1"/></joint>'
                 % (child, parent, child))
    return text + "</robot>"


FOLDED = "lower_joint=3.1"

COLLADA = (
    '<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset>'
    '<unit meter="1" name="meter"/><up_axis>Y_UP</up_axis></asset><library_geometries><geometry id="g"><mesh>'
    '<source id="p"><float_array id="a" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array><technique_common>'
    '<accessor source="#a" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>'
    '<param name="Z" type="float"/></accessor></technique_common></source><vertices id="v">'
    '<input semantic="POSITION" source="#p"/></vertices><triangles count="4"><input semantic="VERTEX" '
    'source="#v" offset="0"/><p>0 2 1 0 1 3 1 2 3 2 0 3</p></triangles></mesh></geometry></library_geometries>'
    '<library_visual_scenes><visual_scene id="s"><node id="n"><instance_geometry url="#g"/></node></visual_scene>'
    '</library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>')


def glb():
    """A tetrahedron as binary glTF."""
    data = struct.pack("<12f", 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1) + struct.pack("<12H", 0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3)
    text = json.dumps({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]},
                      {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}],
        "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
        "buffers": [{"byteLength": 72}]}).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


class Robots(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.robot = self.write("arm.urdf", arm())

    def pairs(self, *arguments, status=None):
        result = self.good("check", "--json", self.robot, *arguments, status=status)
        lines = tool.json_lines(result.stdout)
        return [(pair["name_a"], pair["name_b"]) for pair in lines[:-1] if pair["verdict"] == "penetrating"], result

    def test_check_takes_a_robot_at_joint_values_and_says_that_neighbours_may_touch(self):
        pairs, result = self.pairs()
        self.assertEqual(pairs, [])
        self.assertIn("3 pairs of neighbouring links may touch", result.stderr)
        pairs, _ = self.pairs("--joints", FOLDED, status=1)
        self.assertEqual(pairs, [("base", "lower"), ("base", "hand"), ("upper", "hand")])

    def test_allowed_pairs_are_not_tested_in_any_command(self):
        joints = ("--joints", FOLDED)
        allow = ("--allow", "hand:base", "--allow", "base:lower", "--allow", "upper:hand")
        self.assertEqual(self.pairs(*joints, *allow)[0], [])
        pairs = ("pairs", "--ask", "face-face", "--count", self.robot, *joints)
        self.assertGreater(int(self.good(*pairs).stdout), 0)
        self.assertEqual(int(self.good(*pairs, *allow).stdout), 0)
        motion = ("ccd", self.robot, "--to", FOLDED, "--json")
        self.assertEqual(tool.json_lines(self.good(*motion, status=1).stdout)[0]["verdict"], "contact")
        self.assertEqual(tool.json_lines(self.good(*motion, *allow).stdout)[0]["verdict"], "free")

    def test_lines_of_pairs_and_ccd_end_with_the_names_of_the_links(self):
        links = ["base", "upper", "lower", "hand"]
        joints = ("--joints", FOLDED)
        for question in ("face-face", "proximity"):
            words = ("pairs", "--ask", question, self.robot, *joints) + (("--thickness", "0.01") if question == "proximity" else ())
            lines = self.good(*words).stdout.splitlines()
            self.assertGreater(len(lines), 0)
            for line in lines:
                columns, name_a, name_b = line.split("\t")
                numbers = columns.split(" ")
                self.assertEqual([name_a, name_b], [links[int(numbers[0])], links[int(numbers[2])]])
            self.assertEqual(tool.json_lines(self.good(*words, "--json").stdout)[0]["names"], links)
        lines = self.good("ccd", self.robot, "--to", FOLDED, status=1).stdout.splitlines()
        self.assertGreater(len(lines), 1)
        for line in lines[:-1]:
            columns, name_a, name_b = line.split("\t")
            numbers = columns.split(" ")
            self.assertEqual([name_a, name_b], [links[int(numbers[1])], links[int(numbers[3])]])

    def test_names_are_added_to_the_lines_of_any_model_on_demand(self):
        parts = [self.write(name + ".mesh", tool.medit(*tool.cube((x, 0.1, 0.1)))) for name, x in (("one", 0), ("the other", 0.5))]
        words = ("pairs", "--ask", "face-face", *parts)
        plain, named = self.good(*words).stdout, self.good(*words, "--names").stdout
        self.assertNotIn("\t", plain)
        self.assertGreater(len(plain.splitlines()), 0)
        self.assertEqual(named.splitlines(), [line + "\tone\tthe other" for line in plain.splitlines()])
        self.assertEqual(tool.json_lines(self.good(*words, "--json", "--names").stdout)[0]["names"], ["one", "the other"])
        self.assertNotIn("names", tool.json_lines(self.good(*words, "--json").stdout)[0])
        frames = [self.write("frame%d.mesh" % i, tool.medit(*tool.cube((x, 0, 0), (1, 1, 1)))) for i, x in enumerate((0, 0.5))]
        self.assertEqual(tool.json_lines(self.good("ccd", "--json", "--names", *frames, status=None).stdout)[0]["names"], ["frame0"])

    def test_collada_and_glb_meshes_of_links_are_read_through_assimp_where_it_was_found(self):
        self.write("part.dae", COLLADA)
        with open(self.path("part.glb"), "wb") as file:
            file.write(glb())
        shape = '<link name="%s"><collision><geometry><mesh filename="%s"/></geometry></collision></link>'
        robot = self.write("scanned.urdf", '<robot name="scanned">' + shape % ("dae link", "part.dae") +
                           shape % ("glb link", "part.glb") + '<joint name="j" type="fixed"><parent link="dae link"/>'
                           '<child link="glb link"/><origin xyz="5 0 0"/></joint></robot>')
        result = tool.run("info", "--json", self.path("part.glb"))
        if result.returncode != 0:
            self.assertIn("unknown format", result.stderr)
            self.assertIn("unknown format", self.one_line_error("info", robot))
            print("built without Assimp")
            return
        line = tool.json_lines(result.stdout)[0]
        self.assertEqual((line["vertices"], line["faces"], line["hi_x"]), (4, 4, 1))
        for command in (("info", "--json"), ("check", "--json")):
            self.assertGreater(len(tool.json_lines(self.good(*command, robot).stdout)), 0)
        self.good("pairs", "--ask", "face-face", robot)
        self.good("run", robot, "--to", "", "--frames", "2", status=None)
        whole = glb()
        for size in (0, 4, 12, 20, len(whole) // 2, len(whole) - 1):
            with open(self.path("part.glb"), "wb") as file:
                file.write(whole[:size])
            self.one_line_error("info", self.path("part.glb"))
            self.one_line_error("check", robot)

    def test_allow_takes_bodies_of_any_file(self):
        parts = [self.write("%s.mesh" % name, tool.medit(*tool.cube((x, 0, 0)))) for name, x in (("one", 0), ("two", 0.5))]
        self.assertEqual(tool.run("check", *parts).returncode, 1)
        self.assertEqual(tool.run("check", "--allow", "one:two", *parts).returncode, 0)

    def test_the_srdf_beside_the_robot_is_used_and_another_one_instead_of_it(self):
        self.write("arm.srdf", '<robot name="arm"><disable_collisions link1="hand" link2="base" reason="Never"/>'
                               '<disable_collisions link1="gone" link2="base"/></robot>')
        pairs, result = self.pairs("--joints", FOLDED, status=1)
        self.assertEqual(pairs, [("base", "lower"), ("upper", "hand")])
        self.assertIn("1 more pairs of links may touch", result.stderr)
        self.assertIn("the first is 'gone'", result.stderr)
        other = self.write("other.srdf", '<robot><disable_default_collisions link="base"/></robot>')
        self.assertEqual(self.pairs("--joints", FOLDED, "--srdf", other, status=1)[0], [("upper", "hand")])

    def test_a_bad_srdf_file_is_one_line_of_error_in_every_command(self):
        good = '<robot name="arm"><disable_collisions link1="hand" link2="base"/></robot>'
        for text in ("", good[:40], good.replace("robot", "rob"), good[:30] + "\0", "<a>" * 1000):
            bad = self.write("bad.srdf", text)
            for words in (("check",), ("pairs", "--ask", "face-face"), ("ccd", "--to", FOLDED), ("run", "--to", FOLDED)):
                self.assertIn("bad.srdf", self.one_line_error(words[0], self.robot, *words[1:], "--srdf", bad))

    def test_names_that_are_markup_stay_text_in_every_report(self):
        names = ["a b", "\u00fc,\u00e9", 'q"uote', "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>"]
        parts = "".join(link(xml.sax.saxutils.quoteattr(name)[1:-1].replace('"', "&quot;"), 1) for name in names)
        joints = "".join('<joint name="j%d" type="revolute"><parent link="a b"/><child link="%s"/><axis xyz="0 0 1"/>'
                         '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
                         % (i, xml.sax.saxutils.quoteattr(name)[1:-1].replace('"', "&quot;"))
                         for i, name in enumerate(names[1:]))
        robot = self.write("names.urdf", '<robot name="names">' + parts + joints + "</robot>")
        page, table = self.path("names.html"), self.path("names.csv")
        self.good("check", robot, "--html", page, "--csv", table, status=1)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        for name in names[3:]:
            self.assertNotIn(name, text)
        with open(table, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({row["name_a"] for row in rows} | {row["name_b"] for row in rows}, set(names[1:]))

    def test_run_moves_the_joints_and_checks_every_frame(self):
        words = ("run", self.robot, "--to", FOLDED, "--frames", "4")
        frames = tool.json_lines(self.good(*words, "--json").stdout)
        self.assertEqual([frame["frame"] for frame in frames], [0, 1, 2, 3, 4])
        self.assertEqual((frames[0]["contacts"], frames[4]["contacts"]), (0, 3))
        self.assertEqual((frames[4]["time"], frames[4]["kinetic"]), (1, None))
        last = tool.json_lines(self.good("check", "--json", self.robot, "--joints", FOLDED, status=1).stdout)[-1]
        self.assertEqual(frames[4]["max_penetration"], last["max_depth"])
        text = self.good(*words, "-o", self.path("motion")).stdout
        self.assertIn("links penetrate in 1 of 5 frames", text.splitlines()[-1])
        self.assertEqual(len(os.listdir(self.path("motion_frames"))), 5 * 4)
        with open(self.path("motion.pvd")) as file:
            self.assertEqual(file.read().count("<DataSet"), 20)
        self.assertIn("are for robots", self.one_line_error("run", "stack", "--to", "1"))
        self.assertIn("for scenes", self.one_line_error("run", self.robot, "--to", FOLDED, "--scale", "2"))

    def test_run_without_an_end_lets_the_robot_move_under_gravity(self):
        words = ("run", self.robot, "--from", "upper_joint=0.3", "--frames", "10", "--json")
        frames = tool.json_lines(self.good(*words).stdout)
        self.assertEqual([frame["frame"] for frame in frames][:10], list(range(1, 11)))
        self.assertGreater(frames[9]["kinetic"], 0)
        self.assertEqual([line.get("kinetic") for line in frames],
                         [line.get("kinetic") for line in tool.json_lines(self.good(*words, "--threads", "1").stdout)])
        self.assertIn("need --to", self.one_line_error("run", self.robot, "--obstacle", "x.obj"))
        self.assertIn("not for robots", self.one_line_error("run", self.robot, "--scale", "2"))
        self.assertIn("A:B", self.one_line_error("run", self.robot, "--allow", "hand:foot"))

    def test_info_gives_bounds_at_the_joint_values(self):
        lines = tool.json_lines(self.good("info", "--json", self.robot, "--joints", "upper_joint=1.5707963267948966").stdout)
        hand = [entry for entry in lines[0]["links"] if entry["name"] == "hand"][0]
        self.assertAlmostEqual(hand["lo_x"], 2, places=12)
        self.assertAlmostEqual(hand["hi_x"], 3, places=12)

    def test_robots_stand_among_meshes_and_series(self):
        wall = self.write("wall_0.mesh", tool.medit(*tool.cube((0, 0, 3.5))))
        self.write("wall_1.mesh", tool.medit(*tool.cube((0, 0, 5))))
        self.assertEqual(tool.run("check", self.robot, wall).returncode, 1)
        lines = tool.json_lines(self.good("check", "--json", self.path("wall_%d.mesh"), self.robot, status=1).stdout)
        self.assertEqual([line["pairs_penetrating"] for line in lines[:-1]], [1, 0])

    def test_mistakes_are_one_line_that_names_what_is_wrong(self):
        cube = self.write("cube.mesh", tool.medit(*tool.cube((0, 0, 0))))
        broken = self.write("broken.srdf", "<robot>")
        for arguments, words in (
                (("check", self.robot, "--joints", "elbow=1"), "there is no joint 'elbow'"),
                (("check", self.robot, "--joints", "1,2"), "got 2 values; the robot has 3"),
                (("check", self.robot, "--joints", "lower_joint=4"), "lower_joint"),
                (("check", cube, "--joints", "1"), "no .urdf file"),
                (("pairs", "--ask", "face-face", cube, "--srdf", broken), "no .urdf file"),
                (("check", self.robot, "--srdf", broken), "broken.srdf:1: the file ends within <robot>"),
                (("check", self.robot, "--allow", "hand"), "A:B"),
                (("ccd", self.robot, "--to", "0,0,0", "--allow", "hnd:base"), "did you mean hand?")):
            with self.subTest(arguments=arguments[1:]):
                result = tool.run(*arguments)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                errors = [line for line in result.stderr.splitlines() if not line.startswith("dent: notice: ")]
                self.assertEqual(len(errors), 1, result.stderr)
                self.assertIn(words, errors[0])
        self.good("check", self.robot, "--joints", "lower_joint=6", "--no-limits", status=None)


class RobotOfTheKit(tool.DataTest):
    def test_the_ur5e_goes_through_every_command(self):
        robot = os.path.join(tool.DATA, "meshes", "robot-ur5e", "ur5e.urdf")
        self.assertIn("wrist_2_link", self.good("info", robot).stdout)
        self.good("check", robot)
        folded = ("--joints", "elbow_joint=3")
        lines = tool.json_lines(self.good("check", "--json", robot, *folded, status=1).stdout)
        names = {(pair["name_a"], pair["name_b"]) for pair in lines[:-1]}
        self.assertIn(("upper_arm_link", "wrist_2_link"), names)
        self.assertGreater(int(self.good("pairs", "--ask", "face-face", "--count", robot, *folded).stdout), 100)
        frames = tool.json_lines(self.good("run", robot, "--to", "elbow_joint=3", "--frames", "3", "--json").stdout)
        self.assertEqual((len(frames), frames[3]["max_penetration"]), (4, lines[-1]["max_depth"]))
        self.assertIn("base_link_inertia", self.good("ccd", robot, "--to", "elbow_joint=3.1", "--count", status=1).stdout)


if __name__ == "__main__":
    tool.main()
