#!/usr/bin/env bash
# Makes the archives of a release: tools/release/build.sh [TARGET …]; by default Linux on x86-64 and on aarch64.
#
# target/archives/ then has an archive for each target (the stripped binary, README, LICENSE, completions for shells, manual
# pages) and SHA256SUMS. Every binary is started once: a foreign one, and on x86-64 the message for old processors, under
# qemu. PROFILE=dev tries the script out; archives to give away are of the profile dist.
#
# Needs, beside Rust, for a foreign target its standard library (rustup fetches it), a linker and qemu; on Debian:
#   apt-get install gcc-aarch64-linux-gnu qemu-user
# The binaries need the C library (glibc) of the system they are built on, or a later one.
set -euo pipefail
cd "$(dirname "$0")/../.."

profile=${PROFILE:-dist}
[ $# -gt 0 ] || set -- x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu
host=$(rustc -vV | sed -n 's/^host: //p')
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
built=${CARGO_TARGET_DIR:-target}
archives=$PWD/target/archives
date=$(git log -1 --format=%ct)

fail() {
    echo "build.sh: $1" >&2
    exit 1
}

# The first of the programs that is there.
first() {
    local program
    for program; do
        command -v "$program" && return
    done
    return 1
}

# One in $folder of the words; a foreign binary runs under qemu.
emulator=()
start() {
    "${emulator[@]}" "$folder/treeline" "$@"
}

rm -rf "$archives"
mkdir -p "$archives"
for target; do
    echo "== $target"
    processor=${target%%-*}
    if [ ! -d "$(rustc --print target-libdir --target "$target")" ]; then
        rustup target add "$target" || fail "no standard library for $target, and rustup cannot fetch it"
    fi
    emulator=()
    if [ "$target" != "$host" ]; then
        gnu=$processor-linux-gnu
        linker=$(first "$gnu-gcc") || fail "no linker $gnu-gcc for $target"
        name=$(tr a-z- A-Z_ <<<"$target")
        export "CARGO_TARGET_${name}_LINKER=$linker" "CC_${target//-/_}=$linker"
        emulator=("$(first "qemu-$processor" "qemu-$processor-static")") || fail "no qemu-$processor to start it with"
        export QEMU_LD_PREFIX=/usr/$gnu
    fi
    if [ "$target" = "$host" ]; then
        cargo build --locked --profile "$profile" --bin treeline
        binary=$built/$profile/treeline
    else
        cargo build --locked --profile "$profile" --target "$target" --bin treeline
        binary=$built/$target/$profile/treeline
    fi

    folder=$archives/treeline-$version-$target
    mkdir -p "$folder/completions" "$folder/man"
    cp "${binary/\/dev\//\/debug\/}" README.md LICENSE "$folder/"

    start --version
    reply=$(printf 'set_game breakthrough\nset_searcher greedy\ngenmove b\nquit\n' | start)
    grep -qE '^= [a-h][1-8][a-h][1-8]$' <<<"$reply" || fail "it does not play: $reply"
    if [ "$processor" = x86_64 ] && old=$(first qemu-x86_64 qemu-x86_64-static); then
        # With its flags it must say what is missing; a build without them runs.
        said=$("$old" -cpu Nehalem "$folder/treeline" --version 2>&1) || grep -q 'this one lacks' <<<"$said" ||
            fail "an old processor is not told what it lacks: $said"
    fi

    start completions bash >"$folder/completions/treeline.bash"
    start completions zsh >"$folder/completions/_treeline"
    start completions fish >"$folder/completions/treeline.fish"
    start completions powershell >"$folder/completions/_treeline.ps1"
    start completions elvish >"$folder/completions/treeline.elv"
    start man "$folder/man"

    # The same commit gives the same archive, whenever and by whomever it is packed.
    tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$date" -C "$archives" -c "$(basename "$folder")" |
        gzip -n9 >"$folder.tar.gz"
    rm -r "$folder"
done
cd "$archives"
sha256sum -- *.tar.gz | tee SHA256SUMS
