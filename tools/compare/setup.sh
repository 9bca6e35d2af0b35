#!/bin/sh
# Makes the virtual environment of the comparisons, target/compare-venv, and installs the pinned peers into it.
# Needs Python 3.11 or later. Another interpreter: PYTHON=python3.12 tools/compare/setup.sh
set -eu
cd "$(dirname "$0")/../.."
venv=target/compare-venv
"${PYTHON:-python3}" -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check -r tools/compare/requirements.txt
"$venv/bin/python" -c 'import pyspiel; print(len(pyspiel.registered_games()), "games of OpenSpiel are ready")'
echo "Now: $venv/bin/python tools/compare/openspiel.py"
