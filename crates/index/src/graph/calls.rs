//! The resolved calls of a repository as a list, for comparison with other call graphs.

use ::graph::{EdgeKind, Resolution};

use crate::snapshot::Snapshot;

/// A resolved call, from the enclosing definition to the called one.
#[derive(Debug, Clone, PartialEq)]
pub struct CallView {
    /// The definition that contains the call.
    pub caller: CallEnd,
    /// The called definition.
    pub callee: CallEnd,
    /// Line of the first call site, in the file of the caller.
    pub line: u32,
    /// Method of resolution, which implies a confidence.
    pub resolution: Resolution,
}

/// Caller or callee.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallEnd {
    /// Path of the file.
    pub path: String,
    /// Line of the name; 1 without a name.
    pub line: u32,
    /// Name of the definition; `None` for code at the top level of a file.
    pub name: Option<String>,
    /// Simple name of the enclosing definition, such as the class of a method; empty at the top level.
    pub class: String,
}

impl Snapshot {
    /// Returns the calls of at least this confidence, sorted by path, line and name of caller and callee.
    pub fn calls(&self, min_confidence: f32) -> Vec<CallView> {
        let calls = self.graph().edges.iter().filter(|edge| edge.kind() == EdgeKind::Calls);
        let selected = calls.filter(|edge| {
            // A request to a route of the same repository is a network request, not a call.
            edge.resolution() != Resolution::Contract && edge.resolution().confidence() >= min_confidence
        });
        let mut calls: Vec<CallView> = selected
            .filter_map(|edge| {
                Some(CallView {
                    caller: self.call_end(edge.from.to_native())?,
                    callee: self.call_end(edge.to.to_native())?,
                    line: edge.line.to_native(),
                    resolution: edge.resolution(),
                })
            })
            .collect();
        calls.sort_by(|a, b| (&a.caller, &a.callee, a.line).cmp(&(&b.caller, &b.callee, b.line)));
        calls
    }

    fn call_end(&self, node: u32) -> Option<CallEnd> {
        let path = self.tables().files.get(self.file_of_node(node)?)?.path.as_str().to_owned();
        Some(match self.tables().symbols.get(node as usize) {
            Some(symbol) => {
                let class = symbol.container.as_str().rsplit('.').next().unwrap_or_default().to_owned();
                CallEnd { path, line: symbol.name_line.to_native(), name: Some(symbol.name.as_str().to_owned()), class }
            }
            None => CallEnd { path, line: 1, name: None, class: String::new() },
        })
    }
}
