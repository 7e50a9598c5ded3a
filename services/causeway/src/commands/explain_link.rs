//! `causeway explain-link`: why a link between two repositories exists, or what is missing for one.

use std::path::PathBuf;

use links::{
    join::{ContractLink, ContractSite},
    joint::{ImportedName, PackageDependency},
    versions::VersionFit,
};
use worker::export::{self, ExplainedServiceLink, LinkExplanation, PackageExplanation};

use super::export::{failure, index, link_rules};
use crate::{
    data,
    exit::{CommandError, Exit},
    options::GlobalOptions,
    output::print,
};

const EXAMPLE: &str = "\
Example:
  causeway explain-link customer-portal parcel-kit
  causeway explain-link api ui ~/code/api ~/code/ui

Explains the uses in the first repository of the second one, without a server. Without a path, reads the data folder; with
paths, indexes them first, and reads these repositories only. The exit code is 0 if there is a link, and 9 if there is none.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct ExplainLinkArgs {
    /// Alias of the repository with the uses
    user: String,
    /// Alias of the repository that is used
    provider: String,
    /// Folders with repositories, to be indexed first
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
}

pub(crate) async fn run(args: ExplainLinkArgs, global: &GlobalOptions) -> anyhow::Result<Exit> {
    let ExplainLinkArgs { user, provider, paths } = args;
    if user == provider {
        return Err(CommandError::new(Exit::Usage, "a link joins two repositories: name two aliases").into());
    }
    let folder = data::folder(global)?;
    let indexed = if paths.is_empty() { Vec::new() } else { index(&paths, global).await? };
    let rules = link_rules(&folder, global)?;
    let explain = move || {
        let explained = export::explain_link(&folder, &indexed, &user, &provider, &rules)?;
        Ok((lines(&user, &provider, &explained), explained.is_linked()))
    };
    let (lines, is_linked) = tokio::task::spawn_blocking(explain).await?.map_err(failure)?;
    print(&lines.join("\n"))?;
    Ok(if is_linked { Exit::Done } else { Exit::NoLink })
}

/// Returns an explanation as text.
fn lines(user: &str, provider: &str, explained: &LinkExplanation) -> Vec<String> {
    let mut lines = vec![headline(user, provider, explained)];
    if explained.is_forbidden {
        lines.push(format!("rule: `[links] never` forbids links from {user} to {provider}"));
    }
    for package in &explained.packages {
        lines.extend(package_lines(provider, package, &explained.provider_commit));
    }
    if !explained.through.is_empty() {
        lines.push(format!(
            "{user} uses no package of {provider} itself, but types that lead there through {}",
            explained.through.join(", ")
        ));
    }
    let has_no_package = explained.packages.is_empty() && explained.through.is_empty();
    if has_no_package && explained.n_service_links == 0 && !explained.is_forbidden {
        lines.push(format!("{user} imports and requires no package that {provider} makes"));
        lines.extend(made_packages(provider, explained));
    }
    for ignored in &explained.ignored {
        lines.push(format!("rule: `[links] never` forbids the link of {ignored}"));
    }
    let service_links =
        list("links between services", &explained.service_links, explained.n_service_links, service_link);
    lines.extend(service_links);
    let heading = format!("uses of services in {user} without a link");
    lines.extend(list(&heading, &explained.missing, explained.n_missing, String::clone));
    lines.extend(list("links by equal keys", &explained.key_links, explained.n_key_links, key_link));
    lines.extend(list("imports that could not be followed", &explained.unfollowed, explained.n_unfollowed, imported));
    lines.extend(list("names that the package does not have", &explained.stale, explained.n_stale, imported));
    if !explained.languages_without_types.is_empty() {
        let languages = explained.languages_without_types.join(", ");
        lines.push(format!("not resolved by type, since the language has no inference: {languages}"));
    }
    lines
}

fn headline(user: &str, provider: &str, explained: &LinkExplanation) -> String {
    let LinkExplanation { n_resolved_uses, n_definitions, n_key_links, n_service_links, .. } = explained;
    match explained.is_linked() {
        true => format!(
            "{user} -> {provider}: linked; {n_resolved_uses} uses of {n_definitions} definitions by type, {n_key_links} links by equal keys, {n_service_links} links between services"
        ),
        false => format!("{user} -> {provider}: not linked"),
    }
}

fn package_lines(provider: &str, package: &PackageExplanation, commit: &str) -> Vec<String> {
    let PackageExplanation { package: key, made_at, required, used_at, n_uses, other_makers, maker_by_rule } = package;
    let mut lines = vec![format!("package {key}")];
    match made_at {
        Some(at) => lines.push(format!("  made by {provider} at {}", site(at))),
        None => lines.push(format!(
            "  made by {provider} by a rule only: no manifest there names it, so imports of it cannot be followed"
        )),
    }
    lines.extend(required.iter().map(|one| format!("  required at {}", requirement(one, commit))));
    lines.extend(list("used at", used_at, *n_uses, site).into_iter().map(|line| format!("  {line}")));
    if !other_makers.is_empty() {
        lines.push(format!("  also made by {}", other_makers.join(", ")));
    }
    match maker_by_rule {
        Some(maker) if maker == provider => lines.push(format!("  rule: `[links] made_by` names {maker}")),
        Some(maker) => lines.push(format!("  rule: `[links] made_by` names {maker} as the maker instead")),
        None if !other_makers.is_empty() => {
            lines.push("  nothing tells which maker is meant: the links share their confidence".to_owned());
        }
        None => {}
    }
    lines
}

fn requirement(one: &PackageDependency, commit: &str) -> String {
    let PackageDependency { path, line, required, indexed, fit, .. } = one;
    let required = if required.is_empty() { "no version".to_owned() } else { required.clone() };
    let indexed = if indexed.is_empty() { String::new() } else { format!("{indexed} ") };
    let commit = commit.get(..12).unwrap_or(commit);
    let fit = match fit {
        VersionFit::Admits => ", which it admits".to_owned(),
        VersionFit::Behind(place) => format!(", behind by a {} version", place.name()),
        VersionFit::Ahead => ", which is older".to_owned(),
        VersionFit::Unknown => String::new(),
    };
    format!("{path}:{line}: declares {required}, indexed {indexed}@{commit}{fit}")
}

fn made_packages(provider: &str, explained: &LinkExplanation) -> Option<String> {
    let LinkExplanation { nearest_packages, n_made_packages, .. } = explained;
    Some(match n_made_packages {
        0 => format!("{provider} makes no package: no manifest there names one"),
        n_made if *n_made > nearest_packages.len() => {
            format!("{provider} makes {n_made} packages, such as {}", nearest_packages.join(", "))
        }
        _ => format!("{provider} makes {}", nearest_packages.join(", ")),
    })
}

/// Returns a heading with the number of items, and the first items below it; nothing if there are none.
fn list<T>(heading: &str, items: &[T], n_all: usize, line: impl Fn(&T) -> String) -> Vec<String> {
    if n_all == 0 {
        return Vec::new();
    }
    let more = if n_all > items.len() { format!(", the first {}", items.len()) } else { String::new() };
    let heading = format!("{heading} ({n_all}{more}):");
    std::iter::once(heading).chain(items.iter().map(|item| format!("  {}", line(item)))).collect()
}

fn key_link(link: &ContractLink) -> String {
    let member = if link.member.is_empty() { String::new() } else { format!("::{}", link.member) };
    let confidence = (f64::from(link.confidence) * 100.0).round() / 100.0;
    format!("{}{member}: {} -> {} ({confidence})", link.key, site(&link.user), site(&link.offer))
}

/// Returns a link between services with the places that it was concluded from below it.
fn service_link(link: &ExplainedServiceLink) -> String {
    let ExplainedServiceLink { name, user, provider, confidence, evidence } = link;
    let confidence = (f64::from(*confidence) * 100.0).round() / 100.0;
    let evidence = evidence.iter().map(|step| format!("\n    because {step}")).collect::<String>();
    format!("{name}: {user} -> {provider} ({confidence}){evidence}")
}

fn imported(one: &ImportedName) -> String {
    let name = if one.name.is_empty() { String::new() } else { format!(" {}", one.name) };
    format!("{}:{}: {}{name}", one.path, one.line, one.package)
}

fn site(at: &ContractSite) -> String {
    format!("{}:{}", at.path, at.line)
}
