#!/usr/bin/env python3
"""The tables of docs/scaling.md and docs/benchmarks.md.

    bench/tables.py BUILD_DIR [--parts PART,...] [--results DIR]   measure, keep as CSV, print; parts: overlap, swarm,
                                                                   graded, growth, cloth, traps
    bench/tables.py --results DIR --write PAGE...                  rewrite the tables in pages from what was kept

What is measured here is how time grows (`dent bench --json`, one thread, CPU time, methods in turns, answers
compared); races against peers, with threads and with other instruction sets are measured by bench/make_results.sh,
which calls this program and is all that is needed to make both pages again. In a page a table stands between
<!-- begin NAME --> and <!-- end NAME -->; the rest is written by hand.
"""
import argparse
import csv
import json
import math
import pathlib
import re
import subprocess
import sys

METHODS = ["cluster-search", "contour-walk", "spatial-hash", "bucket-tree"]
QUESTIONS = ["vertex-cell", "face-cell"]
OVERLAPS = [0, 0.01, 0.07, 0.2, 0.5, 0.8]
GROWTH_SCALES = [0.0016, 0.0156, 0.0625, 0.15625, 0.5, 1.5625]
CLOTH_SCALES = [0.002, 0.02, 0.1, 0.4, 1, 2]
SLOPE_FROM = 5000  # elements; the 1k row is shown, not fitted
SLOPE_ALLOWED = 1.1
TRAP_ALLOWED = 20
COLUMNS = ["part", "scene", "setting", "scale", "cells", "vertices", "question", "method", "isa", "median_ms", "low_ms",
           "high_ms", "candidates", "pairs", "pairs_hash", "peak_bytes", "allocations", "commit"]


def machine_name():
    """Processor and number of them, as a folder name."""
    text = pathlib.Path("/proc/cpuinfo").read_text() if pathlib.Path("/proc/cpuinfo").exists() else ""
    models = re.findall(r"^model name\s*:\s*(.*)$", text, re.M)
    name = models[0] if models else "unknown"
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") + f"-{max(1, len(models))}-processors"


# ---- measuring -----------------------------------------------------------------------------------------------------


class Bench:
    """Runs the tool and keeps the rows of a part."""

    def __init__(self, options):
        self.build = pathlib.Path(options.build)
        self.dent = str(self.build / "apps" / "cli" / "dent")
        self.options = options
        self.rows = []

    def sizes(self, scene, scale):
        """Elements (cells, or triangles of surfaces) and vertices of a scene; they do not depend on the overlap."""
        command = [self.dent, "info", scene, "--json", "--scale", str(scale)]
        command += [] if scene.startswith("cloth") else ["--set", "inside=0"]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        bodies = [json.loads(line) for line in output.splitlines()]
        return sum(body["cells"] or body["surface_faces"] for body in bodies), sum(body["vertices"] for body in bodies)

    def run(self, part, scene, scale=1, setting=None, questions=QUESTIONS):
        """All questions and methods on one scene."""
        cells, vertices = self.sizes(scene, scale)
        for question in questions:
            command = [self.dent, "bench", scene, "--json", "--threads", "1", "--cpu-time", "--ask", question,
                       "--scale", str(scale),
                       "--frames", str(self.options.frames), "--repeat", str(self.options.repeat)]
            command += ["--set", setting] if setting else []
            print("$", " ".join(["dent"] + command[1:]), file=sys.stderr, flush=True)
            output = subprocess.run(command, capture_output=True, text=True)
            if output.returncode != 0:
                sys.exit(f"tables.py: {' '.join(command)}: {output.stderr.strip()}")
            for line in output.stdout.splitlines():
                row = json.loads(line)
                row.update(part=part, setting=setting or "", cells=cells, vertices=vertices)
                self.rows.append(row)

    def save(self, part):
        with open(pathlib.Path(self.options.results) / f"tables-{part}.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            writer.writerows(row for row in self.rows if row["part"] == part)


def measure_overlap(bench):
    for scene in ["blocks-640k", "teschner-e"]:
        for inside in OVERLAPS:
            bench.run("overlap", scene, setting=f"inside={inside}")


def measure_swarm(bench):
    bench.run("swarm", "teschner-a", scale=50)


def measure_graded(bench):
    for scale, setting in [(1, "grading=1"), (1, "grading=1000"), (10, "grading=1000")]:
        bench.run("graded", "graded", scale=scale, setting=setting)


def measure_growth(bench):
    for scale in GROWTH_SCALES:
        bench.run("growth", "blocks-640k", scale=scale)


def measure_cloth(bench):
    for scale in CLOTH_SCALES:
        bench.run("cloth", "cloth-500k", scale=scale, questions=["face-face"])


def measure_traps(bench):
    command = [str(bench.build / "bench" / "bench_traps"), "--csv",
               str(pathlib.Path(bench.options.results) / "tables-traps.csv")]
    print("$", " ".join(command), file=sys.stderr, flush=True)
    if subprocess.run(command, stdout=subprocess.DEVNULL).returncode != 0:
        sys.exit("tables.py: bench_traps failed, or methods disagree")


PARTS = {"overlap": measure_overlap, "swarm": measure_swarm, "graded": measure_graded, "growth": measure_growth,
         "cloth": measure_cloth, "traps": measure_traps}


# ---- what was kept -------------------------------------------------------------------------------------------------


class Missing(Exception):
    """A table cannot be made: what it shows was not measured."""


NUMBERS = ["scale", "cells", "vertices", "faces", "median_ms", "low_ms", "high_ms", "candidates", "pairs", "peak_bytes",
           "allocations", "threads", "ratio", "frames", "repeat", "refit_ms", "culling_ms", "traversal_ms",
           "filters_ms", "exact_ms", "prepare_ms", "finish_ms", "search_ms"]


def load(folder, name):
    """Rows of NAME.csv with numbers as numbers; an empty field is None."""
    path = pathlib.Path(folder) / f"{name}.csv"
    if not path.exists():
        raise Missing(f"{path.name} is not there")
    rows = list(csv.DictReader(open(path)))
    for row in rows:
        for key in NUMBERS:
            if key in row:
                row[key] = float(row[key]) if row[key] not in ("", None) else None
    if not rows:
        raise Missing(f"{path.name} is empty")
    return rows


def load_all(folder, *names):
    """Those that are there; at least one must be."""
    rows, missing = [], None
    for name in names:
        try:
            rows += load(folder, name)
        except Missing as error:
            missing = error
    if not rows:
        raise missing
    return rows


def unique(values):
    return list(dict.fromkeys(values))


def pick(rows, **wanted):
    return next((row for row in rows if all(row[key] == value for key, value in wanted.items())), None)


# ---- Markdown ------------------------------------------------------------------------------------------------------


def number(value):
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def against(best, row):
    """Milliseconds, and how many times as fast as the best peer that is."""
    return f"{number(row['median_ms'])} ({best['median_ms'] / row['median_ms']:.1f}×)"


def time_cell(row):
    """Median and quartiles in milliseconds."""
    if row is None or row["median_ms"] is None:
        return "–"
    return f"{number(row['median_ms'])} ({number(row['low_ms'])}–{number(row['high_ms'])})"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def whole(value):
    return f"{value:,.0f}"


METHOD_HEAD = ["scene", "method", "question", "ms (quartiles)", "ns per tet", "pairs", "peak bytes per tet",
               "allocations"]


def method_rows(rows, label):
    """One line per method and question: time, time per tetrahedron, memory and allocations."""
    lines = []
    for method in METHODS + ["sweep"]:
        for question in QUESTIONS:
            row = pick(rows, question=question, method=method)
            if row:
                lines.append([label, method, question, time_cell(row), f"{row['median_ms'] * 1e6 / row['cells']:.1f}",
                              whole(row["pairs"]), whole(row["peak_bytes"] / row["cells"]), whole(row["allocations"])])
    return lines


def slope(points):
    """Least squares of log(time) over log(elements)."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    mean_x = sum(x for x, _ in logs) / len(logs)
    mean_y = sum(y for _, y in logs) / len(logs)
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)


def slope_cell(rows, method):
    points = [(row["cells"], row["median_ms"]) for row in rows if row["method"] == method
              and row["cells"] >= SLOPE_FROM]
    if len(points) < 2:
        return "–"
    value = slope(points)
    return f"**{value:.2f}**" + ("" if value <= SLOPE_ALLOWED else f" above {SLOPE_ALLOWED}")


# ---- tables of scaling.md ------------------------------------------------------------------------------------------


def table_overlap(folder):
    rows = load(folder, "tables-overlap")
    text = ""
    for scene in unique(row["scene"] for row in rows):
        for question in QUESTIONS:
            text += f"`{scene}`, {question}: ms per query (quartiles) by share of vertices inside\n\n"
            lines = []
            for setting in unique(row["setting"] for row in rows):
                here = [row for row in rows if row["scene"] == scene and row["question"] == question
                        and row["setting"] == setting]
                if here:
                    lines.append([f"{100 * float(setting.split('=')[1]):g} %", whole(here[0]["pairs"])] +
                                 [time_cell(pick(here, method=method)) for method in METHODS])
            text += table(["inside", "pairs"] + METHODS, lines) + "\n"
    return text


def table_swarm(folder):
    rows = method_rows(load(folder, "tables-swarm"), "teschner-a × 50")
    return "`teschner-a --scale 50`: 5,000 bodies of 10 tetrahedra\n\n" + table(METHOD_HEAD, rows)


def table_graded(folder):
    rows = load(folder, "tables-graded")
    lines = []
    for setting, scale in unique((row["setting"], row["scale"]) for row in rows):
        label = setting.replace("=", " ") + (f", × {scale:g}" if scale != 1 else "")
        lines += method_rows([row for row in rows if row["setting"] == setting and row["scale"] == scale], label)
    return "`graded`: 24 wedges, largest cell over smallest cell as given\n\n" + table(METHOD_HEAD, lines)


def table_growth(folder):
    rows = load(folder, "tables-growth")
    text = ""
    for question in QUESTIONS:
        asked = [row for row in rows if row["question"] == question]
        text += f"`blocks-640k` cut finer and finer, {question}: ms per query (quartiles)\n\n"
        lines = [[whole(cells)] + [time_cell(pick(asked, cells=cells, method=method)) for method in METHODS]
                 for cells in unique(row["cells"] for row in asked)]
        lines.append(["slope, 10k → 1M"] + [slope_cell(asked, method) for method in METHODS])
        text += table(["tetrahedra"] + METHODS, lines) + "\n"
    return text


def table_memory(folder):
    rows = load(folder, "tables-growth")
    lines = []
    for cells in unique(row["cells"] for row in rows):
        for method in METHODS:
            found = [pick(rows, cells=cells, method=method, question=question) for question in QUESTIONS]
            if all(found):
                lines.append([whole(cells), method] + [whole(row["peak_bytes"] / cells) for row in found] +
                             [whole(max(row["allocations"] for row in found))])
    return table(["tetrahedra", "method"] + [f"{question}, bytes per tet" for question in QUESTIONS] + ["allocations"],
                 lines)


def table_cloth(folder):
    rows = load(folder, "tables-cloth")
    methods = ["surface-tree", "spatial-hash", "bucket-tree"]
    lines = []
    for cells in unique(row["cells"] for row in rows):
        found = [pick(rows, cells=cells, method=method) for method in methods]
        lines.append([whole(cells), whole(found[0]["pairs"])] + [time_cell(row) for row in found] +
                     [whole(row["peak_bytes"] / cells) if row else "–" for row in found] +
                     [whole(max(row["allocations"] for row in found if row))])
    lines.append(["slope, 10k → 1M", ""] + [slope_cell(rows, method) for method in methods] + [""] * (len(methods) + 1))
    return table(["triangles", "pairs"] + [f"{method}, ms" for method in methods] +
                 [f"{method}, bytes per triangle" for method in methods] + ["allocations"], lines)


def table_traps(folder):
    rows = load(folder, "tables-traps")
    text = ""
    methods = METHODS + ["auto", "sweep"]
    for question in QUESTIONS:
        lines = {}
        for row in rows:
            if row["question"] == question:
                milliseconds, ratio = row["median_ms"], row["ratio"]
                cell = "cancelled" if math.isnan(ratio) else f"{number(milliseconds)} (× {ratio:.2f})"
                lines.setdefault(row["trap"], {})[row["method"]] = cell if ratio <= TRAP_ALLOWED else f"**{cell}**"
        text += f"{question}: ms per query (over `spread`)\n\n"
        rows_of_table = [[trap] + [cells.get(method, "–") for method in methods] for trap, cells in lines.items()]
        text += table(["trap"] + methods, rows_of_table) + "\n"
    return text


# ---- tables of benchmarks.md ---------------------------------------------------------------------------------------


def races(rows):
    """Rows by race, in order: ((scene, parameters, question), rows)."""
    found = {}
    for row in rows:
        found.setdefault((row["scene"], row["parameters"], row["question"]), []).append(row)
    return found.items()


def is_peer(row):
    return row["peer"] == "true"


def fastest_peer(rows):
    return min((row for row in rows if is_peer(row) and row["median_ms"]), key=lambda row: row["median_ms"],
               default=None)


def race_table(rows, size, size_name):
    """A line per race, a column per contestant; ours with the ratio to the fastest peer, which is bold."""
    ours = unique(row["method"] for row in rows if not is_peer(row)
                  and row["method"] not in ("sweep", "brute-force", "control"))
    peers = unique(row["method"] for row in rows if is_peer(row))
    lines = []
    for (scene, _, _), race in races(rows):
        best = fastest_peer(race)
        line = [scene, whole(race[0][size]), whole(race[0]["pairs"])]
        for name in ours + peers:
            row = pick(race, method=name)
            if row is None or row["median_ms"] is None:
                line.append("–")
            elif is_peer(row):
                line.append(f"**{number(row['median_ms'])}**" if row is best else number(row["median_ms"]))
            else:
                line.append(against(best, row) if best else number(row["median_ms"]))
        lines.append(line)
    return table(["scene", size_name, "pairs"] + ours + [f"*{name}*" for name in peers], lines)


def race_files(question):
    return [f"peers-tiny-{question}", f"peers-{question}", f"peers-large-{question}", f"peers-jaw-{question}"]


def table_race(question, size, size_name):
    return lambda folder: race_table(load_all(folder, *race_files(question)), size, size_name)


def table_together(folder):
    return race_table(load(folder, "together"), "cells", "cells")


def table_files(folder):
    """Mesh files: the fastest peer beside ours, all questions."""
    names = [f"files-{model}-{question}" for model in ("armadillo", "bunny", "jaw")
             for question in ("vertex-cell", "face-cell", "face-face")]
    names += [f"files-{model}-face-face" for model in ("tshirt", "cloth-ball", "cloth-funnel", "armadillo-rollers")]
    rows = []
    for name in names:
        try:
            kept = load(folder, name)
        except Missing:
            continue
        for row in kept:
            # An archive or folder is called after itself; the name of the model is clearer.
            row["scene"] = name.removeprefix("files-").removesuffix("-" + row["question"])
            rows.append(row)
    if not rows:
        raise Missing("no files-*.csv")
    methods = ["cluster-search", "surface-tree", "spatial-hash", "bucket-tree"]
    lines = []
    for (scene, _, question), race in races(rows):
        best = fastest_peer(race)
        line = [scene, whole(race[0]["cells"]), whole(race[0]["faces"]), question, whole(race[0]["pairs"])]
        for method in methods:
            row = pick(race, method=method)
            line.append("–" if row is None else against(best, row))
        lines.append(line + [f"{number(best['median_ms'])} {best['method']}"])
    return table(["model", "cells", "surface faces", "question", "pairs"] + methods + ["fastest peer"], lines)


REAL_MODELS = {"teeth": "two molars, 8 fitted parts (kit)", "fitted": "`fitted`: the same, generated",
               "armadillo": "armadillo, twice (kit)", "bunny": "bunny, twice (kit)", "octocat": "octocat, twice (kit)",
               "bone": "cortical bone, twice (kit)"}


def load_or_none(folder, name):
    try:
        return load(folder, name)
    except Missing:
        return []


def table_real(folder):
    """Models that people have: cluster search beside the fastest peer, and what motion and threads change."""
    lines = []
    for model, title in REAL_MODELS.items():
        rows = load_or_none(folder, f"real-{model}")
        others = [load_or_none(folder, f"real-{model}-{kind}") for kind in ("rigid", "rest", "threads")]
        peers = {question: fastest_peer(race) for (_, _, question), race in races(rows)}
        for (_, _, question), race in races(rows):
            ours = pick(race, method="cluster-search")
            # A peer answers two questions one after the other.
            best = [peers.get(asked) for asked in question.split("+")]
            peer_ms = sum(row["median_ms"] for row in best) if all(best) else None
            line = [title, whole(race[0]["cells"]), "both" if "+" in question else question, whole(race[0]["pairs"]),
                    f"{number(peer_ms)} {' + '.join(unique(row['method'] for row in best))}" if peer_ms else "–",
                    number(ours["median_ms"]), f"**{peer_ms / ours['median_ms']:.1f}×**" if peer_ms else "–"]
            for kept in others[:2]:
                row = pick(kept, question=question, method="cluster-search") if kept else None
                line.append(number(row["median_ms"]) if row else "–")
            lines.append(line + [threads_cell([row for row in others[2] if row["question"] == question])])
            title = ""
    if not lines:
        raise Missing("no real-*.csv")
    return table(["model", "cells", "question", "pairs", "fastest peer", "cluster search, deforming", "faster",
                  "rigid motion", "at rest", "all processors (speed-up, control's)"], lines)


README_ROWS = [("real-teeth", "two molars: 8 parts that fit, 144k tets (data kit)", "vertex-cell"),
               ("real-teeth", "", "face-cell"),
               ("real-armadillo", "two armadillos, 110k tets (data kit)", "vertex-cell"),
               ("real-armadillo", "", "face-cell"),
               ("peers-vertex-cell", "`teschner-e`: 100 slabs, 50k tets", "vertex-cell"),
               ("peers-face-cell", "", "face-cell"),
               ("peers-large-face-face", "`cloth-500k`: crumpled sheet, 500k triangles", "face-face"),
               ("peers-large-face-face", "`sheet-curved`: 500k triangles, nothing crosses", "face-face")]


def table_readme(folder):
    """A few rows for the first page, real models first."""
    lines, shown = [], ""
    for name, title, question in README_ROWS:
        shown = title.split(":")[0].strip("`") if title else shown
        rows = [row for row in load(folder, name) if row["question"] == question
                and (name.startswith("real") or row["scene"] == shown)]
        best = fastest_peer(rows)
        ours = pick(rows, method="surface-tree" if question == "face-face" else "cluster-search")
        if not best or not ours:
            raise Missing(f"{name}.csv lacks a row of {shown}")
        lines.append([title, question, f"{best['method']} {number(best['median_ms'])}",
                      f"{ours['method'].replace('-', ' ')} {number(ours['median_ms'])}",
                      f"{best['median_ms'] / ours['median_ms']:.1f}×"])
    return table(["time of a query, one thread, ms", "question", "fastest peer", "dent", ""], lines)


def threads_cell(race):
    """Wall time on all threads, how many times faster that is than one, and what the arithmetic loop gains."""
    threads = max((row["threads"] for row in race), default=1)
    def times(method):
        return [pick(race, method=method, threads=count) for count in (1.0, threads)]
    ours, control = times("cluster-search"), times("control")
    if threads == 1 or not all(ours) or not all(control):
        return "–"
    gained, possible = (pair[0]["median_ms"] / pair[1]["median_ms"] for pair in (ours, control))
    return f"{number(ours[1]['median_ms'])} ({gained:.2f}, {possible:.2f})"


def table_phases(folder):
    rows = [row for row in load_all(folder, *race_files("face-face")) if row.get("exact_ms") is not None]
    phases = ["prepare", "refit", "culling", "traversal", "filters", "exact", "finish"]
    lines = [[row["scene"], row["method"]] + [number(row[f"{phase}_ms"]) for phase in phases] +
             [number(row["median_ms"])] for row in rows]
    if not lines:
        raise Missing("no row tells its phases")
    return table(["scene", "method"] + phases + ["all"], lines)


def table_threads(folder):
    rows = load_all(folder, "threads-vertex-cell", "threads-face-cell", "threads-face-face")
    lines = []
    for (scene, _, question), race in races(rows):
        threads = max(row["threads"] for row in race)
        def gain(method):
            alone, together = pick(race, method=method, threads=1.0), pick(race, method=method, threads=threads)
            return alone["median_ms"] / together["median_ms"] if alone and together else None
        best, control = fastest_peer(race), gain("control")
        for row in race:
            if is_peer(row) or row["threads"] != threads or row["method"] in ("control", "sweep", "brute-force"):
                continue
            gained = gain(row["method"])
            lines.append([scene, question, row["method"], number(row["median_ms"]),
                          f"{best['median_ms'] / row['median_ms']:.1f}× {best['method']}" if best else "–",
                          f"{gained:.2f}" if gained else "–", f"{control:.2f}" if control else "–",
                          f"{gained / control:.2f}" if gained and control else "–"])
    return table(["scene", "question", "method", "ms", "fastest peer, same threads", "speed-up", "control's", "share"],
                 lines)


def table_isa(folder):
    """Other instruction sets against the peers (at their best instruction set) of the one-thread races."""
    lines = []
    for question in ("vertex-cell", "face-cell", "face-face"):
        try:
            peers = load_all(folder, *race_files(question))
        except Missing:
            continue
        for isa in ("avx2", "scalar"):
            try:
                rows = load(folder, f"isa-{isa}-{question}")
            except Missing:
                continue
            methods = ["surface-tree"] if question == "face-face" else [
                "cluster-search", "cluster-search/no-certificate", "spatial-hash", "bucket-tree"]
            for (scene, _, _), race in races(rows):
                best = fastest_peer([row for row in peers if row["scene"] == scene])
                cells = []
                for method in methods:
                    row = pick(race, method=method)
                    cells.append("–" if row is None or best is None else f"{method} {against(best, row)}")
                lines.append([scene, question, isa, ", ".join(cells)])
    if not lines:
        raise Missing("no isa-*.csv")
    return table(["scene", "question", "instruction set", "ms (times faster than the fastest peer)"], lines)


def table_machine(folder):
    rows = load_all(folder, "peers-face-face", "peers-vertex-cell", "peers-face-cell", "peers-large-face-face",
                    "together")
    commits = unique(row["commit"] for row in rows)
    clock = {"processor": "CPU time", "wall": "wall time"}
    return (f"Machine: {rows[0]['machine']}; {rows[0]['compiler']}; commit {', '.join(commits)}; one thread, "
            f"{rows[0]['isa']}, {clock[rows[0]['clock']]} unless said otherwise.\n")


TABLES = {"overlap": table_overlap, "swarm": table_swarm, "graded": table_graded, "growth": table_growth,
          "memory": table_memory,
          "cloth": table_cloth, "traps": table_traps, "vertex-cell": table_race("vertex-cell", "cells", "cells"),
          "face-cell": table_race("face-cell", "cells", "cells"),
          "face-face": table_race("face-face", "faces", "surface faces"),
          "real": table_real, "readme": table_readme, "together": table_together, "files": table_files, "phases": table_phases, "threads": table_threads,
          "isa": table_isa, "machine": table_machine}


def write_page(path, folder):
    """Replaces the tables of a page; one that cannot be made is left as it is."""
    page = pathlib.Path(path)
    text = page.read_text()
    for name in re.findall(r"<!-- begin ([a-z-]+) -->", text):
        if name not in TABLES:
            sys.exit(f"tables.py: {page.name}: there is no table '{name}'")
        try:
            made = TABLES[name](folder).strip("\n")
        except Missing as reason:
            print(f"tables.py: {page.name}: {name} is left as it was: {reason}", file=sys.stderr)
            continue
        block = re.compile(rf"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)", re.S)
        if not block.search(text):
            sys.exit(f"tables.py: {page.name}: table '{name}' has no end")
        text = block.sub(lambda match: match.group(1) + "\n" + made + "\n\n" + match.group(2), text)
    page.write_text(text)


# ---- the program ---------------------------------------------------------------------------------------------------


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", nargs="?", help="build directory that holds apps/cli/dent")
    parser.add_argument("--parts", default=",".join(PARTS), help="comma-separated: " + ", ".join(PARTS))
    parser.add_argument("--frames", type=int, default=4)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--results", default=str(pathlib.Path(__file__).resolve().parent / "results" / machine_name()))
    parser.add_argument("--write", nargs="+", metavar="PAGE", default=[],
                        help="Markdown pages whose tables are made again")
    parser.add_argument("--machine", action="store_true", help="print the name of this machine's folder of results")
    options = parser.parse_args()
    if options.machine:
        print(machine_name())
        return
    pathlib.Path(options.results).mkdir(parents=True, exist_ok=True)
    if options.build:
        bench = Bench(options)
        for part in options.parts.split(","):
            if part not in PARTS:
                sys.exit(f"tables.py: no part '{part}'; there are: {', '.join(PARTS)}")
            PARTS[part](bench)
            if part != "traps":
                bench.save(part)
            print(TABLES[part](options.results))
    elif not options.write:
        parser.error("give a build directory to measure, or --write PAGE...")
    for page in options.write:
        write_page(page, options.results)


if __name__ == "__main__":
    main()
