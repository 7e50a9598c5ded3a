#!/usr/bin/env python3
"""Compares the cost of an index and of a search with two other programs that index code for agents: repowise and CodeGraph.

Usage: peers.py REPOSITORY... [--causeway PROGRAM] [--rounds N]

Each program indexes its own copy of each repository, and gets the same twenty queries over its MCP server by stdio. One program runs
at a time. No language model is used: repowise builds its pages from code (`--no-prose`) without embeddings, since it includes no
model; CodeGraph has none. Telemetry of both is disabled, and they run without a network if the system supports network namespaces.

Needs npm and Python with venv, and once the network, to install both programs at the versions below into target/peers. It is not part
of any check, since the figures depend on the machine. CPU is the user and system time of all processes of a program. Memory is their
sampled proportional set size, which counts each shared page once.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import time
from dataclasses import dataclass
from typing import Callable, Iterator

import scores

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "target/peers"

REPOWISE = "repowise==0.59.0"
CODEGRAPH = "@colbymchenry/codegraph@1.6.1"

# Questions and names that fit any library. None is in an evaluation.
QUERIES = [
    "where is the configuration read",
    "how are errors turned into messages for the user",
    "which function is the entry point",
    "register a handler",
    "convert a value to a string",
    "parse a date",
    "what happens when the input is empty",
    "how is a default value chosen",
    "load a class by its name",
    "write the output to a stream",
    "close what was opened",
    "cache of computed values",
    "names that are reserved",
    "how are options passed on to nested objects",
    "thread safety",
    "escape special characters",
    "compare two versions",
    "deprecated and what replaces it",
    "get_or_create",
    "JsonReader",
]

# Maximum number of results of one search.
LIMIT = 10

# Interval of memory samples, in seconds.
SAMPLE = 0.02

# Maximum wait for the end of a server, in seconds.
PATIENCE = 300


@dataclass(frozen=True)
class Peer:
    name: str
    # Maps the folder of the index and the tree to the indexing command.
    index: Callable[[pathlib.Path, pathlib.Path], list]
    # Maps the folder of the index and the tree to the command that serves MCP.
    serve: Callable[[pathlib.Path, pathlib.Path], list]
    # Maps a tree to the folder of its index.
    folder: Callable[[pathlib.Path], pathlib.Path]
    # Search tools, with their arguments in addition to the query.
    searches: list[tuple[str, dict]]


def peers(causeway: pathlib.Path) -> list[Peer]:
    repowise = FOLDER / "repowise/bin/repowise"
    codegraph = FOLDER / "codegraph/node_modules/.bin/codegraph"
    offline = ["--no-prose", "--embedder", "mock", "--yes", "--no-editor-setup", "--no-hook", "--no-claude-md", "--no-agents", "--no-workspace"]
    return [
        Peer(
            "causeway",
            lambda data, tree: [causeway, "--data", data, "index", tree],
            lambda data, tree: [causeway, "--data", data, "mcp", tree],
            lambda tree: tree.parent / "data",
            [("search_codebase", {"limit": LIMIT, "repo": "all"})],
        ),
        Peer(
            "repowise",
            lambda _, tree: [repowise, "init", *offline, tree],
            lambda _, tree: [repowise, "mcp", tree, "--no-workspace"],
            lambda tree: tree / ".repowise",
            [("search_codebase", {"limit": LIMIT})],
        ),
        Peer(
            "codegraph",
            lambda _, tree: [codegraph, "init", "--yes", tree],
            lambda _, tree: [codegraph, "serve", "--mcp", "--path", tree, "--no-watch"],
            lambda tree: tree / ".codegraph",
            [("codegraph_search", {"limit": LIMIT}), ("codegraph_explore", {})],
        ),
    ]


def main() -> None:
    arguments = read_arguments()
    install()
    isolation = network_isolation()
    print(f"{REPOWISE}, {CODEGRAPH}; {os.cpu_count()} processors; {'without a network' if isolation else 'with a network'}; "
          f"{len(QUERIES)} queries x {arguments.rounds} rounds after one to warm up")
    print(f"{'repository':16} {'program':10} {'wall s':>7} {'CPU s':>7} {'peak MB':>8} {'index MB':>9}  search")
    for repository in arguments.repositories:
        for peer in peers(arguments.causeway.resolve()):
            line = measure(peer, repository.resolve(), isolation, arguments.rounds)
            print(f"{repository.resolve().name:16} {peer.name:10} {line}", flush=True)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", type=pathlib.Path, nargs="+", metavar="REPOSITORY", help="a git work tree")
    parser.add_argument("--causeway", type=pathlib.Path, default=ROOT / "target/release/causeway", help="the program")
    parser.add_argument("--rounds", type=int, default=5, help="number of repetitions of every query")
    return parser.parse_args()


def install() -> None:
    """Installs both programs, unless these versions are installed."""
    versions = f"{REPOWISE} {CODEGRAPH}"
    stamp = FOLDER / "installed"
    if stamp.exists() and stamp.read_text() == versions:
        return
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    subprocess.run(["python3", "-m", "venv", FOLDER / "repowise"], check=True)
    subprocess.run([FOLDER / "repowise/bin/pip", "install", "--quiet", "--disable-pip-version-check", REPOWISE], check=True)
    subprocess.run(["npm", "install", "--prefix", FOLDER / "codegraph", "--no-audit", "--no-fund", "--loglevel=error", CODEGRAPH], check=True)
    stamp.write_text(versions)


def network_isolation() -> list[str]:
    """Returns a command prefix that runs a command without a network; empty if the system does not support it."""
    isolation = ["unshare", "--map-root-user", "--net"]
    with contextlib.suppress(OSError):
        if subprocess.run([*isolation, "true"], capture_output=True).returncode == 0:
            return isolation
    return []


def environment() -> dict[str, str]:
    """Returns an environment without telemetry, in which programs write only below target/peers."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "CAUSEWAY_", "REPOWISE_", "CODEGRAPH_"))}
    return inherited | {
        "HOME": str(FOLDER / "home"),
        "XDG_CONFIG_HOME": str(FOLDER / "home/.config"),
        "DO_NOT_TRACK": "1",
        "REPOWISE_TELEMETRY_DISABLED": "1",
        "REPOWISE_OFFLINE": "1",
        "REPOWISE_SKIP_EDITOR_SETUP": "1",
        "CODEGRAPH_TELEMETRY": "0",
        "CODEGRAPH_NO_DAEMON": "1",
        "CODEGRAPH_NO_DOWNLOAD": "1",
    }


def measure(peer: Peer, repository: pathlib.Path, isolation: list[str], rounds: int) -> str:
    """Indexes a copy of a repository, searches it, and returns the figures."""
    work = FOLDER / "work"
    shutil.rmtree(work, ignore_errors=True)
    (FOLDER / "home").mkdir(exist_ok=True)
    # The folder has the name of the repository, since the name is searched.
    tree = work / repository.name
    shutil.copytree(repository, tree, symlinks=True)
    # Otherwise pending writes would slow down the first program.
    os.sync()
    index = peer.folder(tree)
    cost = run(isolation + peer.index(index, tree))
    size = sum(path.lstat().st_size for path in index.rglob("*") if path.is_file())
    searches = []
    with session(isolation + peer.serve(index, tree)) as call:
        for tool, more in peer.searches:
            took = []
            for round_idx in range(rounds + 1):
                for query in QUERIES:
                    began = time.perf_counter()
                    call("tools/call", {"name": tool, "arguments": {"query": query} | more})
                    if round_idx > 0:
                        took.append((time.perf_counter() - began) * 1000)
            searches.append(f"{tool} p50 {scores.percentile(took, 0.5):.1f} ms, p95 {scores.percentile(took, 0.95):.1f} ms")
    shutil.rmtree(work)
    return f"{cost.wall:7.1f} {cost.cpu:7.1f} {cost.peak / 1e6:8.0f} {size / 1e6:9.1f}  {'; '.join(searches)}"


@dataclass(frozen=True)
class Cost:
    wall: float
    cpu: float
    peak: int


def run(command: list) -> Cost:
    """Runs a command to its end."""
    log = FOLDER / "index.log"
    with log.open("w") as output:
        began = time.perf_counter()
        process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                   env=environment(), start_new_session=True)
        peak, ended = 0, 0
        while ended == 0:
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
            peak = max(peak, session_bytes(process.pid))
            time.sleep(SAMPLE)
        wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{command} ended with {process.returncode}: {log.read_text()[-2_000:]}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, peak)


def session_bytes(session_id: int) -> int:
    """Returns the memory of all processes of a session."""
    total = 0
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        # A process may end during the inspection.
        with contextlib.suppress(OSError, IndexError):
            # After the name in brackets: state, parent, group, session.
            if int((folder / "stat").read_text().rpartition(")")[2].split()[3]) != session_id:
                continue
            for line in (folder / "smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1]) * 1024
    return total


@contextlib.contextmanager
def session(command: list) -> Iterator[Callable[[str, dict], dict]]:
    """Starts an MCP server over stdio, and yields a function that calls it."""
    log = FOLDER / "serve.log"
    with log.open("w") as output:
        process = subprocess.Popen(list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=output, text=True,
                                   env=environment(), start_new_session=True)
    number = 0

    def send(message: dict) -> None:
        process.stdin.write(json.dumps({"jsonrpc": "2.0"} | message) + "\n")
        process.stdin.flush()

    def call(method: str, params: dict) -> dict:
        nonlocal number
        number += 1
        send({"id": number, "method": method, "params": params})
        for line in process.stdout:
            reply = json.loads(line) if line.startswith("{") else {}
            if reply.get("id") == number and "method" not in reply:
                if "error" in reply or reply["result"].get("isError"):
                    raise SystemExit(f"{command[-4:]}: {params}: {str(reply)[:500]}")
                return reply["result"]
        raise SystemExit(f"{command} ended: {log.read_text()[-2_000:]}")

    try:
        client = {"name": "causeway-evaluation", "version": "1"}
        call("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        send({"method": "notifications/initialized"})
        yield call
    finally:
        process.stdin.close()
        process.terminate()
        process.wait(PATIENCE)


if __name__ == "__main__":
    main()
