#!/usr/bin/env bash
# Runs what uses many threads under ThreadSanitizer, over and over: tools/tsan.sh [MINUTES] [FILTER …]
#
# Without minutes every test runs once: the stress tests of the searchers and of evaluation. PROGRAM=1 adds those that go
# through all games, which are compiled for it.
# Only this workspace and its dependencies are instrumented. The standard library is not, so that some of it looks like races:
# its channel, by which the test harness learns of a finished test, and how it drops the last Arc, by a fence that the sanitizer
# does not know. These are suppressed. Its mutex, once threads wait for it, and the end of a scope whose threads are not joined
# one by one look so, too: what uses these (the batches of `nets`, the server) cannot be run here.
set -euo pipefail
cd "$(dirname "$0")/.."
minutes=${1:-0}
(($# > 1)) || set -- "$minutes" stress

suppressions=$(mktemp)
binaries=$(mktemp)
trap 'rm -f "$suppressions" "$binaries"' EXIT
printf 'race:%s\n' std::sync::mpmc library/alloc/src/sync.rs >"$suppressions"

export RUSTC_BOOTSTRAP=1
export RUSTFLAGS="-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer -Ctarget-cpu=x86-64-v3"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/tsan"
export TSAN_OPTIONS="halt_on_error=1 suppressions=$suppressions ${TSAN_OPTIONS:-}"

# Built once: what is edited while it runs changes nothing.
parts=(-p treeline-search --lib)
[ -z "${PROGRAM:-}" ] || parts+=(-p treeline --test all)
cargo test --target x86_64-unknown-linux-gnu --no-run "${parts[@]}" 2>&1 | tee "$binaries"
mapfile -t tests < <(sed -n 's/^ *Executable.*(\(.*\))$/\1/p' "$binaries")
((${#tests[@]} > 0)) || { echo "no test was built" >&2; exit 1; }

# Minutes are those of tests, without building.
SECONDS=0
rounds=0
ran=0
until ((rounds > 0 && SECONDS >= 60 * minutes)); do
    for test in "${tests[@]}"; do
        output=$("$test" --test-threads=1 "${@:2}" 2>&1) || { echo "$output"; exit 1; }
        here=$(sed -n 's/^test result: ok\. \([0-9]*\) passed.*/\1/p' <<<"$output")
        ran=$((ran + here))
    done
    rounds=$((rounds + 1))
    echo "$(date -u +%H:%M:%S) round $rounds, $ran tests so far, $SECONDS s"
done
((ran > 0)) || { echo "no test is called so" >&2; exit 1; }
