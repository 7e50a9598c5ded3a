#!/usr/bin/env bash
# Builds the release program for an old glibc, and makes all packages from it, in target/dist. `make dist` runs it.
# BINARY=FILE packages a program that is already built, and labels the packages with the glibc that it needs. BASE_URL=URL is the
# address of the release in `server.json`. Needs cargo, a C compiler, python3 with venv, npm and dpkg-deb.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${DIST_TARGET:-x86_64-unknown-linux-gnu}
tools=$PWD/.tools/packaging

wanted=$(cat packaging/requirements.txt)
if [[ $(cat "$tools/installed" 2>/dev/null) != "$wanted" ]]; then
    echo 'installing the packaging tools'
    rm -rf "$tools"
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check --requirement packaging/requirements.txt
    echo "$wanted" >"$tools/installed"
fi

options=()
if [[ -n ${BINARY:-} ]]; then
    # A program for the machine that it was built on is good enough for a trial of the packages.
    options=(--any-glibc)
else
    export PATH=$tools/bin:$PATH CARGO_ZIGBUILD_PYTHON_PATH=$tools/bin/python
    echo "building for $target, from the first crate on: nothing of other builds is used"
    case $target in
    *-linux-gnu) cargo zigbuild --release --locked --package causeway --target "$target.2.28" ;;
    *-linux-musl) cargo zigbuild --release --locked --package causeway --target "$target" ;;
    *) cargo build --release --locked --package causeway --target "$target" ;;
    esac
    BINARY=target/$target/release/causeway
fi

[[ -z ${BASE_URL:-} ]] || options+=(--base-url "$BASE_URL")
"$tools/bin/python" packaging/dist.py --binary "$BINARY" --target "$target" --output target/dist "${options[@]}"
