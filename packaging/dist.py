"""Makes all packages of a target from one built program. `make dist` runs it."""

from __future__ import annotations

import argparse
import hashlib
import pathlib
import shutil
import tempfile

import archive
import binary as program
import bundle
import crates
import debian
import licences
import names
import npm
import registry
import sbom
import target as targets
import wheel


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", type=pathlib.Path, required=True, help="the built program")
    parser.add_argument("--target", default="x86_64-unknown-linux-gnu", help="the target of the program")
    parser.add_argument("--output", type=pathlib.Path, required=True, help="folder for the packages")
    parser.add_argument("--base-url", default=names.release_url(), help="address of the files of the release")
    parser.add_argument("--any-glibc", action="store_true", help="accept a program for a newer glibc, for a trial")
    args = parser.parse_args()
    # Tools run in other folders.
    args.output = args.output.resolve()
    return args


def main() -> None:
    args = arguments()
    target = targets.by_name(args.target)
    shutil.rmtree(args.output, ignore_errors=True)
    args.output.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary)
        binary = program.stripped(args.binary, work / "causeway")
        target, problems = program.check(binary, target, args.any_glibc)
        if problems:
            raise SystemExit("\n".join(problems))
        linked = crates.linked(target.rust)
        documents = [work / "THIRD_PARTY_LICENCES.txt", work / "sbom.cdx.json"]
        licences.write(linked, documents[0])
        sbom.write(linked, documents[1])
        folder = work / "archive"
        archive.fill(folder, binary, documents)
        archive.write(folder, args.output, target)
        wheel.write(binary, documents, args.output, target)
        npm.write(binary, documents, args.output, target)
        if target.debian:
            debian.write(folder, args.output, target)
        mcpb = bundle.write(binary, documents, args.output, target)
        registry.write(mcpb, args.output, args.base_url.rstrip("/"))
        shutil.copy(documents[1], args.output)
    write_checksums(args.output)


def write_checksums(output: pathlib.Path) -> None:
    files = sorted(file for file in output.iterdir() if file.is_file())
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}" for file in files]
    (output / "SHA256SUMS").write_text("\n".join(lines) + "\n")
    for file in files:
        print(f"{file.stat().st_size / 1e6:8.1f} MB  {file.name}")


if __name__ == "__main__":
    main()
