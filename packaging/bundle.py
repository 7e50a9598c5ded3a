"""The MCP bundle of a target (`.mcpb`), which graphical clients install with a click."""

from __future__ import annotations

import json
import pathlib
import zipfile

from names import AUTHOR, DESCRIPTION, LICENCE, NAME, PROGRAM, ROOT, version
from target import Target


def manifest(target: Target) -> dict:
    program = f"server/{PROGRAM}"
    return {
        "manifest_version": "0.3",
        "name": NAME,
        "display_name": "Causeway",
        "version": version(),
        "description": DESCRIPTION,
        "author": {"name": AUTHOR},
        "license": LICENCE,
        "server": {
            "type": "binary",
            "entry_point": program,
            "mcp_config": {"command": f"${{__dirname}}/{program}", "args": ["mcp", "${user_config.folders}"], "env": {}},
        },
        "tools_generated": True,
        "user_config": {
            "folders": {
                "type": "directory",
                "title": "Folders with repositories",
                "description": "Repositories up to six levels below are indexed. They are only read.",
                "multiple": True,
                "required": True,
            }
        },
        "compatibility": {"platforms": [target.bundle]},
    }


def write(binary: pathlib.Path, documents: list[pathlib.Path], output: pathlib.Path, target: Target) -> pathlib.Path:
    path = output / f"{NAME}-{version()}-{target.rust}.mcpb"
    members = {f"server/{PROGRAM}": binary, "LICENSE": ROOT / "LICENSE", **{one.name: one for one in documents}}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr(entry("manifest.json", 0o644), json.dumps(manifest(target), indent=2) + "\n")
        for name, file in members.items():
            mode = 0o755 if name.startswith("server/") else 0o644
            bundle.writestr(entry(name, mode), file.read_bytes())
    return path


def entry(name: str, mode: int) -> zipfile.ZipInfo:
    """Returns an entry with a fixed date, so that equal files give equal bytes."""
    info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = (0o100000 | mode) << 16
    return info
