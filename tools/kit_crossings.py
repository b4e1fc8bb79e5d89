#!/usr/bin/env python3
"""Writes docs/tables/kit_crossings.md: crossing triangle pairs per frame of the data kit's cloth and collision frames.

    DENT_TOOL=build/apps/cli/dent DENT_DATA=... tools/kit_crossings.py > docs/tables/kit_crossings.md

With --check FILE it prints nothing and fails unless FILE says the same.
"""
import json
import os
import subprocess
import sys

COLLISION_SCENES = ("armadillo-rollers", "cloth-ball", "cloth-funnel")
PER_ROW = 10


def ask(*arguments):
    command = [os.environ["DENT_TOOL"], "pairs", "--ask", "face-face", "--json", *arguments]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in output.splitlines()]


def shirt_rows(counts):
    yield "| frames | " + " | ".join("+%d" % i for i in range(PER_ROW)) + " |"
    yield "|---:|" + "---:|" * PER_ROW
    for start in range(0, len(counts), PER_ROW):
        row = [str(count) for count in counts[start:start + PER_ROW]]
        yield "| %d | " % start + " | ".join(row + [""] * (PER_ROW - len(row))) + " |"


def page(data):
    shirt = os.path.join(data, "meshes", "cloth-diffcloth", "iter0.tar.xz")
    alone = ask(shirt)
    with_first = ask("--no-self", shirt, shirt + "/iter0/000.obj")
    yield "# Crossing triangles in the data kit's frames"
    yield ""
    yield ("Pairs that `dent pairs --ask face-face` reports: triangles that share no vertex and whose interiors cross. "
           "The command is")
    yield ("`DENT_TOOL=build/apps/cli/dent DENT_DATA=... tools/kit_crossings.py`. A test regenerates the table and "
           "compares it.")
    yield ""
    yield "## Collision frames"
    yield ""
    yield ("`dent pairs --ask face-face --count frames/SCENE/frames`. All pairs are of the kind `crossing`. "
           "The fingerprint")
    yield "is the `pairs_hash` of `--json`; brute force gives the same."
    yield ""
    yield "| scene | frame | triangles | crossing pairs | pairs_hash |"
    yield "|---|---:|---:|---:|---|"
    for scene in COLLISION_SCENES:
        folder = os.path.join(data, "frames", scene, "frames")
        info = subprocess.run([os.environ["DENT_TOOL"], "info", "--json", folder], capture_output=True, text=True,
                              check=True)
        for frame in ask(folder):
            assert frame["crossing"] == frame["pairs"]
            yield "| %s | %d | %d | %d | `%s` |" % (scene, frame["frame"], json.loads(info.stdout)["faces"],
                                                    frame["pairs"],
                                                 frame["pairs_hash"])
    yield ""
    yield "## T-shirt, 251 frames"
    yield ""
    crossing = [frame["frame"] for frame in alone if frame["pairs"] > 0]
    assert len(alone) == 251 and not crossing, crossing
    yield "The shirt has 2745 triangles. It crosses itself in none of the 251 frames:"
    yield "`dent pairs --ask face-face --count meshes/cloth-diffcloth/iter0.tar.xz` prints 0 for each."
    yield ""
    yield "To have pairs to count, the moving shirt is compared with its own first frame, which stands still:"
    yield ("`dent pairs --ask face-face --no-self --count iter0.tar.xz iter0.tar.xz/iter0/000.obj`. "
           "In frame 0 the two coincide, and every triangle is")
    yield "`coplanar` with its copy; from frame 1 on all pairs are `crossing`%s." % (
        "" if not sum(frame["coplanar"] for frame in with_first[1:])
        else " but %d" % sum(f["coplanar"] for f in with_first[1:]))
    yield ""
    yield from shirt_rows([frame["pairs"] for frame in with_first])


def main(arguments):
    text = "\n".join(page(os.environ["DENT_DATA"])) + "\n"
    if len(arguments) == 2 and arguments[0] == "--check":
        with open(arguments[1], encoding="utf-8") as file:
            return 0 if file.read() == text else "%s is not what the tool says now" % arguments[1]
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
