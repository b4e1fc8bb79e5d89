"""Series of frames: every frame answers as its file alone does, whatever carries the frames, however one goes through
them."""
import io
import os
import pty
import select
import signal
import subprocess
import sys
import tarfile
import time

import tool_under_test as tool

NUMBERS = (0, 1, 2, 7, 10, 100)
FACE_FACE = ("pairs", "--ask", "face-face")


def frame_text(number):
    """A closed box that moves along x; in frames 1, 2 and 10 it crosses the unit box."""
    low = {0: -3.0, 1: -0.5, 2: 0.25, 7: 4.0, 10: 0.75, 100: 9.0}[number]
    return tool.obj(*tool.box_surface((low, 0.2, 0.3)))


def columns(text):
    """Lines without the frame: frame → what a file alone prints."""
    found = {}
    for line in text.splitlines(True):
        number, rest = line.split(" ", 1)
        found[int(number)] = found.get(int(number), "") + rest
    return found


def timeless(text):
    """JSON objects without what depends on the clock and on how the answer was found."""
    how = ("ms", "fresh", "rebuilds", "candidates", "method")
    return [{key: value for key, value in line.items() if key not in how} for line in tool.json_lines(text)]


class Series(tool.ToolTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("run"))
        for number in NUMBERS:
            self.write("run/box_%d.obj" % number, frame_text(number))
        self.still = self.write("still.obj", tool.obj(*tool.box_surface()))

    def archive(self, name, mode="w", form=tarfile.PAX_FORMAT, numbers=NUMBERS, text=frame_text,
                member="run/box_%d.obj"):
        with tarfile.open(self.path(name), mode, format=form) as tar:
            for number in numbers:
                entry = tarfile.TarInfo(member % number)
                data = text(number).encode()
                entry.size = len(data)
                tar.addfile(entry, io.BytesIO(data))
        return self.path(name)

    def read(self, path):
        with open(path, "rb") as file:
            return file.read()

    def expected(self, numbers=NUMBERS, *options):
        """What the files give one by one."""
        answers = {}
        for number in numbers:
            answer = self.good(*FACE_FACE, *options, self.path("run/box_%d.obj" % number), self.still).stdout
            if answer:
                answers[number] = answer
        return answers

    # ---- what carries the frames ---------------------------------------------------------------------------------

    def test_every_carrier_gives_the_frames_in_order(self):
        expected = self.expected()
        self.assertEqual(sorted(expected), [1, 2, 10])
        shuffled = (10, 7, 100, 0, 2, 1)
        long = "%s/%s_%%d.obj" % ("f" * 150, "n" * 200)
        carriers = [self.path("run"), self.path("run/box_%d.obj"), self.path("run/box_*.obj"),
                    self.archive("a.tar"), self.archive("a.tar.gz", "w:gz"), self.archive("a.tgz", "w:gz"),
                    self.archive("a.tar.xz", "w:xz"), self.archive("a.txz", "w:xz"),
                    self.archive("ustar.tar", form=tarfile.USTAR_FORMAT),
                    self.archive("gnu.tar", form=tarfile.GNU_FORMAT), self.archive("long.tar", member=long),
                    self.archive("long_gnu.tar", form=tarfile.GNU_FORMAT, member=long),
                    self.archive("shuffled.tar", numbers=shuffled), self.path("a.tar/run/box_%d.obj"),
                    self.path("a.tar.xz/box_*")]
        for carrier in carriers:
            with self.subTest(carrier=os.path.basename(carrier)):
                result = self.good(*FACE_FACE, carrier, self.still)
                self.assertEqual(columns(result.stdout), expected)
                self.assertEqual([int(line.split()[0]) for line in result.stdout.splitlines()],
                                 sorted(int(line.split()[0]) for line in result.stdout.splitlines()))
                self.assertEqual(result.stderr, "")
        shuffled_xz = self.archive("shuffled.tar.xz", "w:xz", numbers=shuffled)
        result = self.good(*FACE_FACE, shuffled_xz, self.still)
        self.assertEqual(columns(result.stdout), expected)
        self.assertIn("not in the order of their numbers", result.stderr)

    def test_files_a_shell_has_listed_are_one_series_with_frames(self):
        files = [self.path("run/box_%d.obj" % number) for number in (10, 2, 0, 1)]
        result = self.good(*FACE_FACE, "--frames", ":", *files, self.still)
        self.assertEqual(columns(result.stdout), self.expected((0, 1, 2, 10)))
        # Without --frames they are bodies of one model, as ever.
        self.assertIn(" 4 ", self.good(*FACE_FACE, *files, self.still).stdout)

    def test_packed_members_and_other_formats(self):
        import gzip
        with tarfile.open(self.path("p.tar"), "w") as tar:
            for number in NUMBERS:
                entry = tarfile.TarInfo("box%03d.obj.gz" % number)
                data = gzip.compress(frame_text(number).encode())
                entry.size = len(data)
                tar.addfile(entry, io.BytesIO(data))
        result = self.good(*FACE_FACE, self.path("p.tar"), self.still)
        self.assertEqual(columns(result.stdout), self.expected())

    def test_odd_names(self):
        name = "odd \n%s%n'\"\u00e9 *"
        os.mkdir(self.path(name))
        for number in (1, 2):
            self.write(os.path.join(name, "b\n%%x %d.obj" % number), frame_text(number))
        result = self.good(*FACE_FACE, self.path(name), self.still)
        self.assertEqual(columns(result.stdout), self.expected((1, 2)))
        archive = self.archive(name + ".tar", member="b\n%%n \x01%d.obj", numbers=(1, 2))
        self.assertEqual(columns(self.good(*FACE_FACE, archive, self.still).stdout), self.expected((1, 2)))
        # Names stay on one line, in info and in errors.
        for arguments in (["info", archive], ["check", archive]):
            result = self.good(*arguments)
            for line in result.stdout.splitlines():
                self.assertNotIn("\x01", line)
        self.assertNotIn("\n%", self.good("info", self.path(name)).stdout)
        broken = self.archive("x\ny.tar", member="b\n%d.obj", numbers=(1, 2), text=lambda number: "v 0 0\n")
        self.assertIn("b?1.obj", self.one_line_error("pairs", "--ask", "face-face", broken))
        single = self.write("n\new.obj", frame_text(1))
        self.assertIn("n?ew.obj: obj", self.good("info", single).stdout)

    # ---- how they are gone through --------------------------------------------------------------------------------

    def test_every_method_thread_count_and_rebuild_say_the_same(self):
        archive = self.archive("a.tar.xz", "w:xz")
        expected = self.good(*FACE_FACE, "--method", "brute-force", archive, self.still).stdout
        for method in ("auto", "sweep", "spatial-hash", "bucket-tree", "surface-tree"):
            for more in ([], ["--rebuild"], ["--threads", "1", "--isa", "scalar"], ["--rebuild", "--threads", "2"]):
                with self.subTest(method=method, more=more):
                    result = self.good(*FACE_FACE, "--method", method, *more, archive, self.still)
                    self.assertEqual(result.stdout, expected)

    def test_frames_choose_by_number(self):
        for choice, numbers in ((":", NUMBERS), ("2:10", (2, 7, 10)), ("1:", (1, 2, 7, 10, 100)), (":2", (0, 1, 2)),
                                ("7", (7,)), ("0:100:2", (0, 2, 10, 100)), ("1:10:3", (1, 7, 10)),
                                ("::10", (0, 10, 100)), ("2:2", (2,))):
            with self.subTest(choice=choice):
                result = self.good(*FACE_FACE, "--count", "--frames", choice, self.path("run"))
                self.assertEqual([int(line.split()[0]) for line in result.stdout.splitlines()], list(numbers))

    def test_bad_choices_are_one_line(self):
        for choice in ("", "x", "1:2:0", "2:1", "1:2:3:4", "-1:2", "1:x", "1.5:2", "99999999999999999999:", "1::",
                       "a:b:c"):
            with self.subTest(choice=choice):
                self.assertIn("FIRST:LAST:STEP", self.one_line_error("pairs", "--ask", "face-face",
                                                                     "--frames=" + choice, self.path("run")))
        line = self.one_line_error("pairs", "--ask", "face-face", "--frames", "20:30", self.path("run"))
        self.assertIn("chooses none of its 6 frames, which are numbered 0 to 100", line)
        self.assertIn("none is named", self.one_line_error(*FACE_FACE, "--frames", "1:2", self.still))
        self.assertIn("none is named", self.one_line_error(*FACE_FACE, "--rebuild", self.still))

    def test_counts_and_objects(self):
        expected = self.expected(NUMBERS)
        counts = self.good(*FACE_FACE, "--count", self.path("run"), self.still).stdout
        self.assertEqual(counts, "".join("%d %d\n" % (number, expected.get(number, "").count("\n"))
                                         for number in NUMBERS))
        lines = tool.json_lines(self.good(*FACE_FACE, "--json", self.path("run"), self.still).stdout)
        self.assertEqual([line["frame"] for line in lines], list(NUMBERS))
        self.assertEqual([line["fresh"] for line in lines], [True] + [False] * 5)
        for line in lines:
            number = line["frame"]
            self.assertEqual(line["file"], self.path("run/box_%d.obj" % number))
            self.assertEqual(line["pairs"], line["crossing"] + line["coplanar"])
            file = self.path("run/box_%d.obj" % number)
            alone, = tool.json_lines(self.good(*FACE_FACE, "--json", file, self.still).stdout)
            self.assertEqual((line["pairs"], line["pairs_hash"]), (alone["pairs"], alone["pairs_hash"]))
            self.assertEqual(self.good(*FACE_FACE, "--count", file, self.still).stdout, "%d\n" % line["pairs"])
        rebuilt = self.good(*FACE_FACE, "--json", "--rebuild", self.path("run"), self.still).stdout
        self.assertTrue(all(line["fresh"] for line in tool.json_lines(rebuilt)))
        self.assertEqual(timeless(rebuilt), [{key: line[key] for key in timeless(rebuilt)[0]} for line in lines])

    def test_filters_hold_in_every_frame(self):
        """--no-self is not forgotten on the way, nor after a frame with other elements."""
        def knot(number):
            vertices, triangles = tool.box_surface()
            second, _ = tool.box_surface((0.4, 0.4, 0.4 + number))
            more = [tuple(corner + 8 for corner in triangle) for triangle in triangles]
            return tool.obj(vertices + second, triangles + more[:12 - number])
        archive = self.archive("knot.tar", numbers=(0, 1, 2, 3), text=lambda number: knot(number // 2))
        self.assertEqual(self.good(*FACE_FACE, "--no-self", "--count", archive).stdout, "0 0\n1 0\n2 0\n3 0\n")
        self.assertNotIn(" 0\n", self.good(*FACE_FACE, "--count", "--frames", "0:1", archive).stdout)

    def test_several_series_go_in_step(self):
        def text(number):
            return frame_text(100 - number if number in (0, 100) else 1)
        other = self.archive("b.tar", member="other_%03d.obj", text=text)
        both = columns(self.good(*FACE_FACE, "--touching", self.path("run"), other).stdout)
        for number in NUMBERS:
            pair = [self.path("run/box_%d.obj" % number), self.write("x.obj", text(number))]
            self.assertEqual(both.get(number, ""), self.good(*FACE_FACE, "--touching", *pair).stdout)
        fewer = self.archive("fewer.tar", numbers=(0, 1, 2, 10, 100))
        self.assertIn("has no frame 7", self.one_line_error("pairs", "--ask", "face-face", self.path("run"), fewer))
        self.assertIn("fewer.tar has 5", self.one_line_error("pairs", "--ask", "face-face", fewer, self.path("run")))
        self.good(*FACE_FACE, "--frames", "0:2", self.path("run"), fewer)

    def test_one_frame_stays_beside_a_series(self):
        archive = self.archive("a.tar")
        result = self.good(*FACE_FACE, "--count", "--no-self", self.path("run"), archive + "/run/box_1.obj")
        self.assertEqual(len(result.stdout.splitlines()), len(NUMBERS))
        self.assertNotIn("1 0\n", result.stdout.splitlines(True)[1])

    def test_scenes_move_with_frames(self):
        moving = columns(self.good("pairs", "--ask", "vertex-cell", "--frames", "3:5:2", "teschner-a").stdout)
        for frame in (3, 5):
            alone = self.good("pairs", "--ask", "vertex-cell", "--frame", frame, "teschner-a").stdout
            self.assertEqual(moving[frame], alone)
        both = ("--frame", "1", "--frames", "1:2")
        self.assertIn("give one of them", self.one_line_error("pairs", "--ask", "vertex-cell", *both, "teschner-a"))

    # ---- frames that differ -----------------------------------------------------------------------------------------

    def test_other_elements_are_taken_with_a_notice(self):
        def text(number):
            return tool.obj(*tool.box_surface((0.1 * number, 0.2, 0.3), faces=12 if number < 2 else 10))
        archive = self.archive("t.tar", numbers=(0, 1, 2, 3), text=text)
        for more in ([], ["--method", "surface-tree"]):
            result = self.good(*FACE_FACE, *more, archive, self.still)
            self.assertEqual(result.stdout, self.good(*FACE_FACE, *more, "--rebuild", archive, self.still).stdout)
            self.assertEqual(result.stderr,
                             "dent: notice: %s/run/box_2.obj: other elements than in the frame before\n" % archive)
        for number, answer in columns(result.stdout).items():
            self.assertEqual(answer, self.good(*FACE_FACE, self.write("x.obj", text(number)), self.still).stdout)

    def test_another_number_of_bodies_is_an_error_that_names_the_frame(self):
        vertices, cells = tool.cube()
        far = [tuple(x + 5 for x in vertex) for vertex in vertices]
        groups = {"a": (3, cells), "b": (3, [tuple(corner + 8 for corner in cell) for cell in cells])}
        texts = [tool.gmsh(vertices + far, groups), tool.gmsh(vertices + far, {"a": groups["a"]})]
        archive = self.archive("g.tar", numbers=(0, 1), text=lambda number: texts[number], member="m_%d.msh")
        result = tool.run("pairs", "--ask", "vertex-cell", "--count", archive)
        self.assertEqual((result.returncode, result.stdout), (2, "0 0\n"))
        self.assertEqual(result.stderr, "dent: %s/m_1.msh: 1 body, and 2 in the frames before\n" % archive)
        self.assertIn("1 0\n", self.good("pairs", "--ask", "vertex-cell", "--count", "--merge", archive).stdout)

    def test_a_broken_frame_keeps_what_was_printed_before(self):
        archive = self.archive("x.tar", text=lambda number: frame_text(number) if number < 7 else "v 1 nan 0\n")
        result = tool.run(*FACE_FACE, "--count", archive, self.still)
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stdout.count("\n"), 3)
        self.assertEqual(result.stderr, "dent: %s/run/box_7.obj:1: vertex 0: y is not a number\n" % archive)

    # ---- broken archives --------------------------------------------------------------------------------------------

    def test_broken_archives_are_one_line(self):
        whole = self.read(self.archive("a.tar"))
        packed = self.read(self.archive("a.tar.xz", "w:xz"))
        flipped = bytearray(whole)
        flipped[whole.index(b"run/box_2.obj") + 3] ^= 64
        huge = bytearray(whole)
        start = whole.index(b"run/box_1.obj")
        huge[start + 124:start + 136] = b"77777777777\0"
        huge[start + 148:start + 156] = b" " * 8
        huge[start + 148:start + 156] = b"%06o\0 " % sum(huge[start:start + 512])
        cases = {"cut.tar": (whole[:700], "cut off: member 'run/box_0.obj' at byte 0"),
                 "header.tar": (whole[:whole.index(b"run/box_1.obj") + 100], "header of member 2"),
                 "flipped.tar": (bytes(flipped), "its sum is wrong"),
                 "huge.tar": (bytes(huge), "has 8589934591 bytes"),
                 "text.tar": (b"hello " * 200, "is not a tar archive"),
                 "empty.tar": (b"", "no mesh file is in it"),
                 "cut.tar.xz": (packed[:-20], "xz data"),
                 "not.tar.xz": (whole, "is not xz data"),
                 "not.tar.gz": (whole, "damaged gzip data")}
        for name, (content, words) in cases.items():
            with self.subTest(name=name):
                path = self.write(name, content)
                for command in (["pairs", "--ask", "face-face"], ["check"], ["info"]):
                    line = self.one_line_error(*command, path)
                    self.assertIn(words, line)
                    self.assertIn(name, line)
        with tarfile.open(self.path("link.tar"), "w") as tar:
            entry = tarfile.TarInfo("a_1.obj")
            entry.type, entry.linkname = tarfile.SYMTYPE, "/etc/passwd"
            tar.addfile(entry)
        self.assertIn("'a_1.obj' at byte 0 is a symbolic link", self.one_line_error("info", self.path("link.tar")))

    # ---- check and info ---------------------------------------------------------------------------------------------

    def test_check_finds_the_frames_that_penetrate(self):
        result = self.good("check", self.path("run"), self.still, status=1)
        lines = result.stdout.splitlines()
        rows = [line.split() for line in lines[2:8]]
        self.assertEqual([(int(row[0]), int(row[1])) for row in rows],
                         [(0, 0), (1, 1), (2, 1), (7, 0), (10, 1), (100, 0)])
        self.assertRegex(lines[-1], r"^3 of 6 frames penetrate, the first is 1; deepest .* in frame \d+ "
                                    r"between 0 box_\d+ and 1 still$")
        self.good("check", "--frames", "7:", "--self", self.path("run"), self.still, status=1)
        result = self.good("check", "--frames", "7", self.path("run"), self.still)
        self.assertEqual(result.stdout.splitlines()[-1], "no penetration in 1 frame")

    def test_check_as_json_agrees_with_each_frame_alone(self):
        result = self.good("check", "--json", self.path("run"), self.still, status=1)
        lines = tool.json_lines(result.stdout)
        summary = lines.pop()
        self.assertEqual((summary["frames"], summary["frames_penetrating"], summary["first_penetrating"],
                          summary["outcome"]),
                         (6, 3, 1, "complete"))
        self.assertEqual(summary["max_depth"], max(line["max_depth"] for line in lines))
        for line in lines:
            alone = tool.json_lines(
                tool.run("check", "--json", self.path("run/box_%d.obj" % line["frame"]), self.still).stdout)
            for key in ("bodies", "pairs_penetrating", "pairs_touching", "max_depth", "outcome"):
                self.assertEqual(line[key], alone[-1][key], key)
            for key in ("overlapping_elements", "penetrating_vertices"):
                self.assertEqual(line[key], sum(pair[key] for pair in alone[:-1]), key)
            self.assertEqual(line["x"] is None, line["pairs_penetrating"] == 0)
        rebuilt = self.good("check", "--json", "--rebuild", self.path("run"), self.still, status=1)
        self.assertEqual(rebuilt.stdout, result.stdout)

    def test_pictures_are_for_one_frame(self):
        picture = self.path("p.png")
        line = self.one_line_error("check", self.path("run"), self.still, "--picture", picture)
        self.assertIn("for one frame", line)
        result = self.good("check", "--frames", "2", self.path("run"), self.still, "--picture", picture, "--out",
                           self.path("out"), status=1)
        self.assertIn("1 of 1 pairs penetrates", result.stdout)
        self.assertTrue(os.path.exists(picture) and os.path.exists(self.path("out.pvd")))

    def test_a_picture_that_cannot_be_written_is_noticed_before_the_work(self):
        for path in (self.path("absent/p.png"), self.folder):
            result = tool.run("check", self.path("run/box_1.obj"), self.still, "--picture", path)
            self.assertEqual((result.returncode, result.stdout, result.stderr.count("\n")), (2, "", 1), result.stderr)

    def test_info_tells_the_frames(self):
        archive = self.archive("a.tar.xz", "w:xz")
        lines = self.good("info", archive).stdout.splitlines()
        self.assertEqual(lines[0], archive + ": 6 frames, numbers 0 to 100 with gaps; the first is")
        self.assertEqual(lines[1], archive + "/run/box_0.obj: obj, 1 body")
        line, = tool.json_lines(self.good("info", "--json", archive).stdout)
        self.assertEqual((line["file"], line["frames"], line["faces"]), (archive, 6, 12))
        line, = tool.json_lines(self.good("info", "--json", self.still).stdout)
        self.assertNotIn("frames", line)
        self.assertIn(": 1 frame, number 7; the first is", self.good("info", self.path("run/box_7*.obj")).stdout)

    # ---- the terminal -----------------------------------------------------------------------------------------------

    LONG = ("pairs", "--ask", "face-cell", "--method", "brute-force", "--threads", "2", "blocks-640k", "--scale", "0.02",
            "--frames", ":", "--count")

    def test_ctrl_c_keeps_finished_frames(self):
        out = self.path("out")
        with open(out, "w") as stream:
            process = subprocess.Popen([tool.TOOL, *self.LONG], env=tool.ENVIRONMENT, stderr=subprocess.PIPE,
                                       stdout=stream, text=True)
            end = time.time() + 300  # a limit, not an expectation
            while os.path.getsize(out) == 0 and time.time() < end:
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            error = process.communicate(timeout=300)[1]
        self.assertEqual((process.returncode, error), (130, "dent: interrupted\n"))
        text = self.read(out).decode()
        self.assertRegex(text, r"^(\d+ \d+\n)+$")
        self.assertEqual([int(line.split()[0]) for line in text.splitlines()], list(range(text.count("\n"))))

    def test_a_terminal_sees_one_bar_over_all_frames_and_whole_lines(self):
        master, slave = pty.openpty()
        process = subprocess.Popen([tool.TOOL, *self.LONG], stdout=slave, stderr=slave, env=tool.ENVIRONMENT)
        os.close(slave)
        shown = b""
        end = time.time() + 300  # a limit, not an expectation
        while time.time() < end and (b"%" not in shown or shown.count(b"\r\n") < 2):
            if select.select([master], [], [], 0.5)[0]:
                shown += os.read(master, 4096)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=300)
        os.close(master)
        self.assertEqual(process.returncode, 130)
        self.assertRegex(shown, rb"\d+ frames +\[[#.]{24}\] +\d+ % ")
        self.assertNotIn(b"searching", shown)
        # Each line of the answer begins at the left: after a line end, or where the bar was taken away.
        for line in shown.split(b"\r\n")[:-1]:
            self.assertRegex(line.split(b"\x1b[K")[-1], rb"^\d+ \d+$|^\^?C?dent: |^\^C$")


class KitSeries(tool.DataTest):
    """The data kit's T-shirt and collision frames."""
    LONG = bool(os.environ.get("DENT_LONG_TESTS"))

    def setUp(self):
        super().setUp()
        self.shirt = os.path.join(tool.DATA, "meshes", "cloth-diffcloth", "iter0.tar.xz")

    def test_the_shirt_refitted_equals_the_shirt_rebuilt(self):
        """With itself, and against its first frame, which stays: so that there are pairs."""
        step = 1 if self.LONG else 10
        methods = ("auto", "surface-tree", "sweep", "bucket-tree") if self.LONG else ("auto", "surface-tree")
        first = None
        for method in methods:
            common = (*FACE_FACE, "--json", "--method", method, "--frames", "::%d" % step, self.shirt,
                      self.shirt + "/000.obj")
            refitted = timeless(self.good(*common).stdout)
            rebuilt = timeless(self.good(*common, "--rebuild").stdout)
            self.assertEqual(refitted, rebuilt)
            first = first or refitted
            self.assertEqual(refitted, first)
        self.assertEqual(len(first), len(range(0, 251, step)))
        self.assertTrue(all(line["pairs"] > 100 for line in first))

    def test_the_shirt_equals_the_oracle_on_a_few_frames(self):
        common = (*FACE_FACE, "--json", "--frames", "::50", self.shirt, self.shirt + "/000.obj")
        oracle = timeless(self.good(*common, "--method", "brute-force").stdout)
        for method in ("auto", "surface-tree"):
            self.assertEqual(timeless(self.good(*common, "--method", method).stdout), oracle)

    def test_the_collision_frames_equal_the_oracle(self):
        scenes = ("armadillo-rollers", "cloth-ball", "cloth-funnel") if self.LONG else (
            "armadillo-rollers", "cloth-funnel")
        for scene in scenes:
            folder = os.path.join(tool.DATA, "frames", scene, "frames")
            with self.subTest(scene=scene):
                oracle = timeless(self.good(*FACE_FACE, "--json", "--method", "brute-force", folder).stdout)
                self.assertEqual(len(oracle), 2)
                for method in ("auto", "surface-tree"):
                    self.assertEqual(timeless(self.good(*FACE_FACE, "--json", "--method", method, folder).stdout),
                                     oracle)

    def test_the_table_says_what_the_tool_says(self):
        tree = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
        subprocess.run([sys.executable, os.path.join(tree, "tools", "kit_crossings.py"), "--check",
                        os.path.join(tree, "docs", "tables", "kit_crossings.md")], check=True, env=tool.ENVIRONMENT)

    def test_the_shirt_is_free_of_penetration_in_every_frame(self):
        result = self.good("check", "--self", "--frames", ":" if self.LONG else "::25", self.shirt)
        self.assertRegex(result.stdout.splitlines()[-1], r"^no penetration in \d+ frames$")


if __name__ == "__main__":
    tool.main()
