#!/bin/sh
# Makes the virtual environment of the opponents that are Python libraries, target/opponents, from PyPI.
# Needs Python 3.11 or later. Another interpreter: PYTHON=python3.12 tools/opponents/setup.sh
set -eu
cd "$(dirname "$0")/../.."
"${PYTHON:-python3}" -m venv target/opponents
target/opponents/bin/pip install --quiet --disable-pip-version-check -r tools/opponents/requirements.txt
echo "BitBully, OpenSpiel and onnxruntime are ready in target/opponents"
