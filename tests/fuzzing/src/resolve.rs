//! Target: references between two files of one language can be resolved for any extracted facts.

use graph::{Codebase, Node, SourceFile};
use links::{LinkedFile, RepositoryManifests};
use model::{FileClass, FileFacts, Language};

use crate::extract::LANGUAGES;

/// Separator of the two files.
const SEPARATOR: &[u8] = b"\n\x0c\n";

/// Maximum size. Larger files are left to the extraction target; here the combination of facts matters.
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
    let codebase = Codebase::new(sources, &[]);
    let manifests = RepositoryManifests::default();
    let linked: Vec<LinkedFile> =
        codebase.program().file_indices().map(|file| links::link_file(&codebase, &manifests, file)).collect();
    let program = codebase.program();
    let is_there = |node: Node| match node {
        Node::Symbol(symbol) => (symbol.0 as usize) < program.n_symbols(),
        Node::File(file) => (file.0 as usize) < program.n_files(),
    };
    for edge in linked.iter().flat_map(|file| &file.resolved.edges) {
        assert!(is_there(edge.from) && is_there(edge.to) && edge.n_sites > 0, "{edge:?}");
    }
    let structure = links::structure(&codebase, &linked, &[FileClass::Source; 2]);
    drop(structure);
    facts.iter().for_each(|facts| _ = graph::interface_hash(facts));
}

/// Returns the file extension of a language.
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
    fn extensions_belong_to_their_languages() {
        for language in LANGUAGES {
            assert_eq!(Language::of_path(&format!("a.{}", extension(*language))), *language);
        }
    }

    #[test]
    fn input_is_split_into_two_files() {
        assert_eq!(halves(b"a\n\x0c\nb"), (&b"a"[..], &b"b"[..]));
        assert_eq!(halves(b"a"), (&b"a"[..], &b""[..]));
    }
}
