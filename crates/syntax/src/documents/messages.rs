//! Messages that code sends and receives, by the notations of the clients of brokers and of background jobs.

use model::DocumentFormat;

use super::{
    builder::DraftDocument,
    marks::Marks,
    message_clients::{CLIENTS, MessageClient},
};

/// Maximum number of lines of a call.
const MAX_CALL_LINES: usize = 12;

/// Maximum length of a topic.
const MAX_TOPIC_BYTES: usize = 200;

/// Maximum number of messages of one file.
const MAX_MESSAGES: usize = 500;

/// Returns everything by which a file that uses a client is known.
pub(super) fn marks() -> impl Iterator<Item = &'static str> {
    CLIENTS.iter().flat_map(|client| client.marks).copied()
}

/// Reads the calls of a file of code. The key of an entry is the broker and `publish` or `consume`; its value the topic,
/// `{env:NAME}` for a variable, `{name:NAME}` for a constant of another file.
pub(super) fn read(text: &str, marks: &Marks) -> DraftDocument {
    let mut document = DraftDocument::new(DocumentFormat::Messages);
    let clients: Vec<&MessageClient> = CLIENTS.iter().filter(|client| marks.has_any(client.marks)).collect();
    if clients.is_empty() {
        return document;
    }
    let lines: Vec<&str> = text.lines().collect();
    let mut class = "";
    let mut n_found = 0;
    for (index, line) in lines.iter().enumerate() {
        let trimmed = line.trim_start();
        if trimmed.starts_with("//") || trimmed.starts_with('#') || trimmed.starts_with("* ") || line.len() > 2_000 {
            continue;
        }
        for client in &clients {
            for (notations, direction) in [(client.publishes, "publish"), (client.consumes, "consume")] {
                let Some(start) = notations.iter().find_map(|one| line.find(one).map(|at| at + one.len())) else {
                    continue;
                };
                for topic in topics(client, &lines, index, start) {
                    n_found += 1;
                    document.add(None, &format!("{} {direction}", client.broker), &topic, index as u32 + 1);
                }
            }
        }
        if let Some(rest) = trimmed.strip_prefix("class ") {
            class = rest.split(|c: char| !c.is_alphanumeric() && c != ':' && c != '_').next().unwrap_or_default();
        }
        if let Some((direction, job)) = sidekiq_job(trimmed, class) {
            document.add(None, &format!("sidekiq {direction}"), job, index as u32 + 1);
        }
        if let Some(task) = celery_task(&lines, index) {
            document.add(None, "celery consume", &format!("{{task:{task}}}"), index as u32 + 1);
        }
        if n_found >= MAX_MESSAGES {
            break;
        }
    }
    document
}

/// Returns the topics of the call that begins at a place.
fn topics(client: &MessageClient, lines: &[&str], index: usize, start: usize) -> Vec<String> {
    let call = call_text(lines, index, start);
    let named = client.arguments.iter().find_map(|name| after_argument(&call, name));
    let values: Vec<&str> = match named {
        Some(value) => vec![value],
        None if client.broker == "celery" => {
            call.starts_with(['"', '\'']).then_some(call.as_str()).into_iter().collect()
        }
        None => {
            let arguments = arguments(&call).into_iter();
            let arguments =
                arguments.skip_while(|one| matches!(*one, "ctx" | "context" | "context.Background()" | "r.Context()"));
            // An exchange may stand before the queue; elsewhere the topic is the first argument.
            arguments.take(if client.broker == "rabbitmq" { 3 } else { 1 }).collect()
        }
    };
    values.into_iter().flat_map(|value| values_of(value, lines)).collect()
}

/// Returns the text of a call up to its closing bracket.
fn call_text(lines: &[&str], index: usize, start: usize) -> String {
    let mut text = String::new();
    let mut depth = 1i32;
    let first = &lines[index][start..];
    let rest = lines[index + 1..].iter().take(MAX_CALL_LINES).copied();
    for line in std::iter::once(first).chain(rest) {
        for c in line.chars() {
            match c {
                '(' | '{' | '[' => depth += 1,
                ')' | '}' | ']' => depth -= 1,
                _ => {}
            }
            if depth <= 0 || text.len() > 2_000 {
                return text;
            }
            text.push(c);
        }
        text.push(' ');
    }
    text
}

/// Returns the text after `name:`, `name =` or `name(` in a call.
fn after_argument<'t>(call: &'t str, name: &str) -> Option<&'t str> {
    for (at, _) in call.match_indices(name) {
        let is_start = !call[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
        let rest = call[at + name.len()..].trim_start();
        let has_operator = rest.starts_with([':', '=']) && !rest.starts_with("==") || name.ends_with([':', '>']);
        let rest = rest.trim_start_matches([':', '=', '>']).trim_start();
        if is_start && has_operator {
            return Some(rest);
        }
    }
    None
}

/// Splits a call at its outer commas.
fn arguments(call: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut depth, mut start) = (0i32, 0);
    for (at, c) in call.char_indices() {
        match c {
            '(' | '{' | '[' | '<' => depth += 1,
            ')' | '}' | ']' | '>' => depth -= 1,
            ',' if depth <= 0 => {
                found.push(call[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(call[start..].trim());
    found
}

/// Returns the topics of a value: a text, a list of texts, a variable of the environment, or a name.
fn values_of(value: &str, lines: &[&str]) -> Vec<String> {
    let value = value.trim_start_matches("new ").trim_start_matches(['&', '*']).trim_start();
    let value = value.strip_prefix("<").and_then(|rest| rest.split_once(">(")).map_or(value, |(_, rest)| rest);
    let opening = [
        "[]string{",
        "List.of(",
        "listOf(",
        "setOf(",
        "Collections.singleton(",
        "List(",
        "Set(",
        "[] {",
        "[]{",
        "List<string> {",
        "Arrays.asList(",
        "Collections.singletonList(",
        "Set.of(",
        "[",
        "{",
        "(",
    ];
    if let Some(rest) = opening.iter().find_map(|start| value.strip_prefix(start)) {
        let end = rest.find([']', '}', ')']).unwrap_or(rest.len());
        return arguments(&rest[..end]).into_iter().take(8).filter_map(|one| topic(one, lines, 0)).collect();
    }
    topic(value, lines, 0).into_iter().collect()
}

/// Returns the topic of a text or of a name that the file defines.
fn topic(value: &str, lines: &[&str], depth: u32) -> Option<String> {
    let value = value.trim_start_matches(['&', '*', ' ', 'f']).trim();
    if let Some(quote) = value.chars().next().filter(|c| matches!(c, '"' | '\'' | '`')) {
        let text = value[1..].split(quote).next()?;
        return plain_topic(text);
    }
    if let Some((name, default)) = super::environment::variable(value) {
        return Some(if default.is_empty() { format!("{{env:{name}}}") } else { format!("{{env:{name}}}|{default}") });
    }
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':');
    let whole = &value[..value.find(|c: char| !is_part(c)).unwrap_or(value.len())];
    let name = whole.rsplit(['.', ':']).next().unwrap_or(whole);
    let is_name = name.len() > 1
        && name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && !value[whole.len()..].starts_with('(');
    if !is_name || depth > 2 {
        return None;
    }
    let assigned = lines.iter().take(5_000).find_map(|line| assigned(line, name));
    match assigned {
        Some(assigned) => topic(assigned, lines, depth + 1),
        None => Some(format!("{{name:{name}}}")),
    }
}

/// Returns the text or variable that a line assigns to a name: `ORDERS = "orders"`, `topic := os.Getenv("TOPIC")`,
/// `@Value("${topic}") String topic`.
fn assigned<'t>(line: &'t str, name: &str) -> Option<&'t str> {
    let at = line.find(name)?;
    let is_word = !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let rest = &line[at + name.len()..];
    if !is_word || rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
        return None;
    }
    if line.contains("@Value(\"${") {
        return line.find("@Value").map(|at| &line[at..]);
    }
    let rest = rest.trim_start();
    // `: string = "x"` declares a type.
    let rest = rest
        .strip_prefix(':')
        .filter(|rest| !rest.starts_with('='))
        .map_or(rest, |typed| typed.find('=').map_or(rest, |at| &typed[at..]));
    let value = rest.strip_prefix(":=").or_else(|| rest.strip_prefix('=')).or_else(|| rest.strip_prefix("string ="))?;
    let value = value.trim_start();
    let is_value = value.starts_with(['"', '\'', '`']) || super::environment::variable(value).is_some();
    is_value.then_some(value)
}

/// Returns a topic without computed parts; that of `${x.y}` is a setting.
fn plain_topic(text: &str) -> Option<String> {
    if let Some(inner) = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')) {
        let (name, default) = inner.split_once(':').unwrap_or((inner, ""));
        let default = if default.is_empty() { String::new() } else { format!("|{}", plain_topic(default)?) };
        return Some(format!("{{env:{name}}}{default}"));
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-/:*>#".contains(c);
    let is_topic = !text.is_empty() && text.len() <= MAX_TOPIC_BYTES && text.chars().all(is_plain);
    (is_topic && text.chars().any(|c| c.is_ascii_alphabetic())).then(|| text.to_owned())
}

/// Returns a job of Sidekiq that a line enqueues or declares.
fn sidekiq_job<'t>(line: &'t str, class: &'t str) -> Option<(&'static str, &'t str)> {
    if line.starts_with("include Sidekiq::Worker") || line.starts_with("include Sidekiq::Job") {
        return Some(("consume", class)).filter(|(_, class)| !class.is_empty());
    }
    let at = [".perform_async", ".perform_in("].iter().find_map(|call| line.find(call))?;
    let start = line[..at].rfind(|c: char| !c.is_alphanumeric() && c != ':' && c != '_').map_or(0, |before| before + 1);
    Some(("publish", &line[start..at])).filter(|(_, job)| job.starts_with(|c: char| c.is_uppercase()))
}

/// Returns the function of a task of Celery without a name of its own.
fn celery_task<'t>(lines: &[&'t str], index: usize) -> Option<&'t str> {
    let line = lines[index].trim();
    let is_task = line.starts_with("@shared_task") || line.starts_with("@app.task") || line.starts_with("@celery.task");
    if !is_task || line.contains("name=") {
        return None;
    }
    let next = lines[index + 1..].iter().take(4).map(|line| line.trim()).find_map(|line| line.strip_prefix("def "))?;
    next.split('(').next()
}
