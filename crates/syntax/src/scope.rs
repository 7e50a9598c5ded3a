//! Scopes: which definitions are open around a node, and what they make of those in it.

use std::collections::HashSet;

use crate::walk::Walk;

/// The longest container. Deeper ones are generated, or hostile: n functions in each other would need n squared bytes.
const MAX_CONTAINER_BYTES: usize = 1_000;

/// What an open scope makes of the definitions in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScopeKind {
    /// A module: qualifies the names in it.
    Module,
    /// A namespace: does not qualify the names in it, since the same one is open in file after file.
    Namespace,
    /// A type: functions in it are methods.
    Type,
    /// A function: variables in it are its own.
    Function,
}

/// The open scopes.
#[derive(Default)]
pub(crate) struct Scopes {
    open: Vec<Scope>,
    /// Names of the open scopes, joined by dots.
    container: String,
    /// Every part of the name of every namespace so far, open or not.
    namespaces: HashSet<String>,
}

struct Scope {
    kind: ScopeKind,
    name: String,
    /// Length of the container outside of this scope.
    outer_len: usize,
}

impl Scopes {
    /// Returns the container of what is in the innermost scope, with the names that a definition brings along.
    pub(crate) fn container(&self, qualifier: &str) -> String {
        join(&self.container, qualifier)
    }

    /// Returns the container of what is around the innermost scope.
    pub(crate) fn outer_container(&self) -> &str {
        &self.container[..self.open.last().map_or(0, |scope| scope.outer_len)]
    }

    pub(crate) fn open(&mut self, kind: ScopeKind, name: String) {
        let outer_len = self.container.len();
        if kind == ScopeKind::Namespace {
            self.namespaces.extend(name.split('.').map(str::to_owned));
        } else if !name.is_empty() && outer_len + name.len() < MAX_CONTAINER_BYTES {
            self.container.push_str(if outer_len == 0 { "" } else { "." });
            self.container.push_str(&name);
        }
        self.open.push(Scope { kind, name, outer_len });
    }

    pub(crate) fn close(&mut self) {
        let scope = self.open.pop().expect("one scope for each frame that opened one");
        self.container.truncate(scope.outer_len);
    }
}

impl Walk<'_> {
    /// Opens a scope for what is in the node at hand. A scope without a name does not qualify.
    pub(crate) fn open_scope(&mut self, kind: ScopeKind, name: &str) {
        self.opening = Some((kind, name.to_owned()));
    }

    /// Says whether the innermost scope is a function, so that a variable here is nobody else's business.
    pub(crate) fn in_function(&self) -> bool {
        self.scopes.open.last().is_some_and(|scope| scope.kind == ScopeKind::Function)
    }

    /// Says whether the innermost scope is a type.
    pub(crate) fn in_type(&self) -> bool {
        self.scopes.open.last().is_some_and(|scope| scope.kind == ScopeKind::Type)
    }

    /// Says whether the innermost scope is a module without a name: a list of definitions.
    pub(crate) fn in_unnamed_module(&self) -> bool {
        self.scopes.open.last().is_some_and(|scope| scope.kind == ScopeKind::Module && scope.name.is_empty())
    }

    /// Returns the name of the innermost scope if that is a type; empty if not.
    pub(crate) fn type_name(&self) -> &str {
        match self.scopes.open.last() {
            Some(scope) if scope.kind == ScopeKind::Type => &scope.name,
            _ => "",
        }
    }

    /// Says whether a namespace of this name was opened before, here or earlier in the file.
    pub(crate) fn knows_namespace(&self, name: &str) -> bool {
        self.scopes.namespaces.contains(name)
    }
}

/// Joins names by a dot; either may be empty.
pub(crate) fn join(container: &str, name: &str) -> String {
    if name.is_empty() { container.to_owned() } else { model::symbol::qualify(container, name) }
}
