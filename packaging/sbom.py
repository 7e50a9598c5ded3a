"""The software bill of materials, in CycloneDX."""

from __future__ import annotations

import json
import pathlib

from cyclonedx.builder.this import this_component
from cyclonedx.factory.license import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

from crates import Crate
from names import PROGRAM


def component(crate: Crate) -> Component:
    kind = ComponentType.APPLICATION if crate.name == PROGRAM else ComponentType.LIBRARY
    # The old notation of alternatives is no expression of SPDX.
    licence = crate.licence.replace("/", " OR ")
    return Component(
        type=kind,
        name=crate.name,
        version=crate.version,
        purl=PackageURL("cargo", name=crate.name, version=crate.version) if crate.is_external else None,
        bom_ref=f"{crate.name}@{crate.version}",
        licenses=[LicenseFactory().make_from_string(licence)] if licence else [],
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=crate.checksum)] if crate.checksum else [],
    )


def write(crates: list[Crate], path: pathlib.Path) -> None:
    components = {crate.id: component(crate) for crate in crates}
    program = next(crate for crate in crates if crate.name == PROGRAM)
    bom = Bom()
    bom.metadata.component = components[program.id]
    bom.metadata.tools.components.add(this_component())
    bom.components.update(one for id, one in components.items() if id != program.id)
    for crate in crates:
        bom.register_dependency(components[crate.id], [components[id] for id in crate.dependencies])
    text = JsonV1Dot6(bom).output_as_string(indent=2)
    if error := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        raise SystemExit(f"the bill of materials is not valid CycloneDX: {error}")
    json.loads(text)
    path.write_text(text)
