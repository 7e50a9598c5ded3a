"""Names of the packages. The plain name of the program belongs to others in three registries, so that packages have another one."""

from __future__ import annotations

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent

# The program and its command in all packages.
PROGRAM = "causeway"

# The package in the Python registry, Debian, the MCP registry and bundles, and the scope in the npm registry. To publish under
# another name, change this line, and the commands in docs/install.md and services/causeway/src/program.rs; a test compares them.
NAME = "causeway-mcp"

NPM_NAME = f"@{NAME}/{PROGRAM}"

# Owner of the releases, whose namespace in the MCP registry belongs to the same account. The registry checks that the publisher
# owns it.
OWNER = NAME

# Name in the MCP registry. The registry reads it from `package.json`, and from the line `mcp-name:` of the README, as proof that
# the packages belong to the server.
REGISTRY_NAME = f"io.github.{OWNER}/{PROGRAM}"

DESCRIPTION = "One MCP endpoint in front of all your repositories"
AUTHOR = "The Causeway authors"
LICENCE = "Apache-2.0"


def release_url() -> str:
    """Returns the address of the files of this release."""
    return f"https://github.com/{OWNER}/{PROGRAM}/releases/download/v{version()}"


def version() -> str:
    """Returns the version of the workspace."""
    text = (ROOT / "Cargo.toml").read_text()
    return re.search(r'^version = "([^"]+)"', text, re.MULTILINE)[1]
