#!/bin/sh
# An engine that plays Connect Four column by column until it misbehaves.
#
#   faulty.sh gtp|hub|nboard PHASE HOW [SLEEP]
#
# PHASE is start, setup, play, genmove or quit; HOW one of the cases below. SLEEP is for how long it hangs, so that a test
# finds the process by it.
protocol=$1 phase=$2 how=$3 nap=${4:-1000}
count=0 asked=0

ok() { printf '=%s %s\n\n' "$id" "$1"; }

# Misbehaves if it is time; true where the command is answered by that.
now() {
  [ "$phase" = "$1" ] || return 1
  case $how in
    hang) sleep "$nap" ;;
    slow) sleep 2; return 1 ;;
    flood-reply) printf '='; yes flood ;;
    flood-line) yes '= flood' | tr '\n' ' ' ;;
    flood-garbage) yes garbage ;;
    # Without end, but at a rate that leaves the machine to others.
    flood-blank) while head -c 65536 /dev/zero | tr '\0' '\n'; do sleep 0.02; done ;;
    garbage) echo 'Segmentation fault (core dumped)' ;;
    binary) printf '\377\376\000\001\n' ;;
    exit) echo 'out of luck' >&2; exit 3 ;;
    close) exec 1>&-; sleep "$nap" ;;
    refuse) printf '?%s no\n\n' "$id" ;;
    wrong-id) printf '=4711 a\n\n' ;;
    illegal) ok z9 ;;
    empty) ok '' ;;
    error) echo 'error message="bad position"' ;;
    wrong-move) echo 'done move=1-50'; echo '=== A1/0/0' ;;
    # As flood-blank.
    noise) while yes noise | head -c 8192 >&2; do sleep 0.02; done ;;
  esac
}

gtp() {
  while read -r id command rest; do
    case $command in
      name) now start || ok faulty ;;
      boardsize) now setup || ok '' ;;
      play) now play || ok '' ;;
      genmove)
        asked=$((asked + 1))
        if [ "$asked" -lt 2 ] || ! now genmove; then
          count=$((count % 7 + 1))
          ok "$(printf abcdefg | cut -c $count)"
        fi ;;
      quit) now quit || ok ''; exit 0 ;;
      *) ok '' ;;
    esac
  done
}

hub() {
  while read -r command rest; do
    case $command in
      hub) now start || { echo 'id name=faulty version=1'; echo wait; } ;;
      init) echo ready ;;
      ping) now setup || echo pong ;;
      go) now genmove ;;
      quit) exit 0 ;;
    esac
  done
}

nboard() {
  while read -r command rest; do
    case $command in
      nboard) now start ;;
      set) now setup ;;
      ping) echo "pong $rest" ;;
      go) now genmove ;;
      quit) exit 0 ;;
    esac
  done
}

case $protocol in
  gtp | hub | nboard) $protocol ;;
esac
