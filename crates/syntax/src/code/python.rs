//! Lowering of Python.
//!
//! Bindings follow control flow: each branch has a scope, and the bindings of branches are merged after them
//! (`control_flow`). A use therefore sees the latest assignment or test, as in type checkers for Python.

mod assignments;
mod calls;
mod control_flow;
mod definitions;
mod expressions;
mod fields;
mod imports;
mod narrowing;
mod parameters;
mod patterns;
mod quoted_types;
mod statements;
mod tracked_members;
mod types;

use std::collections::{HashMap, HashSet};

use model::code::{DefinitionId, ExpressionId, NameId, ScopeId, TypeId};

use crate::node::SyntaxNode;

use self::{
    control_flow::{BindingChange, OpenLoop},
    fields::FIELDS,
};
use super::{
    CodeBuilder,
    builder::{FILE_SCOPE, OPAQUE, UNKNOWN_TYPE},
};

/// Maximum number of type variables of one function or class.
const MAX_TYPE_VARIABLES: usize = 32;

/// Lowers a file.
pub(super) fn lower(out: &mut CodeBuilder<'_>, root: SyntaxNode<'_>) {
    let context =
        StatementContext { scope: FILE_SCOPE, outer: FILE_SCOPE, class: None, is_function: false, is_fallback: false };
    let mut python = PythonLowering {
        out,
        functions: Vec::new(),
        type_variables: HashMap::new(),
        top: HashMap::new(),
        aliases: HashSet::new(),
        changes: Vec::new(),
        loops: Vec::new(),
    };
    python.lower_block(root, context);
}

/// The lowering of a file.
struct PythonLowering<'l, 't> {
    out: &'l mut CodeBuilder<'t>,
    /// Enclosing functions, innermost last.
    functions: Vec<OpenFunction>,
    /// The type variables of the file with their bounds.
    type_variables: HashMap<NameId, Box<[TypeId]>>,
    /// Variables of the module.
    top: HashMap<NameId, DefinitionId>,
    /// Module variables that are type aliases.
    aliases: HashSet<NameId>,
    /// Bindings since the start of the current statement.
    changes: Vec<BindingChange>,
    /// Enclosing loops of the current function, innermost last.
    loops: Vec<OpenLoop>,
}

/// The context of a statement.
#[derive(Clone, Copy)]
struct StatementContext {
    /// Scope in which names are looked up and bound.
    scope: ScopeId,
    /// Scope in which nested functions look up names: methods do not see the names that their class binds.
    outer: ScopeId,
    /// The class whose body this is.
    class: Option<DefinitionId>,
    is_function: bool,
    /// True in an `except` clause of the module.
    is_fallback: bool,
}

impl StatementContext {
    /// Returns the scope that a function defined here sees.
    fn nested_function_scope(self) -> ScopeId {
        if self.class.is_some() { self.outer } else { self.scope }
    }
}

/// State of a function while its body is lowered.
struct OpenFunction {
    /// The name of the first parameter of a method, and its class.
    receiver: Option<(NameId, DefinitionId)>,
    /// The scope of its body.
    body: ScopeId,
    results: Vec<ExpressionId>,
    yielded: Vec<ExpressionId>,
    is_generator: bool,
    /// Declared type of the values that are sent to the generator.
    sent: Option<TypeId>,
    /// Names that are declared as global.
    globals: HashSet<NameId>,
    /// Declared types of local variables.
    declared: HashMap<NameId, TypeId>,
    /// Type variables in its signature.
    type_variables: Vec<NameId>,
    /// A type variable that denotes the type of the receiver.
    own_type: Option<NameId>,
    /// Members and elements that were assigned or tested (`self.x`).
    tracked_members: Vec<TrackedMember>,
}

/// A member or element of an object that is tracked like a local variable.
#[derive(Clone)]
struct TrackedMember {
    /// The source text.
    name: NameId,
    /// The variable and the members that lead to it.
    path: Box<[NameId]>,
    /// The index into the last member, for an element.
    index: Option<ExpressionId>,
}

impl OpenFunction {
    fn new(body: ScopeId) -> OpenFunction {
        OpenFunction {
            receiver: None,
            body,
            results: Vec::new(),
            yielded: Vec::new(),
            is_generator: false,
            sent: None,
            globals: HashSet::new(),
            declared: HashMap::new(),
            type_variables: Vec::new(),
            own_type: None,
            tracked_members: Vec::new(),
        }
    }
}

/// Returns the last name of a chain: `c` in `a.b.c`.
fn last_name(node: SyntaxNode<'_>) -> Option<SyntaxNode<'_>> {
    match node.kind() {
        "identifier" => Some(node),
        "attribute" => node.child_by_field_id(FIELDS.attribute),
        "dotted_name" => node.named_child(node.named_child_count().checked_sub(1)? as u32),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use model::Language;

    use crate::code::testing::print_code;

    #[track_caller]
    fn check(source: &str, expected: &[&str]) {
        assert_eq!(print_code(Language::Python, source), expected, "{source}");
    }

    #[test]
    fn functions_and_classes() {
        check(
            "class A(B, Generic[T], meta=M):\n    x: int = 1\n    def __init__(self, y: 'C | None' = None, *z: D, **w):\n        self.y = y\n        self.n: int = z.count()\n    @property\n    def p(self): return self.y\n    @classmethod\n    def make(cls): return cls()\n",
            &[
                "def A() < B, Generic<T>",
                "def x: int = integer",
                "def __init__(y?: (C | null), …z: D, …w?)",
                "def y",
                "def n",
                "def p() = self.y",
                "def make() = cls()",
                "field A.y = y",
                "field A.n: int = z.count()",
                "@property p",
                "@classmethod make",
                "x = def x",
                "self = this",
                "y: (C | null)",
                "z: [D]",
                "w",
                "self.y = self.y",
                "self.y: typeof self.y = y",
                "self.n = self.n",
                "self.n: typeof self.n = z.count()",
                "__init__ = def __init__",
                "self = this",
                "p = def p",
                "cls = this",
                "make = def make",
                "5 in __init__: z.count()",
                "9 in make: cls()",
            ],
        );
    }

    #[test]
    fn bindings_of_branches_are_merged() {
        check(
            "def f(x):\n    if x is None:\n        x = A()\n    elif not isinstance(x, B):\n        return 1\n    x.run()\n",
            &[
                "def f(x) = integer",
                "x",
                "x = A()",
                "x = x is not type B",
                "x: B = x",
                "x = (x | x)",
                "3 in f: A()",
                "4 in f: isinstance(x, B)",
                "6 in f: x.run()",
            ],
        );
    }

    #[test]
    fn all_binding_constructs() {
        check(
            "async def f(a, b=1):\n    with open(a) as h, lock:\n        pass\n    async with g() as (u, v): pass\n    for i, j in a.items(): yield i\n    c, *d = b, a\n    e = [k.x for k in d if k]\n    try: pass\n    except (E, F) as error: error.show()\n    from .m import n as o\n    l = lambda q: q.r(1, s=2)\n    t.cast('T[int]', l).u()\n    match a:\n        case G(w): w.x()\n    super().f(f'/a/{b()}/c')\n",
            &[
                "def f(a, b?) = i",
                "a",
                "b = integer",
                "h = open(a).__enter__()",
                "u = await g().__aenter__()#0",
                "v = await g().__aenter__()#1",
                "i = item(a.items())#0",
                "j = item(a.items())#1",
                "i = (i | i)",
                "j = (j | j)",
                "c = b",
                "d = _",
                "k = item(d)",
                "e = [k.x]",
                "error: (E | F)",
                "error = (error | error)",
                "o = import .m n",
                "q",
                "l = fn(q) => q.r(integer, *{s: integer})",
                "a: G = a",
                "w = _",
                "w = (w | w)",
                "2 in f: open(a)",
                "4 in f: g()",
                "5 in f: a.items()",
                "9 in f: error.show()",
                "11 in f: q.r(integer, *{s: integer})",
                "12 in f: t.cast(\"T[int]\", l)",
                "12 in f: (l as T<int>).u()",
                "14 in f: w.x()",
                "15 in f: b()",
                "15 in f: super.f(\"/a/{}/c\"{b()})",
            ],
        );
    }
}
