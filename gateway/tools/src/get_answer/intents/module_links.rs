//! Links of the parts of a repository: with another part of it, and with another repository.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{
    confidence::Confidence,
    links::{LinkFact, facts, spoken_key},
};
use super::{
    IntentAnswer, IntentContext,
    cited_text::{CitedText, citation, counted},
    module::AskedModule,
    module_answers::of_sentences,
    subject::Subject,
};
use crate::arguments::suggested;
use federation::repo_idx::RepoIdx;

/// Maximum number of names, and of parts, in a sentence.
const MAX_NAMES: usize = 8;
const MAX_PARTS: usize = 12;

/// Answers how a module is linked with another one of its repository, or with other repositories; `None` if no link is known.
pub(super) fn answer(context: IntentContext<'_, '_>, sides: [&Subject; 2]) -> Option<IntentAnswer> {
    let is_unclear = |side: &&Subject| matches!(side, Subject::Module(module) if !module.namesakes.is_empty());
    if sides.iter().any(is_unclear) {
        return None;
    }
    match sides {
        [Subject::Module(one), Subject::Module(other)] => {
            let answer = of_sentences(context, one, vec![uses(one, other)?]);
            Some(IntentAnswer { confidence: Confidence::Medium, ..answer })
        }
        [Subject::Module(module), Subject::Repositories(named)] => {
            let sentence = uses_of_module(context, module, named).or_else(|| uses_by(context, named, module))?;
            Some(of_sentences(context, module, vec![sentence]))
        }
        [Subject::Repositories(named), Subject::Module(module)] => {
            let sentence = uses_by(context, named, module).or_else(|| uses_of_module(context, module, named))?;
            Some(of_sentences(context, module, vec![sentence]))
        }
        _ => None,
    }
}

/// Returns a sentence with the names of repositories that a module uses.
fn uses_of_module(
    context: IntentContext<'_, '_>,
    module: &AskedModule,
    providers: &BTreeSet<RepoIdx>,
) -> Option<CitedText> {
    let is_own = |fact: &LinkFact<'_>| module.contains(fact.user, &fact.link.user.path);
    names(context, (&module.name(), &aliases(context, providers)), providers, is_own)
}

/// Returns a sentence with the names of a module that repositories use.
fn uses_by(context: IntentContext<'_, '_>, users: &BTreeSet<RepoIdx>, module: &AskedModule) -> Option<CitedText> {
    let is_of_module =
        |fact: &LinkFact<'_>| users.contains(&fact.user) && module.contains(fact.provider, &fact.link.offer.path);
    let provider = BTreeSet::from([module.repo_idx]);
    names(context, (&aliases(context, users), &module.name()), &provider, is_of_module)
}

/// Returns a sentence about the places at which a module uses another one of its repository.
fn uses(user: &AskedModule, used: &AskedModule) -> Option<CitedText> {
    let is_used = |path: &str| path == used.module.path || used.contains(user.repo_idx, path);
    let ties = user.module.uses.iter().filter(|tie| user.repo_idx == used.repo_idx && is_used(&tie.path));
    let n_places: u32 = ties.map(|tie| tie.sites).sum();
    // The overview of a repository has the largest uses of a module alone.
    let sentence = format!("{} uses {} in at least {}.", user.name(), used.name(), counted(n_places as usize, "place"));
    (n_places > 0).then(|| CitedText::plain(sentence))
}

/// Returns a sentence with the other repositories whose links lead to a module; nothing if none is known.
pub(super) fn outside_users(context: IntentContext<'_, '_>, module: &AskedModule) -> Option<CitedText> {
    let mut by_user: BTreeMap<RepoIdx, CitedText> = BTreeMap::new();
    let all = facts(context.call, context.overlay);
    let is_of =
        |fact: &&LinkFact<'_>| fact.user != fact.provider && module.contains(fact.provider, &fact.link.offer.path);
    for fact in all.iter().filter(is_of) {
        let (alias, site) = (text::quote(context.plan.alias(fact.user)), &fact.link.user);
        by_user.entry(fact.user).or_insert_with(|| {
            CitedText::cited(alias, citation(context.plan, fact.user, &site.path, (site.line, site.line)))
        });
    }
    let (noun, verb) = (counted(by_user.len(), "other repository"), if by_user.len() == 1 { "uses" } else { "use" });
    let lead = format!("{noun} {verb} it: ");
    let items: Vec<CitedText> = by_user.into_values().collect();
    (!items.is_empty()).then(|| CitedText::listed(&lead, items, MAX_NAMES, "."))
}

/// Returns a sentence with the names of repositories that some of the code uses. The sentence names the user and the code that it uses.
fn names(
    context: IntentContext<'_, '_>,
    (user, used): (&str, &str),
    providers: &BTreeSet<RepoIdx>,
    is_own: impl Fn(&LinkFact<'_>) -> bool,
) -> Option<CitedText> {
    let mut by_name: BTreeMap<String, CitedText> = BTreeMap::new();
    let all = facts(context.call, context.overlay);
    for fact in all.iter().filter(|fact| providers.contains(&fact.provider) && is_own(fact)) {
        let name = text::quote(&spoken_key(fact.link));
        let site = &fact.link.user;
        by_name.entry(name.clone()).or_insert_with(|| {
            CitedText::cited(name, citation(context.plan, fact.user, &site.path, (site.line, site.line)))
        });
    }
    let lead = format!("{user} uses {} of {used}: ", counted(by_name.len(), "name"));
    let items: Vec<CitedText> = by_name.into_values().collect();
    (!items.is_empty()).then(|| CitedText::listed(&lead, items, MAX_NAMES, "."))
}

fn aliases(context: IntentContext<'_, '_>, named: &BTreeSet<RepoIdx>) -> String {
    named.iter().map(|repo_idx| text::quote(context.plan.alias(*repo_idx))).collect::<Vec<_>>().join(" and ")
}

/// Words for parts of a repository.
const PARTS: [&str; 10] =
    ["parts", "part", "areas", "modules", "packages", "components", "folders", "files", "apps", "programs"];

/// Returns true if a question asks for the parts of a repository that use another one.
pub(super) fn asks_for_parts(question: &str) -> bool {
    let lower = question.trim_start().to_lowercase();
    let mut words = lower.split(' ');
    matches!(words.next(), Some("which" | "what")) && words.next().is_some_and(|word| PARTS.contains(&word))
}

/// Answers which folders of repositories use others: by the sites of their links, most names first.
pub(super) fn parts(
    context: IntentContext<'_, '_>,
    users: &BTreeSet<RepoIdx>,
    providers: &BTreeSet<RepoIdx>,
) -> Option<IntentAnswer> {
    // The name of one may be a part of the name of the other.
    let providers: &BTreeSet<RepoIdx> = &providers.difference(users).copied().collect();
    let all = facts(context.call, context.overlay);
    let is_between = |fact: &&LinkFact<'_>| {
        users.contains(&fact.user) && providers.contains(&fact.provider) && fact.user != fact.provider
    };
    let mut by_folder: BTreeMap<(RepoIdx, &str), Vec<&LinkFact<'_>>> = BTreeMap::new();
    for fact in all.iter().filter(is_between) {
        let folder = folder_of(&fact.link.user.path);
        by_folder.entry((fact.user, folder)).or_default().push(fact);
    }
    let n_names =
        |facts: &[&LinkFact<'_>]| facts.iter().map(|fact| spoken_key(fact.link)).collect::<BTreeSet<_>>().len();
    let mut folders: Vec<((RepoIdx, &str), Vec<&LinkFact<'_>>)> = by_folder.into_iter().collect();
    folders.sort_by_key(|(place, facts)| (std::cmp::Reverse(n_names(facts)), *place));
    let item = |((repo_idx, folder), facts): &((RepoIdx, &str), Vec<&LinkFact<'_>>)| {
        let shown =
            if folder.is_empty() { "the root folder".to_owned() } else { text::quote(&text::sanitise_name(folder)) };
        let site = facts.first().map(|fact| &fact.link.user);
        let said = format!("{shown} ({})", counted(n_names(facts), "name"));
        match site {
            Some(site) => CitedText::cited(said, citation(context.plan, *repo_idx, &site.path, (site.line, site.line))),
            None => CitedText::plain(said),
        }
    };
    let n_folders = counted(folders.len(), "folder");
    let lead = format!("{n_folders} of {} use {}: ", aliases(context, users), aliases(context, providers));
    let lead = if folders.len() == 1 { lead.replacen(" use ", " uses ", 1) } else { lead };
    let said = CitedText::listed(&lead, folders.iter().map(item).collect(), MAX_PARTS, ".");
    let note = format!("get_impact {} lists every use", suggested("target", context.plan.alias(*providers.first()?)));
    (!folders.is_empty()).then(|| IntentAnswer::new(vec![said], Confidence::High, note))
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_asked_for_by_the_second_word() {
        for (question, expected) in [
            ("Which parts of shop use the kit?", true),
            ("which calls does shop make to the kit", false),
            ("how do parts of shop use the kit", false),
        ] {
            assert_eq!(asks_for_parts(question), expected, "{question}");
        }
        assert_eq!([folder_of("a/b/c.go"), folder_of("c.go")], ["a/b", ""]);
    }
}
