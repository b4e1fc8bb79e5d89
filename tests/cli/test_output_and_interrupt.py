"""A full disk, a closed pipe, Ctrl-C, and the progress bar."""
import os
import pty
import select
import signal
import subprocess
import time

import tool_under_test as tool

# Every pair by brute force: long enough to be interrupted on any machine, and polled between blocks.
LONG_RUN = ("pairs", "--ask", "face-cell", "--method", "brute-force", "blocks-640k")


class OutputAndInterrupt(tool.ToolTest):
    def interrupted(self, *arguments, after, **more):
        process = subprocess.Popen([tool.TOOL, *arguments], env=tool.ENVIRONMENT, stderr=subprocess.PIPE, text=True,
                                   **more)
        time.sleep(after)
        self.assertIsNone(process.poll(), "it ended before it could be interrupted")
        process.send_signal(signal.SIGINT)
        error = process.communicate(timeout=120)[1]
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
        status, error = self.interrupted(*LONG_RUN, after=8, stdout=subprocess.DEVNULL)
        self.assertEqual((status, error), (130, "dent: interrupted\n"))

    def test_ctrl_c_while_a_scene_is_made_stops_at_once(self):
        status, error = self.interrupted("info", "teschner-a", "blocks-640k", "--scale", "4", after=1,
                                         stdout=subprocess.DEVNULL)
        self.assertEqual((status, error), (130, "dent: interrupted\n"))

    def test_finished_output_is_kept(self):
        with open(self.path("out"), "w") as out:
            status, _ = self.interrupted("info", "--json", "teschner-a", "blocks-640k", "--scale", "4", after=2,
                                         stdout=out)
        self.assertEqual(status, 130)
        with open(self.path("out")) as out:
            text = out.read()
        self.assertTrue(text.endswith("\n"))
        self.assertGreaterEqual(len(tool.json_lines(text)), 100)

    def test_nothing_but_the_answer_is_printed_off_a_terminal(self):
        self.assertEqual(self.good("pairs", "--ask", "vertex-cell", "teschner-a").stderr, "")

    def test_a_terminal_sees_a_bar_after_a_second(self):
        master, slave = pty.openpty()
        process = subprocess.Popen([tool.TOOL, *LONG_RUN], stdout=subprocess.DEVNULL, stderr=slave,
                                   env=tool.ENVIRONMENT)
        os.close(slave)
        shown = b""
        end = time.time() + 60
        while time.time() < end and b"%" not in shown:
            if select.select([master], [], [], 0.5)[0]:
                shown += os.read(master, 4096)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=120)
        os.close(master)
        self.assertIn(b"searching", shown)
        self.assertRegex(shown, rb"\[[#.]{24}\] +\d+ %")
        self.assertEqual(process.returncode, 130)


if __name__ == "__main__":
    tool.main()
