"""`server.json`, the description of the server for the MCP registry."""

from __future__ import annotations

import hashlib
import json
import pathlib

from names import DESCRIPTION, NAME, NPM_NAME, REGISTRY_NAME, version

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"


def document(bundle: pathlib.Path, base_url: str) -> dict:
    """Returns the description. The registry compares the hash with the bundle at the address."""
    folders = {
        "type": "positional",
        "valueHint": "folder",
        "description": "Folder with repositories",
        "format": "filepath",
        "isRequired": True,
        "isRepeated": True,
    }
    arguments = [{"type": "positional", "value": "mcp"}, folders]
    stdio = {"type": "stdio"}
    return {
        "$schema": SCHEMA,
        "name": REGISTRY_NAME,
        "title": "Causeway",
        "description": DESCRIPTION,
        "version": version(),
        "packages": [
            {
                "registryType": "pypi",
                "identifier": NAME,
                "version": version(),
                # Clients run `uvx IDENTIFIER@VERSION mcp FOLDER`: the wheel has a script with its own name.
                "runtimeHint": "uvx",
                "transport": stdio,
                "packageArguments": arguments,
            },
            {
                "registryType": "npm",
                "identifier": NPM_NAME,
                "version": version(),
                "runtimeHint": "npx",
                "transport": stdio,
                "packageArguments": arguments,
            },
            {
                "registryType": "mcpb",
                "identifier": f"{base_url}/{bundle.name}",
                "fileSha256": hashlib.sha256(bundle.read_bytes()).hexdigest(),
                "transport": stdio,
            },
        ],
    }


def write(bundle: pathlib.Path, output: pathlib.Path, base_url: str) -> pathlib.Path:
    path = output / "server.json"
    path.write_text(json.dumps(document(bundle, base_url), indent=2) + "\n")
    return path
