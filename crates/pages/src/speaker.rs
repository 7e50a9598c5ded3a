//! Which file speaks for a folder.

/// What a file can say for the folder that it lies in. The first that is there speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Speaker {
    /// Its first paragraph tells what the folder is for.
    Readme,
    /// Its doc is that of the folder, by the rules of its language.
    Module,
    /// It says what the package is for.
    Manifest,
}

/// Returns what the file at a path can say for its folder; nothing for most.
pub fn speaker(path: &str) -> Option<Speaker> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let is_prose = matches!(extension, "" | "md" | "markdown" | "mdx" | "rst" | "txt" | "adoc");
    if stem.eq_ignore_ascii_case("readme") && is_prose {
        return Some(Speaker::Readme);
    }
    if MODULE_FILES.contains(&name) {
        return Some(Speaker::Module);
    }
    crate::manifest::is_package(path).then_some(Speaker::Manifest)
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
    fn files_speak_by_their_names() {
        for (path, expected) in [
            ("README.md", Some(Speaker::Readme)),
            ("a/b/readme.rst", Some(Speaker::Readme)),
            ("a/README", Some(Speaker::Readme)),
            ("a/readme.py", None),
            ("a/__init__.py", Some(Speaker::Module)),
            ("a/package-info.java", Some(Speaker::Module)),
            ("a/Cargo.toml", Some(Speaker::Manifest)),
            ("a/cart.py", None),
        ] {
            assert_eq!(speaker(path), expected, "{path}");
        }
    }
}
