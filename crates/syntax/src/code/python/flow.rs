//! Branches: what they bind, and what is left of it after them.

use std::collections::HashSet;

use model::code::{Expression, ExpressionId, NameId, ScopeId, TypeId};

use super::{Place, Walk};

/// The most jumps out of one loop that are followed.
const MAX_JUMPS: usize = 16;

/// The most branches whose values are kept after them.
const MAX_BRANCHES: usize = 32;

/// Whether what follows a statement is reached through it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    On,
    /// It returns, raises, or jumps.
    Away,
}

/// A name that was bound in a scope.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change {
    scope: ScopeId,
    name: NameId,
    /// Bound by a test alone: it is still the same value.
    is_test: bool,
}

impl Change {
    pub(super) fn name(self) -> NameId {
        self.name
    }

    pub(super) fn is_test(self) -> bool {
        self.is_test
    }
}

/// A loop while its body is written.
pub(super) struct Loop {
    /// How many changes there were when it began.
    first_change: usize,
    /// Scopes that `break` leaves from, with the names that were bound until then.
    jumps: Vec<(ScopeId, Vec<NameId>)>,
}

impl Walk<'_, '_> {
    /// Binds a name to a value from here on.
    pub(super) fn assign(
        &mut self,
        scope: ScopeId,
        name: NameId,
        declared: Option<TypeId>,
        value: Option<ExpressionId>,
    ) {
        self.out.bind(scope, name, declared, value);
        self.changes.push(Change { scope, name, is_test: false });
        self.forget_parts(scope, name);
    }

    /// Binds a part of an object that was assigned anew.
    pub(super) fn bind_again(&mut self, scope: ScopeId, name: NameId, value: ExpressionId) {
        self.out.bind(scope, name, None, Some(value));
        self.changes.push(Change { scope, name, is_test: false });
    }

    /// Binds a name to the same value, of which a test tells more.
    pub(super) fn refine(&mut self, scope: ScopeId, name: NameId, declared: TypeId) {
        let value = self.out.use_name(name, scope);
        self.out.bind(scope, name, Some(declared), Some(value));
        self.changes.push(Change { scope, name, is_test: true });
    }

    /// Binds a name to what a test leaves of its value.
    pub(super) fn exclude(&mut self, scope: ScopeId, name: NameId, value: ExpressionId) {
        self.out.bind(scope, name, None, Some(value));
        self.changes.push(Change { scope, name, is_test: true });
    }

    /// Opens the scope of a branch.
    pub(super) fn branch(&mut self, place: Place) -> Place {
        Place { scope: self.out.scope(place.scope, None), ..place }
    }

    /// Returns the mark from which on changes belong to the branches that follow.
    pub(super) fn mark(&self) -> usize {
        self.changes.len()
    }

    /// Binds anew, after some branches, what they bound; says whether any is left on its end. What is bound in `around`
    /// is seen from the last branch.
    pub(super) fn join(
        &mut self,
        scope: ScopeId,
        branches: &[(ScopeId, Flow)],
        around: &[ScopeId],
        mark: usize,
    ) -> Flow {
        let left: Vec<ScopeId> =
            branches.iter().filter(|(_, flow)| *flow == Flow::On).map(|(scope, _)| *scope).collect();
        let changes = self.changes.split_off(mark.min(self.changes.len()));
        if left.is_empty() {
            return Flow::Away;
        }
        let mut counted: HashSet<ScopeId> = left.iter().copied().collect();
        if branches.last().is_some_and(|(_, flow)| *flow == Flow::On) {
            counted.extend(around);
        }
        let mut seen = HashSet::new();
        for change in &changes {
            let is_left = change.scope != scope && counted.contains(&change.scope);
            if is_left && (!change.is_test || left.len() == 1) && seen.insert(change.name) {
                self.rebind(scope, change.name, &left);
            }
        }
        // What was bound beside the branches stays bound.
        self.changes.extend(changes.iter().filter(|change| change.scope == scope));
        Flow::On
    }

    fn rebind(&mut self, scope: ScopeId, name: NameId, from: &[ScopeId]) {
        let from = &from[..from.len().min(MAX_BRANCHES)];
        let values: Vec<ExpressionId> = from.iter().map(|from| self.out.use_name(name, *from)).collect();
        let value = match values.as_slice() {
            [single] => *single,
            _ => self.out.expression(Expression::Either(values.into())),
        };
        self.bind_again(scope, name, value);
    }

    pub(super) fn begin_loop(&mut self) -> usize {
        let first_change = self.mark();
        self.loops.push(Loop { first_change, jumps: Vec::new() });
        first_change
    }

    /// Notes a `break` at the end of a branch.
    pub(super) fn jump(&mut self, scope: ScopeId) {
        let Some(innermost) = self.loops.last_mut().filter(|innermost| innermost.jumps.len() < MAX_JUMPS) else {
            return;
        };
        let bound = self.changes[innermost.first_change.min(self.changes.len())..].iter().map(|change| change.name);
        innermost.jumps.push((scope, bound.collect()));
    }

    /// Binds anew, after a loop, what its body bound; `is_endless` loops are left by `break` alone.
    pub(super) fn end_loop(&mut self, scope: ScopeId, body: (ScopeId, Flow), is_endless: bool) -> Flow {
        let Some(Loop { first_change, jumps }) = self.loops.pop() else { return Flow::On };
        let changes = self.changes.split_off(first_change.min(self.changes.len()));
        let mut left: Vec<ScopeId> = jumps.iter().map(|(scope, _)| *scope).collect();
        if !is_endless {
            left.push(scope);
            left.extend((body.1 == Flow::On).then_some(body.0));
        }
        if left.is_empty() {
            return Flow::Away;
        }
        let of_body = changes.iter().filter(|change| change.scope == body.0 && !change.is_test).map(|one| one.name);
        let names: Vec<NameId> = of_body.chain(jumps.iter().flat_map(|(_, names)| names.iter().copied())).collect();
        let mut seen = HashSet::new();
        for name in names {
            if seen.insert(name) {
                self.rebind(scope, name, &left);
            }
        }
        self.changes.extend(changes.iter().filter(|change| change.scope == scope));
        Flow::On
    }
}
