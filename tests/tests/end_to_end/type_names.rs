//! One name, one meaning: no two files declare a type of the same name.

use std::{collections::BTreeMap, fs, path::Path};

/// Keywords of type declarations, after their visibility.
const KEYWORDS: [&str; 4] = ["struct ", "enum ", "trait ", "type "];

#[test]
fn no_type_name_has_several_meanings() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files_by_name: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for folder in ["crates", "gateway", "proto", "services"] {
        declare_below(&root.join(folder), &mut files_by_name);
    }
    assert!(files_by_name.len() > 500, "types are found: {}", files_by_name.len());
    let shared: Vec<String> = files_by_name
        .into_iter()
        .filter(|(_, files)| files.len() > 1)
        .map(|(name, files)| format!("{name}: {}", files.join(" ")))
        .collect();
    assert!(shared.is_empty(), "{} names have several meanings:\n{}", shared.len(), shared.join("\n"));
}

/// Adds the types that files below a folder declare. Tests, benchmarks and fakes are left out.
fn declare_below(folder: &Path, files_by_name: &mut BTreeMap<String, Vec<String>>) {
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_test = name.starts_with("tests") || name.ends_with("tests.rs") || name == "benches" || name == "target";
        if is_test {
            continue;
        }
        if path.is_dir() {
            declare_below(&path, files_by_name);
        } else if name.ends_with(".rs") {
            let text = fs::read_to_string(&path).expect("sources are text");
            let product = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            for declared in product.lines().filter_map(declared_type) {
                files_by_name.entry(declared.to_owned()).or_default().push(path.display().to_string());
            }
        }
    }
}

/// Returns the name of the type that a line declares outside of any block.
fn declared_type(line: &str) -> Option<&str> {
    let after_visibility = match line.strip_prefix("pub(") {
        Some(restricted) => restricted.split_once(") ").map_or("", |(_, rest)| rest),
        None => line.strip_prefix("pub ").unwrap_or(line),
    };
    let rest = KEYWORDS.iter().find_map(|keyword| after_visibility.strip_prefix(keyword))?;
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    Some(&rest[..end])
}

#[test]
fn declarations_differ_from_other_lines() {
    for (line, expected) in [
        ("pub struct Plan {", Some("Plan")),
        ("pub(crate) enum Reach {", Some("Reach")),
        ("pub(super) type Parts<A> = Vec<A>;", Some("Parts")),
        ("pub(in super::super) struct Cited {", Some("Cited")),
        ("trait Dialect {", Some("Dialect")),
        ("    type Item = u8;", None),
        ("pub fn structure() {}", None),
    ] {
        assert_eq!(declared_type(line), expected, "{line}");
    }
}
