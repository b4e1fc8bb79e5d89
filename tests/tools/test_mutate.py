#!/usr/bin/env python3
"""Self-test of tools/mutate on a small tree: wrong lists are reported, faults become switches, and a run tells what is
noticed (by a failure, a crash or a timeout) from what is not."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "mutate"

SOURCE = """#include "sum.h"

int sum(const int *numbers, int count)
{
    int total = 0;
    for (int i = 0; i < count;
         i++) {
        total += numbers[i];
    }
    return total;
}

int largest(int a, int b) { return a > b ? a : b; }
"""

TEST = """#include "sum.h"

int main(void)
{
    const int numbers[3] = {1, 2, 4};
    return sum(numbers, 3) == 7 && largest(1, 2) == 2 ? 0 : 1;
}
"""

CMAKE = """cmake_minimum_required(VERSION 3.21)
project(small C)
enable_testing()
add_executable(test_sum tests/base/test_sum.c src/base/sum.c)
target_include_directories(test_sum PRIVATE src/base)
add_test(NAME base/test_sum COMMAND test_sum)
"""

LIST = """# comment
base/last_number_left_out
  file   sum.c
  place  for (int i = 0; @{i < count@@i < count - 1@}; i++) {
  tests  base/test_sum
base/numbers_not_added
  file   sum.c
  place  @{total += numbers[i];@@;@}
  tests  base/test_sum
base/crash
  file   sum.c
  place  return @{total@@*(volatile int *)0@};
  tests  base/test_sum
base/endless
  file   sum.c
  place  @{i++@@(i += total < 0)@}) {
  tests  base/test_sum
base/equal_numbers
  file   sum.c
  place  return @{a > b@@a >= b@} ? a : b;
  tests  base/test_sum
  survivor  The larger of two equal numbers
  survivor  is either.
"""

GOOD = {"src/base/sum.c": SOURCE, "src/base/sum.h": "int sum(const int *, int);\nint largest(int, int);\n",
        "tests/base/test_sum.c": TEST, "CMakeLists.txt": CMAKE, "tools/mutations.txt": LIST}


class Mutate(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name).resolve()
        self.write({"tools/mutate": SCRIPT.read_text(encoding="utf-8"), **GOOD})

    def write(self, files):
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def run_script(self, *arguments):
        environment = {k: v for k, v in os.environ.items() if k != "DENT_MUTANT"}
        return subprocess.run([sys.executable, self.root / "tools" / "mutate", *arguments], capture_output=True,
                              text=True, env=environment)

    def results(self):
        return {r["id"]: r for r in json.loads((self.root / "build/mutate/results.json").read_text(encoding="utf-8"))}

    def assert_wrong(self, line, files):
        self.write(files)
        result = self.run_script("--check")
        self.assertEqual(result.returncode, 2)
        self.assertIn(line, result.stderr)

    def test_a_good_list_passes(self):
        result = self.run_script("--check")
        self.assertEqual((result.returncode, result.stdout), (0, "mutate: 5 places, each occurs once\n"))

    def test_a_file_that_moved_is_found(self):
        (self.root / "src/sums").mkdir()
        (self.root / "src/base/sum.c").rename(self.root / "src/sums/sum.c")
        self.assertEqual(self.run_script("--check").returncode, 0)

    def test_a_place_that_is_gone_is_reported(self):
        self.assert_wrong("mutations.txt:6: base/numbers_not_added: the place occurs 0 times in src/base/sum.c",
                          {"src/base/sum.c": SOURCE.replace("total +=", "total -=")})

    def test_a_place_that_occurs_twice_is_reported(self):
        self.assert_wrong("mutations.txt:18: base/equal_numbers: the place occurs 2 times",
                          {"src/base/sum.c": SOURCE + "\nint most(int a, int b) { return a > b ? a : b; }\n"})

    def test_a_missing_file_test_or_id_of_its_own_is_reported(self):
        self.assert_wrong("base/crash: 0 files are called gone.c",
                          {"tools/mutations.txt": LIST.replace("crash\n  file   sum.c", "crash\n  file   gone.c")})
        self.assert_wrong("there is no test base/test_gone",
                          {"tools/mutations.txt": LIST.replace("base/test_sum", "base/test_gone")})
        self.assert_wrong("base/last_number_left_out: the id occurs twice",
                          {"tools/mutations.txt": LIST.replace("base/crash", "base/last_number_left_out")})

    def test_an_unknown_key_is_reported(self):
        self.assert_wrong("mutations.txt:3: expected an id or one of",
                          {"tools/mutations.txt": LIST.replace("file   sum.c", "path   sum.c", 1)})

    def test_a_run_tells_noticed_from_not_noticed(self):
        result = self.run_script("--all", "-j", "2", "--least-limit", "2")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        found = {name: r["how"] for name, r in self.results().items()}
        self.assertEqual(found, {"base/last_number_left_out": "failed", "base/numbers_not_added": "failed",
                                 "base/crash": "crashed", "base/endless": "timed out",
                                 "base/equal_numbers": None})
        self.assertIn("noticed: 4 of 5, 80.0 %", result.stdout)
        self.assertEqual(self.results()["base/equal_numbers"]["survivor"], "The larger of two equal numbers is either.")

        # Without its explanation the survivor fails the run; --only leaves the others out.
        self.write({"tools/mutations.txt": LIST[:LIST.index("  survivor")]})
        result = self.run_script("--only", "base/equal_numbers")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(list(self.results()), ["base/equal_numbers"])
        self.assertIn("NOT NOTICED", result.stdout)

    def test_a_test_that_fails_without_a_fault_ends_the_run(self):
        self.write({"tests/base/test_sum.c": TEST.replace("== 7", "== 8")})
        result = self.run_script("--all")
        self.assertEqual(result.returncode, 2)
        self.assertIn("base/test_sum failed without a fault", result.stderr)


if __name__ == "__main__":
    unittest.main()
