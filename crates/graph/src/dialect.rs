//! What languages differ in. The inference of types is one for all; a dialect answers what only its language knows.

use model::{
    Language,
    code::{Expression, ExpressionId, Literal, ScopeId, Site, TypeId},
};

use crate::{
    edge::Resolution,
    infer::{Arguments, Inference, Member},
    languages,
    names::Name,
    program::{FileIdx, Manifest, Program, SymbolIdx},
    resolve::Node,
    ty::{ModuleIdx, Ty},
};

/// Languages that see each other's definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    Ecmascript,
    Python,
    Go,
    Java,
    Rust,
    C,
    /// Every other language: imports, inheritance and unique names.
    Other,
}

impl Family {
    /// Returns the family of a language.
    pub fn of(language: Language) -> Family {
        match language {
            Language::TypeScript | Language::Tsx | Language::JavaScript => Family::Ecmascript,
            Language::Python => Family::Python,
            Language::Go => Family::Go,
            Language::Java => Family::Java,
            Language::Rust => Family::Rust,
            Language::C | Language::Cpp => Family::C,
            _ => Family::Other,
        }
    }
}

/// What one family of languages knows. Every question has an answer that fits most languages.
///
/// A dialect is laid out once per program, from definitions, imports and manifests alone; afterwards it is only asked.
pub(crate) trait Dialect: Sync + Send {
    /// Returns members that stand outside of their types, each after its type: `(type, member)`.
    ///
    /// Asked once, when modules are laid out but nothing is attached yet.
    fn attachments(&self, _cx: &mut Inference<'_>) -> Vec<(SymbolIdx, SymbolIdx)> {
        Vec::new()
    }

    /// Answers for an expression before anything else does. Nothing: the inference answers.
    fn type_of(&self, _cx: &mut Inference<'_>, _file: FileIdx, _expression: ExpressionId) -> Option<Ty> {
        None
    }

    /// Returns what a call calls, or what is made, where the language chooses among overloads in a way of its own.
    /// Nothing: the inference asks for the callee.
    fn callee(&self, _cx: &mut Inference<'_>, _file: FileIdx, _site: ExpressionId) -> Option<Ty> {
        None
    }

    /// Returns what a name means at the level of a file, where no scope binds it: definitions of the file, imports, the
    /// package, what the language has built in. As a value: a function, a class, a module, the type of a variable.
    fn global(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name) -> Ty;

    /// Returns what a name means as a type at the level of a file. By default what it means as a value.
    fn global_type(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name) -> Ty {
        self.global(cx, file, name)
    }

    /// Returns a name of a module, as a value.
    fn module_member(&self, _cx: &mut Inference<'_>, _module: ModuleIdx, _name: Name) -> Ty {
        Ty::Unknown
    }

    /// Returns an object of a type that is written with a name which no definition has (`list[int]`, `Vec<T>`): a builtin
    /// type, or an external one. `path` are the names as written.
    fn builtin_type(&self, _cx: &mut Inference<'_>, _file: FileIdx, _path: &[Name], _arguments: &[Ty]) -> Ty {
        Ty::Unknown
    }

    /// Answers for a member of an object or type of the repository before anything else does.
    fn member(&self, _cx: &mut Inference<'_>, _file: FileIdx, _of: &Ty, _name: Name) -> Option<Member> {
        None
    }

    /// Answers for what is bound to a name, by the number of the binding, before anything else does.
    fn bound(&self, _cx: &mut Inference<'_>, _file: FileIdx, _binding: u32) -> Option<Ty> {
        None
    }

    /// Says whether a callee names a definition that its value is known to be. What is only called through a variable is
    /// one of the possibilities.
    fn is_named_by(&self, _cx: &mut Inference<'_>, _file: FileIdx, _callee: ExpressionId, _to: SymbolIdx) -> bool {
        true
    }

    /// Returns a member of a value that is no object of a type of the repository: of a builtin, tuple, function, closure.
    fn builtin_member(&self, _cx: &mut Inference<'_>, _file: FileIdx, _of: &Ty, _name: Name) -> Member {
        Member::Unknown
    }

    /// Returns what a call of a builtin member or value gives, where the callee is not a function of the repository.
    fn builtin_call(&self, _cx: &mut Inference<'_>, _file: FileIdx, _callee: &Ty, _arguments: &Arguments) -> Ty {
        Ty::Unknown
    }

    /// Returns the types that a type takes members from, in the order in which they are asked, as objects, in terms of
    /// the type's own parameters. By default the bases as they are written.
    fn bases(&self, cx: &mut Inference<'_>, of: SymbolIdx) -> Vec<Ty> {
        cx.written_bases(of)
    }

    /// Says whether a member is looked for in all types that a type builds on directly before it is in those that they
    /// build on.
    fn looks_breadth_first(&self) -> bool {
        false
    }

    /// Says whether a call of a method with a body may reach that of a type below. Otherwise only methods without one do.
    fn overrides_methods_with_bodies(&self) -> bool {
        true
    }

    /// Says whether a bare name in a method means a member of the type around it.
    fn sees_members_bare(&self) -> bool {
        false
    }

    /// Says whether definitions in a body are bound in its scopes, so that nothing else in it is visible by its bare name.
    fn binds_definitions(&self) -> bool {
        false
    }

    /// Says whether a name means what is bound to it anywhere in its scope, if nothing is bound before the use.
    fn hoists(&self) -> bool {
        false
    }

    /// Returns the definition to call for a type that is called or made: its constructors, or the type itself.
    fn constructors(&self, _cx: &mut Inference<'_>, of: SymbolIdx) -> Vec<SymbolIdx> {
        vec![of]
    }

    /// Chooses among several functions of one name. By default by the number of arguments.
    fn choose(&self, cx: &mut Inference<'_>, candidates: &[SymbolIdx], arguments: &Arguments) -> Vec<SymbolIdx> {
        cx.choose_by_count(candidates, arguments)
    }

    /// Returns the type of a literal.
    fn literal(&self, _cx: &mut Inference<'_>, _literal: Literal) -> Ty {
        Ty::External
    }

    /// Returns what awaiting a value gives. By default the first argument of a builtin, else the value itself.
    fn awaited(&self, _cx: &mut Inference<'_>, of: Ty) -> Ty {
        first_argument(of)
    }

    /// Returns what is left of a value where a failure returns early.
    fn tried(&self, _cx: &mut Inference<'_>, of: Ty) -> Ty {
        first_argument(of)
    }

    /// Returns what iteration over a value gives.
    fn item(&self, cx: &mut Inference<'_>, file: FileIdx, of: Ty) -> Ty {
        self.element(cx, file, of, None)
    }

    /// Returns what an index into a value gives: by default the last argument of a builtin (of a list its items, of a map
    /// its values).
    fn element(&self, _cx: &mut Inference<'_>, _file: FileIdx, of: Ty, index: Option<ExpressionId>) -> Ty {
        let _ = index;
        match of {
            Ty::Builtin { arguments, .. } => arguments.last().cloned().unwrap_or(Ty::External),
            Ty::Tuple(parts) => Ty::one_of(parts.iter().cloned()),
            Ty::External => Ty::External,
            _ => Ty::Unknown,
        }
    }

    /// Returns the part of a value at an index of a pattern.
    fn part(&self, cx: &mut Inference<'_>, file: FileIdx, of: Ty, index: u32) -> Ty {
        match of {
            Ty::Tuple(parts) => parts.get(index as usize).cloned().unwrap_or(Ty::Unknown),
            other if index == 0 || !matches!(other, Ty::Object(_)) => self.item(cx, file, other),
            _ => Ty::Unknown,
        }
    }

    /// Returns field `index` of a value that matches a pattern named by `variant`.
    fn matched(&self, _cx: &mut Inference<'_>, _file: FileIdx, of: Ty, _variant: ExpressionId, _index: u32) -> Ty {
        first_argument(of)
    }

    /// Returns what a pointer points to.
    fn dereferenced(&self, _cx: &mut Inference<'_>, of: Ty) -> Ty {
        of
    }

    /// Returns the type of a list, of a map and of other values that are written out.
    fn collection(&self, cx: &mut Inference<'_>, file: FileIdx, expression: &Expression) -> Ty {
        match expression {
            Expression::List(items) => Ty::builtin("list", [cx.common(file, items)]),
            _ => Ty::External,
        }
    }

    /// Returns the type of a written list, map or pointer.
    fn written_list(&self, item: Ty) -> Ty {
        Ty::builtin("list", [item])
    }

    fn written_map(&self, key: Ty, value: Ty) -> Ty {
        Ty::builtin("map", [key, value])
    }

    /// Returns what a function gives whose body was read: by default one of what it returns, in a promise or a generator
    /// where its flags say so.
    fn inferred_result(&self, _cx: &mut Inference<'_>, _of: SymbolIdx, returned: Ty) -> Ty {
        returned
    }

    /// Returns what a function gives that declares its result (an `async` one may declare what comes out of the promise).
    fn declared_result(&self, _cx: &mut Inference<'_>, _of: SymbolIdx, declared: Ty) -> Ty {
        declared
    }

    /// Returns the type of a parameter of a closure that is an argument of a call, where the parameter that it is given
    /// to is none of the repository's.
    fn closure_parameter(&self, _cx: &mut Inference<'_>, _callee: &Ty, _n_argument: usize, _n_parameter: usize) -> Ty {
        Ty::Unknown
    }

    /// Returns the type that an argument must have of a call whose callee is no function or class of the repository.
    fn expected_argument(
        &self,
        _cx: &mut Inference<'_>,
        _of: &Ty,
        _arguments: &Arguments<'_>,
        _n_argument: usize,
    ) -> Ty {
        Ty::Unknown
    }

    /// Returns the type of a parameter of what can be called; nothing where that is not known to be so.
    fn parameter_of(&self, _cx: &mut Inference<'_>, of: &Ty, n_parameter: usize) -> Option<Ty> {
        match of {
            Ty::FunctionType { parameters, .. } => Some(parameters.get(n_parameter).cloned().unwrap_or(Ty::Unknown)),
            _ => None,
        }
    }

    /// Says whether the use of a macro is a call. Where macros are only expanded it is a reference.
    fn calls_macros(&self) -> bool {
        true
    }

    /// Returns what calling an object of a type gives (`__call__`, `operator()`): the functions that are called.
    fn call_members(&self, _cx: &mut Inference<'_>, _of: &Ty) -> Vec<SymbolIdx> {
        Vec::new()
    }

    /// Returns the object that a scope's `self` or `this` is. By default of the type around the innermost method.
    fn this(&self, cx: &mut Inference<'_>, file: FileIdx, scope: ScopeId) -> Ty {
        cx.object_around(file, scope)
    }

    /// Says whether a function is one by its own name, so that it is the caller of what is called in it.
    fn is_caller(&self, _program: &Program<'_>, _function: SymbolIdx) -> bool {
        true
    }

    /// Says again how sure the targets of a call are, once they are known: may drop some, or make them possibilities.
    fn judge(&self, _cx: &mut Inference<'_>, _file: FileIdx, _site: &Site, _found: &mut Vec<(SymbolIdx, Resolution)>) {}

    /// Returns what the import with this number brings in: files, or definitions.
    fn imported(&self, _cx: &mut Inference<'_>, _file: FileIdx, _import: usize) -> Vec<Node> {
        Vec::new()
    }

    /// Answers for a written type before anything else does.
    fn written(&self, _cx: &mut Inference<'_>, _file: FileIdx, _written: TypeId) -> Option<Ty> {
        None
    }

    /// Says whether a call of this bare or member name, of which nothing is known, may be bound to the only definition of
    /// the name that there is; returns the definitions that are visible.
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

/// The dialects of a program.
#[derive(Default)]
pub(crate) struct Dialects {
    by_family: Vec<Box<dyn Dialect>>,
}

impl Dialects {
    /// Lays out each family's modules.
    pub(crate) fn lay_out(program: &Program<'_>, manifests: &[Manifest<'_>]) -> Dialects {
        // In the order of `Family`.
        let by_family: Vec<Box<dyn Dialect>> = vec![
            Box::new(languages::ecmascript::Ecmascript::lay_out(program, manifests)),
            Box::new(languages::python::Python::lay_out(program, manifests)),
            Box::new(languages::go::Go::lay_out(program, manifests)),
            Box::new(languages::java::Java::lay_out(program, manifests)),
            Box::new(languages::rust::Rust::lay_out(program, manifests)),
            Box::new(languages::c::C::lay_out(program, manifests)),
            Box::new(languages::other::Other::lay_out(program, manifests)),
        ];
        Dialects { by_family }
    }

    pub(crate) fn of(&self, family: Family) -> &dyn Dialect {
        &*self.by_family[family as usize]
    }

    /// Returns what every family attaches to its types.
    pub(crate) fn attachments(&self, program: &Program<'_>) -> Vec<(SymbolIdx, SymbolIdx)> {
        let mut all = Vec::new();
        for dialect in &self.by_family {
            all.extend(dialect.attachments(&mut Inference::new(program)));
        }
        all
    }
}
