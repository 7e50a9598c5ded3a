"""Targets of the release, and their names in each package format."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Target:
    rust: str
    wheel: str
    npm: str
    # `os` and `cpu` of npm.
    npm_os: str
    npm_cpu: str
    # Name of the operating system in bundles.
    bundle: str
    # Architecture of Debian; `None` on other systems.
    debian: str | None = None

    @property
    def uses_glibc(self) -> bool:
        return self.rust.endswith("linux-gnu")

    @property
    def glibc(self) -> tuple[int, int]:
        """The oldest glibc that the packages may be installed with, as the wheel is labelled."""
        _, major, minor, _ = self.wheel.split("_", 3)
        return int(major), int(minor)

    def needing(self, glibc: tuple[int, ...]) -> Target:
        """Returns the target for a program that needs this glibc. Its packages are labelled with it if it is newer than that of a release."""
        if not self.uses_glibc or glibc[:2] <= self.glibc:
            return self
        architecture = self.wheel.split("_", 3)[3]
        return replace(self, wheel=f"manylinux_{glibc[0]}_{glibc[1]}_{architecture}")


# The newest glibc that a Linux binary of a release may need: that of Debian 10 and RHEL 8.
GLIBC = (2, 28)

TARGETS = [
    Target("x86_64-unknown-linux-gnu", "manylinux_2_28_x86_64", "linux-x64", "linux", "x64", "linux", "amd64"),
    Target("aarch64-unknown-linux-gnu", "manylinux_2_28_aarch64", "linux-arm64", "linux", "arm64", "linux", "arm64"),
    Target("x86_64-unknown-linux-musl", "musllinux_1_2_x86_64", "linux-x64-musl", "linux", "x64", "linux"),
    Target("aarch64-apple-darwin", "macosx_11_0_arm64", "darwin-arm64", "darwin", "arm64", "darwin"),
    Target("x86_64-apple-darwin", "macosx_11_0_x86_64", "darwin-x64", "darwin", "x64", "darwin"),
]


def by_name(name: str) -> Target:
    return next(target for target in TARGETS if target.rust == name)
