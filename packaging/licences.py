"""Licences of the linked crates: each text once, with the crates that it is for."""

from __future__ import annotations

import pathlib
from collections import defaultdict

from crates import Crate

# Beginnings of the names of files with licences and notices.
BEGINNINGS = ("license", "licence", "copying", "notice", "unlicense", "copyright")


def texts_of(crate: Crate) -> list[str]:
    """Returns the texts of a crate, which may lie in a folder of its own."""
    folders = [crate.folder, crate.folder / "LICENSES", crate.folder / "licenses"]
    files = sorted(file for folder in folders if folder.is_dir() for file in folder.iterdir() if file.is_file())
    named = [file for file in files if file.name.lower().startswith(BEGINNINGS) or file.parent != crate.folder]
    return [file.read_text(errors="replace").strip() for file in named]


def render(crates: list[Crate]) -> str:
    external = [crate for crate in crates if crate.is_external]
    users: dict[str, list[str]] = defaultdict(list)
    without = []
    for crate in external:
        texts = texts_of(crate)
        for text in dict.fromkeys(texts):
            users[text].append(f"{crate.name} {crate.version}")
        if not texts:
            without.append(f"{crate.name} {crate.version} ({crate.licence})")
    lines = ["Licences of the crates that causeway links.", ""]
    lines += [f"{crate.name} {crate.version}: {crate.licence or 'see its text'}" for crate in external]
    if without:
        lines += ["", "These crates ship no text; their licence is the standard one of that name:", *without]
    for text, names in sorted(users.items(), key=lambda entry: entry[1]):
        lines += ["", "=" * 100, ", ".join(names), "=" * 100, "", text]
    return "\n".join(lines) + "\n"


def write(crates: list[Crate], path: pathlib.Path) -> None:
    path.write_text(render(crates))
