//! Classes: method resolution order, fields, descriptors, `self` and `super()`.

use std::rc::Rc;

use model::{
    SymbolKind,
    code::{Expression, ExpressionId, FieldFact, Flags, NameId, ScopeId, TypeExpression},
};
use rustc_hash::FxHashSet;

use super::PythonDialect;
use crate::{
    infer::{CallArguments, Inference, ResolvedMember, applied_to_own, is_function},
    names::Name,
    program::{FileIdx, Program, SymbolIdx},
    ty::{Applied, OWN_TYPE, Ty},
};

/// Maximum number of base classes to visit for one member, including repeated ones.
const MAX_BASES: usize = 128;

/// Returns true if a field is a variable of its class, and not only an attribute that a method assigns.
fn is_declared_in_class(program: &Program<'_>, field: SymbolIdx) -> bool {
    let enclosing = program.definition(field).parent;
    enclosing == program.parent(field).map(|class| program.definition_id(class).0)
}

/// Enum base classes, whose fields are instances of the class.
const ENUM_BASES: [&str; 6] = ["Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum"];

impl PythonDialect {
    /// Returns the method resolution order of a class: a shared base comes after all classes that derive from it.
    fn method_resolution_order(&self, cx: &mut Inference<'_>, of: &Applied) -> Vec<Applied> {
        let mut visited = Vec::new();
        let mut pending = vec![of.clone()];
        while let Some(applied) = pending.pop() {
            if visited.len() >= MAX_BASES {
                break;
            }
            let bases = cx.bases(applied.of);
            for base in bases.iter().rev() {
                if let Ty::Object(base) = base.substitute(applied.of, &applied.arguments) {
                    pending.push(base);
                }
            }
            visited.push(applied);
        }
        let mut seen = FxHashSet::default();
        let mut order: Vec<Applied> = visited.into_iter().rev().filter(|applied| seen.insert(applied.of)).collect();
        order.reverse();
        order
    }

    /// Returns a member of an object or class.
    pub(super) fn member_of_class(&self, cx: &mut Inference<'_>, file: FileIdx, of: &Ty, name: Name) -> ResolvedMember {
        let (Ty::Object(applied) | Ty::Class(applied)) = of else { return ResolvedMember::Unknown };
        let program = cx.program;
        let order = self.method_resolution_order(cx, applied);
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
                return ResolvedMember::Symbols(defined);
            }
            let is_declared = symbols.iter().any(|symbol| is_declared_in_class(program, *symbol));
            let is_enum = is_declared && matches!(of, Ty::Class(_)) && self.is_enum(cx, &order);
            symbols.iter().for_each(|symbol| cx.note_access(*symbol));
            if !is_declared {
                // A method of a subclass assigns to the attribute of a base.
                let bases = order.iter().skip_while(|other| other.of != base.of).skip(1);
                let inherited = bases.flat_map(|other| program.members(other.of, name)).filter(|other| is_field(other));
                inherited.for_each(|other| cx.note_access(*other));
            }
            if is_enum {
                return ResolvedMember::Value(Ty::Object(applied.clone()));
            }
            let value = self.field(cx, base.of, symbols, fields);
            let value = value.substitute(base.of, &base.arguments);
            let value = value.replace(&|part| is_own_type(part).then(|| of.clone()), 0);
            return ResolvedMember::Value(if is_declared { self.descriptor_value(cx, value) } else { value });
        }
        self.dynamic_member(cx, file, of, name, &order)
    }

    /// Returns the type of a field: the declared type, else the union of all assigned values.
    fn field(&self, cx: &mut Inference<'_>, class: SymbolIdx, symbols: &[SymbolIdx], fields: &[u32]) -> Ty {
        let program = cx.program;
        let file = program.file_of(class);
        let code = program.code(file);
        let facts: Vec<&FieldFact> = fields.iter().map(|field| &code.fields[*field as usize]).collect();
        let in_class = symbols.iter().find_map(|symbol| program.shape(*symbol).declared);
        if let Some(declared) = in_class.or_else(|| facts.iter().find_map(|fact| fact.declared)) {
            return cx.written_type(file, declared);
        }
        let in_class = symbols.iter().flat_map(|symbol| program.shape(*symbol).values.iter().copied());
        let values: Vec<ExpressionId> = in_class.chain(facts.iter().filter_map(|fact| fact.value)).collect();
        cx.deeper(|cx| cx.common_type(file, &values)).unwrap_or(Ty::Unknown)
    }

    fn is_enum(&self, cx: &mut Inference<'_>, order: &[Applied]) -> bool {
        order.iter().any(|class| has_base(cx.program, class.of, &ENUM_BASES))
    }

    /// Returns a field of a `NamedTuple` by position.
    pub(super) fn named_tuple_field(&self, cx: &mut Inference<'_>, of: &Ty, index: u32) -> Option<Ty> {
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

    /// Returns the result of `__get__` for a class field that is a descriptor.
    fn descriptor_value(&self, cx: &mut Inference<'_>, value: Ty) -> Ty {
        let Ty::Object(applied) = &value else { return value };
        let Some(name) = cx.program.name_named("__get__") else { return value };
        let order = self.method_resolution_order(cx, applied);
        let Some((class, getters)) = order.iter().find_map(|class| {
            let getters = cx.program.members(class.of, name);
            (!getters.is_empty()).then(|| (class.clone(), getters))
        }) else {
            return value;
        };
        // The overload for access through the class returns the descriptor itself.
        let results: Vec<Ty> = getters
            .iter()
            .map(|getter| cx.result_of(*getter))
            .filter(|result| !is_own_type(result) && !matches!(result, Ty::Object(of) if of.of == class.of))
            .map(|result| result.substitute(class.of, &class.arguments))
            .collect();
        Ty::one_of(results)
    }

    /// Returns a member without definition: `__class__`, or the result of `__getattr__`.
    fn dynamic_member(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        of: &Ty,
        name: Name,
        order: &[Applied],
    ) -> ResolvedMember {
        let program = cx.program;
        let text = program.text(name);
        match (text, of) {
            ("__class__", Ty::Object(applied)) => return ResolvedMember::Value(Ty::Class(applied.clone())),
            _ if text.starts_with("__") => return ResolvedMember::Unknown,
            _ => {}
        }
        let Some(getter) = program.name_named("__getattr__").filter(|_| matches!(of, Ty::Object(_))) else {
            return ResolvedMember::Unknown;
        };
        let found = order.iter().find_map(|class| program.members(class.of, getter).first().copied());
        match found {
            Some(getter) => {
                let callee = Ty::function(&[getter], Some(Rc::new(of.clone())));
                ResolvedMember::Value(cx.call(&callee, &CallArguments { file, types: &[], values: &[] }))
            }
            None => ResolvedMember::Unknown,
        }
    }

    /// Returns a special method of an object.
    pub(super) fn special_method(&self, cx: &mut Inference<'_>, file: FileIdx, of: &Ty, name: &str) -> Ty {
        match cx.program.name_named(name) {
            Some(name) => cx.member_value(file, of, name),
            None => Ty::Unknown,
        }
    }

    /// Returns the type of the first parameter of a method: the object, or the class in a class method.
    pub(super) fn receiver_type(&self, cx: &mut Inference<'_>, file: FileIdx, scope: ScopeId) -> Ty {
        let program = cx.program;
        let Some(class) = cx.type_around(file, scope) else { return Ty::Unknown };
        let Some(method) = program.code(file).definition_around(scope) else { return Ty::Unknown };
        if program.shape(program.symbol(file, method)).flags.has(Flags::CLASS_METHOD) {
            return Ty::Class(applied_to_own(program, class));
        }
        Ty::Parameter { of: class, index: OWN_TYPE }
    }

    /// Returns the result of `cls(…)`: an object of the class on which the method is called.
    pub(super) fn cls_call_result(&self, cx: &mut Inference<'_>, file: FileIdx, callee: ExpressionId) -> Option<Ty> {
        let code = cx.program.code(file);
        let Expression::Name { name, scope, .. } = code.expression(callee) else { return None };
        if code.name(*name) != "cls" {
            return None;
        }
        let Ty::Class(made) = cx.type_of(file, callee) else { return None };
        let enclosing = cx.type_around(file, *scope)?;
        (made.of == enclosing).then_some(Ty::Parameter { of: enclosing, index: OWN_TYPE })
    }

    /// Returns the value of `super()`: the bases in order.
    pub(super) fn super_object(&self, cx: &mut Inference<'_>, file: FileIdx, scope: ScopeId) -> Ty {
        let Some(class) = cx.type_around(file, scope) else { return Ty::Unknown };
        let bases = cx.bases(class);
        match &bases[..] {
            [single] => single.clone(),
            _ => Ty::Intersection(bases),
        }
    }

    /// Returns the type of an unannotated method parameter from the overridden method.
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
        let order = self.method_resolution_order(cx, &applied_to_own(program, class));
        for base in order.iter().skip(1) {
            let Some(overridden) = program.members(base.of, program.name_of(method)).last().copied() else { continue };
            if !is_function(program.definition(overridden).kind) {
                return None;
            }
            let base_file = program.file_of(overridden);
            let parameter = program.shape(overridden).parameters.get(index)?;
            let is_same = program.name(base_file, parameter.name) == program.name(file, name);
            let declared = parameter.declared.filter(|_| is_same)?;
            return Some(cx.written_type(base_file, declared).substitute(base.of, &base.arguments));
        }
        None
    }
}

/// Returns true if a type is the receiver's own type.
pub(super) fn is_own_type(ty: &Ty) -> bool {
    matches!(ty, Ty::Parameter { index: OWN_TYPE, .. })
}

/// Returns true if a class names one of these as a direct base.
fn has_base(program: &Program<'_>, class: SymbolIdx, names: &[&str]) -> bool {
    let code = program.code(program.file_of(class));
    program.shape(class).bases.iter().any(|base| match code.written(base.base) {
        TypeExpression::Named { path, .. } => path.last().is_some_and(|last| names.contains(&code.name(*last))),
        _ => false,
    })
}
