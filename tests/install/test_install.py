#!/usr/bin/env python3
"""Installs a finished build into a temporary place, moves it, and builds a stranger's program against it: in C and C++,
through find_package(dent) and through pkg-config, static and shared. Every program is run.

    test_install.py BUILD_DIRECTORY CMAKE C_COMPILER CXX_COMPILER [--plain-static]

--plain-static: the static libraries keep their internal symbols (sanitizer and coverage builds); then they are not
compared with the shared ones, and the program may not use the names of internal functions. The environment variables
CFLAGS and CXXFLAGS reach the compilers.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

OUTSIDE = Path(__file__).resolve().parent / "outside"
LIBRARIES = ("dent", "dent_io", "dent_plan", "dent_haptic", "dent_sim", "dent_view")


class Failure(Exception):
    pass


def run(command, **named):
    command = [str(word) for word in command]
    result = subprocess.run(command, capture_output=True, text=True, **named)
    if result.returncode != 0:
        raise Failure(f"{' '.join(command)}\nended with {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def installed_libraries(library_folder):
    return [name for name in LIBRARIES if (library_folder / f"lib{name}.a").is_file()]


def global_symbols(library, *options):
    lines = run(["nm", "-g", "--defined-only", *options, library]).splitlines()
    return {fields[2].split("@")[0] for fields in map(str.split, lines) if len(fields) == 3}


def check_same_symbols(library_folder, libraries):
    """The installed static library shows the world exactly what the shared one does."""
    for name in libraries:
        static = global_symbols(library_folder / f"lib{name}.a")
        shared = global_symbols(library_folder / f"lib{name}.so", "-D")
        if static != shared:
            raise Failure(f"{name}: only static: {sorted(static - shared)}, only shared: {sorted(shared - static)}")
        print(f"  {name}: {len(static)} symbols, the same in the static and the shared library")


def check_every_symbol_links(library_folder, libraries, flags_of_kind, c_compiler, work):
    """A program that takes the address of every public function can be linked and loaded both ways."""
    names = sorted(set().union(*(global_symbols(library_folder / f"lib{name}.so", "-D") for name in libraries)))
    source = work / "addresses.c"
    source.write_text("/* generated */\n" + "".join(f"void {name}(void);\n" for name in names) +
                      "static void (*const functions[])(void) = {" + ", ".join(names) + "};\n"
                      "int main(void) { return functions[sizeof functions / sizeof functions[0] - 1] == 0; }\n")
    for kind, flags in flags_of_kind.items():
        program = work / f"addresses_{kind}"
        run([c_compiler, "-fno-builtin", *os.environ.get("CFLAGS", "").split(), source, "-o", program, *flags])
        run([program], env={**os.environ, "LD_LIBRARY_PATH": str(library_folder) if kind == "shared" else ""})
    print(f"  addresses of {len(names)} public functions: linked and run, static and shared")


def try_cmake(cmake, prefix, c_compiler, cxx_compiler, work):
    build = work / "by_cmake"
    run([cmake, "-S", OUTSIDE, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_C_COMPILER={c_compiler}",
         f"-DCMAKE_CXX_COMPILER={cxx_compiler}"])
    run([cmake, "--build", build])
    for language in ("c", "cpp"):
        for kind in ("default", "static", "shared"):
            program = build / f"outside_{language}_{kind}"
            run([program])
            needs_shared = "libdent.so" in run(["ldd", program])
            if needs_shared != (kind != "static"):
                raise Failure(f"{program.name} was linked with the wrong kind of library")
            print(f"  find_package, {language}, {kind}: built and run")
    again = work / "by_cmake_static"
    run([cmake, "-S", OUTSIDE, "-B", again, f"-DCMAKE_PREFIX_PATH={prefix}", "-DDENT_USE_STATIC_LIBS=ON",
         f"-DCMAKE_C_COMPILER={c_compiler}", f"-DCMAKE_CXX_COMPILER={cxx_compiler}"])
    run([cmake, "--build", again, "--target", "outside_c_default"])
    if "libdent" in run(["ldd", again / "outside_c_default"]):
        raise Failure("DENT_USE_STATIC_LIBS did not choose the static libraries")
    run([again / "outside_c_default"])
    print("  find_package with DENT_USE_STATIC_LIBS: built and run")


def pkg_config_flags(library_folder, libraries):
    environment = {**os.environ, "PKG_CONFIG_PATH": str(library_folder / "pkgconfig")}
    packages = list(reversed(libraries))
    for name in libraries:
        run(["pkg-config", "--exists", "--print-errors", f"{name} >= 0.1"], env=environment)
    shared = run(["pkg-config", "--cflags", "--libs", *packages], env=environment).split()
    static = run(["pkg-config", "--static", "--cflags", "--libs", *packages], env=environment).split()
    # -static would want every system library as an archive; only ours are asked for as such.
    static = [re.sub(r"^-l(dent\w*)$", r"-l:lib\1.a", word) for word in static]
    return {"shared": shared, "static": static}


def try_pkg_config(flags_of_kind, library_folder, libraries, compilers, work):
    defines = [f"-DOUTSIDE_{name[5:].upper()}" for name in libraries if name != "dent"]
    for language, compiler, standard, flags_name in (("c", compilers[0], "-std=c17", "CFLAGS"),
                                                     ("cpp", compilers[1], "-std=c++17", "CXXFLAGS")):
        for kind, flags in flags_of_kind.items():
            program = work / f"by_pkg_config_{language}_{kind}"
            own_flags = os.environ.get(flags_name, "").split()
            run([compiler, standard, *own_flags, *defines, OUTSIDE / f"outside.{language}", "-o", program, *flags])
            run([program], env={**os.environ, "LD_LIBRARY_PATH": str(library_folder) if kind == "shared" else ""})
            print(f"  pkg-config, {language}, {kind}: built and run")


def check_manual(prefix):
    """A manual page for every command, completions where shells look for them, the examples; bash completes."""
    tool = prefix / "bin" / "dent"
    commands = re.findall(r"^  ([a-z][a-z-]*) ", run([tool, "--help"]), re.M)
    pages = {page.name for page in (prefix / "share" / "man" / "man1").iterdir()}
    if pages != {"dent.1"} | {f"dent-{command}.1" for command in commands}:
        raise Failure(f"manual pages {sorted(pages)} of the commands {commands}")
    for page in (prefix / "share" / "man" / "man1").iterdir():
        text = page.read_text()
        if not text.startswith(".TH ") or ".SH SYNOPSIS" not in text or ".SH NAME" not in text:
            raise Failure(f"{page.name} is no manual page")
        if shutil.which("man"):
            warnings = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", str(page)],
                                      capture_output=True, text=True).stderr
            if warnings:
                raise Failure(f"{page.name}: {warnings}")
    for file in ("zsh/site-functions/_dent", "fish/vendor_completions.d/dent.fish"):
        if "--top" not in (prefix / "share" / file).read_text() and "-l top" not in (prefix / "share" / file).read_text():
            raise Failure(f"{file} does not know the options of check")
    bash = prefix / "share" / "bash-completion" / "completions" / "dent"
    script = ('source "$1"; COMP_WORDS=(dent check --sort vol); COMP_CWORD=3; _dent; echo "${COMPREPLY[@]}"; '
              'COMP_WORDS=(dent ch); COMP_CWORD=1; _dent; echo "${COMPREPLY[@]}"; '
              'COMP_WORDS=(dent check --cs); COMP_CWORD=2; _dent; echo "${COMPREPLY[@]}"; '
              'COMP_WORDS=(dent check v-sh); COMP_CWORD=2; _dent; echo "${COMPREPLY[@]}"')
    if shutil.which("bash"):
        answers = run(["bash", "-c", script, "bash", bash]).split()
        if answers != ["volume", "check", "--csv", "v-shapes"]:
            raise Failure(f"bash completes {answers}")
    for shell, file in (("zsh", "zsh/site-functions/_dent"), ("fish", "fish/vendor_completions.d/dent.fish")):
        if shutil.which(shell):
            run([shell, "-n", prefix / "share" / file])
    if not list((prefix / "share").rglob("examples/01_two_tets.c")):
        raise Failure("the examples are not installed")
    print(f"  {len(pages)} manual pages, completions and examples are installed")


def main(arguments):
    plain_static = "--plain-static" in arguments
    arguments = [argument for argument in arguments if argument != "--plain-static"]
    if len(arguments) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    build, cmake, compilers = Path(arguments[0]), arguments[1], arguments[2:]
    with tempfile.TemporaryDirectory(dir=build) as folder:  # where programs may run: not so under every /tmp
        work = Path(folder)
        try:
            run([cmake, "--install", build, "--prefix", work / "first place"])
            prefix = work / "moved"
            shutil.move(work / "first place", prefix)
            library_folder = next(prefix.rglob("libdent.a")).parent
            libraries = installed_libraries(library_folder)
            print(f"  installed and moved: {', '.join(libraries)}")
            if not plain_static:
                for flags in ("CFLAGS", "CXXFLAGS"):
                    os.environ[flags] = os.environ.get(flags, "") + " -DOUTSIDE_SAME_NAME"
                check_same_symbols(library_folder, libraries)
            try_cmake(cmake, prefix, *compilers, work)
            flags_of_kind = pkg_config_flags(library_folder, libraries)
            try_pkg_config(flags_of_kind, library_folder, libraries, compilers, work)
            check_every_symbol_links(library_folder, libraries, flags_of_kind, compilers[0], work)
            if (prefix / "bin" / "dent").is_file():
                run([prefix / "bin" / "dent", "--help"])
                print("  the installed tool answers --help")
                check_manual(prefix)
        except Failure as failure:
            print(f"test_install: {failure}")
            return 1
    print("test_install: good")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
