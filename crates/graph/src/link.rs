//! Which files of a repository must be resolved anew when some of them have changed, and what the others keep.
//!
//! A file is resolved anew if it changed; if it looked into a file that offers something else than before; if a file of its
//! language has begun or ceased to lead to definitions of others; or if it
//! mentions a name that some file has begun or ceased to define, be that file of another language. Files that come or go can
//! change what any import means, and so can manifests: then every file of the languages in question is resolved.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use crate::{
    contracts::Contracts,
    dialect::Family,
    interface::{self, InterfaceHash},
    names::Name,
    program::{FileIdx, Program, SymbolIdx},
    resolve::{Edge, Node, Resolved},
};

/// A file as the generation before had it, in that generation's numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct OlderFile {
    pub path: String,
    pub interface: InterfaceHash,
    pub first_symbol: u32,
    /// Of each of its definitions: what it stands in, and its name.
    pub names: Vec<(String, String)>,
    pub resolved: Resolved,
}

/// Returns for each file what it keeps, in this program's numbers; nothing for one that must be resolved.
///
/// `interfaces` and `is_same` are by file: what it offers now, and whether its bytes are those of the generation before.
pub fn keep(
    program: &Program<'_>,
    interfaces: &[InterfaceHash],
    is_same: &[bool],
    older: &[OlderFile],
) -> Vec<Option<Resolved>> {
    let by_path: BTreeMap<&str, usize> =
        older.iter().enumerate().map(|(index, file)| (file.path.as_str(), index)).collect();
    let renumbering = Renumbering::new(program, older);
    let changes = Changes::new(program, interfaces, older, &by_path, &renumbering);
    program
        .file_indices()
        .map(|file| {
            let index = *by_path.get(program.path(file))?;
            let before = &older[index];
            let must_resolve = !is_same[file.0 as usize]
                || changes.families.contains(&Family::of(program.language(file)))
                || before.resolved.consulted.iter().any(|consulted| changes.files.contains(&consulted.0))
                || changes.mentions(program, file);
            if must_resolve { None } else { renumbering.resolved(&before.resolved) }
        })
        .collect()
}

/// What others may notice of a change.
struct Changes {
    /// Languages of which a file came or went.
    families: BTreeSet<Family>,
    /// Files that offer something else, in the numbers of the generation before.
    files: FxHashSet<u32>,
    /// Names that are defined in a file where they were not, or no longer are.
    names: FxHashSet<Name>,
}

impl Changes {
    fn new(
        program: &Program<'_>,
        interfaces: &[InterfaceHash],
        older: &[OlderFile],
        by_path: &BTreeMap<&str, usize>,
        renumbering: &Renumbering,
    ) -> Changes {
        let mut changes =
            Changes { families: BTreeSet::new(), files: FxHashSet::default(), names: FxHashSet::default() };
        for (index, before) in older.iter().enumerate() {
            let Some(file) = renumbering.files[index] else {
                changes.families.insert(Family::of(model::Language::of_path(&before.path)));
                changes.names.extend(before.names.iter().filter_map(|(_, name)| program.name_named(name)));
                continue;
            };
            if before.interface == interfaces[file.0 as usize] {
                continue;
            }
            changes.files.insert(index as u32);
            if !interface::has_same_passages(&before.interface, &interfaces[file.0 as usize]) {
                changes.families.insert(Family::of(program.language(file)));
            }
            let old: BTreeSet<(&str, &str)> =
                before.names.iter().map(|(container, name)| (container.as_str(), name.as_str())).collect();
            let definitions = program.facts(file).definitions.iter();
            let new: BTreeSet<(&str, &str)> =
                definitions.map(|definition| (definition.container.as_str(), definition.name.as_str())).collect();
            let differing = old.symmetric_difference(&new).filter_map(|(_, name)| program.name_named(name));
            changes.names.extend(differing);
        }
        for file in program.file_indices().filter(|file| !by_path.contains_key(program.path(*file))) {
            changes.families.insert(Family::of(program.language(file)));
            let new = program.facts(file).definitions.iter();
            changes.names.extend(new.filter_map(|definition| program.name_named(&definition.name)));
        }
        changes
    }

    fn mentions(&self, program: &Program<'_>, file: FileIdx) -> bool {
        if self.names.is_empty() {
            return false;
        }
        let facts = program.facts(file);
        let in_code = facts.code.names.iter();
        let in_uses = facts.references.iter().map(|reference| &reference.name);
        let in_imports = facts.imports.iter().map(|import| &import.name);
        in_code
            .chain(in_uses)
            .chain(in_imports)
            .any(|name| program.name_named(name).is_some_and(|name| self.names.contains(&name)))
    }
}

/// From the numbers of the generation before to those of a program.
struct Renumbering {
    /// By older file: the file now.
    files: Vec<Option<FileIdx>>,
    /// By older file: the first symbol before, and now.
    symbols: Vec<(u32, u32)>,
}

impl Renumbering {
    fn new(program: &Program<'_>, older: &[OlderFile]) -> Renumbering {
        let files: Vec<Option<FileIdx>> = older.iter().map(|file| program.file_at(&file.path)).collect();
        let symbols = older
            .iter()
            .zip(&files)
            .map(|(before, file)| {
                let first = file.map_or(0, |file| program.symbol(file, model::code::DefinitionId(0)).0);
                (before.first_symbol, first)
            })
            .collect();
        Renumbering { files, symbols }
    }

    fn node(&self, node: Node) -> Option<Node> {
        match node {
            Node::File(file) => self.files.get(file.0 as usize).copied().flatten().map(Node::File),
            Node::Symbol(symbol) => {
                let older = self.symbols.partition_point(|(first, _)| *first <= symbol.0).checked_sub(1)?;
                self.files[older]?;
                let (before, now) = self.symbols[older];
                Some(Node::Symbol(SymbolIdx(now + (symbol.0 - before))))
            }
        }
    }

    /// Returns what was resolved in new numbers; nothing if a part of it is gone.
    fn resolved(&self, before: &Resolved) -> Option<Resolved> {
        let edge = |edge: &Edge| Some(Edge { from: self.node(edge.from)?, to: self.node(edge.to)?, ..*edge });
        let mut contracts: Contracts = before.contracts.clone();
        for offer in &mut contracts.offers {
            offer.node = self.node(offer.node)?;
        }
        for one in &mut contracts.uses {
            one.node = self.node(one.node)?;
        }
        for route in &mut contracts.routes {
            route.handler = match route.handler {
                Some(handler) => Some(self.node(handler)?),
                None => None,
            };
        }
        let mut edges: Vec<Edge> = before.edges.iter().map(edge).collect::<Option<_>>()?;
        edges.sort_unstable_by_key(|edge| (edge.from, edge.to, edge.kind, edge.line));
        let mut consulted: Vec<FileIdx> = before
            .consulted
            .iter()
            .map(|file| self.files.get(file.0 as usize).copied().flatten())
            .collect::<Option<_>>()?;
        consulted.sort_unstable();
        Some(Resolved { edges, consulted, n_unresolved: before.n_unresolved, contracts })
    }
}
