"""dent paper: every figure in a quick trial: tables that add up, charts that are XML, one line for mistakes."""
import csv
import os
import signal
import subprocess
import xml.dom.minidom

import tool_under_test as tool

FIGURES = ("hash-times", "hash-table-size", "hash-cell-size", "bucket-query-size", "bucket-query-hits",
           "bucket-self-size", "bucket-self-hits", "surface-resolution", "surface-flatness", "surface-culling",
           "surface-directions", "surface-leaves", "surface-phases", "motion-missed", "motion-size", "motion-angle", "plan-passages", "haptic-traces",
           "deadline-load", "deadline-error", "deadline-force", "deadline-pairs", "deadline-peg",
           "constraint-times", "constraint-conditions", "depth-sliding", "depth-directions",
           "hair-shares", "hair-friction", "hair-wisps", "hair-recall", "hair-density",
           "cloud-distance", "cloud-size", "cloud-roc", "cloud-sheets", "cloud-coupons",
           "boxes-cells", "boxes-tables", "boxes-rows", "kinetic-updates", "kinetic-detection")


class Paper(tool.ToolTest):
    def table(self, figure):
        """The rows without the comments that say how they were made."""
        with open(self.path(figure + ".csv")) as file:
            lines = file.readlines()
        self.assertTrue(lines[0].startswith("# "), lines[0])
        self.assertIn("dent paper " + figure, lines[1])
        return list(csv.DictReader(lines[2:]))

    def test_every_figure_is_written_as_table_and_chart(self):
        self.good("paper", "-o", self.folder, "--steps", 5, "--scale", 0.1, "--threads", 1, "--cpu-time")
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(f + e for f in FIGURES for e in (".csv", ".svg")))
        for figure in FIGURES:
            xml.dom.minidom.parse(self.path(figure + ".svg"))
            self.table(figure)

    def test_bounds_fall_with_the_budget_in_every_order(self):
        self.good("paper", "deadline-error", "deadline-force", "-o", self.folder, "--scale", 0.05, "--threads", 1)
        rows = self.table("deadline-error")
        self.assertEqual({row["order"] for row in rows}, {"priority", "breadth first", "depth first"})
        for before, after in zip(rows, rows[1:]):
            if before["order"] == after["order"] and before["frame"] == after["frame"]:
                self.assertLessEqual(float(after["bound"]), float(before["bound"]))
                self.assertLessEqual(float(after["depth"]), float(before["depth"]))
        ends = [a for a, b in zip(rows, rows[1:] + [None]) if b is None
                or (a["order"], a["frame"]) != (b["order"], b["frame"])]
        for frame in {row["frame"] for row in ends}:  # every order finds the same pairs in the end
            self.assertEqual(len({row["pairs"] for row in ends if row["frame"] == frame}), 1)
            self.assertTrue(all(float(row["bound"]) == 0 for row in ends))
        for row in self.table("deadline-force"):
            self.assertLessEqual(float(row["degrees"]), 180)

    def test_more_contacts_make_contact_space_singular_and_leave_motion_space_as_it_is(self):
        self.good("paper", "constraint-conditions", "-o", self.folder, "--steps", 1, "--threads", 1)
        rows = {int(row["contacts_per_body"]): row for row in self.table("constraint-conditions")}
        self.assertLess(float(rows[3]["condition_contact_space"]), 1e4)
        self.assertGreater(float(rows[16]["condition_contact_space"]), 1e12)
        for row in rows.values():
            self.assertLess(float(row["condition_motion_space"]), 1e4)
            self.assertLessEqual(int(row["active"]), 4 * 6)

    def test_friction_recall_and_wisps_of_hair_are_as_they_should_be(self):
        self.good("paper", "hair-friction", "hair-recall", "hair-wisps", "-o", self.folder, "--scale", 0.2, "--steps", 20,
                  "--threads", 1)
        last = {row["orientation"]: row for row in self.table("hair-friction")}
        for row in last.values():
            self.assertAlmostEqual(float(row["speed"]) / float(row["steady_speed"]), 1, delta=0.01)
        self.assertAlmostEqual(float(last["root below"]["speed"]) / float(last["root above"]["speed"]), 2, delta=0.02)
        recall = {int(row["interval"]): float(row["recall"]) for row in self.table("hair-recall")}
        self.assertGreaterEqual(recall[1], 0.99)
        self.assertGreaterEqual(recall[1], recall[0])
        segments = [int(row["segments"]) for row in self.table("hair-wisps")]
        self.assertGreater(max(segments), 2 * segments[0])
        self.assertEqual(segments[-1], segments[0])

    def test_clouds_are_decided_and_their_sheets_are_kept_apart(self):
        self.good("paper", "cloud-sheets", "cloud-roc", "cloud-coupons", "-o", self.folder, "--steps", 60, "--scale", 0.3,
                  "--threads", 1)
        for row in self.table("cloud-sheets"):
            wrong = row["function"] == "euclidean"
            self.assertEqual(float(row["spurious_zeros"]) > 0.5, wrong, row)
            self.assertEqual(float(row["zeros_at_sheets"]) < 1.9, wrong, row)
        for row in self.table("cloud-coupons"):
            p = float(row["limit"])
            self.assertLess(abs(float(row["frequency"]) - p), 3 * (p * (1 - p) / 60) ** 0.5 + 0.02, row)
        answers = {float(row["gap_in_spacings"]): float(row["yes"]) for row in self.table("cloud-roc")}
        self.assertTrue(answers[-8] == 1 and answers[8] == 0, answers)

    def test_kinetic_trees_write_fewer_boxes_and_methods_find_the_same_pairs(self):
        self.good("paper", "kinetic-updates", "boxes-tables", "boxes-rows", "-o", self.folder, "--steps", 1, "--scale", 0.1)
        rows = self.table("kinetic-updates")
        self.assertEqual(len({row["events"] for row in rows}), 1)  # whatever the number of frames
        self.assertLess(int(rows[-1]["kinetic_updates"]), int(rows[-1]["refit_updates"]) / 20)
        for table, key in (("boxes-tables", lambda row: 0), ("boxes-rows", lambda row: row["scene"])):
            pairs = {}
            for row in self.table(table):
                self.assertEqual(pairs.setdefault(key(row), row["pairs"]), row["pairs"], row)

    def test_the_published_times_stand_beside_ours(self):
        out = self.good("paper", "hash-times", "-o", self.path("new/folder"), "--steps", 3, "--scale", 0.1).stdout
        self.folder = self.path("new/folder")
        rows = self.table("hash-times")
        published = {row["set_up"]: row["mean_ms"] for row in rows if row["who"].startswith("published")}
        self.assertEqual(published, {"A": "4.3", "B": "12.6", "C": "30.4", "D": "70", "E": "172.5"})
        for row in rows:
            low, mean, high = (float(row[key]) for key in ("min_ms", "mean_ms", "max_ms"))
            self.assertTrue(0 < low <= mean <= high, row)
            self.assertIn(row["who"], out)

    def test_an_interrupted_figure_leaves_no_file(self):
        self.good("paper", "hash-times", "-o", self.folder, "--steps", 1, "--scale", 0.02)
        with open(self.path("hash-times.csv")) as file:
            before = file.read()
        process = subprocess.Popen([tool.TOOL, "paper", "hash-table-size", "hash-times", "-o", self.folder],
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=tool.ENVIRONMENT)
        for line in process.stdout:  # the table has begun
            if b"powers of two" in line:
                break
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=600)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(sorted(os.listdir(self.folder)), ["hash-times.csv", "hash-times.svg"])
        with open(self.path("hash-times.csv")) as file:
            self.assertEqual(file.read(), before)

    def test_the_studies_count_cells_elements_and_clashes(self):
        self.good("paper", "hash-table-size", "hash-cell-size", "-o", self.folder, "--steps", 2, "--scale", 0.2)
        sizes = [row for row in self.table("hash-table-size") if row["curve"] == "teschner-a powers of two"]
        clashes = [float(row["clash_ratio"]) for row in sizes]
        self.assertGreater(clashes[0], 0.5)  # 16 slots
        self.assertLess(clashes[-1], clashes[0])
        self.assertEqual(len({row["cells_per_element"] for row in sizes}), 1)  # the table does not change the grid
        for row in self.table("hash-cell-size"):
            if row["curve"].endswith("plain form"):
                self.assertGreater(float(row["cells_per_element"]), 0)
                self.assertTrue(0 <= float(row["clash_ratio"]) <= 1, row)
            else:
                self.assertEqual(row["clash_ratio"], "")
        cells = [float(row["cells_per_element"]) for row in self.table("hash-cell-size")
                 if row["curve"] == "teschner-a plain form"]
        self.assertEqual(cells, sorted(cells, reverse=True))  # smaller cells, more of them

    def test_the_answer_does_not_depend_on_table_or_cell_size(self):
        self.good("paper", "hash-table-size", "hash-cell-size", "-o", self.folder, "--steps", 3, "--scale", 0.1)
        for figure in ("hash-table-size", "hash-cell-size"):
            pairs = {}
            for row in self.table(figure):
                pairs.setdefault(row["curve"].split()[0], set()).add(row["pairs"])
            self.assertEqual(set(pairs), {"teschner-a", "teschner-d"})
            for scene in pairs:
                self.assertEqual(len(pairs[scene]), 1, (figure, scene, pairs))

    def test_intersections_stay_within_the_limits_of_the_article(self):
        self.good("paper", "bucket-query-hits", "bucket-self-size", "-o", self.folder, "--steps", 25)
        rows = self.table("bucket-query-hits")
        self.assertGreater(len(rows), 20)
        for row in rows:
            self.assertTrue(600 <= int(row["cells"]) <= 1400)
        rows = self.table("bucket-self-size")
        self.assertGreater(len(rows), 3)
        for row in rows:
            self.assertTrue(800 <= int(row["intersections"]) <= 1200)

    def test_culling_and_directions_change_the_work_and_not_the_answer(self):
        self.good("paper", "surface-flatness", "surface-directions", "surface-leaves", "-o", self.folder, "--steps", 3,
                  "--scale", 0.2, "--threads", 1, "--cpu-time")
        for figure, key in (("surface-flatness", "crumple"), ("surface-directions", "curve"),
                            ("surface-leaves", "curve")):
            pairs = {}
            for row in self.table(figure):
                pairs.setdefault(row[key].split()[0], set()).add(row["pairs"])
                self.assertLessEqual(float(row["culled"]), float(row["neighbours"]))
            for what in pairs:
                self.assertEqual(len(pairs[what]), 1, (figure, what, pairs))
        rows = [row for row in self.table("surface-flatness") if row["curve"] == "with culling"]
        free = [float(row["culled"]) / float(row["neighbours"]) for row in rows if float(row["neighbours"]) > 0]
        self.assertGreater(free[0], 0.9)
        self.assertLess(free[-1], free[0])

    def test_tests_at_some_times_miss_contacts_and_the_motion_query_does_not(self):
        self.good("paper", "motion-missed", "-o", self.folder, "--scale", 0.3)
        rows = self.table("motion-missed")
        for scene in ("rod", "rings", "teapot", "arm"):
            mine = [row for row in rows if row["scene"] == scene]
            self.assertTrue(all(int(row["missed"]) <= int(row["contacts"]) for row in mine))
            (ends,) = [row for row in mine if row["detection"] == "2 times"]
            (query,) = [row for row in mine if row["detection"] == "motion query"]
            (samples,) = [row for row in mine if row["detection"] == "4097 times"]
            self.assertGreater(int(query["contacts"]), 0)
            self.assertEqual(query["missed"], "0")
            self.assertEqual(ends["missed"], ends["contacts"])  # no frame of these scenes shows anything
            self.assertEqual(samples["missed"], "0")

    def test_the_push_of_consistent_depth_never_jumps_and_that_to_the_nearest_point_does(self):
        self.good("paper", "depth-sliding", "-o", self.folder, "--steps", 300)
        rows = self.table("depth-sliding")
        self.assertEqual(len(rows), 300)
        for kind, jumps in (("push", False), ("nearest", True)):
            largest = 0
            for before, after in zip(rows, rows[1:]):
                largest = max(largest, sum((float(after[f"{kind}_{c}"]) - float(before[f"{kind}_{c}"])) ** 2
                                           for c in "xyz") ** 0.5)
            self.assertEqual(largest > 1, jumps, (kind, largest))

    def test_the_validation_table_says_what_passes_and_the_exit_status_agrees(self):
        beam = ("physics-beam",) if os.environ.get("DENT_LONG_TESTS") else ()  # the chart of docs/validation.md
        for figure in ("physics-contact", "physics-stacks", *beam):
            result = tool.run("paper", figure, "--json", "--threads", 1, "-o", self.folder)
            rows = tool.json_lines(result.stdout)
            self.assertGreater(len(rows), 1)
            for row in rows:
                self.assertEqual(list(row), ["experiment", "row", "unit", "reference", "dent", "value", "low", "high",
                                             "pass", "holds", "seconds", "note"])
                self.assertEqual("physics-" + row["experiment"], figure)
                value = row["value"]
                self.assertEqual(row["pass"], value is not None and row["low"] <= value <= row["high"], row)
                self.assertTrue(row["pass"] or not row["holds"], row)
            self.assertEqual(result.returncode, 0 if all(row["pass"] for row in rows) else 1)
            table = self.table(figure)
            self.assertEqual([row["row"] for row in table], [row["row"] for row in rows])
            self.assertEqual([row["verdict"] == "pass" for row in table], [row["pass"] for row in rows])
            xml.dom.minidom.parse(self.path(figure + ".svg"))
        self.assertIn("--full", self.one_line_error("paper", "hash-times", "--full"))
        self.assertIn("--json", self.one_line_error("paper", "--json"))

    def test_mistakes_are_one_line(self):
        self.assertEqual(self.one_line_error("paper", "hash-time"),
                         "paper: no figure is called 'hash-time'; did you mean hash-times?")
        self.assertIn("dent paper --help", self.one_line_error("paper", "xyzzy"))
        self.assertIn("whole number", self.one_line_error("paper", "--steps", 0))
        file = self.write("file", "x")
        result = tool.run("paper", "hash-times", "-o", file)
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr.count("\n"), 1)


if __name__ == "__main__":
    tool.main()
