"""Label selectors: each one selects the intended pods."""

from __future__ import annotations

from collections.abc import Iterator

from cluster import Cluster, title


def workloads_select_their_pods(cluster: Cluster) -> Iterator[str]:
    for workload in cluster.workloads:
        wanted = workload.thing["spec"]["selector"]["matchLabels"]
        if not wanted.items() <= workload.labels.items():
            yield f"{workload.title}: its selector does not match its pods"
        others = [other.name for other in cluster.selected(wanted) if other.name != workload.name]
        if others:
            yield f"{workload.title}: its selector also matches the pods of {', '.join(others)}"


def everything_selects_something(cluster: Cluster) -> Iterator[str]:
    for thing in cluster.of("Service"):
        if len(cluster.selected(thing["spec"]["selector"])) != 1:
            yield f"{title(thing)}: it does not select the pods of one workload"
    for thing in cluster.of("PodDisruptionBudget", "PodMonitor"):
        if len(cluster.selected(thing["spec"]["selector"]["matchLabels"])) != 1:
            yield f"{title(thing)}: it does not select the pods of one workload"
    for thing in cluster.of("NetworkPolicy"):
        for labels in pod_selectors(thing):
            if labels and not cluster.selected(labels):
                yield f"{title(thing)}: no pod has the labels {labels}"


def pod_selectors(policy: dict) -> Iterator[dict[str, str]]:
    """Yields the labels by which a policy selects pods of this namespace."""
    spec = policy["spec"]
    yield spec["podSelector"].get("matchLabels", {})
    for rules, side in (("ingress", "from"), ("egress", "to")):
        for rule in spec.get(rules, []):
            for peer in rule.get(side, []):
                if "podSelector" in peer and "namespaceSelector" not in peer:
                    yield peer["podSelector"].get("matchLabels", {})


def spread_is_over_own_pods(cluster: Cluster) -> Iterator[str]:
    for workload in cluster.workloads:
        constraints = workload.pod.get("topologySpreadConstraints", [])
        terms = workload.pod.get("affinity", {}).get("podAntiAffinity", {})
        preferred = [term["podAffinityTerm"] for term in terms.get("preferredDuringSchedulingIgnoredDuringExecution", [])]
        for one in [*constraints, *preferred]:
            selected = cluster.selected(one["labelSelector"]["matchLabels"])
            if [other.name for other in selected] != [workload.name]:
                yield f"{workload.title}: its spread over `{one['topologyKey']}` selects other pods"
        if not constraints or not preferred:
            yield f"{workload.title}: its pods are not spread over zones and nodes"


def scalers_and_sets_name_what_there_is(cluster: Cluster) -> Iterator[str]:
    for thing in cluster.of("HorizontalPodAutoscaler"):
        target = thing["spec"]["scaleTargetRef"]
        if cluster.get(target["kind"], target["name"]) is None:
            yield f"{title(thing)}: there is no {target['kind']} `{target['name']}`"
    for thing in cluster.of("StatefulSet"):
        service = cluster.get("Service", thing["spec"]["serviceName"])
        if service is None:
            yield f"{title(thing)}: there is no Service `{thing['spec']['serviceName']}`"
        elif service["spec"].get("clusterIP") != "None":
            yield f"{title(service)}: pods have DNS names only with `clusterIP: None`"
        elif thing["metadata"]["name"] not in [found.name for found in cluster.selected(service["spec"]["selector"])]:
            yield f"{title(thing)}: its Service selects other pods"
