"""The program under evaluation: indexing, serving, and an MCP client."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import time
import urllib.parse
from dataclasses import dataclass
from typing import Iterator

# Maximum wait for one answer, and for the start of the server, in seconds. Neither takes as long, even on a busy machine.
PATIENCE = 120

PROTOCOL = "2025-11-25"


@dataclass(frozen=True)
class IndexRun:
    wall_seconds: float
    # User and system time of the process, all threads included.
    cpu_seconds: float
    peak_bytes: int
    data_bytes: int
    source_bytes: int

    def line(self) -> str:
        share = self.data_bytes / self.source_bytes if self.source_bytes else 0.0
        return (f"indexed in {self.wall_seconds:.1f} s, CPU {self.cpu_seconds:.1f} s, peak memory {self.peak_bytes / 1e6:.0f} MB; "
                f"data folder {self.data_bytes / 1e6:.1f} MB = {share:.2f} x {self.source_bytes / 1e6:.1f} MB of tracked files")


def index(causeway: pathlib.Path, data: pathlib.Path, trees: list[pathlib.Path]) -> IndexRun:
    """Indexes work trees into an empty data folder."""
    began = time.perf_counter()
    with tempfile.TemporaryFile("w+") as output:
        command = [causeway, "--json", "--data", data, "index", *trees]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            output.seek(0)
            raise SystemExit(f"`causeway index` ended with {process.returncode}: {output.read()[-2_000:]}")
    return IndexRun(
        wall_seconds=time.perf_counter() - began,
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        peak_bytes=usage.ru_maxrss * 1024,
        data_bytes=sum(path.lstat().st_size for path in data.rglob("*") if path.is_file() and not path.is_symlink()),
        source_bytes=sum(map(tracked_bytes, trees)),
    )


def tracked_bytes(tree: pathlib.Path) -> int:
    listed = subprocess.run(["git", "-C", tree, "ls-files", "-z"], capture_output=True, check=True).stdout.split(b"\0")
    paths = [pathlib.Path(os.fsdecode(os.path.join(os.fsencode(tree), path))) for path in listed if path]
    return sum(path.lstat().st_size for path in paths if path.exists())


@contextlib.contextmanager
def serving(causeway: pathlib.Path, data: pathlib.Path, trees: list[pathlib.Path]) -> Iterator[str]:
    """Serves the indexed trees on a free local port inside the context, and yields the URL."""
    command = [causeway, "--json", "--data", data, "up", "--listen", "127.0.0.1:0", *trees]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    # Ends the wait below if the server never becomes ready.
    alarm = threading.Timer(PATIENCE, process.kill)
    alarm.start()
    try:
        url = None
        for line in process.stdout:
            event = json.loads(line) if line.startswith("{") else {}
            url = event.get("url", url)
            if event.get("event") == "indexed":
                break
        else:
            raise SystemExit(f"`causeway up` ended with {process.wait()} before it was ready")
        alarm.cancel()
        # Later output must not fill the pipe.
        threading.Thread(target=process.stdout.read, daemon=True).start()
        yield url
    finally:
        alarm.cancel()
        process.terminate()
        process.wait(PATIENCE)


class ToolError(Exception):
    """The server returned an error, or no answer."""


class Client:
    """A client with one persistent connection."""

    def __init__(self, url: str, token: str | None = None) -> None:
        self._parts = urllib.parse.urlsplit(url)
        self._headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": PROTOCOL,
        }
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        self._connection = self._connect()

    def _connect(self) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._parts.scheme == "https" else http.client.HTTPConnection
        return kind(self._parts.hostname, self._parts.port, timeout=PATIENCE)

    def call(self, tool: str, arguments: dict) -> tuple[dict, float]:
        """Returns the answer of a tool, and its latency in milliseconds."""
        text, took = self._reply(tool, arguments)
        result = result_of(text)
        return result.get("structuredContent") or json.loads(result["content"][0]["text"]), took

    def text(self, tool: str, arguments: dict) -> str:
        """Returns the answer of a tool as text, as a model reads it."""
        return result_of(self._reply(tool, arguments)[0])["content"][0]["text"]

    def _reply(self, tool: str, arguments: dict) -> tuple[str, float]:
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        body = json.dumps(message).encode()
        began = time.perf_counter()
        try:
            self._connection.request("POST", self._parts.path, body, self._headers)
            reply = self._connection.getresponse()
            text = reply.read().decode()
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            self._connection = self._connect()
            raise ToolError(f"no answer: {error!r}") from error
        took = (time.perf_counter() - began) * 1000
        if reply.status != 200:
            raise ToolError(f"HTTP {reply.status}: {text[:300]}")
        return text, took


def result_of(text: str) -> dict:
    """Returns the result of a tool, from a reply that is JSON or a stream of events."""
    if not text.lstrip().startswith("{"):
        text = [line[5:] for line in text.splitlines() if line.startswith("data:") and line[5:].strip()][-1]
    message = json.loads(text)
    if "error" in message:
        raise ToolError(str(message["error"]))
    result = message["result"]
    if result.get("isError"):
        raise ToolError(result["content"][0]["text"])
    return result
