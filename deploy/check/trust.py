"""Certificates and keys: both ends have matching ones."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator

import compose
from cluster import Cluster, title


def tls_is_on_everywhere_or_nowhere(cluster: Cluster) -> Iterator[str]:
    worker, gateway = cluster.config("worker"), cluster.config("gateway")
    has_tls = "tls" in worker
    if ("worker_tls" in gateway) != has_tls:
        yield "`[tls]` of worker.toml and `[worker_tls]` of gateway.toml must be set together"
    for address in worker.get("placement", {}).get("workers", []):
        if address.startswith("https://") != has_tls:
            yield f"worker.toml: `{address}` has the scheme {'without' if has_tls else 'with'} TLS"
    wanted = {"tls": {"cert", "key", "client_ca"}, "worker_tls": {"cert", "key", "ca"}}
    for name, config in (("tls", worker), ("worker_tls", gateway)):
        if name in config and set(config[name]) != wanted[name]:
            yield f"`[{name}]` needs {sorted(wanted[name])}, so that both sides present a certificate"
    workload = cluster.component("worker")
    if workload and ("--allow-remote" in workload.container["args"]) == has_tls:
        yield f"{workload.title}: `--allow-remote` is required without TLS, and forbidden with TLS"
    service = workload and cluster.get("Service", workload.thing["spec"].get("serviceName", ""))
    if service and (service["spec"]["ports"][0].get("appProtocol") == "kubernetes.io/h2c") == has_tls:
        yield f"{title(service)}: `appProtocol` does not match the protocol of workers"


def certificates_name_the_workers(cluster: Cluster) -> Iterator[str]:
    if "tls" not in cluster.config("worker"):
        return
    worker = cluster.component("worker")
    mounted = worker and worker.mount_of(cluster.config("worker")["tls"].get("cert", ""))
    secret = mounted[0].get("secret", {}).get("secretName") if mounted else None
    certificate = next((one for one in cluster.of("Certificate") if one["spec"]["secretName"] == secret), None)
    if certificate is None:
        yield "no Certificate creates the Secret of the workers"
        return
    patterns = certificate["spec"].get("dnsNames", [])
    asked = [pattern.partition("://")[2].partition(":")[0] for pattern in cluster.config("gateway").get("workers", [])]
    asked += [
        compose.host(address)
        for pattern in cluster.config("worker").get("placement", {}).get("workers", [])
        for address in compose.expand(pattern)
    ]
    for host in asked:
        # A star matches one label.
        if not any(host.count(".") == name.count(".") and fnmatch.fnmatchcase(host, name) for name in patterns):
            yield f"{title(certificate)}: it does not name `{host}`"
    if not {"server auth", "client auth"} <= set(certificate["spec"].get("usages", [])):
        yield f"{title(certificate)}: it needs the usages of a server and of a client, since workers call each other"
    for one in cluster.of("Certificate"):
        issuer = one["spec"]["issuerRef"]
        if cluster.get(issuer["kind"], issuer["name"]) is None:
            yield f"{title(one)}: there is no {issuer['kind']} `{issuer['name']}`"


def grant_key_is_the_same(cluster: Cluster) -> Iterator[str]:
    secrets = []
    for component in ("gateway", "worker"):
        workload, path = cluster.component(component), cluster.config(component).get("grant_key_file")
        mounted = workload.mount_of(path) if workload and path else None
        secrets.append((mounted[0].get("secret", {}).get("secretName"), mounted[1]) if mounted else None)
    if secrets[0] != secrets[1]:
        yield "`grant_key_file` of gateways and workers must be the same key"
    elif secrets[0] is None:
        yield "without `grant_key_file` a worker answers every client that reaches it"
