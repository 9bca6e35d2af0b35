#!/usr/bin/env bash
# Measures networks through libtorch on a GPU, and learns there, in one call, on a machine with PyTorch 2.11 for CUDA, without network or cargo:
#
#   tools/libtorch/gpu.sh build             here: target/gpu/torch_speed and target/gpu/treeline, stripped
#   tools/libtorch/gpu.sh run [ARGUMENTS]   there, with target/gpu: prints JSON; see nets/examples/torch_speed.rs
#   tools/libtorch/gpu.sh learn RUN [ARGUMENTS]
#                                           there: begins or goes on with a run of 'treeline learn' for SLICE seconds (570
#                                           unless set), then prints a line of JSON for each generation; RUN resumes in
#                                           the next slice, there or elsewhere
#
# The program is the same on both machines; there, the PyTorch that `python3` (or PYTHON) would import lends its libraries.
set -euo pipefail
cd "$(dirname "$0")/../.."

build() {
    [ -n "${LIBTORCH:-}" ] || . target/libtorch.env
    # The libraries do the work; the development profile is enough and is built already after the tests.
    cargo build -p treeline-nets --features torch --example torch_speed
    mkdir -p target/gpu
    strip -o target/gpu/torch_speed "${CARGO_TARGET_DIR:-target}/debug/examples/torch_speed"
    cargo build --profile quick --features torch --bin treeline
    strip -o target/gpu/treeline "${CARGO_TARGET_DIR:-target}/quick/treeline"
    ls -l target/gpu
}

libraries() {
    local packages
    packages=$("${PYTHON:-python3}" -c '
import importlib.util as u, os
print(os.path.dirname(u.find_spec("torch").submodule_search_locations[0]))')
    [ -f "$packages/torch/lib/libtorch_cuda.so" ] || { echo "gpu.sh: no libtorch_cuda.so in $packages/torch/lib" >&2; exit 1; }
    LD_LIBRARY_PATH=$(printf '%s:' "$packages/torch/lib" "$packages"/nvidia/*/lib)${LD_LIBRARY_PATH:-}
    export LD_LIBRARY_PATH
    nvidia-smi --query-gpu=name,memory.total,driver_version --format=csv,noheader >&2 || true
}

learn() {
    local run=${1:?gpu.sh: learn takes the folder of a run}
    shift
    # Interrupted it ends with an error, and with everything safe.
    timeout -s INT "${SLICE:-570}" target/gpu/treeline learn "$run" "$@" >&2 || echo "gpu.sh: the slice is over, or see above" >&2
    cat "$run/metrics.jsonl"
}

case "${1:-}" in
    build) build ;;
    run) shift; libraries; exec target/gpu/torch_speed "$@" ;;
    learn) shift; libraries; learn "$@" ;;
    *) sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 1 ;;
esac
