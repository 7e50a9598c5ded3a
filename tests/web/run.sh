#!/usr/bin/env bash
# Walks through the web pages of the built binary with a browser. Needs Node with npm, and Chromium (Debian: `apt install chromium`),
# whose path may be given as CHROMIUM. CAUSEWAY=FILE walks through those of a release program. Installs playwright-core and axe-core below
# tests/web.
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

# Starts a server of a folder on a free port. Its address is in `url` then.
start() {
    local name=$1 folder=$2
    shift 2
    [[ " $* " == *" --listen "* ]] || set -- "$@" --listen 127.0.0.1:0
    "$causeway" --data "$work/$name" up "$folder" "$@" >"$work/$name.log" 2>&1 &
    started+=($!)
    for _ in $(seq 600); do
        url=$(grep -o 'http://127.0.0.1:[0-9]*' "$work/$name.log" | head -1 || true)
        [ -n "$url" ] && return
        sleep 0.2
    done
    cat "$work/$name.log" >&2
    exit 1
}
start open target/example
open=$url
start limited target/example --config "$work/limited.toml"
limited=$url

# A gateway with sign-in at an authorisation server, which must know the address of the gateway.
port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
node tests/web/issuer.mjs "http://127.0.0.1:$port/mcp" >"$work/issuer.log" 2>&1 &
started+=($!)
for _ in $(seq 100); do
    issuer=$(grep -o 'http://localhost:[0-9]*' "$work/issuer.log" || true)
    [ -n "$issuer" ] && break
    sleep 0.1
done
cat >"$work/oauth.toml" <<EOF
[access.oauth]
issuer = "$issuer"
resource = "http://127.0.0.1:$port/mcp"
jwks_url = "$issuer/keys"

[access.oauth.sign_in]
client_id = "pages"

[[access.oauth.rule]]
claim = "sub"
value = "ada"
repositories = ["parcel-kit"]
EOF
start oauth target/example --config "$work/oauth.toml" --listen "127.0.0.1:$port"
oauth=$url

# A system whose map is cards.
node tests/web/organisation.mjs "$work/organisation" 60
start large "$work/organisation"
node tests/web/walk.mjs "$open" "$limited" "$token" "$oauth" "$url"

# PICTURES=docs/images makes the pictures of the README again.
if [ -n "${PICTURES:-}" ]; then
    WIDTH=1000 HEIGHT=560 node tests/web/shots.mjs "$open" "$PICTURES" map=/ \
        'evidence=/links?user=customer-portal&provider=tracking-service'
    rm "$PICTURES/evidence-dark.png"
fi
