//! Topics of messages that code stores in an outbox, from which another part of the program sends them: the constants of topics in a file
//! that has one.

/// A file with one of these stores messages in an outbox.
pub(super) const MARKS: [&str; 2] = ["outbox", "Outbox"];

/// Maximum number of constants of one line.
const MAX_CONSTANTS: usize = 4;

/// Words in the names of types whose constants are topics.
const WORDS: [&str; 4] = ["Topic", "Queue", "Exchange", "Subject"];

/// Parts of lines that compare, import or receive.
const NON_SENDING_PARTS: [&str; 10] =
    ["==", "!=", "import ", " from ", "case ", "ubscri", "onsum", "istener", "Pattern(", ".equals("];

/// Returns the constants of topics in a line, as `Topics.ORDERS`. A type declares its fields with a semicolon: `topic: Topics.ORDERS;`.
pub(super) fn constants(line: &str) -> Vec<&str> {
    let trimmed = line.trim();
    let is_declaration = trimmed.ends_with(';') && !trimmed.contains('(') && !trimmed.contains('=');
    if is_declaration || trimmed.starts_with('@') || NON_SENDING_PARTS.iter().any(|other| trimmed.contains(other)) {
        return Vec::new();
    }
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let names = trimmed.split(|c: char| !is_part(c)).filter_map(|name| {
        let start = name.rfind('.').and_then(|dot| name[..dot].rfind('.')).map_or(0, |dot| dot + 1);
        let (holder, constant) = name[start..].split_once('.')?;
        let is_holder =
            holder.starts_with(|c: char| c.is_ascii_uppercase()) && WORDS.iter().any(|word| holder.contains(word));
        let is_constant = constant.len() > 1 && constant.starts_with(|c: char| c.is_ascii_uppercase());
        (is_holder && is_constant).then_some(&name[start..])
    });
    names.take(MAX_CONSTANTS).collect()
}

/// Returns the text that a line gives the topic of a message: `topic: 'orders.paid',` and `topic="orders.paid",`.
pub(super) fn written_topic(line: &str) -> Option<&str> {
    let (before, rest) = line.split_once("topic").or_else(|| line.split_once("Topic"))?;
    let rest = rest.trim_start().strip_prefix([':', '='])?.trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (text, after) = rest[1..].split_once(quote)?;
    // A setting or a variable of the program is no message.
    let is_field = before.trim().is_empty() || before.trim_end().ends_with(['(', '{', ',']);
    (is_field && after.trim_start().starts_with([',', '}', ')'])).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_of_topics_are_stored_but_not_those_that_are_compared() {
        for (line, expected) in [
            ("  topic: EventTopic.POST,", &["EventTopic.POST"][..]),
            ("await outbox.enqueue(tx, dtos.EventTopic.MEDIA, event);", &["EventTopic.MEDIA"]),
            ("repo.save(new OutboxMessage(Topics.ORDERS, json));", &["Topics.ORDERS"]),
            ("  topic: EventTopic.POST;", &[]),
            ("if (event.topic === EventTopic.POST) {", &[]),
            ("case EventTopic.POST:", &[]),
            ("@EventPattern(EventTopic.POST)", &[]),
            ("return Status.OPEN;", &[]),
        ] {
            assert_eq!(constants(line), expected, "{line}");
        }
    }

    #[test]
    fn a_message_has_its_topic_in_a_field() {
        for (line, expected) in [
            ("    topic=\"orders.paid\",", Some("orders.paid")),
            ("save(Outbox { topic: 'orders.paid', payload })", Some("orders.paid")),
            ("topic = \"orders.paid\"", None),
            ("  topic: string,", None),
            ("const defaultTopic: 'orders.paid',", None),
        ] {
            assert_eq!(written_topic(line), expected, "{line}");
        }
    }
}
