"""Cases: a query, its repository and commit, and the expected files and symbols."""

from __future__ import annotations

import hashlib
import json
import pathlib
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Case:
    id: str
    kind: str
    # The alias of the repository, which is the name of its work tree.
    repo: str
    # OWNER/NAME of its clone.
    repo_full: str
    # The last commit that is indexed.
    commit: str
    query: str
    # The query without words that look like code; None if too little remains.
    stripped: str | None
    gold_files: tuple[str, ...]
    gold_symbols: tuple[str, ...]
    # Lines that would reveal the answer: path, first and last line.
    blank: tuple[tuple[str, int, int], ...] = field(default=())

    @staticmethod
    def read(line: str) -> Case:
        raw = json.loads(line)
        return Case(
            id=raw["id"],
            kind=raw["kind"],
            repo=raw["repo"],
            repo_full=raw["repo_full"],
            commit=raw["commit"],
            query=raw["query"],
            stripped=raw.get("query_nosym", raw["query"]),
            gold_files=tuple(raw["gold_files"]),
            gold_symbols=tuple(raw.get("gold_symbols", ())),
            blank=tuple((path, first, last) for path, first, last in raw.get("blank", ())),
        )


def read(path: pathlib.Path) -> tuple[list[Case], str]:
    """Returns the cases of a file, and a hash of the file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    cases: dict[str, Case] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            case = Case.read(line)
        except (ValueError, KeyError, TypeError) as error:
            raise SystemExit(f"{path}:{number}: not a case ({error!r}); docs/developing/evaluation.md describes a case") from error
        if case.id in cases:
            raise SystemExit(f"{path}:{number}: duplicate case `{case.id}`")
        cases[case.id] = case
    if not cases:
        raise SystemExit(f"{path}: no cases")
    return list(cases.values()), hashlib.sha256(path.read_bytes()).hexdigest()[:16]
