"""Consistency of the compose file and its configurations."""

from __future__ import annotations

import pathlib
import re
from dataclasses import dataclass

import tomli
import yaml

import image
import rendering

FOLDER = rendering.ROOT / "deploy"


@dataclass(frozen=True)
class Compose:
    """The compose file, and the configurations that it mounts, by relative path."""

    text: str
    configs: dict[str, str]


def read() -> Compose:
    configs = {f"./compose/{path.name}": path.read_text() for path in (FOLDER / "compose").glob("*.toml")}
    return Compose((FOLDER / "compose.yaml").read_text(), configs)


def problems(compose: Compose) -> list[str]:
    """Returns the problems."""
    file = yaml.safe_load(compose.text)
    services: dict[str, dict] = file["services"]
    found = []
    for name, service in services.items():
        found += [f"{name}: {problem}" for problem in hardening(service)]
        found += [f"{name}: {problem}" for problem in mounts(service, set(file.get("volumes", {})), compose.configs)]
        networks = set(file.get("networks", {}))
        found += [f"{name}: no such network `{network}`" for network in service.get("networks", []) if network not in networks]
        if not image.is_pinned(service["image"]):
            found.append(f"{name}: the image `{service['image']}` is not pinned")
        dockerfile = FOLDER / service["build"]["context"] / service["build"]["dockerfile"]
        if not dockerfile.resolve().is_file():
            found.append(f"{name}: no such Dockerfile `{service['build']['dockerfile']}`")

    gateways = {name: service for name, service in services.items() if service["command"][0] == "gateway"}
    workers = {name: service for name, service in services.items() if service["command"][0] == "worker"}
    if len(gateways) != 1 or len(workers) < 2:
        return [*found, "the file must have one gateway and at least two workers"]
    for name, service in gateways.items():
        config = config_of(service, compose.configs)
        found += [f"{name}: {problem}" for problem in gateway(service, config, workers)]
    for name, service in workers.items():
        config = config_of(service, compose.configs)
        found += [f"{name}: {problem}" for problem in worker(service, config)]
        for network in service.get("networks", []):
            if not (file["networks"].get(network) or {}).get("internal"):
                found.append(f"{name}: the network `{network}` is not internal")
    return found


def hardening(service: dict) -> list[str]:
    wanted = {
        "read_only": True,
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges:true"],
        "user": f"{image.USER}:{image.USER}",
    }
    found = [f"`{key}` is not {value!r}" for key, value in wanted.items() if service.get(key) != value]
    if not any(str(entry).split(":")[0] == "/tmp" for entry in service.get("tmpfs", [])):
        found.append("/tmp is no tmpfs, but the root file system is read-only")
    return found


def mounts(service: dict, volumes: set[str], configs: dict[str, str]) -> list[str]:
    found = []
    # `${NAME:?reason}` contains a colon, too.
    for mount in (re.sub(r"\$\{[^}]*\}", "$", entry) for entry in service.get("volumes", [])):
        source, target, *mode = mount.split(":")
        if source.startswith("./") and source not in configs:
            found.append(f"no such file `{source}`")
        if source[0] in ".$" and mode != ["ro"]:
            found.append(f"`{target}` is writable; mount it read-only")
        if source[0] not in ".$/" and source not in volumes:
            found.append(f"no such volume `{source}`")
    return found


def config_of(service: dict, configs: dict[str, str]) -> dict:
    path = flag(service, "config")
    for entry in service.get("volumes", []):
        source, _, rest = entry.partition(":")
        if rest.split(":")[0] == path and source in configs:
            return tomli.loads(configs[source])
    return {}


def flag(service: dict, name: str) -> str:
    prefix = f"--{name}="
    return next((word[len(prefix) :] for word in service["command"] if word.startswith(prefix)), "")


def port(address: str) -> str:
    return address.rpartition(":")[2]


def gateway(service: dict, config: dict, workers: dict[str, dict]) -> list[str]:
    found = []
    listen = flag(service, "listen")
    if listen != config.get("listen"):
        found.append(f"it listens at `{listen}`, but its configuration has `{config.get('listen')}`")
    for published in service.get("ports", []):
        host, _, inside = str(published).rpartition(":")
        if inside != port(listen):
            found.append(f"`{published}` maps to a port without a listener")
        if not host.startswith("127.0.0.1:"):
            found.append(f"`{published}` is reachable from other machines without TLS")
    served = {f"http://{name}:{port(flag(worker, 'listen'))}" for name, worker in workers.items()}
    if set(config.get("workers", [])) != served:
        found.append(f"its `workers` are {config.get('workers')}, but those of this file are {sorted(served)}")
    if set(service.get("depends_on", [])) != set(workers):
        found.append("it does not start after all workers")
    test = service.get("healthcheck", {}).get("test", [])
    if test[:3] != ["CMD", "causeway", "status"] or f"http://127.0.0.1:{port(listen)}" not in test:
        found.append("its health check must be: CMD causeway status --url http://127.0.0.1:PORT")
    return found


def worker(service: dict, config: dict) -> list[str]:
    found = []
    if service.get("ports"):
        found.append("its ports are published, but only gateways should reach it")
    if port(config.get("operators", "")) == port(flag(service, "listen")):
        found.append("operators and gateways have the same port")
    folders = [entry.rsplit(":", 2)[1] for entry in service.get("volumes", []) if entry.endswith(":ro")]
    if service["command"][-1] not in folders:
        found.append(f"`{service['command'][-1]}` is not a mounted folder")
    if "placement" in config:
        found.append("[placement] applies to repositories by URL only; these are in a folder")
    return found


def host(address: str) -> str:
    return address.partition("://")[2].partition(":")[0]


def expand(pattern: str) -> list[str]:
    """Returns the addresses of a pattern such as `http://worker-{0..2}:7475`."""
    match = re.search(r"\{(\d+)\.\.(\d+)\}", pattern)
    if not match:
        return [pattern]
    numbers = range(int(match[1]), int(match[2]) + 1)
    return [pattern[: match.start()] + str(number) + pattern[match.end() :] for number in numbers]
