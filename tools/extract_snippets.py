#!/usr/bin/env python3
"""Keeps the code in README.md and docs/ equal to the compiled examples.

A block of a page that follows the line  <!-- snippet: FILE NAME -->  must be the lines between `/* snippet: NAME */`
and `/* end of snippet */` of examples/FILE, without their common indent. Without arguments the script checks and says
what differs (exit 1); with --write it updates the pages.
"""
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
MARK = re.compile(r"(<!-- snippet: (\S+) (\S+) -->\n```c\n)(.*?)(```)", re.S)


def snippet(file_name, name):
    text = (ROOT / "examples" / file_name).read_text()
    found = re.search(r"/\* snippet: %s \*/\n(.*?)[ \t]*/\* end of snippet \*/" % re.escape(name), text, re.S)
    if not found:
        sys.exit(f"examples/{file_name} has no snippet named {name}")
    return textwrap.dedent(found.group(1))


def main():
    differing = 0
    if not MARK.search((ROOT / "README.md").read_text()):
        sys.exit("README.md has no snippet marks")
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        old = page.read_text()
        new = MARK.sub(lambda match: match.group(1) + snippet(match.group(2), match.group(3)) + match.group(5), old)
        if new == old:
            continue
        if "--write" in sys.argv[1:]:
            page.write_text(new)
            continue
        print(f"{page.relative_to(ROOT)} differs from the compiled examples; run tools/extract_snippets.py --write")
        differing = 1
    return differing


if __name__ == "__main__":
    sys.exit(main())
