//! Optional groups of requirements that a manifest names: extras of Python, features of Cargo.

use std::collections::BTreeSet;

use model::LineSpan;

use super::super::confidence::Confidence;
use super::{
    IntentAnswer, IntentContext,
    cited_text::{CitedText, citation},
    requirement_folders,
    source_lines::without_absent_files,
};
use crate::arguments::suggested;
use federation::{answer::Answer, fetch::SourceRequest, repo_idx::RepoIdx, repo_mentions};

/// Manifests that name groups, at the root of a repository.
const MANIFESTS: [&str; 4] = ["pyproject.toml", "setup.cfg", "setup.py", "Cargo.toml"];

const MAX_LINES: u32 = 3_000;

/// Maximum number of requirements of a group, and of groups in an answer.
const MAX_LISTED: usize = 16;

/// A group of requirements.
#[derive(Debug, PartialEq, Eq)]
struct NamedGroup {
    name: String,
    requirements: Vec<String>,
    /// First and last line.
    lines: (u32, u32),
}

/// Returns true if a question asks for an optional group.
pub(super) fn asks(question: &str) -> bool {
    let lower = question.to_lowercase();
    // `feature-flags` is a name.
    let mut words = lower.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    words.any(|word| matches!(word, "extra" | "extras" | "feature" | "features"))
}

/// Returns true if a question asks for the names of all groups. The features of a product are others than those of its manifest.
fn asks_for_all(question: &str) -> bool {
    let lower = question.to_lowercase();
    let is_of_manifest = ["cargo", "crate", "optional", "manifest"].iter().any(|word| lower.contains(word));
    lower.contains("extras") || (lower.contains("features") && is_of_manifest)
}

/// Answers with the requirements of the groups that a question names, or with the names of all groups; `None` if the manifests name none.
pub(super) async fn answer(context: IntentContext<'_, '_>, question: &str) -> Option<IntentAnswer> {
    let named = repo_mentions::named(context.plan, question);
    let repo_idxs: Vec<RepoIdx> = match (named.is_empty(), context.plan.asked.as_slice()) {
        (false, _) => named.into_iter().collect(),
        (true, [only]) => vec![*only],
        (true, _) => return None,
    };
    let plan = context.call.visible.plan_for(repo_idxs.clone(), false);
    let lines = LineSpan { start: 1, end: MAX_LINES };
    let requests: Vec<SourceRequest> = repo_idxs
        .iter()
        .flat_map(|repo_idx| MANIFESTS.map(|path| SourceRequest { repo_idx: *repo_idx, path: path.to_owned(), lines }))
        .collect();
    let Answer { value: fetched, shortfalls } = context.call.fetch(&plan, &requests).await;
    let sources = requests.iter().zip(fetched).filter_map(|(request, source)| Some((request, source?.text)));
    let groups: Vec<(&SourceRequest, NamedGroup)> = sources
        .flat_map(|(request, text)| groups(&request.path, &text).into_iter().map(move |group| (request, group)))
        .collect();
    let asked: BTreeSet<String> = question.split(' ').map(folded).collect();
    let meant: Vec<&(&SourceRequest, NamedGroup)> =
        groups.iter().filter(|(_, group)| asked.contains(&folded(&group.name))).collect();
    let place = |(request, group): &(&SourceRequest, NamedGroup)| {
        citation(context.plan, request.repo_idx, &request.path, group.lines)
    };
    let of_group = |found: &&(&SourceRequest, NamedGroup)| {
        let (request, group) = found;
        let (noun, verb) = words_of(&request.path);
        let alias = text::quote(context.plan.alias(request.repo_idx));
        let lead = format!("The {noun} {} of {alias} {verb} ", text::quote(&group.name));
        let items = group.requirements.iter().map(|one| CitedText::plain(text::quote(one))).collect();
        let listed = CitedText::listed(&lead, items, MAX_LISTED, "");
        let lead = if group.requirements.is_empty() { format!("{lead}nothing else") } else { listed.text };
        CitedText::cited(lead, place(found)).then(".")
    };
    let sentences: Vec<CitedText> = match meant.is_empty() {
        false => meant.iter().map(of_group).collect(),
        true if asks_for_all(question) && !groups.is_empty() => {
            let (noun, _) = words_of(&groups[0].0.path);
            let items = groups.iter().map(|found| CitedText::cited(text::quote(&found.1.name), place(found))).collect();
            let items = super::environment_variables::without_repeated_files(items);
            vec![CitedText::listed(&format!("The manifests name these {noun}s: "), items, MAX_LISTED, ".")]
        }
        true => return requirement_folders::answer(context, &repo_idxs, question).await,
    };
    let note =
        format!("get_overview {} lists all packages", suggested("repo", context.plan.alias(*repo_idxs.first()?)));
    Some(IntentAnswer::new(sentences, Confidence::High, note).with_shortfalls(without_absent_files(shortfalls)))
}

/// Returns the word for a group of a manifest, and its verb.
fn words_of(path: &str) -> (&'static str, &'static str) {
    if path.ends_with("Cargo.toml") { ("feature", "enables") } else { ("extra", "requires") }
}

/// Returns a name as questions have it: without punctuation at its edges, and with one separator.
fn folded(name: &str) -> String {
    let bare = name.trim_matches(|c: char| !(c.is_alphanumeric() || c == '_'));
    bare.to_lowercase().replace(['_', '.'], "-")
}

/// Returns the groups of a manifest in their order.
fn groups(path: &str, text: &str) -> Vec<NamedGroup> {
    let is_toml = path.ends_with(".toml");
    let mut found: Vec<NamedGroup> = Vec::new();
    let (mut header, mut is_inline) = (String::new(), false);
    let lines: Vec<&str> = text.lines().collect();
    let mut at = 0;
    while let Some(line) = lines.get(at).map(|line| line.trim()) {
        at += 1;
        if line.starts_with('[') && line.ends_with(']') && (is_toml || path.ends_with(".cfg")) {
            (header, is_inline) = (line.trim_matches(['[', ']']).to_owned(), false);
            continue;
        }
        // A table on the lines of its key: `optional-dependencies = { name = [`.
        let opening = ["optional-dependencies", "extras_require"];
        let opened = opening
            .iter()
            .find_map(|key| line.strip_prefix(*key)?.trim_start().strip_prefix('=')?.trim_start().strip_prefix('{'));
        let line = match opened {
            Some(rest) => {
                is_inline = true;
                rest.trim_start()
            }
            None => line,
        };
        let is_section = match header.as_str() {
            "project.optional-dependencies" | "tool.poetry.extras" | "options.extras_require" => true,
            "features" => path.ends_with("Cargo.toml"),
            _ => is_inline,
        };
        if !is_section || line.starts_with('#') {
            continue;
        }
        if line.starts_with('}') {
            is_inline = false;
            continue;
        }
        let mut rest = line;
        while let Some((key, value)) = rest.split_once(['=', ':']) {
            let name = key.trim().trim_matches(['"', '\'']).to_owned();
            let first = at as u32;
            let (requirements, n_more, behind) = match value.trim_start().strip_prefix('[') {
                Some(list) => items_of_list(list, &lines[at..]),
                None if path.ends_with(".cfg") => items_below(value, &lines[at..]),
                None => break,
            };
            at += n_more;
            found.push(NamedGroup { name, requirements, lines: (first, first + n_more as u32) });
            rest = behind.trim_start_matches([',', ' ']);
            if !is_inline || rest.starts_with(['#', '}']) {
                break;
            }
        }
        let end = lines[at - 1].trim_end().trim_end_matches([',', ')']);
        is_inline &= !rest.starts_with('}') && !end.ends_with('}');
    }
    found
}

/// Returns the quoted items of a list behind its opening, the number of further lines that it has, and the text behind it.
fn items_of_list<'t>(first: &'t str, below: &[&'t str]) -> (Vec<String>, usize, &'t str) {
    let mut items: Vec<String> = Vec::new();
    for (n_more, line) in std::iter::once(&first).chain(below).enumerate() {
        let mut rest = *line;
        while let Some(start) = rest.find(['"', '\'', ']', '#']) {
            let mark = &rest[start..start + 1];
            let behind = &rest[start + 1..];
            match (mark, behind.find(mark)) {
                ("]", _) => return (items, n_more, behind),
                ("#", _) | (_, None) => break,
                (_, Some(end)) => {
                    items.push(behind[..end].to_owned());
                    rest = &behind[end + 1..];
                }
            }
        }
    }
    (items, below.len(), "")
}

/// Returns the indented lines below a key, and their number; nothing is behind them.
fn items_below<'t>(first: &'t str, below: &[&'t str]) -> (Vec<String>, usize, &'t str) {
    let n_more = below.iter().take_while(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty()).count();
    let all = std::iter::once(&first).chain(&below[..n_more]).map(|line| line.trim());
    (all.filter(|item| !item.is_empty() && !item.starts_with('#')).map(str::to_owned).collect(), n_more, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str) -> Vec<String> {
        let shown = |group: NamedGroup| {
            let NamedGroup { name, requirements, lines: (first, last) } = group;
            format!("{first}-{last} {name}: {}", requirements.join(", "))
        };
        groups(path, text).into_iter().map(shown).collect()
    }

    #[test]
    fn groups_are_read_with_their_requirements() {
        let text = "[project]\nname = \"dock\"\ndependencies = [\"rope\"]\n[project.optional-dependencies]\ntides = [\"moon[full]>=1\"]\n\
                    crane = [\n  \"steel>=2\", # heavy\n  'oil',\n]\n[tool.other]\nx = [\"y\"]\n";
        assert_eq!(check("pyproject.toml", text), ["5-5 tides: moon[full]>=1", "6-9 crane: steel>=2, oil"]);
        let text = "[project]\noptional-dependencies = { tides = [\n  \"moon\",\n] }\nclassifiers = [\n  \"A\",\n]\n";
        assert_eq!(check("pyproject.toml", text), ["2-4 tides: moon"]);
        let text = "[features]\ndefault = [\"rope\"]\nrope = []\n[dependencies]\na = [\"b\"]\n";
        assert_eq!(check("Cargo.toml", text), ["2-2 default: rope", "3-3 rope: "]);
        let text = "[options.extras_require]\ntides =\n    moon\n    sun>=1\n\n[other]\na =\n    b\n";
        assert_eq!(check("setup.cfg", text), ["2-4 tides: moon, sun>=1"]);
        let text = "setup(\n    install_requires=[\"rope\"],\n    extras_require={\n        \"tides\": [\"moon\"],\n    },\n    a=[\"b\"],\n)\n";
        assert_eq!(check("setup.py", text), ["4-4 tides: moon"]);
        let text = "setup(\n    extras_require={\"tides\": [\"moon\"]},\n    install_requires=[\"rope\"],\n)\n";
        assert_eq!(check("setup.py", text), ["2-2 tides: moon"]);
        let text = "[project]\noptional-dependencies = {a=[\"x\"], b=[\"y\"]}\nkeywords = [\"z\"]\n";
        assert_eq!(check("pyproject.toml", text), ["2-2 a: x", "2-2 b: y"]);
    }

    #[test]
    fn questions_for_groups_have_the_word_for_one() {
        for (question, expected) in [
            ("what does the tides extra install", true),
            ("Which features does dock have?", true),
            ("what else does dock install", false),
            ("is there an extraordinary tide", false),
            ("what does feature-flags depend on", false),
        ] {
            assert_eq!(asks(question), expected, "{question}");
        }
        for (question, expected) in [
            ("which extras does dock have", true),
            ("Which Cargo features does dock have?", true),
            ("Which features does dock have?", false),
        ] {
            assert_eq!(asks_for_all(question), expected, "{question}");
        }
        assert_eq!([folded("`Tides_Full`?"), folded("tides-full")], ["tides-full"; 2]);
    }
}
