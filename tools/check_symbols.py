#!/usr/bin/env python3
"""Checks the symbols of the built libraries: check_symbols.py BUILD_DIRECTORY

    globals      no symbol lies in a writable section: the library has no state of its own, contexts have
    exports      the shared libraries export dent_* and nothing else
    same         static and shared library have the same global dent_* symbols
    headers      what include/dent declares DENT_API is exported by one of the libraries, and the other way round
    dead wood    an internal function that other files can see is called by one of them, or is tested by itself and
                 called in its own; every status and outcome of include/dent is given by some source

Looks at dent, dent_io, dent_plan, dent_haptic, dent_sim and dent_view, those that were built; prints one line per violation; status 1 if there was any, 2
when it could not look. Needs nm (binutils). Not for sanitizer or coverage builds: their
instrumentation is made of globals.
"""

import re
import subprocess
import sys
from pathlib import Path

LIBRARIES = ("dent", "dent_io", "dent_plan", "dent_haptic", "dent_sim", "dent_view")
OPTIONAL = {"dent_view": "view.h"}  # needs more than every machine has: where it was not built, its header is left out

# Functions that tests alone call and that cannot lie among them.
SEAMS = {
    "elastic_force",  # what the solver adds up for a vertex, held against the derivative of the energy
}

# Start-up files of the toolchain put these into every shared library.
TOOLCHAIN = re.compile(r"completed(\.\d+)?|__dso_handle|__TMC_END__|_edata|_end|__bss_start|_init|_fini|_DYNAMIC|"
                       r"_GLOBAL_OFFSET_TABLE_|__frame_dummy_init_array_entry|__do_global_dtors_aux_fini_array_entry|"
                       r"__JCR_LIST__|__JCR_END__|dtor_idx\.\d+|object\.\d+")


def read_symbols(library, *options):
    """(name, class letter, section) of every defined symbol."""
    command = ["nm", "-f", "sysv", "--defined-only", *options, str(library)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    symbols = []
    for line in output.splitlines():
        fields = [field.strip() for field in line.split("|")]
        if len(fields) == 7 and fields[0] != "Name":
            symbols.append((fields[0].split("@")[0], fields[2], fields[6]))
    return symbols


def is_writable(section):
    if section.startswith(".data.rel.ro"):
        return False  # constant tables of addresses: read-only once the loader has filled them in
    return section.startswith((".data", ".bss", ".tdata", ".tbss", ".ldata", ".lbss")) or section in ("*COM*", "COMMON")


def is_global(letter):
    return letter.isupper()


def declared_functions(include, left_out):
    """Names declared with DENT_API in include/dent."""
    names = set()
    for header in sorted(path for path in include.glob("dent/*.h") if path.name not in left_out):
        text = re.sub(r"/\*.*?\*/", " ", header.read_text(encoding="utf-8"), flags=re.DOTALL)
        text = re.sub(r"^[ \t]*#.*$", " ", re.sub(r"\\\n", " ", text), flags=re.MULTILINE)
        names.update(re.findall(r"\bDENT_API\b[^;{]*?\b(dent_\w+)\s*\(", text))
    return names


def without_comments(path):
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", path.read_text(encoding="utf-8", errors="replace"), flags=re.DOTALL)


def words_of(root, *folders):
    """How often each word stands in the C files below the folders, comments left out."""
    counts = {}
    for folder in folders:
        for path in sorted((root / folder).rglob("*.[ch]")):
            for word in re.findall(r"[A-Za-z_]\w*", without_comments(path)):
                counts[word] = counts.get(word, 0) + 1
    return counts


def check_internal_functions(libraries, root, violations):
    """Functions with external linkage that nothing needs, or that tests alone need."""
    defined, wanted = {}, {}
    for library in libraries:
        command = ["nm", "-A", "-P", "-g", str(library)]
        for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
            match = re.match(r"(.*?)(?:\[(.*?)\])?: (\S+) (\S)", line)
            if match and match[4] in "UT":
                place = wanted if match[4] == "U" else defined
                place.setdefault(match[3], set()).add((match[1], match[2]))
    sources = {path: without_comments(path) for path in sorted((root / "src").rglob("*.c"))}
    tests = words_of(root, "tests", "bench")
    for name in sorted(defined):
        if name.startswith("dent_") or wanted.get(name, set()) - defined[name]:
            continue
        uses = sum(len(re.findall(rf"\b{name}\b", text)) for text in sources.values())
        if uses == 0:
            continue  # made by the preprocessor or the compiler
        if name not in tests:
            violations.append(f"{name} is called in its own file only: it can be static")
        elif uses == 1 and name not in SEAMS:
            violations.append(f"{name} is called by tests only: it belongs to them")


def check_outcomes(root, violations):
    """Values of dent_status and dent_outcome that no source gives; naming one in a switch is not giving it."""
    text = " ".join(without_comments(path) for path in sorted((root / "include" / "dent").glob("*.h")))
    sources = " ".join(without_comments(path) for path in sorted((root / "src").rglob("*.[ch]")))
    sources = re.sub(r"\bcase\s+\w+\s*:|[=!]=\s*DENT_\w+", " ", sources)
    for kind in ("dent_status", "dent_outcome"):
        for body in re.findall(rf"\benum\s+{kind}\s*\{{(.*?)\}}", text, flags=re.DOTALL):
            for name in re.findall(r"\bDENT_\w+", body):
                if not re.search(rf"\b{name}\b", sources):
                    violations.append(f"{name} is declared, but nothing gives it")


def check_library(name, static, shared, violations):
    """Returns the exported names."""
    for library in (static, shared):
        for symbol, letter, section in read_symbols(library):
            if is_writable(section) and not TOOLCHAIN.fullmatch(symbol):
                violations.append(f"{library.name}: {symbol} lies in {section}: there may be no mutable globals")
    exported = {symbol for symbol, letter, _ in read_symbols(shared, "-D") if not TOOLCHAIN.fullmatch(symbol)}
    for symbol in sorted(exported):
        if not symbol.startswith("dent_"):
            violations.append(f"{shared.name}: exports {symbol}, which does not begin with dent_")
    exported = {symbol for symbol in exported if symbol.startswith("dent_")}
    in_static = {symbol for symbol, letter, _ in read_symbols(static, "-g")
                 if is_global(letter) and symbol.startswith("dent_")}
    for symbol in sorted(exported - in_static):
        violations.append(f"{name}: {symbol} is in the shared library only")
    for symbol in sorted(in_static - exported):
        violations.append(f"{name}: {symbol} is in the static library only")
    return exported


def check(build, root):
    """Violations, and the number of libraries looked at."""
    violations, exported, looked_at = [], set(), 0
    include = root / "include"
    for name in LIBRARIES:
        static, shared = build / f"lib{name}.a", build / f"lib{name}.so"
        if static.is_file() and shared.is_file():
            exported |= check_library(name, static, shared, violations)
            looked_at += 1
        elif static.is_file() != shared.is_file():
            violations.append(f"{name}: only one of {static.name} and {shared.name} was built")
    missing = [name for name in LIBRARIES if not (build / f"lib{name}.a").is_file()]
    declared = declared_functions(include, [OPTIONAL.get(name) for name in missing])
    if all(name in OPTIONAL for name in missing):
        for symbol in sorted(declared - exported):
            violations.append(f"include/dent declares {symbol}, but no library exports it")
        check_internal_functions([build / f"lib{name}.a" for name in LIBRARIES if name not in missing], root, violations)
        check_outcomes(root, violations)
    if looked_at > 0:
        for symbol in sorted(exported - declared):
            violations.append(f"{symbol} is exported, but not declared DENT_API in include/dent")
    return violations, looked_at


def main(arguments):
    if len(arguments) != 1:
        print("usage: check_symbols.py BUILD_DIRECTORY", file=sys.stderr)
        return 2
    root = Path(__file__).resolve().parent.parent
    try:
        violations, looked_at = check(Path(arguments[0]), root)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"check_symbols: {error}", file=sys.stderr)
        return 2
    for violation in violations:
        print(violation)
    if looked_at == 0:
        print(f"check_symbols: no libraries in {arguments[0]}", file=sys.stderr)
        return 2
    verdict = f"{len(violations)} violation(s)" if violations else "good"
    print(f"check_symbols: {looked_at} libraries looked at, {verdict}")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
