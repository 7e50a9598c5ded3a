#!/usr/bin/env python3
"""Asks the questions of `answers/questions.jsonl` and prints each answer beside the expected one.

    judge_answers.py URL [--intent INTENT] [--only ID,...] [--json FILE] [--short]

URL is the MCP endpoint of a server over the repositories of `answers/repositories.json` and the example organisation. The grade
of a reader is what counts; `answers/README.md` has the rubric. The check of this program is only a first sieve: `ok` if the answer has
every expected fragment and cites an expected file, `part` if it has one of both, `miss` otherwise.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import re
import statistics
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass

import server

QUESTIONS = pathlib.Path(__file__).parent / "answers" / "questions.jsonl"

# Characters of a token, on average, as the server estimates them.
CHARACTERS_OF_A_TOKEN = 4


@dataclass(frozen=True)
class Question:
    id: str
    intent: str
    question: str
    expected: str
    # Regular expressions that must occur in the answer.
    must: tuple[str, ...]
    # REPOSITORY:PATH of the files of which one must be cited; empty if the answer has no file.
    citations: tuple[str, ...]


@dataclass(frozen=True)
class JudgedAnswer:
    id: str
    intent: str
    question: str
    expected: str
    answer: str
    confidence: str
    check: str
    # Tokens of the answer, and of the whole result.
    answer_tokens: int
    result_tokens: int
    milliseconds: float


def main() -> None:
    arguments = read_arguments()
    client = server.Client(arguments.url)
    chosen = [one for one in questions() if is_chosen(one, arguments)]
    judged = [ask(client, one) for one in chosen]
    for one in judged:
        if not arguments.short or one.check != "ok":
            print_answer(one)
    print_summary(judged)
    if arguments.json:
        arguments.json.write_text("".join(json.dumps(asdict(one)) + "\n" for one in judged), encoding="utf-8")


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("url", help="the MCP endpoint")
    parser.add_argument("--intent", help="only the questions of one intent")
    parser.add_argument("--only", help="only the questions with these ids, separated by commas")
    parser.add_argument("--json", type=pathlib.Path, help="also write the answers as JSON lines")
    parser.add_argument("--short", action="store_true", help="print only the answers that fail the check")
    return parser.parse_args()


def questions() -> list[Question]:
    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [
        Question(row["id"], row["intent"], row["question"], row["expected"], tuple(row["must"]), tuple(row["citations"])) for row in rows
    ]


def is_chosen(one: Question, arguments: argparse.Namespace) -> bool:
    is_of_intent = arguments.intent is None or one.intent == arguments.intent
    return is_of_intent and (arguments.only is None or one.id in arguments.only.split(","))


def ask(client: server.Client, one: Question) -> JudgedAnswer:
    result, milliseconds = client.call("get_answer", {"question": one.question})
    answer = result.get("answer", "")
    return JudgedAnswer(
        id=one.id,
        intent=one.intent,
        question=one.question,
        expected=one.expected,
        answer=answer,
        confidence=result.get("confidence", ""),
        check=check(one, answer, result.get("citations", [])),
        answer_tokens=len(answer) // CHARACTERS_OF_A_TOKEN,
        result_tokens=len(json.dumps(result, ensure_ascii=False)) // CHARACTERS_OF_A_TOKEN,
        milliseconds=milliseconds,
    )


def check(one: Question, answer: str, citations: list[dict]) -> str:
    """Returns `ok`, `part` or `miss`."""
    has_fragments = all(re.search(fragment, answer) for fragment in one.must)
    cited = {f"{citation['repo']}:{citation['path']}" for citation in citations}
    has_citation = not one.citations or bool(cited & set(one.citations))
    return "ok" if has_fragments and has_citation else "part" if has_fragments or (one.citations and has_citation) else "miss"


def print_answer(one: JudgedAnswer) -> None:
    print(f"{one.id} [{one.check}] {one.question}")
    print(f"  expected: {one.expected}")
    for line in one.answer.splitlines():
        print(f"  | {line}")
    print(f"  {one.confidence}, {one.answer_tokens} of {one.result_tokens} tokens, {one.milliseconds:.0f} ms\n")


def print_summary(judged: list[JudgedAnswer]) -> None:
    by_intent: dict[str, list[JudgedAnswer]] = defaultdict(list)
    for one in judged:
        by_intent[one.intent].append(one)
    for intent, rows in by_intent.items():
        print(f"{intent:14} {summary(rows)}")
    print(f"{'all':14} {summary(judged)}")


def summary(rows: list[JudgedAnswer]) -> str:
    checks = Counter(row.check for row in rows)
    medians = [statistics.median(getattr(row, name) for row in rows) for name in ("answer_tokens", "result_tokens", "milliseconds")]
    return (
        f"ok {checks['ok']:3}  part {checks['part']:3}  miss {checks['miss']:3}   "
        f"median tokens {medians[0]:.0f} of {medians[1]:.0f}, {medians[2]:.0f} ms"
    )


if __name__ == "__main__":
    main()
