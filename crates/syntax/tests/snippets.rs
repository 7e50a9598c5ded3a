//! One snippet per language, with every fact that it must give.
//!
//! `snippets/x.y` is the source and `snippets/x.y.facts` the expected facts: definitions as `kind Container.name`, then
//! references as `call receiver.name < enclosing`, then imports as `import module name as alias`.

use std::fmt::Write;
use std::path::Path;

use model::{FileFacts, Language, ReferenceKind, symbol::qualify};

#[test]
fn every_language_has_its_expected_facts() {
    let mut missing: Vec<Language> =
        Language::ALL.iter().copied().filter(|language| *language != Language::Text).collect();
    for path in snippets() {
        let language = Language::of_path(&path);
        let source = std::fs::read(&path).expect("the snippet can be read");
        let expected = std::fs::read_to_string(format!("{path}.facts")).unwrap_or_default();
        check(&path, language, &source, &expected);
        missing.retain(|one| *one != language);
    }
    assert_eq!(missing, [], "languages without a snippet");
}

#[test]
fn windows_line_breaks_change_only_offsets() {
    for path in snippets() {
        let source = std::fs::read_to_string(&path).expect("the snippet can be read");
        let expected = std::fs::read_to_string(format!("{path}.facts")).unwrap_or_default();
        check(&path, Language::of_path(&path), source.replace('\n', "\r\n").as_bytes(), &expected);
    }
}

fn check(path: &str, language: Language, source: &[u8], expected: &str) {
    let facts = syntax::extract(language, source);
    let found = outline(&facts);
    if found != expected {
        let changes = changes(expected, &found);
        panic!("{path} gives other facts than expected (- expected, + found):\n{changes}");
    }
}

/// Writes the facts that are compared, one per line.
fn outline(facts: &FileFacts) -> String {
    let mut text = String::new();
    let name_of = |index: Option<u32>| {
        index.map_or("-".to_owned(), |index| {
            let definition = &facts.definitions[index as usize];
            qualify(&definition.container, &definition.name)
        })
    };
    if !facts.doc.is_empty() {
        writeln!(text, "doc {:?}", facts.doc).expect("writing to a string never fails");
    }
    for definition in &facts.definitions {
        let lines = definition.lines;
        let qualified = qualify(&definition.container, &definition.name);
        let doc = if definition.doc.is_empty() { String::new() } else { format!(" // {:?}", definition.doc) };
        writeln!(
            text,
            "{}-{} {} {qualified}: {}{doc}",
            lines.start,
            lines.end,
            definition.kind.name(),
            definition.signature
        )
        .expect("writing to a string never fails");
    }
    for reference in &facts.references {
        let kind = match reference.kind {
            ReferenceKind::Call => "call",
            ReferenceKind::Construct => "construct",
            ReferenceKind::Type => "type",
            ReferenceKind::Extend => "extend",
            ReferenceKind::Implement => "implement",
            ReferenceKind::Decorate => "decorate",
            ReferenceKind::Mention => "mention",
        };
        let name = qualify(&reference.receiver, &reference.name);
        writeln!(text, "{kind} {name} < {}", name_of(reference.enclosing)).expect("writing to a string never fails");
    }
    for import in &facts.imports {
        let verb = if import.reexport { "reexport" } else { "import" };
        let alias = if import.alias.is_empty() { String::new() } else { format!(" as {}", import.alias) };
        writeln!(text, "{verb} {:?} {}{alias}", import.module, import.name).expect("writing to a string never fails");
    }
    for diagnostic in &facts.diagnostics {
        writeln!(text, "line {}: {}", diagnostic.line, diagnostic.message).expect("writing to a string never fails");
    }
    text
}

/// Lists the lines that only one side has.
fn changes(expected: &str, found: &str) -> String {
    let lacks = |text: &str, line: &str| !text.lines().any(|other| other == line);
    let gone = expected.lines().filter(|line| lacks(found, line)).map(|line| format!("- {line}\n"));
    let new = found.lines().filter(|line| lacks(expected, line)).map(|line| format!("+ {line}\n"));
    gone.chain(new).collect()
}

fn snippets() -> Vec<String> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snippets");
    let entries = std::fs::read_dir(directory).expect("the snippets are there");
    let paths = entries.map(|entry| entry.expect("an entry can be read").path().to_string_lossy().into_owned());
    let mut paths: Vec<String> = paths.filter(|path| !path.ends_with(".facts")).collect();
    paths.sort();
    paths
}
