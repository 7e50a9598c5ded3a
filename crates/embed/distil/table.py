"""The token table: its file format `../model/tokens.bin`, its float form, and the tokenisation of words."""

import zlib
from pathlib import Path

import numpy as np

OUTPUT = Path(__file__).parent.parent / "model" / "tokens.bin"

# Header: the magic bytes, then version, dimensions, number of tokens, bytes of the vocabulary, and a checksum of the rest;
# all little-endian.
MAGIC = b"CWTOKENS"
VERSION = 1


def write_table(tokens: list[str], vectors: np.ndarray) -> None:
    """Writes the quantised table: the scale of each token, its codes, and its text."""
    scales = (np.abs(vectors).max(axis=1) / 127).astype("<f4")
    codes = np.rint(vectors / scales[:, None].astype(np.float64)).clip(-127, 127).astype(np.int8)
    vocabulary = "".join(f"{token}\n" for token in tokens).encode()
    rest = scales.tobytes() + codes.tobytes() + vocabulary
    numbers = (VERSION, vectors.shape[1], len(tokens), len(vocabulary), zlib.crc32(rest))
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_bytes(MAGIC + b"".join(number.to_bytes(4, "little") for number in numbers) + rest)
    print(f"{len(tokens)} tokens, {OUTPUT.stat().st_size} bytes")


def write_floats(path: Path, tokens: list[str], vectors: np.ndarray) -> None:
    """Writes tokens and unquantised vectors, for the next step."""
    np.savez(path, tokens=np.array(tokens), vectors=vectors.astype(np.float32))


def read_floats(path: Path) -> tuple[list[str], np.ndarray]:
    with np.load(path) as floats:
        return [str(token) for token in floats["tokens"]], floats["vectors"].astype(np.float32)


def pieces(word: str, ids: dict[str, int]) -> list[int]:
    """Returns the tokens of a word by greedy longest-prefix matching; none if a part is not in the vocabulary."""
    found, start = [], 0
    while start < len(word):
        prefix = "##" if start else ""
        end = next((end for end in range(len(word), start, -1) if prefix + word[start:end] in ids), None)
        if end is None:
            return []
        found.append(ids[prefix + word[start:end]])
        start = end
    return found
