"""Availability during restarts, roll-outs and scaling of pods."""

from __future__ import annotations

import math
from collections.abc import Iterator

import compose
from cluster import Cluster, Workload, title

# Maximum wait for requests in flight (`HARD_DEADLINE` of the gateway), and a margin.
DRAIN_SECONDS = 10
SPARE_SECONDS = 10

# Default of drain_seconds of workers and gateways.
DEFAULT_DRAIN_SECONDS = 5


def drain_fits_into_the_grace_period(cluster: Cluster) -> Iterator[str]:
    for workload in cluster.workloads:
        sleep = workload.container.get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)
        if workload.component == "worker":
            if sleep:
                yield f"{workload.title}: it drains by itself; remove the preStop hook"
        elif sleep < 5:
            yield f"{workload.title}: reconnecting callers may still be routed to it; add a preStop sleep"
        sleep += cluster.config(workload.component).get("drain_seconds", DEFAULT_DRAIN_SECONDS)
        needed = sleep + DRAIN_SECONDS + SPARE_SECONDS
        grace = workload.pod.get("terminationGracePeriodSeconds", 30)
        if grace < needed:
            yield f"{workload.title}: it is killed {grace} s after SIGTERM, but may need {needed} s"


def least_pods(cluster: Cluster, workload: Workload) -> int:
    """Returns the minimum number of pods."""
    for scaler in cluster.of("HorizontalPodAutoscaler"):
        target = scaler["spec"]["scaleTargetRef"]
        if (target["kind"], target["name"]) == (workload.thing["kind"], workload.name):
            return scaler["spec"].get("minReplicas", 1)
    return workload.thing["spec"].get("replicas", 1)


def budgets_let_nodes_be_emptied(cluster: Cluster) -> Iterator[str]:
    for workload in cluster.workloads:
        budgets = [
            budget
            for budget in cluster.of("PodDisruptionBudget")
            if budget["spec"]["selector"]["matchLabels"].items() <= workload.labels.items()
        ]
        n_pods = least_pods(cluster, workload)
        if len(budgets) != (1 if n_pods > 1 else 0):
            yield f"{workload.title}: {n_pods} pods and {len(budgets)} budgets: several pods need one budget, a single pod none"
        for budget in budgets:
            if budget["spec"].get("unhealthyPodEvictionPolicy") != "AlwaysAllow":
                yield f"{title(budget)}: a pod that is not ready blocks the draining of its node"
            least = budget["spec"].get("minAvailable", 0)
            if isinstance(least, str):
                least = math.ceil(int(least.rstrip("%")) * n_pods / 100)
            if least >= n_pods or budget["spec"].get("maxUnavailable") in (0, "0%"):
                yield f"{title(budget)}: no pod of {n_pods} may ever be evicted"


def rolling_keeps_serving(cluster: Cluster) -> Iterator[str]:
    for workload in cluster.workloads:
        spec = workload.thing["spec"]
        if not spec.get("minReadySeconds"):
            yield f"{workload.title}: the next pod is replaced as soon as one is ready; set `minReadySeconds`"
        if workload.thing["kind"] == "Deployment":
            rolling = spec.get("strategy", {}).get("rollingUpdate", {})
            if (rolling.get("maxUnavailable"), rolling.get("maxSurge")) != (0, 1):
                yield f"{workload.title}: a roll-out stops a pod before its replacement is ready"
        if workload.thing["kind"] == "StatefulSet":
            if spec.get("updateStrategy", {}).get("rollingUpdate", {}).get("maxUnavailable") != 1:
                yield f"{workload.title}: a roll-out may stop several workers at the same time"
            if spec.get("podManagementPolicy") != "Parallel":
                yield f"{workload.title}: each worker waits for the indexes of the previous ones"


def gateways_alone_are_scaled(cluster: Cluster) -> Iterator[str]:
    for scaler in cluster.of("HorizontalPodAutoscaler"):
        spec = scaler["spec"]
        target = cluster.get(spec["scaleTargetRef"]["kind"], spec["scaleTargetRef"]["name"])
        if target is None:
            continue
        workload = Workload(target)
        if workload.component != "gateway":
            yield f"{title(scaler)}: workers must not be autoscaled, since each new worker moves repositories"
        if "replicas" in target["spec"]:
            yield f"{workload.title}: `replicas` resets the scaling of {title(scaler)} at each apply"
        if spec.get("behavior", {}).get("scaleDown", {}).get("stabilizationWindowSeconds", 0) < 300:
            yield f"{title(scaler)}: it scales down after less than five minutes"
        if "cpu" not in workload.container.get("resources", {}).get("requests", {}):
            yield f"{title(scaler)}: the CPU target is relative, so the pods need a CPU request"
        if spec.get("minReplicas", 1) < 2:
            yield f"{title(scaler)}: with one gateway, its replacement is an outage"


def placement_names_the_workers(cluster: Cluster) -> Iterator[str]:
    worker = cluster.component("worker")
    placement = cluster.config("worker").get("placement")
    if worker is None or placement is None:
        yield "worker.toml: without [placement] every worker holds every repository"
        return
    service, n_pods = worker.thing["spec"].get("serviceName"), least_pods(cluster, worker)
    pods = [f"{worker.name}-{number}.{service}" for number in range(n_pods)]
    named = [compose.host(address) for pattern in placement["workers"] for address in compose.expand(pattern)]
    if named != pods:
        yield f"worker.toml: [placement] names {named}, but the pods are {pods}"
    if not 1 <= placement.get("replicas", 1) <= n_pods:
        yield f"worker.toml: {placement.get('replicas')} copies of each repository on {n_pods} workers"
    fields = {one["name"]: one.get("valueFrom", {}).get("fieldRef", {}).get("fieldPath") for one in worker.container["env"]}
    if fields.get("POD_NAME") != "metadata.name":
        yield f"{worker.title}: without POD_NAME a worker cannot identify itself"


def workers_keep_their_volumes(cluster: Cluster) -> Iterator[str]:
    for thing in cluster.of("StatefulSet"):
        policy = thing["spec"].get("persistentVolumeClaimRetentionPolicy", {})
        if (policy.get("whenDeleted"), policy.get("whenScaled")) != ("Retain", "Retain"):
            yield f"{title(thing)}: the volume, and hours of indexing, are deleted with the pod"
        for claim in thing["spec"].get("volumeClaimTemplates", []):
            if claim["spec"]["accessModes"] != ["ReadWriteOnce"]:
                yield f"{title(thing)}: one process owns a data folder; use ReadWriteOnce"
        if not thing["spec"].get("volumeClaimTemplates"):
            yield f"{title(thing)}: it has no persistent volume"


def service_of_workers_lists_the_ready(cluster: Cluster) -> Iterator[str]:
    worker = cluster.component("worker")
    service = worker and cluster.get("Service", worker.thing["spec"].get("serviceName", ""))
    if not service:
        return
    if service["spec"].get("publishNotReadyAddresses") is not False:
        yield f"{title(service)}: gateways resolve workers that are not ready"
    if [port["name"] for port in service["spec"]["ports"]] != ["grpc"]:
        yield f"{title(service)}: it must have one port, `grpc`"
