//! Order and nesting: turns the collected facts into sorted definitions, references and imports that know their
//! parents.

use std::cmp::Reverse;
use std::collections::HashSet;

use model::{ByteSpan, Definition, Import, Language, LineSpan, Reference, SymbolKind, code::DefinitionId};

use crate::docs;
use crate::walk::collected::{CollectedFacts, DefinitionDraft, ReferenceDraft};

/// Definitions by the start byte of their name.
pub(crate) struct DefinitionIndex {
    /// Start bytes of names with the index of the definition, sorted.
    name_starts: Vec<(usize, u32)>,
}

impl DefinitionIndex {
    /// Returns the definition whose name starts at a byte.
    pub(crate) fn get(&self, byte: usize) -> Option<DefinitionId> {
        let position = self.name_starts.binary_search_by_key(&byte, |(start, _)| *start).ok()?;
        Some(DefinitionId(self.name_starts[position].1))
    }

    /// Returns the number of definitions.
    pub(crate) fn n_definitions(&self) -> usize {
        self.name_starts.len()
    }
}

/// The facts of a file, sorted, without duplicates, each with its enclosing definition.
pub(crate) struct NestedFacts {
    pub(crate) definitions: Vec<Definition>,
    pub(crate) references: Vec<Reference>,
    pub(crate) imports: Vec<Import>,
    pub(crate) index: DefinitionIndex,
}

/// Sorts the collected facts, drops duplicates, and finds the enclosing definition of each.
pub(crate) fn nest(language: Language, collected: CollectedFacts, source: &[u8]) -> NestedFacts {
    let CollectedFacts { mut definitions, mut references, mut imports, .. } = collected;
    drop_duplicates(&mut definitions, language);
    definitions.sort_by_key(|draft| (draft.start.byte, Reverse(draft.end.byte)));
    references.sort_by_key(|draft| draft.byte);
    imports.sort_by_key(|(byte, _)| *byte);

    let mut name_starts: Vec<(usize, u32)> =
        definitions.iter().enumerate().map(|(index, draft)| (draft.name_start, index as u32)).collect();
    name_starts.sort_unstable();
    let index = DefinitionIndex { name_starts };
    let definitions = nest_definitions(definitions, source);
    let references = attach_references(references, &index, &definitions);
    let imports = imports.into_iter().map(|(_, import)| import).collect();
    NestedFacts { definitions, references, imports, index }
}

/// Drops prototypes whose definition is in the same file, and all but the first assignment of a variable.
fn drop_duplicates(drafts: &mut Vec<DefinitionDraft>, language: Language) {
    // Overloads in C++ have bodies of their own. Overloads in TypeScript share one, whatever their parameters.
    let count = |draft: &DefinitionDraft| match language {
        Language::C | Language::Cpp => n_parameters(draft),
        _ => 0,
    };
    let keep: Vec<bool> = {
        let defined: HashSet<(&str, &str, usize)> = drafts
            .iter()
            .filter(|draft| !draft.is_prototype && !draft.kind.is_type())
            .map(|draft| (draft.container.as_str(), draft.name.as_str(), count(draft)))
            .collect();
        let mut seen = HashSet::new();
        drafts
            .iter()
            .map(|draft| {
                let key = (draft.container.as_str(), draft.name.as_str());
                match draft.kind {
                    SymbolKind::Field if draft.is_prototype => {
                        !defined.contains(&(key.0, key.1, count(draft))) && seen.insert(key)
                    }
                    _ if draft.is_prototype => !defined.contains(&(key.0, key.1, count(draft))),
                    SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field => seen.insert(key),
                    _ => true,
                }
            })
            .collect()
    };
    let mut keep_flags = keep.into_iter();
    drafts.retain(|_| keep_flags.next().unwrap_or(true));
}

/// Counts the parameters in a signature, so that one overload does not replace another.
fn n_parameters(draft: &DefinitionDraft) -> usize {
    let Some(start) = draft.signature.find(&draft.name).map(|start| start + draft.name.len()) else { return 0 };
    let mut n_open = 0u32;
    let mut n_commas = 0;
    let mut is_empty = true;
    for c in draft.signature[start..].chars() {
        match c {
            '(' | '<' | '[' | '{' => n_open += 1,
            ')' | '>' | ']' | '}' if n_open <= 1 => break,
            ')' | '>' | ']' | '}' => n_open -= 1,
            ',' if n_open == 1 => n_commas += 1,
            _ => {}
        }
        is_empty &= n_open == 0 || c == '(' && n_open == 1 || c.is_whitespace();
    }
    if is_empty { 0 } else { n_commas + 1 }
}

fn nest_definitions(drafts: Vec<DefinitionDraft>, source: &[u8]) -> Vec<Definition> {
    let mut open: Vec<(usize, usize, usize)> = Vec::new();
    let mut definitions = Vec::with_capacity(drafts.len());
    for (index, draft) in drafts.into_iter().enumerate() {
        let (start, end) = (draft.start.byte, draft.end.byte);
        // `a, b = 1, 2` holds two sibling definitions with the same byte range.
        while open.last().is_some_and(|&(_, s, e)| e < end || e <= start || (s, e) == (start, end)) {
            open.pop();
        }
        let parent = open.last().map(|&(parent, _, _)| parent as u32);
        open.push((index, start, end));
        definitions.push(into_definition(draft, parent, source));
    }
    definitions
}

fn into_definition(draft: DefinitionDraft, parent: Option<u32>, source: &[u8]) -> Definition {
    let comment = draft.comment.map(|(start, end)| docs::strip_markers(&source[start..end]));
    Definition {
        kind: draft.kind,
        name: draft.name,
        container: draft.container,
        parent,
        signature: draft.signature,
        doc: draft.doc.or(comment).unwrap_or_default(),
        lines: LineSpan { start: draft.start.row as u32 + 1, end: draft.end.row as u32 + 1 },
        name_line: draft.name_row as u32 + 1,
        bytes: ByteSpan { start: draft.start.byte as u32, end: draft.end.byte as u32 },
    }
}

/// Sets the innermost enclosing definition of each reference. Drops the names of definitions, and duplicate references
/// at one byte.
fn attach_references(
    drafts: Vec<ReferenceDraft>,
    index: &DefinitionIndex,
    definitions: &[Definition],
) -> Vec<Reference> {
    let mut references = Vec::with_capacity(drafts.len());
    let mut names = index.name_starts.iter().map(|(start, _)| *start).peekable();
    let mut opening = definitions.iter().enumerate().peekable();
    let mut open: Vec<(u32, u32)> = Vec::new();
    let mut last_byte = None;
    for draft in drafts {
        while names.next_if(|&start| start < draft.byte).is_some() {}
        if last_byte == Some(draft.byte) || names.peek() == Some(&draft.byte) {
            continue;
        }
        last_byte = Some(draft.byte);
        while let Some((index, definition)) = opening.next_if(|(_, next)| next.bytes.start as usize <= draft.byte) {
            while open.last().is_some_and(|&(_, end)| end <= definition.bytes.start) {
                open.pop();
            }
            let is_same_span =
                open.last().is_some_and(|&(outer, _)| definitions[outer as usize].bytes == definition.bytes);
            if !is_same_span {
                open.push((index as u32, definition.bytes.end));
            }
        }
        while open.last().is_some_and(|&(_, end)| end as usize <= draft.byte) {
            open.pop();
        }
        references.push(Reference {
            kind: draft.kind,
            name: draft.name,
            receiver: draft.receiver,
            line: draft.row as u32 + 1,
            enclosing: open.last().map(|&(index, _)| index),
        });
    }
    references
}
