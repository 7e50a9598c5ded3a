//! The line of a manifest that names a package.

/// Returns the line that requires a package, from 1. In order of preference: the line with its name as the key, the line that
/// begins with the name and a version, or the first line with the name as a whole word. The line that opens a list of
/// requirements does not count.
pub(super) fn line_of(text: &str, name: &str) -> u32 {
    let is_boundary = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '-' | '_'));
    let has_word = |line: &str| {
        line.match_indices(name).any(|(at, _)| {
            is_boundary(line[..at].chars().next_back()) && is_boundary(line[at + name.len()..].chars().next())
        })
    };
    let has_key = |line: &str| has_key(line, name);
    let is_requirement = |line: &str| {
        let line = line.trim_start().trim_start_matches(['"', '\'']);
        line.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(AFTER_REQUIREMENT))
    };
    let opens_list = |line: &str| line.trim_end().ends_with(['[', '=']);
    let lines = lines_with(text, name);
    let first = |matches: &dyn Fn(&str) -> bool| lines.iter().find(|(_, line)| matches(line) && !opens_list(line));
    let found = first(&has_key).or_else(|| first(&is_requirement)).or_else(|| first(&has_word));
    found.map_or(1, |(number, _)| *number)
}

/// Returns the lines with a text, each with its number from 1.
fn lines_with<'t>(text: &'t str, wanted: &str) -> Vec<(u32, &'t str)> {
    let mut found: Vec<(u32, &str)> = Vec::new();
    let (mut end, mut n_breaks) = (0, 0);
    for (at, _) in text.match_indices(wanted) {
        if at < end {
            continue;
        }
        n_breaks += text[end..at].matches('\n').count() as u32;
        let start = text[..at].rfind('\n').map_or(0, |before| before + 1);
        end = text[at..].find('\n').map_or(text.len(), |length| at + length);
        found.push((n_breaks + 1, text[start..end].trim_end_matches('\r')));
    }
    found
}

/// Characters that may follow the name of a required Python package (PEP 508).
const AFTER_REQUIREMENT: [char; 11] = ['<', '>', '=', '!', '~', '[', ';', '@', '"', '\'', ' '];

/// Returns the line of the field `name`, from 1.
pub(super) fn own_name_line(text: &str) -> Option<u32> {
    text.lines().position(|line| has_key(line, "name")).map(|index| index as u32 + 1)
}

/// Returns true if a line of JSON, TOML or settings assigns a value to a key.
fn has_key(line: &str, name: &str) -> bool {
    let line = line.trim_start().trim_start_matches(['{', '"', '\'']);
    let rest = line.strip_prefix(name).map(|rest| rest.trim_start_matches(['"', '\'']).trim_start());
    rest.is_some_and(|rest| rest.starts_with([':', '.']) || rest.starts_with('=') && !rest.starts_with("=="))
}
