"""Least privilege and bounded resources of pods."""

from __future__ import annotations

from collections.abc import Iterator

import image
from cluster import Cluster, title


def images_are_pinned(cluster: Cluster) -> Iterator[str]:
    for workload in cluster.workloads:
        reference = workload.container["image"]
        if not image.is_pinned(reference):
            yield f"{workload.title}: the image `{reference}` is not pinned; use a version tag or a digest"


def pods_are_restricted(cluster: Cluster) -> Iterator[str]:
    for workload in cluster.workloads:
        pod, container = workload.pod.get("securityContext", {}), workload.container.get("securityContext", {})
        wanted = {
            "runAsNonRoot": (pod.get("runAsNonRoot"), True),
            "runAsUser": (pod.get("runAsUser"), image.USER),
            "fsGroup": (pod.get("fsGroup"), image.USER),
            "fsGroupChangePolicy": (pod.get("fsGroupChangePolicy"), "OnRootMismatch"),
            "seccompProfile": (pod.get("seccompProfile", {}).get("type"), "RuntimeDefault"),
            "readOnlyRootFilesystem": (container.get("readOnlyRootFilesystem"), True),
            "allowPrivilegeEscalation": (container.get("allowPrivilegeEscalation"), False),
            "capabilities": (container.get("capabilities", {}).get("drop"), ["ALL"]),
        }
        for key, (found, expected) in wanted.items():
            if found != expected:
                yield f"{workload.title}: `{key}` is {found!r}, not {expected!r}"


def pods_have_no_token(cluster: Cluster) -> Iterator[str]:
    for workload in cluster.workloads:
        if workload.pod.get("automountServiceAccountToken") is not False:
            yield f"{workload.title}: it gets a token of the API server without using it"
        if workload.pod.get("enableServiceLinks") is not False:
            yield f"{workload.title}: it gets environment variables for each Service of the namespace"
    for account in cluster.of("ServiceAccount"):
        if account.get("automountServiceAccountToken") is not False:
            yield f"{title(account)}: its pods get a token of the API server"


def resources_are_bounded(cluster: Cluster) -> Iterator[str]:
    for workload in cluster.workloads:
        resources = workload.container.get("resources", {})
        requests, limits = resources.get("requests", {}), resources.get("limits", {})
        if not requests.get("memory") or requests.get("memory") != limits.get("memory"):
            yield f"{workload.title}: the memory request and limit must be equal, so that the memory is guaranteed"
        if "cpu" not in requests or "cpu" in limits:
            yield f"{workload.title}: CPU must be requested, and not limited"
        if "ephemeral-storage" not in requests or "ephemeral-storage" not in limits:
            yield f"{workload.title}: ephemeral storage must be requested and limited"


def namespace_enforces(cluster: Cluster) -> Iterator[str]:
    namespaces = cluster.of("Namespace")
    for namespace in namespaces:
        if namespace["metadata"].get("labels", {}).get("pod-security.kubernetes.io/enforce") != "restricted":
            yield f"{title(namespace)}: it must enforce the profile `restricted`"
    names = {namespace["metadata"]["name"] for namespace in namespaces}
    for thing in cluster.objects:
        if thing["kind"] != "Namespace" and thing["metadata"].get("namespace") not in names:
            yield f"{title(thing)}: its namespace is not in these manifests"
