//! Inputs shared by several types of pages: names, relations, and history.

use model::SymbolKind;

use crate::{
    bounded_markdown::{BoundedMarkdown, shorten},
    prose,
};

/// Maximum length in bytes of a signature. The end of a longer one is parameters, for which readers open the source.
const MAX_SIGNATURE_BYTES: usize = 110;

/// Maximum length in bytes of a first sentence.
const MAX_SENTENCE_BYTES: usize = 120;

/// Maximum length in bytes of a commit subject. Git recommends 50 to 72 characters.
const MAX_SUBJECT_BYTES: usize = 80;

/// A definition on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamePart<'a> {
    /// The kind of definition.
    pub kind: SymbolKind,
    /// Its name.
    pub name: &'a str,
    /// The enclosing definition; empty at the top level.
    pub container: &'a str,
    /// Its signature; may be empty.
    pub signature: &'a str,
    /// Its doc comment.
    pub doc: &'a str,
    /// Number of definitions in other files that use it.
    pub n_uses: u32,
}

/// A file, folder or package that is related to the subject of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelatedItem<'a> {
    /// A path, or the name of a package.
    pub name: &'a str,
    /// Strength of the relation, such as the number of uses.
    pub count: u32,
}

/// The strongest items of one kind of relation, and their total number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RelatedItems<'a> {
    /// The strongest items, strongest first.
    pub strongest: Vec<RelatedItem<'a>>,
    /// Number of all items.
    pub n_all: u32,
}

/// The history of the subject of a page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PastPart<'a> {
    /// Number of commits in the last 13 weeks before the newest commit.
    pub n_recent: u32,
    /// True if `n_recent` is a lower bound.
    pub is_at_least: bool,
    /// The owners and their shares, from 0 to 1; the largest share first.
    pub owners: Vec<(&'a str, f32)>,
    /// Co-changed files, the strongest first.
    pub changes_with: Vec<&'a str>,
    /// The subjects of its last commits, the newest first.
    pub subjects: Vec<&'a str>,
}

/// Minimum share of a listed owner. Others only touched it in passing.
const MIN_OWNER_SHARE: f32 = 0.1;

/// Maximum number of co-changed files.
const MAX_CHANGES_WITH: usize = 4;

/// Maximum number of listed owners.
const MAX_OWNERS: usize = 3;

/// Writes definitions, one a line, in at most `max_bytes`. Undocumented definitions without uses are skipped.
pub(crate) fn write_names(markdown: &mut BoundedMarkdown, label: &str, names: &[NamePart<'_>], max_bytes: usize) {
    let is_relevant = |name: &&NamePart<'_>| name.n_uses > 0 || !name.doc.is_empty() || name.kind.is_type();
    let lines = names.iter().filter(is_relevant).map(name_line);
    markdown.lines(label, lines, max_bytes);
}

fn name_line(name: &NamePart<'_>) -> String {
    let mut line = String::from("`");
    // The signature of a method lacks its type, and a C `typedef` may lack even its name.
    for missing in [name.container, name.name] {
        if !missing.is_empty() && !name.signature.is_empty() && !name.signature.contains(missing) {
            line.push_str(missing);
            line.push_str("` `");
        }
    }
    let declaration = if name.signature.is_empty() { name.name } else { name.signature };
    // A signature of several lines contains unusual white space.
    let declaration = declaration.replace("( ", "(").replace(", )", ")");
    line.push_str(&shorten(&declaration, MAX_SIGNATURE_BYTES));
    line.push('`');
    if name.n_uses > 0 {
        line.push_str(&format!(" ({})", name.n_uses));
    }
    let sentence = prose::first_sentence(name.doc);
    if !sentence.is_empty() {
        line.push_str(": ");
        line.push_str(&shorten(&sentence, MAX_SENTENCE_BYTES));
    }
    line
}

/// Writes related items on one line, the strongest first, with the number of omitted ones.
pub(crate) fn write_relations(
    markdown: &mut BoundedMarkdown,
    label: &str,
    relations: &RelatedItems<'_>,
    max_bytes: usize,
) {
    let items = relations.strongest.iter().map(|relation| match relation.count {
        0 | 1 => relation.name.to_owned(),
        count => format!("{} ({count})", relation.name),
    });
    markdown.list(label, items, relations.n_all as usize, max_bytes);
}

/// Writes the history.
pub(crate) fn write_past(markdown: &mut BoundedMarkdown, past: &PastPart<'_>, max_bytes: usize) {
    let owners = past.owners.iter().filter(|owner| owner.1 >= MIN_OWNER_SHARE).take(MAX_OWNERS);
    let owners = owners.map(|(name, share)| format!("{name} {:.0} %", share * 100.0)).collect::<Vec<_>>().join(", ");
    let commits = match past.n_recent {
        0 => String::new(),
        1 => "1 commit in 13 weeks".to_owned(),
        n_recent => format!("{n_recent}{} commits in 13 weeks", if past.is_at_least { "+" } else { "" }),
    };
    let parts = [commits, owners].into_iter().filter(|part| !part.is_empty());
    markdown.list("History", parts, 0, max_bytes);
    let changes_with = past.changes_with.iter().take(MAX_CHANGES_WITH).map(|path| (*path).to_owned());
    markdown.list("Changes with", changes_with, 0, max_bytes);
    let subjects = past.subjects.iter().map(|subject| shorten(subject, MAX_SUBJECT_BYTES).into_owned());
    markdown.lines("Lately", subjects, max_bytes);
}
