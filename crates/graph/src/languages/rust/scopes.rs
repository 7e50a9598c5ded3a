//! What a name or path means at a place: bindings, parameters, items of functions, then the module.

use model::{
    SymbolKind,
    code::{Expression, ExpressionId, ScopeId},
};

use super::{IMPL_BASE, Rust, lookup::Found, methods::Method, modules::ModuleId, standard};
use crate::{
    infer::{Inference, is_function},
    names::Name,
    program::{FileIdx, SymbolIdx},
    ty::Ty,
};

/// How many scopes may lie in each other.
const MAX_SCOPES: usize = 400;

/// Names that every module knows from the standard library, but for the types of its table.
const PRELUDE: [&str; 50] = [
    "Some",
    "None",
    "Ok",
    "Err",
    "drop",
    "Clone",
    "Copy",
    "Send",
    "Sync",
    "Sized",
    "Drop",
    "Fn",
    "FnMut",
    "FnOnce",
    "Default",
    "Eq",
    "PartialEq",
    "Ord",
    "PartialOrd",
    "ToOwned",
    "ToString",
    "From",
    "TryFrom",
    "TryInto",
    "Extend",
    "FromIterator",
    "Debug",
    "Unpin",
    "bool",
    "char",
    "str",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "f32",
    "f64",
    "Hash",
    "std",
    "core",
    "alloc",
    "Self",
];

/// What is looked for: one name may be a value and a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    Values,
    Types,
}

/// What a name or path means.
#[derive(Debug, Clone)]
pub(super) enum Named {
    Nothing,
    /// Items; with the type that they were asked of.
    Found(Found, Option<Ty>),
    /// A type that is no item: a parameter, one of the standard library.
    Type(Ty),
    /// A local variable.
    Value(Ty),
    /// What another repository has under this name.
    Foreign(Name),
}

/// Returns what was found only elsewhere, or made by a macro, as what has its name there.
fn as_foreign(named: Named, name: Name) -> Named {
    match named {
        Named::Found(found, None) if found.is_external && found.symbols.is_empty() && found.module.is_none() => {
            Named::Foreign(name)
        }
        named => named,
    }
}

/// Says whether a name is written as types are.
pub(super) fn is_of_type(text: &str) -> bool {
    text.starts_with(char::is_uppercase)
}

impl Rust {
    /// Returns what an expression names that is a name or a path.
    pub(super) fn named(&self, cx: &mut Inference<'_>, file: FileIdx, of: ExpressionId, space: Space) -> Named {
        let program = cx.program;
        match program.code(file).expression(of) {
            Expression::Name { name, scope, n_before } => {
                let name = program.name(file, *name);
                match self.named_at(cx, file, name, *scope, *n_before, space) {
                    // A type that a macro makes has no definition, but may have blocks.
                    Named::Nothing if space == Space::Types && is_of_type(program.text(name)) => Named::Foreign(name),
                    named => as_foreign(named, name),
                }
            }
            Expression::Type(written) => Named::Type(cx.written(file, *written)),
            Expression::Path { of, name } => {
                let name = program.name(file, *name);
                let head = cx.deeper(|cx| self.named(cx, file, *of, Space::Types));
                match head {
                    Some(head) => as_foreign(self.behind(cx, &head, name), name),
                    None => Named::Nothing,
                }
            }
            _ => Named::Nothing,
        }
    }

    /// Returns what a name means behind `::`.
    pub(super) fn behind(&self, cx: &mut Inference<'_>, head: &Named, name: Name) -> Named {
        let program = cx.program;
        match head {
            Named::Found(found, _) => {
                let mut inner = Found::default();
                if program.text(name) == "super" {
                    let parent = found.module.and_then(|module| self.modules.all[module as usize].parent);
                    return Named::Found(Found { module: parent, ..Found::default() }, None);
                }
                if let Some(module) = found.module {
                    inner = self.in_module(program, module, name);
                }
                if !inner.is_empty() {
                    return Named::Found(inner, None);
                }
                let of = self.type_of_found(cx, found, &[]);
                if !of.is_unknown() {
                    return self.associated(cx, of, name);
                }
                match found.is_external {
                    true => Named::Found(Found { is_external: true, ..Found::default() }, None),
                    false => Named::Nothing,
                }
            }
            Named::Type(of) => self.associated(cx, of.clone(), name),
            Named::Foreign(of) => {
                let of = super::types::foreign(cx, *of, &[]);
                match self.member_at(cx, &of, name) {
                    Some(Method::Symbols { symbols, receiver }) => {
                        Named::Found(Found { symbols, ..Found::default() }, Some(receiver))
                    }
                    _ => Named::Foreign(name),
                }
            }
            _ => Named::Nothing,
        }
    }

    /// Returns a variant, function or constant of a type.
    fn associated(&self, cx: &mut Inference<'_>, of: Ty, name: Name) -> Named {
        let program = cx.program;
        if let Ty::Object(applied) = &of {
            let is_variant = |symbol: &&SymbolIdx| program.definition(**symbol).kind == SymbolKind::Variant;
            let variants: Vec<SymbolIdx> =
                program.members(applied.of, name).iter().filter(is_variant).copied().collect();
            if !variants.is_empty() {
                return Named::Found(Found { symbols: variants, ..Found::default() }, Some(of));
            }
        }
        match self.member_at(cx, &of, name) {
            Some(Method::Symbols { symbols, receiver }) => {
                Named::Found(Found { symbols, ..Found::default() }, Some(receiver))
            }
            _ => match (self.projection(cx, &of, name), &of) {
                (Ty::Unknown, Ty::Unknown) => Named::Nothing,
                (projected, _) if !projected.is_unknown() => Named::Type(projected),
                _ => Named::Found(Found { is_external: true, ..Found::default() }, Some(of)),
            },
        }
    }

    /// Returns what a name means at a place.
    pub(super) fn named_at(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        name: Name,
        scope: ScopeId,
        n_before: u32,
        space: Space,
    ) -> Named {
        let program = cx.program;
        let code = program.code(file);
        if let Some(word) = self.word(cx, file, name, scope) {
            return word;
        }
        let mut at = Some(scope);
        for _ in 0..MAX_SCOPES {
            let Some((scope_id, scope)) = at.and_then(|id| Some((id, code.scopes.get(id.index())?))) else { break };
            if space == Space::Values {
                let bound = program.bindings(file, scope_id, name);
                let before = bound.partition_point(|binding| *binding < n_before);
                if before > 0 {
                    return Named::Value(self.bound(cx, file, bound[before - 1]));
                }
            }
            if let Some(definition) = scope.definition {
                let symbol = program.symbol(file, definition);
                if program.definition(symbol).kind == SymbolKind::Module {
                    break;
                }
                if let Some(found) = self.in_definition(cx, file, scope_id, symbol, name, space) {
                    return found;
                }
            } else if space == Space::Types
                && let Some(found) = self.parameter_of_block(cx, file, scope_id, name)
            {
                return Named::Type(found);
            }
            at = scope.parent;
        }
        let Some(module) = self.module_at(cx, file, scope) else { return Named::Nothing };
        let mut found = self.in_module(program, module, name);
        let text = program.text(name);
        if found.is_empty() {
            found = self.named_crate(module, text);
        }
        if found.is_empty() && (PRELUDE.contains(&text) || standard::canonical(text).is_some()) {
            found.is_external = true;
        }
        if found.is_empty() { Named::Nothing } else { Named::Found(found, None) }
    }

    /// Returns what `crate`, `self` and `super` mean at the head of a path.
    fn word(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name, scope: ScopeId) -> Option<Named> {
        let text = cx.program.text(name);
        if !matches!(text, "crate" | "self" | "super") {
            return None;
        }
        let module = self.module_at(cx, file, scope)?;
        let found = self.path_in(cx.program, module, text);
        Some(Named::Found(found, None))
    }

    /// Returns what a name means as a part of a function or type around: its parameters, its items, what it imports.
    fn in_definition(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        scope: ScopeId,
        around: SymbolIdx,
        name: Name,
        space: Space,
    ) -> Option<Named> {
        let program = cx.program;
        if space == Space::Types {
            let parameters = &program.shape(around).type_parameters;
            if let Some(index) = parameters.iter().position(|parameter| program.name(file, parameter.name) == name) {
                return Some(Named::Type(Ty::Parameter { of: around, index: index as u32 }));
            }
        }
        if !is_function(program.definition(around).kind) {
            return None;
        }
        let items = program.members(around, name).iter().filter(|item| !self.extension_members.contains(item));
        let mut found = Found { symbols: items.copied().collect(), ..Found::default() };
        if found.is_empty() {
            let module = self.module_at(cx, file, scope)?;
            found = self.imported_in_function(program, module, around, name);
        }
        (!found.is_empty()).then_some(Named::Found(found, None))
    }

    fn parameter_of_block(&self, cx: &mut Inference<'_>, file: FileIdx, scope: ScopeId, name: Name) -> Option<Ty> {
        let index = self.extension_of_scope.get(&(file, scope))?;
        let extension = &cx.program.code(file).extensions[*index as usize];
        let position = |parameter: &model::code::TypeParameter| cx.program.name(file, parameter.name) == name;
        let index = extension.type_parameters.iter().position(position)?;
        let owner = cx.program.symbol(file, *extension.members.first()?);
        Some(Ty::Parameter { of: owner, index: IMPL_BASE + index as u32 })
    }

    /// Returns the module that a scope lies in.
    pub(super) fn module_at(&self, cx: &Inference<'_>, file: FileIdx, scope: ScopeId) -> Option<ModuleId> {
        let program = cx.program;
        let code = program.code(file);
        let mut at = code.scopes.get(scope.index());
        for _ in 0..MAX_SCOPES {
            let Some(scope) = at else { break };
            let block = scope.definition.and_then(|of| self.modules.by_block.get(&program.symbol(file, of)));
            if let Some(module) = block {
                return Some(*module);
            }
            at = scope.parent.and_then(|parent| code.scopes.get(parent.index()));
        }
        self.modules.by_file.get(&file).copied()
    }

    /// Returns the type that `Self` is in a scope.
    pub(super) fn own_type(&self, cx: &mut Inference<'_>, file: FileIdx, scope: ScopeId) -> Ty {
        let program = cx.program;
        let code = program.code(file);
        let mut at = Some(scope);
        for _ in 0..MAX_SCOPES {
            let Some((scope_id, scope)) = at.and_then(|id| Some((id, code.scopes.get(id.index())?))) else { break };
            if let Some(index) = self.extension_of_scope.get(&(file, scope_id)) {
                return cx.written(file, code.extensions[*index as usize].of);
            }
            if let Some(definition) = scope.definition {
                let symbol = program.symbol(file, definition);
                match program.definition(symbol).kind {
                    SymbolKind::Trait => return Ty::Parameter { of: symbol, index: crate::infer::OWN_TYPE },
                    SymbolKind::Module => return Ty::Unknown,
                    SymbolKind::Struct | SymbolKind::Enum | SymbolKind::Union => {
                        return Ty::Object(crate::infer::applied_to_own(program, symbol));
                    }
                    _ => {}
                }
            }
            at = scope.parent;
        }
        Ty::Unknown
    }
}
