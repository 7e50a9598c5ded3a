//! Rust: crates and modules, names in scopes and types, implementations and traits, methods in the order of the language,
//! and what the standard library hands through.
//!
//! References are transparent, as the code writes them. A parameter of an `impl` block is a type parameter of the first
//! member of the block with a number from `IMPL_BASE` on; a type that a trait leaves to its implementations is a parameter
//! of its own definition with the number `ASSOCIATED`.

mod bindings;
mod calls;
mod closures;
mod crates;
mod fields;
mod impls;
mod lookup;
mod manifests;
mod methods;
mod modules;
mod results;
mod scopes;
mod standard;
#[cfg(test)]
mod tests;
mod types;
mod values;

use std::sync::{OnceLock, RwLock};

use model::{
    Language,
    code::{ExpressionId, ScopeId, TypeId},
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    dialect::Dialect,
    infer::{Arguments, Inference, Member},
    names::Name,
    program::{FileIdx, Manifest, Program, SymbolIdx},
    resolve::Node,
    ty::{ModuleIdx, Ty},
};

use impls::Impls;
use lookup::Found;
use modules::{ModuleId, Modules};

/// From this number on a type parameter is one of an `impl` block.
const IMPL_BASE: u32 = 1 << 16;

/// The number of the parameter that an associated type of a trait is.
const ASSOCIATED: u32 = u32::MAX - 1;

/// How many times a value is dereferenced in search of a member.
const MAX_DEREFERENCES: usize = 8;

/// What is known of the modules and implementations of a program.
pub(crate) struct Rust {
    modules: Modules,
    /// What stands in `impl` blocks.
    extension_members: FxHashSet<SymbolIdx>,
    /// By scope: the block that it is.
    extension_of_scope: FxHashMap<(FileIdx, ScopeId), u32>,
    extension_of_member: FxHashMap<SymbolIdx, (FileIdx, u32)>,
    impls: OnceLock<Impls>,
    /// What names mean in modules, as far as it was asked for; the same whoever asks first.
    known_names: RwLock<FxHashMap<(ModuleId, Name), Found>>,
}

impl Rust {
    /// Lays out the modules of a program.
    pub(crate) fn lay_out(program: &Program<'_>, manifests: &[Manifest<'_>]) -> Rust {
        let mut rust = Rust {
            modules: Modules::lay_out(program, manifests),
            extension_members: modules::extension_members(program),
            extension_of_scope: FxHashMap::default(),
            extension_of_member: FxHashMap::default(),
            impls: OnceLock::new(),
            known_names: RwLock::default(),
        };
        for file in program.file_indices().filter(|file| program.language(*file) == Language::Rust) {
            for (index, extension) in program.code(file).extensions.iter().enumerate() {
                rust.extension_of_scope.insert((file, extension.scope), index as u32);
                for member in &extension.members {
                    rust.extension_of_member.insert(program.symbol(file, *member), (file, index as u32));
                }
            }
        }
        rust
    }
}

impl Dialect for Rust {
    fn attachments(&self, cx: &mut Inference<'_>) -> Vec<(SymbolIdx, SymbolIdx)> {
        let impls = Impls::of(self, cx);
        let attachments = impls.attachments(cx.program);
        // Asked once, so that it is not set yet.
        let _ = self.impls.set(impls);
        attachments
    }

    fn type_of(&self, cx: &mut Inference<'_>, file: FileIdx, expression: ExpressionId) -> Option<Ty> {
        self.value(cx, file, expression)
    }

    fn callee(&self, cx: &mut Inference<'_>, file: FileIdx, site: ExpressionId) -> Option<Ty> {
        Some(self.callee_of(cx, file, site)?.as_ty())
    }

    fn global(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name) -> Ty {
        let Some(module) = self.modules.by_file.get(&file) else { return Ty::Unknown };
        let found = self.in_module(cx.program, *module, name);
        self.value_of_found(cx, &found, None)
    }

    fn global_type(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name) -> Ty {
        let Some(module) = self.modules.by_file.get(&file) else { return Ty::Unknown };
        let found = self.in_module(cx.program, *module, name);
        let as_type = self.class_of_found(cx, &found);
        if as_type.is_unknown() { self.value_of_found(cx, &found, None) } else { as_type }
    }

    fn module_member(&self, cx: &mut Inference<'_>, module: ModuleIdx, name: Name) -> Ty {
        let found = self.in_module(cx.program, module.index, name);
        let as_type = self.class_of_found(cx, &found);
        if as_type.is_unknown() { self.value_of_found(cx, &found, None) } else { as_type }
    }

    fn builtin_member(&self, _cx: &mut Inference<'_>, _file: FileIdx, _of: &Ty, _name: Name) -> Member {
        Member::Unknown
    }

    fn choose(&self, _cx: &mut Inference<'_>, candidates: &[SymbolIdx], _arguments: &Arguments<'_>) -> Vec<SymbolIdx> {
        // The callee is chosen with its receiver already.
        candidates.to_vec()
    }

    fn calls_macros(&self) -> bool {
        false
    }

    fn awaited(&self, _cx: &mut Inference<'_>, of: Ty) -> Ty {
        of
    }

    fn this(&self, cx: &mut Inference<'_>, file: FileIdx, scope: ScopeId) -> Ty {
        self.own_type(cx, file, scope)
    }

    fn imported(&self, cx: &mut Inference<'_>, file: FileIdx, import: usize) -> Vec<Node> {
        let Some(module) = self.modules.by_file.get(&file) else { return Vec::new() };
        let found = self.import(cx.program, *module, (file, import as u32));
        let modules = found.module.map(|module| &self.modules.all[module as usize]);
        let files = modules.filter(|module| module.definition.is_none()).map(|module| Node::File(module.file));
        files.into_iter().chain(found.symbols.into_iter().map(Node::Symbol)).collect()
    }

    fn written(&self, cx: &mut Inference<'_>, file: FileIdx, written: TypeId) -> Option<Ty> {
        self.type_written(cx, file, written)
    }
}
