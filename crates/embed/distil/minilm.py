"""The forward pass of a MiniLM sentence encoder, in numpy.

Reduced to short inputs: no padding, no masks, and all texts of a call have the same length.
"""

import json
from pathlib import Path

import numpy as np

# Parameters of the architecture, as in config.json of the model's folder.
N_HEADS = 12
LAYER_NORM_EPSILON = np.float32(1e-12)


class MiniLM:
    """An encoder and its vocabulary, read from the folder of a sentence-transformers model."""

    def __init__(self, folder: Path):
        self.weights = read_safetensors(folder / "model.safetensors")
        self.vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
        self.n_layers = json.loads((folder / "config.json").read_text())["num_hidden_layers"]

    def encode(self, token_ids: np.ndarray) -> np.ndarray:
        """Returns the state of each token of each text: (texts, tokens, dimensions)."""
        w = self.weights
        states = w["embeddings.word_embeddings.weight"][token_ids]
        states = states + w["embeddings.position_embeddings.weight"][: token_ids.shape[1]]
        states = states + w["embeddings.token_type_embeddings.weight"][0]
        states = self._normalise(states, "embeddings.LayerNorm")
        for layer_idx in range(self.n_layers):
            layer = f"encoder.layer.{layer_idx}"
            attended = self._linear(self._attend(states, layer), f"{layer}.attention.output.dense")
            states = self._normalise(states + attended, f"{layer}.attention.output.LayerNorm")
            widened = gelu(self._linear(states, f"{layer}.intermediate.dense"))
            states = self._normalise(states + self._linear(widened, f"{layer}.output.dense"), f"{layer}.output.LayerNorm")
        return states

    def _attend(self, states: np.ndarray, layer: str) -> np.ndarray:
        n_texts, n_tokens, n_dims = states.shape

        def heads(part: str) -> np.ndarray:
            projected = self._linear(states, f"{layer}.attention.self.{part}")
            return projected.reshape(n_texts, n_tokens, N_HEADS, n_dims // N_HEADS).transpose(0, 2, 1, 3)

        query, key, value = heads("query"), heads("key"), heads("value")
        scores = query @ key.transpose(0, 1, 3, 2) / np.float32(np.sqrt(n_dims // N_HEADS))
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares = scores / scores.sum(axis=-1, keepdims=True)
        return (shares @ value).transpose(0, 2, 1, 3).reshape(n_texts, n_tokens, n_dims)

    def _linear(self, states: np.ndarray, name: str) -> np.ndarray:
        flat = states.reshape(-1, states.shape[-1]) @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]
        return flat.reshape(*states.shape[:-1], -1)

    def _normalise(self, states: np.ndarray, name: str) -> np.ndarray:
        centred = states - states.mean(axis=-1, keepdims=True)
        variance = (centred * centred).mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt(variance + LAYER_NORM_EPSILON)
        return scaled * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]


def gelu(x: np.ndarray) -> np.ndarray:
    """Returns GELU: x times the normal distribution function of x, by a rational approximation of erf.

    Abramowitz and Stegun 7.1.26: the error is at most 1.5e-7.
    """
    z = np.abs(x) / np.float32(np.sqrt(2))
    t = 1 / (1 + np.float32(0.3275911) * z)
    factors = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
    polynomial = np.zeros_like(x)
    for factor in factors:
        polynomial = (polynomial + np.float32(factor)) * t
    erf = np.sign(x) * (1 - polynomial * np.exp(-z * z))
    return (x * (1 + erf) / 2).astype(np.float32)


def read_safetensors(path: Path) -> dict[str, np.ndarray]:
    """Returns the float32 tensors of a safetensors file: a length, a JSON index, then the raw numbers."""
    data = path.read_bytes()
    n_index = int.from_bytes(data[:8], "little")
    index = json.loads(data[8 : 8 + n_index])
    tensors = {}
    for name, entry in index.items():
        if entry.get("dtype") == "F32":
            start, end = (8 + n_index + offset for offset in entry["data_offsets"])
            tensors[name] = np.frombuffer(data[start:end], dtype="<f4").reshape(entry["shape"])
    return tensors
