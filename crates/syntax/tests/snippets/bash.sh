#!/usr/bin/env bash
# File doc.

source ./lib.sh
. other.sh
LIMIT=3
export NAME=x
readonly R=1
# Doc of run.
run() {
  local a=1
  helper "$a" | grep x
  $(inner 1)
}
function other { run; }
