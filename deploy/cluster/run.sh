#!/usr/bin/env bash
# Builds the images, brings the cluster of compose.cluster.yaml up with the example organisation, kills and restarts its parts, and
# asks both gateways throughout. Prints each fault with the answers during it. `make cluster` runs it.
#
# Needs root or the group `docker`, a Docker engine (20.10 or later) with BuildKit, compose 2.24 or later as `docker compose`, or
# its program in COMPOSE, and python3. RUNTIME_IMAGE names the base; without it, debootstrap makes one if no registry is reached.
# BINARY=FILE packs a built program; the default is target/x86_64-unknown-linux-gnu/release/causeway.
set -euo pipefail
cd "$(dirname "$0")/../.."

binary=${BINARY:-target/x86_64-unknown-linux-gnu/release/causeway}
base=${RUNTIME_IMAGE:-causeway-base:trial}
read -ra compose <<<"${COMPOSE:-docker compose}"
network=${BUILD_NETWORK:-default}
moto=5.2.5

fail() {
    echo "make cluster: $1" >&2
    exit 2
}
docker info >/dev/null 2>&1 || fail 'no Docker engine answers: start dockerd, or set DOCKER_HOST'
"${compose[@]}" version >/dev/null 2>&1 || fail 'there is no compose: install it, or name its program in COMPOSE'
[[ -x $binary ]] || fail "there is no program $binary: run \`make dist\`, or set BINARY"

if ! docker image inspect "$base" >/dev/null 2>&1; then
    command -v debootstrap >/dev/null || fail "there is no image $base, and no debootstrap to make one"
    folder=$(mktemp -d)
    debootstrap --variant=minbase bookworm "$folder" >/dev/null
    tar -C "$folder" -c . | docker import - "$base" >/dev/null
    rm -rf "$folder"
fi

mkdir -p target/image
strip -o target/image/causeway "$binary"
export DOCKER_BUILDKIT=1
docker build --quiet --network "$network" --build-arg RUNTIME_IMAGE="$base" --build-arg PROGRAM=packed \
    --file deploy/docker/Dockerfile --tag causeway:0.1.0 .
# The wheels are for the Python of Debian 12. The last files are written together.
compgen -G "target/store/moto-$moto-*.whl" >/dev/null || python3 -m pip download --quiet --disable-pip-version-check --dest target/store --only-binary=:all: --python-version 3.11 \
    --platform manylinux2014_x86_64 --platform manylinux_2_28_x86_64 --platform manylinux_2_17_x86_64 "moto[server]==$moto"
docker build --quiet --network "$network" --build-arg RUNTIME_IMAGE="$base" --file deploy/cluster/store.Dockerfile \
    --tag causeway-store:trial target/store

make --no-print-directory example
# User 65532 of the containers reads the repositories.
chmod -R a+rX target/example
NOFILE=$(ulimit -Hn)
[[ $NOFILE != unlimited && $NOFILE -lt 65536 ]] || NOFILE=65536
export NOFILE
export REPOSITORIES=$PWD/target/example CAUSEWAY_TOKEN=trial
compose+=(--project-name causeway-cluster --file deploy/compose.yaml --file deploy/compose.cluster.yaml)
trap '"${compose[@]}" down --volumes --timeout 5 >/dev/null 2>&1' EXIT
"${compose[@]}" up --detach --no-build --pull never store >/dev/null
"${compose[@]}" exec -T store /opt/moto/bin/python - <deploy/cluster/bucket.py
"${compose[@]}" up --detach --no-build --pull never >/dev/null
python3 deploy/cluster/ask.py "${compose[@]}"
