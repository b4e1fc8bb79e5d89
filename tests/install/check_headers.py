#!/usr/bin/env python3
"""Every public header compiles alone, as C17 and as C++17, without a warning, and twice in a row.

    check_headers.py INCLUDE_DIRECTORY C_COMPILER CXX_COMPILER
"""

import subprocess
import sys
import tempfile
from pathlib import Path

WARNINGS = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-Wshadow", "-fsyntax-only"]


def main(arguments):
    if len(arguments) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    include, c_compiler, cxx_compiler = Path(arguments[0]), arguments[1], arguments[2]
    headers = sorted((include / "dent").glob("*.h"))
    failures = 0 if headers else 1
    with tempfile.TemporaryDirectory() as folder:
        for header in headers:
            line = f"#include <dent/{header.name}>\n"
            for compiler, standard, suffix in ((c_compiler, "-std=c17", "c"), (cxx_compiler, "-std=c++17", "cpp")):
                source = Path(folder) / f"alone.{suffix}"
                source.write_text(line + line + "int main() { return 0; }\n" if suffix == "cpp" else
                                  line + line + "int main(void) { return 0; }\n")
                command = [compiler, standard, *WARNINGS, f"-I{include}", str(source)]
                result = subprocess.run(command, capture_output=True, text=True)
                if result.returncode != 0 or result.stderr:
                    print(f"dent/{header.name} does not compile alone with {standard}:\n{result.stderr}")
                    failures += 1
    print(f"check_headers: {len(headers)} headers, {failures} failure(s)")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
