//! Project files of .NET: the package that a project makes, and the packages that it refers to.

use quick_xml::{Reader, events::Event};

use super::{ManifestPackages, PackageDeclaration, lines};

pub(super) fn read(text: &str) -> ManifestPackages {
    let package = |name: &str, version: &str| {
        let declaration = PackageDeclaration::in_text(text, "nuget", name, "");
        declaration.with_version(version)
    };
    let mut packages = ManifestPackages::default();
    let (mut id, mut version, mut content) = (String::new(), String::new(), String::new());
    // A reference may have its version as an element of its own.
    let mut is_within_reference = false;
    let mut reader = Reader::from_str(text);
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Start(ref tag) | Event::Empty(ref tag) => {
                content.clear();
                if !is_reference(tag.local_name().as_ref()) {
                    continue;
                }
                is_within_reference = matches!(event, Event::Start(_));
                let attribute = |name: &str| {
                    let found =
                        tag.attributes().flatten().find(|one| one.key.local_name().as_ref() == name.as_bytes())?;
                    Some(String::from_utf8_lossy(&found.value).into_owned())
                };
                let name = attribute("Include").or_else(|| attribute("Update")).filter(|name| !name.contains("$("));
                let required = name.map(|name| package(&name, &attribute("Version").unwrap_or_default()));
                packages.required.extend(required);
            }
            Event::Text(text) => content.push_str(&text.xml10_content().unwrap_or_default()),
            Event::End(tag) => match tag.local_name().as_ref() {
                name if is_reference(name) => is_within_reference = false,
                b"PackageId" if id.is_empty() => id = content.trim().to_owned(),
                b"Version" if version.is_empty() && !is_within_reference => version = content.trim().to_owned(),
                _ => {}
            },
            Event::Eof => break,
            _ => {}
        }
    }
    if !id.is_empty() && !id.contains("$(") {
        let own = package(&id, &version);
        packages.own.push(PackageDeclaration { line: lines::line_of(text, &id), ..own });
    }
    packages
}

fn is_reference(element: &[u8]) -> bool {
    matches!(element, b"PackageReference" | b"PackageVersion")
}
