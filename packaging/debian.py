"""The Debian package, with the systemd units of `deploy/`, which are not enabled."""

from __future__ import annotations

import gzip
import os
import pathlib
import shutil
import subprocess
import tempfile

from archive import COMPLETIONS, EXAMPLES, UNITS
from names import AUTHOR, DESCRIPTION, NAME, PROGRAM, version
from target import Target

COMPLETION_FOLDERS = {
    "bash": "usr/share/bash-completion/completions",
    "zsh": "usr/share/zsh/vendor-completions",
    "fish": "usr/share/fish/vendor_completions.d",
}


def write(folder: pathlib.Path, output: pathlib.Path, target: Target) -> pathlib.Path:
    """Writes the package from the filled folder of the archive."""
    with tempfile.TemporaryDirectory() as temporary:
        root = pathlib.Path(temporary) / "root"

        def install(source: pathlib.Path, place: str, mode: int = 0o644) -> pathlib.Path:
            path = root / place
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, path)
            path.chmod(mode)
            return path

        install(folder / PROGRAM, f"usr/bin/{PROGRAM}", 0o755)
        for unit in UNITS:
            # A package owns /usr/bin; /usr/local is for the administrator.
            path = install(folder / "deploy" / unit, f"usr/lib/systemd/system/{unit}")
            path.write_text(path.read_text().replace("/usr/local/", "/usr/").replace("doc/causeway/", f"doc/{NAME}/"))
        for example in EXAMPLES:
            install(folder / "deploy" / example, f"usr/share/doc/{NAME}/examples/{example}")
        for shell, name in COMPLETIONS.items():
            install(folder / "completions" / name, f"{COMPLETION_FOLDERS[shell]}/{name}")
        for page in sorted((folder / "man").iterdir()):
            compressed(install(page, f"usr/share/man/man1/{page.name}"))
        for document in sorted(folder.glob("*.*")):
            install(document, f"usr/share/doc/{NAME}/{document.name}")
        install(folder / "LICENSE", f"usr/share/doc/{NAME}/copyright")
        (root / "DEBIAN").mkdir()
        size = sum(file.stat().st_size for file in root.rglob("*") if file.is_file()) // 1024
        (root / "DEBIAN/control").write_text(
            f"Package: {NAME}\nVersion: {version()}\nArchitecture: {target.debian}\nMaintainer: {AUTHOR}\n"
            f"Installed-Size: {size}\nDepends: libc6 (>= {target.glibc[0]}.{target.glibc[1]})\nRecommends: git, ca-certificates\n"
            f"Section: devel\nPriority: optional\nDescription: {DESCRIPTION}\n"
            " Indexes repositories, and answers questions of agents about all of them over MCP.\n"
        )
        for path in [root, *root.rglob("*")]:
            if path.is_dir():
                path.chmod(0o755)
        package = output / f"{NAME}_{version()}_{target.debian}.deb"
        environment = {**os.environ, "SOURCE_DATE_EPOCH": "0"}
        command = ["dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, package]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
        return package


def compressed(path: pathlib.Path) -> None:
    with gzip.GzipFile(f"{path}.gz", "wb", mtime=0) as packed:
        packed.write(path.read_bytes())
    path.unlink()
