#!/usr/bin/env bash
# Sourced by run-demo, run-tests, .ci/run and tools/report: makes sure that what is needed is there.
#
#   need_packages PROBE=PACKAGE...
#
# A probe is `command` (found on the PATH), `header:path.h` (found by the C compiler), `python:module` (importable by
# /usr/bin/python3), `file:/path`, or `fuzzer` (clang links libFuzzer). Missing packages are installed with apt-get
# where we may (root, or sudo without a password); otherwise the script says exactly what is missing and stops.

probe_is_there() {
    case $1 in
    # Some headers (cmocka.h, gmp.h) want others before them.
    header:*) printf '#include <%s>\n' stdio.h stdarg.h stddef.h setjmp.h stdint.h "${1#header:}" |
        cc -E -x c - >/dev/null 2>&1 ;;
    fuzzer) printf '%s\n' 'int LLVMFuzzerTestOneInput(const char *d, long n);' \
        'int LLVMFuzzerTestOneInput(const char *d, long n) { return d && n < 0; }' |
        clang -x c - -fsanitize=fuzzer,address -o /dev/null >/dev/null 2>&1 ;;
    file:*) [ -e "${1#file:}" ] ;;
    python:*) /usr/bin/python3 -c "import ${1#python:}" >/dev/null 2>&1 ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
    esac
}

need_packages() {
    local missing=() pair
    for pair in "$@"; do
        probe_is_there "${pair%%=*}" || missing+=("${pair#*=}")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    local sudo=()
    if [ "$(id -u)" -ne 0 ]; then
        if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
            sudo=(sudo -n)
        else
            echo "dent: these packages are missing and may not be installed by this user: ${missing[*]}" >&2
            echo "dent: please run: apt-get install ${missing[*]}" >&2
            return 1
        fi
    fi
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "dent: these packages are missing, and there is no apt-get here: ${missing[*]}" >&2
        return 1
    fi
    echo "dent: installing ${missing[*]}" >&2
    local get=("${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=5)
    "${get[@]}" update -q >/dev/null &&
        "${get[@]}" install -y -q --no-install-recommends "${missing[@]}" >/dev/null || {
        echo "dent: could not install ${missing[*]}" >&2
        return 1
    }
    for pair in "$@"; do
        probe_is_there "${pair%%=*}" || {
            echo "dent: ${pair#*=} was installed, but ${pair%%=*} is still missing" >&2
            return 1
        }
    done
}

# What it takes to build the library and the tool.
build_packages=(cc=gcc c++=g++ cmake=cmake ninja=ninja-build pkg-config=pkg-config
    header:zlib.h=zlib1g-dev header:lzma.h=liblzma-dev header:expat.h=libexpat1-dev header:jansson.h=libjansson-dev
    header:libwebsockets.h=libwebsockets-dev node=nodejs npm=npm)
# What the tests need on top.
test_packages=(header:cmocka.h=libcmocka-dev header:gmp.h=libgmp-dev
    header:assimp/cimport.h=libassimp-dev python3=python3 python:vtkmodules=python3-vtk9
    file:/usr/share/i18n/locales/de_DE=locales chromium=chromium)
# What benchmarks compare with (-DDENT_BUILD_PEERS=ON); each peer is left out with a message when it is absent.
peer_packages=(file:/usr/include/bullet/btBulletDynamicsCommon.h=libbullet-dev
    file:/usr/include/nanoflann.hpp=libnanoflann-dev file:/usr/include/flann/flann.hpp=libflann-dev
    file:/usr/lib/x86_64-linux-gnu/libpcl_surface.so=libpcl-dev
    file:/usr/share/ompl/cmake/omplConfig.cmake=libompl-dev)
