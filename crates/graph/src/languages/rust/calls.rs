//! Calls: what is called, and what it gives.

use std::rc::Rc;

use model::{
    SymbolKind,
    code::{Expression, ExpressionId, Flags, TypeId},
};

use super::{
    Rust,
    bindings::Bindings,
    lookup::Found,
    methods::{Method, may_be},
    scopes::{Named, Space},
    standard::{self, Note, StandardFunction},
};
use crate::{
    infer::{Inference, is_function},
    names::Name,
    program::{FileIdx, SymbolIdx},
    ty::{Applied, Ty},
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
    callee: ExpressionId,
    type_arguments: &'c [TypeId],
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

    /// Returns what a call gives.
    pub(super) fn result(&self, cx: &mut Inference<'_>, file: FileIdx, site: ExpressionId) -> Ty {
        let (Some(call), Some(callee)) = (self.call(cx, file, site), self.callee_of(cx, file, site)) else {
            return Ty::Unknown;
        };
        match callee {
            Callee::Symbols { symbols, receiver, n_skipped } => {
                let results: Vec<Ty> = symbols
                    .iter()
                    .take(4)
                    .map(|of| self.result_of_symbol(cx, *of, receiver.as_ref(), call, n_skipped))
                    .collect();
                Ty::one_of(results)
            }
            Callee::Standard { of, function, n_skipped } => self.standard_result(cx, &of, function, call, n_skipped),
            Callee::Made { of, owner } => self.made(cx, of, owner, call),
            Callee::Same(ty) => ty,
            Callee::Value(ty) => match ty {
                Ty::FunctionType { result, .. } => (*result).clone(),
                Ty::Closure { file, expression } => cx.closure_result(file, expression),
                Ty::Parameter { of, index } => {
                    let bounds = self.bounds_of(cx, of, index);
                    match bounds.into_iter().find(|bound| matches!(bound, Ty::FunctionType { .. })) {
                        Some(Ty::FunctionType { result, .. }) => (*result).clone(),
                        _ => Ty::Unknown,
                    }
                }
                Ty::Builtin { name: "Box" | "Rc", arguments } => match arguments.first() {
                    Some(Ty::FunctionType { result, .. }) => (**result).clone(),
                    _ => Ty::Unknown,
                },
                Ty::External | Ty::Foreign(_) => Ty::External,
                _ => Ty::Unknown,
            },
        }
    }

    /// Returns what stands for the parameters of a function in a call, but for what its closures give.
    pub(super) fn bindings_of(
        &self,
        cx: &mut Inference<'_>,
        of: SymbolIdx,
        receiver: Option<&Ty>,
        call: Call<'_>,
        n_skipped: usize,
        with_closures: bool,
    ) -> Bindings {
        let program = cx.program;
        let file = program.file_of(of);
        let mut bindings = Bindings::for_own(receiver);
        let around = self.impls.get().and_then(|impls| impls.around(of));
        if let Some(one) = around {
            if let Some(receiver) = receiver {
                let given = one.of(cx);
                bindings.unify(self, cx, &given, receiver);
            }
            bindings.own = None;
            if let Some((_, extension)) = self.extension_of_member.get(&of) {
                let members = &program.code(one.file).extensions[*extension as usize].members;
                bindings.closed.extend(members.first().map(|first| program.symbol(one.file, *first)));
            }
        } else if let Some(parent) = program.parent(of)
            && program.definition(parent).kind == SymbolKind::Trait
            && let Some(receiver) = receiver
        {
            for (index, argument) in self.arguments_of_trait(cx, receiver, parent).into_iter().enumerate() {
                bindings.bind(parent, index as u32, argument);
            }
        }
        bindings.closed.push(of);
        for (index, written) in call.type_arguments.iter().enumerate() {
            let given = cx.written(call.file, *written);
            bindings.bind(of, index as u32, given);
        }
        let given = call.arguments.iter().skip(n_skipped);
        for (parameter, argument) in program.shape(of).parameters.iter().zip(given) {
            let is_closure = matches!(program.code(call.file).expression(*argument), Expression::Function { .. });
            if is_closure && !with_closures {
                continue;
            }
            let Some(declared) = parameter.declared else { continue };
            let expected = cx.written(file, declared);
            let given = cx.type_of(call.file, *argument);
            bindings.unify(self, cx, &expected, &given);
        }
        bindings
    }

    fn result_of_symbol(
        &self,
        cx: &mut Inference<'_>,
        of: SymbolIdx,
        receiver: Option<&Ty>,
        call: Call<'_>,
        n_skipped: usize,
    ) -> Ty {
        let result = cx.result_of(of);
        if !is_generic(&result, 0) {
            return result;
        }
        let mut bindings = self.bindings_of(cx, of, receiver, call, n_skipped, true);
        bindings.apply(self, cx, &result)
    }

    /// Returns what stands for the parameters of a trait, as a type implements it.
    fn arguments_of_trait(&self, cx: &mut Inference<'_>, of: &Ty, wanted: SymbolIdx) -> Vec<Ty> {
        if cx.program.shape(wanted).type_parameters.is_empty() {
            return Vec::new();
        }
        match of {
            Ty::Object(applied) if applied.of == wanted => applied.arguments.to_vec(),
            Ty::Parameter { of, index } => {
                let bounds = self.bounds_of(cx, *of, *index);
                let found = bounds.into_iter().find_map(|bound| match bound {
                    Ty::Object(applied) if applied.of == wanted => Some(applied.arguments.to_vec()),
                    _ => None,
                });
                found.unwrap_or_default()
            }
            of => {
                let Some(impls) = self.impls.get() else { return Vec::new() };
                let Some(one) = impls.of_type(cx, of).find(|one| one.own_trait() == Some(wanted)) else {
                    return Vec::new();
                };
                match one.implements(cx).map(|given| self.for_object(cx, one, of, given)) {
                    Some(Ty::Object(applied)) => applied.arguments.to_vec(),
                    _ => Vec::new(),
                }
            }
        }
    }

    /// Returns the object that a struct or variant is made to.
    fn made(&self, cx: &mut Inference<'_>, of: SymbolIdx, owner: Option<Ty>, call: Call<'_>) -> Ty {
        let program = cx.program;
        let made = match program.definition(of).kind {
            SymbolKind::Variant => program.parent(of).unwrap_or(of),
            _ => of,
        };
        let n_parameters = program.shape(made).type_parameters.len();
        if let Some(Ty::Object(applied)) = &owner
            && (applied.of == made && !applied.arguments.is_empty() || n_parameters == 0)
        {
            return Ty::Object(Applied { of: made, arguments: applied.arguments.clone() });
        }
        let mut bindings = Bindings::default();
        for (parameter, argument) in program.shape(of).parameters.iter().zip(call.arguments) {
            if n_parameters == 0 {
                break;
            }
            let Some(declared) = parameter.declared else { continue };
            let expected = cx.written(program.file_of(of), declared);
            let given = cx.type_of(call.file, *argument);
            bindings.unify(self, cx, &expected, &given);
        }
        let arguments: Vec<Ty> =
            (0..n_parameters as u32).map(|index| bindings.get(made, index).cloned().unwrap_or(Ty::Unknown)).collect();
        Ty::Object(Applied { of: made, arguments: arguments.into() })
    }

    fn standard_result(
        &self,
        cx: &mut Inference<'_>,
        of: &Ty,
        function: &'static StandardFunction,
        call: Call<'_>,
        n_skipped: usize,
    ) -> Ty {
        let receiver = match n_skipped {
            0 => of.clone(),
            _ => call.arguments.first().map_or(Ty::Unknown, |object| cx.type_of(call.file, *object)),
        };
        if function.result == Note::Open {
            return self.open_result(cx, &receiver, call);
        }
        let mut bindings = self.standard_bindings(cx, &receiver, function, call, n_skipped, true);
        bindings.own = Some(receiver);
        bindings.note(self, cx, &function.result)
    }

    pub(super) fn standard_bindings(
        &self,
        cx: &mut Inference<'_>,
        receiver: &Ty,
        function: &'static StandardFunction,
        call: Call<'_>,
        n_skipped: usize,
        with_closures: bool,
    ) -> Bindings {
        let mut bindings = Bindings::standard(receiver);
        let given = call.arguments.iter().skip(n_skipped);
        for (note, argument) in function.parameters.iter().zip(given) {
            let is_closure = matches!(cx.program.code(call.file).expression(*argument), Expression::Function { .. });
            if is_closure && !with_closures {
                continue;
            }
            let given = cx.type_of(call.file, *argument);
            bindings.unify_note(self, cx, note, &given);
        }
        bindings
    }

    /// What `collect`, `parse` and the like give is written behind their names, or where the value goes.
    fn open_result(&self, cx: &mut Inference<'_>, receiver: &Ty, call: Call<'_>) -> Ty {
        let program = cx.program;
        let name = match program.code(call.file).expression(call.callee) {
            Expression::Member { name, .. } | Expression::Path { name, .. } => program.code(call.file).name(*name),
            _ => return Ty::Unknown,
        };
        let written = call.type_arguments.first().map(|written| cx.written(call.file, *written));
        match (name, written) {
            ("parse", Some(written)) => Ty::builtin("Result", [written, Ty::External]),
            ("collect", Some(written)) => self.filled(cx, written, receiver, 0),
            // Of what is collected at least the items are known.
            ("collect", None) => Ty::builtin("Iterator", [self.item_of(cx, receiver)]),
            ("partition", _) => {
                let items = Ty::builtin("Vec", [self.item_of(cx, receiver)]);
                Ty::Tuple([items.clone(), items].into())
            }
            (_, Some(written)) => written,
            _ => Ty::Unknown,
        }
    }

    /// Returns a written type whose unknown parts are what a collected value has.
    pub(super) fn filled(&self, cx: &mut Inference<'_>, written: Ty, value: &Ty, depth: u32) -> Ty {
        let Ty::Builtin { name, arguments } = &written else { return written };
        if depth > 3 || !arguments.iter().any(has_unknown) {
            return written;
        }
        if let Ty::Builtin { name: given, arguments: known } = value
            && given == name
        {
            let parts = arguments.iter().zip(known.iter());
            let filled: Vec<Ty> = parts
                .map(|(written, known)| match written {
                    Ty::Unknown => known.clone(),
                    written => self.filled(cx, written.clone(), known, depth + 1),
                })
                .collect();
            return Ty::builtin(name, filled);
        }
        let item = self.item_of(cx, value);
        let filled: Vec<Ty> = match (*name, arguments.as_ref()) {
            ("HashMap", [key, value]) => {
                let parts = match &item {
                    Ty::Tuple(parts) if parts.len() == 2 => [parts[0].clone(), parts[1].clone()],
                    _ => [Ty::Unknown, Ty::Unknown],
                };
                let [own_key, own_value] = parts;
                let or = |written: &Ty, own: Ty| if written.is_unknown() { own } else { written.clone() };
                vec![or(key, own_key), or(value, own_value)]
            }
            // A collection of results is the result of a collection.
            ("Result" | "Option", [first, rest @ ..]) => {
                let inner = match &item {
                    Ty::Builtin { name: given, arguments } if given == name => {
                        arguments.first().cloned().unwrap_or(Ty::Unknown)
                    }
                    _ => Ty::Unknown,
                };
                let inner = Ty::builtin("Iterator", [inner]);
                let first = self.filled(cx, first.clone(), &inner, depth + 1);
                [first].into_iter().chain(rest.iter().cloned()).collect()
            }
            (_, [Ty::Unknown, ..]) => vec![item],
            (_, [first, ..]) => vec![self.filled(cx, first.clone(), &item, depth + 1)],
            _ => return written,
        };
        Ty::builtin(name, filled)
    }

    /// Returns a value as the first of what was found that is one.
    pub(super) fn value_of_found(&self, cx: &mut Inference<'_>, found: &Found, owner: Option<&Ty>) -> Ty {
        let program = cx.program;
        let kind = |symbol: &SymbolIdx| program.definition(*symbol).kind;
        let functions: Vec<SymbolIdx> = found
            .symbols
            .iter()
            .filter(|symbol| is_function(kind(symbol)) && kind(symbol) != SymbolKind::Macro)
            .copied()
            .collect();
        if !functions.is_empty() {
            return Ty::function(&functions, owner.cloned().map(Rc::new));
        }
        for symbol in &found.symbols {
            cx.consult(program.file_of(*symbol));
            match kind(symbol) {
                SymbolKind::Constant | SymbolKind::Variable => {
                    let ty = cx.variable(*symbol);
                    let Some(owner) = owner else { return ty };
                    return match self.impls.get().and_then(|impls| impls.around(*symbol)) {
                        Some(one) => self.for_object(cx, one, owner, ty),
                        None => ty,
                    };
                }
                SymbolKind::Variant => {
                    let Some(of) = program.parent(*symbol) else { return Ty::Unknown };
                    return match owner {
                        Some(Ty::Object(applied)) if applied.of == of => Ty::Object(applied.clone()),
                        _ => Ty::object(of),
                    };
                }
                // A struct without fields is the one object of it; one with fields is a function.
                SymbolKind::Struct if program.shape(*symbol).parameters.is_empty() => return Ty::object(*symbol),
                SymbolKind::Struct => return Ty::class(*symbol),
                _ => {}
            }
        }
        if found.is_external { Ty::External } else { Ty::Unknown }
    }
}

/// Says whether a type is written in terms of parameters.
fn is_generic(ty: &Ty, depth: u32) -> bool {
    let any = |types: &[Ty]| types.iter().any(|ty| is_generic(ty, depth + 1));
    match ty {
        _ if depth > 8 => true,
        Ty::Parameter { .. } => true,
        Ty::Object(applied) | Ty::Class(applied) => any(&applied.arguments),
        Ty::Builtin { arguments: types, .. } | Ty::Tuple(types) | Ty::Union(types) | Ty::Intersection(types) => {
            any(types)
        }
        Ty::FunctionType { parameters, result } => any(parameters) || is_generic(result, depth + 1),
        _ => false,
    }
}

/// Says whether a part of a type is not known.
pub(super) fn has_unknown(ty: &Ty) -> bool {
    match ty {
        Ty::Unknown => true,
        Ty::Builtin { arguments, .. } => arguments.iter().any(has_unknown),
        _ => false,
    }
}
