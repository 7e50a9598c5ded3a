//! The names of topics in arguments: texts, variables, and constants.

mod loops;
mod patterns;
mod reaching;

use super::{environment, message_calls::split, messages::MAX_LINE_BYTES};
use reaching::reaching;

pub(super) use patterns::pattern;

/// Maximum length of a topic.
const MAX_TOPIC_BYTES: usize = 200;

/// Maximum number of topics of one list.
const MAX_LIST_TOPICS: usize = 64;

/// Maximum number of lines that are searched for the value of a name.
const MAX_SEARCHED_LINES: usize = 5_000;

/// Maximum number of names and calls that are followed to a topic.
const MAX_DEPTH: u32 = 3;

/// Maximum number of different values that are followed for a name, and for a name in one of these values. Each search reads many lines.
const MAX_ALTERNATIVES: usize = 8;
const MAX_INNER_ALTERNATIVES: usize = 2;

/// Maximum number of arguments of a call that are followed, from the last one.
const MAX_CALL_ARGUMENTS: usize = 4;

/// Beginnings of lists, and of values that hold the topic.
const LISTS: [&str; 22] = [
    "new[] {",
    "new[]{",
    "[]string{",
    "List.of(",
    "listOf(",
    "setOf(",
    "arrayOf(",
    "Collections.singleton(",
    "List(",
    "Set(",
    "[] {",
    "[]{",
    "List<string> {",
    "Arrays.asList(",
    "Collections.singletonList(",
    "Set.of(",
    "Pattern.compile(",
    "@Queue(",
    "@Exchange(",
    "[",
    "{",
    "(",
];

/// Calls whose first text is the topic that their result stands for.
const TOPIC_CALLS: [&str; 8] = [
    ".topic(",
    ".Topic(",
    "topic_path(",
    "TopicName.of(",
    "subscription_path(",
    "SubscriptionName.of(",
    "RedisChannel.Literal(",
    "RedisChannel.Pattern(",
];

/// Calls that declare a queue and return it. Its first text is the name.
const DECLARED_QUEUES: [&str; 8] = [
    ".QueueDeclare(",
    ".QueueDeclareAsync(",
    ".assertQueue(",
    ".queue_declare(",
    ".queueDeclare(",
    ".declareQueue(",
    "hannel.queue(",
    ".declare_queue(",
];

/// Members of a declared queue that have its name.
const QUEUE_NAMES: [&str; 6] = [".Name", ".name", ".queue", ".QueueName", ".method.queue", ".getQueue"];

/// Returns the topics of a value in a line: a text, a list of texts, a variable of the environment, or a name.
pub(super) fn values(value: &str, lines: &[&str], index: usize) -> Vec<String> {
    values_of(value, lines, index, 0)
}

/// The list of a loop may be made of the variable of the loop, so the number of lists is limited.
fn values_of(value: &str, lines: &[&str], index: usize, depth: u32) -> Vec<String> {
    let value = value.trim_start_matches("new ").trim_start_matches(['&', '*']).trim_start();
    let value = value.strip_prefix("<").and_then(|rest| rest.split_once(">(")).map_or(value, |(_, rest)| rest);
    if let Some(rest) = LISTS.iter().find_map(|start| value.strip_prefix(start)) {
        let end = rest.find([']', '}', ')']).unwrap_or(rest.len());
        let items = split(&rest[..end]).into_iter().take(MAX_LIST_TOPICS);
        let items = items
            .map(|one| one.trim_start_matches("value = ").trim_start_matches("name = ").trim_start_matches("name: "));
        return items.filter_map(|one| topic(one, lines, index, 0)).collect();
    }
    let list = loops::list_of_map(value, lines).or_else(|| loops::list_of(value, lines, index));
    if let Some(list) = list.filter(|_| depth < MAX_DEPTH) {
        return values_of(&list, lines, index, depth + 1);
    }
    topic(value, lines, index, 0).into_iter().collect()
}

/// Returns true for a text without content.
pub(super) fn is_empty_text(value: &str) -> bool {
    let value = value.trim();
    value.starts_with("\"\"") || value.starts_with("''") || value == "string.Empty" || value.starts_with("``")
}

/// Returns the topic of a text or of a name that the file defines.
fn topic(value: &str, lines: &[&str], index: usize, depth: u32) -> Option<String> {
    if depth > MAX_DEPTH {
        return None;
    }
    let value = value.trim_start_matches(['&', '*', ' ']).trim();
    // Prefixes of texts: of bytes in Python, and of templates.
    let is_prefixed = |prefix: &str| value.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(['"', '\'']));
    let prefix = ["f", "b", "$", "@", "r"].into_iter().find(|prefix| is_prefixed(prefix)).unwrap_or_default();
    let value = &value[prefix.len()..];
    if let Some(quote) = value.chars().next().filter(|c| matches!(c, '"' | '\'' | '`')) {
        let (text, rest) = value[1..].split_once(quote)?;
        return match rest.trim_start().strip_prefix(['+', '.']) {
            // Addresses of AMQP 1.0 begin with the kind of the node.
            Some(rest) if text == "/queues/" => topic(rest, lines, index, depth + 1),
            // A part of the topic is computed.
            Some(_) => None,
            // A condition chooses the topic.
            None if rest.trim_start().starts_with("if ") => None,
            None => plain_topic(text.strip_prefix("/queues/").unwrap_or(text)),
        };
    }
    if let Some((name, default)) = environment::variable(value) {
        return Some(if default.is_empty() { format!("{{env:{name}}}") } else { format!("{{env:{name}}}|{default}") });
    }
    if let Some(name) = value.strip_prefix("nameof(") {
        return name.split(')').next().map(|name| name.rsplit('.').next().unwrap_or(name).to_owned());
    }
    if let Some(rest) = TOPIC_CALLS.iter().find_map(|call| value.split_once(call)).map(|(_, rest)| rest) {
        let texts = rest.split(')').next().unwrap_or_default().split(',');
        let mut last = texts.rev().take(MAX_CALL_ARGUMENTS);
        return last.find_map(|text| topic(text, lines, index, depth + 1)).filter(|_| depth < 3);
    }
    if let Some(queue) = declared_queue(value, lines, index, depth) {
        return queue.name();
    }
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':');
    let whole = &value[..value.find(|c: char| !is_part(c)).unwrap_or(value.len())];
    let name = whole.rsplit(['.', ':']).next().unwrap_or(whole);
    let is_name = name.len() > 1
        && name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && !value[whole.len()..].trim_start().starts_with(['(', '='])
        && !["? ", "if "].iter().any(|choice| value[whole.len()..].trim_start().starts_with(choice))
        && !matches!(name, "true" | "false" | "null" | "nil" | "None" | "this" | "self" | "async" | "function");
    if !is_name || depth > 2 {
        return None;
    }
    match assigned_topic(name, lines, index, depth) {
        Some(assigned) => assigned.name(),
        None => {
            let qualifier = whole.rsplit(['.', ':']).filter(|part| !part.is_empty()).nth(1).unwrap_or_default();
            let is_type =
                qualifier.starts_with(|c: char| c.is_ascii_uppercase()) || is_of_package(qualifier, name, lines);
            Some(if is_type { format!("{{name:{qualifier}.{name}}}") } else { format!("{{name:{name}}}") })
        }
    }
}

/// The topic that assignments give to a name.
enum AssignedTopic {
    /// All assignments that may reach the use give this topic.
    Known(String),
    /// They give several topics, or one that the text does not tell.
    Unknown,
}

impl AssignedTopic {
    /// Returns the topic on which assignments agree.
    fn agreed(topics: impl IntoIterator<Item = Option<String>>) -> AssignedTopic {
        let mut topics: Vec<Option<String>> = topics.into_iter().collect();
        topics.sort_unstable();
        topics.dedup();
        match &*topics {
            [Some(only)] => AssignedTopic::Known(only.clone()),
            _ => AssignedTopic::Unknown,
        }
    }

    /// Returns the topic of a name that has the first one always, and the other one in a block behind it that tests the name. A text that
    /// replaces an empty variable of the environment is its default.
    fn with_default(variable: Option<String>, default: Option<String>) -> Option<AssignedTopic> {
        let variable = variable.filter(|topic| topic.starts_with("{env:") && topic.ends_with('}'));
        let default = default.filter(|topic| !topic.starts_with('{'))?;
        Some(AssignedTopic::Known(format!("{}|{default}", variable?)))
    }

    fn name(self) -> Option<String> {
        match self {
            AssignedTopic::Known(topic) => Some(topic),
            AssignedTopic::Unknown => None,
        }
    }
}

/// Returns the topic that a file assigns to a name where a line uses it; `None` if it assigns none. If assignments before the line differ,
/// those that may reach it count.
fn assigned_topic(name: &str, lines: &[&str], index: usize, depth: u32) -> Option<AssignedTopic> {
    let lines_before = std::iter::once("").chain(lines.iter().copied());
    let all = lines.iter().zip(lines_before).take(MAX_SEARCHED_LINES).enumerate();
    let all = all.filter_map(|(at, (line, before))| Some((at, assigned(line, before, name)?)));
    // A line that assigns the name twice gives it one of two values.
    let is_twice = |value: &str| !value.starts_with("@Value") && is_assigned(value, name);
    let all = all.map(|(at, value)| (at, (!is_twice(value)).then(|| value.trim_end_matches([';', ',', ' ']))));
    let (places, values): (Vec<usize>, Vec<Option<&str>>) = all.unzip();
    let first = *values.first()?;
    let topic_of = |value: Option<&str>| topic(value?, lines, index, depth + 1);
    if values.iter().all(|value| *value == first) {
        return Some(AssignedTopic::agreed([topic_of(first)]));
    }
    let (mut reaching, has_base) = reaching(&places, lines, index);
    if let ([replacing, base], true) = (&*reaching, has_base)
        && is_tested(name, lines, places[*replacing])
    {
        let with_default = AssignedTopic::with_default(topic_of(values[*base]), topic_of(values[*replacing]));
        if with_default.is_some() {
            return with_default;
        }
    }
    if reaching.is_empty() {
        reaching = (0..places.len()).collect();
    }
    let mut different: Vec<Option<&str>> = reaching.into_iter().map(|at| values[at]).collect();
    different.sort_unstable();
    different.dedup();
    if different.len() > max_alternatives(depth) {
        return Some(AssignedTopic::Unknown);
    }
    Some(AssignedTopic::agreed(different.into_iter().map(topic_of)))
}

fn max_alternatives(depth: u32) -> usize {
    if depth == 0 { MAX_ALTERNATIVES } else { MAX_INNER_ALTERNATIVES }
}

/// Returns true if the line with an assignment, or the one before it, has the name in a condition.
fn is_tested(name: &str, lines: &[&str], at: usize) -> bool {
    let before = lines[..at].iter().rev().find(|line| !line.trim().is_empty());
    let is_condition = |line: &str| {
        let line = line.trim_start().trim_start_matches(['}', ' ']);
        line.starts_with("if") || line.starts_with("unless") || line.starts_with("when")
    };
    before.into_iter().chain([&lines[at]]).any(|line| is_condition(line) && line.contains(name))
}

/// Returns the name of a queue in the result of its declarations before a line: `q.Name` after `q, err := ch.QueueDeclare("jobs")`; `None`
/// if the value is not the name of a declared queue. Declarations of two names in two branches tell none.
fn declared_queue(value: &str, lines: &[&str], index: usize, depth: u32) -> Option<AssignedTopic> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let whole = &value[..value.find(|c: char| !is_part(c)).unwrap_or(value.len())];
    let holder = QUEUE_NAMES.iter().find_map(|end| whole.strip_suffix(end)).filter(|_| depth < 3)?;
    // A member may be set in any function.
    let n_after = if holder.contains('.') { MAX_SEARCHED_LINES } else { 0 };
    let searched = index.saturating_sub(MAX_SEARCHED_LINES)..lines.len().min(index + 1 + n_after);
    let declared = searched.map(|at| (at, declarations(lines[at], holder))).filter(|(_, found)| !found.is_empty());
    let (places, queues): (Vec<usize>, Vec<Vec<&str>>) = declared.unzip();
    let (mut reaching, _) = reaching(&places, lines, index);
    if reaching.is_empty() {
        reaching = (0..queues.len()).collect();
    }
    let texts = reaching.into_iter().flat_map(|at| queues[at].iter().copied());
    let mut texts: Vec<&str> = texts.filter_map(|text| text.split([',', ')']).next()).collect();
    texts.sort_unstable();
    texts.dedup();
    if texts.len() > max_alternatives(depth) {
        return Some(AssignedTopic::Unknown);
    }
    let topics: Vec<Option<String>> = texts.iter().map(|text| topic(text, lines, index, depth + 1)).collect();
    match AssignedTopic::agreed(topics.iter().cloned()) {
        // A queue that the broker names.
        AssignedTopic::Unknown if topics.iter().all(Option::is_none) => None,
        agreed => Some(agreed),
    }
}

/// Returns the arguments of the calls of a line that declare a queue and store the result under a name.
fn declarations<'t>(line: &'t str, holder: &str) -> Vec<&'t str> {
    if line.len() > MAX_LINE_BYTES {
        return Vec::new();
    }
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let calls = DECLARED_QUEUES.iter().flat_map(|call| line.match_indices(call));
    let declared = calls.filter_map(|(at, call)| {
        let statement = line[..at].rsplit([';', '{', '}']).next().unwrap_or_default();
        let names = statement.split_once('=').map_or(statement, |(names, _)| names);
        let is_same = names.split(|c: char| !is_part(c)).any(|name| name == holder);
        let arguments = &line[at + call.len()..];
        is_same.then(|| arguments.trim_start_matches("queue=").trim_start_matches("queue: "))
    });
    declared.collect()
}

/// Returns the text or variable that a line assigns to a name: `ORDERS = "orders"`, `topic := os.Getenv("TOPIC")`,
/// `@Value("${topic}") String topic`.
fn assigned<'t>(line: &'t str, before: &'t str, name: &str) -> Option<&'t str> {
    if line.len() > MAX_LINE_BYTES {
        return None;
    }
    let at = line.find(name)?;
    let is_word = !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let rest = &line[at + name.len()..];
    if !is_word || rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let injected = [line, before].into_iter().find_map(|text| text.find("@Value(\"${").map(|at| &text[at..]));
    if let Some(injected) = injected.filter(|_| !rest.trim_start().starts_with(['(', '.'])) {
        return Some(injected);
    }
    let rest = rest.trim_start();
    // `: string = "x"` declares a type.
    let rest = rest
        .strip_prefix(':')
        .filter(|rest| !rest.starts_with('='))
        .map_or(rest, |typed| typed.find('=').map_or(rest, |at| &typed[at..]));
    let value = rest.strip_prefix(":=").or_else(|| rest.strip_prefix('=')).or_else(|| rest.strip_prefix("string ="))?;
    let value = value.trim_start();
    let is_value = value.starts_with(['"', '\'', '`'])
        || is_constant_of_type(value)
        || TOPIC_CALLS.iter().any(|call| value.contains(call))
        || environment::variable(value).is_some();
    is_value.then_some(value)
}

/// Returns true if a text assigns to a name: `'orders' } else { topic = 'mails' }`.
fn is_assigned(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let is_word = !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let rest = text[at + name.len()..].trim_start();
        let rest = rest.strip_prefix(':').unwrap_or(rest);
        is_word && rest.starts_with('=') && !rest.starts_with("==") && !rest.starts_with("=>")
    })
}

/// Returns true for a constant of a type, which another file has: `TopicNames.ORDERS`.
fn is_constant_of_type(value: &str) -> bool {
    let value = value.trim_end_matches([';', ',', ' ']);
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let starts_upper = |part: &str| part.starts_with(|c: char| c.is_ascii_uppercase());
    let parts = || value.split('.');
    parts().count() == 2 && parts().all(|part| starts_upper(part) && part.chars().all(is_part))
}

/// Returns true for a name that a package of Go exports and that tells a topic: `messaging.TopicOrders`, where the file imports
/// `shop/messaging`.
fn is_of_package(qualifier: &str, name: &str, lines: &[&str]) -> bool {
    const WORDS: [&str; 4] = ["Topic", "Queue", "Subject", "Exchange"];
    let is_exported =
        name.starts_with(|c: char| c.is_ascii_uppercase()) && WORDS.iter().any(|word| name.contains(word));
    let end = format!("/{qualifier}\"");
    let imported = || lines.iter().take(MAX_SEARCHED_LINES).any(|line| line.trim_end().ends_with(&end));
    is_exported && !qualifier.is_empty() && imported()
}

/// Returns a topic without computed parts; that of `${x.y}` is a setting.
fn plain_topic(text: &str) -> Option<String> {
    // Defaults may have defaults.
    if text.len() > MAX_TOPIC_BYTES {
        return None;
    }
    let inner = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    let inner = inner.or_else(|| text.strip_prefix("#{'${").and_then(|rest| rest.split('}').next()));
    if let Some(inner) = inner {
        let (name, default) = inner.split_once(':').unwrap_or((inner, ""));
        let default = if default.is_empty() { String::new() } else { format!("|{}", plain_topic(default)?) };
        return Some(format!("{{env:{name}}}{default}"));
    }
    // `%QUEUE%` is a setting of a function.
    if let Some(name) = text.strip_prefix('%').and_then(|rest| rest.strip_suffix('%')) {
        return Some(format!("{{env:{name}}}")).filter(|_| name.chars().all(|c| c.is_alphanumeric() || c == '_'));
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-/:*>#+".contains(c);
    let is_topic = !text.is_empty() && text.chars().all(is_plain);
    (is_topic && text.chars().any(|c| c.is_ascii_alphabetic())).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_for_a_topic_ends() {
        let calls = format!("publish({}x)", "client.topic(".repeat(20_000));
        let nodes = format!("publish({}'x')", "'/queues/' + ".repeat(20_000));
        let settings = format!("publish('{}x{}')", "${a:".repeat(20_000), "}".repeat(20_000));
        for text in [
            "ms = m if isinstance(m, list) else [m]\nfor m in ms:\n  publish(m)",
            "for m in m:\n  publish(m)",
            "for (const a of b) {\nfor (const b of a) {\n  publish(a)",
            &calls,
            &nodes,
            &settings,
        ] {
            let lines: Vec<&str> = text.lines().collect();
            let index = lines.len() - 1;
            let (_, value) = lines[index].split_once("publish(").unwrap();
            assert_eq!(values(value, &lines, index), Vec::<String>::new(), "{}", text.get(..40).unwrap_or(text));
        }
    }

    #[test]
    fn many_values_of_a_name_are_not_followed() {
        let block = |line: &str, n: usize| format!("let q\nif (x) {{\n{}}}\n", line.repeat(n));
        let queues = block("  q = await ch.assertQueue(q.queue)\n", 2_000) + "publish(q.queue)";
        let one_line = format!("{}\npublish(q.queue)", "q = ch.assertQueue(q.queue), ".repeat(4_000));
        let topics: String =
            (0..3_000).map(|n| format!("  tt = c.topic(tt, tt, tt, tt, tt, \"a{n}\", tt)\n")).collect();
        let topics = format!("if (x) {{\n{topics}}}\npublish(tt)");
        for (text, n_names) in [(queues, 1), (one_line, 1), (topics, 0)] {
            let lines: Vec<&str> = text.lines().collect();
            let index = lines.len() - 1;
            let found = values(lines[index].split_once("publish(").unwrap().1, &lines, index);
            // Without the bounds, each takes hours.
            assert_eq!(found.len(), n_names, "{found:?}");
        }
    }

    #[test]
    fn a_loop_may_go_through_the_list_of_another_name() {
        let text = "all = ['a.b', 'c.d']\nfor one in all:\n  publish(one)";
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(values("one)", &lines, 2), ["a.b", "c.d"]);
    }
}
