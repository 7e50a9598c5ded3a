"""Strict validation of objects against the schemas of Kubernetes: an unknown field is an error."""

from __future__ import annotations

import kubernetes_validate

from cluster import Cluster

# The oldest version with all used features (eviction of unhealthy pods, preStop sleep), and the newest version that the
# validator supports.
VERSIONS = ("1.31", "1.37")

# Custom resources, with the allowed keys of their `spec`. The validator has no schemas of them.
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
    """Returns the schema violations of objects."""
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
