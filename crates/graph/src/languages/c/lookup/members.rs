//! Lookup of a name in a class or a namespace.

use std::rc::Rc;

use model::{SymbolKind, code::Flags};

use super::{
    super::{CDialect, namespaces::Namespace},
    LookupKind,
    named_definitions::NamedDefinitions,
    or_external,
};
use crate::{
    family::Family,
    infer::{Inference, applied_to_own, is_function},
    names::Name,
    program::{FileIdx, SymbolIdx},
    ty::{ModuleIdx, Ty},
};

/// Maximum number of namespaces reached from one by `using namespace`.
const MAX_DIRECTIVES: usize = 16;

/// Maximum number of `using` declarations of one name in a namespace.
const MAX_USING_DECLARATIONS: usize = 8;

impl CDialect {
    /// Resolves a name in a class and its bases.
    pub(in crate::languages::c) fn resolve_in_class(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        class: SymbolIdx,
        name: Name,
        kind: LookupKind,
    ) -> Option<Ty> {
        let program = cx.program;
        if kind == LookupKind::Type && program.name_of(class) == name {
            return Some(Ty::Class(applied_to_own(program, class)));
        }
        let own = applied_to_own(program, class);
        let object = Ty::Object(own.clone());
        for base in cx.lineage(&own) {
            if base.of != class && kind == LookupKind::Value && program.name_of(base.of) == name {
                return Some(Ty::Class(base));
            }
            if base.of != class && kind == LookupKind::Type && program.name_of(base.of) == name {
                return Some(Ty::Class(base));
            }
            let members: Vec<SymbolIdx> = program
                .members(base.of, name)
                .iter()
                .copied()
                .filter(|member| !program.shape(*member).flags.has(Flags::FRIEND))
                .collect();
            cx.consult(program.file_of(base.of));
            let functions: Vec<SymbolIdx> = members
                .iter()
                .copied()
                .filter(|member| is_function(program.definition(*member).kind))
                .filter(|member| program.definition(*member).kind != SymbolKind::Constructor)
                .collect();
            if kind == LookupKind::Value && !functions.is_empty() {
                return Some(Ty::function(&functions, Some(Rc::new(object))));
            }
            let others: Vec<SymbolIdx> =
                members.into_iter().filter(|member| !is_function(program.definition(*member).kind)).collect();
            if kind == LookupKind::Value
                && let Some(field) = others.iter().find(|other| !program.definition(**other).kind.is_type())
            {
                return Some(or_external(cx.symbol_value(*field, Some(Rc::new(object)))));
            }
            if let Some(found) = self.resolve_definitions(cx, file, &NamedDefinitions::of_scope(&others), kind) {
                return Some(found);
            }
            if let Some(variant) = self.namespaces.variant(base.of, name).filter(|_| kind == LookupKind::Value) {
                return Some(or_external(cx.symbol_value(variant, None)));
            }
        }
        (kind == LookupKind::Value && program.name_of(class) == name).then_some(Ty::Class(own))
    }

    /// Resolves a name in a namespace and in its enclosing namespaces.
    pub(in crate::languages::c) fn resolve_in_enclosing_namespaces(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        from: Namespace,
        name: Name,
        kind: LookupKind,
    ) -> Ty {
        let mut at = Some(from);
        while let Some(namespace) = at {
            if let Some(found) = self.resolve_in_namespace(cx, file, namespace, name, kind) {
                return found;
            }
            at = self.namespaces.parent(namespace);
        }
        Ty::Unknown
    }

    /// Resolves a name in one namespace.
    pub(in crate::languages::c) fn resolve_in_namespace(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        namespace: Namespace,
        name: Name,
        kind: LookupKind,
    ) -> Option<Ty> {
        let (symbols, mut using_declarations) = self.collect(file, namespace, name);
        using_declarations.truncate(MAX_USING_DECLARATIONS);
        if let Some(found) = self.resolve_definitions(cx, file, &symbols, kind) {
            // A definition beside a `using` of a library name is a fallback for builds without that library.
            let is_fallback = using_declarations.iter().any(|(other, binding)| {
                let value = cx.program.code(*other).bindings[*binding as usize].value;
                value.is_some_and(|value| cx.type_of(*other, value) == Ty::External)
            });
            return Some(if is_fallback { Ty::External } else { found });
        }
        if let Some(child) = self.namespaces.child_named(namespace, name) {
            return Some(Ty::Module(ModuleIdx { family: Family::C, index: child.0 }));
        }
        let mut outside = None;
        for (file, binding) in using_declarations {
            let value = cx.program.code(file).bindings[binding as usize].value?;
            let mut found = cx.type_of(file, value);
            if found.is_unknown() {
                // The alias of a namespace that only macros open.
                let named = cx.qualifier_once(file, value, |cx| self.qualifier(cx, file, value));
                found = Some(named).filter(is_namespace).unwrap_or(found);
            }
            let is_match = match kind {
                LookupKind::Value => !found.is_unknown(),
                LookupKind::Type => matches!(found, Ty::Class(_) | Ty::Module(_) | Ty::External),
            };
            match found {
                // `namespace a = std` and `namespace a = b` under two conditions: the build that uses `b` is known.
                Ty::External => outside = Some(Ty::External),
                Ty::Module(_) => return Some(found),
                found if is_match && outside.is_none() => return Some(found),
                _ => {}
            }
        }
        outside
    }

    /// Collects the definitions and `using` declarations of a name in a namespace and in those that it includes by
    /// `using namespace`.
    fn collect(&self, file: FileIdx, namespace: Namespace, name: Name) -> (NamedDefinitions<'_>, Vec<(FileIdx, u32)>) {
        let mut parts: Vec<&[SymbolIdx]> = Vec::new();
        let mut using_declarations: Vec<(FileIdx, u32)> = Vec::new();
        let is_visible = |other: FileIdx| self.includes.is_visible(file, other);
        let mut reachable = vec![namespace];
        let mut at = 0;
        while let Some(one) = reachable.get(at).copied() {
            at += 1;
            parts.push(self.namespaces.members(one, name));
            using_declarations.extend(
                self.namespaces.using_declarations_of(one, name).iter().filter(|(other, _)| is_visible(*other)),
            );
            for (other, named) in self.namespaces.directives(one) {
                if reachable.len() < MAX_DIRECTIVES && !reachable.contains(named) && is_visible(*other) {
                    reachable.push(*named);
                }
            }
        }
        (NamedDefinitions::of_namespaces(parts), using_declarations)
    }
}

fn is_namespace(ty: &Ty) -> bool {
    matches!(ty, Ty::Module(_))
}
