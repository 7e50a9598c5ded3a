"""Distils a table of tokens from all-MiniLM-L6-v2, which tune.py goes on with.

    distil.py MODEL BASE

MODEL is the folder `model` of the unpacked wheel that requirements.txt names; BASE is written. The table has a vector
for each token of the vocabulary that code may contain; the vector of a text is the sum of those of its tokens.
"""

import argparse
from pathlib import Path

import numpy as np

from minilm import MiniLM
from table import pieces, write_floats

HERE = Path(__file__).parent

N_DIMS = 256

# What the encoder says of a token alone: its summary of the text `[CLS] token [SEP]`, and the state of the token itself.
# Of the shares .3 .5 .6 .7 .85 1 this one found code best; the state of [SEP] made it worse.
CLS_SHARE = 0.7

# Leading components are what all tokens have in common. 0 to 8 were tried: 3 to 8 differ by little, fewer are worse.
N_LEADING_COMPONENTS = 6

# Tokens count for the components by this power of their frequency, so that dimensions go to what code talks about.
# Better than 0, and no worse than .4.
COMPONENT_EXPONENT = 0.25

# Smooth inverse frequency (Arora et al., 2017): a token weighs a / (a + p). 1e-4 to 1e-2 were tried.
SIF_A = 3e-3

# The frequency of a token is the geometric mean of two: the one counted in code knows that `return` says little, the one
# of the vocabulary's order, which is by frequency in general text, knows the tokens that few repositories have.
CODE_SHARE = 0.5

# Vectors are computed for so many tokens at once.
N_BATCH = 512


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("model", type=Path)
    arguments.add_argument("base", type=Path)
    arguments = arguments.parse_args()

    model = MiniLM(arguments.model)
    kept = sorted((token, token_id) for token_id, token in enumerate(model.vocabulary) if is_of_code(token))
    tokens, token_ids = [token for token, _ in kept], np.array([token_id for _, token_id in kept])

    frequencies = token_frequencies(model.vocabulary)[token_ids]
    vectors = reduce(encode(model, token_ids), frequencies**COMPONENT_EXPONENT)
    vectors *= (SIF_A / (SIF_A + frequencies))[:, None]
    write_floats(arguments.base, tokens, vectors)


def is_of_code(token: str) -> bool:
    """Tells the tokens that a word of code may be made of: letters and digits of ASCII; no other script, no marker."""
    text = token.removeprefix("##")
    return text.isascii() and text.isalnum()


def encode(model: MiniLM, token_ids: np.ndarray) -> np.ndarray:
    """Returns what the encoder says of each token alone."""
    cls, sep = (model.vocabulary.index(marker) for marker in ("[CLS]", "[SEP]"))
    encoded = []
    for start in range(0, len(token_ids), N_BATCH):
        batch = token_ids[start : start + N_BATCH]
        states = model.encode(np.stack([np.full_like(batch, cls), batch, np.full_like(batch, sep)], axis=1))
        encoded.append(CLS_SHARE * states[:, 0] + (1 - CLS_SHARE) * states[:, 1])
    return np.concatenate(encoded).astype(np.float64)


def reduce(vectors: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Returns the vectors centred, along their principal components without the leading ones."""
    shares = weights / weights.sum()
    centred = vectors - shares @ vectors
    _, components = np.linalg.eigh((centred * shares[:, None]).T @ centred)
    components = components[:, ::-1][:, N_LEADING_COMPONENTS : N_LEADING_COMPONENTS + N_DIMS]
    # A component may point either way; the largest entry decides, so that every run agrees.
    largest = components[np.abs(components).argmax(axis=0), np.arange(components.shape[1])]
    return centred @ (components * np.sign(largest))


def token_frequencies(vocabulary: list[str]) -> np.ndarray:
    ids = {token: token_id for token_id, token in enumerate(vocabulary)}
    # Half an occurrence for each, so that none is impossible.
    in_code = np.full(len(vocabulary), 0.5)
    for line in (HERE / "words.tsv").read_text(encoding="utf-8").splitlines():
        word, count = line.split("\t")
        in_code[pieces(word, ids)] += int(count)
    in_text = 1 / (np.arange(len(vocabulary)) + 1)
    mean = (in_code / in_code.sum()) ** CODE_SHARE * (in_text / in_text.sum()) ** (1 - CODE_SHARE)
    return mean / mean.sum()


if __name__ == "__main__":
    main()
