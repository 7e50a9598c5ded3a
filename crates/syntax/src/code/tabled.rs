//! Lowering by tables, for languages whose calls the graph does not resolve by type.
//!
//! One table per language gives each node kind a meaning, as for the walk that collects definitions. A function has one scope
//! for its whole body, and an assignment binds its name from there on: enough to find the text of an argument, the object of
//! a call and the declared type of both. Types are read from their text, since all of these languages write them alike.

mod bash;
mod calls;
mod csharp;
mod dart;
mod decorations;
mod elixir;
mod entries;
mod expressions;
mod functions;
mod kotlin;
mod patterns;
mod php;
mod ruby;
mod scala;
mod selectors;
mod swift;
mod table;
#[cfg(test)]
mod tests;
mod texts;
mod types;
mod variables;
mod written_types;

use std::collections::{HashSet, VecDeque};

use model::code::{DefinitionId, ExpressionId, NameId, ScopeId};
use model::{Code, Language};

use decorations::DecorationDraft;
use table::{LoweringRule, LoweringTable, TableIndex};

use super::builder::{CodeBuilder, FILE_SCOPE, OPAQUE, UNKNOWN_TYPE};
use crate::nesting::DefinitionIndex;
use crate::node::SyntaxNode;

/// Lowers a file with the table of its language. Returns `None` if the language has none.
pub(super) fn lower(
    language: Language,
    root: SyntaxNode<'_>,
    source: &[u8],
    definitions: &DefinitionIndex,
) -> Option<Code> {
    let table = table_of(language)?;
    let mut out = CodeBuilder::new(source, definitions);
    let mut lowering = TabledLowering {
        out: &mut out,
        table,
        index: table::index_of(language, table, root),
        types: Vec::new(),
        results: Vec::new(),
        bound: HashSet::new(),
        heredocs: VecDeque::new(),
        decorations: Vec::new(),
    };
    lowering.visit_children(root, FILE_SCOPE);
    Some(out.finish())
}

fn table_of(language: Language) -> Option<&'static LoweringTable> {
    Some(match language {
        Language::CSharp => &csharp::TABLE,
        Language::Kotlin => &kotlin::TABLE,
        Language::Ruby => &ruby::TABLE,
        Language::Php => &php::TABLE,
        Language::Scala => &scala::TABLE,
        Language::Elixir => &elixir::TABLE,
        Language::Dart => &dart::TABLE,
        Language::Swift => &swift::TABLE,
        Language::Bash => &bash::TABLE,
        _ => return None,
    })
}

/// The lowering of a file.
struct TabledLowering<'l, 't> {
    out: &'l mut CodeBuilder<'t>,
    table: &'static LoweringTable,
    index: &'static TableIndex,
    /// Definitions of the enclosing types, innermost last.
    types: Vec<Option<DefinitionId>>,
    /// Returned values of the enclosing functions, innermost last.
    results: Vec<Vec<ExpressionId>>,
    /// Names that have a binding, by scope.
    bound: HashSet<(ScopeId, NameId)>,
    /// Strings whose text follows their statement, in the order of the text.
    heredocs: VecDeque<ExpressionId>,
    /// Decorations of the next definition.
    decorations: Vec<DecorationDraft>,
}

impl TabledLowering<'_, '_> {
    /// Lowers a node, and returns its value.
    fn visit(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        // Comments have no rule, but the text of a heredoc has one.
        if node.is_extra() && self.rule(node).is_none() || !self.out.descend() {
            return OPAQUE;
        }
        let value = match self.rule(node) {
            Some(rule) => self.apply(rule, node, scope),
            None => {
                self.visit_children(node, scope);
                OPAQUE
            }
        };
        self.out.ascend();
        value
    }

    fn rule(&self, node: SyntaxNode<'_>) -> Option<&'static LoweringRule> {
        self.index.rule(node.kind_id())
    }

    /// Lowers all children. Returns the value of the last one.
    fn visit_children(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        self.visit_children_except(node, None, scope)
    }

    /// Lowers all children but one. Returns the value of the last one.
    fn visit_children_except(
        &mut self,
        node: SyntaxNode<'_>,
        except: Option<SyntaxNode<'_>>,
        scope: ScopeId,
    ) -> ExpressionId {
        if node.named_child_count() == 0 {
            return OPAQUE;
        }
        let mut cursor = node.walk();
        let mut last = OPAQUE;
        for child in node.named_children(&mut cursor) {
            if child.is_extra() {
                self.visit(child, scope);
            } else if Some(child) != except {
                last = self.visit(child, scope);
            }
        }
        last
    }
}
