"""The Python wheel: the program as a script, and a script with the name of the package that starts it."""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import sys
import tempfile

from names import AUTHOR, DESCRIPTION, LICENCE, NAME, PROGRAM, ROOT, version
from target import Target


# `uvx NAME` runs the script with the name of the package. Installers replace the first line.
LAUNCHER = f"""#!python
import os
import sys

program = os.path.join(os.path.dirname(os.path.realpath(__file__)), "{PROGRAM}")
os.execv(program, [program, *sys.argv[1:]])
"""


def write(binary: pathlib.Path, documents: list[pathlib.Path], output: pathlib.Path, target: Target) -> pathlib.Path:
    stem = f"{NAME.replace('-', '_')}-{version()}"
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        scripts = folder / f"{stem}.data" / "scripts"
        info = folder / f"{stem}.dist-info"
        scripts.mkdir(parents=True)
        (info / "licenses").mkdir(parents=True)
        shutil.copy(binary, scripts / PROGRAM)
        (scripts / NAME).write_text(LAUNCHER)
        for script in scripts.iterdir():
            script.chmod(0o755)
        for document in [ROOT / "LICENSE", *documents]:
            shutil.copy(document, info / "licenses")
        (info / "WHEEL").write_text(
            f"Wheel-Version: 1.0\nGenerator: {NAME}\nRoot-Is-Purelib: false\nTag: py3-none-{target.wheel}\n"
        )
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.4\nName: {NAME}\nVersion: {version()}\nSummary: {DESCRIPTION}\nAuthor: {AUTHOR}\n"
            f"License-Expression: {LICENCE}\nLicense-File: LICENSE\nRequires-Python: >=3.8\n"
            "Classifier: Environment :: Console\nClassifier: Programming Language :: Rust\n"
            f"Description-Content-Type: text/markdown\n\n{(ROOT / 'README.md').read_text()}"
        )
        # The tool writes the hashes of all files, and the name of the wheel.
        subprocess.run(
            [sys.executable, "-m", "wheel", "pack", folder, "--dest-dir", output], check=True, stdout=subprocess.DEVNULL
        )
    return output / f"{stem}-py3-none-{target.wheel}.whl"
