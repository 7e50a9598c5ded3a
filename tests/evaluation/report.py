"""The table of figures, and the baseline for comparison."""

from __future__ import annotations

import json
import pathlib
from dataclasses import dataclass

from runs import Row, Run

# Number of digits in a baseline. More digits are noise.
DIGITS = 4


@dataclass(frozen=True)
class Baseline:
    # Hash of the cases of the baseline.
    cases: str
    figures: dict[str, dict]

    @staticmethod
    def read(path: pathlib.Path) -> Baseline:
        if not path.exists():
            return Baseline("", {})
        raw = json.loads(path.read_text())
        return Baseline(raw["cases"], raw["figures"])

    def with_runs(self, cases: str, runs: list[Run]) -> Baseline:
        """Returns a baseline with the figures of these runs. Other figures of the same cases stay."""
        unchanged = self.figures if self.cases == cases else {}
        new = {key(run, row): as_figures(row) for run in runs for row in run.rows}
        return Baseline(cases, unchanged | new)

    def write(self, path: pathlib.Path) -> None:
        # One line per row, so that diffs are readable.
        lines = ",\n".join(f"    {json.dumps(name)}: {json.dumps(self.figures[name])}" for name in sorted(self.figures))
        path.write_text(f'{{\n  "cases": {json.dumps(self.cases)},\n  "figures": {{\n{lines}\n  }}\n}}\n')


def key(run: Run, row: Row) -> str:
    return f"{run.part.name} {row.level} {row.kind}"


def as_figures(row: Row) -> dict:
    """Returns the figures for a baseline: without latencies, which depend on the machine."""
    return {"n": row.means.n} | {name: round(value, DIGITS) for name, value in row.means.mean.items()}


def table(runs: list[Run], baseline: Baseline, cases: str) -> str:
    """Returns all figures; MRR and recall@5 with their 95 % intervals and the change against the baseline."""
    known = baseline.figures if baseline.cases == cases else {}
    lines = [f"{'part':13} {'level':6} {'kind':12} {'n':>4}  {'MRR@10':^20} {'change':>6}  {'recall@5':^20} {'change':>6}  "
             f"{'R@1':>5} {'R@10':>5} {'nDCG':>5}  {'p50 ms':>6} {'p95':>6}"]
    for run in runs:
        for row in run.rows:
            before = known.get(key(run, row), {})
            mean = row.means.mean
            cells = [f"{run.part.name:13} {row.level:6} {row.kind:12} {row.means.n:4}"]
            for name in ("mrr", "r5"):
                low, high = row.means.interval[name]
                cells.append(f"{mean[name]:.3f} [{low:.3f},{high:.3f}] {change(mean[name], before.get(name)):>6}")
            cells.append(f"{mean['r1']:.3f} {mean['r10']:.3f} {mean['ndcg']:.3f}")
            cells.append("" if row.p50 is None else f"{row.p50:6.1f} {row.p95:6.1f}")
            lines.append("  ".join(cells).rstrip())
    if baseline.figures and not known:
        lines.append("changes are not shown: the baseline has other cases")
    return "\n".join(lines)


def change(now: float, before: float | None) -> str:
    if before is None:
        return ""
    return "=" if round(now, DIGITS) == before else f"{now - before:+.3f}"


def long_beside_short(runs: list[Run]) -> str:
    """Compares long texts with short ones on the same cases; empty if one of them was not run."""
    by_name = {run.part.name: run for run in runs}
    lines = []
    for run in runs:
        short = by_name.get(run.part.beside or "")
        if short is None:
            continue
        for row in run.rows:
            other = next((other for other in short.rows if (other.level, other.kind) == (row.level, row.kind)), None)
            if other is None:
                continue
            lines.append(f"{run.part.name:9} {row.level:6} {row.kind:8}"
                         + "".join(f"  {label} {other.means.mean[name]:.3f} -> {row.means.mean[name]:.3f} ({row.means.mean[name] - other.means.mean[name]:+.3f})"
                                   for label, name in (("MRR@10", "mrr"), ("recall@5", "r5")))
                         + (f"  p50 {other.p50:.1f} -> {row.p50:.1f} ms" if row.p50 is not None and other.p50 is not None else ""))
    return "\n".join(["short -> long:", *lines]) if lines else ""
