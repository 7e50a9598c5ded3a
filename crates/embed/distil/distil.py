"""Distils a token table from all-MiniLM-L6-v2, as input of tune.py.

    distil.py MODEL BASE

MODEL is the folder `model` of the unpacked wheel that requirements.txt names. BASE is the output. The table has a vector
for each token of the vocabulary that may occur in code. The vector of a text is the sum of its tokens' vectors.
"""

import argparse
from pathlib import Path

import numpy as np

from minilm import MiniLM
from table import pieces, write_floats

HERE = Path(__file__).parent

N_DIMS = 256

# Weight of the [CLS] state against the token's own state, for the input `[CLS] token [SEP]`. Of .3 .5 .6 .7 .85 1, this value
# gave the best code search. The state of [SEP] made it worse.
CLS_SHARE = 0.7

# Number of leading principal components to remove: they are common to all tokens. Of 0 to 8, 3 to 8 differ by little, and
# fewer are worse.
N_LEADING_COMPONENTS = 6

# Tokens are weighted in the principal component analysis by this power of their frequency, so that the components describe
# frequent words of code. Better than 0, and no worse than .4.
COMPONENT_EXPONENT = 0.25

# Smooth inverse frequency (Arora et al., 2017): the weight of a token is a / (a + p). 1e-4 to 1e-2 were tried.
SIF_A = 3e-3

# The frequency of a token is the geometric mean of two. Counts in code show that `return` carries little information. The
# order of the vocabulary, by frequency in general text, covers tokens that few repositories contain.
CODE_SHARE = 0.5

# Batch size of the encoder, in tokens.
N_BATCH = 512


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("model", type=Path)
    arguments.add_argument("base", type=Path)
    arguments = arguments.parse_args()

    model = MiniLM(arguments.model)
    chosen = sorted((token, token_id) for token_id, token in enumerate(model.vocabulary) if is_of_code(token))
    tokens, token_ids = [token for token, _ in chosen], np.array([token_id for _, token_id in chosen])

    frequencies = token_frequencies(model.vocabulary)[token_ids]
    vectors = reduce(encode(model, token_ids), frequencies**COMPONENT_EXPONENT)
    vectors *= (SIF_A / (SIF_A + frequencies))[:, None]
    write_floats(arguments.base, tokens, vectors)


def is_of_code(token: str) -> bool:
    """Returns true for tokens that may be part of a word of code: ASCII letters and digits; no other script, no marker."""
    text = token.removeprefix("##")
    return text.isascii() and text.isalnum()


def encode(model: MiniLM, token_ids: np.ndarray) -> np.ndarray:
    """Returns the encoder's vector of each token in isolation."""
    cls, sep = (model.vocabulary.index(marker) for marker in ("[CLS]", "[SEP]"))
    encoded = []
    for start in range(0, len(token_ids), N_BATCH):
        batch = token_ids[start : start + N_BATCH]
        states = model.encode(np.stack([np.full_like(batch, cls), batch, np.full_like(batch, sep)], axis=1))
        encoded.append(CLS_SHARE * states[:, 0] + (1 - CLS_SHARE) * states[:, 1])
    return np.concatenate(encoded).astype(np.float64)


def reduce(vectors: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Returns the centred vectors in the basis of their principal components, without the leading ones."""
    shares = weights / weights.sum()
    centred = vectors - shares @ vectors
    _, components = np.linalg.eigh((centred * shares[:, None]).T @ centred)
    components = components[:, ::-1][:, N_LEADING_COMPONENTS : N_LEADING_COMPONENTS + N_DIMS]
    # The sign of a component is arbitrary. Making its largest entry positive keeps runs reproducible.
    largest = components[np.abs(components).argmax(axis=0), np.arange(components.shape[1])]
    return centred @ (components * np.sign(largest))


def token_frequencies(vocabulary: list[str]) -> np.ndarray:
    ids = {token: token_id for token_id, token in enumerate(vocabulary)}
    # Additive smoothing: no token has the frequency zero.
    in_code = np.full(len(vocabulary), 0.5)
    for line in (HERE / "words.tsv").read_text(encoding="utf-8").splitlines():
        word, count = line.split("\t")
        in_code[pieces(word, ids)] += int(count)
    in_text = 1 / (np.arange(len(vocabulary)) + 1)
    mean = (in_code / in_code.sum()) ** CODE_SHARE * (in_text / in_text.sum()) ** (1 - CODE_SHARE)
    return mean / mean.sum()


if __name__ == "__main__":
    main()
