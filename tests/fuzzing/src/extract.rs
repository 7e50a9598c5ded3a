//! Target: extraction of any bytes in any language never panics, and facts stay within the file.

use model::{ByteSpan, FileFacts, Language, LineSpan};

/// Languages by first byte. Append only.
pub(crate) const LANGUAGES: &[Language] = &[
    Language::Rust,
    Language::Python,
    Language::Go,
    Language::JavaScript,
    Language::TypeScript,
    Language::Tsx,
    Language::Java,
    Language::C,
    Language::Cpp,
    Language::CSharp,
    Language::Ruby,
    Language::Php,
    Language::Kotlin,
    Language::Swift,
    Language::Scala,
    Language::Bash,
    Language::Lua,
    Language::Elixir,
    Language::Zig,
    Language::Dart,
    Language::Protobuf,
    Language::Sql,
    Language::Terraform,
    Language::Markdown,
    Language::Text,
];

pub(crate) fn run(input: &[u8]) {
    let Some((language, bytes)) = crate::choose(input, LANGUAGES) else { return };
    check_extraction(*language, bytes);
}

/// Extracts the facts of a file, and checks that they stay within it.
pub(crate) fn check_extraction(language: Language, bytes: &[u8]) {
    check(&syntax::extract(language, bytes), bytes.len());
}

fn check(facts: &FileFacts, n_bytes: usize) {
    let is_inside = |span: ByteSpan| span.start < span.end && span.end as usize <= n_bytes;
    let is_line = |line: u32| line <= facts.n_lines.max(1);
    let are_lines = |lines: LineSpan| 1 <= lines.start && lines.start <= lines.end && is_line(lines.end);
    for (index, definition) in facts.definitions.iter().enumerate() {
        assert!(is_inside(definition.bytes) && are_lines(definition.lines), "{definition:?}");
        assert!(!definition.name.is_empty(), "{definition:?}");
        let parent = definition.parent.map(|parent| parent as usize);
        assert!(parent.is_none_or(|parent| parent < index), "a parent precedes its children: {definition:?}");
    }
    let n_definitions = facts.definitions.len();
    for reference in &facts.references {
        let is_enclosed = reference.enclosing.is_none_or(|enclosing| (enclosing as usize) < n_definitions);
        assert!(is_line(reference.line) && is_enclosed && !reference.name.is_empty(), "{reference:?}");
    }
    assert!(facts.imports.iter().all(|import| is_line(import.line)), "{:?}", facts.imports);
    assert!(facts.diagnostics.iter().all(|diagnostic| is_line(diagnostic.line)), "{:?}", facts.diagnostics);
    for chunk in &facts.chunks {
        assert!(is_inside(chunk.bytes) && are_lines(chunk.lines), "{chunk:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_is_fuzzed() {
        for language in Language::ALL {
            assert!(LANGUAGES.contains(language), "{language:?} is missing in the table");
        }
    }
}
