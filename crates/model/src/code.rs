//! Values and types in the code of one file, as far as call resolution needs them.
//!
//! One small intermediate representation for all languages: scopes, bindings, expressions along which types flow, and
//! types as written. Everything is stored in arenas per file and referenced by index, so that it is compact in a cache
//! and fast to walk. Nothing here is resolved: a name is only text.

use serde::{Deserialize, Serialize};

use crate::ByteSpan;

mod member_accesses;

macro_rules! arena_ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
            pub struct $name(pub u32);

            impl $name {
                /// Returns the index into the arena.
                pub fn index(self) -> usize {
                    self.0 as usize
                }
            }
        )*
    };
}

arena_ids! {
    /// Index of a name in `Code::names`.
    NameId;
    /// Index into `Code::scopes`.
    ScopeId;
    /// Index into `Code::expressions`.
    ExpressionId;
    /// Index into `Code::types`.
    TypeId;
    /// Index of a definition in `FileFacts::definitions`.
    DefinitionId;
}

/// The code of one file. In each arena, children precede their parents.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Code {
    /// Declared package or namespace as written (`a.b.c`); empty if there is none.
    pub package: String,
    /// Build condition as written (`linux && !cgo`); empty if the file is always built.
    pub condition: String,
    /// Distinct names and literal texts.
    pub names: Vec<String>,
    /// Scopes; the first one is that of the file.
    pub scopes: Vec<Scope>,
    /// Bindings in text order, so that later ones shadow earlier ones.
    pub bindings: Vec<Binding>,
    /// Expressions.
    pub expressions: Vec<Expression>,
    /// Types as written.
    pub types: Vec<TypeExpression>,
    /// One per definition, in the same order; empty if the language has no such analysis.
    pub shapes: Vec<Shape>,
    /// All call sites, by ascending expression in Rust.
    pub sites: Vec<Site>,
    /// Reads and writes of members, and of names that no scope binds. The callee of a call is none of them.
    #[serde(with = "member_accesses")]
    pub accesses: Vec<MemberAccess>,
    /// Blocks that add members to a type defined elsewhere (`impl A for B`, `extension A`).
    pub extensions: Vec<Extension>,
    /// Anonymous types in expressions (`new A() { … }`).
    pub anonymous: Vec<Anonymous>,
    /// Fields that code assigns to its own object (`self.x = …`, `this.x = …`).
    pub fields: Vec<FieldFact>,
    /// Decorators, annotations and attributes that act as calls.
    pub decorations: Vec<Decoration>,
    /// Exports under a name that no definition of the file has.
    pub exports: Vec<Export>,
    /// Expressions in texts, in the order of the texts.
    pub interpolations: Vec<Interpolation>,
}

/// A block that can bind names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// The enclosing scope; `None` for the file's scope.
    pub parent: Option<ScopeId>,
    /// The definition whose body this scope is.
    pub definition: Option<DefinitionId>,
}

/// A name bound in a scope: a parameter, a local variable, a loop variable or a narrowed type.
///
/// Definitions have a binding only for a type or value that they do not declare themselves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// The bound name.
    pub name: NameId,
    /// The scope of the binding.
    pub scope: ScopeId,
    /// The declared type.
    pub declared: Option<TypeId>,
    /// The bound value. Destructuring yields expressions of its own (`Part`, `Member`, `Item`).
    pub value: Option<ExpressionId>,
}

/// An expression, as far as types flow through it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the notation of each variant names its fields")]
pub enum Expression {
    /// An expression of unknown type.
    Opaque,
    /// A literal.
    Literal(Literal),
    /// A name in a scope. `Code::bindings[..n_before]` are the bindings before it.
    Name { name: NameId, scope: ScopeId, n_before: u32 },
    /// The receiver of the enclosing method (`self`, `this`).
    This { scope: ScopeId },
    /// The receiver as its base class (`super`, `super()`).
    Super { scope: ScopeId },
    /// `of.name`, `of->name`, `of?.name`, or a field of a destructured object.
    Member { of: ExpressionId, name: NameId },
    /// `of::name`, in languages with a separate notation for it.
    Path { of: ExpressionId, name: NameId },
    /// `callee(arguments)`. Its location is that of the call site with this expression.
    Call { callee: ExpressionId, type_arguments: Box<[TypeId]>, arguments: Box<[ExpressionId]> },
    /// `new made(arguments)`, `made { … }`.
    Make { made: TypeId, arguments: Box<[ExpressionId]> },
    /// `of[index]`.
    Element { of: ExpressionId, index: Option<ExpressionId> },
    /// An element of the iteration over `of`.
    Item { of: ExpressionId },
    /// The element at `index` of a destructured tuple or array.
    Part { of: ExpressionId, index: u32 },
    /// Field `index` of a value that matches the pattern `variant` (`Some(x)`, `Ok(x)`, `A::B(x)`).
    Matched { of: ExpressionId, variant: ExpressionId, index: u32 },
    /// The result of `await of`.
    Awaited { of: ExpressionId },
    /// The success value of `of` where an error returns early (`of?`, `try of`).
    Tried { of: ExpressionId },
    /// `*of`.
    Dereferenced { of: ExpressionId },
    /// `of as to`, `(to) of`.
    Cast { of: ExpressionId, to: TypeId },
    /// One of several values (`a ? b : c`, `a || b`, the arms of a match).
    Either(Box<[ExpressionId]>),
    /// `a, b` as one value.
    Tuple(Box<[ExpressionId]>),
    /// `[a, b]`, or a set, with elements of one type.
    List(Box<[ExpressionId]>),
    /// `{ name: value }` as a value.
    Object(Box<[(NameId, ExpressionId)]>),
    /// An anonymous function. Its parameters are the first bindings of its scope.
    Function { scope: ScopeId, parameters: Box<[Parameter]>, results: Box<[ExpressionId]>, declared: Option<TypeId> },
    /// A definition as a value (`class {}`, a named function expression).
    Definition(DefinitionId),
    /// A type in value position (`A::<B>`, `list[int]`, `A.class`).
    Type(TypeId),
    /// An operator that may be overloaded: `left + right`, with its symbol as the name.
    Operation { operator: NameId, left: ExpressionId, right: Option<ExpressionId> },
    /// An import within code (`import a.b` in a function, `require("a")`): a module as written, or one of its names.
    Import { module: NameId, name: Option<NameId> },
}

/// The type of a literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Literal {
    /// Text, with its content if it is short and without escapes; interpolations are replaced by `{}`, and listed in
    /// `Code::interpolations`.
    Text(Option<NameId>),
    /// Bytes.
    Bytes,
    /// A character.
    Character,
    /// An integer.
    Integer,
    /// A floating-point number.
    Float,
    /// A boolean.
    Boolean,
    /// The null value.
    Null,
    /// A regular expression.
    Pattern,
    /// A map.
    Map,
}

/// A type as written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the notation of each variant names its fields")]
pub enum TypeExpression {
    /// Not known.
    Unknown,
    /// `a.b.C<arguments>`. References and pointers are written as their target.
    Named { path: Box<[NameId]>, arguments: Box<[TypeId]>, scope: ScopeId },
    /// One of several types. An optional type (`C?`, `C | null`, `Optional[C]` in languages without such an object) is
    /// just `C`.
    Union(Box<[TypeId]>),
    /// All of several types (`A & B`, `impl A + B`).
    Intersection(Box<[TypeId]>),
    /// A tuple.
    Tuple(Box<[TypeId]>),
    /// `C[]`, `[C]`, `[]C`.
    List(TypeId),
    /// A map.
    Map { key: TypeId, value: TypeId },
    /// A function.
    Function { parameters: Box<[TypeId]>, result: Option<TypeId> },
    /// `{ name: C }` as a type.
    Object(Box<[(NameId, TypeId)]>),
    /// A pointer, in languages where its members differ from those of its target.
    Pointer(TypeId),
    /// The type of an expression (`typeof x`, `decltype(x)`).
    Of(ExpressionId),
    /// The enclosing type (`Self`, `this` as a type).
    This { scope: ScopeId },
    /// A literal as a type (`"a" | "b"`).
    Literal(Literal),
    /// A member type, by name (`T["a"]`, `T::Item`).
    Member { of: TypeId, name: NameId },
}

/// The interface of a definition.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// Modifiers.
    pub flags: Flags,
    /// Type parameters, in order.
    pub type_parameters: Box<[TypeParameter]>,
    /// Parameters without `self` and `this`.
    pub parameters: Box<[Parameter]>,
    /// Declared return type of a function, type of a field or variable, or target of an alias.
    pub declared: Option<TypeId>,
    /// Values that a function returns or yields, in order, or the value of a field, variable or constant.
    pub values: Box<[ExpressionId]>,
    /// Base types, in order.
    pub bases: Box<[Base]>,
    /// The type of a member that is defined outside of it (a method in Go, `A::f` in C++).
    pub receiver: Option<TypeId>,
    /// The scope of the body.
    pub body: Option<ScopeId>,
}

/// Modifiers of a definition, as a bit set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Flags(pub u16);

impl Flags {
    /// Belongs to the type, not to an instance.
    pub const STATIC: Flags = Flags(1);
    /// Has no body; implementers must provide one.
    pub const ABSTRACT: Flags = Flags(2);
    /// Returns a future or promise.
    pub const ASYNC: Flags = Flags(4);
    /// Yields values.
    pub const GENERATOR: Flags = Flags(8);
    /// Is called by a read access.
    pub const PROPERTY: Flags = Flags(16);
    /// Is visible only in its file or type.
    pub const PRIVATE: Flags = Flags(32);
    /// Is visible to other files or packages.
    pub const EXPORTED: Flags = Flags(64);
    /// Is the module's value rather than a member of it (`export default`, `module.exports = `).
    pub const DEFAULT: Flags = Flags(128);
    /// Has the class as its receiver (`@classmethod`).
    pub const CLASS_METHOD: Flags = Flags(256);
    /// Has its body elsewhere (a prototype, an overload signature).
    pub const DECLARATION: Flags = Flags(512);
    /// Is test code (`#[cfg(test)]`).
    pub const TEST: Flags = Flags(1024);
    /// Has no name in the code, only one derived from its position (`export default () => …`).
    pub const UNNAMED: Flags = Flags(32768);
    /// Is declared within a type, but belongs to the scope around it (`friend`).
    pub const FRIEND: Flags = Flags(2048);
    /// Can be called on an immutable object (a `const` method).
    pub const CONSTANT: Flags = Flags(4096);
    /// Depends on a build condition, or on a failure (in an `except` clause of Python).
    pub const CONDITIONAL: Flags = Flags(8192);
    /// Is built for other platforms than Linux only (`#[cfg(windows)]`); another definition of the name may replace it.
    pub const ELSEWHERE: Flags = Flags(16384);

    /// Returns true if all flags of `other` are set.
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

/// A type parameter of a type or function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeParameter {
    /// The name.
    pub name: NameId,
    /// The bounds, in order.
    pub bounds: Box<[TypeId]>,
    /// The default type.
    pub default: Option<TypeId>,
}

/// A parameter of a function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// The name.
    pub name: NameId,
    /// The declared type.
    pub declared: Option<TypeId>,
    /// True if the argument may be omitted.
    pub is_optional: bool,
    /// True if it takes any number of arguments.
    pub is_variadic: bool,
}

/// A base type of a type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Base {
    /// The kind of inheritance.
    pub kind: BaseKind,
    /// The base type as written.
    pub base: TypeId,
}

/// A kind of inheritance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum BaseKind {
    /// A base class, an extended interface, or a bound of a trait.
    Extend,
    /// An implemented interface or trait.
    Implement,
    /// A type whose members are included (an embedded struct, a mixin).
    Embed,
}

/// A call site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// A `Call` or a `Make`; a `Name` or `Member` where the language calls implicitly (a property, a component).
    pub expression: ExpressionId,
    /// The scope of the call.
    pub scope: ScopeId,
    /// The line of the called name.
    pub line: u32,
}

/// A read or write of a member, or of a name that no scope of the file binds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MemberAccess {
    /// A `Member`, a `Path` or a `Name`; a `Type` where code writes an enum member as a type.
    pub expression: ExpressionId,
    /// The scope of the access.
    pub scope: ScopeId,
    /// The line of the name.
    pub line: u32,
}

/// Members of a type that is defined elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extension {
    /// The extended type.
    pub of: TypeId,
    /// The interface or trait that the members implement.
    pub implements: Option<TypeId>,
    /// Type parameters of the block.
    pub type_parameters: Box<[TypeParameter]>,
    /// The members.
    pub members: Box<[DefinitionId]>,
    /// Names of functions without a definition, since their text belongs to a macro.
    pub generated: Box<[NameId]>,
    /// The scope of the block.
    pub scope: ScopeId,
}

/// An anonymous type: it has no definition, but members and a scope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anonymous {
    /// The type that it extends or implements.
    pub base: TypeId,
    /// The scope of its body. Its fields are bindings there.
    pub scope: ScopeId,
    /// The expression that creates its only instance.
    pub expression: ExpressionId,
    /// The members.
    pub members: Box<[DefinitionId]>,
}

/// A field that code assigns to an object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldFact {
    /// The type of the object.
    pub owner: DefinitionId,
    /// The name of the field.
    pub name: NameId,
    /// The declared type.
    pub declared: Option<TypeId>,
    /// The assigned value.
    pub value: Option<ExpressionId>,
}

/// A decorator of a definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decoration {
    /// The decorated definition.
    pub definition: DefinitionId,
    /// A `Call`, a `Name`, a `Member` or a `Path`.
    pub expression: ExpressionId,
    /// The line of the decorator.
    pub line: u32,
    /// The bytes of the decorator.
    pub bytes: ByteSpan,
}

/// An exported value (`export { a as b }`, `export default a`, `module.exports = a`, `exports.b = a`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Export {
    /// The exported name; `default` for the default export, `=` for the file's whole value.
    pub name: NameId,
    /// The value.
    pub value: ExpressionId,
}

/// The expressions that a text is put together from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interpolation {
    /// The literal. Each `{}` in its text stands for one of the holes.
    pub expression: ExpressionId,
    /// The expressions, in the order of the text. An expression that is not understood is opaque.
    pub holes: Box<[ExpressionId]>,
}

impl Code {
    /// Returns the expressions that the `{}` in a text stand for, in order; none for any other expression.
    pub fn holes(&self, text: ExpressionId) -> &[ExpressionId] {
        let found = self.interpolations.binary_search_by_key(&text, |interpolation| interpolation.expression);
        found.map_or(&[], |at| &self.interpolations[at].holes)
    }

    /// Returns the text of a name.
    pub fn name(&self, name: NameId) -> &str {
        self.names.get(name.index()).map_or("", String::as_str)
    }

    /// Returns an expression; an opaque one for an invalid id.
    pub fn expression(&self, expression: ExpressionId) -> &Expression {
        self.expressions.get(expression.index()).unwrap_or(&Expression::Opaque)
    }

    /// Returns the scope of a call site.
    pub fn scope_of_call(&self, call: ExpressionId) -> Option<ScopeId> {
        let at = self.sites.binary_search_by_key(&call, |site| site.expression).ok()?;
        Some(self.sites[at].scope)
    }

    /// Returns a type; an unknown one for an invalid id.
    pub fn written(&self, written: TypeId) -> &TypeExpression {
        self.types.get(written.index()).unwrap_or(&TypeExpression::Unknown)
    }

    /// Returns the innermost definition whose body contains a scope.
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

    /// Returns true if a scope is another one or within it.
    pub fn is_within(&self, scope: ScopeId, outer: ScopeId) -> bool {
        let mut at = Some(scope);
        for _ in 0..self.scopes.len() {
            let Some(scope) = at else { return false };
            if scope == outer {
                return true;
            }
            at = self.scopes.get(scope.index()).and_then(|scope| scope.parent);
        }
        false
    }
}

impl TypeExpression {
    /// Returns the component types, in order.
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

    /// Returns a number that is distinct for each variant.
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
