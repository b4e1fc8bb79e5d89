"""A full disk, a closed pipe, Ctrl-C, and the progress bar."""
import os
import pty
import re
import select
import signal
import subprocess
import time

import tool_under_test as tool

# Every pair by brute force: long enough to be interrupted on any machine however many cores it has, and polled between blocks.
LONG_RUN = ("pairs", "--ask", "face-cell", "--method", "brute-force", "--threads", "2", "blocks-640k", "--scale", "0.5")
# Several seconds on any machine, and what precedes the loop, where no share can be told, is short.
RUN_WITH_A_BAR = LONG_RUN[:-1] + ("0.3",)
QUICK = bool(os.environ.get("DENT_QUICK_TESTS"))
PATIENCE = 300  # seconds for what must come: a limit, not an expectation


class OutputAndInterrupt(tool.ToolTest):
    def interrupted(self, *arguments, after=0, until=lambda: True, **more):
        """Sends SIGINT when `after` seconds have passed and `until` holds; exit status and stderr."""
        process = subprocess.Popen([tool.TOOL, *arguments], env=tool.ENVIRONMENT, stderr=subprocess.PIPE, text=True,
                                   **more)
        time.sleep(after)
        end = time.time() + PATIENCE
        while not (until() and tool.catches_interrupts(process)) and time.time() < end:
            time.sleep(0.02)
        self.assertIsNone(process.poll(), "it ended before it could be interrupted")
        process.send_signal(signal.SIGINT)
        error = process.communicate(timeout=PATIENCE)[1]
        return process.returncode, error

    def test_a_full_disk_is_one_line(self):
        cube = self.write("a.mesh", tool.medit(*tool.cube()))
        for arguments in (["--help"], ["scenes"], ["info", cube], ["check", cube],
                          ["pairs", "--ask", "vertex-cell", "teschner-a"]):
            with self.subTest(arguments=arguments), open("/dev/full", "w") as full:
                result = subprocess.run([tool.TOOL, *arguments], stdout=full, stderr=subprocess.PIPE, text=True,
                                        env=tool.ENVIRONMENT)
                self.assertEqual((result.returncode, result.stderr),
                                 (2, "dent: standard output: No space left on device\n"))

    def test_a_closed_standard_output_is_one_line(self):
        result = subprocess.run(["sh", "-c", '"$0" scenes >&-', tool.TOOL], stderr=subprocess.PIPE, text=True,
                                env=tool.ENVIRONMENT)
        self.assertEqual((result.returncode, result.stderr), (2, "dent: standard output: Bad file descriptor\n"))

    def test_a_reader_that_has_enough_is_left_in_peace(self):
        reading, writing = os.pipe()
        os.close(reading)
        result = subprocess.run([tool.TOOL, "pairs", "--ask", "vertex-cell", "teschner-a"], stdout=writing,
                                stderr=subprocess.PIPE,
                                text=True, env=tool.ENVIRONMENT)
        os.close(writing)
        self.assertEqual((result.returncode, result.stderr), (2, ""))

    def test_ctrl_c_stops_a_long_query_with_130(self):
        status, error = self.interrupted(*LONG_RUN, after=3, stdout=subprocess.DEVNULL)
        self.assertEqual((status, error), (130, "dent: interrupted\n"))

    def test_finished_output_is_kept(self):
        """The first scene is printed, then Ctrl-C comes while the second, a large one, is being made."""
        out = self.path("out")
        with open(out, "w") as stream:
            status, error = self.interrupted("info", "--json", "teschner-a", "blocks-640k", "--scale", "12",
                                             until=lambda: os.path.getsize(out) > 0, stdout=stream)
        self.assertEqual((status, error), (130, "dent: interrupted\n"))
        with open(out) as stream:
            text = stream.read()
        self.assertTrue(text.endswith("\n"))
        self.assertGreaterEqual(len(tool.json_lines(text)), 100)

    def test_an_interrupted_check_says_so_in_its_summary(self):
        names = []
        for i in range(2):
            vertices, cells = [], []
            for k in range(1500):
                box, tetrahedra = tool.cube((0.001 * (k * 7919 % 1009), 0.001 * k, 0.01 * i), (1, 1, 1))
                cells += [tuple(corner + len(vertices) for corner in cell) for cell in tetrahedra]
                vertices += box
            names.append(self.write("pile%d.mesh" % i, tool.medit(vertices, cells)))
        out = self.path("out")
        with open(out, "w") as stream:
            status, error = self.interrupted("check", "--json", "--self", "--threads", "2", *names, after=3, stdout=stream)
        self.assertEqual((status, error), (130, "dent: interrupted\n"))
        with open(out) as stream:
            summary, = tool.json_lines(stream.read())
        self.assertEqual(summary["outcome"], "cancelled")
        for key in ("pairs_penetrating", "pairs_touching", "max_depth", "suggested_tolerance"):
            self.assertIsNone(summary[key], key)  # not known: not 0

    def test_nothing_but_the_answer_is_printed_off_a_terminal(self):
        self.assertEqual(self.good("pairs", "--ask", "vertex-cell", "teschner-a").stderr, "")

    def test_a_terminal_sees_a_bar_after_a_second(self):
        master, slave = pty.openpty()
        process = subprocess.Popen([tool.TOOL, *RUN_WITH_A_BAR], stdout=subprocess.DEVNULL, stderr=slave,
                                   env=tool.ENVIRONMENT)
        os.close(slave)
        shown = b""
        end = time.time() + PATIENCE
        while time.time() < end and b"%" not in shown:
            if select.select([master], [], [], 0.5)[0]:
                shown += os.read(master, 4096)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=PATIENCE)
        os.close(master)
        self.assertIn(b"searching", shown)
        self.assertRegex(shown, rb"\[[#.]{24}\] +\d+ %")
        self.assertEqual(process.returncode, 130)

    def seen_on_a_terminal(self, *arguments):
        """All that a terminal sees of a run: (what, percentage or None) of every time the bar was drawn."""
        master, slave = pty.openpty()
        process = subprocess.Popen([tool.TOOL, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=slave, env=tool.ENVIRONMENT)
        os.close(slave)
        shown, end = b"", time.time() + PATIENCE
        while time.time() < end:
            try:
                shown += os.read(master, 4096)
            except OSError:  # the other side is closed
                break
        process.wait(timeout=PATIENCE)
        os.close(master)
        self.assertIn(process.returncode, (0, 1))
        drawn = re.findall(r"\r\x1b\[K([^\r\x1b]+?) +(?:\[[#.]{24}\] +(\d+) % )?[0-9.]+ s", shown.decode())
        return [(what, int(share) if share else None) for what, share in drawn]

    def test_a_bar_only_rises_and_says_what_is_done(self):
        if QUICK:
            self.skipTest("takes seconds on purpose")
        stages = {}
        for what, share in self.seen_on_a_terminal("check", "--self", "--threads", "2", "blocks-640k", "--scale", "0.5"):
            if share is not None:
                stages.setdefault(what, []).append(share)
        self.assertIn("checking", stages)
        for what, shares in stages.items():
            self.assertEqual(shares, sorted(shares), what)

    def test_files_are_numbered_while_they_are_read(self):
        mesh = tool.obj(*tool.box_surface())
        plain, pipe = self.write("box.obj", mesh), self.path("pipe.obj")
        os.mkfifo(pipe)
        master, slave = pty.openpty()
        process = subprocess.Popen([tool.TOOL, "info", plain, pipe, plain], stdout=subprocess.DEVNULL, stderr=slave,
                                   env=tool.ENVIRONMENT)
        os.close(slave)
        shown, end = b"", time.time() + PATIENCE
        with open(pipe, "w") as file:  # the file has no end before the terminal has seen its name
            while time.time() < end and b"reading 2 of 3: pipe.obj" not in shown:
                if select.select([master], [], [], 0.5)[0]:
                    shown += os.read(master, 4096)
            file.write(mesh)
        process.wait(timeout=PATIENCE)
        os.close(master)
        self.assertIn(b"reading 2 of 3: pipe.obj", shown)
        self.assertEqual(process.returncode, 0)


if __name__ == "__main__":
    tool.main()
