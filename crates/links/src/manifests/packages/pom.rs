//! `pom.xml` of Maven.

use std::collections::BTreeMap;

use quick_xml::{Reader, escape::resolve_predefined_entity, events::Event};

use super::{ManifestPackages, PackageDeclaration};

/// Maximum number of properties that are read.
const MAX_PROPERTIES: usize = 1_000;

/// Group, artifact and version of a Maven package, each empty if it is not given.
#[derive(Debug, Default)]
struct Coordinates {
    group: String,
    artifact: String,
    version: String,
}

impl Coordinates {
    fn is_known(&self) -> bool {
        !self.group.is_empty() && !self.artifact.is_empty()
    }
}

/// Reads group and artifact of a `pom.xml` and of its dependencies. Inherited and computed values are unknown, and a package with
/// an unknown group is left out. Of a malformed file, what precedes the error counts.
pub(super) fn read(text: &str) -> ManifestPackages {
    let package = |Coordinates { group, artifact, version }: &Coordinates| {
        let declaration = PackageDeclaration::in_text(text, "maven", &format!("{group}:{artifact}"), artifact);
        PackageDeclaration { local: String::new(), ..declaration }.with_version(version)
    };
    let mut properties: BTreeMap<String, String> = BTreeMap::new();
    let mut packages = ManifestPackages::default();
    let (mut own, mut parent, mut dependency) = <(Coordinates, Coordinates, Coordinates)>::default();
    let mut open: Vec<String> = Vec::new();
    let mut content = String::new();
    let mut reader = Reader::from_str(text);
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Start(tag) => {
                open.push(String::from_utf8_lossy(tag.local_name().as_ref()).into_owned());
                content.clear();
            }
            Event::Text(text) => content.push_str(&text.xml10_content().unwrap_or_default()),
            Event::CData(text) => content.push_str(&text.xml10_content().unwrap_or_default()),
            Event::GeneralRef(reference) => {
                let name = reference.xml10_content().unwrap_or_default();
                content.push_str(resolve_predefined_entity(&name).unwrap_or_default());
            }
            Event::End(_) => {
                let value = || content.trim().to_owned();
                let innermost: Vec<&str> = open.iter().rev().take(3).map(String::as_str).collect();
                match (open.len(), innermost.as_slice()) {
                    (2, ["groupId", "project"]) => own.group = value(),
                    (2, ["artifactId", "project"]) => own.artifact = value(),
                    (2, ["version", "project"]) => own.version = value(),
                    (3, ["groupId", "parent", "project"]) => parent.group = value(),
                    (3, ["version", "parent", "project"]) => parent.version = value(),
                    (3, [name, "properties", "project"]) if properties.len() < MAX_PROPERTIES => {
                        properties.insert((*name).to_owned(), value());
                    }
                    (_, ["groupId", "dependency", ..]) => dependency.group = value(),
                    (_, ["artifactId", "dependency", ..]) => dependency.artifact = value(),
                    (_, ["version", "dependency", ..]) => dependency.version = value(),
                    (_, ["dependency", ..]) => {
                        let ended = std::mem::take(&mut dependency);
                        packages.required.extend(ended.is_known().then(|| package(&ended)));
                    }
                    _ => {}
                }
                open.pop();
                content.clear();
            }
            Event::Eof => break,
            _ => {}
        }
    }
    let inherited = |own: String, parent: String| if own.is_empty() { parent } else { own };
    let version = inherited(own.version, parent.version);
    let own = Coordinates { group: inherited(own.group, parent.group), artifact: own.artifact, version };
    let version_of = |written: &str| match written.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')) {
        Some("project.version") => own.version.clone(),
        Some(name) => properties.get(name).cloned().unwrap_or_else(|| written.to_owned()),
        None => written.to_owned(),
    };
    for required in &mut packages.required {
        required.version = version_of(&required.version);
    }
    let own = Coordinates { version: version_of(&own.version), ..own };
    packages.own.extend(own.is_known().then(|| package(&own)));
    packages
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, own: &[&str], required: &[&str]) {
        let keys = |packages: &[PackageDeclaration]| -> Vec<String> {
            packages.iter().map(|package| format!("{} {}", package.key, package.line)).collect()
        };
        let packages = read(text);
        assert_eq!(keys(&packages.own), own, "{text}");
        assert_eq!(keys(&packages.required), required, "{text}");
    }

    #[test]
    fn coordinates_of_the_project_and_of_its_dependencies_are_read() {
        let dependency = "<dependency><groupId>org.b</groupId>\n<artifactId>kit</artifactId></dependency>";
        let project = |inner: &str| {
            format!("<project>\n<groupId> org.a </groupId>\n<artifactId>app</artifactId>\n{inner}</project>")
        };
        check(&project(dependency), &["maven:org.a:app 3"], &["maven:org.b:kit 5"]);
        check(&project(&format!("<!-- {dependency} -->")), &["maven:org.a:app 3"], &[]);
        check(&project(&format!("<dependencies>{dependency}")), &["maven:org.a:app 3"], &["maven:org.b:kit 5"]);
        check(
            "<project><parent><groupId>org.p</groupId><artifactId>parent</artifactId></parent><artifactId>app</artifactId></project>",
            &["maven:org.p:app 1"],
            &[],
        );
        check(
            &project("<dependency><groupId><![CDATA[org.b]]></groupId><artifactId>a&amp;b</artifactId></dependency>"),
            &["maven:org.a:app 3"],
            &["maven:org.b:a&b 1"],
        );
        check(&project("<dependency><artifactId>kit</artifactId></dependency>"), &["maven:org.a:app 3"], &[]);
        check("<dependency></artifactId>", &[], &[]);
        // The time is linear in the size, however deep the elements are.
        check(&"<a>x".repeat(200_000), &[], &[]);
        check("", &[], &[]);
    }
}
