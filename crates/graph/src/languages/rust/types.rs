//! What written types mean, and what is found as a type.

use std::rc::Rc;

use model::{
    SymbolKind,
    code::{ScopeId, TypeExpression, TypeId},
};

use super::{
    ASSOCIATED, IMPL_BASE, Rust,
    lookup::Found,
    scopes::{Named, Space, is_of_type},
    standard,
};
use crate::{
    infer::{Inference, OWN_TYPE, applied_to_own},
    names::Name,
    program::{FileIdx, SymbolIdx},
    ty::{Applied, ModuleIdx, Ty},
};

impl Rust {
    /// Returns a value of a written type; nothing where the rules of all languages apply.
    pub(super) fn type_written(&self, cx: &mut Inference<'_>, file: FileIdx, written: TypeId) -> Option<Ty> {
        let program = cx.program;
        let ty = match program.code(file).written(written) {
            TypeExpression::Named { path, arguments, scope } => {
                let arguments: Vec<Ty> = arguments.iter().map(|written| cx.written(file, *written)).collect();
                let path: Vec<Name> = path.iter().map(|name| program.name(file, *name)).collect();
                self.path_type(cx, file, &path, &arguments, *scope)
            }
            TypeExpression::Member { of, name } => {
                let name = program.name(file, *name);
                if let TypeExpression::This { scope } = program.code(file).written(*of)
                    && let Some(own) = self.member_of_block(cx, file, *scope, name)
                {
                    return Some(own);
                }
                let of = cx.written(file, *of);
                self.projection(cx, &of, name)
            }
            TypeExpression::This { scope } => self.own_type(cx, file, *scope),
            TypeExpression::Pointer(to) => Ty::builtin("pointer", [cx.written(file, *to)]),
            TypeExpression::List(item) => Ty::builtin("slice", [cx.written(file, *item)]),
            TypeExpression::Function { parameters, result } => {
                let parameters = parameters.iter().map(|written| cx.written(file, *written)).collect();
                let result = result.map_or(Ty::Tuple(Rc::new([])), |result| cx.written(file, result));
                Ty::FunctionType { parameters, result: Rc::new(result) }
            }
            TypeExpression::Intersection(types) => {
                let all: Vec<Ty> = types.iter().map(|written| cx.written(file, *written)).collect();
                let is_telling = |ty: &&Ty| !matches!(ty, Ty::Unknown | Ty::External | Ty::Foreign(_));
                let telling: Vec<Ty> = all.iter().filter(is_telling).cloned().collect();
                match telling.as_slice() {
                    [] => all.first().cloned().unwrap_or(Ty::Unknown),
                    [single] => single.clone(),
                    _ => Ty::Intersection(telling.into()),
                }
            }
            _ => return None,
        };
        Some(ty)
    }

    fn path_type(&self, cx: &mut Inference<'_>, file: FileIdx, path: &[Name], arguments: &[Ty], scope: ScopeId) -> Ty {
        let Some((first, rest)) = path.split_first() else { return Ty::Unknown };
        let mut at = self.named_at(cx, file, *first, scope, 0, Space::Types);
        for name in rest {
            at = match &at {
                Named::Type(of) => Named::Type(self.projection(cx, of, *name)),
                head => self.behind_type(cx, head, *name),
            };
        }
        match at {
            Named::Type(ty) => ty,
            Named::Foreign(name) => foreign(cx, name, arguments),
            Named::Found(found, _) => match self.type_of_found(cx, &found, arguments) {
                Ty::Unknown if found.is_external => foreign(cx, path[path.len() - 1], arguments),
                ty => ty,
            },
            // A type that a macro makes is known by its name alone.
            Named::Nothing if rest.is_empty() && is_of_type(cx.program.text(*first)) => Ty::Foreign(*first),
            _ => Ty::Unknown,
        }
    }

    /// Returns a type behind `::`: of a module, a variant, or an associated one.
    fn behind_type(&self, cx: &mut Inference<'_>, head: &Named, name: Name) -> Named {
        if let Named::Found(found, _) = head
            && found.module.is_none()
        {
            let of = self.type_of_found(cx, found, &[]);
            let projected = self.projection(cx, &of, name);
            if !projected.is_unknown() {
                return Named::Type(projected);
            }
        }
        self.behind(cx, head, name)
    }

    /// Returns an object of the type among what was found; unknown if there is none.
    pub(super) fn type_of_found(&self, cx: &mut Inference<'_>, found: &Found, arguments: &[Ty]) -> Ty {
        let program = cx.program;
        let kind = |symbol: &SymbolIdx| program.definition(*symbol).kind;
        let is_type = |symbol: &&SymbolIdx| kind(symbol) != SymbolKind::Module && kind(symbol).is_type();
        let of = found.symbols.iter().find(is_type);
        let of = of.or_else(|| found.symbols.iter().find(|symbol| kind(symbol) == SymbolKind::Variant));
        let Some(of) = of.copied() else { return Ty::Unknown };
        cx.consult(program.file_of(of));
        if kind(&of) == SymbolKind::TypeAlias {
            return cx.variable(of).substitute(of, arguments);
        }
        let parameters = &program.shape(of).type_parameters;
        let mut all: Vec<Ty> = arguments.to_vec();
        if !all.is_empty() {
            let file = program.file_of(of);
            for parameter in parameters.iter().skip(all.len()) {
                all.push(parameter.default.map_or(Ty::Unknown, |default| cx.written(file, default)));
            }
        }
        Ty::Object(Applied { of, arguments: all.into() })
    }

    /// Returns what was found as a type or module in the place of a value.
    pub(super) fn class_of_found(&self, cx: &mut Inference<'_>, found: &Found) -> Ty {
        match self.type_of_found(cx, found, &[]) {
            Ty::Object(applied) => Ty::Class(applied),
            Ty::Unknown => match found.module {
                Some(module) => Ty::Module(ModuleIdx { family: crate::Family::Rust, index: module }),
                None => Ty::Unknown,
            },
            other => other,
        }
    }

    /// Returns what a type has under the name of an associated type.
    pub(super) fn projection(&self, cx: &mut Inference<'_>, of: &Ty, name: Name) -> Ty {
        // An associated type may be written in terms of itself.
        cx.deeper(|cx| self.projected(cx, of, name)).unwrap_or(Ty::Unknown)
    }

    fn projected(&self, cx: &mut Inference<'_>, of: &Ty, name: Name) -> Ty {
        let program = cx.program;
        let is_alias = |symbol: &SymbolIdx| program.definition(*symbol).kind == SymbolKind::TypeAlias;
        match of {
            Ty::Object(applied) if program.definition(applied.of).kind == SymbolKind::Trait => {
                self.associated_of_trait(cx, applied.of, name)
            }
            Ty::Object(_) | Ty::Builtin { .. } | Ty::Foreign(_) => {
                if let Ty::Builtin { name: "Iterator", arguments } = of {
                    return arguments.first().cloned().unwrap_or(Ty::Unknown);
                }
                let Some(impls) = self.impls.get() else { return Ty::Unknown };
                for one in impls.of_type(cx, of) {
                    if let Some(alias) = one.members(name).iter().copied().find(is_alias) {
                        let ty = cx.variable(alias);
                        return self.for_object(cx, one, of, ty);
                    }
                }
                Ty::Unknown
            }
            Ty::Parameter { of, index } => {
                let bounds = self.bounds_of(cx, *of, *index);
                let found = bounds.iter().map(|bound| self.projection(cx, bound, name)).find(|ty| !ty.is_unknown());
                found.unwrap_or(Ty::Unknown)
            }
            Ty::Intersection(types) => {
                let found = types.iter().map(|ty| self.projection(cx, ty, name)).find(|ty| !ty.is_unknown());
                found.unwrap_or(Ty::Unknown)
            }
            _ => Ty::Unknown,
        }
    }

    fn associated_of_trait(&self, cx: &mut Inference<'_>, of: SymbolIdx, name: Name) -> Ty {
        let program = cx.program;
        for base in self.trait_and_above(cx, of) {
            let found = program.members(base, name).iter().copied();
            let mut aliases = found.filter(|symbol| program.definition(*symbol).kind == SymbolKind::TypeAlias);
            if let Some(alias) = aliases.next() {
                return Ty::Parameter { of: alias, index: ASSOCIATED };
            }
        }
        Ty::Unknown
    }

    /// Returns an associated type that the block around a scope gives.
    fn member_of_block(&self, cx: &mut Inference<'_>, file: FileIdx, scope: ScopeId, name: Name) -> Option<Ty> {
        let program = cx.program;
        let code = program.code(file);
        let mut at = Some(scope);
        for _ in 0..8 {
            let scope = at?;
            if let Some(index) = self.extension_of_scope.get(&(file, scope)) {
                let members = &code.extensions[*index as usize].members;
                let mut symbols = members.iter().map(|member| program.symbol(file, *member));
                let alias = symbols.find(|symbol| {
                    program.name_of(*symbol) == name && program.definition(*symbol).kind == SymbolKind::TypeAlias
                })?;
                return Some(cx.variable(alias));
            }
            at = code.scopes.get(scope.index())?.parent;
        }
        None
    }

    /// Returns what a type parameter must be, one by one.
    pub(super) fn bounds_of(&self, cx: &mut Inference<'_>, of: SymbolIdx, index: u32) -> Vec<Ty> {
        let bounds = match index {
            OWN_TYPE => vec![Ty::Object(applied_to_own(cx.program, of))],
            ASSOCIATED => vec![cx.variable(of)],
            index if index >= IMPL_BASE => {
                let Some((file, extension)) = self.extension_of_member.get(&of).copied() else { return Vec::new() };
                let extension = &cx.program.code(file).extensions[extension as usize];
                let parameter = extension.type_parameters.get((index - IMPL_BASE) as usize);
                let bounds = parameter.map_or(&[][..], |parameter| &parameter.bounds);
                bounds.iter().map(|bound| cx.written(file, *bound)).collect()
            }
            index => cx.bounds(of, index),
        };
        let mut flat = Vec::new();
        for bound in bounds {
            match bound {
                Ty::Intersection(types) => flat.extend(types.iter().cloned()),
                // A bound that asks for itself says nothing.
                Ty::Parameter { of: other, index: same } if other == of && same == index => {}
                bound => flat.push(bound),
            }
        }
        flat
    }
}

/// Returns an object of a type of another repository.
pub(super) fn foreign(cx: &Inference<'_>, name: Name, arguments: &[Ty]) -> Ty {
    let text = cx.program.text(name);
    if text == "Future" {
        return arguments.first().cloned().unwrap_or(Ty::Unknown);
    }
    match standard::canonical(text) {
        Some(known) => {
            let n_letters = standard::standard(known).map_or(0, |of| of.letters.len());
            let given = arguments.iter().cloned().chain(std::iter::repeat(Ty::Unknown));
            Ty::builtin(known, given.take(n_letters).collect::<Vec<Ty>>())
        }
        None => Ty::Foreign(name),
    }
}
