//! Messages that code sends and receives, by the notations of the clients of brokers and of background jobs.

mod objects;
mod spring_beans;

use std::borrow::Cow;

use model::DocumentFormat;

use super::{
    builder::DraftDocument,
    marks::Marks,
    message_calls::{CallText, split},
    message_clients::{CLIENTS, MessageCall, MessageClient, TYPE_NAMES, endpoint},
    message_types::{message_types, type_name},
    message_values::{is_empty_text, pattern, values},
    outbox,
};

/// Maximum number of messages of one file.
const MAX_MESSAGES: usize = 500;

/// Maximum number of lines of one file with a notation of a client. Names in their calls are looked up in the whole file.
const MAX_LINES: usize = 1_000;

/// Maximum length of a line with a call.
pub(super) const MAX_LINE_BYTES: usize = 2_000;

/// Brokers whose clients send a message to the topic that the program computes.
const BROKERS: [&str; 6] = ["kafka", "rabbitmq", "servicebus", "nats", "redis", "dapr"];

/// Maximum number of arguments among which the constant of a topic is searched.
const MAX_NAMED_ARGUMENTS: usize = 3;

/// Maximum number of types that one call subscribes to.
const MAX_TYPES: usize = 20;

/// Ends of names that have the type of a message: in a `switch`, and beside a message that is sent.
const TYPE_SWITCHES: [&str; 4] = ["essageType", "ventType", "ventName", "essageName"];

/// Returns everything by which a file that uses a client is known.
pub(super) fn marks() -> impl Iterator<Item = &'static str> {
    CLIENTS.iter().flat_map(|client| client.marks).copied().chain(outbox::MARKS)
}

/// Reads the calls of a file of code. The key of an entry is the broker and `publish`, `consume` or `bind`; its value the topic,
/// `{env:NAME}` for a variable, `{name:NAME}` for a constant of another file.
///
/// With an exchange of RabbitMQ, the topic is `EXCHANGE/KEY`. The value of `bind` is `SUBSCRIPTION=TOPIC`.
pub(super) fn read(text: &str, marks: &Marks) -> DraftDocument {
    let mut document = DraftDocument::new(DocumentFormat::Messages);
    let is_used = |client: &&MessageClient| marks.has_any(client.marks) && client.is_in(text);
    let clients: Vec<&MessageClient> = CLIENTS.iter().copied().filter(is_used).collect();
    let has_outbox = marks.has_any(&outbox::MARKS);
    if clients.is_empty() && !has_outbox {
        return document;
    }
    let calls: Vec<Notation> = clients.iter().flat_map(|client| notations(client, text)).collect();
    let lines: Vec<&str> = text.lines().collect();
    let mut class = "";
    let mut is_type_switch = false;
    let (mut n_found, mut n_lines) = (0, 0);
    for (index, line) in lines.iter().enumerate() {
        let trimmed = line.trim_start();
        let is_comment = trimmed.starts_with("//") || trimmed.starts_with('#') || trimmed.starts_with("* ");
        if is_comment || line.len() > MAX_LINE_BYTES {
            continue;
        }
        let mut add = |key: &str, value: &str| {
            n_found += 1;
            document.add(None, key, value, index as u32 + 1);
        };
        let is_in = |one: &Notation| line.contains(&*one.text) || one.continued(&lines, index).is_some();
        let has_call = n_lines < MAX_LINES && calls.iter().any(is_in);
        n_lines += usize::from(has_call);
        let found = if has_call { calls_of_line(&calls, &lines, index) } else { Vec::new() };
        // `publisher.Publish(e.MessageType, e)`: the type of a message is its topic.
        let is_sent =
            |one: &Notation| one.client.broker == "bus" && one.direction == "publish" && line.contains(&*one.text);
        if has_call && calls.iter().any(is_sent) && TYPE_SWITCHES.iter().any(|name| has_argument(line, name)) {
            add("bus publish", "{type}");
        }
        if has_outbox && found.is_empty() {
            outbox::constants(line).iter().for_each(|constant| add("any publish", &format!("{{name:{constant}}}")));
            let written = outbox::written_topic(line).filter(|topic| is_compound(topic));
            written.into_iter().for_each(|topic| add("any publish", topic));
        }
        for found in found {
            add(&format!("{} {}", found.broker, found.direction), &found.topic);
        }
        if let Some(rest) = trimmed.strip_prefix("class ") {
            class = rest.split(|c: char| !c.is_alphanumeric() && c != ':' && c != '_').next().unwrap_or_default();
        }
        if let Some((direction, job)) = sidekiq_job(trimmed, class) {
            add(&format!("sidekiq {direction}"), job);
        }
        if marks.has("celery")
            && let Some(task) = celery_task(&lines, index)
        {
            add("celery consume", &format!("{{task:{task}}}"));
        }
        if clients.iter().any(|client| client.broker == "bus") {
            is_type_switch |= trimmed.starts_with("switch") && TYPE_SWITCHES.iter().any(|one| trimmed.contains(one));
            let handled = trimmed.strip_prefix("case ").filter(|_| is_type_switch);
            if let Some(handled) =
                handled.and_then(|case| values(case, &[], 0).into_iter().next()).filter(|one| type_name(one).is_some())
            {
                add("bus consume", &handled);
            }
        }
        if clients.iter().any(|client| BROKERS.contains(&client.broker))
            && TYPE_NAMES.iter().any(|name| line.contains(name))
        {
            add("bus publish", "{type}");
        }
        if n_found >= MAX_MESSAGES {
            break;
        }
    }
    document
}

/// Returns true if an argument of a line ends with a name and another argument follows.
fn has_argument(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| line[at + name.len()..].starts_with(','))
}

/// A notation of a client, and the direction of its messages.
struct Notation {
    client: &'static MessageClient,
    call: MessageCall,
    direction: &'static str,
    /// The text of the call up to its arguments: that of the table, or with another name of the object.
    text: Cow<'static, str>,
}

impl Notation {
    /// Returns true if a call begins before `start` of a line. Another name of an object is a whole name.
    fn may_begin(&self, line: &str, start: usize) -> bool {
        let is_of_table = matches!(self.text, Cow::Borrowed(_));
        is_of_table || !line[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_')
    }

    /// Returns the end of the name of a call whose object ends the line before: `this.client` and `.send('orders', order)`.
    fn continued(&self, lines: &[&str], index: usize) -> Option<usize> {
        let line = lines[index];
        let rest = line.trim_start();
        if !rest.starts_with('.') {
            return None;
        }
        let (object, _) = self.text.rsplit_once('.').filter(|(object, _)| !object.is_empty())?;
        let method = &self.text[object.len()..];
        let before = lines[..index].last()?.trim_end();
        let is_whole = rest.strip_prefix(method)?.starts_with(['(', '<']);
        let start = before.len().checked_sub(object.len())?;
        let is_object = before.ends_with(object) && self.may_begin(before, start);
        (is_whole && is_object).then_some(line.len() - rest.len() + method.len())
    }
}

/// Returns the notations of a client that occur in a text, with the names that objects of its types have there.
fn notations(client: &'static MessageClient, text: &str) -> Vec<Notation> {
    let directions = [(client.publishes, "publish"), (client.consumes, "consume"), (client.binds, "bind")];
    let all = directions.into_iter().flat_map(|(calls, direction)| calls.iter().map(move |call| (*call, direction)));
    let mut found = Vec::new();
    for (call, direction) in all.filter(|(call, _)| text.contains(call.requires)) {
        if text.contains(call.notation) || may_continue(text, call.notation) {
            found.push(Notation { client, call, direction, text: Cow::Borrowed(call.notation) });
        }
        let others = objects::names_of(text, call.notation).into_iter();
        let others = others.map(|name| format!("{name}{}", objects::method_of(call.notation)));
        let present = others.filter(|other| text.contains(other.as_str()));
        found.extend(present.map(|text| Notation { client, call, direction, text: Cow::Owned(text) }));
    }
    found
}

/// Returns true if a line ends with the object of a notation, whose method may begin the next one.
fn may_continue(text: &str, notation: &str) -> bool {
    let parts = notation.rsplit_once('.').filter(|(object, _)| !object.is_empty());
    parts.is_some_and(|(object, _)| text.contains(&format!("{object}\n")) || text.contains(&format!("{object}\r\n")))
}

/// A topic of a call.
#[derive(PartialEq)]
struct FoundTopic {
    broker: &'static str,
    direction: &'static str,
    topic: String,
}

/// Returns the topics of the calls of a line. The first notation that gives a call a topic wins.
fn calls_of_line(notations: &[Notation], lines: &[&str], index: usize) -> Vec<FoundTopic> {
    let line = lines[index];
    let mut found = Vec::new();
    let mut ends: Vec<usize> = Vec::new();
    for notation in notations {
        let begun = line.match_indices(&*notation.text).filter(|(at, _)| notation.may_begin(line, *at));
        let begun = begun.map(|(at, text)| at + text.len());
        for end in begun.chain(notation.continued(lines, index)) {
            if ends.contains(&end) {
                continue;
            }
            let mut topics = topics(notation, lines, index, end);
            // The same file may have routes of HTTP.
            topics.retain(|found| found.broker != "asynq" || !found.topic.starts_with('/'));
            if !topics.is_empty() {
                ends.push(end);
            }
            found.extend(topics.into_iter().filter(|topic| !found.contains(topic)).collect::<Vec<_>>());
        }
    }
    found
}

fn topics(notation: &Notation, lines: &[&str], index: usize, end: usize) -> Vec<FoundTopic> {
    let Some(call) = CallText::read(lines, index, end) else { return Vec::new() };
    let of = |direction: &'static str, topics: Vec<String>| -> Vec<FoundTopic> {
        let broker = notation.client.broker;
        topics.into_iter().map(|topic| FoundTopic { broker, direction, topic }).collect()
    };
    let arguments = Arguments::new(notation, &call, lines, index);
    let positional = call.positional();
    let typed = || match (type_name(call.type_argument), notation.direction) {
        (Some(name), _) => vec![name],
        // The arguments of an event of a user interface are no message.
        (None, "publish") => {
            let types = message_types(&positional, lines, index);
            types.into_iter().filter(|one| !one.ends_with("EventArgs")).collect()
        }
        _ => Vec::new(),
    };
    match (notation.call.roles, notation.direction) {
        ("Y", direction) => of(direction, typed()),
        ("G", direction) => of(direction, type_name(call.type_argument).into_iter().collect()),
        ("C", direction) => {
            let first = positional.first().copied().unwrap_or_default();
            let class = first.trim_matches('"').trim_end_matches(".class").trim_end_matches("::class");
            of(direction, type_name(class).into_iter().collect())
        }
        ("N", direction) => {
            let all = positional.iter().take(MAX_NAMED_ARGUMENTS).flat_map(|one| values(one, lines, index));
            of(direction, all.filter(|topic| is_name_of_topic(topic)).collect())
        }
        ("O", direction) => {
            let values = call.arguments.split("typeof(").skip(1);
            of(direction, values.take(MAX_TYPES).filter_map(type_name).collect())
        }
        ("L", direction) => {
            let all = positional.iter().take(MAX_NAMED_ARGUMENTS).flat_map(|one| values(one, lines, index));
            of(direction, all.filter(|topic| is_compound(topic)).collect())
        }
        ("M", direction) => {
            let first = positional.first().copied().unwrap_or_default();
            of(direction, pattern(first, lines, index))
        }
        ("U", direction) => {
            let found = positional.first().and_then(|uri| endpoint(uri, direction));
            found.map(|(broker, topic)| FoundTopic { broker, direction, topic }).into_iter().collect()
        }
        ("P", direction) => of(direction, parameter_type(&call.arguments).into_iter().collect()),
        (_, "bind") if notation.client.broker == "pubsub" => {
            let bound = arguments.first('S').zip(arguments.first('T')).map(|(to, topic)| format!("{to}={topic}"));
            of("bind", bound.into_iter().collect())
        }
        (_, "bind") => {
            let routed = arguments.routed();
            let bound = bound_queue(&arguments, lines, index, end);
            let bound = bound.iter().flat_map(|(queue, exchange)| {
                routed.iter().map(move |topic| match exchange {
                    Some(exchange) if !topic.contains('/') => format!("{queue}={exchange}/{topic}"),
                    _ => format!("{queue}={topic}"),
                })
            });
            let bound = bound.collect();
            of("consume", routed).into_iter().chain(of("bind", bound)).collect()
        }
        (_, direction) => {
            let mut certain = arguments.all('V');
            certain.retain(|topic| !names_variable(topic));
            let mut topics = [arguments.all('T'), arguments.all('Q'), certain].concat();
            if topics.is_empty() {
                topics = arguments.routed();
            }
            let setting = notation.call.setting;
            let named = topics.into_iter().map(|topic| match setting.is_empty() {
                true => topic,
                false => format!("{{env:{}}}|{topic}", setting.replace("{}", &topic)),
            });
            of(direction, named.collect())
        }
    }
}

/// Returns the queue that a call binds, and the exchange of Spring that only a bean names.
fn bound_queue(
    arguments: &Arguments<'_>,
    lines: &[&str],
    index: usize,
    end: usize,
) -> Option<(String, Option<String>)> {
    let written = arguments.first('Q').map(|queue| (queue, None));
    let (queue, exchange) = written.or_else(|| spring_beans::binding(lines, index, end))?;
    let queue = queue.split('|').next().unwrap_or_default().to_owned();
    // A variable may hold the name that the broker gives.
    let name = queue.strip_prefix("{name:").map(|name| name.trim_end_matches('}'));
    let is_constant = name.is_none_or(|name| name.contains('.') || !name.contains(|c: char| c.is_ascii_lowercase()));
    (is_constant && !queue.is_empty()).then_some((queue, exchange))
}

/// Returns true for a name that is not in capitals, which may be that of a function: `{name:onOrder}`.
fn names_variable(topic: &str) -> bool {
    let name = topic.strip_prefix("{name:").and_then(|name| name.rsplit('.').next());
    name.is_some_and(|name| name.contains(|c: char| c.is_ascii_lowercase()))
}

/// Returns true for a constant with a qualifier of which a word tells a topic: `{name:Topics.ORDERS}`, `{name:messaging.TopicOrders}`.
fn is_name_of_topic(topic: &str) -> bool {
    const WORDS: [&str; 5] = ["topic", "queue", "exchange", "subject", "routing"];
    let Some(name) = topic.strip_prefix("{name:").and_then(|rest| rest.strip_suffix('}')) else { return false };
    let lower = name.to_ascii_lowercase();
    name.contains('.') && WORDS.iter().any(|word| lower.contains(word))
}

/// Returns true for a text of several words that may name a topic beyond the program: `orders.created`, `order-created`.
fn is_compound(topic: &str) -> bool {
    let words = topic.split(['.', '-', '_', ':']).filter(|word| word.len() > 1);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':');
    // Components of a page tell each other of a new value by `update:`.
    topic.chars().all(is_plain) && words.count() > 1 && !topic.starts_with("update:")
}

/// Returns the type of the first parameter of a handler: `OrderPaid event`, and `event: OrderPaid` in Kotlin.
fn parameter_type(parameters: &str) -> Option<String> {
    let first = split(parameters).into_iter().next()?;
    let words = first.split_whitespace().filter(|word| !word.starts_with('@') && *word != "final");
    let whole: Vec<&str> = words.collect();
    match *whole.as_slice() {
        [name, written, ..] if name.ends_with(':') => type_name(written),
        [written, ..] => type_name(written),
        [] => None,
    }
}

/// The arguments of a call by role.
struct Arguments<'c> {
    values: Vec<(char, &'c str)>,
    lines: &'c [&'c str],
    /// The index of the line of the call.
    index: usize,
}

impl<'c> Arguments<'c> {
    fn new(notation: &Notation, call: &'c CallText<'_>, lines: &'c [&'c str], index: usize) -> Arguments<'c> {
        let named = notation.client.names.iter();
        let named = named.filter_map(|(name, role)| Some((*role, call.named(name)?)));
        let mut values: Vec<(char, &str)> = named.collect();
        let positional = call.positional();
        let alternatives = || notation.call.roles.split('|');
        let roles = alternatives().find(|roles| roles.len() == positional.len()).or_else(|| alternatives().next_back());
        let is_named = |role: char| role == '_' || values.iter().any(|(known, _)| *known == role);
        let by_position = roles.unwrap_or_default().chars().zip(positional).filter(|(role, _)| !is_named(*role));
        let by_position: Vec<(char, &str)> = by_position.collect();
        values.extend(by_position);
        Arguments { values, lines, index }
    }

    fn of(&self, role: char) -> Option<&'c str> {
        self.values.iter().find(|(one, _)| *one == role).map(|(_, value)| *value)
    }

    fn all(&self, role: char) -> Vec<String> {
        self.of(role).map_or_else(Vec::new, |value| values(value, self.lines, self.index))
    }

    fn first(&self, role: char) -> Option<String> {
        self.all(role).into_iter().next()
    }

    /// Returns the exchange and key of RabbitMQ: `EXCHANGE/KEY`, `EXCHANGE/` without a key, `KEY` for an exchange that is not known or the
    /// default one.
    fn routed(&self) -> Vec<String> {
        // A default would have to stand behind the whole.
        let plain = |topic: Option<String>| topic.map(|topic| topic.split('|').next().unwrap_or_default().to_owned());
        let exchange = plain(self.first('E'));
        let is_keyless = self.of('K').is_none_or(is_empty_text);
        match (exchange, plain(self.first('K'))) {
            (Some(exchange), Some(key)) => vec![format!("{exchange}/{key}")],
            (Some(exchange), None) if is_keyless => vec![format!("{exchange}/")],
            (None, Some(key)) => vec![key],
            _ => Vec::new(),
        }
    }
}

/// Returns a job of Sidekiq that a line enqueues or declares.
fn sidekiq_job<'t>(line: &'t str, class: &'t str) -> Option<(&'static str, &'t str)> {
    if line.starts_with("include Sidekiq::Worker") || line.starts_with("include Sidekiq::Job") {
        return Some(("consume", class)).filter(|(_, class)| !class.is_empty());
    }
    let at = [".perform_async", ".perform_in("].iter().find_map(|call| line.find(call))?;
    let is_before = |c: char| !c.is_alphanumeric() && c != ':' && c != '_';
    let start = line[..at].char_indices().rfind(|(_, c)| is_before(*c)).map_or(0, |(before, c)| before + c.len_utf8());
    Some(("publish", &line[start..at])).filter(|(_, job)| job.starts_with(|c: char| c.is_uppercase()))
}

/// Returns the function of a task of Celery without a name of its own.
fn celery_task<'t>(lines: &[&'t str], index: usize) -> Option<&'t str> {
    let decorator = lines[index].trim().strip_prefix('@')?;
    let name = decorator.split('(').next().unwrap_or(decorator);
    let is_task = matches!(name, "shared_task" | "task") || name.ends_with(".task");
    if !is_task || decorator.contains("name=") {
        return None;
    }
    let next = lines[index + 1..].iter().take(4).map(|line| line.trim()).find_map(|line| line.strip_prefix("def "))?;
    next.split('(').next()
}

#[cfg(test)]
mod tests;
