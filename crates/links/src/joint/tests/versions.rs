//! Versions that importers require and that are indexed.

use super::*;

/// Checks each dependency of the importer, as `package required indexed fit`.
#[track_caller]
fn check_versions(fixture: &str, expected: &[&str]) {
    let (found, _) = links(fixture);
    let shown = |one: &PackageDependency| format!("{} {} {} {:?}", one.package, one.required, one.indexed, one.fit);
    assert_eq!(found.dependencies.iter().map(shown).collect::<Vec<_>>(), expected, "{fixture}");
}

#[test]
fn tags_give_versions_that_no_manifest_has() {
    check_versions(
        "
//- app/go.mod
module example.org/app
require example.org/kit v1.2.0
require example.org/kit/wire v0.1.0
//- app/main.go
package main
//- kit/go.mod
module example.org/kit
//- kit/wire/go.mod
module example.org/kit/wire
//- kit/kit.go
package kit
//- kit/TAGS
v1.4.1
wire/v0.1.0
",
        &["go:example.org/kit v1.2.0 v1.4.1 Behind(Minor)", "go:example.org/kit/wire v0.1.0 v0.1.0 Admits"],
    );
    check_versions(
        "
//- app/package.json
{\"dependencies\": {\"kit\": \"^1.2\", \"ui\": \"^1.2\"}}
//- kit/package.json
{\"name\": \"kit\", \"version\": \"0.0.0-development\"}
//- kit/TAGS
v1.9.0
v2.0.1
//- ui/package.json
{\"name\": \"ui\", \"version\": \"1.3.0\"}
//- ui/TAGS
v2.0.1
",
        &["npm:kit ^1.2 2.0.1 Behind(Major)", "npm:ui ^1.2 1.3.0 Admits"],
    );
}

#[test]
fn gradle_builds_have_versions() {
    check_versions(
        "
//- app/build.gradle.kts
dependencies {
    implementation(libs.kit)
    api(\"org.acme:wire:1.0\")
}
//- app/gradle/libs.versions.toml
[libraries]
kit = { module = \"org.acme:kit\", version = \"1.2.0\" }
//- kit/settings.gradle
rootProject.name = 'kit'
//- kit/gradle.properties
group=org.acme
version=2.0.1
//- kit/build.gradle
plugins { id 'java-library' }
//- wire/pom.xml
<project><groupId>org.acme</groupId><artifactId>wire</artifactId><version>${revision}</version></project>
//- wire/TAGS
wire-1.0
",
        &["maven:org.acme:kit 1.2.0 2.0.1 Behind(Major)", "maven:org.acme:wire 1.0 1.0 Admits"],
    );
}
