#!/usr/bin/env bash
# Tests the built binary with external programs: the MCP conformance suites, the MCP Inspector, the MCP SDKs for Python and
# TypeScript, and buf for gRPC. Needs Python and Node. Prints `N passed, N failed` at the end. CAUSEWAY=file tests that binary
# instead of a debug build.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
tools=$root/.tools
conformance=$root/tests/conformance

tests/conformance/install.sh
PATH=$(echo "$tools"/node/node_modules/node-linux-*/bin):$PATH
export PATH

causeway=${CAUSEWAY:-${CARGO_TARGET_DIR:-$root/target}/debug/causeway}
[ -n "${CAUSEWAY:-}" ] || cargo build --quiet --package causeway

work=$(mktemp -d)
started=()
cleanup() {
    for pid in "${started[@]}"; do
        kill "$pid" 2>/dev/null || true
    done
    rm -rf "$work"
}
trap cleanup EXIT

# --- the servers under test

materialise() {
    local repository
    for repository in tests/fixtures/organisation/*/; do
        repository=$work/org/$(basename "$repository")
        mkdir -p "$work/org"
        cp -R "tests/fixtures/organisation/$(basename "$repository")" "$repository"
        (
            export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
            export GIT_AUTHOR_NAME=Ada GIT_AUTHOR_EMAIL=ada@harbour.example GIT_AUTHOR_DATE='1750000000 +0000'
            export GIT_COMMITTER_NAME=Ada GIT_COMMITTER_EMAIL=ada@harbour.example GIT_COMMITTER_DATE='1750000000 +0000'
            cd "$repository"
            git init --quiet --initial-branch=main
            git add --all
            git commit --quiet --message 'The state of the art'
        )
    done
}

# serve NAME PATTERN ARGUMENT...: starts causeway with its output in NAME.log, and waits for a line with PATTERN.
serve() {
    local name=$1 pattern=$2
    shift 2
    "$causeway" --data "$work/$name" "$@" >"$work/$name.log" 2>&1 &
    started+=($!)
    if ! grep -q -m 1 "$pattern" <(timeout 60 tail -n +1 -f --pid=$! "$work/$name.log" 2>/dev/null); then
        echo "causeway $* did not print $pattern:" >&2
        cat "$work/$name.log" >&2
        exit 1
    fi
}

materialise
serve up '"event":"indexed"' --json up --listen 127.0.0.1:0 "$work/org"
url=$(grep -o 'http://127.0.0.1:[0-9]*/mcp' "$work/up.log" | head -n 1)
serve worker 'listening on' worker --listen 127.0.0.1:0 "$work/org"
grpc=http://$(grep -o '127.0.0.1:[0-9]*' "$work/worker.log" | head -n 1)
# Over stdio, each client starts its own process: first a bridge to the running server, then a process that indexes and
# answers itself.
stdio=("$causeway" --data "$work/up" mcp)
stdio_alone=("$causeway" --data "$work/alone" mcp "$work/org")
"$causeway" --data "$work/alone" index "$work/org" >"$work/index.log" 2>&1
echo "MCP at $url, gRPC at $grpc"

# --- the checks

passed=0
failed=0

# check NAME COMMAND...: runs the command, and prints its output if it fails.
check() {
    local name=$1
    shift
    if "$@" >"$work/check.log" 2>&1; then
        echo "ok      $name"
        passed=$((passed + 1))
    else
        echo "FAILED  $name"
        sed 's/^/        /' "$work/check.log" | tail -n 60
        failed=$((failed + 1))
    fi
}

# holds TEXT COMMAND...: succeeds if the command succeeds and its output contains the text.
holds() {
    local text=$1 output
    shift
    output=$("$@" 2>&1) || {
        echo "$output"
        return 1
    }
    grep -qF -- "$text" <<<"$output" || {
        echo "no \`$text\` in: $output"
        return 1
    }
}

# fails_with CODE TEXT COMMAND...: succeeds if the command ends with this code and its output contains the text.
fails_with() {
    local code=$1 text=$2 output ended=0
    shift 2
    output=$("$@" 2>&1) || ended=$?
    [[ $ended == "$code" ]] && grep -qF -- "$text" <<<"$output" || {
        echo "ended with $ended: $output"
        return 1
    }
}

# suite FOLDER BASELINE ARGUMENT...: runs a conformance suite. An unlisted failure fails it, and so does a passing scenario
# of the baseline.
suite() {
    local folder=$1 baseline=$2
    shift 2
    node "$tools/$folder/node_modules/@modelcontextprotocol/conformance/dist/index.js" server --url "$url" \
        --output-dir "$work/results" --expected-failures "$conformance/$baseline" "$@"
}

inspector() {
    node "$tools/inspector/node_modules/.bin/mcp-inspector" --cli "$@"
}

# portable ARGUMENT...: succeeds if the Inspector lists the tools without a warning about their schemas.
portable() {
    local warnings
    warnings=$(inspector "$@" --method tools/list --strict 2>&1 >"$work/tools.json") || {
        echo "$warnings"
        return 1
    }
    if [[ -n $warnings ]] || ! grep -q '"search_codebase"' "$work/tools.json"; then
        echo "$warnings"
        return 1
    fi
}

buf=$tools/buf/node_modules/.bin/buf
call() {
    "$buf" curl --protocol grpc --http2-prior-knowledge "$@"
}

check 'conformance 0.1.16' suite conformance-2025 baseline-0.1.16.yml
check 'conformance 0.2, 2025-11-25' suite conformance-2026 baseline-2025-11-25.yml --requirements 2025-11-25
check 'conformance 0.2, 2026-07-28' suite conformance-2026 baseline-2026-07-28.yml --requirements 2026-07-28

check 'Inspector: tools are portable' portable "$url" --transport http
check 'Inspector: tools are portable over stdio' portable "${stdio[@]}"
for era in legacy modern; do
    check "Inspector: a search, $era" holds parcel-kit inspector "$url" --transport http --protocol-era "$era" \
        --method tools/call --tool-name search_codebase --tool-arg query=checkDigit --format json
done
check 'Inspector: an error is an error' fails_with 5 'known' inspector "$url" --transport http --method tools/call \
    --tool-name search_codebase --tool-arg query=x --tool-arg repo=nobody --format json

check 'Python SDK' "$tools/python/bin/python" tests/clients/client.py "$url" "${stdio[@]}"
check 'Python SDK, without a server' "$tools/python/bin/python" tests/clients/client.py "$url" "${stdio_alone[@]}"
check 'TypeScript SDK 1' node tests/clients/client_v1.mjs "$tools/sdk-v1" "$url" "${stdio[@]}"
check 'TypeScript SDK 2' node tests/clients/client_v2.mjs "$tools/sdk-v2" "$url" "${stdio[@]}"

check 'buf lint' "$buf" lint proto
check 'gRPC reflection' holds causeway.v1.ShardService call --list-services "$grpc"
for version in v1 v1alpha; do
    check "gRPC reflection $version" holds Fetch call --reflect-protocol "grpc-$version" --list-methods "$grpc"
done
check 'gRPC health' holds SERVING call -d '{}' "$grpc/grpc.health.v1.Health/Check"
check 'gRPC health of the shards' holds SERVING \
    call -d '{"service":"causeway.v1.ShardService"}' "$grpc/grpc.health.v1.Health/Check"
check 'gRPC health of an unknown service' fails_with 40 not_found \
    call -d '{"service":"nobody.v1.Service"}' "$grpc/grpc.health.v1.Health/Check"
check 'gRPC call' holds '"idle": true' call -d '{}' "$grpc/causeway.v1.IndexingService/Status"

echo "$passed passed, $failed failed"
[[ $failed == 0 ]]
