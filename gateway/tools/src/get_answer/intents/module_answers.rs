//! Answers about a module: from its own facts in the overview, and from the histories of its files.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use model::{ContentKind, PageType};
use proto::v1;

use super::super::{confidence::Confidence, evidence_source, sentences::sentences};
use super::{
    IntentAnswer, IntentContext, QuestionIntent,
    cited_text::{CitedText, citation, counted},
    entry_points, events,
    history::{change_text, day},
    module::{self, AskedModule, FilesOfModule, ModuleHistories},
    module_links,
    ownership::owners_text,
    subject::Subject,
};
use crate::arguments::suggested;
use federation::{answer::Answer, fetch::PageRequest};

/// Maximum number of sentences of a description, of other modules, of changes, and of test files.
const MAX_SENTENCES: usize = 3;
const MAX_MODULES: usize = 10;
const MAX_CHANGES: usize = 3;
const MAX_TEST_FILES: usize = 6;

/// Maximum number of packages in an answer, and of those of its repository that are read.
const MAX_PACKAGES: usize = 12;
const MAX_READ: u32 = 400;

/// Returns a sentence with the packages that are required first by a manifest in the folder of a module; nothing for the root.
async fn required_packages(context: IntentContext<'_, '_>, module: &AskedModule) -> Answer<Option<CitedText>> {
    let plan = context.call.visible.plan_for(vec![module.repo_idx], false);
    let Answer { value: mut overviews, shortfalls } = context.call.overviews(&plan, MAX_READ).await;
    let required = overviews.remove(&module.repo_idx).map(|overview| overview.requires).unwrap_or_default();
    let item = |package: &v1::DeclaredPackage| {
        let at = package.at.as_ref()?;
        let is_own = is_manifest_of(&module.module.path, &at.path);
        let name = package.key.split_once(':').map_or(package.key.as_str(), |(_, name)| name);
        let place = citation(context.plan, module.repo_idx, &at.path, (at.line, at.line));
        is_own.then(|| CitedText::cited(text::quote(&text::sanitise_name(name)), place))
    };
    let items: Vec<CitedText> = required.iter().filter_map(item).collect();
    let said =
        CitedText::listed("Packages that its own manifest is the first to require: ", items.clone(), MAX_PACKAGES, ".");
    Answer { value: (!items.is_empty()).then_some(said), shortfalls }
}

/// Returns true if a manifest lies in the folder of a module, and not in one below it.
fn is_manifest_of(folder: &str, path: &str) -> bool {
    !folder.is_empty() && path.rsplit_once('/').is_some_and(|(parent, _)| parent == folder)
}

/// Names of the file that describes a module without a page of its own, beside that of the folder.
const MAIN_FILES: [&str; 5] = ["main", "index", "lib", "mod", "__init__"];

/// Maximum number of files whose comments may describe a module.
const MAX_DESCRIBING: usize = 3;

/// Answers a question about a module; `None` if the facts of a module do not answer this intent.
pub(super) async fn answer(
    context: IntentContext<'_, '_>,
    module: &AskedModule,
    intent: QuestionIntent,
    question: &str,
) -> Option<IntentAnswer> {
    match intent {
        QuestionIntent::Ownership => ownership(context, module).await,
        QuestionIntent::History => history(context, module, question).await,
        QuestionIntent::Purpose => purpose(context, module).await,
        QuestionIntent::Location => Some(of_sentences(context, module, vec![location(context, module)])),
        QuestionIntent::Dependencies => {
            let said = ties(context, module, "uses", (&module.module.uses, module.module.all_uses))?;
            let required = required_packages(context, module).await;
            let further = required
                .value
                .unwrap_or_else(|| CitedText::plain("Packages that its manifest requires are not among them."));
            // A library comes in a package, and not in another module.
            let sentences = if asks_for_packages(question) { vec![further, said] } else { vec![said, further] };
            let answer = of_sentences(context, module, sentences).with_shortfalls(required.shortfalls);
            Some(IntentAnswer { confidence: Confidence::Medium, ..answer })
        }
        QuestionIntent::Callers | QuestionIntent::Dependents => Some(users(context, module, "")),
        QuestionIntent::Impact => Some(users(context, module, "A change may break its direct users first: ")),
        QuestionIntent::EntryPoints => entry_points::of_module(context, module, question).await,
        QuestionIntent::Tests => test_files(context, module).await,
        QuestionIntent::Configuration | QuestionIntent::Errors | QuestionIntent::Links => None,
    }
}

/// Returns true if a question asks for packages, and not for other modules.
fn asks_for_packages(question: &str) -> bool {
    const STEMS: [&str; 8] =
        ["librar", "package", "crate", "artifact", "third-party", "external", "run time", "runtime"];
    let lower = question.to_lowercase();
    STEMS.iter().any(|stem| lower.contains(stem))
}

/// Returns an answer with the tool that has more.
pub(super) fn of_sentences(
    context: IntentContext<'_, '_>,
    module: &AskedModule,
    sentences: Vec<CitedText>,
) -> IntentAnswer {
    let note = format!("get_overview {} has every module", suggested("repo", context.plan.alias(module.repo_idx)));
    IntentAnswer::new(sentences, Confidence::High, note)
}

/// Returns a sentence about the place of a module, with the file that describes it.
fn location(context: IntentContext<'_, '_>, module: &AskedModule) -> CitedText {
    let said = format!("{} is {}, with {}", module.name(), module.full_name(context.plan), size(module));
    let describing = module.module.purpose.as_ref().filter(|purpose| module.contains(module.repo_idx, &purpose.path));
    let said = match describing {
        Some(purpose) => CitedText::cited(said, citation(context.plan, module.repo_idx, &purpose.path, (1, 1))),
        None => CitedText::plain(said),
    };
    said.then(".")
}

/// Answers that a name stands for several modules.
pub(super) fn of_namesakes(context: IntentContext<'_, '_>, module: &AskedModule) -> IntentAnswer {
    let candidates = module.candidates(context.plan);
    let lead = format!("The name stands for {}: ", counted(candidates.len(), "module"));
    let said = CitedText::listed(&lead, candidates, MAX_MODULES, ". The question does not say which one it is about.");
    IntentAnswer { confidence: Confidence::Medium, ..of_sentences(context, module, vec![said]) }
}

fn size(module: &AskedModule) -> String {
    let n_files = counted(module.module.files as usize, "file");
    format!("{n_files} of code and {}", counted(module.module.symbols as usize, "definition"))
}

/// Returns a sentence with the modules that one is tied to, most places first.
fn ties(
    context: IntentContext<'_, '_>,
    module: &AskedModule,
    verb: &str,
    (listed, n_all): (&[v1::ModuleTie], u32),
) -> Option<CitedText> {
    let item = |tie: &v1::ModuleTie| {
        let shown = text::quote(&text::sanitise_name(&tie.path));
        CitedText::plain(format!("{shown} ({})", counted(tie.sites as usize, "place")))
    };
    let n_modules = counted((n_all as usize).max(listed.len()), "other module");
    let lead =
        format!("{} {verb} {n_modules} of {}: ", module.name(), text::quote(context.plan.alias(module.repo_idx)));
    let list = CitedText::listed(&lead, listed.iter().map(item).collect(), MAX_MODULES, "");
    (!listed.is_empty()).then(|| list.then("."))
}

fn users(context: IntentContext<'_, '_>, module: &AskedModule, lead: &str) -> IntentAnswer {
    let used_by = ties(context, module, "is used by", (&module.module.used_by, module.module.all_used_by));
    let said = match used_by {
        Some(said) => CitedText { text: format!("{lead}{}", said.text), ..said },
        None => {
            let alias = text::quote(context.plan.alias(module.repo_idx));
            CitedText::plain(format!("No other module of {alias} is known to use {}.", module.name()))
        }
    };
    // Uses by other repositories are known only as far as links are.
    let nothing = || CitedText::plain("Whether other repositories use it is not known.");
    let outside = module_links::outside_users(context, module).unwrap_or_else(nothing);
    IntentAnswer { confidence: Confidence::Medium, ..of_sentences(context, module, vec![said, outside]) }
}

async fn ownership(context: IntentContext<'_, '_>, module: &AskedModule) -> Option<IntentAnswer> {
    let Answer { value: ModuleHistories { files: histories, is_partial }, shortfalls } =
        module::histories(context, module).await;
    let owners = owners_of(histories.iter().map(|(_, history)| history));
    if owners.is_empty() {
        return None;
    }
    let n_files = counted(histories.len(), "file");
    let of_files = if is_partial { format!("{n_files} of it") } else { format!("its {n_files}") };
    let said = format!(
        "{} is owned by {}, by weight of recent changes of {of_files}",
        module.full_name(context.plan),
        owners_text(&owners)
    );
    let mut all = vec![CitedText::plain(format!("{}.", capitalised(&said)))];
    if let Some((path, last)) = changes(&histories).first() {
        let author = text::quote_name(&last.author);
        let place = citation(context.plan, module.repo_idx, path, (1, 1));
        let made = if is_partial { "made the last known change" } else { "changed it last" };
        all.push(CitedText::cited(format!("{author} {made}, on {}", day(last.at)), place).then("."));
    }
    let answer = IntentAnswer { confidence: confidence(is_partial), ..of_sentences(context, module, all) };
    Some(answer.with_shortfalls(shortfalls))
}

fn confidence(is_partial: bool) -> Confidence {
    if is_partial { Confidence::Medium } else { Confidence::High }
}

/// Returns the owners of files together: the share of each, weighted by how much its file changes.
fn owners_of<'h>(histories: impl Iterator<Item = &'h v1::FileHistory>) -> Vec<v1::Owner> {
    let mut by_name: BTreeMap<&str, f32> = BTreeMap::new();
    let mut total = 0.0;
    for history in histories {
        total += history.churn;
        history.owners.iter().for_each(|owner| *by_name.entry(&owner.name).or_default() += owner.share * history.churn);
    }
    let owner = |(name, churn): (&str, f32)| v1::Owner { name: name.to_owned(), share: churn / total };
    let mut owners: Vec<v1::Owner> = by_name.into_iter().filter(|_| total > 0.0).map(owner).collect();
    owners.sort_by(|a, b| b.share.total_cmp(&a.share).then_with(|| a.name.cmp(&b.name)));
    owners
}

/// Returns the changes of files, newest first and each once, with a file that each touched.
fn changes(histories: &[(String, v1::FileHistory)]) -> Vec<(&str, &v1::Change)> {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut all: Vec<(&str, &v1::Change)> = histories
        .iter()
        .flat_map(|(path, history)| {
            let last = history.last_change.as_slice().iter();
            let listed = if history.changes.is_empty() { last } else { history.changes.iter() };
            listed.map(move |change| (path.as_str(), change))
        })
        .collect();
    all.sort_by_key(|(path, change)| (Reverse(change.at), change.commit.as_str(), *path));
    all.retain(|(_, change)| seen.insert(change.commit.as_str()));
    all
}

async fn history(context: IntentContext<'_, '_>, module: &AskedModule, question: &str) -> Option<IntentAnswer> {
    let event = events::answer(context, &Subject::Module(module.clone()), question).await;
    if event.is_some() || events::is_sure_event(question) {
        return event;
    }
    let Answer { value: ModuleHistories { files: histories, is_partial }, shortfalls } =
        module::histories(context, module).await;
    let item = |(path, change): &(&str, &v1::Change)| {
        let place = citation(context.plan, module.repo_idx, path, (1, 1));
        CitedText::cited(format!("on {}", change_text(change)), place)
    };
    let found = changes(&histories);
    let mut items: Vec<CitedText> = found.iter().take(MAX_CHANGES).map(item).collect();
    if items.is_empty() {
        return None;
    }
    let first = items.remove(0);
    let known = if is_partial { "As far as is known, " } else { "" };
    let lead = format!("{known}{} was last changed ", module.name());
    let mut all = vec![CitedText::listed(&lead, vec![first], 1, ".")];
    if !items.is_empty() {
        all.push(CitedText::listed("Before that, it was changed ", items, MAX_CHANGES, "."));
    }
    let answer = IntentAnswer { confidence: confidence(is_partial), ..of_sentences(context, module, all) };
    Some(answer.with_shortfalls(shortfalls))
}

async fn purpose(context: IntentContext<'_, '_>, module: &AskedModule) -> Option<IntentAnswer> {
    let mut all: Vec<CitedText> = Vec::new();
    let mut shortfalls = federation::answer::Shortfalls::default();
    let said = module.module.purpose.clone().unwrap_or_default();
    let cite = |said: &str, path: &str| {
        let place = citation(context.plan, module.repo_idx, path, (1, 1));
        CitedText::cited(text::quote(said), place)
    };
    let own = sentences(&text::clean(&said.text));
    all.extend(own.iter().take(MAX_SENTENCES).map(|sentence| cite(sentence, &said.path)));
    if all.is_empty() {
        let described = main_comment(context, module).await;
        shortfalls = described.shortfalls;
        all.extend(described.value.map(|(path, comment)| cite(&comment, &path)));
    }
    all.push(location(context, module));
    let module_facts = &module.module;
    all.extend(ties(context, module, "is used by", (&module_facts.used_by, module_facts.all_used_by)));
    Some(of_sentences(context, module, all).with_shortfalls(shortfalls))
}

/// Returns the comment of the main file of a module, with its path.
async fn main_comment(context: IntentContext<'_, '_>, module: &AskedModule) -> Answer<Option<(String, String)>> {
    let files = module::files(context, module, ContentKind::Implementation).await;
    let folder = module.module.path.rsplit('/').next().unwrap_or_default();
    let rank = |path: &str| {
        let file = path.rsplit('/').next().unwrap_or(path);
        let stem = file.split('.').next().unwrap_or(file);
        let is_own = stem.eq_ignore_ascii_case(folder);
        let is_main = MAIN_FILES.contains(&stem);
        (is_own || is_main).then_some((path.matches('/').count(), !is_own))
    };
    let mut paths: Vec<&String> = files.value.paths.iter().filter(|path| rank(path).is_some()).collect();
    paths.sort_by_key(|path| rank(path));
    paths.truncate(MAX_DESCRIBING);
    let request =
        |path: &&String| PageRequest { repo_idx: module.repo_idx, page_type: PageType::File, path: (*path).clone() };
    let requests: Vec<PageRequest> = paths.iter().map(request).collect();
    let plan = context.call.visible.plan_for(vec![module.repo_idx], false);
    let pages = context.call.fetch_pages(&plan.without(&files.shortfalls), &requests).await.after(files.shortfalls);
    pages.map(|pages| {
        paths.iter().zip(pages).find_map(|(path, page)| {
            let purpose = evidence_source::purpose(&page?);
            Some(((*path).clone(), sentences(&purpose).into_iter().next()?))
        })
    })
}

async fn test_files(context: IntentContext<'_, '_>, module: &AskedModule) -> Option<IntentAnswer> {
    let Answer { value: FilesOfModule { paths: files, is_partial }, shortfalls } =
        module::files(context, module, ContentKind::Test).await;
    let cite = |path: &String| {
        CitedText::cited(text::quote(&text::sanitise_name(path)), citation(context.plan, module.repo_idx, path, (1, 1)))
    };
    let least = if is_partial { "at least " } else { "" };
    let lead = format!("{} has {least}{}: ", module.name(), counted(files.len(), "test file"));
    let said = CitedText::listed(&lead, files.iter().map(cite).collect(), MAX_TEST_FILES, ".");
    let answer =
        |said| IntentAnswer { confidence: confidence(is_partial), ..of_sentences(context, module, vec![said]) };
    (!files.is_empty()).then(|| answer(said).with_shortfalls(shortfalls))
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_is_of_the_module_of_its_folder() {
        for (folder, path, expected) in [
            ("docks/pier", "docks/pier/package.json", true),
            ("docks/pier", "docks/pier/examples/boat/package.json", false),
            ("docks/pier", "docks/pier-2/package.json", false),
            ("", "package.json", false),
        ] {
            assert_eq!(is_manifest_of(folder, path), expected, "{folder}: {path}");
        }
    }

    fn history(churn: f32, owners: &[(&str, f32)], changes: &[(&str, i64)]) -> v1::FileHistory {
        let owner = |(name, share): &(&str, f32)| v1::Owner { name: (*name).to_owned(), share: *share };
        let change =
            |(commit, at): &(&str, i64)| v1::Change { commit: (*commit).to_owned(), at: *at, ..Default::default() };
        let (owners, changes) = (owners.iter().map(owner).collect(), changes.iter().map(change).collect());
        v1::FileHistory { churn, owners, changes, ..Default::default() }
    }

    #[test]
    fn owners_of_files_are_weighted_by_their_changes() {
        let histories = [history(3.0, &[("ada", 1.0)], &[]), history(1.0, &[("bob", 0.8), ("ada", 0.2)], &[])];
        let owners = owners_of(histories.iter());
        let shown: Vec<(&str, f32)> = owners.iter().map(|owner| (owner.name.as_str(), owner.share)).collect();
        assert_eq!(shown, [("ada", 0.8), ("bob", 0.2)]);
        assert!(owners_of([history(0.0, &[("ada", 1.0)], &[])].iter()).is_empty());
    }

    #[test]
    fn changes_of_several_files_are_listed_once() {
        let histories = [
            ("a".to_owned(), history(1.0, &[], &[("c2", 2), ("c1", 1)])),
            ("b".to_owned(), history(1.0, &[], &[("c3", 3), ("c2", 2)])),
        ];
        let found: Vec<&str> = changes(&histories).iter().map(|(_, change)| change.commit.as_str()).collect();
        assert_eq!(found, ["c3", "c2", "c1"]);
    }
}
