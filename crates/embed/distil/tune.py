"""Tunes the token table on pairs of a text and the code it describes, and writes `../model/tokens.bin`.

    tune.py BASE PAIRS [--npz FILE]

BASE is the output of distil.py, PAIRS that of pairs.py. The loss is symmetric InfoNCE: within a batch, each text should be most
similar to its own code, and each code to its own text. The same input gives the same table on one machine. Other machines may
sum in another order.
"""

import argparse
from pathlib import Path

import numpy as np
from scipy import sparse

from meaning import FIELDS, MIN_LENGTH
from table import read_floats, write_floats, write_table

N_EPOCHS = 4

# Pairs per batch: each pair has N_BATCH - 1 negatives.
N_BATCH = 512

# Temperature of the softmax over cosines. A lower value weighs the nearest negatives more.
TEMPERATURE = 0.07

# Probability of dropping a token in each step, so that no single token decides.
DROPOUT = 0.3

# Adam (Kingma and Ba, 2015) with linear decay to zero, for vectors of mean length 1. The second moment decays faster than
# usual, since there are only about a thousand steps.
RATE = 0.004
BETA_1, BETA_2 = 0.9, 0.99
EPSILON = 1e-6

# Lower bound of the length of a sum after dropout: shorter sums have no meaningful direction.
MIN_SUM = 1e-3

SEED = 0


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("base", type=Path)
    arguments.add_argument("pairs", type=Path)
    arguments.add_argument("--npz", type=Path, help="also write tokens and float vectors here")
    arguments = arguments.parse_args()

    tokens, base = read_floats(arguments.base)
    mean_length = np.linalg.norm(base, axis=1).mean()
    pairs = Pairs(arguments.pairs, len(tokens))
    tuned = tune(base / mean_length, pairs) * mean_length
    write_table(tokens, tuned)
    if arguments.npz:
        write_floats(arguments.npz, tokens, tuned)


class Pairs:
    """Texts and rows as sparse matrices of tokens."""

    def __init__(self, path: Path, n_tokens: int):
        with np.load(path) as arrays:
            # A number for each project and kind of pair, so that a batch can be of one group.
            self.groups = arrays["groups"]
            self.texts = matrix(arrays, "text", n_tokens)
            # A row for each field of each pair.
            self.fields = matrix(arrays, "field", n_tokens)
        self.n = len(self.groups)
        self.text_ids = ids_of(self.texts)

    def rows(self, vectors: np.ndarray) -> sparse.csr_array:
        """Returns the weighted tokens of rows. With these vectors, the length of each field equals its weight."""
        lengths = np.maximum(np.linalg.norm(self.fields @ vectors, axis=1), MIN_LENGTH)
        weights = np.tile(np.array(list(FIELDS.values()), np.float32), self.n) / lengths
        starts = np.arange(0, len(weights) + 1, len(FIELDS))
        weigh = sparse.csr_array((weights, np.arange(len(weights)), starts), (self.n, len(weights)))
        return (weigh @ self.fields).astype(np.float32)


def matrix(arrays, name: str, n_tokens: int) -> sparse.csr_array:
    starts = np.concatenate([[0], arrays[f"{name}_ends"]])
    shape = len(starts) - 1, n_tokens
    return sparse.csr_array((arrays[f"{name}_weights"], arrays[f"{name}_tokens"], starts), shape)


def ids_of(texts: sparse.csr_array) -> np.ndarray:
    """Returns an id for each text; equal texts have equal ids."""
    numbers: dict[bytes, int] = {}
    spans = zip(texts.indptr[:-1], texts.indptr[1:])
    return np.array([numbers.setdefault(texts.indices[start:end].tobytes(), len(numbers)) for start, end in spans])


def tune(base: np.ndarray, pairs: Pairs) -> np.ndarray:
    random = np.random.default_rng(SEED)
    schedule = [batches(pairs.groups, epoch, random) for epoch in range(N_EPOCHS)]
    n_steps = sum(len(epoch) for epoch in schedule)
    vectors, mean, variance = base.copy(), np.zeros_like(base), np.zeros_like(base)
    step = 0
    for epoch, of_epoch in enumerate(schedule):
        # The lengths of fields are computed once per epoch, and are constant within it.
        rows = pairs.rows(vectors)
        losses = []
        for batch in of_epoch:
            texts, codes = dropout(pairs.texts[batch], random), dropout(rows[batch], random)
            same = pairs.text_ids[batch]
            loss, gradient = contrast(texts, codes, same[:, None] == same[None, :], vectors)
            step += 1
            mean += (1 - BETA_1) * (gradient - mean)
            variance += (1 - BETA_2) * (gradient * gradient - variance)
            rate = RATE * (1 - step / (n_steps + 1))
            unbiased_mean, unbiased_variance = mean / (1 - BETA_1**step), variance / (1 - BETA_2**step)
            vectors -= rate * unbiased_mean / (np.sqrt(unbiased_variance) + EPSILON)
            losses.append(loss)
        print(f"epoch {epoch}: {len(of_epoch)} batches, loss {np.mean(losses):.3f}", flush=True)
    return vectors


def batches(groups: np.ndarray, epoch: int, random: np.random.Generator) -> list[np.ndarray]:
    """Returns the batches of an epoch.

    In even epochs each batch is of one group, so that words which are common in a whole project do not help. In odd epochs
    batches mix all groups.
    """
    strata = groups if epoch % 2 == 0 else np.zeros_like(groups)
    parts = [np.flatnonzero(strata == group) for group in np.unique(strata)]
    made = []
    for part in parts:
        shuffled = random.permutation(part)
        made += [shuffled[start : start + N_BATCH] for start in range(0, len(part) - N_BATCH + 1, N_BATCH)]
    return [made[idx] for idx in random.permutation(len(made))]


def dropout(texts: sparse.csr_array, random: np.random.Generator) -> sparse.csr_array:
    kept = random.random(len(texts.data), np.float32) >= DROPOUT
    return sparse.csr_array((texts.data * kept / np.float32(1 - DROPOUT), texts.indices, texts.indptr), texts.shape)


def contrast(texts, codes, same: np.ndarray, vectors: np.ndarray) -> tuple[float, np.ndarray]:
    """Returns the loss of a batch and its gradient by the vectors. A pair with the same text is not a negative."""
    x, x_lengths = directions(texts @ vectors)
    y, y_lengths = directions(codes @ vectors)
    own = np.eye(len(x), dtype=bool)
    scores = np.where(same & ~own, -np.inf, x @ y.T / np.float32(TEMPERATURE))
    to_code, to_text = softmax(scores, 1), softmax(scores, 0)
    loss = -np.log(np.maximum(np.diag(to_code) * np.diag(to_text), np.float32(1e-12))).mean() / 2
    by_score = (to_code + to_text - 2 * own).astype(np.float32) / np.float32(2 * len(x) * TEMPERATURE)
    gradient = texts.T @ tangential(by_score @ y, x, x_lengths) + codes.T @ tangential(by_score.T @ x, y, y_lengths)
    return float(loss), gradient


def directions(sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    lengths = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), np.float32(MIN_SUM))
    return sums / lengths, lengths


def tangential(gradient: np.ndarray, unit: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Returns the gradient by the unnormalised sums, from the gradient by their directions."""
    return (gradient - (gradient * unit).sum(axis=1, keepdims=True) * unit) / lengths


def softmax(scores: np.ndarray, axis: int) -> np.ndarray:
    shares = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return shares / shares.sum(axis=axis, keepdims=True)


if __name__ == "__main__":
    main()
