#!/usr/bin/env bash
# Python with the PyTorch of setup.sh --python, on the CPU: tools/libtorch/python.sh ARGUMENTS OF PYTHON
# The PyTorch of another environment: TORCH_PYTHON=venv/bin/python tools/libtorch/python.sh …
#
# PyTorch's Python half is linked to libraries of CUDA that setup.sh leaves out, and cannot be imported without them. So they
# are imitated by a library in which each missing name is there and does nothing. Nothing of it is called on a machine
# without a GPU but a few registrations at the start. Where PyTorch can be imported as it is, nothing is imitated.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
python=${TORCH_PYTHON:-${LIBTORCH_DIR:-$here/target/libtorch}/bin/python}
[ -x "$python" ] || { echo "python.sh: no $python; run tools/libtorch/setup.sh --python" >&2; exit 1; }
[ -z "${LD_PRELOAD:-}" ] && "$python" -c 'import torch' 2>/dev/null && exec "$python" "$@"

lib=$("$python" -c 'import importlib.util as u; print(u.find_spec("torch").submodule_search_locations[0])')/lib
stubs=$here/target/libtorch-stubs
if [ ! "$stubs/libtorch_cuda.so" -nt "$lib/libtorch_python.so" ] || [ "$(cat "$stubs/of" 2>/dev/null)" != "$lib" ]; then
    new=$(mktemp -d)
    trap 'rm -rf "$new"' EXIT
    # Several may come here at once: each builds its own, the last to finish stays.
    names() { nm -D "$@" | awk '{ print $NF }' | sed 's/@.*//' | sort -u; }
    names --undefined-only "$lib/libtorch_python.so" >"$new/wanted"
    for cuda in libtorch_cuda libtorch_nvshmem libtorch_cuda_linalg; do names --defined-only "$lib/$cuda.so"; done |
        sort -u | comm -12 "$new/wanted" - >"$new/missing"
    grep -E '^(cudnn|cuFile)' "$new/wanted" >>"$new/missing"
    {
        echo .data
        # Run-time type information must name something, since it is compared when classes are registered.
        sed -n 's/^_ZTI\(.*\)/.globl _ZTI\1\n.balign 8\n_ZTI\1: .quad _ZTVN10__cxxabiv117__class_type_infoE+16, 1f\n1: .asciz "\1"/p' "$new/missing"
        sed -n 's/^_ZTV.*/.globl &\n.balign 8\n&: .zero 256/p' "$new/missing"
        echo .text
        sed -n '/^_ZT/!s/.*/.globl &\n.type &,@function\n&:/p' "$new/missing"
        # The address of zeros: good as a reference to something empty, and as a false truth value since its last byte is 0.
        printf '%s\n' 'lea zeros(%rip),%rax' ret .bss '.balign 4096' 'zeros: .zero 65536' '.section .note.GNU-stack,"",@progbits'
    } >"$new/cuda.s"
    cc -shared -o "$new/libtorch_cuda.so" "$new/cuda.s" -Wl,-soname,libtorch_cuda.so -lstdc++
    for empty in libcudnn.so.9 libcufile.so.0; do
        cc -shared -x c /dev/null -o "$new/$empty" -Wl,-soname,"$empty"
    done
    mkdir -p "$stubs"
    mv "$new"/*.so* "$stubs"
    echo "$lib" >"$stubs/of"
    rm -rf "$new"
fi
LD_PRELOAD=$(printf '%s:' "$stubs"/*.so*) exec "$python" "$@"
