#!/usr/bin/env python3
"""Measures the quality of the ranking through the MCP server.

It creates the work trees of the cases, indexes and serves them, sends every case over MCP, and prints one table. Worse figures are
no failure, but a case without an answer is. `make eval` runs it. It needs only the standard library.
"""

from __future__ import annotations

import argparse
import contextlib
import pathlib
import sys
import tempfile

import cases
import report
import runs
import server
import trees

ROOT = pathlib.Path(__file__).resolve().parents[2]
BASELINE = pathlib.Path(__file__).with_name("baseline.json")

# Maximum number of failures that are printed.
MAX_SHOWN = 10


def main() -> None:
    arguments = read_arguments()
    asked, cases_hash = cases.read(arguments.cases)
    work = arguments.work.resolve()
    for folder in ("trees", "runs"):
        (work / folder).mkdir(parents=True, exist_ok=True)
    checkouts = trees.materialise(asked, arguments.clones.resolve(), work / "trees")

    with contextlib.ExitStack() as stack:
        url = arguments.url or stack.enter_context(indexed_and_served(arguments.causeway.resolve(), work, checkouts))
        client = server.Client(url, arguments.token)
        done = []
        for part in arguments.parts:
            texts = runs.texts(part, asked, work / "trees")
            done.append(runs.run(part, texts, client, work / "runs" / f"{part.name}.jsonl"))

    baseline = report.Baseline.read(BASELINE)
    print(report.table(done, baseline, cases_hash))
    if beside := report.long_beside_short(done):
        print("\n" + beside)
    failures = [failure for run in done for failure in run.failures]
    if failures:
        print("\n".join(failures[:MAX_SHOWN]), file=sys.stderr)
        raise SystemExit(f"{len(failures)} cases had no complete answer")
    if arguments.write_baseline:
        baseline.with_runs(cases_hash, done).write(BASELINE)
        print(f"\nwritten: {BASELINE.relative_to(ROOT)}")


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=pathlib.Path, help="a JSON Lines file of cases")
    parser.add_argument("clones", type=pathlib.Path, help="folder of the clones: OWNER/NAME, OWNER/NAME.git or OWNER+NAME")
    parser.add_argument("--parts", type=read_parts, default=runs.PARTS, metavar="NAME,...",
                        help=f"parts to run; default: {', '.join(part.name for part in runs.PARTS)}")
    parser.add_argument("--causeway", type=pathlib.Path, default=ROOT / "target/release/causeway", help="the program")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "target/evaluation", help="folder for trees and rankings")
    parser.add_argument("--url", help="use a running server on these trees instead of a new one")
    parser.add_argument("--token", help="token of that server")
    parser.add_argument("--write-baseline", action="store_true", help="write the figures into baseline.json")
    return parser.parse_args()


def read_parts(text: str) -> list[runs.Part]:
    by_name = {part.name: part for part in runs.PARTS}
    names = text.replace(",", " ").split()
    unknown = [name for name in names if name not in by_name]
    if unknown:
        raise argparse.ArgumentTypeError(f"no part {', '.join(unknown)}; there are {', '.join(by_name)}")
    return [part for part in runs.PARTS if part.name in names] or runs.PARTS


@contextlib.contextmanager
def indexed_and_served(causeway: pathlib.Path, work: pathlib.Path, checkouts: list[pathlib.Path]):
    with tempfile.TemporaryDirectory(prefix="data-", dir=work) as data:
        folder = pathlib.Path(data)
        print(server.index(causeway, folder, checkouts).line(), flush=True)
        with server.serving(causeway, folder, checkouts) as url:
            yield url


if __name__ == "__main__":
    main()
