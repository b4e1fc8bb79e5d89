#!/usr/bin/env bash
# Builds the fuzzers and runs them, one per core at a time; prints executions and coverage. What is found stays in the build folder.
#
#   tools/fuzz_smoke.sh                            the check of a submission: every kept input, then a fixed number of runs from a fixed seed
#   tools/fuzz_smoke.sh SECONDS [SEED [NAME...]]   a campaign: so long for each fuzzer (or those named), from a seed that it prints
#
# The check says the same of the same tree every time, with the same executions: the inputs are listed in the order of their names, nothing
# found earlier is read, numbers compared with are not learnt (addresses are among them), no run ends by the clock (the limits of time only
# end what hangs), one thread, and kernels that every machine has (DENT_FUZZ_SCALAR). Campaigns are there to find: they learn, they start
# from what earlier ones found, and they use the kernels of the machine.
set -euo pipefail
script=$(readlink -f "$0")
cd "$(dirname "$script")/.."
build=build/fuzz

# One to three seconds each on one core.
runs_of() {
    case $1 in
    fuzz_impact) echo 200 ;;
    fuzz_boxes) echo 2000 ;;
    fuzz_api_steps | fuzz_checkpoint | fuzz_scene_file) echo 1500 ;;
    fuzz_api | fuzz_read_tar) echo 6000 ;;
    *) echo 10000 ;;
    esac
}

# fuzz_one PROGRAM MODE(check|SECONDS) SEED: what it printed is in found/NAME/log, what became of it in found/NAME/verdict.
fuzz_one() {
    local program=$1 mode=$2 seed=$3 name format corpus found dictionary arguments kept verdict=good
    name=$(basename "$program")
    format=${name#fuzz_read_}
    format=${format#fuzz_}
    corpus=tests/fuzz/corpus/$format
    found=$build/found/$name
    mkdir -p "$found/corpus"
    dictionary=tests/fuzz/dictionaries/$format.dict
    arguments=(-seed="$seed" -rss_limit_mb=2048 -malloc_limit_mb=1024 -max_len=65536 -artifact_prefix="$found/" -print_final_stats=1)
    [ -f "$dictionary" ] && arguments+=(-dict="$dictionary")
    if [ "$mode" = check ]; then
        export DENT_FUZZ_SCALAR=1
        kept=$found/kept
        find "$corpus" -type f 2>/dev/null | LC_ALL=C sort | paste -sd, | tr -d '\n' >"$kept"
        arguments+=(-runs="$(runs_of "$name")" -use_cmp=0 -timeout=600 -max_total_time=1200)
        [ -s "$kept" ] && arguments+=(-seed_inputs=@"$kept")
    else
        arguments+=(-max_total_time="$mode" -timeout=60 "$found/corpus")
        [ -d "$corpus" ] && arguments+=("$corpus")
    fi
    "$program" "${arguments[@]}" >"$found/log" 2>&1 || verdict=FAILED
    echo "$verdict" >"$found/verdict"
}

if [ "${1:-}" = --one ]; then # this script as its own worker
    fuzz_one "$2" "$3" "$4"
    exit
fi

mode=${1:-check}
seed=1
[ "$mode" = check ] || seed=${2:-$((RANDOM * 32768 + RANDOM + 1))}
shift $(($# < 2 ? $# : 2))

cmake --preset fuzz >/dev/null
log=$build/fuzz_build.log
cmake --build "$build" --target fuzzers >"$log" 2>&1 || { tail -40 "$log" >&2; exit 1; }

programs=()
for program in "$build"/tests/fuzz/fuzz_*; do
    name=$(basename "$program")
    if [ -f "$program" ] && [ -x "$program" ] && { [ $# -eq 0 ] || [[ " $* " == *" $name "* ]]; }; then
        programs+=("$program")
    fi
done
[ ${#programs[@]} -gt 0 ] || { echo "no such fuzzer: $*" >&2; exit 2; }
rm -f "$build"/found/*/verdict
printf '%s\0' "${programs[@]}" | xargs -0 -P "$(nproc)" -I PROGRAM "$script" --one PROGRAM "$mode" "$seed"

total=0
failed=0
for program in "${programs[@]}"; do
    name=$(basename "$program")
    found=$build/found/$name
    verdict=$(cat "$found/verdict" 2>/dev/null || echo FAILED)
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$found/log")
    coverage=$(sed -n 's/^#.* cov: \([0-9]*\) ft: \([0-9]*\) .*/\1 edges, \2 features/p' "$found/log" | tail -1)
    printf '%-26s %9s executions  %-30s %s\n' "$name" "${executions:-?}" "${coverage:-}" "$verdict"
    [ "$verdict" = good ] || { failed=1; tail -25 "$found/log" >&2; }
    total=$((total + ${executions:-0}))
done
echo "all fuzzers: $total executions from seed $seed"
exit $failed
