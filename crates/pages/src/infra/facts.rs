//! Extracts facts of infrastructure files: images, services, jobs, targets.

use super::{
    InfraKind,
    yaml::{YamlEntry, entries},
};

/// Items of one kind, in file order, without duplicates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct InfraFact {
    pub(super) label: &'static str,
    pub(super) items: Vec<String>,
}

/// Maximum number of items of one kind. A page has room for fewer.
const MAX_ITEMS: usize = 60;

/// Maximum length in bytes of an item. Longer ones are scripts.
const MAX_ITEM_BYTES: usize = 120;

/// Returns the facts of a text, without empty ones.
pub(super) fn facts(kind: InfraKind, text: &str) -> Vec<InfraFact> {
    use InfraKind::*;
    let mut facts = match kind {
        Dockerfile => dockerfile(text),
        Compose => compose(&entries(text)),
        Kubernetes => kubernetes(&entries(text)),
        GithubWorkflow => github(&entries(text)),
        GithubAction | HelmChart => chart(&entries(text)),
        GitlabPipeline => gitlab(&entries(text)),
        OtherPipeline | HelmValues => vec![top_level("Keys", &entries(text), &[])],
        Makefile | Justfile => vec![fact("Targets", targets(text))],
        CmakeLists => cmake(text),
        Jenkinsfile => vec![fact("Stages", after_each(text, "stage("))],
        Procfile => vec![fact("Processes", entries(text).iter().map(|entry| key_and_value(entry.key(), entry.value)))],
        Vagrantfile => vec![fact("Boxes", after_each(text, "vm.box ="))],
        Terraform => Vec::new(),
    };
    facts.retain(|fact| !fact.items.is_empty());
    facts
}

fn fact(label: &'static str, items: impl IntoIterator<Item = impl Into<String>>) -> InfraFact {
    let mut unique: Vec<String> = Vec::new();
    for item in items.into_iter().map(Into::into) {
        let is_template = item.contains("${{") || item.contains("{{");
        let fits = !item.is_empty() && !is_template && item.len() <= MAX_ITEM_BYTES && unique.len() < MAX_ITEMS;
        if fits && !unique.contains(&item) {
            unique.push(item);
        }
    }
    InfraFact { label, items: unique }
}

fn key_and_value(key: &str, value: &str) -> String {
    if value.is_empty() { key.to_owned() } else { format!("{key} {value}") }
}

fn values(label: &'static str, entries: &[YamlEntry<'_>], patterns: &[&[&str]]) -> InfraFact {
    let matching = entries.iter().filter(|entry| patterns.iter().any(|pattern| entry.is_at(pattern)));
    fact(label, matching.map(|entry| entry.value))
}

fn keys(label: &'static str, entries: &[YamlEntry<'_>], pattern: &[&str]) -> InfraFact {
    fact(label, entries.iter().filter(|entry| entry.is_at(pattern)).map(YamlEntry::key))
}

fn top_level(label: &'static str, entries: &[YamlEntry<'_>], excluded: &[&str]) -> InfraFact {
    let matching = entries.iter().filter(|entry| entry.path.len() == 1 && !excluded.contains(&entry.key()));
    fact(label, matching.map(|entry| entry.key().trim_start_matches('.')))
}

fn dockerfile(text: &str) -> Vec<InfraFact> {
    let instructions = |name: &'static str| {
        let lines = text.lines().map(str::trim);
        lines.filter_map(move |line| {
            let (word, rest) = line.split_once(char::is_whitespace)?;
            word.eq_ignore_ascii_case(name).then(|| rest.trim().to_owned())
        })
    };
    let runs = instructions("ENTRYPOINT").chain(instructions("CMD"));
    vec![fact("Images", instructions("FROM")), fact("Exposes", instructions("EXPOSE")), fact("Runs", runs)]
}

fn compose(entries: &[YamlEntry<'_>]) -> Vec<InfraFact> {
    vec![
        keys("Services", entries, &["services", "*"]),
        values("Images", entries, &[&["services", "*", "image"]]),
        values("Builds", entries, &[&["services", "*", "build"], &["services", "*", "build", "dockerfile"]]),
        values("Ports", entries, &[&["services", "*", "ports", "-"]]),
        keys("Volumes", entries, &["volumes", "*"]),
    ]
}

fn kubernetes(entries: &[YamlEntry<'_>]) -> Vec<InfraFact> {
    let mut resources = Vec::new();
    let mut kind = "";
    for entry in entries {
        if entry.is_at(&["kind"]) {
            kind = entry.value;
        } else if entry.is_at(&["metadata", "name"]) {
            resources.push(key_and_value(kind, entry.value));
        }
    }
    let kinds = fact("Kinds", entries.iter().filter(|entry| entry.is_at(&["kind"])).map(|entry| entry.value));
    let images = entries.iter().filter(|entry| entry.key() == "image").map(|entry| entry.value);
    let ports = entries.iter().filter(|entry| entry.key() == "containerPort").map(|entry| entry.value);
    vec![
        if resources.is_empty() { kinds } else { fact("Resources", resources) },
        fact("Images", images),
        fact("Ports", ports),
    ]
}

fn github(entries: &[YamlEntry<'_>]) -> Vec<InfraFact> {
    let events = entries.iter().filter(|entry| entry.is_at(&["on"]) || entry.is_at(&["on", "*"]));
    let events = events.map(|entry| match entry.key() {
        "on" => entry.value.trim_matches(['[', ']']),
        "-" => entry.value,
        event => event,
    });
    vec![
        values("Name", entries, &[&["name"]]),
        fact("On", events),
        keys("Jobs", entries, &["jobs", "*"]),
        values("Steps", entries, &[&["jobs", "*", "name"], &["jobs", "*", "steps", "-", "name"]]),
        values("Uses", entries, &[&["jobs", "*", "steps", "-", "uses"], &["jobs", "*", "uses"]]),
    ]
}

fn chart(entries: &[YamlEntry<'_>]) -> Vec<InfraFact> {
    vec![
        values("Name", entries, &[&["name"]]),
        values("Description", entries, &[&["description"]]),
        keys("Inputs", entries, &["inputs", "*"]),
        values("Charts", entries, &[&["dependencies", "-", "name"]]),
    ]
}

/// Top-level keys of a GitLab pipeline that are not jobs.
const GITLAB_KEYWORDS: [&str; 11] = [
    "after_script",
    "before_script",
    "cache",
    "default",
    "image",
    "include",
    "pages",
    "services",
    "stages",
    "variables",
    "workflow",
];

fn gitlab(entries: &[YamlEntry<'_>]) -> Vec<InfraFact> {
    vec![
        values("Stages", entries, &[&["stages", "-"]]),
        top_level("Jobs", entries, &GITLAB_KEYWORDS),
        values("Images", entries, &[&["image"], &["*", "image"], &["image", "name"]]),
    ]
}

/// Returns the targets of a makefile or justfile, in order.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with(['\t', ' ', '#', '.'])).flat_map(|line| {
        let (names, rest) = line.split_once(':').unwrap_or_default();
        let is_rule = !rest.starts_with('=') && !names.contains(['=', '$', '%', '(', '"']);
        names.split_whitespace().filter(move |_| is_rule)
    })
}

fn cmake(text: &str) -> Vec<InfraFact> {
    vec![
        fact("Project", after_each(text, "project(")),
        fact("Libraries", after_each(text, "add_library(")),
        fact("Programs", after_each(text, "add_executable(")),
        fact("Packages", after_each(text, "find_package(")),
        fact("Options", after_each(text, "option(")),
    ]
}

/// Returns the first word or quoted text after each occurrence of `prefix`.
fn after_each<'a>(text: &'a str, prefix: &str) -> impl Iterator<Item = &'a str> {
    text.match_indices(prefix).filter_map(move |(at, found)| {
        let rest = text[at + found.len()..].trim_start();
        let line = text[..at].rsplit('\n').next().unwrap_or_default().trim_start();
        let inside = match rest.as_bytes().first()? {
            b'"' | b'\'' => rest[1..].split(['"', '\'']).next(),
            _ => rest.split(|c: char| c.is_whitespace() || c == ')').next(),
        };
        inside.filter(|inside| !line.starts_with(['#', '/']) && !inside.contains('$'))
    })
}
