//! Files of the previous generation that need not be resolved again.
//!
//! A file is resolved again in five cases: it changed; it consulted a file whose interface changed; a file of its language
//! family changed the paths that lead through it to definitions of others; it mentions a name that a file of any language
//! began or ceased to define, or another name that an import of Rust gives to it; a file of its family came or went, which can
//! change the meaning of any import. A changed manifest can change that too: then the caller resolves everything.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use crate::{
    family::Family,
    interface::{self, InterfaceHash},
    names::Name,
    program::{FileIdx, Node, Program, SymbolIdx},
    resolve::{Edge, FurtherLine, ResolvedFile},
};

/// A file of the previous generation, in the numbers of that generation.
#[derive(Debug, Clone, PartialEq)]
pub struct PreviousFile {
    /// The path in the repository.
    pub path: String,
    /// The interface that the file had.
    pub interface: InterfaceHash,
    /// The number of its first definition.
    pub first_symbol: u32,
    /// Its edges.
    pub resolved: ResolvedFile,
}

/// Container, name and kind of each definition of a file.
pub type DefinitionNames = Vec<(String, String, u8)>;

/// The comparison of a program with the previous generation.
pub struct Reuse<'a> {
    program: &'a Program<'a>,
    previous: &'a [&'a PreviousFile],
    /// By file of the program: its index in the previous generation.
    previous_of: Vec<Option<usize>>,
    renumbering: Renumbering,
    changes: VisibleChanges,
}

impl<'a> Reuse<'a> {
    /// Compares a program with the previous generation. `interfaces` are by file, and `names_of` returns the definitions that a file of
    /// the previous generation had.
    pub fn new(
        program: &'a Program<'a>,
        interfaces: &[InterfaceHash],
        previous: &'a [&'a PreviousFile],
        names_of: &dyn Fn(usize) -> DefinitionNames,
    ) -> Reuse<'a> {
        let renumbering = Renumbering::new(program, previous);
        let mut previous_of = vec![None; program.n_files()];
        for (index, file) in renumbering.files.iter().enumerate() {
            if let Some(file) = file {
                previous_of[file.0 as usize] = Some(index);
            }
        }
        let is_new = |file: &FileIdx| previous_of[file.0 as usize].is_none();
        let changes = VisibleChanges::new(program, interfaces, previous, &renumbering, names_of, is_new);
        Reuse { program, previous, previous_of, renumbering, changes }
    }

    /// Returns the index in the previous generation of a file whose edges are still valid; `None` if the file must be resolved again.
    /// `is_same` is true if its bytes are those of the previous generation.
    pub fn reusable(&self, file: FileIdx, is_same: bool) -> Option<usize> {
        let index = self.previous_of[file.0 as usize]?;
        let before = &self.previous[index].resolved;
        let must_resolve = !is_same
            || self.changes.families.contains(&Family::of(self.program.language(file)))
            || before.consulted.iter().any(|consulted| self.changes.files.contains(&consulted.0))
            || self.changes.mentions(self.program, file);
        (!must_resolve).then_some(index)
    }

    /// Returns the map from the numbers of the previous generation to those of the program.
    pub fn into_renumbering(self) -> Renumbering {
        self.renumbering
    }
}

/// Changes of a repository that can change edges of unchanged files.
struct VisibleChanges {
    /// Families in which any import may mean something else.
    families: BTreeSet<Family>,
    /// Files whose interface changed, in the numbers of the previous generation.
    files: FxHashSet<u32>,
    /// Names that a file began or ceased to define.
    names: FxHashSet<Name>,
    /// The texts of these names.
    texts: FewTexts,
}

/// A few texts. A text that cannot be one of them is told from them without a hash of it.
#[derive(Default)]
struct FewTexts {
    texts: FxHashSet<String>,
    /// By mark: true if one of the texts has it.
    has_mark: Vec<bool>,
}

impl FewTexts {
    const N_MARKS: usize = 1 << 12;

    fn new(texts: impl Iterator<Item = String>) -> FewTexts {
        let texts: FxHashSet<String> = texts.collect();
        let mut has_mark = vec![false; FewTexts::N_MARKS];
        texts.iter().for_each(|text| has_mark[FewTexts::mark(text)] = true);
        FewTexts { texts, has_mark }
    }

    fn contains(&self, text: &str) -> bool {
        self.has_mark.get(FewTexts::mark(text)) == Some(&true) && self.texts.contains(text)
    }

    /// Returns a number of the length, the first and the last byte of a text.
    fn mark(text: &str) -> usize {
        let byte = |byte: Option<&u8>| byte.map_or(0, |byte| usize::from(*byte));
        let (first, last) = (byte(text.as_bytes().first()), byte(text.as_bytes().last()));
        (text.len().wrapping_mul(1_021) ^ (first << 5) ^ last) % FewTexts::N_MARKS
    }
}

impl VisibleChanges {
    fn new(
        program: &Program<'_>,
        interfaces: &[InterfaceHash],
        previous: &[&PreviousFile],
        renumbering: &Renumbering,
        names_of: &dyn Fn(usize) -> DefinitionNames,
        is_new: impl Fn(&FileIdx) -> bool,
    ) -> VisibleChanges {
        let mut changes = VisibleChanges {
            families: BTreeSet::new(),
            files: FxHashSet::default(),
            names: FxHashSet::default(),
            texts: FewTexts::default(),
        };
        for (index, before) in previous.iter().enumerate() {
            let Some(file) = renumbering.files[index] else {
                changes.families.insert(Family::of(model::Language::of_path(&before.path)));
                changes.names.extend(names_of(index).iter().filter_map(|(_, name, _)| program.name_named(name)));
                continue;
            };
            if before.interface == interfaces[file.0 as usize] {
                continue;
            }
            changes.files.insert(index as u32);
            if !interface::has_same_passages(&before.interface, &interfaces[file.0 as usize]) {
                changes.families.insert(Family::of(program.language(file)));
            }
            // The number of definitions of a name counts, too: without one of two overloads, the other is the only one that is meant.
            let mut counts: BTreeMap<(&str, &str, u8), i32> = BTreeMap::new();
            let names = names_of(index);
            for (container, name, kind) in &names {
                *counts.entry((container, name, *kind)).or_default() -= 1;
            }
            for one in &program.facts(file).definitions {
                *counts.entry((&one.container, &one.name, one.kind as u8)).or_default() += 1;
            }
            let differing = counts.iter().filter(|(_, count)| **count != 0);
            let differing = differing.filter_map(|((_, name, _), _)| program.name_named(name));
            changes.names.extend(differing);
        }
        for file in program.file_indices().filter(is_new) {
            changes.families.insert(Family::of(program.language(file)));
            let new = program.facts(file).definitions.iter();
            changes.names.extend(new.filter_map(|definition| program.name_named(&definition.name)));
        }
        changes.add_aliases(program);
        changes.texts = FewTexts::new(changes.names.iter().map(|name| program.text(*name).to_owned()));
        changes
    }

    /// Adds the other names that imports of Rust give to these definitions. A lookup passes through the imports without consulting their
    /// files.
    fn add_aliases(&mut self, program: &Program<'_>) {
        if self.names.is_empty() {
            return;
        }
        let of_rust = program.file_indices().filter(|file| Family::of(program.language(*file)) == Family::Rust);
        let imports = of_rust.flat_map(|file| interface::passage_imports(program.facts(file)));
        let aliases = imports.filter(|import| !matches!(import.alias.as_str(), "" | "_"));
        let aliases: Vec<(Name, Name)> = aliases
            .filter_map(|import| {
                // An import of a module by its path has no other name.
                let last = if import.name.is_empty() { &import.module } else { &import.name };
                let name = last.rsplit("::").next().unwrap_or_default();
                Some((program.name_named(name)?, program.name_named(&import.alias)?))
            })
            .collect();
        let mut n_before = 0;
        while n_before < self.names.len() {
            n_before = self.names.len();
            for (name, alias) in &aliases {
                if self.names.contains(name) {
                    self.names.insert(*alias);
                }
            }
        }
    }

    /// Returns true if a file mentions a name that some file began or ceased to define.
    fn mentions(&self, program: &Program<'_>, file: FileIdx) -> bool {
        if self.names.is_empty() {
            return false;
        }
        let facts = program.facts(file);
        let in_uses = facts.references.iter().map(|reference| &reference.name);
        let in_imports = facts.imports.iter().map(|import| &import.name);
        program.names_of(file).iter().any(|name| self.names.contains(name))
            || in_uses.chain(in_imports).any(|name| self.texts.contains(name))
    }
}

/// The map from numbers of the previous generation to those of a program.
pub struct Renumbering {
    /// By previous file: its number now.
    files: Vec<Option<FileIdx>>,
    /// By previous file: its first symbol before and now.
    symbols: Vec<(u32, u32)>,
}

impl Renumbering {
    fn new(program: &Program<'_>, previous: &[&PreviousFile]) -> Renumbering {
        let files: Vec<Option<FileIdx>> = previous.iter().map(|file| program.file_at(&file.path)).collect();
        let symbols = previous
            .iter()
            .zip(&files)
            .map(|(before, file)| {
                let first = file.map_or(0, |file| program.symbol(file, model::code::DefinitionId(0)).0);
                (before.first_symbol, first)
            })
            .collect();
        Renumbering { files, symbols }
    }

    /// Returns a node of the previous generation in the numbers of the program; `None` if it is gone.
    pub fn node(&self, node: Node) -> Option<Node> {
        match node {
            Node::File(file) => self.files.get(file.0 as usize).copied().flatten().map(Node::File),
            Node::Symbol(symbol) => {
                let index = self.symbols.partition_point(|(first, _)| *first <= symbol.0).checked_sub(1)?;
                self.files[index]?;
                let (before, now) = self.symbols[index];
                Some(Node::Symbol(SymbolIdx(now + (symbol.0 - before))))
            }
        }
    }

    /// Returns the edges of a file with new node numbers; `None` if one of their ends is gone.
    pub fn resolved(&self, before: ResolvedFile) -> Option<ResolvedFile> {
        let ResolvedFile { edges, further_lines, consulted, n_unresolved, unresolved_members } = before;
        let edge = |edge: Edge| Some(Edge { from: self.node(edge.from)?, to: self.node(edge.to)?, ..edge });
        let mut edges: Vec<Edge> = edges.into_iter().map(edge).collect::<Option<_>>()?;
        edges.sort_unstable_by_key(|edge| (edge.from, edge.to, edge.kind, edge.line));
        let further =
            |line: FurtherLine| Some(FurtherLine { from: self.node(line.from)?, to: self.node(line.to)?, ..line });
        let mut further_lines: Vec<FurtherLine> = further_lines.into_iter().map(further).collect::<Option<_>>()?;
        further_lines.sort_unstable();
        let now = |file: FileIdx| self.files.get(file.0 as usize).copied().flatten();
        let mut consulted: Vec<FileIdx> = consulted.into_iter().map(now).collect::<Option<_>>()?;
        consulted.sort_unstable();
        Some(ResolvedFile { edges, further_lines, consulted, n_unresolved, unresolved_members })
    }
}

#[cfg(test)]
mod tests {
    use model::code::DefinitionId;

    use super::*;
    use crate::{Codebase, interface_hash, resolve, testing::with_codebase};

    fn interfaces(program: &Program<'_>) -> Vec<InterfaceHash> {
        program.file_indices().map(|file| interface_hash(program.facts(file))).collect()
    }

    /// Returns the files of a generation, and the names of the definitions of each.
    fn previous_files(codebase: &Codebase<'_>) -> (Vec<PreviousFile>, Vec<DefinitionNames>) {
        let program = codebase.program();
        let files = program.file_indices().zip(interfaces(program));
        let previous = |(file, interface): (FileIdx, InterfaceHash)| PreviousFile {
            path: program.path(file).to_owned(),
            interface,
            first_symbol: program.symbol(file, DefinitionId(0)).0,
            resolved: resolve(codebase, file),
        };
        let names = |file: FileIdx| {
            let definitions = program.facts(file).definitions.iter();
            definitions.map(|one| (one.container.clone(), one.name.clone(), one.kind as u8)).collect()
        };
        (files.map(previous).collect(), program.file_indices().map(names).collect())
    }

    /// Checks whether an unchanged file keeps its edges.
    #[track_caller]
    fn check_reused(path: &str, before: &str, after: &str, is_reused: bool) {
        let (previous, names) = with_codebase(before, previous_files);
        let previous: Vec<&PreviousFile> = previous.iter().collect();
        let found = with_codebase(after, |codebase| {
            let program = codebase.program();
            let file = program.file_at(path).expect("the fixture has it");
            let names_of = |index: usize| names[index].clone();
            Reuse::new(program, &interfaces(program), &previous, &names_of).reusable(file, true).is_some()
        });
        assert_eq!(found, is_reused, "{after}");
    }

    #[test]
    fn a_few_texts_have_no_others() {
        let texts = FewTexts::new(["run", "ran", ""].map(str::to_owned).into_iter());
        let has = ["run", "ran", "", "rxn", "runs", "r"].map(|text| texts.contains(text));
        assert_eq!(has, [true, true, true, false, false, false]);
        assert!(!FewTexts::default().contains(""));
    }

    #[test]
    fn a_file_that_mentions_an_added_name_is_resolved_again() {
        let user = "//- /user.py\nimport os\n\ndef run():\n    os.walk(build)\n";
        let other = |added: &str| format!("{user}//- /other.py\ndef first(): pass\n{added}");
        check_reused("user.py", &other(""), &other("def build(): pass\n"), false);
        check_reused("user.py", &other(""), &other("def built(): pass\n"), true);
    }

    #[test]
    fn a_definition_that_an_alias_waits_for_counts() {
        let crate_with = |alias: &str, inner: &str| {
            format!(
                "//- /Cargo.toml\n[package]\nname = \"a\"\n\
                 //- /src/inner.rs\npub fn other() {{}}\n{inner}\n\
                 //- /src/lib.rs\nmod inner;\nmod user;\n{alias}\n\
                 //- /src/user.rs\npub fn run() {{ crate::build(); }}\n"
            )
        };
        let check = |alias: &str, added: &str, is_reused: bool| {
            check_reused("src/user.rs", &crate_with(alias, ""), &crate_with(alias, added), is_reused);
        };
        check("pub use inner::make as build;", "pub fn make() {}", false);
        check("pub use inner::make as part;\npub use crate::part as build;", "pub fn make() {}", false);
        check("pub use inner::make as build;", "pub fn another() {}", true);
        check("pub use inner::make as part;", "pub fn make() {}", true);
    }
}
