#!/bin/sh
# Runs one of the tools: run.sh bridge|match|rules ARGUMENTS. LUDII_JAR says where Ludii is, LUDII_CLASSPATH where further
# agents for the bridge are.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
built=${TREELINE_LUDII:-$here/../../target/ludii}
if [ -z "${LUDII_JAR:-}" ] || [ ! -f "$LUDII_JAR" ]; then
    echo "run.sh: set LUDII_JAR to the path of a Ludii.jar" >&2
    exit 2
fi
if [ ! -f "$built/treeline-agent.jar" ]; then
    echo "run.sh: $built/treeline-agent.jar is missing; first run $here/build.sh \"\$LUDII_JAR\"" >&2
    exit 2
fi
agent=$built/treeline-agent.jar
tools=$built/treeline-ludii-tools.jar
tool=${1:-}
[ $# -gt 0 ] && shift
# shellcheck disable=SC2086
case $tool in
    bridge) exec java ${JAVA_OPTS:-} -cp "$LUDII_JAR:$agent:$tools${LUDII_CLASSPATH:+:$LUDII_CLASSPATH}" treeline.ludii.tools.Bridge "$@" ;;
    rules) exec java ${JAVA_OPTS:-} -cp "$LUDII_JAR:$agent" treeline.ludii.RulesCheck "$@" ;;
    match) exec java ${JAVA_OPTS:-} -cp "$LUDII_JAR:$tools" treeline.ludii.tools.Match "$agent" "$@" ;;
    *) echo "usage: run.sh bridge|match|rules ARGUMENTS" >&2; exit 2 ;;
esac
