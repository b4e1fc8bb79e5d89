"""tools/gallery: its PNG files say what they should, and every picture of the pages is one of its pictures.

With DENT_LONG_TESTS=1, DENT_TOOL and a Chromium it makes all of them."""
import importlib.machinery
import importlib.util
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
loader = importlib.machinery.SourceFileLoader("gallery", str(ROOT / "tools" / "gallery"))
gallery = importlib.util.module_from_spec(importlib.util.spec_from_loader("gallery", loader))
loader.exec_module(gallery)


def filtered(rows, kind, step):
    """The rows as a PNG encoder would filter them; plain code, from the specification."""
    out, before = b"", bytes(len(rows[0]))
    for row in rows:
        part = bytearray([kind])
        for i, value in enumerate(row):
            a, b, c = (row[i - step] if i >= step else 0), before[i], (before[i - step] if i >= step else 0)
            guess = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            part.append((value - [0, a, b, (a + b) // 2, guess][kind]) % 256)
        out += bytes(part)
        before = row
    return out


def random_rows(width, height, step, seed):
    draw = random.Random(seed)
    return [bytes(draw.choice((0, 7, 128, 255)) for _ in range(width * step)) for _ in range(height)]


def flat_images(count):
    """A red square that moves over a grey ground."""
    images = []
    for frame in range(count):
        rows = [bytearray(b"\x80\x80\x80" * 40) for _ in range(30)]
        for y in range(5, 15):
            rows[y][3 * (4 + 3 * frame):3 * (14 + 3 * frame)] = b"\xf0\x20\x20" * 10
        images.append((40, 30, rows))
    return images


def played(data):
    """The frames of an indexed APNG as rows of RGB, by the specification."""
    palette, canvas, frames, box, packed, numbers = [], None, [], None, b"", []

    def finish():
        nonlocal canvas
        if box is None:
            return
        _, wide, high, left, top, _, _, _, _ = box
        raw = zlib.decompress(packed)
        canvas = [bytearray(row) for row in canvas] if canvas else [bytearray(wide) for _ in range(high)]
        for y in range(high):
            assert raw[y * (wide + 1)] == 0
            canvas[top + y][left:left + wide] = raw[y * (wide + 1) + 1:(y + 1) * (wide + 1)]
        frames.append([b"".join(palette[i] for i in row) for row in canvas])

    for kind, part in gallery.chunks(data):
        if kind == b"PLTE":
            palette = [part[i:i + 3] for i in range(0, len(part), 3)]
        elif kind == b"fcTL":
            finish()
            box, packed = struct.unpack(">IIIIIHHBB", part), b""
            numbers.append(box[0])
        elif kind == b"IDAT":
            packed += part
        elif kind == b"fdAT":
            numbers.append(struct.unpack(">I", part[:4])[0])
            packed += part[4:]
    finish()
    return frames, numbers


class Png(unittest.TestCase):
    def test_every_filter_is_undone(self):
        for step in (3, 4):
            for kind in range(5):
                rows = random_rows(9, 7, step, 10 * step + kind)
                found = gallery.unfilter(filtered(rows, kind, step), 9, 7, step)
                self.assertEqual([bytes(row) for row in found], rows, "filter %d" % kind)

    def test_files_of_other_kinds_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x.png"
            for data in (b"GIF89a", b"\x89PNG\r\n\x1a\n" + gallery.chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 16, 2, 0, 0, 0))):
                path.write_bytes(data)
                with self.assertRaises(ValueError):
                    gallery.read_png(path)

    def test_halving_takes_the_mean(self):
        rows = [bytearray([0, 0, 0, 100, 0, 0]), bytearray([100, 0, 8, 200, 0, 0])]
        self.assertEqual(gallery.halve((2, 2, rows)), (1, 1, [bytearray([100, 0, 2])]))


class Animation(unittest.TestCase):
    def test_an_animation_plays_what_went_in(self):
        images = flat_images(5) + [flat_images(5)[4]]
        frames, numbers = played(gallery.animated_png(images, 9))
        self.assertEqual(numbers, list(range(len(numbers))))
        self.assertEqual(len(frames), len(images))
        for frame, (_, _, rows) in zip(frames, images):
            for one, other in zip(frame, rows):
                self.assertLessEqual(max(abs(a - b) for a, b in zip(one, other)), 3)

    def test_many_colours_become_at_most_256_near_ones(self):
        draw = random.Random(1)
        rows = [bytearray(draw.randrange(256) for _ in range(3 * 64)) for _ in range(64)]
        index, colours = gallery.choose_palette(gallery.colour_bins([(64, 64, rows)]), gallery.COLOURS)
        self.assertLessEqual(len(colours), 256)
        for (r, g, b), number in index.items():
            self.assertLess(max(abs(4 * v + 2 - c) for v, c in zip((r, g, b), colours[number])), 80)


class Pages(unittest.TestCase):
    def test_every_picture_is_made_by_a_command(self):
        made = {*gallery.pictures(), *gallery.ANIMATIONS, *gallery.PAGES}
        for path in sorted((ROOT / "docs" / "images").glob("*.png")):
            self.assertIn(path.stem, made, "no page has the command that makes it")
        for name in made:
            self.assertTrue((ROOT / "docs" / "images" / f"{name}.png").exists(), name)

    def test_every_chart_is_made_by_a_command_that_a_test_runs(self):
        tested = (ROOT / "tests" / "cli" / "test_paper.py").read_text(encoding="utf-8")
        charts = sorted((ROOT / "docs").rglob("*.svg"))
        self.assertGreater(len(charts), 20)
        for path in charts:
            if path.stem != "contour-overlap":  # the test below
                self.assertIn('"%s"' % path.stem, tested, path)

    def test_the_chart_of_the_contour_walk_is_made_from_its_benchmark(self):
        with tempfile.TemporaryDirectory() as folder:
            source, target = pathlib.Path(folder) / "F.txt", pathlib.Path(folder) / "F.svg"
            source.write_text("".join("inside %g\n  %-24s   10   1.5   %g\n  %-24s   10   1.5   %g\n"
                                      % (share, "contour-walk", 2 + share, "cluster-search", 30 + share)
                                      for share in (0, 0.07, 0.8)), encoding="utf-8")
            subprocess.run([sys.executable, str(ROOT / "bench" / "contour_chart.py"), str(source), str(target)], check=True)
            chart = xml.dom.minidom.parse(str(target))
            self.assertEqual(len(chart.getElementsByTagName("polyline")), 2)
            self.assertEqual(len(chart.getElementsByTagName("circle")), 6)

    def test_animations_are_named_with_their_scene(self):
        page = " ".join((ROOT / "docs" / "gallery.md").read_text(encoding="utf-8").split())
        for name, (scene, _, _, _) in gallery.ANIMATIONS.items():
            self.assertIn("`tools/gallery %s`: `dent run %s`" % (name, " ".join(scene)), page)

    def test_pages_are_named_with_the_test_that_saves_them(self):
        pages = " ".join(" ".join(path.read_text(encoding="utf-8").split()) for path in sorted((ROOT / "docs").rglob("*.md")))
        for name, (test, variable) in gallery.PAGES.items():
            self.assertIn("](images/%s.png)" % name, pages)
            self.assertIn("`tools/gallery %s`" % name, pages)
            self.assertIn("process.env." + variable, (ROOT / test).read_text(encoding="utf-8"))

    def test_the_first_picture_of_the_readme_moves_and_is_small(self):
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        path = ROOT / text.split("](", 1)[1].split(")", 1)[0]
        kinds = [kind for kind, _ in gallery.chunks(path.read_bytes())]
        self.assertGreater(kinds.count(b"fcTL"), 8)
        self.assertLess(path.stat().st_size, 2_000_000)

    def made(self, *names):
        with tempfile.TemporaryDirectory() as folder:
            words = [str(ROOT / "tools" / "gallery"), *names, "--dent", os.environ["DENT_TOOL"], "-o", folder]
            result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(result.returncode, 0, result.stdout)
            return [gallery.read_png(pathlib.Path(folder) / f"{name}.png") for name in names]

    @unittest.skipUnless(os.environ.get("DENT_TOOL"), "needs the tool")
    def test_pictures_are_made_as_they_are_in_the_tree(self):
        """One by `dent check`, the same everywhere; one by `dent view`, where there is a Chromium: of the same size, and as colourful."""
        names = ["crossing_curves"] + ["arm_view"] * bool(os.environ.get("DENT_CHROMIUM") or shutil.which("chromium"))
        for name, (width, height, rows) in zip(names, self.made(*names)):
            kept = gallery.read_png(ROOT / "docs" / "images" / f"{name}.png")
            self.assertEqual((width, height), kept[:2], name)
            back = bytes(rows[0][:3])
            drawn = [sum(row[i:i + 3] != back for row in rows for i in range(0, 3 * width, 3)) for rows in (rows, kept[2])]
            self.assertGreater(drawn[0], 0.9 * drawn[1], name)
            self.assertLess(drawn[0], 1.1 * drawn[1], name)
            if name == "crossing_curves":
                self.assertEqual(rows, kept[2], name)

    @unittest.skipUnless(os.environ.get("DENT_LONG_TESTS") and os.environ.get("DENT_TOOL"), "makes all pictures: long tier")
    def test_all_pictures_can_be_made(self):
        if not (os.environ.get("DENT_CHROMIUM") or shutil.which("chromium")):
            self.skipTest("no Chromium")
        with tempfile.TemporaryDirectory() as folder:
            words = [str(ROOT / "tools" / "gallery"), "--dent", os.environ["DENT_TOOL"], "-o", folder]
            result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(result.returncode, 0, result.stdout)
            for name in {*gallery.pictures(), *gallery.ANIMATIONS, *gallery.PAGES}:
                self.assertGreater((pathlib.Path(folder) / f"{name}.png").stat().st_size, 5000, name)


if __name__ == "__main__":
    unittest.main()
