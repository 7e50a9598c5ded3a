//! Lines of source that a question asks for: an assignment, a raise, a message.

use std::collections::BTreeSet;

use model::{FileClass, LineSpan, ShardState};

use super::super::{body::Citation, evidence::EvidenceHit, shortened::shortened};
use super::{
    IntentContext,
    cited_text::{CitedText, citation},
};
use federation::{
    answer::{Answer, Shortfalls},
    fetch::{NO_FILE, SourceRequest},
    outline::files,
    repo_idx::RepoIdx,
};

/// Maximum number of files to read, and of lines of one.
pub(super) const MAX_FILES: usize = 24;
const MAX_LINES: u32 = 5_000;

/// Maximum length of a quoted line.
const MAX_CHARS: usize = 160;

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SourceLine {
    pub(super) repo_idx: RepoIdx,
    pub(super) path: String,
    pub(super) line: u32,
    /// Number of white-space bytes before the text.
    pub(super) indent: usize,
    /// Without the indentation.
    pub(super) text: String,
}

impl SourceLine {
    pub(super) fn place(&self, context: IntentContext<'_, '_>) -> Citation {
        citation(context.plan, self.repo_idx, &self.path, (self.line, self.line))
    }

    /// Returns the line as a quotation with its place.
    pub(super) fn cited(&self, context: IntentContext<'_, '_>) -> CitedText {
        CitedText::cited(text::quote(&self.display_text()), self.place(context))
    }

    /// Returns the line without a list separator at its end, and shortened.
    pub(super) fn display_text(&self) -> String {
        let bare = self.text.trim_end_matches([',', ';', '{', '(']).trim();
        shortened(bare, MAX_CHARS)
    }
}

/// Returns the lines of files for which `is_wanted` is true, in the order of files.
pub(super) async fn matching(
    context: IntentContext<'_, '_>,
    wanted: &[(RepoIdx, String)],
    is_wanted: impl Fn(&str) -> bool,
) -> Answer<Vec<SourceLine>> {
    let lines = LineSpan { start: 1, end: MAX_LINES };
    let requests = wanted.iter().take(MAX_FILES).map(|(repo_idx, path)| SourceRequest {
        repo_idx: *repo_idx,
        path: path.clone(),
        lines,
    });
    read(context, requests.collect(), is_wanted).await
}

/// Returns the lines of files that are not empty, in the order of files.
pub(super) async fn non_empty_lines(
    context: IntentContext<'_, '_>,
    files: &[(RepoIdx, String)],
) -> Answer<Vec<SourceLine>> {
    matching(context, files, |line| !line.trim().is_empty()).await
}

/// Returns the lines of spans for which `is_wanted` is true.
pub(super) async fn read(
    context: IntentContext<'_, '_>,
    requests: Vec<SourceRequest>,
    is_wanted: impl Fn(&str) -> bool,
) -> Answer<Vec<SourceLine>> {
    let plan = context.call.visible.plan_for(
        requests.iter().map(|one| one.repo_idx).collect::<std::collections::BTreeSet<_>>().into_iter().collect(),
        false,
    );
    let fetched = context.call.fetch(&plan, &requests).await;
    fetched.map(|fetched| {
        let sources = requests.iter().zip(fetched).filter_map(|(request, source)| Some((request, source?)));
        let of_source = |(request, source): (&SourceRequest, federation::fetch::FetchedSource)| {
            let numbered = source.text.lines().zip(source.lines.start..);
            let wanted = numbered.filter(|(text, _)| is_wanted(text));
            let line = |(text, line): (&str, u32)| SourceLine {
                repo_idx: request.repo_idx,
                path: request.path.clone(),
                line,
                indent: text.len() - text.trim_start().len(),
                text: text.trim().to_owned(),
            };
            wanted.map(line).collect::<Vec<SourceLine>>()
        };
        sources.flat_map(of_source).collect()
    })
}

/// Returns the shortfalls of reads without those of absent files: a file that a repository may have is no part of the answer if it has none.
pub(super) fn without_absent_files(shortfalls: Shortfalls) -> Shortfalls {
    let is_absence =
        |(_, state, reason): &(RepoIdx, ShardState, &str)| *state == ShardState::Partial && reason.ends_with(NO_FILE);
    let absent: BTreeSet<RepoIdx> = shortfalls.iter().filter(is_absence).map(|(repo_idx, _, _)| repo_idx).collect();
    shortfalls.only(|repo_idx| !absent.contains(&repo_idx))
}

/// Returns the name of the innermost definition around a line; `None` outside of definitions.
pub(super) async fn definition_at(context: IntentContext<'_, '_>, line: &SourceLine) -> Option<String> {
    let plan = context.call.visible.plan_for(vec![line.repo_idx], false);
    let outlined = files(&plan, context.call.outline(&plan, &line.path, 1).await.value);
    let file = outlined.iter().find(|file| file.path == line.path)?;
    let symbol = file.innermost(line.line)?;
    Some(text::sanitise_name(&model::symbol::qualify(&symbol.container, &symbol.name)).into_owned())
}

/// Returns the retrieved files of code and settings, those of the named repositories alone if there are any. Tests come last.
pub(super) fn retrieved_files(context: IntentContext<'_, '_>, named: &BTreeSet<RepoIdx>) -> Vec<(RepoIdx, String)> {
    let (product, tests) = retrieved_by_class(context, named);
    product.into_iter().chain(tests).collect()
}

/// Returns the retrieved files of code and settings without those of tests.
pub(super) fn retrieved_product_files(
    context: IntentContext<'_, '_>,
    named: &BTreeSet<RepoIdx>,
) -> Vec<(RepoIdx, String)> {
    retrieved_by_class(context, named).0
}

/// Returns the retrieved files of the product, and those that the retrieval ranks behind them: a file of settings has few words of a
/// question. Values in tests are no settings.
pub(super) fn files_of_settings(context: IntentContext<'_, '_>, named: &BTreeSet<RepoIdx>) -> Vec<(RepoIdx, String)> {
    let (mut files, _) = retrieved_by_class(context, named);
    let further = context.evidence.further_files.iter();
    for file in further.filter(|(repo_idx, _)| named.is_empty() || named.contains(repo_idx)) {
        if files.len() < MAX_FILES && !files.contains(file) {
            files.push(file.clone());
        }
    }
    files.retain(|(_, path)| has_values(path));
    files
}

/// Returns false for a file whose numbers are no values, and whose lines run nowhere: those of Protocol Buffers number the fields, and
/// pages are prose.
pub(super) fn has_values(path: &str) -> bool {
    const WITHOUT: [&str; 5] = [".proto", ".html", ".htm", ".css", ".svg"];
    !WITHOUT.iter().any(|ending| path.ends_with(ending))
}

/// The retrieved files of the product and those of tests.
type FilesByClass = (Vec<(RepoIdx, String)>, Vec<(RepoIdx, String)>);

/// Returns the retrieved files of the product and those of tests.
fn retrieved_by_class(context: IntentContext<'_, '_>, named: &BTreeSet<RepoIdx>) -> FilesByClass {
    let hits = context.evidence.hits_in(named).filter(|hit| !hit.is_prose());
    let (tests, product): (Vec<_>, Vec<_>) = hits.partition(|hit| FileClass::from(hit.file.class()) == FileClass::Test);
    let places = |hits: Vec<&EvidenceHit>| hits.iter().map(|hit| (hit.repo_idx, hit.file.path.clone())).collect();
    (places(product), places(tests))
}

/// Returns the lines of the same file above a line, the nearest first.
pub(super) fn lines_above(lines: &[SourceLine], at: usize) -> impl Iterator<Item = &SourceLine> {
    let line = &lines[at];
    lines[..at].iter().rev().take_while(move |above| (above.repo_idx, &above.path) == (line.repo_idx, &line.path))
}

/// Returns the lines of a text as those of one file.
#[cfg(test)]
pub(super) fn lines_of_text(text: &str) -> Vec<SourceLine> {
    let line = |(text, line): (&str, u32)| SourceLine {
        repo_idx: RepoIdx(0),
        path: "a".to_owned(),
        line,
        indent: text.len() - text.trim_start().len(),
        text: text.trim().to_owned(),
    };
    text.lines().zip(1..).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_fields_are_no_values() {
        for (path, expected) in [
            ("proto/dock.proto", false),
            ("src/proto.rs", true),
            ("dock.protocol", true),
            ("docs/index.html", false),
            ("src/html.rs", true),
        ] {
            assert_eq!(has_values(path), expected, "{path}");
        }
    }

    #[test]
    fn an_absent_file_is_no_shortfall() {
        for (state, reason, expected) in [
            (ShardState::Partial, "setup.cfg: there is no such file", true),
            (ShardState::Partial, "setup.cfg: 3 lines are missing", false),
            (ShardState::TimedOut, "setup.cfg: there is no such file", false),
        ] {
            let mut shortfalls = Shortfalls::default();
            shortfalls.note(RepoIdx(0), state, reason);
            assert_eq!(without_absent_files(shortfalls).is_empty(), expected, "{state:?} {reason}");
        }
    }
}
