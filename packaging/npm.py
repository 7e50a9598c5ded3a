"""The npm packages: one per target with the program, and one that selects among them."""

from __future__ import annotations

import json
import pathlib
import shutil
import subprocess
import tempfile

from names import DESCRIPTION, LICENCE, NPM_NAME, PROGRAM, REGISTRY_NAME, ROOT, version
from target import TARGETS, Target


def platform_name(target: Target) -> str:
    return f"{NPM_NAME}-{target.npm}"


def common() -> dict:
    return {"version": version(), "description": DESCRIPTION, "license": LICENCE}


def main_manifest() -> dict:
    """Returns the manifest of the package that selects among those of the targets."""
    return {
        "name": NPM_NAME,
        **common(),
        "mcpName": REGISTRY_NAME,
        "bin": {PROGRAM: f"bin/{PROGRAM}.js"},
        "files": ["bin"],
        "engines": {"node": ">=18"},
        "optionalDependencies": {platform_name(one): version() for one in TARGETS},
    }


def write(binary: pathlib.Path, documents: list[pathlib.Path], output: pathlib.Path, target: Target) -> list[pathlib.Path]:
    platform = {
        "name": platform_name(target),
        **common(),
        "os": [target.npm_os],
        "cpu": [target.npm_cpu],
        **({"libc": ["musl" if target.rust.endswith("musl") else "glibc"]} if target.npm_os == "linux" else {}),
        "files": ["bin", *(document.name for document in documents)],
    }
    with tempfile.TemporaryDirectory() as temporary:
        folders = [pathlib.Path(temporary) / "platform", pathlib.Path(temporary) / "main"]
        for folder, manifest in zip(folders, [platform, main_manifest()]):
            (folder / "bin").mkdir(parents=True)
            (folder / "package.json").write_text(json.dumps(manifest, indent=2) + "\n")
            shutil.copy(ROOT / "LICENSE", folder)
            shutil.copy(ROOT / "README.md", folder)
        shutil.copy(binary, folders[0] / "bin" / PROGRAM)
        (folders[0] / "bin" / PROGRAM).chmod(0o755)
        for document in documents:
            shutil.copy(document, folders[0])
        launcher = (ROOT / "packaging/launcher/npm.js").read_text()
        (folders[1] / "bin" / f"{PROGRAM}.js").write_text(launcher)
        (folders[1] / "bin" / f"{PROGRAM}.js").chmod(0o755)
        return [pack(folder, output) for folder in folders]


def pack(folder: pathlib.Path, output: pathlib.Path) -> pathlib.Path:
    command = ["npm", "pack", "--silent", "--pack-destination", output]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return output / done.stdout.strip().splitlines()[-1]
