"""kill -9 at any moment of dent run: what the collection lists can be read, and the resumed run has the same bits.

Eight kills by default, fifty with DENT_LONG_TESTS, three with DENT_QUICK_TESTS. The moments are spread over the run by
a fixed sequence.
"""
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import time

import tool_under_test as tool

SCENE = ("cloth-sphere", "--scale", "0.15", "--threads", "2")
FRAMES = 24
KILLS = 50 if os.environ.get("DENT_LONG_TESTS") else 3 if os.environ.get("DENT_QUICK_TESTS") else 8


def files_of(pvd):
    """The files a collection lists; the text must be whole."""
    with open(pvd, encoding="utf-8") as file:
        text = file.read()
    if not text.endswith("</VTKFile>\n"):
        raise AssertionError("the collection is not whole: " + text[-200:])
    return re.findall(r'file="([^"]*)"', text)


def check_vtk_file(path):
    """A VTK file with appended raw data is whole: as long as its last array says, and closed."""
    with open(path, "rb") as file:
        data = file.read()
    if not data.endswith(b"\n  </AppendedData>\n</VTKFile>\n"):
        raise AssertionError(path + " is not whole")
    start = data.index(b'<AppendedData encoding="raw">')
    start = data.index(b"_", start) + 1
    offset = max(int(number) for number in re.findall(rb'offset="(\d+)"', data[:start]))
    size = struct.unpack_from("<Q", data, start + offset)[0]
    end = start + offset + 8 + size
    if data[end:] != b"\n  </AppendedData>\n</VTKFile>\n":
        raise AssertionError(path + " has another length than it says")


class Kill(tool.ToolTest):
    def command(self, name, *more):
        return [tool.TOOL, "run", *SCENE, "--frames", str(FRAMES), "-o", self.path(name), "--checkpoint",
                self.path(name + ".state"), *more]

    def contents(self, name):
        folder = self.path(name + "_frames")
        result = {}
        for entry in sorted(os.listdir(folder)):
            with open(os.path.join(folder, entry), "rb") as file:
                result[entry] = file.read()
        return result

    def kill_once(self, number, moment, resumed):
        """Starts or resumes, kills after `moment` seconds; True when it was still running."""
        more = ("--resume", self.path("k.state")) if resumed else ()
        process = subprocess.Popen(self.command("k", *more), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   env=tool.ENVIRONMENT)
        time.sleep(moment)
        running = process.poll() is None
        process.send_signal(signal.SIGKILL)
        error = process.communicate()[1].decode()
        if not running and "simulated already" not in error:  # the kill before came between the last frame and the end
            self.assertEqual(process.returncode, 0, "kill %d: %s" % (number, error))
        return running

    def check_output(self):
        pvd = self.path("k.pvd")
        if not os.path.exists(pvd):
            return 0
        names = files_of(pvd)
        for name in names:
            check_vtk_file(os.path.join(self.folder, name))
        return len(names)

    def test_killed_runs_leave_whole_frames_and_resume_to_the_bit(self):
        begin = time.time()
        subprocess.run(self.command("whole"), check=True, stdout=subprocess.DEVNULL, env=tool.ENVIRONMENT)
        duration = time.time() - begin
        whole = self.contents("whole")
        with open(self.path("whole.state"), "rb") as file:
            whole_state = file.read()
        moments = random.Random(20)
        kills = restarts = 0
        while kills < KILLS:
            """One run, killed again and again until it is through, then compared; then the next."""
            shutil.rmtree(self.path("k_frames"), ignore_errors=True)
            for name in ("k.pvd", "k.state"):
                if os.path.exists(self.path(name)):
                    os.unlink(self.path(name))
            for _ in range(min(10, KILLS - kills)):
                resumed = os.path.exists(self.path("k.state"))
                running = self.kill_once(kills, moments.uniform(0.0, 0.35 * duration + 0.05), resumed)
                self.check_output()
                if not running:
                    break
                kills += 1
            resumed = os.path.exists(self.path("k.state"))
            result = subprocess.run(self.command("k", *(("--resume", self.path("k.state")) if resumed else ())),
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=tool.ENVIRONMENT)
            if result.returncode != 0:  # it was through when the last kill came
                self.assertIn("simulated already", result.stderr)
            restarts += 1
            finished = self.contents("k")
            leftovers = [name for name in finished if name.startswith(".")]
            self.assertEqual(leftovers, [])
            self.assertEqual(list(finished), list(whole))
            for name, content in whole.items():
                self.assertEqual(finished[name], content, name + " differs after a kill")
            self.assertEqual(self.check_output(), 2 * (FRAMES + 1))
            with open(self.path("k.state"), "rb") as file:
                self.assertEqual(file.read(), whole_state, "the last checkpoint differs")
        print("%d kills in %d runs of %d frames (%.1f s each): every listed frame whole, every resumed run the same "
              "bits" % (kills, restarts, FRAMES, duration))


if __name__ == "__main__":
    tool.main()
