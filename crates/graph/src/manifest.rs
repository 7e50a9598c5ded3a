//! Which files say how a repository is put together.

/// Says whether a path is that of a manifest that a dialect reads.
pub fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_tsconfig = (name.starts_with("tsconfig") || name.starts_with("jsconfig")) && name.ends_with(".json");
    is_tsconfig || MANIFESTS.contains(&name) || is_requirements(path) || crate::contracts::is_document(path)
}

/// Says whether a path is that of a list of packages for pip.
pub(crate) fn is_requirements(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let Some(stem) = name.strip_suffix(".txt") else { return false };
    let is_in_folder = folder.rsplit('/').next() == Some("requirements");
    let is_beginning = |rest: &str| rest.is_empty() || rest.starts_with(['-', '_']);
    is_in_folder || stem.strip_prefix("requirements").is_some_and(is_beginning) || stem.ends_with("-requirements")
}

const MANIFESTS: [&str; 13] = [
    "Cargo.toml",
    "build.gradle",
    "build.gradle.kts",
    "composer.json",
    "deno.json",
    "go.mod",
    "go.work",
    "package.json",
    "pnpm-workspace.yaml",
    "pom.xml",
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_packages_are_told_by_name_and_folder() {
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
            assert_eq!(is_requirements(path), expected, "{path}");
            assert_eq!(is_manifest(path), expected, "{path}");
        }
    }
}
