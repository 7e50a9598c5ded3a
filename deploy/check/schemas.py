"""Whether objects have the shape that Kubernetes wants, strictly: an unknown field is an error."""

from __future__ import annotations

import kubernetes_validate

from cluster import Cluster

# The oldest version with everything that is used (eviction of unhealthy pods, the sleep before a stop), and the newest
# whose schemas the validator has.
VERSIONS = ("1.31", "1.37")

# Kinds that come with other programs, and the keys that their `spec` may have here. There are no schemas of them offline.
CUSTOM = {
    ("cert-manager.io/v1", "Certificate"): {
        "commonName", "dnsNames", "duration", "isCA", "issuerRef", "privateKey", "renewBefore", "secretName", "usages",
    },
    ("cert-manager.io/v1", "Issuer"): {"ca", "selfSigned"},
    ("gateway.networking.k8s.io/v1", "HTTPRoute"): {"hostnames", "parentRefs", "rules"},
    ("monitoring.coreos.com/v1", "PodMonitor"): {"namespaceSelector", "podMetricsEndpoints", "selector"},
    ("monitoring.coreos.com/v1", "PrometheusRule"): {"groups"},
}


def problems(cluster: Cluster) -> list[str]:
    """Returns what is wrong with the shape of objects."""
    found = []
    for thing in cluster.objects:
        name = f"{thing['kind']} {thing['metadata']['name']}"
        custom = CUSTOM.get((thing["apiVersion"], thing["kind"]))
        if custom is not None:
            found += [f"{name}: unknown field `{key}`" for key in sorted(set(thing["spec"]) - custom)]
            continue
        for version in VERSIONS:
            try:
                kubernetes_validate.validate(thing, version, strict=True)
            except kubernetes_validate.SchemaNotFoundError:
                found.append(f"{name}: Kubernetes {version} has no {thing['apiVersion']}")
            except kubernetes_validate.ValidationError as error:
                path = ".".join(str(step) for step in error.path)
                found.append(f"{name}: {path or 'at the top'}: {error.message} (Kubernetes {version})")
    return found
