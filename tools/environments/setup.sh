#!/bin/sh
# Makes the virtual environment of `treeline learn --environment`, target/environments, with Gymnasium and the Arcade Learning
# Environment, whose games are in its package. Needs Python 3.10 or later. Another interpreter: PYTHON=python3.12 tools/environments/setup.sh
set -eu
cd "$(dirname "$0")/../.."
venv=target/environments
"${PYTHON:-python3}" -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check -r tools/environments/requirements.txt
"$venv/bin/python" -c 'import ale_py, cv2, gymnasium; print("Gymnasium", gymnasium.__version__, "and ale-py", ale_py.__version__, "are ready")'
