#!/usr/bin/env bash
# Fetches libtorch for the cargo feature `torch` without the gigabytes of CUDA libraries that PyTorch asks for.
#
#   tools/libtorch/setup.sh
#   . target/libtorch.env && cargo build --release --features torch
#
# Needs Python 3.10 to 3.14 with venv, and a C++ compiler. About 450 MB to load, 1.2 GB on disk, in target/libtorch; another
# place: LIBTORCH_DIR=FOLDER; another interpreter: PYTHON=python3.12. With --python also what tools/libtorch/python.sh needs.
#
# PyTorch from PyPI is built for CUDA, and its CPU half needs two small CUDA libraries to be loaded (the runtime and CUPTI).
# The rest (cuBLAS, cuDNN, NCCL, …: 2 GB) only libtorch_cuda.so needs, which the program opens at start where all of it is
# there. So the same binary runs on the CPU here and on the GPU of a machine that has PyTorch with everything.
set -euo pipefail
cd "$(dirname "$0")/../.."

# tch 0.24 is made for exactly this libtorch; the other two are the versions that this torch names as its dependencies.
packages=(torch==2.11.0 nvidia-cuda-runtime==13.0.96 nvidia-cuda-cupti==13.0.85)
# What `import torch` and the tests import besides, and what those import; nothing depends on their versions.
python_packages=(filelock fsspec jinja2 markupsafe mpmath networkx numpy safetensors sympy typing-extensions)

die() { echo "setup.sh: $*" >&2; exit 1; }
with_python=no
case "${1:-}" in
    "") ;;
    --python) with_python=yes ;;
    -h | --help) sed -n '2,12s/^# \{0,1\}//p' "$0"; exit ;;
    *) die "unknown argument $1; see --help" ;;
esac

[ "$(uname -sm)" = "Linux x86_64" ] || die "only for Linux on x86-64; elsewhere set LIBTORCH to a libtorch 2.11 of your own"
python=${PYTHON:-python3}
command -v "$python" >/dev/null || die "no $python; install Python 3.10 or later, or set PYTHON"
command -v "${CXX:-c++}" >/dev/null || die "no C++ compiler; install g++ or clang++, or set CXX"

mkdir -p "${LIBTORCH_DIR:-target/libtorch}"
folder=$(cd "${LIBTORCH_DIR:-target/libtorch}" && pwd)
if [ ! -x "$folder/bin/pip" ]; then
    "$python" -m venv "$folder" || die "cannot make a virtual environment; on Debian: apt-get install python3-venv"
fi
install() { "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$@"; }
install --no-deps "${packages[@]}" || die "cannot install ${packages[*]} for $("$folder/bin/python" --version)"
[ "$with_python" = no ] || install --no-deps "${python_packages[@]}"

packages_folder=$(echo "$folder"/lib/python3*/site-packages)
torch=$packages_folder/torch
[ -f "$torch/lib/libtorch_cpu.so" ] || die "no libtorch_cpu.so in $torch/lib"
# libtorch finds the two CUDA libraries beside it by its own run path; the linker does not.
cat >target/libtorch.env <<EOF
export LIBTORCH="$torch"
export LIBTORCH_CXX11_ABI=1
export LD_LIBRARY_PATH="$torch/lib:$packages_folder/nvidia/cu13/lib\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}"
EOF
echo "libtorch 2.11.0 is in $torch"
echo "Now: . target/libtorch.env && cargo build --release --features torch"
