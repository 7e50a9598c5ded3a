//! Classes: the order in which bases are asked, fields, descriptors, `self` and `super()`.

use std::rc::Rc;

use model::{
    SymbolKind,
    code::{Expression, ExpressionId, FieldFact, Flags, NameId, ScopeId, TypeExpression},
};
use rustc_hash::FxHashSet;

use super::Python;
use crate::{
    infer::{Arguments, Inference, Member, OWN_TYPE, applied_to_own, is_function},
    names::Name,
    program::{FileIdx, Program, SymbolIdx},
    ty::{Applied, Ty},
};

/// The most bases that are looked through for one member, those that are met again included.
const MAX_BASES: usize = 128;

/// Bases whose fields are objects of the class itself.
const ENUMS: [&str; 6] = ["Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum"];

impl Python {
    /// Returns a class and those it builds on in the order in which they are asked: a base that several others share
    /// comes after all of them.
    fn order(&self, cx: &mut Inference<'_>, of: &Applied) -> Vec<Applied> {
        let mut met = Vec::new();
        let mut open = vec![of.clone()];
        while let Some(applied) = open.pop() {
            if met.len() >= MAX_BASES {
                break;
            }
            let bases = cx.bases(applied.of);
            for base in bases.iter().rev() {
                if let Ty::Object(base) = base.substitute(applied.of, &applied.arguments) {
                    open.push(base);
                }
            }
            met.push(applied);
        }
        let mut seen = FxHashSet::default();
        let mut order: Vec<Applied> = met.into_iter().rev().filter(|applied| seen.insert(applied.of)).collect();
        order.reverse();
        order
    }

    /// Returns a member of an object or a class.
    pub(super) fn member_of_class(&self, cx: &mut Inference<'_>, file: FileIdx, of: &Ty, name: Name) -> Member {
        let (Ty::Object(applied) | Ty::Class(applied)) = of else { return Member::Unknown };
        let program = cx.program;
        let order = self.order(cx, applied);
        for base in &order {
            let symbols = program.members(base.of, name);
            let fields = self.fields.get(&(base.of, name)).map_or(&[][..], Vec::as_slice);
            if symbols.is_empty() && fields.is_empty() {
                continue;
            }
            cx.consult(program.file_of(base.of));
            let is_field = |symbol: &SymbolIdx| program.definition(*symbol).kind == SymbolKind::Field;
            let defined: Vec<SymbolIdx> = symbols.iter().filter(|symbol| !is_field(symbol)).copied().collect();
            if !defined.is_empty() {
                return Member::Symbols(defined);
            }
            let is_enum = !symbols.is_empty() && matches!(of, Ty::Class(_)) && self.is_enum(cx, &order);
            if is_enum {
                return Member::Value(Ty::Object(applied.clone()));
            }
            let value = self.field(cx, base.of, symbols, fields);
            let value = value.substitute(base.of, &base.arguments);
            let value = value.replace(&|part| is_own(part).then(|| of.clone()), 0);
            return Member::Value(if symbols.is_empty() { value } else { self.described(cx, value) });
        }
        self.unlisted(cx, file, of, name, &order)
    }

    /// Returns what a class, or code in its methods, says of a field: the declared type, else one of all values.
    fn field(&self, cx: &mut Inference<'_>, class: SymbolIdx, symbols: &[SymbolIdx], fields: &[u32]) -> Ty {
        let program = cx.program;
        let file = program.file_of(class);
        let code = program.code(file);
        let facts: Vec<&FieldFact> = fields.iter().map(|field| &code.fields[*field as usize]).collect();
        let in_class = symbols.iter().find_map(|symbol| program.shape(*symbol).declared);
        if let Some(declared) = in_class.or_else(|| facts.iter().find_map(|fact| fact.declared)) {
            return cx.written(file, declared);
        }
        let in_class = symbols.iter().flat_map(|symbol| program.shape(*symbol).values.iter().copied());
        let values: Vec<ExpressionId> = in_class.chain(facts.iter().filter_map(|fact| fact.value)).collect();
        cx.deeper(|cx| cx.common(file, &values)).unwrap_or(Ty::Unknown)
    }

    fn is_enum(&self, cx: &mut Inference<'_>, order: &[Applied]) -> bool {
        order.iter().any(|class| has_base(cx.program, class.of, &ENUMS))
    }

    /// Returns a field of a `NamedTuple` by its place.
    pub(super) fn named_part(&self, cx: &mut Inference<'_>, of: &Ty, index: u32) -> Option<Ty> {
        let program = cx.program;
        let class = match of {
            Ty::Object(applied) => applied.of,
            Ty::Parameter { of, index: OWN_TYPE } => *of,
            _ => return None,
        };
        if !has_base(program, class, &["NamedTuple"]) {
            return None;
        }
        let is_field = |symbol: &SymbolIdx| {
            program.definition(*symbol).kind == SymbolKind::Field && program.parent(*symbol) == Some(class)
        };
        let field = program.symbols_of(program.file_of(class)).filter(is_field).nth(index as usize)?;
        Some(cx.variable(field))
    }

    /// A field of a class that is an object with `__get__` gives what that returns.
    fn described(&self, cx: &mut Inference<'_>, value: Ty) -> Ty {
        let Ty::Object(applied) = &value else { return value };
        let Some(name) = cx.program.name_named("__get__") else { return value };
        let order = self.order(cx, applied);
        let Some((class, getters)) = order.iter().find_map(|class| {
            let getters = cx.program.members(class.of, name);
            (!getters.is_empty()).then(|| (class.clone(), getters))
        }) else {
            return value;
        };
        // One overload is for the class itself, and gives the descriptor.
        let results: Vec<Ty> = getters
            .iter()
            .map(|getter| cx.result_of(*getter))
            .filter(|result| !is_own(result) && !matches!(result, Ty::Object(of) if of.of == class.of))
            .map(|result| result.substitute(class.of, &class.arguments))
            .collect();
        Ty::one_of(results)
    }

    /// Members that no class lists.
    fn unlisted(&self, cx: &mut Inference<'_>, file: FileIdx, of: &Ty, name: Name, order: &[Applied]) -> Member {
        let program = cx.program;
        let text = program.text(name);
        match (text, of) {
            ("__class__", Ty::Object(applied)) => return Member::Value(Ty::Class(applied.clone())),
            _ if text.starts_with("__") => return Member::Unknown,
            _ => {}
        }
        let Some(getter) = program.name_named("__getattr__").filter(|_| matches!(of, Ty::Object(_))) else {
            return Member::Unknown;
        };
        let found = order.iter().find_map(|class| program.members(class.of, getter).first().copied());
        match found {
            Some(getter) => {
                let callee = Ty::function(&[getter], Some(Rc::new(of.clone())));
                Member::Value(cx.call(&callee, &Arguments { file, types: &[], values: &[] }))
            }
            None => Member::Unknown,
        }
    }

    /// Returns a method that the language calls by itself.
    pub(super) fn special(&self, cx: &mut Inference<'_>, file: FileIdx, of: &Ty, name: &str) -> Ty {
        match cx.program.name_named(name) {
            Some(name) => cx.member_value(file, of, name),
            None => Ty::Unknown,
        }
    }

    /// Returns the object that the first parameter of a method is; the class, where it is a class method.
    pub(super) fn receiver(&self, cx: &mut Inference<'_>, file: FileIdx, scope: ScopeId) -> Ty {
        let program = cx.program;
        let Some(class) = cx.type_around(file, scope) else { return Ty::Unknown };
        let Some(method) = program.code(file).definition_around(scope) else { return Ty::Unknown };
        if program.shape(program.symbol(file, method)).flags.has(Flags::CLASS_METHOD) {
            return Ty::Class(applied_to_own(program, class));
        }
        Ty::Parameter { of: class, index: OWN_TYPE }
    }

    /// `cls(…)` makes an object of the class that the method was asked of.
    pub(super) fn made_by_own_class(&self, cx: &mut Inference<'_>, file: FileIdx, callee: ExpressionId) -> Option<Ty> {
        let code = cx.program.code(file);
        let Expression::Name { name, scope, .. } = code.expression(callee) else { return None };
        if code.name(*name) != "cls" {
            return None;
        }
        let Ty::Class(made) = cx.type_of(file, callee) else { return None };
        let around = cx.type_around(file, *scope)?;
        (made.of == around).then_some(Ty::Parameter { of: around, index: OWN_TYPE })
    }

    /// Returns what `super()` is: the bases, asked one after the other.
    pub(super) fn super_of(&self, cx: &mut Inference<'_>, file: FileIdx, scope: ScopeId) -> Ty {
        let Some(class) = cx.type_around(file, scope) else { return Ty::Unknown };
        let bases = cx.bases(class);
        match &bases[..] {
            [single] => single.clone(),
            _ => Ty::Intersection(bases),
        }
    }

    /// Returns the type of a parameter without annotation of a method: the one that it has in a base.
    pub(super) fn inherited_parameter(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        scope: ScopeId,
        name: NameId,
    ) -> Option<Ty> {
        let program = cx.program;
        let method = program.code(file).scopes.get(scope.index())?.definition?;
        let method = program.symbol(file, method);
        let parameters = &program.shape(method).parameters;
        let index = parameters.iter().position(|parameter| parameter.name == name && !parameter.is_variadic)?;
        let class = program.parent(method).filter(|class| program.definition(*class).kind.is_type())?;
        let order = self.order(cx, &applied_to_own(program, class));
        for base in order.iter().skip(1) {
            let Some(overridden) = program.members(base.of, program.name_of(method)).last().copied() else { continue };
            if !is_function(program.definition(overridden).kind) {
                return None;
            }
            let base_file = program.file_of(overridden);
            let parameter = program.shape(overridden).parameters.get(index)?;
            let is_same = program.name(base_file, parameter.name) == program.name(file, name);
            let declared = parameter.declared.filter(|_| is_same)?;
            return Some(cx.written(base_file, declared).substitute(base.of, &base.arguments));
        }
        None
    }
}

/// Says whether a type is that of the object itself.
pub(super) fn is_own(ty: &Ty) -> bool {
    matches!(ty, Ty::Parameter { index: OWN_TYPE, .. })
}

/// Says whether a class names one of these as a base.
fn has_base(program: &Program<'_>, class: SymbolIdx, names: &[&str]) -> bool {
    let code = program.code(program.file_of(class));
    program.shape(class).bases.iter().any(|base| match code.written(base.base) {
        TypeExpression::Named { path, .. } => path.last().is_some_and(|last| names.contains(&code.name(*last))),
        _ => false,
    })
}
