//! Two files of one language, and who uses whom in them: any facts that extraction gives can be resolved.

use graph::{Node, Program, Resolved, SourceFile};
use model::{FileClass, FileFacts, Language};

use crate::extract::LANGUAGES;

/// What stands between the two files.
const SEPARATOR: &[u8] = b"\n\x0c\n";

/// Larger files are left to the target that extracts: what is in question here is which facts meet, not how many.
const MAX_BYTES: usize = 16 << 10;

pub(crate) fn run(input: &[u8]) {
    let Some((language, bytes)) = crate::choose(input, LANGUAGES) else { return };
    if bytes.len() > MAX_BYTES {
        return;
    }
    let (first, second) = halves(bytes);
    let facts = [syntax::extract(*language, first), syntax::extract(*language, second)];
    check(*language, &facts);
}

fn halves(bytes: &[u8]) -> (&[u8], &[u8]) {
    let middle = bytes.windows(SEPARATOR.len()).position(|window| window == SEPARATOR);
    middle.map_or((bytes, &[]), |middle| (&bytes[..middle], &bytes[middle + SEPARATOR.len()..]))
}

fn check(language: Language, facts: &[FileFacts; 2]) {
    let extension = extension(language);
    let paths = [format!("src/first.{extension}"), format!("src/second.{extension}")];
    let sources = paths.iter().zip(facts).map(|(path, facts)| SourceFile { path, facts });
    let program = Program::new(sources, &[]);
    let resolved: Vec<Resolved> = program.file_indices().map(|file| graph::resolve(&program, file)).collect();
    let is_there = |node: Node| match node {
        Node::Symbol(symbol) => (symbol.0 as usize) < program.n_symbols(),
        Node::File(file) => (file.0 as usize) < program.n_files(),
    };
    for edge in resolved.iter().flat_map(|resolved| &resolved.edges) {
        assert!(is_there(edge.from) && is_there(edge.to) && edge.n_sites > 0, "{edge:?}");
    }
    let structure = graph::structure(&program, &resolved, &[FileClass::Source; 2]);
    drop(structure);
    facts.iter().for_each(|facts| _ = graph::interface_hash(facts));
}

/// Returns the extension by which files of a language are known here.
fn extension(language: Language) -> &'static str {
    match language {
        Language::Rust => "rs",
        Language::Python => "py",
        Language::JavaScript => "js",
        Language::TypeScript => "ts",
        Language::CSharp => "cs",
        Language::Ruby => "rb",
        Language::Kotlin => "kt",
        Language::Bash => "sh",
        Language::Elixir => "ex",
        Language::Protobuf => "proto",
        Language::Terraform => "tf",
        Language::Markdown => "md",
        Language::Text => "txt",
        other => other.name(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_those_of_their_languages() {
        for language in LANGUAGES {
            assert_eq!(Language::of_path(&format!("a.{}", extension(*language))), *language);
        }
    }

    #[test]
    fn an_input_is_two_files() {
        assert_eq!(halves(b"a\n\x0c\nb"), (&b"a"[..], &b"b"[..]));
        assert_eq!(halves(b"a"), (&b"a"[..], &b""[..]));
    }
}
