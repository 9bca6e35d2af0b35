#!/usr/bin/env bash
# Fuzzes with AddressSanitizer on the stable compiler, target after target: tools/fuzz.sh MINUTES [TARGET …]
#
# Without targets each gets its part of the minutes. What is found new goes into target/fuzz/corpus, beside the inputs of
# fuzz/corpus, and what fails into target/fuzz/artifacts: `target/fuzz/bin/TARGET FILE` repeats it. SANITIZER=none checks no
# addresses and is about twice as fast. Needs a C++ compiler.
set -euo pipefail
cd "$(dirname "$0")/.."
minutes=${1:?how many minutes}
shift
(($# > 0)) || set -- $(sed -n 's/^path = "fuzz_targets\/\(.*\)\.rs"$/\1/p' fuzz/Cargo.toml)

# What cargo-fuzz passes, too. For a target of its own, so that what runs while building is not instrumented.
export RUSTC_BOOTSTRAP=1
coverage="-Cpasses=sancov-module"
for word in level=4 inline-8bit-counters pc-table trace-compares; do
    coverage+=" -Cllvm-args=-sanitizer-coverage-$word"
done
export RUSTFLAGS="$coverage --cfg fuzzing -Ctarget-cpu=x86-64-v3"
case "${SANITIZER:-address}" in
    none) ;;
    *) RUSTFLAGS+=" -Zsanitizer=${SANITIZER:-address} -Cunsafe-allow-abi-mismatch=sanitizer" ;;
esac
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}/fuzz"
bin=$CARGO_TARGET_DIR/bin
cargo build --manifest-path fuzz/Cargo.toml --release --target x86_64-unknown-linux-gnu
mkdir -p "$bin" "$CARGO_TARGET_DIR/artifacts"
for target in "$@"; do
    cp "$CARGO_TARGET_DIR/x86_64-unknown-linux-gnu/release/$target" "$bin/"
done
# Built; what is edited while it runs changes nothing.
for target in "$@"; do
    mkdir -p "$CARGO_TARGET_DIR/corpus/$target"
    echo "$(date -u '+%F %H:%M:%S') $target"
    case "$target" in
        # What their threads hold while an input ends looks like leaks; those of the whole process are still told when it ends.
        dialogue | tcp) words=(-dict=fuzz/dict/gtp.dict -detect_leaks=0) ;;
        sgf) words=(-dict=fuzz/dict/sgf.dict) ;;
        matches | runs) words=(-dict=fuzz/dict/toml.dict) ;;
        *) words=() ;;
    esac
    "$bin/$target" "$CARGO_TARGET_DIR/corpus/$target" "fuzz/corpus/$target" "${words[@]}" \
        "-artifact_prefix=$CARGO_TARGET_DIR/artifacts/$target-" -max_total_time=$((60 * minutes / $#)) -max_len=8192 \
        -timeout=60 -rss_limit_mb=4096 -print_final_stats=1
done
