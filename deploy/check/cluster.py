"""The objects of one rendering, with queries on workloads, files and configurations."""

from __future__ import annotations

import base64
import functools
from dataclasses import dataclass

import tomli

import rendering

WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet")


@dataclass(frozen=True)
class Workload:
    """An object that creates pods. Pods of Causeway have one container."""

    thing: dict

    @property
    def name(self) -> str:
        return self.thing["metadata"]["name"]

    @property
    def title(self) -> str:
        return title(self.thing)

    @property
    def labels(self) -> dict[str, str]:
        return self.thing["spec"]["template"]["metadata"].get("labels", {})

    @property
    def component(self) -> str:
        return self.labels.get("app.kubernetes.io/component", "")

    @property
    def pod(self) -> dict:
        return self.thing["spec"]["template"]["spec"]

    @property
    def container(self) -> dict:
        return self.pod["containers"][0]

    @property
    def ports(self) -> dict[str, int]:
        """The ports of the container by name."""
        return {port.get("name", ""): port["containerPort"] for port in self.container.get("ports", [])}

    def port(self, named: str | int) -> int | None:
        """Returns the number of a port of the container, by its name or number."""
        return self.ports.get(named) if isinstance(named, str) else named if named in self.ports.values() else None

    def argument(self, name: str) -> str | None:
        """Returns the value of `--name=value` among the arguments."""
        prefix = f"--{name}="
        return next((arg[len(prefix) :] for arg in self.container.get("args", []) if arg.startswith(prefix)), None)

    def mount_of(self, path: str) -> tuple[dict, str] | None:
        """Returns the volume that contains a path, and the rest of the path."""
        mounts = sorted(self.container.get("volumeMounts", []), key=lambda mount: -len(mount["mountPath"]))
        for mount in mounts:
            if path == mount["mountPath"] or path.startswith(mount["mountPath"] + "/"):
                volumes = [*self.pod.get("volumes", []), *self.thing["spec"].get("volumeClaimTemplates", [])]
                for volume in volumes:
                    if volume.get("name", volume.get("metadata", {}).get("name")) == mount["name"]:
                        return volume, path[len(mount["mountPath"]) :].lstrip("/")
        return None


@dataclass(frozen=True)
class Cluster:
    """One rendering."""

    name: str
    objects: list[dict]

    def of(self, *kinds: str) -> list[dict]:
        return [thing for thing in self.objects if thing["kind"] in kinds]

    def get(self, kind: str, name: str) -> dict | None:
        return next((thing for thing in self.of(kind) if thing["metadata"]["name"] == name), None)

    @property
    def workloads(self) -> list[Workload]:
        return [Workload(thing) for thing in self.of(*WORKLOADS)]

    def component(self, component: str) -> Workload | None:
        """Returns the gateways or the workers."""
        return next((workload for workload in self.workloads if workload.component == component), None)

    def selected(self, labels: dict[str, str]) -> list[Workload]:
        """Returns the workloads whose pods have these labels."""
        return [workload for workload in self.workloads if labels.items() <= workload.labels.items()]

    def keys(self, kind: str, name: str) -> set[str] | None:
        """Returns the keys of a ConfigMap or Secret: from these objects, from the operator, or from a certificate."""
        thing = self.get(kind, name)
        if thing is not None:
            return {*thing.get("data", {}), *thing.get("stringData", {}), *thing.get("binaryData", {})}
        if kind == "Secret":
            if any(one["spec"].get("secretName") == name for one in self.of("Certificate")):
                return {"tls.crt", "tls.key", "ca.crt"}
            return operator_secrets().get(name)
        return None

    def file(self, workload: Workload, path: str) -> tuple[str | None, str]:
        """Returns the text of a file in a pod, if it is known here; and a problem, if there is one."""
        mounted = workload.mount_of(path)
        if mounted is None:
            return None, f"`{path}` is on no volume of {workload.title}"
        volume, key = mounted
        for kind, field, naming in (("ConfigMap", "configMap", "name"), ("Secret", "secret", "secretName")):
            if field not in volume:
                continue
            name = volume[field][naming]
            keys = self.keys(kind, name)
            if keys is None:
                return None, ""  # The reference itself is checked elsewhere.
            if key not in keys:
                return None, f"`{path}` of {workload.title}: the {kind} `{name}` has no key `{key}`"
            thing = self.get(kind, name)
            if thing is None:
                return None, ""
            if key in thing.get("data", {}):
                text = thing["data"][key]
                return (base64.b64decode(text).decode() if kind == "Secret" else text), ""
            return thing.get("stringData", {}).get(key), ""
        return None, f"`{path}` of {workload.title} is on the volume `{volume.get('name')}`, which has no content"

    def config(self, component: str) -> dict:
        """Returns the configuration of the gateways or the workers; empty if there is none."""
        workload = self.component(component)
        path = workload and workload.argument("config")
        text = path and self.file(workload, path)[0]
        return tomli.loads(text) if text else {}


def title(thing: dict) -> str:
    return f"{thing['kind']} {thing['metadata']['name']}"


operator_secrets = functools.cache(rendering.operator_secrets)
