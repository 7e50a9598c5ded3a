"""Text to weighted tokens of the table, like in the program: words are split at case, digits and punctuation."""

import re
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Callable

from table import pieces

# The file that defines the stop words of queries.
QUERY_SOURCE = Path(__file__).resolve().parents[2] / "ranking" / "src" / "query" / "vocabulary.rs"

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

# Longer words are encoded data; the program has the same limit.
MAX_WORD_CHARS = 100

# Maximum number of words of a field, as in `crates/index/src/row_vectors.rs`.
MAX_WORDS = 1_000

# Token ids with their weights.
Weighed = dict[int, float]


def words(text: str) -> list[str]:
    """Returns the words of a text, without accents. The table has no other scripts, so these are dropped."""
    if not text.isascii():
        text = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    return [word.lower() for word in WORD.findall(text)]


class Tokenizer:
    """Maps texts to token ids, with a cache of words."""

    def __init__(self, tokens: list[str]):
        self.ids = {token: token_id for token_id, token in enumerate(tokens)}
        self.known: dict[str, list[int]] = {}
        stop_words = re.search(r"const STOP_WORDS: [^=]*= &\[(.*?)\];", QUERY_SOURCE.read_text(), re.DOTALL)
        self.stop_words = frozenset(re.findall(r'"([^"]+)"', stop_words[1]))

    def weighed(self, some_words: list[str], weigh: Callable[[int], float] = float) -> Weighed:
        """Returns the tokens of words, each weighted by the count of its word."""
        weights: Weighed = {}
        for word, count in Counter(some_words[:MAX_WORDS]).items():
            for token_id in self.of_word(word):
                weights[token_id] = weights.get(token_id, 0.0) + weigh(count)
        return weights

    def content_words(self, text: str) -> list[str]:
        """Returns the words of a natural-language text without stop words."""
        content = (word for word in text.split() if word.strip(".,:;!?()\"'`").lower() not in self.stop_words)
        return words(" ".join(content))

    def of_word(self, word: str) -> list[int]:
        if word not in self.known:
            self.known[word] = pieces(word, self.ids) if len(word) <= MAX_WORD_CHARS else []
        return self.known[word]
