//! Files that no package offers: tests, examples, benchmarks, and what a repository keeps for itself.

use model::Language;

use crate::program::{FileIdx, Program};

/// Says whether a path is of tests, examples and the like: nothing in it is for other repositories.
pub(super) fn is_apart(path: &str) -> bool {
    const APART: [&str; 13] = [
        "test",
        "tests",
        "__tests__",
        "testdata",
        "fixtures",
        "spec",
        "specs",
        "example",
        "examples",
        "bench",
        "benches",
        "benchmark",
        "benchmarks",
    ];
    let mut parts = path.split('/');
    let name = parts.next_back().unwrap_or_default();
    parts.any(|part| APART.contains(&part))
        || name.contains(".test.")
        || name.contains(".spec.")
        || name.contains("_test.")
        || name.starts_with("test_")
}

/// Says whether a file offers no names of its package: it is of tests and the like, or internal.
pub(super) fn is_apart_as_package(program: &Program<'_>, file: FileIdx) -> bool {
    let path = program.path(file);
    let path = match program.language(file) {
        // The folders of a package are its name (`com/example/…`), which says nothing of what it is for.
        Language::Java | Language::Kotlin | Language::Scala => {
            let package = program.code(file).package.replace('.', "/");
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            folder.strip_suffix(package.as_str()).unwrap_or(folder)
        }
        _ => path,
    };
    is_apart(path) || path.split('/').any(|part| part == "internal")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_and_examples_stand_apart() {
        for (path, expected) in [
            ("src/a.py", false),
            ("tests/a.py", true),
            ("src/test_a.py", true),
            ("a_test.go", true),
            ("web/a.spec.ts", true),
            ("examples/app/src/main.rs", true),
            ("tokio-test/src/io.rs", false),
            ("internal/a.go", false),
        ] {
            assert_eq!(is_apart(path), expected, "{path}");
        }
    }
}
