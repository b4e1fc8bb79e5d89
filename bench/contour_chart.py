#!/usr/bin/env python3
"""Chart of bench_contour: time of a step over the share of vertices inside, one line a method.

    for i in 0 0.01 0.07 0.2 0.5 0.8; do
        echo "inside $i"; bench_contour --rounds 4 --inside $i blocks-640k
    done > F.txt
    bench/contour_chart.py F.txt docs/benchmarks/contour-overlap.svg
"""
import math
import re
import sys

COLOURS = {"contour-walk": "#0072b2", "contour-walk, promised": "#56b4e9", "cluster-search": "#d55e00",
           "cluster-search/no-certificate": "#e69f00", "spatial-hash": "#009e73"}
WIDTH, HEIGHT, LEFT, BOTTOM = 760, 420, 70, 50


def read(path):
    lines, share = {}, None
    for line in open(path, encoding="utf-8"):
        found = re.match(r"inside ([0-9.]+)", line)
        if found:
            share = float(found.group(1))
            continue
        found = re.match(r"  (\S.*?)\s{2,}((?:[0-9.]+\s*)+)$", line)
        if found and share is not None and found.group(1) in COLOURS:
            lines.setdefault(found.group(1), []).append((share, float(found.group(2).split()[-1])))
    return lines


def main(source, target):
    lines = read(source)
    shares = sorted({share for points in lines.values() for share, _ in points})
    top = max(ms for points in lines.values() for _, ms in points)
    low = min(ms for points in lines.values() for _, ms in points)
    lo, hi = math.floor(math.log10(low)), math.ceil(math.log10(top))

    def x(share):
        return LEFT + shares.index(share) * (WIDTH - LEFT - 210) / max(1, len(shares) - 1)

    def y(ms):
        return HEIGHT - BOTTOM - (math.log10(ms) - lo) * (HEIGHT - BOTTOM - 30) / (hi - lo)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
           'font-family="sans-serif" font-size="13">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
           f'<text x="{LEFT}" y="18">both questions in one query, 640,000 cells: '
           'ms a step over the share of vertices inside</text>']
    for power in range(lo, hi + 1):
        at = y(10.0 ** power)
        out.append(f'<line x1="{LEFT}" y1="{at:.1f}" x2="{WIDTH - 210}" y2="{at:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{10 ** power:g}</text>')
    for share in shares:
        out.append(f'<text x="{x(share):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{share * 100:g} %</text>')
    for number, (name, points) in enumerate(lines.items()):
        path = " ".join(f"{x(share):.1f},{y(ms):.1f}" for share, ms in points)
        colour = COLOURS[name]
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{x(share):.1f}" cy="{y(ms):.1f}" r="3.5" fill="{colour}"/>' for share, ms in points]
        out.append(f'<rect x="{WIDTH - 195}" y="{40 + 22 * number}" width="14" height="4" fill="{colour}"/>')
        out.append(f'<text x="{WIDTH - 175}" y="{46 + 22 * number}">{name}</text>')
    out.append("</svg>")
    open(target, "w", encoding="utf-8").write("\n".join(out) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
