"""dent scenes and dent export: the list, and files that read back as what was made."""
import os

import tool_under_test as tool


class ScenesAndExport(tool.ToolTest):
    def scenes(self):
        rows = tool.json_lines(self.good("scenes", "--json").stdout)
        return {row["name"]: row for row in rows if not row["simulated"]}

    def test_the_scenes_of_the_design_are_listed(self):
        rows = self.scenes()
        text = self.good("scenes").stdout
        for name in ("teschner-a", "teschner-b", "teschner-c", "teschner-d", "teschner-e", "v-shapes", "blocks-640k",
                     "folded-1m",
                     "cloth-500k", "jaw"):
            self.assertIn(name, rows)
            self.assertIn("\n" + name, "\n" + text)
        for row in rows.values():
            self.assertEqual(list(row), ["name", "summary", "frames", "benchmark_frames", "simulated", "parameters"])
            for parameter in row["parameters"]:
                self.assertEqual(list(parameter), ["name", "meaning", "default", "lowest", "highest"])

    def test_export_and_info_agree_on_every_count(self):
        for scene, scale in (("teschner-a", 1), ("teschner-b", 1), ("cloth-500k", 0.002)):
            with self.subTest(scene=scene):
                folder = self.path(scene + "/deeper/")
                printed = self.good("export", scene, folder, "--scale", scale, "--frame", 7).stdout.splitlines()
                files = [line.rsplit(": ", 1)[0] for line in printed]
                self.assertEqual(sorted(map(os.path.basename, files)), sorted(os.listdir(folder)))
                direct = tool.json_lines(self.good("info", "--json", "--scale", scale, "--frame", 7, scene).stdout)
                read = tool.json_lines(self.good("info", "--json", *files).stdout)
                self.assertEqual(len(read), len(direct))
                for a, b in zip(direct, read):
                    a.pop("file"), b.pop("file")
                    self.assertEqual(a, b)

    def test_export_names_files_by_kind(self):
        self.good("export", "cloth-500k", self.path("cloth"), "--scale", 0.001)
        self.assertTrue(all(name.endswith(".obj") for name in os.listdir(self.path("cloth"))))
        self.good("export", "teschner-a", self.path("a"))
        self.assertEqual(len(os.listdir(self.path("a"))), 100)
        self.assertTrue(all(name.endswith(".mesh") for name in os.listdir(self.path("a"))))

    def test_a_frame_changes_the_positions_and_a_parameter_the_overlap(self):
        first = self.good("pairs", "--ask", "vertex-cell", "teschner-a").stdout
        self.assertNotEqual(first, self.good("pairs", "--ask", "vertex-cell", "--frame", 5, "teschner-a").stdout)
        none = self.good("pairs", "--ask", "vertex-cell", "--set", "inside=0", "teschner-a").stdout
        self.assertEqual(none, "")

    def test_simulated_scenes_have_meshes_too(self):
        direct = tool.json_lines(self.good("info", "--json", "stack", "--scale", 0.2).stdout)
        printed = self.good("export", "stack", self.path("stack"), "--scale", 0.2).stdout.splitlines()
        read = tool.json_lines(self.good("info", "--json", *[line.rsplit(": ", 1)[0] for line in printed]).stdout)
        self.assertEqual(len(read), len(direct))
        for a, b in zip(direct, read):
            a.pop("file"), b.pop("file")
            self.assertEqual(a, b)
        self.assertIn("stack: simulated scene, ", self.good("info", "stack", "--scale", 0.2).stdout)
        later = tool.json_lines(self.good("info", "--json", "stack", "--scale", 0.2, "--frame", 3).stdout)
        self.assertNotEqual([row["lo_z"] for row in later], [row["lo_z"] for row in direct])
        self.good("check", "stack", "--scale", 0.2)
        self.assertEqual(self.good("pairs", "--ask", "face-face", "--count", "cloth-sphere", "--scale", 0.1).stdout,
                         "0\n")
        self.assertIn("stack is simulated: give one --frame K, or write its frames first (dent run stack -o F)",
                      self.one_line_error("pairs", "--ask", "face-face", "--frames", "0:3", "stack"))

    def test_of_two_scenes_of_one_name_the_options_choose(self):
        rows = tool.json_lines(self.good("scenes", "--json").stdout)
        names = [row["name"] for row in rows]
        both = sorted(name for name in set(names) if names.count(name) == 2)
        self.assertEqual(both, ["jaw", "v-shapes"])
        kinds = {"prescribed": "built-in scene", "simulated": "simulated scene"}
        for name in both:
            size = {}
            for option, kind in kinds.items():
                text = self.good("info", name, "--scale", 0.1, "--" + option).stdout
                self.assertIn("%s: %s, " % (name, kind), text)
                size[option] = text
            self.assertNotEqual(size["prescribed"], size["simulated"])
            self.assertEqual(self.good("info", name, "--scale", 0.1).stdout, size["prescribed"])

    def test_every_command_takes_the_scene_that_was_chosen(self):
        # Frame 30: prescribed, the two V are in one another; simulated, they never are.
        where = ("v-shapes", "--scale", 0.1, "--frame", 30)
        found = {}
        for option in ("--prescribed", "--simulated"):
            folder = self.path(option.strip("-"))
            self.good("export", *where[:1], folder, *where[1:], option)
            read = tool.json_lines(self.good("info", "--json", *sorted(
                os.path.join(folder, name) for name in os.listdir(folder))).stdout)
            direct = tool.json_lines(self.good("info", "--json", *where, option).stdout)
            self.assertEqual(sorted(row["lo_z"] for row in read), sorted(row["lo_z"] for row in direct))
            pairs = int(self.good("pairs", "--ask", "face-face", "--no-self", "--count", *where, option).stdout)
            verdict = tool.run("check", *where, option).returncode
            self.assertEqual(verdict, int(pairs > 0))
            found[option] = pairs
        self.assertGreater(found["--prescribed"], 0)
        self.assertEqual(found["--simulated"], 0)
        self.assertEqual(int(self.good("pairs", "--ask", "face-face", "--no-self", "--count", *where).stdout),
                         found["--prescribed"])

    def test_a_scene_is_not_taken_for_what_it_is_not(self):
        self.assertEqual(self.one_line_error("info", "stack", "--prescribed"),
                         "stack is simulated only: it has no --prescribed frames")
        for words in (("info", "teschner-a"), ("check", "teschner-a"), ("export", "teschner-a", self.path("x")),
                      ("pairs", "--ask", "face-face", "teschner-a"), ("ccd", "teschner-a"), ("view", "teschner-a")):
            self.assertIn("teschner-a is not --simulated", self.one_line_error(*words, "--simulated"))
        self.assertIn("mutually exclusive", self.one_line_error("info", "jaw", "--simulated", "--prescribed"))
        self.assertIn("and none is named", self.one_line_error("info", "nothing.obj", "--simulated"))
        self.assertIn("v-shapes is simulated: give one --frame K",
                      self.one_line_error("pairs", "--ask", "face-face", "--frames", "0:3", "v-shapes", "--simulated"))
        for command in ("info", "check", "pairs", "ccd", "export", "view"):
            text = self.good(command, "--help").stdout
            self.assertIn("--simulated", text)
            self.assertIn("--prescribed", text)

    def test_every_listed_scene_can_be_asked_about(self):
        for row in tool.json_lines(self.good("scenes", "--json").stdout):
            if row["simulated"] and row["name"] != "jaw-real":  # that one needs the data kit
                with self.subTest(scene=row["name"]):
                    self.good("info", row["name"], "--scale", 0.05)

    def test_mistakes_are_one_line(self):
        self.assertEqual(self.one_line_error("export", "nonsense", self.folder),
                         "export: no scene is called 'nonsense'; dent scenes lists them")
        file = self.write("file", "x")
        self.assertEqual(self.one_line_error("export", "teschner-a", file), "export: %s: Not a directory" % file)
        self.assertIn("colour", self.one_line_error("export", "teschner-a", self.path("x"), "--set", "colour=1"))
        self.assertIn("inside", self.one_line_error("export", "teschner-a", self.path("x"), "--set", "inside=7"))
        self.assertEqual(self.one_line_error("info", "nonsense"),
                         "nonsense: no such file, and no built-in scene of that name (dent scenes lists them)")


if __name__ == "__main__":
    tool.main()
