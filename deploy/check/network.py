"""Network policies: required traffic is allowed, and all other traffic is denied."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from cluster import Cluster, Workload, title

PROMETHEUS = {"kubernetes.io/metadata.name": "monitoring"}
CALLERS = {"causeway.dev/callers": "true"}
DNS = {"kubernetes.io/metadata.name": "kube-system"}

# Ports for fetching over HTTPS and SSH.
GIT_PORTS = (443, 22)

# Cloud metadata address, which returns credentials of the machine.
CLOUD_METADATA = "169.254.169.254/32"

# Minimum timeout of a proxy for a response.
MIN_ROUTE_SECONDS = 300

# Paths for operators, which must not be public.
INNER_PATHS = ("/metrics", "/livez", "/readyz")


def nothing_passes_unless_allowed(cluster: Cluster) -> Iterator[str]:
    denies = [
        policy
        for policy in cluster.of("NetworkPolicy")
        if policy["spec"]["podSelector"] == {}
        and set(policy["spec"].get("policyTypes", [])) == {"Ingress", "Egress"}
        and not policy["spec"].get("ingress")
        and not policy["spec"].get("egress")
    ]
    if not denies:
        yield "no NetworkPolicy denies all traffic by default"
    for policy in cluster.of("NetworkPolicy"):
        for rules, side in (("ingress", "from"), ("egress", "to")):
            for rule in policy["spec"].get(rules, []):
                if not rule.get(side) or not rule.get("ports"):
                    yield f"{title(policy)}: a rule without `{side}` or without ports allows all traffic"
                for peer in rule.get(side, []):
                    block = peer.get("ipBlock")
                    if block and block["cidr"] == "0.0.0.0/0" and CLOUD_METADATA not in block.get("except", []):
                        yield f"{title(policy)}: it allows {CLOUD_METADATA}, which returns credentials of the machine"


def needed_flows_pass(cluster: Cluster) -> Iterator[str]:
    gateway, worker = cluster.component("gateway"), cluster.component("worker")
    if gateway is None or worker is None:
        return
    for source, target in ((gateway, worker), (worker, worker)):
        peer = {"podSelector": source.labels}
        if not allows(cluster, target, "ingress", peer, target, ("grpc",)):
            yield f"{target.title}: no policy allows ingress from {source.title} at `grpc`"
        if not allows(cluster, source, "egress", {"podSelector": target.labels}, target, ("grpc",)):
            yield f"{source.title}: no policy allows egress to `grpc` of {target.title}"
    for target, namespace, port in ((worker, PROMETHEUS, "operators"), (gateway, PROMETHEUS, "operators"), (gateway, CALLERS, "http")):
        if not allows(cluster, target, "ingress", {"namespaceSelector": namespace}, target, (port,)):
            yield f"{target.title}: no policy allows ingress from the namespace {namespace} at `{port}`"
    for source in (gateway, worker):
        if not allows(cluster, source, "egress", {"namespaceSelector": DNS}, None, (53,)):
            yield f"{source.title}: no policy allows DNS"
        endpoint = {one["name"]: one.get("value", "") for one in source.container.get("env", [])}.get("OTEL_EXPORTER_OTLP_ENDPOINT")
        port = endpoint and int(endpoint.rpartition(":")[2])
        if port and not allows(cluster, source, "egress", {"namespaceSelector": PROMETHEUS}, None, (port,)):
            yield f"{source.title}: no policy allows its traces at {port}"
    if not allows(cluster, worker, "egress", {"ipBlock": "0.0.0.0/0"}, None, GIT_PORTS):
        yield f"{worker.title}: no policy allows it to fetch repositories at 443 and 22"
    if allows(cluster, gateway, "ingress", {"namespaceSelector": CALLERS}, gateway, ("operators",)):
        yield f"{gateway.title}: callers can reach the port of operators"
    if allows(cluster, worker, "ingress", {"namespaceSelector": CALLERS}, worker, ("grpc",)):
        yield f"{worker.title}: callers can bypass the gateway"


def services_of_others_are_reached(cluster: Cluster) -> Iterator[str]:
    """External services, such as an authorisation server or a model: the base has no egress policy for them."""
    for component in ("gateway", "worker"):
        workload = cluster.component(component)
        if workload is None:
            continue
        for name, url in services_of_others(cluster.config(component)):
            port = urlsplit(url).port or (80 if url.startswith("http://") else 443)
            if not lets_out(cluster, workload, port):
                hint = "use the component `egress-https`" if port == 443 and component == "gateway" else "add a policy"
                yield f"{component}.toml: `{name}` uses {url}, but no policy allows egress of {workload.title} at {port}: {hint}"


def services_of_others(config: dict) -> Iterator[tuple[str, str]]:
    """Yields the key and URL of each external HTTP service in a configuration."""
    if url := config.get("access", {}).get("oauth", {}).get("jwks_url"):
        yield "access.oauth.jwks_url", url
    if (provider := config.get("answers", {}).get("provider")) is not None:
        yield "answers.provider", provider.get("url", "https://its default address")
    if isinstance(model := config.get("model"), dict) and "url" in model:
        yield "model", model["url"]


def lets_out(cluster: Cluster, source: Workload, port: int) -> bool:
    """Returns true if a policy of a workload allows egress at a port."""
    return any(
        one["port"] == port
        for policy in cluster.of("NetworkPolicy")
        if policy["spec"]["podSelector"].get("matchLabels", {}).items() <= source.labels.items()
        for rule in policy["spec"].get("egress", [])
        for one in rule.get("ports", [])
    )


def allows(cluster: Cluster, of: Workload, rules: str, peer: dict, target: Workload | None, ports: tuple) -> bool:
    """Returns true if the policies of a workload allow a peer at all these ports of the target."""
    open_ports = set()
    for policy in cluster.of("NetworkPolicy"):
        if not policy["spec"]["podSelector"].get("matchLabels", {}).items() <= of.labels.items():
            continue
        for rule in policy["spec"].get(rules, []):
            if any(is_peer(one, peer) for one in rule.get("from", []) + rule.get("to", [])):
                open_ports |= {port["port"] for port in rule.get("ports", [])}
    if target is not None:
        open_ports |= {name for name, number in target.ports.items() if number in open_ports}
    return set(ports) <= open_ports


def is_peer(one: dict, peer: dict) -> bool:
    (kind, wanted), *_ = peer.items()
    if kind == "ipBlock":
        return one.get("ipBlock", {}).get("cidr") == wanted
    if kind == "podSelector":
        return set(one) == {kind} and one[kind].get("matchLabels", {}).items() <= wanted.items()
    return kind in one and one[kind].get("matchLabels", {}) == wanted


def policies_name_ports(cluster: Cluster) -> Iterator[str]:
    for policy in cluster.of("NetworkPolicy"):
        spec = policy["spec"]
        selected = cluster.selected(spec["podSelector"].get("matchLabels", {}))
        for rule in spec.get("ingress", []):
            yield from unknown_ports(policy, rule, selected)
        for rule in spec.get("egress", []):
            for peer in rule.get("to", []):
                if set(peer) == {"podSelector"}:
                    yield from unknown_ports(policy, rule, cluster.selected(peer["podSelector"].get("matchLabels", {})))
                elif any(isinstance(port["port"], str) for port in rule.get("ports", [])):
                    yield f"{title(policy)}: ports of external peers need numbers, not names"


def unknown_ports(policy: dict, rule: dict, workloads: list[Workload]) -> Iterator[str]:
    for port in rule.get("ports", []):
        for workload in workloads:
            if workload.port(port["port"]) is None:
                yield f"{title(policy)}: {workload.title} has no port `{port['port']}`"


def routes_lead_to_the_gateway(cluster: Cluster) -> Iterator[str]:
    for route in cluster.of("HTTPRoute"):
        for rule in route["spec"]["rules"]:
            for backend in rule["backendRefs"]:
                yield from unknown_backend(cluster, route, backend["name"], backend["port"])
            for match in rule["matches"]:
                yield from inner_path(route, match["path"]["value"])
            for key in ("request", "backendRequest"):
                if seconds(rule.get("timeouts", {}).get(key, "0s")) < MIN_ROUTE_SECONDS:
                    yield f"{title(route)}: `timeouts.{key}` is less than {MIN_ROUTE_SECONDS} s"
        yield from unknown_hosts(cluster, route, route["spec"].get("hostnames", []))
    for ingress in cluster.of("Ingress"):
        annotations = ingress["metadata"].get("annotations", {})
        if annotations.get("nginx.ingress.kubernetes.io/proxy-buffering") != "off":
            yield f"{title(ingress)}: responses are buffered; set `proxy-buffering` to `off`"
        for key in ("proxy-read-timeout", "proxy-send-timeout"):
            if int(annotations.get(f"nginx.ingress.kubernetes.io/{key}", 60)) < MIN_ROUTE_SECONDS:
                yield f"{title(ingress)}: `{key}` is less than {MIN_ROUTE_SECONDS} s"
        for rule in ingress["spec"]["rules"]:
            for path in rule["http"]["paths"]:
                service = path["backend"]["service"]
                yield from unknown_backend(cluster, ingress, service["name"], service["port"].get("name", service["port"].get("number")))
                yield from inner_path(ingress, path["path"])


def unknown_backend(cluster: Cluster, route: dict, name: str, port: str | int) -> Iterator[str]:
    service = cluster.get("Service", name)
    if service is None or not any(port in (one.get("name"), one["port"]) for one in service["spec"]["ports"]):
        yield f"{title(route)}: there is no port `{port}` of a Service `{name}`"
    elif [workload.component for workload in cluster.selected(service["spec"]["selector"])] != ["gateway"]:
        yield f"{title(route)}: its backend is not the gateway"


def inner_path(route: dict, path: str) -> Iterator[str]:
    if any(inner.startswith(path) for inner in INNER_PATHS):
        yield f"{title(route)}: `{path}` exposes the paths of operators to callers"


def unknown_hosts(cluster: Cluster, route: dict, hosts: list[str]) -> Iterator[str]:
    allowed = cluster.config("gateway").get("allowed_hosts", [])
    for host in hosts:
        if host not in allowed:
            yield f"{title(route)}: gateway.toml does not list `{host}` in `allowed_hosts`"


def seconds(duration: str) -> int:
    """Returns the seconds of a duration such as `300s` or `5m`."""
    units = {"s": 1, "m": 60, "h": 3_600}
    return int(duration[:-1]) * units.get(duration[-1], 0)
