//! The answer to a question about links, from the links themselves.

use std::collections::{BTreeMap, BTreeSet};

use ::links::{
    ContractKind,
    services::{ContractNames, NamedContract, shown_name},
};

use super::{
    body::Citation,
    confidence::Confidence,
    link_question::{LinkQuestion, contract_names, is_about_routes, kind_prefix},
    links::{AnswerLink, LinkFact, facts, is_between, spoken_key},
};
use crate::{arguments::suggested, may_miss::MayMiss};
use federation::{call::CallContext, overlay::Overlay, plan::Plan, repo_idx::RepoIdx, repo_mentions, walk::CERTAIN};

/// Maximum number of sentences about links; one more names the rest.
const MAX_SENTENCES: usize = 4;

/// Maximum number of contracts in a sentence.
const MAX_KEYS: usize = 3;

/// Maximum number of listed links.
const MAX_LINKS: usize = 12;

/// Maximum number of repositories that are named without their links.
const MAX_FURTHER: usize = 20;

/// An answer from links.
pub(super) struct LinkAnswer {
    pub(super) text: String,
    pub(super) citations: Vec<Citation>,
    pub(super) links: Vec<AnswerLink>,
    pub(super) confidence: Confidence,
    pub(super) note: String,
    pub(super) may_miss: Option<MayMiss>,
}

/// The outcome of a question about links.
pub(super) enum LinkOutcome {
    /// The links answer it.
    Linked(LinkAnswer),
    /// The repositories that it names are not linked: a statement of that, and the links that it may miss.
    Unlinked(String, Option<MayMiss>),
    /// It names no repository and no contract.
    NotAboutLinks,
}

/// Answers a question from the links of the repositories that the caller may read.
pub(super) async fn answer(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    question: &LinkQuestion,
) -> LinkOutcome {
    let asked: BTreeSet<RepoIdx> = plan.asked.iter().copied().collect();
    let all = facts(call, overlay);
    let all: Vec<LinkFact<'_>> = all
        .into_iter()
        .filter(|fact| {
            asked.contains(&fact.user) || asked.contains(&fact.provider) || asked.contains(&fact.dependent())
        })
        .collect();
    let named = |text: &str| repo_mentions::services_named(plan, text);
    match question {
        LinkQuestion::Between([one, other]) => {
            let sides = [named(one), named(other)];
            // A repository is not linked with itself.
            if sides.iter().any(BTreeSet::is_empty) || sides[0] == sides[1] {
                return LinkOutcome::NotAboutLinks;
            }
            let found: Vec<LinkFact<'_>> =
                all.into_iter().filter(|fact| is_between(fact, &sides[0], &sides[1])).collect();
            // Text tells more about a library and its user than their links, and an image is no talk.
            let is_talk =
                |fact: &LinkFact<'_>| fact.link.kind.is_of_services() && fact.link.kind != ContractKind::Image;
            if !found.is_empty() && !found.iter().any(is_talk) {
                return LinkOutcome::NotAboutLinks;
            }
            let names = sides.iter().map(|side| aliases(plan, side)).collect::<Vec<_>>().join(" and ");
            let nothing = format!("No link between {names} is known");
            let both: BTreeSet<RepoIdx> = sides.iter().flatten().copied().collect();
            let may_miss = MayMiss::of_services(call, plan, overlay, |repo_idx| both.contains(&repo_idx));
            outcome(plan, found, &nothing, may_miss, "get_overview repo=\"all\" has every link")
        }
        LinkQuestion::Wiring(text) => {
            let services = named(text);
            let is_wiring = |fact: &LinkFact<'_>| {
                let ends = [fact.dependent(), fact.provider].iter().filter(|end| services.contains(end)).count();
                fact.link.kind == ContractKind::Config && ends >= services.len().min(2)
            };
            let lower = text.to_lowercase();
            let is_about_address = ["address", "url"].iter().any(|word| lower.contains(word));
            if services.is_empty() || services.len() == 1 && !is_about_address {
                return LinkOutcome::NotAboutLinks;
            }
            let found = all.into_iter().filter(is_wiring).collect();
            let nothing = format!("No setting is known that names an address for {}", aliases(plan, &services));
            let may_miss = MayMiss::of_services(call, plan, overlay, |_| false);
            outcome(plan, found, &nothing, may_miss, "get_impact of a variable has all its settings")
        }
        LinkQuestion::Uses(subject) => {
            let services = named(subject);
            if !is_of_services(plan, &services, &contract_names(subject)) {
                return LinkOutcome::NotAboutLinks;
            }
            let found = all
                .into_iter()
                .filter(|fact| services.contains(&fact.dependent()) && !services.contains(&fact.provider));
            let nothing = format!("No link from {} to another repository is known", aliases(plan, &services));
            let may_miss = MayMiss::of_services(call, plan, overlay, |repo_idx| services.contains(&repo_idx));
            outcome(plan, found.collect(), &nothing, may_miss, "get_overview has every link")
        }
        LinkQuestion::Users(subject) => users(call, plan, overlay, all, subject).await,
    }
}

/// Answers how two groups of repositories are linked, by packages too.
pub(super) fn outcome_between(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    [one, other]: [&BTreeSet<RepoIdx>; 2],
) -> LinkOutcome {
    let found: Vec<LinkFact<'_>> =
        facts(call, overlay).into_iter().filter(|fact| is_between(fact, one, other)).collect();
    let names = format!("{} and {}", aliases(plan, one), aliases(plan, other));
    let both: BTreeSet<RepoIdx> = one.union(other).copied().collect();
    let nothing = format!("No link between {names} is known");
    let may_miss = MayMiss::of_services(call, plan, overlay, |repo_idx| both.contains(&repo_idx));
    outcome(plan, found, &nothing, may_miss, "get_overview repo=\"all\" has every link")
}

/// Answers the question for the users of a contract or a service.
async fn users(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    all: Vec<LinkFact<'_>>,
    subject: &str,
) -> LinkOutcome {
    let services = repo_mentions::services_named(plan, subject);
    let names = contract_names(subject);
    let is_explicit = |name: &String| name.contains(['/', '_', ':', '.']) || name.starts_with(char::is_uppercase);
    let contract = names.iter().filter(|name| is_explicit(name) || services.is_empty() && names.len() == 1);
    for name in contract {
        let is_named = |fact: &LinkFact<'_>| is_rpc_named(fact, name);
        let of_rpc: Vec<LinkFact<'_>> = all.iter().copied().filter(is_named).collect();
        let to_servers: Vec<LinkFact<'_>> =
            of_rpc.iter().copied().filter(|fact| is_call_of_server(fact, overlay, call)).collect();
        let of_rpc = if to_servers.is_empty() { of_rpc } else { to_servers };
        if let Some(first) = of_rpc.first() {
            let note = format!("get_impact {} lists every user", suggested("target", &first.link.key));
            let may_miss = MayMiss::of_services(call, plan, overlay, |_| false);
            return outcome(plan, of_rpc, "", may_miss, &note);
        }
        let with_kind = kind_prefix(subject).map(|kind| format!("{kind}:{name}"));
        for (kind, known) in overlay.contracts_named(with_kind.as_ref().unwrap_or(name)) {
            let Some(found) = overlay.named_contract(kind, known).await else { continue };
            let note = format!(
                "get_impact {} lists every user",
                suggested("target", &ContractNames::with_prefix(kind, known))
            );
            let may_miss = MayMiss::of_services(call, plan, overlay, |_| kind == ContractKind::Host);
            return outcome(plan, facts_of(&found), "", may_miss, &note);
        }
    }
    if !is_of_services(plan, &services, &names) {
        return LinkOutcome::NotAboutLinks;
    }
    let has_segment = |fact: &LinkFact<'_>| {
        let mut segments = fact.link.key.split(['/', ' ']);
        segments.any(|segment| names.iter().any(|name| name.eq_ignore_ascii_case(segment)))
    };
    let is_about_routes = is_about_routes(subject);
    let found = all.into_iter().filter(|fact| {
        let is_user = services.contains(&fact.provider) && !services.contains(&fact.dependent());
        is_user && fact.link.kind != ContractKind::Image
            || is_about_routes && fact.link.kind == ContractKind::Http && has_segment(fact)
    });
    let mut found: Vec<LinkFact<'_>> = found.collect();
    if is_about_routes {
        found.sort_by_key(|fact| fact.link.kind != ContractKind::Http);
    }
    let nothing = format!("No user of {} in another repository is known", aliases(plan, &services));
    let may_miss = MayMiss::of_services(call, plan, overlay, |repo_idx| !services.contains(&repo_idx));
    outcome(plan, found, &nothing, may_miss, "get_overview repo=\"all\" has every link")
}

/// Returns true if a subject is some services, and nothing in them: each of its words is part of an alias.
fn is_of_services(plan: &Plan, services: &BTreeSet<RepoIdx>, words: &[String]) -> bool {
    let aliases: Vec<String> = services.iter().map(|repo_idx| plan.alias(*repo_idx).to_lowercase()).collect();
    let is_part = |word: &String| aliases.iter().any(|alias| alias.contains(&word.to_lowercase()));
    !services.is_empty() && words.iter().all(is_part)
}

/// Returns true for a link of an rpc that people call by this name: `pkg.Service/Method`, `Service.Method`, `Method`.
fn is_rpc_named(fact: &LinkFact<'_>, name: &str) -> bool {
    let key = &*fact.link.key;
    let is_rpc = fact.link.kind == ContractKind::Grpc && !fact.link.serves;
    let is_end = || key.strip_suffix(name).is_some_and(|before| before.ends_with(['/', '.']));
    is_rpc && (key == name || is_end() || shown_name(ContractKind::Grpc, key) == name)
}

fn is_call_of_server(fact: &LinkFact<'_>, overlay: &Overlay, call: &CallContext<'_>) -> bool {
    overlay
        .rpc_calls(&call.visible)
        .any(|(user, provider, link)| user == fact.user && provider == fact.provider && std::ptr::eq(link, fact.link))
}

fn facts_of(found: &NamedContract) -> Vec<LinkFact<'_>> {
    let users = found.users.iter();
    users.map(|one| LinkFact::new(RepoIdx(one.user), RepoIdx(one.provider), &one.link, one.link.confidence)).collect()
}

fn aliases(plan: &Plan, repo_idxs: &BTreeSet<RepoIdx>) -> String {
    let quoted: Vec<String> = repo_idxs.iter().map(|repo_idx| text::quote(plan.alias(*repo_idx))).collect();
    quoted.join(", ")
}

/// Returns the answer of some links; without links the statement `nothing`, if it is given.
fn outcome(plan: &Plan, found: Vec<LinkFact<'_>>, nothing: &str, may_miss: Option<MayMiss>, note: &str) -> LinkOutcome {
    // An image says who is deployed, and nothing beside other links.
    let is_image = |fact: &LinkFact<'_>| fact.link.kind == ContractKind::Image;
    let are_images = found.iter().all(is_image);
    let found = found.into_iter().filter(|fact| are_images || !is_image(fact));
    let (certain, uncertain): (Vec<LinkFact<'_>>, Vec<LinkFact<'_>>) =
        found.partition(|fact| fact.confidence >= CERTAIN);
    if certain.is_empty() && uncertain.is_empty() {
        return match nothing {
            "" => LinkOutcome::NotAboutLinks,
            nothing => LinkOutcome::Unlinked(format!("{nothing}{}.", unknown_part(may_miss.as_ref())), may_miss),
        };
    }
    let (shown, lead) = if certain.is_empty() {
        (&uncertain, "Without evidence of an address, these are candidates only. ")
    } else {
        (&certain, "")
    };
    let groups = groups(shown);
    let mut citations: Vec<Citation> = Vec::new();
    let sentences: Vec<String> =
        groups.iter().take(MAX_SENTENCES).map(|group| sentence(plan, group, &mut citations)).collect();
    let mut answer = format!("{lead}{}", sentences.join("\n"));
    if groups.len() > MAX_SENTENCES {
        let ends = |groups: &[LinkGroup<'_, '_>]| -> BTreeSet<(RepoIdx, RepoIdx)> {
            groups.iter().map(|group| (group.dependent, group.provider)).collect()
        };
        let shown = ends(&groups[..MAX_SENTENCES]);
        let further: BTreeSet<(RepoIdx, RepoIdx)> =
            ends(&groups[MAX_SENTENCES..]).difference(&shown).copied().collect();
        let pair = |(dependent, provider): &(RepoIdx, RepoIdx)| {
            format!("{} -> {}", text::quote(plan.alias(*dependent)), text::quote(plan.alias(*provider)))
        };
        let named: Vec<String> = further.iter().take(MAX_FURTHER).map(pair).collect();
        if !named.is_empty() {
            answer += &format!("\nFurther links: {}.", named.join(", "));
        }
    }
    let mut notes = vec![note.to_owned()];
    if !certain.is_empty() && !uncertain.is_empty() {
        notes.push(format!("{} links without evidence are left out", uncertain.len()));
    }
    LinkOutcome::Linked(LinkAnswer {
        text: answer,
        citations,
        links: shown.iter().take(MAX_LINKS).map(|fact| fact.answer_link(plan)).collect(),
        confidence: if certain.is_empty() { Confidence::Low } else { Confidence::High },
        note: notes.join("; "),
        may_miss,
    })
}

/// Returns what may hide a link, as the end of a sentence.
fn unknown_part(may_miss: Option<&MayMiss>) -> String {
    may_miss.map_or_else(String::new, |may_miss| format!(", but the answer {}", may_miss.footer()))
}

/// Links of one kind from one repository to another.
struct LinkGroup<'f, 'a> {
    dependent: RepoIdx,
    provider: RepoIdx,
    kind: ContractKind,
    facts: Vec<&'f LinkFact<'a>>,
}

/// Groups links by their ends and kind, in the order of the kinds, then of the links.
fn groups<'f, 'a>(found: &'f [LinkFact<'a>]) -> Vec<LinkGroup<'f, 'a>> {
    let mut groups: Vec<LinkGroup<'_, '_>> = Vec::new();
    let mut places: BTreeMap<(RepoIdx, RepoIdx, ContractKind), usize> = BTreeMap::new();
    for fact in found {
        let ends = (fact.dependent(), fact.provider, fact.link.kind);
        let place = *places.entry(ends).or_insert(groups.len());
        if place == groups.len() {
            groups.push(LinkGroup { dependent: ends.0, provider: ends.1, kind: ends.2, facts: Vec::new() });
        }
        groups[place].facts.push(fact);
    }
    // A package is required for the names that are used of it.
    let with_names: BTreeSet<(RepoIdx, RepoIdx)> = groups
        .iter()
        .filter(|group| group.kind == ContractKind::PackageSymbol)
        .map(|group| (group.dependent, group.provider))
        .collect();
    groups.retain(|group| {
        group.kind != ContractKind::Package || !with_names.contains(&(group.dependent, group.provider))
    });
    // Calls tell more than settings, and settings more than packages and images.
    groups.sort_by_key(|group| match group.kind {
        ContractKind::Grpc | ContractKind::Http | ContractKind::Topic | ContractKind::Table => 0,
        ContractKind::Config | ContractKind::Variable => 1,
        ContractKind::PackageSymbol => 2,
        _ => 3,
    });
    groups
}

/// Returns a group as a sentence, with the places of each contract.
fn sentence(plan: &Plan, group: &LinkGroup<'_, '_>, citations: &mut Vec<Citation>) -> String {
    let [user, provider] = [group.dependent, group.provider].map(|repo_idx| text::quote(plan.alias(repo_idx)));
    let serves = group.facts.iter().all(|fact| fact.link.serves);
    let is_same = group.dependent == group.provider;
    let claim = match group.kind {
        ContractKind::Grpc if serves => format!("{user} implements rpcs of {provider}"),
        ContractKind::Grpc if is_same => format!("{user} calls"),
        ContractKind::Grpc => format!("{user} calls {provider} over gRPC"),
        ContractKind::Http if is_same => format!("{user} sends requests"),
        ContractKind::Http => format!("{user} sends HTTP requests to {provider}"),
        ContractKind::Topic if serves => format!("{user} reads a topic of {provider}"),
        ContractKind::Topic if is_same => format!("{user} uses the topic"),
        ContractKind::Topic => format!("{user} writes a topic that {provider} reads"),
        ContractKind::Table if is_same => format!("{user} uses the table"),
        ContractKind::Table => format!("{user} uses tables of {provider}"),
        ContractKind::Config => {
            let deployment = group.facts.first().map_or(group.dependent, |fact| fact.user);
            let deployment = text::quote(plan.alias(deployment));
            match deployment == user {
                true => format!("{user} names the address of {provider}"),
                false => format!("{deployment} tells {user} the address of {provider}"),
            }
        }
        ContractKind::Variable => format!("{user} reads the variable"),
        ContractKind::Image => format!("{user} runs the image of {provider}"),
        ContractKind::Package | ContractKind::PackageSymbol => {
            let paths = group.facts.iter().filter(|fact| !is_side(&fact.link.user.path));
            let folders = used_folders(paths.map(|fact| &*fact.link.offer.path));
            format!("{user} uses packages of {provider}{folders}")
        }
        _ => format!("{user} is linked with {provider}"),
    };
    let mut keys: Vec<(String, Vec<&LinkFact<'_>>)> = Vec::new();
    for fact in &group.facts {
        let key = spoken_key(fact.link);
        match keys.iter_mut().find(|(known, _)| *known == key) {
            Some((_, facts)) => facts.push(fact),
            None => keys.push((key, vec![fact])),
        }
    }
    if group.kind == ContractKind::Grpc {
        keys = rpcs_first(keys);
    }
    if group.kind == ContractKind::PackageSymbol {
        // The name of the whole package says less than the names in it.
        let has_names = keys.iter().any(|(_, facts)| facts.iter().any(|fact| !fact.link.member.is_empty()));
        keys.retain(|(_, facts)| !has_names || facts.iter().any(|fact| !fact.link.member.is_empty()));
        // Names that the product uses most tell more than those of its examples and tests.
        let n_of_product = |facts: &[&LinkFact<'_>]| facts.iter().filter(|fact| !is_side(&fact.link.user.path)).count();
        keys.iter_mut().for_each(|(_, facts)| facts.sort_by_key(|fact| is_side(&fact.link.user.path)));
        keys.sort_by_key(|(_, facts)| std::cmp::Reverse(n_of_product(facts)));
    }
    let listed = keys.iter().take(MAX_KEYS).map(|(key, facts)| {
        let marks: String = marks(plan, facts).into_iter().map(|citation| cite(citations, citation)).collect();
        let n_more = facts.len().saturating_sub(if group.kind == ContractKind::Config { MAX_SETTINGS } else { 1 });
        let more = match n_more {
            0 => String::new(),
            1 => " and 1 more place".to_owned(),
            n_more => format!(" and {n_more} more places"),
        };
        format!("{} {marks}{more}", text::quote(key))
    });
    let listed: Vec<String> = listed.collect();
    let more = keys.len().saturating_sub(MAX_KEYS);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("{claim}: {}{more}.", listed.join(", "))
}

/// Maximum number of folders of a package that are named.
const MAX_FOLDERS: usize = 8;

/// Returns the folders of the used definitions as ` (a, b and 2 more)`, the most used first; empty if all are in one folder.
fn used_folders<'a>(paths: impl Iterator<Item = &'a str>) -> String {
    let mut n_uses: BTreeMap<&str, usize> = BTreeMap::new();
    paths.filter_map(|path| path.rsplit_once('/')).for_each(|(folder, _)| *n_uses.entry(folder).or_default() += 1);
    if n_uses.len() < 2 {
        return String::new();
    }
    let mut folders: Vec<(&str, usize)> = n_uses.into_iter().collect();
    folders.sort_by_key(|(folder, n_uses)| (std::cmp::Reverse(*n_uses), *folder));
    let named: Vec<String> =
        folders.iter().take(MAX_FOLDERS).map(|(folder, _)| text::quote(&text::sanitise_name(folder))).collect();
    let n_more = folders.len() - named.len();
    let more = if n_more > 0 { format!(" and {n_more} more") } else { String::new() };
    format!(" ({}{more})", named.join(", "))
}

/// Returns the keys of rpcs alone if there are some: their messages and fields say nothing more.
fn rpcs_first<T>(mut keys: Vec<(String, T)>) -> Vec<(String, T)> {
    let is_rpc = |key: &str| key.contains('/');
    if keys.iter().any(|(key, _)| is_rpc(key)) {
        keys.retain(|(key, _)| is_rpc(key));
    }
    keys
}

/// Returns true for a path of examples or tests.
fn is_side(path: &str) -> bool {
    let starts = ["example", "_example", "test", "bench", "demo", "doc"];
    path.split('/').any(|part| starts.iter().any(|start| part.starts_with(start)))
        || path.contains("_test.")
        || path.contains(".test.")
}

/// Maximum number of settings that are cited for one variable.
const MAX_SETTINGS: usize = 4;

/// Returns the places to cite for the links of one key: both ends of the first one, or the first settings and the code that reads them.
fn marks(plan: &Plan, facts: &[&LinkFact<'_>]) -> Vec<Citation> {
    let citation = |repo_idx: RepoIdx, path: &str, line: u32| Citation {
        repo: plan.alias(repo_idx).to_owned(),
        path: text::sanitise_name(path).into_owned(),
        start_line: line,
        end_line: line,
        symbol_id: None,
    };
    let Some(first) = facts.first() else { return Vec::new() };
    let user = |fact: &LinkFact<'_>| citation(fact.user, &fact.link.user.path, fact.link.user.line);
    if first.link.kind == ContractKind::Config {
        let reader = first.link.evidence.iter().rfind(|step| Some(RepoIdx(step.repository)) == first.consumer);
        let reader = reader.filter(|step| step.content.starts_with("reads "));
        let settings = facts.iter().take(MAX_SETTINGS).map(|fact| user(fact));
        let reader = reader.map(|step| citation(RepoIdx(step.repository), &step.path, step.line));
        return settings.chain(reader).collect();
    }
    let (own, offer) = (user(first), citation(first.provider, &first.link.offer.path, first.link.offer.line));
    if own == offer { vec![own] } else { vec![own, offer] }
}

fn cite(citations: &mut Vec<Citation>, citation: Citation) -> String {
    let mark = citation.mark();
    if !citations.contains(&citation) {
        citations.push(citation);
    }
    mark
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn used_folders_are_named_if_there_are_several() {
        assert_eq!(used_folders(["log/a.go", "net/b.go", "net/c.go", "d.go"].into_iter()), " (`net`, `log`)");
        assert_eq!(used_folders(["net/b.go", "net/c.go"].into_iter()), "");
    }

    #[test]
    fn messages_are_named_only_if_no_rpc_is_known() {
        for (keys, expected) in [
            (vec!["a.Request", "a.Store", "a.Store/Get", "a.Request.code"], vec!["a.Store/Get"]),
            (vec!["a.Request", "a.Store"], vec!["a.Request", "a.Store"]),
        ] {
            let keys: Vec<(String, ())> = keys.into_iter().map(|key| (key.to_owned(), ())).collect();
            let kept: Vec<String> = rpcs_first(keys).into_iter().map(|(key, ())| key).collect();
            assert_eq!(kept, expected);
        }
    }
}
