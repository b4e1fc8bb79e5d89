"""dent check --picture: a PNG that any reader takes, with culprits in red when there are some and only then."""
import os
import struct
import zlib

import tool_under_test as tool

WIDTH, HEIGHT = 1200, 800


def read_png(path):
    """Width, height and the rows of an 8-bit RGB picture. Every chunk must have its right check sum."""
    with open(path, "rb") as file:
        content = file.read()
    assert content[:8] == b"\x89PNG\r\n\x1a\n", content[:8]
    at, kinds, packed, header = 8, [], b"", b""
    while at < len(content):
        size, kind = struct.unpack_from(">I4s", content, at)
        data = content[at + 8:at + 8 + size]
        check, = struct.unpack_from(">I", content, at + 8 + size)
        assert check == zlib.crc32(kind + data), kind
        kinds.append(kind)
        header = data if kind == b"IHDR" else header
        packed += data if kind == b"IDAT" else b""
        at += 12 + size
    assert kinds[0] == b"IHDR" and kinds[-1] == b"IEND" and at == len(content), kinds
    width, height, bits, color, compression, filtering, interlace = struct.unpack(">IIBBBBB", header)
    assert (bits, color, compression, filtering, interlace) == (8, 2, 0, 0, 0), header
    raw = zlib.decompress(packed)
    stride = 1 + 3 * width
    assert len(raw) == stride * height, len(raw)
    rows = [raw[row * stride:(row + 1) * stride] for row in range(height)]
    assert all(row[0] == 0 for row in rows), "a filter the tool does not use"
    return width, height, [row[1:] for row in rows]


def colors(rows):
    """Numbers of pixels that are red (culprits), tinted with it, yellow (touching), black (rings) and drawn at all."""
    red = tinted = yellow = black = drawn = 0
    for row in rows:
        if row.count(255) == len(row):
            continue
        for r, g, b in zip(row[0::3], row[1::3], row[2::3]):
            drawn += (r, g, b) != (255, 255, 255)
            red += r > 60 and r > 2.5 * g and r > 2.5 * b
            tinted += r > g + 25
            yellow += r > 80 and g > 0.6 * r and b < 0.5 * g
            black += max(r, g, b) < 30
    return {"red": red, "tinted": tinted, "yellow": yellow, "black": black, "drawn": drawn}


class Picture(tool.ToolTest):
    def solids(self, *boxes):
        return [self.write("part%d.mesh" % i, tool.medit(*tool.cube(*box))) for i, box in enumerate(boxes)]

    def draw(self, files, *options, status=0):
        path = self.path("picture.png")
        result = self.good("check", *files, "--picture", path, *options, status=status)
        self.assertIn("wrote " + path, result.stderr if "--json" in options else result.stdout)
        width, height, rows = read_png(path)
        self.assertEqual((width, height), (WIDTH, HEIGHT))
        return colors(rows)

    def test_culprits_are_red_and_ringed(self):
        found = self.draw(self.solids(((0, 0, 0),), ((0.5, 0.5, 0.5),)), status=1)
        self.assertGreater(found["red"], 1000)
        self.assertGreater(found["black"], 20)
        self.assertEqual(found["yellow"], 0)

    def test_parts_apart_have_no_culprits(self):
        found = self.draw(self.solids(((0, 0, 0),), ((3, 0, 0),)))
        self.assertGreater(found["drawn"], 10000)
        self.assertEqual((found["red"], found["yellow"], found["black"]), (0, 0, 0))

    def test_parts_that_touch_are_yellow(self):
        found = self.draw(self.solids(((0, 0, 0),), ((1, 0, 0),)))
        self.assertGreater(found["yellow"], 1000)
        self.assertEqual((found["red"], found["black"]), (0, 0))

    def test_within_the_tolerance_nothing_is_red(self):
        found = self.draw(self.solids(((0, 0, 0),), ((0.9, 0, 0),)), "--tolerance", "0.2")
        self.assertGreater(found["yellow"], 1000)
        self.assertEqual((found["red"], found["black"]), (0, 0))

    def test_a_culprit_hidden_inside_another_body_shines_through(self):
        shell = self.write("shell.obj", tool.obj(*tool.box_surface(size=(9, 9, 9))))
        inner, = self.solids(((4, 4, 4),))
        empty = self.draw([shell])
        hidden = self.draw([shell, inner], status=1)
        self.assertEqual((empty["tinted"], empty["red"]), (0, 0))
        self.assertGreater(hidden["tinted"], 1000)
        self.assertEqual(hidden["red"], 0)

    def test_curves_are_red_lines_on_plain_bodies(self):
        files = self.solids(((0, 0, 0),), ((0.5, 0.5, 0.5),))
        found = self.draw(files, "--view", "125,20", "--curves", self.path("curves.vtp"), status=1)
        self.assertGreater(found["red"], 100)
        self.assertEqual(found["black"], 0)
        self.assertLess(found["red"], self.draw(files, "--view", "125,20", status=1)["red"])

    def test_curves_are_written_as_ordered_segments(self):
        files = self.solids(((0, 0, 0),), ((0.5, 0.5, 0.5),), ((7, 0, 0),))
        path = self.path("curves.obj")
        result = self.good("check", *files, "--curves", path, status=1)
        with open(path, encoding="utf-8") as file:
            lines = [line.split() for line in file]
        ends = [(int(line[1]), int(line[2])) for line in lines if line[0] == "l"]
        self.assertIn("wrote %s (1 curves, 0 of them open, %d segments)" % (path, len(ends)), result.stdout)
        self.assertEqual(sum(line[0] == "v" for line in lines), len(ends))
        for i, (_, end) in enumerate(ends):  # one closed line: each segment begins where the one before ended
            self.assertEqual(end, ends[(i + 1) % len(ends)][0])
        for line in lines:
            if line[0] == "v":  # on the surfaces of both cubes
                point = [float(number) for number in line[1:]]
                self.assertTrue(any(x in (0, 1) for x in point), point)
                self.assertTrue(any(x in (0.5, 1.5) for x in point), point)

    def test_bodies_apart_have_no_curves(self):
        path = self.path("curves.vtp")
        result = self.good("check", *self.solids(((0, 0, 0),), ((1, 0, 0),)), "--curves", path)
        self.assertIn("(0 curves, 0 of them open, 0 segments)", result.stdout)
        self.assertTrue(os.path.exists(path))

    def test_curves_that_cannot_be_written_are_one_line(self):
        part, = self.solids(((0, 0, 0),))
        self.assertIn(".vtp or .obj", self.one_line_error("check", part, "--curves", self.path("curves.txt")))
        self.assertIn("--curves", self.one_line_error("check", part, "--curves", self.path("absent/curves.vtp")))

    def test_the_view_turns_the_picture(self):
        files = self.solids(((0, 0, 0), (9, 3, 1)), ((20, 0, 0),))
        pictures = []
        for view in ("0,0", "90,0", "0,90"):
            self.draw(files, "--view", view)
            with open(self.path("picture.png"), "rb") as file:
                pictures.append(file.read())
        self.assertEqual(len(set(pictures)), 3)

    def test_the_picture_does_not_depend_on_the_unit(self):
        for size in (1e-310, 1e-150, 1e150, 8e307):
            with self.subTest(size=size):
                found = self.draw(self.solids(((0, 0, 0), (size, size, size)), ((size / 2,) * 3, (size,) * 3)),
                                  status=1)
                self.assertGreater(found["red"], 1000)
                self.assertGreater(found["drawn"], 100000)

    def test_with_json_stdout_stays_json(self):
        path = self.path("picture.png")
        result = self.good("check", "--json", *self.solids(((0, 0, 0),)), "--picture", path)
        self.assertEqual(len(tool.json_lines(result.stdout)), 1)
        self.assertEqual(result.stderr.count("\n"), 1)
        read_png(path)

    def test_a_picture_that_cannot_be_written_is_one_line_and_2(self):
        files = self.solids(((0, 0, 0),))
        for path in (self.path("absent/picture.png"), self.folder):
            with self.subTest(path=path):
                result = tool.run("check", *files, "--picture", path)
                self.assertEqual(result.returncode, 2)
                self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
                self.assertIn(path, result.stderr)
        self.assertTrue(os.path.isdir(self.folder))

    def test_a_full_device_is_one_line_and_survives(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("this system has no /dev/full")
        os.symlink("/dev/full", self.path("full.png"))
        result = tool.run("check", *self.solids(((0, 0, 0),)), "--picture", self.path("full.png"))
        self.assertEqual((result.returncode, result.stderr.count("\n")), (2, 1), result.stderr)
        self.assertIn("it is a device", result.stderr)
        self.assertTrue(os.path.islink(self.path("full.png")))
        self.assertTrue(os.path.exists("/dev/full"))

    def test_bad_views_are_one_line(self):
        part, = self.solids(((0, 0, 0),))
        for view in ("", "1", "1,", ",1", "a,b", "nan,0", "0,inf", "1,2,3", "1 ,2"):
            with self.subTest(view=view):
                line = self.one_line_error("check", part, "--picture", self.path("x.png"), "--view", view)
                self.assertIn("--view", line)
        self.assertIn("--picture", self.one_line_error("check", part, "--view", "10,20"))
        self.assertIn("--picture", self.one_line_error("check", part, "--picture", ""))


if __name__ == "__main__":
    tool.main()
