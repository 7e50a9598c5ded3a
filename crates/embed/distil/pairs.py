"""Collects training pairs of a natural-language text and the code it describes, from clones of large projects.

    pairs.py BASE CLONES PAIRS

BASE is the output of distil.py. CLONES is a folder with a full clone of each project of repositories.tsv, under its name and
at its commit. PAIRS is the output. There are two kinds of pairs: the first sentence of a doc comment with its definition, and
the message of a commit with the most similar row of each changed file.
"""

import argparse
import random
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Iterator

import numpy as np

from meaning import row_vector, text_vector, weighed_fields
from rows import Row, rows_of_files, source_files
from table import read_floats
from words import Tokenizer, Weighed, words

REPOSITORIES = Path(__file__).parent / "repositories.tsv"

# Maximum number of doc comments and of commits per project, so that no project dominates the training data.
MAX_DOCS = 6_000
MAX_COMMITS = 4_000

# Number of words of a text: shorter texts are not specific, and longer ones are unlike queries.
MIN_WORDS, MAX_WORDS = 3, 40

# Maximum length of a text whose first sentence does not end before.
MAX_CHARS = 220

# A period before this position belongs to an abbreviation, and does not end the sentence.
MIN_SENTENCE_CHARS = 15

# The message of a commit with more source files, or more files, is not specific to one of them.
MAX_SOURCE_FILES = 3
MAX_FILES = 12

# Maximum number of lines of a message, including its subject.
MAX_LINES = 6

# First words of messages by release processes and tools.
ROUTINE = re.compile(r"(merge|bump|release|revert|update version|version|prepare|changelog)", re.IGNORECASE)
TRAILER = re.compile(
    r"([a-z]+(-[a-z]+)*-by|closes|fixes|refs|change-id|cc|motivation|modifications?|result)\b.{0,2}[:#]|http",
    re.IGNORECASE,
)
REFERENCE = re.compile(r"https?://\S+|\(?#\d+\)?|\[.*?\]")

SEED = 1


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("base", "clones", "pairs"):
        arguments.add_argument(name, type=Path)
    arguments = arguments.parse_args()

    tokens, vectors = read_floats(arguments.base)
    tokenizer = Tokenizer(tokens)
    pairs = Pairs()
    for number, (name, commit) in enumerate(repositories()):
        clone = arguments.clones / name
        check_commit(clone, commit)
        rows = dict(rows_of_files(clone, source_files(clone)))
        docs = doc_pairs(rows, tokenizer)
        commits = commit_pairs(clone, rows, tokenizer, vectors)
        pairs.extend(docs, 2 * number)
        pairs.extend(commits, 2 * number + 1)
        print(f"{name}: {len(docs)} of docs, {len(commits)} of commits", flush=True)
    pairs.write(arguments.pairs)


def repositories() -> list[tuple[str, str]]:
    lines = REPOSITORIES.read_text().splitlines()
    return [(line.split("\t")[0], line.split("\t")[2]) for line in lines if not line.startswith("#")]


def check_commit(clone: Path, commit: str) -> None:
    head = git(clone, "rev-parse", "HEAD").strip()
    if head != commit:
        sys.exit(f"{clone} is at {head}: check out {commit}, the commit in repositories.tsv")


def git(clone: Path, *arguments: str) -> str:
    output = subprocess.run(["git", "-C", clone, *arguments], check=True, capture_output=True).stdout
    return output.decode(errors="replace")


# The tokens of the text, and those of each field of the code.
Pair = tuple[Weighed, list[Weighed]]


def doc_pairs(rows: dict[str, list[Row]], tokenizer: Tokenizer) -> list[Pair]:
    """Returns the first sentence of each doc comment with its definition, whose code lacks the comment."""
    documented = [(row, first_sentence(row.doc)) for of_file in rows.values() for row in of_file if row.doc]
    specific = [(row, sentence) for row, sentence in documented if is_specific(sentence, tokenizer)]
    chosen = sample(specific, MAX_DOCS)
    return [(text_tokens(sentence, tokenizer), weighed_fields(without_doc(row), tokenizer)) for row, sentence in chosen]


def first_sentence(doc: str) -> str:
    folded = " ".join(doc.split())
    end = re.compile(r"[.!?](\s|$)").search(folded, MIN_SENTENCE_CHARS, MAX_CHARS)
    return folded[: end.start()] if end else folded[:MAX_CHARS]


def without_doc(row: Row) -> Row:
    """Returns a row without its doc comment, which is inside the body in some languages."""
    doc = " ".join(words(row.doc))
    code = (line for line in row.body.splitlines() if not is_of_doc(words(line), doc))
    return replace(row, doc="", body="\n".join(code))


def is_of_doc(line: list[str], doc: str) -> bool:
    return len(line) > 1 and " ".join(line) in doc


def commit_pairs(clone: Path, rows: dict[str, list[Row]], tokenizer: Tokenizer, vectors: np.ndarray) -> list[Pair]:
    """Returns the message of each specific commit, with the most similar row of each source file that it changed."""
    pairs, candidates = [], {}
    for message, paths in sample(list(specific_commits(clone, rows, tokenizer)), MAX_COMMITS):
        text = text_tokens(message, tokenizer)
        for path in paths:
            if path not in candidates:
                of_rows = [weighed_fields(row, tokenizer) for row in rows[path]]
                candidates[path] = of_rows, np.array([row_vector(fields, vectors) for fields in of_rows])
            of_rows, of_vectors = candidates[path]
            pairs.append((text, of_rows[int(np.argmax(of_vectors @ text_vector(text, vectors)))]))
    return pairs


def specific_commits(clone: Path, rows: dict[str, list[Row]], tokenizer: Tokenizer) -> Iterator[tuple[str, list[str]]]:
    # Without renames, since rename detection reads the content of files.
    options = ("--no-merges", "--no-renames", "--name-only", "--format=%x01%B%x02")
    log = git(clone, "-c", "core.quotePath=off", "log", *options)
    for entry in log.split("\x01")[1:]:
        message, _, names = entry.partition("\x02")
        message, changed = without_trailers(message), names.split("\n")
        changed = [path for path in changed if path]
        source = [path for path in changed if rows.get(path)]
        is_small = 1 <= len(source) <= MAX_SOURCE_FILES and len(changed) <= MAX_FILES
        if is_small and not ROUTINE.match(message) and is_specific(message, tokenizer):
            yield message, source


def without_trailers(message: str) -> str:
    lines = [line.strip() for line in message.strip().split("\n")[:MAX_LINES]]
    prose = lines[:1] + [line for line in lines[1:] if not TRAILER.match(line)]
    return REFERENCE.sub(" ", " ".join(prose)).strip()[:MAX_CHARS]


def is_specific(text: str, tokenizer: Tokenizer) -> bool:
    return MIN_WORDS <= len(tokenizer.content_words(text)) <= MAX_WORDS


def text_tokens(text: str, tokenizer: Tokenizer) -> Weighed:
    return tokenizer.weighed(tokenizer.content_words(text))


def sample(entries: list, n_most: int) -> list:
    """Returns a reproducible random sample of the entries, in their order."""
    if len(entries) <= n_most:
        return entries
    return [entries[idx] for idx in sorted(random.Random(SEED).sample(range(len(entries)), n_most))]


class Pairs:
    """All pairs as arrays: concatenated tokens and weights, with the end offset of each text and field."""

    def __init__(self):
        self.groups: list[int] = []
        self.texts: list[Weighed] = []
        self.fields: list[Weighed] = []

    def extend(self, pairs: list[Pair], group: int) -> None:
        """Adds the pairs of one kind of one project."""
        for text, fields in pairs:
            self.groups.append(group)
            self.texts.append(text)
            self.fields.extend(fields)

    def write(self, path: Path) -> None:
        np.savez(path, groups=np.array(self.groups), **flat("text", self.texts), **flat("field", self.fields))


def flat(name: str, texts: list[Weighed]) -> dict[str, np.ndarray]:
    return {
        f"{name}_tokens": np.array([token for text in texts for token in text], np.int32),
        f"{name}_weights": np.array([weight for text in texts for weight in text.values()], np.float32),
        f"{name}_ends": np.cumsum([len(text) for text in texts]),
    }


if __name__ == "__main__":
    main()
