#!/usr/bin/env python3
"""Compares the answers of two builds, byte for byte, over the same repositories.

    compare_answers.py OLD NEW REPOSITORY...

Each build indexes the repositories into a separate data folder and serves them. Both get the same requests: every tool, in both
formats, for one repository and for all of them. The names and paths in the requests come from the old build. Prose may differ
between builds: the fields in PROSE are blanked in JSON, and the footer of a compact answer is omitted.
Timings and trace ids are blanked in both.

The exit code is 1 if an answer differs.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import pathlib
import re
import sys
import tempfile
from typing import Iterator

import server

# Fields of prose, which are only for people.
PROSE = {"hint", "note", "notes", "reason", "error", "more", "why"}

# Fields that differ between two runs of one build.
VOLATILE = {"timing_ms", "tookMs", "trace_id", "indexed_at", "worker"}

# Questions that fit any repository.
QUESTIONS = [
    "how are errors reported to the caller",
    "where is the configuration read",
    "retry when the connection fails",
    "parse a header",
    "what does a test need to start a server",
    "how is a path normalised",
    "escape special characters in a string",
    "who owns the release process",
]

N_SYMBOLS = 4
N_FILES = 3

Request = tuple[str, dict]


def main() -> None:
    arguments = read_arguments()
    repositories = [path.resolve() for path in arguments.repositories]
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        clients = []
        for name, build in (("old", arguments.old), ("new", arguments.new)):
            data = pathlib.Path(folder) / name
            print(name, server.index(build.resolve(), data, repositories).line())
            clients.append(server.Client(stack.enter_context(server.serving(build.resolve(), data, repositories))))
        old, new = clients
        asked = list(requests(old))
        n_different = sum(not is_same(request, answer(old, request), answer(new, request)) for request in asked)
        print(f"{len(asked)} requests, {n_different} answers differ")
    sys.exit(1 if n_different else 0)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("old", type=pathlib.Path, help="the binary of the build before")
    parser.add_argument("new", type=pathlib.Path, help="the binary of the build after")
    parser.add_argument("repositories", type=pathlib.Path, nargs="+", help="work trees to index")
    return parser.parse_args()


def requests(client: server.Client) -> Iterator[Request]:
    """Yields every request as a tool and its arguments."""
    repositories = [row["repo"] for row in client.call("list_repos", {})[0]["repositories"]]
    yield "list_repos", {}
    for output in ("json", "compact"):
        yield "get_overview", {"repo": "all", "format": output}
    for question in QUESTIONS:
        for repository in [*repositories, "all"]:
            yield "search_codebase", {"query": question, "repo": repository}
        yield "search_codebase", {"query": question, "format": "compact", "limit": 20}
        yield "get_answer", {"question": question}
        for strategy in ("combined", "dependency", "importance"):
            yield "get_ranked_context", {"query": question, "strategy": strategy}
    for repository in repositories:
        yield from of_repository(client, repository)
    yield "search_symbols", {"pattern": "no_such_name_at_all"}
    yield "get_context", {"entity": "no_such_name_at_all"}
    yield "search_codebase", {"query": ""}
    yield "get_symbol", {"symbol_id": "nowhere//nothing"}


def of_repository(client: server.Client, repository: str) -> Iterator[Request]:
    """Yields requests about definitions of a repository, about their files, and about the repository as a whole."""
    yield "list_repos", {"repo": repository}
    for output in ("json", "compact"):
        yield "get_overview", {"repo": repository, "format": output}
    listed = {"pattern": ".*", "mode": "regex", "repo": repository, "limit": 60}
    symbols = client.call("search_symbols", listed)[0]["symbols"]
    chosen = symbols[:: max(1, len(symbols) // N_SYMBOLS)][:N_SYMBOLS]
    ids = [f"{repository}//{row['symbol_id']}" for row in chosen]
    for row, symbol in zip(chosen, ids):
        name = row["name"]
        yield "search_symbols", {"pattern": name, "repo": repository}
        yield "search_codebase", {"query": name}
        yield "get_answer", {"question": f"what is {name}", "repo": repository}
        yield "get_impact", {"target": symbol}
        yield "get_risk", {"targets": [symbol]}
        for output in ("json", "compact"):
            yield "get_symbol", {"symbol_id": symbol, "depth": 1, "format": output}
            yield "get_context", {"entity": symbol, "format": output}
        for intent in ("modify", "understand", "review", "debug", "add", "plan"):
            yield "get_context", {"mode": "intent", "intent": intent, "target": symbol, "format": "json"}
    for first, second in zip(ids, ids[1:]):
        yield "get_context", {"mode": "path", "format": "json", "from": first, "to": second}
    files = list(dict.fromkeys(row["symbol_id"].split("::")[0] for row in chosen))[:N_FILES]
    for path in files:
        for output in ("json", "compact"):
            yield "get_file_context", {"file": f"{repository}:{path}", "format": output}
    yield "get_risk", {"changed_files": files, "repo": repository}
    yield "get_context", {"targets": ids, "format": "json"}


def answer(client: server.Client, request: Request) -> str:
    """Returns the text of an answer, or `error`."""
    try:
        return client.text(*request)
    except server.ToolError:
        return "error"


def is_same(request: Request, before: str, after: str) -> bool:
    """Compares two answers, and prints the first line in which they differ."""
    first, second = comparable(before), comparable(after)
    if first == second:
        return True
    print(request[0], json.dumps(request[1]))
    pairs = zip([*first.splitlines(), ""], [*second.splitlines(), ""])
    old_line, new_line = next(((a, b) for a, b in pairs if a != b), ("", ""))
    print(f"  - {old_line[:300]}\n  + {new_line[:300]}")
    return False


def comparable(text: str) -> str:
    """Returns an answer without prose and volatile values: JSON in lines, a compact answer without its footer."""
    try:
        return json.dumps(blanked(json.loads(text)), indent=1, ensure_ascii=False)
    except json.JSONDecodeError:
        lines = [line for line in text.splitlines() if not line.startswith("-- ")]
        return "\n".join(re.sub(r"\b\d+(\.\d+)? ms\b", "", line) for line in lines)


def blanked(value):
    """Returns a JSON value with every field of prose and every volatile field blanked."""
    if isinstance(value, dict):
        return {key: None if key in PROSE | VOLATILE else blanked(item) for key, item in value.items()}
    return [blanked(item) for item in value] if isinstance(value, list) else value


if __name__ == "__main__":
    main()
