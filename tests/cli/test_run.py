"""dent run: frames, JSON lines, the animation, checkpoints, bad scene files, Ctrl-C, a full disk."""
import json
import os
import re
import resource
import signal
import subprocess
import time

import tool_under_test as tool

SMALL = ("cloth-sphere", "--scale", "0.1")
KEYS = ["frame", "time", "contacts", "max_penetration", "kinetic", "elastic", "outer_work", "residual", "stiffness",
        "ms_detect", "ms_respond", "ms_total"]

SCENE = {
    "dent_scene": 1,
    "name": "two",
    "time_step": "8 ms",
    "frames": 3,
    "bodies": [
        {"name": "ground", "kind": "prescribed", "move": [0, 0, -0.5],
         "generate": {"shape": "box", "size": [2, 2, 1], "cells": [2, 2, 1]}},
        {"name": "block", "kind": "solid", "move": [0, 0, 0.51],
         "generate": {"shape": "box", "size": [1, 1, 1], "cells": [2, 2, 2]}},
    ],
}

# kind -> (how the text of the scene is changed, what the message must say)
BAD_FILES = {
    "empty": (lambda text: "", r"scene\.json:1:\d+: "),
    "not JSON": (lambda text: "bodies: 3", r"scene\.json:1:\d+: .*expected"),
    "cut short": (lambda text: text[:100], r"scene\.json:\d+:\d+: .*"),
    "a comma missing": (lambda text: text.replace('1,\n "name"', '1\n "name"'), r"scene\.json:3:\d+: .*expected"),
    "a key twice": (lambda text: text.replace('"name": "two"', '"dent_scene": 1'),
                    r"scene\.json:3:\d+: each key may stand once only"),
    "another version": (lambda text: text.replace('"dent_scene": 1', '"dent_scene": 9'),
                        r"scene\.json:2:16: .*from 1 to 1 was expected"),
    "an unknown key": (lambda text: text.replace('"frames"', '"frame"'),
                       r'scene\.json:5:2: a scene has no key "frame"; did you mean "frames"\?'),
    "a wrong type": (lambda text: text.replace('"frames": 3', '"frames": "many"'),
                     r"scene\.json:5:12: .*a whole number from 1 to 100000 was expected"),
    "a count too large": (lambda text: text.replace('"frames": 3', '"frames": 3000000'),
                          r"scene\.json:5:12: .*was expected, not 3000000"),
    "a wrong unit": (lambda text: text.replace("8 ms", "8 mm"),
                     r"scene\.json:4:15: .*a time such as \"10 ms\" was expected; \"8 mm\" is a length"),
    "an unknown unit": (lambda text: text.replace("8 ms", "8 moons"), r"scene\.json:4:15: .*\"moons\" is no unit"),
    "a time that is not positive": (lambda text: text.replace('"8 ms"', "-1"),
                                    r"scene\.json:4:15: .*above 0, from 1e-09 to 10 s, was expected, not -1"),
    "an unknown kind of body": (lambda text: text.replace('"solid"', '"liquid"'),
                                r"scene\.json:\d+:\d+: .*\"liquid\" is not known here"),
    "a body without a mesh": (lambda text: text.replace('"generate"', '"about"'),
                              r"scene\.json:\d+:\d+: a body has no key \"about\""),
    "an unknown shape": (lambda text: text.replace('"shape": "box"', '"shape": "torus"'),
                         r"scene\.json:\d+:\d+: .*expected one of box, sphere, capsule, sheet"),
    "a vector of two": (lambda text: text.replace('"cells": [\n     2,\n     2,\n     2\n',
                                                  '"cells": [\n     2,\n     2\n'),
                        r"3 whole numbers were expected, not 2"),
    "a name twice": (lambda text: text.replace('"block"', '"ground"'),
                     r"scene\.json:\d+:\d+: a name of its own was expected"),
    "a material nobody described": (lambda text: text.replace('"kind": "solid"', '"kind": "solid", "material": "gum"'),
                                    r"none is called \"gum\""),
    "a mesh file that is not there": (
        lambda text: text.replace('"kind": "solid"', '"kind": "solid", "mesh": "gone.mesh"')
        .replace('"generate": {\n    "shape": "box",\n    "size": [\n     1,', '"unused": {'),
        r"scene\.json:\d+:\d+: "),
    "a list instead of an object": (lambda text: "[" + text + "]", r"scene\.json:1:1: a scene was expected"),
    "no bodies": (lambda text: text.replace('"bodies"', '"attachments"'),
                  r"scene\.json:1:1: a scene needs the key \"bodies\""),
    "text after the end": (lambda text: text + "}", r"scene\.json:\d+:\d+: end of file expected"),
    "bytes that are not UTF-8": (lambda text: text.replace("two", "tw\udcff"),
                                 r"scene\.json:3:\d+: UTF-8 was expected"),
}


class Run(tool.ToolTest):
    def scene(self, change=lambda text: text):
        text = change(json.dumps(SCENE, indent=1))
        return self.write("scene.json", text.encode("utf-8", "surrogateescape"))

    def frames_of(self, pvd):
        with open(pvd, encoding="utf-8") as file:
            text = file.read()
        return re.findall(r'timestep="([^"]*)" part="(\d)" file="([^"]*)"', text)

    # ---- what is printed ------------------------------------------------------------------------------------------

    def test_json_has_a_line_per_frame_with_the_promised_keys(self):
        lines = tool.json_lines(self.good("run", *SMALL, "--frames", "4", "--json").stdout)
        self.assertEqual([line["frame"] for line in lines], [1, 2, 3, 4])
        for line in lines:
            self.assertEqual(list(line), KEYS)
            self.assertLessEqual(line["ms_detect"] + line["ms_respond"], line["ms_total"] + 1e-6)
        self.assertAlmostEqual(lines[3]["time"], 4 * lines[0]["time"], places=12)

    def test_text_ends_with_who_met_whom(self):
        text = self.good("run", *SMALL, "--frames", "8").stdout
        self.assertIn("ball - cloth", text)
        self.assertIn("largest push", text)
        self.assertRegex(text, r"detection \d+ %, response \d+ %, elasticity \d+ %")

    def test_the_depth_of_an_overlap_is_told(self):
        deep = json.loads(json.dumps(SCENE))
        deep["gravity"] = [0, 0, 0]
        deep["bodies"][0]["generate"]["cells"] = [1, 1, 1]  # no vertex of it in the block: depths below a plane, exact
        deep["bodies"][1]["move"] = [0.13, 0.07, 0.47]  # the block's lower side is 0.03 below the ground's upper side
        path = self.write("deep.json", json.dumps(deep))
        lines = tool.json_lines(self.good("run", path, "--frames", "3", "--json").stdout)
        self.assertAlmostEqual(lines[0]["max_penetration"], 0.03, places=9)
        self.assertLess(lines[2]["max_penetration"], 0.01)  # by then it is pushed out
        self.assertRegex(self.good("run", path, "--frames", "3").stdout, r"largest push: 0\.03 m, ")
        apart = tool.json_lines(self.good("run", self.scene(), "--json").stdout)
        self.assertEqual([line["max_penetration"] for line in apart], [0, 0, 0])

    def test_numbers_do_not_depend_on_threads(self):
        def physics(*options):
            lines = tool.json_lines(self.good("run", *SMALL, "--frames", "6", "--json", *options).stdout)
            return [[line[key] for key in KEYS[:6]] for line in lines]
        one = physics("--threads", "1")
        self.assertEqual(one, physics("--threads", "4"))
        self.assertEqual(one, physics("--isa", "scalar"))
        self.assertGreater(one[-1][2], 0)

    def test_scenes_lists_what_run_takes(self):
        names = [line["name"] for line in tool.json_lines(self.good("scenes", "--json").stdout) if line["simulated"]]
        for name in ("jaw", "jaw-real", "knee", "stack", "v-shapes", "vessels", "fold", "cloth-sphere", "sheet-fold",
                     "cloth-between", "tissue", "box-stack", "newton-cradle", "peg-in-hole", "arm-table", "ur5e-table",
                     "two-chains"):
            self.assertIn(name, names)

    def test_unknown_scenes_and_parameters_are_one_line(self):
        self.assertIn("no simulated scene is named 'teschner-a'", self.one_line_error("run", "teschner-a"))
        self.assertIn("no parameter 'colour'", self.one_line_error("run", "stack", "--set", "colour=3"))
        self.assertIn("is not within", self.one_line_error("run", "stack", "--set", "blocks=1000"))
        self.assertIn("give a whole number", self.one_line_error("run", "stack", "--frames", "0"))

    def test_jaw_real_without_the_kit_says_so(self):
        environment = {key: value for key, value in tool.ENVIRONMENT.items() if key != "DENT_DATA"}
        result = subprocess.run([tool.TOOL, "run", "jaw-real"], capture_output=True, text=True, env=environment)
        self.assertEqual(result.returncode, 2)
        self.assertIn("needs the data kit", result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1)

    # ---- the animation --------------------------------------------------------------------------------------------

    def test_the_collection_lists_every_frame_and_every_file_is_there(self):
        out = self.path("a")
        self.good("run", *SMALL, "--frames", "3", "-o", out)
        entries = self.frames_of(out + ".pvd")
        self.assertEqual(len({time for time, _, _ in entries}), 4)
        self.assertEqual(len(entries), 8)
        for _, _, name in entries:
            self.assertTrue(os.path.isfile(os.path.join(self.folder, name)), name)
        self.assertEqual([name for name in os.listdir(out + "_frames") if name.startswith(".")], [])

    def test_resuming_gives_the_same_bits(self):
        self.good("run", *SMALL, "--frames", "6", "-o", self.path("whole.pvd"))
        self.good("run", *SMALL, "--frames", "3", "-o", self.path("parts.pvd"), "--checkpoint", self.path("c"))
        self.good("run", *SMALL, "--frames", "6", "-o", self.path("parts.pvd"), "--resume", self.path("c"),
                  "--checkpoint", self.path("c"), "--threads", "3")
        names = sorted(os.listdir(self.path("whole_frames")))
        self.assertEqual(names, sorted(os.listdir(self.path("parts_frames"))))
        for name in names:
            with open(self.path("whole_frames/" + name), "rb") as a, open(self.path("parts_frames/" + name), "rb") as b:
                self.assertEqual(a.read(), b.read(), name)
        self.assertEqual([entry[0] for entry in self.frames_of(self.path("whole.pvd"))],
                         [entry[0] for entry in self.frames_of(self.path("parts.pvd"))])

    def test_a_checkpoint_of_something_else_is_refused(self):
        self.good("run", *SMALL, "--frames", "1", "--checkpoint", self.path("c"))
        self.assertIn("another simulation", self.one_line_error("run", "cloth-sphere", "--scale", "0.2", "--resume",
                                                                self.path("c")))
        self.assertIn("of the scene 'cloth-sphere'", self.one_line_error("run", "stack", "--resume", self.path("c")))
        self.assertIn("--resume", self.one_line_error("run", *SMALL, "--resume", self.path("missing")))
        self.assertIn("simulated already", self.one_line_error("run", *SMALL, "--frames", "1", "--resume",
                                                               self.path("c")))
        with open(self.path("c"), "rb") as file:
            data = file.read()
        for kind, changed in (("cut", data[:len(data) // 2]),
                              ("flipped", data[:300] + bytes([data[300] ^ 1]) + data[301:]),
                              ("empty", b""), ("text", b"hello")):
            with self.subTest(kind=kind):
                self.write("bad", changed)
                self.assertIn("--resume", self.one_line_error("run", *SMALL, "--resume", self.path("bad")))

    # ---- scene files ----------------------------------------------------------------------------------------------

    def test_a_scene_file_runs(self):
        scene = self.scene()
        lines = tool.json_lines(self.good("run", scene, "--json").stdout)
        self.assertEqual(len(lines), 3)
        self.assertAlmostEqual(lines[0]["time"], 0.008, places=15)

    def test_the_examples_run(self):
        folder = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "scenes")
        examples = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
        self.assertGreaterEqual(len(examples), 3)
        for name in examples:
            with self.subTest(example=name):
                self.good("run", os.path.join(folder, name), "--frames", "2")

    def test_frames_of_solids_carry_their_stress(self):
        scene = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "scenes", "materials.json")
        self.good("run", scene, "--frames", "1", "-o", self.path("stress"))
        with open(self.path("stress_frames/frame_000001_solids.vtu"), "rb") as file:
            head = file.read().split(b"<AppendedData")[0].decode()
        for name, components in (("stress_von_mises", 1), ("stress_principal", 3), ("stress", 6),
                                 ("strain_principal", 3), ("strain", 6), ("plastic_strain", 1)):
            self.assertIn(f'Name="{name}" NumberOfComponents="{components}"', head)

    def test_mesh_files_are_looked_for_beside_the_scene(self):
        self.write("cube.mesh", tool.medit(*tool.cube()))
        scene = dict(SCENE, bodies=[dict(SCENE["bodies"][1])])
        del scene["bodies"][0]["generate"]
        scene["bodies"][0]["mesh"] = "cube.mesh"
        self.good("run", self.write("with_mesh.json", json.dumps(scene)), "--frames", "1")

    def test_bad_scene_files_name_line_column_and_what_was_expected(self):
        good = json.dumps(SCENE, indent=1)
        self.assertGreaterEqual(len(BAD_FILES), 20)
        for kind, (change, expected) in BAD_FILES.items():
            with self.subTest(kind=kind):
                self.assertNotEqual(change(good), good, "the change does nothing")
                path = self.scene(change)
                before = sorted(os.listdir(self.folder))
                message = self.one_line_error("run", path, "-o", self.path("out"), "--checkpoint", self.path("state"))
                self.assertRegex(message, expected)
                self.assertEqual(sorted(os.listdir(self.folder)), before, "something was written")

    def test_a_scene_file_takes_no_parameters(self):
        self.assertIn("no scale and no parameters", self.one_line_error("run", self.scene(), "--scale", "2"))
        self.assertIn("cannot be read", self.one_line_error("run", self.path("missing.json")))

    # ---- ends before the end --------------------------------------------------------------------------------------

    def test_ctrl_c_keeps_what_is_finished(self):
        out = self.path("long")
        process = subprocess.Popen([tool.TOOL, "run", *SMALL, "--frames", "100000", "-o", out, "--json"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=tool.ENVIRONMENT)
        first = process.stdout.readline()
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        rest, error = process.communicate(timeout=600)
        self.assertEqual((process.returncode, error), (130, "dent: interrupted\n"))
        lines = tool.json_lines(first + rest)
        entries = self.frames_of(out + ".pvd")
        self.assertEqual(len(entries), 2 * (len(lines) + 1))
        for _, _, name in entries:
            self.assertTrue(os.path.isfile(os.path.join(self.folder, name)), name)
        self.assertEqual([name for name in os.listdir(out + "_frames") if name.startswith(".")], [])

    def test_a_full_disk_is_one_line_and_earlier_frames_stay(self):
        """A limit on the size of files stands for a full disk: frames fit; the collection, which grows, does not."""
        out = self.path("full")

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (6 * 1024, 6 * 1024))
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        arguments = ["run", "v-shapes", "--set", "leg=4", "--set", "width=1", "--set", "thickness=1", "--scale", "0.3",
                     "--frames", "500", "-o", out]
        result = subprocess.run([tool.TOOL, *arguments], capture_output=True, text=True, env=tool.ENVIRONMENT,
                                timeout=600, preexec_fn=limit)
        self.assertEqual(result.returncode, 2, result.stdout[-500:] + result.stderr[-500:])
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertIn("full", result.stderr)
        self.assertIn("cannot be written", result.stderr)
        leftovers = [name for name in os.listdir(self.folder) + os.listdir(out + "_frames") if name.startswith(".dent")]
        self.assertEqual(leftovers, [])
        if os.path.exists(out + ".pvd"):
            for _, _, name in self.frames_of(out + ".pvd"):
                self.assertTrue(os.path.isfile(os.path.join(self.folder, name)), name)

    def test_a_folder_that_cannot_be_made_is_one_line(self):
        self.write("file", "x")
        self.assertIn("Not a directory", self.one_line_error("run", *SMALL, "-o", self.path("file/out")))

    BEAM = {"dent_scene": 1, "frames": 10, "materials": {"a": {"young": "30 kPa", "damping": 0.05}},
            "bodies": [{"name": "a/beam", "kind": "solid", "fixed": {"box": [[-1, -1, -1], [-0.24, 1, 1]]},
                        "generate": {"shape": "box", "size": [0.5, 0.1, 0.1], "cells": [5, 1, 1]}}]}

    def beam(self, young):
        scene = json.loads(json.dumps(self.BEAM))
        scene["materials"]["a"]["young"] = young
        return self.write("beam.json", json.dumps(scene))

    def test_substeps_too_long_for_the_first_mode_are_noticed_and_others_not(self):
        self.assertEqual(self.good("run", self.beam("30 kPa"), "--frames", 1).stderr, "")
        notice = self.good("run", self.beam("100 GPa"), "--frames", 1).stderr
        self.assertEqual(notice.count("\n"), 1)
        self.assertRegex(notice, r"^dent: notice: a/beam: omega h = [0-9.]+ for the first mode; [0-9]+ substeps give 95 % ")

    def test_converge_halves_the_step_until_the_probe_settles(self):
        beam = self.beam("30 kPa")
        for probe in ("a/beam:z", "a/beam/3:z", "kinetic"):
            runs = tool.json_lines(self.good("run", beam, "--converge", probe, "--json").stdout)
            self.assertGreater(len(runs), 1)
            self.assertIsNone(runs[0]["change"])
            for before, after in zip(runs, runs[1:]):
                self.assertEqual(after["substeps"], 2 * before["substeps"])
            self.assertEqual([run["settled"] for run in runs], [run["change"] is not None and run["change"] <= 0.01
                                                                for run in runs])
            self.assertTrue(runs[-1]["settled"])
            self.assertFalse(any(run["settled"] for run in runs[:-1]))
        self.assertIn("settled", self.good("run", beam, "--converge", "a/beam:z").stdout.splitlines()[-1])
        self.assertIn("settled", self.good("run", beam, "--converge", "energy").stdout.splitlines()[-1])  # nearly constant
        self.assertIn("nothing to settle: it is 0", self.good("run", beam, "--converge", "a/beam:force").stdout)
        for probe, word in (("xyzzy", "expected"), ("beam:z", "no body 'beam'"), ("a/beam:w", "'w'"),
                            ("a/beam/24:x", "below 24"), ("a/beam/:x", "vertex"), ("a/beam/1:force", "x, y or z")):
            self.assertIn(word, self.one_line_error("run", beam, "--converge", probe))
        self.assertIn("--converge", self.one_line_error("run", beam, "--converge", "kinetic", "-o", self.path("f")))

    LOADED = {"dent_scene": 1, "frames": 6, "time_step": "10 ms", "steps_per_frame": 2, "contact": {"enabled": False},
              "materials": {"a": {"young": "100 kPa", "damping": 0.05}},
              "bodies": [{"name": "block", "kind": "solid",
                          "generate": {"shape": "box", "size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}}],
              "supports": [{"name": "base", "body": "block", "on": {"beyond": [0, 0, -0.099], "normal": [0, 0, -1]}}],
              "loads": [{"body": "block", "force": [0, 0, "-10 N"], "course": [[0, 0], [0.05, 1]],
                         "on": {"beyond": [0, 0, 0.099], "normal": [0, 0, 1]}}],
              "probes": [{"name": "top", "kind": "position", "body": "block",
                          "on": {"beyond": [0, 0, 0.099], "normal": [0, 0, 1]}},
                         {"name": "base force", "kind": "reaction", "support": "base"},
                         {"name": "work", "kind": "energy", "energy": "outer work"}]}
    COLUMNS = ["top.x", "top.y", "top.z", "base force.x", "base force.y", "base force.z", "work"]

    def table(self, path):
        with open(path, encoding="utf-8") as file:
            rows = [line.rstrip("\n").split(",") for line in file]
        self.assertEqual(rows[0], ["frame", "time", *self.COLUMNS])
        return [[int(row[0])] + [float(number) for number in row[1:]] for row in rows[1:]]

    def test_probes_are_columns_of_a_table_and_keys_of_json(self):
        scene, out = self.write("loaded.json", json.dumps(self.LOADED)), self.path("probes.csv")
        lines = tool.json_lines(self.good("run", scene, "--probes", out, "--json").stdout)
        rows = self.table(out)
        self.assertEqual([row[0] for row in rows], list(range(7)))
        for number, expected in zip(rows[0][1:], [0, 0, 0, 0.1, 0, 0, 0, 0]):
            self.assertAlmostEqual(number, expected, delta=1e-15)
        for line, row in zip(lines, rows[1:]):
            self.assertEqual(list(line), KEYS + ["probes"])
            self.assertEqual(list(line["probes"]), self.COLUMNS)
            self.assertEqual([line["time"], *line["probes"].values()], row[1:])
            self.assertEqual(line["outer_work"], row[-1])
            self.assertTrue(0 <= line["residual"] < 0.05 and 0 < line["stiffness"] <= 1)
        self.good("run", scene, "--frames", 60, "--probes", out)
        self.assertAlmostEqual(self.table(out)[-1][7], 8 * 9.81 + 10, delta=0.005 * 88.5)

    def test_a_resumed_run_writes_the_same_rows_of_probes(self):
        scene, whole, rest, state = (self.write("loaded.json", json.dumps(self.LOADED)), self.path("whole.csv"),
                                     self.path("rest.csv"), self.path("state"))
        self.good("run", scene, "--probes", whole)
        self.good("run", scene, "--frames", 3, "--checkpoint", state)
        self.good("run", scene, "--resume", state, "--probes", rest)
        self.assertEqual(self.table(rest), self.table(whole)[4:])

    def test_probes_settle_and_wrong_ones_are_one_line(self):
        scene = self.write("loaded.json", json.dumps(self.LOADED))
        runs = tool.json_lines(self.good("run", scene, "--converge", "top.z", "--json").stdout)
        self.assertTrue(runs[-1]["settled"])
        for name in ("top", "top.w"):
            self.assertIn("a probe of the scene: top.x, top.y or top.z", self.one_line_error("run", scene, "--converge", name))
        self.assertIn("--probes", self.one_line_error("run", scene, "--converge", "top.z", "--probes", self.path("x.csv")))
        self.assertIn(".csv", self.one_line_error("run", scene, "--probes", self.path("x.txt")))
        self.assertIn("declares no probes", self.one_line_error("run", self.beam("30 kPa"), "--probes", self.path("x.csv")))
        self.assertIn("No such file", self.one_line_error("run", scene, "--probes", self.path("none/x.csv")))
        self.assertFalse(os.path.exists(self.path("x.csv")))


if __name__ == "__main__":
    tool.main()
