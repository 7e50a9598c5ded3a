"""Rows of source files, like in `crates/index/src/rows.rs`: one for each definition that has its own text.

The parser is that of the program: build it with `cargo build -p causeway-syntax --example definitions`.
"""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

from words import words

PARSER = Path(__file__).resolve().parents[3] / "target" / "debug" / "examples" / "definitions"

EXTENSIONS = set(".c .cc .cpp .go .h .hpp .java .js .kt .php .py .rb .rs .scala .ts .tsx".split())

# Paths with one of these words are excluded: tests, examples, documentation, vendored and generated code. Some product code is
# excluded as well (`spring-test`, `docs.rs`). That does no harm, since there is enough data.
OTHER_WORDS = set(
    "bench benches benchmark benchmarks demo demos deps doc docs documentation example examples extern external fixture"
    " fixtures fuzz generated mock mocks party sample samples snapshots spec specs test testdata testing tests testsuite"
    " third vendor vendored".split()
)

# Larger files are data or generated code.
MAX_BYTES = 400_000


@dataclass
class Row:
    """The texts of one definition."""

    name: str
    path: str
    parent: str
    signature: str
    doc: str
    body: str


def source_files(clone: Path) -> list[str]:
    """Returns the paths of the source files of a clone, in order."""
    listed = subprocess.run(["git", "-C", clone, "ls-files", "-z"], check=True, capture_output=True).stdout
    return sorted(path for path in listed.decode(errors="replace").split("\0") if is_source(clone, path))


def is_source(clone: Path, path: str) -> bool:
    file = clone / path
    return (
        file.suffix in EXTENSIONS
        and OTHER_WORDS.isdisjoint(words(path))
        and "\n" not in path
        and file.is_file()
        and not file.is_symlink()
        and file.stat().st_size <= MAX_BYTES
    )


def rows_of_files(clone: Path, paths: list[str]) -> Iterator[tuple[str, list[Row]]]:
    """Yields each path with the rows of its definitions."""
    listed = "\n".join(paths).encode()
    parsed = subprocess.run([PARSER], cwd=clone, input=listed, check=True, capture_output=True).stdout
    for line in parsed.splitlines():
        facts = json.loads(line)
        data = (clone / facts["path"]).read_bytes()
        yield facts["path"], rows(facts["path"], [d for d in facts["definitions"] if d["has_row"]], data)


def rows(path: str, definitions: list[dict], data: bytes) -> list[Row]:
    stem = path.rpartition(".")[0]
    return [
        Row(d["name"], stem, d["container"], d["signature"], d["doc"], own_text(data, d, definitions[number + 1 :]))
        for number, d in enumerate(definitions)
    ]


def own_text(data: bytes, definition: dict, later: list[dict]) -> str:
    """Returns the text of a definition without the text of nested definitions, which are among the later ones."""
    texts, at = [], definition["start"]
    for inner in later:
        if inner["start"] >= definition["end"]:
            break
        if inner["end"] <= definition["end"]:
            texts.append(data[at : inner["start"]])
            at = max(at, inner["end"])
    texts.append(data[at : definition["end"]])
    return b"\n".join(texts).decode(errors="replace")
