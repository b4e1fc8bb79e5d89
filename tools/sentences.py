#!/usr/bin/env python3
"""Counts long sentences in README.md, docs/**/*.md and the comments of include/dent/*.h. Standard library only.

    tools/sentences.py            one line per file: sentences, those over 25 words, those over 45 words; then the totals
    tools/sentences.py --list     also prints each sentence over 25 words as "path:line: N words: text"
    tools/sentences.py FILE...    only these files
    tools/sentences.py --most P H ends with status 1 if more than P sentences of pages or H of headers are over 25 words

Code blocks, HTML comments and headings are skipped, in headers also tables and code (indented lines). A table cell and a
list item are texts of their own. A sentence ends at '.', '!' or '?' before a blank and at the end of its text. A word
holds a letter or a digit; `code` is one word.
"""

import argparse
import re
import sys
from pathlib import Path

LONG, VERY_LONG = 25, 45
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
HTML_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
C_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
LINK = re.compile(r"!?\[([^\]]*)\]\([^)\s]+\)")
CODE = re.compile(r"`[^`]*`")
ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|et al|etc|vs|cf|Fig|approx)\.")
SENTENCE_END = re.compile(r"(?<=[.!?])[)*_\"”’]*\s+(?=\S)")
ITEM = re.compile(r"^\s*(?:[-*+]|\d+\.)\s+")


def blanked(match):
    """The same number of lines, without text."""
    return "\n" * match.group().count("\n")


def texts_of_page(text):
    """(line, text) for each paragraph, list item and table cell of a Markdown page."""
    text = HTML_COMMENT.sub(blanked, FENCE.sub(blanked, text))
    first, lines = 0, []
    for number, line in enumerate(text.split("\n") + [""], 1):
        table = line.lstrip().startswith("|")
        heading = line.startswith("#")
        code = line.startswith("    ") and not lines
        if not line.strip() or table or heading or code or ITEM.match(line):
            if lines:
                yield first, " ".join(lines)
            lines = []
        if table and not re.fullmatch(r"[\s|:-]*", line):
            for cell in line.strip().strip("|").split("|"):
                yield number, cell
        elif line.strip() and not table and not heading and not code:
            if not lines:
                first = number
            lines.append(ITEM.sub("", line).strip())


def texts_of_header(text):
    """(line, text) for each paragraph and list item of the comments of a C header. Table rows and code are skipped."""
    for match in C_COMMENT.finditer(text):
        start = text.count("\n", 0, match.start()) + 1
        of_field = match.group().startswith("/**<")
        body = re.sub(r"(?m)^\s*\*(?: |$)", "", match.group()[4 if of_field else 2:-2])
        first, lines = start, []
        for number, line in enumerate(body.split("\n") + [""], start):
            drawing = not of_field and re.match(r"\s{2,}|.*\S {3,}\S", line)
            if not line.strip() or drawing or ITEM.match(line):
                if lines:
                    yield first, " ".join(lines)
                lines = []
            if line.strip() and not drawing:
                if not lines:
                    first = number
                lines.append(ITEM.sub("", line).strip())


def sentences(text):
    """The sentences of a text, links replaced by their words and code by one word."""
    text = CODE.sub("code", LINK.sub(r"\1", text))
    text = ABBREVIATION.sub(lambda match: match.group().replace(".", ""), text)
    for sentence in SENTENCE_END.split(text):
        words = [word for word in sentence.split() if re.search(r"\w", word)]
        if words:
            yield len(words), " ".join(sentence.split())


def main():
    parser = argparse.ArgumentParser(description="Counts long sentences in the documentation.")
    parser.add_argument("--list", action="store_true", help=f"print each sentence over {LONG} words")
    parser.add_argument("--most", nargs=2, type=int, metavar=("PAGES", "HEADERS"), help="long sentences allowed")
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="only these files")
    options = parser.parse_args()
    root = Path(__file__).resolve().parent.parent
    files = options.files or [root / "README.md", *sorted((root / "docs").rglob("*.md")),
                              *sorted((root / "include" / "dent").glob("*.h"))]
    totals = {}
    print(f"{'sentences':>9} {'over ' + str(LONG):>8} {'over ' + str(VERY_LONG):>8}")
    for path in files:
        header = path.suffix == ".h"
        found = [(line, length, sentence)
                 for line, text in (texts_of_header if header else texts_of_page)(path.read_text(encoding="utf-8"))
                 for length, sentence in sentences(text)]
        counts = [len(found)] + [sum(length > limit for _, length, _ in found) for limit in (LONG, VERY_LONG)]
        name = path.resolve().relative_to(root) if path.resolve().is_relative_to(root) else path
        print(f"{counts[0]:9} {counts[1]:8} {counts[2]:8}  {name}")
        kind = "headers" if header else "pages"
        totals[kind] = [a + b for a, b in zip(totals.get(kind, [0, 0, 0]), counts)]
        if options.list:
            for line, length, sentence in found:
                if length > LONG:
                    print(f"{name}:{line}: {length} words: {sentence}")
    for kind, counts in totals.items():
        print(f"{counts[0]:9} {counts[1]:8} {counts[2]:8}  all {kind}")
    most = dict(zip(("pages", "headers"), options.most)) if options.most else {}
    over = [kind for kind in most if totals.get(kind, [0, 0])[1] > most[kind]]
    for kind in over:
        print(f"{kind}: {totals[kind][1]} sentences over {LONG} words, {most[kind]} allowed; --list shows them", file=sys.stderr)
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
