"""Counts the words of the source code below the given folders.

    count.py FOLDER... > words.tsv

Identifiers and comments are split at changes of case, at digits and at punctuation. Words are in lower case.
"""

import os
import re
import sys
from collections import Counter
from pathlib import Path

SOURCE = {".py", ".rs", ".go", ".js", ".ts", ".tsx", ".vue", ".java", ".c", ".h", ".hpp", ".cpp", ".cc"}

# Larger files are generated.
MAX_BYTES = 1_000_000

# Rarer words are mostly names and typing errors. Their parts are counted as words of their own.
MIN_COUNT = 5

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def main() -> None:
    counts: Counter[str] = Counter()
    for folder in sys.argv[1:]:
        for path in source_files(Path(folder)):
            counts.update(word.lower() for word in WORD.findall(path.read_text(encoding="utf-8", errors="ignore")))
    for word, count in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])):
        if count >= MIN_COUNT:
            print(word, count, sep="\t")


def source_files(folder: Path):
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != ".git")
        for path in (Path(parent) / name for name in sorted(names)):
            if path.suffix in SOURCE and path.stat().st_size <= MAX_BYTES:
                yield path


if __name__ == "__main__":
    main()
