//! Builtin functions and standard library functions that pass types through.
//!
//! A callable is a builtin type whose name ends in `()`; the name of a module type begins with `module `.

use crate::ty::Ty;

/// Modelled builtin functions and types.
const BUILTINS: [&str; 17] = [
    "aiter()",
    "anext()",
    "dict()",
    "enumerate()",
    "filter()",
    "frozenset()",
    "iter()",
    "list()",
    "map()",
    "max()",
    "min()",
    "next()",
    "reversed()",
    "set()",
    "sorted()",
    "tuple()",
    "zip()",
];

/// Modelled library functions: module, name, and the callable with the same typing rule.
const MEMBERS: [(&str, &str, &str); 19] = [
    ("asyncio", "create_task", "same()"),
    ("asyncio", "ensure_future", "same()"),
    ("asyncio", "run", "run()"),
    ("asyncio", "shield", "same()"),
    ("asyncio", "wait_for", "same()"),
    ("collections", "OrderedDict", "dict()"),
    ("collections", "defaultdict", "defaultdict()"),
    ("collections", "deque", "list()"),
    ("contextlib", "aclosing", "closing()"),
    ("contextlib", "closing", "closing()"),
    ("contextlib", "nullcontext", "closing()"),
    ("copy", "copy", "same()"),
    ("copy", "deepcopy", "same()"),
    ("functools", "partial", "same()"),
    ("itertools", "chain", "chain()"),
    ("itertools", "cycle", "list()"),
    ("itertools", "islice", "list()"),
    ("weakref", "proxy", "same()"),
    ("weakref", "ref", "ref()"),
];

/// Returns true if a builtin type is a callable.
pub(super) fn is_callable(name: &str) -> bool {
    name.ends_with("()")
}

/// Returns the value of a builtin name.
pub(super) fn builtin(name: &str) -> Ty {
    if name == "type" {
        return Ty::builtin("type()", []);
    }
    let found = BUILTINS.iter().find(|known| known.strip_suffix("()") == Some(name));
    found.map_or(Ty::Unknown, |known| Ty::builtin(known, []))
}

/// Returns a module outside of the repository.
pub(super) fn module(name: &str) -> Ty {
    const MODULES: [(&str, &str); 7] = [
        ("asyncio", "module asyncio"),
        ("collections", "module collections"),
        ("contextlib", "module contextlib"),
        ("copy", "module copy"),
        ("functools", "module functools"),
        ("itertools", "module itertools"),
        ("weakref", "module weakref"),
    ];
    MODULES.iter().find(|(known, _)| *known == name).map_or(Ty::External, |(_, ty)| Ty::builtin(ty, []))
}

/// Returns a member of a module outside of the repository.
pub(super) fn member(module: &str, name: &str) -> Ty {
    let found = MEMBERS.iter().find(|(of, known, _)| (*of, *known) == (module, name));
    found.map_or(Ty::External, |(_, _, like)| Ty::builtin(like, []))
}
