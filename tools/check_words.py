#!/usr/bin/env python3
"""Checks that public text has none of the words that the glossary (docs/words.md) rules out. Prints one line per hit
("path:line: word: use ...") and ends with status 1 if there was any. Standard library only.

    tools/check_words.py            README.md, CONTRIBUTING.md, docs, include/dent, and the string literals of sources
    tools/check_words.py ROOT       the same of another tree

The changelog is left out: it names what was renamed. docs/words.md is left out: it lists the words. Code blocks and
`code` of pages are left out, as are addresses of links. A word below may be allowed where its exception matches.
"""

import re
import sys
from pathlib import Path

# what is ruled out, what to write instead, where it is allowed (a pattern around the hit) or None
WORDS = (
    (r"anew", "again, rebuilt, sorted again", None),
    (r"tells?|told|telling", "reports, shows, gives", r"cannot tell\b.* apart"),
    (r"know|knows|knew", "stores, has; 'known' may stay", None),
    (r"talks?|talking", "sends, serves", None),
    (r"look(?:s|ed|ing)? (?:at|into|after)", "tests, reads, checks", r"you|we"),
    (r"processor time", "CPU time", None),
    (r"by the clock", "wall time", None),
    (r"asked (?:for|about)", "requested, tested", None),
    (r"security distances?|security", "target gap, thickness", r"content security policy|content-security-policy"),
    (r"wish|wishes|wished", "request, setting", None),
    (r"refuse|refuses|refused", "rejects, fails with", None),
    (r"culprits?", "offending X", None),
    (r"nobody|everybody|somebody|whoever", "name the component", None),
    (r"strangers?|believes?|whereabouts|desks?", "plain words", None),
    (r"(?:made|built) again|built anew", "refit, rebuilt", None),
    (r"there is no such|: no such", "unknown X, or the range", r"no such file"),
    (r"is beyond all numbers|exclude one another", "overflows a double; are mutually exclusive", None),
    (r"face_mates|packet_sets|refused_poses|DENT_REDUCED\w*|\w*wounds?", "the new name", None),
)
PATTERNS = [(re.compile(rf"(?<![\w-])(?:{word})(?![\w-])", re.IGNORECASE), instead,
             re.compile(allowed, re.IGNORECASE) if allowed else None) for word, instead, allowed in WORDS]
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
TARGET = re.compile(r"\]\([^)\s]+\)")
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
C_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
INCLUDE = re.compile(r'^\s*#\s*include[^\n]*', re.MULTILINE)


def blanked(match):
    return re.sub(r"[^\n]", " ", match.group())


def text_of_page(text):
    return TARGET.sub(blanked, CODE.sub(blanked, FENCE.sub(blanked, text)))


def literals_of_source(text):
    """The string literals of a C source; everything else is blank."""
    text = INCLUDE.sub(blanked, C_COMMENT.sub(blanked, text))
    kept = [" " if char != "\n" else "\n" for char in text]
    for match in STRING.finditer(text):
        kept[match.start():match.end()] = match.group()
    return "".join(kept)


def hits(text):
    """(line, word, instead) of each word that is ruled out."""
    for number, line in enumerate(text.split("\n"), 1):
        for pattern, instead, allowed in PATTERNS:
            for match in pattern.finditer(line):
                around = line[max(0, match.start() - 40):match.end() + 60]
                if not (allowed and allowed.search(around)):
                    yield number, match.group(), instead


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    pages = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]
    headers = sorted((root / "include" / "dent").glob("*.h"))
    sources = [path for folder in ("src", "apps", "bench", "examples") for path in sorted((root / folder).rglob("*.[ch]"))]
    found = 0
    for paths, cut in ((pages, text_of_page), (headers, str), (sources, literals_of_source)):
        for path in paths:
            if not path.is_file() or path == root / "docs" / "words.md":
                continue
            for line, word, instead in hits(cut(path.read_text(encoding="utf-8"))):
                print(f"{path.relative_to(root)}:{line}: {word}: {instead}")
                found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
