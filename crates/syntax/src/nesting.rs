//! Order and nesting: from what was found to definitions, references and imports that know their places.

use std::cmp::Reverse;
use std::collections::HashSet;

use model::{ByteSpan, Definition, FileFacts, Language, LineSpan, Reference, SymbolKind, code::DefinitionId};

use crate::docs;
use crate::drafts::{Draft, Drafts, Mention};

/// Which definition's name stands at which byte.
pub(crate) struct NamedAt {
    /// Starts of names with the number of the definition, in the order of bytes.
    starts: Vec<(usize, u32)>,
}

impl NamedAt {
    /// Returns the definition whose name starts at a byte.
    pub(crate) fn get(&self, byte: usize) -> Option<DefinitionId> {
        let found = self.starts.binary_search_by_key(&byte, |(start, _)| *start).ok()?;
        Some(DefinitionId(self.starts[found].1))
    }

    /// Returns how many definitions there are.
    pub(crate) fn n_definitions(&self) -> usize {
        self.starts.len()
    }
}

/// Moves what was found into the facts: sorted, without doubles, each with the definition around it.
pub(crate) fn settle(facts: &mut FileFacts, drafts: Drafts, source: &[u8]) -> NamedAt {
    let Drafts { mut definitions, mut mentions, mut imports, .. } = drafts;
    drop_doubles(&mut definitions, facts.language);
    definitions.sort_by_key(|draft| (draft.start.byte, Reverse(draft.end.byte)));
    mentions.sort_by_key(|mention| mention.byte);
    imports.sort_by_key(|(byte, _)| *byte);

    let mut starts: Vec<(usize, u32)> =
        definitions.iter().enumerate().map(|(index, draft)| (draft.name_start, index as u32)).collect();
    starts.sort_unstable();
    let named_at = NamedAt { starts };
    let mut name_starts: Vec<usize> = definitions.iter().map(|draft| draft.name_start).collect();
    name_starts.sort_unstable();
    facts.definitions = nest(definitions, source);
    facts.references = enclose(mentions, &name_starts, &facts.definitions);
    facts.imports = imports.into_iter().map(|(_, import)| import).collect();
    named_at
}

/// Drops prototypes whose definition is in the same file, and all but the first assignment of a variable.
fn drop_doubles(drafts: &mut Vec<Draft>, language: Language) {
    // Overloads of C++ have bodies of their own; those of TypeScript share one, whatever their parameters.
    let count = |draft: &Draft| match language {
        Language::C | Language::Cpp => n_parameters(draft),
        _ => 0,
    };
    let keep: Vec<bool> = {
        let full: HashSet<(&str, &str, usize)> = drafts
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
                    _ if draft.is_prototype => !full.contains(&(key.0, key.1, count(draft))),
                    SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field => seen.insert(key),
                    _ => true,
                }
            })
            .collect()
    };
    let mut kept = keep.into_iter();
    drafts.retain(|_| kept.next().unwrap_or(true));
}

/// Counts the parameters in a signature, so that an overload does not take the place of another.
fn n_parameters(draft: &Draft) -> usize {
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

fn nest(drafts: Vec<Draft>, source: &[u8]) -> Vec<Definition> {
    let mut open: Vec<(usize, usize, usize)> = Vec::new();
    let mut definitions = Vec::with_capacity(drafts.len());
    for (index, draft) in drafts.into_iter().enumerate() {
        let (start, end) = (draft.start.byte, draft.end.byte);
        // `a, b = 1, 2` are two definitions side by side, though they have the same bytes.
        while open.last().is_some_and(|&(_, s, e)| e < end || e <= start || (s, e) == (start, end)) {
            open.pop();
        }
        let parent = open.last().map(|&(parent, _, _)| parent as u32);
        open.push((index, start, end));
        definitions.push(finish(draft, parent, source));
    }
    definitions
}

fn finish(draft: Draft, parent: Option<u32>, source: &[u8]) -> Definition {
    let comment = draft.comment.map(|(start, end)| docs::plain(&source[start..end]));
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

/// Gives each use the innermost definition around it; drops the names of definitions, and the second use at one place.
fn enclose(mentions: Vec<Mention>, name_starts: &[usize], definitions: &[Definition]) -> Vec<Reference> {
    let mut references = Vec::with_capacity(mentions.len());
    let mut names = name_starts.iter().copied().peekable();
    let mut opening = definitions.iter().enumerate().peekable();
    let mut open: Vec<(u32, u32)> = Vec::new();
    let mut last_byte = None;
    for mention in mentions {
        while names.next_if(|&start| start < mention.byte).is_some() {}
        if last_byte == Some(mention.byte) || names.peek() == Some(&mention.byte) {
            continue;
        }
        last_byte = Some(mention.byte);
        while let Some((index, definition)) = opening.next_if(|(_, next)| next.bytes.start as usize <= mention.byte) {
            while open.last().is_some_and(|&(_, end)| end <= definition.bytes.start) {
                open.pop();
            }
            let is_twin = open.last().is_some_and(|&(outer, _)| definitions[outer as usize].bytes == definition.bytes);
            if !is_twin {
                open.push((index as u32, definition.bytes.end));
            }
        }
        while open.last().is_some_and(|&(_, end)| end as usize <= mention.byte) {
            open.pop();
        }
        references.push(Reference {
            kind: mention.kind,
            name: mention.name,
            receiver: mention.receiver,
            line: mention.row as u32 + 1,
            enclosing: open.last().map(|&(index, _)| index),
        });
    }
    references
}
