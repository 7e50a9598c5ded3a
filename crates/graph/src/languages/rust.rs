//! Rust dialect: crates and modules, name resolution, implementations and traits, method lookup by autoderef, and
//! standard library types that pass types through.
//!
//! References are transparent. A parameter of an `impl` block is a type parameter of the first member of the block,
//! with an index from `IMPL_BASE` on. An associated type of a trait is a parameter of its own definition with the index
//! `ASSOCIATED`.

mod calls;
mod closures;
mod crates;
mod fields;
mod impls;
mod lookup;
mod manifests;
mod methods;
mod modules;
mod numbers;
mod resolution;
mod results;
mod scopes;
mod standard_library;
#[cfg(test)]
mod tests;
mod type_bindings;
mod types;
mod values;

use std::sync::{OnceLock, RwLock};

use model::{
    Language,
    code::{ExpressionId, ScopeId, Site, TypeId},
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    edge::Resolution,
    infer::{CallArguments, Dialect, Inference, ResolvedMember},
    manifest::ManifestFile,
    names::Name,
    program::{FileIdx, Node, Program, SymbolIdx},
    ty::{ModuleIdx, Ty},
};

use impls::Impls;
use lookup::ItemSet;
use modules::{ModuleId, ModuleTree};

/// First index of the type parameters of `impl` blocks.
const IMPL_BASE: u32 = 1 << 16;

/// First index of the type parameters of `impl` blocks without members. They belong to the first definition of the file.
const EMPTY_IMPL_BASE: u32 = 1 << 24;

/// Maximum number of type parameters of such a block.
const MAX_EMPTY_IMPL_PARAMETERS: u32 = 64;

/// Index of the parameter that represents an associated type.
const ASSOCIATED: u32 = u32::MAX - 1;

/// Maximum number of dereferences in a member lookup.
const MAX_DEREFERENCES: usize = 8;

/// The Rust dialect of one program.
pub(crate) struct RustDialect {
    modules: ModuleTree,
    /// Members of all `impl` blocks.
    extension_members: FxHashSet<SymbolIdx>,
    /// The `impl` block of each scope, as an index into `Code::extensions`.
    extension_of_scope: FxHashMap<(FileIdx, ScopeId), u32>,
    extension_of_member: FxHashMap<SymbolIdx, (FileIdx, u32)>,
    impls: OnceLock<Impls>,
    /// Cache of names resolved in modules. Entries do not depend on the order of lookups.
    resolved_names: RwLock<FxHashMap<(ModuleId, Name), ItemSet>>,
}

impl RustDialect {
    /// Builds the module tree of a program.
    pub(crate) fn lay_out(program: &Program<'_>, manifests: &[ManifestFile<'_>]) -> RustDialect {
        let mut rust = RustDialect {
            modules: ModuleTree::lay_out(program, manifests),
            extension_members: modules::extension_members(program),
            extension_of_scope: FxHashMap::default(),
            extension_of_member: FxHashMap::default(),
            impls: OnceLock::new(),
            resolved_names: RwLock::default(),
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

impl Dialect for RustDialect {
    fn attachments(&self, cx: &mut Inference<'_>) -> Vec<(SymbolIdx, SymbolIdx)> {
        let impls = Impls::of(self, cx);
        let attachments = impls.attachments(cx.program);
        // Called once, so the cell is still empty.
        let _ = self.impls.set(impls);
        attachments
    }

    fn type_of(&self, cx: &mut Inference<'_>, file: FileIdx, expression: ExpressionId) -> Option<Ty> {
        self.expression_type(cx, file, expression)
    }

    fn callee(&self, cx: &mut Inference<'_>, file: FileIdx, site: ExpressionId) -> Option<Ty> {
        Some(self.resolve_callee(cx, file, site)?.as_ty())
    }

    fn global(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name) -> Ty {
        let Some(module) = self.modules.by_file.get(&file) else { return Ty::Unknown };
        let found = self.resolve_in_module(cx.program, *module, name);
        self.value_of_items(cx, &found, None)
    }

    fn global_type(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name) -> Ty {
        let Some(module) = self.modules.by_file.get(&file) else { return Ty::Unknown };
        let found = self.resolve_in_module(cx.program, *module, name);
        let as_type = self.class_of_items(cx, &found);
        if as_type.is_unknown() { self.value_of_items(cx, &found, None) } else { as_type }
    }

    fn module_member(&self, cx: &mut Inference<'_>, module: ModuleIdx, name: Name) -> Ty {
        let found = self.resolve_in_module(cx.program, module.index, name);
        let as_type = self.class_of_items(cx, &found);
        if as_type.is_unknown() { self.value_of_items(cx, &found, None) } else { as_type }
    }

    fn builtin_member(&self, _cx: &mut Inference<'_>, _file: FileIdx, _of: &Ty, _name: Name) -> ResolvedMember {
        ResolvedMember::Unknown
    }

    fn choose(
        &self,
        _cx: &mut Inference<'_>,
        candidates: &[SymbolIdx],
        _arguments: &CallArguments<'_>,
    ) -> Vec<SymbolIdx> {
        // The callee was selected together with its receiver.
        candidates.to_vec()
    }

    fn calls_macros(&self) -> bool {
        false
    }

    fn revise_targets(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        site: &Site,
        found: &mut Vec<(SymbolIdx, Resolution)>,
    ) {
        found.retain(|(to, _)| self.may_be_in_scope(cx.program, file, *to));
        self.retain_written(cx, file, site.expression, found);
    }

    fn awaited_type(&self, cx: &mut Inference<'_>, of: Ty) -> Ty {
        // The type of a future is that of its output.
        match of {
            Ty::Builtin { name: "Poll", arguments } => arguments.first().cloned().unwrap_or(Ty::Unknown),
            Ty::Parameter { .. } => self.output_of(cx, &of).unwrap_or(of),
            output => output,
        }
    }

    fn this(&self, cx: &mut Inference<'_>, file: FileIdx, scope: ScopeId) -> Ty {
        self.self_type(cx, file, scope)
    }

    fn import_targets(&self, cx: &mut Inference<'_>, file: FileIdx, import: usize) -> Vec<Node> {
        let Some(module) = self.modules.by_file.get(&file) else { return Vec::new() };
        let found = self.resolve_import(cx.program, *module, (file, import as u32));
        let module = found.module.map(|module| &self.modules.all[module as usize]);
        let module = module.map(|module| module.definition.map_or(Node::File(module.file), Node::Symbol));
        let symbols = found.symbols.into_iter().map(Node::Symbol).filter(|symbol| Some(*symbol) != module);
        module.into_iter().chain(symbols).collect()
    }

    fn written_type(&self, cx: &mut Inference<'_>, file: FileIdx, written: TypeId) -> Option<Ty> {
        self.resolve_written_type(cx, file, written)
    }
}
