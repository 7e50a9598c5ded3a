//! The definitions of all files of a repository, by number, by name and by owner.
//!
//! A program is plain data. It reads every definition once and resolves nothing: the dialects know the meaning of names.

mod grouped_symbols;
mod owners;

use std::sync::OnceLock;

use model::{
    Code, Definition, FileFacts, Language,
    code::{DefinitionId, NameId, ScopeId, Shape},
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::family::Family;
use crate::names::{FileNames, Name, NameInterner, NameNumbers, NumberedNames};
use crate::paths::{folder, join};
use grouped_symbols::{GroupedSymbols, NamedSymbols};
use owners::OwnersInFile;

/// The number of a file in its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileIdx(pub u32);

/// The number of a definition in its program: those of the first file come first, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolIdx(pub u32);

/// A definition or a file: one end of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    /// A definition.
    Symbol(SymbolIdx),
    /// A file as a whole.
    File(FileIdx),
}

/// A file and the facts of its text: the input of a program.
#[derive(Debug, Clone, Copy)]
pub struct SourceFile<'a> {
    /// The path in the repository, with `/` between its parts.
    pub path: &'a str,
    /// The facts of its text.
    pub facts: &'a FileFacts,
}

/// The files and definitions of a repository, or of several side by side.
pub struct Program<'a> {
    /// Folders of the repositories, each with `/` behind it; empty if the files are those of a single repository.
    roots: Vec<&'a str>,
    pub(crate) files: Vec<ProgramFile<'a>>,
    pub(crate) names: NameInterner<'a>,
    /// By symbol: its file.
    file_of: Vec<FileIdx>,
    by_name: NamedSymbols,
    /// By file: its top-level definitions.
    top: GroupedSymbols,
    by_path: FxHashMap<&'a str, FileIdx>,
    code_packages: FxHashSet<&'a str>,
    /// By definition: those that it contains.
    own_members: GroupedSymbols,
    /// The members of types that others are attached to: their own ones, then the others.
    attached_members: FxHashMap<(SymbolIdx, Name), Vec<SymbolIdx>>,
    /// By member that is defined outside of its type: the type.
    owners: FxHashMap<SymbolIdx, SymbolIdx>,
    /// By type: the other files that define members of it, in order.
    member_files: FxHashMap<SymbolIdx, Vec<FileIdx>>,
    /// See [`Program::uses_rpcs`].
    uses_rpcs: OnceLock<bool>,
    /// See [`Program::settings_files`].
    settings_files: OnceLock<Vec<FileIdx>>,
    /// By name of definitions that can be accessed: a file of their repository; `None` if they are in several.
    accessible: OnceLock<FxHashMap<Name, Option<FileIdx>>>,
}

/// A file of a program.
pub(crate) struct ProgramFile<'a> {
    pub(crate) path: &'a str,
    /// The folder of its repository; see [`Program::root_of`].
    root: &'a str,
    pub(crate) facts: &'a FileFacts,
    first_symbol: u32,
    /// By name number of the file: the number in the program.
    names: Vec<Name>,
    definition_names: Vec<Name>,
    bindings: OnceLock<FxHashMap<(ScopeId, Name), Vec<u32>>>,
}

impl<'a> Program<'a> {
    /// Numbers the definitions of files. Files are numbered in the given order. `roots` are the folders of the repositories;
    /// none for a single repository.
    pub(crate) fn new(roots: Vec<&'a str>, sources: impl IntoIterator<Item = SourceFile<'a>>) -> Program<'a> {
        let mut builder = ProgramBuilder::new(roots, NameInterner::default());
        for source in sources {
            let names = builder.program.names.intern_file(source.facts);
            builder.add(source, names);
        }
        builder.finish()
    }

    /// Numbers the definitions of files of a single repository, whose names have numbers. The program is that of [`Program::new`].
    pub(crate) fn numbered<'n>(
        numbers: &'a NameNumbers,
        sources: impl IntoIterator<Item = (SourceFile<'a>, &'n NumberedNames)>,
    ) -> Program<'a> {
        let mut builder = ProgramBuilder::new(Vec::new(), NameInterner::numbered(numbers));
        for (source, names) in sources {
            let names = builder.program.names.intern_numbered(names);
            builder.add(source, names);
        }
        builder.finish()
    }

    /// Adds members that are defined outside of their types, each as `(type, member)`.
    pub(crate) fn attach(&mut self, attachments: &[(SymbolIdx, SymbolIdx)]) {
        for (owner, member) in attachments {
            let name = self.name_of(*member);
            let own = self.own_members.get(owner.0, name);
            let members = self.attached_members.entry((*owner, name)).or_insert_with(|| own.to_vec());
            if !members.contains(member) {
                members.push(*member);
            }
            self.owners.insert(*member, *owner);
            let home = self.file_of(*member);
            if home != self.file_of(*owner) {
                self.member_files.entry(*owner).or_default().push(home);
            }
        }
        for files in self.member_files.values_mut() {
            files.sort_unstable();
            files.dedup();
        }
    }

    /// Returns the number of files.
    pub fn n_files(&self) -> usize {
        self.files.len()
    }

    /// Returns the number of definitions.
    pub fn n_symbols(&self) -> usize {
        self.file_of.len()
    }

    /// Returns every file.
    pub fn file_indices(&self) -> impl Iterator<Item = FileIdx> + use<> {
        (0..self.files.len() as u32).map(FileIdx)
    }

    /// Returns the path of a file.
    pub fn path(&self, file: FileIdx) -> &'a str {
        self.files[file.0 as usize].path
    }

    /// Returns the facts of a file.
    pub fn facts(&self, file: FileIdx) -> &'a FileFacts {
        self.files[file.0 as usize].facts
    }

    /// Returns the code of a file.
    pub fn code(&self, file: FileIdx) -> &'a Code {
        &self.files[file.0 as usize].facts.code
    }

    /// Returns the language of a file.
    pub fn language(&self, file: FileIdx) -> Language {
        self.files[file.0 as usize].facts.language
    }

    /// Returns the folder of the repository that a path is in, with `/` behind it; empty for a single repository.
    pub(crate) fn root_of(&self, path: &str) -> &'a str {
        let is_within = |root: &&&str| {
            let rest = path.strip_prefix(root.trim_end_matches('/'));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.roots.iter().find(is_within).copied().unwrap_or_default()
    }

    /// Returns the folder of the repository that a file is in; see [`Program::root_of`].
    pub(crate) fn root_of_file(&self, file: FileIdx) -> &'a str {
        self.files[file.0 as usize].root
    }

    /// Returns the path that is written relative to a file; `None` if it is outside of the repository of the file.
    pub(crate) fn relative_path(&self, from: FileIdx, relative: &str) -> Option<String> {
        let path = join(folder(self.path(from)), relative)?;
        path.starts_with(self.root_of_file(from)).then_some(path)
    }

    /// Returns true if another repository than the one in a folder has a definition of a name that `is_accessible`; any repository if there
    /// is only one. The function must be the same at each call.
    pub(crate) fn is_accessible_outside(
        &self,
        root: &str,
        name: Name,
        is_accessible: impl Fn(&Program<'_>, SymbolIdx) -> bool,
    ) -> bool {
        let by_name = self.accessible.get_or_init(|| {
            let mut by_name: FxHashMap<Name, Option<FileIdx>> = FxHashMap::default();
            let symbols = self.file_indices().flat_map(|file| self.symbols_of(file));
            for symbol in symbols.filter(|symbol| is_accessible(self, *symbol)) {
                let file = self.file_of(symbol);
                let known = by_name.entry(self.name_of(symbol)).or_insert(Some(file));
                *known = known.filter(|known| self.root_of_file(*known) == self.root_of_file(file));
            }
            by_name
        });
        let is_outside = |file: FileIdx| root.is_empty() || self.root_of_file(file) != root;
        by_name.get(&name).is_some_and(|only| only.is_none_or(is_outside))
    }

    /// Returns the file at a path.
    pub fn file_at(&self, path: &str) -> Option<FileIdx> {
        self.by_path.get(path).copied()
    }

    /// Returns true if any file declares a package of this name.
    pub fn has_package(&self, name: &str) -> bool {
        self.code_packages.contains(name)
    }

    /// Returns true if any file is `of_rpcs`. The first caller decides for all, since the question costs a look at every file.
    pub fn uses_rpcs(&self, of_rpcs: impl Fn(FileIdx) -> bool) -> bool {
        *self.uses_rpcs.get_or_init(|| self.file_indices().any(of_rpcs))
    }

    /// Returns the files whose paths are `of_settings`, in order. The first caller decides for all, since the question costs a look at every
    /// file.
    pub fn settings_files(&self, of_settings: impl Fn(&str) -> bool) -> &[FileIdx] {
        self.settings_files.get_or_init(|| self.file_indices().filter(|file| of_settings(self.path(*file))).collect())
    }

    /// Returns the file of a definition.
    pub fn file_of(&self, symbol: SymbolIdx) -> FileIdx {
        self.file_of[symbol.0 as usize]
    }

    /// Returns a definition.
    pub fn definition(&self, symbol: SymbolIdx) -> &'a Definition {
        let file = &self.files[self.file_of(symbol).0 as usize];
        &file.facts.definitions[(symbol.0 - file.first_symbol) as usize]
    }

    /// Returns the shape of a definition: parameters, bases, declared types. It is empty for a language whose shapes are not
    /// extracted.
    pub fn shape(&self, symbol: SymbolIdx) -> &'a Shape {
        let file = &self.files[self.file_of(symbol).0 as usize];
        let shape = file.facts.code.shapes.get((symbol.0 - file.first_symbol) as usize);
        shape.unwrap_or_else(|| empty_shape())
    }

    /// Returns the shape of a definition as far as edges depend on it: that of a language without type inference is empty.
    pub(crate) fn typed_shape(&self, symbol: SymbolIdx) -> &'a Shape {
        let has_inference = Family::of(self.language(self.file_of(symbol))).has_inference();
        if has_inference { self.shape(symbol) } else { empty_shape() }
    }

    /// Returns the number in the program of a definition of a file.
    pub fn symbol(&self, file: FileIdx, definition: DefinitionId) -> SymbolIdx {
        SymbolIdx(self.files[file.0 as usize].first_symbol + definition.0)
    }

    /// Returns the number of a definition in its file.
    pub fn definition_id(&self, symbol: SymbolIdx) -> DefinitionId {
        DefinitionId(symbol.0 - self.files[self.file_of(symbol).0 as usize].first_symbol)
    }

    /// Returns the definitions of a file.
    pub fn symbols_of(&self, file: FileIdx) -> impl Iterator<Item = SymbolIdx> + use<> {
        let file = &self.files[file.0 as usize];
        (file.first_symbol..file.first_symbol + file.facts.definitions.len() as u32).map(SymbolIdx)
    }

    /// Returns the definition around another, or the type that it is a member of.
    pub fn parent(&self, symbol: SymbolIdx) -> Option<SymbolIdx> {
        self.owners.get(&symbol).copied().or_else(|| {
            let parent = self.definition(symbol).parent?;
            Some(self.symbol(self.file_of(symbol), DefinitionId(parent)))
        })
    }

    /// Returns the name of a definition.
    pub fn name_of(&self, symbol: SymbolIdx) -> Name {
        let file = &self.files[self.file_of(symbol).0 as usize];
        file.definition_names[(symbol.0 - file.first_symbol) as usize]
    }

    /// Returns the number in the program of a name of a file.
    pub fn name(&self, file: FileIdx, name: NameId) -> Name {
        self.files[file.0 as usize].names.get(name.index()).copied().unwrap_or(Name::NONE)
    }

    /// Returns the numbers in the program of all names in the code of a file.
    pub(crate) fn names_of(&self, file: FileIdx) -> &[Name] {
        &self.files[file.0 as usize].names
    }

    /// Returns the number of a name, if any file has it.
    pub fn name_named(&self, text: &str) -> Option<Name> {
        self.names.find(text)
    }

    /// Returns the text of a name.
    pub fn text(&self, name: Name) -> &'a str {
        self.names.text(name)
    }

    /// Returns every definition of a name.
    pub fn named(&self, name: Name) -> &[SymbolIdx] {
        self.by_name.get(name)
    }

    /// Returns the top-level definitions of a name in a file.
    pub fn top(&self, file: FileIdx, name: Name) -> &[SymbolIdx] {
        self.top.get(file.0, name)
    }

    /// Returns the definitions of a name that are direct children of another definition, or attached to it from elsewhere.
    pub fn members(&self, owner: SymbolIdx, name: Name) -> &[SymbolIdx] {
        let attached = self.attached_members.get(&(owner, name));
        attached.map_or_else(|| self.own_members.get(owner.0, name), Vec::as_slice)
    }

    /// Returns the files, other than its own, that define members of a type, in order.
    pub fn member_files(&self, owner: SymbolIdx) -> &[FileIdx] {
        self.member_files.get(&owner).map_or(&[], Vec::as_slice)
    }

    /// Returns the bindings of a name in one scope of a file, in the order of the text.
    pub(crate) fn bindings(&self, file: FileIdx, scope: ScopeId, name: Name) -> &[u32] {
        let file = &self.files[file.0 as usize];
        let by_scope = file.bindings.get_or_init(|| {
            let mut by_scope: FxHashMap<(ScopeId, Name), Vec<u32>> = FxHashMap::default();
            for (index, binding) in file.facts.code.bindings.iter().enumerate() {
                let name = file.names.get(binding.name.index()).copied().unwrap_or(Name::NONE);
                by_scope.entry((binding.scope, name)).or_default().push(index as u32);
            }
            by_scope
        });
        by_scope.get(&(scope, name)).map_or(&[], Vec::as_slice)
    }
}

/// Lays out a program file by file.
struct ProgramBuilder<'a> {
    program: Program<'a>,
    /// File, name and number of each top-level definition, sorted by file and name.
    top: Vec<(u32, Name, SymbolIdx)>,
    /// Owner, name and number of each member, sorted by owner and name.
    members: Vec<(u32, Name, SymbolIdx)>,
}

impl<'a> ProgramBuilder<'a> {
    fn new(roots: Vec<&'a str>, names: NameInterner<'a>) -> ProgramBuilder<'a> {
        let program = Program {
            roots,
            files: Vec::new(),
            names,
            file_of: Vec::new(),
            by_name: NamedSymbols::default(),
            top: GroupedSymbols::default(),
            by_path: FxHashMap::default(),
            code_packages: FxHashSet::default(),
            own_members: GroupedSymbols::default(),
            attached_members: FxHashMap::default(),
            owners: FxHashMap::default(),
            member_files: FxHashMap::default(),
            uses_rpcs: OnceLock::new(),
            settings_files: OnceLock::new(),
            accessible: OnceLock::new(),
        };
        ProgramBuilder { program, top: Vec::new(), members: Vec::new() }
    }

    fn add(&mut self, source: SourceFile<'a>, names: FileNames) {
        let ProgramBuilder { program, top, members } = self;
        let file_idx = FileIdx(program.files.len() as u32);
        let first_symbol = program.file_of.len() as u32;
        let SourceFile { path, facts } = source;
        let FileNames { code: names, definitions: definition_names } = names;
        let owners = OwnersInFile::new(facts);
        let (n_top, n_members) = (top.len(), members.len());
        for ((index, definition), name) in facts.definitions.iter().enumerate().zip(&definition_names) {
            let symbol = SymbolIdx(first_symbol + index as u32);
            program.file_of.push(file_idx);
            match owners.of(index) {
                Some(owner) => {
                    members.push((first_symbol + owner, *name, symbol));
                    if definition.parent != Some(owner) {
                        program.owners.insert(symbol, SymbolIdx(first_symbol + owner));
                    }
                }
                None => top.push((file_idx.0, *name, symbol)),
            }
        }
        // The owners of a file follow those of the files before.
        top[n_top..].sort_unstable();
        members[n_members..].sort_unstable();
        program.by_path.insert(path, file_idx);
        // Packages of other languages do not make an import of Java internal.
        if Family::of(facts.language).has_inference() || facts.language == Language::Protobuf {
            program.code_packages.insert(&facts.code.package);
        }
        let (root, bindings) = (program.root_of(path), OnceLock::new());
        program.files.push(ProgramFile { path, root, facts, first_symbol, names, definition_names, bindings });
    }

    fn finish(self) -> Program<'a> {
        let ProgramBuilder { program, top, members } = self;
        let names = program.files.iter().flat_map(|file| file.definition_names.iter().copied());
        Program {
            by_name: NamedSymbols::new(program.names.n_names(), names),
            top: GroupedSymbols::new(program.files.len(), &top),
            own_members: GroupedSymbols::new(program.file_of.len(), &members),
            ..program
        }
    }
}

fn empty_shape() -> &'static Shape {
    static EMPTY: OnceLock<Shape> = OnceLock::new();
    EMPTY.get_or_init(Shape::default)
}
