//! The review of a change: the changed definitions of one repository, and the effect on their users in all repositories.
//!
//! `changes -> locate -> users -> sites -> judge`. Users come from the served generations. Those in the changed files themselves are
//! compared with the new contents of these files.

mod contracts;
mod judgement;
mod removed_files;
mod root_symbols;
mod uses;

use std::collections::{BTreeMap, BTreeSet, btree_map::Entry};

use futures::future::join_all;
use model::{Language, SymbolKind};
use proto::v1::{self, DefinitionChangeKind};
use review::{DeclaredSignature, signature_changes};

use super::answer::{ReviewFinding, ReviewSummary, ReviewedDefinition, UseCounts};
use federation::{
    answer::{Answer, Shortfalls},
    call::CallContext,
    commit_id::short_commit,
    nodes::NodeRef,
    outline::{OutlinedFile, files, signature},
    overlay::Overlay,
    plan::Plan,
    refusal::Refusal,
    repo_idx::RepoIdx,
    scope::GraphScope,
};
use root_symbols::root_symbols;
use uses::DefinitionUse;

/// Maximum number of changed definitions whose users are judged.
const MAX_REVIEWED: usize = 400;

/// Maximum number of files of a change whose definitions are located.
const MAX_LOCATED_FILES: usize = 200;

/// Maximum number of shown uses behind one import.
const MAX_BEHIND: usize = 50;

/// A reviewed change.
#[derive(Default)]
pub(super) struct ReviewedChange {
    pub(super) summary: ReviewSummary,
    /// The uses that the change concerns, broken ones first.
    pub(super) findings: Vec<ReviewFinding>,
    pub(super) definitions: Vec<ReviewedDefinition>,
    /// The changed files that the old side has, as `alias:path`.
    pub(super) paths: Vec<String>,
    /// The nodes of the changed definitions, with their descriptions.
    pub(super) cards: BTreeMap<NodeRef, v1::NodeCard>,
}

/// A changed definition whose users are judged.
struct ReviewTarget<'a> {
    change: &'a v1::DefinitionChange,
    /// The position among the changes.
    change_idx: usize,
    /// Its node, and for a constructor that of its type.
    roots: Vec<NodeRef>,
}

/// Reviews a change of the only repository of the scope.
pub(super) async fn review(
    call: &CallContext<'_>,
    scope: &GraphScope,
    overlay: &Overlay,
    change: &str,
) -> Result<Answer<ReviewedChange>, Refusal> {
    let &[repo_idx] = scope.lookup.as_slice() else {
        let aliases: Vec<&str> = call.visible.aliases().take(20).collect();
        let message = format!("a change is of one repository: name it with `repo`, such as {}", aliases.join(", "));
        return Err(Refusal::new(message));
    };
    let plan = scope.lookup_plan(&call.visible, None)?;
    let Answer { value: response, mut shortfalls } = call.changes(&plan, repo_idx, change).await;
    let Some(response) = response else {
        let reason = shortfalls.iter().next().map_or("no answer", |(_, _, reason)| reason);
        return Err(Refusal::new(format!("the change of {} cannot be read: {reason}", plan.alias(repo_idx))));
    };
    if !response.error.is_empty() {
        return Err(Refusal::new(signature(&response.error)));
    }
    let located = locate(call, &plan, repo_idx, &response).await;
    shortfalls.extend(located.shortfalls);
    let targets = located.value;
    let removed = removed_files::locate(call, &plan, repo_idx, &response).await.after(shortfalls);
    let (removed_files, shortfalls) = (removed.value, removed.shortfalls);
    let contracts = contracts::locate(call, scope, overlay, &response).await;
    let roots: BTreeSet<NodeRef> = targets.iter().flat_map(|target| target.roots.iter().copied()).collect();
    let roots: BTreeSet<NodeRef> = roots.into_iter().chain(contracts.nodes()).chain(removed_files.nodes()).collect();
    let (whole, enter) = crate::get_context::context::base_plan(
        call,
        &scope.clone_entering_all(&call.visible),
        overlay,
        &[repo_idx],
        [shortfalls],
    );
    let found = uses::find(call, &whole, overlay, &enter, &roots).await;
    let remaining = whole.without(&found.shortfalls);
    let names = names_by_file(&targets, &removed_files, &found.value, repo_idx, &response);
    let sites = call.sites(&remaining, &names).await.after(found.shortfalls);
    let (found, sites, shortfalls) = (found.value, sites.value, sites.shortfalls);

    let is_stale = base_view(&plan, repo_idx, &response).is_some();
    let evidence = judgement::Evidence {
        plan: &whole,
        repo_idx,
        response: &response,
        sites: &sites,
        cards: &found.cards,
        is_stale,
    };
    let mut findings: Vec<(usize, ReviewFinding)> = Vec::new();
    for target in &targets {
        let uses: Vec<&DefinitionUse> = found.uses.iter().filter(|one| target.roots.contains(&one.root)).collect();
        let judged = evidence.judge(target.change, &target.roots, &uses);
        findings.extend(judged.into_iter().map(|finding| (target.change_idx, finding)));
    }
    findings.extend(contracts.judge(&evidence, &found.uses).into_iter().map(|finding| (usize::MAX, finding)));
    let findings = worst_of_each_place(removed_files.add_findings(&evidence, &found.uses, findings));
    let summary = ReviewSummary {
        base_changes: changes_of_base(change, &response.base, &plan.repository(repo_idx).advertised.commit),
        ..summary(
            &whole,
            repo_idx,
            &response,
            &targets,
            &findings,
            (found.n_omitted, removed_files.n_omitted),
            &contracts,
        )
    };
    let definitions = definitions(&whole, repo_idx, &response, &findings);
    let paths = response.files.iter().filter(|file| !file.old_path.is_empty());
    let reviewed = ReviewedChange {
        summary,
        definitions,
        findings: findings.into_iter().map(|(_, finding)| finding).collect(),
        paths: paths.map(|file| format!("{}:{}", plan.alias(repo_idx), file.old_path)).collect(),
        cards: found.cards.into_iter().filter(|(at, _)| roots.contains(at)).collect(),
    };
    // The plan has the shortfalls of the steps before the walk.
    Ok(Answer { value: reviewed, shortfalls: whole.shortfalls.and(&shortfalls) })
}

/// Returns true if a change of this kind can concern users.
fn concerns_users(change: &v1::DefinitionChange) -> bool {
    let is_required_member = change.new.as_ref().is_some_and(|new| new.is_abstract);
    match change.kind() {
        DefinitionChangeKind::Body | DefinitionChangeKind::Unspecified => false,
        DefinitionChangeKind::Added => is_required_member || judgement::is_new_field(change),
        _ => true,
    }
}

/// Finds the nodes of the changed definitions in the served generation.
async fn locate<'a>(
    call: &CallContext<'_>,
    plan: &Plan,
    repo_idx: RepoIdx,
    response: &'a v1::ChangesResponse,
) -> Answer<Vec<ReviewTarget<'a>>> {
    let concerned = response.definitions.iter().enumerate().filter(|(_, change)| concerns_users(change));
    let concerned: Vec<(usize, &v1::DefinitionChange)> = concerned.take(MAX_REVIEWED).collect();
    let old_path = |change: &v1::DefinitionChange| match (&change.old, &change.new) {
        (Some(old), _) => old.path.clone(),
        (None, Some(new)) => {
            let file = response.files.iter().find(|file| file.new_path == new.path);
            file.map(|file| file.old_path.clone()).unwrap_or_default()
        }
        (None, None) => String::new(),
    };
    let paths: BTreeSet<String> = concerned.iter().map(|(_, change)| old_path(change)).collect();
    let paths: Vec<String> = paths.into_iter().filter(|path| !path.is_empty()).take(MAX_LOCATED_FILES).collect();
    let outlines = join_all(paths.iter().map(|path| call.outline(plan, path, 1))).await;
    let (mut by_path, mut shortfalls) = (BTreeMap::<String, OutlinedFile>::new(), Shortfalls::default());
    for (path, outline) in paths.iter().zip(outlines) {
        shortfalls.extend(outline.shortfalls);
        let file = files(plan, outline.value).into_iter().find(|file| file.repo_idx == repo_idx && file.path == *path);
        by_path.extend(file.map(|file| (path.clone(), file)));
    }
    let target = |(change_idx, change): (usize, &'a v1::DefinitionChange)| {
        let file = by_path.get(&old_path(change));
        let symbols = file.map(|file| file.outline.symbols.as_slice()).unwrap_or_default();
        let roots = root_symbols(change, symbols).map(|symbol| NodeRef { repo_idx, node: symbol.node });
        ReviewTarget { change, change_idx, roots: roots.collect() }
    };
    Answer { value: concerned.into_iter().map(target).collect(), shortfalls }
}

/// Returns the names to read in each file that has uses. Changed files were read with the change.
fn names_by_file(
    targets: &[ReviewTarget<'_>],
    removed_files: &removed_files::RemovedFiles,
    found: &uses::ReviewedUses,
    repo_idx: RepoIdx,
    response: &v1::ChangesResponse,
) -> BTreeMap<(RepoIdx, String), Vec<String>> {
    let is_changed = |file: &(RepoIdx, String)| {
        file.0 == repo_idx && response.files.iter().any(|changed| changed.old_path == file.1)
    };
    let mut names: BTreeMap<(RepoIdx, String), BTreeSet<String>> = BTreeMap::new();
    for (file, name) in removed_files.names(&found.uses).filter(|(file, _)| !is_changed(file)) {
        names.entry(file.clone()).or_default().insert(name.to_owned());
    }
    for target in targets {
        let side = target.change.old.as_ref().or(target.change.new.as_ref());
        let symbol = side.and_then(|side| side.symbol.as_ref());
        let words = symbol.map(|symbol| [symbol.name.clone(), judgement::owner(symbol).to_owned()]);
        for one in found.uses.iter().filter(|one| target.roots.contains(&one.root) && !is_changed(&one.file)) {
            let wanted = words.iter().flatten().filter(|word| !word.is_empty()).cloned();
            names.entry(one.file.clone()).or_default().extend(wanted);
        }
    }
    names.into_iter().map(|(file, words)| (file, words.into_iter().collect())).collect()
}

/// Returns one finding for each place and name: a declaration and its definition may both have changed.
fn worst_of_each_place(mut findings: Vec<(usize, ReviewFinding)>) -> Vec<(usize, ReviewFinding)> {
    findings.sort_by(|(_, a), (_, b)| {
        (a.verdict, a.is_test, path_and_line(&a.at), &a.definition).cmp(&(
            b.verdict,
            b.is_test,
            path_and_line(&b.at),
            &b.definition,
        ))
    });
    let mut kept: Vec<(usize, ReviewFinding)> = Vec::new();
    let mut seen: BTreeMap<(String, String), usize> = BTreeMap::new();
    for (change_idx, finding) in findings {
        let name = finding.definition.rsplit("::").next().unwrap_or_default().to_owned();
        match seen.entry((finding.at.clone(), name)) {
            Entry::Vacant(place) => {
                place.insert(kept.len());
                kept.push((change_idx, finding));
            }
            Entry::Occupied(place) => kept[*place.get()].1.behind.extend(finding.behind),
        }
    }
    for (_, finding) in &mut kept {
        let mut own = BTreeSet::new();
        finding.behind.retain(|place| own.insert(place.clone()));
        finding.n_behind = finding.behind.len();
        finding.behind.truncate(MAX_BEHIND);
    }
    kept
}

/// Returns the parts of a place, so that lines are sorted by number.
fn path_and_line(at: &str) -> (&str, u32) {
    let parts = at.rsplit_once(':').and_then(|(path, line)| Some((path, line.parse().ok()?)));
    parts.unwrap_or((at, 0))
}

/// Returns the name of the view at the commit that a change begins at; nothing if the users are those of this commit.
fn base_view(plan: &Plan, repo_idx: RepoIdx, response: &v1::ChangesResponse) -> Option<String> {
    let served = &plan.repository(repo_idx).advertised;
    let is_base = served.commit == response.base && served.changed_files == 0;
    let alias = plan.alias(repo_idx);
    let repository = alias.split_once('@').map(|(name, _)| name).filter(|name| !name.is_empty()).unwrap_or(alias);
    (!is_base).then(|| format!("{repository}@{}", short_commit(&response.base)))
}

/// Returns a change between two commits as the view at its base names it, where `HEAD` is the base itself; nothing for other changes.
fn changes_of_base(change: &str, base: &str, served: &str) -> Option<String> {
    let (_, head) = change.rsplit_once("..").filter(|_| !change.trim().contains(char::is_whitespace))?;
    let head = if matches!(head, "" | "HEAD") { short_commit(served) } else { head };
    Some(format!("{}..{head}", short_commit(base)))
}

fn count<'a>(findings: impl Iterator<Item = &'a ReviewFinding>) -> UseCounts {
    findings.fold(UseCounts::default(), |counts, finding| counts.with(finding.verdict))
}

fn summary(
    plan: &Plan,
    repo_idx: RepoIdx,
    response: &v1::ChangesResponse,
    targets: &[ReviewTarget<'_>],
    findings: &[(usize, ReviewFinding)],
    (n_omitted_uses, n_omitted_files): (u64, usize),
    contracts: &contracts::RemovedContracts,
) -> ReviewSummary {
    let served = &plan.repository(repo_idx).advertised.commit;
    let stale_base = (*served != response.base).then(|| {
        let (base, served) = (short_commit(&response.base), short_commit(served));
        format!("the change begins at {base}, and the users are those of the indexed commit {served}")
    });
    let base_view = base_view(plan, repo_idx, response);
    let changed_base = base_view.as_ref().filter(|_| stale_base.is_none());
    let changed_base = changed_base.map(|_| "the users are those of the work tree, after the change".to_owned());
    let mut incomplete: Vec<String> = stale_base.iter().cloned().chain(changed_base).collect();
    incomplete.extend(base_view.as_ref().map(|view| format!("the users before the change are those of `repo` {view}")));
    let mut add = |count: usize, what: &str| incomplete.extend((count > 0).then(|| format!("{count} {what}")));
    add(response.omitted as usize, "changed files or definitions are beyond the limit");
    add(response.files.iter().filter(|file| !file.unread.is_empty()).count(), "changed files could not be read");
    let n_concerned = response.definitions.iter().filter(|change| concerns_users(change)).count();
    add(n_concerned.saturating_sub(targets.len()), "changed definitions are not compared with their users");
    add(
        targets.iter().filter(|target| target.roots.is_empty()).count(),
        "changed definitions are not in the indexed commit",
    );
    add(n_omitted_files, "removed files are not compared with their imports");
    add(usize::try_from(n_omitted_uses).unwrap_or(usize::MAX), "uses are beyond the limit");
    add(contracts.n_unknown(), "removed routes, rpcs, topics or tables have no known entry in the index");
    ReviewSummary {
        repo: plan.alias(repo_idx).to_owned(),
        base: short_commit(&response.base).to_owned(),
        stale_base: stale_base.is_some(),
        base_view,
        base_changes: None,
        files: response.files.len(),
        uses: count(findings.iter().map(|(_, finding)| finding)),
        complete: incomplete.is_empty(),
        incomplete,
    }
}

/// Returns the changed definitions, those with broken uses first, and those of which only the body changed last.
fn definitions(
    plan: &Plan,
    repo_idx: RepoIdx,
    response: &v1::ChangesResponse,
    findings: &[(usize, ReviewFinding)],
) -> Vec<ReviewedDefinition> {
    let of_change = |(change_idx, change): (usize, &v1::DefinitionChange)| {
        let own = findings.iter().filter(|(of, _)| *of == change_idx).map(|(_, finding)| finding);
        definition(plan, repo_idx, change, count(own))
    };
    let mut definitions: Vec<(DefinitionChangeKind, ReviewedDefinition)> =
        response.definitions.iter().enumerate().filter_map(|entry| Some((entry.1.kind(), of_change(entry)?))).collect();
    definitions.extend(
        contracts::views(plan, repo_idx, response).into_iter().map(|view| (DefinitionChangeKind::Signature, view)),
    );
    definitions.sort_by_key(|(kind, one)| (std::cmp::Reverse(one.uses.broken), *kind));
    definitions.into_iter().map(|(_, one)| one).collect()
}

fn definition(
    plan: &Plan,
    repo_idx: RepoIdx,
    change: &v1::DefinitionChange,
    uses: UseCounts,
) -> Option<ReviewedDefinition> {
    let id = |side: &v1::DefinitionSide| {
        let symbol = side.symbol.clone().unwrap_or_default();
        federation::symbol_ref::full_id(plan.alias(repo_idx), &side.path, &symbol)
    };
    let side = change.old.as_ref().or(change.new.as_ref())?;
    let symbol = side.symbol.as_ref()?;
    let moved_to = change.new.as_ref().filter(|_| change.old.is_some()).map(id).filter(|new| *new != id(side));
    let mut what = differences(change);
    if !change.wire_conflict.is_empty() {
        what.push(format!("not compatible on the wire: {}", signature(&change.wire_conflict)));
    }
    Some(ReviewedDefinition {
        change: kind_name(change.kind()).to_owned(),
        id: id(side),
        kind: text::sanitise_name(&symbol.kind).into_owned(),
        line: symbol.name_line,
        now: moved_to,
        what,
        uses,
    })
}

/// Returns the differences of both declarations in words.
fn differences(change: &v1::DefinitionChange) -> Vec<String> {
    let (Some(old), Some(new)) = (&change.old, &change.new) else { return Vec::new() };
    let both = (declared(old, None), declared(new, None));
    let (Some(old), Some(new)) = both else { return Vec::new() };
    signature_changes(&old, &new).iter().map(|one| signature(&one.to_string())).collect()
}

/// Returns the declaration of a side in parts; `text` replaces its own one.
fn declared(side: &v1::DefinitionSide, text: Option<&str>) -> Option<DeclaredSignature> {
    let symbol = side.symbol.as_ref()?;
    let kind = SymbolKind::parse(&symbol.kind)?;
    let language = Language::parse(&side.language)?;
    let text = text.unwrap_or(&symbol.signature);
    Some(DeclaredSignature::of(language, kind, judgement::owner(symbol), &symbol.name, text))
}

fn kind_name(kind: DefinitionChangeKind) -> &'static str {
    match kind {
        DefinitionChangeKind::Removed => "removed",
        DefinitionChangeKind::Renamed => "renamed",
        DefinitionChangeKind::Moved => "moved",
        DefinitionChangeKind::Signature => "signature",
        DefinitionChangeKind::Added => "added",
        DefinitionChangeKind::Body | DefinitionChangeKind::Unspecified => "body",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_named_by_its_commits_in_the_view_of_its_base() {
        let (base, served) = ("1a2b3c4d5e6f7a8b", "9f8e7d6c5b4a3f2e");
        for (change, expected) in [
            ("HEAD~1...HEAD", Some("1a2b3c4d5e6f..9f8e7d6c5b4a")),
            ("main..", Some("1a2b3c4d5e6f..9f8e7d6c5b4a")),
            ("v1..v2", Some("1a2b3c4d5e6f..v2")),
            ("working_tree", None),
            ("--- a/x\n+++ b/../x\n", None),
        ] {
            assert_eq!(changes_of_base(change, base, served).as_deref(), expected, "{change}");
        }
    }
}
