#!/usr/bin/env python3
"""Checks that the built libraries and the tool are hardened as cmake/hardening.cmake wants them.

    check_hardening.py BUILD_DIRECTORY

Reads libdent.so, libdent_io.so, libdent_plan.so, libdent_haptic.so, libdent_sim.so, libdent_view.so and the tool by readelf; prints one line per violation; status 1 if
there was any, 2 if there was nothing to look at. Standard library only.

    relro      relocations are read-only after the start: a GNU_RELRO segment and BIND_NOW
    stack      GNU_STACK is there and not executable; no text relocations
    canaries   __stack_chk_fail is used
    fortify    at least one of the checked functions (__memcpy_chk, __snprintf_chk, ...) is used
    pie        programs are position independent
    runpath    RPATH and RUNPATH have no empty element, which would mean the current folder
"""

import re
import subprocess
import sys
from pathlib import Path

LIBRARIES = ("libdent.so", "libdent_io.so", "libdent_plan.so", "libdent_haptic.so", "libdent_sim.so", "libdent_view.so")
PROGRAMS = ("apps/cli/dent",)


def readelf(path, *options):
    return subprocess.run(["readelf", "-W", *options, str(path)], capture_output=True, text=True, check=True).stdout


def violations_of(path, is_program):
    segments, dynamic, symbols = readelf(path, "-l"), readelf(path, "-d"), readelf(path, "--dyn-syms")
    found = []
    if "GNU_RELRO" not in segments:
        found.append("relro: no GNU_RELRO segment (-z relro)")
    if not re.search(r"\(FLAGS\).*BIND_NOW|\(FLAGS_1\).*NOW|\(BIND_NOW\)", dynamic):
        found.append("relro: relocations are resolved late (-z now)")
    stack = re.search(r"GNU_STACK\s+(?:0x[0-9a-f]+\s+){5}([RWE ]+?)\s+0x", segments)
    if not stack or "E" in stack.group(1):
        found.append("stack: %s (-z noexecstack)" % ("executable" if stack else "no GNU_STACK"))
    if "(TEXTREL)" in dynamic:
        found.append("stack: text relocations (-fPIC)")
    if "__stack_chk_fail" not in symbols:
        found.append("canaries: __stack_chk_fail is not used (-fstack-protector-strong)")
    if not re.search(r"UND __(?!stack)\w+_chk\b", symbols):
        found.append("fortify: no checked function is used (-D_FORTIFY_SOURCE)")
    if is_program and not re.search(r"\(FLAGS_1\).*PIE", dynamic):
        found.append("pie: not position independent (-pie)")
    for kind, value in re.findall(r"\((R(?:UN)?PATH)\)\s+Library r(?:un)?path: \[(.*)\]", dynamic):
        if "" in value.split(":"):
            found.append(f"runpath: {kind} [{value}] has an empty element")
    return found


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    build = Path(arguments[0])
    files = [(build / name, name in PROGRAMS) for name in LIBRARIES + PROGRAMS if (build / name).is_file()]
    if not files:
        print(f"{build}: none of {', '.join(LIBRARIES + PROGRAMS)} was built", file=sys.stderr)
        return 2
    count = 0
    for path, is_program in files:
        for violation in violations_of(path, is_program):
            print(f"{path.name}: {violation}")
            count += 1
    print(f"check_hardening: {len(files)} files, {count} violation(s)" if count else
          f"check_hardening: {len(files)} files, good")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
