//! Tables: the meaning of each node kind of a language.

use std::sync::OnceLock;

use model::Language;
use model::code::{BaseKind, ExpressionId, Literal, ScopeId};

use super::TabledLowering;
use super::selectors::ChildSelector;
use crate::node::SyntaxNode;

/// Lowers a node in a way that no other rule covers.
pub(super) type LoweringFunction = fn(&mut TabledLowering<'_, '_>, SyntaxNode<'_>, ScopeId) -> ExpressionId;

/// The meaning of a node kind. A kind without a rule has no value; its children are lowered.
pub(super) enum LoweringRule {
    /// Nothing inside is lowered.
    Skip,
    /// The value of one child. The others are lowered too.
    Value(ChildSelector),
    /// The value of the last child, as in a block.
    Last,
    /// A name in a scope, or the receiver if the table lists it.
    Name,
    /// The receiver.
    This,
    /// The receiver as its base class.
    Super,
    /// A literal.
    Literal(Literal),
    /// A symbol or a bare word, as a text.
    Symbol,
    /// A string, with interpolations.
    Text,
    /// Adjacent strings.
    Joined,
    /// `of.name`.
    Member { of: ChildSelector, name: ChildSelector },
    /// `callee(arguments)`. Blocks behind the arguments are arguments.
    Call { callee: ChildSelector, arguments: &'static [ChildSelector] },
    /// `of.name(arguments)`.
    MethodCall { of: ChildSelector, name: ChildSelector, arguments: &'static [ChildSelector] },
    /// `new made(arguments)`.
    Make { made: ChildSelector, arguments: &'static [ChildSelector] },
    /// `of[index]`.
    Element { of: ChildSelector, index: ChildSelector },
    /// `left operator right`.
    Binary { left: ChildSelector, operator: ChildSelector, right: ChildSelector },
    /// One of several children.
    Either(&'static [ChildSelector]),
    /// The value of one of the children of these kinds, as in a match.
    Arms(&'static [&'static str]),
    /// `await of`.
    Awaited,
    /// `of as to`.
    Cast { of: ChildSelector, to: ChildSelector },
    /// A type as a value.
    Type(ChildSelector),
    /// A list, a map or an object: the entries of [`LoweringTable::entries`] are members, and others items.
    Collection,
    /// An anonymous function.
    Lambda { parameters: ChildSelector, body: ChildSelector },
    /// A function.
    Function { name: ChildSelector, parameters: ChildSelector, result: ChildSelector, body: ChildSelector },
    /// A type with members. Its parameters are those of its constructor.
    Class { name: ChildSelector, parameters: ChildSelector, body: ChildSelector },
    /// A declared variable, constant or field.
    Variable { name: ChildSelector, declared: ChildSelector, value: ChildSelector },
    /// `target = value`, `target += value`.
    Assign { target: ChildSelector, operator: ChildSelector, value: ChildSelector },
    /// A returned value.
    Return,
    /// A loop over items.
    Loop { item: ChildSelector, items: ChildSelector },
    /// A wrapper around decorations and the definition that they decorate.
    Decorated,
    /// Any other construct.
    Visit(LoweringFunction),
}

/// An entry of a list of arguments, or of a collection: with a name it is a keyword argument, or a member.
pub(super) struct EntryRule {
    pub(super) kind: &'static str,
    pub(super) name: ChildSelector,
    pub(super) value: ChildSelector,
}

/// A parameter of a function.
pub(super) struct ParameterRule {
    pub(super) kind: &'static str,
    pub(super) name: ChildSelector,
    pub(super) declared: ChildSelector,
    pub(super) default: ChildSelector,
    pub(super) is_variadic: bool,
}

/// The tables of a language.
pub(super) struct LoweringTable {
    /// By node kind.
    pub(super) rules: &'static [(&'static str, LoweringRule)],
    /// Entries of argument lists and collections.
    pub(super) entries: &'static [EntryRule],
    /// Lists of entries inside of another list.
    pub(super) entry_groups: &'static [&'static str],
    /// Parameters.
    pub(super) parameters: &'static [ParameterRule],
    /// Lists of parameters inside of another list.
    pub(super) parameter_groups: &'static [&'static str],
    /// Kinds of nodes with a list of base types.
    pub(super) bases: &'static [(&'static str, BaseKind)],
    /// Kinds of decorations, and of the nodes around several of them.
    pub(super) decorations: &'static [&'static str],
    pub(super) decoration_groups: &'static [&'static str],
    /// Kinds of the names of decorations.
    pub(super) decoration_names: &'static [&'static str],
    /// Kinds of argument lists.
    pub(super) argument_lists: &'static [&'static str],
    /// Kinds of lists of type arguments.
    pub(super) type_arguments: &'static [&'static str],
    /// Kinds of patterns that take a value apart by position.
    pub(super) tuple_patterns: &'static [&'static str],
    /// Names of the receiver, and of the receiver as its base class.
    pub(super) receivers: &'static [&'static str],
    pub(super) base_receivers: &'static [&'static str],
    /// Operators that join texts, besides `+`.
    pub(super) concatenations: &'static [&'static str],
    /// Operators that make a pair.
    pub(super) pairs: &'static [&'static str],
    /// The method of a type that creates an object.
    pub(super) constructor: &'static str,
    /// True if an unbound name that code assigns is a field of the type around it.
    pub(super) has_bare_fields: bool,
    /// True if the last value of a function is its result.
    pub(super) has_last_results: bool,
    /// True if `$name` in a string is an interpolation that the grammar does not know.
    pub(super) has_dollar_names: bool,
}

impl LoweringTable {
    /// A table without content.
    pub(super) const EMPTY: LoweringTable = LoweringTable {
        rules: &[],
        entries: &[],
        entry_groups: &[],
        parameters: &[],
        parameter_groups: &[],
        bases: &[],
        decorations: &[],
        decoration_groups: &[],
        decoration_names: &[],
        argument_lists: &[],
        type_arguments: &[],
        tuple_patterns: &[],
        receivers: &[],
        base_receivers: &[],
        concatenations: &[],
        pairs: &[],
        constructor: "",
        has_bare_fields: false,
        has_last_results: false,
        has_dollar_names: false,
    };
}

/// The rules of a table by the number of a node kind.
pub(super) struct TableIndex(Vec<Option<&'static LoweringRule>>);

impl TableIndex {
    /// Returns the rule of a node kind.
    pub(super) fn rule(&self, kind_id: u16) -> Option<&'static LoweringRule> {
        self.0.get(kind_id as usize).copied().flatten()
    }
}

/// Returns the rules of a language by node kind, indexed on first use.
pub(super) fn index_of(language: Language, table: &'static LoweringTable, root: SyntaxNode<'_>) -> &'static TableIndex {
    static INDEXES: [OnceLock<TableIndex>; Language::ALL.len()] = [const { OnceLock::new() }; Language::ALL.len()];
    INDEXES[language as usize].get_or_init(|| {
        let grammar = root.language();
        let rule_of = |kind: &str| table.rules.iter().find(|(of, _)| *of == kind).map(|(_, rule)| rule);
        let kind_ids = 0..grammar.node_kind_count() as u16;
        TableIndex(kind_ids.map(|kind_id| grammar.node_kind_for_id(kind_id).and_then(rule_of)).collect())
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use model::Language;

    use super::super::table_of;
    use crate::grammar;

    #[test]
    fn every_node_kind_of_a_table_is_in_its_grammar() {
        for language in Language::ALL {
            let (Some(table), Some(grammar)) = (table_of(*language), grammar::for_language(*language)) else {
                continue;
            };
            let grammar = &grammar.parser_language;
            let kinds: BTreeSet<&str> =
                (0..grammar.node_kind_count() as u16).filter_map(|id| grammar.node_kind_for_id(id)).collect();
            let rules = table.rules.iter().map(|(kind, _)| *kind);
            let entries = table.entries.iter().map(|entry| entry.kind);
            let parameters = table.parameters.iter().map(|parameter| parameter.kind);
            let lists = [
                table.entry_groups,
                table.parameter_groups,
                table.decorations,
                table.decoration_groups,
                table.decoration_names,
                table.argument_lists,
                table.type_arguments,
                table.tuple_patterns,
            ];
            let bases = table.bases.iter().map(|(kind, _)| *kind);
            let listed = lists.into_iter().flatten().copied();
            let unknown: Vec<&str> = (rules.chain(entries).chain(parameters).chain(bases).chain(listed))
                .filter(|kind| !kinds.contains(kind))
                .collect();
            assert!(unknown.is_empty(), "{language:?}: {unknown:?}");
        }
    }
}
