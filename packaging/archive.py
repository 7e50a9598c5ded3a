"""The archive of a target: the program with pages of the manual, completions, units, licences and the bill of materials."""

from __future__ import annotations

import gzip
import pathlib
import shutil
import subprocess
import tarfile

from names import PROGRAM, ROOT, version
from target import Target

COMPLETIONS = {"bash": PROGRAM, "zsh": f"_{PROGRAM}", "fish": f"{PROGRAM}.fish"}
UNITS = ["causeway-gateway.service", "causeway-worker.service"]
EXAMPLES = ["gateway.example.toml", "worker.example.toml"]


def fill(folder: pathlib.Path, binary: pathlib.Path, documents: list[pathlib.Path]) -> None:
    """Fills the folder that the archive and the Debian package are made from."""
    (folder / "completions").mkdir(parents=True)
    shutil.copy(binary, folder / PROGRAM)
    (folder / PROGRAM).chmod(0o755)
    for shell, name in COMPLETIONS.items():
        script = subprocess.run([binary, "completions", shell], check=True, capture_output=True).stdout
        (folder / "completions" / name).write_bytes(script)
    subprocess.run([binary, "man", folder / "man"], check=True)
    for name in UNITS + EXAMPLES:
        target = folder / "deploy" / name
        target.parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / "deploy" / name, target)
    for document in [ROOT / "README.md", ROOT / "LICENSE", ROOT / "CHANGELOG.md", *documents]:
        shutil.copy(document, folder)


def write(folder: pathlib.Path, output: pathlib.Path, target: Target) -> pathlib.Path:
    """Writes the archive. Equal files give equal bytes."""
    name = f"{PROGRAM}-{version()}-{target.rust}"

    def normalised(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.uid = member.gid = member.mtime = 0
        member.uname = member.gname = ""
        member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
        return member

    path = output / f"{name}.tar.gz"
    with path.open("wb") as raw, gzip.GzipFile("", "wb", mtime=0, fileobj=raw) as packed:
        with tarfile.open(fileobj=packed, mode="w") as archive:
            for file in sorted(folder.rglob("*")):
                archive.add(file, f"{name}/{file.relative_to(folder)}", recursive=False, filter=normalised)
    return path
