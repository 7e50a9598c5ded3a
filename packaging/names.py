"""Names of the packages. The plain name of the program belongs to others in three registries, so that packages have another one."""

from __future__ import annotations

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent

# The program and its command in all packages.
PROGRAM = "causeway"

# The package in the Python registry, Debian, the MCP registry and bundles, and the scope in the npm registry. To publish under
# another name, change this line and the commands in docs/install.md; a test compares them.
NAME = "causeway-mcp"

NPM_NAME = f"@{NAME}/{PROGRAM}"

# Namespace in the MCP registry, which checks that the publisher owns it.
REGISTRY_NAMESPACE = "io.github.causeway-mcp"

DESCRIPTION = "One MCP endpoint in front of all your repositories"
AUTHOR = "The Causeway authors"
LICENCE = "Apache-2.0"


def version() -> str:
    """Returns the version of the workspace."""
    text = (ROOT / "Cargo.toml").read_text()
    return re.search(r'^version = "([^"]+)"', text, re.MULTILINE)[1]
