#!/usr/bin/env bash
# Walks through the web pages of the built binary with a browser. Needs Node with npm, and Chromium (Debian: `apt install chromium`),
# whose path may be given as CHROMIUM. Installs playwright-core and axe-core below tests/web.
set -euo pipefail
cd "$(dirname "$0")/../.."

chromium=${CHROMIUM:-/usr/bin/chromium}
for needed in node npm git curl "$chromium"; do
    command -v "$needed" >/dev/null || { echo "web-check needs $needed, which was not found" >&2; exit 2; }
done
export CHROMIUM=$chromium
(cd tests/web && npm install --no-audit --no-fund --no-save --silent)

# The program of a release answers within 50 ms; a debug build does not.
export MAX_FIRST_BYTE_MS=${MAX_FIRST_BYTE_MS:-$([ -n "${CAUSEWAY:-}" ] && echo 50 || echo 1500)}
causeway=${CAUSEWAY:-${CARGO_TARGET_DIR:-target}/debug/causeway}
[ -n "${CAUSEWAY:-}" ] || cargo build --quiet --package causeway
make --no-print-directory example

work=$(mktemp -d)
started=()
cleanup() {
    for pid in "${started[@]}"; do kill "$pid" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT

token=web-check-token
cat >"$work/limited.toml" <<EOF
[[access.token]]
name = "reader"
sha256 = "$(printf %s "$token" | sha256sum | cut -d' ' -f1)"
repositories = ["parcel-kit"]
EOF

# Starts a server on a free port, and prints its address.
start() {
    local name=$1
    shift
    "$causeway" --data "$work/$name" up target/example --listen 127.0.0.1:0 "$@" >"$work/$name.log" 2>&1 &
    started+=($!)
    for _ in $(seq 300); do
        url=$(grep -o 'http://127.0.0.1:[0-9]*' "$work/$name.log" | head -1 || true)
        [ -n "$url" ] && return
        sleep 0.2
    done
    cat "$work/$name.log" >&2
    exit 1
}
start open
open=$url
start limited --config "$work/limited.toml"
node tests/web/walk.mjs "$open" "$url" "$token"

# PICTURES=docs/images makes the pictures of the README again.
if [ -n "${PICTURES:-}" ]; then
    WIDTH=1000 HEIGHT=560 node tests/web/shots.mjs "$open" "$PICTURES" map=/ \
        'evidence=/links?user=customer-portal&provider=tracking-service'
    rm "$PICTURES/evidence-dark.png"
fi
