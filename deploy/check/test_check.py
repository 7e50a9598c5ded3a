"""Tests that each check finds its problem, with manifests, images and compose files that are broken in one place."""

from __future__ import annotations

import base64
import copy
import functools
import re
import unittest
from collections.abc import Callable
from dataclasses import replace

import yaml

import availability
import compose
import hardening
import image
import invariants
import labels
import network
import ports
import reading
import rendering
import rules
import schemas
import trust
from cluster import Cluster

WORKER, GATEWAY = ("StatefulSet", "causeway-worker"), ("Deployment", "causeway-gateway")
SERVICE, SCALER = ("Service", "causeway-worker"), ("HorizontalPodAutoscaler", "causeway-gateway")
CONTAINER = "spec.template.spec.containers.0"
ABSENT = object()

Break = Callable[[list[dict]], None]


def at(thing: tuple[str, str], path: str, value: object) -> Break:
    """Replaces or removes a value. Items of a list are selected by index or name."""

    def change(objects: list[dict]) -> None:
        *steps, last = path.split(".")
        inner = find(objects, thing)
        for step in steps:
            inner = inner[key(inner, step)]
        if value is ABSENT:
            del inner[key(inner, last)]
        else:
            inner[key(inner, last)] = value

    return change


def key(inner: dict | list, step: str) -> str | int:
    if isinstance(inner, dict) or step.isdigit():
        return int(step) if isinstance(inner, list) else step
    return next(idx for idx, one in enumerate(inner) if one["name"] == step)


def without(kind: str, name: str) -> Break:
    return lambda objects: objects.remove(find(objects, (kind, name)))


def in_config(component: str, old: str, new: str) -> Break:
    """Changes the configuration of the gateways or the workers."""

    def change(objects: list[dict]) -> None:
        kind = {"gateway": "Secret", "worker": "ConfigMap"}[component]
        data = find(objects, (kind, f"causeway-{component}"))["data"]
        key = f"{component}.toml"
        text = base64.b64decode(data[key]).decode() if kind == "Secret" else data[key]
        assert old in text, f"`{old}` is no longer in {key}"
        text = text.replace(old, new)
        data[key] = base64.b64encode(text.encode()).decode() if kind == "Secret" else text

    return change


def all_of(*breaks: Break) -> Break:
    def change(objects: list[dict]) -> None:
        for break_it in breaks:
            break_it(objects)

    return change


def in_argument(thing: tuple[str, str], old: str, new: str) -> Break:
    def change(objects: list[dict]) -> None:
        args = find(objects, thing)["spec"]["template"]["spec"]["containers"][0]["args"]
        assert any(old in arg for arg in args), old
        args[:] = [arg.replace(old, new) for arg in args]

    return change


def find(objects: list[dict], thing: tuple[str, str]) -> dict:
    """Returns an object by the name that it had before kustomize appended a hash."""
    kind, name = thing
    pattern = re.compile(re.escape(name) + r"(-[a-z0-9]{10})?")
    return next(one for one in objects if one["kind"] == kind and pattern.fullmatch(one["metadata"]["name"]))


POLICY, BUDGET = "NetworkPolicy", "PodDisruptionBudget"
OTHER = {"app.kubernetes.io/name": "other"}

# Check, change, and expected part of the problem.
BROKEN: list[tuple[Callable, Break, str]] = [
    (labels.workloads_select_their_pods, at(WORKER, "spec.selector.matchLabels", OTHER), "does not match its pods"),
    (
        labels.workloads_select_their_pods,
        at(GATEWAY, "spec.selector.matchLabels", {"app.kubernetes.io/name": "causeway"}),
        "also matches the pods of causeway-worker",
    ),
    (labels.everything_selects_something, at(SERVICE, "spec.selector", OTHER), "pods of one workload"),
    (labels.everything_selects_something, at((BUDGET, "causeway-worker"), "spec.selector.matchLabels", OTHER), "of one workload"),
    (labels.everything_selects_something, at(("PodMonitor", "causeway-worker"), "spec.selector.matchLabels", OTHER), "of one"),
    (
        labels.everything_selects_something,
        at((POLICY, "to-workers"), "spec.ingress.0.from.1.podSelector.matchLabels", OTHER),
        "no pod has the labels",
    ),
    (
        labels.spread_is_over_own_pods,
        at(WORKER, "spec.template.spec.topologySpreadConstraints.0.labelSelector.matchLabels", OTHER),
        "selects other pods",
    ),
    (labels.spread_is_over_own_pods, at(GATEWAY, "spec.template.spec.affinity", ABSENT), "not spread over"),
    (labels.scalers_and_sets_name_what_there_is, at(SCALER, "spec.scaleTargetRef.name", "gateway"), "no Deployment `gateway`"),
    (labels.scalers_and_sets_name_what_there_is, at(WORKER, "spec.serviceName", "worker"), "no Service `worker`"),
    (labels.scalers_and_sets_name_what_there_is, at(SERVICE, "spec.clusterIP", "10.0.0.1"), "clusterIP: None"),
    (ports.services_lead_to_ports, at(SERVICE, "spec.ports.0.targetPort", "http"), "has no port `http`"),
    (ports.services_lead_to_ports, at(SERVICE, "spec.ports.0.port", 80), "port 80 maps to 7475"),
    (ports.programs_listen_where_ports_are_declared, at(WORKER, f"{CONTAINER}.ports.0.containerPort", 7000), "--listen is 0.0.0.0:7475"),
    (ports.programs_listen_where_ports_are_declared, in_argument(WORKER, "0.0.0.0", "127.0.0.1"), "--listen is 127.0.0.1"),
    (ports.programs_listen_where_ports_are_declared, in_config("gateway", "0.0.0.0:7474", "0.0.0.0:80"), "`listen` of its"),
    (ports.programs_listen_where_ports_are_declared, in_config("worker", "0.0.0.0:7476", "0.0.0.0:7477"), "`operators` of its"),
    (ports.programs_listen_where_ports_are_declared, in_config("gateway", "0.0.0.0:7476", "0.0.0.0:7477"), "`operators` of its"),
    (ports.configured_workers_are_the_service, in_config("gateway", "dns://causeway-worker:", "dns://worker:"), "not a Service"),
    (ports.configured_workers_are_the_service, in_config("gateway", "worker:7475", "worker:7476"), "has no port 7476"),
    (ports.configured_workers_are_the_service, in_config("worker", "causeway-worker:7475", "causeway-worker:7474"), "`grpc`"),
    (ports.probes_ask_what_is_served, at(WORKER, f"{CONTAINER}.readinessProbe.httpGet.path", "/livez"), "not `/readyz`"),
    (ports.probes_ask_what_is_served, at(GATEWAY, f"{CONTAINER}.livenessProbe.httpGet.path", "/healthz"), "which no code in"),
    (ports.probes_ask_what_is_served, at(WORKER, f"{CONTAINER}.livenessProbe.httpGet.port", "grpc"), "uses the port `grpc`"),
    (ports.probes_ask_what_is_served, at(WORKER, f"{CONTAINER}.startupProbe", ABSENT), "no startupProbe"),
    (ports.probes_ask_what_is_served, at(WORKER, f"{CONTAINER}.startupProbe.failureThreshold", 3), "15 s"),
    (ports.monitors_scrape_what_is_served, at(("PodMonitor", "causeway-worker"), "spec.podMetricsEndpoints.0.port", "grpc"), "at the port `operators`"),
    (ports.monitors_scrape_what_is_served, at(("PodMonitor", "causeway-gateway"), "spec.podMetricsEndpoints.0.path", "/m"), "serves `/m`"),
    (ports.monitors_scrape_what_is_served, at(("PodMonitor", "causeway-worker"), "metadata.name", "worker"), "alert rules refer to the job"),
    (reading.references_exist, at(WORKER, "spec.template.spec.serviceAccountName", "other"), "no ServiceAccount `other`"),
    (reading.references_exist, at(WORKER, "spec.template.spec.volumes.config.configMap.name", "other"), "no ConfigMap `other`"),
    (reading.references_exist, without("Certificate", "causeway-gateway"), "no Secret `causeway-gateway-tls`"),
    (reading.references_exist, at(GATEWAY, f"{CONTAINER}.volumeMounts.tmp.name", "other"), "no volume `other`"),
    (reading.references_exist, at(GATEWAY, f"{CONTAINER}.volumeMounts.tmp.name", "other"), "is not mounted"),
    (
        reading.references_exist,
        at(GATEWAY, f"{CONTAINER}.env.0", {"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "causeway-git", "key": "x"}}}),
        "has no key `x`",
    ),
    (reading.references_exist, at(WORKER, f"{CONTAINER}.envFrom", [{"secretRef": {"name": "other"}}]), "no Secret `other`"),
    (reading.configured_files_are_mounted, in_argument(GATEWAY, "gateway.toml", "other.toml"), "has no key `other.toml`"),
    (reading.configured_files_are_mounted, in_config("worker", "grant/grant.key", "grant/key"), "has no key `key`"),
    (reading.configured_files_are_mounted, in_config("worker", "/etc/causeway/tls/tls.crt", "/etc/causeway/tls.crt"), "on no volume"),
    (reading.configured_files_are_mounted, at(WORKER, f"{CONTAINER}.env.GIT_SSH_COMMAND.value", "ssh -i /etc/causeway/git/x"), "no key `x`"),
    (
        reading.configured_models_are_mounted,
        in_config("gateway", "listen =", 'model = { directory = "/var/lib/models/potion" }\nlisten ='),
        "`/var/lib/models/potion`, is on no volume of Deployment",
    ),
    (reading.what_is_written_to_is_writable, at(WORKER, f"{CONTAINER}.volumeMounts.data.mountPath", "/data"), "`/var/lib/causeway` is on no"),
    (reading.what_is_written_to_is_writable, at(WORKER, "spec.template.spec.volumes.tmp.emptyDir", {}), "no size limit"),
    (
        reading.running_workers_see_a_changed_listing,
        in_config("worker", "/etc/causeway/repositories/", "/etc/causeway/worker/"),
        "not in the ConfigMap",
    ),
    (reading.running_workers_see_a_changed_listing, at(WORKER, f"{CONTAINER}.volumeMounts.repositories.subPath", "x"), "subPath"),
    (hardening.images_are_pinned, at(WORKER, f"{CONTAINER}.image", "registry.example.com:5000/causeway"), "not pinned"),
    (hardening.images_are_pinned, at(WORKER, f"{CONTAINER}.image", "causeway:latest"), "not pinned"),
    (hardening.pods_are_restricted, at(WORKER, "spec.template.spec.securityContext.runAsUser", 0), "`runAsUser` is 0"),
    (hardening.pods_are_restricted, at(WORKER, f"{CONTAINER}.securityContext.readOnlyRootFilesystem", ABSENT), "readOnlyRoot"),
    (hardening.pods_are_restricted, at(GATEWAY, f"{CONTAINER}.securityContext.capabilities", {}), "`capabilities`"),
    (hardening.pods_have_no_token, at(GATEWAY, "spec.template.spec.automountServiceAccountToken", True), "a token"),
    (hardening.pods_have_no_token, at(GATEWAY, "spec.template.spec.enableServiceLinks", ABSENT), "variables for each"),
    (hardening.pods_have_no_token, at(("ServiceAccount", "causeway-worker"), "automountServiceAccountToken", ABSENT), "its pods"),
    (hardening.resources_are_bounded, at(WORKER, f"{CONTAINER}.resources.limits.memory", "32Gi"), "memory request and limit"),
    (hardening.resources_are_bounded, at(WORKER, f"{CONTAINER}.resources.limits.cpu", "4"), "CPU"),
    (hardening.resources_are_bounded, at(WORKER, f"{CONTAINER}.resources.requests.ephemeral-storage", ABSENT), "ephemeral"),
    (hardening.namespace_enforces, at(("Namespace", "causeway"), "metadata.labels", {}), "`restricted`"),
    (hardening.namespace_enforces, at(SERVICE, "metadata.namespace", "default"), "not in these manifests"),
    (availability.drain_fits_into_the_grace_period, at(WORKER, "spec.template.spec.terminationGracePeriodSeconds", 20), "killed 20 s"),
    (availability.drain_fits_into_the_grace_period, in_config("worker", "drain_seconds = 5", "drain_seconds = 55"), "may need 75 s"),
    (availability.drain_fits_into_the_grace_period, at(GATEWAY, f"{CONTAINER}.lifecycle", {}), "reconnecting callers"),
    (availability.drain_fits_into_the_grace_period, at(WORKER, f"{CONTAINER}.lifecycle", {"preStop": {"sleep": {"seconds": 5}}}), "by itself"),
    (availability.budgets_let_nodes_be_emptied, without(BUDGET, "causeway-worker"), "0 budgets"),
    (availability.budgets_let_nodes_be_emptied, at((BUDGET, "causeway-gateway"), "spec.minAvailable", "51%"), "ever be evicted"),
    (availability.budgets_let_nodes_be_emptied, at((BUDGET, "causeway-worker"), "spec.maxUnavailable", 0), "ever be evicted"),
    (availability.budgets_let_nodes_be_emptied, at((BUDGET, "causeway-worker"), "spec.unhealthyPodEvictionPolicy", ABSENT), "not ready"),
    (availability.rolling_keeps_serving, at(WORKER, "spec.minReadySeconds", ABSENT), "minReadySeconds"),
    (availability.rolling_keeps_serving, at(GATEWAY, "spec.strategy", {}), "before its replacement"),
    (availability.rolling_keeps_serving, at(WORKER, "spec.updateStrategy.rollingUpdate.maxUnavailable", 2), "several workers"),
    (availability.rolling_keeps_serving, at(WORKER, "spec.podManagementPolicy", ABSENT), "waits for the indexes"),
    (availability.gateways_alone_are_scaled, at(SCALER, "spec.scaleTargetRef", {"kind": "StatefulSet", "name": "causeway-worker"}), "moves repositories"),
    (availability.gateways_alone_are_scaled, at(GATEWAY, "spec.replicas", 2), "resets the scaling"),
    (availability.gateways_alone_are_scaled, at(SCALER, "spec.behavior", {}), "five minutes"),
    (availability.gateways_alone_are_scaled, at(SCALER, "spec.minReplicas", 1), "with one gateway"),
    (availability.gateways_alone_are_scaled, at(GATEWAY, f"{CONTAINER}.resources.requests.cpu", ABSENT), "need a CPU request"),
    (availability.placement_names_the_workers, at(WORKER, "spec.replicas", 4), "causeway-worker-3"),
    (availability.placement_names_the_workers, in_config("worker", "{0..2}", "{1..3}"), "[placement] names"),
    (availability.placement_names_the_workers, in_config("worker", "replicas = 2", "replicas = 4"), "4 copies"),
    (availability.placement_names_the_workers, in_config("worker", "[placement]", "[other]"), "without [placement]"),
    (availability.placement_names_the_workers, at(WORKER, f"{CONTAINER}.env", []), "POD_NAME"),
    (availability.workers_keep_their_volumes, at(WORKER, "spec.persistentVolumeClaimRetentionPolicy.whenScaled", "Delete"), "deleted"),
    (availability.workers_keep_their_volumes, at(WORKER, "spec.volumeClaimTemplates.0.spec.accessModes", ["ReadWriteMany"]), "one process"),
    (availability.workers_keep_their_volumes, at(WORKER, "spec.volumeClaimTemplates", []), "no persistent volume"),
    (availability.service_of_workers_lists_the_ready, at(SERVICE, "spec.publishNotReadyAddresses", True), "not ready"),
    (availability.service_of_workers_lists_the_ready, at(SERVICE, "spec.ports.0.name", "http"), "one port"),
    (network.nothing_passes_unless_allowed, without(POLICY, "default-deny"), "denies all traffic"),
    (network.nothing_passes_unless_allowed, at((POLICY, "to-workers"), "spec.ingress.0.from", ABSENT), "allows all traffic"),
    (network.nothing_passes_unless_allowed, at((POLICY, "workers-to-git"), "spec.egress.0.to.0.ipBlock.except", []), "credentials"),
    (network.needed_flows_pass, without(POLICY, "gateway-to-workers"), "egress to `grpc` of StatefulSet"),
    (network.needed_flows_pass, without(POLICY, "to-workers"), "ingress from Deployment causeway-gateway"),
    (network.needed_flows_pass, without(POLICY, "workers-to-workers"), "StatefulSet causeway-worker: no policy allows egress"),
    (network.needed_flows_pass, without(POLICY, "metrics-of-workers"), "at `operators`"),
    (network.needed_flows_pass, without(POLICY, "metrics-of-gateways"), "at `operators`"),
    (network.needed_flows_pass, without(POLICY, "callers-to-gateway"), "causeway.dev/callers"),
    (network.needed_flows_pass, without(POLICY, "dns"), "allows DNS"),
    (network.needed_flows_pass, without(POLICY, "traces"), "traces at 4317"),
    (network.needed_flows_pass, without(POLICY, "workers-to-git"), "fetch repositories"),
    (
        network.needed_flows_pass,
        at((POLICY, "to-workers"), "spec.ingress.0.from.0", {"namespaceSelector": {"matchLabels": network.CALLERS}}),
        "bypass the gateway",
    ),
    (
        network.services_of_others_are_reached,
        all_of(
            without(POLICY, "gateway-to-services"),
            in_config("gateway", "[webhooks]", '[access.oauth]\njwks_url = "https://id.example.com/keys"\n[webhooks]'),
        ),
        "`access.oauth.jwks_url` uses https://id.example.com/keys, but no policy allows egress of Deployment causeway-gateway at 443",
    ),
    (
        network.services_of_others_are_reached,
        all_of(
            without(POLICY, "gateway-to-services"),
            in_config("gateway", "[webhooks]", '[answers.provider]\nmodel = "m"\n[webhooks]'),
        ),
        "the component `egress-https`",
    ),
    (
        network.services_of_others_are_reached,
        in_config("worker", "drain_seconds", 'model = { url = "http://models.example.com:8080/v1" }\ndrain_seconds'),
        "StatefulSet causeway-worker at 8080: add a policy",
    ),
    (network.policies_name_ports, at((POLICY, "to-workers"), "spec.ingress.0.ports.0.port", "http"), "no port `http`"),
    (network.policies_name_ports, at((POLICY, "gateway-to-workers"), "spec.egress.0.ports.0.port", 7474), "no port `7474`"),
    (network.policies_name_ports, at((POLICY, "dns"), "spec.egress.0.ports.0.port", "dns"), "numbers, not names"),
    (network.routes_lead_to_the_gateway, at(("HTTPRoute", "causeway"), "spec.rules.0.backendRefs.0.port", 80), "no port `80`"),
    (network.routes_lead_to_the_gateway, at(("HTTPRoute", "causeway"), "spec.rules.0.backendRefs.0", {"name": "causeway-worker", "port": 7475}), "not the gateway"),
    (network.routes_lead_to_the_gateway, at(("HTTPRoute", "causeway"), "spec.rules.0.matches.0.path.value", "/"), "paths of operators"),
    (network.routes_lead_to_the_gateway, at(("HTTPRoute", "causeway"), "spec.rules.0.timeouts.request", "1m"), "`timeouts.request`"),
    (network.routes_lead_to_the_gateway, at(("HTTPRoute", "causeway"), "spec.hostnames", ["other.example.com"]), "allowed_hosts"),
    (trust.tls_is_on_everywhere_or_nowhere, in_config("gateway", "[worker_tls]", "[other]"), "set together"),
    (trust.tls_is_on_everywhere_or_nowhere, in_config("worker", "https://", "http://"), "without TLS"),
    (trust.tls_is_on_everywhere_or_nowhere, in_config("worker", "client_ca", "other"), "both sides present"),
    (trust.tls_is_on_everywhere_or_nowhere, at(SERVICE, "spec.ports.0.appProtocol", "kubernetes.io/h2c"), "appProtocol"),
    (trust.tls_is_on_everywhere_or_nowhere, in_argument(WORKER, "--listen=0.0.0.0:7475", "--allow-remote"), "forbidden with TLS"),
    (trust.certificates_name_the_workers, at(("Certificate", "causeway-worker"), "spec.dnsNames", ["causeway-worker"]), "causeway-worker-0"),
    (trust.certificates_name_the_workers, at(("Certificate", "causeway-worker"), "spec.usages", ["server auth"]), "workers call each other"),
    (trust.certificates_name_the_workers, at(("Certificate", "causeway-worker"), "spec.secretName", "other"), "no Certificate creates"),
    (trust.certificates_name_the_workers, without("Issuer", "causeway-ca"), "no Issuer `causeway-ca`"),
    (trust.grant_key_is_the_same, in_config("worker", "grant/grant.key", "git/token"), "must be the same key"),
]


@functools.cache
def production() -> list[dict]:
    """Returns the objects of the overlay with all components."""
    return rendering.render(rendering.KUSTOMIZE / "overlays" / "prod")


class Manifests(unittest.TestCase):
    def test_what_is_broken_is_found(self) -> None:
        for check, break_it, expected in BROKEN:
            with self.subTest(check.__name__, expected=expected):
                before = set(check(Cluster("sound", production())))
                objects = copy.deepcopy(production())
                break_it(objects)
                found = set(check(Cluster("broken", objects))) - before
                self.assertTrue(any(expected in problem for problem in found), f"found {found or 'nothing'}")

    def test_every_check_has_something_that_it_finds(self) -> None:
        self.assertEqual({check for check, _, _ in BROKEN}, set(invariants.CHECKS))

    def test_a_way_out_that_is_let_is_enough(self) -> None:
        objects = copy.deepcopy(production())
        ask = '[access.oauth]\njwks_url = "https://id.example.com/keys"\n[answers.provider]\nmodel = "m"\n[webhooks]'
        in_config("gateway", "[webhooks]", ask)(objects)
        self.assertEqual(list(network.services_of_others_are_reached(Cluster("let out", objects))), [])

    def test_an_unknown_field_is_found(self) -> None:
        for thing, path, expected in (
            (WORKER, f"{CONTAINER}.readinesProbe", "readinesProbe"),
            (("Certificate", "causeway-worker"), "spec.dnsname", "unknown field `dnsname`"),
            (SCALER, "apiVersion", "has no autoscaling/v3"),
        ):
            objects = copy.deepcopy(production())
            at(thing, path, "autoscaling/v3" if path == "apiVersion" else {})(objects)
            found = schemas.problems(Cluster("broken", objects))
            self.assertTrue(any(expected in problem for problem in found), found)

    def test_an_ingress_that_holds_answers_back_is_found(self) -> None:
        objects = rendering.render_with(rendering.KUSTOMIZE / "components" / "ingress")
        ingress = find(objects, ("Ingress", "causeway"))
        ingress["metadata"]["annotations"] = {}
        ingress["spec"]["rules"][0]["http"]["paths"][0]["path"] = "/metrics"
        found = "\n".join(network.routes_lead_to_the_gateway(Cluster("broken", objects)))
        for expected in ("are buffered", "proxy-read-timeout", "paths of operators"):
            self.assertIn(expected, found)

    def test_a_stray_autoscaler_and_a_single_pod_with_a_budget_are_found(self) -> None:
        objects = copy.deepcopy(production())
        find(objects, WORKER)["spec"]["replicas"] = 1
        found = "\n".join(availability.budgets_let_nodes_be_emptied(Cluster("broken", objects)))
        self.assertIn("1 pods and 1 budgets", found)


class Files(unittest.TestCase):
    def test_an_image_that_is_broken_is_found(self) -> None:
        sound = image.read()
        self.assertEqual(image.problems(sound), [])
        for old, new, expected in (
            ("debian:13.5-slim", "debian:latest", "`FROM debian:latest` is not pinned"),
            ("rust:1.95.0-slim-trixie", "rust", "`FROM rust` is not pinned"),
            ("USER 65532:65532", "USER causeway", "the last USER"),
            ("openssh-client ", "", "no `openssh-client`"),
            (" --locked", "", "is not built with"),
            ('ENTRYPOINT ["/usr/local/bin/causeway"]', "ENTRYPOINT causeway", "ENTRYPOINT"),
            ("COPY . .", "ADD . .", "use COPY"),
            ("EXPOSE 7474 7475 7476", "EXPOSE 7474", "EXPOSE has [7474]"),
            ("FROM ${RUST_IMAGE} AS build", "", "`FROM build` is not pinned"),
            ("COPY --from=program /usr/local/bin/causeway /usr/local/bin/causeway", "", "is not copied"),
        ):
            with self.subTest(old):
                self.assertIn(old, sound.dockerfile)
                found = image.problems(replace(sound, dockerfile=sound.dockerfile.replace(old, new)))
                self.assertTrue(any(expected in problem for problem in found), found)

    def test_a_context_that_lacks_a_crate_is_found(self) -> None:
        sound = image.read()
        for dockerignore, expected in (
            (sound.dockerignore.replace("!crates\n", ""), "excludes `crates/"),
            (sound.dockerignore + "tests\n", "excludes `tests/Cargo.toml`"),
            (sound.dockerignore.replace("*\n", "", 1), "does not exclude `.git/config`"),
        ):
            found = image.problems(replace(sound, dockerignore=dockerignore))
            self.assertTrue(any(expected in problem for problem in found), found)

    def test_versions_pin_an_image(self) -> None:
        for reference, expected in (
            ("debian:13.5-slim", True),
            ("causeway@sha256:" + "0" * 64, True),
            ("registry.example.com:5000/causeway", False),
            ("causeway:stable", False),
            ("causeway", False),
        ):
            self.assertEqual(image.is_pinned(reference), expected, reference)

    def test_a_compose_file_that_is_broken_is_found(self) -> None:
        sound = compose.read()
        self.assertEqual(compose.problems(sound), [])
        for old, new, expected in (
            ("read_only: true", "read_only: false", "`read_only`"),
            ("cap_drop: [ALL]", "cap_drop: []", "`cap_drop`"),
            ("/tmp:size=64m,mode=1777", "/run", "/tmp is no tmpfs"),
            ('user: "65532:65532"', 'user: "0"', "`user`"),
            ("127.0.0.1:7474:7474", "7474:7474", "from other machines"),
            ("127.0.0.1:7474:7474", "127.0.0.1:7474:80", "without a listener"),
            ("image: causeway:0.1.0", "image: causeway", "not pinned"),
            ("deploy/docker/Dockerfile", "Dockerfile", "no such Dockerfile"),
            ("internal: true", "internal: false", "is not internal"),
            ("  data-1: {}\n", "", "no such volume `data-1`"),
            ("compose/gateway.toml:/etc", "compose/other.toml:/etc", "no such file"),
            ("--allow-remote, /repositories]", "--allow-remote, /other]", "not a mounted folder"),
            ("--listen=0.0.0.0:7475", "--listen=0.0.0.0:7480", "its `workers` are"),
            ("--listen=0.0.0.0:7475", "--listen=0.0.0.0:7476", "the same port"),
            ("--listen=0.0.0.0:7474", "--listen=0.0.0.0:7480", "its configuration has"),
            ("depends_on: [worker-0, worker-1]", "depends_on: [worker-0]", "after all workers"),
            ("[CMD, causeway, status,", "[CMD, curl,", "health check"),
            ("networks: [workers, callers]", "networks: [other]", "no such network"),
            (":/repositories:ro", ":/repositories", "is writable"),
            ("networks: [workers]\n  mem", 'ports: ["7475:7475"]\n  networks: [workers]\n  mem', "are published"),
        ):
            with self.subTest(old, new=new):
                self.assertIn(old, sound.text)
                found = compose.problems(replace(sound, text=sound.text.replace(old, new)))
                self.assertTrue(any(expected in problem for problem in found), found)

    def test_configurations_beside_the_compose_file_are_read(self) -> None:
        sound = compose.read()
        for name, old, new, expected in (
            ("gateway", "http://worker-1:7475", "http://worker-2:7475", "its `workers` are"),
            ("worker", "drain_seconds", "[placement]\ndrain_seconds", "[placement] applies"),
        ):
            path = f"./compose/{name}.toml"
            configs = {**sound.configs, path: sound.configs[path].replace(old, new)}
            found = compose.problems(replace(sound, configs=configs))
            self.assertTrue(any(expected in problem for problem in found), found)

    def test_rules_that_differ_are_found(self) -> None:
        sound = "groups: [{name: causeway, rules: [{alert: A, expr: x > 1}]}]"
        written = yaml.safe_dump(rules.wanted(sound))
        self.assertEqual(rules.problems(sound, written), [])
        self.assertIn("deploy/check/rules.py", rules.problems(sound.replace("1", "2"), written)[0])


if __name__ == "__main__":
    unittest.main()
