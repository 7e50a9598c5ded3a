//! Fetches source and pages for display, at the generations that were searched.

use std::{borrow::Cow, collections::BTreeMap};

use model::{Language, LineSpan, PageType, ShardState};
use proto::v1;
use text::risk::RiskSignal;

use crate::{
    answer::{Answer, Shortfalls},
    call::CallContext,
    connection::ShardClient,
    fan_out::{self, RetryGroups},
    nodes,
    plan::{Group, Plan},
    repo_idx::RepoIdx,
};

/// Context lines before a request: the first line identifies a multi-line secret, and similar lines identify a long key.
const LEAD_IN: u32 = 60;

/// Context lines after a request: similar lines, or the end of a key, may follow a single line.
const LEAD_OUT: u32 = 4;

/// A request for lines of a file.
#[derive(Debug, Clone)]
pub struct SourceRequest {
    /// The repository of the file.
    pub repo_idx: RepoIdx,
    /// The path from the root of the repository.
    pub path: String,
    /// May end after the last line of the file.
    pub lines: LineSpan,
}

/// Sanitised source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchedSource {
    /// Lines without a final newline; secrets are masked.
    pub text: String,
    /// The lines of the file that the text holds.
    pub lines: LineSpan,
    /// Number of lines of the whole file.
    pub file_lines: u32,
}

/// Source as its worker stores it. It is compared, and sanitised before a part of it is shown. It has no `Debug`, which would print secrets.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredSource {
    /// The requested lines, and those behind them that identify a secret on the last ones.
    text: String,
    n_lines: u32,
}

impl StoredSource {
    /// Returns the lines, to be compared.
    pub fn compared(&self) -> &str {
        &self.text[..len_of_lines(&self.text, self.n_lines)]
    }

    /// Returns the same lines, sanitised and with secrets masked. They have the same numbers.
    pub fn shown(&self) -> Cow<'_, str> {
        match text::clean(&self.text) {
            Cow::Borrowed(cleaned) => Cow::Borrowed(&cleaned[..len_of_lines(cleaned, self.n_lines)]),
            Cow::Owned(mut cleaned) => {
                cleaned.truncate(len_of_lines(&cleaned, self.n_lines));
                Cow::Owned(cleaned)
            }
        }
    }
}

/// Returns the length of the first lines of a text.
fn len_of_lines(text: &str, n_lines: u32) -> usize {
    text.split_inclusive('\n').take(n_lines as usize).map(str::len).sum()
}

/// A request for a page.
#[derive(Debug, Clone)]
pub struct PageRequest {
    /// The repository that the page describes, or that contains the described file or folder.
    pub repo_idx: RepoIdx,
    /// The type of the page; symbols have none.
    pub page_type: PageType,
    /// Empty for the page of the repository.
    pub path: String,
}

impl CallContext<'_> {
    /// Fetches source, one call per worker. Unreadable items are `None`, with a shortfall.
    #[tracing::instrument(skip_all, fields(items = wanted.len()))]
    pub async fn fetch(&self, plan: &Plan, wanted: &[SourceRequest]) -> Answer<Vec<Option<FetchedSource>>> {
        let items = wanted.iter().map(|want| (want.repo_idx, source_item(plan, want))).collect();
        let texts = self.fetch_texts(plan, items).await;
        let shown = |(text, want): (Option<RawText>, &SourceRequest)| {
            let text = text?;
            let (shown, lines) = show(&text.text, text.lines, want.lines)?;
            Some(FetchedSource { text: shown, lines, file_lines: text.file_lines })
        };
        texts.map(|texts| texts.into_iter().zip(wanted).map(shown).collect())
    }

    /// Fetches the first lines of files, one call per worker. Unreadable files are `None`, with a shortfall.
    ///
    /// To sanitise a file costs more than to compare it, and few of the compared lines are shown.
    #[tracing::instrument(skip_all, fields(items = files.len()))]
    pub async fn fetch_stored(
        &self,
        plan: &Plan,
        files: &[(RepoIdx, &str)],
        n_lines: u32,
    ) -> Answer<Vec<Option<StoredSource>>> {
        let lines = LineSpan { start: 1, end: n_lines.saturating_add(LEAD_OUT) };
        let item = |(repo_idx, path): &(RepoIdx, &str)| {
            let target = Some(plan.target(*repo_idx));
            let item =
                v1::FetchItem { target, path: (*path).to_owned(), lines: Some(lines.into()), ..Default::default() };
            (*repo_idx, item)
        };
        let texts = self.fetch_texts(plan, files.iter().map(item).collect()).await;
        let stored = |text: RawText| StoredSource { text: text.text, n_lines };
        texts.map(|texts| texts.into_iter().map(|text| text.map(stored)).collect())
    }

    /// Fetches pages, one call per worker. Absent pages are `None`; unreadable ones have a shortfall, too.
    pub async fn fetch_pages(&self, plan: &Plan, wanted: &[PageRequest]) -> Answer<Vec<Option<String>>> {
        let items = wanted.iter().map(|want| (want.repo_idx, page_item(plan, want))).collect();
        let texts = self.fetch_texts(plan, items).await;
        let shown = |text: Option<RawText>| text.map(|text| text::clean(&text.text).into_owned());
        texts.map(|texts| texts.into_iter().map(shown).collect())
    }

    /// Scans files for risk signals, one call per worker. Unreadable files are `None`. The masks of a worker identify secrets.
    pub async fn signals(&self, plan: &Plan, files: &[(RepoIdx, String)]) -> Answer<Vec<Option<Vec<RiskSignal>>>> {
        let item = |(repo_idx, path): &(RepoIdx, String)| {
            let target = Some(plan.target(*repo_idx));
            (*repo_idx, v1::FetchItem { target, path: path.clone(), ..Default::default() })
        };
        let items = files.iter().map(item).collect();
        let Answer { value: texts, shortfalls } = self.fetch_texts(plan, items).await;
        let paths: Vec<String> = files.iter().map(|(_, path)| path.clone()).collect();
        let look = move || {
            let signals = |(text, path): (Option<RawText>, String)| {
                text.map(|text| text::risk::find_signals(Language::of_path(&path), &text.text))
            };
            texts.into_iter().zip(paths).map(signals).collect()
        };
        let value = tokio::task::spawn_blocking(look).await.expect("looking is total, and nobody cancels it");
        Answer { value, shortfalls }
    }

    /// Fetches texts by repository, unsanitised.
    pub(crate) async fn fetch_texts(
        &self,
        plan: &Plan,
        items: Vec<(RepoIdx, v1::FetchItem)>,
    ) -> Answer<Vec<Option<RawText>>> {
        let mut by_repo_idx: BTreeMap<RepoIdx, Vec<usize>> = BTreeMap::new();
        for (item_idx, (repo_idx, _)) in items.iter().enumerate() {
            by_repo_idx.entry(*repo_idx).or_default().push(item_idx);
        }
        let of_group = &|group: &Group| -> Vec<usize> {
            group.repo_idxs.iter().flat_map(|repo_idx| by_repo_idx[repo_idx].iter().copied()).collect()
        };
        let groups = nodes::groups(plan, by_repo_idx.keys().copied());
        let first = self.fetch_once(plan, &items, &groups, of_group).await;
        let RetryGroups { groups: again, without } = fan_out::retry_groups(plan, &self.connections, first.missing);
        let shortfalls = first.shortfalls.and(&without);
        let second = match again.is_empty() {
            true => FetchedOnce::default(),
            false => self.fetch_once(plan, &items, &again, of_group).await,
        };
        let still_missing = second.missing.iter().fold(Shortfalls::default(), |all, (_, short)| all.and(short));
        let shortfalls = shortfalls.and(&second.shortfalls).and(&still_missing);
        let mut texts: BTreeMap<usize, RawText> = first.texts.into_iter().chain(second.texts).collect();
        let fetched = (0..items.len()).map(|item_idx| texts.remove(&item_idx)).collect();
        Answer { value: fetched, shortfalls }
    }

    /// Reads the texts of some groups.
    async fn fetch_once(
        &self,
        plan: &Plan,
        items: &[(RepoIdx, v1::FetchItem)],
        groups: &[Group],
        of_group: impl Fn(&Group) -> Vec<usize>,
    ) -> FetchedOnce {
        let message = |group: &Group| v1::FetchRequest {
            items: of_group(group).into_iter().map(|item_idx| items[item_idx].1.clone()).collect(),
        };
        let rpc = |mut client: ShardClient, request| async move { client.fetch(request).await };
        let Answer { value: answered, shortfalls } =
            fan_out::ask(plan, groups, &self.connections, self.hard_deadline(), message, rpc).await;
        let mut fetched = FetchedOnce { shortfalls, ..FetchedOnce::default() };
        for (group, reply) in answered {
            let mut short = Shortfalls::default();
            let indices = of_group(&group);
            if reply.results.len() == indices.len() {
                let mut of_items: Vec<Shortfalls> = Vec::new();
                for (item_idx, result) in indices.into_iter().zip(reply.results) {
                    let mut of_item = Shortfalls::default();
                    let text = accept(plan, &items[item_idx], result, &mut of_item);
                    fetched.texts.extend(text.map(|text| (item_idx, text)));
                    of_items.push(of_item);
                }
                short = with_absences_last(of_items);
            } else {
                fan_out::record_group_shortfall(
                    &mut short,
                    plan,
                    &group,
                    ShardState::Failed,
                    "bad reply: not one result each",
                );
            }
            if !short.is_empty() {
                fetched.missing.push((group, short));
            }
        }
        fetched
    }
}

/// End of the reason with which a worker has no text of a path.
pub const NO_FILE: &str = "there is no such file";

/// Merges the shortfalls of items. A repository has one reason: an absent file gives it only if nothing else is missing.
fn with_absences_last(of_items: Vec<Shortfalls>) -> Shortfalls {
    let is_absence = |short: &Shortfalls| short.iter().all(|(_, _, reason)| reason.ends_with(NO_FILE));
    let (absences, others): (Vec<Shortfalls>, Vec<Shortfalls>) = of_items.into_iter().partition(is_absence);
    others.iter().chain(&absences).fold(Shortfalls::default(), |all, short| all.and(short))
}

/// The texts that one round of calls read.
#[derive(Default)]
struct FetchedOnce {
    /// By the index of the item.
    texts: Vec<(usize, RawText)>,
    /// Repositories whose worker did not answer.
    shortfalls: Shortfalls,
    /// Groups with an incomplete reply.
    missing: Vec<(Group, Shortfalls)>,
}

/// A text as the worker sent it, unsanitised.
pub(crate) struct RawText {
    pub(crate) text: String,
    pub(crate) lines: LineSpan,
    pub(crate) file_lines: u32,
    /// Of annotated source.
    pub(crate) tokens: Vec<v1::SourceToken>,
    pub(crate) targets: Vec<v1::TokenTarget>,
}

pub(crate) fn source_item(plan: &Plan, want: &SourceRequest) -> v1::FetchItem {
    let lines = Some(surroundings(want.lines).into());
    v1::FetchItem { target: Some(plan.target(want.repo_idx)), path: want.path.clone(), lines, ..Default::default() }
}

fn page_item(plan: &Plan, want: &PageRequest) -> v1::FetchItem {
    let page_type = want.page_type.name().to_owned();
    v1::FetchItem { target: Some(plan.target(want.repo_idx)), path: want.path.clone(), page_type, ..Default::default() }
}

fn surroundings(wanted: LineSpan) -> LineSpan {
    LineSpan { start: wanted.start.saturating_sub(LEAD_IN).max(1), end: wanted.end.saturating_add(LEAD_OUT) }
}

/// Returns the text of a result if it matches its request; else records a shortfall.
fn accept(
    plan: &Plan,
    (repo_idx, item): &(RepoIdx, v1::FetchItem),
    result: v1::FetchResult,
    shortfalls: &mut Shortfalls,
) -> Option<RawText> {
    let outcome = result.outcome.unwrap_or_default();
    let generation = &plan.repository(*repo_idx).advertised.generation;
    match outcome.shortfall() {
        // One unreadable file makes the answer partial.
        Some(ShardState::Failed) => {
            let reason = format!("{}: {}", text::quote_name(&item.path), text::sanitise_name(&outcome.reason));
            shortfalls.note(*repo_idx, ShardState::Partial, reason);
            return None;
        }
        Some(ShardState::Partial) => {}
        Some(state) => {
            shortfalls.note(*repo_idx, state, text::sanitise_name(&outcome.reason));
            return None;
        }
        None => {}
    }
    if outcome.generation != *generation {
        shortfalls.note(*repo_idx, ShardState::Failed, "bad reply: another generation than the one asked for");
        return None;
    }
    let v1::FetchResult { text, file_lines, tokens, targets, .. } = result;
    Some(RawText { text, lines: result.lines?.into(), file_lines, tokens, targets })
}

/// Returns the requested lines and their span. Sanitises the whole text before cutting it.
pub(crate) fn show(text: &str, read: LineSpan, wanted: LineSpan) -> Option<(String, LineSpan)> {
    let start = read.start.max(wanted.start);
    let n_before = start - read.start;
    let n_wanted = wanted.end.saturating_add(1).saturating_sub(start);
    let cleaned = text::clean(text);
    let shown: Vec<&str> = cleaned.lines().skip(n_before as usize).take(n_wanted as usize).collect();
    let n_shown = u32::try_from(shown.len()).ok().filter(|n_shown| *n_shown > 0)?;
    Some((shown.join("\n"), LineSpan { start, end: start.saturating_add(n_shown - 1) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_of_a_long_key_is_shown_by_itself() {
        const N_LINES: u32 = 153;
        let body = "q8ZtLr2VxN4mWc7KpJ5sT9hB/vR4+sK7wB1nY5cJ8dF3gA6zP0eU2iOqMx7Lk3Zy\n".repeat(N_LINES as usize - 4);
        let key =
            format!("-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{body}=aB3d\n-----END PGP PRIVATE KEY BLOCK-----\n");
        for start in 1..=N_LINES {
            let wanted = LineSpan { start, end: (start + 1).min(N_LINES) };
            let LineSpan { start: first, end: last } = surroundings(wanted);
            let read: Vec<&str> = key.lines().skip(first as usize - 1).take((last + 1 - first) as usize).collect();
            let end = first + read.len() as u32 - 1;
            let (text, lines) = show(&read.join("\n"), LineSpan { start: first, end }, wanted).unwrap();
            assert_eq!(lines, wanted);
            assert!(!text.contains("q8Zt") && !text.contains("aB3d"), "{start}: {text}");
        }
    }

    #[test]
    fn a_key_that_begins_on_the_last_line_is_masked() {
        let body = "q8ZtLr2VxN4mWc7KpJ5sT9hB/vR4+sK7wB1nY5cJ8dF3gA6zP0eU2iOqMx7Lk3Zy\n";
        let text = format!("first\n{}", body.repeat(1 + LEAD_OUT as usize));
        let source = StoredSource { text: text.clone(), n_lines: 2 };
        assert_eq!(source.compared(), format!("first\n{body}"));
        let shown = source.shown();
        assert!(shown.starts_with("first\n") && shown.lines().count() == 2 && !shown.contains("q8Zt"), "{shown}");
        let whole = StoredSource { text: "a\nb".to_owned(), n_lines: 9 };
        assert_eq!((whole.compared(), whole.shown().as_ref()), ("a\nb", "a\nb"));
    }

    #[test]
    fn an_absent_file_hides_no_other_shortfall() {
        let of = |reasons: &[&str]| {
            let of_item = |reason: &&str| {
                let mut short = Shortfalls::default();
                short.note(RepoIdx(0), ShardState::Partial, *reason);
                short
            };
            let merged = with_absences_last(reasons.iter().map(of_item).collect());
            merged.iter().map(|(_, _, reason)| reason.to_owned()).collect::<Vec<_>>().join("; ")
        };
        for (reasons, expected) in [
            (&["a: there is no such file", "b: it is too large"][..], "b: it is too large"),
            (&["b: it is too large", "a: there is no such file"], "b: it is too large"),
            (&["a: there is no such file", "c: there is no such file"], "a: there is no such file"),
        ] {
            assert_eq!(of(reasons), expected);
        }
    }

    #[test]
    fn lines_are_those_wanted_as_far_as_there_are_any() {
        let span = |start, end| LineSpan { start, end };
        for (read, wanted, expected) in [
            (span(1, 4), span(2, 3), Some(("b\nc", span(2, 3)))),
            (span(1, 4), span(4, 9), Some(("d", span(4, 4)))),
            (span(1, 4), span(1, u32::MAX), Some(("a\nb\nc\nd", span(1, 4)))),
            (span(1, 4), span(5, 9), None),
            (span(1, 4), span(3, 2), None),
        ] {
            assert_eq!(show("a\nb\nc\nd\n", read, wanted), expected.map(|(text, lines)| (text.to_owned(), lines)));
        }
    }
}
