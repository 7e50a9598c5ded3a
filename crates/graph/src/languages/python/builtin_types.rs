//! Values of builtin types: elements, members and call results.
//!
//! All collections are modelled as `list` or `dict`. `contextmanager` has the type of `__enter__` as argument,
//! `awaitable` the awaited type.

use std::rc::Rc;

use model::code::{Expression, ExpressionId};

use super::{PythonDialect, standard_library};
use crate::{
    infer::{CallArguments, Inference, ResolvedMember, as_class},
    program::FileIdx,
    ty::Ty,
};

/// Returns the object type of a builtin or external type name.
pub(super) fn library_type(name: &str, arguments: &[Ty]) -> Ty {
    let at = |n: usize| arguments.get(n).cloned().unwrap_or(Ty::External);
    match name {
        "list" | "List" | "set" | "Set" | "frozenset" | "FrozenSet" | "AbstractSet" | "MutableSet" | "Sequence"
        | "MutableSequence" | "Iterable" | "Iterator" | "Collection" | "Container" | "Reversible" | "deque"
        | "Deque" | "Generator" | "AsyncGenerator" | "AsyncIterable" | "AsyncIterator" | "KeysView" | "ValuesView"
        | "tuple" | "Tuple" => Ty::builtin("list", [at(0)]),
        "dict"
        | "Dict"
        | "Mapping"
        | "MutableMapping"
        | "OrderedDict"
        | "defaultdict"
        | "DefaultDict"
        | "ChainMap"
        | "WeakValueDictionary" => Ty::builtin("dict", [at(0), at(1)]),
        "ContextVar" => Ty::builtin("contextvar", [at(0)]),
        "Awaitable" | "Future" | "Task" => Ty::builtin("awaitable", [at(0)]),
        "Coroutine" => Ty::builtin("awaitable", [at(2)]),
        "ContextManager" | "AbstractContextManager" | "AsyncContextManager" | "AbstractAsyncContextManager" => {
            Ty::builtin("contextmanager", [at(0)])
        }
        "type" | "Type" => match at(0) {
            Ty::Union(types) => Ty::one_of(types.iter().cloned().map(as_class)),
            one => as_class(one),
        },
        _ => Ty::External,
    }
}

/// Returns a member of a builtin value.
pub(super) fn member(of: &Ty, name: &str) -> ResolvedMember {
    let returning =
        |result: Ty| ResolvedMember::Value(Ty::FunctionType { parameters: Rc::new([]), result: Rc::new(result) });
    let Ty::Builtin { name: kind, arguments } = of else {
        return match of {
            Ty::Tuple(_) | Ty::FunctionType { .. } | Ty::Closure { .. } => ResolvedMember::Value(Ty::External),
            _ => ResolvedMember::Unknown,
        };
    };
    let at = |n: usize| arguments.get(n).cloned().unwrap_or(Ty::External);
    match (*kind, name) {
        ("list", "pop" | "popleft" | "__next__" | "__anext__") => returning(at(0)),
        ("list", "copy" | "union" | "difference" | "intersection" | "__iter__" | "__aiter__") => returning(of.clone()),
        ("dict", "get" | "pop" | "setdefault" | "__getitem__") => returning(at(1)),
        ("dict", "values") => returning(Ty::builtin("list", [at(1)])),
        ("dict", "keys") => returning(Ty::builtin("list", [at(0)])),
        ("dict", "items") => returning(Ty::builtin("list", [Ty::Tuple([at(0), at(1)].into())])),
        ("dict", "popitem") => returning(Ty::Tuple([at(0), at(1)].into())),
        ("dict", "copy") => returning(of.clone()),
        ("contextmanager", "__enter__") => returning(at(0)),
        ("contextmanager", "__aenter__") => returning(Ty::builtin("awaitable", [at(0)])),
        ("awaitable", "result") | ("contextvar", "get") => returning(at(0)),
        (module, name) => match module.strip_prefix("module ") {
            Some(module) => ResolvedMember::Value(standard_library::member(module, name)),
            None => ResolvedMember::Value(Ty::External),
        },
    }
}

impl PythonDialect {
    /// Returns the element type of iteration.
    pub(super) fn item_of(&self, cx: &mut Inference<'_>, file: FileIdx, of: &Ty) -> Ty {
        match of {
            Ty::Builtin { name: "list" | "dict", arguments } => arguments.first().cloned().unwrap_or(Ty::External),
            Ty::Tuple(parts) => Ty::one_of(parts.iter().cloned()),
            Ty::Union(types) => {
                let items: Vec<Ty> = types.iter().map(|ty| self.item_of(cx, file, ty)).collect();
                Ty::one_of(items)
            }
            Ty::Object(_) | Ty::Parameter { .. } => {
                cx.deeper(|cx| self.item_of_object(cx, file, of)).unwrap_or(Ty::Unknown)
            }
            // Only enum classes are iterable: they yield their members.
            Ty::Class(applied) => Ty::Object(applied.clone()),
            Ty::Builtin { .. } | Ty::External => Ty::External,
            _ => Ty::Unknown,
        }
    }

    /// Returns the element type of an object that implements the iterator protocol.
    fn item_of_object(&self, cx: &mut Inference<'_>, file: FileIdx, of: &Ty) -> Ty {
        for (begin, next) in [("__iter__", "__next__"), ("__aiter__", "__anext__")] {
            let callee = self.special_method(cx, file, of, begin);
            if callee.is_unknown() {
                continue;
            }
            let iterator = self.call_without_arguments(cx, file, &callee);
            let next = match &iterator {
                Ty::Object(_) | Ty::Parameter { .. } => self.special_method(cx, file, &iterator, next),
                _ => return self.item_of(cx, file, &iterator),
            };
            let item = self.call_without_arguments(cx, file, &next);
            return match item {
                Ty::Builtin { name: "awaitable", arguments } => arguments.first().cloned().unwrap_or(Ty::External),
                item => item,
            };
        }
        let callee = self.special_method(cx, file, of, "__getitem__");
        self.call_without_arguments(cx, file, &callee)
    }

    /// Returns the result type of a call without arguments.
    fn call_without_arguments(&self, cx: &mut Inference<'_>, file: FileIdx, callee: &Ty) -> Ty {
        cx.call(callee, &CallArguments { file, types: &[], values: &[] })
    }

    /// Returns the result type of a library call.
    pub(super) fn builtin_call_result(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        name: &str,
        _of: &[Ty],
        arguments: &CallArguments<'_>,
    ) -> Ty {
        let argument = |cx: &mut Inference<'_>, n: usize| match arguments.values.get(n) {
            Some(value) => cx.type_of(arguments.file, *value),
            None => Ty::Unknown,
        };
        let first = argument(cx, 0);
        match name {
            "list()" | "set()" | "frozenset()" | "tuple()" | "sorted()" | "reversed()" | "iter()" | "aiter()" => {
                Ty::builtin("list", [self.item_of(cx, file, &first)])
            }
            "filter()" => {
                let iterated = argument(cx, 1);
                Ty::builtin("list", [self.item_of(cx, file, &iterated)])
            }
            "next()" => self.item_of(cx, file, &first),
            "anext()" => Ty::builtin("awaitable", [self.item_of(cx, file, &first)]),
            "min()" | "max()" => match n_positional(cx, arguments) {
                1 => self.item_of(cx, file, &first),
                _ => first,
            },
            "enumerate()" => {
                let item = self.item_of(cx, file, &first);
                Ty::builtin("list", [Ty::Tuple([Ty::External, item].into())])
            }
            "zip()" | "chain()" => {
                let mut items = Vec::new();
                for n in 0..arguments.values.len() {
                    let iterated = argument(cx, n);
                    items.push(self.item_of(cx, file, &iterated));
                }
                let item = if name == "zip()" { Ty::Tuple(items.into()) } else { Ty::one_of(items) };
                Ty::builtin("list", [item])
            }
            "map()" => Ty::builtin("list", [self.call_without_arguments(cx, file, &first)]),
            "dict()" => match &first {
                Ty::Builtin { name: "dict", .. } => first,
                _ => match self.item_of(cx, file, &first) {
                    Ty::Tuple(pair) if pair.len() == 2 => Ty::builtin("dict", [pair[0].clone(), pair[1].clone()]),
                    _ => Ty::builtin("dict", [Ty::External, Ty::External]),
                },
            },
            "defaultdict()" => Ty::builtin("dict", [Ty::External, self.call_without_arguments(cx, file, &first)]),
            "type()" if arguments.values.len() == 1 => match first {
                Ty::Object(applied) => Ty::Class(applied),
                Ty::Parameter { .. } => self.special_method(cx, file, &first, "__class__"),
                _ => Ty::External,
            },
            "same()" => first,
            "ref()" => Ty::FunctionType { parameters: Rc::new([]), result: Rc::new(first) },
            "run()" => match first {
                Ty::Builtin { name: "awaitable", arguments } => arguments.first().cloned().unwrap_or(Ty::External),
                _ => Ty::External,
            },
            "closing()" => Ty::builtin("contextmanager", [first]),
            _ => Ty::External,
        }
    }
}

/// Returns the number of positional arguments.
fn n_positional(cx: &Inference<'_>, arguments: &CallArguments<'_>) -> usize {
    let code = cx.program.code(arguments.file);
    let is_named = |value: &&ExpressionId| matches!(code.expression(**value), Expression::Dereferenced { .. });
    arguments.values.len() - arguments.values.iter().filter(is_named).count()
}
