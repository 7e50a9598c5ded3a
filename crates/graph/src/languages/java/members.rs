//! Declared and inherited fields and methods.

use model::{
    SymbolKind,
    code::{Expression, Flags, ScopeId},
};

use super::{
    JavaDialect,
    ancestry::{apply, same_head},
    packages::{MAX_SCOPES, is_type},
    standard_library,
    types::{ARRAY, simple_type},
};
use crate::{
    infer::{Inference, applied_to_own},
    names::Name,
    program::{FileIdx, Program, SymbolIdx},
    ty::Ty,
};

/// Maximum number of definitions of one name in a type to inspect; real code has some dozens.
const MAX_OVERLOADS: usize = 192;

/// The methods of one name that a type declares or inherits.
#[derive(Default)]
pub(super) struct MethodSet {
    /// Methods with the supertype that declares them, nearest first.
    pub(super) candidates: Vec<(SymbolIdx, Ty)>,
    /// The nearest standard library supertype with such a method.
    pub(super) standard: Option<Ty>,
    /// True if a supertype is unknown, so that further methods may exist.
    pub(super) is_open: bool,
}

impl MethodSet {
    /// Returns true if the set has any method.
    pub(super) fn has_any(&self) -> bool {
        !self.candidates.is_empty() || self.standard.is_some()
    }
}

impl JavaDialect {
    /// Returns the type of a field.
    pub(super) fn field(&self, cx: &mut Inference<'_>, of: &Ty, name: Name) -> Option<Ty> {
        let program = cx.program;
        match of {
            Ty::Builtin { name: ARRAY, .. } if program.text(name) == "length" => return Some(simple_type("int")),
            Ty::Builtin { .. } => {
                return standard_library::as_library_type(of).and_then(|(known, _)| known.field(program.text(name)));
            }
            Ty::Unknown | Ty::External | Ty::Foreign(_) => return None,
            _ => {}
        }
        for ancestor in self.ancestry(cx, of) {
            let (Ty::Object(applied) | Ty::Class(applied)) = &ancestor else { continue };
            let is_same_type = same_head(&ancestor, of);
            let field = self.own_members(program, applied.of, name).find(|member| {
                let is_seen = is_same_type || !program.shape(*member).flags.has(Flags::PRIVATE);
                is_seen && is_field(program.definition(*member).kind)
            });
            if let Some(field) = field {
                cx.consult(program.file_of(field));
                let declared = cx.variable(field);
                return Some(apply(&declared, applied));
            }
        }
        None
    }

    /// Returns the definitions of a name in the body of a type, without those in anonymous classes.
    pub(super) fn own_members(
        &self,
        program: &Program<'_>,
        of: SymbolIdx,
        name: Name,
    ) -> impl Iterator<Item = SymbolIdx> {
        let owner = program.definition_id(of).0;
        let nameless = self.file(program.file_of(of)).map(|known| &known.anonymous_members);
        let members = program.members(of, name).iter().take(MAX_OVERLOADS).copied();
        members.filter(move |member| {
            let is_nameless = || nameless.is_some_and(|all| all.contains(&program.definition_id(*member)));
            program.definition(*member).parent == Some(owner) && !is_nameless()
        })
    }

    /// Returns the methods of a name that a value or type has.
    pub(super) fn methods(&self, cx: &mut Inference<'_>, of: &Ty, name: Name) -> MethodSet {
        let program = cx.program;
        let mut found = MethodSet::default();
        for ancestor in self.ancestry(cx, of) {
            match &ancestor {
                Ty::Object(applied) | Ty::Class(applied) => {
                    let members: Vec<SymbolIdx> = self.own_members(program, applied.of, name).collect();
                    let kind_of = |member: &SymbolIdx| program.definition(*member).kind;
                    let methods = members.iter().filter(|member| kind_of(member) == SymbolKind::Method);
                    // Private methods are not inherited.
                    let is_inherited = |method: &SymbolIdx| {
                        same_head(&ancestor, of) || !program.shape(*method).flags.has(Flags::PRIVATE)
                    };
                    let methods = methods.filter(|method| is_inherited(method));
                    found.candidates.extend(methods.map(|method| (*method, ancestor.clone())));
                    // The implicit accessor of a record component has no definition: the component represents it.
                    let component = members
                        .iter()
                        .find(|member| is_field(kind_of(member)) && program.shape(**member).flags.has(Flags::PROPERTY));
                    if let Some(component) = component
                        && !found.candidates.iter().any(|(method, _)| program.shape(*method).parameters.is_empty())
                    {
                        found.candidates.push((*component, ancestor.clone()));
                    }
                }
                Ty::Closure { file, expression } => {
                    let index = self.file(*file).and_then(|known| known.anonymous_made.get(expression));
                    let anonymous = index.and_then(|index| program.code(*file).anonymous.get(*index as usize));
                    for member in anonymous.map(|anonymous| &*anonymous.members).unwrap_or_default() {
                        let symbol = program.symbol(*file, *member);
                        if program.name_of(symbol) == name && program.definition(symbol).kind == SymbolKind::Method {
                            found.candidates.push((symbol, ancestor.clone()));
                        }
                    }
                }
                Ty::Builtin { .. } => match standard_library::as_library_type(&ancestor) {
                    Some((known, _)) if known.has_method(program.text(name)) => {
                        found.standard.get_or_insert(ancestor);
                    }
                    Some(_) => {}
                    None => {}
                },
                Ty::Foreign(_) | Ty::External | Ty::Unknown => found.is_open = true,
                _ => {}
            }
        }
        self.prefer_object(cx, of, name, &mut found);
        found
    }

    /// Replaces interface redeclarations of `Object` methods by the method of `Object`, except those of the receiver
    /// interface itself.
    fn prefer_object(&self, cx: &mut Inference<'_>, of: &Ty, name: Name, found: &mut MethodSet) {
        let n_parameters = match cx.program.text(name) {
            "toString" | "hashCode" => 0,
            "equals" => 1,
            _ => return,
        };
        let receiver = self.upper_bound(cx, of);
        let is_hidden = |(method, owner): &(SymbolIdx, Ty)| {
            let takes_as_many = cx.program.shape(*method).parameters.len() == n_parameters;
            takes_as_many && self.is_interface(cx, owner) && !same_head(owner, &receiver)
        };
        if let Some(first) = found.candidates.iter().position(is_hidden) {
            let is_first = !found.candidates[..first].iter().any(|(_, owner)| !self.is_interface(cx, owner));
            found.candidates.retain(|candidate| !is_hidden(candidate));
            if is_first && found.standard.is_none() {
                found.standard = Some(simple_type("Object"));
            }
        }
    }

    /// Returns the enclosing types of a scope, innermost first, including anonymous classes.
    pub(super) fn types_around(&self, cx: &mut Inference<'_>, file: FileIdx, scope: ScopeId) -> Vec<Ty> {
        let program = cx.program;
        let code = program.code(file);
        let mut types = Vec::new();
        let mut at = Some(scope);
        for _ in 0..MAX_SCOPES {
            let Some(scope_id) = at else { break };
            let Some(scope) = code.scopes.get(scope_id.index()) else { break };
            types.extend(self.type_of_scope(cx, file, scope_id));
            at = scope.parent;
        }
        types
    }

    /// Returns the type whose body a scope is, as an object.
    pub(super) fn type_of_scope(&self, cx: &mut Inference<'_>, file: FileIdx, scope: ScopeId) -> Option<Ty> {
        let program = cx.program;
        let code = program.code(file);
        if let Some(definition) = code.scopes.get(scope.index())?.definition {
            let symbol = program.symbol(file, definition);
            return is_type(program, symbol).then(|| Ty::Object(applied_to_own(program, symbol)));
        }
        let index = *self.file(file)?.anonymous.get(&scope)?;
        let expression = code.anonymous.get(index as usize)?.expression;
        Some(Ty::Closure { file, expression })
    }

    /// Returns the innermost enclosing type of a scope.
    pub(super) fn this_object(&self, cx: &mut Inference<'_>, file: FileIdx, scope: ScopeId) -> Ty {
        let code = cx.program.code(file);
        let mut at = Some(scope);
        for _ in 0..MAX_SCOPES {
            let Some(scope_id) = at else { break };
            if let Some(found) = self.type_of_scope(cx, file, scope_id) {
                return found;
            }
            at = code.scopes.get(scope_id.index()).and_then(|scope| scope.parent);
        }
        Ty::Unknown
    }

    /// Returns true if an expression creates an anonymous class.
    pub(super) fn is_anonymous(&self, cx: &Inference<'_>, file: FileIdx, made: model::code::ExpressionId) -> bool {
        matches!(cx.program.code(file).expression(made), Expression::Make { .. })
            && self.file(file).is_some_and(|known| known.anonymous_made.contains_key(&made))
    }
}

pub(super) fn is_field(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Field | SymbolKind::Constant | SymbolKind::Variable | SymbolKind::Variant)
}

#[cfg(test)]
mod tests {
    use super::super::testing::check;

    #[test]
    fn members_are_inherited_from_all_supertypes() {
        check("class A { void f() {} } class B extends A { void m() { f(); super.f(); this.f(); } }", &["B.m -> A.f"]);
        check(
            "interface I { default void f() {} } class B implements I { void m() { I.super.f(); } }",
            &["B.m -> I.f"],
        );
        check("interface I { void f(); } interface J extends I {} class B { void m(J j) { j.f(); } }", &["B.m -> I.f"]);
        check("class A { void f() {} class In { void m() { f(); A.this.f(); } } }", &["A.In.m -> A.f"]);
        check("class A { A a; void f() {} void m() { a.a.f(); } }", &["A.m -> A.f"]);
        check(
            "enum E { X, Y; void f() {} static void m() { X.f(); E.valueOf(\"Y\").f(); for (E e : values()) e.f(); } }",
            &["E.java -> E", "E.m -> E.f"],
        );
    }

    #[test]
    fn anonymous_classes_have_own_members() {
        check(
            "abstract class A { abstract void f(); static A a = new A() { void f() { g(); } void g() {} }; void m() { a.f(); } }",
            &["E.java -> A", "A.f -> A.g", "A.m -> A.f"],
        );
        check(
            "class A { void f() {} } class B { void f() {} void m() { new A() { void n() { f(); } }; f(); } }",
            &["B.m -> A", "B.m -> B.f", "B.m.n -> A.f"],
        );
    }

    #[test]
    fn object_methods_hide_interface_redeclarations() {
        check(
            "interface I { String toString(); } class A implements I {} class B { void m(A a, I i) { a.toString(); i.toString(); } }",
            &["B.m -> I.toString"],
        );
        check("record R(int x) { int y() { return x(); } void m() { y(); } }", &["R.m -> R.y"]);
    }

    #[test]
    fn private_methods_are_not_inherited() {
        check(
            "class A { private void f(int a) {} } class B extends A { void f(Object a) {} void m() { f(x()); } Object x() { return null; } }",
            &["B.m -> B.f", "B.m -> B.x"],
        );
    }
}
