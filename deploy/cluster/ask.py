"""Kills and restarts parts of the running cluster, and asks both gateways throughout."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import time

PORTS = {"gateway": 7474, "gateway-1": 7484}
QUESTION = {"question": "How does the customer portal talk to the tracking service?"}

# Each fault: its name, the commands that make it, and the gateways that must answer during it.
FAULTS = [
    ("kill a worker", ["kill worker-0"], ["gateway", "gateway-1"]),
    ("start it again", ["start worker-0"], ["gateway", "gateway-1"]),
    ("kill two workers", ["kill worker-1", "kill worker-2"], ["gateway", "gateway-1"]),
    ("start them again", ["start worker-1", "start worker-2"], ["gateway", "gateway-1"]),
    ("kill the indexer", ["kill indexer"], ["gateway", "gateway-1"]),
    ("kill the store", ["kill store"], ["gateway", "gateway-1"]),
    ("restart a worker without a store", ["restart worker-0"], ["gateway", "gateway-1"]),
    ("start store and indexer again", ["start store", "start indexer"], ["gateway", "gateway-1"]),
    ("kill a gateway", ["kill gateway"], ["gateway-1"]),
    ("start it again", ["start gateway"], ["gateway-1"]),
]

# Seconds in which answers are counted after each fault, and the deadline of the first answer.
WINDOW = 6
START_DEADLINE = 180


def ask(port: int) -> str:
    """Returns `complete`, `partial` (with a coverage that says so) or the reason of a failure."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "get_answer", "arguments": QUESTION}}
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
    except OSError as error:
        return f"failed: {error}"
    lines = [line.removeprefix("data:") for line in text.splitlines() if line.startswith(("data:", "{"))]
    messages = [json.loads(line) for line in lines if line.strip()]
    answer = next((message["result"].get("structuredContent") or {} for message in messages if "result" in message), {})
    repositories = {citation["repo"] for citation in answer.get("citations", [])}
    is_complete = answer.get("_meta", {}).get("coverage", {}).get("complete", False)
    if is_complete and len(repositories) >= 2:
        return "complete"
    return "partial" if answer and not is_complete else f"failed: {text[:200]}"


def main(compose: list[str]) -> None:
    started = time.monotonic()
    while not all(ask(port) == "complete" for port in PORTS.values()):
        if time.monotonic() - started > START_DEADLINE:
            logs = subprocess.run([*compose, "logs", "--tail", "20"], capture_output=True, text=True).stdout
            sys.exit(f"no complete answer: {[ask(port) for port in PORTS.values()]}\n{logs}")
        time.sleep(0.2)
    print(f"{time.monotonic() - started:.1f} s from `up` to complete answers of both gateways")
    n_failed = 0
    for name, commands, gateways in FAULTS:
        for command in commands:
            subprocess.run([*compose, *command.split()], check=True, capture_output=True)
        counts: dict[str, int] = {}
        end = time.monotonic() + WINDOW
        while time.monotonic() < end:
            for gateway in gateways:
                outcome = ask(PORTS[gateway])
                counts[outcome] = counts.get(outcome, 0) + 1
        n_failed += sum(count for outcome, count in counts.items() if outcome.startswith("failed"))
        print(f"{name}: " + ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())))
    while not all(ask(port) == "complete" for port in PORTS.values()):
        if time.monotonic() - started > 2 * START_DEADLINE:
            sys.exit("the cluster did not recover")
        time.sleep(0.2)
    print(f"{len(FAULTS)} faults, {n_failed} calls without an answer; at the end both gateways answer completely")
    if n_failed:
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
