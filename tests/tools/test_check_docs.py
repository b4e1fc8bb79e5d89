#!/usr/bin/env python3
"""Self-test of tools/check_docs.py: a small good tree passes, and every kind of violation put into it is found."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "check_docs.py"

GOOD = {
    "README.md": "# dent\n\n[pages](docs/README.md), [one](docs/page.md#a-part-of-it)\n\n"
                 "<!-- snippet: first.c start -->\n```c\nint x;\n```\n\n```\n[not](a link)\n```\n",
    "docs/README.md": "# Pages\n\n[a page](page.md), [home](https://example.org/nowhere)\n",
    "docs/page.md": "# Page\n\n![a picture](images/a.png)\n\n## A part of it\n\n`src/base/arena.c`\n",
    "docs/images/a.png": "",
    "tools/extract_snippets.py": "",
    "src/base/arena.c": "/* see docs/page.md; src/<folder>/x.c and build/src/y.c are no paths of the tree */\n",
}


class CheckDocs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)
        self.write({"tools/check_docs.py": SCRIPT.read_text(encoding="utf-8"), **GOOD})

    def write(self, files):
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def run_script(self):
        result = subprocess.run([sys.executable, self.root / "tools" / "check_docs.py"], capture_output=True, text=True)
        return result.returncode, result.stdout

    def assert_found(self, line):
        status, output = self.run_script()
        self.assertEqual(status, 1)
        self.assertIn(line, output)

    def test_a_good_tree_passes(self):
        self.assertEqual(self.run_script(), (0, "check_docs: good\n"))

    def test_a_link_to_a_missing_file_is_found(self):
        self.write({"docs/page.md": GOOD["docs/page.md"] + "[gone](gone.md)\n"})
        self.assert_found("docs/page.md:8: the link gone.md leads nowhere")

    def test_a_link_to_a_missing_heading_is_found(self):
        self.write({"docs/page.md": "# Page\n\n![a picture](images/a.png)\n"})
        self.assert_found("README.md:3: no heading of docs/page.md is called #a-part-of-it")

    def test_a_page_and_a_picture_that_nobody_links_are_found(self):
        self.write({"docs/lonely.md": "# Lonely\n", "docs/images/b.svg": ""})
        self.assert_found("docs/lonely.md:1: cannot be reached")
        self.assert_found("docs/images/b.svg:1: cannot be reached")

    def test_a_path_that_does_not_exist_is_found_in_pages_and_in_comments(self):
        self.write({"docs/page.md": GOOD["docs/page.md"] + "`src/base/old.c`\n",
                    "src/base/arena.c": "/* docs/old.md */\n"})
        self.assert_found("docs/page.md:8: src/base/old.c does not exist")
        self.assert_found("src/base/arena.c:1: docs/old.md does not exist")

    def test_code_that_no_example_compiles_is_found(self):
        self.write({"docs/page.md": GOOD["docs/page.md"] + "```c\nint y;\n```\n"})
        self.assert_found("docs/page.md:8: a C block that is no snippet")


if __name__ == "__main__":
    unittest.main()
