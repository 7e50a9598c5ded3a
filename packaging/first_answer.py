"""Writes the table of the seconds to the first answer into a page, between two marks. `make dist-check TABLE=FILE` runs it."""

from __future__ import annotations

import pathlib
import re
import sys

# The commands after which the first question is answered, by the kind of package that the check names.
COMMANDS = {
    "archive": "`tar -xzf FILE.tar.gz`, `./FOLDER/causeway mcp ~/code`",
    "wheel": "`pip install FILE.whl`, `causeway mcp ~/code`",
    "uvx": "`uvx --from ./FILE.whl causeway --version`, `uvx --from ./FILE.whl causeway mcp ~/code`",
    # Never the tool that runs a package by the name of its program: in another folder, it would fetch a stranger's package.
    "npm": "`npm install FILE.tgz FILE.tgz`, `node_modules/.bin/causeway mcp ~/code`",
    "deb": "`dpkg --install FILE.deb`, `causeway mcp ~/code`",
    "bundle": "open `FILE.mcpb` with the client, and ask",
}

BEGIN = "<!-- begin: written by `make dist-check TABLE=docs/install.md` -->"
END = "<!-- end -->"


def table(lines: list[str]) -> str:
    """Returns the table of lines `KIND|SECONDS|SECONDS s to an answer from ...`. Kinds without commands of their own are no rows."""
    rows = ["| package | commands | install, s | first answer, s |", "|---|---|---|---|"]
    for line in lines:
        kind, install, answer = line.split("|", 2)
        if kind in COMMANDS:
            seconds = re.match(r"([\d.]+) s ", answer)[1]
            rows.append(f"| {kind} | {COMMANDS[kind]} | {install} | {seconds} |")
    return "\n".join(rows)


def with_table(page: str, lines: list[str]) -> str:
    """Returns the page with the table between its marks."""
    before, rest = page.split(BEGIN, 1)
    _, after = rest.split(END, 1)
    return f"{before}{BEGIN}\n\n{table(lines)}\n\n{END}{after}"


if __name__ == "__main__":
    path = pathlib.Path(sys.argv[1])
    path.write_text(with_table(path.read_text(), sys.stdin.read().splitlines()))
