#!/usr/bin/env python3
"""Self-test of tools/check_symbols.py: small libraries, good and bad, made by the C compiler (CC, else cc)."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "check_symbols.py"
COMPILER = os.environ.get("CC", "cc")

HEADER = """/* a header */
#define DENT_API __attribute__((visibility("default")))
DENT_API int dent_one(int x);
/** DENT_API void dent_in_a_comment(void); */
DENT_API const char *dent_two(int (*callback)(void *user),
                              void *user);
"""

GOOD = """
#define DENT_API __attribute__((visibility("default")))
DENT_API int dent_one(int x);
DENT_API const char *dent_two(int (*callback)(void *user), void *user);
int internal(int x);
static const int numbers[] = {1, 2, 3};
static const char *const names[] = {"a", "b"};
typedef int function(int);
static function *const table[] = {internal, dent_one};
int internal(int x) { return numbers[x % 3]; }
int dent_one(int x) { return table[x % 2](x); }
const char *dent_two(int (*callback)(void *user), void *user) { return names[callback(user) % 2]; }
"""

TEST = "void test(void) { internal(3); }\n"


def run_on(source, static_source=None, visibility="hidden", header=HEADER, test=TEST, more=""):
    """`more` lies among the sources, but is not built."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "tools").mkdir()
        shutil.copy(SCRIPT, root / "tools")
        (root / "include" / "dent").mkdir(parents=True)
        (root / "include" / "dent" / "base.h").write_text(header)
        for name, text in (("src", source + more), ("tests", test)):
            (root / name).mkdir()
            (root / name / f"{name}.c").write_text(text)
        build = root / "build"
        build.mkdir()
        flags = ["-O1", "-fPIC", f"-fvisibility={visibility}"]
        for kind, text in (("shared", source), ("static", static_source or source)):
            (build / f"{kind}.c").write_text(text)
            subprocess.run([COMPILER, *flags, "-c", f"{kind}.c", "-o", f"{kind}.o"], cwd=build, check=True)
        for name in ("dent", "dent_io", "dent_plan", "dent_haptic", "dent_sim", "dent_view"):
            if name == "dent":
                objects = ("static.o", "shared.o")
            else:
                (build / "empty.c").write_text("typedef int nothing;\n")
                subprocess.run([COMPILER, "-fPIC", "-c", "empty.c", "-o", "empty.o"], cwd=build, check=True)
                objects = ("empty.o", "empty.o")
            subprocess.run(["ar", "rcs", f"lib{name}.a", objects[0]], cwd=build, check=True)
            subprocess.run([COMPILER, "-shared", objects[1], "-o", f"lib{name}.so"], cwd=build, check=True)
        return subprocess.run([sys.executable, str(root / "tools" / SCRIPT.name), str(build)], capture_output=True,
                              text=True)


class CheckSymbols(unittest.TestCase):
    def expect(self, text, *arguments, **named):
        result = run_on(*arguments, **named)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn(text, result.stdout)

    def test_a_good_library_passes_with_its_constant_tables(self):
        result = run_on(GOOD)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_mutable_globals_of_every_kind_are_found(self):
        for declaration in ("int counter;", "int counter = 3;", "_Thread_local int counter;",
                            "_Thread_local int counter = 3;", "const char *counter = \"x\";"):
            self.expect("counter lies in", GOOD + declaration + "\n")
        local = "int hidden(void); int hidden(void) { static int counter; return ++counter; }\n"
        self.expect("lies in .bss", GOOD + local)

    def test_a_foreign_export_is_found(self):
        self.expect("exports internal", GOOD, visibility="default")

    def test_a_difference_between_static_and_shared_is_found(self):
        more = GOOD + 'DENT_API int dent_more(void);\nint dent_more(void) { return 1; }\n'
        header = HEADER + "DENT_API int dent_more(void);\n"
        self.expect("dent_more is in the static library only", GOOD, more, header=header)
        self.expect("dent_more is in the shared library only", more, GOOD, header=header)

    def test_an_internal_function_with_the_public_prefix_is_found(self):
        self.expect("dent_hidden is in the static library only", GOOD + "int dent_hidden(void);\n"
                    "int dent_hidden(void) { return 1; }\n")

    def test_a_declaration_without_a_function_is_found(self):
        header = HEADER + "DENT_API void dent_three(void);\n"
        self.expect("declares dent_three, but no library exports it", GOOD, header=header)

    def test_a_function_without_a_declaration_is_found(self):
        self.expect("dent_two is exported, but not declared", GOOD, header=HEADER.split("DENT_API const")[0])

    def test_an_internal_function_that_no_other_file_calls_is_found(self):
        self.expect("internal is called in its own file only", GOOD, test="")
        self.expect("helper is called by tests only", GOOD + "int helper(void) { return 3; }\n",
                    test=TEST + "int other(void) { return helper(); }\n")

    def test_a_status_that_nothing_gives_is_found(self):
        header = HEADER + "typedef enum dent_outcome { DENT_GIVEN = 0, /* DENT_NONE */ DENT_NAMED = 1 } dent_outcome;\n"
        names = ("int name(int x) { switch (x) { case DENT_GIVEN: return 7; case DENT_NAMED: return 8; } "
                 "return x != DENT_NAMED; }\n")
        self.expect("DENT_NAMED is declared, but nothing gives it", GOOD, header=header,
                    more=names + "int give(void) { return DENT_GIVEN; }\n")
        result = run_on(GOOD, header=header, more=names + "int give(int x) { return x ? DENT_GIVEN : DENT_NAMED; }\n")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_a_folder_without_libraries_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            result = subprocess.run([sys.executable, str(SCRIPT), folder], capture_output=True, text=True)
            self.assertEqual(result.returncode, 2)


if __name__ == "__main__":
    unittest.main()
