//! Scopes: the definitions that are open around a node, and their effect on the definitions inside.

use std::collections::HashSet;

use super::TreeWalk;

/// Maximum length in bytes of a container. Deeper nesting is generated or hostile: n nested functions would need n²
/// bytes.
const MAX_CONTAINER_BYTES: usize = 1_000;

/// The effect of an open scope on the definitions inside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScopeKind {
    /// A module: qualifies the names inside.
    Module,
    /// A namespace: does not qualify the names inside, since many files reopen the same one.
    Namespace,
    /// A type: functions inside are methods.
    Type,
    /// A function: variables inside are local.
    Function,
}

/// The open scopes.
#[derive(Default)]
pub(crate) struct ScopeStack {
    open: Vec<OpenScope>,
    /// Names of the open scopes, joined by dots.
    container: String,
    /// Every part of the name of every namespace seen so far, open or closed.
    namespaces: HashSet<String>,
}

struct OpenScope {
    kind: ScopeKind,
    name: String,
    /// Length of the container outside this scope.
    outer_len: usize,
}

impl ScopeStack {
    /// Returns the container of a definition in the innermost scope, including the definition's own qualifier.
    pub(crate) fn container(&self, qualifier: &str) -> String {
        join_names(&self.container, qualifier)
    }

    /// Returns the container of the innermost scope itself.
    pub(crate) fn outer_container(&self) -> &str {
        &self.container[..self.open.last().map_or(0, |scope| scope.outer_len)]
    }

    /// Returns the number of open scopes.
    pub(crate) fn n_open(&self) -> usize {
        self.open.len()
    }

    pub(crate) fn open(&mut self, kind: ScopeKind, name: String) {
        let outer_len = self.container.len();
        if kind == ScopeKind::Namespace {
            self.namespaces.extend(name.split('.').map(str::to_owned));
        } else if !name.is_empty() && outer_len + name.len() < MAX_CONTAINER_BYTES {
            self.container.push_str(if outer_len == 0 { "" } else { "." });
            self.container.push_str(&name);
        }
        self.open.push(OpenScope { kind, name, outer_len });
    }

    pub(crate) fn close(&mut self) {
        let scope = self.open.pop().expect("one scope for each frame that opened one");
        self.container.truncate(scope.outer_len);
    }
}

impl TreeWalk<'_> {
    /// Opens a scope for the children of the current node. A scope without a name does not qualify.
    pub(crate) fn open_scope(&mut self, kind: ScopeKind, name: &str) {
        self.next_scope = Some((kind, name.to_owned()));
    }

    /// Returns true if the innermost scope is a function, so that a variable here is local.
    pub(crate) fn is_in_function(&self) -> bool {
        self.scopes.open.last().is_some_and(|scope| scope.kind == ScopeKind::Function)
    }

    /// Returns true if the innermost scope is a function that is a member of a type.
    pub(crate) fn is_in_member(&self) -> bool {
        let mut innermost = self.scopes.open.iter().rev().map(|scope| scope.kind);
        (innermost.next(), innermost.next()) == (Some(ScopeKind::Function), Some(ScopeKind::Type))
    }

    /// Returns true if the innermost scope is a type.
    pub(crate) fn is_in_type(&self) -> bool {
        self.scopes.open.last().is_some_and(|scope| scope.kind == ScopeKind::Type)
    }

    /// Returns true if the innermost scope is a module without a name, which is a plain list of definitions.
    pub(crate) fn is_in_unnamed_module(&self) -> bool {
        self.scopes.open.last().is_some_and(|scope| scope.kind == ScopeKind::Module && scope.name.is_empty())
    }

    /// Returns the name of the innermost scope if that is a type; otherwise an empty string.
    pub(crate) fn type_name(&self) -> &str {
        match self.scopes.open.last() {
            Some(scope) if scope.kind == ScopeKind::Type => &scope.name,
            _ => "",
        }
    }

    /// Returns true if a namespace of this name was opened here or earlier in the file.
    pub(crate) fn has_namespace(&self, name: &str) -> bool {
        self.scopes.namespaces.contains(name)
    }
}

/// Joins two names by a dot. Either may be empty.
pub(crate) fn join_names(container: &str, name: &str) -> String {
    if name.is_empty() { container.to_owned() } else { model::symbol::qualify(container, name) }
}
