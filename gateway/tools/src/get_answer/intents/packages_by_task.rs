//! The packages that a described task needs: the extras of a manifest with the name of a part, and the imports of the files that match.

use std::collections::{BTreeMap, BTreeSet};

use model::{FileClass, Language, LineSpan};
use proto::v1;
use ranking::analyser;

use super::super::{confidence::Confidence, evidence::EvidenceHit};
use super::{
    IntentAnswer, IntentContext,
    cited_text::{CitedText, citation},
    events::terms,
    file_imports::imports,
    source_lines::{SourceLine, read},
    subject::Description,
};
use crate::arguments::suggested;
use federation::{answer::Shortfalls, fetch::SourceRequest, repo_idx::RepoIdx};

/// Required packages of a repository to read.
const MAX_READ: u32 = 400;

/// Maximum number of files whose imports are read, of lines of one, and of manifests.
const MAX_FILES: usize = 4;
const MAX_LINES: u32 = 1_200;
const MAX_MANIFESTS: usize = 6;
const MAX_MANIFEST_LINES: u32 = 5_000;

/// Maximum number of packages in an answer.
const MAX_PACKAGES: usize = 3;

/// Minimum relevance of a file whose imports tell what a task needs, relative to the best one.
const MIN_RELATIVE_RELEVANCE: f32 = 0.5;

/// Answers with the packages of a described task; `None` if no manifest and no file of the task names one.
pub(super) async fn answer(context: IntentContext<'_, '_>, description: &Description) -> Option<IntentAnswer> {
    let repo_idx = repository(context, description)?;
    let plan = context.call.visible.plan_for(vec![repo_idx], false);
    let overviews = context.call.overviews(&plan, MAX_READ).await;
    let mut shortfalls = overviews.shortfalls;
    let overview = overviews.value.get(&repo_idx)?;
    let extras = extras(context, repo_idx, &overview.requires, &description.words, &mut shortfalls).await;
    let by_name = || by_names(context, repo_idx, description, &overview.requires);
    let (sentences, confidence) = match extras.map(|extras| (vec![extras], Confidence::High)).or_else(by_name) {
        Some(found) => found,
        None => of_imports(context, repo_idx, description, &overview.requires, &mut shortfalls).await?,
    };
    let note = format!("get_overview {} lists all packages", suggested("repo", context.plan.alias(repo_idx)));
    Some(IntentAnswer::new(sentences, confidence, note).with_shortfalls(shortfalls))
}

/// Returns the repository of a task: the only one that is named or asked, or that of the best match.
fn repository(context: IntentContext<'_, '_>, description: &Description) -> Option<RepoIdx> {
    match (description.named.len(), context.plan.asked.as_slice()) {
        (1, _) => description.named.first().copied(),
        (0, [only]) => Some(*only),
        _ => context.evidence.hits.first().map(|hit| hit.repo_idx),
    }
}

/// Returns a sentence with the packages of a group that has a word of the task as its name.
async fn extras(
    context: IntentContext<'_, '_>,
    repo_idx: RepoIdx,
    required: &[v1::DeclaredPackage],
    words: &[String],
    shortfalls: &mut Shortfalls,
) -> Option<CitedText> {
    let paths: BTreeSet<&str> =
        required.iter().filter_map(|package| Some(package.at.as_ref()?.path.as_str())).collect();
    for path in paths.into_iter().take(MAX_MANIFESTS) {
        let lines = LineSpan { start: 1, end: MAX_MANIFEST_LINES };
        let request = SourceRequest { repo_idx, path: path.to_owned(), lines };
        let found = read(context, vec![request], |_| true).await;
        shortfalls.extend(found.shortfalls);
        for word in words {
            let Some((start, end)) = group_of(&found.value, word) else { continue };
            let is_in = |package: &&v1::DeclaredPackage| {
                package.at.as_ref().is_some_and(|at| at.path == path && (start..=end).contains(&at.line))
            };
            let of_group: Vec<&v1::DeclaredPackage> = required.iter().filter(is_in).collect();
            let item = |package: &&v1::DeclaredPackage| {
                let line = package.at.as_ref().map_or(start, |at| at.line);
                let written = found.value.iter().find(|one| one.line == line).map(SourceLine::display_text);
                let place = citation(context.plan, repo_idx, path, (line, line));
                CitedText::cited(text::quote(&written.unwrap_or_else(|| name_of(&package.key).to_owned())), place)
            };
            if !of_group.is_empty() {
                let lead = format!(
                    "{} declares the group {} with ",
                    text::quote(&text::sanitise_name(path)),
                    text::quote(word)
                );
                return Some(CitedText::listed(&lead, of_group.iter().map(item).collect(), MAX_PACKAGES * 2, "."));
            }
        }
    }
    None
}

/// Returns the first and last line of the list that a manifest gives a name: `"redis": [`, `redis = [`, or `redis =` of an INI file.
fn group_of(lines: &[SourceLine], name: &str) -> Option<(u32, u32)> {
    let folded = |text: &str| text.trim_matches(['"', '\'', ' ']).replace(['-', '_'], "").to_lowercase();
    let wanted = folded(name);
    let opens = |line: &&SourceLine| {
        let Some(at) = line.text.find([':', '=']) else { return false };
        let value = line.text[at + 1..].trim();
        folded(&line.text[..at]) == wanted && (value.is_empty() || value.starts_with('['))
    };
    let first = lines.iter().find(opens)?;
    // The name of a package may have brackets of its own: `celery[redis]`.
    let is_closed = first.text.matches('[').count() <= first.text.matches(']').count();
    if first.text.contains(']') && is_closed {
        return Some((first.line, first.line));
    }
    let is_list = first.text.trim_end().ends_with('[');
    let ends = |line: &&SourceLine| match is_list {
        true => line.text.starts_with(']'),
        false => line.text.is_empty() || line.indent <= first.indent,
    };
    let last = lines.iter().filter(|line| line.line > first.line).find(ends);
    Some((first.line, last.map_or(first.line, |last| last.line)))
}

/// Returns a sentence with the required packages whose names have words of the task, those that are used most first; `None` if no name has
/// all of them.
fn by_names(
    context: IntentContext<'_, '_>,
    repo_idx: RepoIdx,
    description: &Description,
    required: &[v1::DeclaredPackage],
) -> Option<(Vec<CitedText>, Confidence)> {
    let aliases = terms(context.plan.alias(repo_idx));
    let is_asked = |word: &&String| {
        let of_word = terms(word);
        !of_word.iter().all(|term| KIND_TERMS.contains(&term.as_str()) || aliases.contains(term))
    };
    let forms = |word: &String| terms(word).into_iter().chain([word.to_lowercase()]).collect::<Vec<String>>();
    let asked: Vec<Vec<String>> = description.words.iter().filter(is_asked).map(forms).collect();
    // The parts of several names are a coincidence, and the imports tell more.
    let mut found: Vec<&v1::DeclaredPackage> =
        required.iter().filter(|package| !asked.is_empty() && has_all(&package.key, &asked)).collect();
    // A package without a known use is one of a tool.
    if found.iter().any(|package| package.sites > 0) {
        found.retain(|package| package.sites > 0);
    }
    found.sort_by(|a, b| b.sites.cmp(&a.sites).then_with(|| a.key.cmp(&b.key)));
    if found.is_empty() {
        return None;
    }
    let item = |package: &&v1::DeclaredPackage| {
        let name = text::quote(&text::sanitise_name(name_of(&package.key)));
        match package.at.as_ref() {
            Some(at) => CitedText::cited(name, citation(context.plan, repo_idx, &at.path, (at.line, at.line))),
            None => CitedText::plain(name),
        }
    };
    let lead =
        format!("By their names, these required packages are for {}: ", text::quote(&description.words.join(" ")));
    Some((vec![CitedText::listed(&lead, found.iter().map(item).collect(), MAX_NAMED, ".")], Confidence::Medium))
}

/// Returns true if the name of a package has one of the forms of each asked word as a part.
fn has_all(key: &str, asked: &[Vec<String>]) -> bool {
    asked.iter().all(|forms| forms.iter().any(|form| has_part(key, form)))
}

/// Maximum number of packages that are told by their names.
const MAX_NAMED: usize = 5;

/// Terms of questions for packages that are in no name of one.
const KIND_TERMS: [&str; 14] = [
    "modul", "librari", "packag", "crate", "gem", "depend", "import", "third", "parti", "npm", "extern", "us", "use",
    "need",
];

/// Returns true if a term is a whole part of a package's name: `update` is for no dates. The host of a Go module is no part.
fn has_part(key: &str, term: &str) -> bool {
    let name = name_of(key).to_lowercase();
    let name = name.split_once('/').filter(|(host, _)| host.contains('.')).map_or(name.as_str(), |(_, rest)| rest);
    let mut parts = name.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    parts.any(|part| part == term || analyser::terms(part).iter().any(|of_part| of_part == term))
}

/// Returns sentences with the required packages that the files of a task import.
async fn of_imports(
    context: IntentContext<'_, '_>,
    repo_idx: RepoIdx,
    description: &Description,
    required: &[v1::DeclaredPackage],
    shortfalls: &mut Shortfalls,
) -> Option<(Vec<CitedText>, Confidence)> {
    let best = context.evidence.hits.iter().map(|hit| hit.relevance).fold(0.0, f32::max);
    let is_match = |hit: &&EvidenceHit| {
        let is_code = !hit.is_prose() && FileClass::from(hit.file.class()) != FileClass::Test;
        hit.repo_idx == repo_idx && is_code && hit.relevance >= MIN_RELATIVE_RELEVANCE * best
    };
    let paths: Vec<&str> =
        context.evidence.hits.iter().filter(is_match).map(|hit| hit.file.path.as_str()).take(MAX_FILES).collect();
    let lines = LineSpan { start: 1, end: MAX_LINES };
    let requests = paths.iter().map(|path| SourceRequest { repo_idx, path: (*path).to_owned(), lines });
    let found = read(context, requests.collect(), |_| true).await;
    shortfalls.extend(found.shortfalls);
    let asked: Vec<String> = description.words.iter().map(|word| word.to_lowercase()).collect();
    let aliases: BTreeSet<String> = terms(context.plan.alias(repo_idx)).into_iter().collect();
    let task: BTreeSet<String> = description.words.iter().flat_map(|word| terms(word)).collect();
    let task: BTreeSet<String> =
        task.into_iter().filter(|term| !KIND_TERMS.contains(&term.as_str()) && !aliases.contains(term)).collect();
    // A package that several files of the task import, or the first one, is what it needs.
    let mut weighed: BTreeMap<&str, (f32, (&str, u32), &v1::DeclaredPackage)> = BTreeMap::new();
    let mut shares: BTreeMap<&str, f32> = BTreeMap::new();
    for (rank, path) in paths.iter().enumerate() {
        let of_file: Vec<SourceLine> = found.value.iter().filter(|line| line.path == *path).cloned().collect();
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        for (line, import) in imports(Language::of_path(path), &of_file) {
            let Some(package) =
                required.iter().filter(|package| is_import_of(&import, &package.key)).max_by_key(|one| one.key.len())
            else {
                continue;
            };
            if seen.insert(package.key.as_str()) {
                let is_named = is_named(&package.key, &asked);
                let share = mention_share(&of_file, (&import, line), &task);
                let most = shares.entry(package.key.as_str()).or_default();
                *most = most.max(share);
                let weight = (if is_named { 2.0 } else { 1.0 } + OF_MENTION * share) / (1.0 + rank as f32);
                weighed.entry(package.key.as_str()).or_insert((0.0, (path, line), package)).0 += weight;
            }
        }
    }
    let mut ranked: Vec<(f32, (&str, u32), &v1::DeclaredPackage)> = weighed.into_values().collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.2.key.cmp(&b.2.key)));
    let item = |(_, (path, line), package): &(f32, (&str, u32), &v1::DeclaredPackage)| {
        let imported = citation(context.plan, repo_idx, path, (*line, *line));
        let name = text::quote(&text::sanitise_name(name_of(&package.key)));
        let used =
            CitedText::cited(format!("{name}, which {} imports", text::quote(&text::sanitise_name(path))), imported);
        match package.at.as_ref() {
            Some(at) => {
                let place = citation(context.plan, repo_idx, &at.path, (at.line, at.line));
                CitedText::join([used, CitedText::cited("(required", place).then(")")], " ")
            }
            None => used,
        }
    };
    // A package with a word of the task in its name is what the task needs, and the others are beside it.
    if ranked.iter().any(|(_, _, package)| is_named(&package.key, &asked)) {
        ranked.retain(|(_, _, package)| is_named(&package.key, &asked));
    }
    // A package whose uses have none of the words is beside the task.
    let most =
        ranked.iter().filter_map(|(_, _, package)| shares.get(package.key.as_str())).copied().fold(0.0, f32::max);
    let is_used_for = |key: &str| shares.get(key).is_some_and(|share| *share >= MIN_RELATIVE_SHARE * most);
    ranked.retain(|(_, _, package)| most == 0.0 || is_used_for(&package.key));
    let items: Vec<CitedText> = ranked.iter().map(item).collect();
    let lead = format!(
        "The files that match {} best import these required packages: ",
        text::quote(&description.words.join(" "))
    );
    let first_share = ranked.first().and_then(|(_, _, package)| shares.get(package.key.as_str())).copied();
    // A single word is in many lines.
    let is_telling = task.len() >= MIN_TASK_TERMS && first_share.is_some_and(|share| share >= SURE_SHARE);
    let is_sure = is_telling || ranked.iter().any(|(_, _, package)| is_named(&package.key, &asked));
    let confidence = if is_sure { Confidence::Medium } else { Confidence::Low };
    (!items.is_empty()).then(|| (vec![CitedText::listed(&lead, items, MAX_PACKAGES, ".")], confidence))
}

/// Weight of a package whose uses have all words of the task, relative to one that is imported.
const OF_MENTION: f32 = 3.0;

/// Share of the words of a task in the lines that mention a package, from which on it is what the task needs.
const SURE_SHARE: f32 = 0.6;

/// Minimum share of the words of a task in the uses of a package, relative to the one with most.
const MIN_RELATIVE_SHARE: f32 = 0.5;

/// Minimum number of words of a task whose mention tells what a package is for.
const MIN_TASK_TERMS: usize = 2;

/// Returns the largest share of the words of a task in the import of a package or in a line that has its name, with the line before: `const
/// boot = require('crane')` says what the crane is for.
fn mention_share(lines: &[SourceLine], (import, at): (&str, u32), task: &BTreeSet<String>) -> f32 {
    let last = import.rsplit(['/', '.', ':', '\\']).find(|part| !part.is_empty()).unwrap_or(import).to_lowercase();
    let has_name = |line: &SourceLine| {
        let lower = line.text.to_lowercase();
        lower.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-'))).any(|word| word == last)
    };
    let share = |place: usize| {
        let before = lines[place.saturating_sub(1)].text.as_str();
        let said: BTreeSet<String> = terms(&format!("{before} {}", lines[place].text)).into_iter().collect();
        task.iter().filter(|term| said.contains(*term)).count() as f32 / task.len().max(1) as f32
    };
    let mentions = (0..lines.len()).filter(|place| lines[*place].line == at || has_name(&lines[*place]));
    mentions.map(share).fold(0.0, f32::max)
}

fn name_of(key: &str) -> &str {
    key.split_once(':').map_or(key, |(_, name)| name)
}

/// Minimum length of a part of a package's name that a word of the task may contain.
const MIN_PART_CHARS: usize = 4;

/// Returns true if a part of a package's name is a word of the task, or a part of one: `ignore` is in `gitignore`.
fn is_named(key: &str, asked: &[String]) -> bool {
    let name = name_of(key).to_lowercase();
    let mut parts = name.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    parts.any(|part| asked.iter().any(|word| word == part || (part.len() >= MIN_PART_CHARS && word.contains(part))))
}

/// Returns true if an import is of a package, by the rules of its ecosystem.
fn is_import_of(import: &str, key: &str) -> bool {
    let Some((ecosystem, name)) = key.split_once(':') else { return false };
    let below = |mark: &str| import == name || import.strip_prefix(name).is_some_and(|rest| rest.starts_with(mark));
    let folded = |text: &str| text.replace(['-', '_', '.'], "").to_lowercase();
    match ecosystem {
        "go" | "npm" => below("/"),
        "cargo" => import.split("::").next().is_some_and(|root| root == name.replace('-', "_")),
        "pypi" => import.split('.').next().is_some_and(|root| folded(root) == folded(name)),
        "maven" => name.split_once(':').is_some_and(|(group, _)| import.starts_with(&format!("{group}."))),
        "gem" => below("/") || import == name.replace('-', "/"),
        "nuget" => below("."),
        "composer" => {
            let (vendor, package) = name.split_once('/').unwrap_or(("", name));
            let parts: Vec<String> = import.trim_start_matches('\\').split('\\').take(2).map(folded).collect();
            matches!(parts.as_slice(), [one, other] if *one == folded(vendor) && *other == folded(package))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_a_package_say_what_it_is_for() {
        let lines = super::super::source_lines::lines_of_text(
            "const crane = require('crane')\nconst tide = require('@acme/tide')\n// the crane lifts ships\ncrane.lift()\ncranes()\n",
        );
        let task: BTreeSet<String> = ["lifting", "ships"].iter().flat_map(|word| terms(word)).collect();
        for (import, at, expected) in [("crane", 1, true), ("@acme/tide", 2, false)] {
            assert_eq!(mention_share(&lines, (import, at), &task) >= SURE_SHARE, expected, "{import}");
        }
    }

    #[test]
    fn imports_belong_to_packages_by_the_rules_of_their_ecosystems() {
        for (import, key, expected) in [
            ("example.org/shell/v3/syntax", "go:example.org/shell/v3", true),
            ("example.org/shellac", "go:example.org/shell", false),
            ("@acme/kit/sub", "npm:@acme/kit", true),
            ("lease_kit::Lease", "cargo:lease-kit", true),
            ("lease.parts", "pypi:lease", true),
            ("leases", "pypi:lease", false),
            ("org.acme.kit.Parser", "maven:org.acme:kit", true),
            ("org.acmekit.Parser", "maven:org.acme:kit", false),
            ("lease/pool", "gem:lease-pool", true),
            ("Acme.Kit.Parsing", "nuget:Acme.Kit", true),
            ("Acme\\Kit\\Parser", "composer:acme/kit", true),
            ("Acme\\Other", "composer:acme/kit", false),
        ] {
            assert_eq!(is_import_of(import, key), expected, "{import} of {key}");
        }
    }

    #[test]
    fn a_task_names_a_package_by_a_part_of_a_word() {
        let asked = |words: &str| words.split(' ').map(str::to_owned).collect::<Vec<String>>();
        for (key, words, expected) in [
            ("cargo:ignore", "walk gitignore", true),
            ("npm:@acme/kit", "kit of parts", true),
            ("cargo:regex", "walk gitignore", false),
            ("cargo:ing", "walking", false),
        ] {
            assert_eq!(is_named(key, &asked(words)), expected, "{key}: {words}");
        }
    }

    #[test]
    fn a_name_has_terms_of_a_task_as_whole_parts() {
        for (key, term, expected) in [
            ("npm:berth-request", "berth", true),
            ("npm:berthable-request", "berth", false),
            ("go:example.org/tide/v2", "tide", true),
            ("go:tide.org/other", "tide", false),
            ("npm:update-notifier", "date", false),
            ("npm:outside", "tsi", false),
        ] {
            assert_eq!(has_part(key, term), expected, "{key}: {term}");
        }
    }

    #[test]
    fn one_package_has_all_words_of_a_task() {
        let forms = |word: &str| terms(word).into_iter().chain([word.to_owned()]).collect::<Vec<String>>();
        let asked: Vec<Vec<String>> = ["parses", "dates"].map(forms).into();
        for (key, expected) in
            [("npm:parse-dates", true), ("npm:date-parse", true), ("npm:parse5", false), ("npm:update-parse", false)]
        {
            assert_eq!(has_all(key, &asked), expected, "{key}");
        }
    }

    #[test]
    fn groups_of_a_manifest_are_found_by_name() {
        let lines = |source: &str| -> Vec<SourceLine> {
            let line = |(text, line): (&str, u32)| SourceLine {
                repo_idx: RepoIdx(0),
                path: "setup.py".to_owned(),
                line,
                indent: text.len() - text.trim_start().len(),
                text: text.trim().to_owned(),
            };
            source.lines().zip(1..).map(line).collect()
        };
        let dict = "extra = {\n  \"pigeon-post\": [\n    \"coo>=1\",\n  ],\n  \"raven\": [\"caw\"],\n}\n";
        assert_eq!(group_of(&lines(dict), "PigeonPost"), Some((2, 4)));
        assert_eq!(group_of(&lines(dict), "raven"), Some((5, 5)));
        assert_eq!(group_of(&lines(dict), "coo"), None);
        let brackets =
            "extra = {\n  \"raven\": [\"caw[loud]>=1\",\n    \"croak\",\n  ],\n  \"owl\": [\"hoot[low]\"],\n}\n";
        assert_eq!(group_of(&lines(brackets), "raven"), Some((2, 4)));
        assert_eq!(group_of(&lines(brackets), "owl"), Some((5, 5)));
        assert_eq!(
            group_of(&lines("[options.extras_require]\npigeon =\n  coo\n\nraven =\n  caw\n"), "pigeon"),
            Some((2, 4))
        );
        assert_eq!(group_of(&lines("name = pigeon\n"), "name"), None);
    }
}
