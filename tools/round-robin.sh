#!/usr/bin/env bash
# Plays the candidates for `auto` against each other in every game (or those named) and prints Markdown.
#
#   tools/round-robin.sh [--games N] [--seconds S] [GAME ...]
#
# Everything is kept in target/matches/GAME-S/: games, table, plot. An interrupted run goes on where it stopped.
set -euo pipefail
cd "$(dirname "$0")/.."
games=20 seconds=0.1
while [[ ${1:-} == --* ]]; do
  case $1 in
    --help) sed -n '2,6s/^# \{0,1\}//p' "tools/${0##*/}"; exit 0 ;;
    --games) games=${2:?--games takes a number} ;;
    --seconds) seconds=${2:?--seconds takes a number} ;;
    *) echo "unknown: $1" >&2; exit 2 ;;
  esac
  shift 2
done
candidates() {
  case $1 in
    breakthrough) printf '%s\n' alpha-beta ubfm mcts-bl-im mcts-bl-prime mcts ;;
    lines-of-action) printf '%s\n' alpha-beta ubfm mcts-im-loa mcts ;;
    kalah) printf '%s\n' alpha-beta ubfm mcts-im-kalah mcts ;;
    hex) printf '%s\n' alpha-beta ubfm mcts 'mcts grave=100 exploration=0' ;;
    *) printf '%s\n' alpha-beta ubfm mcts 'mcts alpha=0.4' ;;
  esac
}
mkdir -p target/matches
chosen=("$@")
[[ ${#chosen[@]} -gt 0 ]] || mapfile -t chosen < <(printf 'list_games\nquit\n' | target/release/treeline | sed -n 's/^= //;/./p' | sort -u)
for game in "${chosen[@]}"; do
  players=()
  while read -r player; do players+=(--player "$player"); done < <(candidates "$game")
  printf '\n## %s\n\n' "$game"
  target/release/treeline match "$game" "${players[@]}" --games "$games" --seconds "$seconds" \
    --results "target/matches/$game-$seconds"
done
