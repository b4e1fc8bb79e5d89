#!/usr/bin/env bash
# The golden tests on other machines: cross-compiles the libraries and the tests of pinned bits, and runs them under
# qemu-user. Every hash must be the one of this machine: other byte order (s390x), other vector unit (aarch64), 32 bits
# and no __int128 (i686).
#
#   tools/cross_golden.sh [aarch64|s390x|i686]...        default: aarch64 s390x
#
# It takes a quarter of an hour to an hour for each. Build folders: build/cross-NAME (DENT_CROSS_BUILD changes build).
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/packages.sh

machines=("$@")
[ ${#machines[@]} -gt 0 ] || machines=(aarch64 s390x)
build=${DENT_CROSS_BUILD:-build}

for machine in "${machines[@]}"; do
    case $machine in
    aarch64) qemu=qemu-aarch64 libc=libc6-dev-arm64-cross ;;
    s390x) qemu=qemu-s390x libc=libc6-dev-s390x-cross ;;
    i686) qemu=qemu-i386 libc=libc6-dev-i386-cross ;;
    *)
        echo "cross_golden.sh: expected aarch64, s390x or i686; got $machine" >&2
        exit 2
        ;;
    esac
    need_packages cmake=cmake ninja=ninja-build "$qemu=qemu-user" "$machine-linux-gnu-gcc=gcc-$machine-linux-gnu" \
        "file:/usr/$machine-linux-gnu/include/stdio.h=$libc"
    echo "== $machine"
    cmake -S . -B "$build/cross-$machine" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/cross/$machine.cmake" \
        -DCMAKE_BUILD_TYPE=Release -DDENT_BUILD_TOOL=OFF -DDENT_BUILD_BENCH=OFF >/dev/null
    cmake --build "$build/cross-$machine" --target tests_golden
    DENT_QUICK_TESTS=1 ctest --test-dir "$build/cross-$machine" -L golden --output-on-failure -j "$(nproc)"
done
