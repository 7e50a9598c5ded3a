//! The names in a file whose definitions are known: its own definitions, and the targets of its edges.

use model::{LineSpan, SymbolId, SymbolKind};

use super::neighbours::node_range;
use crate::snapshot::Snapshot;

/// Maximum number of names of one file.
const MAX_NAME_USES: usize = 50_000;

/// Minimum confidence of an edge that a name leads along: less certain ones are candidates.
const MIN_CONFIDENCE: f32 = 0.6;

/// A name in a line of a file, with its definition.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NameUse {
    /// The line of the name.
    pub line: u32,
    /// The name.
    pub name: String,
    /// The definition.
    pub target: SymbolId,
    /// The line of the definition's name.
    pub target_line: u32,
}

impl Snapshot {
    /// Returns the names in some lines of a file whose definitions are known, by line; none if there is no such file.
    pub fn name_uses(&self, path: &str, lines: LineSpan) -> Vec<NameUse> {
        let is_wanted = |line: &u32| (lines.start..=lines.end).contains(line);
        let Some(file_idx) = self.file_index(path) else { return Vec::new() };
        let graph = self.graph();
        let file = &self.tables().files[file_idx];
        let first = file.first_symbol.to_native();
        let own = first..first + file.n_symbols.to_native();
        let mut uses: Vec<NameUse> = own
            .clone()
            .flat_map(|node| {
                let line = self.tables().symbols.get(node as usize).map(|own| own.name_line.to_native());
                self.uses_of(node, line.filter(is_wanted))
            })
            .collect();
        for node in own.chain([self.file_node(file_idx)]) {
            for edge_idx in node_range(&graph.out_starts, node) {
                let Some(edge) = graph.edges.get(edge_idx) else { continue };
                if uses.len() >= MAX_NAME_USES || edge.resolution().confidence() < MIN_CONFIDENCE {
                    continue;
                }
                let all_lines = [edge.line.to_native()].into_iter().chain(graph.lines_after_first(edge_idx));
                uses.extend(all_lines.filter(is_wanted).flat_map(|line| self.uses_of(edge.to.to_native(), Some(line))));
            }
        }
        uses.sort_unstable();
        uses.dedup();
        uses.truncate(MAX_NAME_USES);
        uses
    }

    /// Returns the uses of a definition in a line: by its name, and of a constructor by the name of its type.
    fn uses_of(&self, node: u32, line: Option<u32>) -> Vec<NameUse> {
        let Some((line, symbol)) = line.zip(self.tables().symbols.get(node as usize)) else { return Vec::new() };
        let path = self.tables().files[symbol.file.to_native() as usize].path.as_str().to_owned();
        let target = SymbolId { path, qualified: symbol.qualified(), ordinal: symbol.ordinal.to_native() };
        let container = symbol.container.as_str().rsplit('.').next().unwrap_or_default();
        let names = [symbol.name.as_str(), if symbol.kind() == SymbolKind::Constructor { container } else { "" }];
        let of_name = |name: &str| NameUse {
            line,
            name: name.to_owned(),
            target: target.clone(),
            target_line: symbol.name_line.to_native(),
        };
        names.into_iter().filter(|name| !name.is_empty()).map(of_name).collect()
    }
}
