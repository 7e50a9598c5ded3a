//! Flow charts in the notation of Mermaid, for clients that draw it.

use std::fmt::Write as _;

use crate::{
    meta::{AnswerExtent, Meta},
    pack,
    render::RenderedAnswer,
};
use federation::plan::Plan;

/// Maximum number of nodes of a chart: more are hard to read on a screen.
pub(crate) const MAX_NODES: usize = 60;

/// Maximum number of edges of a chart. Mermaid refuses more than 500 unless it is configured.
const MAX_EDGES: usize = 400;

/// Maximum number of characters of a line of a label.
const MAX_LABEL_CHARS: usize = 60;

/// A chart whose arrows lead from the user to the provider.
#[derive(Debug, Clone, Default)]
pub(crate) struct Flowchart {
    /// True if users are drawn on the right of what they use.
    pub is_reversed: bool,
    pub nodes: Vec<ChartNode>,
    pub edges: Vec<ChartEdge>,
    /// Sentences about the parts that the chart lacks, which are drawn as nodes.
    pub remarks: Vec<String>,
}

/// A node of a chart.
#[derive(Debug, Clone, Default)]
pub(crate) struct ChartNode {
    /// The lines of its label. They may have any characters.
    pub lines: Vec<String>,
    /// The name of its frame. Nodes with an empty one have no frame.
    pub group: String,
    pub is_highlighted: bool,
}

/// An arrow of a chart.
#[derive(Debug, Clone)]
pub(crate) struct ChartEdge {
    /// Indices of nodes.
    pub from: usize,
    pub to: usize,
    pub label: String,
    /// False for an arrow that is drawn with dots.
    pub is_certain: bool,
}

impl Flowchart {
    /// Returns the chart without the nodes after the first `n_nodes` ones, and without their edges.
    pub(crate) fn first_nodes(&self, n_nodes: usize) -> Flowchart {
        let is_kept = |edge: &&ChartEdge| edge.from < n_nodes && edge.to < n_nodes;
        Flowchart {
            is_reversed: self.is_reversed,
            nodes: self.nodes.iter().take(n_nodes).cloned().collect(),
            edges: self.edges.iter().filter(is_kept).take(MAX_EDGES).cloned().collect(),
            remarks: self.remarks.clone(),
        }
    }

    /// Returns the chart in the notation of Mermaid, one statement per line.
    pub(crate) fn render(&self) -> String {
        let mut text = format!("flowchart {}\n", if self.is_reversed { "RL" } else { "LR" });
        let numbered = || self.nodes.iter().enumerate();
        for (idx, node) in numbered().filter(|(_, node)| node.group.is_empty()) {
            push_node(&mut text, "  ", idx, node);
        }
        for (group_idx, group) in groups(&self.nodes).into_iter().enumerate() {
            let _ = writeln!(text, "  subgraph g{group_idx}[\"{}\"]", escape(group));
            for (idx, node) in numbered().filter(|(_, node)| node.group == group) {
                push_node(&mut text, "    ", idx, node);
            }
            text += "  end\n";
        }
        for ChartEdge { from, to, label, is_certain } in &self.edges {
            let arrow = if *is_certain { "-->" } else { "-.->" };
            let _ = writeln!(text, "  n{from} {arrow}|\"{}\"| n{to}", escape(label));
        }
        for (idx, remark) in self.remarks.iter().enumerate() {
            let _ = writeln!(text, "  remark{idx}([\"{}\"])", escape_all(remark));
        }
        let highlighted: Vec<String> =
            numbered().filter(|(_, node)| node.is_highlighted).map(|(idx, _)| format!("n{idx}")).collect();
        if !highlighted.is_empty() {
            let _ = writeln!(text, "  style {} stroke-width:3px", highlighted.join(","));
        }
        text
    }
}

/// Returns the names of the frames, in the order of their first nodes.
fn groups(nodes: &[ChartNode]) -> Vec<&str> {
    let mut groups: Vec<&str> = Vec::new();
    for node in nodes.iter().filter(|node| !node.group.is_empty()) {
        if !groups.contains(&node.group.as_str()) {
            groups.push(&node.group);
        }
    }
    groups
}

fn push_node(text: &mut String, indent: &str, idx: usize, node: &ChartNode) {
    let lines: Vec<String> = node.lines.iter().map(|line| escape(line)).collect();
    let _ = writeln!(text, "{indent}n{idx}[\"{}\"]", lines.join("<br/>"));
}

/// Returns the text of an answer: as many nodes of a chart as the budget holds, and the metadata as a comment at the end.
///
/// Nodes are counted as `noun`, the first `n_fixed` are not counted, and `n_beyond` nodes are left out already.
pub(crate) fn answer(
    plan: &Plan,
    chart: &Flowchart,
    (noun, n_fixed, n_beyond): (&str, usize, usize),
    mut meta: Meta,
    token_budget: usize,
) -> RenderedAnswer {
    let n_all = (chart.nodes.len() - n_fixed + n_beyond) as u64;
    let lay_out = |n_nodes: usize, meta: &Meta| {
        let mut cut = chart.first_nodes(n_nodes.max(n_fixed));
        let n_shown = (cut.nodes.len() - n_fixed) as u64;
        let mut meta = meta.clone();
        meta.extent = AnswerExtent {
            truncated: n_shown < n_all,
            total_items: n_all,
            returned_items: n_shown,
            more: (n_shown < n_all).then(|| "format json lists all".to_owned()),
        };
        if n_shown < n_all {
            cut.remarks.insert(0, format!("{} of {n_all} {noun} are left out", n_all - n_shown));
        }
        format!("{}{}", cut.render(), comment(&meta.footer()))
    };
    let n_most = chart.nodes.len().min(MAX_NODES);
    let mut n_nodes = pack::count_that_fits(token_budget, n_most, |n_nodes| lay_out(n_nodes, &meta));
    if text::estimate_tokens(&lay_out(n_nodes, &meta)) > token_budget {
        meta.shorten();
        n_nodes = pack::count_that_fits(token_budget, n_most, |n_nodes| lay_out(n_nodes, &meta));
    }
    RenderedAnswer::compact(lay_out(n_nodes, &meta), plan)
}

/// Returns a line of metadata as a comment. Mermaid takes `%%{` for a directive.
fn comment(line: &str) -> String {
    format!("%% {}", line.replace(['%', '{', '}', '\n'], " "))
}

/// Escapes a name and shortens it in the middle.
fn escape(label: &str) -> String {
    let n_chars = label.chars().count();
    if n_chars <= MAX_LABEL_CHARS {
        return escape_all(label);
    }
    let half = (MAX_LABEL_CHARS - 1) / 2;
    let (start, end) = (label.chars().take(half), label.chars().skip(n_chars - half));
    escape_all(&start.chain(['…']).chain(end).collect::<String>())
}

/// Replaces each character that Mermaid, Markdown or HTML could give a meaning by its number.
fn escape_all(label: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || " _-./:,()…".contains(c);
    let mut escaped = String::with_capacity(label.len());
    for c in label.chars() {
        match is_plain(c) {
            true => escaped.push(c),
            false => {
                let _ = write!(escaped, "#{};", u32::from(c));
            }
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(line: &str, group: &str) -> ChartNode {
        ChartNode { lines: vec![line.to_owned()], group: group.to_owned(), is_highlighted: false }
    }

    #[test]
    fn labels_cannot_leave_their_quotes() {
        for (label, expected) in [
            ("parcel-kit", "parcel-kit"),
            ("a\"] --> b", "a#34;#93; --#62; b"),
            ("<img src=x>", "#60;img src#61;x#62;"),
            ("%%{init: {}}%%", "#37;#37;#123;init: #123;#125;#125;#37;#37;"),
            ("`**bold**`", "#96;#42;#42;bold#42;#42;#96;"),
            ("x\ny #quot;", "x#10;y #35;quot#59;"),
            ("größe", "größe"),
        ] {
            assert_eq!(escape(label), expected);
        }
        assert_eq!(comment("%%{init}\nend"), "%%    init  end");
    }

    #[test]
    fn long_labels_are_shortened_in_the_middle() {
        let label = format!("src/{}/end.rs", "a".repeat(200));
        let shortened = escape(&label);
        assert!(shortened.starts_with("src/aaa") && shortened.ends_with("aaa/end.rs") && shortened.contains('…'));
        assert!(shortened.chars().count() <= MAX_LABEL_CHARS);
    }

    #[test]
    fn chart_has_frames_arrows_and_remarks() {
        let chart = Flowchart {
            is_reversed: true,
            nodes: vec![ChartNode { is_highlighted: true, ..node("target", "") }, node("a", "one"), node("b", "one")],
            edges: vec![
                ChartEdge { from: 1, to: 0, label: "calls".to_owned(), is_certain: true },
                ChartEdge { from: 2, to: 1, label: "http".to_owned(), is_certain: false },
            ],
            remarks: vec!["2 more users are left out".to_owned()],
        };
        let expected = "flowchart RL\n  n0[\"target\"]\n  subgraph g0[\"one\"]\n    n1[\"a\"]\n    n2[\"b\"]\n  end\n  \
                        n1 -->|\"calls\"| n0\n  n2 -.->|\"http\"| n1\n  remark0([\"2 more users are left out\"])\n  \
                        style n0 stroke-width:3px\n";
        assert_eq!(chart.render(), expected);
        let first = chart.first_nodes(2);
        assert_eq!((first.nodes.len(), first.edges.len()), (2, 1));
    }
}
