"""Crates that the program links, from `cargo metadata`."""

from __future__ import annotations

import json
import pathlib
import subprocess
from dataclasses import dataclass

from names import PROGRAM, ROOT

# Its build compiles the sources of its build dependencies of this beginning into the program.
GRAMMARS = "causeway-grammars"
GRAMMAR_BEGINNING = "tree-sitter-"


@dataclass(frozen=True)
class Crate:
    name: str
    version: str
    licence: str
    folder: pathlib.Path
    # SHA-256 of the archive in the registry; empty for crates of this workspace.
    checksum: str
    dependencies: tuple[str, ...]
    id: str
    is_external: bool


def linked(target: str) -> list[Crate]:
    """Returns the program and all crates that it links on a target, by name and version."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    checksums = lock_checksums()

    def is_linked(user: str, dep: dict) -> bool:
        is_grammar = packages[user]["name"] == GRAMMARS and packages[dep["pkg"]]["name"].startswith(GRAMMAR_BEGINNING)
        kinds = [kind["kind"] for kind in dep["dep_kinds"]]
        return None in kinds or (is_grammar and "build" in kinds)

    def normal(node: dict) -> list[str]:
        return [dep["pkg"] for dep in node["deps"] if is_linked(node["id"], dep)]

    root = next(id for id, package in packages.items() if package["name"] == PROGRAM and package["source"] is None)
    found, open_ids = {root}, [root]
    while open_ids:
        for id in normal(nodes[open_ids.pop()]):
            if id not in found:
                found.add(id)
                open_ids.append(id)

    def crate(id: str) -> Crate:
        package = packages[id]
        return Crate(
            package["name"],
            package["version"],
            package["license"] or "",
            pathlib.Path(package["manifest_path"]).parent,
            checksums.get((package["name"], package["version"]), ""),
            tuple(sorted(normal(nodes[id]))),
            id,
            package["source"] is not None,
        )

    return sorted(map(crate, found), key=lambda one: (one.name, one.version))


def lock_checksums() -> dict[tuple[str, str], str]:
    found, name, version = {}, "", ""
    for line in (ROOT / "Cargo.lock").read_text().splitlines():
        key, _, value = line.partition(" = ")
        match key:
            case "name":
                name = value.strip('"')
            case "version":
                version = value.strip('"')
            case "checksum":
                found[name, version] = value.strip('"')
    return found
