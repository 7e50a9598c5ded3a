//! Types of values, as far as calls need them.

use std::rc::Rc;

use model::code::ExpressionId;

use crate::{
    infer::OWN_TYPE,
    names::Name,
    program::{FileIdx, SymbolIdx},
};

/// What is known of a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Ty {
    /// Nothing.
    Unknown,
    /// It comes from outside of the repository, so that no definition of the repository is meant.
    External,
    /// An object of a type from outside of the repository of which the bare name is known, for languages that choose among
    /// overloads by it.
    Foreign(Name),
    /// An object of a type of the repository.
    Object(Applied),
    /// A type of the repository itself: what static members and constructors are asked of.
    Class(Applied),
    /// A type parameter of a definition, as long as nothing has been put in for it.
    Parameter {
        of: SymbolIdx,
        index: u32,
    },
    /// One or more functions of the repository, of which the arguments choose; with the object they are asked of.
    Function {
        candidates: Rc<[SymbolIdx]>,
        receiver: Option<Rc<Ty>>,
    },
    /// A function without a definition.
    Closure {
        file: FileIdx,
        expression: ExpressionId,
    },
    /// A function that is known by its type alone.
    FunctionType {
        parameters: Rc<[Ty]>,
        result: Rc<Ty>,
    },
    /// A module, package, namespace or file, as a number of the dialect that it belongs to.
    Module(ModuleIdx),
    /// A type of a language or its standard library that is worth knowing, since values of other types pass through it.
    Builtin {
        name: &'static str,
        arguments: Rc<[Ty]>,
    },
    Tuple(Rc<[Ty]>),
    /// An object without a type of its own.
    Record(Rc<[(Name, Ty)]>),
    /// A member of a type that is not known before something is put in for a type parameter (`T["a"]`).
    Lookup {
        of: Rc<Ty>,
        name: Name,
    },
    /// One of these.
    Union(Rc<[Ty]>),
    /// All of these.
    Intersection(Rc<[Ty]>),
}

/// A module, as a number of its dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ModuleIdx {
    pub(crate) family: crate::dialect::Family,
    pub(crate) index: u32,
}

/// A type with what stands for its parameters; fewer, or none, where that is not known.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Applied {
    pub(crate) of: SymbolIdx,
    pub(crate) arguments: Rc<[Ty]>,
}

/// The most types that a union is kept of; beyond it nothing is known.
const MAX_ALTERNATIVES: usize = 8;

/// The deepest types in types that are kept.
const MAX_NESTING: u32 = 6;

impl Ty {
    /// Returns an object of a type without arguments.
    pub(crate) fn object(of: SymbolIdx) -> Ty {
        Ty::Object(Applied { of, arguments: Rc::new([]) })
    }

    /// Returns a type without arguments, as a value.
    pub(crate) fn class(of: SymbolIdx) -> Ty {
        Ty::Class(Applied { of, arguments: Rc::new([]) })
    }

    /// Returns a function.
    pub(crate) fn function(candidates: &[SymbolIdx], receiver: Option<Rc<Ty>>) -> Ty {
        Ty::Function { candidates: candidates.into(), receiver }
    }

    /// Returns a type of the language.
    pub(crate) fn builtin(name: &'static str, arguments: impl Into<Rc<[Ty]>>) -> Ty {
        Ty::Builtin { name, arguments: arguments.into() }
    }

    /// Says whether nothing is known.
    pub(crate) fn is_unknown(&self) -> bool {
        matches!(self, Ty::Unknown)
    }

    /// Returns one of several types: what is unknown or external among them tells nothing and goes, unless all are.
    pub(crate) fn one_of(types: impl IntoIterator<Item = Ty>) -> Ty {
        let mut all: Vec<Ty> = Vec::new();
        let mut rest = Ty::Unknown;
        for ty in types {
            match ty {
                Ty::Unknown => {}
                Ty::External => rest = Ty::External,
                Ty::Union(inner) => inner.iter().for_each(|ty| add(&mut all, ty.clone())),
                ty => add(&mut all, ty),
            }
        }
        match all.len() {
            0 => rest,
            1 => all.pop().expect("there is one"),
            n if n <= MAX_ALTERNATIVES => Ty::Union(all.into()),
            _ => Ty::Unknown,
        }
    }

    /// Returns the single types that a value may have.
    pub(crate) fn alternatives(&self) -> &[Ty] {
        match self {
            Ty::Union(types) => types,
            single => std::slice::from_ref(single),
        }
    }

    /// Returns this type with `arguments` in the place of the parameters of `of`.
    pub(crate) fn substitute(&self, of: SymbolIdx, arguments: &[Ty]) -> Ty {
        if arguments.is_empty() {
            return self.clone();
        }
        self.replace(
            &|ty| match ty {
                Ty::Parameter { of: owner, index } if *owner == of && *index != OWN_TYPE => {
                    Some(arguments.get(*index as usize).cloned().unwrap_or(Ty::Unknown))
                }
                _ => None,
            },
            0,
        )
    }

    /// Returns this type with every part replaced for which `replacement` has another.
    pub(crate) fn replace(&self, replacement: &dyn Fn(&Ty) -> Option<Ty>, depth: u32) -> Ty {
        if let Some(other) = replacement(self) {
            return other;
        }
        if depth > MAX_NESTING {
            return Ty::Unknown;
        }
        let all = |types: &[Ty]| -> Rc<[Ty]> { types.iter().map(|ty| ty.replace(replacement, depth + 1)).collect() };
        let apply = |applied: &Applied| Applied { of: applied.of, arguments: all(&applied.arguments) };
        match self {
            Ty::Object(applied) if !applied.arguments.is_empty() => Ty::Object(apply(applied)),
            Ty::Class(applied) if !applied.arguments.is_empty() => Ty::Class(apply(applied)),
            Ty::Builtin { name, arguments } if !arguments.is_empty() => Ty::Builtin { name, arguments: all(arguments) },
            Ty::Tuple(parts) => Ty::Tuple(all(parts)),
            Ty::Lookup { of, name } => Ty::Lookup { of: Rc::new(of.replace(replacement, depth + 1)), name: *name },
            Ty::Union(types) => Ty::one_of(all(types).iter().cloned()),
            Ty::Intersection(types) => Ty::Intersection(all(types)),
            Ty::FunctionType { parameters, result } => Ty::FunctionType {
                parameters: all(parameters),
                result: Rc::new(result.replace(replacement, depth + 1)),
            },
            Ty::Function { candidates, receiver: Some(receiver) } => Ty::Function {
                candidates: Rc::clone(candidates),
                receiver: Some(Rc::new(receiver.replace(replacement, depth + 1))),
            },
            Ty::Record(fields) => {
                Ty::Record(fields.iter().map(|(name, ty)| (*name, ty.replace(replacement, depth + 1))).collect())
            }
            same => same.clone(),
        }
    }
}

fn add(all: &mut Vec<Ty>, ty: Ty) {
    if !all.contains(&ty) {
        all.push(ty);
    }
}
