//! Folders beside the code of a product: examples, benchmarks, tests and documents.

/// Names of folders beside the product. Below `tools` may be products.
#[rustfmt::skip]
const SIDE_FOLDERS: [&str; 18] = [
    "example", "examples", "_example", "_examples", "bench", "benches", "benchmark", "benchmarks", "test", "tests", "testdata", "script",
    "scripts", "demo", "demos", "doc", "docs", "samples",
];

/// Names of folders of tests at the root of a repository. Further down, they may be parts of a product.
const SIDE_ROOTS: [&str; 4] = ["t", "integration-tests", "e2e", "smoke"];

/// Returns true if one of the folders of a file is beside the product.
pub(super) fn is_in_side_folder(path: &str) -> bool {
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
    let is_below_root = folders.split('/').next().is_some_and(|root| SIDE_ROOTS.contains(&root));
    is_below_root || folders.split('/').any(|folder| SIDE_FOLDERS.contains(&folder))
}

/// Returns true if a question names a folder beside the product.
pub(super) fn is_named(question: &str) -> bool {
    let lower = question.to_lowercase();
    lower.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| SIDE_FOLDERS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_beside_the_product_are_known_by_their_whole_names() {
        for (path, expected) in [
            ("examples/ship.go", true),
            ("dock/tests/limits.rs", true),
            ("docker.go", false),
            ("document/limits.rs", false),
            ("toolbox.py", false),
            ("tools/src/limits.rs", false),
            ("dock/tests", false),
            ("t/unit/limits.py", true),
            ("e2e/server.js", true),
            ("src/e2e/server.js", false),
            ("spec/server.js", false),
            ("t.py", false),
        ] {
            assert_eq!(is_in_side_folder(path), expected, "{path}");
        }
    }

    #[test]
    fn a_question_may_be_about_such_a_folder() {
        assert!(is_named("How does the example moor a ship?") && !is_named("how does the dock moor a ship"));
    }
}
