#!/usr/bin/env bash
# Builds the package as `pip install .` does, in a virtual environment of its own (target/python-venv), and runs its tests.
# Arguments go to pytest. Needs Rust and Python 3.10 or later with venv; PYTHON=python3.12 takes another one.
# What is tested is what users install, a release build, which shares with `cargo build --release` all but the package itself.
# PROFILE=dev builds with that profile of Cargo.toml instead.
set -euo pipefail
cd "$(dirname "$0")"
python=${PYTHON:-python3}
if ! "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    echo "$python is no Python 3.10 or later with venv: install one (python3-venv), or name it by PYTHON=…" >&2
    exit 2
fi
venv=../target/python-venv
[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
pip=("$venv/bin/python" -m pip --quiet --disable-pip-version-check)
"${pip[@]}" install -r tests/requirements.txt
MATURIN_PEP517_ARGS="--profile ${PROFILE:-release}" "${pip[@]}" install .
# From their folder: here `treeline` would be the sources, which lack the compiled module.
cd tests
"../$venv/bin/python" -m pytest -q "$@"
