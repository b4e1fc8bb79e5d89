#!/usr/bin/env python3
"""Self-test of tools/check_hardening.py: a small library and a program, hardened, and with one thing missing at a time,
made by the C compiler (CC, else cc)."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "check_hardening.py"
COMPILER = os.environ.get("CC", "cc")

SOURCE = """
#include <stdio.h>
#include <string.h>
int join(char *out, int size, const char *a, const char *b);
int join(char *out, int size, const char *a, const char *b)
{
    char text[64];
    int length = snprintf(text, sizeof text, "%s%s", a, b);
    memcpy(out, text, (size_t)(size < 64 ? size : 64));
    return length;
}
#ifdef PROGRAM
int main(int count, char **words) { char out[8]; return join(out, count, words[0], words[0]) > 0 ? 0 : 1; }
#endif
"""
FLAGS = {"canaries": "-fstack-protector-strong", "fortify": "-D_FORTIFY_SOURCE=2", "relro": "-Wl,-z,relro,-z,now",
         "stack": "-Wl,-z,noexecstack", "pie": "-pie", "runpath": "-Wl,-rpath,$ORIGIN"}
MISSING = {"canaries": "-fno-stack-protector", "fortify": "-U_FORTIFY_SOURCE", "relro": "-Wl,-z,lazy",
           "stack": "-Wl,-z,execstack", "pie": "-no-pie", "runpath": "-Wl,-rpath,$ORIGIN:"}


def run_with(missing=None):
    """Status and lines of the script for a build folder in which one thing is missing."""
    flags = {key: MISSING[key] if key == missing else flag for key, flag in FLAGS.items()}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "apps/cli").mkdir(parents=True)
        (root / "a.c").write_text(SOURCE)
        common = [COMPILER, "-O2", "-U_FORTIFY_SOURCE", str(root / "a.c"), "-Wl,--enable-new-dtags",
                  *(flag for key, flag in flags.items() if key != "pie")]
        subprocess.run([*common, "-fPIC", "-shared", "-o", str(root / "libdent.so")], check=True)
        subprocess.run([*common, "-DPROGRAM", "-fPIE" if missing != "pie" else "-fno-pie", flags["pie"], "-o",
                        str(root / "apps/cli/dent")], check=True)
        result = subprocess.run([sys.executable, str(SCRIPT), folder], capture_output=True, text=True)
        return result.returncode, result.stdout.splitlines()


class CheckHardening(unittest.TestCase):
    def test_what_is_hardened_passes(self):
        self.assertEqual(run_with(), (0, ["check_hardening: 2 files, good"]))

    def test_each_missing_thing_is_found_and_nothing_else(self):
        for missing in MISSING:
            with self.subTest(missing=missing):
                status, lines = run_with(missing)
                self.assertEqual(status, 1, lines)
                names = ["dent"] if missing == "pie" else ["libdent.so", "dent"]
                self.assertEqual([line.split(": ")[:2] for line in lines[:-1]], [[name, missing] for name in names])

    def test_an_empty_folder_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(subprocess.run([sys.executable, str(SCRIPT), folder], capture_output=True).returncode, 2)


if __name__ == "__main__":
    unittest.main()
