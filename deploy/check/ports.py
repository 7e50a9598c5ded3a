"""Ports and paths: every reference has a listener."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

import compose
import rendering
from cluster import Cluster, Workload, title

# Health endpoints of each component: the name of the port, and the sources that declare the paths. A gateway is probed at the
# port of callers, since that port must work.
PROBED = {"gateway": ("http", "gateway/server/src"), "worker": ("operators", "services/worker/src")}

# Name of the port for operators.
OPERATORS = "operators"

# Minimum startup time of a worker. Opening a full volume takes minutes, and a worker that is killed before never becomes ready.
MIN_STARTUP_SECONDS = 300


def services_lead_to_ports(cluster: Cluster) -> Iterator[str]:
    for service in cluster.of("Service"):
        for port in service["spec"]["ports"]:
            for workload in cluster.selected(service["spec"]["selector"]):
                number = workload.port(port.get("targetPort", port["port"]))
                if number is None:
                    yield f"{title(service)}: {workload.title} has no port `{port.get('targetPort', port['port'])}`"
                elif number != port["port"]:
                    yield f"{title(service)}: port {port['port']} maps to {number}; use the same number"


def programs_listen_where_ports_are_declared(cluster: Cluster) -> Iterator[str]:
    gateway, worker = cluster.component("gateway"), cluster.component("worker")
    for workload, name in ((gateway, "http"), (worker, "grpc")):
        if workload is None:
            yield f"there is no {name} server: no pod has the label of the component"
            continue
        if workload.container["args"][0] != workload.component:
            yield f"{workload.title}: it runs `causeway {workload.container['args'][0]}`"
        yield from listens(workload, workload.argument("listen"), name, "--listen")
    if gateway:
        yield from listens(gateway, cluster.config("gateway").get("listen"), "http", "`listen` of its configuration")
    for workload in filter(None, (gateway, worker)):
        address = cluster.config(workload.component).get("operators")
        yield from listens(workload, address, OPERATORS, "`operators` of its configuration")


def listens(workload: Workload, address: str | None, port: str, where: str) -> Iterator[str]:
    if address != f"0.0.0.0:{workload.ports.get(port)}":
        yield f"{workload.title}: {where} is {address}, but the port `{port}` is {workload.ports.get(port)}"


def configured_workers_are_the_service(cluster: Cluster) -> Iterator[str]:
    for address in cluster.config("gateway").get("workers", []) or ["none"]:
        match = re.fullmatch(r"dns://([a-z0-9-]+):(\d+)", address)
        service = match and cluster.get("Service", match[1])
        if not service:
            yield f"gateway.toml: `{address}` is not a Service of this namespace"
        elif int(match[2]) not in [port["port"] for port in service["spec"]["ports"]]:
            yield f"gateway.toml: {title(service)} has no port {match[2]}"
    for pattern in cluster.config("worker").get("placement", {}).get("workers", []):
        port = compose.port(pattern)
        worker = cluster.component("worker")
        if worker and port != str(worker.ports.get("grpc")):
            yield f"worker.toml: `{pattern}` is not at the port `grpc` of {worker.title}"


def probes_ask_what_is_served(cluster: Cluster) -> Iterator[str]:
    for workload in cluster.workloads:
        port, sources = PROBED.get(workload.component, ("", ""))
        wanted = {"startupProbe": "/livez", "readinessProbe": "/readyz", "livenessProbe": "/livez"}
        for probe, path in wanted.items():
            asked = workload.container.get(probe, {}).get("httpGet")
            if asked is None:
                yield f"{workload.title}: it has no {probe} over HTTP"
                continue
            if asked["path"] != path:
                yield f"{workload.title}: {probe} uses `{asked['path']}`, not `{path}`"
            if asked["path"] not in served_paths(sources):
                yield f"{workload.title}: {probe} uses `{asked['path']}`, which no code in {sources} serves"
            if asked["port"] != port or port not in workload.ports:
                yield f"{workload.title}: {probe} uses the port `{asked['port']}`, but the program serves it at `{port}`"
        startup = workload.container.get("startupProbe", {})
        seconds = startup.get("failureThreshold", 3) * startup.get("periodSeconds", 10)
        if workload.component == "worker" and seconds < MIN_STARTUP_SECONDS:
            yield f"{workload.title}: it is killed after {seconds} s of opening indexes; allow {MIN_STARTUP_SECONDS} s"


@functools.cache
def served_paths(sources: str) -> frozenset[str]:
    """Returns the paths that a program serves in addition to MCP, from its source."""
    files = (rendering.ROOT / sources).rglob("*.rs") if sources else ()
    return frozenset(path for file in files for path in re.findall(r'"(/livez|/readyz|/metrics)"', file.read_text()))


def monitors_scrape_what_is_served(cluster: Cluster) -> Iterator[str]:
    for monitor in cluster.of("PodMonitor"):
        for workload in cluster.selected(monitor["spec"]["selector"]["matchLabels"]):
            _, sources = PROBED.get(workload.component, ("", ""))
            if monitor["metadata"]["name"] != workload.name:
                yield f"{title(monitor)}: alert rules refer to the job `{workload.name}`, so this must be its name"
            for endpoint in monitor["spec"]["podMetricsEndpoints"]:
                if endpoint["port"] != OPERATORS or OPERATORS not in workload.ports:
                    yield f"{title(monitor)}: the metrics of {workload.title} are served at the port `{OPERATORS}`"
                if endpoint.get("path", "/metrics") not in served_paths(sources):
                    yield f"{title(monitor)}: no code in {sources} serves `{endpoint['path']}`"
