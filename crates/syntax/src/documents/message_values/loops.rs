//! Lists of topics that a loop goes through: `for _, topic := range topics { consumer.Subscribe(topic) }`,
//! `for queue, handler in HANDLERS.items():`, `Object.keys(handlers).forEach((topic) => …)`.

mod collections;

use super::super::message_calls::split;
use collections::{Collection, ItemPart};

/// Maximum number of lines between a loop and a call in it.
const MAX_BODY_LINES: usize = 12;

/// Maximum number of lines of a list, or of a map of handlers.
const MAX_LIST_LINES: usize = 80;

/// Maximum length of a list, and of the line of a loop.
const MAX_LIST_BYTES: usize = 8_000;
const MAX_LINE_BYTES: usize = 2_000;

/// Maximum number of lines that are searched for a list.
const MAX_SEARCHED_LINES: usize = 2_000;

/// Words between the variables of a loop and its list; the first one is that of Go.
const SEPARATORS: [&str; 4] = [" range ", " of ", " in ", " : "];

/// Methods that call a closure with each item.
const METHODS: [&str; 5] = [".forEach", ".for_each", ".ForEach", ".map", ".each"];

/// A loop around a call.
#[derive(Debug, PartialEq)]
struct LoopHead<'t> {
    /// The list as written.
    list: &'t str,
    /// The position of the variable among those of the loop.
    position: usize,
    n_variables: usize,
    /// True if the variables are the parts of one item: `([topic, handler]) =>`, `for topic, handler in`.
    is_destructured: bool,
    /// True for a loop of Go, whose first variable is the index or the key.
    is_range: bool,
}

/// Returns the list that gives a name its values in a loop around a line: the text of the list, or its name if the file has no text.
pub(super) fn list_of(value: &str, lines: &[&str], index: usize) -> Option<String> {
    let name = &value[..value.find(|c: char| !is_part(c)).unwrap_or(value.len())];
    if name.is_empty() || value[name.len()..].starts_with(['.', '(', '[']) {
        return None;
    }
    let around = (index.saturating_sub(MAX_BODY_LINES)..=index).rev();
    // A closure may be on the line of the call.
    let head = around.filter_map(|at| head_of(lines[at], name, at == index)).next()?;
    let collection = Collection::of(head.list);
    match written(collection.written, lines) {
        Some(text) => match part_of(&head, collection.part, &text)? {
            ItemPart::Whole => Some(text),
            part => collections::parts(&text, part, collection.is_object),
        },
        // The list of another file has a name only.
        None => {
            let is_item = matches!((head.position, head.n_variables), (0, 1) | (1, 2)) && !head.is_destructured;
            let name = collections::first_expression(collection.written);
            (is_item && collection.part == ItemPart::Whole && !name.is_empty()).then(|| name.to_owned())
        }
    }
}

/// Returns the list that the keys or the values of a map make: `Object.keys(handlers)`.
pub(super) fn list_of_map(value: &str, lines: &[&str]) -> Option<String> {
    let collection = Collection::of(collections::first_expression(value));
    match collection.part {
        part @ (ItemPart::Key | ItemPart::Value) => {
            collections::parts(&written(collection.written, lines)?, part, collection.is_object)
        }
        _ => None,
    }
}

/// Returns the part of each item that a variable of a loop holds; `None` for the index of an item.
fn part_of(head: &LoopHead<'_>, part: ItemPart, text: &str) -> Option<ItemPart> {
    let of_pair = match head.position {
        0 => Some(ItemPart::Key),
        1 => Some(ItemPart::Value),
        _ => None,
    };
    match part {
        ItemPart::Pair => of_pair,
        ItemPart::Indexed => (head.position == 1).then_some(ItemPart::Whole),
        ItemPart::Whole if text.starts_with("map[") => of_pair,
        ItemPart::Whole if head.is_destructured && collections::is_map(text) => of_pair,
        ItemPart::Whole if head.is_destructured => Some(ItemPart::At(head.position)),
        ItemPart::Whole if head.n_variables == 1 && !head.is_range && collections::is_map(text) => Some(ItemPart::Key),
        // The first variable of Go is the index.
        ItemPart::Whole if head.is_range => (head.position == 1).then_some(ItemPart::Whole),
        part => (head.n_variables == 1).then_some(part),
    }
}

/// Returns the head of a loop with a variable of a name.
fn head_of<'t>(line: &'t str, name: &str, is_line_of_call: bool) -> Option<LoopHead<'t>> {
    if line.len() > MAX_LINE_BYTES {
        return None;
    }
    let of_closure = closure_over(line, name);
    // The parameter of a closure that ends on its line has no value after it.
    let is_open = line.contains(" do |") || line.matches(['(', '{']).count() > line.matches([')', '}']).count();
    if is_line_of_call { of_closure } else { loop_over(line, name).or(of_closure.filter(|_| is_open)) }
}

/// Returns the head of a loop statement.
fn loop_over<'t>(line: &'t str, name: &str) -> Option<LoopHead<'t>> {
    let line = line.trim();
    let line = line.strip_prefix("async ").unwrap_or(line);
    let rest = line.strip_prefix("foreach").or_else(|| line.strip_prefix("for"))?;
    rest.starts_with([' ', '(']).then_some(())?;
    let (variables, separator, list) = match rest.split_once(" as ") {
        // `foreach ($handlers as $topic => $handler)` of PHP has them the other way round.
        Some((list, variables)) if list.trim_start().starts_with("($") => {
            let variables = variables.trim_end_matches([' ', '{', ')', ':']);
            return variable_at(variables, "=>", name).map(|(position, n_variables)| LoopHead {
                list: list.trim_start().trim_start_matches('(').trim(),
                position: if n_variables == 1 { 0 } else { position },
                n_variables,
                is_destructured: n_variables > 1,
                is_range: false,
            });
        }
        _ => SEPARATORS.iter().find_map(|separator| {
            let (variables, list) = rest.split_once(separator)?;
            Some((variables, *separator, list))
        })?,
    };
    let list = list.trim().trim_end_matches([' ', '{', ':']);
    // The bracket of the loop itself.
    let is_closed = list.matches('(').count() < list.matches(')').count();
    let list = if is_closed { list.strip_suffix(')').unwrap_or(list) } else { list };
    let variables = variables.trim_end_matches([' ', '=', ':', ')', ']']);
    let (position, n_variables) = variable_at(variables, ",", name)?;
    let list = list.trim();
    let is_range = separator == SEPARATORS[0];
    let is_destructured = n_variables > 1 && !is_range;
    (!list.is_empty()).then_some(LoopHead { list, position, n_variables, is_destructured, is_range })
}

/// Returns the head of a closure that a method of a list calls: `topics.forEach((topic) => …`, `TOPICS.each do |topic|`.
fn closure_over<'t>(line: &'t str, name: &str) -> Option<LoopHead<'t>> {
    let (before, rest) = METHODS.iter().find_map(|method| {
        let mut each = line.match_indices(*method).map(|(at, _)| (&line[..at], &line[at + method.len()..]));
        // `this.mapper` has no such method.
        each.find(|(_, rest)| rest.starts_with(['(', '{', ' ']))
    })?;
    let rest = rest.trim_start_matches(['(', '{', ' ']);
    let parameters = match rest.strip_prefix("do |").or_else(|| rest.strip_prefix('|')) {
        Some(rest) => rest.split_once('|')?.0,
        None => rest.split_once("=>").or_else(|| rest.split_once("->"))?.0,
    };
    let parameters = parameters.trim().trim_start_matches("async").trim_start();
    let is_destructured = parameters.trim_start_matches('(').starts_with('[');
    let (position, n_variables) = variable_at(parameters, ",", name)?;
    let list = collections::last_expression(before);
    // The second parameter of a closure is the index.
    let is_item = is_destructured || position == 0;
    let n_variables = if is_destructured { n_variables } else { 1 };
    let head = LoopHead { list, position, n_variables, is_destructured, is_range: false };
    (is_item && !list.is_empty()).then_some(head)
}

/// Returns the position of a variable among those of a loop, and their number.
fn variable_at(variables: &str, separator: &str, name: &str) -> Option<(usize, usize)> {
    let of_part = |part: &str| {
        // `const topic`, `var (topic`, `String topic`: the name is the last word.
        let mut words = part.split(|c: char| !is_part(c)).filter(|word| !word.is_empty());
        words.next_back().map(str::to_owned)
    };
    let names: Vec<Option<String>> = variables.split(separator).map(of_part).collect();
    let position = names.iter().position(|one| one.as_deref() == Some(name))?;
    Some((position, names.len()))
}

/// Returns the text of a list that is written, or that a file assigns to a name.
pub(super) fn written(list: &str, lines: &[&str]) -> Option<String> {
    if list.starts_with(['[', '{']) || list.contains('(') || list.contains('{') {
        return Some(list.to_owned());
    }
    let list = &list[..list.find(|c: char| !is_part(c) && c != '.').unwrap_or(list.len())];
    let name = list.rsplit('.').next().filter(|last| !last.is_empty())?;
    assigned_list(name, lines)
}

/// Returns the text of the list that a file assigns to a name, without comments.
fn assigned_list(name: &str, lines: &[&str]) -> Option<String> {
    for (at, line) in lines.iter().enumerate().take(MAX_SEARCHED_LINES) {
        let Some(start) = line.find(name) else { continue };
        let (before, after) = (&line[..start], &line[start + name.len()..]);
        if before.ends_with(is_part) || after.starts_with(is_part) {
            continue;
        }
        let Some((declared, value)) = after.split_once('=') else { continue };
        let is_declaration = declared.trim().is_empty() || declared.trim_start().starts_with(':');
        if !is_declaration || value.len() > MAX_LIST_BYTES || !value.contains(['[', '{', '(']) {
            continue;
        }
        let mut text = value.trim().to_owned();
        for next in lines[at + 1..].iter().take(MAX_LIST_LINES) {
            let n_open = text.matches(['[', '{', '(']).count();
            if text.matches([']', '}', ')']).count() >= n_open || text.len() > MAX_LIST_BYTES {
                break;
            }
            let next = next.trim();
            if !next.starts_with('#') && !next.starts_with("//") {
                text.push(' ');
                text.push_str(next);
            }
        }
        return Some(text.trim_end_matches(';').to_owned());
    }
    None
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
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

    #[test]
    fn maps_and_closures_give_a_name_their_keys_or_items() {
        let python = "H = {\n  # orders\n  'a.b': on_a,\n  'c.d': on_c,\n}\n";
        let script = "const h = { 'a.b': onA, 'c.d': (m) => onC(m) }\n";
        let keys = Some("['a.b', 'c.d']");
        for (before, text, expected) in [
            (python, "for topic, f in H.items():\n  c.subscribe(topic)", keys),
            (python, "for topic in H:\n  c.subscribe(topic)", keys),
            (python, "for topic in H.keys():\n  c.subscribe(topic)", keys),
            (python, "for f, topic in H.items():\n  c.subscribe(topic)", Some("[on_a, on_c]")),
            ("P = [('a.b', on_a), ('c.d', on_c)]\n", "for (topic, f) in P:\n  c.subscribe(topic)", keys),
            ("P = ['a.b', 'c.d']\n", "for i, topic in enumerate(P):\n  c.subscribe(topic)", Some("['a.b', 'c.d']")),
            (script, "for (const [topic, f] of Object.entries(h)) {\n  c.subscribe(topic)", keys),
            (script, "Object.keys(h).forEach(async (topic) => {\n  c.subscribe(topic)", keys),
            (script, "Object.entries(h).map(([topic, f]) =>\n  c.subscribe(topic)", keys),
            ("", "await Promise.all(['a.b', 'c.d'].map((topic) => c.subscribe(topic)))", keys),
            ("T = ['a.b', 'c.d']\n", "T.each do |topic|\n  c.subscribe(topic)", keys),
            (
                "h := map[string]Handler{\"a.b\": onA, \"c.d\": onC}\n",
                "for topic, f := range h {\n  c.Subscribe(topic)",
                Some("[\"a.b\", \"c.d\"]"),
            ),
            (
                "$h = ['a.b' => $a, 'c.d' => $c];\n",
                "foreach ($h as $topic => $f) {\n  $c->subscribe($topic)",
                Some("['a.b', 'c.d']"),
            ),
            ("", "this.mapper.of(['a.b', 'c.d'].map((topic) =>\n  c.subscribe(topic)", keys),
            // Near misses: an index, the variable of another closure, a closure that ended, another method, and a map of another file.
            ("", "log(['a.b'].map((topic) => topic.length))\n  c.subscribe(topic)", None),
            ("", "['a.b'].mapper((topic) => {\n  c.subscribe(topic)", None),
            ("t := []string{\"a.b\"}\n", "for topic, x := range t {\n  c.Subscribe(topic)", None),
            (script, "['a.b'].forEach((x, topic) => {\n  c.subscribe(topic)", None),
            (script, "Object.keys(h).forEach((x) => {\n  c.subscribe(topic)", None),
            ("", "for topic, f in H.items():\n  c.subscribe(topic)", None),
        ] {
            let text = format!("{before}{text}");
            let lines: Vec<&str> = text.lines().collect();
            let name = if text.contains("$topic") { "$topic)" } else { "topic)" };
            assert_eq!(list_of(name, &lines, lines.len() - 1).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn the_keys_of_a_map_are_a_list() {
        for (text, value, expected) in [
            ("const h = { 'a.b': onA, 'c.d': onC }", "Object.keys(h) })", Some("['a.b', 'c.d']")),
            ("const h = { orders: f, [PAYS]: g }", "Object.keys(h) })", Some("['orders', PAYS]")),
            ("h = {'a.b': on_a}", "h.keys())", Some("['a.b']")),
            ("h = {'a.b': on_a}", "h)", None),
            ("", "Object.keys(h))", None),
        ] {
            assert_eq!(list_of_map(value, &[text]).as_deref(), expected, "{value}");
        }
    }
}
