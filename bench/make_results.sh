#!/bin/sh
# Makes the kept results: bench/make_results.sh BUILD_DIR RESULTS_DIR
#
# BUILD_DIR was configured with -DDENT_BUILD_PEERS=ON. One thread is measured in processor time, so that other work on the
# machine disturbs little; two threads by the clock. Large scenes go through fewer frames: the peers take seconds a step.
# Only the parts named in PARTS are made: peers threads isa inside growth together (default: all).
set -e
dent=$1/apps/cli/dent
out=$2
parts=${PARTS:-peers threads isa inside growth together}
mkdir -p "$out"
small="teschner-a teschner-b teschner-c teschner-d teschner-e"
large="blocks-640k folded-1m"
one="--threads 1 --cpu-time"

# bench NAME OPTION... SCENE...: a table, a chart, and what was printed.
bench() {
    name=$1
    shift
    echo "dent bench $* --out $name.csv"
    "$dent" bench "$@" --out "$out/$name.csv" > "$out/$name.txt"
}

for part in $parts; do
    case $part in
    peers)
        for ask in vertex-cell face-cell face-face; do
            bench "peers-$ask" --peers --variants $one --ask $ask --frames 5 --repeat 5 $small
        done
        for ask in vertex-cell face-cell; do
            bench "peers-large-$ask" --peers --variants $one --ask $ask --frames 3 --repeat 2 $large
        done ;;
    threads)
        for ask in vertex-cell face-cell; do
            bench "threads-2-$ask" --peers --threads 2 --ask $ask --frames 3 --repeat 3 $small $large
        done ;;
    isa)
        for isa in avx2 scalar; do
            for ask in vertex-cell face-cell; do
                bench "isa-$isa-$ask" --variants $one --isa $isa --ask $ask --frames 3 --repeat 3 $small $large
            done
        done ;;
    inside)
        for inside in 0 0.01 0.07 0.2 0.5 0.8; do
            bench "inside-$inside" --variants $one --ask vertex-cell+face-cell --set inside=$inside --frames 3 --repeat 3 \
                teschner-a teschner-e blocks-640k
        done ;;
    growth)
        for scale in 0.0016 0.0156 0.0625 0.25 1 1.5625; do
            bench "growth-$scale" $one --ask vertex-cell+face-cell --scale $scale --frames 3 --repeat 3 blocks-640k
        done ;;
    together)
        bench together $one --ask vertex-cell+face-cell --frames 3 --repeat 3 $small $large ;;
    esac
done
