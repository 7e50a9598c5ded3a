//! The kinds of edges that walks follow, and their names.

use links::ContractKind;
use proto::v1;

use crate::overlay::kind_name;

/// The kind of an edge, within a repository or between two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// An edge of the code graph of one repository.
    Within(v1::EdgeKind),
    /// Between repositories. True if the definition itself is known, false if only its package is.
    Across(ContractKind, bool),
    /// Between repositories: a use of a definition that inference resolved.
    Use(v1::EdgeKind),
}

impl Relation {
    /// Returns the name that users read.
    pub fn name(self) -> &'static str {
        match self {
            Relation::Within(kind) | Relation::Use(kind) => match kind {
                v1::EdgeKind::Unspecified => "related",
                v1::EdgeKind::Calls => "calls",
                v1::EdgeKind::Imports => "imports",
                v1::EdgeKind::Extends => "extends",
                v1::EdgeKind::Implements => "implements",
                v1::EdgeKind::References => "references",
                v1::EdgeKind::Tests => "tests",
                v1::EdgeKind::Handles => "handles",
                v1::EdgeKind::Documents => "documents",
                v1::EdgeKind::Defines => "defines",
                v1::EdgeKind::Accesses => "accesses",
                v1::EdgeKind::Dispatch => "dispatch",
            },
            Relation::Across(kind, _) => kind_name(kind),
        }
    }

    /// Returns the passive form of the name, for the target of the edge.
    pub fn passive(self) -> &'static str {
        match self {
            Relation::Within(kind) | Relation::Use(kind) => match kind {
                v1::EdgeKind::Unspecified => "related",
                v1::EdgeKind::Calls => "called",
                v1::EdgeKind::Imports => "imported",
                v1::EdgeKind::Extends => "extended",
                v1::EdgeKind::Implements => "implemented",
                v1::EdgeKind::References => "referenced",
                v1::EdgeKind::Tests => "tested",
                v1::EdgeKind::Handles => "handler",
                v1::EdgeKind::Documents => "documented",
                v1::EdgeKind::Defines => "defined",
                v1::EdgeKind::Accesses => "accessed",
                v1::EdgeKind::Dispatch => "dispatched",
            },
            Relation::Across(kind, _) => kind_name(kind),
        }
    }

    /// Returns true for edges of control flow: calls, methods that a call may run, routes to handlers, and clients to services of other repositories.
    pub fn is_call(self) -> bool {
        match self {
            Relation::Within(kind) | Relation::Use(kind) => {
                matches!(kind, v1::EdgeKind::Calls | v1::EdgeKind::Handles | v1::EdgeKind::Dispatch)
            }
            // An address in a deployment and an image call nothing.
            Relation::Across(kind, is_exact) => {
                is_exact && !matches!(kind, ContractKind::Package | ContractKind::Config | ContractKind::Image)
            }
        }
    }

    /// Returns true if a function reads or writes the target.
    pub fn is_access(self) -> bool {
        matches!(self, Relation::Within(v1::EdgeKind::Accesses) | Relation::Use(v1::EdgeKind::Accesses))
    }

    pub(crate) fn is_link(self) -> bool {
        matches!(self, Relation::Across(..) | Relation::Use(_))
    }
}
