"""dent bench: keys, statuses, files and peers, on scenes small enough to take no time."""
import csv
import os
import xml.dom.minidom

import tool_under_test as tool

KEYS = ["scene", "question", "method", "peer", "threads", "isa", "scale", "frames", "median_ms", "low_ms", "high_ms",
        "candidates", "pairs", "pairs_hash", "peak_bytes", "allocations", "phases", "commit", "machine"]
QUICK = ("--frames", 2, "--repeat", 2)


class Bench(tool.ToolTest):
    def rows(self, *arguments):
        return tool.json_lines(self.good("bench", "--json", *QUICK, *arguments).stdout)

    def test_every_row_has_the_promised_keys_in_order(self):
        rows = self.rows("teschner-a", "--scale", 0.1)
        self.assertTrue(rows)
        for row in rows:
            self.assertEqual(list(row), KEYS)
            self.assertIs(row["peer"], False)
            self.assertLessEqual(row["low_ms"], row["median_ms"])
            self.assertLessEqual(row["median_ms"], row["high_ms"])
            self.assertGreater(row["low_ms"], 0)
            self.assertEqual(list(row["phases"]), ["prepare_ms", "search_ms", "finish_ms"])
            self.assertGreater(row["peak_bytes"], 0)
            self.assertEqual((row["scene"], row["scale"], row["frames"]), ("teschner-a", 0.1, 2))
            self.assertRegex(row["pairs_hash"], "^[0-9a-f]{16}$")
            self.assertTrue(row["commit"] and row["machine"])

    def test_a_method_that_cannot_answer_is_an_error(self):
        line = self.one_line_error("bench", *QUICK, "teschner-a", "--scale", 0.1, "--ask", "vertex-cell", "--method",
                                   "surface-tree")
        self.assertEqual(line, "bench: method surface-tree cannot answer vertex-cell; these can: "
                         "brute-force, sweep, spatial-hash, bucket-tree, cluster-search, contour-walk")
        rows = self.rows("teschner-a", "--scale", 0.1, "--method", "surface-tree")  # what it can is asked
        self.assertEqual([row["question"] for row in rows], ["face-face"])
        text = self.good("bench", "--help").stdout
        self.assertIn("--ask QUESTIONS", text)
        self.assertNotIn("or proximity", text)

    def test_a_simulated_scene_is_named_as_such(self):
        self.assertEqual(self.one_line_error("bench", "stack"),
                         "bench: 'stack' is simulated: dent run stack --json prints its times")

    def test_solids_are_asked_three_times_and_all_methods_agree(self):
        rows = self.rows("teschner-a", "--scale", 0.1)
        self.assertEqual(list(dict.fromkeys(row["question"] for row in rows)),
                         ["vertex-cell", "face-cell", "vertex-cell+face-cell"])
        for question in {row["question"] for row in rows}:
            same = [row for row in rows if row["question"] == question]
            self.assertIn("brute-force", [row["method"] for row in same])
            self.assertIn("sweep", [row["method"] for row in same])
            self.assertEqual(len({(row["pairs"], row["pairs_hash"]) for row in same}), 1)
            self.assertEqual({row["allocations"] for row in same}, {0})

    def test_surfaces_are_asked_about_their_faces(self):
        rows = self.rows("cloth-500k", "--scale", 0.002)
        self.assertEqual({row["question"] for row in rows}, {"face-face"})
        self.assertGreater(rows[0]["pairs"], 0)
        tree = next(row for row in rows if row["method"] == "surface-tree")
        self.assertEqual(list(tree["phases"]), ["prepare_ms", "search_ms", "finish_ms", "refit_ms", "culling_ms",
                                                "traversal_ms", "filters_ms", "exact_ms"])

    def test_the_hash_is_that_of_pairs(self):
        row = self.rows("teschner-b", "--ask", "face-cell", "--method", "sweep")[0]
        said = self.good("pairs", "--ask", "face-cell", "--method", "sweep", "--stats", "teschner-b").stderr
        self.assertIn("%d pairs, pairs_hash %s," % (row["pairs"], row["pairs_hash"]), said)

    def test_another_first_frame(self):
        row = self.rows("teschner-b", "--ask", "face-cell", "--method", "sweep", "--frame", 7)[0]
        said = self.good("pairs", "--ask", "face-cell", "--stats", "teschner-b", "--frame", 7).stderr
        self.assertIn("%d pairs, pairs_hash %s," % (row["pairs"], row["pairs_hash"]), said)

    def test_at_rest_and_in_rigid_motion_the_pairs_stay(self):
        first = self.rows("teschner-b", "--ask", "face-cell", "--method", "sweep")[0]
        for motion, said in (("rest", "; at rest"), ("rigid", "; rigid motion")):
            row = self.rows("teschner-b", "--ask", "face-cell", "--method", "sweep", "--motion", motion)[0]
            self.assertEqual(row["pairs_hash"], first["pairs_hash"])  # frame 0 is as it was
            text = self.good("bench", *QUICK, "teschner-b", "--ask", "face-cell", "--motion", motion).stdout
            self.assertIn(said, text)

    def test_files_rest_move_rigidly_or_deform(self):
        self.good("export", "teschner-a", self.path("bars"), "--scale", 0.02)
        file = self.path(os.path.join("bars", sorted(os.listdir(self.path("bars")))[0]))
        hashes = {}
        for motion in ("rest", "rigid", "deform"):
            rows = self.rows(file, "--motion", motion, "--ask", "face-cell", "--set", "shift=0.1", "--frame", 3)
            self.assertEqual(len({row["pairs_hash"] for row in rows}), 1)
            hashes[motion] = rows[0]["pairs"]
        plain = self.rows(file, "--ask", "face-cell", "--set", "shift=0.1", "--frame", 3)
        self.assertEqual(plain[0]["pairs"], hashes["deform"])
        self.assertGreater(hashes["rest"], 0)
        still = self.rows(file, "--motion", "rest", "--ask", "face-cell", "--set", "shift=0.1", "--frame", 17)
        self.assertEqual(still[0]["pairs"], hashes["rest"])
        self.assertEqual(self.one_line_error("bench", file, "--motion", "rest", "--set", "wave=1"),
                         "bench: wave is the height of deforming waves: it needs --motion deform")

    def test_options_choose_method_question_threads_and_instruction_set(self):
        rows = self.rows("teschner-a", "--method", "sweep", "--ask", "vertex-cell+face-cell", "--threads", 3, "--isa",
                         "scalar", "--set", "inside=0")
        self.assertEqual([(row["method"], row["question"], row["threads"], row["isa"]) for row in rows],
                         [("sweep", "vertex-cell+face-cell", 3, "scalar")])

    def test_the_control_races_on_one_thread_and_on_all(self):
        rows = self.rows("teschner-a", "--control", "--threads", 3, "--ask", "face-cell")
        by_threads = {threads: [row["method"] for row in rows if row["threads"] == threads] for threads in (1, 3)}
        self.assertEqual(by_threads[1], by_threads[3])
        self.assertIn("control", by_threads[1])
        for row in rows:
            self.assertEqual(list(row), KEYS)
        self.assertEqual({row["pairs"] for row in rows if row["method"] == "control"}, {0})
        self.assertEqual(len({row["pairs_hash"] for row in rows if row["method"] != "control"}), 1)
        text = self.good("bench", *QUICK, "teschner-a", "--control", "--threads", 2, "--ask", "face-cell").stdout
        self.assertRegex(text, r"spatial-hash: speed-up [0-9.]+ on 2 threads, [0-9.]+ of the control's [0-9.]+")

    def check_loops(self, row, workers):
        self.assertEqual(list(row), KEYS + ["loops"])
        loops = row["loops"]
        self.assertEqual(list(loops), ["workers", "serial_share", "imbalance", "speed_up", "stages"])
        self.assertEqual(loops["workers"], workers)
        stages = {stage["stage"]: stage for stage in loops["stages"]}
        self.assertEqual(list(stages), ["prepare", "refit", "culling", "search", "finish", "step"])
        for key in ("serial_ms", "work_ms", "longest_ms"):
            parts = sum(stage[key] for name, stage in stages.items() if name != "step")
            self.assertAlmostEqual(stages["step"][key], parts)
        for stage in stages.values():
            self.assertGreaterEqual(stage["serial_ms"], 0)
            self.assertLessEqual(stage["longest_ms"], stage["work_ms"])
            self.assertGreaterEqual(workers * stage["longest_ms"], (1 - 1e-9) * stage["work_ms"])
        step = stages["step"]
        self.assertGreater(step["work_ms"], 0)
        self.assertAlmostEqual(loops["serial_share"], step["serial_ms"] / (step["serial_ms"] + step["work_ms"]))
        self.assertAlmostEqual(loops["imbalance"], workers * step["longest_ms"] / step["work_ms"])
        self.assertLessEqual(loops["speed_up"], workers)
        return stages

    def test_phases_tell_what_threads_can_bring(self):
        plain = self.rows("teschner-b", "--ask", "face-cell", "--threads", 1)
        rows = self.rows("teschner-b", "--ask", "face-cell", "--threads", 1, "--cpu-time", "--phases")
        self.assertEqual([(row["method"], row["pairs_hash"]) for row in rows],
                         [(row["method"], row["pairs_hash"]) for row in plain])
        for row in rows:
            stages = self.check_loops(row, 16)
            self.assertEqual(stages["refit"]["work_ms"] + stages["culling"]["work_ms"], 0)
            self.assertEqual(row["allocations"], 0)
        for row in self.rows("cloth-500k", "--scale", 0.02, "--method", "surface-tree", "--threads", 2, "--phases"):
            stages = self.check_loops(row, 2)
            self.assertGreater(stages["refit"]["work_ms"], 0)
        text = self.good("bench", *QUICK, "teschner-b", "--ask", "face-cell", "--threads", 1, "--phases", "--method",
                         "cluster-search").stdout
        self.assertRegex(text, r"cluster-search, 16 workers \(dealt\): +stage +serial ms +share +in loops +imbalance")
        self.assertRegex(text, r"step +[0-9.]+ +[0-9.]+% +[0-9.]+ +[0-9.]+\n +speed-up that this allows: [0-9.]+")

    def test_slow_methods_are_left_out_unless_named(self):
        listed = [row["method"] for row in self.rows("teschner-c", "--ask", "vertex-cell")]
        self.assertNotIn("brute-force", listed)
        self.assertEqual([row["method"] for row in self.rows("teschner-c", "--ask", "vertex-cell", "--method",
                                                             "brute-force")], ["brute-force"])

    def test_variants_answer_the_same(self):
        rows = self.rows("teschner-a", "--variants", "--ask", "vertex-cell")
        plain = self.rows("teschner-a", "--ask", "vertex-cell")
        self.assertGreater(len(rows), len(plain))
        self.assertEqual(len({row["pairs_hash"] for row in rows + plain}), 1)

    def test_the_table_is_for_people(self):
        text = self.good("bench", *QUICK, "teschner-a", "--scale", 0.1, "--ask", "vertex-cell", "--threads", 1,
                         "--cpu-time").stdout
        self.assertIn("teschner-a, vertex-cell: 10 bodies, 100 cells", text)
        self.assertIn("median ms", text)
        self.assertIn("CPU time", text)

    def test_out_writes_a_table_and_a_chart(self):
        file = self.path("times.csv")
        self.good("bench", *QUICK, "teschner-a", "--scale", 0.1, "--out", file)
        with open(file, newline="") as opened:
            rows = list(csv.DictReader(opened))
        self.assertTrue(rows)
        for row in rows:
            self.assertNotIn(None, row)
            self.assertTrue(row["machine"] and row["compiler"] and row["commit"])
            self.assertGreater(float(row["median_ms"]), 0)
        chart = xml.dom.minidom.parse(self.path("times.svg"))
        self.assertEqual(len(chart.getElementsByTagName("rect")), 1 + len(rows))

    def test_files_move_and_overlap_as_much_as_was_asked_for(self):
        self.good("export", "teschner-d", self.path("parts"), "--scale", 0.1, "--set", "inside=0")
        parts = sorted(os.path.join(self.path("parts"), name) for name in os.listdir(self.path("parts")))
        rows = self.rows(parts[0], "--ask", "vertex-cell")
        vertices = sum(body["vertices"] for body in tool.json_lines(self.good("info", "--json", parts[0]).stdout))
        self.assertEqual({row["scene"] for row in rows}, {os.path.basename(parts[0]).split(".")[0]})
        self.assertEqual(len({row["pairs_hash"] for row in rows}), 1)
        self.assertTrue(0.05 * 2 * vertices < rows[0]["pairs"] < 0.11 * 2 * vertices, rows[0]["pairs"])
        more = self.rows(parts[0], "--ask", "vertex-cell", "--set", "inside=0.3")
        self.assertGreater(more[0]["pairs"], 2 * rows[0]["pairs"])
        self.assertEqual(self.rows(parts[0], "--ask", "vertex-cell", "--set", "shift=3")[0]["pairs"], 0)
        self.assertEqual(self.rows(*parts, "--ask", "face-cell")[0]["scene"],
                         os.path.basename(parts[0]).split(".")[0] + "+1")
        text = self.good("bench", *QUICK, parts[0], "--ask", "vertex-cell").stdout
        self.assertIn("2 copies, shift", text)

    def test_a_file_that_overlaps_itself_is_a_harmless_reference(self):
        self.good("export", "v-self", self.path("folded"), "--frame", 50)
        file = os.path.join(self.path("folded"), os.listdir(self.path("folded"))[0])
        rows = self.rows(file, "--set", "copies=1", "--set", "wave=0.01", "--ask", "vertex-cell")
        self.assertIn("cluster-search", [row["method"] for row in rows])
        self.assertGreater(rows[0]["pairs"], 50)

    def test_a_series_of_frames_moves_by_itself(self):
        for frame in range(3, 7):
            self.good("export", "v-self", self.path("v"), "--frame", frame * 10)
            file = os.path.join(self.path("v"), os.listdir(self.path("v"))[0])
            os.makedirs(self.path("series"), exist_ok=True)
            os.replace(file, self.path("series/v_%d.mesh" % frame))
        expected = []
        for frame in (4, 5, 6):
            said = self.good("pairs", "--ask", "vertex-cell", "--stats", self.path("series/v_%d.mesh" % frame)).stderr
            expected.append(said.split("pairs_hash ")[1].split(",")[0])
        rows = self.rows(self.path("series"), "--ask", "vertex-cell", "--frame", 4)
        self.assertEqual({row["pairs_hash"] for row in rows}, {expected[0]})
        self.assertEqual({row["frames"] for row in rows}, {2})
        rows = tool.json_lines(self.good("bench", "--json", "--frames", 9, "--repeat", 1, "--frame", 5,
                                         self.path("series/v_*.mesh"), "--ask", "vertex-cell").stdout)
        self.assertEqual({(row["pairs_hash"], row["frames"]) for row in rows}, {(expected[1], 2)})
        self.assertIn("alone", self.one_line_error("bench", self.path("series"), self.path("series/v_3.mesh")))
        self.assertIn("--set", self.one_line_error("bench", self.path("series"), "--set", "wave=1"))

    def test_mistakes_are_one_line(self):
        self.assertEqual(self.one_line_error("bench", "nonsense"),
                         "bench: no scene is called 'nonsense'; dent scenes lists them")
        self.assertIn("inside", self.one_line_error("bench", "teschner-a", "--set", "inside=7"))
        self.assertIn("face-face", self.one_line_error("bench", "--ask", "vertex-cell+colour"))
        self.assertIn("whole number", self.one_line_error("bench", "--frames", 0))
        self.assertIn("whole number", self.one_line_error("bench", "--repeat", "two"))
        self.assertIn(".csv", self.one_line_error("bench", "--out", "times.txt"))
        self.assertIn("--threads 1", self.one_line_error("bench", "--cpu-time", "--threads", 2))
        self.assertIn("absent.msh", self.one_line_error("bench", "absent.msh"))
        file = self.write("one.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        self.assertIn("copies, inside, shift, wave and self", self.one_line_error("bench", file, "--set", "crumple=1"))
        self.assertIn("from 1 to 1000", self.one_line_error("bench", file, "--set", "copies=0"))
        self.assertIn("exclude", self.one_line_error("bench", file, "--set", "inside=0.1", "--set", "shift=1"))
        self.assertIn("built-in scenes", self.one_line_error("bench", file, "--scale", 2))
        self.assertIn("No such file", self.one_line_error("bench", "--out", self.path("none/t.csv"), "teschner-a"))

    def test_peers_that_were_not_built_are_missed_in_one_line(self):
        environment = dict(tool.ENVIRONMENT, DENT_PEERS=self.path("dent-peers"))
        result = tool.subprocess.run([tool.TOOL, "bench", "--peers", "teschner-a"], capture_output=True, text=True,
                                     env=environment)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertEqual(result.stderr.count("\n"), 1)
        self.assertIn("DENT_BUILD_PEERS", result.stderr)

    def test_strands_of_files_wave_and_are_not_doubled(self):
        lines = "".join(f"v {x} {0.01 * y} {0.001 * x}\n" for y in range(4) for x in range(4))
        file = self.write("comb.obj", lines + "".join(f"l {4 * s + 1} {4 * s + 2} {4 * s + 3} {4 * s + 4}\n" for s in range(4)))
        text = self.good("bench", *QUICK, file).stdout
        self.assertIn("comb, strand: 1 bodies, 0 cells, 16 vertices", text)
        self.assertIn("bytes a segment", text)
        rows = self.rows(file)
        self.assertEqual({row["question"] for row in rows}, {"strand"})
        self.assertIn("strand-packets", {row["method"] for row in rows})
        still = self.rows(file, "--motion", "rest", "--thickness", 0.02)
        stats = self.good("pairs", "--ask", "strand", "--thickness", 0.02, "--stats", "--json", file).stdout
        self.assertEqual({row["pairs_hash"] for row in still}, {tool.json_lines(stats)[-1]["pairs_hash"]})
        self.assertLess(rows[0]["pairs"], self.rows(file, "--set", "copies=2", "--set", "shift=0")[0]["pairs"])

    def test_peers_answer_about_strands_the_same(self):
        if not os.access(os.path.join(os.path.dirname(tool.TOOL), "dent-peers"), os.X_OK):
            self.skipTest("dent-peers is not built (-DDENT_BUILD_PEERS=ON): peers were not tried")
        for scene in ("strands-1m", "strands-1m-sparse"):
            rows = self.rows(scene, "--scale", 0.01, "--peers", "--threads", 1)
            self.assertIn("plain-grid-mailbox", {row["method"] for row in rows if row["peer"]})
            self.assertEqual(len({row["pairs_hash"] for row in rows}), 1)

    def test_peers_answer_the_same(self):
        if not os.access(os.path.join(os.path.dirname(tool.TOOL), "dent-peers"), os.X_OK):
            self.skipTest("dent-peers is not built (-DDENT_BUILD_PEERS=ON): peers were not tried")
        for threads in (1, 2):
            rows = self.rows("teschner-a", "--peers", "--threads", threads)
            self.assertIn(True, {row["peer"] for row in rows})
            for row in rows:
                self.assertEqual(list(row), KEYS)
            for question in {row["question"] for row in rows}:
                self.assertEqual(len({row["pairs_hash"] for row in rows if row["question"] == question}), 1)


if __name__ == "__main__":
    tool.main()
