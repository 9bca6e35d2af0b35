#!/usr/bin/env bash
# Runs the stress tests of the searchers under ThreadSanitizer: tools/tsan.sh [FILTER]
#
# Only this workspace and its dependencies are instrumented. The standard library is not, so that its channel, by which the
# test harness learns of a finished test, looks like a race; that alone is suppressed.
set -euo pipefail
cd "$(dirname "$0")/.."

suppressions=$(mktemp)
trap 'rm -f "$suppressions"' EXIT
echo "race:std::sync::mpmc" >"$suppressions"

export RUSTC_BOOTSTRAP=1
export RUSTFLAGS="-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer -Ctarget-cpu=x86-64-v3"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/tsan"
export TSAN_OPTIONS="halt_on_error=1 suppressions=$suppressions ${TSAN_OPTIONS:-}"
cargo test --target x86_64-unknown-linux-gnu --lib -- --test-threads=1 "${1:-stress}"
