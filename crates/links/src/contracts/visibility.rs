//! Files that offer nothing to other repositories: tests, examples, benchmarks and internal code.

use graph::{FileIdx, Program};
use model::Language;

/// Returns true if a path is of a test, an example or a benchmark.
pub(crate) fn is_test_or_example(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    is_below_tests_or_examples(path)
        || name.contains(".test.")
        || name.contains(".spec.")
        || name.contains("_test.")
        || name.starts_with("test_")
}

/// Returns true if a path is in a folder of tests, examples or benchmarks.
pub(crate) fn is_below_tests_or_examples(path: &str) -> bool {
    const FOLDERS: [&str; 13] = [
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
    let folders: Vec<&str> = path.split('/').collect();
    let folders = &folders[..folders.len() - 1];
    // An `example` below a domain is a part of the name of a package: `src/main/java/com/example/cart`, `app/src/com/example/cart`.
    let is_of_package = |at: usize| {
        folders[at] == "example"
            && at > 0
            && DOMAINS.contains(&folders[at - 1])
            && is_source_root(&folders[..at - 1], path)
    };
    (0..folders.len()).any(|at| FOLDERS.contains(&folders[at]) && !is_of_package(at))
}

/// Returns true if the folders of a file that precede a domain are a root of packages of the JVM: `src/main/resources`, `app/java`. A root
/// without such a name has code of the JVM in it.
fn is_source_root(folders: &[&str], path: &str) -> bool {
    const LANGUAGES: [&str; 4] = ["java", "kotlin", "scala", "groovy"];
    const EXTENSIONS: [&str; 5] = [".java", ".kt", ".kts", ".scala", ".groovy"];
    let is_of_jvm = EXTENSIONS.iter().any(|extension| path.ends_with(extension));
    match folders {
        [.., "src", "main", _] => true,
        [.., root] if LANGUAGES.contains(root) => true,
        [] | [.., "src" | "gen"] => is_of_jvm,
        _ => false,
    }
}

/// First parts of the names of packages.
const DOMAINS: [&str; 6] = ["com", "org", "net", "io", "dev", "edu"];

/// Returns true if a path is of a package that a package manager installed into the repository, such as a module below `vendor`. Its
/// contracts are those of the repository of the package.
pub(crate) fn is_installed_dependency(path: &str) -> bool {
    /// Folders that only package managers write to.
    const INSTALLED: [&str; 5] = ["node_modules", "bower_components", "site-packages", "Pods", "Carthage"];
    let folders: Vec<&str> = path.split('/').collect();
    let folders = &folders[..folders.len() - 1];
    // A folder `vendor` may also be about vendors: that of a package manager has the domains or owners of packages below it.
    let is_vendor = |at: usize| folders[at] == "vendor" && folders.get(at + 1).is_some_and(|next| next.contains('.'));
    folders.iter().any(|folder| INSTALLED.contains(folder)) || (0..folders.len()).any(is_vendor)
}

/// Returns true if a file offers no names of its package: it is a test, an example, or internal.
pub(super) fn is_private(program: &Program<'_>, file: FileIdx) -> bool {
    let path = program.path(file);
    let path = match program.language(file) {
        // The folders of a package repeat its name (`com/example/…`), and do not show its purpose.
        Language::Java | Language::Kotlin | Language::Scala => {
            let package = program.code(file).package.replace('.', "/");
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            folder.strip_suffix(package.as_str()).unwrap_or(folder)
        }
        _ => path,
    };
    is_test_or_example(path) || path.split('/').any(|part| part == "internal")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn installed_dependencies_are_known_by_their_folders() {
        for (path, expected) in [
            ("vendor/example.org/kit/kit.proto", true),
            ("app/node_modules/kit/index.js", true),
            ("src/vendor/invoice.go", false),
            ("src/vendor/billing/invoice.go", false),
            ("vendor/a.go", false),
            ("node_modules.md", false),
        ] {
            assert_eq!(is_installed_dependency(path), expected, "{path}");
        }
    }

    #[test]
    fn tests_and_examples_are_known_by_their_paths() {
        for (path, expected) in [
            ("src/a.py", false),
            ("tests/a.py", true),
            ("src/test_a.py", true),
            ("a_test.go", true),
            ("web/a.spec.ts", true),
            ("examples/app/src/main.rs", true),
            ("tokio-test/src/io.rs", false),
            ("internal/a.go", false),
            ("src/main/java/com/example/cart/CartController.java", false),
            ("src/main/kotlin/org/example/App.kt", false),
            ("src/test/java/com/example/cart/CartTests.java", true),
            ("app/src/com/example/App.java", false),
            ("com/example/App.java", false),
            ("pkg/net/example/main.go", true),
            ("src/net/example/main.go", true),
            ("net/example/main.go", true),
            ("src/main/resources/com/example/cart.xml", false),
            ("com/acme/example/App.java", true),
            ("example/com/App.java", true),
        ] {
            assert_eq!(is_test_or_example(path), expected, "{path}");
        }
    }
}
