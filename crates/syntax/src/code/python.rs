//! The code of Python.
//!
//! Names are bound where flow reaches them: each branch has a scope, and what branches leave behind is bound anew after
//! them (`flow`). So a use sees what was assigned or tested last, as type checkers of the language do.

mod calls;
mod definitions;
mod expressions;
mod fields;
mod flow;
mod imports;
mod narrowing;
mod parameters;
mod parts;
mod patterns;
mod quoted;
mod statements;
mod targets;
mod types;

use std::collections::{HashMap, HashSet};

use model::code::{DefinitionId, ExpressionId, NameId, ScopeId, TypeId};

use crate::node::Node;

use self::{
    fields::FIELDS,
    flow::{Change, Loop},
};
use super::{Lowering, lowering::FILE_SCOPE};

/// The most type variables of one function or class.
const MAX_TYPE_VARIABLES: usize = 32;

/// What nothing is known of.
const OPAQUE: ExpressionId = ExpressionId(0);

/// Writes the code of a file.
pub(super) fn lower(lowering: &mut Lowering<'_>, root: Node<'_>) {
    let place = Place { scope: FILE_SCOPE, outer: FILE_SCOPE, class: None, is_function: false };
    let mut walk = Walk {
        out: lowering,
        functions: Vec::new(),
        type_variables: HashMap::new(),
        top: HashMap::new(),
        aliases: HashSet::new(),
        changes: Vec::new(),
        loops: Vec::new(),
    };
    walk.block(root, place);
}

/// One walk over a file.
struct Walk<'l, 't> {
    out: &'l mut Lowering<'t>,
    /// The functions around, innermost last.
    functions: Vec<Function>,
    /// The type variables of the file with their bounds.
    type_variables: HashMap<NameId, Box<[TypeId]>>,
    /// Variables of the module.
    top: HashMap<NameId, DefinitionId>,
    /// Those of them that stand for types.
    aliases: HashSet<NameId>,
    /// What was bound since the statement that is being written began.
    changes: Vec<Change>,
    /// The loops around within the function, innermost last.
    loops: Vec<Loop>,
}

/// Where a statement stands.
#[derive(Clone, Copy)]
struct Place {
    /// Where names are looked up and bound.
    scope: ScopeId,
    /// Where functions within look up names: what a class binds is not seen by its methods.
    outer: ScopeId,
    /// The class whose body this is.
    class: Option<DefinitionId>,
    is_function: bool,
}

impl Place {
    /// Returns the scope that a function which stands here sees.
    fn around_functions(self) -> ScopeId {
        if self.class.is_some() { self.outer } else { self.scope }
    }
}

/// What is known of a function while its body is written.
struct Function {
    /// The name of the first parameter of a method, and its class.
    receiver: Option<(NameId, DefinitionId)>,
    /// The scope of its body.
    body: ScopeId,
    results: Vec<ExpressionId>,
    yielded: Vec<ExpressionId>,
    is_generator: bool,
    /// What a generator is declared to be sent.
    sent: Option<TypeId>,
    /// Names that are declared to be the module's.
    globals: HashSet<NameId>,
    /// Types that local variables are declared to have.
    declared: HashMap<NameId, TypeId>,
    /// Type variables in its signature.
    type_variables: Vec<NameId>,
    /// A type variable that stands for the type of the receiver.
    own_type: Option<NameId>,
    /// Parts of objects that were assigned or tested (`self.x`).
    parts: Vec<Part>,
}

/// A part of an object that is followed like a variable of its own.
#[derive(Clone)]
struct Part {
    /// As it is written.
    name: NameId,
    /// The variable, and the members that lead to the part.
    path: Box<[NameId]>,
    /// The index into the last of them, where the part is an element.
    index: Option<ExpressionId>,
}

impl Function {
    fn new(body: ScopeId) -> Function {
        Function {
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
            parts: Vec::new(),
        }
    }
}

/// Returns the last name of a chain: `c` of `a.b.c`.
fn last_name(node: Node<'_>) -> Option<Node<'_>> {
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

    use crate::code::testing::printed;

    #[track_caller]
    fn check(source: &str, expected: &[&str]) {
        assert_eq!(printed(Language::Python, source), expected, "{source}");
    }

    #[test]
    fn functions_and_classes() {
        check(
            "class A(B, Generic[T], meta=M):\n    x: int = 1\n    def __init__(self, y: 'C | None' = None, *z: D, **w):\n        self.y = y\n        self.n: int = z.count()\n    @property\n    def p(self): return self.y\n    @classmethod\n    def make(cls): return cls()\n",
            &[
                "def A() < B, Generic<T>",
                "def x: int = integer",
                "def __init__(y?: (C | null), …z: D, …w?)",
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
    fn branches_leave_what_they_bind() {
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
    fn everything_that_binds() {
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
                "15 in f: super.f(\"/a/{}/c\")",
            ],
        );
    }
}
