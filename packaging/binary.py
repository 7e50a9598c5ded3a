"""Checks of a built program: size, symbols, and the glibc that it needs."""

from __future__ import annotations

import pathlib
import re
import subprocess

from target import GLIBC, Target

# The aim for the program of a release.
SIZE_AIM = 60_000_000


def glibc_needed(binary: pathlib.Path) -> tuple[int, ...]:
    """Returns the newest version of a symbol of glibc."""
    symbols = subprocess.run(["objdump", "-T", binary], check=True, capture_output=True, text=True).stdout
    versions = [tuple(map(int, one.split("."))) for one in re.findall(r"\bGLIBC_(\d[\d.]*)", symbols)]
    return max(versions, default=(0,))


def stripped(binary: pathlib.Path, copy: pathlib.Path) -> pathlib.Path:
    """Copies the program without symbols, which a stripped one no longer has."""
    subprocess.run(["strip", "--strip-all", "-o", copy, binary], check=True)
    copy.chmod(0o755)
    return copy


def sections(binary: pathlib.Path) -> str:
    """Returns the largest sections, in megabytes."""
    table = subprocess.run(["size", "-A", binary], check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in table.splitlines()]
    sizes = sorted(((int(row[1]), row[0]) for row in rows if len(row) == 3 and row[1].isdigit()), reverse=True)
    return ", ".join(f"{name} {size / 1e6:.1f}" for size, name in sizes[:4])


def check(binary: pathlib.Path, target: Target, any_glibc: bool) -> tuple[Target, list[str]]:
    """Prints size and glibc. Returns the target with the labels for this program, and the problems."""
    size = binary.stat().st_size
    print(f"program: {size / 1e6:.1f} MB ({sections(binary)})" + ("" if size < SIZE_AIM else f"; the aim is {SIZE_AIM / 1e6:.0f}"))
    if not target.uses_glibc:
        return target, []
    needed = glibc_needed(binary)
    labelled = target.needing(needed)
    print(f"glibc: {'.'.join(map(str, needed))} or later; the wheel is {labelled.wheel}, the Debian package needs libc6 {'.'.join(map(str, labelled.glibc))}")
    if needed <= GLIBC:
        return labelled, []
    if any_glibc:
        print("these packages are for a trial: those of a release run with older systems, too")
        return labelled, []
    return labelled, [f"the program needs glibc {'.'.join(map(str, needed))}: build it with `make dist`"]
