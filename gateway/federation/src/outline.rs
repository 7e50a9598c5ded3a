//! Files that match a path, each with the outline of its definitions.

use model::LineSpan;
use proto::v1;

use crate::{fan_out::Replies, plan::Plan, repo_idx::RepoIdx};

/// Advice for a path that was not found: answers show paths without such characters.
pub const UNSEEN: &str = "a path that holds control or direction characters is found only with them";

/// A file that matches a path.
pub struct OutlinedFile {
    /// The repository of the file.
    pub repo_idx: RepoIdx,
    /// The path from the root of the repository, unsanitised.
    pub path: String,
    /// The definitions of the file, by line, and its diagnostics.
    pub outline: v1::FileOutline,
}

impl OutlinedFile {
    /// Returns the node of the file in the code graph of its generation.
    pub fn node(&self) -> u32 {
        self.outline.file.as_ref().map_or(0, |file| file.node)
    }

    pub(crate) fn used_by(&self) -> u32 {
        self.outline.file.as_ref().map_or(0, |file| file.used_by)
    }

    /// Returns the hash of the file's content.
    pub fn blob(&self) -> &str {
        self.outline.file.as_ref().map_or("", |file| file.blob.as_str())
    }

    /// Returns the signatures of its definitions with their first lines, in the order of lines.
    pub fn signatures(&self) -> impl Iterator<Item = (u32, String)> {
        self.outline.symbols.iter().map(|symbol| {
            let start = span(symbol.lines.unwrap_or_default()).start;
            (start, signature(&symbol.signature))
        })
    }

    /// Returns the smallest definition around a line. A statement that assigns an attribute (`self.a`) belongs to its method.
    pub fn innermost(&self, line: u32) -> Option<&v1::Symbol> {
        let is_around = |symbol: &&v1::Symbol| {
            let lines = span(symbol.lines.unwrap_or_default());
            (lines.start..=lines.end).contains(&line)
        };
        let is_attribute = |symbol: &v1::Symbol| {
            symbol.kind == "field" && symbol.signature.strip_suffix(&symbol.name).is_some_and(|of| of.ends_with('.'))
        };
        let around = self.outline.symbols.iter().filter(is_around).filter(|symbol| !is_attribute(symbol));
        around.min_by_key(|symbol| span(symbol.lines.unwrap_or_default()).len())
    }

    /// Returns the reason why a line of the file cannot be shown.
    pub fn missing_line_reason(&self, line: u32) -> String {
        let file = self.outline.file.clone().unwrap_or_default();
        let is_binary = model::FileClass::from(file.class()) == model::FileClass::Binary;
        match self.outline.diagnostics.first() {
            _ if is_binary => format!("was not read: it is binary, of {} bytes", file.bytes),
            Some(diagnostic) if file.lines == 0 => format!("was not read: {}", text::quote(diagnostic)),
            _ if file.lines == 0 && file.bytes > 0 => format!("was not read; it has {} bytes", file.bytes),
            _ => format!("has no line {line}: it has {}", file.lines),
        }
    }
}

/// Returns the files of all replies, in the order of alias and path.
pub fn files(plan: &Plan, replies: Replies<v1::OutlineResponse>) -> Vec<OutlinedFile> {
    let of_file = |repo_idx: Option<&RepoIdx>, outline: v1::FileOutline| {
        Some(OutlinedFile { repo_idx: *repo_idx?, path: outline.file.as_ref()?.path.clone(), outline })
    };
    let mut files: Vec<OutlinedFile> = Vec::new();
    for (group, reply) in replies {
        let repo_idxs = plan.by_id(&group);
        let outlines = reply.files.into_iter();
        files.extend(outlines.filter_map(|outline| of_file(repo_idxs.get(outline.repository.as_str()), outline)));
    }
    files.sort_by(|a, b| a.repo_idx.cmp(&b.repo_idx).then_with(|| a.path.cmp(&b.path)));
    files
}

/// Converts lines of a reply to a valid span, whatever the worker sent.
pub fn span(lines: v1::Lines) -> LineSpan {
    let start = lines.start.max(1);
    LineSpan { start, end: lines.end.max(start) }
}

/// Returns a signature on one line, with secrets masked.
pub fn signature(signature: &str) -> String {
    text::sanitise_name(&text::clean(signature)).into_owned()
}
