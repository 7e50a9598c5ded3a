//! Types of values, as far as the resolution of calls needs them.

use std::rc::Rc;

use model::code::ExpressionId;

use crate::{
    family::Family,
    names::Name,
    program::{FileIdx, SymbolIdx},
};

/// The index of the type parameter that stands for the type of the object itself (`Self`, `this` as a type).
pub(crate) const OWN_TYPE: u32 = u32::MAX;

/// The type of a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Ty {
    /// The type is not known.
    Unknown,
    /// A value from outside of the repository, which no definition of the repository describes.
    External,
    /// An object of an external type of which only the name is known. Some languages choose overloads by it.
    Foreign(Name),
    /// An object of a type of the repository.
    Object(Applied),
    /// A type of the repository as a value: the receiver of static members and constructors.
    Class(Applied),
    /// A type parameter of a definition that has no argument yet.
    Parameter {
        /// The definition.
        of: SymbolIdx,
        /// The index among its type parameters. Dialects reserve some indices for other meanings.
        index: u32,
    },
    /// One function of the repository, or several among which the arguments choose.
    Function {
        /// The functions.
        candidates: Rc<[SymbolIdx]>,
        /// The object whose members they are.
        receiver: Option<Rc<Ty>>,
    },
    /// A function without a definition.
    Closure {
        /// The file of the closure.
        file: FileIdx,
        /// The closure.
        expression: ExpressionId,
    },
    /// A function of which only the type is known.
    FunctionType {
        /// The types of its parameters.
        parameters: Rc<[Ty]>,
        /// The type of its result.
        result: Rc<Ty>,
    },
    /// A module, package, namespace or file, by its number in a dialect.
    Module(ModuleIdx),
    /// A type of the language or its standard library through which values of other types pass.
    Builtin {
        /// The name by which the dialect knows it.
        name: &'static str,
        /// The arguments of the type.
        arguments: Rc<[Ty]>,
    },
    /// A tuple.
    Tuple(Rc<[Ty]>),
    /// An object with fields and without a named type.
    Record(Rc<[(Name, Ty)]>),
    /// A member of a type that depends on a type parameter (`T["a"]`).
    Lookup {
        /// The type.
        of: Rc<Ty>,
        /// The member.
        name: Name,
    },
    /// One of these types.
    Union(Rc<[Ty]>),
    /// All of these types at once.
    Intersection(Rc<[Ty]>),
}

/// The number of a module in its dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModuleIdx {
    /// The family of the dialect.
    pub family: Family,
    /// The number in the dialect.
    pub index: u32,
}

/// A type with its type arguments; fewer, or none, if they are not known.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Applied {
    /// The type.
    pub of: SymbolIdx,
    /// Its type arguments, in order.
    pub arguments: Rc<[Ty]>,
}

/// Maximum number of types in a union, and in an intersection. A larger union counts as unknown; a larger intersection has the first ones.
const MAX_ALTERNATIVES: usize = 8;

/// Maximum nesting depth of types. A deeper part counts as unknown.
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

    /// Returns a type of the language or its standard library.
    pub(crate) fn builtin(name: &'static str, arguments: impl Into<Rc<[Ty]>>) -> Ty {
        Ty::Builtin { name, arguments: arguments.into() }
    }

    /// Returns true if the type is not known.
    pub(crate) fn is_unknown(&self) -> bool {
        matches!(self, Ty::Unknown)
    }

    /// Returns the union of several types. Unknown and external types are dropped, unless there is no other.
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

    /// Returns the type of a member that several types declare, of which an object has all: the intersection of the known objects. Any
    /// other member, such as a method, is that of the first type. An external type counts if no other is known.
    pub(crate) fn all_of(types: impl IntoIterator<Item = Ty>) -> Ty {
        let mut objects: Vec<Ty> = Vec::new();
        let mut rest = Ty::Unknown;
        for ty in types {
            match ty {
                Ty::Unknown => {}
                Ty::External => rest = Ty::External,
                Ty::Intersection(inner) => inner.iter().for_each(|ty| add(&mut objects, ty.clone())),
                Ty::Object(_) | Ty::Record(_) => add(&mut objects, ty),
                other if objects.is_empty() => return other,
                _ => {}
            }
        }
        objects.truncate(MAX_ALTERNATIVES);
        match objects.len() {
            0 => rest,
            1 => objects.swap_remove(0),
            _ => Ty::Intersection(objects.into()),
        }
    }

    /// Returns the members of a union, or the type itself.
    pub fn alternatives(&self) -> &[Ty] {
        match self {
            Ty::Union(types) => types,
            single => std::slice::from_ref(single),
        }
    }

    /// Returns this type with `arguments` in place of the type parameters of `of`.
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

    /// Returns the type of the repository that an object or a class is of, also if it is the object of the method itself.
    pub fn definition(&self) -> Option<SymbolIdx> {
        match self {
            Ty::Object(applied) | Ty::Class(applied) => Some(applied.of),
            Ty::Parameter { of, index: OWN_TYPE } => Some(*of),
            _ => None,
        }
    }

    /// Returns this type with every part replaced that `replacement` has another type for.
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
