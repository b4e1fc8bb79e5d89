#!/usr/bin/env bash
# Builds the fuzzers and runs each for a moment on its kept corpus; prints the executions. What is found stays in the
# build folder.
#
#   tools/fuzz_smoke.sh [seconds per fuzzer]      default 1: about ten seconds in all
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-1}
build=build/fuzz

cmake --preset fuzz >/dev/null
log=$build/fuzz_build.log
cmake --build "$build" --target fuzzers >"$log" 2>&1 || { tail -40 "$log" >&2; exit 1; }

total=0
failed=0
for program in "$build"/tests/fuzz/fuzz_*; do
    [ -f "$program" ] && [ -x "$program" ] || continue
    name=$(basename "$program")
    format=${name#fuzz_read_}
    format=${format#fuzz_}
    corpus=tests/fuzz/corpus/$format
    found=$build/found/$name
    mkdir -p "$found"
    dictionary=tests/fuzz/dictionaries/$format.dict
    arguments=(-max_total_time="$seconds" -rss_limit_mb=2048 -malloc_limit_mb=1024 -timeout=20 -max_len=65536
               -artifact_prefix="$found/" -print_final_stats=1)
    [ -f "$dictionary" ] && arguments+=(-dict="$dictionary")
    mkdir -p "$found/corpus"
    folders=("$found/corpus")
    [ -d "$corpus" ] && folders+=("$corpus")
    if "$program" "${arguments[@]}" "${folders[@]}" >"$found/log" 2>&1; then
        verdict=good
    else
        verdict=FAILED
        failed=1
    fi
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$found/log")
    printf '%-20s %10s executions  %s\n' "$name" "${executions:-?}" "$verdict"
    [ "$verdict" = good ] || tail -25 "$found/log" >&2
    total=$((total + ${executions:-0}))
done
echo "all fuzzers: $total executions"
exit $failed
