#!/usr/bin/env bash
# Tests learning and matches on Ray's own test cluster of three nodes, in a virtual environment of their own (target/ray-venv).
# Arguments go to pytest. Needs the program (target/release/treeline, or PROGRAM=…) and a Python with wheels of Ray (PYTHON=python3.11).
set -euo pipefail
cd "$(dirname "$0")"
program=$(realpath -m "${PROGRAM:-../../target/release/treeline}")
python=${PYTHON:-python3}
skip() {
    echo "== SKIPPED: learning and matches on Ray: $1" >&2
    exit 0
}
[ -x "$program" ] || skip "no program at $program; cargo build --release makes it"
"$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || skip "$python is no Python 3.11 with venv"
venv=../../target/ray-venv
[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
"$venv/bin/python" -m pip --quiet --disable-pip-version-check install -r requirements.txt || skip "Ray has no wheel for $python"
TREELINE="$program" "$venv/bin/python" -m pytest -q tests "$@"
