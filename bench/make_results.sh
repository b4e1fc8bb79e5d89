#!/bin/sh
# Measures everything in docs/benchmarks.md and docs/scaling.md, keeps it, and writes the tables into these pages:
#
#     bench/make_results.sh BUILD_DIR [RESULTS_DIR]
#
# BUILD_DIR was configured with -DDENT_BUILD_PEERS=ON. Results: a CSV file, a chart and the printed text per race;
# default bench/results/<machine>. One thread is measured in processor time, so that other work on the machine disturbs
# little; several threads by the clock: for these the machine must be idle. Large scenes go through few frames: some
# peers take a second a step.
#
# PARTS in the environment names those to make (default: all):
#     solids    peers on solids: vertex-cell, face-cell                    surfaces  peers on surfaces: face-face
#     files     peers on mesh files of the data kit (DENT_DATA)             together  both questions of solids at once
#     threads   2 threads with peers, beside one thread and the control     isa       AVX2 and scalar
#     scaling   bench/tables.py: overlap, swarm, graded, growth, traps      pages     write docs/*.md from the results
#     real      the table that leads both pages: models of the data kit and their generated sisters, cluster search
#               beside the fastest peer, deforming, in rigid motion, at rest, and on all processors. Some minutes
#     strands   peers on strands: strands-1m, its sparse variant, the mohawk of the data kit, and growth from 10,000 to
#               4,000,000 segments
#     motion    FCL's continuous collision and the robot of the data kit (tables of docs/methods/motion.md)
set -e
root=$(cd "$(dirname "$0")/.." && pwd)
build=$1
dent=$build/apps/cli/dent
tables="python3 $root/bench/tables.py"
out=${2:-$root/bench/results/$($tables --machine)}
parts=${PARTS:-real solids surfaces strands files together threads isa motion scaling pages}
mkdir -p "$out"
tiny="teschner-a"
small="teschner-b teschner-c teschner-d teschner-e"
large="blocks-640k folded-1m"
sheets="cloth-500k sheet-flat sheet-tilted sheet-curved"
one="--threads 1 --cpu-time"
two="--threads ${THREADS:-2} --control"
very_often="--frames 5 --repeat 40" # steps of some ten microseconds
often="--frames 5 --repeat 4"
seldom="--frames 2 --repeat 4"

# Races on one thread stay on one processor: dent and its peers are two programs that take turns, and one that wakes up on another
# processor finds its caches empty.
pin=
command -v taskset > /dev/null && pin="taskset -c 0"

# bench NAME OPTION... SCENE...: a table, a chart, and what was printed.
bench() {
    name=$1
    shift
    case " $* " in
    *" --threads 1 "*) stay=$pin ;;
    *) stay= ;;
    esac
    echo "$stay dent bench $* --out $name.csv"
    $stay "$dent" bench "$@" --out "$out/$name.csv" > "$out/$name.txt"
}

# files NAME FILE...: all questions about mesh files, which are one model.
files() {
    model=$1
    shift
    for ask in vertex-cell face-cell face-face; do
        bench "files-$model-$ask" --peers $one --ask $ask --frames 2 --repeat 3 "$@"
    done
}

# real NAME SCENE|FILE...: one model, all questions about cells, in every motion.
real() {
    model=$1
    shift
    few="--frames 2 --repeat 4 --method cluster-search"
    bench "real-$model" --fastest-peer $one $few "$@"
    bench "real-$model-rigid" $one $few --motion rigid "$@"
    bench "real-$model-rest" $one $few --motion rest "$@"
    bench "real-$model-threads" --threads "${THREADS:-$(nproc)}" --control $few "$@"
}

for part in $parts; do
    case $part in
    real)
        if [ -n "$DENT_DATA" ]; then
            kit=$DENT_DATA/meshes
            real teeth "$kit"/jaw-openmandible/Tooth_L[67]_*.ele.xz
            real armadillo "$kit/tets-ipc/Armadillo13K.msh.xz"
            real bunny "$kit/tets-ipc/bunny.msh.xz"
            real octocat "$kit/tets-ipc/32770_octocat.msh.xz"
            real bone "$kit/jaw-openmandible/CorticalBone.1.ele.xz"
        else
            echo "real: without the data kit (DENT_DATA), generated models only"
        fi
        real fitted fitted ;;
    solids)
        for ask in vertex-cell face-cell; do
            bench "peers-tiny-$ask" --peers --variants $one --ask $ask $very_often $tiny
            bench "peers-$ask" --peers --variants $one --ask $ask $often $small
            bench "peers-large-$ask" --peers --variants $one --ask $ask $seldom $large
            bench "peers-jaw-$ask" --peers --variants $one --ask $ask $seldom --frame 49 jaw
        done ;;
    surfaces)
        bench peers-tiny-face-face --peers --variants $one --ask face-face $very_often $tiny
        bench peers-face-face --peers --variants $one --ask face-face $often $small
        bench peers-large-face-face --peers --variants $one --ask face-face $seldom $large $sheets ;;
    strands)
        bench peers-strand --peers $one --ask strand $seldom strands-1m strands-1m-sparse
        for scale in 0.01 0.1 1 4; do
            bench "strand-growth-$scale" $one --ask strand --method strand-packets $often --scale $scale strands-1m
        done
        if [ -n "$DENT_DATA" ]; then
            bench files-mohawk-strand --peers $one --ask strand $often \
                "$DENT_DATA/meshes/hair-tressfx/Ratboy_mohawk.tfx.xz"
        fi ;;
    files)
        if [ -z "$DENT_DATA" ]; then
            echo "files: skipped, DENT_DATA does not name the data kit"
            continue
        fi
        kit=$DENT_DATA/meshes
        files armadillo "$kit/tets-ipc/Armadillo13K.msh.xz"
        files bunny "$kit/tets-ipc/bunny.msh.xz"
        bench files-tshirt-face-face --peers $one --ask face-face --frames 20 --repeat 3 --frame 100 \
            "$kit/cloth-diffcloth/iter0.tar.xz"
        for frames in cloth-ball cloth-funnel armadillo-rollers; do
            bench "files-$frames-face-face" --peers $one --ask face-face --frames 2 --repeat 5 \
                "$DENT_DATA/frames/$frames/frames"
        done
        files jaw "$kit"/jaw-openmandible/CorticalBone.1.ele.xz "$kit"/jaw-openmandible/Tooth_L6_*.ele.xz ;;
    together)
        bench together --variants $one --ask vertex-cell+face-cell --frames 3 --repeat 3 $tiny $small $large ;;
    threads)
        for ask in vertex-cell face-cell; do
            bench "threads-$ask" --peers $two --ask $ask --frames 2 --repeat 4 $tiny $small $large
        done
        bench threads-face-face --peers $two --ask face-face --frames 2 --repeat 4 teschner-e $large cloth-500k \
            sheet-curved ;;
    isa)
        for isa in avx2 scalar; do
            for ask in vertex-cell face-cell; do
                bench "isa-$isa-$ask" --variants $one --isa $isa --ask $ask --frames 3 --repeat 3 $tiny $small $large
            done
            bench "isa-$isa-face-face" $one --isa $isa --ask face-face --frames 3 --repeat 3 teschner-e $large $sheets
        done ;;
    motion)
        "$build/bench/peers/bench_motion_fcl" > "$out/motion-fcl.csv"
        [ -z "$DENT_DATA" ] || "$build/bench/bench_robot" > "$out/motion-robot.csv" ;;
    scaling)
        $tables "$build" --results "$out" ;;
    pages)
        $tables --results "$out" --write "$root/README.md" "$root/docs/benchmarks.md" "$root/docs/scaling.md" ;;
    *)
        echo "make_results.sh: no part '$part'"
        exit 2 ;;
    esac
done
