"""dent check for people who report: text, JSON, CSV and HTML say the same numbers; sorting, selection, hints, volumes."""
import csv
import html.parser
import os
import re
import unittest

import tool_under_test as tool


class Report(html.parser.HTMLParser):
    """The table of pairs and the summary of an HTML report."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.summary, self.outside, self.texts, self.place = [], {}, [], {}, None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        for name in ("src", "href"):
            if tag != "iframe" and attributes.get(name, "data:").split(":")[0] != "data":
                self.outside.append((tag, attributes[name]))
        if tag == "tr":
            self.rows.append([])
        if tag == "td":
            self.rows[-1].append([attributes.get("data-value"), ""])
        if attributes.get("id") == "summary":
            self.summary = {key[5:]: value for key, value in attributes.items() if key.startswith("data-")}
        self.place = "td" if tag == "td" else attributes.get("id", self.place)

    def handle_data(self, data):
        if self.place == "td":
            self.rows[-1][-1][1] += data
        else:
            self.texts[self.place] = self.texts.get(self.place, "") + data

    def handle_endtag(self, tag):
        self.place = None if tag in ("td", "p", "pre") else self.place


class Reports(tool.ToolTest):
    def parts(self):
        boxes = (((0, 0, 0),), ((0.75, 0.5, 0.5),), ((3, 0, 0),), ((4, 0, 0),), ((0.9, -0.9, 0),))
        names = 'one', 'two "2", <b>', "three", "four", "five"
        return [self.write(name + ".mesh", tool.medit(*tool.cube(*box))) for name, box in zip(names, boxes)]

    def all_reports(self, *arguments):
        table, page = self.path("report.csv"), self.path("report.html")
        text = self.good("check", *arguments, "--csv", table, "--html", page, status=None)
        lines = tool.json_lines(self.good("check", "--json", *arguments, status=None).stdout)
        with open(table, newline="") as file:
            rows = list(csv.DictReader(file))
        with open(page, encoding="utf-8") as file:
            report = Report(file.read())
        return text.stdout, lines[:-1], lines[-1], rows, report

    def compare(self, *arguments):
        """Every number of every report; returns how many pairs there were."""
        text, pairs, summary, rows, report = self.all_reports(*arguments)
        body = [row for row in report.rows if row]
        table = [line for line in text.splitlines() if re.search(r"  (PENETRATING|touching|touching \(within the tolerance\))$", line)]
        self.assertEqual({len(pairs)}, {len(rows), len(body), len(table)})
        for pair, row, cells, line in zip(pairs, rows, body, table):
            words = ("overlapping_elements", "penetrating_vertices", "touching_elements", "max_depth", "volume",
                     "volume_error", "x", "y", "z")
            for key, cell in zip(words, cells[3:]):
                value = pair[key]
                self.assertEqual(row[key], cell[0])
                if value is None:
                    self.assertEqual(cell, ["", "-"])
                else:
                    self.assertEqual(float(row[key]), value)
                    self.assertEqual(cell[1], "%.5g" % value if isinstance(value, float) or "." in cell[1] else str(value))
            self.assertEqual((row["name_a"], row["name_b"], row["verdict"]),
                             (pair["name_a"], pair["name_b"], pair["verdict"]))
            self.assertEqual([cell[1] for cell in cells[:3]],
                             ["%d %s" % (pair["body_a"], pair["name_a"]), "%d %s" % (pair["body_b"], pair["name_b"]),
                              pair["verdict"]])
            numbers = "%d +%d +%d +%s +%s " % (pair["overlapping_elements"], pair["penetrating_vertices"],
                                              pair["touching_elements"], re.escape("%.5g" % pair["max_depth"]),
                                              "-" if pair["volume"] is None else re.escape("%.5g" % pair["volume"]))
            self.assertRegex(line, numbers)
            if pair["verdict"] != "touching":
                self.assertIn("(%.6g, %.6g, %.6g)" % (pair["x"], pair["y"], pair["z"]), line)
            self.assertIn({"penetrating": "PENETRATING", "touching": "touching",
                           "within-tolerance": "touching (within the tolerance)"}[pair["verdict"]], line)
        for key in ("bodies", "pairs", "pairs-penetrating", "pairs-touching", "max-depth"):
            self.assertEqual(float(report.summary[key]), summary[key.replace("-", "_")])
        self.assertEqual(report.texts["verdict"].strip(), text.splitlines()[-1])
        notes = [line for line in text.splitlines() if line.startswith(("note: ", "hint: "))]
        self.assertEqual(report.texts.get("notes", "").splitlines(), notes)
        self.assertEqual(report.outside, [])
        return len(pairs)

    def test_text_json_csv_and_html_agree_number_by_number(self):
        parts = self.parts()
        self.assertEqual(self.compare(*parts), 3)
        self.assertEqual(self.compare(*parts, "--tolerance", "0.2", "--sort", "depth"), 3)
        self.assertEqual(self.compare(*parts, "--sort", "volume", "--top", "2"), 2)
        surface = self.write("open.obj", tool.obj(*tool.box_surface((0.5, 0.5, -0.5), faces=10)))
        self.assertGreater(self.compare(parts[0], surface, "--self"), 0)

    def test_volumes_of_boxes(self):
        pairs = tool.json_lines(self.good("check", "--json", *self.parts(), status=1).stdout)[:-1]
        volumes = {(pair["name_a"], pair["name_b"]): (pair["volume"], pair["volume_error"]) for pair in pairs}
        for key, exact in ((("one", 'two "2", <b>'), 0.0625), (("one", "five"), 0.1 * 0.1),
                           (("three", "four"), 0)):
            volume, error = volumes[key]
            self.assertLessEqual(abs(volume - exact), error + 1e-16)
            self.assertLessEqual(error, 1e-9)

    def test_sorting_and_top(self):
        parts = self.parts()

        def column(key, *arguments):
            return [pair[key] for pair in tool.json_lines(self.good("check", "--json", *parts, *arguments,
                                                                    status=1).stdout)[:-1]]
        everything = column("max_depth")
        self.assertEqual(column("max_depth", "--sort", "depth"), sorted(everything, reverse=True))
        self.assertEqual(column("volume", "--sort", "volume"), sorted(column("volume"), reverse=True))
        self.assertEqual(column("name_a", "--sort", "name"), sorted(column("name_a")))
        self.assertEqual(column("max_depth", "--sort", "depth", "--top", "1"), [max(everything)])
        self.assertIn("choose depth, volume or name", self.one_line_error("check", "--sort", "size", parts[0]))
        self.assertIn("note: 1 of 3 pairs are listed", self.good("check", "--top", "1", *parts, status=1).stdout)

    def test_overlaps_of_rounding_size_get_a_hint_with_the_value_that_splits_them(self):
        boxes = [((1.5 * i * (1 - 2e-8), 0, 0), (1.5, 1, 1)) for i in range(6)] + [((0, 0.5, 0.5),)]
        parts = [self.write("part%d.mesh" % i, tool.medit(*tool.cube(*box))) for i, box in enumerate(boxes)]
        result = self.good("check", *parts, status=1)
        hint = re.search(r"hint: (\d+) of (\d+) overlaps are of rounding size, no deeper than (\S+); --tolerance (\S+)",
                         result.stdout)
        self.assertIsNotNone(hint, result.stdout)
        summary = tool.json_lines(self.good("check", "--json", *parts, status=1).stdout)[-1]
        self.assertEqual(summary["suggested_tolerance"], float(hint.group(4)))
        after = tool.json_lines(self.good("check", "--json", "--tolerance", hint.group(4), *parts, status=1).stdout)[-1]
        self.assertEqual(after["pairs_penetrating"], summary["pairs_penetrating"] - int(hint.group(1)))
        self.assertIsNone(after["suggested_tolerance"])

    def test_names_and_units_are_in_the_summary(self):
        summary = tool.json_lines(self.good("check", "--json", *self.parts(), status=1).stdout)[-1]
        self.assertEqual(summary["names"], ["one", 'two "2", <b>', "three", "four", "five"])
        self.assertEqual((summary["length_unit"], summary["pairs"], summary["tolerance"]), (None, 10, 0))
        robot = self.write("r.urdf", '<robot name="r"><link name="a"><collision><geometry><sphere radius="1"/></geometry>'
                                     '</collision></link></robot>')
        self.assertEqual(tool.json_lines(self.good("check", "--json", robot).stdout)[-1]["length_unit"], "m")

    def test_files_that_cannot_be_written_are_told_before_the_work(self):
        parts = self.parts()
        self.assertRegex(self.one_line_error("check", *parts, "--csv", self.path("missing/x.csv")), "^--csv .*missing")
        self.assertRegex(self.one_line_error("check", *parts, "--html", self.path("missing/x.html")), "^--html .*missing")
        self.assertIn("ending in .csv", self.one_line_error("check", *parts, "--csv", self.path("x.txt")))


class ReportsOfTheKit(tool.DataTest):
    JAW = os.path.join(tool.DATA or "", "meshes", "jaw-openmandible")

    def reports(self):
        reports = Reports()
        reports.folder = self.folder
        return reports

    def test_the_teeth_of_the_kit_agree_in_every_report(self):
        parts = [os.path.join(self.JAW, "Tooth_L%d_%s.1.ele.xz" % (tooth, tissue))
                 for tooth in (1, 2, 3) for tissue in ("Dentin", "Enamel", "Pulp")]
        self.assertGreater(self.reports().compare(*[part for part in parts if os.path.exists(part)]), 3)

    @unittest.skipUnless(os.environ.get("DENT_LONG_TESTS"), "the whole jaw is for DENT_LONG_TESTS=1")
    def test_the_thirty_parts_of_the_jaw_agree_in_every_report_which_can_be_mailed(self):
        parts = [os.path.join(self.JAW, name) for name in sorted(os.listdir(self.JAW)) if name.endswith(".ele.xz")]
        self.assertEqual(len(parts), 30)
        pairs = self.reports().compare(*parts)
        self.assertGreaterEqual(pairs, 36)
        size = os.path.getsize(self.path("report.html"))
        summary = tool.json_lines(self.good("check", "--json", *parts, status=1).stdout)[-1]
        print("the jaw: %d pairs, HTML report of %.2f MB, suggested tolerance %s"
              % (pairs, size * 1e-6, summary["suggested_tolerance"]))
        self.assertLess(size, 20e6)  # what mail servers commonly take, as base64 still below 27 MB
        hint = summary["suggested_tolerance"]
        self.assertIsNotNone(hint)
        self.assertGreater(self.reports().compare(*parts, "--tolerance", repr(hint)), 0)


if __name__ == "__main__":
    tool.main()
