#!/bin/sh
# Builds the agent and the tools against a Ludii.jar. Needs a JDK, 8 or later.
set -eu

if [ $# -lt 1 ] || [ $# -gt 2 ] || [ ! -f "$1" ]; then
    echo "usage: build.sh /path/to/Ludii.jar [OUTPUT FOLDER]" >&2
    [ $# -ge 1 ] && [ ! -f "$1" ] && echo "build.sh: there is no file $1" >&2
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
ludii=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
out=${2:-$here/../../target/ludii}
for tool in javac jar; do
    command -v "$tool" >/dev/null || { echo "build.sh: $tool is missing; install a JDK" >&2; exit 1; }
done

rm -rf "$out/classes"
mkdir -p "$out/classes"
out=$(cd "$out" && pwd)
# Ludii runs on Java 8. A JDK 8 has no --release and needs none.
release="--release 8"
javac --help 2>&1 | grep -q -e --release || release=""
# shellcheck disable=SC2086
javac $release -Xlint:-options -encoding UTF-8 -cp "$ludii" -d "$out/classes" \
    "$here"/src/treeline/ludii/*.java "$here"/src/treeline/ludii/tools/*.java
cd "$out/classes"
jar cf "$out/treeline-agent.jar" treeline/ludii/*.class
jar cf "$out/treeline-ludii-tools.jar" treeline/ludii/tools
rm -rf "$out/classes"
echo "$out/treeline-agent.jar"
