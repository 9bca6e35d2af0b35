#!/usr/bin/env bash
# Runs the stress tests of the searchers under ThreadSanitizer: tools/tsan.sh [FILTER]
#
# The standard library is not instrumented, so that only this crate's own accesses are watched; its locks and thread starts
# are known to ThreadSanitizer through their system calls and futex-free fast paths through the atomics inlined here.
set -euo pipefail
cd "$(dirname "$0")/.."

export RUSTC_BOOTSTRAP=1
export RUSTFLAGS="-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer -Ctarget-cpu=x86-64-v3"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/tsan"
export TSAN_OPTIONS="halt_on_error=1 ${TSAN_OPTIONS:-}"
exec cargo test --target x86_64-unknown-linux-gnu --lib -- --test-threads=1 "${1:-stress}"
