"""The parts of the evaluation: each part sends the cases to the server in a different form."""

from __future__ import annotations

import collections
import json
import pathlib
import re
from dataclasses import dataclass, field
from typing import Callable

import issue_text
import scores
from cases import Case
from server import Client, ToolError

# Results of one search.
LIMIT = 20


@dataclass(frozen=True)
class Part:
    name: str
    # True to search all repositories, rather than the one of the case.
    asks_all: bool
    # The text of a case: `query`, `stripped`, `long`, or `named`, which mentions the repository.
    text: str
    # The part to compare with on the same cases.
    beside: str | None = None
    tool: str = "search_codebase"


PARTS = [
    Part("one", False, "query"),
    Part("one-stripped", False, "stripped"),
    Part("all", True, "query"),
    Part("all-stripped", True, "stripped"),
    Part("all-named", True, "named"),
    Part("long", False, "long", beside="one"),
    Part("all-long", True, "long", beside="all"),
    Part("answers", False, "query", tool="get_answer"),
]

# Maximum length of a question. Longer ones are rejected.
MAX_QUESTION_BYTES = 4096


@dataclass
class Row:
    """The figures of one kind of case at one level: files, symbols, symbols by path and simple name, or the files that an answer
    cites (five at most)."""

    level: str
    kind: str
    means: scores.Means
    p50: float | None = None
    p95: float | None = None


@dataclass
class Run:
    part: Part
    rows: list[Row]
    failures: list[str] = field(default_factory=list)


def texts(part: Part, cases: list[Case], trees: pathlib.Path) -> list[tuple[Case, str]]:
    """Returns the cases of a part with their texts."""
    if part.text == "query":
        return [(case, case.query) for case in cases]
    if part.text == "named":
        named_cases = [case for case in cases if case.kind in ("commit", "doc", "question")]
        return [(case, f"{case.query.rstrip('.')} in {case.repo}") for case in named_cases]
    commits = [case for case in cases if case.kind == "commit"]
    if part.text == "stripped":
        return [(case, case.stripped) for case in commits if case.stripped]
    readmes = {case.repo: issue_text.readme_sentences(trees / case.repo) for case in commits}
    return [(case, issue_text.of(case.query, case.id, readmes[case.repo])) for case in commits]


def run(part: Part, asked: list[tuple[Case, str]], client: Client, rankings_file: pathlib.Path) -> Run:
    """Sends every case, and scores the results. Writes the rankings to a file, one line per case."""
    files: dict[str, list[dict]] = collections.defaultdict(list)
    symbols: dict[str, list[dict]] = collections.defaultdict(list)
    named: dict[str, list[dict]] = collections.defaultdict(list)
    cited: dict[str, list[dict]] = collections.defaultdict(list)
    took: dict[str, list[float]] = collections.defaultdict(list)
    failures: list[str] = []
    with rankings_file.open("w") as rankings:
        for case, text in asked:
            try:
                answer, milliseconds = client.call(part.tool, arguments(part, case, text))
            except ToolError as error:
                # A case without an answer counts as a case without hits.
                failures.append(f"{part.name}: {case.id}: {error}")
                answer = {}
            else:
                took[case.kind].append(milliseconds)
                if not answer.get("_meta", {}).get("coverage", {}).get("complete", True):
                    failures.append(f"{part.name}: {case.id}: not all repositories answered")
            ranked = ranked_files(answer, part.asks_all)
            gold = tuple(f"{case.repo}::{path}" for path in case.gold_files) if part.asks_all else case.gold_files
            files[case.kind].append(scores.of_case(gold, ranked))
            if part.tool == "get_answer":
                cited[case.kind].append(scores.of_case(gold, [place["path"] for place in answer.get("citations", [])]))
            line = {"id": case.id, "files": ranked}
            found = [] if part.asks_all else ranked_symbols(answer)
            if found:
                line["symbols"] = found
                if case.gold_symbols:
                    symbols[case.kind].append(scores.of_case(case.gold_symbols, found))
                    gold = tuple(dict.fromkeys(map(own_name, case.gold_symbols)))
                    named[case.kind].append(scores.of_case(gold, list(map(own_name, found))))
            if answer:
                rankings.write(json.dumps(line) + "\n")
    return Run(part, rows({"file": files, "symbol": symbols, "named": named, "cited": cited}, took), failures)


def arguments(part: Part, case: Case, text: str) -> dict:
    repo = "all" if part.asks_all else case.repo
    if part.tool == "get_answer":
        return {"repo": repo, "question": text.encode()[:MAX_QUESTION_BYTES].decode(errors="ignore")}
    return {"repo": repo, "query": text, "limit": LIMIT, "format": "json"}


def rows(levels: dict[str, dict[str, list[dict]]], took: dict[str, list[float]]) -> list[Row]:
    intervals = scores.Intervals()
    table = []
    for level, by_kind in levels.items():
        for kind, of_cases in sorted(by_kind.items()):
            row = Row(level, kind, intervals.means(of_cases))
            if level == "file" and took[kind]:
                row.p50, row.p95 = scores.percentile(took[kind], 0.5), scores.percentile(took[kind], 0.95)
            table.append(row)
    return table


def ranked_files(answer: dict, with_repository: bool) -> list[str]:
    places = answer.get("candidates") or answer.get("results") or []
    name: Callable[[dict], str] = (lambda place: f"{place['repo']}::{place['path']}") if with_repository else (lambda place: place["path"])
    return list(dict.fromkeys(name(place) for place in places if place.get("path")))[:LIMIT]


def ranked_symbols(answer: dict) -> list[str]:
    """Returns the ids of the found symbols, without overload numbers."""
    ids = [result.get("symbol_id") for result in answer.get("results", [])]
    return [symbol.split("#")[0] for symbol in ids if symbol]


def own_name(symbol: str) -> str:
    """Returns path and simple name of a symbol, since the notation of containers differs between sources of cases."""
    path, _, name = symbol.partition("::")
    bare = ""
    depth = 0
    for character in name:
        depth += {"<": 1, ">": -1}.get(character, 0)
        if depth <= 0 and character not in "<>":
            bare += character
    return f"{path}::{re.split(r'[.]|::', bare)[-1].split()[-1] if bare.strip() else name}"
