"""Checks the consistency of the deployment: rendered manifests, the Dockerfile and the compose file.

`make deploy-check` runs it, after its own tests. Each problem is one line with the object and the required change.
"""

from __future__ import annotations

import sys

import compose
import image
import invariants
import rendering
import rules
import schemas
from cluster import Cluster


def main() -> int:
    problems: list[str] = []
    n_objects = 0
    for name, objects in rendering.render_all().items():
        n_objects += len(objects)
        cluster = Cluster(name, objects)
        found = schemas.problems(cluster) + [problem for check in invariants.CHECKS for problem in check(cluster)]
        problems += [f"{name}: {problem}" for problem in found]
        print(f"{'FAILED' if found else 'ok':<7} {name}, {len(objects)} objects")
    for name, found in (
        ("Dockerfile", image.problems(image.read())),
        ("compose.yaml", compose.problems(compose.read())),
        ("rules.yaml", rules.problems(rules.RULES.read_text(), rules.OBJECT.read_text())),
    ):
        problems += [f"{name}: {problem}" for problem in found]
        print(f"{'FAILED' if found else 'ok':<7} {name}")
    for problem in problems:
        print(f"        {problem}", file=sys.stderr)
    print(f"{n_objects} objects, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
