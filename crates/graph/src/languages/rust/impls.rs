//! `impl` blocks by the type that they extend.

use model::{Language, code::TypeId};
use rustc_hash::FxHashMap;

use super::RustDialect;
use crate::{
    infer::Inference,
    names::Name,
    program::{FileIdx, Program, SymbolIdx},
    ty::Ty,
};

/// Maximum number of blanket implementations that provide a member of one name.
const MAX_BLANKETS: usize = 16;

/// An `impl` block.
pub(super) struct Impl {
    pub(super) file: FileIdx,
    of: TypeId,
    implements: Option<TypeId>,
    /// The implemented trait: a definition of the repository, or the name of an external one.
    own_trait: Option<SymbolIdx>,
    foreign_trait: Option<String>,
    /// The extended type, if it is a definition of the repository.
    owner: Option<SymbolIdx>,
    members: FxHashMap<Name, Vec<SymbolIdx>>,
    /// Functions without a definition, since their text belongs to a macro.
    generated: Box<[Name]>,
}

impl Impl {
    /// Returns the members of a name.
    pub(super) fn members(&self, name: Name) -> &[SymbolIdx] {
        self.members.get(&name).map_or(&[], Vec::as_slice)
    }

    /// Returns true if the block has a function of a name without a definition.
    pub(super) fn generates(&self, name: Name) -> bool {
        self.generated.contains(&name)
    }

    /// Returns the extended type, in terms of the parameters of the block.
    pub(super) fn of(&self, cx: &mut Inference<'_>) -> Ty {
        cx.written_type(self.file, self.of)
    }

    /// Returns the implemented trait, as an object.
    pub(super) fn implements(&self, cx: &mut Inference<'_>) -> Option<Ty> {
        Some(cx.written_type(self.file, self.implements?))
    }

    /// Returns true for an inherent implementation.
    pub(super) fn is_own(&self) -> bool {
        self.implements.is_none()
    }

    /// Returns the implemented trait, if it is a definition of the repository.
    pub(super) fn own_trait(&self) -> Option<SymbolIdx> {
        self.own_trait
    }

    /// Returns true if the block implements an external trait of this name.
    pub(super) fn implements_foreign(&self, name: &str) -> bool {
        self.foreign_trait.as_deref() == Some(name)
    }
}

/// All `impl` blocks of a program.
#[derive(Default)]
pub(super) struct Impls {
    all: Vec<Impl>,
    by_symbol: FxHashMap<SymbolIdx, Vec<u32>>,
    by_foreign: FxHashMap<String, Vec<u32>>,
    /// Blanket implementations (`impl<T: A> B for T`) by member name.
    blanket: FxHashMap<Name, Vec<u32>>,
    by_member: FxHashMap<SymbolIdx, u32>,
}

impl Impls {
    /// Builds the index of the `impl` blocks of a program.
    pub(super) fn of(rust: &RustDialect, cx: &mut Inference<'_>) -> Impls {
        let program = cx.program;
        let mut impls = Impls::default();
        let mut blanket: Vec<u32> = Vec::new();
        for file in program.file_indices().filter(|file| program.language(*file) == Language::Rust) {
            for extension in &program.code(file).extensions {
                let of = cx.written_type(file, extension.of);
                let implements = extension.implements.map(|of| cx.written_type(file, of));
                let index = impls.all.len() as u32;
                match &of {
                    Ty::Object(applied) => impls.by_symbol.entry(applied.of).or_default().push(index),
                    Ty::Parameter { .. } => blanket.push(index),
                    other => {
                        if let Some(key) = key(program, other) {
                            impls.by_foreign.entry(key.to_owned()).or_default().push(index);
                        }
                    }
                }
                let mut members: FxHashMap<Name, Vec<SymbolIdx>> = FxHashMap::default();
                for member in &extension.members {
                    let member = program.symbol(file, *member);
                    members.entry(program.name_of(member)).or_default().push(member);
                    impls.by_member.insert(member, index);
                }
                impls.all.push(Impl {
                    file,
                    of: extension.of,
                    implements: extension.implements,
                    own_trait: implements.as_ref().and_then(type_symbol),
                    foreign_trait: implements.and_then(|of| Some(key(program, &of)?.to_owned())),
                    owner: type_symbol(&of),
                    members,
                    generated: extension.generated.iter().map(|name| program.name(file, *name)).collect(),
                });
            }
        }
        debug_assert!(rust.impls.get().is_none());
        impls.index_blankets(program, &blanket);
        impls
    }

    /// Indexes the blanket implementations by the members that they provide: their own and those of their trait.
    fn index_blankets(&mut self, program: &Program<'_>, blanket: &[u32]) {
        let mut by_trait: FxHashMap<SymbolIdx, Vec<u32>> = FxHashMap::default();
        for index in blanket {
            let one = &self.all[*index as usize];
            for name in one.members.keys() {
                self.blanket.entry(*name).or_default().push(*index);
            }
            if let Some(actual) = one.own_trait {
                by_trait.entry(actual).or_default().push(*index);
            }
        }
        let mut files: Vec<FileIdx> = by_trait.keys().map(|actual| program.file_of(*actual)).collect();
        files.sort_unstable();
        files.dedup();
        for symbol in files.into_iter().flat_map(|file| program.symbols_of(file)) {
            let actual = program.parent(symbol).and_then(|parent| by_trait.get(&parent));
            for index in actual.into_iter().flatten() {
                let of_name = self.blanket.entry(program.name_of(symbol)).or_default();
                if !of_name.contains(index) && of_name.len() < MAX_BLANKETS {
                    of_name.push(*index);
                }
            }
        }
        // Source order, independent of the order of discovery.
        self.blanket.values_mut().for_each(|indices| {
            indices.sort_unstable();
            indices.truncate(MAX_BLANKETS);
        });
    }

    /// Returns each member of an `impl` block with the type that it belongs to.
    pub(super) fn attachments(&self, program: &Program<'_>) -> Vec<(SymbolIdx, SymbolIdx)> {
        let mut members: Vec<(SymbolIdx, u32)> = self.by_member.iter().map(|(of, index)| (*of, *index)).collect();
        members.sort_unstable();
        let owned = members.into_iter().filter_map(|(member, index)| Some((self.all[index as usize].owner?, member)));
        owned.filter(|(owner, member)| program.parent(*member) != Some(*owner)).collect()
    }

    /// Returns the `impl` block of a member.
    pub(super) fn impl_of_member(&self, member: SymbolIdx) -> Option<&Impl> {
        self.by_member.get(&member).map(|index| &self.all[*index as usize])
    }

    /// Returns the `impl` blocks of a type, without blanket implementations.
    pub(super) fn of_type<'i>(&'i self, cx: &Inference<'_>, of: &Ty) -> impl Iterator<Item = &'i Impl> + use<'i> {
        let indices = match of {
            Ty::Object(applied) => self.by_symbol.get(&applied.of),
            other => key(cx.program, other).and_then(|key| self.by_foreign.get(key)),
        };
        indices.map_or(&[][..], Vec::as_slice).iter().map(|index| &self.all[*index as usize])
    }

    /// Returns the blanket implementations that provide a member.
    pub(super) fn blanket(&self, name: Name) -> impl Iterator<Item = &Impl> {
        self.blanket.get(&name).map_or(&[][..], Vec::as_slice).iter().map(|index| &self.all[*index as usize])
    }
}

fn type_symbol(of: &Ty) -> Option<SymbolIdx> {
    match of {
        Ty::Object(applied) => Some(applied.of),
        _ => None,
    }
}

/// Returns the index key of a type that is not a definition of the repository.
fn key<'p>(program: &Program<'p>, of: &Ty) -> Option<&'p str> {
    match of {
        Ty::Builtin { name, .. } => Some(name),
        Ty::Foreign(name) => Some(program.text(*name)),
        _ => None,
    }
}
