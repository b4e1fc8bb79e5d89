"""What the tests of the tool share: running it, and small meshes written by hand.

The binary is named by the environment variable DENT_TOOL (CTest sets it), the data kit by DENT_DATA.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

TOOL = os.environ.get("DENT_TOOL", "")
DATA = os.environ.get("DENT_DATA", "")

# Sanitizers must not look like one of the tool's own exit statuses.
ENVIRONMENT = dict(os.environ)
for variable in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
    ENVIRONMENT[variable] = ENVIRONMENT.get(variable, "") + ":exitcode=99"


def run(*arguments, timeout=600, **more):
    """Runs the tool; text of both streams, undecodable bytes kept as escapes."""
    return subprocess.run([TOOL, *map(str, arguments)], capture_output=True, timeout=timeout, env=ENVIRONMENT,
                          encoding="utf-8", errors="backslashreplace", **more)


def catches_interrupts(process):
    """Whether SIGINT would be heard: before, on a busy machine seconds after the start, it simply ends the program."""
    try:
        with open("/proc/%d/status" % process.pid) as file:
            caught, = [int(line.split()[1], 16) for line in file if line.startswith("SigCgt:")]
    except OSError:  # a system without
        return True
    return bool(caught >> signal.SIGINT - 1 & 1)


def json_lines(text):
    """Every line as an object. NaN and Infinity are not JSON and are refused."""
    def refuse(word):
        raise AssertionError("not JSON: " + word)
    return [json.loads(line, parse_constant=refuse) for line in text.splitlines()]


class ToolTest(unittest.TestCase):
    """A test with a folder of its own."""
    maxDiff = 2000

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="dent-cli-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        mode = "wb" if isinstance(content, bytes) else "w"
        with open(self.path(name), mode) as file:
            file.write(content)
        return self.path(name)

    def good(self, *arguments, status=0, **more):
        result = run(*arguments, **more)
        self.assertIn(result.returncode, (0, 1) if status is None else (status,),
                         "%s\n%s%s" % (arguments, result.stdout[-2000:], result.stderr[-2000:]))
        return result

    def one_line_error(self, *arguments):
        """Exit status 2, nothing on stdout, exactly one line on stderr; returns that line without "dent: "."""
        result = run(*arguments)
        self.assertEqual(result.returncode, 2, "%s\n%s%s" % (arguments, result.stdout[-2000:], result.stderr[-2000:]))
        self.assertEqual(result.stdout, "")
        self.assertTrue(result.stderr.endswith("\n"), repr(result.stderr))
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertTrue(result.stderr.startswith("dent: "), result.stderr)
        return result.stderr[len("dent: "):-1]


class DataTest(ToolTest):
    """Needs the data kit. Without it the test is skipped and says so; a DENT_DATA that is wrong is a failure."""

    def setUp(self):
        super().setUp()
        if not DATA:
            self.skipTest("DENT_DATA is not set: the data kit was not tried")
        self.assertTrue(os.path.isdir(os.path.join(DATA, "meshes")), "DENT_DATA is not the data kit: " + DATA)


# ---- small meshes ---------------------------------------------------------------------------------------------------

def cube(low=(0, 0, 0), size=(1, 1, 1)):
    """Vertices and six tetrahedra around the diagonal of a box, all positive."""
    vertices = [tuple(low[axis] + size[axis] * (i >> axis & 1) for axis in range(3)) for i in range(8)]
    cells = []
    for path in ((0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (1, 0, 2), (2, 1, 0)):
        corners = [0]
        for axis in path:
            corners.append(corners[-1] | 1 << axis)
        if path in ((0, 2, 1), (1, 0, 2), (2, 1, 0)):
            corners[1], corners[2] = corners[2], corners[1]
        cells.append(tuple(corners))
    return vertices, cells


def box_surface(low=(0, 0, 0), size=(1, 1, 1), faces=12):
    """The same box as triangles, seen counter-clockwise from outside; fewer faces leave it open."""
    vertices, _ = cube(low, size)
    quads = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))
    triangles = []
    for a, b, c, d in quads:
        triangles += [(a, b, c), (a, c, d)]
    return vertices, triangles[:faces]


def medit(vertices, cells):
    lines = ["MeshVersionFormatted 2", "Dimension 3", "Vertices", str(len(vertices))]
    lines += ["%r %r %r 0" % tuple(map(float, vertex)) for vertex in vertices]
    lines += ["Tetrahedra", str(len(cells))]
    lines += [" ".join(str(corner + 1) for corner in cell) + " 0" for cell in cells]
    return "\n".join(lines + ["End", ""])


def obj(vertices, triangles):
    lines = ["v %r %r %r" % tuple(map(float, vertex)) for vertex in vertices]
    lines += ["f " + " ".join(str(corner + 1) for corner in triangle) for triangle in triangles]
    return "\n".join(lines + [""])


def gmsh(vertices, groups):
    """Gmsh 2.2 text; groups: name → (dimension, elements as corner tuples)."""
    types = {1: 15, 2: 1, 3: 2, 4: 4}
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", str(len(groups))]
    lines += ['%d %d "%s"' % (groups[name][0], tag, name) for tag, name in enumerate(groups, 1)]
    lines += ["$EndPhysicalNames", "$Nodes", str(len(vertices))]
    lines += ["%d %r %r %r" % (i, *map(float, vertex)) for i, vertex in enumerate(vertices, 1)]
    elements = [(tag, element) for tag, name in enumerate(groups, 1) for element in groups[name][1]]
    lines += ["$EndNodes", "$Elements", str(len(elements))]
    for i, (tag, element) in enumerate(elements, 1):
        lines.append("%d %d 2 %d %d " % (i, types[len(element)], tag, tag) + " ".join(str(c + 1) for c in element))
    return "\n".join(lines + ["$EndElements", ""])


def main():
    if not TOOL or not os.access(TOOL, os.X_OK):
        sys.exit("DENT_TOOL must name the built tool; it is %r" % TOOL)
    unittest.main(verbosity=2)
