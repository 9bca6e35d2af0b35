#!/usr/bin/env bash
# Measures networks through libtorch on a GPU, and learns there, in one call, on a machine with PyTorch 2.11 for CUDA,
# without network or cargo:
#
#   tools/libtorch/gpu.sh build             here: target/gpu/torch_speed and target/gpu/treeline, stripped
#   tools/libtorch/gpu.sh run [ARGUMENTS]   there, with target/gpu: prints JSON; see torch/examples/speed.rs
#   tools/libtorch/gpu.sh learn RUN [ARGUMENTS]
#                                           there: begins or goes on with a run of 'treeline learn' for SLICE seconds (540
#                                           unless set), then prints a line of JSON for each generation; RUN resumes in
#                                           the next slice, there or elsewhere (with its data/, or the generation that it
#                                           was training on is played again)
#   tools/libtorch/gpu.sh pack RUN FOLDER   there: the run in files of 15 MiB, where no larger ones can be brought back
#   tools/libtorch/gpu.sh weights RUN FOLDER
#                                           there: the same without states and games, some 10 MiB for half a million weights: what
#                                           goes on from there plays new games first
#   tools/libtorch/gpu.sh unpack FOLDER     here: makes the run of either, in this folder
#
# RUN and FOLDER are seen from the folder that it is called from. The program is the same on both machines; there, the
# PyTorch that `python3` (or PYTHON) would import lends its libraries.
set -euo pipefail
from=$PWD
cd "$(dirname "$0")/../.."

build() {
    [ -n "${LIBTORCH:-}" ] || . target/libtorch.env
    cargo build --profile quick -p treeline-torch --features torch --example speed
    mkdir -p target/gpu
    strip -o target/gpu/torch_speed "${CARGO_TARGET_DIR:-target}/quick/examples/speed"
    cargo build --profile quick --features torch --bin treeline
    strip -o target/gpu/treeline "${CARGO_TARGET_DIR:-target}/quick/treeline"
    ls -l target/gpu
}

libraries() {
    local packages
    packages=$("${PYTHON:-python3}" -c '
import importlib.metadata as m, os
torch = m.distribution("torch")
if not torch.version.startswith("2.11."):
    raise SystemExit(f"gpu.sh: this is torch {torch.version}, and 2.11 is needed")
print(os.path.dirname(torch.locate_file("torch")))') || {
        echo "gpu.sh: PYTHON=${PYTHON:-python3} is to have torch 2.11" >&2
        exit 1
    }
    [ -f "$packages/torch/lib/libtorch_cuda.so" ] || { echo "gpu.sh: no libtorch_cuda.so in $packages/torch/lib" >&2; exit 1; }
    LD_LIBRARY_PATH=$(printf '%s\n' "$packages/torch/lib" "$packages"/nvidia/*/lib | paste -sd:)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LD_LIBRARY_PATH
    nvidia-smi --query-gpu=name,memory.total,driver_version --format=csv,noheader >&2 || true
}

learn() {
    local run=${1:?gpu.sh: learn takes the folder of a run} status=0
    shift
    case "$run" in /*) ;; *) run=$from/$run ;; esac
    # Interrupted it ends with everything safe, and timeout with 124.
    timeout -s INT -k 50 "${SLICE:-540}" target/gpu/treeline learn "$run" "$@" >&2 || status=$?
    [ ! -f "$run/metrics.jsonl" ] || cat "$run/metrics.jsonl"
    case $status in
        0) ;;
        124) echo "gpu.sh: the slice is over; the same command goes on" >&2 ;;
        137) echo "gpu.sh: it did not end in time and was killed; the same command goes on" >&2 ;;
        *) exit "$status" ;;
    esac
}

pack() {
    local run=${1:?gpu.sh: a folder of a run is needed} folder=${2:?gpu.sh: a folder to fill is needed} name
    shift 2
    cd "$from"
    mkdir -p "$folder"
    name=$(basename "$run")
    # The lock is of this machine, and states compress to a fraction.
    tar -C "$(dirname "$run")" --exclude "$name/lock" "$@" -cz "$name" | split -b 15M -d - "$folder/run.tar.gz."
    ls -l "$folder"
}

weights() {
    local run=${1:?gpu.sh: a folder of a run is needed} folder=${2:?gpu.sh: a folder to fill is needed} name older=()
    name=$(basename "$run")
    # All checkpoints but the newest, whose name is the largest number.
    while read -r number; do
        older+=(--exclude "$name/checkpoints/$number")
    done < <(cd "$from" && ls "$run/checkpoints" | grep -x '[0-9]*' | sort -n | head -n -1)
    pack "$run" "$folder" --exclude "$name/data" --exclude "$name/networks" --exclude "$name/events" "${older[@]}"
}

unpack() {
    local folder=${1:?gpu.sh: unpack takes a folder that pack has filled}
    cd "$from"
    cat "$folder"/run.tar.gz.* | tar -xz
}

case "${1:-}" in
    build) build ;;
    run) shift; libraries; exec target/gpu/torch_speed "$@" ;;
    learn) shift; libraries; learn "$@" ;;
    pack) shift; pack "$@" ;;
    weights) shift; weights "$@" ;;
    unpack) shift; unpack "$@" ;;
    *) sed -n '2,22s/^# \{0,1\}//p' "$0"; exit 1 ;;
esac
