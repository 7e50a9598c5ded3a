//! The vocabulary in which a language says what the nodes of its grammar mean.

use model::{ReferenceKind, SymbolKind};

use crate::node::Node;
use crate::walk::Walk;

/// Everything that the walk knows of one language. One constant of this type stands in each file of `languages/`.
pub(crate) struct LanguageRules {
    /// What a node of a kind means; kinds that are not listed mean nothing, but what is in them may.
    pub nodes: &'static [(&'static str, Rule)],
    /// Where the bare name is in an expression or a type, and what stands before it.
    pub names: &'static [(&'static str, NameRule)],
    /// Kinds of nodes at which a signature ends, for grammars that do not call them `body`.
    pub bodies: &'static [&'static str],
    /// Names that make a method a constructor.
    pub constructors: &'static [&'static str],
    /// Names of types that every program has, in grammars that do not tell them apart.
    pub builtin_types: &'static [&'static str],
    /// Fields that hold a type, in grammars whose types are nodes like any other.
    pub type_fields: &'static [&'static str],
    /// Finds the doc of a definition that carries it inside itself.
    pub inner_doc: Option<for<'t> fn(&Walk<'t>, Node<'t>) -> Option<String>>,
}

impl LanguageRules {
    /// A language that has none of this: the base that the others are written over.
    pub(crate) const NONE: LanguageRules = LanguageRules {
        nodes: &[],
        names: &[],
        bodies: &[],
        constructors: &[],
        builtin_types: &[],
        type_fields: &[],
        inner_doc: None,
    };
}

/// What a node means.
#[derive(Clone, Copy)]
pub(crate) enum Rule {
    /// A definition, named by the field `name`. A function inside of a type is a method.
    Define(SymbolKind),
    /// A function without a name: what is in it is not at the level of the file.
    Anonymous,
    /// A comment: documents the definition directly below.
    Comment,
    /// A decorator or attribute: belongs to the next definition, and refers to the name in it.
    Attribute,
    /// The same, where a rule of its own finds the names in it.
    Attributes(Visit),
    /// A list of modifiers that may begin with attributes, which are no part of a signature.
    Modifiers,
    /// Something around a definition that belongs to it, such as `export`.
    Wrapper,
    /// The same, where it holds a single definition; a list of definitions otherwise.
    WrapperOfOne,
    /// A call of what is in this field; of the node itself where the field is empty.
    Call(&'static str),
    /// The making of a value of the type in this field.
    Construct(&'static str),
    /// A use of a type: the node is its name or its path.
    Type,
    /// A list of types that the definition around it builds upon.
    Bases(ReferenceKind),
    /// Nothing in here is of interest.
    Skip,
    /// Something that a table cannot say.
    Visit(Visit),
}

/// A rule of its own for one kind of node.
pub(crate) type Visit = for<'t> fn(&mut Walk<'t>, Node<'t>) -> Next;

/// Where the walk goes after a node.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// To what is in it.
    Into,
    /// Past it.
    Over,
    /// Past it; the node belongs to the next definition, as an attribute does.
    OverAttribute,
}

/// Where the bare name is in an expression or a type.
#[derive(Clone, Copy)]
pub(crate) enum NameRule {
    /// The node is the name.
    Leaf,
    /// The name is in one field, and what stands before it in another, if anything does.
    Member { object: &'static str, name: &'static str },
    /// The name is somewhere in this field.
    Inside(&'static str),
    /// The name is somewhere in the first child.
    First,
    /// The name is the last child; what stands before it are the others.
    Last,
}
