//! `pom.xml` of Maven.

use super::{ManifestPackages, PackageDeclaration};

/// Reads group and artifact of a `pom.xml` and of its dependencies. Inherited and computed values are unknown.
pub(super) fn read(text: &str) -> ManifestPackages {
    let package = |group: &str, artifact: &str| {
        let declaration = PackageDeclaration::in_text(text, "maven", &format!("{group}:{artifact}"), artifact);
        PackageDeclaration { local: String::new(), ..declaration }
    };
    let mut packages = ManifestPackages::default();
    let mut open: Vec<&str> = Vec::new();
    let (mut group, mut artifact, mut parent_group) = ("", "", "");
    let (mut required_group, mut required_artifact) = ("", "");
    for part in text.split('<').skip(1) {
        let Some((tag, content)) = part.split_once('>') else { continue };
        let name = tag.split_whitespace().next().unwrap_or_default();
        if let Some(closed) = name.strip_prefix('/') {
            if closed == "dependency" && !required_artifact.is_empty() {
                packages.required.push(package(required_group, required_artifact));
                (required_group, required_artifact) = ("", "");
            }
            open.pop();
            continue;
        }
        if tag.starts_with(['?', '!']) || tag.ends_with('/') {
            continue;
        }
        open.push(name);
        let content = content.trim();
        match open.as_slice() {
            ["project", "groupId"] => group = content,
            ["project", "artifactId"] => artifact = content,
            ["project", "parent", "groupId"] => parent_group = content,
            [.., "dependency", "groupId"] => required_group = content,
            [.., "dependency", "artifactId"] => required_artifact = content,
            _ => {}
        }
    }
    if !artifact.is_empty() {
        packages.own.push(package(if group.is_empty() { parent_group } else { group }, artifact));
    }
    packages
}
