#!/usr/bin/env python3
"""Measures the cost of answers: estimated tokens of each tool's default answer, and tokens per useful line.

usage: tokens.py --url URL REPOSITORY...

It asks each tool about each of the repositories of a running server. A useful line is a distinct line of code, documentation or
prose, or a distinct place: a symbol, a file with lines, or a repository. It needs only the standard library.
"""

from __future__ import annotations

import argparse
import statistics

import server

# The prices of `crates/text/src/tokens.rs`, in fractions of a token.
TOKEN = 64
QUESTIONS = ["how are errors reported to the user", "parse the configuration", "close the connection", "where is the version defined"]

# Keys of metadata, whose values are no useful lines.
METADATA = {"_meta", "searchMetrics", "by_repo", "page_type", "kind", "repo", "search_method", "note", "title", "name", "hash"}


def tokens(text: str) -> int:
    """Returns the estimate of `crates/text/src/tokens.rs`."""
    total, before = 0, None
    for byte in text.encode():
        char = chr(byte)
        letter = before is not None and chr(before).isalpha() and before < 128
        if "a" <= char <= "z":
            total += 5 if letter else 34
        elif "A" <= char <= "Z":
            total += 5 if before is not None and 65 <= before <= 90 else 34
        elif char.isdigit() and byte < 128:
            total += 20 if before is not None and 48 <= before <= 57 else 96
        elif char == "\n":
            total += 6 if before == byte else 48
        elif char in " \t":
            total += 3 if before in (32, 9) else 27
        elif byte < 128:
            punctuation = before is not None and before < 128 and not chr(before).isalnum() and before not in (32, 9, 10)
            total += 6 if before == byte else 34 if punctuation else 50
        elif byte >= 0xC0:
            total += 64 if byte < 0xE0 else 96 if byte < 0xF0 else 192
        before = byte
    return -(-total // TOKEN)


def useful_lines(value, lines: set[str]) -> set[str]:
    """Adds the lines of code and text, and the places, of an answer."""
    if isinstance(value, dict):
        place = (value.get("repo"), value.get("path") or value.get("id") or value.get("symbol_id"), value.get("start_line"))
        if any(place[:2]):
            lines.add(f"place {place}")
        for key, inner in value.items():
            if key not in METADATA:
                useful_lines(inner, lines)
    elif isinstance(value, list):
        for inner in value:
            useful_lines(inner, lines)
    elif isinstance(value, str) and (" " in value or "\n" in value):
        lines.update(line.strip() for line in value.splitlines() if any(map(str.isalnum, line)))
    return lines


def calls(repo: str, client: server.Client) -> list[tuple[str, dict]]:
    """Returns the calls of an agent that explores a repository: with required arguments only."""
    found, _ = client.call("search_codebase", {"query": QUESTIONS[0], "repo": repo})
    symbols = [hit["page_id"] for hit in found["results"] if hit.get("symbol_id")][:2]
    files = list(dict.fromkeys(f"{hit['repo']}:{hit['path']}" for hit in found["results"]))[:2]
    names = [hit["name"] for hit in found["results"] if hit.get("name")][:2]
    return [
        *(("get_answer", {"question": question, "repo": repo}) for question in QUESTIONS),
        *(("search_codebase", {"query": question, "repo": repo}) for question in QUESTIONS),
        *(("get_ranked_context", {"query": question, "repo": repo}) for question in QUESTIONS[:2]),
        *(("get_context", {"entity": symbol}) for symbol in symbols),
        *(("get_symbol", {"symbol_id": symbol}) for symbol in symbols),
        *(("get_impact", {"target": symbol}) for symbol in symbols),
        *(("get_file_context", {"file": file}) for file in files),
        *(("get_risk", {"targets": [file]}) for file in files),
        *(("search_symbols", {"pattern": name, "repo": repo}) for name in names),
        ("get_overview", {"repo": repo}),
        ("list_repos", {}),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+")
    parser.add_argument("--url", required=True)
    arguments = parser.parse_args()
    client = server.Client(arguments.url)
    costs: dict[str, list[tuple[int, int]]] = {}
    for repo in arguments.repositories:
        for tool, given in calls(repo, client):
            try:
                text = client.text(tool, given)
            except server.ToolError as error:
                print(f"{tool} {given}: {error}")
                continue
            try:
                lines = useful_lines(server.json.loads(text), set())
            except ValueError:
                lines = {line.strip() for line in text.splitlines() if any(map(str.isalnum, line)) and not line.startswith("--")}
            costs.setdefault(tool, []).append((tokens(text), max(len(lines), 1)))
    print("| tool | answers | tokens, median | tokens, maximum | useful lines, median | tokens per useful line |")
    print("|---|---|---|---|---|---|")
    for tool, of_tool in sorted(costs.items()):
        sizes = [size for size, _ in of_tool]
        per_line = sum(sizes) / sum(lines for _, lines in of_tool)
        print(f"| `{tool}` | {len(of_tool)} | {statistics.median(sizes):.0f} | {max(sizes)} | "
              f"{statistics.median(lines for _, lines in of_tool):.0f} | {per_line:.1f} |")


if __name__ == "__main__":
    main()
