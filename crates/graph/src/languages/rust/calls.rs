//! Callee resolution.

mod trait_calls;

use std::rc::Rc;

use model::{
    SymbolKind,
    code::{Expression, ExpressionId, Flags, Literal, TypeId},
};

use super::{
    RustDialect,
    methods::{MethodResolution, is_compatible},
    resolution::{NameResolution, RustNamespace},
    standard_library::{self, StandardFunction},
};
use crate::{
    infer::{Inference, is_function},
    names::Name,
    program::{FileIdx, SymbolIdx},
    ty::Ty,
};

/// Conversion functions that many types implement for many argument types.
const CONVERSIONS: [&str; 2] = ["from", "try_from"];

/// The callee of a call.
#[derive(Debug)]
pub(super) enum ResolvedCallee {
    /// Functions of the repository, with their receiver. `n_skipped` is 1 for a method called by path, whose first
    /// argument is the object.
    Symbols {
        symbols: Vec<SymbolIdx>,
        receiver: Option<Ty>,
        n_skipped: usize,
    },
    Standard {
        of: Ty,
        function: &'static StandardFunction,
        n_skipped: usize,
    },
    /// A tuple struct or variant constructor.
    Constructor {
        of: SymbolIdx,
        owner: Option<Ty>,
    },
    /// A function that returns the type of its receiver.
    SameType(Ty),
    /// A callable value, such as a closure.
    Value(Ty),
}

impl ResolvedCallee {
    /// Returns the callee as the type of a value.
    pub(super) fn as_ty(&self) -> Ty {
        match self {
            ResolvedCallee::Symbols { symbols, receiver, .. } => Ty::function(symbols, receiver.clone().map(Rc::new)),
            ResolvedCallee::Standard { .. } | ResolvedCallee::SameType(_) => Ty::External,
            // Construction from fields is not a call.
            ResolvedCallee::Constructor { .. } => Ty::External,
            ResolvedCallee::Value(Ty::Function { .. } | Ty::Class(_)) => Ty::External,
            ResolvedCallee::Value(ty) => ty.clone(),
        }
    }
}

/// The parts of a call expression.
#[derive(Clone, Copy)]
pub(super) struct CallParts<'c> {
    pub(super) file: FileIdx,
    /// The call itself.
    pub(super) site: ExpressionId,
    pub(super) callee: ExpressionId,
    pub(super) type_arguments: &'c [TypeId],
    pub(super) arguments: &'c [ExpressionId],
}

impl RustDialect {
    /// Returns the parts of a call expression.
    pub(super) fn call_parts<'p>(
        &self,
        cx: &Inference<'p>,
        file: FileIdx,
        site: ExpressionId,
    ) -> Option<CallParts<'p>> {
        match cx.program.code(file).expression(site) {
            Expression::Call { callee, type_arguments, arguments } => {
                Some(CallParts { file, site, callee: *callee, type_arguments, arguments })
            }
            _ => None,
        }
    }

    /// Resolves the callee of a call.
    pub(super) fn resolve_callee(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        site: ExpressionId,
    ) -> Option<ResolvedCallee> {
        let call = self.call_parts(cx, file, site)?;
        let program = cx.program;
        match program.code(file).expression(call.callee) {
            Expression::Member { of, name } => {
                let name = program.name(file, *name);
                if matches!(program.code(file).expression(*of), Expression::Literal(Literal::Float | Literal::Integer))
                    && let Some(only) = self.untyped_number_method(cx, call, name)
                {
                    let receiver = Some(Ty::External);
                    return Some(ResolvedCallee::Symbols { symbols: vec![only], receiver, n_skipped: 0 });
                }
                let of = cx.type_of(file, *of);
                Some(self.method_callee(cx, call, &of, name))
            }
            Expression::Name { name, .. } if program.code(file).name(*name).ends_with('!') => {
                let text = program.code(file).name(*name);
                Some(self.macro_callee(cx, file, text.trim_end_matches('!')))
            }
            Expression::Name { .. } | Expression::Path { .. } => {
                let resolved = self.resolve_path_expression(cx, file, call.callee, RustNamespace::Values);
                Some(self.named_callee(cx, call, resolved))
            }
            _ => Some(ResolvedCallee::Value(cx.type_of(file, call.callee))),
        }
    }

    /// Resolves a method call, over all alternatives of the receiver type.
    fn method_callee(&self, cx: &mut Inference<'_>, call: CallParts<'_>, of: &Ty, name: Name) -> ResolvedCallee {
        let mut all: Vec<SymbolIdx> = Vec::new();
        let mut receiver = None;
        let mut other = None;
        for ty in of.alternatives() {
            match self.resolve_method(cx, call.file, ty, name) {
                Some(MethodResolution::Symbols { symbols, receiver: found }) => {
                    let symbols = self.select_by_arguments(cx, symbols, call, 0);
                    let symbols = self.common_trait_method(cx, symbols);
                    all.extend(symbols.into_iter().filter(|symbol| is_function(cx.program.definition(*symbol).kind)));
                    receiver = receiver.or(Some(found));
                }
                Some(MethodResolution::Standard { of, function }) => {
                    other = other.or(Some(ResolvedCallee::Standard { of, function, n_skipped: 0 }));
                }
                Some(MethodResolution::SameType(of)) => other = other.or(Some(ResolvedCallee::SameType(of))),
                Some(MethodResolution::External) => {
                    let field = self.field(cx, ty, name);
                    let field = if field.is_unknown() { Ty::External } else { field };
                    other = other.or(Some(ResolvedCallee::Value(field)));
                }
                None => {}
            }
        }
        if !all.is_empty() {
            all.dedup();
            return ResolvedCallee::Symbols { symbols: all, receiver, n_skipped: 0 };
        }
        other.unwrap_or(ResolvedCallee::Value(Ty::Unknown))
    }

    /// Resolves a macro call by name, preferring the macros of the file.
    fn macro_callee(&self, cx: &mut Inference<'_>, file: FileIdx, text: &str) -> ResolvedCallee {
        let program = cx.program;
        let Some(name) = program.name_named(text) else { return ResolvedCallee::Value(Ty::External) };
        let is_macro = |symbol: &&SymbolIdx| program.definition(**symbol).kind == SymbolKind::Macro;
        let all: Vec<SymbolIdx> = program.named(name).iter().filter(is_macro).copied().collect();
        let local: Vec<SymbolIdx> = all.iter().filter(|symbol| program.file_of(**symbol) == file).copied().collect();
        let symbols = if local.is_empty() { all } else { local };
        match symbols.len() {
            1 => ResolvedCallee::Symbols { symbols, receiver: None, n_skipped: 0 },
            _ => ResolvedCallee::Value(Ty::External),
        }
    }

    /// Returns the callee that a resolved name or path denotes.
    fn named_callee(&self, cx: &mut Inference<'_>, call: CallParts<'_>, resolved: NameResolution) -> ResolvedCallee {
        let program = cx.program;
        let (found, owner) = match resolved {
            NameResolution::Items(found, owner) => (found, owner),
            NameResolution::Local(ty) => return ResolvedCallee::Value(ty),
            NameResolution::Foreign(_) => return self.foreign_callee(cx, call, None),
            NameResolution::Type(Ty::Object(applied)) => {
                return ResolvedCallee::Constructor { of: applied.of, owner: Some(Ty::Object(applied)) };
            }
            NameResolution::Type(_) => return ResolvedCallee::Value(Ty::External),
            NameResolution::Unresolved => return ResolvedCallee::Value(Ty::Unknown),
        };
        let functions: Vec<SymbolIdx> = found
            .symbols
            .iter()
            .filter(|symbol| {
                let kind = program.definition(**symbol).kind;
                is_function(kind) && kind != SymbolKind::Macro
            })
            .copied()
            .collect();
        if let Some(first) = functions.first() {
            let is_method = owner.is_some() && !program.shape(*first).flags.has(Flags::STATIC);
            return self.path_callee(cx, call, functions, owner, usize::from(is_method));
        }
        for symbol in &found.symbols {
            let kind = program.definition(*symbol).kind;
            match kind {
                SymbolKind::Variant | SymbolKind::Struct => return ResolvedCallee::Constructor { of: *symbol, owner },
                SymbolKind::TypeAlias => {
                    if let Ty::Object(applied) = cx.variable(*symbol) {
                        return ResolvedCallee::Constructor { of: applied.of, owner: Some(Ty::Object(applied)) };
                    }
                }
                SymbolKind::Constant | SymbolKind::Variable => return ResolvedCallee::Value(cx.variable(*symbol)),
                _ => {}
            }
        }
        if !found.is_external {
            return ResolvedCallee::Value(Ty::Unknown);
        }
        self.foreign_callee(cx, call, owner)
    }

    /// Resolves a function or method called by path. For a trait method, selects the implementation of the object.
    fn path_callee(
        &self,
        cx: &mut Inference<'_>,
        call: CallParts<'_>,
        functions: Vec<SymbolIdx>,
        owner: Option<Ty>,
        n_skipped: usize,
    ) -> ResolvedCallee {
        let program = cx.program;
        let functions = self.select_in_scope(cx, functions, call);
        let functions = self.select_by_arguments(cx, functions, call, n_skipped);
        let is_foreign = matches!(owner, Some(Ty::Foreign(_) | Ty::Builtin { .. }));
        if is_foreign && CONVERSIONS.contains(&program.text(program.name_of(functions[0]))) {
            // Foreign types convert from many types; only an exact match selects an implementation of the repository.
            let certain: Vec<SymbolIdx> =
                functions.into_iter().filter(|of| self.accepts_exactly(cx, *of, call)).collect();
            return match certain.is_empty() {
                true => self.foreign_callee(cx, call, owner),
                false => ResolvedCallee::Symbols { symbols: certain, receiver: owner, n_skipped },
            };
        }
        match &owner {
            Some(Ty::Object(applied)) if program.definition(applied.of).kind == SymbolKind::Trait => {
                self.trait_callee(cx, call, functions, applied, n_skipped)
            }
            _ => ResolvedCallee::Symbols { symbols: functions, receiver: owner, n_skipped },
        }
    }

    /// Returns true if the first argument has exactly the repository type of the first parameter.
    fn accepts_exactly(&self, cx: &mut Inference<'_>, of: SymbolIdx, call: CallParts<'_>) -> bool {
        let declared = cx.program.shape(of).parameters.first().and_then(|parameter| parameter.declared);
        let (Some(declared), Some(actual)) = (declared, call.arguments.first()) else { return false };
        let expected = cx.written_type(cx.program.file_of(of), declared);
        let actual = cx.type_of(call.file, *actual);
        matches!((expected, actual), (Ty::Object(expected), Ty::Object(actual)) if expected.of == actual.of)
    }

    /// Resolves a function of another repository. It may be in the library table, by its type, its module or its own
    /// name.
    fn foreign_callee(&self, cx: &mut Inference<'_>, call: CallParts<'_>, owner: Option<Ty>) -> ResolvedCallee {
        if let Some(made) = self.derived_callee(cx, call, owner.as_ref()) {
            return made;
        }
        let program = cx.program;
        let code = program.code(call.file);
        let external = ResolvedCallee::Value(Ty::External);
        let (head, name) = match code.expression(call.callee) {
            Expression::Path { of, name } => {
                let head = match code.expression(*of) {
                    Expression::Name { name, .. } | Expression::Path { name, .. } => code.name(*name),
                    _ => "",
                };
                (head, code.name(*name))
            }
            Expression::Name { name, .. } => match code.name(*name) {
                name @ "Some" => ("Option", name),
                name @ ("Ok" | "Err") => ("Result", name),
                _ => return external,
            },
            _ => return external,
        };
        if let Some(number) = self.converted_number(cx.program, head, name) {
            return ResolvedCallee::Value(Ty::FunctionType { parameters: Rc::new([]), result: Rc::new(number) });
        }
        let of = match owner {
            Some(Ty::Builtin { name, arguments }) => Ty::Builtin { name, arguments },
            _ => match standard_library::canonical(head) {
                Some(known) => Ty::builtin(known, []),
                None => return external,
            },
        };
        let Ty::Builtin { name: known, .. } = &of else { return external };
        match standard_library::find_type(known).and_then(|known| known.function(name)) {
            Some(function) => ResolvedCallee::Standard { of, function, n_skipped: usize::from(!function.is_static) },
            None if name == "default" => {
                ResolvedCallee::Value(Ty::FunctionType { parameters: Rc::new([]), result: Rc::new(of) })
            }
            None => external,
        }
    }

    /// Returns the callee of a derived trait function, such as `default`, which returns its own type.
    fn derived_callee(&self, cx: &Inference<'_>, call: CallParts<'_>, owner: Option<&Ty>) -> Option<ResolvedCallee> {
        let owner = owner.filter(|owner| matches!(owner, Ty::Object(_) | Ty::Parameter { .. }))?;
        let code = cx.program.code(call.file);
        let Expression::Path { name, .. } = code.expression(call.callee) else { return None };
        let result = match code.name(*name) {
            "default" | "from" | "clone" | "from_iter" | "parse" | "parse_from" => owner.clone(),
            "try_from" | "from_str" | "try_parse" | "try_parse_from" => {
                Ty::builtin("Result", [owner.clone(), Ty::External])
            }
            _ => return None,
        };
        Some(ResolvedCallee::Value(Ty::FunctionType { parameters: Rc::new([]), result: Rc::new(result) }))
    }

    /// Selects the functions whose parameter types are compatible with the arguments, among several implementations of
    /// one generic trait.
    fn select_by_arguments(
        &self,
        cx: &mut Inference<'_>,
        functions: Vec<SymbolIdx>,
        call: CallParts<'_>,
        n_skipped: usize,
    ) -> Vec<SymbolIdx> {
        if functions.len() < 2 {
            return functions;
        }
        let actual: Vec<Ty> =
            call.arguments.iter().skip(n_skipped).map(|argument| cx.type_of(call.file, *argument)).collect();
        let fitting: Vec<SymbolIdx> = functions
            .iter()
            .filter(|of| {
                let parameters = &cx.program.shape(**of).parameters;
                parameters.len() == actual.len()
                    && parameters.iter().zip(&actual).all(|(parameter, actual)| {
                        let file = cx.program.file_of(**of);
                        let expected =
                            parameter.declared.map_or(Ty::Unknown, |declared| cx.written_type(file, declared));
                        is_compatible(&expected, actual)
                    })
            })
            .copied()
            .collect();
        if fitting.is_empty() { functions } else { fitting }
    }

    /// Replaces several implementations of one trait by the declaration in the trait.
    fn common_trait_method(&self, cx: &Inference<'_>, symbols: Vec<SymbolIdx>) -> Vec<SymbolIdx> {
        let (Some(impls), [first, _, ..]) = (self.impls.get(), symbols.as_slice()) else { return symbols };
        let trait_of = |symbol: &SymbolIdx| impls.impl_of_member(*symbol).and_then(|one| one.own_trait());
        let Some(common) = trait_of(first).filter(|common| symbols.iter().all(|one| trait_of(one) == Some(*common)))
        else {
            return symbols;
        };
        // A repository that implements a trait of another one is meant itself.
        let root = |of: &SymbolIdx| cx.program.root_of_file(cx.program.file_of(*of));
        match cx.program.members(common, cx.program.name_of(*first)) {
            [declared] if symbols.iter().any(|one| root(one) == root(declared)) => vec![*declared],
            _ => symbols,
        }
    }
}
