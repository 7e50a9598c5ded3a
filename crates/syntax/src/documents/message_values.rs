//! The names of topics in arguments: texts, variables, constants, and types of messages.

use super::{environment, message_calls::split};

/// Maximum length of a topic.
const MAX_TOPIC_BYTES: usize = 200;

/// Maximum number of topics of one list.
const MAX_LIST_TOPICS: usize = 8;

/// Maximum number of lines before a message in which its variable is declared.
const MAX_DECLARATION_LINES: usize = 80;

/// Maximum number of lines of a statement that chooses between messages.
const MAX_STATEMENT_LINES: usize = 8;

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

/// Methods of a type that make an instance of it.
const FACTORIES: [&str; 6] = ["of", "create", "from", "new", "newBuilder", "builder"];

/// Returns the topics of a value: a text, a list of texts, a variable of the environment, or a name.
pub(super) fn values(value: &str, lines: &[&str]) -> Vec<String> {
    let value = value.trim_start_matches("new ").trim_start_matches(['&', '*']).trim_start();
    let value = value.strip_prefix("<").and_then(|rest| rest.split_once(">(")).map_or(value, |(_, rest)| rest);
    if let Some(rest) = LISTS.iter().find_map(|start| value.strip_prefix(start)) {
        let end = rest.find([']', '}', ')']).unwrap_or(rest.len());
        let items = split(&rest[..end]).into_iter().take(MAX_LIST_TOPICS);
        let items = items
            .map(|one| one.trim_start_matches("value = ").trim_start_matches("name = ").trim_start_matches("name: "));
        return items.filter_map(|one| topic(one, lines, 0)).collect();
    }
    topic(value, lines, 0).into_iter().collect()
}

/// Returns true for a text without content.
pub(super) fn is_empty_text(value: &str) -> bool {
    let value = value.trim();
    value.starts_with("\"\"") || value.starts_with("''") || value == "string.Empty" || value.starts_with("``")
}

/// Returns the topic of a text or of a name that the file defines.
fn topic(value: &str, lines: &[&str], depth: u32) -> Option<String> {
    let value = value.trim_start_matches(['&', '*', ' ']).trim();
    // Prefixes of texts: of bytes in Python, and of templates.
    let is_prefixed = |prefix: &str| value.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(['"', '\'']));
    let prefix = ["f", "b", "$", "@", "r"].into_iter().find(|prefix| is_prefixed(prefix)).unwrap_or_default();
    let value = &value[prefix.len()..];
    if let Some(quote) = value.chars().next().filter(|c| matches!(c, '"' | '\'' | '`')) {
        let (text, rest) = value[1..].split_once(quote)?;
        return match rest.trim_start().strip_prefix(['+', '.']) {
            // Addresses of AMQP 1.0 begin with the kind of the node.
            Some(rest) if text == "/queues/" => topic(rest, lines, depth + 1),
            // A part of the topic is computed.
            Some(_) => None,
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
        return texts.filter_map(|text| topic(text, lines, depth + 1)).next_back().filter(|_| depth < 3);
    }
    if let Some(queue) = declared_queue(value, lines, depth) {
        return Some(queue);
    }
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':');
    let whole = &value[..value.find(|c: char| !is_part(c)).unwrap_or(value.len())];
    let name = whole.rsplit(['.', ':']).next().unwrap_or(whole);
    let is_name = name.len() > 1
        && name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && !value[whole.len()..].trim_start().starts_with(['(', '='])
        && !matches!(name, "true" | "false" | "null" | "nil" | "None" | "this" | "self" | "async" | "function");
    if !is_name || depth > 2 {
        return None;
    }
    let lines_before = std::iter::once("").chain(lines.iter().copied());
    let assigned = lines.iter().zip(lines_before).take(5_000).find_map(|(line, before)| assigned(line, before, name));
    match assigned {
        Some(assigned) => topic(assigned, lines, depth + 1),
        None => {
            let qualifier = whole.rsplit(['.', ':']).filter(|part| !part.is_empty()).nth(1).unwrap_or_default();
            let is_type = qualifier.starts_with(|c: char| c.is_ascii_uppercase());
            Some(if is_type { format!("{{name:{qualifier}.{name}}}") } else { format!("{{name:{name}}}") })
        }
    }
}

/// Returns the name of a queue that the file declares, in the result of the declaration: `q.Name` after `q, err := ch.QueueDeclare("jobs")`.
fn declared_queue(value: &str, lines: &[&str], depth: u32) -> Option<String> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let whole = &value[..value.find(|c: char| !is_part(c)).unwrap_or(value.len())];
    let holder = QUEUE_NAMES.iter().find_map(|end| whole.strip_suffix(end)).filter(|_| depth < 3)?;
    let declared = lines.iter().take(5_000).find_map(|line| {
        let (before, arguments) = DECLARED_QUEUES.iter().find_map(|call| line.split_once(call))?;
        let names = before.split_once('=').map_or(before, |(names, _)| names);
        let is_same = names.split(|c: char| !is_part(c)).any(|name| name == holder);
        is_same.then(|| arguments.trim_start_matches("queue=").trim_start_matches("queue: "))
    })?;
    topic(declared.split([',', ')']).next()?, lines, depth + 1)
}

/// Returns the text or variable that a line assigns to a name: `ORDERS = "orders"`, `topic := os.Getenv("TOPIC")`,
/// `@Value("${topic}") String topic`.
fn assigned<'t>(line: &'t str, before: &'t str, name: &str) -> Option<&'t str> {
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
        || TOPIC_CALLS.iter().any(|call| value.contains(call))
        || environment::variable(value).is_some();
    is_value.then_some(value)
}

/// Returns a topic without computed parts; that of `${x.y}` is a setting.
fn plain_topic(text: &str) -> Option<String> {
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
    let is_topic = !text.is_empty() && text.len() <= MAX_TOPIC_BYTES && text.chars().all(is_plain);
    (is_topic && text.chars().any(|c| c.is_ascii_alphabetic())).then(|| text.to_owned())
}

/// Returns the types of a message among arguments: that of `new OrderPaid(…)`, or those that the lines before give to a variable.
pub(super) fn message_types(arguments: &[&str], lines: &[&str], index: usize) -> Vec<String> {
    let of_arguments = arguments.iter().take(3).map(|argument| {
        let argument = argument.trim();
        if let Some(created) = argument.strip_prefix("new ") {
            return type_name(created).into_iter().collect();
        }
        // `OrderPaid(…)` constructs a message in Kotlin and Python.
        let made = factory_type(argument).or_else(|| type_name(argument).filter(|_| argument.contains('(')));
        match made {
            Some(made) => vec![made],
            None => types_of_variable(argument, lines, index),
        }
    });
    of_arguments.into_iter().find(|types: &Vec<String>| !types.is_empty()).unwrap_or_default()
}

/// Returns the types that the lines before a message give to its variable, back to its declaration.
fn types_of_variable(argument: &str, lines: &[&str], index: usize) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let name = argument.trim_start_matches('@');
    let mut types: Vec<String> = Vec::new();
    if name.is_empty() || !name.chars().all(is_part) {
        return types;
    }
    for at in (index.saturating_sub(MAX_DECLARATION_LINES)..=index).rev() {
        let declared = declared_type(lines[at], name).filter(|one| !one.ends_with("Exception"));
        let created = created_types(lines, at, name);
        let given: Vec<String> = if created.len() > 1 { created } else { declared.into_iter().collect() };
        if given.is_empty() {
            continue;
        }
        types.extend(given.into_iter().filter(|one| !types.contains(one)).collect::<Vec<_>>());
        let is_assignment = lines[at].trim_start().strip_prefix(name).is_some_and(|rest| !rest.starts_with(is_part));
        if !is_assignment {
            break;
        }
    }
    // The declaration of a variable may have a base type alone.
    let is_base = |one: &String| types.iter().any(|other| other != one && other.ends_with(one.as_str()));
    types.iter().filter(|one| !is_base(one)).cloned().collect()
}

/// Returns the types that the values of a variable may have, which a line assigns: both of `paid ? new OrderPaid() : new OrderFailed()`.
fn created_types(lines: &[&str], index: usize, name: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let assigned = lines[index].match_indices(name).filter_map(|(at, _)| {
        let after = lines[index][at + name.len()..].trim_start();
        let is_assigned = !lines[index][..at].ends_with(is_part) && after.starts_with('=') && !after.starts_with("==");
        is_assigned.then_some(after)
    });
    assigned.flat_map(|value| chosen_types(value, &lines[index + 1..])).collect()
}

/// Returns the types between which a value chooses. One that is created within brackets is a part of the message.
fn chosen_types(value: &str, following: &[&str]) -> Vec<String> {
    let mut types = Vec::new();
    let (mut depth, mut before, mut before_brackets, mut quote) = (0_u32, ' ', ' ', None);
    let is_choice = |c: char| matches!(c, '=' | '?' | ':');
    for line in std::iter::once(&value).chain(following).take(MAX_STATEMENT_LINES) {
        // Without a semicolon, a statement goes on behind an operator and before one.
        let is_continued = depth > 0 || before == ' ' || is_choice(before);
        if !is_continued && !line.trim_start().starts_with(['?', ':']) {
            break;
        }
        for (at, c) in line.char_indices() {
            match c {
                _ if quote.is_some() => quote = quote.filter(|quote| *quote != c),
                '"' | '\'' | '`' => quote = Some(c),
                '(' | '[' | '{' => {
                    before_brackets = if depth == 0 { before } else { before_brackets };
                    depth += 1;
                }
                ')' | ']' | '}' if depth == 0 => return types,
                ')' | ']' | '}' => depth -= 1,
                ';' if depth == 0 => return types,
                // A cast may precede: `(Event)new OrderPaid()`.
                'n' if depth == 0 && (is_choice(before) || before == ')' && is_choice(before_brackets)) => {
                    types.extend(line[at..].strip_prefix("new ").and_then(type_name));
                }
                _ => {}
            }
            before = if c.is_whitespace() { before } else { c };
        }
        quote = None;
    }
    types
}

/// Returns the type that a line gives to a variable: `var e = new OrderPaid(…)`, `OrderPaid e`, `e = OrderPaid(…)`.
fn declared_type(line: &str, name: &str) -> Option<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(name).find_map(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + name.len()..]);
        if before.ends_with(is_part) || after.starts_with(is_part) {
            return None;
        }
        if let Some(value) = after.trim_start().strip_prefix('=').filter(|rest| !rest.starts_with('=')) {
            let value = value.trim_start().trim_start_matches("await ");
            let is_constructor = value.contains('(') && value.starts_with(|c: char| c.is_ascii_uppercase());
            let created = value.strip_prefix("new ").or_else(|| Some(value).filter(|_| is_constructor));
            return factory_type(value).or_else(|| created.and_then(type_name)).or_else(|| converted_type(value));
        }
        let written = before.trim_end().rsplit(|c: char| !is_part(c) && c != '.').next()?;
        type_name(written).filter(|_| before.ends_with(' '))
    })
}

/// Returns the type whose method makes a value: `OrderPaid` of `OrderPaid.Of(order)`.
fn factory_type(value: &str) -> Option<String> {
    let (class, name) = value.split('(').next().filter(|called| called.len() < value.len())?.rsplit_once('.')?;
    let is_factory = FACTORIES.iter().any(|one| name.eq_ignore_ascii_case(one));
    type_name(class).filter(|_| is_factory && class.starts_with(|c: char| c.is_ascii_uppercase()))
}

/// Returns the type that a value is converted to: `OrderPaid` of `order.Adapt<OrderPaid>()` and of `order.MapToOrderPaid()`.
fn converted_type(value: &str) -> Option<String> {
    if let Some((before, _)) = value.rsplit_once(">(") {
        return before.rsplit_once('<').and_then(|(_, name)| type_name(name));
    }
    let method = value.split('(').next()?.rsplit('.').next()?;
    ["MapTo", "To", "to"].iter().find_map(|prefix| method.strip_prefix(prefix)).and_then(type_name)
}

/// Returns the name of a type at the start of a text; it begins with a capital.
pub(super) fn type_name(text: &str) -> Option<String> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let whole = &text[..text.find(|c: char| !is_part(c)).unwrap_or(text.len())];
    let name = whole.rsplit('.').next()?;
    let is_type =
        name.len() > 3 && name.starts_with(|c: char| c.is_ascii_uppercase()) && name.contains(char::is_lowercase);
    is_type.then(|| name.to_owned())
}
