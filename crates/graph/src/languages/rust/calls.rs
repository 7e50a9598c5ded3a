//! Calls: what is called.

use std::rc::Rc;

use model::{
    SymbolKind,
    code::{Expression, ExpressionId, Flags, TypeId},
};

use super::{
    Rust,
    methods::{Method, may_be},
    scopes::{Named, Space},
    standard::{self, StandardFunction},
};
use crate::{
    infer::{Inference, is_function},
    names::Name,
    program::{FileIdx, SymbolIdx},
    ty::Ty,
};

/// Functions that make one type of another, which many types have for many others.
const CONVERSIONS: [&str; 2] = ["from", "try_from"];

/// What a call calls.
#[derive(Debug)]
pub(super) enum Callee {
    /// Functions of the repository, with the object or type that they are asked of. A method that is called by its path has
    /// its object as the first argument.
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
    /// A struct or variant that is made of what it holds.
    Made {
        of: SymbolIdx,
        owner: Option<Ty>,
    },
    /// It gives an object of the same type.
    Same(Ty),
    /// A value that is called: a closure.
    Value(Ty),
}

impl Callee {
    /// Returns it as the type of a value.
    pub(super) fn as_ty(&self) -> Ty {
        match self {
            Callee::Symbols { symbols, receiver, .. } => Ty::function(symbols, receiver.clone().map(Rc::new)),
            Callee::Standard { .. } | Callee::Same(_) => Ty::External,
            // That something is made of its parts is no call.
            Callee::Made { .. } => Ty::External,
            Callee::Value(Ty::Function { .. } | Ty::Class(_)) => Ty::External,
            Callee::Value(ty) => ty.clone(),
        }
    }
}

/// The parts of a call.
#[derive(Clone, Copy)]
pub(super) struct Call<'c> {
    pub(super) file: FileIdx,
    pub(super) callee: ExpressionId,
    pub(super) type_arguments: &'c [TypeId],
    pub(super) arguments: &'c [ExpressionId],
}

impl Rust {
    /// Returns the parts of an expression that is a call.
    pub(super) fn call<'p>(&self, cx: &Inference<'p>, file: FileIdx, site: ExpressionId) -> Option<Call<'p>> {
        match cx.program.code(file).expression(site) {
            Expression::Call { callee, type_arguments, arguments } => {
                Some(Call { file, callee: *callee, type_arguments, arguments })
            }
            _ => None,
        }
    }

    /// Returns what a call calls.
    pub(super) fn callee_of(&self, cx: &mut Inference<'_>, file: FileIdx, site: ExpressionId) -> Option<Callee> {
        let call = self.call(cx, file, site)?;
        let program = cx.program;
        match program.code(file).expression(call.callee) {
            Expression::Member { of, name } => {
                let name = program.name(file, *name);
                let of = cx.type_of(file, *of);
                Some(self.method_callee(cx, call, &of, name))
            }
            Expression::Name { name, .. } if program.code(file).name(*name).ends_with('!') => {
                let text = program.code(file).name(*name);
                Some(self.macro_callee(cx, file, text.trim_end_matches('!')))
            }
            Expression::Name { .. } | Expression::Path { .. } => {
                let named = self.named(cx, file, call.callee, Space::Values);
                Some(self.named_callee(cx, call, named))
            }
            _ => Some(Callee::Value(cx.type_of(file, call.callee))),
        }
    }

    fn method_callee(&self, cx: &mut Inference<'_>, call: Call<'_>, of: &Ty, name: Name) -> Callee {
        let mut all: Vec<SymbolIdx> = Vec::new();
        let mut receiver = None;
        let mut other = None;
        for ty in of.alternatives() {
            match self.method(cx, ty, name) {
                Some(Method::Symbols { symbols, receiver: found }) => {
                    let symbols = self.narrowed(cx, symbols, call, 0);
                    let symbols = self.declared_for_all(cx, symbols);
                    all.extend(symbols.into_iter().filter(|symbol| is_function(cx.program.definition(*symbol).kind)));
                    receiver = receiver.or(Some(found));
                }
                Some(Method::Standard { of, function }) => {
                    other = other.or(Some(Callee::Standard { of, function, n_skipped: 0 }));
                }
                Some(Method::Same(of)) => other = other.or(Some(Callee::Same(of))),
                Some(Method::External) => {
                    let field = self.field(cx, ty, name);
                    let field = if field.is_unknown() { Ty::External } else { field };
                    other = other.or(Some(Callee::Value(field)));
                }
                None => {}
            }
        }
        if !all.is_empty() {
            all.dedup();
            return Callee::Symbols { symbols: all, receiver, n_skipped: 0 };
        }
        other.unwrap_or(Callee::Value(Ty::Unknown))
    }

    fn macro_callee(&self, cx: &mut Inference<'_>, file: FileIdx, text: &str) -> Callee {
        let program = cx.program;
        let Some(name) = program.name_named(text) else { return Callee::Value(Ty::External) };
        let is_macro = |symbol: &&SymbolIdx| program.definition(**symbol).kind == SymbolKind::Macro;
        let all: Vec<SymbolIdx> = program.named(name).iter().filter(is_macro).copied().collect();
        let here: Vec<SymbolIdx> = all.iter().filter(|symbol| program.file_of(**symbol) == file).copied().collect();
        let symbols = if here.is_empty() { all } else { here };
        match symbols.len() {
            1 => Callee::Symbols { symbols, receiver: None, n_skipped: 0 },
            _ => Callee::Value(Ty::External),
        }
    }

    fn named_callee(&self, cx: &mut Inference<'_>, call: Call<'_>, named: Named) -> Callee {
        let program = cx.program;
        let (found, owner) = match named {
            Named::Found(found, owner) => (found, owner),
            Named::Value(ty) => return Callee::Value(ty),
            Named::Foreign(_) => return self.foreign_callee(cx, call, None),
            Named::Type(Ty::Object(applied)) => {
                return Callee::Made { of: applied.of, owner: Some(Ty::Object(applied)) };
            }
            Named::Type(_) => return Callee::Value(Ty::External),
            Named::Nothing => return Callee::Value(Ty::Unknown),
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
                SymbolKind::Variant | SymbolKind::Struct => return Callee::Made { of: *symbol, owner },
                SymbolKind::TypeAlias => {
                    if let Ty::Object(applied) = cx.variable(*symbol) {
                        return Callee::Made { of: applied.of, owner: Some(Ty::Object(applied)) };
                    }
                }
                SymbolKind::Constant | SymbolKind::Variable => return Callee::Value(cx.variable(*symbol)),
                _ => {}
            }
        }
        if !found.is_external {
            return Callee::Value(Ty::Unknown);
        }
        self.foreign_callee(cx, call, owner)
    }

    /// A method that is called by its path. That of a trait is the one that its object has.
    fn path_callee(
        &self,
        cx: &mut Inference<'_>,
        call: Call<'_>,
        functions: Vec<SymbolIdx>,
        owner: Option<Ty>,
        n_skipped: usize,
    ) -> Callee {
        let program = cx.program;
        let functions = self.narrowed(cx, functions, call, n_skipped);
        let is_foreign = matches!(owner, Some(Ty::Foreign(_) | Ty::Builtin { .. }));
        if is_foreign && CONVERSIONS.contains(&program.text(program.name_of(functions[0]))) {
            // Types from elsewhere are made of much; only what is sure is made of a type of the repository.
            let certain: Vec<SymbolIdx> =
                functions.into_iter().filter(|of| self.takes_certainly(cx, *of, call)).collect();
            return match certain.is_empty() {
                true => self.foreign_callee(cx, call, owner),
                false => Callee::Symbols { symbols: certain, receiver: owner, n_skipped },
            };
        }
        let is_trait =
            |ty: &Ty| matches!(ty, Ty::Object(applied) if program.definition(applied.of).kind == SymbolKind::Trait);
        if n_skipped == 1
            && owner.as_ref().is_some_and(is_trait)
            && let Some(object) = call.arguments.first()
        {
            let object = cx.type_of(call.file, *object);
            let name = program.name_of(functions[0]);
            if let Some(Method::Symbols { symbols, receiver }) = self.method(cx, &object, name) {
                return Callee::Symbols { symbols, receiver: Some(receiver), n_skipped };
            }
        }
        Callee::Symbols { symbols: functions, receiver: owner, n_skipped }
    }

    /// Says whether the first argument of a call is of the type of the repository that a function takes.
    fn takes_certainly(&self, cx: &mut Inference<'_>, of: SymbolIdx, call: Call<'_>) -> bool {
        let declared = cx.program.shape(of).parameters.first().and_then(|parameter| parameter.declared);
        let (Some(declared), Some(given)) = (declared, call.arguments.first()) else { return false };
        let expected = cx.written(cx.program.file_of(of), declared);
        let given = cx.type_of(call.file, *given);
        matches!((expected, given), (Ty::Object(expected), Ty::Object(given)) if expected.of == given.of)
    }

    /// A function of another repository, which may be one of the table: by the name of its type or module, or by its own.
    fn foreign_callee(&self, cx: &mut Inference<'_>, call: Call<'_>, owner: Option<Ty>) -> Callee {
        if let Some(made) = self.derived(cx, call, owner.as_ref()) {
            return made;
        }
        let program = cx.program;
        let code = program.code(call.file);
        let external = Callee::Value(Ty::External);
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
        let of = match owner {
            Some(Ty::Builtin { name, arguments }) => Ty::Builtin { name, arguments },
            _ => match standard::canonical(head) {
                Some(known) => Ty::builtin(known, []),
                None => return external,
            },
        };
        let Ty::Builtin { name: known, .. } = &of else { return external };
        match standard::standard(known).and_then(|known| known.function(name)) {
            Some(function) => Callee::Standard { of, function, n_skipped: usize::from(!function.is_static) },
            None if name == "default" => {
                Callee::Value(Ty::FunctionType { parameters: Rc::new([]), result: Rc::new(of) })
            }
            None => external,
        }
    }

    /// What traits of the standard library give a type of the repository without a word in it gives that type.
    fn derived(&self, cx: &Inference<'_>, call: Call<'_>, owner: Option<&Ty>) -> Option<Callee> {
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
        Some(Callee::Value(Ty::FunctionType { parameters: Rc::new([]), result: Rc::new(result) }))
    }

    /// Returns those of several functions whose parameters may be what is given: implementations of one trait for several
    /// arguments of its own.
    fn narrowed(
        &self,
        cx: &mut Inference<'_>,
        functions: Vec<SymbolIdx>,
        call: Call<'_>,
        n_skipped: usize,
    ) -> Vec<SymbolIdx> {
        if functions.len() < 2 {
            return functions;
        }
        let given: Vec<Ty> =
            call.arguments.iter().skip(n_skipped).map(|argument| cx.type_of(call.file, *argument)).collect();
        let fitting: Vec<SymbolIdx> = functions
            .iter()
            .filter(|of| {
                let parameters = &cx.program.shape(**of).parameters;
                parameters.len() == given.len()
                    && parameters.iter().zip(&given).all(|(parameter, given)| {
                        let file = cx.program.file_of(**of);
                        let expected = parameter.declared.map_or(Ty::Unknown, |declared| cx.written(file, declared));
                        may_be(&expected, given)
                    })
            })
            .copied()
            .collect();
        if fitting.is_empty() { functions } else { fitting }
    }

    /// Where several implementations of one trait are left, what the trait declares stands for them.
    fn declared_for_all(&self, cx: &Inference<'_>, symbols: Vec<SymbolIdx>) -> Vec<SymbolIdx> {
        let (Some(impls), [first, _, ..]) = (self.impls.get(), symbols.as_slice()) else { return symbols };
        let trait_of = |symbol: &SymbolIdx| impls.around(*symbol).and_then(|one| one.own_trait());
        let Some(common) = trait_of(first).filter(|common| symbols.iter().all(|one| trait_of(one) == Some(*common)))
        else {
            return symbols;
        };
        match cx.program.members(common, cx.program.name_of(*first)) {
            [declared] => vec![*declared],
            _ => symbols,
        }
    }
}
