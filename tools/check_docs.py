#!/usr/bin/env python3
"""Checks that the pages hang together. Takes no arguments: it checks the repository it lies in, prints one line per
violation ("path:line: what is wrong") and ends with status 1 if there was any. Standard library only.

    links      a relative link in a page names a file that is there, and a heading that is there
    paths      a path of the tree written in a page or in a comment (`src/base/arena.c`) exists
    pages      every page and every picture under docs/ can be reached from README.md by links
    code       a C block in a page is cut from an example (tools/extract_snippets.py), so that it compiles
"""

import re
import sys
from pathlib import Path

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
FOLDERS = ("include", "src", "apps", "bench", "examples", "tests", "tools", "cmake")
PATH = re.compile(r"(?<![\w/$}*<.-])((?:docs|%s)/[\w./-]*\w\.(?:c|h|md|py|sh|cmake))\b" % "|".join(FOLDERS))
MARKED_C = re.compile(r"<!-- snippet: \S+ \S+ -->\n```c\n")
SOURCES = {".c", ".h", ".cpp", ".py", ".sh", ".cmake", ".txt", ".mjs", ".js"}
EXAMPLE_NAMES = {"src/methods/your_method.c", "docs/methods/your_method.md", "src/query/pairs/your_question.c"}


def anchor(heading):
    """The name GitHub gives to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def without_code(text):
    return FENCE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


class Checker:
    def __init__(self, root):
        self.root = root.resolve()
        self.violations = []
        self.linked = {}  # page -> files it links to

    def complain(self, path, text, position, what):
        self.violations.append(f"{path.relative_to(self.root)}:{text.count(chr(10), 0, position) + 1}: {what}")

    def pages(self):
        return sorted(self.root.glob("*.md")) + sorted((self.root / "docs").rglob("*.md"))

    def check_links(self, page):
        text = without_code(page.read_text(encoding="utf-8"))
        targets = self.linked.setdefault(page, set())
        for match in LINK.finditer(text):
            if re.match(r"[a-z]+:", match.group(1)):
                continue
            name, _, place = match.group(1).partition("#")
            target = (page.parent / name).resolve() if name else page
            targets.add(target)
            if not target.exists():
                self.complain(page, text, match.start(), f"the link {match.group(1)} leads nowhere")
            elif place and target.suffix == ".md":
                headings = re.findall(r"^#+ (.*)$", without_code(target.read_text(encoding="utf-8")), re.MULTILINE)
                if place not in map(anchor, headings):
                    self.complain(page, text, match.start(), f"no heading of {name or 'this page'} is called #{place}")

    def check_paths(self, path):
        text = path.read_text(encoding="utf-8", errors="replace")
        for match in PATH.finditer(text):
            if text[text.rfind("\n", 0, match.start()) + 1:].startswith("#include"):
                continue  # relative to an include folder; the compiler checks it
            if match.group(1) not in EXAMPLE_NAMES and not (self.root / match.group(1)).exists():
                self.complain(path, text, match.start(), f"{match.group(1)} does not exist")

    def check_code(self, page):
        text = page.read_text(encoding="utf-8")
        marked = {match.end() for match in MARKED_C.finditer(text)}
        for match in re.finditer(r"^```c\n", text, re.MULTILINE):
            if match.end() not in marked:
                self.complain(page, text, match.start(), "a C block that is no snippet of an example")

    def check_reachable(self):
        seen, ahead = set(), [self.root / "README.md"]
        while ahead:
            page = ahead.pop()
            if page not in seen:
                seen.add(page)
                ahead += [target for target in self.linked.get(page, ()) if target.is_file()]
        for path in sorted((self.root / "docs").rglob("*")):
            if path.suffix in (".md", ".png", ".svg") and path not in seen:
                self.complain(path, "", 0, "cannot be reached from README.md")

    def run(self):
        for page in self.pages():
            self.check_links(page)
            self.check_code(page)
            self.check_paths(page)
        for folder in FOLDERS:
            for path in sorted((self.root / folder).rglob("*")):
                # tests/tools names files that are not there
                left_out = {"node_modules", "results", "corpus"} & set(path.parts) or path.match("tests/tools/*")
                if path.suffix in SOURCES and path.is_file() and not left_out:
                    self.check_paths(path)
        self.check_reachable()
        return self.violations


def main():
    violations = Checker(Path(__file__).resolve().parent.parent).run()
    for violation in violations:
        print(violation)
    print(f"check_docs: {len(violations)} violation(s)" if violations else "check_docs: good")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
