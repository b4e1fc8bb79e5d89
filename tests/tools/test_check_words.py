#!/usr/bin/env python3
"""Self-tests of tools/check_words.py and tools/sentences.py: a small good tree passes, what is ruled out is found."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"

GOOD = {
    "README.md": "# dent\n\nEach query reports pairs. `anew` is code.\n\n```\nanew\n```\n[a link](docs/anew.md)\n",
    "CONTRIBUTING.md": "Distances cannot tell such sheets apart.\n",
    "docs/words.md": "| refit, rebuild | anew |\n",
    "docs/viewer.md": "The content security policy forbids it. cannot be opened: no such file\n",
    "include/dent/base.h": "/* The known answer. */\nint dent_known;\n",
    "src/base/a.c": '/* made anew, as comments of sources may say */\n#include "told.h"\nconst char *a = "rebuilt";\n',
    "CHANGELOG.md": "- made anew\n",
}


class CheckWords(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)
        self.write(GOOD)

    def write(self, files):
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def run_script(self):
        result = subprocess.run([sys.executable, TOOLS / "check_words.py", self.root], capture_output=True, text=True)
        return result.returncode, result.stdout

    def assert_found(self, line):
        status, output = self.run_script()
        self.assertEqual(status, 1)
        self.assertEqual([found for found in output.splitlines() if found.startswith(line)][:1] != [], True, output)
        self.assertEqual(len(output.splitlines()), 1, output)

    def test_a_good_tree_passes(self):
        self.assertEqual(self.run_script(), (0, ""))

    def test_a_word_of_a_page_is_found(self):
        self.write({"docs/page.md": "One.\n\nBoxes are made Anew.\n"})
        self.assert_found("docs/page.md:3: Anew: ")

    def test_a_word_of_a_header_is_found(self):
        self.write({"include/dent/world.h": "/* The world\n * knows its bodies. */\n"})
        self.assert_found("include/dent/world.h:2: knows: ")

    def test_a_word_of_a_message_is_found(self):
        self.write({"apps/cli/help.c": 'const char *help =\n    "look at" /* told */\n    "nothing";\n'})
        self.assert_found("apps/cli/help.c:2: look at: ")

    def test_a_string_behind_an_escaped_quote_is_read_to_its_end(self):
        self.write({"src/base/a.c": 'const char *a = "a \\" who was asked for it";\n'})
        self.assert_found("src/base/a.c:1: asked for: ")

    def test_an_exception_holds_only_where_it_stands(self):
        self.write({"docs/page.md": "The security of a body.\n"})
        self.assert_found("docs/page.md:1: security: ")


class Sentences(unittest.TestCase):
    def run_script(self, name, text, *words):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_text(text, encoding="utf-8")
            result = subprocess.run([sys.executable, TOOLS / "sentences.py", *words, path], capture_output=True, text=True)
            return result.returncode, result.stdout

    def test_the_ceiling_of_long_sentences_holds(self):
        words = "word " * 25
        for name, text, most, status in (
                ("a.md", f"{words.strip()}. {words.strip()}.\n", ("0", "0"), 0),
                ("a.md", f"{words}more.\n", ("0", "0"), 1),
                ("a.md", f"{words}more.\n", ("1", "0"), 0),
                ("a.md", f"{words}more.\n", ("0", "1"), 1),
                ("a.h", f"/** {words}more. */\n", ("1", "0"), 1),
                ("a.h", f"/** {words}more. */\n", ("0", "1"), 0),
                ("a.h", f"int a; /**< one\n            {words}more. */\n", ("0", "0"), 1),
                ("a.h", f"/* One.\n *\n *   {words}\n *   more of a table\n */\n", ("0", "0"), 0)):
            with self.subTest(name=name, text=text, most=most):
                self.assertEqual(self.run_script(name, text, "--most", *most)[0], status)

    def test_without_a_ceiling_it_only_reports(self):
        status, output = self.run_script("a.md", "word " * 26 + ".\n")
        self.assertEqual(status, 0)
        self.assertIn("        1        1        0  all pages", output)


if __name__ == "__main__":
    unittest.main()
