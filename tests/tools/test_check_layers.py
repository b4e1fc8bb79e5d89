#!/usr/bin/env python3
"""Self-test of tools/check_layers.py: a small good tree passes, and every kind of violation put into it is found."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "check_layers.py"

LAYERS = """# who may include whom
base:
    containers:
    .:  containers
geometry: base
    kernels:
    .:  kernels
methods:  base geometry
    interface:
    .:  interface

# clients
io: base/containers
sim:
scenes: sim
"""

GOOD = {
    "src/LAYERS": LAYERS,
    "include/dent/base.h": "/* base */\n",
    "src/base/allocator.c": "/* memory */\n#include <stdlib.h>\nvoid f(void *p) { free(p); }\n",
    "src/base/arena.h": '/* arena */\n#include "base/containers/small_list.h"\n',
    "src/base/containers/small_list.h": "/* list */\n#include <dent/base.h>\n",
    "src/base/arena.c": '// arena\n#include "arena.h"\n#include <dent/base.h>\n#include <pthread.h>\n',
    "src/geometry/box.c": '/* box; malloc(3) and exit(1) in a comment */\n#include "base/arena.h"\n'
                          'const char *s = "printf(stdout)";\n'
                          'void g(struct l *l) { l->free(l); snprintf(b, 2, "x"); }\n',
    "src/geometry/kernels/box_kernel.c": '/* kernel */\n#include "geometry/kernels/box_kernel.h"\n',
    "src/geometry/kernels/box_kernel.h": "/* kernel */\n#include <immintrin.h>\n",
    "src/methods/interface/method_interface.h": "/* interface */\n",
    "src/methods/grid.h": '/* grid */\n#include "methods/interface/method_interface.h"\n',
    "src/methods/grid_build.c": '/* grid */\n#include "methods/grid.h"\n',
    "src/methods/tree.h": "/* tree */\n",
    "src/methods/method_table.c": '/* table */\n#include "grid.h"\n#include "tree.h"\n',
    "src/io/reader.c": '/* reader */\n#include "reader_parts.h"\n#include <dent/base.h>\n#include <zlib.h>\n'
                       'void r(FILE *f) { fprintf(f, "x"); }\n',
    "src/io/reader_parts.h": '/* parts */\n#include "base/containers/small_list.h"\n',
    "src/sim/step.h": "/* step */\n",
    "src/scenes/scene.c": '/* scene */\n#include "sim/step.h"\n',
    "apps/cli/main.c": '/* main */\n#include <stdio.h>\n#include <dent/base.h>\n#include "command.h"\n'
                       "int main(void) { printf(\"hello\"); exit(1); }\n",
    "apps/cli/command.h": "/* command */\n",
    "apps/cli/CMakeLists.txt": "# the tool\n",
    "apps/viewer/CMakeLists.txt": "# the viewer\n",
}


def run_on(tree):
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, text in tree.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        (root / "tools").mkdir()
        shutil.copy(SCRIPT, root / "tools" / SCRIPT.name)
        return subprocess.run([sys.executable, str(root / "tools" / SCRIPT.name)], capture_output=True, text=True)


class CheckLayers(unittest.TestCase):
    def expect(self, changes, *expected):
        """With these files added or replaced there is exactly one violation per expected text."""
        tree = dict(GOOD)
        tree.update(changes)
        result = run_on(tree)
        lines = result.stdout.splitlines()[:-1]
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertEqual(len(lines), len(expected), result.stdout)
        for text in expected:
            self.assertTrue(any(text in line for line in lines), f"'{text}' not in: {result.stdout}")

    def test_a_good_tree_passes(self):
        result = run_on(GOOD)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_a_tree_without_layers_is_an_error(self):
        self.assertEqual(run_on({"src/base/a.c": "/* a */\n"}).returncode, 2)

    def test_an_include_to_the_right_is_found(self):
        self.expect({"src/base/bad.c": '/* bad */\n\n#include "geometry/kernels/box_kernel.h"\n'},
                    "src/base/bad.c:3: base may not include geometry", "base and geometry include each other")

    def test_a_relative_path_does_not_hide_it(self):
        self.expect({"src/base/bad.c": '/* bad */\n#include "../geometry/kernels/box_kernel.h"\n'},
                    "src/base/bad.c:2: base may not include geometry", "base and geometry include each other")

    def test_a_mutual_pair_is_found(self):
        self.expect({"src/base/bad.c": '/* bad */\n#include "methods/tree.h"\n',
                     "src/methods/uses.c": '/* uses */\n#include "base/arena.h"\n'},
                    "base may not include methods", "src:1: base and methods include each other")

    def test_a_room_that_includes_one_not_above_it_is_found(self):
        self.expect({"src/geometry/kernels/bad.c": '/* bad */\n#include "geometry/shape.h"\n',
                     "src/geometry/shape.h": "/* shape */\n"}, "geometry/kernels may not include geometry/.")

    def test_a_room_not_listed_is_found(self):
        self.expect({"src/geometry/attic/old.c": "/* old */\n"}, "its room attic is not listed")

    def test_rooms_that_form_a_circle_are_found(self):
        self.expect({"src/LAYERS": LAYERS.replace("    kernels:\n", "    kernels: .\n")},
                    "geometry/kernels may not include ., which does not stand above it")

    def test_a_crowded_folder_is_found(self):
        self.expect({f"src/base/part_{n}.c": "/* part */\n" for n in range(24)}, "26 sources")

    def test_layers_that_form_a_circle_are_found(self):
        self.expect({"src/LAYERS": LAYERS.replace("geometry: base\n", "geometry: base methods\n")},
                    "geometry may not include methods, which")

    def test_a_client_allowed_into_the_library_is_found(self):
        self.expect({"src/LAYERS": LAYERS.replace("io:", "io: base")}, "io is a client and may not include base")

    def test_a_client_includes_only_the_room_it_was_given(self):
        self.expect({"src/io/bad.c": '/* bad */\n#include "base/arena.h"\n'}, "io may not include base")
        self.expect({"src/sim/bad.c": '/* bad */\n#include "base/containers/small_list.h"\n'}, "sim may not include base")

    def test_a_room_for_clients_has_headers_only_and_needs_nothing(self):
        self.expect({"src/base/containers/small_list.c": "/* list */\n"}, "small_list.c:1: clients include base/containers")
        self.expect({"src/base/containers/small_list.h": '/* list */\n#include "base/arena.h"\n'},
                    "base/containers may not include base/.")
        self.expect({"src/LAYERS": LAYERS.replace("io: base/containers", "io: base/containers geometry/kernels")},
                    "geometry/kernels may include others", "box_kernel.c:1: clients include geometry/kernels")
        self.expect({"src/LAYERS": LAYERS.replace("io: base/containers", "io: base/containers base/attic")},
                    "base/attic is no room")

    def test_a_folder_not_listed_is_found(self):
        self.expect({"src/extra/thing.c": "/* thing */\n"}, "src/extra:1: the folder is not listed")

    def test_a_file_beside_the_folders_is_found(self):
        self.expect({"src/stray.c": "/* stray */\n"}, "src/stray.c:1: a source lies in a folder")

    def test_a_client_that_looks_into_the_library_is_found(self):
        self.expect({"src/io/bad.c": '/* bad */\n#include "base/arena.h"\n'}, "src/io/bad.c:2:")
        self.expect({"src/io/bad.c": '/* bad */\n#include "../base/arena.h"\n'}, "io may not include base")
        self.expect({"src/scenes/bad.c": '/* bad */\n#include "base/arena.h"\n'}, "scenes may not include base")

    def test_an_app_that_looks_into_the_library_is_found(self):
        self.expect({"apps/cli/bad.c": '/* bad */\n#include "../../src/base/arena.h"\n'}, "is not a file of apps/cli")
        self.expect({"apps/viewer/bad.c": '/* bad */\n#include "../cli/command.h"\n'}, "is not a file of apps/viewer")
        self.expect({"examples/bad.c": '/* bad */\n#include "base/arena.h"\n'}, "is not a file of examples")

    def test_a_public_header_that_does_not_exist_is_found(self):
        self.expect({"apps/cli/bad.c": "/* bad */\n#include <dent/nothing.h>\n"}, "<dent/nothing.h> does not exist")

    def test_a_public_header_in_quotes_is_found(self):
        self.expect({"src/base/bad.c": '/* bad */\n#include "dent/base.h"\n'}, "write <dent/base.h>")

    def test_a_method_that_includes_another_is_found(self):
        self.expect({"src/methods/grid_walk.c": '/* walk */\n#include "tree.h"\n'},
                    "method grid_walk may not include method tree")

    def test_a_foreign_library_in_the_core_is_found(self):
        self.expect({"src/geometry/bad.c": "/* bad */\n#include <gmp.h>\n"}, "may not need <gmp.h>")

    def test_the_c_allocator_is_found_everywhere_else(self):
        for call in ("malloc(3)", "calloc(1, 2)", "realloc(p, 3)", "free(p)", "aligned_alloc(64, 64)",
                     "posix_memalign(&p, 64, 64)", "strdup(s)"):
            for folder in ("base", "geometry", "io", "scenes"):
                self.expect({f"src/{folder}/bad.c": f"/* bad */\nvoid b(void) {{ {call}; }}\n"}, "C allocator")
        self.expect({"src/base/bad.c": "/* bad */\nvoid *(*f)(size_t) = malloc;\n"}, "C allocator")

    def test_ending_the_process_is_found(self):
        for call in ("exit(1)", "abort()", "_Exit(2)"):
            self.expect({"src/io/bad.c": f"/* bad */\nvoid b(void) {{ {call}; }}\n"}, "never ends the process")

    def test_printing_is_found(self):
        self.expect({"src/base/bad.c": '/* bad */\nvoid b(void) { printf("x"); }\n'}, "never prints")
        self.expect({"src/io/bad.c": '/* bad */\nvoid b(void) { puts("x"); }\n'}, "never prints")
        self.expect({"src/io/bad.c": '/* bad */\nvoid b(void) { fprintf(stderr, "x"); }\n'}, "stderr: the library")
        self.expect({"src/geometry/bad.c": "/* bad */\nvoid b(FILE *f);\n"}, "only src/io works with files")

    def test_a_name_used_twice_is_found(self):
        self.expect({"src/geometry/arena.h": "/* again */\n"}, "the name is already that of src/base/arena.h")
        self.expect({"src/geometry/Base.h": "/* again */\n"}, "the name is already that of include/dent/base.h")

    def test_the_name_of_a_system_header_is_found(self):
        self.expect({"src/geometry/math.h": "/* math */\n"}, "name of a system header")

    def test_a_file_without_an_opening_comment_is_found(self):
        self.expect({"src/base/bad.c": "int a;\n/* late */\n"}, "src/base/bad.c:1: does not open with a comment")
        self.expect({"apps/cli/CMakeLists.txt": "add_executable(a)\n"}, "does not open with a comment")


if __name__ == "__main__":
    unittest.main()
