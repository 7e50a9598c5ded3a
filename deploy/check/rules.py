"""The alert rules as an object for the Prometheus operator, which reads no plain rule files.

As a script, it generates `components/monitoring/rules.yaml` from `deploy/prometheus/alerts.yaml`. `check.py` compares both.
"""

from __future__ import annotations

import yaml

import rendering

RULES = rendering.ROOT / "deploy" / "prometheus" / "alerts.yaml"
OBJECT = rendering.KUSTOMIZE / "components" / "monitoring" / "rules.yaml"
HEAD = "# Generated from ../../../prometheus/alerts.yaml by deploy/check/rules.py: edit that file, and run the script.\n"


def wanted(rules: str) -> dict:
    """Returns the object with the rules of a file."""
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": {"name": "causeway"},
        "spec": yaml.safe_load(rules),
    }


def problems(rules: str, written: str) -> list[str]:
    """Returns the differences between the rules and the written object."""
    if yaml.safe_load(written) != wanted(rules):
        return ["it differs from deploy/prometheus/alerts.yaml: run `.tools/deploy/bin/python deploy/check/rules.py`"]
    return []


class Dumper(yaml.SafeDumper):
    """Writes multi-line text as a block."""


Dumper.add_representer(
    str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)
)

if __name__ == "__main__":
    OBJECT.write_text(HEAD + yaml.dump(wanted(RULES.read_text()), Dumper=Dumper, sort_keys=False, width=120))
