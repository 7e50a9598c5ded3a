//! Implementations: which blocks give which types their members.

use model::{Language, code::TypeId};
use rustc_hash::FxHashMap;

use super::Rust;
use crate::{
    infer::Inference,
    names::Name,
    program::{FileIdx, Program, SymbolIdx},
    ty::Ty,
};

/// The most blocks for whatever fulfils bounds that give a member of one name.
const MAX_BLANKETS: usize = 16;

/// An `impl` block.
pub(super) struct Impl {
    pub(super) file: FileIdx,
    of: TypeId,
    implements: Option<TypeId>,
    /// What it implements: a trait of the repository, or the name of another.
    own_trait: Option<SymbolIdx>,
    foreign_trait: Option<String>,
    /// The type that it is for, if that is one of the repository.
    owner: Option<SymbolIdx>,
    members: FxHashMap<Name, Vec<SymbolIdx>>,
}

impl Impl {
    pub(super) fn members(&self, name: Name) -> &[SymbolIdx] {
        self.members.get(&name).map_or(&[], Vec::as_slice)
    }

    /// Returns the type it is for, in terms of the parameters of the block.
    pub(super) fn of(&self, cx: &mut Inference<'_>) -> Ty {
        cx.written(self.file, self.of)
    }

    /// Returns the trait that it implements, as an object.
    pub(super) fn implements(&self, cx: &mut Inference<'_>) -> Option<Ty> {
        Some(cx.written(self.file, self.implements?))
    }

    /// Says whether it gives a type members of its own, and not of a trait.
    pub(super) fn is_own(&self) -> bool {
        self.implements.is_none()
    }

    /// Returns the trait that it implements, if that is one of the repository.
    pub(super) fn own_trait(&self) -> Option<SymbolIdx> {
        self.own_trait
    }

    /// Says whether it implements a trait of another repository of this name.
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
    /// By the name of a member: those for whatever fulfils bounds (`impl<T: A> B for T`).
    blanket: FxHashMap<Name, Vec<u32>>,
    by_member: FxHashMap<SymbolIdx, u32>,
}

impl Impls {
    /// Lays out the implementations of a program.
    pub(super) fn of(rust: &Rust, cx: &mut Inference<'_>) -> Impls {
        let program = cx.program;
        let mut impls = Impls::default();
        let mut blanket: Vec<u32> = Vec::new();
        for file in program.file_indices().filter(|file| program.language(*file) == Language::Rust) {
            for extension in &program.code(file).extensions {
                let of = cx.written(file, extension.of);
                let implements = extension.implements.map(|of| cx.written(file, of));
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
                });
            }
        }
        debug_assert!(rust.impls.get().is_none());
        impls.lay_out_blankets(program, &blanket);
        impls
    }

    /// Sorts the blocks for whatever fulfils bounds by what they give: their members, and those of their trait.
    fn lay_out_blankets(&mut self, program: &Program<'_>, blanket: &[u32]) {
        let mut by_trait: FxHashMap<SymbolIdx, Vec<u32>> = FxHashMap::default();
        for index in blanket {
            let one = &self.all[*index as usize];
            for name in one.members.keys() {
                self.blanket.entry(*name).or_default().push(*index);
            }
            if let Some(given) = one.own_trait {
                by_trait.entry(given).or_default().push(*index);
            }
        }
        let mut files: Vec<FileIdx> = by_trait.keys().map(|given| program.file_of(*given)).collect();
        files.sort_unstable();
        files.dedup();
        for symbol in files.into_iter().flat_map(|file| program.symbols_of(file)) {
            let given = program.parent(symbol).and_then(|parent| by_trait.get(&parent));
            for index in given.into_iter().flatten() {
                let of_name = self.blanket.entry(program.name_of(symbol)).or_default();
                if !of_name.contains(index) && of_name.len() < MAX_BLANKETS {
                    of_name.push(*index);
                }
            }
        }
        // In the order of the text, whichever way they were found.
        self.blanket.values_mut().for_each(|indices| {
            indices.sort_unstable();
            indices.truncate(MAX_BLANKETS);
        });
    }

    /// Returns the members of each type that stand in blocks.
    pub(super) fn attachments(&self, program: &Program<'_>) -> Vec<(SymbolIdx, SymbolIdx)> {
        let mut members: Vec<(SymbolIdx, u32)> = self.by_member.iter().map(|(of, index)| (*of, *index)).collect();
        members.sort_unstable();
        let owned = members.into_iter().filter_map(|(member, index)| Some((self.all[index as usize].owner?, member)));
        owned.filter(|(owner, member)| program.parent(*member) != Some(*owner)).collect()
    }

    /// Returns the block that a member stands in.
    pub(super) fn around(&self, member: SymbolIdx) -> Option<&Impl> {
        self.by_member.get(&member).map(|index| &self.all[*index as usize])
    }

    /// Returns the blocks for a type, but for those that are for whatever fulfils bounds.
    pub(super) fn of_type<'i>(&'i self, cx: &Inference<'_>, of: &Ty) -> impl Iterator<Item = &'i Impl> + use<'i> {
        let indices = match of {
            Ty::Object(applied) => self.by_symbol.get(&applied.of),
            other => key(cx.program, other).and_then(|key| self.by_foreign.get(key)),
        };
        indices.map_or(&[][..], Vec::as_slice).iter().map(|index| &self.all[*index as usize])
    }

    /// Returns the blocks that give a member to whatever fulfils their bounds.
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

/// Returns what a type that is not of the repository is found by.
fn key<'p>(program: &Program<'p>, of: &Ty) -> Option<&'p str> {
    match of {
        Ty::Builtin { name, .. } => Some(name),
        Ty::Foreign(name) => Some(program.text(*name)),
        _ => None,
    }
}
