//! What the code of one file says about values and types, as far as a resolver of calls needs it.
//!
//! One small language for all languages: scopes, what is bound to names in them, expressions as far as types flow
//! through them, and types as they are written. Everything lies in arenas of one file and is named by number, so that
//! it is small in a cache and cheap to walk. Nothing here is resolved: a name is a name.

use serde::{Deserialize, Serialize};

use crate::ByteSpan;

macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
            pub struct $name(pub u32);

            impl $name {
                /// Returns the place in the arena.
                pub fn index(self) -> usize {
                    self.0 as usize
                }
            }
        )*
    };
}

numbers! {
    /// A name, as an index into `Code::names`.
    NameId;
    /// An index into `Code::scopes`.
    ScopeId;
    /// An index into `Code::expressions`.
    ExpressionId;
    /// An index into `Code::types`.
    TypeId;
    /// A definition, as an index into `FileFacts::definitions`.
    DefinitionId;
}

/// The code of one file. Children stand in an arena before what is made of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Code {
    /// The package or namespace that the file says it is in, as written (`a.b.c`); empty if it says nothing.
    pub package: String,
    /// The condition under which the file is built, as written (`linux && !cgo`); empty if it always is.
    pub condition: String,
    /// Each name and each text of a literal, once.
    pub names: Vec<String>,
    /// The first is the file's own.
    pub scopes: Vec<Scope>,
    /// In the order of the text, so that what is bound later hides what is bound earlier.
    pub bindings: Vec<Binding>,
    pub expressions: Vec<Expression>,
    pub types: Vec<TypeExpression>,
    /// One per definition, in the same order; empty where a language is not read this far.
    pub shapes: Vec<Shape>,
    /// Every call, in the order of the text.
    pub sites: Vec<Site>,
    /// Blocks that give members to a type which is defined elsewhere (`impl A for B`, `extension A`).
    pub extensions: Vec<Extension>,
    /// Types without a name that stand in expressions (`new A() { … }`).
    pub anonymous: Vec<Anonymous>,
    /// Members that code gives to the objects it works on (`self.x = …`, `this.x = …`).
    pub fields: Vec<FieldFact>,
    /// Decorators, annotations and attributes that have a meaning as calls.
    pub decorations: Vec<Decoration>,
    /// What the file offers to others under a name that no definition of its own gives it.
    pub exports: Vec<Export>,
}

/// A block in which names can be bound.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// The one around it; nothing for the file's own.
    pub parent: Option<ScopeId>,
    /// The definition whose body this is.
    pub definition: Option<DefinitionId>,
}

/// A name and what stands for it in a scope: a parameter, a local variable, a loop variable, a narrowed type.
///
/// Definitions are not repeated here, but for the type or value that only code says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    pub name: NameId,
    pub scope: ScopeId,
    /// Its type as declared.
    pub declared: Option<TypeId>,
    /// What it is bound to; what is taken out of a value is an expression of its own (`Part`, `Member`, `Item`).
    pub value: Option<ExpressionId>,
}

/// An expression, as far as types flow through it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Expression {
    /// Nothing is known of its type.
    Opaque,
    Literal(Literal),
    /// A name as it stands in a scope. What was bound in that scope before is `Code::bindings[..n_before]`.
    Name {
        name: NameId,
        scope: ScopeId,
        n_before: u32,
    },
    /// The object whose method this is (`self`, `this`).
    This {
        scope: ScopeId,
    },
    /// That object as its base class has it (`super`, `super()`).
    Super {
        scope: ScopeId,
    },
    /// `of.name`, `of->name`, `of?.name`; also a part of a destructured object.
    Member {
        of: ExpressionId,
        name: NameId,
    },
    /// `of::name`, where the language has a notation of its own for it.
    Path {
        of: ExpressionId,
        name: NameId,
    },
    /// `callee(arguments)`. Its place is the site with this expression.
    Call {
        callee: ExpressionId,
        type_arguments: Box<[TypeId]>,
        arguments: Box<[ExpressionId]>,
    },
    /// `new made(arguments)`, `made { … }`.
    Make {
        made: TypeId,
        arguments: Box<[ExpressionId]>,
    },
    /// `of[index]`.
    Element {
        of: ExpressionId,
        index: Option<ExpressionId>,
    },
    /// What iteration over `of` gives.
    Item {
        of: ExpressionId,
    },
    /// The part at `index` of what is destructured as a tuple or an array.
    Part {
        of: ExpressionId,
        index: u32,
    },
    /// Field `index` of what matches the pattern `variant` (`Some(x)`, `Ok(x)`, `A::B(x)`).
    Matched {
        of: ExpressionId,
        variant: ExpressionId,
        index: u32,
    },
    /// What comes out of `await of`.
    Awaited {
        of: ExpressionId,
    },
    /// What is left of `of` where a failure returns early (`of?`, `try of`).
    Tried {
        of: ExpressionId,
    },
    /// `*of`.
    Dereferenced {
        of: ExpressionId,
    },
    /// `of as to`, `(to) of`.
    Cast {
        of: ExpressionId,
        to: TypeId,
    },
    /// One of these (`a ? b : c`, `a || b`, the arms of a match).
    Either(Box<[ExpressionId]>),
    /// `a, b` as one value.
    Tuple(Box<[ExpressionId]>),
    /// `[a, b]` of one kind of values, or a set of them.
    List(Box<[ExpressionId]>),
    /// `{ name: value }` as a value.
    Object(Box<[(NameId, ExpressionId)]>),
    /// A function without a definition: its parameters are the first bindings of its scope.
    Function {
        scope: ScopeId,
        parameters: Box<[Parameter]>,
        results: Box<[ExpressionId]>,
        declared: Option<TypeId>,
    },
    /// A definition as a value (`class {}`, a named function expression).
    Definition(DefinitionId),
    /// A type where a value could stand (`A::<B>`, `list[int]`, `A.class`).
    Type(TypeId),
    /// An operator that the language may have as a method: `left + right` with its symbol as name.
    Operation {
        operator: NameId,
        left: ExpressionId,
        right: Option<ExpressionId>,
    },
    /// What is imported in the midst of code (`import a.b` in a function, `require("a")`): a module as the file writes
    /// it, or one name of it.
    Import {
        module: NameId,
        name: Option<NameId>,
    },
}

/// A value that is written out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Literal {
    /// With its text, where it is short and without escapes; what is computed in it stands as `{}`.
    Text(Option<NameId>),
    Bytes,
    Character,
    Integer,
    Float,
    Boolean,
    Null,
    Pattern,
    Map,
}

/// A type as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum TypeExpression {
    Unknown,
    /// `a.b.C<arguments>`; references and pointers to it are written as it.
    Named {
        path: Box<[NameId]>,
        arguments: Box<[TypeId]>,
        scope: ScopeId,
    },
    /// One of these. What may be absent (`C?`, `C | null`, `Optional[C]` of languages without such an object) is just `C`.
    Union(Box<[TypeId]>),
    /// All of these (`A & B`, `impl A + B`).
    Intersection(Box<[TypeId]>),
    Tuple(Box<[TypeId]>),
    /// `C[]`, `[C]`, `[]C`.
    List(TypeId),
    Map {
        key: TypeId,
        value: TypeId,
    },
    Function {
        parameters: Box<[TypeId]>,
        result: Option<TypeId>,
    },
    /// `{ name: C }` as a type.
    Object(Box<[(NameId, TypeId)]>),
    /// A pointer, where a language tells it from what it points to in a way that matters to members.
    Pointer(TypeId),
    /// The type of an expression (`typeof x`, `decltype(x)`).
    Of(ExpressionId),
    /// The type around it (`Self`, `this` as a type).
    This {
        scope: ScopeId,
    },
    /// A text as a type (`"a" | "b"`).
    Literal(Literal),
    /// An index into another type (`T["a"]`, `T::Item`), by name.
    Member {
        of: TypeId,
        name: NameId,
    },
}

/// What a definition looks like to those who use it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    pub flags: Flags,
    pub type_parameters: Box<[TypeParameter]>,
    /// Without `self` and `this`.
    pub parameters: Box<[Parameter]>,
    /// What a function says it returns; the declared type of a field or variable; what an alias stands for.
    pub declared: Option<TypeId>,
    /// What a function returns (or yields), in order; the value of a field, variable or constant.
    pub values: Box<[ExpressionId]>,
    pub bases: Box<[Base]>,
    /// The type whose member this is, where the definition stands outside of it (a method of Go, `A::f` of C++).
    pub receiver: Option<TypeId>,
    /// The scope of its body.
    pub body: Option<ScopeId>,
}

/// What is said of a definition in a word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Flags(pub u16);

impl Flags {
    /// Belongs to the type and not to an object of it.
    pub const STATIC: Flags = Flags(1);
    /// Has no body, and must be given one by those who implement it.
    pub const ABSTRACT: Flags = Flags(2);
    pub const ASYNC: Flags = Flags(4);
    pub const GENERATOR: Flags = Flags(8);
    /// Is called by being read.
    pub const PROPERTY: Flags = Flags(16);
    /// Is seen in its file or type alone.
    pub const PRIVATE: Flags = Flags(32);
    /// Is offered to other files or packages.
    pub const EXPORTED: Flags = Flags(64);
    /// Is what its module is, rather than a member of it (`export default`, `module.exports = `).
    pub const DEFAULT: Flags = Flags(128);
    /// Takes its class as its receiver (`@classmethod`).
    pub const CLASS_METHOD: Flags = Flags(256);
    /// Has no body here, but somewhere else (a prototype, an overload).
    pub const DECLARATION: Flags = Flags(512);
    /// Stands in code of tests (`#[cfg(test)]`).
    pub const TEST: Flags = Flags(1024);
    /// Has no name in the code, only one that says where it stands (`export default () => …`).
    pub const UNNAMED: Flags = Flags(32768);
    /// Stands in a type, but belongs to what is around that type (`friend`).
    pub const FRIEND: Flags = Flags(2048);
    /// Can be called on an object that must stay as it is (a `const` method).
    pub const CONSTANT: Flags = Flags(4096);
    /// Is there under a condition of the build alone.
    pub const CONDITIONAL: Flags = Flags(8192);
    /// Is compiled for other platforms than Linux alone (`#[cfg(windows)]`), where another of its name may stand for it.
    pub const ELSEWHERE: Flags = Flags(16384);

    /// Says whether all of `other` is said.
    pub fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }
}

impl std::ops::BitOr for Flags {
    type Output = Flags;

    fn bitor(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

impl std::ops::BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Flags) {
        self.0 |= other.0;
    }
}

/// A parameter of a type or function that stands for a type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeParameter {
    pub name: NameId,
    pub bounds: Box<[TypeId]>,
    pub default: Option<TypeId>,
}

/// A parameter of a function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    pub name: NameId,
    pub declared: Option<TypeId>,
    /// May be left out.
    pub is_optional: bool,
    /// Takes any number of arguments.
    pub is_variadic: bool,
}

/// A type that a type builds on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Base {
    pub kind: BaseKind,
    pub base: TypeId,
}

/// How a type builds on another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum BaseKind {
    /// A base class, an extended interface, a bound of a trait.
    Extend,
    /// An interface or trait that it says it implements.
    Implement,
    /// A type whose members it takes in (an embedded struct, a mixin).
    Embed,
}

/// A call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// A `Call` or a `Make`; a `Name` or `Member` where the language calls without a sign (a property, a component).
    pub expression: ExpressionId,
    pub scope: ScopeId,
    /// The line of the name that is called.
    pub line: u32,
}

/// Members for a type that is defined elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extension {
    pub of: TypeId,
    /// What it implements by them.
    pub implements: Option<TypeId>,
    pub type_parameters: Box<[TypeParameter]>,
    pub members: Box<[DefinitionId]>,
    pub scope: ScopeId,
}

/// A type without a name: it has no definition, but members, and a scope in which they stand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anonymous {
    /// What it extends or implements.
    pub base: TypeId,
    /// Its body. Its fields are bindings in it.
    pub scope: ScopeId,
    /// What makes the one object of it.
    pub expression: ExpressionId,
    pub members: Box<[DefinitionId]>,
}

/// A member that code gives to an object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldFact {
    /// The type of the object.
    pub owner: DefinitionId,
    pub name: NameId,
    pub declared: Option<TypeId>,
    pub value: Option<ExpressionId>,
}

/// A decorator and what it stands before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decoration {
    pub definition: DefinitionId,
    /// A `Call`, a `Name`, a `Member` or a `Path`.
    pub expression: ExpressionId,
    pub line: u32,
    pub bytes: ByteSpan,
}

/// A value that a file offers to others (`export { a as b }`, `export default a`, `module.exports = a`, `exports.b = a`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Export {
    /// The name for others; `default` for the default one, `=` for what stands for the file as a whole.
    pub name: NameId,
    pub value: ExpressionId,
}

impl Code {
    /// Returns the text of a name.
    pub fn name(&self, name: NameId) -> &str {
        self.names.get(name.index()).map_or("", String::as_str)
    }

    /// Returns an expression; an opaque one for a number from elsewhere.
    pub fn expression(&self, expression: ExpressionId) -> &Expression {
        self.expressions.get(expression.index()).unwrap_or(&Expression::Opaque)
    }

    /// Returns a type; an unknown one for a number from elsewhere.
    pub fn written(&self, written: TypeId) -> &TypeExpression {
        self.types.get(written.index()).unwrap_or(&TypeExpression::Unknown)
    }

    /// Returns the innermost definition whose body a scope lies in.
    pub fn definition_around(&self, scope: ScopeId) -> Option<DefinitionId> {
        let mut at = self.scopes.get(scope.index());
        for _ in 0..self.scopes.len() {
            let scope = at?;
            if scope.definition.is_some() {
                return scope.definition;
            }
            at = self.scopes.get(scope.parent?.index());
        }
        None
    }
}

impl TypeExpression {
    /// Returns the types that this one is made of, in order.
    pub fn parts(&self) -> Vec<TypeId> {
        match self {
            TypeExpression::Named { arguments, .. } => arguments.to_vec(),
            TypeExpression::Union(types) | TypeExpression::Intersection(types) | TypeExpression::Tuple(types) => {
                types.to_vec()
            }
            TypeExpression::List(of) | TypeExpression::Pointer(of) | TypeExpression::Member { of, .. } => vec![*of],
            TypeExpression::Map { key, value } => vec![*key, *value],
            TypeExpression::Function { parameters, result } => parameters.iter().copied().chain(*result).collect(),
            TypeExpression::Object(fields) => fields.iter().map(|(_, of)| *of).collect(),
            _ => Vec::new(),
        }
    }

    /// Returns a number that tells the kinds of types apart.
    pub fn variant_number(&self) -> u8 {
        match self {
            TypeExpression::Unknown => 0,
            TypeExpression::Named { .. } => 1,
            TypeExpression::Union(_) => 2,
            TypeExpression::Intersection(_) => 3,
            TypeExpression::Tuple(_) => 4,
            TypeExpression::List(_) => 5,
            TypeExpression::Map { .. } => 6,
            TypeExpression::Function { .. } => 7,
            TypeExpression::Object(_) => 8,
            TypeExpression::Pointer(_) => 9,
            TypeExpression::Of(_) => 10,
            TypeExpression::This { .. } => 11,
            TypeExpression::Literal(_) => 12,
            TypeExpression::Member { .. } => 13,
        }
    }
}
