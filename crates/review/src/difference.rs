//! The semantic difference between two contents of some files.

use std::collections::{BTreeMap, BTreeSet};

use model::{Code, FileFacts, Language, SymbolKind, code::Flags, symbol::qualify};

use crate::{
    DeclaredSignature, SignatureChange, long_declaration::complete, pairing::pair_definitions, protobuf::wire_conflict,
    renamed_types::RenamedTypes,
};

/// One content of a file.
#[derive(Debug, Clone, Copy)]
pub struct FileContent<'a> {
    /// The path.
    pub path: &'a str,
    /// The facts, whose spans are of `bytes`.
    pub facts: &'a FileFacts,
    /// The text.
    pub bytes: &'a [u8],
}

/// A file with both contents; one of them is missing for a new and for a deleted file.
#[derive(Debug, Clone, Copy)]
pub struct ChangedContent<'a> {
    /// Before the change.
    pub old: Option<FileContent<'a>>,
    /// After the change.
    pub new: Option<FileContent<'a>>,
}

/// A kind of change, by the one that its users notice most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DefinitionChangeKind {
    /// Is gone.
    Removed,
    /// Has another name.
    Renamed,
    /// Is in another file.
    Moved,
    /// Has another signature.
    Signature,
    /// Is new.
    Added,
    /// Has the same signature and another body or value.
    Body,
}

/// A definition on one side of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinitionSide {
    /// The path of its file.
    pub path: String,
    /// The language of its file.
    pub language: Language,
    /// The kind.
    pub kind: SymbolKind,
    /// The name.
    pub name: String,
    /// Names of the enclosing definitions, joined by dots.
    pub container: String,
    /// 1 for the first definition of this qualified name in its file, 2 for the next.
    pub ordinal: u32,
    /// The line of the name.
    pub line: u32,
    /// The declaration without its body.
    pub signature: String,
    /// True if implementers must provide the body.
    pub is_abstract: bool,
}

/// The change of one definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinitionChange {
    /// The kind.
    pub kind: DefinitionChangeKind,
    /// Before the change; `None` for a new definition.
    pub old: Option<DefinitionSide>,
    /// After the change; `None` for one that is gone.
    pub new: Option<DefinitionSide>,
    /// The declarations with the new name in the new file, that of `new` first: its overloads.
    pub overloads: Vec<String>,
    /// The differences of both signatures.
    pub signature: Vec<SignatureChange>,
    /// The reason why old and new messages of protobuf do not understand each other.
    pub wire_conflict: Option<String>,
}

impl DefinitionSide {
    /// Returns container and name.
    pub fn qualified(&self) -> String {
        qualify(&self.container, &self.name)
    }

    /// Returns the name of the type that contains it; empty if there is none.
    pub fn owner(&self) -> &str {
        self.container.rsplit('.').next().unwrap_or_default()
    }

    /// Returns the parts of a declaration of this definition.
    pub fn declared(&self, signature: &str) -> DeclaredSignature {
        DeclaredSignature::of(self.language, self.kind, self.owner(), &self.name, signature)
    }
}

/// A definition of one side, with its text.
#[derive(Debug, Clone)]
pub(crate) struct SidedDefinition<'a> {
    pub(crate) side: DefinitionSide,
    /// The text without white space at the ends of lines.
    pub(crate) text: &'a [u8],
    /// True if members of the definition are definitions of their own.
    pub(crate) has_members: bool,
}

/// Returns the changes of all definitions, in the order of paths and lines. Definitions inside of functions are left out.
pub fn differences(files: &[ChangedContent<'_>]) -> Vec<DefinitionChange> {
    let old: Vec<SidedDefinition<'_>> = files.iter().filter_map(|file| file.old).flat_map(definitions).collect();
    let new: Vec<SidedDefinition<'_>> = files.iter().filter_map(|file| file.new).flat_map(definitions).collect();
    let renamed_paths: BTreeMap<&str, &str> =
        files.iter().filter_map(|file| Some((file.old?.path, file.new?.path))).collect();
    let pairs = pair_definitions(&old, &new, &renamed_paths);
    let renamed_types: BTreeSet<(String, String)> = pairs
        .iter()
        .map(|(from, to)| (old[*from].side.qualified(), new[*to].side.qualified()))
        .filter(|(from, to)| from != to)
        .collect();
    let remaining: BTreeSet<&str> =
        new.iter().filter(|one| one.side.kind.is_type()).map(|one| one.side.name.as_str()).collect();
    let new_names = RenamedTypes::of(pairs.iter().map(|(from, to)| (&old[*from].side, &new[*to].side)), &remaining);
    let partner: BTreeMap<usize, usize> = pairs.iter().copied().collect();
    let taken: BTreeSet<usize> = pairs.iter().map(|(_, to)| *to).collect();
    let overloads = Overloads::of(&new);
    let mut changes: Vec<DefinitionChange> = Vec::new();
    for (at, before) in old.iter().enumerate() {
        let change = match partner.get(&at) {
            Some(to) => change(before, &new[*to], (&renamed_types, &new_names), &overloads),
            None => Some(removed(before, &overloads)),
        };
        changes.extend(change);
    }
    changes.extend((0..new.len()).filter(|at| !taken.contains(at)).map(|at| added(&new[at])));
    without_members_of_removed(changes)
}

/// Returns the definitions of a file that other code can name.
fn definitions(content: FileContent<'_>) -> Vec<SidedDefinition<'_>> {
    let facts = content.facts;
    let mut ordinals: BTreeMap<String, u32> = BTreeMap::new();
    let mut definitions = Vec::new();
    for (at, definition) in facts.definitions.iter().enumerate() {
        let ordinal = ordinals.entry(qualify(&definition.container, &definition.name)).or_default();
        *ordinal += 1;
        if matches!(definition.kind, SymbolKind::Section | SymbolKind::Module) || is_local(facts, at) {
            continue;
        }
        let side = DefinitionSide {
            path: content.path.to_owned(),
            language: facts.language,
            kind: definition.kind,
            name: definition.name.clone(),
            container: definition.container.clone(),
            ordinal: *ordinal,
            line: definition.name_line,
            signature: declaration(content, at),
            is_abstract: is_abstract(&facts.code, at),
        };
        let is_type = definition.kind.is_type() || definition.kind == SymbolKind::Trait;
        let has_members = is_type && facts.definitions[at + 1..].iter().any(|other| other.parent == Some(at as u32));
        definitions.push(SidedDefinition { side, text: definition.bytes.of(content.bytes).trim_ascii(), has_members });
    }
    definitions
}

/// Returns the whole declaration, with the modifiers that decorators add to it.
fn declaration(content: FileContent<'_>, at: usize) -> String {
    let (facts, definition) = (content.facts, &content.facts.definitions[at]);
    let flags = facts.code.shapes.get(at).map(|shape| shape.flags).unwrap_or_default();
    let is_decorated = facts.language == Language::Python;
    let added = [(Flags::PROPERTY, "property "), (Flags::CLASS_METHOD, "classmethod "), (Flags::STATIC, "static ")];
    let added = added.into_iter().filter(|(flag, _)| is_decorated && flags.has(*flag)).map(|(_, word)| word);
    let text = String::from_utf8_lossy(definition.bytes.of(content.bytes));
    let n_before = definition.name_line.saturating_sub(definition.lines.start) as usize;
    let from_name: String = text.split_inclusive('\n').skip(n_before).collect();
    let complete = complete(&definition.signature, &definition.name, &from_name);
    let public = if is_implicitly_public(facts, at, &complete) { "public " } else { "" };
    added.chain([public, complete.as_str()]).collect()
}

/// Returns true for a member of an interface or annotation of Java without a word for its visibility.
fn is_implicitly_public(facts: &FileFacts, at: usize, declaration: &str) -> bool {
    let enclosing = facts.definitions[at].parent.and_then(|parent| facts.definitions.get(parent as usize));
    let is_of_interface =
        enclosing.is_some_and(|enclosing| matches!(enclosing.kind, SymbolKind::Interface | SymbolKind::Annotation));
    let before_name = declaration.split(facts.definitions[at].name.as_str()).next().unwrap_or_default();
    let has_word = before_name.split_whitespace().any(|word| matches!(word, "public" | "private"));
    facts.language == Language::Java && is_of_interface && !has_word
}

fn is_local(facts: &FileFacts, at: usize) -> bool {
    use SymbolKind::{Constructor, Function, Macro, Method};
    let mut parent = facts.definitions[at].parent;
    for _ in 0..facts.definitions.len() {
        let Some(enclosing) = parent.and_then(|parent| facts.definitions.get(parent as usize)) else { return false };
        // A field that a constructor declares belongs to the type.
        let is_part = matches!(facts.definitions[at].kind, SymbolKind::Field | SymbolKind::Property);
        if matches!(enclosing.kind, Function | Method | Macro) || enclosing.kind == Constructor && !is_part {
            return true;
        }
        parent = enclosing.parent;
    }
    false
}

fn is_abstract(code: &Code, at: usize) -> bool {
    code.shapes.get(at).is_some_and(|shape| shape.flags.has(Flags::ABSTRACT))
}

/// The declarations of each name of a file.
struct Overloads<'a>(BTreeMap<(&'a str, String), Vec<&'a DefinitionSide>>);

impl<'a> Overloads<'a> {
    fn of(definitions: &'a [SidedDefinition<'a>]) -> Overloads<'a> {
        let mut by_name: BTreeMap<(&str, String), Vec<&DefinitionSide>> = BTreeMap::new();
        for SidedDefinition { side, .. } in definitions {
            by_name.entry((&side.path, side.qualified())).or_default().push(side);
        }
        Overloads(by_name)
    }

    /// Returns the declarations with the name of a definition in a file.
    fn named(&self, path: &str, side: &DefinitionSide) -> Vec<String> {
        let found = self.0.get(&(path, side.qualified())).into_iter().flatten();
        let (same, others): (Vec<&DefinitionSide>, Vec<&DefinitionSide>) = found.partition(|other| **other == side);
        same.into_iter().chain(others).map(|other| other.signature.clone()).collect()
    }
}

fn change(
    before: &SidedDefinition<'_>,
    after: &SidedDefinition<'_>,
    (renamed_types, new_names): (&BTreeSet<(String, String)>, &RenamedTypes<'_>),
    overloads: &Overloads<'_>,
) -> Option<DefinitionChange> {
    let (old, new) = (&before.side, &after.side);
    let signature = new_names.signature_changes(old, new);
    let is_moved = old.path != new.path;
    let is_of_renamed = renamed_types.contains(&(old.container.clone(), new.container.clone()));
    // A member moves with its type.
    let is_of_moved = !old.container.is_empty() && old.container == new.container;
    let has_kind = old.kind == new.kind;
    let is_same_text = before.text == after.text || before.has_members && after.has_members;
    let kind = match () {
        () if old.name != new.name => DefinitionChangeKind::Renamed,
        () if is_moved && !is_of_moved => DefinitionChangeKind::Moved,
        // The users of a renamed type are those of its members, too.
        () if old.container != new.container && !is_of_renamed => DefinitionChangeKind::Renamed,
        () if !has_kind || !signature.is_empty() || old.is_abstract != new.is_abstract => {
            DefinitionChangeKind::Signature
        }
        () if !is_same_text => DefinitionChangeKind::Body,
        () => return None,
    };
    let signature = match signature.is_empty() && !has_kind {
        true => vec![SignatureChange::Other],
        false => signature,
    };
    let conflict = match old.kind {
        _ if old.language != Language::Protobuf => None,
        SymbolKind::Field => wire_conflict(&old.signature, &new.signature),
        SymbolKind::Rpc => (!signature.is_empty()).then(|| "other messages than before".to_owned()),
        _ => None,
    };
    Some(DefinitionChange {
        kind,
        old: Some(old.clone()),
        new: Some(new.clone()),
        overloads: overloads.named(&new.path, new),
        signature,
        wire_conflict: conflict,
    })
}

fn removed(before: &SidedDefinition<'_>, overloads: &Overloads<'_>) -> DefinitionChange {
    let is_of_wire = before.side.language == Language::Protobuf && before.side.kind == SymbolKind::Rpc;
    DefinitionChange {
        kind: DefinitionChangeKind::Removed,
        old: Some(before.side.clone()),
        new: None,
        overloads: overloads.named(&before.side.path, &before.side),
        signature: Vec::new(),
        wire_conflict: is_of_wire.then(|| "clients still call it".to_owned()),
    }
}

fn added(after: &SidedDefinition<'_>) -> DefinitionChange {
    DefinitionChange {
        kind: DefinitionChangeKind::Added,
        old: None,
        new: Some(after.side.clone()),
        overloads: Vec::new(),
        signature: Vec::new(),
        wire_conflict: None,
    }
}

/// Drops the members of types that are gone or new as a whole.
fn without_members_of_removed(mut changes: Vec<DefinitionChange>) -> Vec<DefinitionChange> {
    let whole = |kind: DefinitionChangeKind, side: fn(&DefinitionChange) -> Option<&DefinitionSide>| {
        let types = changes.iter().filter(move |change| change.kind == kind).filter_map(side);
        types.map(|side| (side.path.clone(), side.qualified())).collect::<BTreeSet<(String, String)>>()
    };
    let gone = whole(DefinitionChangeKind::Removed, |change| change.old.as_ref());
    let new = whole(DefinitionChangeKind::Added, |change| change.new.as_ref());
    changes.retain(|change| match (change.kind, &change.old, &change.new) {
        (DefinitionChangeKind::Removed, Some(old), _) => !gone.contains(&(old.path.clone(), old.container.clone())),
        (DefinitionChangeKind::Added, _, Some(after)) => !new.contains(&(after.path.clone(), after.container.clone())),
        _ => true,
    });
    changes.sort_by(|a, b| key(a).cmp(&key(b)));
    changes
}

fn key(change: &DefinitionChange) -> (&str, u32, DefinitionChangeKind) {
    let side = change.old.as_ref().or(change.new.as_ref());
    (side.map_or("", |side| &side.path), side.map_or(0, |side| side.line), change.kind)
}

#[cfg(test)]
mod tests;
