//! The trait by which languages differ. One inference serves all languages and asks the dialect of a file for what only
//! its language knows.

use model::code::{Expression, ExpressionId, Literal, ScopeId, Site, TypeId};

use super::Inference;
use crate::{
    edge::Resolution,
    family::Family,
    names::Name,
    program::{FileIdx, Node, Program, SymbolIdx},
    ty::{ModuleIdx, Ty},
};

/// The arguments of a call, with its explicit type arguments.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallArguments<'a> {
    pub(crate) file: FileIdx,
    pub(crate) types: &'a [TypeId],
    pub(crate) values: &'a [ExpressionId],
}

/// The meaning of a member of a value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ResolvedMember {
    Unknown,
    /// Definitions of the repository.
    Symbols(Vec<SymbolIdx>),
    /// A value without a definition.
    Value(Ty),
}

/// The rules of one family of languages. Every method has a default that fits most languages.
///
/// A dialect is laid out once per program, from definitions, imports and manifests alone. It is immutable afterwards.
pub(crate) trait Dialect: Sync + Send {
    /// Returns the members that are defined outside of their types, each as `(type, member)`.
    ///
    /// It is called once, after modules are laid out and before any member is attached.
    fn attachments(&self, _cx: &mut Inference<'_>) -> Vec<(SymbolIdx, SymbolIdx)> {
        Vec::new()
    }

    /// Overrides the type of an expression. `None` leaves it to the inference.
    fn type_of(&self, _cx: &mut Inference<'_>, _file: FileIdx, _expression: ExpressionId) -> Option<Ty> {
        None
    }

    /// Overrides the callee of a call or constructor, for a language with its own overload resolution. `None` leaves it to the
    /// inference.
    fn callee(&self, _cx: &mut Inference<'_>, _file: FileIdx, _site: ExpressionId) -> Option<Ty> {
        None
    }

    /// Returns the value of a name that no scope binds: a definition of the file, an import, a name of the package, or a builtin
    /// of the language.
    fn global(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name) -> Ty;

    /// Returns the type that a name means at the level of a file. By default it is the value of the name.
    fn global_type(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name) -> Ty {
        self.global(cx, file, name)
    }

    /// Returns the value of a name of a module.
    fn module_member(&self, _cx: &mut Inference<'_>, _module: ModuleIdx, _name: Name) -> Ty {
        Ty::Unknown
    }

    /// Returns an object of a builtin or external type (`list[int]`, `Vec<T>`). `path` are the names in the code.
    fn builtin_type(&self, _cx: &mut Inference<'_>, _file: FileIdx, _path: &[Name], _arguments: &[Ty]) -> Ty {
        Ty::Unknown
    }

    /// Overrides a member of an object or type of the repository.
    fn member(&self, _cx: &mut Inference<'_>, _file: FileIdx, _of: &Ty, _name: Name) -> Option<ResolvedMember> {
        None
    }

    /// Overrides the type of a binding.
    fn binding_type(&self, _cx: &mut Inference<'_>, _file: FileIdx, _binding: u32) -> Option<Ty> {
        None
    }

    /// Returns true if a callee names the definition itself. A call through a variable is only one of several possibilities.
    fn is_named_by(&self, _cx: &mut Inference<'_>, _file: FileIdx, _callee: ExpressionId, _to: SymbolIdx) -> bool {
        true
    }

    /// Returns a member of a builtin, tuple, function, closure or other value without a type of the repository.
    fn builtin_member(&self, _cx: &mut Inference<'_>, _file: FileIdx, _of: &Ty, _name: Name) -> ResolvedMember {
        ResolvedMember::Unknown
    }

    /// Returns the result of a call whose callee is no function of the repository.
    fn builtin_call(&self, _cx: &mut Inference<'_>, _file: FileIdx, _callee: &Ty, _arguments: &CallArguments) -> Ty {
        Ty::Unknown
    }

    /// Returns the bases of a type in lookup order, as objects, in terms of the type's own parameters. By default these are the
    /// declared bases.
    fn bases(&self, cx: &mut Inference<'_>, of: SymbolIdx) -> Vec<Ty> {
        cx.written_bases(of)
    }

    /// Returns true if member lookup searches all direct bases before their bases.
    fn looks_breadth_first(&self) -> bool {
        false
    }

    /// Returns true if a subtype may override a method with a body. Otherwise only a method without one is overridden.
    fn overrides_methods_with_bodies(&self) -> bool {
        true
    }

    /// Returns true if a bare name in a method may mean a member of the type around it.
    fn sees_members_bare(&self) -> bool {
        false
    }

    /// Returns true if scopes bind the definitions in a body. Otherwise every definition of a body is visible in all of it.
    fn binds_definitions(&self) -> bool {
        false
    }

    /// Returns true if a use before any binding means the first binding of its scope.
    fn hoists(&self) -> bool {
        false
    }

    /// Returns the constructors of a type, or the type itself if it has none.
    fn constructors(&self, _cx: &mut Inference<'_>, of: SymbolIdx) -> Vec<SymbolIdx> {
        vec![of]
    }

    /// Chooses among overloads. By default the number of arguments decides.
    fn choose(&self, cx: &mut Inference<'_>, candidates: &[SymbolIdx], arguments: &CallArguments) -> Vec<SymbolIdx> {
        cx.choose_by_count(candidates, arguments)
    }

    /// Returns the type of a literal.
    fn literal(&self, _cx: &mut Inference<'_>, _literal: Literal) -> Ty {
        Ty::External
    }

    /// Returns the type of an awaited value. By default it is the first argument of a builtin type, else the type itself.
    fn awaited_type(&self, _cx: &mut Inference<'_>, of: Ty) -> Ty {
        first_argument(of)
    }

    /// Returns the success type of a value whose failure returns early (`value?`).
    fn tried_type(&self, _cx: &mut Inference<'_>, of: Ty) -> Ty {
        first_argument(of)
    }

    /// Returns the item type of an iteration over a value.
    fn item(&self, cx: &mut Inference<'_>, file: FileIdx, of: Ty) -> Ty {
        self.element(cx, file, of, None)
    }

    /// Returns the type of an indexed element. By default it is the last argument of a builtin type: the items of a list, the
    /// values of a map.
    fn element(&self, _cx: &mut Inference<'_>, _file: FileIdx, of: Ty, index: Option<ExpressionId>) -> Ty {
        let _ = index;
        match of {
            Ty::Builtin { arguments, .. } => arguments.last().cloned().unwrap_or(Ty::External),
            Ty::Tuple(parts) => Ty::one_of(parts.iter().cloned()),
            Ty::External => Ty::External,
            _ => Ty::Unknown,
        }
    }

    /// Returns the type of the part of a value at an index of a destructuring pattern.
    fn part(&self, cx: &mut Inference<'_>, file: FileIdx, of: Ty, index: u32) -> Ty {
        match of {
            Ty::Tuple(parts) => parts.get(index as usize).cloned().unwrap_or(Ty::Unknown),
            other if index == 0 || !matches!(other, Ty::Object(_)) => self.item(cx, file, other),
            _ => Ty::Unknown,
        }
    }

    /// Returns the type of field `index` of a value that matches the pattern of a variant.
    fn matched_field(
        &self,
        _cx: &mut Inference<'_>,
        _file: FileIdx,
        of: Ty,
        _variant: ExpressionId,
        _index: u32,
    ) -> Ty {
        first_argument(of)
    }

    /// Returns the target type of a pointer.
    fn dereferenced_type(&self, _cx: &mut Inference<'_>, of: Ty) -> Ty {
        of
    }

    /// Returns the type of a list, map or other collection literal.
    fn collection(&self, cx: &mut Inference<'_>, file: FileIdx, expression: &Expression) -> Ty {
        match expression {
            Expression::List(items) => Ty::builtin("list", [cx.common_type(file, items)]),
            _ => Ty::External,
        }
    }

    /// Returns the object of a written list type.
    fn written_list(&self, item: Ty) -> Ty {
        Ty::builtin("list", [item])
    }

    /// Returns the object of a written map type.
    fn written_map(&self, key: Ty, value: Ty) -> Ty {
        Ty::builtin("map", [key, value])
    }

    /// Infers the result of a function without a declared one from the union of the values that its body returns.
    fn inferred_result(&self, _cx: &mut Inference<'_>, _of: SymbolIdx, returned: Ty) -> Ty {
        returned
    }

    /// Returns the result of a function with a declared one. An `async` function may declare the value of the promise.
    fn declared_result(&self, _cx: &mut Inference<'_>, _of: SymbolIdx, declared: Ty) -> Ty {
        declared
    }

    /// Returns the type of a parameter of a closure argument, if the callee is no function of the repository.
    fn closure_parameter(&self, _cx: &mut Inference<'_>, _callee: &Ty, _n_argument: usize, _n_parameter: usize) -> Ty {
        Ty::Unknown
    }

    /// Returns the expected type of an argument, if the callee is no function or class of the repository.
    fn expected_argument(
        &self,
        _cx: &mut Inference<'_>,
        _of: &Ty,
        _arguments: &CallArguments<'_>,
        _n_argument: usize,
    ) -> Ty {
        Ty::Unknown
    }

    /// Returns the type of a parameter of a callable type; `None` if the type is not known to be callable.
    fn parameter_of(&self, _cx: &mut Inference<'_>, of: &Ty, n_parameter: usize) -> Option<Ty> {
        match of {
            Ty::FunctionType { parameters, .. } => Some(parameters.get(n_parameter).cloned().unwrap_or(Ty::Unknown)),
            _ => None,
        }
    }

    /// Returns true if the use of a macro is a call. Otherwise it is a reference.
    fn calls_macros(&self) -> bool {
        true
    }

    /// Returns true if a value that is known as a function may be another object, by which an unknown decorator replaced the function.
    fn may_be_replaced(&self, _of: &Ty) -> bool {
        false
    }

    /// Returns the methods that a call of an object invokes (`__call__`, `operator()`).
    fn call_members(&self, _cx: &mut Inference<'_>, _of: &Ty) -> Vec<SymbolIdx> {
        Vec::new()
    }

    /// Returns the object that `self` or `this` is in a scope. By default it is of the type around the innermost method.
    fn this(&self, cx: &mut Inference<'_>, file: FileIdx, scope: ScopeId) -> Ty {
        cx.object_around(file, scope)
    }

    /// Returns true if an expression accesses the definitions that its type comes from.
    fn is_access(&self, _cx: &mut Inference<'_>, _file: FileIdx, _expression: ExpressionId) -> bool {
        true
    }

    /// Returns true if a function is the caller of the calls in its body.
    fn is_caller(&self, _program: &Program<'_>, _function: SymbolIdx) -> bool {
        true
    }

    /// Revises the targets of a call: it may drop some, or lower their confidence.
    fn revise_targets(
        &self,
        _cx: &mut Inference<'_>,
        _file: FileIdx,
        _site: &Site,
        _found: &mut Vec<(SymbolIdx, Resolution)>,
    ) {
    }

    /// Returns the files or definitions that the import with this number means.
    fn import_targets(&self, _cx: &mut Inference<'_>, _file: FileIdx, _import: usize) -> Vec<Node> {
        Vec::new()
    }

    /// Overrides the meaning of a written type.
    fn written_type(&self, _cx: &mut Inference<'_>, _file: FileIdx, _written: TypeId) -> Option<Ty> {
        None
    }

    /// Returns the visible definitions of a name, for a call whose receiver type is unknown. An empty result leaves the call
    /// unresolved.
    fn by_name_alone(&self, _cx: &mut Inference<'_>, _file: FileIdx, _name: Name, _is_member: bool) -> Vec<SymbolIdx> {
        Vec::new()
    }
}

/// Returns the first argument of a builtin type, or the type itself.
pub(crate) fn first_argument(of: Ty) -> Ty {
    match of {
        Ty::Builtin { arguments, .. } => arguments.first().cloned().unwrap_or(Ty::External),
        other => other,
    }
}

/// The dialect of each family.
pub(crate) struct Dialects {
    /// In the order of [`Family::ALL`].
    by_family: Vec<Box<dyn Dialect>>,
}

impl Dialects {
    /// Makes one dialect per family.
    pub(crate) fn new(make: impl FnMut(Family) -> Box<dyn Dialect>) -> Dialects {
        Dialects { by_family: Family::ALL.into_iter().map(make).collect() }
    }

    /// Returns the dialect of a family.
    pub(crate) fn of(&self, family: Family) -> &dyn Dialect {
        &*self.by_family[family as usize]
    }

    /// Returns every dialect, in the order of families.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &dyn Dialect> {
        self.by_family.iter().map(|dialect| &**dialect)
    }
}
