//! Ordinary code keeps its text: the sources, documents and fixtures of this project.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders of the workspace with text that this test masks.
const FOLDERS: &[&str] = &["crates", "docs", "gateway", "proto", "services", "tests/fixtures", "tests/tests"];

/// Files and folders that contain secrets on purpose.
const WITH_SECRETS: &[&str] = &[
    "crates/embed/src/config.rs",
    "crates/source/src/mirror/stderr.rs",
    "crates/text",
    "gateway/server/src/access/oauth/tests",
    "gateway/server/src/tests.rs",
    "gateway/server/src/tests/fake/overview.rs",
    "gateway/server/src/webhooks.rs",
    "services/worker/src/repositories/listing/file.rs",
    "services/worker/tests/indexing/secrets.rs",
    "tests/fixtures/organisation.dependencies.json",
    "tests/fixtures/organisation/notify-worker/config/example.env",
    "tests/tests/end_to_end/organisation.rs",
    "tests/tests/end_to_end/provider.rs",
];

/// Number of lines for each of which one may be masked by mistake.
const N_LINES_OF_A_MISTAKE: usize = 10_000;

#[test]
fn ordinary_code_is_not_masked() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths: Vec<PathBuf> = FOLDERS.iter().map(|folder| root.join(folder)).collect();
    let mut n_lines = 0;
    let mut mistakes = Vec::new();
    while let Some(path) = paths.pop() {
        if WITH_SECRETS.iter().any(|known| path == root.join(known)) {
            continue;
        }
        if path.is_dir() {
            paths.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if let Ok(source) = fs::read_to_string(&path) {
            let masked = text::mask_secrets(&source);
            let lines = source.split('\n').zip(masked.split('\n'));
            n_lines += source.lines().count();
            mistakes.extend(lines.filter(|(line, shown)| line != shown).map(|(line, _)| line.to_owned()));
        }
    }
    assert!(n_lines > 50_000, "only {n_lines} lines are left");
    assert!(mistakes.len() * N_LINES_OF_A_MISTAKE <= n_lines, "{mistakes:#?}");
}
