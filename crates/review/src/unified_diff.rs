//! Patches: reads a unified diff, and applies it to the old content of its files.

/// Maximum length of a diff: half of the longest request.
pub const MAX_DIFF_BYTES: usize = 512 << 10;

/// Maximum number of files of a diff.
pub const MAX_DIFF_FILES: usize = 500;

/// Maximum number of hunks of a diff.
const MAX_DIFF_HUNKS: usize = 10_000;

/// Why a diff cannot be read or applied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DiffError {
    /// There is no file header with hunks.
    #[error("it is no unified diff: no line begins with `--- ` before one with `+++ ` and one with `@@ `")]
    NoDiff,
    /// It is too large.
    #[error("the diff has more than {limit} {unit}")]
    TooLarge {
        /// The limit.
        limit: usize,
        /// The counted unit.
        unit: &'static str,
    },
    /// A line is not valid.
    #[error("line {line} of the diff is not valid: {reason}")]
    Invalid {
        /// The line, from 1.
        line: usize,
        /// The reason.
        reason: &'static str,
    },
    /// The old lines of a hunk are not in the file.
    #[error("the diff does not apply to `{path}`: line {line} of the file differs from the one in the diff")]
    Conflict {
        /// The file.
        path: String,
        /// The line of the old content, from 1.
        line: usize,
    },
    /// The change of a file cannot be seen in the diff.
    #[error("the diff of `{path}` is binary: make it with `git diff --text`, or leave the file out")]
    Binary {
        /// The file.
        path: String,
    },
}

/// A unified diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnifiedDiff {
    /// The changed files, in the order of the diff.
    pub files: Vec<FileDiff>,
}

/// The diff of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiff {
    /// The old path; `None` for a new file.
    pub old_path: Option<String>,
    /// The new path; `None` for a deleted file.
    pub new_path: Option<String>,
    hunks: Vec<DiffHunk>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct DiffHunk {
    /// The first old line, from 1; the line before the hunk if it has no old line.
    old_start: usize,
    lines: Vec<DiffLine>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum DiffLine {
    Context(String),
    Removed(String),
    Added(String),
    /// The line before has no line feed at its end.
    NoLineFeed,
}

impl UnifiedDiff {
    /// Reads a diff, as `git diff` and `diff -u` write it.
    pub fn parse(text: &str) -> Result<UnifiedDiff, DiffError> {
        if text.len() > MAX_DIFF_BYTES {
            return Err(DiffError::TooLarge { limit: MAX_DIFF_BYTES, unit: "bytes" });
        }
        let lines: Vec<&str> = text.strip_suffix('\n').unwrap_or(text).split('\n').collect();
        let (mut files, mut at, mut n_hunks) = (Vec::new(), 0, 0);
        while at < lines.len() {
            let Some((file, next)) = read_file(&lines, at)? else {
                at += 1;
                continue;
            };
            n_hunks += file.hunks.len();
            files.push(file);
            if files.len() > MAX_DIFF_FILES {
                return Err(DiffError::TooLarge { limit: MAX_DIFF_FILES, unit: "files" });
            }
            if n_hunks > MAX_DIFF_HUNKS {
                return Err(DiffError::TooLarge { limit: MAX_DIFF_HUNKS, unit: "hunks" });
            }
            at = next;
        }
        if files.is_empty() { Err(DiffError::NoDiff) } else { Ok(UnifiedDiff { files }) }
    }
}

/// Reads the diff of a file that begins at a line, and returns the line behind it.
fn read_file(lines: &[&str], at: usize) -> Result<Option<(FileDiff, usize)>, DiffError> {
    if let Some(header) = lines[at].strip_prefix("diff --git ") {
        return read_git_file(lines, at, header);
    }
    let headers = (lines[at].strip_prefix("--- "), lines.get(at + 1).and_then(|line| line.strip_prefix("+++ ")));
    let (Some(old), Some(new)) = headers else { return Ok(None) };
    if !lines.get(at + 2).is_some_and(|line| line.starts_with("@@ ")) {
        return Ok(None);
    }
    let (hunks, next) = read_hunks(lines, at + 2)?;
    Ok(Some((FileDiff { old_path: path(old, "a/", at)?, new_path: path(new, "b/", at + 1)?, hunks }, next)))
}

fn read_git_file(lines: &[&str], at: usize, header: &str) -> Result<Option<(FileDiff, usize)>, DiffError> {
    let (mut old_path, mut new_path, mut has_names) = (None, None, false);
    let mut next = at + 1;
    while let Some(line) = lines.get(next).filter(|line| !line.starts_with("diff --git ") && !line.starts_with("@@ ")) {
        let named = |prefix: &str| line.strip_prefix(prefix);
        if let Some(old) = named("--- ") {
            (old_path, has_names) = (path(old, "a/", next)?, true);
        } else if let Some(new) = named("+++ ") {
            new_path = path(new, "b/", next)?;
        } else if let Some(old) = named("rename from ") {
            (old_path, has_names) = (path(old, "", next)?, true);
        } else if let Some(new) = named("rename to ") {
            new_path = path(new, "", next)?;
        } else if line.starts_with("Binary files ") || *line == "GIT binary patch" {
            return Err(DiffError::Binary { path: header.to_owned() });
        } else if line.is_empty() {
            // The end of the diff, or a line between mails.
            next += 1;
            break;
        }
        next += 1;
    }
    if !has_names {
        // Only the mode changed, or an empty file was added or deleted.
        return Ok(Some((FileDiff { old_path: None, new_path: None, hunks: Vec::new() }, next)));
    }
    let (hunks, next) = read_hunks(lines, next)?;
    Ok(Some((FileDiff { old_path, new_path, hunks }, next)))
}

/// Returns the path of a header; `None` for `/dev/null`.
fn path(written: &str, prefix: &str, line: usize) -> Result<Option<String>, DiffError> {
    let written = written.split('\t').next().unwrap_or_default().trim_end();
    if written == "/dev/null" {
        return Ok(None);
    }
    let path = written.strip_prefix(prefix).unwrap_or(written);
    let is_valid = !path.is_empty()
        && !path.starts_with(['/', '"'])
        && path.split('/').all(|part| !matches!(part, "" | "." | ".."));
    let reason = "the path is absolute, quoted or leaves the repository";
    if is_valid { Ok(Some(path.to_owned())) } else { Err(DiffError::Invalid { line: line + 1, reason }) }
}

fn read_hunks(lines: &[&str], mut at: usize) -> Result<(Vec<DiffHunk>, usize), DiffError> {
    let mut hunks = Vec::new();
    while let Some(header) = lines.get(at).and_then(|line| line.strip_prefix("@@ ")) {
        let invalid = |reason| DiffError::Invalid { line: at + 1, reason };
        let mut ranges = header.split(' ');
        let old =
            ranges.next().and_then(|range| range_of(range, '-')).ok_or_else(|| invalid("not a range of lines"))?;
        let new =
            ranges.next().and_then(|range| range_of(range, '+')).ok_or_else(|| invalid("not a range of lines"))?;
        let (mut n_old, mut n_new) = (old.1, new.1);
        let mut hunk = DiffHunk { old_start: old.0, lines: Vec::new() };
        at += 1;
        while n_old + n_new > 0 || lines.get(at).is_some_and(|line| line.starts_with('\\')) {
            let invalid = |reason| DiffError::Invalid { line: at + 1, reason };
            let line = *lines.get(at).ok_or_else(|| invalid("the hunk ends before its last line"))?;
            let (mark, text) = line.split_at(line.chars().next().map_or(0, char::len_utf8));
            let (old, new, line) = match mark {
                // Mails and editors cut the space of an empty line.
                " " | "" => (1, 1, DiffLine::Context(text.to_owned())),
                "-" => (1, 0, DiffLine::Removed(text.to_owned())),
                "+" => (0, 1, DiffLine::Added(text.to_owned())),
                "\\" => (0, 0, DiffLine::NoLineFeed),
                _ => return Err(invalid("a line of a hunk begins with a space, `-`, `+` or `\\`")),
            };
            let too_many = || invalid("the hunk has more lines than its header");
            n_old = n_old.checked_sub(old).ok_or_else(too_many)?;
            n_new = n_new.checked_sub(new).ok_or_else(too_many)?;
            hunk.lines.push(line);
            at += 1;
        }
        hunks.push(hunk);
    }
    Ok((hunks, at))
}

/// Reads `-3,7`: the first line and the number of lines.
fn range_of(range: &str, sign: char) -> Option<(usize, usize)> {
    let range = range.strip_prefix(sign)?;
    let (start, count) = range.split_once(',').unwrap_or((range, "1"));
    let count: usize = count.parse().ok().filter(|count| *count <= MAX_DIFF_BYTES)?;
    Some((start.parse().ok()?, count))
}

impl FileDiff {
    /// Returns true if neither content nor path change.
    pub fn is_empty(&self) -> bool {
        self.old_path.is_none() && self.new_path.is_none()
    }

    /// Returns the new content. Every hunk must fit exactly where its header says.
    pub fn apply(&self, old: &str) -> Result<String, DiffError> {
        let old_lines: Vec<&str> = if old.is_empty() { Vec::new() } else { old.split_inclusive('\n').collect() };
        let mut new = String::with_capacity(old.len());
        let mut at = 0;
        for hunk in &self.hunks {
            let has_old = hunk.lines.iter().any(|line| matches!(line, DiffLine::Context(_) | DiffLine::Removed(_)));
            let start = if has_old { hunk.old_start.saturating_sub(1) } else { hunk.old_start };
            let conflict =
                |line: usize| DiffError::Conflict { path: self.old_path.clone().unwrap_or_default(), line: line + 1 };
            if start < at || start > old_lines.len() {
                return Err(conflict(start));
            }
            new.extend(old_lines[at..start].iter().copied());
            at = start;
            for (line, next) in hunk.lines.iter().zip(hunk.lines.iter().skip(1).map(Some).chain([None])) {
                let ends_file = matches!(next, Some(DiffLine::NoLineFeed));
                match line {
                    DiffLine::Context(text) | DiffLine::Removed(text) => {
                        let found = old_lines.get(at).ok_or_else(|| conflict(at))?;
                        let content = found.strip_suffix('\n').unwrap_or(found);
                        let is_same = content == text || content.strip_suffix('\r') == Some(text);
                        if !is_same {
                            return Err(conflict(at));
                        }
                        if matches!(line, DiffLine::Context(_)) {
                            new.push_str(found);
                        }
                        at += 1;
                    }
                    DiffLine::Added(text) => {
                        new.push_str(text);
                        new.push_str(if ends_file { "" } else { "\n" });
                    }
                    DiffLine::NoLineFeed => {}
                }
            }
        }
        new.extend(old_lines[at..].iter().copied());
        Ok(new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "one\ntwo\nthree\nfour\n";

    fn apply(diff: &str, old: &str) -> Result<String, DiffError> {
        UnifiedDiff::parse(diff)?.files[0].apply(old)
    }

    #[test]
    fn hunks_are_applied() {
        let diff =
            "--- a/x.txt\n+++ b/x.txt\n@@ -1,3 +1,3 @@ fn\n one\n-two\n+2\n three\n@@ -4 +4,2 @@\n four\n+five\n";
        assert_eq!(apply(diff, OLD).unwrap(), "one\n2\nthree\nfour\nfive\n");
        let new_file = "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n";
        assert_eq!(apply(new_file, "").unwrap(), "x");
        let rename = "diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n";
        let files = UnifiedDiff::parse(rename).unwrap().files;
        assert_eq!((files[0].old_path.as_deref(), files[0].new_path.as_deref()), (Some("a"), Some("b")));
        assert_eq!(files[0].apply(OLD).unwrap(), OLD);
    }

    #[test]
    fn invalid_diffs_are_explained() {
        for (diff, expected) in [
            ("hello", "it is no unified diff"),
            ("--- a/x\n+++ b/x\n@@ -x +1 @@\n", "line 3 of the diff is not valid: not a range of lines"),
            ("--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n one\n", "the hunk ends before its last line"),
            ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n*one\n", "begins with a space"),
            ("--- a/../x\n+++ b/x\n@@ -1 +1 @@\n one\n", "leaves the repository"),
            ("--- a/x\n+++ b/x\n@@ -2 +2 @@\n-one\n+1\n", "does not apply to `x`: line 2 of the file differs"),
            ("--- a/x\n+++ b/x\n@@ -9 +9 @@\n-one\n+1\n", "does not apply to `x`: line 9 of the file differs"),
        ] {
            let error = apply(diff, OLD).unwrap_err().to_string();
            assert!(error.contains(expected), "{diff}: {error}");
        }
        let large = "x".repeat(MAX_DIFF_BYTES + 1);
        assert_eq!(UnifiedDiff::parse(&large), Err(DiffError::TooLarge { limit: MAX_DIFF_BYTES, unit: "bytes" }));
    }
}
