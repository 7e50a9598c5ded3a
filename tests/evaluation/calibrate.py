#!/usr/bin/env python3
"""Fits the weights of `confidence_score`, and measures how often hits and answers are right by their confidence.

usage: calibrate.py CASES.jsonl CLONES [--url URL] [--write]

The weights are fitted on every other repository in the order of names, and measured on the others. A hit is right if its file is a
gold file, an answer if the file that it cites first is one. Queries without a right file are made by asking a case of all repositories
but its own. `--write` writes `docs/developing/calibration.md`. Copy printed weights into `crates/ranking/src/confidence.rs`. It needs
only the standard library.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import math
import pathlib
import random
from dataclasses import dataclass

import cases
import evaluate
import server
import trees

PAGE = evaluate.ROOT / "docs/developing/calibration.md"

# Hits to request, and to judge: those of a default answer.
N_HITS, N_JUDGED = 20, 5

# Every n-th case is also asked where it has no right file. Weight of such a case in the fit.
EVERY_ABSENT, ABSENT_WEIGHT = 4, 0.4

# Maximum length of a question in characters. Longer ones are rejected.
MAX_QUESTION = 4_000

N_BINS = 10

# Subjects that no software repository has, and names that nothing defines.
NONSENSE = """
quantum teleporter authenticates the warp core
how does the sourdough bakery schedule its ovens
blockchain consensus for penguin migration
where are the invoices of the dentist printed
banana smoothie recipe with oat milk
who feeds the giraffes on sunday
kubernetes operator for lawn mowers
how is the opera house seating plan rendered
xylophone tuning frequency table
the moon landing press conference transcript
volcano eruption early warning sensor network
what happens when a customer returns shoes
payroll tax computation for Norway
how do we train the neural network on dog pictures
tarot card shuffle fairness
asdf qwer zxcv
HyperdriveFluxCapacitor
reticulate_splines_v9
ZorblaxManager.initialize
frobnicateWidgetizer
MarzipanInvoiceGateway
compute_giraffe_altitude
wombat::HatchetFactory
PelicanSubscriptionService.renew
glockenspiel_tuner
what does the marmalade throttle do
where is the saxophone driver configured
class TrombonePolicyResolver
""".strip().splitlines()


@dataclass(frozen=True)
class Hit:
    file: tuple[str, str]
    relevance: float
    # The `confidence_score` that the server returned.
    shown: float
    is_right: bool


@dataclass(frozen=True)
class Search:
    # `single`, `federated`, either with ` absent`, or `nonsense`.
    part: str
    repo: str
    hits: list[Hit]


@dataclass(frozen=True)
class Extract:
    part: str
    repo: str
    confidence: str
    is_right: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=pathlib.Path)
    parser.add_argument("clones", type=pathlib.Path)
    parser.add_argument("--url", help="use a running server on the trees of the cases")
    parser.add_argument("--causeway", type=pathlib.Path, default=evaluate.ROOT / "target/release/causeway")
    parser.add_argument("--work", type=pathlib.Path, default=evaluate.ROOT / "target/evaluation")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(evaluate.ROOT)}")
    arguments = parser.parse_args()
    asked, _ = cases.read(arguments.cases)
    with contextlib.ExitStack() as stack:
        url = arguments.url or stack.enter_context(served(arguments, asked))
        client = server.Client(url)
        searches, answers = ask(client, asked)
    names = sorted({case.repo for case in asked})
    fitted, tested = set(names[::2]), set(names[1::2])
    weights = fit([search for search in searches if search.repo in fitted])
    print("weights:", ", ".join(f"{weight:.3f}" for weight in weights))
    page = page_of([search for search in searches if search.repo in tested or search.part == "nonsense"],
                   [answer for answer in answers if answer.repo in tested or answer.part == "nonsense"], sorted(fitted), sorted(tested))
    print(page)
    if arguments.write:
        PAGE.write_text(page)


@contextlib.contextmanager
def served(arguments: argparse.Namespace, asked: list[cases.Case]):
    work = arguments.work.resolve()
    (work / "trees").mkdir(parents=True, exist_ok=True)
    checkouts = trees.materialise(asked, arguments.clones.resolve(), work / "trees")
    with evaluate.indexed_and_served(arguments.causeway.resolve(), work, checkouts) as url:
        yield url


def ask(client: server.Client, asked: list[cases.Case]) -> tuple[list[Search], list[Extract]]:
    """Sends every query to `search_codebase` and `get_answer`."""
    names = sorted({case.repo for case in asked})
    draw = random.Random("absent")
    queries: list[tuple[str, str, str, str, tuple[str, ...]]] = []
    for number, case in enumerate(asked):
        others = [name for name in names if name != case.repo]
        queries.append(("single", case.repo, case.query, case.repo, case.gold_files))
        queries.append(("federated", case.repo, case.query, "all", case.gold_files))
        if number % EVERY_ABSENT == 0:
            queries.append(("single absent", case.repo, case.query, draw.choice(others), ()))
            queries.append(("federated absent", case.repo, case.query, ",".join(others), ()))
    queries += [("nonsense", "", query, "all", ()) for query in NONSENSE]
    searches, answers = [], []
    for part, repo, query, scope, gold in queries:
        def is_right(place: dict) -> bool:
            return place["repo"] == repo and place["path"] in gold
        found, _ = client.call("search_codebase", {"query": query, "repo": scope, "limit": N_HITS})
        hits = [Hit((hit["repo"], hit["path"]), hit["relevance_score"], hit["confidence_score"], is_right(hit)) for hit in found["results"]]
        searches.append(Search(part, repo, hits))
        answer, _ = client.call("get_answer", {"question": query[:MAX_QUESTION], "repo": scope})
        cited = answer["citations"][:1]
        answers.append(Extract(part, repo, answer["confidence"], any(map(is_right, cited))))
    return searches, answers


def features(search: Search) -> list[tuple[list[float], bool]]:
    """Returns the features of each hit, as in `crates/ranking/src/confidence.rs`."""
    best: dict[tuple[str, str], float] = {}
    for hit in search.hits:
        best[hit.file] = max(best.get(hit.file, 0.0), hit.relevance)
    ranks = {file: rank for rank, file in enumerate(best)}
    rows = []
    for hit in search.hits:
        relevance, inverse = best[hit.file], 1 / (ranks[hit.file] + 1)
        other = max((value for file, value in best.items() if file != hit.file), default=0.0)
        share = relevance / (relevance + other) if relevance > 0 else 0.0
        up_to_one = min(relevance, 1.0)
        rows.append(([1.0, inverse, inverse * up_to_one, inverse * math.sqrt(relevance / 10), up_to_one * share],
                     hit.is_right))
    return rows


def fit(searches: list[Search]) -> list[float]:
    """Returns the weights of a logistic regression, by Newton's method."""
    rows = [(x, right, ABSENT_WEIGHT if search.part.endswith("absent") else 1.0)
            for search in searches for x, right in features(search)[:N_JUDGED]]
    n = len(rows[0][0])
    weights = [0.0] * n
    for _ in range(25):
        gradient, hessian = [0.0] * n, [[1e-3 * (i == j) for j in range(n)] for i in range(n)]
        for x, right, case_weight in rows:
            p = probability(weights, x)
            for i in range(n):
                gradient[i] += case_weight * (right - p) * x[i]
                for j in range(n):
                    hessian[i][j] += case_weight * p * (1 - p) * x[i] * x[j]
        weights = [weight + step for weight, step in zip(weights, solve(hessian, gradient))]
    return weights


def probability(weights: list[float], x: list[float]) -> float:
    return 1 / (1 + math.exp(-sum(weight * value for weight, value in zip(weights, x))))


def solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    rows = [row + [value] for row, value in zip(matrix, right)]
    for i in range(len(rows)):
        pivot = max(range(i, len(rows)), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for k in range(len(rows)):
            if k != i:
                factor = rows[k][i] / rows[i][i]
                rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i])]
    return [row[-1] / row[i] for i, row in enumerate(rows)]


def bins_of(pairs: list[tuple[float, bool]]) -> list[tuple[int, float, float]]:
    """Returns number, mean confidence and share of right ones for each tenth of the scale."""
    bins: dict[int, list[tuple[float, bool]]] = collections.defaultdict(list)
    for pair in pairs:
        bins[min(int(pair[0] * N_BINS), N_BINS - 1)].append(pair)
    mean = lambda values: sum(values) / len(values)
    return [(len(of), mean([c for c, _ in of]), mean([right for _, right in of])) if (of := bins.get(n)) else (0, 0.0, 0.0)
            for n in range(N_BINS)]


def calibration_error(pairs: list[tuple[float, bool]]) -> float:
    return sum(n * abs(confidence - right) for n, confidence, right in bins_of(pairs)) / max(len(pairs), 1)


def page_of(searches: list[Search], answers: list[Extract], fitted: list[str], tested: list[str]) -> str:
    by_part: dict[str, list[tuple[float, bool]]] = collections.defaultdict(list)
    for search in searches:
        by_part[search.part] += [(hit.shown, hit.is_right) for hit in search.hits[:N_JUDGED]]
    for scope in ("single", "federated"):
        by_part[f"{scope}, with absent"] = by_part[scope] + by_part[f"{scope} absent"]
    tops = sorted((max((hit.relevance for hit in search.hits[:N_JUDGED]), default=0.0), max((hit.shown for hit in search.hits), default=0.0))
                  for search in searches if search.part == "nonsense")
    below = sum(relevance < 1 for relevance, _ in tops)
    ordered = sum(all(a.shown >= b.shown for a, b in zip(search.hits, search.hits[1:])) for search in searches)
    shown = ("single", "single, with absent", "federated", "federated, with absent")
    lines = [
        "# Calibration of confidence", "",
        "`tests/evaluation/calibrate.py` fits the weights of `confidence_score`, and writes this page. A hit counts as right if its file is one",
        "of the judged files of the query. An answer counts as right if the file that it cites first is. The real figures are higher, since other files",
        "can answer a query too.", "",
        f"Fitted on {', '.join(fitted)}. Measured on {', '.join(tested)}. *Absent* queries are asked of repositories that do not have the answer.", "",
        "## Hits of `search_codebase`", "",
        "The first five hits of each query. Expected calibration error is the mean distance between confidence and frequency.", "",
        "| queries | hits | expected calibration error |", "|---|---|---|",
        *(f"| {part} | {len(by_part[part])} | {calibration_error(by_part[part]):.3f} |" for part in shown), "",
        "| confidence | " + " | ".join(f"{part}: hits, mean, right" for part in shown) + " |", "|---" * (len(shown) + 1) + "|",
    ]
    tables = [bins_of(by_part[part]) for part in shown]
    for n in range(N_BINS):
        cells = [f"{count}, {confidence:.2f}, {right:.2f}" if count else "" for count, confidence, right in (table[n] for table in tables)]
        lines.append(f"| {n / N_BINS:.1f} to {(n + 1) / N_BINS:.1f} | " + " | ".join(cells) + " |")
    lines += ["", f"Of {len(searches)} searches, {ordered} have hits in the order of `confidence_score`.", "",
              f"Of {len(tops)} queries about things that do not exist, {below} have no hit with a relevance of 1 or more. The highest confidence of "
              f"a hit is {max((shown for _, shown in tops), default=0.0):.2f}.", "",
              "## Answers of `get_answer` without a model", "",
              "| queries | " + " | ".join(f"{word}: answers, right" for word in ("high", "medium", "low")) + " |", "|---|---|---|---|"]
    for part in ("single", "federated", "single absent", "federated absent", "nonsense"):
        cells = []
        for word in ("high", "medium", "low"):
            right = [answer.is_right for answer in answers if (answer.part, answer.confidence) == (part, word)]
            cells.append(f"{len(right)}, {sum(right) / len(right):.2f}" if right else "0")
        lines.append(f"| {part} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
