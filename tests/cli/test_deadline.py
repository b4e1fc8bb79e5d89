"""--deadline of dent check, pairs, run and view: what is certain by then is true, and with time enough it is all."""
import tool_under_test as tool

SUMMARY_KEYS = ("bodies pairs_free pairs_penetrating pairs_coplanar pairs_pending error ms outcome").split()
LONG = "60000"


class Deadline(tool.ToolTest):
    def solids(self, *boxes):
        return [self.write("part%d.mesh" % i, tool.medit(*tool.cube(*box))) for i, box in enumerate(boxes)]

    def states(self, *arguments, status):
        lines = tool.json_lines(self.good("check", "--json", "--deadline", LONG, *arguments, status=status).stdout)
        self.assertEqual(list(lines[-1]), SUMMARY_KEYS)
        return [pair["state"] for pair in lines[:-1]], lines[-1]

    def test_with_time_enough_check_decides_every_pair(self):
        apart, inside = ((9, 0, 0),), ((0.25, 0.25, 0.25), (0.5, 0.5, 0.5))
        self.assertEqual(self.states(*self.solids(((0, 0, 0),), apart), status=0)[1]["pairs_free"], 1)
        self.assertEqual(self.states(*self.solids(((0, 0, 0),), inside), status=1)[0], ["penetrating"])
        crossing = ((0.5, 0.4, 0.3),)
        self.assertEqual(self.states(*self.solids(((0, 0, 0),), crossing, apart), status=1)[0], ["penetrating"])

    def test_coincident_faces_are_left_to_the_full_check(self):
        result = tool.run("check", "--deadline", LONG, *self.solids(((0, 0, 0),), ((1, 0, 0),)))
        self.assertEqual(result.returncode, 2)
        self.assertIn("coplanar", result.stdout)
        self.assertIn("without --deadline", result.stderr)

    def test_with_time_enough_pairs_are_those_without_a_deadline(self):
        for scene in ("teschner-a", "teschner-b"):
            whole = self.good("pairs", "--ask", "face-face", scene).stdout.splitlines()
            timed = self.good("pairs", "--ask", "face-face", "--deadline", LONG, scene).stdout.splitlines()
            self.assertEqual([" ".join(line.split()[:5]) for line in whole], timed)
            self.assertGreater(len(timed), 0)

    def test_what_is_printed_in_time_is_true_and_the_rest_is_pending(self):
        whole = {" ".join(line.split()[:5])
                 for line in self.good("pairs", "--ask", "face-face", "teschner-a").stdout.splitlines()}
        for deadline in ("0.001", "0.2", "1"):
            result = tool.run("pairs", "--ask", "face-face", "--deadline", deadline, "teschner-a")
            lines = result.stdout.splitlines()
            pending = [line.split() for line in lines if line.startswith("pending ")]
            self.assertEqual(result.returncode, 2 if pending else 0)
            confirmed = set(lines) - {" ".join(words) for words in pending}
            self.assertLessEqual(confirmed, whole)
            hidden = [line for line in whole - confirmed
                      if [line.split()[0], line.split()[2]] not in [words[1:3] for words in pending]]
            self.assertEqual(hidden, [])
            for words in pending:
                self.assertEqual(len(words), 15)
                self.assertLessEqual(float(words[3]), float(words[4]))

    def test_run_takes_a_deadline_for_the_contacts_of_a_step(self):
        lines = tool.json_lines(self.good("run", "stack", "--frames", "2", "--deadline", "0.5", "--json").stdout)
        self.assertEqual(len(lines), 2)

    def test_what_cannot_go_with_a_deadline_is_refused(self):
        parts = self.solids(((0, 0, 0),), ((0.5, 0, 0),))
        for arguments in (("check", "--deadline", "0"), ("check", "--deadline", "x"),
                          ("check", "--deadline", "1", "--tolerance", "1"), ("check", "--deadline", "1", "--frames", "0:1"),
                          ("pairs", "--ask", "face-cell", "--deadline", "1"),
                          ("pairs", "--ask", "face-face", "--method", "sweep", "--deadline", "1"),
                          ("view", "--deadline", "1", "--no-browser")):
            self.one_line_error(*arguments, *parts)
        self.one_line_error("run", "stack", "--deadline", "1", "--converge", "kinetic")


if __name__ == "__main__":
    tool.main()
