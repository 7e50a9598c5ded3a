//! Resolution of written types: type names, aliases, utility types, call signatures.

use std::rc::Rc;

use model::{
    SymbolKind,
    code::{Expression, Literal, NameId, ScopeId, TypeExpression, TypeId},
};

use super::{EcmascriptDialect, builtins, exports::DeclarationSpace};
use crate::{
    infer::Inference,
    names::Name,
    program::{FileIdx, Program, SymbolIdx},
    ty::{Applied, Ty},
};

impl EcmascriptDialect {
    /// Resolves a written type, or returns none to use the language-independent rules.
    pub(super) fn resolve_written_type(&self, cx: &mut Inference<'_>, file: FileIdx, written: TypeId) -> Option<Ty> {
        let program = cx.program;
        match program.code(file).written(written) {
            TypeExpression::Named { path, arguments, scope } => {
                let arguments: Vec<Ty> = arguments.iter().map(|argument| cx.written_type(file, *argument)).collect();
                Some(self.resolve_type_path(cx, file, path, arguments.into(), *scope))
            }
            TypeExpression::Of(value) => match program.code(file).expression(*value) {
                Expression::Import { module, name: Some(name) } => {
                    let from = self.modules.get(&(file, program.name(file, *module)));
                    let Some(from) = from.copied() else { return Some(Ty::External) };
                    let found = self.resolve_export(cx, from, program.name(file, *name), DeclarationSpace::Type);
                    Some(match found {
                        Ty::Class(applied) => self.apply_type(cx, applied, Rc::new([])),
                        other => other,
                    })
                }
                // An assignment to a member of a table has the declared type of the table's elements.
                Expression::Member { of, .. } => match cx.type_of(file, *of) {
                    Ty::Intersection(parts) => {
                        let tables = parts.iter().filter(|part| !matches!(part, Ty::Object(_)));
                        tables.map(|table| self.element_of(cx, table)).find(|element| !element.is_unknown())
                    }
                    _ => None,
                },
                _ => None,
            },
            TypeExpression::Literal(Literal::Text(Some(name))) => Some(text_type(program.name(file, *name))),
            TypeExpression::Member { of, name } => {
                let of = cx.written_type(file, *of);
                let name = program.name(file, *name);
                match program.text(name) {
                    "[]" => Some(self.element_of(cx, &of)),
                    "#awaited" => Some(builtins::awaited(of)),
                    "#result" => Some(self.call_signature(cx, &of).map_or(Ty::Unknown, |(_, result)| result)),
                    part if !part.starts_with('#') => match of {
                        // The parameter may be substituted later.
                        Ty::Parameter { .. } | Ty::Lookup { .. } => Some(Ty::Lookup { of: Rc::new(of), name }),
                        _ => None,
                    },
                    part => {
                        let index: usize = part.strip_prefix('#')?.parse().ok()?;
                        let found = self.call_signature(cx, &of);
                        Some(found.and_then(|(parameters, _)| parameters.get(index).cloned()).unwrap_or(Ty::Unknown))
                    }
                }
            }
            _ => None,
        }
    }

    /// Resolves a possibly qualified type name and applies it to its arguments.
    fn resolve_type_path(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        path: &[NameId],
        arguments: Rc<[Ty]>,
        scope: ScopeId,
    ) -> Ty {
        let program = cx.program;
        let path: Vec<Name> = path.iter().map(|name| program.name(file, *name)).collect();
        let found = match path.as_slice() {
            [] => return Ty::Unknown,
            [only] => cx.type_name(file, *only, scope),
            [first, middle @ .., last] => {
                let mut at = cx.name_value(file, *first, scope, u32::MAX);
                if at.is_unknown() {
                    at = cx.type_name(file, *first, scope);
                }
                for name in middle {
                    at = cx.member_value(file, &at, *name);
                }
                self.type_member(cx, file, &at, *last)
            }
        };
        match found {
            Ty::Class(applied) => self.apply_type(cx, applied, arguments),
            Ty::Unknown => {
                let words: Vec<&str> = path.iter().map(|name| program.text(*name)).collect();
                self.library_type(cx, &words, arguments)
            }
            Ty::Module(_) | Ty::Function { .. } => Ty::Unknown,
            other => other,
        }
    }

    /// Resolves a type name in a namespace.
    fn type_member(&self, cx: &mut Inference<'_>, file: FileIdx, of: &Ty, name: Name) -> Ty {
        let program = cx.program;
        match of {
            Ty::Module(module) => self.resolve_export(cx, FileIdx(module.index), name, DeclarationSpace::Type),
            Ty::Intersection(parts) => parts
                .iter()
                .map(|part| self.type_member(cx, file, part, name))
                .find(|ty| !ty.is_unknown())
                .unwrap_or(Ty::Unknown),
            Ty::Class(applied) => {
                let types = program.members(applied.of, name).iter().copied();
                let first = types.into_iter().find(|symbol| is_type_or_space(program, *symbol));
                first.map_or(Ty::Unknown, |symbol| variant_or_class(program, symbol))
            }
            Ty::External => Ty::External,
            other => cx.member_value(file, other, name),
        }
    }

    /// Applies a type to arguments. An alias becomes its target, unless that is an object type with members of its own.
    fn apply_type(&self, cx: &mut Inference<'_>, class: Applied, arguments: Rc<[Ty]>) -> Ty {
        let program = cx.program;
        let of = class.of;
        let arguments = if arguments.is_empty() { class.arguments } else { arguments };
        let arguments = self.with_defaults(cx, of, arguments);
        if program.definition(of).kind == SymbolKind::TypeAlias && !is_object_alias(program, of) {
            return cx.variable(of).substitute(of, &arguments);
        }
        Ty::Object(Applied { of, arguments })
    }

    /// Adds the defaults of omitted type arguments.
    fn with_defaults(&self, cx: &mut Inference<'_>, of: SymbolIdx, arguments: Rc<[Ty]>) -> Rc<[Ty]> {
        let program = cx.program;
        let parameters = &program.shape(of).type_parameters;
        if arguments.len() >= parameters.len() {
            return arguments;
        }
        let file = program.file_of(of);
        let mut all: Vec<Ty> = arguments.to_vec();
        for parameter in &parameters[arguments.len()..] {
            let default = parameter.default.map_or(Ty::Unknown, |default| cx.written_type(file, default));
            let known = default.substitute(of, &all);
            all.push(known);
        }
        all.into()
    }

    /// Resolves a library type, including the utility types that inspect functions.
    fn library_type(&self, cx: &mut Inference<'_>, path: &[&str], arguments: Rc<[Ty]>) -> Ty {
        let first = || arguments.first().cloned().unwrap_or(Ty::Unknown);
        match path {
            ["ReturnType"] => self.call_signature(cx, &first()).map_or(Ty::Unknown, |(_, result)| result),
            ["Parameters"] => {
                self.call_signature(cx, &first()).map_or(Ty::Unknown, |(parameters, _)| Ty::Tuple(parameters))
            }
            ["InstanceType"] => self.instance_type(cx, first()),
            _ => builtins::library_type(path, &arguments),
        }
    }

    /// Resolves a member lookup in a type parameter once the parameter is substituted.
    pub(super) fn resolve_lookup(&self, cx: &mut Inference<'_>, of: &Ty) -> Ty {
        let Ty::Lookup { of, name } = of else { return of.clone() };
        let found = cx.deeper(|cx| {
            let of = self.resolve_lookup(cx, of);
            cx.member_value(FileIdx(0), &of, *name)
        });
        found.unwrap_or(Ty::Unknown)
    }

    /// Returns the parameter and result types of a callable value.
    pub(super) fn call_signature(&self, cx: &mut Inference<'_>, of: &Ty) -> Option<(Rc<[Ty]>, Ty)> {
        let program = cx.program;
        match of {
            Ty::FunctionType { parameters, result } => Some((Rc::clone(parameters), (**result).clone())),
            Ty::Function { candidates, receiver } => {
                let of = *candidates.first()?;
                let file = program.file_of(of);
                let mut parameters = Vec::new();
                for parameter in &program.shape(of).parameters {
                    let ty = parameter.declared.map_or(Ty::Unknown, |declared| cx.written_type(file, declared));
                    parameters.push(cx.for_receiver(ty, of, receiver.as_deref()));
                }
                let result = cx.result_of(of);
                Some((parameters.into(), cx.for_receiver(result, of, receiver.as_deref())))
            }
            Ty::Closure { file, expression } => Some((Rc::new([]), cx.closure_result(*file, *expression))),
            Ty::Object(_) => {
                let signature = cx.field_value(of, self.names.call?)?;
                self.function_type_parts(&signature)
            }
            Ty::Record(fields) => {
                let call = self.names.call?;
                let (_, signature) = fields.iter().find(|(name, _)| *name == call)?;
                self.function_type_parts(signature)
            }
            Ty::Union(types) | Ty::Intersection(types) => {
                let types = Rc::clone(types);
                types.iter().find_map(|ty| cx.deeper(|cx| self.call_signature(cx, ty)).flatten())
            }
            Ty::Parameter { of, index } => {
                let bounds = cx.bounds(*of, *index);
                bounds.iter().find_map(|bound| cx.deeper(|cx| self.call_signature(cx, bound)).flatten())
            }
            Ty::Lookup { .. } => {
                let known = self.resolve_lookup(cx, of);
                cx.deeper(|cx| self.call_signature(cx, &known)).flatten()
            }
            _ => None,
        }
    }

    fn function_type_parts(&self, signature: &Ty) -> Option<(Rc<[Ty]>, Ty)> {
        match signature {
            Ty::FunctionType { parameters, result } => Some((Rc::clone(parameters), (**result).clone())),
            _ => None,
        }
    }
}

/// Returns the string literal type of a text.
pub(super) fn text_type(text: Name) -> Ty {
    Ty::builtin("string", [Ty::Record([(text, Ty::External)].into())])
}

/// Returns true if an alias is an object type, whose members are definitions of the alias.
fn is_object_alias(program: &Program<'_>, alias: SymbolIdx) -> bool {
    let declared = program.shape(alias).declared;
    let code = program.code(program.file_of(alias));
    declared.is_some_and(|declared| matches!(code.written(declared), TypeExpression::Object(_)))
}

fn is_type_or_space(program: &Program<'_>, symbol: SymbolIdx) -> bool {
    let kind = program.definition(symbol).kind;
    kind.is_type() || matches!(kind, SymbolKind::Module | SymbolKind::Variant)
}

/// Returns the enum type for an enum member, else the class.
fn variant_or_class(program: &Program<'_>, symbol: SymbolIdx) -> Ty {
    match program.definition(symbol).kind {
        SymbolKind::Variant => program.parent(symbol).map_or(Ty::Unknown, Ty::object),
        _ => Ty::class(symbol),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::check_calls;

    #[test]
    fn a_member_of_an_intersection_has_the_types_of_all_its_parts() {
        let declarations = "//- /a.ts
import type { Outer } from 'elsewhere'
interface Core { log(): void }
interface Lsp { send(): void; log(): void }
interface A { shared: Core; name: string; open(): Core }
interface B { shared: Lsp; name: { send(): void }; open(): Lsp }
interface C { shared: Outer }
interface D { shared: { core: Core } }
type Both = A & B
";
        for (parameter, body, expected) in [
            ("Both", "x.shared.send()", Some("Lsp.send")),
            ("Both & D", "x.shared.core.log()", Some("Core.log")),
            ("{ shared: Both } & { shared: D }", "x.shared.shared.send()", Some("Lsp.send")),
            // Both parts have the member: that of the first is the first overload.
            ("Both", "x.shared.log()", Some("Core.log")),
            ("B & A", "x.shared.log()", Some("Lsp.log")),
            // A type of a package that is not there may have any member, but it is not known.
            ("C & A", "x.shared.log()", Some("Core.log")),
            ("C", "x.shared.log()", None),
            // A text and an object at once, and methods: the first one.
            ("Both", "x.name.send()", None),
            // A union has one of the types, not all.
            ("Pick<A, 'shared'>", "x.shared.send()", None),
        ] {
            let expected: Vec<String> = expected.map(|to| format!("a.ts::f -calls-> a.ts::{to}")).into_iter().collect();
            let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
            check_calls(&format!("{declarations}function f(x: {parameter}) {{ {body} }}"), &expected);
        }
        check_calls(
            &format!("{declarations}function f(x: Both) {{ x.open().send() }}"),
            &["a.ts::f -calls-> a.ts::A.open"],
        );
    }
}
