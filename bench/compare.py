#!/usr/bin/env python3
"""Compares the speed of two builds of the tool, interleaved.

    bench/compare.py OLD/dent NEW/dent [--rounds 10] [--races tiny,small,large,...] [--isa avx2] [--csv FILE]

Each round runs every race once with either tool, in turns, on one thread and in CPU time. A row is one race, scene,
question and method. Its figure is the median over the rounds of new ÷ old lower quartile. Pair hashes must agree: a difference
is an error. Ctrl-C ends it early: the rounds so far count. The races are those of docs/benchmarks.md without peers;
those on files need DENT_DATA.
"""
import argparse
import glob
import json
import math
import os
import shutil
import statistics
import subprocess
import sys

KIT = os.environ.get("DENT_DATA", "")
TEETH = sorted(glob.glob(os.path.join(KIT, "meshes/jaw-openmandible/Tooth_L[67]_*.ele.xz")))
IRREGULAR = [[os.path.join(KIT, "meshes", name)] for name in (
    "tets-ipc/Armadillo13K.msh.xz", "tets-ipc/bunny.msh.xz", "tets-ipc/32770_octocat.msh.xz",
    "jaw-openmandible/CorticalBone.1.ele.xz")] if KIT else []
FEW = ["--frames", "2", "--repeat", "2"]
# A race is one or more command lines of `dent bench`. Files of one command line are one model.
RACES = {
    "tiny": [["--frames", "5", "--repeat", "40", "teschner-a"]],
    "small": [["--frames", "3", "--repeat", "4", "teschner-b", "teschner-c", "teschner-d", "teschner-e"]],
    "large": [FEW + ["blocks-640k", "folded-1m"]],
    "jaw": [FEW + ["--frame", "49", "jaw"]],
    "faces": [["--ask", "face-face", "--frames", "3", "--repeat", "4", "teschner-d", "teschner-e"]],
    "sheets": [FEW + ["--ask", "face-face", "cloth-500k", "sheet-flat", "sheet-tilted", "sheet-curved"]],
    "swarm": [FEW + ["--scale", "50", "teschner-a"]],
    "fitted": [FEW + ["fitted"]],
    "teeth": [FEW + TEETH],
    "irregular": [FEW + files for files in IRREGULAR],
    "rest": [FEW + ["--motion", "rest"] + files for files in IRREGULAR + [["fitted"]]],
    "rigid": [FEW + ["--motion", "rigid"] + files for files in IRREGULAR + [["fitted"]]],
    "armadillo": [["--frames", "2", "--repeat", "3"] + files for files in IRREGULAR[:1]],
}
NEED_KIT = ("teeth", "irregular", "armadillo")


def run(tool, race, options):
    """One object per row: {(race, scene, question, method): (low_ms, pairs_hash)}."""
    pin = ["taskset", "-c", options.cpu] if shutil.which("taskset") else []
    method = ["--method", options.method] if options.method else []
    rows = {}
    for arguments in RACES[race]:
        command = pin + [tool, "bench", "--json", "--threads", "1", "--cpu-time", "--isa", options.isa] + method
        done = subprocess.run(command + arguments, check=True, stdout=subprocess.PIPE, text=True)
        for line in done.stdout.splitlines():
            row = json.loads(line)
            key = race, os.path.basename(row["scene"]), row["question"], row["method"]
            rows[key] = row["low_ms"], row["pairs_hash"]
    return rows


def race_rounds(tools, races, options, times):
    """Fills {row: [(old, new), ...]}; the order of the tools changes from round to round."""
    for number in range(options.rounds):
        for race in races:
            order = (0, 1) if number % 2 == 0 else (1, 0)
            found = {side: run(tools[side], race, options) for side in order}
            for key in found[0].keys() & found[1].keys():
                (old, old_hash), (new, new_hash) = found[0][key], found[1][key]
                if old_hash != new_hash:
                    sys.exit(f"compare: {' '.join(key)}: the pairs differ")
                times.setdefault(key, []).append((old, new))
        print(f"round {number + 1} of {options.rounds}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--races", default="", help="joined by commas; default: all. One of " + ", ".join(RACES))
    parser.add_argument("--isa", default="auto")
    parser.add_argument("--method", default="", help="only this method; default: all that can answer")
    parser.add_argument("--cpu", default="0", help="the processor that both tools run on, as taskset wants it")
    parser.add_argument("--csv", help="write the rows to this file too")
    options = parser.parse_args()
    races = options.races.split(",") if options.races else [race for race in RACES if KIT or race not in NEED_KIT]
    times = {}
    try:
        race_rounds((options.old, options.new), races, options, times)
    except KeyboardInterrupt:
        print("compare: interrupted; the rounds so far", file=sys.stderr)
    rows = []
    for key, pairs in sorted(times.items()):
        ratios = sorted(new / old for old, new in pairs)
        rows.append((statistics.median(ratios), ratios[len(ratios) // 4], ratios[(3 * len(ratios)) // 4],
                     statistics.median(old for old, _ in pairs), statistics.median(new for _, new in pairs), key))
    rows.sort(reverse=True)
    text = ["race,scene,question,method,old_ms,new_ms,ratio,ratio_low,ratio_high"]
    text += [f"{','.join(key)},{old:.4f},{new:.4f},{ratio:.3f},{low:.3f},{high:.3f}"
             for ratio, low, high, old, new, key in rows]
    print("\n".join(text))
    mean = math.exp(statistics.fmean(math.log(row[0]) for row in rows))
    print(f"{len(rows)} rows: geometric mean {mean:.3f}, median {statistics.median(r[0] for r in rows):.3f}, "
          f"worst {rows[0][0]:.3f}, above 1.03: {sum(row[0] > 1.03 for row in rows)}")
    if options.csv:
        with open(options.csv, "w", encoding="utf-8") as file:
            file.write("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
