"""Kills, stops and restarts parts of the running cluster, and asks both gateways throughout."""

from __future__ import annotations

import collections
import dataclasses
import http.client
import itertools
import json
import os
import pathlib
import subprocess
import sys
import time

PORTS = {"gateway": 7474, "gateway-1": 7484}
BOTH = tuple(PORTS)

# Seconds in which answers are counted after each fault, and the deadlines of the first answer and of recovery.
WINDOW = 6
START_DEADLINE = 180
RECOVERY_DEADLINE = 60

# A worker that hangs costs a call at most the soft deadline of a gateway (2 s), and a margin for a busy machine.
SLOWEST = 5

# Makes every query a new one, so that no cache of a gateway answers instead of the workers.
numbers = itertools.count(1)


@dataclasses.dataclass(frozen=True)
class Fault:
    name: str
    # Commands of compose.
    commands: tuple[str, ...]
    # The gateways that are asked during it.
    gateways: tuple[str, ...] = BOTH
    # Whether the store has lost all: it keeps its objects in memory, and a new one has no bucket.
    is_store_empty: bool = False
    # Whether no answer may claim to be complete. This shows that the others are not complete by mistake.
    is_total: bool = False


FAULTS = [
    Fault("kill a worker", ("kill worker-0",)),
    Fault("start it again", ("start worker-0",)),
    Fault("a worker hangs", ("pause worker-1",)),
    Fault("it goes on", ("unpause worker-1",)),
    Fault("kill two workers", ("kill worker-1", "kill worker-2")),
    Fault("start them again", ("start worker-1", "start worker-2")),
    Fault("kill the indexer", ("kill indexer",)),
    Fault("kill the store", ("kill store",)),
    Fault("restart a worker without a store", ("restart worker-0",)),
    Fault("start the store, empty, and the indexer", ("start store", "start indexer"), is_store_empty=True),
    Fault("the store hangs", ("pause store",)),
    Fault("it goes on", ("unpause store",)),
    Fault("kill a gateway", ("kill gateway",), ("gateway-1",)),
    Fault("start it again", ("start gateway",), ("gateway-1",)),
    Fault("kill all workers", ("kill worker-0", "kill worker-1", "kill worker-2"), is_total=True),
]


def search(port: int, query: str) -> tuple[str, dict]:
    """Returns `complete`, `partial` (with a coverage that says so) or the reason of a failure, and the answer."""
    arguments = {"query": query, "limit": 20}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search_codebase", "arguments": arguments}}
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Authorization": "Bearer trial",
        "MCP-Protocol-Version": "2025-11-25",
    }
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("POST", "/mcp", json.dumps(call), headers)
        text = connection.getresponse().read().decode()
    except (OSError, http.client.HTTPException) as error:
        return f"failed: {error}", {}
    lines = [line.removeprefix("data:") for line in text.splitlines() if line.startswith(("data:", "{"))]
    messages = [json.loads(line) for line in lines if line.strip()]
    result = next((message["result"] for message in messages if "result" in message), {})
    answer = result.get("structuredContent") or {}
    coverage = answer.get("_meta", {}).get("coverage", {})
    if not coverage:
        return f"failed: {text[:300]}", answer
    return "complete" if coverage.get("complete") else "partial", answer


def ask(port: int) -> str:
    outcome, answer = search(port, f"tracking service parcel {next(numbers)}")
    repositories = {one["repo"] for one in answer.get("by_repo", [])}
    if outcome == "complete" and len(repositories) < 2:
        return f"failed: complete, with hits in {sorted(repositories)}"
    return outcome


def has_file(port: int, query: str, path: str) -> bool:
    _, answer = search(port, query)
    return any(hit["path"] == path for hit in answer.get("results", []))


def wait(what: str, deadline: float, is_reached, compose: list[str]) -> float:
    """Returns the seconds until a state is reached. Ends with the logs if it is not."""
    started = time.monotonic()
    while not is_reached():
        if time.monotonic() - started > deadline:
            logs = subprocess.run([*compose, "logs", "--tail", "20"], capture_output=True, text=True).stdout
            sys.exit(f"{what}: not within {deadline} s\n{logs}")
        time.sleep(0.2)
    return time.monotonic() - started


def all_complete() -> bool:
    return all(ask(port) == "complete" for port in PORTS.values())


def observe(fault: Fault, compose: list[str]) -> int:
    """Makes a fault and prints the answers during it. Returns the number of those that may not be."""
    for command in fault.commands:
        subprocess.run([*compose, *command.split()], check=True, capture_output=True)
    if fault.is_store_empty:
        bucket = pathlib.Path(__file__).with_name("bucket.py").read_bytes()
        subprocess.run([*compose, "exec", "-T", "store", "/opt/moto/bin/python", "-"], input=bucket, check=True, capture_output=True)
    counts: collections.Counter[str] = collections.Counter()
    slowest = 0.0
    end = time.monotonic() + WINDOW
    while time.monotonic() < end:
        for gateway in fault.gateways:
            began = time.monotonic()
            counts[ask(PORTS[gateway])] += 1
            slowest = max(slowest, time.monotonic() - began)
    print(f"{fault.name}: " + ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())) + f", the slowest after {slowest:.2f} s")
    if fault.is_total:
        return counts["complete"]
    # A call is never lost. While a fault is noticed, single answers may say that they are partial.
    return sum(count for outcome, count in counts.items() if outcome.startswith("failed")) + (slowest > SLOWEST)


def commit(word: str) -> None:
    """Adds a file with a word to a repository of the cluster."""
    repository = pathlib.Path(os.environ["REPOSITORIES"]) / "parcel-kit"
    (repository / "NOTICE.md").write_text(f"# Notice\n\nThe {word} is new.\n")
    identity = ["-c", "user.name=Ada Byron", "-c", "user.email=ada@harbour.example"]
    for command in (["add", "NOTICE.md"], [*identity, "commit", "--quiet", "--message", "A notice"]):
        subprocess.run(["git", "-C", repository, *command], check=True)


def main(compose: list[str]) -> None:
    seconds = wait("complete answers", START_DEADLINE, all_complete, compose)
    print(f"{seconds:.1f} s from `up` to complete answers of both gateways")
    n_wrong = 0
    for fault in FAULTS:
        n_wrong += observe(fault, compose)
    subprocess.run([*compose, "start", "worker-0", "worker-1", "worker-2"], check=True, capture_output=True)
    seconds = wait("recovery", RECOVERY_DEADLINE, all_complete, compose)
    print(f"start all workers: complete answers of both gateways after {seconds:.1f} s")
    word = "quillwort"
    assert not has_file(PORTS["gateway"], word, "NOTICE.md")
    commit(word)
    seconds = wait("a new commit", RECOVERY_DEADLINE, lambda: all(has_file(port, word, "NOTICE.md") for port in PORTS.values()), compose)
    print(f"a commit after all faults: found through both gateways after {seconds:.1f} s")
    print(f"{len(FAULTS)} faults, {n_wrong} answers that may not be; {next(numbers) - 1} queries")
    if n_wrong:
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
