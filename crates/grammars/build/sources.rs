//! The sources of the grammars, in the registry's folder of cargo.

use std::{
    collections::BTreeMap,
    env,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

/// The folders of all packages, by name.
pub(crate) struct Sources(BTreeMap<String, PathBuf>);

impl Sources {
    /// Asks cargo. A package tells no other one where it is.
    pub(crate) fn find() -> Sources {
        let (cargo, target) =
            (env::var("CARGO").expect("cargo runs this"), env::var("TARGET").expect("cargo names it"));
        let arguments = ["metadata", "--format-version", "1", "--locked", "--filter-platform", &target];
        let output = Command::new(cargo).args(arguments).output().expect("cargo runs");
        assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
        let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
        let packages = metadata["packages"].as_array().expect("the packages are a list");
        let folder = |package: &Value| {
            let manifest = Path::new(package["manifest_path"].as_str()?);
            Some((package["name"].as_str()?.to_owned(), manifest.parent()?.to_owned()))
        };
        Sources(packages.iter().filter_map(folder).collect())
    }

    pub(crate) fn folder(&self, package: &str) -> &Path {
        self.0.get(package).unwrap_or_else(|| panic!("cargo does not know {package}"))
    }
}

/// Returns the source of a parser whose function takes its two parse tables as arguments, instead of containing them.
///
/// The function is called once, before any other use of the grammar.
pub(crate) fn without_tables(source: &str, function: &str) -> String {
    let source = without_table(source, "static const uint16_t ts_parse_table[");
    let source = without_table(&source, "static const uint16_t ts_small_parse_table[");
    let arguments = "(const uint16_t *parse_table, const uint16_t *small_parse_table)";
    [
        (
            format!("TS_PUBLIC const TSLanguage *tree_sitter_{function}(void) {{"),
            format!("const TSLanguage *causeway_grammar_{function}{arguments} {{"),
        ),
        ("static const TSLanguage language = {".to_owned(), "static TSLanguage language = {".to_owned()),
        (".parse_table = &ts_parse_table[0][0],".to_owned(), String::new()),
        (".small_parse_table = ts_small_parse_table,".to_owned(), String::new()),
        (
            "return &language;".to_owned(),
            "language.parse_table = parse_table;\n  language.small_parse_table = small_parse_table;\n  return &language;"
                .to_owned(),
        ),
    ]
    .iter()
    .fold(source, |source, (old, new)| {
        assert_eq!(source.matches(old.as_str()).count(), 1, "the parser of {function} has one `{old}`");
        source.replace(old.as_str(), new)
    })
}

/// Removes the definition of an array.
fn without_table(source: &str, beginning: &str) -> String {
    let start = source.find(beginning).unwrap_or_else(|| panic!("the parser has `{beginning}`"));
    let end = start + source[start..].find("\n};\n").expect("the definition ends") + "\n};\n".len();
    format!("{}{}", &source[..start], &source[end..])
}
