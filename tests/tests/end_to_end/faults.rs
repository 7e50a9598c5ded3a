//! Checks that the tests named in `faults.md` exist.

use std::{collections::BTreeMap, fs, path::Path};

/// Folders of the packages with such tests.
const FOLDERS: &[(&str, &str)] = &[
    ("causeway", "services/causeway/src"),
    ("causeway-federation", "gateway/federation/src"),
    ("causeway-files", "crates/files/src"),
    ("causeway-gateway", "gateway/server/src"),
    ("causeway-graph", "crates/graph/src"),
    ("causeway-model", "crates/model/src"),
    ("causeway-runtime", "crates/runtime/src"),
    ("causeway-source", "crates/source/src"),
    ("causeway-store", "crates/store/src"),
    ("causeway-syntax", "crates/syntax/tests"),
    ("causeway-tests", "tests/tests/end_to_end"),
    ("causeway-worker", "services/worker/src"),
];

#[test]
fn named_tests_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(root.join("tests/faults.md")).expect("the page is there");
    let folders: BTreeMap<&str, &str> = FOLDERS.iter().copied().collect();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| #")).collect();
    assert_eq!(rows.len(), 45);
    for row in rows {
        let cell = row.trim_end_matches('|').rsplit('|').next().unwrap_or_default();
        let commands: Vec<&str> = cell.split('`').skip(1).step_by(2).collect();
        assert!(!commands.is_empty(), "{row}");
        for command in commands {
            let (package, test) = command.split_once(' ').expect("a package and a test of it");
            let folder = root.join(folders[package]);
            match test.split_once("::") {
                Some((file, "")) => assert!(folder.join(format!("{file}.rs")).is_file(), "{command}"),
                Some((file, name)) => {
                    let text = fs::read_to_string(folder.join(format!("{file}.rs"))).unwrap_or_default();
                    assert!(text.contains(&format!("fn {name}(")), "{command}");
                }
                None => assert!(is_below(&folder, test), "{command}"),
            }
        }
    }
}

/// Returns true if a file below the folder has a function of this name.
fn is_below(folder: &Path, name: &str) -> bool {
    fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| {
        let path = entry.path();
        let holds = || fs::read_to_string(&path).is_ok_and(|text| text.contains(&format!("fn {name}(")));
        if path.is_dir() { is_below(&path, name) } else { holds() }
    })
}
