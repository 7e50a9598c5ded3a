//! Who calls whom, as a list for those who compare graphs.

use ::graph::{EdgeKind, Resolution};

use crate::Snapshot;

/// A call, from the definition that it stands in to the one that it means.
#[derive(Debug, Clone, PartialEq)]
pub struct CallView {
    pub caller: CallEnd,
    pub callee: CallEnd,
    /// The line of the first such call, in the file of the caller.
    pub line: u32,
    pub resolution: Resolution,
}

/// One end of a call.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallEnd {
    pub path: String,
    /// The line of the name; 1 where there is none.
    pub line: u32,
    /// None for what stands in no definition.
    pub name: Option<String>,
    /// The definition around it, such as the class of a method; empty at the top of a file.
    pub class: String,
}

impl Snapshot {
    /// Returns the calls that are at least so sure, in the order of caller and callee: by path, line and name.
    pub fn calls(&self, min_confidence: f32) -> Vec<CallView> {
        let calls = self.graph().edges.iter().filter(|edge| edge.kind() == EdgeKind::Calls);
        let wanted = calls.filter(|edge| {
            // A request that a route of the same repository answers goes over the wire.
            edge.resolution() != Resolution::Contract && edge.resolution().confidence() >= min_confidence
        });
        let mut calls: Vec<CallView> = wanted
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
