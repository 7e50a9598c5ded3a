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
    let is_named = MANIFESTS.contains(&name) || name.ends_with(".gemspec") || is_dotnet_project(name);
    let is_api = is_openapi_document(path) || is_asyncapi_document(path);
    is_tsconfig || is_catalog || is_named || is_requirements_list(path) || is_api
}

/// Returns true if a path is that of a list of packages for pip.
pub fn is_requirements_list(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let Some(stem) = name.strip_suffix(".txt") else { return false };
    let is_in_folder = folder.rsplit('/').next() == Some("requirements");
    let is_beginning = |rest: &str| rest.is_empty() || rest.starts_with(['-', '_']);
    is_in_folder || stem.strip_prefix("requirements").is_some_and(is_beginning) || stem.ends_with("-requirements")
}

/// Returns true if a path is that of a project of .NET, or of the versions that its projects share.
pub fn is_dotnet_project(path: &str) -> bool {
    let is_shared = matches!(path.rsplit('/').next(), Some("Directory.Packages.props" | "Directory.Build.props"));
    is_shared || [".csproj", ".fsproj", ".vbproj"].iter().any(|extension| path.ends_with(extension))
}

/// Returns true if a path is that of an OpenAPI document.
pub fn is_openapi_document(path: &str) -> bool {
    is_document_named(path, &["openapi", "swagger"])
}

/// Returns true if a path is that of an AsyncAPI document.
pub fn is_asyncapi_document(path: &str) -> bool {
    is_document_named(path, &["asyncapi"])
}

/// Returns true for a document of YAML or JSON with one of some words in its name.
fn is_document_named(path: &str, words: &[&str]) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let (stem, extension) = name.rsplit_once('.').unwrap_or((&name, ""));
    words.iter().any(|word| stem.contains(word)) && matches!(extension, "json" | "yaml" | "yml")
}

const MANIFESTS: [&str; 17] = [
    "Cargo.toml",
    "Gemfile",
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
    fn manifests_are_known_by_name_and_folder() {
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
            ("Gemfile", true),
            ("gems/a.gemspec", true),
            ("src/A/A.csproj", true),
            ("A.csproj.md", false),
        ] {
            let is_list = expected && path.ends_with(".txt");
            assert_eq!(is_requirements_list(path), is_list, "{path}");
            assert_eq!(is_manifest(path), expected, "{path}");
        }
    }
}
