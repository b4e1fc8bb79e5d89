#!/usr/bin/env bash
# Builds the fuzzers and runs each for a moment on its kept corpus, one per core at a time; prints the executions. What is
# found stays in the build folder.
#
#   tools/fuzz_smoke.sh [seconds per fuzzer]      default 1: about ten seconds in all
set -euo pipefail
script=$(readlink -f "$0")
cd "$(dirname "$script")/.."
seconds=${1:-1}
build=build/fuzz

# fuzz_one PROGRAM SECONDS: what it printed is in found/NAME/log, what became of it in found/NAME/verdict.
fuzz_one() {
    local program=$1 seconds=$2 name format corpus found dictionary arguments folders verdict=good
    name=$(basename "$program")
    format=${name#fuzz_read_}
    format=${format#fuzz_}
    corpus=tests/fuzz/corpus/$format
    found=$(dirname "$program")/../../found/$name
    mkdir -p "$found/corpus"
    dictionary=tests/fuzz/dictionaries/$format.dict
    arguments=(-max_total_time="$seconds" -rss_limit_mb=2048 -malloc_limit_mb=1024 -timeout=60 -max_len=65536
               -artifact_prefix="$found/" -print_final_stats=1)
    [ -f "$dictionary" ] && arguments+=(-dict="$dictionary")
    folders=("$found/corpus")
    [ -d "$corpus" ] && folders+=("$corpus")
    "$program" "${arguments[@]}" "${folders[@]}" >"$found/log" 2>&1 || verdict=FAILED
    echo "$verdict" >"$found/verdict"
}

if [ "${1:-}" = --one ]; then # this script as its own worker
    fuzz_one "$2" "$3"
    exit
fi

cmake --preset fuzz >/dev/null
log=$build/fuzz_build.log
cmake --build "$build" --target fuzzers >"$log" 2>&1 || { tail -40 "$log" >&2; exit 1; }

programs=()
for program in "$build"/tests/fuzz/fuzz_*; do
    [ -f "$program" ] && [ -x "$program" ] && programs+=("$program")
done
rm -f "$build"/found/*/verdict
printf '%s\0' "${programs[@]}" | xargs -0 -P "$(nproc)" -I PROGRAM "$script" --one PROGRAM "$seconds"

total=0
failed=0
for program in "${programs[@]}"; do
    name=$(basename "$program")
    found=$build/found/$name
    verdict=$(cat "$found/verdict" 2>/dev/null || echo FAILED)
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$found/log")
    printf '%-24s %10s executions  %s\n' "$name" "${executions:-?}" "$verdict"
    [ "$verdict" = good ] || { failed=1; tail -25 "$found/log" >&2; }
    total=$((total + ${executions:-0}))
done
echo "all fuzzers: $total executions"
exit $failed
