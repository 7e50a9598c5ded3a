"""Rendering of the manifests by kustomize: every overlay, and every component that no overlay uses."""

from __future__ import annotations

import os
import pathlib
import subprocess
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
KUSTOMIZE = ROOT / "deploy" / "kustomize"

NAMESPACE = "causeway"

# Deadline of a rendering, which takes a fraction of a second.
DEADLINE_SECONDS = 60


def render(folder: pathlib.Path) -> list[dict]:
    """Returns the objects of a folder with a kustomization."""
    kubectl = os.environ.get("KUBECTL", "kubectl")
    done = subprocess.run(
        [kubectl, "kustomize", str(folder)], capture_output=True, text=True, timeout=DEADLINE_SECONDS, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"{folder} cannot be rendered: {done.stderr.strip()}")
    return [document for document in yaml.safe_load_all(done.stdout) if document]


def render_all() -> dict[str, list[dict]]:
    """Returns the objects of the base, of each overlay, and of the base with each component that no overlay uses."""
    overlays = sorted((KUSTOMIZE / "overlays").iterdir())
    rendered = {"base": render(KUSTOMIZE / "base")}
    used = set()
    for overlay in overlays:
        rendered[f"overlays/{overlay.name}"] = render(overlay)
        kustomization = yaml.safe_load((overlay / "kustomization.yaml").read_text())
        used |= {pathlib.PurePath(component).name for component in kustomization.get("components", [])}
    for component in sorted((KUSTOMIZE / "components").iterdir()):
        if component.name not in used:
            rendered[f"base with components/{component.name}"] = render_with(component)
    return rendered


def render_with(component: pathlib.Path) -> list[dict]:
    """Returns the objects of the base with one component."""
    with tempfile.TemporaryDirectory() as folder:
        relative = lambda path: os.path.relpath(path, os.path.realpath(folder))
        kustomization = {
            "namespace": NAMESPACE,
            "resources": [relative(KUSTOMIZE / "base")],
            "components": [relative(component)],
        }
        pathlib.Path(folder, "kustomization.yaml").write_text(yaml.safe_dump(kustomization))
        return render(pathlib.Path(folder))


def operator_secrets() -> dict[str, set[str]]:
    """Returns the keys of each Secret that the operator creates."""
    documents = yaml.safe_load_all((KUSTOMIZE / "secrets.example.yaml").read_text())
    return {secret["metadata"]["name"]: set(secret["stringData"]) for secret in documents}
