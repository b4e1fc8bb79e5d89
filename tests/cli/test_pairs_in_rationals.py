"""dent pairs against an independent computation in exact rationals.

Nothing here is shared with the library: the meshes are files read by a few lines of Python, and every pair is decided
by clipping polygons exactly. A convex polygon clipped to the closed cell meets the open cell iff a mean of its corners
does; the relative interiors of two triangles meet iff a mean of the corners of their intersection lies in both.

Rationals are homogeneous integers: a point is (x, y, z, w), w > 0, and stands for (x, y, z) / w. Nothing is
ever divided.
"""
import functools
import itertools
import lzma
import math
import os

import tool_under_test as tool


def subtract(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def plane(a, b, c):
    """Of three points with w = 1: (normal, offset)."""
    normal = cross(subtract(b, a), subtract(c, a))
    return normal, dot(normal, a)


def height(surface, point):
    """The sign is that of the height, the value is multiplied by w."""
    (a, b, c), offset = surface
    x, y, z, w = point
    return a * x + b * y + c * z - offset * w


def opposite(surface):
    return tuple(-n for n in surface[0]), -surface[1]


def clip(polygon, surface):
    """The part of a convex polygon (or segment, or point) on the closed positive side."""
    heights = [height(surface, point) for point in polygon]
    if min(heights) >= 0:
        return polygon
    kept = []
    for i, point in enumerate(polygon):
        here, before = heights[i], heights[i - 1]
        if here * before < 0:  # a combination with positive weights whose height is zero
            here_weight, before_weight = abs(before), abs(here)
            kept.append(tuple(before_weight * p + here_weight * q for p, q in zip(polygon[i - 1], point)))
        if here >= 0:
            kept.append(point)
    return kept


def mean(points):
    """With weights w: all of them positive, which is all that counts."""
    return tuple(map(sum, zip(*points)))


def inward_planes(corners):
    """Of a tetrahedron; none for a flat one."""
    planes = []
    for i in range(4):
        a, b, c = (corners[j] for j in range(4) if j != i)
        side = plane(a, b, c)
        sign = height(side, corners[i])
        if sign == 0:
            return None
        planes.append(side if sign > 0 else opposite(side))
    return planes


def edge_planes(triangle):
    """Planes through the edges, along the normal, positive towards the inside."""
    normal = plane(*triangle)[0]
    planes = []
    for i in range(3):
        a, b = triangle[i], triangle[(i + 1) % 3]
        side = cross(normal, subtract(b, a))
        planes.append((side, dot(side, a)))
    return planes


def face_meets_cell(face, planes):
    polygon = list(face)
    for side in planes:
        polygon = clip(polygon, side)
        if not polygon:
            return False
    return all(height(side, mean(polygon)) > 0 for side in planes)


def faces_meet(a, b):
    """"crossing", "coplanar" or None. Triangles of area zero do not occur in these meshes."""
    plane_b = plane(*b)
    heights = [height(plane_b, point) for point in a]
    same_plane = not any(heights)
    if min(heights) > 0 or max(heights) < 0:
        return None
    polygon = list(a)
    if not same_plane:
        polygon = clip(clip(polygon, plane_b), opposite(plane_b))
    for side in edge_planes(b):
        polygon = clip(polygon, side) if polygon else polygon
    if not polygon:
        return None
    middle = mean(polygon)
    inside = all(height(side, middle) > 0 for side in edge_planes(b) + edge_planes(a))
    return ("coplanar" if same_plane else "crossing") if inside else None


class Feature:
    """A vertex, face or cell with its name, body, vertices and box."""

    def __init__(self, body, name, vertices, positions, integers):
        self.integers = [integers[vertex] for vertex in vertices]
        self.body, self.name, self.vertices = body, name, frozenset(vertices)
        self.corners = [positions[vertex] for vertex in vertices]
        self.low = tuple(min(corner[axis] for corner in self.corners) for axis in range(3))
        self.high = tuple(max(corner[axis] for corner in self.corners) for axis in range(3))

    def exact(self):
        return self.integers

    @functools.lru_cache(maxsize=None)
    def planes(self):
        return inward_planes(self.exact())


def cells_of(feature, edge):
    """Cells of a grid that the box of a feature meets."""
    ranges = [range(math.floor(low / edge), math.floor(high / edge) + 1) for low,
              high in zip(feature.low, feature.high)]
    return itertools.product(*ranges)


def candidates(left, right, with_self):
    """Pairs whose boxes meet and that share no vertex, found by a grid."""
    edge = max(max(map(float.__sub__, feature.high, feature.low)) for feature in left + right)
    grid = {}
    for feature in right:
        for cell in cells_of(feature, edge):
            grid.setdefault(cell, []).append(feature)
    for feature in left:
        (a, b, c), (d, e, f) = feature.low, feature.high
        seen = set()
        for cell in cells_of(feature, edge):
            for other in grid.get(cell, ()):
                low, high = other.low, other.high
                if a <= high[0] and low[0] <= d and b <= high[1] and low[1] <= e and c <= high[2] and low[2] <= f:
                    if feature.body != other.body or (with_self and not feature.vertices & other.vertices):
                        if other not in seen:
                            seen.add(other)
                            yield feature, other


def read_medit(path):
    with open(path) as file:
        words = file.read().split()
    at = words.index("Vertices")
    count = int(words[at + 1])
    numbers = words[at + 2:at + 2 + 4 * count]
    positions = [tuple(float(word) for word in numbers[4 * i:4 * i + 3]) for i in range(count)]
    at = words.index("Tetrahedra")
    count = int(words[at + 1])
    numbers = words[at + 2:at + 2 + 5 * count]
    return positions, [tuple(int(word) - 1 for word in numbers[5 * i:5 * i + 4]) for i in range(count)]


def read_tetgen(path):
    """From the .ele.xz of a pair."""
    def rows(name):
        with lzma.open(name, "rt") as file:
            return [words for words in (line.split("#")[0].split() for line in file) if words]
    nodes, cells = rows(path.replace(".ele", ".node")), rows(path)
    first = int(nodes[1][0])
    positions = [tuple(map(float, words[1:4])) for words in nodes[1:1 + int(nodes[0][0])]]
    return positions, [tuple(int(word) - first for word in words[1:5]) for words in cells[1:1 + int(cells[0][0])]]


def read_mesh(path):
    return read_tetgen(path) if path.endswith(".ele.xz") else read_medit(path)


def surface_faces(cells):
    owners = {}
    for cell, corners in enumerate(cells):
        for corner in range(4):
            face = tuple(corners[i] for i in range(4) if i != corner)
            owners.setdefault(frozenset(face), []).append((cell, corner, face))
    return sorted(found[0] for found in owners.values() if len(found) == 1)


def denominator(positions):
    return max(x.as_integer_ratio()[1] for point in positions for x in point)


def integer_points(positions, scale):
    """Positions times a power of two that leaves no fraction."""
    ratios = ([x.as_integer_ratio() for x in point] for point in positions)
    return [tuple(n * (scale // d) for n, d in point) + (1,) for point in ratios]


class Comparison:
    def features(self, files):
        vertices, faces, cells = [], [], []
        meshes = [read_mesh(file) for file in files]
        scale = max(denominator(positions) for positions, _ in meshes)
        for body, (positions, corners) in enumerate(meshes):
            integers = integer_points(positions, scale)
            used = sorted(set(corner for cell in corners for corner in cell))
            vertices += [Feature(body, str(vertex), [vertex], positions, integers) for vertex in used]
            faces += [Feature(body, "%d/%d" % (cell, corner), face, positions, integers) for cell, corner,
                      face in surface_faces(corners)]
            cells += [Feature(body, str(cell), four, positions, integers) for cell, four in enumerate(corners)]
        return vertices, faces, cells

    def answers(self, files, with_self):
        vertices, faces, cells = self.features(files)
        vertex_cell = {(a.body, a.name, b.body, b.name, "interior") for a, b in candidates(vertices, cells, with_self)
                       if b.planes() and all(height(side, a.exact()[0]) > 0 for side in b.planes())}
        face_cell = {(a.body, a.name, b.body, b.name, "interior") for a, b in candidates(faces, cells, with_self)
                     if b.planes() and face_meets_cell(a.exact(), b.planes())}
        order = {id(face): i for i, face in enumerate(faces)}
        face_face = set()
        for a, b in candidates(faces, faces, with_self):
            if order[id(a)] < order[id(b)]:
                kind = faces_meet(a.exact(), b.exact())
                if kind:
                    face_face.add((a.body, a.name, b.body, b.name, kind))
        return {"vertex-cell": vertex_cell, "face-cell": face_cell, "face-face": face_face}

    def compare(self, files, least, with_self=True):
        for question, expected in self.answers(files, with_self).items():
            arguments = ["--ask", question] + ([] if with_self else ["--no-self"])
            lines = [line.split(" ") for line in self.good("pairs", *arguments, *files).stdout.splitlines()]
            found = {(int(a), x, int(b), y, kind) for a, x, b, y, kind, *_ in lines}
            self.assertEqual(len(found), len(lines))
            self.assertEqual(found, expected)
            self.assertGreaterEqual(len(expected), least)
            print("  %s: %d pairs agree" % (question, len(expected)))


class GeneratedPairs(Comparison, tool.ToolTest):
    def exported(self, scene, *arguments):
        printed = self.good("export", scene, self.path(scene), *arguments).stdout.splitlines()
        return [line.rsplit(": ", 1)[0] for line in printed]

    def test_teschner_a_equals_the_rational_answer(self):
        files = self.exported("teschner-a")
        self.compare(files, least=50)
        for question in ("vertex-cell", "face-cell", "face-face"):
            self.assertEqual(self.good("pairs", "--ask", question, *files).stdout,
                             self.good("pairs", "--ask", question, "teschner-a").stdout)

    def test_blocks_on_a_grid_equal_the_rational_answer(self):
        """Every degenerate position at once: cubes that share faces, edges, corners, diagonals."""
        lows = [(0, 0, 0), (0.5, 0, 0), (1, 0, 0), (0.5, 0.5, 0.5), (0, 0, 0), (0, 1, 1), (0.25, 0.25, 0.25),
                (0.125, 0.25, 0.4375)]
        sizes = [(1, 1, 1)] * 6 + [(0.5, 0.5, 0.5)] * 2
        files = [self.write("cube%d.mesh" % i, tool.medit(*tool.cube(low, size))) for i,
                 (low, size) in enumerate(zip(lows, sizes))]
        self.compare(files, least=1)


class KitPairs(Comparison, tool.DataTest):
    def test_two_overlapping_kit_meshes_equal_the_rational_answer(self):
        """Ligament and pulp of L5: interfaces that agree up to rounding, so many pairs are nearly degenerate."""
        folder = os.path.join(tool.DATA, "meshes", "jaw-openmandible")
        files = [os.path.join(folder, "Tooth_L5_%s.1.ele.xz" % part) for part in ("PDL", "Pulp")]
        self.compare(files, least=10, with_self=False)


if __name__ == "__main__":
    tool.main()
