"""Consistency of the Dockerfile with the manifests."""

from __future__ import annotations

import fnmatch
import pathlib
import re
from dataclasses import dataclass

import tomli

import rendering

# User id of the image, pods and services: the conventional `nonroot` of minimal images.
USER = 65532

# MCP of gateways, gRPC of workers, and the ports for operators.
PORTS = {7474, 7475, 7476}

# Packages for fetching repositories with git over HTTPS and SSH.
PACKAGES = {"ca-certificates", "git", "openssh-client"}


@dataclass(frozen=True)
class Image:
    dockerfile: str
    dockerignore: str


def read() -> Image:
    return Image(
        (rendering.ROOT / "deploy/docker/Dockerfile").read_text(), (rendering.ROOT / ".dockerignore").read_text()
    )


def instructions(dockerfile: str) -> list[tuple[str, str]]:
    """Returns each instruction with its arguments on one line."""
    lines = [line for line in dockerfile.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    return [(word.upper(), rest.strip()) for word, _, rest in (line.partition(" ") for line in joined.splitlines())]


def is_pinned(reference: str) -> bool:
    """Returns true if an image has a digest, or a tag with a version."""
    if "@sha256:" in reference:
        return True
    name, _, tag = reference.rpartition("/")[2].partition(":")
    return bool(name) and bool(re.search(r"\d", tag)) and tag != "latest"


def problems(image: Image) -> list[str]:
    """Returns the problems."""
    lines = instructions(image.dockerfile)
    found = []

    defaults = dict(rest.partition("=")[::2] for word, rest in lines if word == "ARG")
    resolve = lambda text: re.sub(r"\$\{(\w+)\}", lambda match: defaults.get(match[1], ""), text)
    stages = [re.split(r"\s+AS\s+", resolve(rest), flags=re.IGNORECASE) for word, rest in lines if word == "FROM"]
    # Names of earlier stages, and the empty image, are not pulled.
    local = {"scratch", *(stage[1] for stage in stages if len(stage) > 1)}
    if len(stages) < 2:
        found.append("there is only one stage; build in a separate stage, so that the image has no compiler")
    found += [f"`FROM {stage[0]}` is not pinned; use a version tag or a digest" for stage in stages if stage[0] not in local and not is_pinned(stage[0])]

    last_from = max((idx for idx, (word, _) in enumerate(lines) if word == "FROM"), default=0)
    build, final = lines[:last_from], lines[last_from:]
    if not any(word == "RUN" and "cargo build --release --locked -p causeway" in rest for word, rest in build):
        found.append("the program is not built with `cargo build --release --locked -p causeway`")
    installed = " ".join(rest for word, rest in final if word == "RUN" and "apt-get install" in rest).split()
    found += [f"the image has no `{package}`" for package in sorted(PACKAGES - set(installed))]

    users = [rest for word, rest in final if word == "USER"]
    if users[-1:] != [f"{USER}:{USER}"]:
        found.append(f"the last USER is not {USER}:{USER}: numeric, so that a cluster can verify that it is not root")
    entry = [rest for word, rest in final if word == "ENTRYPOINT"]
    program = "/usr/local/bin/causeway"
    if entry != [f'["{program}"]']:
        found.append(f'ENTRYPOINT is not ["{program}"]: a shell would not pass SIGTERM on')
    if not any(word == "COPY" and rest.startswith("--from=") and rest.endswith(program) for word, rest in final):
        found.append(f"{program} is not copied from the build stage")
    if any(word == "ADD" for word, _ in lines):
        found.append("ADD may fetch or unpack files; use COPY")
    exposed = {int(port) for word, rest in final if word == "EXPOSE" for port in rest.split()}
    if exposed != PORTS:
        found.append(f"EXPOSE has {sorted(exposed)}, but the program serves at {sorted(PORTS)}")

    workspace = tomli.loads((rendering.ROOT / "Cargo.toml").read_text())["workspace"]
    needed = ["Cargo.toml", "Cargo.lock"]
    for member in workspace["members"]:
        needed += [str(path.relative_to(rendering.ROOT)) for path in rendering.ROOT.glob(f"{member}/Cargo.toml")]
    found += [f"`.dockerignore` excludes `{path}`" for path in needed if is_ignored(image.dockerignore, path)]
    found += [f"`.dockerignore` does not exclude `{path}`" for path in (".git/config", "target/x", ".tools/x") if not is_ignored(image.dockerignore, path)]
    return found


def is_ignored(dockerignore: str, path: str) -> bool:
    """Returns true if a path is excluded from the context. The last pattern that matches it or a parent folder decides."""
    folders = [path, *(str(parent) for parent in pathlib.PurePosixPath(path).parents)][:-1]
    ignored = False
    for line in dockerignore.splitlines():
        pattern = line.strip()
        if not pattern or pattern.startswith("#"):
            continue
        bare = pattern.lstrip("!").removeprefix("**/")
        whole = [folder for folder in folders if fnmatch.fnmatchcase(folder, pattern.lstrip("!"))]
        if whole or (pattern.lstrip("!").startswith("**/") and bare in path.split("/")):
            ignored = not pattern.startswith("!")
    return ignored
