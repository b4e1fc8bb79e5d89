"""--help, --version, the strict option parser and its one-line complaints."""
import tool_under_test as tool

COMMANDS = ("info", "check", "pairs", "scenes", "export")


class HelpAndOptions(tool.ToolTest):
    def test_version_is_printed(self):
        self.assertRegex(self.good("--version").stdout, r"^dent \d+\.\d+\.\d+\n$")

    def test_help_lists_every_command(self):
        for arguments in (["--help"], ["-h"], ["help"]):
            text = self.good(*arguments).stdout
            for command in COMMANDS:
                self.assertRegex(text, r"(?m)^  %s +\w" % command)

    def test_every_command_explains_itself(self):
        for command in COMMANDS:
            text = self.good(command, "--help").stdout
            self.assertTrue(text.startswith("usage: dent %s " % command), text)
            self.assertIn("--help", text)
            self.assertEqual(self.good("help", command).stdout, text)
            self.assertEqual(self.good(command, "-h").stdout, text)
            self.assertLessEqual(max(map(len, text.splitlines())), 120)

    def test_help_wins_over_missing_arguments(self):
        self.good("pairs", "--touching", "--help")

    def test_no_command_prints_the_help(self):
        self.assertEqual(self.good().stdout, self.good("--help").stdout)

    def test_unknown_command_names_the_nearest(self):
        self.assertEqual(self.one_line_error("chekc", "x"), "unknown command 'chekc'; did you mean check?")
        self.assertEqual(self.one_line_error("frobnicate"), "unknown command 'frobnicate'; dent --help lists them")

    def test_unknown_option_names_the_nearest(self):
        self.assertEqual(self.one_line_error("pairs", "--thread", "2", "x"),
                         "pairs: unknown option '--thread'; did you mean --threads?")
        self.assertEqual(self.one_line_error("check", "--tol=1", "x"),
                         "check: unknown option '--tol'; did you mean --tolerance?")
        self.assertEqual(self.one_line_error("info", "--xyzzy-plugh", "x"),
                         "info: unknown option '--xyzzy-plugh'; see dent info --help")

    def test_an_option_of_another_command_is_unknown(self):
        self.assertIn("unknown option '--tolerance'", self.one_line_error("pairs", "--tolerance", "1", "x"))

    def test_bad_values_are_refused_with_what_is_allowed(self):
        cases = {
            ("pairs", "--ask", "vertex",
             "x"): "pairs: --ask vertex: choose vertex-cell, face-cell, face-face, proximity or strand",
            ("pairs", "--ask", "vertex-cell", "--threads", "0",
             "x"): "pairs: --threads '0': give a whole number from 1 to 1024",
            ("pairs", "--ask", "vertex-cell", "--threads", "-1",
             "x"): "pairs: --threads '-1': give a whole number from 1 to 1024",
            ("pairs", "--ask", "vertex-cell", "--threads", "2x",
             "x"): "pairs: --threads '2x': give a whole number from 1 to 1024",
            ("pairs", "--ask", "vertex-cell", "--threads=99999999999999999999", "x"):
                "pairs: --threads '99999999999999999999': give a whole number from 1 to 1024",
            ("pairs", "--ask", "face-face", "--isa", "sse9",
             "x"): "pairs: --isa sse9: choose auto, scalar, avx2 or avx512",
            ("check", "--tolerance", "-1", "x"): "check: --tolerance '-1': give a finite length that is not negative",
            ("check", "--tolerance", "nan", "x"): "check: --tolerance 'nan': give a finite length that is not negative",
            ("check", "--scale", "0", "x"): "check: --scale '0': give a finite number above 0",
            ("info", "--frame", "1.5", "x"): "info: --frame '1.5': give a whole number from 0",
            ("info", "--set", "inside", "x"): "info: --set inside: give NAME=VALUE with a finite number",
            ("info", "--set", "=1", "x"): "info: --set =1: give NAME=VALUE with a finite number",
            ("info", "--set", "inside=", "x"): "info: --set inside=: give NAME=VALUE with a finite number",
            ("check", "--json=1", "x"): "check: --json takes no value",
            ("check", "x", "--out"): "check: --out needs a value: F",
            ("check", "x", "--out", ""): "check: --out '': give a file name",
            ("pairs", "--ask", "face-face", "--ask", "face-cell", "x"): "pairs: --ask is given twice",
            ("pairs", "x"): "pairs: say what is asked: --ask vertex-cell, face-cell, face-face, proximity or strand",
            ("info",): "info: usage: dent info [OPTION...] FILE...",
            ("export", "teschner-a"): "export: usage: dent export SCENE DIR [OPTION...]",
            ("scenes", "x"): "scenes: usage: dent scenes [--json]",
        }
        for arguments, message in cases.items():
            with self.subTest(arguments=arguments):
                self.assertEqual(self.one_line_error(*arguments), message)

    def test_unknown_method_lists_the_methods(self):
        self.assertRegex(self.one_line_error("pairs", "--ask", "face-face", "--method", "magic", "x"),
                         r"^pairs: --method magic: choose .*brute-force")

    def test_two_dashes_end_the_options(self):
        self.write("--odd.mesh", tool.medit(*tool.cube()))
        self.good("info", "--json", "--", "--odd.mesh", cwd=self.folder)

    def test_scene_options_without_a_scene_are_refused(self):
        name = self.write("a.mesh", tool.medit(*tool.cube()))
        self.assertEqual(self.one_line_error("info", "--frame", "3", name),
                         "--frame, --scale and --set are for built-in scenes, and none is named")


if __name__ == "__main__":
    tool.main()
