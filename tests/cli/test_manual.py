"""The pages say what the tool does: every command in README.md, CONTRIBUTING.md and docs/ is run, or at least parsed.

In a page:
- a `console` block is a run of `$ command` lines with their output (both streams), compared line by line. A line of
  three dots stands for any lines left out, such as times;
- an `sh` block is commands alone, one a line, `#` begins a remark: they must do without an error;
- a `json` block that is a scene file is run for two frames; after `<!-- file: NAME -->` it is there under that name;
- commands that cannot be run here (installing, a browser, hours) stand in a block after `<!-- not run: why -->`, or in
  running text between backticks. Their subcommand and options must exist, programs and presets too. With
  DENT_LONG_TESTS=1 the complete ones among those in running text are run as well, benchmarks left out.
A block that looks like commands and is none of these is an error. Blocks of a page are run in order in one folder.
"""
import glob
import os
import re
import shlex
import subprocess
import unittest

import tool_under_test as tool

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
LONG = bool(os.environ.get("DENT_LONG_TESTS"))

BLOCK = re.compile(r"(?:^<!-- (?P<mark>not run|file): (?P<about>.*?) -->\n)?^```(?P<language>\w*)\n(?P<body>.*?)^```$",
                   re.M | re.S)
COMMAND_LINE = re.compile(r"^(\$ )?(dent|cmake|ctest|bench_\w+|\./\S+) .*$", re.M)
INLINE = re.compile(r"`((?:dent|bench_\w+)(?: [^`]*)?)`")
OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z0-9-]*|-[a-z])(?![\w-])")


def pages():
    names = ["README.md", "CONTRIBUTING.md"]
    names += sorted(os.path.relpath(name, ROOT) for name in glob.glob(os.path.join(ROOT, "docs", "**", "*.md"),
                                                                      recursive=True))
    for name in names:
        with open(os.path.join(ROOT, name), encoding="utf-8") as file:
            yield name, file.read()


def blocks(text):
    return [match.groupdict() for match in BLOCK.finditer(text)]


def inline_commands(text):
    """Those in running text; line breaks within are blanks."""
    running = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return [" ".join(command.split()) for command in INLINE.findall(running)]


def console_examples(block):
    parts = re.split(r"^\$ (.*)\n", block, flags=re.M)[1:]
    return list(zip(parts[::2], parts[1::2]))


def without_remarks(line):
    """A command of a list: what comes after two blanks or more is what it does."""
    return re.split(r"\s{2,}(?=\S)(?!FILE)|\s#\s", line.strip())[0]


def is_complete(command):
    """False for a synopsis: FILE..., [-o DIR], SCENE|FILE, a trailing ellipsis."""
    words = command.split()
    return len(words) > 2 and not re.search(r"[\[\]|<>…]|\.\.\.", command) and \
        not any(re.fullmatch(r"(\w+=)?[A-Z][A-Z0-9]*(\.\w+)?", word) for word in words)


def output_matches(expected, output):
    pattern = ".*".join(re.escape(part) for part in re.split(r"^\.\.\.\n", expected, flags=re.M))
    return re.fullmatch(pattern, output, re.S) is not None


class Manual(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.help_texts = {}
        os.symlink(os.path.abspath(tool.TOOL), self.path("dent"))
        self.environment = dict(tool.ENVIRONMENT, PATH=self.folder + ":" + os.environ["PATH"])

    def page_folder(self, name):
        folder = self.path(name.replace("/", "-")[:-len(".md")])
        os.makedirs(os.path.join(folder, "docs", "images"), exist_ok=True)
        if name.startswith("docs/tutorial/"):
            self.bring_programs(folder)
        return folder

    def bring_programs(self, folder):
        """The programs of the tutorial, as a reader who compiled them has them."""
        programs = glob.glob(os.path.join(os.environ["DENT_EXAMPLES"], "tutorial", "[0-9]_*"))
        self.assertGreater(len(programs), 4, "the programs of the tutorial are not built")
        for program in programs:
            os.symlink(os.path.abspath(program), os.path.join(folder, os.path.basename(program)))

    def shell(self, command, folder):
        return subprocess.run(["sh", "-c", command], cwd=folder, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=3000)

    # ---- run ---------------------------------------------------------------------------------------------------------

    def run_without_error(self, command, folder):
        result = self.shell(command, folder)
        self.assertIn(result.returncode, (0, 1), result.stdout[-2000:])
        self.assertIsNone(re.search(r"^dent: ", result.stdout, re.M), result.stdout[-2000:])

    def run_console(self, body, folder):
        examples = console_examples(body)
        self.assertTrue(examples, "a console block without a `$ command`")
        for command, expected in examples:
            with self.subTest(command=command):
                output = self.shell(command, folder).stdout
                if not output_matches(expected, output):
                    self.assertEqual(output, expected)

    def run_scene(self, block, folder):
        name = block["about"] if block["mark"] == "file" else "page.json"
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(block["body"])
        self.run_without_error("dent run %s --frames 2" % name, folder)

    def try_block(self, block, folder):
        body, language = block["body"], block["language"]
        if block["mark"] == "not run":
            commands = [without_remarks(match.group(0)) for match in COMMAND_LINE.finditer(body)]
            self.assertTrue(commands, "a block that is not run, and has no command either")
            for command in commands:
                self.parse(re.sub(r"^\$ ", "", command))
        elif language == "console":
            self.run_console(body, folder)
        elif language == "sh":
            for line in body.splitlines():
                with self.subTest(command=line):
                    self.run_without_error(line, folder)
        elif language == "json" and '"dent_scene"' in body:
            self.run_scene(block, folder)
        elif language in ("", "text", "bash", "shell"):
            self.assertIsNone(COMMAND_LINE.search(body), "commands in a block that nothing runs: make it `console` or "
                              "`sh`, or put <!-- not run: why --> above it")

    def test_blocks_of_every_page_do_what_they_say(self):
        count = 0
        for name, text in pages():
            folder = self.page_folder(name)
            for block in blocks(text):
                with self.subTest(page=name, block=block["body"].split("\n")[0]):
                    self.try_block(block, folder)
                    count += block["language"] in ("console", "sh")
        self.assertGreater(count, 25)

    # ---- parsed ------------------------------------------------------------------------------------------------------

    def help_of(self, subcommand):
        if subcommand not in self.help_texts:
            result = tool.run(subcommand, "--help")
            self.assertEqual(result.returncode, 0, "dent %s: no such command" % subcommand)
            self.help_texts[subcommand] = result.stdout
        return self.help_texts[subcommand]

    def parse(self, command):
        """Whether there are such a subcommand, program, preset, and options."""
        with self.subTest(parsed=command):
            if command.startswith("dent "):
                self.parse_dent(command)
            elif command.startswith("bench_"):
                self.parse_benchmark(command)
            elif command.startswith("cmake "):
                for preset in re.findall(r"--preset (\w+)", command):
                    with open(os.path.join(ROOT, "CMakePresets.json"), encoding="utf-8") as file:
                        self.assertIn('"name": "%s"' % preset, file.read())
            else:
                self.fail("nothing knows how to parse this")

    def parse_dent(self, command):
        word = command.split()[1]
        if word in ("COMMAND", "--help", "--version"):
            return
        self.assertRegex(word, r"^[a-z-]+$")
        text = self.help_of(word)
        for option in OPTION.findall(re.sub(r"'[^']*'", "", command.split(None, 2)[2] if " " in command[5:] else "")):
            self.assertRegex(text, r"(?<![\w-])%s(?![\w-])" % re.escape(option), "%s takes no %s" % (word, option))

    def parse_benchmark(self, command):
        program = command.split()[0]
        sources = glob.glob(os.path.join(ROOT, "bench", "**", re.sub(r"\.c$", "", program) + ".*"), recursive=True)
        self.assertTrue(sources, "no such benchmark")
        text = ""
        for source in glob.glob(os.path.join(ROOT, "bench", "**", "*.*"), recursive=True):
            if source in sources or source.endswith(".h"):
                with open(source, encoding="utf-8", errors="replace") as file:
                    text += file.read()
        for option in OPTION.findall(command):
            self.assertIn('"%s"' % option, text, "%s takes no %s" % (program, option))

    def test_commands_in_running_text_exist(self):
        count = 0
        for name, text in pages():
            for command in inline_commands(text):
                with self.subTest(page=name):
                    self.parse(command + (" --help" if command == "dent" else ""))
                    count += 1
        self.assertGreater(count, 100)

    @unittest.skipUnless(LONG, "DENT_LONG_TESTS is not set: commands in running text are parsed only")
    def test_complete_commands_in_running_text_run(self):
        count = 0
        for name, text in pages():
            folder = self.page_folder(name)
            for command in inline_commands(text):
                words = shlex.split(command) if is_complete(command) else ["", ""]
                files = [word for word in words[2:] if "/" in word and not word.startswith("docs/images")]
                if words[1] in ("check", "ccd", "run", "info", "export") and not files:
                    with self.subTest(page=name, command=command):
                        self.run_without_error(command, folder)
                        count += 1
        self.assertGreater(count, 4)

    # ---- that this can fail ------------------------------------------------------------------------------------------

    def failures_of(self, page):
        """What a page of this text would be complained about."""
        complaints = []
        for block in blocks(page):
            probe = Manual("test_commands_in_running_text_exist")
            probe.setUp()
            result = unittest.TestResult()
            probe.run_probe(block, result)
            complaints += result.failures + result.errors
            probe.doCleanups()
        return complaints

    def run_probe(self, block, result):
        def body():
            self.try_block(block, self.page_folder("probe.md"))
        case = unittest.FunctionTestCase(body)
        self.subTest = case.subTest
        case.run(result)

    def test_pages_that_are_wrong_are_noticed(self):
        fence = "```"
        good = [fence + "console\n$ echo one\none\n" + fence,
                fence + "console\n$ echo one; echo two\none\n...\n" + fence,
                fence + "sh\ndent scenes   # a remark\n" + fence,
                "<!-- not run: why -->\n" + fence + "\ndent view jaw\n" + fence,
                fence + "\njust words\n" + fence]
        bad = [fence + "console\n$ echo one\ntwo\n" + fence, fence + "console\n$ echo one; echo two\none\n" + fence,
               fence + "console\nno command\n" + fence, fence + "sh\ndent info absent.msh\n" + fence,
               fence + "\ndent view jaw\n" + fence, fence + "\n$ dent info x.msh\n" + fence,
               "<!-- not run: why -->\n" + fence + "\ndent vew jaw\n" + fence,
               "<!-- not run: why -->\n" + fence + "\ndent view --snapshoot f.png jaw\n" + fence,
               "<!-- not run: why -->\n" + fence + "sh\ncmake --preset absent\n" + fence,
               fence + 'json\n{"dent_scene": 1, "bodys": []}\n' + fence]
        for page in good:
            self.assertEqual(self.failures_of(page), [], page)
        for page in bad:
            self.assertEqual(len(self.failures_of(page)), 1, page)
        for command in ("dent vew jaw", "dent check --tolerence 1", "bench_absent 5", "bench_motion --absent"):
            with self.assertRaises(AssertionError, msg=command):
                self.parse_dent(command) if command.startswith("dent ") else self.parse_benchmark(command)


if __name__ == "__main__":
    tool.main()
