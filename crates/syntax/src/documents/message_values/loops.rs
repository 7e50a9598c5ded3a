//! Lists of topics that a loop goes through: `for _, topic := range topics { consumer.Subscribe(topic) }`.

/// Maximum number of lines between a loop and a call in it.
const MAX_BODY_LINES: usize = 12;

/// Maximum number of lines of a list.
const MAX_LIST_LINES: usize = 20;

/// Maximum number of lines that are searched for a list.
const MAX_SEARCHED_LINES: usize = 2_000;

/// Words between the variable of a loop and its list.
const SEPARATORS: [&str; 4] = [" range ", " of ", " in ", " : "];

/// Returns the list that gives a name its values in a loop around a line: the text of the list, or its name if the file has no text.
pub(super) fn list_of(value: &str, lines: &[&str], index: usize) -> Option<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let name = &value[..value.find(|c: char| !is_part(c)).unwrap_or(value.len())];
    if name.is_empty() || value[name.len()..].starts_with(['.', '(', '[']) {
        return None;
    }
    let around = (index.saturating_sub(MAX_BODY_LINES)..index).rev();
    let list = around.filter_map(|at| loop_over(lines[at], name)).next()?;
    let items = list.starts_with(['[', '{']) || list.contains('(') || list.contains('{');
    if items {
        return Some(list.to_owned());
    }
    let list = &list[..list.find(|c: char| !is_part(c) && c != '.').unwrap_or(list.len())];
    let written = list.rsplit('.').next().filter(|last| !last.is_empty())?;
    Some(assigned_list(written, lines).unwrap_or_else(|| list.to_owned()))
}

/// Returns the list of a loop with a variable of a name.
fn loop_over<'t>(line: &'t str, name: &str) -> Option<&'t str> {
    let line = line.trim();
    let rest = line.strip_prefix("for").or_else(|| line.strip_prefix("foreach"))?;
    rest.starts_with([' ', '(', 'e']).then_some(())?;
    let (before, after) = SEPARATORS.iter().find_map(|separator| rest.split_once(separator))?;
    let is_variable = before.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').any(|word| word == name);
    let list = after.trim().trim_end_matches([' ', '{', ':']);
    // The bracket of the loop itself.
    let is_closed = list.matches('(').count() < list.matches(')').count();
    let list = if is_closed { list.strip_suffix(')').unwrap_or(list) } else { list };
    (is_variable && !list.is_empty()).then_some(list.trim())
}

/// Returns the text of the list that a file assigns to a name.
fn assigned_list(name: &str, lines: &[&str]) -> Option<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    for (at, line) in lines.iter().enumerate().take(MAX_SEARCHED_LINES) {
        let Some(start) = line.find(name) else { continue };
        let (before, after) = (&line[..start], &line[start + name.len()..]);
        if before.ends_with(is_part) || after.starts_with(is_part) {
            continue;
        }
        let Some((declared, value)) = after.split_once('=') else { continue };
        let is_declaration = declared.trim().is_empty() || declared.trim_start().starts_with(':');
        if !is_declaration || !value.contains(['[', '{', '(']) {
            continue;
        }
        let mut text = value.trim().to_owned();
        for next in lines[at + 1..].iter().take(MAX_LIST_LINES) {
            let n_open = text.matches(['[', '{', '(']).count();
            if text.matches([']', '}', ')']).count() >= n_open {
                break;
            }
            text.push(' ');
            text.push_str(next.trim());
        }
        return Some(text.trim_end_matches(';').to_owned());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_gives_a_name_the_items_of_its_list() {
        for (text, expected) in [
            (
                "topics := []string{\n  \"orders\",\n  \"pays\",\n}\nfor _, topic := range topics {\n  c.Subscribe(topic)",
                Some("[]string{ \"orders\", \"pays\", }"),
            ),
            ("for topic in [\"orders\", \"pays\"]:\n  c.subscribe(topic)", Some("[\"orders\", \"pays\"]")),
            ("const all = ['a.b'];\nfor (const topic of all) {\n  c.subscribe(topic)", Some("['a.b']")),
            ("foreach (var topic in topics)\n  c.Subscribe(topic)", Some("topics")),
            ("for _, other := range topics {\n  c.Subscribe(topic)", None),
            ("format(topic in topics)\n  c.Subscribe(topic)", None),
        ] {
            let lines: Vec<&str> = text.lines().collect();
            assert_eq!(list_of("topic)", &lines, lines.len() - 1).as_deref(), expected, "{text}");
        }
    }
}
