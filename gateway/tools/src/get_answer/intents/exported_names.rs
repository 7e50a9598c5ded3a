//! The names that the main file of a JavaScript package exports, read from its lines.

use proto::v1;

use super::{
    IntentContext,
    cited_text::{CitedText, citation},
    raises::is_comment,
    source_lines::{SourceLine, matching},
};
use federation::{answer::Answer, repo_idx::RepoIdx};

/// Maximum number of listed names.
const MAX_NAMES: usize = 10;

/// Extensions of files whose exports are read.
const EXTENSIONS: [&str; 6] = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"];

/// Returns a sentence with the names that the first exported file of a manifest exports; nothing if no line of it exports one.
pub(super) async fn sentence(
    context: IntentContext<'_, '_>,
    repo_idx: RepoIdx,
    overview: &v1::RepositoryOverview,
) -> Answer<Option<CitedText>> {
    let exports = overview.starts.iter().filter(|start| start.kind() == v1::StartKind::Export);
    let mut files = exports.filter_map(|start| {
        let target = start.target.trim_start_matches("./");
        let is_code = EXTENSIONS.iter().any(|extension| target.ends_with(extension)) && !target.ends_with(".d.ts");
        let folder = start.at.as_ref()?.path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        is_code.then(|| format!("{folder}{target}"))
    });
    let Some(path) = files.next() else { return Answer::complete(None) };
    let found = matching(context, &[(repo_idx, path.clone())], |line| !exported(line).is_empty()).await;
    found.map(|lines| {
        let mut names: Vec<(String, u32)> = Vec::new();
        for SourceLine { text, line, .. } in &lines {
            for name in exported(text) {
                if names.iter().all(|(known, _)| known != name) {
                    names.push((name.to_owned(), *line));
                }
            }
        }
        let (first, last) = (names.first()?.1, names.last()?.1);
        let items = names.iter().map(|(name, _)| CitedText::plain(text::quote(&text::sanitise_name(name)))).collect();
        let lead = format!("{} exports at least ", text::quote(&text::sanitise_name(&path)));
        let list = CitedText::listed(&lead, items, MAX_NAMES, "");
        Some(CitedText::cited(list.text, citation(context.plan, repo_idx, &path, (first, last))).then("."))
    })
}

/// Returns the names that a line exports. An export of everything of another file names none.
fn exported(line: &str) -> Vec<&str> {
    let line = line.trim();
    if is_comment(line) {
        return Vec::new();
    }
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let first = |text: &str| text.find(|c: char| !is_part(c)).unwrap_or(text.len());
    if let Some(rest) = line.strip_prefix("module.exports = ") {
        // An object is spread over lines, and a call makes something without a name.
        let end = first(rest);
        let is_name = rest[end..].trim_end_matches(';').is_empty();
        return if is_name && end > 0 { vec![&rest[..end]] } else { Vec::new() };
    }
    for start in ["module.exports.", "exports."] {
        if let Some(rest) = line.strip_prefix(start) {
            let end = first(rest);
            let is_given = rest[end..].trim_start().starts_with('=') && !rest[end..].trim_start().starts_with("==");
            return if is_given && end > 0 { vec![&rest[..end]] } else { Vec::new() };
        }
    }
    let Some(rest) = line.strip_prefix("export ") else { return Vec::new() };
    if let Some(list) = rest.trim_start_matches("type ").strip_prefix('{') {
        let list = list.split('}').next().unwrap_or(list);
        let names = list.split(',').map(|one| one.rsplit(" as ").next().unwrap_or(one).trim());
        return names.filter(|one| !one.is_empty() && one.chars().all(is_part)).collect();
    }
    if let Some(given) = rest.strip_prefix("default ") {
        return default_name(given).into_iter().collect();
    }
    const WORDS: [&str; 12] = [
        "namespace",
        "declare",
        "abstract",
        "async",
        "function",
        "function*",
        "class",
        "const",
        "let",
        "var",
        "interface",
        "enum",
    ];
    let mut words = rest.split(' ').skip_while(|word| WORDS.contains(word) || *word == "type");
    let named = words.next().unwrap_or_default();
    let end = first(named);
    let is_keyword = named.is_empty() || named.starts_with(['*', '{', '(', '[']) || named == "new";
    if is_keyword || end == 0 { Vec::new() } else { vec![&named[..end]] }
}

/// Returns the name of a default export: that of its function or class, or a name alone.
fn default_name(given: &str) -> Option<&str> {
    let given = given.trim_end_matches([';', ' ']);
    let is_name = |text: &str| {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        !text.is_empty() && text.chars().all(is_part) && !matches!(text, "extends" | "function" | "class" | "async")
    };
    let bare = given.strip_prefix("async ").unwrap_or(given);
    let defined = ["function ", "function* ", "class "].iter().find_map(|word| bare.strip_prefix(*word));
    let name = match defined {
        Some(rest) => rest.split([' ', '(', '{']).next().unwrap_or_default(),
        None => given,
    };
    is_name(name).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_exported_in_many_notations() {
        for (line, expected) in [
            ("module.exports = dock", &["dock"][..]),
            ("module.exports = dock;", &["dock"]),
            ("module.exports = build(dock)", &[]),
            ("module.exports = {", &[]),
            ("module.exports.Pier = Pier", &["Pier"]),
            ("exports.pier = function (a) {", &["pier"]),
            ("exports.pier == other", &[]),
            ("if (exports.pier) {", &[]),
            ("export default class Dock {", &["Dock"]),
            ("export async function open(port) {", &["open"]),
            ("export const berths: number = 4;", &["berths"]),
            ("export { open, shut as close } from './dock'", &["open", "close"]),
            ("export * from './dock'", &[]),
            ("export default new Dock()", &[]),
            ("export default defineConfig({", &[]),
            ("export default props => x", &[]),
            ("export default class extends Base {", &[]),
            ("export default dock;", &["dock"]),
            ("// export const berths = 4", &[]),
            ("exported.push(dock)", &[]),
        ] {
            assert_eq!(exported(line), expected, "{line}");
        }
    }
}
