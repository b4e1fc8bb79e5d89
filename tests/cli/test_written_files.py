"""Everything the tool writes: whole or not at all, never in place of a pipe, a device or a link that leads nowhere, in
the format of its name; a limit on the size of files is one line. And pipes named in files are not waited for."""
import json
import os
import resource
import shutil
import stat
import subprocess
import threading

import tool_under_test as tool

TWO_BOXES = (tool.medit(*tool.cube()), tool.medit(*tool.cube((0.5, 0.5, 0.5))))
SMALL_RUN = ("run", "cloth-sphere", "--scale", "0.1", "--frames", "2")
SMALL_BENCH = ("bench", "teschner-a", "--scale", "0.05", "--frames", "1", "--repeat", "1", "--ask", "vertex-cell")


def content(path):
    with open(path, "rb") as file:
        return file.read()


def has_viewer():
    return "built without" not in tool.run("view", "--snapshot", "absent/x.png", "absent.obj").stderr


class WrittenFiles(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.boxes = [self.write("box_%d.mesh" % i, text) for i, text in enumerate(TWO_BOXES)]
        os.mkdir(self.path("out"))

    def writers(self):
        """Every way to write a file: what it is called in the folder `out`, and the words that write it."""
        out = self.path("out/")
        ways = {
            "p.png": ["check", *self.boxes, "--picture", out + "p.png"],
            "c.vtp": ["check", *self.boxes, "--curves", out + "c.vtp"],
            "one.vtu": ["check", self.boxes[0], "--out", out + "one.vtu"],
            "all.pvd": ["check", *self.boxes, "--out", out + "all"],
            "all_0_box_0.vtu": ["check", *self.boxes, "--out", out + "all"],
            "all_deepest.vtp": ["check", *self.boxes, "--out", out + "all"],
            "run.pvd": [*SMALL_RUN, "-o", out + "run"],
            "run_frames/bodies.txt": [*SMALL_RUN, "-o", out + "run"],
            "run_frames/frame_000001_contacts.vtp": [*SMALL_RUN, "-o", out + "run"],
            "state": [*SMALL_RUN, "--checkpoint", out + "state"],
            "t.csv": [*SMALL_BENCH, "-o", out + "t.csv"],
            "t.svg": [*SMALL_BENCH, "-o", out + "t.csv"],
            "hash-times.csv": ["paper", "hash-times", "-o", self.path("out"), "--steps", "1", "--scale", "0.02"],
            "hash-times.svg": ["paper", "hash-times", "-o", self.path("out"), "--steps", "1", "--scale", "0.02"],
            "bar_0.mesh": ["export", "teschner-a", self.path("out"), "--scale", "0.05"],
        }
        if has_viewer():
            ways["s.png"] = ["view", self.boxes[0], "--snapshot", out + "s.png"]
        return ways

    def empty_folder_for(self, name):
        shutil.rmtree(self.path("out"))
        path = self.path("out/" + name)
        os.makedirs(os.path.dirname(path))
        return path

    def names(self):
        return sorted(os.path.join(where, name) for where, _, names in os.walk(self.path("out")) for name in names)

    def test_what_is_no_regular_file_is_refused_in_one_line_and_stays(self):
        obstacles = {"a pipe": os.mkfifo,
                     "a device": lambda path: os.symlink("/dev/null", path),
                     "a symbolic link that leads nowhere": lambda path: os.symlink("nowhere", path)}
        for i, (name, words) in enumerate(self.writers().items()):
            for k, (kind, make) in enumerate(obstacles.items()):
                if i % 3 != k and "DENT_LONG_TESTS" not in os.environ:
                    continue  # each meets one of them, all are met; in the long tier each meets all
                with self.subTest(name=name, kind=kind):
                    path = self.empty_folder_for(name)
                    make(path)
                    before = os.lstat(path)
                    result = tool.run(*words, timeout=60)
                    self.assertEqual(result.returncode, 2, result.stderr)
                    self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
                    self.assertIn("%s: cannot be written: it is %s, not a regular file" % (path, kind), result.stderr)
                    after = os.lstat(path)
                    self.assertEqual((before.st_ino, before.st_mode), (after.st_ino, after.st_mode))
                    self.assertFalse(os.path.lexists(self.path("out/nowhere")))
                    self.assertEqual([name for name in self.names() if ".dent-" in name or ".part" in name], [])

    def test_links_planted_where_other_programs_keep_their_temporary_files_are_not_followed(self):
        victim = self.write("victim", "precious")
        for name, words in self.writers().items():
            if name == "s.png":
                continue  # needs a browser; the same way as the others
            with self.subTest(name=name):
                path = self.empty_folder_for(name)
                planted = [path + ending for ending in (".partial", ".part", ".tmp", "~")]
                for link in planted:
                    os.symlink(victim, link)
                self.good(*words, status=None)
                self.assertTrue(stat.S_ISREG(os.lstat(path).st_mode))
                for link in planted:
                    self.assertTrue(os.path.islink(link))
                    os.unlink(link)
                self.assertEqual(content(victim), b"precious")

    def test_a_link_to_a_file_stays_a_link(self):
        for name, words in self.writers().items():
            if name == "s.png":
                continue
            with self.subTest(name=name):
                path = self.empty_folder_for(name)
                real = self.write("real", "old")
                os.symlink(real, path)
                self.good(*words, status=None)
                self.assertTrue(os.path.islink(path))
                self.assertNotEqual(content(real), b"old")

    def test_open_files_are_no_targets(self):
        with open(self.path("report"), "w") as report:
            result = subprocess.run([tool.TOOL, *SMALL_RUN, "--checkpoint", "/dev/stdout"], stdout=report,
                                    stderr=subprocess.PIPE, text=True, env=tool.ENVIRONMENT, timeout=60)
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr, "dent: run: --checkpoint: /dev/stdout: cannot be written: it is the name of an "
                                        "open file, not a regular file\n")
        self.assertEqual(os.path.getsize(self.path("report")), 0)

    def test_a_format_that_is_not_written_is_refused_before_the_work(self):
        out = self.path("out/")
        for words, says in ((["check", *self.boxes, "--picture", out + "x.jpg"], "pictures are PNG"),
                            (["check", *self.boxes, "--picture", out + "x"], "pictures are PNG"),
                            (["check", *self.boxes, "--out", out + "x.stl"], "ends in .pvd"),
                            (["check", *self.boxes, "--out", out + "x.png"], "ends in .pvd"),
                            (["check", *self.boxes, "--curves", out + "x.vtu"], ".vtp or .obj"),
                            ([*SMALL_RUN, "-o", out + "x.vtk"], "ends in .pvd"),
                            ([*SMALL_RUN, "-o", out + "x.vtu"], "ends in .pvd"),
                            ([*SMALL_BENCH, "-o", out + "x.json"], "ending in .csv"),
                            (["view", self.boxes[0], "--snapshot", out + "x.jpg"], "pictures are PNG")):
            with self.subTest(words=words):
                self.assertIn(says, self.one_line_error(*words))
                self.assertEqual(self.names(), [])
        self.good("check", self.boxes[0], "--out", out + "v1.2")  # no ending of a format: a name
        self.assertIn(out + "v1.2.pvd", self.names())

    def test_a_limit_on_the_size_of_files_is_one_line_and_leaves_what_was_there(self):
        """The signal that comes with it would end the program; Python ignores it, its children do not inherit that."""
        for name, words in self.writers().items():
            if name in ("run_frames/bodies.txt", "s.png", "c.vtp", "all_deepest.vtp", "t.csv", "t.svg"):
                continue  # smaller than the limit, or not written by us
            with self.subTest(name=name):
                path = self.empty_folder_for(name)
                self.write("out/" + name, "old")
                result = tool.run(*words, timeout=60,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300)))
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
                self.assertIn("File too large", result.stderr)
                self.assertEqual(content(path), b"old")
                self.assertEqual([name for name in self.names() if ".dent-" in name or ".part" in name], [])

    def test_standard_output_beyond_the_limit_is_one_line(self):
        with open(self.path("report"), "w") as report:
            result = subprocess.run([tool.TOOL, "scenes"], stdout=report, stderr=subprocess.PIPE, text=True,
                                    env=tool.ENVIRONMENT, timeout=60,
                                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
        self.assertEqual((result.returncode, result.stderr), (2, "dent: standard output: File too large\n"))

    def test_a_folder_that_may_not_be_written_is_one_line(self):
        if os.geteuid() == 0:
            self.skipTest("root may write everywhere")
        for name, words in self.writers().items():
            with self.subTest(name=name):
                os.chmod(self.path("out"), 0o555)
                result = tool.run(*words, timeout=60)
                os.chmod(self.path("out"), 0o755)
                self.assertEqual((result.returncode, result.stderr.count("\n")), (2, 1), result.stderr)
                self.assertEqual(self.names(), [])


class PipesNamedInFiles(tool.ToolTest):
    def refused(self, pipe, *words):
        """One line that names the pipe, at once: a program that waits for it runs into the limit."""
        result = tool.run(*words, timeout=60)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertIn(os.path.basename(pipe), result.stderr)
        self.assertRegex(result.stderr, "is a (pipe|device|device or a pipe), not a ")
        print("  " + result.stderr.replace(self.folder + "/", "").rstrip())

    def pipe(self, name):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        os.mkfifo(self.path(name))
        return self.path(name)

    def test_a_mesh_of_a_robot(self):
        self.pipe("arm.stl")
        os.symlink("/dev/zero", self.path("zero.stl"))
        for name in ("arm.stl", "zero.stl", "file://" + self.path("arm.stl")):
            self.refused(name, "info", self.write(
                "r.urdf", '<robot name="r"><link name="l"><collision><geometry><mesh filename="%s"/></geometry>'
                          '</collision></link></robot>' % name))

    def test_a_mesh_of_a_scene_file(self):
        for name, make in (("mesh.obj", os.mkfifo), ("null.obj", lambda path: os.symlink("/dev/null", path))):
            make(self.path(name))
            scene = {"dent_scene": 1, "name": "s", "time_step": "8 ms", "frames": 1,
                     "bodies": [{"name": "b", "kind": "prescribed", "mesh": name}]}
            self.refused(name, "run", self.write("s.json", json.dumps(scene)))

    def test_the_other_half_of_a_pair(self):
        self.pipe("half.node")
        self.refused("half.node", "info", self.write("half.ele", "1 4 0\n1 1 2 3 4\n"))

    def test_a_frame_of_a_folder(self):
        self.pipe("series/f_2.obj")
        for number in (1, 3):
            self.write("series/f_%d.obj" % number, tool.obj(*tool.box_surface()))
        self.refused("f_2.obj", "check", self.path("series"))

    def test_a_frame_of_a_recording(self):
        if not has_viewer():
            self.skipTest("dent was built without the viewer")
        self.pipe("frame.vtp")
        self.refused("frame.vtp", "view", "--snapshot", self.path("x.png"), self.write(
            "r.pvd", '<?xml version="1.0"?><VTKFile type="Collection"><Collection>'
                     '<DataSet timestep="0" part="0" file="frame.vtp"/></Collection></VTKFile>'))

    def test_scene_files_checkpoints_and_archives_are_regular_files(self):
        self.refused("s.json", "run", self.pipe("s.json"))
        self.refused("state", *SMALL_RUN, "--resume", self.pipe("state"))
        self.refused("a.tar", "check", self.pipe("a.tar"))

    def test_a_pipe_on_the_command_line_is_read(self):
        pipe = self.pipe("box.obj")
        thread = threading.Thread(target=self.write, args=("box.obj", tool.obj(*tool.box_surface())), daemon=True)
        thread.start()
        self.assertIn("12", self.good("info", pipe, timeout=60).stdout)
        thread.join()


if __name__ == "__main__":
    tool.main()
