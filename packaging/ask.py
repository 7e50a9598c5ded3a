"""Starts an MCP server over standard input and output, and waits for an answer that cites two repositories."""

from __future__ import annotations

import json
import subprocess
import sys
import time

QUESTION = "How does the customer portal talk to the tracking service?"
PROTOCOL = "2025-06-18"

# Seconds until the index of the example organisation must be ready.
DEADLINE = 120


def main(command: list[str]) -> None:
    started = time.monotonic()
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    client = {"name": "dist-check", "version": "1"}
    try:
        request(server, 0, "initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client})
        send(server, {"method": "notifications/initialized"})
        for number in range(1, 10_000):
            result = request(server, number, "tools/call", {"name": "get_answer", "arguments": {"question": QUESTION}})
            answer = result.get("structuredContent") or {}
            repositories = {citation["repo"] for citation in answer.get("citations", [])}
            if len(repositories) >= 2:
                print(f"{time.monotonic() - started:.1f} s to an answer from {', '.join(sorted(repositories))}")
                return
            if time.monotonic() - started > DEADLINE:
                sys.exit(f"no answer from two repositories: {json.dumps(result)[:2000]}")
            time.sleep(0.1)
    finally:
        server.stdin.close()
        server.wait(timeout=20)


def send(server: subprocess.Popen, message: dict) -> None:
    server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    server.stdin.flush()


def request(server: subprocess.Popen, number: int, method: str, parameters: dict) -> dict:
    send(server, {"id": number, "method": method, "params": parameters})
    for line in server.stdout:
        message = json.loads(line)
        if message.get("id") == number:
            return message["result"]
    sys.exit(f"the server ended with exit code {server.wait()}")


if __name__ == "__main__":
    main(sys.argv[1:])
