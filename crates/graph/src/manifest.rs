//! Names of the files that are read as text, besides the facts of code: manifests and API documents.

/// A manifest or API document, such as `go.mod`, `Cargo.toml`, `package.json` or `tsconfig.json`.
#[derive(Debug, Clone, Copy)]
pub struct ManifestFile<'a> {
    /// The path in the repository.
    pub path: &'a str,
    /// The whole file.
    pub text: &'a str,
}

/// Returns true if a path is that of a manifest or an API document.
pub fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_tsconfig = (name.starts_with("tsconfig") || name.starts_with("jsconfig")) && name.ends_with(".json");
    let is_catalog = name.ends_with(".versions.toml");
    is_tsconfig || is_catalog || MANIFESTS.contains(&name) || is_requirements_list(path) || is_openapi_document(path)
}

/// Returns true if a path is that of a list of packages for pip.
pub fn is_requirements_list(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let Some(stem) = name.strip_suffix(".txt") else { return false };
    let is_in_folder = folder.rsplit('/').next() == Some("requirements");
    let is_beginning = |rest: &str| rest.is_empty() || rest.starts_with(['-', '_']);
    is_in_folder || stem.strip_prefix("requirements").is_some_and(is_beginning) || stem.ends_with("-requirements")
}

/// Returns true if a path is that of an OpenAPI document.
pub fn is_openapi_document(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let (stem, extension) = name.rsplit_once('.').unwrap_or((&name, ""));
    (stem.contains("openapi") || stem.contains("swagger")) && matches!(extension, "json" | "yaml" | "yml")
}

const MANIFESTS: [&str; 16] = [
    "Cargo.toml",
    "build.gradle",
    "build.gradle.kts",
    "composer.json",
    "deno.json",
    "go.mod",
    "go.work",
    "gradle.properties",
    "package.json",
    "pnpm-workspace.yaml",
    "pom.xml",
    "pyproject.toml",
    "settings.gradle",
    "settings.gradle.kts",
    "setup.cfg",
    "setup.py",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_requirements_are_known_by_name_and_folder() {
        for (path, expected) in [
            ("requirements.txt", true),
            ("a/requirements.txt", true),
            ("requirements/dev.txt", true),
            ("a/requirements/tests-min.txt", true),
            ("requirements-dev.txt", true),
            ("requirements_docs.txt", true),
            ("dev-requirements.txt", true),
            ("requirements/extras/redis.txt", false),
            ("requirements/README.md", false),
            ("requirements.in", false),
            ("requirementsof.txt", false),
            ("my/requirements.txt/notes", false),
            ("notes.txt", false),
        ] {
            assert_eq!(is_requirements_list(path), expected, "{path}");
            assert_eq!(is_manifest(path), expected, "{path}");
        }
    }
}
