#!/usr/bin/env bash
# Builds the release program for an old glibc, and makes all packages from it, in target/dist. `make dist` runs it.
# LINK=1 links the crates of `make build` again, for glibc 2.28, and compiles nothing else. It fails to link if the C library of this
# machine is 2.38 or later, whose headers name newer functions.
# BINARY=FILE packages a program that is already built, and labels the packages with the glibc that it needs. BASE_URL=URL is the
# address of the release in `server.json`. Needs cargo, a C compiler, python3 with venv, npm and dpkg-deb.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${DIST_TARGET:-x86_64-unknown-linux-gnu}
tools=$PWD/.tools/packaging
built=${CARGO_TARGET_DIR:-target}

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
elif [[ -n ${LINK:-} ]]; then
    [[ $target == *-linux-gnu ]] || { echo "LINK is for programs of glibc, and not for $target" >&2; exit 2; }
    export PATH=$tools/bin:$PATH CARGO_ZIGBUILD_PYTHON_PATH=$tools/bin/python
    linker=$tools/bin/link-$target
    printf '#!/bin/sh\nexec cargo-zigbuild zig cc -- -target %s-linux-gnu.2.28 "$@"\n' "${target%%-*}" >"$linker"
    chmod +x "$linker"
    cargo rustc --release --locked --package causeway --bin causeway -- -C linker="$linker"
    BINARY=$built/release/causeway
else
    export PATH=$tools/bin:$PATH CARGO_ZIGBUILD_PYTHON_PATH=$tools/bin/python
    echo "building for $target, from the first crate on: nothing of other builds is used"
    case $target in
    *-linux-gnu) cargo zigbuild --release --locked --package causeway --target "$target.2.28" ;;
    *-linux-musl) cargo zigbuild --release --locked --package causeway --target "$target" ;;
    *) cargo build --release --locked --package causeway --target "$target" ;;
    esac
    BINARY=$built/$target/release/causeway
fi

[[ -z ${BASE_URL:-} ]] || options+=(--base-url "$BASE_URL")
"$tools/bin/python" packaging/dist.py --binary "$BINARY" --target "$target" --output target/dist "${options[@]}"
