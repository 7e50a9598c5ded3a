//! Control flow: the bindings of branches and loops, and how they are merged.

use std::collections::HashSet;

use model::code::{Expression, ExpressionId, NameId, ScopeId, TypeId};

use super::{PythonLowering, StatementContext};

/// Maximum number of jumps out of one loop that are tracked.
const MAX_JUMPS: usize = 16;

/// Maximum number of branches whose values are merged.
const MAX_BRANCHES: usize = 32;

/// The control flow after a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    Continues,
    /// It returns, raises, or jumps.
    Exits,
}

/// A binding of a name in a scope.
#[derive(Debug, Clone, Copy)]
pub(super) struct BindingChange {
    scope: ScopeId,
    name: NameId,
    /// Bound by a test only: the value is the same.
    is_test: bool,
}

impl BindingChange {
    pub(super) fn name(self) -> NameId {
        self.name
    }

    pub(super) fn is_test(self) -> bool {
        self.is_test
    }
}

/// An enclosing loop while its body is lowered.
pub(super) struct OpenLoop {
    /// Number of binding changes at its start.
    first_change: usize,
    /// Scopes that `break` leaves, each with the names bound until then.
    jumps: Vec<(ScopeId, Vec<NameId>)>,
}

impl PythonLowering<'_, '_> {
    /// Binds a name to a value.
    pub(super) fn assign(
        &mut self,
        scope: ScopeId,
        name: NameId,
        declared: Option<TypeId>,
        value: Option<ExpressionId>,
    ) {
        self.out.bind(scope, name, declared, value);
        self.changes.push(BindingChange { scope, name, is_test: false });
        self.reset_members(scope, name);
    }

    /// Binds a name without resetting its tracked members.
    pub(super) fn rebind(&mut self, scope: ScopeId, name: NameId, value: ExpressionId) {
        self.out.bind(scope, name, None, Some(value));
        self.changes.push(BindingChange { scope, name, is_test: false });
    }

    /// Binds a name to the same value with the more specific type of a test.
    pub(super) fn bind_narrowed(&mut self, scope: ScopeId, name: NameId, declared: TypeId) {
        let value = self.out.use_name(name, scope);
        self.out.bind(scope, name, Some(declared), Some(value));
        self.changes.push(BindingChange { scope, name, is_test: true });
    }

    /// Binds a name to its value without a type that a test excludes.
    pub(super) fn bind_excluded(&mut self, scope: ScopeId, name: NameId, value: ExpressionId) {
        self.out.bind(scope, name, None, Some(value));
        self.changes.push(BindingChange { scope, name, is_test: true });
    }

    /// Opens the scope of a branch.
    pub(super) fn open_branch(&mut self, context: StatementContext) -> StatementContext {
        StatementContext { scope: self.out.open_scope(context.scope, None), ..context }
    }

    /// Returns the mark that separates earlier changes from those of the branches that follow.
    pub(super) fn mark(&self) -> usize {
        self.changes.len()
    }

    /// Merges the bindings of several branches into `scope`. Returns `Flow::Exits` if no branch reaches its end. The
    /// last branch also sees the bindings of the scopes in `outer_scopes`.
    pub(super) fn merge_branches(
        &mut self,
        scope: ScopeId,
        branches: &[(ScopeId, Flow)],
        outer_scopes: &[ScopeId],
        mark: usize,
    ) -> Flow {
        let reached: Vec<ScopeId> =
            branches.iter().filter(|(_, flow)| *flow == Flow::Continues).map(|(scope, _)| *scope).collect();
        let changes = self.changes.split_off(mark.min(self.changes.len()));
        if reached.is_empty() {
            return Flow::Exits;
        }
        let mut counted_scopes: HashSet<ScopeId> = reached.iter().copied().collect();
        if branches.last().is_some_and(|(_, flow)| *flow == Flow::Continues) {
            counted_scopes.extend(outer_scopes);
        }
        let mut seen = HashSet::new();
        for change in &changes {
            let is_reached = change.scope != scope && counted_scopes.contains(&change.scope);
            if is_reached && (!change.is_test || reached.len() == 1) && seen.insert(change.name) {
                self.merge_name(scope, change.name, &reached);
            }
        }
        // Bindings in `scope` itself stay.
        self.changes.extend(changes.iter().filter(|change| change.scope == scope));
        Flow::Continues
    }

    fn merge_name(&mut self, scope: ScopeId, name: NameId, from: &[ScopeId]) {
        let from = &from[..from.len().min(MAX_BRANCHES)];
        let values: Vec<ExpressionId> = from.iter().map(|from| self.out.use_name(name, *from)).collect();
        let value = match values.as_slice() {
            [single] => *single,
            _ => self.out.add_expression(Expression::Either(values.into())),
        };
        self.rebind(scope, name, value);
    }

    pub(super) fn begin_loop(&mut self) -> usize {
        let first_change = self.mark();
        self.loops.push(OpenLoop { first_change, jumps: Vec::new() });
        first_change
    }

    /// Records a `break` at the end of a branch.
    pub(super) fn record_break(&mut self, scope: ScopeId) {
        let Some(innermost) = self.loops.last_mut().filter(|innermost| innermost.jumps.len() < MAX_JUMPS) else {
            return;
        };
        let bound = self.changes[innermost.first_change.min(self.changes.len())..].iter().map(|change| change.name);
        innermost.jumps.push((scope, bound.collect()));
    }

    /// Merges the bindings of a loop body into `scope`. An endless loop is left only by `break`.
    pub(super) fn end_loop(&mut self, scope: ScopeId, body: (ScopeId, Flow), is_endless: bool) -> Flow {
        let Some(OpenLoop { first_change, jumps }) = self.loops.pop() else { return Flow::Continues };
        let changes = self.changes.split_off(first_change.min(self.changes.len()));
        let mut reached: Vec<ScopeId> = jumps.iter().map(|(scope, _)| *scope).collect();
        if !is_endless {
            reached.push(scope);
            reached.extend((body.1 == Flow::Continues).then_some(body.0));
        }
        if reached.is_empty() {
            return Flow::Exits;
        }
        let of_body = changes.iter().filter(|change| change.scope == body.0 && !change.is_test).map(|one| one.name);
        let names: Vec<NameId> = of_body.chain(jumps.iter().flat_map(|(_, names)| names.iter().copied())).collect();
        let mut seen = HashSet::new();
        for name in names {
            if seen.insert(name) {
                self.merge_name(scope, name, &reached);
            }
        }
        self.changes.extend(changes.iter().filter(|change| change.scope == scope));
        Flow::Continues
    }
}
