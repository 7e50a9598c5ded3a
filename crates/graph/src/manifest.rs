//! Which files say how a repository is put together.

/// Says whether a path is that of a manifest that a dialect reads.
pub fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_tsconfig = (name.starts_with("tsconfig") || name.starts_with("jsconfig")) && name.ends_with(".json");
    is_tsconfig || MANIFESTS.contains(&name) || crate::contracts::is_document(path)
}

const MANIFESTS: [&str; 14] = [
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
    "requirements.txt",
    "setup.cfg",
    "setup.py",
];
