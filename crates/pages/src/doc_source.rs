//! Selects the file that documents a folder.

/// The kinds of files that document their folder. The first available one is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DocSource {
    /// Its first paragraph describes the purpose of the folder.
    Readme,
    /// Its doc comment documents the folder, by the rules of its language.
    Module,
    /// Its description describes the package.
    Manifest,
}

/// Returns how a file documents its folder, by its path; `None` for most files.
pub fn doc_source(path: &str) -> Option<DocSource> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let is_prose = matches!(extension, "" | "md" | "markdown" | "mdx" | "rst" | "txt" | "adoc");
    if stem.eq_ignore_ascii_case("readme") && is_prose {
        return Some(DocSource::Readme);
    }
    if MODULE_FILES.contains(&name) {
        return Some(DocSource::Module);
    }
    crate::manifest::is_package(path).then_some(DocSource::Manifest)
}

const MODULE_FILES: [&str; 14] = [
    "__init__.py",
    "mod.rs",
    "lib.rs",
    "package-info.java",
    "package-info.kt",
    "doc.go",
    "index.ts",
    "index.tsx",
    "index.js",
    "index.mjs",
    "index.jsx",
    "mod.ts",
    "package.scala",
    "main.rs",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doc_sources_are_recognised_by_name() {
        for (path, expected) in [
            ("README.md", Some(DocSource::Readme)),
            ("a/b/readme.rst", Some(DocSource::Readme)),
            ("a/README", Some(DocSource::Readme)),
            ("a/readme.py", None),
            ("a/__init__.py", Some(DocSource::Module)),
            ("a/package-info.java", Some(DocSource::Module)),
            ("a/Cargo.toml", Some(DocSource::Manifest)),
            ("a/cart.py", None),
        ] {
            assert_eq!(doc_source(path), expected, "{path}");
        }
    }
}
