//! Call edges of Python.

use crate::testing::check_calls;

/// Checks the calls in one file, as `from -> to` without the file path; `-` is the file itself.
#[track_caller]
fn check(source: &str, expected: &[&str]) {
    let place = |name: &str| if name == "-" { "a.py".to_owned() } else { format!("a.py::{name}") };
    let expected: Vec<String> = expected
        .iter()
        .map(|line| {
            let (from, to) = line.split_once(" -> ").expect("an edge is written with an arrow");
            format!("{} -calls-> {}", place(from), place(to))
        })
        .collect();
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    check_calls(&format!("//- /a.py\n{source}"), &expected);
}

#[test]
fn modules_resolve_through_imports() {
    check_calls(
        "//- /src/app/__init__.py
from .core import run as start
from .core import *
from . import tools
//- /src/app/core.py
def run(): pass
def walk(): pass
def _hide(): pass
//- /src/app/tools/__init__.py
//- /src/app/tools/hammer.py
from ..core import run
def hit(): run()
//- /scripts/job.py
import helper
def main(): helper.assist()
//- /scripts/helper.py
def assist(): pass
//- /tests/test_app.py
import app
import app.tools.hammer
from app import start, walk
def test():
    app.start()
    app.tools.hammer.hit()
    start()
    walk()
    from app.core import _hide as hidden
    hidden()
",
        &[
            "scripts/job.py::main -calls-> scripts/helper.py::assist",
            "src/app/tools/hammer.py::hit -calls-> src/app/core.py::run",
            "tests/test_app.py::test -calls-> src/app/core.py::run",
            "tests/test_app.py::test -calls-> src/app/core.py::walk",
            "tests/test_app.py::test -calls-> src/app/core.py::_hide",
            "tests/test_app.py::test -calls-> src/app/tools/hammer.py::hit",
        ],
    );
}

#[test]
fn cyclic_imports_terminate() {
    check_calls(
        "//- /a.py
from b import *
from b import f as g
def h(): g()
//- /b.py
from a import *
from a import g as f
",
        &[],
    );
}

#[test]
fn library_names_are_not_module_members() {
    check_calls(
        "//- /app/__init__.py
//- /app/typing.py
def cast(): pass
//- /app/main.py
import typing
def f(): typing.cast()
",
        &[],
    );
}

#[test]
fn annotations_give_types() {
    let class = "class A:\n    def m(self): pass\n";
    for (annotation, value) in [
        ("A", "x.m()"),
        ("'A'", "x.m()"),
        ("A | None", "x.m()"),
        ("Optional['A']", "x.m()"),
        ("t.Annotated[A, 1]", "x.m()"),
        ("list[A]", "[y.m() for y in x]"),
        ("dict[str, 'A']", "x['a'].m()"),
        ("Dict[str, A]", "x.get('a').m()"),
        ("tuple[int, A]", "y, z = x; z.m()"),
        ("Callable[[int], A]", "x(1).m()"),
        ("'t.Iterator[t.Sequence[A]]'", "next(x)[0].m()"),
        ("list[A]", "max(x, key=lambda y: y.m())"),
        ("AbstractContextManager[A]", "\n  with x as y: y.m()"),
    ] {
        check(&format!("{class}def f(x: {annotation}): {value}\n"), &["f -> A.m"]);
    }
}

#[test]
fn values_give_types() {
    let classes = "class A:
    b = None
    def __init__(self): self.b = B()
    @property
    def p(self): return self.b
    @classmethod
    def make(cls): return cls()
    def same(self): return self
class B:
    def m(self): pass
class C(A):
    def own(self): pass
a = A()
";
    for (body, expected) in [
        ("a.b.m()", vec!["f -> B.m"]),
        ("a.p.m()", vec!["f -> B.m"]),
        ("(lambda: a)().b.m()", vec!["f -> B.m"]),
        ("C.make().own()", vec!["f -> A.make", "f -> C.own"]),
        ("y: C = C()\n    y.same().own()", vec!["f -> A.same", "f -> C", "f -> C.own"]),
        ("b, c = a.b, 1\n    b.m()", vec!["f -> B.m"]),
        ("if (b := a.b): b.m()", vec!["f -> B.m"]),
        (
            "b = None\n    for i in z:\n        if i:\n            b = B()\n            break\n    b.m()",
            vec!["f -> B", "f -> B.m"],
        ),
        ("t.cast('B', z).m()", vec!["f -> B.m"]),
        ("def g(): late.m()\n    late = a.b", vec!["f.g -> B.m"]),
    ] {
        let mut expected = expected;
        expected.extend(["- -> A.__init__", "A.__init__ -> B", "A.make -> A.__init__ (ambiguous)"]);
        check(&format!("{classes}def f(z):\n    {body}\n"), &expected);
    }
}

#[test]
fn conditions_narrow_values() {
    let classes = "class A:
    def m(self): pass
class B(A):
    def n(self): pass
class C:
    def m(self): pass
";
    for (body, expected) in [
        ("if isinstance(x, B): x.n()", vec!["f -> B.n"]),
        ("if isinstance(x, C):\n        return\n    x.m()", vec!["f -> A.m"]),
        ("assert isinstance(x.y, B)\n    x.y.n()", vec!["f -> B.n"]),
        ("if not isinstance(x, A) or x.m(): pass", vec!["f -> A.m"]),
        ("if isinstance(x, str): x.m()", vec![]),
        ("if x is None or isinstance(x, B): x.n()", vec!["f -> B.n"]),
        ("if x.y is None or isinstance(x.y, B): x.y.n()", vec!["f -> B.n"]),
        ("if x is not None and not isinstance(x, C):\n        return\n    x.m()", vec!["f -> C.m"]),
        ("if (isinstance(x, B) or isinstance(x, str)) and x.n(): pass", vec!["f -> B.n"]),
        ("if not (isinstance(x, B) or x is None): return\n    x.n()", vec!["f -> B.n"]),
        // Another value, another test, or the other branch: either type remains.
        ("if x is None or isinstance(y, B): x.n()", vec![]),
        ("if x is not None or isinstance(x, B): x.n()", vec![]),
        ("if z or isinstance(x, B): x.n()", vec![]),
        ("if x is None or isinstance(x, B): pass\n    else: x.n()", vec![]),
        ("match x:\n        case B(): x.n()\n        case C() as c: c.m()", vec!["f -> B.n", "f -> C.m"]),
        ("x = C()\n    x.m()", vec!["f -> C", "f -> C.m"]),
        ("try: pass\n    except B as e: e.n()", vec!["f -> B.n"]),
    ] {
        check(&format!("{classes}def f(x: A | C):\n    {body}\n"), &expected);
    }
}

#[test]
fn a_union_of_types_is_a_type() {
    for (alias, expected) in [
        ("A | str", vec!["f -> A.m"]),
        ("str | A", vec!["f -> A.m"]),
        ("int | str | A | None", vec!["f -> A.m"]),
        ("None | A", vec!["f -> A.m"]),
        ("str | bytes", vec![]),
        // An object is an operand of a method, whose result is not known.
        ("A() | B()", vec![]),
    ] {
        let source = format!(
            "class A:\n    def m(self): pass\nclass B:\n    pass\nText = {alias}\ndef f(x: Text):\n    x.m()\n"
        );
        let made = ["- -> A", "- -> B"].into_iter().filter(|_| alias.contains("()"));
        check(&source, &made.chain(expected).collect::<Vec<_>>());
    }
}

#[test]
fn a_union_receiver_is_ambiguous() {
    check_calls(
        "//- /a.py
class A:
    def m(self): pass
class B:
    def m(self): pass
def f(x: A | B): x.m()
",
        &["a.py::f -calls-> a.py::A.m (ambiguous)", "a.py::f -calls-> a.py::B.m (ambiguous)"],
    );
}

#[test]
fn a_class_value_creates_objects() {
    check("class A:\n    def m(self): pass\ndef f(x: type[A]): x().m()\n", &["f -> A (ambiguous)", "f -> A.m"]);
}

#[test]
fn a_call_through_a_variable_is_ambiguous() {
    check_calls("//- /a.py\ndef f(): pass\ng = f\ndef h(): g()\n", &["a.py::h -calls-> a.py::f (ambiguous)"]);
}

#[test]
fn bases_follow_the_method_resolution_order() {
    check(
        "class Base:
    def m(self): pass
class A(Base): pass
class B(Base):
    def m(self): pass
class C(A, B):
    def f(self):
        self.m()
        super().m()
",
        &["C.f -> B.m", "C.f -> Base.m"],
    );
}

#[test]
fn type_variables_are_substituted() {
    let head = "T = TypeVar('T')\nclass A:\n    def m(self): pass\n";
    for (code, expected) in [
        ("def same(x: T) -> T: ...\ndef f(a: A): same(a).m()\n", vec!["f -> same", "f -> A.m"]),
        ("def same(n, *, x: T) -> T: ...\ndef f(a: A): same(1, x=a).m()\n", vec!["f -> same", "f -> A.m"]),
        ("def first[U](x: list[U]) -> U: ...\ndef f(a: list[A]): first(a).m()\n", vec!["f -> first", "f -> A.m"]),
        (
            "class Box(Generic[T]):\n    def get(self) -> T: ...\ndef f(b: Box[A]): b.get().m()\n",
            vec!["f -> Box.get", "f -> A.m"],
        ),
        (
            "class D(Generic[T]):\n    def __get__(self, o, c=None) -> T: ...\nclass E:\n    x = D[A]()\n    y: D[A]\ndef f(e: E): e.y.m()\n",
            vec!["f -> A.m"],
        ),
    ] {
        check(&format!("{head}{code}"), &expected);
    }
}

#[test]
fn decorators_leave_functions_callable() {
    check(
        "from contextlib import contextmanager
class A:
    def m(self): pass
def deco(f): return f
@deco
def g() -> A: ...
@contextmanager
def opened() -> Iterator[A]: yield A()
async def later() -> A: ...
async def f():
    g().m()
    with opened() as a: a.m()
    (await later()).m()
",
        &["f -> g", "f -> opened", "f -> later", "f -> A.m", "opened -> A"],
    );
}

#[test]
fn constructors_and_overloads() {
    check(
        "class A:
    def __init__(self): pass
class B(A): pass
@overload
def g(x: int) -> int: ...
@overload
def g(x: str) -> str: ...
def g(x): return x
def f():
    A()
    B()
    g(1)
",
        &["f -> A.__init__", "f -> B", "f -> g"],
    );
}

#[test]
fn overloads_determine_results() {
    let head = "class A:
    def m(self): pass
class B:
    def m(self): pass
@overload
def g(x: A) -> A: ...
@overload
def g(x: B) -> B: ...
@overload
def g(x: str, *, made: bool) -> A: ...
@overload
def g(x: t.Literal['a']) -> A: ...
@overload
def g(x: str) -> B: ...
def g(x, made=False): return x
";
    for (value, expected) in [
        ("g(a)", "f -> A.m"),
        ("g(b)", "f -> B.m"),
        ("g('', made=True)", "f -> A.m"),
        ("g('a')", "f -> A.m"),
        ("g('')", "f -> B.m"),
    ] {
        check(&format!("{head}def f(a: A, b: B): {value}.m()\n"), &["f -> g", expected]);
    }
}

#[test]
fn what_an_except_clause_binds_is_a_fallback() {
    let head = "try:
    from .x import A, f
    from .x import g as h
except ImportError:
    class A:
        def __init__(self): pass
    def f(): pass
    from .y import h
";
    check_calls(
        &format!(
            "//- /p/__init__.py\n{head}//- /p/x.py\nclass A:\n    def __init__(self): pass\ndef f(): pass\ndef g(): pass\n//- /p/y.py\ndef h(): pass\n//- /p/z.py\nfrom . import A, f, h\nA()\nf()\nh()\n"
        ),
        &["p/z.py -calls-> p/x.py::A.__init__", "p/z.py -calls-> p/x.py::f", "p/z.py -calls-> p/x.py::g"],
    );
    // Without what was tried, the fallback is meant.
    check_calls(
        &format!(
            "//- /p/__init__.py\n{head}//- /p/y.py\ndef h(): pass\n//- /p/z.py\nfrom . import A, f, h\nA()\nf()\nh()\n"
        ),
        &["p/z.py -calls-> p/__init__.py::A.__init__", "p/z.py -calls-> p/__init__.py::f", "p/z.py -calls-> p/y.py::h"],
    );
}

#[test]
fn a_class_is_no_text() {
    let head = "T = TypeVar('T')
class A:
    def m(self): pass
class B:
    def m(self): pass
@overload
def one(of: str) -> A: ...
@overload
def one(of: type[T]) -> T: ...
def one(of): return of
";
    check(&format!("{head}def f(): one(B).m()\n"), &["f -> B.m", "f -> one"]);
}
