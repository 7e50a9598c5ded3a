"""Vectors of rows, computed like in `crates/index/src/row_vectors.rs`.

The vector of a field is the normalised sum of its words. The vector of a row is the normalised weighted sum of its fields.
"""

import math

import numpy as np

from rows import Row
from words import Tokenizer, Weighed, words

# The fields of a row with their weights.
FIELDS = {"name": 1.0, "path": 1.0, "parent": 0.5, "signature": 1.0, "doc": 1.0, "body": 1.0}

# Lower bound of the length in a normalisation: shorter sums have no meaningful direction.
MIN_LENGTH = 1e-6


def weighed_fields(row: Row, tokenizer: Tokenizer) -> list[Weighed]:
    """Returns the weighted tokens of each field. A word of the body weighs the square root of its count."""
    texts = [(words(getattr(row, field)), math.sqrt if field == "body" else float) for field in FIELDS]
    return [tokenizer.weighed(of_field, weigh) for of_field, weigh in texts]


def row_vector(fields: list[Weighed], vectors: np.ndarray) -> np.ndarray:
    return direction(sum(weight * text_vector(field, vectors) for field, weight in zip(fields, FIELDS.values())))


def text_vector(tokens: Weighed, vectors: np.ndarray) -> np.ndarray:
    weights = np.fromiter(tokens.values(), np.float32, len(tokens))
    return direction(weights @ vectors[list(tokens)])


def direction(vector: np.ndarray) -> np.ndarray:
    return vector / max(float(np.linalg.norm(vector)), MIN_LENGTH)
