//! The vocabulary in which a language describes the nodes of its grammar.

use model::{ReferenceKind, SymbolKind};

use super::TreeWalk;
use crate::node::SyntaxNode;

/// All rules of one language. Each file in `languages/` defines one constant of this type.
pub(crate) struct LanguageRules {
    /// Rules by node kind. A kind without a rule has no meaning itself, but its children may.
    pub nodes: &'static [(&'static str, NodeRule)],
    /// Rules that find the bare name, and the qualifier before it, in an expression or a type.
    pub names: &'static [(&'static str, NameRule)],
    /// Node kinds at which a signature ends, for grammars without a field `body`.
    pub bodies: &'static [&'static str],
    /// Method names that denote a constructor.
    pub constructors: &'static [&'static str],
    /// Names of built-in types, for grammars that do not tell them from other types.
    pub builtin_types: &'static [&'static str],
    /// Fields that hold a type, for grammars that have no separate nodes for types.
    pub type_fields: &'static [&'static str],
    /// Finds the documentation of a definition that contains it.
    pub inner_doc: Option<FindDocFn>,
}

impl LanguageRules {
    /// A language without rules; the base for all others.
    pub(crate) const EMPTY: LanguageRules = LanguageRules {
        nodes: &[],
        names: &[],
        bodies: &[],
        constructors: &[],
        builtin_types: &[],
        type_fields: &[],
        inner_doc: None,
    };
}

/// The meaning of a node.
#[derive(Clone, Copy)]
pub(crate) enum NodeRule {
    /// A definition, named by the field `name`. A function inside a type is a method.
    Define(SymbolKind),
    /// A function without a name. Definitions inside it are not at file level.
    Anonymous,
    /// A comment, which documents the definition directly below it.
    Comment,
    /// A decorator or attribute: belongs to the next definition, and refers to the name in it.
    Attribute,
    /// An attribute list whose names are found by a function.
    Attributes(VisitFn),
    /// A list of modifiers that may begin with attributes, which are not part of a signature.
    Modifiers,
    /// A node around a definition that belongs to it, such as `export`.
    Wrapper,
    /// A wrapper if it holds one definition; otherwise a plain list of definitions.
    SingleWrapper,
    /// A call of the expression in this field, or of the node itself if the field name is empty.
    Call(&'static str),
    /// A construction of a value of the type in this field.
    Construct(&'static str),
    /// A use of a type: the node is its name or its path.
    Type,
    /// A list of base types of the enclosing definition.
    Bases(ReferenceKind),
    /// A node without facts.
    Skip,
    /// A rule that a table cannot express.
    Visit(VisitFn),
}

/// Finds the documentation inside a definition, given the source of the file.
pub(crate) type FindDocFn = fn(&[u8], SyntaxNode<'_>) -> Option<String>;

/// A rule function for one kind of node.
pub(crate) type VisitFn = for<'t> fn(&mut TreeWalk<'t>, SyntaxNode<'t>) -> WalkAction;

/// The action of the walk after a node.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum WalkAction {
    /// Visits its children.
    Descend,
    /// Skips its children.
    Skip,
    /// Skips its children, and attaches the node to the next definition as an attribute.
    SkipAttribute,
}

/// The position of the bare name in an expression or a type.
#[derive(Clone, Copy)]
pub(crate) enum NameRule {
    /// The node is the name.
    Leaf,
    /// The name is in one field, and an optional qualifier is in another.
    Member { object: &'static str, name: &'static str },
    /// The name is inside this field.
    Inside(&'static str),
    /// The name is inside the first child.
    First,
    /// The name is the last child, and the other children are its qualifier.
    Last,
}

/// The rules of a language indexed by node kind.
pub(crate) struct RuleTable {
    pub(crate) language: &'static LanguageRules,
    /// Indexed by node kind id.
    by_kind: Vec<(Option<NodeRule>, Option<NameRule>)>,
}

impl RuleTable {
    /// Indexes the rules of a language by the node kinds of a grammar.
    pub(crate) fn new(grammar: &tree_sitter::Language, language: &'static LanguageRules) -> RuleTable {
        let find = |kind: &str| {
            let rule = language.nodes.iter().find(|(listed, _)| *listed == kind).map(|(_, rule)| *rule);
            let name = language.names.iter().find(|(listed, _)| *listed == kind).map(|(_, name)| *name);
            (rule, name)
        };
        let by_kind = (0..grammar.node_kind_count() as u16)
            .map(|kind_id| match grammar.node_kind_for_id(kind_id) {
                Some(kind) if grammar.node_kind_is_named(kind_id) => find(kind),
                _ => (None, None),
            })
            .collect();
        RuleTable { language, by_kind }
    }

    /// Returns the rule for a node.
    #[inline]
    pub(crate) fn rule(&self, node: SyntaxNode<'_>) -> Option<NodeRule> {
        self.by_kind.get(node.kind_id() as usize).and_then(|(rule, _)| *rule)
    }

    /// Returns the rule that finds the name in a node.
    #[inline]
    pub(crate) fn name_rule(&self, node: SyntaxNode<'_>) -> Option<NameRule> {
        self.by_kind.get(node.kind_id() as usize).and_then(|(_, name)| *name)
    }

    /// Returns true if a node is a comment.
    pub(crate) fn is_comment(&self, node: SyntaxNode<'_>) -> bool {
        matches!(self.rule(node), Some(NodeRule::Comment))
    }
}
