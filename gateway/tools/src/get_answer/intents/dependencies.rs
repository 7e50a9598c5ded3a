//! Dependencies of a thing: the packages and services that a repository uses, or the calls of a definition in their order.

use std::collections::{BTreeMap, BTreeSet};

use ::links::ContractKind;
use model::LineSpan;
use proto::v1;

use super::super::{
    confidence::Confidence,
    links::{LinkFact, facts, spoken_key},
};
use super::{
    IntentAnswer, IntentContext,
    cited_text::{CitedText, citation, counted},
    dependency_groups::{DependencyGroup, groups_by_line, manifest_rank},
    file_imports, packages_by_task,
    subject::{Subject, SubjectNode},
    versions,
};
use crate::{
    arguments::suggested,
    get_context::{context::base_plan, item::lines_of},
};
use federation::{
    answer::Answer,
    fetch::SourceRequest,
    nodes::NodeRef,
    overlay::kind_name,
    repo_idx::RepoIdx,
    walk::{CERTAIN, WalkEdge, WalkScope, hop, impact, weights::Weights},
};

/// Entries of each list of an overview to read.
const MAX_READ: u32 = 40;

/// Maximum number of packages, of repositories, and of calls in a sentence.
const MAX_PACKAGES: usize = 14;
const MAX_REPOSITORIES: usize = 10;
const MAX_EXAMPLES: usize = 3;

/// Maximum number of named packages of the other manifests, which are seldom of the product.
const MAX_OF_OTHERS: usize = 5;
const MAX_CALLEES: usize = 12;

/// Maximum number of lines of a manifest to read.
const MAX_MANIFEST_LINES: u32 = 5_000;

/// Edges of a definition to read.
const MAX_EDGES: u32 = 200;

const CALLS: [v1::EdgeKind; 3] = [v1::EdgeKind::Calls, v1::EdgeKind::Handles, v1::EdgeKind::Dispatch];

pub(super) async fn answer(context: IntentContext<'_, '_>, subject: &Subject, question: &str) -> Option<IntentAnswer> {
    match subject {
        _ if versions::asks_for_version(question) => versions::answer(context, subject, question).await,
        Subject::Repositories(named) => of_repositories(context, named, question).await,
        Subject::Nodes(nodes) => of_nodes(context, nodes).await,
        Subject::Description(description) => {
            let of_task = packages_by_task::answer(context, description).await;
            let is_sure = of_task.as_ref().is_some_and(|found| found.confidence > Confidence::Low);
            match context.plan.asked.as_slice() {
                // A single word that names no package is the product, or a part of it: what the server needs.
                [only] if !is_sure && description.words.len() == 1 => {
                    of_repositories(context, &BTreeSet::from([*only]), question)
                        .await
                        .map(|found| IntentAnswer { confidence: Confidence::Low, ..found })
                }
                _ => of_task,
            }
        }
        Subject::Module(_) => None,
    }
}

async fn of_repositories(
    context: IntentContext<'_, '_>,
    named: &BTreeSet<RepoIdx>,
    question: &str,
) -> Option<IntentAnswer> {
    let plan = context.call.visible.plan_for(named.iter().copied().collect(), false);
    let Answer { value: overviews, mut shortfalls } = context.call.overviews(&plan, MAX_READ).await;
    let mut all: Vec<CitedText> = Vec::new();
    for repo_idx in named {
        let links = repository_links(context, *repo_idx);
        let has_links = !links.is_empty();
        all.extend(links);
        if let Some(overview) = overviews.get(repo_idx).filter(|_| !(has_links && asks_for_services(question))) {
            let packages = packages(context, *repo_idx, overview, has_links).await;
            shortfalls.extend(packages.shortfalls);
            all.extend(packages.value);
        }
        if overviews.get(repo_idx).is_some_and(|overview| overview.requires.is_empty()) && !has_links {
            let alias = text::quote(context.plan.alias(*repo_idx));
            all.push(CitedText::plain(format!("No dependency of {alias} is known: its manifests require no package, and no link to another repository was found.")));
        }
    }
    let first = named.first().map(|repo_idx| suggested("repo", context.plan.alias(*repo_idx)))?;
    let note = format!("get_overview {first} lists all packages and links");
    (!all.is_empty()).then(|| IntentAnswer::new(all, Confidence::High, note).with_shortfalls(shortfalls))
}

/// Returns true if a question asks for services, to which packages are no answer.
fn asks_for_services(question: &str) -> bool {
    let lower = question.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    words.any(|word| matches!(word, "service" | "services" | "microservice" | "microservices"))
        && !lower.contains("package")
        && !lower.contains("librar")
}

/// The groups of the lines of a manifest, and its text.
#[derive(Default)]
struct ManifestGroups {
    by_line: BTreeMap<u32, DependencyGroup>,
    text: String,
}

impl ManifestGroups {
    fn of(path: &str, text: String) -> ManifestGroups {
        ManifestGroups { by_line: groups_by_line(path, &text), text }
    }

    /// Returns the group of a package: that of its line, or of a line that requires it by its name. A script or a property may have the
    /// same name, and come first.
    fn group(&self, line: u32, key: &str) -> DependencyGroup {
        let name = key.rsplit(':').next().unwrap_or(key);
        let marked = [format!("\"{name}\""), format!(">{name}<")];
        let by_name = || {
            let lines = self.text.lines().zip(1..);
            let mut named = lines.filter(|(text, _)| marked.iter().any(|mark| text.contains(mark.as_str())));
            named.find_map(|(_, line)| self.by_line.get(&line))
        };
        self.by_line.get(&line).or_else(by_name).copied().unwrap_or(DependencyGroup::Runtime)
    }
}

/// Returns the groups of the lines of a manifest.
async fn groups_of(context: IntentContext<'_, '_>, repo_idx: RepoIdx, path: &str) -> Answer<ManifestGroups> {
    let lines = LineSpan { start: 1, end: MAX_MANIFEST_LINES };
    let plan = context.call.visible.plan_for(vec![repo_idx], false);
    let request = SourceRequest { repo_idx, path: path.to_owned(), lines };
    let fetched = context.call.fetch(&plan, &[request]).await;
    fetched.map(|fetched| {
        let source = fetched.into_iter().flatten().next();
        source.map_or_else(ManifestGroups::default, |source| ManifestGroups::of(path, source.text))
    })
}

/// Returns the packages of a group as `2 packages at run time: a and b`. Of packages that the product does not use itself, some
/// examples are enough.
fn group_text(group: DependencyGroup, names: Vec<String>, limit: usize) -> String {
    let is_own = matches!(group, DependencyGroup::Runtime | DependencyGroup::Optional | DependencyGroup::Workspace);
    let lead = format!("{} {}: ", counted(names.len(), "package"), group.label());
    let items = names.into_iter().map(CitedText::plain).collect();
    CitedText::listed(&lead, items, if is_own { limit } else { MAX_EXAMPLES }, "").text
}

/// Returns the packages that the manifests of a repository require, those of the main manifest by their purpose.
async fn packages(
    context: IntentContext<'_, '_>,
    repo_idx: RepoIdx,
    overview: &v1::RepositoryOverview,
    has_links: bool,
) -> Answer<Option<CitedText>> {
    let required = overview.requires.iter().filter(|package| package.at.is_some());
    let mut by_manifest: BTreeMap<&str, Vec<&v1::DeclaredPackage>> = BTreeMap::new();
    for package in required {
        by_manifest.entry(package.at.as_ref().map_or("", |at| at.path.as_str())).or_default().push(package);
    }
    // The manifest of the product is nearest to the root, and requires most.
    let makes: BTreeSet<&str> =
        overview.makes.iter().filter_map(|package| Some(package.at.as_ref()?.path.as_str())).collect();
    let order = |(path, packages): &(&str, Vec<&v1::DeclaredPackage>)| {
        let n_folders = path.matches('/').count();
        (!makes.contains(path), manifest_rank(path), n_folders, std::cmp::Reverse(packages.len()), (*path).to_owned())
    };
    let mut manifests: Vec<(&str, Vec<&v1::DeclaredPackage>)> = by_manifest.into_iter().collect();
    manifests.sort_by_key(order);
    let n_all = (overview.all_requires as usize).max(overview.requires.len());
    let Some((path, of_first)) = manifests.first() else { return Answer::complete(None) };
    let bare = |key: &str| text::quote(&text::sanitise_name(key.split_once(':').map_or(key, |(_, name)| name)));
    let others: Vec<String> =
        manifests.iter().skip(1).flat_map(|(_, packages)| packages).map(|package| bare(&package.key)).collect();
    let Answer { value: groups, shortfalls } = groups_of(context, repo_idx, path).await;
    let mut by_group: BTreeMap<DependencyGroup, Vec<(u32, String)>> = BTreeMap::new();
    for package in of_first {
        let line = package.at.as_ref().map_or(0, |at| at.line);
        let group = groups.group(line, &package.key);
        by_group.entry(group).or_default().push((line, bare(&package.key)));
    }
    let subject = if has_links { "Its manifest".to_owned() } else { text::quote(context.plan.alias(repo_idx)) };
    let limit = MAX_PACKAGES;
    let part = |(group, packages): (DependencyGroup, Vec<(u32, String)>)| {
        let mut packages = packages;
        packages.sort();
        let lines = (packages.first().map_or(1, |(line, _)| *line), packages.last().map_or(1, |(line, _)| *line));
        let list = group_text(group, packages.into_iter().map(|(_, name)| name).collect(), limit);
        CitedText::cited(list, citation(context.plan, repo_idx, path, lines))
    };
    let parts = CitedText::join(by_group.into_iter().map(part), "; ");
    let n_others = n_all.saturating_sub(of_first.len());
    // A package that another manifest requires as well is known from one of them.
    let least = if n_others > 0 { "at least " } else { "" };
    let sentence = CitedText { text: format!("{subject} requires {least}{}.", parts.text), citations: parts.citations };
    let value = match (n_others, others.is_empty()) {
        (0, _) => sentence,
        (_, true) => sentence.then(&format!(" {} more are in other manifests.", n_others)),
        (_, false) => {
            let named = others.iter().take(MAX_OF_OTHERS).cloned().collect::<Vec<_>>().join(", ");
            sentence.then(&format!(" Other manifests require {n_others} more, such as {named}."))
        }
    };
    Answer { value: Some(value), shortfalls }
}

/// Returns the other repositories that one uses, in one sentence of what it calls and one of packages.
pub(super) fn repository_links(context: IntentContext<'_, '_>, repo_idx: RepoIdx) -> Vec<CitedText> {
    let all = facts(context.call, context.overlay);
    let own = all
        .into_iter()
        .filter(|fact| fact.dependent() == repo_idx && fact.provider != repo_idx && fact.confidence >= CERTAIN);
    let own: Vec<LinkFact<'_>> = own.filter(|fact| fact.link.kind != ContractKind::Image).collect();
    // A call of an rpc leads to the server as well; then the repository of its definition is no other service.
    let servers: BTreeSet<RepoIdx> = context
        .overlay
        .rpc_calls(&context.call.visible)
        .filter(|(user, _, _)| *user == repo_idx)
        .map(|(_, server, _)| server)
        .collect();
    let is_definition = |fact: &LinkFact<'_>| {
        fact.link.kind == ContractKind::Grpc
            && !servers.contains(&fact.provider)
            && (!servers.is_empty() || !fact.link.key.contains('/'))
    };
    let own = own.into_iter().filter(|fact| !is_definition(fact));
    let mut by_provider: BTreeMap<RepoIdx, Vec<LinkFact<'_>>> = BTreeMap::new();
    own.for_each(|fact| by_provider.entry(fact.provider).or_default().push(fact));
    // A repository of protos answers no call.
    let is_rpc_contract =
        |fact: &LinkFact<'_>| fact.link.kind == ContractKind::Grpc && !servers.contains(&fact.provider);
    let is_service = |fact: &LinkFact<'_>| fact.link.kind.is_of_services() && !is_rpc_contract(fact);
    let (services, packages): (Vec<_>, Vec<_>) =
        by_provider.into_iter().partition(|(_, facts)| facts.iter().any(is_service));
    let (contracts, packages): (Vec<_>, Vec<_>) =
        packages.into_iter().partition(|(_, facts)| facts.iter().any(is_rpc_contract));
    let alias = text::quote(context.plan.alias(repo_idx));
    let item = |(provider, facts): &(RepoIdx, Vec<LinkFact<'_>>)| {
        // A call tells more than a setting.
        let best = facts.iter().min_by_key(|fact| {
            (!is_service(fact), fact.link.kind == ContractKind::Config, fact.link.kind == ContractKind::Package)
        });
        let Some(best) = best else { return CitedText::default() };
        let keys: BTreeSet<String> =
            facts.iter().filter(|fact| fact.link.kind == best.link.kind).map(|fact| spoken_key(fact.link)).collect();
        // The label names the line that is cited.
        let key = spoken_key(best.link);
        let short = key.rsplit_once('.').filter(|_| best.link.kind == ContractKind::Grpc).map(|(_, short)| short);
        let first = text::quote(short.unwrap_or(&key));
        let more = if keys.len() > 1 { format!(" and {} more", keys.len() - 1) } else { String::new() };
        let kind = match best.link.kind {
            ContractKind::Grpc => "gRPC",
            ContractKind::Http => "HTTP",
            ContractKind::Package => "package",
            ContractKind::PackageSymbol => "names",
            kind => kind_name(kind),
        };
        let place = citation(context.plan, best.user, &best.link.user.path, (best.link.user.line, best.link.user.line));
        CitedText::cited(format!("{} ({kind}: {first}{more})", text::quote(context.plan.alias(*provider))), place)
    };
    let sentence = |group: &[(RepoIdx, Vec<LinkFact<'_>>)], what: &str| {
        let noun = match (group.len(), what.strip_prefix("set ")) {
            (1, _) => format!("1 {what}"),
            (n_sets, Some(of)) => format!("{n_sets} sets {of}"),
            (n_things, None) => format!("{n_things} {what}s"),
        };
        (!group.is_empty()).then(|| {
            CitedText::listed(
                &format!("{alias} uses {noun} of other repositories: "),
                group.iter().map(item).collect(),
                MAX_REPOSITORIES,
                ".",
            )
        })
    };
    let sentences = [
        sentence(&services, "service"),
        sentence(&packages, "package"),
        sentence(&contracts, "set of rpc definitions"),
    ];
    sentences.into_iter().flatten().collect()
}

async fn of_nodes(context: IntentContext<'_, '_>, nodes: &[SubjectNode]) -> Option<IntentAnswer> {
    let mut all: Vec<CitedText> = Vec::new();
    let mut shortfalls = federation::answer::Shortfalls::default();
    for node in nodes {
        if node.is_file() {
            let imports = file_imports::sentence(context, node).await;
            shortfalls.extend(imports.shortfalls);
            all.extend(imports.value);
        }
        let callees = callees_in_order(context, node).await;
        shortfalls.extend(callees.shortfalls);
        all.extend(callees.value);
    }
    if all.is_empty() {
        let node = nodes.first()?.cited(context.plan);
        let text = format!("No call that {} makes to an indexed definition is known.", node.text);
        all.push(CitedText { text, citations: node.citations });
    }
    let note = format!("get_context {} has its neighbours with code", suggested("entity", &nodes[0].id(context.plan)));
    let confidence = if nodes.len() == 1 { Confidence::High } else { Confidence::Medium };
    Some(IntentAnswer::new(all, confidence, note).with_shortfalls(shortfalls))
}

/// Returns a sentence with the calls of a definition in the order of its lines; nothing if it makes none that is known.
pub(super) async fn callees_in_order(context: IntentContext<'_, '_>, node: &SubjectNode) -> Answer<Option<CitedText>> {
    callees(context, node).await.map(|called| calls_sentence(context, node, &called))
}

/// Returns a sentence with the given calls of a definition; nothing if there are none.
pub(super) fn calls_sentence(
    context: IntentContext<'_, '_>,
    node: &SubjectNode,
    called: &[(u32, SubjectNode)],
) -> Option<CitedText> {
    let mut shown_names: BTreeSet<String> = BTreeSet::new();
    let item = |(line, callee): &(u32, SubjectNode)| {
        let name = callee.name();
        let other = if callee.at.repo_idx == node.at.repo_idx {
            String::new()
        } else {
            format!(" of {}", text::quote(context.plan.alias(callee.at.repo_idx)))
        };
        // An rpc and the function that serves it are one step.
        let is_new = shown_names.insert(name.clone());
        is_new.then(|| CitedText::plain(format!("{}{other} (line {line})", text::quote(&name))))
    };
    let items: Vec<CitedText> = called.iter().filter_map(item).collect();
    let order = if items.len() > 1 { ", in this order," } else { "" };
    let lead = format!("{} calls{order} ", text::quote(&node.name()));
    let lines = lines_of(&node.card);
    let place = citation(context.plan, node.at.repo_idx, node.path(), (lines.start, lines.end));
    (!items.is_empty())
        .then(|| CitedText::cited(CitedText::listed(&lead, items, MAX_CALLEES, "").text, place).then("."))
}

/// Returns the definitions that one certainly calls, each once with the line of its first call, in the order of these lines.
pub(super) async fn callees(context: IntentContext<'_, '_>, node: &SubjectNode) -> Answer<Vec<(u32, SubjectNode)>> {
    let IntentContext { call, overlay, scope, .. } = context;
    let (plan, enter) = base_plan(call, scope, overlay, &[node.at.repo_idx], []);
    let found = impact::roots(call, &plan, overlay, node.at, &node.card, &enter).await;
    let roots: BTreeSet<NodeRef> = found.value.nodes.into_iter().collect();
    let weights = Weights::new(None);
    let walk_scope = WalkScope {
        depth: 1,
        direction: v1::Direction::Out,
        kinds: &CALLS,
        include_inferred: true,
        enter: &enter,
        weights: &weights,
    };
    let hop = hop(call, &plan.without(&found.shortfalls), overlay, &roots, &walk_scope, MAX_EDGES)
        .await
        .after(found.shortfalls);
    let is_outward = |edge: &&WalkEdge| {
        roots.contains(&edge.from) && !roots.contains(&edge.to) && edge.relation.is_call() && edge.confidence >= CERTAIN
    };
    let mut edges: Vec<&WalkEdge> = hop.value.edges.iter().filter(is_outward).collect();
    edges.sort_by_key(|edge| (edge.line, edge.to));
    let mut seen: BTreeSet<NodeRef> = BTreeSet::new();
    edges.retain(|edge| seen.insert(edge.to));
    let cards = call
        .describe(&plan.without(&hop.shortfalls), &edges.iter().map(|edge| edge.to).collect())
        .await
        .after(hop.shortfalls);
    let start = lines_of(&node.card).start;
    cards.map(|cards| {
        let callee = |edge: &&WalkEdge| {
            let line = if edge.line > 0 { edge.line } else { start };
            Some((line, SubjectNode { at: edge.to, card: cards.get(&edge.to)?.clone() }))
        };
        edges.iter().filter_map(callee).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_has_the_group_of_the_line_that_requires_it() {
        let text = "<lease.version>1</lease.version>\n<dependency>\n<artifactId>lease</artifactId>\n<scope>test</scope>\n</dependency>\n";
        let groups = ManifestGroups::of("pom.xml", text.to_owned());
        assert_eq!(groups.group(1, "maven:acme:lease"), DependencyGroup::Development);
        assert_eq!(groups.group(1, "maven:acme:dock"), DependencyGroup::Runtime);
    }

    #[test]
    fn packages_are_listed_by_group() {
        let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
        let text = |group, list: &[&str]| group_text(group, names(list), MAX_PACKAGES);
        assert_eq!(text(DependencyGroup::Runtime, &["a", "b"]), "2 packages at run time: a and b");
        assert_eq!(
            text(DependencyGroup::Development, &["a", "b", "c", "d", "e"]),
            "5 packages for development: a, b, c and 2 more"
        );
        assert_eq!(text(DependencyGroup::Optional, &["a"]), "1 package optionally: a");
    }

    #[test]
    fn a_question_about_services_is_told_from_one_about_packages() {
        for (question, expected) in [
            ("which services does checkout depend on", true),
            ("which microservices does it call?", true),
            ("what does checkout depend on", false),
            ("which packages does the cart service need", false),
            ("libraries used by the cart service", false),
        ] {
            assert_eq!(asks_for_services(question), expected, "{question}");
        }
    }
}
