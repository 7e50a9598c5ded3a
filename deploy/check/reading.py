"""References of pods: files, volumes, ConfigMaps and Secrets exist."""

from __future__ import annotations

from collections.abc import Iterator

from cluster import Cluster


def references_exist(cluster: Cluster) -> Iterator[str]:
    for workload in cluster.workloads:
        account = workload.pod.get("serviceAccountName", "default")
        if cluster.get("ServiceAccount", account) is None:
            yield f"{workload.title}: there is no ServiceAccount `{account}`"
        wanted = []
        for volume in workload.pod.get("volumes", []):
            if "configMap" in volume:
                wanted.append(("ConfigMap", volume["configMap"]["name"], None))
            if "secret" in volume:
                wanted.append(("Secret", volume["secret"]["secretName"], None))
        for variable in workload.container.get("env", []):
            for kind, field in (("ConfigMap", "configMapKeyRef"), ("Secret", "secretKeyRef")):
                if reference := variable.get("valueFrom", {}).get(field):
                    wanted.append((kind, reference["name"], reference["key"]))
        for variables in workload.container.get("envFrom", []):
            for kind, field in (("ConfigMap", "configMapRef"), ("Secret", "secretRef")):
                if field in variables:
                    wanted.append((kind, variables[field]["name"], None))
        for kind, name, key in wanted:
            keys = cluster.keys(kind, name)
            if keys is None:
                yield f"{workload.title}: there is no {kind} `{name}`, and secrets.example.yaml does not list it"
            elif key is not None and key not in keys:
                yield f"{workload.title}: the {kind} `{name}` has no key `{key}`"
        volumes = {volume["name"] for volume in workload.pod.get("volumes", [])}
        volumes |= {claim["metadata"]["name"] for claim in workload.thing["spec"].get("volumeClaimTemplates", [])}
        mounted = {mount["name"] for mount in workload.container.get("volumeMounts", [])}
        for name in sorted(mounted - volumes):
            yield f"{workload.title}: there is no volume `{name}`"
        for name in sorted(volumes - mounted):
            yield f"{workload.title}: the volume `{name}` is not mounted"


def configured_files_are_mounted(cluster: Cluster) -> Iterator[str]:
    for component in ("gateway", "worker"):
        workload = cluster.component(component)
        if workload is None:
            continue
        config = workload.argument("config") or ""
        text, problem = cluster.file(workload, config)
        if problem or text is None:
            yield problem or f"{workload.title}: its configuration `{config}` is not in these manifests"
        in_variables = [one.get("value", "") for one in workload.container.get("env", [])]
        in_variables = [word.rpartition("=")[2] for value in in_variables for word in value.split()]
        for path in absolute_paths([cluster.config(component), in_variables]):
            if problem := cluster.file(workload, path)[1]:
                yield f"configuration of the {component}: {problem}"


def configured_models_are_mounted(cluster: Cluster) -> Iterator[str]:
    """The folder of a model must be on a volume, since the image contains no model."""
    for component in ("gateway", "worker"):
        workload, model = cluster.component(component), cluster.config(component).get("model")
        folder = model.get("directory") if isinstance(model, dict) else None
        if workload and folder and workload.mount_of(folder) is None:
            yield f"{component}.toml: the folder of the model, `{folder}`, is on no volume of {workload.title}"


def absolute_paths(value: object) -> Iterator[str]:
    """Yields the paths of files in a configuration."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from absolute_paths(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from absolute_paths(inner)
    elif isinstance(value, str) and value.startswith("/etc/causeway/"):
        yield value


def what_is_written_to_is_writable(cluster: Cluster) -> Iterator[str]:
    """The root file system is read-only, so writable folders need a volume."""
    for workload in cluster.workloads:
        environment = {one["name"]: one.get("value") for one in workload.container.get("env", [])}
        needed = ["/tmp"] if workload.component == "gateway" else ["/tmp", environment.get("CAUSEWAY_DATA") or "CAUSEWAY_DATA"]
        for path in needed:
            mounted = workload.mount_of(path)
            is_read_only = any(
                mount["mountPath"] == path and mount.get("readOnly") for mount in workload.container.get("volumeMounts", [])
            )
            if mounted is None or is_read_only or {"configMap", "secret"} & set(mounted[0]):
                yield f"{workload.title}: `{path}` is on no writable volume"
            elif path == "/tmp" and "sizeLimit" not in mounted[0].get("emptyDir", {}):
                yield f"{workload.title}: `/tmp` has no size limit"


def running_workers_see_a_changed_listing(cluster: Cluster) -> Iterator[str]:
    """A volume follows its ConfigMap, unless the name changes with the content or a single file is mounted."""
    worker = cluster.component("worker")
    listing = cluster.config("worker").get("repositories", {}).get("listing")
    if worker is None or listing is None:
        return
    mounted = worker.mount_of(listing)
    name = mounted[0].get("configMap", {}).get("name", "") if mounted else ""
    if name != "causeway-repositories":
        yield f"worker.toml: the listing `{listing}` is not in the ConfigMap `causeway-repositories`"
    if any(mount.get("subPath") for mount in worker.container.get("volumeMounts", [])):
        yield f"{worker.title}: a file that is mounted by `subPath` is never updated"
