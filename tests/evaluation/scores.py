"""Quality of rankings: figures per case, their means, and bootstrap confidence intervals.

Gold files are those that were changed or written, not all that would have helped. So the figures only serve for comparison, and 1
cannot be reached.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

# Maximum rank for MRR and nDCG.
DEPTH = 10

# Number of bootstrap resamples, and the indices of the 95 % interval among the sorted ones.
RESAMPLES = 500
LOW, HIGH = 12, 487

FIGURES = ("mrr", "r1", "r5", "r10", "ndcg")


@dataclass(frozen=True)
class Means:
    n: int
    # By name of the metric.
    mean: dict[str, float]
    # For MRR and recall@5: lower and upper bound.
    interval: dict[str, tuple[float, float]]


def of_case(gold: tuple[str, ...], ranked: list[str]) -> dict[str, float]:
    """Returns the figures of one ranking. Duplicates count once."""
    rank = {name: place for place, name in enumerate(dict.fromkeys(ranked), 1)}
    ranks = sorted(rank[name] for name in gold if name in rank)
    figures = {"mrr": 1 / ranks[0] if ranks and ranks[0] <= DEPTH else 0.0}
    for k in (1, 5, 10):
        # The first rank has one file only, so one gold file is the maximum.
        reachable = min(len(gold), k) if k == 1 else len(gold)
        figures[f"r{k}"] = sum(place <= k for place in ranks) / reachable
    gained = sum(1 / math.log2(place + 1) for place in ranks if place <= DEPTH)
    ideal = sum(1 / math.log2(place + 2) for place in range(min(len(gold), DEPTH)))
    return figures | {"ndcg": gained / ideal}


class Intervals:
    """Computes the bootstraps of one table with a fixed seed, so that runs are reproducible."""

    def __init__(self) -> None:
        self._random = random.Random(0)

    def means(self, cases: list[dict[str, float]]) -> Means:
        mean = {name: sum(case[name] for case in cases) / len(cases) for name in FIGURES}
        interval = {name: self._of([case[name] for case in cases]) for name in ("mrr", "r5")}
        return Means(len(cases), mean, interval)

    def _of(self, values: list[float]) -> tuple[float, float]:
        n = len(values)
        means = sorted(sum(self._random.choices(values, k=n)) / n for _ in range(RESAMPLES))
        return means[LOW], means[HIGH]


def percentile(values: list[float], part: float) -> float:
    """Returns the percentile of values for a fraction `part`."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * part), len(ordered) - 1)]
