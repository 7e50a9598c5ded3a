#!/usr/bin/env bash
# Installs each package of target/dist into an empty environment, indexes the example organisation with it, and asks it over MCP.
# Prints the commands and seconds from nothing to the first answer. `make dist-check` runs it after `make dist`.
# OLD=FILE also tries an upgrade from that program and a rollback to it. TABLE=docs/install.md writes the figures into that page. Needs python3 with venv, npm, dpkg and git.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
dist=$root/target/dist
example=$root/target/example
tools=$root/.tools/packaging/bin
python=$tools/python
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
rows=()

name=$("$python" -c 'import sys; sys.path.insert(0, "packaging"); import names; print(names.NAME)')
(cd "$dist" && sha256sum --check --quiet SHA256SUMS)

# clean COMMAND...: runs a command with an empty home folder and without the variables of this shell.
clean() {
    env -i PATH="$PATH" HOME="$work/home" LANG=C.UTF-8 "$@"
}

# seconds COMMAND...: runs a quiet command, and prints its seconds.
seconds() {
    local begin=$EPOCHREALTIME
    "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
    awk -v begin="$begin" -v end="$EPOCHREALTIME" 'BEGIN { printf "%.1f", end - begin }'
}

# try KIND INSTALL_SECONDS DATA COMMAND...: asks the installed program.
try() {
    local kind=$1 install=$2 data=$work/$3
    shift 3
    mkdir -p "$work/home"
    local answer
    answer=$(clean "$python" packaging/ask.py "$@" --data "$data" "$example")
    echo "$kind: 2 commands, $install s to install, $answer"
    rows+=("$kind|$install|$answer")
    passed=$((passed + 1))
}

make --no-print-directory example

# --- archive
mkdir "$work/archive"
install=$(seconds tar -xzf "$dist"/causeway-*.tar.gz -C "$work/archive")
folder=$(echo "$work"/archive/*)
try archive "$install" data-archive "$folder/causeway" mcp
man --local-file "$folder/man/causeway-setup.1" >/dev/null 2>&1 || test -s "$folder/man/causeway-setup.1"
bash -n "$folder/completions/causeway"

# --- wheel
make_venv() { python3 -m venv "$work/venv" && "$work/venv/bin/pip" install --quiet --no-index "$dist"/*.whl; }
install=$(seconds make_venv)
try wheel "$install" data-wheel "$work/venv/bin/causeway" mcp
# The command of server.json: a script with the name of the package.
try "wheel, as $name" "$install" data-wheel "$work/venv/bin/$name" mcp
"$work/venv/bin/pip" uninstall --quiet --yes "$name"
test ! -e "$work/venv/bin/causeway" && test ! -e "$work/venv/bin/$name"

# --- uvx, which installs the wheel into its cache: offline, and with the Python of this machine
uvx_of_wheel() { clean UV_OFFLINE=1 UV_PYTHON_DOWNLOADS=never UV_PYTHON="$(command -v python3)" "$tools/uvx" --quiet --from "$(echo "$dist"/*.whl)" "$@"; }
mkdir -p "$work/home"
install=$(seconds uvx_of_wheel causeway --version)
uvx_of_wheel "$name" --version | grep -q '^causeway '
# The installed program is in the cache.
try uvx "$install" data-uvx "$tools/uvx" --offline --quiet --from "$(echo "$dist"/*.whl)" causeway mcp

# --- npm: offline, so that no package of the registry is installed in its place
install_npm() { npm install --silent --offline --no-audit --no-fund --prefix "$work/npm" "$dist"/*.tgz; }
mkdir "$work/npm"
install=$(seconds install_npm)
try npm "$install" data-npm "$work/npm/node_modules/.bin/causeway" mcp
npx_of_files() { clean npm_config_update_notifier=false npx --offline --yes $(printf -- '--package %s ' "$dist"/*.tgz) causeway "$@"; }
(cd "$work" && npx_of_files --version | grep -q '^causeway ')

# --- Debian package
if command -v dpkg >/dev/null; then
    admin=$work/debian/var/lib/dpkg
    mkdir -p "$admin"/{updates,info} && touch "$admin/status"
    # The empty root has no C library; the program uses that of this machine.
    install_deb() { dpkg --root="$work/debian" --log=/dev/null --force-depends --force-script-chrootless --install "$dist"/*.deb; }
    install=$(seconds install_deb)
    try deb "$install" data-deb "$work/debian/usr/bin/causeway" mcp
    if command -v systemd-analyze >/dev/null; then
        mkdir -p "$work/debian/etc"
        # Units that other units of a whole system provide are missing in the root.
        systemd-analyze verify --root="$work/debian" --man=no causeway-worker.service 2>&1 | grep -i 'causeway.*\(unknown\|not executable\|failed to parse\)' && exit 1
    fi
    dpkg --root="$work/debian" --log=/dev/null --force-depends --purge "$name" >/dev/null 2>&1
    test ! -e "$work/debian/usr/bin/causeway"
fi

# --- MCP bundle: the client unpacks it and replaces the variables of its manifest
unpack_bundle() { "$python" - "$dist"/*.mcpb "$work/bundle" <<'PYTHON'
import sys, zipfile, pathlib, json
source, target = sys.argv[1:]
with zipfile.ZipFile(source) as bundle:
    bundle.extractall(target)
manifest = json.loads((pathlib.Path(target) / "manifest.json").read_text())
(pathlib.Path(target) / manifest["server"]["entry_point"]).chmod(0o755)
PYTHON
}
install=$(seconds unpack_bundle)
try bundle "$install" data-bundle "$work/bundle/server/causeway" mcp

# --- upgrade and rollback: the old program's data folder with the new one, and back
if [[ -n ${OLD:-} ]]; then
    for step in "old:$OLD" "new:$folder/causeway" "old again:$OLD" "new again:$folder/causeway"; do
        try "upgrade, ${step%%:*}" 0 data-upgrade "${step#*:}" mcp
    done
fi

[[ -z ${TABLE:-} ]] || printf '%s\n' "${rows[@]}" | "$python" packaging/first_answer.py "$TABLE"
echo "$passed passed, 0 failed"
