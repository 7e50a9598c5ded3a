//! What pages of several types tell: names, relations, and the past.

use model::SymbolKind;

use crate::{
    prose,
    sheet::{Sheet, shortened},
};

/// Longer signatures are cut: what comes late in one are parameters, and whoever needs those reads the source.
const MAX_SIGNATURE_BYTES: usize = 110;

/// Longer first sentences are cut.
const MAX_SENTENCE_BYTES: usize = 120;

/// The longest subject of a commit that is quoted whole; git's own advice is 50 to 72 characters.
const MAX_SUBJECT_BYTES: usize = 80;

/// A definition, as far as a page tells of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamePart<'a> {
    pub kind: SymbolKind,
    pub name: &'a str,
    /// What it stands in; empty at the top of a file.
    pub container: &'a str,
    pub signature: &'a str,
    pub doc: &'a str,
    /// How many definitions of other files use it.
    pub n_uses: u32,
}

/// Something that has to do with the part that a page is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation<'a> {
    /// A path, or the name of a package.
    pub name: &'a str,
    /// How often.
    pub count: u32,
}

/// All that has to do with a part in one way: the strongest, and how many there are in all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Relations<'a> {
    pub strongest: Vec<Relation<'a>>,
    pub n_all: u32,
}

/// The past of a part.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PastPart<'a> {
    /// Commits of the last 13 weeks before the newest commit.
    pub n_recent: u32,
    /// There are more commits than were counted.
    pub is_at_least: bool,
    /// Who stands behind it, and to what share, from 0 to 1; the largest share first.
    pub owners: Vec<(&'a str, f32)>,
    /// What tends to change with it; the strongest first.
    pub changes_with: Vec<&'a str>,
    /// The subjects of its last commits, the newest first.
    pub subjects: Vec<&'a str>,
}

/// Owners with less than this share are not named: they touched it in passing.
const MIN_OWNER_SHARE: f32 = 0.1;

/// What changes with it, at most: those after them seldom do.
const MAX_CHANGES_WITH: usize = 4;

/// Owners that are named at most.
const MAX_OWNERS: usize = 3;

/// Writes names, a line each, into at most `max_bytes`. Those that nobody else uses and nobody wrote of are left out.
pub(crate) fn write_names(sheet: &mut Sheet, label: &str, names: &[NamePart<'_>], max_bytes: usize) {
    let is_told = |name: &&NamePart<'_>| name.n_uses > 0 || !name.doc.is_empty() || name.kind.is_type();
    let lines = names.iter().filter(is_told).map(name_line);
    sheet.lines(label, lines, max_bytes);
}

fn name_line(name: &NamePart<'_>) -> String {
    let mut line = String::from("`");
    // A method does not say what it is of, and a `typedef` of C not even what it is called.
    for left_out in [name.container, name.name] {
        if !left_out.is_empty() && !name.signature.is_empty() && !name.signature.contains(left_out) {
            line.push_str(left_out);
            line.push_str("` `");
        }
    }
    let declared = if name.signature.is_empty() { name.name } else { name.signature };
    // What stood on several lines has white space where people put none.
    let declared = declared.replace("( ", "(").replace(", )", ")");
    line.push_str(&shortened(&declared, MAX_SIGNATURE_BYTES));
    line.push('`');
    if name.n_uses > 0 {
        line.push_str(&format!(" ({})", name.n_uses));
    }
    let sentence = prose::first_sentence(name.doc);
    if !sentence.is_empty() {
        line.push_str(": ");
        line.push_str(&shortened(&sentence, MAX_SENTENCE_BYTES));
    }
    line
}

/// Writes relations on one line, the strongest first, with how many are left out.
pub(crate) fn write_relations(sheet: &mut Sheet, label: &str, relations: &Relations<'_>, max_bytes: usize) {
    let items = relations.strongest.iter().map(|relation| match relation.count {
        0 | 1 => relation.name.to_owned(),
        count => format!("{} ({count})", relation.name),
    });
    sheet.list(label, items, relations.n_all as usize, max_bytes);
}

/// Writes what is known of a past.
pub(crate) fn write_past(sheet: &mut Sheet, past: &PastPart<'_>, max_bytes: usize) {
    let owners = past.owners.iter().filter(|owner| owner.1 >= MIN_OWNER_SHARE).take(MAX_OWNERS);
    let owners = owners.map(|(name, share)| format!("{name} {:.0} %", share * 100.0)).collect::<Vec<_>>().join(", ");
    let commits = match past.n_recent {
        0 => String::new(),
        1 => "1 commit in 13 weeks".to_owned(),
        n_recent => format!("{n_recent}{} commits in 13 weeks", if past.is_at_least { "+" } else { "" }),
    };
    let parts = [commits, owners].into_iter().filter(|part| !part.is_empty());
    sheet.list("History", parts, 0, max_bytes);
    let changes_with = past.changes_with.iter().take(MAX_CHANGES_WITH).map(|path| (*path).to_owned());
    sheet.list("Changes with", changes_with, 0, max_bytes);
    let subjects = past.subjects.iter().map(|subject| shortened(subject, MAX_SUBJECT_BYTES).into_owned());
    sheet.lines("Lately", subjects, max_bytes);
}
