#!/usr/bin/env python3
"""The tables of docs/scaling.md: step time against overlap, swarms, graded meshes, growth, traps, memory and allocations.

    bench/tables.py BUILD_DIR [--parts overlap,swarm,graded,growth,traps] [--frames N] [--repeat N] [--results DIR]

Runs `dent bench --json` of a build and prints Markdown; every row goes into a CSV file per part under
bench/results/<machine>/ as well. One thread and processor time, so that other work on the machine disturbs little; medians with
quartiles. The methods of one table are measured in turns in one process, and their answers are compared there.
"""
import argparse
import csv
import json
import math
import pathlib
import re
import subprocess
import sys

METHODS = ["cluster-search", "spatial-hash", "bucket-tree"]
QUESTIONS = ["vertex-cell", "face-cell"]
OVERLAPS = [0, 0.01, 0.07, 0.2, 0.5, 0.8]
GROWTH_SCALES = [0.0016, 0.0156, 0.0625, 0.15625, 0.5, 1.5625]
SLOPE_FROM = 5000  # tetrahedra; the 1k row is shown, not fitted
SLOPE_ALLOWED = 1.1
TRAP_ALLOWED = 20
COLUMNS = ["part", "scene", "setting", "scale", "cells", "vertices", "question", "method", "isa", "median_ms", "low_ms", "high_ms",
           "candidates", "pairs", "pairs_hash", "peak_bytes", "allocations", "commit"]


def machine_name():
    """Processor and number of them, as a folder name."""
    text = pathlib.Path("/proc/cpuinfo").read_text() if pathlib.Path("/proc/cpuinfo").exists() else ""
    models = re.findall(r"^model name\s*:\s*(.*)$", text, re.M)
    name = models[0] if models else "unknown"
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") + f"-{max(1, len(models))}-processors"


class Bench:
    """Runs the tool, keeps the rows."""

    def __init__(self, options):
        self.dent = str(pathlib.Path(options.build) / "apps" / "cli" / "dent")
        self.options = options
        self.rows = []

    def sizes(self, scene, scale):
        """Cells and vertices of a scene; they do not depend on the overlap."""
        command = [self.dent, "info", scene, "--json", "--scale", str(scale), "--set", "inside=0"]
        bodies = [json.loads(line) for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()]
        return sum(body["cells"] for body in bodies), sum(body["vertices"] for body in bodies)

    def run(self, part, scene, scale=1, setting=None, frames=None, repeat=None):
        """All questions and methods on one scene; returns the rows of the wanted methods."""
        cells, vertices = self.sizes(scene, scale)
        made = []
        for question in QUESTIONS:
            command = [self.dent, "bench", scene, "--json", "--threads", "1", "--cpu-time", "--ask", question, "--scale", str(scale),
                       "--frames", str(frames or self.options.frames), "--repeat", str(repeat or self.options.repeat)]
            command += ["--set", setting] if setting else []
            print("$", " ".join(["dent"] + command[1:]), file=sys.stderr, flush=True)
            output = subprocess.run(command, capture_output=True, text=True)
            if output.returncode != 0:
                sys.exit(f"tables.py: {' '.join(command)}: {output.stderr.strip()}")
            for line in output.stdout.splitlines():
                row = json.loads(line)
                row.update(part=part, setting=setting or "", cells=cells, vertices=vertices)
                made.append(row)
        self.rows += made
        return made

    def save(self, part):
        folder = pathlib.Path(self.options.results) / machine_name()
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / f"tables-{part}.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            writer.writerows(row for row in self.rows if row["part"] == part)


def pick(rows, question, method):
    return next((row for row in rows if row["question"] == question and row["method"] == method), None)


def number(value):
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def time_cell(row):
    """Median and quartiles in milliseconds."""
    if row is None or row["median_ms"] is None:
        return "–"
    return f"{number(row['median_ms'])} ({number(row['low_ms'])}–{number(row['high_ms'])})"


def print_table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print(flush=True)


def method_rows(rows, label):
    """One line per method: time, time per tetrahedron, memory and allocations for each question."""
    lines = []
    for method in METHODS + ["sweep"]:
        for question in QUESTIONS:
            row = pick(rows, question, method)
            if row:
                lines.append([label, method, question, time_cell(row), f"{row['median_ms'] * 1e6 / row['cells']:.1f}", f"{row['pairs']:,}",
                              f"{row['peak_bytes'] / row['cells']:.0f}", str(row["allocations"])])
    return lines


METHOD_HEAD = ["scene", "method", "question", "ms (quartiles)", "ns per tet", "pairs", "peak bytes per tet", "allocations"]


def part_overlap(bench):
    for scene in ["blocks-640k", "teschner-e"]:
        measured = [(inside, bench.run("overlap", scene, setting=f"inside={inside}")) for inside in OVERLAPS]
        for question in QUESTIONS:
            print(f"`{scene}`, {question}: ms of a step (quartiles) by share of vertices inside\n")
            lines = []
            for inside, rows in measured:
                pairs = pick(rows, question, METHODS[0])["pairs"]
                lines.append([f"{100 * inside:g} %", f"{pairs:,}"] + [time_cell(pick(rows, question, method)) for method in METHODS])
            print_table(["inside", "pairs"] + METHODS, lines)
    bench.save("overlap")


def part_swarm(bench):
    rows = bench.run("swarm", "teschner-a", scale=50)
    print("`teschner-a --scale 50`: 5,000 bodies of 10 tetrahedra\n")
    print_table(METHOD_HEAD, method_rows(rows, "teschner-a × 50"))
    bench.save("swarm")


def part_graded(bench):
    lines = []
    for label, scale, setting in [("grading 1", 1, "grading=1"), ("grading 1000", 1, "grading=1000"), ("grading 1000, × 10", 10, "grading=1000")]:
        lines += method_rows(bench.run("graded", "graded", scale=scale, setting=setting), label)
    print("`graded`: 24 wedges, largest cell over smallest cell as given\n")
    print_table(METHOD_HEAD, lines)
    bench.save("graded")


def slope(points):
    """Least squares of log(time) over log(cells)."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    mean_x = sum(x for x, _ in logs) / len(logs)
    mean_y = sum(y for _, y in logs) / len(logs)
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)


def part_growth(bench):
    measured = [bench.run("growth", "blocks-640k", scale=scale) for scale in GROWTH_SCALES]
    for question in QUESTIONS:
        print(f"`blocks-640k` cut finer and finer, {question}: ms of a step (quartiles)\n")
        lines = []
        for rows in measured:
            lines.append([f"{rows[0]['cells']:,}"] + [time_cell(pick(rows, question, method)) for method in METHODS])
        fits = []
        for method in METHODS:
            points = [(row["cells"], row["median_ms"]) for row in (pick(rows, question, method) for rows in measured) if row]
            value = slope([point for point in points if point[0] >= SLOPE_FROM])
            fits.append(f"**{value:.2f}**" + ("" if value <= SLOPE_ALLOWED else f" above {SLOPE_ALLOWED}"))
        lines.append(["slope, 10k → 1M"] + fits)
        print_table(["tetrahedra"] + METHODS, lines)
    print("Memory and allocations in the same runs: peak bytes per tetrahedron of the method's context (bodies, topology and the method's own "
          "structures, scratch memory included), most allocations in a step after warm-up\n")
    lines = []
    for rows in measured:
        for method in METHODS:
            found = [pick(rows, question, method) for question in QUESTIONS]
            lines.append([f"{rows[0]['cells']:,}", method] + [f"{row['peak_bytes'] / row['cells']:.0f}" for row in found] +
                         [str(max(row["allocations"] for row in found))])
    print_table(["tetrahedra", "method"] + [f"{question}, bytes per tet" for question in QUESTIONS] + ["allocations"], lines)
    bench.save("growth")


def part_traps(bench):
    folder = pathlib.Path(bench.options.results) / machine_name()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "tables-traps.csv"
    if not bench.options.keep_traps:
        command = [str(pathlib.Path(bench.options.build) / "bench" / "bench_traps"), "--csv", str(path)]
        if subprocess.run(command, stdout=subprocess.DEVNULL).returncode != 0:
            sys.exit("tables.py: bench_traps failed, or methods disagree")
    rows = list(csv.DictReader(open(path)))
    for question in QUESTIONS:
        lines = {}
        for row in rows:
            if row["question"] == question:
                milliseconds, ratio = float(row["median_ms"]), float(row["ratio"])
                cell = "cancelled" if math.isnan(ratio) else f"{number(milliseconds)} (× {ratio:.2f})"
                lines.setdefault(row["trap"], {})[row["method"]] = cell if ratio <= TRAP_ALLOWED else f"**{cell}**"
        methods = METHODS + ["auto", "sweep"]
        print(f"{question}: ms of a step (over `spread`)\n")
        print_table(["trap"] + methods, [[trap] + [cells.get(method, "–") for method in methods] for trap, cells in lines.items()])


PARTS = {"overlap": part_overlap, "swarm": part_swarm, "graded": part_graded, "growth": part_growth, "traps": part_traps}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", help="build directory that holds apps/cli/dent")
    parser.add_argument("--parts", default=",".join(PARTS), help="comma-separated: " + ", ".join(PARTS))
    parser.add_argument("--frames", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--keep-traps", action="store_true", help="print the traps from the CSV file, without measuring")
    parser.add_argument("--results", default=str(pathlib.Path(__file__).resolve().parent / "results"))
    options = parser.parse_args()
    bench = Bench(options)
    for part in options.parts.split(","):
        if part not in PARTS:
            sys.exit(f"tables.py: no part '{part}'; there are: {', '.join(PARTS)}")
        PARTS[part](bench)
    commits = sorted({row["commit"] for row in bench.rows})
    print(f"Machine {machine_name()}; commit {', '.join(commits)}; {options.frames} frames × {options.repeat}.")


if __name__ == "__main__":
    main()
