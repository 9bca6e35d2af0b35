#!/usr/bin/env bash
# Measures networks through libtorch on a GPU, in one call, on a machine with PyTorch 2.11 for CUDA, without network or cargo:
#
#   tools/libtorch/gpu.sh build            here: target/gpu/torch_speed, stripped
#   tools/libtorch/gpu.sh run [ARGUMENTS]  there, with target/gpu: prints JSON; see nets/examples/torch_speed.rs
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
    ls -l target/gpu/torch_speed
}

run() {
    local packages
    packages=$("${PYTHON:-python3}" -c '
import importlib.util as u, os
print(os.path.dirname(u.find_spec("torch").submodule_search_locations[0]))')
    [ -f "$packages/torch/lib/libtorch_cuda.so" ] || { echo "gpu.sh: no libtorch_cuda.so in $packages/torch/lib" >&2; exit 1; }
    LD_LIBRARY_PATH=$(printf '%s:' "$packages/torch/lib" "$packages"/nvidia/*/lib)${LD_LIBRARY_PATH:-}
    export LD_LIBRARY_PATH
    nvidia-smi --query-gpu=name,memory.total,driver_version --format=csv,noheader >&2 || true
    exec target/gpu/torch_speed "$@"
}

case "${1:-}" in
    build) build ;;
    run) shift; run "$@" ;;
    *) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 1 ;;
esac
